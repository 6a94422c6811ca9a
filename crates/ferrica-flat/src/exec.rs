//! Symbolic execution of algorithms.
//!
//! Statements change the values of local names (function bodies) or of model variables (algorithm
//! sections). A condition that is not known at compile time executes all branches and merges their
//! results by if-expressions, so an algorithm without run-time loops ends as plain expressions. What
//! cannot be done so gives an error with the code [`DYNAMIC`]; the caller then makes a function
//! that is executed at run time.

use ferrica_ir::{Builtin, Expr, ExprId, Span, Ty, VarId};
use ferrica_syntax::ast;

use crate::call::first_of;
use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::iterators::uses_in_statements;
use crate::signature::Signature;
use crate::value::Value;

/// Code of the error "needs execution at run time".
pub const DYNAMIC: &str = "E0339";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    Next,
    Break,
    Return,
}

impl<'a> Flattener<'a> {
    /// Runs a function whose inputs are bound in `env`.
    pub fn execute(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        mut env: Env,
        span: Span,
    ) -> R<Value> {
        let declared = signature.outputs.iter().chain(&signature.locals);
        self.declare_locals(declared.collect(), &mut env, span)?;
        self.declare_unsure(scope, &mut env);
        for (at, section) in self.algorithms_of(scope) {
            env.scope = at;
            if self.run(&section.statements, &mut env, true)? == Flow::Return {
                break;
            }
        }
        if let Some(unsure) = self.unsure.get(&scope).cloned() {
            let of = self.class_name(scope);
            self.promises(&unsure.outputs, &of, &env, span)?;
        }
        let mut results = Vec::with_capacity(signature.outputs.len());
        for p in &signature.outputs {
            results.push(
                env.local(p.name)
                    .map(|l| l.value.clone())
                    .unwrap_or(Value::Tuple(Vec::new())),
            );
        }
        Ok(if results.len() == 1 {
            results.swap_remove(0)
        } else {
            Value::Tuple(results)
        })
    }

    /// Algorithm sections of a class and its bases, bases first.
    pub fn algorithms_of(&self, scope: ScopeId) -> Vec<(ScopeId, &'a ast::AlgorithmSection)> {
        let mut out = Vec::new();
        for &b in &self.tree.scopes[scope].bases {
            out.extend(self.algorithms_of(b));
        }
        if let Some(body) = self.tree.scopes[scope].class.def.long() {
            out.extend(body.algorithms.iter().map(|s| (scope, s)));
        }
        out
    }

    /// Runs statements; `top` says that nothing follows them in the function.
    pub fn run(&mut self, statements: &'a [ast::Statement], env: &mut Env, top: bool) -> R<Flow> {
        for (k, s) in statements.iter().enumerate() {
            self.spend(1, s.span)?;
            let flow = match &s.kind {
                ast::StatementKind::If(i) => {
                    match self.run_if(i, env, &statements[k + 1..], top, s.span)? {
                        (flow, true) => return Ok(flow),
                        (flow, false) => flow,
                    }
                }
                _ => self.run_one(s, env)?,
            };
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn run_one(&mut self, s: &'a ast::Statement, env: &mut Env) -> R<Flow> {
        match &s.kind {
            ast::StatementKind::Assign(target, e) => {
                let value = first_of(self.eval(e, env)?);
                self.assign(target, value, env, s.span)?;
                self.is_assigned(target, env)?;
            }
            ast::StatementKind::TupleAssign(targets, e) => {
                let value = self.eval(e, env)?;
                let values = match value {
                    Value::Tuple(items) => items,
                    one => vec![one],
                };
                if targets.len() > values.len() {
                    return error(
                        "E0340",
                        s.span,
                        format!(
                            "{} results are assigned, the call has {}",
                            targets.len(),
                            values.len()
                        ),
                    );
                }
                for (t, v) in targets.iter().zip(values) {
                    if let Some(t) = t {
                        self.assign(t, v, env, s.span)?;
                        self.is_assigned(t, env)?;
                    }
                }
            }
            ast::StatementKind::Call(e) => self.call_statement(e, env)?,
            ast::StatementKind::If(_) => {}
            ast::StatementKind::For(f) => {
                return self.run_for(&f.iterators, &f.statements, env);
            }
            ast::StatementKind::While(w) => loop {
                self.spend(1, w.condition.span)?;
                let c = self.eval_scalar(&w.condition, env)?;
                self.check_boolean(c, w.condition.span)?;
                match self.flat.exprs.as_bool(c) {
                    Some(false) => break,
                    Some(true) => match self.run(&w.statements, env, false)? {
                        Flow::Break => break,
                        Flow::Return => return Ok(Flow::Return),
                        Flow::Next => {}
                    },
                    None => {
                        return error(
                            DYNAMIC,
                            w.condition.span,
                            "a loop whose end is known only at run time",
                        );
                    }
                }
            },
            ast::StatementKind::When(branches) => self.run_when(branches, env, s.span)?,
            ast::StatementKind::Break => return Ok(Flow::Break),
            ast::StatementKind::Return => return Ok(Flow::Return),
        }
        Ok(Flow::Next)
    }

    fn run_for(
        &mut self,
        iterators: &'a [ast::ForIterator],
        statements: &'a [ast::Statement],
        env: &mut Env,
    ) -> R<Flow> {
        let Some((first, rest)) = iterators.split_first() else {
            return self.run(statements, env, false);
        };
        let body = uses_in_statements(statements);
        let values = match self.iterator_values(first, env, &body) {
            Ok(v) => v,
            Err(mut d) if d.code == "E0310" => {
                d.code = DYNAMIC;
                return Err(d);
            }
            Err(d) => return Err(d),
        };
        for v in values {
            env.locals.push(Local {
                name: first.name,
                value: v,
                ty: None,
                sized: false,
            });
            let flow = if rest.is_empty() {
                self.run(statements, env, false)
            } else {
                self.run_for(rest, statements, env)
            };
            env.locals.pop();
            match flow? {
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
                Flow::Next => {}
            }
        }
        Ok(Flow::Next)
    }

    /// Returns the flow, and whether the statements after the if have been run as well.
    fn run_if(
        &mut self,
        i: &'a ast::IfStatement,
        env: &mut Env,
        rest: &'a [ast::Statement],
        top: bool,
        span: Span,
    ) -> R<(Flow, bool)> {
        let before = self.undecided;
        let result = self.run_branches(i, env, rest, top, span);
        self.undecided = before;
        result
    }

    fn run_branches(
        &mut self,
        i: &'a ast::IfStatement,
        env: &mut Env,
        rest: &'a [ast::Statement],
        top: bool,
        span: Span,
    ) -> R<(Flow, bool)> {
        let mut open: Vec<(ExprId, Env, Flow)> = Vec::new();
        let mut guards = 0;
        let mut result: Option<(Env, Flow)> = None;
        for b in &i.branches {
            let c = self.eval_scalar(&b.condition, env)?;
            self.check_boolean(c, b.condition.span)?;
            match self.flat.exprs.as_bool(c) {
                Some(false) => continue,
                Some(true) => {
                    let mut inner = env.clone();
                    let flow = self.run(&b.statements, &mut inner, false)?;
                    result = Some((inner, flow));
                    break;
                }
                None => {
                    let mut inner = env.clone();
                    self.undecided += 1;
                    self.guards.push(c);
                    let flow = self.run(&b.statements, &mut inner, false);
                    self.guards.pop();
                    open.push((c, inner, flow?));
                    let not = self.flat.exprs.not(c);
                    self.guards.push(not);
                    guards += 1;
                }
            }
        }
        let outcome = match result {
            Some(r) => Ok(r),
            None => {
                let mut inner = env.clone();
                self.run(&i.else_statements, &mut inner, false)
                    .map(|flow| (inner, flow))
            }
        };
        for _ in 0..guards {
            self.guards.pop();
        }
        let (mut merged, mut flow) = outcome?;
        if open.is_empty() {
            *env = merged;
            return Ok((flow, false));
        }
        let mut mixed = false;
        if flow != Flow::Next || open.iter().any(|(_, _, f)| *f != Flow::Next) {
            let all_return =
                flow == Flow::Return && open.iter().all(|(_, _, f)| *f == Flow::Return);
            let any_break = flow == Flow::Break || open.iter().any(|(_, _, f)| *f == Flow::Break);
            if any_break || (!all_return && !top) {
                return error(
                    DYNAMIC,
                    span,
                    "leaving a loop or function depends on run-time values",
                );
            }
            if !all_return {
                // Finish the function in the branches that did not return.
                for (_, e, f) in &mut open {
                    if *f == Flow::Next {
                        self.run(rest, e, true)?;
                    }
                }
                if flow == Flow::Next {
                    self.run(rest, &mut merged, true)?;
                }
                flow = Flow::Return;
                mixed = true;
            }
        }
        for (c, branch, _) in open.into_iter().rev() {
            merged = self.merge_env(c, branch, merged, env, span)?;
        }
        *env = merged;
        Ok((flow, mixed))
    }

    /// The environment that holds if `c` then that of `a` else that of `b`.
    fn merge_env(&mut self, c: ExprId, a: Env, b: Env, before: &Env, span: Span) -> R<Env> {
        let mut out = b;
        for (x, y) in a.locals.into_iter().zip(&mut out.locals) {
            if x.value != y.value {
                let value = self
                    .choose(c, x.value, y.value.clone(), span)
                    .map_err(|mut d| {
                        // Sizes that differ between branches can only be handled at run time.
                        d.code = DYNAMIC;
                        d
                    })?;
                y.value = value;
            }
        }
        if let (Some(x), Some(y)) = (a.assigned, &mut out.assigned) {
            let mut keys: Vec<VarId> = x.keys().chain(y.keys()).copied().collect();
            keys.sort_unstable();
            keys.dedup();
            for v in keys {
                let base = |me: &mut Self| {
                    before
                        .assigned
                        .as_ref()
                        .and_then(|m| m.get(&v).copied())
                        .unwrap_or_else(|| me.default_of(v))
                };
                let p = match x.get(&v) {
                    Some(&p) => p,
                    None => base(self),
                };
                let q = match y.get(&v) {
                    Some(&q) => q,
                    None => base(self),
                };
                let value = self.flat.exprs.if_then_else(c, p, q);
                y.insert(v, value);
            }
        }
        Ok(out)
    }

    /// Value of a model variable at the start of an algorithm: its left limit, or its start value.
    pub fn default_of(&mut self, v: VarId) -> ExprId {
        let var = &self.flat.vars[v];
        let ty = var.ty;
        if ty.is_discrete()
            || var.variability == ferrica_ir::flat::Variability::Discrete
            || self.in_when > 0
        {
            return self.flat.exprs.pre(v, ty);
        }
        if let Some(s) = var.start {
            return s;
        }
        self.zero(ty)
    }

    pub fn make_discrete(&mut self, v: VarId) {
        let var = &mut self.flat.vars[v];
        if var.variability == ferrica_ir::flat::Variability::Continuous {
            var.variability = ferrica_ir::flat::Variability::Discrete;
        }
    }

    fn run_when(
        &mut self,
        branches: &'a [ast::StatementBranch],
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let before = env.clone();
        let mut open = Vec::new();
        let mut guards = 0;
        for b in branches {
            let fires = self.when_condition(&b.condition, env)?;
            let mut inner = before.clone();
            self.guards.push(fires);
            self.in_when += 1;
            let flow = self.run(&b.statements, &mut inner, false);
            self.in_when -= 1;
            self.guards.pop();
            flow?;
            open.push((fires, inner));
            let not = self.flat.exprs.not(fires);
            self.guards.push(not);
            guards += 1;
        }
        for _ in 0..guards {
            self.guards.pop();
        }
        // Variables assigned in a when-clause are discrete and keep their left limit otherwise.
        let mut merged = before.clone();
        if let Some(map) = &mut merged.assigned {
            for (_, e) in &open {
                for (&v, value) in e.assigned.iter().flatten() {
                    if map.get(&v) != Some(value) {
                        self.make_discrete(v);
                    }
                    let ty = self.flat.vars[v].ty;
                    let pre = self.flat.exprs.pre(v, ty);
                    map.entry(v).or_insert(pre);
                }
            }
        }
        let base = merged.clone();
        for (c, inner) in open.into_iter().rev() {
            merged = self.merge_env(c, inner, merged, &base, span)?;
        }
        *env = merged;
        Ok(())
    }

    /// The condition of a when-clause as `WhenFires` of auxiliary Boolean variables.
    pub fn when_condition(&mut self, e: &'a ast::Expr, env: &Env) -> R<ExprId> {
        let value = self.eval(e, env)?;
        let mut list = Vec::new();
        value.scalars(&mut list);
        let mut fires = Vec::new();
        let written: Vec<&ast::Expr> = match &e.kind {
            ast::ExprKind::Array(items) if items.len() == list.len() => items.iter().collect(),
            _ => vec![e; list.len()],
        };
        for (c, written) in list.into_iter().zip(written) {
            if self.flat.exprs.ty(c) == Ty::Clock {
                return error("E0341", e.span, "a clocked when-clause");
            }
            if self.flat.exprs.ty(c) != Ty::Boolean {
                return error("E0321", e.span, "a when-condition must be Boolean");
            }
            if self.flat.exprs.as_bool(c).is_some() {
                continue;
            }
            // Only `initial()` itself makes a clause active during initialization, not a condition that contains it (section 8.6).
            let at_start = matches!(self.flat.exprs.get(c), Expr::Builtin(Builtin::Initial, _))
                && matches!(&written.kind, ast::ExprKind::Call(call)
                    if call.function.as_ident().is_some_and(|n| n.as_str() == "initial"));
            let b = match self.flat.exprs.get(c) {
                Expr::Var(v) => v,
                _ => self.auxiliary_variable(
                    ferrica_ir::flat::WHEN,
                    Ty::Boolean,
                    ferrica_ir::flat::Variability::Discrete,
                    c,
                    e.span,
                ),
            };
            let b = self.flat.exprs.var(b, Ty::Boolean);
            let i = self.flat.exprs.bool(at_start);
            fires.push(self.flat.exprs.builtin(Builtin::WhenFires, &[b, i]));
        }
        Ok(self.flat.exprs.or_all(&fires))
    }
}
