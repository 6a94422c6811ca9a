//! The state of a run between two of its stages: all slots, and what the engine remembers besides.
//!
//! A run in stages (for checkpoints) ends each stage with a snapshot and begins the next one from it, with a fresh
//! solver. So a run that continues from a stored snapshot makes the very same computations as one that was never
//! interrupted.

use crate::problem::Problem;

/// See the module comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Start of the first stage: parameters and objects come from an initialization there.
    pub origin: f64,
    pub time: f64,
    pub slots: Vec<f64>,
    /// Histories of delayed signals, as the engine that wrote them understands them.
    pub memory: Vec<f64>,
}

impl Snapshot {
    /// Puts the state into an initialized problem.
    pub fn restore(&self, p: &mut Problem) {
        self.restore_slots(p);
        p.delays.load(&self.memory);
    }

    /// The same without the histories.
    pub fn restore_slots(&self, p: &mut Problem) {
        let n = self.slots.len().min(p.ev.slots.len());
        p.ev.slots[..n].copy_from_slice(&self.slots[..n]);
        p.ev.set_time(self.time);
    }
}
