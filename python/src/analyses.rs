//! Operating points, sensitivities, fits.

use std::sync::Arc;

use ferrica::results::plot::to_svg;
use ferrica::{Measured, Spectrum, Unknown, Window, pictures};
use pyo3::prelude::*;

use crate::errors::{Message, OrRaise, exception, messages};
use crate::plan::{Input, Plan};
use crate::run::Column;
use crate::signals::Raised;

/// Time, states, all variables, method, steps.
pub type Point = (
    f64,
    Vec<(String, f64)>,
    Vec<(String, f64)>,
    &'static str,
    usize,
);

pub fn steady_state(
    py: Python<'_>,
    model: &ferrica::Model,
    plan: &Plan,
    inputs: Vec<Input>,
    free: &[String],
) -> PyResult<Point> {
    let raised = Raised::default();
    let experiment = raised.watch(plan.with(py, inputs)?);
    let free: Vec<&str> = free.iter().map(String::as_str).collect();
    let point = py.detach(|| model.steady_state(&experiment, &free));
    if let Some(e) = raised.take() {
        return Err(e);
    }
    let p = point.or_raise(py)?;
    Ok((p.time, p.states, p.variables, p.method, p.iterations))
}

#[pyclass(frozen)]
pub struct Sensitivities {
    inner: Arc<ferrica::Sensitivities>,
}

impl Sensitivities {
    pub fn new(
        py: Python<'_>,
        model: &ferrica::Model,
        names: (&[String], &[String]),
        plan: &Plan,
        inputs: Vec<Input>,
    ) -> PyResult<Sensitivities> {
        let raised = Raised::default();
        let experiment = raised.watch(plan.with(py, inputs)?);
        let of: Vec<&str> = names.0.iter().map(String::as_str).collect();
        let to: Vec<&str> = names.1.iter().map(String::as_str).collect();
        let found = py.detach(|| model.sensitivities(&of, &to, &experiment));
        if let Some(e) = raised.take() {
            return Err(e);
        }
        let inner = Arc::new(found.or_raise(py)?);
        Ok(Sensitivities { inner })
    }

    fn column(&self, values: &[f64]) -> Column {
        Column::of(Arc::clone(&self.inner) as _, values)
    }
}

#[pymethods]
impl Sensitivities {
    fn time(&self) -> Column {
        self.column(&self.inner.time)
    }

    fn of(&self) -> Vec<String> {
        self.inner.of.clone()
    }

    fn to(&self) -> Vec<String> {
        self.inner.to.clone()
    }

    fn values(&self, of: usize) -> Column {
        self.column(&self.inner.values[of])
    }

    fn derivatives(&self, of: usize, to: usize) -> Column {
        self.column(&self.inner.derivatives[of][to])
    }

    fn ranking(&self) -> Vec<(String, String, f64, f64)> {
        let rows = self.inner.ranking().into_iter();
        rows.map(|r| (r.of, r.to, r.relative, r.largest)).collect()
    }

    fn diagnostics(&self) -> Vec<Message> {
        messages(&self.inner.diagnostics)
    }

    fn at(&self) -> Vec<f64> {
        self.inner.at.clone()
    }
}

/// Times, names of variables and of what is varied, its values; for each variable and each parameter the derivatives.
type Derivatives = (
    Vec<f64>,
    Vec<String>,
    Vec<String>,
    Vec<f64>,
    Vec<Vec<Vec<f64>>>,
);

/// Sensitivities as a picture.
#[pyfunction]
pub fn draw_sensitivities(py: Python<'_>, given: Derivatives) -> String {
    let (time, of, to, at, derivatives) = given;
    let found = ferrica::Sensitivities {
        time,
        of,
        to,
        at,
        derivatives,
        ..ferrica::Sensitivities::default()
    };
    py.detach(|| to_svg(&pictures::sensitivities(&found)))
}

/// Amplitudes over frequency as a picture.
#[pyfunction]
pub fn draw_spectrum(
    py: Python<'_>,
    name: &str,
    frequency: Vec<f64>,
    amplitude: Vec<f64>,
) -> String {
    let found = Spectrum {
        frequency,
        amplitude,
        ..Spectrum::default()
    };
    py.detach(|| to_svg(&pictures::spectrum(name, &found)))
}

/// Times, then names and values.
pub type Data = (Vec<f64>, Vec<(String, Vec<f64>)>);

/// Estimates, deviation before and after, iterations, whether the search came to its end, correlation, indistinct parameters, and a picture of each set of measurements.
pub type Fitted = (
    Vec<(String, f64, f64, bool)>,
    f64,
    f64,
    usize,
    bool,
    Vec<Vec<f64>>,
    Vec<Vec<String>>,
    Vec<String>,
);

pub fn fit(
    py: Python<'_>,
    model: &ferrica::Model,
    data: Vec<Data>,
    unknowns: Vec<(String, f64, f64)>,
    plan: &Plan,
    hold: bool,
) -> PyResult<Fitted> {
    let measured = |(time, columns): Data| Measured {
        time,
        columns,
        hold,
    };
    let data: Vec<Measured> = data.into_iter().map(measured).collect();
    let unknowns: Vec<Unknown> = (unknowns.into_iter())
        .map(|(name, low, high)| Unknown { name, low, high })
        .collect();
    let raised = Raised::default();
    let experiment = raised.watch(plan.experiment.clone());
    let found = py.detach(|| {
        let found = model.fit(&data, &unknowns, &experiment)?;
        let drawn = data
            .iter()
            .map(|d| pictures::fit(model, d, &found, &experiment));
        let drawn = drawn.map(|figure| Ok(to_svg(&figure?)));
        let drawn = drawn.collect::<Result<Vec<String>, ferrica::Error>>()?;
        Ok((found, drawn))
    });
    if let Some(e) = raised.take() {
        return Err(e);
    }
    let (f, drawn) = found.map_err(|e: ferrica::Error| exception(py, &e))?;
    let estimates = f.estimates.into_iter();
    let estimates = estimates.map(|e| (e.name, e.value, e.error, e.at_bound));
    Ok((
        estimates.collect(),
        f.before,
        f.after,
        f.iterations,
        f.converged,
        f.correlation,
        f.indistinct,
        drawn,
    ))
}

/// Frequencies, amplitudes, fundamental, harmonics, distortion.
pub type Frequencies = (Vec<f64>, Vec<f64>, f64, Vec<f64>, f64);

/// What frequencies a trajectory has.
#[pyfunction]
pub fn spectrum(
    py: Python<'_>,
    time: Vec<f64>,
    values: Vec<f64>,
    window: &str,
    fundamental: Option<f64>,
) -> PyResult<Frequencies> {
    // Python has looked whether the name is one of `windows`.
    let window = Window::from_word(window).unwrap_or_default();
    let s = py.detach(|| Spectrum::new(&time, &values, window, fundamental));
    let s = s.or_raise(py)?;
    Ok((
        s.frequency,
        s.amplitude,
        s.fundamental,
        s.harmonics,
        s.distortion,
    ))
}

/// The names of all windows.
#[pyfunction]
pub fn windows() -> Vec<&'static str> {
    Window::WORDS.iter().map(|w| w.0).collect()
}
