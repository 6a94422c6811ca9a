//! Sends a figure to a file or to the terminal.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use ferrica_results::plot::{Figure, TerminalOptions, to_html, to_png, to_svg, to_terminal};
use terminal_size::{Height, Width, terminal_size};

use crate::failure::Failure;
use crate::reporter::wants_color;

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

/// Draws on standard output, as large as the terminal is or as asked for.
pub fn show_picture(figure: &Figure, size: Option<(usize, usize)>) -> Result<(), Failure> {
    let panels = figure.panels.len().max(1);
    let (columns, lines) = size.unwrap_or_else(|| match terminal_size() {
        // Wide terminals make flat curves.
        Some((Width(w), Height(h))) => (usize::from(w).clamp(40, 140), usize::from(h).max(16)),
        None => (100, 30),
    });
    let rows = (lines.saturating_sub(4) / panels)
        .saturating_sub(2)
        .clamp(6, 30);
    let color = wants_color(io::stdout().is_terminal());
    let text = to_terminal(
        figure,
        &TerminalOptions {
            columns,
            rows,
            color,
        },
    );
    print_out(&text)
}

/// Prints to standard output; a reader that went away is no failure.
pub fn print_out(text: &str) -> Result<(), Failure> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Failure::io("standard output", &e)),
        _ => Ok(()),
    }
}
