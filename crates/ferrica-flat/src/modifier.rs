//! Modifiers: a tree of `name = value` and redeclarations, with outer ones in force over inner ones.
//!
//! Every value keeps the scope that it was written in, since that is where its names are looked up.
//! A modifier of a component array is handed to each element with a pending [`Pick::Index`]; the
//! value of a record is handed to its fields with a pending [`Pick::Field`].

use std::cell::RefCell;
use std::rc::Rc;

use ferrica_ir::{Span, Symbol};
use ferrica_syntax::ast;

use crate::instance::{ScopeId, Shared};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// Element number k (from 0) of the first dimensions, which multiply to `count`.
    Index {
        k: u32,
        rank: u32,
    },
    Field(Symbol),
}

/// `= expression`, to be evaluated in `scope`.
#[derive(Clone)]
pub struct Binding<'a> {
    pub expr: &'a ast::Expr,
    pub scope: ScopeId,
    pub picks: Vec<Pick>,
    /// One value for all elements.
    pub each: bool,
    /// `each` was written for the next array on the way down: no element is picked there.
    pub whole: bool,
    /// Written at a type with dimensions, `type T = Real[2](start = {1, 2})`: the value is for the last ones.
    pub of_type: bool,
    pub is_final: bool,
    /// From the declaration itself rather than from a modifier.
    pub declared: bool,
    pub symbolic: Shared,
    pub constant: Shared,
}

impl<'a> Binding<'a> {
    pub fn new(expr: &'a ast::Expr, scope: ScopeId) -> Binding<'a> {
        Binding {
            expr,
            scope,
            picks: Vec::new(),
            each: false,
            whole: false,
            of_type: false,
            is_final: false,
            declared: false,
            symbolic: Rc::new(RefCell::new(None)),
            constant: Rc::new(RefCell::new(None)),
        }
    }

    /// The modifier that the value of a record is for one of its fields.
    fn field(&self, name: Symbol) -> Rc<Mod<'a>> {
        Rc::new(Mod {
            binding: Some(self.picked(Pick::Field(name))),
            ..Mod::default()
        })
    }

    pub fn picked(&self, pick: Pick) -> Binding<'a> {
        let mut new = self.clone();
        new.picks.push(pick);
        new
    }
}

/// `redeclare T x(…)` or `redeclare model M = …`.
#[derive(Clone)]
pub struct Redeclare<'a> {
    pub element: &'a ast::Element,
    pub scope: ScopeId,
    /// Modifiers further inside than the redeclaration: its own ones are in force over them.
    pub under: Rc<Mod<'a>>,
    /// Redeclarations further inside, which this one replaces: the nearest first.
    pub over: Vec<(&'a ast::Element, ScopeId)>,
}

impl<'a> Redeclare<'a> {
    /// The modifiers that it adds to those that hold for whatever replaces the element: those of its own constraining clause.
    fn constraint(&self) -> Rc<Mod<'a>> {
        Mod::of_constraint(self.element.constraint(), self.scope)
    }
}

#[derive(Clone)]
pub struct Entry<'a> {
    pub name: Symbol,
    pub modifier: Rc<Mod<'a>>,
    /// Written further inside than the value of the whole: a field of that value is in force over it.
    pub under_value: bool,
}

/// Modifiers of one element.
#[derive(Clone, Default)]
pub struct Mod<'a> {
    pub binding: Option<Binding<'a>>,
    /// `x = break`: no binding, not even an inner one.
    pub broken: bool,
    pub redeclare: Option<Redeclare<'a>>,
    pub entries: Vec<Entry<'a>>,
    /// Written with `each`.
    pub each: bool,
    pub is_final: bool,
    pub span: Option<Span>,
    /// A modifier from outside that changes what is final.
    pub conflict: Option<Span>,
}

impl<'a> Mod<'a> {
    pub fn is_empty(&self) -> bool {
        self.binding.is_none()
            && self.redeclare.is_none()
            && self.entries.is_empty()
            && !self.broken
    }

    pub fn get(&self, name: Symbol) -> Option<&Rc<Mod<'a>>> {
        self.entries
            .iter()
            .find(|e| e.name == name)
            .map(|e| &e.modifier)
    }

    /// From the syntax tree; values are to be looked up in `scope`.
    pub fn from_ast(modification: Option<&'a ast::Modification>, scope: ScopeId) -> Mod<'a> {
        let mut out = Mod::default();
        let Some(modification) = modification else {
            return out;
        };
        out.span = Some(modification.span);
        out.broken = modification.is_break;
        if let Some(value) = &modification.value {
            out.binding = Some(Binding::new(value, scope));
        }
        for argument in &modification.args {
            out.add_argument(argument, scope);
        }
        out
    }

    /// Modifiers of a constraining clause.
    pub fn of_constraint(clause: Option<&'a ast::ConstrainedBy>, scope: ScopeId) -> Rc<Mod<'a>> {
        match clause.and_then(|c| c.modification.as_ref()) {
            Some(m) => Rc::new(Mod::from_ast(Some(m), scope)),
            None => Rc::default(),
        }
    }

    pub fn without_redeclaration(&self) -> Mod<'a> {
        Mod {
            redeclare: None,
            ..self.clone()
        }
    }

    pub fn add_argument(&mut self, argument: &'a ast::Argument, scope: ScopeId) {
        match argument {
            ast::Argument::Modifier(m) => {
                let mut inner = Mod::from_ast(m.modification.as_ref(), scope);
                inner.span = Some(m.span);
                inner.is_final = m.is_final;
                if let Some(b) = &mut inner.binding {
                    b.is_final = m.is_final;
                }
                if m.each {
                    inner.set_each();
                }
                // a.b.c = v is a(b(c = v)).
                for &name in m.path.iter().skip(1).rev() {
                    let mut outer = Mod {
                        span: inner.span,
                        ..Mod::default()
                    };
                    outer.entries.push(Entry::new(name, inner));
                    inner = outer;
                }
                self.add_entry(m.path[0], inner);
            }
            ast::Argument::RedeclareClass(r) | ast::Argument::RedeclareComponent(r) => {
                if let Some(name) = r.element.declared_name() {
                    let inner = Mod {
                        redeclare: Some(Redeclare {
                            element: &r.element,
                            scope,
                            under: Rc::default(),
                            over: Vec::new(),
                        }),
                        span: Some(r.element.span),
                        is_final: r.element.prefixes.is_final,
                        ..Mod::default()
                    };
                    self.add_entry(name, inner);
                }
            }
        }
    }

    fn add_entry(&mut self, name: Symbol, modifier: Mod<'a>) {
        match self.entries.iter_mut().find(|e| e.name == name) {
            Some(old) => old.modifier = merge(&old.modifier, &Rc::new(modifier)),
            None => self.entries.push(Entry::new(name, modifier)),
        }
    }

    /// Changes every value in this tree.
    fn for_bindings(&mut self, change: &mut dyn FnMut(&mut Binding<'a>)) {
        if let Some(b) = &mut self.binding {
            change(b);
        }
        for e in &mut self.entries {
            let mut inner = (*e.modifier).clone();
            inner.for_bindings(change);
            e.modifier = Rc::new(inner);
        }
    }

    /// `each` distributes to everything below.
    fn set_each(&mut self) {
        self.each = true;
        self.for_bindings(&mut |b| {
            b.each = true;
            b.whole = true;
        });
    }

    /// The array that `each` was written for has been passed.
    fn pass_each(&mut self) {
        self.each = false;
        if let Some(b) = &mut self.binding {
            b.whole = false;
        }
        for e in self.entries.iter_mut().filter(|e| !e.modifier.each) {
            let mut inner = (*e.modifier).clone();
            inner.pass_each();
            e.modifier = Rc::new(inner);
        }
    }

    /// The values are for the dimensions of the type that they are written at.
    pub fn set_of_type(&mut self) {
        self.for_bindings(&mut |b| b.of_type = true);
    }

    /// The modifier for element `k` of an array with `rank` dimensions.
    pub fn element(self: &Rc<Self>, k: u32, rank: u32) -> Rc<Mod<'a>> {
        if self.is_empty() || !self.has_indexed() {
            return self.clone();
        }
        let mut out = (**self).clone();
        if let Some(b) = &mut out.binding
            && !b.whole
        {
            *b = b.picked(Pick::Index { k, rank });
        }
        for e in &mut out.entries {
            if e.modifier.each {
                let mut inner = (*e.modifier).clone();
                inner.pass_each();
                e.modifier = Rc::new(inner);
            } else {
                e.modifier = e.modifier.element(k, rank);
            }
        }
        if let Some(r) = &mut out.redeclare {
            r.under = r.under.element(k, rank);
        }
        Rc::new(out)
    }

    /// Elements of an array get different values from it. `each` passes, and with it everything below.
    pub fn picks_elements(&self) -> bool {
        self.binding.as_ref().is_some_and(|b| !b.whole)
            || (self.entries.iter()).any(|e| !e.modifier.each && e.modifier.picks_elements())
            || (self.redeclare.as_ref()).is_some_and(|r| r.under.picks_elements())
    }

    /// Is a component of that name used in one of the values?
    pub fn names(&self, name: Symbol) -> bool {
        let used = |b: &Binding<'a>| {
            let text = b.expr.to_string();
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == name.as_str()) || name.as_str().starts_with('\'')
        };
        self.binding.as_ref().is_some_and(used)
            || self.entries.iter().any(|e| e.modifier.names(name))
            || (self.redeclare.as_ref()).is_some_and(|r| r.under.names(name))
    }

    /// Something in it changes from element to element of an array.
    fn has_indexed(&self) -> bool {
        self.binding.is_some()
            || self.entries.iter().any(|e| e.modifier.has_indexed())
            || self
                .redeclare
                .as_ref()
                .is_some_and(|r| r.under.has_indexed())
    }

    /// The modifier for field `name` of a record that has a binding of its own.
    pub fn field(&self, name: Symbol) -> Option<Rc<Mod<'a>>> {
        let Some(b) = &self.binding else {
            return self.get(name).cloned();
        };
        let from_value = b.field(name);
        match self.entries.iter().find(|e| e.name == name) {
            Some(e) if e.under_value && !e.modifier.is_final => {
                Some(merge(&from_value, &e.modifier))
            }
            Some(e) => Some(merge(&e.modifier, &from_value)),
            None => Some(from_value),
        }
    }
}

impl<'a> Entry<'a> {
    fn new(name: Symbol, modifier: Mod<'a>) -> Entry<'a> {
        Entry {
            name,
            modifier: Rc::new(modifier),
            under_value: false,
        }
    }
}

/// `outer` in force over `inner`.
pub fn merge<'a>(outer: &Rc<Mod<'a>>, inner: &Rc<Mod<'a>>) -> Rc<Mod<'a>> {
    if outer.is_empty() {
        return inner.clone();
    }
    if inner.is_empty() {
        return outer.clone();
    }
    let mut out = (**outer).clone();
    out.conflict = out.conflict.or(inner.conflict);
    let written = out.binding.as_ref().is_some_and(|b| b.picks.is_empty());
    // The same modifier may arrive twice, through a redeclaration and through its definition.
    if inner.is_final && outer.span != inner.span && (written || out.redeclare.is_some()) {
        out.conflict = out.conflict.or(outer.span);
    }
    if let Some(r) = &mut out.redeclare {
        // What is written further inside modifies what the redeclaration declares.
        let mut under = (**inner).clone();
        let deeper = match under.redeclare.take() {
            Some(inner) => {
                r.over.push((inner.element, inner.scope));
                r.over.extend(&inner.over);
                merge(&inner.constraint(), &inner.under)
            }
            None => Rc::default(),
        };
        let under = merge(&Rc::new(under), &deeper);
        r.under = merge(&r.under, &under);
        out.is_final |= inner.is_final;
        return Rc::new(out);
    }
    out.redeclare = inner.redeclare.clone();
    let whole = out.binding.is_some();
    if !whole && !out.broken {
        out.binding = inner.binding.clone();
        out.broken = inner.broken;
    }
    out.is_final |= inner.is_final;
    for e in &inner.entries {
        let under_value = whole || e.under_value;
        let value = out.binding.as_ref().filter(|_| under_value);
        match out.entries.iter_mut().find(|o| o.name == e.name) {
            Some(o) => {
                // In force: what is written for the field, then the value of the whole, then what is further inside.
                if let Some(value) = value
                    && o.modifier.binding.is_none()
                {
                    o.modifier = merge(&o.modifier, &value.field(e.name));
                }
                o.modifier = merge(&o.modifier, &e.modifier);
            }
            None => out.entries.push(Entry {
                under_value,
                ..e.clone()
            }),
        }
    }
    Rc::new(out)
}
