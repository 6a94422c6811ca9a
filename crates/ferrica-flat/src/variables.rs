//! Scalar variables of the flat model: names, attributes, bindings.

use std::rc::Rc;

use ferrica_ir::flat::{
    Causality, Component, Connector, ConnectorRole, Origin, StateSelect, Variability, Variable,
};
use ferrica_ir::{Diagnostic, Expr, ExprId, Text, Ty, VarId};
use ferrica_syntax::ast;

use crate::eval::{Env, hint_of_division};
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ElementId, ScopeId, State, path_of_element};
use crate::modifier::Mod;
use crate::value::{Value, wrong_size};

impl<'a> Flattener<'a> {
    /// First variable of a component of a predefined type; made when first asked for.
    pub fn var_of(&mut self, e: ElementId) -> VarId {
        if let Some(v) = self.tree.component(e).and_then(|c| c.first_var) {
            return v;
        }
        let next = VarId::from_u32(self.flat.vars.len() as u32);
        let Some(c) = self.tree.component(e) else {
            return next;
        };
        let owner = self.most_derived(c.owner);
        let path = self.tree.scopes[owner].path.clone();
        let ty = match c.content {
            Content::Scalar(ty) => ty,
            _ => Ty::Real,
        };
        let count: usize = c.dims.iter().product();
        for k in 0..count {
            let name = path_of_element(&path, c.name.as_str(), &c.dims, k);
            let mut v = Variable::new(name, ty, c.variability);
            v.span = c.span();
            self.flat.vars.push(v);
        }
        if let Some(c) = self.tree.component_mut(e) {
            c.first_var = Some(next);
        }
        next
    }

    /// Makes the whole instance tree below a scope ready, in order of declaration, and gives every
    /// scalar its variable.
    pub fn instantiate(&mut self, scope: ScopeId, parent: u32) {
        if self.endless {
            return;
        }
        self.current = parent;
        if let Err(d) = self.expand(scope) {
            self.report(d);
            return;
        }
        let index = self.flat.components.len() as u32;
        let class = self.shared_class_name(scope);
        let s = &self.tree.scopes[scope];
        let (description, span, protected) = match s.owner.and_then(|(e, _)| self.tree.component(e))
        {
            Some(c) => (c.element.comment.text.as_deref(), c.span(), c.protected),
            None => (s.class.def.comment.as_deref(), s.class.def.name_span, false),
        };
        let description = self.texts.share(description.unwrap_or(""));
        let around = self.flat.components.get(parent as usize);
        let protected = protected || around.is_some_and(|c| c.protected);
        let is_connector = s.class.def.kind.is_connector();
        let declared = s.owner.and_then(|(e, _)| self.tree.component(e));
        let declared = declared.and_then(|c| c.element.comment.annotation.as_deref());
        let own = s.class.def.annotation.as_deref();
        let inline = [declared, own].into_iter().flatten().find_map(|a| {
            let text = a.find("__Ferrica_inline")?.string()?;
            Some(text.into())
        });
        let path = s.path.to_string();
        self.flat.components.push(Component {
            path,
            class,
            parent,
            is_connector,
            protected,
            inline,
            description,
            span,
        });
        self.set_component(scope, index);
        if is_connector {
            self.flat.connectors.push(Connector {
                component: index,
                ..Connector::default()
            });
        }
        let mut k = 0;
        // The list may grow: a missing inner component is added at the top.
        while k < self.tree.scopes[scope].order.len() {
            let e = self.tree.scopes[scope].order[k];
            k += 1;
            self.instantiate_element(e, index);
        }
        if is_connector {
            self.check_connector_balance(scope);
        }
    }

    pub fn set_component(&mut self, scope: ScopeId, index: u32) {
        self.tree.scopes[scope].component = index;
        for k in 0..self.tree.scopes[scope].bases.len() {
            let b = self.tree.scopes[scope].bases[k];
            self.set_component(b, index);
        }
    }

    pub fn instantiate_element(&mut self, e: ElementId, parent: u32) {
        if self.tree.component(e).is_none() {
            return;
        }
        self.current = parent;
        if let Err(d) = self.ready(e) {
            // Other branches of an endless tree would be as long.
            self.endless |= d.code == "E0304";
            self.report(d);
            return;
        }
        let Some(c) = self.tree.component(e) else {
            return;
        };
        if c.state == State::Absent {
            return;
        }
        match &c.content {
            Content::Scalar(_) => {
                self.var_of(e);
            }
            Content::Class(scopes) => {
                for &s in scopes.clone().iter() {
                    self.instantiate(s, parent);
                }
            }
            Content::Family(family) => self.instantiate_family(e, *family, parent),
            Content::Outer(_) | Content::None => {}
        }
    }

    /// Attributes, bindings and equations of everything below a scope.
    pub fn flatten_instance(&mut self, scope: ScopeId) {
        self.current = self.tree.scopes[scope].component;
        for k in 0..self.tree.scopes[scope].order.len() {
            let e = self.tree.scopes[scope].order[k];
            let Some(c) = self.tree.component(e) else {
                continue;
            };
            if c.state != State::Ready {
                continue;
            }
            match &c.content {
                Content::Scalar(_) => {
                    if let Err(d) = self.finish_scalar(e) {
                        self.report(d);
                    }
                }
                Content::Class(scopes) => {
                    for &s in scopes.clone().iter() {
                        self.flatten_instance(s);
                    }
                    self.current = self.tree.scopes[scope].component;
                }
                Content::Family(family) => {
                    self.flatten_family(e, *family);
                    self.current = self.tree.scopes[scope].component;
                }
                Content::Outer(_) | Content::None => {}
            }
        }
        self.flatten_sections(scope);
    }

    fn finish_scalar(&mut self, e: ElementId) -> R<()> {
        let Some(c) = self.tree.component(e) else {
            return Ok(());
        };
        let Content::Scalar(ty) = c.content else {
            return Ok(());
        };
        let Some(first) = c.first_var else {
            return Ok(());
        };
        let dims = c.dims.clone();
        let count: usize = dims.iter().product();
        let attributes = c.attributes.clone();
        let (variability, role, in_connector) = (c.variability, c.role, c.in_connector);
        let (protected, is_final, structural) = (c.protected, c.is_final, c.structural);
        let (causality, element, span, name) = (c.causality, c.element, c.span(), c.name);
        let top = self.is_top_level(self.most_derived(c.owner));
        let description = self
            .texts
            .share(element.comment.text.as_deref().unwrap_or(""));
        let evaluate = c.evaluate;
        let text = |me: &mut Self, n: &str| -> R<Text> {
            let Some(m) = attributes.get(n.into()) else {
                return Ok(Text::default());
            };
            let Some(b) = &m.binding else {
                return Ok(Text::default());
            };
            let v = me.eval_binding(b, true)?;
            let s = v.items().first().and_then(|v| v.scalar());
            let text = s.and_then(|s| me.flat.exprs.as_str(s));
            Ok(me.texts.share(text.unwrap_or("")))
        };
        let (unit, quantity, display_unit) = (
            text(self, "unit")?,
            text(self, "quantity")?,
            text(self, "displayUnit")?,
        );
        let start = self.attribute(&attributes, "start", &dims, Some(ty), span)?;
        let fixed = self.attribute(&attributes, "fixed", &dims, Some(Ty::Boolean), span)?;
        if variability == Variability::Constant {
            self.check_constant_is_fixed(name, span, fixed.as_ref());
        }
        let min = self.attribute(&attributes, "min", &dims, None, span)?;
        let max = self.attribute(&attributes, "max", &dims, None, span)?;
        let nominal = self.attribute(&attributes, "nominal", &dims, None, span)?;
        let state_select = self.state_select_of(&attributes, span)?;
        for entry in &attributes.entries {
            if !matches!(
                entry.name.as_str(),
                "start"
                    | "fixed"
                    | "min"
                    | "max"
                    | "nominal"
                    | "unit"
                    | "quantity"
                    | "displayUnit"
                    | "stateSelect"
                    | "unbounded"
            ) {
                return Err(Box::new(
                    Diagnostic::error(
                        "E0205",
                        entry.modifier.span.unwrap_or(span),
                        format!("`{name}` is of a predefined type, which has no attribute `{}`", entry.name),
                    )
                    .with_hint("its attributes are start, fixed, min, max, nominal, unit, displayUnit, quantity, stateSelect"),
                ));
            }
        }
        let role = match role {
            ConnectorRole::None if in_connector && variability > Variability::Parameter => {
                ConnectorRole::Potential
            }
            r => r,
        };
        for k in 0..count {
            let v = VarId::from_u32(first.as_u32() + k as u32);
            let pick = |value: &Option<Value>| {
                value
                    .as_ref()
                    .and_then(|x| x.items().get(k))
                    .and_then(Value::scalar)
            };
            let var = &mut self.flat.vars[v];
            var.description.clone_from(&description);
            var.unit.clone_from(&unit);
            var.quantity.clone_from(&quantity);
            var.display_unit.clone_from(&display_unit);
            var.start = pick(&start);
            var.fixed = pick(&fixed);
            var.min = pick(&min);
            var.max = pick(&max);
            var.nominal = pick(&nominal);
            var.state_select = state_select;
            var.protected = protected;
            var.role = role;
            var.structural = structural || evaluate || is_final;
            if top {
                var.causality = match causality {
                    Some(ast::Causality::Input) => Causality::Input,
                    Some(ast::Causality::Output) => Causality::Output,
                    None => Causality::Local,
                };
            }
        }
        self.register_in_connector(e, first, count, role);
        self.check_binding_variability(e);
        self.check_constant_value(e);
        self.check_discrete_binding(e, ty);
        if element_is_stream(element) && !in_connector {
            self.violation(
                "E0232",
                span,
                format!("the stream variable `{name}` is not part of a connector"),
                "declare it in a connector, or remove `stream`",
            );
        }
        let equations = self.flat.equations.len();
        self.bind_variables(e, first, ty, &dims, variability)?;
        if self.flat.equations.len() > equations {
            self.bound_inputs_are_known(first, count);
        }
        Ok(())
    }

    /// An input of the model with a value of its own does not come from outside.
    fn bound_inputs_are_known(&mut self, first: VarId, count: usize) {
        for k in 0..count {
            let var = &mut self.flat.vars[VarId::from_u32(first.as_u32() + k as u32)];
            if var.causality == Causality::Input {
                var.causality = Causality::Local;
            }
        }
    }

    fn register_in_connector(
        &mut self,
        e: ElementId,
        first: VarId,
        count: usize,
        role: ConnectorRole,
    ) {
        let Some(c) = self.tree.component(e) else {
            return;
        };
        let owner = self.most_derived(c.owner);
        let mut scope = owner;
        // Fields of records inside connectors belong to the connector.
        loop {
            let s = &self.tree.scopes[scope];
            if s.class.def.kind.is_connector() {
                break;
            }
            match s.owner.and_then(|(o, _)| self.tree.component(o)) {
                Some(c) if s.class.def.kind.is_record() => scope = self.most_derived(c.owner),
                _ => return,
            }
        }
        let index = self.tree.scopes[scope].component;
        let Ok(k) = self
            .flat
            .connectors
            .binary_search_by_key(&index, |c| c.component)
        else {
            return;
        };
        let vars = (0..count).map(|i| VarId::from_u32(first.as_u32() + i as u32));
        let connector = &mut self.flat.connectors[k];
        match role {
            ConnectorRole::Potential => connector.potentials.extend(vars),
            ConnectorRole::Flow => connector.flows.extend(vars),
            ConnectorRole::Stream => connector.streams.extend(vars),
            ConnectorRole::None => {}
        }
    }

    /// The model itself, or a connector or record at its top.
    fn is_top_level(&self, scope: ScopeId) -> bool {
        if Some(scope) == self.model {
            return true;
        }
        let s = &self.tree.scopes[scope];
        let kind = s.class.def.kind;
        let owner = s.owner.and_then(|(e, _)| self.tree.component(e));
        owner.is_some_and(|c| {
            let around = self.most_derived(c.owner);
            (kind.is_connector() && Some(around) == self.model)
                || (kind.is_record() && self.is_top_level(around))
        })
    }

    fn attribute(
        &mut self,
        attributes: &Rc<Mod<'a>>,
        name: &str,
        dims: &[usize],
        ty: Option<Ty>,
        span: ferrica_ir::Span,
    ) -> R<Option<Value>> {
        let Some(b) = attributes.get(name.into()).and_then(|m| m.binding.clone()) else {
            return Ok(None);
        };
        let v = self.eval_binding(&b, false)?;
        let v = self.spread(v, dims);
        // `each` gives every element of the array a value of its own: of an array type, an array.
        let v = if b.of_type || b.each {
            v.repeated(dims)
        } else {
            v
        };
        if v.dims() != dims {
            return error(
                "E0317",
                b.expr.span,
                format!(
                    "the attribute `{name}` is an {}, the variable has size {dims:?}",
                    v.shape()
                ),
            );
        }
        let v = match ty {
            Some(ty) => self.convert(
                v,
                ty,
                if b.expr.span.is_none() {
                    span
                } else {
                    b.expr.span
                },
            )?,
            None => v,
        };
        Ok(Some(v))
    }

    fn state_select_of(
        &mut self,
        attributes: &Rc<Mod<'a>>,
        span: ferrica_ir::Span,
    ) -> R<StateSelect> {
        let Some(b) = attributes
            .get("stateSelect".into())
            .and_then(|m| m.binding.clone())
        else {
            return Ok(StateSelect::Default);
        };
        let v = self.eval_binding(&b, true)?;
        let literal = v
            .items()
            .first()
            .and_then(|v| v.scalar())
            .map(|s| self.flat.exprs.get(s));
        Ok(match literal {
            Some(Expr::Enum(_, 1)) => StateSelect::Never,
            Some(Expr::Enum(_, 2)) => StateSelect::Avoid,
            Some(Expr::Enum(_, 3)) => StateSelect::Default,
            Some(Expr::Enum(_, 4)) => StateSelect::Prefer,
            Some(Expr::Enum(_, 5)) => StateSelect::Always,
            _ => return error("E0310", span, "stateSelect must be known at compile time"),
        })
    }

    /// The binding of constants and parameters, or the binding equation of variables.
    fn bind_variables(
        &mut self,
        e: ElementId,
        first: VarId,
        ty: Ty,
        dims: &[usize],
        variability: Variability,
    ) -> R<()> {
        let Some(c) = self.tree.component(e) else {
            return Ok(());
        };
        let known = c.value.clone();
        let (span, name) = (c.span(), c.name);
        let Some(b) = c.modifier.binding.clone() else {
            if let (Some(v), true) = (known, variability <= Variability::Parameter) {
                self.store_binding(first, &v);
            }
            return Ok(());
        };
        let value = match known {
            Some(v) if variability <= Variability::Parameter => v,
            _ => {
                let v = self.eval_binding(&b, false)?;
                let v = if b.each { self.spread(v, dims) } else { v };
                if v.dims() != dims {
                    return error("E0317", b.expr.span, wrong_size(name, dims, &v));
                }
                let converted = self.convert(v, ty, b.expr.span);
                converted.map_err(|d| hint_of_division(d, b.expr))?
            }
        };
        if variability <= Variability::Parameter || ty == Ty::External {
            self.store_binding(first, &value);
            return Ok(());
        }
        let mut values: Vec<ExprId> = Vec::new();
        value.scalars(&mut values);
        // The value of an input at the top is what it has unless it is given from outside.
        let input = |v: &Variable| v.causality == Causality::Input;
        if self.flat.vars.get(first).is_some_and(input) && !values.is_empty() {
            let fixed = values.iter().all(|&v| self.depends_on_parameters_only(v));
            for (k, &value) in values.iter().enumerate() {
                let var = &mut self.flat.vars[VarId::from_u32(first.as_u32() + k as u32)];
                if fixed {
                    var.start = Some(value);
                } else {
                    var.causality = Causality::Local;
                }
            }
            if fixed {
                return Ok(());
            }
        }
        for (k, rhs) in values.into_iter().enumerate() {
            let v = VarId::from_u32(first.as_u32() + k as u32);
            let lhs = self.flat.exprs.var(v, ty);
            self.push_equation(
                lhs,
                rhs,
                if b.expr.span.is_none() {
                    span
                } else {
                    b.expr.span
                },
                Origin::Binding,
            );
        }
        Ok(())
    }

    fn store_binding(&mut self, first: VarId, value: &Value) {
        let mut values = Vec::new();
        value.scalars(&mut values);
        for (k, s) in values.into_iter().enumerate() {
            let v = VarId::from_u32(first.as_u32() + k as u32);
            if let Some(var) = self.flat.vars.get_mut(v) {
                var.binding = Some(s);
            }
        }
    }

    /// `experiment(…)` of the model's annotation.
    pub fn experiment(&mut self, scope: ScopeId) {
        let def = self.tree.scopes[scope].class.def;
        let Some(annotation) = def.annotation.as_deref() else {
            return;
        };
        for a in &annotation.args {
            let ast::Argument::Modifier(m) = a else {
                continue;
            };
            if m.path[0].as_str() != "experiment" {
                continue;
            }
            let Some(inner) = &m.modification else {
                continue;
            };
            for a in &inner.args {
                let ast::Argument::Modifier(m) = a else {
                    continue;
                };
                let Some(e) = m.modification.as_ref().and_then(|x| x.value.as_ref()) else {
                    continue;
                };
                let env = Env::new(scope);
                let Ok(v) = self.eval_constant(e, &env) else {
                    continue;
                };
                let value = self.flat.exprs.as_f64(v);
                let x = &mut self.flat.experiment;
                match m.path[0].as_str() {
                    "StartTime" => x.start_time = value,
                    "StopTime" => x.stop_time = value,
                    "Tolerance" => x.tolerance = value,
                    "Interval" => x.interval = value,
                    _ => {}
                }
            }
        }
    }
}

fn element_is_stream(element: &ast::Element) -> bool {
    matches!(&element.kind, ast::ElementKind::Component(c) if c.prefixes.flow == Some(ast::FlowPrefix::Stream))
}

/// `annotation(name = true)`.
pub fn annotation_flag(args: &[ast::Argument], name: &str) -> bool {
    args.iter().any(|a| match a {
        ast::Argument::Modifier(m) => {
            m.path.len() == 1
                && m.path[0].as_str() == name
                && m.modification
                    .as_ref()
                    .and_then(|x| x.value.as_ref())
                    .is_some_and(|e| matches!(e.kind, ast::ExprKind::Bool(true)))
        }
        _ => false,
    })
}
