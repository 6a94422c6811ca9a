//! Partial derivatives of the continuous problem for the iterations of implicit methods.
//!
//! In: a point. Out: a Jacobian that is finite wherever one is near. The slope of √x is infinite at 0, where a tank begins that is
//! empty. The matrix of an iteration needs to be near the true one, not equal to it, so the column of such an unknown is taken
//! a little beside the point. What asks for the derivatives themselves (linear models, sensitivities) does not come here.

use ferrica_codegen::steep::BESIDE;
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::EvalError;

use crate::problem::Problem;

impl Problem {
    /// ∂ẋ/∂x.
    pub(crate) fn ode_partials(
        &mut self,
        t: f64,
        y: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        self.place(t, y, &[]);
        let done = self
            .apply_delays()
            .and_then(|()| self.ev.ode_jacobian(values));
        done.map_err(|e| self.keep(e))
    }

    /// ∂F/∂y + c ∂F/∂y'.
    pub(crate) fn dae_partials(
        &mut self,
        t: f64,
        c: f64,
        y: &[f64],
        yp: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        self.place(t, y, yp);
        let done = self
            .apply_delays_to_unknowns()
            .and_then(|()| self.ev.dae_jacobian(c, values));
        done.map_err(|e| self.keep(e))
    }

    /// Replaces columns that are not finite by those beside them, where these are. The slots belong to `y` again afterwards.
    pub(crate) fn beside_steep(
        &mut self,
        pattern: &CscPattern,
        y: &[f64],
        values: &mut [f64],
        mut partials: impl FnMut(&mut Problem, &[f64], &mut [f64]) -> Result<(), EvalError>,
    ) -> Result<(), EvalError> {
        let mut at = y.to_vec();
        let mut there = values.to_vec();
        for column in 0..y.len() {
            let range = pattern.col_range(column);
            if values[range.clone()].iter().all(|v| v.is_finite()) {
                continue;
            }
            let nominal = self
                .unknown_slot(column)
                .map_or(1.0, |s| self.model.nominal(s));
            // In parts of the unknown's size.
            let apart = BESIDE * y[column].abs().max(nominal);
            for sign in [1.0, -1.0] {
                at[column] = y[column] + sign * apart;
                let done = partials(self, &at, &mut there);
                if done.is_ok() && there[range.clone()].iter().all(|v| v.is_finite()) {
                    values[range.clone()].copy_from_slice(&there[range.clone()]);
                    break;
                }
            }
            at[column] = y[column];
        }
        partials(self, y, &mut there)
    }
}
