//! The stages of a Radau IIA step where equations have steep functions: Newton's iteration with the limited equations, all three stages at once.
//!
//! Each stage has a Jacobian and tangents of its own, so that there is no transformation to smaller systems: the matrix has 3 × 3 blocks, δ_ij ∂F/∂y +
//! (A⁻¹)_ij/h ∂F/∂y' of stage i.

use super::Radau;
use super::stages::{ALPHA, BETA, C1, C2, Failure, GAMMA, T, T_INV};
use crate::implicit::{Form, Point};
use crate::limited::{LIMITED_MAX, LimitedProgress, resolving};
use crate::linear::LinearSolver;
use crate::sparse::CscPattern;
use crate::system::RootFunctions;

/// Matrix and room for the iteration, made when it is first needed.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    linear: LinearSolver<f64>,
    matrix: Vec<f64>,
    /// Where block (i, j) has the entries of one stage's pattern; `u32::MAX` where it has none.
    position: [[Vec<u32>; 3]; 3],
    inverse: [[f64; 3]; 3],
    d_y: Vec<f64>,
    d_yp: Vec<f64>,
    places: [Vec<f64>; 3],
    /// Residuals, then corrections, of the stages one after the other.
    delta: Vec<f64>,
    reach: Vec<f64>,
}

impl Whole {
    fn new(pattern: &CscPattern, differential: &dyn Fn(usize) -> bool) -> Whole {
        let n = pattern.n();
        let blocks = || (0..9).map(|k| (k / 3, k % 3));
        let has = |i: usize, j: usize, c: usize| i == j || differential(c);
        let whole = CscPattern::from_entries(
            3 * n,
            pattern.entries().flat_map(|(r, c)| {
                let here = blocks().filter(move |&(i, j)| has(i, j, c));
                here.map(move |(i, j)| (i * n + r, j * n + c))
            }),
        );
        let position = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let at = |(r, c)| match has(i, j, c) {
                    true => whole.find(i * n + r, j * n + c),
                    false => None,
                };
                let positions = pattern.entries().map(at);
                positions
                    .map(|p| p.map_or(u32::MAX, |p| p as u32))
                    .collect()
            })
        });
        let eigen = [[GAMMA, 0.0, 0.0], [0.0, ALPHA, -BETA], [0.0, BETA, ALPHA]];
        let entry = |i: usize, j: usize| {
            let of = |(k, l): (usize, usize)| T[i][k] * eigen[k][l] * T_INV[l][j];
            blocks().map(of).sum()
        };
        Whole {
            matrix: vec![0.0; whole.nnz()],
            linear: LinearSolver::new(whole),
            position,
            inverse: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))),
            d_y: vec![0.0; pattern.nnz()],
            d_yp: vec![0.0; pattern.nnz()],
            places: Default::default(),
            delta: vec![0.0; 3 * n],
            reach: Vec::new(),
        }
    }
}

impl<F> Radau<F> {
    /// The stages of a step after the simplified iteration has failed, if there are steep functions. The number of iterations.
    pub(super) fn limited_stages<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
        t_new: f64,
        problem: Failure,
    ) -> Result<usize, Failure>
    where
        F: Form<S>,
    {
        let count = self.form.limits(system);
        if count == 0 {
            return Err(problem);
        }
        let mut whole = match self.whole.take() {
            Some(whole) => whole,
            None => {
                let (_, pattern) = self.form.prepare(system);
                let differential = |i| self.form.differential(system, i);
                Box::new(Whole::new(&pattern, &differential))
            }
        };
        let done = self.iterate_limited(system, &mut whole, count, h, t_new);
        self.whole = Some(whole);
        // Neither the Jacobian nor the speed of this iteration says anything of the next step.
        self.contraction = 1.0;
        self.trust = 1.0;
        done
    }

    fn iterate_limited<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        whole: &mut Whole,
        count: usize,
        h: f64,
        t_new: f64,
    ) -> Result<usize, Failure>
    where
        F: Form<S>,
    {
        let n = self.y.len();
        self.predict(h);
        // Algebraic unknowns begin at their last values: see the same in `bdf`.
        for i in (0..n).filter(|&i| !self.form.differential(system, i)) {
            for v in self.z.iter_mut().chain(&mut self.w) {
                v[i] = 0.0;
            }
        }
        let begin = Point {
            t: self.t,
            y: &self.y,
            yp: &self.yp,
        };
        for places in &mut whole.places {
            places.resize(count, 0.0);
            self.form
                .limit_arguments(system, begin, places)
                .map_err(Failure::Evaluation)?;
        }
        let mut progress =
            LimitedProgress::new(self.newton_tolerance * resolving(self.internal.rtol));
        for m in 0..LIMITED_MAX {
            let mut home = true;
            whole.matrix.fill(0.0);
            let times = [self.t + C1 * h, self.t + C2 * h, t_new];
            for (s, t) in times.into_iter().enumerate() {
                self.put_stage(s, h);
                let at = Point {
                    t,
                    y: &self.stage,
                    yp: &self.slope,
                };
                self.statistics.evaluations += 1;
                self.statistics.jacobians += 1;
                let places = &mut whole.places[s];
                let r = &mut whole.delta[s * n..(s + 1) * n];
                home &= self
                    .form
                    .limited_residual(system, at, places, r)
                    .map_err(Failure::Evaluation)?;
                for (cj, out) in [(0.0, &mut whole.d_y), (1.0 / h, &mut whole.d_yp)] {
                    self.form
                        .limited_jacobian(system, at, cj, places, out)
                        .map_err(Failure::Evaluation)?;
                }
                for j in 0..3 {
                    // The difference of both is ∂F/∂y' / h.
                    let factor = whole.inverse[s][j];
                    let own = if s == j { 1.0 } else { 0.0 };
                    let entries = whole.d_y.iter().zip(&whole.d_yp);
                    for (&p, (y, with)) in whole.position[s][j].iter().zip(entries) {
                        if p != u32::MAX {
                            whole.matrix[p as usize] += own * y + factor * (with - y);
                        }
                    }
                }
            }
            self.statistics.factorizations += 1;
            let pattern = whole.linear.pattern();
            let weights = (&self.weight[..], &self.error_weight[..]);
            let reach = &mut whole.reach;
            progress.look(pattern, &whole.matrix, &whole.delta, weights, reach);
            whole
                .linear
                .factor(&whole.matrix)
                .map_err(Failure::Singular)?;
            whole.linear.solve(&mut whole.delta);
            self.statistics.newton_iterations += 1;
            if progress.is_solved(&whole.delta, &self.error_weight, home) {
                return Ok(m + 1);
            }
            let mut sum = 0.0;
            for i in 0..n {
                let mut z = [0.0; 3];
                for (s, z) in z.iter_mut().enumerate() {
                    let d = whole.delta[s * n + i];
                    self.z[s][i] -= d;
                    *z = self.z[s][i];
                    sum += (d * self.weight[i]).powi(2);
                }
                for (w, t) in self.w.iter_mut().zip(&T_INV) {
                    w[i] = t[0] * z[0] + t[1] * z[1] + t[2] * z[2];
                }
            }
            let norm = (sum / (3 * n.max(1)) as f64).sqrt();
            if !norm.is_finite() {
                break;
            }
            if progress.is_done(norm, home) {
                return Ok(m + 1);
            }
        }
        Err(Failure::Newton(0.25))
    }

    /// Norm of the error estimate of such a step. A junction that is off pins its current, and a matrix of that state filters all error out of it: so the
    /// estimate is the larger of those with the matrices at the beginning and at the end.
    pub(super) fn estimate_switched<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
    ) -> Result<f64, Failure>
    where
        F: Form<S>,
    {
        let at_begin = self.estimate(system, h)?;
        let (Some(whole), Some(real)) = (&self.whole, &mut self.real) else {
            return Ok(at_begin);
        };
        let entries = whole.d_y.iter().zip(&whole.d_yp);
        for (m, (y, with)) in self.real_matrix.iter_mut().zip(entries) {
            *m = y + GAMMA * (with - y);
        }
        self.h_matrix = 0.0;
        self.statistics.factorizations += 1;
        real.factor(&self.real_matrix).map_err(Failure::Singular)?;
        Ok(at_begin.max(self.estimate(system, h)?))
    }

    /// ∂F/∂y and ∂F/∂y' at the beginning of the step with tangents, where those of the equations themselves are singular.
    pub(super) fn limited_partials<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
    ) -> Result<bool, Failure>
    where
        F: Form<S>,
    {
        let count = self.form.limits(system);
        if count == 0 {
            return Ok(false);
        }
        let mut places = vec![0.0; count];
        let at = Point {
            t: self.t,
            y: &self.y,
            yp: &self.yp,
        };
        let form = &mut self.form;
        form.limit_arguments(system, at, &mut places)
            .and_then(|()| form.limited_jacobian(system, at, 0.0, &places, &mut self.d_y))
            .and_then(|()| form.limited_jacobian(system, at, 1.0 / h, &places, &mut self.d_yp))
            .map_err(Failure::Evaluation)?;
        for (p, v) in self.d_yp.iter_mut().zip(&self.d_y) {
            *p = (*p - v) * h;
        }
        Ok(true)
    }
}
