//! Answers without memory that are not a weighted sum: resistors with another law, and loops.

use std::sync::Arc;

use ferrica_ir::VarId;
use ferrica_ir::flat::FlatModel;

use crate::dual::{Moving, evaluate};
use crate::steps::{Plan, Values};

const NEWTON: usize = 50;
const CONVERGED: f64 = 1e-12;
/// Laws of one loop that are tried on either side.
const MAX_KINKS: usize = 6;
const SMALLEST_PART: f64 = 1e-7;

/// Effort from flow or flow from effort by the equations of an element.
#[derive(Clone, Debug)]
pub struct Law {
    pub flat: Arc<FlatModel>,
    pub plan: Plan,
    pub told: Moving,
    /// Signals that change the law.
    pub modulations: Vec<Moving>,
    pub answer: Moving,
    /// Boolean variables that the law and the unknowns decide together, with their equations.
    pub guesses: Vec<(VarId, usize)>,
    /// Signs of told and answered quantity against the effort and flow of the bond.
    pub signs: (f64, f64),
    pub at: Values,
}

impl Law {
    pub fn value(&mut self, x: f64, modulations: &[f64]) -> Option<f64> {
        self.at.set(self.told, self.signs.0 * x);
        for (q, v) in self.modulations.iter().zip(modulations) {
            self.at.set(*q, *v);
        }
        // The last answer first: most often nothing switches.
        let last = self.guessed();
        for k in 0..1u32 << self.guesses.len() {
            let pattern = last ^ k;
            for (bit, &(v, _)) in self.guesses.iter().enumerate() {
                let on = f64::from(pattern >> bit & 1);
                self.at.set(Moving::Value(v), on);
            }
            if self.plan.run(&self.flat, &[], &mut self.at) && self.guess_holds() {
                return Some(self.signs.1 * self.at.get(self.answer));
            }
        }
        None
    }

    fn guessed(&self) -> u32 {
        let bit = |(k, &(v, _)): (usize, &(VarId, usize))| {
            u32::from(self.at.get(Moving::Value(v)) > 0.5) << k
        };
        self.guesses.iter().enumerate().map(bit).sum()
    }

    fn guess_holds(&self) -> bool {
        self.guesses.iter().all(|&(v, equation)| {
            let e = &self.flat.equations[equation];
            let told = evaluate(&self.flat.exprs, e.rhs, &self.at.point(Moving::Nothing));
            told.is_some_and(|d| (d.value > 0.5) == (self.at.get(Moving::Value(v)) > 0.5))
        })
    }

    /// Value and slope.
    fn tangent(&mut self, x: f64, modulations: &[f64]) -> Option<(f64, f64)> {
        let h = 1e-6 * x.abs().max(1e-6);
        let y = self.value(x, modulations)?;
        let z = self.value(x + h, modulations)?;
        Some((y, (z - y) / h))
    }
}

/// A row of a loop: an unknown from other unknowns and inputs.
pub enum Row {
    /// Coefficients of the unknowns and of the inputs.
    Linear(Vec<(usize, f64)>, Vec<(usize, f64)>),
    /// A law of one unknown; its modulations are inputs.
    Law(Box<Law>, usize, Vec<usize>),
}

/// y = F(y, u), solved by Newton's method; factored once where F is linear.
pub struct Loop {
    rows: Vec<Row>,
    /// dy/du of a linear loop, row by row.
    gain: Option<Vec<f64>>,
}

impl Loop {
    /// `None` if the loop is linear and singular: its elements contradict or do not determine each other.
    pub fn new(rows: Vec<Row>, inputs: usize) -> Option<Loop> {
        let linear = rows.iter().all(|r| matches!(r, Row::Linear(..)));
        let n = rows.len();
        let mut gain = None;
        if linear {
            let mut columns = vec![0.0; n * inputs];
            let mut a = identity(n);
            for (r, row) in rows.iter().enumerate() {
                if let Row::Linear(own, from) = row {
                    own.iter().for_each(|&(c, w)| a[r * n + c] -= w);
                    from.iter().for_each(|&(c, w)| columns[r * inputs + c] += w);
                }
            }
            solve(&mut a, &mut columns, n, inputs)?;
            gain = Some(columns);
        }
        Some(Loop { rows, gain })
    }

    pub fn is_linear(&self) -> bool {
        self.gain.is_some()
    }

    /// Of a linear loop the inputs' weights in each output, row by row.
    pub fn gain(&self) -> Option<&[f64]> {
        self.gain.as_deref()
    }

    pub fn solve(&mut self, u: &[f64], y: &mut [f64]) -> bool {
        let n = y.len();
        if let Some(gain) = &self.gain {
            for (r, out) in y.iter_mut().enumerate() {
                let row = &gain[r * u.len()..(r + 1) * u.len()];
                *out = row.iter().zip(u).map(|(g, x)| g * x).sum();
            }
            return true;
        }
        let before = y.to_vec();
        if self.newton(u, y) {
            return true;
        }
        // Laws with a kink: begin on each side of every one of them.
        let laws: Vec<usize> = (0..self.rows.len())
            .filter(|&r| matches!(self.rows[r], Row::Law(..)))
            .collect();
        let far = 1e3 * (1.0 + norm(&before) + norm(u));
        for pattern in 0..1u32 << laws.len().min(MAX_KINKS) {
            let mut points = vec![0.0; n];
            for (bit, &r) in laws.iter().enumerate() {
                if let Row::Law(_, c, _) = &self.rows[r] {
                    points[*c] = if pattern >> bit & 1 == 1 { far } else { -far };
                }
            }
            let Some((mut a, mut rest)) = self.linearised(u, &points) else {
                continue;
            };
            if solve(&mut a, &mut rest, n, 1).is_none() {
                continue;
            }
            for ((y, p), d) in y.iter_mut().zip(&points).zip(&rest) {
                *y = p + d;
            }
            if self.newton(u, y) {
                return true;
            }
        }
        false
    }

    fn newton(&mut self, u: &[f64], y: &mut [f64]) -> bool {
        let n = y.len();
        let mut trial = vec![0.0; n];
        let Some((mut a, mut rest)) = self.linearised(u, y) else {
            return false;
        };
        for _ in 0..NEWTON {
            let size = norm(&rest);
            if solve(&mut a, &mut rest, n, 1).is_none() {
                return false;
            }
            let scale = norm(y).max(1e-30);
            // Half the way until it comes nearer: laws with a kink lie about what is beyond it.
            let mut part = 1.0;
            let next = loop {
                for ((t, y), d) in trial.iter_mut().zip(&*y).zip(&rest) {
                    *t = y + part * d;
                }
                let Some(next) = self.linearised(u, &trial) else {
                    return false;
                };
                if norm(&next.1) < size
                    || part < SMALLEST_PART
                    || part * norm(&rest) <= CONVERGED * scale
                {
                    break next;
                }
                part *= 0.5;
            };
            y.copy_from_slice(&trial);
            if part * norm(&rest) <= CONVERGED * scale || norm(&next.1) == 0.0 {
                return true;
            }
            if !norm(y).is_finite() {
                return false;
            }
            (a, rest) = next;
        }
        false
    }

    /// 1 - F' and F(y) - y.
    fn linearised(&mut self, u: &[f64], y: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = y.len();
        let mut a = identity(n);
        let mut rest = vec![0.0; n];
        for (r, row) in self.rows.iter_mut().enumerate() {
            rest[r] = -y[r];
            match row {
                Row::Linear(own, from) => {
                    for &(c, w) in own.iter() {
                        a[r * n + c] -= w;
                        rest[r] += w * y[c];
                    }
                    rest[r] += from.iter().map(|&(c, w)| w * u[c]).sum::<f64>();
                }
                Row::Law(law, c, modulations) => {
                    let m: Vec<f64> = modulations.iter().map(|&k| u[k]).collect();
                    let (value, slope) = law.tangent(y[*c], &m)?;
                    a[r * n + *c] -= slope;
                    rest[r] += value;
                }
            }
        }
        Some((a, rest))
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().fold(0.0f64, |m, v| m.max(v.abs()))
}

fn identity(n: usize) -> Vec<f64> {
    let mut a = vec![0.0; n * n];
    (0..n).for_each(|k| a[k * n + k] = 1.0);
    a
}

/// Gaussian elimination with row pivoting; `b` becomes the solution for each of its columns.
fn solve(a: &mut [f64], b: &mut [f64], n: usize, columns: usize) -> Option<()> {
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))?;
        let scale = a[p * n..(p + 1) * n]
            .iter()
            .fold(0.0f64, |m, v| m.max(v.abs()));
        if a[p * n + k].abs() <= 1e-11 * scale {
            return None;
        }
        if p != k {
            (0..n).for_each(|c| a.swap(k * n + c, p * n + c));
            (0..columns).for_each(|c| b.swap(k * columns + c, p * columns + c));
        }
        for r in 0..n {
            let factor = a[r * n + k] / a[k * n + k];
            if r == k || factor == 0.0 {
                continue;
            }
            for c in k..n {
                a[r * n + c] -= factor * a[k * n + c];
            }
            for c in 0..columns {
                b[r * columns + c] -= factor * b[k * columns + c];
            }
        }
    }
    for k in 0..n {
        for c in 0..columns {
            b[k * columns + c] /= a[k * n + k];
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y0 = 2 y1 + u0, y1 = -y0 + u1: y0 = (2 u1 + u0)/3, y1 = (u1 - u0)/3.
    #[test]
    fn a_linear_loop_is_solved() {
        let rows = vec![
            Row::Linear(vec![(1, 2.0)], vec![(0, 1.0)]),
            Row::Linear(vec![(0, -1.0)], vec![(1, 1.0)]),
        ];
        let mut l = Loop::new(rows, 2).unwrap();
        let mut y = [0.0; 2];
        assert!(l.solve(&[3.0, 6.0], &mut y));
        assert!((y[0] - 5.0).abs() < 1e-14 && (y[1] - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_loop_with_gain_one_is_singular() {
        let rows = vec![Row::Linear(vec![(0, 1.0)], vec![(0, 1.0)])];
        assert!(Loop::new(rows, 1).is_none());
    }
}
