//! `ferrica check`: all diagnostics of a model, nothing else; on request, its partitions.

use ferrica_ir::print::counted;

use crate::Outcome;
use crate::cli::{CheckArgs, CheckStage};
use crate::partitioned;
use crate::pipeline;
use crate::reporter::Reporter;
use crate::stats::Stats;

pub fn check(args: &CheckArgs, reporter: &mut Reporter) -> Outcome {
    let mut stats = Stats::default();
    reporter.show_units = true;
    let loaded = pipeline::load(&args.model, reporter, &mut stats)?;
    let flat = pipeline::flatten(&loaded, &args.model.params, reporter, &mut stats)?;
    let ferrica_flat::Balance {
        equations,
        unknowns,
    } = ferrica_flat::count(&flat);
    if args.stage == CheckStage::Flat {
        let warned = warned(reporter);
        reporter.note(&format!(
            "{}: no errors{warned} ({}, {})",
            loaded.name,
            counted(equations, "equation"),
            counted(unknowns, "unknown")
        ));
        return Ok(());
    }
    let causal = pipeline::analyse(flat, reporter, &mut stats)?;
    let (states, variables) = (causal.states.len(), causal.state_variables());
    let model = pipeline::generate(causal, &args.model, &mut stats)?;
    let warned = warned(reporter);
    reporter.note(&format!(
        "{}: no errors{warned} ({}, {}, {}{})",
        loaded.name,
        counted(equations, "equation"),
        counted(unknowns, "unknown"),
        counted(states, "state"),
        match states - variables {
            0 => String::new(),
            n => format!(", {n} of them derivatives of others"),
        }
    ));
    partitioned::show(args, &model)
}

fn warned(reporter: &Reporter) -> String {
    match reporter.counts().1 {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        n => format!(", {n} warnings"),
    }
}
