//! The coupled DEVS model of a [`QssModel`].
//!
//! For each state a quantized integrator and a static function for its derivative; for each crossing
//! a static function and a cross detection; for each timer a timer block; for each time input a
//! source; and one block for the discrete part, which gathers the ticks and changes of side of an
//! instant, runs the model's event handler and tells the blocks concerned.
//!
//! Select: static functions, timers, cross detections, the discrete part, sources, integrators, each
//! in the order of their numbers. That is the engine's order of simultaneous happenings.

use std::cell::RefCell;
use std::rc::Rc;

use super::blocks::{
    Board, CrossDetection, QuantizedIntegrator, Signal, StaticFunction, TimeInput, Timer, cut,
    padded,
};
use super::kernel::{Atomic, Coupled, Port, Root};
use crate::detector::Detector;
use crate::finer::refine_at_event;
use crate::inputs::renew;
use crate::integrator::{COEFFICIENTS, Control, Node};
use crate::model::{Changes, Event, QssModel, Structure};
use crate::observer::Trajectories;
use crate::reaches::{initial_reaches, reach};
use crate::settings::Settings;
use crate::start::{initial_nodes, longest};
use ferrica_ir::Diagnostic;

/// A coupled model and the numbers of its components.
pub struct CoupledRun {
    pub root: Root<Signal>,
    pub board: Board,
    order: usize,
    pub integrators: Vec<usize>,
    pub derivatives: Vec<usize>,
    pub crossings: Vec<usize>,
    pub detections: Vec<usize>,
    pub sources: Vec<usize>,
    pub discrete: usize,
    /// Where each quantity is read: (component, port). A user's own block that replaces a source, or
    /// listens to a state, is connected with these.
    pub readers: Vec<Vec<(usize, Port)>>,
    /// A failure of the model's event handler.
    pub failure: Rc<RefCell<Option<Diagnostic>>>,
}

impl CoupledRun {
    /// Value of a state at a time not before its last transition.
    pub fn state(&self, i: usize, time: f64) -> f64 {
        Trajectories::new(&self.board.borrow(), self.order, time).state(i)
    }

    pub fn run_until(&mut self, stop: f64) -> Result<(), Diagnostic> {
        while self.root.step(stop) {
            if let Some(failure) = self.failure.borrow_mut().take() {
                return Err(failure);
            }
        }
        Ok(())
    }
}

/// Builds the coupled model for the order of the settings' method.
pub fn couple<M: QssModel + 'static>(
    model: M,
    settings: &Settings,
) -> Result<CoupledRun, Diagnostic> {
    match settings.method.order {
        1 => couple_order::<M, 1, 2, 3>(model, settings),
        2 => couple_order::<M, 2, 3, 4>(model, settings),
        _ => couple_order::<M, 3, 4, 4>(model, settings),
    }
}

fn couple_order<M: QssModel + 'static, const N: usize, const D: usize, const C: usize>(
    mut model: M,
    settings: &Settings,
) -> Result<CoupledRun, Diagnostic> {
    let structure = model.structure();
    let start = settings.start;
    let control = Control::new(settings.method, settings.relative);
    let floor = settings.floors(structure.quantities());
    let (nodes, mut input_rests) =
        initial_nodes::<M, N, D>(&mut model, &structure, settings, &control, &floor)?;
    let reaches = initial_reaches::<M, C>(&mut model, &structure, (&nodes, &control), start);
    let sides: Vec<bool> = (0..structure.crossings()).map(|z| model.side(z)).collect();
    let first_times: Vec<f64> = (0..structure.timers).map(|k| model.first_time(k)).collect();
    let model = Rc::new(RefCell::new(model));
    let board: Board = Rc::new(RefCell::new(nodes));
    let mut coupled = Coupled::new(start);
    let mut readers = vec![Vec::new(); structure.quantities()];
    let mut trajectory_readers = vec![Vec::new(); structure.quantities()];

    let mut derivatives = Vec::new();
    for j in 0..structure.states {
        let shared = model.clone();
        let mut q = vec![[0.0; N]; structure.reads.row(j).len()];
        let function = move |t: f64, arguments: &[[f64; COEFFICIENTS]]| {
            for (slot, c) in q.iter_mut().zip(arguments) {
                *slot = cut(c);
            }
            let mut model = shared.borrow_mut();
            let mut p = padded(model.derivative::<N>(j, t, &q));
            if let Some(next) = p.get_mut(N) {
                *next = model.omitted();
            }
            p
        };
        let reads = structure.reads.row(j);
        let now = board.borrow();
        let arguments = reads
            .iter()
            .map(|&k| (padded::<N>(now[k as usize].quantized(start)), start))
            .collect();
        drop(now);
        let shared = board.clone();
        let judge = move |t, f, since| shared.borrow()[j].judge::<N>(t, f, since);
        let component =
            coupled.add(StaticFunction::new(function, arguments).judged(Box::new(judge)));
        for (port, &k) in reads.iter().enumerate() {
            readers[k as usize].push((component, port));
        }
        derivatives.push(component);
    }
    let mut crossings = Vec::new();
    let mut first_polynomials = Vec::new();
    for z in 0..structure.crossings() {
        let shared = model.clone();
        let mut x = vec![[0.0; C]; structure.crossing_reads.row(z).len()];
        let mut function = move |t: f64, arguments: &[[f64; COEFFICIENTS]]| {
            for (slot, c) in x.iter_mut().zip(arguments) {
                *slot = cut(c);
            }
            padded(shared.borrow_mut().crossing::<C>(z, t, &x))
        };
        let reads = structure.crossing_reads.row(z);
        let now = board.borrow();
        let arguments: Vec<([f64; COEFFICIENTS], f64)> = reads
            .iter()
            .map(|&k| (now[k as usize].whole::<D, COEFFICIENTS>(start), start))
            .collect();
        drop(now);
        let plain: Vec<[f64; COEFFICIENTS]> = arguments.iter().map(|a| a.0).collect();
        first_polynomials.push(function(start, &plain));
        let mut block = StaticFunction::new(function, arguments);
        if let Some(memory) = z.checked_sub(structure.remembered) {
            let shared = model.clone();
            let row = structure.renews.row(memory);
            for (place, &k) in row.iter().enumerate() {
                let due = shared.borrow().input_due(place) - start;
                let rest: &mut f64 = &mut input_rests[k as usize];
                *rest = rest.min(due);
            }
            let dues = Box::new(move |place| shared.borrow().input_due(place));
            block = block.remembered(row.len(), dues);
        }
        let component = coupled.add(block);
        for (port, &k) in reads.iter().enumerate() {
            trajectory_readers[k as usize].push((component, port));
        }
        crossings.push(component);
    }
    let timers: Vec<usize> = first_times
        .iter()
        .map(|&next| coupled.add(Timer::new(start, next)))
        .collect();
    let asked: Vec<Vec<usize>> = (0..structure.crossings())
        .map(|z| {
            let reads = structure.crossing_reads.row(z).iter().map(|&k| k as usize);
            reads.filter(|&k| k >= structure.states).collect()
        })
        .collect();
    let detections: Vec<usize> = (0..structure.crossings())
        .map(|z| {
            let detector = Detector::new(sides[z], reaches[z]);
            let (first, board) = (first_polynomials[z], board.clone());
            let (shared, nodes) = (model.clone(), board.clone());
            let reads = structure.crossing_reads.row(z).to_vec();
            let mut x = vec![[0.0; C]; reads.len()];
            let reach = Box::new(move |t: f64| {
                let (model, nodes) = (&mut *shared.borrow_mut(), nodes.borrow());
                reach(
                    model,
                    (z, &reads),
                    (&nodes, &control),
                    |k| nodes[k].quantum,
                    t,
                    &mut x,
                )
            });
            let block = CrossDetection::<C>::new(
                (start, settings.stop - start),
                control,
                detector,
                first,
                board,
                asked[z].clone(),
            );
            coupled.add(block.limited(reach))
        })
        .collect();
    let failure = Rc::new(RefCell::new(None));
    let discrete = coupled.add(DiscretePart {
        model: model.clone(),
        board: board.clone(),
        failure: failure.clone(),
        structure: structure.clone(),
        inputs: vec![[0.0; N]; longest(&structure.reads)],
        timers: timers.len(),
        sizes: [structure.states, structure.crossings(), structure.inputs],
        fired_timers: Vec::new(),
        fired_crossings: Vec::new(),
        later: Vec::new(),
        active: false,
    });
    let mut sources = Vec::new();
    for (k, &rest) in input_rests.iter().enumerate() {
        let shared = model.clone();
        let index = structure.states + k;
        let length = settings.stop - settings.start;
        let function = move |node: &mut Node, t: f64| {
            renew::<M, N>(&mut *shared.borrow_mut(), node, (k, t), &control, length)
        };
        let block = TimeInput::<_, N, D>::new(board.clone(), index, function, control, rest);
        sources.push(coupled.add(block));
    }
    let integrators: Vec<usize> = (0..structure.states)
        .map(|i| {
            let itself = structure.reads.row(i).contains(&(i as u32));
            coupled.add(QuantizedIntegrator::<N, D>::new(
                board.clone(),
                i,
                control,
                itself,
                start,
            ))
        })
        .collect();

    // Couplings.
    for k in 0..structure.quantities() {
        let from = if k < structure.states {
            integrators[k]
        } else {
            sources[k - structure.states]
        };
        for &to in &readers[k] {
            coupled.connect((from, 0), to);
        }
        for &to in &trajectory_readers[k] {
            coupled.connect((from, 1), to);
        }
    }
    for j in 0..structure.states {
        coupled.connect((derivatives[j], 0), (integrators[j], 0));
        let reads = structure.reads.row(j);
        let trigger = reads.len();
        coupled.connect((discrete, j), (derivatives[j], trigger));
        for (place, &k) in reads.iter().enumerate() {
            let (from, finer) = match (k as usize).checked_sub(structure.states) {
                None => (integrators[k as usize], 3),
                Some(source) => (sources[source], 2),
            };
            // Its own error is what a state's quantum is about.
            if k as usize != j {
                coupled.connect((from, 2), (derivatives[j], trigger + 1 + place));
                coupled.connect((derivatives[j], 1 + place), (from, finer));
            }
        }
    }
    let (states, count) = (structure.states, structure.crossings());
    for z in 0..count {
        coupled.connect((crossings[z], 0), (detections[z], 0));
        coupled.connect((detections[z], 0), (discrete, timers.len() + z));
        for (place, &k) in asked[z].iter().enumerate() {
            let source = sources[k - structure.states];
            coupled.connect((detections[z], 1 + place), (source, 0));
        }
        let trigger = structure.crossing_reads.row(z).len();
        coupled.connect((discrete, states + z), (crossings[z], trigger));
        coupled.connect(
            (discrete, states + count + structure.inputs + states + z),
            (detections[z], 1),
        );
    }
    for (k, &source) in sources.iter().enumerate() {
        coupled.connect((discrete, states + count + k), (source, 0));
    }
    for memory in 0..structure.renews.rows() {
        for (place, &k) in structure.renews.row(memory).iter().enumerate() {
            let from = crossings[structure.remembered + memory];
            coupled.connect((from, 1 + place), (sources[k as usize], 1));
        }
    }
    let resets = states + count + structure.inputs;
    for (i, &integrator) in integrators.iter().enumerate() {
        coupled.connect((discrete, resets + i), (integrator, 1));
    }
    let renewals = resets + states + count + timers.len();
    for (i, &integrator) in integrators.iter().enumerate() {
        coupled.connect((discrete, renewals + i), (integrator, 2));
    }
    let times = resets + states + count;
    for (k, &timer) in timers.iter().enumerate() {
        coupled.connect((timer, 0), (discrete, k));
        coupled.connect((discrete, times + k), (timer, 0));
    }
    Ok(CoupledRun {
        root: Root::new(coupled),
        board,
        order: N,
        integrators,
        derivatives,
        crossings,
        detections,
        sources,
        discrete,
        readers,
        failure,
    })
}

/// The discrete part of the model. Inputs: timers, then crossings. Outputs: triggers of derivatives,
/// of crossing functions, of sources; new values of states; sides; new times of timers; notices to
/// integrators that their derivative is another function.
struct DiscretePart<M, const N: usize> {
    model: Rc<RefCell<M>>,
    board: Board,
    failure: Rc<RefCell<Option<Diagnostic>>>,
    structure: Structure,
    inputs: Vec<[f64; N]>,
    timers: usize,
    /// States, crossings, inputs.
    sizes: [usize; 3],
    fired_timers: Vec<u32>,
    fired_crossings: Vec<(u32, bool)>,
    /// Crossings that turn right after this instant: the event after this one.
    later: Vec<(u32, bool)>,
    active: bool,
}

impl<M: QssModel, const N: usize> Atomic<Signal> for DiscretePart<M, N> {
    fn time_advance(&self) -> f64 {
        if self.active { 0.0 } else { f64::INFINITY }
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Signal)) {
        let mut changes = Changes::default();
        if self.later.is_empty() {
            let model = self.model.borrow();
            let fired = self.fired_crossings.iter().copied();
            let later = fired.filter(|&(z, side)| model.turns_after(z as usize, side));
            self.later = later.collect();
            if self.fired_timers.is_empty() && self.later.len() == self.fired_crossings.len() {
                self.later.clear();
            }
            for c in &mut self.fired_crossings {
                c.1 ^= self.later.contains(c);
            }
        } else {
            self.later.clear();
        }
        let event = Event {
            time,
            crossings: &self.fired_crossings,
            timers: &self.fired_timers,
        };
        let done = {
            let board = self.board.borrow();
            let at = Trajectories::new(&board, N, time);
            self.model.borrow_mut().event(event, at, &mut changes)
        };
        if let Err(failure) = done {
            *self.failure.borrow_mut() = Some(failure);
            return;
        }
        let (model, nodes) = (&mut *self.model.borrow_mut(), &mut self.board.borrow_mut());
        let values = (time, &mut self.inputs[..]);
        refine_at_event(model, &self.structure, nodes, &mut changes, values, |_| {
            false
        });
        let [states, crossings, inputs] = self.sizes;
        let resets = states + crossings + inputs;
        self.later.retain(|&(z, side)| {
            let moved = changes.crossings.contains(&z);
            if moved {
                send(resets + states + z as usize, Signal::Side(!side));
            }
            !moved
        });
        for &(k, next) in &changes.timers {
            send(
                resets + states + crossings + k as usize,
                Signal::Value(next),
            );
        }
        for &(z, side) in &changes.sides {
            send(resets + states + z as usize, Signal::Side(side));
        }
        if !changes.reinits.is_empty() {
            for &(z, _) in &self.fired_crossings {
                send(resets + states + z as usize, Signal::Tick);
            }
        }
        for &(i, value) in &changes.reinits {
            send(resets + i as usize, Signal::Value(value));
        }
        for &k in &changes.inputs {
            send(states + crossings + k as usize, Signal::Tick);
        }
        let renewals = resets + states + crossings + self.timers;
        for &j in &changes.derivatives {
            send(renewals + j as usize, Signal::Tick);
            send(j as usize, Signal::Tick);
        }
        let fired = self.fired_crossings.iter().map(|f| f.0);
        for z in changes.crossings.iter().copied().chain(fired) {
            send(states + z as usize, Signal::Tick);
        }
    }

    fn internal(&mut self, _: f64) {
        self.fired_timers.clear();
        self.fired_crossings.clone_from(&self.later);
        self.active = !self.later.is_empty();
    }

    fn external(&mut self, _: f64, _: f64, port: Port, value: &Signal) {
        if port < self.timers {
            self.fired_timers.push(port as u32);
        } else if let Signal::Side(side) = value {
            self.fired_crossings
                .push(((port - self.timers) as u32, *side));
        }
        self.active = true;
    }
}
