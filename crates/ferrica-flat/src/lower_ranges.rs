//! Ranges whose bounds are known only at run time, in functions that are executed then.
//!
//! `sum(e for i in 1:n)`, `max(a[i:j])`, `u[1:n]*v[1:n]` become a loop that adds to an accumulator; `y[1:n] := e` becomes a loop over
//! its elements. Within such a loop a slice stands for the element that the loop is at, so that only what acts element by
//! element may be applied to it. Whole arrays of a size that is known only at run time (`late_arrays`) are such slices too.

use ferrica_ir::function::Stmt;
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, ExprId, Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::call::first_of;
use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::iterators::Use;
use crate::subscripts::Pos;
use crate::value::Value;

/// Slices with run-time bounds, at one of their elements.
pub struct Slices {
    /// Which element, from 1.
    at: ExprId,
    /// How many there are, as soon as one slice has told.
    length: Option<ExprId>,
}

/// Memory of a reduction, and what it begins with.
type Accumulator = Option<(ExprId, ExprId)>;

impl<'a> Flattener<'a> {
    /// Is a function being written whose statements can be added to here?
    pub fn can_emit(&self) -> bool {
        !self.constant && !self.emitter.blocks.is_empty()
    }

    /// `sum(body for …)` and the like by loops.
    pub fn emit_reduction(
        &mut self,
        name: &str,
        body: &'a ast::Expr,
        iterators: &'a [ast::ForIterator],
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let mut accumulator = None;
        self.emitter.blocks.push(Vec::new());
        let made = self.reduction_loops(name, body, iterators, &mut env.clone(), &mut accumulator);
        let loops = self.emitter.blocks.pop().unwrap_or_default();
        made?;
        self.accumulated(accumulator, loops, span)
    }

    fn reduction_loops(
        &mut self,
        name: &str,
        body: &'a ast::Expr,
        iterators: &'a [ast::ForIterator],
        env: &mut Env,
        accumulator: &mut Accumulator,
    ) -> R<()> {
        let Some((last, rest)) = iterators.split_last() else {
            let value = self.eval_scalar(body, env)?;
            return self.accumulate(name, value, accumulator, body.span);
        };
        match self.iterator_values(last, env, &[Use::Expr(body)]) {
            Ok(values) => {
                for v in values {
                    env.locals.push(Local {
                        name: last.name,
                        value: v,
                        ty: None,
                        sized: false,
                    });
                    let made = self.reduction_loops(name, body, rest, env, accumulator);
                    env.locals.pop();
                    made?;
                }
                Ok(())
            }
            Err(d) => {
                let Some(ast::ExprKind::Range(r)) = last.range.as_ref().map(|e| &e.kind) else {
                    return Err(d);
                };
                let start = self.eval_scalar(&r.start, env)?;
                let stop = self.eval_scalar(&r.stop, env)?;
                let step = match &r.step {
                    Some(s) => self.eval_scalar(s, env)?,
                    None => self.flat.exprs.int(1),
                };
                let bounds = (start, step, stop);
                self.counting_loop(last.name, bounds, env, last.span, &mut |me, env| {
                    me.reduction_loops(name, body, rest, env, accumulator)
                })
            }
        }
    }

    /// One more value of a reduction.
    fn accumulate(
        &mut self,
        name: &str,
        value: ExprId,
        accumulator: &mut Accumulator,
        span: Span,
    ) -> R<()> {
        let memory = match *accumulator {
            Some((memory, _)) => memory,
            None => {
                let x = &mut self.flat.exprs;
                let real = x.ty(value) != Ty::Integer;
                let neutral = match (name, real) {
                    ("sum", true) => x.real(0.0),
                    ("sum", false) => x.int(0),
                    ("product", true) => x.real(1.0),
                    ("product", false) => x.int(1),
                    ("min", true) => x.real(f64::MAX),
                    ("min", false) => x.int(i64::from(i32::MAX)),
                    (_, true) => x.real(f64::MIN),
                    (_, false) => x.int(-i64::from(i32::MAX)),
                };
                let memory = self.new_memory("$reduced", &Value::Scalar(neutral));
                let Some(memory) = memory.scalar() else {
                    return Ok(());
                };
                *accumulator = Some((memory, neutral));
                memory
            }
        };
        let x = &mut self.flat.exprs;
        let next = match name {
            "sum" => x.add(memory, value),
            "product" => x.mul(memory, value),
            "min" => x.builtin(Builtin::Min, &[memory, value]),
            _ => x.builtin(Builtin::Max, &[memory, value]),
        };
        self.emit_scalars(&[memory], &[next], span)
    }

    fn accumulated(&mut self, accumulator: Accumulator, loops: Vec<Stmt>, span: Span) -> R<Value> {
        let Some((memory, neutral)) = accumulator else {
            return error("E0339", span, "a reduction over nothing");
        };
        self.emit_scalars(&[memory], &[neutral], span)?;
        // In `c and sum(a[1:n]) > 0`, and in branches of if-expressions, only where the condition holds.
        let guards: Vec<ExprId> = (self.guards.iter().copied())
            .filter(|&g| self.reads_memory(g))
            .collect();
        if guards.is_empty() {
            loops.into_iter().for_each(|s| self.emitter.push(s));
        } else {
            let all = self.flat.exprs.and_all(&guards);
            self.emitter.push(Stmt::If(all, loops, Vec::new()));
        }
        Ok(Value::Scalar(memory))
    }

    /// A reduction of the product of terms with slices: `sum(a[1:n])`, `u[1:n]*v[1:n]`.
    pub fn emit_slice_reduction(
        &mut self,
        name: &str,
        terms: &[&'a ast::Expr],
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let mut accumulator = None;
        let loops = self.slice_loop(span, &mut |me| {
            let mut product = None;
            for t in terms {
                let value = me.element_of(t, env)?;
                product = Some(match product {
                    None => value,
                    Some(p) => me.flat.exprs.mul(p, value),
                });
            }
            match product {
                Some(p) => me.accumulate(name, p, &mut accumulator, span),
                None => Ok(()),
            }
        })?;
        self.accumulated(accumulator, loops, span)
    }

    /// An operation on what could not be evaluated: a scalar product of slices with run-time bounds can be computed then.
    #[inline(never)]
    pub fn late_product(
        &mut self,
        op: ast::BinaryOp,
        factors: &'a (ast::Expr, ast::Expr),
        env: &Env,
        span: Span,
        why: Box<Diagnostic>,
    ) -> R<Value> {
        let late = why.code == "E0310" && op == ast::BinaryOp::Mul && self.slices.is_none();
        let (a, b) = (&factors.0, &factors.1);
        if late && self.can_emit() && self.has_slice(a) && self.has_slice(b) {
            return self.emit_slice_reduction("sum", &[a, b], env, span);
        }
        Err(why)
    }

    /// `y[i:j] := value`, element by element.
    pub fn emit_slice_assign(
        &mut self,
        target: &'a ast::ComponentRef,
        value: &'a ast::Expr,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        // Whole arrays on both sides: an element is read before it is set, and by no other one.
        let whole = target.parts[0].subscripts.is_empty()
            && self.acts_by_element(value)
            && !matches!(value.kind, ast::ExprKind::ArrayComprehension(_));
        let mixed = mentions(value, target.parts[0].name, whole);
        if mixed {
            return error(
                "E0339",
                span,
                format!(
                    "`{}` is on both sides of an assignment whose size is known only at run time",
                    target.parts[0].name
                ),
            );
        }
        if let Ok(values) = self.eval(value, env).map(first_of)
            && self.emit_late_assign(target, &values, env, span)?
        {
            return Ok(());
        }
        let loops = self.slice_loop(span, &mut |me| {
            // The target first: it says how many elements there are.
            let memory = me.eval_ref(target, env)?;
            let value = match filling(value) {
                Some(all) => me.eval_scalar(all, env)?,
                None => me.element_of(value, env)?,
            };
            if !matches!(memory, Value::Scalar(_)) {
                return error(
                    "E0339",
                    span,
                    "one dimension of it is known only at run time",
                );
            }
            let slices = me.slices.take();
            let done = me.emit_to_element(target, &memory, value, env, span);
            me.slices = slices;
            done
        })?;
        for s in loops {
            self.emitter.push(s);
        }
        Ok(())
    }

    fn emit_to_element(
        &mut self,
        target: &'a ast::ComponentRef,
        memory: &Value,
        value: ExprId,
        env: &Env,
        span: Span,
    ) -> R<()> {
        let ty = env.local(target.parts[0].name).and_then(|l| l.ty);
        let value = match ty {
            Some(ty) if target.parts.len() == 1 => self.convert(Value::Scalar(value), ty, span)?,
            _ => Value::Scalar(value),
        };
        self.emit_assign(memory, &value, span)
    }

    /// The value at the element that the loop is at.
    fn element_of(&mut self, e: &'a ast::Expr, env: &Env) -> R<ExprId> {
        if !self.acts_by_element(e) {
            return error(
                "E0339",
                e.span,
                "this needs the whole of an array whose size is known only at run time",
            );
        }
        if let ast::ExprKind::ArrayComprehension(c) = &e.kind {
            return self.comprehension_element(c, env, e.span);
        }
        match first_of(self.eval(e, env)?) {
            Value::Scalar(s) => Ok(s),
            _ => error(
                "E0339",
                e.span,
                "arrays of a size that is known only at run time stand beside others",
            ),
        }
    }

    /// The statements of a loop over the elements of slices.
    fn slice_loop(&mut self, span: Span, body: &mut dyn FnMut(&mut Self) -> R<()>) -> R<Vec<Stmt>> {
        let zero = self.flat.exprs.int(0);
        let counter = self.new_memory("$at", &Value::Scalar(zero));
        let end = self.new_memory("$end", &Value::Scalar(zero));
        let (Some(at), Some(end)) = (counter.scalar(), end.scalar()) else {
            return Ok(Vec::new());
        };
        let around = self.slices.replace(Slices { at, length: None });
        self.emitter.blocks.push(Vec::new());
        let one = self.flat.exprs.int(1);
        let next = self.flat.exprs.add(at, one);
        let made = match self.emit_scalars(&[at], &[next], span) {
            Ok(()) => body(self),
            failed => failed,
        };
        let block = self.emitter.blocks.pop().unwrap_or_default();
        let slices = std::mem::replace(&mut self.slices, around);
        made?;
        let Some(length) = slices.and_then(|s| s.length) else {
            return error("E0339", span, "nothing says how large this is");
        };
        let more = self.flat.exprs.binary(BinaryOp::Le, next, end);
        self.emitter.blocks.push(Vec::new());
        let begun = self.emit_scalars(&[at, end], &[zero, length], span);
        let mut out = self.emitter.blocks.pop().unwrap_or_default();
        begun?;
        out.push(Stmt::While(more, block));
        Ok(out)
    }

    /// A slice with run-time bounds within a loop over its elements: the subscript of the element.
    pub fn slice_position(&mut self, r: &'a ast::RangeExpr, env: &Env, span: Span) -> R<Pos> {
        let Some(slices) = self.slices.take() else {
            return error("E0339", span, "a subscript range is known only at run time");
        };
        let statements = self.emitter.blocks.last().map_or(0, Vec::len);
        let start = self.eval_scalar(&r.start, env);
        let stop = self.eval_scalar(&r.stop, env);
        let emitted = self.emitter.blocks.last().map_or(0, Vec::len) != statements;
        let position = match (start, stop) {
            (Ok(start), Ok(stop)) if r.step.is_none() && !emitted => {
                self.slices = Some(slices);
                return self.slice_element(start, stop, span);
            }
            (Err(d), _) | (_, Err(d)) => Err(d),
            _ => error("E0339", span, "a subscript range is known only at run time"),
        };
        self.slices = Some(slices);
        position
    }

    /// The subscript of the slice from `start` to `stop` at the element that the loop is at.
    pub fn slice_element(&mut self, start: ExprId, stop: ExprId, span: Span) -> R<Pos> {
        let Some(mut slices) = self.slices.take() else {
            return error("E0310", span, "the size of this is known only at run time");
        };
        let x = &mut self.flat.exprs;
        let one = x.int(1);
        let span_of = x.sub(stop, start);
        let length = x.add(span_of, one);
        let offset = x.sub(slices.at, one);
        let index = x.add(start, offset);
        match slices.length {
            None => slices.length = Some(length),
            Some(first) if first == length => {}
            Some(first) => {
                let same = x.binary(BinaryOp::Eq, first, length);
                let text = x.str("slices of different size are combined");
                self.emitter.push(Stmt::Assert(same, text, true));
            }
        }
        self.slices = Some(slices);
        Ok(Pos::Dynamic(index))
    }

    /// `{e for i in a:b}` at the element that the loop is at.
    fn comprehension_element(
        &mut self,
        c: &'a ast::Comprehension,
        env: &Env,
        span: Span,
    ) -> R<ExprId> {
        let late = || {
            error(
                "E0339",
                span,
                "this needs the whole of an array whose size is known only at run time",
            )
        };
        let [it] = c.iterators.as_slice() else {
            return late();
        };
        let Some(ast::ExprKind::Range(r)) = it.range.as_ref().map(|e| &e.kind) else {
            return late();
        };
        if r.step.is_some() {
            return late();
        }
        let slices = self.slices.take();
        let bounds = (
            self.eval_scalar(&r.start, env),
            self.eval_scalar(&r.stop, env),
        );
        self.slices = slices;
        let Pos::Dynamic(at) = self.slice_element(bounds.0?, bounds.1?, span)? else {
            return late();
        };
        let mut inner = env.clone();
        inner.locals.push(Local {
            name: it.name,
            value: Value::Scalar(at),
            ty: None,
            sized: false,
        });
        let slices = self.slices.take();
        let value = self.eval_scalar(&c.element, &inner);
        self.slices = slices;
        value
    }

    /// The value that a declaration gives an array whose size is known only at run time.
    pub fn emit_late_binding(
        &mut self,
        name: Symbol,
        binding: &crate::modifier::Binding<'a>,
        env: &Env,
        span: Span,
    ) -> R<()> {
        let inner = Env {
            scope: binding.scope,
            ..env.clone()
        };
        let late = self.late_sizes(name, env).map(<[_]>::to_vec);
        let (Some(local), Some(sizes)) = (env.local(name), late) else {
            return Ok(());
        };
        let (memory, ty) = (local.value.clone(), local.ty);
        let [Some(size)] = sizes.as_slice() else {
            return error(
                "E0339",
                span,
                "the value of an array whose size is known only at run time has one dimension",
            );
        };
        let (one, size) = (self.flat.exprs.int(1), *size);
        let loops = self.slice_loop(span, &mut |me| {
            let at = me.slice_element(one, size, span)?;
            let value = match filling(binding.expr) {
                Some(all) => me.eval_scalar(all, &inner)?,
                None => me.element_of(binding.expr, &inner)?,
            };
            let value = match ty {
                Some(ty) => me.convert(Value::Scalar(value), ty, span)?,
                None => Value::Scalar(value),
            };
            let slices = me.slices.take();
            let element = me.pick(&memory, &[at]);
            let done = element.and_then(|e| me.emit_assign(&e, &value, span));
            me.slices = slices;
            done
        })?;
        loops.into_iter().for_each(|s| self.emitter.push(s));
        Ok(())
    }

    /// The sizes of an expression that names an array whose size is known only at run time.
    pub fn late_dims(&mut self, e: &ast::Expr, env: &Env) -> Option<Vec<Value>> {
        let ast::ExprKind::Ref(r) = &e.kind else {
            return None;
        };
        let [part] = r.parts.as_slice() else {
            return None;
        };
        if !part.subscripts.is_empty() {
            return None;
        }
        let sizes = self.late_sizes(part.name, env)?.to_vec();
        let dims = env.local(part.name)?.value.dims().to_vec();
        let known = |me: &mut Self, n: usize| me.flat.exprs.int(n as i64);
        let list = sizes.into_iter().zip(dims);
        Some(
            list.map(|(s, n)| Value::Scalar(s.unwrap_or_else(|| known(self, n))))
                .collect(),
        )
    }

    /// The step of a loop that is known only at run time: what it is when the loop begins.
    fn held_step(&mut self, step: ExprId, span: Span) -> R<ExprId> {
        let memory = self.new_memory("$step", &Value::Scalar(step));
        let Some(held) = memory.scalar() else {
            return Ok(step);
        };
        self.emit_scalars(&[held], &[step], span)?;
        let x = &mut self.flat.exprs;
        let zero = x.int(0);
        let moves = x.binary(BinaryOp::Ne, held, zero);
        let text = x.str("the step of a loop is zero");
        self.emitter.push(Stmt::Assert(moves, text, true));
        Ok(held)
    }

    /// A loop in which `name` counts.
    pub fn counting_loop(
        &mut self,
        name: Symbol,
        (start, step, stop): (ExprId, ExprId, ExprId),
        env: &mut Env,
        span: Span,
        body: &mut dyn FnMut(&mut Self, &mut Env) -> R<()>,
    ) -> R<()> {
        let step_value = self.flat.exprs.as_f64(step);
        let step = match step_value {
            Some(_) => step,
            None => self.held_step(step, span)?,
        };
        let memory = self.new_memory(name.as_str(), &Value::Scalar(start));
        let end = self.new_memory("$end", &Value::Scalar(stop));
        let (Some(counter), Some(end)) = (memory.scalar(), end.scalar()) else {
            return Ok(());
        };
        // The counter runs ahead by one step, so that `continue`-free bodies may break anywhere.
        let before = self.flat.exprs.sub(start, step);
        self.emit_scalars(&[counter, end], &[before, stop], span)?;
        let next = self.flat.exprs.add(counter, step);
        let x = &mut self.flat.exprs;
        let condition = match step_value {
            Some(v) if v > 0.0 => x.binary(BinaryOp::Le, next, end),
            Some(_) => x.binary(BinaryOp::Ge, next, end),
            None => {
                let zero = x.int(0);
                let up = x.binary(BinaryOp::Gt, step, zero);
                let below = x.binary(BinaryOp::Le, next, end);
                let above = x.binary(BinaryOp::Ge, next, end);
                x.if_then_else(up, below, above)
            }
        };
        self.emitter.blocks.push(Vec::new());
        let result = match self.emit_scalars(&[counter], &[next], span) {
            Ok(()) => {
                env.locals.push(Local {
                    name,
                    value: memory,
                    ty: None,
                    sized: false,
                });
                let result = body(self, env);
                env.locals.pop();
                result
            }
            failed => failed,
        };
        let block = self.emitter.blocks.pop().unwrap_or_default();
        result?;
        self.emitter.push(Stmt::While(condition, block));
        Ok(())
    }
}

impl Flattener<'_> {
    /// Has a reference in the expression a range as a subscript?
    pub fn has_slice(&self, e: &ast::Expr) -> bool {
        match &e.kind {
            ast::ExprKind::Ref(r) => self.is_slice(r),
            ast::ExprKind::Unary(_, a) => self.has_slice(a),
            ast::ExprKind::Binary(_, ab) => self.has_slice(&ab.0) || self.has_slice(&ab.1),
            ast::ExprKind::Call(c) => c.args.positional.iter().any(|a| self.has_slice(a)),
            ast::ExprKind::If(i) => {
                self.has_slice(&i.otherwise)
                    || i.branches
                        .iter()
                        .any(|(c, v)| self.has_slice(c) || self.has_slice(v))
            }
            _ => false,
        }
    }

    pub fn is_slice(&self, r: &ast::ComponentRef) -> bool {
        let range = |s: &ast::Subscript| match s {
            ast::Subscript::Expr(e) => matches!(e.kind, ast::ExprKind::Range(_)),
            _ => false,
        };
        self.names_late_slice(r) || r.parts.iter().any(|p| p.subscripts.iter().any(range))
    }

    /// Is the value at an element that of the operands at the element?
    fn acts_by_element(&self, e: &ast::Expr) -> bool {
        use ast::BinaryOp::*;
        match &e.kind {
            ast::ExprKind::Ref(_) | ast::ExprKind::ArrayComprehension(_) => true,
            ast::ExprKind::Unary(op, a) => *op != ast::UnaryOp::Not && self.acts_by_element(a),
            ast::ExprKind::Binary(op, ab) => {
                let (a, b) = (&ab.0, &ab.1);
                let fits = match op {
                    Add | Sub => self.has_slice(a) && self.has_slice(b),
                    ElementwiseAdd | ElementwiseSub | ElementwiseMul | ElementwiseDiv => true,
                    Mul => !(self.has_slice(a) && self.has_slice(b)),
                    Div => !self.has_slice(b),
                    _ => !self.has_slice(a) && !self.has_slice(b),
                };
                fits && self.acts_by_element(a) && self.acts_by_element(b)
            }
            ast::ExprKind::Call(c) => {
                let elementary = c.function.as_ident().is_some_and(|n| {
                    matches!(
                        n.as_str(),
                        "abs" | "sqrt" | "sin" | "cos" | "tan" | "exp" | "log" | "log10" | "sign"
                    )
                });
                let one = c.args.positional.len() == 1;
                (elementary && one && c.args.positional.iter().all(|a| self.acts_by_element(a)))
                    || !self.has_slice(e)
            }
            _ => !self.has_slice(e),
        }
    }
}

/// What `fill(x, …)` has at each element.
fn filling(e: &ast::Expr) -> Option<&ast::Expr> {
    let ast::ExprKind::Call(c) = &e.kind else {
        return None;
    };
    match c.function.as_ident()?.as_str() {
        "fill" => c.args.positional.first(),
        _ => None,
    }
}

/// Does an expression name the variable, other than as a whole where that is allowed?
fn mentions(e: &ast::Expr, name: Symbol, whole_allowed: bool) -> bool {
    let mut refs = Vec::new();
    crate::checks::collect_refs(e, &mut refs);
    let mixed = |r: &&ast::ComponentRef| {
        r.parts[0].name == name && !(whole_allowed && r.parts[0].subscripts.is_empty())
    };
    refs.iter().any(mixed)
}
