//! Statements of a function that is executed at run time.

use ferrica_ir::function::Stmt;
use ferrica_ir::{Expr, ExprId, Span};
use ferrica_syntax::ast;

use crate::call::first_of;
use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::iterators::uses_in_statements;
use crate::value::Value;

impl<'a> Flattener<'a> {
    fn nested(&mut self, statements: &'a [ast::Statement], env: &mut Env) -> R<Vec<Stmt>> {
        self.emitter.blocks.push(Vec::new());
        let result = self.emit_block(statements, env);
        let block = self.emitter.blocks.pop().unwrap_or_default();
        result.map(|()| block)
    }

    pub fn emit_block(&mut self, statements: &'a [ast::Statement], env: &mut Env) -> R<()> {
        for s in statements {
            self.spend(1, s.span)?;
            match self.emit_statement(s, env) {
                // A branch that always fails does so when it is reached.
                Err(d) if d.code == "E0343" && self.emitter.blocks.len() > 1 => {
                    let never = self.flat.exprs.bool(false);
                    let message = match self.failed_message.take() {
                        Some(m) => m,
                        None => self.flat.exprs.str(&d.message),
                    };
                    self.emitter.push(Stmt::Assert(never, message, true));
                }
                result => result?,
            }
        }
        Ok(())
    }

    fn emit_statement(&mut self, s: &'a ast::Statement, env: &mut Env) -> R<()> {
        match &s.kind {
            ast::StatementKind::Assign(target, e) => {
                let value = self.eval(e, env).map(first_of);
                let done = value.and_then(|v| self.emit_to(target, &v, env, s.span));
                match done {
                    Err(d) if d.code == "E0310" && self.is_slice(target) => {
                        self.emit_slice_assign(target, e, env, s.span)?;
                    }
                    done => done?,
                }
                self.is_assigned(target, env)
            }
            ast::StatementKind::TupleAssign(targets, e) => {
                let values = match self.eval(e, env)? {
                    Value::Tuple(items) => items,
                    one => vec![one],
                };
                // All results first, then the assignments.
                let mut held = Vec::new();
                for (t, v) in targets.iter().zip(values) {
                    if let Some(t) = t {
                        let memory = self.new_memory("$t", &v);
                        held.push((t, memory, v));
                    }
                }
                let (mut to, mut from) = (Vec::new(), Vec::new());
                for (_, m, v) in &held {
                    m.scalars(&mut to);
                    v.scalars(&mut from);
                }
                self.emit_scalars(&to, &from, s.span)?;
                for (t, m, _) in held {
                    self.emit_to(t, &m, env, s.span)?;
                    self.is_assigned(t, env)?;
                }
                Ok(())
            }
            ast::StatementKind::Call(e) => self.emit_call(e, env),
            ast::StatementKind::If(i) => self.emit_if(&i.branches, &i.else_statements, env),
            ast::StatementKind::For(f) => self.emit_for(&f.iterators, &f.statements, env, s.span),
            ast::StatementKind::While(w) => {
                self.emitter.blocks.push(Vec::new());
                let c = self.eval_scalar(&w.condition, env);
                let mut first = self.emitter.blocks.pop().unwrap_or_default();
                let c = c?;
                if self.flat.exprs.as_bool(c) == Some(false) {
                    return Ok(());
                }
                let body = self.nested(&w.statements, env)?;
                if first.is_empty() {
                    self.emitter.push(Stmt::While(c, body));
                } else {
                    // What the condition needs is computed in each pass.
                    first.push(Stmt::If(c, Vec::new(), vec![Stmt::Break]));
                    first.extend(body);
                    let always = self.flat.exprs.bool(true);
                    self.emitter.push(Stmt::While(always, first));
                }
                Ok(())
            }
            ast::StatementKind::When(branches) => {
                let mut list = Vec::new();
                for b in branches {
                    let plain = Env {
                        assigned: None,
                        ..env.clone()
                    };
                    let fires = self.when_condition(&b.condition, &plain)?;
                    list.push((fires, self.nested(&b.statements, env)?));
                }
                let mut rest = Vec::new();
                for (c, body) in list.into_iter().rev() {
                    rest = vec![Stmt::If(c, body, rest)];
                }
                for s in rest {
                    self.emitter.push(s);
                }
                Ok(())
            }
            ast::StatementKind::Break => {
                self.emitter.push(Stmt::Break);
                Ok(())
            }
            ast::StatementKind::Return => {
                self.emit_end(env, s.span)?;
                self.emitter.push(Stmt::Return);
                Ok(())
            }
        }
    }

    /// Where a function ends, its outputs have values.
    pub fn emit_end(&mut self, env: &Env, span: Span) -> R<()> {
        let Some(&scope) = self.lowering.last() else {
            return Ok(());
        };
        let outputs = self.emitter.promised.clone();
        let of = self.class_name(scope);
        self.promises(&outputs, &of, env, span)
    }

    fn emit_if(
        &mut self,
        branches: &'a [ast::StatementBranch],
        otherwise: &'a [ast::Statement],
        env: &mut Env,
    ) -> R<()> {
        let Some((first, rest)) = branches.split_first() else {
            return self.emit_block(otherwise, env);
        };
        let c = self.eval_scalar(&first.condition, env)?;
        match self.flat.exprs.as_bool(c) {
            Some(true) => self.emit_block(&first.statements, env),
            Some(false) => self.emit_if(rest, otherwise, env),
            None => {
                let then = self.nested(&first.statements, env)?;
                self.emitter.blocks.push(Vec::new());
                let result = self.emit_if(rest, otherwise, env);
                let other = self.emitter.blocks.pop().unwrap_or_default();
                result?;
                self.emitter.push(Stmt::If(c, then, other));
                Ok(())
            }
        }
    }

    fn emit_for(
        &mut self,
        iterators: &'a [ast::ForIterator],
        statements: &'a [ast::Statement],
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let Some((first, rest)) = iterators.split_first() else {
            return self.emit_block(statements, env);
        };
        let leaves = statements.iter().any(can_leave);
        let known = self.iterator_values(first, env, &uses_in_statements(statements));
        match known {
            Ok(values) if !leaves && (values.len() <= UNROLL || !is_count(&first.range)) => {
                for v in values {
                    env.locals.push(Local {
                        name: first.name,
                        value: v,
                        ty: None,
                        sized: false,
                    });
                    let result = self.emit_for(rest, statements, env, span);
                    env.locals.pop();
                    result?;
                }
                Ok(())
            }
            known => {
                let Some(ast::ExprKind::Range(r)) = first.range.as_ref().map(|e| &e.kind) else {
                    return match known {
                        Ok(values) => {
                            self.emit_for_list(first, values, rest, statements, env, span)
                        }
                        Err(d) => Err(d),
                    };
                };
                let start = self.eval_scalar(&r.start, env)?;
                let stop = self.eval_scalar(&r.stop, env)?;
                let step = match &r.step {
                    Some(s) => self.eval_scalar(s, env)?,
                    None => self.flat.exprs.int(1),
                };
                self.emit_counting(first, (start, step, stop), rest, statements, env, span)
            }
        }
    }

    /// A loop over given values that can be left early: a guard around each pass.
    fn emit_for_list(
        &mut self,
        it: &'a ast::ForIterator,
        values: Vec<Value>,
        rest: &'a [ast::ForIterator],
        statements: &'a [ast::Statement],
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        // `while true loop pass 1; pass 2; …; break; end`: a break leaves the whole list.
        self.emitter.blocks.push(Vec::new());
        let mut result = Ok(());
        for v in values {
            env.locals.push(Local {
                name: it.name,
                value: v,
                ty: None,
                sized: false,
            });
            result = self.emit_for(rest, statements, env, span);
            env.locals.pop();
            if result.is_err() {
                break;
            }
        }
        self.emitter.push(Stmt::Break);
        let body = self.emitter.blocks.pop().unwrap_or_default();
        result?;
        let always = self.flat.exprs.bool(true);
        self.emitter.push(Stmt::While(always, body));
        Ok(())
    }

    fn emit_counting(
        &mut self,
        it: &'a ast::ForIterator,
        bounds: (ExprId, ExprId, ExprId),
        rest: &'a [ast::ForIterator],
        statements: &'a [ast::Statement],
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        self.counting_loop(it.name, bounds, env, span, &mut |me, env| {
            me.emit_for(rest, statements, env, span)
        })
    }

    fn emit_call(&mut self, e: &'a ast::Expr, env: &mut Env) -> R<()> {
        let ast::ExprKind::Call(call) = &e.kind else {
            return Ok(());
        };
        match call.function.as_ident().map(|n| n.as_str()).unwrap_or("") {
            "assert" => {
                let c = self.argument(call, 0, "condition", env, e.span)?;
                let m = self.argument(call, 1, "message", env, e.span);
                let Some(c) = c.scalar() else { return Ok(()) };
                if self.flat.exprs.as_bool(c) == Some(true) {
                    return Ok(());
                }
                let m = match m.ok().and_then(|m| m.scalar()) {
                    Some(m) => m,
                    None => self.flat.exprs.str("assertion failed"),
                };
                let level = call.args.positional.get(2);
                let is_error = match level {
                    Some(l) => {
                        let v = self.eval_constant(l, env)?;
                        !matches!(self.flat.exprs.get(v), Expr::Enum(_, 1))
                    }
                    None => true,
                };
                self.emitter.push(Stmt::Assert(c, m, is_error));
                Ok(())
            }
            "terminate" | "reinit" => error("E0344", e.span, "this cannot be done in a function"),
            _ => {
                let v = self.eval(e, env)?;
                let mut scalars = Vec::new();
                v.scalars(&mut scalars);
                let effect = self.pending_effect.take().or_else(|| {
                    scalars.iter().find_map(|&s| match self.flat.exprs.get(s) {
                        Expr::Call(..) => Some(s),
                        Expr::Proj(c, _) => Some(c),
                        _ => None,
                    })
                });
                if let Some(c) = effect {
                    self.emitter.push(Stmt::CallAssign(c, Vec::new()));
                }
                Ok(())
            }
        }
    }
}

fn is_count(range: &Option<ast::Expr>) -> bool {
    matches!(
        range.as_ref().map(|e| &e.kind),
        Some(ast::ExprKind::Range(_))
    )
}

fn can_leave(s: &ast::Statement) -> bool {
    match &s.kind {
        ast::StatementKind::Break | ast::StatementKind::Return => true,
        ast::StatementKind::If(i) => {
            i.branches
                .iter()
                .any(|b| b.statements.iter().any(can_leave))
                || i.else_statements.iter().any(can_leave)
        }
        ast::StatementKind::For(f) => f.statements.iter().any(can_leave),
        ast::StatementKind::While(w) => w.statements.iter().any(can_leave),
        _ => false,
    }
}

/// Loops of more iterations stay loops.
const UNROLL: usize = 32;
