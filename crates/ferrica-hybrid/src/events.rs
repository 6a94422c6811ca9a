//! The event iteration: at one instant, until nothing changes any more.
//!
//! A pass evaluates all blocks, among them both sides of the relations and the conditions of actions, with the left limits `pre` fixed, again until the relations agree with the values, then `reinit`;
//! it ends with pre := present. Relations found to cross keep their new side while they are within the
//! accuracy of the solution of their zero: what the integrator saw and what the event sees may differ
//! by that much. One that turns out to be far on its old side then was no crossing.

use ferrica_codegen::layout::Layout;
use ferrica_codegen::model::shorten;
use ferrica_codegen::{Cause, CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::print::{self, brief};
use ferrica_ir::{Expr, Ty};

use crate::error::{SimError, Warning};
use crate::mixed::{CALM_PASSES, Circle, Held};
use crate::problem::{Problem, holds, side};
use crate::propagation::Event;

/// Passes after which an event is taken never to settle.
const MAX_PASSES: usize = 200;

/// Passes after which an event that does not settle is tried from rest, for as many passes.
const REST_PASSES: usize = 60;
/// Passes after which a condition near its zero begins to keep its side.
pub const PATIENT_PASSES: usize = 12;
/// The nearness grows from the band of the event by this factor each pass, up to the last value.
const NEARNESS_GROWTH: f64 = 2.0;
const MAX_NEARNESS: f64 = 1e-2;

/// How near to its zero a condition keeps its side in a pass. A switch that is open on one branch and
/// closed on the other by less than the accuracy of the solution would never settle.
fn nearness(pass: usize, band: f64) -> f64 {
    match pass.checked_sub(PATIENT_PASSES) {
        None => 0.0,
        Some(more) => (band * NEARNESS_GROWTH.powi(more.min(60) as i32)).min(MAX_NEARNESS),
    }
}

/// What an event did.
#[derive(Clone, Debug, Default)]
pub struct EventResult {
    /// `terminate` with its message.
    pub terminate: Option<String>,
    pub warnings: Vec<Warning>,
    /// The bound of [`iterate_within`] was reached before nothing changed any more.
    pub unsettled: bool,
}

/// Relations that change at an event for certain, with their new memories.
pub type Forced = Vec<(usize, bool)>;

/// Left limits are the present values.
pub fn copy_pre(p: &mut Problem, model: &CompiledModel) {
    for &(now, pre) in &model.layout.pre_pairs {
        let value = p.ev.get(now);
        p.ev.set(pre, value);
    }
}

/// Text of a relation.
pub fn relation_text(model: &CompiledModel, k: usize) -> String {
    if let Some(name) = cut_variable(model, k) {
        return name;
    }
    let r = &model.source.relations[k];
    let side = |e| {
        let mut text = print::expr(&model.source.exprs, &*model.source, e);
        shorten(&mut text, 160);
        text
    };
    format!("{} {} {}", side(r.lhs), print::operator(r.op), side(r.rhs))
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
    if let Some(at) = p.consistent.take()
        && bound.is_none()
        && !p.prefer_rest
        && let Some(mut local) = p.propagation.take()
    {
        let event = Event {
            forced,
            samplers,
            band,
            consistent_at: at,
        };
        let settled = local.event(p, &model, &event, &mut result);
        p.only_touched = matches!(settled, Ok(true));
        p.propagation = Some(local);
        if settled? {
            check_assertions(p, &model, Checked::Unguarded, &mut result.warnings)?;
            return Ok(result);
        }
    }
    p.only_touched = false;
    p.relations_are_current = false;
    copy_pre(p, &model);
    p.located.note(&p.ev, forced.iter().map(|f| f.0));
    for (input, value) in std::mem::take(&mut p.arriving) {
        p.ev.set(input, value);
    }
    for &s in samplers {
        p.ev.set(model.samplers[s].0, 1.0);
    }
    for &(k, memory) in forced {
        p.ev.set(model.relations[k].memory, f64::from(u8::from(memory)));
    }
    let mut confirmed = std::mem::take(&mut p.confirmed);
    confirmed.clone_from(forced);
    settle(p, &model, &mut confirmed, band, bound, &mut result)?;
    let mut noticed = false;
    for &s in samplers {
        noticed |= p.sampler_falls(s);
    }
    if noticed {
        confirmed.clone_from(forced);
        settle(p, &model, &mut confirmed, band, bound, &mut result)?;
    }
    p.confirmed = confirmed;
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

fn settle(
    p: &mut Problem,
    model: &CompiledModel,
    forced: &mut Forced,
    band: f64,
    bound: Option<usize>,
    result: &mut EventResult,
) -> Result<(), SimError> {
    let time = p.ev.time();
    let fail = |e: Failure| SimError::new("E0605", time, e);
    let limit = bound.unwrap_or(MAX_PASSES);
    let mut circle = Some(Circle::default()).filter(|_| bound.is_none());
    let mut held = Held::default();
    let mut moving: Vec<Slot> = Vec::new();
    let mut passes: Vec<u64> = Vec::new();
    for pass in 0..limit {
        if pass == 0 || !p.delays.all_constant() {
            p.apply_delays().map_err(fail)?;
        }
        p.ev.exec(model, &model.event_program).map_err(fail)?;
        let mut changed = update_relations(p, model, forced, band, nearness(pass, band));
        let conditions_changed = changed;
        keep_confirmed(p, model, forced);
        if changed && pass + 1 < limit && held.goes_on(p, model) {
            continue;
        }
        if changed && held.is_stuck() && bound.is_none() {
            changed = !held.search(p, model, forced, band);
        }
        held.begin();
        if conditions_changed {
            p.ev.exec(model, &model.action_program).map_err(fail)?;
        }
        for (state, value) in take_actions(p, model, result)? {
            p.ev.set(state, value);
            changed = true;
        }
        let rest = p.prefer_rest || (REST_PASSES..2 * REST_PASSES).contains(&pass);
        let last = pass + 1 == limit;
        moving.clear();
        let moved = p.left_limits.take_present(&mut p.ev, |slot| {
            if rest || last {
                moving.push(slot);
            }
        });
        changed |= moved.asks;
        forced.retain(|&(k, _)| p.located.is_same(&p.ev, k));
        if !changed {
            p.left_limits.settled(&mut p.ev);
            p.relations_are_current = !moved.any;
            return Ok(());
        }
        if pass >= CALM_PASSES
            && let Some(seen) = &mut circle
            && seen.closes(p, model)
        {
            seen.search(p, model, forced, band);
            circle = None;
        }
        if rest && moving.iter().any(|&s| !is_memory(model, s)) {
            rest_first(p, model, forced);
        }
        if bound.is_some() && pass >= CALM_PASSES {
            passes.push(p.left_limits.mark(&p.ev));
        }
        if last && bound.is_some() {
            let (now, before) = (passes.last(), passes.len().saturating_sub(1));
            if now.is_some_and(|m| passes[..before].contains(m)) {
                // More of these passes would not settle it either: it takes the means of an event without a bound.
                return settle(p, model, forced, band, None, result);
            }
            result.unsettled = true;
        } else if last {
            let mut failure = unsettled(time);
            failure.details = moving_texts(p, model, &moving);
            return Err(SimError {
                hint: Some(
                    "if they read each other at one instant, let one read pre() of the other"
                        .into(),
                ),
                ..SimError::new("E0606", time, failure)
            });
        }
    }
    Ok(())
}

/// An event that does not come to an end.
pub fn unsettled(time: f64) -> Failure {
    let mut failure = Failure::new(format!(
        "the event at time {} does not settle: conditions keep changing each other",
        brief(time)
    ));
    failure.cause = Cause::Unsettled;
    failure
}

/// Relations that went back to their old side were no crossings; those whose limits have moved are no longer the ones that crossed.
pub(crate) fn keep_confirmed(p: &Problem, model: &CompiledModel, forced: &mut Forced) {
    forced.retain(|&(k, memory)| {
        (p.ev.get(model.relations[k].memory) != 0.0) == memory && p.located.is_same(&p.ev, k)
    });
}

/// What still changes, in the words of the model: each condition and variable once.
fn moving_texts(p: &Problem, model: &CompiledModel, moving: &[Slot]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for &slot in moving {
        let relation = model.relations.iter().position(|r| r.memory == slot);
        let what = match relation {
            Some(k) => format!("condition `{}`", relation_text(model, k)),
            None => format!("variable `{}`", model.var_name(slot)),
        };
        // A cut in a loop of Booleans stands for its variable.
        let own = relation.is_some_and(|k| cut_variable(model, k).is_some());
        let text = format!("{what} still changes (now {})", p.ev.get(slot));
        if !own && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.truncate(8);
    texts
}

/// The Boolean variable that a relation stands for, where it was made to cut a loop.
fn cut_variable(model: &CompiledModel, k: usize) -> Option<String> {
    let r = &model.source.relations[k];
    match model.source.exprs.get(r.lhs) {
        Expr::If(b, ..) if model.source.exprs.ty(b) == Ty::Boolean => {
            Some(print::expr(&model.source.exprs, &*model.source, b))
        }
        _ => None,
    }
}

/// What reinits, terminations, effects and guarded assertions ask for in a pass, their conditions being known: the states that
/// get another value are returned.
pub(crate) fn take_actions(
    p: &mut Problem,
    model: &CompiledModel,
    result: &mut EventResult,
) -> Result<Vec<(Slot, f64)>, SimError> {
    let time = p.ev.time();
    let fail = |e: Failure| SimError::new("E0605", time, e);
    let mut states = Vec::new();
    for &(state, condition, value) in &model.reinits {
        if p.ev.get(condition) != 0.0 && p.ev.get(state) != p.ev.get(value) {
            states.push((state, p.ev.get(value)));
        }
    }
    for (k, t) in model.terminates.iter().enumerate() {
        if t.guard.is_some_and(|g| p.ev.get(g) != 0.0) && result.terminate.is_none() {
            p.ev.run(&model.terminate_messages[k]).map_err(fail)?;
            result.terminate = Some(p.ev.text(t.value).to_string());
        }
    }
    for (k, effect) in model.effects.iter().enumerate() {
        if effect.guard.is_some_and(|g| p.ev.get(g) != 0.0) {
            p.ev.run(&model.effect_calls[k]).map_err(fail)?;
        }
    }
    // A condition of its own may hold in this pass only.
    check_assertions(p, model, Checked::Guarded, &mut result.warnings)?;
    Ok(states)
}

fn is_memory(model: &CompiledModel, slot: Slot) -> bool {
    model.relations.iter().any(|r| r.memory == slot)
}

/// Conditions and the values they depend on can agree in more than one way: a stuck clutch and one that
/// has just begun to slide, for example. Takes the way in which as few conditions as possible hold: all that hold are taken
/// back, and only those that the values then ask for hold again.
fn rest_first(p: &mut Problem, model: &CompiledModel, forced: &Forced) {
    let mut held: Vec<usize> = (0..model.relations.len())
        .filter(|&k| {
            let r = &model.relations[k];
            !r.time_event && p.ev.get(r.memory) != 0.0 && forced.iter().all(|f| f.0 != k)
        })
        .collect();
    for &k in &held {
        p.ev.set(model.relations[k].memory, 0.0);
    }
    // Twice: the first values still suffer from conditions that were taken back by mistake.
    for _ in 0..2 {
        let done = p.ev.exec(model, &model.event_program).is_ok();
        held.retain(|&k| {
            let r = &model.relations[k];
            let again = !done || holds(r.op, p.ev.get(r.lhs), p.ev.get(r.rhs));
            if again {
                p.ev.set(r.memory, 1.0);
            }
            !again
        });
    }
}

pub(crate) fn is_discrete(model: &CompiledModel, slot: Slot) -> bool {
    model
        .variable(slot)
        .is_some_and(|v| matches!(model.source.vars[v].kind, Kind::Discrete | Kind::Relation))
}

/// Memories of all relations, whose sides are known; true if one changed. Those that are forced keep their side within `band` of
/// their zero, all others within `nearness`.
pub fn update_relations(
    p: &mut Problem,
    model: &CompiledModel,
    forced: &Forced,
    band: f64,
    nearness: f64,
) -> bool {
    let mut changed = false;
    for (k, r) in model.relations.iter().enumerate() {
        let now = holds_now(p, model, k, forced, band, nearness);
        let value = f64::from(u8::from(now));
        if p.ev.get(r.memory) != value {
            p.ev.set(r.memory, value);
            changed = true;
        }
    }
    changed
}

/// Does some relation, its sides being known, disagree with its memory?
pub fn conditions_change(p: &Problem, model: &CompiledModel) -> bool {
    model.relations.iter().any(|r| {
        let holds = holds(r.op, p.ev.get(r.lhs), p.ev.get(r.rhs));
        holds != (p.ev.get(r.memory) != 0.0)
    })
}

/// Does relation k hold? One that is forced keeps its new side within `band` of its zero, any other its present
/// side within `nearness`.
pub(crate) fn holds_now(
    p: &Problem,
    model: &CompiledModel,
    k: usize,
    forced: &Forced,
    band: f64,
    nearness: f64,
) -> bool {
    let r = &model.relations[k];
    let (lhs, rhs) = (p.ev.get(r.lhs), p.ev.get(r.rhs));
    let scale = lhs.abs().max(rhs.abs());
    let distance = (lhs - rhs).abs();
    if let Some(&(_, memory)) = forced.iter().find(|f| f.0 == k) {
        // An event time that is computed is exact up to rounding, whatever the scale of time.
        let near = if r.time_event {
            distance <= 1e-9 * scale
        } else {
            distance <= band.max(nearness) * scale.max(1.0)
        };
        if near {
            return memory;
        }
    } else if nearness > 0.0 && !r.time_event && distance <= nearness * scale.max(1.0) {
        return p.ev.get(r.memory) != 0.0;
    }
    holds(r.op, lhs, rhs)
}

/// Which assertions are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// Those with a condition of their own; its value is known.
    Guarded,
    Unguarded,
}

/// Checks assertions with the slots as they are.
pub fn check_assertions(
    p: &mut Problem,
    model: &CompiledModel,
    which: Checked,
    warnings: &mut Vec<Warning>,
) -> Result<(), SimError> {
    if model.assertions.is_empty() {
        return Ok(());
    }
    let time = p.ev.time();
    if which != Checked::Guarded {
        p.ev.exec(model, &model.action_program)
            .map_err(|e| SimError::new("E0605", time, e))?;
    }
    for (k, a) in model.assertions.iter().enumerate() {
        let active = match (which, a.guard) {
            (Checked::Guarded, None) | (Checked::Unguarded, Some(_)) => false,
            (_, guard) => guard.is_none_or(|g| p.ev.get(g) != 0.0),
        };
        if !active || p.ev.get(a.value) != 0.0 {
            continue;
        }
        let failed = failed_assertion(&mut p.ev, model, k);
        warnings.push(failed.map_err(|failure| SimError::new("E0607", time, failure))?);
    }
    Ok(())
}

/// What is said of assertion `k`, whose condition does not hold: a warning, or a failure that ends the run.
pub fn failed_assertion(
    ev: &mut Evaluator,
    model: &CompiledModel,
    k: usize,
) -> Result<Warning, Failure> {
    let time = ev.time();
    let source = &model.source.assertions[k];
    let program = &model.assertion_messages[k];
    let text = match ev.run(program) {
        Ok(()) => {
            let slot = program.rows.last().copied().unwrap_or(Layout::TIME);
            ev.text(slot).to_string()
        }
        Err(e) => e.message,
    };
    let condition = print::expr(&model.source.exprs, &*model.source, source.condition);
    let component = model
        .source
        .components
        .get(source.component as usize)
        .map_or("", |c| c.path.as_str());
    let place = if component.is_empty() {
        String::new()
    } else {
        format!(" in `{component}`")
    };
    let message = format!("assertion{place} failed at time {}: {text}", brief(time));
    if source.is_error {
        let mut failure = Failure::new(message);
        failure.cause = Cause::Assertion;
        failure.span = source.span;
        failure.details.push(format!("condition: {condition}"));
        return Err(failure);
    }
    Ok(Warning {
        time,
        message,
        span: source.span,
    })
}

/// Hysteresis of a crossing: a part of the size of its two sides, and at least so much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Width {
    pub relative: f64,
    pub absolute: f64,
}

/// Sides and hysteresis of all crossings, for the integration that begins now. After an event that only some conditions were
/// evaluated at, the others keep theirs.
pub fn set_sides(p: &mut Problem, model: &CompiledModel, scales: &mut [f64], widths: &[Width]) {
    if std::mem::take(&mut p.only_touched)
        && let Some(local) = p.propagation.take()
    {
        for &k in &local.touched {
            let crossing = local.crossing_of[k as usize] as usize;
            if crossing < p.crossings.len() {
                set_side(p, model, crossing, scales, widths);
            }
        }
        p.propagation = Some(local);
        p.zeros_are_current = false;
        return;
    }
    p.zeros_are_current = true;
    if !std::mem::take(&mut p.relations_are_current) {
        let _ = p.ev.exec(model, &model.relation_program);
    }
    for k in 0..p.crossings.len() {
        set_side(p, model, k, scales, widths);
    }
}

/// Side and width of a crossing whose zero function is `z` where a search begins: on the wrong side by rounding or by the accuracy
/// of the solution, it begins inside.
pub(crate) fn begin_inside((side, width): (f64, f64), z: f64) -> (f64, f64) {
    let outside = side * z + width <= 0.0;
    let width = if outside { 2.0 * z.abs() } else { width };
    (side, width.max(1e-300))
}

fn set_side(
    p: &mut Problem,
    model: &CompiledModel,
    k: usize,
    scales: &mut [f64],
    widths: &[Width],
) {
    let r = &model.relations[p.crossings[k]];
    let (lhs, rhs) = (p.ev.get(r.lhs), p.ev.get(r.rhs));
    let size = lhs.abs().max(rhs.abs());
    if size.is_finite() {
        scales[k] = scales[k].max(size);
    }
    let side = side(r.op, p.ev.get(r.memory) != 0.0);
    let z = p.ev.get(r.zero);
    let width = widths[k].relative * scales[k] + widths[k].absolute;
    p.sides[k] = begin_inside((side, width), z);
}
