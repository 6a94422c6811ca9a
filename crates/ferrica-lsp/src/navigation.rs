//! Go to the definition, the declaration, the type or the base class of what is under the cursor, and mark its occurrences.

use std::path::Path;

use ferrica_flat::Declaration;
use ferrica_ir::{Span, Symbol};
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location};

use crate::analysis::Analysis;
use crate::documents::{Document, uri_of};
use crate::occurrences::{Occurrence, Role, occurrences};
use crate::position::{Encoding, Text};
use crate::resolver::Resolver;

/// The identifier at a byte.
pub fn occurrence_at(
    document: &Document,
    analysis: &Analysis,
    offset: usize,
) -> Option<(Occurrence, Symbol)> {
    let text = &document.text.content;
    let all = occurrences(&analysis.library, &analysis.classes, text);
    let found = all.into_iter().find(|o| o.has(offset))?;
    let name = Symbol::intern(&text[found.start as usize..found.end as usize]);
    Some((found, name))
}

/// What the name at a byte is declared as.
pub fn declaration_at(
    document: &Document,
    analysis: &Analysis,
    offset: usize,
) -> Option<Declaration> {
    let (at, name) = occurrence_at(document, analysis, offset)?;
    Resolver::new(&analysis.library).resolve(&at, name)
}

/// Where the name is declared.
pub fn definition(document: &Document, analysis: &Analysis, offset: usize) -> Option<Location> {
    let found = declaration_at(document, analysis, offset)?;
    location(document, analysis, found.span)
}

/// Where it was declared first: what a redeclaration takes the place of.
pub fn declaration(document: &Document, analysis: &Analysis, offset: usize) -> Option<Location> {
    let (at, name) = occurrence_at(document, analysis, offset)?;
    let mut resolver = Resolver::new(&analysis.library);
    let found = match resolver.original(&at, name) {
        Some(original) => original,
        None => resolver.resolve(&at, name)?,
    };
    location(document, analysis, found.span)
}

/// Where the class of the component under the cursor is declared.
pub fn type_definition(
    document: &Document,
    analysis: &Analysis,
    offset: usize,
) -> Option<Location> {
    let class = declaration_at(document, analysis, offset)?.class?;
    location(document, analysis, analysis.library.def(class).name_span)
}

/// The classes that the class under the cursor extends, or that the class of the component does.
pub fn bases(document: &Document, analysis: &Analysis, offset: usize) -> Vec<Location> {
    let (at, name) = match occurrence_at(document, analysis, offset) {
        Some(found) => found,
        None => return Vec::new(),
    };
    let mut resolver = Resolver::new(&analysis.library);
    let Some(class) = resolver.resolve(&at, name).and_then(|d| d.class) else {
        return Vec::new();
    };
    let bases = resolver.query.bases(class);
    let spans = bases.into_iter().map(|b| analysis.library.def(b).name_span);
    spans
        .filter_map(|span| location(document, analysis, span))
        .collect()
}

/// The same name elsewhere in the text.
pub fn highlights(
    document: &Document,
    analysis: &Analysis,
    offset: usize,
) -> Vec<DocumentHighlight> {
    let text = &document.text.content;
    let all = occurrences(&analysis.library, &analysis.classes, text);
    let name_of = |o: &Occurrence| Symbol::intern(&text[o.start as usize..o.end as usize]);
    let mut resolver = Resolver::new(&analysis.library);
    let Some(at) = all.iter().find(|o| o.has(offset)) else {
        return Vec::new();
    };
    let wanted = resolver.resolve(at, name_of(at)).map(|d| d.span);
    let name = name_of(at);
    let same = all.iter().filter(|o| name_of(o) == name);
    let mut out = Vec::new();
    for o in same {
        if wanted.is_some() && resolver.resolve(o, name).map(|d| d.span) == wanted {
            let declares = matches!(o.role, Role::Declares(_) | Role::Redeclares(_));
            out.push(DocumentHighlight {
                range: document.text.range(o.start as usize, o.end as usize),
                kind: Some(match declares {
                    true => DocumentHighlightKind::WRITE,
                    false => DocumentHighlightKind::READ,
                }),
            });
        }
    }
    out
}

/// A place in the open text or in a file of a library; the built-in library has no file to go to.
pub fn location(document: &Document, analysis: &Analysis, span: Span) -> Option<Location> {
    let (start, end) = (span.start as usize, span.end as usize);
    if span.file == analysis.file {
        let uri = document.uri.clone();
        return Some(Location::new(uri, document.text.range(start, end)));
    }
    file_location(analysis, span, document.text.encoding())
}

/// A place in a file on disk.
pub fn file_location(analysis: &Analysis, span: Span, encoding: Encoding) -> Option<Location> {
    let source = analysis.library.sources().get(span.file)?;
    let path = Path::new(&source.name);
    if !path.is_file() {
        return None;
    }
    let text = Text::new(source.text.to_string(), encoding);
    let range = text.range(span.start as usize, span.end as usize);
    Some(Location::new(uri_of(path)?, range))
}
