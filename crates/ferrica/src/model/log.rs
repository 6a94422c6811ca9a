//! What the compiler has to say, kept for later.

use std::sync::Arc;

use ferrica_ir::SourceMap;

use crate::error::Diagnostic;
use crate::stages::report::Report;

/// Keeps what the compiler has to say.
pub(crate) struct Log {
    pub sources: Arc<SourceMap>,
    pub list: Vec<ferrica_ir::Diagnostic>,
}

impl Log {
    pub fn new(sources: Arc<SourceMap>) -> Log {
        Log {
            sources,
            list: Vec::new(),
        }
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let list = self.list.iter();
        list.map(|d| Diagnostic::new(d, &self.sources)).collect()
    }
}

impl Report for Log {
    fn sources(&self) -> Arc<SourceMap> {
        Arc::clone(&self.sources)
    }

    fn diagnostics(&mut self, list: &[ferrica_ir::Diagnostic]) {
        self.list.extend_from_slice(list);
    }
}
