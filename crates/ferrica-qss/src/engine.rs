//! The quantized-state engine.
//!
//! In: a [`QssModel`], a method, tolerances. Out: piecewise polynomial trajectories of the states,
//! handed to an [`Observer`] on its grid and, if it asks, at every transition.
//!
//! A transition of state i at time t: bring x_i to t, choose q_i anew (see `quantizer.rs`),
//! recompute the derivatives that read q_i from the polynomials of their inputs, and reschedule those
//! states and the crossings that read them. Nothing else is touched, so the cost of a transition
//! depends on the number of readers and, by the tournament tree, on the logarithm of the model's
//! size.
//!
//! - Quantum: ΔQ = max(rtol·|x|, atol) of the state, renewed at each of its transitions.
//! - Crossing functions follow the trajectories x, not q, and are predicted anew whenever one of
//!   these changes, also at the next transition of any of them, so a crossing beyond it need not be
//!   found before. A crossing has a *side*; its event is the first time at which the function is
//!   strictly on the other one. So starting on the wrong side, or being put there by another event,
//!   is an event at once. After an event the function must leave zero by a hair (a fixed small
//!   fraction of the largest value seen) before the same crossing counts again.
//! - Time inputs carry their own Taylor polynomial and are renewed when the first two omitted terms
//!   reach their quantum.
//! - A stiff state whose quasi-steady solution lies within the quantum is put on it, x included, once
//!   the new derivative confirms it: the exact solution goes there at once, and a state left at the
//!   edge of its band would step again at the slightest change of an input.
//! - A state whose highest derivative happens to vanish is still looked at again before its lower
//!   terms have moved it by more than [`crate::integrator::EXCURSION`] quanta (or its own size).
//!
//! Simultaneous happenings: timers, then crossings, then time inputs, then states, each in the order
//! of their numbers. All timers and crossings of an instant are one event.

use crate::integrator::{Control, Detector, Node, RENEWALS, learned_anew};
use crate::model::{Changes, Event, QssModel, Structure};
use crate::pairs::Couplings;
use crate::quantizer::{Family, Method};
use crate::scheduler::Scheduler;
use crate::taylor::value;
use ferrica_ir::Diagnostic;

/// Events at one instant before the model is said to chatter.
const MAX_PASSES: u32 = 1000;

#[derive(Clone, Debug)]
pub struct Settings {
    pub method: Method,
    pub relative: f64,
    pub absolute: f64,
    pub start: f64,
    pub stop: f64,
    /// Absolute quantum floor of single states: (state, value).
    pub overrides: Vec<(usize, f64)>,
    /// Give up after so many transitions (0: never).
    pub max_transitions: u64,
}

impl Settings {
    pub fn new(method: Method, tolerance: f64, stop: f64) -> Settings {
        Settings {
            method,
            relative: tolerance,
            absolute: tolerance,
            start: 0.0,
            stop,
            overrides: Vec::new(),
            max_transitions: 0,
        }
    }

    /// Smallest quantum of each quantity.
    pub(crate) fn floors(&self, quantities: usize) -> Vec<f64> {
        let mut floor = vec![self.absolute; quantities];
        for &(state, value) in &self.overrides {
            if let Some(f) = floor.get_mut(state) {
                *f = value;
            }
        }
        floor
    }
}

/// Counters of a run.
#[derive(Clone, Debug, Default)]
pub struct QssStats {
    pub transitions: u64,
    pub input_updates: u64,
    pub derivative_evaluations: u64,
    pub crossing_evaluations: u64,
    /// Instants with events.
    pub events: u64,
    pub timer_events: u64,
    pub pair_steps: u64,
    /// Transitions of each state.
    pub per_state: Vec<u64>,
    /// Events of each crossing.
    pub per_crossing: Vec<u64>,
}

/// Read access to the trajectories at one time.
#[derive(Clone, Copy)]
pub struct Trajectories<'a> {
    nodes: &'a [Node],
    /// The time they are looked at.
    pub time: f64,
}

impl<'a> Trajectories<'a> {
    pub(crate) fn new(nodes: &'a [Node], time: f64) -> Trajectories<'a> {
        Trajectories { nodes, time }
    }

    /// Value of a state (or time input) now.
    #[inline]
    pub fn state(&self, i: usize) -> f64 {
        let node = &self.nodes[i];
        value(&node.x, self.time - node.tx)
    }

    /// Taylor coefficients of a state's trajectory now.
    pub fn polynomial(&self, i: usize) -> [f64; 4] {
        self.nodes[i].trajectory(self.time)
    }

    /// Value of a quantized state now.
    pub fn quantized(&self, i: usize) -> f64 {
        let node = &self.nodes[i];
        value(&node.q, self.time - node.tq)
    }
}

/// What has happened at a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    State(usize),
    Input(usize),
    BeforeEvent,
    AfterEvent,
}

/// Receives the results of a run.
pub trait Observer<M> {
    /// The next time at which output is wanted; infinity when no more.
    fn due(&self) -> f64;
    fn output(&mut self, model: &mut M, at: Trajectories<'_>) -> Result<(), Diagnostic>;
    /// Shall `happening` be called for transitions of states and inputs too?
    fn every_transition(&self) -> bool {
        false
    }
    fn happening(
        &mut self,
        model: &mut M,
        at: Trajectories<'_>,
        what: Happening,
    ) -> Result<(), Diagnostic> {
        let _ = (model, at, what);
        Ok(())
    }
}

/// An observer that wants nothing.
pub struct Silent;

impl<M> Observer<M> for Silent {
    fn due(&self) -> f64 {
        f64::INFINITY
    }
    fn output(&mut self, _: &mut M, _: Trajectories<'_>) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// A run that has come to its end (or to `terminate`).
pub struct Finished {
    pub stats: QssStats,
    pub time: f64,
    /// Values of the states at that time.
    pub states: Vec<f64>,
}

/// Runs a model from start to stop with the method of the settings.
pub fn run<M: QssModel>(
    model: &mut M,
    settings: &Settings,
    observer: &mut dyn Observer<M>,
) -> Result<Finished, Diagnostic> {
    match settings.method.order {
        1 => Engine::<M, 1, 2>::new(model, settings)?.run(observer),
        2 => Engine::<M, 2, 3>::new(model, settings)?.run(observer),
        _ => Engine::<M, 3, 4>::new(model, settings)?.run(observer),
    }
}

/// Quantities at the start, and for each time input how long its polynomial lasts.
///
/// The coefficients of q need the derivatives, which need q; each round makes one more coefficient
/// right.
pub(crate) fn initial_nodes<M: QssModel, const N: usize, const D: usize>(
    model: &mut M,
    structure: &Structure,
    settings: &Settings,
    control: &Control,
    floor: &[f64],
) -> Result<(Vec<Node>, Vec<f64>), Diagnostic> {
    let (states, t) = (structure.states, settings.start);
    let mut x = vec![0.0; structure.quantities()];
    model.initial_states(&mut x[..states])?;
    let mut nodes: Vec<Node> = x.iter().map(|&value| Node::at(t, value)).collect();
    let mut rests = Vec::new();
    for k in 0..structure.inputs {
        let c = model.input(k, t);
        let at = states + k;
        rests.push(nodes[at].renew_input::<N>(t, &c, control, floor[at]));
    }
    let mut q = vec![[0.0; N]; longest(&structure.reads)];
    for round in 0..N {
        for j in 0..states {
            let reads = structure.reads.row(j);
            for (slot, &k) in q.iter_mut().zip(reads) {
                *slot = nodes[k as usize].quantized(t);
            }
            let f = model.derivative(j, t, &q[..reads.len()]);
            if !f.iter().sum::<f64>().is_finite() {
                return Err(not_finite(model, j, t));
            }
            nodes[j].take_derivative::<N, D>(t, &f);
        }
        for node in &mut nodes[..states] {
            if round + 1 < N {
                node.q[round + 1] = node.x[round + 1];
            }
        }
    }
    for (node, &floor) in nodes[..states].iter_mut().zip(floor) {
        node.renew_quantum(control, floor);
    }
    Ok((nodes, rests))
}

fn not_finite<M: QssModel>(model: &mut M, j: usize, time: f64) -> Diagnostic {
    if let Some(known) = model.failure() {
        return known;
    }
    Diagnostic::error(
        "E0622",
        ferrica_ir::Span::NONE,
        format!(
            "the derivative of `{}` is not a finite number at time {time}",
            model.state_name(j)
        ),
    )
}

struct Engine<'m, M, const N: usize, const D: usize> {
    model: &'m mut M,
    structure: Structure,
    control: Control,
    stop: f64,
    max_transitions: u64,
    floor: Vec<f64>,
    nodes: Vec<Node>,
    scheduler: Scheduler,
    detectors: Vec<Detector>,
    inputs: Vec<[f64; N]>,
    crossing_inputs: Vec<[f64; D]>,
    /// Marks against doing something twice in one pass.
    stamp: u32,
    derivative_stamp: Vec<u32>,
    crossing_stamp: Vec<u32>,
    touched: Vec<u32>,
    /// Modified LIQSS only.
    couplings: Option<Couplings>,
    stats: QssStats,
    time: f64,
}

fn longest(incidence: &crate::model::Incidence) -> usize {
    (0..incidence.rows())
        .map(|r| incidence.row(r).len())
        .max()
        .unwrap_or(0)
}

impl<'m, M: QssModel, const N: usize, const D: usize> Engine<'m, M, N, D> {
    fn new(model: &'m mut M, settings: &Settings) -> Result<Self, Diagnostic> {
        let structure = model.structure();
        let (states, quantities) = (structure.states, structure.quantities());
        let crossings = structure.crossings();
        let t = settings.start;
        let control = Control::new(settings.method.family, settings.relative);
        let floor = settings.floors(quantities);
        let (nodes, rests) =
            initial_nodes::<M, N, D>(model, &structure, settings, &control, &floor)?;
        let detectors = (0..crossings)
            .map(|z| Detector {
                side: model.side(z),
                ..Detector::default()
            })
            .collect();
        let mut engine = Engine {
            control,
            stop: settings.stop,
            max_transitions: settings.max_transitions,
            floor,
            nodes,
            scheduler: Scheduler::new(structure.timers + crossings + quantities),
            detectors,
            inputs: vec![[0.0; N]; longest(&structure.reads)],
            crossing_inputs: vec![[0.0; D]; longest(&structure.crossing_reads)],
            stamp: 0,
            derivative_stamp: vec![0; states],
            crossing_stamp: vec![0; crossings],
            touched: Vec::new(),
            couplings: (settings.method.family == Family::ModifiedLiqss)
                .then(|| Couplings::new(&structure)),
            stats: QssStats {
                per_state: vec![0; states],
                per_crossing: vec![0; crossings],
                ..QssStats::default()
            },
            time: t,
            structure,
            model,
        };
        engine.start(&rests);
        Ok(engine)
    }

    // Leaves of the scheduler, in the documented order of ties.

    #[inline]
    fn crossing_leaf(&self, z: usize) -> usize {
        self.structure.timers + z
    }

    /// Inputs come before states although they are numbered after them.
    #[inline]
    fn quantity_leaf(&self, k: usize) -> usize {
        let first = self.structure.timers + self.detectors.len();
        if k < self.structure.states {
            first + self.structure.inputs + k
        } else {
            first + k - self.structure.states
        }
    }

    fn run(mut self, observer: &mut dyn Observer<M>) -> Result<Finished, Diagnostic> {
        let events = self.structure.timers + self.detectors.len();
        let inputs = events + self.structure.inputs;
        let every = observer.every_transition();
        let (mut passes, mut passes_at) = (0, f64::NEG_INFINITY);
        loop {
            let (leaf, t) = self.scheduler.next();
            let horizon = t.min(self.stop);
            while observer.due() < horizon || (observer.due() == horizon && t > self.stop) {
                let at = Trajectories {
                    nodes: &self.nodes,
                    time: observer.due(),
                };
                observer.output(self.model, at)?;
            }
            if t > self.stop || t.is_infinite() {
                break;
            }
            self.time = t;
            if leaf >= inputs {
                let i = leaf - inputs;
                self.step_state(i, t)?;
                self.stats.transitions += 1;
                if self.max_transitions > 0 && self.stats.transitions >= self.max_transitions {
                    return Err(self.too_many());
                }
                if every {
                    self.tell(observer, Happening::State(i))?;
                }
            } else if leaf >= events {
                let k = leaf - events;
                self.step_input(k, t)?;
                self.stats.input_updates += 1;
                if every {
                    self.tell(observer, Happening::Input(k))?;
                }
            } else {
                if t > passes_at + 4.0 * f64::EPSILON * t.abs() {
                    passes = 0;
                    passes_at = t;
                }
                passes += 1;
                if passes > MAX_PASSES {
                    return Err(self.chattering(leaf));
                }
                self.tell(observer, Happening::BeforeEvent)?;
                let terminate = self.event(t)?;
                self.tell(observer, Happening::AfterEvent)?;
                if terminate {
                    return Ok(self.finish(t));
                }
            }
        }
        let stop = self.stop;
        Ok(self.finish(stop))
    }

    fn finish(self, time: f64) -> Finished {
        let at = Trajectories {
            nodes: &self.nodes,
            time,
        };
        let states = (0..self.structure.states).map(|i| at.state(i)).collect();
        Finished {
            stats: self.stats,
            time,
            states,
        }
    }

    fn tell(&mut self, observer: &mut dyn Observer<M>, what: Happening) -> Result<(), Diagnostic> {
        let at = Trajectories {
            nodes: &self.nodes,
            time: self.time,
        };
        observer.happening(self.model, at, what)
    }

    fn too_many(&self) -> Diagnostic {
        let (busiest, count) = busiest(&self.stats.per_state);
        Diagnostic::error(
            "E0620",
            ferrica_ir::Span::NONE,
            format!(
                "gave up after {} transitions at time {}: most of them ({count}) by `{}`",
                self.stats.transitions,
                self.time,
                self.model.state_name(busiest)
            ),
        )
        .with_hint("a stiff model needs a linearly implicit method (liqss2) or a classic solver")
    }

    fn chattering(&self, leaf: usize) -> Diagnostic {
        let timers = self.structure.timers;
        let what = if leaf >= timers {
            self.model.crossing_name(leaf - timers)
        } else {
            format!("timer {}", leaf + 1)
        };
        Diagnostic::error(
            "E0621",
            ferrica_ir::Span::NONE,
            format!(
                "the model chatters: {MAX_PASSES} events at time {} without progress, the last one by `{what}`",
                self.time
            ),
        )
        .with_hint(
            "each side of the condition drives the model back to the other one: give it a hysteresis, or use noEvent",
        )
    }

    /// First times of everything.
    fn start(&mut self, input_rests: &[f64]) {
        let t = self.time;
        for (k, rest) in input_rests.iter().enumerate() {
            let leaf = self.quantity_leaf(self.structure.states + k);
            self.scheduler.set(leaf, t + rest);
        }
        for i in 0..self.structure.states {
            self.reschedule(i, t);
        }
        for z in 0..self.detectors.len() {
            self.predict(z, t);
        }
        for timer in 0..self.structure.timers {
            self.scheduler.set(timer, self.model.first_time(timer));
        }
    }

    /// Transition of state i.
    #[inline]
    fn step_state(&mut self, i: usize, t: f64) -> Result<(), Diagnostic> {
        self.stats.per_state[i] += 1;
        if self.couplings.is_some() {
            return self.step_coupled(i, t);
        }
        let pending = self.nodes[i].requantize::<N, D>(t, &self.control, self.floor[i]);
        for at in self.structure.feeds.range(i) {
            let j = self.structure.feeds.item(at);
            self.evaluate(j, t)?;
            if j != i {
                self.reschedule(j, t);
            } else if self.control.family != Family::Qss {
                self.nodes[i].learn(&pending);
            }
        }
        self.reschedule(i, t);
        self.predict_readers(i, t);
        Ok(())
    }

    /// Transition of state i in modified LIQSS: with a partner, if one would jump back.
    fn step_coupled(&mut self, i: usize, t: f64) -> Result<(), Diagnostic> {
        let Some(mut couplings) = self.couplings.take() else {
            return Ok(());
        };
        let old = self.nodes[i];
        let mut pending = self.nodes[i].requantize::<N, D>(t, &self.control, self.floor[i]);
        let horizon = self.stop - t;
        let partner = couplings.pair_step::<N, D>(
            &self.structure,
            &mut self.nodes,
            &self.control,
            &self.floor,
            (i, &old),
            (t, horizon),
        );
        pending.steady &= partner.is_none();
        for at in self.structure.feeds.range(i) {
            let j = self.structure.feeds.item(at);
            let before = self.nodes[j].trajectory::<D>(t)[1];
            self.evaluate(j, t)?;
            if partner.is_none() && pending.dq.abs() > 1e-9 * self.nodes[i].quantum {
                couplings.learn(at, (self.nodes[j].x[1] - before) / pending.dq);
            }
            if j != i {
                self.reschedule(j, t);
            } else if partner.is_none() {
                self.nodes[i].learn(&pending);
            }
        }
        self.reschedule(i, t);
        self.predict_readers(i, t);
        if let Some(p) = partner {
            self.stats.pair_steps += 1;
            self.stats.per_state[p] += 1;
            for at in self.structure.feeds.range(p) {
                let j = self.structure.feeds.item(at);
                self.evaluate(j, t)?;
                self.reschedule(j, t);
            }
            self.reschedule(p, t);
            self.predict_readers(p, t);
        }
        self.couplings = Some(couplings);
        Ok(())
    }

    /// Re-predicts the crossings that read a quantity or a state whose derivative reads it.
    #[inline]
    fn predict_readers(&mut self, quantity: usize, t: f64) {
        if self.detectors.is_empty() {
            return;
        }
        self.stamp = self.stamp.wrapping_add(1);
        self.predict_direct(quantity, t);
        for at in self.structure.feeds.range(quantity) {
            let j = self.structure.feeds.item(at);
            if j != quantity {
                self.predict_direct(j, t);
            }
        }
    }

    #[inline]
    fn predict_direct(&mut self, quantity: usize, t: f64) {
        for at in self.structure.crossing_feeds.range(quantity) {
            let z = self.structure.crossing_feeds.item(at);
            if self.crossing_stamp[z] != self.stamp {
                self.crossing_stamp[z] = self.stamp;
                self.predict(z, t);
            }
        }
    }

    fn renew_input(&mut self, k: usize, t: f64) {
        let c = self.model.input(k, t);
        let at = self.structure.states + k;
        let s = self.nodes[at].renew_input::<N>(t, &c, &self.control, self.floor[at]);
        let leaf = self.quantity_leaf(at);
        self.scheduler.set(leaf, t + s);
    }

    fn step_input(&mut self, k: usize, t: f64) -> Result<(), Diagnostic> {
        self.renew_input(k, t);
        let quantity = self.structure.states + k;
        let feeds = self.structure.feeds.range(quantity);
        for at in feeds {
            let j = self.structure.feeds.item(at);
            self.evaluate(j, t)?;
            self.reschedule(j, t);
        }
        self.predict_readers(quantity, t);
        Ok(())
    }

    /// Derivative of state j from the quantized states at t; x_j is brought to t.
    #[inline]
    fn evaluate(&mut self, j: usize, t: f64) -> Result<(), Diagnostic> {
        self.stats.derivative_evaluations += 1;
        let range = self.structure.reads.range(j);
        let count = range.len();
        for (slot, at) in range.enumerate() {
            let node = &self.nodes[self.structure.reads.item(at)];
            self.inputs[slot] = node.quantized(t);
        }
        let f = self.model.derivative(j, t, &self.inputs[..count]);
        self.nodes[j].take_derivative::<N, D>(t, &f);
        if f.iter().sum::<f64>().is_finite() {
            Ok(())
        } else {
            Err(not_finite(self.model, j, t))
        }
    }

    /// Next transition of state i, whose trajectory is known about t.
    #[inline]
    fn reschedule(&mut self, i: usize, t: f64) {
        let node = &self.nodes[i];
        let s = node.time_to_transition::<N, D>(t, &self.control);
        let next = (t + s).min(node.meet.max(t));
        let leaf = self.quantity_leaf(i);
        self.scheduler.set(leaf, next);
    }

    /// Next change of side of crossing z.
    #[inline]
    fn predict(&mut self, z: usize, t: f64) {
        self.stats.crossing_evaluations += 1;
        let range = self.structure.crossing_reads.range(z);
        let count = range.len();
        let mut next = f64::INFINITY;
        for (slot, at) in range.enumerate() {
            let quantity = self.structure.crossing_reads.item(at);
            self.crossing_inputs[slot] = self.nodes[quantity].trajectory(t);
            next = next.min(self.scheduler.time_of(self.quantity_leaf(quantity)));
        }
        let g = self.model.crossing(z, t, &self.crossing_inputs[..count]);
        let s = self.detectors[z].time_to_crossing(g, next - t);
        let leaf = self.crossing_leaf(z);
        self.scheduler.set(leaf, t + s);
    }

    /// A crossing is due: are the time inputs it reads exact now? If not they are renewed and the
    /// crossing is predicted again, so that its time does not depend on the inputs' quanta. True: it
    /// is later.
    fn sharpen(&mut self, z: usize, t: f64) -> Result<bool, Diagnostic> {
        let mut renewed = false;
        for at in self.structure.crossing_reads.range(z) {
            let quantity = self.structure.crossing_reads.item(at);
            if quantity >= self.structure.states && self.nodes[quantity].tx != t {
                self.step_input(quantity - self.structure.states, t)?;
                renewed = true;
            }
        }
        if !renewed {
            return Ok(false);
        }
        Ok(self.scheduler.time_of(self.crossing_leaf(z)) > t)
    }

    /// All timers and crossings of this instant. True: the model asked to end.
    fn event(&mut self, t: f64) -> Result<bool, Diagnostic> {
        let timers = self.structure.timers;
        let mut fired_crossings = Vec::new();
        let mut fired_timers = Vec::new();
        loop {
            let (leaf, time) = self.scheduler.next();
            if time > t || leaf >= timers + self.detectors.len() {
                break;
            }
            if leaf >= timers && self.sharpen(leaf - timers, t)? {
                continue;
            }
            self.scheduler.set(leaf, f64::INFINITY);
            if leaf < timers {
                self.stats.timer_events += 1;
                fired_timers.push(leaf as u32);
            } else {
                let z = leaf - timers;
                self.detectors[z].fire();
                self.stats.per_crossing[z] += 1;
                fired_crossings.push((z as u32, self.detectors[z].side));
            }
        }
        if fired_crossings.is_empty() && fired_timers.is_empty() {
            // Every crossing turned out to be later.
            return Ok(false);
        }
        self.stats.events += 1;
        let mut changes = Changes::default();
        let event = Event {
            time: t,
            crossings: &fired_crossings,
            timers: &fired_timers,
        };
        let at = Trajectories {
            nodes: &self.nodes,
            time: t,
        };
        self.model.event(event, at, &mut changes)?;
        self.apply(t, &changes, &fired_crossings)?;
        Ok(changes.terminate)
    }

    /// A linearly implicit state whose derivative has become another function chooses its quantized
    /// state anew at once: the old choice looks ahead along a curve that is no more.
    fn renew_state(&mut self, j: usize, t: f64) -> Result<(), Diagnostic> {
        for _ in 0..RENEWALS {
            let slope = self.nodes[j].slope;
            self.step_state(j, t)?;
            self.stats.transitions += 1;
            if !learned_anew(slope, self.nodes[j].slope) {
                break;
            }
        }
        Ok(())
    }

    fn apply(
        &mut self,
        t: f64,
        changes: &Changes,
        fired: &[(u32, bool)],
    ) -> Result<(), Diagnostic> {
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        for &(k, time) in &changes.timers {
            self.scheduler.set(k as usize, time);
        }
        for &(z, side) in &changes.sides {
            self.detectors[z as usize].side = side;
        }
        let mut mark = |j: u32, stamps: &mut [u32]| {
            if stamps[j as usize] != stamp {
                stamps[j as usize] = stamp;
                touched.push(j);
            }
        };
        for &(i, value) in &changes.reinits {
            let floor = self.floor[i as usize];
            self.nodes[i as usize].reset::<N, D>(t, value, &self.control, floor);
            mark(i, &mut self.derivative_stamp);
            for &j in self.structure.feeds.row(i as usize) {
                mark(j, &mut self.derivative_stamp);
            }
        }
        for &k in &changes.inputs {
            self.renew_input(k as usize, t);
            for &j in self.structure.feeds.row(self.structure.states + k as usize) {
                mark(j, &mut self.derivative_stamp);
            }
        }
        for &j in &changes.derivatives {
            mark(j, &mut self.derivative_stamp);
        }
        for &j in &touched {
            self.evaluate(j as usize, t)?;
            self.reschedule(j as usize, t);
        }
        if self.control.implicit() {
            let mut renewed = changes.derivatives.clone();
            renewed.sort_unstable();
            renewed.dedup();
            for j in renewed {
                self.renew_state(j as usize, t)?;
            }
        }
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let mut crossings: Vec<u32> = Vec::new();
        for &j in &touched {
            crossings.extend_from_slice(self.structure.crossing_feeds.row(j as usize));
        }
        for &k in &changes.inputs {
            let quantity = self.structure.states + k as usize;
            crossings.extend_from_slice(self.structure.crossing_feeds.row(quantity));
        }
        crossings.extend_from_slice(&changes.crossings);
        crossings.extend(changes.sides.iter().map(|s| s.0));
        crossings.extend(fired.iter().map(|s| s.0));
        for z in crossings {
            if self.crossing_stamp[z as usize] != stamp {
                self.crossing_stamp[z as usize] = stamp;
                self.predict(z as usize, t);
            }
        }
        self.touched = touched;
        Ok(())
    }
}

/// The largest counter and where it is.
pub fn busiest(counts: &[u64]) -> (usize, u64) {
    let mut best = (0, 0);
    for (k, &c) in counts.iter().enumerate() {
        if c > best.1 {
            best = (k, c);
        }
    }
    best
}
