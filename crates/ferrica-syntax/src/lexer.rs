//! Text to tokens.
//!
//! In: any text. Out: tokens that cover it without gaps, so their texts concatenate to the input,
//! and a diagnostic for each place where the text is not Modelica. Linear time, no recursion.
//!
//! Words of other languages (`!=`, `&&`, `||`, `!`, `**`) become the token that was meant, with a
//! message, so that one slip gives one message.

use ferrica_ir::{Diagnostic, FileId, Span};

use crate::token::{Token, TokenKind, keyword};

/// Reads one token after the other. After the end it keeps returning `Eof`.
pub struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    file: FileId,
    at: usize,
    pub errors: Vec<Diagnostic>,
}

const IDENT: u8 = 1;
const DIGIT: u8 = 2;
const SPACE: u8 = 4;

/// Class of each byte; bytes from 128 on belong to identifiers, and are reported there.
const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = match b as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => IDENT,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            _ => 0,
        };
        b += 1;
    }
    table
};

impl<'t> Lexer<'t> {
    /// Texts beyond 4 GB are cut, since positions are `u32`.
    pub fn new(file: FileId, text: &'t str) -> Lexer<'t> {
        Lexer {
            text,
            bytes: text.as_bytes(),
            file,
            at: 0,
            errors: Vec::new(),
        }
    }

    pub fn next_token(&mut self) -> Token {
        let start = self.at;
        let kind = self.scan();
        Token {
            start: start as u32,
            kind,
        }
    }

    fn scan(&mut self) -> TokenKind {
        let start = self.at;
        let Some(&first) = self.bytes.get(start) else {
            return TokenKind::Eof;
        };
        match first {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => {
                self.skip_class(SPACE);
                TokenKind::Whitespace
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'\'' => self.quoted_identifier(),
            b'/' if self.peek(1) == b'/' => {
                self.at = self.find(b'\n', start).unwrap_or(self.bytes.len());
                TokenKind::LineComment
            }
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            0x80.. => self.foreign_character(),
            _ => self.symbol(first),
        }
    }

    fn symbol(&mut self, first: u8) -> TokenKind {
        use TokenKind::*;
        let second = self.peek(1);
        let (kind, length) = match (first, second) {
            (b':', b'=') => (Assign, 2),
            (b'=', b'=') => (EqEq, 2),
            (b'<', b'>') => (NotEq, 2),
            (b'<', b'=') => (LessEq, 2),
            (b'>', b'=') => (GreaterEq, 2),
            (b'.', b'+') => (DotPlus, 2),
            (b'.', b'-') => (DotMinus, 2),
            (b'.', b'*') => (DotStar, 2),
            (b'.', b'/') => (DotSlash, 2),
            (b'.', b'^') => (DotCaret, 2),
            (b'!', b'=') => return self.meant(NotEq, 2, "<>"),
            (b'&', b'&') => return self.meant(And, 2, "and"),
            (b'|', b'|') => return self.meant(Or, 2, "or"),
            (b'*', b'*') => return self.meant(Caret, 2, "^"),
            (b'!', _) => return self.meant(Not, 1, "not"),
            (b'(', _) => (LParen, 1),
            (b')', _) => (RParen, 1),
            (b'[', _) => (LBracket, 1),
            (b']', _) => (RBracket, 1),
            (b'{', _) => (LBrace, 1),
            (b'}', _) => (RBrace, 1),
            (b',', _) => (Comma, 1),
            (b';', _) => (Semicolon, 1),
            (b':', _) => (Colon, 1),
            (b'.', _) => (Dot, 1),
            (b'=', _) => (Equals, 1),
            (b'<', _) => (Less, 1),
            (b'>', _) => (Greater, 1),
            (b'+', _) => (Plus, 1),
            (b'-', _) => (Minus, 1),
            (b'*', _) => (Star, 1),
            (b'/', _) => (Slash, 1),
            (b'^', _) => (Caret, 1),
            _ => return self.unknown(first),
        };
        self.at += length;
        kind
    }

    /// Control characters, `#`, `@`, `$`, `%`, `?`, `~`, …
    fn unknown(&mut self, first: u8) -> TokenKind {
        let start = self.at;
        while self.bytes.get(self.at) == Some(&first) {
            self.at += 1;
        }
        let shown = char::from(first).escape_default();
        let error = self.error(
            "E0103",
            start,
            self.at,
            format!("the character `{shown}` has no meaning in Modelica here"),
        );
        self.errors.push(match first {
            b'#' | b'%' => error.with_hint("a comment starts with `//`"),
            _ => error.with_hint("remove it, or put it into a string or a comment"),
        });
        TokenKind::Unknown
    }

    fn meant(&mut self, kind: TokenKind, length: usize, modelica: &str) -> TokenKind {
        let start = self.at;
        self.at += length;
        let written = &self.text[start..self.at];
        let error = self
            .error(
                "E0103",
                start,
                self.at,
                format!("`{written}` is not an operator of Modelica"),
            )
            .with_hint(format!("write `{modelica}`"));
        self.errors.push(error);
        kind
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_class(IDENT | DIGIT);
        if self.bytes.get(self.at).is_some_and(|b| *b >= 0x80) {
            self.foreign_word(start);
            return TokenKind::Ident;
        }
        keyword(&self.text[start..self.at]).unwrap_or(TokenKind::Ident)
    }

    /// Letters beyond ASCII read as a name, other characters as unknown; a byte order mark at
    /// the very start is white space.
    fn foreign_character(&mut self) -> TokenKind {
        let start = self.at;
        let Some(c) = self.text[start..].chars().next() else {
            return TokenKind::Eof;
        };
        if c == '\u{feff}' && start == 0 {
            self.at += c.len_utf8();
            return TokenKind::Whitespace;
        }
        if c.is_alphanumeric() {
            self.foreign_word(start);
            return TokenKind::Ident;
        }
        self.at += c.len_utf8();
        let error = self.error(
            "E0103",
            start,
            self.at,
            format!(
                "the character `{}` has no meaning in Modelica here",
                c.escape_debug()
            ),
        );
        self.errors.push(if c.is_whitespace() {
            error.with_hint("this looks like a space but is another character; retype it")
        } else {
            error.with_hint("remove it, or put it into a string or a comment")
        });
        TokenKind::Unknown
    }

    fn foreign_word(&mut self, start: usize) {
        let rest = &self.text[start..];
        let length = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        // The caller saw at least one character of a word, so this makes progress.
        self.at = start + length.max(rest.chars().next().map_or(1, char::len_utf8));
        if self.at <= start {
            return;
        }
        let word = &self.text[start..self.at];
        let hint = format!("write it in single quotes: '{word}'");
        let error = self
            .error(
                "E0103",
                start,
                self.at,
                format!("the name `{word}` has letters other than a-z, A-Z, 0-9 and _"),
            )
            .with_hint(hint);
        self.errors.push(error);
    }

    fn number(&mut self) -> TokenKind {
        let mut kind = TokenKind::Int;
        self.skip_class(DIGIT);
        // `1.` is a Real, but the dot of `1 .+ x` is not reached here because of the space.
        if self.peek(0) == b'.' {
            kind = TokenKind::Real;
            self.at += 1;
            self.skip_class(DIGIT);
        }
        if matches!(self.peek(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(1 + sign).is_ascii_digit() {
                kind = TokenKind::Real;
                self.at += 1 + sign;
                self.skip_class(DIGIT);
            }
        }
        kind
    }

    fn string(&mut self) -> TokenKind {
        let start = self.at;
        let mut at = start + 1;
        while let Some(&b) = self.bytes.get(at) {
            match b {
                b'"' => {
                    self.at = at + 1;
                    return TokenKind::Str;
                }
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.unterminated(
            start,
            "string",
            "add the closing `\"`; a quote inside is written `\\\"`",
        );
        TokenKind::Str
    }

    fn quoted_identifier(&mut self) -> TokenKind {
        let start = self.at;
        let mut at = start + 1;
        while let Some(&b) = self.bytes.get(at) {
            match b {
                b'\'' => {
                    self.at = at + 1;
                    if at == start + 1 {
                        let error =
                            self.error("E0102", start, self.at, "a quoted name cannot be empty");
                        self.errors.push(error);
                    }
                    return TokenKind::Ident;
                }
                b'\\' => at += 2,
                b'\n' => break,
                _ => at += 1,
            }
        }
        self.unterminated(
            start,
            "quoted name",
            "add the closing `'`; strings use `\"`",
        );
        TokenKind::Ident
    }

    /// The token ends with its line, so that the lines below are still read.
    fn unterminated(&mut self, start: usize, what: &str, hint: &str) {
        let mut end = self.find(b'\n', start).unwrap_or(self.bytes.len());
        // A `;` at the end of the line most likely ends the declaration.
        while end > start + 1 && matches!(self.bytes[end - 1], b' ' | b'\t' | b'\r' | b';') {
            end -= 1;
        }
        self.at = end;
        let error = self
            .error("E0102", start, start + 1, format!("this {what} has no end"))
            .with_hint(hint);
        self.errors.push(error);
    }

    fn block_comment(&mut self) -> TokenKind {
        let start = self.at;
        let mut at = start + 2;
        while let Some(star) = self.find(b'*', at) {
            if self.bytes.get(star + 1) == Some(&b'/') {
                self.at = star + 2;
                return TokenKind::BlockComment;
            }
            at = star + 1;
        }
        self.at = self.bytes.len();
        let error = self
            .error("E0102", start, start + 2, "this comment has no end")
            .with_hint("add the closing `*/`");
        self.errors.push(error);
        TokenKind::BlockComment
    }

    fn skip_class(&mut self, class: u8) {
        while self
            .bytes
            .get(self.at)
            .is_some_and(|b| CLASS[*b as usize] & class != 0)
        {
            self.at += 1;
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn find(&self, byte: u8, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        rest.iter().position(|b| *b == byte).map(|p| from + p)
    }

    fn error(
        &self,
        code: &'static str,
        start: usize,
        end: usize,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(
            code,
            Span::new(self.file, start as u32, end as u32),
            message,
        )
    }
}

/// All tokens of a text, the last being `Eof`.
pub fn lex(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer::new(file, text);
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    loop {
        let token = lexer.next_token();
        tokens.push(token);
        if token.kind == TokenKind::Eof {
            return (tokens, lexer.errors);
        }
    }
}

/// The value of a string or quoted literal: quotes removed, escapes replaced. `Err` holds the
/// offset of the first unknown escape and the value with that backslash kept.
pub fn unescape(literal: &str) -> Result<String, (usize, String)> {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Ok(inner.to_owned());
    }
    let mut value = String::with_capacity(inner.len());
    let mut bad = None;
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next() {
            Some((_, 'n')) => value.push('\n'),
            Some((_, 't')) => value.push('\t'),
            Some((_, 'r')) => value.push('\r'),
            Some((_, 'a')) => value.push('\x07'),
            Some((_, 'b')) => value.push('\x08'),
            Some((_, 'f')) => value.push('\x0c'),
            Some((_, 'v')) => value.push('\x0b'),
            Some((_, c @ ('\\' | '"' | '\'' | '?'))) => value.push(c),
            other => {
                bad.get_or_insert(at + 1);
                value.push('\\');
                value.extend(other.map(|(_, c)| c));
            }
        }
    }
    match bad {
        None => Ok(value),
        Some(at) => Err((at, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let (tokens, _) = lex(FileId(0), text);
        tokens
            .iter()
            .map(|t| t.kind)
            .filter(|k| !k.is_trivia())
            .collect()
    }

    #[test]
    fn numbers_follow_the_longest_match() {
        use TokenKind::*;
        assert_eq!(
            kinds("1 2.5 .5 3. 1e3 2.E-4"),
            [Int, Real, Real, Real, Real, Real, Eof]
        );
        assert_eq!(
            kinds("2./x"),
            [Real, Slash, Ident, Eof],
            "2. is the longest number"
        );
        assert_eq!(kinds("2 ./x"), [Int, DotSlash, Ident, Eof]);
        assert_eq!(kinds("1:3"), [Int, Colon, Int, Eof]);
        assert_eq!(kinds("1e"), [Int, Ident, Eof]);
    }

    #[test]
    fn tokens_cover_the_text() {
        for text in [
            "",
            "\u{feff}model A",
            "/* open",
            "\"open\nend",
            "'a b' ä § \0",
            "a\\\n\"\\",
        ] {
            let (tokens, _) = lex(FileId(0), text);
            let mut copy = String::new();
            for pair in tokens.windows(2) {
                assert!(pair[0].start < pair[1].start, "empty token in {text:?}");
                copy.push_str(&text[pair[0].start as usize..pair[1].start as usize]);
            }
            assert_eq!(copy, text);
        }
    }

    #[test]
    fn operators_of_other_languages_are_understood() {
        let (tokens, errors) = lex(FileId(0), "a != b && !c ** 2");
        assert_eq!(errors.len(), 4);
        assert!(tokens.iter().any(|t| t.kind == TokenKind::NotEq));
        assert_eq!(errors[0].hint.as_deref(), Some("write `<>`"));
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape(r#""a\n\"b\"""#), Ok("a\n\"b\"".to_owned()));
        assert_eq!(unescape(r#""a\qb""#), Err((2, "a\\qb".to_owned())));
    }
}
