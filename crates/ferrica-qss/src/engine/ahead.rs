//! Asking the memory for what comes next.
//!
//! In a model that is larger than the cache nearly everything that a transition touches has to come from
//! memory, and each access would wait for the one before it. But what happens next is mostly known: what the
//! scheduler has soonest. Of each the records are asked for, some transitions ahead, that its number leads
//! to; when these have come, what they lead to. What has happened a short while ago is in the cache still and
//! not asked for; where that is true of most, there is a rest. These are hints only and change no result.

use super::Engine;
use crate::model::QssModel;
use ferrica_codegen::lists::prefetch;

/// Readers of a quantity that are asked for.
const READERS: usize = 4;
/// Happenings between asking for the records of one and the one itself, between asking for what they lead
/// to and the one, and, if it is a crossing, between asking for what that leads to and the one.
const DISTANCES: [usize; 3] = [7, 4, 2];
/// Happenings that are looked for at once, at least.
const FEW: usize = 16;

/// Happenings that are remembered: the records of so many fill a cache.
const RECENT: usize = 2048;
/// Happenings of a rest, and of a short one where too many things happen at once.
const REST: u32 = 64;
const PAUSE: u32 = 8;

/// Happenings that are foreseen, in the order of their times.
#[derive(Clone, Debug, Default)]
pub(super) struct Foresight {
    list: Vec<(f64, u32)>,
    /// The first one that is not past.
    next: usize,
    /// The first one of which the records are not asked for, and so on.
    asked: [usize; 3],
    /// The list is complete up to this time; so much was looked through last.
    until: f64,
    window: f64,
    /// Leaves of late, each in the place that its number has.
    recent: Vec<u32>,
    rest: u32,
}

impl Foresight {
    pub fn new(large: bool) -> Foresight {
        Foresight {
            recent: if large {
                vec![u32::MAX; RECENT]
            } else {
                Vec::new()
            },
            ..Foresight::default()
        }
    }
}

impl<M: QssModel, const N: usize, const D: usize, const C: usize> Engine<'_, M, N, D, C> {
    /// The happening at a leaf has come, and with it time t.
    #[inline]
    pub(super) fn look_ahead(&mut self, leaf: usize, t: f64) {
        self.foresight.recent[leaf % RECENT] = leaf as u32;
        if self.foresight.rest > 0 {
            self.foresight.rest -= 1;
            return;
        }
        let Foresight { list, next, .. } = &mut self.foresight;
        while *next < list.len() && list[*next].0 <= t {
            *next += 1;
        }
        if self.foresight.next + DISTANCES[0] >= self.foresight.list.len() {
            self.foresee(t);
        }
        for (stage, distance) in DISTANCES.into_iter().enumerate() {
            let f = &self.foresight;
            let end = (f.next + distance).min(f.list.len());
            for k in f.asked[stage]..end {
                self.ask(stage, f.list[k].1 as usize);
            }
            self.foresight.asked[stage] = end.max(self.foresight.asked[stage]);
        }
    }

    /// Looks for more happenings.
    fn foresee(&mut self, t: f64) {
        let f = &mut self.foresight;
        f.list.drain(..f.next);
        f.asked = f.asked.map(|k| k.saturating_sub(f.next));
        f.next = 0;
        if f.until < t || f.until.is_nan() {
            f.until = t;
        }
        if f.window.is_nan() || f.window <= 0.0 {
            f.window = self.stop - t;
        }
        let known = f.list.len();
        let from = f.until;
        let until = from + f.window;
        if !self.scheduler.soon(from, until, &mut f.list) {
            f.window *= 0.5;
            f.rest = PAUSE;
            return;
        }
        f.until = until;
        let found = f.list.len() - known;
        if found < FEW / 4 {
            f.window *= 4.0;
        } else if found < FEW {
            f.window *= 1.5;
        }
        let mut kept = known;
        for k in known..f.list.len() {
            let leaf = f.list[k].1;
            if f.recent[leaf as usize % RECENT] != leaf {
                f.list[kept] = f.list[k];
                kept += 1;
            }
        }
        f.list.truncate(kept);
        if 4 * (kept - known) < found.max(FEW / 2) {
            f.rest = REST;
        }
        f.list[known..].sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// Asks for what the happening at a leaf touches.
    #[inline]
    fn ask(&self, stage: usize, leaf: usize) {
        let states = self.quantity_leaf(0);
        if leaf >= states {
            match stage {
                0 => self.ahead(leaf - states),
                1 => self.near(leaf - states),
                _ => {}
            }
            return;
        }
        let Some(z) = leaf.checked_sub(self.structure.timers) else {
            return;
        };
        if z >= self.watches.len() {
            return;
        }
        if stage == 0 {
            prefetch(&self.watches[z]);
            self.model.event_ahead(z);
            return;
        }
        let reads = self.watches[z].reads(z, &self.structure.crossing_reads);
        for &quantity in reads.iter().take(READERS) {
            let i = quantity as usize;
            if stage == 1 {
                self.ahead(i);
                if let Some(stamp) = self.derivative_stamp.get(i) {
                    prefetch(stamp);
                }
            } else {
                self.near(i);
            }
        }
        if stage == 1 {
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
