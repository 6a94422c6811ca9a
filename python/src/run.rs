//! The result of a run; its columns are memory that numpy looks at.

use std::any::Any;
use std::sync::Arc;

use ferrica::pictures;
use ferrica::results::plot::to_svg;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrow;
use crate::errors::{Message, OrRaise, messages};

#[pyclass(frozen)]
pub struct Run {
    inner: Arc<ferrica::Run>,
}

impl Run {
    pub fn new(run: ferrica::Run) -> Run {
        Run {
            inner: Arc::new(run),
        }
    }
}

/// Numbers in a row. What they belong to lives as long as somebody looks at them.
#[pyclass(frozen)]
pub struct Column {
    /// Keeps the memory alive.
    _owner: Arc<dyn Any + Send + Sync>,
    address: usize,
    length: usize,
}

impl Column {
    /// Of numbers that the owner has and never changes.
    pub fn of(owner: Arc<dyn Any + Send + Sync>, values: &[f64]) -> Column {
        Column {
            address: values.as_ptr() as usize,
            length: values.len(),
            _owner: owner,
        }
    }
}

#[pymethods]
impl Column {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item(
            "typestr",
            if cfg!(target_endian = "little") {
                "<f8"
            } else {
                ">f8"
            },
        )?;
        dict.set_item("shape", (self.length,))?;
        // Read-only: aliases share memory.
        dict.set_item("data", (self.address, true))?;
        Ok(dict)
    }
}

#[pymethods]
impl Run {
    #[getter]
    fn model(&self) -> &str {
        self.inner.model()
    }

    #[getter]
    fn terminated(&self) -> Option<&str> {
        self.inner.terminated()
    }

    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Column> {
        let values = self.inner.get(name).or_raise(py)?;
        Ok(Column::of(Arc::clone(&self.inner) as _, values))
    }

    fn names(&self, pattern: &str) -> Vec<String> {
        self.inner.matching(pattern).map(str::to_owned).collect()
    }

    fn unit(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.inner.unit(name).map(str::to_owned).or_raise(py)
    }

    fn description(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.inner.description(name).map(str::to_owned).or_raise(py)
    }

    fn at(&self, py: Python<'_>, name: &str, time: f64) -> PyResult<f64> {
        self.inner.at(name, time).or_raise(py)
    }

    fn diagnostics(&self) -> Vec<Message> {
        messages(self.inner.diagnostics())
    }

    fn stats(&self) -> String {
        self.inner.stats().to_json()
    }

    fn write(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        py.detach(|| self.inner.write(path)).or_raise(py)
    }

    fn svg(&self, py: Python<'_>, names: Vec<String>) -> PyResult<String> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.inner.svg(&names).or_raise(py)
    }

    fn arrow_stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrow::stream(py, &self.inner)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Run> {
        Ok(Run::new(ferrica::Run::from_bytes(data).or_raise(py)?))
    }

    fn __repr__(&self) -> String {
        format!("<{:?}>", self.inner)
    }
}

/// Bands between quantiles of variables over several runs.
#[pyfunction]
pub fn bands(py: Python<'_>, runs: Vec<PyRef<'_, Run>>, names: Vec<String>) -> PyResult<String> {
    let runs: Vec<Arc<ferrica::Run>> = runs.iter().map(|r| Arc::clone(&r.inner)).collect();
    let figure = py.detach(|| {
        let runs: Vec<&ferrica::Run> = runs.iter().map(Arc::as_ref).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        pictures::bands(&runs, &names)
    });
    Ok(to_svg(&figure.or_raise(py)?))
}
