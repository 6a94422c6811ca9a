//! Linear and nonlinear systems of the model, solved on the slots.
//!
//! Nonlinear systems take Newton's method from the present values, damped so that the weighted residual falls, with the symbolic
//! Jacobian or exact tangents; then with [`limited`] exponentials, then what [`rescue`] has, a restart from the start values, at last the same loop torn elsewhere. A system that stays unsolved is
//! reported with its largest residuals, the equations they belong to, and the values of the unknowns. Linear systems: [`linear`].

mod inner;
mod limited;
mod linear;
mod rescue;
mod singular;
mod tangent;

pub(crate) use inner::{DETERMINED, RESTS, ROUNDED, SMALL as INNER_SMALL};

use ferrica_ir::print::brief;
use ferrica_solvers::linear::LinearSolver;

use crate::evaluator::{Evaluator, Failure, SystemState};
use crate::layout::Slot;
use crate::model::{CompiledModel, System, SystemKind};
use crate::program::SystemId;
use crate::tape::Tape;

/// Relative size of the last Newton correction. It is applied, so by quadratic convergence the error is
/// about its square.
pub(crate) const STEP_TOLERANCE: f64 = 1e-8;
/// Below this part of its nominal value an unknown is compared with the nominal value.
const SMALL: f64 = 1e-6;
const MAX_ITERATIONS: usize = 60;
/// Corrections within the tolerance after which inner variables still move: quadratic convergence needs two or three.
pub(crate) const MAX_RESTLESS: usize = 8;
/// Smallest damping factor.
const MIN_DAMPING: f64 = 1.0 / 4096.0;
/// Residual in units of rounding errors of its terms that counts as zero.
pub(crate) const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Without descent, a correction and a weighted residual up to these sizes are the limit of rounding.
pub(crate) const STALLED: f64 = 1e-5;
pub(crate) const FLAT: f64 = 1e-11;
/// Or residuals that so many units in the last place of an unknown make: two of them are the steps to both sides.
pub(crate) const UNITS: f64 = 2.0;
/// Weighted residual at which Levenberg–Marquardt steps end.
pub(crate) const LM_SOLVED: f64 = 1e-10;
/// Largest system for which dense steps are tried.
const MAX_DENSE: usize = 300;

impl Evaluator {
    pub(crate) fn solve(&mut self, model: &CompiledModel, id: SystemId) -> Result<(), Failure> {
        match &model.systems[id].kind {
            SystemKind::Linear { .. } => self.solve_linear(model, id),
            SystemKind::Nonlinear { .. } => self.solve_nonlinear(model, id),
        }
    }

    fn take_state(&mut self, system: &System, id: SystemId) -> SystemState {
        let mut state = std::mem::take(&mut self.systems[id]);
        let n = system.unknowns.len();
        if state.x.len() != n {
            state.x.resize(n, 0.0);
            state.dx.resize(n, 0.0);
            state.weights.resize(n, 1.0);
            state.rounding.resize(n, 0.0);
            state.scale.resize(n, 1.0);
        }
        if state.lu.is_none() && n > 1 {
            state.lu = Some(LinearSolver::new(system.pattern.clone()));
        }
        state
    }

    /// Residuals at the present unknowns; false where they cannot be evaluated.
    fn residuals(
        &mut self,
        model: &CompiledModel,
        system: &System,
        failure: &mut Option<Failure>,
    ) -> bool {
        let SystemKind::Nonlinear { residuals, .. } = &system.kind else {
            return false;
        };
        match self.exec(model, residuals) {
            Ok(()) => {
                let (first, n) = (system.rhs as usize, system.unknowns.len());
                self.slots[first..first + n].iter().all(|r| r.is_finite())
            }
            Err(e) => {
                *failure = Some(e);
                false
            }
        }
    }

    /// Jacobian at the present point into the matrix slots.
    fn nonlinear_jacobian(
        &mut self,
        model: &CompiledModel,
        system: &System,
    ) -> Result<(), Failure> {
        let SystemKind::Nonlinear {
            jacobian,
            tape,
            colors,
            ..
        } = &system.kind
        else {
            return Ok(());
        };
        match jacobian {
            Some(program) => self.exec(model, program),
            None => self.jacobian_by_tape(model, system, tape, colors),
        }
    }

    fn jacobian_by_tape(
        &mut self,
        model: &CompiledModel,
        system: &System,
        tape: &Tape,
        colors: &[Vec<u32>],
    ) -> Result<(), Failure> {
        self.prepare_tape(model, tape)?;
        for &slot in system.reads.iter().chain(&system.unknowns) {
            self.tangents[slot as usize] = 0.0;
        }
        for columns in colors {
            for &c in columns {
                self.tangents[system.unknowns[c as usize] as usize] = 1.0;
            }
            self.sweep::<1>(model, tape);
            for &c in columns {
                self.tangents[system.unknowns[c as usize] as usize] = 0.0;
                let range = system.pattern.col_range(c as usize);
                for (k, &r) in range.zip(system.pattern.col(c as usize)) {
                    self.slots[system.matrix as usize + k] =
                        self.tangents[(system.rhs + r) as usize];
                }
            }
        }
        Ok(())
    }

    fn solve_nonlinear(&mut self, model: &CompiledModel, id: SystemId) -> Result<(), Failure> {
        let system = &model.systems[id];
        self.counters.nonlinear_solves += 1;
        let begin = self.values(system);
        let other = system.other.map(|id| (id, self.values(&model.systems[id])));
        // Where the other tearing was needed it comes first, and only once.
        let first = self.systems[id].elsewhere;
        if first && self.solve_elsewhere(model, other.as_ref()) {
            return Ok(());
        }
        self.put(system, &begin);
        let mut state = self.take_state(system, id);
        let mut failure = None;
        let mut ok = self.newton(model, system, &mut state, &mut failure)
            || self.bracket(model, system, &mut state, begin[0], &mut failure);
        if !ok {
            ok = self.limited_newton(model, system, &mut state, &begin, &mut failure)
                || self.levenberg_marquardt(model, system, &mut state, &begin, &mut failure);
        }
        // Where the search from the present values ended, for the message.
        let ended: Vec<f64> = self.values(system);
        if !ok {
            ok = self.begin_beside_zero(model, system, &mut state, &begin, &mut failure);
        }
        if !ok {
            let start = self.start_values(model, system);
            if start != begin {
                self.put(system, &start);
                ok = self.newton(model, system, &mut state, &mut failure)
                    || self.levenberg_marquardt(model, system, &mut state, &start, &mut failure);
            }
        }
        ok = ok && (other.is_none() || self.is_determined(model, system, &mut state, &mut failure));
        state.elsewhere = false;
        self.systems[id] = state;
        if ok {
            return Ok(());
        }
        if !first && self.solve_elsewhere(model, other.as_ref()) {
            self.systems[id].elsewhere = true;
            return Ok(());
        }
        self.put(system, &ended);
        self.residuals(model, system, &mut failure);
        Err(self.not_converged(model, system, &begin, failure))
    }

    /// The same loop torn elsewhere, from the values that its unknowns had.
    fn solve_elsewhere(
        &mut self,
        model: &CompiledModel,
        other: Option<&(SystemId, Vec<f64>)>,
    ) -> bool {
        other.is_some_and(|(id, begin)| {
            self.put(&model.systems[*id], begin);
            self.solve_nonlinear(model, *id).is_ok()
        })
    }

    fn values(&self, system: &System) -> Vec<f64> {
        let value = |&s: &Slot| self.slots[s as usize];
        system.unknowns.iter().map(value).collect()
    }

    /// The start values of the unknowns, with the present parameters.
    fn start_values(&mut self, model: &CompiledModel, system: &System) -> Vec<f64> {
        let kept = self.slots.clone();
        for &s in &system.unknowns {
            self.slots[s as usize] = model.layout.initial[s as usize];
        }
        // A start value that cannot be computed stays what is known without it.
        let _ = self.exec(model, &model.start_program);
        let start = self.values(system);
        self.slots.copy_from_slice(&kept);
        start
    }

    fn put(&mut self, system: &System, x: &[f64]) {
        for (&slot, &v) in system.unknowns.iter().zip(x) {
            self.slots[slot as usize] = v;
        }
    }

    /// Weights 1/Σ|J_ij|·scale_j of the residuals, and whether all residuals are rounding errors of the unknowns.
    fn weigh(&mut self, system: &System, state: &mut SystemState) -> bool {
        state.weights.fill(0.0);
        state.rounding.fill(0.0);
        for (k, (r, c)) in system.pattern.entries().enumerate() {
            let j = self.slots[system.matrix as usize + k].abs();
            if j.is_finite() {
                state.weights[r] += j * state.scale[c];
                state.rounding[r] += j * state.x[c].abs();
            }
        }
        let mut zero = true;
        let residuals = &self.slots[system.rhs as usize..];
        for ((w, rounding), r) in (state.weights.iter_mut().zip(&state.rounding)).zip(residuals) {
            zero &= r.abs() <= ROUNDING * rounding;
            *w = if *w > 0.0 { 1.0 / *w } else { 1.0 };
        }
        zero
    }

    fn weighted(&self, system: &System, state: &SystemState) -> f64 {
        state
            .weights
            .iter()
            .zip(&self.slots[system.rhs as usize..])
            .map(|(w, r)| (w * r).abs())
            .fold(0.0, f64::max)
    }

    fn newton(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        failure: &mut Option<Failure>,
    ) -> bool {
        let n = system.unknowns.len();
        let (a, b, nnz) = (
            system.matrix as usize,
            system.rhs as usize,
            system.pattern.nnz(),
        );
        if !self.residuals(model, system, failure) {
            return false;
        }
        let (mut stalls, mut restless) = (0, 0);
        for _ in 0..MAX_ITERATIONS {
            self.counters.newton_iterations += 1;
            if self.slots[b..b + n].iter().all(|&r| r == 0.0) {
                return true;
            }
            if let Err(e) = self.nonlinear_jacobian(model, system) {
                *failure = Some(e);
                return false;
            }
            // An infinite slope, as that of √x at 0, tells nothing: its correction would be zero wherever the solution is.
            if !self.slots[a..a + nnz].iter().all(|j| j.is_finite()) {
                return false;
            }
            for k in 0..n {
                state.x[k] = self.slots[system.unknowns[k] as usize];
                let nominal = model.nominal(system.unknowns[k]);
                state.scale[k] = state.x[k].abs().max(SMALL * nominal);
            }
            if self.weigh(system, state) {
                return true;
            }
            state.dx.copy_from_slice(&self.slots[b..b + n]);
            if n == 1 {
                let slope = if nnz == 1 { self.slots[a] } else { 0.0 };
                state.dx[0] /= slope;
            } else if let Some(lu) = &mut state.lu {
                if lu.factor(&self.slots[a..a + nnz]).is_err() {
                    return false;
                }
                lu.solve(&mut state.dx);
            }
            if state.dx.iter().any(|d| !d.is_finite()) {
                return false;
            }
            let size = state
                .dx
                .iter()
                .zip(&state.scale)
                .map(|(d, s)| (d / s).abs())
                .fold(0.0, f64::max);
            let before = self.weighted(system, state);
            self.note_inner(system, state);
            let mut damping = 1.0;
            let mut accepted = false;
            while damping >= MIN_DAMPING {
                for k in 0..n {
                    self.slots[system.unknowns[k] as usize] = state.x[k] - damping * state.dx[k];
                }
                if self.residuals(model, system, failure) {
                    let after = self.weighted(system, state);
                    if after <= (1.0 - 0.25 * damping) * before || size <= STEP_TOLERANCE {
                        accepted = true;
                        break;
                    }
                }
                damping *= 0.5;
            }
            if accepted && self.inner_rest(model, system, state, damping) && size <= STEP_TOLERANCE
            {
                return true;
            }
            if accepted && size <= STEP_TOLERANCE {
                restless += 1;
                if restless > MAX_RESTLESS {
                    return false;
                }
            }
            if !accepted {
                stalls += 1;
                let x = std::mem::take(&mut state.x);
                self.put(system, &x);
                state.x = x;
                let back = self.residuals(model, system, failure);
                // No descent: at the limit of rounding this is as good as it gets.
                if back
                    && size <= STALLED
                    && (before <= FLAT || self.is_rounding(model, system, state, failure))
                {
                    return true;
                }
                if stalls > 1 {
                    return false;
                }
                // A full step may still lead out of a flat place.
                for k in 0..n {
                    self.slots[system.unknowns[k] as usize] = state.x[k] - state.dx[k];
                }
                if !self.residuals(model, system, failure) {
                    return false;
                }
            }
        }
        false
    }

    /// Does a rounding error of an unknown move each residual that is not zero by as much as it is? Terms that cancel in the assignments, as
    /// the 3 kg/s into and out of the dead end of a network, have such errors, and no slope tells of them.
    fn is_rounding(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &SystemState,
        failure: &mut Option<Failure>,
    ) -> bool {
        let (b, n) = (system.rhs as usize, system.unknowns.len());
        if n > MAX_DENSE {
            return false;
        }
        let at = self.values(system);
        let residuals = self.slots[b..b + n].to_vec();
        let mut moved = vec![0.0f64; n];
        for (&slot, &x) in system.unknowns.iter().zip(&at) {
            self.slots[slot as usize] = x * (1.0 + UNITS * f64::EPSILON);
            if self.residuals(model, system, failure) {
                for (i, m) in moved.iter_mut().enumerate() {
                    *m = m.max((self.slots[b + i] - residuals[i]).abs());
                }
            }
            self.slots[slot as usize] = x;
        }
        let rounded = |i: usize| {
            let r = residuals[i].abs();
            r * state.weights[i] <= FLAT || r <= moved[i]
        };
        self.residuals(model, system, failure) && (0..n).all(rounded)
    }

    fn not_converged(
        &mut self,
        model: &CompiledModel,
        system: &System,
        begin: &[f64],
        inner: Option<Failure>,
    ) -> Failure {
        let n = system.unknowns.len();
        // Values at the point of failure first, then back to where the iteration began.
        let mut order: Vec<usize> = (0..n).collect();
        let size = |i: usize| {
            let r = self.slots[system.rhs as usize + i];
            if r.is_finite() {
                r.abs()
            } else {
                f64::INFINITY
            }
        };
        order.sort_by(|&i, &j| size(j).total_cmp(&size(i)));
        let mut details = Vec::new();
        let mut span = ferrica_ir::Span::NONE;
        for &i in order.iter().take(5) {
            let Some(&eq) = system.equations.get(i) else {
                continue;
            };
            if span.is_none() {
                span = model.equation_span(eq);
            }
            let r = self.slots[system.rhs as usize + i];
            details.push(format!("residual {r:e}: {}", model.equation_text(eq)));
        }
        for &slot in system.unknowns.iter().take(10) {
            details.push(format!(
                "{} = {}",
                model.var_name(slot),
                self.slots[slot as usize]
            ));
        }
        if n > 10 {
            details.push(format!("… and {} more unknowns", n - 10));
        }
        if let Some(inner) = inner {
            details.push(inner.message);
        }
        self.put(system, begin);
        Failure {
            message: format!(
                "nonlinear system of {n} unknowns has no solution near the present values at time {}",
                brief(self.time())
            ),
            details,
            span,
            ..Failure::default()
        }
    }
}
