//! How large an error of a sensitivity may be.
//!
//! In: the sensitivities as they come. Out: an absolute tolerance for each of them. What is varied by all of its value moves a state by |p|·s: where
//! that is as large as the nominal value of the state, the tolerance of the states holds for the sensitivities too (CVODES calls the value p̄).
//! A parameter that the states hardly feel is measured by what it has moved so far, so that its derivatives have as many digits as the others.

use ferrica_codegen::{CompiledModel, Evaluator, Slot};

use super::Varied;

/// A direction that moves no state by more than this part of its nominal value is measured by what it moves.
const LEAST_MOVED: f64 = 1e-2;
/// What moves states by less than this part of their nominal values, when what is varied moves by its value and by its nominal one, is rounding.
const ROUNDING: f64 = 1e-13;

#[derive(Default)]
pub(super) struct Scale {
    states: usize,
    tolerance: f64,
    /// Of each sensitivity the one that moves its state by its nominal value.
    nominal: Vec<f64>,
    of: Vec<Direction>,
    tolerances: Vec<f64>,
}

struct Direction {
    /// How far it has moved the states at most, in parts of their nominal values.
    moved: f64,
    /// The least share of the tolerance: below it is rounding.
    least: f64,
    /// The share of the tolerance that holds.
    share: f64,
}

impl Direction {
    fn wanted(&self) -> f64 {
        (self.moved / LEAST_MOVED).min(1.0).max(self.least)
    }
}

impl Scale {
    pub(super) fn new(
        model: &CompiledModel,
        ev: &Evaluator,
        varied: &[Varied],
        tolerance: f64,
    ) -> Scale {
        let (first, n) = (model.layout.states, model.layout.n_states);
        let mut scale = Scale {
            states: n.max(1),
            tolerance,
            ..Scale::default()
        };
        for &what in varied {
            let (Varied::Parameter(slot) | Varied::Start(slot)) = what;
            let (value, nominal) = (ev.get(slot).abs(), model.nominal(slot));
            let size = if value > 0.0 { value } else { nominal };
            let of_state = |k: usize| model.nominal(first + k as Slot) / size;
            scale.nominal.extend((0..n).map(of_state));
            scale.of.push(Direction {
                moved: 0.0,
                least: (ROUNDING / tolerance * size / size.max(nominal)).min(1.0),
                share: 0.0,
            });
        }
        scale.tolerances = vec![0.0; scale.nominal.len()];
        scale
    }

    /// All directions have the tolerance of the states.
    pub(super) fn is_settled(&self) -> bool {
        self.of.iter().all(|d| d.share >= 1.0)
    }

    /// One absolute tolerance for each sensitivity.
    pub(super) fn tolerances(&self) -> &[f64] {
        &self.tolerances
    }

    /// Takes note of sensitivities; true if tolerances have changed by it.
    pub(super) fn watch(&mut self, s: &[f64]) -> bool {
        let n = self.states;
        let mut changed = false;
        for (d, of) in self.of.iter_mut().enumerate() {
            if of.share >= 1.0 {
                continue;
            }
            let range = d * n..(d + 1) * n;
            let (Some(s), Some(nominal)) = (s.get(range.clone()), self.nominal.get(range.clone()))
            else {
                continue;
            };
            let parts = s
                .iter()
                .zip(nominal)
                .map(|(s, nominal)| (s / nominal).abs());
            of.moved = parts.fold(of.moved, f64::max);
            let wanted = of.wanted();
            if wanted > of.share {
                of.share = wanted;
                for (tolerance, nominal) in self.tolerances[range].iter_mut().zip(nominal) {
                    *tolerance = wanted * self.tolerance * nominal;
                }
                changed = true;
            }
        }
        changed
    }
}
