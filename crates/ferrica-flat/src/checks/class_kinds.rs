//! What each kind of class may contain and what it may inherit (chapters 4.6 and 7.1.3).

use ferrica_ir::{Diagnostic, Span, Symbol};
use ferrica_syntax::ast::{self, ClassKind};
use rustc_hash::FxHashSet;

use crate::flattener::Flattener;
use crate::instance::ScopeId;
use crate::limits::MAX_NESTING;

/// How often a class may be nested in itself before that is taken for endless recursion.
const MAX_NESTED: u32 = 20;

/// Languages of external functions; those other tools have of their own are none here.
const LANGUAGES: [&str; 3] = ["C", "FORTRAN 77", "builtin"];

/// Names of the predefined types and of `time`, which nothing else may have. Packages that only describe the language have a
/// class for each of them.
pub fn is_reserved(name: Symbol, around: ClassKind) -> bool {
    match name.as_str() {
        "Real" | "Integer" | "Boolean" | "String" | "time" => true,
        "StateSelect" | "ExternalObject" => around != ClassKind::Package,
        _ => false,
    }
}

impl<'a> Flattener<'a> {
    /// Checks the definition of a class that has just been expanded.
    pub(crate) fn check_class(&mut self, scope: ScopeId) {
        let def = self.tree.scopes[scope].class.def;
        if !self.checked.insert(std::ptr::from_ref(def)) {
            return;
        }
        match &def.body {
            ast::ClassBody::Long(body) => {
                self.check_sections(def, body);
                for e in &body.elements {
                    match &e.kind {
                        ast::ElementKind::Component(c) => {
                            self.check_member(def, e, c);
                            self.check_duplicate_modifiers(c.modification.as_ref());
                        }
                        ast::ElementKind::Class(c) => self.check_nested_class(def, c),
                        ast::ElementKind::Extends(x) => {
                            self.check_duplicate_modifiers(x.modification.as_ref());
                        }
                        ast::ElementKind::Import(_) => {}
                    }
                }
                self.check_imports(def, body);
                self.check_statements(def, body);
                self.check_composite_base(scope, def, body);
            }
            ast::ClassBody::Short(short) => {
                self.check_duplicate_modifiers(short.modification.as_ref());
            }
            ast::ClassBody::Enumeration(literals) => self.check_literals(literals),
            _ => {}
        }
    }

    fn check_sections(&mut self, def: &ast::ClassDef, body: &ast::LongBody) {
        let kind = def.kind;
        let what = if !body.equations.is_empty() {
            Some(("an equation section", body.equations[0].span))
        } else if !body.initial_equations.is_empty() {
            Some((
                "an initial equation section",
                body.initial_equations[0].span,
            ))
        } else if let Some(a) = body.initial_algorithms.first() {
            Some(("an initial algorithm section", a.span))
        } else {
            body.algorithms
                .first()
                .filter(|_| !kind.is_function())
                .map(|a| ("an algorithm section", a.span))
        };
        let restricted = kind.is_record()
            || kind.is_connector()
            || kind.is_function()
            || matches!(
                kind,
                ClassKind::Package | ClassKind::Type | ClassKind::Operator
            );
        if let (Some((what, span)), true) = (what, restricted) {
            self.violation(
                "E0210",
                span,
                format!(
                    "the {} `{}` has {what}, which this kind of class cannot have",
                    kind.keywords(),
                    def.name
                ),
                "move it to a model or block that uses the class",
            );
        }
        if let Some(x) = &body.external {
            self.check_external(def, x);
        }
        if let (true, Some(a), Some(x)) =
            (kind.is_function(), body.algorithms.first(), &body.external)
        {
            self.report(Box::new(
                Diagnostic::error(
                    "E0211",
                    x.span,
                    format!(
                        "the function `{}` is external and has an algorithm section",
                        def.name
                    ),
                )
                .with_related(a.span, "the algorithm section")
                .with_hint("keep one of the two"),
            ));
        }
        if kind.is_function() && body.algorithms.len() > 1 {
            self.violation(
                "E0211",
                body.algorithms[1].span,
                format!(
                    "the function `{}` has more than one algorithm section",
                    def.name
                ),
                "join the sections into one",
            );
        }
    }

    /// Functions are computed elsewhere, in a language that has a binding (section 12.9).
    fn check_external(&mut self, def: &ast::ClassDef, external: &ast::ExternalDecl) {
        let kind = def.kind;
        if !kind.is_function() {
            self.violation(
                "E0210",
                external.span,
                format!(
                    "the {} `{}` has an external clause, which only functions have",
                    kind.keywords(),
                    def.name
                ),
                "declare a function with it, and call it here",
            );
        } else if let Some(language) = external.language.as_deref()
            && !LANGUAGES.contains(&language)
        {
            self.violation(
                "E0211",
                external.span,
                format!(
                    "the function `{}` is external in `{language}`, a language that has no binding",
                    def.name
                ),
                "write `external \"C\"` or `external \"FORTRAN 77\"`",
            );
        }
    }

    fn check_member(&mut self, def: &ast::ClassDef, e: &ast::Element, c: &ast::Component) {
        let kind = def.kind;
        let p = &c.prefixes;
        let mut wrong: Option<(&str, &str)> = None;
        let interface = kind.is_record() || kind.is_connector();
        if interface && e.is_protected() {
            wrong = Some(("is protected", "make it public, or leave it out"));
        }
        if (interface || kind.is_function()) && (e.prefixes.inner || e.prefixes.outer) {
            wrong = Some((
                "is inner or outer",
                "only models and blocks share components that way",
            ));
        }
        if kind.is_record() && p.flow.is_some() {
            wrong = Some((
                "has the prefix flow or stream",
                "give the prefix to the component of the record's type in a connector",
            ));
        }
        if kind.is_function() && p.flow.is_some() {
            wrong = Some((
                "has the prefix flow or stream",
                "only variables of connectors flow: remove the prefix",
            ));
        }
        if matches!(kind, ClassKind::Model | ClassKind::Block) && p.flow.is_some() {
            let text = format!(
                "`{}` has the prefix flow or stream, which means nothing in the {} `{}`",
                c.name,
                kind.keywords(),
                def.name
            );
            let hint = "only variables of connectors flow: remove the prefix, or declare a connector with this variable";
            let d = Diagnostic::warning("W0307", c.name_span, text).with_hint(hint);
            self.report(Box::new(d));
        }
        if kind.is_record() && p.causality.is_some() {
            wrong = Some((
                "has the prefix input or output",
                "give the prefix to the component of the record's type instead",
            ));
        }
        if kind == ClassKind::Package && p.variability != Some(ast::Variability::Constant) {
            wrong = Some((
                "is not a constant",
                "a package holds classes and constants only",
            ));
        }
        if kind == ClassKind::Operator {
            wrong = Some(("is a component", "an operator holds functions only"));
        }
        if kind.is_function() && !e.is_protected() && p.causality.is_none() {
            let constant = matches!(
                p.variability,
                Some(ast::Variability::Constant | ast::Variability::Parameter)
            );
            // The type may bring the direction with it.
            if !constant
                && self
                    .predefined(c.type_name.last().unwrap_or(c.name))
                    .is_some()
            {
                wrong = Some((
                    "is neither input nor output",
                    "put it below `protected`, or give it a direction",
                ));
            }
        }
        if kind == ClassKind::ExpandableConnector && p.flow == Some(ast::FlowPrefix::Flow) {
            wrong = Some((
                "has the prefix flow",
                "an expandable connector holds no flow variables of its own; use a connector inside it",
            ));
        }
        if let Some((what, hint)) = wrong {
            self.violation(
                "E0212",
                c.name_span,
                format!(
                    "`{}` {what}, which is not allowed in the {} `{}`",
                    c.name,
                    kind.keywords(),
                    def.name
                ),
                hint,
            );
        }
        if let Some(value) = c.modification.as_ref().and_then(|m| m.value.as_ref()) {
            self.check_no_tuple(value);
        }
        if c.type_name.parts.len() == 1 && c.type_name.parts[0] == c.name && !c.type_name.global {
            self.violation(
                "E0213",
                c.name_span,
                format!("the component `{}` has the same name as its type", c.name),
                "rename the component",
            );
        }
    }

    fn check_nested_class(&mut self, def: &ast::ClassDef, c: &ast::ClassDef) {
        if def.kind == ClassKind::Operator && !c.kind.is_function() {
            self.violation(
                "E0212",
                c.name_span,
                format!(
                    "`{}` is no function, but an operator holds functions only",
                    c.name
                ),
                "move it out of the operator",
            );
        }
    }

    fn check_literals(&mut self, literals: &[ast::EnumLiteral]) {
        let mut seen = FxHashSet::default();
        for l in literals {
            if !seen.insert(l.name) {
                self.violation(
                    "E0214",
                    l.span,
                    format!("the enumeration has the literal `{}` twice", l.name),
                    "remove one of them",
                );
            }
            if matches!(
                l.name.as_str(),
                "quantity" | "min" | "max" | "start" | "fixed"
            ) {
                self.violation(
                    "E0214",
                    l.span,
                    format!(
                        "`{}` is an attribute of enumerations and cannot be a literal",
                        l.name
                    ),
                    "choose another name",
                );
            }
        }
    }

    fn check_duplicate_modifiers(&mut self, modification: Option<&ast::Modification>) {
        let Some(m) = modification else {
            return;
        };
        for (k, a) in m.args.iter().enumerate() {
            let same =
                |b: &&ast::Argument| first_name(b).is_some() && first_name(b) == first_name(a);
            let before: Vec<_> = m.args[..k]
                .iter()
                .filter(same)
                .flat_map(values_in)
                .collect();
            let twice = values_in(a)
                .into_iter()
                .find(|(path, _)| before.iter().any(|(p, _)| p == path));
            if let (false, Some((path, span))) = (before.is_empty(), twice) {
                let names: Vec<&str> = path.iter().map(|p| p.as_str()).collect();
                self.violation(
                    "E0215",
                    span,
                    format!("`{}` is modified twice", names.join(".")),
                    "keep one of the two values",
                );
            }
            if let ast::Argument::Modifier(m) = a {
                self.check_duplicate_modifiers(m.modification.as_ref());
            }
        }
    }

    /// A class that is an array or has prefixes can be inherited only by itself.
    fn check_composite_base(&mut self, scope: ScopeId, def: &ast::ClassDef, body: &ast::LongBody) {
        let s = &self.tree.scopes[scope];
        let special = s.bases.iter().any(|&b| {
            let b = &self.tree.scopes[b];
            !b.type_dims.is_empty()
                || b.prefixes.causality.is_some()
                || b.prefixes.flow.is_some()
                || b.prefixes.variability.is_some()
        });
        let components = body
            .elements
            .iter()
            .any(|e| matches!(e.kind, ast::ElementKind::Component(_)));
        if special && (components || s.bases.len() > 1) {
            self.violation(
                "E0216",
                def.name_span,
                format!(
                    "`{}` inherits from an array type or a type with prefixes and adds to it",
                    def.name
                ),
                "declare a component of that type instead",
            );
        }
    }

    /// May a class of the kind `derived` inherit from `base`?
    pub(crate) fn check_base_kind(
        &mut self,
        derived: &ast::ClassDef,
        base: Option<&ast::ClassDef>,
        span: Span,
    ) {
        let d = derived.kind;
        let long = derived.long().is_some();
        let b = base.map_or(ClassKind::Type, |b| b.kind);
        use ClassKind::*;
        let allowed = b == d
            || b == Class
            || match d {
                Function | OperatorFunction => b.is_function(),
                Package | Operator => false,
                Record => b == OperatorRecord && !long,
                OperatorRecord => b == Record,
                Connector => b.is_record() || b == Type || b == ExpandableConnector,
                ExpandableConnector => b.is_record() || b == Connector,
                Block => b.is_record(),
                Model => b.is_record() || b == Block,
                Class => !b.is_function() || base.is_none(),
                Type => true,
            };
        if !allowed && let Some(icon) = base.filter(|b| is_icon(b)) {
            let text = format!(
                "the {} `{}` inherits from the {} `{}`, which other tools may refuse; it has no members, so that nothing is inherited but its icon",
                d.keywords(),
                derived.name,
                b.keywords(),
                icon.name
            );
            self.report(Box::new(Diagnostic::warning("W0311", span, text)));
        } else if !allowed {
            let name = base.map_or("a predefined type".to_string(), |b| format!("`{}`", b.name));
            self.violation(
                "E0217",
                span,
                format!(
                    "the {} `{}` cannot inherit from the {} {name}",
                    d.keywords(),
                    derived.name,
                    b.keywords()
                ),
                "a class inherits from classes of its own kind; change one of the kinds",
            );
        }
        let Some(base) = base else {
            return;
        };
        if long && d == OperatorRecord && b == OperatorRecord {
            self.violation(
                "E0217",
                span,
                format!(
                    "`{}` extends the operator record `{}`, which can only be renamed by a short definition",
                    derived.name, base.name
                ),
                "write `operator record A = B(…)`",
            );
        }
        if long && d == Package {
            let inner = base.elements().iter().find_map(|e| match &e.kind {
                ast::ElementKind::Class(c) if c.kind == OperatorRecord => Some(c.name),
                _ => None,
            });
            if let Some(inner) = inner {
                self.violation(
                    "E0217",
                    span,
                    format!(
                        "`{}` extends `{}`, which holds the operator record `{inner}`",
                        derived.name, base.name
                    ),
                    "move the operator record to a package that nothing extends",
                );
            }
        }
        if long && base.prefixes.replaceable {
            self.violation(
                "E0218",
                span,
                format!("the base class `{}` is replaceable", base.name),
                "extend a class that cannot be replaced, for example the constraining one",
            );
        }
    }

    /// Is the class partial, itself or as another name for a partial class?
    pub(crate) fn is_partial(&self, scope: ScopeId) -> bool {
        let s = &self.tree.scopes[scope];
        s.class.def.partial
            || (matches!(s.class.def.body, ast::ClassBody::Short(_))
                && s.bases.first().is_some_and(|&b| self.is_partial(b)))
    }

    /// Is the class the type of many of the components around?
    pub(crate) fn contains_itself(&self, def: &ast::ClassDef, scope: ScopeId) -> bool {
        let mut times = 0;
        let mut depth = 0;
        let mut at = Some(scope);
        while let Some(s) = at {
            depth += 1;
            if depth > MAX_NESTING {
                return true;
            }
            let s = &self.tree.scopes[s];
            times += u32::from(std::ptr::eq(s.class.def, def));
            at = s
                .owner
                .and_then(|(e, _)| self.tree.component(e))
                .map(|c| self.most_derived(c.owner));
        }
        times > MAX_NESTED
    }
}

/// The first name that a modifier speaks of; none for classes.
fn first_name(a: &ast::Argument) -> Option<Symbol> {
    match a {
        ast::Argument::Modifier(m) => m.path.first().copied(),
        ast::Argument::RedeclareComponent(r) => r.element.declared_name(),
        ast::Argument::RedeclareClass(_) => None,
    }
}

/// What a modifier gives values to, by paths.
fn values_in(a: &ast::Argument) -> Vec<(Vec<Symbol>, Span)> {
    let (path, modification, span) = match a {
        ast::Argument::Modifier(m) => (m.path.clone(), m.modification.as_ref(), m.span),
        ast::Argument::RedeclareComponent(r) => match &r.element.kind {
            ast::ElementKind::Component(c) => {
                (vec![c.name], c.modification.as_ref(), r.element.span)
            }
            _ => return Vec::new(),
        },
        ast::Argument::RedeclareClass(_) => return Vec::new(),
    };
    let Some(m) = modification else {
        return Vec::new();
    };
    let mut out: Vec<_> = (m.args.iter())
        .flat_map(values_in)
        .map(|(inner, span)| ([path.clone(), inner].concat(), span))
        .collect();
    if m.value.is_some() {
        out.push((path, span));
    }
    out
}

/// Has the class nothing in it but annotations?
fn is_icon(class: &ast::ClassDef) -> bool {
    class.long().is_some_and(|body| {
        body.elements.is_empty()
            && body.equations.is_empty()
            && body.initial_equations.is_empty()
            && body.algorithms.is_empty()
            && body.initial_algorithms.is_empty()
            && body.external.is_none()
    })
}
