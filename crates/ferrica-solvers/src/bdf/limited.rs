//! The corrector of a BDF step where equations have steep functions: Newton's iteration with the limited equations.
//!
//! In: the history. Out: the corrector in `y`, `yp`, the correction in `e`. The tangents begin where the last step ended, the unknowns at the predictor.

use super::Bdf;
use super::newton::{Failure, NEWTON_TOLERANCE};
use super::vectors::correct;
use crate::implicit::{Form, Point};
use crate::limited::{LIMITED_MAX, LimitedProgress, resolving};
use crate::norm::largest;
use crate::system::RootFunctions;

impl<F> Bdf<F> {
    /// `count`: of the steep functions.
    pub(super) fn limited_newton<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
        count: usize,
    ) -> Result<(), Failure>
    where
        F: Form<S>,
    {
        // The matrix is that of the last iteration, no good for another step.
        self.cj_matrix = 0.0;
        self.places.resize(count, 0.0);
        let cj = self.history.cj;
        self.history.predict(self.k, &mut self.y, &mut self.yp);
        let last = Point {
            t: self.t,
            y: &self.history.phi[0],
            yp: &self.yp,
        };
        self.form.limit_arguments(system, last, &mut self.places)?;
        self.start_from_last(system, cj);
        let mut progress = LimitedProgress::new(NEWTON_TOLERANCE * resolving(self.options.rtol));
        for m in 0..LIMITED_MAX {
            let Bdf {
                form,
                statistics,
                linear,
                matrix,
                places,
                delta,
                y,
                yp,
                e,
                weight,
                error_weight,
                reach,
                ..
            } = self;
            let at = Point { t, y, yp };
            statistics.evaluations += 1;
            let home = form.limited_residual(system, at, places, delta)?;
            statistics.jacobians += 1;
            form.limited_jacobian(system, at, cj, places, matrix)?;
            statistics.factorizations += 1;
            if let Some(linear) = linear {
                progress.look(
                    linear.pattern(),
                    matrix,
                    delta,
                    (weight, error_weight),
                    reach,
                );
                linear.factor(matrix).map_err(Failure::Singular)?;
                linear.solve(delta);
                statistics.pivot_searches = linear.pivot_searches();
            }
            statistics.newton_iterations += 1;
            if m > 0 && progress.is_solved(delta, error_weight, home) {
                return Ok(());
            }
            let norm = correct(-1.0, cj, false, delta, y, yp, e, weight);
            if !norm.is_finite() {
                break;
            }
            if progress.is_done(norm, home) {
                return Ok(());
            }
        }
        Err(Failure::Diverged(largest(&self.delta, &self.weight)))
    }

    /// Algebraic unknowns begin at their last values: a polynomial through potentials that nothing determines while all junctions are off leads anywhere.
    fn start_from_last<S: RootFunctions + ?Sized>(&mut self, system: &S, cj: f64)
    where
        F: Form<S>,
    {
        for i in 0..self.y.len() {
            let last = self.history.phi[0][i];
            let ahead = match self.form.differential(system, i) {
                true => 0.0,
                false => last - self.y[i],
            };
            self.e[i] = ahead;
            self.y[i] += ahead;
            self.yp[i] += cj * ahead;
        }
    }
}
