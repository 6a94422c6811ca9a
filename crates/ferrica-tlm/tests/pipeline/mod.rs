//! Modelica text to a compiled model and a partitioned run, for tests.
#![allow(dead_code)]

use std::path::Path;
use std::sync::Arc;

use ferrica_classes::{Library, SearchPath};
use ferrica_codegen::{CompileOptions, CompiledModel};
use ferrica_ir::SourceMap;
use ferrica_ir::flat::FlatModel;
use ferrica_sim::{Experiment, SimError, Stats};
use ferrica_tlm::{Options, Transport, simulate_on};

fn show(sources: &SourceMap, errors: &[ferrica_ir::Diagnostic]) -> ! {
    for e in errors {
        eprintln!("{}", sources.render(e));
    }
    panic!("the model does not compile");
}

/// With the library of the repository.
pub fn flatten(text: &str) -> FlatModel {
    let sources = Arc::new(SourceMap::new());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library");
    let path = SearchPath::from_environment(vec![folder], None);
    let library = Library::new(sources.clone(), path);
    let own = match library.add_source("test.mo", text) {
        Ok(own) => own,
        Err(e) => show(&sources, &e),
    };
    let class = *own.last().expect("a class");
    match ferrica_flat::flatten_class(&library, class) {
        Ok(f) => f.model,
        Err(e) => show(&sources, &e),
    }
}

pub fn finish(flat: FlatModel) -> Arc<CompiledModel> {
    let sources = SourceMap::new();
    let causal = match ferrica_structure::compile(flat, &ferrica_structure::Options::default()) {
        Ok(c) => c.model,
        Err(e) => show(&sources, &e),
    };
    match ferrica_codegen::compile(causal, &CompileOptions::default()) {
        Ok(m) => Arc::new(m),
        Err(e) => show(&sources, &e),
    }
}

pub fn compile(text: &str) -> Arc<CompiledModel> {
    finish(flatten(text))
}

pub type Rows = Vec<(f64, Vec<f64>)>;

/// Rows of the wanted variables, and how the run ended.
pub fn run(
    model: &Arc<CompiledModel>,
    options: &Options,
    stop: f64,
    interval: f64,
    values: &[(String, f64)],
    names: &[&str],
) -> (Rows, Result<Stats, SimError>) {
    run_on(model, options, stop, interval, values, names, None)
}

/// The same as one of several ranks.
pub fn run_on(
    model: &Arc<CompiledModel>,
    options: &Options,
    stop: f64,
    interval: f64,
    values: &[(String, f64)],
    names: &[&str],
    transport: Option<&mut dyn Transport>,
) -> (Rows, Result<Stats, SimError>) {
    let mut experiment = Experiment::of(model);
    experiment.stop = stop;
    experiment.interval = interval;
    experiment.values = values.to_vec();
    let places: Vec<(u32, bool)> = names
        .iter()
        .map(|n| model.find(n).unwrap_or_else(|| panic!("no variable {n}")))
        .collect();
    let mut rows = Vec::new();
    let mut sink = |t: f64, slots: &[f64]| {
        let value = |&(s, negated): &(u32, bool)| {
            let v = slots[s as usize];
            if negated { -v } else { v }
        };
        rows.push((t, places.iter().map(value).collect()));
    };
    let end = simulate_on(model, &experiment, options, &mut sink, transport);
    (rows, end)
}

pub fn threads(n: usize, step: f64) -> Options {
    Options {
        step: Some(step),
        threads: n,
        ..Options::default()
    }
}
