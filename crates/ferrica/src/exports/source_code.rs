//! The model with its solver as source code for machines without this program.

use ferrica_codegen::CompiledModel;
/// What the code is for.
///
/// ```
/// use ferrica::exports::source_code::Purpose;
/// assert_ne!(Purpose::Program, Purpose::Fmu3);
/// ```
pub use ferrica_rt::export::Purpose;
use ferrica_rt::export::{Exported, Monitored, export_c};
use ferrica_sim::{ValueSource, result_variables};

use crate::engines::solving::{self, Engine};
use crate::failure::Failure;
use crate::options::SolverOptions;
use crate::real_time;
use crate::stages::grid::Grid;
use crate::stages::pipeline::Compiled;

/// Files of C, and what they say of themselves.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::{exports::source_code::{self, Purpose}, options::{Solver, SolverOptions}};
/// let solver = SolverOptions { solver: Solver::RtBdf2, step: Some(1e-3), ..SolverOptions::default() };
/// let code = source_code::c(&compiled, &grid, &solver, &[], Purpose::Program)?;
/// assert!(code.solver == "rt-bdf2" && code.exported.files.iter().any(|f| f.name == "m_rt.c"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct SourceCode {
    pub exported: Exported,
    pub solver: &'static str,
}

impl SourceCode {
    /// Variables that the code can be asked for.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
    /// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
    /// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
    /// use ferrica::{exports::source_code::{self, Purpose}, options::{Solver, SolverOptions}};
    /// let solver = SolverOptions { solver: Solver::RtBdf2, step: Some(1e-3), ..SolverOptions::default() };
    /// let code = source_code::c(&compiled, &grid, &solver, &[], Purpose::Program)?;
    /// assert_eq!(code.variables(), 1);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn variables(&self) -> usize {
        self.exported.channels.variables.len()
    }
}

/// The method in C, before anything is compiled.
///
/// ```
/// use ferrica::{exports::source_code::method, options::{Solver, SolverOptions}};
/// let of = |solver| method(&SolverOptions { solver, ..SolverOptions::default() });
/// assert!(of(Solver::RtTr).is_ok() && of(Solver::Radau).is_err());
/// ```
pub fn method(solver: &SolverOptions) -> Result<ferrica_rt::Method, Failure> {
    solving::supported(solver)?;
    match solving::kind(solver.solver)? {
        Engine::FixedStep(method) => Ok(method),
        _ => Err(Failure::usage_with_hint(
            format!("{} has no form in C", solver.solver.word()),
            "the real-time solvers have: --solver rt-bdf2, for example",
        )),
    }
}

/// C99 without heap and recursion.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;".to_owned()), ..Default::default() };
/// let compiled = pipeline::compile(&options, &mut log, &mut stats)?;
/// let grid = ferrica::stages::grid::Grid::new(&Default::default(), &compiled.model.source.experiment)?;
/// use ferrica::{exports::source_code::{self, Purpose}, options::{Solver, SolverOptions}};
/// let solver = SolverOptions { solver: Solver::RtBdf2, step: Some(1e-3), ..SolverOptions::default() };
/// let code = source_code::c(&compiled, &grid, &solver, &[], Purpose::Program)?;
/// assert!(code.exported.files.iter().any(|f| f.text.contains("double")));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn c(
    compiled: &Compiled,
    grid: &Grid,
    solver: &SolverOptions,
    patterns: &[String],
    purpose: Purpose,
) -> Result<SourceCode, Failure> {
    let method = method(solver)?;
    let plan = ferrica_sim::Experiment {
        start: grid.start,
        stop: grid.stop,
        tolerance: grid.tolerance,
        interval: grid.interval,
        step: solver.step,
        values: compiled.values.clone(),
        ..ferrica_sim::Experiment::of(&compiled.model)
    };
    let model = ferrica_rt::dae_form(&compiled.model).map_err(Failure::Model)?;
    let options = real_time::options(method, solver);
    let name = identifier(&compiled.name);
    let variables = variables(compiled, &model, patterns);
    let exported = export_c(&model, &plan, &options, &name, &variables, purpose)
        .map_err(|e| Failure::model(e.diagnostic()))?;
    Ok(SourceCode {
        exported,
        solver: method.name(),
    })
}

/// What the code can be asked for: the variables that match, else outputs and states.
fn variables(compiled: &Compiled, model: &CompiledModel, patterns: &[String]) -> Vec<Monitored> {
    let source = &compiled.model.source;
    let standard = |v| source.outputs.contains(&v) || source.states.contains(&v);
    result_variables(model)
        .into_iter()
        .filter(|v| match patterns {
            [] => standard(v.var),
            _ => patterns
                .iter()
                .any(|p| ferrica_results::glob_matches(p, &v.name)),
        })
        .map(|v| match v.source {
            ValueSource::Slot(slot, negated) | ValueSource::Parameter(slot, negated) => {
                (v.name, slot, negated)
            }
        })
        .collect()
}

/// The last part of the model's name, as a C identifier.
fn identifier(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    let mut out: String = last
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    out.make_ascii_lowercase();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.insert_str(0, "m_");
    }
    // Not `main`, and no word of the language.
    out.push_str("_rt");
    out
}
