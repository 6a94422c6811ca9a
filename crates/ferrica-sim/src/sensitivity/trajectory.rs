//! The states between two events, as the steps of a run have left them.
//!
//! In: accepted steps with their dense output. Out: the states at any time in them. The dense output of every method is a polynomial
//! of at most [`DEGREE`] on a step, so its values at one more point than that say all of it: they are kept as divided differences, of which Newton's
//! form needs one multiplication each.

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
    /// For each step the divided differences of the states over its nodes, those of one order together.
    differences: Vec<f64>,
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
        self.differences.clear();
    }

    pub(super) fn push(&mut self, begin: f64, end: f64, solution: &dyn Solution) {
        self.begins.push(begin);
        self.ends.push(end);
        let (n, first) = (self.states, self.differences.len());
        self.differences.resize(first + NODES * n, 0.0);
        let own = &mut self.differences[first..];
        for (node, values) in self.nodes.iter().zip(own.chunks_exact_mut(n)) {
            solution.interpolate(begin + node * (end - begin), values);
        }
        for order in 1..NODES {
            for j in (order..NODES).rev() {
                let span = 1.0 / (self.nodes[j] - self.nodes[j - order]);
                let (before, of_j) = own.split_at_mut(j * n);
                let before = &before[(j - 1) * n..];
                for (d, before) in of_j[..n].iter_mut().zip(before) {
                    *d = (*d - before) * span;
                }
            }
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
        let Some((differences, from_nodes)) = self.formula(t) else {
            return;
        };
        let (lower, highest) = differences.split_at(DEGREE * self.states);
        states.copy_from_slice(highest);
        let lower = lower.chunks_exact(self.states).zip(from_nodes);
        for (of_order, from_node) in lower.rev() {
            for (x, d) in states.iter_mut().zip(of_order) {
                *x = *x * from_node + d;
            }
        }
    }

    /// Some of them.
    pub(super) fn some(&self, t: f64, which: &[usize], mut take: impl FnMut(usize, f64)) {
        let Some((differences, from_nodes)) = self.formula(t) else {
            return;
        };
        for &k in which {
            let lower = from_nodes.iter().enumerate().rev();
            let highest = differences[DEGREE * self.states + k];
            let x = lower.fold(highest, |x, (j, from_node)| {
                x * from_node + differences[j * self.states + k]
            });
            take(k, x);
        }
    }

    /// The differences of the step that a time is in, and how far the time is from its nodes, in parts of the step.
    fn formula(&self, t: f64) -> Option<(&[f64], [f64; DEGREE])> {
        let step = self.step_at(t);
        let (begin, end) = (self.begins.get(step)?, self.ends.get(step)?);
        let differences = &self.differences[step * NODES * self.states..][..NODES * self.states];
        let x = (t - begin) / (end - begin);
        Some((differences, std::array::from_fn(|j| x - self.nodes[j])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_solvers::dopri5::Dopri5;
    use ferrica_solvers::integrator::{Integrator, Options};
    use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};

    struct Swing;

    impl RootFunctions for Swing {}

    impl OdeSystem for Swing {
        fn n(&self) -> usize {
            2
        }
        fn rhs(&mut self, _t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
            (ydot[0], ydot[1]) = (y[1], -y[0]);
            Ok(())
        }
    }

    /// What is kept of steps is their dense output.
    #[test]
    fn the_dense_output_comes_back() {
        let mut solver = Dopri5::new(Options::new(1e-6, 1e-6));
        solver.init(&mut Swing, 0.0, &[1.0, 0.0], &[]).unwrap();
        let mut kept = Trajectory::new(2);
        for _ in 0..5 {
            let begin = solver.t();
            solver.step(&mut Swing, 10.0).unwrap();
            kept.push(begin, solver.t(), &solver);
            for part in [0.0, 0.1, 0.37, 0.5, 0.81, 1.0] {
                let t = begin + part * (solver.t() - begin);
                let (mut wanted, mut found) = ([0.0; 2], [0.0; 2]);
                solver.interpolate(t, &mut wanted);
                kept.at(t, &mut found);
                for k in 0..2 {
                    assert!((wanted[k] - found[k]).abs() < 1e-14);
                    kept.some(t, &[k], |_, x| assert_eq!(x, found[k]));
                }
            }
        }
    }
}
