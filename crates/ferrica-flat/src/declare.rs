//! New members of a class from their declarations, and redeclarations of inherited ones (section 7.3).

use std::rc::Rc;

use ferrica_ir::flat::{ConnectorRole, Variability};
use ferrica_ir::{Diagnostic, Symbol};
use ferrica_syntax::ast;

use crate::checks::may_be_replaced;
use crate::flattener::{Flattener, R, error};
use crate::instance::{
    ClassElement, ClassRef, Component, Content, Element, ElementId, ScopeId, State,
};
use crate::modifier::{Mod, merge};

impl<'a> Flattener<'a> {
    /// Modifiers from outside for the declared element; a record's own value reaches its fields.
    pub fn outer_modifier(
        &self,
        class: &ClassRef<'a>,
        _def: &ast::ClassDef,
        name: Symbol,
        element: &ast::Element,
    ) -> Rc<Mod<'a>> {
        let m = &class.modifier;
        if m.is_empty() {
            return m.clone();
        }
        let is_component = matches!(element.kind, ast::ElementKind::Component(_));
        let found = if is_component {
            m.field(name)
        } else {
            m.get(name).cloned()
        };
        found.unwrap_or_default()
    }

    /// A new member from its declaration, with `outer` modifiers in force.
    pub fn declare(
        &mut self,
        scope: ScopeId,
        owner: ScopeId,
        element: &'a ast::Element,
        outer: Rc<Mod<'a>>,
    ) -> R<ElementId> {
        if let Some(name) = element.declared_name()
            && crate::checks::is_reserved(name, self.tree.scopes[scope].class.def.kind)
        {
            return Err(Box::new(
                Diagnostic::error(
                    "E0219",
                    element.span,
                    match name.as_str() {
                        "time" => "`time` is predefined and cannot be declared".to_string(),
                        _ => format!("`{name}` is the name of a predefined type"),
                    },
                )
                .with_hint("choose another name"),
            ));
        }
        if let Some(r) = outer.redeclare.clone() {
            self.check_redeclaration(element, r.element);
            self.note_replacement(element, scope, r.element, r.scope);
            let (mut new, mut new_scope) = (r.element, r.scope);
            for (old, old_scope) in r.over {
                // Without a constraining clause the constraint of the original declaration stays.
                if old.constraint().is_some() {
                    self.note_replacement(old, old_scope, new, new_scope);
                }
                (new, new_scope) = (old, old_scope);
            }
            if !std::ptr::eq(new, r.element) {
                self.note_replacement(element, scope, new, new_scope);
            }
        } else {
            self.note_default(element, scope);
        }
        match &element.kind {
            ast::ElementKind::Class(def) => {
                let id = self.tree.scopes[scope]
                    .class
                    .id
                    .and_then(|c| self.lib.child(c, def.name))
                    .filter(|&c| std::ptr::eq(self.lib.def(c), def.as_ref()));
                let clause = Mod::of_constraint(element.constraint(), scope);
                let mut class = ClassRef {
                    def,
                    id,
                    parent: Some(scope),
                    modifier: constrained(&outer, def, scope, &clause),
                    inherited: None,
                };
                // Without a constraining clause the declaration is the constraint.
                let constraint = match element.constraint() {
                    Some(_) => clause,
                    None => written_in(def, scope),
                };
                let constraint = match outer.redeclare.clone() {
                    Some(r) => {
                        let replaced = self.redeclared_class(&class, &constraint, &r, &outer)?;
                        class = replaced.0;
                        replaced.1
                    }
                    None => kept(&outer, &constraint, element),
                };
                Ok(self.tree.elements.push(Element::Class(ClassElement {
                    name: def.name,
                    class,
                    scope: None,
                    protected: element.is_protected(),
                    inner: element.prefixes.inner,
                    outer: element.prefixes.outer,
                    constraint,
                })))
            }
            ast::ElementKind::Component(decl) => {
                self.check_final(decl.name, &outer, element.prefixes.is_final);
                let mut component = self.new_component(scope, owner, element, decl, &outer, None);
                component.name = decl.name;
                Ok(self
                    .tree
                    .elements
                    .push(Element::Component(Box::new(component))))
            }
            _ => error(
                "E0208",
                element.span,
                "an import or extends clause declares no element",
            ),
        }
    }

    /// A component from its declaration, or from the redeclaration among the modifiers. A declaration that redeclares what is
    /// inherited stands for `replaced`.
    fn new_component(
        &self,
        scope: ScopeId,
        owner: ScopeId,
        element: &'a ast::Element,
        decl: &'a ast::Component,
        outer: &Rc<Mod<'a>>,
        replaced: Option<&Component<'a>>,
    ) -> Component<'a> {
        let of_declaration = |outer: &Rc<Mod<'a>>| {
            let mut new = self.fresh_component(scope, owner, element, decl, outer);
            match replaced {
                Some(old) => new.stand_for(old),
                // Without a constraining clause the declaration is the constraint.
                None if element.constrained_by.is_none() => {
                    new.constraint = kept(&Rc::default(), &new.modifier, element);
                }
                None => {}
            }
            new
        };
        let Some(r) = &outer.redeclare else {
            return of_declaration(outer);
        };
        let ast::ElementKind::Component(new) = &r.element.kind else {
            return of_declaration(outer);
        };
        let original = of_declaration(&Rc::default());
        let above = Rc::new(outer.without_redeclaration());
        let mut component = self.fresh_component(r.scope, owner, r.element, new, &above);
        component.modifier = merge(&component.modifier, &r.under);
        component.constraint = merge(&component.constraint, &r.under);
        component.stand_for(&original);
        component
    }

    /// The class that a redeclaration among the modifiers puts in the place of `original`, and what holds for whatever
    /// replaces that one; `constraint` is what holds for whatever replaces the original.
    fn redeclared_class(
        &mut self,
        original: &ClassRef<'a>,
        constraint: &Rc<Mod<'a>>,
        r: &crate::modifier::Redeclare<'a>,
        outer: &Rc<Mod<'a>>,
    ) -> R<(ClassRef<'a>, Rc<Mod<'a>>)> {
        let ast::ElementKind::Class(new) = &r.element.kind else {
            return error(
                "E0209",
                r.element.span,
                "a class cannot be redeclared as a component",
            );
        };
        let above = Rc::new(outer.without_redeclaration());
        let clause = Mod::of_constraint(r.element.constraint(), r.scope);
        let constraint = merge(&merge(&clause, &r.under), constraint);
        // The redeclaration's own modifiers are inside its definition; the constraints' come last.
        let written = merge(&above, &written_in(new, r.scope));
        let class = ClassRef {
            def: new,
            id: None,
            parent: Some(r.scope),
            modifier: merge(&written, &constraint),
            inherited: Some(Rc::new(original.clone())),
        };
        Ok((class, kept(&above, &constraint, r.element)))
    }

    /// Reports modifiers of what is final.
    pub fn check_final(&mut self, name: Symbol, m: &Mod<'a>, is_final: bool) {
        let written = m.binding.as_ref().is_some_and(|b| b.picks.is_empty());
        let conflict = m.conflict.or(m
            .span
            .filter(|_| is_final && (written || !m.entries.is_empty())));
        if let Some(span) = conflict {
            self.violation(
                "E0244",
                span,
                format!("`{name}` is final and cannot be modified"),
                "remove the modifier",
            );
        }
    }

    pub fn fresh_component(
        &self,
        scope: ScopeId,
        owner: ScopeId,
        element: &'a ast::Element,
        decl: &'a ast::Component,
        outer: &Rc<Mod<'a>>,
    ) -> Component<'a> {
        let mut declared = Mod::from_ast(decl.modification.as_ref(), scope);
        if let Some(b) = &mut declared.binding {
            b.declared = true;
        }
        let constraint = Mod::of_constraint(element.constrained_by.as_deref(), scope);
        let modifier = merge(outer, &merge(&Rc::new(declared), &constraint));
        let constraint = kept(outer, &constraint, element);
        let p = &element.prefixes;
        Component {
            name: decl.name,
            decl,
            element,
            scope,
            owner,
            is_final: p.is_final || outer.is_final,
            modifier,
            state: State::Fresh,
            content: Content::None,
            dims: Vec::new(),
            index_types: Vec::new(),
            variability: match decl.prefixes.variability {
                Some(ast::Variability::Constant) => Variability::Constant,
                Some(ast::Variability::Parameter) => Variability::Parameter,
                Some(ast::Variability::Discrete) => Variability::Discrete,
                None => Variability::Continuous,
            },
            causality: decl.prefixes.causality,
            role: match decl.prefixes.flow {
                Some(ast::FlowPrefix::Flow) => ConnectorRole::Flow,
                Some(ast::FlowPrefix::Stream) => ConnectorRole::Stream,
                None => ConnectorRole::None,
            },
            protected: p.visibility == ast::Visibility::Protected,
            inner: p.inner,
            outer: p.outer,
            attributes: Rc::default(),
            first_var: None,
            value: None,
            value_running: false,
            structural: false,
            evaluate: element
                .comment
                .annotation
                .as_ref()
                .is_some_and(|a| crate::variables::annotation_flag(&a.args, "Evaluate")),
            in_connector: false,
            class_name: decl.type_name.last().unwrap_or(decl.name),
            dims_from: None,
            forced_dims: None,
            condition: decl.condition.as_ref().map(|c| (c, scope)),
            kept_binding: None,
            constraint,
            overdetermined: None,
        }
    }

    /// `redeclare …` and `class extends` as elements of a derived class replace what was inherited.
    pub fn redeclare_inherited(
        &mut self,
        scope: ScopeId,
        class: &ClassRef<'a>,
        element: &'a ast::Element,
    ) -> R<()> {
        let Some(name) = element.declared_name() else {
            return Ok(());
        };
        let Some(&id) = self.tree.scopes[scope].members.get(&name) else {
            // The inherited class may live in a file of its own.
            if let Some(e) = self.member_of_bases(scope, name)? {
                self.tree.scopes[scope].members.insert(name, e);
                return self.redeclare_inherited(scope, class, element);
            }
            return error(
                "E0207",
                element.span,
                format!("there is no inherited element `{name}` to redeclare"),
            );
        };
        let outer = self.outer_modifier(class, class.def, name, element);
        match &self.tree.elements[id] {
            Element::Class(c) => {
                let (protected, is_final) = (c.protected, c.class.def.prefixes.is_final);
                let replaceable = c.class.def.prefixes.replaceable;
                self.check_same_visibility(name, protected, element);
                // `redeclare model extends X` of a class that is not replaceable is common in published
                // models: what it adds is compatible by construction.
                let extended = element.prefixes.redeclare
                    && matches!(&element.kind, ast::ElementKind::Class(def) if extends_inherited(def));
                if is_final || (!replaceable && !extended) {
                    let what = if is_final { "final" } else { "not replaceable" };
                    self.violation(
                        "E0240",
                        element.span,
                        format!("`{name}` is {what} and cannot be redeclared"),
                        "declare the inherited class as `replaceable`",
                    );
                }
            }
            Element::Component(c) => {
                let (protected, old) = (c.protected, c.element);
                self.check_same_visibility(name, protected, element);
                self.check_redeclaration(old, element);
                let scope_of_old = c_scope(&self.tree.elements[id], scope);
                self.note_replacement(old, scope_of_old, element, scope);
            }
        }
        match (&element.kind, &self.tree.elements[id]) {
            (ast::ElementKind::Class(def), Element::Class(old)) => {
                let old_class = old.class.clone();
                let protected = old.protected_or(element);
                let (inner, outer_class) = (
                    old.inner || element.prefixes.inner,
                    old.outer || element.prefixes.outer,
                );
                let class_id = self.tree.scopes[scope]
                    .class
                    .id
                    .and_then(|c| self.lib.child(c, def.name))
                    .filter(|&c| std::ptr::eq(self.lib.def(c), def.as_ref()));
                let mut inherited = old_class.clone();
                inherited.modifier = Rc::new(inherited.modifier.without_redeclaration());
                let clause = Mod::of_constraint(element.constraint(), scope);
                let constraint = merge(&clause, &old.constraint);
                // `class extends` inherits the modifiers with the class, further inside than its own.
                let under = if extends_inherited(def) {
                    &clause
                } else {
                    &constraint
                };
                let mut new = ClassRef {
                    def,
                    id: class_id,
                    parent: Some(scope),
                    modifier: constrained(&outer, def, scope, under),
                    inherited: Some(Rc::new(inherited)),
                };
                let constraint = match outer.redeclare.clone() {
                    Some(r) => {
                        let replaced = self.redeclared_class(&new, &constraint, &r, &outer)?;
                        new = replaced.0;
                        replaced.1
                    }
                    None => kept(&outer, &constraint, element),
                };
                self.tree.elements[id] = Element::Class(ClassElement {
                    name,
                    class: new,
                    scope: None,
                    protected,
                    inner,
                    outer: outer_class,
                    constraint,
                });
            }
            (ast::ElementKind::Component(decl), Element::Component(old)) => {
                let new = self.new_component(scope, scope, element, decl, &outer, Some(old));
                self.tree.elements[id] = Element::Component(Box::new(new));
            }
            _ => {
                return error(
                    "E0209",
                    element.span,
                    format!("`{name}` cannot change between class and component"),
                );
            }
        }
        Ok(())
    }

    fn member_of_bases(&mut self, scope: ScopeId, name: Symbol) -> R<Option<ElementId>> {
        for k in 0..self.tree.scopes[scope].bases.len() {
            let base = self.tree.scopes[scope].bases[k];
            if let Some(e) = self.member(base, name)? {
                return Ok(Some(e));
            }
        }
        Ok(None)
    }
}

/// Modifiers of a class from outside, then those of its own definition, then those of its constraint.
fn constrained<'a>(
    outer: &Rc<Mod<'a>>,
    def: &'a ast::ClassDef,
    scope: ScopeId,
    constraint: &Rc<Mod<'a>>,
) -> Rc<Mod<'a>> {
    if constraint.is_empty() {
        return outer.clone();
    }
    merge(&merge(outer, &written_in(def, scope)), constraint)
}

/// What holds for whatever replaces an element: the modifiers from outside, over those of its constraint.
fn kept<'a>(outer: &Rc<Mod<'a>>, constraint: &Rc<Mod<'a>>, element: &ast::Element) -> Rc<Mod<'a>> {
    match may_be_replaced(element) {
        true => merge(&Rc::new(outer.without_redeclaration()), constraint),
        false => Rc::default(),
    }
}

/// Is it `redeclare model extends M …`?
fn extends_inherited(def: &ast::ClassDef) -> bool {
    matches!(&def.body, ast::ClassBody::Long(b) if b.class_extends.is_some())
}

/// The modifiers in a short class definition.
fn written_in<'a>(def: &'a ast::ClassDef, scope: ScopeId) -> Rc<Mod<'a>> {
    match &def.body {
        ast::ClassBody::Short(short) => Rc::new(Mod::from_ast(short.modification.as_ref(), scope)),
        _ => Rc::default(),
    }
}

fn c_scope(e: &Element<'_>, otherwise: ScopeId) -> ScopeId {
    match e {
        Element::Component(c) => c.scope,
        Element::Class(_) => otherwise,
    }
}

impl ClassElement<'_> {
    fn protected_or(&self, element: &ast::Element) -> bool {
        self.protected || element.is_protected()
    }
}

impl<'a> Component<'a> {
    /// A redeclaration keeps what it does not say: modifiers, value, condition, dimensions and prefixes of the
    /// original declaration.
    fn stand_for(&mut self, original: &Component<'a>) {
        let attributes = Rc::new(Mod {
            binding: None,
            broken: false,
            ..(*original.constraint).clone()
        });
        if self.modifier.binding.is_none() && !self.modifier.broken {
            self.kept_binding = (original.constraint.binding.clone())
                .map(|b| (b, original.decl.type_name.last()))
                .or_else(|| original.kept_binding.clone());
        }
        self.modifier = merge(&self.modifier, &attributes);
        self.constraint = merge(&self.constraint, &original.constraint);
        self.inherit_prefixes(original.decl.prefixes, original.element);
        if self.condition.is_none() {
            self.condition = original.condition;
        }
        if self.dims_from.is_none()
            && self.decl.subscripts.is_empty()
            && self.decl.type_subscripts.is_empty()
        {
            self.dims_from = original.dims_from.or(Some((original.decl, original.scope)));
        }
    }

    fn inherit_prefixes(&mut self, old: ast::TypePrefixes, element: &ast::Element) {
        if self.decl.prefixes.variability.is_none() {
            self.variability = match old.variability {
                Some(ast::Variability::Constant) => Variability::Constant,
                Some(ast::Variability::Parameter) => Variability::Parameter,
                Some(ast::Variability::Discrete) => Variability::Discrete,
                None => self.variability,
            };
        }
        self.causality = self.causality.or(old.causality);
        if self.role == ConnectorRole::None {
            self.role = match old.flow {
                Some(ast::FlowPrefix::Flow) => ConnectorRole::Flow,
                Some(ast::FlowPrefix::Stream) => ConnectorRole::Stream,
                None => ConnectorRole::None,
            };
        }
        let p = &element.prefixes;
        self.inner |= p.inner;
        self.outer |= p.outer;
        self.protected |= p.visibility == ast::Visibility::Protected;
    }
}
