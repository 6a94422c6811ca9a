//! Events that accumulate: the intervals between the events of a condition shrink like a geometric series (a bouncing ball), so that infinitely
//! many of them lie before a finite time. Behind that time the model says nothing; numerically the last ones are lost in the
//! accuracy with which a zero is located, and the condition stays on one side.
//!
//! In: the state events of each condition. Out: the time at which they accumulate, once the run is behind it and the events that had to come
//! did not come although the condition's zero function moves on.

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
/// What is left of the series must be short beside the time of its events: others are pulses that have ended.
const NEARLY_OVER: f64 = 1e-3;

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
#[derive(Clone, Debug, Default)]
pub struct Accumulation {
    /// Of each condition, for its changes to false and to true.
    series: Vec<[Option<Series>; 2]>,
    /// Condition with a series that may accumulate, and from when on it is overdue.
    watched: Option<(usize, f64, f64)>,
}

impl Accumulation {
    /// Condition `k` has changed to `memory` at `t`.
    pub fn note(&mut self, k: usize, memory: bool, t: f64) {
        if self.series.len() <= k {
            self.series.resize(k + 1, [None; 2]);
        }
        let place = &mut self.series[k][usize::from(memory)];
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
        let steady = s.shrinking == 0 || (ratio - s.ratio).abs() <= STEADY * s.ratio;
        if interval > 0.0 && ratio > 0.0 && ratio <= SHRINKING && steady {
            s.shrinking += 1;
        } else {
            s.shrinking = 0;
            s.first = s.last;
        }
        (s.last, s.interval, s.ratio) = (t, interval, ratio);
        let rest = interval * ratio / (1.0 - ratio);
        if s.shrinking >= INTERVALS && rest <= NEARLY_OVER * (t - s.first) {
            let at = t + rest;
            self.watched = Some((k, at, at + OVERDUE * interval));
        } else if self.watched.is_some_and(|w| w.0 == k) {
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
}
