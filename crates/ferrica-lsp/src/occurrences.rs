//! Every identifier of a text with what it names: the bridge between places and the compiler's lookup.
//!
//! In: the syntax trees of a text's classes. Out: a list of occurrences in the order of the walk, each with the class in whose scope it is
//! looked up and how. Nothing is looked up here. Linear in the text.

mod equations;
mod expressions;

use ferrica_classes::{ClassId, Library};
use ferrica_ir::{FileId, Span, Symbol};
use ferrica_syntax::ast::{
    Annotation, Argument, ClassBody, ClassDef, DeselectionKind, Element, ElementKind, Import,
    Modification, Name, Subscript,
};
use ferrica_syntax::parse_tree;

/// How an identifier is looked up.
#[derive(Clone, Debug)]
pub enum Role {
    /// Its own declaration, or the name behind `end`: the place of the name in the declaration.
    Declares(Span),
    /// A declaration that takes the place of an inherited one.
    Redeclares(Span),
    /// The last of a dotted name, in the scope of the class.
    Path { global: bool, path: Vec<Symbol> },
    /// A name in a modifier: the type that is modified, and the path inside. A redeclaration has a place of its own.
    Member {
        of: Name,
        path: Vec<Symbol>,
        redeclared: Option<Span>,
    },
    /// A named argument of a call.
    Argument {
        global: bool,
        function: Vec<Symbol>,
        name: Symbol,
    },
    /// A loop variable, by the place of its declaration.
    Local(Span),
}

#[derive(Clone, Debug)]
pub struct Occurrence {
    pub start: u32,
    pub end: u32,
    pub class: ClassId,
    pub role: Role,
}

impl Occurrence {
    /// The identifier, as far as it names something.
    pub fn has(&self, offset: usize) -> bool {
        (self.start as usize..=self.end as usize).contains(&offset)
    }
}

/// A call with arguments by their place.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub class: ClassId,
    pub global: bool,
    pub function: Vec<Symbol>,
    pub positional: Vec<Span>,
}

/// What a walk over a text finds.
#[derive(Default)]
struct Finds {
    occurrences: Vec<Occurrence>,
    calls: Vec<CallSite>,
    /// Of elements, equations, statements and expressions.
    spans: Vec<Span>,
}

/// The occurrences of a text; `text` is that of the classes.
pub fn occurrences(library: &Library, classes: &[ClassId], text: &str) -> Vec<Occurrence> {
    walk(library, classes, text).occurrences
}

/// Its calls of functions.
pub fn calls(library: &Library, classes: &[ClassId], text: &str) -> Vec<CallSite> {
    walk(library, classes, text).calls
}

/// The places of all that can be selected as a whole.
pub fn spans(library: &Library, classes: &[ClassId], text: &str) -> Vec<Span> {
    walk(library, classes, text).spans
}

fn walk(library: &Library, classes: &[ClassId], text: &str) -> Finds {
    let mut found = Finds::default();
    if let Some(&class) = classes.first() {
        let before = library.def(class).span.start as usize;
        let (head, _) = parse_tree(FileId(0), text.get(..before).unwrap_or_default());
        let mut walker = Walker {
            library,
            text,
            class,
            locals: Vec::new(),
            out: &mut found,
        };
        if let Some(within) = &head.within {
            walker.parts(&within.parts, true, within.span);
        }
    }
    for &class in classes {
        let mut walker = Walker {
            library,
            text,
            class,
            locals: Vec::new(),
            out: &mut found,
        };
        walker.class(library.def(class), class, false);
    }
    found
}

struct Walker<'w> {
    library: &'w Library,
    text: &'w str,
    class: ClassId,
    locals: Vec<(Symbol, Span)>,
    out: &'w mut Finds,
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80)
}

impl Walker<'_> {
    fn push(&mut self, start: u32, name: Symbol, role: Role) {
        let end = start + name.as_str().len() as u32;
        // What the text does not have at this place is not there to be asked for.
        if self.text.get(start as usize..end as usize) == Some(name.as_str()) {
            self.out.occurrences.push(Occurrence {
                start,
                end,
                class: self.class,
                role,
            });
        }
    }

    /// Where a word stands at or behind a byte.
    fn word(&self, name: Symbol, from: u32, until: u32) -> Option<u32> {
        let (word, bytes) = (name.as_str(), self.text.as_bytes());
        let range = self.text.get(from as usize..until as usize)?;
        let mut hits = range.match_indices(word).map(|(k, _)| from as usize + k);
        let whole = |&at: &usize| {
            let before = at.checked_sub(1).and_then(|k| bytes.get(k));
            !is_word(before) && !is_word(bytes.get(at + word.len()))
        };
        hits.find(whole).map(|at| at as u32)
    }

    /// The parts of a dotted name, each with the path up to it.
    fn name(&mut self, name: &Name) {
        self.parts(&name.parts, name.global, name.span);
    }

    fn parts(&mut self, parts: &[Symbol], global: bool, span: Span) {
        let mut at = span.start;
        for k in 0..parts.len() {
            let Some(found) = self.word(parts[k], at, span.end) else {
                return;
            };
            let path = parts[..=k].to_vec();
            let role = Role::Path { global, path };
            self.push(found, parts[k], role);
            at = found + parts[k].as_str().len() as u32;
        }
    }

    /// `own`: the id of the class itself, where it has one. A class in a modifier is looked at from around it.
    fn class(&mut self, def: &ClassDef, own: ClassId, redeclares: bool) {
        let span = def.name_span;
        let role = match redeclares {
            true => Role::Redeclares(span),
            false => Role::Declares(span),
        };
        let around = std::mem::replace(&mut self.class, own);
        if let Some(parent) = self.library.parent(own) {
            self.class = parent;
        }
        self.push(span.start, def.name, role);
        self.class = own;
        self.out.spans.push(def.span);
        self.body(def);
        self.class = around;
    }

    fn body(&mut self, def: &ClassDef) {
        match &def.body {
            ClassBody::Long(body) => {
                if let Some(modification) = &body.class_extends {
                    for argument in &modification.args {
                        self.own_argument(argument);
                    }
                }
                body.elements.iter().for_each(|e| self.element(e));
                for list in [&body.initial_equations, &body.equations] {
                    list.iter().for_each(|e| self.equation(e));
                }
                for section in body.initial_algorithms.iter().chain(&body.algorithms) {
                    section.statements.iter().for_each(|s| self.statement(s));
                }
                if let Some(external) = &body.external {
                    if let Some(output) = &external.output {
                        self.reference(output);
                    }
                    external.args.iter().for_each(|e| self.expression(e));
                    self.annotation(external.annotation.as_deref());
                }
                self.end_name(def);
            }
            ClassBody::Short(short) => {
                self.name(&short.base);
                self.subscripts(&short.subscripts);
                if let Some(m) = &short.modification {
                    self.modification(&short.base, &[], m);
                }
            }
            ClassBody::Enumeration(list) => {
                for literal in list {
                    let end = literal.span.start + literal.name.as_str().len() as u32;
                    let span = Span {
                        end,
                        ..literal.span
                    };
                    self.push(span.start, literal.name, Role::Declares(span));
                }
            }
            ClassBody::Der(der) => self.name(&der.function),
            ClassBody::UnspecifiedEnumeration => {}
        }
        if let Some(c) = &def.constrained_by {
            self.name(&c.name);
            if let Some(m) = &c.modification {
                self.modification(&c.name, &[], m);
            }
        }
        self.annotation(def.annotation.as_deref());
    }

    /// The name behind `end`.
    fn end_name(&mut self, def: &ClassDef) {
        let (from, until) = (def.name_span.end as usize, def.span.end as usize);
        let Some(at) = self
            .text
            .get(from..until)
            .and_then(|t| t.rfind(def.name.as_str()))
        else {
            return;
        };
        let at = from + at;
        if self.text[..at].trim_end().ends_with("end") {
            self.push(at as u32, def.name, Role::Declares(def.name_span));
        }
    }

    fn element(&mut self, element: &Element) {
        self.out.spans.push(element.span);
        match &element.kind {
            ElementKind::Import(import) => self.import(import, element.span),
            ElementKind::Extends(extends) => {
                self.name(&extends.name);
                if let Some(m) = &extends.modification {
                    self.modification(&extends.name, &[], m);
                }
                for b in &extends.breaks {
                    match &b.kind {
                        DeselectionKind::Component(name) => {
                            if let Some(at) = self.word(*name, b.span.start, b.span.end) {
                                let (of, path) = (extends.name.clone(), vec![*name]);
                                let redeclared = None;
                                self.push(
                                    at,
                                    *name,
                                    Role::Member {
                                        of,
                                        path,
                                        redeclared,
                                    },
                                );
                            }
                        }
                        DeselectionKind::Connection(a, b) => {
                            self.reference(a);
                            self.reference(b);
                        }
                    }
                }
            }
            ElementKind::Class(def) => match self.library.child(self.class, def.name) {
                Some(id) if std::ptr::eq(self.library.def(id), def.as_ref()) => {
                    self.class(def, id, element.prefixes.redeclare || extends_itself(def));
                }
                _ => self.body(def),
            },
            ElementKind::Component(c) => {
                let role = match element.prefixes.redeclare {
                    true => Role::Redeclares(c.name_span),
                    false => Role::Declares(c.name_span),
                };
                self.push(c.name_span.start, c.name, role);
                self.typed(element);
            }
        }
        if !matches!(element.kind, ElementKind::Class(_)) {
            self.annotation(element.comment.annotation.as_deref());
            if let Some(c) = &element.constrained_by {
                self.name(&c.name);
                if let Some(m) = &c.modification {
                    self.modification(&c.name, &[], m);
                }
            }
        }
    }

    /// Type, sizes, modifiers and condition of a component.
    fn typed(&mut self, element: &Element) {
        let ElementKind::Component(c) = &element.kind else {
            return;
        };
        // `Real x, y`: the type is told once.
        let known = self
            .out
            .occurrences
            .last()
            .is_some_and(|o| o.start == c.type_name.span.start);
        let again = self
            .out
            .occurrences
            .iter()
            .rev()
            .take(64)
            .any(|o| o.start == c.type_name.span.start);
        if !known && !again {
            self.name(&c.type_name);
            self.subscripts(&c.type_subscripts);
        }
        self.subscripts(&c.subscripts);
        if let Some(m) = &c.modification {
            self.modification(&c.type_name, &[], m);
        }
        if let Some(condition) = &c.condition {
            self.expression(condition);
        }
    }

    fn import(&mut self, import: &Import, span: Span) {
        match import {
            Import::Qualified(name) | Import::Unqualified(name) => {
                self.parts(&name.parts, true, name.span);
            }
            Import::Renamed { alias, name } => {
                if let Some(at) = self.word(*alias, span.start, name.span.start) {
                    let end = at + alias.as_str().len() as u32;
                    let of = Span {
                        start: at,
                        end,
                        ..span
                    };
                    self.push(at, *alias, Role::Local(of));
                    // Uses of the alias are looked up as the class that it stands for.
                }
                self.parts(&name.parts, true, name.span);
            }
            Import::List { package, names } => {
                self.parts(&package.parts, true, package.span);
                let mut from = package.span.end;
                for &name in names {
                    let Some(at) = self.word(name, from, span.end) else {
                        return;
                    };
                    let path = package.parts.iter().copied().chain([name]).collect();
                    self.push(at, name, Role::Path { global: true, path });
                    from = at + name.as_str().len() as u32;
                }
            }
        }
    }

    fn subscripts(&mut self, list: &[Subscript]) {
        for s in list {
            if let Subscript::Expr(e) = s {
                self.expression(e);
            }
        }
    }

    /// The modifiers of a type, or of a member of it.
    fn modification(&mut self, of: &Name, path: &[Symbol], m: &Modification) {
        for argument in &m.args {
            match argument {
                Argument::Modifier(modifier) => {
                    let mut inside = path.to_vec();
                    let mut at = modifier.span.start;
                    for &name in &modifier.path {
                        inside.push(name);
                        let Some(found) = self.word(name, at, modifier.span.end) else {
                            break;
                        };
                        let role = Role::Member {
                            of: of.clone(),
                            path: inside.clone(),
                            redeclared: None,
                        };
                        self.push(found, name, role);
                        at = found + name.as_str().len() as u32;
                    }
                    if let Some(inner) = &modifier.modification {
                        self.modification(of, &inside, inner);
                    }
                }
                Argument::RedeclareClass(r) | Argument::RedeclareComponent(r) => {
                    let (name, span) = match &r.element.kind {
                        ElementKind::Class(def) => (def.name, def.name_span),
                        ElementKind::Component(c) => (c.name, c.name_span),
                        _ => continue,
                    };
                    let path = path.iter().copied().chain([name]).collect();
                    let role = Role::Member {
                        of: of.clone(),
                        path,
                        redeclared: Some(span),
                    };
                    self.push(span.start, name, role);
                    self.replacement(&r.element);
                }
            }
        }
        if let Some(value) = &m.value {
            self.expression(value);
        }
    }

    /// What a redeclaration in a modifier says, looked up from around it.
    fn replacement(&mut self, element: &Element) {
        match &element.kind {
            ElementKind::Class(def) => self.body(def),
            ElementKind::Component(_) => self.typed(element),
            _ => {}
        }
        if let Some(c) = element.constrained_by.as_deref() {
            self.name(&c.name);
        }
    }

    /// Modifiers of `class extends X(…)`: members of the class itself.
    fn own_argument(&mut self, argument: &Argument) {
        if let Argument::Modifier(m) = argument {
            if let Some(&name) = m.path.first()
                && let Some(at) = self.word(name, m.span.start, m.span.end)
            {
                let path = vec![name];
                self.push(
                    at,
                    name,
                    Role::Path {
                        global: false,
                        path,
                    },
                );
            }
            if let Some(value) = m.value() {
                self.expression(value);
            }
        }
    }

    /// Values in an annotation are looked up in the class; its names are the annotation's own but for those of arguments of an inverse.
    fn annotation(&mut self, annotation: Option<&Annotation>) {
        for argument in annotation.iter().flat_map(|a| &a.args) {
            self.annotated(argument, false);
        }
    }

    fn annotated(&mut self, argument: &Argument, names: bool) {
        match argument {
            Argument::Modifier(m) => {
                if names {
                    self.own_argument(argument);
                } else if let Some(value) = m.value() {
                    self.expression(value);
                }
                let inverse = m.path.first().is_some_and(|n| n.as_str() == "inverse");
                for inner in m.modification.iter().flat_map(|m| &m.args) {
                    self.annotated(inner, inverse);
                }
            }
            // A choice names the element that it is for.
            Argument::RedeclareClass(r) | Argument::RedeclareComponent(r) => {
                let (name, span) = match &r.element.kind {
                    ElementKind::Class(def) => (def.name, def.name_span),
                    ElementKind::Component(c) => (c.name, c.name_span),
                    _ => return,
                };
                let path = vec![name];
                self.push(
                    span.start,
                    name,
                    Role::Path {
                        global: false,
                        path,
                    },
                );
                self.replacement(&r.element);
            }
        }
    }
}

/// `model extends X`: the class that it replaces has its name.
fn extends_itself(def: &ClassDef) -> bool {
    def.long().is_some_and(|b| b.class_extends.is_some())
}
