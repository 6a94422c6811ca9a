//! Data types that the stages hand to each other.
//!
//! Names, source places and diagnostics; the hash-consed scalar expression arena; the flat model
//! (output of flattening); the causal model (output of structural analysis, input of code
//! generation). No algorithm lives here beyond construction, simplification and printing.

pub mod calculus;
pub mod causal;
pub mod diag;
pub mod elementary;
mod entity;
pub mod expr;
pub mod flat;
mod flat_text;
pub mod function;
mod function_text;
pub mod print;
pub mod similar;
pub mod simplify;
mod stored;
pub mod symbol;
pub mod text;

pub use diag::{Diagnostic, FileId, Severity, SourceMap, Span};
pub use expr::{
    BinaryOp, Builtin, EnumId, Expr, ExprArena, ExprId, ExprList, FunctionId, StrId, Ty, UnaryOp,
    VarId,
};
pub use symbol::Symbol;
pub use text::{Text, Texts};
