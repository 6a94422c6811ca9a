//! `auto` with a quantized-state method, where the model's shape says that it may pay.
//!
//! In: the choice of `ferrica_qss::auto`, the run of an engine, a sink. Out: one series of rows. The quantized run ends itself when it turns out to cost more than a classic one
//! would at least. Then the classic solver begins anew, with some times that work to come as far: if it does, it goes on to the end; if not, it is dearer than thought, and the quantized
//! run may cost as much. Rows go on where the others have ended: both are within the tolerance, so nothing that has been written is taken back. As what is granted grows
//! by a factor each time, all attempts together cost a small multiple of the cheaper one.
//!
//! A quantized run that fails for another reason leaves the rest to the classic solver: a failure of the model itself is found again, and told by it.

use std::io;

use ferrica_codegen::Evaluator;
use ferrica_qss::Worth;
use ferrica_qss::auto::{Choice, choose};
use ferrica_sim::Sink;
use ferrica_solvers::integrator::Solution;

use crate::engines::ranks;
use crate::engines::solving::{Broken, Ended, Engine};
use crate::failure::Failure;
use crate::options::{Solver, SolverOptions};
use crate::stages::pipeline::Compiled;

/// The method that a run with the default solver begins with; `None` for a classic one.
pub fn choice(compiled: &Compiled, args: &SolverOptions, tolerance: f64) -> Option<Choice> {
    let is_default = args.solver == Solver::Auto
        && args.partition.is_none()
        && args.inline.is_none()
        && args.step.is_none()
        && ranks::size() == 1;
    let choice = is_default.then(|| choose(&compiled.model, tolerance));
    choice.flatten()
}

/// Times the work of the quantized run that the classic solver is given to come as far, and by which the next quantized run may cost more.
const MORE: f64 = 4.0;
/// Evaluations of the model for each event that a classic solver is taken to need at most.
const MOST: f64 = 256.0;
/// Evaluations of a step.
const EACH_STEP: f64 = 2.0;

/// Runs the choice, and `classic` where it does not pay: then the time at which it took over is told.
pub fn run(
    choice: &Choice,
    classic: Engine,
    march: &mut dyn FnMut(Engine, Option<Worth>, &mut dyn Sink) -> Result<Ended, Broken>,
    sink: &mut dyn Sink,
) -> (Result<Ended, Broken>, Option<f64>) {
    let mut onward = Onward {
        inner: sink,
        behind: f64::NEG_INFINITY,
        last: f64::NEG_INFINITY,
        now: f64::NEG_INFINITY,
        half_events: 0,
        trial: None,
    };
    let method = Engine::Quantized(choice.method);
    let mut each_event = 1.0;
    loop {
        onward.half_events = 0;
        let done = march(method, Some(choice.worth(each_event)), &mut onward);
        let Err(broken) = &done else {
            return (done, None);
        };
        if onward.inner.interrupted() {
            return (done, None);
        }
        onward.behind = onward.last;
        if is_spent(broken) && each_event < MOST {
            let granted = MORE * Choice::evaluations(each_event, onward.half_events / 2);
            onward.trial = Some(Trial {
                steps: (granted / EACH_STEP) as u64,
                until: broken.time,
            });
        }
        onward.now = f64::NEG_INFINITY;
        let done = march(classic, None, &mut onward);
        let goes_on = onward.trial.take().is_none();
        if goes_on || done.is_ok() || onward.inner.interrupted() {
            return (done, Some(onward.behind));
        }
        each_event *= MORE;
    }
}

/// Has the run ended because it was not worth its cost?
fn is_spent(broken: &Broken) -> bool {
    match &broken.reason {
        Failure::Model(told) => told.iter().any(|d| d.code == "E0620"),
        _ => false,
    }
}

/// Steps in which a run has to come to a time.
struct Trial {
    steps: u64,
    until: f64,
}

/// Rows behind a time only, of a run that may be a trial.
struct Onward<'a> {
    inner: &'a mut dyn Sink,
    behind: f64,
    last: f64,
    /// How far the run is.
    now: f64,
    /// Rows at events, or twice the events without rows.
    half_events: u64,
    trial: Option<Trial>,
}

impl Sink for Onward<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        if time <= self.behind {
            return Ok(());
        }
        self.last = time;
        self.inner.row(time, slots)
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.half_events += 1;
        if time <= self.behind {
            return Ok(());
        }
        self.last = time;
        self.inner.event_row(time, slots)
    }

    fn wants_rows(&self) -> bool {
        self.inner.wants_rows()
    }

    fn wants_event_rows(&self) -> bool {
        self.inner.wants_event_rows()
    }

    fn interrupted(&mut self) -> bool {
        if let Some(trial) = &mut self.trial {
            if self.now >= trial.until {
                self.trial = None;
            } else {
                trial.steps = trial.steps.saturating_sub(1);
                if trial.steps == 0 {
                    return true;
                }
            }
        }
        self.inner.interrupted()
    }

    fn instant(&mut self, slots: &[f64], forced: &[(usize, bool)], samplers: &[usize]) {
        self.half_events += 2;
        self.inner.instant(slots, forced, samplers);
    }

    fn stepped(&mut self, from: f64, to: f64, solution: &dyn Solution) {
        self.inner.stepped(from, to, solution);
    }

    fn progress(&mut self, time: f64) {
        self.now = time;
        self.inner.progress(time);
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.inner.end(ev, memory);
    }
}
