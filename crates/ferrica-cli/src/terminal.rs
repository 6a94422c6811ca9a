//! Figures and text on standard output.

use std::io::{self, IsTerminal, Write};

use ferrica::results::plot::{Figure, TerminalOptions, to_terminal};
use terminal_size::{Height, Width, terminal_size};

use crate::reporter::wants_color;
use ferrica::failure::Failure;

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
