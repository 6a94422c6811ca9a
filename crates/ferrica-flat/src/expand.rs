//! Expansion of a class into its table of members: own declarations, inherited ones, modifiers and
//! redeclarations handed down (chapters 4, 6 and 7).

use std::rc::Rc;

use ferrica_ir::flat::EnumType;
use ferrica_ir::{Diagnostic, EnumId, Symbol, Ty};
use ferrica_syntax::ast;

use crate::flattener::{Flattener, R, error};
use crate::instance::{ClassRef, Element, ElementId, Expansion, ScopeId};
use crate::lookup::{Found, not_a_class};
use crate::modifier::{Mod, merge};

/// Limit of nested base classes; deeper ones are cyclic inheritance in disguise.
const MAX_INHERITANCE: u32 = 200;

impl<'a> Flattener<'a> {
    pub fn expand(&mut self, scope: ScopeId) -> R<()> {
        match self.tree.scopes[scope].expansion {
            Expansion::Done | Expansion::Running => Ok(()),
            Expansion::No => {
                self.tree.scopes[scope].expansion = Expansion::Running;
                let result = self.expand_class(scope);
                self.tree.scopes[scope].expansion = Expansion::Done;
                if result.is_ok() {
                    self.check_class(scope);
                }
                result
            }
        }
    }

    fn expand_class(&mut self, scope: ScopeId) -> R<()> {
        let class = self.tree.scopes[scope].class.clone();
        let def = class.def;
        match &def.body {
            ast::ClassBody::Long(body) => self.expand_long(scope, &class, body),
            ast::ClassBody::Short(short) => {
                let Some(parent) = class.parent else {
                    // A short class at the top level: its base is looked up among the libraries.
                    return self.inherit_short(scope, &class, short, scope);
                };
                self.inherit_short(scope, &class, short, parent)
            }
            ast::ClassBody::Enumeration(literals) => {
                let id = self.enumeration(def, &class, literals);
                self.tree.scopes[scope].builtin = Some(Ty::Enum(id));
                self.tree.scopes[scope].attributes = class.modifier.clone();
                Ok(())
            }
            ast::ClassBody::UnspecifiedEnumeration => Ok(()),
            ast::ClassBody::Der(_) => Ok(()),
        }
    }

    fn enumeration(
        &mut self,
        def: &'a ast::ClassDef,
        class: &ClassRef<'a>,
        literals: &[ast::EnumLiteral],
    ) -> EnumId {
        let key = std::ptr::from_ref(def);
        if let Some(&id) = self.enums.get(&key) {
            return id;
        }
        let name = match class.id {
            Some(id) => self.lib.full_name(id),
            None => def.name.to_string(),
        };
        // Enumerations with the same literals in the same order are one type: libraries repeat those of others.
        let literals: Vec<String> = literals.iter().map(|l| l.name.to_string()).collect();
        let same = (self.flat.enums.iter()).find(|(_, e)| e.literals == literals);
        let id = match same {
            Some((id, _)) => id,
            None => self.flat.enums.push(EnumType { name, literals }),
        };
        self.enums.insert(key, id);
        id
    }

    fn inherit_short(
        &mut self,
        scope: ScopeId,
        class: &ClassRef<'a>,
        short: &'a ast::ShortBody,
        lookup: ScopeId,
    ) -> R<()> {
        let mut written = Mod::from_ast(short.modification.as_ref(), lookup);
        let sized = !short.subscripts.is_empty();
        if sized {
            written.set_of_type();
        }
        let mut written = Rc::new(written);
        if sized && let Some((k, rank)) = self.element_of_type(scope) {
            written = written.element(k, rank);
        }
        self.tree.scopes[scope].prefixes = short.prefixes;
        let dims: Vec<_> = short.subscripts.iter().map(|s| (s, lookup)).collect();
        self.tree.scopes[scope].type_dims = dims;
        self.check_class_path(lookup, &short.base)?;
        let found = self.lookup_class(lookup, &short.base)?;
        self.inherit(scope, class, found, &written, &short.base, &[], 0)
    }

    /// For `model A3 = A[3](p = {1, 2, 3})` as the type of a component: which element of the type's dimensions the
    /// scope is, and how many dimensions these are.
    fn element_of_type(&self, scope: ScopeId) -> Option<(u32, u32)> {
        let instance = self.most_derived(scope);
        let (owner, k) = self.tree.scopes[instance].owner?;
        let c = self.tree.component(owner)?;
        let (decl, _) = c.dims_from.unwrap_or((c.decl, c.scope));
        let declared = decl.subscripts.len() + decl.type_subscripts.len();
        let outside: usize = std::iter::successors(self.tree.scopes[scope].derived, |&s| {
            self.tree.scopes[s].derived
        })
        .map(|s| self.tree.scopes[s].type_dims.len())
        .sum();
        let own = c.dims.get(declared + outside..)?;
        let count: usize = own.iter().product();
        Some((k % count.max(1) as u32, own.len() as u32))
    }

    /// Adds a base class and takes over its members.
    fn inherit(
        &mut self,
        scope: ScopeId,
        class: &ClassRef<'a>,
        found: Found,
        written: &Rc<Mod<'a>>,
        name: &ast::Name,
        breaks: &'a [ast::Deselection],
        at: usize,
    ) -> R<()> {
        let modifier = merge(&class.modifier, written);
        let base_element = match found {
            Found::Predefined(ty) => {
                self.check_base_kind(class.def, None, name.span);
                let s = &mut self.tree.scopes[scope];
                s.builtin = Some(ty);
                s.attributes = modifier;
                return Ok(());
            }
            Found::Element(e) => e,
            Found::Literal(..) => return not_a_class(name),
        };
        let mut base_class = match &self.tree.elements[base_element] {
            Element::Class(c) => c.class.clone(),
            Element::Component(_) => {
                return error(
                    "E0203",
                    name.span,
                    format!("`{name}` is a component, but a class is needed here"),
                );
            }
        };
        self.check_base_kind(class.def, Some(base_class.def), name.span);
        self.inherit_class(scope, &mut base_class, modifier, written, name, breaks, at)
    }

    fn inherit_class(
        &mut self,
        scope: ScopeId,
        base_class: &mut ClassRef<'a>,
        modifier: Rc<Mod<'a>>,
        written: &Rc<Mod<'a>>,
        name: &ast::Name,
        breaks: &'a [ast::Deselection],
        at: usize,
    ) -> R<()> {
        base_class.modifier = merge(&modifier, &base_class.modifier);
        let (owner, path) = (
            self.tree.scopes[scope].owner,
            self.tree.scopes[scope].path.clone(),
        );
        let mut depth = 0;
        let mut up = Some(scope);
        while let Some(u) = up {
            let same = std::ptr::eq(self.tree.scopes[u].class.def, base_class.def)
                && self.tree.scopes[u].class.parent == base_class.parent;
            depth += 1;
            if same {
                return error("E0204", name.span, format!("`{name}` inherits from itself"));
            }
            if depth > MAX_INHERITANCE {
                return error(
                    "E0204",
                    name.span,
                    format!("more than {MAX_INHERITANCE} classes inherit one from the other"),
                );
            }
            up = self.tree.scopes[u].derived;
        }
        let base = self.new_scope(base_class.clone(), path);
        self.tree.scopes[base].owner = owner;
        self.tree.scopes[base].derived = Some(scope);
        self.tree.scopes[base].extended_at = name.span;
        for b in breaks {
            let at = &mut self.tree.scopes[base];
            match &b.kind {
                ast::DeselectionKind::Connection(a, b) => at.deselected.push((a, b)),
                ast::DeselectionKind::Component(n) => at.dropped.push(*n),
            }
        }
        self.tree.scopes[scope].bases.push(base);
        self.expand(base)?;
        // What the base is made of.
        let b = &self.tree.scopes[base];
        let (builtin, attributes) = (b.builtin, b.attributes.clone());
        let (dims, prefixes) = (b.type_dims.clone(), b.prefixes);
        let order = b.order.clone();
        let s = &mut self.tree.scopes[scope];
        if builtin.is_some() {
            s.builtin = builtin;
            s.attributes = attributes;
        }
        s.type_dims.extend(dims);
        s.prefixes.flow = s.prefixes.flow.or(prefixes.flow);
        s.prefixes.causality = s.prefixes.causality.or(prefixes.causality);
        s.prefixes.variability = s.prefixes.variability.or(prefixes.variability);
        self.check_deselections(base, breaks);
        let mut insert_at = at;
        for e in order {
            let member = self.tree.name(e);
            if self.tree.scopes[base].dropped.contains(&member) {
                self.tree.scopes[base].members.remove(&member);
                self.tree.scopes[base].order.retain(|&o| o != e);
                continue;
            }
            let s = &mut self.tree.scopes[scope];
            match s.members.entry(member) {
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(e);
                    let place = insert_at.min(s.order.len());
                    s.order.insert(place, e);
                    insert_at += 1;
                }
                // Inherited twice: both base classes mean the same element.
                std::collections::hash_map::Entry::Occupied(slot) => {
                    let first = *slot.get();
                    self.check_same_element(first, e, name.span);
                    self.replace_member(base, member, first);
                }
            }
        }
        // A modifier must name something that the base class has.
        if self.tree.scopes[base].builtin.is_none() {
            for entry in &written.entries {
                self.check_modifier_target(
                    base,
                    entry.name,
                    entry.modifier.span.unwrap_or(name.span),
                )?;
            }
        }
        Ok(())
    }

    /// What `break` takes away must be there.
    fn check_deselections(&mut self, base: ScopeId, breaks: &[ast::Deselection]) {
        for b in breaks {
            let missing = match &b.kind {
                ast::DeselectionKind::Component(n) => match self.tree.scopes[base].members.get(n) {
                    Some(&e) if self.tree.component(e).is_some() => None,
                    Some(_) => Some(format!("a class `{n}`, but no such component")),
                    None => Some(format!("no element `{n}`")),
                },
                ast::DeselectionKind::Connection(x, y) => {
                    (!self.has_connection(base, x, y)).then(|| format!("no `connect({x}, {y})`"))
                }
            };
            if let Some(what) = missing {
                let class = self.class_name(base);
                self.violation(
                    "E0205",
                    b.span,
                    format!("`{class}` has {what} to leave out"),
                    "remove the `break`, or name something that the class has",
                );
            }
        }
    }

    fn has_connection(&self, scope: ScopeId, a: &ast::ComponentRef, b: &ast::ComponentRef) -> bool {
        let s = &self.tree.scopes[scope];
        let own = s.class.def.long();
        own.is_some_and(|body| crate::connect::writes_connection(&body.equations, a, b))
            || s.bases.iter().any(|&base| self.has_connection(base, a, b))
    }

    fn replace_member(&mut self, scope: ScopeId, name: Symbol, with: ElementId) {
        let s = &mut self.tree.scopes[scope];
        if let Some(old) = s.members.insert(name, with) {
            for o in &mut s.order {
                if *o == old {
                    *o = with;
                }
            }
        }
        for k in 0..self.tree.scopes[scope].bases.len() {
            let b = self.tree.scopes[scope].bases[k];
            if self.tree.scopes[b].members.contains_key(&name) {
                self.replace_member(b, name, with);
            }
        }
    }

    /// Reports a modifier of something that does not exist.
    pub fn check_modifier_target(
        &mut self,
        scope: ScopeId,
        name: Symbol,
        span: ferrica_ir::Span,
    ) -> R<()> {
        if self.member(scope, name)?.is_none() {
            if self.incomplete.contains(&self.most_derived(scope)) {
                return error(crate::report::FOLLOWS, span, "of an incomplete class");
            }
            let class = self.class_name(scope);
            let names: Vec<Symbol> = self.tree.scopes[scope].members.keys().copied().collect();
            let mut d = Diagnostic::error(
                "E0205",
                span,
                format!("`{class}` has no element `{name}` to modify"),
            );
            if let Some(hint) = crate::foreign_names::renamed(&class, name.as_str()) {
                d = d.with_hint(hint);
            } else if let Some(near) = crate::lookup::closest(name, &names) {
                d = d.with_hint(format!("did you mean `{near}`?"));
            } else if let Some(hint) = self.modifiable(scope) {
                d = d.with_hint(hint);
            }
            return Err(Box::new(d));
        }
        Ok(())
    }

    fn expand_long(
        &mut self,
        scope: ScopeId,
        class: &ClassRef<'a>,
        body: &'a ast::LongBody,
    ) -> R<()> {
        let def = class.def;
        let mut redeclared = Vec::new();
        // Own declarations first, so that extends clauses can use local classes.
        let mut order_before_extends = Vec::new();
        let mut extends = Vec::new();
        for element in &body.elements {
            match &element.kind {
                ast::ElementKind::Import(_) => {}
                ast::ElementKind::Extends(e) => {
                    let at = self.tree.scopes[scope].order.len();
                    extends.push((e.as_ref(), at, element.is_protected()));
                }
                // The connection that brings it says its size.
                ast::ElementKind::Component(c)
                    if def.kind == ast::ClassKind::ExpandableConnector && is_open(c) => {}
                _ if element.prefixes.redeclare => {
                    redeclared.push(element);
                    order_before_extends.push(element);
                }
                ast::ElementKind::Class(c)
                    if c.long().is_some_and(|l| l.class_extends.is_some()) =>
                {
                    redeclared.push(element);
                }
                _ => {
                    let Some(name) = element.declared_name() else {
                        continue;
                    };
                    let outer = self.outer_modifier(class, def, name, element);
                    let id = self.declare(scope, scope, element, outer)?;
                    let s = &mut self.tree.scopes[scope];
                    if s.members.insert(name, id).is_none() {
                        s.order.push(id);
                    } else {
                        let text = format!("`{name}` is declared twice in `{}`", def.name);
                        let d = Diagnostic::error("E0206", element.span, text);
                        if !self.in_model(scope) {
                            return Err(Box::new(d));
                        }
                        self.report(Box::new(d));
                    }
                }
            }
        }
        if body.class_extends.is_some() {
            let Some(inherited) = class.inherited.clone() else {
                return error(
                    "E0207",
                    def.name_span,
                    format!("there is no inherited class `{}` to extend", def.name),
                );
            };
            let written = Rc::new(Mod::from_ast(body.class_extends.as_ref(), scope));
            let modifier = merge(&class.modifier, &written);
            let name = ast::Name {
                global: false,
                parts: vec![def.name],
                span: def.name_span,
            };
            let mut base = (*inherited).clone();
            self.inherit_class(scope, &mut base, modifier, &written, &name, &[], 0)?;
        }
        let mut shift = 0;
        for (e, at, protected) in extends {
            let before = self.tree.scopes[scope].order.len();
            self.check_base_not_inherited(scope, &e.name);
            let found = match self.lookup_class(scope, &e.name) {
                Ok(found) => found,
                // The rest of the model is still worth looking at.
                Err(d) if self.in_model(scope) => {
                    self.report(d);
                    let instance = self.most_derived(scope);
                    self.incomplete.insert(instance);
                    continue;
                }
                Err(d) => return Err(d),
            };
            let written = Rc::new(Mod::from_ast(e.modification.as_ref(), scope));
            self.inherit(
                scope,
                class,
                found,
                &written,
                &e.name,
                &e.breaks,
                at + shift,
            )?;
            shift += self.tree.scopes[scope].order.len() - before;
            if protected && let Some(&base) = self.tree.scopes[scope].bases.last() {
                for m in self.tree.scopes[base].order.clone() {
                    match &mut self.tree.elements[m] {
                        Element::Class(c) => c.protected = true,
                        Element::Component(c) => c.protected = true,
                    }
                }
            }
        }
        for element in redeclared {
            self.redeclare_inherited(scope, class, element)?;
        }
        Ok(())
    }
}

/// Has an array a dimension whose size nothing in its declaration says?
fn is_open(c: &ast::Component) -> bool {
    let open = c
        .subscripts
        .iter()
        .any(|s| matches!(s, ast::Subscript::Colon(_)));
    open && c.modification.as_ref().is_none_or(|m| m.value.is_none())
}
