//! A run that goes on from one communication point to the next with the integrator it has.
//!
//! In: times, and inputs that jump where a step begins. Out: the solution at each of these times. No step of the integrator leads beyond the time that is
//! given, because inputs may jump there; what it knows of the solution (step size, order, history, factors) it keeps.

use std::borrow::Cow;
use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Slot};
use ferrica_hybrid::{Experiment, SimError, Warning};

use crate::output_points::OutputPoints;
use crate::results::Sink;
use crate::simulate::{Advance, Run};

/// Communication steps that differ by less than this part are of one length.
const SAME_LENGTH: f64 = 1e-6;

/// See the module comment.
pub struct Session {
    run: Run<'static>,
    begun: bool,
    /// Warnings that have been told.
    told: usize,
}

/// What a step shall do.
pub struct Target<'a> {
    pub stop: f64,
    /// Distance of rows.
    pub interval: f64,
    /// Inputs that jump at its beginning.
    pub arriving: &'a [(Slot, f64)],
    /// It ends at the first event inside of it.
    pub to_event: bool,
}

impl Session {
    /// Takes up the run that the experiment goes on from. Delayed signals would have to be told apart from those of steps that are taken back: none.
    pub fn new(
        model: &Arc<CompiledModel>,
        experiment: Experiment,
    ) -> Result<Option<Session>, SimError> {
        let mut run = Run::new(model, Cow::Owned(experiment));
        if !run.p.delays.is_empty() {
            return Ok(None);
        }
        run.take_up()?;
        Ok(Some(Session {
            run,
            begun: false,
            told: 0,
        }))
    }

    /// Goes on. True if an event ended the step. After an error the session is of no use.
    pub fn step(&mut self, target: &Target, sink: &mut dyn Sink) -> Result<bool, SimError> {
        let run = &mut self.run;
        let begin = run.p.ev.time();
        let experiment = run.experiment.to_mut();
        experiment.stop = target.stop;
        let other_length =
            (target.interval - experiment.interval).abs() > SAME_LENGTH * experiment.interval.abs();
        if other_length {
            experiment.interval = target.interval;
        }
        let fixed = experiment.solver.has_fixed_steps();
        let step_follows = (fixed && experiment.step.is_none()) || run.p.dummy;
        run.output_points = OutputPoints::new(begin, target.interval);
        let mut settled = false;
        if !target.arriving.is_empty() {
            run.p.arriving.extend_from_slice(target.arriving);
            if run.event(&Vec::new(), &[])? {
                run.terminal_event(sink)?;
                return Ok(false);
            }
            settled = true;
        }
        if !self.begun || (other_length && step_follows) {
            run.begin_integration()?;
            self.begun = true;
        } else {
            if other_length {
                let limit = run.step_limit();
                run.integrator.set_h_max(limit);
            }
            if settled {
                run.restart()?;
            }
        }
        let reached = run.advance(target.to_event, sink)?;
        if reached == Advance::Stop && run.p.ev.time() < target.stop {
            // An event that is a rounding before the end is at the end.
            run.p.ev.set_time(target.stop);
        }
        Ok(reached == Advance::Event)
    }

    pub fn time(&self) -> f64 {
        self.run.p.ev.time()
    }

    /// All slots at the present time.
    pub fn slots(&self) -> &[f64] {
        &self.run.p.ev.slots
    }

    /// Why the model has ended the run.
    pub fn terminated(&self) -> Option<&String> {
        self.run.stats.terminated.as_ref()
    }

    /// Warnings since the last call.
    pub fn warnings(&mut self) -> &[Warning] {
        let first = std::mem::replace(&mut self.told, self.run.stats.warnings.len());
        &self.run.stats.warnings[first..]
    }
}
