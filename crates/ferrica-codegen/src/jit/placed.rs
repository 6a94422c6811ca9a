//! Machine code of single kernels whose numbers lie in three small arrays instead of slots: arguments,
//! constants, and outputs. Where each number is, is part of the code, so a run reads no table of slots.

use std::sync::Arc;

use cranelift_module::FuncId;

use super::emit::Place;
use super::module::{CodeMemory, CompileError, Jit};
use crate::kernel::Kernel;

type Function = unsafe extern "C" fn(*const f64, *const f64, *mut f64) -> i32;

/// Where an operand or a result is: an array and an index in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spot {
    Argument(u32),
    Constant(u32),
    /// Outputs can be read too.
    Output(u32),
}

impl Spot {
    /// Number of the array, and index.
    pub(super) fn place(self) -> (usize, u32) {
        match self {
            Spot::Argument(k) => (0, k),
            Spot::Constant(k) => (1, k),
            Spot::Output(k) => (2, k),
        }
    }
}

/// See the module comment.
pub struct PlacedCode {
    /// With the shortest arguments, constants and outputs that each function may be given.
    functions: Vec<(Function, [u32; 3])>,
    _memory: Arc<CodeMemory>,
}

impl std::fmt::Debug for PlacedCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PlacedCode({} functions)", self.functions.len())
    }
}

impl PlacedCode {
    /// Compiles kernels without calls, each with the spots of its operands, then results. `None`
    /// where there is no machine code to be had.
    pub fn new<'a>(kernels: impl Iterator<Item = (&'a Kernel, &'a [Spot])>) -> Option<PlacedCode> {
        let mut jit = Jit::new().ok()?;
        let (mut ids, mut extents) = (Vec::new(), Vec::new());
        for (kernel, spots) in kernels {
            debug_assert_eq!(spots.len(), kernel.stride());
            ids.push(jit.placed(kernel, spots, ids.len()).ok()?);
            let mut extent = [0; 3];
            for spot in spots {
                let (array, k) = spot.place();
                extent[array] = extent[array].max(k + 1);
            }
            extents.push(extent);
        }
        jit.finalize().ok()?;
        let functions = ids
            .iter()
            .zip(extents)
            .map(|(&id, extent)| {
                let address = jit.module.get_finalized_function(id);
                // SAFETY: the function was declared with this signature and is finalized.
                let function = unsafe { std::mem::transmute::<*const u8, Function>(address) };
                (function, extent)
            })
            .collect();
        Some(PlacedCode {
            functions,
            _memory: jit.into_memory(),
        })
    }

    /// Runs kernel number `k`.
    #[inline]
    pub fn run(&self, k: usize, arguments: &[f64], constants: &[f64], output: &mut [f64]) {
        let (function, extent) = &self.functions[k];
        assert!(
            arguments.len() >= extent[0] as usize
                && constants.len() >= extent[1] as usize
                && output.len() >= extent[2] as usize
        );
        // SAFETY: the code touches the spots it was made from, which are inside of the arrays; without
        // calls it does not fail.
        unsafe {
            function(arguments.as_ptr(), constants.as_ptr(), output.as_mut_ptr());
        }
    }
}

impl Jit {
    fn placed(
        &mut self,
        kernel: &Kernel,
        spots: &[Spot],
        number: usize,
    ) -> Result<FuncId, CompileError> {
        self.chunk(&format!("placed{number}"), |f, _, _| {
            let arrays = f.params;
            f.row(kernel, &Place::Spots(spots, arrays), arrays[2])
        })
    }
}
