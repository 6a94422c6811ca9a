//! Linear models: matrices go over as their entries.

use ferrica::{Linear, Matrix};
use pyo3::prelude::*;

use crate::errors::OrRaise;
use crate::plan::{Input, Plan};

/// Rows, columns, and row, column and value of each entry.
pub type Entries = (usize, usize, Vec<usize>, Vec<usize>, Vec<f64>);

fn entries(m: &Matrix) -> Entries {
    let rows = m.entries.iter().map(|e| e.0).collect();
    let columns = m.entries.iter().map(|e| e.1).collect();
    let values = m.entries.iter().map(|e| e.2).collect();
    (m.rows, m.columns, rows, columns, values)
}

/// Time; names of states, inputs, outputs; their values; A, B, C, D.
pub type Parts = (
    f64,
    (Vec<String>, Vec<String>, Vec<String>),
    (Vec<f64>, Vec<f64>, Vec<f64>),
    (Entries, Entries, Entries, Entries),
);

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
    let experiment = plan.with(py, inputs)?;
    let found = py.detach(|| {
        let (inputs, outputs) = (strs(&names.0), strs(&names.1));
        model.linearize(at, inputs.as_deref(), outputs.as_deref(), &experiment)
    });
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
    } = found.or_raise(py)?;
    let matrices = (entries(&a), entries(&b), entries(&c), entries(&d));
    Ok((time, (states, inputs, outputs), (x, u, y), matrices))
}
