//! The tangent of the Newton iteration: values, factors, and how long they stay valid.
//!
//! In: the problem at a point. Out: solutions of (∂F/∂y + c ∂F/∂y') Δ = r. Invariant: the factors are
//! those of the present discrete values and of `c` whenever `solve` is called after `prepare`.

use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use ferrica_codegen::kernel::{KernelId, loads_of};
use ferrica_codegen::layout::Layout;
use ferrica_codegen::model::DaeForm;
use ferrica_codegen::program::rows;
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::causal::Kind;
use ferrica_sim::Problem;
use ferrica_solvers::linear::{LinearSolver, Singular};
use ferrica_solvers::system::{DaeSystem, EvalError};

use crate::method::RtOptions;
use crate::step::StageClock;
use ferrica_codegen::limits::Limits;

/// What the partial derivatives of the equations depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependence {
    /// Parameters only.
    Parameters,
    /// Besides, on values that change at events.
    Discrete,
    /// On time or unknowns.
    Continuous,
}

impl Dependence {
    pub fn word(self) -> &'static str {
        match self {
            Dependence::Parameters => "constant",
            Dependence::Discrete => "constant between events",
            Dependence::Continuous => "variable",
        }
    }
}

/// The dependence of the partial derivatives that matter in so many iterations, and that of all. Equations that only compute outputs need no factors of the present:
/// once the others are solved, which takes one iteration where they are linear, each further iteration makes
/// exact what depends on exact values only, by a slope of its own that is constant.
pub fn dependence(
    model: &CompiledModel,
    dae: &DaeForm,
    iterations: usize,
) -> (Dependence, Dependence) {
    let all = entry_dependences(model, dae);
    let worst =
        |list: &mut dyn Iterator<Item = Dependence>| list.max().unwrap_or(Dependence::Parameters);
    let whole = worst(&mut all.iter().copied());
    let mut of_position = vec![Dependence::Parameters; dae.pattern.nnz()];
    for (entry, &d) in dae.entries.iter().zip(&all) {
        let place = &mut of_position[entry.0 as usize];
        *place = d.max(*place);
    }
    let n = dae.unknowns.len();
    let slope = |r: usize, c: usize| dae.pattern.find(r, c).map(|k| of_position[k]);
    let solved = |r: usize, c: usize| slope(r, c) == Some(Dependence::Parameters);
    let pairs = outputs(model, dae, |c| c < dae.n_states, solved);
    let mut column_of = vec![None; n];
    for &(r, c) in &pairs {
        column_of[r as usize] = Some(c);
    }
    let mut reads: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (r, c) in dae.pattern.entries() {
        if column_of[r].is_some_and(|own| own as usize != c) {
            reads[r].push(c as u32);
        }
    }
    let mut depth_of = vec![0usize; n];
    for &(r, c) in &pairs {
        let deepest = reads[r as usize]
            .iter()
            .map(|&j| depth_of[j as usize])
            .max();
        depth_of[c as usize] = 1 + deepest.unwrap_or(0);
    }
    let entries = dae.pattern.entries().zip(&of_position);
    let in_core = |e: &((usize, usize), &Dependence)| column_of[e.0.0].is_none();
    let core = worst(&mut entries.filter(in_core).map(|e| *e.1));
    let deepest = depth_of.iter().max().copied().unwrap_or(0);
    if core < Dependence::Continuous && iterations > deepest {
        (core, whole)
    } else {
        (whole, whole)
    }
}

/// What the values in slots depend on.
pub struct Dependences<'a> {
    model: &'a CompiledModel,
    left_limit: Vec<bool>,
    delayed: Vec<bool>,
}

impl Dependences<'_> {
    pub fn new(model: &CompiledModel) -> Dependences<'_> {
        let mut left_limit = vec![false; model.slot_count()];
        for &(_, pre) in &model.layout.pre_pairs {
            left_limit[pre as usize] = true;
        }
        let mut delayed = vec![false; model.slot_count()];
        for slot in model.remembered() {
            delayed[slot as usize] = true;
        }
        Dependences {
            model,
            left_limit,
            delayed,
        }
    }

    pub fn of_slot(&self, slot: Slot) -> Dependence {
        if slot == Layout::TIME || self.delayed[slot as usize] {
            return Dependence::Continuous;
        }
        if slot == Layout::INITIAL || slot == Layout::TERMINAL || self.left_limit[slot as usize] {
            return Dependence::Discrete;
        }
        let variable = self.model.variable(slot);
        match variable.map(|v| self.model.source.vars[v].kind) {
            None | Some(Kind::Parameter | Kind::External) => Dependence::Parameters,
            Some(Kind::Discrete | Kind::Relation) => Dependence::Discrete,
            Some(_) => Dependence::Continuous,
        }
    }
}

/// The dependence of each entry of the DAE form, from the data flow of the kernels.
pub fn entry_dependences(model: &CompiledModel, dae: &DaeForm) -> Vec<Dependence> {
    let dependences = Dependences::new(model);
    // Partials that no kernel computes are literals.
    let mut of_partial = vec![Dependence::Parameters; model.slot_count()];
    let mut used: SecondaryMap<KernelId, Option<Vec<Vec<u32>>>> = SecondaryMap::new();
    for (kernel, row) in rows(&model.kernels, &dae.partials) {
        let code = &model.kernels.kernels[kernel];
        let loads = used[kernel].get_or_insert_with(|| {
            let of_one = |r: &u32| loads_of(code, *r);
            code.results.iter().map(of_one).collect()
        });
        for (loads, &result) in loads.iter().zip(&row[code.loads as usize..]) {
            let all = loads.iter().map(|&k| dependences.of_slot(row[k as usize]));
            of_partial[result as usize] = all.max().unwrap_or(Dependence::Parameters);
        }
    }
    let of_entry = |e: &(u32, Slot, bool)| of_partial[e.1 as usize];
    dae.entries.iter().map(of_entry).collect()
}

/// Unknowns that others depend on.
pub fn core_unknowns(model: &CompiledModel, dae: &DaeForm) -> Vec<bool> {
    let mut core = vec![true; dae.unknowns.len()];
    for (_, c) in outputs(model, dae, |c| c < dae.n_states, |_, _| true) {
        core[c as usize] = false;
    }
    core
}

/// The unknowns that each equation reads, itself or their derivatives. More than its partial derivatives tell: that of
/// `noEvent(if u > 0 then 1 else 2)` with respect to `u` is zero and stands nowhere.
fn unknowns_read(model: &CompiledModel, dae: &DaeForm) -> Vec<Vec<u32>> {
    let mut column_of = vec![u32::MAX; model.slot_count()];
    for (c, &slot) in dae.unknowns.iter().enumerate() {
        column_of[slot as usize] = c as u32;
    }
    for k in 0..model.layout.n_states {
        column_of[model.layout.derivatives as usize + k] = k as u32;
    }
    let mut read: Vec<Vec<u32>> = vec![Vec::new(); dae.unknowns.len()];
    for (r, c) in dae.pattern.entries() {
        read[r].push(c as u32);
    }
    let mut known: HashMap<(KernelId, u32), Vec<u32>> = HashMap::new();
    for (kernel, row) in rows(&model.kernels, &dae.program) {
        let code = &model.kernels.kernels[kernel];
        let (operands, residuals) = row.split_at(code.loads as usize);
        for (&residual, &result) in residuals.iter().zip(&code.results) {
            let Some(list) =
                (residual.checked_sub(dae.residuals)).and_then(|r| read.get_mut(r as usize))
            else {
                continue;
            };
            let loads = known
                .entry((kernel, result))
                .or_insert_with(|| loads_of(code, result));
            let columns = loads
                .iter()
                .map(|&k| column_of[operands[k as usize] as usize]);
            list.extend(columns.filter(|&c| c != u32::MAX));
        }
    }
    for list in &mut read {
        list.sort_unstable();
        list.dedup();
    }
    read
}

/// Equations (row, unknown) that only compute an output: the unknown occurs in a single equation, or
/// in none but those of further outputs. None that is `kept`; only where the equation can be
/// `solved` for it. Each needs only unknowns of the pairs before it.
pub fn outputs(
    model: &CompiledModel,
    dae: &DaeForm,
    kept: impl Fn(usize) -> bool,
    solved: impl Fn(usize, usize) -> bool,
) -> Vec<(u32, u32)> {
    let n = dae.unknowns.len();
    let columns_of = unknowns_read(model, dae);
    let mut rows_of = vec![0u32; n];
    for &c in columns_of.iter().flatten() {
        rows_of[c as usize] += 1;
    }
    let mut core = vec![true; n];
    let mut row_left = vec![true; n];
    let mut found = Vec::new();
    let mut open: Vec<usize> = (0..n).filter(|&c| rows_of[c] == 1 && !kept(c)).collect();
    while let Some(c) = open.pop() {
        let left = |r: &&u32| row_left[**r as usize];
        let Some(r) = dae.pattern.col(c).iter().find(left).map(|&r| r as usize) else {
            continue;
        };
        if !core[c] || !solved(r, c) {
            continue;
        }
        core[c] = false;
        row_left[r] = false;
        found.push((r as u32, c as u32));
        for &other in &columns_of[r] {
            let other = other as usize;
            rows_of[other] -= 1;
            if rows_of[other] == 1 && !kept(other) && core[other] {
                open.push(other);
            }
        }
    }
    found.reverse();
    found
}

/// Why there are no factors.
#[derive(Debug)]
pub enum TangentError {
    Evaluation(EvalError),
    Singular(Singular),
    NotFinite,
}

/// See the module comment.
pub struct Tangent {
    /// What the factors depend on, and what all values do.
    pub dependence: Dependence,
    pub whole: Dependence,
    pub values: Vec<f64>,
    lu: LinearSolver,
    /// The c that the factors are for.
    valid_for: Option<f64>,
    always: bool,
    pub evaluations: u64,
    pub factorizations: u64,
    /// Time of the evaluations, if it is measured.
    pub timed: bool,
    pub seconds: f64,
    /// Limited exponentials.
    pub limits: Limits,
}

impl Tangent {
    pub fn new(model: &CompiledModel, dae: &DaeForm, options: &RtOptions) -> Tangent {
        let (dependence, whole) = dependence(model, dae, options.iterations);
        Tangent {
            dependence,
            whole,
            values: vec![0.0; dae.pattern.nnz()],
            lu: LinearSolver::new(dae.pattern.clone()),
            valid_for: None,
            always: options.always_factor,
            evaluations: 0,
            factorizations: 0,
            timed: false,
            seconds: 0.0,
            limits: Limits::default(),
        }
    }

    /// Discrete values have changed.
    pub fn after_event(&mut self) {
        if self.dependence > Dependence::Parameters {
            self.valid_for = None;
        }
    }

    /// Values of the partial derivatives at a point.
    pub fn evaluate(
        &mut self,
        p: &mut Problem,
        t: f64,
        c: f64,
        y: &[f64],
        rates: &[f64],
    ) -> Result<(), TangentError> {
        self.evaluations += 1;
        let clock = StageClock::new(self.timed);
        DaeSystem::jacobian(p, t, c, y, rates, &mut self.values)
            .map_err(TangentError::Evaluation)?;
        if !self.limits.is_empty() {
            self.limit(p, c);
        }
        clock.stop(&mut self.seconds);
        if self.values.iter().all(|v| v.is_finite()) {
            Ok(())
        } else {
            Err(TangentError::NotFinite)
        }
    }

    /// The same with limited exponentials.
    fn limit(&mut self, p: &mut Problem, c: f64) {
        if self.limits.partials(&mut p.ev).is_ok() {
            p.ev.gather_dae_jacobian(c, &mut self.values);
        }
    }

    /// Factors for this point, formed anew only where something may have changed.
    pub fn prepare(
        &mut self,
        p: &mut Problem,
        t: f64,
        c: f64,
        y: &[f64],
        rates: &[f64],
    ) -> Result<(), TangentError> {
        let kept = self.dependence < Dependence::Continuous && !self.always;
        if kept && self.valid_for == Some(c) {
            return Ok(());
        }
        self.valid_for = None;
        self.evaluate(p, t, c, y, rates)?;
        self.factorizations += 1;
        self.lu
            .factor(&self.values)
            .map_err(TangentError::Singular)?;
        self.valid_for = Some(c);
        Ok(())
    }

    pub fn solve(&mut self, b: &mut [f64]) {
        self.lu.solve(b);
    }
}
