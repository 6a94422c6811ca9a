//! New members of a class from their declarations, and redeclarations of inherited ones (section 7.3).

use std::rc::Rc;

use ferrica_ir::flat::{ConnectorRole, Variability};
use ferrica_ir::{Diagnostic, Symbol};
use ferrica_syntax::ast;

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
            && crate::checks::is_reserved(name)
        {
            return Err(Box::new(
                Diagnostic::error(
                    "E0219",
                    element.span,
                    format!("`{name}` is the name of a predefined type"),
                )
                .with_hint("choose another name"),
            ));
        }
        if let Some(r) = outer.redeclare.clone() {
            self.check_redeclaration(element, r.element);
            self.note_replacement(element, scope, r.element, r.scope);
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
                let mut class = ClassRef {
                    def,
                    id,
                    parent: Some(scope),
                    modifier: outer.clone(),
                    inherited: None,
                };
                if let Some(r) = outer.redeclare.clone() {
                    class = self.redeclared_class(&class, element, &r, &outer)?;
                }
                Ok(self.tree.elements.push(Element::Class(ClassElement {
                    name: def.name,
                    class,
                    scope: None,
                    protected: element.is_protected(),
                })))
            }
            ast::ElementKind::Component(decl) => {
                self.check_final(decl.name, &outer, element.prefixes.is_final);
                let mut component = self.fresh_component(scope, owner, element, decl, &outer);
                if let Some(r) = outer.redeclare.clone()
                    && let ast::ElementKind::Component(new) = &r.element.kind
                {
                    let constraint = match element.constrained_by.as_deref() {
                        Some(c) => Rc::new(Mod::from_ast(c.modification.as_ref(), scope)),
                        // Without a constraining clause the declaration is the constraint; its value
                        // fits if the type stays the same.
                        None => Rc::new(Mod {
                            binding: component
                                .modifier
                                .binding
                                .clone()
                                .filter(|_| new.type_name.last() == decl.type_name.last()),
                            entries: component.modifier.entries.clone(),
                            ..Mod::default()
                        }),
                    };
                    let without = Rc::new(Mod {
                        redeclare: None,
                        ..(*outer).clone()
                    });
                    let prefixes = component.decl.prefixes;
                    component = self.fresh_component(r.scope, owner, r.element, new, &without);
                    component.modifier = merge(&component.modifier, &constraint);
                    // Prefixes and dimensions are kept when the redeclaration does not repeat them.
                    component.inherit_prefixes(prefixes, element);
                    if new.subscripts.is_empty() && new.type_subscripts.is_empty() {
                        component.dims_from = Some((decl, scope));
                    }
                }
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

    fn redeclared_class(
        &mut self,
        original: &ClassRef<'a>,
        element: &'a ast::Element,
        r: &crate::modifier::Redeclare<'a>,
        outer: &Rc<Mod<'a>>,
    ) -> R<ClassRef<'a>> {
        let ast::ElementKind::Class(new) = &r.element.kind else {
            return error(
                "E0209",
                r.element.span,
                "a class cannot be redeclared as a component",
            );
        };
        let scope = original.parent.unwrap_or(r.scope);
        let constraint = match (element.constraint(), &original.def.body) {
            (Some(c), _) => Mod::from_ast(c.modification.as_ref(), scope),
            (None, ast::ClassBody::Short(short)) => {
                Mod::from_ast(short.modification.as_ref(), scope)
            }
            _ => Mod::default(),
        };
        let without = Rc::new(Mod {
            redeclare: None,
            ..(**outer).clone()
        });
        let id = None;
        // The redeclaration's own modifiers are inside its definition; the constraint's come last.
        let written = match &new.body {
            ast::ClassBody::Short(short) => Mod::from_ast(short.modification.as_ref(), r.scope),
            _ => Mod::default(),
        };
        let modifier = merge(&merge(&without, &Rc::new(written)), &Rc::new(constraint));
        Ok(ClassRef {
            def: new,
            id,
            parent: Some(r.scope),
            modifier,
            inherited: Some(Rc::new(original.clone())),
        })
    }

    /// Reports modifiers of what is final.
    pub fn check_final(&mut self, name: Symbol, m: &Mod<'a>, is_final: bool) {
        let written = m.binding.as_ref().is_some_and(|b| b.picks.is_empty());
        let conflict = m
            .conflict
            .or(if is_final && written { m.span } else { None });
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
        let modifier = merge(outer, &Rc::new(declared));
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
            conditional: true,
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
                let extended = matches!(&element.kind, ast::ElementKind::Class(def)
                    if matches!(&def.body, ast::ClassBody::Long(b) if b.class_extends.is_some()));
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
                let class_id = self.tree.scopes[scope]
                    .class
                    .id
                    .and_then(|c| self.lib.child(c, def.name))
                    .filter(|&c| std::ptr::eq(self.lib.def(c), def.as_ref()));
                let mut inherited = old_class.clone();
                inherited.modifier = Rc::new(Mod {
                    redeclare: None,
                    ..(*inherited.modifier).clone()
                });
                let mut new = ClassRef {
                    def,
                    id: class_id,
                    parent: Some(scope),
                    modifier: outer.clone(),
                    inherited: Some(Rc::new(inherited)),
                };
                if let Some(r) = outer.redeclare.clone() {
                    new = self.redeclared_class(&new, element, &r, &outer)?;
                }
                self.tree.elements[id] = Element::Class(ClassElement {
                    name,
                    class: new,
                    scope: None,
                    protected,
                });
            }
            (ast::ElementKind::Component(decl), Element::Component(old)) => {
                let prefixes = old.decl.prefixes;
                let (old_element, old_decl, old_scope) = (old.element, old.decl, old.scope);
                let old_modifier = old.modifier.clone();
                let mut new = self.fresh_component(scope, scope, element, decl, &outer);
                let inherited = Rc::new(Mod {
                    binding: None,
                    redeclare: None,
                    ..(*old_modifier).clone()
                });
                new.modifier = merge(&new.modifier, &inherited);
                new.inherit_prefixes(prefixes, old_element);
                if decl.subscripts.is_empty() && decl.type_subscripts.is_empty() {
                    new.dims_from = Some((old_decl, old_scope));
                }
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

impl Component<'_> {
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
