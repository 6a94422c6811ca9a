//! What surrounds a place in a text that may be half written: the name that is being typed, and the parentheses that are open.
//!
//! Only the words in front of the cursor count, from the last `;` on, so that what follows may be broken. Linear in the text before.

use ferrica_ir::{FileId, Symbol};
use ferrica_syntax::lexer::Lexer;
use ferrica_syntax::token::TokenKind;

/// A dotted name up to the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DottedName {
    pub global: bool,
    /// The names in front of the last dot.
    pub path: Vec<Symbol>,
    /// Bytes of the identifier that is being written.
    pub start: usize,
    pub end: usize,
}

/// An open parenthesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    Annotation,
    /// Of this name, inside an annotation.
    AnnotationOf(Symbol),
    Connect,
    /// Modifiers of a type, or of a member of it.
    Modifier {
        global: bool,
        of: Vec<Symbol>,
        inside: Vec<Symbol>,
    },
    Call {
        global: bool,
        function: Vec<Symbol>,
    },
    Other,
}

#[derive(Clone, Debug, Default)]
pub struct Context {
    pub word: DottedName,
    /// From the outside to the inside.
    pub open: Vec<Open>,
    /// Commas behind the innermost parenthesis.
    pub commas: usize,
    /// The name in front of `=` in the argument that is being written.
    pub named: Option<Symbol>,
    /// The cursor is in a string.
    pub in_string: bool,
    /// In a comment, nothing is offered.
    pub in_comment: bool,
    /// Words of the first argument of `connect(`.
    pub first: Vec<Symbol>,
}

#[derive(Clone, Copy)]
struct Word<'t> {
    kind: TokenKind,
    text: &'t str,
    start: usize,
}

/// The words of a text but for white space and comments, and whether it ends inside of a comment.
fn words(text: &str) -> (Vec<Word<'_>>, bool) {
    let mut lexer = Lexer::new(FileId(0), text);
    let mut out: Vec<Word<'_>> = Vec::new();
    let mut last: Option<(TokenKind, usize)> = None;
    loop {
        let token = lexer.next_token();
        let at = token.start as usize;
        if let Some((kind, start)) = last
            && !kind.is_trivia()
        {
            let text = &text[start..at];
            out.push(Word { kind, text, start });
        }
        if token.kind == TokenKind::Eof {
            let open = match last {
                Some((TokenKind::LineComment, start)) => !text[start..].ends_with('\n'),
                Some((TokenKind::BlockComment, start)) => !text[start..].ends_with("*/"),
                _ => false,
            };
            return (out, open);
        }
        last = Some((token.kind, at));
    }
}

pub fn context_at(text: &str, offset: usize) -> Context {
    let (words, in_comment) = words(&text[..offset]);
    let mut context = Context {
        in_comment,
        ..Context::default()
    };
    let begin = words.iter().rposition(|w| {
        matches!(
            w.kind,
            TokenKind::Semicolon
                | TokenKind::Equation
                | TokenKind::Algorithm
                | TokenKind::Public
                | TokenKind::Protected
                | TokenKind::Then
                | TokenKind::Loop
        )
    });
    let statement = &words[begin.map_or(0, |k| k + 1)..];
    surroundings(statement, &mut context);
    context.word.end = offset;
    context.word.start = offset;
    if let Some(last) = words.last() {
        match last.kind {
            TokenKind::Str => {
                let closed =
                    last.text.len() > 1 && last.text.ends_with('"') && !last.text.ends_with("\\\"");
                context.in_string = !closed;
                if context.in_string {
                    context.word.start = last.start + 1;
                    return context;
                }
            }
            kind if (kind == TokenKind::Ident || kind.is_keyword())
                && last.start + last.text.len() == offset =>
            {
                context.word.start = last.start;
            }
            _ => {}
        }
    }
    let until = words
        .iter()
        .rposition(|w| w.start < context.word.start)
        .map_or(0, |k| k + 1);
    let (global, path) = path_before(&words[..until]);
    context.word.global = global;
    context.word.path = path;
    context
}

/// The names in front of a dot at the end of the words; subscripts between them are left out.
fn path_before(words: &[Word<'_>]) -> (bool, Vec<Symbol>) {
    let mut path = Vec::new();
    let mut k = words.len();
    while k > 0 && words[k - 1].kind == TokenKind::Dot {
        k -= 1;
        while k > 0 && words[k - 1].kind == TokenKind::RBracket {
            let mut depth = 0_u32;
            while k > 0 {
                k -= 1;
                match words[k].kind {
                    TokenKind::RBracket => depth += 1,
                    TokenKind::LBracket => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        if k == 0 || words[k - 1].kind != TokenKind::Ident {
            path.reverse();
            return (true, path);
        }
        k -= 1;
        path.push(Symbol::intern(words[k].text));
    }
    path.reverse();
    (false, path)
}

/// The dotted name that ends with word `last`: its first word, whether it begins with a dot, and its parts.
fn name_ending(words: &[Word<'_>], last: usize) -> (usize, bool, Vec<Symbol>) {
    let mut parts = vec![Symbol::intern(words[last].text)];
    let mut k = last;
    while k >= 2 && words[k - 1].kind == TokenKind::Dot && words[k - 2].kind == TokenKind::Ident {
        k -= 2;
        parts.push(Symbol::intern(words[k].text));
    }
    parts.reverse();
    let global = k >= 1 && words[k - 1].kind == TokenKind::Dot;
    (k - usize::from(global), global, parts)
}

/// Goes through the words of a statement and keeps what is open at its end.
fn surroundings(words: &[Word<'_>], context: &mut Context) {
    struct Level {
        open: Open,
        commas: usize,
        /// Where the argument that is being written begins.
        argument: usize,
        begin: usize,
    }
    let mut levels: Vec<Level> = Vec::new();
    // The type of the declaration, if the statement is one.
    let mut declared: Option<(bool, Vec<Symbol>)> = None;
    for (k, word) in words.iter().enumerate() {
        match word.kind {
            TokenKind::LParen => {
                let open = opened(
                    words,
                    k,
                    levels.last().map(|l| (&l.open, l.argument)),
                    &mut declared,
                );
                levels.push(Level {
                    open,
                    commas: 0,
                    argument: k + 1,
                    begin: k + 1,
                });
            }
            TokenKind::LBrace | TokenKind::LBracket => levels.push(Level {
                open: Open::Other,
                commas: 0,
                argument: k + 1,
                begin: k + 1,
            }),
            TokenKind::RParen | TokenKind::RBrace | TokenKind::RBracket => {
                levels.pop();
            }
            TokenKind::Comma => {
                if let Some(level) = levels.last_mut() {
                    level.commas += 1;
                    level.argument = k + 1;
                }
            }
            _ => {}
        }
    }
    if let Some(level) = levels.last() {
        context.commas = level.commas;
        let argument = &words[level.argument..];
        let equals = argument.iter().position(|w| w.kind == TokenKind::Equals);
        let name = equals.and_then(|k| {
            argument[..k]
                .iter()
                .rev()
                .find(|w| w.kind == TokenKind::Ident)
        });
        context.named = name.map(|w| Symbol::intern(w.text));
        if level.open == Open::Connect && level.commas == 1 {
            let first = words[level.begin..level.argument].iter();
            let names = first.filter(|w| w.kind == TokenKind::Ident);
            context.first = names.map(|w| Symbol::intern(w.text)).collect();
        }
    }
    context.open = levels.into_iter().map(|l| l.open).collect();
}

/// What the parenthesis at word `k` opens.
fn opened(
    words: &[Word<'_>],
    k: usize,
    around: Option<(&Open, usize)>,
    declared: &mut Option<(bool, Vec<Symbol>)>,
) -> Open {
    let Some(before) = k.checked_sub(1).map(|b| words[b]) else {
        return Open::Other;
    };
    match before.kind {
        TokenKind::Annotation => return Open::Annotation,
        TokenKind::Connect => return Open::Connect,
        TokenKind::Der => {
            return Open::Call {
                global: false,
                function: vec![Symbol::intern("der")],
            };
        }
        _ => {}
    }
    // Behind the subscripts of a declaration: x[3](…).
    let mut last = k - 1;
    if words[last].kind == TokenKind::RBracket && around.is_none() {
        let mut depth = 0_i32;
        loop {
            match words[last].kind {
                TokenKind::RBracket => depth += 1,
                TokenKind::LBracket => depth -= 1,
                _ => {}
            }
            if last == 0 {
                return Open::Other;
            }
            last -= 1;
            if depth == 0 {
                break;
            }
        }
    }
    if words[last].kind != TokenKind::Ident {
        return Open::Other;
    }
    let (first, global, parts) = name_ending(words, last);
    let previous = first.checked_sub(1).map(|b| words[b].kind);
    match around {
        Some((Open::Annotation | Open::AnnotationOf(_), _)) => {
            return Open::AnnotationOf(Symbol::intern(words[last].text));
        }
        // The name of an argument, not a value behind `=`.
        Some((Open::Modifier { global, of, inside }, argument)) => {
            let values = words[argument..k]
                .iter()
                .any(|w| w.kind == TokenKind::Equals);
            if !values {
                return Open::Modifier {
                    global: *global,
                    of: of.clone(),
                    inside: inside.iter().copied().chain(parts).collect(),
                };
            }
        }
        None => {
            let modifier = |(global, of): (bool, Vec<Symbol>)| Open::Modifier {
                global,
                of,
                inside: Vec::new(),
            };
            match previous {
                Some(TokenKind::Extends | TokenKind::Constrainedby) => {
                    return modifier((global, parts));
                }
                // `model A = B(`
                Some(TokenKind::Equals) if is_short_class(words) => {
                    return modifier((global, parts));
                }
                Some(TokenKind::Ident) if parts.len() == 1 => {
                    let (_, global, of) = name_ending(words, first - 1);
                    *declared = Some((global, of.clone()));
                    return modifier((global, of));
                }
                // Behind the subscripts of the type: Real[3] x(…).
                Some(TokenKind::RBracket) if parts.len() == 1 && !has_equals(words) => {
                    let open = words[..first]
                        .iter()
                        .position(|w| w.kind == TokenKind::LBracket);
                    if let Some(at) = open.and_then(|o| o.checked_sub(1))
                        && words[at].kind == TokenKind::Ident
                    {
                        let (_, global, of) = name_ending(words, at);
                        return modifier((global, of));
                    }
                }
                Some(TokenKind::Comma) => {
                    if let Some(of) = declared.clone() {
                        return modifier(of);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
    Open::Call {
        global,
        function: parts,
    }
}

fn has_equals(words: &[Word<'_>]) -> bool {
    words.iter().any(|w| w.kind == TokenKind::Equals)
}

fn is_short_class(words: &[Word<'_>]) -> bool {
    let kinds = [
        TokenKind::Model,
        TokenKind::Block,
        TokenKind::Type,
        TokenKind::Package,
        TokenKind::Connector,
        TokenKind::Record,
        TokenKind::Function,
        TokenKind::Class,
    ];
    words.iter().take(6).any(|w| kinds.contains(&w.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Context {
        let offset = text.find('|').expect("a mark");
        context_at(&text.replace('|', ""), offset)
    }

    fn names(path: &[Symbol]) -> Vec<&'static str> {
        path.iter().map(|s| s.as_str()).collect()
    }

    #[test]
    fn names_are_read_backwards() {
        let found = at("model M Real x = a.b[i + 1].c.d|");
        assert_eq!(names(&found.word.path), ["a", "b", "c"]);
        assert!(at("equation x = .P.q|").word.global);
        let found = at("model M\n  Modelica.Blo|\nequation\n  x = ;\nend M;");
        assert_eq!(names(&found.word.path), ["Modelica"]);
    }

    #[test]
    fn open_parentheses_are_known() {
        let modifier = |text: &str| match at(text).open.last() {
            Some(Open::Modifier { of, inside, .. }) => (names(of), names(inside)),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(modifier("model M A.B r(|"), (vec!["A", "B"], vec![]));
        assert_eq!(
            modifier("model M A.B r(x = f(1), v(|"),
            (vec!["A", "B"], vec!["v"])
        );
        assert_eq!(modifier("model M Real[3] r(|"), (vec!["Real"], vec![]));
        assert_eq!(modifier("model M A x[2](a = 1), y(|"), (vec!["A"], vec![]));
        assert_eq!(modifier("model M extends P.Q(|"), (vec!["P", "Q"], vec![]));
        let call = at("equation y = F.g(1, b = |");
        assert!(
            matches!(call.open.last(), Some(Open::Call { function, .. }) if names(function) == ["F", "g"])
        );
        assert_eq!(
            (call.commas, call.named.map(|n| n.as_str())),
            (1, Some("b"))
        );
        assert_eq!(names(&at("equation connect(a.p, |").first), ["a", "p"]);
        assert_eq!(
            at("annotation(Icon(|").open.last(),
            Some(&Open::AnnotationOf("Icon".into()))
        );
        let unit = at("parameter Real x(unit = \"k|");
        assert!(unit.in_string && unit.named.is_some_and(|n| n.as_str() == "unit"));
        assert!(at("// see a.|").in_comment);
    }
}
