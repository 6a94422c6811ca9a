//! Junctions that conduct inside of a step but at neither of its ends.
//!
//! A step over a half-wave ends where the diode is off again, satisfies all equations there, and nothing of what the error test looks at has moved: the
//! pulse of current is lost. The arguments of steep functions ([`crate::system::DaeSystem::limits`]) show it: between the ends they go over the
//! threshold. In: the arguments at the ends of steps. Out: whether a step must be shorter.

use crate::implicit::{Form, Point};
use crate::system::{EvalError, RootFunctions};

/// Ends of steps that a cubic is laid through, the new one included.
const NODES: usize = 4;
/// Points in a step, as parts of it.
const PARTS: [f64; 3] = [0.25, 0.5, 0.75];
/// Only steps that are longer than this part of the longest are looked into: a shorter one sees what sources do, and after a jump of an argument the
/// cubic swings without meaning.
const LONG: f64 = 1e-2;

#[derive(Clone, Debug, Default)]
pub struct Inside {
    /// Time and arguments at the last ends, the newest first.
    past: [(f64, Vec<f64>); NODES - 1],
    known: usize,
    now: Vec<f64>,
    thresholds: Vec<f64>,
}

impl Inside {
    /// An integration begins.
    pub fn restart(&mut self) {
        self.known = 0;
    }

    /// Takes a point at which a step would end; must it be shorter?
    pub fn look<S: RootFunctions + ?Sized, F: Form<S>>(
        &mut self,
        form: &mut F,
        system: &mut S,
        at: Point<'_>,
        h_max: f64,
    ) -> Result<bool, EvalError> {
        let count = form.limits(system);
        if count == 0 {
            return Ok(false);
        }
        self.now.resize(count, 0.0);
        form.limit_arguments(system, at, &mut self.now)?;
        self.thresholds.resize(count, 0.0);
        form.limit_thresholds(system, &mut self.thresholds);
        let long = at.t - self.past[0].0 > LONG * h_max;
        Ok(long && self.known >= 2 && self.comes_and_goes(at.t))
    }

    /// The step to the point that was looked at last is taken.
    pub fn accept(&mut self, t: f64) {
        if self.now.is_empty() {
            return;
        }
        self.past.rotate_right(1);
        self.past[0].0 = t;
        std::mem::swap(&mut self.past[0].1, &mut self.now);
        self.known = (self.known + 1).min(NODES - 1);
    }

    fn comes_and_goes(&self, t_new: f64) -> bool {
        let begin = self.past[0].0;
        let weights = PARTS.map(|part| self.weights(begin + part * (t_new - begin), t_new));
        let goes_over = |j: usize| {
            let (first, last) = (self.past[0].1[j], self.now[j]);
            let threshold = self.thresholds[j];
            if first >= threshold || last >= threshold {
                return false;
            }
            let inside = weights.map(|w| {
                let past = (0..self.known).map(|i| w[i + 1] * self.past[i].1[j]);
                w[0] * last + past.sum::<f64>()
            });
            let line = [first, inside[0], inside[1], inside[2], last];
            line.windows(3).any(|p| peak(p) > threshold)
        };
        (0..self.now.len()).any(goes_over)
    }

    /// Lagrange's weights of the new point and of the past ones.
    fn weights(&self, t: f64, t_new: f64) -> [f64; NODES] {
        let node = |i: usize| if i == 0 { t_new } else { self.past[i - 1].0 };
        let all = || 0..=self.known;
        std::array::from_fn(|i| match i <= self.known {
            true => all()
                .filter(|&k| k != i)
                .map(|k| (t - node(k)) / (node(i) - node(k)))
                .product(),
            false => 0.0,
        })
    }
}

/// The top of the parabola through three equidistant values, if it is between them.
fn peak(p: &[f64]) -> f64 {
    let (a, b, c) = (p[0], p[1], p[2]);
    if b < a || b < c || a == c && b == c {
        return b;
    }
    b - (c - a) * (c - a) / (8.0 * (a - 2.0 * b + c))
}
