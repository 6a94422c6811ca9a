//! `ferrica compare`: comparison of solvers.

use crate::Outcome;
use crate::cli::CompareArgs;
use crate::pipeline;
use crate::reporter::Reporter;
use crate::stats::Stats;

pub fn compare(args: &CompareArgs, reporter: &mut Reporter) -> Outcome {
    let loaded = pipeline::load(&args.model, reporter, &mut Stats::default())?;
    reporter.detail(&format!("model {}", loaded.name));
    Err(pipeline::not_built_in("comparison of solvers"))
}
