//! FMUs of models of the library `ferrica`: its options in, an archive out.

use std::path::PathBuf;

use ferrica::engines::{fitting, solving};
use ferrica::exports::source_code::{self, Purpose};
use ferrica::failure::Failure;
use ferrica::options::{Partition, SolverOptions};
use ferrica::results::glob_matches;
use ferrica::stages::grid::Grid;
use ferrica::stages::pipeline::{self, Compiled, Flat};
use ferrica::words::closest_variable;
use ferrica::{Error, Experiment, Model};
use ferrica_fmu::payload::Settings;

use crate::archive::{Icon, Wish, export};
use crate::source::{SourceWish, export_source};
use crate::table::Version;

/// The run-time library, of the same build.
static LIBRARY: &[u8] = ferrica_embed::fmu_library!();

/// What kind of archive is wanted.
#[derive(Clone, Debug)]
pub struct FmuOptions {
    pub version: Version,
    /// For Model Exchange.
    pub exchange: bool,
    /// For Co-Simulation.
    pub steps: bool,
    /// Only inputs, outputs and what is named.
    pub black_box: bool,
    /// Arrays element by element, whatever the version.
    pub scalars: bool,
    /// Names and patterns of further variables that a black box shows.
    pub shown: Vec<String>,
    /// Of the model, where it has one.
    pub icon: Option<Icon>,
}

impl Default for FmuOptions {
    fn default() -> FmuOptions {
        FmuOptions {
            version: Version::Fmi3,
            exchange: true,
            steps: true,
            black_box: false,
            scalars: false,
            shown: Vec::new(),
            icon: None,
        }
    }
}

/// FMUs with this library run without consent.
pub fn trust_own_fmus() {
    ferrica_import::trust(LIBRARY, ferrica_fmu::code::file());
}

/// Wrong settings, before anything is compiled.
pub fn supported(solver: &SolverOptions) -> Result<(), Failure> {
    solving::supported(solver)?;
    settings(solver)?;
    match LIBRARY.is_empty() {
        true => Err(pipeline::not_built_in("the run-time library of FMUs")),
        false => Ok(()),
    }
}

/// The archive of a model, with the values that it has and the experiment as its default.
pub fn of_model(
    model: &Model,
    experiment: &Experiment,
    options: &FmuOptions,
) -> Result<Vec<u8>, Error> {
    let parts = model.export_parts(experiment)?;
    let (flat, folder, grid) = (&parts.flat, parts.folder, &parts.grid);
    let made =
        supported(&parts.solver).and_then(|()| of_flat(flat, folder, grid, &parts.solver, options));
    made.map_err(|e| model.export_error(&e))
}

/// The archive of a flat model; names of data files are relative to the folder.
pub fn of_flat(
    flat: &Flat,
    folder: Option<PathBuf>,
    grid: &Grid,
    solver: &SolverOptions,
    options: &FmuOptions,
) -> Result<Vec<u8>, Failure> {
    let names = || flat.vars.values().map(|v| v.name.as_str());
    if let Some(pattern) = (options.shown.iter()).find(|p| !names().any(|n| glob_matches(p, n))) {
        let near = closest_variable(pattern, names());
        let hint = near.map(|name| format!("did you mean `{name}`?"));
        let text = format!("there is no variable `{pattern}` that a black box could show");
        return Err(Failure::coded("E0731", text, hint));
    }
    let shown = |name: &str| options.shown.iter().any(|p| glob_matches(p, name));
    let wish = Wish {
        version: options.version,
        exchange: options.exchange,
        steps: options.steps,
        black_box: options.black_box,
        arrays: options.version == Version::Fmi3 && !options.scalars,
        shown: &shown,
        folder,
        solver: settings(solver)?,
        start: grid.start,
        stop: grid.stop,
        tolerance: grid.tolerance,
        interval: grid.interval,
        library: LIBRARY,
        icon: options.icon.as_ref(),
        tool: format!("ferrica {}", env!("CARGO_PKG_VERSION")),
    };
    export(flat, &wish).map_err(Failure::Model)
}

/// What of the settings an FMU keeps; others are refused, not forgotten.
fn settings(options: &SolverOptions) -> Result<Settings, Failure> {
    let not = |what: &str| {
        Err(Failure::usage(format!(
            "{what} has no place in an FMU: an instance takes steps by itself"
        )))
    };
    if options.solver.bond_graph_order().is_some() {
        return not(&format!("--solver {}", options.solver.word()));
    }
    if options.inline.is_some() {
        return not("--inline");
    }
    if options.verify {
        return not("--verify");
    }
    if options.partition == Some(Partition::Auto) {
        return not("--partition auto");
    }
    if let Some(text) = fitting::without_effect(options, false) {
        return Err(Failure::usage(text));
    }
    let kept = SolverOptions {
        solver: options.solver,
        step: options.step,
        iterations: options.iterations,
        quanta: options.quanta.clone(),
        partition: options.partition,
        threads: options.threads,
        ..SolverOptions::default()
    };
    if format!("{kept:?}") != format!("{options:?}") {
        return not("one of the settings of the solver");
    }
    Ok(Settings {
        solver: options.solver.word().to_owned(),
        step: options.step,
        iterations: options.iterations,
        quanta: (options.quanta.iter())
            .map(|q| (q.state.clone(), q.value))
            .collect(),
        partition: options.partition == Some(Partition::Tlm),
        threads: options.threads,
    })
}

/// An FMU of source code, and what it says of itself.
pub struct SourceFmu {
    pub archive: Vec<u8>,
    pub variables: usize,
    pub solver: &'static str,
}

/// The model with its fixed-step solver as C99, for Co-Simulation.
pub fn source_of(
    compiled: &Compiled,
    grid: &Grid,
    solver: &SolverOptions,
    shown: &[String],
    version: Version,
) -> Result<SourceFmu, Failure> {
    let purpose = match version {
        Version::Fmi2 => Purpose::Fmu2,
        Version::Fmi3 => Purpose::Fmu3,
    };
    let code = source_code::c(compiled, grid, solver, shown, purpose)?;
    let (variables, solver) = (code.variables(), code.solver);
    let wish = SourceWish {
        version,
        start: grid.start,
        stop: grid.stop,
        tolerance: grid.tolerance,
        interval: grid.interval,
        tool: format!("ferrica {}", env!("CARGO_PKG_VERSION")),
    };
    let archive =
        export_source(&compiled.model.source, code.exported, &wish).map_err(Failure::Model)?;
    Ok(SourceFmu {
        archive,
        variables,
        solver,
    })
}
