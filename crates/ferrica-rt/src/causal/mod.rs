//! The causal formulation: a step that solves no more than it must.
//!
//! The difference formula y' = c y + ŷ is part of the equations. What only computes outputs is left out of the step
//! ([`plan`]); unknowns with constant coefficients are eliminated once ([`eliminate`]), which leaves a small
//! system S of those that occur nonlinearly or behind a switch. A step is then: residuals of the constant equations once,
//! one substitution, and Newton's iteration on S alone with the equations that vary. Since eliminated equations
//! are linear, these are the iterates of Newton's method on the full system, to rounding. A step of a small model is
//! straight-line machine code ([`fused`]); a large one runs over tables, those of a model with constant coefficients throughout without
//! residuals ([`linear`]).
//!
//! **Invariants**: unknowns live in their slots; a step allocates nothing; S is factored again only where a value in it
//! may have changed (an event, or an iteration if it depends on unknowns or time).

pub mod affine;
pub mod dense;
pub mod eliminate;
pub mod fused;
pub mod linear;
mod outputs;
pub mod plan;
pub mod reduction;
pub mod sums;

use std::sync::Arc;

use ferrica_codegen::interpreter::Functions;
use ferrica_codegen::jit::compile_into;
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::vm::Vm;
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_sim::Problem;
use ferrica_solvers::linear::Singular;

use crate::method::{Ending, Method};
use crate::tangent::Dependence;
use ferrica_codegen::limiting::Limit;
use ferrica_codegen::limits::{self, Limits};
use fused::{ExtraSlots, settles_at_once};
use linear::Linear;
use plan::Plan;
use reduction::{FUSE_LIMIT, Reduction};

/// After so many steps residuals are computed that should be zero by themselves, lest rounding adds up.
const REFRESH: u64 = 1024;

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
    /// Solutions for which the pivots of straight-line code would not do.
    pub searches: u64,
    /// Zero unless something is not finite.
    odd: f64,
    /// Largest last correction, in parts of max(1, |unknown|).
    pub correction: f64,
}

/// See the module comment.
pub struct Causal {
    pub plan: Plan,
    model: Arc<CompiledModel>,
    vm: Vm,
    pub reductions: Vec<Reduction>,
    pub extra: ExtraSlots,
    depth: usize,
    h: f64,
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
    /// Steps over tables since the history began.
    age: u64,
    /// Keep the values before a step, for points between.
    pub keep_before: bool,
    /// Unknowns that the last step has not computed may be wanted.
    pending: bool,
    /// Limited exponentials of steps over tables.
    limits: Limits,
}

impl Causal {
    /// For the given formulas with step `h`, at the present point of the problem. Up to `limit` operations a step is
    /// straight-line code. `wanted`: slots that rows of the results need; all if not given.
    pub fn new(
        p: &mut Problem,
        methods: &[Method],
        h: f64,
        limit: usize,
        wanted: Option<&[Slot]>,
    ) -> Result<Causal, StepError> {
        let model = p.ev.model.clone();
        let Some(dae) = &model.dae else {
            let failure = Failure::new("the model has no DAE form");
            return Err(StepError::Evaluation(failure));
        };
        let plan = Plan::new(&model, dae, wanted);
        for program in [&plan.outputs, &plan.wanted_outputs] {
            compile_into(&plan.kernels, model.slot_count(), program);
        }
        let (n, states) = (plan.unknowns.len(), dae.n_states);
        let depth = methods.iter().map(|m| m.depth()).max().unwrap_or(1);
        let mut causal = Causal {
            extra: ExtraSlots::new(&model, n, depth, plan.exponentials(&model)),
            plan,
            vm: Vm::default(),
            reductions: Vec::new(),
            depth,
            h,
            past: vec![vec![0.0; states]; depth],
            past_rates: vec![0.0; states],
            known: vec![0.0; states],
            b: vec![0.0; n],
            x: vec![0.0; n],
            before: vec![0.0; n],
            rest: Vec::new(),
            last: 0,
            age: 0,
            keep_before: true,
            pending: false,
            limits: Limits::default(),
            model: model.clone(),
        };
        causal.reduce(p, methods, limit)?;
        Ok(causal)
    }

    /// Eliminates anew with the present values of parameters.
    fn reduce(
        &mut self,
        p: &mut Problem,
        methods: &[Method],
        limit: usize,
    ) -> Result<(), StepError> {
        let model = self.model.clone();
        let Some(dae) = &model.dae else { return Ok(()) };
        p.ev.run(&dae.partials).map_err(StepError::Evaluation)?;
        self.reductions.clear();
        let mut longest = 0;
        for &method in methods {
            let c = method.leading(self.h);
            if self.reductions.iter().any(|r| r.c == c) {
                continue;
            }
            let r = Reduction::new(
                &self.plan,
                &model,
                &p.ev.slots,
                method,
                self.h,
                self.extra,
                self.depth,
                limit,
            );
            longest = longest.max(r.constant.len());
            self.reductions.push(r);
        }
        p.ev.slots.resize(self.extra.matrix as usize + longest, 0.0);
        self.pending = false;
        // All formulas or none: they share the history.
        if self.reductions.iter().any(|r| r.code.is_none()) {
            let linear = self.plan.dependence == Dependence::Parameters
                && self.reductions.iter().all(|r| r.rest() == 0);
            for r in &mut self.reductions {
                r.code = None;
                if linear {
                    r.linearize(&self.plan, &model, self.extra, &mut p.ev)?;
                } else {
                    r.tabulate(&self.plan, &model);
                }
            }
            for program in [&self.plan.varying_residuals, &self.plan.varying_partials] {
                compile_into(&model.kernels, model.slot_count(), program);
            }
            let is_unknown = self.plan.unknown_slots(&model);
            let (residuals, partials) = (&self.plan.varying_residuals, &self.plan.varying_partials);
            self.limits = Limits::new(&mut p.ev, &is_unknown, residuals, partials, |crit| {
                Limit::Moves { crit }
            });
        }
        let rest = self.reductions.iter().map(Reduction::rest).max();
        self.rest = vec![0.0; rest.unwrap_or(0)];
        Ok(())
    }

    /// Parameters of the equations have changed (another selection of states).
    pub fn renew(&mut self, p: &mut Problem) -> Result<(), StepError> {
        let methods: Vec<Method> = self.reductions.iter().map(|r| r.method).collect();
        let fused = self.is_fused();
        self.reduce(p, &methods, if fused { FUSE_LIMIT } else { 0 })
    }

    /// Is a step straight-line code?
    pub fn is_fused(&self) -> bool {
        self.reductions.iter().all(|r| r.code.is_some())
    }

    /// A history begins at the present slots.
    pub fn begin(&mut self, p: &mut Problem) {
        self.age = 0;
        self.pending = false;
        for past in &mut self.past {
            past.copy_from_slice(p.ev.states());
        }
        if self.is_fused() {
            let first = self.extra.history as usize;
            let n = self.past_rates.len();
            for j in 0..self.depth - 1 {
                p.ev.slots[first + j * n..][..n].copy_from_slice(&self.past[0]);
            }
        }
    }

    /// Discrete values have changed; all unknowns are in their slots.
    pub fn after_event(&mut self) {
        self.pending = false;
        for r in &mut self.reductions {
            r.valid &= self.plan.dependence == Dependence::Parameters;
        }
    }

    /// Unknowns that are left for the iteration.
    pub fn iterated(&self) -> usize {
        self.reductions.first().map_or(0, Reduction::rest)
    }

    /// Entries of the triangular factors.
    pub fn factor_entries(&self) -> usize {
        let of_one = |r: &Reduction| match &r.linear {
            Some(linear) => linear.step.terms(),
            None => r.e.lower.index.len() + r.e.upper.index.len(),
        };
        self.reductions.first().map_or(0, of_one)
    }

    /// One step of the formula to time `t`; the unknowns of the core are in their slots then.
    pub fn step(
        &mut self,
        p: &mut Problem,
        t: f64,
        method: Method,
        ending: Ending,
    ) -> Result<StepWork, StepError> {
        let c = method.leading(self.h);
        let k = self.reductions.iter().position(|r| r.c == c);
        self.last = k.unwrap_or(0);
        p.ev.set_time(t);
        if !p.delays.is_empty() {
            p.apply_delays().map_err(StepError::Evaluation)?;
        }
        let r = &self.reductions[self.last];
        let fused = r.code.is_some();
        if self.keep_before || (!fused && r.rest() > 0) {
            for (v, &s) in self.before.iter_mut().zip(&r.slot_at) {
                *v = p.ev.slots[s as usize];
            }
        }
        if self.keep_before || !(fused || r.linear.is_some()) {
            self.past_rates.copy_from_slice(p.ev.derivatives());
        }
        let work = if fused {
            self.fused_step(p, ending)?
        } else if r.linear.is_some() {
            self.linear_step(p, method)?
        } else {
            self.tabled_step(p, method, ending)?
        };
        let r = &self.reductions[self.last];
        let mut odd = work.odd;
        if r.linear.is_none() {
            for &s in &r.slot_at {
                odd += p.ev.slots[s as usize] * 0.0;
            }
        }
        if odd != 0.0 {
            let bad = |&k: &usize| !p.ev.slots[r.slot_at[k] as usize].is_finite();
            let col = r.e.col_at[(0..r.slot_at.len()).find(bad).unwrap_or(0)];
            let column = self.plan.columns[col as usize] as usize;
            return Err(StepError::NotFinite(column));
        }
        Ok(work)
    }

    fn fused_step(&mut self, p: &mut Problem, ending: Ending) -> Result<StepWork, StepError> {
        let mut work = StepWork {
            iterations: 1,
            evaluations: 1,
            ..StepWork::default()
        };
        let r = &mut self.reductions[self.last];
        let Some(code) = r.code.take() else {
            return Ok(work);
        };
        let m = r.rest();
        let functions = &self.model.functions;
        if m > 0 {
            execute(
                functions,
                &mut self.vm,
                &code.kernels,
                &code.begin,
                &mut p.ev,
            )?;
            let change = self.extra.change as usize;
            p.ev.slots[change..change + m].fill(0.0);
            let rounds = self.plan.rounds(ending.iterations);
            for round in 0..rounds {
                execute(
                    functions,
                    &mut self.vm,
                    &code.kernels,
                    &code.iterate,
                    &mut p.ev,
                )?;
                work.evaluations += 1;
                work.iterations += u64::from(round > 0);
                let slots = &mut p.ev.slots;
                let right = self.extra.rest_right as usize;
                if ending.residual > 0.0
                    && round > 0
                    && slots[right..right + m]
                        .iter()
                        .all(|f| f.abs() <= ending.residual)
                {
                    work.correction = 0.0;
                    break;
                }
                work.jacobians += u64::from(!r.valid);
                work.factorizations += u64::from(!r.valid);
                let delta = self.extra.delta as usize;
                if !code.solves || slots[self.extra.trusted as usize] == 0.0 {
                    self.rest[..m].copy_from_slice(&slots[right..right + m]);
                    if !r.valid {
                        r.take_matrix(slots, self.extra.matrix);
                        work.searches += u64::from(code.solves);
                        if let Err(e) = r.factor(&self.plan) {
                            r.code = Some(code);
                            return Err(e);
                        }
                        r.valid = settles_at_once(&self.plan);
                    }
                    r.solve(&mut self.rest[..m]);
                    let before = if code.solves {
                        self.extra.previous as usize
                    } else {
                        change
                    };
                    for (k, d) in self.rest[..m].iter().enumerate() {
                        slots[delta + k] = *d;
                        slots[change + k] = slots[before + k] + d;
                    }
                }
                if round == 0 && r.has_constant_rows {
                    let constant = self.extra.constant_right as usize;
                    slots[constant..constant + m].fill(0.0);
                }
                if round + 1 == rounds || ending.until_converged {
                    work.correction = 0.0;
                    for (k, &at) in r.slot_at[r.e.rank..].iter().enumerate() {
                        let y = slots[at as usize] - slots[change + k];
                        let part = slots[delta + k].abs() / y.abs().max(1.0);
                        work.correction = f64::max(work.correction, part);
                    }
                    if ending.is_done(work.correction) {
                        break;
                    }
                }
            }
            if settles_at_once(&self.plan) {
                work.correction = 0.0;
            }
        }
        execute(functions, &mut self.vm, &code.kernels, &code.end, &mut p.ev)?;
        r.code = Some(code);
        Ok(work)
    }

    fn linear_step(&mut self, p: &mut Problem, method: Method) -> Result<StepWork, StepError> {
        let r = &self.reductions[self.last];
        let layout = &self.model.layout;
        let slots = &mut p.ev.slots;
        Linear::known_parts(method, self.h, layout, &self.extra, &self.past, slots);
        if self.depth > 1 {
            self.past.rotate_right(1);
            self.past[0].copy_from_slice(p.ev.states());
        }
        let Some(linear) = &r.linear else {
            return Ok(StepWork::default());
        };
        execute(
            &self.model.functions,
            &mut self.vm,
            &linear.kernels,
            &linear.forcing,
            &mut p.ev,
        )?;
        linear.step.run(&mut p.ev.slots);
        if self.keep_before {
            linear.others.run(&mut p.ev.slots);
        }
        self.pending = !self.keep_before;
        Ok(StepWork {
            iterations: 1,
            evaluations: 1,
            odd: linear.rates(r.c, layout, &self.extra, &mut p.ev.slots),
            ..StepWork::default()
        })
    }

    fn tabled_step(
        &mut self,
        p: &mut Problem,
        method: Method,
        ending: Ending,
    ) -> Result<StepWork, StepError> {
        let mut work = StepWork {
            iterations: 1,
            evaluations: 1,
            ..StepWork::default()
        };
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(p.ev.states());
        method.known_part(self.h, &self.past, &self.past_rates, &mut self.known);
        let r = &mut self.reductions[self.last];
        let layout = &self.model.layout;
        let (first, derivatives) = (layout.states as usize, layout.derivatives as usize);
        let c = r.c;
        let set_rates = |slots: &mut [f64], known: &[f64]| {
            let (head, tail) = slots.split_at_mut(derivatives);
            let states = &head[first..first + known.len()];
            for ((d, x), k) in tail.iter_mut().zip(states).zip(known) {
                *d = c * x + k;
            }
        };
        set_rates(&mut p.ev.slots, &self.known);
        let right = r.right as usize;
        let n = r.slot_at.len();
        if self.age.is_multiple_of(REFRESH) {
            p.ev.run(&r.residuals).map_err(StepError::Evaluation)?;
        } else {
            // Loud ones are written below, the others are zero.
            p.ev.slots[right..right + n].fill(0.0);
            p.ev.run(&r.loud_residuals).map_err(StepError::Evaluation)?;
        }
        self.age += 1;
        let rank = r.e.rank;
        let m = r.rest();
        r.e.forward(&mut p.ev.slots[right..right + n]);
        self.b.copy_from_slice(&p.ev.slots[right..right + n]);
        if m > 0 {
            self.x[rank..].fill(0.0);
            let rounds = self.plan.rounds(ending.iterations);
            for round in 0..rounds {
                r.place_needed(
                    &mut p.ev.slots,
                    &self.b,
                    &mut self.x,
                    &self.before,
                    &self.known,
                );
                p.ev.run(&self.plan.varying_residuals)
                    .and_then(|()| self.limits.residuals(&mut p.ev))
                    .map_err(StepError::Evaluation)?;
                work.evaluations += 1;
                work.iterations += u64::from(round > 0);
                let mut largest = 0.0f64;
                for k in 0..m {
                    let f = match (r.row_varies[k], round) {
                        (true, _) => p.ev.slots[r.residual_at[rank + k] as usize],
                        (false, 0) => self.b[rank + k],
                        (false, _) => 0.0,
                    };
                    self.rest[k] = f;
                    largest = largest.max(f.abs());
                }
                if ending.residual > 0.0 && round > 0 && largest <= ending.residual {
                    work.correction = 0.0;
                    break;
                }
                if !r.valid {
                    p.ev.run(&self.plan.varying_partials)
                        .and_then(|()| self.limits.partials(&mut p.ev))
                        .map_err(StepError::Evaluation)?;
                    r.assemble(&p.ev.slots);
                    work.jacobians += 1;
                    work.factorizations += 1;
                    r.factor(&self.plan)?;
                    r.valid = settles_at_once(&self.plan);
                }
                r.solve(&mut self.rest[..m]);
                work.correction = 0.0;
                for k in 0..m {
                    let d = self.rest[k];
                    self.x[rank + k] += d;
                    let y = self.before[rank + k] - self.x[rank + k];
                    p.ev.slots[r.slot_at[rank + k] as usize] = y;
                    work.correction = f64::max(work.correction, d.abs() / y.abs().max(1.0));
                }
                if ending.is_done(work.correction) {
                    break;
                }
            }
            if settles_at_once(&self.plan) {
                work.correction = 0.0;
            }
        }
        let slots = &mut p.ev.slots;
        for k in (0..rank).rev() {
            let x = r.e.unknown(k, &self.b, &self.x);
            self.x[k] = x;
            slots[r.slot_at[k] as usize] = self.before[k] - x;
        }
        set_rates(slots, &self.known);
        Ok(work)
    }
}

/// Runs a program of kernels that are not the model's.
fn execute(
    functions: &Functions,
    vm: &mut Vm,
    kernels: &Kernels,
    program: &Program,
    ev: &mut Evaluator,
) -> Result<(), StepError> {
    limits::run(functions, vm, kernels, program, ev).map_err(StepError::Evaluation)
}
