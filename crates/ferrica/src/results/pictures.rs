//! Writes a figure to a file.

use std::path::Path;

use ferrica_results::plot::{Figure, to_html, to_png, to_svg};

use crate::failure::Failure;
use crate::results::outputs::{ending, write};

/// Writes a picture in the format that the file name asks for.
///
/// ```
/// use ferrica::results::{pictures::write_picture, plot::{Axis, Figure, Mark, Series}};
/// let line = Series::new("x", vec![0.0, 1.0], vec![0.0, 2.0], Mark::Line);
/// let figure = Figure::new("a line", Axis::new("time [s]"), Axis::new("x")).with(line);
/// let file = std::env::temp_dir().join(format!("ferrica-doc-picture-{}.svg", std::process::id()));
/// write_picture(&figure, &file)?;
/// assert!(std::fs::read_to_string(&file).unwrap().contains("a line"));
/// # std::fs::remove_file(file).unwrap();
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn write_picture(figure: &Figure, path: &Path) -> Result<(), Failure> {
    let bytes = match ending(path).as_str() {
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
    write(path, &bytes)
}
