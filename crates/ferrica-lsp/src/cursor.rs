//! What stands at a place of a text: a dotted name, and whether it is one in a modifier.

use ferrica_ir::{FileId, Symbol};
use ferrica_syntax::ast::{Argument, ClassDef, ElementKind, Modification, Name};
use ferrica_syntax::parse;
use ferrica_syntax::token::TokenKind;

use crate::analysis::contains;

/// A dotted name up to the identifier under the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DottedName {
    pub global: bool,
    pub path: Vec<Symbol>,
    /// Bytes of the identifier under the cursor.
    pub start: usize,
    pub end: usize,
}

/// The name at a byte, read backwards over dots and subscripts.
pub fn name_at(text: &str, offset: usize) -> Option<DottedName> {
    let parsed = parse(FileId(0), text);
    let end_of = |i: usize| {
        parsed
            .tokens
            .get(i + 1)
            .map_or(text.len(), |t| t.start as usize)
    };
    let at = (0..parsed.tokens.len()).find(|&i| {
        let token = parsed.tokens[i];
        token.kind == TokenKind::Ident && (token.start as usize..=end_of(i)).contains(&offset)
    })?;
    let (global, mut path) = before(&parsed, at);
    path.push(Symbol::intern(parsed.token_text(at)));
    Some(DottedName {
        global,
        path,
        start: parsed.tokens[at].start as usize,
        end: end_of(at),
    })
}

/// What is being completed at a byte: the names in front of the last dot, and what is written of the next.
pub fn completion_at(text: &str, offset: usize) -> DottedName {
    // A word of its own at the cursor makes the text behind it irrelevant.
    let written: String = text[..offset]
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let start = offset - written.len();
    let front = format!("{}x", &text[..start]);
    let parsed = parse(FileId(0), &front);
    let at = parsed
        .tokens
        .iter()
        .rposition(|t| t.kind == TokenKind::Ident && t.start as usize == start);
    let (global, path) = at.map_or((false, Vec::new()), |at| before(&parsed, at));
    DottedName {
        global,
        path,
        start,
        end: offset,
    }
}

/// The identifiers before token `at` that belong to its name.
fn before(parsed: &ferrica_syntax::Parsed<'_>, at: usize) -> (bool, Vec<Symbol>) {
    let words: Vec<usize> = (0..at)
        .filter(|&i| !parsed.tokens[i].kind.is_trivia())
        .collect();
    let kind = |k: usize| parsed.tokens[words[k]].kind;
    let mut path = Vec::new();
    let mut k = words.len();
    while k > 0 && kind(k - 1) == TokenKind::Dot {
        k -= 1;
        // Subscripts between the names: a[i].b
        while k > 0 && kind(k - 1) == TokenKind::RBracket {
            let mut depth = 0_u32;
            while k > 0 {
                k -= 1;
                match kind(k) {
                    TokenKind::RBracket => depth += 1,
                    TokenKind::LBracket => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        if k == 0 || kind(k - 1) != TokenKind::Ident {
            path.reverse();
            return (true, path);
        }
        k -= 1;
        path.push(Symbol::intern(parsed.token_text(words[k])));
    }
    path.reverse();
    (false, path)
}

/// A name in the modifiers of a component or an extends clause: the type it modifies, and the path inside.
pub fn modifier_at(
    def: &ClassDef,
    offset: usize,
    word: &DottedName,
) -> Option<(Name, Vec<Symbol>)> {
    for element in def.elements().iter().filter(|e| contains(e.span, offset)) {
        let (name, modification) = match &element.kind {
            ElementKind::Component(c) => (&c.type_name, c.modification.as_ref()),
            ElementKind::Extends(e) => (&e.name, e.modification.as_ref()),
            _ => continue,
        };
        let path = modification.and_then(|m| inside(m, offset, word));
        if let Some(path) = path {
            return Some((name.clone(), path));
        }
    }
    None
}

fn inside(modification: &Modification, offset: usize, word: &DottedName) -> Option<Vec<Symbol>> {
    for argument in &modification.args {
        let Argument::Modifier(m) = argument else {
            continue;
        };
        if !contains(m.span, offset) {
            continue;
        }
        // `each` and `final` stand in front of the name.
        let value = m.modification.as_ref().map_or(m.span.end, |m| m.span.start) as usize;
        if word.end <= value {
            let path: Vec<Symbol> = m.path.iter().copied().take(word.path.len()).collect();
            return (path == word.path).then_some(path);
        }
        let inner = m
            .modification
            .as_ref()
            .and_then(|inner| inside(inner, offset, word))?;
        return Some(m.path.iter().copied().chain(inner).collect());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(name: &DottedName) -> Vec<&'static str> {
        name.path.iter().map(|s| s.as_str()).collect()
    }

    #[test]
    fn names_are_read_backwards() {
        let text = "model M Real x = a.b[i + 1].c.d + .P.q; end M;";
        let at = |word: &str| name_at(text, text.find(word).unwrap() + 1).unwrap();
        assert_eq!(texts(&at("c.d")), ["a", "b", "c"]);
        assert_eq!(texts(&at("i +")), ["i"]);
        assert_eq!((at("q;").global, texts(&at("q;"))), (true, vec!["P", "q"]));
    }

    #[test]
    fn completion_ignores_what_follows() {
        let text = "model M\n  Modelica.Blo\nequation\n  x = ;\nend M;";
        let found = completion_at(text, text.find("Blo").unwrap() + 3);
        assert_eq!(texts(&found), ["Modelica"]);
        assert_eq!(&text[found.start..found.end], "Blo");
    }
}
