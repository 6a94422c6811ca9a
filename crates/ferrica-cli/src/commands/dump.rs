//! `ferrica dump`: the model after a stage, as text; the structural analysis also as a picture.

use std::path::Path;

use crate::Outcome;
use crate::cli::{DumpArgs, Stage};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::stages::stage_text::{self, Shown};

pub fn dump(args: &DumpArgs, reporter: &mut Reporter) -> Outcome {
    let drawn = args.output.as_deref().filter(|p| is_picture(p));
    let kind = match drawn {
        Some(_) => Kind::Drawing,
        None => Kind::Text,
    };
    let target: Vec<Output> = args.output.iter().map(|p| Output::new(p, kind)).collect();
    outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
    let is_structural = matches!(args.stage, Stage::Matching | Stage::Graph);
    if let Some(path) = drawn {
        if !is_structural {
            return Err(Failure::usage(format!(
                "{}: only the stages matching and graph have a picture",
                path.display()
            )));
        }
        return draw(args, path, &target, reporter);
    }
    if args.theme.is_some() {
        return Err(Failure::usage(
            "--theme is for a picture: -o FILE.svg or FILE.png".to_owned(),
        ));
    }
    let (text, outcome): Shown = match &args.model.file {
        Some(file) if args.stage == Stage::Syntax && args.model.model.is_none() => {
            stage_text::syntax(file, reporter)?
        }
        _ if is_structural => {
            stage_text::structural(args.stage.into(), &args.model.options(), reporter)?
        }
        _ => {
            let text = stage_text::after(args.stage.into(), &args.model.options(), reporter)?;
            (text, Ok(()))
        }
    };
    if outcome.is_err() {
        print_out(&text)?;
        return outcome;
    }
    match &args.output {
        Some(path) => {
            outputs::check(&target, &inputs_of(&args.model, &None, reporter))?;
            outputs::write(path, text.as_bytes())
        }
        None => print_out(&text),
    }
}

fn is_picture(path: &Path) -> bool {
    matches!(outputs::ending(path).as_str(), "svg" | "png")
}

/// A model that cannot be sorted is drawn all the same, with what has no partner, and then reported.
fn draw(args: &DumpArgs, path: &Path, target: &[Output], reporter: &mut Reporter) -> Outcome {
    let theme = args.theme.unwrap_or_default();
    let options = args.model.options();
    let drawn = stage_text::drawn(args.stage.into(), &options, path, theme.into(), reporter)?;
    for what in &drawn.left_out {
        reporter.note(&format!("not drawn: {what}; the text form has all"));
    }
    outputs::check(target, &inputs_of(&args.model, &None, reporter))?;
    outputs::write(path, &drawn.bytes)?;
    drawn.outcome
}
