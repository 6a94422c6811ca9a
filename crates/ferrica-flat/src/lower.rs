//! Modelica functions and algorithms that are executed at run time.
//!
//! The body is evaluated once with symbolic slots in place of values; statements whose course
//! depends on run-time values become statements of the function IR. Every named variable is memory
//! (a run of slots), so expressions always speak of the present contents. Loops with known bounds
//! are unrolled unless they can be left early or are long.

use std::rc::Rc;

use ferrica_ir::function::{Function, FunctionBody, Slot, Stmt};
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, FunctionId, Span, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::call::{ParamType, Signature, first_of};
use crate::eval::{Env, Local, Pos};
use crate::external::{FunctionKey, shape_of};
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::iterators::uses_in_statements;
use crate::value::Value;

/// Loops of more iterations stay loops.
const UNROLL: usize = 32;

/// The function that is being written.
#[derive(Default)]
pub struct Emitter {
    pub slots: Vec<Slot>,
    /// Statement lists, innermost last.
    pub blocks: Vec<Vec<Stmt>>,
}

impl Emitter {
    fn push(&mut self, s: Stmt) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(s);
        }
    }
}

impl<'a> Flattener<'a> {
    /// The call of a function that needs execution at run time.
    pub fn runtime_call(
        &mut self,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
        why: &Diagnostic,
    ) -> R<Value> {
        if self.constant {
            return Err(Box::new(why.clone()));
        }
        let outputs = self.output_templates(signature, env, span)?;
        let function = self
            .lower_function(scope, signature, env, span)
            .map_err(|mut d| {
                if d.code != "E0343" && !d.message.contains("is executed at run time") {
                    d.message = format!(
                        "{} (in `{}`, which is executed at run time: {})",
                        d.message,
                        self.class_name(scope),
                        why.message
                    );
                }
                d
            })?;
        self.finish_call(function, signature, env, outputs, span)
    }

    /// The specialisation of a function for the sizes (and discrete literals) of its arguments.
    pub fn lower_function(
        &mut self,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
    ) -> R<FunctionId> {
        let (key, _) = self.function_key(scope, signature, env);
        if let Some(&f) = self.functions.get(&key) {
            return Ok(f);
        }
        let def = self.tree.scopes[scope].class.def;
        let id = self.flat.functions.push(Function {
            name: self.class_name(scope),
            slots: Vec::new(),
            inputs: 0,
            outputs: 0,
            body: FunctionBody::Missing("not complete".into()),
            pure: def.purity != Some(ast::Purity::Impure),
            derivatives: Vec::new(),
            span: def.name_span,
        });
        self.functions.insert(key.clone(), id);
        let guards = std::mem::take(&mut self.guards);
        let emitter = std::mem::take(&mut self.emitter);
        let depth = std::mem::take(&mut self.depth);
        self.lowering.push(scope);
        let result = self.lower_body(scope, signature, env, span);
        self.lowering.pop();
        self.depth = depth;
        let written = std::mem::replace(&mut self.emitter, emitter);
        self.guards = guards;
        match result {
            Ok((inputs, outputs)) => {
                let f = &mut self.flat.functions[id];
                f.slots = written.slots;
                f.inputs = inputs;
                f.outputs = outputs;
                f.body = FunctionBody::Code(written.blocks.into_iter().next().unwrap_or_default());
                self.derivative_annotations(scope, id, signature, env);
                Ok(id)
            }
            Err(d) => {
                self.functions.remove(&key);
                self.flat.functions[id].body = FunctionBody::Missing(d.message.clone());
                Err(d)
            }
        }
    }

    /// What the specialisation of a function depends on, and whether all arguments are literals.
    pub fn function_key(
        &self,
        scope: ScopeId,
        signature: &Signature<'a>,
        env: &Env,
    ) -> (FunctionKey, bool) {
        let mut shape = shape_of(signature, env);
        let mut scalars = Vec::new();
        for p in &signature.inputs {
            if let Some(l) = env.local(p.name) {
                l.value.scalars(&mut scalars);
            }
        }
        let literal = scalars.iter().all(|&s| self.flat.exprs.is_literal(s));
        shape.extend(
            scalars
                .iter()
                .filter(|&&s| self.baked(s))
                .map(|s| s.as_u32()),
        );
        (FunctionKey { scope, shape }, literal)
    }

    /// Literals that specialise a function instead of being passed.
    fn baked(&self, s: ExprId) -> bool {
        matches!(
            self.flat.exprs.get(s),
            Expr::Int(_) | Expr::Bool(_) | Expr::Str(_) | Expr::Enum(..)
        )
    }

    fn lower_body(
        &mut self,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
    ) -> R<(u32, u32)> {
        self.emitter = Emitter {
            slots: Vec::new(),
            blocks: vec![Vec::new()],
        };
        let mut inner = Env::new(scope);
        for p in &signature.inputs {
            let Some(l) = env.local(p.name) else { continue };
            let old = l.value.clone();
            let name = p.name.as_str();
            self.slot_names_into(name, &old);
            let mut next = self.emitter.slots.len() as u32 - count(&old);
            let value = old.map_scalars(&mut |e| {
                let slot = next;
                next += 1;
                if self.baked(e) {
                    return e;
                }
                // An Integer argument of a Real input counts as Real from here on.
                let ty = match (p.ty, self.flat.exprs.ty(e)) {
                    (ParamType::Scalar(Ty::Real), _) => Ty::Real,
                    (_, ty) => ty,
                };
                self.emitter.slots[slot as usize].ty = ty;
                self.flat.exprs.intern(Expr::Local(slot), ty)
            });
            inner.locals.push(Local {
                name: p.name,
                value,
                ty: l.ty,
            });
        }
        let inputs = self.emitter.slots.len() as u32;
        let mut assigned = Vec::new();
        for (_, section) in self.algorithms_of(scope) {
            left_sides(&section.statements, &mut assigned);
        }
        let assigned: rustc_hash::FxHashSet<_> = assigned.iter().map(|r| r.parts[0].name).collect();
        let mut outputs = 0;
        for (k, p) in signature
            .outputs
            .iter()
            .chain(&signature.locals)
            .enumerate()
        {
            if p.dims
                .iter()
                .any(|(s, _)| matches!(s, ast::Subscript::Colon(_)))
                && p.binding.is_none()
            {
                return error(
                    "E0339",
                    p.span,
                    format!("the size of `{}` is known only at run time", p.name),
                );
            }
            let template = match (
                &p.binding,
                p.dims
                    .iter()
                    .any(|(s, _)| matches!(s, ast::Subscript::Colon(_))),
            ) {
                (Some(b), true) => self.eval_local_binding(b, &inner)?,
                _ => self.default_value(p, &inner, span)?,
            };
            if k >= signature.outputs.len()
                && !assigned.contains(&p.name)
                && let Some(b) = &p.binding
            {
                // Never assigned: a name for its value.
                let value = self.eval_local_binding(b, &inner)?;
                let value = match p.ty {
                    ParamType::Scalar(ty) => self.convert(value, ty, p.span)?,
                    _ => value,
                };
                inner.locals.push(Local {
                    name: p.name,
                    value,
                    ty: None,
                });
                continue;
            }
            let value = self.new_memory(p.name.as_str(), &template);
            let ty = match p.ty {
                ParamType::Scalar(ty) => Some(ty),
                _ => None,
            };
            let initial = match &p.binding {
                Some(b) => self.eval_local_binding(b, &inner)?,
                None => template,
            };
            inner.locals.push(Local {
                name: p.name,
                value: value.clone(),
                ty,
            });
            self.emit_assign(&value, &initial, span)?;
            if k < signature.outputs.len() {
                outputs += count(&value);
            }
        }
        for (at, section) in self.algorithms_of(scope) {
            inner.scope = at;
            self.emit_block(&section.statements, &mut inner)?;
        }
        Ok((inputs, outputs))
    }

    fn slot_names_into(&mut self, name: &str, v: &Value) {
        let mut slots = std::mem::take(&mut self.emitter.slots);
        let before = slots.len();
        self.slot_names(name, v, &mut slots);
        // Values captured by a function argument have no names of their own.
        let missing = count(v) as usize - (slots.len() - before);
        let mut scalars = Vec::new();
        v.scalars(&mut scalars);
        for s in scalars.iter().skip(scalars.len() - missing) {
            slots.push(Slot {
                name: format!("{name}$"),
                ty: self.flat.exprs.ty(*s),
            });
        }
        self.emitter.slots = slots;
    }

    /// New slots in the shape of a value.
    fn new_memory(&mut self, name: &str, template: &Value) -> Value {
        let mut next = self.emitter.slots.len() as u32;
        self.slot_names_into(name, template);
        self.over_slots(template, &mut next)
    }

    // Statements.

    fn nested(&mut self, statements: &'a [ast::Statement], env: &mut Env) -> R<Vec<Stmt>> {
        self.emitter.blocks.push(Vec::new());
        let result = self.emit_block(statements, env);
        let block = self.emitter.blocks.pop().unwrap_or_default();
        result.map(|()| block)
    }

    fn emit_block(&mut self, statements: &'a [ast::Statement], env: &mut Env) -> R<()> {
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
                let value = first_of(self.eval(e, env)?);
                self.emit_to(target, &value, env, s.span)
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
                self.emit_scalars(&to, &from);
                for (t, m, _) in held {
                    self.emit_to(t, &m, env, s.span)?;
                }
                Ok(())
            }
            ast::StatementKind::Call(e) => self.emit_call(e, env),
            ast::StatementKind::If(i) => self.emit_if(&i.branches, &i.else_statements, env),
            ast::StatementKind::For(f) => self.emit_for(&f.iterators, &f.statements, env, s.span),
            ast::StatementKind::While(w) => {
                let c = self.eval_scalar(&w.condition, env)?;
                if self.flat.exprs.as_bool(c) == Some(false) {
                    return Ok(());
                }
                let body = self.nested(&w.statements, env)?;
                self.emitter.push(Stmt::While(c, body));
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
                self.emitter.push(Stmt::Return);
                Ok(())
            }
        }
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
        (start, step, stop): (ExprId, ExprId, ExprId),
        rest: &'a [ast::ForIterator],
        statements: &'a [ast::Statement],
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let Some(step_value) = self.flat.exprs.as_f64(step) else {
            return error(
                "E0339",
                span,
                "the step of a loop must be known at compile time",
            );
        };
        let memory = self.new_memory(it.name.as_str(), &Value::Scalar(start));
        let end = self.new_memory("$end", &Value::Scalar(stop));
        let (Some(counter), Some(end)) = (memory.scalar(), end.scalar()) else {
            return Ok(());
        };
        // The counter runs ahead by one step, so that `continue`-free bodies may break anywhere.
        let before = self.flat.exprs.sub(start, step);
        self.emit_scalars(&[counter, end], &[before, stop]);
        let next = self.flat.exprs.add(counter, step);
        let op = if step_value > 0.0 {
            BinaryOp::Le
        } else {
            BinaryOp::Ge
        };
        let condition = self.flat.exprs.binary(op, next, end);
        self.emitter.blocks.push(Vec::new());
        self.emit_scalars(&[counter], &[next]);
        env.locals.push(Local {
            name: it.name,
            value: memory,
            ty: None,
        });
        let result = self.emit_for(rest, statements, env, span);
        env.locals.pop();
        let body = self.emitter.blocks.pop().unwrap_or_default();
        result?;
        self.emitter.push(Stmt::While(condition, body));
        Ok(())
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

    // Assignment.

    fn emit_to(
        &mut self,
        target: &'a ast::ComponentRef,
        value: &Value,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let name = target.parts[0].name;
        let value = match env.local(name).and_then(|l| l.ty) {
            Some(ty) if target.parts.len() == 1 => self.convert(value.clone(), ty, span)?,
            _ => value.clone(),
        };
        // One element at a run-time index of a plain array.
        if let [part] = target.parts.as_slice()
            && !part.subscripts.is_empty()
            && let Some(l) = env.local(name)
        {
            let array = l.value.clone();
            let dims = array.dims().to_vec();
            let positions = self.positions(&part.subscripts, &dims, env, span)?;
            if positions.iter().any(|p| matches!(p, Pos::Dynamic(_))) {
                return self.emit_store(&array, &positions, &value, span);
            }
        }
        let memory = self.eval_ref(target, env)?;
        self.emit_assign(&memory, &value, span)
    }

    fn emit_store(&mut self, array: &Value, positions: &[Pos], value: &Value, span: Span) -> R<()> {
        let Some((base, len)) = self.contiguous(array) else {
            return error("E0339", span, "a run-time subscript of this array");
        };
        let (dims, indices) = self.linear_indices(array.dims(), positions);
        if dims != value.dims() {
            return error(
                "E0317",
                span,
                format!(
                    "an {} cannot be assigned to a part of size {dims:?}",
                    value.shape()
                ),
            );
        }
        let mut values = Vec::new();
        value.scalars(&mut values);
        if values.len() > 1 {
            let memory = self.new_memory("$t", value);
            let mut held = Vec::new();
            memory.scalars(&mut held);
            self.emit_scalars(&held, &values);
            values = held;
        }
        for (k, v) in indices.into_iter().zip(values) {
            self.emitter.push(Stmt::Store(base, len, k, v));
        }
        Ok(())
    }

    /// First slot and number of slots of an array of scalars in memory.
    pub fn contiguous(&self, array: &Value) -> Option<(u32, u32)> {
        let items = array.items();
        let slot = |v: &Value| match v.scalar().map(|s| self.flat.exprs.get(s)) {
            Some(Expr::Local(k)) => Some(k),
            _ => None,
        };
        let first = slot(items.first()?)?;
        let run = items
            .iter()
            .enumerate()
            .all(|(k, v)| slot(v) == Some(first + k as u32));
        run.then_some((first, items.len() as u32))
    }

    /// Dimensions of a selection, and the index from 0 of each selected element as an expression.
    pub fn linear_indices(
        &mut self,
        dims: &[usize],
        positions: &[Pos],
    ) -> (Vec<usize>, Vec<ExprId>) {
        let mut out_dims = Vec::new();
        let zero = self.flat.exprs.int(0);
        let mut list = vec![zero];
        for (d, &size) in dims.iter().enumerate() {
            let scale = self.flat.exprs.int(size as i64);
            let steps: Vec<ExprId> = match positions.get(d) {
                Some(Pos::One(i)) => vec![self.flat.exprs.int(*i as i64)],
                Some(Pos::Dynamic(e)) => {
                    let e = *e;
                    let number = match self.flat.exprs.ty(e) {
                        Ty::Enum(_) => self.flat.exprs.builtin(Builtin::EnumToInt, &[e]),
                        Ty::Boolean => {
                            let (one, two) = (self.flat.exprs.int(1), self.flat.exprs.int(2));
                            self.flat.exprs.if_then_else(e, two, one)
                        }
                        _ => e,
                    };
                    let one = self.flat.exprs.int(1);
                    vec![self.flat.exprs.sub(number, one)]
                }
                Some(Pos::Many(l)) => {
                    out_dims.push(l.len());
                    l.iter().map(|&i| self.flat.exprs.int(i as i64)).collect()
                }
                None => {
                    out_dims.push(size);
                    (0..size as i64).map(|i| self.flat.exprs.int(i)).collect()
                }
            };
            let mut next = Vec::with_capacity(list.len() * steps.len());
            for &base in &list {
                let shifted = self.flat.exprs.mul(base, scale);
                for &s in &steps {
                    next.push(self.flat.exprs.add(shifted, s));
                }
            }
            list = next;
        }
        (out_dims, list)
    }

    fn emit_assign(&mut self, memory: &Value, value: &Value, span: Span) -> R<()> {
        let (mut to, mut from) = (Vec::new(), Vec::new());
        match (memory, value) {
            (Value::Record(m), Value::Record(v)) => {
                for (n, x) in &m.fields {
                    if let Some((_, y)) = v.fields.iter().find(|(k, _)| k == n) {
                        if x.dims() != y.dims() {
                            return error(
                                "E0317",
                                span,
                                format!("the field `{n}` differs in size"),
                            );
                        }
                        x.scalars(&mut to);
                        y.scalars(&mut from);
                    }
                }
            }
            _ => {
                if memory.dims() != value.dims() {
                    return error(
                        "E0317",
                        span,
                        format!(
                            "{} cannot be assigned to {}",
                            value.a_shape(),
                            memory.a_shape()
                        ),
                    );
                }
                memory.scalars(&mut to);
                value.scalars(&mut from);
            }
        }
        if to.len() != from.len() {
            return error("E0317", span, "the two sides of the assignment differ");
        }
        self.emit_scalars(&to, &from);
        Ok(())
    }

    /// Assigns many scalars as if at once.
    fn emit_scalars(&mut self, to: &[ExprId], from: &[ExprId]) {
        let mut pairs: Vec<(u32, ExprId)> = Vec::with_capacity(to.len());
        for (&t, &f) in to.iter().zip(from) {
            if t == f {
                continue;
            }
            if let Expr::Local(slot) = self.flat.exprs.get(t) {
                pairs.push((slot, f));
            }
        }
        // Results of one call are taken together.
        let call = pairs
            .first()
            .and_then(|&(_, f)| match self.flat.exprs.get(f) {
                Expr::Proj(c, _) => Some(c),
                _ => None,
            });
        if let Some(c) = call {
            let outs: Option<Vec<(u32, u32)>> = pairs
                .iter()
                .map(|&(slot, f)| match self.flat.exprs.get(f) {
                    Expr::Proj(d, k) if d == c => Some((k, slot)),
                    _ => None,
                })
                .collect();
            if let Some(outs) = outs {
                self.emitter.push(Stmt::CallAssign(c, outs));
                return;
            }
        }
        if pairs.len() > 1 {
            let written: rustc_hash::FxHashSet<u32> = pairs.iter().map(|p| p.0).collect();
            let mut clash = false;
            let roots: Vec<ExprId> = pairs.iter().map(|p| p.1).collect();
            self.flat
                .exprs
                .postorder(&roots, |id| match self.flat.exprs.get(id) {
                    Expr::Local(k) => clash |= written.contains(&k),
                    Expr::Load(base, len, _) => {
                        clash |= (base..base + len).any(|k| written.contains(&k))
                    }
                    _ => {}
                });
            if clash {
                let mut held = Vec::new();
                for &(slot, f) in &pairs {
                    let ty = self.flat.exprs.ty(f);
                    let temporary = self.emitter.slots.len() as u32;
                    self.emitter.slots.push(Slot {
                        name: "$t".into(),
                        ty,
                    });
                    self.emitter.push(Stmt::Assign(temporary, f));
                    let read = self.flat.exprs.intern(Expr::Local(temporary), ty);
                    held.push((slot, read));
                }
                pairs = held;
            }
        }
        for (slot, f) in pairs {
            self.emitter.push(Stmt::Assign(slot, f));
        }
    }

    // Algorithm sections.

    /// An algorithm section as a function of everything it reads; returns the assigned variables
    /// with their final values.
    pub fn lower_algorithm(
        &mut self,
        section: &'a ast::AlgorithmSection,
        scope: ScopeId,
    ) -> R<Vec<(VarId, ExprId)>> {
        let targets = self.assigned_variables(&section.statements, scope)?;
        let emitter = std::mem::replace(
            &mut self.emitter,
            Emitter {
                slots: Vec::new(),
                blocks: vec![Vec::new()],
            },
        );
        let result = self.algorithm_body(section, scope, &targets);
        let written = std::mem::replace(&mut self.emitter, emitter);
        result?;
        let mut body = written.blocks.into_iter().next().unwrap_or_default();
        // What is read from the model becomes an input.
        let mut roots = Vec::new();
        collect_expressions(&body, &mut roots);
        let mut reads: Vec<ExprId> = Vec::new();
        self.flat
            .exprs
            .postorder(&roots, |id| match self.flat.exprs.get(id) {
                Expr::Var(_) | Expr::Pre(_) | Expr::Time | Expr::Der(_) => reads.push(id),
                Expr::Builtin(
                    Builtin::WhenFires
                    | Builtin::Initial
                    | Builtin::Terminal
                    | Builtin::Sample
                    | Builtin::Delay,
                    _,
                ) => reads.push(id),
                _ => {}
            });
        let inputs = reads.len() as u32;
        let mut map: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut slots = Vec::new();
        for (k, &r) in reads.iter().enumerate() {
            let ty = self.flat.exprs.ty(r);
            let local = self.flat.exprs.intern(Expr::Local(k as u32), ty);
            map.insert(r, local);
            slots.push(Slot {
                name: format!("$in{k}"),
                ty,
            });
        }
        slots.extend(written.slots);
        let fixed = map.clone();
        let mut memo: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut shift = |x: &mut ferrica_ir::ExprArena, e: ExprId| {
            if let Some(&m) = fixed.get(&e) {
                return Some(m);
            }
            let ty = x.ty(e);
            match x.get(e) {
                Expr::Local(k) => Some(x.intern(Expr::Local(k + inputs), ty)),
                _ => None,
            }
        };
        renumber(&mut body, inputs, &mut |e| {
            let new = self.flat.exprs.rewrite(e, &mut memo, &mut shift);
            // A run-time index needs the shifted base as well.
            shift_loads(&mut self.flat.exprs, new, inputs)
        });
        let id = self.flat.functions.push(Function {
            name: format!("algorithm of {}", self.class_name(scope)),
            slots,
            inputs,
            outputs: targets.len() as u32,
            body: FunctionBody::Code(body),
            pure: true,
            derivatives: Vec::new(),
            span: section.span,
        });
        let ty = if targets.len() == 1 {
            self.flat.vars[targets[0]].ty
        } else {
            Ty::Tuple
        };
        let call = self.flat.exprs.call(id, &reads, ty);
        let mut out = Vec::new();
        for (k, &v) in targets.iter().enumerate() {
            let ty = self.flat.vars[v].ty;
            let value = if targets.len() == 1 {
                call
            } else {
                self.flat.exprs.proj(call, k as u32, ty)
            };
            out.push((v, value));
        }
        Ok(out)
    }

    fn algorithm_body(
        &mut self,
        section: &'a ast::AlgorithmSection,
        scope: ScopeId,
        targets: &[VarId],
    ) -> R<()> {
        let mut assigned = FxHashMap::default();
        let (mut to, mut from) = (Vec::new(), Vec::new());
        for &v in targets {
            let ty = self.flat.vars[v].ty;
            let slot = self.emitter.slots.len() as u32;
            self.emitter.slots.push(Slot {
                name: self.flat.vars[v].name.clone(),
                ty,
            });
            let local = self.flat.exprs.intern(Expr::Local(slot), ty);
            assigned.insert(v, local);
            to.push(local);
            from.push(self.default_of(v));
        }
        self.emit_scalars(&to, &from);
        let mut env = Env {
            assigned: Some(assigned),
            ..Env::new(scope)
        };
        self.emit_block(&section.statements, &mut env)
    }

    /// Variables on the left sides of the statements, whole arrays where the index is not known.
    fn assigned_variables(
        &mut self,
        statements: &'a [ast::Statement],
        scope: ScopeId,
    ) -> R<Vec<VarId>> {
        let mut refs = Vec::new();
        left_sides(statements, &mut refs);
        let mut out = Vec::new();
        for r in refs {
            let name = r.parts[0].name;
            let Some(crate::lookup::Found::Element(e)) = self.lookup_simple(scope, name)? else {
                continue;
            };
            if self.tree.component(e).is_none() {
                continue;
            }
            let env = Env::new(scope);
            let whole = self.whole_component(e, &env)?;
            // Only the named field of a record.
            let mut value = whole;
            for p in &r.parts[1..] {
                match value.field(p.name) {
                    Some(f) => value = f,
                    None => break,
                }
            }
            let mut scalars = Vec::new();
            value.scalars(&mut scalars);
            out.extend(
                scalars
                    .into_iter()
                    .filter_map(|s| match self.flat.exprs.get(s) {
                        Expr::Var(v) => Some(v),
                        _ => None,
                    }),
            );
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }
}

fn count(v: &Value) -> u32 {
    let mut s = Vec::new();
    v.scalars(&mut s);
    s.len() as u32
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

fn left_sides<'a>(statements: &'a [ast::Statement], out: &mut Vec<&'a ast::ComponentRef>) {
    for s in statements {
        match &s.kind {
            ast::StatementKind::Assign(r, _) => out.push(r),
            ast::StatementKind::TupleAssign(list, _) => out.extend(list.iter().flatten()),
            ast::StatementKind::If(i) => {
                i.branches
                    .iter()
                    .for_each(|b| left_sides(&b.statements, out));
                left_sides(&i.else_statements, out);
            }
            ast::StatementKind::For(f) => left_sides(&f.statements, out),
            ast::StatementKind::While(w) => left_sides(&w.statements, out),
            ast::StatementKind::When(branches) => {
                branches.iter().for_each(|b| left_sides(&b.statements, out))
            }
            _ => {}
        }
    }
}

fn collect_expressions(body: &[Stmt], out: &mut Vec<ExprId>) {
    for s in body {
        match s {
            Stmt::Assign(_, e) => out.push(*e),
            Stmt::Store(_, _, k, v) => out.extend([*k, *v]),
            Stmt::CallAssign(c, _) => out.push(*c),
            Stmt::If(c, a, b) => {
                out.push(*c);
                collect_expressions(a, out);
                collect_expressions(b, out);
            }
            Stmt::While(c, b) => {
                out.push(*c);
                collect_expressions(b, out);
            }
            Stmt::Assert(c, m, _) => out.extend([*c, *m]),
            Stmt::Break | Stmt::Return => {}
        }
    }
}

fn renumber(body: &mut [Stmt], by: u32, map: &mut dyn FnMut(ExprId) -> ExprId) {
    for s in body {
        match s {
            Stmt::Assign(slot, e) => {
                *slot += by;
                *e = map(*e);
            }
            Stmt::Store(base, _, k, v) => {
                *base += by;
                *k = map(*k);
                *v = map(*v);
            }
            Stmt::CallAssign(c, outs) => {
                *c = map(*c);
                outs.iter_mut().for_each(|o| o.1 += by);
            }
            Stmt::If(c, a, b) => {
                *c = map(*c);
                renumber(a, by, map);
                renumber(b, by, map);
            }
            Stmt::While(c, b) => {
                *c = map(*c);
                renumber(b, by, map);
            }
            Stmt::Assert(c, m, _) => {
                *c = map(*c);
                *m = map(*m);
            }
            Stmt::Break | Stmt::Return => {}
        }
    }
}

/// Shifts the base of every run-time subscript.
fn shift_loads(x: &mut ferrica_ir::ExprArena, e: ExprId, by: u32) -> ExprId {
    let mut loads = false;
    x.postorder(&[e], |id| loads |= matches!(x.get(id), Expr::Load(..)));
    if !loads {
        return e;
    }
    fn walk(x: &mut ferrica_ir::ExprArena, e: ExprId, by: u32) -> ExprId {
        let mut children = Vec::new();
        x.for_each_child(e, |c| children.push(c));
        let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for c in children {
            let n = walk(x, c, by);
            new.insert(c, n);
        }
        let mapped = x.map_children(e, |c| new[&c]);
        let ty = x.ty(mapped);
        match x.get(mapped) {
            Expr::Load(base, len, k) => x.intern(Expr::Load(base + by, len, k), ty),
            _ => mapped,
        }
    }
    walk(x, e, by)
}
