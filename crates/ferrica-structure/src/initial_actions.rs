//! Assertions, calls, terminations and reinits in `when initial() then`.
//!
//! In: guards as the model gives them. Out: guards that are also true while the INITIAL flag is up and their
//! condition holds in initialization form. The simulation form alone has no `initial()`, so they would never act.

use ferrica_dae::Dae;
use ferrica_dae::mode::{Mode, ModeRewriter};
use ferrica_ir::flat::{Equation, Origin};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, Ty, VarId};
use rustc_hash::FxHashMap;

/// Guards in initialization form, for those that can hold there.
pub struct InitialGuards {
    assertions: Vec<Option<ExprId>>,
    effects: Vec<Option<ExprId>>,
    terminates: Vec<Option<ExprId>>,
}

impl InitialGuards {
    /// Before the guards are rewritten to the simulation form.
    pub fn of(dae: &mut Dae) -> InitialGuards {
        let mut forms = Forms {
            simulation: ModeRewriter::new(Mode::Simulation),
            initialization: ModeRewriter::new(Mode::Initialization(None)),
        };
        let assertions: Vec<Option<ExprId>> = dae.assertions.iter().map(|a| a.guard).collect();
        let effects: Vec<Option<ExprId>> = dae.effects.iter().map(|e| e.guard).collect();
        let terminates = dae.terminates.iter().map(|t| Some(t.guard)).collect();
        let mut definitions = None;
        initial_reinits(dae, &mut forms, &mut definitions);
        let mut initial = |list: Vec<Option<ExprId>>| -> Vec<Option<ExprId>> {
            list.into_iter()
                .map(|guard| initial_form(dae, &mut forms, &mut definitions, guard?))
                .collect()
        };
        InitialGuards {
            assertions: initial(assertions),
            effects: initial(effects),
            terminates: initial(terminates),
        }
    }

    /// After all rewriting.
    pub fn attach(self, dae: &mut Dae) {
        for (k, guard) in self.assertions.into_iter().enumerate() {
            if let Some(initial) = guard {
                dae.assertions[k].guard = either(dae, dae.assertions[k].guard, initial);
            }
        }
        for (k, guard) in self.effects.into_iter().enumerate() {
            if let Some(initial) = guard {
                dae.effects[k].guard = either(dae, dae.effects[k].guard, initial);
            }
        }
        for (k, guard) in self.terminates.into_iter().enumerate() {
            let guard = guard.and_then(|g| either(dae, Some(dae.terminates[k].guard), g));
            if let Some(guard) = guard {
                dae.terminates[k].guard = guard;
            }
        }
    }
}

/// What makes the two forms of a guard, for all guards: each looks at the whole model once.
struct Forms {
    simulation: ModeRewriter,
    initialization: ModeRewriter,
}

/// A reinit that is active during initialization is an initial equation for its state (section 8.6).
fn initial_reinits(
    dae: &mut Dae,
    forms: &mut Forms,
    definitions: &mut Option<FxHashMap<VarId, ExprId>>,
) {
    for r in dae.reinits.clone() {
        let holds = initial_form(dae, forms, definitions, r.condition);
        if holds.and_then(|h| dae.exprs.as_bool(h)) != Some(true) {
            continue;
        }
        let state = dae.exprs.var(r.state, Ty::Real);
        dae.initial_equations.push(Equation {
            lhs: state,
            rhs: r.value,
            span: r.span,
            origin: Origin::Equation,
            component: r.component,
        });
    }
}

/// `None` when the guard does not name `initial()`, or is false at the start. The conditions of when-clauses
/// are variables of their own; their equations take their place.
fn initial_form(
    dae: &mut Dae,
    forms: &mut Forms,
    definitions: &mut Option<FxHashMap<VarId, ExprId>>,
    guard: ExprId,
) -> Option<ExprId> {
    let simulated = forms.simulation.rewrite(dae, guard);
    let rewritten = forms.initialization.rewrite(dae, guard);
    if rewritten == simulated || dae.exprs.as_bool(rewritten) == Some(false) {
        return None;
    }
    let definitions = definitions.get_or_insert_with(|| boolean_definitions(dae));
    let mut memo = FxHashMap::default();
    let defined = dae
        .exprs
        .rewrite(rewritten, &mut memo, &mut |a, e| match a.get(e) {
            Expr::Var(v) => definitions.get(&v).copied(),
            _ => None,
        });
    let holds = forms.initialization.rewrite(dae, defined);
    (dae.exprs.as_bool(holds) != Some(false)).then_some(holds)
}

fn boolean_definitions(dae: &Dae) -> FxHashMap<VarId, ExprId> {
    let of = |e: &Equation| match dae.exprs.get(e.lhs) {
        Expr::Var(v) if dae.vars[v].var.ty == Ty::Boolean => Some((v, e.rhs)),
        _ => None,
    };
    dae.equations.iter().filter_map(of).collect()
}

fn either(dae: &mut Dae, guard: Option<ExprId>, initial: ExprId) -> Option<ExprId> {
    let flag = dae.exprs.builtin(Builtin::Initial, &[]);
    let starting = dae.exprs.binary(BinaryOp::And, flag, initial);
    Some(match guard {
        Some(guard) => dae.exprs.binary(BinaryOp::Or, guard, starting),
        None => starting,
    })
}
