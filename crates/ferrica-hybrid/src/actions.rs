//! Actions of an event: reinits, terminations, calls for their effect, assertions.
//!
//! In: the slots after a pass, in which the conditions of all actions are known. Out: states with another value, messages, failures with their codes.

use ferrica_codegen::layout::Layout;
use ferrica_codegen::{Cause, CompiledModel, Evaluator, Failure, Slot};
use ferrica_ir::print::{self, brief};

use crate::error::{SimError, Warning};
use crate::events::EventResult;
use crate::problem::Problem;
use crate::scope::Scope;

/// What reinits, terminations, effects and guarded assertions ask for in a pass, their conditions being known: the states that
/// get another value are returned.
pub fn take_actions(
    ev: &mut Evaluator,
    model: &CompiledModel,
    scope: &Scope,
    result: &mut EventResult,
) -> Result<Vec<(Slot, f64)>, SimError> {
    let time = ev.time();
    let fail = |e: Failure| SimError::new("E0605", time, e);
    let mut states = Vec::new();
    for &k in &scope.reinits {
        let (state, condition, value) = model.reinits[k as usize];
        if ev.get(condition) != 0.0 && ev.get(state) != ev.get(value) {
            states.push((state, ev.get(value)));
        }
    }
    for &k in &scope.terminates {
        let t = &model.terminates[k as usize];
        if t.guard.is_some_and(|g| ev.get(g) != 0.0) && result.terminate.is_none() {
            ev.run(&model.terminate_messages[k as usize])
                .map_err(fail)?;
            result.terminate = Some(ev.text(t.value).to_string());
        }
    }
    for &k in &scope.effects {
        let effect = &model.effects[k as usize];
        if effect.guard.is_some_and(|g| ev.get(g) != 0.0) {
            ev.run(&model.effect_calls[k as usize]).map_err(fail)?;
        }
    }
    // A condition of its own may hold in this pass only.
    for &k in &scope.assertions {
        let a = &model.assertions[k as usize];
        if a.guard.is_some_and(|g| ev.get(g) != 0.0) && ev.get(a.value) == 0.0 {
            let failed = failed_assertion(ev, model, k as usize);
            let warning = failed.map_err(|failure| SimError::new("E0607", time, failure))?;
            result.warnings.push(warning);
        }
    }
    Ok(states)
}

/// Which assertions are checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// Those with a condition of their own; its value is known.
    Guarded,
    Unguarded,
}

/// Checks assertions with the slots as they are.
pub fn check_assertions(
    p: &mut Problem,
    model: &CompiledModel,
    which: Checked,
    warnings: &mut Vec<Warning>,
) -> Result<(), SimError> {
    if model.assertions.is_empty() {
        return Ok(());
    }
    let time = p.ev.time();
    if which != Checked::Guarded {
        p.ev.exec(model, &model.action_program)
            .map_err(|e| SimError::new("E0605", time, e))?;
    }
    for (k, a) in model.assertions.iter().enumerate() {
        let active = match (which, a.guard) {
            (Checked::Guarded, None) | (Checked::Unguarded, Some(_)) => false,
            (_, guard) => guard.is_none_or(|g| p.ev.get(g) != 0.0),
        };
        if !active || p.ev.get(a.value) != 0.0 {
            continue;
        }
        let failed = failed_assertion(&mut p.ev, model, k);
        warnings.push(failed.map_err(|failure| SimError::new("E0607", time, failure))?);
    }
    Ok(())
}

/// What is said of assertion `k`, whose condition does not hold: a warning, or a failure that ends the run.
pub fn failed_assertion(
    ev: &mut Evaluator,
    model: &CompiledModel,
    k: usize,
) -> Result<Warning, Failure> {
    let time = ev.time();
    let source = &model.source.assertions[k];
    let program = &model.assertion_messages[k];
    let text = match ev.run(program) {
        Ok(()) => {
            let slot = program.rows.last().copied().unwrap_or(Layout::TIME);
            ev.text(slot).to_string()
        }
        Err(e) => e.message,
    };
    let condition = print::expr(&model.source.exprs, &*model.source, source.condition);
    let component = model
        .source
        .components
        .get(source.component as usize)
        .map_or("", |c| c.path.as_str());
    let place = if component.is_empty() {
        String::new()
    } else {
        format!(" in `{component}`")
    };
    let message = format!("assertion{place} failed at time {}: {text}", brief(time));
    if source.of_numbers {
        let at = format!("number at time {}, ", brief(time));
        let mut failure = Failure::new(text.replacen("number, ", &at, 1));
        failure.cause = Cause::NotANumber;
        failure.span = source.span;
        return Err(failure);
    }
    if source.is_error {
        let mut failure = Failure::new(message);
        failure.cause = Cause::Assertion;
        failure.span = source.span;
        failure.details.push(format!("condition: {condition}"));
        return Err(failure);
    }
    Ok(Warning {
        time,
        message,
        span: source.span,
    })
}
