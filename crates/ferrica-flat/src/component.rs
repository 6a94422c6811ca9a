//! Components made ready: condition, type, dimensions, prefixes, one scope per array element, and
//! the scalar variables of predefined types.

use std::rc::Rc;

use ferrica_ir::flat::{ConnectorRole, Variability};
use ferrica_ir::{Diagnostic, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::family::Family;
use crate::flattener::{Flattener, R, error};
use crate::instance::{ClassRef, Content, Element, ElementId, ScopeId, State, path_of_element};
use crate::lookup::{Found, not_a_class};
use crate::modifier::merge;

impl<'a> Flattener<'a> {
    /// The inner component that an outer one stands for; others stand for themselves.
    pub fn actual(&mut self, id: ElementId) -> R<ElementId> {
        let mut id = id;
        loop {
            self.ready(id)?;
            match self.tree.component(id).map(|c| &c.content) {
                Some(Content::Outer(inner)) => id = *inner,
                _ => return Ok(id),
            }
        }
    }

    /// `inner outer` declares two components of one name: the class that holds it means the outer one, its components
    /// find the inner one.
    ///
    /// An `outer` class stands for the inner one around the instance.
    pub fn seen_from_inside(&mut self, id: ElementId) -> R<ElementId> {
        if let Element::Class(c) = &self.tree.elements[id] {
            return match c.class.parent {
                Some(scope) if c.outer => Ok(self.find_inner_class(id, scope)),
                _ => Ok(id),
            };
        }
        let Some(c) = self.tree.component(id).filter(|c| c.inner && c.outer) else {
            return Ok(id);
        };
        let is_output = c.causality == Some(ast::Causality::Output);
        let owner = self.most_derived(c.owner);
        if is_output && self.is_state(owner) {
            Ok(id)
        } else if self.in_model(owner) {
            self.find_inner(id, owner)
        } else {
            Ok(id)
        }
    }

    /// The class scope of a scalar component that is not of a predefined type.
    pub fn component_scope(&mut self, id: ElementId) -> R<Option<ScopeId>> {
        let id = self.actual(id)?;
        Ok(match self.tree.component(id).map(|c| &c.content) {
            Some(Content::Class(scopes)) => scopes.first().copied(),
            Some(Content::Family(family)) => Some(family.first),
            _ => None,
        })
    }

    pub fn ready(&mut self, id: ElementId) -> R<()> {
        let Some(c) = self.tree.component(id) else {
            return Ok(());
        };
        match c.state {
            State::Ready | State::Absent => return Ok(()),
            State::Running => {
                return error(
                    "E0304",
                    c.span(),
                    format!("the type or size of `{}` depends on itself", c.name),
                );
            }
            State::Fresh => {}
        }
        self.set_state(id, State::Running);
        let result = self.make_ready(id);
        match result {
            Ok(state) => self.set_state(id, state),
            Err(_) => self.set_state(id, State::Fresh),
        }
        result.map(|_| ())
    }

    fn set_state(&mut self, id: ElementId, state: State) {
        if let Some(c) = self.tree.component_mut(id) {
            c.state = state;
        }
    }

    fn make_ready(&mut self, id: ElementId) -> R<State> {
        let Some(c) = self.tree.component(id) else {
            return Ok(State::Ready);
        };
        let (decl, scope, owner, name) = (c.decl, c.scope, c.owner, c.name);
        let (is_outer, is_inner, dims_from) = (c.outer, c.inner, c.dims_from);
        let is_output = c.causality == Some(ast::Causality::Output);
        let owner_instance = self.most_derived(owner);
        if let Some((condition, scope)) = c.condition {
            let env = Env::new(scope);
            let value = self.eval_constant(condition, &env)?;
            match self.flat.exprs.as_bool(value) {
                Some(true) => {}
                Some(false) => return Ok(State::Absent),
                None => {
                    return error(
                        "E0305",
                        condition.span,
                        format!(
                            "the condition of `{name}` must be a Boolean known at compile time"
                        ),
                    );
                }
            }
        }
        if is_outer && !is_inner && self.in_model(owner_instance) {
            let inner = self.find_inner(id, owner_instance)?;
            self.check_outer(id);
            self.check_inner_type(id, inner);
            if is_output && self.is_output_of_state(owner_instance, inner) {
                self.machines.outputs.push((id, inner));
            } else {
                if let Some(c) = self.tree.component_mut(id) {
                    c.content = Content::Outer(inner);
                }
                return Ok(State::Ready);
            }
        }
        if is_outer && is_inner && is_output && self.is_state(owner_instance) {
            let inner = self.find_inner(id, owner_instance)?;
            self.machines.outputs.push((id, inner));
        }
        // Type.
        self.check_class_path(scope, &decl.type_name)?;
        let found = self.lookup_class(scope, &decl.type_name)?;
        let (class, type_scope) = match found {
            Found::Predefined(ty) => {
                self.keep_binding(id, true);
                let m = self
                    .tree
                    .component(id)
                    .map(|c| c.modifier.clone())
                    .unwrap_or_default();
                self.fill_scalar(
                    id,
                    ty,
                    m,
                    &[],
                    Default::default(),
                    dims_from.unwrap_or((decl, scope)),
                )?;
                return Ok(State::Ready);
            }
            Found::Element(e) => {
                let s = self.class_scope(e)?;
                let Element::Class(ce) = &self.tree.elements[e] else {
                    return error(
                        "E0203",
                        decl.type_name.span,
                        format!("`{}` is not a class", decl.type_name),
                    );
                };
                (ce.class.clone(), s)
            }
            Found::Literal(..) => return not_a_class(&decl.type_name),
        };
        self.expand(type_scope)?;
        let ts = &self.tree.scopes[type_scope];
        let (prefixes, type_dims) = (ts.prefixes, ts.type_dims.clone());
        let is_predefined = ts.builtin.is_some();
        self.keep_binding(id, is_predefined);
        let modifier = self
            .tree
            .component(id)
            .map(|c| c.modifier.clone())
            .unwrap_or_default();
        let builtin = self.tree.scopes[type_scope].builtin;
        let external = builtin == Some(Ty::External);
        if builtin.is_none() {
            self.check_has_instances(id, type_scope);
            self.check_prefixes(id, type_scope);
            self.check_flow_record(id, type_scope);
        }
        if let Some(ty) = builtin {
            let attributes = merge(&modifier, &self.tree.scopes[type_scope].attributes.clone());
            let is_connector = class.def.kind.is_connector();
            let equality = self.names.equality_constraint;
            if self.tree.scopes[type_scope].members.contains_key(&equality)
                && let Some(c) = self.tree.component_mut(id)
            {
                c.overdetermined = Some(type_scope);
            }
            if external && let Some(c) = self.tree.component_mut(id) {
                c.class_name = class.def.name;
            }
            self.fill_scalar(
                id,
                ty,
                attributes,
                &type_dims,
                prefixes,
                dims_from.unwrap_or((decl, scope)),
            )?;
            if is_connector && let Some(c) = self.tree.component_mut(id) {
                c.in_connector = true;
            }
            return Ok(State::Ready);
        }
        if self.is_partial(type_scope)
            && self.in_model(owner)
            && class.def.kind != ast::ClassKind::Connector
            && !is_outer
        {
            let full = self.class_name(type_scope);
            return Err(Box::new(
                Diagnostic::error(
                    "E0306",
                    decl.type_name.span,
                    format!("`{name}` is of the partial class `{full}`, which is not meant to be instantiated"),
                )
                .with_hint("use a complete class, or redeclare the component"),
            ));
        }
        if self.contains_itself(class.def, owner_instance) {
            return error(
                "E0304",
                decl.type_name.span,
                format!("`{name}` is of a class that contains itself without end"),
            );
        }
        // Dimensions.
        let (dims_decl, dims_scope) = dims_from.unwrap_or((decl, scope));
        let dims = self.dimensions(id, dims_decl, dims_scope, &type_dims)?;
        self.inherit_from_owner(id, owner_instance, prefixes);
        let count: usize = dims.iter().product();
        let rank = dims.len() as u32;
        let base_path = self.tree.scopes[owner_instance].path.clone();
        let mut scopes = Vec::with_capacity(count);
        let modifier_names: Vec<_> = modifier
            .entries
            .iter()
            .map(|e| {
                let m = &e.modifier;
                let value = m.binding.is_some() || m.redeclare.is_some() || m.broken;
                (e.name, m.span, value)
            })
            .collect();
        let of_element = |k: usize| {
            let m = if rank == 0 {
                modifier.clone()
            } else {
                modifier.element(k as u32, rank)
            };
            merge(&m, &class.modifier)
        };
        // Modifiers that pick nothing are the same for all elements.
        let common = (rank == 0 || !modifier.picks_elements()).then(|| of_element(0));
        // The elements of a type with dimensions pick theirs from its modifiers.
        let is_family = type_dims.is_empty()
            && rank > 0
            && count > 1
            && self.may_be_family(id, owner_instance, &class, &modifier, &dims);
        for k in 0..if is_family { 1 } else { count } {
            let element_class = ClassRef {
                modifier: common.clone().unwrap_or_else(|| of_element(k)),
                ..class.clone()
            };
            let path = path_of_element(&base_path, name.as_str(), &dims, k).into();
            let s = self.new_scope(element_class, path);
            self.tree.scopes[s].owner = Some((id, k as u32));
            scopes.push(s);
        }
        let scopes: Rc<[ScopeId]> = scopes.into();
        if let Some(c) = self.tree.component_mut(id) {
            c.dims = dims;
            c.content = match scopes[..] {
                [first] if is_family => Content::Family(Family {
                    first,
                    count: count as u32,
                    numbers: None,
                }),
                _ => Content::Class(scopes.clone()),
            };
        }
        if let Some(&first) = scopes.first() {
            self.expand(first)?;
            for (n, span, value) in modifier_names {
                let span = span.unwrap_or(decl.name_span);
                self.check_modifier_target(first, n, span)?;
                if let Some(m) = self.member(first, n)? {
                    self.check_modifiable(m, value, span)?;
                }
            }
        }
        Ok(State::Ready)
    }

    /// The value of the original declaration holds for a redeclaration without one: for predefined types, and for
    /// records of the same class.
    fn keep_binding(&mut self, id: ElementId, predefined: bool) {
        let Some(c) = self.tree.component_mut(id) else {
            return;
        };
        if let Some((binding, type_name)) = c.kept_binding.take()
            && (predefined || c.decl.type_name.last() == type_name)
        {
            Rc::make_mut(&mut c.modifier).binding = Some(binding);
        }
    }

    /// Prefixes that a component gets from its type and from the component around it.
    fn inherit_from_owner(
        &mut self,
        id: ElementId,
        owner_instance: ScopeId,
        prefixes: ast::TypePrefixes,
    ) {
        let owner = &self.tree.scopes[owner_instance];
        let owner_is_connector = owner.class.def.kind.is_connector();
        let around = owner
            .owner
            .and_then(|(e, _)| self.tree.component(e))
            .map(|o| {
                (
                    o.variability,
                    o.causality,
                    o.role,
                    o.in_connector,
                    owner.class.def.kind.is_record(),
                )
            });
        let Some(c) = self.tree.component_mut(id) else {
            return;
        };
        if let Some((variability, causality, role, in_connector, record)) = around {
            c.variability = c.variability.min(variability);
            if record || owner_is_connector {
                c.causality = c.causality.or(causality);
            }
            if (record || owner_is_connector)
                && c.role == ConnectorRole::None
                && matches!(role, ConnectorRole::Flow | ConnectorRole::Stream)
            {
                c.role = role;
            }
            c.in_connector = owner_is_connector || (record && in_connector);
        } else {
            c.in_connector = owner_is_connector;
        }
        c.causality = c.causality.or(prefixes.causality);
        if c.role == ConnectorRole::None {
            c.role = match prefixes.flow {
                Some(ast::FlowPrefix::Flow) => ConnectorRole::Flow,
                Some(ast::FlowPrefix::Stream) => ConnectorRole::Stream,
                None => ConnectorRole::None,
            };
        }
        let from_type = match prefixes.variability {
            Some(ast::Variability::Constant) => Variability::Constant,
            Some(ast::Variability::Parameter) => Variability::Parameter,
            Some(ast::Variability::Discrete) => Variability::Discrete,
            None => Variability::Continuous,
        };
        c.variability = c.variability.min(from_type);
    }

    fn fill_scalar(
        &mut self,
        id: ElementId,
        ty: Ty,
        attributes: Rc<crate::modifier::Mod<'a>>,
        type_dims: &[(&'a ast::Subscript, ScopeId)],
        prefixes: ast::TypePrefixes,
        dims_decl: (&'a ast::Component, ScopeId),
    ) -> R<()> {
        let owner = self.tree.component(id).map(|c| c.owner);
        if let Some(owner) = owner {
            let owner = self.most_derived(owner);
            self.inherit_from_owner(id, owner, prefixes);
        }
        if let Some(c) = self.tree.component_mut(id) {
            c.content = Content::Scalar(ty);
            c.attributes = attributes;
            if ty.is_discrete() && c.variability == Variability::Continuous {
                c.variability = Variability::Discrete;
            }
        }
        self.check_flow_type(id, ty);
        let entries = self.tree.component(id).map(|c| c.attributes.clone());
        for e in entries.iter().flat_map(|m| &m.entries) {
            self.check_final(e.name, &e.modifier, false);
        }
        let dims = self.dimensions(id, dims_decl.0, dims_decl.1, type_dims)?;
        if let Some(c) = self.tree.component_mut(id) {
            c.dims = dims;
        }
        Ok(())
    }

    /// Dimensions: those of the declaration, then those of the type; `:` is taken from the binding.
    fn dimensions(
        &mut self,
        id: ElementId,
        decl: &'a ast::Component,
        scope: ScopeId,
        type_dims: &[(&'a ast::Subscript, ScopeId)],
    ) -> R<Vec<usize>> {
        if let Some(forced) = self.tree.component(id).and_then(|c| c.forced_dims.clone()) {
            return Ok(forced);
        }
        let mut list: Vec<(&'a ast::Subscript, ScopeId)> = decl
            .subscripts
            .iter()
            .chain(&decl.type_subscripts)
            .map(|s| (s, scope))
            .collect();
        list.extend_from_slice(type_dims);
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let mut dims = Vec::with_capacity(list.len());
        let mut index_types = Vec::new();
        let mut from_binding: Option<Vec<usize>> = None;
        for (k, (subscript, scope)) in list.iter().enumerate() {
            if let Some(c) = self.tree.component_mut(id) {
                c.dims.clone_from(&dims);
            }
            match subscript {
                ast::Subscript::Colon(span) => {
                    if from_binding.is_none() {
                        from_binding = Some(self.binding_dims(id)?.unwrap_or_default());
                    }
                    match from_binding.as_ref().and_then(|d| d.get(k)) {
                        Some(&d) => dims.push(d),
                        None => {
                            let name = decl.name;
                            return Err(Box::new(
                                Diagnostic::error(
                                    "E0307",
                                    *span,
                                    format!(
                                        "the size of dimension {} of `{name}` is not known",
                                        k + 1
                                    ),
                                )
                                .with_hint("give the component a value, or a size instead of `:`"),
                            ));
                        }
                    }
                }
                ast::Subscript::Expr(e) => {
                    let env = Env::new(*scope);
                    let (size, index_type) = self.eval_dimension_and_type(e, &env)?;
                    dims.push(size);
                    index_types.extend(index_type.map(|ty| (k, ty)));
                }
            }
        }
        if let Some(c) = self.tree.component_mut(id) {
            c.index_types = index_types;
        }
        let n = crate::limits::elements(&dims, decl.name_span)?;
        self.room_for(n, decl.name_span)?;
        Ok(dims)
    }

    /// Sizes of the value a component is bound to.
    fn binding_dims(&mut self, id: ElementId) -> R<Option<Vec<usize>>> {
        let Some(c) = self.tree.component(id) else {
            return Ok(None);
        };
        let modifier = c.modifier.clone();
        if let Some(b) = &modifier.binding {
            let value = self.eval_binding(b, false)?;
            return Ok(Some(value.dims().to_vec()));
        }
        // A record array may get its size from a modifier of one of its fields; an array of a
        // predefined type from its start value.
        for e in &modifier.entries {
            if let Some(b) = &e.modifier.binding
                && !b.each
            {
                let value = self.eval_binding(b, false)?;
                if !value.dims().is_empty() {
                    return Ok(Some(value.dims().to_vec()));
                }
            }
        }
        Ok(None)
    }

    /// The size given by a dimension: an Integer, `Boolean`, or an enumeration type.
    pub fn eval_dimension(&mut self, e: &'a ast::Expr, env: &Env) -> R<usize> {
        self.eval_dimension_and_type(e, env).map(|(size, _)| size)
    }

    /// The size of a dimension, and the type of its subscripts if that is not Integer.
    fn eval_dimension_and_type(&mut self, e: &'a ast::Expr, env: &Env) -> R<(usize, Option<Ty>)> {
        if let ast::ExprKind::Ref(r) = &e.kind
            && r.parts.iter().all(|p| p.subscripts.is_empty())
            && let Some((size, ty)) = self.type_dimension(r, env)?
        {
            return Ok((size, Some(ty)));
        }
        let value = self.eval_constant(e, env)?;
        match self.flat.exprs.as_int(value) {
            Some(n) if n >= 0 && n <= u32::MAX as i64 => Ok((n as usize, None)),
            Some(n) => error(
                "E0308",
                e.span,
                format!("an array cannot have the size {n}"),
            ),
            None => error(
                "E0308",
                e.span,
                "a size must be an Integer known at compile time",
            ),
        }
    }

    /// Size of a dimension that is given by `Boolean` or an enumeration type.
    pub fn type_dimension(&mut self, r: &ast::ComponentRef, env: &Env) -> R<Option<(usize, Ty)>> {
        if r.parts.len() == 1 && env.has_local(r.parts[0].name) {
            return Ok(None);
        }
        let name = ast::Name {
            global: r.global,
            parts: r.parts.iter().map(|p| p.name).collect(),
            span: r.span,
        };
        let ty = match self.lookup_class(env.scope, &name) {
            Ok(Found::Predefined(ty)) => Some(ty),
            Ok(Found::Element(e)) if matches!(self.tree.elements[e], Element::Class(_)) => {
                let s = self.class_scope(e)?;
                self.expand(s)?;
                self.tree.scopes[s].builtin
            }
            _ => None,
        };
        Ok(match ty {
            Some(Ty::Boolean) => Some((2, Ty::Boolean)),
            Some(Ty::Enum(id)) => Some((self.flat.enums[id].literals.len(), Ty::Enum(id))),
            _ => None,
        })
    }

    /// The nearest `inner` class of the same name around the instance that `scope` belongs to.
    fn find_inner_class(&mut self, id: ElementId, scope: ScopeId) -> ElementId {
        let instance = self.most_derived(scope);
        if !self.in_model(instance) {
            return id;
        }
        let name = self.tree.name(id);
        if let Element::Class(c) = &self.tree.elements[id] {
            self.check_outer_class(c.class.def);
        }
        let inner = self.around(instance).find(|&s| {
            let found = self.tree.scopes[s].members.get(&name);
            found.is_some_and(|&e| {
                e != id && matches!(&self.tree.elements[e], Element::Class(c) if c.inner)
            })
        });
        match inner {
            Some(s) => self.tree.scopes[s].members[&name],
            None => {
                let Element::Class(c) = &self.tree.elements[id] else {
                    return id;
                };
                let span = c.class.def.name_span;
                let text =
                    format!("no `inner` class `{name}` was found; its own definition is used");
                let hint = format!("declare an `inner` class `{name}` around it");
                let d = Diagnostic::warning("W0301", span, text).with_hint(hint);
                self.report(Box::new(d));
                id
            }
        }
    }

    /// The instance and those around it, from the inside to the outside.
    pub(crate) fn around(&self, instance: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(instance), |&s| {
            let (e, _) = self.tree.scopes[s].owner?;
            let owner = self.tree.component(e)?.owner;
            Some(self.most_derived(owner))
        })
    }

    /// The nearest `inner` component of the same name around an instance.
    fn find_inner(&mut self, id: ElementId, instance: ScopeId) -> R<ElementId> {
        let Some(c) = self.tree.component(id) else {
            return Ok(id);
        };
        let (name, span, element, decl, decl_scope) =
            (c.name, c.span(), c.element, c.decl, c.scope);
        let inner = self.around(instance).find_map(|s| {
            let e = *self.tree.scopes[s].members.get(&name)?;
            (e != id && self.tree.component(e)?.inner).then_some(e)
        });
        if let Some(e) = inner {
            return Ok(e);
        }
        // No inner declaration: one is made at the top of the model, with a warning.
        let Some(model) = self.model else {
            return error(
                "E0309",
                span,
                format!("`outer {name}` has no matching `inner {name}`"),
            );
        };
        // By its full name, so that the hint can be written anywhere.
        let type_name = match self.lookup_class(decl_scope, &decl.type_name) {
            Ok(Found::Element(e)) => match &self.tree.elements[e] {
                Element::Class(c) => c.class.id.map(|id| self.lib.full_name(id)),
                Element::Component(_) => None,
            },
            _ => None,
        };
        let type_name = type_name.unwrap_or_else(|| decl.type_name.to_string());
        let mut made = self.fresh_component(decl_scope, model, element, decl, &Rc::default());
        made.inner = true;
        made.outer = false;
        let e = self.tree.elements.push(Element::Component(Box::new(made)));
        // There while it is made: what is inside of it may be `outer` of the same name.
        let before = self.tree.scopes[model].members.insert(name, e);
        if let Err(d) = self.ready(e) {
            let members = &mut self.tree.scopes[model].members;
            match before {
                Some(b) => members.insert(name, b),
                None => members.remove(&name),
            };
            return Err(Box::new(
                Diagnostic::error(
                    "E0309",
                    span,
                    format!(
                        "`outer {name}` has no matching `inner {name}` around it: {}",
                        d.message
                    ),
                )
                .with_hint(format!("add `inner {type_name} {name};` to the model")),
            ));
        }
        self.tree.scopes[model].order.push(e);
        self.diagnostics.push(
            Diagnostic::warning(
                "W0301",
                span,
                format!(
                    "no `inner {name}` was found; a default one was added at the top of the model"
                ),
            )
            .with_hint(format!(
                "add `inner {type_name} {name};` to the model to say so"
            )),
        );
        Ok(e)
    }
}
