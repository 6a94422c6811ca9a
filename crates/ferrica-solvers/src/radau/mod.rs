//! Radau IIA of order five: implicit Runge–Kutta for stiff ODEs and DAEs.
//!
//! Three stages with Z_i = Y_i - y_n and h Y'_i = (A⁻¹ Z)_i solve F(t_n + c_i h, y_n + Z_i, Y'_i) = 0. A simplified Newton
//! iteration is carried out in W = T⁻¹ Z, where A⁻¹ is diagonal up to a rotation: each iteration solves one real system with
//! ∂F/∂y + γ/h ∂F/∂y' and one complex one with ∂F/∂y + (α + iβ)/h ∂F/∂y'. The error is estimated by an embedded
//! third-order formula, filtered through the real matrix; dense output is the collocation polynomial.
//!
//! Hairer, Wanner: Solving Ordinary Differential Equations II, section IV.8 (RADAU5). As there, the tolerances are
//! transformed, rtol → rtol^(2/3)/10, because the estimate is of lower order than the solution.

mod interior;
mod limited;
mod stages;

use crate::implicit::{DaeForm, Form, OdeForm, Point};
use crate::inside::Inside;
use crate::integrator::{NewtonForm, Options, RootHit, SolverError, Statistics};
use crate::linear::LinearSolver;
use crate::norm::{largest, set_weights, wrms};
use crate::scalar::Complex;
use crate::stepper::{Method, State, Stepper};
use crate::system::{EvalError, RootFunctions};
use stages::{C1, C2, Failure, KEEP_JACOBIAN, NEWTON_MAX};

/// Radau IIA for `F(t, y, y') = 0`.
pub type RadauDae = Stepper<Radau<DaeForm>>;
/// Radau IIA for `M y' = f(t, y)`.
pub type RadauOde = Stepper<Radau<OdeForm>>;

const SAFETY: f64 = 0.9;
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
    /// The same at the beginning of the last step.
    begin: (Vec<f64>, Vec<f64>),
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
    /// For steps through steep functions.
    whole: Option<Box<limited::Whole>>,
    inside: Inside,
    look: interior::Look,
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
            begin: Default::default(),
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
            whole: None,
            inside: Inside::default(),
            look: interior::Look::default(),
        }
    }
}

impl<F> Radau<F> {
    fn prepare<S: RootFunctions + ?Sized>(&mut self, system: &S) -> usize
    where
        F: Form<S>,
    {
        let (n, pattern) = self.form.prepare(system);
        self.whole = None;
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
            &mut self.begin.0,
            &mut self.begin.1,
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

    /// Do steep functions come and go between the last point and that in `stage`, `slope`?
    fn goes_over_steep<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
    ) -> Result<bool, EvalError>
    where
        F: Form<S>,
    {
        let at = Point {
            t,
            y: &self.stage,
            yp: &self.slope,
        };
        let h_max = self.options.h_max;
        self.inside.look(&mut self.form, system, at, h_max)
    }

    /// The present point has no past.
    fn begin_here(&mut self) {
        self.t_before = self.t;
        self.h_used = 0.0;
        self.h_matrix = 0.0;
        self.jacobian_current = false;
        self.jacobian_here = false;
        self.trust = 1.0;
        self.rejected = false;
        self.fresh_start = true;
        self.dense[0].copy_from_slice(&self.y);
        self.dense[1..].iter_mut().for_each(|v| v.fill(0.0));
        self.inside.restart();
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
        self.h = 0.0;
        self.begin_here();
        self.stage.copy_from_slice(y);
        self.slope.copy_from_slice(&self.yp);
        if self.goes_over_steep(system, t).is_ok() {
            self.inside.accept(t);
        }
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
            let t_new = if last { tstop } else { self.t + h };
            let seen = system.look_ahead(self.t, t_new, &self.y, &self.options);
            let (h, t_new) = if seen < t_new {
                (seen - self.t, seen)
            } else {
                (h, t_new)
            };
            self.h = h;
            let smallest = 4.0 * f64::EPSILON * self.t.abs().max(t_new.abs());
            let attempt = if h != self.h_matrix || !self.jacobian_current {
                self.matrices(system, h)
            } else {
                Ok(())
            };
            let attempt = attempt.and_then(|()| {
                self.predict(h);
                match self.iterate(system, h, t_new) {
                    Err(problem) if !problem.is_fatal() => {
                        let iterations = self.limited_stages(system, h, t_new, problem)?;
                        Ok((iterations, self.estimate_switched(system, h)?))
                    }
                    done => Ok((done?, self.estimate(system, h)?)),
                }
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
            self.put_stage(2, h);
            if self.goes_over_steep(system, t_new).unwrap_or(false) {
                self.statistics.error_failures += 1;
                self.shrink(0.5);
                continue;
            }
            self.inside.accept(t_new);
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

    fn take_shorter(
        &mut self,
        system: &mut S,
        t: f64,
        hits: &[RootHit],
    ) -> Result<bool, EvalError> {
        let smallest = 4.0 * f64::EPSILON * self.t.abs();
        if self.h_used <= 40.0 * smallest || !self.misplaces(system, t, hits)? {
            return Ok(false);
        }
        self.go_back();
        Ok(true)
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

    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm {
        if self.h_used == 0.0 {
            coefficients.extend_from_slice(&self.y);
            return NewtonForm::default();
        }
        for c in &self.dense {
            coefficients.extend_from_slice(c);
        }
        let nodes = [0.0, C2 - 1.0, C1 - 1.0];
        NewtonForm::new(nodes.map(|c| (self.t + c * self.h_used, 1.0 / self.h_used)))
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
