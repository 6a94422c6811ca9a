//! Operating points: where a model rests.
//!
//! In: a model, an experiment that says when and with which inputs. Out: states at which all derivatives vanish, as a point from
//! which runs and linear models begin. Time stands still at the start of the experiment.
//!
//! The model is initialized as for a run (with homotopy, if it has some). From there Newton's method on ẋ = f(x) = 0, in steps
//! (1/δ - ∂f/∂x)·Δx = f: for large δ they are Newton's, and what no equation pulls anywhere stays where it is (`singular` has the step where
//! that takes more than a large δ). A step that does not bring f down is shortened. What samplers remember must rest too (`sampled`). Where that does not lead on, pseudo-transient continuation: implicit Euler steps of growing δ from the start.
//! δ grows as the rates fall (Kelley and Keyes: Convergence analysis of pseudo-transient continuation, 1998), and where the linear model
//! tells the rates behind a step (Deuflhard: Newton Methods for Nonlinear Problems, 6.4): rates that rise at first would keep it short for ever. Conditions change between the steps, as at events.

mod obstacle;
mod sampled;
mod singular;

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Evaluator, Form, Slot};
use ferrica_ir::SourceMap;
use ferrica_sim::{Problem, Snapshot, iterate_within};
use ferrica_solvers::linear::LinearSolver;
use ferrica_solvers::sparse::CscPattern;

use crate::error::Error;
use crate::experiment::{Experiment, Interrupt};
use crate::failure::Failure;
use crate::model::Model;
use crate::run::run_error;
use crate::stages::grid::Grid;
use crate::stages::pipeline::Compiled;

/// Steps of Newton's method, and of the continuation.
const NEWTON_STEPS: usize = 60;
const TRANSIENT_STEPS: usize = 2000;
/// Passes of conditions that change between steps.
const PASSES: usize = 40;
/// Halvings of a step.
const HALVINGS: usize = 12;
/// A state rests when it moves by less than this part of its size in a second, or when a step moves it by less.
const AT_REST: f64 = 1e-9;
/// Newton's steps have this δ in seconds: what moves more slowly stays where it is.
const NEWTON_DELTA: f64 = 1e12;
/// First δ of the continuation, in parts of the fastest state's time constant.
const FIRST_DELTA: f64 = 1.0;
/// Growth of δ from one step to the next at most.
const DELTA_GROWTH: f64 = 10.0;
/// A step behind which the rates are what its linear model says, up to this part, is followed by the longest that may be.
const WELL_TOLD: f64 = 0.25;
/// A step that misses them by more than this part is made again, shorter.
const TOLD: f64 = 1.0;

/// A point at which a model rests.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("
///     model Tank
///       input Real q(start = 0.2); output Real level(start = 1, fixed = true);
///     equation
///       der(level) = q - 0.1*sqrt(level);
///     end Tank;")?;
/// let point = model.steady_state(&Experiment::default(), &[])?;
/// assert!((point.get("level")? - 4.0).abs() < 1e-6);
/// let point = model.steady_state(&Experiment::default().input("q", 0.1), &[])?;
/// assert!((point.get("level")? - 1.0).abs() < 1e-6);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OperatingPoint {
    /// The time at which everything else is taken.
    pub time: f64,
    /// Names and values of the states.
    pub states: Vec<(String, f64)>,
    /// Names and values of all variables.
    pub variables: Vec<(String, f64)>,
    /// How it was found.
    pub method: &'static str,
    /// Steps of that.
    pub iterations: usize,
    /// All of it.
    pub snapshot: Arc<Snapshot>,
}

impl OperatingPoint {
    /// The value of a variable.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = 3 - x; end M;")?;
    /// assert!((model.steady_state(&Experiment::default(), &[])?.get("x")? - 3.0).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn get(&self, name: &str) -> Result<f64, Error> {
        let found = self.variables.iter().find(|(n, _)| n == name);
        found.map(|(_, v)| *v).ok_or_else(|| {
            let names = self.variables.iter().map(|(n, _)| n.as_str());
            Error::unknown("variable", name, names)
        })
    }

    /// The states as start values: `NAME.start` and value, for [`Model::set`] or `-p`.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = 3 - x; end M;")?;
    /// assert_eq!(model.steady_state(&Experiment::default(), &[])?.start_values()[0].0, "x.start");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn start_values(&self) -> Vec<(String, f64)> {
        let of = |(name, value): &(String, f64)| (format!("{name}.start"), *value);
        self.states.iter().map(of).collect()
    }
}

/// The search.
struct Rest<'a> {
    p: Problem,
    model: Arc<CompiledModel>,
    /// Need not rest.
    free: Vec<bool>,
    pattern: CscPattern,
    solver: LinearSolver,
    /// Positions of the Jacobian's entries in the pattern, and of the diagonal.
    places: Vec<usize>,
    diagonal: Vec<usize>,
    /// Of each state: its size where the search began, and the largest rate that was met.
    began: Vec<f64>,
    fastest: Vec<f64>,
    /// For steps where the Jacobian is singular.
    shortest: Option<singular::Shortest>,
    interrupt: Option<&'a Interrupt>,
}

impl Rest<'_> {
    fn n(&self) -> usize {
        self.model.layout.n_states
    }

    fn size(&self, k: usize) -> f64 {
        let slot = self.model.layout.states + k as Slot;
        self.model.nominal(slot).abs() + self.p.ev.get(slot).abs()
    }

    /// Derivatives at the present states, conditions as they are.
    fn rates(&mut self, out: &mut Vec<f64>) -> bool {
        let done = self.p.ev.run(&self.model.rhs_program).is_ok();
        out.clear();
        out.extend_from_slice(self.p.ev.derivatives());
        for (rate, &free) in out.iter_mut().zip(&self.free) {
            if free {
                *rate = 0.0;
            }
        }
        for (fastest, rate) in self.fastest.iter_mut().zip(&*out) {
            *fastest = fastest.max(rate.abs());
        }
        done && out.iter().all(|r| r.is_finite())
    }

    /// How far from rest.
    fn norm(&self, rates: &[f64]) -> f64 {
        let parts = rates.iter().zip(&self.began).map(|(r, size)| r / size);
        parts.map(|v| v * v).sum::<f64>().sqrt()
    }

    /// A state that has grown may move in proportion, if it has come to rest from a motion; one that runs away has not.
    fn rests(&self, rates: &[f64]) -> bool {
        let small = |(k, r): (usize, &f64)| {
            let grown = self.size(k).min(self.fastest[k]);
            r.abs() <= AT_REST * self.began[k].max(grown)
        };
        rates.iter().enumerate().all(small)
    }

    /// Conditions and discrete variables follow the states; they look at more variables than the rates do.
    fn settle(&mut self) -> bool {
        if self.p.ev.run(&self.model.continuous_program).is_err() {
            return false;
        }
        let done = iterate_within(&mut self.p, &Vec::new(), &[], 0.0, PASSES);
        done.is_ok_and(|r| !r.unsettled && r.terminate.is_none())
    }

    /// (1/δ - ∂f/∂x)⁻¹·f, and the largest rate at which a state pulls itself back.
    fn step(&mut self, delta: f64, rates: &[f64]) -> Option<(Vec<f64>, f64)> {
        let model = Arc::clone(&self.model);
        let jacobian = model.ode_jacobian.as_ref()?;
        let mut values = vec![0.0; jacobian.pattern.nnz()];
        self.p.ev.ode_jacobian(&mut values).ok()?;
        let mut matrix = vec![0.0; self.pattern.nnz()];
        let mut fastest = 0.0f64;
        for ((r, c), (&value, &at)) in
            (jacobian.pattern.entries()).zip(values.iter().zip(&self.places))
        {
            if !value.is_finite() {
                return None;
            }
            if r == c {
                fastest = fastest.max(value.abs());
            }
            if !self.free[r] {
                matrix[at] -= value;
            }
        }
        for (k, &at) in self.diagonal.iter().enumerate() {
            matrix[at] += if self.free[k] { 1.0 } else { 1.0 / delta };
        }
        self.solver.factor(&matrix).ok()?;
        let mut step = rates.to_vec();
        self.solver.solve(&mut step);
        let finite = step.iter().all(|s| s.is_finite());
        finite.then_some((step, fastest))
    }

    /// Moves the states by a part of a step.
    fn moved(&mut self, from: &[f64], step: &[f64], part: f64) {
        let to: Vec<f64> = from.iter().zip(step).map(|(x, s)| x + part * s).collect();
        self.p.ev.set_states(&to);
    }

    fn is_small(&self, step: &[f64]) -> bool {
        let small = |(k, s): (usize, &f64)| s.abs() <= AT_REST * self.size(k);
        step.iter().enumerate().all(small)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::asked)
    }

    /// Does it rest with the conditions that follow from its states? The rates are those then. A state that has grown may keep a rate in
    /// proportion only where something pulls it back: what moves freely would go far in the time that [`AT_REST`] stands for.
    fn stays(&mut self, rates: &mut Vec<f64>) -> bool {
        if !self.settle() || !self.rates(rates) {
            return false;
        }
        let near = match self.step(NEWTON_DELTA, rates) {
            Some((step, _)) => self.rests(rates) || self.is_small(&step),
            None => self.rests(rates),
        };
        let Some((far, _)) = self.step(1.0 / AT_REST, rates) else {
            return near;
        };
        let bound = |(k, s): (usize, &f64)| s.abs() <= self.began[k];
        near && far.iter().enumerate().all(bound)
    }

    /// What hardly moves may still be far from rest if it is slow: one more step, if that helps.
    fn polish(&mut self, rates: &[f64]) {
        let slots = self.p.ev.slots.clone();
        let (from, before) = (self.p.ev.states().to_vec(), self.norm(rates));
        if let Some(step) = self.newton_step(rates) {
            let mut there = Vec::new();
            self.moved(&from, &step, 1.0);
            if self.rates(&mut there) && self.norm(&there) < before {
                return;
            }
        }
        self.p.ev.slots.copy_from_slice(&slots);
    }

    /// It stays here, or where a last step leads; that step may be one too far, as below the bottom of a tank.
    fn ends(&mut self, rates: &mut Vec<f64>) -> bool {
        let slots = self.p.ev.slots.clone();
        self.polish(rates);
        if self.stays(rates) {
            return true;
        }
        self.p.ev.slots.copy_from_slice(&slots);
        self.rates(rates) && self.stays(rates)
    }

    fn newton(&mut self) -> Option<usize> {
        let (mut rates, mut trial) = (Vec::new(), Vec::new());
        for k in 0..NEWTON_STEPS {
            if !self.rates(&mut rates) || self.interrupted() {
                return None;
            }
            if self.rests(&rates) && self.ends(&mut rates) {
                return Some(k);
            }
            let step = self.newton_step(&rates)?;
            if self.is_small(&step) {
                match self.stays(&mut rates) {
                    true => return Some(k),
                    false => continue,
                }
            }
            let (from, before) = (self.p.ev.states().to_vec(), self.norm(&rates));
            let slots = self.p.ev.slots.clone();
            let mut part = 1.0;
            let mut better = false;
            for _ in 0..HALVINGS {
                self.moved(&from, &step, part);
                if self.rates(&mut trial) && self.norm(&trial) < (1.0 - 1e-4 * part) * before {
                    better = true;
                    break;
                }
                self.p.ev.slots.copy_from_slice(&slots);
                part *= 0.5;
            }
            if !better || !self.settle() {
                return None;
            }
        }
        None
    }

    fn transient(&mut self) -> Option<usize> {
        let (mut rates, mut last) = (Vec::new(), f64::INFINITY);
        let (mut delta, mut first, mut off) = (0.0, 0.0, f64::INFINITY);
        for k in 0..TRANSIENT_STEPS {
            if !self.rates(&mut rates) || self.interrupted() {
                return None;
            }
            let now = self.norm(&rates);
            if self.rests(&rates) && self.ends(&mut rates) {
                return Some(k);
            }
            if delta == 0.0 {
                let (_, fastest) = self.step(1.0, &rates)?;
                first = FIRST_DELTA / fastest.max(f64::MIN_POSITIVE).max(1e-6);
                delta = first;
            } else if off <= WELL_TOLD {
                delta *= DELTA_GROWTH;
            } else {
                delta *= (last / now).clamp(0.5, DELTA_GROWTH);
            }
            delta = delta.min(NEWTON_DELTA);
            last = now;
            let slots = self.p.ev.slots.clone();
            let from = self.p.ev.states().to_vec();
            loop {
                let made = self.step(delta, &rates);
                let mut there = Vec::new();
                if let Some((step, _)) = made {
                    let small = delta >= 1.0 / AT_REST && self.is_small(&step);
                    if small && self.stays(&mut rates) {
                        return Some(k);
                    }
                    self.moved(&from, &step, 1.0);
                    // A place that has no derivatives is none to go on from.
                    if self.rates(&mut there)
                        && self.settle()
                        && self.rates(&mut there)
                        && (self.rests(&there) || self.step(delta, &there).is_some())
                    {
                        let told: Vec<f64> = step.iter().map(|s| s / delta).collect();
                        let missed: Vec<f64> =
                            there.iter().zip(&told).map(|(f, t)| f - t).collect();
                        off = self.norm(&missed) / self.norm(&told).max(f64::MIN_POSITIVE);
                        if off <= TOLD || delta <= first {
                            break;
                        }
                    }
                }
                self.p.ev.slots.copy_from_slice(&slots);
                delta *= 0.25;
                if delta < f64::EPSILON * f64::EPSILON {
                    return None;
                }
            }
        }
        None
    }
}

/// The causal form of a model, in which all derivatives are explicit.
fn causal(model: &Arc<CompiledModel>) -> Result<Arc<CompiledModel>, Failure> {
    if model.ode_jacobian.is_some() || model.layout.n_states == 0 {
        return Ok(Arc::clone(model));
    }
    let options = CompileOptions {
        natives: model.functions.natives.clone(),
        form: Form::Ode,
        tangents: false,
    };
    let made = ferrica_codegen::compile((*model.source).clone(), &options);
    Ok(Arc::new(made.map_err(Failure::Model)?))
}

impl Model {
    /// The point at which the model rests at the start time of an experiment, with its inputs. States that are named as free need
    /// not rest: they keep their start values, as the angle of a shaft that turns.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let text = "model M Real phi(start = 1, fixed = true); Real w(start = 0, fixed = true); equation der(phi) = w; der(w) = 5 - w; end M;";
    /// let model = Model::from_text(text)?;
    /// assert_eq!(model.steady_state(&Experiment::default(), &[]).unwrap_err().code(), "E0641");
    /// let point = model.steady_state(&Experiment::default(), &["phi"])?;
    /// assert!((point.get("w")? - 5.0).abs() < 1e-9 && point.get("phi")? == 1.0);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn steady_state(
        &self,
        experiment: &Experiment,
        free: &[&str],
    ) -> Result<OperatingPoint, Error> {
        // A point has a time, and no end that could lie before it.
        let mut experiment = experiment.clone();
        let start = experiment.span.start;
        experiment.span.stop = experiment.span.stop.or(start.map(|t| t + 1.0));
        // … nor rows whose interval would have to fit.
        experiment.span.interval = None;
        experiment.span.points = Some(1);
        let (model, inputs) = self.driven_by(&experiment)?;
        let grid = model.grid_of(&experiment)?;
        let mut values = model.run_time_values();
        values.extend(inputs);
        let (compiled, asked) = (model.compiled(), experiment.interrupt.as_ref());
        find(compiled, &values, &grid, free, asked, model.sources())
    }
}

/// The point from which a run of a compiled model begins at rest.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 0, fixed = true); equation der(x) = 2 - x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// let point = ferrica::engines::point_of_rest(&compiled, &grid, &log.sources).unwrap();
/// assert!((point.get("x").unwrap() - 2.0).abs() < 1e-9);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn begin(
    compiled: &Compiled,
    grid: &Grid,
    sources: &SourceMap,
) -> Result<OperatingPoint, Error> {
    let free: &[&str] = &[];
    find(&compiled.model, &compiled.values, grid, free, None, sources)
}

/// The same, and which states need not rest; the point is one of this compiled model.
pub(crate) fn find(
    target: &Arc<CompiledModel>,
    values: &[(String, f64)],
    grid: &Grid,
    free: &[&str],
    interrupt: Option<&Interrupt>,
    sources: &SourceMap,
) -> Result<OperatingPoint, Error> {
    let failed = |e: Failure| run_error(&e, sources);
    let model = causal(target).map_err(failed)?;
    let begun = |model: &Arc<CompiledModel>| {
        let plan = ferrica_sim::Experiment {
            start: grid.start,
            tolerance: grid.tolerance,
            values: values.to_vec(),
            ..ferrica_sim::Experiment::of(model)
        };
        let started = ferrica_sim::start(model, &plan);
        let started = started.map_err(|e| failed(Failure::model(e.diagnostic())))?;
        Ok::<Problem, Error>(started.problem)
    };
    let mut p = begun(&model)?;
    p.use_ode_form();
    let n = model.layout.n_states;
    let names: Vec<&str> = (0..n as Slot)
        .map(|k| model.var_name(model.layout.states + k))
        .collect();
    let mut is_free = vec![false; n];
    for name in free {
        let found = names.iter().position(|n| n == name);
        let found = found.ok_or_else(|| Error::unknown("state", name, names.iter().copied()))?;
        is_free[found] = true;
    }
    let own = match &model.ode_jacobian {
        Some(jacobian) => jacobian.pattern.clone(),
        None => CscPattern::dense(0),
    };
    let pattern = own.with_diagonal();
    let place = |(r, c)| pattern.find(r, c).unwrap_or(0);
    let mut rest = Rest {
        places: own.entries().map(place).collect(),
        diagonal: (0..n).map(|k| place((k, k))).collect(),
        solver: LinearSolver::new(pattern.clone()),
        pattern,
        free: is_free,
        interrupt,
        model: Arc::clone(&model),
        p,
        began: Vec::new(),
        fastest: vec![0.0; n],
        shortest: None,
    };
    rest.began = (0..n).map(|k| rest.size(k)).collect();
    let fresh = rest.p.ev.slots.clone();
    let (method, iterations) = match rest.newton() {
        Some(k) => ("Newton", k),
        None => {
            let stuck = rest.p.ev.slots.clone();
            rest.p.ev.slots.copy_from_slice(&fresh);
            match rest.transient() {
                Some(k) => ("pseudo-transient", k),
                None => {
                    let mut rates = Vec::new();
                    if !rest.rates(&mut rates) {
                        rest.p.ev.slots.copy_from_slice(&stuck);
                    }
                    let failure = rest.failure();
                    let drifting = rest.without_idle(&own, &fresh);
                    return Err(drifting.unwrap_or(failure));
                }
            }
        }
    };
    if !rest.settle() {
        return Err(rest.failure());
    }
    if let Some(moving) = rest.moved_by_samplers() {
        return Err(moving);
    }
    let mut rates = Vec::new();
    rest.rates(&mut rates);
    let done = rest.p.ev.run(&model.continuous_program);
    done.map_err(|e| {
        let error = ferrica_sim::SimError::new("E0605", grid.start, e);
        failed(Failure::model(error.diagnostic()))
    })?;
    let mut target_problem = begun(target)?;
    transfer(&rest.p.ev, &mut target_problem.ev);
    Ok(point(&rest, target_problem, method, iterations))
}

/// Values of all variables and their left limits, which have the same places in every form of a model.
fn transfer(from: &Evaluator, to: &mut Evaluator) {
    let layout = &from.model.layout;
    let count = layout.vars.len();
    to.slots[..count].copy_from_slice(&from.slots[..count]);
    for (&(_, a), &(_, b)) in layout
        .pre_pairs
        .iter()
        .zip(&to.model.layout.pre_pairs.clone())
    {
        to.slots[b as usize] = from.slots[a as usize];
    }
}

fn point(rest: &Rest, target: Problem, method: &'static str, iterations: usize) -> OperatingPoint {
    let ev = &rest.p.ev;
    let model = &rest.model;
    let first = model.layout.states;
    let states = (first..first + rest.n() as Slot)
        .map(|slot| (model.var_name(slot).to_owned(), ev.get(slot)))
        .collect();
    let variables = ferrica_sim::result_variables(model)
        .into_iter()
        .map(|v| {
            let (ferrica_sim::ValueSource::Slot(slot, negated)
            | ferrica_sim::ValueSource::Parameter(slot, negated)) = v.source;
            let value = ev.get(slot);
            (v.name, if negated { -value } else { value })
        })
        .collect();
    OperatingPoint {
        time: ev.time(),
        states,
        variables,
        method,
        iterations,
        snapshot: Arc::new(Snapshot {
            origin: ev.time(),
            time: ev.time(),
            memory: target.memory(),
            slots: target.ev.slots,
        }),
    }
}
