//! A compiled model: what users load, ask, change and run.

mod builder;
mod exporting;
mod inputs;
mod running;
mod variables;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use ferrica_codegen::CompiledModel;
use ferrica_ir::SourceMap;
use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_sim::sensitivity::Wanted;

pub use builder::ModelBuilder;
use inputs::Driving;
pub(crate) use running::Prepared;
pub use variables::{Role, Variable};

use crate::columns::Kept;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::options::ModelOptions;
use crate::sensitivity::with_tangents;
use crate::stages::grid::Grid;
use crate::stages::pipeline::{self, Compiled, Loaded};
use crate::stages::report::Log;
use crate::stages::stats::Stats;
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
    /// What its last sensitivities were asked for.
    wanted: Mutex<Option<Arc<Wanted>>>,
    /// The same model with tables for inputs, for the inputs that the last run had.
    driven: Mutex<Option<(Driving, Model)>>,
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
        let sources = Arc::new(match &options.cache {
            Some(cache) => SourceMap::over(Arc::clone(cache.sources())),
            None => SourceMap::new(),
        });
        let mut log = Log::new(Arc::clone(&sources));
        // The text is kept, so that the model can be compiled again elsewhere; a cache has it anyway.
        if let (Some(file), None, None) = (&options.file, &options.text, &options.cache)
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
            wanted: Mutex::new(None),
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
        let mut options = self.recipe().options().clone();
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
        if let Some(variable) = of_start {
            let all = names().map(|v| v.name.as_str());
            return Err(Error::unknown("variable", variable, all));
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
        ModelBuilder::from(options)
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

    pub(crate) fn last_wanted(&self) -> &Mutex<Option<Arc<Wanted>>> {
        &self.core.wanted
    }

    pub(crate) fn grid_of(&self, experiment: &Experiment) -> Result<Grid, Error> {
        let annotation = &self.core.compiled.model.source.experiment;
        Grid::new(&experiment.span, annotation)
            .map_err(|e| Error::new(ErrorKind::Usage, &e, &self.core.sources))
    }

    pub(crate) fn compiled(&self) -> &Arc<CompiledModel> {
        &self.core.compiled.model
    }

    /// The class with its library.
    pub(crate) fn loaded(&self) -> &Loaded {
        &self.core.loaded
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of a sine bounds the steps where a condition could miss it. Only the parameters that the rate comes from, here through a
    /// binding, need another compilation.
    #[test]
    fn only_the_rate_of_a_source_is_compiled_in() {
        let model = Model::from_text(
            "model M parameter Real f = 50; parameter Real w = 2*f; parameter Real a = 10; Real v = a*sin(w*time); \
             Boolean high = v > 5; end M;",
        )
        .unwrap();
        let compiled = &model.core.compiled;
        assert!(compiled.model.source.fastest_source == 100.0);
        assert!(compiled.takes_at_run_time("a", 20.0));
        assert!(!compiled.takes_at_run_time("f", 60.0));
        assert!(!compiled.takes_at_run_time("w", 60.0));
        let louder = model.set("a", 20.0).unwrap();
        assert!(Arc::ptr_eq(&louder.core, &model.core));
        let faster = model.set("f", 500.0).unwrap();
        assert_eq!(faster.core.compiled.model.source.fastest_source, 1000.0);
    }
}
