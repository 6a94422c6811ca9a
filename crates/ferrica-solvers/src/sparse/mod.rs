//! Sparse linear algebra for Jacobians: pattern, permutations, LU factorization.

mod block_triangular;
mod lu;
mod minimum_degree;
mod pattern;
mod transversal;

pub use block_triangular::{BlockOrder, block_triangular};
pub use lu::SparseLu;
pub use minimum_degree::minimum_degree;
pub use pattern::{CscPattern, PatternError};
pub use transversal::maximum_transversal;
