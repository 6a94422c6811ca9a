//! Asking the memory for what comes next.
//!
//! In a model that is larger than the cache nearly everything that a transition touches has to come from
//! memory, and each access would wait for the one before it. But what happens next is mostly known: the
//! winners of a level of the scheduler whose times are soonest. Of each the records are asked for, some
//! transitions ahead, that its number leads to; when these have come, what they lead to. These are hints only
//! and change no result.

use super::Engine;
use crate::memory::prefetch;
use crate::model::QssModel;

/// Readers of a quantity that are asked for.
const READERS: usize = 4;
/// Happenings between asking for the records and the happening itself, and between asking for what
/// they lead to and the happening.
const FAR: usize = 5;
const NEAR: usize = 2;
/// Happenings that are looked for at once: at least, and at most.
const FEW: usize = 8;
const MANY: usize = 32;

/// Happenings that are foreseen, in the order of their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Foresight {
    list: Vec<(f64, u32)>,
    /// The first one that is not past, of which nothing but the records is asked for, of which nothing is.
    next: usize,
    near: usize,
    far: usize,
    /// The list is complete up to this time; so much was looked through last.
    until: f64,
    window: f64,
}

impl<M: QssModel, const N: usize, const D: usize> Engine<'_, M, N, D> {
    /// Time t has come.
    #[inline]
    pub(super) fn look_ahead(&mut self, t: f64) {
        let Foresight { list, next, .. } = &mut self.foresight;
        while *next < list.len() && list[*next].0 <= t {
            *next += 1;
        }
        if self.foresight.next + FAR >= self.foresight.list.len() {
            self.foresee(t);
        }
        let last = self.foresight.list.len();
        let far = (self.foresight.next + FAR).min(last);
        for k in self.foresight.far..far {
            self.records_of(self.foresight.list[k].1 as usize);
        }
        let near = (self.foresight.next + NEAR).min(last);
        for k in self.foresight.near..near {
            self.surroundings_of(self.foresight.list[k].1 as usize);
        }
        self.foresight.far = far.max(self.foresight.far);
        self.foresight.near = near.max(self.foresight.near);
    }

    /// Looks for more happenings.
    fn foresee(&mut self, t: f64) {
        let f = &mut self.foresight;
        f.list.drain(..f.next);
        f.near = f.near.saturating_sub(f.next);
        f.far = f.far.saturating_sub(f.next);
        f.next = 0;
        if f.until < t || f.until.is_nan() {
            f.until = t;
        }
        if f.window.is_nan() || f.window <= 0.0 {
            f.window = self.stop - t;
        }
        let known = f.list.len();
        let from = f.until;
        loop {
            let until = from + f.window;
            self.scheduler.soon(from, until, MANY, &mut f.list);
            let found = f.list.len() - known;
            if found < MANY || until == from {
                if found < FEW {
                    f.window *= 1.5;
                }
                f.until = until;
                break;
            }
            // These need not be the soonest.
            f.list.truncate(known);
            f.window *= 0.5;
        }
        f.list[known..].sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// Of the thing that happens at a leaf, the records.
    #[inline]
    fn records_of(&self, leaf: usize) {
        let states = self.quantity_leaf(0);
        let timers = self.structure.timers;
        if leaf >= states {
            self.ahead(leaf - states);
        } else if leaf >= timers && leaf - timers < self.watches.len() {
            prefetch(&self.watches[leaf - timers]);
            self.model.event_ahead(leaf - timers);
        }
    }

    /// The same, what its records lead to.
    #[inline]
    fn surroundings_of(&self, leaf: usize) {
        let states = self.quantity_leaf(0);
        let timers = self.structure.timers;
        if leaf >= states {
            self.near(leaf - states);
        } else if leaf >= timers && leaf - timers < self.watches.len() {
            let z = leaf - timers;
            let reads = self.watches[z].reads(z, &self.structure.crossing_reads);
            for &quantity in reads.iter().take(READERS) {
                self.ahead(quantity as usize);
            }
            self.model.event_near(z);
        }
    }

    /// Records of quantity i.
    #[inline]
    fn ahead(&self, i: usize) {
        // A node has two cache lines.
        let node = &self.nodes[i];
        prefetch(&node.q);
        prefetch(&node.tx);
        self.links.prefetch(i);
        self.scheduler.prefetch(self.quantity_leaf(i));
        if i < self.structure.states {
            prefetch(&self.stats.per_state[i]);
            self.model.derivative_ahead(i);
        }
    }

    /// What the records of quantity i lead to.
    #[inline]
    fn near(&self, i: usize) {
        let links = self.links.record(i);
        for at in links.crossings {
            let z = self.links.item(at);
            prefetch(&self.watches[z]);
            self.scheduler.prefetch(self.crossing_leaf(z));
            self.model.crossing_ahead(z);
        }
        for at in links.feeds.take(READERS) {
            let j = self.links.item(at);
            if j != i {
                self.ahead(j);
            }
        }
    }
}
