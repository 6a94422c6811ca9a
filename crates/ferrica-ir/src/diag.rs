//! Source places and diagnostics.
//!
//! A diagnostic says what is wrong, where, why and what to try. Codes are stable and documented:
//! `E01xx` syntax, `E02xx` classes and lookup, `E03xx` flattening, types and balance, `E04xx`
//! structure, `E05xx` initialization, `E06xx` simulation, `E07xx` results and usage; `W…` warnings
//! in the same ranges.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, RwLock};

/// A source file known to a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// A byte range in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The place of things that have no source text.
    pub const NONE: Span = Span {
        file: FileId(u32::MAX),
        start: 0,
        end: 0,
    };

    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    pub fn is_none(self) -> bool {
        self.file.0 == u32::MAX
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            return other;
        }
        if other.is_none() || other.file != self.file {
            return self;
        }
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

impl Default for Span {
    fn default() -> Span {
        Span::NONE
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// One message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable code such as `E0201`.
    pub code: &'static str,
    pub message: String,
    pub span: Span,
    /// Further places with a short label each (for example the declaration).
    pub related: Vec<(Span, String)>,
    /// What to try.
    pub hint: Option<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            related: Vec::new(),
            hint: None,
        }
    }

    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    pub fn with_related(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        if !span.is_none() {
            self.related.push((span, label.into()));
        }
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{kind}[{}]: {}", self.code, self.message)
    }
}

/// A source text with its name.
#[derive(Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: Arc<str>,
}

/// All source texts of a compilation, shared between threads; with texts of libraries that several compilations share below them.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: RwLock<Vec<Option<Arc<SourceFile>>>>,
    /// Texts whose ids have the bit [`SHARED`].
    below: Option<Arc<SourceMap>>,
    first: u32,
}

/// Set in the ids of texts that several compilations share.
const SHARED: u32 = 1 << 31;

/// A line and column, both from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineCol {
    pub line: u32,
    pub col: u32,
}

impl SourceMap {
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// For texts that several compilations share.
    pub fn shared() -> SourceMap {
        SourceMap {
            first: SHARED,
            ..SourceMap::default()
        }
    }

    /// The texts of one compilation, over shared ones.
    pub fn over(shared: Arc<SourceMap>) -> SourceMap {
        SourceMap {
            below: Some(shared),
            ..SourceMap::default()
        }
    }

    /// Drops a text that nobody asks for any more; its id is not used again.
    pub fn forget(&self, file: FileId) {
        let mut files = self.files.write().unwrap_or_else(|e| e.into_inner());
        let slot = file.0.checked_sub(self.first);
        if let Some(slot) = slot.and_then(|k| files.get_mut(k as usize)) {
            *slot = None;
        }
    }

    pub fn add(&self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let mut files = self.files.write().unwrap_or_else(|e| e.into_inner());
        files.push(Some(Arc::new(SourceFile {
            name: name.into(),
            text: text.into(),
        })));
        FileId(self.first + files.len() as u32 - 1)
    }

    /// Names and texts of all files of its own.
    pub fn texts(&self) -> Vec<(String, Arc<str>)> {
        let files = self.files.read().unwrap_or_else(|e| e.into_inner());
        let pair = |f: &Arc<SourceFile>| (f.name.clone(), f.text.clone());
        files.iter().flatten().map(pair).collect()
    }

    pub fn get(&self, file: FileId) -> Option<Arc<SourceFile>> {
        if let Some(below) = &self.below
            && file.0 & SHARED != 0
        {
            return below.get(file);
        }
        let slot = file.0.checked_sub(self.first)?;
        let files = self.files.read().unwrap_or_else(|e| e.into_inner());
        files.get(slot as usize).cloned().flatten()
    }

    /// Names of all texts, in the order in which they were added.
    pub fn names(&self) -> Vec<String> {
        let files = self.files.read().unwrap_or_else(|e| e.into_inner());
        files.iter().flatten().map(|f| f.name.clone()).collect()
    }

    pub fn line_col(&self, span: Span) -> Option<(Arc<SourceFile>, LineCol)> {
        let file = self.get(span.file)?;
        let start = (span.start as usize).min(file.text.len());
        let before = &file.text.as_bytes()[..start];
        let line = before.iter().filter(|&&b| b == b'\n').count() as u32 + 1;
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |p| p + 1);
        let col = String::from_utf8_lossy(&before[line_start..])
            .chars()
            .count() as u32
            + 1;
        Some((file, LineCol { line, col }))
    }

    /// The diagnostic with place, excerpt, caret and hint, as plain text.
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        let mut out = format!("{diagnostic}\n");
        let related = &diagnostic.related;
        let first = related
            .iter()
            .position(|(span, _)| *span == diagnostic.span);
        let label = first.map_or("", |k| &related[k].1);
        self.render_place(&mut out, diagnostic.span, label);
        for (k, (span, label)) in related.iter().enumerate() {
            if Some(k) != first {
                self.render_place(&mut out, *span, label);
            }
        }
        if let Some(hint) = &diagnostic.hint {
            out.push_str(&format!("  help: {hint}\n"));
        }
        out
    }

    fn render_place(&self, out: &mut String, span: Span, label: &str) {
        let Some((file, at)) = self.line_col(span) else {
            return;
        };
        let start = (span.start as usize).min(file.text.len());
        let line_start = file.text.as_bytes()[..start]
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |p| p + 1);
        let line_end = file.text.as_bytes()[start..]
            .iter()
            .position(|&b| b == b'\n')
            .map_or(file.text.len(), |p| start + p);
        let line = String::from_utf8_lossy(&file.text.as_bytes()[line_start..line_end]);
        let line = line.trim_end();
        let width = (span.end.min(line_end as u32).saturating_sub(span.start)).max(1) as usize;
        let number = at.line.to_string();
        let gutter = " ".repeat(number.len());
        let pad: String = line
            .chars()
            .take(at.col as usize - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        out.push_str(&format!(
            "{gutter}--> {}:{}:{}\n",
            file.name, at.line, at.col
        ));
        out.push_str(&format!(
            "{gutter} |\n{number} | {line}\n{gutter} | {pad}{}",
            "^".repeat(width)
        ));
        if !label.is_empty() {
            out.push_str(&format!(" {label}"));
        }
        out.push('\n');
    }
}
