//! Events in large models: only what depends on what changed is evaluated again.
//!
//! Precondition: every continuous block is consistent with the slots ([`Problem::consistent`]). An event then changes a few
//! memories of conditions, left limits and samplers; their readers are evaluated in sorted order, the readers of what they
//! change after them, and so on. A pass ends like a pass over all blocks does: conditions that were evaluated, actions, left limits.
//! The cost is that of the blocks that are reached, and a logarithm.
//!
//! Invariant: the values are those of the passes over all blocks in [`crate::settle`], which go on where this does not settle.

use std::collections::BTreeSet;

use ferrica_codegen::layout::Layout;
use ferrica_codegen::model::{BlockId, CompiledModel};
use ferrica_codegen::{Failure, Slot};

use crate::actions::take_actions;
use crate::error::SimError;
use crate::events::{EventResult, is_discrete};
use crate::mixed::HELD_EVALUATIONS;
use crate::problem::Problem;
use crate::relations::{Forced, holds_now};
use crate::settle::keep_confirmed;

/// Below so many blocks a pass over all of them is as cheap.
const LEAST_BLOCKS: usize = 256;
/// Passes after which the event is left to passes over all blocks.
const MAX_PASSES: usize = 20;
const NONE: u32 = u32::MAX;

/// Who reads what, and the work lists.
pub struct Propagation {
    /// Readers of slot s: `readers[starts[s]..starts[s + 1]]`.
    starts: Vec<u32>,
    readers: Vec<u32>,
    /// Discrete blocks that read what changes between events.
    always: Vec<u32>,
    /// Relation that a block evaluates, and number of its crossing.
    relation_of: Vec<u32>,
    pub crossing_of: Vec<u32>,
    /// Blocks of reinits, assertions, terminations and effects.
    is_action: Vec<bool>,
    /// Left limit of a slot.
    pre_of: Vec<Slot>,
    /// Left limits of what changes between events.
    continuous_pairs: Vec<(Slot, Slot)>,
    dirty: BTreeSet<u32>,
    before: Vec<f64>,
    /// Relations evaluated in this pass; in this event.
    evaluated: Vec<u32>,
    pub touched: Vec<u32>,
    /// Slots with a left limit that changed in this pass.
    changed: Vec<Slot>,
    /// Relations that changed for certain, as far as their values do not say otherwise.
    forced: Forced,
}

impl Propagation {
    /// `None` where passes over all blocks serve as well.
    pub fn new(model: &CompiledModel, crossings: &[usize]) -> Option<Propagation> {
        let blocks = &model.main.blocks;
        let plain = model.delays.is_empty()
            && model.transports.is_empty()
            && model.dynamic_states.is_empty()
            && model.effects.iter().all(|e| e.guard.is_some());
        if blocks.len() < LEAST_BLOCKS || !plain {
            return None;
        }
        let slots = model.slot_count();
        let mut starts = vec![0u32; slots + 1];
        for b in blocks.keys() {
            for &s in model.block_reads(&model.main, b) {
                starts[s as usize + 1] += 1;
            }
        }
        for s in 0..slots {
            starts[s + 1] += starts[s];
        }
        let mut fill = starts.clone();
        let mut readers = vec![0u32; starts[slots] as usize];
        let mut varies = vec![false; slots];
        varies[Layout::TIME as usize] = true;
        let n = model.layout.n_states;
        varies[model.layout.states as usize..][..n].fill(true);
        for (b, block) in blocks {
            for &s in model.block_reads(&model.main, b) {
                readers[fill[s as usize] as usize] = b.as_u32();
                fill[s as usize] += 1;
            }
            if block.continuous {
                for &s in model.block_writes(&model.main, b) {
                    varies[s as usize] = true;
                }
            }
        }
        let mut is_memory = vec![false; slots];
        for r in &model.relations {
            is_memory[r.memory as usize] = true;
        }
        let always = blocks
            .iter()
            .filter(|(b, block)| {
                let reads = model.block_reads(&model.main, *b);
                let writes = model.block_writes(&model.main, *b);
                // Between events the integrator watches the relations.
                !block.continuous
                    && !writes.iter().all(|&s| is_memory[s as usize])
                    && reads.iter().any(|&s| varies[s as usize])
            })
            .map(|(b, _)| b.as_u32())
            .collect();
        let mut relation_of = vec![NONE; blocks.len()];
        for (k, r) in model.relations.iter().enumerate() {
            if let Some(b) = model.main.writer_of(r.zero) {
                relation_of[b.as_u32() as usize] = k as u32;
            }
        }
        let mut crossing_of = vec![NONE; model.relations.len()];
        for (c, &k) in crossings.iter().enumerate() {
            crossing_of[k] = c as u32;
        }
        let mut is_action = vec![false; blocks.len()];
        let actions = [&model.assertions, &model.terminates, &model.effects];
        let action_slots = actions
            .into_iter()
            .flatten()
            .map(|a| a.guard.unwrap_or(a.value))
            .chain(model.reinits.iter().map(|r| r.1));
        for slot in action_slots {
            if let Some(b) = model.main.writer_of(slot) {
                is_action[b.as_u32() as usize] = true;
            }
        }
        let mut pre_of = vec![NONE; slots];
        let mut continuous_pairs = Vec::new();
        for &(now, pre) in &model.layout.pre_pairs {
            pre_of[now as usize] = pre;
            if !is_discrete(model, now) {
                continuous_pairs.push((now, pre));
            }
        }
        Some(Propagation {
            starts,
            readers,
            always,
            relation_of,
            crossing_of,
            is_action,
            pre_of,
            continuous_pairs,
            dirty: BTreeSet::new(),
            before: Vec::new(),
            evaluated: Vec::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            forced: Vec::new(),
        })
    }

    fn readers(&self, slot: Slot) -> std::ops::Range<usize> {
        self.starts[slot as usize] as usize..self.starts[slot as usize + 1] as usize
    }

    fn mark_readers(&mut self, slot: Slot) {
        for k in self.readers(slot) {
            self.dirty.insert(self.readers[k]);
        }
    }

    /// Sets a slot from outside of the blocks.
    fn set(&mut self, p: &mut Problem, slot: Slot, value: f64) {
        if p.ev.get(slot) == value {
            return;
        }
        p.ev.set(slot, value);
        self.mark_readers(slot);
        if self.pre_of[slot as usize] != NONE {
            self.changed.push(slot);
        }
    }

    /// Evaluates one block and notes what it changed.
    fn run(&mut self, p: &mut Problem, model: &CompiledModel, b: u32) -> Result<(), Failure> {
        let block = BlockId::from_u32(b);
        let writes = model.block_writes(&model.main, block);
        self.before.clear();
        self.before.extend(writes.iter().map(|&s| p.ev.get(s)));
        p.ev.run_block(block)?;
        for (k, &s) in writes.iter().enumerate() {
            let (old, new) = (self.before[k], p.ev.get(s));
            if old == new || (old.is_nan() && new.is_nan()) {
                continue;
            }
            self.mark_readers(s);
            if self.pre_of[s as usize] != NONE {
                self.changed.push(s);
            }
        }
        let relation = self.relation_of[b as usize];
        if relation != NONE {
            self.evaluated.push(relation);
        }
        Ok(())
    }

    /// The event at the present time. False: it did not settle; the slots are as after a pass.
    pub fn event(
        &mut self,
        p: &mut Problem,
        model: &CompiledModel,
        event: &Event<'_>,
        result: &mut EventResult,
    ) -> Result<bool, SimError> {
        let time = p.ev.time();
        self.dirty.clear();
        self.changed.clear();
        self.touched.clear();
        self.dirty.extend(self.always.iter().copied());
        for k in 0..self.continuous_pairs.len() {
            let (now, pre) = self.continuous_pairs[k];
            let value = p.ev.get(now);
            self.set(p, pre, value);
        }
        p.scope
            .located
            .note(&p.ev, event.forced.iter().map(|f| f.0));
        if time != event.consistent_at {
            self.mark_readers(Layout::TIME);
        }
        if p.ev.get(Layout::TERMINAL) != 0.0 {
            self.mark_readers(Layout::TERMINAL);
        }
        self.evaluated.clear();
        self.forced.clone_from(event.forced);
        for &(k, memory) in event.forced {
            self.set(p, model.relations[k].memory, f64::from(u8::from(memory)));
            self.evaluated.push(k as u32);
        }
        for &s in event.samplers {
            self.set(p, model.samplers[s].0, 1.0);
        }
        self.settle(p, model, event, result)
    }

    fn settle(
        &mut self,
        p: &mut Problem,
        model: &CompiledModel,
        event: &Event<'_>,
        result: &mut EventResult,
    ) -> Result<bool, SimError> {
        let time = p.ev.time();
        let fail = |e: Failure| SimError::new("E0605", time, e);
        for pass in 0..MAX_PASSES {
            let mut changed = false;
            for _ in 0..HELD_EVALUATIONS {
                while let Some(b) = self.dirty.pop_first() {
                    self.run(p, model, b).map_err(fail)?;
                }
                changed = self.relations(p, model, event).map_err(fail)?;
                if !changed {
                    break;
                }
            }
            for (state, value) in take_actions(&mut p.ev, model, &p.scope, result)? {
                self.set(p, state, value);
                changed = true;
            }
            for slot in std::mem::take(&mut self.changed) {
                let pre = self.pre_of[slot as usize];
                let value = p.ev.get(slot);
                if value != p.ev.get(pre) && !(value.is_nan() && p.ev.get(pre).is_nan()) {
                    let quiet = value == 0.0 && model.layout.is_when_condition(slot);
                    changed |= !quiet && is_discrete(model, slot);
                    p.ev.set(pre, value);
                    self.mark_readers(pre);
                }
            }
            self.forced
                .retain(|&(k, _)| p.scope.located.is_same(&p.ev, k));
            for &s in event.samplers.iter().filter(|_| pass == 0) {
                self.set(p, model.samplers[s].0, 0.0);
                changed = true;
            }
            if !changed {
                // What is left reads left limits of continuous variables.
                while let Some(b) = self.dirty.pop_first() {
                    self.run(p, model, b).map_err(fail)?;
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Memories of the relations that were evaluated; true if one changed. Actions see the new ones at once.
    fn relations(
        &mut self,
        p: &mut Problem,
        model: &CompiledModel,
        event: &Event<'_>,
    ) -> Result<bool, Failure> {
        let mut changed = false;
        let evaluated = std::mem::take(&mut self.evaluated);
        for &k in &evaluated {
            let memory = model.relations[k as usize].memory;
            let now = holds_now(&p.ev, model, k as usize, &self.forced, event.band, 0.0);
            let value = f64::from(u8::from(now));
            if p.ev.get(memory) == value {
                continue;
            }
            self.set(p, memory, value);
            changed = true;
            for at in self.readers(memory) {
                let b = self.readers[at];
                if self.is_action[b as usize] {
                    p.ev.run_block(BlockId::from_u32(b))?;
                }
            }
        }
        keep_confirmed(&p.ev, model, &p.scope, &mut self.forced);
        self.touched.extend_from_slice(&evaluated);
        self.evaluated = evaluated;
        self.evaluated.clear();
        Ok(changed)
    }
}

/// What happens at an event.
pub struct Event<'a> {
    pub forced: &'a Forced,
    pub samplers: &'a [usize],
    pub band: f64,
    /// Time at which the continuous blocks were evaluated.
    pub consistent_at: f64,
}
