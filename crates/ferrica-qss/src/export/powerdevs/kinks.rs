//! Functions that a power series does not tell all about.

use ferrica_codegen::kernel::{Bin, Kernel, Op, Un};
use ferrica_ir::elementary::is_smooth;

/// Can the value of a kernel, as a function of its moving operands, have kinks or jumps?
pub fn has_kinks(kernel: &Kernel, moving: impl Fn(u32) -> bool) -> bool {
    let mut moves: Vec<bool> = Vec::with_capacity(kernel.ops.len());
    for op in &kernel.ops {
        let of = |r: u32| moves[r as usize];
        let (moving, smooth) = match *op {
            Op::Load(k) => (moving(k), true),
            Op::Const(_) => (false, true),
            Op::Unary(Un::Math(f), a) => (of(a), is_smooth(f)),
            Op::Unary(_, a) | Op::PowI(a, _) => (of(a), true),
            Op::Binary(f, a, b) => {
                let smooth = match f {
                    Bin::Add | Bin::Sub | Bin::Mul | Bin::Div | Bin::Pow => true,
                    Bin::Math(f) => is_smooth(f),
                    _ => false,
                };
                (of(a) || of(b), smooth)
            }
            Op::Select(c, a, b) => (of(a) || of(b) || of(c), !of(c)),
            Op::Call(_) | Op::Result => (true, false),
        };
        if moving && !smooth {
            return true;
        }
        moves.push(moving);
    }
    false
}
