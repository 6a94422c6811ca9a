//! Events that accumulate, in engines that do not notice it themselves.
//!
//! In: the rows of a run. Out: the condition whose events accumulate, once its zero function moves on without them. An engine of finite
//! resolution, a grid or a quantum, loses the last events of such a series (a bouncing ball) and then goes on as if the condition
//! had no effect: the ball falls through the floor.

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::expr::Ty;
use ferrica_sim::CoarseEvents;

/// See the module comment.
pub struct Zeno {
    model: Arc<CompiledModel>,
    values: Vec<(String, f64)>,
    /// Relations that are no events of time.
    relations: Vec<usize>,
    events: CoarseEvents,
    zeros: Option<Box<Evaluator>>,
}

impl Zeno {
    /// For runs of a model with these values of parameters, by an engine that sees events on a grid with this step, or wherever they are if
    /// it is zero.
    pub fn new(model: &Arc<CompiledModel>, values: &[(String, f64)], step: f64) -> Zeno {
        let relations: Vec<usize> = (0..model.relations.len())
            .filter(|&k| !model.relations[k].time_event)
            .collect();
        Zeno {
            events: CoarseEvents::new(relations.len(), step),
            relations,
            model: model.clone(),
            values: values.to_vec(),
            zeros: None,
        }
    }

    /// An event of which there is no row: these relations have become so.
    pub fn changed(&mut self, time: f64, relations: &[(usize, bool)]) {
        for &(relation, memory) in relations {
            if let Ok(k) = self.relations.binary_search(&relation) {
                self.events.change(k, f64::from(u8::from(memory)), time);
            }
        }
    }

    /// A row: the relation whose events accumulate, and when.
    pub fn look(&mut self, time: f64, slots: &[f64]) -> Option<(usize, f64)> {
        let Zeno {
            model,
            values,
            relations,
            events,
            zeros,
        } = self;
        let memory = |k: usize| {
            let slot = model.relations[relations[k]].memory;
            slots.get(slot as usize).copied().unwrap_or(f64::NAN)
        };
        let zero = |k: usize| {
            let zeros = zeros.get_or_insert_with(|| Box::new(evaluator(model, values)));
            zero(zeros, relations[k], time, slots)
        };
        events.note(time, memory);
        let (k, at) = events.lost(time, zero)?;
        Some((relations[k], at))
    }
}

/// An evaluator of a model with these values.
fn evaluator(model: &Arc<CompiledModel>, values: &[(String, f64)]) -> Evaluator {
    let mut ev = Evaluator::new(model.clone());
    for (name, value) in values {
        if let Some((slot, negated)) = model.find(name) {
            ev.set_value(slot, if negated { -value } else { *value });
        }
    }
    // What fails here has failed in the run.
    let _ = ev.run_parameters();
    ev
}

/// The zero function of a relation, from the states of a row.
fn zero(ev: &mut Evaluator, relation: usize, time: f64, slots: &[f64]) -> Option<f64> {
    let model = ev.model.clone();
    // Texts and objects are those of this evaluator.
    let own = |slot: Slot| {
        let ty = (model.layout.var(slot)).map(|v| model.source.vars[v].var.ty);
        matches!(ty, Some(Ty::String | Ty::External))
    };
    let n = slots.len().min(model.layout.len());
    for (slot, &value) in slots[..n].iter().enumerate() {
        if !own(slot as Slot) {
            ev.slots[slot] = value;
        }
    }
    ev.set_time(time);
    ev.run(&model.zero_program).ok()?;
    let zero = ev.get(model.relations[relation].zero);
    zero.is_finite().then_some(zero)
}
