//! Quanta in balance: no quantum may drown a reader.
//!
//! A quantum relative to a state's own value is too coarse where the model forms a small difference of large states,
//! as of two angles that have turned a hundred times: the reader's motion is then made of quanta. So now and then a
//! transition of state i looks how far one of its quanta moves each reader j within the step, |∂f_j/∂q_i|·ΔQ_i·h_i, and
//! compares it with the largest value of that reader. The quantum is halved until what it moves is a small part of it,
//! and grows again when it need not be so small.

use ferrica_ir::Diagnostic;

use super::Engine;
use crate::integrator::TELLING;
use crate::model::QssModel;

/// Transitions of a state between two looks at its readers.
pub(super) const LOOK: u64 = 32;
/// Part of a reader's size that a quantum may move it by within a step, in units of the root of the relative quantum.
const MOVED: f64 = 1.0;
/// Most halvings of a quantum.
const FINEST: u8 = 10;

impl<M: QssModel, const N: usize, const D: usize> Engine<'_, M, N, D> {
    /// Evaluates the derivative of j after q_i has moved by dq; returns how often the quantum of i must be halved for
    /// the sake of j. A stiff reader does not count: it follows its inputs, whatever their quanta.
    #[cold]
    pub(super) fn evaluate_and_look(
        &mut self,
        (i, j): (usize, usize),
        t: f64,
        dq: f64,
    ) -> Result<u8, Diagnostic> {
        let before = self.nodes[j].derivative::<N>(t)[0];
        self.evaluate(j, t)?;
        let reader = &self.nodes[j];
        let after = reader.derivative::<N>(t)[0];
        let size = f64::from(self.sizes[j]).max(reader.x[0].abs());
        self.sizes[j] = size as f32;
        let node = &self.nodes[i];
        let step = node.meet - t;
        let stiff = reader.resting || -reader.slope * step > 1.0;
        if i == j || stiff {
            return Ok(0);
        }
        if !step.is_finite() || dq.abs() <= TELLING * node.quantum {
            return Ok(node.finer);
        }
        // A step is as long as the N-th root of the quantum.
        let moves = |halvings: u8| 2f64.powf(f64::from(halvings) * (1.0 + 1.0 / N as f64));
        let moved = ((after - before) / dq).abs() * node.quantum * step * moves(node.finer);
        let may = MOVED * self.control.relative.sqrt() * size;
        let mut finer = 0;
        while finer < FINEST && moved > may * moves(finer) {
            finer += 1;
        }
        Ok(finer)
    }
}
