//! Linear models: matrices go over as their entries.

use ferrica::results::plot::to_svg;
use ferrica::{Delays, Linear, Matrix, pictures};
use pyo3::prelude::*;

use crate::errors::{Message, OrRaise, messages};
use crate::plan::{Input, Plan};
use crate::signals::Raised;

/// Rows, columns, and row, column and value of each entry.
pub type Entries = (usize, usize, Vec<usize>, Vec<usize>, Vec<f64>);

fn entries(m: &Matrix) -> Entries {
    let rows = m.entries.iter().map(|e| e.0).collect();
    let columns = m.entries.iter().map(|e| e.1).collect();
    let values = m.entries.iter().map(|e| e.2).collect();
    (m.rows, m.columns, rows, columns, values)
}

/// Of what goes through delays: their times; matrices E, F, G, H, K.
type Delayed = (Vec<f64>, (Entries, Entries, Entries, Entries, Entries));

/// Real and imaginary part, and the states that take part.
pub type Mode = (f64, f64, Vec<(String, f64)>);

/// Time; names of states, inputs, outputs; their values; A, B, C, D; modes, if they are asked for; what is left out; delays.
pub type Parts = (
    f64,
    (Vec<String>, Vec<String>, Vec<String>),
    (Vec<f64>, Vec<f64>, Vec<f64>),
    (Entries, Entries, Entries, Entries),
    Vec<Mode>,
    Vec<Message>,
    Delayed,
);

/// The modes of more states than this are not computed: the time grows with the cube of their number.
const MOST_MODES: usize = 200;

fn strs(list: &Option<Vec<String>>) -> Option<Vec<&str>> {
    let list = list.as_ref()?;
    Some(list.iter().map(String::as_str).collect())
}

/// At times of one run; at its start if there are none.
pub fn linearize(
    py: Python<'_>,
    model: &ferrica::Model,
    at: Option<Vec<f64>>,
    names: (Option<Vec<String>>, Option<Vec<String>>),
    plan: &Plan,
    inputs: Vec<Input>,
) -> PyResult<Vec<Parts>> {
    let raised = Raised::default();
    let experiment = raised.watch(plan.with(py, inputs)?);
    let found = py.detach(|| {
        let (inputs, outputs) = (strs(&names.0), strs(&names.1));
        let (inputs, outputs) = (inputs.as_deref(), outputs.as_deref());
        let points = match &at {
            Some(times) => model.linearize_along(times, inputs, outputs, &experiment)?,
            None => vec![model.linearize(None, inputs, outputs, &experiment)?],
        };
        let with_modes = |linear: Linear| {
            let few = linear.states.len() <= MOST_MODES;
            let modes = few.then(|| linear.modes()).flatten().unwrap_or_default();
            (linear, modes)
        };
        Ok(points.into_iter().map(with_modes).collect::<Vec<_>>())
    });
    if let Some(e) = raised.take() {
        return Err(e);
    }
    let found = found.or_raise(py)?;
    Ok(found.into_iter().map(parts).collect())
}

fn parts((linear, modes): (Linear, Vec<ferrica::Mode>)) -> Parts {
    let Linear {
        time,
        states,
        inputs,
        outputs,
        x,
        u,
        y,
        a,
        b,
        c,
        d,
        delays,
        diagnostics,
    } = linear;
    let Delays {
        times,
        e,
        f,
        g,
        h,
        k,
    } = delays;
    let delayed = (
        entries(&e),
        entries(&f),
        entries(&g),
        entries(&h),
        entries(&k),
    );
    let matrices = (entries(&a), entries(&b), entries(&c), entries(&d));
    let modes = modes.into_iter().map(|m| (m.real, m.imaginary, m.states));
    (
        time,
        (states, inputs, outputs),
        (x, u, y),
        matrices,
        modes.collect(),
        messages(&diagnostics),
        (times, delayed),
    )
}

/// Time, names, matrices and delays of a linear model.
type Given = (
    f64,
    (Vec<String>, Vec<String>, Vec<String>),
    (Entries, Entries, Entries, Entries),
    Delayed,
);

fn matrix((rows, columns, i, j, values): Entries) -> Matrix {
    let entries = i.into_iter().zip(j).zip(values);
    Matrix {
        rows,
        columns,
        entries: entries.map(|((i, j), v)| (i, j, v)).collect(),
    }
}

fn linear((time, names, matrices, (times, delayed)): Given) -> Linear {
    Linear {
        time,
        states: names.0,
        inputs: names.1,
        outputs: names.2,
        a: matrix(matrices.0),
        b: matrix(matrices.1),
        c: matrix(matrices.2),
        d: matrix(matrices.3),
        delays: Delays {
            times,
            e: matrix(delayed.0),
            f: matrix(delayed.1),
            g: matrix(delayed.2),
            h: matrix(delayed.3),
            k: matrix(delayed.4),
        },
        ..Linear::default()
    }
}

/// Amplitude and phase over frequency; nothing without an input and an output.
#[pyfunction]
pub fn bode(py: Python<'_>, given: Vec<Given>) -> Option<String> {
    py.detach(|| {
        let all: Vec<Linear> = given.into_iter().map(linear).collect();
        let figure = pictures::frequency_response(&all.iter().collect::<Vec<_>>());
        figure.as_ref().map(to_svg)
    })
}

/// Eigenvalues, and zeros from each input to each output.
#[pyfunction]
pub fn poles_and_zeros(py: Python<'_>, given: Vec<Given>) -> String {
    py.detach(|| {
        let of = |given| {
            let linear = linear(given);
            let modes = linear.modes().unwrap_or_default();
            (linear, modes)
        };
        let all: Vec<_> = given.into_iter().map(of).collect();
        let all: Vec<_> = all.iter().map(|(l, modes)| (l, modes.as_slice())).collect();
        to_svg(&pictures::poles_and_zeros(&all))
    })
}

/// The zeros from an input to an output; nothing where the output does not depend on the input.
#[pyfunction]
pub fn zeros(py: Python<'_>, given: Given, output: usize, input: usize) -> Option<Vec<(f64, f64)>> {
    py.detach(|| linear(given).zeros(output, input))
}
