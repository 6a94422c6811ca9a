//! Initialization: parameters, the initial system, discrete variables.
//!
//! The initial system is solved with the relations that follow from its own solution: iterated until
//! they agree, and where that goes in circles, by trying. Where the model has `homotopy`, it is solved for the simplified expressions first and led over to the
//! actual ones; if that fails it is solved directly.

use ferrica_codegen::layout::Layout;
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::print::brief;
use ferrica_ir::{Span, VarId};

use crate::actions::{Checked, check_assertions};
use crate::before_start::settle_history;
use crate::dynamic_states::first_selection;
use crate::error::SimError;
use crate::events::copy_pre;
use crate::experiment::Experiment;
use crate::mixed::Circle;
use crate::problem::Problem;
use crate::readers::read_slots;
use crate::relations::{relation_text, update_relations};
use crate::scope::Equations;
use crate::settle::PATIENT_PASSES;
use crate::transport::fill_lines;

/// Times the relations may change.
const MAX_PASSES: usize = 60;
/// The accuracy of the initial solution: a relation that is nearer to its threshold may keep its side.
const NEARNESS: f64 = 1e-8;
/// Conditions that a message names.
const MAX_TEXTS: usize = 4;
/// First step of the homotopy parameter and the smallest one tried.
const HOMOTOPY_STEP: f64 = 0.1;
const HOMOTOPY_MIN_STEP: f64 = 1e-4;

/// Advice for systems that are not solved from where they begin.
const NO_START: &str = "give start values near the solution to the variables above, or fix others";

pub fn initialize(p: &mut Problem, experiment: &Experiment) -> Result<(), SimError> {
    initialize_at(p, experiment, experiment.start)
}

/// Initializes at another time than the start of the experiment.
pub fn initialize_at(p: &mut Problem, experiment: &Experiment, start: f64) -> Result<(), SimError> {
    let model = p.ev.model.clone();
    let fail = |code: &'static str| move |e: Failure| SimError::new(code, start, e);
    for (name, value) in &experiment.values {
        let Some((slot, negated)) = model.find(name) else {
            return Err(SimError::new(
                "E0506",
                start,
                Failure::new(format!("there is no variable `{name}` to set")),
            ));
        };
        // Stages before have put the old value in its place.
        let built_in = |v: VarId| {
            let var = &model.source.vars[v];
            var.kind == Kind::Parameter && var.var.structural
        };
        if model.variable(slot).is_some_and(built_in) {
            return Err(SimError::new(
                "E0506",
                start,
                Failure::new(format!(
                    "the value of `{name}` is built into the compiled model and cannot be set"
                )),
            ));
        }
        p.ev.set_value(slot, if negated { -value } else { *value });
    }
    p.ev.set_time(start);
    p.ev.run_parameters().map_err(fail("E0502"))?;
    fill_lines(p).map_err(fail("E0502"))?;
    first_selection(&mut p.ev);
    p.ev.set(Layout::INITIAL, 1.0);
    copy_pre(p, &model);
    // Delayed signals begin with whatever their source is: see `before_start`.
    renew_relations(p, &model, 0.0);
    let led_over = uses_homotopy(p) && homotopy(p).is_ok();
    if !led_over {
        solve(p, 1.0).map_err(|e| {
            let mut error = SimError::new("E0503", start, e);
            error.hint.get_or_insert_with(|| NO_START.to_string());
            error
        })?;
    }
    if !p.delays.is_empty() {
        let of_start = model.remembered().any(|s| {
            let mut lists = read_slots(&model, &model.initial_program).into_iter();
            lists.any(|list| list.contains(&s))
        });
        settle_history(p, start, &mut |p| {
            if of_start {
                solve(p, 1.0)?;
            } else {
                p.ev.run(&model.continuous_program)?;
            }
            p.ev.run(&model.delay_program)
        })
        .map_err(fail("E0503"))?;
    }
    check_redundant(p, &model)?;
    p.ev.set(Layout::INITIAL, 0.0);
    // First instants and intervals are those of the start, in later stages of the run too.
    p.ev.run(&model.samplers_program).map_err(fail("E0505"))?;
    if !p.delays.is_empty() {
        check_delay_times(p, &model).map_err(fail("E0505"))?;
    }
    copy_pre(p, &model);
    initial_actions(p)
}

/// Part of the size of their terms by which conditions on the start may differ from each other: values are given with a few digits.
const CONTRADICTION: f64 = 1e-4;

/// Conditions that the others determine already must agree with them.
fn check_redundant(p: &mut Problem, model: &CompiledModel) -> Result<(), SimError> {
    let Some(redundant) = &model.redundant else {
        return Ok(());
    };
    let start = p.ev.time();
    let worst = p.ev.worst_residual(redundant, None, None);
    let worst = worst.map_err(|e| SimError::new("E0503", start, e))?;
    let Some(worst) = worst.filter(|w| w.part > CONTRADICTION) else {
        return Ok(());
    };
    let equation = &model.source.initial.redundant[worst.equation as usize];
    let mut failure = Failure::new(format!(
        "the conditions on the start contradict each other: `{}` does not hold with the others",
        model.text_of(equation)
    ));
    failure.span = equation.span;
    let off = brief(worst.residual);
    failure
        .details
        .push(format!("its two sides differ by {off}"));
    Err(SimError {
        hint: Some("remove it, or a fixed start value or initial equation it depends on".into()),
        ..SimError::new("E0503", start, failure)
    })
}

/// A signal cannot be read before it is there.
fn check_delay_times(p: &mut Problem, model: &CompiledModel) -> Result<(), Failure> {
    p.ev.exec(model, &model.delay_row_program)?;
    for d in &model.delays {
        let time = p.ev.get(d.delay);
        if time < 0.0 {
            let delayed = model.variable(d.result);
            return Err(Failure {
                span: delayed.map_or(Span::NONE, |v| model.source.vars[v].var.span),
                ..Failure::new(format!("the delay time {time} is negative"))
            });
        }
    }
    Ok(())
}

/// What `when initial()` asserts and calls, with the solution of the initial system.
fn initial_actions(p: &mut Problem) -> Result<(), SimError> {
    let model = p.ev.model.clone();
    let start = p.ev.time();
    let fail = |e: Failure| SimError::new("E0605", start, e);
    p.ev.set(Layout::INITIAL, 1.0);
    p.ev.run(&model.action_program).map_err(fail)?;
    p.ev.set(Layout::INITIAL, 0.0);
    for (k, effect) in model.effects.iter().enumerate() {
        if effect.guard.is_some_and(|g| p.ev.get(g) != 0.0) {
            p.ev.run(&model.effect_calls[k]).map_err(fail)?;
        }
    }
    let mut warnings = Vec::new();
    check_assertions(p, &model, Checked::Guarded, &mut warnings)?;
    p.ev.rt
        .warnings
        .extend(warnings.into_iter().map(|w| w.message));
    let mut ends = model.terminates.iter().filter_map(|t| t.guard);
    if ends.any(|g| p.ev.get(g) != 0.0) {
        let failure =
            Failure::new("terminate() in `when initial()`: a run that ends where it begins");
        return Err(SimError::new("E0505", start, failure));
    }
    Ok(())
}

fn uses_homotopy(p: &Problem) -> bool {
    p.ev.model.find("$homotopy").is_some()
}

fn homotopy_slot(p: &Problem) -> Slot {
    // The structural stage may have a parameter of its own for it.
    p.ev.model
        .find("$homotopy")
        .map_or(Layout::HOMOTOPY, |(slot, _)| slot)
}

/// Evaluates all relations; true if one changed.
fn renew_relations(p: &mut Problem, model: &CompiledModel, nearness: f64) -> bool {
    p.ev.exec(model, &model.relation_program).is_ok()
        && update_relations(
            &mut p.ev,
            model,
            &p.scope.relations,
            &Vec::new(),
            0.0,
            nearness,
        )
}

/// Solves the initial system for one value of the homotopy parameter. On the way to the actual expressions relations need not agree.
fn solve(p: &mut Problem, lambda: f64) -> Result<(), Failure> {
    let model = p.ev.model.clone();
    let slot = homotopy_slot(p);
    p.ev.set(slot, lambda);
    p.ev.set(Layout::HOMOTOPY, lambda);
    let mut last = Ok(());
    let mut circle = Circle::default();
    let mut searched = false;
    let mut moving = Vec::new();
    let mut before = Vec::new();
    for pass in 0..MAX_PASSES {
        before.clone_from(&p.ev.slots);
        last = p.ev.run(&model.initial_program);
        let nearness = if pass < PATIENT_PASSES { 0.0 } else { NEARNESS };
        if !renew_relations(p, &model, nearness) {
            return last;
        }
        let scope = std::mem::take(&mut p.scope);
        let mut found = false;
        if !searched && circle.closes(&p.ev, &model, &scope) && last.is_ok() {
            searched = true;
            moving = circle.turning(&model, &scope);
            found = circle.search(&mut InitialSystem(p), &scope, &Vec::new(), 0.0);
        }
        p.scope = scope;
        if found {
            return Ok(());
        }
    }
    if last.is_ok() && lambda == 1.0 && values_move(&p.ev, &model, &before) {
        if !searched {
            moving = circle.turning(&model, &p.scope);
        }
        return Err(contradicting(&model, &moving));
    }
    last
}

/// Has a continuous variable another value than `before`? Conditions on what is zero but for rounding go in circles without one.
fn values_move(ev: &Evaluator, model: &CompiledModel, before: &[f64]) -> bool {
    (0..)
        .zip(ev.slots.iter().zip(before))
        .any(|(slot, (now, before))| {
            let near = NEARNESS.sqrt() * now.abs().max(before.abs()).max(model.nominal(slot));
            let continuous = |v: VarId| {
                let var = &model.source.vars[v];
                !var.var.ty.is_discrete() && !matches!(var.kind, Kind::Parameter | Kind::Discrete)
            };
            (now - before).abs() > near && model.variable(slot).is_some_and(continuous)
        })
}

/// No relations agree with the solution that belongs to them.
fn contradicting(model: &CompiledModel, moving: &[usize]) -> Failure {
    let mut failure = Failure::new(
        "the conditions of the start go in circles: those that hold lead to values for which they do not, and the other way round"
            .to_string(),
    );
    let texts = moving.iter().take(MAX_TEXTS);
    let texts = texts.map(|&k| format!("condition `{}`", relation_text(model, k)));
    failure.details.extend(texts);
    if let Some(&k) = moving.first() {
        failure.span = model.source.relations[k].span;
    }
    failure
}

/// The equations of the start as those of an event.
struct InitialSystem<'a>(&'a mut Problem);

impl Equations for InitialSystem<'_> {
    fn ev(&self) -> &Evaluator {
        &self.0.ev
    }

    fn ev_mut(&mut self) -> &mut Evaluator {
        &mut self.0.ev
    }

    fn recall(&mut self, _: bool) -> Result<(), Failure> {
        Ok(())
    }

    fn evaluate(&mut self) -> Result<(), Failure> {
        let model = self.0.ev.model.clone();
        self.0.ev.run(&model.initial_program)?;
        self.0.ev.exec(&model, &model.relation_program)
    }

    fn evaluate_actions(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

fn homotopy(p: &mut Problem) -> Result<(), Failure> {
    // Unknowns are at their start values here.
    let fresh = p.ev.slots.clone();
    let mut lambda = 0.0;
    if let Err(e) = solve(p, lambda) {
        p.ev.slots.copy_from_slice(&fresh);
        return Err(e);
    }
    let mut step = HOMOTOPY_STEP;
    while lambda < 1.0 {
        let kept = p.ev.slots.clone();
        let next = (lambda + step).min(1.0);
        match solve(p, next) {
            Ok(()) => {
                lambda = next;
                step *= 1.5;
            }
            Err(e) => {
                p.ev.slots.copy_from_slice(&kept);
                step *= 0.5;
                if step < HOMOTOPY_MIN_STEP {
                    p.ev.slots.copy_from_slice(&fresh);
                    return Err(e);
                }
            }
        }
    }
    Ok(())
}
