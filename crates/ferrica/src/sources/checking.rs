//! `ferrica check` as data: everything that the compiler finds in a model, with the texts that the places are in.

use std::sync::Arc;

use ferrica_ir::{Diagnostic, SourceMap, Span};

use crate::failure::Failure;
use crate::options::ModelOptions;
use crate::stages::pipeline;
use crate::stages::report::Log;
use crate::stages::stats::Stats;

/// What was found.
///
/// ```
/// use ferrica::{options::ModelOptions, sources::checking::check};
/// let found = check(&ModelOptions { text: Some("model M Real x = y; end M;".to_owned()), ..Default::default() });
/// assert!(found.sources.render(&found.diagnostics[0]).contains("E0201"));
/// ```
pub struct Findings {
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Arc<SourceMap>,
}

/// All stages up to kernels; warnings, then what ended it.
///
/// ```
/// use ferrica::{options::ModelOptions, sources::checking::check};
/// let found = check(&ModelOptions { text: Some("model M Real x = time; end M;".to_owned()), ..Default::default() });
/// assert!(found.diagnostics.is_empty());
/// ```
pub fn check(options: &ModelOptions) -> Findings {
    let sources = Arc::new(match &options.cache {
        Some(cache) => SourceMap::over(Arc::clone(cache.sources())),
        None => SourceMap::new(),
    });
    let mut log = Log::new(Arc::clone(&sources));
    let mut stats = Stats::default();
    let mut all = || -> Result<(), Failure> {
        let loaded = pipeline::load(options, &mut log, &mut stats)?;
        pipeline::refuse_other_kinds(&loaded)?;
        let flat = pipeline::flatten(&loaded, &options.params, &mut log, &mut stats)?;
        let causal = pipeline::analyse(flat, &mut log, &mut stats)?;
        pipeline::generate(causal, options, &mut stats).map(|_| ())
    };
    let ended = all();
    let mut diagnostics = log.list;
    match ended {
        Ok(()) | Err(Failure::Answered) => {}
        Err(Failure::Model(list)) => diagnostics.extend(list),
        Err(other) => diagnostics.push(Diagnostic::error("E0730", Span::NONE, other.to_string())),
    }
    Findings {
        diagnostics,
        sources,
    }
}
