//! The event iteration of one part: it concerns no other part.

use ferrica_codegen::layout::Layout;
use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_sim::holds;

use crate::plan::EventPart;

/// Passes after which an event is taken never to settle.
const MAX_PASSES: usize = 200;

/// Memories of relations from their sides; true if one changed.
pub fn update(ev: &mut Evaluator, model: &CompiledModel, relations: &[u32]) -> bool {
    let mut changed = false;
    for &k in relations {
        let r = &model.relations[k as usize];
        let now = f64::from(u8::from(holds(r.op, ev.get(r.lhs), ev.get(r.rhs))));
        if ev.get(r.memory) != now {
            ev.set(r.memory, now);
            changed = true;
        }
    }
    changed
}

/// Evaluates the part until its conditions and left limits stay.
pub fn settle(ev: &mut Evaluator, model: &CompiledModel, part: &EventPart) -> Result<(), Failure> {
    for _ in 0..MAX_PASSES {
        ev.run(&part.program)?;
        let mut changed = update(ev, model, &part.relations);
        for &k in &part.reinits {
            let (state, condition, value) = model.reinits[k as usize];
            let value = ev.get(value);
            if ev.get(condition) != 0.0 && ev.get(state) != value {
                ev.set(state, value);
                changed = true;
            }
        }
        for &(now, pre, discrete) in &part.left_limits {
            let value = ev.get(now);
            let before = ev.get(pre);
            if value != before && !(value.is_nan() && before.is_nan()) {
                changed |= discrete;
                ev.set(pre, value);
            }
        }
        if !changed {
            return Ok(());
        }
    }
    let time = ev.get(Layout::TIME);
    Err(Failure::new(format!(
        "the event at time {time} does not settle: conditions keep changing each other"
    )))
}
