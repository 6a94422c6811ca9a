//! Why a command did not do what it was asked to, and the exit code for it.

use std::io;

use ferrica_ir::{Diagnostic, Span};

/// Why something was not done. [`crate::Error`] is the same for the users of a [`crate::Model`].
///
/// ```
/// use ferrica::{failure::Failure, options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// let options = ModelOptions { text: Some("model M Real x = y; end M;".to_owned()), ..Default::default() };
/// match pipeline::compile(&options, &mut Log::default(), &mut Stats::default()) {
///     Err(Failure::Model(told)) => assert_eq!(told[0].code, "E0201"),
///     _ => unreachable!(),
/// }
/// ```
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something that does not exist or does not fit together.
    Usage {
        /// Its code, where it has one of its own.
        code: Option<&'static str>,
        message: String,
        hint: Option<String>,
    },
    /// The model or the run failed; the diagnostics say why.
    Model(Vec<Diagnostic>),
    /// The answer is already on standard output, and it is no (`diff`, `check`).
    Answered,
    /// A file could not be written or read.
    Io(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Usage { message, .. } | Failure::Io(message) => f.write_str(message),
            Failure::Model(list) => {
                let texts: Vec<&str> = list.iter().map(|d| d.message.as_str()).collect();
                f.write_str(&texts.join("; "))
            }
            Failure::Answered => f.write_str("no"),
        }
    }
}

impl Failure {
    /// What was asked for does not fit together.
    ///
    /// ```
    /// let failure = ferrica::failure::Failure::usage("two outputs cannot go to one file");
    /// assert_eq!(failure.exit_code(), 2);
    /// ```
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::Usage {
            code: None,
            message: message.into(),
            hint: None,
        }
    }

    /// What has a code of its own.
    ///
    /// ```
    /// use ferrica::failure::Failure;
    /// let failure = Failure::coded("E0731", "there is no variable `x`", Some("did you mean `X`?".to_owned()));
    /// assert!(matches!(failure, Failure::Usage { code: Some("E0731"), .. }));
    /// ```
    pub fn coded(code: &'static str, message: impl Into<String>, hint: Option<String>) -> Failure {
        Failure::Usage {
            code: Some(code),
            message: message.into(),
            hint,
        }
    }

    /// The same with what to try.
    ///
    /// ```
    /// use ferrica::failure::Failure;
    /// let failure = Failure::usage_with_hint("nothing to vary", "add -p R=1:0.1:2");
    /// assert_eq!(failure.to_string(), "nothing to vary");
    /// ```
    pub fn usage_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Usage {
            code: None,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    /// One thing that is wrong with the model or the run.
    ///
    /// ```
    /// use ferrica::{failure::Failure, stages::report::{Diagnostic, Span}};
    /// let failure = Failure::model(Diagnostic::error("E0302", Span::NONE, "a package cannot be simulated"));
    /// assert_eq!(failure.exit_code(), 1);
    /// ```
    pub fn model(diagnostic: Diagnostic) -> Failure {
        Failure::Model(vec![diagnostic])
    }

    /// A file could not be read or written: its name and why.
    ///
    /// ```
    /// use ferrica::failure::Failure;
    /// let error = std::fs::read("nowhere").unwrap_err();
    /// assert!(Failure::io("nowhere", &error).to_string().starts_with("nowhere: "));
    /// ```
    pub fn io(what: impl std::fmt::Display, error: &io::Error) -> Failure {
        Failure::Io(format!("{what}: {error}"))
    }

    /// A file that was asked for cannot be made.
    ///
    /// ```
    /// use ferrica::failure::Failure;
    /// assert!(matches!(Failure::unwritten(&"disk full"), Failure::Model(told) if told[0].code == "E0701"));
    /// ```
    pub fn unwritten(error: &impl std::fmt::Display) -> Failure {
        Failure::model(Diagnostic::error("E0701", Span::NONE, error.to_string()))
    }

    /// The exit code of a command that ends like this.
    ///
    /// ```
    /// use ferrica::failure::Failure;
    /// assert_eq!(Failure::Answered.exit_code(), 1);
    /// ```
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage { .. } => 2,
            Failure::Model(_) | Failure::Answered | Failure::Io(_) => 1,
        }
    }
}
