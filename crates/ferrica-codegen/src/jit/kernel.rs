//! Machine code of kernels by themselves: one function a kernel, for any row of it.

use std::sync::Arc;

use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value, types};
use cranelift_frontend::FunctionBuilder;
use cranelift_module::{FuncId, Linkage, Module};

use super::emit::{Emitter, Place};
use super::module::{CodeMemory, CompileError, Jit};
use super::program::Chunk;
use super::stored::Function;
use crate::kernel::{Kernel, KernelId};
use crate::program::Kernels;

/// See the module comment.
pub struct KernelCode {
    functions: Vec<Option<Chunk>>,
    strides: Vec<usize>,
    _memory: Arc<CodeMemory>,
}

impl KernelCode {
    /// Compiles the wanted kernels that have no calls, now. `None` where there is no machine code to be had.
    pub fn new(kernels: &Kernels, wanted: impl Fn(KernelId) -> bool) -> Option<KernelCode> {
        let mut jit = Jit::new().ok()?;
        let mut ids = Vec::new();
        for (k, kernel) in &kernels.kernels {
            let id = if kernel.calls.is_empty() && wanted(k) {
                Some(jit.kernel(kernel, ids.len()).ok()?)
            } else {
                None
            };
            ids.push(id);
        }
        jit.finalize().ok()?;
        let functions = ids
            .iter()
            .map(|id| {
                let address = jit.module.get_finalized_function((*id)?);
                // SAFETY: the function was declared with this signature and is finalized.
                Some(unsafe { std::mem::transmute::<*const u8, Chunk>(address) })
            })
            .collect();
        Some(KernelCode {
            functions,
            strides: kernels.kernels.values().map(Kernel::stride).collect(),
            _memory: jit.into_memory(),
        })
    }

    /// Has this kernel machine code?
    #[inline]
    pub fn has(&self, kernel: KernelId) -> bool {
        self.functions[kernel.as_u32() as usize].is_some()
    }

    /// Runs a kernel on one row of slots. False: there is no code for it.
    ///
    /// # Safety
    /// Every number of the row is less than the number of slots.
    #[inline]
    pub unsafe fn run(&self, kernel: KernelId, slots: &mut [f64], row: &[u32]) -> bool {
        let k = kernel.as_u32() as usize;
        let Some(code) = self.functions[k] else {
            return false;
        };
        assert!(row.len() >= self.strides[k]);
        // SAFETY: the code reads `strides[k]` numbers of the row and touches the slots they name,
        // which are inside of `slots` by the contract of this function.
        // Without calls the context is not touched and nothing fails.
        unsafe { code(slots.as_mut_ptr(), row.as_ptr(), std::ptr::null_mut()) };
        true
    }
}

impl Jit {
    /// Makes a function of one kernel, whose row is its second argument.
    fn kernel(&mut self, kernel: &Kernel, number: usize) -> Result<FuncId, CompileError> {
        self.chunk(&format!("kernel{number}"), |f, slots, row| {
            f.row(kernel, &Place::Row(row), slots)
        })
    }

    /// Makes a function of slots, rows and context.
    pub(super) fn chunk(
        &mut self,
        name: &str,
        body: impl FnOnce(&mut Emitter<'_>, Value, Value) -> Result<(), CompileError>,
    ) -> Result<FuncId, CompileError> {
        let config = self.module.target_config();
        let pointer = config.pointer_type();
        let signature = self.chunk_signature();
        let id = self
            .module
            .declare_function(name, Linkage::Local, &signature)?;
        self.context.func.signature = signature;
        let mut f = Emitter::new(
            FunctionBuilder::new(&mut self.context.func, &mut self.frontend),
            &mut self.module,
            &mut self.helpers,
            pointer,
        );
        let (slots, rows) = (f.params[0], f.params[1]);
        body(&mut f, slots, rows)?;
        let ok = f.b.ins().iconst(types::I32, 0);
        f.b.ins().return_(&[ok]);
        if let Some(failed) = f.failed {
            f.b.switch_to_block(failed);
            let bad = f.b.ins().iconst(types::I32, 1);
            f.b.ins().return_(&[bad]);
        }
        f.b.seal_all_blocks();
        f.b.finalize(config);
        self.module.define_function(id, &mut self.context)?;
        if let Some(kept) = &mut self.kept {
            let function = Function::of(&self.context, &self.helpers);
            kept.push(function.ok_or("the function cannot be stored")?);
        }
        self.module.clear_context(&mut self.context);
        Ok(id)
    }

    /// Slots, rows and context; a status.
    pub(super) fn chunk_signature(&self) -> Signature {
        let pointer = self.module.target_config().pointer_type();
        let mut signature = self.module.make_signature();
        signature.params.extend([AbiParam::new(pointer); 3]);
        signature.returns.push(AbiParam::new(types::I32));
        signature
    }
}
