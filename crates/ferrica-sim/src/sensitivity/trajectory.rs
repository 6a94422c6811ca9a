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

    /// Begin and end of each step.
    pub(super) fn spans(&self) -> impl Iterator<Item = (f64, f64)> {
        self.begins.iter().copied().zip(self.ends.iter().copied())
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

    /// The states at a time.
    pub(super) fn at(&self, t: f64, states: &mut [f64]) {
        let Some((values, weights)) = self.formula(t) else {
            return;
        };
        states.fill(0.0);
        for (of_node, w) in values.chunks_exact(self.states).zip(weights) {
            for (x, v) in states.iter_mut().zip(of_node) {
                *x += w * v;
            }
        }
    }

    /// Some of them.
    pub(super) fn some(&self, t: f64, which: &[usize], mut take: impl FnMut(usize, f64)) {
        let Some((values, weights)) = self.formula(t) else {
            return;
        };
        for &k in which {
            let terms = weights.iter().enumerate();
            take(
                k,
                terms.fold(0.0, |sum, (j, w)| sum + w * values[j * self.states + k]),
            );
        }
    }

    /// The values at the nodes of the step that a time is in, and their weights by the barycentric formula.
    fn formula(&self, t: f64) -> Option<(&[f64], [f64; NODES])> {
        let step = self.step_at(t);
        let (begin, end) = (self.begins.get(step)?, self.ends.get(step)?);
        let values = &self.values[step * NODES * self.states..][..NODES * self.states];
        let x = (t - begin) / (end - begin);
        let mut weights = [0.0; NODES];
        if let Some(j) = self.nodes.iter().position(|node| x == *node) {
            weights[j] = 1.0;
            return Some((values, weights));
        }
        let mut sum = 0.0;
        for (j, (w, node)) in weights.iter_mut().zip(self.nodes).enumerate() {
            let half = if j == 0 || j == DEGREE { 0.5 } else { 1.0 };
            let sign = if j % 2 == 0 { half } else { -half };
            *w = sign / (x - node);
            sum += *w;
        }
        let part = 1.0 / sum;
        weights.iter_mut().for_each(|w| *w *= part);
        Some((values, weights))
    }
}
