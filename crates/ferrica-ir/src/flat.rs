//! The flat model: what flattening hands to the DAE stage.
//!
//! Everything is scalar. Arrays, records, components, connections, for- and if-equations with
//! constant conditions, algorithms without run-time loops, and when-clauses have become variables
//! and scalar equations:
//!
//! - A component array element is a variable with a name such as `R[3].p.v` or `x[2,1]`.
//! - `when c then v = e; elsewhen d then v = g; end when` has become the discrete equation
//!   `v = if WhenFires(b1) then e elseif WhenFires(b2) then g else pre(v)`, where `b1`, `b2` are
//!   auxiliary Boolean variables with the equations `b1 = c`, `b2 = d`. `WhenFires(b)` is
//!   `b and not pre(b)` at an event; during initialization it is true only if the condition
//!   contains `initial()` and that disjunct is active (the argument list of `WhenFires` is
//!   `[b, i]` with `i` the literal that says whether the condition names `initial()`).
//!   `reinit`, `assert` and `terminate` inside a when-clause carry the same condition.
//! - `(a, b) = f(x)` has become `a = Proj(f(x), 0)`, `b = Proj(f(x), 1)`.
//!
//! Invariants: an equation's two sides are scalar and of compatible type; every `VarId` is
//! declared; parameters have no equation but a binding (or `fixed = false` and an initial equation);
//! a variable's binding is an equation, never stored in `binding`.

use cranelift_entity::PrimaryMap;
use serde::{Deserialize, Serialize};

use crate::diag::Span;
use crate::expr::{EnumId, ExprArena, ExprId, FunctionId, Ty, VarId};
use crate::function::Function;
use crate::text::Text;

/// Names of the auxiliary Boolean variables of when-clauses begin with this. Nothing but `WhenFires` reads their left limits.
pub const WHEN: &str = "$when";

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Variability {
    Constant,
    Parameter,
    Discrete,
    Continuous,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum StateSelect {
    Never,
    Avoid,
    #[default]
    Default,
    Prefer,
    Always,
}

/// Causality of a variable of the top-level model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Causality {
    #[default]
    Local,
    Input,
    Output,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum ConnectorRole {
    #[default]
    None,
    Potential,
    Flow,
    Stream,
}

/// A scalar variable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub variability: Variability,
    pub causality: Causality,
    pub role: ConnectorRole,
    /// Value of a constant or parameter.
    pub binding: Option<ExprId>,
    pub start: Option<ExprId>,
    /// `None`: the language's default (true for parameters and constants, else false).
    pub fixed: Option<ExprId>,
    pub min: Option<ExprId>,
    pub max: Option<ExprId>,
    pub nominal: Option<ExprId>,
    pub unit: Text,
    pub display_unit: Text,
    pub quantity: Text,
    pub state_select: StateSelect,
    pub description: Text,
    pub protected: bool,
    /// Its value shaped the model (a size, a condition, `Evaluate=true`, `final`): it cannot be
    /// changed without compiling again.
    pub structural: bool,
    /// Introduced by the compiler: not in results.
    pub hidden: bool,
    pub span: Span,
}

impl Variable {
    pub fn new(name: impl Into<String>, ty: Ty, variability: Variability) -> Variable {
        Variable {
            name: name.into(),
            ty,
            variability,
            causality: Causality::Local,
            role: ConnectorRole::None,
            binding: None,
            start: None,
            fixed: None,
            min: None,
            max: None,
            nominal: None,
            unit: Text::default(),
            display_unit: Text::default(),
            quantity: Text::default(),
            state_select: StateSelect::Default,
            description: Text::default(),
            protected: false,
            structural: false,
            hidden: false,
            span: Span::NONE,
        }
    }
}

/// An equation `lhs = rhs`.
#[derive(Clone, Debug)]
pub struct Equation {
    pub lhs: ExprId,
    pub rhs: ExprId,
    /// Where it comes from.
    pub span: Span,
    /// Component the equation belongs to, index into [`FlatModel::components`].
    pub component: u32,
    pub origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Equation,
    Binding,
    /// Equality of potentials, or a sum of flows, of a connection set.
    Connection,
    /// A flow of an unconnected connector.
    Unconnected,
    Algorithm,
    When,
    /// Made by the compiler (stream, overconstrained, clock equations and the like).
    Generated,
}

/// `reinit(state, value)` when `condition` (a `WhenFires` expression) holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reinit {
    pub condition: ExprId,
    pub state: VarId,
    pub value: ExprId,
    pub span: Span,
    pub component: u32,
}

/// `assert(condition, message, level)`; active while `guard` holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assertion {
    pub guard: Option<ExprId>,
    pub condition: ExprId,
    pub message: ExprId,
    pub is_error: bool,
    /// The compiler's own: something that decides a variable must be a number.
    pub of_numbers: bool,
    pub span: Span,
    pub component: u32,
}

/// `terminate(message)` when `guard` holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Terminate {
    pub guard: ExprId,
    pub message: ExprId,
    pub span: Span,
}

/// A call made for its effect (`Streams.print(…)`) when `guard` holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Effect {
    pub guard: Option<ExprId>,
    pub call: ExprId,
    pub span: Span,
}

/// A component of the instance tree, for messages, bond graphs and partitions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Component {
    /// Full path such as `drive.motor.R1`; empty for the model itself.
    pub path: String,
    /// Full class name.
    pub class: Text,
    /// Index of the enclosing component; the model itself is its own parent (index 0).
    pub parent: u32,
    pub is_connector: bool,
    /// Declared in a protected section, or part of something that is.
    pub protected: bool,
    /// Difference formula that its annotation `__Ferrica_inline` asks for.
    pub inline: Option<Text>,
    pub description: Text,
    pub span: Span,
}

/// Where to look in the model for something of a component: its own place, or, where that is in another file, the declaration of the part of the model
/// that the component is in.
pub fn place_in_model(components: &[Component], component: u32, own: Span) -> Span {
    let mut at = component as usize;
    while let Some(c) = components.get(at).filter(|c| c.parent != 0) {
        at = c.parent as usize;
    }
    match components.get(at) {
        Some(part) if at != 0 && (own.is_none() || part.span.file != own.file) => part.span,
        _ => own,
    }
}

/// A connection of two connectors as the user wrote it (elements of connector arrays apart).
#[derive(Clone, Debug)]
pub struct Connection {
    /// Indices into [`FlatModel::components`].
    pub a: u32,
    pub b: u32,
    pub span: Span,
    /// Component whose class holds the `connect`.
    pub component: u32,
}

/// The scalar variables of one connector instance.
#[derive(Clone, Debug, Default)]
pub struct Connector {
    /// Index into [`FlatModel::components`].
    pub component: u32,
    pub potentials: Vec<VarId>,
    pub flows: Vec<VarId>,
    pub streams: Vec<VarId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnumType {
    pub name: String,
    pub literals: Vec<String>,
}

/// Settings of the `experiment` annotation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    pub start_time: Option<f64>,
    pub stop_time: Option<f64>,
    pub tolerance: Option<f64>,
    pub interval: Option<f64>,
}

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct FlatModel {
    pub name: String,
    pub description: String,
    pub exprs: ExprArena,
    pub vars: PrimaryMap<VarId, Variable>,
    pub equations: Vec<Equation>,
    pub initial_equations: Vec<Equation>,
    pub reinits: Vec<Reinit>,
    pub assertions: Vec<Assertion>,
    pub terminates: Vec<Terminate>,
    pub effects: Vec<Effect>,
    pub functions: PrimaryMap<FunctionId, Function>,
    pub enums: PrimaryMap<EnumId, EnumType>,
    pub components: Vec<Component>,
    pub connectors: Vec<Connector>,
    pub connections: Vec<Connection>,
    pub experiment: Experiment,
}
