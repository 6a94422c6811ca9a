//! Writes a figure to a file.

use std::fs;
use std::path::Path;

use ferrica_results::plot::{Figure, to_html, to_png, to_svg};

use crate::failure::Failure;

/// Writes a picture in the format that the file name asks for.
pub fn write_picture(figure: &Figure, path: &Path) -> Result<(), Failure> {
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or("")
        .to_ascii_lowercase();
    let bytes = match extension.as_str() {
        "svg" => to_svg(figure).into_bytes(),
        "png" => to_png(figure).map_err(Failure::Io)?,
        "html" | "htm" => to_html(figure).into_bytes(),
        _ => {
            return Err(Failure::usage(format!(
                "{}: a picture's name must end in .svg, .png or .html",
                path.display()
            )));
        }
    };
    fs::write(path, bytes).map_err(|e| Failure::io(path.display(), &e))
}
