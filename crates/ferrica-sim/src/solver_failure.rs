//! A failure of the integrator in the words of the model: variables, conditions, equations.

use ferrica_codegen::{Failure, Slot};
use ferrica_hybrid::{SimError, relation_text};
use ferrica_ir::print::brief;
use ferrica_solvers::integrator::SolverError;

use crate::simulate::Run;

impl Run<'_> {
    pub(crate) fn unknown_name(&self, i: usize) -> String {
        self.p.unknown_slot(i).map_or_else(
            || "(none)".to_string(),
            |s: Slot| self.model.var_name(s).to_string(),
        )
    }

    pub(crate) fn solver_error(&mut self, e: SolverError) -> SimError {
        let inner = self.p.failure.take();
        let last_event = match self.crossings.last() {
            Some((t, relation)) => {
                let text = relation_text(&self.model, relation);
                Some(format!("last state event: `{text}` at time {}", brief(t)))
            }
            None => None,
        };
        let (t, mut failure, hint) = match e {
            SolverError::Evaluation { t, .. } | SolverError::RepeatedEvaluation { t, .. } => {
                let failure = inner.unwrap_or_else(|| {
                    Failure::new(format!("evaluation failed at time {}", brief(t)))
                });
                (t, failure, None)
            }
            SolverError::ErrorTest { t, h, variable } => {
                let name = self.unknown_name(variable);
                let text = format!(
                    "the step size became too small ({}) at time {}: the error of `{name}` cannot be kept",
                    brief(h),
                    brief(t)
                );
                let hint = format!(
                    "`{name}` may have a pole or a discontinuity there, or its nominal value is too small"
                );
                (t, Failure::new(text), Some(hint))
            }
            SolverError::Convergence { t, h, variable } => {
                let name = self.unknown_name(variable);
                let text = format!(
                    "Newton's iteration of the integrator does not converge at time {} (step {}); `{name}` had the largest correction",
                    brief(t),
                    brief(h)
                );
                let mut failure = Failure::new(text);
                failure.details.extend(inner.map(|i| i.message));
                (t, failure, None)
            }
            SolverError::Singular { t, h, cause } => {
                let name = self.unknown_name(cause.col);
                let text = format!(
                    "the equations become singular at time {} (step {}): `{name}` is not determined",
                    brief(t),
                    brief(h)
                );
                (t, Failure::new(text), None)
            }
            SolverError::Input { t, what } => {
                let mut failure = Failure::new(format!("{what} at time {}", brief(t)));
                failure.details.extend(inner.map(|i| i.message));
                (t, failure, None)
            }
        };
        failure.details.extend(last_event);
        SimError {
            hint,
            ..SimError::new("E0611", t, failure)
        }
    }
}
