//! Foreign functions by name, natively.
//!
//! Modelica libraries call C and Fortran code for tables, strings, files, random numbers, Fourier
//! transforms and linear algebra. Here is our own code of the same meaning: [`lookup`] finds it by
//! the C name, [`Native::call`] runs it on any implementation of [`Call`].
//!
//! In: arguments in the order of the foreign call. Out: the outputs among them, and the function's
//! own result. An error is a sentence for the user, to be read after the function's name.
//!
//! Invariant: no knowledge of the compiler or of the simulator, so that the evaluator of constants
//! and the running simulation use the same code. Arrays are row by row, as Modelica stores them,
//! also for Fortran routines: a matrix is known by its dimensions, leading dimensions are ignored.

pub mod arguments;
pub mod call;
mod cmath;
pub mod data;
mod fft;
mod lapack;
mod matrix_io;
mod random;
mod registry;
mod strings;
mod system;
pub mod tables;

pub use arguments::{Arguments, Value};
pub use call::{Call, Object, TableKind};
pub use registry::{Native, lookup, names};

/// The eigenvalues of a square matrix, given row by row: real and imaginary parts, the positive one of a pair first.
pub fn eigenvalues(n: usize, matrix: Vec<f64>) -> Option<Vec<(f64, f64)>> {
    let schur = lapack::eigen::schur(&lapack::matrix::Mat::new(n, n, matrix))?;
    Some(lapack::eigen::eigenvalues(&schur.t))
}

/// The eigenvalues in the same order, each with the part that every coordinate has in its mode: the product of the elements of
/// the left and the right eigenvector, in parts of their sum (Pérez-Arriaga, Verghese and Schweppe 1982).
pub fn participations(n: usize, matrix: Vec<f64>) -> Option<Vec<((f64, f64), Vec<f64>)>> {
    lapack::eigen::participations(&lapack::matrix::Mat::new(n, n, matrix))
}
