//! `ferrica devs`: the model as a coupled DEVS model, for other tools, with a picture of it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::cli::{DevsArgs, DevsFormat};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use ferrica::exports::coupled::{Target, coupled};
use ferrica::failure::Failure;
use ferrica::results::write_file;
use ferrica::stages::pipeline;
use ferrica::stages::stats::Stats;
use ferrica::words::counted;

pub fn devs(args: &DevsArgs, reporter: &mut Reporter) -> Outcome {
    let keep_flat = args.format == DevsFormat::Cdpp;
    let compiled = pipeline::compile_for(
        &args.model.options(),
        keep_flat,
        reporter,
        &mut Stats::default(),
    )?;
    let target = match args.format {
        DevsFormat::Powerdevs => Target::Powerdevs {
            method: args.solver.as_deref().unwrap_or("qss3"),
            stop: args.stop,
        },
        DevsFormat::Cdpp => match &args.solver {
            None => Target::Cdpp { stop: args.stop },
            Some(word) => {
                let text = format!("--solver {word}: the models for CD++ are of first order");
                return Err(Failure::usage_with_hint(text, "--solver is for PowerDEVS"));
            }
        },
    };
    let coupled = coupled(&compiled, target, args.tol)?;
    for text in &coupled.warnings {
        reporter.warning(text);
    }
    for text in &coupled.notes {
        reporter.note(text);
    }
    let folder = args.output.display().to_string();
    let inputs = inputs_of(&args.model, &None, reporter);
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    fs::create_dir_all(&args.output).map_err(|e| Failure::io(&folder, &e))?;
    for (name, text) in &coupled.files {
        let path = args.output.join(name);
        write_file(&path, &inputs, text.as_bytes()).map_err(|e| Failure::unwritten(&e))?;
    }
    reporter.note(&format!(
        "{}: {}, {} → {folder}",
        compiled.name,
        counted(coupled.blocks, "block"),
        counted(coupled.couplings, "coupling")
    ));
    Ok(())
}
