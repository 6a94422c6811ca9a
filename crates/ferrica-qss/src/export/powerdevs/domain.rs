//! Functions with algebraic loops, near the edge of where these have a solution.
//!
//! A quantized state is off by up to its quantum. A loop that has no solution there (a diode that is asked for more than its reverse current)
//! ends the run of an export, and of the engine too. The values at the start tell some of these beforehand: each state that
//! such a function reads is moved by a quantum, up and down.

use ferrica_codegen::Evaluator;
use ferrica_codegen::schedule::arrange;
use ferrica_ir::print::brief;

use super::Export;
use crate::splitting::SplitStep;

impl Export<'_> {
    /// A warning for each derivative whose loops lose their solution within a quantum; `ev` holds the values at the start.
    pub(super) fn fragile(&self, ev: &Evaluator) -> Vec<String> {
        let model = self.model;
        let mut texts = Vec::new();
        for k in 0..self.split.states {
            let e = &self.split.derivatives[k];
            if matches!(&e.steps[..], [SplitStep::Fused(_)]) {
                continue;
            }
            let blocks = self.loop_blocks(&[e.result]);
            let program = arrange(&model.kernels, &model.systems, &model.main, &blocks);
            let states = (e.reads.iter()).filter(|&&q| (q as usize) < self.split.states);
            let lost = states.copied().find_map(|q| {
                let slot = self.split.quantity_slot(q);
                let x = ev.get(slot);
                let quantum = self.tolerance * x.abs().max(1.0);
                let moved = [x + quantum, x - quantum].into_iter();
                let mut failing = moved.filter(|&at| {
                    let mut ev = ev.clone();
                    ev.set(slot, at);
                    ev.run(&program).is_err() || !ev.get(e.result).is_finite()
                });
                failing.next().map(|at| (q, at))
            });
            if let Some((q, at)) = lost {
                texts.push(format!(
                    "`der({})` has no solution where `{}` is {}, one quantum from its start: the run may end there, as quantized states are off by up to a quantum",
                    self.state_name(k),
                    self.state_name(q as usize),
                    brief(at)
                ));
            }
        }
        texts
    }
}
