//! Formatter: the same tokens and comments with tidy white space.
//!
//! In: Modelica text. Out: text with the same tokens in the same order. Lines stay lines;
//! indentation follows the structure (two spaces a level), trailing white space and repeated blank
//! lines go, `=` and `:=` outside parentheses get a space on both sides, and no space stays before
//! `,` `;` `)` or behind `(`. Strings and comments are copied as they are. Formatting twice changes
//! nothing more. A text with syntax errors comes back unchanged.

use ferrica_ir::FileId;

use crate::parser::{Parsed, parse};
use crate::token::TokenKind;

/// Formats a text.
pub fn format(text: &str) -> String {
    let parsed = parse(FileId(0), text);
    if !parsed.errors.is_empty() {
        return text.to_owned();
    }
    Formatter::new(&parsed).run()
}

/// What the lines that follow are indented for.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    Class,
    /// `if`, `for`, `when`, `while`.
    Block,
}

struct Formatter<'p> {
    parsed: &'p Parsed<'p>,
    newline: &'static str,
    out: String,
    frames: Vec<Frame>,
    /// For each open bracket: whether it is the first that its line leaves open, and its line.
    brackets: Vec<(bool, usize)>,
    line: usize,
    /// The next word starts an element, equation or statement.
    at_start: bool,
    /// In an equation or algorithm section, where `if`, `for`, … open blocks.
    in_behavior: Vec<bool>,
    /// Index of the word that ends the header of a class or block.
    header_end: Option<usize>,
}

impl<'p> Formatter<'p> {
    fn new(parsed: &'p Parsed<'p>) -> Formatter<'p> {
        Formatter {
            parsed,
            newline: if parsed.text.contains("\r\n") {
                "\r\n"
            } else {
                "\n"
            },
            out: String::with_capacity(parsed.text.len()),
            frames: Vec::new(),
            brackets: Vec::new(),
            line: 0,
            at_start: true,
            in_behavior: Vec::new(),
            header_end: None,
        }
    }

    fn run(mut self) -> String {
        let tokens = &self.parsed.tokens;
        let mut gap = "";
        let mut previous: Option<TokenKind> = None;
        for (index, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Eof => break,
                TokenKind::Whitespace => {
                    gap = self.parsed.token_text(index);
                    continue;
                }
                _ => {}
            }
            let breaks = gap.matches('\n').count();
            if previous.is_some() && breaks > 0 {
                self.out.push_str(self.newline);
                if breaks > 1 {
                    self.out.push_str(self.newline);
                }
                self.line += 1;
            }
            if previous.is_none() || breaks > 0 {
                let indent = self.indent_of(token.kind, index);
                self.out.push_str(&"  ".repeat(indent));
            } else if let Some(before) = previous {
                self.out.push_str(self.space(before, token.kind, gap));
            }
            self.out
                .push_str(self.parsed.token_text(index).trim_end_matches(|c| {
                    token.kind == TokenKind::LineComment && (c == '\r' || c == ' ' || c == '\t')
                }));
            if !matches!(token.kind, TokenKind::LineComment | TokenKind::BlockComment) {
                self.track(token.kind, index);
            }
            previous = Some(token.kind);
            gap = "";
        }
        if !self.out.is_empty() {
            self.out.push_str(self.newline);
        }
        self.out
    }

    /// What stands between two tokens of a line.
    fn space(&self, before: TokenKind, after: TokenKind, gap: &'p str) -> &'p str {
        use TokenKind::*;
        if after == LineComment || after == BlockComment {
            return gap;
        }
        if matches!(before, LParen | LBracket | LBrace)
            || matches!(after, RParen | RBracket | RBrace | Comma | Semicolon)
        {
            // A comment in front keeps its distance; `//` cannot stand here.
            return if before == BlockComment { gap } else { "" };
        }
        let spaced = |kind| kind == Assign || (kind == Equals && self.brackets.is_empty());
        if spaced(before) || spaced(after) || !gap.is_empty() {
            " "
        } else {
            ""
        }
    }

    /// The level of a line that starts with this token.
    fn indent_of(&self, kind: TokenKind, index: usize) -> usize {
        use TokenKind::*;
        let depth = self.frames.len();
        if self.brackets.is_empty() {
            if !self.at_start {
                // The description of a class stands on the level of its elements.
                let hangs =
                    self.header_end.is_none() && !matches!(kind, LineComment | BlockComment);
                return depth + usize::from(hangs);
            }
            let outdented = match kind {
                End | Else | Elseif | Elsewhen => true,
                Equation | Algorithm | Public | Protected => true,
                Initial => matches!(self.next_word(index), Equation | Algorithm),
                _ => false,
            };
            return if outdented {
                depth.saturating_sub(1)
            } else {
                depth
            };
        }
        let levels =
            |brackets: &[(bool, usize)]| brackets.iter().filter(|(first, _)| *first).count();
        if matches!(kind, RParen | RBracket | RBrace) {
            let inner = self.brackets.len() - 1;
            return depth + levels(&self.brackets[..inner]).max(usize::from(inner > 0));
        }
        depth + levels(&self.brackets)
    }

    fn next_word(&self, index: usize) -> TokenKind {
        self.words_after(index)
            .next()
            .map_or(TokenKind::Eof, |(_, kind)| kind)
    }

    fn words_after(&self, index: usize) -> impl Iterator<Item = (usize, TokenKind)> + '_ {
        let tokens = self.parsed.tokens.iter().enumerate().skip(index + 1);
        tokens
            .filter(|(_, t)| !t.kind.is_trivia())
            .map(|(i, t)| (i, t.kind))
    }

    /// Follows the structure behind a word that has been written.
    fn track(&mut self, kind: TokenKind, index: usize) {
        use TokenKind::*;
        match kind {
            LParen | LBracket | LBrace => {
                let first = self
                    .brackets
                    .last()
                    .is_none_or(|(_, line)| *line != self.line);
                self.brackets.push((first, self.line));
            }
            RParen | RBracket | RBrace => {
                self.brackets.pop();
            }
            _ => {}
        }
        if self.header_end == Some(index) {
            self.header_end = None;
            self.at_start = true;
            return;
        }
        if !self.brackets.is_empty() || self.header_end.is_some() {
            return;
        }
        let was_start = std::mem::replace(&mut self.at_start, false);
        match kind {
            Semicolon => self.at_start = true,
            Public | Protected if was_start => {
                self.set_behavior(false);
                self.at_start = true;
            }
            Equation | Algorithm if was_start => {
                self.set_behavior(true);
                self.at_start = true;
            }
            Initial if was_start && matches!(self.next_word(index), Equation | Algorithm) => {
                self.at_start = true;
            }
            // Prefixes: the element is still to come.
            Final | Redeclare | Inner | Outer | Replaceable if was_start => self.at_start = true,
            Encapsulated | Partial | Pure | Impure | Expandable if was_start => {
                self.at_start = true;
            }
            Operator if was_start && matches!(self.next_word(index), Record | Function) => {
                self.at_start = true;
            }
            Class | Model | Record | Block | Connector | Type | Package | Function | Operator
                if was_start =>
            {
                self.open_class(index);
            }
            End if was_start => self.close_frame(),
            If | For | When | While if was_start && self.in_behavior.last() == Some(&true) => {
                self.frames.push(Frame::Block);
                self.header_end = self.block_header_end(index);
            }
            Elseif | Elsewhen if was_start => self.header_end = self.block_header_end(index),
            Else if was_start => self.at_start = true,
            _ => {}
        }
    }

    fn close_frame(&mut self) {
        if self.frames.pop() == Some(Frame::Class) {
            self.in_behavior.pop();
        }
    }

    fn set_behavior(&mut self, value: bool) {
        if let Some(last) = self.in_behavior.last_mut() {
            *last = value;
        }
    }

    /// A class in the long form opens a frame that its `end` closes.
    fn open_class(&mut self, index: usize) {
        let mut words = self.words_after(index).peekable();
        let mut end = None;
        let mut extends = false;
        if let Some((_, TokenKind::Extends)) = words.peek() {
            extends = true;
            words.next();
        }
        if let Some((name, TokenKind::Ident)) = words.next() {
            end = Some(name);
        }
        if words
            .peek()
            .is_some_and(|(_, kind)| *kind == TokenKind::Equals)
        {
            return;
        }
        if extends
            && words
                .peek()
                .is_some_and(|(_, kind)| *kind == TokenKind::LParen)
        {
            let mut depth = 0_u32;
            for (i, kind) in words.by_ref() {
                match kind {
                    TokenKind::LParen => depth += 1,
                    TokenKind::RParen => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 {
                    end = Some(i);
                    break;
                }
            }
        }
        while let Some((i, kind)) = words.next() {
            if kind != TokenKind::Str {
                break;
            }
            end = Some(i);
            if !matches!(words.peek(), Some((_, TokenKind::Plus))) {
                break;
            }
            words.next();
        }
        drop(words);
        self.header_end = end;
        self.frames.push(Frame::Class);
        self.in_behavior.push(false);
    }

    /// The `then` or `loop` of a block; those of if expressions in the condition do not count.
    fn block_header_end(&self, index: usize) -> Option<usize> {
        let mut inner = 0_u32;
        for (i, kind) in self.words_after(index) {
            match kind {
                TokenKind::If => inner += 1,
                TokenKind::Else => inner = inner.saturating_sub(1),
                TokenKind::Then | TokenKind::Loop if inner == 0 => return Some(i),
                TokenKind::Semicolon => return None,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_by_structure_and_keeps_comments() {
        let text = "model A \"a\"   // first\n\n\n\nReal x=1 ;\n      parameter Real p( min=0,\nmax = 2 )=3;\n/* kept\n as is */\nequation\nif x>0 then\nx=1;  // same line\nelse\nfor i in 1:3 loop\ny[i]=f(a,\nb);\nend for;\nend if;\nend A;";
        let expected = "model A \"a\"   // first\n\n  Real x = 1;\n  parameter Real p(min=0,\n    max = 2) = 3;\n  /* kept\n as is */\nequation\n  if x>0 then\n    x = 1;  // same line\n  else\n    for i in 1:3 loop\n      y[i] = f(a,\n        b);\n    end for;\n  end if;\nend A;\n";
        assert_eq!(format(text), expected);
        assert_eq!(format(expected), expected);
    }

    #[test]
    fn nested_and_short_classes() {
        let text = "package P\n\"text\"\nmodel extends M(a = 1) \"x\" + \"y\"\nend M;\nfunction f = g;\nreplaceable partial model N\nend N;\nReal x;\nend P;";
        let expected = "package P\n  \"text\"\n  model extends M(a = 1) \"x\" + \"y\"\n  end M;\n  function f = g;\n  replaceable partial model N\n  end N;\n  Real x;\nend P;\n";
        assert_eq!(format(text), expected);
    }

    #[test]
    fn broken_text_is_left_alone() {
        let text = "model A\n   Real ;\nend A;";
        assert_eq!(format(text), text);
    }
}
