//! The quantities of a run at its start.

use ferrica_ir::print::brief;
use ferrica_ir::{Diagnostic, Span};

use crate::finer::refine_first;
use crate::inputs::{Reach, renew};
use crate::integrator::{Control, Node};
use crate::model::{Incidence, QssModel, Structure};
use crate::plans::Shapeliness;
use crate::settings::{Settings, UNSCALED};

/// Quantities at the start, and for each time input how long its polynomial lasts.
///
/// The coefficients of q need the derivatives, which need q; each round makes one more coefficient
/// right.
pub(crate) fn initial_nodes<M: QssModel, const N: usize, const D: usize>(
    model: &mut M,
    structure: &Structure,
    settings: &Settings,
    control: &Control,
    floor: &[(f64, f64)],
) -> Result<(Vec<Node>, Vec<f64>), Diagnostic> {
    let (states, t) = (structure.states, settings.start);
    let mut x = vec![0.0; structure.quantities()];
    model.initial_states(&mut x[..states])?;
    let mut nodes: Vec<Node> = x
        .iter()
        .zip(floor)
        .map(|(&value, &floor)| Node::at(t, value, floor))
        .collect();
    let mut rests = Vec::new();
    for k in 0..structure.inputs {
        let node = &mut nodes[states + k];
        let length = settings.stop - settings.start;
        let (floor, most) = input_floor::<M, N>(model, k, settings);
        (node.floor, node.most) = (floor as f32, most as f32);
        rests.push(renew::<M, N>(model, node, (k, t), control, length));
    }
    let mut q = vec![[0.0; N]; longest(&structure.reads)];
    for round in 0..N {
        for j in 0..states {
            let reads = structure.reads.row(j);
            for (slot, &k) in q.iter_mut().zip(reads) {
                *slot = nodes[k as usize].quantized(t);
            }
            let f = model.derivative(j, t, &q[..reads.len()]);
            if !f.iter().sum::<f64>().is_finite() {
                return Err(not_finite(model, j, t));
            }
            nodes[j].take_derivative::<N, D>(t, &f, model.omitted());
        }
        for node in &mut nodes[..states] {
            if round + 1 < N {
                node.q[round + 1] = node.x[round + 1];
            }
        }
    }
    for (i, node) in nodes[..states].iter_mut().enumerate() {
        node.renew_quantum(control);
        let readers = structure.feeds.row(i).iter();
        let derivatives = readers.map(|&j| model.shapeliness(j as usize));
        let crossings = structure.crossing_feeds.row(i).iter();
        let crossings = crossings.map(|&z| model.crossing_shapeliness(z as usize));
        let worst = derivatives.chain(crossings).max();
        node.readers = worst.unwrap_or(Shapeliness::Affine);
        node.know(model.standing(i), model.shapeliness(i));
    }
    refine_first::<M, N>(model, structure, control, &mut nodes, t);
    Ok((nodes, rests))
}

/// Places of the run at which a function of time is looked up to find out its size.
const PLACES: u32 = 64;
/// Halvings of the run down to the first place at which one is looked up that events change.
const HALVINGS: i32 = 20;

/// Smallest quantum of time input k at first, and how far it may grow: a part of the tolerance of its size, which is found by looking it up along the run. A tolerance of one unit
/// would freeze what is small. In the higher orders that part is small, as it is for a state of unknown size: what is zero for
/// long is then followed by readers that add it up.
///
/// What an event changes (the ramp of a sawtooth, which begins anew) says nothing of its size behind the event: the ramp goes on for the whole run. There the smallest size that is
/// seen anywhere counts, and in the first order it grows with what the function does.
fn input_floor<M: QssModel, const N: usize>(
    model: &mut M,
    k: usize,
    settings: &Settings,
) -> (f64, f64) {
    let part = if N > 1 { UNSCALED } else { 1.0 };
    let (start, length) = (settings.start, settings.stop - settings.start);
    if model.reach(k, start, start) == Reach::Exact || !length.is_finite() {
        return (part * settings.absolute, part * settings.absolute);
    }
    if model.events_change_input(k) {
        let places = (0..=HALVINGS).map(|h| start + length * (-f64::from(h)).exp2());
        let sizes = std::iter::once(start)
            .chain(places)
            .map(|t| model.input(k, t)[0].abs());
        let seen = sizes.filter(|&size| size.is_finite() && size > 0.0);
        let least = seen.fold(f64::INFINITY, f64::min);
        model.failure();
        let floor = match least.is_finite() && settings.relative > 0.0 {
            true => settings.relative * least,
            false => settings.absolute,
        };
        let most = if N > 1 {
            UNSCALED * floor
        } else {
            f64::INFINITY
        };
        return (UNSCALED * floor, most);
    }
    let mut size = 0.0;
    for place in 0..=PLACES {
        let value = model.input(k, start + length * f64::from(place) / f64::from(PLACES))[0].abs();
        if value.is_finite() && value > size {
            size = value;
        }
    }
    // A place where the function is not defined: no failure of the run.
    model.failure();
    let floor = match size > 0.0 && settings.relative > 0.0 {
        true => part * settings.relative * size,
        false => part * settings.absolute,
    };
    (floor, floor)
}

pub(crate) fn not_finite<M: QssModel>(model: &mut M, j: usize, time: f64) -> Diagnostic {
    if let Some(known) = model.failure() {
        return known;
    }
    Diagnostic::error(
        "E0622",
        Span::NONE,
        format!(
            "the derivative of `{}` is not a finite number at time {}",
            model.state_name(j),
            brief(time)
        ),
    )
}

/// Length of the longest row.
pub(crate) fn longest(incidence: &Incidence) -> usize {
    (0..incidence.rows())
        .map(|r| incidence.row(r).len())
        .max()
        .unwrap_or(0)
}
