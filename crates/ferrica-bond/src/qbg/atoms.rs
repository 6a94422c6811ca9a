//! The atomic DEVS models of a quantized bond graph.
//!
//! What travels between them are numbers: efforts and flows, piecewise constant. Storages integrate what they
//! are told and tell their quantized effort or flow at every crossing of a quantum; sources tell theirs; everything
//! else answers at once. A junction stands as several models: those that hand on the common variable and one that
//! balances the other, so that the signals have an order and every model answers once in an instant.

use std::cell::RefCell;
use std::rc::Rc;

use ferrica_qss::devs::{Atomic, Port};

use super::drive::Drive;
use super::law::{Law, Loop};
use super::quantizer::Quantizer;
use super::waveform::Piece;
use crate::signals::SignalId;

/// All efforts and flows as last told, and their time integrals.
#[derive(Debug, Default)]
pub struct Board {
    value: Vec<f64>,
    integral: Vec<f64>,
    since: Vec<f64>,
    /// What a storage tells is its quantized state; the state itself: time, value and rate.
    states: Vec<Option<[f64; 3]>>,
    /// Why the run cannot go on.
    pub failure: Option<String>,
    /// Times at which sources jump.
    pub jumps: Vec<f64>,
    pub crossings: u64,
    pub source_events: u64,
}

pub type Shared = Rc<RefCell<Board>>;

impl Board {
    pub fn new(signals: usize, time: f64) -> Board {
        Board {
            value: vec![0.0; signals],
            integral: vec![0.0; signals],
            since: vec![time; signals],
            states: vec![None; signals],
            ..Board::default()
        }
    }

    pub fn value(&self, s: SignalId) -> f64 {
        self.value[s]
    }

    /// The value at a time; of a storage its state.
    pub fn shown(&self, s: SignalId, time: f64) -> f64 {
        match self.states[s] {
            Some([since, x, rate]) => x + rate * (time - since),
            None => self.value[s],
        }
    }

    /// Integral over time from the start.
    pub fn integral(&self, s: SignalId, time: f64) -> f64 {
        self.integral[s] + self.value[s] * (time - self.since[s])
    }

    pub fn set(&mut self, s: SignalId, value: f64, time: f64) {
        self.integral[s] += self.value[s] * (time - self.since[s]);
        self.since[s] = time;
        self.value[s] = value;
    }
}

/// C with flow in, I with effort in: x' = gain·input; tells its quantized x.
pub struct Storage {
    pub board: Shared,
    pub signal: SignalId,
    pub gain: f64,
    pub quantizer: Quantizer,
    x: f64,
    rate: f64,
    level: i64,
    rest: f64,
}

impl Storage {
    pub fn new(
        board: Shared,
        signal: SignalId,
        gain: f64,
        quantizer: Quantizer,
        (time, x): (f64, f64),
        input: f64,
    ) -> Storage {
        let level = quantizer.level_of(x);
        let mut storage = Storage {
            board,
            signal,
            gain,
            quantizer,
            x,
            rate: gain * input,
            level,
            rest: f64::INFINITY,
        };
        storage.rest = storage.quantizer.time_to_crossing(x, storage.rate, level);
        storage.show(time);
        storage
    }

    fn show(&self, time: f64) {
        self.board.borrow_mut().states[self.signal] = Some([time, self.x, self.rate]);
    }

    pub fn quantized(&self) -> f64 {
        self.quantizer.value(self.level)
    }
}

impl Atomic<f64> for Storage {
    fn time_advance(&self) -> f64 {
        self.rest
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, f64)) {
        self.level += if self.rate > 0.0 { 1 } else { -1 };
        let q = self.quantized();
        let mut board = self.board.borrow_mut();
        board.set(self.signal, q, time);
        board.crossings += 1;
        drop(board);
        send(0, q);
    }

    fn internal(&mut self, time: f64) {
        self.x += self.rate * self.rest;
        self.rest = self
            .quantizer
            .time_to_crossing(self.x, self.rate, self.level);
        self.show(time);
    }

    fn external(&mut self, time: f64, elapsed: f64, _: Port, value: &f64) {
        self.x += self.rate * elapsed;
        self.rate = self.gain * value;
        self.rest = self
            .quantizer
            .time_to_crossing(self.x, self.rate, self.level);
        self.show(time);
    }
}

/// Se and Sf: follows a function of time by quantum crossings and events.
pub struct Source {
    pub board: Shared,
    pub signal: SignalId,
    pub drive: Drive,
    pub quantum: f64,
    piece: Piece,
    /// Begin and end of the piece.
    from: f64,
    until: f64,
    told: f64,
    next: f64,
    now: f64,
}

impl Source {
    /// `quantum` from the amplitude of the first piece.
    pub fn new(
        board: Shared,
        signal: SignalId,
        mut drive: Drive,
        time: f64,
        quantum: impl FnOnce(&Piece) -> f64,
    ) -> Source {
        let until = drive.next_event(time);
        let piece = drive.piece(time, until);
        let told = drive.value(time);
        let mut source = Source {
            quantum: quantum(&piece),
            board,
            signal,
            drive,
            piece,
            from: time,
            until,
            told,
            next: f64::INFINITY,
            now: time,
        };
        source.plan_next();
        source
    }

    pub fn told(&self) -> f64 {
        self.told
    }

    fn plan_next(&mut self) {
        let (from, drive, piece) = (self.from, &mut self.drive, self.piece);
        let next = piece.crossing(
            |t| piece.value(t).unwrap_or_else(|| drive.value(from + t)),
            self.now - from,
            self.told,
            self.quantum,
            self.until - from,
        );
        self.next = from + next;
        if self.next >= self.until {
            self.next = self.until;
            self.board.borrow_mut().jumps.push(self.until);
        }
    }
}

impl Atomic<f64> for Source {
    fn time_advance(&self) -> f64 {
        self.next - self.now
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, f64)) {
        if self.next >= self.until {
            self.drive.pass_event(time);
            self.from = time;
            self.until = self.drive.next_event(time);
            self.piece = self.drive.piece(time, self.until);
        }
        let value = match self.piece.value(time - self.from) {
            Some(value) => value,
            None => self.drive.value(time),
        };
        let mut board = self.board.borrow_mut();
        board.source_events += 1;
        if !value.is_finite() {
            let text = format!(
                "a source has no finite value at time {}",
                ferrica_ir::print::brief(time)
            );
            board.failure.get_or_insert(text);
        }
        board.set(self.signal, value, time);
        drop(board);
        if value != self.told {
            self.told = value;
            send(0, value);
        }
    }

    fn internal(&mut self, time: f64) {
        self.now = time;
        self.plan_next();
    }

    fn external(&mut self, _: f64, _: f64, _: Port, _: &f64) {}
}

/// How a model without memory answers.
pub enum Answer {
    /// Weighted sum of the inputs: junctions, linear R, TF and GY, dependent storages.
    Weighted(Vec<f64>),
    /// R with another law.
    Law(Box<Law>),
    /// Models that depend on each other without delay, solved together.
    Loop(Box<Loop>),
}

/// A model without memory: answers a change at once.
pub struct Static {
    board: Shared,
    signals: Vec<SignalId>,
    answer: Answer,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    pending: bool,
}

impl Static {
    /// The inputs are as told at the start; the outputs are put on the board.
    pub fn new(
        board: Shared,
        signals: Vec<SignalId>,
        answer: Answer,
        inputs: Vec<f64>,
        time: f64,
    ) -> Static {
        let mut model = Static {
            outputs: vec![0.0; signals.len()],
            board,
            signals,
            answer,
            inputs,
            pending: false,
        };
        model.compute(time);
        for (s, v) in model.signals.iter().zip(&model.outputs) {
            model.board.borrow_mut().set(*s, *v, time);
        }
        model
    }

    fn compute(&mut self, time: f64) {
        let sound = match &mut self.answer {
            Answer::Weighted(weights) => {
                self.outputs[0] = weights.iter().zip(&self.inputs).map(|(w, x)| w * x).sum();
                true
            }
            Answer::Law(law) => match law.value(self.inputs[0], &self.inputs[1..]) {
                Some(v) => {
                    self.outputs[0] = v;
                    true
                }
                None => false,
            },
            Answer::Loop(l) => l.solve(&self.inputs, &mut self.outputs),
        };
        if !sound || self.outputs.iter().any(|v| !v.is_finite()) {
            let text = format!(
                "an element or loop has no solution at time {}",
                ferrica_ir::print::brief(time)
            );
            self.board.borrow_mut().failure.get_or_insert(text);
        }
    }
}

impl Atomic<f64> for Static {
    fn time_advance(&self) -> f64 {
        if self.pending { 0.0 } else { f64::INFINITY }
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, f64)) {
        self.compute(time);
        for (port, (s, v)) in self.signals.iter().zip(&self.outputs).enumerate() {
            let mut board = self.board.borrow_mut();
            let changed = board.value(*s) != *v;
            if changed {
                board.set(*s, *v, time);
            }
            drop(board);
            if changed {
                send(port, *v);
            }
        }
    }

    fn internal(&mut self, _: f64) {
        self.pending = false;
    }

    fn external(&mut self, _: f64, _: f64, port: Port, value: &f64) {
        self.inputs[port] = *value;
        self.pending = true;
    }
}
