//! `ferrica check`: all diagnostics of a model, nothing else; on request, its partitions.

use crate::Outcome;
use crate::cli::CheckArgs;
use crate::partitioned;
use crate::pipeline;
use crate::reporter::{Reporter, counted};
use crate::stats::Stats;

pub fn check(args: &CheckArgs, reporter: &mut Reporter) -> Outcome {
    let mut stats = Stats::default();
    let loaded = pipeline::load(&args.model, reporter, &mut stats)?;
    let flat = pipeline::flatten(&loaded, &args.model.params, reporter, &mut stats)?;
    let (variables, equations) = (flat.vars.len(), flat.equations.len());
    let causal = pipeline::analyse(flat, reporter, &mut stats)?;
    let states = causal.states.len();
    let model = pipeline::generate(causal, &args.model, &mut stats)?;
    let (_, warnings) = reporter.counts();
    let warned = match warnings {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        n => format!(", {n} warnings"),
    };
    reporter.note(&format!(
        "{}: no errors{warned} ({}, {}, {})",
        loaded.name,
        counted(variables as u64, "variable"),
        counted(equations as u64, "equation"),
        counted(states as u64, "state")
    ));
    partitioned::show(args, &model)
}
