//! Tokens to syntax tree: a recursive-descent parser that always returns a tree.
//!
//! In: any text. Out: the tree of what could be read and a diagnostic for each mistake. Where a
//! declaration, equation or statement cannot be read, the parser reports it once, leaves it out
//! of the tree and goes on behind the next `;` or in front of the next section, so independent
//! mistakes give independent messages.
//!
//! Recursion is bounded: nesting beyond [`MAX_NESTING`] and operator chains beyond [`MAX_HEIGHT`]
//! are diagnosed, and reading stops there. Time is linear in the text.

mod class;
mod element;
mod equation;
mod expression;
mod modification;
mod statement;

use ferrica_ir::{Diagnostic, FileId, Span, Symbol};
use rustc_hash::FxHashMap;

use crate::ast::{Expr, Name, StoredDefinition};
use crate::lexer::{Lexer, unescape};
use crate::token::{Token, TokenKind};

/// Levels of parentheses, modifiers, classes and blocks inside each other.
pub const MAX_NESTING: u32 = 256;
/// Height of the tree of one expression; bounds the recursion of everything that walks it.
pub const MAX_HEIGHT: u32 = 2000;
/// After so many messages the rest of a text is not worth reading.
const MAX_ERRORS: usize = 100;

/// A text with its tokens, its tree and what is wrong with it.
#[derive(Debug)]
pub struct Parsed<'t> {
    pub text: &'t str,
    /// All tokens, white space and comments too; the last is `Eof`.
    pub tokens: Vec<Token>,
    pub ast: StoredDefinition,
    pub errors: Vec<Diagnostic>,
}

impl Parsed<'_> {
    /// The text of token number `index`.
    pub fn token_text(&self, index: usize) -> &str {
        let start = self.tokens[index].start as usize;
        let end = self
            .tokens
            .get(index + 1)
            .map_or(self.text.len(), |next| next.start as usize);
        &self.text[start..end]
    }

    /// The text again, token by token. Equal to the input for every input.
    pub fn print(&self) -> String {
        (0..self.tokens.len()).map(|i| self.token_text(i)).collect()
    }
}

/// Parses a text and keeps all its tokens.
pub fn parse(file: FileId, text: &str) -> Parsed<'_> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let (ast, errors) = parse_tokens(file, text, |token| tokens.push(token));
    Parsed {
        text,
        tokens,
        ast,
        errors,
    }
}

/// Parses a text for its tree alone.
pub fn parse_tree(file: FileId, text: &str) -> (StoredDefinition, Vec<Diagnostic>) {
    parse_tokens(file, text, |_| ())
}

/// Parses a text that is one expression.
pub fn parse_expression(file: FileId, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(file, text, |_| ());
    let parsed = parser.expression();
    if parsed.is_ok() && !parser.at(TokenKind::Eof) {
        parser.unexpected("the end of the expression");
    }
    match parsed {
        Ok(expression) if parser.errors.is_empty() => Ok(expression),
        _ => Err(parser.errors),
    }
}

fn parse_tokens(
    file: FileId,
    text: &str,
    keep: impl FnMut(Token),
) -> (StoredDefinition, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text, keep);
    let ast = parser.stored_definition();
    let mut errors = parser.errors;
    errors.sort_by_key(|e| e.span.start);
    (ast, errors)
}

impl<'t> Parser<'t> {
    /// At the first word of a text.
    fn new(file: FileId, text: &'t str, mut keep: impl FnMut(Token)) -> Parser<'t> {
        let mut lexer = Lexer::new(file, text);
        let mut words: Vec<Word> = Vec::with_capacity(text.len() / 8 + 1);
        let mut previous: Option<Token> = None;
        loop {
            let token = lexer.next_token();
            keep(token);
            if let Some(before) = previous
                && !before.kind.is_trivia()
            {
                words.push(Word {
                    start: before.start,
                    end: token.start,
                    kind: before.kind,
                });
            }
            if token.kind == TokenKind::Eof {
                words.push(Word {
                    start: token.start,
                    end: token.start,
                    kind: TokenKind::Eof,
                });
                break;
            }
            previous = Some(token);
        }
        let mut parser = Parser {
            text,
            file,
            words,
            at: 0,
            errors: lexer.errors,
            last_error: None,
            nesting: 0,
            height: 0,
            in_subscript: 0,
            open_classes: Vec::new(),
            misused: Vec::new(),
            names: FxHashMap::default(),
        };
        parser.skip_unknown();
        parser
    }
}

/// A token that is not trivia.
#[derive(Clone, Copy)]
struct Word {
    start: u32,
    end: u32,
    kind: TokenKind,
}

/// The mistake is already reported; the caller leaves the item out.
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser<'t> {
    text: &'t str,
    file: FileId,
    /// Ends with `Eof`; `at` never moves beyond it.
    words: Vec<Word>,
    at: usize,
    errors: Vec<Diagnostic>,
    /// Word of the last message, to report one place once.
    last_error: Option<usize>,
    nesting: u32,
    /// Height of the tallest child of the expression under construction.
    height: u32,
    in_subscript: u32,
    open_classes: Vec<Symbol>,
    /// Reserved words that were used as names, each reported once.
    misused: Vec<TokenKind>,
    names: FxHashMap<&'t str, Symbol>,
}

impl<'t> Parser<'t> {
    fn kind(&self) -> TokenKind {
        self.words[self.at].kind
    }

    fn nth(&self, ahead: usize) -> TokenKind {
        self.words
            .get(self.at + ahead)
            .map_or(TokenKind::Eof, |w| w.kind)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn advance(&mut self) {
        if !self.at(TokenKind::Eof) {
            self.at += 1;
            self.skip_unknown();
        }
    }

    /// Characters that the lexer has reported are not reported again.
    fn skip_unknown(&mut self) {
        while self.kind() == TokenKind::Unknown {
            self.at += 1;
        }
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.advance();
        }
        found
    }

    fn start(&self) -> u32 {
        self.words[self.at].start
    }

    fn span(&self) -> Span {
        let word = self.words[self.at];
        Span::new(self.file, word.start, word.end)
    }

    fn previous_end(&self) -> u32 {
        self.at.checked_sub(1).map_or(0, |i| self.words[i].end)
    }

    /// From `start` to the end of the last word that was read.
    fn span_from(&self, start: u32) -> Span {
        Span::new(self.file, start, self.previous_end().max(start))
    }

    fn word_text(&self, index: usize) -> &'t str {
        self.words
            .get(index)
            .and_then(|w| self.text.get(w.start as usize..w.end as usize))
            .unwrap_or("")
    }

    fn intern(&mut self, text: &'t str) -> Symbol {
        *self
            .names
            .entry(text)
            .or_insert_with(|| Symbol::intern(text))
    }

    /// Whether a line break stands between the last word and this one.
    fn on_new_line(&self) -> bool {
        let between = self.previous_end() as usize..self.start() as usize;
        self.text.get(between).is_some_and(|t| t.contains('\n'))
    }

    /// The current word as a message calls it.
    fn found(&self) -> String {
        let text = self.word_text(self.at);
        match self.kind() {
            TokenKind::Ident => format!("the name `{text}`"),
            TokenKind::Int | TokenKind::Real => format!("the number `{text}`"),
            kind if kind.is_keyword() => format!("the keyword `{text}`"),
            kind => kind.describe().to_owned(),
        }
    }

    fn report(&mut self, error: Diagnostic) -> Failed {
        if self.last_error == Some(self.at) {
            return Failed;
        }
        self.last_error = Some(self.at);
        self.errors.push(error);
        if self.errors.len() >= MAX_ERRORS {
            self.abandon();
        }
        Failed
    }

    /// Nothing more is read, and nothing more is reported.
    fn abandon(&mut self) {
        self.at = self.words.len() - 1;
        self.last_error = Some(self.at);
    }

    fn error_here(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span(), message)
    }

    fn unexpected(&mut self, expected: &str) -> Failed {
        let error = self.error_here(
            "E0101",
            format!("expected {expected}, found {}", self.found()),
        );
        self.report(error)
    }

    fn unexpected_with_hint(&mut self, expected: &str, hint: &str) -> Failed {
        let error = self
            .error_here(
                "E0101",
                format!("expected {expected}, found {}", self.found()),
            )
            .with_hint(hint);
        self.report(error)
    }

    /// Reads the word `kind`, which belongs to `place`; reports its absence.
    fn expect(&mut self, kind: TokenKind, place: &str) -> Parse<()> {
        if self.eat(kind) {
            return Ok(());
        }
        Err(self.missing(kind, place))
    }

    fn missing(&mut self, kind: TokenKind, place: &str) -> Failed {
        let expected = format!("{} {place}", kind.describe());
        if kind == TokenKind::Then && self.at(TokenKind::Equals) {
            return self.unexpected_with_hint(&expected, "two values are compared with `==`");
        }
        self.unexpected(&expected)
    }

    /// As `expect`, but reading goes on as if the word were there.
    fn expect_or_assume(&mut self, kind: TokenKind, place: &str) {
        if !self.eat(kind) {
            self.missing(kind, place);
        }
    }

    /// An identifier; `what` completes "expected …".
    fn ident(&mut self, what: &str) -> Parse<(Symbol, Span)> {
        let span = self.span();
        let kind = self.kind();
        if kind == TokenKind::Ident {
            let text = self.word_text(self.at);
            self.advance();
            return Ok((self.intern(text), span));
        }
        use TokenKind::{
            Assign, Comma, Dot, Equals, LBracket, LParen, RBrace, RParen, Semicolon, Str,
        };
        let name_like = matches!(
            self.nth(1),
            Assign | Comma | Dot | Equals | LBracket | LParen | RBrace | RParen | Semicolon | Str
        );
        let known = self.misused.contains(&kind);
        if known || (kind.is_keyword() && name_like && kind != TokenKind::End) {
            let text = self.word_text(self.at);
            if !known {
                let error = self
                    .error_here("E0108", format!("`{text}` is a reserved word, not a name"))
                    .with_hint(format!("choose another name, or quote it: '{text}'"));
                self.report(error);
                self.misused.push(kind);
            }
            self.advance();
            return Ok((self.intern(text), span));
        }
        Err(self.unexpected(what))
    }

    /// `[.]a.b.c`
    fn name(&mut self, what: &str) -> Parse<Name> {
        let start = self.start();
        let global = self.eat(TokenKind::Dot);
        let mut parts = vec![self.ident(what)?.0];
        while self.at(TokenKind::Dot) && self.nth(1) == TokenKind::Ident {
            self.advance();
            parts.push(self.ident(what)?.0);
        }
        Ok(Name {
            global,
            parts,
            span: self.span_from(start),
        })
    }

    /// The value of the string at the cursor.
    fn string_value(&mut self) -> String {
        let literal = self.word_text(self.at);
        let value = match unescape(literal) {
            Ok(value) => value,
            Err((offset, value)) => {
                let start = self.start() + offset as u32;
                let span = Span::new(self.file, start, start + 1);
                self.errors.push(
                    Diagnostic::error("E0107", span, "unknown escape sequence in a string")
                        .with_hint("a backslash itself is written `\\\\`"),
                );
                value
            }
        };
        self.advance();
        value
    }

    /// Runs `parse` one level deeper, or reports that the text is nested too deeply.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    fn too_deep(&mut self) -> Failed {
        let error = self
            .error_here(
                "E0105",
                "the text is nested too deeply here; the rest is not read",
            )
            .with_hint("introduce intermediate variables, or use `sum({…})` for long sums");
        self.report(error);
        self.abandon();
        Failed
    }

    /// The `;` after `what`. Its absence is reported at the end of the line it belongs to; reading
    /// goes on with the next item when that one starts a new line or section.
    fn semicolon(&mut self, what: &str) -> Parse<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        if self.on_new_line() || self.at_section() || self.at(TokenKind::Eof) {
            let end = self.previous_end();
            let span = Span::new(self.file, end, end + 1);
            let error = Diagnostic::error("E0109", span, format!("missing `;` after this {what}"));
            self.report(error);
            // What follows is an item of its own, with its own mistakes.
            self.last_error = self.last_error.filter(|_| self.at(TokenKind::Eof));
            return Ok(());
        }
        Err(self.unexpected(&format!("`;` after this {what}")))
    }

    /// At a word that can only start a section or end a block.
    fn at_section(&self) -> bool {
        use TokenKind::*;
        match self.kind() {
            Equation | Algorithm | Public | Protected | Eof => true,
            Initial => matches!(self.nth(1), Equation | Algorithm),
            End => matches!(self.nth(1), Ident | If | For | When | While),
            _ => false,
        }
    }

    fn at_class(&self) -> bool {
        use TokenKind::*;
        matches!(
            self.kind(),
            Class
                | Model
                | Record
                | Block
                | Connector
                | Expandable
                | Type
                | Package
                | Function
                | Operator
                | Pure
                | Impure
                | Partial
                | Encapsulated
        )
    }

    /// Skips the rest of an item that could not be read.
    fn synchronize(&mut self) {
        let mut brackets = 0_u32;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Semicolon if brackets == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::LBracket => brackets += 1,
                TokenKind::RBracket => brackets = brackets.saturating_sub(1),
                TokenKind::End if brackets > 0 && !self.on_new_line() => {}
                _ if self.at_section() => return,
                _ if self.at_class() && self.on_new_line() => return,
                _ => {}
            }
            self.advance();
        }
    }
}
