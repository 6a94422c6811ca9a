//! `ferrica check`: all diagnostics of a model, nothing else.

use crate::Outcome;
use crate::cli::CheckArgs;
use crate::pipeline;
use crate::reporter::Reporter;
use crate::stats::Stats;

pub fn check(args: &CheckArgs, reporter: &mut Reporter) -> Outcome {
    let mut stats = Stats::default();
    let loaded = pipeline::load(&args.model, reporter, &mut stats)?;
    reporter.detail(&format!("model {}", loaded.name));
    Err(pipeline::not_built_in("flattening"))
}
