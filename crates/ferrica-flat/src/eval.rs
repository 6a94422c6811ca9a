//! Symbolic evaluation of expressions: syntax in, values over the scalar arena out.
//!
//! One evaluator serves equations, modifiers, function bodies and compile-time constants. In
//! constant mode (`Flattener::constant`) parameters stand for their values, and each parameter that
//! is used so is marked structural.

use std::rc::Rc;

use ferrica_ir::flat::Variability;
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, Span, Symbol, Ty, UnaryOp, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::call::first_of;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ElementId, ScopeId, State};
use crate::limits;
use crate::lookup::Found;
use crate::modifier::{Binding, Pick};
use crate::value::{FunctionValue, Record, Value, wrong_size};

/// A local name of a function body or a for-loop.
#[derive(Clone)]
pub struct Local {
    pub name: Symbol,
    pub value: Value,
    /// Type that assigned values are converted to.
    pub ty: Option<Ty>,
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

/// A subscript after evaluation.
pub enum Pos {
    /// Index from 0.
    One(usize),
    Many(Vec<usize>),
    /// An index known only at run time (counted from 1).
    Dynamic(ExprId),
}

impl<'a> Flattener<'a> {
    /// Evaluates to a literal; parameters stand for their values.
    pub fn eval_constant(&mut self, e: &'a ast::Expr, env: &Env) -> R<ExprId> {
        let value = self.eval_in_constant_mode(e, env)?;
        match value.scalar() {
            Some(s) if self.flat.exprs.is_literal(s) => Ok(s),
            _ => {
                let d = Diagnostic::error("E0310", e.span, "this must be known at compile time")
                    .with_hint("it may depend on constants and on parameters that have a value");
                Err(Box::new(d))
            }
        }
    }

    pub fn eval_in_constant_mode(&mut self, e: &'a ast::Expr, env: &Env) -> R<Value> {
        let before = std::mem::replace(&mut self.constant, true);
        let value = self.eval(e, env);
        self.constant = before;
        value
    }

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
                let a = first_of(self.eval(&ab.0, env)?);
                // `false and …`, `true or …` guard what follows.
                if let (ast::BinaryOp::And | ast::BinaryOp::Or, Value::Scalar(s)) = (op, &a)
                    && self.flat.exprs.as_bool(*s) == Some(*op == ast::BinaryOp::Or)
                {
                    return Ok(a);
                }
                let b = first_of(self.eval(&ab.1, env)?);
                self.binary_value(*op, a, b, e.span)
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
                Some(&n) => Ok(Value::Scalar(self.flat.exprs.int(n as i64))),
                None => error(
                    "E0313",
                    e.span,
                    "`end` has a meaning only inside a subscript",
                ),
            },
        }
    }

    // References.

    pub fn eval_ref(&mut self, r: &'a ast::ComponentRef, env: &Env) -> R<Value> {
        let first = &r.parts[0];
        if !r.global {
            if let Some(local) = env.local(first.name) {
                let mut value = local.value.clone();
                value = self.index(value, &first.subscripts, env, r.span)?;
                for part in &r.parts[1..] {
                    let Some(field) = value.field(part.name) else {
                        return error(
                            "E0312",
                            part.span,
                            format!("there is no field `{}`", part.name),
                        );
                    };
                    value = self.index(field, &part.subscripts, env, r.span)?;
                }
                return Ok(value);
            }
            if first.name == self.names.time && r.parts.len() == 1 {
                let kind = self.tree.scopes[env.scope].class.def.kind;
                if kind.is_function() || kind.is_record() || kind.is_connector() {
                    return Err(Box::new(
                        Diagnostic::error(
                            "E0234",
                            r.span,
                            format!("`time` cannot be used in a {}", kind.keywords()),
                        )
                        .with_hint("pass it from the model, as an argument or a modifier"),
                    ));
                }
                return Ok(Value::Scalar(self.flat.exprs.time()));
            }
        }
        let found = if r.global {
            self.root(first.name).map(Found::Element)
        } else {
            self.lookup_simple(env.scope, first.name)?
        };
        match found {
            Some(Found::Element(e)) => {
                self.check_reachable(e, env, r)?;
                self.check_conditional_use(e, r.span)?;
                self.element_value(e, &r.parts, env)
            }
            Some(Found::Predefined(Ty::Enum(id))) => self.enum_member(id, r),
            Some(Found::Predefined(_)) => error("E0203", r.span, "a type is not a value"),
            None => Err(Box::new(self.unknown_name(env.scope, first.name, r.span))),
        }
    }

    /// A component of an enclosing class can be used only if it is a constant (or the class is an
    /// instance around us).
    fn check_reachable(&mut self, e: ElementId, env: &Env, r: &ast::ComponentRef) -> R<()> {
        let Some(c) = self.tree.component(e) else {
            return Ok(());
        };
        if c.variability == Variability::Constant || c.outer {
            return Ok(());
        }
        let owner = self.most_derived(c.owner);
        let here = self.most_derived(env.scope);
        if owner == here {
            return Ok(());
        }
        let (name, span) = (c.name, c.span());
        Err(Box::new(
            Diagnostic::error(
                "E0314",
                r.span,
                format!("`{name}` is declared in an enclosing class and is not a constant"),
            )
            .with_related(span, "declared here")
            .with_hint(
                "only constants of enclosing classes can be used; pass the value as a parameter",
            ),
        ))
    }

    fn enum_member(&mut self, id: ferrica_ir::EnumId, r: &ast::ComponentRef) -> R<Value> {
        let Some(part) = r.parts.get(1) else {
            return error("E0203", r.span, "a type is not a value");
        };
        self.enum_literal(id, part.name, r.span)
    }

    fn enum_literal(&mut self, id: ferrica_ir::EnumId, name: Symbol, span: Span) -> R<Value> {
        match self.flat.enums[id]
            .literals
            .iter()
            .position(|l| l == name.as_str())
        {
            Some(k) => Ok(Value::Scalar(
                self.flat.exprs.enum_literal(id, k as u32 + 1),
            )),
            None => {
                let of = &self.flat.enums[id];
                error(
                    "E0202",
                    span,
                    format!(
                        "`{}` has no literal `{name}`; it has {}",
                        of.name,
                        of.literals.join(", ")
                    ),
                )
            }
        }
    }

    /// The value of an element, `parts[0]` being its own part of the reference.
    pub fn element_value(
        &mut self,
        e: ElementId,
        parts: &'a [ast::RefPart],
        env: &Env,
    ) -> R<Value> {
        if self.tree.component(e).is_some() {
            return self.component_value(e, parts, env);
        }
        let span = parts[0].span;
        let scope = self.class_scope(e)?;
        self.expand(scope)?;
        match self.tree.scopes[scope].builtin {
            Some(Ty::Enum(id)) if parts.len() == 2 => {
                return self.enum_literal(id, parts[1].name, parts[1].span);
            }
            _ => {}
        }
        if parts.len() == 1 {
            if self.tree.scopes[scope].class.def.kind.is_function() {
                return Ok(Value::Function(Rc::new(FunctionValue {
                    scope,
                    given: Vec::new(),
                })));
            }
            let name = self.tree.name(e);
            return error(
                "E0203",
                span,
                format!("`{name}` is a class, but a value is needed here"),
            );
        }
        match self.member(scope, parts[1].name)? {
            Some(next) => {
                self.check_visible(next, parts[1].span)?;
                self.element_value(next, &parts[1..], env)
            }
            None => Err(Box::new(self.unknown_member(
                scope,
                parts[1].name,
                parts[1].span,
            ))),
        }
    }

    fn component_value(&mut self, e: ElementId, parts: &'a [ast::RefPart], env: &Env) -> R<Value> {
        let e = self.actual(e)?;
        let part = &parts[0];
        let Some(c) = self.tree.component(e) else {
            return error("E0203", part.span, "not a component");
        };
        if c.state == State::Absent {
            let (name, span) = (c.name, c.span());
            let (why, hint) = if c.decl.condition.is_some() {
                (
                    "its condition is false",
                    "guard its use by the same condition",
                )
            } else {
                (
                    "nothing is connected to this member of the bus",
                    "connect it, or remove what uses it",
                )
            };
            return Err(Box::new(
                Diagnostic::error(
                    "E0315",
                    part.span,
                    format!("`{name}` is used although {why}"),
                )
                .with_related(span, "declared here")
                .with_hint(hint),
            ));
        }
        if let Content::Scalar(_) = c.content {
            if let Some(extra) = parts.get(1) {
                let name = c.name;
                return error(
                    "E0312",
                    extra.span,
                    format!("`{name}` has no field `{}`", extra.name),
                );
            }
            if part.subscripts.is_empty() {
                return self.scalar_values(e, env);
            }
            let dims = c.dims.clone();
            let positions = self.positions(&part.subscripts, &dims, env, part.span)?;
            if positions.iter().any(|p| matches!(p, Pos::Dynamic(_))) {
                let whole = self.scalar_values(e, env)?;
                return self.pick(&whole, &positions);
            }
            // One element of a large array: do not build the array.
            if positions.len() == dims.len()
                && let Some(k) = flat_index(&positions, &dims)
            {
                return self.scalar_element(e, k, env);
            }
            let whole = self.scalar_values(e, env)?;
            return self.pick(&whole, &positions);
        }
        let Content::Class(scopes) = &c.content else {
            return error("E0203", part.span, "this is not a value");
        };
        let dims = c.dims.clone();
        if scopes.len() == 1 && dims.is_empty() {
            let scope = scopes[0];
            if !part.subscripts.is_empty() {
                return error(
                    "E0316",
                    part.span,
                    format!("`{}` is not an array", part.name),
                );
            }
            return self.scope_value(scope, parts, env);
        }
        let scopes = scopes.clone();
        let positions = self.positions(&part.subscripts, &dims, env, part.span)?;
        let (out_dims, selected) = if positions.iter().any(|p| matches!(p, Pos::Dynamic(_))) {
            // Evaluate everything, then select at run time.
            let mut all = Vec::with_capacity(scopes.len());
            for &s in &scopes {
                all.push(self.scope_value(s, parts, env)?);
            }
            let inner = all.first().map(|v| v.dims().to_vec()).unwrap_or_default();
            let mut d = dims.clone();
            d.extend(&inner);
            let whole = Value::array(d, all.iter().flat_map(|v| v.items().to_vec()).collect());
            return self.pick(&whole, &positions);
        } else {
            select(&positions, &dims)
        };
        if out_dims.is_empty() && selected.len() == 1 {
            return self.scope_value(scopes[selected[0]], parts, env);
        }
        let mut values = Vec::with_capacity(selected.len());
        for k in selected {
            values.push(self.scope_value(scopes[k], parts, env)?);
        }
        let inner = match values.first() {
            Some(v) => v.dims().to_vec(),
            None => self.empty_inner_dims(e, parts, env),
        };
        let mut d = out_dims;
        d.extend(&inner);
        let items: Vec<Value> = values.iter().flat_map(|v| v.items().to_vec()).collect();
        if d.iter().product::<usize>() != items.len() {
            return error(
                "E0317",
                part.span,
                format!("the elements of `{}` have different sizes", part.name),
            );
        }
        Ok(Value::array(d, items))
    }

    /// Sizes of a member of an empty component array, as far as its declaration tells them.
    fn empty_inner_dims(
        &mut self,
        _e: ElementId,
        parts: &[ast::RefPart],
        _env: &Env,
    ) -> Vec<usize> {
        let _ = parts;
        Vec::new()
    }

    fn scope_value(&mut self, scope: ScopeId, parts: &'a [ast::RefPart], env: &Env) -> R<Value> {
        match parts.get(1) {
            None => self.record_value(scope, env),
            Some(next) => match self.member(scope, next.name)? {
                Some(e) => {
                    self.check_visible(e, next.span)?;
                    self.element_value(e, &parts[1..], env)
                }
                None => Err(Box::new(self.unknown_member(scope, next.name, next.span))),
            },
        }
    }

    /// The components of a record (or connector) instance as a value.
    pub fn record_value(&mut self, scope: ScopeId, env: &Env) -> R<Value> {
        self.expand(scope)?;
        let order = self.tree.scopes[scope].order.clone();
        let mut fields = Vec::with_capacity(order.len());
        for e in order {
            if self.tree.component(e).is_none() {
                continue;
            }
            let actual = self.actual(e)?;
            let Some(c) = self.tree.component(actual) else {
                continue;
            };
            if c.state == State::Absent {
                continue;
            }
            let name = c.name;
            let value = self.whole_component(actual, env)?;
            fields.push((name, value));
        }
        Ok(Value::Record(Rc::new(Record {
            class: Some(scope),
            fields,
        })))
    }

    /// A component with all its elements.
    pub fn whole_component(&mut self, e: ElementId, env: &Env) -> R<Value> {
        let e = self.actual(e)?;
        let Some(c) = self.tree.component(e) else {
            return error("E0203", Span::NONE, "not a component");
        };
        match &c.content {
            Content::Scalar(_) => self.scalar_values(e, env),
            Content::Class(scopes) => {
                let (scopes, dims) = (scopes.clone(), c.dims.clone());
                let mut items = Vec::with_capacity(scopes.len());
                for s in scopes {
                    items.push(self.record_value(s, env)?);
                }
                Ok(Value::array(dims, items))
            }
            _ => error("E0315", c.span(), format!("`{}` is not present", c.name)),
        }
    }

    /// All scalars of a component of a predefined type.
    fn scalar_values(&mut self, e: ElementId, env: &Env) -> R<Value> {
        if let Some(v) = self.constant_component(e)? {
            return Ok(v);
        }
        let first = self.var_of(e);
        let Some(c) = self.tree.component(e) else {
            return error("E0203", Span::NONE, "not a component");
        };
        let Content::Scalar(ty) = c.content else {
            return error("E0203", c.span(), "not a scalar");
        };
        let dims = c.dims.clone();
        let count: usize = dims.iter().product();
        let items = (0..count)
            .map(|k| Value::Scalar(self.var_expr(first, k, ty, env)))
            .collect();
        Ok(Value::array(dims, items))
    }

    fn scalar_element(&mut self, e: ElementId, k: usize, env: &Env) -> R<Value> {
        if let Some(v) = self.constant_component(e)? {
            return match v.items().get(k) {
                Some(v) => Ok(v.clone()),
                None => error("E0318", Span::NONE, "subscript out of range"),
            };
        }
        let first = self.var_of(e);
        let ty = match self.tree.component(e).map(|c| &c.content) {
            Some(Content::Scalar(ty)) => *ty,
            _ => Ty::Real,
        };
        Ok(Value::Scalar(self.var_expr(first, k, ty, env)))
    }

    fn var_expr(&mut self, first: VarId, k: usize, ty: Ty, env: &Env) -> ExprId {
        let v = VarId::from_u32(first.as_u32() + k as u32);
        if let Some(assigned) = &env.assigned
            && let Some(&value) = assigned.get(&v)
        {
            return value;
        }
        self.flat.exprs.var(v, ty)
    }

    /// The value of a constant; in constant mode also of a parameter.
    fn constant_component(&mut self, e: ElementId) -> R<Option<Value>> {
        let Some(c) = self.tree.component(e) else {
            return Ok(None);
        };
        let only_hint =
            c.variability == Variability::Parameter && !self.constant && self.in_model(c.owner);
        let wanted = match c.variability {
            Variability::Constant => true,
            Variability::Parameter => !only_hint || (c.evaluate && !c.value_running),
            _ => false,
        };
        if !wanted {
            return Ok(None);
        }
        if c.variability == Variability::Constant
            && c.modifier.binding.is_none()
            && self.in_model(c.owner)
        {
            return Ok(None);
        }
        if only_hint {
            // A parameter that cannot be evaluated stays one.
            return Ok(self.parameter_value(e).ok().filter(|v| {
                let mut scalars = Vec::new();
                v.scalars(&mut scalars);
                scalars.iter().all(|&s| self.flat.exprs.is_literal(s))
            }));
        }
        self.parameter_value(e).map(Some)
    }

    /// The value of a constant or parameter, computed at compile time.
    pub fn parameter_value(&mut self, e: ElementId) -> R<Value> {
        self.ready(e)?;
        let Some(c) = self.tree.component_mut(e) else {
            return error("E0203", Span::NONE, "not a component");
        };
        if c.variability == Variability::Parameter {
            c.structural = true;
        }
        if let Some(v) = &c.value {
            return Ok(v.clone());
        }
        let (name, span) = (c.name, c.span());
        if c.value_running {
            return Err(Box::new(
                Diagnostic::error(
                    "E0319",
                    span,
                    format!("the value of `{name}` depends on itself"),
                )
                .with_hint("break the cycle of parameters or constants"),
            ));
        }
        c.value_running = true;
        let result = self.compute_parameter(e);
        if let Some(c) = self.tree.component_mut(e) {
            c.value_running = false;
            if let Ok(v) = &result {
                c.value = Some(v.clone());
            }
        }
        result
    }

    fn compute_parameter(&mut self, e: ElementId) -> R<Value> {
        let Some(c) = self.tree.component(e) else {
            return error("E0203", Span::NONE, "not a component");
        };
        let Content::Scalar(ty) = c.content else {
            return error(
                "E0311",
                c.span(),
                format!("`{}` is not of a predefined type", c.name),
            );
        };
        let (name, span, dims, owner) = (c.name, c.span(), c.dims.clone(), c.owner);
        let binding = c.modifier.binding.clone();
        let attributes = c.attributes.clone();
        let value = match &binding {
            Some(b) => self.eval_binding(b, true)?,
            None => match attributes
                .get("start".into())
                .and_then(|m| m.binding.clone())
            {
                Some(start) => {
                    let v = self.eval_binding(&start, true)?;
                    self.spread(v, &dims)
                }
                None => {
                    let path = self.tree.scopes[self.most_derived(owner)].path.clone();
                    let full = if path.is_empty() {
                        name.to_string()
                    } else {
                        format!("{path}.{name}")
                    };
                    return Err(Box::new(
                        Diagnostic::error(
                            "E0320",
                            span,
                            format!(
                                "`{full}` has no value, but the model's structure depends on it"
                            ),
                        )
                        .with_hint("give it a value in its declaration or by a modifier"),
                    ));
                }
            },
        };
        let value = if value.dims() != dims.as_slice() && binding.as_ref().is_some_and(|b| b.each) {
            self.spread(value, &dims)
        } else {
            value
        };
        if value.dims() != dims.as_slice() {
            return error(
                "E0317",
                binding.map_or(span, |b| b.expr.span),
                wrong_size(name, &dims, &value),
            );
        }
        self.convert(value, ty, span)
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

    // Subscripts.

    pub fn index(
        &mut self,
        base: Value,
        subscripts: &'a [ast::Subscript],
        env: &Env,
        span: Span,
    ) -> R<Value> {
        if subscripts.is_empty() {
            return Ok(base);
        }
        let dims = base.dims().to_vec();
        let positions = self.positions(subscripts, &dims, env, span)?;
        self.pick(&base, &positions)
    }

    pub fn positions(
        &mut self,
        subscripts: &'a [ast::Subscript],
        dims: &[usize],
        env: &Env,
        span: Span,
    ) -> R<Vec<Pos>> {
        if subscripts.len() > dims.len() {
            return error(
                "E0316",
                span,
                format!(
                    "{} subscripts for {} dimensions",
                    subscripts.len(),
                    dims.len()
                ),
            );
        }
        let mut out = Vec::with_capacity(subscripts.len());
        for (k, s) in subscripts.iter().enumerate() {
            let size = dims[k];
            match s {
                ast::Subscript::Colon(_) => out.push(Pos::Many((0..size).collect())),
                ast::Subscript::Expr(e) => {
                    self.ends.push(size);
                    let result = self.subscript_value(e, env);
                    self.ends.pop();
                    let value = result?;
                    match &value {
                        Value::Array(a) => {
                            let mut list = Vec::with_capacity(a.items.len());
                            for v in &a.items {
                                let Some(i) = v.scalar().and_then(|s| self.subscript_int(s)) else {
                                    return error(
                                        "E0323",
                                        e.span,
                                        "a subscript range must be known at compile time",
                                    );
                                };
                                list.push(self.checked_index(i, size, e.span)?);
                            }
                            out.push(Pos::Many(list));
                        }
                        Value::Scalar(s) => match self.subscript_int(*s) {
                            Some(i) => out.push(Pos::One(self.checked_index(i, size, e.span)?)),
                            None => out.push(Pos::Dynamic(*s)),
                        },
                        _ => return error("E0323", e.span, "a subscript must be an Integer"),
                    }
                }
            }
        }
        Ok(out)
    }

    fn subscript_int(&self, s: ExprId) -> Option<i64> {
        match self.flat.exprs.get(s) {
            Expr::Bool(b) => Some(i64::from(b) + 1),
            _ => self.flat.exprs.as_int(s),
        }
    }

    fn subscript_value(&mut self, e: &'a ast::Expr, env: &Env) -> R<Value> {
        let value = self.eval(e, env)?;
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        if scalars.iter().all(|&s| self.flat.exprs.is_literal(s)) {
            return Ok(value);
        }
        // Known at compile time when it depends on parameters only.
        match self.eval_in_constant_mode(e, env) {
            Ok(v) => Ok(v),
            Err(_) => Ok(value),
        }
    }

    fn checked_index(&self, i: i64, size: usize, span: Span) -> R<usize> {
        if i >= 1 && i as usize <= size {
            Ok(i as usize - 1)
        } else {
            error("E0318", span, format!("subscript {i} is outside 1:{size}"))
        }
    }

    fn pick(&mut self, base: &Value, positions: &[Pos]) -> R<Value> {
        let Value::Array(a) = base else {
            return Ok(base.clone());
        };
        if let Some(d) = positions.iter().position(|p| matches!(p, Pos::Dynamic(_))) {
            // Select at run time along dimension d: a chain of ifs over its indices.
            let Pos::Dynamic(index) = positions[d] else {
                return Ok(base.clone());
            };
            let mut result: Option<Value> = None;
            for k in (0..a.dims[d]).rev() {
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
                let value = self.pick(base, &fixed)?;
                result = Some(match result {
                    None => value,
                    Some(rest) => {
                        let number = match self.flat.exprs.ty(index) {
                            Ty::Enum(id) => self.flat.exprs.enum_literal(id, k as u32 + 1),
                            Ty::Boolean => self.flat.exprs.bool(k == 1),
                            _ => self.flat.exprs.int(k as i64 + 1),
                        };
                        let here = self.flat.exprs.binary(BinaryOp::Eq, index, number);
                        self.choose(here, value, rest, Span::NONE)?
                    }
                });
            }
            return match result {
                Some(v) => Ok(v),
                None => error("E0318", Span::NONE, "subscript of an empty array"),
            };
        }
        let (dims, list) = select(positions, &a.dims);
        Ok(Value::array(
            dims,
            list.into_iter().map(|k| a.items[k].clone()).collect(),
        ))
    }

    // Control.

    fn eval_if(&mut self, i: &'a ast::IfExpr, env: &Env, span: Span) -> R<Value> {
        let before = self.undecided;
        let result = self.eval_branches(i, env, span);
        self.undecided = before;
        result
    }

    fn eval_branches(&mut self, i: &'a ast::IfExpr, env: &Env, span: Span) -> R<Value> {
        let mut conditions = Vec::new();
        let mut values = Vec::new();
        let mut last = None;
        for (c, e) in &i.branches {
            let cond = self.eval_scalar(c, env)?;
            let cond = match self.flat.exprs.as_bool(cond) {
                Some(false) => continue,
                Some(true) => {
                    last = Some(first_of(self.eval(e, env)?));
                    break;
                }
                None => cond,
            };
            self.undecided += 1;
            match self.eval(e, env).map(first_of) {
                Ok(v) => {
                    conditions.push(cond);
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
        for (c, v) in conditions.into_iter().zip(values).rev() {
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

    // Operators.

    pub fn unary_value(&mut self, op: ast::UnaryOp, a: Value, span: Span) -> R<Value> {
        if let Some(v) = self.overloaded_unary(op, &a, span)? {
            return Ok(v);
        }
        let mut scalars = Vec::new();
        a.scalars(&mut scalars);
        let boolean = scalars
            .first()
            .map(|&s| self.flat.exprs.ty(s) == Ty::Boolean);
        match op {
            ast::UnaryOp::Not if boolean == Some(false) => {
                error("E0321", span, "`not` needs a Boolean")
            }
            ast::UnaryOp::Neg | ast::UnaryOp::Plus
                if scalars.first().is_some_and(|&s| {
                    !matches!(self.flat.exprs.ty(s), Ty::Real | Ty::Integer | Ty::Tuple)
                }) =>
            {
                error("E0321", span, format!("`{}` needs a number", op.symbol()))
            }
            ast::UnaryOp::Plus | ast::UnaryOp::ElementwisePlus => Ok(a),
            ast::UnaryOp::Not => Ok(a.map_scalars(&mut |s| self.flat.exprs.unary(UnaryOp::Not, s))),
            ast::UnaryOp::Neg | ast::UnaryOp::ElementwiseNeg => {
                Ok(a.map_scalars(&mut |s| self.flat.exprs.unary(UnaryOp::Neg, s)))
            }
        }
    }

    pub fn binary_value(&mut self, op: ast::BinaryOp, a: Value, b: Value, span: Span) -> R<Value> {
        use ast::BinaryOp as Op;
        if let (Value::Scalar(x), Value::Scalar(y)) = (&a, &b) {
            return self.scalar_binary(op, *x, *y, span).map(Value::Scalar);
        }
        if let Some(v) = self.overloaded_binary(op, &a, &b, span)? {
            return Ok(v);
        }
        match op {
            Op::Mul => self.multiply(&a, &b, span),
            Op::Div if b.dims().is_empty() => self.elementwise(op, &a, &b, span),
            Op::Pow if !a.dims().is_empty() => self.matrix_power(&a, &b, span),
            Op::Add | Op::Sub if a.dims() != b.dims() => error(
                "E0317",
                span,
                format!(
                    "`{}` needs equal sizes: {} and {}",
                    op.symbol(),
                    a.shape(),
                    b.shape()
                ),
            ),
            _ => self.elementwise(op, &a, &b, span),
        }
    }

    pub fn elementwise(&mut self, op: ast::BinaryOp, a: &Value, b: &Value, span: Span) -> R<Value> {
        let dims = if a.dims().is_empty() {
            b.dims().to_vec()
        } else {
            a.dims().to_vec()
        };
        if !a.dims().is_empty() && !b.dims().is_empty() && a.dims() != b.dims() {
            return error(
                "E0317",
                span,
                format!(
                    "`{}` needs equal sizes: {} and {}",
                    op.symbol(),
                    a.shape(),
                    b.shape()
                ),
            );
        }
        let n: usize = dims.iter().product();
        let mut items = Vec::with_capacity(n);
        for k in 0..n {
            let x = if a.dims().is_empty() {
                a.clone()
            } else {
                a.items()[k].clone()
            };
            let y = if b.dims().is_empty() {
                b.clone()
            } else {
                b.items()[k].clone()
            };
            items.push(match (&x, &y) {
                (Value::Scalar(x), Value::Scalar(y)) => {
                    Value::Scalar(self.scalar_binary(op, *x, *y, span)?)
                }
                _ => match self.overloaded_binary(op, &x, &y, span)? {
                    Some(v) => v,
                    None => {
                        return error(
                            "E0321",
                            span,
                            format!(
                                "`{}` is not defined for {} and {}",
                                op.symbol(),
                                x.shape(),
                                y.shape()
                            ),
                        );
                    }
                },
            });
        }
        Ok(Value::array(dims, items))
    }

    pub fn scalar_binary(
        &mut self,
        op: ast::BinaryOp,
        a: ExprId,
        b: ExprId,
        span: Span,
    ) -> R<ExprId> {
        use ast::BinaryOp as Op;
        let (ta, tb) = (self.flat.exprs.ty(a), self.flat.exprs.ty(b));
        let numeric = |t: Ty| matches!(t, Ty::Real | Ty::Integer | Ty::Tuple);
        let fits = match op {
            Op::And | Op::Or => ta == Ty::Boolean && tb == Ty::Boolean,
            Op::Add => (numeric(ta) && numeric(tb)) || (ta == Ty::String && tb == Ty::String),
            _ if op.is_relational() => (numeric(ta) && numeric(tb)) || ta == tb,
            _ => numeric(ta) && numeric(tb),
        };
        if !fits {
            let text = format!(
                "`{}` is not defined for {} and {}",
                op.symbol(),
                self.type_text(ta),
                self.type_text(tb)
            );
            return error("E0321", span, text);
        }
        if ta == Ty::String && op == Op::Add {
            let length = |e: ExprId| self.flat.exprs.as_str(e).map_or(0, str::len);
            limits::string(length(a) + length(b), span)?;
        }
        let op = match op {
            Op::Add | Op::ElementwiseAdd => BinaryOp::Add,
            Op::Sub | Op::ElementwiseSub => BinaryOp::Sub,
            Op::Mul | Op::ElementwiseMul => BinaryOp::Mul,
            Op::Div | Op::ElementwiseDiv => BinaryOp::Div,
            Op::Pow | Op::ElementwisePow => BinaryOp::Pow,
            Op::And => BinaryOp::And,
            Op::Or => BinaryOp::Or,
            Op::Lt => BinaryOp::Lt,
            Op::Le => BinaryOp::Le,
            Op::Gt => BinaryOp::Gt,
            Op::Ge => BinaryOp::Ge,
            Op::Eq => BinaryOp::Eq,
            Op::Ne => BinaryOp::Ne,
        };
        Ok(self.flat.exprs.binary(op, a, b))
    }

    fn multiply(&mut self, a: &Value, b: &Value, span: Span) -> R<Value> {
        let (da, db) = (a.dims().to_vec(), b.dims().to_vec());
        if da.is_empty() || db.is_empty() {
            return self.elementwise(ast::BinaryOp::Mul, a, b, span);
        }
        let (rows, inner, cols) = match (da.as_slice(), db.as_slice()) {
            ([n], [m]) if n == m => (1, *n, 1),
            ([r, n], [m]) if n == m => (*r, *n, 1),
            ([n], [m, c]) if n == m => (1, *n, *c),
            ([r, n], [m, c]) if n == m => (*r, *n, *c),
            _ => {
                return error(
                    "E0317",
                    span,
                    format!("sizes {da:?} and {db:?} cannot be multiplied"),
                );
            }
        };
        limits::elements(&[rows, cols], span)?;
        self.spend((rows * cols * inner) as u64 / 8, span)?;
        let mut items = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            for j in 0..cols {
                let mut sum: Option<Value> = None;
                for k in 0..inner {
                    let p = self.binary_value(
                        ast::BinaryOp::Mul,
                        a.items()[i * inner + k].clone(),
                        b.items()[k * cols + j].clone(),
                        span,
                    )?;
                    sum = Some(match sum {
                        None => p,
                        Some(s) => self.binary_value(ast::BinaryOp::Add, s, p, span)?,
                    });
                }
                items.push(sum.unwrap_or_else(|| Value::Scalar(self.flat.exprs.real(0.0))));
            }
        }
        let dims = match (da.len(), db.len()) {
            (1, 1) => vec![],
            (2, 1) => vec![rows],
            (1, 2) => vec![cols],
            _ => vec![rows, cols],
        };
        Ok(Value::array(dims, items))
    }

    fn matrix_power(&mut self, a: &Value, b: &Value, span: Span) -> R<Value> {
        let n = b.scalar().and_then(|s| self.flat.exprs.as_int(s));
        match (a.dims(), n) {
            ([r, c], Some(n)) if r == c && (0..=1000).contains(&n) => {
                let size = *r;
                let mut result = self.identity(size);
                for _ in 0..n {
                    result = self.multiply(&result, a, span)?;
                }
                Ok(result)
            }
            _ => error(
                "E0321",
                span,
                "`^` of an array needs a square matrix and a constant whole exponent",
            ),
        }
    }

    pub fn identity(&mut self, n: usize) -> Value {
        let (one, zero) = (self.flat.exprs.int(1), self.flat.exprs.int(0));
        let items = (0..n * n)
            .map(|k| Value::Scalar(if k / n == k % n { one } else { zero }))
            .collect();
        Value::array(vec![n, n], items)
    }

    /// Applies a builtin function to every scalar.
    pub fn map_builtin(&mut self, f: Builtin, a: &Value) -> Value {
        a.map_scalars(&mut |s| self.flat.exprs.builtin(f, &[s]))
    }
}

/// Row-major position of a single element.
fn flat_index(positions: &[Pos], dims: &[usize]) -> Option<usize> {
    let mut k = 0;
    for (p, d) in positions.iter().zip(dims) {
        match p {
            Pos::One(i) => k = k * d + i,
            _ => return None,
        }
    }
    Some(k)
}

/// Dimensions of a selection and the row-major positions selected; missing subscripts select all.
pub fn select(positions: &[Pos], dims: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut out_dims = Vec::new();
    let mut list = vec![0usize];
    for (d, &size) in dims.iter().enumerate() {
        let all: Vec<usize>;
        let picks: &[usize] = match positions.get(d) {
            Some(Pos::One(i)) => std::slice::from_ref(i),
            Some(Pos::Many(l)) => {
                out_dims.push(l.len());
                l
            }
            _ => {
                out_dims.push(size);
                all = (0..size).collect();
                &all
            }
        };
        list = list
            .iter()
            .flat_map(|&base| picks.iter().map(move |&i| base * size + i))
            .collect();
    }
    (out_dims, list)
}
