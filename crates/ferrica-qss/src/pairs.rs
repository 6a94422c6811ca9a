//! The pair step of modified LIQSS: two states that drive each other to and fro step together.
//!
//! LIQSS sees a state's dependence on itself only. When the stiffness is in a pair (a large
//! current through a small inductance between two states), each state's step makes the other step
//! back, and both oscillate with tiny steps. Modified LIQSS (Di Pietro, Migoni, Kofman) looks ahead: if
//! the new q_i would change the direction of a neighbour j, and j's answer would change the direction
//! of i again, both are chosen together, by the same implicit formula with a 2×2 matrix.
//!
//! A stiff state steps together with a neighbour also where the two share one fast motion, as two currents do that meet in a diode that blocks: with
//! a_ij·a_ji near a_ii·a_jj each of them alone would follow the other one, and neither the slow motion that is left of the pair. As long as
//! they step together their difference is as small as the fast motion makes it, not as the quanta leave it. What conditions see of them is the slow motion
//! (see [`Couplings::seen`]), as of a single stiff state at rest: a blocked current times a resistance of a million must not be decided by what the quanta
//! leave of it.
//!
//! The couplings ∂ẋ_j/∂q_i are learned from the steps, and anew where an event has made another function of ẋ_j; they are stored beside the incidence
//! lists: memory is linear in incidences.

use crate::integrator::Node;
use crate::model::Structure;
use crate::quantizer::{Modes, Pair, STIFF, first_order, linearly_implicit};

const NONE: u32 = u32::MAX;
/// Part of the product of two states' own linear parts from which on that of their couplings makes a pair of them: if they followed
/// each other in turn, their distance from where they end up would become smaller by no more than this factor each time.
const TIGHT: f64 = 0.5;

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Couplings {
    /// ∂ẋ_j/∂q_i at the position of j in the list of i.
    value: Vec<f64>,
    /// Position of i in the list of j, if ẋ_i depends on q_j.
    back: Vec<u32>,
    /// Of each state, the pair that it is in.
    bonds: Vec<Bond>,
}

/// The fast motion that a state shares with another one, or both motions of the two, if both are.
#[derive(Clone, Copy, Debug)]
struct Bond {
    other: u32,
    /// Rows of ΣP and ΣP/λ over the fast motions, P their projections and λ their eigenvalues: for the state itself, and for the other one.
    share: [f64; 2],
    lag: [f64; 2],
}

const ALONE: Bond = Bond {
    other: NONE,
    share: [0.0; 2],
    lag: [0.0; 2],
};

impl Couplings {
    pub fn new(structure: &Structure) -> Couplings {
        let feeds = &structure.feeds;
        let mut back = vec![NONE; feeds.len()];
        for i in 0..structure.states {
            for at in feeds.range(i) {
                let j = feeds.item(at);
                if j != i {
                    // Lists are ascending.
                    let row = feeds.row(j);
                    if let Ok(k) = row.binary_search(&(i as u32)) {
                        back[at] = (feeds.range(j).start + k) as u32;
                    }
                }
            }
        }
        Couplings {
            value: vec![0.0; feeds.len()],
            back,
            bonds: vec![ALONE; structure.states],
        }
    }

    pub fn learn(&mut self, at: usize, value: f64) {
        if value.is_finite() {
            self.value[at] = value;
        }
    }

    /// Place of ∂ẋ_j/∂q_i, if state j depends on state i.
    pub fn place(structure: &Structure, i: usize, j: usize) -> Option<usize> {
        let row = structure.feeds.row(i);
        let place = row.binary_search(&(j as u32)).ok()?;
        Some(structure.feeds.range(i).start + place)
    }

    /// The couplings both ways at this place of the list of i, if they make a pair with one fast motion.
    fn tight(&self, at: usize, (own, other): (f64, f64)) -> bool {
        let back = self.back[at];
        if back == NONE {
            return false;
        }
        let loop_gain = self.value[at] * self.value[back as usize];
        own < 0.0 && other < 0.0 && loop_gain > TIGHT * own * other
    }

    /// Does state i share a fast motion with a neighbour?
    pub fn is_tight(&self, structure: &Structure, nodes: &[Node], i: usize) -> bool {
        let feeds = &structure.feeds;
        let slopes = |at: usize| (nodes[i].slope, nodes[feeds.item(at)].slope);
        feeds.range(i).any(|at| self.tight(at, slopes(at)))
    }

    /// Is this quantity a state in a pair?
    pub fn is_paired(&self, i: usize) -> bool {
        self.bonds.get(i).is_some_and(|b| b.other != NONE)
    }

    /// State i steps alone: its pair, if it is in one, is no more.
    pub fn part(&mut self, i: usize) {
        let other = std::mem::replace(&mut self.bonds[i], ALONE).other;
        if other != NONE {
            self.bonds[other as usize] = ALONE;
        }
    }

    /// States i and j have stepped together, by a step of length h.
    fn bind(&mut self, (i, j): (usize, usize), modes: &Modes, h: f64) {
        self.part(i);
        self.part(j);
        for (state, other, own) in [(i, j, 0), (j, i, 1)] {
            let fast = modes.projection[own];
            let mut bond = Bond {
                other: other as u32,
                share: fast,
                lag: fast.map(|p| p / modes.fast),
            };
            if -modes.slow * h > STIFF {
                for (k, p) in fast.into_iter().enumerate() {
                    let rest = if k == own { 1.0 - p } else { -p };
                    bond.share[k] += rest;
                    bond.lag[k] += rest / modes.slow;
                }
            }
            if own == 1 {
                bond.share.swap(0, 1);
                bond.lag.swap(0, 1);
            }
            self.bonds[state] = bond;
        }
    }

    /// What conditions see of a state in a pair: with ẋ = A·q + u, a fast motion comes to an end where P·(A·y + u − q') = 0, P the projection on it and λ
    /// its eigenvalue, that is y = x − P·(x − q + (ẋ − q')/λ). The exact solution is there after a time 1/|λ| that nobody resolves.
    #[inline]
    pub fn seen<const N: usize, const D: usize>(
        &self,
        nodes: &[Node],
        i: usize,
        t: f64,
    ) -> Option<[f64; D]> {
        let bond = self.bonds.get(i).filter(|b| b.other != NONE)?;
        let mut y: [f64; D] = nodes[i].trajectory(t);
        for (state, own) in [(i, 0), (bond.other as usize, 1)] {
            let (node, share, lag) = (&nodes[state], bond.share[own], bond.lag[own]);
            let x: [f64; D] = node.trajectory(t);
            let (f, q): ([f64; N], [f64; N]) = (node.derivative(t), node.quantized(t));
            for k in 0..D {
                y[k] -= share * x[k];
            }
            for k in 0..N {
                let moves = if k + 1 < N {
                    (k + 1) as f64 * q[k + 1]
                } else {
                    0.0
                };
                y[k] += share * q[k] - lag * (f[k] - moves);
            }
        }
        Some(y)
    }

    /// An event that has been found on what is seen of a pair may end its fast motion: then x is what has been seen, within the quantum, of it and of its
    /// partner. Otherwise the rest of a motion that is over would decide the condition back. A sum that both states conserve is not changed by their fast
    /// motion; those that may be part of a larger one are left where they are.
    pub fn come_to_rest<const N: usize, const D: usize>(
        &self,
        nodes: &mut [Node],
        i: usize,
        t: f64,
    ) {
        let Some(bond) = self.bonds.get(i).filter(|b| b.other != NONE) else {
            return;
        };
        let pair = [i, bond.other as usize];
        let seen = pair.map(|state| self.seen::<N, D>(nodes, state, t));
        let ([Some(one), Some(other)], true) = (seen, pair.iter().all(|&k| nodes[k].may_follow()))
        else {
            return;
        };
        let seen = [one[0], other[0]];
        for state in pair {
            nodes[state].advance::<D>(t);
        }
        let near =
            |(&state, y): (&usize, f64)| (y - nodes[state].x[0]).abs() <= nodes[state].quantum;
        if pair.iter().zip(seen).all(near) {
            for (state, y) in pair.into_iter().zip(seen) {
                nodes[state].x[0] = y;
            }
        }
    }

    /// State i has chosen q_i alone (`old` is its node before). If a neighbour would jump back, both
    /// are chosen again together; returns the neighbour.
    pub fn pair_step<const N: usize, const D: usize>(
        &mut self,
        structure: &Structure,
        nodes: &mut [Node],
        (i, old): (usize, &Node),
        (t, horizon): (f64, f64),
    ) -> Option<usize> {
        let feeds = &structure.feeds;
        let before: [f64; N] = old.quantized(t);
        let own = nodes[i];
        let chosen: [f64; N] = own.quantized(t);
        let stiff = own.chose_stiffly::<N>();
        for at in feeds.range(i) {
            let back = self.back[at];
            if back == NONE {
                continue;
            }
            let (to_j, to_i) = (self.value[at], self.value[back as usize]);
            if to_j * to_i == 0.0 {
                continue;
            }
            let j = feeds.item(at);
            // Derivative of j before and after the step of i, as polynomials.
            let xj: [f64; D] = nodes[j].trajectory(t);
            let qj: [f64; N] = nodes[j].quantized(t);
            let fj_old: [f64; N] = nodes[j].derivative(t);
            let mut fj_new = [0.0; N];
            for k in 0..N {
                fj_new[k] = fj_old[k] + to_j * (chosen[k] - before[k]);
            }
            let top = N - 1;
            let aj = nodes[j].slope;
            let tight = stiff && self.tight(at, (old.slope, aj));
            if !tight && !turns(fj_old[top], fj_new[top]) {
                continue;
            }
            // The answer of j.
            let quantum_j = nodes[j].quantum;
            let mut uj = [0.0; N];
            for k in 0..N {
                uj[k] = fj_new[k] - aj * qj[k];
            }
            let answer: [f64; N] = if N == 1 {
                let mut q = [0.0; N];
                q[0] = first_order(xj[0], aj, uj[0], quantum_j, 1.0).q[0];
                q
            } else {
                linearly_implicit::<N>(xj[0], aj, &uj, quantum_j).q
            };
            // What it does to i.
            let ai = old.slope;
            let mut fi = [0.0; N];
            let mut fi_answered = [0.0; N];
            for k in 0..N {
                fi[k] = (k + 1) as f64 * own.x[k + 1] + ai * (chosen[k] - before[k]);
                fi_answered[k] = fi[k] + to_i * (answer[k] - qj[k]);
            }
            if !tight && !turns(fi[top], fi_answered[top]) {
                continue;
            }
            let mut u = [[0.0; N]; 2];
            for k in 0..N {
                u[0][k] = (k + 1) as f64 * own.x[k + 1] - ai * before[k] - to_i * qj[k];
                u[1][k] = fj_old[k] - to_j * before[k] - aj * qj[k];
            }
            let pair = Pair {
                x: [own.x[0], xj[0]],
                a: [[ai, to_i], [to_j, aj]],
                u,
                quantum: [own.quantum, quantum_j],
            };
            let modes = if tight { Modes::of(&pair.a) } else { None };
            let Some((q, h)) = pair.choose(horizon, modes.as_ref()) else {
                continue;
            };
            nodes[j].wake::<N, D>(t);
            if let Some(modes) = &modes {
                self.bind((i, j), modes, h);
            } else {
                self.part(i);
                self.part(j);
            }
            let meet = if h < horizon { t + h } else { f64::INFINITY };
            for (state, q) in [(i, q[0]), (j, q[1])] {
                let node = &mut nodes[state];
                node.q[..N].copy_from_slice(&q);
                node.tq = t;
                node.meet = meet;
            }
            return Some(j);
        }
        self.part(i);
        None
    }
}

/// Does a derivative change its direction?
fn turns(old: f64, new: f64) -> bool {
    old * new < 0.0
}
