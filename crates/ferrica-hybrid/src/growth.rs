//! The mode that states follow, to tell growth by a formula from growth of the model ([`ferrica_solvers::stability`]).
//!
//! With kᵢ₊₁ = f(x + h/2 kᵢ) at one instant, the differences of the kᵢ are (h/2 J)ⁱ applied to k₁: they give the mode that has taken over, decaying
//! or oscillating. The look works on a copy: whether there was one has no influence on the results.

use ferrica_codegen::{Evaluator, Slot};
use ferrica_solvers::stability::{Mode, dominant};

/// Growth beyond its size at which a state is looked at, and by how much more it is again.
pub const GROWN: f64 = 1e4;
pub const AGAIN: f64 = 1e3;
/// Part of the growth (logarithm) that the formula must explain.
pub const EXPLAINED: f64 = 0.5;

/// Of the states with their derivatives, each weighed by its value or its size, whichever is larger. `run` computes the derivatives; false where it cannot.
pub fn growing_mode(
    ev: &Evaluator,
    states: &[(Slot, Slot)],
    sizes: impl Iterator<Item = f64>,
    step: f64,
    run: impl Fn(&mut Evaluator) -> bool,
) -> Option<Mode> {
    let mut ev = ev.clone();
    let half = 0.5 * step;
    let derivatives = |ev: &Evaluator| -> Vec<f64> {
        let of = states.iter().map(|&(_, dx)| ev.get(dx));
        of.collect()
    };
    let x: Vec<f64> = states.iter().map(|&(x, _)| ev.get(x)).collect();
    let weights: Vec<f64> = (x.iter().zip(sizes))
        .map(|(x, size)| 1.0 / x.abs().max(size))
        .collect();
    let mut k = vec![derivatives(&ev)];
    for stage in 0..3 {
        for (i, &(slot, _)) in states.iter().enumerate() {
            ev.set(slot, x[i] + half * k[stage][i]);
        }
        if !run(&mut ev) {
            return None;
        }
        k.push(derivatives(&ev));
    }
    let change = |i: usize| -> Vec<f64> {
        let pairs = k[i + 1].iter().zip(&k[i]).zip(&weights);
        pairs.map(|((b, a), w)| w * (b - a)).collect()
    };
    let mode = dominant(&change(0), &change(1), &change(2))?;
    Some(mode.times(1.0 / half))
}
