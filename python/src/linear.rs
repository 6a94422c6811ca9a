//! Linear models: matrices go over as their entries.

use ferrica::{Linear, Matrix};
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

/// Real and imaginary part, and the states that take part.
pub type Mode = (f64, f64, Vec<(String, f64)>);

/// Time; names of states, inputs, outputs; their values; A, B, C, D; modes, if they are asked for; what is left out.
pub type Parts = (
    f64,
    (Vec<String>, Vec<String>, Vec<String>),
    (Vec<f64>, Vec<f64>, Vec<f64>),
    (Entries, Entries, Entries, Entries),
    Vec<Mode>,
    Vec<Message>,
);

/// The modes of more states than this are not computed: the time grows with the cube of their number.
const MOST_MODES: usize = 200;

fn strs(list: &Option<Vec<String>>) -> Option<Vec<&str>> {
    let list = list.as_ref()?;
    Some(list.iter().map(String::as_str).collect())
}

pub fn linearize(
    py: Python<'_>,
    model: &ferrica::Model,
    at: Option<f64>,
    names: (Option<Vec<String>>, Option<Vec<String>>),
    plan: &Plan,
    inputs: Vec<Input>,
) -> PyResult<Parts> {
    let raised = Raised::default();
    let experiment = raised.watch(plan.with(py, inputs)?);
    let found = py.detach(|| {
        let (inputs, outputs) = (strs(&names.0), strs(&names.1));
        let linear = model.linearize(at, inputs.as_deref(), outputs.as_deref(), &experiment)?;
        let few = linear.states.len() <= MOST_MODES;
        let modes = few.then(|| linear.modes()).flatten().unwrap_or_default();
        Ok((linear, modes))
    });
    if let Some(e) = raised.take() {
        return Err(e);
    }
    let (linear, modes) = found.or_raise(py)?;
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
        diagnostics,
    } = linear;
    let matrices = (entries(&a), entries(&b), entries(&c), entries(&d));
    let modes = modes.into_iter().map(|m| (m.real, m.imaginary, m.states));
    Ok((
        time,
        (states, inputs, outputs),
        (x, u, y),
        matrices,
        modes.collect(),
        messages(&diagnostics),
    ))
}
