//! The blocks of quantized-state simulation as atomic DEVS models.
//!
//! Signals are polynomials in the time since they were sent, changes of side, ticks, values. The
//! arithmetic is that of `integrator.rs`, shared with the engine.

use std::cell::RefCell;
use std::rc::Rc;

use super::kernel::{Atomic, Port};
use crate::detector::Detector;
use crate::integrator::{COEFFICIENTS, Control, Node, Pending, RENEWALS, Since, learned_anew};
use crate::taylor::shifted;

/// What travels between blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// Taylor coefficients about the time of sending.
    Polynomial([f64; COEFFICIENTS]),
    /// A crossing function has changed to this side.
    Side(bool),
    /// A number: a new value of a state, a new time of a timer.
    Value(f64),
    /// Since when q has been what it was, and what a reader says to that.
    Since(Since),
    Verdict(f64),
    /// Something is due.
    Tick,
}

pub(super) fn padded<const N: usize>(c: [f64; N]) -> [f64; COEFFICIENTS] {
    let mut p = [0.0; COEFFICIENTS];
    p[..N].copy_from_slice(&c);
    p
}

pub(super) fn cut<const N: usize>(c: &[f64; COEFFICIENTS]) -> [f64; N] {
    let mut p = [0.0; N];
    p.copy_from_slice(&c[..N]);
    p
}

/// States of all integrators of a coupled model, so that its discrete part can look at them.
pub type Board = Rc<RefCell<Vec<Node>>>;

/// x' = input 0, quantized. Input 1: a new value. Input 2: the derivative is another function now. Input 3: a reader needs the quantum so many times
/// finer. Output 0: q at a transition; output 1: x whenever its polynomial changes; output 2: at a transition of its own, not one that
/// an event asked for, the time since q was chosen before.
pub struct QuantizedIntegrator<const N: usize, const D: usize> {
    pub board: Board,
    pub index: usize,
    pub control: Control,
    /// The derivative reads this very state, so a transition is answered by a new derivative.
    pub reads_itself: bool,
    pending: Option<(f64, Pending)>,
    phase: Phase,
    rest: f64,
    /// Transitions that may still be made at once, and the linear part before the last of them.
    renewals: u32,
    slope: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Waiting,
    /// Send x.
    Announce,
    /// Send x and q: the value was set.
    Reset,
}

impl<const N: usize, const D: usize> QuantizedIntegrator<N, D> {
    /// The node on the board must have its first derivative already.
    pub fn new(
        board: Board,
        index: usize,
        control: Control,
        reads_itself: bool,
        time: f64,
    ) -> Self {
        let mut block = QuantizedIntegrator {
            board,
            index,
            control,
            reads_itself,
            pending: None,
            phase: Phase::Waiting,
            rest: f64::INFINITY,
            renewals: 0,
            slope: 0.0,
        };
        block.rest = block.time_to_transition(time);
        block
    }

    fn time_to_transition(&self, t: f64) -> f64 {
        let node = &self.board.borrow()[self.index];
        let s = node.time_to_transition::<N, D>(t, &self.control);
        if t + s <= node.meet.max(t) {
            s
        } else {
            node.meet.max(t) - t
        }
    }
}

impl<const N: usize, const D: usize> Atomic<Signal> for QuantizedIntegrator<N, D> {
    fn time_advance(&self) -> f64 {
        if self.phase == Phase::Waiting {
            self.rest
        } else {
            0.0
        }
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Signal)) {
        let mut since = None;
        if self.phase == Phase::Waiting {
            let mut board = self.board.borrow_mut();
            let node = &mut board[self.index];
            self.slope = node.slope;
            let before = *node;
            let pending = if self.renewals == RENEWALS && self.reads_itself {
                node.probe::<N, D>(time)
            } else {
                node.requantize::<N, D>(time, &self.control)
            };
            since = (self.renewals == 0).then(|| Node::since(&before, time));
            self.pending = self.reads_itself.then_some((time, pending));
        }
        let node = self.board.borrow()[self.index];
        if self.phase != Phase::Announce {
            send(0, Signal::Polynomial(padded::<N>(node.quantized(time))));
        }
        // While the linear part is being found out, x is not what will be.
        if self.renewals == 0 || self.phase == Phase::Reset {
            send(1, Signal::Polynomial(node.seen::<N, D, COEFFICIENTS>(time)));
        }
        if let Some(since) = since {
            send(2, Signal::Since(since));
        }
    }

    fn internal(&mut self, time: f64) {
        let transition = self.phase == Phase::Waiting;
        self.phase = Phase::Waiting;
        self.rest = self.time_to_transition(time);
        if self.renewals == 0 {
            return;
        }
        if !transition {
            // What was announced is out; now the transition that was asked for.
            self.rest = 0.0;
        } else {
            self.renewals -= 1;
            if !self.reads_itself {
                self.renewals = 0;
            }
        }
    }

    fn external(&mut self, time: f64, _: f64, port: Port, value: &Signal) {
        match (port, value) {
            (2, _) => {
                self.renewals = RENEWALS;
                return;
            }
            (3, Signal::Verdict(finer)) => {
                self.board.borrow_mut()[self.index].refine(*finer);
                return;
            }
            (0, Signal::Polynomial(c)) => {
                let mut board = self.board.borrow_mut();
                let node = &mut board[self.index];
                node.take_derivative::<N, D>(time, &cut(c), c[N]);
                if let Some((at, pending)) = self.pending.take()
                    && at == time
                {
                    node.learn::<N>(&pending);
                    // After the probe comes the transition, whatever was learned.
                    let probed = self.renewals == RENEWALS - 1;
                    if !probed && !learned_anew(self.slope, node.slope) {
                        self.renewals = 0;
                    }
                }
                if self.phase == Phase::Waiting {
                    self.phase = Phase::Announce;
                }
            }
            (1, Signal::Value(v)) => {
                let mut board = self.board.borrow_mut();
                board[self.index].reset::<N, D>(time, *v, &self.control);
                self.phase = Phase::Reset;
            }
            _ => {}
        }
        self.rest = self.time_to_transition(time);
    }
}

/// When what a static function has told is to be looked up, by place.
pub type Dues = Box<dyn FnMut(usize) -> f64>;

/// How many times finer the quantum of an argument should be, by the time, the new value and the time since the argument's last
/// transition.
pub type Judge = Box<dyn Fn(f64, f64, Since) -> Option<f64>>;

/// A function of polynomials. Inputs 0 to m − 1 are its arguments, a tick on input m asks for the
/// value again (a discrete value that it depends on has changed). Output 0: the value. One that is remembered tells the sources that
/// remember it, from output 1 on, when they are to be renewed. One with a judge gets from input m + 1 on the times since the arguments' last
/// transitions, and tells those that are too coarse, from output 1 on, by how much.
pub struct StaticFunction<F> {
    function: F,
    remembered: Option<(usize, Dues)>,
    judge: Option<Judge>,
    /// The argument that has made a transition, and the time since its last one.
    stepped: Option<(Port, Since)>,
    /// Last polynomial of each argument and when it came.
    arguments: Vec<([f64; COEFFICIENTS], f64)>,
    scratch: Vec<[f64; COEFFICIENTS]>,
    active: bool,
}

impl<F: FnMut(f64, &[[f64; COEFFICIENTS]]) -> [f64; COEFFICIENTS]> StaticFunction<F> {
    pub fn new(function: F, arguments: Vec<([f64; COEFFICIENTS], f64)>) -> Self {
        StaticFunction {
            function,
            remembered: None,
            judge: None,
            stepped: None,
            scratch: vec![[0.0; COEFFICIENTS]; arguments.len()],
            arguments,
            active: false,
        }
    }

    /// The same, remembered by so many sources.
    pub fn remembered(mut self, sources: usize, dues: Dues) -> Self {
        self.remembered = Some((sources, dues));
        self
    }

    pub fn judged(mut self, judge: Judge) -> Self {
        self.judge = Some(judge);
        self
    }
}

impl<F: FnMut(f64, &[[f64; COEFFICIENTS]]) -> [f64; COEFFICIENTS]> Atomic<Signal>
    for StaticFunction<F>
{
    fn time_advance(&self) -> f64 {
        if self.active { 0.0 } else { f64::INFINITY }
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Signal)) {
        for (now, (c, at)) in self.scratch.iter_mut().zip(&self.arguments) {
            *now = shifted(*c, time - at);
        }
        let result = (self.function)(time, &self.scratch);
        send(0, Signal::Polynomial(result));
        if let (Some(judge), Some((argument, since))) = (&self.judge, self.stepped)
            && let Some(finer) = judge(time, result[0], since)
        {
            send(1 + argument, Signal::Verdict(finer));
        }
        if let Some((count, dues)) = &mut self.remembered {
            for k in 0..*count {
                send(1 + k, Signal::Value(dues(k)));
            }
        }
    }

    fn internal(&mut self, _: f64) {
        self.active = false;
        self.stepped = None;
    }

    fn external(&mut self, time: f64, _: f64, port: Port, value: &Signal) {
        let arguments = self.arguments.len();
        match value {
            Signal::Polynomial(c) if port < arguments => self.arguments[port] = (*c, time),
            Signal::Since(since) if port > arguments => {
                self.stepped = Some((port - arguments - 1, *since));
            }
            _ => {}
        }
        self.active = true;
    }
}

/// Watches a polynomial on input 0 and sends the new side on output 0 when it crosses zero. Input
/// 1: a side decided elsewhere, or a tick: its event has given states new values. Before that, sources that it reads are asked by outputs 1, 2, … to be exact at this instant.
pub struct CrossDetection<const C: usize> {
    detector: Detector,
    control: Control,
    /// Time of the whole run.
    length: f64,
    rest: f64,
    board: Board,
    /// Places on the board of the sources that the polynomial depends on.
    sources: Vec<usize>,
    /// Sources have been asked: what they answer decides.
    asked: bool,
    /// How large the function can be at a time, and when that is to be asked: at its events.
    reach: Option<ReachAt>,
    fired: f64,
}

type ReachAt = Box<dyn FnMut(f64) -> f64>;

impl<const C: usize> CrossDetection<C> {
    pub fn new(
        (time, length): (f64, f64),
        control: Control,
        mut detector: Detector,
        polynomial: [f64; COEFFICIENTS],
        board: Board,
        sources: Vec<usize>,
    ) -> Self {
        let first = cut(&polynomial);
        let rest = detector.time_to_crossing::<C>(time, first, f64::INFINITY, &control);
        detector.begin(rest);
        CrossDetection {
            detector,
            control,
            length,
            rest,
            board,
            sources,
            asked: false,
            reach: None,
            fired: f64::NEG_INFINITY,
        }
    }

    pub fn limited(mut self, reach: ReachAt) -> Self {
        self.reach = Some(reach);
        self
    }
}

impl<const C: usize> Atomic<Signal> for CrossDetection<C> {
    fn time_advance(&self) -> f64 {
        self.rest
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Signal)) {
        self.asked = false;
        for (k, &at) in self.sources.iter().enumerate() {
            if self.board.borrow()[at].tx != time {
                self.asked = true;
                send(1 + k, Signal::Tick);
            }
        }
        if !self.asked {
            send(0, Signal::Side(!self.detector.side));
        }
    }

    fn internal(&mut self, time: f64) {
        if !self.asked {
            self.detector.fire(time, self.length);
            self.fired = time;
        }
        self.rest = f64::INFINITY;
    }

    fn external(&mut self, time: f64, elapsed: f64, port: Port, value: &Signal) {
        match (port, value) {
            (0, Signal::Polynomial(c)) => {
                let detector = &mut self.detector;
                if let (true, Some(reach)) = (time == self.fired, &mut self.reach) {
                    detector.limit(reach(time));
                }
                self.rest =
                    detector.time_to_crossing::<C>(time, cut(c), f64::INFINITY, &self.control);
            }
            (1, Signal::Side(side)) => {
                self.detector.side = *side;
                self.rest -= elapsed;
            }
            (1, Signal::Tick) => {
                self.detector.has_jumped();
                self.rest -= elapsed;
            }
            _ => self.rest -= elapsed,
        }
    }
}

/// A tick at `start + k·interval`, k = 0, 1, …
pub struct Sample {
    start: f64,
    interval: f64,
    count: u64,
    time: f64,
}

impl Sample {
    pub fn new(time: f64, start: f64, interval: f64) -> Sample {
        let count = if start >= time || interval <= 0.0 {
            0
        } else {
            ((time - start) / interval).ceil() as u64
        };
        Sample {
            start,
            interval,
            count,
            time,
        }
    }
}

impl Atomic<Signal> for Sample {
    fn time_advance(&self) -> f64 {
        if self.interval <= 0.0 && self.count > 0 {
            return f64::INFINITY;
        }
        self.start + self.count as f64 * self.interval - self.time
    }

    fn output(&mut self, _: f64, send: &mut dyn FnMut(Port, Signal)) {
        send(0, Signal::Tick);
    }

    fn internal(&mut self, time: f64) {
        self.count += 1;
        self.time = time;
    }

    fn external(&mut self, time: f64, _: f64, _: Port, _: &Signal) {
        self.time = time;
    }
}

/// One tick at a time that is set on input 0.
pub struct Timer {
    next: f64,
    time: f64,
}

impl Timer {
    pub fn new(time: f64, next: f64) -> Timer {
        Timer { next, time }
    }
}

impl Atomic<Signal> for Timer {
    fn time_advance(&self) -> f64 {
        self.next - self.time
    }

    fn output(&mut self, _: f64, send: &mut dyn FnMut(Port, Signal)) {
        send(0, Signal::Tick);
    }

    fn internal(&mut self, time: f64) {
        self.next = f64::INFINITY;
        self.time = time;
    }

    fn external(&mut self, time: f64, _: f64, _: Port, value: &Signal) {
        if let Signal::Value(next) = value {
            self.next = *next;
        }
        self.time = time;
    }
}

/// A function of time as a sequence of polynomials, or what comes out of a memory: the function renews its node and says for how
/// long. A tick on input 0: it is to be renewed now. A value on input 1: it must be renewed at this time at the latest. A value on
/// input 2: a reader needs the quantum so many times finer. Outputs 0 and 1: the polynomial, with as many coefficients as derivatives and as
/// crossing functions read; output 2: when nobody asked, the time since the last one.
pub struct TimeInput<F, const N: usize, const D: usize> {
    pub board: Board,
    pub index: usize,
    pub function: F,
    pub control: Control,
    rest: f64,
    /// A tick has come.
    asked: bool,
}

impl<F: FnMut(&mut Node, f64) -> f64, const N: usize, const D: usize> TimeInput<F, N, D> {
    pub fn new(board: Board, index: usize, function: F, control: Control, rest: f64) -> Self {
        TimeInput {
            board,
            index,
            function,
            control,
            rest,
            asked: false,
        }
    }
}

impl<F: FnMut(&mut Node, f64) -> f64, const N: usize, const D: usize> Atomic<Signal>
    for TimeInput<F, N, D>
{
    fn time_advance(&self) -> f64 {
        self.rest
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Signal)) {
        let mut board = self.board.borrow_mut();
        let node = &mut board[self.index];
        let since = time - node.tq;
        self.rest = (self.function)(node, time);
        send(0, Signal::Polynomial(padded::<N>(node.quantized(time))));
        send(1, Signal::Polynomial(padded::<D>(node.trajectory(time))));
        if !self.asked {
            send(2, Signal::Since(Since::of(since)));
        }
        self.asked = false;
    }

    fn internal(&mut self, _: f64) {}

    fn external(&mut self, time: f64, elapsed: f64, port: Port, value: &Signal) {
        self.rest -= elapsed;
        match (port, value) {
            (1, Signal::Value(at)) => self.rest = self.rest.min(at - time),
            (2, Signal::Verdict(finer)) => {
                self.board.borrow_mut()[self.index].refine(*finer);
            }
            _ => {
                self.asked = true;
                self.rest = 0.0;
            }
        }
    }
}
