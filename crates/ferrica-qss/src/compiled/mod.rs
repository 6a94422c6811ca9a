//! A compiled model as a `QssModel`.
//!
//! Derivatives and crossing functions are evaluated by the Taylor kernels of their own schedules
//! (`splitting.rs`, `plans.rs`, `bank.rs`, `systems.rs`); events are settled over what they reach (`ferrica-hybrid`). One slot array
//! serves all: values in the model's own slots, higher Taylor coefficients behind them.

mod as_model;
mod evaluate;
mod names;
mod prepare;

pub use names::{crossing_name, diagnostic, state_name};

use std::sync::Arc;

use ferrica_codegen::program::{Program, Row, Step};
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Layout, Slot};
use ferrica_ir::Diagnostic;
use ferrica_sim::{Reached, Sampler, Warning, side};

pub(crate) use prepare::{by_steps, motion};
use prepare::{
    consumers, histories, instant, is_equality, renewed, standings_of, unsupported, watched,
};

use crate::bank::Bank;
use crate::engine::LARGE;
use crate::fuse::Class;
use crate::history::History;
use crate::integrator::seen_coefficients;
use crate::model::{Incidence, Structure};
use crate::observer::Trajectories;
use crate::plans::{Plans, Shapeliness};
use crate::poles::Poles;
use crate::port::Port;
use crate::splitting::{SplitStep, changes, split};
use crate::standing::Standing;
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
    poles: Poles,
    standings: Vec<Standing>,
    /// See `QssModel::omitted`.
    omitted: f64,
    inputs: Vec<Row>,
    /// Which of them events change.
    changing_inputs: Vec<bool>,
    first_input: Slot,
    /// Systems with the coefficients of derivatives and of crossings.
    systems: [Vec<TaylorSystem>; 2],
    events: Reached,
    samplers: Vec<Sampler>,
    /// Their next times.
    instants: Vec<f64>,
    /// Past of each delayed signal; its source is watched like a crossing function, after those of the
    /// relations, and never crosses. After the sources, the times by which these signals are delayed.
    histories: Vec<History>,
    delay_times: Vec<usize>,
    crossing_shapeliness: Vec<Shapeliness>,
    /// See `QssModel::input_due`.
    due: f64,
    sides: Vec<bool>,
    epoch: u64,
    /// See `QssModel::input_until`.
    until: f64,
    /// Has a slot changed that the output reads and that only events change?
    pub shown_changed: bool,
    failure: Option<Failure>,
    /// Does a `when terminal()` wait for the end of the run?
    pub ends: bool,
    /// Message of `terminate`.
    pub terminated: Option<String>,
    pub warnings: Vec<Warning>,
    /// Its timer is the one behind those of the samplers.
    port: Option<Port>,
}

impl CompiledQss {
    /// The run exchanges values with the world.
    pub fn connect(&mut self, port: Port) {
        self.instants.push(port.due(&self.instants));
        self.structure.timers += 1;
        self.port = Some(port);
    }

    /// Relations that the last event may have changed, as they are now.
    pub(crate) fn turned(&self) -> impl Iterator<Item = (usize, bool)> {
        let memory = |r: usize| self.ev.slots[self.model.relations[r].memory as usize] != 0.0;
        let reached = self.events.relations.iter().map(|&r| r as usize);
        reached.map(move |r| (r, memory(r)))
    }

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
        let parts = split(&model, order);
        let stride = parts.slots();
        let coefficients = INPUT_COEFFICIENTS.max(order + 1);
        ev.slots.resize(coefficients * stride, 0.0);
        let mut bank = Bank::new(stride);
        let motion_of = |slot: Slot| motion(&parts, slot);
        let counts = [order, seen_coefficients(order)];
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
        let mut local = [Plans::new(order, 1), Plans::new(counts[1], 0)];
        let mut shapeliness = Vec::new();
        let mut poles = Poles::default();
        let mut reads_of: Vec<Vec<u32>> =
            parts.derivatives.iter().map(|e| e.reads.clone()).collect();
        let mut plans = [Vec::new(), Vec::new()];
        let derivatives = parts.derivatives.iter().map(|e| (0, e));
        let watching = watched(&parts).map(|e| (1, e));
        let mut crossing_shapeliness = Vec::new();
        for (k, (which, e)) in derivatives.chain(watching).enumerate() {
            let (local, plans) = (&mut local[which], &mut plans[which]);
            if which == 1 && is_equality(&model, k - parts.states) {
                local.push_elsewhere(NEVER);
                crossing_shapeliness.push(Shapeliness::Affine);
                continue;
            }
            let reads: Box<[Slot]> = e.reads.iter().map(|&q| parts.quantity_slot(q)).collect();
            let alone = match &e.steps[..] {
                [SplitStep::Fused(f)] => Some(f),
                _ => None,
            };
            let shape = alone.and_then(|f| local.push(f, &motion_of, &reads));
            if which == 0 {
                poles.push(alone, &reads);
                let shape = shape.unwrap_or_else(|| {
                    by_steps((&model, &parts), &system_index, &e.steps, &motion_of)
                });
                shapeliness.push(shape);
                // A bent function is looked at again when its own state steps.
                if shape != Shapeliness::Affine && !reads_of[k].contains(&(k as u32)) {
                    reads_of[k].push(k as u32);
                }
            } else {
                // What the polynomial of a bent one leaves out is not controlled.
                crossing_shapeliness.push(match shape {
                    Some(Shapeliness::Bent) => Shapeliness::Unknown,
                    Some(shape) => shape,
                    None => by_steps((&model, &parts), &system_index, &e.steps, &motion_of),
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
        let inputs = parts
            .inputs
            .list
            .iter()
            .map(|f| bank.bind(f, INPUT_COEFFICIENTS, &motion_of))
            .collect();
        let changing = |constants: &Vec<Slot>| constants.iter().any(|&s| changes(&model, s));
        let changing_inputs = parts.input_constants.iter().map(changing).collect();
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
            .map(|r| side(r.op, ev.slots[r.memory as usize] != 0.0) > 0.0)
            .chain(std::iter::repeat_n(true, structure.renews.rows()))
            .collect();
        let histories = histories(&ev)?;
        let samplers = Sampler::after_start(&ev).map_err(|f| diagnostic("E0505", f))?;
        let mut instants = vec![f64::INFINITY; samplers.len()];
        for k in 0..samplers.len() {
            instants[k] = instant(&samplers, &instants, k);
        }
        let consumers = consumers(&parts, model.layout.len());
        let large = structure.quantities() > LARGE;
        let moving = parts.class.iter().map(|&c| c != Class::Constant);
        let moving = moving.collect::<Vec<bool>>();
        let events = Reached::new(&model, &moving, consumers, large);
        Ok(CompiledQss {
            events,
            structure,
            bank,
            local,
            plans,
            standings: standings_of(&model, &parts),
            shapeliness,
            poles,
            omitted: 0.0,
            inputs,
            changing_inputs,
            first_input: parts.inputs.first,
            systems,
            samplers,
            instants,
            histories,
            delay_times: parts.delay_times.iter().map(|&(k, _)| k).collect(),
            due: f64::INFINITY,
            crossing_shapeliness,
            sides,
            epoch: 1,
            until: f64::INFINITY,
            shown_changed: true,
            failure: None,
            ends: false,
            terminated: None,
            warnings: Vec::new(),
            port: None,
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
            .chain(program.rows.iter())
            .chain(wanted)
            .filter_map(|slot| slot.checked_sub(first).filter(|i| *i < states))
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Puts the states at the present time, as conditions see them, into the slots and runs a program that needs no others.
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
            self.ev.slots[first + i as usize] = at.seen(i as usize);
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
}
