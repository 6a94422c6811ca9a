//! Calls that are statements: `assert`, `terminate`, `reinit`, and functions called for their effect.

use ferrica_ir::flat::{Assertion, Effect, Terminate};
use ferrica_ir::function::Stmt;
use ferrica_ir::{Builtin, Diagnostic, Expr, ExprId, Span, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::when_equations::twice;

/// Nodes of a condition that is computed in every step without much ado.
const MOST_CHEAP_NODES: usize = 60;

impl<'a> Flattener<'a> {
    /// `assert`, `terminate`, `reinit` and calls made for their effect.
    pub fn call_statement(&mut self, e: &'a ast::Expr, env: &mut Env) -> R<()> {
        let ast::ExprKind::Call(call) = &e.kind else {
            self.eval(e, env)?;
            return Ok(());
        };
        let name = call.function.as_ident().map(|n| n.as_str()).unwrap_or("");
        match name {
            "assert" => self.assert_statement(call, env, e.span),
            "terminate" => {
                let message = self.argument(call, 0, "message", env, e.span)?;
                let text = message.scalar();
                let Some(message) = text.filter(|&m| self.flat.exprs.ty(m) == Ty::String) else {
                    return error(
                        "E0330",
                        e.span,
                        "the message of `terminate` must be a String",
                    );
                };
                let guard = self.guard();
                let guard = guard.unwrap_or_else(|| self.flat.exprs.bool(true));
                self.flat.terminates.push(Terminate {
                    guard,
                    message,
                    span: e.span,
                });
                Ok(())
            }
            "reinit" => self.reinit_statement(call, env, e.span),
            _ => {
                let value = self.eval(e, env)?;
                let mut scalars = Vec::new();
                value.scalars(&mut scalars);
                // A foreign function without outputs leaves a call to be made at run time.
                if let Some(effect) = self.pending_effect.take() {
                    let guard = self.guard();
                    self.flat.effects.push(Effect {
                        guard,
                        call: effect,
                        span: e.span,
                    });
                }
                Ok(())
            }
        }
    }

    /// Conjunction of the run-time conditions around a statement.
    pub fn guard(&mut self) -> Option<ExprId> {
        if self.guards.is_empty() {
            return None;
        }
        let list = self.guards.clone();
        Some(self.flat.exprs.and_all(&list))
    }

    /// What a function asserts in a branch of an if-expression holds only where that is taken.
    pub fn where_taken(&mut self, condition: ExprId) -> ExprId {
        let Some(taken) = self.guard() else {
            return condition;
        };
        let not_taken = self.flat.exprs.not(taken);
        self.flat.exprs.or_all(&[not_taken, condition])
    }

    fn assert_statement(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<()> {
        let condition = self.argument(call, 0, "condition", env, span)?;
        let Some(condition) = condition.scalar() else {
            return error("E0311", span, "the condition must be a scalar");
        };
        self.check_boolean(condition, span)?;
        let level = call.args.positional.get(2).or_else(|| {
            call.args
                .named
                .iter()
                .find(|n| n.name.as_str() == "level")
                .map(|n| &n.value)
        });
        let is_error = match level {
            Some(e) => {
                let v = self.eval_constant(e, env)?;
                !matches!(self.flat.exprs.get(v), Expr::Enum(_, 1))
            }
            None => true,
        };
        if self.flat.exprs.as_bool(condition) == Some(true) {
            return Ok(());
        }
        let message = match self.argument(call, 1, "message", env, span) {
            Ok(v) => v.scalar(),
            Err(_) => None,
        };
        let message = match message {
            Some(m) => m,
            None => self.flat.exprs.str("assertion failed"),
        };
        let guard = self.guard();
        if self.flat.exprs.as_bool(condition) == Some(false) && guard.is_none() && is_error {
            self.failed_message = Some(message);
            let text = self
                .flat
                .exprs
                .as_str(message)
                .unwrap_or("assertion failed")
                .to_string();
            return Err(Box::new(Diagnostic::error(
                "E0343",
                span,
                format!("assertion failed: {text}"),
            )));
        }
        self.check_at_run_time(condition, message, is_error, span);
        Ok(())
    }

    /// An assertion of the model, under the conditions around this place: they say when it is looked at, which is at events. One that is
    /// cheap is looked at between events too: then the conditions become a part of what is asserted, which is computed in any case.
    fn check_at_run_time(
        &mut self,
        condition: ExprId,
        message: ExprId,
        is_error: bool,
        span: Span,
    ) {
        if self.constant {
            return;
        }
        // Conditions over the slots of a run-time function are checked in it.
        if !self.lowering.is_empty() || self.reads_memory(condition) {
            let holds = self.where_taken(condition);
            self.asserted.push(Stmt::Assert(holds, message, is_error));
            return;
        }
        let mut guard = self.guard_of_an_assertion();
        let mut asserted = condition;
        if self.initial {
            // What an initial section asserts is said of the start alone.
            let start = self.flat.exprs.builtin(Builtin::Initial, &[]);
            guard = Some(match guard {
                Some(g) => self.flat.exprs.and_all(&[start, g]),
                None => start,
            });
        }
        if let Some(g) = guard
            && !self.initial
            && !self.is_of_a_when_clause(g)
            && self.is_cheap(&[g, condition])
        {
            let not = self.flat.exprs.not(g);
            asserted = self.flat.exprs.or_all(&[not, condition]);
            guard = None;
        }
        let component = self.current;
        if self.assertions_seen.insert((guard, asserted)) {
            self.flat.assertions.push(Assertion {
                guard,
                condition: asserted,
                message,
                is_error,
                of_numbers: false,
                span,
                component,
            });
        }
    }

    /// Without calls and short.
    fn is_cheap(&self, roots: &[ExprId]) -> bool {
        let (mut nodes, mut calls) = (0, false);
        self.flat.exprs.postorder(roots, |id| {
            nodes += 1;
            calls |= matches!(self.flat.exprs.get(id), Expr::Call(..));
        });
        !calls && nodes <= MOST_CHEAP_NODES
    }

    pub(crate) fn is_of_a_when_clause(&self, guard: ExprId) -> bool {
        let mut fires = false;
        self.flat.exprs.postorder(&[guard], |id| {
            let e = self.flat.exprs.get(id);
            fires |= matches!(e, Expr::Builtin(Builtin::WhenFires, _));
        });
        fires
    }

    /// A subscript that is known at run time only must be in 1:size. Enumerations and Booleans always are.
    pub fn check_subscript(&mut self, index: ExprId, size: usize, span: Span) {
        if self.flat.exprs.ty(index) != Ty::Integer {
            return;
        }
        let condition = self.is_inside(index, size);
        let x = &mut self.flat.exprs;
        let text = [
            x.str("a subscript is "),
            x.builtin(Builtin::StringOf, &[index]),
            x.str(&format!(", outside of 1:{size}")),
        ];
        let message = x.add(text[0], text[1]);
        let message = x.add(message, text[2]);
        self.check_at_run_time(condition, message, true, span);
    }

    fn reinit_statement(&mut self, call: &'a ast::Call, env: &Env, span: Span) -> R<()> {
        let plain = Env {
            assigned: None,
            ..env.clone()
        };
        let target = self.argument(call, 0, "x", &plain, span)?;
        let value = self.argument(call, 1, "expr", env, span)?;
        let Some(condition) = self.guard() else {
            return error("E0344", span, "`reinit` may only be used in a when-clause");
        };
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        target.scalars(&mut targets);
        value.scalars(&mut values);
        if targets.len() != values.len() {
            return error(
                "E0317",
                span,
                "the two arguments of `reinit` differ in size",
            );
        }
        for (t, v) in targets.into_iter().zip(values) {
            let Expr::Var(state) = self.flat.exprs.get(t) else {
                return error(
                    "E0344",
                    span,
                    "the first argument of `reinit` must be a variable",
                );
            };
            if self.flat.vars[state].variability <= ferrica_ir::flat::Variability::Parameter {
                return error(
                    "E0344",
                    span,
                    "the first argument of `reinit` is a constant or parameter",
                );
            }
            let again = |r: &ferrica_ir::flat::Reinit| r.state == state && r.condition == condition;
            if self.flat.reinits.iter().any(again) {
                let name = &self.flat.vars[state].name;
                return Err(twice(name, span, "keep one `reinit` of it"));
            }
            let component = self.current;
            self.flat.reinits.push(ferrica_ir::flat::Reinit {
                condition,
                state,
                value: v,
                span,
                component,
            });
        }
        Ok(())
    }
}
