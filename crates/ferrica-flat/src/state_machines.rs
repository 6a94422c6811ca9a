//! State machines (chapter 17): what the instance tree says about them.
//!
//! In: the equations `transition(…)` and `initialState(…)` of the instances, and `activeState`, `ticksInState` and
//! `timeInState` in expressions. Out: transitions with their conditions, and for each state the variables that say whether
//! it is active; `state_machine_equations` makes equations of them once all sections are flat.
//!
//! A variable that a state declares as `outer output` is a variable of the state; the inner one takes its value
//! while the state is active.

use std::rc::Rc;

use ferrica_ir::flat::{Variability, Variable};
use ferrica_ir::{Builtin, Diagnostic, ExprId, Span, Symbol, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::connect::Port;
use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::{ElementId, ScopeId};
use crate::value::Value;

/// What is known about the state machines of the model.
#[derive(Default)]
pub struct StateMachines {
    /// Components of an instance that its class makes states.
    states_of: FxHashMap<ScopeId, Rc<FxHashSet<Symbol>>>,
    pub transitions: Vec<Transition>,
    /// Initial states, each with the place that says so.
    pub initial: Vec<(ScopeId, Span)>,
    pub variables: FxHashMap<ScopeId, StateVariables>,
    /// States in the order in which they were named.
    pub order: Vec<ScopeId>,
    /// An output of a state and the inner variable that it is the value of.
    pub outputs: Vec<(ElementId, ElementId)>,
    /// The state that a condition leaves while it is evaluated, and whether it does so at once.
    leaving: Option<(ScopeId, bool)>,
}

#[derive(Clone, Copy)]
pub struct Transition {
    pub from: ScopeId,
    pub to: ScopeId,
    pub condition: ExprId,
    pub immediate: bool,
    pub reset: bool,
    pub synchronize: bool,
    pub priority: i64,
    pub span: Span,
}

/// The variables that tell about one state.
#[derive(Clone, Copy)]
pub struct StateVariables {
    pub active: VarId,
    /// Its variables begin anew at this tick.
    pub reset: VarId,
    pub ticks: Option<VarId>,
    /// Time of the tick at which it became active.
    pub since: Option<VarId>,
}

const TRANSITION: &str = "transition";
const INITIAL_STATE: &str = "initialState";

/// The function's name, where an equation is a call that defines a state machine.
fn defines(call: &ast::Call) -> Option<&'static str> {
    let name = call.function.as_ident()?;
    [TRANSITION, INITIAL_STATE]
        .into_iter()
        .find(|n| *n == name.as_str())
}

/// The arguments that are states.
fn state_arguments(call: &ast::Call) -> impl Iterator<Item = &ast::Expr> {
    let count = if defines(call) == Some(TRANSITION) {
        2
    } else {
        1
    };
    let named = (call.args.named.iter())
        .filter(|n| matches!(n.name.as_str(), "from" | "to" | "state"))
        .map(|n| &n.value);
    call.args.positional.iter().take(count).chain(named)
}

/// The states that a call joins: those of a transition, or only the one that is initial.
pub fn joined(call: &ast::Call) -> Option<(Option<&ast::ComponentRef>, &ast::ComponentRef)> {
    let state = |position, name| match &optional(call, position, name)?.kind {
        ast::ExprKind::Ref(r) => Some(r),
        _ => None,
    };
    match defines(call)? {
        TRANSITION => Some((Some(state(0, "from")?), state(1, "to")?)),
        _ => Some((None, state(0, "state")?)),
    }
}

fn collect_names(equations: &[ast::Equation], names: &mut FxHashSet<Symbol>) {
    for e in equations {
        match &e.kind {
            ast::EquationKind::Call(call) => {
                let ast::ExprKind::Call(call) = &call.kind else {
                    continue;
                };
                if defines(call).is_none() {
                    continue;
                }
                for a in state_arguments(call) {
                    if let ast::ExprKind::Ref(r) = &a.kind {
                        names.insert(r.parts[0].name);
                    }
                }
            }
            ast::EquationKind::For(f) => collect_names(&f.equations, names),
            ast::EquationKind::If(i) => {
                for b in &i.branches {
                    collect_names(&b.equations, names);
                }
                collect_names(&i.else_equations, names);
            }
            _ => {}
        }
    }
}

impl<'a> Flattener<'a> {
    /// Is the instance a state of a machine of the instance around it?
    pub fn is_state(&mut self, scope: ScopeId) -> bool {
        let scope = self.most_derived(scope);
        let Some((e, _)) = self.tree.scopes[scope].owner else {
            return false;
        };
        let Some(c) = self.tree.component(e) else {
            return false;
        };
        let (owner, name) = (self.most_derived(c.owner), c.name);
        if let Some(known) = self.machines.states_of.get(&owner) {
            return known.contains(&name);
        }
        let mut names = FxHashSet::default();
        let mut classes = vec![owner];
        while let Some(s) = classes.pop() {
            let scope = &self.tree.scopes[s];
            classes.extend(&scope.bases);
            if let Some(body) = scope.class.def.long() {
                collect_names(&body.equations, &mut names);
            }
        }
        let found = names.contains(&name);
        self.machines.states_of.insert(owner, Rc::new(names));
        found
    }

    /// The innermost state that an instance is, or is part of.
    pub fn state_around(&mut self, scope: ScopeId) -> Option<ScopeId> {
        let scopes: Vec<ScopeId> = self.around(self.most_derived(scope)).collect();
        scopes.into_iter().find(|&s| self.is_state(s))
    }

    /// Does an output declared `outer` belong to a state that the inner variable is not part of?
    pub fn is_output_of_state(&mut self, owner: ScopeId, inner: ElementId) -> bool {
        let Some(home) = self.tree.component(inner).map(|c| c.owner) else {
            return false;
        };
        let home = self.most_derived(home);
        let scopes: Vec<ScopeId> = self.around(owner).take_while(|&s| s != home).collect();
        scopes.into_iter().any(|s| self.is_state(s))
    }

    /// `transition(…)` or `initialState(…)`; false for other calls.
    pub fn state_machine_equation(
        &mut self,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<bool> {
        let Some(name) = defines(call) else {
            return Ok(false);
        };
        if !self.guards.is_empty() || self.in_when > 0 || self.initial {
            return error(
                "E0372",
                span,
                format!("`{name}` stands under a condition that is known only at run time"),
            );
        }
        let mut states = Vec::new();
        for a in state_arguments(call) {
            states.push(self.state_argument(a, env, name)?);
        }
        for &s in &states {
            self.state_variables(s);
        }
        match (name, states.as_slice()) {
            (INITIAL_STATE, &[s]) => self.machines.initial.push((s, span)),
            (TRANSITION, &[from, to]) => self.transition(call, env, span, from, to)?,
            _ => {
                let wanted = if name == TRANSITION {
                    "two states"
                } else {
                    "one state"
                };
                return error("E0372", span, format!("`{name}` takes {wanted}"));
            }
        }
        Ok(true)
    }

    fn transition(
        &mut self,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
        from: ScopeId,
        to: ScopeId,
    ) -> R<()> {
        let immediate = self.transition_flag(call, 3, "immediate", env, true)?;
        let reset = self.transition_flag(call, 4, "reset", env, true)?;
        let synchronize = self.transition_flag(call, 5, "synchronize", env, false)?;
        let priority = match optional(call, 6, "priority") {
            None => 1,
            Some(e) => {
                let v = self.eval_constant(e, env)?;
                let known = self.flat.exprs.as_int(v).filter(|&p| p >= 1);
                match known {
                    Some(p) => p,
                    None => {
                        let text = "the priority must be a positive Integer parameter";
                        return error("E0372", e.span, text);
                    }
                }
            }
        };
        let before = self.machines.leaving.replace((from, immediate));
        let condition = self.argument(call, 2, "condition", env, span);
        self.machines.leaving = before;
        let Some(condition) = condition?.scalar() else {
            return error("E0372", span, "the condition must be a scalar");
        };
        self.check_boolean(condition, span)?;
        self.machines.transitions.push(Transition {
            from,
            to,
            condition,
            immediate,
            reset,
            synchronize,
            priority,
            span,
        });
        Ok(())
    }

    fn transition_flag(
        &mut self,
        call: &'a ast::Call,
        k: usize,
        name: &str,
        env: &Env,
        default: bool,
    ) -> R<bool> {
        let Some(e) = optional(call, k, name) else {
            return Ok(default);
        };
        let v = self.eval_constant(e, env)?;
        match self.flat.exprs.as_bool(v) {
            Some(b) => Ok(b),
            None => error(
                "E0372",
                e.span,
                format!("`{name}` must be a Boolean parameter"),
            ),
        }
    }

    /// The block instance that an argument names.
    fn state_argument(&mut self, e: &'a ast::Expr, env: &Env, of: &str) -> R<ScopeId> {
        let found = match &e.kind {
            ast::ExprKind::Ref(r) => self.instances(r, env)?,
            _ => Vec::new(),
        };
        match found.as_slice() {
            &[Port::Class(s, _)] => Ok(s),
            _ => error("E0372", e.span, format!("`{of}` needs a block instance")),
        }
    }

    pub fn state_variables(&mut self, scope: ScopeId) -> StateVariables {
        if let Some(&known) = self.machines.variables.get(&scope) {
            return known;
        }
        let path = self.tree.scopes[scope].path.clone();
        let active = self.state_variable(format!("activeState({path})"), Ty::Boolean);
        let reset = self.state_variable(format!("$reset({path})"), Ty::Boolean);
        self.flat.vars[reset].hidden = true;
        let made = StateVariables {
            active,
            reset,
            ticks: None,
            since: None,
        };
        self.machines.variables.insert(scope, made);
        self.machines.order.push(scope);
        made
    }

    /// A clocked variable made for a state machine.
    pub fn state_variable(&mut self, name: String, ty: Ty) -> VarId {
        let variability = if ty.is_discrete() {
            Variability::Discrete
        } else {
            Variability::Continuous
        };
        self.flat.vars.push(Variable::new(name, ty, variability))
    }

    pub fn previous(&mut self, v: VarId) -> ExprId {
        let ty = self.flat.vars[v].ty;
        let x = self.flat.exprs.var(v, ty);
        self.flat.exprs.builtin(Builtin::Previous, &[x])
    }

    /// `activeState(s)`, `ticksInState()` and `timeInState()`; `None` for other names.
    pub fn state_operator(
        &mut self,
        name: &str,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Option<Value>> {
        let value = match name {
            "activeState" => {
                let argument = self.one_arg(&call.args.positional, name, span)?;
                let scope = self.state_argument(argument, env, name)?;
                if !self.is_state(scope) {
                    let text = "the instance is not a state of a state machine";
                    return error("E0372", argument.span, text);
                }
                let v = self.state_variables(scope).active;
                self.flat.exprs.var(v, Ty::Boolean)
            }
            "ticksInState" | "timeInState" => {
                // What is decided before the state is left or kept looks at the tick to come.
                let (state, ahead) = match self.machines.leaving {
                    Some(known) => known,
                    None => match self.state_around(env.scope) {
                        Some(s) => (s, false),
                        None => {
                            let text = format!("`{name}` is used outside of a state machine");
                            let d = Diagnostic::error("E0372", span, text);
                            return Err(Box::new(d.with_hint(
                                "use it in a state or in the condition of a transition",
                            )));
                        }
                    },
                };
                self.state_variables(state);
                if name == "ticksInState" {
                    self.ticks_in_state(state, ahead)
                } else {
                    self.time_in_state(state, ahead)
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(Value::Scalar(value)))
    }

    fn ticks_in_state(&mut self, state: ScopeId, ahead: bool) -> ExprId {
        let known = self.state_variables(state).ticks;
        let ticks = known.unwrap_or_else(|| {
            let name = format!("ticksInState({})", self.tree.scopes[state].path);
            self.state_variable(name, Ty::Integer)
        });
        if let Some(v) = self.machines.variables.get_mut(&state) {
            v.ticks = Some(ticks);
        }
        if !ahead {
            return self.flat.exprs.var(ticks, Ty::Integer);
        }
        let before = self.previous(ticks);
        let one = self.flat.exprs.int(1);
        self.flat.exprs.add(before, one)
    }

    fn time_in_state(&mut self, state: ScopeId, ahead: bool) -> ExprId {
        let known = self.state_variables(state).since;
        let since = known.unwrap_or_else(|| {
            let name = format!("$since({})", self.tree.scopes[state].path);
            let v = self.state_variable(name, Ty::Real);
            self.flat.vars[v].hidden = true;
            v
        });
        if let Some(v) = self.machines.variables.get_mut(&state) {
            v.since = Some(since);
        }
        let since = match ahead {
            true => self.previous(since),
            false => self.flat.exprs.var(since, Ty::Real),
        };
        let now = self.sampled_time();
        self.flat.exprs.sub(now, since)
    }

    pub fn sampled_time(&mut self) -> ExprId {
        let time = self.flat.exprs.time();
        self.flat.exprs.builtin(Builtin::ClockedSample, &[time])
    }
}

/// An argument by position or name.
pub fn optional<'a>(call: &'a ast::Call, k: usize, name: &str) -> Option<&'a ast::Expr> {
    let named = call.args.named.iter().find(|n| n.name.as_str() == name);
    call.args.positional.get(k).or(named.map(|n| &n.value))
}
