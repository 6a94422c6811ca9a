//! Linear systems with a fixed pattern: one face over the dense and the sparse factorization.
//!
//! In: a pattern once, then values in its order. Out: factors and solutions, without allocation
//! after the first factorization unless pivots have to be searched anew.

use crate::dense::DenseLu;
use crate::scalar::Scalar;
use crate::sides;
use crate::sparse::{CscPattern, SparseLu};

/// A matrix could not be factored: no pivot for this column; `row` is the equation that was left for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    pub row: usize,
    pub col: usize,
    /// True when no values can make the pattern regular.
    pub structural: bool,
}

impl std::fmt::Display for Singular {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.structural {
            "structurally singular"
        } else {
            "singular"
        };
        write!(
            f,
            "{kind} matrix: no pivot for column {} (row {})",
            self.col, self.row
        )
    }
}

impl std::error::Error for Singular {}

/// Below this size the dense code is faster whatever the pattern.
const DENSE_BELOW: usize = 16;
/// From this part of non-zero entries on the dense code is faster.
const DENSE_FILL: f64 = 0.3;

#[derive(Clone, Debug)]
enum Method<T: Scalar> {
    Dense(DenseLu<T>),
    Sparse(Box<SparseLu<T>>),
}

/// Solver for a sequence of matrices with one pattern.
#[derive(Clone, Debug)]
pub struct LinearSolver<T: Scalar = f64> {
    pattern: CscPattern,
    method: Method<T>,
    factored: bool,
    searches: u64,
    /// Scratch for many right-hand sides.
    strip: Vec<T>,
}

impl<T: Scalar> LinearSolver<T> {
    /// Chooses the method from size and fill, and analyses the pattern.
    pub fn new(pattern: CscPattern) -> LinearSolver<T> {
        let n = pattern.n();
        if n < DENSE_BELOW || pattern.nnz() as f64 > DENSE_FILL * (n * n) as f64 {
            LinearSolver::dense(pattern)
        } else {
            LinearSolver::sparse(pattern)
        }
    }

    pub fn dense(pattern: CscPattern) -> LinearSolver<T> {
        let method = Method::Dense(DenseLu::new(pattern.n()));
        LinearSolver {
            pattern,
            method,
            factored: false,
            searches: 0,
            strip: Vec::new(),
        }
    }

    pub fn sparse(pattern: CscPattern) -> LinearSolver<T> {
        let method = Method::Sparse(Box::new(SparseLu::new(pattern.clone())));
        LinearSolver {
            pattern,
            method,
            factored: false,
            searches: 0,
            strip: Vec::new(),
        }
    }

    pub fn pattern(&self) -> &CscPattern {
        &self.pattern
    }

    pub fn is_dense(&self) -> bool {
        matches!(self.method, Method::Dense(_))
    }

    /// How often pivots were searched (sparse) or the matrix was factored (dense).
    pub fn pivot_searches(&self) -> u64 {
        self.searches
    }

    /// Factors the matrix with these values (order of the pattern).
    pub fn factor(&mut self, values: &[T]) -> Result<(), Singular> {
        self.factored = false;
        match &mut self.method {
            Method::Dense(lu) => {
                let n = lu.n();
                let a = lu.matrix_mut();
                a.fill(T::ZERO);
                for c in 0..n {
                    let range = self.pattern.col_range(c);
                    for (&r, &v) in self.pattern.col(c).iter().zip(&values[range]) {
                        a[c * n + r as usize] = v;
                    }
                }
                lu.factor()?;
                self.searches += 1;
            }
            Method::Sparse(lu) => {
                if lu.factor(values)? {
                    self.searches += 1;
                }
            }
        }
        self.factored = true;
        Ok(())
    }

    /// Overwrites `b` by the solution of A x = b; `factor` must have succeeded. Several right-hand sides stand side by side: number `i` of
    /// side `d` of `m` is at `i·m + d`.
    pub fn solve(&mut self, b: &mut [T]) {
        debug_assert!(self.factored);
        let n = self.pattern.n();
        match &mut self.method {
            Method::Dense(lu) => sides::solve(lu, n, b, &mut self.strip),
            Method::Sparse(lu) => sides::solve(&mut **lu, n, b, &mut self.strip),
        }
    }

    /// Overwrites `b` by the solution of Aᵀ x = b; `factor` must have succeeded.
    pub fn solve_transposed(&mut self, b: &mut [T]) {
        debug_assert!(self.factored);
        match &mut self.method {
            Method::Dense(lu) => lu.solve_transposed(b),
            Method::Sparse(lu) => lu.solve_transposed(b),
        }
    }
}
