//! An event that does not settle within what it reaches: conditions and values that go round in circles. All equations of the model are then brought to
//! the present and left to the passes of `ferrica-hybrid`, which solve conditions and values together, or say that nothing does.

use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_sim::{Equations, EventResult, Forced, Means, Scope, SimError, settle};

use super::{HAIR, LocalEvents};
use crate::observer::Trajectories;

/// All equations of a model.
struct Whole<'a> {
    ev: &'a mut Evaluator,
    model: &'a CompiledModel,
}

impl Equations for Whole<'_> {
    fn ev(&self) -> &Evaluator {
        self.ev
    }

    fn ev_mut(&mut self) -> &mut Evaluator {
        self.ev
    }

    /// Delayed signals have been set when the event began.
    fn recall(&mut self, _: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn evaluate(&mut self) -> Result<(), Failure> {
        self.ev.exec(self.model, &self.model.event_program)
    }

    fn evaluate_actions(&mut self) -> Result<(), Failure> {
        self.ev.exec(self.model, &self.model.action_program)
    }
}

impl LocalEvents {
    /// See the module comment. The left limits are those of the pass that did not come to an end.
    #[cold]
    pub(super) fn settle_whole(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
    ) -> Result<(), SimError> {
        let first = self.first_state as usize;
        for i in 0..self.state_stamp.len() {
            self.present(ev, at, i);
        }
        for &(now, pre) in &model.layout.pre_pairs {
            let lazy = self.tables.slots[pre as usize].before == now;
            if lazy && !self.taken.contains(&(now, pre)) {
                ev.slots[pre as usize] = ev.slots[now as usize];
            }
        }
        let before = ev.slots[..model.layout.len()].to_vec();
        let mut scope = Scope::all(model);
        let fired = self.fired.iter();
        let mut forced: Forced = fired.map(|&(r, _, memory)| (r as usize, memory)).collect();
        scope.located.note(ev, forced.iter().map(|f| f.0));
        scope.sample(ev, &self.sampled);
        let means = Means {
            band: HAIR,
            ..Means::default()
        };
        let mut result = EventResult::default();
        let mut all = Whole { ev, model };
        settle(&mut all, &mut scope, &mut forced, means, &mut result)?;
        self.due.clear();
        self.pre_due.clear();
        self.touched.clear();
        for (slot, &old) in before.iter().enumerate() {
            let now = ev.slots[slot];
            let Some(state) = slot
                .checked_sub(first)
                .filter(|&i| i < self.state_stamp.len())
            else {
                if now.to_bits() != old.to_bits() && !self.tables.slots[slot].moving {
                    self.outcome.changed.push(slot as Slot);
                }
                continue;
            };
            if now != old {
                self.outcome.reinits.retain(|r| r.0 != state as u32);
                self.outcome.reinits.push((state as u32, now));
                self.reinitialized = true;
            }
        }
        self.outcome
            .relations
            .extend(0..model.relations.len() as u32);
        self.outcome.terminate = self.outcome.terminate.take().or(result.terminate);
        self.outcome.warnings.append(&mut result.warnings);
        Ok(())
    }
}
