//! Steep equations of the DAE form for the iterations of implicit methods: exponentials limited by their arguments ([`ferrica_codegen::limits`]).
//!
//! In: a point and the places of the tangents. Out: residuals and partial derivatives with tangents in place of the exponentials. The rows for it
//! are made when an iteration first asks for them: most runs never do.

use ferrica_codegen::Failure;
use ferrica_codegen::limiting::{Limit, exponentials};
use ferrica_codegen::limits::Limits;
use ferrica_codegen::model::{System, SystemKind};
use ferrica_codegen::program::rows;
use ferrica_solvers::system::EvalError;
use ferrica_solvers::vectors::all_finite;

use crate::problem::Problem;

impl Problem {
    /// Are there exponentials that an iteration limits? They switch as conditions do, without events.
    pub fn has_limits(&self) -> bool {
        let kernels = &self.model.kernels;
        let steep = |(kernel, _)| exponentials(&kernels.kernels[kernel]) > 0;
        match self.model.dae.as_ref().filter(|_| self.dae) {
            Some(dae) => rows(kernels, &dae.program).any(steep),
            // Loops of the explicit form: what they solve for is nowhere else.
            None => {
                let limited = |s: &System| {
                    matches!(
                        &s.kind,
                        SystemKind::Nonlinear {
                            limited: Some(_),
                            ..
                        }
                    )
                };
                self.model.systems.values().any(limited)
            }
        }
    }

    /// How many exponentials are limited.
    pub(crate) fn limit_count(&mut self) -> usize {
        if self.limits.is_none() && self.dae {
            self.limits = Some(Box::new(Limits::of_dae(&mut self.ev, |crit| {
                Limit::Follows { crit }
            })));
        }
        self.limits.as_ref().map_or(0, |l| l.count())
    }

    /// The arguments of the exponentials at a point.
    pub(crate) fn limit_arguments(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        arguments: &mut [f64],
    ) -> Result<(), EvalError> {
        self.place(t, y, yp);
        let done = self.apply_delays_to_unknowns();
        done.and_then(|()| self.run_limits(Limits::residuals))
            .map_err(|e| self.keep(e))?;
        if let Some(limits) = &self.limits {
            limits.arguments(&self.ev, arguments);
        }
        Ok(())
    }

    /// Residuals; true where all tangents are at their arguments.
    pub(crate) fn limit_residuals(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        places: &mut [f64],
        r: &mut [f64],
    ) -> Result<bool, EvalError> {
        self.place(t, y, yp);
        if let Some(limits) = &self.limits {
            limits.put(&mut self.ev, places);
        }
        let done = self
            .apply_delays_to_unknowns()
            .and_then(|()| self.ev.dae_residuals(r))
            .and_then(|()| self.run_limits(Limits::residuals));
        done.map_err(|e| self.keep(e))?;
        if let Some(dae) = &self.model.dae {
            r.copy_from_slice(&self.ev.slots[dae.residuals as usize..][..r.len()]);
        }
        if !all_finite(r) {
            return Err(self.keep(Failure::new("an equation has no finite value")));
        }
        let limits = self.limits.as_ref();
        Ok(limits.is_none_or(|l| l.places(&self.ev, places)))
    }

    /// ∂F/∂y + c ∂F/∂y'.
    pub(crate) fn limit_partials(
        &mut self,
        t: f64,
        c: f64,
        y: &[f64],
        yp: &[f64],
        places: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        self.place(t, y, yp);
        if let Some(limits) = &self.limits {
            limits.put(&mut self.ev, places);
        }
        let done = self
            .apply_delays_to_unknowns()
            .and_then(|()| self.ev.dae_partials())
            .and_then(|()| self.run_limits(Limits::partials));
        done.map_err(|e| self.keep(e))?;
        self.ev.gather_dae_jacobian(c, values);
        match all_finite(values) {
            true => Ok(()),
            false => Err(self.keep(Failure::new(
                "a partial derivative of the equations is not finite",
            ))),
        }
    }

    fn run_limits(
        &mut self,
        run: fn(&mut Limits, &mut ferrica_codegen::Evaluator) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match &mut self.limits {
            Some(limits) => run(limits, &mut self.ev),
            None => Ok(()),
        }
    }
}
