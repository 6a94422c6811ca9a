//! `ferrica run`: compile, simulate, write, draw.

use crate::Outcome;
use crate::cli::RunArgs;
use crate::pipeline;
use crate::reporter::Reporter;
use crate::stats::Stats;

pub fn run(args: &RunArgs, reporter: &mut Reporter) -> Outcome {
    let mut stats = Stats::default();
    let loaded = pipeline::load(&args.model, reporter, &mut stats)?;
    reporter.detail(&format!("model {}", loaded.name));
    Err(pipeline::not_built_in("simulation"))
}
