//! The bank of Taylor kernels of one run, and the running of them.
//!
//! All coefficients live in one array: coefficient c of slot s is number `c·stride + s`. So the
//! values are exactly the slots that the evaluator of the compiled model works on.
//!
//! Kernels run as machine code, one function a shape, once they are sealed; kernels with calls, and
//! all before that, by the interpreter.

use std::rc::Rc;

use ferrica_codegen::jit::KernelCode;
use ferrica_codegen::kernel::KernelId;
use ferrica_codegen::program::{Kernels, Row};
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{Evaluator, Slot};
use rustc_hash::FxHashMap;

use crate::fuse::Fused;
use crate::taylor_kernel::{Motion, taylor_kernel};

/// See the module comment.
pub struct Bank {
    pub stride: usize,
    /// Fused kernels before their Taylor form, to recognize equal shapes.
    plain: Kernels,
    pub kernels: Kernels,
    known: FxHashMap<(KernelId, Vec<Motion>, usize), (KernelId, Rc<Vec<(u32, u32)>>)>,
    vm: Vm,
    code: Option<KernelCode>,
    /// One more than the largest number in the table.
    touched: usize,
}

impl Bank {
    pub fn new(stride: usize) -> Bank {
        Bank {
            stride,
            plain: Kernels::default(),
            kernels: Kernels::default(),
            known: FxHashMap::default(),
            vm: Vm::default(),
            code: None,
            touched: 0,
        }
    }

    /// Number of coefficient `c` of a slot.
    #[inline]
    pub fn coefficient(&self, slot: Slot, c: usize) -> usize {
        c * self.stride + slot as usize
    }

    /// First number behind all coefficients: the place of arguments and results of kernels that are
    /// bound locally.
    #[inline]
    pub fn local(&self, coefficients: usize) -> usize {
        coefficients * self.stride
    }

    /// Binds the Taylor form of a fused kernel, with so many coefficients.
    pub fn bind(&mut self, fused: &Fused, count: usize, motion_of: &dyn Fn(Slot) -> Motion) -> Row {
        let stride = self.stride as u32;
        let place = |slot: Slot, c: u32| c * stride + slot;
        self.bind_at(fused, count, motion_of, &place, &place)
    }

    /// The same with the coefficients of `arguments` one after the other at `base`, followed by
    /// those of the result: a few numbers that stay near, whatever the size of the model.
    pub fn bind_local(
        &mut self,
        fused: &Fused,
        count: usize,
        motion_of: &dyn Fn(Slot) -> Motion,
        arguments: &[Slot],
        base: usize,
    ) -> Row {
        let stride = self.stride as u32;
        let at = |k: usize, c: u32| (base + k * count) as u32 + c;
        let operand = |slot: Slot, c: u32| match arguments.iter().position(|&a| a == slot) {
            Some(k) => at(k, c),
            None => c * stride + slot,
        };
        let result = |_: Slot, c: u32| at(arguments.len(), c);
        self.bind_at(fused, count, motion_of, &operand, &result)
    }

    fn bind_at(
        &mut self,
        fused: &Fused,
        count: usize,
        motion_of: &dyn Fn(Slot) -> Motion,
        operand: &dyn Fn(Slot, u32) -> u32,
        result: &dyn Fn(Slot, u32) -> u32,
    ) -> Row {
        debug_assert!(self.code.is_none());
        let motion: Vec<Motion> = fused.operands.iter().map(|&s| motion_of(s)).collect();
        let shape = self.plain.intern(fused.kernel.clone());
        let key = (shape, motion, count);
        let (id, operands) = match self.known.get(&key) {
            Some(found) => found.clone(),
            None => {
                let t = taylor_kernel(&fused.kernel, &key.1, count);
                let made = (self.kernels.intern(t.kernel), Rc::new(t.operands));
                self.known.insert(key, made.clone());
                made
            }
        };
        let start = self.kernels.table.len() as u32;
        for &(k, c) in operands.iter() {
            self.kernels
                .table
                .push(operand(fused.operands[k as usize], c));
        }
        for &slot in &fused.results {
            for c in 0..count as u32 {
                self.kernels.table.push(result(slot, c));
            }
        }
        Row { kernel: id, start }
    }

    /// All kernels are bound: compiles them.
    pub fn seal(&mut self) {
        let largest = self.kernels.table.iter().max();
        self.touched = largest.map_or(0, |&m| m as usize + 1);
        self.code = KernelCode::new(&self.kernels);
    }

    /// Runs a bound kernel on the slots of the evaluator.
    #[inline]
    pub fn run(&mut self, row: Row, evaluator: &mut Evaluator) -> Result<(), String> {
        let numbers = &self.kernels.table[row.start as usize..];
        if let Some(code) = &self.code {
            assert!(evaluator.slots.len() >= self.touched);
            // SAFETY: `touched` is above every number of the table since `seal`, after which nothing
            // is bound, and the slots reach it.
            if unsafe { code.run(row.kernel, &mut evaluator.slots, numbers) } {
                return Ok(());
            }
        }
        let kernel = &self.kernels.kernels[row.kernel];
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
