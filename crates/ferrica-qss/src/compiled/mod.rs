//! A compiled model as a [`QssModel`].
//!
//! Derivatives and crossing functions are evaluated by the Taylor kernels of their own schedules
//! (`splitting.rs`, `plans.rs`, `bank.rs`, `systems.rs`); events run locally (`local_events.rs`). One slot array
//! serves all: values in the model's own slots, higher Taylor coefficients behind them.

mod prepare;

use std::sync::Arc;

use ferrica_codegen::program::{Program, Row, Step};
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Layout, Slot};
use ferrica_ir::print::brief;
use ferrica_ir::{Diagnostic, Span, print};
use ferrica_sim::holds;

use prepare::{
    SamplerTimes, by_steps, consumers, histories, is_equality, motion, renewed, sampler_times,
    unsupported, watched,
};

use crate::bank::Bank;
use crate::engine::LARGE;
use crate::history::History;
use crate::inputs::has_kinks;
use crate::local_events::{LocalEvents, positive_side};
use crate::model::{Changes, Event, Incidence, QssModel, Structure};
use crate::observer::Trajectories;
use crate::plans::{Plans, Shapeliness, Way};
use crate::splitting::{SplitStep, split};
use crate::systems::TaylorSystem;
use crate::taylor_kernel::Motion;

/// Coefficients of a time input.
const INPUT_COEFFICIENTS: usize = 5;

/// First of the numbers of saved pasts: they are lists of pieces.
const PIECES: f64 = 3.0;

#[derive(Clone, Copy, Debug)]
enum PlanStep {
    Kernel(Row),
    System(u32),
}

/// How one derivative or crossing function is computed.
#[derive(Clone, Debug)]
struct Plan {
    steps: Box<[PlanStep]>,
    /// Slots of the quantities that are read.
    reads: Box<[Slot]>,
    result: Slot,
}

/// An equality has no sides: its relation is never asked.
const NEVER: u32 = u32::MAX;

/// See the module comment.
pub struct CompiledQss {
    pub model: Arc<CompiledModel>,
    pub ev: Evaluator,
    pub structure: Structure,
    bank: Bank,
    /// Derivatives and crossing functions; those that are not one kernel are in `plans`.
    local: [Plans; 2],
    plans: [Vec<Plan>; 2],
    shapeliness: Vec<Shapeliness>,
    /// See [`QssModel::omitted`].
    omitted: f64,
    inputs: Vec<Row>,
    kinked: Vec<bool>,
    first_input: Slot,
    /// Systems with the coefficients of derivatives and of crossings.
    systems: [Vec<TaylorSystem>; 2],
    events: LocalEvents,
    samplers: Vec<SamplerTimes>,
    /// Past of each delayed signal; its source is watched like a crossing function, after those of the
    /// relations, and never crosses. After the sources, the times by which these signals are delayed.
    histories: Vec<History>,
    delay_times: Vec<usize>,
    remembered_shapeliness: Vec<Shapeliness>,
    /// See [`QssModel::input_due`].
    due: f64,
    sides: Vec<bool>,
    epoch: u64,
    /// See [`QssModel::input_until`].
    until: f64,
    /// Has a slot changed that the output reads and that only events change?
    pub shown_changed: bool,
    failure: Option<Failure>,
    /// Message of `terminate`.
    pub terminated: Option<String>,
    pub warnings: Vec<(f64, String, Span)>,
}

impl CompiledQss {
    /// `ev` holds the model initialized at its start time.
    pub fn new(mut ev: Evaluator, order: usize) -> Result<CompiledQss, Diagnostic> {
        let model = ev.model.clone();
        if !model.transports.is_empty() {
            return Err(unsupported(
                "`spatialDistribution`: what comes out is known only by inverting the trajectory of the position",
            ));
        }
        if !model.dynamic_states.is_empty() {
            return Err(unsupported("dynamic choice of states"));
        }
        let parts = split(&model);
        let stride = parts.slots();
        let coefficients = INPUT_COEFFICIENTS.max(order + 1);
        ev.slots.resize(coefficients * stride, 0.0);
        let mut bank = Bank::new(stride);
        let motion_of = |slot: Slot| motion(&parts, slot);
        let counts = [order, order + 1];
        let systems = counts.map(|count| {
            parts
                .systems
                .iter()
                .map(|s| {
                    let own = &model.systems[s.id];
                    let operands = s.inside.operands.iter();
                    let then = s.then.iter().flat_map(|f| f.operands.iter());
                    let mut reads: Vec<Slot> = operands
                        .chain(then)
                        .chain(&own.reads)
                        .copied()
                        .filter(|&r| motion_of(r) == Motion::Moving && !own.writes.contains(&r))
                        .collect();
                    // Time moves as well: its value decides.
                    reads.push(Layout::TIME);
                    reads.sort_unstable();
                    reads.dedup();
                    TaylorSystem::new(&mut bank, &ev, s, count, reads, &motion_of)
                })
                .collect::<Vec<_>>()
        });
        let mut system_index = vec![u32::MAX; model.systems.len()];
        for (k, s) in parts.systems.iter().enumerate() {
            system_index[s.id.as_u32() as usize] = k as u32;
        }
        let mut local = [Plans::new(order, 1), Plans::new(order + 1, 0)];
        let mut shapeliness = Vec::new();
        let mut reads_of: Vec<Vec<u32>> =
            parts.derivatives.iter().map(|e| e.reads.clone()).collect();
        let mut plans = [Vec::new(), Vec::new()];
        let derivatives = parts.derivatives.iter().map(|e| (0, e));
        let watching = watched(&parts).map(|e| (1, e));
        let mut remembered_shapeliness = Vec::new();
        for (k, (which, e)) in derivatives.chain(watching).enumerate() {
            let (local, plans) = (&mut local[which], &mut plans[which]);
            if which == 1 && is_equality(&model, k - parts.states) {
                local.push_elsewhere(NEVER);
                continue;
            }
            let reads: Box<[Slot]> = e.reads.iter().map(|&q| parts.quantity_slot(q)).collect();
            let shape = match &e.steps[..] {
                [SplitStep::Fused(f)] => local.push(f, &motion_of, &reads),
                _ => None,
            };
            if which == 0 {
                let shape = shape.unwrap_or_else(|| {
                    by_steps(&model, &parts, &system_index, &e.steps, &motion_of)
                });
                shapeliness.push(shape);
                // A bent function is looked at again when its own state steps.
                if shape != Shapeliness::Affine && !reads_of[k].contains(&(k as u32)) {
                    reads_of[k].push(k as u32);
                }
            } else if k >= parts.states + model.relations.len() {
                // What the polynomial of a bent one leaves out is not controlled.
                remembered_shapeliness.push(match shape {
                    Some(Shapeliness::Affine) => Shapeliness::Affine,
                    Some(_) => Shapeliness::Unknown,
                    None => by_steps(&model, &parts, &system_index, &e.steps, &motion_of),
                });
            }
            if shape.is_some() {
                continue;
            }
            let steps = e.steps.iter().map(|step| match step {
                SplitStep::Fused(f) => PlanStep::Kernel(bank.bind(f, counts[which], &motion_of)),
                SplitStep::System(id) => PlanStep::System(system_index[id.as_u32() as usize]),
            });
            let steps = steps.collect();
            local.push_elsewhere(plans.len() as u32);
            plans.push(Plan {
                steps,
                reads,
                result: e.result,
            });
        }
        let kinked = parts.inputs.list.iter().map(|f| {
            let moving = |k: u32| motion_of(f.operands[k as usize]) != Motion::Constant;
            has_kinks(&f.kernel, moving)
        });
        let kinked = kinked.collect();
        let inputs = parts
            .inputs
            .list
            .iter()
            .map(|f| bank.bind(f, INPUT_COEFFICIENTS, &motion_of))
            .collect();
        bank.seal();
        for plans in &mut local {
            plans.seal(&ev.slots);
        }
        let mut structure = Structure::new(
            parts.states,
            parts.delayed.len() + parts.inputs.list.len(),
            model.samplers.len(),
            Incidence::new(&reads_of),
            Incidence::new(watched(&parts).map(|e| &e.reads)),
        );
        structure.remembered = model.relations.len();
        structure.renews = renewed(&parts);
        let sides = model
            .relations
            .iter()
            .map(|r| positive_side(r.op, ev.slots[r.memory as usize] != 0.0))
            .chain(std::iter::repeat_n(true, structure.renews.rows()))
            .collect();
        let histories = histories(&ev)?;
        let samplers = sampler_times(&mut ev)?;
        let consumers = consumers(&parts, model.layout.len());
        let large = structure.quantities() > LARGE;
        let events = LocalEvents::new(&model, &parts.class, consumers, large);
        Ok(CompiledQss {
            events,
            structure,
            bank,
            local,
            plans,
            shapeliness,
            omitted: 0.0,
            inputs,
            kinked,
            first_input: parts.inputs.first,
            systems,
            samplers,
            histories,
            delay_times: parts.delay_times.iter().map(|&(k, _)| k).collect(),
            due: f64::INFINITY,
            remembered_shapeliness,
            sides,
            epoch: 1,
            until: f64::INFINITY,
            shown_changed: true,
            failure: None,
            terminated: None,
            warnings: Vec::new(),
            model,
            ev,
        })
    }

    /// Number of different kernels, for statistics.
    pub fn kernels(&self) -> usize {
        let local: usize = self.local.iter().map(Plans::shapes).sum();
        self.bank.forms.kernels.kernels.len() + local
    }

    /// Asks to note changes of these slots in `shown_changed`.
    pub fn show(&mut self, slots: &[Slot]) {
        for &slot in slots {
            self.events.show(slot);
        }
    }

    /// Is a slot constant between events?
    pub fn is_constant(&self, slot: Slot) -> bool {
        self.events.is_constant(slot)
    }

    /// States that a program reads or that are wanted themselves.
    pub fn states_needed(&self, program: &Program, wanted: Option<&[Slot]>) -> Vec<u32> {
        let states = self.structure.states as Slot;
        let Some(wanted) = wanted else {
            return (0..states).collect();
        };
        let first = self.model.layout.states;
        let systems = program.steps.iter().filter_map(|s| match s {
            Step::Solve(id) => Some(&self.model.systems[*id].reads),
            Step::Batch { .. } => None,
        });
        let mut list: Vec<u32> = systems
            .flatten()
            .chain(&program.rows)
            .chain(wanted)
            .filter_map(|slot| slot.checked_sub(first).filter(|i| *i < states))
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Puts the states at the present time into the slots and runs a program that needs no others.
    pub fn evaluate(
        &mut self,
        at: Trajectories<'_>,
        needed: &[u32],
        program: &Program,
    ) -> Result<(), Failure> {
        self.epoch += 1;
        self.ev.set_time(at.time);
        self.set_delayed(at.time);
        let first = self.model.layout.states as usize;
        for &i in needed {
            self.ev.slots[first + i as usize] = at.state(i as usize);
        }
        self.ev.run(program)
    }

    /// Computes all continuous variables for given states.
    pub fn evaluate_values(&mut self, time: f64, states: &[f64]) -> Result<(), Failure> {
        self.epoch += 1;
        self.ev.set_time(time);
        self.ev.set_states(states);
        self.set_delayed(time);
        let model = self.model.clone();
        self.ev.run(&model.continuous_program)
    }

    /// A crossing function that has jumped to zero and stays there is on the side that its relation says.
    #[cold]
    fn at_zero<const D: usize>(&self, z: usize) -> [f64; D] {
        let op = self.model.relations[z].op;
        let mut g = [0.0; D];
        g[0] = if positive_side(op, holds(op, 0.0, 0.0)) {
            f64::MIN_POSITIVE
        } else {
            -f64::MIN_POSITIVE
        };
        g
    }

    /// The polynomial of a source of a delay, or of a delay time, from now on.
    #[cold]
    fn remember(&mut self, memory: usize, time: f64, c: &[f64]) {
        self.due = match memory.checked_sub(self.histories.len()) {
            None => self.histories[memory].push(time, c),
            Some(k) if self.histories[self.delay_times[k]].set_delay(time, c) => time,
            Some(_) => f64::INFINITY,
        };
    }

    /// Delayed signals need not be more exact than this relative quantum asks for.
    pub fn merge_delayed(&mut self, relative: f64) {
        for history in &mut self.histories {
            history.merge(relative);
        }
    }

    /// The pasts of all delayed signals, as numbers for [`CompiledQss::load_delayed`].
    pub fn save_delayed(&self) -> Vec<f64> {
        if self.histories.is_empty() {
            return Vec::new();
        }
        let mut out = vec![PIECES];
        for history in &self.histories {
            history.save(&mut out);
        }
        out
    }

    /// Takes pasts over. What is not theirs is left alone.
    pub fn load_delayed(&mut self, numbers: &[f64]) {
        let mut rest = numbers.iter().copied();
        let mut next = || rest.next().unwrap_or(0.0);
        if next() != PIECES {
            return;
        }
        for history in &mut self.histories {
            history.load(&mut next);
        }
    }

    /// Puts the delayed signals into their slots.
    fn set_delayed(&mut self, time: f64) {
        for (d, history) in self.model.delays.iter().zip(&self.histories) {
            self.ev.slots[d.result as usize] = history.value(time);
        }
    }

    fn run_plan(&mut self, which: usize, number: usize) -> Result<(), String> {
        for step in &self.plans[which][number].steps {
            match *step {
                PlanStep::Kernel(row) => self.bank.run(row, &mut self.ev)?,
                PlanStep::System(s) => {
                    let system = &mut self.systems[which][s as usize];
                    system.run(&mut self.bank, &mut self.ev, self.epoch)?;
                }
            }
        }
        Ok(())
    }

    /// Evaluates a plan that is not one kernel.
    #[inline(never)]
    fn run_elsewhere<const C: usize>(
        &mut self,
        which: usize,
        number: usize,
        time: f64,
        inputs: &[[f64; C]],
    ) -> Result<[f64; C], String> {
        let plan = &self.plans[which][number];
        let stride = self.bank.stride;
        let slots = &mut self.ev.slots;
        slots[Layout::TIME as usize] = time;
        for (&slot, c) in plan.reads.iter().zip(inputs) {
            for (k, &v) in c.iter().enumerate() {
                slots[k * stride + slot as usize] = v;
            }
        }
        let result = plan.result as usize;
        self.run_plan(which, number)?;
        Ok(std::array::from_fn(|k| self.ev.slots[k * stride + result]))
    }

    /// Evaluates a derivative (0) or a crossing function (1) from the polynomials of what it reads.
    #[inline(always)]
    fn polynomial<const C: usize>(
        &mut self,
        which: usize,
        index: usize,
        time: f64,
        inputs: &[[f64; C]],
    ) -> [f64; C] {
        let local = &mut self.local[which];
        match local.way(index) {
            Way::Shape(shape) => {
                let c = local.run(shape, index, time, inputs, &mut self.ev);
                self.omitted = local.omitted();
                c
            }
            Way::Elsewhere(NEVER) => {
                let mut never = [0.0; C];
                never[0] = 1.0;
                never
            }
            Way::Elsewhere(number) => {
                self.omitted = 0.0;
                let done = self.run_elsewhere(which, number as usize, time, inputs);
                done.unwrap_or_else(|message| {
                    self.failure
                        .get_or_insert(Failure::new(format!("at time {}: {message}", brief(time))));
                    [f64::NAN; C]
                })
            }
        }
    }
}

impl QssModel for CompiledQss {
    fn structure(&self) -> Structure {
        self.structure.clone()
    }

    fn initial_states(&mut self, x: &mut [f64]) -> Result<(), Diagnostic> {
        x.copy_from_slice(self.ev.states());
        Ok(())
    }

    #[inline]
    fn derivative<const N: usize>(&mut self, j: usize, time: f64, q: &[[f64; N]]) -> [f64; N] {
        self.polynomial(0, j, time, q)
    }

    #[inline]
    fn crossing<const D: usize>(&mut self, z: usize, time: f64, x: &[[f64; D]]) -> [f64; D] {
        let g = self.polynomial(1, z, time, x);
        if let Some(k) = z.checked_sub(self.model.relations.len()) {
            self.remember(k, time, &g);
            let mut never = [0.0; D];
            never[0] = 1.0;
            return never;
        }
        self.local[1].note(z, g[0]);
        if g == [0.0; D] {
            return self.at_zero(z);
        }
        g
    }

    #[inline]
    fn omitted(&self) -> f64 {
        self.omitted
    }

    fn shapeliness(&self, j: usize) -> Shapeliness {
        self.shapeliness[j]
    }

    #[inline]
    fn derivative_ahead(&self, j: usize) {
        self.local[0].ahead(j);
    }

    #[inline]
    fn crossing_ahead(&self, z: usize) {
        self.local[1].ahead(z);
    }

    #[inline]
    fn event_ahead(&self, z: usize) {
        if z < self.model.relations.len() {
            self.events.ahead(z);
        }
    }

    #[inline]
    fn event_near(&self, z: usize) {
        if z < self.model.relations.len() {
            self.events.near(z, &self.model, &self.ev, &self.local[0]);
        }
    }

    fn input(&mut self, k: usize, time: f64) -> [f64; 5] {
        let Some(k) = k.checked_sub(self.histories.len()) else {
            if self.histories[k].circles(time) {
                self.failure.get_or_insert(Failure::new(format!(
                    "a delayed signal depends on itself without a delay at time {}",
                    brief(time)
                )));
                return [f64::NAN; 5];
            }
            let (c, until) = self.histories[k].at(time);
            self.until = until;
            return c;
        };
        self.until = f64::INFINITY;
        self.ev.slots[Layout::TIME as usize] = time;
        if let Err(message) = self.bank.run(self.inputs[k], &mut self.ev) {
            self.failure
                .get_or_insert(Failure::new(format!("at time {}: {message}", brief(time))));
            return [f64::NAN; 5];
        }
        let (stride, slot) = (self.bank.stride, self.first_input as usize + k);
        std::array::from_fn(|c| self.ev.slots[c * stride + slot])
    }

    fn input_until(&self, _: usize) -> f64 {
        self.until
    }

    fn has_kinks(&self, k: usize) -> bool {
        let own = k.checked_sub(self.histories.len());
        own.is_some_and(|k| self.kinked[k])
    }

    fn input_due(&self, _: usize) -> f64 {
        self.due
    }

    fn remembered_shapeliness(&self, z: usize) -> Shapeliness {
        self.remembered_shapeliness[z - self.model.relations.len()]
    }

    fn side(&self, z: usize) -> bool {
        self.sides[z]
    }

    fn first_time(&self, timer: usize) -> f64 {
        let s = &self.samplers[timer];
        s.start + s.next * s.interval
    }

    fn event(
        &mut self,
        event: Event<'_>,
        at: Trajectories<'_>,
        changes: &mut Changes,
    ) -> Result<(), Diagnostic> {
        self.epoch += 1;
        self.set_delayed(event.time);
        for &(z, side) in event.crossings {
            self.sides[z as usize] = side;
        }
        for &k in event.timers {
            let s = &mut self.samplers[k as usize];
            s.next += 1.0;
            changes.timers.push((k, s.start + s.next * s.interval));
        }
        let local = &self.local[1];
        let crossed = event.crossings.iter().map(|&(z, side)| {
            let largest = local.largest(z as usize);
            (z, side, largest)
        });
        self.events
            .run(&self.model, &mut self.ev, at, crossed, event.timers)
            .map_err(|f| diagnostic("E0605", f))?;
        let states = self.structure.states as u32;
        let crossings = self.sides.len() as u32;
        for &slot in &self.events.outcome.changed {
            self.shown_changed |= self.events.is_shown(slot);
            for at in self.events.consumers(slot) {
                let c = self.events.consumer(at) as u32;
                if c < states {
                    self.local[0].renew(c as usize, slot, self.ev.slots[slot as usize]);
                    changes.derivatives.push(c);
                } else if c < states + crossings {
                    let z = (c - states) as usize;
                    self.local[1].renew(z, slot, self.ev.slots[slot as usize]);
                    changes.crossings.push(c - states);
                } else {
                    changes.inputs.push(c - states - crossings);
                }
            }
        }
        let outcome = &mut self.events.outcome;
        for &r in &outcome.relations {
            let relation = &self.model.relations[r as usize];
            let memory = self.ev.slots[relation.memory as usize] != 0.0;
            let side = positive_side(relation.op, memory);
            if side != self.sides[r as usize] {
                self.sides[r as usize] = side;
                changes.sides.push((r, side));
            }
        }
        changes.reinits.extend_from_slice(&outcome.reinits);
        if let Some(message) = outcome.terminate.take() {
            self.terminated = Some(message);
            changes.terminate = true;
        }
        for (message, span) in outcome.warnings.drain(..) {
            self.warnings.push((at.time, message, span));
        }
        Ok(())
    }

    fn failure(&mut self) -> Option<Diagnostic> {
        let local = self.local.iter_mut().find_map(Plans::failure);
        let failure = self.failure.take().or(local.map(Failure::new));
        failure.map(|f| diagnostic("E0605", f))
    }

    fn state_name(&self, j: usize) -> String {
        state_name(&self.model, j)
    }

    fn crossing_name(&self, z: usize) -> String {
        crossing_name(&self.model, z)
    }
}

/// Name of a state.
pub fn state_name(model: &CompiledModel, j: usize) -> String {
    model.var_name(model.layout.states + j as Slot).to_string()
}

/// Text of a relation; sources of delays are numbered after the relations.
pub fn crossing_name(model: &CompiledModel, z: usize) -> String {
    let Some(r) = model.source.relations.get(z) else {
        let k = z - model.relations.len();
        return match k.checked_sub(model.delays.len()) {
            None => format!("source of delay {}", k + 1),
            Some(k) => format!("time of delay {}", k + 1),
        };
    };
    let side = |e| print::expr(&model.source.exprs, &*model.source, e);
    format!("{} {} {}", side(r.lhs), print::operator(r.op), side(r.rhs))
}

/// A failed evaluation as a message.
pub fn diagnostic(code: &'static str, failure: Failure) -> Diagnostic {
    Diagnostic::error(code, failure.span, failure.to_string())
}
