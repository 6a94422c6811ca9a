//! A run that is led from outside.

use std::sync::{Mutex, PoisonError};

use ferrica::{Error, Experiment, Saved};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::OrRaise;
use crate::signals::Raised;

#[pyclass(frozen)]
pub struct Stepper {
    inner: Mutex<ferrica::Stepper>,
    raised: Raised,
}

impl Stepper {
    pub fn new(py: Python<'_>, model: &ferrica::Model, plan: &Experiment) -> PyResult<Stepper> {
        let raised = Raised::default();
        let experiment = raised.watch(plan.clone());
        let inner = py.detach(|| model.start(&experiment)).or_raise(py)?;
        Ok(Stepper {
            inner: Mutex::new(inner),
            raised,
        })
    }

    fn with<T>(
        &self,
        act: impl FnOnce(&mut ferrica::Stepper) -> Result<T, Error>,
    ) -> Result<T, Error> {
        act(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Stepper {
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(|s| Ok(s.time())).or_raise(py)
    }

    fn inputs(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(|s| Ok(s.inputs())).or_raise(py)
    }

    fn get(&self, py: Python<'_>, name: &str) -> PyResult<f64> {
        self.with(|s| s.get(name)).or_raise(py)
    }

    fn set(&self, py: Python<'_>, name: &str, value: f64) -> PyResult<()> {
        self.with(|s| s.set(name, value)).or_raise(py)
    }

    fn step_to(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        let done = py.detach(|| self.with(|s| s.step_to(time)));
        match self.raised.take() {
            Some(e) => Err(e),
            None => done.or_raise(py),
        }
    }

    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(|s| Ok(s.save().to_bytes())).or_raise(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn load(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let saved = Saved::from_bytes(state).or_raise(py)?;
        self.with(|s| s.load(&saved)).or_raise(py)
    }
}
