//! The steps of modified LIQSS: states that drive each other step together.
//!
//! LIQSS sees a state's dependence on itself only. When the stiffness is in a pair (a large
//! current through a small inductance between two states), each state's step makes the other step
//! back, and both oscillate with tiny steps. Modified LIQSS (Di Pietro, Migoni, Kofman) looks ahead: if
//! the new q_i would change the direction of a neighbour j, and j's answer would change the direction
//! of i again, both are chosen together, by the same implicit formula with a matrix (see `together.rs`).
//!
//! A stiff state steps together with others also where they share fast motions: on a cycle i → j → … → i of dependence whose loop gain, the product of
//! |∂ẋ_j/∂q_i| / |∂ẋ_j/∂q_j|, is above [`LOOP`]. Alone, each of them would follow the other ones and come to rest there, and nobody would follow
//! the slow motion that is left of the group. Two currents that meet in a diode that blocks are such a group, three currents that meet in a node, species in a fast
//! equilibrium. All cycles that pass through a member belong to the group, up to [`MOST`] states.
//!
//! What conditions see of a group is where its fast motions end (see [`Couplings::seen`]), as of a single stiff state at rest: a blocked current times a
//! resistance of a million must not be decided by what the quanta leave of it.
//!
//! The couplings ∂ẋ_j/∂q_i are learned from the steps, and anew where an event has made another function of ẋ_j; they are stored beside the incidence
//! lists: memory is linear in incidences.

use crate::integrator::Node;
use crate::model::Structure;
use crate::quantizer::{first_order, linearly_implicit};
use crate::together::{Ends, Pole, Together, poles};

const NONE: u32 = u32::MAX;
/// Loop gain from which on a cycle makes a group: states that follow each other in turn come nearer to where they end up by no more than this factor
/// each time round. That of neighbours in a chain is a quarter.
const LOOP: f64 = 0.2;
/// States on a cycle that is looked for, members of a group, and couplings that are looked at from one member.
const LONGEST: usize = 4;
const MOST: usize = 16;
const LOOKED_AT: usize = 256;
/// Quanta that x may be away from where its fast motions end, to be put there at an event: x and that place are both within a quantum of q.
const NEAR: f64 = 2.0;
/// Gain of a path, in quanta, below which it is not followed further.
const FAINT: f64 = 1e-3;

/// See the module comment.
#[derive(Clone, Debug)]
pub struct Couplings {
    /// ∂ẋ_j/∂q_i at the position of j in the list of i.
    value: Vec<f64>,
    /// Of each state, the group that it is in.
    group_of: Vec<u32>,
    groups: Vec<Group>,
    /// Groups that are no more.
    free: Vec<u32>,
    poles: Vec<Pole>,
}

/// States that have stepped together and share fast motions.
#[derive(Clone, Debug, Default)]
struct Group {
    members: Vec<u32>,
    ends: Option<Ends>,
}

impl Couplings {
    pub fn new(structure: &Structure, order: usize) -> Couplings {
        Couplings {
            value: vec![0.0; structure.feeds.len()],
            group_of: vec![NONE; structure.states],
            groups: Vec::new(),
            free: Vec::new(),
            poles: poles(order),
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

    /// ∂ẋ_j/∂q_i for two states.
    fn between(&self, structure: &Structure, i: usize, j: usize) -> f64 {
        Couplings::place(structure, i, j).map_or(0.0, |at| self.value[at])
    }

    /// The group of a stiff state with others, if it shares fast motions with any.
    fn gather(&self, structure: &Structure, nodes: &[Node], i: usize) -> Vec<u32> {
        let mut members = vec![i as u32];
        let mut next = 0;
        while next < members.len() {
            let mut search = Search {
                couplings: self,
                structure,
                nodes,
                members: &mut members,
                path: Vec::new(),
                left: LOOKED_AT,
            };
            let from = search.members[next] as usize;
            search.path.push(from as u32);
            search.follow(from, 1.0);
            next += 1;
        }
        members.sort_unstable();
        members
    }

    /// Does state i share a fast motion with others?
    pub fn is_tight(&self, structure: &Structure, nodes: &[Node], i: usize) -> bool {
        self.gather(structure, nodes, i).len() > 1
    }

    fn group(&self, i: usize) -> Option<(&Group, usize)> {
        let group = *self.group_of.get(i).filter(|&&g| g != NONE)?;
        let group = &self.groups[group as usize];
        let own = group.members.binary_search(&(i as u32)).ok()?;
        Some((group, own))
    }

    pub fn is_member(&self, i: usize) -> bool {
        self.group_of[i] != NONE
    }

    /// The states that have stepped together with i.
    pub fn members(&self, i: usize) -> &[u32] {
        self.group(i).map_or(&[], |(group, _)| &group.members)
    }

    /// The group of state i, if it is in one, is no more.
    pub fn part(&mut self, i: usize) {
        let group = self.group_of[i];
        if group != NONE {
            for member in std::mem::take(&mut self.groups[group as usize].members) {
                self.group_of[member as usize] = NONE;
            }
            self.free.push(group);
        }
    }

    /// These states have stepped together.
    fn bind(&mut self, members: &[u32], ends: Option<Ends>) {
        for &member in members {
            self.part(member as usize);
        }
        let group = self.free.pop().unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() as u32 - 1
        });
        for &member in members {
            self.group_of[member as usize] = group;
        }
        self.groups[group as usize] = Group {
            members: members.to_vec(),
            ends,
        };
    }

    /// What conditions see of a state in a group: with ẋ = A·q + u, a fast motion comes to an end where F·(A·y + u − q') = 0, F the projection on it, that
    /// is y = x − F·(x − q) − F·A⁻¹·(ẋ − q'). The exact solution is there after a time that nobody resolves.
    #[inline]
    pub fn seen<const N: usize, const D: usize, const C: usize>(
        &self,
        nodes: &[Node],
        i: usize,
        t: f64,
    ) -> Option<[f64; C]> {
        let (group, own) = self.group(i)?;
        let ends = group.ends.as_ref()?;
        let row = own * group.members.len();
        let mut y: [f64; C] = nodes[i].whole::<D, C>(t);
        for (place, &state) in group.members.iter().enumerate() {
            let (share, lag) = (ends.share[row + place], ends.lag[row + place]);
            let node = &nodes[state as usize];
            let x: [f64; C] = node.whole::<D, C>(t);
            let (f, q): ([f64; N], [f64; N]) = (node.derivative(t), node.quantized(t));
            for (y, x) in y.iter_mut().zip(&x) {
                *y -= share * x;
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

    /// What the quanta leave uncertain of what conditions see of a quantity, at most.
    pub fn uncertainty(&self, nodes: &[Node], i: usize) -> f64 {
        self.errors(i, |left, k| left.abs() * nodes[k].quantum)
    }

    /// The same where the error of state k is `side(k)` times its quantum.
    pub(crate) fn uncertain(&self, nodes: &[Node], i: usize, side: impl Fn(usize) -> f64) -> f64 {
        self.errors(i, |left, k| left * nodes[k].quantum * side(k))
    }

    /// Sum over all states of what is left of their errors, with the matrix 1 − F.
    fn errors(&self, i: usize, error: impl Fn(f64, usize) -> f64) -> f64 {
        let Some((group, own)) = self.group(i) else {
            return error(1.0, i);
        };
        let Some(ends) = &group.ends else {
            return error(1.0, i);
        };
        let row = &ends.share[own * group.members.len()..][..group.members.len()];
        let each = group.members.iter().zip(row).enumerate();
        each.map(|(place, (&state, share))| {
            let one = if place == own { 1.0 } else { 0.0 };
            error(one - share, state as usize)
        })
        .sum()
    }

    /// An event that has been found on what is seen of a group may end its fast motions: then x is what has been seen, within two quanta, of all
    /// members. Otherwise the rest of a motion that is over would decide the condition back. A sum that the members conserve is not changed by their fast
    /// motions; one that others are part of too is changed by no more than the quanta leave uncertain.
    pub fn come_to_rest<const N: usize, const D: usize>(
        &self,
        nodes: &mut [Node],
        i: usize,
        t: f64,
    ) {
        let Some((group, _)) = self.group(i) else {
            return;
        };
        let mut ends = Vec::with_capacity(group.members.len());
        for &state in &group.members {
            let node = &nodes[state as usize];
            let Some(y) = self.seen::<N, D, D>(nodes, state as usize, t) else {
                return;
            };
            let away = (y[0] - node.whole::<D, D>(t)[0]).abs();
            if away > NEAR * node.quantum {
                return;
            }
            ends.push(y[0]);
        }
        for (&state, y) in group.members.iter().zip(ends) {
            nodes[state as usize].advance::<D>(t);
            nodes[state as usize].x[0] = y;
        }
    }

    /// State i has chosen q_i alone (`old` is its node before). If it is stiff and shares fast motions with others, or if a neighbour would jump back, all of them
    /// choose again together; returns them, i among them. At an event what it has chosen does not tell whether it is stiff.
    pub fn step_together<const N: usize, const D: usize>(
        &mut self,
        structure: &Structure,
        nodes: &mut [Node],
        (i, old): (usize, &Node),
        (t, horizon): (f64, f64),
        at_event: bool,
    ) -> Option<Vec<u32>> {
        if at_event || nodes[i].chose_stiffly::<N>() {
            let members = self.gather(structure, nodes, i);
            if members.len() > 1 {
                let together = self.problem::<N, D>(structure, nodes, &members, (i, old), t);
                let choice = together.choose(horizon, &self.poles);
                let stiff = |h: f64| !at_event || together.is_stiff(h);
                if let Some((q, h)) = choice.filter(|&(_, h)| stiff(h)) {
                    take::<N, D>(nodes, (&members, i), &q, (t, h), horizon);
                    let ends = together.ends(h);
                    self.bind(&members, ends);
                    return Some(members);
                }
            }
        }
        self.part(i);
        for at in structure.feeds.range(i) {
            let j = structure.feeds.item(at);
            if j == i || !self.jumps_back::<N, D>(structure, nodes, (i, old), j, t) {
                continue;
            }
            let mut members = vec![i as u32, j as u32];
            members.sort_unstable();
            let together = self.problem::<N, D>(structure, nodes, &members, (i, old), t);
            if let Some((q, h)) = together.choose(horizon, &self.poles) {
                take::<N, D>(nodes, (&members, i), &q, (t, h), horizon);
                self.part(j);
                return Some(members);
            }
        }
        None
    }

    /// Would the step of i turn the derivative of j, and the answer of j that of i?
    fn jumps_back<const N: usize, const D: usize>(
        &self,
        structure: &Structure,
        nodes: &[Node],
        (i, old): (usize, &Node),
        j: usize,
        t: f64,
    ) -> bool {
        let to_j = self.between(structure, i, j);
        let to_i = self.between(structure, j, i);
        if to_j * to_i == 0.0 {
            return false;
        }
        let (own, other) = (&nodes[i], &nodes[j]);
        let (before, chosen): ([f64; N], [f64; N]) = (old.quantized(t), own.quantized(t));
        let xj = other.integrated::<N, D>(t);
        let (qj, fj): ([f64; N], [f64; N]) = (other.quantized(t), other.derivative(t));
        let fj_new: [f64; N] = std::array::from_fn(|k| fj[k] + to_j * (chosen[k] - before[k]));
        let top = N - 1;
        if !turns(fj[top], fj_new[top]) {
            return false;
        }
        let aj = other.slope;
        let uj: [f64; N] = std::array::from_fn(|k| fj_new[k] - aj * qj[k]);
        let answer: [f64; N] = if N == 1 {
            let mut q = [0.0; N];
            q[0] = first_order(xj, aj, uj[0], other.quantum).q[0];
            q
        } else {
            linearly_implicit::<N>(xj, aj, &uj, other.quantum).q
        };
        let fi = (top + 1) as f64 * own.x[top + 1] + old.slope * (chosen[top] - before[top]);
        turns(fi, fi + to_i * (answer[top] - qj[top]))
    }

    /// What these states have to solve together; state i has chosen already, and `old` is its node before.
    fn problem<const N: usize, const D: usize>(
        &self,
        structure: &Structure,
        nodes: &[Node],
        members: &[u32],
        (i, old): (usize, &Node),
        t: f64,
    ) -> Together<N> {
        let n = members.len();
        let mut together = Together {
            x: Vec::with_capacity(n),
            a: Vec::with_capacity(n * n),
            u: Vec::with_capacity(n),
            quantum: Vec::with_capacity(n),
        };
        let mut q: Vec<[f64; N]> = Vec::with_capacity(n);
        for &state in members {
            let node = &nodes[state as usize];
            together.quantum.push(node.quantum);
            together.x.push(node.integrated::<N, D>(t));
            together.u.push(node.derivative(t));
            let before = if state as usize == i { old } else { node };
            q.push(before.quantized(t));
            for &reader in members {
                together.a.push(if reader == state {
                    before.slope
                } else {
                    self.between(structure, state as usize, reader as usize)
                });
            }
        }
        for (r, u) in together.u.iter_mut().enumerate() {
            for (c, q) in q.iter().enumerate() {
                for k in 0..N {
                    u[k] -= together.a[c * n + r] * q[k];
                }
            }
        }
        together
    }
}

/// All members take what has been chosen at t for a step of length h; state `chosen` is awake.
fn take<const N: usize, const D: usize>(
    nodes: &mut [Node],
    (members, chosen): (&[u32], usize),
    q: &[[f64; N]],
    (t, h): (f64, f64),
    horizon: f64,
) {
    for (&state, q) in members.iter().zip(q) {
        let node = &mut nodes[state as usize];
        if state as usize != chosen {
            node.wake::<N, D>(t);
        }
        node.q[..N].copy_from_slice(q);
        node.tq = t;
        // Not a projection: x may be a quantum away.
        node.plan(false);
        node.meet = if h < horizon { t + h } else { f64::INFINITY };
    }
}

/// Does a derivative change its direction?
fn turns(old: f64, new: f64) -> bool {
    old * new < 0.0
}

/// A walk along the strong couplings, for cycles back to the state that the path begins with.
struct Search<'a> {
    couplings: &'a Couplings,
    structure: &'a Structure,
    nodes: &'a [Node],
    members: &'a mut Vec<u32>,
    path: Vec<u32>,
    left: usize,
}

impl Search<'_> {
    /// How much a change of i by a quantum moves the place where j would rest, in quanta.
    fn gain(&self, at: usize, i: usize, j: usize) -> f64 {
        let (from, to) = (&self.nodes[i], &self.nodes[j]);
        let moved = self.couplings.value[at].abs() * from.quantum;
        if to.slope < 0.0 {
            moved / (-to.slope * to.quantum)
        } else {
            0.0
        }
    }

    fn follow(&mut self, i: usize, gain: f64) {
        for at in self.structure.feeds.range(i) {
            let j = self.structure.feeds.item(at);
            if j == i || self.left == 0 || self.members.len() >= MOST {
                continue;
            }
            self.left -= 1;
            let gain = gain * self.gain(at, i, j);
            if j as u32 == self.path[0] {
                if gain > LOOP {
                    let room = MOST - self.members.len();
                    let new = self.path.iter().filter(|&s| !self.members.contains(s));
                    let new: Vec<u32> = new.copied().take(room).collect();
                    self.members.extend(new);
                }
            } else if gain > FAINT && self.path.len() < LONGEST && !self.path.contains(&(j as u32))
            {
                self.path.push(j as u32);
                self.follow(j, gain);
                self.path.pop();
            }
        }
    }
}
