//! `ferrica diagram` and `ferrica icon`: pictures of classes from their graphical annotations.

use std::path::Path;

use crate::Outcome;
use crate::cli::{DiagramArgs, DrawingArgs, IconArgs, ModelArgs};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::sources::class_picture::{self, ClassPicture};
use ferrica::stages::pipeline::{self, Loaded};
use ferrica::stages::stats::Stats;

pub fn diagram(args: &DiagramArgs, reporter: &mut Reporter) -> Outcome {
    let loaded = load(&args.drawing, reporter)?;
    let component = args.component.as_deref().unwrap_or_default();
    let drawing = class_picture::diagram(&loaded, component, args.drawing.theme.into())?;
    write(&args.drawing, &drawing, reporter)
}

pub fn icon(args: &IconArgs, reporter: &mut Reporter) -> Outcome {
    let loaded = load(&args.drawing, reporter)?;
    let drawing = class_picture::icon(&loaded, args.drawing.theme.into())?;
    write(&args.drawing, &drawing, reporter)
}

/// The target is a file where it looks like one.
fn model(args: &DrawingArgs) -> ModelArgs {
    let mut model = ModelArgs {
        model: args.model.clone(),
        libs: args.libs.clone(),
        ..ModelArgs::default()
    };
    if let Some(target) = &args.target {
        let path = Path::new(target);
        let is_file = path.extension().is_some_and(|e| e == "mo") || path.exists();
        match is_file {
            true => model.file = Some(path.to_owned()),
            false => model.model = Some(target.clone()),
        }
    }
    model
}

fn load(args: &DrawingArgs, reporter: &mut Reporter) -> Result<Loaded, Failure> {
    let model = model(args);
    let target = [Output::new(&args.output, Kind::Drawing)];
    outputs::check(&target, &inputs_of(&model, &None, reporter))?;
    pipeline::load(&model.options(), reporter, &mut Stats::default())
}

fn write(args: &DrawingArgs, drawing: &ClassPicture, reporter: &mut Reporter) -> Outcome {
    for name in drawing.missing_images() {
        reporter.warning(&format!("the image {name} cannot be read"));
    }
    let bytes = match outputs::ending(&args.output).as_str() {
        "png" => drawing.png()?,
        _ => drawing.svg().into_bytes(),
    };
    let target = [Output::new(&args.output, Kind::Drawing)];
    outputs::check(&target, &inputs_of(&model(args), &None, reporter))?;
    outputs::write(&args.output, &bytes)
}
