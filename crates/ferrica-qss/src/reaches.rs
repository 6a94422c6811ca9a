//! How large a crossing function can be: as large as what it reads makes it by being of the size that its quantum stands for.
//!
//! What a function has been so far does not tell: at the start it may be zero, and an event may lead to another mode. An ideal diode asks for a current
//! while it conducts, and for that current times its resistance, a million times as much, while it does not.

use crate::integrator::{Control, Node};
use crate::model::{QssModel, Structure};
use crate::start::longest;

/// The size of crossing function z at t, in the present mode, by what is uncertain of what it reads. `x` has room for what it reads.
pub(crate) fn reach<M: QssModel, const C: usize>(
    model: &mut M,
    (z, reads): (usize, &[u32]),
    (nodes, control): (&[Node], &Control),
    uncertainty: impl Fn(usize) -> f64,
    t: f64,
    x: &mut [[f64; C]],
) -> f64 {
    if control.relative <= 0.0 {
        return 0.0;
    }
    let x = &mut x[..reads.len()];
    for (slot, &k) in x.iter_mut().zip(reads) {
        *slot = nodes[k as usize].trajectory(t);
    }
    let g = model.crossing(z, t, x)[0];
    let mut sum = 0.0;
    for (place, &k) in reads.iter().enumerate() {
        let value = x[place][0];
        x[place][0] += uncertainty(k as usize);
        let change = (model.crossing(z, t, x)[0] - g).abs();
        x[place][0] = value;
        if change.is_finite() {
            sum += change;
        } else {
            // A place where the function is not defined: no failure of the run.
            model.failure();
        }
    }
    sum / control.relative
}

/// The same for all crossings at the start.
pub(crate) fn initial_reaches<M: QssModel, const C: usize>(
    model: &mut M,
    structure: &Structure,
    (nodes, control): (&[Node], &Control),
    t: f64,
) -> Vec<f64> {
    let mut x = vec![[0.0; C]; longest(&structure.crossing_reads)];
    let mut all = vec![0.0; structure.crossings()];
    for (z, own) in all.iter_mut().enumerate().take(structure.remembered) {
        let reads = structure.crossing_reads.row(z);
        *own = reach(
            model,
            (z, reads),
            (nodes, control),
            |k| nodes[k].quantum,
            t,
            &mut x,
        );
    }
    all
}
