//! What is wrong with a text: syntax at once, everything that `ferrica check` finds after a pause.
//!
//! The checks run on a thread of their own, always on the newest text; a text that has changed meanwhile is not reported on.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use ferrica::{Diagnostic as Message, Model};
use ferrica_ir::SourceMap;
use ferrica_syntax::ast::ClassKind;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri,
};

use crate::analysis::Analysis;
use crate::documents::{Document, path_of, uri_of};
use crate::position::{Encoding, Text};

/// How long the text must rest before it is checked.
const PAUSE: Duration = Duration::from_millis(150);
/// Checks of one text stop here; the classes that are left wait for its next rest.
const LONGEST: Duration = Duration::from_secs(5);

/// A text to check.
pub struct Job {
    pub uri: Uri,
    pub version: i32,
    pub text: String,
    pub encoding: Encoding,
    pub libs: Vec<PathBuf>,
}

/// Checks the newest of the jobs that have come, one after the other; `publish` takes the messages.
pub fn work(jobs: &Receiver<Job>, publish: impl Fn(&Uri, i32, Vec<Diagnostic>)) {
    while let Ok(mut job) = jobs.recv() {
        loop {
            match jobs.recv_timeout(PAUSE) {
                Ok(newer) => {
                    if newer.uri != job.uri {
                        publish(&job.uri, job.version, check(&job));
                    }
                    job = newer;
                }
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        publish(&job.uri, job.version, check(&job));
    }
}

/// Mistakes of syntax alone.
pub fn syntax(document: &Document) -> Vec<Diagnostic> {
    let sources = SourceMap::new();
    let text = &document.text.content;
    let file = sources.add(document.path.display().to_string(), text.as_str());
    let parsed = ferrica_syntax::parse(file, text);
    let errors = parsed.errors.iter();
    errors
        .map(|e| Diagnostic {
            range: document
                .text
                .range(e.span.start as usize, e.span.end as usize),
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String(e.code.to_string())),
            source: Some("ferrica".into()),
            message: with_hint(&e.message, e.hint.as_deref()),
            ..Diagnostic::default()
        })
        .collect()
}

fn with_hint(message: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{message}\nhelp: {hint}"),
        None => message.to_string(),
    }
}

/// All that `ferrica check` says of the models that the text declares.
fn check(job: &Job) -> Vec<Diagnostic> {
    let text = Text::new(job.text.clone(), job.encoding);
    let document = Document {
        text,
        version: job.version,
        path: path_of(&job.uri),
    };
    let mut found = syntax(&document);
    if !found.is_empty() {
        return found;
    }
    let analysis = Analysis::new(&document, &job.libs);
    let name = document.path.display().to_string();
    let clock = Instant::now();
    for class in analysis.all_classes() {
        let def = analysis.library.def(class);
        let runs = matches!(
            def.kind,
            ClassKind::Model | ClassKind::Block | ClassKind::Class
        );
        if !runs || def.partial || clock.elapsed() > LONGEST {
            continue;
        }
        let mut builder = Model::builder()
            .file(&document.path)
            .text(job.text.as_str())
            .model(analysis.library.full_name(class));
        for lib in &job.libs {
            builder = builder.library(lib);
        }
        let at_name = document
            .text
            .range(def.name_span.start as usize, def.name_span.end as usize);
        for message in builder.check() {
            let shown = shown(&message, &name, &document, at_name);
            if !found.contains(&shown) {
                found.push(shown);
            }
        }
    }
    found
}

/// A message at its place in the text; one about another file is at the name of the class.
fn shown(
    message: &Message,
    name: &str,
    document: &Document,
    at_name: lsp_types::Range,
) -> Diagnostic {
    let here = message.file.as_deref() == Some(name);
    let range = match (message.line, message.column) {
        (Some(line), Some(column)) if here => word_at(&document.text, line, column),
        _ => at_name,
    };
    let related = message.related.iter().filter_map(|place| {
        let uri = uri_of(std::path::Path::new(&place.file))?;
        let start = lsp_types::Position::new(place.line - 1, place.column - 1);
        Some(DiagnosticRelatedInformation {
            location: Location::new(uri, lsp_types::Range::new(start, start)),
            message: place.label.clone(),
        })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range,
        severity: Some(if message.is_error {
            DiagnosticSeverity::ERROR
        } else {
            DiagnosticSeverity::WARNING
        }),
        code: Some(NumberOrString::String(message.code.to_string())),
        source: Some("ferrica".into()),
        message: with_hint(&message.message, message.hint.as_deref()),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// The word that begins at a line and column, both from 1, the column in characters.
fn word_at(text: &Text, line: u32, column: u32) -> lsp_types::Range {
    let start = text.offset(lsp_types::Position::new(line - 1, 0));
    let rest = &text.content[start..];
    let skip: usize = rest
        .chars()
        .take(column as usize - 1)
        .map(char::len_utf8)
        .sum();
    let word = &rest[skip.min(rest.len())..];
    let length = word
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .unwrap_or(word.len());
    text.range(start + skip, start + skip + length.max(1))
}
