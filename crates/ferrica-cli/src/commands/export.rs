//! `ferrica export`: the model with its solver for machines without this program.

use std::fs;
use std::path::{Path, PathBuf};

use ferrica_ir::print::counted;
use ferrica_results::write_file;
use ferrica_rt::export::{Exported, Monitored, Purpose, export_c};
use ferrica_sim::{ValueSource, result_variables};

use crate::Outcome;
use crate::cli::{ExportArgs, FmiVersion, FmuKind, Language};
use crate::commands::export_fmu;
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use ferrica::failure::Failure;
use ferrica::grid::Grid;
use ferrica::pipeline::{self, Compiled};
use ferrica::real_time;
use ferrica::solving::{self, Engine};
use ferrica::stats::Stats;

pub fn export(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    match args.language {
        Language::C => source_code(args, reporter),
        Language::Fmu if args.fmu.source => source_fmu(args, reporter),
        Language::Fmu => export_fmu::export(args, reporter),
    }
}

/// A model as C code.
struct Written {
    compiled: Compiled,
    grid: Grid,
    code: Exported,
    /// Of the solver.
    method: &'static str,
}

fn written(
    args: &ExportArgs,
    purpose: Purpose,
    reporter: &mut Reporter,
) -> Result<Written, Failure> {
    solving::supported(&args.solver.options())?;
    let Engine::FixedStep(method) = solving::kind(args.solver.solver)? else {
        return Err(Failure::usage_with_hint(
            format!("{} has no form in C", args.solver.solver.word()),
            "the real-time solvers have: --solver rt-bdf2, for example",
        ));
    };
    let compiled = pipeline::compile(
        &args.model.driven_by(&args.experiment),
        reporter,
        &mut Stats::default(),
    )?;
    let grid = Grid::new(
        &args.experiment.options(),
        &compiled.model.source.experiment,
    )?;
    let plan = ferrica_sim::Experiment {
        start: grid.start,
        stop: grid.stop,
        tolerance: grid.tolerance,
        interval: grid.interval,
        step: args.solver.step,
        values: compiled.values.clone(),
        ..ferrica_sim::Experiment::of(&compiled.model)
    };
    let model = ferrica_rt::dae_form(&compiled.model).map_err(Failure::Model)?;
    let options = real_time::options(method, &args.solver.options());
    let name = identifier(&compiled.name);
    let variables = variables(&compiled, &model, &args.vars);
    let code = export_c(&model, &plan, &options, &name, &variables, purpose)
        .map_err(|e| Failure::model(e.diagnostic()))?;
    Ok(Written {
        compiled,
        grid,
        code,
        method: method.name(),
    })
}

/// An FMU of source code.
fn source_fmu(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    if args.fmu.kind == FmuKind::Me {
        return Err(Failure::usage(
            "--source is for Co-Simulation: the code has its own solver",
        ));
    }
    let (version, purpose) = match args.fmu.fmi {
        FmiVersion::Fmi2 => (ferrica_fmi::Version::Fmi2, Purpose::Fmu2),
        FmiVersion::Fmi3 => (ferrica_fmi::Version::Fmi3, Purpose::Fmu3),
    };
    let w = written(args, purpose, reporter)?;
    let wish = ferrica_fmi::SourceWish {
        version,
        start: w.grid.start,
        stop: w.grid.stop,
        tolerance: w.grid.tolerance,
        interval: w.grid.interval,
        tool: format!("ferrica {}", env!("CARGO_PKG_VERSION")),
    };
    let count = w.code.channels.variables.len();
    let archive = ferrica_fmi::export_source(&w.compiled.model.source, w.code, &wish)
        .map_err(Failure::Model)?;
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    write_file(&args.output, &inputs, &archive).map_err(|e| Failure::Io(e.to_string()))?;
    reporter.note(&format!(
        "{}: {}, {} → {}",
        w.compiled.name,
        counted(count, "variable"),
        w.method,
        args.output.display()
    ));
    Ok(())
}

fn source_code(args: &ExportArgs, reporter: &mut Reporter) -> Outcome {
    let w = written(args, Purpose::Program, reporter)?;
    let folder = args.output.display().to_string();
    let inputs = inputs_of(&args.model, &args.experiment.input_file, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    fs::create_dir_all(&args.output).map_err(|e| Failure::io(&folder, &e))?;
    for file in &w.code.files {
        let path = args.output.join(&file.name);
        write_file(&path, &inputs, file.text.as_bytes()).map_err(|e| Failure::Io(e.to_string()))?;
    }
    reporter.note(&format!(
        "{}: {}, {} → {folder}",
        w.compiled.name,
        counted(w.code.channels.variables.len(), "variable"),
        w.method
    ));
    Ok(())
}

/// What the code can be asked for: the variables that match, else outputs and states.
fn variables(
    compiled: &Compiled,
    model: &ferrica_codegen::CompiledModel,
    patterns: &[String],
) -> Vec<Monitored> {
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
