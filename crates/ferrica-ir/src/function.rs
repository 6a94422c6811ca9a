//! Functions that stay calls: foreign functions, and Modelica functions whose control flow depends
//! on run-time values (or that are too large to expand at each call).
//!
//! A function is specialised for the sizes of its arguments, so everything is scalar: inputs,
//! outputs and locals are numbered slots; an array is a run of slots in row-major order and is
//! indexed from 0. The arguments of a call are the input slots in order; `Expr::Proj(call, k)` is
//! output slot k. A call of a function with exactly one output slot may be used without `Proj`.
//! Expressions of a body use `Local` and `Load` and no variable of the model.

use crate::diag::Span;
use crate::expr::{ExprId, FunctionId, Ty};
use crate::symbol::Symbol;
use serde::{Deserialize, Serialize};

/// One slot of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    pub name: String,
    pub ty: Ty,
}

/// Stands for an index when a subscript behind the first one is outside of its dimension, so that no other element is taken for it: far
/// below every index, and the message can say which subscript it was.
pub mod outside {
    /// Between two dimensions; subscripts are smaller than half of it.
    const STEP: i64 = 1 << 34;

    /// The index is this number minus the subscript; dimensions count from 0.
    pub fn base(dimension: usize) -> i64 {
        -(dimension as i64 * STEP + STEP / 2)
    }

    /// Dimension and subscript, if the index stands for them.
    pub fn decode(index: f64) -> Option<(usize, i64)> {
        let code = -index as i64;
        (code >= STEP).then(|| ((code / STEP) as usize, code % STEP - STEP / 2))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Name in Modelica, for messages and dumps.
    pub name: String,
    /// Slots: inputs first, then outputs, then locals.
    pub slots: Vec<Slot>,
    pub inputs: u32,
    pub outputs: u32,
    pub body: FunctionBody,
    /// `Inline`/`pure` knowledge: an impure function is never evaluated at compile time, never
    /// merged with an equal call.
    pub pure: bool,
    /// The function that computes the time derivative, with how to call it.
    pub derivatives: Vec<Derivative>,
    pub span: Span,
}

/// `annotation(derivative(...) = f)` specialised to the same sizes: inputs are those of the
/// function, followed by the derivatives of the input slots listed in `with_respect_to`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Derivative {
    pub function: FunctionId,
    pub with_respect_to: Vec<u32>,
    /// Input slots whose derivative must be zero for this annotation to apply.
    pub zero: Vec<u32>,
    /// Input slots (`noDerivative`) that follow from the others: their changes are in the derivative already.
    pub redundant: Vec<u32>,
    /// Not empty for `order = 2`: this function is itself a derivative g(x, v) of something, where
    /// v (the slots of `with_respect_to`) are the derivatives of x (these slots, in the same order).
    /// The function F(x, v, a) then gives the second derivative: quadratic in v plus g(x, a).
    pub of: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FunctionBody {
    Code(Vec<Stmt>),
    External(Box<External>),
    /// Constructor or destructor-free handle of an external object is `External` as well.
    Missing(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Stmt {
    /// slot := expression
    Assign(u32, ExprId),
    /// array element: first slot, number of slots, index from 0, value
    Store(u32, u32, ExprId, ExprId),
    /// Several output slots of one call at once: (output of the call, slot).
    CallAssign(ExprId, Vec<(u32, u32)>),
    If(ExprId, Vec<Stmt>, Vec<Stmt>),
    While(ExprId, Vec<Stmt>),
    Break,
    Return,
    /// condition, message, is it an error (else a warning)
    Assert(ExprId, ExprId, bool),
}

/// A call into foreign (or natively provided) code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct External {
    /// Name of the C function.
    pub symbol: Symbol,
    /// `C`, `FORTRAN 77`, `builtin`.
    pub language: String,
    /// Values that output and local slots have before the call.
    pub initial: Vec<(u32, ExprId)>,
    pub args: Vec<ExternalArg>,
    /// Slot that receives the function's own return value.
    pub result: Option<u32>,
    /// C function that takes back the external object which this one makes.
    pub destructor: Option<Symbol>,
    /// C text that only the destructor asks for.
    pub destructor_includes: Vec<String>,
    /// Arguments that are fields of one record, a `struct` in C; a record inside of another one comes after it.
    pub records: Vec<RecordArg>,
    /// Annotations `Library`, `Include`, `LibraryDirectory`, `IncludeDirectory` as given
    /// (URIs resolved to paths).
    pub libraries: Vec<String>,
    pub includes: Vec<String>,
    pub library_directories: Vec<String>,
    pub include_directories: Vec<String>,
}

/// A run of arguments that is passed as one `struct`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordArg {
    pub args: std::ops::Range<usize>,
    /// The function returns it; else a pointer to it is passed.
    pub result: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExternalArg {
    /// A value computed from input slots.
    Value(ExprId),
    /// An array passed by pointer: first slot, dimensions, element type, written by the callee?
    Array {
        first: u32,
        dims: Vec<u32>,
        ty: Ty,
        output: bool,
    },
    /// A scalar output passed by pointer.
    Out(u32),
}
