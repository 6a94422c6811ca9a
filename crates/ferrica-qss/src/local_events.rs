//! The event iteration, restricted to what an event can reach.
//!
//! In: the relations that crossed and the samplers that are due at one instant. Out: new values of the
//! discrete variables and of all that depends on them, new sides of relations, `reinit` values.
//!
//! Invariant between events: every left limit equals its variable, every block whose inputs are
//! constant between events is up to date. An event makes a few slots change; blocks that read a
//! changed slot are evaluated in the order of the blocks, and what they change makes others due. A
//! block that moves with the states is brought to the present only when a due block reads it. A pass
//! ends with relations, `reinit` and `pre := present`; passes repeat until nothing is due. The cost is
//! that of the blocks reached, not of the model.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use ferrica_codegen::jit::KernelCode;
use ferrica_codegen::model::{BlockId, BlockKind, CompiledModel};
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{Evaluator, Failure, Layout, Slot};
use ferrica_ir::BinaryOp;

use crate::fuse::Class;
use crate::model::Incidence;
use crate::observer::Trajectories;

/// Passes after which an event is taken never to settle.
const MAX_PASSES: usize = 200;
/// A relation that has just crossed keeps its side while its function is below this fraction of the
/// largest value seen.
const HAIR: f64 = 1e-9;
const NONE: u32 = u32::MAX;

/// Operations up to which the rows of a model are compiled for its events.
const FEW_OPERATIONS: usize = 2000;

/// Machine code for the rows of a model with events.
fn row_code(model: &CompiledModel) -> Option<KernelCode> {
    let kernels = model.kernels.kernels.values();
    let operations: usize = kernels.map(|k| k.ops.len()).sum();
    let events = !model.relations.is_empty() || !model.samplers.is_empty();
    (events && operations <= FEW_OPERATIONS).then(|| KernelCode::new(&model.kernels))?
}

/// Does the relation hold?
pub fn holds(op: BinaryOp, lhs: f64, rhs: f64) -> bool {
    match op {
        BinaryOp::Lt => lhs < rhs,
        BinaryOp::Le => lhs <= rhs,
        BinaryOp::Gt => lhs > rhs,
        BinaryOp::Ge => lhs >= rhs,
        BinaryOp::Eq => lhs == rhs,
        _ => lhs != rhs,
    }
}

/// Is lhs − rhs taken to be positive when the relation has this value?
pub fn positive_side(op: BinaryOp, memory: bool) -> bool {
    match op {
        BinaryOp::Gt | BinaryOp::Ge => memory,
        BinaryOp::Lt | BinaryOp::Le => !memory,
        // Equality has no sides; its function is never asked.
        _ => true,
    }
}

/// What a block means for events beyond its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Plain,
    Relation(u32),
    Reinit(u32),
    Assertion(u32),
    Terminate(u32),
    Effect(u32),
}

/// Result of an event.
#[derive(Clone, Debug, Default)]
pub struct EventOutcome {
    /// Slots constant between events that have a new value.
    pub changed: Vec<Slot>,
    /// Relations whose memory may have changed.
    pub relations: Vec<u32>,
    pub reinits: Vec<(u32, f64)>,
    pub terminate: Option<String>,
    pub warnings: Vec<(String, ferrica_ir::Span)>,
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
    model: Arc<CompiledModel>,
    class: Vec<Class>,
    /// Blocks that read each slot.
    readers: Incidence,
    roles: Vec<Role>,
    /// Left-limit slot of each slot that has one.
    pre_of: Vec<u32>,
    /// Continuous variables with a left limit: (present, left limit).
    moving_pre: Vec<(Slot, Slot)>,
    /// Blocks to be evaluated, the first one on top, each once.
    due: BinaryHeap<Reverse<u32>>,
    queued: Vec<bool>,
    stamp: u32,
    /// Block or state brought to the present in the event of this stamp.
    block_stamp: Vec<u32>,
    state_stamp: Vec<u32>,
    seen_stamp: u32,
    seen: Vec<u32>,
    touched: Vec<Role>,
    pre_due: Vec<Slot>,
    /// Relations that crossed, with the largest absolute value of their functions.
    fired: Vec<(u32, f64)>,
    /// Room for the values of a block before it is evaluated, and for walks.
    old: Vec<f64>,
    stack: Vec<u32>,
    list: Vec<u32>,
    pub outcome: EventOutcome,
    vm: Vm,
    /// Machine code of the rows, where there is little of it, and one more than the largest slot in them.
    code: Option<KernelCode>,
    touched_slots: usize,
}

impl LocalEvents {
    pub fn new(model: &Arc<CompiledModel>, class: &[Class]) -> LocalEvents {
        let main = &model.main;
        let slots = model.layout.len();
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(main.blocks.len());
        for id in main.blocks.keys() {
            let mut reads = model.block_reads(main, id).to_vec();
            reads.sort_unstable();
            reads.dedup();
            rows.push(reads);
        }
        let readers = Incidence::new(&rows).transposed(slots);
        let mut roles = vec![Role::Plain; main.blocks.len()];
        let mut give = |slot: Slot, role: Role| {
            if let Some(&w) = main.writer.get(slot as usize)
                && w != NONE
            {
                roles[w as usize] = role;
            }
        };
        for (k, r) in model.relations.iter().enumerate() {
            give(r.zero, Role::Relation(k as u32));
        }
        for (k, r) in model.reinits.iter().enumerate() {
            give(r.1, Role::Reinit(k as u32));
        }
        for (k, a) in model.assertions.iter().enumerate() {
            give(a.value, Role::Assertion(k as u32));
        }
        for (k, a) in model.terminates.iter().enumerate() {
            if let Some(g) = a.guard {
                give(g, Role::Terminate(k as u32));
            }
        }
        for (k, a) in model.effects.iter().enumerate() {
            if let Some(g) = a.guard {
                give(g, Role::Effect(k as u32));
            }
        }
        let mut pre_of = vec![NONE; slots];
        let mut moving_pre = Vec::new();
        for &(now, pre) in &model.layout.pre_pairs {
            if class[now as usize] == Class::Constant {
                pre_of[now as usize] = pre;
            } else {
                moving_pre.push((now, pre));
            }
        }
        LocalEvents {
            class: class.to_vec(),
            readers,
            roles,
            pre_of,
            moving_pre,
            due: BinaryHeap::new(),
            queued: vec![false; main.blocks.len()],
            stamp: 0,
            block_stamp: vec![0; main.blocks.len()],
            state_stamp: vec![0; model.layout.n_states],
            seen_stamp: 0,
            seen: vec![0; main.blocks.len()],
            touched: Vec::new(),
            pre_due: Vec::new(),
            fired: Vec::new(),
            old: Vec::new(),
            stack: Vec::new(),
            list: Vec::new(),
            outcome: EventOutcome::default(),
            vm: Vm::default(),
            code: row_code(model),
            touched_slots: model
                .kernels
                .table
                .iter()
                .max()
                .map_or(0, |&m| m as usize + 1),
            model: model.clone(),
        }
    }

    /// Runs an event. `crossed`: relations, whether their function is positive now, and its largest
    /// absolute value so far. What came of it is in `outcome`.
    pub fn run(
        &mut self,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
        crossed: impl Iterator<Item = (u32, bool, f64)>,
        samplers: &[u32],
    ) -> Result<(), Failure> {
        let model = self.model.clone();
        let model = &*model;
        ev.set_time(at.time);
        self.stamp += 1;
        self.outcome.clear();
        self.fired.clear();
        for k in 0..self.moving_pre.len() {
            let (now, pre) = self.moving_pre[k];
            self.refresh(model, ev, at, &[now])?;
            if ev.slots[pre as usize] != ev.slots[now as usize] {
                ev.slots[pre as usize] = ev.slots[now as usize];
                self.outcome.changed.push(pre);
            }
        }
        for (r, positive, reach) in crossed {
            let relation = &model.relations[r as usize];
            let memory = positive_side(relation.op, true) == positive;
            self.fired.push((r, reach));
            self.outcome.relations.push(r);
            self.set(ev, relation.memory, f64::from(u8::from(memory)));
        }
        for &s in samplers {
            self.set(ev, model.samplers[s as usize].0, 1.0);
        }
        self.settle(model, ev, at)?;
        if !samplers.is_empty() {
            for &s in samplers {
                self.set(ev, model.samplers[s as usize].0, 0.0);
            }
            self.settle(model, ev, at)?;
        }
        for (k, effect) in model.effects.iter().enumerate() {
            if effect.guard.is_none() {
                ev.run(&model.effect_calls[k])?;
            }
        }
        Ok(())
    }

    fn set(&mut self, ev: &mut Evaluator, slot: Slot, value: f64) {
        if ev.slots[slot as usize] != value {
            ev.slots[slot as usize] = value;
            self.changed(slot);
        }
    }

    fn changed(&mut self, slot: Slot) {
        self.make_due(slot);
        if self.class[slot as usize] == Class::Constant {
            self.outcome.changed.push(slot);
        }
        if self.pre_of[slot as usize] != NONE {
            self.pre_due.push(slot);
        }
    }

    /// Readers of a slot are to be evaluated.
    fn make_due(&mut self, slot: Slot) {
        for &b in self.readers.row(slot as usize) {
            if !self.queued[b as usize] {
                self.queued[b as usize] = true;
                self.due.push(Reverse(b));
            }
        }
    }

    fn settle(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
    ) -> Result<(), Failure> {
        let mut last = 0;
        for _ in 0..MAX_PASSES {
            while let Some(Reverse(b)) = self.due.pop() {
                self.queued[b as usize] = false;
                last = b;
                self.evaluate_due(model, ev, at, BlockId::from_u32(b))?;
            }
            self.end_pass(model, ev)?;
            if self.due.is_empty() {
                return Ok(());
            }
        }
        let mut failure = Failure::new(format!(
            "the event at time {} does not settle: conditions keep changing each other",
            at.time
        ));
        let writes = model.block_writes(&model.main, BlockId::from_u32(last));
        if let Some(&slot) = writes.first() {
            failure.details.push(format!(
                "variable `{}` still changes (now {})",
                model.var_name(slot),
                ev.slots[slot as usize]
            ));
        }
        Err(failure)
    }

    fn evaluate_due(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        at: Trajectories<'_>,
        id: BlockId,
    ) -> Result<(), Failure> {
        self.refresh(model, ev, at, model.block_reads(&model.main, id))?;
        let b = id.as_u32() as usize;
        let writes = model.block_writes(&model.main, id);
        let mut before = std::mem::take(&mut self.old);
        before.clear();
        before.extend(writes.iter().map(|&s| ev.slots[s as usize]));
        self.evaluate(model, ev, id)?;
        let block = &model.main.blocks[id];
        for (&slot, old) in writes.iter().zip(&before) {
            // A moving value of an earlier time says nothing.
            let stale = block.continuous
                && self.class[slot as usize] != Class::Constant
                && self.block_stamp[b] != self.stamp;
            if stale || ev.slots[slot as usize].to_bits() != old.to_bits() {
                self.changed(slot);
            }
        }
        self.old = before;
        self.block_stamp[b] = self.stamp;
        if self.roles[b] != Role::Plain {
            self.touched.push(self.roles[b]);
        }
        Ok(())
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
            if this.class[slot as usize] == Class::Constant || slot == Layout::TIME {
                return;
            }
            if slot >= first && slot < first + states {
                let i = (slot - first) as usize;
                if this.state_stamp[i] != this.stamp {
                    this.state_stamp[i] = this.stamp;
                    ev.slots[slot as usize] = at.state(i);
                }
                return;
            }
            let w = model.main.writer[slot as usize];
            if w == NONE || !model.main.blocks[BlockId::from_u32(w)].continuous {
                return;
            }
            if this.block_stamp[w as usize] != this.stamp
                && this.seen[w as usize] != this.seen_stamp
            {
                this.seen[w as usize] = this.seen_stamp;
                stack.push(w);
            }
        };
        for &slot in slots {
            enter(self, ev, slot, &mut stack);
        }
        while let Some(w) = stack.pop() {
            list.push(w);
            for &slot in model.block_reads(&model.main, BlockId::from_u32(w)) {
                enter(self, ev, slot, &mut stack);
            }
        }
        list.sort_unstable();
        for &w in &list {
            self.evaluate(model, ev, BlockId::from_u32(w))?;
            self.block_stamp[w as usize] = self.stamp;
        }
        self.stack = stack;
        self.list = list;
        Ok(())
    }

    fn evaluate(
        &mut self,
        model: &CompiledModel,
        ev: &mut Evaluator,
        id: BlockId,
    ) -> Result<(), Failure> {
        match model.main.blocks[id].kind {
            BlockKind::Row(row) => {
                if let Some(code) = &self.code {
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
                done.map_err(|m| Failure::new(format!("at time {}: {m}", ev.time())))
            }
            BlockKind::System(s) => ev.run(&Program {
                steps: vec![Step::Solve(s)],
                ..Program::default()
            }),
        }
    }

    /// Relations, actions and left limits at the end of a pass.
    fn end_pass(&mut self, model: &CompiledModel, ev: &mut Evaluator) -> Result<(), Failure> {
        let mut touched = std::mem::take(&mut self.touched);
        for &role in &touched {
            if let Role::Relation(r) = role {
                self.relation(ev, model, r);
            }
        }
        for &role in &touched {
            match role {
                Role::Reinit(k) => {
                    let (state, condition, value) = model.reinits[k as usize];
                    if ev.slots[condition as usize] != 0.0 {
                        let value = ev.slots[value as usize];
                        let i = state - model.layout.states;
                        self.state_stamp[i as usize] = self.stamp;
                        self.outcome.reinits.retain(|r| r.0 != i);
                        self.outcome.reinits.push((i, value));
                        self.set(ev, state, value);
                    }
                }
                Role::Terminate(k) => {
                    let t = &model.terminates[k as usize];
                    if t.guard.is_some_and(|g| ev.slots[g as usize] != 0.0) {
                        ev.run(&model.terminate_messages[k as usize])?;
                        self.outcome.terminate = Some(ev.text(t.value).to_string());
                    }
                }
                Role::Effect(k) => {
                    let e = &model.effects[k as usize];
                    if e.guard.is_some_and(|g| ev.slots[g as usize] != 0.0) {
                        ev.run(&model.effect_calls[k as usize])?;
                    }
                }
                Role::Assertion(k) => self.assertion(ev, model, k as usize)?,
                Role::Relation(_) | Role::Plain => {}
            }
        }
        touched.clear();
        self.touched = touched;
        let mut pre_due = std::mem::take(&mut self.pre_due);
        for &slot in &pre_due {
            let pre = self.pre_of[slot as usize];
            let (now, old) = (ev.slots[slot as usize], ev.slots[pre as usize]);
            if now != old && !(now.is_nan() && old.is_nan()) {
                ev.slots[pre as usize] = now;
                self.outcome.changed.push(pre);
                self.make_due(pre);
            }
        }
        pre_due.clear();
        self.pre_due = pre_due;
        // The left limit of a moving variable catches up when its reader has seen the jump.
        for &(now, pre) in &self.moving_pre {
            let value = ev.slots[now as usize];
            if ev.slots[pre as usize] != value {
                ev.slots[pre as usize] = value;
                self.outcome.changed.push(pre);
            }
        }
        Ok(())
    }

    fn relation(&mut self, ev: &mut Evaluator, model: &CompiledModel, r: u32) {
        let relation = &model.relations[r as usize];
        let (lhs, rhs) = (
            ev.slots[relation.lhs as usize],
            ev.slots[relation.rhs as usize],
        );
        let size = (lhs - rhs).abs();
        let fired = self.fired.iter().find(|f| f.0 == r);
        if fired.is_some_and(|f| size <= HAIR * f.1.max(size.min(1e-300))) {
            return;
        }
        let memory = f64::from(u8::from(holds(relation.op, lhs, rhs)));
        self.outcome.relations.push(r);
        self.set(ev, relation.memory, memory);
    }

    /// Checks an assertion whose condition has been evaluated.
    pub fn assertion(
        &mut self,
        ev: &mut Evaluator,
        model: &CompiledModel,
        k: usize,
    ) -> Result<(), Failure> {
        let a = &model.assertions[k];
        let active = a.guard.is_none_or(|g| ev.slots[g as usize] != 0.0);
        if !active || ev.slots[a.value as usize] != 0.0 {
            return Ok(());
        }
        let (message, span, is_error) = assertion_text(ev, model, k);
        if is_error {
            let mut failure = Failure::new(message);
            failure.span = span;
            return Err(failure);
        }
        self.outcome.warnings.push((message, span));
        Ok(())
    }
}

/// Message of a failed assertion, its place, and whether it is an error.
pub fn assertion_text(
    ev: &mut Evaluator,
    model: &CompiledModel,
    k: usize,
) -> (String, ferrica_ir::Span, bool) {
    let source = &model.source.assertions[k];
    let program = &model.assertion_messages[k];
    let text = match ev.run(program) {
        Ok(()) => {
            let slot = program.rows.last().copied().unwrap_or(Layout::TIME);
            ev.text(slot).to_string()
        }
        Err(e) => e.message,
    };
    let time = ev.time();
    let message = format!("assertion failed at time {time}: {text}");
    (message, source.span, source.is_error)
}
