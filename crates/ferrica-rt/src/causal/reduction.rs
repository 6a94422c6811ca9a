//! The core for one formula: what is eliminated, and the rest.

use ferrica_codegen::jit::compile_into;
use ferrica_codegen::layout::Layout;
use ferrica_codegen::program::Program;
use ferrica_codegen::tape::independent_rows;
use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::causal::Kind;
use ferrica_solvers::linear::{LinearSolver, Singular};
use ferrica_solvers::sparse::CscPattern;

use crate::causal::StepError;
use crate::causal::dense::{DENSE_LIMIT, Dense};
use crate::causal::eliminate::{Elimination, Entry, eliminate};
use crate::causal::fused::{ExtraSlots, Fused, Parts};
use crate::causal::linear::{self, Linear};
use crate::causal::plan::Plan;
use crate::method::Method;
use crate::tangent::Dependence;
use ferrica_codegen::program::rows;

/// Operations up to which a step becomes one piece of straight-line code.
pub const FUSE_LIMIT: usize = 4000;

/// See the module comment.
pub struct Reduction {
    pub method: Method,
    /// Weight of the new value.
    pub c: f64,
    pub e: Elimination,
    /// Slots of residuals and unknowns by position.
    pub residual_at: Vec<Slot>,
    pub slot_at: Vec<Slot>,
    /// Pivots whose unknown the varying equations need, last first; is the unknown read itself?
    pub needed: Vec<(u32, bool)>,
    /// States among them and the rest: (slot, slot of the derivative, number of the state).
    needed_states: Vec<(Slot, Slot, u32)>,
    /// The rest: constant share, varying entries (position, slot, factor), factors.
    pub constant: Vec<f64>,
    pub varying: Vec<(u32, Slot, f64)>,
    /// Positions of varying entries, each once.
    pub varying_positions: Vec<u32>,
    pub values: Vec<f64>,
    pub lu: LinearSolver,
    /// Takes its place beside straight-line code.
    dense: Option<Dense>,
    /// Does the equation at this position of the rest vary?
    pub row_varies: Vec<bool>,
    pub has_constant_rows: bool,
    /// The factors are those of the present values.
    pub valid: bool,
    pub code: Option<Box<Fused>>,
    /// Residuals of the constant equations by position, from slot `right` on: of all, and of those that are not zero again after
    /// each step by themselves.
    pub residuals: Program,
    pub loud_residuals: Program,
    pub right: Slot,
    /// Steps without residuals, if nothing varies.
    pub linear: Option<Linear>,
}

impl Reduction {
    pub fn new(
        plan: &Plan,
        model: &CompiledModel,
        slots: &[f64],
        method: Method,
        h: f64,
        extra: ExtraSlots,
        depth: usize,
        limit: usize,
    ) -> Reduction {
        let c = method.leading(h);
        let factor = |derivative: bool| if derivative { c } else { 1.0 };
        let entries: Vec<Entry> = plan
            .entries
            .iter()
            .map(|e| {
                let constant = e.dependence == Dependence::Parameters;
                let value = slots[e.slot as usize] * factor(e.derivative);
                (e.row, e.col, if constant { value } else { 0.0 })
            })
            .collect();
        let n = plan.unknowns.len();
        let e = eliminate(n, &entries, &plan.row_varies, &plan.col_varies);
        let rank = e.rank;
        let rest = e.rest.iter().map(|&(r, c, _)| (r as usize, c as usize));
        let pattern = CscPattern::from_entries(n - rank, rest);
        let mut constant = vec![0.0; pattern.nnz()];
        for &(r, c, v) in &e.rest {
            if let Some(k) = pattern.find(r as usize, c as usize) {
                constant[k] += v;
            }
        }
        let varying = varying_entries(plan, &e, &pattern, factor);
        let mut varying_positions: Vec<u32> = varying.iter().map(|v| v.0).collect();
        varying_positions.sort_unstable();
        varying_positions.dedup();
        let slot_at: Vec<Slot> = e
            .col_at
            .iter()
            .map(|&c| plan.unknowns[c as usize])
            .collect();
        let residual_at: Vec<Slot> = e
            .row_at
            .iter()
            .map(|&r| plan.residual_slots[r as usize])
            .collect();
        let needed = needed_pivots(plan, &e);
        let mut values = constant.clone();
        for &(k, slot, factor) in &varying {
            values[k as usize] += factor * slots[slot as usize];
        }
        let code = Fused::new(
            &Parts {
                model,
                plan,
                e: &e,
                extra,
                method,
                h,
                pattern: &pattern,
                constant: &constant,
                varying: &varying,
                residual_at: &residual_at,
                slot_at: &slot_at,
                needed: &needed,
                depth,
                values: &values,
                slots,
            },
            limit,
        );
        if let Some(code) = &code {
            let slots = extra.matrix as usize + pattern.nnz();
            for program in [&code.begin, &code.iterate, &code.end] {
                compile_into(&code.kernels, slots, program);
            }
        }
        let (states, derivatives) = (model.layout.states, model.layout.derivatives);
        let mut needed_states = Vec::new();
        for (k, &slot) in slot_at.iter().enumerate() {
            let number = slot.wrapping_sub(states);
            let read = plan.read_by_varying[e.col_at[k] as usize];
            if read && (number as usize) < model.layout.n_states {
                needed_states.push((slot, derivatives + number, number));
            }
        }
        let row_varies = (rank..n).map(|k| plan.row_varies[e.row_at[k] as usize]);
        let row_varies: Vec<bool> = row_varies.collect();
        Reduction {
            method,
            c,
            has_constant_rows: row_varies.contains(&false),
            row_varies,
            residual_at,
            slot_at,
            needed,
            needed_states,
            values,
            constant,
            varying,
            varying_positions,
            dense: (code.is_some() && n - rank <= DENSE_LIMIT).then(|| Dense::new(n - rank)),
            lu: LinearSolver::new(pattern),
            valid: false,
            code: code.map(Box::new),
            residuals: Program::default(),
            loud_residuals: Program::default(),
            right: extra.right,
            linear: None,
            e,
        }
    }

    /// Tables of a model in which nothing varies; the partial derivatives are in their slots.
    pub fn linearize(
        &mut self,
        plan: &Plan,
        model: &CompiledModel,
        extra: ExtraSlots,
        ev: &mut Evaluator,
    ) -> Result<(), StepError> {
        let parts = linear::Parts {
            model,
            plan,
            e: &self.e,
            extra,
            slot_at: &self.slot_at,
        };
        let linear = Linear::new(&parts, ev)?;
        compile_into(&linear.kernels, ev.slots.len(), &linear.forcing);
        self.linear = Some(linear);
        Ok(())
    }

    /// Programs of the residuals, for steps over tables.
    pub fn tabulate(&mut self, plan: &Plan, model: &CompiledModel) {
        let first = plan.residual_slots.iter().min().copied().unwrap_or(0);
        let last = plan.residual_slots.iter().max().copied().unwrap_or(0);
        let mut position = vec![u32::MAX; (last - first) as usize + 1];
        for (k, &s) in self.residual_at.iter().enumerate() {
            position[(s - first) as usize] = k as u32;
        }
        let mut unknown = vec![false; model.slot_count()];
        for &s in &plan.unknowns {
            unknown[s as usize] = true;
        }
        // Of the unknowns and parameters alone: what a step has solved stays solved.
        let still = |slot: Slot| match model.variable(slot) {
            Some(v) => {
                let kind = model.source.vars[v].kind;
                unknown[slot as usize] || matches!(kind, Kind::Parameter | Kind::External)
            }
            None => slot > Layout::HOMOTOPY && model.layout.pre_pairs.iter().all(|p| p.1 != slot),
        };
        let (mut all, mut loud) = (Vec::new(), Vec::new());
        for (kernel, row) in rows(&model.kernels, &plan.constant_residuals) {
            let loads = model.kernels.kernels[kernel].loads as usize;
            let mut row = row.to_vec();
            // Of equations that share a row some may only compute outputs: these residuals stay where they are.
            for slot in &mut row[loads..] {
                let at = slot
                    .checked_sub(first)
                    .and_then(|k| position.get(k as usize));
                if let Some(&at) = at.filter(|&&at| at != u32::MAX) {
                    *slot = self.right + at;
                }
            }
            if !row[..loads].iter().all(|&s| still(s)) {
                loud.push((kernel, row.clone()));
            }
            all.push((kernel, row));
        }
        self.residuals = independent_rows(all);
        self.loud_residuals = independent_rows(loud);
        for program in [&self.residuals, &self.loud_residuals] {
            compile_into(
                &model.kernels,
                self.right as usize + self.slot_at.len(),
                program,
            );
        }
    }

    /// Unknowns of the rest.
    pub fn rest(&self) -> usize {
        self.slot_at.len() - self.e.rank
    }

    /// Unknowns that the varying equations read, from what has been found of the rest so far.
    pub fn place_needed(
        &self,
        slots: &mut [f64],
        b: &[f64],
        x: &mut [f64],
        before: &[f64],
        known: &[f64],
    ) {
        for k in self.e.rank..self.slot_at.len() {
            slots[self.slot_at[k] as usize] = before[k] - x[k];
        }
        for &(k, read) in &self.needed {
            let k = k as usize;
            x[k] = self.e.unknown(k, b, x);
            if read {
                slots[self.slot_at[k] as usize] = before[k] - x[k];
            }
        }
        for &(slot, derivative, number) in &self.needed_states {
            slots[derivative as usize] = self.c * slots[slot as usize] + known[number as usize];
        }
    }

    /// Matrix of the rest from the partial derivatives in their slots.
    pub fn assemble(&mut self, slots: &[f64]) {
        self.values.copy_from_slice(&self.constant);
        for &(k, slot, factor) in &self.varying {
            self.values[k as usize] += factor * slots[slot as usize];
        }
    }

    /// The same from fused code.
    pub fn take_matrix(&mut self, slots: &[f64], first: Slot) {
        self.values.copy_from_slice(&self.constant);
        for &k in &self.varying_positions {
            self.values[k as usize] = slots[(first + k) as usize];
        }
    }

    /// Solves for the rest in place, with the factors there are.
    pub fn solve(&mut self, b: &mut [f64]) {
        match &self.dense {
            Some(dense) => dense.solve(b),
            None => self.lu.solve(b),
        }
    }

    pub fn factor(&mut self, plan: &Plan) -> Result<(), StepError> {
        let rank = self.e.rank;
        let done = match &mut self.dense {
            Some(dense) => dense.factor(self.lu.pattern(), &self.values),
            None => self.lu.factor(&self.values),
        };
        done.map_err(|cause| {
            let row = self.e.row_at[rank + cause.row] as usize;
            let col = self.e.col_at[rank + cause.col] as usize;
            StepError::Singular(Singular {
                row: plan.equations[row] as usize,
                col: plan.columns[col] as usize,
                structural: cause.structural,
            })
        })
    }
}

fn varying_entries(
    plan: &Plan,
    e: &Elimination,
    pattern: &CscPattern,
    factor: impl Fn(bool) -> f64,
) -> Vec<(u32, Slot, f64)> {
    let n = plan.unknowns.len();
    let mut row_position = vec![0usize; n];
    let mut col_position = vec![0usize; n];
    for k in 0..n {
        row_position[e.row_at[k] as usize] = k;
        col_position[e.col_at[k] as usize] = k;
    }
    let mut varying = Vec::new();
    for v in &plan.entries {
        if v.dependence == Dependence::Parameters {
            continue;
        }
        // Rows and columns with such an entry are never eliminated.
        let row = row_position[v.row as usize] - e.rank;
        let col = col_position[v.col as usize] - e.rank;
        if let Some(k) = pattern.find(row, col) {
            varying.push((k as u32, v.slot, factor(v.derivative)));
        }
    }
    varying
}

/// Needed for the varying equations, or needed for those in turn; last first.
fn needed_pivots(plan: &Plan, e: &Elimination) -> Vec<(u32, bool)> {
    let mut wanted = vec![false; plan.unknowns.len()];
    let mut needed = Vec::new();
    for k in 0..e.rank {
        let read = plan.read_by_varying[e.col_at[k] as usize];
        if read || wanted[k] {
            needed.push((k as u32, read));
            for &j in &e.upper.index[e.upper.range(k)] {
                wanted[j as usize] = true;
            }
        }
    }
    needed.reverse();
    needed
}
