//! `ferrica bond`: the bond graph of a model, drawn and diagnosed.

use std::path::Path;

use ferrica_bond::qbg::{self, Options};
use ferrica_bond::{Analysis, analyse, draw, modelica};
use ferrica_ir::causal::{Block, CausalModel};
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, Span};

use crate::Outcome;
use crate::cli::BondArgs;
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::grid::Grid;
use ferrica::outputs::{self, Kind, Output};
use ferrica::pipeline;
use ferrica::stats::Stats;

pub fn bond(args: &BondArgs, reporter: &mut Reporter) -> Outcome {
    let target = args.output.iter().map(|p| Output::new(p, Kind::BondGraph));
    let target: Vec<Output> = target.collect();
    outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
    let mut stats = Stats::default();
    let loaded = pipeline::load(&args.model.options(), reporter, &mut stats)?;
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
    let mut report = analysis.report.clone();
    if args.step >= ferrica_bond::build::LAST_STEP {
        report.push_str(&handling(flat, &analysis));
    }
    let Some(path) = &args.output else {
        return print_out(&format!("{graph}\n{report}"));
    };
    let text = match outputs::ending(path).as_str() {
        "dot" => draw::dot(graph, &analysis.causality),
        "mo" => as_model(args, path, reporter)?,
        _ => {
            let title = format!("Bond graph of {}", loaded.name);
            draw::svg(graph, &analysis.causality, &title)
        }
    };
    outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
    outputs::write(path, text.as_bytes())?;
    print_out(&report)
}

/// What the ordinary solvers make of the model, and at what cost.
fn handling(flat: FlatModel, analysis: &Analysis) -> String {
    let options = ferrica_structure::Options::default();
    match ferrica_structure::compile(flat, &options) {
        Ok(compiled) => cost(&compiled.model, analysis),
        Err(list) => {
            let first = list.first().map_or("", |d| d.message.as_str());
            format!("Ferrica cannot simulate the model as it is: {first}\n")
        }
    }
}

fn cost(model: &CausalModel, analysis: &Analysis) -> String {
    let causality = &analysis.causality;
    let (mut systems, mut largest, mut nonlinear) = (0, 0, 0);
    for block in &model.blocks {
        let unknowns = match block {
            Block::Assign(_) => continue,
            Block::Linear(l) => l.unknowns.len(),
            Block::Nonlinear(n) => {
                nonlinear += 1;
                n.unknowns.len()
            }
        };
        systems += 1;
        largest = largest.max(unknowns);
    }
    let count = ferrica_ir::print::counted;
    let states = count(model.states.len(), "state");
    let reduced = if causality.dependent.is_empty() {
        String::new()
    } else {
        format!(
            ", {} removed by index reduction",
            count(causality.dependent.len(), "dependent storage")
        )
    };
    let solved = match (systems, nonlinear) {
        (0, _) => "every equation is solved by itself".to_owned(),
        (n, 0) => format!(
            "{}, the largest with {} after tearing",
            count(n, "linear system"),
            count(largest, "unknown")
        ),
        (n, k) => format!(
            "{} ({k} nonlinear), the largest with {} after tearing",
            count(n, "system"),
            count(largest, "unknown")
        ),
    };
    format!("Ferrica simulates the model as it is: {states}{reduced}; at each step {solved}.\n")
}

/// The graph as a model of `Ferrica.Bonds`.
fn as_model(args: &BondArgs, path: &Path, reporter: &mut Reporter) -> Result<String, Failure> {
    let compiled =
        pipeline::compile_for(&args.model.options(), true, reporter, &mut Stats::default())?;
    let Some(flat) = &compiled.flat else {
        return Ok(String::new());
    };
    let experiment = Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    let plan = ferrica_sim::Experiment {
        start: experiment.start,
        stop: experiment.stop,
        values: compiled.values.clone(),
        ..ferrica_sim::Experiment::of(&compiled.model)
    };
    let prepared =
        qbg::prepare(flat, &compiled.model, &plan).map_err(|e| Failure::model(e.diagnostic()))?;
    let described = prepared
        .describe(&Options::new(&plan))
        .map_err(Failure::model)?;
    let name: String = path
        .file_stem()
        .and_then(|s| s.to_str())
        .unwrap_or("Graph")
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let graph = &prepared.analysis.built.graph;
    modelica::modelica(graph, &described, &name).map_err(|n| {
        Failure::model(Diagnostic::error(
            "E0414",
            Span::NONE,
            format!(
                "`{}` has no counterpart in Ferrica.Bonds",
                graph.nodes[n].name
            ),
        ))
    })
}
