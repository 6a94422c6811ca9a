//! The event iteration, restricted to what an event can reach.
//!
//! In: the relations that crossed and the samplers that are due at one instant. Out: new values of the
//! discrete variables and of all that depends on them, new sides of relations, `reinit` values.
//!
//! Invariant between events: every left limit equals its variable, every block whose inputs are
//! constant between events is up to date. An event makes a few slots change; blocks that read a
//! changed slot are evaluated in the order of the blocks, and what they change makes others due. A
//! block that moves with the states is brought to the present only when a due block reads it; a block that
//! nothing but the output reads is left to the output. A pass ends when the relations agree with the values, left limits being held; then
//! come actions and `pre := present`; passes repeat until nothing is due. The cost is that of the blocks reached, not of the model: that is why the passes
//! themselves are here and not those of `ferrica-hybrid`, whose precondition is that all continuous blocks are at the present. Actions, assertions and
//! what does not settle (`whole.rs`) are left to it.

mod queue;
mod reach;
mod tables;
mod whole;

use ferrica_codegen::model::{BlockKind, CompiledModel};
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{Evaluator, Failure, Layout, Slot};
use ferrica_ir::print::brief;
use ferrica_sim::{
    EventResult, HELD_EVALUATIONS, Scope, SimError, Warning, failed_assertion, holds, side,
    take_actions,
};

use crate::fuse::Class;
use crate::model::Incidence;
use crate::observer::Trajectories;
use crate::plans::Plans;

use queue::Queue;
use reach::Reach;
use tables::{NONE, Role, SlotRecord, Tables};

/// Passes after which an event is left to passes over all equations.
const MAX_PASSES: usize = 20;
/// A relation that has just crossed keeps its side while its function is below this fraction of the
/// largest value seen.
const HAIR: f64 = 1e-9;
/// Result of an event.
#[derive(Clone, Debug, Default)]
pub struct EventOutcome {
    /// Slots constant between events that have a new value.
    pub changed: Vec<Slot>,
    /// Relations whose memory may have changed.
    pub relations: Vec<u32>,
    pub reinits: Vec<(u32, f64)>,
    pub terminate: Option<String>,
    pub warnings: Vec<Warning>,
}

impl EventOutcome {
    fn clear(&mut self) {
        self.changed.clear();
        self.relations.clear();
        self.reinits.clear();
        self.terminate = None;
        self.warnings.clear();
    }
}

/// See the module comment.
pub struct LocalEvents {
    first_state: Slot,
    tables: Tables,
    /// In a large model: what the event of each relation touches.
    reach: Option<Reach>,
    /// Left limits of states that were taken in the present event: (present, left limit).
    taken: Vec<(Slot, Slot)>,
    /// Blocks to be evaluated, in their order.
    due: Queue,
    stamp: u32,
    /// State brought to the present in the event of this stamp.
    state_stamp: Vec<u32>,
    seen_stamp: u32,
    touched: Vec<Role>,
    /// Actions of the present pass, and assertions that are looked at when the event has settled.
    scope: Scope,
    checked: Vec<u32>,
    pre_due: Vec<Slot>,
    /// Relations that crossed, with the largest absolute value of their functions and the memory on their new side.
    fired: Vec<(u32, f64, bool)>,
    /// Samplers whose instant it is, until the first pass has ended.
    sampled: Vec<usize>,
    /// A state has been given a new value in the present event.
    reinitialized: bool,
    /// Room for the values of a block before it is evaluated, and for walks.
    old: Vec<f64>,
    stack: Vec<u32>,
    list: Vec<u32>,
    pub outcome: EventOutcome,
    vm: Vm,
    /// One more than the largest slot of a row.
    touched_slots: usize,
}

impl LocalEvents {
    /// `consumers`: derivatives, crossing functions and time inputs (numbered on) that read each slot.
    /// `large`: is the model larger than the cache?
    pub fn new(
        model: &CompiledModel,
        class: &[Class],
        consumers: Incidence,
        large: bool,
    ) -> LocalEvents {
        let tables = Tables::new(model, class, consumers);
        LocalEvents {
            reach: large.then(|| Reach::new(model, &tables)),
            tables,
            taken: Vec::new(),
            due: Queue::new(model.main.blocks.len()),
            stamp: 0,
            state_stamp: vec![0; model.layout.n_states],
            seen_stamp: 0,
            touched: Vec::new(),
            scope: Scope::default(),
            checked: Vec::new(),
            pre_due: Vec::new(),
            fired: Vec::new(),
            sampled: Vec::new(),
            reinitialized: false,
            old: Vec::new(),
            stack: Vec::new(),
            list: Vec::new(),
            outcome: EventOutcome::default(),
            vm: Vm::default(),
            touched_slots: model
                .kernels
                .table
                .iter()
                .max()
                .map_or(0, |&m| m as usize + 1),
            first_state: model.layout.states,
        }
    }

    /// Is a slot constant between events?
    pub fn is_constant(&self, slot: Slot) -> bool {
        !self.tables.slots[slot as usize].moving
    }

    /// Asks to note changes of a slot.
    pub fn show(&mut self, slot: Slot) {
        self.tables.slots[slot as usize].shown = true;
    }

    /// Is a slot one of those?
    #[inline]
    pub fn is_shown(&self, slot: Slot) -> bool {
        self.tables.slots[slot as usize].shown
    }

    /// Positions of the consumers of a slot.
    #[inline]
    pub fn consumers(&self, slot: Slot) -> std::ops::Range<usize> {
        self.tables.slots[slot as usize].consumers()
    }

    #[inline]
    pub fn consumer(&self, at: usize) -> usize {
        self.tables.consumers.item(at)
    }

    /// An event of relation r is near: asks the memory where what it touches is.
    #[inline]
    pub fn ahead(&self, r: usize) {
        if let Some(reach) = &self.reach {
            reach.ahead(r);
        }
    }

    /// It is nearer: asks for all of that.
    #[inline]
    pub fn near(&self, r: usize, model: &CompiledModel, ev: &Evaluator, derivatives: &Plans) {
        if let Some(reach) = &self.reach {
            reach.near(r, (model, &self.tables), ev, derivatives);
        }
    }

    /// Runs an event. `crossed`: relations, whether their function is positive now, and its largest
    /// absolute value so far. What came of it is in `outcome`.
    pub fn run(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
        crossed: impl Iterator<Item = (u32, bool, f64)>,
        samplers: &[u32],
    ) -> Result<(), SimError> {
        let fail = |e: Failure| SimError::new("E0605", at.time, e);
        self.begin(ev, at);
        for k in 0..self.tables.moving_pre.len() {
            let (now, pre) = self.tables.moving_pre[k];
            self.refresh(model, ev, at, &[now]).map_err(fail)?;
            if ev.slots[pre as usize] != ev.slots[now as usize] {
                ev.slots[pre as usize] = ev.slots[now as usize];
                self.outcome.changed.push(pre);
            }
        }
        for (r, positive, reach) in crossed {
            let relation = &model.relations[r as usize];
            let memory = (side(relation.op, true) > 0.0) == positive;
            self.fired.push((r, reach, memory));
            self.outcome.relations.push(r);
            self.set(ev, relation.memory, f64::from(u8::from(memory)));
        }
        for &s in samplers {
            self.sampled.push(s as usize);
            self.set(ev, model.samplers[s as usize].0, 1.0);
        }
        self.settle(model, ev, at)?;
        for (k, effect) in model.effects.iter().enumerate() {
            if effect.guard.is_none() {
                ev.run(&model.effect_calls[k]).map_err(fail)?;
            }
        }
        self.check_assertions(model, ev)
    }

    /// The last event of a run: `terminal()` is true.
    pub fn end(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
    ) -> Result<(), SimError> {
        self.begin(ev, at);
        self.set(ev, Layout::TERMINAL, 1.0);
        self.settle(model, ev, at)?;
        self.check_assertions(model, ev)
    }

    fn begin(&mut self, ev: &mut Evaluator, at: Trajectories<'_>) {
        ev.set_time(at.time);
        self.stamp += 1;
        self.outcome.clear();
        self.fired.clear();
        self.reinitialized = false;
        self.taken.clear();
        self.checked.clear();
        self.sampled.clear();
    }

    fn set(&mut self, ev: &mut Evaluator, slot: Slot, value: f64) {
        if ev.slots[slot as usize] != value {
            ev.slots[slot as usize] = value;
            self.changed(slot);
        }
    }

    #[inline]
    fn changed(&mut self, slot: Slot) {
        self.make_due(slot);
        let record = &self.tables.slots[slot as usize];
        if !record.moving {
            self.outcome.changed.push(slot);
        }
        if record.pre != NONE {
            self.pre_due.push(slot);
        }
    }

    /// Readers of a slot are to be evaluated.
    #[inline]
    fn make_due(&mut self, slot: Slot) {
        for at in self.tables.slots[slot as usize].readers() {
            self.due.insert(self.tables.readers.item(at) as u32);
        }
    }

    fn settle(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
    ) -> Result<(), SimError> {
        let fail = |e: Failure| SimError::new("E0605", at.time, e);
        let mut held = 0;
        for _ in 0..MAX_PASSES {
            while let Some(b) = self.due.pop() {
                self.evaluate_due(model, ev, at, b as usize).map_err(fail)?;
            }
            if self.update_relations(model, ev) {
                held += 1;
                if held == HELD_EVALUATIONS {
                    break;
                }
                continue;
            }
            held = 0;
            self.end_pass(model, ev)?;
            while let Some(s) = self.sampled.pop() {
                self.set(ev, model.samplers[s].0, 0.0);
            }
            if self.due.is_empty() {
                return Ok(());
            }
        }
        self.settle_whole(model, ev, at)
    }

    fn evaluate_due(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
        b: usize,
    ) -> Result<(), Failure> {
        let record = self.tables.blocks[b];
        if record.moves {
            self.refresh(model, ev, at, record.reads(model))?;
        }
        let writes = record.writes(model);
        // A moving value of an earlier time says nothing.
        let stale = record.continuous && self.tables.blocks[b].stamp != self.stamp;
        if let &[slot] = writes {
            let old = ev.slots[slot as usize];
            self.evaluate(model, ev, record.kind)?;
            self.written(ev, slot, old, stale);
        } else {
            let mut before = std::mem::take(&mut self.old);
            before.clear();
            before.extend(writes.iter().map(|&s| ev.slots[s as usize]));
            self.evaluate(model, ev, record.kind)?;
            for (&slot, &old) in writes.iter().zip(&before) {
                self.written(ev, slot, old, stale);
            }
            self.old = before;
        }
        self.tables.blocks[b].stamp = self.stamp;
        if record.role != Role::Plain {
            self.touched.push(record.role);
        }
        Ok(())
    }

    /// A block has written a slot, whose value was `old`, and `stale` if it moves.
    #[inline]
    fn written(&mut self, ev: &Evaluator, slot: Slot, old: f64, stale: bool) {
        let stale = stale && self.tables.slots[slot as usize].moving;
        if stale || ev.slots[slot as usize].to_bits() != old.to_bits() {
            self.changed(slot);
        }
    }

    /// Brings moving slots to the present.
    fn refresh(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
        slots: &[Slot],
    ) -> Result<(), Failure> {
        let first = model.layout.states;
        let states = model.layout.n_states as Slot;
        self.seen_stamp += 1;
        let mut stack = std::mem::take(&mut self.stack);
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        let enter = |this: &mut Self, ev: &mut Evaluator, slot: Slot, stack: &mut Vec<u32>| {
            let record = this.tables.slots[slot as usize];
            if record.before != NONE {
                if !this.taken.contains(&(record.before, slot)) {
                    this.taken.push((record.before, slot));
                    this.present(ev, at, (record.before - first) as usize);
                    ev.slots[slot as usize] = ev.slots[record.before as usize];
                }
                return;
            }
            if !record.moving || slot == Layout::TIME {
                return;
            }
            if slot >= first && slot < first + states {
                return this.present(ev, at, (slot - first) as usize);
            }
            let w = model.main.writer[slot as usize];
            if w == NONE {
                return;
            }
            let block = &mut this.tables.blocks[w as usize];
            if block.continuous && block.stamp != this.stamp && block.seen != this.seen_stamp {
                block.seen = this.seen_stamp;
                stack.push(w);
            }
        };
        for &slot in slots {
            enter(self, ev, slot, &mut stack);
        }
        while let Some(w) = stack.pop() {
            list.push(w);
            for &slot in self.tables.blocks[w as usize].reads(model) {
                enter(self, ev, slot, &mut stack);
            }
        }
        list.sort_unstable();
        for &w in &list {
            let record = &mut self.tables.blocks[w as usize];
            record.stamp = self.stamp;
            let kind = record.kind;
            self.evaluate(model, ev, kind)?;
        }
        self.stack = stack;
        self.list = list;
        Ok(())
    }

    /// Brings a state to the present.
    #[inline]
    fn present(&mut self, ev: &mut Evaluator, at: Trajectories<'_>, state: usize) {
        if self.state_stamp[state] != self.stamp {
            self.state_stamp[state] = self.stamp;
            ev.slots[self.first_state as usize + state] = at.seen(state);
        }
    }

    #[inline(always)]
    fn evaluate(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        kind: BlockKind,
    ) -> Result<(), Failure> {
        match kind {
            BlockKind::Row(row) => {
                if let Some(code) = &self.tables.code {
                    assert!(ev.slots.len() >= self.touched_slots);
                    let numbers = model.kernels.row(row);
                    // SAFETY: `touched_slots` is above every number of the table, and the slots reach it.
                    if unsafe { code.run(row.kernel, &mut ev.slots, numbers) } {
                        return Ok(());
                    }
                }
                let done = self.vm.batch(
                    &model.functions,
                    &mut ev.rt,
                    &model.kernels.kernels[row.kernel],
                    model.kernels.row(row),
                    1,
                    &mut ev.slots,
                );
                done.map_err(|m| Failure::new(format!("at time {}: {m}", brief(ev.time()))))
            }
            BlockKind::System(s) => ev.run(&Program {
                steps: vec![Step::Solve(s)],
                ..Program::default()
            }),
        }
    }

    /// The relations that have been evaluated; true if the memory of one changed.
    fn update_relations(&mut self, model: &CompiledModel, ev: &mut Evaluator) -> bool {
        let mut touched = std::mem::take(&mut self.touched);
        let mut changed = false;
        touched.retain(|&role| {
            let Role::Relation(r) = role else {
                return true;
            };
            changed |= self.relation(ev, model, r);
            false
        });
        self.touched = touched;
        changed
    }

    /// Actions and left limits at the end of a pass.
    fn end_pass(&mut self, model: &CompiledModel, ev: &mut Evaluator) -> Result<(), SimError> {
        if !self.touched.is_empty() {
            self.act(model, ev)?;
        }
        let mut pre_due = std::mem::take(&mut self.pre_due);
        for &slot in &pre_due {
            let SlotRecord { pre, condition, .. } = self.tables.slots[slot as usize];
            let (now, old) = (ev.slots[slot as usize], ev.slots[pre as usize]);
            if now != old && !(now.is_nan() && old.is_nan()) {
                ev.slots[pre as usize] = now;
                self.outcome.changed.push(pre);
                if !condition || now != 0.0 {
                    self.make_due(pre);
                }
            }
        }
        pre_due.clear();
        self.pre_due = pre_due;
        // The left limit of a moving variable catches up when its reader has seen the jump.
        for &(now, pre) in self.tables.moving_pre.iter().chain(&self.taken) {
            let value = ev.slots[now as usize];
            if ev.slots[pre as usize] != value {
                ev.slots[pre as usize] = value;
                self.outcome.changed.push(pre);
            }
        }
        Ok(())
    }

    /// The actions whose conditions have been evaluated. `reinit` is not left to `take_actions`: the slot of a state is not at the present unless an
    /// equation of the event reads it, and a value that the state has already is given to it all the same.
    fn act(&mut self, model: &CompiledModel, ev: &mut Evaluator) -> Result<(), SimError> {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for list in [
            &mut self.scope.terminates,
            &mut self.scope.effects,
            &mut self.scope.assertions,
        ] {
            list.clear();
        }
        for role in touched.drain(..) {
            match role {
                Role::Reinit(k) => {
                    let (state, condition, value) = model.reinits[k as usize];
                    if ev.slots[condition as usize] != 0.0 {
                        let value = ev.slots[value as usize];
                        let i = state - model.layout.states;
                        self.state_stamp[i as usize] = self.stamp;
                        self.reinitialized = true;
                        if !self.outcome.reinits.contains(&(i, value)) {
                            // Also where it has that value already: it is no longer one that rounding has left.
                            self.make_due(state);
                        }
                        self.outcome.reinits.retain(|r| r.0 != i);
                        self.outcome.reinits.push((i, value));
                        self.set(ev, state, value);
                    }
                }
                Role::Terminate(k) => self.scope.terminates.push(k),
                Role::Effect(k) => self.scope.effects.push(k),
                Role::Assertion(k) if model.assertions[k as usize].guard.is_some() => {
                    self.scope.assertions.push(k);
                }
                Role::Assertion(k) => self.checked.push(k),
                Role::Relation(_) | Role::Plain => {}
            }
        }
        self.touched = touched;
        let mut result = EventResult {
            terminate: self.outcome.terminate.take(),
            ..EventResult::default()
        };
        take_actions(ev, model, &self.scope, &mut result)?;
        self.outcome.terminate = result.terminate;
        self.outcome.warnings.append(&mut result.warnings);
        Ok(())
    }

    /// Assertions without a condition of their own that the event has reached: when it has settled.
    fn check_assertions(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
    ) -> Result<(), SimError> {
        self.checked.sort_unstable();
        self.checked.dedup();
        for &k in &self.checked {
            if ev.slots[model.assertions[k as usize].value as usize] == 0.0 {
                let failed = failed_assertion(ev, model, k as usize);
                let failed = failed.map_err(|f| SimError::new("E0607", ev.time(), f))?;
                self.outcome.warnings.push(failed);
            }
        }
        Ok(())
    }

    /// True if its memory changed.
    fn relation(&mut self, ev: &mut Evaluator, model: &CompiledModel, r: u32) -> bool {
        let relation = &model.relations[r as usize];
        let (lhs, rhs) = (
            ev.slots[relation.lhs as usize],
            ev.slots[relation.rhs as usize],
        );
        let size = (lhs - rhs).abs();
        let fired = self.fired.iter().find(|f| f.0 == r);
        // Zero that a `reinit` has made is meant.
        let meant = self.reinitialized && size == 0.0;
        let near = fired.filter(|f| !meant && size <= HAIR * f.1.max(size.min(1e-300)));
        // It is on its new side where it crossed, also when it comes back there: what it made true has moved its limit, and not having moved it asks for that again.
        let holds = near.map_or_else(|| holds(relation.op, lhs, rhs), |f| f.2);
        let memory = f64::from(u8::from(holds));
        self.outcome.relations.push(r);
        let changed = ev.slots[relation.memory as usize] != memory;
        self.set(ev, relation.memory, memory);
        changed
    }
}
