//! Parameters from measurements: least squares by the method of Levenberg and Marquardt, on exact sensitivities.
//!
//! In: measured trajectories of one or several experiments, parameters with bounds. Out: estimates with their standard errors.
//! Parameters are scaled by their ranges, the deviations of a variable by the spread of its measurements; so units do not
//! matter. A step that would leave the bounds ends at them. After Nielsen's strategy the damping follows how well the linear
//! model has predicted the gain.

use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::experiment::Experiment;
use crate::model::Model;
use crate::sensitivity::Asked;
use crate::signal::Signal;

/// Iterations after which the search is given up.
const MAX_ITERATIONS: usize = 60;
/// The search ends when the parameters move by less than this part of their ranges, or the sum falls by less than its square.
const SMALL_STEP: f64 = 1e-8;
/// Eigenvalues of the correlation matrix below this part of the largest one: the data say nothing about that direction. The
/// square of what the sensitivities are accurate to.
const INDISTINCT: f64 = 1e-9;
/// A parameter takes part in an indistinct direction with at least this component of its unit vector.
const TAKES_PART: f64 = 0.1;
/// Initial damping in parts of the largest curvature.
const DAMPING: f64 = 1e-3;

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
        let table = table.map_err(|e| Error::of(ErrorKind::Io, "E0701", e.to_string(), None))?;
        let mut measured = Measured::new(table.time.clone());
        for name in &table.names {
            if let Some(values) = table.series(name) {
                measured.columns.push((name.clone(), values.into_owned()));
            }
        }
        Ok(measured)
    }
}

/// A parameter to be found, between two bounds.
///
/// ```
/// let r = ferrica::Unknown { name: "R.R".to_owned(), low: 1.0, high: 100.0 };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// A parameter, or `NAME.start`.
    pub name: String,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
}

/// What was found.
///
/// ```
/// use ferrica::{Experiment, Measured, Model, Unknown};
/// let model = Model::from_text("model M parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end M;")?;
/// let t: Vec<f64> = (0..=20).map(|i| 0.1 * f64::from(i)).collect();
/// let seen = Measured::new(t.clone()).column("x", t.iter().map(|t| (-2.5 * t).exp()).collect());
/// let k = Unknown { name: "k".to_owned(), low: 0.1, high: 10.0 };
/// let fit = model.fit(&[seen], &[k], &Experiment::default().tolerance(1e-9))?;
/// assert!((fit.estimates[0].value - 2.5).abs() < 1e-5);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fit {
    /// One for each unknown.
    pub estimates: Vec<Estimate>,
    /// Root mean square of the deviations in parts of each variable's spread, before and after.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// Iterations of the search.
    pub iterations: usize,
    /// Correlations of the estimates.
    pub correlation: Vec<Vec<f64>>,
    /// Sets of parameters that the data cannot tell apart; a single one has no influence at all.
    pub indistinct: Vec<Vec<String>>,
}

/// One parameter.
///
/// ```
/// let e = ferrica::Estimate { name: "k".to_owned(), value: 2.0, error: 0.1, at_bound: false };
/// assert_eq!(e.interval(), (2.0 - 1.96*0.1, 2.0 + 1.96*0.1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// The value with the least squares.
    pub value: f64,
    /// Standard error; infinite where the data do not determine it.
    pub error: f64,
    /// It has ended at a bound.
    pub at_bound: bool,
}

/// Standard errors of a normal distribution to each side that hold 95 %.
const NORMAL_95: f64 = 1.96;

impl Estimate {
    /// 95 % confidence.
    ///
    /// ```
    /// let e = ferrica::Estimate { name: "k".to_owned(), value: 1.0, error: 0.0, at_bound: false };
    /// assert_eq!(e.interval(), (1.0, 1.0));
    /// ```
    pub fn interval(&self) -> (f64, f64) {
        let half = NORMAL_95 * self.error;
        (self.value - half, self.value + half)
    }
}

/// Measurements of one experiment, ready to be compared.
struct Data<'a> {
    /// Driven by the inputs of the data.
    model: Model,
    experiment: Experiment,
    times: Vec<f64>,
    /// Name, values, one over their spread.
    columns: Vec<(&'a str, &'a [f64], f64)>,
}

fn wrong(text: String) -> Error {
    Error::usage("E0738", text)
}

impl<'a> Data<'a> {
    fn new(seen: &'a Measured, model: &Model, plan: &Experiment) -> Result<Data<'a>, Error> {
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
                let signal = Signal::linear(time.clone(), values.clone())?;
                experiment = experiment.input(name, signal);
                continue;
            }
            if !known.contains(name) {
                let names = known.iter().map(String::as_str);
                return Err(Error::unknown("variable", name, names));
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
    fn deviations(
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
            // The last row of that time: behind an event.
            while row + 1 < s.time.len() && s.time[row + 1] <= t {
                row += 1;
            }
            if s.time[row] != t {
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

/// The problem around a point.
#[derive(Default)]
struct Linearized {
    deviations: Vec<f64>,
    /// For each parameter, in parts of its range.
    slopes: Vec<Vec<f64>>,
}

impl Linearized {
    fn sum(&self) -> f64 {
        self.deviations.iter().map(|r| r * r).sum()
    }

    /// JᵀJ and Jᵀr.
    fn normal(&self) -> (Vec<Vec<f64>>, Vec<f64>) {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let matrix = (self.slopes.iter())
            .map(|a| self.slopes.iter().map(|b| dot(a, b)).collect())
            .collect();
        let gradient = self.slopes.iter().map(|a| dot(a, &self.deviations));
        (matrix, gradient.collect())
    }
}

/// What is looked for, and in what.
struct Search<'a> {
    data: Vec<(Data<'a>, &'a [f64])>,
    unknowns: &'a [Unknown],
}

impl Search<'_> {
    fn range(&self, j: usize) -> f64 {
        self.unknowns[j].high - self.unknowns[j].low
    }

    fn at(&self, point: &[f64]) -> Result<Linearized, Error> {
        let names: Vec<&str> = self.unknowns.iter().map(|u| u.name.as_str()).collect();
        let mut out = Linearized {
            deviations: Vec::new(),
            slopes: vec![Vec::new(); names.len()],
        };
        for (data, times) in &self.data {
            data.deviations(point, times, &names, &mut out)?;
        }
        for (j, list) in out.slopes.iter_mut().enumerate() {
            let range = self.range(j);
            list.iter_mut().for_each(|v| *v *= range);
        }
        if out.deviations.iter().any(|r| !r.is_finite()) {
            let text = "the run has values that are not finite".to_owned();
            return Err(Error::of(ErrorKind::Run, "E0738", text, None));
        }
        Ok(out)
    }

    /// Moves a point, and says by how much it has moved in parts of the ranges.
    fn moved(&self, point: &[f64], step: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let new: Vec<f64> = (point.iter().zip(step).enumerate())
            .map(|(j, (x, s))| {
                let u = &self.unknowns[j];
                (x + s * self.range(j)).clamp(u.low, u.high)
            })
            .collect();
        let by = |j: usize| (new[j] - point[j]) / self.range(j);
        let by = (0..new.len()).map(by).collect();
        (new, by)
    }

    /// At a bound, and pushed against it?
    fn held(&self, j: usize, point: &[f64], gradient: &[f64]) -> bool {
        let u = &self.unknowns[j];
        (point[j] <= u.low && gradient[j] > 0.0) || (point[j] >= u.high && gradient[j] < 0.0)
    }
}

impl Model {
    /// Finds parameters such that runs of the model come nearest to measurements.
    ///
    /// ```
    /// use ferrica::{Experiment, Measured, Model, Unknown};
    /// let model = Model::from_text("model M parameter Real a = 1; parameter Real b = 1; Real y = a*b*time; end M;")?;
    /// let seen = Measured::new(vec![0.0, 0.5, 1.0]).column("y", vec![0.0, 1.0, 2.0]);
    /// let unknown = |name: &str| Unknown { name: name.to_owned(), low: 0.1, high: 10.0 };
    /// let fit = model.fit(&[seen], &[unknown("a"), unknown("b")], &Experiment::default())?;
    /// assert_eq!(fit.indistinct, [["a", "b"]]);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn fit(
        &self,
        measured: &[Measured],
        unknowns: &[Unknown],
        experiment: &Experiment,
    ) -> Result<Fit, Error> {
        if measured.is_empty() || unknowns.is_empty() {
            return Err(wrong("a fit needs data and parameters".to_owned()));
        }
        let mut point = Vec::new();
        for (k, u) in unknowns.iter().enumerate() {
            if !(u.low < u.high && u.low.is_finite() && u.high.is_finite()) {
                let text = format!("`{}`: {}:{} is no range", u.name, u.low, u.high);
                return Err(wrong(text));
            }
            if unknowns[..k].iter().any(|o| o.name == u.name) {
                return Err(wrong(format!("`{}` is named twice", u.name)));
            }
            // From the present value where that is inside, else from the middle.
            let now = self.parameters().into_iter().find(|p| p.name == u.name);
            let now = now.and_then(|p| p.value);
            let inside = now.filter(|v| (u.low..=u.high).contains(v));
            point.push(inside.unwrap_or(0.5 * (u.low + u.high)));
        }
        let mut data = Vec::new();
        for seen in measured {
            data.push((Data::new(seen, self, experiment)?, seen.time.as_slice()));
        }
        let search = Search { data, unknowns };
        let mut here = search.at(&point)?;
        let count = here.deviations.len() as f64;
        let before = (here.sum() / count).sqrt();
        let (mut damping, mut growth) = (None, 2.0);
        let mut iterations = 0;
        while iterations < MAX_ITERATIONS {
            iterations += 1;
            let (matrix, gradient) = here.normal();
            let free: Vec<usize> = (0..point.len())
                .filter(|&j| !search.held(j, &point, &gradient))
                .collect();
            let largest = free.iter().fold(0.0f64, |m, &j| m.max(matrix[j][j]));
            if free.is_empty() || largest == 0.0 {
                break;
            }
            let by = *damping.get_or_insert(DAMPING * largest);
            let mut step = vec![0.0; point.len()];
            let reduced: Vec<Vec<f64>> = (free.iter())
                .map(|&i| {
                    let entry = |&j: &usize| matrix[i][j] + if i == j { by } else { 0.0 };
                    free.iter().map(entry).collect()
                })
                .collect();
            let right: Vec<f64> = free.iter().map(|&j| -gradient[j]).collect();
            for (&j, s) in free.iter().zip(solve_spd(reduced, right)) {
                step[j] = s;
            }
            let (next, by) = search.moved(&point, &step);
            let length = by.iter().fold(0.0f64, |m, s| m.max(s.abs()));
            if length < SMALL_STEP {
                break;
            }
            let predicted: f64 = -(0..by.len())
                .map(|i| {
                    let row: f64 = matrix[i].iter().zip(&by).map(|(a, s)| a * s).sum();
                    by[i] * (2.0 * gradient[i] + row)
                })
                .sum::<f64>();
            // A run that fails is no gain.
            let there = match search.at(&next) {
                Ok(there) => Some(there),
                Err(e) if e.kind() == ErrorKind::Interrupted => return Err(e),
                Err(_) => None,
            };
            let gain = there.as_ref().map_or(-1.0, |t| here.sum() - t.sum());
            if gain > 0.0 {
                let ratio = gain / predicted.max(f64::MIN_POSITIVE);
                let factor = (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
                damping = damping.map(|d| d * factor);
                growth = 2.0;
                let small = gain <= SMALL_STEP * SMALL_STEP * here.sum();
                point = next;
                here = there.unwrap_or(here);
                if small {
                    break;
                }
            } else {
                damping = damping.map(|d| d * growth);
                growth *= 2.0;
                if damping.is_some_and(|d| d > largest / (SMALL_STEP * SMALL_STEP)) {
                    break;
                }
            }
        }
        Ok(search.judged(&point, &here, before, iterations))
    }
}

impl Search<'_> {
    /// Estimates with their errors, from the curvature at the end.
    fn judged(&self, point: &[f64], here: &Linearized, before: f64, iterations: usize) -> Fit {
        let n = point.len();
        let (matrix, gradient) = here.normal();
        let rows = here.deviations.len();
        let variance = here.sum() / rows.saturating_sub(n).max(1) as f64;
        let length: Vec<f64> = (0..n).map(|j| matrix[j][j].sqrt()).collect();
        let longest = length.iter().fold(0.0f64, |m, l| m.max(*l));
        let moves = |j: usize| length[j] > INDISTINCT * longest;
        let mut indistinct: Vec<Vec<String>> = (0..n)
            .filter(|&j| !moves(j))
            .map(|j| vec![self.unknowns[j].name.clone()])
            .collect();
        let active: Vec<usize> = (0..n).filter(|&j| moves(j)).collect();
        let unit: Vec<Vec<f64>> = (active.iter())
            .map(|&i| {
                let entry = |&j: &usize| matrix[i][j] / (length[i] * length[j]);
                active.iter().map(entry).collect()
            })
            .collect();
        let (values, vectors) = symmetric_eigen(unit);
        let largest = values.iter().fold(0.0f64, |m, v| m.max(*v));
        let mut inverse = vec![vec![0.0; active.len()]; active.len()];
        let mut lost = vec![false; n];
        for (k, &value) in values.iter().enumerate() {
            let part = |i: usize| vectors[i][k];
            if value <= INDISTINCT * largest {
                let set: Vec<usize> = (0..active.len())
                    .filter(|&i| part(i).abs() > TAKES_PART)
                    .collect();
                for &i in &set {
                    lost[active[i]] = true;
                }
                let name = |&i: &usize| self.unknowns[active[i]].name.clone();
                indistinct.push(set.iter().map(name).collect());
                continue;
            }
            for (i, row) in inverse.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry += part(i) * part(j) / value;
                }
            }
        }
        let error = |j: usize| match active.iter().position(|&a| a == j) {
            Some(i) if !lost[j] => {
                (variance * inverse[i][i]).max(0.0).sqrt() / length[j] * self.range(j)
            }
            _ => f64::INFINITY,
        };
        let mut correlation = vec![vec![0.0; n]; n];
        for (i, &a) in active.iter().enumerate() {
            for (j, &b) in active.iter().enumerate() {
                let size = (inverse[i][i] * inverse[j][j]).sqrt();
                correlation[a][b] = inverse[i][j] / if size > 0.0 { size } else { 1.0 };
            }
        }
        let estimates = (0..n).map(|j| Estimate {
            name: self.unknowns[j].name.clone(),
            value: point[j],
            error: error(j),
            at_bound: self.held(j, point, &gradient),
        });
        Fit {
            estimates: estimates.collect(),
            before,
            after: (here.sum() / rows as f64).sqrt(),
            iterations,
            correlation,
            indistinct,
        }
    }
}

/// Solves with a symmetric positive definite matrix, by Cholesky's factors.
fn solve_spd(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for j in 0..n {
        for k in 0..j {
            let l = a[j][k];
            for row in a.iter_mut().skip(j) {
                row[j] -= l * row[k];
            }
        }
        let pivot = a[j][j].max(f64::MIN_POSITIVE).sqrt();
        for row in a.iter_mut().skip(j) {
            row[j] /= pivot;
        }
        a[j][j] = pivot;
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
    b
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations.
fn symmetric_eigen(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    /// Sweeps after which rotations change nothing any more: they converge quadratically.
    const SWEEPS: usize = 30;
    let n = a.len();
    let mut v = vec![vec![0.0; n]; n];
    for (k, row) in v.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for _ in 0..SWEEPS {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for row in a.iter_mut().chain(v.iter_mut()) {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                let (above, below) = a.split_at_mut(q);
                for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    ((0..n).map(|k| a[k][k]).collect(), v)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[2, 1], [1, 2]] has the eigenvalues 1 and 3.
    #[test]
    fn small_matrices() {
        let (mut values, _) = symmetric_eigen(vec![vec![2.0, 1.0], vec![1.0, 2.0]]);
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-14 && (values[1] - 3.0).abs() < 1e-14);
        let x = solve_spd(vec![vec![2.0, 1.0], vec![1.0, 2.0]], vec![4.0, 5.0]);
        assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
    }
}
