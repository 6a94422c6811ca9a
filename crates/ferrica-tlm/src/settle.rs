//! The event iteration of one part: it concerns no other part.

use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_sim::{failed_assertion, holds, unsettled};

use crate::plan::EventPart;

/// Passes after which an event is taken never to settle.
const MAX_PASSES: usize = 200;
/// Passes in which the conditions must agree with the values while the left limits are held; where they do not, the left limits go on with
/// each pass.
const HELD: usize = 10;

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

/// The present values of a part become its left limits.
pub fn keep_left_limits(ev: &mut Evaluator, part: &EventPart) {
    for &(now, pre, _) in &part.left_limits {
        let value = ev.get(now);
        ev.set(pre, value);
    }
}

/// Conditions and left limits of a part before an event.
pub struct Held {
    memories: Vec<f64>,
    left_limits: Vec<f64>,
}

impl Held {
    pub fn new(ev: &Evaluator, model: &CompiledModel, part: &EventPart) -> Held {
        let relations = part.relations.iter();
        let memories = relations.map(|&k| ev.get(model.relations[k as usize].memory));
        Held {
            memories: memories.collect(),
            left_limits: part.left_limits.iter().map(|l| ev.get(l.1)).collect(),
        }
    }

    /// As if there had been no event.
    pub fn restore(&self, ev: &mut Evaluator, model: &CompiledModel, part: &EventPart) {
        for (&k, &memory) in part.relations.iter().zip(&self.memories) {
            ev.set(model.relations[k as usize].memory, memory);
        }
        for (&(_, pre, _), &value) in part.left_limits.iter().zip(&self.left_limits) {
            ev.set(pre, value);
        }
    }
}

/// Evaluates the part until its conditions and left limits stay.
pub fn settle(ev: &mut Evaluator, model: &CompiledModel, part: &EventPart) -> Result<(), Failure> {
    let mut held = 0;
    for _ in 0..MAX_PASSES {
        ev.run(&part.program)?;
        let mut changed = update(ev, model, &part.relations);
        if changed && held < HELD {
            held += 1;
            continue;
        }
        if held < HELD {
            held = 0;
        }
        for &k in &part.reinits {
            let (state, condition, value) = model.reinits[k as usize];
            let value = ev.get(value);
            if ev.get(condition) != 0.0 && ev.get(state) != value {
                ev.set(state, value);
                changed = true;
            }
        }
        // A condition of its own may hold in this pass only.
        for &k in &part.assertions {
            let a = &model.assertions[k as usize];
            let holds = a.guard.is_none_or(|g| ev.get(g) == 0.0) || ev.get(a.value) != 0.0;
            if !holds {
                let warning = failed_assertion(ev, model, k as usize)?;
                ev.rt.warnings.push(warning.message);
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
    Err(unsettled(ev.time()))
}
