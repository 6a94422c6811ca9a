//! A compiled model: what users load, ask, change and run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::SourceMap;
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::Ty;
use ferrica_ir::flat::{Causality, FlatModel, Variability};
use rustc_hash::FxHashSet;

use crate::bond_graph;
use crate::columns::{Columns, Kept};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::grid::Grid;
use crate::options::{EventRows, ModelOptions, SolverOptions};
use crate::partitioned;
use crate::pipeline::{self, Compiled, Loaded};
use crate::recorder::Recording;
use crate::report::Report;
use crate::run::{Run, run_error};
use crate::sensitivity::with_tangents;
use crate::signal::{self, Signal};
use crate::solving::{self, Stage};
use crate::stats::Stats;
use crate::steady;
use crate::value::Value;

/// A model that has been compiled and is ready to run, with values for its parameters.
///
/// Copies are cheap and share the code; a `Model` may be used by many threads at a time.
///
/// ```
/// use ferrica::{Experiment, Model};
///
/// # fn main() -> Result<(), ferrica::Error> {
/// let model = Model::from_text("
///     model RC
///       Modelica.Electrical.Analog.Basic.Resistor R(R = 100);
///       Modelica.Electrical.Analog.Basic.Capacitor C(C = 1e-3, v(start = 1, fixed = true));
///       Modelica.Electrical.Analog.Basic.Ground G;
///     equation
///       connect(R.p, C.p); connect(R.n, G.p); connect(C.n, G.p);
///     end RC;")?;
/// let run = model.set("R.R", 50.0)?.simulate(&Experiment::default().stop(0.1))?;
/// let v = &run["C.v"];
/// assert!((v[v.len() - 1] - (-2.0f64).exp()).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Model {
    core: Arc<Core>,
    /// Values of this copy, of parameters that no stage of the compiler has looked at.
    values: Arc<Vec<(String, f64)>>,
    /// What its inputs do over time: tables that it reads at the start of a run.
    tables: Arc<Vec<(String, Arc<[u8]>)>>,
}

/// What all copies of a model share.
struct Core {
    /// With the values of all parameters and start values that were set.
    options: ModelOptions,
    loaded: Arc<Loaded>,
    sources: Arc<SourceMap>,
    flat: Arc<FlatModel>,
    compiled: Compiled,
    diagnostics: Vec<Diagnostic>,
    kept: OnceLock<Arc<Kept>>,
    /// Compiled with tangents, once somebody has asked.
    tangents: OnceLock<Arc<CompiledModel>>,
    /// The same model with tables for inputs, for the inputs that the last run had.
    driven: Mutex<Option<(Driving, Model)>>,
}

/// Which inputs come from tables, and whether a value stays until the next one.
type Driving = Vec<(String, bool)>;

/// Keeps what the compiler has to say.
pub(crate) struct Log {
    pub sources: Arc<SourceMap>,
    pub list: Vec<ferrica_ir::Diagnostic>,
}

impl Log {
    pub fn new(sources: Arc<SourceMap>) -> Log {
        Log {
            sources,
            list: Vec::new(),
        }
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let list = self.list.iter();
        list.map(|d| Diagnostic::new(d, &self.sources)).collect()
    }
}

impl Report for Log {
    fn sources(&self) -> Arc<SourceMap> {
        Arc::clone(&self.sources)
    }

    fn diagnostics(&mut self, list: &[ferrica_ir::Diagnostic]) {
        self.list.extend_from_slice(list);
    }
}

/// Says which model to load, and with what around it.
///
/// ```
/// use ferrica::Model;
/// let text = "package P model A Real x = time; end A; model B extends A; Real y = n*x; parameter Integer n = 2; end B; end P;";
/// let model = Model::builder().text(text).model("P.B").set("n", 3).load()?;
/// assert_eq!(model.name(), "P.B");
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    options: ModelOptions,
}

impl ModelBuilder {
    /// The file with the model: the last class in it, unless [`ModelBuilder::model`] says otherwise.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().file("rc.mo");
    /// ```
    pub fn file(mut self, path: impl Into<PathBuf>) -> ModelBuilder {
        self.options.file = Some(path.into());
        self
    }

    /// The text of the model; a file that is given too only lends its name to messages.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().text("model M Real x = time; end M;");
    /// ```
    pub fn text(mut self, text: impl Into<String>) -> ModelBuilder {
        self.options.text = Some(text.into());
        self
    }

    /// The full name of the model, from the file, a library or the built-in library.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().model("Modelica.Blocks.Sources.Sine");
    /// ```
    pub fn model(mut self, name: impl Into<String>) -> ModelBuilder {
        self.options.model = Some(name.into());
        self
    }

    /// A folder with libraries, or a library; may be called again.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().library("libraries");
    /// ```
    pub fn library(mut self, folder: impl Into<PathBuf>) -> ModelBuilder {
        self.options.libs.push(folder.into());
        self
    }

    /// A parameter or start value.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().file("rc.mo").set("R.R", 50.0).set("C.v.start", 1.0);
    /// ```
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> ModelBuilder {
        self.options.params.push(value.into().assign(name));
        self
    }

    /// May `external "C"` code of users' libraries run? It may not unless this says so.
    ///
    /// ```
    /// let wanted = ferrica::Model::builder().file("pump.mo").allow_external(true);
    /// ```
    pub fn allow_external(mut self, allowed: bool) -> ModelBuilder {
        self.options.allow_external = allowed;
        self
    }

    /// Compiles the model.
    ///
    /// ```
    /// let model = ferrica::Model::builder().model("Modelica.Blocks.Sources.Sine").set("f", 50).load()?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn load(self) -> Result<Model, Error> {
        Model::compile(self.options)
    }

    /// What was asked for so far, as data.
    ///
    /// ```
    /// let builder = ferrica::Model::builder().model("A.B");
    /// assert_eq!(builder.options().model.as_deref(), Some("A.B"));
    /// ```
    pub fn options(&self) -> &ModelOptions {
        &self.options
    }

    /// All that is wrong with the model or worth a warning, as `ferrica check` tells it; nothing is run.
    ///
    /// ```
    /// let found = ferrica::Model::builder().text("model M Real x = 1 + \"a\"; end M;").check();
    /// assert!(found.iter().any(|d| d.is_error));
    /// ```
    pub fn check(self) -> Vec<Diagnostic> {
        match self.load() {
            Ok(model) => model.core.diagnostics.clone(),
            Err(error) => error.diagnostics().to_vec(),
        }
    }
}

impl From<ModelOptions> for ModelBuilder {
    fn from(options: ModelOptions) -> ModelBuilder {
        ModelBuilder { options }
    }
}

/// What a variable is for.
///
/// ```
/// use ferrica::{Model, Role};
/// let model = Model::from_text("model M parameter Real p = 1; Real x(start = 0); equation der(x) = p; end M;")?;
/// let state = model.variables().into_iter().find(|v| v.role == Role::State);
/// assert_eq!(state.map(|v| v.name), Some("x".to_owned()));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Constant during a run, and settable if it is not `final` or `constant`.
    Parameter,
    /// Integrated by the solver.
    State,
    /// Computed from the states at every time.
    Continuous,
    /// Changes at events only.
    Discrete,
    /// A top-level input: comes from outside.
    Input,
}

/// A variable of a model.
///
/// ```
/// use ferrica::Model;
/// let model = Model::from_text("model M parameter Real R(unit = \"Ohm\") = 5 \"Resistance\"; end M;")?;
/// let r = &model.parameters()[0];
/// assert_eq!((r.name.as_str(), r.unit.as_str(), r.value), ("R", "Ohm", Some(5.0)));
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The full name.
    pub name: String,
    /// The unit, empty if there is none.
    pub unit: String,
    /// What the model says of it.
    pub description: String,
    /// What it is for.
    pub role: Role,
    /// A top-level output.
    pub is_output: bool,
    /// The value of a parameter.
    pub value: Option<f64>,
}

impl Model {
    /// Compiles the last class in a file.
    ///
    /// ```no_run
    /// let model = ferrica::Model::from_file("rc.mo")?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn from_file(path: impl AsRef<Path>) -> Result<Model, Error> {
        Model::builder().file(path.as_ref()).load()
    }

    /// Compiles the last class in a text.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M Real x = time; end M;")?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn from_text(text: impl Into<String>) -> Result<Model, Error> {
        Model::builder().text(text).load()
    }

    /// For models of libraries, with other values.
    ///
    /// ```
    /// let model = ferrica::Model::builder().model("Modelica.Blocks.Sources.Ramp").load()?;
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn builder() -> ModelBuilder {
        ModelBuilder::default()
    }

    fn compile(mut options: ModelOptions) -> Result<Model, Error> {
        let sources = Arc::new(SourceMap::new());
        let mut log = Log::new(Arc::clone(&sources));
        // The text is kept, so that the model can be compiled again elsewhere.
        if let (Some(file), None) = (&options.file, &options.text)
            && file.is_file()
            && file.file_name().is_some_and(|n| n != "package.mo")
        {
            options.text = std::fs::read_to_string(file).ok();
        }
        let loaded = pipeline::load(&options, &mut log, &mut Stats::default())
            .and_then(|loaded| pipeline::refuse_other_kinds(&loaded).map(|()| loaded))
            .map_err(|e| Error::new(ErrorKind::Model, &e, &sources))?;
        Model::with_values(Arc::new(loaded), options, log)
    }

    /// The stages after loading.
    fn with_values(
        loaded: Arc<Loaded>,
        options: ModelOptions,
        mut log: Log,
    ) -> Result<Model, Error> {
        let mut stats = Stats::default();
        let sources = Arc::clone(&log.sources);
        let mut all = || -> Result<_, Failure> {
            let flat = pipeline::flatten(&loaded, &options.params, &mut log, &mut stats)?;
            let kept = Arc::new(flat.clone());
            let compiled = pipeline::finish(&loaded, flat, &options, &mut log, &mut stats)?;
            Ok((kept, compiled))
        };
        let (flat, compiled) = all().map_err(|e| {
            let kind = match e {
                Failure::Usage { .. } => ErrorKind::Usage,
                _ => ErrorKind::Model,
            };
            Error::new(kind, &e, &sources)
        })?;
        let core = Core {
            compiled: Compiled {
                flat: Some(Arc::clone(&flat)),
                ..compiled
            },
            options,
            loaded,
            flat,
            diagnostics: log.diagnostics(),
            sources,
            kept: OnceLock::new(),
            tangents: OnceLock::new(),
            driven: Mutex::default(),
        };
        Ok(Model {
            core: Arc::new(core),
            values: Arc::default(),
            tables: Arc::default(),
        })
    }

    /// The full name of the class.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M end M;")?;
    /// assert_eq!(model.name(), "M");
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.core.loaded.name
    }

    /// The model with another value of a parameter, or of `NAME.start`, as if its text had it. A parameter that no stage
    /// of the compiler has looked at costs nothing; for others the stages after reading see the value.
    ///
    /// ```
    /// use ferrica::Model;
    /// let model = Model::from_text("model M parameter Integer n = 2; Real x[n] = fill(time, n); end M;")?;
    /// assert_eq!(model.set("n", 5)?.variables().len(), 6);
    /// assert_eq!(model.set("m", 5).unwrap_err().code(), "E0731");
    /// assert_eq!(model.set("n", f64::NAN).unwrap_err().code(), "E0732");
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn set(&self, name: &str, value: impl Into<Value>) -> Result<Model, Error> {
        let value = value.into();
        if let Value::Real(x) = value
            && !x.is_finite()
        {
            return Err(Error::usage(
                "E0732",
                format!("{x} is no value for `{name}`"),
            ));
        }
        let assignment = value.assign(name);
        self.known(name)?;
        if let Value::Real(x) = value
            && self.core.compiled.takes_at_run_time(name, x)
        {
            let mut values = self.values.to_vec();
            put(&mut values, (name.to_owned(), x));
            return Ok(Model {
                core: Arc::clone(&self.core),
                values: Arc::new(values),
                tables: Arc::clone(&self.tables),
            });
        }
        let mut options = self.recipe().options;
        options.model.clone_from(&self.core.options.model);
        options.params.retain(|p| p.name != name);
        options.params.push(assignment);
        let log = Log::new(Arc::clone(&self.core.sources));
        let model = Model::with_values(Arc::clone(&self.core.loaded), options, log)?;
        Ok(Model {
            tables: Arc::clone(&self.tables),
            ..model
        })
    }

    /// Is there a variable of that name, or one whose start value it names?
    fn known(&self, name: &str) -> Result<(), Error> {
        let names = || self.core.flat.vars.values().filter(|v| !v.hidden);
        let of_start = name.strip_suffix(".start");
        if names().any(|v| v.name == name || Some(v.name.as_str()) == of_start) {
            return Ok(());
        }
        let parameters = names().filter(|v| v.variability == Variability::Parameter);
        let near = parameters.map(|v| v.name.as_str());
        Err(Error::unknown("parameter", name, near))
    }

    /// Warnings of the compiler.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M Real x = time; end M;")?;
    /// assert!(model.diagnostics().is_empty());
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.core.diagnostics
    }

    /// All variables in the order of declaration; parameters with their values.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M Real x = time; Real y = 2*x; end M;")?;
    /// assert_eq!(model.variables().len(), 2);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn variables(&self) -> Vec<Variable> {
        let model = &self.core.compiled.model;
        let slots = self.parameter_slots();
        let outputs: FxHashSet<&str> = (self.core.flat.vars.values())
            .filter(|v| v.causality == Causality::Output && !v.name.contains('.'))
            .map(|v| v.name.as_str())
            .collect();
        let mut list = Vec::new();
        for (id, v) in &model.source.vars {
            if v.var.hidden || matches!(v.var.ty, Ty::String | Ty::External | Ty::Clock | Ty::Tuple)
            {
                continue;
            }
            let Some((slot, negated)) = model.layout.place(id) else {
                continue;
            };
            let of = model.layout.var(slot);
            let kind = of.map_or(v.kind, |of| model.source.vars[of].kind);
            let role = match kind {
                Kind::Parameter | Kind::External => Role::Parameter,
                Kind::State => Role::State,
                Kind::Input => Role::Input,
                Kind::Discrete | Kind::Relation => Role::Discrete,
                _ => Role::Continuous,
            };
            let value = slots.as_ref().filter(|_| role == Role::Parameter);
            let value = value.map(|s| s[slot as usize]);
            list.push(Variable {
                name: v.var.name.clone(),
                unit: v.var.unit.clone(),
                description: v.var.description.clone(),
                role,
                is_output: outputs.contains(v.var.name.as_str()),
                value: value.map(|x| if negated { -x } else { x }),
            });
        }
        list
    }

    /// The slots once parameters have been computed.
    fn parameter_slots(&self) -> Option<Vec<f64>> {
        let model = &self.core.compiled.model;
        let mut ev = Evaluator::new(Arc::clone(model));
        for (name, value) in self.values.iter() {
            let (slot, negated) = model.find(name)?;
            ev.set_value(slot, if negated { -value } else { *value });
        }
        ev.run_parameters().ok()?;
        Some(ev.slots)
    }

    /// The parameters with their values.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M parameter Real a = 2; parameter Real b = 3*a; end M;")?;
    /// assert_eq!(model.set("a", 5.0)?.parameters()[1].value, Some(15.0));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn parameters(&self) -> Vec<Variable> {
        self.of_role(|v| v.role == Role::Parameter)
    }

    /// What the solver integrates, in its order: the states that are left after index reduction.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M Real x; Real y = 2*x; equation der(y) = -x; end M;")?;
    /// assert_eq!(model.states().len(), 1);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn states(&self) -> Vec<Variable> {
        let model = &self.core.compiled.model;
        let all = self.of_role(|v| v.role == Role::State);
        (0..model.layout.n_states as Slot)
            .filter_map(|k| {
                let name = model.var_name(model.layout.states + k);
                all.iter().find(|v| v.name == name).cloned()
            })
            .collect()
    }

    /// The top-level inputs.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M input Real u; Real y = 2*u; end M;")?;
    /// assert_eq!(model.inputs()[0].name, "u");
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn inputs(&self) -> Vec<Variable> {
        let inputs: FxHashSet<&str> = (self.core.compiled.model.source.inputs.iter())
            .map(|&v| self.core.compiled.model.source.vars[v].var.name.as_str())
            .collect();
        self.of_role(|v| inputs.contains(v.name.as_str()))
    }

    /// The top-level outputs.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M output Real y = time; end M;")?;
    /// assert_eq!(model.outputs()[0].name, "y");
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn outputs(&self) -> Vec<Variable> {
        self.of_role(|v| v.is_output)
    }

    fn of_role(&self, wanted: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        self.variables().into_iter().filter(wanted).collect()
    }

    /// The flat model as text: scalar variables and equations.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M Real x[2] = {time, 1}; end M;")?;
    /// assert!(model.flat_text().contains("x[2]"));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn flat_text(&self) -> String {
        ferrica_ir::print::flat_model(&self.core.flat)
    }

    /// Where the model came from: what [`ModelBuilder`] needs to compile it again, elsewhere.
    ///
    /// ```
    /// let model = ferrica::Model::from_text("model M parameter Real p = 1; end M;")?.set("p", 2.0)?;
    /// let again = model.recipe().load()?;
    /// assert_eq!(again.parameters()[0].value, Some(2.0));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn recipe(&self) -> ModelBuilder {
        let mut options = self.core.options.clone();
        options.model = Some(self.core.loaded.name.clone());
        for (name, value) in self.values.iter() {
            options.params.retain(|p| p.name != *name);
            options.params.push(Value::Real(*value).assign(name));
        }
        ModelBuilder { options }
    }

    /// Runs the model.
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")?;
    /// let run = model.simulate(&Experiment::default().stop(3.0).solver("dopri5")?)?;
    /// assert_eq!(run.time().len(), 501);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn simulate(&self, experiment: &Experiment) -> Result<Run, Error> {
        let (model, values) = self.driven_by(experiment)?;
        model.simulate_with(experiment, values)
    }

    /// The model with what the experiment says of inputs over time in it, and the values of its other inputs.
    pub(crate) fn driven_by(
        &self,
        experiment: &Experiment,
    ) -> Result<(Model, Vec<(String, f64)>), Error> {
        let (values, signals) = self.inputs_of(experiment)?;
        if signals.is_empty() {
            ferrica_natives::data::provide(&self.tables);
            return Ok((self.clone(), values));
        }
        let driven = self.with_signals(&signals)?;
        ferrica_natives::data::provide(&driven.tables);
        Ok((driven, values))
    }

    /// The model with tables for these inputs; compiled again only for other inputs than last time.
    fn with_signals(&self, signals: &[(String, Signal)]) -> Result<Model, Error> {
        let driving: Driving = (signals.iter())
            .map(|(name, signal)| (name.clone(), signal.parts().2))
            .collect();
        let last = || {
            let last = self.core.driven.lock();
            last.unwrap_or_else(PoisonError::into_inner)
        };
        let known = last()
            .as_ref()
            .filter(|k| k.0 == driving)
            .map(|k| k.1.clone());
        let mut model = match known {
            Some(model) => model,
            None => {
                let mut options = self.core.options.clone();
                options.model = Some(self.core.loaded.name.clone());
                options.tables = signal::next_number();
                options.signals = signals.to_vec();
                let tables = signal::in_memory(options.tables, signals);
                ferrica_natives::data::provide(&tables);
                let model = Model::compile(options)?;
                *last() = Some((driving, model.clone()));
                model
            }
        };
        let number = model.core.loaded.driven.as_ref().map_or(0, |d| d.tables);
        model.tables = Arc::new(signal::in_memory(number, signals));
        for (name, value) in self.values.iter() {
            ferrica_natives::data::provide(&model.tables);
            model = model.set(name, *value)?;
        }
        Ok(model)
    }

    /// The same equations with their tangents.
    pub(crate) fn tangent_model(&self) -> Result<Arc<CompiledModel>, Error> {
        let core = &self.core;
        if let Some(model) = core.tangents.get() {
            return Ok(Arc::clone(model));
        }
        let made = with_tangents(&core.compiled.model);
        let made = made.map_err(|e| Error::new(ErrorKind::Model, &e, &core.sources))?;
        Ok(Arc::clone(core.tangents.get_or_init(|| made)))
    }

    pub(crate) fn grid_of(&self, experiment: &Experiment) -> Result<Grid, Error> {
        let annotation = &self.core.compiled.model.source.experiment;
        Grid::new(&experiment.span, annotation)
            .map_err(|e| Error::new(ErrorKind::Usage, &e, &self.core.sources))
    }

    /// Constant inputs as values of the compiled model, and all others.
    fn inputs_of(
        &self,
        experiment: &Experiment,
    ) -> Result<(Vec<(String, f64)>, Vec<(String, Signal)>), Error> {
        let (mut values, mut signals) = (Vec::new(), Vec::new());
        let source = &self.core.compiled.model.source;
        for (name, signal) in &experiment.inputs {
            let names = || {
                source
                    .inputs
                    .iter()
                    .map(|&v| source.vars[v].var.name.as_str())
            };
            if !names().any(|n| n == name) {
                return Err(Error::unknown("input", name, names()));
            }
            match signal {
                Signal::Constant(x) if x.is_finite() => values.push((name.clone(), *x)),
                Signal::Constant(x) => {
                    let text = format!("{x} is no value for `{name}`");
                    return Err(Error::usage("E0732", text));
                }
                samples => signals.push((name.clone(), samples.clone())),
            }
        }
        Ok((values, signals))
    }

    fn simulate_with(
        &self,
        experiment: &Experiment,
        inputs: Vec<(String, f64)>,
    ) -> Result<Run, Error> {
        let mut prepared = self.prepare(experiment)?;
        prepared.compiled.values.extend(inputs);
        let mut stats = Stats {
            model: self.name().to_owned(),
            ..Stats::default()
        };
        let wanted = (!experiment.keep.is_empty()).then(|| prepared.kept.slots());
        let mut columns = Columns::new(
            prepared.kept,
            experiment.event_rows != EventRows::Off,
            experiment.interrupt.clone(),
        );
        columns.watch.clone_from(&experiment.watch);
        let (grid, solver) = (&prepared.grid, &experiment.solver);
        let mut stage = Stage::default();
        if experiment.steady {
            let model = Arc::clone(&prepared.compiled.model);
            let values = &prepared.compiled.values;
            let asked = experiment.interrupt.as_ref();
            let point = steady::find(&model, values, grid, &[], asked, &self.core.sources)?;
            stage.from = Some(point.snapshot);
        }
        let ended = solving::simulate_stage(
            &prepared.compiled,
            grid,
            solver,
            wanted,
            stage,
            &mut columns,
            &mut stats,
        )
        .map_err(|broken| run_error(&broken.reason, &self.core.sources))?;
        let undefined = columns.undefined.warnings(&prepared.compiled.model);
        let told = ended.warnings.iter().chain(&undefined);
        let told = told
            .map(|d| Diagnostic::new(d, &self.core.sources))
            .collect();
        Ok(Run::new(
            self.name(),
            columns,
            told,
            ended.terminated,
            stats,
        ))
    }

    /// The output points of an experiment with this model.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M Real x = time; end M;")?;
    /// assert_eq!(model.output_points(&Experiment::default().points(2))?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn output_points(&self, experiment: &Experiment) -> Result<Vec<f64>, Error> {
        let grid = self.grid_of(experiment)?;
        Ok(grid.times())
    }

    /// What a run needs.
    pub(crate) fn prepare(&self, experiment: &Experiment) -> Result<Prepared, Error> {
        let core = &self.core;
        let failed = |e: Failure| Error::new(ErrorKind::Usage, &e, &core.sources);
        let (span, solver) = (&experiment.span, &experiment.solver);
        solving::supported(solver).map_err(failed)?;
        let compiled = if solver.inline.is_some() || core.compiled.asks_for_formula {
            let mut log = Log::new(Arc::clone(&core.sources));
            let mut stats = Stats::default();
            let options = self.recipe().options;
            partitioned::compile(&options, span, solver, &mut log, &mut stats)
                .map_err(|e| Error::new(ErrorKind::Model, &e, &core.sources))?
        } else {
            Compiled {
                values: self.values.to_vec(),
                ..core.compiled.clone()
            }
        };
        let grid = Grid::new(span, &compiled.model.source.experiment).map_err(failed)?;
        let slots = bond_graph::recorded(&compiled, solver.solver, grid.start)
            .map_err(|e| run_error(&e, &core.sources))?;
        let plain = experiment.keep.is_empty() && slots.is_none() && !compiled.inlined;
        let kept = || {
            Arc::new(Kept::new(&recording(
                &compiled,
                &experiment.keep,
                slots.as_ref(),
            )))
        };
        let kept = match plain {
            true => Arc::clone(core.kept.get_or_init(kept)),
            false => kept(),
        };
        for pattern in &experiment.keep {
            let known = |v: &crate::columns::Named| ferrica_results::glob_matches(pattern, &v.name);
            if !kept.variables.iter().any(known) {
                let all = recording(&compiled, &[], None);
                let names = all.selection.variables.iter().map(|v| v.name.as_str());
                return Err(Error::unknown("variable", pattern, names));
            }
        }
        Ok(Prepared {
            compiled,
            grid,
            kept,
        })
    }

    pub(crate) fn compiled(&self) -> &Arc<CompiledModel> {
        &self.core.compiled.model
    }

    /// The class with its library.
    pub(crate) fn loaded(&self) -> &Loaded {
        &self.core.loaded
    }

    /// What an export is made of: the flat model with all values in it, the folder of its file, times and solver.
    #[doc(hidden)]
    pub fn export_parts(&self, experiment: &Experiment) -> Result<ExportParts, Error> {
        let model = match self.values.is_empty() {
            true => self.clone(),
            false => self.recipe().load()?,
        };
        Ok(ExportParts {
            flat: Arc::clone(&model.core.flat),
            folder: model.core.options.folder(),
            grid: model.grid_of(experiment)?,
            solver: experiment.solver.clone(),
        })
    }

    /// An export's failure, with places in the model's text.
    #[doc(hidden)]
    pub fn export_error(&self, failure: &Failure) -> Error {
        Error::new(ErrorKind::Model, failure, &self.core.sources)
    }

    /// The compiled model and the flat one.
    pub(crate) fn parts(&self) -> (&CompiledModel, &FlatModel) {
        (&self.core.compiled.model, &self.core.flat)
    }

    pub(crate) fn run_time_values(&self) -> Vec<(String, f64)> {
        self.values.to_vec()
    }

    pub(crate) fn sources(&self) -> &Arc<SourceMap> {
        &self.core.sources
    }
}

/// What an export is made of.
#[doc(hidden)]
pub struct ExportParts {
    pub flat: Arc<FlatModel>,
    pub folder: Option<PathBuf>,
    pub grid: Grid,
    pub solver: SolverOptions,
}

/// A model with its values, the times of a run and what is kept of it.
pub(crate) struct Prepared {
    pub compiled: Compiled,
    pub grid: Grid,
    pub kept: Arc<Kept>,
}

fn recording(
    compiled: &Compiled,
    patterns: &[String],
    slots: Option<&FxHashSet<Slot>>,
) -> Recording {
    Recording::limited(&compiled.model, patterns, slots)
}

/// The last value of a name counts.
fn put(values: &mut Vec<(String, f64)>, value: (String, f64)) {
    match values.iter_mut().find(|v| v.0 == value.0) {
        Some(old) => old.1 = value.1,
        None => values.push(value),
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = &self.core.compiled.model.source;
        write!(
            f,
            "Model {}: {} states, {} equations",
            self.name(),
            source.states.len(),
            source.equations.len()
        )
    }
}
