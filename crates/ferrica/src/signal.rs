//! What a top-level input does over time, and how a model gets it.
//!
//! A number is a value of the compiled model. Values over time become a table of the model: a class that extends it and
//! gives each input the value of a column, so that every solver sees the same equations, events where the curve jumps or
//! has a kink, and its derivative where that is needed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind};

/// What a top-level input does.
///
/// ```
/// use ferrica::Signal;
/// assert_eq!(Signal::from(2.0), Signal::Constant(2.0));
/// assert_eq!(Signal::hold(vec![0.0, 1.0], vec![5.0]).unwrap_err().code(), "E0735");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// The same value all the time.
    Constant(f64),
    /// Values at ascending times; the first and the last one hold outside of them.
    Samples {
        /// The times.
        times: Vec<f64>,
        /// The values there.
        values: Vec<f64>,
        /// A value stays until the next one; straight lines between them otherwise.
        hold: bool,
    },
}

impl From<f64> for Signal {
    fn from(value: f64) -> Signal {
        Signal::Constant(value)
    }
}

impl Signal {
    /// Straight lines between values; two values at one time are a jump.
    ///
    /// ```
    /// let ramp = ferrica::Signal::linear(vec![0.0, 1.0], vec![0.0, 2.0])?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn linear(times: Vec<f64>, values: Vec<f64>) -> Result<Signal, Error> {
        Signal::samples(times, values, false)
    }

    /// Values that stay until the next one.
    ///
    /// ```
    /// let steps = ferrica::Signal::hold(vec![0.0, 1.0], vec![0.0, 2.0])?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn hold(times: Vec<f64>, values: Vec<f64>) -> Result<Signal, Error> {
        Signal::samples(times, values, true)
    }

    fn samples(times: Vec<f64>, values: Vec<f64>, hold: bool) -> Result<Signal, Error> {
        let wrong = |text: String| Err(Error::usage("E0735", text));
        if times.len() != values.len() || times.is_empty() {
            let (n, m) = (times.len(), values.len());
            return wrong(format!(
                "an input needs as many values as times: {m} and {n}"
            ));
        }
        if let Some(x) = times.iter().chain(&values).find(|x| !x.is_finite()) {
            return wrong(format!("an input cannot be {x}"));
        }
        if let Some(k) = (1..times.len()).find(|&k| times[k] < times[k - 1]) {
            let (a, b) = (times[k - 1], times[k]);
            return wrong(format!("the times of an input go back from {a} to {b}"));
        }
        Ok(Signal::Samples {
            times,
            values,
            hold,
        })
    }
}

/// A table file that lives as long as the model that reads it.
#[derive(Debug)]
pub(crate) struct TableFile(PathBuf);

impl Drop for TableFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The file of a signal, in the text format of table blocks.
fn table(times: &[f64], values: &[f64]) -> Result<TableFile, Error> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("ferrica-input-{}-{number}.txt", std::process::id());
    let path = std::env::temp_dir().join(name);
    // One row is no table for straight lines.
    let again = (times.len() == 1).then(|| (times[0] + 1.0, values[0]));
    let rows = times.iter().copied().zip(values.iter().copied());
    let rows: Vec<(f64, f64)> = rows.chain(again).collect();
    let mut text = format!("#1\ndouble u({},2)\n", rows.len());
    for (t, u) in rows {
        text += &format!("{t:e} {u:e}\n");
    }
    let failed = |e| {
        Error::of(
            ErrorKind::Io,
            "E0701",
            format!("{}: {e}", path.display()),
            None,
        )
    };
    fs::write(&path, text).map_err(failed)?;
    Ok(TableFile(path))
}

/// The class that extends a model and drives these inputs, and the files that it reads.
pub(crate) fn driven(
    model: &str,
    signals: &[(&str, &Signal)],
) -> Result<(String, Vec<TableFile>), Error> {
    let (mut modifiers, mut tables, mut files) = (Vec::new(), String::new(), Vec::new());
    for (k, (name, signal)) in signals.iter().enumerate() {
        let Signal::Samples {
            times,
            values,
            hold,
        } = signal
        else {
            continue;
        };
        let file = table(times, values)?;
        let smoothness = if *hold {
            "ConstantSegments"
        } else {
            "LinearSegments"
        };
        modifiers.push(format!("{name} = 'input {k}'.y[1]"));
        tables += &format!(
            "  Modelica.Blocks.Sources.CombiTimeTable 'input {k}'(tableOnFile = true, tableName = \"u\", \
             fileName = {}, columns = {{2}}, extrapolation = Modelica.Blocks.Types.Extrapolation.HoldLastPoint, \
             verboseRead = false, smoothness = Modelica.Blocks.Types.Smoothness.{smoothness});\n",
            literal(&file.0)
        );
        files.push(file);
    }
    let modifiers = modifiers.join(", ");
    let text = format!(
        "model 'with inputs'\n  extends .{model}({modifiers});\nprotected\n{tables}end 'with inputs';\n"
    );
    Ok((text, files))
}

fn literal(path: &Path) -> String {
    let text = path.display().to_string();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
