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

    /// The element in front of the last name of an import is a package.
    pub(crate) fn check_import_prefix(&mut self, name: &ast::Name) -> R<()> {
        if name.parts.len() < 2 {
            return Ok(());
        }
        let mut prefix = name.clone();
        prefix.parts.pop();
        let package = self.qualified(&prefix)?;
        self.check_import_package(package, name.span)
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
