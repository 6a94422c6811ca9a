//! How everything moves at an event: directions that are led through its passes.
//!
//! In: tangents of all slots at the instant of the event, one vector a direction. Out: the same once the event has settled. Each pass
//! is differentiated where it has been evaluated; left limits move as what they take their values from.

use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};

/// Tangents at an event, led through its passes.
#[derive(Default)]
pub struct EventTangents {
    pub directions: Vec<Vec<f64>>,
    /// The first failure of a linearization.
    pub failure: Option<Failure>,
}

impl EventTangents {
    /// Left limits move as the present values do.
    pub(crate) fn take_present(&mut self, model: &CompiledModel) {
        for d in &mut self.directions {
            for &(now, pre) in &model.layout.pre_pairs {
                d[pre as usize] = d[now as usize];
            }
        }
    }

    /// All blocks have been evaluated with the left limits of this pass.
    pub(crate) fn pass(&mut self, ev: &mut Evaluator, model: &CompiledModel) {
        let Some(tangents) = &model.tangents else {
            return;
        };
        if let Err(e) = ev.prepare(&tangents.event) {
            self.failure.get_or_insert(e);
            return;
        }
        for d in &mut self.directions {
            ev.propagate(&tangents.event, d);
            let new: Vec<(Slot, f64)> = (model.reinits.iter())
                .filter(|(_, condition, _)| ev.get(*condition) != 0.0)
                .map(|&(state, _, value)| (state, d[value as usize]))
                .collect();
            for (state, value) in new {
                d[state as usize] = value;
            }
        }
    }
}
