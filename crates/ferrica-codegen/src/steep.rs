//! Slopes that are infinite at a point, for the matrix of an iteration.
//!
//! The slope of √x is infinite at 0, where a tank begins that is empty. The matrix of a Newton iteration needs to be near the true one, not equal to it. In: a
//! program of partial derivatives. Out: the same with roots and powers of unknowns that stay a little away from 0. What asks for the derivatives themselves (linear
//! models, sensitivities) does not come here.
//!
//! A root or a power of parameters alone has no slope: it keeps its value, however small they are.

use std::collections::HashMap;

use ferrica_ir::expr::Builtin;

use crate::kernel::{Bin, Kernel, Op, Reg, Un, loads_of};
use crate::layout::Slot;
use crate::program::{Kernels, Program, Step};

/// How far away: √ε, as for a quotient of differences.
pub const BESIDE: f64 = 1.490_116_119_384_765_6e-8;

/// See the module comment. `is_unknown`: what is differentiated by.
pub fn stay_beside(
    kernels: &mut Kernels,
    partials: &mut Program,
    is_unknown: &dyn Fn(Slot) -> bool,
) {
    let mut known = HashMap::new();
    let Program { steps, rows, .. } = partials;
    for step in steps {
        if let Step::Batch {
            kernel,
            first,
            count,
        } = step
        {
            let id = *kernel;
            let (stride, loads) = (kernels.kernels[id].stride(), kernels.kernels[id].loads);
            let batch = rows[*first as usize..].chunks_exact(stride.max(1));
            let mut unknown = vec![false; loads as usize];
            for row in batch.take(*count as usize) {
                for (u, &slot) in unknown.iter_mut().zip(row) {
                    *u |= is_unknown(slot);
                }
            }
            *kernel = match known.get(&(id, unknown.clone())) {
                Some(&other) => other,
                None => {
                    let other = match beside(&kernels.kernels[id], &unknown) {
                        Some(other) => kernels.intern(other),
                        None => id,
                    };
                    known.insert((id, unknown), other);
                    other
                }
            };
        }
    }
}

/// The kernel with arguments of roots and powers beside 0; `None` if it has neither of what reads an unknown operand.
fn beside(kernel: &Kernel, unknown: &[bool]) -> Option<Kernel> {
    let steep: Vec<bool> = (kernel.ops.iter())
        .map(|op| match *op {
            Op::Unary(Un::Math(Builtin::Sqrt), x) | Op::Binary(Bin::Pow, x, _) => {
                let read = loads_of(kernel, x);
                read.iter().any(|&k| unknown[k as usize])
            }
            _ => false,
        })
        .collect();
    if !steep.contains(&true) {
        return None;
    }
    let mut out = Kernel {
        ops: Vec::with_capacity(kernel.ops.len() + 4),
        ..kernel.clone()
    };
    let mut now: Vec<Reg> = Vec::with_capacity(kernel.ops.len());
    let mut push = |op: Op| {
        out.ops.push(op);
        out.ops.len() as Reg - 1
    };
    for (op, steep) in kernel.ops.iter().zip(steep) {
        let at = |r: Reg| now[r as usize];
        let reg = match *op {
            Op::Unary(f @ Un::Math(Builtin::Sqrt), x) if steep => {
                let beside = push(Op::Const(BESIDE.to_bits()));
                let x = push(Op::Binary(Bin::Math(Builtin::Max), at(x), beside));
                push(Op::Unary(f, x))
            }
            Op::Binary(Bin::Pow, x, y) if steep => {
                let beside = push(Op::Const(BESIDE.to_bits()));
                let size = push(Op::Unary(Un::Math(Builtin::Abs), at(x)));
                let near = push(Op::Binary(Bin::Lt, size, beside));
                let x = push(Op::Select(near, beside, at(x)));
                push(Op::Binary(Bin::Pow, x, at(y)))
            }
            Op::Unary(f, x) => push(Op::Unary(f, at(x))),
            Op::Binary(f, x, y) => push(Op::Binary(f, at(x), at(y))),
            Op::Select(c, x, y) => push(Op::Select(at(c), at(x), at(y))),
            Op::PowI(x, n) => push(Op::PowI(at(x), n)),
            op @ (Op::Load(_) | Op::Const(_) | Op::Call(_) | Op::Result) => push(op),
        };
        now.push(reg);
    }
    for site in &mut out.calls {
        for r in site.args.iter_mut().chain([&mut site.guard]) {
            if let Some(&other) = now.get(*r as usize) {
                *r = other;
            }
        }
    }
    for r in &mut out.results {
        *r = now[*r as usize];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelBuilder;
    use crate::partials::partials;

    fn eval(kernel: &Kernel, operands: &[f64]) -> f64 {
        let mut regs: Vec<f64> = Vec::new();
        for op in &kernel.ops {
            let at = |r: Reg| regs[r as usize];
            regs.push(match *op {
                Op::Load(k) => operands[k as usize],
                Op::Const(bits) => f64::from_bits(bits),
                Op::Unary(f, x) => f.eval(at(x)),
                Op::Binary(f, x, y) => f.eval(at(x), at(y)),
                Op::Select(c, x, y) => at(if at(c) != 0.0 { x } else { y }),
                _ => f64::NAN,
            });
        }
        regs[kernel.results[0] as usize]
    }

    /// d√x/dx: infinite at 0 in the kernel of partial derivatives, finite beside it, the same elsewhere.
    #[test]
    fn the_slope_of_a_root_is_finite_at_zero() {
        let mut b = KernelBuilder::default();
        let x = b.slot(0);
        let root = b.math(Builtin::Sqrt, x);
        let (kernel, _) = b.finish(&[root]);
        let slope = partials(&kernel, &[true]).kernel;
        let near = beside(&slope, &[true]).expect("it has a root");
        assert_eq!(near.loads, slope.loads);
        assert!(eval(&slope, &[0.0]).is_infinite());
        assert_eq!(eval(&near, &[0.0]), 0.5 / BESIDE.sqrt());
        for x in [1e-6, 0.25, 3.0] {
            assert_eq!(eval(&near, &[x]), eval(&slope, &[x]));
        }
    }

    /// d(aˣ)/dx = aˣ ln a of a thyristor's ratio of resistances, 2.5e-9: smaller than the distance from 0, but no unknown.
    #[test]
    fn a_small_parameter_keeps_its_value() {
        let mut b = KernelBuilder::default();
        let (a, x) = (b.slot(0), b.slot(1));
        let power = b.binary(Bin::Pow, a, x);
        let (kernel, _) = b.finish(&[power]);
        let slope = partials(&kernel, &[false, true]).kernel;
        let kept = beside(&slope, &[false, true]);
        let (a, x): (f64, f64) = (2.5e-9, 0.35);
        let found = eval(kept.as_ref().unwrap_or(&slope), &[a, x]);
        let expected = a.powf(x) * a.ln();
        assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
        // Of an unknown a, its slope x aˣ⁻¹ is finite at 0.
        let slope = partials(&kernel, &[true, false]).kernel;
        let near = beside(&slope, &[true, false]).expect("it has a power");
        assert!(eval(&near, &[0.0, x]).is_finite());
    }
}
