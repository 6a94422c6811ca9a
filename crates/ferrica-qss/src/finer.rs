//! Quanta that are too coarse for a reader, found before they do harm.
//!
//! In a run a transition tells whether its error was too much for what reads it (see [`Node::judge`]); the quantum is finer from the next one on. Where the run begins,
//! or an event has made another function of a derivative, that is too late: a body that touches a stiff spring would be past it before anyone could tell. There
//! readers are asked what they would make of an error of one quantum, for as long as the state then goes without a step.

use crate::integrator::{Control, Node};
use crate::model::{Changes, QssModel, Structure};
use crate::quantizer::STIFF;
use crate::start::longest;

/// A quantum is this many times larger than that of a reader: a reason to ask, where the run begins.
const UNEQUAL: f64 = 100.0;

/// Derivative j, the values of what it reads, and what it is there.
struct Reader<'a, const N: usize> {
    j: usize,
    q: &'a mut [[f64; N]],
    f: f64,
    /// How it depends on its own state.
    slope: f64,
}

impl<'a, const N: usize> Reader<'a, N> {
    /// None if the derivative is not defined.
    fn new<M: QssModel>(
        model: &mut M,
        structure: &Structure,
        nodes: &[Node],
        (j, t): (usize, f64),
        room: &'a mut [[f64; N]],
    ) -> Option<Reader<'a, N>> {
        let reads = structure.reads.row(j);
        let q = &mut room[..reads.len()];
        for (slot, &k) in q.iter_mut().zip(reads) {
            *slot = nodes[k as usize].quantized(t);
        }
        let f = model.derivative(j, t, q)[0];
        if f.is_nan() {
            // No failure of the run.
            model.failure();
            return None;
        }
        let mut reader = Reader {
            j,
            q,
            f,
            slope: 0.0,
        };
        if let Ok(own) = structure.reads.row(j).binary_search(&(j as u32)) {
            let moved = reader.moved(model, own, nodes[j].quantum, t)?;
            reader.slope = (moved / nodes[j].quantum).min(0.0);
        }
        Some(reader)
    }

    /// By how much a step of what it reads at this place moves it.
    fn moved<M: QssModel>(
        &mut self,
        model: &mut M,
        place: usize,
        step: f64,
        t: f64,
    ) -> Option<f64> {
        let value = self.q[place][0];
        self.q[place][0] += step;
        let f = model.derivative(self.j, t, self.q)[0];
        self.q[place][0] = value;
        if f.is_nan() {
            model.failure();
            return None;
        }
        Some(f - self.f)
    }

    /// How many times finer the quantum of state i should be, which is read at this place.
    fn asks<M: QssModel>(
        &mut self,
        model: &mut M,
        nodes: &[Node],
        (i, place): (usize, usize),
        t: f64,
    ) -> Option<f64> {
        let state = &nodes[i];
        let top = state.x[N];
        if top == 0.0 || i == self.j {
            return None;
        }
        let h = (state.quantum / top.abs()).powf(1.0 / N as f64);
        if -state.slope * h > STIFF {
            // It steps as soon as it has met its place of rest; what that does to others is seen then.
            return None;
        }
        let jump = self.moved(model, place, state.quantum, t)?.abs();
        nodes[self.j].bears::<N>(jump, (h, self.slope))
    }
}

/// The run begins.
pub(crate) fn refine_first<M: QssModel, const N: usize>(
    model: &mut M,
    structure: &Structure,
    control: &Control,
    nodes: &mut [Node],
    t: f64,
) {
    if N == 1 {
        return;
    }
    let mut room = vec![[0.0; N]; longest(&structure.reads)];
    for i in 0..structure.states {
        let quantum = nodes[i].quantum;
        for &j in structure.feeds.row(i) {
            let j = j as usize;
            if nodes[j].quantum * UNEQUAL >= quantum {
                continue;
            }
            let Ok(place) = structure.reads.row(j).binary_search(&(i as u32)) else {
                continue;
            };
            let reader = Reader::new(model, structure, nodes, (j, t), &mut room);
            let times = reader.and_then(|mut r| r.asks(model, nodes, (i, place), t));
            if let Some(times) = times {
                nodes[i].refine(times);
            }
        }
        if nodes[i].finer > 0 {
            nodes[i].renew_quantum(control);
        }
    }
}

/// An event has made other functions of some derivatives; their states choose anew. States that are too coarse for these functions do so as well, but for those that
/// `chose` with others.
pub(crate) fn refine_at_event<M: QssModel, const N: usize>(
    model: &mut M,
    structure: &Structure,
    nodes: &mut [Node],
    changes: &mut Changes,
    (t, room): (f64, &mut [[f64; N]]),
    chose: impl Fn(usize) -> bool,
) {
    let own = changes.derivatives.len();
    for at in 0..own {
        let j = changes.derivatives[at] as usize;
        let Some(mut reader) = Reader::new(model, structure, nodes, (j, t), room) else {
            continue;
        };
        for (place, &i) in structure.reads.row(j).iter().enumerate() {
            let anyway = changes.derivatives[..own].contains(&i);
            if anyway || i as usize >= structure.states || chose(i as usize) {
                continue;
            }
            if let Some(times) = reader.asks(model, nodes, (i as usize, place), t) {
                nodes[i as usize].refine(times);
                changes.derivatives.push(i);
            }
        }
    }
    changes.derivatives.sort_unstable();
    changes.derivatives.dedup();
}
