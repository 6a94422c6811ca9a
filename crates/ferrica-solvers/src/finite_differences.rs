//! Jacobians by coloured finite differences, for systems that provide none.
//!
//! In: a pattern. Out: groups of columns without a common row; one evaluation gives the columns of a group at once. Greedy colouring in
//! natural order; at least as many groups as the fullest row has entries.

use crate::sparse::CscPattern;
use crate::system::EvalError;

/// Columns grouped for simultaneous differences.
#[derive(Clone, Debug, Default)]
pub struct Colouring {
    /// Columns of group g: `columns[starts[g]..starts[g + 1]]`.
    columns: Vec<u32>,
    starts: Vec<u32>,
    shifted: Vec<f64>,
    shifted_p: Vec<f64>,
    changed: Vec<f64>,
    step: Vec<f64>,
}

impl Colouring {
    pub fn new(pattern: &CscPattern) -> Colouring {
        let n = pattern.n();
        let rows = pattern.transposed();
        let mut colour = vec![u32::MAX; n];
        let mut taken: Vec<u32> = Vec::new();
        for c in 0..n {
            for &r in pattern.col(c) {
                for &other in rows.col(r as usize) {
                    let used = colour[other as usize];
                    if used != u32::MAX {
                        taken[used as usize] = c as u32;
                    }
                }
            }
            let free = taken.iter().position(|&mark| mark != c as u32);
            let pick = free.unwrap_or_else(|| {
                taken.push(u32::MAX);
                taken.len() - 1
            });
            colour[c] = pick as u32;
        }
        let mut columns: Vec<u32> = (0..n as u32).collect();
        columns.sort_by_key(|&c| colour[c as usize]);
        let mut starts = vec![0u32; taken.len() + 1];
        for &g in &colour {
            starts[g as usize + 1] += 1;
        }
        for g in 0..taken.len() {
            starts[g + 1] += starts[g];
        }
        Colouring {
            columns,
            starts,
            shifted: vec![0.0; n],
            shifted_p: vec![0.0; n],
            changed: vec![0.0; n],
            step: vec![0.0; n],
        }
    }

    /// Evaluations that one Jacobian takes.
    pub fn groups(&self) -> usize {
        self.starts.len() - 1
    }

    /// Values of ∂f/∂y + cj ∂f/∂y' of a function whose value at `(y, yp)` is `base`. Without `yp` (empty), `cj` is not
    /// used. An unknown is shifted by √ε of its size, at least by its tolerance `1 / weight`: less could drown in
    /// rounding where the unknown is small beside others.
    pub fn differences(
        &mut self,
        pattern: &CscPattern,
        cj: f64,
        y: &[f64],
        yp: &[f64],
        base: &[f64],
        weight: &[f64],
        h: f64,
        values: &mut [f64],
        f: &mut impl FnMut(&[f64], &[f64], &mut [f64]) -> Result<(), EvalError>,
    ) -> Result<(), EvalError> {
        let root_eps = f64::EPSILON.sqrt();
        self.shifted.copy_from_slice(y);
        if !yp.is_empty() {
            self.shifted_p.copy_from_slice(yp);
        }
        for g in 0..self.groups() {
            let group = &self.columns[self.starts[g] as usize..self.starts[g + 1] as usize];
            for &c in group {
                let c = c as usize;
                let change = yp.get(c).map_or(0.0, |v| (h * v).abs());
                let size = (root_eps * y[c].abs().max(change)).max(1.0 / weight[c]);
                // The shift as it is stored, in the direction of the solution.
                let away = if yp.get(c).is_some_and(|v| *v < 0.0) {
                    -size
                } else {
                    size
                };
                self.shifted[c] = y[c] + away;
                self.step[c] = self.shifted[c] - y[c];
                if !yp.is_empty() {
                    self.shifted_p[c] = yp[c] + cj * self.step[c];
                }
            }
            f(&self.shifted, &self.shifted_p, &mut self.changed)?;
            for &c in group {
                let c = c as usize;
                let inv = 1.0 / self.step[c];
                for (k, &r) in pattern.col_range(c).zip(pattern.col(c)) {
                    values[k] = (self.changed[r as usize] - base[r as usize]) * inv;
                }
                self.shifted[c] = y[c];
                if !yp.is_empty() {
                    self.shifted_p[c] = yp[c];
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tridiagonal_needs_three_groups() {
        let n = 100;
        let entries = (0..n)
            .flat_map(|i| [(i, i), (i, (i + 1).min(n - 1)), ((i + 1).min(n - 1), i)].into_iter());
        let p = CscPattern::from_entries(n, entries);
        let mut c = Colouring::new(&p);
        assert_eq!(c.groups(), 3);
        // f_i = y_i² + 2 y_{i-1} + 3 y'_{i+1}
        let y: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
        let yp = vec![0.5; n];
        let mut f = |y: &[f64], yp: &[f64], r: &mut [f64]| {
            for i in 0..n {
                r[i] = y[i] * y[i]
                    + if i > 0 { 2.0 * y[i - 1] } else { 0.0 }
                    + if i + 1 < n { 3.0 * yp[i + 1] } else { 0.0 };
            }
            Ok(())
        };
        let mut base = vec![0.0; n];
        f(&y, &yp, &mut base).unwrap();
        let mut v = vec![0.0; p.nnz()];
        c.differences(&p, 10.0, &y, &yp, &base, &vec![1e6; n], 0.1, &mut v, &mut f)
            .unwrap();
        for (k, (r, col)) in p.entries().enumerate() {
            let exact = match (r, col) {
                (r, c) if r == c => 2.0 * y[r],
                (r, c) if r == c + 1 => 2.0,
                _ => 30.0,
            };
            assert!(
                (v[k] - exact).abs() < 1e-5 * exact,
                "({r}, {col}): {} for {exact}",
                v[k]
            );
        }
    }
}
