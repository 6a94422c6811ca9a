//! The structure of a text: outline and folding, from the syntax tree alone.

use ferrica_ir::FileId;
use ferrica_syntax::ast::{ClassDef, ClassKind, ElementKind, Variability};
use ferrica_syntax::parse;
use ferrica_syntax::token::TokenKind;
use lsp_types::{DocumentSymbol, FoldingRange, FoldingRangeKind, SymbolKind};

use crate::documents::Document;
use crate::position::Text;

/// Classes and components, as a tree.
pub fn symbols(document: &Document) -> Vec<DocumentSymbol> {
    let text = &document.text;
    let parsed = parse(FileId(0), &text.content);
    parsed
        .ast
        .classes
        .iter()
        .map(|c| of_class(c, text))
        .collect()
}

fn of_class(def: &ClassDef, text: &Text) -> DocumentSymbol {
    let inside = def.elements().iter().filter_map(|e| match &e.kind {
        ElementKind::Class(c) => Some(of_class(c, text)),
        ElementKind::Component(c) => {
            let kind = match c.prefixes.variability {
                Some(Variability::Constant | Variability::Parameter) => SymbolKind::CONSTANT,
                _ => SymbolKind::FIELD,
            };
            let name = (c.name_span.start as usize, c.name_span.end as usize);
            let whole = (e.span.start as usize, e.span.end as usize);
            Some(symbol(
                c.name.as_str(),
                Some(c.type_name.to_string()),
                kind,
                whole,
                name,
                text,
            ))
        }
        ElementKind::Import(_) | ElementKind::Extends(_) => None,
    });
    let children: Vec<DocumentSymbol> = inside.collect();
    let kind = kind(def.kind);
    let detail = def.comment.as_deref().map(str::to_string);
    let name = (def.name_span.start as usize, def.name_span.end as usize);
    let whole = (def.span.start as usize, def.span.end as usize);
    DocumentSymbol {
        children: (!children.is_empty()).then_some(children),
        ..symbol(def.name.as_str(), detail, kind, whole, name, text)
    }
}

/// The kind of a class as the protocol has it.
pub fn kind(of: ClassKind) -> SymbolKind {
    match of {
        ClassKind::Package => SymbolKind::PACKAGE,
        ClassKind::Function | ClassKind::OperatorFunction => SymbolKind::FUNCTION,
        ClassKind::Connector | ClassKind::ExpandableConnector => SymbolKind::INTERFACE,
        ClassKind::Record | ClassKind::OperatorRecord => SymbolKind::STRUCT,
        ClassKind::Operator => SymbolKind::OPERATOR,
        _ => SymbolKind::CLASS,
    }
}

fn symbol(
    name: &str,
    detail: Option<String>,
    kind: SymbolKind,
    whole: (usize, usize),
    at: (usize, usize),
    text: &Text,
) -> DocumentSymbol {
    #[allow(deprecated, reason = "the type has no other constructor")]
    DocumentSymbol {
        name: name.to_string(),
        detail,
        kind,
        tags: None,
        deprecated: None,
        range: text.range(whole.0.min(at.0), whole.1.max(at.1)),
        selection_range: text.range(at.0, at.1),
        children: None,
    }
}

/// Classes, annotations and long comments of more than one line.
pub fn folds(document: &Document) -> Vec<FoldingRange> {
    let text = &document.text;
    let parsed = parse(FileId(0), &text.content);
    let mut ranges: Vec<(usize, usize, Option<FoldingRangeKind>)> = Vec::new();
    let mut classes: Vec<&ClassDef> = parsed.ast.classes.iter().map(AsRef::as_ref).collect();
    while let Some(def) = classes.pop() {
        ranges.push((def.span.start as usize, def.span.end as usize, None));
        classes.extend(def.elements().iter().filter_map(|e| match &e.kind {
            ElementKind::Class(c) => Some(c.as_ref()),
            _ => None,
        }));
        if let Some(annotation) = &def.annotation {
            ranges.push((
                annotation.span.start as usize,
                annotation.span.end as usize,
                None,
            ));
        }
    }
    for (i, token) in parsed.tokens.iter().enumerate() {
        if token.kind == TokenKind::BlockComment {
            let start = token.start as usize;
            let end = start + parsed.token_text(i).len();
            ranges.push((start, end, Some(FoldingRangeKind::Comment)));
        }
    }
    let folds = ranges.into_iter().filter_map(|(start, end, kind)| {
        let (start, end) = (text.position(start).line, text.position(end).line);
        (end > start).then_some(FoldingRange {
            start_line: start,
            end_line: end,
            kind,
            ..FoldingRange::default()
        })
    });
    folds.collect()
}
