//! Conditions and their memories.
//!
//! In: the slots, with both sides of the relations. Out: which relations hold.

use ferrica_codegen::model::shorten;
use ferrica_codegen::{CompiledModel, Evaluator};
use ferrica_ir::print;
use ferrica_ir::{Expr, Ty};

use crate::problem::holds;
use crate::time_events::same_time;

/// Relations that change at an event for certain, with their new memories.
pub type Forced = Vec<(usize, bool)>;

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

/// The Boolean variable that a relation stands for, where it was made to cut a loop.
pub(crate) fn cut_variable(model: &CompiledModel, k: usize) -> Option<String> {
    let r = &model.source.relations[k];
    match model.source.exprs.get(r.lhs) {
        Expr::If(b, ..) if model.source.exprs.ty(b) == Ty::Boolean => {
            Some(print::expr(&model.source.exprs, &*model.source, b))
        }
        _ => None,
    }
}

/// Memories of these relations, whose sides are known; true if one changed. Those that are forced keep their side within `band` of
/// their zero, all others within `nearness`.
pub fn update_relations(
    ev: &mut Evaluator,
    model: &CompiledModel,
    relations: &[u32],
    forced: &Forced,
    band: f64,
    nearness: f64,
) -> bool {
    let mut changed = false;
    for &k in relations {
        let r = &model.relations[k as usize];
        let now = holds_now(ev, model, k as usize, forced, band, nearness);
        let value = f64::from(u8::from(now));
        if ev.get(r.memory) != value {
            ev.set(r.memory, value);
            changed = true;
        }
    }
    changed
}

/// Does some relation, its sides being known, disagree with its memory?
pub fn conditions_change(ev: &Evaluator, model: &CompiledModel) -> bool {
    model.relations.iter().any(|r| {
        let holds = holds(r.op, ev.get(r.lhs), ev.get(r.rhs));
        holds != (ev.get(r.memory) != 0.0)
    })
}

/// Does relation k hold? One that is forced keeps its new side within `band` of its zero, any other its present
/// side within `nearness`.
pub(crate) fn holds_now(
    ev: &Evaluator,
    model: &CompiledModel,
    k: usize,
    forced: &Forced,
    band: f64,
    nearness: f64,
) -> bool {
    let r = &model.relations[k];
    let (lhs, rhs) = (ev.get(r.lhs), ev.get(r.rhs));
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
        return ev.get(r.memory) != 0.0;
    }
    holds_by_values(ev, model, k)
}

/// Does relation k hold by the values of its sides? A threshold that rounding has moved past the present time is at it.
pub fn holds_by_values(ev: &Evaluator, model: &CompiledModel, k: usize) -> bool {
    let r = &model.relations[k];
    let (lhs, rhs) = (ev.get(r.lhs), ev.get(r.rhs));
    match r.time_event && same_time(lhs, rhs) {
        true => holds(r.op, 0.0, 0.0),
        false => holds(r.op, lhs, rhs),
    }
}
