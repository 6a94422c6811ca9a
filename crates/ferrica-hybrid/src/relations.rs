//! Conditions and their memories.
//!
//! In: the slots, with both sides of the relations. Out: which relations hold, and the sides and widths with which a search for their next
//! crossing begins.

use ferrica_codegen::model::shorten;
use ferrica_codegen::{CompiledModel, Evaluator};
use ferrica_ir::print;
use ferrica_ir::{Expr, Ty};

use crate::problem::{Problem, holds, side};

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
    holds(r.op, lhs, rhs)
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
