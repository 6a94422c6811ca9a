//! Points of a run of the larger model.
//!
//! In: the experiment. Out: an evaluator at each time that is asked for, initialized and with everything the model remembers. The run goes on
//! from one time to the next, so times are asked for in ascending order.

use std::sync::Arc;

use ferrica_codegen::Evaluator;
use ferrica_sim::{SimError, Sink, Snapshot};

use super::larger::Larger;
use crate::error::{Error, ErrorKind};
use crate::experiment::{Experiment, Interrupt};
use crate::failure::Failure;
use crate::run::run_error;
use crate::steady;

pub(super) struct Points<'a> {
    larger: &'a Larger,
    /// From the last point on.
    plan: ferrica_sim::Experiment,
    /// Where the run began.
    origin: f64,
    interrupt: Option<&'a Interrupt>,
}

impl<'a> Points<'a> {
    pub fn new(larger: &'a Larger, experiment: &'a Experiment) -> Result<Points<'a>, Error> {
        let (model, grid) = (&larger.model, larger.grid(experiment)?);
        let interrupt = experiment.interrupt.as_ref();
        let values = larger.values(experiment);
        let from = match experiment.steady {
            true => {
                let integrals: Vec<String> = larger.integrals().collect();
                let free: Vec<&str> = integrals.iter().map(String::as_str).collect();
                let sources = larger.driven.sources();
                let point = steady::find(model, &values, &grid, &free, interrupt, sources)?;
                Some(point.snapshot)
            }
            false => None,
        };
        Ok(Points {
            larger,
            origin: grid.start,
            interrupt,
            plan: ferrica_sim::Experiment {
                start: grid.start,
                stop: grid.start,
                tolerance: grid.tolerance,
                interval: grid.interval,
                values,
                more: true,
                from,
                ..ferrica_sim::Experiment::of(model)
            },
        })
    }

    /// The model at a time, at its start if none is given.
    pub fn at(&mut self, time: Option<f64>) -> Result<Evaluator, Error> {
        let time = time.unwrap_or(self.origin);
        if time != self.plan.start {
            self.go_to(time)?;
        }
        let started = ferrica_sim::start(&self.larger.model, &self.plan);
        Ok(started.map_err(|e| self.failed(&e))?.problem.ev)
    }

    fn go_to(&mut self, time: f64) -> Result<(), Error> {
        if !time.is_finite() {
            return Err(Error::usage("E0702", format!("there is no time {time}")));
        }
        if time < self.plan.start {
            let text = format!("the run begins at {}, after {time}", self.origin);
            return Err(Error::usage("E0702", text));
        }
        self.plan.stop = time;
        let mut end = End {
            point: None,
            interrupt: self.interrupt,
        };
        let run = ferrica_sim::simulate(&self.larger.model, &self.plan, &mut end);
        run.map_err(|e| self.failed(&e))?;
        let Some((slots, memory)) = end.point else {
            let text = "the model ends the run before that time".to_owned();
            return Err(Error::of(ErrorKind::Run, "E0734", text, None));
        };
        self.plan.start = time;
        self.plan.from = Some(Arc::new(Snapshot {
            origin: self.origin,
            time,
            slots,
            memory,
        }));
        Ok(())
    }

    fn failed(&self, e: &SimError) -> Error {
        let sources = self.larger.driven.sources();
        run_error(&Failure::model(e.diagnostic()), sources)
    }
}

/// The point where a stage ends.
struct End<'a> {
    point: Option<(Vec<f64>, Vec<f64>)>,
    interrupt: Option<&'a Interrupt>,
}

impl Sink for End<'_> {
    fn row(&mut self, _time: f64, _slots: &[f64]) -> std::io::Result<()> {
        Ok(())
    }

    fn wants_event_rows(&self) -> bool {
        false
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.point = Some((ev.slots.clone(), memory.to_vec()));
    }

    fn interrupted(&mut self) -> bool {
        self.interrupt.is_some_and(Interrupt::asked)
    }
}
