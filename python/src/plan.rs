//! An experiment.

use ferrica::{Experiment, Signal};
use pyo3::prelude::*;

use crate::errors::OrRaise;

/// Name, times, values, and whether a value stays until the next one; no times: a constant.
pub type Input = (String, Vec<f64>, Vec<f64>, bool);

#[pyclass(frozen)]
pub struct Plan {
    pub experiment: Experiment,
}

#[pymethods]
impl Plan {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        start: Option<f64>,
        stop: Option<f64>,
        tol: Option<f64>,
        interval: Option<f64>,
        points: Option<usize>,
        solver: Option<&str>,
        step: Option<f64>,
        vars: Vec<String>,
        event_rows: bool,
    ) -> PyResult<Plan> {
        let mut e = Experiment::default().event_rows(event_rows).keep(vars);
        if let Some(start) = start {
            e = e.start(start);
        }
        if let Some(stop) = stop {
            e = e.stop(stop);
        }
        if let Some(tol) = tol {
            e = e.tolerance(tol);
        }
        if let Some(points) = points {
            e = e.points(points);
        }
        if let Some(interval) = interval {
            e = e.interval(interval);
        }
        if let Some(solver) = solver {
            e = e.solver(solver).or_raise(py)?;
        }
        if let Some(step) = step {
            e = e.step(step);
        }
        Ok(Plan { experiment: e })
    }
}

impl Plan {
    /// The experiment with these inputs.
    pub fn with(&self, py: Python<'_>, inputs: Vec<Input>) -> PyResult<Experiment> {
        let mut experiment = self.experiment.clone();
        for (name, times, values, hold) in inputs {
            let signal = match (times.as_slice(), values.as_slice()) {
                ([], [value]) => Signal::Constant(*value),
                _ if hold => Signal::hold(times, values).or_raise(py)?,
                _ => Signal::linear(times, values).or_raise(py)?,
            };
            experiment = experiment.input(name, signal);
        }
        Ok(experiment)
    }
}
