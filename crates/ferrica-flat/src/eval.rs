//! Symbolic evaluation of expressions: syntax in, values over the scalar arena out.
//!
//! One evaluator serves equations, modifiers, function bodies and compile-time constants. In
//! constant mode (`Flattener::constant`) parameters stand for their values, and each parameter that
//! is used so is marked structural.

use std::rc::Rc;

use ferrica_ir::{Diagnostic, Expr, ExprId, Span, Symbol, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::call::first_of;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Element, ScopeId};
use crate::limits;
use crate::lookup::Found;
use crate::modifier::{Binding, Pick};
use crate::value::{Record, Value};

/// A local name of a function body or a for-loop.
#[derive(Clone)]
pub struct Local {
    pub name: Symbol,
    pub value: Value,
    /// Type that assigned values are converted to.
    pub ty: Option<Ty>,
    /// Declared with sizes, which an assignment to the whole cannot change.
    pub sized: bool,
}

/// Where an expression is evaluated.
#[derive(Clone)]
pub struct Env {
    pub scope: ScopeId,
    /// Function locals and loop iterators, innermost last.
    pub locals: Vec<Local>,
    /// In an algorithm section of a model: present values of the variables assigned so far.
    pub assigned: Option<FxHashMap<VarId, ExprId>>,
}

impl Env {
    pub fn new(scope: ScopeId) -> Self {
        Env {
            scope,
            locals: Vec::new(),
            assigned: None,
        }
    }

    pub fn has_local(&self, name: Symbol) -> bool {
        self.locals.iter().any(|l| l.name == name)
    }

    pub fn local(&self, name: Symbol) -> Option<&Local> {
        self.locals.iter().rev().find(|l| l.name == name)
    }
}

impl<'a> Flattener<'a> {
    /// A scalar.
    pub fn eval_scalar(&mut self, e: &'a ast::Expr, env: &Env) -> R<ExprId> {
        let value = first_of(self.eval(e, env)?);
        match value {
            Value::Scalar(s) => Ok(s),
            Value::Array(a) if a.items.len() == 1 => match &a.items[0] {
                Value::Scalar(s) => Ok(*s),
                _ => error("E0311", e.span, "a scalar is needed here"),
            },
            other => error(
                "E0311",
                e.span,
                format!("a scalar is needed here, this is {}", other.a_shape()),
            ),
        }
    }

    /// The value, the first one of a call with several results.
    pub fn eval_one(&mut self, e: &'a ast::Expr, env: &Env) -> R<Value> {
        self.eval(e, env).map(first_of)
    }

    pub fn eval(&mut self, e: &'a ast::Expr, env: &Env) -> R<Value> {
        let x = &mut self.flat.exprs;
        match &e.kind {
            ast::ExprKind::Int(v) => Ok(Value::Scalar(x.int(*v))),
            ast::ExprKind::Real(v) => Ok(Value::Scalar(x.real(*v))),
            ast::ExprKind::Bool(b) => Ok(Value::Scalar(x.bool(*b))),
            ast::ExprKind::Str(s) => Ok(Value::Scalar(x.str(s))),
            ast::ExprKind::Ref(r) => self.eval_ref(r, env),
            ast::ExprKind::Call(call) => self.eval_call(call, env, e.span),
            ast::ExprKind::FunctionPartial(call) => self.eval_partial(call, env, e.span),
            ast::ExprKind::Unary(op, a) => {
                let a = first_of(self.eval(a, env)?);
                self.unary_value(*op, a, e.span)
            }
            ast::ExprKind::Binary(op, ab) => {
                let a = match self.eval(&ab.0, env) {
                    Err(d) => return self.late_product(*op, ab, env, e.span, d),
                    Ok(a) => first_of(a),
                };
                // `false and …`, `true or …` guard what follows.
                if let (ast::BinaryOp::And | ast::BinaryOp::Or, Value::Scalar(s)) = (op, &a)
                    && self.flat.exprs.as_bool(*s) == Some(*op == ast::BinaryOp::Or)
                {
                    return Ok(a);
                }
                let guard = self.right_operand_guard(*op, &a);
                self.guards.extend(guard);
                let b = self.eval(&ab.1, env).map(first_of);
                if guard.is_some() {
                    self.guards.pop();
                }
                match b {
                    Err(d) => self.late_product(*op, ab, env, e.span, d),
                    Ok(b) => self.binary_value(*op, a, b, e.span),
                }
            }
            ast::ExprKind::If(i) => self.eval_if(i, env, e.span),
            ast::ExprKind::Range(r) => self.eval_range(r, env, e.span),
            ast::ExprKind::Array(items) => {
                let mut values = Vec::with_capacity(items.len());
                for i in items.iter() {
                    values.push(first_of(self.eval(i, env)?));
                }
                self.stack(values, e.span)
            }
            ast::ExprKind::ArrayComprehension(c) => {
                self.comprehension(&c.element, &c.iterators, env, e.span)
            }
            ast::ExprKind::Matrix(rows) => {
                let mut done = Vec::with_capacity(rows.len());
                for row in rows.iter() {
                    let mut items = Vec::with_capacity(row.len());
                    for item in row {
                        let v = self.eval(item, env)?;
                        items.push(self.promote(&v, 2));
                    }
                    done.push(self.cat(2, &items, e.span)?);
                }
                let rank = done.iter().map(|v| v.dims().len()).max().unwrap_or(2);
                let done: Vec<Value> = done.iter().map(|v| self.promote(v, rank)).collect();
                self.cat(1, &done, e.span)
            }
            ast::ExprKind::Tuple(items) => {
                let mut values = Vec::with_capacity(items.len());
                for i in items.iter() {
                    match i {
                        Some(i) => values.push(self.eval(i, env)?),
                        None => values.push(Value::Tuple(Vec::new())),
                    }
                }
                Ok(Value::Tuple(values))
            }
            ast::ExprKind::Index(ib) => {
                let base = self.eval(&ib.0, env)?;
                self.index(base, &ib.1, env, e.span)
            }
            ast::ExprKind::Field(base, name) => {
                let base = self.eval(base, env)?;
                match base.field(*name) {
                    Some(v) => Ok(v),
                    None => error("E0312", e.span, format!("there is no field `{name}`")),
                }
            }
            ast::ExprKind::End => match self.ends.last() {
                Some(&size) => Ok(Value::Scalar(size)),
                None => error(
                    "E0313",
                    e.span,
                    "`end` has a meaning only inside a subscript",
                ),
            },
        }
    }

    /// A scalar for each element of an array.
    pub fn spread(&mut self, v: Value, dims: &[usize]) -> Value {
        if v.dims().is_empty() && !dims.is_empty() {
            let n = dims.iter().product();
            return Value::array(dims.to_vec(), vec![v; n]);
        }
        v
    }

    /// Implicit conversion Integer → Real, and a type check.
    pub fn convert(&mut self, v: Value, ty: Ty, span: Span) -> R<Value> {
        if v.is_of_records() {
            let text = format!(
                "a value of type {} is needed, this is a record",
                self.type_text(ty)
            );
            return error("E0321", span, text);
        }
        let mut bad = None;
        let out = v.map_scalars(&mut |s| {
            let from = self.flat.exprs.ty(s);
            match (from, ty) {
                (Ty::Integer, Ty::Real) => match self.flat.exprs.as_f64(s) {
                    Some(v) => self.flat.exprs.real(v),
                    None => s,
                },
                _ if from == ty || from == Ty::Tuple => s,
                (Ty::External, _) | (_, Ty::External) => s,
                _ => {
                    bad = Some(from);
                    s
                }
            }
        });
        match bad {
            Some(from) => error(
                "E0321",
                span,
                format!(
                    "a value of type {} is needed, this is {}",
                    self.type_text(ty),
                    self.type_text(from)
                ),
            ),
            None => Ok(out),
        }
    }

    pub fn type_text(&self, ty: Ty) -> String {
        ferrica_ir::print::type_name(&self.flat, ty)
    }

    /// The value of a modifier, in the scope it was written in.
    pub fn eval_binding(&mut self, b: &Binding<'a>, constant: bool) -> R<Value> {
        let cache = if constant || self.constant {
            &b.constant
        } else {
            &b.symbolic
        };
        let cached = cache.borrow().clone();
        if cached.is_none()
            && let Some((expr, rest)) = self.field_of_constructor(b.expr, b.scope, &b.picks)?
        {
            let field = Binding {
                picks: rest.to_vec(),
                ..Binding::new(expr, b.scope)
            };
            return self.eval_binding(&field, constant);
        }
        let mut value = match cached {
            Some(v) => v,
            None => {
                let env = Env::new(b.scope);
                let before = self.constant;
                self.constant |= constant;
                let ends = std::mem::take(&mut self.ends);
                let result = self.eval(b.expr, &env);
                self.ends = ends;
                self.constant = before;
                let v = match result? {
                    Value::Tuple(mut items) if !items.is_empty() => items.swap_remove(0),
                    v => v,
                };
                *cache.borrow_mut() = Some(v.clone());
                v
            }
        };
        for pick in &b.picks {
            value = match pick {
                Pick::Index { k, rank } => match value.element(*k as usize, *rank as usize) {
                    Some(v) => v,
                    None => {
                        return Err(Box::new(
                            Diagnostic::error(
                                "E0322",
                                b.expr.span,
                                format!("a modifier of a component array needs a value for each element, this is {}", value.a_shape()),
                            )
                            .with_hint("write `each` in front of the modifier to give all elements this value"),
                        ));
                    }
                },
                Pick::Field(name) => match value.field(*name) {
                    Some(v) => v,
                    None => {
                        return error(
                            "E0312",
                            b.expr.span,
                            format!("the value has no field `{name}`"),
                        );
                    }
                },
            };
        }
        Ok(value)
    }

    /// A field of `R(a = x, b = y)` is the argument of its name, whatever the others depend on: the argument, and what is left to be picked of it.
    fn field_of_constructor<'p>(
        &mut self,
        expr: &'a ast::Expr,
        scope: ScopeId,
        picks: &'p [Pick],
    ) -> R<Option<(&'a ast::Expr, &'p [Pick])>> {
        let (ast::ExprKind::Call(call), [Pick::Field(field), rest @ ..]) = (&expr.kind, picks)
        else {
            return Ok(None);
        };
        let args = &call.args;
        let given = args.named.iter().find(|a| a.name == *field);
        let (Some(given), true) = (given, args.positional.is_empty()) else {
            return Ok(None);
        };
        let name = ast::Name {
            global: call.function.global,
            parts: call.function.parts.iter().map(|p| p.name).collect(),
            span: call.function.span,
        };
        let Ok(Found::Element(e)) = self.lookup_class(scope, &name) else {
            return Ok(None);
        };
        if !matches!(self.tree.elements[e], Element::Class(_)) {
            return Ok(None);
        }
        let class = self.class_scope(e)?;
        self.expand(class)?;
        if self.tree.scopes[class].class.def.kind != ast::ClassKind::Record {
            return Ok(None);
        }
        // What is wrong with the call is told where it is evaluated as a whole.
        let signature = self.signature(class)?;
        let known = |a: &ast::NamedArg| signature.inputs.iter().any(|p| p.name == a.name);
        let complete = (signature.inputs.iter())
            .all(|p| p.binding.is_some() || args.named.iter().any(|a| a.name == p.name));
        Ok((args.named.iter().all(known) && complete).then_some((&given.value, rest)))
    }

    // Control.

    fn eval_if(&mut self, i: &'a ast::IfExpr, env: &Env, span: Span) -> R<Value> {
        let (undecided, guards) = (self.undecided, self.guards.len());
        let result = self.eval_branches(i, env, span);
        self.undecided = undecided;
        self.guards.truncate(guards);
        result
    }

    /// The right side of `a and b`, `a or b` only matters while this holds.
    fn right_operand_guard(&mut self, op: ast::BinaryOp, a: &Value) -> Option<ExprId> {
        let a = a.scalar()?;
        match op {
            ast::BinaryOp::And => Some(a),
            ast::BinaryOp::Or => Some(self.flat.exprs.not(a)),
            _ => None,
        }
    }

    fn has_derivative(&self, v: &Value) -> bool {
        let (mut scalars, mut found) = (Vec::new(), false);
        v.scalars(&mut scalars);
        let x = &self.flat.exprs;
        x.postorder(&scalars, |id| found |= matches!(x.get(id), Expr::Der(_)));
        found
    }

    fn eval_branches(&mut self, i: &'a ast::IfExpr, env: &Env, span: Span) -> R<Value> {
        let mut conditions: Vec<(ExprId, &'a ast::Expr)> = Vec::new();
        let mut values = Vec::new();
        let mut last = None;
        for (c, e) in &i.branches {
            let cond = self.eval_scalar(c, env)?;
            self.check_boolean(cond, c.span)?;
            let cond = match self.flat.exprs.as_bool(cond) {
                Some(false) => continue,
                Some(true) => {
                    last = Some(first_of(self.eval(e, env)?));
                    break;
                }
                None => cond,
            };
            self.undecided += 1;
            self.guards.push(cond);
            let value = self.eval(e, env).map(first_of);
            self.guards.pop();
            let otherwise = self.flat.exprs.not(cond);
            self.guards.push(otherwise);
            match value {
                Ok(v) => {
                    conditions.push((cond, c));
                    values.push(v);
                }
                // A branch that makes no sense for the present parameters is decided now.
                Err(d) => match self
                    .eval_constant(c, env)
                    .ok()
                    .and_then(|s| self.flat.exprs.as_bool(s))
                {
                    Some(false) => continue,
                    Some(true) => return Err(d),
                    None => return Err(d),
                },
            }
        }
        let mut result = match last {
            Some(v) => v,
            None => match self.eval(&i.otherwise, env).map(first_of) {
                Ok(v) => v,
                Err(d) => {
                    for (k, (c, _)) in i.branches.iter().enumerate() {
                        if let Ok(s) = self.eval_constant(c, env)
                            && self.flat.exprs.as_bool(s) == Some(true)
                        {
                            return values
                                .get(k.min(values.len().saturating_sub(1)))
                                .cloned()
                                .ok_or(d);
                        }
                    }
                    return Err(d);
                }
            },
        };
        for ((c, written), v) in conditions.into_iter().zip(values).rev() {
            // Whether a variable is a state is decided now, as in an if-equation.
            if self.depends_on_parameters_only(c)
                && (self.has_derivative(&v) || self.has_derivative(&result))
                && let Ok(known) = self.eval_constant(written, env)
                && let Some(known) = self.flat.exprs.as_bool(known)
            {
                if known {
                    result = v;
                }
                continue;
            }
            if v.dims() != result.dims() {
                // Sizes differ: the condition must be known now.
                for (cond, e) in &i.branches {
                    let s = self.eval_constant(cond, env)?;
                    if self.flat.exprs.as_bool(s) == Some(true) {
                        return self.eval(e, env);
                    }
                }
                return self.eval(&i.otherwise, env);
            }
            result = self.choose(c, v, result, span)?;
        }
        Ok(result)
    }

    /// `if c then a else b`, element by element.
    pub fn choose(&mut self, c: ExprId, a: Value, b: Value, span: Span) -> R<Value> {
        if let Some(known) = self.flat.exprs.as_bool(c) {
            return Ok(if known { a } else { b });
        }
        match (&a, &b) {
            (Value::Scalar(x), Value::Scalar(y)) => {
                Ok(Value::Scalar(self.flat.exprs.if_then_else(c, *x, *y)))
            }
            (Value::Array(x), Value::Array(y)) if x.dims == y.dims => {
                let mut items = Vec::with_capacity(x.items.len());
                for (p, q) in x.items.iter().zip(&y.items) {
                    items.push(self.choose(c, p.clone(), q.clone(), span)?);
                }
                Ok(Value::array(x.dims.clone(), items))
            }
            (Value::Record(x), Value::Record(y)) if x.fields.len() == y.fields.len() => {
                let mut fields = Vec::with_capacity(x.fields.len());
                for (n, p) in &x.fields {
                    let Some((_, q)) = y.fields.iter().find(|(m, _)| m == n) else {
                        return error(
                            "E0317",
                            span,
                            format!("only one branch has the field `{n}`"),
                        );
                    };
                    fields.push((*n, self.choose(c, p.clone(), q.clone(), span)?));
                }
                Ok(Value::Record(Rc::new(Record {
                    class: x.class,
                    fields,
                })))
            }
            (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
                let mut items = Vec::new();
                for (p, q) in x.iter().zip(y) {
                    items.push(self.choose(c, p.clone(), q.clone(), span)?);
                }
                Ok(Value::Tuple(items))
            }
            _ => error(
                "E0317",
                span,
                format!("the branches differ: {} and {}", a.shape(), b.shape()),
            ),
        }
    }

    fn eval_range(&mut self, r: &'a ast::RangeExpr, env: &Env, span: Span) -> R<Value> {
        let mut bounds = [None, None, None];
        for (slot, e) in bounds
            .iter_mut()
            .zip([Some(&r.start), r.step.as_ref(), Some(&r.stop)])
        {
            if let Some(e) = e {
                let v = self.eval_scalar(e, env)?;
                *slot = Some(if self.flat.exprs.is_literal(v) {
                    v
                } else {
                    self.eval_constant(e, env)?
                });
            }
        }
        let x = &mut self.flat.exprs;
        let [Some(start), step, Some(stop)] = bounds else {
            return error("E0324", span, "a range needs two bounds");
        };
        let items: Vec<Value> = match (x.get(start), x.get(stop)) {
            (Expr::Int(a), Expr::Int(b)) if step.is_none_or(|s| x.as_int(s).is_some()) => {
                let step = step.and_then(|s| x.as_int(s)).unwrap_or(1);
                if step == 0 {
                    return error("E0324", span, "the step of a range is zero");
                }
                let last = (i128::from(b) - i128::from(a)) / i128::from(step);
                let same_way = (b >= a) == (step > 0) || a == b;
                let count = if same_way { last as usize + 1 } else { 0 };
                let count = limits::elements(&[count], span)?;
                (0..count as i64)
                    .map(|k| Value::Scalar(x.int(a + k * step)))
                    .collect()
            }
            (Expr::Enum(..), _) | (_, Expr::Enum(..)) | (Expr::Bool(_), _) if step.is_some() => {
                return error(
                    "E0324",
                    span,
                    "a range with a step goes from number to number",
                );
            }
            (Expr::Enum(id, a), Expr::Enum(_, b)) => (a..=b)
                .map(|k| Value::Scalar(x.enum_literal(id, k)))
                .collect(),
            (Expr::Bool(a), Expr::Bool(b)) => [false, true]
                .into_iter()
                .filter(|v| *v >= a && *v <= b)
                .map(|v| Value::Scalar(x.bool(v)))
                .collect(),
            _ => {
                let (Some(a), Some(b)) = (x.as_f64(start), x.as_f64(stop)) else {
                    return error("E0324", span, "the bounds of a range must be numbers");
                };
                let step = step.and_then(|s| x.as_f64(s)).unwrap_or(1.0);
                if step == 0.0 {
                    return error("E0324", span, "the step of a range is zero");
                }
                let count = ((b - a) / step * (1.0 + 1e-14) + 1e-10).floor();
                let n = if count < 0.0 {
                    0
                } else {
                    limits::elements(&[(count as usize).saturating_add(1)], span)?
                };
                (0..n)
                    .map(|k| Value::Scalar(x.real(a + k as f64 * step)))
                    .collect()
            }
        };
        Ok(Value::array(vec![items.len()], items))
    }

    /// `{a, b, …}` of equal sizes.
    pub fn stack(&mut self, values: Vec<Value>, span: Span) -> R<Value> {
        let inner = values
            .first()
            .map(|v| v.dims().to_vec())
            .unwrap_or_default();
        if let Some(other) = values.iter().find(|v| v.dims() != inner.as_slice()) {
            return error(
                "E0317",
                span,
                format!(
                    "the elements of an array differ in size: {inner:?} and {:?}",
                    other.dims()
                ),
            );
        }
        let mut dims = vec![values.len()];
        dims.extend(&inner);
        let items: Vec<Value> = if inner.is_empty() {
            values
        } else {
            values
                .iter()
                .flat_map(|v| v.items().iter().cloned())
                .collect()
        };
        Ok(Value::array(dims, items))
    }
}

/// A quotient of whole numbers is Real: says what to write where an Integer is needed.
pub fn hint_of_division(mut d: Box<Diagnostic>, e: &ast::Expr) -> Box<Diagnostic> {
    let divided = matches!(e.kind, ast::ExprKind::Binary(ast::BinaryOp::Div, _));
    if divided && d.code == "E0321" && d.hint.is_none() {
        d.hint = Some("`/` gives a Real, of whole numbers too: write `div(a, b)`".to_string());
    }
    d
}
