//! `ferrica dump`: the model after a stage, as text.

use crate::Outcome;
use crate::cli::{DumpArgs, Stage};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::outputs::{self, Kind, Output};
use ferrica::stage_text;

pub fn dump(args: &DumpArgs, reporter: &mut Reporter) -> Outcome {
    let target: Vec<Output> = args
        .output
        .iter()
        .map(|p| Output::new(p, Kind::Text))
        .collect();
    outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
    let text = match &args.model.file {
        Some(file) if args.stage == Stage::Syntax && args.model.model.is_none() => {
            let (text, outcome) = stage_text::syntax(file, reporter)?;
            if outcome.is_err() {
                print_out(&text)?;
                return outcome;
            }
            text
        }
        _ => stage_text::after(args.stage.into(), &args.model.options(), reporter)?,
    };
    match &args.output {
        Some(path) => {
            outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
            outputs::write(path, text.as_bytes())
        }
        None => print_out(&text),
    }
}
