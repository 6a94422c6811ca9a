//! What is tried where damped Newton iterations fail: one equation is bracketed, a system takes
//! Levenberg–Marquardt steps.

use ferrica_solvers::dense::DenseLu;

use super::{LM_SOLVED, MAX_DENSE};
use crate::evaluator::{Evaluator, Failure, SystemState};
use crate::model::{CompiledModel, System};

/// The search for a change of sign begins with this part of the unknown's size and grows by this factor.
const FIRST_REACH: f64 = 1e-7;
const REACH_GROWTH: f64 = 1.7;
/// Number of its steps to each side: as far as some 10^9 times the size.
const REACH_STEPS: usize = 70;
const MAX_LM_ITERATIONS: usize = 200;
/// Where an iteration begins again that cannot leave zero, in parts of the nominal value.
const BESIDE_ZERO: [f64; 4] = [1e-2, -1e-2, 1.0, -1.0];

impl Evaluator {
    /// One equation in one unknown: the nearest change of sign around `begin`, then halving. Finds the branch that is left where the
    /// present one ends (a trigger that switches), which no descent can.
    pub(super) fn bracket(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        begin: f64,
        failure: &mut Option<Failure>,
    ) -> bool {
        if system.unknowns.len() != 1 || !begin.is_finite() {
            return false;
        }
        let slot = system.unknowns[0] as usize;
        let mut value = |ev: &mut Evaluator, x: f64| {
            ev.slots[slot] = x;
            ev.residuals(model, system, failure)
                .then(|| ev.slots[system.rhs as usize])
        };
        let Some(f) = value(self, begin) else {
            return false;
        };
        let nominal = model.nominal(system.unknowns[0]);
        let mut reach = FIRST_REACH * begin.abs().max(1e-3 * nominal);
        let mut sides = [Some((begin, f)); 2];
        let mut found = None;
        'search: for _ in 0..REACH_STEPS {
            for (side, direction) in sides.iter_mut().zip([1.0, -1.0]) {
                let Some((near, f_near)) = *side else {
                    continue;
                };
                let x = begin + direction * reach;
                *side = value(self, x).map(|f| (x, f));
                if let Some((x, f)) = *side
                    && (f > 0.0) != (f_near > 0.0)
                {
                    found = Some((near, f_near, x));
                    break 'search;
                }
            }
            reach *= REACH_GROWTH;
        }
        let Some((mut a, f_a, mut b)) = found else {
            self.slots[slot] = begin;
            return false;
        };
        let mut last = f64::INFINITY;
        while (b - a).abs() > 2.0 * f64::EPSILON * a.abs().max(b.abs()) {
            let x = 0.5 * (a + b);
            let Some(f) = value(self, x) else {
                break;
            };
            last = f;
            if f == 0.0 || x == a || x == b {
                break;
            }
            if (f > 0.0) == (f_a > 0.0) {
                a = x;
            } else {
                b = x;
            }
        }
        // A jump over zero is no solution.
        last.abs() <= 1e-6 * f_a.abs().max(f.abs())
            && (self.newton(model, system, state, failure) || {
                self.slots[slot] = a;
                self.residuals(model, system, failure)
            })
    }

    /// Begins again beside zero with the unknowns that are zero, where the residuals or their slopes there say nothing:
    /// `dp = k*m*abs(m)` and `r = sqrt(x^2 + y^2)` are flat or without a slope at zero.
    pub(super) fn begin_beside_zero(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        begin: &[f64],
        failure: &mut Option<Failure>,
    ) -> bool {
        self.put(system, begin);
        let evaluated = self.residuals(model, system, failure)
            && self.nonlinear_jacobian(model, system).is_ok();
        let without_slope = |column: usize| {
            let range = system.pattern.col_range(column);
            let values = &self.slots[system.matrix as usize..][range];
            values.iter().all(|v| *v == 0.0) || values.iter().any(|v| !v.is_finite())
        };
        let stuck = !evaluated || (0..begin.len()).any(|c| begin[c] == 0.0 && without_slope(c));
        if !stuck {
            return false;
        }
        BESIDE_ZERO.iter().any(|part| {
            let beside: Vec<f64> = (begin.iter().zip(&system.unknowns))
                .map(|(&x, &slot)| match x {
                    0.0 => part * model.nominal(slot),
                    _ => x,
                })
                .collect();
            self.put(system, &beside);
            self.newton(model, system, state, failure)
                || self.levenberg_marquardt(model, system, state, &beside, failure)
        })
    }

    /// Levenberg–Marquardt on the scaled system, for singular Jacobians and bad starts.
    pub(super) fn levenberg_marquardt(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        begin: &[f64],
        failure: &mut Option<Failure>,
    ) -> bool {
        let n = system.unknowns.len();
        if n > MAX_DENSE {
            return false;
        }
        self.put(system, begin);
        if !self.residuals(model, system, failure) {
            return false;
        }
        let b = system.rhs as usize;
        let mut damping = 1e-3;
        let mut normal = vec![0.0; n * n];
        let mut dense = vec![0.0; n * n];
        let mut gradient = vec![0.0; n];
        let (mut lu, mut step) = (DenseLu::new(n), vec![0.0; n]);
        for _ in 0..MAX_LM_ITERATIONS {
            self.counters.newton_iterations += 1;
            if self.nonlinear_jacobian(model, system).is_err() {
                return false;
            }
            for k in 0..n {
                state.x[k] = self.slots[system.unknowns[k] as usize];
                let nominal = model.nominal(system.unknowns[k]);
                state.scale[k] = state.x[k].abs().max(1e-3 * nominal);
            }
            if self.weigh(system, state) {
                return true;
            }
            dense.fill(0.0);
            for (k, (r, c)) in system.pattern.entries().enumerate() {
                let j = self.slots[system.matrix as usize + k];
                dense[r * n + c] = j * state.weights[r] * state.scale[c];
            }
            let r: Vec<f64> = (0..n)
                .map(|i| self.slots[b + i] * state.weights[i])
                .collect();
            let before: f64 = r.iter().map(|v| v * v).sum();
            for i in 0..n {
                gradient[i] = (0..n).map(|k| dense[k * n + i] * r[k]).sum();
                for j in 0..n {
                    normal[i * n + j] = (0..n).map(|k| dense[k * n + i] * dense[k * n + j]).sum();
                }
            }
            let mut improved = false;
            while damping < 1e12 {
                // The matrix is symmetric: its rows are its columns.
                let m = lu.matrix_mut();
                m.copy_from_slice(&normal);
                for i in 0..n {
                    m[i * n + i] += damping * (normal[i * n + i] + 1e-12);
                }
                // One unknown is a quotient, as everywhere.
                let only = m.first().copied().unwrap_or(1.0);
                if lu.factor().is_ok() {
                    step.copy_from_slice(&gradient);
                    match n {
                        1 => step[0] /= only,
                        _ => lu.solve(&mut step),
                    }
                    for (k, s) in step.iter().enumerate() {
                        self.slots[system.unknowns[k] as usize] = state.x[k] - s * state.scale[k];
                    }
                    if self.residuals(model, system, failure) {
                        let after: f64 = (0..n)
                            .map(|i| (self.slots[b + i] * state.weights[i]).powi(2))
                            .sum();
                        if after < before {
                            improved = true;
                            damping = (damping * 0.2).max(1e-14);
                            let small = step.iter().fold(0.0f64, |m, s| m.max(s.abs()));
                            if after.sqrt() < LM_SOLVED && small < 1e-6 {
                                return true;
                            }
                            break;
                        }
                    }
                }
                damping *= 5.0;
            }
            if !improved {
                let x = state.x.clone();
                self.put(system, &x);
                return self.residuals(model, system, failure) && before.sqrt() < 10.0 * LM_SOLVED;
            }
        }
        false
    }
}
