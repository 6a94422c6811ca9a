//! What a run is asked for, and what it has cost.

use crate::quantizer::Method;

/// First absolute quantum of a state of unknown size, as a part of the later one.
pub const UNSCALED: f64 = 1e-3;

/// What a run may cost to be preferred to a method that evaluates the whole model at each event, in evaluations of single derivatives and conditions: so much at first, and
/// so much more for each instant with events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    pub first: f64,
    pub each_event: f64,
}

impl Worth {
    /// Is so much work after so many instants with events too much?
    pub fn is_spent(&self, stats: &QssStats) -> bool {
        let work = stats.derivative_evaluations + stats.crossing_evaluations + stats.input_updates;
        work as f64 > self.first + self.each_event * stats.events as f64
    }
}

#[derive(Clone, Debug)]
pub struct Settings {
    pub method: Method,
    pub relative: f64,
    pub absolute: f64,
    pub start: f64,
    pub stop: f64,
    /// Absolute quantum floor of single states: (state, value).
    pub overrides: Vec<(usize, f64)>,
    /// States of unknown size: their absolute quantum begins at [`UNSCALED`] of the given one and grows
    /// with the values.
    pub unscaled: Vec<usize>,
    /// Give up after so many transitions (0: never).
    pub max_transitions: u64,
    /// End the run (E0620) when it costs more than this.
    pub worth: Option<Worth>,
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
            unscaled: Vec::new(),
            max_transitions: 0,
            worth: None,
        }
    }

    /// Smallest quantum of each quantity at first, and when its values have been large.
    pub(crate) fn floors(&self, quantities: usize) -> Vec<(f64, f64)> {
        let mut floor = vec![(self.absolute, self.absolute); quantities];
        for &state in &self.unscaled {
            if let Some(f) = floor.get_mut(state) {
                f.0 *= UNSCALED;
            }
        }
        for &(state, value) in &self.overrides {
            if let Some(f) = floor.get_mut(state) {
                *f = (value, value);
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

/// Where the largest counters are, the largest first, the first of equal ones first; zeros do not count.
pub fn busiest(counts: &[u64], most: usize) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    for (k, &c) in counts.iter().enumerate() {
        if c == 0 || (best.len() == most && best.last().is_some_and(|&b| counts[b] >= c)) {
            continue;
        }
        let at = best.partition_point(|&b| counts[b] >= c);
        best.insert(at, k);
        best.truncate(most);
    }
    best
}
