//! Source text, tidied.

use std::path::Path;

use ferrica_ir::{Diagnostic, SourceMap};

/// How texts are tidied.
///
/// ```
/// let options = ferrica::sources::formatting::FormatOptions::default();
/// println!("{options:?}");
/// ```
pub use ferrica_syntax::FormatOptions;

/// The text in the style of the formatter: the same words and comments, other white space.
///
/// `name` is the file that messages name. A text with syntax errors is not touched; they come back instead.
///
/// ```
/// use ferrica::sources::formatting::{FormatOptions, format_text};
/// let (options, sources) = (FormatOptions::default(), ferrica::stages::report::SourceMap::new());
/// assert!(format_text("m.mo", "model M Real x = ; end M;", &options, &sources).is_err());
/// assert_eq!(format_text("m.mo", "model  M end M;", &options, &sources).unwrap(), "model M end M;\n");
/// ```
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
///
/// ```
/// use ferrica::sources::formatting::is_source;
/// assert!(is_source("rc.mo".as_ref()) && !is_source("rc.csv".as_ref()));
/// ```
pub fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "mo")
}
