//! Ferrica for Python: translates Python's objects into the verbs of the `ferrica` crate and back, and holds no numerics.

mod analyses;
mod arrow;
mod errors;
mod linear;
mod model;
mod plan;
mod run;
mod signals;
mod stepper;

use pyo3::prelude::*;

#[pymodule]
fn _ferrica(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<run::Column>()?;
    module.add_class::<stepper::Stepper>()?;
    module.add_class::<analyses::Sensitivities>()?;
    module.add_function(wrap_pyfunction!(solvers, module)?)?;
    Ok(())
}

/// The names of all solvers.
#[pyfunction]
fn solvers() -> Vec<&'static str> {
    ferrica::solvers().collect()
}
