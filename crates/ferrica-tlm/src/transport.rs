//! How numbers reach other ranks of a run: one small trait, with channels inside of a process and MPI behind it.
//!
//! A rank is one of several processes (or, with channels, threads) that each run a share of the clusters of a plan.
//! Messages between two ranks arrive in the order in which they were sent.

use std::sync::mpsc::{Receiver, Sender, channel};

/// Where a rank runs, for messages about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub host: String,
    pub process: u32,
}

/// See the module comment.
pub trait Transport: Send {
    fn rank(&self) -> usize;
    fn size(&self) -> usize;
    /// Hands a message over and does not wait for it to arrive.
    fn send(&mut self, to: usize, message: Vec<f64>);
    /// A message that has arrived, if there is one.
    fn receive(&mut self) -> Option<Vec<f64>>;
    /// Waits until all that was sent is on its way, or somebody gives up: a rank that has died takes nothing more.
    fn flush(&mut self, give_up: &mut dyn FnMut() -> bool);
    /// Where the ranks are, if that is known.
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }
}

/// Ranks as threads of one process.
pub struct Channels {
    rank: usize,
    to: Vec<Sender<Vec<f64>>>,
    from: Receiver<Vec<f64>>,
}

/// As many connected ranks.
pub fn channels(size: usize) -> Vec<Channels> {
    let (to, from): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    (from.into_iter().enumerate())
        .map(|(rank, from)| Channels {
            rank,
            to: to.clone(),
            from,
        })
        .collect()
}

impl Transport for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, message: Vec<f64>) {
        // A rank that has ended needs nothing any more.
        let _ = self.to[to].send(message);
    }

    fn receive(&mut self) -> Option<Vec<f64>> {
        self.from.try_recv().ok()
    }

    fn flush(&mut self, _give_up: &mut dyn FnMut() -> bool) {}
}
