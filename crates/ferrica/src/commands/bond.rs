//! `ferrica bond`: bond graphs.

use crate::Outcome;
use crate::cli::BondArgs;
use crate::pipeline;
use crate::reporter::Reporter;
use crate::stats::Stats;

pub fn bond(args: &BondArgs, reporter: &mut Reporter) -> Outcome {
    let loaded = pipeline::load(&args.model, reporter, &mut Stats::default())?;
    reporter.detail(&format!("model {}", loaded.name));
    Err(pipeline::not_built_in("bond graphs"))
}
