//! Who hears of what the compiler has to say while it goes on.

use std::sync::Arc;

/// One message of a stage, its weight, and the texts and places that it is about.
///
/// ```
/// use ferrica::stages::report::{Diagnostic, Severity, SourceMap, Span};
/// let sources = SourceMap::new();
/// let file = sources.add("m.mo", "model M end N;");
/// let wrong = Diagnostic::error("E0104", Span::new(file, 12, 13), "`N` is not `M`").with_hint("end M");
/// assert!(wrong.severity == Severity::Error && sources.render(&wrong).contains("m.mo:1:13"));
/// ```
pub use ferrica_ir::{Diagnostic, Severity, SourceMap, Span};

/// Keeps what the compiler has to say.
///
/// ```
/// use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// let text = "model M Real v(unit = \"V\") = 1; Real i(unit = \"A\") = v; end M;";
/// let options = ModelOptions { text: Some(text.to_owned()), ..Default::default() };
/// let mut log = Log::default();
/// pipeline::compile(&options, &mut log, &mut Stats::default())?;
/// assert_eq!(log.list.len(), 1);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Default)]
pub struct Log {
    /// The texts that it is about.
    pub sources: Arc<SourceMap>,
    /// All of it so far.
    pub list: Vec<Diagnostic>,
}

impl Log {
    /// About these texts.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use ferrica::stages::report::{Log, SourceMap};
    /// assert!(Log::new(Arc::new(SourceMap::new())).list.is_empty());
    /// ```
    pub fn new(sources: Arc<SourceMap>) -> Log {
        Log {
            sources,
            list: Vec::new(),
        }
    }

    pub(crate) fn diagnostics(&self) -> Vec<crate::Diagnostic> {
        let list = self.list.iter();
        list.map(|d| crate::Diagnostic::new(d, &self.sources))
            .collect()
    }
}

impl Report for Log {
    fn sources(&self) -> Arc<SourceMap> {
        Arc::clone(&self.sources)
    }

    fn diagnostics(&mut self, list: &[Diagnostic]) {
        self.list.extend_from_slice(list);
    }
}

/// Takes warnings and notes; errors end a stage and come back as its result.
///
/// ```
/// use std::sync::Arc;
/// use ferrica::{options::ModelOptions, stages::{pipeline, report::{Diagnostic, Report, SourceMap}, stats::Stats}};
///
/// #[derive(Default)]
/// struct Codes(Arc<SourceMap>, Vec<&'static str>);
///
/// impl Report for Codes {
///     fn sources(&self) -> Arc<SourceMap> {
///         self.0.clone()
///     }
///     fn diagnostics(&mut self, list: &[Diagnostic]) {
///         self.1.extend(list.iter().map(|d| d.code));
///     }
/// }
///
/// let text = "model M Real v(unit = \"V\") = 1; Real i(unit = \"A\") = v; end M;";
/// let options = ModelOptions { text: Some(text.to_owned()), ..Default::default() };
/// let mut codes = Codes::default();
/// pipeline::compile(&options, &mut codes, &mut Stats::default())?;
/// assert_eq!(codes.1.len(), 1);
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub trait Report {
    /// The texts that places in diagnostics refer to.
    fn sources(&self) -> Arc<SourceMap>;

    /// What a stage has found.
    fn diagnostics(&mut self, list: &[Diagnostic]);

    /// Places where units do not fit.
    fn units(&mut self, list: &[Diagnostic]) {
        self.diagnostics(list);
    }
}
