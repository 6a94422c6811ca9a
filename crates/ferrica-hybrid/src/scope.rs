//! What takes part in an event: all of a model, or a part of it whose events concern no other part.

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};

use crate::actions::take_actions;
use crate::error::SimError;
use crate::events::EventResult;
use crate::left_limits::{LeftLimits, Moved};
use crate::problem::Problem;
use crate::readers::{Located, SamplerReaders};
use crate::relations::{Forced, update_relations};

/// See the module comment. Numbers of relations and actions are those of the model.
#[derive(Clone, Default)]
pub struct Scope {
    pub relations: Vec<u32>,
    pub reinits: Vec<u32>,
    pub terminates: Vec<u32>,
    pub effects: Vec<u32>,
    /// Only those with a condition of their own are looked at in the passes.
    pub assertions: Vec<u32>,
    pub left_limits: LeftLimits,
    /// Crossings that the event began with.
    pub located: Located,
    /// Who reads each sampler of the model; where that is not known, all are read.
    readers: Arc<[SamplerReaders]>,
    /// Samplers whose instant it is, until the first pass has ended.
    sampled: Vec<usize>,
}

impl Scope {
    /// All of a model.
    pub fn all(model: &CompiledModel) -> Scope {
        let numbers = |n: usize| (0..n as u32).collect();
        Scope {
            relations: numbers(model.relations.len()),
            reinits: numbers(model.reinits.len()),
            terminates: numbers(model.terminates.len()),
            effects: numbers(model.effects.len()),
            assertions: numbers(model.assertions.len()),
            left_limits: LeftLimits::new(model),
            located: Located::new(model),
            readers: SamplerReaders::new(model).into(),
            sampled: Vec::new(),
        }
    }

    /// A part of a model, whose relations are not located.
    pub fn part(
        relations: &[u32],
        reinits: &[u32],
        assertions: &[u32],
        left_limits: LeftLimits,
    ) -> Scope {
        Scope {
            relations: relations.to_vec(),
            reinits: reinits.to_vec(),
            assertions: assertions.to_vec(),
            left_limits,
            ..Scope::default()
        }
    }

    /// It is the instant of these samplers: `sample` is true in the first pass of an event, and in no other.
    pub fn sample(&mut self, ev: &mut Evaluator, samplers: &[usize]) {
        self.sampled.clear();
        self.sampled.extend_from_slice(samplers);
        for &k in samplers {
            let memory = ev.model.samplers[k].0;
            ev.set(memory, 1.0);
        }
    }

    /// The first pass has ended. That alone asks for no second one: conditions are for the rise of a sampler, and so are when-clauses; true if
    /// something else reads it.
    pub fn samplers_fall(&mut self, ev: &mut Evaluator) -> bool {
        let mut noticed = false;
        for k in self.sampled.drain(..) {
            let memory = ev.model.samplers[k].0;
            ev.set(memory, 0.0);
            noticed |= self.readers.get(k).is_none_or(|r| r.falls(ev));
        }
        noticed
    }
}

/// How the equations that take part in an event are evaluated.
pub trait Equations {
    fn ev(&self) -> &Evaluator;
    fn ev_mut(&mut self) -> &mut Evaluator;
    /// A pass begins: what comes from the past.
    fn recall(&mut self, first: bool) -> Result<(), Failure>;
    /// All of them, with the conditions and left limits as they are.
    fn evaluate(&mut self) -> Result<(), Failure>;
    /// The conditions of actions alone.
    fn evaluate_actions(&mut self) -> Result<(), Failure>;
    /// Conditions and values of a pass agree; its actions come next.
    fn agreed(&mut self) {}
    /// All left limits have taken the present values.
    fn passed(&mut self) {}
    /// Memories of the conditions; true if one changed. See [`update_relations`] for the band and the nearness.
    fn update_relations(
        &mut self,
        model: &CompiledModel,
        scope: &Scope,
        forced: &Forced,
        (band, near): (f64, f64),
    ) -> bool {
        update_relations(self.ev_mut(), model, &scope.relations, forced, band, near)
    }
    /// Actions and left limits. What asks for another pass is put into `moving`.
    fn end_pass(
        &mut self,
        model: &CompiledModel,
        scope: &mut Scope,
        result: &mut EventResult,
        moving: Option<&mut Vec<Slot>>,
    ) -> Result<Moved, SimError> {
        end_pass(self, model, scope, result, moving)
    }
    /// Do only those equations take part that the event reaches? Then [`Equations::widen`] lets all of the model do.
    fn is_narrow(&self) -> bool {
        false
    }
    fn widen(&mut self, scope: &mut Scope, forced: &mut Forced) {
        let _ = (scope, forced);
    }
}

/// The end of a pass over all equations of a scope: actions, left limits, samplers.
pub(crate) fn end_pass(
    of: &mut (impl Equations + ?Sized),
    model: &CompiledModel,
    scope: &mut Scope,
    result: &mut EventResult,
    mut moving: Option<&mut Vec<Slot>>,
) -> Result<Moved, SimError> {
    let ev = of.ev_mut();
    let values = take_actions(ev, model, scope, result)?;
    for &(state, value) in &values {
        ev.set(state, value);
    }
    let mut moved = scope.left_limits.take_present(ev, |slot| {
        if let Some(list) = &mut moving {
            list.push(slot);
        }
    });
    of.passed();
    moved.given = !values.is_empty();
    moved.asks |= moved.given | scope.samplers_fall(of.ev_mut());
    Ok(moved)
}

impl Equations for Problem {
    fn ev(&self) -> &Evaluator {
        &self.ev
    }

    fn ev_mut(&mut self) -> &mut Evaluator {
        &mut self.ev
    }

    fn recall(&mut self, first: bool) -> Result<(), Failure> {
        if first || !self.delays.all_constant() {
            self.apply_delays()?;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<(), Failure> {
        self.ev.exec(&self.model, &self.model.event_program)
    }

    fn evaluate_actions(&mut self) -> Result<(), Failure> {
        self.ev.exec(&self.model, &self.model.action_program)
    }

    fn agreed(&mut self) {
        if let Some(tangents) = &mut self.tangents {
            tangents.pass(&mut self.ev, &self.model);
        }
    }

    fn passed(&mut self) {
        if let Some(tangents) = &mut self.tangents {
            tangents.take_present(&self.model);
        }
    }
}
