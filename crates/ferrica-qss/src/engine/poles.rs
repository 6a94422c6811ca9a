//! Quantized states keep off the poles of what reads them.
//!
//! A saturation x/(K + x) has a pole at −K. Where K is less than the quantum, the quantum leaves uncertain on which side of the pole x is; behind it the
//! derivative drives x away for ever, and no coefficient of its polynomial tells. So before a state chooses, its quantum becomes so fine that no reader
//! has a pole within [`AWAY`] quanta of it; and its step ends before it has come so near to one.
//!
//! A divisor may vanish where the derivative does not: v/(1 − exp(−v)), the rate of an ion channel, is 1 at v = 0. There is nothing to keep off, and the state passes. Where the
//! derivative is nearly affine across such a place, it is taken for one (see [`AFFINE`]).

use ferrica_codegen::interval::Interval;

use super::Engine;
use crate::model::QssModel;
use crate::taylor::value;

/// Quanta that a state keeps from the poles of its readers.
const AWAY: f64 = 2.0;
/// Halvings of a quantum and of a step. What is nearer than that to a pole is meant to be there.
const HALVINGS: u32 = 20;

/// Where a derivative at [`SAMPLES`], in parts of [`AWAY`] quanta, is on the line through the outer ones but for this part of its change, its pole is removable.
const AFFINE: f64 = 0.1;
const SAMPLES: [f64; 4] = [-0.5, -0.1, 0.1, 0.5];
/// What rounding may change of a derivative near a removable pole.
const NOISE: f64 = 1e-9;

/// How far ahead poles are looked for, in planned steps: when what it reads makes transitions, a state may step later than planned.
const LONGER: f64 = 4.0;

/// Values of a polynomial of degree two at most from now to s, and so much around them.
fn hull<const N: usize>(c: &[f64; N], s: f64, around: f64) -> Interval {
    let (first, last) = (c[0], value(c, s));
    let (mut lo, mut hi) = (first.min(last), first.max(last));
    if N > 2 && c[2] != 0.0 {
        let turn = -0.5 * c[1] / c[2];
        if turn > 0.0 && turn < s {
            let there = value(c, turn);
            (lo, hi) = (lo.min(there), hi.max(there));
        }
    }
    Interval {
        lo: lo - around,
        hi: hi + around,
    }
}

impl<M: QssModel, const N: usize, const D: usize, const C: usize> Engine<'_, M, N, D, C> {
    /// Before state i chooses: its quantum becomes fine enough for its readers.
    #[inline]
    pub(super) fn keep_off_poles(&mut self, i: usize, t: f64) {
        if !self.poles {
            return;
        }
        for at in self.links.record(i).feeds {
            let j = self.links.item(at);
            if self.model.has_poles(j) {
                self.keep_off_poles_of(j, i, t);
            }
        }
    }

    /// The same for those that have stepped together with state i and may do so again.
    pub(super) fn keep_group_off_poles(&mut self, i: usize, t: f64) {
        if !self.poles {
            return;
        }
        let members = self.couplings.as_ref().map(|c| c.members(i).to_vec());
        for member in members.unwrap_or_default() {
            let k = member as usize;
            if k != i {
                self.keep_off_poles(k, t);
                self.nodes[k].renew_quantum(&self.control);
            }
        }
    }

    fn keep_off_poles_of(&mut self, j: usize, i: usize, t: f64) {
        let x = self.nodes[i].integrated::<N, D>(t);
        let mut quantum = self.nodes[i].quantum;
        if self.nodes[i].octaves_finer() >= f64::from(HALVINGS) {
            return;
        }
        for halving in 0..=HALVINGS {
            let around = AWAY * quantum;
            let own = Interval {
                lo: x - around,
                hi: x + around,
            };
            if !self.pole(j, (t, 0.0), (i, Some(own))) {
                if halving > 0 {
                    // Half an octave more: the quantum grows back by as much until the next look.
                    let times = f64::from(halving) + 0.5;
                    self.nodes[i].refine(times.exp2());
                }
                return;
            }
            if halving == 0 && self.is_removable(j, i, t) {
                return;
            }
            quantum *= 0.5;
        }
    }

    /// The step of state i, which is planned, ends before one of its readers comes near to a pole.
    #[inline]
    pub(super) fn end_before_poles(&mut self, i: usize, t: f64) {
        if !self.poles || self.nodes[i].next <= t {
            return;
        }
        for at in self.links.record(i).feeds {
            let j = self.links.item(at);
            if self.model.has_poles(j) {
                self.end_before_poles_of(j, i, t);
            }
        }
    }

    fn end_before_poles_of(&mut self, j: usize, i: usize, t: f64) {
        let planned = self.nodes[i].next - t;
        let mut s = (LONGER * planned).min(self.stop - t);
        let finest = self.nodes[i].octaves_finer() >= f64::from(HALVINGS);
        if s <= 0.0 || finest || self.pole(j, (t, 0.0), (i, None)) {
            return;
        }
        if self.pole(j, (t, s), (i, None)) && self.is_near_removable(j, i, t) {
            return;
        }
        for _ in 0..HALVINGS {
            if !self.pole(j, (t, s), (i, None)) {
                break;
            }
            s *= 0.5;
        }
        // Until then, whatever becomes of the derivative.
        if t + s < self.nodes[i].meet {
            self.nodes[i].meet = t + s;
        }
        if s < planned {
            self.nodes[i].next = t + s;
            let leaf = self.quantity_leaf(i);
            self.scheduler.set(leaf, t + s);
        }
    }

    /// Is a divisor of derivative j that vanishes within [`AWAY`] quanta of state i no pole?
    fn is_near_removable(&mut self, j: usize, i: usize, t: f64) -> bool {
        let (x, around) = (
            self.nodes[i].integrated::<N, D>(t),
            AWAY * self.nodes[i].quantum,
        );
        let own = Interval {
            lo: x - around,
            hi: x + around,
        };
        self.pole(j, (t, 0.0), (i, Some(own))) && self.is_removable(j, i, t)
    }

    /// Is derivative j nearly affine in state i, within [`AWAY`] quanta of it?
    #[cold]
    fn is_removable(&mut self, j: usize, i: usize, t: f64) -> bool {
        let x = self.nodes[i].integrated::<N, D>(t);
        let around = AWAY * self.nodes[i].quantum;
        let range = self.links.record(j).reads;
        let (first, count) = (range.start, range.len());
        let own = range.clone().find(|&at| self.links.item(at) == i);
        let Some(own) = own.map(|at| at - first) else {
            return false;
        };
        for (slot, at) in self.inputs.iter_mut().zip(range) {
            *slot = self.nodes[self.links.item(at)].quantized(t);
        }
        let mut at = |part: f64| {
            self.inputs[own][0] = x + part * around;
            let f = self.model.derivative(j, t, &self.inputs[..count])[0];
            if !f.is_finite() {
                // No failure of the run: another place was tried.
                let _ = self.model.failure();
            }
            f
        };
        let (low, high) = (at(-1.0), at(1.0));
        let (middle, slope) = (0.5 * (low + high), 0.5 * (high - low));
        let most = AFFINE * slope.abs() + NOISE * low.abs().max(high.abs());
        SAMPLES
            .iter()
            .all(|&part| (at(part) - (middle + part * slope)).abs() <= most)
    }

    /// May derivative j have a pole between t and t + s, along the quantized states, within a quantum of them? Others than state i are followed until their
    /// next transitions; it may itself be elsewhere.
    fn pole(
        &mut self,
        j: usize,
        (t, s): (f64, f64),
        (i, elsewhere): (usize, Option<Interval>),
    ) -> bool {
        self.boxes.clear();
        for at in self.links.record(j).reads {
            let k = self.links.item(at);
            let node = &self.nodes[k];
            let along = |s: f64| hull::<N>(&node.quantized(t), s, node.quantum);
            self.boxes.push(if k == i {
                elsewhere.unwrap_or_else(|| along(s))
            } else {
                along(s.min(node.next - t).max(0.0))
            });
        }
        self.model.has_pole_within(j, t, &self.boxes)
    }
}
