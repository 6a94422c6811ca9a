//! Code lenses and their commands: simulate, check, bond graph, diagram. Each answers with what the editor shows.
//!
//! A command has the address of a text and the name of a class. Its answer is an object: `title`, `text`, and where there is one
//! `svg`, a picture that stands by itself.

use std::path::Path;

use ferrica::{Error, Experiment, Model, ModelBuilder, Role, Run};
use ferrica_draw::{Theme, print};
use ferrica_ir::Severity;
use ferrica_syntax::ast::ClassKind;
use lsp_types::{CodeLens, Command};
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::checking::options_for;
use crate::documents::Document;
use crate::world::World;

pub const SIMULATE: &str = "ferrica.simulate";
pub const CHECK: &str = "ferrica.check";
pub const BOND_GRAPH: &str = "ferrica.bondGraph";
pub const DIAGRAM: &str = "ferrica.diagram";

/// What the server knows to do.
pub const ALL: [&str; 4] = [SIMULATE, CHECK, BOND_GRAPH, DIAGRAM];

/// Curves of a plot.
const MOST_CURVES: usize = 8;

/// The line above a model.
pub fn lenses(document: &Document, analysis: &Analysis) -> Vec<CodeLens> {
    let mut out = Vec::new();
    for class in analysis.all_classes() {
        let def = analysis.library.def(class);
        let runs = matches!(
            def.kind,
            ClassKind::Model | ClassKind::Block | ClassKind::Class
        );
        if !runs || def.partial {
            continue;
        }
        let range = document
            .text
            .range(def.name_span.start as usize, def.name_span.end as usize);
        let arguments = vec![
            json!(document.uri.as_str()),
            json!(analysis.library.full_name(class)),
        ];
        for (title, command) in [
            ("Simulate", SIMULATE),
            ("Check", CHECK),
            ("Bond graph", BOND_GRAPH),
        ] {
            out.push(CodeLens {
                range,
                command: Some(Command {
                    title: title.into(),
                    command: command.into(),
                    arguments: Some(arguments.clone()),
                }),
                data: None,
            });
        }
    }
    out
}

/// Does what a command says; errors are texts.
pub fn execute(
    command: &str,
    path: &Path,
    text: &str,
    class: &str,
    world: &World,
) -> Result<Value, String> {
    let options = options_for(path, text, world, class.to_owned());
    let told = |e: Error| {
        let all: Vec<String> = e
            .diagnostics()
            .iter()
            .map(|d| d.text.trim_end().to_owned())
            .collect();
        match all.is_empty() {
            true => e.to_string(),
            false => all.join("\n"),
        }
    };
    let load = || ModelBuilder::from(options.clone()).load().map_err(told);
    match command {
        SIMULATE => {
            let model = load()?;
            let run = model.simulate(&Experiment::default()).map_err(told)?;
            let names = curves(&model, &run);
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let svg = run.svg(&shown).map_err(told)?;
            let end = run.time().last().copied().unwrap_or_default();
            let notes: Vec<String> = run.diagnostics().iter().map(|d| d.text.clone()).collect();
            Ok(json!({
                "title": format!("{class}: simulated to {end} s"),
                "svg": svg,
                "variables": names,
                "text": notes.join("\n"),
            }))
        }
        CHECK => {
            let found = ferrica::sources::checking::check(&options);
            let texts = found.diagnostics.iter().map(|d| found.sources.render(d));
            let count = |s: Severity| found.diagnostics.iter().filter(|d| d.severity == s).count();
            let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
            Ok(json!({
                "title": format!("{class}: {errors} errors, {warnings} warnings"),
                "errors": errors,
                "warnings": warnings,
                "text": texts.collect::<Vec<_>>().join("\n"),
            }))
        }
        BOND_GRAPH => {
            let graph = load()?.bond_graph().map_err(told)?;
            Ok(json!({
                "title": format!("Bond graph of {class}"),
                "svg": graph.svg,
                "text": graph.report,
            }))
        }
        DIAGRAM => {
            let analysis = Analysis::new(path, text, world);
            let id = analysis
                .library
                .find(class)
                .ok_or_else(|| format!("there is no class `{class}`"))?;
            let drawn = ferrica_diagram::diagram(&analysis.library, id, &[], Theme::Light);
            let drawn = drawn.ok_or_else(|| format!("`{class}` has no diagram"))?;
            Ok(json!({
                "title": format!("Diagram of {class}"),
                "svg": print(&drawn.scene),
                "text": "",
            }))
        }
        other => Err(format!("`{other}` is not known here")),
    }
}

/// What is worth seeing: outputs, then states, then what else moves.
fn curves(model: &Model, run: &Run) -> Vec<String> {
    let moves = |name: &str| run.is_constant(name).is_ok_and(|c| !c);
    let variables = model.variables();
    let states: Vec<String> = model.states().into_iter().map(|v| v.name).collect();
    let outputs = variables
        .iter()
        .filter(|v| v.is_output)
        .map(|v| v.name.clone());
    let others = variables
        .iter()
        .filter(|v| v.role == Role::Continuous)
        .map(|v| v.name.clone());
    let mut names: Vec<String> = Vec::new();
    for name in outputs.chain(states).chain(others) {
        if names.len() < MOST_CURVES && !names.contains(&name) && moves(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        names.extend(
            run.names()
                .filter(|n| *n != "time")
                .take(1)
                .map(str::to_owned),
        );
    }
    names
}
