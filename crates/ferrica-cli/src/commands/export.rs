//! `ferrica export`: the model with its solver for machines without this program.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::cli::{ExportArgs, FmuKind, Language};
use crate::commands::export_fmu;
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use ferrica::exports::source_code::{self, Purpose};
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind};
use ferrica::results::write_file;
use ferrica::stages::grid::Grid;
use ferrica::stages::pipeline::{self, Compiled};
use ferrica::stages::stats::Stats;
use ferrica::words::counted;

pub fn export(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    match args.language {
        Language::C => source_code(args, reporter),
        Language::Fmu if args.fmu.source => source_fmu(args, reporter),
        Language::Fmu => export_fmu::export(args, reporter),
    }
}

/// The model, the code's experiment and the settings of its solver.
fn prepared(args: &ExportArgs, reporter: &mut Reporter) -> Result<(Compiled, Grid), Failure> {
    source_code::method(&args.solver.options())?;
    let compiled = pipeline::compile(
        &args.model.driven_by(&args.experiment),
        reporter,
        &mut Stats::default(),
    )?;
    let grid = Grid::new(
        &args.experiment.options(),
        &compiled.model.source.experiment,
    )?;
    Ok((compiled, grid))
}

/// An FMU of source code.
fn source_fmu(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    if args.fmu.kind == FmuKind::Me {
        return Err(Failure::usage(
            "--source is for Co-Simulation: the code has its own solver",
        ));
    }
    let version = args.fmu.version()?;
    outputs::fits(&args.output, Kind::Fmu)?;
    let (compiled, grid) = prepared(args, reporter)?;
    let options = args.solver.options();
    let fmu = ferrica_fmi::source_of(&compiled, &grid, &options, &args.vars, version)?;
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    write_file(&args.output, &inputs, &fmu.archive).map_err(|e| Failure::unwritten(&e))?;
    reporter.note(&format!(
        "{}: {}, {} → {}",
        compiled.name,
        counted(fmu.variables, "variable"),
        fmu.solver,
        args.output.display()
    ));
    Ok(())
}

fn source_code(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    let (compiled, grid) = prepared(args, reporter)?;
    let options = args.solver.options();
    let code = source_code::c(&compiled, &grid, &options, &args.vars, Purpose::Program)?;
    let folder = args.output.display().to_string();
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    fs::create_dir_all(&args.output).map_err(|e| Failure::io(&folder, &e))?;
    for file in &code.exported.files {
        let path = args.output.join(&file.name);
        write_file(&path, &inputs, file.text.as_bytes()).map_err(|e| Failure::unwritten(&e))?;
    }
    reporter.note(&format!(
        "{}: {}, {}, at most {} → {folder}",
        compiled.name,
        counted(code.variables(), "variable"),
        code.solver,
        code.exported.work.words()
    ));
    Ok(())
}
