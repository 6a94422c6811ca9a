//! Renewal of a time input: its polynomial about the present and how long that lasts.
//!
//! How long the polynomial of a smooth function of time lasts is known from bounds of its derivatives over what lies ahead. Where
//! there are none, because of a kink or a jump (`abs`, `max`, `noEvent`, calls of functions), it is looked up at the end of the step
//! and at some places before, and the step is halved until the polynomial is right there too. So is the straight line to the end
//! of the step: derivatives that were found by differences are wrong beside a jump.

use crate::integrator::{Control, Node};
use crate::model::QssModel;
use crate::taylor::value;

/// Places of a step at which a function with kinks is looked up.
const PLACES: [f64; 4] = [1.0, 0.75, 0.5, 0.25];
/// Places of a step over which the mean of a function is taken.
const MIDDLES: [f64; 4] = [0.125, 0.375, 0.625, 0.875];
/// Longest and shortest step of such a function, in parts of the run.
const LONGEST: f64 = 0.01;
const SHORTEST: f64 = 1e-12;

/// What is known of a time input over an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// Its polynomial is all there is, until the model says otherwise.
    Exact,
    /// No Taylor coefficient about a point of the interval is larger than this.
    Within([f64; 5]),
    /// Nothing: it may have kinks or jumps there.
    Unknown,
}

/// Looks at an interval before it is taken to be one that nothing is known of.
const LOOKS: u32 = 60;

/// Renews input k of a model at a time of a run of this length. Returns for how long.
///
/// The first guess is when one of the coefficients that the polynomial leaves out would have made a quantum. They say nothing of
/// what happens later (a function that begins flat, a pulse far away). So the coefficient of order N is bounded over the whole
/// interval, which gives the remainder of the Taylor polynomial (Lagrange), and the interval is shortened until that is
/// of the order of the quantum.
pub fn renew<M: QssModel, const N: usize>(
    model: &mut M,
    node: &mut Node,
    (k, t): (usize, f64),
    control: &Control,
    length: f64,
) -> f64 {
    let c = model.input(k, t);
    let until = model.input_until(k) - t;
    let guess = node.take_input::<N>(t, &c, control);
    let exact = model.reach(k, t, t) == Reach::Exact;
    // Beside a pole the polynomials last for less than time can tell.
    let least = 4.0 * f64::EPSILON * t.abs();
    let mut s = if until < guess { until } else { guess };
    if exact {
        node.project_input::<N>(&c, s);
        return s.max(least);
    }
    let bearable = bearable::<N>(node.quantum);
    let taylor = s;
    if s.is_nan() || s > length {
        s = length;
    }
    for _ in 0..LOOKS {
        if s <= (SHORTEST * length).max(least) {
            break;
        }
        match model.reach(k, t, t + s) {
            Reach::Exact => return s,
            Reach::Within(most) => {
                let remainder = most[N] * s.powi(N as i32);
                if remainder <= bearable {
                    if N == 1 {
                        // A long step may begin in the tail of a pulse, of which the Taylor polynomial is not the mean.
                        let values = MIDDLES.map(|p| model.input(k, t + p * s)[0]);
                        node.q[0] = values.iter().sum::<f64>() / values.len() as f64;
                    } else {
                        node.project_input::<N>(&c, s);
                    }
                    return s;
                }
                let shorter = 0.9 * (bearable / remainder).powf(1.0 / N as f64);
                s *= if shorter > 0.1 { shorter } else { 0.1 };
            }
            Reach::Unknown => {
                return along_the_values::<M, N>(
                    model,
                    node,
                    (k, t),
                    &c,
                    (taylor, until),
                    (control, length),
                );
            }
        }
    }
    along_the_values::<M, N>(model, node, (k, t), &c, (taylor, until), (control, length))
}

/// What is accepted as the remainder of a polynomial: the projection on the interval leaves less than a quantum of it.
fn bearable<const N: usize>(quantum: f64) -> f64 {
    (N + 1) as f64 * quantum
}

/// The same for a function with kinks or jumps ahead: it is looked up along the step.
fn along_the_values<M: QssModel, const N: usize>(
    model: &mut M,
    node: &mut Node,
    (k, t): (usize, f64),
    c: &[f64; 5],
    (taylor, until): (f64, f64),
    (control, length): (&Control, f64),
) -> f64 {
    let (polynomial, quantum) = (node.x, node.quantum);
    let mut s = until.min(LONGEST * length);
    while s > SHORTEST * length {
        let there = PLACES.map(|p| model.input(k, t + p * s)[0]);
        let follows = |curve: &dyn Fn(f64) -> f64| {
            let mut places = PLACES.iter().zip(&there);
            places.all(|(&p, v)| (v - curve(p)).abs() <= quantum)
        };
        if s <= taylor && follows(&|p| value(&polynomial, p * s)) {
            node.project_input::<N>(c, s);
            return s;
        }
        let rise = there[0] - polynomial[0];
        // In the first order its mean is kept, which holds for the whole step alone: an event may cut it short.
        let is_kept = N > 1 || rise.abs() <= bearable::<N>(quantum);
        if is_kept && follows(&|p| polynomial[0] + p * rise) {
            let chord = [polynomial[0], rise / s, 0.0, 0.0, 0.0];
            node.take_input::<N>(t, &chord, control);
            node.project_input::<N>(&chord, s);
            return s;
        }
        s *= 0.5;
    }
    s
}
