//! Inner variables of a torn system.
//!
//! What the assignments of a loop compute is as unknown as the iteration variables, and a chain of them can make much of little: an
//! iteration variable at one end of a ladder is 10^-50 of what it gives at the other. So a solution is reached where the inner
//! variables rest too, and it is one only where rounding of the iteration variables does not move them.

use super::ROUNDING;
use crate::evaluator::{Evaluator, Failure, SystemState};
use crate::model::{CompiledModel, System};

/// Inner variables rest when a correction moves them by this part of their size at most: by quadratic convergence the next one moves them by about its square.
pub(crate) const RESTS: f64 = 1e-5;
/// Below this part of its nominal value an inner variable is compared with that: what is a difference of larger ones has their rounding errors.
pub(crate) const SMALL: f64 = 1e-3;
/// By how much rounding of the unknowns may move inner variables, in parts of their size.
pub(crate) const DETERMINED: f64 = 1e-6;
/// Movements of unknowns below this part of their size are mostly rounding, and tell nothing about gains.
pub(crate) const ROUNDED: f64 = 1e-12;

impl Evaluator {
    /// Keeps the inner variables for [`Evaluator::inner_rest`].
    pub(super) fn note_inner(&self, system: &System, state: &mut SystemState) {
        let inner = &system.writes[system.unknowns.len()..];
        state.inner.clear();
        state
            .inner
            .extend(inner.iter().map(|&s| self.slots[s as usize]));
    }

    /// The largest movement of an inner variable since then, in parts of its size.
    fn inner_movement(&self, model: &CompiledModel, system: &System, state: &SystemState) -> f64 {
        let inner = &system.writes[system.unknowns.len()..];
        let moved = |(&slot, &before): (&u32, &f64)| {
            let now = self.slots[slot as usize];
            if now.to_bits() == before.to_bits() {
                return 0.0;
            }
            (now - before).abs() / now.abs().max(SMALL * model.nominal(slot))
        };
        // What is no number has not come to rest.
        let movements = inner.iter().zip(&state.inner).map(moved);
        movements.fold(0.0, |m: f64, d| if d <= m { m } else { d })
    }

    /// Has this part of the correction `state.dx` from `state.x` left the inner variables where they were?
    pub(super) fn inner_rest(
        &self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        part: f64,
    ) -> bool {
        if state.inner.is_empty() {
            return true;
        }
        let movement = self.inner_movement(model, system, state);
        let of_unknowns = state.x.iter().zip(&state.dx);
        let own = of_unknowns.fold(0.0f64, |m, (x, d)| match *x {
            0.0 => m,
            x => m.max((part * d / x).abs()),
        });
        if own > ROUNDED {
            state.gain = Some(movement / own);
        }
        movement <= RESTS
    }

    /// Do the unknowns determine the inner variables, as precise as numbers are?
    pub(super) fn is_determined(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        failure: &mut Option<Failure>,
    ) -> bool {
        if let Some(gain) = state.gain {
            return gain * f64::EPSILON <= DETERMINED;
        }
        // Nothing has moved yet: a rounding error of each unknown shows it.
        self.note_inner(system, state);
        let at = self.values(system);
        let beside: Vec<f64> = (at.iter().zip(&system.unknowns))
            .map(|(&x, &slot)| x + ROUNDING * x.abs().max(SMALL * model.nominal(slot)))
            .collect();
        self.put(system, &beside);
        let evaluated = self.residuals(model, system, failure);
        let movement = self.inner_movement(model, system, state);
        self.put(system, &at);
        let part = f64::EPSILON / ROUNDING;
        self.residuals(model, system, failure) && evaluated && movement * part <= DETERMINED
    }
}
