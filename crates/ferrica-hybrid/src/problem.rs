//! The continuous problem between two events, as the integrators see it.
//!
//! ODE form: y are the states, ẏ follows by the causal program. DAE form: y are the states and the
//! algebraic unknowns, F(t, y, y') = 0 are all continuous equations.

use std::sync::Arc;

use ferrica_codegen::limits::Limits;
use ferrica_codegen::model::DaeForm;
use ferrica_codegen::program::Program;
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::expr::BinaryOp;
use ferrica_ir::print::brief;
use ferrica_solvers::sparse::CscPattern;
use ferrica_solvers::system::{DaeSystem, EvalError, OdeSystem};
use ferrica_solvers::vectors::{all_finite, assign};

use crate::crossings::{Side, Watch};
use crate::delay::DelayBuffers;
use crate::look_ahead::LookAhead;
use crate::reached::Reached;
use crate::readers::Shape;
use crate::relations::Forced;
use crate::scope::Scope;
use crate::state_zeros::{StateZero, state_zeros};
use crate::tangents::EventTangents;

/// Below so many blocks a pass over all of them is as cheap as one over what is reached.
const LEAST_BLOCKS: usize = 256;

/// See the module comment.
pub struct Problem {
    /// Inputs that jump at the next event.
    pub arriving: Vec<(Slot, f64)>,
    /// That of the evaluator.
    pub(crate) model: Arc<CompiledModel>,
    pub ev: Evaluator,
    pub delays: DelayBuffers,
    /// State-event relations: index into `model.relations`.
    pub crossings: Vec<usize>,
    /// For each of them its side and the width ε of its hysteresis.
    pub sides: Vec<Side>,
    /// One of them that perhaps chatters.
    pub watch: Option<Watch>,
    /// A model without states is integrated with one that stands still.
    pub dummy: bool,
    pub dae: bool,
    /// At events, of several ways in which conditions and values agree take the one at rest.
    pub prefer_rest: bool,
    /// Why the last evaluation failed.
    pub failure: Option<Failure>,
    /// Time at which all continuous blocks were evaluated, if nothing has changed since then.
    pub consistent: Option<f64>,
    /// Events are settled over what they reach: in large models.
    pub by_reach: bool,
    /// What that needs to know, from the first of them on.
    pub(crate) reached: Option<Box<Reached>>,
    /// At the last event only some relations were evaluated: those that were reached.
    pub only_touched: bool,
    /// The zero functions of all crossings were evaluated when their sides were set.
    pub zeros_are_current: bool,
    /// Both sides of all relations belong to the slots as they are.
    pub relations_are_current: bool,
    /// Slot of the zero function of each crossing.
    pub zeros: Vec<Slot>,
    /// All of them, if they are states compared with numbers.
    pub(crate) state_zeros: Option<Box<[StateZero]>>,
    /// All of the model takes part in its events.
    pub scope: Scope,
    /// Changes of relations at an event as far as it has confirmed them: room for the list.
    pub confirmed: Forced,
    /// Relations that are linear in time.
    pub(crate) time_relations: Vec<usize>,
    /// Programs of single relations, made when they are first located.
    pub(crate) single: Vec<Option<Program>>,
    /// Followed through the passes of events.
    pub tangents: Option<Box<EventTangents>>,
    guesses: Guesses,
    pub(crate) look_ahead: LookAhead,
    /// Limited exponentials of the DAE form, once an iteration has needed them.
    pub(crate) limits: Option<Box<Limits>>,
    /// Room for the unknowns of the DAE form and their derivatives.
    point: (Vec<f64>, Vec<f64>),
    pub(crate) known: Known,
    /// Numbers of the delays that are read for each [`Purpose`].
    reads: [Box<[u32]>; 3],
    shape: Shape,
}

/// What delayed values are wanted for.
#[derive(Clone, Copy)]
enum Purpose {
    Derivatives,
    Zeros,
    Sources,
}

/// What is known at the point where an integration begins, so that the integrator's first questions need no evaluation.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) time: f64,
    derivatives: bool,
    pub(crate) roots: bool,
    /// Zero functions of the crossings there.
    pub(crate) zeros: Vec<f64>,
}

/// Where the iterations of nonlinear systems begin: at the last values while time goes on, at those of the last accepted
/// point when it goes back. A system with several solutions would else keep the branch of a step that was rejected.
#[derive(Default)]
struct Guesses {
    slots: Vec<Slot>,
    values: Vec<f64>,
    /// Time of the last evaluation.
    time: f64,
}

impl Guesses {
    fn new(ev: &Evaluator) -> Guesses {
        let nonlinear = ev
            .model
            .systems
            .values()
            .filter(|s| matches!(s.kind, ferrica_codegen::model::SystemKind::Nonlinear { .. }));
        let mut slots: Vec<Slot> = nonlinear.flat_map(|s| s.unknowns.iter().copied()).collect();
        slots.sort_unstable();
        slots.dedup();
        Guesses {
            values: slots.iter().map(|&s| ev.get(s)).collect(),
            slots,
            time: f64::NEG_INFINITY,
        }
    }

    fn accept(&mut self, ev: &Evaluator) {
        for (value, &slot) in self.values.iter_mut().zip(&self.slots) {
            *value = ev.get(slot);
        }
        self.time = ev.time();
    }

    #[inline]
    fn at(&mut self, ev: &mut Evaluator, t: f64) {
        if self.slots.is_empty() {
            return;
        }
        if t < self.time {
            for (&value, &slot) in self.values.iter().zip(&self.slots) {
                ev.set(slot, value);
            }
        }
        self.time = t;
    }
}

/// Are events better settled over what they reach than over all blocks? Delays and dynamic states ask for all.
fn is_large(model: &CompiledModel) -> bool {
    let plain = model.delays.is_empty()
        && model.transports.is_empty()
        && model.dynamic_states.is_empty()
        && model.effects.iter().all(|e| e.guard.is_some());
    model.main.blocks.len() >= LEAST_BLOCKS && plain
}

/// Does the relation hold?
pub fn holds(op: BinaryOp, lhs: f64, rhs: f64) -> bool {
    match op {
        BinaryOp::Lt => lhs < rhs,
        BinaryOp::Le => lhs <= rhs,
        BinaryOp::Gt => lhs > rhs,
        BinaryOp::Ge => lhs >= rhs,
        BinaryOp::Eq => lhs == rhs,
        _ => lhs != rhs,
    }
}

/// Sign of lhs − rhs on which a relation with this memory is.
pub fn side(op: BinaryOp, memory: bool) -> f64 {
    match op {
        BinaryOp::Gt | BinaryOp::Ge => {
            if memory {
                1.0
            } else {
                -1.0
            }
        }
        _ => {
            if memory {
                -1.0
            } else {
                1.0
            }
        }
    }
}

impl Problem {
    pub fn new(ev: Evaluator) -> Problem {
        let model = ev.model.clone();
        let crossings: Vec<usize> = (0..model.relations.len())
            .filter(|&k| !model.relations[k].time_event)
            .collect();
        let delays = DelayBuffers::new(&model);
        let programs = [
            &model.rhs_program,
            &model.zero_program,
            &model.delay_program,
        ];
        Problem {
            shape: Shape::new(&model),
            reads: programs.map(|program| delays.read_by(&model, program)),
            delays,
            sides: vec![Side::default(); crossings.len()],
            watch: None,
            dummy: model.layout.n_states == 0 && model.dae.is_none(),
            dae: model.dae.is_some(),
            failure: None,
            prefer_rest: false,
            consistent: None,
            by_reach: is_large(&model),
            reached: None,
            only_touched: false,
            zeros_are_current: false,
            relations_are_current: false,
            single: vec![None; crossings.len()],
            state_zeros: state_zeros(&model, &crossings),
            scope: Scope::all(&model),
            arriving: Vec::new(),
            confirmed: Vec::new(),
            time_relations: (0..model.relations.len())
                .filter(|&k| model.relations[k].time_event)
                .collect(),
            zeros: crossings.iter().map(|&k| model.relations[k].zero).collect(),
            crossings,
            tangents: None,
            guesses: Guesses::new(&ev),
            look_ahead: LookAhead::default(),
            limits: None,
            point: (Vec::new(), Vec::new()),
            known: Known::default(),
            ev,
            model,
        }
    }

    /// The DAE form, if that is what is integrated.
    fn dae_form(&self) -> Option<&DaeForm> {
        self.ev.model.dae.as_ref().filter(|_| self.dae)
    }

    /// Integrates the causal form from now on, whatever was compiled.
    pub fn use_ode_form(&mut self) {
        self.dae = false;
        self.dummy = self.ev.model.layout.n_states == 0;
    }

    /// Number of unknowns of the integrator.
    pub fn size(&self) -> usize {
        match self.dae_form() {
            Some(dae) => dae.unknowns.len(),
            None => self.ev.model.layout.n_states.max(1),
        }
    }

    pub fn unknown_slot(&self, i: usize) -> Option<Slot> {
        match self.dae_form() {
            Some(dae) => dae.unknowns.get(i).copied(),
            None => (!self.dummy).then(|| self.ev.model.layout.states + i as Slot),
        }
    }

    /// Present unknowns and derivatives.
    pub fn gather(&self, y: &mut Vec<f64>, yp: &mut Vec<f64>) {
        y.clear();
        yp.clear();
        if let Some(dae) = self.dae_form() {
            y.extend(dae.unknowns.iter().map(|&s| self.ev.get(s)));
            yp.extend_from_slice(self.ev.derivatives());
        } else {
            y.extend_from_slice(self.ev.states());
            yp.extend_from_slice(self.ev.derivatives());
        }
        if self.dummy {
            y.push(0.0);
        }
        yp.resize(y.len(), 0.0);
    }

    /// What has to be remembered beside the slots, for a [`crate::Snapshot`].
    pub fn memory(&self) -> Vec<f64> {
        self.delays.save()
    }

    /// The present values are a point of the solution.
    pub fn accept(&mut self) {
        self.guesses.accept(&self.ev);
    }

    /// No condition has changed and the zero functions are known: may their search go on with the sides and widths it had?
    pub fn keeps_sides(&mut self) -> bool {
        self.zeros_are_current = true;
        !(0..self.crossings.len()).any(|k| self.root(k) <= 0.0)
    }

    /// The slots hold a settled point from which an integration begins now: derivatives and zero functions are known there.
    pub fn begin_here(&mut self) {
        let known = &mut self.known;
        known.time = self.ev.time();
        known.derivatives = !self.dae;
        known.roots = self.zeros_are_current && self.delays.lines.is_empty();
        known.zeros.clear();
        known
            .zeros
            .extend(self.zeros.iter().map(|&s| self.ev.get(s)));
    }

    /// The integration has begun.
    pub fn has_begun(&mut self) {
        self.known.derivatives = false;
    }

    /// What an event that is settled over what it reaches needs to know; to be given back to `reached`.
    pub(crate) fn take_reached(&mut self) -> Option<Box<Reached>> {
        let model = &self.model;
        let made = self.reached.take();
        self.by_reach
            .then(|| made.unwrap_or_else(|| Box::new(Reached::of_evaluated(model))))
    }

    /// An event begins.
    pub fn before_event(&mut self) {
        self.shape.note(&self.ev);
    }

    /// Does the settling of an event begin with the values of all variables, not those of the states alone?
    pub fn events_read_all(&self) -> bool {
        self.dae
            || self.by_reach
            || self.scope.left_limits.of_computed
            || !self.delays.lines.is_empty()
            || !self.model.dynamic_states.is_empty()
    }

    /// May delayed signals be remembered later than an event inside of a step, if that goes on?
    pub fn signals_may_wait(&self) -> bool {
        !self.dae
            && !self.dummy
            && self.delays.lines.is_empty()
            && self.delays.may_fall_behind(&self.ev)
    }

    /// Does the solution go on after an event as it would have without it? The states must be those before it, and nothing that
    /// the derivatives are computed from may have changed. Not asked of the form in which algebraic unknowns are integrated.
    pub fn goes_on(&self, states: &[f64]) -> bool {
        !self.dae
            && !self.dummy
            && self.delays.lines.is_empty()
            && !self.delays.jumped
            && self.model.dynamic_states.is_empty()
            && self.ev.states() == states
            && self.shape.is_as_noted(&self.ev)
    }

    /// Puts a point of the trajectory into the slots.
    #[inline(always)]
    pub fn place(&mut self, t: f64, y: &[f64], yp: &[f64]) {
        self.ev.set_time(t);
        self.guesses.at(&mut self.ev, t);
        if self.dae {
            self.place_all(y, yp);
        } else if !self.dummy {
            self.ev.set_states(y);
        }
    }

    fn place_all(&mut self, y: &[f64], yp: &[f64]) {
        if let Some(dae) = &self.model.dae {
            for (&slot, &v) in dae.unknowns.iter().zip(y) {
                self.ev.set(slot, v);
            }
            self.ev.set_derivatives(&yp[..dae.n_states.min(yp.len())]);
        }
    }

    pub(crate) fn keep(&mut self, failure: Failure) -> EvalError {
        self.failure = Some(failure);
        EvalError::Recoverable(0)
    }

    /// Values of delayed signals at the present time and states.
    pub fn apply_delays(&mut self) -> Result<(), Failure> {
        if self.delays.is_empty() {
            return Ok(());
        }
        if !self.delays.all_constant() {
            self.delays.apply(&mut self.ev);
            self.run_delay_sources()?;
        }
        self.delays.apply(&mut self.ev);
        Ok(())
    }

    /// The same at present algebraic unknowns too, those of an integrator's iteration.
    #[inline]
    pub(crate) fn apply_delays_to_unknowns(&mut self) -> Result<(), Failure> {
        if self.delays.is_empty() {
            return Ok(());
        }
        if !self.delays.all_constant() {
            self.delays.apply(&mut self.ev);
            self.ev.exec(&self.model, &self.model.delay_row_program)?;
        }
        self.delays.apply(&mut self.ev);
        Ok(())
    }

    /// The same for what is read for a purpose.
    #[inline(always)]
    fn apply_delays_for(&mut self, purpose: Purpose) -> Result<(), Failure> {
        if self.dae || !self.delays.all_constant() {
            return self.apply_delays();
        }
        let which = &self.reads[purpose as usize];
        self.delays.apply_some(&mut self.ev, which);
        Ok(())
    }

    /// Signals that are remembered, at the present time and states.
    #[inline]
    pub fn evaluate_signals(&mut self) -> Result<(), Failure> {
        self.apply_delays_for(Purpose::Sources)?;
        self.run_delay_sources()
    }

    /// Sources and delay times at the present time and states.
    #[inline]
    pub fn run_delay_sources(&mut self) -> Result<(), Failure> {
        if !self.dae {
            return self.ev.exec(&self.model, &self.model.delay_program);
        }
        let model = self.model.clone();
        self.evaluate(&model.delay_program)
            .or_else(|_| self.ev.exec(&model, &model.delay_row_program))
    }

    /// All continuous variables at the present time and states.
    pub fn evaluate_continuous(&mut self) -> Result<(), Failure> {
        self.apply_delays()?;
        let model = self.model.clone();
        self.evaluate(&model.continuous_program)
    }

    /// Runs a causal program at the present time and states. Where algebraic unknowns are integrated, the present ones are those of an
    /// integrator, between its steps of a polynomial that satisfies no equation: its loops begin there, and what they do not solve
    /// stays as it was.
    pub fn evaluate(&mut self, program: &Program) -> Result<(), Failure> {
        if !self.dae {
            return self.ev.exec(&self.model, program);
        }
        let (mut y, mut yp) = std::mem::take(&mut self.point);
        self.gather(&mut y, &mut yp);
        let done = self.ev.exec(&self.model, program);
        if done.is_err() {
            self.place_all(&y, &yp);
        }
        self.point = (y, yp);
        done
    }

    /// Zero functions at the present time and states.
    pub fn evaluate_zeros(&mut self) -> Result<(), Failure> {
        self.apply_delays_for(Purpose::Zeros)?;
        if !self.dae {
            return self.ev.exec(&self.model, &self.model.zero_program);
        }
        let model = self.model.clone();
        self.evaluate(&model.zero_program)
    }

    /// The same with the algebraic unknowns as they are.
    pub(crate) fn evaluate_zeros_of_unknowns(&mut self) -> Result<(), Failure> {
        self.apply_delays_to_unknowns()?;
        self.ev.exec(&self.model, &self.model.relation_program)
    }
}

impl OdeSystem for Problem {
    fn n(&self) -> usize {
        self.size()
    }

    fn rhs(&mut self, t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
        if self.dummy {
            ydot.fill(0.0);
            return Ok(());
        }
        if std::mem::take(&mut self.known.derivatives) && t == self.known.time {
            assign(ydot, self.ev.derivatives());
            if ydot.iter().all(|d| d.is_finite()) {
                return Ok(());
            }
        }
        self.place(t, y, &[]);
        let done = self
            .apply_delays_for(Purpose::Derivatives)
            .and_then(|()| self.ev.exec(&self.model, &self.model.rhs_program));
        if let Err(e) = done {
            return Err(self.keep(e));
        }
        assign(ydot, self.ev.derivatives());
        if !all_finite(ydot)
            && let Some(k) = ydot.iter().position(|d| !d.is_finite())
        {
            let name = self
                .model
                .var_name(self.model.layout.derivatives + k as Slot)
                .to_string();
            let value = ydot[k];
            return Err(self.keep(Failure::new(format!(
                "{name} is {value} at time {}",
                brief(t)
            ))));
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<CscPattern> {
        if self.dummy {
            return None;
        }
        self.ev
            .model
            .ode_jacobian
            .as_ref()
            .map(|j| j.pattern.clone())
    }

    fn has_jacobian(&self) -> bool {
        !self.dummy && self.ev.model.ode_jacobian.is_some()
    }

    fn jacobian(&mut self, t: f64, y: &[f64], values: &mut [f64]) -> Result<(), EvalError> {
        self.ode_partials(t, y, values)?;
        if !all_finite(values)
            && let Some(pattern) = OdeSystem::jacobian_pattern(self)
        {
            self.beside_steep(&pattern, y, values, |p, y, values| {
                p.ode_partials(t, y, values)
            })?;
        }
        if !all_finite(values) {
            return Err(self.keep(Failure::new(format!(
                "a partial derivative of the equations is not finite at time {}",
                brief(t)
            ))));
        }
        Ok(())
    }
}

impl DaeSystem for Problem {
    fn n(&self) -> usize {
        self.size()
    }

    fn residual(&mut self, t: f64, y: &[f64], yp: &[f64], r: &mut [f64]) -> Result<(), EvalError> {
        self.place(t, y, yp);
        let done = self
            .apply_delays_to_unknowns()
            .and_then(|()| self.ev.dae_residuals(r));
        done.map_err(|e| self.keep(e))?;
        if let Some(k) = r.iter().position(|v| !v.is_finite()) {
            let model = self.ev.model.clone();
            let index = model.dae.as_ref().map_or(0, |d| d.equations[k]);
            let at = ferrica_codegen::model::EquationRef {
                initial: false,
                index,
            };
            let text = model.equation_text(at);
            return Err(self.keep(Failure::new(format!(
                "an equation has no finite value at time {}: {text}",
                brief(t)
            ))));
        }
        Ok(())
    }

    fn jacobian_pattern(&self) -> Option<CscPattern> {
        self.ev.model.dae.as_ref().map(|d| d.pattern.clone())
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(
        &mut self,
        t: f64,
        cj: f64,
        y: &[f64],
        yp: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        self.dae_partials(t, cj, y, yp, values)?;
        if !all_finite(values)
            && let Some(pattern) = DaeSystem::jacobian_pattern(self)
        {
            self.beside_steep(&pattern, y, values, |p, y, values| {
                p.dae_partials(t, cj, y, yp, values)
            })?;
        }
        Ok(())
    }

    fn differential(&self, i: usize) -> bool {
        i < self.ev.model.layout.n_states
    }

    fn limits(&mut self) -> usize {
        self.limit_count()
    }

    fn limit_arguments(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        arguments: &mut [f64],
    ) -> Result<(), EvalError> {
        Problem::limit_arguments(self, t, y, yp, arguments)
    }

    fn limit_thresholds(&mut self, thresholds: &mut [f64]) {
        if let Some(limits) = &self.limits {
            thresholds.copy_from_slice(limits.thresholds());
        }
    }

    fn limited_residual(
        &mut self,
        t: f64,
        y: &[f64],
        yp: &[f64],
        places: &mut [f64],
        r: &mut [f64],
    ) -> Result<bool, EvalError> {
        self.limit_residuals(t, y, yp, places, r)
    }

    fn limited_jacobian(
        &mut self,
        t: f64,
        cj: f64,
        y: &[f64],
        yp: &[f64],
        places: &[f64],
        values: &mut [f64],
    ) -> Result<(), EvalError> {
        self.limit_partials(t, cj, y, yp, places, values)
    }
}
