//! The event iteration of one part: it concerns no other part.

use ferrica_codegen::program::Program;
use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_hybrid::{Equations, EventResult, Forced, Means, Scope, SimError, settle};

use crate::plan::EventPart;

/// The equations of a part.
struct OfPart<'a> {
    ev: &'a mut Evaluator,
    program: &'a Program,
    actions: &'a Program,
}

impl Equations for OfPart<'_> {
    fn ev(&self) -> &Evaluator {
        self.ev
    }

    fn ev_mut(&mut self) -> &mut Evaluator {
        self.ev
    }

    /// What comes from other parts is there already.
    fn recall(&mut self, _first: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn evaluate(&mut self) -> Result<(), Failure> {
        self.ev.run(self.program)
    }

    fn evaluate_actions(&mut self) -> Result<(), Failure> {
        self.ev.run(self.actions)
    }
}

/// Conditions and left limits of a part before an event.
pub struct Held {
    memories: Vec<f64>,
    left_limits: Vec<f64>,
}

impl Held {
    pub fn new(ev: &Evaluator, model: &CompiledModel, scope: &Scope) -> Held {
        let relations = scope.relations.iter();
        let memories = relations.map(|&k| ev.get(model.relations[k as usize].memory));
        Held {
            memories: memories.collect(),
            left_limits: scope.left_limits.values(ev),
        }
    }

    /// As if there had been no event.
    pub fn restore(&self, ev: &mut Evaluator, model: &CompiledModel, scope: &Scope) {
        for (&k, &memory) in scope.relations.iter().zip(&self.memories) {
            ev.set(model.relations[k as usize].memory, memory);
        }
        scope.left_limits.put(ev, &self.left_limits);
    }
}

/// Evaluates the part until its conditions and left limits stay. `scope` is that of the part, `forced` are conditions that turn right
/// behind the present time.
pub fn settle_part(
    ev: &mut Evaluator,
    part: &EventPart,
    scope: &mut Scope,
    mut forced: Forced,
    means: Means,
) -> Result<(), Failure> {
    let mut result = EventResult::default();
    let mut equations = OfPart {
        ev,
        program: &part.program,
        actions: &part.actions,
    };
    let settled = settle(&mut equations, scope, &mut forced, means, &mut result);
    let told = result.warnings.into_iter().map(|w| w.message);
    ev.rt.warnings.extend(told);
    settled.map(|_| ()).map_err(plain)
}

/// The failure with what helps; its cause has the code.
pub fn plain(e: SimError) -> Failure {
    let mut failure = e.failure;
    failure.details.extend(e.hint);
    failure
}
