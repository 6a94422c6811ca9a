//! The stages of a Radau IIA step: matrices, Newton's iteration, error estimate, collocation polynomial.

use super::Radau;
use crate::implicit::{At, Form};
use crate::limited::resolving;
use crate::linear::Singular;
use crate::norm::wrms;
use crate::scalar::Complex;
use crate::system::{EvalError, RootFunctions};

/// (4 ∓ √6) / 10 and 1.
pub(super) const C1: f64 = 0.155_051_025_721_682_2;
pub(super) const C2: f64 = 0.644_948_974_278_317_8;
/// Eigenvalues γ and α ± iβ of A⁻¹.
pub(super) const GAMMA: f64 = 3.637_834_252_744_496;
pub(super) const ALPHA: f64 = 2.681_082_873_627_752_3;
pub(super) const BETA: f64 = 3.050_430_199_247_410_5;
pub(super) const T: [[f64; 3]; 3] = [
    [
        9.123_239_487_089_294e-2,
        -0.141_255_295_020_954_2,
        -3.002_919_410_514_742_4e-2,
    ],
    [
        0.241_717_932_707_107,
        0.204_129_352_293_799_93,
        0.382_942_112_757_261_9,
    ],
    [0.966_048_182_615_093, 1.0, 0.0],
];
pub(super) const T_INV: [[f64; 3]; 3] = [
    [
        4.325_579_890_063_155,
        0.339_199_251_815_809_87,
        0.541_770_539_935_874_9,
    ],
    [
        -4.178_718_591_551_905,
        -0.327_682_820_761_062_4,
        0.476_623_554_500_550_45,
    ],
    [
        -0.502_872_634_945_786_9,
        2.571_926_949_855_605,
        -0.596_039_204_828_224_9,
    ],
];
/// Weights of Z in the error estimate: (-13 ∓ 7√6)/3 and -1/3.
const ERROR: [f64; 3] = [-10.048_809_399_827_416, 1.382_142_733_160_749, -1.0 / 3.0];

/// Newton iterations before giving up.
pub(super) const NEWTON_MAX: usize = 7;
/// Contraction below which ∂F/∂y is kept for the next step.
pub(super) const KEEP_JACOBIAN: f64 = 1e-3;
/// Why there are no stages.
pub(super) enum Failure {
    Evaluation(EvalError),
    Singular(Singular),
    /// With the factor by which the step should shrink.
    Newton(f64),
}

impl Failure {
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self, Failure::Evaluation(EvalError::Fatal(_)))
    }
}

impl<F> Radau<F> {
    /// Evaluates ∂F/∂y and ∂F/∂y' at the beginning of the step if they are old, and factors both matrices for `h`.
    pub(super) fn matrices<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
    ) -> Result<(), Failure>
    where
        F: Form<S>,
    {
        // Where steep functions were gone through before, those at a node may all be off by now, and the derivatives themselves singular.
        if !self.jacobian_current {
            let limited = self.whole.is_some() && self.limited_partials(system, h)?;
            if !limited {
                self.partials(system, h)?;
            }
            self.jacobian_current = true;
            self.jacobian_here = true;
        }
        match self.factor_matrices(h) {
            Err(_) if self.limited_partials(system, h)? => self.factor_matrices(h),
            done => done,
        }
    }

    /// ∂F/∂y and ∂F/∂y' at the beginning of the step.
    fn partials<S: RootFunctions + ?Sized>(&mut self, system: &mut S, h: f64) -> Result<(), Failure>
    where
        F: Form<S>,
    {
        let cj = 1.0 / h;
        for (cj, fresh) in [(0.0, true), (cj, false)] {
            let at = At {
                t: self.t,
                h,
                y: &self.y,
                yp: &self.yp,
                weight: &self.weight,
            };
            let out = if fresh { &mut self.d_y } else { &mut self.d_yp };
            self.form
                .jacobian(system, at, cj, fresh, out, &mut self.statistics)
                .map_err(Failure::Evaluation)?;
        }
        for (p, v) in self.d_yp.iter_mut().zip(&self.d_y) {
            *p = (*p - v) * h;
        }
        Ok(())
    }

    fn factor_matrices(&mut self, h: f64) -> Result<(), Failure> {
        for (m, (y, p)) in self
            .real_matrix
            .iter_mut()
            .zip(self.d_y.iter().zip(&self.d_yp))
        {
            *m = y + GAMMA / h * p;
        }
        for (m, (y, p)) in self
            .complex_matrix
            .iter_mut()
            .zip(self.d_y.iter().zip(&self.d_yp))
        {
            *m = Complex::new(y + ALPHA / h * p, BETA / h * p);
        }
        self.h_matrix = 0.0;
        self.statistics.factorizations += 1;
        if let (Some(real), Some(complex)) = (&mut self.real, &mut self.complex) {
            real.factor(&self.real_matrix).map_err(Failure::Singular)?;
            complex
                .factor(&self.complex_matrix)
                .map_err(Failure::Singular)?;
            self.statistics.pivot_searches = real.pivot_searches() + complex.pivot_searches();
        }
        self.h_matrix = h;
        Ok(())
    }

    /// Starting values of the stages: the last collocation polynomial, or zero.
    pub(super) fn predict(&mut self, h: f64) {
        if self.fresh_start {
            self.z
                .iter_mut()
                .chain(&mut self.w)
                .for_each(|v| v.fill(0.0));
            return;
        }
        let q = h / self.h_used;
        for i in 0..self.y.len() {
            let [_, a, b, c] = [0, 1, 2, 3].map(|k| self.dense[k][i]);
            let mut z = [0.0; 3];
            for (z, s) in z.iter_mut().zip([C1 * q, C2 * q, q]) {
                *z = s * (a + (s - (C2 - 1.0)) * (b + (s - (C1 - 1.0)) * c));
            }
            for k in 0..3 {
                self.z[k][i] = z[k];
                self.w[k][i] = T_INV[k][0] * z[0] + T_INV[k][1] * z[1] + T_INV[k][2] * z[2];
            }
        }
    }

    /// Unknowns and derivatives of a stage into `stage`, `slope`.
    pub(super) fn put_stage(&mut self, s: usize, h: f64) {
        for i in 0..self.y.len() {
            let [a, b, c] = [self.w[0][i], self.w[1][i], self.w[2][i]];
            let lambda = [GAMMA * a, ALPHA * b - BETA * c, BETA * b + ALPHA * c];
            self.stage[i] = self.y[i] + self.z[s][i];
            self.slope[i] = (T[s][0] * lambda[0] + T[s][1] * lambda[1] + T[s][2] * lambda[2]) / h;
        }
    }

    /// Newton's iteration for the stages. Returns the number of iterations.
    pub(super) fn iterate<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
        t_new: f64,
    ) -> Result<usize, Failure>
    where
        F: Form<S>,
    {
        let n = self.y.len();
        let mut norm_before = 0.0;
        let mut rate_before = 1.0;
        self.trust = self.trust.max(f64::EPSILON).powf(0.8);
        self.contraction = KEEP_JACOBIAN;
        // See the same in `bdf`.
        let (tolerance, least) = match self.form.limits(system) {
            0 => (self.newton_tolerance, 0.0),
            _ => {
                let resolved = self.newton_tolerance * resolving(self.internal.rtol);
                (resolved, 1.0)
            }
        };
        for m in 0..NEWTON_MAX {
            for (s, t) in [self.t + C1 * h, self.t + C2 * h, t_new]
                .into_iter()
                .enumerate()
            {
                self.put_stage(s, h);
                self.statistics.evaluations += 1;
                self.form
                    .residual(system, t, &self.stage, &self.slope, &mut self.r[s])
                    .map_err(Failure::Evaluation)?;
            }
            for i in 0..n {
                let r = [self.r[0][i], self.r[1][i], self.r[2][i]];
                let s = [0, 1, 2]
                    .map(|k| -(T_INV[k][0] * r[0] + T_INV[k][1] * r[1] + T_INV[k][2] * r[2]));
                self.r[0][i] = s[0];
                self.pair[i] = Complex::new(s[1], s[2]);
            }
            if let (Some(real), Some(complex)) = (&mut self.real, &mut self.complex) {
                real.solve(&mut self.r[0]);
                complex.solve(&mut self.pair);
            }
            self.statistics.newton_iterations += 1;
            let mut sum = 0.0;
            for i in 0..n {
                let d = [self.r[0][i], self.pair[i].re, self.pair[i].im];
                let mut w = [0.0; 3];
                for k in 0..3 {
                    let x = d[k] * self.weight[i];
                    sum += x * x;
                    self.w[k][i] += d[k];
                    w[k] = self.w[k][i];
                }
                for (z, t) in self.z.iter_mut().zip(&T) {
                    z[i] = t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
                }
            }
            let norm = (sum / (3 * n.max(1)) as f64).sqrt();
            if !norm.is_finite() {
                return Err(Failure::Newton(0.5));
            }
            if m > 0 {
                let ratio = norm / norm_before;
                let rate = if m == 1 {
                    ratio
                } else {
                    f64::sqrt(ratio * rate_before)
                };
                rate_before = ratio;
                if rate >= 0.99 {
                    return Err(Failure::Newton(0.5));
                }
                self.contraction = rate;
                self.trust = rate / (1.0 - rate);
                let left = (NEWTON_MAX - 1 - m) as i32;
                let expected = self.trust * norm * rate.powi(left) / tolerance;
                if expected >= 1.0 {
                    let q = expected.clamp(1e-4, 20.0);
                    return Err(Failure::Newton(0.8 * q.powf(-1.0 / (4 + left) as f64)));
                }
            }
            norm_before = norm.max(f64::MIN_POSITIVE);
            if self.trust.max(least) * norm <= tolerance || norm < 1e-12 {
                return Ok(m + 1);
            }
        }
        Err(Failure::Newton(0.5))
    }

    /// Norm of the error estimate.
    pub(super) fn estimate<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
    ) -> Result<f64, Failure>
    where
        F: Form<S>,
    {
        for i in 0..self.y.len() {
            let z = [self.z[0][i], self.z[1][i], self.z[2][i]];
            self.slope[i] = -(ERROR[0] * z[0] + ERROR[1] * z[1] + ERROR[2] * z[2]) / h;
        }
        self.stage.copy_from_slice(&self.y);
        let mut norm = f64::INFINITY;
        for round in 0..2 {
            self.statistics.evaluations += 1;
            let at = &mut self.r[0];
            match (self.form).residual(system, self.t, &self.stage, &self.slope, at) {
                // The filtered point is beyond what the equations are defined for: the plain estimate stands.
                Err(e) if round == 0 || matches!(e, EvalError::Fatal(_)) => {
                    return Err(Failure::Evaluation(e));
                }
                Err(_) => break,
                Ok(()) => self.error.copy_from_slice(at),
            }
            if let Some(real) = &mut self.real {
                real.solve(&mut self.error);
            }
            self.error.iter_mut().for_each(|e| *e = -*e);
            norm = wrms(&self.error, &self.error_weight).max(1e-10);
            if norm < 1.0 || round == 1 || !(self.fresh_start || self.rejected) {
                break;
            }
            // At a start or after a failure the plain estimate is too large for stiff components: filter once more.
            for (s, (y, e)) in self.stage.iter_mut().zip(self.y.iter().zip(&self.error)) {
                *s = y + e;
            }
        }
        if norm.is_finite() {
            Ok(norm)
        } else {
            Err(Failure::Newton(0.5))
        }
    }

    /// Takes the stages into solution, derivative and dense output.
    pub(super) fn accept(&mut self, h: f64) {
        self.begin.0.copy_from_slice(&self.y);
        self.begin.1.copy_from_slice(&self.yp);
        for i in 0..self.y.len() {
            let z = [self.z[0][i], self.z[1][i], self.z[2][i]];
            let w = [self.w[0][i], self.w[1][i], self.w[2][i]];
            self.y[i] += z[2];
            self.yp[i] = (T[2][0] * GAMMA * w[0] + ALPHA * w[1] - BETA * w[2]) / h;
            let a = (z[1] - z[2]) / (C2 - 1.0);
            let middle = (z[0] - z[1]) / (C1 - C2);
            let b = (middle - a) / (C1 - 1.0);
            let first = (middle - z[0] / C1) / C2;
            self.dense[0][i] = self.y[i];
            self.dense[1][i] = a;
            self.dense[2][i] = b;
            self.dense[3][i] = b - first;
        }
        self.h_used = h;
    }
}
