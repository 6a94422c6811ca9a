//! Semantic tokens: keywords, strings, numbers, comments and operators from the lexer; types, functions and parameters from the tree.

use ferrica_ir::{FileId, Span};
use ferrica_syntax::ast::{ClassDef, ElementKind, Name, Variability};
use ferrica_syntax::parse;
use ferrica_syntax::token::TokenKind;
use lsp_types::{SemanticToken, SemanticTokenType};
use rustc_hash::FxHashMap;

use crate::documents::Document;

/// The kinds, in the order of their numbers.
pub const LEGEND: [SemanticTokenType; 8] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::COMMENT,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::TYPE,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
];

const KEYWORD: u32 = 0;
const STRING: u32 = 1;
const NUMBER: u32 = 2;
const COMMENT: u32 = 3;
const OPERATOR: u32 = 4;
const TYPE: u32 = 5;
const VARIABLE: u32 = 6;
const PARAMETER: u32 = 7;

pub fn tokens(document: &Document) -> Vec<SemanticToken> {
    let text = &document.text;
    let parsed = parse(FileId(0), &text.content);
    let mut declared: FxHashMap<u32, u32> = FxHashMap::default();
    let mut types: Vec<Span> = Vec::new();
    let mut classes: Vec<&ClassDef> = parsed.ast.classes.iter().map(AsRef::as_ref).collect();
    while let Some(def) = classes.pop() {
        declared.insert(def.name_span.start, TYPE);
        let mut of_type = |name: &Name| types.push(name.span);
        for element in def.elements() {
            match &element.kind {
                ElementKind::Class(c) => classes.push(c),
                ElementKind::Extends(e) => of_type(&e.name),
                ElementKind::Component(c) => {
                    of_type(&c.type_name);
                    let constant = matches!(
                        c.prefixes.variability,
                        Some(Variability::Constant | Variability::Parameter)
                    );
                    let kind = if constant { PARAMETER } else { VARIABLE };
                    declared.insert(c.name_span.start, kind);
                }
                ElementKind::Import(_) => {}
            }
        }
    }
    types.sort_by_key(|s| s.start);
    let in_type = |at: u32| {
        let next = types.partition_point(|s| s.start <= at);
        next > 0 && at < types[next - 1].end
    };
    let mut out = Vec::new();
    let (mut line, mut column) = (0, 0);
    for (i, token) in parsed.tokens.iter().enumerate() {
        let kind = match token.kind {
            TokenKind::Whitespace | TokenKind::Eof | TokenKind::Unknown => continue,
            TokenKind::LineComment | TokenKind::BlockComment => COMMENT,
            TokenKind::Str => STRING,
            TokenKind::Int | TokenKind::Real => NUMBER,
            TokenKind::Ident => match declared.get(&token.start) {
                Some(&kind) => kind,
                None if in_type(token.start) => TYPE,
                None => VARIABLE,
            },
            kind if kind.is_keyword() => KEYWORD,
            _ => OPERATOR,
        };
        // A token of several lines is told line by line.
        let mut start = token.start as usize;
        for piece in parsed.token_text(i).split_inclusive('\n') {
            let end = start + piece.trim_end_matches(['\r', '\n']).len();
            let (from, to) = (text.position(start), text.position(end));
            if to.character > from.character {
                let same = from.line == line;
                out.push(SemanticToken {
                    delta_line: from.line - line,
                    delta_start: if same {
                        from.character - column
                    } else {
                        from.character
                    },
                    length: to.character - from.character,
                    token_type: kind,
                    token_modifiers_bitset: 0,
                });
                (line, column) = (from.line, from.character);
            }
            start += piece.len();
        }
    }
    out
}
