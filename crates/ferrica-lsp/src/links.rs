//! Document links: `modelica://` addresses in strings, and the classes of extends clauses.

use std::path::PathBuf;

use ferrica_classes::{ClassId, Library, Resource};
use ferrica_flat::Query;
use ferrica_ir::FileId;
use ferrica_syntax::ast::ElementKind;
use ferrica_syntax::parse;
use ferrica_syntax::token::TokenKind;
use lsp_types::DocumentLink;

use crate::analysis::Analysis;
use crate::documents::{Document, uri_of};

const SCHEME: &str = "modelica://";

pub fn links(document: &Document, analysis: &Analysis) -> Vec<DocumentLink> {
    let text = &document.text;
    let library = &analysis.library;
    let mut out = Vec::new();
    let mut link = |start: usize, end: usize, file: Option<PathBuf>, tooltip: String| {
        let target = file.filter(|f| f.exists()).and_then(|f| uri_of(&f));
        if target.is_some() {
            out.push(DocumentLink {
                range: text.range(start, end),
                target,
                tooltip: Some(tooltip),
                data: None,
            });
        }
    };
    let parsed = parse(FileId(0), &text.content);
    for (k, token) in parsed.tokens.iter().enumerate() {
        if token.kind != TokenKind::Str {
            continue;
        }
        let string = parsed.token_text(k);
        for (at, _) in string.match_indices(SCHEME) {
            let ends =
                |c: char| c.is_whitespace() || matches!(c, '"' | '\\' | '<' | '>' | '\'' | ')');
            let length = string[at..].find(ends).unwrap_or(string.len() - at);
            let address = &string[at..at + length];
            let start = token.start as usize + at;
            link(
                start,
                start + length,
                target(library, address),
                address.to_string(),
            );
        }
    }
    let mut query = Query::new(library);
    for class in analysis.all_classes() {
        for element in library.def(class).elements() {
            let ElementKind::Extends(extends) = &element.kind else {
                continue;
            };
            let name = &extends.name;
            let found = query.resolve(Some(class), name.global, &name.parts);
            if let Some(base) = found.and_then(|d| d.class) {
                let (start, end) = (name.span.start as usize, name.span.end as usize);
                link(start, end, file_of(library, base), library.full_name(base));
            }
        }
    }
    out
}

/// The file of a class, or the resource itself.
fn target(library: &Library, address: &str) -> Option<PathBuf> {
    let address = address.split('#').next()?;
    let rest = address.strip_prefix(SCHEME)?;
    if !rest.contains('/') {
        return file_of(library, library.find(rest)?);
    }
    match library.resolve_uri(address)? {
        Resource::File(path) => Some(path),
        Resource::Embedded(_) => None,
    }
}

fn file_of(library: &Library, class: ClassId) -> Option<PathBuf> {
    let source = library.sources().get(library.def(class).name_span.file)?;
    Some(PathBuf::from(&source.name))
}
