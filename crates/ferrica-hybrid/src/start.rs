//! The start of a run, for engines that march through time by themselves.

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Evaluator};

use crate::dynamic_states::reselect;
use crate::error::{SimError, Warning};
use crate::events::{EventResult, iterate};
use crate::experiment::Experiment;
use crate::initialize::{initialize, initialize_at};
use crate::problem::Problem;
use crate::snapshot::Snapshot;
use crate::time_events::{Due, TimeEvents};

/// A model at its start time: initialized, with the event at the start settled.
pub struct Started {
    pub problem: Problem,
    pub warnings: Vec<Warning>,
    /// Message of `terminate`, if it ended the run at once.
    pub terminated: Option<String>,
}

/// Takes a run up where an earlier stage ended, with the inputs that arrive there.
pub fn resume(
    problem: &mut Problem,
    experiment: &Experiment,
    snapshot: &Snapshot,
) -> Result<(), SimError> {
    match &experiment.initialized {
        // Another form of the model has other slots.
        Some(done)
            if problem.delays.is_empty() && Arc::ptr_eq(&done.0.model, &problem.ev.model) =>
        {
            problem.ev = (*done.0).clone();
        }
        _ => initialize_at(problem, experiment, snapshot.origin)?,
    }
    snapshot.restore(problem);
    problem.arriving.clone_from(&experiment.arriving);
    Ok(())
}

/// Initializes a model as [`crate::simulate`] does.
pub fn start(model: &Arc<CompiledModel>, experiment: &Experiment) -> Result<Started, SimError> {
    let at = experiment.start;
    let mut problem = Problem::new(Evaluator::new(model.clone()));
    problem.ev.set_time(at);
    let fail = |code: &'static str| move |e| SimError::new(code, at, e);
    if let Some(snapshot) = &experiment.from {
        resume(&mut problem, experiment, snapshot)?;
        let settled = match problem.arriving.is_empty() {
            true => EventResult::default(),
            false => iterate(&mut problem, &Vec::new(), &[], 0.0)?,
        };
        return Ok(Started {
            problem,
            warnings: settled.warnings,
            terminated: settled.terminate,
        });
    }
    initialize(&mut problem, experiment)?;
    let mut times = TimeEvents::new(&problem.ev, at).map_err(fail("E0505"))?;
    if reselect(&mut problem.ev).map_err(fail("E0504"))? {
        problem.evaluate_continuous().map_err(fail("E0504"))?;
    }
    let mut due = Due::default();
    times.take_due(&problem.ev, at, false, &mut due);
    let result = iterate(&mut problem, &Vec::new(), &due.samplers, 0.0)?;
    Ok(Started {
        problem,
        warnings: result.warnings,
        terminated: result.terminate,
    })
}
