//! The linear model around a point of a run, ẋ = A·x + B·u and y = C·x + D·u, from exact derivatives.
//!
//! The model is compiled once more with the inputs as states that stay (u' = 0) and with an integral of each output
//! (z' = y). The Jacobian of that model's derivatives, which the compiler has in exact and sparse form, holds all four matrices.

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Evaluator, Form};
use ferrica_ir::Span;
use ferrica_ir::expr::{Ty, VarId};
use ferrica_ir::flat::{
    Causality, Equation, FlatModel, Origin, StateSelect, Variability, Variable,
};
use ferrica_sim::{Sink, Snapshot};

use crate::delayed::{self, Channel, Delays};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::experiment::{Experiment, Interrupt};
use crate::failure::Failure;
use crate::model::Model;
use crate::run::run_error;
use crate::signal::Signal;
use crate::stages::grid::Grid;
use crate::steady;

/// A sparse matrix.
///
/// ```
/// let m = ferrica::Matrix { rows: 1, columns: 2, entries: vec![(0, 1, 5.0)] };
/// assert_eq!(m.dense(), [[0.0, 5.0]]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Row, column and value of entries that may differ from zero.
    pub entries: Vec<(usize, usize, f64)>,
}

impl Matrix {
    pub(crate) fn new(rows: usize, columns: usize) -> Matrix {
        Matrix {
            rows,
            columns,
            entries: Vec::new(),
        }
    }

    /// All entries, row by row.
    ///
    /// ```
    /// assert_eq!(ferrica::Matrix::default().dense().len(), 0);
    /// ```
    pub fn dense(&self) -> Vec<Vec<f64>> {
        let mut out = vec![vec![0.0; self.columns]; self.rows];
        for &(i, j, value) in &self.entries {
            out[i][j] = value;
        }
        out
    }
}

/// ẋ = A·x + B·u, y = C·x + D·u for small deviations.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("
///     model Mass
///       input Real f; output Real x(start = 0, fixed = true); Real v(start = 0, fixed = true);
///     equation
///       der(x) = v; 2*der(v) = f - 8*x;
///     end Mass;")?;
/// let linear = model.linearize(None, None, None, &Experiment::default())?;
/// assert_eq!((linear.states.as_slice(), linear.inputs.as_slice()), (&["x".to_owned(), "v".to_owned()][..], &["f".to_owned()][..]));
/// assert_eq!(linear.a.dense(), [[0.0, 1.0], [-4.0, 0.0]]);
/// assert_eq!(linear.b.dense(), [[0.0], [0.5]]);
/// assert_eq!((linear.c.dense(), linear.d.dense()), (vec![vec![1.0, 0.0]], vec![vec![0.0]]));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// The time of the point.
    pub time: f64,
    /// Names of the states after index reduction.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// States at the point.
    pub x: Vec<f64>,
    /// Inputs at the point.
    pub u: Vec<f64>,
    /// Outputs at the point.
    pub y: Vec<f64>,
    /// ∂ẋ/∂x
    pub a: Matrix,
    /// ∂ẋ/∂u
    pub b: Matrix,
    /// ∂y/∂x
    pub c: Matrix,
    /// ∂y/∂u
    pub d: Matrix,
    /// What goes through delays.
    pub delays: Delays,
    /// What the linear model leaves out: samplers, and the other side of conditions that are at their thresholds; and what of it is not in A, B, C, D.
    pub diagnostics: Vec<Diagnostic>,
}

impl Linear {
    /// The eigenvalues of A, real and imaginary parts; pairs with the positive imaginary part first. None if their
    /// computation does not converge.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// // s² + 2 s + 5 = 0
    /// let model = Model::from_text("model M Real x; Real v; equation der(x) = v; der(v) = -2*v - 5*x; end M;")?;
    /// let poles = model.linearize(None, None, None, &Experiment::default())?.eigenvalues().unwrap();
    /// assert!((poles[0].0 + 1.0).abs() < 1e-12 && (poles[0].1 - 2.0).abs() < 1e-12);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn eigenvalues(&self) -> Option<Vec<(f64, f64)>> {
        ferrica_natives::eigenvalues(self.states.len(), self.balanced())
    }
}

/// The point where a stage ends.
struct End<'a> {
    point: Option<(Vec<f64>, Vec<f64>)>,
    interrupt: Option<&'a Interrupt>,
}

impl Sink for End<'_> {
    fn row(&mut self, _time: f64, _slots: &[f64]) -> std::io::Result<()> {
        Ok(())
    }

    fn wants_event_rows(&self) -> bool {
        false
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.point = Some((ev.slots.clone(), memory.to_vec()));
    }

    fn interrupted(&mut self) -> bool {
        self.interrupt.is_some_and(Interrupt::asked)
    }
}

impl Model {
    /// The linear model at a time of a run, at its start if none is given; between all top-level inputs and outputs if
    /// none are named. Any variable can be an output. Inputs have the values that the experiment gives them. With
    /// [`Experiment::steady`] the point is the one at which the model rests.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model Decay Real x(start = 3, fixed = true); equation der(x) = -x^2; end Decay;")?;
    /// // x = 3/(1 + 3 t), and the derivative of -x² is -2 x.
    /// let linear = model.linearize(Some(1.0), None, Some(&["x"]), &Experiment::default().tolerance(1e-9))?;
    /// assert!((linear.a.dense()[0][0] + 1.5).abs() < 1e-7);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn linearize(
        &self,
        at: Option<f64>,
        inputs: Option<&[&str]>,
        outputs: Option<&[&str]>,
        experiment: &Experiment,
    ) -> Result<Linear, Error> {
        let (compiled, flat) = self.parts();
        let own = |list: Vec<crate::model::Variable>| list.into_iter().map(|v| v.name);
        let names = |list: Option<&[&str]>, all: &dyn Fn() -> Vec<String>| match list {
            Some(list) => list.iter().map(|n| (*n).to_owned()).collect(),
            None => all(),
        };
        let inputs: Vec<String> = names(inputs, &|| own(self.inputs()).collect());
        let outputs: Vec<String> = names(outputs, &|| own(self.outputs()).collect());
        let failed = |e: Failure| run_error(&e, self.sources());
        self.have_one_value(experiment)?;
        let mut flat = flat.clone();
        let channels = delayed::open(&mut flat);
        let with = |own: &[String], of: fn(&Channel) -> &String| -> Vec<String> {
            own.iter().chain(channels.iter().map(of)).cloned().collect()
        };
        let (all_inputs, all_outputs) =
            (with(&inputs, |c| &c.shift), with(&outputs, |c| &c.source));
        self.hold_inputs(&mut flat, &all_inputs, experiment)?;
        integrate_outputs(&mut flat, &all_outputs)?;
        let options = ferrica_structure::Options::default();
        let causal = ferrica_structure::compile(flat, &options);
        let causal = causal.map_err(|e| failed(Failure::Model(e)))?.model;
        // Functions of the same consent and the same folder of data files as in a run.
        let options = CompileOptions {
            natives: compiled.functions.natives.clone(),
            form: Form::Ode,
            ..CompileOptions::default()
        };
        let model = ferrica_codegen::compile(causal, &options);
        let model = Arc::new(model.map_err(|e| failed(Failure::Model(e)))?);
        let grid = Grid::new(&experiment.span, &compiled.source.experiment)
            .map_err(|e| Error::new(ErrorKind::Usage, &e, self.sources()))?;
        let mut ev = match experiment.steady {
            true => self.at_rest(&model, &grid, all_outputs.len(), experiment)?,
            false => self.point(&model, &grid, at, experiment)?,
        };
        let Some(jacobian) = &model.ode_jacobian else {
            return Err(Error::of(
                ErrorKind::Run,
                "E0737",
                "the model has no explicit derivatives to linearize".to_owned(),
                None,
            ));
        };
        let mut values = vec![0.0; jacobian.pattern.nnz()];
        ev.ode_jacobian(&mut values).map_err(|e| {
            let error = ferrica_sim::SimError::new("E0605", ev.time(), e);
            failed(Failure::model(error.diagnostic()))
        })?;
        let whole = pick(&model, &ev, &values, all_inputs, all_outputs);
        let time = |c: &Channel| (model.find(&c.time)).map_or(f64::NAN, |(slot, _)| ev.get(slot));
        let times = channels.iter().map(time).collect();
        let mut linear = without_channels(whole, inputs.len(), outputs.len(), times);
        linear.diagnostics = left_out(&model, &mut ev);
        linear.diagnostics.extend(linear.delays.left_out());
        Ok(linear)
    }

    /// What is given for inputs is one value each, and they are inputs.
    fn have_one_value(&self, experiment: &Experiment) -> Result<(), Error> {
        let known: Vec<String> = self.inputs().into_iter().map(|v| v.name).collect();
        for (name, signal) in &experiment.inputs {
            if !known.contains(name) {
                let names = known.iter().map(String::as_str);
                return Err(Error::unknown("input", name, names));
            }
            if !matches!(signal, Signal::Constant(_)) {
                let text = format!("`{name}`: a linear model is made at one value of an input");
                return Err(Error::usage("E0736", text));
            }
        }
        Ok(())
    }

    /// Inputs become states that stay where they are.
    fn hold_inputs(
        &self,
        flat: &mut FlatModel,
        inputs: &[String],
        experiment: &Experiment,
    ) -> Result<(), Error> {
        let is_input = |v: &Variable| v.causality == Causality::Input;
        for name in inputs {
            let found = flat
                .vars
                .iter()
                .find(|(_, v)| v.name == *name && is_input(v));
            let Some(v) = found.map(|(v, _)| v) else {
                let known = flat.vars.values().filter(|v| is_input(v));
                return Err(Error::unknown(
                    "input",
                    name,
                    known.map(|v| v.name.as_str()),
                ));
            };
            must_be_real(&flat.vars[v])?;
            let given = experiment.inputs.iter().find(|(n, _)| n == name);
            if let Some((_, Signal::Constant(x))) = given {
                flat.vars[v].start = Some(flat.exprs.real(*x));
            }
            become_state(flat, v);
            flat.vars[v].causality = Causality::Local;
            let zero = flat.exprs.real(0.0);
            rate(flat, v, zero);
        }
        Ok(())
    }

    /// The model where it rests; inputs stay, integrals of outputs may move.
    fn at_rest(
        &self,
        model: &Arc<CompiledModel>,
        grid: &Grid,
        outputs: usize,
        experiment: &Experiment,
    ) -> Result<Evaluator, Error> {
        let values = self.values_at(model, experiment);
        let integrals: Vec<String> = (0..outputs).map(integral).collect();
        let free: Vec<&str> = integrals.iter().map(String::as_str).collect();
        let asked = experiment.interrupt.as_ref();
        let point = steady::find(model, &values, grid, &free, asked, self.sources())?;
        let plan = ferrica_sim::Experiment {
            start: grid.start,
            tolerance: grid.tolerance,
            values,
            from: Some(point.snapshot),
            ..ferrica_sim::Experiment::of(model)
        };
        let started = ferrica_sim::start(model, &plan);
        let failed =
            |e: ferrica_sim::SimError| run_error(&Failure::model(e.diagnostic()), self.sources());
        Ok(started.map_err(failed)?.problem.ev)
    }

    /// Values that are set at run time, those of inputs among them.
    fn values_at(&self, model: &CompiledModel, experiment: &Experiment) -> Vec<(String, f64)> {
        let mut values = self.run_time_values();
        for (name, signal) in &experiment.inputs {
            if let Signal::Constant(x) = signal
                && model.find(name).is_some()
            {
                values.push((name.clone(), *x));
            }
        }
        values
    }

    /// The model at the point, initialized and with everything it remembers.
    fn point(
        &self,
        model: &Arc<CompiledModel>,
        grid: &Grid,
        at: Option<f64>,
        experiment: &Experiment,
    ) -> Result<Evaluator, Error> {
        let failed =
            |e: ferrica_sim::SimError| run_error(&Failure::model(e.diagnostic()), self.sources());
        let values = self.values_at(model, experiment);
        let plan = ferrica_sim::Experiment {
            start: grid.start,
            stop: at.unwrap_or(grid.start),
            tolerance: grid.tolerance,
            interval: grid.interval,
            values,
            more: true,
            ..ferrica_sim::Experiment::of(model)
        };
        if plan.stop == plan.start {
            let started = ferrica_sim::start(model, &plan).map_err(failed)?;
            return Ok(started.problem.ev);
        }
        if !(plan.stop > plan.start && plan.stop.is_finite()) {
            let text = format!("the run begins at {}, after {}", plan.start, plan.stop);
            return Err(Error::usage("E0702", text));
        }
        let mut end = End {
            point: None,
            interrupt: experiment.interrupt.as_ref(),
        };
        ferrica_sim::simulate(model, &plan, &mut end).map_err(failed)?;
        let Some((slots, memory)) = end.point else {
            let text = "the model ends the run before that time".to_owned();
            return Err(Error::of(ErrorKind::Run, "E0734", text, None));
        };
        let snapshot = Snapshot {
            origin: plan.start,
            time: plan.stop,
            slots,
            memory,
        };
        let again = ferrica_sim::Experiment {
            start: plan.stop,
            from: Some(Arc::new(snapshot)),
            ..plan
        };
        let started = ferrica_sim::start(model, &again).map_err(failed)?;
        Ok(started.problem.ev)
    }
}

fn must_be_real(v: &Variable) -> Result<(), Error> {
    match v.ty {
        Ty::Real => Ok(()),
        _ => {
            let text = format!("`{}` is no real number: it has no derivatives", v.name);
            Err(Error::usage("E0736", text))
        }
    }
}

fn become_state(flat: &mut FlatModel, v: VarId) {
    let (zero, yes) = (flat.exprs.real(0.0), flat.exprs.bool(true));
    let var = &mut flat.vars[v];
    var.start.get_or_insert(zero);
    var.fixed = Some(yes);
    var.state_select = StateSelect::Always;
}

/// The equation der(v) = rate.
fn rate(flat: &mut FlatModel, v: VarId, rate: ferrica_ir::ExprId) {
    let lhs = flat.exprs.der(v);
    flat.equations.push(Equation {
        lhs,
        rhs: rate,
        span: Span::NONE,
        component: 0,
        origin: Origin::Generated,
    });
}

/// Name of the integral of an output.
fn integral(k: usize) -> String {
    format!("$integral of output {k}")
}

fn integrate_outputs(flat: &mut FlatModel, outputs: &[String]) -> Result<(), Error> {
    for (k, name) in outputs.iter().enumerate() {
        let found = flat.vars.iter().find(|(_, v)| v.name == *name && !v.hidden);
        let Some(y) = found.map(|(v, _)| v) else {
            let known = flat.vars.values().filter(|v| !v.hidden);
            return Err(Error::unknown(
                "variable",
                name,
                known.map(|v| v.name.as_str()),
            ));
        };
        must_be_real(&flat.vars[y])?;
        let mut z = Variable::new(integral(k), Ty::Real, Variability::Continuous);
        z.hidden = true;
        let z = flat.vars.push(z);
        become_state(flat, z);
        let y = flat.exprs.var(y, Ty::Real);
        rate(flat, z, y);
    }
    Ok(())
}

/// A condition whose sides differ by less than this part of them, or of one, is at its threshold.
const AT_THRESHOLD: f64 = 1e-9;
/// So many conditions at their thresholds are named.
const NAMED: usize = 3;

/// What small deviations do that the linear model does not say.
fn left_out(model: &CompiledModel, ev: &mut Evaluator) -> Vec<Diagnostic> {
    let mut told = Vec::new();
    if !model.samplers.is_empty() {
        told.push(Diagnostic::warning(
            "W0605",
            "what samplers and clocks set stands still in the linear model: it holds between two of their instants".to_owned(),
        ));
    }
    if ev.run(&model.continuous_program).is_err() {
        return told;
    }
    let at_threshold = |&k: &usize| {
        let r = &model.relations[k];
        let (a, b) = (ev.get(r.lhs), ev.get(r.rhs));
        let size = a.abs().max(b.abs()).max(1.0);
        !model.source.relations[k].time_event && (a - b).abs() <= AT_THRESHOLD * size
    };
    let near: Vec<usize> = (0..model.relations.len()).filter(at_threshold).collect();
    if !near.is_empty() {
        let named = near.iter().take(NAMED);
        let mut names: Vec<String> = named
            .map(|&k| format!("`{}`", ferrica_sim::relation_text(model, k)))
            .collect();
        if near.len() > NAMED {
            names.push(format!("{} more", near.len() - NAMED));
        }
        let is = if near.len() == 1 { "is" } else { "are" };
        told.push(Diagnostic::warning(
            "W0605",
            format!(
                "{} {is} at the threshold: the linear model holds on one side of it",
                names.join(", ")
            ),
        ));
    }
    told
}

/// The four matrices out of the Jacobian.
fn pick(
    model: &CompiledModel,
    ev: &Evaluator,
    values: &[f64],
    inputs: Vec<String>,
    outputs: Vec<String>,
) -> Linear {
    /// What a state of the larger model is.
    #[derive(Clone, Copy)]
    enum Part {
        State(usize),
        Input(usize, f64),
        Output(usize, f64),
    }
    let (first, count) = (model.layout.states, model.layout.n_states);
    let place = |name: &str| {
        let (slot, negated) = model.find(name)?;
        let k = slot
            .checked_sub(first)
            .map(|k| k as usize)
            .filter(|&k| k < count)?;
        Some((k, if negated { -1.0 } else { 1.0 }))
    };
    let mut parts: Vec<Option<Part>> = vec![None; count];
    for (j, name) in inputs.iter().enumerate() {
        if let Some((k, sign)) = place(name) {
            parts[k] = Some(Part::Input(j, sign));
        }
    }
    for i in 0..outputs.len() {
        if let Some((k, sign)) = place(&integral(i)) {
            parts[k] = Some(Part::Output(i, sign));
        }
    }
    let (mut states, mut x) = (Vec::new(), Vec::new());
    let parts: Vec<Part> = (parts.into_iter().enumerate())
        .map(|(k, part)| {
            part.unwrap_or_else(|| {
                let slot = first + k as u32;
                states.push(model.var_name(slot).to_owned());
                x.push(ev.get(slot));
                Part::State(states.len() - 1)
            })
        })
        .collect();
    let value = |name: &String| match model.find(name) {
        Some((slot, true)) => -ev.get(slot),
        Some((slot, false)) => ev.get(slot),
        None => f64::NAN,
    };
    let (n, m, p) = (states.len(), inputs.len(), outputs.len());
    let mut linear = Linear {
        time: ev.time(),
        u: inputs.iter().map(value).collect(),
        y: outputs.iter().map(value).collect(),
        a: Matrix::new(n, n),
        b: Matrix::new(n, m),
        c: Matrix::new(p, n),
        d: Matrix::new(p, m),
        states,
        inputs,
        outputs,
        x,
        delays: Delays::default(),
        diagnostics: Vec::new(),
    };
    let Some(jacobian) = &model.ode_jacobian else {
        return linear;
    };
    for (column, &of) in parts.iter().enumerate() {
        let range = jacobian.pattern.col_range(column);
        for (&value, &row) in values[range].iter().zip(jacobian.pattern.col(column)) {
            if value == 0.0 {
                continue;
            }
            match (parts[row as usize], of) {
                (Part::State(i), Part::State(j)) => linear.a.entries.push((i, j, value)),
                (Part::State(i), Part::Input(j, s)) => linear.b.entries.push((i, j, s * value)),
                (Part::Output(i, s), Part::State(j)) => linear.c.entries.push((i, j, s * value)),
                (Part::Output(i, s), Part::Input(j, r)) => {
                    linear.d.entries.push((i, j, s * r * value));
                }
                _ => {}
            }
        }
    }
    linear
}

/// Takes what belongs to delays out of the inputs and outputs, of which they are the last.
fn without_channels(whole: Linear, inputs: usize, outputs: usize, times: Vec<f64>) -> Linear {
    /// The part of a matrix that begins at a row and a column.
    fn part(of: &Matrix, (row, rows): (usize, usize), (column, columns): (usize, usize)) -> Matrix {
        let mut out = Matrix::new(rows, columns);
        let inside = |&&(i, j, _): &&(usize, usize, f64)| {
            (row..row + rows).contains(&i) && (column..column + columns).contains(&j)
        };
        let entries = of.entries.iter().filter(inside);
        out.entries
            .extend(entries.map(|&(i, j, value)| (i - row, j - column, value)));
        out
    }
    let (n, d) = (whole.states.len(), times.len());
    let (x, u, y) = ((0, n), (0, inputs), (0, outputs));
    let (into, from) = ((inputs, d), (outputs, d));
    Linear {
        delays: Delays {
            times,
            e: part(&whole.b, x, into),
            f: part(&whole.d, y, into),
            g: part(&whole.c, from, x),
            h: part(&whole.d, from, u),
            k: part(&whole.d, from, into),
        },
        b: part(&whole.b, x, u),
        c: part(&whole.c, y, x),
        d: part(&whole.d, y, u),
        inputs: whole.inputs[..inputs].to_vec(),
        outputs: whole.outputs[..outputs].to_vec(),
        u: whole.u[..inputs].to_vec(),
        y: whole.y[..outputs].to_vec(),
        ..whole
    }
}

impl Delays {
    fn left_out(&self) -> Vec<Diagnostic> {
        let n = self.times.len();
        let mut told = Vec::new();
        if n == 0 {
            return told;
        }
        let count = match n {
            1 => "a delay".to_owned(),
            _ => format!("{n} delays"),
        };
        told.push(Diagnostic::warning(
            "W0605",
            format!("what goes through {count} is not in A, B, C, D, nor in their poles and zeros; the frequency response has it"),
        ));
        let reads = |j: usize| {
            let all = [&self.e, &self.f, &self.k];
            all.iter().any(|m| m.entries.iter().any(|e| e.1 == j))
        };
        let silent = (0..n).filter(|&j| !reads(j)).count();
        if silent > 0 {
            told.push(Diagnostic::warning(
                "W0605",
                format!(
                    "nothing comes out of {silent} of {n} delays at this point, as before the first wave has arrived: a later point has their influence"
                ),
            ));
        }
        told
    }
}
