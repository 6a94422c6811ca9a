//! The result of a run.

use std::fmt;
use std::ops::Index;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ferrica_results::{
    Column, Declaration, ResultTable, ResultWriter, Source, VariableInfo, glob_matches,
};

use crate::columns::{Columns, Kept, Place};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::failure::Failure;
use crate::stages::stats::Stats;

/// Trajectories by name. A variable's values are one slice; aliases share it.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("model Decay Real x(start = 1, fixed = true) = -y; Real y; equation der(x) = -x; end Decay;")?;
/// let run = model.simulate(&Experiment::default().stop(1.0).tolerance(1e-9))?;
/// let x = &run["x"];
/// assert_eq!((run.time()[0], x[0]), (0.0, 1.0));
/// assert!((x[x.len() - 1] - (-1.0f64).exp()).abs() < 1e-7);
/// assert_eq!(run["y"][0], -1.0);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone)]
pub struct Run {
    pub(crate) model: String,
    pub(crate) kept: Arc<Kept>,
    pub(crate) time: Vec<f64>,
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) constants: Vec<f64>,
    /// Constants as long as the time, and negated columns, once somebody has asked.
    made: Vec<OnceLock<Box<[f64]>>>,
    diagnostics: Vec<Diagnostic>,
    pub(crate) terminated: Option<String>,
    stats: Stats,
}

impl Run {
    pub(crate) fn new(
        model: &str,
        columns: Columns,
        diagnostics: Vec<Diagnostic>,
        terminated: Option<String>,
        stats: Stats,
    ) -> Run {
        Run {
            model: model.to_owned(),
            made: vec![OnceLock::new(); columns.kept.variables.len()],
            kept: columns.kept,
            time: columns.time,
            columns: columns.columns,
            constants: columns.constants,
            diagnostics,
            terminated,
            stats,
        }
    }

    /// The name of the model.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; end M;")?.simulate(&Experiment::default())?;
    /// assert_eq!(run.model(), "M");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The times of all rows, ascending; the same time twice at an event.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; end M;")?.simulate(&Experiment::default().points(4))?;
    /// assert_eq!(run.time(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn time(&self) -> &[f64] {
        &self.time
    }

    /// The names of all variables, in the order of declaration.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; Real y = 2*x; end M;")?.simulate(&Experiment::default())?;
    /// assert_eq!(run.names().collect::<Vec<_>>(), ["x", "y"]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.kept.variables.iter().map(|v| v.name.as_str())
    }

    /// The names that match a pattern with `*` and `?`.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real xa = time; Real b = 1; end M;")?.simulate(&Experiment::default())?;
    /// assert_eq!(run.matching("x*").collect::<Vec<_>>(), ["xa"]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn matching(&self, pattern: &str) -> impl Iterator<Item = &str> {
        self.names().filter(move |n| glob_matches(pattern, n))
    }

    fn position(&self, name: &str) -> Result<usize, Error> {
        let found = self.kept.index.get(name).copied();
        found.ok_or_else(|| Error::unknown("variable", name, self.names()))
    }

    /// The values of a variable at all times, `time` among them.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = 2*time; end M;")?.simulate(&Experiment::default().points(2))?;
    /// assert_eq!(run.get("x")?, [0.0, 1.0, 2.0]);
    /// assert_eq!(run.get("y").unwrap_err().code(), "E0731");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn get(&self, name: &str) -> Result<&[f64], Error> {
        if name == "time" && !self.kept.index.contains_key(name) {
            return Ok(&self.time);
        }
        let k = self.position(name)?;
        Ok(match self.kept.variables[k].place {
            Place::Column(c, false) => &self.columns[c],
            Place::Column(c, true) => {
                self.made[k].get_or_init(|| self.columns[c].iter().map(|v| -v).collect())
            }
            Place::Constant(c) => self.made[k].get_or_init(|| {
                let value = self.constants.get(c).copied().unwrap_or(f64::NAN);
                vec![value; self.time.len()].into()
            }),
        })
    }

    /// Does the variable keep one value for the whole run, as parameters do?
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M parameter Real p = 3; Real x = p*time; end M;")?.simulate(&Experiment::default())?;
    /// assert_eq!((run.is_constant("p")?, run.is_constant("x")?), (true, false));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_constant(&self, name: &str) -> Result<bool, Error> {
        let k = self.position(name)?;
        Ok(matches!(self.kept.variables[k].place, Place::Constant(_)))
    }

    /// The unit of a variable, empty if it has none.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real v(unit = \"m/s\") = time; end M;")?.simulate(&Experiment::default())?;
    /// assert_eq!(run.unit("v")?, "m/s");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unit(&self, name: &str) -> Result<&str, Error> {
        match name {
            "time" if !self.kept.index.contains_key(name) => Ok("s"),
            _ => Ok(&self.kept.variables[self.position(name)?].declared.unit),
        }
    }

    /// What the model says of a variable.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real v = time \"Voltage\"; end M;")?.simulate(&Experiment::default())?;
    /// assert_eq!(run.description("v")?, "Voltage");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn description(&self, name: &str) -> Result<&str, Error> {
        Ok(&self.kept.variables[self.position(name)?]
            .declared
            .description)
    }

    /// Unit, display unit, description and type of a variable.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x(unit = \"m\") = time \"Way\"; end M;")?.simulate(&Experiment::default())?;
    /// assert_eq!((run.declared("x")?.unit.as_str(), run.declared("x")?.description.as_str()), ("m", "Way"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn declared(&self, name: &str) -> Result<&Declaration, Error> {
        Ok(&self.kept.variables[self.position(name)?].declared)
    }

    /// The value of a variable at any time of the run, straight between rows; at an event the value after it.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = 2*time; end M;")?.simulate(&Experiment::default())?;
    /// assert!((run.at("x", 0.3333)? - 0.6666).abs() < 1e-12);
    /// assert_eq!(run.at("x", 7.0).unwrap_err().code(), "E0732");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn at(&self, name: &str, time: f64) -> Result<f64, Error> {
        let values = self.get(name)?;
        let (first, last) = match self.time.as_slice() {
            [first, .., last] => (*first, *last),
            [only] => (*only, *only),
            [] => (f64::NAN, f64::NAN),
        };
        if !(first..=last).contains(&time) {
            return Err(Error::usage(
                "E0732",
                format!("{time} is not in the run, which goes from {first} to {last}"),
            ));
        }
        // The first row after that time; the one before it is the last of that time.
        let k = self.time.partition_point(|t| *t <= time);
        if k == self.time.len() {
            return Ok(values[k - 1]);
        }
        let (a, b) = (self.time[k - 1], self.time[k]);
        let part = (time - a) / (b - a);
        Ok(match part {
            0.0 => values[k - 1],
            _ => values[k - 1] + part * (values[k] - values[k - 1]),
        })
    }

    /// Warnings of the run.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M Real x(start = 0), y = sqrt(0.5 - x); equation der(x) = 1; end M;")?;
    /// let run = model.simulate(&Experiment::default())?;
    /// assert_eq!(run.diagnostics()[0].code, "W0602");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The message of `terminate`, if that ended the run.
    ///
    /// ```
    /// # use ferrica::*;
    /// let text = "model M Real x = time; equation when x > 0.5 then terminate(\"half\"); end when; end M;";
    /// let run = Model::from_text(text)?.simulate(&Experiment::default())?;
    /// assert_eq!(run.terminated(), Some("half"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn terminated(&self) -> Option<&str> {
        self.terminated.as_deref()
    }

    /// What the run cost.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")?.simulate(&Experiment::default())?;
    /// assert!(run.stats().steps > 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Writes the run to a file: `.csv` (with what else is known in `NAME.csv.json`), `.mat` or `.parquet`. A file that is there
    /// already is replaced when the new one is complete.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; end M;")?.simulate(&Experiment::default())?;
    /// let file = std::env::temp_dir().join(format!("ferrica-doc-{}.csv", std::process::id()));
    /// run.write(&file)?;
    /// # std::fs::remove_file(file.with_extension("csv.json")).unwrap();
    /// # std::fs::remove_file(file).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let failed = |e: String| Error::of(ErrorKind::Io, "E0701", e, None);
        let mut writer = ferrica_results::create(path, &[]).map_err(|e| failed(e.to_string()))?;
        let mut holder: Vec<Option<usize>> = vec![None; self.columns.len()];
        let infos: Vec<VariableInfo> = (self.kept.variables.iter().enumerate())
            .map(|(index, v)| VariableInfo {
                name: v.name.clone(),
                declared: v.declared.clone(),
                source: match v.place {
                    Place::Constant(c) => {
                        let value = self.constants.get(c).copied().unwrap_or(f64::NAN);
                        match v.is_parameter {
                            true => Source::Parameter(value),
                            false => Source::Constant(value),
                        }
                    }
                    Place::Column(c, negated) => match holder[c] {
                        Some(of) => Source::Alias { of, negated },
                        None => {
                            holder[c] = Some(index);
                            Source::Column
                        }
                    },
                },
            })
            .collect();
        let mut row = vec![0.0; self.columns.len()];
        let done = writer.begin(&infos).and_then(|()| {
            for (k, &time) in self.time.iter().enumerate() {
                for (value, column) in row.iter_mut().zip(&self.columns) {
                    *value = column[k];
                }
                writer.row(time, &row)?;
            }
            writer.finish()
        });
        done.map_err(|e| failed(format!("{}: {e}", path.display())))
    }

    /// Variables over time as a picture, one panel a unit: SVG text.
    ///
    /// ```
    /// # use ferrica::*;
    /// let run = Model::from_text("model M Real x = time; end M;")?.simulate(&Experiment::default())?;
    /// assert!(run.svg(&["x"])?.starts_with("<svg"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn svg(&self, names: &[&str]) -> Result<String, Error> {
        let mut table = ResultTable::new(self.time.clone());
        for &name in names {
            let values = self.get(name)?;
            table.push(name.to_owned(), Column::Series(values.into()));
            let declared = self.declared(name)?.clone();
            table.declare(table.names.len() - 1, declared);
        }
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        let figure = ferrica_results::plot::figure_of(&table, &self.model, &names, "time");
        let figure = figure.map_err(|e| Error::usage("E0730", e.to_string()))?;
        Ok(ferrica_results::plot::to_svg(&figure))
    }
}

impl Index<&str> for Run {
    type Output = [f64];

    /// The values of a variable at all times.
    ///
    /// # Panics
    /// If there is no variable of that name; [`Run::get`] returns an error instead.
    fn index(&self, name: &str) -> &[f64] {
        match self.get(name) {
            Ok(values) => values,
            Err(e) => panic!("{e}"),
        }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = match (self.time.first(), self.time.last()) {
            (Some(a), Some(b)) => format!("t = {a} … {b}"),
            _ => "empty".to_owned(),
        };
        write!(
            f,
            "Run of {}: {span}, {} rows, {} variables",
            self.model,
            self.time.len(),
            self.kept.variables.len()
        )
    }
}

/// A failed run as an error.
pub(crate) fn run_error(failure: &Failure, sources: &ferrica_ir::SourceMap) -> Error {
    Error::new(ErrorKind::Run, failure, sources)
}
