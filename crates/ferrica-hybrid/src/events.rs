//! Events of a whole model: what an instant brings, and how it is settled.
//!
//! In: a problem at an instant, with the relations that were found to change and the samplers whose instant it is. Out: the problem right after it, and what
//! there is to tell. In a large model only what is reached is evaluated, see [`crate::reached`].

use ferrica_codegen::CompiledModel;
use ferrica_codegen::Slot;
use ferrica_ir::causal::Kind;

use crate::actions::{Checked, check_assertions};
use crate::error::{SimError, Warning};
use crate::problem::Problem;
use crate::reached::{Evaluated, Reached};
use crate::relations::Forced;
use crate::scope::Equations;
use crate::settle::{Means, settle};
use crate::time_events::same_time;

/// What an event did.
#[derive(Clone, Debug, Default)]
pub struct EventResult {
    /// `terminate` with its message.
    pub terminate: Option<String>,
    pub warnings: Vec<Warning>,
    /// The bound of [`iterate_within`] was reached before nothing changed any more.
    pub unsettled: bool,
}

/// Left limits are the present values.
pub fn copy_pre(p: &mut Problem, model: &CompiledModel) {
    for &(now, pre) in &model.layout.pre_pairs {
        let value = p.ev.get(now);
        p.ev.set(pre, value);
    }
}

/// Runs the event iteration at the present time. `samplers` are those whose instant it is.
pub fn iterate(
    p: &mut Problem,
    forced: &Forced,
    samplers: &[usize],
    band: f64,
) -> Result<EventResult, SimError> {
    passes(p, forced, samplers, band, None)
}

/// The same with a bound on the passes, for engines that must be on time: what has not settled
/// by then is left to the next event, and the result says so.
pub fn iterate_within(
    p: &mut Problem,
    forced: &Forced,
    samplers: &[usize],
    band: f64,
    bound: usize,
) -> Result<EventResult, SimError> {
    passes(p, forced, samplers, band, Some(bound.max(1)))
}

fn passes(
    p: &mut Problem,
    forced: &Forced,
    samplers: &[usize],
    band: f64,
    bound: Option<usize>,
) -> Result<EventResult, SimError> {
    let model = p.ev.model.clone();
    let time = p.ev.time();
    let mut result = EventResult::default();
    let turned = turned_before(p, &model, forced);
    let forced = turned.as_ref().unwrap_or(forced);
    if let Some(at) = p.consistent.take()
        && bound.is_none()
        && !p.prefer_rest
        && let Some(mut reached) = p.take_reached()
    {
        let moved = time != at;
        let done = of_reached(p, &mut reached, moved, forced, samplers, band, &mut result);
        p.reached = Some(reached);
        p.only_touched = done?;
        p.relations_are_current = false;
        check_assertions(p, &model, Checked::Unguarded, &mut result.warnings)?;
        return Ok(result);
    }
    p.only_touched = false;
    p.relations_are_current = false;
    copy_pre(p, &model);
    p.passed();
    let mut scope = std::mem::take(&mut p.scope);
    scope.located.note(&p.ev, forced.iter().map(|f| f.0));
    for (input, value) in std::mem::take(&mut p.arriving) {
        p.ev.set(input, value);
    }
    scope.sample(&mut p.ev, samplers);
    for &(k, memory) in forced {
        p.ev.set(model.relations[k].memory, f64::from(u8::from(memory)));
    }
    let mut confirmed = std::mem::take(&mut p.confirmed);
    confirmed.clone_from(forced);
    let means = Means {
        band,
        bound,
        prefer_rest: p.prefer_rest,
    };
    let settled = settle(p, &mut scope, &mut confirmed, means, &mut result);
    (p.scope, p.confirmed) = (scope, confirmed);
    p.relations_are_current = settled?;
    // Without a condition: once an event, when it has settled.
    for (k, effect) in model.effects.iter().enumerate() {
        if effect.guard.is_none() {
            p.ev.run(&model.effect_calls[k])
                .map_err(|e| SimError::new("E0605", time, e))?;
        }
    }
    check_assertions(p, &model, Checked::Unguarded, &mut result.warnings)?;
    p.delays.after_event(&p.ev);
    Ok(result)
}

/// Passes over what the event reaches, all else being evaluated at its time, or at one from which it has `moved`. False: all equations took part.
fn of_reached(
    p: &mut Problem,
    reached: &mut Reached,
    moved: bool,
    forced: &Forced,
    samplers: &[usize],
    band: f64,
    result: &mut EventResult,
) -> Result<bool, SimError> {
    let mut event = reached.begin(&p.model, &mut p.ev, Evaluated, moved)?;
    event.note(&mut p.scope, forced);
    for &(k, memory) in forced {
        event.force(k, memory);
    }
    for &k in samplers {
        event.sample(k);
    }
    p.confirmed.clone_from(forced);
    let means = Means {
        band,
        ..Means::default()
    };
    event.settle(&mut p.scope, &mut p.confirmed, means, result)
}

/// Several events may be of one time: a relation such as `time > t` that has turned in one of them stays as it is in the others,
/// although the numbers themselves do not tell. The forced relations with those, if there are any.
fn turned_before(p: &Problem, model: &CompiledModel, forced: &Forced) -> Option<Forced> {
    let mut all: Option<Forced> = None;
    for &k in &p.time_relations {
        let r = &model.relations[k];
        let (lhs, rhs) = (p.ev.get(r.lhs), p.ev.get(r.rhs));
        if same_time(lhs, rhs) && !forced.iter().any(|f| f.0 == k) {
            let memory = p.ev.get(r.memory) != 0.0;
            all.get_or_insert_with(|| forced.clone()).push((k, memory));
        }
    }
    all
}

pub(crate) fn is_discrete(model: &CompiledModel, slot: Slot) -> bool {
    model
        .variable(slot)
        .is_some_and(|v| matches!(model.source.vars[v].kind, Kind::Discrete | Kind::Relation))
}
