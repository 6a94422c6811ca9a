//! Model Exchange: the model between and at events, led by an integrator that is not ours.

use std::sync::Arc;

use ferrica_codegen::{Failure, Slot};
use ferrica_sim::{
    Checked, DELAY_NODES, Due, Experiment, Forced, Problem, Snapshot, TimeEvents, check_assertions,
    holds, iterate, reselect, same_time,
};
use ferrica_solvers::system::OdeSystem;

use crate::continuation::Anchor;
use crate::fmu::Fmu;
use crate::state::RunState;
use crate::tuning::tune;

/// Hysteresis of conditions at an event in parts of the tolerance, as in every run.
const BAND: f64 = 10.0;

pub struct Exchange {
    pub problem: Problem,
    times: TimeEvents,
    origin: f64,
    tolerance: f64,
    /// Time of the last event, as the model has it: an importer may be some roundings off.
    instant: f64,
    /// Time up to which delayed signals are remembered.
    remembered: f64,
    remembered_signals: Vec<[f64; DELAY_NODES]>,
    /// States, their derivatives and inputs there.
    remembered_point: Node,
    /// What belongs to the present time, states and inputs.
    derivatives_are_current: bool,
    all_is_current: bool,
    rates: Vec<f64>,
    /// Room for the states.
    point: Vec<f64>,
    /// The last accepted point.
    anchor: Anchor,
    pub terminated: Option<String>,
    pub warnings: Vec<String>,
}

/// Where delayed signals were noted: between two of these a cubic curve leads through the states, by their derivatives, and a line through the inputs.
#[derive(Default)]
struct Node {
    states: Vec<f64>,
    rates: Vec<f64>,
    inputs: Vec<f64>,
}

impl Node {
    /// States and inputs at a part of the way to another node, `length` seconds long.
    fn towards(&self, end: &Node, part: f64, length: f64) -> (Vec<f64>, Vec<f64>) {
        let (p, q) = (part, 1.0 - part);
        let (begin_value, end_value) = (q * q * (1.0 + 2.0 * p), p * p * (1.0 + 2.0 * q));
        let (begin_slope, end_slope) = (length * p * q * q, -length * p * p * q);
        let state = |k: usize| {
            begin_value * self.states[k]
                + end_value * end.states[k]
                + begin_slope * self.rates[k]
                + end_slope * end.rates[k]
        };
        let inputs = self.inputs.iter().zip(&end.inputs);
        (
            (0..self.states.len()).map(state).collect(),
            // Integers and Booleans among them keep their values.
            inputs
                .map(|(a, b)| if a == b { *a } else { q * a + p * b })
                .collect(),
        )
    }
}

/// What an event has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    pub states_changed: bool,
    /// Another event follows at once.
    pub again: bool,
    pub terminated: bool,
    pub next: Option<f64>,
}

fn text(e: Failure) -> String {
    e.to_string()
}

impl Exchange {
    /// Initializes the model, or takes it up where it was.
    pub fn start(fmu: &Fmu, plan: &Experiment) -> Result<Exchange, String> {
        let started = ferrica_sim::start(&fmu.model, plan).map_err(|e| e.diagnostic().message)?;
        let mut problem = started.problem;
        problem.use_ode_form();
        let at = problem.ev.time();
        let mut times = TimeEvents::new(&problem.ev, at).map_err(text)?;
        times.take_due(&problem.ev, at, false, &mut Due::default());
        times.predict(&mut problem.ev).map_err(text)?;
        problem.accept();
        problem.delays.follow_jumps(plan.tolerance);
        let mut made = Exchange {
            rates: vec![0.0; problem.size()],
            point: Vec::new(),
            anchor: Anchor::default(),
            problem,
            times,
            origin: plan.from.as_ref().map_or(at, |s| s.origin),
            tolerance: plan.tolerance,
            instant: at,
            remembered: at,
            remembered_signals: Vec::new(),
            remembered_point: Node::default(),
            derivatives_are_current: false,
            all_is_current: false,
            terminated: started.terminated,
            warnings: started.warnings.into_iter().map(|w| w.message).collect(),
        };
        made.anchor.take(&made.problem);
        made.note_signals()?;
        Ok(made)
    }

    pub fn time(&self) -> f64 {
        self.problem.ev.time()
    }

    pub fn states(&self) -> &[f64] {
        self.problem.ev.states()
    }

    fn moved(&mut self) {
        self.derivatives_are_current = false;
        self.all_is_current = false;
    }

    pub fn set_time(&mut self, t: f64) {
        let t = if same_time(t, self.instant) {
            self.instant
        } else {
            t
        };
        if t != self.time() {
            self.point.clear();
            self.point.extend_from_slice(self.problem.ev.states());
            self.problem.place(t, &self.point, &[]);
            self.moved();
        }
    }

    pub fn set_states(&mut self, x: &[f64]) {
        if x != self.states() {
            self.problem.ev.set_states(x);
            self.moved();
        }
    }

    /// Sets an input between events.
    pub fn set(&mut self, slot: Slot, value: f64) {
        self.problem.ev.set(slot, value);
        self.moved();
    }

    /// An input jumps at the event that is being settled.
    pub fn jump(&mut self, slot: Slot, value: f64) {
        self.problem.arriving.retain(|a| a.0 != slot);
        self.problem.arriving.push((slot, value));
    }

    /// A parameter changes at the event that is being settled.
    pub fn tune(&mut self, slot: Slot, value: f64) -> Result<(), String> {
        tune(&mut self.problem.ev, slot, value).map_err(text)?;
        self.moved();
        Ok(())
    }

    pub fn derivatives(&mut self) -> Result<&[f64], String> {
        if !self.derivatives_are_current {
            let (rates, x) = (&mut self.rates, &mut self.point);
            let mut rhs = |p: &mut Problem| {
                x.clear();
                x.extend_from_slice(p.ev.states());
                let done = p.rhs(p.ev.time(), x, rates);
                let reason = || Failure::new("the derivatives have no value");
                done.map_err(|_| p.failure.take().unwrap_or_else(reason))
            };
            let solved = self.anchor.solve(&mut self.problem, &mut rhs);
            solved.map_err(text)?;
            self.derivatives_are_current = true;
        }
        Ok(self.problem.ev.derivatives())
    }

    /// All slots, with every variable at the present time.
    pub fn all(&mut self) -> Result<&[f64], String> {
        if !self.all_is_current {
            let mut all = |p: &mut Problem| p.evaluate_continuous();
            let solved = self.anchor.solve(&mut self.problem, &mut all);
            solved.map_err(text)?;
            self.all_is_current = true;
            self.derivatives_are_current = true;
        }
        Ok(&self.problem.ev.slots)
    }

    /// Slots with the sides of all crossings at the present time.
    pub fn zeros(&mut self) -> Result<&[f64], String> {
        let mut zeros = |p: &mut Problem| p.evaluate_zeros();
        let solved = self.anchor.solve(&mut self.problem, &mut zeros);
        solved.map_err(text)?;
        Ok(&self.problem.ev.slots)
    }

    /// The event at the present time: with jumps of inputs, instants that have come, and conditions that no longer agree with the values.
    pub fn event(&mut self) -> Result<Settled, String> {
        if let Some(due) = self.next()
            && same_time(due, self.time())
        {
            self.instant = due;
            self.set_time(due);
        }
        let t = self.time();
        self.instant = t;
        self.all()?;
        let model = Arc::clone(&self.problem.ev.model);
        let p = &mut self.problem;
        p.ev.run(&model.relation_program).map_err(text)?;
        let mut forced: Forced = Vec::new();
        for (k, r) in model.relations.iter().enumerate() {
            let memory = p.ev.get(r.memory) != 0.0;
            let (lhs, rhs) = (p.ev.get(r.lhs), p.ev.get(r.rhs));
            if !r.time_event && !(lhs - rhs).is_nan() && holds(r.op, lhs, rhs) != memory {
                forced.push((k, !memory));
            }
        }
        let mut due = Due::default();
        let with_others = !forced.is_empty() || !p.arriving.is_empty();
        self.times.take_due(&p.ev, t, with_others, &mut due);
        forced.extend_from_slice(&due.relations);
        let before = (p.ev.states().to_vec(), p.ev.derivatives().to_vec());
        p.delays.at_event(t);
        let band = BAND * self.tolerance;
        let result =
            iterate(p, &forced, &due.samplers, band).map_err(|e| e.diagnostic().message)?;
        let reselected = reselect(&mut p.ev).map_err(text)?;
        if reselected {
            p.evaluate_continuous().map_err(text)?;
        }
        self.times.predict(&mut p.ev).map_err(text)?;
        p.accept();
        self.anchor.take(p);
        // Where the derivatives jump an integrator must begin anew. There are some that do so only if they are told of changed states.
        let states_changed =
            reselected || p.ev.states() != before.0 || p.ev.derivatives() != before.1;
        self.warnings
            .extend(result.warnings.into_iter().map(|w| w.message));
        self.terminated = self.terminated.take().or(result.terminate);
        self.moved();
        self.remembered = t;
        self.note_signals()?;
        let next = self.next();
        // What turns right after an instant has an event of its own behind it, at the same time.
        let again = next.is_some_and(|next| next <= t || same_time(next, t));
        Ok(Settled {
            states_changed,
            again,
            terminated: self.terminated.is_some(),
            next,
        })
    }

    /// Next event whose time is known.
    pub fn next(&self) -> Option<f64> {
        let jump = self.problem.delays.next_jump().unwrap_or(f64::INFINITY);
        let next = self.times.next().min(jump);
        next.is_finite().then_some(next)
    }

    /// A step has been accepted; true if something asks for an event.
    pub fn completed(&mut self) -> Result<bool, String> {
        let model = Arc::clone(&self.problem.ev.model);
        self.remember()?;
        if model.assertions_vary {
            self.all()?;
            self.problem.ev.run(&model.action_program).map_err(text)?;
            let mut warnings = Vec::new();
            check_assertions(&mut self.problem, &model, Checked::Unguarded, &mut warnings)
                .map_err(|e| e.diagnostic().message)?;
            self.warnings
                .extend(warnings.into_iter().map(|w| w.message));
        }
        let mut wants_event = false;
        if !model.dynamic_states.is_empty() {
            self.all()?;
            let kept = self.problem.ev.slots.clone();
            wants_event = reselect(&mut self.problem.ev).map_err(text)?;
            self.problem.ev.slots = kept;
        }
        self.derivatives()?;
        self.problem.accept();
        self.anchor.take(&self.problem);
        Ok(wants_event)
    }

    /// Delayed signals up to the present time, along the course of the states from the last point that the integrator has accepted.
    fn remember(&mut self) -> Result<(), String> {
        let (begin, end) = (self.remembered, self.time());
        if self.problem.delays.is_empty() || end <= begin {
            return Ok(());
        }
        let from = std::mem::take(&mut self.remembered_signals);
        let start = std::mem::take(&mut self.remembered_point);
        self.note_signals()?;
        let mut step = self.remembered_signals.clone();
        for (values, before) in step.iter_mut().zip(&from) {
            values[0] = before[DELAY_NODES - 1];
        }
        for node in 1..DELAY_NODES - 1 {
            let part = node as f64 / (DELAY_NODES - 1) as f64;
            let (states, inputs) = start.towards(&self.remembered_point, part, end - begin);
            self.go_to(begin + part * (end - begin), &states, &inputs);
            self.problem.evaluate_signals().map_err(text)?;
            let p = &self.problem;
            p.delays.sources(&p.ev, node, &mut step);
        }
        let there = std::mem::take(&mut self.remembered_point);
        self.go_to(end, &there.states, &there.inputs);
        self.remembered_point = there;
        let p = &mut self.problem;
        let pushed = p.delays.push_step(&p.ev, (begin, end), &step, begin);
        pushed.map_err(|e| text(e.failure))?;
        self.remembered = end;
        Ok(())
    }

    fn go_to(&mut self, t: f64, states: &[f64], inputs: &[f64]) {
        self.problem.place(t, states, &[]);
        for (slot, &value) in self.inputs().into_iter().zip(inputs) {
            self.problem.ev.set(slot, value);
        }
        self.moved();
    }

    fn inputs(&self) -> Vec<Slot> {
        let model = &self.problem.ev.model;
        let slots = model.source.inputs.iter();
        slots.filter_map(|&v| model.layout.slot(v)).collect()
    }

    /// Keeps the present values of delayed signals, and the point that they belong to.
    fn note_signals(&mut self) -> Result<(), String> {
        if self.problem.delays.is_empty() {
            return Ok(());
        }
        let rates = self.derivatives()?.to_vec();
        self.problem.evaluate_signals().map_err(text)?;
        let mut values = vec![[0.0; DELAY_NODES]; self.problem.delays.signals()];
        let (ev, delays) = (&self.problem.ev, &self.problem.delays);
        delays.sources(ev, DELAY_NODES - 1, &mut values);
        let inputs = self.inputs();
        self.remembered_point = Node {
            states: ev.states().to_vec(),
            rates,
            inputs: inputs.into_iter().map(|slot| ev.get(slot)).collect(),
        };
        self.remembered_signals = values;
        Ok(())
    }

    pub fn save(&self) -> RunState {
        RunState {
            snapshot: Snapshot {
                origin: self.origin,
                time: self.time(),
                slots: self.problem.ev.slots.clone(),
                memory: self.problem.memory(),
            },
            arriving: self.problem.arriving.clone(),
            instants: self.times.memory(),
        }
    }

    /// The instants that are still to come in a state that was taken, the one at its time included where its event had not been settled. False: they
    /// are those of another model.
    pub fn expect(&mut self, instants: &[f64]) -> bool {
        self.times.restore(instants)
    }
}
