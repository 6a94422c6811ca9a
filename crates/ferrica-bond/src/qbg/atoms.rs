//! The atomic DEVS models of a quantized bond graph.
//!
//! What travels between them are efforts and flows as polynomials of time of a degree below the order of the method: of first
//! order they are piecewise constant. Storages integrate what they are told, x' = gain·u, and tell their quantized effort or flow q, the first terms
//! of x, at every crossing |x − q| = quantum; sources tell theirs; everything else answers at once. What is not linear is followed by
//! polynomials within a tolerance and tells again when they end. A junction stands as several models: those that hand on the common variable and one that
//! balances the other, so that the signals have an order and every model answers once in an instant.

use std::cell::RefCell;
use std::rc::Rc;

use ferrica_qss::devs::{Atomic, Port};
use ferrica_qss::roots::first_leaving;

use super::drive::Drive;
use super::law::{Law, Loop};
use super::poly::{Poly, constant, follow, integral, shifted, value};
use super::quantizer::Quantizer;
use super::waveform::Piece;
use crate::signals::SignalId;

/// All efforts and flows as last told, and their time integrals.
#[derive(Debug, Default)]
pub struct Board {
    told: Vec<Poly>,
    integral: Vec<f64>,
    since: Vec<f64>,
    /// What a storage tells is its quantized state; the state itself: the time, and its polynomial.
    states: Vec<Option<(f64, [f64; 4])>>,
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
            told: vec![constant(0.0); signals],
            integral: vec![0.0; signals],
            since: vec![time; signals],
            states: vec![None; signals],
            ..Board::default()
        }
    }

    /// As told, counted from a time.
    pub fn told(&self, s: SignalId, time: f64) -> Poly {
        shifted(&self.told[s], time - self.since[s])
    }

    /// The value at a time; of a storage its state.
    pub fn shown(&self, s: SignalId, time: f64) -> f64 {
        match &self.states[s] {
            Some((since, x)) => value(x, time - since),
            None => value(&self.told[s], time - self.since[s]),
        }
    }

    /// Integral over time from the start.
    pub fn integral(&self, s: SignalId, time: f64) -> f64 {
        self.integral[s] + integral(&self.told[s], time - self.since[s])
    }

    pub fn set(&mut self, s: SignalId, told: Poly, time: f64) {
        self.integral[s] += integral(&self.told[s], time - self.since[s]);
        self.since[s] = time;
        self.told[s] = told;
    }
}

/// C with flow in, I with effort in: x' = gain·input; tells its quantized x.
pub struct Storage {
    board: Shared,
    signal: SignalId,
    gain: f64,
    order: usize,
    quantizer: Quantizer,
    /// Counted from the last transition.
    x: [f64; 4],
    q: Poly,
    /// Of first order: the level that is told.
    level: i64,
    rest: f64,
}

/// Where a storage begins.
pub struct Beginning {
    pub time: f64,
    pub x: f64,
    /// What it is told then.
    pub input: Poly,
}

impl Storage {
    pub fn new(
        board: Shared,
        signal: SignalId,
        gain: f64,
        order: usize,
        quantizer: Quantizer,
        start: &Beginning,
    ) -> Storage {
        let mut storage = Storage {
            board,
            signal,
            gain,
            order,
            level: quantizer.level_of(start.x),
            quantizer,
            x: [start.x, 0.0, 0.0, 0.0],
            q: constant(0.0),
            rest: f64::INFINITY,
        };
        storage.q[0] = Storage::told_at_first(order, &storage.quantizer, start.x);
        storage.take(&start.input);
        storage.plan(start.time);
        if order > 1 && storage.x[1..].iter().any(|c| *c != 0.0) {
            // Its slope has not been told yet.
            storage.rest = 0.0;
        }
        storage
    }

    /// What a storage of this order tells of a state at the start, where nothing is known of its rate yet.
    pub fn told_at_first(order: usize, quantizer: &Quantizer, x: f64) -> f64 {
        match order {
            1 => quantizer.value(quantizer.level_of(x)),
            _ => x,
        }
    }

    /// The rate follows the input.
    fn take(&mut self, input: &Poly) {
        for (k, u) in input.iter().enumerate() {
            self.x[k + 1] = self.gain * u / (k + 1) as f64;
        }
    }

    /// q from x.
    fn quantize(&mut self) {
        self.q = constant(0.0);
        match self.order {
            1 => self.q[0] = self.quantizer.value(self.level),
            n => self.q[..n].copy_from_slice(&self.x[..n]),
        }
    }

    fn advance(&mut self, elapsed: f64) {
        self.x = shifted(&self.x, elapsed);
        self.q = shifted(&self.q, elapsed);
    }

    fn plan(&mut self, time: f64) {
        self.rest = match self.order {
            1 => (self.quantizer).time_to_crossing(self.x[0], self.x[1], self.level),
            _ => {
                let mut away = self.x;
                away.iter_mut().zip(&self.q).for_each(|(x, q)| *x -= q);
                first_leaving(&away, self.quantizer.quantum_at(self.x[0]))
            }
        };
        self.board.borrow_mut().states[self.signal] = Some((time, self.x));
    }
}

impl Atomic<Poly> for Storage {
    fn time_advance(&self) -> f64 {
        self.rest
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Poly)) {
        self.advance(self.rest);
        if self.order == 1 {
            self.level += if self.x[1] > 0.0 { 1 } else { -1 };
        }
        self.quantize();
        let mut board = self.board.borrow_mut();
        board.set(self.signal, self.q, time);
        board.crossings += 1;
        drop(board);
        send(0, self.q);
    }

    fn internal(&mut self, time: f64) {
        self.plan(time);
    }

    fn external(&mut self, time: f64, elapsed: f64, _: Port, input: &Poly) {
        self.advance(elapsed);
        self.take(input);
        self.plan(time);
    }
}

/// Se and Sf: follows a function of time by quantum crossings and events.
pub struct Source {
    board: Shared,
    signal: SignalId,
    order: usize,
    drive: Drive,
    quantum: f64,
    piece: Piece,
    /// Begin and end of the piece.
    from: f64,
    until: f64,
    told: Poly,
    next: f64,
    now: f64,
    /// The last stretch that a polynomial was good for.
    stretch: f64,
}

impl Source {
    pub fn new(
        board: Shared,
        signal: SignalId,
        order: usize,
        mut drive: Drive,
        time: f64,
        quantum: f64,
    ) -> Source {
        let until = drive.next_event(time);
        let piece = drive.piece(time, until);
        let mut source = Source {
            quantum,
            board,
            signal,
            order,
            drive,
            piece,
            from: time,
            until,
            told: constant(f64::NAN),
            next: f64::INFINITY,
            now: time,
            stretch: f64::INFINITY,
        };
        source.tell(time);
        source
    }

    pub fn told(&self) -> Poly {
        self.told
    }

    /// What it tells from now on, and until when.
    fn tell(&mut self, time: f64) {
        self.now = time;
        // The last piece has no end of its own.
        let end = self.until.min(self.drive.end().max(time));
        let (from, drive, piece) = (self.from, &mut self.drive, self.piece);
        let mut value = |t: f64| piece.value(t).unwrap_or_else(|| drive.value(from + t));
        let begin = time - from;
        let first = value(begin);
        self.next = match (self.order, piece) {
            (1, _) => {
                self.told = constant(first);
                from + piece.crossing(value, begin, first, self.quantum, end - from)
            }
            (_, Piece::Affine { slope, .. }) => {
                self.told = [first, slope, 0.0];
                self.until
            }
            _ => {
                let rest = end - time;
                let longest = piece.longest_stretch(end - from).min(rest);
                let (smallest, most) = (1e-12 * time.abs().max(rest), [self.quantum]);
                let length = longest.min(2.0 * self.stretch);
                let f = |s: f64| Some(vec![value(begin + s)]).filter(|v| v[0].is_finite());
                match follow(f, self.order, length, smallest, &most) {
                    Some((found, length)) => {
                        self.stretch = length;
                        self.told = found[0];
                        time + length
                    }
                    None => {
                        self.told = constant(f64::NAN);
                        self.until
                    }
                }
            }
        };
        if self.next >= end {
            self.next = self.until;
            self.board.borrow_mut().jumps.push(self.until);
        }
    }
}

impl Atomic<Poly> for Source {
    fn time_advance(&self) -> f64 {
        self.next - self.now
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Poly)) {
        if self.next >= self.until {
            self.from = time;
            self.until = self.drive.next_event(time);
            self.piece = self.drive.piece(time, self.until);
        }
        let before = self.told;
        self.tell(time);
        let mut board = self.board.borrow_mut();
        board.source_events += 1;
        if !self.told[0].is_finite() {
            let text = format!(
                "a source has no finite value at time {}",
                ferrica_ir::print::brief(time)
            );
            board.failure.get_or_insert(text);
        }
        board.set(self.signal, self.told, time);
        drop(board);
        if self.order > 1 || self.told != before {
            send(0, self.told);
        }
    }

    fn internal(&mut self, _: f64) {}

    fn external(&mut self, _: f64, _: f64, _: Port, _: &Poly) {}
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

impl Answer {
    /// Is it a weighted sum, in which polynomials stay what they are?
    fn is_linear(&self) -> bool {
        match self {
            Answer::Weighted(_) => true,
            Answer::Law(_) => false,
            Answer::Loop(l) => l.is_linear(),
        }
    }

    /// The outputs for numbers; they hold those of the last call, where a search begins.
    fn values(&mut self, inputs: &[f64], outputs: &mut [f64]) -> bool {
        match self {
            Answer::Weighted(weights) => {
                outputs[0] = weights.iter().zip(inputs).map(|(w, x)| w * x).sum();
                true
            }
            Answer::Law(law) => match law.value(inputs[0], &inputs[1..]) {
                Some(v) => {
                    outputs[0] = v;
                    true
                }
                None => false,
            },
            Answer::Loop(l) => l.solve(inputs, outputs),
        }
    }
}

/// How far a polynomial of what is not linear may go at first, over the time of the run.
const FIRST_STRETCH: f64 = 1e-4;

/// A model without memory: answers a change at once, and again when a polynomial of what is not linear has ended.
pub struct Static {
    board: Shared,
    signals: Vec<SignalId>,
    order: usize,
    answer: Answer,
    /// What it was told, and when.
    inputs: Vec<(Poly, f64)>,
    outputs: Vec<Poly>,
    /// How far polynomials may be away, for each output.
    tolerances: Vec<f64>,
    /// The last stretch that they were good for.
    stretch: f64,
    pending: bool,
    rest: f64,
}

impl Static {
    /// The inputs are as told at the start; the outputs are put on the board.
    pub fn new(
        board: Shared,
        signals: Vec<SignalId>,
        order: usize,
        answer: Answer,
        inputs: &[SignalId],
        tolerances: Vec<f64>,
        (time, span): (f64, f64),
    ) -> Static {
        let told = |s: &SignalId| (board.borrow().told(*s, time), time);
        let mut model = Static {
            inputs: inputs.iter().map(told).collect(),
            outputs: vec![constant(0.0); signals.len()],
            board,
            signals,
            order,
            answer,
            tolerances,
            stretch: FIRST_STRETCH * span,
            pending: false,
            rest: f64::INFINITY,
        };
        model.compute(time);
        for (s, v) in model.signals.iter().zip(&model.outputs) {
            model.board.borrow_mut().set(*s, *v, time);
        }
        model
    }

    fn compute(&mut self, time: f64) {
        for (p, since) in &mut self.inputs {
            *p = shifted(p, time - *since);
            *since = time;
        }
        self.rest = f64::INFINITY;
        let still = self.inputs.iter().all(|(p, _)| p[1] == 0.0 && p[2] == 0.0);
        let sound = match still || self.order == 1 || self.answer.is_linear() {
            true => self.each_coefficient(still || self.order == 1),
            false => self.fitted(time),
        };
        if !sound || self.outputs.iter().any(|v| !v[0].is_finite()) {
            let text = format!(
                "an element or loop has no solution at time {}",
                ferrica_ir::print::brief(time)
            );
            self.board.borrow_mut().failure.get_or_insert(text);
        }
    }

    /// Of a sum each coefficient by itself; of what stands still the first.
    fn each_coefficient(&mut self, only_first: bool) -> bool {
        let orders = if only_first { 1 } else { self.order };
        for k in 0..3 {
            if k >= orders {
                self.outputs.iter_mut().for_each(|p| p[k] = 0.0);
                continue;
            }
            let inputs: Vec<f64> = self.inputs.iter().map(|(p, _)| p[k]).collect();
            let mut outputs: Vec<f64> = self.outputs.iter().map(|p| p[k]).collect();
            if !self.answer.values(&inputs, &mut outputs) {
                return false;
            }
            for (p, y) in self.outputs.iter_mut().zip(outputs) {
                p[k] = y;
            }
        }
        true
    }

    /// Polynomials that follow what is not linear for a while.
    fn fitted(&mut self, time: f64) -> bool {
        let mut last: Vec<f64> = self.outputs.iter().map(|p| p[0]).collect();
        let (answer, inputs) = (&mut self.answer, &self.inputs);
        let f = |s: f64| {
            let told: Vec<f64> = inputs.iter().map(|(p, _)| value(p, s)).collect();
            let sound = answer.values(&told, &mut last) && last.iter().all(|y| y.is_finite());
            sound.then(|| last.clone())
        };
        let smallest = 1e-12 * time.abs().max(self.stretch.min(1.0));
        let first = 2.0 * self.stretch;
        let Some((found, length)) = follow(f, self.order, first, smallest, &self.tolerances) else {
            return false;
        };
        self.outputs = found;
        self.stretch = length;
        self.rest = length;
        true
    }
}

impl Atomic<Poly> for Static {
    fn time_advance(&self) -> f64 {
        if self.pending { 0.0 } else { self.rest }
    }

    fn output(&mut self, time: f64, send: &mut dyn FnMut(Port, Poly)) {
        self.compute(time);
        for (port, (s, v)) in self.signals.iter().zip(&self.outputs).enumerate() {
            let mut board = self.board.borrow_mut();
            let changed = board.told(*s, time) != *v;
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

    fn external(&mut self, time: f64, _: f64, port: Port, told: &Poly) {
        self.inputs[port] = (*told, time);
        self.pending = true;
    }
}
