//! Signals from the past: `delay(u, T)` reads the history of u, `spatialDistribution` what was put into a line.
//!
//! The history is a list of step segments, each with the quartic polynomial through five equidistant values of
//! the signal on that step (linear pieces where it is not smooth), so that it is as accurate as the integration. Segments older than the
//! longest delay are dropped and constant ones are one: memory is bounded by the steps in one delay time, and more than
//! [`MOST_SEGMENTS`] of them end the run. Before the start the signal has its first value, or zero where that leads nowhere. A jump of the signal at an event travels: it is announced as a time event
//! one delay later. A formula of fixed steps, which cannot end a step there, reads what was before the jump until that event has come ([`DelayBuffers::hold_jumps`]).

use std::collections::VecDeque;

use ferrica_codegen::model::DelaySlots;
use ferrica_codegen::program::Program;
use ferrica_codegen::{CompiledModel, Evaluator, Failure};

use crate::error::SimError;
use crate::jump::Jump;
use crate::readers::read_slots;
use crate::segment::{NODES, Segment};
use crate::time_events::{SAME_TIME, same_time};
use crate::transport::Line;

#[derive(Clone, Debug)]
struct Buffer {
    slots: DelaySlots,
    history: VecDeque<Segment>,
    /// Segments that began before the last look into the history.
    cursor: usize,
    /// Segment of the last look, the times that are inside of it for certain, and the last one that is its end by rounding.
    seen: Segment,
    inside: (f64, f64),
    until: f64,
    /// First value: the signal before the start.
    first: f64,
    /// Value where the history ends: at the end of the last step, or right after the event there.
    last: f64,
    /// Largest magnitude at events so far.
    size: f64,
    /// Zero before the start.
    empty: bool,
    /// Jumps that are held back: when the signal jumped, and its value before.
    held: VecDeque<(f64, f64)>,
}

#[derive(Clone, Debug, Default)]
pub struct DelayBuffers {
    buffers: Vec<Buffer>,
    /// Of each `spatialDistribution`.
    pub lines: Vec<Line>,
    start: f64,
    /// At this time the right-hand limit of a jump is meant.
    right_at: f64,
    /// Jumps on their way, in the order of their arrival.
    jumps: Vec<Jump>,
    /// Jumps below this part of a signal's size are within the accuracy of the integration.
    jump_tolerance: f64,
    /// No delayed value depends on anything but time.
    all_constant: bool,
    /// Some signal had another value after the last event than before.
    pub jumped: bool,
    /// The history ends before the event at hand.
    behind: bool,
    /// Jumps are held back until they are let go.
    holds: bool,
}

/// First of the numbers of saved histories: those of this module.
const SEGMENTS: f64 = 3.0;

/// Segments of all histories together. One takes about a hundred bytes.
const MOST_SEGMENTS: usize = 1 << 24;

/// Size of a signal that has none.
pub const LEAST_SIZE: f64 = 1e-6;
/// Default of the smallest jump that travels on, in parts of a signal's size.
const JUMP_TOLERANCE: f64 = 1e-9;

impl DelayBuffers {
    pub fn new(model: &CompiledModel) -> DelayBuffers {
        let buffers = model
            .delays
            .iter()
            .map(|&slots| Buffer {
                slots,
                history: VecDeque::new(),
                cursor: 0,
                seen: Segment::point(0.0, 0.0),
                inside: NOWHERE,
                until: f64::NEG_INFINITY,
                first: 0.0,
                last: 0.0,
                size: 0.0,
                empty: false,
                held: VecDeque::new(),
            })
            .collect();
        let all_constant = model.transports.is_empty() && model.delays.iter().all(|d| d.constant);
        DelayBuffers {
            all_constant,
            jumped: false,
            behind: false,
            holds: false,
            buffers,
            lines: model.transports.iter().map(Line::new).collect(),
            start: 0.0,
            right_at: f64::NAN,
            jumps: Vec::new(),
            jump_tolerance: JUMP_TOLERANCE,
        }
    }

    /// Only jumps that the integration would notice at this tolerance are followed: reflections
    /// die out, and with them their events.
    pub fn follow_jumps(&mut self, tolerance: f64) {
        self.jump_tolerance = DelayBuffers::least_jump(tolerance);
    }

    /// Jumps come out of their delays only when [`DelayBuffers::let_go`] says so; those that are on their way are among them.
    pub fn hold_jumps(&mut self, ev: &Evaluator, tolerance: f64) {
        self.follow_jumps(tolerance);
        self.holds = true;
        let now = ev.time();
        for b in &mut self.buffers {
            let least = self.jump_tolerance * b.size.max(LEAST_SIZE);
            let delay = ev.get(b.slots.delay);
            let pairs = b.history.iter().zip(b.history.iter().skip(1));
            let jumps = pairs.filter(|(before, s)| {
                s.begin == s.end && (s.last - before.last).abs() > least && s.begin + delay > now
            });
            b.held = jumps.map(|(before, s)| (s.begin, before.last)).collect();
        }
    }

    /// When the first jump that is held back is due.
    pub fn next_held(&self, ev: &Evaluator) -> f64 {
        let due = |b: &Buffer| Some(b.held.front()?.0 + ev.get(b.slots.delay));
        (self.buffers.iter().filter_map(due)).fold(f64::INFINITY, f64::min)
    }

    /// Jumps that are due at `t` come out in the event there: right-hand limits are meant. False: there is none.
    pub fn let_go(&mut self, ev: &Evaluator, t: f64) -> bool {
        let mut any = false;
        for b in &mut self.buffers {
            let delay = ev.get(b.slots.delay);
            while let Some(&(jumped, _)) = b.held.front() {
                let at = jumped + delay;
                if at > t && !same_time(at, t) {
                    break;
                }
                b.held.pop_front();
                any = true;
            }
        }
        if any {
            self.right_at = t;
        }
        any
    }

    /// From which change on a signal jumps, in parts of its size.
    pub fn least_jump(tolerance: f64) -> f64 {
        JUMP_TOLERANCE.max(0.1 * tolerance)
    }

    /// Largest magnitudes of the signals at events so far.
    pub fn sizes(&self) -> impl Iterator<Item = f64> {
        self.buffers.iter().map(|b| b.size)
    }

    /// From now on the right-hand limits at this time are meant: an event is about to be settled.
    pub fn at_event(&mut self, t: f64) {
        self.right_at = t;
    }

    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty() && self.lines.is_empty()
    }

    /// Do the values depend on time alone, not on other variables?
    pub fn all_constant(&self) -> bool {
        self.all_constant
    }

    /// Longest step that never reads the step itself.
    pub fn step_limit(&self, ev: &Evaluator) -> f64 {
        self.buffers
            .iter()
            .map(|b| ev.get(b.slots.delay))
            .filter(|t| *t > 0.0)
            .chain(self.lines.iter().map(Line::step_limit))
            .fold(f64::INFINITY, f64::min)
    }

    /// Can an event be settled while the history ends at the beginning of its step? Constant delays, none shorter than a step, never
    /// ask for more.
    pub fn may_fall_behind(&self, ev: &Evaluator) -> bool {
        let positive = |b: &Buffer| ev.get(b.slots.delay) > 0.0;
        self.all_constant && !self.buffers.is_empty() && self.buffers.iter().all(positive)
    }

    /// An event is about to be settled, and the step up to it is not in the history yet.
    pub fn fall_behind(&mut self) {
        self.behind = true;
    }

    /// The history goes on.
    pub fn catch_up(&mut self) {
        self.behind = false;
    }

    /// The history begins, with the present values of the signals.
    pub fn begin(&mut self, ev: &Evaluator, start: f64) {
        self.start = start;
        self.right_at = start;
        for b in &mut self.buffers {
            b.history.clear();
            (b.inside, b.until) = (NOWHERE, f64::NEG_INFINITY);
            let source = ev.get(b.slots.source);
            b.first = if b.empty { 0.0 } else { source };
            b.last = b.first;
        }
        for line in &mut self.lines {
            line.begin(ev);
        }
    }

    /// Delays whose value the program reads, by number.
    pub fn read_by(&self, model: &CompiledModel, program: &Program) -> Box<[u32]> {
        let read = read_slots(model, program);
        let is_read = |b: &Buffer| read.iter().any(|list| list.contains(&b.slots.result));
        let numbers = (0..).zip(&self.buffers);
        numbers
            .filter(|(_, b)| is_read(b))
            .map(|(k, _)| k)
            .collect()
    }

    /// Writes the values of the delays with these numbers at the present time.
    #[inline]
    pub fn apply_some(&mut self, ev: &mut Evaluator, which: &[u32]) {
        let t = ev.time();
        let right = t == self.right_at;
        for &k in which {
            self.buffers[k as usize].apply(ev, t, self.start, right);
        }
    }

    /// Writes the delayed values at the present time.
    pub fn apply(&mut self, ev: &mut Evaluator) {
        let t = ev.time();
        let right = t == self.right_at;
        for b in &mut self.buffers {
            b.apply(ev, t, self.start, right);
        }
        for line in &self.lines {
            line.apply(ev);
        }
    }

    /// Values of the signals at the end of the last step, or right after the event there.
    pub fn last(&self) -> impl Iterator<Item = f64> {
        self.buffers.iter().map(|b| b.last)
    }

    /// Appends an accepted step; `values[k][node]` are the values of signal k of [`DelayBuffers::sources`].
    /// What the time `from` still needs is kept. A past that takes more memory than a run may have is an error.
    pub fn push_step(
        &mut self,
        ev: &Evaluator,
        (begin, end): (f64, f64),
        values: &[[f64; NODES]],
        from: f64,
    ) -> Result<(), SimError> {
        for (b, values) in self.buffers.iter_mut().zip(values) {
            b.push(Segment::new(begin, end, *values));
            b.last = values[NODES - 1];
            let longest = ev.get(b.slots.max).max(ev.get(b.slots.delay));
            // One more segment than needed, for limits from the left.
            while b.history.len() > 2 && b.history[1].end < from - longest {
                b.history.pop_front();
                b.cursor = b.cursor.saturating_sub(1);
            }
        }
        let moved = values[self.buffers.len()..].chunks_exact(Line::SIGNALS);
        for (line, signals) in self.lines.iter_mut().zip(moved) {
            if begin == from {
                line.forget(signals[Line::SIGNALS - 1][0]);
            }
            line.push(end - begin, signals, self.jump_tolerance);
        }
        self.right_at = f64::NAN;
        self.behind = false;
        let segments: usize = self.buffers.iter().map(|b| b.history.len()).sum();
        if segments > MOST_SEGMENTS {
            return Err(SimError::new("E0618", end, too_long(segments, begin, end)));
        }
        Ok(())
    }

    /// Number of signals that are remembered.
    pub fn signals(&self) -> usize {
        self.buffers.len() + Line::SIGNALS * self.lines.len()
    }

    /// Puts the present values of all signals that are remembered at a node of the step.
    #[inline]
    pub fn sources(&self, ev: &Evaluator, node: usize, values: &mut [[f64; NODES]]) {
        for (v, b) in values.iter_mut().zip(&self.buffers) {
            v[node] = ev.get(b.slots.source);
        }
        if self.lines.is_empty() {
            return;
        }
        let moved = &mut values[self.buffers.len()..];
        for (signals, line) in moved.chunks_exact_mut(Line::SIGNALS).zip(&self.lines) {
            for (v, value) in signals.iter_mut().zip(line.signals(ev)) {
                v[node] = value;
            }
        }
    }

    /// After an event: signals that jumped announce it, if the history has come so far.
    pub fn after_event(&mut self, ev: &Evaluator) {
        let t = ev.time();
        self.right_at = t;
        self.jumped = false;
        if self.behind {
            return;
        }
        // What has arrived is what jumps on.
        let arrived = self.jumps.partition_point(|j| j.has_arrived(t));
        // One that arrived at an earlier event has nothing to do with this one.
        let last = self.jumps[..arrived].last().copied();
        let cause = last.filter(|j| same_time(j.time, t));
        self.jumps.drain(..arrived);
        let cause = cause.unwrap_or_else(|| Jump::at(t));
        for b in &mut self.buffers {
            let now = ev.get(b.slots.source);
            b.size = b.size.max(now.abs());
            if (now - b.last).abs() > self.jump_tolerance * b.size.max(LEAST_SIZE) {
                if self.holds && b.slots.constant {
                    b.held.push_back((t, b.last));
                }
                let jump = cause.after(ev.get(b.slots.delay), t);
                if !jump.has_arrived(t) && b.slots.constant {
                    announce(&mut self.jumps, jump);
                }
            }
            // An empty segment carries the value after the jump.
            if now != b.last || b.history.is_empty() {
                self.jumped = true;
                b.history.push_back(Segment::point(t, now));
                b.last = now;
            }
        }
    }

    /// All histories as numbers, for [`DelayBuffers::load`].
    pub fn save(&self) -> Vec<f64> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut out = vec![SEGMENTS, self.start, self.right_at, self.jumps.len() as f64];
        for jump in &self.jumps {
            jump.save(&mut out);
        }
        for b in &self.buffers {
            let empty = f64::from(u8::from(b.empty));
            out.extend([b.first, b.last, b.size, empty, b.history.len() as f64]);
            for s in &b.history {
                s.save(&mut out);
            }
        }
        for line in &self.lines {
            line.save(&mut out);
        }
        out
    }

    /// Takes histories over. What is not theirs is left alone.
    pub fn load(&mut self, numbers: &[f64]) {
        let mut rest = numbers.iter().copied();
        let mut next = || rest.next().unwrap_or(0.0);
        if self.is_empty() || next() != SEGMENTS {
            return;
        }
        (self.start, self.right_at) = (next(), next());
        let jumps = next() as usize;
        self.jumps = (0..jumps).map(|_| Jump::load(&mut next)).collect();
        for b in &mut self.buffers {
            (b.first, b.last, b.size, b.empty) = (next(), next(), next(), next() != 0.0);
            let segments = next() as usize;
            b.history = (0..segments).map(|_| Segment::load(&mut next)).collect();
            (b.inside, b.until) = (NOWHERE, f64::NEG_INFINITY);
        }
        for line in &mut self.lines {
            line.load(&mut next);
        }
    }

    /// Next time at which a jump arrives.
    pub fn next_jump(&self) -> Option<f64> {
        self.jumps.first().map(|j| j.time)
    }
}

impl DelayBuffers {
    /// Number of delayed signals.
    pub(crate) fn delayed(&self) -> usize {
        self.buffers.len()
    }

    /// Value of signal k before the start.
    pub(crate) fn first(&self, k: usize) -> f64 {
        self.buffers[k].first
    }

    /// Signal k is zero before the start, or what it is at the start.
    pub(crate) fn set_empty(&mut self, k: usize, empty: bool) {
        self.buffers[k].empty = empty;
    }

    /// Present value of signal k.
    pub(crate) fn source(&self, ev: &Evaluator, k: usize) -> f64 {
        ev.get(self.buffers[k].slots.source)
    }

    /// Signal k was this all the time before the start.
    pub(crate) fn assume(&mut self, ev: &mut Evaluator, k: usize, value: f64) {
        let b = &mut self.buffers[k];
        b.first = value;
        ev.set(b.slots.result, value);
    }
}

/// Puts a jump into the list unless one arrives at its time already.
fn announce(jumps: &mut Vec<Jump>, jump: Jump) {
    let near = |j: &Jump| same_time(j.time, jump.time);
    // Most often the last one, or later than that.
    match jumps.last() {
        Some(last) if near(last) => return,
        Some(last) if last.time > jump.time => {}
        _ => return jumps.push(jump),
    }
    let k = jumps.partition_point(|j| j.time < jump.time);
    let known = jumps.get(k).is_some_and(near) || (k > 0 && near(&jumps[k - 1]));
    if !known {
        jumps.insert(k, jump);
    }
}

/// Inside of no segment.
const NOWHERE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// Segments by which a look into the history may move on before it is searched for.
const NEAR: usize = 8;

/// By how much times may differ that are meant to be the same.
fn rounding(t: f64, start: f64) -> f64 {
    SAME_TIME * t.abs().max(start.abs())
}

fn too_long(segments: usize, begin: f64, end: f64) -> Failure {
    let step = end - begin;
    Failure::new(format!(
        "the delays of the model look back over {segments} steps, more than the memory of a run may hold; \
         the last step is {step:.1e} s: a delay that is much shorter than the others, or events that come \
         that fast, may be a wrong value"
    ))
}

impl Buffer {
    /// The signal goes on. Where it rests it is one segment.
    fn push(&mut self, next: Segment) {
        match self.history.back_mut() {
            Some(last) if last.goes_on_as(&next) => *last = last.until(next.end),
            _ => self.history.push_back(next),
        }
    }

    /// Writes the value at time `t`.
    #[inline]
    fn apply(&mut self, ev: &mut Evaluator, t: f64, start: f64, right: bool) {
        let delay = ev.get(self.slots.delay).max(0.0);
        let at = t - delay;
        if let Some(&(jumped, before)) = self.held.front()
            && at > jumped + rounding(at, start)
        {
            ev.set(self.slots.result, before);
            return;
        }
        // Mostly inside of the segment of the last look, or at its end.
        let begun = self.inside.0 < at;
        let value = if begun && at < self.inside.1 {
            self.seen.eval(at)
        } else if begun && at <= self.until && !right {
            self.seen.last
        } else if begun && at <= self.until && self.enter_next(start) {
            self.seen.first()
        } else {
            self.search(at, start, right)
        };
        ev.set(self.slots.result, value);
    }

    /// The right-hand limit at the end of the segment of the last look: what begins there, behind the value after a jump, is the
    /// segment to look at. False if that is not so, or too short to be told from rounding.
    fn enter_next(&mut self, start: f64) -> bool {
        let rounding = rounding(self.seen.end, start);
        let jump = |s: &Segment| s.end == s.begin;
        let k = self.cursor + usize::from(self.history.get(self.cursor).is_some_and(jump));
        match self.history.get(k) {
            Some(next) if next.begin == self.seen.end && next.end > next.begin + 4.0 * rounding => {
                self.cursor = k + 1;
                self.look_at(*next, start);
                true
            }
            _ => false,
        }
    }

    /// The segment of the last look.
    fn look_at(&mut self, segment: Segment, start: f64) {
        // Of the times at its end, however early in it the look is.
        let rounding = rounding(segment.end, start);
        self.inside = (segment.begin + rounding, segment.end - rounding);
        self.until = segment.end + rounding;
        self.seen = segment;
    }

    /// Number of segments that begin at or before `t`, or before it: most often as many as last time, or a few more.
    fn begun(&mut self, t: f64, inclusive: bool) -> usize {
        let history = &self.history;
        let has_begun = |s: &Segment| s.begin < t || (inclusive && s.begin == t);
        let first = self.cursor.min(history.len());
        if first == 0 || has_begun(&history[first - 1]) {
            for k in first..(first + NEAR).min(history.len() + 1) {
                if !history.get(k).is_some_and(has_begun) {
                    self.cursor = k;
                    return k;
                }
            }
        }
        self.cursor = history.partition_point(has_begun);
        self.cursor
    }

    fn search(&mut self, t: f64, start: f64, right: bool) -> f64 {
        let rounding = rounding(t, start);
        if t < start - rounding || self.history.is_empty() {
            return self.first;
        }
        // At the border of two segments: the left one unless the right-hand limit is meant.
        let k = if right {
            self.begun(t + rounding, true)
        } else {
            self.begun(t - rounding, false)
        };
        if k == 0 {
            return self.first;
        }
        let segment = &self.history[k - 1];
        if t < segment.end - rounding {
            let segment = *segment;
            self.look_at(segment, start);
            // What rounding puts outside of a segment that may be very short.
            return segment.eval(t.max(segment.begin));
        }
        if t > segment.end + rounding && k == self.history.len() {
            // Beyond the history (a delay shorter than the step): its last polynomial goes on, but
            // not further than one step.
            return segment.eval(t.min(segment.end + (segment.end - segment.begin)));
        }
        segment.last
    }
}
