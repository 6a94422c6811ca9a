//! Functions with kinks or jumps that no event tells of (`noEvent`, `abs`, calls of functions).
//!
//! The Taylor polynomial of such a function says nothing of what is behind a kink: a derivative of friction keeps its sign, a distance
//! grows on the wrong side. So the function is looked up ahead, where the polynomials of what it reads will be when it is next evaluated and
//! half way there, as functions of time alone are (see `inputs.rs`). Where a derivative is not what its polynomial says, by more than moves its
//! state by what the coefficient left out may come to, the step ends at the kink, found by bisection; where a crossing function is on
//! the other side, its event is there.

use super::{Engine, seen};
use crate::model::QssModel;
use crate::taylor::value;

/// Places of a step that are looked at, from the end.
const PLACES: [f64; 2] = [1.0, 0.5];
/// Halvings of a step: the kink is then known to the rounding of the step.
const HALVINGS: u32 = 50;

impl<M: QssModel, const N: usize, const D: usize, const C: usize> Engine<'_, M, N, D, C> {
    /// When the first of these quantities has its next transition, but not after `until`.
    fn until_transition(&self, quantities: &[u32], t: f64, until: f64) -> f64 {
        let times = quantities.iter().map(|&k| self.nodes[k as usize].next);
        times.filter(|&next| next > t).fold(until, f64::min)
    }

    /// Derivative j at t + s, along the quantized states.
    fn derivative_ahead(&mut self, j: usize, t: f64, s: f64) -> f64 {
        self.stats.derivative_evaluations += 1;
        let range = self.links.record(j).reads;
        let count = range.len();
        for (slot, at) in self.inputs.iter_mut().zip(range) {
            *slot = self.nodes[self.links.item(at)].quantized(t + s);
        }
        let f = self.model.derivative(j, t + s, &self.inputs[..count]);
        if f[0].is_nan() {
            // Not defined there: no failure of the run unless it gets there.
            self.model.failure();
        }
        f[0]
    }

    /// The readers of a quantity have another derivative: those with kinks look ahead, now that it is known how long it lasts.
    #[inline]
    pub(super) fn heed_kinks_of_readers(&mut self, quantity: usize, t: f64) {
        if self.kinked {
            for at in self.links.record(quantity).feeds {
                self.heed_kinks(self.links.item(at), t);
            }
        }
    }

    /// State j steps before the next kink of its derivative. It looks no further than to the next transition of what the derivative reads: there it looks on.
    #[cold]
    pub(super) fn heed_kinks(&mut self, j: usize, t: f64) {
        let next = self.nodes[j].next;
        if !self.nodes[j].is_kinked() || next <= t {
            return;
        }
        let reads = self.structure.reads.row(j);
        let end = self.until_transition(reads, t, next.min(self.stop));
        let next = next.min(self.before_kink(j, t, end));
        self.nodes[j].next = next;
        let leaf = self.quantity_leaf(j);
        self.scheduler.set(leaf, next);
    }

    /// The next kink of derivative j before `end`, or infinity.
    fn before_kink(&mut self, j: usize, t: f64, end: f64) -> f64 {
        let f: [f64; N] = self.nodes[j].derivative(t);
        let quantum = self.nodes[j].quantum;
        let mut mismatch = |s: f64| {
            let off = (self.derivative_ahead(j, t, s) - value(&f, s)).abs();
            if off.is_nan() { 0.0 } else { off }
        };
        // The coefficient that is left out may move the state by a quantum: that is D times its share in the derivative.
        let bearable = D as f64 * quantum;
        let longest = end - t;
        let mut bad = None;
        for place in PLACES {
            let s = place * longest;
            let off = mismatch(s);
            if off * s > bearable {
                bad = Some((s, off));
            }
        }
        let Some((mut hi, mut off)) = bad else {
            return f64::INFINITY;
        };
        let mut lo = 0.0;
        for _ in 0..HALVINGS {
            if (hi - lo) * off <= quantum {
                break;
            }
            let mid = 0.5 * (lo + hi);
            let there = mismatch(mid);
            if there * mid > bearable {
                (hi, off) = (mid, there);
            } else {
                lo = mid;
            }
        }
        t + hi
    }

    /// Crossing function z at t + s, along the trajectories.
    fn crossing_ahead(&mut self, z: usize, t: f64, s: f64) -> f64 {
        self.stats.crossing_evaluations += 1;
        let reads = self.watches[z].reads(z, &self.structure.crossing_reads);
        let count = reads.len();
        for (slot, &quantity) in self.crossing_inputs.iter_mut().zip(reads) {
            *slot = seen::<N, D, C>(
                &self.nodes,
                self.couplings.as_ref(),
                quantity as usize,
                t + s,
            );
        }
        let g = self
            .model
            .crossing(z, t + s, &self.crossing_inputs[..count]);
        if g[0].is_nan() {
            self.model.failure();
        }
        g[0]
    }

    /// The event of crossing z, which is expected at `next`; before it if its function is on the other side before, behind a kink.
    #[cold]
    pub(super) fn crossing_before_kink(&mut self, z: usize, t: f64, next: f64) -> f64 {
        let (watch, control) = (self.watches[z], self.control);
        let reads = watch.reads(z, &self.structure.crossing_reads);
        let end = self.until_transition(reads, t, next.min(self.stop));
        let mut is_across = |s: f64| {
            let g = self.crossing_ahead(z, t, s);
            watch.detector.is_across(g, &control)
        };
        let mut across = None;
        for place in PLACES {
            let s = place * (end - t);
            if s > 0.0 && is_across(s) {
                across = Some(s);
            }
        }
        let Some(mut hi) = across else {
            return next;
        };
        let mut lo = 0.0;
        for _ in 0..HALVINGS {
            let mid = 0.5 * (lo + hi);
            if is_across(mid) {
                hi = mid;
            } else {
                lo = mid;
            }
        }
        next.min(t + hi)
    }
}
