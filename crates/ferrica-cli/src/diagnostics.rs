//! Diagnostics as JSON, for editors and scripts.
//!
//! One object: `format` (`ferrica check 1`), `model` (a name, or null), `errors` and `warnings` (numbers), and `diagnostics`, each with
//! `severity`, `code`, `message`, `hint`, `place` and `related`. A place has `file`, `line`, `column`, `endLine` and
//! `endColumn`, all from 1, columns in characters; the end is behind the last character. New keys may come, none goes.

use ferrica::stages::report::{Diagnostic, Severity, SourceMap, Span};
use serde_json::{Value, json};

fn place(sources: &SourceMap, span: Span) -> Value {
    let Some((file, start)) = sources.line_col(span) else {
        return Value::Null;
    };
    let end = sources.line_col(Span::new(span.file, span.end, span.end));
    let end = end.map_or(start, |(_, at)| at);
    json!({
        "file": file.name,
        "line": start.line,
        "column": start.col,
        "endLine": end.line,
        "endColumn": end.col,
    })
}

fn diagnostic(sources: &SourceMap, d: &Diagnostic) -> Value {
    let related = d.related.iter().map(|(span, label)| {
        let mut at = place(sources, *span);
        if let Some(map) = at.as_object_mut() {
            map.insert("label".to_owned(), label.as_str().into());
        }
        at
    });
    json!({
        "severity": match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "code": d.code,
        "message": d.message,
        "hint": d.hint,
        "place": place(sources, d.span),
        "related": related.filter(|at| !at.is_null()).collect::<Vec<_>>(),
    })
}

/// The whole answer.
pub fn to_json(model: Option<&str>, list: &[Diagnostic], sources: &SourceMap) -> String {
    let count = |s: Severity| list.iter().filter(|d| d.severity == s).count();
    let answer = json!({
        "format": "ferrica check 1",
        "model": model,
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "diagnostics": list.iter().map(|d| diagnostic(sources, d)).collect::<Vec<_>>(),
    });
    format!("{answer:#}\n")
}
