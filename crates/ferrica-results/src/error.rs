//! What can go wrong with a result file, in words for the user.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub enum ResultError {
    /// The operating system refused.
    Io { path: PathBuf, source: io::Error },
    /// The bytes are not what the format promises, or the name does not fit.
    Format { path: PathBuf, what: String },
}

impl ResultError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        ResultError::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn format(path: &Path, what: impl Into<String>) -> Self {
        ResultError::Format {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}

impl fmt::Display for ResultError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResultError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            ResultError::Format { path, what } => write!(f, "{}: {what}", path.display()),
        }
    }
}

impl std::error::Error for ResultError {}
