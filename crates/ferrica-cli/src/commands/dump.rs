//! `ferrica dump`: the model after a stage, as text.

use std::fmt::Write;
use std::fs;

use crate::Outcome;
use crate::cli::{DumpArgs, Stage};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::instance_text;
use ferrica::kernel_text;
use ferrica::outputs::{self, Kind, Output};
use ferrica::pipeline::{self, Loaded};
use ferrica::stats::Stats;

pub fn dump(args: &DumpArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = args
        .output
        .iter()
        .map(|p| Output::new(p, Kind::Text))
        .collect();
    outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
    let text = match (args.stage, &args.model.file) {
        (Stage::Syntax, Some(file)) if args.model.model.is_none() => {
            let text = fs::read_to_string(file)
                .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
            let id = reporter
                .sources
                .add(file.display().to_string(), text.clone());
            let (tree, errors) = ferrica_syntax::parse_tree(id, &text);
            // What could be read is shown all the same.
            if !errors.is_empty() {
                print_out(&ferrica_syntax::dump(&tree))?;
                return Err(Failure::Model(errors));
            }
            ferrica_syntax::dump(&tree)
        }
        (stage, _) => {
            let mut stats = Stats::default();
            let loaded = pipeline::load(&args.model.options(), reporter, &mut stats)?;
            match stage {
                Stage::Syntax | Stage::Classes => classes(&loaded),
                _ => after_flattening(args, &loaded, reporter, &mut stats)?,
            }
        }
    };
    match &args.output {
        Some(path) => {
            outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
            outputs::write(path, text.as_bytes())
        }
        None => print_out(&text),
    }
}

fn after_flattening(
    args: &DumpArgs,
    loaded: &Loaded,
    reporter: &mut Reporter,
    stats: &mut Stats,
) -> Result<String, Failure> {
    if matches!(args.stage, Stage::Instance | Stage::Flat) {
        let flat = pipeline::flatten_any(loaded, &args.model.params, reporter, stats)?.model;
        return Ok(match args.stage {
            Stage::Instance => instance_text::instances(&flat),
            _ => ferrica_ir::print::flat_model(&flat),
        });
    }
    let flat = pipeline::flatten(loaded, &args.model.params, reporter, stats)?;
    if args.stage == Stage::Dae {
        let mut warnings = Vec::new();
        let dae = ferrica_structure::hybrid(flat, &mut warnings).map_err(Failure::Model)?;
        reporter.diagnostics(&warnings);
        return Ok(ferrica_dae::dump::dae(&dae));
    }
    let causal = pipeline::analyse(flat, reporter, stats)?;
    if args.stage == Stage::Blocks {
        return Ok(ferrica_structure::dump::blocks(&causal));
    }
    let model = pipeline::generate(causal, &args.model.options(), stats)?;
    Ok(kernel_text::kernels(&model))
}

/// The class and its members, indented, without the members of members from other files.
fn classes(loaded: &Loaded) -> String {
    let mut out = String::new();
    let mut stack = vec![(loaded.class, 0usize)];
    while let Some((class, depth)) = stack.pop() {
        let def = loaded.library.def(class);
        let name = if depth == 0 {
            loaded.name.clone()
        } else {
            loaded.library.name(class).as_str().to_owned()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{:width$}{:?} {name}", "", def.kind, width = 2 * depth);
        let children = loaded.library.children(class);
        stack.extend(children.into_iter().rev().map(|c| (c, depth + 1)));
    }
    out
}
