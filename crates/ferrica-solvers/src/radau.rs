//! Radau IIA of order five: implicit Runge–Kutta for stiff ODEs and DAEs.
//!
//! Three stages with Z_i = Y_i - y_n and h Y'_i = (A⁻¹ Z)_i solve F(t_n + c_i h, y_n + Z_i, Y'_i) = 0. A simplified Newton
//! iteration is carried out in W = T⁻¹ Z, where A⁻¹ is diagonal up to a rotation: each iteration solves one real system with
//! ∂F/∂y + γ/h ∂F/∂y' and one complex one with ∂F/∂y + (α + iβ)/h ∂F/∂y'. The error is estimated by an embedded
//! third-order formula, filtered through the real matrix; dense output is the collocation polynomial.
//!
//! Hairer, Wanner: Solving Ordinary Differential Equations II, section IV.8 (RADAU5). As there, the tolerances are
//! transformed, rtol → rtol^(2/3)/10, because the estimate is of lower order than the solution.

use crate::implicit::{At, DaeForm, Form, OdeForm};
use crate::integrator::{Options, SolverError, Statistics};
use crate::linear::{LinearSolver, Singular};
use crate::norm::{largest, set_weights, wrms};
use crate::scalar::Complex;
use crate::stepper::{Method, State, Stepper};
use crate::system::{EvalError, RootFunctions};

/// Radau IIA for `F(t, y, y') = 0`.
pub type RadauDae = Stepper<Radau<DaeForm>>;
/// Radau IIA for `M y' = f(t, y)`.
pub type RadauOde = Stepper<Radau<OdeForm>>;

/// (4 ∓ √6) / 10 and 1.
const C1: f64 = 0.155_051_025_721_682_2;
const C2: f64 = 0.644_948_974_278_317_8;
/// Eigenvalues γ and α ± iβ of A⁻¹.
const GAMMA: f64 = 3.637_834_252_744_496;
const ALPHA: f64 = 2.681_082_873_627_752_3;
const BETA: f64 = 3.050_430_199_247_410_5;
const T: [[f64; 3]; 3] = [
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
const T_INV: [[f64; 3]; 3] = [
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

const NEWTON_MAX: usize = 7;
const SAFETY: f64 = 0.9;
/// Contraction below which ∂F/∂y is kept for the next step.
const KEEP_JACOBIAN: f64 = 1e-3;
/// The step, and with it the matrices, is kept when it could grow by less than this.
const KEEP_STEP: f64 = 1.2;

#[derive(Clone, Debug)]
pub struct Radau<F> {
    options: Options,
    /// Options with the transformed tolerances.
    internal: Options,
    statistics: Statistics,
    form: F,
    real: Option<LinearSolver<f64>>,
    complex: Option<LinearSolver<Complex>>,
    /// ∂F/∂y, ∂F/∂y' and room for their combinations.
    d_y: Vec<f64>,
    d_yp: Vec<f64>,
    real_matrix: Vec<f64>,
    complex_matrix: Vec<Complex>,
    t: f64,
    t_before: f64,
    h: f64,
    h_used: f64,
    h_natural: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    z: [Vec<f64>; 3],
    w: [Vec<f64>; 3],
    r: [Vec<f64>; 3],
    pair: Vec<Complex>,
    stage: Vec<f64>,
    slope: Vec<f64>,
    error: Vec<f64>,
    weight: Vec<f64>,
    error_weight: Vec<f64>,
    mask: Option<Vec<f64>>,
    /// Coefficients of the collocation polynomial in (t - t_end) / h.
    dense: [Vec<f64>; 4],
    h_matrix: f64,
    jacobian_current: bool,
    /// Whether it belongs to the very point of the step.
    jacobian_here: bool,
    /// Rate of Newton's iteration in the last step, and the factor rate / (1 - rate), which is trusted
    /// less with every step that ends after one iteration.
    contraction: f64,
    trust: f64,
    error_before: f64,
    h_accepted: f64,
    rejected: bool,
    fresh_start: bool,
    newton_tolerance: f64,
}

enum Failure {
    Evaluation(EvalError),
    Singular(Singular),
    /// With the factor by which the step should shrink.
    Newton(f64),
}

impl RadauDae {
    pub fn new(options: Options) -> RadauDae {
        Stepper::of(Radau::with_form(options))
    }
}

impl RadauOde {
    pub fn new(options: Options) -> RadauOde {
        Stepper::of(Radau::with_form(options))
    }
}

impl<F: Default> Radau<F> {
    fn with_form(options: Options) -> Radau<F> {
        let mut internal = options.clone();
        internal.rtol = 0.1 * options.rtol.max(1e-14).powf(2.0 / 3.0);
        let factor = internal.rtol / options.rtol.max(1e-14);
        internal.atol.iter_mut().for_each(|a| *a *= factor);
        let floor = 10.0 * f64::EPSILON / internal.rtol;
        let newton_tolerance = internal.rtol.sqrt().min(0.03).max(floor);
        Radau {
            options,
            internal,
            statistics: Statistics::default(),
            form: F::default(),
            real: None,
            complex: None,
            d_y: Vec::new(),
            d_yp: Vec::new(),
            real_matrix: Vec::new(),
            complex_matrix: Vec::new(),
            t: 0.0,
            t_before: 0.0,
            h: 0.0,
            h_used: 0.0,
            h_natural: 0.0,
            y: Vec::new(),
            yp: Vec::new(),
            z: Default::default(),
            w: Default::default(),
            r: Default::default(),
            pair: Vec::new(),
            stage: Vec::new(),
            slope: Vec::new(),
            error: Vec::new(),
            weight: Vec::new(),
            error_weight: Vec::new(),
            mask: None,
            dense: Default::default(),
            h_matrix: 0.0,
            jacobian_current: false,
            jacobian_here: false,
            contraction: 1.0,
            trust: 1.0,
            error_before: 1e-2,
            h_accepted: 0.0,
            rejected: false,
            fresh_start: true,
            newton_tolerance,
        }
    }
}

impl<F> Radau<F> {
    fn prepare<S: RootFunctions + ?Sized>(&mut self, system: &S) -> usize
    where
        F: Form<S>,
    {
        let (n, pattern) = self.form.prepare(system);
        self.d_y = vec![0.0; pattern.nnz()];
        self.d_yp = vec![0.0; pattern.nnz()];
        self.real_matrix = vec![0.0; pattern.nnz()];
        self.complex_matrix = vec![Complex::default(); pattern.nnz()];
        self.real = Some(LinearSolver::new(pattern.clone()));
        self.complex = Some(LinearSolver::new(pattern));
        self.pair = vec![Complex::default(); n];
        let vectors = self.z.iter_mut().chain(&mut self.w).chain(&mut self.r);
        for v in vectors.chain(&mut self.dense).chain([
            &mut self.y,
            &mut self.yp,
            &mut self.stage,
            &mut self.slope,
            &mut self.error,
            &mut self.weight,
            &mut self.error_weight,
        ]) {
            v.clear();
            v.resize(n, 0.0);
        }
        let tested: Vec<bool> = (0..n)
            .map(|i| !self.options.exclude_algebraic || self.form.differential(system, i))
            .collect();
        let count = tested.iter().filter(|&&b| b).count();
        let scale = (n as f64 / count.max(1) as f64).sqrt();
        self.mask = (count > 0 && count < n).then(|| {
            tested
                .iter()
                .map(|&b| if b { scale } else { 0.0 })
                .collect()
        });
        self.statistics = Statistics {
            failures_by_variable: vec![0; n],
            ..Statistics::default()
        };
        n
    }

    fn update_weights(&mut self) {
        set_weights(&self.internal, &self.y, &mut self.weight);
        self.error_weight.copy_from_slice(&self.weight);
        if let Some(mask) = &self.mask {
            self.error_weight
                .iter_mut()
                .zip(mask)
                .for_each(|(e, m)| *e *= m);
        }
    }

    /// Evaluates ∂F/∂y and ∂F/∂y' at the beginning of the step if they are old, and factors both matrices for `h`.
    fn matrices<S: RootFunctions + ?Sized>(&mut self, system: &mut S, h: f64) -> Result<(), Failure>
    where
        F: Form<S>,
    {
        if !self.jacobian_current {
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
            self.jacobian_current = true;
            self.jacobian_here = true;
        }
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
    fn predict(&mut self, h: f64) {
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

    /// Newton's iteration for the stages. Returns the number of iterations.
    fn iterate<S: RootFunctions + ?Sized>(
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
        for m in 0..NEWTON_MAX {
            for (s, t) in [self.t + C1 * h, self.t + C2 * h, t_new]
                .into_iter()
                .enumerate()
            {
                for i in 0..n {
                    let [a, b, c] = [self.w[0][i], self.w[1][i], self.w[2][i]];
                    let lambda = [GAMMA * a, ALPHA * b - BETA * c, BETA * b + ALPHA * c];
                    self.stage[i] = self.y[i] + self.z[s][i];
                    self.slope[i] =
                        (T[s][0] * lambda[0] + T[s][1] * lambda[1] + T[s][2] * lambda[2]) / h;
                }
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
                let expected = self.trust * norm * rate.powi(left) / self.newton_tolerance;
                if expected >= 1.0 {
                    let q = expected.clamp(1e-4, 20.0);
                    return Err(Failure::Newton(0.8 * q.powf(-1.0 / (4 + left) as f64)));
                }
            }
            norm_before = norm.max(f64::MIN_POSITIVE);
            if self.trust * norm <= self.newton_tolerance || norm < 1e-12 {
                return Ok(m + 1);
            }
        }
        Err(Failure::Newton(0.5))
    }

    /// Norm of the error estimate.
    fn estimate<S: RootFunctions + ?Sized>(
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
            let at = &mut self.error;
            self.form
                .residual(system, self.t, &self.stage, &self.slope, at)
                .map_err(Failure::Evaluation)?;
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
    fn accept(&mut self, h: f64) {
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

    fn shrink(&mut self, factor: f64) {
        self.h *= factor;
        self.rejected = true;
    }
}

impl<S: RootFunctions + ?Sized, F: Form<S>> Method<S> for Radau<F> {
    fn start(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &[f64],
        again: bool,
    ) -> Result<(), SolverError> {
        if !again || self.real.is_none() {
            self.prepare(system);
            self.h_natural = 0.0;
        }
        if y.len() != self.y.len() {
            return Err(SolverError::Input {
                t,
                what: "wrong number of unknowns",
            });
        }
        self.y.copy_from_slice(y);
        if yp.len() == y.len() {
            self.yp.copy_from_slice(yp);
        } else {
            self.yp.fill(0.0);
        }
        let Radau {
            form,
            y: start,
            yp: slope,
            statistics,
            ..
        } = self;
        form.start_derivative(system, t, start, slope, statistics)
            .map_err(|e| e.at(t, 0.0))?;
        self.t = t;
        self.t_before = t;
        self.h = 0.0;
        self.h_used = 0.0;
        self.h_matrix = 0.0;
        self.jacobian_current = false;
        self.jacobian_here = false;
        self.trust = 1.0;
        self.rejected = false;
        self.fresh_start = true;
        self.dense[0].copy_from_slice(y);
        self.dense[1..].iter_mut().for_each(|v| v.fill(0.0));
        Ok(())
    }

    fn advance(&mut self, system: &mut S, tstop: f64) -> Result<(), SolverError> {
        self.update_weights();
        if self.h == 0.0 {
            let span = (tstop - self.t).min(self.options.h_max);
            let given = self
                .options
                .h_init
                .filter(|_| self.statistics.restarts == 0);
            let slope = wrms(&self.yp, &self.error_weight);
            let size = wrms(&self.y, &self.error_weight);
            let guess = (1e-2 * size.max(1.0) / slope.max(1e-12)).max(0.3 * self.h_natural);
            let guess = if span.is_finite() {
                guess.min(1e-2 * span)
            } else {
                guess.min(1.0)
            };
            self.h = given.unwrap_or(guess).min(span);
        }
        let mut failures = 0;
        loop {
            let left = tstop - self.t;
            let wanted = self.h.min(self.options.h_max);
            let last = left <= wanted * (1.0 + 1e-9);
            let h = if last {
                left
            } else if left < 2.0 * wanted {
                0.5 * left
            } else {
                wanted
            };
            self.h = h;
            let t_new = if last { tstop } else { self.t + h };
            let smallest = 4.0 * f64::EPSILON * self.t.abs().max(t_new.abs());
            let attempt = if h != self.h_matrix || !self.jacobian_current {
                self.matrices(system, h)
            } else {
                Ok(())
            };
            let attempt = attempt.and_then(|()| {
                self.predict(h);
                let iterations = self.iterate(system, h, t_new)?;
                Ok((iterations, self.estimate(system, h)?))
            });
            let too_small = failures > 40 || h <= 4.0 * smallest;
            let (iterations, error) = match attempt {
                Ok(v) => v,
                Err(problem) => {
                    self.statistics.convergence_failures += 1;
                    failures += 1;
                    let t = self.t;
                    match problem {
                        Failure::Evaluation(e @ EvalError::Fatal(_)) => return Err(e.at(t, h)),
                        Failure::Evaluation(e) if too_small => return Err(e.at(t, h)),
                        Failure::Singular(cause) if too_small => {
                            return Err(SolverError::Singular { t, h, cause });
                        }
                        Failure::Newton(_) if too_small => {
                            let variable = largest(&self.error, &self.error_weight);
                            return Err(SolverError::Convergence { t, h, variable });
                        }
                        Failure::Newton(factor) => self.shrink(factor),
                        _ => self.shrink(0.25),
                    }
                    self.jacobian_current &= self.jacobian_here;
                    self.h_matrix = 0.0;
                    self.trust = 1.0;
                    self.fresh_start = self.fresh_start || failures > 2;
                    continue;
                }
            };
            let most = (1 + 2 * NEWTON_MAX) as f64;
            let safety = SAFETY * (most / (iterations + 2 * NEWTON_MAX) as f64).min(1.0);
            let mut quotient = (error.powf(0.25) / safety).clamp(0.125, 5.0);
            if error >= 1.0 {
                self.statistics.error_failures += 1;
                self.statistics.failures_by_variable[largest(&self.error, &self.error_weight)] += 1;
                failures += 1;
                if too_small {
                    let variable = largest(&self.error, &self.error_weight);
                    return Err(SolverError::ErrorTest {
                        t: self.t,
                        h,
                        variable,
                    });
                }
                let factor = if self.fresh_start {
                    0.1
                } else {
                    1.0 / quotient
                };
                self.shrink(factor);
                continue;
            }
            if !self.fresh_start && self.h_accepted > 0.0 {
                let predicted =
                    (h / self.h_accepted) * (error * error / self.error_before).powf(0.25) / SAFETY;
                // Gustafsson's controller looks at the trend of the error.
                quotient = quotient.max(predicted.clamp(0.125, 5.0));
            }
            self.h_accepted = h;
            self.error_before = error.max(1e-2);
            self.accept(h);
            self.statistics.steps += 1;
            self.t_before = self.t;
            self.t = t_new;
            self.h_natural = wanted;
            self.fresh_start = false;
            let mut next = h / quotient;
            if self.rejected {
                next = next.min(h);
            }
            self.rejected = false;
            let keep_jacobian = self.contraction <= KEEP_JACOBIAN;
            if h < wanted {
                next = next.max(wanted);
            } else if keep_jacobian && next >= h && next <= KEEP_STEP * h {
                next = h;
            }
            self.h = next;
            self.jacobian_current = keep_jacobian;
            self.jacobian_here = false;
            return Ok(());
        }
    }
}

impl<F> State for Radau<F> {
    fn interval(&self) -> (f64, f64) {
        (self.t_before, self.t)
    }

    fn end_values(&self) -> (&[f64], &[f64]) {
        (&self.y, &self.yp)
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        let s = if self.h_used > 0.0 {
            (t - self.t) / self.h_used
        } else {
            0.0
        };
        for (i, y) in y.iter_mut().enumerate() {
            let [y1, a, b, c] = [0, 1, 2, 3].map(|k| self.dense[k][i]);
            *y = y1 + s * (a + (s - (C2 - 1.0)) * (b + (s - (C1 - 1.0)) * c));
        }
    }

    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]) {
        if self.h_used == 0.0 {
            yp.copy_from_slice(&self.yp);
            return;
        }
        let s = (t - self.t) / self.h_used;
        let (p, q) = (s - (C2 - 1.0), s - (C1 - 1.0));
        for (i, yp) in yp.iter_mut().enumerate() {
            let [_, a, b, c] = [0, 1, 2, 3].map(|k| self.dense[k][i]);
            let inner = b + q * c;
            *yp = (a + p * inner + s * (inner + p * c)) / self.h_used;
        }
    }

    fn order(&self) -> usize {
        5
    }

    fn options(&self) -> &Options {
        &self.options
    }

    fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    fn statistics_mut(&mut self) -> &mut Statistics {
        &mut self.statistics
    }

    fn controlling_variable(&self) -> Option<usize> {
        (self.h_used > 0.0).then(|| largest(&self.error, &self.error_weight))
    }
}
