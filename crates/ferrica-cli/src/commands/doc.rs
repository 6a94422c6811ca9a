//! `ferrica doc CLASS`: the interface and documentation of a class, in the terminal or as a page of HTML with its icon.

use std::path::Path;

use crate::Outcome;
use crate::cli::{DocArgs, ModelArgs};
use crate::inputs::inputs_of;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::results::outputs::{self, Kind, Output};
use ferrica::sources::class_picture::{self, Page};
use ferrica::sources::documentation::{page, to_html, to_text};
use ferrica::stages::pipeline;
use ferrica::stages::stats::Stats;

pub fn doc(args: &DocArgs, reporter: &mut Reporter) -> Outcome {
    let path = Path::new(&args.class);
    let is_file = path.extension().is_some_and(|e| e == "mo") || path.exists();
    let model = ModelArgs {
        file: is_file.then(|| path.to_owned()),
        model: (!is_file).then(|| args.class.clone()),
        libs: args.libs.clone(),
        ..ModelArgs::default()
    };
    let loaded = pipeline::load(&model.options(), reporter, &mut Stats::default())?;
    let page = page(&loaded.library, loaded.class);
    let Some(file) = &args.output else {
        return print_out(&to_text(&page));
    };
    if !matches!(outputs::ending(file).as_str(), "html" | "htm") {
        let text = format!("{}: a page ends with .html", file.display());
        return Err(Failure::usage(text));
    }
    let icon = class_picture::icon(&loaded, Page::Light).ok();
    let icon = icon.map(|picture| picture.svg());
    let html = to_html(&page, icon.as_deref(), &loaded.library);
    let target = [Output::new(file, Kind::Picture)];
    outputs::check(&target, &inputs_of(&model, &None, reporter))?;
    outputs::write(file, html.as_bytes())
}
