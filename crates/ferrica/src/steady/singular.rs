//! Newton's step where the Jacobian is singular, but the equations agree: the shortest of those that bring the rates down most.
//!
//! In: the rates, the Jacobian and the sizes of the states. Out: the step. A cart that carries a pendulum has one equation too many for the
//! pendulum's angle, and none for its own place: each step of (1/δ - ∂f/∂x)·Δx = f is as long as δ is. Here states are counted
//! in parts of their sizes, rates in parts of what their equations feel most, and |r + A·d|² + μ²·|d|² becomes least (Levenberg 1944), by
//! the sparse system I·e + A·d = -r, Aᵀ·e - μ²·d = 0 (Björck: Numerical Methods for Least Squares Problems, 1996, 2.5.3).

use ferrica_solvers::linear::LinearSolver;
use ferrica_solvers::sparse::CscPattern;

use super::Rest;

/// μ: a direction that moves the rates by less than this part of what others do is none to go.
const LEAST_PULL: f64 = 1e-6;
/// Where the Jacobian governs a step, one with a δ so much smaller is the same, up to this part of it or of the states.
const SMALLER: f64 = 1e-2;
const SAME_STEP: f64 = 1e-3;
const SAME_PLACE: f64 = 1e-6;

/// The larger system, made when it is needed first.
pub(super) struct Shortest {
    solver: LinearSolver,
    /// For each entry of the Jacobian its places in A and in its transpose; then those of I and of -μ².
    places: Vec<(usize, usize)>,
    diagonal: Vec<usize>,
    entries: Vec<(usize, usize)>,
}

impl Shortest {
    pub(super) fn new(pattern: &CscPattern) -> Shortest {
        let n = pattern.n();
        let entries: Vec<(usize, usize)> = pattern.entries().collect();
        let both = (entries.iter()).flat_map(|&(r, c)| [(r, n + c), (n + c, r)]);
        let whole = CscPattern::from_entries(2 * n, both.chain((0..2 * n).map(|k| (k, k))));
        let place = |r, c| whole.find(r, c).unwrap_or(0);
        Shortest {
            places: (entries.iter())
                .map(|&(r, c)| (place(r, n + c), place(n + c, r)))
                .collect(),
            diagonal: (0..2 * n).map(|k| place(k, k)).collect(),
            solver: LinearSolver::new(whole),
            entries,
        }
    }

    /// The step for a Jacobian (values in the order of its pattern), rates and sizes; free states neither rest nor move.
    pub(super) fn step(
        &mut self,
        jacobian: &[f64],
        rates: &[f64],
        sizes: &[f64],
        free: &[bool],
    ) -> Option<Vec<f64>> {
        let n = rates.len();
        let mut feels = vec![0.0f64; n];
        let taken = |r: usize, c: usize| !free[r] && !free[c];
        for (&(r, c), &value) in self.entries.iter().zip(jacobian) {
            if taken(r, c) {
                feels[r] = feels[r].max((value * sizes[c]).abs());
            }
        }
        // What no state changes is left out.
        let scale = |r: usize| if feels[r] > 0.0 { 1.0 / feels[r] } else { 0.0 };
        let mut matrix = vec![0.0; self.solver.pattern().nnz()];
        for ((&(r, c), &value), &(at, turned)) in
            (self.entries.iter().zip(jacobian)).zip(&self.places)
        {
            if taken(r, c) {
                let scaled = scale(r) * value * sizes[c];
                (matrix[at], matrix[turned]) = (scaled, scaled);
            }
        }
        for (k, &at) in self.diagonal.iter().enumerate() {
            matrix[at] = if k < n { 1.0 } else { -LEAST_PULL * LEAST_PULL };
        }
        self.solver.factor(&matrix).ok()?;
        let mut both: Vec<f64> = (0..n).map(|k| -scale(k) * rates[k]).collect();
        both.resize(2 * n, 0.0);
        self.solver.solve(&mut both);
        let step: Vec<f64> = (0..n).map(|k| both[n + k] * sizes[k]).collect();
        step.iter().all(|s| s.is_finite()).then_some(step)
    }
}

impl Rest<'_> {
    /// Newton's step; the shortest one where many would do, or none quite.
    pub(super) fn newton_step(&mut self, rates: &[f64]) -> Option<Vec<f64>> {
        let far = self.step(super::NEWTON_DELTA, rates).map(|s| s.0);
        let near = self.step(SMALLER * super::NEWTON_DELTA, rates);
        if let (Some(far), Some((near, _))) = (far, near) {
            let same = |(k, (a, b)): (usize, (&f64, &f64))| {
                (a - b).abs() <= SAME_STEP * a.abs() + SAME_PLACE * self.size(k)
            };
            if far.iter().zip(&near).enumerate().all(same) {
                return Some(far);
            }
        }
        let model = std::sync::Arc::clone(&self.model);
        let jacobian = model.ode_jacobian.as_ref()?;
        let mut values = vec![0.0; jacobian.pattern.nnz()];
        self.p.ev.ode_jacobian(&mut values).ok()?;
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let sizes: Vec<f64> = (0..self.n()).map(|k| self.size(k)).collect();
        let own = || Shortest::new(&jacobian.pattern);
        let mut shortest = self.shortest.take().unwrap_or_else(own);
        let step = shortest.step(&values, rates, &sizes, &self.free);
        self.shortest = Some(shortest);
        step
    }
}
