//! A run that makes no progress ends with a message.
//!
//! In: each accepted step. Out: an error where very many steps have moved no state by as much as the tolerance, and time by so little that the
//! run would never come to its end. What keeps steps so short is then no motion of the model but a place that the method does not get over.
//!
//! So is there one where the stability of the explicit method keeps steps so short: an implicit one takes longer steps, and the message names some.

use ferrica_codegen::Failure;
use ferrica_hybrid::{SimError, SolverKind};
use ferrica_ir::print::brief;

use crate::simulate::Run;

/// Steps between two looks.
const STEPS: u64 = 100_000;
/// Part of the run that so many steps must lead through: less is 10^11 steps for all of it.
const PART: f64 = 1e-6;
/// The same where stability holds nearly all of them: a hundred million steps for all of the run, many minutes; so many looks in a row have to see it.
const STIFF_PART: f64 = 1e-3;
const STIFF_LOOKS: u32 = 3;

#[derive(Default)]
pub(crate) struct Progress {
    steps: u64,
    /// Time and unknowns at the last look.
    time: f64,
    y: Vec<f64>,
    /// Steps that stability has held until the last look, and looks in a row that have seen only such.
    stiff_steps: u64,
    stiff_looks: u32,
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
        let led = t - progress.time;
        progress.time = t;
        progress.y.clear();
        progress.y.extend_from_slice(y);
        self.watch_stability(t, led)
    }

    /// After a look at `t`, to which so much time has led since the last one.
    fn watch_stability(&mut self, t: f64, led: f64) -> Result<(), SimError> {
        let stiff_steps = self.integrator.statistics().stiff_steps;
        let progress = &mut self.progress;
        let held = stiff_steps.saturating_sub(progress.stiff_steps);
        progress.stiff_steps = stiff_steps;
        let span = self.experiment.stop - self.experiment.start;
        let crawls = 4 * held > 3 * STEPS && led < STIFF_PART * span;
        progress.stiff_looks = if crawls { progress.stiff_looks + 1 } else { 0 };
        if self.experiment.solver != SolverKind::Dopri5 || progress.stiff_looks < STIFF_LOOKS {
            return Ok(());
        }
        let text = format!(
            "the model is stiff: the stability of dopri5 holds its steps at {:.1e}, and the rest of the run would take {:.0e} of them",
            led / STEPS as f64,
            (self.experiment.stop - t) / led * STEPS as f64
        );
        Err(SimError {
            hint: Some("--solver bdf, radau or auto takes longer steps".to_string()),
            ..SimError::new("E0611", t, Failure::new(text))
        })
    }
}
