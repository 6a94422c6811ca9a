//! Why a command did not do what it was asked to, and the exit code for it.

use std::io;

use ferrica_ir::{Diagnostic, Span};

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
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::Usage {
            code: None,
            message: message.into(),
            hint: None,
        }
    }

    /// What has a code of its own.
    pub fn coded(code: &'static str, message: impl Into<String>, hint: Option<String>) -> Failure {
        Failure::Usage {
            code: Some(code),
            message: message.into(),
            hint,
        }
    }

    pub fn usage_with_hint(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Usage {
            code: None,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    pub fn model(diagnostic: Diagnostic) -> Failure {
        Failure::Model(vec![diagnostic])
    }

    pub fn io(what: impl std::fmt::Display, error: &io::Error) -> Failure {
        Failure::Io(format!("{what}: {error}"))
    }

    /// A file that was asked for cannot be made.
    pub fn unwritten(error: &impl std::fmt::Display) -> Failure {
        Failure::model(Diagnostic::error("E0701", Span::NONE, error.to_string()))
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage { .. } => 2,
            Failure::Model(_) | Failure::Answered | Failure::Io(_) => 1,
        }
    }
}
