//! What one page of a browser works on. Pages do not see each other.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ferrica::options::ModelOptions;
use ferrica::stages::pipeline::{self, Loaded};
use ferrica::stages::report::Report;
use ferrica::stages::stats::Stats;
use ferrica::{Diagnostic, Experiment, Model, Role, Run};
use ferrica_ir::SourceMap;
use ferrica_syntax::ast::ClassKind;
use serde_json::{Value, json};

use crate::Options;

/// Runs that are kept for overlays and export.
const RUNS: usize = 12;

#[derive(Default)]
pub struct Tab {
    inner: Mutex<Inner>,
    /// Set to end the run that is going on.
    stop: Mutex<Arc<AtomicBool>>,
    /// Inputs that were set since a run along the clock has looked.
    arriving: Mutex<Vec<(String, f64)>>,
}

#[derive(Default)]
struct Inner {
    good: Option<Good>,
    runs: VecDeque<(u64, Arc<Run>)>,
    last_run: u64,
}

/// The last text that could be compiled.
#[derive(Clone)]
pub struct Good {
    pub model: Model,
    pub loaded: Arc<Loaded>,
    /// Numbers of a row.
    pub width: usize,
    /// Top-level inputs.
    pub inputs: HashSet<String>,
}

/// Messages come with the model.
struct Silent(Arc<SourceMap>);

impl Report for Silent {
    fn sources(&self) -> Arc<SourceMap> {
        Arc::clone(&self.0)
    }

    fn diagnostics(&mut self, _: &[ferrica_ir::Diagnostic]) {}
}

impl Tab {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn good(&self) -> Option<Good> {
        self.lock().good.clone()
    }

    /// Compiles a text, or without one the class that was asked for; the last good model stays if that fails.
    pub fn check(&self, options: &Options, text: Option<&str>, model: Option<&str>) -> Value {
        let mut wanted = ModelOptions {
            file: options.file.clone(),
            model: model.map(str::to_owned).or(options.model.clone()),
            libs: options.libs.clone(),
            allow_external: options.allow_external,
            quiet: true,
            ..ModelOptions::default()
        };
        wanted.text = text.map(str::to_owned);
        let compiled = ferrica::ModelBuilder::from(wanted.clone()).load();
        let own = options.file.as_ref().map(|f| f.display().to_string());
        let own = own.unwrap_or_else(|| "<text>".to_owned());
        let model = match compiled {
            Ok(model) => model,
            Err(error) => {
                let list = error.diagnostics().iter();
                let list: Vec<Value> = list.map(|d| shown(d, &own)).collect();
                let list = match list.is_empty() {
                    true => vec![
                        json!({"error": true, "code": error.code(), "message": error.to_string()}),
                    ],
                    false => list,
                };
                return json!({"ok": false, "diagnostics": list});
            }
        };
        let mut silent = Silent(Arc::default());
        let Ok(loaded) = pipeline::load(&wanted, &mut silent, &mut Stats::default()) else {
            return json!({"ok": false, "diagnostics": []});
        };
        let answer = describe(&model, &loaded, &own, text);
        let inputs = model.inputs().into_iter().map(|v| v.name).collect();
        self.lock().good = Some(Good {
            inputs,
            width: model.variables().len(),
            model,
            loaded: Arc::new(loaded),
        });
        answer
    }

    pub fn keep(&self, run: Arc<Run>) -> u64 {
        let mut inner = self.lock();
        inner.last_run += 1;
        let id = inner.last_run;
        inner.runs.push_back((id, run));
        if inner.runs.len() > RUNS {
            inner.runs.pop_front();
        }
        id
    }

    pub fn run(&self, id: u64) -> Option<Arc<Run>> {
        let inner = self.lock();
        let found = inner.runs.iter().find(|(k, _)| *k == id);
        found.map(|(_, run)| Arc::clone(run))
    }

    /// An input for the run along the clock.
    pub fn set_input(&self, name: &str, value: Option<f64>) -> Value {
        let is_one = self
            .lock()
            .good
            .as_ref()
            .is_some_and(|g| g.inputs.contains(name));
        let Some(value) = value.filter(|v| v.is_finite() && is_one) else {
            return json!({"failed": {"message": format!("`{name}` is no input, or this is no value for it")}});
        };
        let mut list = self.arriving.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|(n, _)| n != name);
        list.push((name.to_owned(), value));
        json!({})
    }

    /// What has been set since the last time.
    pub fn inputs(&self) -> Vec<(String, f64)> {
        std::mem::take(&mut *self.arriving.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn forget_inputs(&self) {
        self.inputs();
    }

    /// A new run ends the one before it.
    pub fn begin(&self) -> Arc<AtomicBool> {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        stop.store(true, Ordering::Relaxed);
        *stop = Arc::default();
        Arc::clone(&stop)
    }

    pub fn end(&self) {
        let stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        stop.store(true, Ordering::Relaxed);
    }
}

fn shown(d: &Diagnostic, own: &str) -> Value {
    json!({
        "error": d.is_error,
        "code": d.code,
        "message": d.message,
        "hint": d.hint,
        "line": d.line.filter(|_| d.file.as_deref() == Some(own)),
        "column": d.column.filter(|_| d.file.as_deref() == Some(own)),
        "file": d.file,
    })
}

fn describe(model: &Model, loaded: &Loaded, own: &str, text: Option<&str>) -> Value {
    let of = |v: &ferrica::Variable| json!({"name": v.name, "unit": ferrica_draw::pretty(&v.unit), "description": v.description, "value": v.value});
    let variables = model.variables();
    let declared = model.declared_parameters();
    let is_parameter = |v: &&ferrica::Variable| declared.contains(v.name.as_str());
    let parameters: Vec<Value> = variables.iter().filter(is_parameter).map(of).collect();
    let inputs = with_start(model);
    let others: Vec<Value> = variables
        .iter()
        .filter(|v| !is_parameter(v))
        .map(of)
        .collect();
    let points = model
        .output_points(&Experiment::default())
        .unwrap_or_default();
    let warnings: Vec<Value> = model.diagnostics().iter().map(|d| shown(d, own)).collect();
    let states: Vec<&str> = variables
        .iter()
        .filter(|v| v.role == Role::State)
        .map(|v| v.name.as_str())
        .collect();
    json!({
        "ok": true,
        "model": model.name(),
        "models": text.map(|_| models(loaded)),
        "diagnostics": warnings,
        "parameters": parameters,
        "inputs": inputs.iter().map(of).collect::<Vec<_>>(),
        "variables": others,
        "states": states,
        "start": points.first(),
        "stop": points.last(),
    })
}

/// The top-level inputs with the values that they begin with.
fn with_start(model: &Model) -> Vec<ferrica::Variable> {
    let mut inputs = model.inputs();
    if inputs.is_empty() {
        return inputs;
    }
    // A model that cannot begin says so when it is run.
    if let Ok(begun) = model.start(&Experiment::default()) {
        for input in &mut inputs {
            input.value = begun.get(&input.name).ok();
        }
    }
    inputs
}

/// The models at the top of the user's text, and in its packages.
fn models(loaded: &Loaded) -> Vec<String> {
    let library = &loaded.library;
    let file = library.def(loaded.class).name_span.file;
    let mut found = Vec::new();
    let mut open: Vec<_> = library
        .root_names()
        .into_iter()
        .filter_map(|n| library.root_class(n))
        .filter(|c| library.def(*c).name_span.file == file)
        .collect();
    while let Some(class) = open.pop() {
        let def = library.def(class);
        let runs = matches!(
            def.kind,
            ClassKind::Model | ClassKind::Block | ClassKind::Class
        );
        if runs && !def.partial {
            found.push(library.full_name(class));
        }
        if def.kind == ClassKind::Package {
            open.extend(library.children(class));
        }
    }
    found.sort();
    found
}
