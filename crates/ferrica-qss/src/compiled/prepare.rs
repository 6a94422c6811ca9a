//! What a compiled model is asked before it runs: shapes of derivatives, motion of slots, readers of what events
//! change, times of samplers, pasts of delays.

use ferrica_codegen::model::SystemKind;
use ferrica_codegen::{CompiledModel, Evaluator, Layout, Slot};
use ferrica_ir::{BinaryOp, Diagnostic, Span};

use crate::fuse::{Class, Fused};
use crate::history::History;
use crate::model::Incidence;
use crate::plans::{Shapeliness, degrees};
use crate::splitting::{Evaluation, Split, SplitStep, changes};
use crate::standing::{Standing, standings};
use crate::taylor_kernel::Motion;

/// A sampler: `start + k·interval`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplerTimes {
    pub start: f64,
    pub interval: f64,
    pub next: f64,
    /// When that is.
    pub due: f64,
}

/// Part of the time that times of samplers may differ by and be one instant: 3·0.1 and 0.3.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The next time of sampler k, which is one instant with that of another one if rounding alone tells them apart.
pub(super) fn due(list: &[SamplerTimes], k: usize) -> f64 {
    let s = &list[k];
    let time = s.start + s.next * s.interval;
    let mut others = list.iter().enumerate().filter(|&(other, _)| other != k);
    let same = |(_, s): &(usize, &SamplerTimes)| (s.due - time).abs() <= ROUNDING * time.abs();
    others.find(same).map_or(time, |(_, s)| s.due)
}

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

pub(super) fn sampler_times(ev: &Evaluator) -> Result<Vec<SamplerTimes>, Diagnostic> {
    let model = ev.model.clone();
    let now = ev.time();
    let mut list = Vec::new();
    for &(memory, start, interval) in &model.samplers {
        let (start, interval) = (ev.get(start), ev.get(interval));
        if interval <= 0.0 || interval.is_nan() {
            return Err(Diagnostic::error(
                "E0505",
                Span::NONE,
                format!(
                    "the interval of a sample operator is {interval} (variable `{}`): it must be positive",
                    model.var_name(memory)
                ),
            ));
        }
        // The instant at the start itself belongs to the initialization.
        let mut next = ((now - start) / interval).ceil().max(0.0);
        let rounding = 8.0 * f64::EPSILON * now.abs();
        while start + next * interval <= now + rounding {
            next += 1.0;
        }
        list.push(SamplerTimes {
            start,
            interval,
            next,
            due: f64::INFINITY,
        });
    }
    for k in 0..list.len() {
        list[k].due = due(&list, k);
    }
    Ok(list)
}
