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
    tolerance: f64,
    /// Of each sensitivity the one that moves its state by its nominal value; all directions of a state side by side.
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
            tolerance,
            tolerances: vec![0.0; n * varied.len()],
            ..Scale::default()
        };
        let mut sizes = Vec::with_capacity(varied.len());
        for &what in varied {
            let (Varied::Parameter(slot) | Varied::Start(slot)) = what;
            let (value, nominal) = (ev.get(slot).abs(), model.nominal(slot));
            let size = if value > 0.0 { value } else { nominal };
            sizes.push(size);
            scale.of.push(Direction {
                moved: 0.0,
                least: (ROUNDING / tolerance * size / size.max(nominal)).min(1.0),
                share: 0.0,
            });
        }
        for k in 0..n {
            let nominal = model.nominal(first + k as Slot);
            scale
                .nominal
                .extend(sizes.iter().map(|size| nominal / size));
        }
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
        if self.is_settled() {
            return false;
        }
        let count = self.of.len();
        let states = s.chunks_exact(count).zip(self.nominal.chunks_exact(count));
        for (s, nominal) in states {
            for ((of, s), nominal) in self.of.iter_mut().zip(s).zip(nominal) {
                of.moved = of.moved.max((s / nominal).abs());
            }
        }
        let mut changed = false;
        for (d, of) in self.of.iter_mut().enumerate() {
            let wanted = of.wanted();
            if wanted > of.share {
                of.share = wanted;
                let own = self.tolerances.iter_mut().zip(&self.nominal);
                for (tolerance, nominal) in own.skip(d).step_by(count) {
                    *tolerance = wanted * self.tolerance * nominal;
                }
                changed = true;
            }
        }
        changed
    }
}
