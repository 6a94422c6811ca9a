//! What a compiled model is asked before it runs: shapes of derivatives, motion of slots, readers of what events
//! change, times of samplers, pasts of delays.

use ferrica_codegen::model::SystemKind;
use ferrica_codegen::{CompiledModel, Evaluator, Layout, Slot};
use ferrica_ir::{BinaryOp, Diagnostic, Span};
use ferrica_sim::{Sampler, same_time};

use crate::fuse::{Class, Fused};
use crate::history::History;
use crate::model::Incidence;
use crate::plans::{Shapeliness, degrees, has_kinks};
use crate::splitting::{Evaluation, Split, SplitStep, changes};
use crate::standing::{Standing, standings};
use crate::taylor_kernel::Motion;

pub(super) fn unsupported(what: &str) -> Diagnostic {
    Diagnostic::error(
        "E0623",
        Span::NONE,
        format!("quantized-state methods do not support {what}"),
    )
    .with_hint("use a classic solver (bdf) for this model")
}

/// Shape of a derivative that takes several steps: affine where all of them are.
pub(crate) fn by_steps(
    (model, parts): (&CompiledModel, &Split),
    system_index: &[u32],
    steps: &[SplitStep],
    motion_of: &dyn Fn(Slot) -> Motion,
) -> Shapeliness {
    let of = |f: &Fused| {
        let moving = |k: u32| motion_of(f.operands[k as usize]) != Motion::Constant;
        degrees(&f.kernel, moving)
    };
    let kinks = |f: &Fused| {
        let moving = |k: u32| motion_of(f.operands[k as usize]) != Motion::Constant;
        has_kinks(&f.kernel, moving)
    };
    let kinked = steps.iter().any(|step| match step {
        SplitStep::Fused(f) => kinks(f),
        SplitStep::System(id) => {
            let own = parts
                .systems
                .get(system_index[id.as_u32() as usize] as usize);
            own.is_none_or(|s| kinks(&s.inside) || s.then.as_ref().is_some_and(&kinks))
        }
    });
    if kinked {
        return Shapeliness::Kinked;
    }
    let affine = steps.iter().all(|step| match step {
        SplitStep::Fused(f) => of(f).iter().all(|&d| d < 2),
        SplitStep::System(id) => {
            let own = &model.systems[*id];
            let Some(s) = parts
                .systems
                .get(system_index[id.as_u32() as usize] as usize)
            else {
                return false;
            };
            if !matches!(own.kind, SystemKind::Linear { .. }) {
                return false;
            }
            let inside = of(&s.inside);
            let (matrix, right) = inside.split_at(own.pattern.nnz());
            let after = s.then.as_ref().map_or(Vec::new(), of);
            matrix.iter().all(|&d| d == 0) && right.iter().chain(&after).all(|&d| d < 2)
        }
    });
    if affine {
        Shapeliness::Affine
    } else {
        Shapeliness::Unknown
    }
}

pub(super) fn is_equality(model: &CompiledModel, relation: usize) -> bool {
    let relation = model.relations.get(relation);
    relation.is_some_and(|r| matches!(r.op, BinaryOp::Eq | BinaryOp::Ne))
}

/// Crossing functions, then the sources of delays, then delay times that vary.
pub(super) fn watched(parts: &Split) -> impl Iterator<Item = &Evaluation> {
    let times = parts.delay_times.iter().map(|(_, e)| e);
    let crossings = parts.crossings.iter();
    crossings.chain(&parts.delay_sources).chain(times)
}

/// The inputs that each source of a delay and each delay time renews.
pub(super) fn renewed(parts: &Split) -> Incidence {
    let sources = 0..parts.delay_sources.len() as u32;
    let times = parts.delay_times.iter().map(|&(k, _)| k as u32);
    Incidence::new(sources.chain(times).map(|k| [k]))
}

/// Delayed signals at the start: until now they have stood still, at what the initialization found.
pub(super) fn histories(ev: &Evaluator) -> Result<Vec<History>, Diagnostic> {
    let mut list = Vec::new();
    for d in &ev.model.delays {
        let (delay, longest) = (ev.get(d.delay), ev.get(d.max));
        if !delay.is_finite() || !longest.is_finite() {
            return Err(unsupported(&format!("`delay` by {delay} s")));
        }
        let (first, source) = (ev.get(d.result), ev.get(d.source));
        let mut history = History::new(ev.time(), first, delay, longest);
        history.push(ev.time(), &[source]);
        list.push(history);
    }
    Ok(list)
}

pub(crate) fn motion(parts: &Split, slot: Slot) -> Motion {
    if slot == Layout::TIME {
        return Motion::Time;
    }
    match parts.class.get(slot as usize) {
        Some(Class::Constant) => Motion::Constant,
        _ => Motion::Moving,
    }
}

/// Readers of each slot: derivatives from 0, then crossings, then inputs.
pub(super) fn consumers(parts: &Split, slots: usize) -> Incidence {
    let none = Vec::new();
    let lists = parts
        .derivatives
        .iter()
        .chain(watched(parts))
        .map(|e| &e.constants)
        .chain(parts.delayed.iter().map(|_| &none))
        .chain(&parts.input_constants);
    Incidence::new(lists).transposed(slots)
}

/// What each state may do at rest, by what its derivative reads: quantities, and slots that events change.
pub(super) fn standings_of(model: &CompiledModel, parts: &Split) -> Vec<Standing> {
    let quantities = (parts.states + parts.delayed.len() + parts.inputs.list.len()) as u32;
    let rows = parts.derivatives.iter().map(|e| {
        let slots = e.constants.iter().filter(|&&slot| changes(model, slot));
        let slots = slots.map(|&slot| quantities + slot);
        e.reads.iter().copied().chain(slots).collect::<Vec<u32>>()
    });
    let columns = quantities as usize + model.layout.len();
    standings(&Incidence::new(rows), columns)
}

/// The next time of sampler k, which is that of another one if rounding alone tells them apart: two timers of a DEVS model are imminent
/// together only then.
pub(super) fn instant(samplers: &[Sampler], instants: &[f64], k: usize) -> f64 {
    let time = samplers[k].at();
    let mut others = instants.iter().enumerate().filter(|&(other, _)| other != k);
    let same = others.find(|(_, at)| same_time(**at, time));
    same.map_or(time, |(_, at)| *at)
}
