//! The event iteration: at one instant, until nothing changes any more.
//!
//! In: the equations that take part: all of a model, those of one part of it, or those that the event reaches. A pass evaluates them, among them both sides of the relations and the
//! conditions of actions, with the left limits `pre` fixed, again until the relations agree with the values, then `reinit`;
//! it ends with pre := present. Relations found to cross keep their new side while they are within the
//! accuracy of the solution of their zero: what the integrator saw and what the event sees may differ
//! by that much. One that turns out to be far on its old side then was no crossing, and one whose sides a `reinit` has moved, or made
//! equal, is that crossing no longer. `sample` is true in the first pass.

use ferrica_codegen::{Cause, CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::print::brief;

use crate::error::SimError;
use crate::events::EventResult;
use crate::mixed::{CALM_PASSES, Circle, Held};
use crate::problem::holds;
use crate::relations::{Forced, cut_variable, relation_text};
use crate::scope::{Equations, Scope};

/// Passes after which an event is taken never to settle.
pub const MAX_PASSES: usize = 200;

/// Passes after which an event that does not settle is tried from rest, for as many passes.
const REST_PASSES: usize = 60;
/// Sides of a relation that differ by more than this part of their size are others, not rounded ones.
pub(crate) const MOVED: f64 = 1e-9;
/// Passes after which an event of what is reached is left to all equations.
const NARROW_PASSES: usize = 20;
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

/// How an event is settled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// The accuracy of the solution, in parts of the size of what is compared.
    pub band: f64,
    /// Most passes, for engines that must be on time.
    pub bound: Option<usize>,
    /// Of several ways in which conditions and values agree take the one at rest.
    pub prefer_rest: bool,
}

/// Passes over the equations until nothing changes any more. `forced` are the relations that were found to change, as far as their values do
/// not say otherwise. True: both sides of all relations belong to the slots as they are.
pub fn settle(
    of: &mut impl Equations,
    scope: &mut Scope,
    forced: &mut Forced,
    means: Means,
    result: &mut EventResult,
) -> Result<bool, SimError> {
    let model = of.ev().model.clone();
    let model = &*model;
    let time = of.ev().time();
    let fail = |e: Failure| SimError::new("E0605", time, e);
    let Means { band, bound, .. } = means;
    let limit = bound.unwrap_or(MAX_PASSES);
    let mut circle = Some(Circle::default()).filter(|_| bound.is_none());
    let mut held = Held::default();
    let mut moving: Vec<Slot> = Vec::new();
    let mut passes: Vec<u64> = Vec::new();
    // How far apart the sides of forced relations were before the reinits of the last pass.
    let mut gaps: Vec<(usize, f64)> = Vec::new();
    let mut passed = false;
    for pass in 0..limit {
        let narrow = of.is_narrow();
        if narrow && pass == NARROW_PASSES {
            return settle_widely(of, scope, forced, means, result);
        }
        of.recall(pass == 0).map_err(fail)?;
        of.evaluate().map_err(fail)?;
        for (k, before) in gaps.drain(..) {
            if is_moved(of.ev(), k, before) {
                forced.retain(|f| f.0 != k);
            }
        }
        // Limits have followed the left limits of the last pass.
        if std::mem::take(&mut passed) {
            forced.retain(|&(k, _)| scope.located.is_same(of.ev(), k));
        }
        let near = nearness(pass, band);
        let mut changed = of.update_relations(model, scope, forced, (band, near));
        let conditions_changed = changed;
        keep_confirmed(of.ev(), model, scope, forced);
        if changed && pass + 1 < limit && held.goes_on(of.ev(), model, scope, narrow) {
            continue;
        }
        if changed && narrow {
            return settle_widely(of, scope, forced, means, result);
        }
        if changed && held.is_stuck() && bound.is_none() {
            changed = !held.search(of, scope, forced, band);
        }
        held.begin();
        if conditions_changed {
            of.evaluate_actions().map_err(fail)?;
        }
        of.agreed();
        let rest = means.prefer_rest || (REST_PASSES..2 * REST_PASSES).contains(&pass);
        let last = pass + 1 == limit;
        moving.clear();
        let watched = (rest || last).then_some(&mut moving);
        gaps.extend(forced.iter().map(|&(k, _)| (k, gap(of.ev(), k))));
        let moved = of.end_pass(model, scope, result, watched)?;
        changed |= moved.asks;
        if !moved.given {
            gaps.clear();
        }
        forced.retain(|&(k, _)| scope.located.is_same(of.ev(), k));
        passed = true;
        if !changed {
            if !narrow {
                scope.left_limits.settled(of.ev_mut());
            }
            return Ok(!moved.any);
        }
        if narrow {
            continue;
        }
        if pass >= CALM_PASSES
            && let Some(seen) = &mut circle
            && seen.closes(of.ev(), model, scope)
        {
            seen.search(of, scope, forced, band);
            circle = None;
        }
        if rest && moving.iter().any(|&s| !is_memory(model, s)) {
            rest_first(of, model, scope, forced);
        }
        if bound.is_some() && pass >= CALM_PASSES {
            passes.push(scope.left_limits.mark(of.ev()));
        }
        if last && bound.is_some() {
            let (now, before) = (passes.last(), passes.len().saturating_sub(1));
            if now.is_some_and(|m| passes[..before].contains(m)) {
                // More of these passes would not settle it either: it takes the means of an event without a bound.
                let means = Means {
                    bound: None,
                    ..means
                };
                return settle(of, scope, forced, means, result);
            }
            result.unsettled = true;
        } else if last {
            let mut failure = unsettled(time);
            failure.details = moving_texts(of.ev(), model, &moving);
            return Err(SimError {
                hint: Some(
                    "if they read each other at one instant, let one read pre() of the other"
                        .into(),
                ),
                ..SimError::new("E0606", time, failure)
            });
        }
    }
    Ok(false)
}

/// What is reached does not settle by itself: all equations take part.
#[cold]
fn settle_widely(
    of: &mut impl Equations,
    scope: &mut Scope,
    forced: &mut Forced,
    means: Means,
    result: &mut EventResult,
) -> Result<bool, SimError> {
    of.widen(scope, forced);
    settle(of, scope, forced, means, result)
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

/// Relations that went back to their old side were no crossings; those whose limits have moved are no longer the ones that crossed. One that went back because
/// its limits have moved is waited for: while the left limits are held they may move back, and then it has crossed as before.
pub(crate) fn keep_confirmed(
    ev: &Evaluator,
    model: &CompiledModel,
    scope: &Scope,
    forced: &mut Forced,
) {
    forced.retain(|&(k, memory)| {
        let crossed = (ev.get(model.relations[k].memory) != 0.0) == memory;
        crossed == scope.located.is_same(ev, k)
    });
}

/// Distance of the sides of relation `k`.
fn gap(ev: &Evaluator, k: usize) -> f64 {
    let r = &ev.model.relations[k];
    ev.get(r.lhs) - ev.get(r.rhs)
}

/// Have reinits moved the sides of relation `k`, or made them equal? That is meant, and no longer the crossing that was found.
fn is_moved(ev: &Evaluator, k: usize, before: f64) -> bool {
    let r = &ev.model.relations[k];
    let now = gap(ev, k);
    let size = ev.get(r.lhs).abs() + ev.get(r.rhs).abs() + before.abs();
    now != before && (now == 0.0 || (now - before).abs() > MOVED * size)
}

/// What still changes, in the words of the model: each condition and variable once.
fn moving_texts(ev: &Evaluator, model: &CompiledModel, moving: &[Slot]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for &slot in moving {
        let relation = model.relations.iter().position(|r| r.memory == slot);
        let what = match relation {
            Some(k) => format!("condition `{}`", relation_text(model, k)),
            None => format!("variable `{}`", model.var_name(slot)),
        };
        // A cut in a loop of Booleans stands for its variable.
        let own = relation.is_some_and(|k| cut_variable(model, k).is_some());
        let text = format!("{what} still changes (now {})", ev.get(slot));
        if !own && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.truncate(8);
    texts
}

fn is_memory(model: &CompiledModel, slot: Slot) -> bool {
    model.relations.iter().any(|r| r.memory == slot)
}

/// Conditions and the values they depend on can agree in more than one way: a stuck clutch and one that
/// has just begun to slide, for example. Takes the way in which as few conditions as possible hold: all that hold are taken
/// back, and only those that the values then ask for hold again.
fn rest_first(of: &mut impl Equations, model: &CompiledModel, scope: &Scope, forced: &Forced) {
    let ev = of.ev_mut();
    let all = scope.relations.iter().map(|&k| k as usize);
    let mut held: Vec<usize> = all
        .filter(|&k| {
            let r = &model.relations[k];
            !r.time_event && ev.get(r.memory) != 0.0 && forced.iter().all(|f| f.0 != k)
        })
        .collect();
    for &k in &held {
        ev.set(model.relations[k].memory, 0.0);
    }
    // Twice: the first values still suffer from conditions that were taken back by mistake.
    for _ in 0..2 {
        let done = of.evaluate().is_ok();
        let ev = of.ev_mut();
        held.retain(|&k| {
            let r = &model.relations[k];
            let again = !done || holds(r.op, ev.get(r.lhs), ev.get(r.rhs));
            if again {
                ev.set(r.memory, 1.0);
            }
            !again
        });
    }
}
