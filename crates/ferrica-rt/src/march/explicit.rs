//! Steps of the explicit trapezoidal rule beyond its stability, told by what the rule computes anyway.
//!
//! In: the derivatives f₀ at the beginning of a step, f* at the predicted and f₁ at the corrected end. Out: a warning that names the state and the step that
//! would do.
//!
//! The correction was h/2 (f* − f₀); another one would be h/2 (f₁ − f*). For x' = λx the second is hλ/2 times the first: it is larger from |hλ| = 2 on, where the
//! stability of the rule ends. A mode beyond it grows until something saturates: with ideal diodes the states stay bounded, and the result is noise of the
//! formula. A second correction that is larger in one state but small beside its movement comes from other states (it passes an extreme, say) and is
//! let alone, and so is one that does not show in the state.

use ferrica_ir::print::brief;
use ferrica_sim::Warning;

use super::March;

/// Part of the movement of a state that the second correction has.
const MOVES: f64 = 0.5;
/// Corrections below this part of the largest value so far do not show.
const SHOWS: f64 = 1e-6;
/// Steps that must have it.
const SEEN: u64 = 3;

#[derive(Default)]
pub(super) struct Explicit {
    /// Derivatives at the predicted end.
    predicted: Vec<f64>,
    /// Largest values so far.
    sizes: Vec<f64>,
    /// Steps beyond stability, the time of the first, the state that is farthest beyond and how far, |hλ|/2.
    steps: u64,
    since: f64,
    worst: (usize, f64),
}

impl March<'_> {
    /// The derivatives are those of the predicted end.
    pub(crate) fn keep_predicted(&mut self) {
        let n = self.model.layout.n_states;
        let watch = &mut self.explicit;
        watch.predicted.clear();
        watch.predicted.extend_from_slice(&self.rates[..n]);
    }

    /// The derivatives are those of the corrected end.
    pub(crate) fn watch_corrections(&mut self, t: f64) {
        let half = 0.5 * self.grid.step;
        let watch = &mut self.explicit;
        watch.sizes.resize(watch.predicted.len(), 0.0);
        let mut found = None;
        for (k, &middle) in watch.predicted.iter().enumerate() {
            let (begin, end) = (self.past_rates[k], self.rates[k]);
            let size = &mut watch.sizes[k];
            *size = size.max(self.past[0][k].abs());
            let (first, second) = (
                (half * (middle - begin)).abs(),
                (half * (end - middle)).abs(),
            );
            let moves = (half * (begin + middle)).abs();
            if second > first && second >= MOVES * moves && second > SHOWS * *size {
                let ratio = second / first.max(f64::MIN_POSITIVE);
                if found.is_none_or(|(_, r)| ratio > r) {
                    found = Some((k, ratio));
                }
            }
        }
        let Some((k, ratio)) = found else {
            return;
        };
        if watch.steps == 0 {
            watch.since = t;
        }
        watch.steps += 1;
        if ratio > watch.worst.1 {
            watch.worst = (k, ratio);
        }
    }

    /// At the end of the run.
    pub(super) fn tell_unstable(&mut self) {
        let watch = &self.explicit;
        if watch.steps < SEEN {
            return;
        }
        let name = (self.model).var_name(self.model.layout.states + watch.worst.0 as u32);
        let message = format!(
            "{} steps, the first to time {}, are beyond the stability of rt-ode, and `{name}` is noise of the formula: it would be stable up to steps of about {:.0e}; rt-bdf1 and rt-bdf2 have no such bound",
            watch.steps,
            brief(watch.since),
            self.grid.step / watch.worst.1
        );
        let time = watch.since;
        self.warn(vec![Warning::of_run(time, message)]);
    }
}
