//! Elimination of a small dense system, by row scaling and partial pivoting.
//!
//! The operations and their order are those of `export/c/solve.c`, so that exported code gives the same bits: `DenseLu` of ferrica-solvers goes
//! through columns, and rounds elsewhere.

use ferrica_solvers::linear::Singular;
use ferrica_solvers::sparse::CscPattern;

/// Unknowns up to which a system is taken as dense.
pub const DENSE_LIMIT: usize = 40;

/// Factors of a matrix.
#[derive(Clone, Debug)]
pub struct Dense {
    n: usize,
    /// Row by row: multipliers below the diagonal, on it the reciprocals of the pivots.
    a: Vec<f64>,
    scale: Vec<f64>,
    /// The row that was exchanged with row k when k was eliminated, and the rows of the matrix in their new order.
    exchanged: Vec<usize>,
    rows: Vec<usize>,
}

impl Dense {
    pub fn new(n: usize) -> Dense {
        Dense {
            n,
            a: vec![0.0; n * n],
            scale: vec![0.0; n],
            exchanged: vec![0; n],
            rows: vec![0; n],
        }
    }

    /// Factors the matrix with these values.
    pub fn factor(&mut self, pattern: &CscPattern, values: &[f64]) -> Result<(), Singular> {
        let n = self.n;
        let a = &mut self.a;
        a.fill(0.0);
        for ((r, c), v) in pattern.entries().zip(values) {
            a[r * n + c] = *v;
        }
        for (i, scale) in self.scale.iter_mut().enumerate() {
            let row = &a[i * n..(i + 1) * n];
            let largest = row.iter().fold(0.0, |l: f64, v| l.max(v.abs()));
            *scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
            self.rows[i] = i;
        }
        for k in 0..n {
            let (mut p, mut largest) = (k, 0.0);
            for i in k..n {
                let size = a[i * n + k].abs() * self.scale[i];
                if size > largest {
                    (p, largest) = (i, size);
                }
            }
            if largest.is_nan() || largest <= 0.0 {
                return Err(Singular {
                    row: self.rows[k],
                    col: k,
                    structural: false,
                });
            }
            self.exchanged[k] = p;
            if p != k {
                for j in 0..n {
                    a.swap(k * n + j, p * n + j);
                }
                self.scale.swap(k, p);
                self.rows.swap(k, p);
            }
            let inverse = 1.0 / a[k * n + k];
            a[k * n + k] = inverse;
            let (upper, lower) = a.split_at_mut((k + 1) * n);
            let pivot = &upper[k * n..];
            for row in lower.chunks_exact_mut(n) {
                let l = row[k] * inverse;
                row[k] = l;
                if l != 0.0 {
                    for (x, u) in row[k + 1..].iter_mut().zip(&pivot[k + 1..]) {
                        *x -= l * u;
                    }
                }
            }
        }
        Ok(())
    }

    /// Solves in place.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for (k, &p) in self.exchanged.iter().enumerate() {
            b.swap(k, p);
        }
        for k in 0..n {
            for i in k + 1..n {
                let l = self.a[i * n + k];
                if l != 0.0 {
                    b[i] -= l * b[k];
                }
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                b[k] -= self.a[k * n + j] * b[j];
            }
            b[k] *= self.a[k * n + k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_names_what_is_singular() {
        let rows = [[0.0, 2.0, 1.0], [4.0, 0.0, -1.0], [1.0, 3.0, 0.0]];
        let places = (0..3).flat_map(|r| (0..3).map(move |c| (r, c)));
        let pattern = CscPattern::from_entries(3, places);
        let values: Vec<f64> = pattern.entries().map(|(r, c)| rows[r][c]).collect();
        let mut dense = Dense::new(3);
        assert!(dense.factor(&pattern, &values).is_ok());
        let exact = [1.5, -2.0, 0.25];
        let mut b = rows.map(|r| r.iter().zip(&exact).map(|(a, x)| a * x).sum::<f64>());
        dense.solve(&mut b);
        assert!(b.iter().zip(&exact).all(|(x, e)| (x - e).abs() < 1e-14));
        // The last column twice the first.
        let twice = |(r, c): (usize, usize)| if c == 2 { 2.0 * rows[r][0] } else { rows[r][c] };
        let values: Vec<f64> = pattern.entries().map(twice).collect();
        assert_eq!(dense.factor(&pattern, &values).map_err(|s| s.col), Err(2));
    }
}
