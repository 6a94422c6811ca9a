//! Models for the tests, through the ordinary pipeline.
#![allow(dead_code)] // Each test file uses a part.

use std::path::PathBuf;
use std::sync::Arc;

use ferrica_bond::{Analysis, analyse};
use ferrica_classes::{Library, SearchPath};
use ferrica_codegen::{CompileOptions, CompiledModel};
use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, SourceMap};
use ferrica_sim::{Experiment, SolverKind};

/// Flattens the last class of a text; errors with their text.
pub fn try_flatten(text: &str) -> Result<FlatModel, (Vec<Diagnostic>, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../library");
    let sources = Arc::new(SourceMap::new());
    let path = SearchPath {
        folders: vec![folder],
        ..SearchPath::default()
    };
    let library = Library::new(sources.clone(), path);
    let render = |list: Vec<Diagnostic>| {
        let text: String = list.iter().map(|d| sources.render(d)).collect();
        (list, text)
    };
    let classes = library
        .add_source("test.mo", text.to_owned())
        .map_err(&render)?;
    match classes.last() {
        Some(&class) => match ferrica_flat::flatten_class(&library, class) {
            Ok(f) => Ok(f.model),
            Err(list) => Err(render(list)),
        },
        None => Err(render(Vec::new())),
    }
}

pub fn flatten(text: &str) -> FlatModel {
    try_flatten(text).unwrap_or_else(|(_, text)| panic!("{text}"))
}

/// A model with this body.
pub fn flat(body: &str) -> FlatModel {
    flatten(&format!("model Test\n{body}\nend Test;"))
}

pub fn analysis(body: &str) -> Analysis {
    analyse(&flat(body), 5)
}

pub fn compile(flat: &FlatModel) -> Arc<CompiledModel> {
    let causal = ferrica_structure::compile(flat.clone(), &ferrica_structure::Options::default());
    let causal = causal.unwrap_or_else(|list| {
        let text: Vec<&str> = list.iter().map(|d| d.message.as_str()).collect();
        panic!("{}", text.join("\n"))
    });
    let model = ferrica_codegen::compile(causal.model, &CompileOptions::default());
    Arc::new(model.unwrap_or_else(|list| panic!("{}", list[0].message)))
}

pub fn experiment(model: &CompiledModel, stop: f64, points: f64) -> Experiment {
    Experiment {
        start: 0.0,
        stop,
        tolerance: 1e-8,
        interval: stop / points,
        solver: SolverKind::Bdf,
        ..Experiment::of(model)
    }
}

/// Rows of named variables.
pub type Rows = Vec<(f64, Vec<f64>)>;

/// Picks variables out of the slots of a run.
pub fn recorded(
    model: &CompiledModel,
    names: &[String],
    run: impl FnOnce(&mut dyn ferrica_sim::Sink),
) -> Rows {
    let places: Vec<(u32, bool)> = names
        .iter()
        .map(|n| model.find(n).unwrap_or_else(|| panic!("no variable {n}")))
        .collect();
    let mut rows: Rows = Vec::new();
    let mut sink = |time: f64, slots: &[f64]| {
        let values = places
            .iter()
            .map(|&(s, negated)| {
                if negated {
                    -slots[s as usize]
                } else {
                    slots[s as usize]
                }
            })
            .collect();
        rows.push((time, values));
    };
    run(&mut sink);
    rows
}

pub fn simulate(flat: &FlatModel, stop: f64, points: f64, names: &[String]) -> Rows {
    let model = compile(flat);
    let experiment = experiment(&model, stop, points);
    recorded(&model, names, |sink| {
        if let Err(e) = ferrica_sim::simulate(&model, &experiment, sink) {
            panic!("{}", e.diagnostic().message);
        }
    })
}

/// The value at a time, between rows linear, after an event.
pub fn at(rows: &Rows, time: f64, column: usize) -> f64 {
    let after = rows.partition_point(|r| r.0 <= time + 1e-12);
    if after == 0 {
        return rows[0].1[column];
    }
    if after == rows.len() {
        return rows[after - 1].1[column];
    }
    let (a, b) = (&rows[after - 1], &rows[after]);
    let part = if b.0 > a.0 {
        (time - a.0) / (b.0 - a.0)
    } else {
        0.0
    };
    a.1[column] + part * (b.1[column] - a.1[column])
}
