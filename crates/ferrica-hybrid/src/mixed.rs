//! Conditions and equations that must be solved together.
//!
//! While the left limits are held, the equations of an event are a mixed system: conditions depend on values that depend on the
//! conditions. Evaluating again with the conditions that follow from the last values mostly finds the solution.
//!
//! Passes that take the conditions from the solution before can go round in a circle: where a hysteresis folds back, the branch
//! that was left and the unstable one in the middle ask for each other, and the far branch is never tried. Then the conditions
//! whose values move in the circle are tried in all combinations, those first that change least, until one agrees with the
//! solution that belongs to it. Where they are many, or none agrees, the passes begin again from rest, with none of them holding: a
//! clutch that would slide forward if it slid backward, and the other way round, may stick.

use ferrica_codegen::{CompiledModel, Evaluator};

use crate::relations::{Forced, holds_now, update_relations};
use crate::scope::{Equations, Scope};

/// Most conditions that are tried in all combinations.
const MAX_CONDITIONS: usize = 10;

/// Passes in which nearly every event settles by itself.
pub const CALM_PASSES: usize = 3;
/// Evaluations in which the conditions must agree with the values while the left limits are held; where they do not, the
/// left limits go on with each evaluation.
pub const HELD_EVALUATIONS: usize = 10;

/// The evaluations of an event with the same left limits.
#[derive(Default)]
pub struct Held {
    evaluations: usize,
    circle: Circle,
    stuck: bool,
    given_up: bool,
}

impl Held {
    /// The left limits have changed.
    pub fn begin(&mut self) {
        self.given_up |= self.stuck;
        self.evaluations = 0;
        self.circle.passes.clear();
    }

    /// Conditions have changed: evaluate again with the same left limits? Of a few conditions that are reached only the evaluations are counted.
    pub fn goes_on(
        &mut self,
        ev: &Evaluator,
        model: &CompiledModel,
        scope: &Scope,
        narrow: bool,
    ) -> bool {
        self.evaluations += 1;
        if narrow {
            return self.evaluations < HELD_EVALUATIONS;
        }
        if self.given_up {
            return false;
        }
        self.stuck = self.evaluations >= CALM_PASSES
            && (self.circle.closes(ev, model, scope) || self.evaluations >= HELD_EVALUATIONS);
        !self.stuck
    }

    /// The conditions go in circles?
    pub fn is_stuck(&self) -> bool {
        self.stuck && !self.given_up
    }

    /// Finds conditions that agree with their solution, among all combinations or from rest.
    pub fn search(
        &mut self,
        of: &mut impl Equations,
        scope: &Scope,
        forced: &Forced,
        band: f64,
    ) -> bool {
        let found = self.circle.search(of, scope, forced, band)
            || self.circle.begin_at_rest(of, scope, forced, band);
        self.stuck = !found;
        found
    }
}

/// What the conditions of an event were in its last passes.
#[derive(Default)]
pub struct Circle {
    /// Memories, and distances from zero, of all conditions after each of the last passes.
    passes: Vec<(Vec<bool>, Vec<f64>)>,
}

impl Circle {
    /// Notes a pass; true if its conditions are those of an earlier one and not of the last.
    pub fn closes(&mut self, ev: &Evaluator, model: &CompiledModel, scope: &Scope) -> bool {
        let relations = (scope.relations.iter()).map(|&k| &model.relations[k as usize]);
        let memories: Vec<bool> = (relations.clone())
            .map(|r| ev.get(r.memory) != 0.0)
            .collect();
        let distances = relations.map(|r| ev.get(r.lhs) - ev.get(r.rhs)).collect();
        let last = self.passes.last().is_some_and(|(m, _)| *m == memories);
        let earlier = self.passes.iter().any(|(m, _)| *m == memories);
        self.passes.push((memories, distances));
        earlier && !last
    }

    /// Conditions that changed in the noted passes.
    pub fn turning(&self, model: &CompiledModel, scope: &Scope) -> Vec<usize> {
        let mut turning = self.moving(model, scope);
        let at = |k: usize| scope.relations.iter().position(|&r| r as usize == k);
        turning.retain(|&k| {
            let mut sides = self.passes.iter().filter_map(|(m, _)| Some(m[at(k)?]));
            let first = sides.next();
            sides.any(|m| Some(m) != first)
        });
        turning
    }

    /// Conditions that changed, or whose values moved, in the noted passes.
    fn moving(&self, model: &CompiledModel, scope: &Scope) -> Vec<usize> {
        let Some((first, rest)) = self.passes.split_first() else {
            return Vec::new();
        };
        let all = scope.relations.iter().map(|&k| k as usize).enumerate();
        all.filter(|&(at, k)| {
            !model.relations[k].time_event
                && (rest.iter()).any(|(m, d)| m[at] != first.0[at] || d[at] != first.1[at])
        })
        .map(|(_, k)| k)
        .collect()
    }

    /// Finds conditions that agree with their solution and leaves the problem there; otherwise the problem is as before.
    pub fn search(
        &self,
        of: &mut impl Equations,
        scope: &Scope,
        forced: &Forced,
        band: f64,
    ) -> bool {
        let model = of.ev().model.clone();
        let moving = self.moving(&model, scope);
        if moving.is_empty() || moving.len() > MAX_CONDITIONS {
            return false;
        }
        let before = of.ev().slots.clone();
        let now: Vec<bool> = (moving.iter())
            .map(|&k| of.ev().get(model.relations[k].memory) != 0.0)
            .collect();
        let mut flips: Vec<u32> = (0..1 << moving.len()).collect();
        flips.sort_by_key(|f: &u32| f.count_ones());
        for flip in flips {
            let ev = of.ev_mut();
            ev.slots.copy_from_slice(&before);
            for (bit, &k) in moving.iter().enumerate() {
                let value = now[bit] != (flip >> bit & 1 == 1);
                ev.set(model.relations[k].memory, f64::from(u8::from(value)));
            }
            if agrees(of, scope, forced, band) {
                return true;
            }
        }
        of.ev_mut().slots.copy_from_slice(&before);
        false
    }

    /// The same by passes that begin with none of the moving conditions holding.
    fn begin_at_rest(
        &self,
        of: &mut impl Equations,
        scope: &Scope,
        forced: &Forced,
        band: f64,
    ) -> bool {
        let before = of.ev().slots.clone();
        let model = of.ev().model.clone();
        for k in self.moving(&model, scope) {
            of.ev_mut().set(model.relations[k].memory, 0.0);
        }
        for _ in 0..HELD_EVALUATIONS {
            if of.evaluate().is_err() {
                break;
            }
            if !update_relations(of.ev_mut(), &model, &scope.relations, forced, band, 0.0) {
                return true;
            }
        }
        of.ev_mut().slots.copy_from_slice(&before);
        false
    }
}

/// Solves for the present conditions; do they hold there?
fn agrees(of: &mut impl Equations, scope: &Scope, forced: &Forced, band: f64) -> bool {
    if of.evaluate().is_err() {
        return false;
    }
    let ev = of.ev();
    let holds = |k: usize| ev.get(ev.model.relations[k].memory) != 0.0;
    let mut all = scope.relations.iter().map(|&k| k as usize);
    all.all(|k| holds_now(ev, &ev.model, k, forced, band, 0.0) == holds(k))
}
