//! What may be redeclared, and by what (chapters 6 and 7.3).

use std::borrow::Cow;

use ferrica_ir::{Diagnostic, Span, Symbol};
use ferrica_syntax::ast;
use ferrica_syntax::lexer::lex;
use ferrica_syntax::token::TokenKind;

use crate::flattener::Flattener;
use crate::instance::{Component, Element, ElementId, ScopeId};
use crate::lookup::Found;
use crate::modifier::Mod;

/// A class that stands for another one: both by name, looked up after the model is built.
pub struct Replacement<'a> {
    pub name: Symbol,
    pub new: (Cow<'a, ast::Name>, ScopeId),
    pub constraint: (&'a ast::Name, ScopeId),
    pub span: Span,
}

impl<'a> Flattener<'a> {
    /// The element may be redeclared at all.
    pub(crate) fn check_redeclaration(&mut self, old: &'a ast::Element, new: &'a ast::Element) {
        let Some(name) = old.declared_name() else {
            return;
        };
        if old.prefixes.is_final {
            self.violation(
                "E0240",
                new.span,
                format!("`{name}` is final and cannot be redeclared"),
                "remove the redeclaration",
            );
        } else if !old.prefixes.replaceable
            && !old.prefixes.redeclare
            && !gives_open_sizes(old, new)
        {
            // What was redeclared before is taken as replaceable: published models do so.
            self.report(Box::new(
                Diagnostic::error(
                    "E0240",
                    new.span,
                    format!("`{name}` is not replaceable and cannot be redeclared"),
                )
                .with_related(old.span, "declared here")
                .with_hint("declare it as `replaceable` there, or modify it without `redeclare`"),
            ));
        }
        if let ast::ElementKind::Component(c) = &new.kind
            && let Some(condition) = &c.condition
        {
            self.violation(
                "E0240",
                condition.span,
                format!("the redeclaration of `{name}` has a condition, but it keeps that of its declaration"),
                "remove the condition, or write it where the element is declared",
            );
        }
        if let (ast::ElementKind::Component(a), ast::ElementKind::Component(b)) =
            (&old.kind, &new.kind)
            && a.prefixes.variability == Some(ast::Variability::Constant)
            && b.prefixes.variability != Some(ast::Variability::Constant)
        {
            self.violation(
                "E0241",
                new.span,
                format!("the constant `{name}` is redeclared as something that is not constant"),
                "write `redeclare constant …`",
            );
        }
    }

    /// An element redeclared in a derived class is as visible as it was.
    pub(crate) fn check_same_visibility(&mut self, name: Symbol, old: bool, new: &ast::Element) {
        if old != new.is_protected() {
            self.violation(
                "E0242",
                new.span,
                format!("the redeclaration of `{name}` changes whether it is protected"),
                "put it into a section of the same visibility",
            );
        }
    }

    /// Remembers a replacement to be compared once all classes are known.
    pub(crate) fn note_replacement(
        &mut self,
        old: &'a ast::Element,
        old_scope: ScopeId,
        new: &'a ast::Element,
        new_scope: ScopeId,
    ) {
        let Some(name) = old.declared_name() else {
            return;
        };
        let (Some(constraint), Some(type_name)) = (constraint_name(old), type_name(new)) else {
            return;
        };
        // What may come in its place must fit as well.
        let next = new.constraint().map(|c| &c.name);
        for new_name in [Some(type_name), next].into_iter().flatten() {
            self.replacements.push(Replacement {
                name,
                new: (Cow::Borrowed(new_name), new_scope),
                constraint: (constraint, old_scope),
                span: new.span,
            });
        }
    }

    /// The default of a replaceable element fits its own constraint.
    pub(crate) fn note_default(&mut self, element: &'a ast::Element, scope: ScopeId) {
        if let (Some(c), Some(name)) = (element.constraint(), element.declared_name()) {
            let new = match type_name(element) {
                Some(type_name) => Cow::Borrowed(type_name),
                // A class that is written out is known by its own name.
                None => Cow::Owned(ast::Name {
                    global: false,
                    parts: vec![name],
                    span: element.span,
                }),
            };
            self.replacements.push(Replacement {
                name,
                new: (new, scope),
                constraint: (&c.name, scope),
                span: element.span,
            });
        }
    }

    pub(crate) fn check_replacements(&mut self) {
        for r in std::mem::take(&mut self.replacements) {
            let (name, scope) = (&r.new.0, r.new.1);
            let (Some(new), Some(old)) = (
                self.plain_class(name, scope),
                self.plain_class(r.constraint.0, r.constraint.1),
            ) else {
                continue;
            };
            if let Some(missing) = self.missing_member(new, old) {
                let constraint = r.constraint.0;
                self.violation(
                    "E0243",
                    r.span,
                    format!(
                        "`{}` cannot replace `{}`: it has no public `{missing}`, which the constraining `{constraint}` has",
                        r.new.0, r.name
                    ),
                    "use a class that has all public components of the constraining one",
                );
            }
        }
    }

    /// An element that comes from two classes is the same in both.
    pub(crate) fn check_same_element(&mut self, a: ElementId, b: ElementId, span: Span) {
        if a == b {
            return;
        }
        let name = self.tree.name(a);
        let differs = match (&self.tree.elements[a], &self.tree.elements[b]) {
            (Element::Component(x), Element::Component(y)) => {
                let plain = |c: &Component<'a>| {
                    !c.element.prefixes.redeclare && !c.element.prefixes.replaceable
                };
                if x.decl.type_name.last() == y.decl.type_name.last()
                    && plain(x)
                    && plain(y)
                    && !self.modified_alike(&x.modifier, &y.modifier)
                {
                    let text = format!("`{name}` is inherited twice, with different modifiers");
                    self.violation(
                        "E0245",
                        span,
                        text,
                        "give both base classes the same modifier of it",
                    );
                    return;
                }
                x.decl.type_name.last() != y.decl.type_name.last()
                    && !x.element.prefixes.redeclare
                    && !y.element.prefixes.redeclare
            }
            (Element::Class(x), Element::Class(y)) => {
                let (x, y) = (x.class.def, y.class.def);
                let plain = |d: &ast::ClassDef| !d.prefixes.redeclare && !d.prefixes.replaceable;
                plain(x) && plain(y) && !self.written_alike(x.span, y.span, false)
            }
            _ => true,
        };
        if differs {
            self.violation(
                "E0245",
                span,
                format!("`{name}` is inherited from here, but declared differently elsewhere"),
                "rename one of the two, or use `redeclare`",
            );
        }
    }

    /// Do two modifiers say the same?
    fn modified_alike(&self, a: &Mod<'a>, b: &Mod<'a>) -> bool {
        let same_value = match (&a.binding, &b.binding) {
            (None, None) => true,
            (Some(x), Some(y)) => {
                std::ptr::eq(x.expr, y.expr) || self.written_alike(x.expr.span, y.expr.span, true)
            }
            _ => false,
        };
        same_value
            && a.entries.len() == b.entries.len()
            && a.entries.iter().all(|e| {
                let other = b.get(e.name);
                other.is_some_and(|other| self.modified_alike(&e.modifier, other))
            })
    }

    /// Are two texts the same but for spaces and comments, and strings where they are descriptions?
    fn written_alike(&self, a: Span, b: Span, strings: bool) -> bool {
        let words = |s: Span| -> Option<Vec<String>> {
            let file = self.lib.sources().get(s.file)?;
            let text = file.text.get(s.start as usize..s.end as usize)?;
            let (tokens, _) = lex(s.file, text);
            let ends = tokens.iter().skip(1).map(|t| t.start as usize);
            let ends = ends.chain([text.len()]);
            let words = tokens.iter().zip(ends).filter(|(t, _)| match t.kind {
                TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment => false,
                TokenKind::Str => strings,
                _ => true,
            });
            Some(
                words
                    .map(|(t, end)| text[t.start as usize..end].to_string())
                    .collect(),
            )
        };
        words(a) == words(b)
    }

    /// The name of a base class is not itself inherited.
    pub(crate) fn check_base_not_inherited(&mut self, scope: ScopeId, base: &ast::Name) {
        let (Some(&first), false) = (base.parts.first(), base.global) else {
            return;
        };
        let s = &self.tree.scopes[scope];
        let own = s
            .class
            .def
            .elements()
            .iter()
            .any(|e| e.declared_name() == Some(first))
            || s.class
                .id
                .is_some_and(|id| self.lib.child(id, first).is_some());
        if s.members.contains_key(&first) && !own {
            self.violation(
                "E0218",
                base.span,
                format!("the base class `{base}` is found through another base class"),
                "use its full name",
            );
        }
    }

    fn plain_class(&mut self, name: &ast::Name, scope: ScopeId) -> Option<ScopeId> {
        let Ok(Found::Element(e)) = self.lookup_class(scope, name) else {
            return None;
        };
        let s = self.class_scope(e).ok()?;
        self.expand(s).ok()?;
        self.tree.scopes[s].builtin.is_none().then_some(s)
    }

    /// A public component of `old` that `new` has not.
    fn missing_member(&mut self, new: ScopeId, old: ScopeId) -> Option<Symbol> {
        if self.tree.scopes[old].class.def.kind == ast::ClassKind::Package {
            return None;
        }
        for e in self.tree.scopes[old].order.clone() {
            let Element::Component(c) = &self.tree.elements[e] else {
                continue;
            };
            if c.protected || c.condition.is_some() {
                continue;
            }
            let name = c.name;
            match self.member(new, name) {
                Ok(Some(_)) | Err(_) => {}
                Ok(None) => return Some(name),
            }
        }
        None
    }
}

/// Can a redeclaration of the element be right at all ([`Flattener::check_redeclaration`])?
pub fn may_be_replaced(element: &ast::Element) -> bool {
    let of_open_size =
        matches!(&element.kind, ast::ElementKind::Component(c) if c.subscripts.iter().any(is_open));
    element.prefixes.replaceable || element.prefixes.redeclare || of_open_size
}

fn is_open(subscript: &ast::Subscript) -> bool {
    matches!(subscript, ast::Subscript::Colon(_))
}

/// Does the redeclaration only say how large an array of open size is? That is allowed for what is not replaceable, too.
fn gives_open_sizes(old: &ast::Element, new: &ast::Element) -> bool {
    let (ast::ElementKind::Component(a), ast::ElementKind::Component(b)) = (&old.kind, &new.kind)
    else {
        return false;
    };
    let same_type = a.type_name.parts == b.type_name.parts;
    same_type && a.subscripts.len() == b.subscripts.len() && a.subscripts.iter().any(is_open)
}

/// The name of the constraining class, as far as it has one.
fn constraint_name(element: &ast::Element) -> Option<&ast::Name> {
    if let Some(c) = element.constraint() {
        return Some(&c.name);
    }
    type_name(element)
}

fn type_name(element: &ast::Element) -> Option<&ast::Name> {
    match &element.kind {
        ast::ElementKind::Component(c) => Some(&c.type_name),
        ast::ElementKind::Class(c) => match &c.body {
            ast::ClassBody::Short(s) => Some(&s.base),
            _ => None,
        },
        _ => None,
    }
}
