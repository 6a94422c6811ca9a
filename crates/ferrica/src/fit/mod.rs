//! Parameters from measurements: least squares by the method of Levenberg and Marquardt, on exact sensitivities.
//!
//! In: measured trajectories of one or several experiments, parameters with bounds. Out: estimates with their standard errors.
//! Parameters are scaled by their ranges, the deviations of a variable by the spread of its measurements; so units do not
//! matter. A step that would leave the bounds ends at them. After Nielsen's strategy the damping follows how well the linear
//! model has predicted the gain.

mod data;
mod found;
mod matrices;

pub use data::Measured;
use data::{Data, wrong};
pub use found::{Estimate, Fit, Unknown};
use matrices::{solve_spd, symmetric_eigen};

use crate::error::{Error, ErrorKind};
use crate::experiment::Experiment;
use crate::model::Model;
use crate::words::brief;

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

    /// The first run fails: its values can be others.
    fn cannot_begin(&self, error: Error, point: &[f64]) -> Error {
        if error.kind() != ErrorKind::Run {
            return error;
        }
        let values: Vec<String> = (self.unknowns.iter().zip(point))
            .map(|(u, x)| format!("{} = {}", u.name, brief(*x)))
            .collect();
        error.with_hint(format!(
            "this is the first run of the search, with {}: set values from which the run reaches the end of the data",
            values.join(", ")
        ))
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
        let begun = search.at(&point);
        let mut here = begun.map_err(|e| search.cannot_begin(e, &point))?;
        let count = here.deviations.len() as f64;
        let before = (here.sum() / count).sqrt();
        let (mut damping, mut growth) = (None, 2.0);
        let (mut iterations, mut converged) = (0, true);
        loop {
            if iterations == MAX_ITERATIONS {
                converged = false;
                break;
            }
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
        let found = search.judged(&point, &here, before, iterations);
        Ok(Fit { converged, ..found })
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
                let names = set.iter().map(name).collect();
                // Several directions may mix the same ones.
                if !indistinct.contains(&names) {
                    indistinct.push(names);
                }
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
            converged: true,
            correlation,
            indistinct,
        }
    }
}
