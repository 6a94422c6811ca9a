//! Causal blocks to kernels: one kernel IR, run by a bytecode interpreter or as machine code.
//!
//! [`compile`] turns a causal model into a [`CompiledModel`]: slots, blocks, systems and schedules.
//! An [`Evaluator`] owns the numbers of one run.

pub mod arrays;
pub mod c;
pub mod cell;
pub mod coloring;
pub mod compile;
pub mod digest;
pub mod evaluator;
mod few;
mod foreign;
pub mod forward;
pub mod function;
pub mod interpreter;
pub mod interval;
pub mod jit;
pub mod kernel;
pub mod layout;
pub mod limiting;
pub mod limits;
pub mod linearize;
pub mod lists;
pub mod lower;
mod memo;
pub mod model;
pub mod natives;
pub mod number;
pub mod partials;
pub mod program;
pub mod residuals;
pub mod runtime;
pub mod schedule;
mod sink;
mod solve;
pub mod steep;
mod tables;
pub mod tangents;
pub mod tape;
pub mod time_functions;
pub mod vm;

pub use compile::{CompileOptions, Form, compile};
pub use evaluator::{Cause, Evaluator, Failure};
pub use layout::{Layout, Slot};
pub use model::CompiledModel;
pub use residuals::Violation;
