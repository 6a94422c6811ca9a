//! Visibility, imports and lookup in classes that are no packages (chapters 4.1 and 5).

use ferrica_ir::{Diagnostic, Span, Symbol};
use ferrica_syntax::ast;
use rustc_hash::FxHashSet;

use crate::flattener::{Flattener, R};
use crate::instance::{Element, ElementId, ScopeId};
use crate::lookup::Found;

impl<'a> Flattener<'a> {
    /// An element that a dotted name reaches from outside its class must be public.
    pub(crate) fn check_visible(&self, e: ElementId, span: Span) -> R<()> {
        let protected = match &self.tree.elements[e] {
            Element::Class(c) => c.protected,
            Element::Component(c) => c.protected,
        };
        if !protected {
            return Ok(());
        }
        let name = self.tree.name(e);
        Err(Box::new(
            Diagnostic::error(
                "E0220",
                span,
                format!("`{name}` is protected and can be used only inside its own class"),
            )
            .with_hint("make it public, or use a public element of the class"),
        ))
    }

    /// An element that is modified from outside is public. Of a protected variable that keeps its `value`, text books give the start value.
    pub(crate) fn check_modifiable(&mut self, e: ElementId, value: bool, span: Span) -> R<()> {
        let hidden = self.check_visible(e, span);
        if value || hidden.is_ok() || !self.is_of_a_type(e) {
            return hidden;
        }
        let text = format!(
            "`{}` is protected: other tools may refuse that its attributes are modified from outside",
            self.tree.name(e)
        );
        let warning = Diagnostic::warning("W0313", span, text)
            .with_hint("make it public, or give its class a parameter for the start value");
        self.report(Box::new(warning));
        Ok(())
    }

    /// Is the element a variable of a predefined type, or of one that is made of it?
    fn is_of_a_type(&mut self, e: ElementId) -> bool {
        let Some((scope, decl)) = self.tree.component(e).map(|c| (c.scope, c.decl)) else {
            return false;
        };
        match self.lookup_class(scope, &decl.type_name) {
            Ok(Found::Predefined(_)) => true,
            Ok(Found::Element(of)) => match &self.tree.elements[of] {
                Element::Class(c) => c.class.def.kind == ast::ClassKind::Type,
                Element::Component(_) => false,
            },
            _ => false,
        }
    }

    /// An `outer` component has the members of its own class, whatever the `inner` one has beside them.
    pub(crate) fn check_outer_member(&mut self, outer: ElementId, next: &ast::RefPart) -> R<()> {
        let Some(c) = self.tree.component(outer).filter(|c| c.outer) else {
            return Ok(());
        };
        let (scope, decl) = (c.scope, c.decl);
        if !self
            .outer_members
            .insert((std::ptr::from_ref(decl), next.name))
        {
            return Ok(());
        }
        let Ok(Found::Element(e)) = self.lookup_class(scope, &decl.type_name) else {
            return Ok(());
        };
        let Ok(class) = self.class_scope(e) else {
            return Ok(());
        };
        match self.member(class, next.name) {
            Ok(None) => Err(Box::new(self.unknown_member(class, next.name, next.span))),
            _ => Ok(()),
        }
    }

    /// A package whose constants are used is complete.
    pub(crate) fn check_not_partial(&self, package: ScopeId, next: ElementId, span: Span) -> R<()> {
        let def = self.tree.scopes[package].class.def;
        let used = self.tree.component(next).is_some();
        if !(used && def.partial && def.kind == ast::ClassKind::Package) {
            return Ok(());
        }
        let class = self.class_name(package);
        Err(Box::new(
            Diagnostic::error(
                "E0306",
                span,
                format!("the package `{class}` is partial: its constants cannot be used"),
            )
            .with_hint("use a package that extends it"),
        ))
    }

    pub(crate) fn check_imports(&mut self, def: &ast::ClassDef, body: &ast::LongBody) {
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        for e in &body.elements {
            let ast::ElementKind::Import(import) = &e.kind else {
                continue;
            };
            let names: Vec<Symbol> = match import {
                ast::Import::Qualified(n) => n.last().into_iter().collect(),
                ast::Import::Renamed { alias, .. } => vec![*alias],
                ast::Import::List { names, .. } => names.clone(),
                ast::Import::Unqualified(_) => Vec::new(),
            };
            for n in names {
                if !seen.insert(n) {
                    self.violation(
                        "E0221",
                        e.span,
                        format!("`{n}` is imported twice in `{}`", def.name),
                        "remove one import, or give it another name: `import x = A.B;`",
                    );
                }
            }
        }
    }

    /// What an import names must be in a package.
    pub(crate) fn check_import_package(&mut self, package: ElementId, span: Span) -> R<()> {
        let Element::Class(c) = &self.tree.elements[package] else {
            return Ok(());
        };
        let kind = c.class.def.kind;
        if kind == ast::ClassKind::Package {
            return Ok(());
        }
        let name = c.name;
        Err(Box::new(
            Diagnostic::error(
                "E0222",
                span,
                format!(
                    "only elements of packages can be imported, but `{name}` is a {}",
                    kind.keywords()
                ),
            )
            .with_hint("move the class into a package, or use its full name"),
        ))
    }

    /// A function that is called through components: behind the first class of its name there are only classes.
    pub(crate) fn check_function_path(&mut self, scope: ScopeId, name: &ast::Name) -> R<()> {
        if name.global || name.parts.len() < 4 {
            return Ok(());
        }
        let Ok(Some(Found::Element(mut at))) = self.lookup_simple(scope, name.parts[0]) else {
            return Ok(());
        };
        if self.tree.component(at).is_none() {
            return Ok(());
        }
        let mut class_seen = false;
        for &part in &name.parts[1..] {
            let inside = match self.tree.component(at).is_some() {
                true => self.component_scope(at)?,
                false => Some(self.class_scope(at)?),
            };
            let Some(inside) = inside else { return Ok(()) };
            let Some(next) = self.member(inside, part)? else {
                return Ok(());
            };
            at = next;
            let is_component = self.tree.component(at).is_some();
            if is_component && class_seen {
                return Err(Box::new(
                    Diagnostic::error(
                        "E0223",
                        name.span,
                        format!(
                            "`{name}` looks for a function in the component `{part}` of a class"
                        ),
                    )
                    .with_hint("name the class of the component instead"),
                ));
            }
            class_seen |= !is_component;
        }
        Ok(())
    }

    /// Through a component only functions can be looked up, to call them.
    pub(crate) fn check_class_path(&mut self, scope: ScopeId, name: &ast::Name) -> R<()> {
        if name.global || name.parts.len() < 2 {
            return Ok(());
        }
        let Ok(Some(Found::Element(e))) = self.lookup_simple(scope, name.parts[0]) else {
            return Ok(());
        };
        if self.tree.component(e).is_none() {
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(
                "E0223",
                name.span,
                format!(
                    "`{name}` looks for a class in the component `{}`",
                    name.parts[0]
                ),
            )
            .with_hint("name the class of the component instead"),
        ))
    }
}
