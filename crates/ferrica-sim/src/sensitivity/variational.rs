//! The variational equation between two events: ṡ = ∂f/∂x·s + ∂f/∂p along states that are known.
//!
//! One evaluation of the partial derivatives serves all directions and all iterations at one time; the iteration matrix of one
//! direction is that of all.

use ferrica_codegen::tangents::{Directions, Tangents};
use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_ir::print::brief;
use ferrica_solvers::integrator::Options;
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{EvalError, OdeSystem, RootFunctions};

use super::trajectory::Trajectory;

/// Steps of the states that a step of the sensitivities may span: what moves the states only for a while is not stepped over.
pub(super) const MOST_SPANNED: usize = 4;

pub(super) struct Variational<'a> {
    pub(super) ev: &'a mut Evaluator,
    pub(super) model: &'a CompiledModel,
    pub(super) tangents: &'a Tangents,
    pub(super) directions: &'a mut Directions,
    pub(super) trajectory: &'a Trajectory,
    /// The time at which the partial derivatives have been evaluated.
    pub(super) prepared: &'a mut f64,
    pub(super) states: &'a mut Vec<f64>,
    pub(super) failure: Option<Failure>,
}

impl Variational<'_> {
    /// A time and its states, where they move, into the slots.
    pub(super) fn place(&mut self, t: f64) {
        self.ev.set_time(t);
        if self.trajectory.steps() > 0 {
            self.states.resize(self.model.layout.n_states, 0.0);
            self.trajectory.at(t, self.states);
            self.ev.set_states(self.states);
        }
    }

    fn prepare(&mut self, t: f64) -> Result<(), EvalError> {
        if *self.prepared == t {
            return Ok(());
        }
        *self.prepared = f64::NAN;
        self.place(t);
        let done = self.ev.exec(self.model, &self.model.rhs_program);
        let done = done.and_then(|()| self.ev.prepare(&self.tangents.rhs));
        done.map_err(|e| self.keep(e))?;
        *self.prepared = t;
        Ok(())
    }

    fn keep(&mut self, failure: Failure) -> EvalError {
        self.failure = Some(failure);
        EvalError::Recoverable(0)
    }
}

impl RootFunctions for Variational<'_> {
    fn look_ahead(&mut self, t: f64, end: f64, _y: &[f64], _options: &Options) -> f64 {
        let step = self.trajectory.step_at(t);
        let limit = self.trajectory.end_of(step + MOST_SPANNED);
        if limit > t { end.min(limit) } else { end }
    }
}

impl OdeSystem for Variational<'_> {
    fn n(&self) -> usize {
        self.model.layout.n_states * self.directions.count()
    }

    fn rhs(&mut self, t: f64, s: &[f64], sdot: &mut [f64]) -> Result<(), EvalError> {
        self.prepare(t)?;
        let layout = &self.model.layout;
        let n = layout.n_states;
        self.directions.scatter(layout.states, n, s);
        self.ev.propagate(&self.tangents.rhs, self.directions);
        self.directions.gather(layout.derivatives, n, sdot);
        if sdot.iter().any(|v| !v.is_finite()) {
            let text = format!("a derivative is not finite at time {}", brief(t));
            return Err(self.keep(Failure::new(text)));
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<CscPattern> {
        let jacobian = self.model.ode_jacobian.as_ref();
        jacobian.map(|j| j.pattern.clone())
    }

    fn has_jacobian(&self) -> bool {
        self.model.ode_jacobian.is_some()
    }

    fn jacobian(&mut self, t: f64, _s: &[f64], values: &mut [f64]) -> Result<(), EvalError> {
        self.prepare(t)?;
        let done = self.ev.ode_jacobian(values);
        done.map_err(|e| self.keep(e))
    }
}
