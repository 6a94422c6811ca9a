//! Modelica text to a compiled model, for tests and examples.
#![allow(dead_code)]

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel};
use ferrica_qss::Method;
use ferrica_qss::simulate::{QssOptions, QssRun, simulate};
use ferrica_sim::Experiment;

#[path = "../../../../tests/support/compile.rs"]
mod text;

pub fn compile(text: &str) -> Arc<CompiledModel> {
    text::compile_with(text, &CompileOptions::default())
}

/// Rows of wanted variables: time, then values.
pub struct Table {
    pub rows: Vec<(f64, Vec<f64>)>,
    pub run: QssRun,
}

pub fn experiment(model: &CompiledModel, stop: f64, tolerance: f64, points: usize) -> Experiment {
    let mut e = Experiment::of(model);
    e.stop = stop;
    e.tolerance = tolerance;
    e.interval = stop / points as f64;
    e
}

pub fn run_with(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    method: &str,
    names: &[&str],
) -> Table {
    let places: Vec<(u32, bool)> = names
        .iter()
        .map(|n| model.find(n).unwrap_or_else(|| panic!("no variable {n}")))
        .collect();
    let mut rows = Vec::new();
    let options = QssOptions::new(Method::parse(method).expect("a method"));
    let done = simulate(model, experiment, &options, &mut |t: f64, slots: &[f64]| {
        let values = places
            .iter()
            .map(|&(s, n)| {
                if n {
                    -slots[s as usize]
                } else {
                    slots[s as usize]
                }
            })
            .collect();
        rows.push((t, values));
    });
    match done {
        Ok(run) => Table { rows, run },
        Err(e) => panic!("{method}: {e}"),
    }
}
