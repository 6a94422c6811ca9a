//! Fingerprints: is this the run that stored results came from?
//!
//! A fingerprint is a hash of all that decides the rows of a run: the texts that were read for the model, the values
//! set with `-p`, files with data that the model names, the experiment, the solver with its settings, and the
//! layout that this build gives the model. A comment that has changed makes another fingerprint: a refused resume costs a
//! run, an accepted one with other equations costs the result.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use ferrica_codegen::CompiledModel;
use ferrica_ir::SourceMap;

use crate::options::{Assignment, SolverOptions};
use crate::stages::grid::Grid;
use crate::stages::pipeline::{self, Compiled};

/// Data files beyond this size count by their size and time of change.
const MAX_READ: u64 = 1 << 28;

/// Of the texts that a model is made of and the values given for it.
pub fn of_texts(sources: &SourceMap, params: &[Assignment]) -> u64 {
    let mut texts = sources.texts();
    // Those follow from the values.
    texts.retain(|(name, _)| name != pipeline::COMMAND_LINE);
    texts.sort_unstable();
    let mut h = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut h);
    texts.hash(&mut h);
    for p in params {
        (&p.name, &p.value).hash(&mut h);
    }
    h.finish()
}

/// Of a run.
pub fn of_run(compiled: &Compiled, experiment: &Grid, solver: &SolverOptions) -> u64 {
    let mut h = DefaultHasher::new();
    (&compiled.name, compiled.texts).hash(&mut h);
    of_layout(&compiled.model, &mut h);
    data_files(&compiled.model, &mut h);
    for (name, value) in &compiled.values {
        (name, value.to_bits()).hash(&mut h);
    }
    let times = [
        experiment.start,
        experiment.stop,
        experiment.interval,
        experiment.tolerance,
    ];
    times.map(f64::to_bits).hash(&mut h);
    of_solver(solver).hash(&mut h);
    h.finish()
}

/// Of the settings that have a say in the numbers.
pub fn of_solver(solver: &SolverOptions) -> u64 {
    let mut counted = solver.clone();
    // Any number of threads gives the same rows; clocks and pictures only watch.
    counted.threads = None;
    counted.real_time.realtime = false;
    counted.real_time.stage_times = false;
    counted.real_time.latency_plot = None;
    let mut h = DefaultHasher::new();
    format!("{counted:?}").hash(&mut h);
    h.finish()
}

fn of_layout(model: &CompiledModel, h: &mut DefaultHasher) {
    model.slot_count().hash(h);
    for slot in 0..model.slot_count() as u32 {
        model.var_name(slot).hash(h);
    }
    for value in &model.layout.initial {
        value.to_bits().hash(h);
    }
}

/// Of the files with data that the model names.
pub fn of_data(model: &CompiledModel) -> u64 {
    let mut h = DefaultHasher::new();
    data_files(model, &mut h);
    h.finish()
}

/// What is in the files that texts of the model name.
fn data_files(model: &CompiledModel, h: &mut DefaultHasher) {
    for text in model.source.exprs.strings() {
        let name = Path::new(text.strip_prefix("file://").unwrap_or(text));
        let folder = model.functions.natives.folder.as_deref();
        let beside = folder.map(|f| f.join(name)).filter(|p| p.is_file());
        let path = beside.as_deref().unwrap_or(name);
        let Ok(about) = fs::metadata(path) else {
            continue;
        };
        if !about.is_file() {
            continue;
        }
        text.hash(h);
        let small = about.len() <= MAX_READ;
        match small.then(|| fs::read(path)) {
            Some(Ok(bytes)) => bytes.hash(h),
            _ => (about.len(), about.modified().ok()).hash(h),
        }
    }
}
