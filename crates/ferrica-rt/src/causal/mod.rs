//! The causal formulation: a step that solves no more than it must.
//!
//! The difference formula y' = c y + ŷ is part of the equations. What only computes outputs is left out of the step
//! ([`plan`]); unknowns with constant coefficients are eliminated once ([`eliminate`]), which leaves a small
//! system S of those that occur nonlinearly or behind a switch. A step is then: residuals of all equations once,
//! one substitution, and Newton's iteration on S alone with the equations that vary. Since eliminated equations
//! are linear, these are the iterates of Newton's method on the full system, to rounding.
//!
//! **Invariants**: unknowns live in their slots; a step allocates nothing; S is factored again only where a value in it
//! may have changed (an event, or an iteration if it depends on unknowns or time).

pub mod eliminate;
pub mod plan;
pub mod replay;

use std::sync::Arc;

use ferrica_codegen::jit::{NativeStep, compile_into};
use ferrica_codegen::program::Step;
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{CompiledModel, Failure, Slot};
use ferrica_sim::Problem;
use ferrica_solvers::linear::{LinearSolver, Singular};
use ferrica_solvers::sparse::CscPattern;

use crate::method::Method;
use crate::tangent::Dependence;
use eliminate::{Elimination, Entry, eliminate};
use plan::Plan;

/// Why a step failed.
pub enum StepError {
    Evaluation(Failure),
    /// Equation and unknown of the DAE form.
    Singular(Singular),
    NotFinite(usize),
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepWork {
    pub iterations: u64,
    pub evaluations: u64,
    pub jacobians: u64,
    pub factorizations: u64,
    /// Largest last correction, in parts of max(1, |unknown|).
    pub correction: f64,
}

/// The core for one formula.
struct Reduction {
    /// Weight of the new value.
    c: f64,
    e: Elimination,
    /// Slots of residuals and unknowns by position.
    residual_at: Vec<Slot>,
    slot_at: Vec<Slot>,
    /// Pivots whose unknown the varying equations need, last first; is the unknown read itself?
    needed: Vec<(u32, bool)>,
    /// States among them and the rest: (slot, slot of the derivative, number of the state).
    needed_states: Vec<(Slot, Slot, u32)>,
    /// The rest: constant share, varying entries (position, slot, factor), factors.
    constant: Vec<f64>,
    varying: Vec<(u32, Slot, f64)>,
    values: Vec<f64>,
    lu: LinearSolver,
    /// Positions of the rest with an equation that varies.
    varying_rows: Vec<u32>,
    valid: bool,
}

/// See the module comment.
pub struct Causal {
    pub plan: Plan,
    model: Arc<CompiledModel>,
    vm: Vm,
    reductions: Vec<Reduction>,
    /// States and derivatives of the steps before, newest first.
    past: Vec<Vec<f64>>,
    past_rates: Vec<f64>,
    known: Vec<f64>,
    /// By position: right-hand side, change, value before the step.
    b: Vec<f64>,
    x: Vec<f64>,
    before: Vec<f64>,
    /// Change of the rest in one iteration.
    rest: Vec<f64>,
    /// Reduction of the last step.
    last: usize,
}

impl Causal {
    /// For the given weights of formulas, at the present point of the problem.
    pub fn new(p: &mut Problem, depth: usize, weights: &[f64]) -> Result<Causal, StepError> {
        let model = p.ev.model.clone();
        let Some(dae) = &model.dae else {
            return Err(StepError::Evaluation(Failure::new(
                "the model has no DAE form",
            )));
        };
        let plan = Plan::new(&model, dae);
        for program in [
            &plan.residuals,
            &plan.varying_residuals,
            &plan.varying_partials,
        ] {
            compile_into(&model.kernels, model.slot_count(), program);
        }
        compile_into(&plan.kernels, model.slot_count(), &plan.outputs);
        let (n, states) = (plan.unknowns.len(), dae.n_states);
        let mut causal = Causal {
            plan,
            vm: Vm::default(),
            reductions: Vec::new(),
            past: vec![vec![0.0; states]; depth],
            past_rates: vec![0.0; states],
            known: vec![0.0; states],
            b: vec![0.0; n],
            x: vec![0.0; n],
            before: vec![0.0; n],
            rest: Vec::new(),
            last: 0,
            model: model.clone(),
        };
        causal.reduce(p, weights)?;
        Ok(causal)
    }

    /// Eliminates anew with the present values of parameters.
    fn reduce(&mut self, p: &mut Problem, weights: &[f64]) -> Result<(), StepError> {
        let model = self.model.clone();
        let Some(dae) = &model.dae else { return Ok(()) };
        p.ev.run(&dae.partials).map_err(StepError::Evaluation)?;
        self.reductions.clear();
        for &c in weights {
            if self.reductions.iter().all(|r| r.c != c) {
                self.reductions
                    .push(Reduction::new(&self.plan, &model, &p.ev.slots, c));
            }
        }
        let rest = self.reductions.iter().map(|r| r.lu.pattern().n()).max();
        self.rest = vec![0.0; rest.unwrap_or(0)];
        Ok(())
    }

    /// Parameters of the equations have changed (another selection of states).
    pub fn renew(&mut self, p: &mut Problem) -> Result<(), StepError> {
        let weights: Vec<f64> = self.reductions.iter().map(|r| r.c).collect();
        self.reduce(p, &weights)
    }

    /// A history begins at the present slots.
    pub fn begin(&mut self, p: &Problem) {
        for past in &mut self.past {
            past.copy_from_slice(p.ev.states());
        }
    }

    /// Discrete values have changed.
    pub fn after_event(&mut self) {
        for r in &mut self.reductions {
            r.valid &= self.plan.dependence == Dependence::Parameters;
        }
    }

    /// Unknowns that are left for the iteration.
    pub fn iterated(&self) -> usize {
        self.reductions.first().map_or(0, |r| r.lu.pattern().n())
    }

    /// One step of the formula to time `t`; the unknowns of the core are in their slots then.
    pub fn step(
        &mut self,
        p: &mut Problem,
        t: f64,
        method: Method,
        h: f64,
        iterations: usize,
        tolerance: f64,
    ) -> Result<StepWork, StepError> {
        let c = method.leading(h);
        let k = self.reductions.iter().position(|r| r.c == c);
        self.last = k.unwrap_or(0);
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(p.ev.states());
        self.past_rates.copy_from_slice(p.ev.derivatives());
        method.known_part(h, &self.past, &self.past_rates, &mut self.known);
        p.ev.set_time(t);
        p.apply_delays().map_err(StepError::Evaluation)?;
        let mut work = StepWork::default();
        let r = &mut self.reductions[self.last];
        let (first, derivatives) = (
            self.model.layout.states as usize,
            self.model.layout.derivatives as usize,
        );
        let set_rates = |slots: &mut [f64], known: &[f64]| {
            let (head, tail) = slots.split_at_mut(derivatives);
            let states = &head[first..first + known.len()];
            for ((d, x), k) in tail.iter_mut().zip(states).zip(known) {
                *d = c * x + k;
            }
        };
        set_rates(&mut p.ev.slots, &self.known);
        p.ev.run(&self.plan.residuals)
            .map_err(StepError::Evaluation)?;
        work.evaluations += 1;
        work.iterations += 1;
        let slots = &mut p.ev.slots;
        for (b, &s) in self.b.iter_mut().zip(&r.residual_at) {
            *b = slots[s as usize];
        }
        for (v, &s) in self.before.iter_mut().zip(&r.slot_at) {
            *v = slots[s as usize];
        }
        r.e.forward(&mut self.b);
        let rank = r.e.rank;
        let m = r.slot_at.len() - rank;
        if m > 0 {
            self.rest[..m].copy_from_slice(&self.b[rank..]);
            self.x[rank..].fill(0.0);
            let rounds = if self.plan.dependence == Dependence::Continuous {
                iterations
            } else {
                1
            };
            for round in 0..rounds {
                if round > 0 {
                    r.place_needed(
                        &mut p.ev.slots,
                        &self.b,
                        &mut self.x,
                        &self.before,
                        &self.known,
                    );
                    p.ev.run(&self.plan.varying_residuals)
                        .map_err(StepError::Evaluation)?;
                    work.evaluations += 1;
                    work.iterations += 1;
                    self.rest[..m].fill(0.0);
                    let mut largest = 0.0f64;
                    for &k in &r.varying_rows {
                        let f = p.ev.slots[r.residual_at[rank + k as usize] as usize];
                        self.rest[k as usize] = f;
                        largest = largest.max(f.abs());
                    }
                    if tolerance > 0.0 && largest <= tolerance {
                        work.correction = 0.0;
                        break;
                    }
                }
                if !r.valid {
                    p.ev.run(&self.plan.varying_partials)
                        .map_err(StepError::Evaluation)?;
                    work.jacobians += 1;
                    work.factorizations += 1;
                    r.factor(&p.ev.slots, &self.plan)?;
                    r.valid = self.plan.dependence < Dependence::Continuous;
                }
                r.lu.solve(&mut self.rest[..m]);
                work.correction = 0.0;
                for (k, d) in self.rest[..m].iter().enumerate() {
                    self.x[rank + k] += d;
                    let y = &mut p.ev.slots[r.slot_at[rank + k] as usize];
                    *y = self.before[rank + k] - self.x[rank + k];
                    work.correction = f64::max(work.correction, d.abs() / y.abs().max(1.0));
                }
            }
            if rounds == 1 && self.plan.dependence < Dependence::Continuous {
                work.correction = 0.0;
            }
        }
        let slots = &mut p.ev.slots;
        let mut odd = 0.0;
        for k in (0..rank).rev() {
            let x = r.e.unknown(k, &self.b, &self.x);
            self.x[k] = x;
            odd += x * 0.0;
            slots[r.slot_at[k] as usize] = self.before[k] - x;
        }
        for x in &self.x[rank..] {
            odd += x * 0.0;
        }
        set_rates(slots, &self.known);
        if odd != 0.0 {
            let bad = (0..self.x.len()).find(|&k| !self.x[k].is_finite());
            let col = r.e.col_at[bad.unwrap_or(0)];
            return Err(StepError::NotFinite(
                self.plan.columns[col as usize] as usize,
            ));
        }
        Ok(work)
    }

    /// Outputs at the present core.
    pub fn outputs(&mut self, p: &mut Problem) -> Result<(), StepError> {
        let program = &self.plan.outputs;
        let native = program.native.code.get();
        let mut interpret = |p: &mut Problem, k: usize| {
            let Step::Batch {
                kernel,
                first,
                count,
            } = program.steps[k]
            else {
                return Ok(());
            };
            let kernel = &self.plan.kernels.kernels[kernel];
            let rows = &program.rows[first as usize..];
            let (ev, functions) = (&mut p.ev, &self.model.functions);
            let count = count as usize;
            self.vm
                .batch(functions, &mut ev.rt, kernel, rows, count, &mut ev.slots)
                .map_err(|m| StepError::Evaluation(Failure::new(m)))
        };
        match native {
            Some(code) => {
                for step in &code.steps {
                    match *step {
                        NativeStep::Code(k) => code.run(k, &mut p.ev.slots, &program.rows),
                        NativeStep::Interpret(k) => interpret(p, k)?,
                        NativeStep::Solve(_) => {}
                    }
                }
            }
            None => (0..program.steps.len()).try_for_each(|k| interpret(p, k))?,
        }
        let Some(dae) = &self.model.dae else {
            return Ok(());
        };
        for &c in &self.plan.output_columns {
            if !p.ev.slots[dae.unknowns[c as usize] as usize].is_finite() {
                return Err(StepError::NotFinite(c as usize));
            }
        }
        Ok(())
    }

    /// Puts the core before the last step into the slots.
    pub fn place_before(&self, p: &mut Problem, t: f64) {
        p.ev.set_time(t);
        let r = &self.reductions[self.last];
        for (v, &s) in self.before.iter().zip(&r.slot_at) {
            p.ev.slots[s as usize] = *v;
        }
        p.ev.set_derivatives(&self.past_rates);
    }
}

impl Reduction {
    fn new(plan: &Plan, model: &CompiledModel, slots: &[f64], c: f64) -> Reduction {
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
        let m = n - rank;
        let rest = e.rest.iter().map(|&(r, c, _)| (r as usize, c as usize));
        let pattern = CscPattern::from_entries(m, rest);
        let mut constant = vec![0.0; pattern.nnz()];
        for &(r, c, v) in &e.rest {
            if let Some(k) = pattern.find(r as usize, c as usize) {
                constant[k] += v;
            }
        }
        let mut row_position = vec![0usize; n];
        let mut col_position = vec![0usize; n];
        for k in 0..n {
            row_position[e.row_at[k] as usize] = k;
            col_position[e.col_at[k] as usize] = k;
        }
        let mut varying = Vec::new();
        for v in plan.entries.iter() {
            if v.dependence == Dependence::Parameters {
                continue;
            }
            let (row, col) = (row_position[v.row as usize], col_position[v.col as usize]);
            if let Some(k) = pattern.find(row - rank, col - rank) {
                varying.push((k as u32, v.slot, factor(v.derivative)));
            }
        }
        let slot_at: Vec<Slot> = e
            .col_at
            .iter()
            .map(|&c| plan.unknowns[c as usize])
            .collect();
        let residual_at = e.row_at.iter().map(|&r| plan.residual_slots[r as usize]);
        let varying_rows = (rank..n)
            .filter(|&k| plan.row_varies[e.row_at[k] as usize])
            .map(|k| (k - rank) as u32);
        // Needed for the varying equations, and needed for those in turn.
        let mut wanted = vec![false; n];
        let mut needed = Vec::new();
        for k in 0..rank {
            let read = plan.read_by_varying[e.col_at[k] as usize];
            if read || wanted[k] {
                wanted[k] = true;
                needed.push((k as u32, read));
                for &j in &e.upper.index[e.upper.range(k)] {
                    wanted[j as usize] = true;
                }
            }
        }
        needed.reverse();
        let (states, derivatives) = (model.layout.states, model.layout.derivatives);
        let mut needed_states = Vec::new();
        for k in 0..n {
            let slot = slot_at[k];
            let number = slot.wrapping_sub(states);
            if plan.read_by_varying[e.col_at[k] as usize]
                && (number as usize) < model.layout.n_states
            {
                needed_states.push((slot, derivatives + number, number));
            }
        }
        Reduction {
            c,
            residual_at: residual_at.collect(),
            varying_rows: varying_rows.collect(),
            slot_at,
            needed,
            needed_states,
            values: constant.clone(),
            constant,
            varying,
            lu: LinearSolver::new(pattern),
            valid: false,
            e,
        }
    }

    /// Unknowns that the varying equations read, from what has been found of the rest so far.
    fn place_needed(
        &self,
        slots: &mut [f64],
        b: &[f64],
        x: &mut [f64],
        before: &[f64],
        known: &[f64],
    ) {
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

    fn factor(&mut self, slots: &[f64], plan: &Plan) -> Result<(), StepError> {
        self.values.copy_from_slice(&self.constant);
        for &(k, slot, factor) in &self.varying {
            self.values[k as usize] += factor * slots[slot as usize];
        }
        let rank = self.e.rank;
        self.lu.factor(&self.values).map_err(|cause| {
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
