//! The states between two events, as the steps of a run have left them.
//!
//! In: accepted steps with their dense output. Out: the states at any time in them. The dense output of every method is a polynomial
//! of at most [`DEGREE`] on a step, so its values at one more point than that say all of it.

use ferrica_solvers::integrator::Solution;

/// The highest degree of a dense output: that of BDF.
const DEGREE: usize = 5;
const NODES: usize = DEGREE + 1;

#[derive(Default)]
pub(super) struct Trajectory {
    states: usize,
    /// Ends of the steps, and the beginning of the first one.
    ends: Vec<f64>,
    begins: Vec<f64>,
    /// For each step the states at its nodes.
    values: Vec<f64>,
    /// Chebyshev's points of the second kind, in parts of a step: they include both ends.
    nodes: [f64; NODES],
}

impl Trajectory {
    pub(super) fn new(states: usize) -> Trajectory {
        let angle = |j: usize| std::f64::consts::PI * j as f64 / DEGREE as f64;
        Trajectory {
            states,
            nodes: std::array::from_fn(|j| 0.5 * (1.0 - angle(j).cos())),
            ..Trajectory::default()
        }
    }

    pub(super) fn steps(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.begins.clear();
        self.values.clear();
    }

    pub(super) fn push(&mut self, begin: f64, end: f64, solution: &dyn Solution) {
        self.begins.push(begin);
        self.ends.push(end);
        for node in self.nodes {
            let first = self.values.len();
            self.values.resize(first + self.states, 0.0);
            let t = begin + node * (end - begin);
            solution.interpolate(t, &mut self.values[first..]);
        }
    }

    /// The step that a time is in.
    pub(super) fn step_at(&self, t: f64) -> usize {
        let after = self.ends.partition_point(|&end| end < t);
        after.min(self.ends.len().saturating_sub(1))
    }

    pub(super) fn end_of(&self, step: usize) -> f64 {
        let last = self.ends.len().saturating_sub(1);
        self.ends.get(step.min(last)).copied().unwrap_or(0.0)
    }

    /// The states at a time, by the barycentric formula.
    pub(super) fn at(&self, t: f64, states: &mut [f64]) {
        let step = self.step_at(t);
        let (Some(begin), Some(end)) = (self.begins.get(step), self.ends.get(step)) else {
            return;
        };
        let values = &self.values[step * NODES * self.states..][..NODES * self.states];
        let of_node = |j: usize| &values[j * self.states..][..self.states];
        let x = (t - begin) / (end - begin);
        let mut weights = [0.0; NODES];
        let mut sum = 0.0;
        for (j, (w, node)) in weights.iter_mut().zip(self.nodes).enumerate() {
            if x == node {
                states.copy_from_slice(of_node(j));
                return;
            }
            let half = if j == 0 || j == DEGREE { 0.5 } else { 1.0 };
            let sign = if j % 2 == 0 { half } else { -half };
            *w = sign / (x - node);
            sum += *w;
        }
        let part = 1.0 / sum;
        weights.iter_mut().for_each(|w| *w *= part);
        for (k, x) in states.iter_mut().enumerate() {
            let mut value = 0.0;
            for (j, w) in weights.iter().enumerate() {
                value += w * values[j * self.states + k];
            }
            *x = value;
        }
    }
}
