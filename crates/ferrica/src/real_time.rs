//! The flags of the real-time solvers, and their runs.

use clap::{Args, ValueEnum};
use ferrica_rt::{Method, RtOptions};
use ferrica_sim::{SimError, Sink};

use crate::cli::{BdfStart, SolverArgs};
use crate::pipeline::Compiled;
use crate::stats::Stats;

/// Flags of the real-time solvers only.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Real time")]
pub struct RealTimeArgs {
    /// What a step solves
    #[arg(long, value_name = "FORM", value_enum)]
    pub formulation: Option<Formulation>,

    /// Form and factor the tangent of the full formulation in every iteration
    #[arg(long)]
    pub refactor: bool,

    /// End the iterations of a step once no residual is larger than this
    #[arg(long, value_name = "X")]
    pub residual_tolerance: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Formulation {
    /// What advances the model; constant parts are eliminated beforehand
    Causal,
    /// All unknowns at once
    Full,
}

/// The options of a run.
pub fn options(method: Method, args: &SolverArgs) -> RtOptions {
    let mut options = RtOptions::new(method);
    if let Some(iterations) = args.iterations {
        options.iterations = iterations;
    }
    if args.bdf_start == Some(BdfStart::Constant) {
        options.start = ferrica_rt::BdfStart::Constant;
    }
    let own = &args.real_time;
    if own.formulation == Some(Formulation::Full) || own.refactor {
        options.formulation = ferrica_rt::Formulation::Full;
    }
    options.always_factor = own.refactor;
    if let Some(tolerance) = own.residual_tolerance {
        options.residual_tolerance = tolerance;
    }
    options
}

/// Runs a compiled model.
pub fn simulate(
    compiled: &Compiled,
    plan: &ferrica_sim::Experiment,
    options: &RtOptions,
    sink: &mut dyn Sink,
    stats: &mut Stats,
) -> Result<ferrica_sim::Stats, SimError> {
    let model = match compiled.dae.get() {
        Some(model) => model,
        // One that has none is refused by the run, which says why.
        None => match stats.stage("codegen", || ferrica_rt::dae_form(&compiled.model)) {
            Ok(model) => compiled.dae.get_or_init(|| model),
            Err(_) => &compiled.model,
        },
    };
    let run = ferrica_rt::simulate(model, plan, options, sink)?;
    let steps = run.unconverged_steps as f64;
    stats.extra.push(("unconverged_steps", steps));
    let events = run.unsettled_events as f64;
    stats.extra.push(("unsettled_events", events));
    stats.extra.push(("iterated_unknowns", run.iterated as f64));
    let searches = run.pivot_searches as f64;
    stats.extra.push(("pivot_searches", searches));
    if let Some((last, largest)) = run.constraint_rate {
        stats.extra.push(("constraint_rate", last));
        stats.extra.push(("constraint_rate_max", largest));
    }
    stats.notes = run.summary();
    Ok(run.stats)
}
