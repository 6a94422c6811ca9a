//! Is an equation a linear function of its unknowns, plus something?
//!
//! Constant partial derivatives are not enough: `noEvent(if x > 0 then 1 else 2)` has the derivative zero, and yet jumps.

use ferrica_codegen::kernel::{Bin, Kernel, NO_REG, Op, Reg, Un};

/// Result of the kernel, where `unknown` tells which operands are unknowns.
pub fn is_affine(kernel: &Kernel, unknown: &[bool]) -> bool {
    /// Depends on no unknown, linearly, or in another way.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum Kind {
        Free,
        Linear,
        Other,
    }
    let mut kinds: Vec<Kind> = Vec::with_capacity(kernel.ops.len());
    for (k, op) in kernel.ops.iter().enumerate() {
        let at = |r: Reg| kinds[r as usize];
        let otherwise = |kind: Kind| match kind {
            Kind::Free => Kind::Free,
            _ => Kind::Other,
        };
        let kind = match *op {
            Op::Load(operand) if unknown[operand as usize] => Kind::Linear,
            Op::Load(_) | Op::Const(_) => Kind::Free,
            Op::Unary(Un::Neg, a) => at(a),
            Op::Unary(_, a) | Op::PowI(a, _) => otherwise(at(a)),
            Op::Binary(Bin::Add | Bin::Sub, a, b) => at(a).max(at(b)),
            Op::Binary(Bin::Mul, a, b) if at(a) == Kind::Free || at(b) == Kind::Free => {
                at(a).max(at(b))
            }
            Op::Binary(Bin::Div, a, b) if at(b) == Kind::Free => at(a),
            Op::Binary(_, a, b) => otherwise(at(a).max(at(b))),
            Op::Select(c, a, b) if at(c) == Kind::Free => at(a).max(at(b)),
            Op::Select(..) => Kind::Other,
            Op::Call(site) => {
                let site = &kernel.calls[site as usize];
                let all = site.args.iter().chain([&site.guard]);
                let worst = all.filter(|r| **r != NO_REG).map(|&r| at(r)).max();
                otherwise(worst.unwrap_or(Kind::Free))
            }
            // The call stands right before its further outputs.
            Op::Result => kinds[k - 1],
        };
        kinds.push(kind);
    }
    kernel
        .results
        .iter()
        .all(|&r| kinds[r as usize] < Kind::Other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_codegen::kernel::KernelBuilder;

    #[test]
    fn tells_linear_from_other_equations() {
        // Operands: 0 and 1 are unknowns, 2 is not.
        let affine = |make: &dyn Fn(&mut KernelBuilder, [Reg; 3]) -> Reg| {
            let mut b = KernelBuilder::default();
            let operands = [b.slot(0), b.slot(1), b.slot(2)];
            let result = make(&mut b, operands);
            let (kernel, _) = b.finish(&[result]);
            is_affine(&kernel, &[true, true, false])
        };
        assert!(affine(&|b, [x, y, p]| {
            let px = b.mul(p, x);
            let yp = b.div(y, p);
            let sum = b.add(px, yp);
            let pp = b.mul(p, p);
            b.sub(sum, pp)
        }));
        assert!(!affine(&|b, [x, y, _]| b.mul(x, y)));
        assert!(!affine(&|b, [x, _, p]| b.div(p, x)));
        assert!(affine(&|b, [x, y, p]| b.select(p, x, y)));
        assert!(!affine(&|b, [x, y, p]| b.select(x, y, p)));
        assert!(!affine(&|b, [x, _, _]| {
            let zero = b.constant(0.0);
            let above = b.binary(Bin::Gt, x, zero);
            let (one, two) = (b.constant(1.0), b.constant(2.0));
            b.select(above, one, two)
        }));
    }
}
