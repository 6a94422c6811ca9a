//! From a solver's name to a run.

use ferrica_codegen::Slot;
use ferrica_ir::Diagnostic;
use ferrica_sim::{Sink, SolverKind};

use crate::cli::{Solver, SolverArgs};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::pipeline::{Compiled, not_built_in};
use crate::stats::Stats;

/// How a run ended that did not fail.
pub struct Ended {
    pub time: f64,
    /// The message of `terminate`.
    pub terminated: Option<String>,
    pub warnings: Vec<Diagnostic>,
}

/// Why a run failed, and when.
pub struct Broken {
    pub time: f64,
    pub reason: Failure,
}

/// Says early what this build cannot do, before anything is compiled.
pub fn supported(args: &SolverArgs) -> Result<(), Failure> {
    kind(args.solver)?;
    if args.inline.is_some() {
        return Err(not_built_in("inlined integration (--inline)"));
    }
    if args
        .partition
        .is_some_and(|p| p != crate::cli::Partition::None)
        || !args.rates.is_empty()
    {
        return Err(not_built_in("a partitioned run (--partition, --rate)"));
    }
    if let Some(step) = args.step
        && !(step > 0.0 && step.is_finite())
    {
        return Err(Failure::usage(format!(
            "--step {step} is not a positive step"
        )));
    }
    Ok(())
}

/// The integrator behind a name.
pub fn kind(solver: Solver) -> Result<SolverKind, Failure> {
    SolverKind::from_name(&solver.word())
        .ok_or_else(|| not_built_in(&format!("the solver `{}`", solver.word())))
}

/// Runs a compiled model; rows go to the sink.
pub fn simulate(
    compiled: &Compiled,
    experiment: &Experiment,
    args: &SolverArgs,
    wanted: Option<Vec<Slot>>,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<Ended, Broken> {
    let kind = kind(args.solver).map_err(|reason| Broken {
        time: experiment.start,
        reason,
    })?;
    let plan = ferrica_sim::Experiment {
        start: experiment.start,
        stop: experiment.stop,
        tolerance: experiment.tolerance,
        interval: experiment.interval,
        solver: kind,
        step: args.step,
        values: compiled.values.clone(),
        wanted,
    };
    let ended = ferrica_sim::simulate(&compiled.model, &plan, sink);
    let work = match &ended {
        Ok(work) => work,
        Err(error) => &error.stats,
    };
    take(stats, work, experiment);
    match ended {
        Ok(work) => Ok(Ended {
            time: work.end_time,
            terminated: work.terminated,
            warnings: work
                .warnings
                .into_iter()
                .map(|w| Diagnostic::warning("W0601", w.span, w.message))
                .collect(),
        }),
        Err(error) => Err(Broken {
            time: error.time,
            reason: Failure::model(error.diagnostic()),
        }),
    }
}

fn take(stats: &mut Stats, work: &ferrica_sim::Stats, experiment: &Experiment) {
    if !work.solver.is_empty() {
        stats.solver.clone_from(&work.solver);
    }
    stats.start = experiment.start;
    stats.stop = work.end_time;
    stats.steps = work.steps;
    stats.rejected_steps = work.rejected_steps;
    stats.evaluations = work.evaluations;
    stats.jacobians = work.jacobians;
    stats.factorizations = work.factorizations;
    stats.newton_iterations = work.newton_iterations;
    stats.events = work.state_events + work.time_events;
    stats.add_seconds("initialize", work.initialize_seconds);
    stats.add_seconds("simulate", work.simulate_seconds - work.output_seconds);
    stats.add_seconds("output", work.output_seconds);
}
