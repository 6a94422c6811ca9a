//! `ferrica bond`: the bond graph of a model, drawn and diagnosed.

use std::path::Path;

use crate::Outcome;
use crate::cli::BondArgs;
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::exports::bond_report::{BondReport, as_model};
use ferrica::results::outputs::{self, Kind, Output};

pub fn bond(args: &BondArgs, reporter: &mut Reporter) -> Outcome {
    let target = args.output.iter().map(|p| Output::new(p, Kind::BondGraph));
    let target: Vec<Output> = target.collect();
    outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
    let graph = BondReport::new(&args.model.options(), args.step, reporter)?;
    for name in graph.multiports() {
        reporter.note(&format!(
            "{name} fits no single element and is shown as a multiport"
        ));
    }
    let Some(path) = &args.output else {
        return print_out(&format!("{}\n{}", graph.listed(), graph.text));
    };
    let text = match outputs::ending(path).as_str() {
        "dot" => graph.dot(),
        "mo" => as_model(&args.model.options(), &identifier(path), reporter)?,
        _ => graph.svg(),
    };
    outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
    outputs::write(path, text.as_bytes())?;
    print_out(&graph.text)
}

/// The name of a model in a file of this name.
fn identifier(path: &Path) -> String {
    let stem = path.file_stem().and_then(|s| s.to_str());
    let letters = stem.unwrap_or("Graph").chars();
    letters
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}
