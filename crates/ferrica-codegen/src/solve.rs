//! Linear and nonlinear systems of the model, solved on the slots.
//!
//! Linear: LU with pivoting; a constant matrix is factored once. Nonlinear: Newton's method from the
//! present values, damped so that the weighted residual falls, with the symbolic Jacobian or exact
//! tangents; one equation that this does not solve is bracketed; where the Jacobian is singular or damping
//! stalls, Levenberg–Marquardt steps; at last a restart from the start values. A system that stays unsolved is reported with its largest residuals, the
//! equations they belong to, and the values of the unknowns.

use ferrica_solvers::linear::LinearSolver;

use crate::evaluator::{Evaluator, Failure, SystemState};
use crate::layout::Slot;
use crate::model::{CompiledModel, System, SystemKind};
use crate::program::SystemId;

/// Relative size of the last Newton correction. It is applied, so by quadratic convergence the error is
/// about its square.
const STEP_TOLERANCE: f64 = 1e-8;
/// Below this part of its nominal value an unknown is compared with the nominal value.
const SMALL: f64 = 1e-6;
const MAX_ITERATIONS: usize = 60;
/// Smallest damping factor.
const MIN_DAMPING: f64 = 1.0 / 4096.0;
/// Residual in units of rounding errors of its terms that counts as zero.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// The search for a change of sign begins with this part of the unknown's size and grows by this factor.
const FIRST_REACH: f64 = 1e-7;
const REACH_GROWTH: f64 = 1.7;
/// Number of its steps to each side: as far as some 10^9 times the size.
const REACH_STEPS: usize = 70;
const MAX_LM_ITERATIONS: usize = 200;
/// Largest system for which dense Levenberg–Marquardt steps are tried.
const MAX_LM_SIZE: usize = 300;

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
            state.scale.resize(n, 1.0);
        }
        if state.lu.is_none() && n > 1 {
            state.lu = Some(LinearSolver::new(system.pattern.clone()));
        }
        state
    }

    fn solve_linear(&mut self, model: &CompiledModel, id: SystemId) -> Result<(), Failure> {
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
    fn solve_consistent(&mut self, system: &System, state: &mut SystemState) -> bool {
        let n = system.unknowns.len();
        if n > MAX_LM_SIZE {
            return false;
        }
        let mut m = vec![0.0; n * n];
        for (k, (r, c)) in system.pattern.entries().enumerate() {
            m[r * n + c] = self.slots[system.matrix as usize + k];
        }
        for (x, &slot) in state.x.iter_mut().zip(&system.unknowns) {
            *x = self.slots[slot as usize];
        }
        let b: Vec<f64> = self.slots[system.rhs as usize..][..n].to_vec();
        // Correction to the present values: A·d = b − A·x.
        let mut r = b.clone();
        for i in 0..n {
            for j in 0..n {
                r[i] -= m[i * n + j] * state.x[j];
            }
        }
        if r.iter().chain(&m).any(|v| !v.is_finite()) {
            return false;
        }
        let Some(d) = consistent_solution(&m, &r, n) else {
            return false;
        };
        for (j, &slot) in system.unknowns.iter().enumerate() {
            self.slots[slot as usize] = state.x[j] + d[j];
        }
        true
    }

    fn singular(&self, model: &CompiledModel, system: &System, row: usize, col: usize) -> Failure {
        let mut details = Vec::new();
        let mut span = ferrica_ir::Span::NONE;
        if let Some(&eq) = system.equations.get(row) {
            details.push(format!(
                "equation without a pivot: {}",
                model.equation_text(eq)
            ));
            span = model.equation_span(eq);
        } else {
            for &eq in system.equations.iter().take(5) {
                details.push(format!("equation: {}", model.equation_text(eq)));
                span = model.equation_span(eq);
            }
        }
        if let Some(&slot) = system.unknowns.get(col) {
            details.push(format!("unknown not determined: {}", model.var_name(slot)));
        }
        // A value that is not a number makes any system singular: name it instead.
        let bad: Vec<Slot> = system
            .reads
            .iter()
            .copied()
            .filter(|&s| !self.slots[s as usize].is_finite() && model.variable(s).is_some())
            .take(5)
            .collect();
        let what = if bad.is_empty() {
            "is singular"
        } else {
            "has no finite coefficients"
        };
        for slot in bad {
            let value = self.slots[slot as usize];
            details.insert(0, format!("{} = {value}", model.var_name(slot)));
        }
        Failure {
            message: format!(
                "linear system of {} unknowns {what} at time {}",
                system.unknowns.len(),
                self.time()
            ),
            details,
            span,
        }
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
        if let Some(program) = jacobian {
            return self.exec(model, program);
        }
        self.prepare_tape(model, tape)?;
        for &slot in system.reads.iter().chain(&system.unknowns) {
            self.tangents[slot as usize] = 0.0;
        }
        for columns in colors {
            for &c in columns {
                self.tangents[system.unknowns[c as usize] as usize] = 1.0;
            }
            self.sweep(model, tape);
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
        let mut state = self.take_state(system, id);
        let mut failure = None;
        let begin: Vec<f64> = system
            .unknowns
            .iter()
            .map(|&s| self.slots[s as usize])
            .collect();
        let mut ok = self.newton(model, system, &mut state, &mut failure)
            || self.bracket(model, system, &mut state, begin[0], &mut failure);
        if !ok {
            ok = self.levenberg_marquardt(model, system, &mut state, &begin, &mut failure);
        }
        if !ok {
            let start: Vec<f64> = system
                .unknowns
                .iter()
                .map(|&s| model.layout.initial[s as usize])
                .collect();
            if start != begin {
                self.put(system, &start);
                ok = self.newton(model, system, &mut state, &mut failure)
                    || self.levenberg_marquardt(model, system, &mut state, &start, &mut failure);
            }
        }
        self.systems[id] = state;
        if ok {
            Ok(())
        } else {
            Err(self.not_converged(model, system, &begin, failure))
        }
    }

    fn put(&mut self, system: &System, x: &[f64]) {
        for (&slot, &v) in system.unknowns.iter().zip(x) {
            self.slots[slot as usize] = v;
        }
    }

    fn nominal(&self, model: &CompiledModel, slot: Slot) -> f64 {
        model
            .variable(slot)
            .and_then(|v| model.source.vars[v].var.nominal)
            .and_then(|e| model.source.exprs.as_f64(e))
            .filter(|n| *n != 0.0 && n.is_finite())
            .map_or(1.0, f64::abs)
    }

    /// Weights 1/Σ|J_ij|·scale_j of the residuals, and whether all residuals are rounding errors.
    fn weigh(&mut self, system: &System, state: &mut SystemState) -> bool {
        state.weights.fill(0.0);
        for (k, (r, c)) in system.pattern.entries().enumerate() {
            let j = self.slots[system.matrix as usize + k].abs();
            if j.is_finite() {
                state.weights[r] += j * state.scale[c];
            }
        }
        let mut zero = true;
        for (w, r) in state
            .weights
            .iter_mut()
            .zip(&self.slots[system.rhs as usize..])
        {
            zero &= r.abs() <= ROUNDING * *w;
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
        let mut stalls = 0;
        for _ in 0..MAX_ITERATIONS {
            self.counters.newton_iterations += 1;
            if self.slots[b..b + n].iter().all(|&r| r == 0.0) {
                return true;
            }
            if let Err(e) = self.nonlinear_jacobian(model, system) {
                *failure = Some(e);
                return false;
            }
            for k in 0..n {
                state.x[k] = self.slots[system.unknowns[k] as usize];
                let nominal = self.nominal(model, system.unknowns[k]);
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
            if size <= STEP_TOLERANCE && accepted {
                return true;
            }
            if !accepted {
                stalls += 1;
                let x = std::mem::take(&mut state.x);
                self.put(system, &x);
                state.x = x;
                let back = self.residuals(model, system, failure);
                // No descent: at the limit of rounding this is as good as it gets.
                if back && size <= 1e-5 && before <= 1e-11 {
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

    /// One equation in one unknown: the nearest change of sign around `begin`, then halving. Finds the branch that is left where the
    /// present one ends (a trigger that switches), which no descent can.
    fn bracket(
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
        let nominal = self.nominal(model, system.unknowns[0]);
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

    /// Levenberg–Marquardt on the scaled system, for singular Jacobians and bad starts.
    fn levenberg_marquardt(
        &mut self,
        model: &CompiledModel,
        system: &System,
        state: &mut SystemState,
        begin: &[f64],
        failure: &mut Option<Failure>,
    ) -> bool {
        let n = system.unknowns.len();
        if n > MAX_LM_SIZE {
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
        for _ in 0..MAX_LM_ITERATIONS {
            self.counters.newton_iterations += 1;
            if self.nonlinear_jacobian(model, system).is_err() {
                return false;
            }
            for k in 0..n {
                state.x[k] = self.slots[system.unknowns[k] as usize];
                let nominal = self.nominal(model, system.unknowns[k]);
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
                let mut m = normal.clone();
                for i in 0..n {
                    m[i * n + i] += damping * (normal[i * n + i] + 1e-12);
                }
                let step = dense_solve(&mut m, &gradient, n);
                if let Some(step) = step {
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
                            if after.sqrt() < 1e-10 && small < 1e-6 {
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
                return self.residuals(model, system, failure) && before.sqrt() < 1e-9;
            }
        }
        false
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
                self.time()
            ),
            details,
            span,
        }
    }

    /// Linearizes a system at its solution.
    pub(crate) fn prepare_system(
        &mut self,
        model: &CompiledModel,
        id: SystemId,
    ) -> Result<(), Failure> {
        let system = &model.systems[id];
        match &system.kind {
            SystemKind::Linear {
                tape, then_tape, ..
            } => {
                self.prepare_tape(model, tape)?;
                self.prepare_tape(model, then_tape)
            }
            SystemKind::Nonlinear { tape, .. } => {
                self.nonlinear_jacobian(model, system)?;
                self.prepare_tape(model, tape)?;
                let mut state = self.take_state(system, id);
                let (a, nnz) = (system.matrix as usize, system.pattern.nnz());
                let factored = match &mut state.lu {
                    Some(lu) => lu.factor(&self.slots[a..a + nnz]).is_ok(),
                    None => nnz == 1 && self.slots[a] != 0.0,
                };
                self.systems[id] = state;
                if factored {
                    Ok(())
                } else {
                    Err(self.singular(model, system, usize::MAX, 0))
                }
            }
        }
    }

    /// Tangents of a system's results from those of what it reads.
    pub(crate) fn system_tangent(&mut self, model: &CompiledModel, id: SystemId) {
        let system = &model.systems[id];
        let n = system.unknowns.len();
        let b = system.rhs as usize;
        match &system.kind {
            SystemKind::Linear {
                constant,
                tape,
                then_tape,
                ..
            } => {
                self.sweep(model, tape);
                let mut state = self.take_state(system, id);
                state.dx.copy_from_slice(&self.tangents[b..b + n]);
                if !constant {
                    for (k, (r, c)) in system.pattern.entries().enumerate() {
                        let d = self.tangents[system.matrix as usize + k];
                        if d != 0.0 {
                            state.dx[r] -= d * self.slots[system.unknowns[c] as usize];
                        }
                    }
                }
                self.finish_tangent(system, &mut state);
                self.systems[id] = state;
                self.sweep(model, then_tape);
            }
            SystemKind::Nonlinear { tape, .. } => {
                for &slot in &system.unknowns {
                    self.tangents[slot as usize] = 0.0;
                }
                self.sweep(model, tape);
                let mut state = self.take_state(system, id);
                for k in 0..n {
                    state.dx[k] = -self.tangents[b + k];
                }
                self.finish_tangent(system, &mut state);
                self.systems[id] = state;
                self.sweep(model, tape);
            }
        }
    }

    fn finish_tangent(&mut self, system: &System, state: &mut SystemState) {
        match &mut state.lu {
            Some(lu) => lu.solve(&mut state.dx),
            None => {
                let pivot = self.slots[system.matrix as usize];
                state.dx[0] = if pivot == 0.0 {
                    0.0
                } else {
                    state.dx[0] / pivot
                };
            }
        }
        for (&slot, &d) in system.unknowns.iter().zip(&state.dx) {
            self.tangents[slot as usize] = d;
        }
    }
}

/// Gaussian elimination with partial pivoting on a row-major matrix.
fn dense_solve(m: &mut [f64], b: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut x = b.to_vec();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| m[i * n + k].abs().total_cmp(&m[j * n + k].abs()))?;
        if m[p * n + k] == 0.0 || !m[p * n + k].is_finite() {
            return None;
        }
        if p != k {
            for j in 0..n {
                m.swap(p * n + j, k * n + j);
            }
            x.swap(p, k);
        }
        for i in k + 1..n {
            let f = m[i * n + k] / m[k * n + k];
            if f != 0.0 {
                for j in k..n {
                    m[i * n + j] -= f * m[k * n + j];
                }
                x[i] -= f * x[k];
            }
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            x[k] -= m[k * n + j] * x[j];
        }
        x[k] /= m[k * n + k];
    }
    Some(x)
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
