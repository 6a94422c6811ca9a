//! Tangents of a system's results by the implicit function theorem.
//!
//! [`Evaluator::prepare_system`] linearizes at the solution; [`Evaluator::system_tangent`] then serves any number of directions.

use crate::evaluator::{Evaluator, Failure, SystemState};
use crate::model::{CompiledModel, System, SystemKind};
use crate::program::SystemId;

impl Evaluator {
    /// Linearizes a system at its solution.
    pub(crate) fn prepare_system(
        &mut self,
        model: &CompiledModel,
        id: SystemId,
    ) -> Result<(), Failure> {
        let system = &model.systems[id];
        match &system.kind {
            SystemKind::Linear {
                tape, then_tape, ..
            } => {
                self.prepare_tape(model, tape)?;
                self.prepare_tape(model, then_tape)
            }
            SystemKind::Nonlinear { tape, .. } => {
                self.nonlinear_jacobian(model, system)?;
                self.prepare_tape(model, tape)?;
                let mut state = self.take_state(system, id);
                let (a, nnz) = (system.matrix as usize, system.pattern.nnz());
                let factored = match &mut state.lu {
                    Some(lu) => lu.factor(&self.slots[a..a + nnz]).is_ok(),
                    None => nnz == 1 && self.slots[a] != 0.0,
                };
                self.systems[id] = state;
                if factored {
                    Ok(())
                } else {
                    Err(self.singular(model, system, usize::MAX, 0))
                }
            }
        }
    }

    /// Tangents of a system's results from those of what it reads, in `L` directions.
    pub(crate) fn system_tangent<const L: usize>(&mut self, model: &CompiledModel, id: SystemId) {
        let system = &model.systems[id];
        let n = system.unknowns.len();
        let b = system.rhs as usize;
        match &system.kind {
            SystemKind::Linear {
                constant,
                tape,
                then_tape,
                ..
            } => {
                self.sweep::<L>(model, tape);
                let mut state = self.take_state(system, id);
                for lane in 0..L {
                    for k in 0..n {
                        state.dx[k] = self.tangents[(b + k) * L + lane];
                    }
                    if !constant || model.tangents.is_some() {
                        for (k, (r, c)) in system.pattern.entries().enumerate() {
                            let d = self.tangents[(system.matrix as usize + k) * L + lane];
                            if d != 0.0 {
                                state.dx[r] -= d * self.slots[system.unknowns[c] as usize];
                            }
                        }
                    }
                    self.finish_tangent::<L>(system, &mut state, lane);
                }
                self.systems[id] = state;
                self.sweep::<L>(model, then_tape);
            }
            SystemKind::Nonlinear { tape, .. } => {
                for &slot in &system.unknowns {
                    self.tangents[slot as usize * L..][..L].fill(0.0);
                }
                self.sweep::<L>(model, tape);
                let mut state = self.take_state(system, id);
                for lane in 0..L {
                    for k in 0..n {
                        state.dx[k] = -self.tangents[(b + k) * L + lane];
                    }
                    self.finish_tangent::<L>(system, &mut state, lane);
                }
                self.systems[id] = state;
                self.sweep::<L>(model, tape);
            }
        }
    }

    fn finish_tangent<const L: usize>(
        &mut self,
        system: &System,
        state: &mut SystemState,
        lane: usize,
    ) {
        let singular = matches!(system.kind, SystemKind::Linear { .. }) && !state.factored;
        match &mut state.lu {
            // What a singular system leaves as it is does not move.
            Some(_) if singular => {
                let moved = self.consistent(system, &state.dx);
                state.dx = moved.unwrap_or_else(|| vec![0.0; state.dx.len()]);
            }
            Some(lu) => lu.solve(&mut state.dx),
            None => {
                let pivot = self.slots[system.matrix as usize];
                state.dx[0] = if pivot == 0.0 {
                    0.0
                } else {
                    state.dx[0] / pivot
                };
            }
        }
        for (&slot, &d) in system.unknowns.iter().zip(&state.dx) {
            self.tangents[slot as usize * L + lane] = d;
        }
    }
}
