//! What of a run is kept in its row: final values, extremes, averages, times, or the whole trajectory at the output points.

use ferrica_codegen::CompiledModel;
use ferrica_ir::flat::Variability;
use ferrica_results::glob_matches;
use ferrica_sim::{ResultVariable, result_variables};

use crate::failure::Failure;
use crate::stages::grid::Grid;

/// A number of each variable whose name fits the pattern.
///
/// ```
/// use ferrica::study::{Measure, MeasureKind};
/// let largest = Measure { kind: MeasureKind::Max, pattern: "*.v".to_owned() };
/// assert_eq!(Measure::parse("max(*.v)"), Ok(largest));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    pub kind: Kind,
    pub pattern: String,
}

/// All are of the rows of a run: its output points and both sides of its events.
///
/// ```
/// use ferrica::study::{Measure, MeasureKind};
/// assert_eq!(Measure::parse("time-of(C.v > 2.5)").unwrap().kind, MeasureKind::TimeAbove(2.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Final,
    Min,
    Max,
    /// Of the curve through the rows, over time.
    Mean,
    /// Root of the mean of the square, of the same curve.
    Rms,
    /// The time of the first smallest, or largest, value.
    TimeOfMin,
    TimeOfMax,
    /// The first time at which the curve goes above, or below, a level.
    TimeAbove(f64),
    TimeBelow(f64),
    /// A column for each output point.
    Trajectory,
}

const WORDS: [(&str, Kind); 7] = [
    ("final", Kind::Final),
    ("min", Kind::Min),
    ("max", Kind::Max),
    ("mean", Kind::Mean),
    ("rms", Kind::Rms),
    ("time-of-min", Kind::TimeOfMin),
    ("time-of-max", Kind::TimeOfMax),
];

impl Measure {
    /// What is kept of the variables that a pattern fits.
    ///
    /// ```
    /// use ferrica::study::{Measure, MeasureKind};
    /// assert_eq!(Measure::new(MeasureKind::Rms, "i").pattern, "i");
    /// ```
    pub fn new(kind: Kind, pattern: &str) -> Measure {
        Measure {
            kind,
            pattern: pattern.to_owned(),
        }
    }

    /// `max(C.v)`, `rms(*.i)`, `time-of(C.v>2.5)`.
    ///
    /// ```
    /// use ferrica::study::Measure;
    /// assert!(Measure::parse("rms(R.i)").is_ok() && Measure::parse("median(R.i)").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Measure, String> {
        let wrong = || {
            let words: Vec<&str> = WORDS.iter().map(|w| w.0).collect();
            format!(
                "write {} of a variable, `max(C.v)`, or `time-of(C.v>2.5)`",
                words.join(", ")
            )
        };
        let (word, rest) = text.trim().split_once('(').ok_or_else(wrong)?;
        let inside = rest.strip_suffix(')').ok_or_else(wrong)?.trim();
        if inside.is_empty() {
            return Err(wrong());
        }
        if word.trim() == "time-of" {
            let at = inside.find(['<', '>']).ok_or_else(wrong)?;
            let level: f64 = inside[at + 1..].trim().parse().map_err(|_| wrong())?;
            let kind = match &inside[at..=at] {
                ">" => Kind::TimeAbove(level),
                _ => Kind::TimeBelow(level),
            };
            return match level.is_finite() && at > 0 {
                true => Ok(Measure::new(kind, inside[..at].trim())),
                false => Err(wrong()),
            };
        }
        let kind = WORDS.iter().find(|w| w.0 == word.trim());
        let kind = kind.ok_or_else(wrong)?.1;
        Ok(Measure::new(kind, inside))
    }

    /// How many cells it has.
    pub(super) fn width(&self, grid: &Grid) -> usize {
        match self.kind {
            Kind::Trajectory => grid.times().len(),
            _ => 1,
        }
    }

    /// Heads of the columns.
    pub(super) fn heads(&self, grid: &Grid) -> Vec<String> {
        let name = &self.pattern;
        match self.kind {
            Kind::Final => vec![name.clone()],
            Kind::TimeAbove(level) => vec![format!("time-of({name}>{level})")],
            Kind::TimeBelow(level) => vec![format!("time-of({name}<{level})")],
            Kind::Trajectory => {
                let times = grid.times().into_iter();
                times.map(|t| format!("{name}@{t}")).collect()
            }
            kind => {
                let word = WORDS.iter().find(|w| w.1 == kind).map_or("", |w| w.0);
                vec![format!("{word}({name})")]
            }
        }
    }
}

/// The same of each variable that fits and changes in a run, in order.
pub(super) fn columns(
    model: &CompiledModel,
    measures: &[Measure],
) -> Result<Vec<Measure>, Failure> {
    let changing =
        |v: &ResultVariable| model.source.vars[v.var].var.variability > Variability::Parameter;
    let names: Vec<String> = (result_variables(model).into_iter().filter(changing))
        .map(|v| v.name)
        .collect();
    let mut columns = Vec::new();
    for measure in measures {
        let fits = names.iter().filter(|n| glob_matches(&measure.pattern, n));
        let before = columns.len();
        columns.extend(fits.map(|n| Measure::new(measure.kind, n)));
        if columns.len() == before {
            let near = ferrica_ir::similar::closest_variable(
                &measure.pattern,
                names.iter().map(String::as_str),
            );
            return Err(Failure::coded(
                "E0731",
                format!("no variable matches `{}`", measure.pattern),
                near.map(|near| format!("did you mean `{near}`?")),
            ));
        }
    }
    Ok(columns)
}

/// One column of one run, row by row.
pub(super) struct Gauge {
    kind: Kind,
    /// Times of the output points, for a trajectory.
    times: std::sync::Arc<Vec<f64>>,
    before: Option<(f64, f64)>,
    began: f64,
    best: (f64, f64),
    sum: f64,
    found: Option<f64>,
    values: Vec<f64>,
}

impl Gauge {
    pub fn new(kind: Kind, times: &std::sync::Arc<Vec<f64>>) -> Gauge {
        Gauge {
            kind,
            times: times.clone(),
            before: None,
            began: f64::NAN,
            best: (f64::NAN, f64::NAN),
            sum: 0.0,
            found: None,
            values: Vec::new(),
        }
    }

    pub fn take(&mut self, t: f64, v: f64) {
        let (t0, v0) = self.before.unwrap_or((t, v));
        if self.before.is_none() {
            (self.began, self.best) = (t, (t, v));
        }
        match self.kind {
            Kind::Final => {}
            Kind::Min | Kind::TimeOfMin if v < self.best.1 => self.best = (t, v),
            Kind::Max | Kind::TimeOfMax if v > self.best.1 => self.best = (t, v),
            Kind::Min | Kind::Max | Kind::TimeOfMin | Kind::TimeOfMax => {}
            Kind::Mean => self.sum += 0.5 * (v0 + v) * (t - t0),
            // The square of a straight line.
            Kind::Rms => self.sum += (v0 * v0 + v0 * v + v * v) / 3.0 * (t - t0),
            Kind::TimeAbove(level) => self.cross(t0, v0 - level, t, v - level),
            Kind::TimeBelow(level) => self.cross(t0, level - v0, t, level - v),
            Kind::Trajectory => self.sample(t0, v0, t, v),
        }
        self.before = Some((t, v));
    }

    /// The first time at which a value is above zero.
    fn cross(&mut self, t0: f64, a: f64, t: f64, b: f64) {
        if self.found.is_none() && b > 0.0 {
            self.found = Some(match a < 0.0 {
                true => t0 + (t - t0) * a / (a - b),
                false => t0,
            });
        }
    }

    /// Output points up to `t`; of two rows at a point the last one counts.
    fn sample(&mut self, t0: f64, v0: f64, t: f64, v: f64) {
        let last = self.values.len().checked_sub(1);
        if let Some(k) = last.filter(|k| self.times[*k] == t) {
            self.values[k] = v;
        }
        while let Some(&at) = self.times.get(self.values.len()).filter(|at| **at <= t) {
            let part = if t > t0 { (at - t0) / (t - t0) } else { 1.0 };
            let value = if at == t { v } else { v0 + part * (v - v0) };
            self.values.push(value);
        }
    }

    /// The cells; what there is not is not a number.
    pub fn cells(mut self) -> Vec<f64> {
        let Some((t, v)) = self.before else {
            let n = match self.kind {
                Kind::Trajectory => self.times.len(),
                _ => 1,
            };
            return vec![f64::NAN; n];
        };
        let span = t - self.began;
        vec![match self.kind {
            Kind::Final => v,
            Kind::Min | Kind::Max => self.best.1,
            Kind::TimeOfMin | Kind::TimeOfMax => self.best.0,
            Kind::Mean if span > 0.0 => self.sum / span,
            Kind::Rms if span > 0.0 => (self.sum / span).sqrt(),
            Kind::Mean => v,
            Kind::Rms => v.abs(),
            Kind::TimeAbove(_) | Kind::TimeBelow(_) => self.found.unwrap_or(f64::NAN),
            Kind::Trajectory => {
                self.values.resize(self.times.len(), f64::NAN);
                return self.values;
            }
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn words() {
        let max = Measure::parse("max(C.v)").unwrap();
        assert_eq!(max, Measure::new(Kind::Max, "C.v"));
        let time = Measure::parse("time-of(C.v > 2.5)").unwrap();
        assert_eq!(time, Measure::new(Kind::TimeAbove(2.5), "C.v"));
        for wrong in [
            "max",
            "max()",
            "best(x)",
            "time-of(x)",
            "time-of(>2)",
            "time-of(x>a)",
        ] {
            assert!(Measure::parse(wrong).is_err(), "{wrong}");
        }
    }

    /// A triangle 0 … 2 … 0 with a jump to −1 at its end: its numbers by hand.
    #[test]
    fn numbers() {
        let times = Arc::new(vec![0.0, 0.5, 1.0, 2.0]);
        let of = |kind| {
            let mut gauge = Gauge::new(kind, &times);
            for (t, v) in [(0.0, 0.0), (1.0, 2.0), (2.0, 0.0), (2.0, -1.0)] {
                gauge.take(t, v);
            }
            gauge.cells()
        };
        assert_eq!(of(Kind::Final), [-1.0]);
        assert_eq!(of(Kind::Min), [-1.0]);
        assert_eq!(of(Kind::Max), [2.0]);
        assert_eq!(of(Kind::TimeOfMax), [1.0]);
        assert_eq!(of(Kind::Mean), [1.0]);
        assert!((of(Kind::Rms)[0] - (4.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(of(Kind::TimeAbove(1.0)), [0.5]);
        assert_eq!(of(Kind::TimeBelow(-0.5)), [2.0]);
        assert!(of(Kind::TimeAbove(3.0))[0].is_nan());
        assert_eq!(of(Kind::Trajectory), [0.0, 1.0, 2.0, -1.0]);
    }
}
