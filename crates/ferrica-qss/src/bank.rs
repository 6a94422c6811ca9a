//! The bank of Taylor kernels of one run, and the running of them.
//!
//! All coefficients live in one array: coefficient c of slot s is number `c·stride + s`. So the
//! values are exactly the slots that the evaluator of the compiled model works on.
//!
//! Kernels run as machine code, one function a shape, once they are sealed; kernels with calls, and
//! all before that, by the interpreter.

use std::rc::Rc;

use ferrica_codegen::interval::{Interval, Ranges};
use ferrica_codegen::jit::KernelCode;
use ferrica_codegen::kernel::KernelId;
use ferrica_codegen::program::{Kernels, Row};
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{Evaluator, Layout, Slot};
use rustc_hash::FxHashMap;

use crate::fuse::Fused;
use crate::inputs::Reach;
use crate::taylor_kernel::{Motion, taylor_kernel};

type Operands = Rc<Vec<(u32, u32)>>;

/// Taylor forms of fused kernels, each shape made once.
#[derive(Default)]
pub struct TaylorForms {
    /// Fused kernels before their Taylor form, to recognize equal shapes.
    plain: Kernels,
    pub kernels: Kernels,
    known: FxHashMap<(KernelId, Vec<Motion>, [usize; 2]), (KernelId, Operands)>,
}

impl TaylorForms {
    /// Taylor form with so many coefficients of the results and of the operands, and its operands:
    /// (operand of the kernel, coefficient).
    pub fn of(
        &mut self,
        fused: &Fused,
        [count, given]: [usize; 2],
        motion_of: &dyn Fn(Slot) -> Motion,
    ) -> (KernelId, Operands) {
        let motion: Vec<Motion> = fused.operands.iter().map(|&s| motion_of(s)).collect();
        let shape = self.plain.intern(fused.kernel.clone());
        let key = (shape, motion, [count, given]);
        if let Some(found) = self.known.get(&key) {
            return found.clone();
        }
        let t = taylor_kernel(&fused.kernel, &key.1, count, given);
        let made = (self.kernels.intern(t.kernel), Rc::new(t.operands));
        self.known.insert(key, made.clone());
        made
    }
}

/// See the module comment.
pub struct Bank {
    pub stride: usize,
    pub forms: TaylorForms,
    vm: Vm,
    code: Option<KernelCode>,
    /// One more than the largest number in the table.
    touched: usize,
    ranges: Ranges,
    bounds: Vec<Interval>,
}

impl Bank {
    pub fn new(stride: usize) -> Bank {
        Bank {
            stride,
            forms: TaylorForms::default(),
            vm: Vm::default(),
            code: None,
            touched: 0,
            ranges: Ranges::default(),
            bounds: Vec::new(),
        }
    }

    /// Number of coefficient `c` of a slot.
    #[inline]
    pub fn coefficient(&self, slot: Slot, c: usize) -> usize {
        c * self.stride + slot as usize
    }

    /// Binds the Taylor form of a fused kernel, with so many coefficients.
    pub fn bind(&mut self, fused: &Fused, count: usize, motion_of: &dyn Fn(Slot) -> Motion) -> Row {
        debug_assert!(self.code.is_none());
        let (kernel, operands) = self.forms.of(fused, [count; 2], motion_of);
        let stride = self.stride as u32;
        let table = &mut self.forms.kernels.table;
        let start = table.len() as u32;
        for &(k, c) in operands.iter() {
            table.push(c * stride + fused.operands[k as usize]);
        }
        for &slot in &fused.results {
            table.extend((0..count as u32).map(|c| c * stride + slot));
        }
        Row { kernel, start }
    }

    /// All kernels are bound: compiles them.
    pub fn seal(&mut self) {
        let largest = self.forms.kernels.table.iter().max();
        self.touched = largest.map_or(0, |&m| m as usize + 1);
        self.code = KernelCode::new(&self.forms.kernels, |_| true);
    }

    /// Bounds of the coefficients that a bound kernel gives for a function of time alone, while time is between two.
    pub fn reach(&mut self, row: Row, (from, to): (f64, f64), evaluator: &Evaluator) -> Reach {
        let numbers = &self.forms.kernels.table[row.start as usize..];
        let kernel = &self.forms.kernels.kernels[row.kernel];
        let operand = |k: u32| match numbers[k as usize] {
            Layout::TIME => Interval { lo: from, hi: to },
            slot => Interval::point(evaluator.slots[slot as usize]),
        };
        if self.ranges.of(kernel, operand, &mut self.bounds).is_none() {
            return Reach::Unknown;
        }
        let mut most = [0.0; 5];
        for (most, range) in most.iter_mut().zip(&self.bounds) {
            *most = range.magnitude();
        }
        Reach::Within(most)
    }

    /// Runs a bound kernel on the slots of the evaluator.
    #[inline]
    pub fn run(&mut self, row: Row, evaluator: &mut Evaluator) -> Result<(), String> {
        let numbers = &self.forms.kernels.table[row.start as usize..];
        if let Some(code) = &self.code {
            assert!(evaluator.slots.len() >= self.touched);
            // SAFETY: `touched` is above every number of the table since `seal`, after which nothing
            // is bound, and the slots reach it.
            if unsafe { code.run(row.kernel, &mut evaluator.slots, numbers) } {
                return Ok(());
            }
        }
        let kernel = &self.forms.kernels.kernels[row.kernel];
        self.vm.batch(
            &evaluator.model.functions,
            &mut evaluator.rt,
            kernel,
            numbers,
            1,
            &mut evaluator.slots,
        )
    }
}
