//! Renewal of a time input: its polynomial about the present and how long that lasts.
//!
//! A smooth function of time announces by the first coefficients that its polynomial leaves out when it will have left it by
//! a quantum. One with kinks (`abs`, `max`, `noEvent`, calls of functions) does not: it is looked up at the end of the step and at
//! some places before, and the step is halved until the polynomial is right there too. So is the straight line to the end of
//! the step: derivatives that were found by differences are wrong beside a jump.

use ferrica_codegen::kernel::{Bin, Kernel, Op, Un};
use ferrica_ir::elementary::is_smooth;

use crate::integrator::{Control, Node};
use crate::model::QssModel;
use crate::taylor::value;

/// Places of a step at which a function with kinks is looked up.
const PLACES: [f64; 4] = [1.0, 0.75, 0.5, 0.25];
/// Longest and shortest step of such a function, in parts of the run.
const LONGEST: f64 = 0.01;
const SHORTEST: f64 = 1e-12;

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

/// Renews input k of a model at a time of a run of this length. Returns for how long.
pub fn renew<M: QssModel, const N: usize>(
    model: &mut M,
    node: &mut Node,
    (k, t): (usize, f64),
    control: &Control,
    length: f64,
) -> f64 {
    let c = model.input(k, t);
    let until = model.input_until(k) - t;
    let s = node.renew_input::<N>(t, &c, control);
    let taylor = if until < s { until } else { s };
    // Beside a pole the polynomials last for less than time can tell.
    let taylor = taylor.max(4.0 * f64::EPSILON * t.abs());
    if !model.has_kinks(k) {
        return taylor;
    }
    let (polynomial, quantum) = (node.x, node.quantum);
    let mut s = until.min(LONGEST * length);
    while s > SHORTEST * length {
        let there = PLACES.map(|p| model.input(k, t + p * s)[0]);
        let follows = |curve: &dyn Fn(f64) -> f64| {
            let mut places = PLACES.iter().zip(&there);
            places.all(|(&p, v)| (v - curve(p)).abs() <= quantum)
        };
        if s <= taylor && follows(&|p| value(&polynomial, p * s)) {
            return s;
        }
        let rise = there[0] - polynomial[0];
        if follows(&|p| polynomial[0] + p * rise) {
            node.renew_input::<N>(t, &[polynomial[0], rise / s, 0.0, 0.0, 0.0], control);
            return s;
        }
        s *= 0.5;
    }
    s
}
