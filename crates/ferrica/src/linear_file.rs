//! Linear models as files: JSON, and MATLAB files of level 4, which MATLAB, Octave and SciPy read.

use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::linearize::{Linear, Matrix};
use crate::modes::Mode;
use crate::results::outputs;
use crate::stages::stats::string;

/// Matrices with more entries than this, zeros included, are written by their entries.
const DENSE: usize = 250_000;

impl Linear {
    /// Writes the matrices, names and values at the point to a file that ends in `.json` or `.mat`; large matrices sparse.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M input Real u; output Real x; equation der(x) = u - x; end M;")?;
    /// let linear = model.linearize(None, None, None, &Experiment::default())?;
    /// let file = std::env::temp_dir().join(format!("ferrica-linear-{}.mat", std::process::id()));
    /// linear.write(&file)?;
    /// # std::fs::remove_file(&file).unwrap();
    /// assert_eq!(linear.write("linear.txt").unwrap_err().code(), "E0730");
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let bytes = match outputs::ending(path).as_str() {
            "json" => json(self, self.modes().as_deref()).into_bytes(),
            "mat" => mat(self),
            _ => {
                let text = format!("{}: the name must end in .json or .mat", path.display());
                return Err(Error::usage("E0730", text));
            }
        };
        let plain =
            |e: crate::failure::Failure| Error::of(ErrorKind::Io, "E0701", e.to_string(), None);
        outputs::write(path, &bytes).map_err(plain)
    }

    /// The same as one JSON object, with the modes if they are given.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M input Real u; output Real x; equation der(x) = u - x; end M;")?;
    /// let linear = model.linearize(None, None, None, &Experiment::default())?;
    /// assert!(linear.to_json(linear.modes().as_deref()).contains("\"A\""));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn to_json(&self, modes: Option<&[Mode]>) -> String {
        json(self, modes)
    }
}

/// One object; the modes if they are known.
fn json(linear: &Linear, modes: Option<&[Mode]>) -> String {
    let names = |list: &[String]| {
        let texts: Vec<String> = list.iter().map(|n| string(n)).collect();
        format!("[{}]", texts.join(", "))
    };
    let poles = modes.map(|list| {
        let pairs = list.iter().map(|m| numbers(&[m.real, m.imaginary]));
        format!("[{}]", pairs.collect::<Vec<_>>().join(", "))
    });
    let parts = modes.map(|list| {
        let of = |m: &Mode| {
            let pairs = m
                .states
                .iter()
                .map(|(n, p)| format!("{}: {}", string(n), number(*p)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        };
        format!("[{}]", list.iter().map(of).collect::<Vec<_>>().join(", "))
    });
    let delays = &linear.delays;
    let mut fields = vec![
        ("time", number(linear.time)),
        ("states", names(&linear.states)),
        ("inputs", names(&linear.inputs)),
        ("outputs", names(&linear.outputs)),
        ("x", numbers(&linear.x)),
        ("u", numbers(&linear.u)),
        ("y", numbers(&linear.y)),
        ("A", matrix(&linear.a)),
        ("B", matrix(&linear.b)),
        ("C", matrix(&linear.c)),
        ("D", matrix(&linear.d)),
        ("eigenvalues", poles.unwrap_or_else(|| "null".to_owned())),
        ("participation", parts.unwrap_or_else(|| "null".to_owned())),
    ];
    if !delays.times.is_empty() {
        fields.extend([
            ("delays", numbers(&delays.times)),
            ("E", matrix(&delays.e)),
            ("F", matrix(&delays.f)),
            ("G", matrix(&delays.g)),
            ("H", matrix(&delays.h)),
            ("K", matrix(&delays.k)),
        ]);
    }
    let lines: Vec<String> = (fields.iter())
        .map(|(name, value)| format!("  \"{name}\": {value}"))
        .collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

fn number(x: f64) -> String {
    if x.is_finite() {
        format!("{x}")
    } else {
        "null".to_owned()
    }
}

fn numbers(list: &[f64]) -> String {
    let texts: Vec<String> = list.iter().map(|x| number(*x)).collect();
    format!("[{}]", texts.join(", "))
}

/// Row by row; a large one as an object with its size and its entries, indices from zero.
fn matrix(m: &Matrix) -> String {
    if m.rows * m.columns <= DENSE {
        let rows: Vec<String> = m.dense().iter().map(|row| numbers(row)).collect();
        return format!("[{}]", rows.join(", "));
    }
    let entry = |&(i, j, x): &(usize, usize, f64)| format!("[{i}, {j}, {}]", number(x));
    let entries: Vec<String> = m.entries.iter().map(entry).collect();
    let (rows, columns) = (m.rows, m.columns);
    format!(
        "{{\"rows\": {rows}, \"columns\": {columns}, \"entries\": [{}]}}",
        entries.join(", ")
    )
}

/// A, B, C, D, x, u, y, time and the names as rows of characters.
fn mat(linear: &Linear) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, m) in [
        ("A", &linear.a),
        ("B", &linear.b),
        ("C", &linear.c),
        ("D", &linear.d),
    ] {
        if m.rows * m.columns <= DENSE {
            let mut columns = vec![0.0; m.rows * m.columns];
            for &(i, j, x) in &m.entries {
                columns[j * m.rows + i] = x;
            }
            append(&mut out, name, FULL, (m.rows, m.columns), &columns);
        } else {
            append_sparse(&mut out, name, m);
        }
    }
    for (name, list) in [("x", &linear.x), ("u", &linear.u), ("y", &linear.y)] {
        append(&mut out, name, FULL, (list.len(), 1), list);
    }
    append(&mut out, "time", FULL, (1, 1), &[linear.time]);
    for (name, list) in [
        ("states", &linear.states),
        ("inputs", &linear.inputs),
        ("outputs", &linear.outputs),
    ] {
        let width = list.iter().map(|n| n.len()).max().unwrap_or(0);
        let character =
            |j: usize, n: &String| f64::from(n.as_bytes().get(j).copied().unwrap_or(b' '));
        let columns = (0..width).flat_map(|j| list.iter().map(move |n| character(j, n)));
        let columns: Vec<f64> = columns.collect();
        append(&mut out, name, TEXT, (list.len(), width), &columns);
    }
    out
}

/// Kinds of matrices of numbers of eight bytes, the least significant first.
const FULL: i32 = 0;
const TEXT: i32 = 1;
const SPARSE: i32 = 2;

/// Header, name, numbers column by column.
fn append(out: &mut Vec<u8>, name: &str, kind: i32, size: (usize, usize), columns: &[f64]) {
    let header = [kind, size.0 as i32, size.1 as i32, 0, name.len() as i32 + 1];
    out.extend(header.iter().flat_map(|n| n.to_le_bytes()));
    out.extend(name.as_bytes());
    out.push(0);
    out.extend(columns.iter().flat_map(|x| x.to_le_bytes()));
}

/// Rows, columns and values of the entries as three columns; the last row has the size.
fn append_sparse(out: &mut Vec<u8>, name: &str, m: &Matrix) {
    let rows = m.entries.iter().map(|e| (e.0 + 1) as f64);
    let columns = m.entries.iter().map(|e| (e.1 + 1) as f64);
    let values = m.entries.iter().map(|e| e.2);
    let all: Vec<f64> = (rows.chain([m.rows as f64]))
        .chain(columns.chain([m.columns as f64]))
        .chain(values.chain([0.0]))
        .collect();
    append(out, name, SPARSE, (m.entries.len() + 1, 3), &all);
}
