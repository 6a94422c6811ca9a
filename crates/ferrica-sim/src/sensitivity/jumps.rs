//! Jumps of derivatives that no event tells of: `noEvent`, `sign`, calls of functions.
//!
//! In: the steps of the states since the last event. Out: the first time at which the derivative of a state jumps within them. The run goes
//! over it as its error control finds fit; the sensitivities lack s⁺ - s⁻ = τ·(ẋ⁻ - ẋ⁺) there, as nobody knows by how much τ the instant moves.
//!
//! A step at whose ends a derivative differs is halved, towards the half with the larger difference, until that is small or all that is left
//! of the step.

use ferrica_codegen::CompiledModel;
use ferrica_codegen::kernel::{Bin, Kernel, KernelId, Op, Reg, Un};
use ferrica_codegen::model::SystemKind;
use ferrica_codegen::program::{Program, Step, rows};
use ferrica_ir::elementary::is_stepped;

/// A derivative that changes by less than this part of its size jumps by no more.
const NEGLIGIBLE: f64 = 1e-3;
/// Halvings until nothing is left of a step.
const HALVINGS: usize = 45;

/// May the right-hand side jump where no event is?
pub(super) fn may_jump(model: &CompiledModel) -> bool {
    program_may_jump(model, &model.rhs_program)
}

fn program_may_jump(model: &CompiledModel, program: &Program) -> bool {
    let jumps = |(kernel, _): (KernelId, _)| kernel_may_jump(&model.kernels.kernels[kernel]);
    rows(&model.kernels, program).any(jumps)
        || program.steps.iter().any(|step| match *step {
            Step::Batch { .. } => false,
            Step::Solve(s) => match &model.systems[s].kind {
                SystemKind::Linear {
                    matrix, rhs, then, ..
                } => [matrix, rhs, then]
                    .iter()
                    .any(|p| program_may_jump(model, p)),
                SystemKind::Nonlinear { residuals, .. } => program_may_jump(model, residuals),
            },
        })
}

/// A condition that is a slot is constant between events; one that compares is not.
fn kernel_may_jump(kernel: &Kernel) -> bool {
    let mut compares: Vec<bool> = Vec::with_capacity(kernel.ops.len());
    let mut jumps = false;
    for op in &kernel.ops {
        let of = |r: Reg| compares[r as usize];
        let own = match *op {
            Op::Unary(Un::Not, a) => of(a),
            Op::Binary(Bin::And | Bin::Or, a, b) => of(a) || of(b),
            Op::Binary(Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge | Bin::Eq | Bin::Ne, ..) => true,
            _ => false,
        };
        jumps |= match *op {
            Op::Select(condition, ..) => of(condition),
            Op::Unary(Un::Math(f), _) => is_stepped(f),
            Op::Binary(Bin::Math(f), ..) => is_stepped(f),
            Op::Call(_) => true,
            _ => false,
        };
        compares.push(own);
    }
    jumps
}

/// The time between these at which a derivative jumps. `rates` gives the derivatives at a time, `least` how large a difference of each matters.
pub(super) fn jump_between(
    begin: f64,
    end: f64,
    least: &[f64],
    mut rates: impl FnMut(f64) -> Option<Vec<f64>>,
) -> Option<f64> {
    let (mut a, mut b) = (begin, end);
    let (mut low, mut high) = (rates(a)?, rates(b)?);
    let size: Vec<f64> = (low.iter().zip(&high).zip(least))
        .map(|((x, y), least)| (NEGLIGIBLE * x.abs().max(y.abs())).max(*least))
        .collect();
    let differ = |x: &[f64], y: &[f64]| {
        let parts = x.iter().zip(y).zip(&size);
        parts
            .map(|((x, y), size)| (x - y).abs() / size)
            .fold(0.0, f64::max)
    };
    for _ in 0..HALVINGS {
        if differ(&low, &high) <= 1.0 {
            return None;
        }
        let middle = 0.5 * (a + b);
        if middle <= a || middle >= b {
            break;
        }
        let here = rates(middle)?;
        match differ(&low, &here) >= differ(&here, &high) {
            true => (b, high) = (middle, here),
            false => (a, low) = (middle, here),
        }
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A jump of 1 at 0.3 on a slope, and functions that are only steep.
    #[test]
    fn jumps_and_slopes() {
        let step = |t: f64| Some(vec![t + f64::from(u8::from(t > 0.3))]);
        let found = jump_between(0.0, 1.0, &[0.0], step).unwrap();
        assert!((found - 0.3).abs() < 1e-12, "{found}");
        for slope in [1.0, 1e6] {
            let smooth = |t: f64| Some(vec![(slope * (t - 0.3)).tanh()]);
            assert_eq!(jump_between(0.0, 1.0, &[0.0], smooth), None);
        }
        assert_eq!(jump_between(0.0, 1.0, &[10.0], step), None);
    }
}
