//! Backward differentiation formulas of order 1 to 5 with variable step, for DAEs and ODEs.
//!
//! Fixed leading coefficient on modified divided differences; formulas and strategy follow DASSL and IDA
//! (Brenan, Campbell, Petzold; Hindmarsh et al., ACM TOMS 31 (2005)), with the notation of `history`.
//!
//! - Corrector: F(t, y, y⁰' + cj (y - y⁰)) = 0 by a modified Newton iteration with the matrix ∂F/∂y + cj ∂F/∂y', kept while cj
//!   stays within `MATRIX_RATIO`; corrections are then scaled by 2 / (1 + cj/cj_matrix).
//! - Error test: ck ‖y - y⁰‖ ≤ 1 in the weighted norm; ck covers both the local error and that of the dense output.
//! - Order: the one whose estimated error term is smallest among k-2 … k+1 in the sense of DASSL.
//! - Restart after an event: order one, but with a first step derived from the step before the event.

mod history;
mod limited;
mod newton;
mod vectors;

use crate::implicit::{DaeForm, Form, OdeForm, Point};
use crate::inside::Inside;
use crate::integrator::{NewtonForm, Options, SolverError, Statistics};
use crate::linear::LinearSolver;
use crate::norm::{largest, set_weights, wrms};
use crate::stepper::{Method, State, Stepper};
use crate::system::{EvalError, RootFunctions};
use history::{History, MAX_ORDER};
use newton::Failure;
use vectors::error_norms;

/// BDF for `F(t, y, y') = 0`.
pub type BdfDae = Stepper<Bdf<DaeForm>>;
/// BDF for `M y' = f(t, y)`.
pub type BdfOde = Stepper<Bdf<OdeForm>>;

/// Least first step in parts of time.
const FIRST_STEP_RESOLUTION: f64 = 1e-12;
/// Part of the step that the past suggests after an event.
const RESTART_PART: f64 = 0.1;
/// A step grows as if its error were larger by this factor (DASSL), and never by more than this error term would let it.
const RATIO_OF_ERROR: f64 = 2.0;
const LEAST_ERROR: f64 = 1e-4;
/// Growth allowed while the order is still being raised after a start.
const START_GROWTH: f64 = 4.0;

/// The method; see the module.
#[derive(Clone, Debug)]
pub struct Bdf<F> {
    options: Options,
    statistics: Statistics,
    form: F,
    linear: Option<LinearSolver>,
    matrix: Vec<f64>,
    history: History,
    t: f64,
    t_before: f64,
    /// Size and order of the next step.
    h: f64,
    k: usize,
    /// Order and step still grow freely.
    starting: bool,
    steps_since_start: u64,
    /// Step and order before the limit of time cut it, for restarts.
    h_natural: f64,
    k_natural: usize,
    y: Vec<f64>,
    yp: Vec<f64>,
    /// Correction y - y⁰.
    e: Vec<f64>,
    delta: Vec<f64>,
    /// Reciprocal error scales; `error_weight` is zero where an unknown is left out of the error test, and scaled so
    /// that the mean is over the others only.
    weight: Vec<f64>,
    error_weight: Vec<f64>,
    mask: Option<Vec<f64>>,
    cj_matrix: f64,
    jacobian_step: u64,
    /// rate / (1 - rate) of Newton's iteration.
    contraction: f64,
    worst: Option<usize>,
    /// Places of tangents, where steep functions are limited.
    places: Vec<f64>,
    reach: Vec<f64>,
    inside: Inside,
}

/// Error estimates of a step, each as sigma times norm, for the orders around k.
struct Estimate {
    e_k: f64,
    e_km1: f64,
    e_kp1: f64,
    /// k or k - 1.
    order: usize,
    accepted: bool,
}

impl BdfDae {
    pub fn new(options: Options) -> BdfDae {
        Stepper::of(Bdf::with_form(options))
    }
}

impl BdfOde {
    pub fn new(options: Options) -> BdfOde {
        Stepper::of(Bdf::with_form(options))
    }
}

impl<F: Default> Bdf<F> {
    fn with_form(mut options: Options) -> Bdf<F> {
        options.max_order = options.max_order.clamp(1, MAX_ORDER);
        Bdf {
            options,
            statistics: Statistics::default(),
            form: F::default(),
            linear: None,
            matrix: Vec::new(),
            history: History::default(),
            t: 0.0,
            t_before: 0.0,
            h: 0.0,
            k: 1,
            starting: true,
            steps_since_start: 0,
            h_natural: 0.0,
            k_natural: 1,
            y: Vec::new(),
            yp: Vec::new(),
            e: Vec::new(),
            delta: Vec::new(),
            weight: Vec::new(),
            error_weight: Vec::new(),
            mask: None,
            cj_matrix: 0.0,
            jacobian_step: 0,
            contraction: 20.0,
            worst: None,
            places: Vec::new(),
            reach: Vec::new(),
            inside: Inside::default(),
        }
    }
}

impl<F> Bdf<F> {
    fn prepare<S: RootFunctions + ?Sized>(&mut self, system: &S) -> usize
    where
        F: Form<S>,
    {
        let (n, pattern) = self.form.prepare(system);
        self.matrix = vec![0.0; pattern.nnz()];
        self.linear = Some(LinearSolver::new(pattern));
        for v in [
            &mut self.y,
            &mut self.yp,
            &mut self.e,
            &mut self.delta,
            &mut self.weight,
            &mut self.error_weight,
        ] {
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
        set_weights(&self.options, &self.history.phi[0], &mut self.weight);
        match &self.mask {
            None => self.error_weight.copy_from_slice(&self.weight),
            Some(mask) => {
                for ((e, w), m) in self.error_weight.iter_mut().zip(&self.weight).zip(mask) {
                    *e = w * m;
                }
            }
        }
    }

    /// First step after a start: the solution must not change by more than half the tolerance, unless the steps before
    /// an event tell that more is likely to pass.
    fn first_step(&self, tstop: f64, again: bool) -> f64 {
        let span = (tstop - self.t).min(self.options.h_max);
        if let (Some(h), false) = (self.options.h_init, again) {
            return h.min(span);
        }
        let slope = wrms(&self.yp, &self.error_weight);
        let mut h = if span.is_finite() {
            1e-3 * span
        } else {
            f64::INFINITY
        };
        if slope * h > 0.5 {
            h = 0.5 / slope;
        }
        if again && self.h_natural > 0.0 {
            // Steps that keep the error of order 1, not k, at the tolerance if all derivatives have one time scale; less
            // of that because a switching often makes things faster.
            let size = wrms(&self.history.phi[0], &self.error_weight).max(1.0);
            let exponent = 1.0 / (self.k_natural as f64 + 1.0) - 0.5;
            h = h.max(RESTART_PART * self.h_natural * size.powf(exponent));
        }
        if h.is_finite() {
            // A slope without measure (a jump that a stiff filter sees) must not lead below the resolution of time.
            h.max(FIRST_STEP_RESOLUTION * self.t.abs()).min(span)
        } else {
            span.min(1.0)
        }
    }

    /// Makes the step fit the limits; true when it ends at `tstop`.
    fn limit_step(&mut self, tstop: f64) -> bool {
        let left = tstop - self.t;
        let h = self.h.min(self.options.h_max);
        // Stretching a little, or halving the way, saves a tiny last step.
        let (limited, last) =
            if left <= h * (1.0 + 1e-9) || left <= 1.05 * h && left <= self.options.h_max {
                (left, true)
            } else if left < 2.0 * h {
                (0.5 * left, false)
            } else {
                (h, false)
            };
        self.set_step(limited);
        last
    }

    fn set_step(&mut self, h: f64) {
        if self.steps_since_start == 0 && self.h > 0.0 {
            self.history.rescale_start(h / self.h);
        }
        self.h = h;
    }

    /// Error terms at the orders around k, and the verdict.
    fn estimate(&self) -> Estimate {
        let k = self.k;
        let h = &self.history;
        let [norm_k, norm_km1, norm_km2, norm_kp1] = error_norms(
            &self.e,
            &self.error_weight,
            &h.phi[k],
            &h.phi[k - 1],
            &h.phi[(k + 1).min(MAX_ORDER)],
        );
        let e_k = h.sigma[k] * norm_k;
        let e_km1 = h.sigma[k - 1] * norm_km1;
        let term_k = (k + 1) as f64 * e_k;
        let term_km1 = k as f64 * e_km1;
        let mut order = k;
        if k == 2 && term_km1 <= 0.5 * term_k {
            order = 1;
        }
        if k > 2 {
            let term_km2 = (k - 1) as f64 * h.sigma[k - 2] * norm_km2;
            if term_km1.max(term_km2) <= term_k {
                order = k - 1;
            }
        }
        let accepted = h.ck * norm_k <= 1.0;
        Estimate {
            e_k,
            e_km1,
            e_kp1: norm_kp1 / (k + 2) as f64,
            order,
            accepted,
        }
    }

    /// Size and order after a failed error test.
    fn shrink(&mut self, estimate: &Estimate, failures: u32) {
        let h = match failures {
            1 => {
                let e = if estimate.order == self.k {
                    estimate.e_k
                } else {
                    estimate.e_km1
                };
                self.k = estimate.order;
                self.h * (0.9 * self.ratio(e, self.k)).clamp(0.25, 0.9)
            }
            2 => {
                self.k = estimate.order;
                0.25 * self.h
            }
            _ => {
                self.k = 1;
                0.25 * self.h
            }
        };
        self.set_step(h);
    }

    /// Factor by which a step could grow if the error term at order `k` is `e`.
    fn ratio(&self, e: f64, k: usize) -> f64 {
        (RATIO_OF_ERROR * e + LEAST_ERROR).powf(-1.0 / (k + 1) as f64)
    }

    /// Size and order of the next step after an accepted one.
    fn choose(&mut self, estimate: &Estimate, k_before: usize) {
        let k = self.k;
        let max_order = self.options.max_order;
        if estimate.order < k || k == max_order {
            self.starting = false;
        }
        if self.starting {
            if self.steps_since_start > 1 {
                let ratio = self.ratio(estimate.e_k, k);
                self.k = k + 1;
                if ratio >= 2.0 {
                    self.h *= ratio.min(START_GROWTH);
                }
            }
            return;
        }
        let term_k = (k + 1) as f64 * estimate.e_k;
        let term_km1 = k as f64 * estimate.e_km1;
        let term_kp1 = (k + 2) as f64 * estimate.e_kp1;
        let raised = k == k_before + 1;
        let mut e = estimate.e_k;
        if estimate.order < k {
            self.k = k - 1;
            e = estimate.e_km1;
        } else if k < max_order && k + 1 < self.history.constant && !raised {
            if k == 1 {
                if term_kp1 < 0.5 * term_k {
                    self.k = 2;
                    e = estimate.e_kp1;
                }
            } else if term_km1 <= term_k.min(term_kp1) {
                self.k = k - 1;
                e = estimate.e_km1;
            } else if term_kp1 < term_k {
                self.k = k + 1;
                e = estimate.e_kp1;
            }
        }
        // Most steps could grow, but not to twice their size: that is seen without the root.
        let size = RATIO_OF_ERROR * e + LEAST_ERROR;
        if size <= 0.5f64.powi(self.k as i32 + 1) {
            self.h *= 2.0;
        } else if size >= 1.0 {
            self.h *= self.ratio(e, self.k).clamp(0.5, 0.9);
        }
    }

    /// Do steep functions come and go between the last point and that in `y`, `yp`?
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
            y: &self.y,
            yp: &self.yp,
        };
        let h_max = self.options.h_max;
        self.inside.look(&mut self.form, system, at, h_max)
    }

    /// The error to report; the solution stays where the last accepted step ended.
    fn give_up(&mut self, failure: Option<Failure>) -> SolverError {
        self.history
            .interpolate_derivative(self.t, self.t, &mut self.yp);
        let (t, h) = (self.t, self.h);
        match failure {
            Some(Failure::Evaluation(e)) => e.at(t, h),
            Some(Failure::Singular(cause)) => SolverError::Singular { t, h, cause },
            Some(Failure::Diverged(variable)) => SolverError::Convergence { t, h, variable },
            None => SolverError::ErrorTest {
                t,
                h,
                variable: self.worst.unwrap_or(0),
            },
        }
    }
}

impl<S: RootFunctions + ?Sized, F: Form<S>> Method<S> for Bdf<F> {
    fn start(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &[f64],
        again: bool,
    ) -> Result<(), SolverError> {
        if !again || self.linear.is_none() {
            let n = self.prepare(system);
            self.h_natural = 0.0;
            if y.len() != n {
                return Err(SolverError::Input {
                    t,
                    what: "wrong number of unknowns",
                });
            }
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
        let Bdf {
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
        self.k = 1;
        self.starting = true;
        self.steps_since_start = 0;
        self.cj_matrix = 0.0;
        self.h = 0.0;
        self.history.start(&self.y, &self.yp, 1.0);
        self.inside.restart();
        if self.goes_over_steep(system, t).is_ok() {
            self.inside.accept(t);
        }
        Ok(())
    }

    fn advance(&mut self, system: &mut S, tstop: f64) -> Result<(), SolverError> {
        self.update_weights();
        if self.steps_since_start == 0 && self.h == 0.0 {
            let again = self.statistics.restarts > 0;
            let h = self.first_step(tstop, again);
            self.history.rescale_start(h);
            self.h = h;
        }
        let k_before = self.history.k_used;
        let mut error_failures = 0;
        let mut convergence_failures = 0;
        let mut failure = None;
        loop {
            let natural = self.h;
            let last = self.limit_step(tstop);
            let t_new = if last { tstop } else { self.t + self.h };
            let seen = system.look_ahead(self.t, t_new, &self.history.phi[0], &self.options);
            let (t_new, last) = if seen < t_new {
                self.set_step(seen - self.t);
                (seen, false)
            } else {
                (t_new, last)
            };
            let smallest = 4.0 * f64::EPSILON * self.t.abs().max(self.t + self.h);
            if self.h <= smallest && !last || error_failures + convergence_failures > 30 {
                return Err(self.give_up(failure));
            }
            self.history.prepare(self.h, self.k);
            self.history.predict(self.k, &mut self.y, &mut self.yp);
            if let Err(problem) = self.newton(system, t_new) {
                self.history.restore(self.k);
                if let Failure::Evaluation(EvalError::Fatal(_)) = problem {
                    return Err(self.give_up(Some(problem)));
                }
                self.statistics.convergence_failures += 1;
                convergence_failures += 1;
                failure = Some(problem);
                let h = 0.25 * self.h;
                self.set_step(h);
                self.cj_matrix = 0.0;
                continue;
            }
            let estimate = self.estimate();
            if !estimate.accepted {
                self.history.restore(self.k);
                self.statistics.error_failures += 1;
                error_failures += 1;
                failure = None;
                self.starting = false;
                let worst = largest(&self.e, &self.error_weight);
                self.statistics.failures_by_variable[worst] += 1;
                self.worst = Some(worst);
                self.shrink(&estimate, error_failures);
                continue;
            }
            if self.goes_over_steep(system, t_new).unwrap_or(false) {
                self.history.restore(self.k);
                self.statistics.error_failures += 1;
                self.starting = false;
                self.set_step(0.5 * self.h);
                continue;
            }
            self.inside.accept(t_new);
            self.h_natural = natural;
            self.k_natural = self.k;
            self.statistics.steps += 1;
            self.steps_since_start += 1;
            self.t_before = self.t;
            self.t = t_new;
            let (h, k) = (self.h, self.k);
            self.choose(&estimate, k_before);
            self.history.accept(h, k, &self.e);
            return Ok(());
        }
    }
}

impl<F> State for Bdf<F> {
    fn interval(&self) -> (f64, f64) {
        (self.t_before, self.t)
    }

    fn end_values(&self) -> (&[f64], &[f64]) {
        (&self.history.phi[0], &self.yp)
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        self.history.interpolate(t, self.t, y);
    }

    fn interpolate_some(&self, t: f64, which: &[usize], y: &mut [f64]) {
        self.history.interpolate_some(t, self.t, which, y);
    }

    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]) {
        self.history.interpolate_derivative(t, self.t, yp);
    }

    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm {
        self.history.newton_form(self.t, coefficients)
    }

    fn order(&self) -> usize {
        self.history.k_used
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
        (self.steps_since_start > 0).then(|| largest(&self.e, &self.error_weight))
    }
}
