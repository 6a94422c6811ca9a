//! `ferrica devs`: DEVS export.

use crate::Outcome;
use crate::cli::DevsArgs;
use crate::pipeline;
use crate::reporter::Reporter;
use crate::stats::Stats;

pub fn devs(args: &DevsArgs, reporter: &mut Reporter) -> Outcome {
    let loaded = pipeline::load(&args.model, reporter, &mut Stats::default())?;
    reporter.detail(&format!("model {}", loaded.name));
    Err(pipeline::not_built_in("DEVS export"))
}
