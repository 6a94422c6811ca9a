//! Name lookup (chapter 5): members, imports, enclosing scopes, the libraries.

use std::rc::Rc;

use ferrica_ir::{Diagnostic, EnumId, Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::flattener::{Flattener, R, error};
use crate::foreign_names::{foreign, renamed};
use crate::instance::{ClassElement, ClassRef, Element, ElementId, Expansion, ScopeId};

/// What a name means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    Element(ElementId),
    Predefined(Ty),
    /// A literal of an enumeration, by its number from 1: an import may name one.
    Literal(EnumId, u32),
}

/// Predefined functions that `Modelica.Math` has, too.
const ELEMENTARY: [&str; 13] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log",
    "log10",
];

impl<'a> Flattener<'a> {
    /// A member of a scope, inherited ones included. While the scope is being expanded only what is
    /// there already is seen.
    pub fn member(&mut self, scope: ScopeId, name: Symbol) -> R<Option<ElementId>> {
        self.expand(scope)?;
        if let Some(&e) = self.tree.scopes[scope].members.get(&name) {
            return Ok(Some(e));
        }
        if let Some(id) = self.tree.scopes[scope].class.id
            && let Some(child) = self.lib.child(id, name)
        {
            let class = ClassRef {
                def: self.lib.def(child),
                id: Some(child),
                parent: Some(scope),
                modifier: self.tree.scopes[scope]
                    .class
                    .modifier
                    .get(name)
                    .cloned()
                    .unwrap_or_default(),
                inherited: None,
            };
            let e = self.tree.elements.push(Element::Class(ClassElement {
                name,
                class,
                scope: None,
                protected: false,
                inner: false,
                outer: false,
                constraint: Rc::default(),
            }));
            self.tree.scopes[scope].members.insert(name, e);
            return Ok(Some(e));
        }
        for k in 0..self.tree.scopes[scope].bases.len() {
            let base = self.tree.scopes[scope].bases[k];
            if let Some(e) = self.member(base, name)? {
                self.tree.scopes[scope].members.insert(name, e);
                return Ok(Some(e));
            }
        }
        Ok(None)
    }

    pub fn root(&mut self, name: Symbol) -> Option<ElementId> {
        if let Some(&e) = self.roots.get(&name) {
            return Some(e);
        }
        let id = self.lib.root_class(name)?;
        let class = ClassRef {
            def: self.lib.def(id),
            id: Some(id),
            parent: None,
            modifier: Rc::default(),
            inherited: None,
        };
        let e = self.tree.elements.push(Element::Class(ClassElement {
            name,
            class,
            scope: None,
            protected: false,
            inner: false,
            outer: false,
            constraint: Rc::default(),
        }));
        self.roots.insert(name, e);
        Some(e)
    }

    /// First identifier of a name: members and imports of the scope and of the enclosing ones.
    pub fn lookup_simple(&mut self, scope: ScopeId, name: Symbol) -> R<Option<Found>> {
        let mut at = Some(scope);
        while let Some(s) = at {
            if let Some(e) = self.member(s, name)? {
                return Ok(Some(Found::Element(self.seen_from_inside(e)?)));
            }
            if let Some(found) = self.imported(s, name)? {
                return Ok(Some(found));
            }
            let class = &self.tree.scopes[s].class;
            at = if class.def.encapsulated {
                None
            } else {
                class.parent
            };
        }
        if let Some(ty) = self.predefined(name) {
            return Ok(Some(Found::Predefined(ty)));
        }
        if let Some(e) = self.root(name) {
            return Ok(Some(Found::Element(e)));
        }
        Ok(self.elementary(name)?.map(Found::Element))
    }

    /// An elementary function as a class: `function f = sin` and `integrate(sin, 0, 1)` name what the library has under the same name.
    fn elementary(&mut self, name: Symbol) -> R<Option<ElementId>> {
        if !ELEMENTARY.contains(&name.as_str()) {
            return Ok(None);
        }
        let Some(library) = self.root("Modelica".into()) else {
            return Ok(None);
        };
        let scope = self.class_scope(library)?;
        let Some(math) = self.member(scope, "Math".into())? else {
            return Ok(None);
        };
        let scope = self.class_scope(math)?;
        self.member(scope, name)
    }

    /// A member or import of this scope alone.
    pub fn member_or_import(&mut self, scope: ScopeId, name: Symbol) -> R<Option<ElementId>> {
        match self.member(scope, name)? {
            Some(e) => Ok(Some(e)),
            None => Ok(match self.imported(scope, name)? {
                Some(Found::Element(e)) => Some(e),
                _ => None,
            }),
        }
    }

    fn imported(&mut self, scope: ScopeId, name: Symbol) -> R<Option<Found>> {
        if let Some(&cached) = self.import_cache.get(&(scope, name)) {
            return Ok(cached);
        }
        // An import that needs itself finds nothing.
        self.import_cache.insert((scope, name), None);
        let result = self.find_import(scope, name);
        match &result {
            Ok(found) => self.import_cache.insert((scope, name), *found),
            Err(_) => self.import_cache.remove(&(scope, name)),
        };
        result
    }

    fn find_import(&mut self, scope: ScopeId, name: Symbol) -> R<Option<Found>> {
        let def = self.tree.scopes[scope].class.def;
        let mut found = None;
        let mut wildcard = None;
        for element in def.elements() {
            let ast::ElementKind::Import(import) = &element.kind else {
                continue;
            };
            match import {
                ast::Import::Qualified(n) if n.last() == Some(name) => {
                    found = Some(self.import_target(n)?);
                    break;
                }
                ast::Import::Renamed { alias, name: n } if *alias == name => {
                    found = Some(self.import_target(n)?);
                    break;
                }
                ast::Import::List { package, names } if names.contains(&name) => {
                    let p = self.qualified(package)?;
                    found = self.literal_of(p, name)?;
                    if found.is_none() {
                        self.check_import_package(p, package.span)?;
                        let s = self.class_scope(p)?;
                        found = self.member(s, name)?.map(Found::Element);
                    }
                    break;
                }
                ast::Import::Unqualified(package) => {
                    let p = self.qualified(package)?;
                    self.check_import_package(p, package.span)?;
                    let s = self.class_scope(p)?;
                    if self.tree.scopes[s].expansion != Expansion::Running {
                        let hit = self.member(s, name)?;
                        let hit = hit.filter(|&e| self.check_visible(e, package.span).is_ok());
                        if let (Some(a), Some(b)) = (wildcard, hit)
                            && a != b
                        {
                            return error(
                                "E0221",
                                package.span,
                                format!("`{name}` is imported from more than one package"),
                            );
                        }
                        wildcard = wildcard.or(hit);
                    }
                }
                _ => {}
            }
        }
        Ok(found.or(wildcard.map(Found::Element)))
    }

    /// What a qualified import names. The specification has only members of packages there; of the literals of an enumeration
    /// there is no doubt what is meant, and text books have them.
    pub(crate) fn import_target(&mut self, name: &ast::Name) -> R<Found> {
        let Some((&last, front)) = name.parts.split_last().filter(|(_, f)| !f.is_empty()) else {
            return self.qualified(name).map(Found::Element);
        };
        let mut prefix = name.clone();
        prefix.parts = front.to_vec();
        let package = self.qualified(&prefix)?;
        if let Some(literal) = self.literal_of(package, last)? {
            return Ok(literal);
        }
        self.check_import_package(package, name.span)?;
        self.qualified(name).map(Found::Element)
    }

    /// The literal of that name, if the class is an enumeration that has it.
    fn literal_of(&mut self, class: ElementId, name: Symbol) -> R<Option<Found>> {
        let kind = |e: &Element<'_>| match e {
            Element::Class(c) => Some(c.class.def.kind),
            Element::Component(_) => None,
        };
        if kind(&self.tree.elements[class]) != Some(ast::ClassKind::Type) {
            return Ok(None);
        }
        let scope = self.class_scope(class)?;
        self.expand(scope)?;
        let Some(Ty::Enum(id)) = self.tree.scopes[scope].builtin else {
            return Ok(None);
        };
        let literals = &self.flat.enums[id].literals;
        let at = literals.iter().position(|l| l == name.as_str());
        Ok(at.map(|k| Found::Literal(id, k as u32 + 1)))
    }

    /// A fully qualified name, from the top level.
    pub(crate) fn qualified(&mut self, name: &ast::Name) -> R<ElementId> {
        let Some(&first) = name.parts.first() else {
            return error("E0201", name.span, "empty name in an import");
        };
        let Some(mut e) = self.root(first) else {
            return Err(Box::new(self.unknown_root(first, name.span)));
        };
        for &part in &name.parts[1..] {
            let scope = self.class_scope(e)?;
            match self.member(scope, part)? {
                Some(next) => {
                    self.check_visible(next, name.span)?;
                    e = next;
                }
                None => return Err(Box::new(self.unknown_member(scope, part, name.span))),
            }
        }
        Ok(e)
    }

    /// A class name as it stands in a declaration, an extends clause or an import.
    pub fn lookup_class(&mut self, scope: ScopeId, name: &ast::Name) -> R<Found> {
        if name.global {
            if let [only] = name.parts.as_slice()
                && let Some(ty) = self.predefined(*only)
            {
                return Ok(Found::Predefined(ty));
            }
            return self.qualified(name).map(Found::Element);
        }
        let Some(&first) = name.parts.first() else {
            return error("E0201", name.span, "a class name is missing");
        };
        let Some(found) = self.lookup_simple(scope, first)? else {
            let mut d = self.unknown_class(scope, first, name.span);
            if name.parts.len() > 1 {
                d.code = "E0201";
                d.message = format!("there is no library or class `{first}` for `{name}`");
                let near = closest(first, &self.lib.root_names());
                d.hint = Some(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!(
                        "give the folder that holds the library `{first}` with --lib DIR, or set MODELICAPATH"
                    ),
                });
            }
            return Err(Box::new(d));
        };
        if let Found::Literal(..) = found {
            return not_a_class(name);
        }
        self.lookup_rest(found, &name.parts[1..], name.span)
    }

    fn lookup_rest(&mut self, found: Found, rest: &[Symbol], span: Span) -> R<Found> {
        let mut found = found;
        for &part in rest {
            let Found::Element(e) = found else {
                return error(
                    "E0202",
                    span,
                    format!("a predefined type has no member `{part}`"),
                );
            };
            let scope = match &self.tree.elements[e] {
                Element::Class(_) => self.class_scope(e)?,
                // A class may be looked up inside a component (for example a medium of a volume).
                Element::Component(c) if !c.decl.subscripts.is_empty() || c.condition.is_some() => {
                    return error(
                        "E0223",
                        span,
                        format!("`{part}` is looked up in an array or a conditional component"),
                    );
                }
                Element::Component(_) => match self.component_scope(e)? {
                    Some(s) => s,
                    None => {
                        return error(
                            "E0202",
                            span,
                            format!("`{part}` is looked up in something that is not a class"),
                        );
                    }
                },
            };
            match self.member(scope, part)? {
                Some(next) => {
                    self.check_visible(next, span)?;
                    found = Found::Element(next);
                }
                None => return Err(Box::new(self.unknown_member(scope, part, span))),
            }
        }
        Ok(found)
    }

    /// The class of an element as a scope of its own: a package, a type or a function.
    pub fn class_scope(&mut self, element: ElementId) -> R<ScopeId> {
        match &mut self.tree.elements[element] {
            Element::Class(c) => {
                if let Some(s) = c.scope {
                    return Ok(s);
                }
                let class = c.class.clone();
                let s = self.new_scope(class, "".into());
                if let Element::Class(c) = &mut self.tree.elements[element] {
                    c.scope = Some(s);
                }
                Ok(s)
            }
            Element::Component(c) => {
                let (span, name) = (c.span(), c.name);
                error(
                    "E0203",
                    span,
                    format!("`{name}` is a component, but a class is needed here"),
                )
            }
        }
    }

    pub fn unknown_root(&self, name: Symbol, span: Span) -> Diagnostic {
        Diagnostic::error(
            "E0201",
            span,
            format!("there is no library or class `{name}`"),
        )
        .with_hint("give the folder of the library with --lib DIR, or set MODELICAPATH")
    }

    pub fn unknown_name(&mut self, scope: ScopeId, name: Symbol, span: Span) -> Diagnostic {
        self.unknown(scope, name, span, |_| true)
    }

    fn unknown_class(&mut self, scope: ScopeId, name: Symbol, span: Span) -> Diagnostic {
        self.unknown(scope, name, span, |e| matches!(e, Element::Class(_)))
    }

    fn unknown(
        &mut self,
        scope: ScopeId,
        name: Symbol,
        span: Span,
        wanted: impl Fn(&Element<'a>) -> bool,
    ) -> Diagnostic {
        if self.incomplete.contains(&self.most_derived(scope)) {
            return Diagnostic::error(crate::report::FOLLOWS, span, "in an incomplete class");
        }
        let mut names: Vec<Symbol> = Vec::new();
        let mut at = Some(scope);
        while let Some(s) = at {
            names.extend(
                self.tree.scopes[s]
                    .members
                    .iter()
                    .filter(|&(_, &e)| wanted(&self.tree.elements[e]))
                    .map(|(&n, _)| n),
            );
            at = self.tree.scopes[s].class.parent;
        }
        let class = self.class_name(scope);
        let d = Diagnostic::error(
            "E0201",
            span,
            format!("`{name}` is not declared in `{class}` or around it"),
        );
        let predefined = ["Real", "Integer", "Boolean", "String"];
        names.extend(predefined.map(Symbol::intern));
        let near = closest(name, &names);
        let same = |n: &Symbol| n.as_str().eq_ignore_ascii_case(name.as_str());
        match (near, foreign(name.as_str())) {
            (near, Some(hint)) if !near.as_ref().is_some_and(same) => d.with_hint(hint),
            (Some(near), _) => d.with_hint(format!("did you mean `{near}`?")),
            _ if span.is_none() => d,
            _ => d.with_hint("declare it, import it, or give its library with --lib DIR"),
        }
    }

    pub fn unknown_member(&mut self, scope: ScopeId, name: Symbol, span: Span) -> Diagnostic {
        if self.incomplete.contains(&self.most_derived(scope)) {
            return Diagnostic::error(crate::report::FOLLOWS, span, "in an incomplete class");
        }
        let mut names: Vec<Symbol> = self.tree.scopes[scope].members.keys().copied().collect();
        if let Some(id) = self.tree.scopes[scope].class.id {
            names.extend(
                self.lib
                    .children(id)
                    .into_iter()
                    .map(|c| self.lib.def(c).name),
            );
        }
        let class = self.class_name(scope);
        let d = Diagnostic::error("E0202", span, format!("`{class}` has no member `{name}`"));
        if let Some(hint) = renamed(&class, name.as_str()) {
            return d.with_hint(hint);
        }
        match closest(name, &names) {
            Some(near) => d.with_hint(format!("did you mean `{near}`?")),
            // The classes of the built-in library have all members of the standard ones; its packages have not all classes.
            None if self.is_package(scope) && self.is_built_in(scope) => d.with_hint(
                "the built-in library does not have it; --lib DIR takes the Modelica Standard Library instead",
            ),
            None => match self.modifiable(scope) {
                Some(list) => d.with_hint(list),
                None => d,
            },
        }
    }

    fn is_package(&self, scope: ScopeId) -> bool {
        self.tree.scopes[scope].class.def.kind == ast::ClassKind::Package
    }

    /// Whether a class is part of the library in the binary.
    fn is_built_in(&self, scope: ScopeId) -> bool {
        let file = self.tree.scopes[scope].class.def.name_span.file;
        let source = self.lib.sources().get(file);
        source.is_some_and(|s| s.name.starts_with("<built-in>/"))
    }

    /// The names that a modifier of a class can have, as a hint.
    pub fn modifiable(&self, scope: ScopeId) -> Option<String> {
        const SHOWN: usize = 10;
        let names: Vec<&str> = self.tree.scopes[scope]
            .order
            .iter()
            .filter_map(|&e| self.tree.component(e))
            .filter(|c| !c.protected && !c.is_final)
            .map(|c| c.name.as_str())
            .take(SHOWN + 1)
            .collect();
        let more = if names.len() > SHOWN { ", …" } else { "" };
        let list = names[..names.len().min(SHOWN)].join("`, `");
        (!list.is_empty()).then(|| format!("it has `{list}`{more}"))
    }
}

/// A literal stands where a class is needed.
pub fn not_a_class<T>(name: &ast::Name) -> R<T> {
    error(
        "E0203",
        name.span,
        format!("`{name}` is the literal of an enumeration, but a class is needed here"),
    )
}

/// The most similar name, if one is near enough to be a slip.
pub fn closest(name: Symbol, names: &[Symbol]) -> Option<Symbol> {
    let near = ferrica_ir::similar::closest(name.as_str(), names.iter().map(|n| n.as_str()));
    near.map(Symbol::intern)
}
