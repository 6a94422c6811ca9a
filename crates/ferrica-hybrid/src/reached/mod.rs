//! What an event reaches, where its cost must not grow with the model.
//!
//! In: the relations that crossed and the samplers that are due at one instant. Out: new values of the
//! discrete variables and of all that depends on them, new sides of relations, `reinit` values.
//!
//! Invariant between events: every left limit equals its variable, every block whose inputs are
//! constant between events is up to date. An event makes a few slots change; blocks that read a
//! changed slot are evaluated in the order of the blocks, and what they change makes others due. A
//! block that moves with the states is brought to the present only when a due block reads it, from what the engine says of its states ([`Present`]): where
//! all of them have been evaluated already, there is nothing to bring. A block that nothing but the output reads is left to the output.
//!
//! The passes are those of [`mod@crate::settle`]; the cost is that of the blocks reached. An event that does not settle within them (conditions and values that go
//! round in circles) is widened: everything is brought to the present, and all equations of the model take part.

mod ahead;
mod bring;
mod pass;
mod queue;
mod tables;

use ferrica_codegen::lists::Incidence;
use ferrica_codegen::model::CompiledModel;
use ferrica_codegen::{Evaluator, Failure, Layout, Slot};

use crate::actions::failed_assertion;
use crate::error::SimError;
use crate::events::EventResult;
use crate::left_limits::Moved;
use crate::relations::{Forced, update_relations};
use crate::scope::{Equations, Scope, end_pass};
use crate::settle::{Means, settle};

use ahead::Ahead;
use queue::Queue;
use tables::{NONE, Role, Tables};

/// A relation that has crossed where its function is zero up to rounding keeps its side while that is below this part of the largest value seen.
pub const HAIR: f64 = 1e-9;

/// What an engine knows of its states at an instant.
pub trait Present: Copy {
    /// All that moves has been evaluated at the instant, and is in the slots.
    const EVALUATED: bool;
    /// Value of state `i`, whose slot holds `slot`.
    fn state(&self, i: usize, slot: f64) -> f64;
}

/// See [`Present::EVALUATED`].
#[derive(Clone, Copy)]
pub struct Evaluated;

impl Present for Evaluated {
    const EVALUATED: bool = true;

    fn state(&self, _: usize, slot: f64) -> f64 {
        slot
    }
}

/// See the module comment.
pub struct Reached {
    first_state: Slot,
    tables: Tables,
    /// In a large model: what the event of each relation touches.
    ahead: Option<Ahead>,
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
    acting: Scope,
    checked: Vec<u32>,
    pre_due: Vec<Slot>,
    /// Relations that crossed at their zero up to rounding, with the largest absolute value of their functions and the memory on their new side.
    fired: Vec<(u32, f64, bool)>,
    /// Samplers whose instant it is, until the first pass has ended.
    sampled: Vec<usize>,
    /// A state has been given a new value in the present event.
    reinitialized: bool,
    /// Room for the values of a block before it is evaluated, and for walks.
    old: Vec<f64>,
    stack: Vec<u32>,
    list: Vec<u32>,
    /// One more than the largest slot of a row.
    touched_slots: usize,
    /// What the last event came to: slots constant between events that have a new value,
    pub changed: Vec<Slot>,
    /// relations whose memory may have changed,
    pub relations: Vec<u32>,
    /// and states that were given a value.
    pub reinits: Vec<(u32, f64)>,
}

impl Reached {
    /// For an engine whose variables come to the present when they are asked for. `moving`: does a slot change between events? `consumers`: what of the
    /// engine's own reads each slot. `large`: is the model larger than the cache?
    pub fn new(
        model: &CompiledModel,
        moving: &[bool],
        consumers: Incidence,
        large: bool,
    ) -> Reached {
        let tables = Tables::new(model, moving, consumers, false);
        let ahead = large.then(|| Ahead::new(model, &tables));
        Reached::with(model, tables, ahead)
    }

    /// For an engine that evaluates all variables where an event begins.
    pub fn of_evaluated(model: &CompiledModel) -> Reached {
        let mut moving = vec![false; model.slot_count()];
        moving[Layout::TIME as usize] = true;
        moving[model.layout.states as usize..][..model.layout.n_states].fill(true);
        for (b, block) in &model.main.blocks {
            if block.continuous {
                for &s in model.block_writes(&model.main, b) {
                    moving[s as usize] = true;
                }
            }
        }
        let tables = Tables::new(model, &moving, Incidence::default(), true);
        Reached::with(model, tables, None)
    }

    fn with(model: &CompiledModel, tables: Tables, ahead: Option<Ahead>) -> Reached {
        let last = model.kernels.table.iter().max();
        Reached {
            first_state: model.layout.states,
            tables,
            ahead,
            taken: Vec::new(),
            due: Queue::new(model.main.blocks.len()),
            stamp: 0,
            state_stamp: vec![0; model.layout.n_states],
            seen_stamp: 0,
            touched: Vec::new(),
            acting: Scope::default(),
            checked: Vec::new(),
            pre_due: Vec::new(),
            fired: Vec::new(),
            sampled: Vec::new(),
            reinitialized: false,
            old: Vec::new(),
            stack: Vec::new(),
            list: Vec::new(),
            touched_slots: last.map_or(0, |&m| m as usize + 1),
            changed: Vec::new(),
            relations: Vec::new(),
            reinits: Vec::new(),
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
        if let Some(ahead) = &self.ahead {
            ahead.ahead(r);
        }
    }

    /// It is nearer: asks for all of that.
    #[inline]
    pub fn near(
        &self,
        r: usize,
        model: &CompiledModel,
        ev: &Evaluator,
        consumer_ahead: impl Fn(usize),
    ) {
        if let Some(ahead) = &self.ahead {
            ahead.near(r, (model, &self.tables), ev, consumer_ahead);
        }
    }

    /// An event begins: the present values of what moves become left limits. `moved`: the time is another one than that at which
    /// everything was evaluated.
    pub fn begin<'a, P: Present>(
        &'a mut self,
        model: &'a CompiledModel,
        ev: &'a mut Evaluator,
        at: P,
        moved: bool,
    ) -> Result<ReachedEvent<'a, P>, SimError> {
        self.stamp += 1;
        self.changed.clear();
        self.relations.clear();
        self.reinits.clear();
        self.pre_due.clear();
        self.checked.clear();
        self.touched.clear();
        self.fired.clear();
        self.reinitialized = false;
        self.taken.clear();
        self.sampled.clear();
        self.due.clear();
        for k in 0..self.tables.always.len() {
            self.due.insert(self.tables.always[k]);
        }
        if moved {
            self.make_due(Layout::TIME);
        }
        if ev.get(Layout::TERMINAL) != 0.0 {
            self.make_due(Layout::TERMINAL);
        }
        let mut event = ReachedEvent {
            reached: self,
            ev,
            model,
            at,
            wide: None,
        };
        let taken = event.take_left_limits();
        taken.map_err(|e| SimError::new("E0605", event.ev.time(), e))?;
        Ok(event)
    }

    #[inline]
    fn changed(&mut self, slot: Slot) {
        self.make_due(slot);
        let record = &self.tables.slots[slot as usize];
        if !record.moving {
            self.changed.push(slot);
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

    fn set(&mut self, ev: &mut Evaluator, slot: Slot, value: f64) {
        if ev.slots[slot as usize] != value {
            ev.slots[slot as usize] = value;
            self.changed(slot);
        }
    }
}

/// One event, as equations of the passes.
pub struct ReachedEvent<'a, P> {
    reached: &'a mut Reached,
    ev: &'a mut Evaluator,
    model: &'a CompiledModel,
    at: P,
    /// All equations take part. The slots before that.
    wide: Option<Vec<f64>>,
}

impl<P: Present> ReachedEvent<'_, P> {
    fn take_left_limits(&mut self) -> Result<(), Failure> {
        for k in 0..self.reached.tables.moving_pre.len() {
            let (now, pre) = self.reached.tables.moving_pre[k];
            self.refresh(&[now])?;
            if self.ev.slots[pre as usize] != self.ev.slots[now as usize] {
                self.ev.slots[pre as usize] = self.ev.slots[now as usize];
                self.reached.changed.push(pre);
            }
        }
        Ok(())
    }

    /// Relation `k` has crossed where its function is zero up to rounding; `largest` is the largest absolute value that it has had.
    pub fn cross(&mut self, k: u32, memory: bool, largest: f64) {
        self.reached.fired.push((k, largest, memory));
        self.force(k as usize, memory);
    }

    /// Relation `k` has this memory now.
    pub fn force(&mut self, k: usize, memory: bool) {
        self.reached.relations.push(k as u32);
        let slot = self.model.relations[k].memory;
        self.reached.set(self.ev, slot, f64::from(u8::from(memory)));
    }

    /// The crossings that the event begins with are those of `scope`.
    pub fn note(&self, scope: &mut Scope, forced: &Forced) {
        scope.located.note(self.ev, forced.iter().map(|f| f.0));
    }

    /// It is the instant of sampler `k`.
    pub fn sample(&mut self, k: usize) {
        self.reached.sampled.push(k);
        let memory = self.model.samplers[k].0;
        self.reached.set(self.ev, memory, 1.0);
    }

    /// A value that comes from outside.
    pub fn give(&mut self, slot: Slot, value: f64) {
        self.reached.set(self.ev, slot, value);
    }

    /// Passes until nothing changes. False: all equations took part.
    pub fn settle(
        &mut self,
        scope: &mut Scope,
        forced: &mut Forced,
        means: Means,
        result: &mut EventResult,
    ) -> Result<bool, SimError> {
        settle(self, scope, forced, means, result)?;
        let Some(before) = self.wide.take() else {
            return Ok(true);
        };
        self.compare(&before);
        Ok(false)
    }

    /// The same without relations whose zero is known only by an accuracy.
    pub fn settle_crossed(&mut self, result: &mut EventResult) -> Result<(), SimError> {
        let means = Means {
            band: HAIR,
            ..Means::default()
        };
        self.settle(&mut Scope::default(), &mut Forced::new(), means, result)?;
        self.finish(result)
    }

    /// When the event has settled: calls without a condition, and assertions without one that it has reached.
    fn finish(&mut self, result: &mut EventResult) -> Result<(), SimError> {
        let (ev, model) = (&mut *self.ev, self.model);
        let time = ev.time();
        for (k, effect) in model.effects.iter().enumerate() {
            if effect.guard.is_none() {
                ev.run(&model.effect_calls[k])
                    .map_err(|e| SimError::new("E0605", time, e))?;
            }
        }
        let checked = &mut self.reached.checked;
        checked.sort_unstable();
        checked.dedup();
        for &k in checked.iter() {
            if ev.slots[model.assertions[k as usize].value as usize] == 0.0 {
                let failed = failed_assertion(ev, model, k as usize);
                let failed = failed.map_err(|f| SimError::new("E0607", time, f))?;
                result.warnings.push(failed);
            }
        }
        Ok(())
    }

    /// What an event of all equations has changed.
    fn compare(&mut self, before: &[f64]) {
        let (first, reached) = (self.reached.first_state as usize, &mut *self.reached);
        for (slot, &old) in before.iter().enumerate() {
            let now = self.ev.slots[slot];
            let state = slot.checked_sub(first);
            let Some(state) = state.filter(|&i| i < reached.state_stamp.len()) else {
                if now.to_bits() != old.to_bits() && !reached.tables.slots[slot].moving {
                    reached.changed.push(slot as Slot);
                }
                continue;
            };
            if now != old {
                reached.reinits.retain(|r| r.0 != state as u32);
                reached.reinits.push((state as u32, now));
            }
        }
        reached
            .relations
            .extend(0..self.model.relations.len() as u32);
    }
}

impl<P: Present> Equations for ReachedEvent<'_, P> {
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
        if self.wide.is_some() {
            return self.ev.exec(self.model, &self.model.event_program);
        }
        while let Some(b) = self.reached.due.pop() {
            self.evaluate_due(b as usize)?;
        }
        Ok(())
    }

    /// Those that are reached are among the blocks.
    fn evaluate_actions(&mut self) -> Result<(), Failure> {
        match self.wide {
            Some(_) => self.ev.exec(self.model, &self.model.action_program),
            None => Ok(()),
        }
    }

    /// The relations that have been evaluated.
    fn update_relations(
        &mut self,
        model: &CompiledModel,
        scope: &Scope,
        forced: &Forced,
        (band, near): (f64, f64),
    ) -> bool {
        if self.wide.is_some() {
            return update_relations(self.ev, model, &scope.relations, forced, band, near);
        }
        let mut touched = std::mem::take(&mut self.reached.touched);
        let mut changed = false;
        touched.retain(|&role| {
            let Role::Relation(k) = role else {
                return true;
            };
            let holds = self.relation_holds(k, forced, (band, near));
            let memory = self.model.relations[k as usize].memory;
            let value = f64::from(u8::from(holds));
            self.reached.relations.push(k);
            changed |= self.ev.slots[memory as usize] != value;
            self.reached.set(self.ev, memory, value);
            false
        });
        self.reached.touched = touched;
        changed
    }

    fn end_pass(
        &mut self,
        model: &CompiledModel,
        scope: &mut Scope,
        result: &mut EventResult,
        moving: Option<&mut Vec<Slot>>,
    ) -> Result<Moved, SimError> {
        if self.wide.is_some() {
            return end_pass(self, model, scope, result, moving);
        }
        let given = !self.reached.touched.is_empty() && self.act(result)?;
        self.take_present();
        while let Some(k) = self.reached.sampled.pop() {
            let memory = self.model.samplers[k].0;
            self.reached.set(self.ev, memory, 0.0);
        }
        Ok(Moved {
            any: true,
            asks: !self.reached.due.is_empty(),
            given,
        })
    }

    fn is_narrow(&self) -> bool {
        self.wide.is_none()
    }

    /// The left limits are those of the pass that did not come to an end.
    #[cold]
    fn widen(&mut self, scope: &mut Scope, forced: &mut Forced) {
        for i in 0..self.reached.state_stamp.len() {
            self.present(i);
        }
        let (reached, ev) = (&mut *self.reached, &mut *self.ev);
        for &(now, pre) in &self.model.layout.pre_pairs {
            let lazy = reached.tables.slots[pre as usize].before == now;
            if lazy && !reached.taken.contains(&(now, pre)) {
                ev.slots[pre as usize] = ev.slots[now as usize];
            }
        }
        self.wide = Some(ev.slots[..self.model.layout.len()].to_vec());
        if !P::EVALUATED {
            *scope = Scope::all(self.model);
            forced.extend(reached.fired.iter().map(|f| (f.0 as usize, f.2)));
            scope.located.note(ev, forced.iter().map(|f| f.0));
        }
        scope.sample(ev, &reached.sampled);
        reached.sampled.clear();
        reached.due.clear();
        reached.pre_due.clear();
        reached.touched.clear();
    }
}
