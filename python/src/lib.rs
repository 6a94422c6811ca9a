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

use ferrica::options::Assignment;
use ferrica::study::Axes;
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
    module.add_function(wrap_pyfunction!(analyses::spectrum, module)?)?;
    module.add_function(wrap_pyfunction!(analyses::windows, module)?)?;
    module.add_function(wrap_pyfunction!(analyses::draw_sensitivities, module)?)?;
    module.add_function(wrap_pyfunction!(analyses::draw_spectrum, module)?)?;
    module.add_function(wrap_pyfunction!(draw, module)?)?;
    module.add_function(wrap_pyfunction!(run::bands, module)?)?;
    module.add_function(wrap_pyfunction!(linear::bode, module)?)?;
    module.add_function(wrap_pyfunction!(linear::poles_and_zeros, module)?)?;
    module.add_function(wrap_pyfunction!(linear::zeros, module)?)?;
    Ok(())
}

/// The names of all solvers.
#[pyfunction]
fn solvers() -> Vec<&'static str> {
    ferrica::solvers().collect()
}

/// Names and values of the parameters of each run of a study.
#[pyfunction]
fn draw(
    py: Python<'_>,
    params: Vec<(String, String)>,
    samples: usize,
    seed: u64,
) -> PyResult<Vec<Vec<(String, String)>>> {
    let written: Vec<Assignment> = (params.into_iter())
        .map(|(name, value)| Assignment { name, value })
        .collect();
    let axes = Axes::new(&written, samples, seed).map_err(|e| errors::usage(py, e))?;
    let run = |k| {
        let values = axes.values_of(k).into_iter();
        values.map(|a| (a.name, a.value)).collect()
    };
    Ok((0..axes.count()).map(run).collect())
}
