//! How far steps of a fixed size lead away from the solution over a run.
//!
//! In: now and then a step, its two halves, and the same step from a neighbouring point; the values of all steps. Out: an estimate of the error, in parts of the
//! range of the values, where it is so large that somebody must be told.
//!
//! The halves give the error of one step (Richardson), d. How much of it is left a step later is measured: κ = ‖Φ(y + d) − Φ(y)‖/‖d‖. Since
//! the last look n steps have each added as much, of which 1 + κ + … + κⁿ⁻¹ is there: all of it in an oscillation without damping, next to nothing in a motion
//! that forgets. Errors that the model itself makes larger are not counted as such (κ ≤ 1): a chaotic one leads every method elsewhere.

/// Part of the range that is told.
const TOLD: f64 = 0.05;

/// Steps that lead away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The unknown with the largest error, and the error in parts of its range.
    pub variable: usize,
    pub part: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Estimate {
    /// Smallest and largest values so far.
    ranges: Vec<(f64, f64)>,
    /// Steps since the last look.
    steps: i32,
    /// Error of a step at the last look, in parts of the ranges.
    last: Option<f64>,
    /// Errors of all steps as far as they are still there, and the largest so far.
    sums: Vec<f64>,
    worst: Vec<f64>,
}

impl Estimate {
    pub(super) fn new(y: &[f64]) -> Estimate {
        Estimate {
            ranges: y.iter().map(|&y| (y, y)).collect(),
            steps: 0,
            last: None,
            sums: vec![0.0; y.len()],
            worst: vec![0.0; y.len()],
        }
    }

    /// After each step.
    pub(super) fn step(&mut self, y: &[f64]) {
        self.steps = self.steps.saturating_add(1);
        for (r, &y) in self.ranges.iter_mut().zip(y) {
            *r = (r.0.min(y), r.1.max(y));
        }
    }

    /// An error of the unknown in parts of its range.
    fn part(&self, i: usize, d: f64) -> f64 {
        match self.ranges[i].1 - self.ranges[i].0 {
            range if range > 0.0 => d.abs() / range,
            _ => 0.0,
        }
    }

    fn size(&self, d: impl Fn(usize) -> f64) -> f64 {
        let squares = (0..self.sums.len()).map(|i| self.part(i, d(i)).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// The error of a step is `error`; from a point that differs by it the step would have led to `beside` instead of `y`.
    pub(super) fn look(&mut self, error: &[f64], y: &[f64], beside: &[f64]) {
        let now = self.size(|i| error[i]);
        let left = self.size(|i| beside[i] - y[i]);
        let steps = std::mem::take(&mut self.steps);
        let Some(before) = self.last.replace(now) else {
            return;
        };
        if !(now > 0.0 && now.is_finite()) {
            return;
        }
        // A single step over a bend says nothing about the others: both ends of the stretch must show it.
        let usual = (before / now).min(1.0);
        let kept = (left / now).min(1.0);
        let all = kept.powi(steps);
        let added = match kept {
            1.0 => f64::from(steps),
            _ => (1.0 - all) / (1.0 - kept),
        };
        for ((sum, worst), d) in self.sums.iter_mut().zip(&mut self.worst).zip(error) {
            *sum = all * *sum + added * usual * d.abs();
            *worst = worst.max(*sum);
        }
    }

    /// What is worth telling so far.
    pub(super) fn told(&self) -> Option<Drift> {
        let parts = self.worst.iter().enumerate().map(|(variable, &d)| Drift {
            variable,
            part: self.part(variable, d),
        });
        let worst = parts.max_by(|a, b| a.part.total_cmp(&b.part));
        worst.filter(|w| w.part > TOLD)
    }
}
