//! Hover, and go to the definition or the type of what is under the cursor.

use std::path::Path;

use ferrica_flat::{Declaration, Query};
use ferrica_ir::Span;
use lsp_types::{Hover, HoverContents, Location, MarkupContent, MarkupKind};

use crate::analysis::Analysis;
use crate::cursor::{modifier_at, name_at};
use crate::documents::{Document, uri_of};
use crate::markdown;
use crate::position::{Encoding, Text};

/// What the name at a byte is declared as.
pub fn declaration_at(
    document: &Document,
    analysis: &Analysis,
    offset: usize,
) -> Option<Declaration> {
    let word = name_at(&document.text.content, offset)?;
    let class = analysis.class_at(offset);
    let mut query = Query::new(&analysis.library);
    let modified = class.and_then(|c| {
        let (of, path) = modifier_at(analysis.library.def(c), offset, &word)?;
        query.resolve_member(c, &of, &path)
    });
    modified.or_else(|| query.resolve(class, word.global, &word.path))
}

pub fn hover(document: &Document, analysis: &Analysis, offset: usize) -> Option<Hover> {
    let word = name_at(&document.text.content, offset)?;
    let found = declaration_at(document, analysis, offset)?;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: markdown::declaration(&found, &analysis.library),
        }),
        range: Some(document.text.range(word.start, word.end)),
    })
}

/// Where the name is declared.
pub fn definition(
    document: &Document,
    analysis: &Analysis,
    offset: usize,
    encoding: Encoding,
) -> Option<Location> {
    let found = declaration_at(document, analysis, offset)?;
    location(document, analysis, found.span, encoding)
}

/// Where the class of the component under the cursor is declared.
pub fn type_definition(
    document: &Document,
    analysis: &Analysis,
    offset: usize,
    encoding: Encoding,
) -> Option<Location> {
    let class = declaration_at(document, analysis, offset)?.class?;
    location(
        document,
        analysis,
        analysis.library.def(class).name_span,
        encoding,
    )
}

/// A place in the open text or in a file of a library; the built-in library has no file to go to.
fn location(
    document: &Document,
    analysis: &Analysis,
    span: Span,
    encoding: Encoding,
) -> Option<Location> {
    let (start, end) = (span.start as usize, span.end as usize);
    if span.file == analysis.file {
        let uri = uri_of(&document.path)?;
        return Some(Location::new(uri, document.text.range(start, end)));
    }
    let source = analysis.library.sources().get(span.file)?;
    let path = Path::new(&source.name);
    if !path.is_file() {
        return None;
    }
    let text = Text::new(source.text.to_string(), encoding);
    Some(Location::new(uri_of(path)?, text.range(start, end)))
}
