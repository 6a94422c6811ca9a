//! The instance tree: data types.
//!
//! A [`Scope`] is a class under given modifications in a given lexical scope: the type of one
//! component instance, a base class inside one, or a package or function by itself. An [`Element`]
//! is a named member of a scope: a component or a class. Inherited members are shared by reference:
//! the table of the derived scope and that of the base hold the same [`ElementId`].
//!
//! Everything is made on demand: a scope's table when a name is looked up in it, a component's type
//! and size when it is used.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;

use cranelift_entity::{PrimaryMap, entity_impl};
use ferrica_classes::ClassId;
use ferrica_ir::flat::{ConnectorRole, Variability};
use ferrica_ir::{Span, Symbol, Ty, VarId};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::modifier::{Binding, Mod};
use crate::value::Value;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeId(u32);
entity_impl!(ScopeId, "scope");

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(u32);
entity_impl!(ElementId, "element");

/// A class together with where its names are looked up and how it is modified.
#[derive(Clone)]
pub struct ClassRef<'a> {
    pub def: &'a ast::ClassDef,
    /// The library's id, when the class is not one written inside a modifier.
    pub id: Option<ClassId>,
    /// Lexically enclosing scope.
    pub parent: Option<ScopeId>,
    pub modifier: Rc<Mod<'a>>,
    /// What `class extends X` extends.
    pub inherited: Option<Rc<ClassRef<'a>>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    No,
    Running,
    Done,
}

pub struct Scope<'a> {
    pub class: ClassRef<'a>,
    pub expansion: Expansion,
    /// All members by name, inherited ones included.
    pub members: FxHashMap<Symbol, ElementId>,
    /// Members in order of declaration, inherited ones at the place of the extends clause.
    pub order: Vec<ElementId>,
    /// Base classes in order.
    pub bases: Vec<ScopeId>,
    /// For a base class: the scope that inherits it, and where the name stands in its extends clause.
    pub derived: Option<ScopeId>,
    pub extended_at: Span,
    /// The component element that this scope is the type of, and the element's number.
    pub owner: Option<(ElementId, u32)>,
    /// Path of the component, empty at the root of the model and for packages.
    pub path: Rc<str>,
    /// Index into `FlatModel::components`, set when the component is flattened.
    pub component: u32,
    /// Bases without connections deselected by `break connect(…)`.
    pub deselected: Vec<(&'a ast::ComponentRef, &'a ast::ComponentRef)>,
    /// Elements that `break` takes away, with all their connections.
    pub dropped: Vec<Symbol>,
    /// The class is (a specialisation of) a predefined type.
    pub builtin: Option<Ty>,
    /// Attribute modifiers that have reached the predefined type.
    pub attributes: Rc<Mod<'a>>,
    /// Dimensions of the type (`type V = Real[3]`), with the scope they are evaluated in.
    pub type_dims: Vec<(&'a ast::Subscript, ScopeId)>,
    /// Prefixes of a short class definition (`connector RealInput = input Real`).
    pub prefixes: ast::TypePrefixes,
}

/// A member of a scope.
pub enum Element<'a> {
    Class(ClassElement<'a>),
    Component(Box<Component<'a>>),
}

pub struct ClassElement<'a> {
    pub name: Symbol,
    pub class: ClassRef<'a>,
    /// The class as a package, type or function: without an instance.
    pub scope: Option<ScopeId>,
    pub protected: bool,
    pub inner: bool,
    pub outer: bool,
    /// Modifiers that hold for whatever replaces the class.
    pub constraint: Rc<Mod<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Fresh,
    Running,
    /// The condition is false.
    Absent,
    Ready,
}

/// What a component is made of, once it is ready.
pub enum Content {
    None,
    /// Scalars of a predefined type: first variable (when part of the model).
    Scalar(Ty),
    /// One scope for each array element; shared, since each reference to one element asks for the list.
    Class(Rc<[ScopeId]>),
    /// An array of components that differ only by their numbers.
    Family(crate::family::Family),
    /// An `outer` component: the `inner` one.
    Outer(ElementId),
}

pub struct Component<'a> {
    pub name: Symbol,
    pub decl: &'a ast::Component,
    pub element: &'a ast::Element,
    /// Scope of the declaration: type name, sizes and declaration modifiers are looked up here.
    pub scope: ScopeId,
    /// Scope (of the instance) that it is a member of.
    pub owner: ScopeId,
    /// All modifiers, outer ones first in force.
    pub modifier: Rc<Mod<'a>>,
    pub state: State,
    pub content: Content,
    pub dims: Vec<usize>,
    /// Dimensions whose subscripts are of an enumeration or Boolean.
    pub index_types: Vec<(usize, Ty)>,
    pub variability: Variability,
    pub causality: Option<ast::Causality>,
    pub role: ConnectorRole,
    pub protected: bool,
    pub is_final: bool,
    pub inner: bool,
    pub outer: bool,
    /// Modifiers of the type chain, for attributes of predefined types; outermost first.
    pub attributes: Rc<Mod<'a>>,
    pub first_var: Option<VarId>,
    /// Value of a constant or parameter in constant mode, per array element (index 0 for scalars).
    pub value: Option<Value>,
    pub value_running: bool,
    /// Its value shaped the model.
    pub structural: bool,
    /// `annotation(Evaluate=true)`: its value is used at compile time.
    pub evaluate: bool,
    /// Declared in a connector class.
    pub in_connector: bool,
    /// Class of the component, for messages.
    pub class_name: Symbol,
    /// A redeclaration without dimensions keeps those of the original declaration.
    pub dims_from: Option<(&'a ast::Component, ScopeId)>,
    /// Dimensions that override the declaration (members made for expandable connectors).
    pub forced_dims: Option<Vec<usize>>,
    /// A predefined type with an `equalityConstraint` of its own: the scope of the type.
    pub overdetermined: Option<ScopeId>,
    /// The condition it depends on, and where its names are looked up.
    pub condition: Option<(&'a ast::Expr, ScopeId)>,
    /// A redeclaration without a value keeps that of the original declaration, if the type allows: the value and the
    /// last name of the original type.
    pub kept_binding: Option<(Binding<'a>, Option<Symbol>)>,
    /// Modifiers that hold for whatever replaces the component.
    pub constraint: Rc<Mod<'a>>,
}

/// Arenas of the instance tree.
pub struct Tree<'a> {
    pub scopes: PrimaryMap<ScopeId, Scope<'a>>,
    pub elements: PrimaryMap<ElementId, Element<'a>>,
}

impl<'a> Tree<'a> {
    pub fn new() -> Tree<'a> {
        Tree {
            scopes: PrimaryMap::new(),
            elements: PrimaryMap::new(),
        }
    }

    pub fn component(&self, id: ElementId) -> Option<&Component<'a>> {
        match &self.elements[id] {
            Element::Component(c) => Some(c),
            Element::Class(_) => None,
        }
    }

    pub fn component_mut(&mut self, id: ElementId) -> Option<&mut Component<'a>> {
        match &mut self.elements[id] {
            Element::Component(c) => Some(c),
            Element::Class(_) => None,
        }
    }

    pub fn name(&self, id: ElementId) -> Symbol {
        match &self.elements[id] {
            Element::Class(c) => c.name,
            Element::Component(c) => c.name,
        }
    }
}

impl<'a> Component<'a> {
    pub fn span(&self) -> Span {
        self.decl.name_span
    }
}

/// Appends `name[2,3]`: element `k`, row by row.
fn push_indexed(out: &mut String, name: &str, dims: &[usize], mut k: usize) {
    out.push_str(name);
    let mut stride: usize = dims.iter().product();
    for (i, d) in dims.iter().enumerate() {
        out.push(if i == 0 { '[' } else { ',' });
        stride /= d;
        let _ = write!(out, "{}", k / stride + 1);
        k %= stride;
    }
    if !dims.is_empty() {
        out.push(']');
    }
}

/// `name[2,3]`.
pub fn indexed_name(name: &str, dims: &[usize], k: usize) -> String {
    path_of_element("", name, dims, k)
}

/// The same in the component of that path.
pub fn path_of_element(path: &str, name: &str, dims: &[usize], k: usize) -> String {
    let mut out = String::with_capacity(path.len() + name.len() + 3 + 8 * dims.len());
    if !path.is_empty() {
        out.push_str(path);
        out.push('.');
    }
    push_indexed(&mut out, name, dims, k);
    out
}

/// A value computed at most once, shared by all users of a modifier.
pub type Shared = Rc<RefCell<Option<Value>>>;
