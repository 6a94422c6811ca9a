//! Machine code for programs and functions, by Cranelift.
//!
//! A program or a function that has run often enough is compiled on background threads and used as soon as it is ready. The
//! bytecode interpreters are the oracle for the machine code: results are equal bit by bit, so it does not matter when the code
//! takes over.
//!
//! [`program`]: programs, in functions of a few hundred equations each. [`kernel`]: kernels by themselves, for any row.
//! [`function`]: function bodies and their derivatives. [`cell`]: steps of independent sub-models. [`emit`]: operations, shared by all.
//! [`lazy`]: what only one side of a selection wants.
//! [`stored`]: code of programs as data, for another process.

mod body;
pub mod cell;
mod emit;
pub mod function;
mod kernel;
mod lazy;
mod module;
mod outcall;
mod placed;
mod program;
mod queue;
mod stored;
pub mod tiny;

pub use kernel::KernelCode;
pub use placed::{PlacedCode, Spot};
pub use program::{NativeCode, NativeStep, compile_into, request, runs_before_compiling};
pub use queue::compile_in_place;
pub use stored::StoredCode;
