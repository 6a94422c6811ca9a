//! The corrector of a BDF step: a modified Newton iteration.
//!
//! In: the predictor in `y`, `yp`. Out: the corrector there and the correction in `e`. The matrix of an
//! earlier step is used as long as its cj is near enough; if the iteration then fails, it is repeated once with a new one. Where equations have steep
//! functions, [`super::limited`] is tried before a smaller step.

use super::Bdf;
use super::vectors::correct;
use crate::implicit::{At, Form};
use crate::limited::resolving;
use crate::linear::Singular;
use crate::norm::largest;
use crate::system::{EvalError, RootFunctions};

/// Newton's iteration stops when the estimated remaining error is this part of the tolerance. IDA takes 0.33; a third of
/// that costs a tenth more iterations and saves as many steps, because the error estimates are less disturbed.
pub(super) const NEWTON_TOLERANCE: f64 = 0.1;
/// Newton iterations before giving up; more cost more than a better matrix or a smaller step.
const NEWTON_MAX: usize = 4;
/// A matrix is kept while cj changed by less than this factor: the error then shrinks to a seventh by an iteration.
const MATRIX_RATIO: f64 = 0.75;
/// An ODE's ∂f/∂y is taken anew after so many steps even if the iteration converges.
const JACOBIAN_AGE: u64 = 50;

/// What one correction has shown of the contraction is not trusted for every larger one: beside a rate of zero any would do.
const LEAST_CONTRACTION: f64 = 1e-2;

/// Why Newton's iteration gave no corrector.
pub(super) enum Failure {
    Evaluation(EvalError),
    Singular(Singular),
    Diverged(usize),
}

impl From<EvalError> for Failure {
    fn from(e: EvalError) -> Failure {
        Failure::Evaluation(e)
    }
}

impl<F> Bdf<F> {
    /// Iterates to the corrector from the predictor in `y`, `yp`.
    pub(super) fn newton<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
    ) -> Result<(), Failure>
    where
        F: Form<S>,
    {
        let problem = match self.modified_newton(system, t) {
            Err(problem) if !matches!(problem, Failure::Evaluation(EvalError::Fatal(_))) => problem,
            done => return done,
        };
        match self.form.limits(system) {
            0 => Err(problem),
            count => self.limited_newton(system, t, count),
        }
    }

    fn modified_newton<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
    ) -> Result<(), Failure>
    where
        F: Form<S>,
    {
        let cj = self.history.cj;
        let ratio = cj / self.cj_matrix;
        let old = self.statistics.steps > self.jacobian_step + JACOBIAN_AGE;
        let mut fresh = self.cj_matrix == 0.0 || old && self.form.keeps_jacobian();
        let mut factor = fresh || !(MATRIX_RATIO..=1.0 / MATRIX_RATIO).contains(&ratio);
        loop {
            let evaluated = fresh || factor && !self.form.keeps_jacobian();
            if factor {
                self.new_matrix(system, t, fresh)?;
            }
            let problem = match self.iterate(system, t) {
                Ok(None) => return Ok(()),
                Ok(Some(variable)) => Failure::Diverged(variable),
                Err(e @ EvalError::Fatal(_)) => return Err(e.into()),
                Err(e) => e.into(),
            };
            if evaluated {
                return Err(problem);
            }
            // The matrix was an old one: once more with a new one.
            (fresh, factor) = (true, true);
            self.history.predict(self.k, &mut self.y, &mut self.yp);
        }
    }

    fn new_matrix<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
        fresh: bool,
    ) -> Result<(), Failure>
    where
        F: Form<S>,
    {
        let at = At {
            t,
            h: self.h,
            y: &self.y,
            yp: &self.yp,
            weight: &self.weight,
        };
        let cj = self.history.cj;
        self.cj_matrix = 0.0;
        let before = self.statistics.jacobians;
        self.form.jacobian(
            system,
            at,
            cj,
            fresh,
            &mut self.matrix,
            &mut self.statistics,
        )?;
        if self.statistics.jacobians > before {
            self.jacobian_step = self.statistics.steps;
        }
        self.statistics.factorizations += 1;
        if let Some(linear) = &mut self.linear {
            linear.factor(&self.matrix).map_err(Failure::Singular)?;
            self.statistics.pivot_searches = linear.pivot_searches();
        }
        self.cj_matrix = cj;
        self.contraction = 20.0;
        Ok(())
    }

    /// Newton's iteration with the matrix at hand. `Some` variable when it does not converge.
    fn iterate<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
    ) -> Result<Option<usize>, EvalError>
    where
        F: Form<S>,
    {
        let cj = self.history.cj;
        let ratio = cj / self.cj_matrix;
        let scale = -2.0 / (1.0 + ratio);
        // A matrix for another cj contracts no better than this, whatever was seen before.
        let slowest = (1.0 - ratio).abs() / (1.0 + ratio);
        let bound = slowest / (1.0 - slowest);
        let mut first_norm = 0.0;
        // Far up an exponential the corrections are as small as its unit, step after step, and that one is smaller than the one before says nothing of
        // the next: the last one itself must be small.
        let (tolerance, least) = match self.form.limits(system) {
            0 => (NEWTON_TOLERANCE, LEAST_CONTRACTION),
            _ => (NEWTON_TOLERANCE * resolving(self.options.rtol), 1.0),
        };
        for m in 0..NEWTON_MAX {
            self.statistics.evaluations += 1;
            self.form
                .residual(system, t, &self.y, &self.yp, &mut self.delta)?;
            if let Some(linear) = &mut self.linear {
                linear.solve(&mut self.delta);
            }
            self.statistics.newton_iterations += 1;
            let Bdf {
                delta,
                y,
                yp,
                e,
                weight,
                ..
            } = self;
            let norm = correct(scale, cj, m == 0, delta, y, yp, e, weight);
            if !norm.is_finite() {
                break;
            }
            if m == 0 {
                first_norm = norm;
                if norm <= 1e-4 * tolerance {
                    return Ok(None);
                }
            } else {
                let whole = norm / first_norm;
                let rate = match m {
                    1 => whole,
                    _ => whole.powf(1.0 / m as f64),
                };
                if rate > 0.9 {
                    break;
                }
                self.contraction = rate / (1.0 - rate);
            }
            if self.contraction.max(bound).max(least) * norm <= tolerance {
                return Ok(None);
            }
        }
        Ok(Some(largest(&self.delta, &self.weight)))
    }
}
