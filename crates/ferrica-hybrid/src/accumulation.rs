//! Events that accumulate: the intervals between the events of a condition shrink like a geometric series (a bouncing ball), so that infinitely
//! many of them lie before a finite time. Behind that time the model says nothing; numerically the last ones are lost in the
//! accuracy with which a zero is located, and the condition stays on one side.
//!
//! In: the state events of each condition. Out: the time at which they accumulate, once the run is behind it and the events that had to come
//! did not come although the condition's zero function moves on.

use ferrica_codegen::{Cause, CompiledModel, Failure};
use ferrica_ir::print::brief;

use crate::relations::relation_text;

/// Intervals in a row that must shrink at nearly one rate.
const INTERVALS: u32 = 10;
/// Each is at most this part of the one before, …
const SHRINKING: f64 = 0.999;
/// … and this part differs from the part before by so much of it at most.
const STEADY: f64 = 0.1;
/// Intervals that must have gone by without an event behind the last one; series that only slow down go on within that.
const OVERDUE: f64 = 4.0;
/// So many times that long without motion, and the model is at rest.
const LONG: f64 = 100.0;
/// Engines that see events at the points of a grid only: intervals of so many steps are as short as they can see, …
const FEW_STEPS: f64 = 4.0;
/// … and so many longer ones must have shrunk at nearly one rate before.
const FEW_INTERVALS: u32 = 3;
/// What is left of the series must be short beside the time of its events: others are pulses that have ended.
const NEARLY_OVER: f64 = 1e-3;
/// The same where events are as coarse as a quantum or a step.
const NEARLY_OVER_COARSELY: f64 = 1e-2;
/// Time since the accumulation, in parts of that of the first look, at which a coarse engine is looked at again …
const LATER: f64 = 2.0;
/// … and by how much the zero function must have grown: that of something at rest does not, that of something that falls does.
const GROWN: f64 = 1.5;

/// The numbers above for an engine on a grid, under their names in exported code.
pub const ACCUMULATION_IN_CODE: [(&str, f64); 9] = [
    ("@INTERVALS@", INTERVALS as f64),
    ("@FEW_INTERVALS@", FEW_INTERVALS as f64),
    ("@SHRINKING@", SHRINKING),
    ("@STEADY@", STEADY),
    ("@OVERDUE@", OVERDUE),
    ("@FEW_STEPS@", FEW_STEPS),
    ("@NEARLY_OVER@", NEARLY_OVER_COARSELY),
    ("@LATER@", LATER),
    ("@GROWN@", GROWN),
];

/// The events of a condition in one direction.
#[derive(Clone, Copy, Debug)]
struct Series {
    first: f64,
    last: f64,
    interval: f64,
    ratio: f64,
    shrinking: u32,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Accumulation {
    /// Of each condition, for its changes to false and to true.
    series: Vec<[Option<Series>; 2]>,
    /// Condition with a series that may accumulate, and from when on it is overdue.
    watched: Option<(usize, f64, f64)>,
    /// Step of the grid on which events are seen; zero where they are located.
    step: f64,
    nearly_over: f64,
}

impl Default for Accumulation {
    fn default() -> Accumulation {
        Accumulation {
            series: Vec::new(),
            watched: None,
            step: 0.0,
            nearly_over: NEARLY_OVER,
        }
    }
}

impl Accumulation {
    /// For an engine that sees events at the points of a grid with this step, or as exactly as its quanta allow.
    fn coarse(step: f64) -> Accumulation {
        Accumulation {
            step,
            nearly_over: NEARLY_OVER_COARSELY,
            ..Accumulation::default()
        }
    }

    /// Condition `k` has changed to `memory` at `t`.
    pub fn note(&mut self, k: usize, memory: bool, t: f64) {
        if self.series.len() <= k {
            self.series.resize(k + 1, [None; 2]);
        }
        let place = &mut self.series[k][usize::from(memory)];
        let is_watched = self.watched.is_some_and(|w| w.0 == k);
        let Some(s) = place else {
            *place = Some(Series {
                first: t,
                last: t,
                interval: f64::INFINITY,
                ratio: 0.0,
                shrinking: 0,
            });
            return;
        };
        let interval = t - s.last;
        let ratio = interval / s.interval;
        // Both ends of both intervals may be off by a step.
        let blurred = 4.0 * self.step / s.interval;
        let steady = s.shrinking == 0 || (ratio - s.ratio).abs() <= STEADY * s.ratio + blurred;
        let shortest = FEW_STEPS * self.step;
        // Events of a condition that slides are as near as the grid lets them be.
        let seen = s.interval > shortest;
        if seen && interval > 0.0 && ratio > 0.0 && ratio <= SHRINKING && steady {
            s.shrinking += 1;
        } else if interval > shortest && !(is_watched && ratio <= 1.0) {
            s.shrinking = 0;
            s.first = s.last;
        }
        (s.last, s.interval, s.ratio) = (t, interval, ratio);
        let rest = interval * ratio / (1.0 - ratio);
        if self.step > 0.0 && s.shrinking >= FEW_INTERVALS && interval <= shortest {
            let at = t + self.step;
            self.watched = Some((k, at, at + OVERDUE * interval));
        } else if s.shrinking >= INTERVALS && rest <= self.nearly_over * (t - s.first) {
            let at = t + rest;
            self.watched = Some((k, at, at + OVERDUE * interval));
        } else if is_watched {
            self.watched = None;
        }
    }

    /// The run is at `t`: the condition whose events are overdue, and when they accumulate. The model may have come to rest there.
    pub fn at(&self, t: f64) -> Option<(usize, f64)> {
        let (k, at, overdue) = self.watched?;
        (t > overdue).then_some((k, at))
    }

    /// The model is at rest at `t`: if it is so for long, nothing was lost.
    pub fn is_at_rest(&mut self, t: f64) {
        self.watched = self
            .watched
            .filter(|(_, at, overdue)| t - at < LONG * (overdue - at));
    }
}

/// The conditions of an engine of finite resolution, a grid or a quantum. It loses the last events of a series that accumulates, and goes on
/// as if the condition had no effect: the ball falls through the floor.
#[derive(Clone, Debug)]
pub struct CoarseEvents {
    accumulation: Accumulation,
    memories: Vec<f64>,
    /// The first look at a condition whose events are overdue: which, time since the accumulation, zero function.
    first: Option<(usize, f64, f64)>,
}

impl CoarseEvents {
    /// For so many conditions, seen at the points of a grid with this step, or wherever they change if it is zero.
    pub fn new(conditions: usize, step: f64) -> CoarseEvents {
        CoarseEvents {
            accumulation: Accumulation::coarse(step),
            memories: vec![f64::NAN; conditions],
            first: None,
        }
    }

    /// The conditions are so at `t`.
    pub fn note(&mut self, t: f64, memory: impl Fn(usize) -> f64) {
        for k in 0..self.memories.len() {
            self.change(k, memory(k), t);
        }
    }

    /// Condition `k` is so at `t`.
    pub fn change(&mut self, k: usize, now: f64, t: f64) {
        let last = std::mem::replace(&mut self.memories[k], now);
        if now != last && !last.is_nan() {
            self.accumulation.note(k, now != 0.0, t);
        }
    }

    /// The condition whose events accumulate, and when they do, if the zero functions at `t` are these.
    pub fn lost(
        &mut self,
        t: f64,
        mut zero: impl FnMut(usize) -> Option<f64>,
    ) -> Option<(usize, f64)> {
        let Some((k, at)) = self.accumulation.at(t) else {
            self.first = None;
            return None;
        };
        let since = t - at;
        let (_, then, before) = match self.first {
            Some(first) if first.0 == k => first,
            _ => *self.first.insert((k, since, zero(k)?)),
        };
        if since < LATER * then {
            return None;
        }
        if zero(k)?.abs() > GROWN * before.abs() {
            return Some((k, at));
        }
        self.accumulation.watched = None;
        None
    }
}

/// The events of a relation accumulate: what to tell, and what can be done.
pub fn accumulate(model: &CompiledModel, relation: usize, at: f64) -> (Failure, String) {
    let condition = relation_text(model, relation);
    let mut failure = Failure::new(format!(
        "the events of the condition `{condition}` accumulate: infinitely many of them before time {}",
        brief(at)
    ));
    failure.span = model.source.relations[relation].span;
    failure.cause = Cause::Accumulation;
    let hint = "let the model come to rest before: hold the variable when it is slow enough, or stop the run earlier";
    (failure, hint.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Impacts at 2·(1 − 0.7ⁿ)/0.3 accumulate at 2/0.3; equal intervals never do.
    #[test]
    fn a_geometric_series_accumulates() {
        let mut seen = Accumulation::default();
        let mut even = Accumulation::default();
        for n in 0..40 {
            seen.note(3, true, 2.0 * (1.0 - 0.7f64.powi(n)) / 0.3);
            even.note(3, true, f64::from(n));
            assert!(
                seen.at(2.0 * (1.0 - 0.7f64.powi(n + 1)) / 0.3).is_none(),
                "{n}"
            );
        }
        let (condition, at) = seen.at(7.0).unwrap();
        assert!(condition == 3 && (at - 2.0 / 0.3).abs() < 1e-5, "{at}");
        assert!(even.at(1e3).is_none());
    }

    /// The same impacts seen at multiples of 0.05 only.
    #[test]
    fn a_series_accumulates_on_a_grid() {
        let mut seen = Accumulation::coarse(0.05);
        let mut even = Accumulation::coarse(0.05);
        let mut last = 0.0;
        for n in 0..40 {
            let t = 2.0 * (1.0 - 0.7f64.powi(n)) / 0.3;
            let at = (t / 0.05).ceil() * 0.05;
            if n == 0 || at > last + 0.05 {
                seen.note(0, true, at);
                last = at;
            }
            even.note(0, true, f64::from(n) * 0.1);
        }
        let (_, at) = seen.at(8.0).unwrap();
        assert!((at - 2.0 / 0.3).abs() < 0.5, "{at}");
        assert!(even.at(1e3).is_none());
    }
}
