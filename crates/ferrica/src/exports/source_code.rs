//! The model with its solver as source code for machines without this program.

use ferrica_codegen::CompiledModel;
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
pub struct SourceCode {
    pub exported: Exported,
    pub solver: &'static str,
}

impl SourceCode {
    /// Variables that the code can be asked for.
    pub fn variables(&self) -> usize {
        self.exported.channels.variables.len()
    }
}

/// The method in C, before anything is compiled.
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
