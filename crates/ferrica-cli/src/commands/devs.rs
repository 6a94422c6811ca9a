//! `ferrica devs`: the model as a coupled DEVS model, for other tools, with a picture of it.

use std::fs;
use std::path::{Path, PathBuf};

use ferrica_ir::print::counted;
use ferrica_ir::{Diagnostic, Span};
use ferrica_qss::export::{cdpp::cdpp, picture, powerdevs, structure};
use ferrica_qss::{Family, Method};
use ferrica_results::write_file;

use crate::Outcome;
use crate::cli::{DevsArgs, DevsFormat};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use ferrica::bond_graph;
use ferrica::failure::Failure;
use ferrica::pipeline;
use ferrica::stats::Stats;

/// Quantum of the exported integrators if the model does not say.
const TOLERANCE: f64 = 1e-4;

pub fn devs(args: &DevsArgs, reporter: &mut Reporter) -> Outcome {
    let keep_flat = args.format == DevsFormat::Cdpp;
    let compiled = pipeline::compile_for(
        &args.model.options(),
        keep_flat,
        reporter,
        &mut Stats::default(),
    )?;
    let model = &compiled.model;
    if model.remembered().next().is_some() {
        let text = "`delay` has no block in the coupled models of other tools";
        let error = Diagnostic::error("E0623", Span::NONE, text.to_owned());
        return Err(Failure::model(error));
    }
    let given = args.tol.or(model.source.experiment.tolerance);
    let tolerance = given.unwrap_or(TOLERANCE);
    if tolerance.is_nan() || tolerance <= 0.0 {
        return Err(Failure::usage(format!(
            "--tol {tolerance}: a quantum is positive"
        )));
    }
    let mut files = match args.format {
        DevsFormat::Powerdevs => {
            let target = powerdevs::Target {
                method: integrator(&args.solver)?,
                tolerance,
                stop: args.stop,
            };
            let exported = powerdevs::powerdevs(model, &target).map_err(Failure::Model)?;
            for text in &exported.warnings {
                reporter.warning(text);
            }
            exported.files
        }
        DevsFormat::Cdpp => match bond_graph::cdpp(&compiled)? {
            Ok(text) => vec![(format!("{}.ma", powerdevs::file_stem(&compiled.name)), text)],
            Err(why) => {
                reporter.note(&format!(
                    "{why}; its states and derivatives are exported instead"
                ));
                cdpp(model)
            }
        },
    };
    let coupled = structure(model);
    let stem = powerdevs::file_stem(&compiled.name);
    files.push((format!("{stem}.dot"), picture::dot(&coupled)));
    files.push((format!("{stem}.svg"), picture::svg(&coupled)));
    let folder = args.output.display().to_string();
    let inputs = inputs_of(&args.model, &None, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    fs::create_dir_all(&args.output).map_err(|e| Failure::io(&folder, &e))?;
    for (name, text) in &files {
        let path = args.output.join(name);
        write_file(&path, &inputs, text.as_bytes()).map_err(|e| Failure::Io(e.to_string()))?;
    }
    reporter.note(&format!(
        "{}: {}, {} → {folder}",
        compiled.name,
        counted(coupled.blocks.len(), "block"),
        counted(coupled.couplings.len(), "coupling")
    ));
    Ok(())
}

/// The method of a word, of those that the integrators of PowerDEVS have.
fn integrator(word: &str) -> Result<Method, Failure> {
    let known = Method::parse(word).filter(|m| m.family != Family::ModifiedLiqss);
    known.ok_or_else(|| {
        Failure::usage(format!(
            "--solver {word}: the integrators have qss1, qss2, qss3, liqss1, liqss2, liqss3 and cqss"
        ))
    })
}
