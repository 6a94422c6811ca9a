//! How trajectories move with parameters and start values.

use std::path::Path;
use std::sync::Arc;

use ferrica_codegen::model::BlockKind;
use ferrica_codegen::tangents::Directions;
use ferrica_codegen::{CompileOptions, CompiledModel, Form, Slot};
use ferrica_ir::causal::{CausalVar, Kind};
use ferrica_ir::expr::Ty;
use ferrica_results::{Declaration, ResultWriter, Source, VariableInfo};
use ferrica_sim::sensitivity::{Request, Varied, Wanted, sensitivities};

use crate::engines::solving::{Engine, kind};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::experiment::{Experiment, Interrupt};
use crate::failure::Failure;
use crate::model::Model;
use crate::run::run_error;

/// Trajectories and their exact derivatives with respect to parameters and start values, right across events.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("model M parameter Real k = 2; Real x(start = 3, fixed = true); equation der(x) = -k*x; end M;")?;
/// let s = model.sensitivities(&["x"], &["k", "x.start"], &Experiment::default().tolerance(1e-9))?;
/// // x = 3·exp(-k·t)
/// let (last, e) = (s.time.len() - 1, (-2.0f64).exp());
/// assert!((s.get("x", "k")?[last] + 3.0*e).abs() < 1e-7);
/// assert!((s.get("x", "x.start")?[last] - e).abs() < 1e-7);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sensitivities {
    /// The times of all rows; the same time twice at an event.
    pub time: Vec<f64>,
    /// Names of the variables.
    pub of: Vec<String>,
    /// Names of what is varied, and its values.
    pub to: Vec<String>,
    /// The values of what is varied.
    pub at: Vec<f64>,
    /// The trajectory of each variable.
    pub values: Vec<Vec<f64>>,
    /// For each variable and each parameter the derivatives at all times.
    pub derivatives: Vec<Vec<Vec<f64>>>,
    /// What should be known of them.
    pub diagnostics: Vec<Diagnostic>,
}

/// How much a variable depends on a parameter.
///
/// ```
/// use ferrica::{Experiment, Model};
/// let model = Model::from_text("model M parameter Real a = 1; parameter Real b = 1; Real y = time*(10*a + b); end M;")?;
/// let ranking = model.sensitivities(&["y"], &["a", "b"], &Experiment::default())?.ranking();
/// assert_eq!((ranking[0].to.as_str(), ranking[1].to.as_str()), ("a", "b"));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// The variable.
    pub of: String,
    /// The parameter.
    pub to: String,
    /// Root mean square over time of ∂v/∂p·p, in parts of the largest value of the variable; ∂v/∂p itself where the parameter is zero.
    pub relative: f64,
    /// The largest derivative.
    pub largest: f64,
}

impl Sensitivities {
    /// The derivative of a variable with respect to a parameter at all times.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M parameter Real a = 2; Real y = a^2; end M;")?;
    /// let s = model.sensitivities(&["y"], &["a"], &Experiment::default())?;
    /// assert_eq!(s.get("y", "a")?[0], 4.0);
    /// assert_eq!(s.get("y", "b").unwrap_err().code(), "E0731");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn get(&self, of: &str, to: &str) -> Result<&[f64], Error> {
        let position = |list: &[String], name: &str, what: &str| {
            let found = list.iter().position(|n| n == name);
            found.ok_or_else(|| Error::unknown(what, name, list.iter().map(String::as_str)))
        };
        let i = position(&self.of, of, "variable")?;
        let j = position(&self.to, to, "parameter")?;
        Ok(&self.derivatives[i][j])
    }

    /// Writes the variables and, for each pair, `d(VARIABLE)/d(PARAMETER)` to a result file: `.csv`, `.mat` or `.parquet`.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M parameter Real a = 2; Real y = a^2; end M;")?;
    /// let s = model.sensitivities(&["y"], &["a"], &Experiment::default())?;
    /// let file = std::env::temp_dir().join(format!("ferrica-sensitivities-{}.mat", std::process::id()));
    /// s.write(&file)?;
    /// # std::fs::remove_file(file).unwrap();
    /// # Ok::<(), Error>(())
    /// ```
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let failed = |e: String| Error::of(ErrorKind::Io, "E0701", e, None);
        let pairs = (self.of.iter())
            .flat_map(|of| self.to.iter().map(move |to| format!("d({of})/d({to})")));
        let infos: Vec<VariableInfo> = (self.of.iter().cloned().chain(pairs))
            .map(|name| VariableInfo {
                name,
                declared: Declaration::default(),
                source: Source::Column,
            })
            .collect();
        let columns: Vec<&Vec<f64>> = (self.values.iter())
            .chain(self.derivatives.iter().flatten())
            .collect();
        let mut writer = ferrica_results::create(path, &[]).map_err(|e| failed(e.to_string()))?;
        let done = writer.begin(&infos).and_then(|()| {
            for (k, &time) in self.time.iter().enumerate() {
                let row: Vec<f64> = columns.iter().map(|c| c[k]).collect();
                writer.row(time, &row)?;
            }
            writer.finish()
        });
        done.map_err(|e| failed(format!("{}: {e}", path.display())))
    }

    /// All pairs, those with the largest influence first.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M parameter Real a = 2; Real y = a^2; end M;")?;
    /// assert!((model.sensitivities(&["y"], &["a"], &Experiment::default())?.ranking()[0].relative - 2.0).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ranking(&self) -> Vec<Influence> {
        let largest = |list: &[f64]| list.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let mut all = Vec::new();
        for (i, of) in self.of.iter().enumerate() {
            let size = largest(&self.values[i]);
            let size = if size > 0.0 { size } else { 1.0 };
            for (j, to) in self.to.iter().enumerate() {
                let list = &self.derivatives[i][j];
                let whole = if self.at[j] != 0.0 { self.at[j] } else { 1.0 };
                let mean = mean_square(&self.time, list);
                all.push(Influence {
                    of: of.clone(),
                    to: to.clone(),
                    relative: mean.sqrt() * whole.abs() / size,
                    largest: largest(list),
                });
            }
        }
        all.sort_by(|a, b| b.relative.total_cmp(&a.relative));
        all
    }
}

impl Sensitivities {
    /// Takes a row: the slots of variables and their tangents, each with a sign.
    fn take(
        &mut self,
        time: f64,
        slots: &[f64],
        moved: &Directions,
        places: &[(Slot, f64)],
        directions: &[(Varied, f64)],
    ) {
        if self.time.is_empty() {
            let size = |&(v, sign): &(Varied, f64)| {
                let (Varied::Parameter(s) | Varied::Start(s)) = v;
                sign * slots[s as usize]
            };
            self.at = directions.iter().map(size).collect();
        }
        self.time.push(time);
        for (i, &(slot, sign)) in places.iter().enumerate() {
            self.values[i].push(sign * slots[slot as usize]);
            for (j, of) in directions.iter().enumerate() {
                self.derivatives[i][j].push(sign * of.1 * moved.get(slot, j));
            }
        }
    }
}

/// Over time, by trapezoids.
fn mean_square(time: &[f64], values: &[f64]) -> f64 {
    let span = match (time.first(), time.last()) {
        (Some(a), Some(b)) if b > a => b - a,
        _ => return values.first().map_or(0.0, |v| v * v),
    };
    let mut sum = 0.0;
    for (t, v) in time.windows(2).zip(values.windows(2)) {
        sum += 0.5 * (t[1] - t[0]) * (v[0] * v[0] + v[1] * v[1]);
    }
    sum / span
}

/// Compiled with tangents, in the causal form.
pub(crate) fn with_tangents(model: &CompiledModel) -> Result<Arc<CompiledModel>, Failure> {
    let options = CompileOptions {
        natives: model.functions.natives.clone(),
        form: Form::Ode,
        tangents: true,
    };
    let source = (*model.source).clone();
    let compiled = ferrica_codegen::compile(source, &options);
    Ok(Arc::new(compiled.map_err(Failure::Model)?))
}

/// Is the start value of a state what it begins with?
fn holds_at_start(model: &CompiledModel, var: &CausalVar, slot: Slot) -> bool {
    let exprs = &model.source.exprs;
    let fixed = (var.var.fixed).is_some_and(|e| exprs.as_f64(e) == Some(1.0));
    let writer = model.initial.writer_of(slot);
    let alone = writer.is_none_or(|b| matches!(model.initial.blocks[b].kind, BlockKind::Row(_)));
    fixed && alone
}

/// What is varied by a name, its sign, and its value.
fn varied(model: &CompiledModel, name: &str) -> Result<(Varied, f64), Error> {
    let of_start = name.strip_suffix(".start");
    let sought = of_start.unwrap_or(name);
    let vars = || model.source.vars.values().filter(|v| !v.var.hidden);
    let found = vars().find(|v| v.var.name == sought);
    let (Some(var), Some((slot, negated))) = (found, model.find(sought)) else {
        let parameters = vars().filter(|v| v.kind == Kind::Parameter);
        let names = parameters.map(|v| v.var.name.as_str());
        return Err(Error::unknown("parameter", name, names));
    };
    let refuse = |why: &str| Err(Error::usage("E0640", format!("`{name}` {why}")));
    if var.var.ty != Ty::Real {
        return refuse("is no real number: nothing has a derivative with respect to it");
    }
    let sign = if negated { -1.0 } else { 1.0 };
    let (states, n) = (model.layout.states, model.layout.n_states as Slot);
    match of_start {
        Some(_) if !(states..states + n).contains(&slot) => refuse("is no start value of a state"),
        Some(_) if !holds_at_start(model, var, slot) => {
            refuse("does not determine the start: it is not fixed, or one of several conditions")
        }
        Some(_) => Ok((Varied::Start(slot), sign)),
        None if var.kind != Kind::Parameter => refuse("is no parameter"),
        None if var.var.structural => {
            refuse("has shaped the model: its value is built into the equations")
        }
        None => Ok((Varied::Parameter(slot), sign)),
    }
}

/// What a run with sensitivities is asked for.
pub(crate) struct Asked<'a> {
    pub of: &'a [&'a str],
    pub to: &'a [&'a str],
    /// Times of rows; those of the experiment if there are none.
    pub times: Option<&'a [f64]>,
}

impl Model {
    /// The exact derivatives of variables with respect to parameters and start values (`NAME.start`), along a run. Jumps at
    /// events and shifts of their instants are part of them.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// // The instant of the switch is 1/a: y = t - 1/a behind it.
    /// let model = Model::from_text("model M parameter Real a = 2; Real x(start = 0, fixed = true); Real y(start = 0, fixed = true);
    ///   equation der(x) = a; der(y) = if x > 1 then 1 else 0; end M;")?;
    /// let s = model.sensitivities(&["y"], &["a"], &Experiment::default())?;
    /// assert!((s.get("y", "a")?.last().unwrap() - 0.25).abs() < 1e-6);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn sensitivities(
        &self,
        of: &[&str],
        to: &[&str],
        experiment: &Experiment,
    ) -> Result<Sensitivities, Error> {
        let times = None;
        self.sensitivities_at(&Asked { of, to, times }, experiment)
    }

    pub(crate) fn sensitivities_at(
        &self,
        asked: &Asked,
        experiment: &Experiment,
    ) -> Result<Sensitivities, Error> {
        let (model, inputs) = self.driven_by(experiment)?;
        let failed = |e: Failure| run_error(&e, model.sources());
        // Fixed steps have no tolerance that the derivatives could be followed to.
        let solver = match kind(experiment.solver.solver).map_err(failed)? {
            Engine::Classic(solver) if !solver.has_fixed_steps() => solver,
            _ => {
                let text = format!(
                    "sensitivities are computed with auto, bdf, radau and dopri5, not with {}",
                    experiment.solver.solver.word()
                );
                return Err(Error::usage("E0640", text));
            }
        };
        let compiled = model.tangent_model()?;
        let mut directions = Vec::new();
        for name in asked.to {
            directions.push(varied(&compiled, name)?);
        }
        let places: Vec<(Slot, f64)> = (asked.of.iter())
            .map(|name| model.place_of(&compiled, name))
            .collect::<Result<_, _>>()?;
        let own_times;
        let times = match asked.times {
            Some(times) => times,
            None => {
                own_times = model.output_points(experiment)?;
                &own_times
            }
        };
        let grid = model.grid_of(experiment)?;
        let mut values = model.run_time_values();
        values.extend(inputs);
        let plan = ferrica_sim::Experiment {
            start: grid.start,
            stop: grid.stop,
            tolerance: grid.tolerance,
            interval: grid.interval,
            solver,
            values,
            ..ferrica_sim::Experiment::of(&compiled)
        };
        let what: Vec<Varied> = directions.iter().map(|d| d.0).collect();
        let interrupt = experiment.interrupt.clone();
        let mut asked_to_end = move || interrupt.as_ref().is_some_and(Interrupt::asked);
        let wanted = model.wanted_of(&compiled, places.iter().map(|p| p.0).collect());
        let mut out = Sensitivities {
            of: asked.of.iter().map(|n| (*n).to_owned()).collect(),
            to: asked.to.iter().map(|n| (*n).to_owned()).collect(),
            values: vec![Vec::new(); places.len()],
            derivatives: vec![vec![Vec::new(); directions.len()]; places.len()],
            ..Sensitivities::default()
        };
        let mut row = |time: f64, slots: &[f64], moved: &Directions| {
            out.take(time, slots, moved, &places, &directions);
        };
        let request = Request {
            varied: &what,
            wanted: &wanted,
            times,
        };
        let told = sensitivities(&compiled, &plan, &request, &mut asked_to_end, &mut row);
        let told = told.map_err(|e| failed(Failure::model(e.diagnostic())))?;
        for time in told.coincident.iter().take(1) {
            let text = format!(
                "independent events coincide at time {time}: the derivatives behind it hold on one side only"
            );
            out.diagnostics.push(Diagnostic::warning("W0604", text));
        }
        if let Some(time) = told.jump {
            let text = format!(
                "at time {} the derivative of a state jumps without an event (`noEvent`, `sign`, a function): the derivatives behind it are those of an instant that does not move",
                ferrica_ir::print::brief(time)
            );
            out.diagnostics.push(Diagnostic::warning("W0606", text));
        }
        Ok(out)
    }

    /// The programs for rows with these slots: those of the last time, if it asked for the same.
    fn wanted_of(&self, compiled: &CompiledModel, slots: Vec<Slot>) -> Arc<Wanted> {
        let Ok(mut kept) = self.last_wanted().lock() else {
            return Arc::new(Wanted::new(compiled, slots));
        };
        match &*kept {
            Some(known) if known.slots() == slots => Arc::clone(known),
            _ => {
                let made = Arc::new(Wanted::new(compiled, slots));
                *kept = Some(Arc::clone(&made));
                made
            }
        }
    }

    /// Slot and sign of a variable that can move.
    fn place_of(&self, compiled: &CompiledModel, name: &str) -> Result<(Slot, f64), Error> {
        let vars = || compiled.source.vars.values().filter(|v| !v.var.hidden);
        let known = vars().find(|v| v.var.name == name);
        match (known, compiled.find(name)) {
            (Some(v), Some((slot, negated))) if v.var.ty == Ty::Real => {
                Ok((slot, if negated { -1.0 } else { 1.0 }))
            }
            (Some(_), Some(_)) => {
                let text = format!("`{name}` is no real number: it has no derivatives");
                Err(Error::of(ErrorKind::Usage, "E0640", text, None))
            }
            _ => {
                let names = vars().map(|v| v.var.name.as_str());
                Err(Error::unknown("variable", name, names))
            }
        }
    }
}
