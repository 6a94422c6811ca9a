//! A compiled model.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ferrica::{Error, Experiment, Role, Value};
use ferrica_fmi::{FmuOptions, Version};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::analyses;
use crate::errors::{Message, OrRaise, exception, messages};
use crate::linear;
use crate::plan::{Input, Plan};
use crate::run::Run;
use crate::signals::{LOOK_EVERY, Raised};
use crate::stepper::Stepper;

#[pyclass(frozen)]
pub struct Model {
    inner: ferrica::Model,
}

/// Names and values of a dictionary.
fn values(dict: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Value)>> {
    let mut list = Vec::new();
    for (name, value) in dict {
        let name: String = name.extract()?;
        // Those of numpy are truth values too, though they have `__float__`.
        let value = if let Ok(truth) = value.extract::<bool>() {
            Value::Boolean(truth)
        } else if value.is_instance_of::<PyString>() {
            Value::Literal(value.extract()?)
        } else if let Ok(number) = value.extract::<f64>() {
            Value::Real(number)
        } else {
            let text = format!("`{name}`: a number, a truth value or a text is needed");
            return Err(PyTypeError::new_err(text));
        };
        list.push((name, value));
    }
    Ok(list)
}

fn changed(model: &ferrica::Model, values: &[(String, Value)]) -> Result<ferrica::Model, Error> {
    let mut model = model.clone();
    for (name, value) in values {
        model = model.set(name, value.clone())?;
    }
    Ok(model)
}

/// File, text, model, libraries, values, external code: the arguments of the constructor.
type Recipe<'py> = (
    Option<String>,
    Option<String>,
    Option<String>,
    Vec<String>,
    Bound<'py, PyDict>,
    bool,
);

/// The value of a parameter.
#[derive(IntoPyObject)]
pub enum Known {
    Number(f64),
    Text(String),
}

/// Name, unit, description, role, whether it is an output, value.
pub type Listed = (String, String, String, &'static str, bool, Option<Known>);

fn listed(v: ferrica::Variable) -> Listed {
    let role = match v.role {
        Role::Parameter => "parameter",
        Role::State => "state",
        Role::Continuous => "continuous",
        Role::Discrete => "discrete",
        Role::Input => "input",
    };
    let value = v.value.map(Known::Number).or(v.text.map(Known::Text));
    (v.name, v.unit, v.description, role, v.is_output, value)
}

#[pymethods]
impl Model {
    #[new]
    fn new(
        py: Python<'_>,
        file: Option<String>,
        text: Option<String>,
        model: Option<String>,
        libs: Vec<String>,
        params: &Bound<'_, PyDict>,
        allow_external: bool,
    ) -> PyResult<Model> {
        let mut builder = ferrica::Model::builder().allow_external(allow_external);
        if let Some(file) = file {
            builder = builder.file(file);
        }
        if let Some(text) = text {
            builder = builder.text(text);
        }
        if let Some(model) = model {
            builder = builder.model(model);
        }
        for folder in libs {
            builder = builder.library(folder);
        }
        for (name, value) in values(params)? {
            builder = builder.set(&name, value);
        }
        let inner = py.detach(|| builder.load()).or_raise(py)?;
        Ok(Model { inner })
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn variables(&self) -> Vec<Listed> {
        self.inner.variables().into_iter().map(listed).collect()
    }

    fn parameters(&self) -> Vec<Listed> {
        self.inner.parameters().into_iter().map(listed).collect()
    }

    fn inputs(&self) -> Vec<String> {
        self.inner.inputs().into_iter().map(|v| v.name).collect()
    }

    fn states(&self) -> Vec<String> {
        self.inner.states().into_iter().map(|v| v.name).collect()
    }

    fn diagnostics(&self) -> Vec<Message> {
        messages(self.inner.diagnostics())
    }

    fn flat(&self) -> String {
        self.inner.flat_text()
    }

    fn set(&self, py: Python<'_>, params: &Bound<'_, PyDict>) -> PyResult<Model> {
        let values = values(params)?;
        let inner = py.detach(|| changed(&self.inner, &values)).or_raise(py)?;
        Ok(Model { inner })
    }

    fn recipe<'py>(&self, py: Python<'py>) -> PyResult<Recipe<'py>> {
        let recipe = self.inner.recipe();
        let options = recipe.options();
        let text = |p: &std::path::PathBuf| p.display().to_string();
        let params = PyDict::new(py);
        for p in &options.params {
            params.set_item(&p.name, &p.value)?;
        }
        Ok((
            options.file.as_ref().map(text),
            options.text.clone(),
            options.model.clone(),
            options.libs.iter().map(text).collect(),
            params,
            options.allow_external,
        ))
    }

    fn output_points(&self, py: Python<'_>, plan: &Plan) -> PyResult<Vec<f64>> {
        self.inner.output_points(&plan.experiment).or_raise(py)
    }

    fn simulate(&self, py: Python<'_>, plan: &Plan, inputs: Vec<Input>) -> PyResult<Run> {
        let raised = Raised::default();
        let experiment = raised.watch(plan.with(py, inputs)?);
        let run = py.detach(|| self.inner.simulate(&experiment));
        match raised.take() {
            Some(e) => Err(e),
            None => Ok(Run::new(run.or_raise(py)?)),
        }
    }

    /// Runs or exceptions, one for each set of values.
    fn batch(
        &self,
        py: Python<'_>,
        sets: Vec<Bound<'_, PyDict>>,
        plan: &Plan,
        inputs: Vec<Input>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let sets = sets.iter().map(values).collect::<PyResult<Vec<_>>>()?;
        let stop = Arc::new(AtomicBool::new(false));
        let experiment = plan.with(py, inputs)?.stop_when(Arc::clone(&stop));
        let mut tell = |done: usize| {
            Python::attach(|py| {
                py.check_signals()?;
                match &progress {
                    Some(f) => f.call1(py, (done, sets.len())).map(|_| ()),
                    None => Ok(()),
                }
            })
        };
        let runs =
            py.detach(|| march(&self.inner, &sets, &experiment, threads, &stop, &mut tell))?;
        let of = |run: Result<ferrica::Run, Error>| match run {
            Ok(run) => Ok(Py::new(py, Run::new(run))?.into_any()),
            Err(e) => Ok(exception(py, &e).into_value(py).into_any()),
        };
        runs.into_iter().map(of).collect()
    }

    /// Picture, graph and report.
    fn bond_graph(&self, py: Python<'_>) -> PyResult<(String, String, String)> {
        let graph = py.detach(|| self.inner.bond_graph()).or_raise(py)?;
        Ok((graph.svg, graph.dot, graph.report))
    }

    /// The diagram as SVG.
    fn diagram(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.inner.diagram()).or_raise(py)
    }

    /// The bytes of an FMU of this version and kind.
    fn fmu<'py>(
        &self,
        py: Python<'py>,
        plan: &Plan,
        version: u8,
        kind: &str,
        black_box: bool,
        shown: Vec<String>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let options = FmuOptions {
            version: match version {
                2 => Version::Fmi2,
                _ => Version::Fmi3,
            },
            exchange: kind != "cs",
            steps: kind != "me",
            black_box,
            shown,
            ..FmuOptions::default()
        };
        let made = py.detach(|| ferrica_fmi::of_model(&self.inner, &plan.experiment, &options));
        Ok(PyBytes::new(py, &made.or_raise(py)?))
    }

    fn steady_state(
        &self,
        py: Python<'_>,
        plan: &Plan,
        inputs: Vec<Input>,
        free: Vec<String>,
    ) -> PyResult<analyses::Point> {
        analyses::steady_state(py, &self.inner, plan, inputs, &free)
    }

    fn sensitivities(
        &self,
        py: Python<'_>,
        of: Vec<String>,
        to: Vec<String>,
        plan: &Plan,
        inputs: Vec<Input>,
    ) -> PyResult<analyses::Sensitivities> {
        analyses::Sensitivities::new(py, &self.inner, (&of, &to), plan, inputs)
    }

    fn fit(
        &self,
        py: Python<'_>,
        data: Vec<analyses::Data>,
        unknowns: Vec<(String, f64, f64)>,
        plan: &Plan,
        hold: bool,
    ) -> PyResult<analyses::Fitted> {
        analyses::fit(py, &self.inner, data, unknowns, plan, hold)
    }

    fn linearize(
        &self,
        py: Python<'_>,
        at: Option<Vec<f64>>,
        inputs: Option<Vec<String>>,
        outputs: Option<Vec<String>>,
        plan: &Plan,
        values: Vec<Input>,
    ) -> PyResult<Vec<linear::Parts>> {
        linear::linearize(py, &self.inner, at, (inputs, outputs), plan, values)
    }

    fn stepper(&self, py: Python<'_>, plan: &Plan) -> PyResult<Stepper> {
        Stepper::new(py, &self.inner, &plan.experiment)
    }

    fn __repr__(&self) -> String {
        format!("<{:?}>", self.inner)
    }
}

/// All runs on threads; the caller's thread tells how far they are and hears of signals.
fn march(
    model: &ferrica::Model,
    sets: &[Vec<(String, Value)>],
    experiment: &Experiment,
    threads: Option<usize>,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(usize) -> PyResult<()>,
) -> PyResult<Vec<Result<ferrica::Run, Error>>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or(cores).clamp(1, sets.len().max(1));
    let next = AtomicUsize::new(0);
    let runs = Mutex::new(Vec::with_capacity(sets.len()));
    let done = || runs.lock().unwrap_or_else(PoisonError::into_inner).len();
    let told = std::thread::scope(|scope| {
        let work = || {
            while let Some(k) =
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&k| k < sets.len())
            {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let run = changed(model, &sets[k]).and_then(|m| m.simulate(experiment));
                let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
                runs.push((k, run));
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut last = std::time::Instant::now();
        while workers.iter().any(|w| !w.is_finished()) {
            std::thread::park_timeout(std::time::Duration::from_millis(1));
            if last.elapsed() < LOOK_EVERY {
                continue;
            }
            last = std::time::Instant::now();
            if let Err(e) = tell(done()) {
                stop.store(true, Ordering::Relaxed);
                return Err(e);
            }
        }
        Ok(())
    });
    told?;
    tell(done())?;
    let mut runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
    runs.sort_by_key(|(k, _)| *k);
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}
