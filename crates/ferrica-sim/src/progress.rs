//! A run that makes no progress ends with a message.
//!
//! In: each accepted step. Out: an error where very many steps have moved no state by as much as the tolerance, and time by so little that the
//! run would never come to its end. What keeps steps so short is then no motion of the model but a place that the method does not get over.

use ferrica_codegen::Failure;
use ferrica_hybrid::SimError;
use ferrica_ir::print::brief;

use crate::simulate::Run;

/// Steps between two looks.
const STEPS: u64 = 100_000;
/// Part of the run that so many steps must lead through: less is 10^11 steps for all of it.
const PART: f64 = 1e-6;

#[derive(Default)]
pub(crate) struct Progress {
    steps: u64,
    /// Time and unknowns at the last look.
    time: f64,
    y: Vec<f64>,
}

impl Run<'_> {
    /// After a step to `t`.
    pub(crate) fn watch_progress(&mut self, t: f64) -> Result<(), SimError> {
        let progress = &mut self.progress;
        progress.steps += 1;
        if !progress.steps.is_multiple_of(STEPS) {
            return Ok(());
        }
        let y = self.integrator.y();
        let options = self.integrator.options();
        let states = self.model.layout.n_states.min(y.len());
        let moved = |k: usize| {
            let permitted = options.rtol * y[k].abs() + options.atol(k);
            (y[k] - progress.y[k]).abs() > permitted
        };
        let rests = progress.y.len() == y.len() && !(0..states).any(moved);
        let span = self.experiment.stop - self.experiment.start;
        if rests && states > 0 && t - progress.time < PART * span {
            let text = format!(
                "no progress: {STEPS} steps lead from time {} to {} only, and no state moves by as much as the tolerance",
                brief(progress.time),
                brief(t)
            );
            let mut failure = Failure::new(text);
            if let Some(k) = self.integrator.controlling_variable() {
                let name = self.unknown_name(k);
                failure
                    .details
                    .push(format!("`{name}` asks for the shortest steps"));
            }
            return Err(SimError {
                hint: Some("another --solver or another --tol may get over this place".to_string()),
                ..SimError::new("E0611", t, failure)
            });
        }
        progress.time = t;
        progress.y.clear();
        progress.y.extend_from_slice(y);
        Ok(())
    }
}
