//! The pair step of modified LIQSS: two states that drive each other to and fro step together.
//!
//! LIQSS sees a state's dependence on itself only. When the stiffness is in a pair (a large
//! current through a small inductance between two states), each state's step makes the other step
//! back, and both oscillate with tiny steps. Modified LIQSS (Di Pietro, Migoni, Kofman) looks ahead: if
//! the new q_i would change the direction of a neighbour j, and j's answer would change the direction
//! of i again, both are chosen together, by the same implicit formula with a 2×2 matrix.
//!
//! The couplings ∂ẋ_j/∂q_i are learned from the steps and stored beside the incidence lists: memory is
//! linear in incidences.

use crate::integrator::Node;
use crate::model::Structure;
use crate::quantizer::{Pair, first_order, linearly_implicit};

const NONE: u32 = u32::MAX;

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Couplings {
    /// ∂ẋ_j/∂q_i at the position of j in the list of i.
    value: Vec<f64>,
    /// Position of i in the list of j, if ẋ_i depends on q_j.
    back: Vec<u32>,
}

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
        }
    }

    pub fn learn(&mut self, at: usize, value: f64) {
        if value.is_finite() {
            self.value[at] = value;
        }
    }

    /// State i has chosen q_i alone (`old` is its node before). If a neighbour would jump back, both
    /// are chosen again together; returns the neighbour.
    pub fn pair_step<const N: usize, const D: usize>(
        &self,
        structure: &Structure,
        nodes: &mut [Node],
        (i, old): (usize, &Node),
        (t, horizon): (f64, f64),
    ) -> Option<usize> {
        let feeds = &structure.feeds;
        let before: [f64; N] = old.quantized(t);
        let own = nodes[i];
        let chosen: [f64; N] = own.quantized(t);
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
            if !turns(fj_old[top], fj_new[top]) {
                continue;
            }
            // The answer of j.
            let aj = nodes[j].slope;
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
            if !turns(fi[top], fi_answered[top]) {
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
            let Some((q, h)) = pair.choose(horizon) else {
                continue;
            };
            nodes[j].wake::<N, D>(t);
            let meet = if h < horizon { t + h } else { f64::INFINITY };
            for (state, q) in [(i, q[0]), (j, q[1])] {
                let node = &mut nodes[state];
                node.q[..N].copy_from_slice(&q);
                node.tq = t;
                node.meet = meet;
            }
            return Some(j);
        }
        None
    }
}

/// Does a derivative change its direction?
fn turns(old: f64, new: f64) -> bool {
    old * new < 0.0
}
