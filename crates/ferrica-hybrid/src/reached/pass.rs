//! What belongs to a pass over what is reached besides its blocks: the side of a relation, actions, left limits.

use super::tables::{Role, SlotRecord};
use super::{HAIR, Present, ReachedEvent};
use crate::actions::take_actions;
use crate::error::SimError;
use crate::events::EventResult;
use crate::relations::{Forced, holds_now};
use crate::scope::Scope;

impl<P: Present> ReachedEvent<'_, P> {
    /// The actions whose conditions have been evaluated. `reinit` is not left to `take_actions`: the slot of a state is not at the present unless an
    /// equation of the event reads it, and a value that the state has already is given to it all the same. True: one has been given.
    pub(super) fn act(&mut self, result: &mut EventResult) -> Result<bool, SimError> {
        let (reached, ev, model) = (&mut *self.reached, &mut *self.ev, self.model);
        let mut touched = std::mem::take(&mut reached.touched);
        touched.sort_unstable();
        touched.dedup();
        let Scope {
            terminates,
            effects,
            assertions,
            ..
        } = &mut reached.acting;
        for list in [terminates, effects, assertions] {
            list.clear();
        }
        let mut given = false;
        for role in touched.drain(..) {
            match role {
                Role::Reinit(k) => {
                    let (state, condition, value) = model.reinits[k as usize];
                    if ev.slots[condition as usize] != 0.0 {
                        let value = ev.slots[value as usize];
                        let i = state - model.layout.states;
                        reached.state_stamp[i as usize] = reached.stamp;
                        given = true;
                        if !reached.reinits.contains(&(i, value)) {
                            // Also where it has that value already: it is no longer one that rounding has left.
                            reached.make_due(state);
                        }
                        reached.reinits.retain(|r| r.0 != i);
                        reached.reinits.push((i, value));
                        reached.set(ev, state, value);
                    }
                }
                Role::Terminate(k) => reached.acting.terminates.push(k),
                Role::Effect(k) => reached.acting.effects.push(k),
                Role::Assertion(k) if model.assertions[k as usize].guard.is_some() => {
                    reached.acting.assertions.push(k);
                }
                Role::Assertion(k) => reached.checked.push(k),
                Role::Relation(_) | Role::Plain => {}
            }
        }
        reached.touched = touched;
        reached.reinitialized |= given;
        take_actions(ev, model, &reached.acting, result)?;
        Ok(given)
    }

    /// The left limits of what has changed in a pass.
    pub(super) fn take_present(&mut self) {
        let (reached, ev) = (&mut *self.reached, &mut *self.ev);
        let mut pre_due = std::mem::take(&mut reached.pre_due);
        for &slot in &pre_due {
            let SlotRecord { pre, condition, .. } = reached.tables.slots[slot as usize];
            let (now, old) = (ev.slots[slot as usize], ev.slots[pre as usize]);
            if now != old && !(now.is_nan() && old.is_nan()) {
                ev.slots[pre as usize] = now;
                reached.changed.push(pre);
                if !condition || now != 0.0 {
                    reached.make_due(pre);
                }
            }
        }
        pre_due.clear();
        reached.pre_due = pre_due;
        // The left limit of a moving variable catches up when its reader has seen the jump.
        for &(now, pre) in reached.tables.moving_pre.iter().chain(&reached.taken) {
            let value = ev.slots[now as usize];
            if ev.slots[pre as usize] != value {
                ev.slots[pre as usize] = value;
                reached.changed.push(pre);
            }
        }
    }

    /// Does relation `k` hold? One that crossed at its zero is on its new side there, also when it comes back: what it made true has moved its limit, and
    /// not having moved it asks for that again. A zero that a `reinit` has made is meant.
    pub(super) fn relation_holds(&self, k: u32, forced: &Forced, (band, near): (f64, f64)) -> bool {
        if let Some(&(_, largest, memory)) = self.reached.fired.iter().find(|f| f.0 == k) {
            let relation = &self.model.relations[k as usize];
            let size = (self.ev.get(relation.lhs) - self.ev.get(relation.rhs)).abs();
            let meant = self.reached.reinitialized && size == 0.0;
            if !meant && size <= HAIR * largest.max(size.min(1e-300)) {
                return memory;
            }
        }
        holds_now(self.ev, self.model, k as usize, forced, band, near)
    }
}
