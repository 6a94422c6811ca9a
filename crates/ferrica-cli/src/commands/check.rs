//! `ferrica check`: all diagnostics of a model, as text or JSON, nothing else; on request, its partitions.

use crate::Outcome;
use crate::cli::{CheckArgs, CheckStage, OutputFormat};
use crate::diagnostics::to_json;
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::engines::partitioned;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::stages::pipeline;
use ferrica::stages::stats::Stats;
use ferrica::words::counted;

pub fn check(args: &CheckArgs, reporter: &mut Reporter) -> Outcome {
    let graph = args.partition_graph.iter();
    let graph: Vec<Output> = graph
        .map(|p| Output::new(p, Kind::PartitionGraph))
        .collect();
    outputs::check(&graph, &inputs_of(&args.model, &None, reporter))?;
    if args.format == OutputFormat::Text {
        return examine(args, reporter).map(|_| ());
    }
    reporter.quiet = true;
    reporter.collected = Some(Vec::new());
    let outcome = examine(args, reporter);
    if let Err(Failure::Model(list)) = &outcome {
        reporter.diagnostics(list);
    }
    let list = reporter.collected.take().unwrap_or_default();
    let model = outcome.as_ref().ok().or(args.model.model.as_ref());
    match &outcome {
        Err(Failure::Usage { .. } | Failure::Io(_)) => {}
        _ => print_out(&to_json(
            model.map(String::as_str),
            &list,
            &reporter.sources,
        ))?,
    }
    match outcome {
        Ok(_) => Ok(()),
        Err(Failure::Model(_)) => Err(Failure::Answered),
        Err(other) => Err(other),
    }
}

/// All stages; the name of the model.
fn examine(args: &CheckArgs, reporter: &mut Reporter) -> Result<String, Failure> {
    let mut stats = Stats::default();
    reporter.show_units = true;
    let loaded = pipeline::load(&args.model.options(), reporter, &mut stats)?;
    pipeline::refuse_other_kinds(&loaded)?;
    let mut flat = pipeline::flatten(&loaded, &args.model.params, reporter, &mut stats)?;
    let (equations, unknowns) = pipeline::balance(&flat);
    if args.stage == CheckStage::Flat {
        let warned = warned(reporter);
        reporter.note(&format!(
            "{}: no errors{warned} ({}, {})",
            loaded.name,
            counted(equations, "equation"),
            counted(unknowns, "unknown")
        ));
        return Ok(loaded.name);
    }
    if args.partitions || args.partition_graph.is_some() {
        partitioned::cut_sampled(&mut flat);
    }
    let causal = pipeline::analyse(flat, reporter, &mut stats)?;
    let (states, variables) = (causal.states.len(), causal.state_variables());
    let model = pipeline::generate(causal, &args.model.options(), &mut stats)?;
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
    if args.suggest_lines {
        print_out(&partitioned::suggestions(&model))?;
    }
    if args.partitions {
        print_out(&partitioned::description(&model)?)?;
    }
    if let Some(path) = &args.partition_graph {
        let text = partitioned::graph(&model, outputs::ending(path) == "svg")?;
        outputs::write(path, text.as_bytes())?;
    }
    Ok(loaded.name)
}

fn warned(reporter: &Reporter) -> String {
    match reporter.counts().1 {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        n => format!(", {n} warnings"),
    }
}
