//! Source text, tidied.

use std::path::Path;

use ferrica_ir::{Diagnostic, SourceMap};

pub use ferrica_syntax::FormatOptions;

/// The text in the style of the formatter: the same words and comments, other white space.
///
/// `name` is the file that messages name. A text with syntax errors is not touched; they come back instead.
pub fn format_text(
    name: &str,
    text: &str,
    options: &FormatOptions,
    sources: &SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    let file = sources.add(name, text);
    let parsed = ferrica_syntax::parse(file, text);
    if parsed.errors.is_empty() {
        Ok(ferrica_syntax::format_parsed(&parsed, options))
    } else {
        Err(parsed.errors)
    }
}

/// Is it a file of Modelica text, by its name?
pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "mo")
}
