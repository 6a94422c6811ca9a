//! Gaussian elimination with partial pivoting, Cholesky's factors, triangular systems.

use super::matrix::Mat;

/// A = P·L·U in place; row i was exchanged with row `pivots[i]`.
#[derive(Clone, Debug)]
pub struct Lu {
    pub lu: Mat,
    pub pivots: Vec<usize>,
    /// The first pivot that is zero.
    pub singular: Option<usize>,
}

pub fn factor(a: Mat) -> Lu {
    let mut lu = a;
    let (m, n) = (lu.rows, lu.columns);
    let mut pivots = Vec::with_capacity(m.min(n));
    let mut singular = None;
    for k in 0..m.min(n) {
        let mut p = k;
        for i in k + 1..m {
            if lu[(i, k)].abs() > lu[(p, k)].abs() {
                p = i;
            }
        }
        pivots.push(p);
        if lu[(p, k)] == 0.0 {
            singular = singular.or(Some(k));
            continue;
        }
        if p != k {
            lu.swap_rows(p, k);
        }
        for i in k + 1..m {
            let f = lu[(i, k)] / lu[(k, k)];
            lu[(i, k)] = f;
            if f != 0.0 {
                for j in k + 1..n {
                    lu[(i, j)] -= f * lu[(k, j)];
                }
            }
        }
    }
    Lu {
        lu,
        pivots,
        singular,
    }
}

impl Lu {
    /// Solves A·X = B in place.
    pub fn solve(&self, b: &mut Mat) {
        for (i, &p) in self.pivots.iter().enumerate() {
            if p != i {
                b.swap_rows(i, p);
            }
        }
        let lower = Triangle {
            upper: false,
            transposed: false,
            unit: true,
        };
        let upper = Triangle {
            upper: true,
            transposed: false,
            unit: false,
        };
        lower.solve(&self.lu, b);
        upper.solve(&self.lu, b);
    }

    /// Solves Aᵀ·X = B in place.
    pub fn solve_transposed(&self, b: &mut Mat) {
        let upper = Triangle {
            upper: true,
            transposed: true,
            unit: false,
        };
        let lower = Triangle {
            upper: false,
            transposed: true,
            unit: true,
        };
        upper.solve(&self.lu, b);
        lower.solve(&self.lu, b);
        for (i, &p) in self.pivots.iter().enumerate().rev() {
            if p != i {
                b.swap_rows(i, p);
            }
        }
    }

    pub fn inverse(&self) -> Mat {
        let mut inverse = Mat::identity(self.lu.rows);
        self.solve(&mut inverse);
        inverse
    }
}

/// Which part of a matrix a triangular system uses, and how.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    pub upper: bool,
    pub transposed: bool,
    pub unit: bool,
}

impl Triangle {
    /// Solves op(A)·X = B in place.
    pub fn solve(self, a: &Mat, b: &mut Mat) {
        let n = b.rows;
        let at = |i: usize, j: usize| {
            if self.transposed {
                a[(j, i)]
            } else {
                a[(i, j)]
            }
        };
        let forward = self.upper == self.transposed;
        for step in 0..n {
            let i = if forward { step } else { n - 1 - step };
            let known = if forward { 0..i } else { i + 1..n };
            for c in 0..b.columns {
                let mut x = b[(i, c)];
                for j in known.clone() {
                    x -= at(i, j) * b[(j, c)];
                }
                b[(i, c)] = if self.unit { x } else { x / at(i, i) };
            }
        }
    }
}

/// The Cholesky factor in the wanted triangle, or the first row that is not positive.
pub fn cholesky(a: &mut Mat, upper: bool) -> Option<usize> {
    let n = a.rows;
    // The lower factor of A is the transpose of the upper one: index by (k, i) or (i, k).
    let at = |i: usize, k: usize| if upper { (k, i) } else { (i, k) };
    for j in 0..n {
        let mut d = a[(j, j)];
        for k in 0..j {
            d -= a[at(j, k)] * a[at(j, k)];
        }
        if d <= 0.0 || d.is_nan() {
            return Some(j);
        }
        let d = d.sqrt();
        a[(j, j)] = d;
        for i in j + 1..n {
            let mut x = a[at(i, j)];
            for k in 0..j {
                x -= a[at(i, k)] * a[at(j, k)];
            }
            a[at(i, j)] = x / d;
        }
    }
    None
}
