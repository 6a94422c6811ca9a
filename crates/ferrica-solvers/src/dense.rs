//! Dense LU factorization with partial pivoting, for small or full matrices.
//!
//! In: an n×n matrix by columns. Out: solutions of A x = b and Aᵀ x = b. Right-looking elimination, column oriented, so that the
//! inner loops run over contiguous memory. Rows are scaled by their largest entry for the choice of pivots only.

use crate::linear::Singular;
use crate::scalar::Scalar;
use crate::sides::{Factors, take_off, times};

/// Factors of a dense matrix; owns all memory that it needs.
#[derive(Clone, Debug)]
pub struct DenseLu<T: Scalar> {
    n: usize,
    /// L below the diagonal (unit diagonal not stored), U above, reciprocal pivots on it.
    a: Vec<T>,
    /// Row interchanges in the order in which they happen.
    swaps: Vec<u32>,
    scale: Vec<f64>,
}

impl<T: Scalar> Factors<T> for DenseLu<T> {
    fn solve_sides<const L: usize>(&mut self, b: &mut [[T; L]]) {
        self.solve_beside(b);
    }
}

impl<T: Scalar> DenseLu<T> {
    pub fn new(n: usize) -> DenseLu<T> {
        DenseLu {
            n,
            a: vec![T::ZERO; n * n],
            swaps: vec![0; n],
            scale: vec![1.0; n],
        }
    }

    pub fn n(&self) -> usize {
        self.n
    }

    /// The matrix by columns, to be filled before `factor`.
    pub fn matrix_mut(&mut self) -> &mut [T] {
        &mut self.a
    }

    /// Factors the matrix in place. Does not allocate.
    pub fn factor(&mut self) -> Result<(), Singular> {
        let n = self.n;
        self.scale.fill(0.0);
        for column in self.a.chunks_exact(n.max(1)) {
            for (s, v) in self.scale.iter_mut().zip(column) {
                *s = s.max(v.magnitude());
            }
        }
        for s in &mut self.scale {
            *s = if *s > 0.0 && s.is_finite() {
                1.0 / *s
            } else {
                1.0
            };
        }
        for k in 0..n {
            let column = &self.a[k * n..(k + 1) * n];
            let (mut p, mut largest) = (k, 0.0f64);
            let mut finite = true;
            for (i, v) in column.iter().enumerate().skip(k) {
                let size = v.magnitude() * self.scale[i];
                finite &= size.is_finite();
                if size > largest {
                    (p, largest) = (i, size);
                }
            }
            if largest <= 0.0 || !finite {
                return Err(Singular {
                    row: self.original_row(k, k),
                    col: k,
                    structural: false,
                });
            }
            self.swaps[k] = p as u32;
            if p != k {
                self.scale.swap(k, p);
                for column in self.a.chunks_exact_mut(n) {
                    column.swap(k, p);
                }
            }
            let (left, right) = self.a.split_at_mut((k + 1) * n);
            let column = &mut left[k * n..];
            let inv = T::ONE / column[k];
            column[k] = inv;
            let (_, below) = column.split_at_mut(k + 1);
            for v in below.iter_mut() {
                *v = *v * inv;
            }
            for other in right.chunks_exact_mut(n) {
                let u = other[k];
                if u != T::ZERO {
                    for (x, l) in other[k + 1..].iter_mut().zip(below.iter()) {
                        *x -= *l * u;
                    }
                }
            }
        }
        Ok(())
    }

    /// Row of the given matrix that stands at position `i` after `done` interchanges.
    fn original_row(&self, i: usize, done: usize) -> usize {
        (0..done)
            .rev()
            .fold(i, |i, k| match self.swaps[k] as usize {
                p if p == i => k,
                p if k == i => p,
                _ => i,
            })
    }

    /// Overwrites `b` by the solution of A x = b. Does not allocate.
    pub fn solve(&self, b: &mut [T]) {
        self.solve_beside::<1>(b.as_chunks_mut().0);
    }

    /// The same for several right-hand sides, side by side.
    fn solve_beside<const L: usize>(&self, b: &mut [[T; L]]) {
        let n = self.n;
        for k in 0..n {
            b.swap(k, self.swaps[k] as usize);
        }
        for k in 0..n {
            let (head, tail) = b.split_at_mut(k + 1);
            let v = head[k];
            for (x, l) in tail.iter_mut().zip(&self.a[k * n + k + 1..(k + 1) * n]) {
                take_off(x, &v, *l);
            }
        }
        for k in (0..n).rev() {
            let (head, tail) = b.split_at_mut(k);
            let v = times(tail[0], self.a[k * n + k]);
            tail[0] = v;
            for (x, u) in head.iter_mut().zip(&self.a[k * n..k * n + k]) {
                take_off(x, &v, *u);
            }
        }
    }

    /// Overwrites `b` by the solution of Aᵀ x = b. Does not allocate.
    pub fn solve_transposed(&self, b: &mut [T]) {
        let n = self.n;
        for k in 0..n {
            let column = &self.a[k * n..(k + 1) * n];
            let sum = column[..k]
                .iter()
                .zip(b.iter())
                .fold(T::ZERO, |s, (u, x)| s + *u * *x);
            b[k] = (b[k] - sum) * column[k];
        }
        for k in (0..n).rev() {
            let column = &self.a[k * n + k + 1..(k + 1) * n];
            let sum = column
                .iter()
                .zip(&b[k + 1..])
                .fold(T::ZERO, |s, (l, x)| s + *l * *x);
            b[k] -= sum;
        }
        for k in (0..n).rev() {
            b.swap(k, self.swaps[k] as usize);
        }
    }
}
