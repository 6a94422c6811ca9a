//! The causal model: output of structural analysis, input of code generation.
//!
//! Alias variables are gone (kept in `aliases` for the results), the index is at most one, every
//! relation that can cause an event has a memory variable, and the equations stand in an order in
//! which each block needs only values of earlier blocks.
//!
//! Variables: the flat model's, plus derivatives, dummy derivatives, relation memories and other
//! auxiliaries. `Expr::Der` no longer occurs: the derivative of a state is a variable of its own.
//! `Expr::Pre(v)` reads the left limit of a discrete variable. Relations inside `noEvent` stay in
//! expressions; all others are replaced by their memory variable (`Relation::memory`), which is
//! constant between events. So between events every block of continuous unknowns is smooth, and an
//! event iteration is: evaluate all blocks; update relation memories and `pre` values; repeat until
//! nothing changes.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;

use cranelift_entity::PrimaryMap;

use crate::diag::Span;
use crate::expr::{BinaryOp, EnumId, Expr, ExprArena, ExprId, FunctionId, VarId};
use crate::flat::{
    Assertion, Component, Effect, EnumType, Experiment, Reinit, Terminate, Variable,
};
use crate::function::Function;

/// What kind of quantity a variable is for the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// Constant or parameter: computed by `parameter_blocks` before anything else.
    Parameter,
    /// Continuous state, integrated by the solver.
    State,
    /// Derivative of a state.
    Derivative,
    /// Continuous algebraic unknown.
    Algebraic,
    /// Discrete unknown: changes only at events.
    Discrete,
    /// Memory of a relation (Boolean): changes only at events.
    Relation,
    /// Top-level input, set from outside.
    Input,
    /// Handle of an external object, made once.
    External,
    /// Removed as an alias or unused: no slot is needed.
    Eliminated,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CausalVar {
    pub var: Variable,
    pub kind: Kind,
    /// For a state its derivative, for a derivative its state.
    pub partner: Option<VarId>,
}

/// One step of the solution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Block {
    /// `var := expr`.
    Assign(Assign),
    /// A·x = b with coefficients that do not depend on the unknowns.
    Linear(Box<LinearBlock>),
    /// F(x) = 0, torn.
    Nonlinear(Box<NonlinearBlock>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Assign {
    pub var: VarId,
    pub expr: ExprId,
    /// Index of the equation in `CausalModel::equations`.
    pub equation: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinearBlock {
    /// Unknowns of the linear system (after tearing: the iteration variables).
    pub unknowns: Vec<VarId>,
    /// Non-zero coefficients (row, column, value), sorted by column then row.
    pub matrix: Vec<(u32, u32, ExprId)>,
    pub rhs: Vec<ExprId>,
    /// All coefficients depend on parameters only: factor once.
    pub constant: bool,
    /// Assignments that follow once the unknowns are known (variables torn away).
    pub then: Vec<Assign>,
    /// Equation of each row.
    pub equations: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NonlinearBlock {
    /// Iteration variables.
    pub unknowns: Vec<VarId>,
    /// Explicit assignments evaluated, in order, before the residuals at each iterate.
    pub inner: Vec<Assign>,
    /// Residual expressions, as many as unknowns.
    pub residuals: Vec<ExprId>,
    /// Partial derivatives of the residuals with respect to the iteration variables with the inner
    /// assignments substituted by the chain rule, where symbolic ones are available:
    /// (row, column, expression over unknowns and inner variables).
    pub jacobian: Option<Vec<(u32, u32, ExprId)>>,
    /// Extra assignments needed to evaluate `jacobian` (derivatives of inner variables).
    pub jacobian_inner: Vec<Assign>,
    /// Equation of each residual.
    pub equations: Vec<u32>,
    /// The same loop with other iteration variables, to try where this one does not converge.
    pub other: Option<Box<NonlinearBlock>>,
}

/// A relation that can cause an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Relation {
    pub memory: VarId,
    pub op: BinaryOp,
    pub lhs: ExprId,
    pub rhs: ExprId,
    /// The sides depend on time (and parameters, discrete values) only, linearly in time: the event
    /// time is computed, not searched.
    pub time_event: bool,
    pub span: Span,
}

/// `sample(start, interval)`: true at start + k·interval.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sampler {
    /// Boolean memory variable that is true during the event at a sample instant. When the event
    /// iteration is over it is false again, and the discrete blocks that read it are evaluated once
    /// more so that their left limits at the next event are those without the sample.
    pub memory: VarId,
    pub start: ExprId,
    pub interval: ExprId,
}

/// `delay(source, time)`: `result` receives the delayed value before the blocks are evaluated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Delay {
    pub result: VarId,
    pub source: ExprId,
    pub delay: ExprId,
    /// Upper bound of a variable delay.
    pub max: ExprId,
    /// The delay is a parameter expression.
    pub constant: bool,
}

/// `spatialDistribution(in0, in1, x, …)`: `results` receive the contents at the two ends, as they come out, before the
/// blocks are evaluated. What goes in is read from `sources` when a step is accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Transport {
    pub results: [VarId; 2],
    pub sources: [ExprId; 2],
    /// How far the contents have moved, in lengths.
    pub position: ExprId,
    /// Contents at the start: places from 0 to 1 and values there.
    pub points: Vec<ExprId>,
    pub values: Vec<ExprId>,
    pub span: Span,
}

/// A continuous equation of the index-one form, `lhs = rhs`, in no particular order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DaeEquation {
    pub lhs: ExprId,
    pub rhs: ExprId,
    pub span: Span,
    /// Index into `components`.
    pub component: u32,
    /// Unknown that the equation is matched to.
    pub unknown: VarId,
    /// True for equations of continuous unknowns.
    pub continuous: bool,
}

/// The initial system: solved once at the start instant, with `initial()` true.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct InitialSystem {
    pub blocks: Vec<Block>,
    /// Equations the blocks were made of (their `equation` fields index this list).
    pub equations: Vec<DaeEquation>,
    /// Conditions on the start that the others determine already: they must be satisfied with them.
    pub redundant: Vec<DaeEquation>,
    /// States and discrete variables that keep their start value because nothing else fixes them
    /// (value: guessed rather than asked for by the modeller).
    ///
    /// The values of states are set by assignments among `blocks`; a discrete variable listed here
    /// has its start value as its left limit `pre(v)` while the initial system is solved.
    pub from_start: Vec<(VarId, bool)>,
    /// Parameter λ (normally 1) that the initial system blends `homotopy(actual, simplified)` with:
    /// λ = 0 is the simplified system. Raise it from 0 to 1 when λ = 1 does not converge at once.
    pub homotopy: Option<VarId>,
}

/// A choice of states that is re-decided at run time: of `candidates`, as many are dummies as there
/// are `constraints`, chosen by pivoting on the Jacobian.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DynamicStateSet {
    pub candidates: Vec<VarId>,
    /// How many of the candidates are states.
    pub n_states: u32,
    /// State variables x_k and the selection matrix entries A[k][j] (parameters set at run time)
    /// such that x_k = sum_j A[k][j]·candidate_j.
    pub states: Vec<VarId>,
    pub selection: Vec<Vec<VarId>>,
    /// Constraint Jacobian d(constraint_i)/d(candidate_j) for pivoting.
    pub jacobian: Vec<(u32, u32, ExprId)>,
}

/// See the module comment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CausalModel {
    pub name: String,
    pub exprs: ExprArena,
    #[serde(with = "crate::stored::map")]
    pub vars: PrimaryMap<VarId, CausalVar>,
    #[serde(with = "crate::stored::map")]
    pub functions: PrimaryMap<FunctionId, Function>,
    #[serde(with = "crate::stored::map")]
    pub enums: PrimaryMap<EnumId, EnumType>,
    /// States in solver order.
    pub states: Vec<VarId>,
    /// Derivatives in the same order.
    pub derivatives: Vec<VarId>,
    pub inputs: Vec<VarId>,
    pub outputs: Vec<VarId>,
    /// Dependent parameters in order of evaluation (also external objects).
    pub parameter_blocks: Vec<Block>,
    pub initial: InitialSystem,
    /// All blocks, continuous and discrete, for an event; in order.
    pub blocks: Vec<Block>,
    /// For each block: does it compute continuous unknowns (evaluated at every step)?
    pub continuous: Vec<bool>,
    /// Index-one DAE form of the same equations.
    pub equations: Vec<DaeEquation>,
    pub relations: Vec<Relation>,
    pub samplers: Vec<Sampler>,
    pub delays: Vec<Delay>,
    pub transports: Vec<Transport>,
    pub reinits: Vec<Reinit>,
    pub assertions: Vec<Assertion>,
    pub terminates: Vec<Terminate>,
    pub effects: Vec<Effect>,
    pub dynamic_states: Vec<DynamicStateSet>,
    /// Angular frequency of the fastest oscillation that an equation writes down; zero if there is none.
    pub fastest_source: f64,
    /// The parameters that it comes from, through bindings: with other values of them it is another one.
    pub source_parameters: Vec<VarId>,
    /// Variables removed as aliases: (variable, kept variable, negated).
    pub aliases: Vec<(VarId, VarId, bool)>,
    pub components: Vec<Component>,
    pub experiment: Experiment,
}

impl CausalModel {
    /// States that are not the derivative of another one: a position with its velocity counts once.
    pub fn state_variables(&self) -> usize {
        let states: HashSet<VarId> = self.states.iter().copied().collect();
        let derivatives: HashSet<VarId> = self.derivatives.iter().copied().collect();
        let higher: HashSet<VarId> = (self.blocks.iter())
            .filter_map(|b| match b {
                Block::Assign(a) if derivatives.contains(&a.var) => Some(self.exprs.get(a.expr)),
                _ => None,
            })
            .filter_map(|e| match e {
                Expr::Var(x) if states.contains(&x) => Some(x),
                _ => None,
            })
            .collect();
        self.states.len() - higher.len()
    }
}
