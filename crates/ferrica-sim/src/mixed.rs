//! Conditions and equations that must be solved together.
//!
//! Passes that take the conditions from the solution before can go round in a circle: where a hysteresis folds back, the branch
//! that was left and the unstable one in the middle ask for each other, and the far branch is never tried. Then the conditions
//! whose values move in the circle are tried in all combinations, those first that change least, until one agrees with the
//! solution that belongs to it.

use ferrica_codegen::CompiledModel;

use crate::events::{Forced, holds_now};
use crate::problem::Problem;

/// Most conditions that are tried in all combinations.
const MAX_CONDITIONS: usize = 10;

/// What the conditions of an event were in its last passes.
#[derive(Default)]
pub struct Circle {
    /// Memories, and distances from zero, of all conditions after each of the last passes.
    passes: Vec<(Vec<bool>, Vec<f64>)>,
}

impl Circle {
    /// Notes a pass; true if its conditions are those of an earlier one and not of the last.
    pub fn closes(&mut self, p: &Problem, model: &CompiledModel) -> bool {
        let memories: Vec<bool> = (model.relations.iter())
            .map(|r| p.ev.get(r.memory) != 0.0)
            .collect();
        let distances = (model.relations.iter())
            .map(|r| p.ev.get(r.lhs) - p.ev.get(r.rhs))
            .collect();
        let last = self.passes.last().is_some_and(|(m, _)| *m == memories);
        let earlier = self.passes.iter().any(|(m, _)| *m == memories);
        self.passes.push((memories, distances));
        earlier && !last
    }

    /// Conditions that changed, or whose values moved, in the noted passes.
    fn moving(&self, model: &CompiledModel) -> Vec<usize> {
        let Some((first, rest)) = self.passes.split_first() else {
            return Vec::new();
        };
        (0..model.relations.len())
            .filter(|&k| {
                !model.relations[k].time_event
                    && (rest.iter()).any(|(m, d)| m[k] != first.0[k] || d[k] != first.1[k])
            })
            .collect()
    }

    /// Finds conditions that agree with their solution and leaves the problem there; otherwise the problem is as before.
    pub fn search(
        &self,
        p: &mut Problem,
        model: &CompiledModel,
        forced: &Forced,
        band: f64,
    ) -> bool {
        let moving = self.moving(model);
        if moving.is_empty() || moving.len() > MAX_CONDITIONS {
            return false;
        }
        let before = p.ev.slots.clone();
        let now: Vec<bool> = (moving.iter())
            .map(|&k| p.ev.get(model.relations[k].memory) != 0.0)
            .collect();
        let mut flips: Vec<u32> = (0..1 << moving.len()).collect();
        flips.sort_by_key(|f: &u32| f.count_ones());
        for flip in flips {
            p.ev.slots.copy_from_slice(&before);
            for (bit, &k) in moving.iter().enumerate() {
                let value = now[bit] != (flip >> bit & 1 == 1);
                p.ev.set(model.relations[k].memory, f64::from(u8::from(value)));
            }
            if agrees(p, model, forced, band) {
                return true;
            }
        }
        p.ev.slots.copy_from_slice(&before);
        false
    }
}

/// Solves for the present conditions; do they hold there?
fn agrees(p: &mut Problem, model: &CompiledModel, forced: &Forced, band: f64) -> bool {
    p.ev.run(&model.event_program).is_ok()
        && p.ev.run(&model.relation_program).is_ok()
        && (model.relations.iter().enumerate())
            .all(|(k, r)| holds_now(p, model, k, forced, band, 0.0) == (p.ev.get(r.memory) != 0.0))
}
