//! How everything moves at an event: directions that are led through its passes.
//!
//! In: tangents of all slots at the instant of the event. Out: the same once the event has settled. Each pass
//! is differentiated where it has been evaluated; left limits move as what they take their values from.

use ferrica_codegen::tangents::Directions;
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};

/// Tangents at an event, led through its passes.
#[derive(Default)]
pub struct EventTangents {
    pub directions: Directions,
    /// The first failure of a linearization.
    pub failure: Option<Failure>,
}

impl EventTangents {
    /// Left limits move as the present values do.
    pub(crate) fn take_present(&mut self, model: &CompiledModel) {
        for &(now, pre) in &model.layout.pre_pairs {
            self.directions.copy(now, pre);
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
        ev.propagate(&tangents.event, &mut self.directions);
        let acting = (model.reinits.iter()).filter(|(_, condition, _)| ev.get(*condition) != 0.0);
        let directions = &mut self.directions;
        let new: Vec<(Slot, usize, f64)> = acting
            .flat_map(|&(state, _, value)| (0..directions.count()).map(move |d| (state, d, value)))
            .map(|(state, d, value)| (state, d, directions.get(value, d)))
            .collect();
        for (state, d, moved) in new {
            directions.set(state, d, moved);
        }
    }
}
