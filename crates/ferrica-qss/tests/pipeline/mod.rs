//! Modelica text to a compiled model, for tests and examples.
#![allow(dead_code)]

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel};
use ferrica_qss::Method;
use ferrica_qss::simulate::{QssOptions, QssRun, simulate};
use ferrica_sim::{Experiment, SimError};

#[path = "../../../../tests/support/compile.rs"]
mod text;

pub fn compile(text: &str) -> Arc<CompiledModel> {
    text::compile_with(text, &CompileOptions::default())
}

/// Rows of wanted variables: time, then values.
pub struct Table {
    pub rows: Rows,
    pub run: QssRun,
}

pub fn experiment(model: &CompiledModel, stop: f64, tolerance: f64, points: usize) -> Experiment {
    let mut e = Experiment::of(model);
    e.stop = stop;
    e.tolerance = tolerance;
    e.interval = stop / points as f64;
    e
}

/// Half-wave rectifier: 10 V, 50 Hz, 1 Ω, ideal diode with a knee of 0.7 V, 1 mF, 100 Ω.
pub const HALF_WAVE: &str = "
model M Real v(start = 0, fixed = true); Real s(start = -1), u, i; Boolean off;
equation off = s < 0;
  u = s*(if off then 1 else 1e-5) + 0.7; i = s*(if off then 1e-5 else 1) + 1e-5*0.7;
  10*sin(2*3.14159265358979323846*50*time) = i + u + v;
  1e-3*der(v) = i - v/100; end M;";

type Rows = Vec<(f64, Vec<f64>)>;

/// The rows, and how the run ended.
pub fn try_with(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    method: &str,
    names: &[&str],
) -> (Rows, Result<QssRun, SimError>) {
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
    (rows, done)
}

/// A run that must come to its end.
pub fn run_with(
    model: &Arc<CompiledModel>,
    experiment: &Experiment,
    method: &str,
    names: &[&str],
) -> Table {
    match try_with(model, experiment, method, names) {
        (rows, Ok(run)) => Table { rows, run },
        (_, Err(e)) => panic!("{method}: {e}"),
    }
}
