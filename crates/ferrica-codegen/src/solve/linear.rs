//! Linear systems of the model: LU with pivoting; a constant matrix is factored once, a singular but consistent
//! system is solved with its free unknowns kept.

use super::MAX_DENSE;

use crate::evaluator::{Evaluator, Failure, SystemState};
use crate::model::{CompiledModel, System, SystemKind};
use crate::program::SystemId;

impl Evaluator {
    pub(super) fn solve_linear(
        &mut self,
        model: &CompiledModel,
        id: SystemId,
    ) -> Result<(), Failure> {
        let system = &model.systems[id];
        let SystemKind::Linear {
            constant,
            matrix,
            rhs,
            then,
            ..
        } = &system.kind
        else {
            return Ok(());
        };
        self.counters.linear_solves += 1;
        let known = *constant && self.systems[id].factored;
        if !known {
            self.exec(model, matrix)?;
        }
        self.exec(model, rhs)?;
        let mut state = self.take_state(system, id);
        let n = system.unknowns.len();
        let (a, b) = (system.matrix as usize, system.rhs as usize);
        let nnz = system.pattern.nnz();
        let mut solved = Ok(());
        state.dx.copy_from_slice(&self.slots[b..b + n]);
        if n == 1 {
            let pivot = if nnz == 1 { self.slots[a] } else { 0.0 };
            if pivot == 0.0 || !pivot.is_finite() {
                // 0·x = 0 leaves the value as it is.
                if pivot == 0.0 && state.dx[0] == 0.0 {
                    state.dx[0] = self.slots[system.unknowns[0] as usize];
                } else {
                    solved = Err((0, 0));
                }
            } else {
                state.dx[0] /= pivot;
                state.factored = true;
            }
        } else if let Some(lu) = &mut state.lu {
            if !known {
                solved = lu
                    .factor(&self.slots[a..a + nnz])
                    .map_err(|s| (s.row, s.col));
                state.factored = solved.is_ok();
            }
            if solved.is_ok() {
                lu.solve(&mut state.dx);
                if state.dx.iter().any(|v| !v.is_finite()) {
                    solved = Err((usize::MAX, usize::MAX));
                }
            }
        }
        let done = match solved {
            Ok(()) => {
                for (&slot, &v) in system.unknowns.iter().zip(&state.dx) {
                    self.slots[slot as usize] = v;
                }
                Ok(())
            }
            Err((row, col)) => {
                if self.solve_consistent(system, &mut state) {
                    Ok(())
                } else {
                    Err(self.singular(model, system, row, col))
                }
            }
        };
        self.systems[id] = state;
        done?;
        self.exec(model, then)
    }

    /// A singular but consistent system (an ideal switch network with a floating part, for example):
    /// a solution in which what is not determined keeps its value. False if there is none.
    pub(super) fn solve_consistent(&mut self, system: &System, state: &mut SystemState) -> bool {
        let n = system.unknowns.len();
        for (x, &slot) in state.x.iter_mut().zip(&system.unknowns) {
            *x = self.slots[slot as usize];
        }
        // Correction to the present values: A·d = b − A·x.
        let mut r: Vec<f64> = self.slots[system.rhs as usize..][..n].to_vec();
        for (k, (i, j)) in system.pattern.entries().enumerate() {
            r[i] -= self.slots[system.matrix as usize + k] * state.x[j];
        }
        let Some(d) = self.consistent(system, &r) else {
            return false;
        };
        for (j, &slot) in system.unknowns.iter().enumerate() {
            self.slots[slot as usize] = state.x[j] + d[j];
        }
        true
    }

    /// A solution of A·d = r with the present matrix, what is not determined being zero.
    pub(super) fn consistent(&self, system: &System, r: &[f64]) -> Option<Vec<f64>> {
        let n = system.unknowns.len();
        if n > MAX_DENSE {
            return None;
        }
        let mut m = vec![0.0; n * n];
        for (k, (r, c)) in system.pattern.entries().enumerate() {
            m[r * n + c] = self.slots[system.matrix as usize + k];
        }
        if r.iter().chain(&m).any(|v| !v.is_finite()) {
            return None;
        }
        consistent_solution(&m, r, n)
    }
}

/// A solution of the singular system A·d = r by elimination with full pivoting, free unknowns zero;
/// `None` if the system contradicts itself.
fn consistent_solution(a: &[f64], r: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut m = a.to_vec();
    let mut b = r.to_vec();
    let largest = m.iter().fold(0.0f64, |s, v| s.max(v.abs()));
    let mut columns: Vec<usize> = (0..n).collect();
    let mut rank = 0;
    while rank < n {
        let (mut p, mut q, mut best) = (rank, rank, 0.0);
        for i in rank..n {
            for j in rank..n {
                if m[i * n + j].abs() > best {
                    (p, q, best) = (i, j, m[i * n + j].abs());
                }
            }
        }
        if best <= 1e-13 * largest || best == 0.0 {
            break;
        }
        for j in 0..n {
            m.swap(p * n + j, rank * n + j);
        }
        b.swap(p, rank);
        for i in 0..n {
            m.swap(i * n + q, i * n + rank);
        }
        columns.swap(q, rank);
        for i in rank + 1..n {
            let f = m[i * n + rank] / m[rank * n + rank];
            if f != 0.0 {
                for j in rank..n {
                    m[i * n + j] -= f * m[rank * n + j];
                }
                b[i] -= f * b[rank];
            }
        }
        rank += 1;
    }
    let size = r.iter().fold(1e-300f64, |s, v| s.max(v.abs()));
    if b[rank..].iter().any(|v| v.abs() > 1e-10 * size.max(1e-10)) {
        return None;
    }
    let mut y = vec![0.0; n];
    for k in (0..rank).rev() {
        let mut s = b[k];
        for j in k + 1..rank {
            s -= m[k * n + j] * y[j];
        }
        y[k] = s / m[k * n + k];
    }
    let mut d = vec![0.0; n];
    for (k, &c) in columns.iter().enumerate() {
        d[c] = y[k];
    }
    Some(d)
}
