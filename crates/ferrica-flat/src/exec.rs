//! Symbolic execution of algorithms.
//!
//! Statements change the values of local names (function bodies) or of model variables (algorithm
//! sections). A condition that is not known at compile time executes all branches and merges their
//! results by if-expressions, so an algorithm without run-time loops ends as plain expressions. What
//! cannot be done so gives an error with the code [`DYNAMIC`]; the caller then makes a function
//! that is executed at run time.

use std::rc::Rc;

use ferrica_ir::flat::{Assertion, Effect, Terminate};
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, Span, Ty, VarId};
use ferrica_syntax::ast;

use crate::call::{Signature, first_of};
use crate::eval::{Env, Local, Pos, select};
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::iterators::uses_in_statements;
use crate::value::{Array, Record, Value};

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
        for p in signature.outputs.iter().chain(&signature.locals) {
            let unsized_dim = p
                .dims
                .iter()
                .any(|(s, _)| matches!(s, ast::Subscript::Colon(_)));
            let value = match &p.binding {
                Some(b) => {
                    let v = self.eval_local_binding(b, &env)?;
                    match p.ty {
                        crate::call::ParamType::Scalar(ty) => self.convert(v, ty, p.span)?,
                        _ => v,
                    }
                }
                None if unsized_dim => Value::array(vec![0], Vec::new()),
                None => self.default_value(p, &env, span)?,
            };
            let ty = match p.ty {
                crate::call::ParamType::Scalar(ty) => Some(ty),
                _ => None,
            };
            env.locals.push(Local {
                name: p.name,
                value,
                ty,
            });
        }
        for (at, section) in self.algorithms_of(scope) {
            env.scope = at;
            if self.run(&section.statements, &mut env, true)? == Flow::Return {
                break;
            }
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
        // Variables assigned in a when-clause keep their left limit otherwise.
        let mut merged = before.clone();
        if let Some(map) = &mut merged.assigned {
            for (_, e) in &open {
                for v in e.assigned.iter().flat_map(|m| m.keys()) {
                    if !map.contains_key(v) {
                        let ty = self.flat.vars[*v].ty;
                        let pre = self.flat.exprs.pre(*v, ty);
                        map.insert(*v, pre);
                    }
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
        for c in list {
            if self.flat.exprs.ty(c) == Ty::Clock {
                return error("E0341", e.span, "a clocked when-clause");
            }
            if self.flat.exprs.ty(c) != Ty::Boolean {
                return error("E0321", e.span, "a when-condition must be Boolean");
            }
            if self.flat.exprs.as_bool(c).is_some() {
                continue;
            }
            let mut at_start = false;
            self.flat.exprs.postorder(&[c], |id| {
                at_start |= matches!(self.flat.exprs.get(id), Expr::Builtin(Builtin::Initial, _));
            });
            let b = match self.flat.exprs.get(c) {
                Expr::Var(v) => v,
                _ => self.auxiliary_variable(
                    "$when",
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

    // Assignment.

    fn assign(
        &mut self,
        target: &'a ast::ComponentRef,
        value: Value,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let name = target.parts[0].name;
        if let Some(k) = env.locals.iter().rposition(|l| l.name == name) {
            let ty = env.locals[k].ty;
            let value = match ty {
                Some(ty) if target.parts.len() == 1 => self.convert(value, ty, span)?,
                _ => value,
            };
            let empty = Value::Tuple(Vec::new());
            let old = std::mem::replace(&mut env.locals[k].value, empty);
            // Subscripts may read the local itself (`x[size(x, 1)]`), which needs its value there.
            let reads_itself = target.parts.iter().any(|p| !p.subscripts.is_empty());
            if reads_itself {
                env.locals[k].value = old.clone();
            }
            let parts: &'a [ast::RefPart] = &target.parts;
            let mut picks = Vec::new();
            let mut shape = old.clone();
            for p in parts {
                if picks.is_empty() {
                    // The first part is the local itself.
                } else {
                    shape = match shape.field(p.name) {
                        Some(v) => v,
                        None => {
                            env.locals[k].value = old;
                            return error(
                                "E0312",
                                p.span,
                                format!("there is no field `{}`", p.name),
                            );
                        }
                    };
                }
                let dims = shape.dims().to_vec();
                let positions = match self.positions(&p.subscripts, &dims, env, p.span) {
                    Ok(x) => x,
                    Err(d) => {
                        env.locals[k].value = old;
                        return Err(d);
                    }
                };
                if !p.subscripts.is_empty() && shape.dims().len() == positions.len() {
                    shape = shape
                        .items()
                        .first()
                        .cloned()
                        .unwrap_or(Value::Tuple(Vec::new()));
                }
                picks.push((p.name, positions));
            }
            drop(shape);
            env.locals[k].value = Value::Tuple(Vec::new());
            let new = self.updated(old, &picks, true, value, span)?;
            env.locals[k].value = new;
            return Ok(());
        }
        if env.assigned.is_none() {
            return error(
                "E0342",
                target.span,
                format!("`{name}` cannot be assigned here"),
            );
        }
        let plain = Env {
            assigned: None,
            ..env.clone()
        };
        let dynamic = self.eval_ref(target, &plain)?;
        self.assign_variables(&dynamic, &value, env, span)
    }

    /// Model variables take the values, element by element.
    fn assign_variables(
        &mut self,
        target: &Value,
        value: &Value,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        match (target, value) {
            (Value::Scalar(t), Value::Scalar(v)) => self.assign_scalar(*t, *v, env, span),
            (Value::Array(t), Value::Array(v)) if t.dims == v.dims => {
                for (x, y) in t.items.iter().zip(&v.items) {
                    self.assign_variables(x, y, env, span)?;
                }
                Ok(())
            }
            (Value::Record(t), Value::Record(v)) => {
                for (n, x) in &t.fields {
                    let Some((_, y)) = v.fields.iter().find(|(m, _)| m == n) else {
                        continue;
                    };
                    if x.scalar().is_some_and(|s| self.flat.exprs.is_literal(s)) {
                        continue;
                    }
                    self.assign_variables(x, y, env, span)?;
                }
                Ok(())
            }
            _ => error(
                "E0317",
                span,
                format!(
                    "{} cannot be assigned to {}",
                    value.a_shape(),
                    target.a_shape()
                ),
            ),
        }
    }

    fn assign_scalar(&mut self, target: ExprId, value: ExprId, env: &mut Env, span: Span) -> R<()> {
        match self.flat.exprs.get(target) {
            Expr::Var(v) => {
                let ty = self.flat.vars[v].ty;
                let converted = self.convert(Value::Scalar(value), ty, span)?;
                if let (Some(map), Some(s)) = (&mut env.assigned, converted.scalar()) {
                    map.insert(v, s);
                }
                Ok(())
            }
            // A dynamic subscript: `x[i] := v` for i known at run time.
            Expr::If(c, a, b) => {
                let old_a = self.present(a, env);
                let new_a = self.flat.exprs.if_then_else(c, value, old_a);
                self.assign_scalar(a, new_a, env, span)?;
                let old_b = self.present(b, env);
                if let Expr::Var(_) = self.flat.exprs.get(b) {
                    let new_b = self.flat.exprs.if_then_else(c, old_b, value);
                    return self.assign_scalar(b, new_b, env, span);
                }
                // The rest of the chain: only where the condition is false.
                self.assign_guarded(c, b, value, env, span)
            }
            _ => error(
                "E0342",
                span,
                "the left side of an assignment must be a variable",
            ),
        }
    }

    fn assign_guarded(
        &mut self,
        not: ExprId,
        target: ExprId,
        value: ExprId,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        match self.flat.exprs.get(target) {
            Expr::If(c, a, b) => {
                let n = self.flat.exprs.not(not);
                let here = self.flat.exprs.binary(BinaryOp::And, n, c);
                let old = self.present(a, env);
                let new = self.flat.exprs.if_then_else(here, value, old);
                self.assign_scalar(a, new, env, span)?;
                let either = self.flat.exprs.binary(BinaryOp::Or, not, c);
                self.assign_guarded(either, b, value, env, span)
            }
            _ => {
                let old = self.present(target, env);
                let new = self.flat.exprs.if_then_else(not, old, value);
                self.assign_scalar(target, new, env, span)
            }
        }
    }

    fn present(&mut self, target: ExprId, env: &Env) -> ExprId {
        match self.flat.exprs.get(target) {
            Expr::Var(v) => match env.assigned.as_ref().and_then(|m| m.get(&v).copied()) {
                Some(e) => e,
                None => self.default_of(v),
            },
            _ => target,
        }
    }

    /// `old` with the part that the path names replaced by `new`.
    fn updated(
        &mut self,
        old: Value,
        path: &[(ferrica_ir::Symbol, Vec<Pos>)],
        at_root: bool,
        new: Value,
        span: Span,
    ) -> R<Value> {
        let Some(((name, positions), rest)) = path.split_first() else {
            return Ok(new);
        };
        if !at_root {
            let Value::Record(mut r) = old else {
                return error("E0312", span, format!("there is no field `{name}`"));
            };
            let record: &mut Record = Rc::make_mut(&mut r);
            let Some((_, slot)) = record.fields.iter_mut().find(|(n, _)| n == name) else {
                return error("E0312", span, format!("there is no field `{name}`"));
            };
            let inner = std::mem::replace(slot, Value::Tuple(Vec::new()));
            let inner = self.updated_here(inner, positions, rest, new, span)?;
            if let Some((_, slot)) = Rc::make_mut(&mut r)
                .fields
                .iter_mut()
                .find(|(n, _)| n == name)
            {
                *slot = inner;
            }
            return Ok(Value::Record(r));
        }
        self.updated_here(old, positions, rest, new, span)
    }

    fn updated_here(
        &mut self,
        old: Value,
        positions: &[Pos],
        rest: &[(ferrica_ir::Symbol, Vec<Pos>)],
        new: Value,
        span: Span,
    ) -> R<Value> {
        if positions.is_empty() {
            if rest.is_empty() {
                return Ok(match (&old, new) {
                    // Keep the declared record class and field order.
                    (Value::Record(o), Value::Record(n))
                        if o.class.is_some() && o.fields.len() == n.fields.len() =>
                    {
                        Value::Record(Rc::new(Record {
                            class: o.class,
                            fields: n.fields.clone(),
                        }))
                    }
                    (_, new) => new,
                });
            }
            return self.updated(old, rest, false, new, span);
        }
        let Value::Array(mut array) = old else {
            return error("E0316", span, "this is not an array");
        };
        if positions.iter().any(|p| matches!(p, Pos::Dynamic(_))) {
            return self.updated_dynamic(array, positions, rest, new, span);
        }
        let (dims, list) = select(positions, &array.dims);
        let scalar_target = dims.is_empty();
        if rest.is_empty() && !scalar_target && dims != new.dims() {
            return error(
                "E0317",
                span,
                format!(
                    "an {} cannot be assigned to a slice of size {dims:?}",
                    new.shape()
                ),
            );
        }
        if rest.is_empty() && scalar_target && !new.dims().is_empty() {
            return error(
                "E0317",
                span,
                format!("an {} cannot be assigned to one element", new.shape()),
            );
        }
        let items: &mut Array = Rc::make_mut(&mut array);
        for (i, k) in list.into_iter().enumerate() {
            let value = if scalar_target || !rest.is_empty() {
                new.clone()
            } else {
                new.items()[i].clone()
            };
            if rest.is_empty() {
                items.items[k] = value;
            } else {
                let inner = std::mem::replace(&mut items.items[k], Value::Tuple(Vec::new()));
                items.items[k] = self.updated(inner, rest, false, value, span)?;
            }
        }
        Ok(Value::Array(array))
    }

    fn updated_dynamic(
        &mut self,
        array: Rc<Array>,
        positions: &[Pos],
        rest: &[(ferrica_ir::Symbol, Vec<Pos>)],
        new: Value,
        span: Span,
    ) -> R<Value> {
        let Some(d) = positions.iter().position(|p| matches!(p, Pos::Dynamic(_))) else {
            return Ok(Value::Array(array));
        };
        let Pos::Dynamic(index) = positions[d] else {
            return Ok(Value::Array(array));
        };
        let mut result = Value::Array(array.clone());
        for k in 0..array.dims[d] {
            let fixed: Vec<Pos> = positions
                .iter()
                .enumerate()
                .map(|(j, p)| match p {
                    _ if j == d => Pos::One(k),
                    Pos::One(i) => Pos::One(*i),
                    Pos::Many(l) => Pos::Many(l.clone()),
                    Pos::Dynamic(e) => Pos::Dynamic(*e),
                })
                .collect();
            let changed = self.updated_here(result.clone(), &fixed, rest, new.clone(), span)?;
            let number = self.flat.exprs.int(k as i64 + 1);
            let here = self.flat.exprs.binary(BinaryOp::Eq, index, number);
            result = self.choose(here, changed, result, span)?;
        }
        Ok(result)
    }

    // Statements that are calls.

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
                let Some(message) = message.scalar() else {
                    return Ok(());
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
        // Conditions over the slots of a run-time function cannot be checked outside of it.
        if self.constant || !self.lowering.is_empty() {
            return Ok(());
        }
        let component = self.current;
        if self.assertions_seen.insert((guard, condition)) {
            self.flat.assertions.push(Assertion {
                guard,
                condition,
                message,
                is_error,
                span,
                component,
            });
        }
        Ok(())
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
