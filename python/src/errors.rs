//! Errors of the library as Python's exceptions.

use ferrica::failure::Failure;
use ferrica::{Diagnostic, Error, ErrorKind};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Flag, code, message, file, line, column, hint, text: the fields of `ferrica.Diagnostic`.
pub type Message = (
    bool,
    &'static str,
    String,
    Option<String>,
    Option<u32>,
    Option<u32>,
    Option<String>,
    String,
);

pub fn messages(list: &[Diagnostic]) -> Vec<Message> {
    let of = |d: &Diagnostic| {
        (
            d.is_error,
            d.code,
            d.message.clone(),
            d.file.clone(),
            d.line,
            d.column,
            d.hint.clone(),
            d.text.clone(),
        )
    };
    list.iter().map(of).collect()
}

/// The exception for an error.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let kind = match error.kind() {
        ErrorKind::Model => "model",
        ErrorKind::Run => "run",
        ErrorKind::UnknownName => "unknown",
        ErrorKind::Usage => "usage",
        ErrorKind::Io => "io",
        ErrorKind::Interrupted => "interrupted",
    };
    let made = py
        .import("ferrica._errors")
        .and_then(|module| module.getattr("_make"))
        .and_then(|make| make.call1((kind, messages(error.diagnostics()))));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

/// For results inside of Python's lock.
pub trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| exception(py, &e))
    }
}

/// The exception for what the library says of flags and values.
pub fn usage(py: Python<'_>, failure: Failure) -> PyErr {
    let (code, message, hint) = match failure {
        Failure::Usage {
            code,
            message,
            hint,
        } => (code, message, hint),
        other => (None, other.to_string(), None),
    };
    let made = py
        .import("ferrica._errors")
        .and_then(|module| module.getattr("_usage"))
        .and_then(|make| make.call1((code.unwrap_or("E0730"), message, hint)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(e) => e,
    }
}
