//! Who hears of what the compiler has to say while it goes on.

use std::sync::Arc;

pub use ferrica_ir::{Diagnostic, Severity, SourceMap, Span};

/// Takes warnings and notes; errors end a stage and come back as its result.
pub trait Report {
    /// The texts that places in diagnostics refer to.
    fn sources(&self) -> Arc<SourceMap>;

    fn diagnostics(&mut self, list: &[Diagnostic]);

    /// Places where units do not fit.
    fn units(&mut self, list: &[Diagnostic]) {
        self.diagnostics(list);
    }
}
