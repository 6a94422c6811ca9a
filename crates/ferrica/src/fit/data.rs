//! Measurements, and how far runs are from them.

use std::path::Path;

use ferrica_results::ResultError;
use ferrica_sim::same_time;

use super::Linearized;
use crate::error::{Error, ErrorKind, UNKNOWN};
use crate::experiment::Experiment;
use crate::model::Model;
use crate::sensitivity::Asked;
use crate::signal::Signal;
use crate::words::closest_variable;

/// Measured trajectories of one experiment.
///
/// ```
/// let seen = ferrica::Measured::new(vec![0.0, 1.0]).column("x", vec![2.0, 1.0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Ascending times.
    pub time: Vec<f64>,
    /// Names and values; columns with the names of inputs drive these, the others are compared.
    pub columns: Vec<(String, Vec<f64>)>,
    /// Values of inputs stay until the next row, as those of a switched heater; straight lines between rows otherwise.
    pub hold: bool,
}

impl Measured {
    /// Measurements at these times.
    ///
    /// ```
    /// let seen = ferrica::Measured::new(vec![0.0, 1.0]);
    /// ```
    pub fn new(time: Vec<f64>) -> Measured {
        Measured {
            time,
            columns: Vec::new(),
            hold: false,
        }
    }

    /// Values of inputs stay until the next row; straight lines between rows otherwise.
    ///
    /// ```
    /// use ferrica::{Experiment, Measured, Model, Unknown};
    /// let model = Model::from_text("model M parameter Real k = 1; input Real u; Real x(start = 0, fixed = true); equation der(x) = k*u; end M;")?;
    /// // The input is 1 in the first second, then 0: x = k·t, then k.
    /// let seen = Measured::new(vec![0.0, 1.0, 2.0]).column("u", vec![1.0, 0.0, 0.0]).column("x", vec![0.0, 3.0, 3.0]);
    /// let unknown = Unknown { name: "k".to_owned(), low: 0.1, high: 10.0 };
    /// let fit = model.fit(&[seen.hold(true)], &[unknown], &Experiment::default())?;
    /// assert!((fit.estimates[0].value - 3.0).abs() < 1e-5);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn hold(mut self, hold: bool) -> Measured {
        self.hold = hold;
        self
    }

    /// What a column does as an input.
    ///
    /// ```
    /// # use ferrica::{Measured, Signal};
    /// let seen = Measured::new(vec![0.0, 1.0]).column("u", vec![2.0, 1.0]);
    /// assert_eq!(seen.signal("u")?, Signal::linear(vec![0.0, 1.0], vec![2.0, 1.0])?);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn signal(&self, name: &str) -> Result<Signal, Error> {
        let found = self.columns.iter().find(|(n, _)| n == name);
        let names = || self.columns.iter().map(|(n, _)| n.as_str());
        let (_, values) = found.ok_or_else(|| Error::unknown("column", name, names()))?;
        match self.hold {
            true => Signal::hold(self.time.clone(), values.clone()),
            false => Signal::linear(self.time.clone(), values.clone()),
        }
    }

    /// With the values of a variable.
    ///
    /// ```
    /// let seen = ferrica::Measured::new(vec![0.0, 1.0]).column("x", vec![2.0, 1.0]);
    /// ```
    pub fn column(mut self, name: impl Into<String>, values: Vec<f64>) -> Measured {
        self.columns.push((name.into(), values));
        self
    }

    /// From a result file: CSV, MAT or Parquet.
    ///
    /// ```
    /// assert!(ferrica::Measured::read("nowhere.csv").is_err());
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Measured, Error> {
        let table = ferrica_results::read(path.as_ref());
        let table = table.map_err(|e| match e {
            ResultError::Io { .. } => Error::of(ErrorKind::Io, "E0701", e.to_string(), None),
            ResultError::Format { .. } => wrong(e.to_string()),
        })?;
        if let Some(text) = table.incomplete {
            return Err(wrong(format!("{}: {text}", path.as_ref().display())));
        }
        let mut measured = Measured::new(table.time.clone());
        for name in &table.names {
            if let Some(values) = table.series(name) {
                measured.columns.push((name.clone(), values.into_owned()));
            }
        }
        Ok(measured)
    }
}

/// Measurements of one experiment, ready to be compared.
pub(super) struct Data<'a> {
    /// Driven by the inputs of the data.
    model: Model,
    experiment: Experiment,
    times: Vec<f64>,
    /// Name, values, one over their spread.
    columns: Vec<(&'a str, &'a [f64], f64)>,
}

pub(super) fn wrong(text: String) -> Error {
    Error::usage("E0738", text)
}

/// The data have something that the model has not.
fn no_such_column(name: &str, known: &[String]) -> Error {
    let near = closest_variable(name, known.iter().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "leave the column out, or say which ones to compare (`--of` on the command line)"
            .to_owned(),
    };
    let text = format!("the data have a column `{name}`, the model has no such variable");
    Error::of(ErrorKind::UnknownName, UNKNOWN, text, Some(hint))
}

impl<'a> Data<'a> {
    pub fn new(seen: &'a Measured, model: &Model, plan: &Experiment) -> Result<Data<'a>, Error> {
        let time = &seen.time;
        if time.len() < 2 {
            return Err(wrong("the data have fewer than two times".to_owned()));
        }
        if let Some(t) = time.iter().find(|t| !t.is_finite()) {
            return Err(wrong(format!("the data have the time {t}")));
        }
        if let Some(w) = time.windows(2).find(|w| w[1] < w[0]) {
            return Err(wrong(format!(
                "the times of the data go back from {} to {}",
                w[0], w[1]
            )));
        }
        let inputs: Vec<String> = model.inputs().into_iter().map(|v| v.name).collect();
        let known: Vec<String> = model.variables().into_iter().map(|v| v.name).collect();
        let mut experiment = plan.clone();
        let mut columns = Vec::new();
        for (name, values) in &seen.columns {
            if values.len() != time.len() {
                let (n, m) = (time.len(), values.len());
                return Err(wrong(format!("`{name}` has {m} values for {n} times")));
            }
            if let Some(k) = values.iter().position(|v| !v.is_finite()) {
                let (v, t) = (values[k], time[k]);
                return Err(wrong(format!("`{name}` is {v} at time {t} in the data")));
            }
            if inputs.contains(name) {
                experiment = experiment.input(name, seen.signal(name)?);
                continue;
            }
            if !known.contains(name) {
                return Err(no_such_column(name, &known));
            }
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
            let spread = (square / values.len() as f64).sqrt();
            let size = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let scale = match (spread > 0.0, size > 0.0) {
                (true, _) => spread,
                (false, true) => size,
                (false, false) => 1.0,
            };
            columns.push((name.as_str(), values.as_slice(), 1.0 / scale));
        }
        if columns.is_empty() {
            let text = "the data have no column with the name of a variable to compare";
            return Err(wrong(text.to_owned()));
        }
        let start = model.grid_of(&experiment)?.start;
        let (first, last) = (time[0], time[time.len() - 1]);
        if first < start {
            return Err(wrong(format!(
                "the data begin at {first}, before the start of the run at {start}"
            )));
        }
        let mut times = time.clone();
        times.dedup();
        let (driven, _) = model.driven_by(&experiment)?;
        experiment
            .inputs
            .retain(|(_, s)| matches!(s, Signal::Constant(_)));
        Ok(Data {
            model: driven,
            experiment: experiment.start(start).stop(last),
            times,
            columns,
        })
    }

    /// Deviations and their derivatives with these values of the parameters.
    pub fn deviations(
        &self,
        point: &[f64],
        seen: &[f64],
        names: &[&str],
        out: &mut Linearized,
    ) -> Result<(), Error> {
        let mut model = self.model.clone();
        for (name, &value) in names.iter().zip(point) {
            model = model.set(name, value)?;
        }
        let of: Vec<&str> = self.columns.iter().map(|c| c.0).collect();
        let asked = Asked {
            of: &of,
            to: names,
            times: Some(&self.times),
        };
        let s = model.sensitivities_at(&asked, &self.experiment)?;
        let mut row = 0;
        for (k, &t) in seen.iter().enumerate() {
            // The instant of an event has two rows, as a measured run may have: before it and behind it. It may be another one by rounding.
            let before = seen.get(k + 1) == Some(&t);
            let reached = |row: usize| s.time[row] >= t || same_time(s.time[row], t);
            while row + 1 < s.time.len() && !reached(row) {
                row += 1;
            }
            while !before && row + 1 < s.time.len() && same_time(s.time[row + 1], t) {
                row += 1;
            }
            if !same_time(s.time[row], t) {
                let text = format!("the run ends at {} before the data do", s.time[row]);
                return Err(Error::of(ErrorKind::Run, "E0738", text, None));
            }
            for (i, &(_, values, scale)) in self.columns.iter().enumerate() {
                out.deviations.push((s.values[i][row] - values[k]) * scale);
                for (j, list) in out.slopes.iter_mut().enumerate() {
                    list.push(s.derivatives[i][j][row] * scale);
                }
            }
        }
        Ok(())
    }
}
