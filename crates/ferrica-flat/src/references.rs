//! References: what a name in an expression stands for (sections 5.3 and 10.5).

use std::rc::Rc;

use ferrica_ir::flat::Variability;
use ferrica_ir::{Diagnostic, ExprId, Span, Symbol, Ty, VarId};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::family::Family;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ElementId, ScopeId, State};
use crate::lookup::Found;
use crate::subscripts::Pos;
use crate::subscripts::flat_index;
use crate::subscripts::select;
use crate::value::{FunctionValue, Record, Value};

impl<'a> Flattener<'a> {
    pub fn eval_ref(&mut self, r: &'a ast::ComponentRef, env: &Env) -> R<Value> {
        let first = &r.parts[0];
        if !r.global {
            if let Some(local) = env.local(first.name) {
                self.asks_for(first.name, env, r.span)?;
                let mut value = local.value.clone();
                value = match self.late_sizes(first.name, env).map(<[_]>::to_vec) {
                    Some(sizes) => self.late_elements(&value, &sizes, first, env, r.span)?,
                    None => self.index(value, &first.subscripts, env, r.span)?,
                };
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
                no_subscripts(first, "time")?;
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
            Some(Found::Literal(id, k)) => {
                no_subscripts(first, "the literal of an enumeration")?;
                Ok(Value::Scalar(self.flat.exprs.enum_literal(id, k)))
            }
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
        // An `inner` component of an instance around this one stands for an `inner outer` one.
        if owner == here || (c.inner && self.around(here).any(|s| s == owner)) {
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
        no_subscripts(part, "the literal of an enumeration")?;
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
                no_subscripts(&parts[1], "the literal of an enumeration")?;
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
                self.check_not_partial(scope, next, parts[1].span)?;
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
        let named = e;
        let e = self.actual(e)?;
        let part = &parts[0];
        if let Some(next) = parts.get(1)
            && named != e
        {
            self.check_outer_member(named, next)?;
        }
        let Some(c) = self.tree.component(e) else {
            return error("E0203", part.span, "not a component");
        };
        if c.state == State::Absent {
            let (name, span) = (c.name, c.span());
            let (why, hint) = if c.condition.is_some() {
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
            self.check_index_types(e, &part.subscripts, env)?;
            let positions = self.positions_to_read(&part.subscripts, &dims, env, part.span)?;
            if positions.iter().any(Pos::is_late) {
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
        if let Content::Family(family) = c.content {
            if let Some(v) = self.family_value(e, family, parts, env)? {
                return Ok(v);
            }
            self.fall_apart(e)?;
        }
        let Some(c) = self.tree.component(e) else {
            return error("E0203", part.span, "not a component");
        };
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
        let positions = self.positions_to_read(&part.subscripts, &dims, env, part.span)?;
        let (out_dims, selected) = if positions.iter().any(Pos::is_late) {
            // Evaluate everything, then select at run time.
            let mut all = Vec::with_capacity(scopes.len());
            for &s in scopes.iter() {
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
        let inner = values
            .first()
            .map(|v| v.dims().to_vec())
            .unwrap_or_default();
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

    /// Elements of a family from its first one; none if they must be looked at one by one.
    fn family_value(
        &mut self,
        e: ElementId,
        family: Family,
        parts: &'a [ast::RefPart],
        env: &Env,
    ) -> R<Option<Value>> {
        if self.templates.contains(&e) {
            self.irregular += 1;
        }
        if env.assigned.is_some() || parts.len() < 2 {
            return Ok(None);
        }
        let Some(dims) = self.tree.component(e).map(|c| c.dims.clone()) else {
            return Ok(None);
        };
        let part = &parts[0];
        let positions = self.positions_to_read(&part.subscripts, &dims, env, part.span)?;
        if positions.iter().any(Pos::is_late) {
            return Ok(None);
        }
        let (mut dims, selected) = select(&positions, &dims);
        let value = self.scope_value(family.first, parts, env)?;
        if dims.is_empty() && selected.len() == 1 {
            return Ok(self.moved_value(&family, &value, selected[0] as u32));
        }
        // Without an element its sizes are not asked for; elements without a scalar have theirs.
        if !selected.is_empty() {
            dims.extend(value.dims());
        }
        let mut items = Vec::with_capacity(selected.len() * value.items().len());
        for k in selected {
            match self.moved_value(&family, &value, k as u32) {
                Some(v) => items.extend_from_slice(v.items()),
                None => return Ok(None),
            }
        }
        Ok(Some(Value::array(dims, items)))
    }

    fn scope_value(&mut self, scope: ScopeId, parts: &'a [ast::RefPart], env: &Env) -> R<Value> {
        match parts.get(1) {
            None => self.record_value(scope, env),
            Some(next) => match self.member(scope, next.name)? {
                Some(e) => {
                    self.check_visible(e, next.span)?;
                    // Seen from outside as by the class that declares it.
                    let both = self.tree.component(e).is_some_and(|c| c.inner && c.outer);
                    let e = if both { self.seen_from_inside(e)? } else { e };
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
            // What is `outer` is a part of another instance, which may hold this one.
            if self.tree.component(e).is_none_or(|c| c.outer && !c.inner) {
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
            Content::Class(_) | Content::Family(_) => {
                let dims = c.dims.clone();
                let scopes = self.fall_apart(e)?;
                let mut items = Vec::with_capacity(scopes.len());
                for &s in scopes.iter() {
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
}

/// What is a scalar by its nature has no elements.
fn no_subscripts(part: &ast::RefPart, what: &str) -> R<()> {
    match part.subscripts.is_empty() {
        true => Ok(()),
        false => error(
            "E0316",
            part.span,
            format!("{what} is a scalar and has no subscripts"),
        ),
    }
}
