//! Formatter: the same tokens and comments with tidy white space.
//!
//! In: Modelica text. Out: text with the same tokens in the same order. Lines stay lines; indentation follows the structure, trailing
//! white space and repeated blank lines go, words are spaced by one set of rules ([`spacing`]), annotations without comments
//! are folded ([`annotation`]), and an argument list that does not fit its line is broken behind commas. Strings and comments are copied as
//! they are. Formatting twice changes nothing more. A text with syntax errors comes back unchanged.

mod annotation;
mod spacing;

use ferrica_ir::FileId;

use self::annotation::bracket_of;
use self::spacing::{Bracket, Place, is_sign, spaced};
use crate::parser::{Parsed, parse};
use crate::token::TokenKind;

/// What can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Columns of a line, where its breaks are ours.
    pub width: usize,
    /// Spaces a level.
    pub indent: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            width: 100,
            indent: 2,
        }
    }
}

/// Formats a text with the default options.
pub fn format(text: &str) -> String {
    format_with(text, &Options::default())
}

/// Formats a text.
pub fn format_with(text: &str, options: &Options) -> String {
    let parsed = parse(FileId(0), text);
    if !parsed.errors.is_empty() {
        return text.to_owned();
    }
    format_parsed(&parsed, options)
}

/// Formats a text that has no syntax errors.
pub fn format_parsed(parsed: &Parsed<'_>, options: &Options) -> String {
    Formatter::new(parsed, options).run()
}

/// A word or comment as it is written.
struct Word<'p> {
    kind: TokenKind,
    text: &'p str,
}

/// What the lines that follow are indented for.
#[derive(Clone, Copy, PartialEq)]
enum Frame {
    Class,
    /// `if`, `for`, `when`, `while`.
    Block,
}

/// An open bracket.
struct Open {
    bracket: Bracket,
    /// It is the first that its line leaves open.
    first: bool,
    line: usize,
    /// The present argument began with `redeclare` or `replaceable`.
    redeclares: bool,
    /// An argument is about to begin.
    at_argument: bool,
}

struct Formatter<'p> {
    parsed: &'p Parsed<'p>,
    options: &'p Options,
    newline: &'static str,
    out: String,
    /// Where the present line of the output begins.
    line_start: usize,
    frames: Vec<Frame>,
    brackets: Vec<Open>,
    line: usize,
    /// The next word starts an element, equation or statement.
    at_start: bool,
    /// In an equation or algorithm section, where `if`, `for`, … open blocks.
    in_behavior: Vec<bool>,
    /// Index of the word that ends the header of a class or block.
    header_end: Option<usize>,
    /// In an import clause.
    imports: bool,
    /// The last word, and whether it was a sign.
    last: Option<(TokenKind, bool)>,
}

impl<'p> Formatter<'p> {
    fn new(parsed: &'p Parsed<'p>, options: &'p Options) -> Formatter<'p> {
        Formatter {
            parsed,
            options,
            newline: if parsed.text.contains("\r\n") {
                "\r\n"
            } else {
                "\n"
            },
            out: String::with_capacity(parsed.text.len()),
            line_start: 0,
            frames: Vec::new(),
            brackets: Vec::new(),
            line: 0,
            at_start: true,
            in_behavior: Vec::new(),
            header_end: None,
            imports: false,
            last: None,
        }
    }

    fn run(mut self) -> String {
        let count = self.parsed.tokens.len();
        let mut gap = "";
        let mut previous: Option<TokenKind> = None;
        let mut index = 0;
        while index < count {
            let kind = self.parsed.tokens[index].kind;
            match kind {
                TokenKind::Eof => break,
                TokenKind::Whitespace => {
                    gap = self.parsed.token_text(index);
                    index += 1;
                    continue;
                }
                _ => {}
            }
            let breaks = gap.matches('\n').count();
            let annotation = self.annotation_end(kind, index);
            let breaks = match previous {
                None => 0,
                Some(_) if breaks > 0 => breaks.min(2),
                Some(before) => usize::from(self.must_break(before, index, annotation)),
            };
            for _ in 0..breaks {
                self.out.push_str(self.newline);
            }
            if breaks > 0 {
                self.line += 1;
                self.line_start = self.out.len();
            }
            if previous.is_none() || breaks > 0 {
                let indent = self.indent_of(kind, index) * self.options.indent;
                self.out.push_str(&" ".repeat(indent));
            } else if let Some(before) = previous {
                self.out.push_str(self.space(before, kind, gap));
            }
            if let Some(end) = annotation {
                self.fold(index, end);
                index = end + 1;
                previous = Some(TokenKind::RParen);
                self.last = Some((TokenKind::RParen, false));
                self.at_start = false;
            } else {
                let text = self.parsed.token_text(index);
                self.write(kind, text);
                if !kind.is_trivia() {
                    self.track(kind, index);
                    self.last = Some((kind, is_sign(kind, self.last.map(|l| l.0))));
                }
                previous = Some(kind);
                index += 1;
            }
            gap = "";
        }
        if !self.out.is_empty() {
            self.out.push_str(self.newline);
        }
        self.out
    }

    fn write(&mut self, kind: TokenKind, text: &str) {
        let text = match kind {
            TokenKind::LineComment => text.trim_end_matches(['\r', ' ', '\t']),
            _ => text,
        };
        self.out.push_str(text);
        if let Some(at) = text.rfind('\n') {
            self.line_start = self.out.len() - (text.len() - at - 1);
        }
    }

    fn column(&self) -> usize {
        self.out[self.line_start..].chars().count()
    }

    /// The last word of an annotation that begins here and has no comments in it.
    fn annotation_end(&self, kind: TokenKind, index: usize) -> Option<usize> {
        use TokenKind::*;
        if kind != Annotation {
            return None;
        }
        let mut depth = 0_u32;
        for (i, token) in self.parsed.tokens.iter().enumerate().skip(index + 1) {
            match token.kind {
                LParen | LBracket | LBrace => depth += 1,
                RParen | RBracket | RBrace => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(i);
                    }
                }
                LineComment | BlockComment | Eof => return None,
                _ => {}
            }
        }
        None
    }

    fn words(&self, from: usize, to: usize) -> Vec<Word<'p>> {
        let tokens = self.parsed.tokens[from..=to].iter().enumerate();
        tokens
            .filter(|(_, t)| !t.kind.is_trivia())
            .map(|(i, t)| Word {
                kind: t.kind,
                text: self.parsed.token_text(from + i),
            })
            .collect()
    }

    fn fold(&mut self, from: usize, to: usize) {
        let words = self.words(from, to);
        let column = self.column();
        let line = &self.out[self.line_start..];
        let indent = line.len() - line.trim_start_matches(' ').len();
        let text = annotation::fold(&words, column, indent, self.options, self.newline);
        self.line += text.matches('\n').count();
        self.write(TokenKind::Annotation, &text);
    }

    /// Does the word need a new line although the text has none? An annotation does where it does not fit, and an argument behind
    /// a comma.
    fn must_break(&self, before: TokenKind, index: usize, annotation: Option<usize>) -> bool {
        if let Some(end) = annotation {
            let width = annotation::flat_width(&self.words(index, end));
            let behind = 1 + "; ".len();
            return self.brackets.is_empty()
                && !self.line_is_empty()
                && width.is_none_or(|w| self.column() + w + behind > self.options.width);
        }
        before == TokenKind::Comma
            && !self.brackets.is_empty()
            && self.column() + 1 + self.argument_width(index) > self.options.width
    }

    fn line_is_empty(&self) -> bool {
        self.out[self.line_start..].trim().is_empty()
    }

    /// Columns of the argument that begins here, up to its comma or closing bracket, or to a break of the text.
    fn argument_width(&self, index: usize) -> usize {
        use TokenKind::*;
        let mut open: Vec<Bracket> = Vec::new();
        let mut last: Option<(TokenKind, bool)> = None;
        let mut redeclares = false;
        let mut width = 0;
        for (i, token) in self.parsed.tokens.iter().enumerate().skip(index) {
            let (kind, text) = (token.kind, self.parsed.token_text(i));
            match kind {
                Whitespace if !text.contains('\n') => continue,
                Eof | Whitespace | LineComment | BlockComment => break,
                RParen | RBracket | RBrace | Comma | Semicolon if open.is_empty() => {
                    return width + 1;
                }
                Redeclare | Replaceable if last.is_none() => redeclares = true,
                _ => {}
            }
            if let Some((before, after_sign)) = last {
                let outer = self.brackets.last().map(|b| b.bracket);
                let place = Place {
                    bracket: open.last().copied().or(outer),
                    redeclares: redeclares && open.is_empty(),
                    in_annotation: false,
                    imports: false,
                    after_sign,
                };
                width += usize::from(spaced(before, kind, place));
            }
            match kind {
                LParen | LBracket | LBrace => open.push(bracket_of(kind, last.map(|l| l.0))),
                RParen | RBracket | RBrace => {
                    open.pop();
                }
                _ => {}
            }
            if let Some(at) = text.find('\n') {
                return width + text[..at].chars().count();
            }
            width += text.chars().count();
            last = Some((kind, is_sign(kind, last.map(|l| l.0))));
        }
        width
    }

    /// What stands between two tokens of a line.
    fn space(&self, before: TokenKind, after: TokenKind, gap: &'p str) -> &'p str {
        use TokenKind::*;
        if after == LineComment || after == BlockComment {
            return if gap.is_empty() { " " } else { gap };
        }
        if before == BlockComment {
            return gap;
        }
        let open = self.brackets.last();
        let place = Place {
            bracket: open.map(|b| b.bracket),
            redeclares: open.is_some_and(|b| b.redeclares),
            in_annotation: false,
            imports: self.imports,
            after_sign: self.last.is_some_and(|l| l.1),
        };
        if spaced(before, after, place) {
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
        let levels = |brackets: &[Open]| brackets.iter().filter(|b| b.first).count();
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
                if let Some(open) = self.brackets.last_mut() {
                    open.at_argument = false;
                }
                let first = (self.brackets.last()).is_none_or(|open| open.line != self.line);
                self.brackets.push(Open {
                    bracket: bracket_of(kind, self.last.map(|l| l.0)),
                    first,
                    line: self.line,
                    redeclares: false,
                    at_argument: true,
                });
            }
            RParen | RBracket | RBrace => {
                self.brackets.pop();
            }
            _ => {
                if let Some(open) = self.brackets.last_mut() {
                    let begins = std::mem::replace(&mut open.at_argument, kind == Comma);
                    if kind == Comma {
                        open.redeclares = false;
                    } else if begins {
                        open.redeclares = matches!(kind, Redeclare | Replaceable);
                    }
                }
            }
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
            Semicolon => {
                self.imports = false;
                self.at_start = true;
            }
            Import => self.imports = true,
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
        let expected = "model A \"a\"   // first\n\n  Real x = 1;\n  parameter Real p(min=0,\n    max=2) = 3;\n  /* kept\n as is */\nequation\n  if x > 0 then\n    x = 1;  // same line\n  else\n    for i in 1:3 loop\n      y[i] = f(a,\n        b);\n    end for;\n  end if;\nend A;\n";
        assert_eq!(format(text), expected);
        assert_eq!(format(expected), expected);
    }

    #[test]
    fn nested_and_short_classes() {
        let text = "package P\n\"text\"\nmodel extends M(a = 1) \"x\" + \"y\"\nend M;\nfunction f = g;\nreplaceable partial model N\nend N;\nReal x;\nend P;";
        let expected = "package P\n  \"text\"\n  model extends M(a=1) \"x\" + \"y\"\n  end M;\n  function f = g;\n  replaceable partial model N\n  end N;\n  Real x;\nend P;\n";
        assert_eq!(format(text), expected);
    }

    /// The result, and that formatting it again changes nothing.
    fn check(text: &str, expected: &str) {
        let once = format(text);
        assert_eq!(once, expected);
        assert_eq!(format(&once), once);
    }

    #[test]
    fn words_are_spaced_by_rule() {
        check(
            "model A import B.*;\nReal x( start=-1,min = 0 )=- a [ i+1 ]*2+f (b ,c)^2;\n\
             extends .M.N(redeclare model P=Q(k=1));\nequation\nx=1 ./y;\n\
             z=if not(a<b)and c then -1 else{1,2,y[end]};\nend A;",
            "model A import B.*;\n  Real x(start=-1, min=0) = -a[i+1]*2 + f(b, c)^2;\n  \
             extends .M.N(redeclare model P = Q(k=1));\nequation\n  x = 1 ./ y;\n  \
             z = if not (a < b) and c then -1 else {1, 2, y[end]};\nend A;\n",
        );
    }

    #[test]
    fn annotations_are_folded() {
        check(
            "model A\nReal x annotation (\n  Dialog(\n group = \"g\"));\nannotation(Icon(graphics={Line(points={{-100,0},\n{100,0}}, \
             color={0,0,255}, thickness=0.5),Text(extent={{-150,90},{150,50}},textString=\"%name\")}));\nend A;",
            "model A\n  Real x annotation(Dialog(group=\"g\"));\n  annotation(\n    Icon(\n      graphics={\n        \
             Line(points={{-100,0},{100,0}}, color={0,0,255}, thickness=0.5),\n        \
             Text(extent={{-150,90},{150,50}}, textString=\"%name\")}));\nend A;\n",
        );
    }

    #[test]
    fn a_comment_keeps_its_annotation_as_it_is() {
        check(
            "model A\n  annotation(a = 1, // why\n    b=2);\nend A;\n",
            "model A\n  annotation(a=1, // why\n    b=2);\nend A;\n",
        );
    }

    #[test]
    fn long_argument_lists_are_broken_behind_commas() {
        let options = Options {
            width: 30,
            indent: 4,
        };
        let text =
            "model A\nequation\n  y = f(first_argument, g(second, third), fourth);\nend A;\n";
        let expected = "model A\nequation\n    y = f(first_argument,\n        g(second, third),\n        fourth);\nend A;\n";
        assert_eq!(format_with(text, &options), expected);
        assert_eq!(format_with(expected, &options), expected);
    }

    #[test]
    fn broken_text_is_left_alone() {
        let text = "model A\n   Real ;\nend A;";
        assert_eq!(format(text), text);
    }
}
