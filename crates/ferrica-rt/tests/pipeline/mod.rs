//! Modelica text to a compiled model and a run, for tests.
#![allow(dead_code)]

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Form};
use ferrica_rt::{RtOptions, RtRun, simulate};
use ferrica_sim::{Experiment, SimError};

#[path = "../../../../tests/support/compile.rs"]
mod text;

pub fn compile(text: &str) -> Arc<CompiledModel> {
    let options = CompileOptions {
        form: Form::Dae,
        ..CompileOptions::default()
    };
    text::compile_with(text, &options)
}

/// Rows of wanted variables, and how the run ended.
pub struct Table {
    pub rows: Vec<(f64, Vec<f64>)>,
    pub end: Result<RtRun, SimError>,
}

impl Table {
    pub fn run(&self) -> &RtRun {
        match &self.end {
            Ok(run) => run,
            Err(e) => panic!("{e}"),
        }
    }

    /// Values at the end.
    pub fn last(&self) -> &[f64] {
        self.run();
        &self.rows.last().expect("rows").1
    }
}

pub fn run(
    model: &Arc<CompiledModel>,
    options: &RtOptions,
    stop: f64,
    step: f64,
    interval: f64,
    names: &[&str],
) -> Table {
    let mut experiment = Experiment::of(model);
    experiment.stop = stop;
    experiment.step = Some(step);
    experiment.interval = interval;
    let places: Vec<(u32, bool)> = names
        .iter()
        .map(|n| model.find(n).unwrap_or_else(|| panic!("no variable {n}")))
        .collect();
    let mut rows = Vec::new();
    let end = simulate(model, &experiment, options, &mut |t: f64, slots: &[f64]| {
        let value = |&(s, negated): &(u32, bool)| {
            let v = slots[s as usize];
            if negated { -v } else { v }
        };
        rows.push((t, places.iter().map(value).collect()));
    });
    Table { rows, end }
}
