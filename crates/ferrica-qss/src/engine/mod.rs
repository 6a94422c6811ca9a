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
//! - Quantum: ΔQ = max(rtol·|x|, atol) of the state, renewed at each of its transitions. Where no size
//!   is known in advance, atol begins small and grows with the largest |x| seen.
//! - Crossing functions follow the trajectories x, not q, and are predicted anew whenever one of
//!   these changes, also at the next transition of any of them, so a crossing beyond it need not be
//!   found before. A crossing has a *side*; its event is the first time at which the function is
//!   strictly on the other one. So starting on the wrong side, or being put there by another event,
//!   is an event at once. After an event the function must leave zero by a hair before the same crossing counts again (see
//!   [`Detector`]).
//! - Time inputs carry their own Taylor polynomial and are renewed before its remainder exceeds their quantum (see `inputs.rs`).
//! - x is integrated, never moved, except by `reinit`. A stiff state meets its quasi-steady solution and stays on it (see `quantizer.rs`); where nobody can miss what
//!   is left out it follows that solution without steps (see `standing.rs`).
//! - A state whose highest derivative happens to vanish is still looked at again before its lower
//!   terms have moved it far (see `integrator.rs`).
//! - The first coefficient that a derivative leaves out is controlled too: a state steps before its
//!   share in the trajectory reaches the quantum.
//!
//! Simultaneous happenings: timers, then crossings, then time inputs, then states, each in the order
//! of their numbers. All timers and crossings of an instant are one event.

mod ahead;
mod events;
mod giving_up;
mod kinks;
mod poles;
mod watch;

use ferrica_codegen::interval::Interval;
use ferrica_ir::Diagnostic;
use ferrica_sim::same_time;

use crate::detector::Detector;
use crate::groups::Couplings;
use crate::inputs::renew;
use crate::integrator::{Control, INSTANT, Node, Since, TELLING};
use crate::links::Links;
use crate::model::{QssModel, Structure};
use crate::observer::{Happening, Observer, Trajectories};
use crate::plans::Shapeliness;
use crate::quantizer::Family;
use crate::reaches::initial_reaches;
use crate::scheduler::Scheduler;
use crate::settings::{QssStats, Settings, Worth};
use crate::start::{initial_nodes, longest};

use ahead::Foresight;
use giving_up::Burst;
use watch::Watch;

/// Transitions between two looks at the progress of a run.
const PATIENCE: u64 = 1_000_000;
/// Transitions after which the observer may end a run.
const LOOK: u64 = 1 << 12;
/// Quantities from which on the memory is asked ahead.
pub(crate) const LARGE: usize = 4096;

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
        1 => Engine::<M, 1, 2, 3>::new(model, settings)?.run(observer),
        2 => Engine::<M, 2, 3, 4>::new(model, settings)?.run(observer),
        _ => Engine::<M, 3, 4, 4>::new(model, settings)?.run(observer),
    }
}

/// The smaller of two times, neither of which is NaN.
#[inline]
fn earlier(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// What conditions see of a quantity.
#[inline]
fn seen<const N: usize, const D: usize, const C: usize>(
    nodes: &[Node],
    couplings: Option<&Couplings>,
    quantity: usize,
    t: f64,
) -> [f64; C] {
    couplings
        .and_then(|c| c.seen::<N, D, C>(nodes, quantity, t))
        .unwrap_or_else(|| nodes[quantity].seen::<N, D, C>(t))
}

/// A method of order N: derivatives are polynomials with N coefficients, trajectories have D, and conditions see C of them.
struct Engine<'m, M, const N: usize, const D: usize, const C: usize> {
    model: &'m mut M,
    structure: Structure,
    links: Links,
    control: Control,
    stop: f64,
    /// Time of the run.
    length: f64,
    max_transitions: u64,
    worth: Option<Worth>,
    /// Number of transitions at which progress is looked at, the time of the last look, and how far the run had come since the one before.
    look_at: u64,
    looked: f64,
    advance: f64,
    slow: u32,
    nodes: Vec<Node>,
    scheduler: Scheduler,
    watches: Vec<Watch>,
    inputs: Vec<[f64; N]>,
    crossing_inputs: Vec<[f64; C]>,
    /// Marks against doing something twice in one pass.
    stamp: u32,
    derivative_stamp: Vec<u32>,
    touched: Vec<u32>,
    room: Option<Box<events::Room>>,
    burst: Burst,
    /// Modified LIQSS only.
    couplings: Option<Couplings>,
    stats: QssStats,
    time: f64,
    /// Is the model too large for the cache?
    large: bool,
    foresight: Foresight,
    /// Has any derivative kinks or jumps without events?
    kinked: bool,
    /// May any derivative divide by what vanishes? And room for the ranges of what it reads.
    poles: bool,
    boxes: Vec<Interval>,
}

impl<'m, M: QssModel, const N: usize, const D: usize, const C: usize> Engine<'m, M, N, D, C> {
    fn new(model: &'m mut M, settings: &Settings) -> Result<Self, Diagnostic> {
        let structure = model.structure();
        let (states, quantities) = (structure.states, structure.quantities());
        let crossings = structure.crossings();
        let t = settings.start;
        let control = Control::new(settings.method, settings.relative);
        let floor = settings.floors(quantities);
        let (nodes, rests) =
            initial_nodes::<M, N, D>(model, &structure, settings, &control, &floor)?;
        let reaches = initial_reaches::<M, C>(model, &structure, (&nodes, &control), t);
        let watches = (0..crossings)
            .map(|z| {
                let mut detector = Detector::new(model.side(z), reaches[z]);
                let shape = model.crossing_shapeliness(z);
                detector.bent = shape != Shapeliness::Affine;
                detector.kinked = shape == Shapeliness::Kinked;
                Watch::new(structure.crossing_reads.row(z), detector)
            })
            .collect();
        let mut engine = Engine {
            links: Links::new(&structure),
            control,
            stop: settings.stop,
            length: settings.stop - settings.start,
            max_transitions: settings.max_transitions,
            worth: settings.worth,
            look_at: match settings.max_transitions {
                0 => PATIENCE,
                n => n.min(PATIENCE),
            },
            looked: t,
            advance: 0.0,
            slow: 0,
            nodes,
            scheduler: Scheduler::new(structure.timers + crossings + quantities),
            watches,
            inputs: vec![[0.0; N]; longest(&structure.reads)],
            crossing_inputs: vec![[0.0; C]; longest(&structure.crossing_reads)],
            stamp: 0,
            derivative_stamp: vec![0; states],
            touched: Vec::new(),
            room: None,
            burst: Burst::new(INSTANT * (settings.stop - settings.start)),
            couplings: (settings.method.family == Family::ModifiedLiqss)
                .then(|| Couplings::new(&structure, N)),
            stats: QssStats {
                per_state: vec![0; states],
                ..QssStats::default()
            },
            time: t,
            large: quantities > LARGE,
            foresight: Foresight::new(quantities > LARGE),
            poles: (0..states).any(|j| model.has_poles(j)),
            boxes: Vec::new(),
            kinked: (0..states).any(|j| model.shapeliness(j) == Shapeliness::Kinked),
            structure,
            model,
        };
        engine.start(&rests)?;
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
        let first = self.structure.timers + self.watches.len();
        if k < self.structure.states {
            first + self.structure.inputs + k
        } else {
            first + k - self.structure.states
        }
    }

    #[inline]
    fn quantity_at(&self, leaf: usize) -> usize {
        let k = leaf - self.structure.timers - self.watches.len();
        if k < self.structure.inputs {
            self.structure.states + k
        } else {
            k - self.structure.inputs
        }
    }

    fn run(mut self, observer: &mut dyn Observer<M>) -> Result<Finished, Diagnostic> {
        let events = self.structure.timers + self.watches.len();
        let inputs = events + self.structure.inputs;
        let every = observer.every_transition();
        let mut due = observer.due();
        let mut rounds = 0u64;
        loop {
            rounds += 1;
            if rounds.is_multiple_of(LOOK) {
                observer.look(self.time)?;
                if self.worth.is_some_and(|w| w.is_spent(&self.stats)) {
                    return Err(self.too_many());
                }
            }
            let (leaf, t) = self.scheduler.next();
            let horizon = t.min(self.stop);
            // A row at the time of an event is the one after it.
            let at_event = |due| leaf < events && t <= self.stop && same_time(due, t);
            while (due < horizon && !at_event(due)) || (due == horizon && t > self.stop) {
                let at = Trajectories::new(&self.nodes, N, due).with(self.couplings.as_ref());
                observer.output(self.model, at)?;
                due = observer.due();
            }
            if t > self.stop || t.is_infinite() {
                break;
            }
            self.time = t;
            if self.large {
                self.look_ahead(leaf, t);
            }
            if leaf >= inputs {
                let i = leaf - inputs;
                self.step_state(i, t)?;
                self.stats.transitions += 1;
                if self.stats.transitions >= self.look_at && self.gives_up() {
                    return Err(self.too_many());
                }
                if every {
                    self.tell(observer, Happening::State(i))?;
                }
            } else if leaf >= events {
                let k = leaf - events;
                let since = t - self.nodes[self.structure.states + k].tq;
                self.step_input(k, t, Since::of(since))?;
                self.stats.input_updates += 1;
                if every {
                    self.tell(observer, Happening::Input(k))?;
                }
            } else {
                if self.chatters(leaf, t) {
                    return Err(self.chattering(leaf));
                }
                self.tell(observer, Happening::BeforeEvent)?;
                let terminate = self.event(t)?;
                self.tell(observer, Happening::AfterEvent)?;
                if terminate {
                    return self.finish(t);
                }
            }
        }
        let stop = self.stop;
        self.finish(stop)
    }

    fn finish(mut self, time: f64) -> Result<Finished, Diagnostic> {
        let at = Trajectories::new(&self.nodes, N, time);
        self.model.end(at)?;
        let states = (0..self.structure.states).map(|i| at.state(i)).collect();
        self.stats.per_crossing = self
            .watches
            .iter()
            .map(|w| u64::from(w.detector.events))
            .collect();
        Ok(Finished {
            stats: self.stats,
            time,
            states,
        })
    }

    fn tell(&mut self, observer: &mut dyn Observer<M>, what: Happening) -> Result<(), Diagnostic> {
        let at = Trajectories::new(&self.nodes, N, self.time).with(self.couplings.as_ref());
        observer.happening(self.model, at, what)
    }

    /// First times of everything.
    fn start(&mut self, input_rests: &[f64]) -> Result<(), Diagnostic> {
        let t = self.time;
        for (k, rest) in input_rests.iter().enumerate() {
            let at = self.structure.states + k;
            self.nodes[at].next = t + rest;
            let leaf = self.quantity_leaf(at);
            self.scheduler.set(leaf, t + rest);
        }
        let states = self.structure.states;
        if self.couplings.is_some() {
            for j in 0..states {
                self.learn_couplings(j, t);
            }
            for j in 0..states {
                self.choose_together(j, t, &mut Vec::new())?;
            }
            for z in 0..self.structure.remembered {
                self.limit_reach(z, t);
            }
        }
        for i in 0..states {
            self.reschedule(i, t);
        }
        if self.kinked {
            for i in 0..states {
                self.heed_kinks(i, t);
            }
        }
        for i in 0..states {
            self.end_before_poles(i, t);
        }
        for z in 0..self.watches.len() {
            self.predict(z, t);
            let first = self.scheduler.time_of(self.crossing_leaf(z));
            self.watches[z].detector.begin(first - t);
        }
        for timer in 0..self.structure.timers {
            self.scheduler.set(timer, self.model.first_time(timer));
        }
        Ok(())
    }

    /// Transition of state i.
    #[inline]
    fn step_state(&mut self, i: usize, t: f64) -> Result<(), Diagnostic> {
        self.stats.per_state[i] += 1;
        self.keep_off_poles(i, t);
        if self.couplings.is_some() {
            return self.step_coupled(i, t);
        }
        let links = self.links.record(i);
        let before = self.nodes[i];
        let pending = self.nodes[i].requantize::<N, D>(t, &self.control);
        let since = Node::since(&before, t);
        for at in links.feeds {
            let j = self.links.item(at);
            if j != i {
                self.evaluate_reader(j, t, (i, since))?;
                self.reschedule(j, t);
            } else {
                self.evaluate(j, t)?;
                self.nodes[i].learn::<N>(&pending);
            }
        }
        self.reschedule(i, t);
        self.end_before_poles(i, t);
        self.heed_kinks_of_readers(i, t);
        self.predict_readers(i, t);
        Ok(())
    }

    /// Transition of state i in modified LIQSS: with others, if it shares fast motions with them or one would jump back.
    fn step_coupled(&mut self, i: usize, t: f64) -> Result<(), Diagnostic> {
        self.keep_group_off_poles(i, t);
        let Some(mut couplings) = self.couplings.take() else {
            return Ok(());
        };
        let old = self.nodes[i];
        let pending = self.nodes[i].requantize::<N, D>(t, &self.control);
        let (structure, horizon) = (&self.structure, self.stop - t);
        let group = couplings.step_together::<N, D>(
            structure,
            &mut self.nodes,
            (i, &old),
            (t, horizon),
            false,
        );
        if let Some(group) = group {
            self.couplings = Some(couplings);
            return self.tell_of_group(&group, t);
        }
        let since = Node::since(&old, t);
        for at in self.structure.feeds.range(i) {
            let j = self.structure.feeds.item(at);
            let before = self.nodes[j].derivative::<N>(t)[0];
            if j == i {
                self.evaluate(j, t)?;
            } else {
                self.evaluate_reader(j, t, (i, since))?;
            }
            if pending.dq.abs() > TELLING * self.nodes[i].quantum {
                let after = self.nodes[j].derivative::<N>(t)[0];
                couplings.learn(at, (after - before) / pending.dq);
            }
            if j != i {
                self.reschedule(j, t);
            } else {
                self.nodes[i].learn::<N>(&pending);
            }
        }
        self.couplings = Some(couplings);
        self.reschedule(i, t);
        self.end_before_poles(i, t);
        self.heed_kinks_of_readers(i, t);
        self.predict_readers(i, t);
        Ok(())
    }

    /// These states have chosen together.
    fn tell_of_group(&mut self, group: &[u32], t: f64) -> Result<(), Diagnostic> {
        self.stats.pair_steps += 1;
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let mut readers = std::mem::take(&mut self.touched);
        readers.clear();
        for &state in group {
            self.stats.per_state[state as usize] += 1;
            for at in self.links.record(state as usize).feeds {
                let j = self.links.item(at);
                if self.derivative_stamp[j] != stamp {
                    self.derivative_stamp[j] = stamp;
                    readers.push(j as u32);
                }
            }
            // One that does not read itself.
            if self.derivative_stamp[state as usize] != stamp {
                self.derivative_stamp[state as usize] = stamp;
                readers.push(state);
            }
        }
        for &j in &readers {
            self.evaluate(j as usize, t)?;
        }
        for &j in &readers {
            self.reschedule(j as usize, t);
        }
        self.touched = readers;
        for &state in group {
            self.end_before_poles(state as usize, t);
            self.heed_kinks_of_readers(state as usize, t);
            self.limit_sliding_readers(state as usize, t);
            self.predict_readers(state as usize, t);
        }
        // A state learns from a step that it makes alone.
        for &state in group {
            if !self.nodes[state as usize].is_affine() {
                self.learn_couplings(state as usize, t);
            }
        }
        Ok(())
    }

    /// Re-predicts the crossings that read a quantity or a state whose derivative reads it.
    #[inline]
    fn predict_readers(&mut self, quantity: usize, t: f64) {
        if self.watches.is_empty() {
            return;
        }
        self.stamp = self.stamp.wrapping_add(1);
        let links = self.links.record(quantity);
        self.predict_list(links.crossings, t);
        for at in links.feeds {
            let j = self.links.item(at);
            if j != quantity {
                let list = self.links.record(j).crossings;
                self.predict_list(list, t);
            }
        }
    }

    /// State i has stepped with others: what is seen of it is less uncertain than its quantum, and the hysteresis of conditions that slide is no wider than that.
    fn limit_sliding_readers(&mut self, i: usize, t: f64) {
        for at in self.links.record(i).crossings {
            let z = self.links.item(at);
            if z < self.structure.remembered && self.watches[z].detector.slides_from_zero() {
                self.limit_reach(z, t);
            }
        }
    }

    #[inline]
    fn predict_list(&mut self, list: std::ops::Range<usize>, t: f64) {
        for at in list {
            let z = self.links.item(at);
            if self.watches[z].stamp != self.stamp {
                self.watches[z].stamp = self.stamp;
                self.predict(z, t);
            }
        }
    }

    fn renew_input(&mut self, k: usize, t: f64) {
        let at = self.structure.states + k;
        let node = &mut self.nodes[at];
        let s = renew::<M, N>(self.model, node, (k, t), &self.control, self.length);
        self.nodes[at].next = t + s;
        let leaf = self.quantity_leaf(at);
        self.scheduler.set(leaf, t + s);
    }

    /// Input k is renewed, so long after the last time that what its error has done in between counts.
    fn step_input(&mut self, k: usize, t: f64, since: Since) -> Result<(), Diagnostic> {
        self.renew_input(k, t);
        let quantity = self.structure.states + k;
        for at in self.links.record(quantity).feeds {
            let j = self.links.item(at);
            self.evaluate_reader(j, t, (quantity, since))?;
            self.reschedule(j, t);
        }
        self.heed_kinks_of_readers(quantity, t);
        self.predict_readers(quantity, t);
        Ok(())
    }

    /// Derivative of state j from the quantized states at t; x_j is brought to t.
    #[inline]
    fn evaluate(&mut self, j: usize, t: f64) -> Result<(), Diagnostic> {
        self.evaluate_reader(j, t, (j, Since::default()))
    }

    /// The same after a transition of a quantity, so long after its last one: if its error has moved the state too far, its
    /// quantum becomes finer.
    #[inline]
    fn evaluate_reader(
        &mut self,
        j: usize,
        t: f64,
        (source, since): (usize, Since),
    ) -> Result<(), Diagnostic> {
        self.stats.derivative_evaluations += 1;
        let range = self.links.record(j).reads;
        let count = range.len();
        for (slot, at) in self.inputs.iter_mut().zip(range) {
            *slot = self.nodes[self.links.item(at)].quantized(t);
        }
        let mut f = self.model.derivative(j, t, &self.inputs[..count]);
        if !f.iter().sum::<f64>().is_finite() {
            f = self.derivative_within_quanta(j, t)?;
        }
        let omitted = self.model.omitted();
        if since.counts() {
            let finer = self.nodes[j].judge::<N>(t, f[0], since);
            if let Some(times) = finer {
                self.nodes[source].refine(times);
            }
        }
        self.nodes[j].take_derivative::<N, D>(t, &f, omitted);
        Ok(())
    }

    /// A derivative that has no value at the quantized states, from others that are as good: any within a quantum of the trajectories is. Behind the condition
    /// h > 0.5 the quantized h may still be below, where (h − 0.5)^1.5 has no value; a quantum farther, in the direction in which h goes, it has.
    #[cold]
    fn derivative_within_quanta(&mut self, j: usize, t: f64) -> Result<[f64; N], Diagnostic> {
        let range = self.links.record(j).reads;
        let count = range.len();
        for ahead in [1.0, -1.0] {
            for (slot, at) in self.inputs.iter_mut().zip(range.clone()) {
                let k = self.links.item(at);
                let node = &self.nodes[k];
                *slot = node.quantized(t);
                if k < self.structure.states {
                    let x = node.trajectory::<D>(t);
                    slot[0] = x[0] + ahead * node.quantum * if x[1] < 0.0 { -1.0 } else { 1.0 };
                }
            }
            let f = self.model.derivative(j, t, &self.inputs[..count]);
            if f.iter().sum::<f64>().is_finite() {
                // What has failed without a value is forgotten.
                let _ = self.model.failure();
                return Ok(f);
            }
        }
        Err(self.without_value(j, t))
    }

    /// Next transition of state i, whose trajectory is known about t.
    #[inline]
    fn reschedule(&mut self, i: usize, t: f64) {
        let node = &mut self.nodes[i];
        let s = node.time_to_transition::<N, D>(t, &self.control);
        let next = earlier(t + s, if node.meet > t { node.meet } else { t });
        self.nodes[i].next = next;
        let leaf = self.quantity_leaf(i);
        self.scheduler.set(leaf, next);
    }

    /// Next change of side of crossing z.
    #[inline]
    fn predict(&mut self, z: usize, t: f64) {
        self.stats.crossing_evaluations += 1;
        let reads = self.watches[z].reads(z, &self.structure.crossing_reads);
        let count = reads.len();
        let mut next = f64::INFINITY;
        for (slot, &quantity) in self.crossing_inputs.iter_mut().zip(reads) {
            *slot = seen::<N, D, C>(&self.nodes, self.couplings.as_ref(), quantity as usize, t);
            next = earlier(next, self.nodes[quantity as usize].next);
        }
        let g = self.model.crossing(z, t, &self.crossing_inputs[..count]);
        if z >= self.structure.remembered {
            return self.renew_later(z - self.structure.remembered, t);
        }
        let detector = &mut self.watches[z].detector;
        let rest = detector.time_to_crossing(t, g, next - t, &self.control);
        if z == self.burst.crossing {
            self.burst.see(&g, rest);
        }
        let mut next = t + rest;
        if detector.kinked && next > t {
            next = self.crossing_before_kink(z, t, next);
        }
        let detector = &mut self.watches[z].detector;
        let expected = next < f64::INFINITY;
        if expected || detector.expected {
            detector.expected = expected;
            let leaf = self.crossing_leaf(z);
            self.scheduler.set(leaf, next);
        }
    }

    /// What time inputs remember has become another polynomial: they are renewed when it comes out.
    #[cold]
    fn renew_later(&mut self, memory: usize, t: f64) {
        for (place, &k) in self.structure.renews.row(memory).iter().enumerate() {
            let at = self.structure.states + k as usize;
            let next = t + (self.model.input_due(place) - t);
            if next < self.nodes[at].next {
                self.nodes[at].next = next;
                let leaf = self.quantity_leaf(at);
                self.scheduler.set(leaf, next);
            }
        }
    }
}
