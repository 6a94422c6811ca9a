//! `ferrica export fmu`: the model as an archive for other tools.

use std::path::{Path, PathBuf};

use ferrica_fmi::{Version, Wish};
use ferrica_fmu::payload::Settings;
use ferrica_ir::print::counted;
use ferrica_results::{glob_matches, write_file};

use crate::Outcome;
use crate::cli::{ExportArgs, FmiVersion, FmuKind};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use ferrica::failure::Failure;
use ferrica::grid::Grid;
use ferrica::options::{Partition, Solver, SolverOptions};
use ferrica::pipeline;
use ferrica::solving;
use ferrica::stats::Stats;

/// The run-time library, of the same build as this program.
static LIBRARY: &[u8] = ferrica_embed::fmu_library!();

pub fn export(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    let options = args.solver.options();
    solving::supported(&options)?;
    let settings = settings(&options)?;
    if LIBRARY.is_empty() {
        return Err(pipeline::not_built_in("the run-time library of FMUs"));
    }
    let model = args.model.driven_by(&args.experiment);
    let mut stats = Stats::default();
    let loaded = pipeline::load(&model, reporter, &mut stats)?;
    pipeline::refuse_other_kinds(&loaded)?;
    let flat = pipeline::flatten(&loaded, &model.params, reporter, &mut stats)?;
    let grid = Grid::new(&args.experiment.options(), &flat.experiment)?;
    let shown = |name: &str| args.vars.iter().any(|p| glob_matches(p, name));
    let wish = Wish {
        version: match args.fmu.fmi {
            FmiVersion::Fmi2 => Version::Fmi2,
            FmiVersion::Fmi3 => Version::Fmi3,
        },
        exchange: args.fmu.kind != FmuKind::Cs,
        steps: args.fmu.kind != FmuKind::Me,
        black_box: args.fmu.black_box,
        shown: &shown,
        folder: model.folder(),
        solver: settings,
        start: grid.start,
        stop: grid.stop,
        tolerance: grid.tolerance,
        interval: grid.interval,
        library: LIBRARY,
        tool: format!("ferrica {}", env!("CARGO_PKG_VERSION")),
    };
    let archive = ferrica_fmi::export(&flat, &wish).map_err(Failure::Model)?;
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    write_file(&args.output, &inputs, &archive).map_err(|e| Failure::Io(e.to_string()))?;
    let kilobytes = archive.len().div_ceil(1000);
    reporter.note(&format!(
        "{}: {}, {kilobytes} kB → {}",
        loaded.name,
        counted(flat.vars.len(), "variable"),
        args.output.display()
    ));
    Ok(())
}

/// What of the settings an FMU keeps; others are refused, not forgotten.
fn settings(options: &SolverOptions) -> Result<Settings, Failure> {
    let not = |what: &str| {
        Err(Failure::usage(format!(
            "{what} has no place in an FMU: an instance takes steps by itself"
        )))
    };
    if options.solver == Solver::Qbg {
        return not("--solver qbg");
    }
    if options.inline.is_some() {
        return not("--inline");
    }
    if options.verify {
        return not("--verify");
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
