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
    pub each: bool,
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
            is_final: false,
            declared: false,
            symbolic: Rc::new(RefCell::new(None)),
            constant: Rc::new(RefCell::new(None)),
        }
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
}

#[derive(Clone)]
pub struct Entry<'a> {
    pub name: Symbol,
    pub modifier: Rc<Mod<'a>>,
}

/// Modifiers of one element.
#[derive(Clone, Default)]
pub struct Mod<'a> {
    pub binding: Option<Binding<'a>>,
    /// `x = break`: no binding, not even an inner one.
    pub broken: bool,
    pub redeclare: Option<Redeclare<'a>>,
    pub entries: Vec<Entry<'a>>,
    pub is_final: bool,
    pub span: Option<Span>,
    /// A modifier from outside that changes what is final, or redeclares what can no longer be.
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
                    outer.entries.push(Entry {
                        name,
                        modifier: Rc::new(inner),
                    });
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
            None => self.entries.push(Entry {
                name,
                modifier: Rc::new(modifier),
            }),
        }
    }

    /// `each` distributes to everything below.
    fn set_each(&mut self) {
        if let Some(b) = &mut self.binding {
            b.each = true;
        }
        for e in &mut self.entries {
            let mut inner = (*e.modifier).clone();
            inner.set_each();
            e.modifier = Rc::new(inner);
        }
    }

    /// The modifier for element `k` of an array with `rank` dimensions.
    pub fn element(self: &Rc<Self>, k: u32, rank: u32) -> Rc<Mod<'a>> {
        if self.is_empty() || !self.has_indexed() {
            return self.clone();
        }
        let mut out = (**self).clone();
        if let Some(b) = &mut out.binding
            && !b.each
        {
            *b = b.picked(Pick::Index { k, rank });
        }
        for e in &mut out.entries {
            e.modifier = e.modifier.element(k, rank);
        }
        Rc::new(out)
    }

    fn has_indexed(&self) -> bool {
        self.binding.as_ref().is_some_and(|b| !b.each)
            || self.entries.iter().any(|e| e.modifier.has_indexed())
    }

    /// The modifier for field `name` of a record that has a binding of its own.
    pub fn field(&self, name: Symbol) -> Option<Rc<Mod<'a>>> {
        let explicit = self.get(name).cloned();
        let Some(b) = &self.binding else {
            return explicit;
        };
        let from_value = Mod {
            binding: Some(b.picked(Pick::Field(name))),
            ..Mod::default()
        };
        match explicit {
            Some(e) => Some(merge(&e, &Rc::new(from_value))),
            None => Some(Rc::new(from_value)),
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
    if out.binding.is_none() && !out.broken {
        out.binding = inner.binding.clone();
        out.broken = inner.broken;
    }
    if let (Some(_), Some(r)) = (&out.redeclare, &inner.redeclare)
        && !r.element.prefixes.replaceable
        && outer.span != inner.span
    {
        out.conflict = out.conflict.or(outer.span);
    }
    if out.redeclare.is_none() {
        out.redeclare = inner.redeclare.clone();
    }
    out.is_final |= inner.is_final;
    for e in &inner.entries {
        match out.entries.iter_mut().find(|o| o.name == e.name) {
            Some(o) => o.modifier = merge(&o.modifier, &e.modifier),
            None => out.entries.push(e.clone()),
        }
    }
    Rc::new(out)
}
