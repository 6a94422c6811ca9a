//! Poles of derivatives: where something that they divide by vanishes.
//!
//! In: the fused kernels of the derivatives; later, ranges of what a derivative reads. Out: may a divisor vanish there? By interval arithmetic (see
//! `ferrica_codegen::interval`), so no pole within the ranges is overlooked. Derivatives that are not one kernel are not looked at.

use ferrica_codegen::interval::{Interval, Ranges, divisor};
use ferrica_codegen::kernel::{Kernel, KernelId, Op};
use ferrica_codegen::program::Kernels;
use ferrica_codegen::{Layout, Slot};

use crate::fuse::Fused;

/// Where an operand of a kernel comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    Argument(u32),
    Slot(Slot),
}

#[derive(Clone, Debug)]
struct Divisors {
    kernel: KernelId,
    operands: Box<[Origin]>,
}

/// See the module comment.
#[derive(Default)]
pub struct Poles {
    kernels: Kernels,
    of: Vec<Option<Divisors>>,
    ranges: Ranges,
}

/// Does the kernel divide by what moves?
fn divides(kernel: &Kernel, moving: impl Fn(u32) -> bool) -> bool {
    let mut moves: Vec<bool> = Vec::with_capacity(kernel.ops.len());
    let mut divides = false;
    for op in &kernel.ops {
        divides |= divisor(op).is_some_and(|d| moves[d as usize]);
        let of = |r: u32| moves[r as usize];
        moves.push(match *op {
            Op::Load(k) => moving(k),
            Op::Const(_) => false,
            Op::Unary(_, a) | Op::PowI(a, _) => of(a),
            Op::Binary(_, a, b) => of(a) || of(b),
            Op::Select(c, a, b) => of(a) || of(b) || of(c),
            Op::Call(_) | Op::Result => true,
        });
    }
    divides
}

impl Poles {
    /// The next derivative, with the slots of what it reads; `None`: it is not one kernel.
    pub fn push(&mut self, fused: Option<&Fused>, arguments: &[Slot]) {
        let origin = |&slot: &Slot| {
            let argument = arguments.iter().position(|&a| a == slot);
            argument.map_or(Origin::Slot(slot), |k| Origin::Argument(k as u32))
        };
        let divisors = fused.and_then(|fused| {
            let operands: Box<[Origin]> = fused.operands.iter().map(origin).collect();
            let moving = |k: u32| matches!(operands[k as usize], Origin::Argument(_));
            (fused.kernel.calls.is_empty() && divides(&fused.kernel, moving)).then(|| Divisors {
                kernel: self.kernels.intern(fused.kernel.clone()),
                operands,
            })
        });
        self.of.push(divisors);
    }

    #[inline]
    pub fn possible(&self, j: usize) -> bool {
        self.of[j].is_some()
    }

    /// May a divisor of derivative j vanish within the ranges of what it reads?
    pub fn within(&mut self, j: usize, time: f64, arguments: &[Interval], slots: &[f64]) -> bool {
        let Some(divisors) = &self.of[j] else {
            return false;
        };
        let operand = |k: u32| match divisors.operands[k as usize] {
            Origin::Argument(k) => arguments[k as usize],
            Origin::Slot(Layout::TIME) => Interval::point(time),
            Origin::Slot(slot) => Interval::point(slots[slot as usize]),
        };
        let kernel = &self.kernels.kernels[divisors.kernel];
        self.ranges.has_pole(kernel, operand)
    }
}
