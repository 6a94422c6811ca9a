//! FMUs in the place of models: the text of a block for one.

use std::path::Path;

use ferrica_import::{Wish, archive, block};
use ferrica_ir::{Diagnostic, Span};

/// An archive, by its name?
pub fn is_fmu(file: &Path) -> bool {
    file.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("fmu"))
}

fn wrong(message: String) -> Vec<Diagnostic> {
    vec![Diagnostic::error("E0742", Span::NONE, message)]
}

/// The block that runs an FMU from where it is: its Model Exchange if it has that, else its Co-Simulation.
pub fn block(file: &Path) -> Result<String, Vec<Diagnostic>> {
    let whole = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    text(file, &whole.to_string_lossy(), None)
}

/// The same for an archive that the text calls `name`, with one of the two interfaces.
pub fn text(file: &Path, name: &str, exchange: Option<bool>) -> Result<String, Vec<Diagnostic>> {
    let d = archive::describe(file).map_err(wrong)?;
    let wish = Wish {
        file: name,
        exchange: exchange.unwrap_or(d.exchange.is_some()),
    };
    block::text(&d, &wish).map_err(|e| wrong(format!("{}: {e}", file.display())))
}
