//! What the compiler and the solvers have to say, as data: no text has to be parsed to know a code or a place.

use std::fmt;

use ferrica_ir::similar::closest_variable;
use ferrica_ir::{Severity, SourceMap, Span};

use crate::failure::Failure;

/// One message with its code, its place and what to try.
///
/// ```
/// let error = ferrica::Model::from_text("model M\n  Real x = y;\nend M;").unwrap_err();
/// let message = &error.diagnostics()[0];
/// assert_eq!((message.code, message.line), ("E0201", Some(2)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// An error, not a warning or a note.
    pub is_error: bool,
    /// A stable code such as `E0201`; the book lists them.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// The file it is about, if it is about one.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// What to try.
    pub hint: Option<String>,
    /// Further places, each with a label.
    pub related: Vec<Place>,
    /// All of it with the lines of source text, as the command line shows it.
    pub text: String,
}

/// A place in a source text.
///
/// ```
/// let error = ferrica::Model::from_text("model M\n  Real x;\nend M;").unwrap_err();
/// let places = &error.diagnostics()[0].related;
/// assert!(places.iter().any(|p| p.line == 2 && p.label.contains("`x`")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is there.
    pub label: String,
}

impl Diagnostic {
    pub(crate) fn new(of: &ferrica_ir::Diagnostic, sources: &SourceMap) -> Diagnostic {
        let place = |span: Span| sources.line_col(span);
        let related = of.related.iter().filter_map(|(span, label)| {
            let (file, at) = place(*span)?;
            Some(Place {
                file: file.name.clone(),
                line: at.line,
                column: at.col,
                label: label.clone(),
            })
        });
        let at = place(of.span);
        Diagnostic {
            is_error: of.severity == Severity::Error,
            code: of.code,
            message: of.message.clone(),
            file: at.as_ref().map(|(file, _)| file.name.clone()),
            line: at.as_ref().map(|(_, at)| at.line),
            column: at.as_ref().map(|(_, at)| at.col),
            hint: of.hint.clone(),
            related: related.collect(),
            text: sources.render(of),
        }
    }

    /// One about what was asked for, not about a text.
    pub(crate) fn plain(code: &'static str, message: String, hint: Option<String>) -> Diagnostic {
        let mut text = format!("error[{code}]: {message}\n");
        if let Some(hint) = &hint {
            text += &format!("  help: {hint}\n");
        }
        Diagnostic {
            is_error: true,
            code,
            message,
            file: None,
            line: None,
            column: None,
            hint,
            related: Vec::new(),
            text,
        }
    }

    /// The same as a warning.
    pub(crate) fn warning(code: &'static str, message: String) -> Diagnostic {
        Diagnostic {
            is_error: false,
            text: format!("warning[{code}]: {message}\n"),
            ..Diagnostic::plain(code, message, None)
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

/// What kind of thing went wrong.
///
/// ```
/// use ferrica::{ErrorKind, Model};
/// let model = Model::from_text("model M parameter Real p = 1; end M;")?;
/// assert_eq!(model.set("q", 2.0).unwrap_err().kind(), ErrorKind::UnknownName);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The model has a mistake.
    Model,
    /// The model is right but the run failed.
    Run,
    /// There is nothing of that name.
    UnknownName,
    /// What was asked for does not fit together.
    Usage,
    /// A file cannot be read or written.
    Io,
    /// The run was interrupted.
    Interrupted,
}

/// Why something could not be done; at least one [`Diagnostic`].
///
/// ```
/// let error = ferrica::Model::from_text("model M Real x; end M;").unwrap_err();
/// assert_eq!(error.code(), "E0301");
/// println!("{error}");
/// ```
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    diagnostics: Vec<Diagnostic>,
}

/// Code of what a run says when it was interrupted.
const INTERRUPTED: &str = "E0609";
/// Code of what is said of a name that is not there.
pub(crate) const UNKNOWN: &str = "E0731";

impl Error {
    pub(crate) fn new(kind: ErrorKind, failure: &Failure, sources: &SourceMap) -> Error {
        let (kind, diagnostics) = match failure {
            Failure::Model(list) => {
                let list: Vec<Diagnostic> =
                    list.iter().map(|d| Diagnostic::new(d, sources)).collect();
                match list.iter().any(|d| d.code == INTERRUPTED) {
                    true => (ErrorKind::Interrupted, list),
                    false => (kind, list),
                }
            }
            Failure::Usage {
                code,
                message,
                hint,
            } => {
                let code = code.unwrap_or("E0730");
                let told = Diagnostic::plain(code, message.clone(), hint.clone());
                let kind = match code {
                    UNKNOWN => ErrorKind::UnknownName,
                    _ => ErrorKind::Usage,
                };
                (kind, vec![told])
            }
            Failure::Io(message) => (
                ErrorKind::Io,
                vec![Diagnostic::plain("E0701", message.clone(), None)],
            ),
            Failure::Answered => (kind, Vec::new()),
        };
        Error { kind, diagnostics }
    }

    pub(crate) fn usage(code: &'static str, message: impl Into<String>) -> Error {
        Error::of(ErrorKind::Usage, code, message.into(), None)
    }

    pub(crate) fn of(
        kind: ErrorKind,
        code: &'static str,
        message: String,
        hint: Option<String>,
    ) -> Error {
        Error {
            kind,
            diagnostics: vec![Diagnostic::plain(code, message, hint)],
        }
    }

    /// There is no `name` among the names of a `what`.
    pub(crate) fn unknown<'a>(
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'a str>,
    ) -> Error {
        let names: Vec<&str> = names.collect();
        let near = closest_variable(name, names.iter().copied());
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no {what} `{name}`");
        Error::of(ErrorKind::UnknownName, UNKNOWN, message, hint)
    }

    /// The same with something more to try.
    pub(crate) fn with_hint(mut self, hint: String) -> Error {
        if let Some(first) = self.diagnostics.first_mut() {
            first.text = format!("{}\n  help: {hint}\n", first.text.trim_end());
            first.hint = Some(match first.hint.take() {
                Some(known) => format!("{known}; {hint}"),
                None => hint,
            });
        }
        self
    }

    /// What kind of thing went wrong.
    ///
    /// ```
    /// let error = ferrica::Model::from_file("nowhere.mo").unwrap_err();
    /// assert_eq!(error.kind(), ferrica::ErrorKind::Usage);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The code of the first error.
    ///
    /// ```
    /// let error = ferrica::Model::from_text("model M Real x = ; end M;").unwrap_err();
    /// assert!(error.code().starts_with("E01"));
    /// ```
    pub fn code(&self) -> &'static str {
        let first = self.diagnostics.iter().find(|d| d.is_error);
        first.map_or("E0730", |d| d.code)
    }

    /// All messages.
    ///
    /// ```
    /// let error = ferrica::Model::from_text("model M Real x = a; Real y = b; end M;").unwrap_err();
    /// assert_eq!(error.diagnostics().len(), 2);
    /// ```
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.diagnostics.iter().map(|d| d.text.trim_end()).collect();
        f.write_str(&texts.join("\n"))
    }
}

impl std::error::Error for Error {}
