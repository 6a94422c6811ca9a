//! `ferrica bond`: the bond graph of a model, drawn and diagnosed.

use ferrica_bond::{analyse, draw};

use crate::Outcome;
use crate::cli::BondArgs;
use crate::failure::Failure;
use crate::pipeline;
use crate::reporter::Reporter;
use crate::stats::Stats;

pub fn bond(args: &BondArgs, reporter: &mut Reporter) -> Outcome {
    let mut stats = Stats::default();
    let loaded = pipeline::load(&args.model, reporter, &mut stats)?;
    let flat = pipeline::flatten(&loaded, &args.model.params, reporter, &mut stats)?;
    let analysis = analyse(&flat, args.step);
    reporter.diagnostics(&analysis.diagnostics);
    if analysis.diagnostics.iter().any(|d| d.is_error()) {
        return Err(Failure::Answered);
    }
    for name in &analysis.built.multiports {
        reporter.note(&format!(
            "{name} fits no single element and is shown as a multiport"
        ));
    }
    let graph = &analysis.built.graph;
    match &args.output {
        Some(path) => {
            let dot = path.extension().is_some_and(|e| e == "dot");
            let text = if dot {
                draw::dot(graph)
            } else {
                draw::svg(
                    graph,
                    &analysis.causality,
                    &format!("Bond graph of {}", loaded.name),
                )
            };
            let file = path.display().to_string();
            std::fs::write(path, text).map_err(|e| Failure::io(&file, &e))?;
            print!("{}", analysis.report);
        }
        None => print!("{graph}\n{}", analysis.report),
    }
    Ok(())
}
