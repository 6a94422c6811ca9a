//! Newton's method with limited exponentials: see [`crate::limiting`].
//!
//! Undamped: the limits are the damping, each exponential its own. It begins with all tangents at zero or below, so that nothing overflows, and ends where they
//! are at their arguments: there the plain method takes over, or, where its Jacobian is singular because all exponentials at a node are lost beside one, this one
//! goes on to its own end.

use super::{ROUNDING, SMALL, STEP_TOLERANCE};
use crate::evaluator::{Evaluator, Failure, SystemState};
use crate::model::{CompiledModel, System, SystemKind};

const MAX_ITERATIONS: usize = 200;
/// Relative size of a correction after which the undamped method with the exponentials themselves takes over.
const NEAR: f64 = 1e-3;
/// Residuals at the own end of the method, in parts of those where it began. Its corrections alone do not tell: the chord that the Jacobian has in place
/// of a lost exponential may be much steeper than that, so that a correction is small far from a solution.
const SOLVED: f64 = 1e-6;

impl Evaluator {
    pub(super) fn limited_newton(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        begin: &[f64],
        failure: &mut Option<Failure>,
    ) -> bool {
        let SystemKind::Nonlinear {
            limited: Some(limited),
            colors,
            ..
        } = &system.kind
        else {
            return false;
        };
        self.put(system, begin);
        let n = system.unknowns.len();
        let (a, b, nnz) = (
            system.matrix as usize,
            system.rhs as usize,
            system.pattern.nnz(),
        );
        let (places, arguments) = (limited.places as usize, limited.arguments as usize);
        self.slots[places..places + limited.count].fill(0.0);
        let mut plain_failed = false;
        let mut first: Vec<f64> = Vec::new();
        for _ in 0..MAX_ITERATIONS {
            self.counters.newton_iterations += 1;
            if let Err(e) = self.exec(model, &limited.moving) {
                *failure = Some(e);
                return false;
            }
            if !self.slots[b..b + n].iter().all(|r| r.is_finite())
                || self
                    .jacobian_by_tape(model, system, &limited.tape, colors)
                    .is_err()
            {
                return false;
            }
            state.dx.copy_from_slice(&self.slots[b..b + n]);
            if n == 1 {
                let slope = if nnz == 1 { self.slots[a] } else { 0.0 };
                state.dx[0] /= slope;
            } else if let Some(lu) = &mut state.lu {
                if lu.factor(&self.slots[a..a + nnz]).is_err() {
                    return false;
                }
                lu.solve(&mut state.dx);
            }
            if state.dx.iter().any(|d| !d.is_finite()) {
                return false;
            }
            let mut size = 0.0f64;
            for (&slot, d) in system.unknowns.iter().zip(&state.dx) {
                let x = &mut self.slots[slot as usize];
                *x -= d;
                let scale = x.abs().max(SMALL * model.nominal(slot));
                size = size.max(d.abs() / scale);
            }
            let at_home = (0..limited.count).all(|k| {
                let (u, place) = (self.slots[arguments + k], self.slots[places + k]);
                (u - place).abs() <= ROUNDING * u.abs().max(1.0)
            });
            if size > NEAR || !at_home {
                continue;
            }
            let here = self.values(system);
            if !plain_failed {
                if self.newton(model, system, state, failure) {
                    return true;
                }
                plain_failed = true;
                self.put(system, begin);
                if !self.residuals(model, system, failure) {
                    return false;
                }
                first.extend_from_slice(&self.slots[b..b + n]);
            }
            self.put(system, &here);
            if size <= STEP_TOLERANCE {
                return self.residuals(model, system, failure) && {
                    let size = |r: &[f64]| r.iter().fold(0.0f64, |m, r| m.max(r.abs()));
                    size(&self.slots[b..b + n]) <= SOLVED * size(&first)
                };
            }
        }
        false
    }
}
