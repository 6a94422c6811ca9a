//! Annotations, folded: on one line where they fit, else one argument a line, each folded in turn.
//!
//! In: the words of `annotation(…)`, the column and the indentation. Out: text. Lists in braces, mostly points and colours, are filled;
//! a string of several lines keeps its lines.

use super::spacing::{Bracket, Place, is_sign, spaced};
use super::{Options, Word};
use crate::token::TokenKind;

/// A piece between brackets: words, and groups with their arguments.
enum Part<'w> {
    Word(&'w Word<'w>),
    Group {
        open: &'w Word<'w>,
        close: &'w Word<'w>,
        items: Vec<Item<'w>>,
        bracket: Bracket,
    },
}

/// An argument, and the comma or semicolon behind it.
struct Item<'w> {
    parts: Vec<Part<'w>>,
    separator: Option<&'w Word<'w>>,
}

/// The text of an annotation that begins at `column` of a line with `indent` columns before its first word.
pub fn fold(
    words: &[Word<'_>],
    column: usize,
    indent: usize,
    options: &Options,
    newline: &str,
) -> String {
    let mut rest = words;
    let item = parse_item(&mut rest, false);
    let mut folder = Folder {
        options,
        newline,
        out: String::new(),
        column,
    };
    folder.parts(&item.parts, None, indent, 0);
    folder.out
}

/// Columns of the text on one line; `None` where a string has several lines.
pub fn flat_width(words: &[Word<'_>]) -> Option<usize> {
    let mut rest = words;
    let item = parse_item(&mut rest, false);
    let mut text = String::new();
    flat_parts(&item.parts, None, &mut text);
    (!text.contains('\n')).then(|| text.chars().count())
}

fn parse_item<'w>(rest: &mut &'w [Word<'w>], inside: bool) -> Item<'w> {
    use TokenKind::*;
    let mut parts = Vec::new();
    let mut before = None;
    while let Some((word, tail)) = rest.split_first() {
        match word.kind {
            RParen | RBracket | RBrace if inside => break,
            Comma | Semicolon if inside => {
                *rest = tail;
                let separator = Some(word);
                return Item { parts, separator };
            }
            LParen | LBracket | LBrace => {
                *rest = tail;
                let bracket = bracket_of(word.kind, before);
                let mut items = Vec::new();
                loop {
                    let item = parse_item(rest, true);
                    let last = item.separator.is_none();
                    if !(last && item.parts.is_empty()) {
                        items.push(item);
                    }
                    if last {
                        break;
                    }
                }
                let Some((close, tail)) = rest.split_first() else {
                    break;
                };
                *rest = tail;
                parts.push(Part::Group {
                    open: word,
                    close,
                    items,
                    bracket,
                });
                before = Some(close.kind);
                continue;
            }
            _ => parts.push(Part::Word(word)),
        }
        before = Some(word.kind);
        *rest = tail;
    }
    Item {
        parts,
        separator: None,
    }
}

/// The bracket that `kind` opens behind a word.
pub fn bracket_of(kind: TokenKind, before: Option<TokenKind>) -> Bracket {
    match kind {
        TokenKind::LBrace => Bracket::Curly,
        TokenKind::LBracket
            if before.is_some_and(|b| matches!(b, TokenKind::Ident | TokenKind::RBracket)) =>
        {
            Bracket::Subscript
        }
        TokenKind::LBracket => Bracket::Matrix,
        _ => Bracket::Round,
    }
}

/// Whether a space stands between two words of an annotation.
fn space(
    before: Option<(TokenKind, bool)>,
    after: TokenKind,
    bracket: Option<Bracket>,
    redeclares: bool,
) -> bool {
    before.is_some_and(|(kind, after_sign)| {
        let place = Place {
            bracket,
            redeclares,
            in_annotation: true,
            imports: false,
            after_sign,
        };
        spaced(kind, after, place)
    })
}

fn redeclares(parts: &[Part<'_>]) -> bool {
    matches!(parts.first(), Some(Part::Word(w)) if matches!(w.kind, TokenKind::Redeclare | TokenKind::Replaceable))
}

/// The kind of a word and whether it is a sign, for what follows it.
fn seen(word: &Word<'_>, before: Option<(TokenKind, bool)>) -> Option<(TokenKind, bool)> {
    Some((word.kind, is_sign(word.kind, before.map(|b| b.0))))
}

fn flat_parts(parts: &[Part<'_>], bracket: Option<Bracket>, out: &mut String) {
    let of_redeclaration = redeclares(parts);
    let mut before = None;
    for part in parts {
        let (first, last) = match part {
            Part::Word(w) => (*w, *w),
            Part::Group { open, close, .. } => (*open, *close),
        };
        if space(before, first.kind, bracket, of_redeclaration) {
            out.push(' ');
        }
        match part {
            Part::Word(w) => out.push_str(w.text),
            Part::Group { items, bracket, .. } => {
                out.push_str(first.text);
                for (k, item) in items.iter().enumerate() {
                    if k > 0 && *bracket != Bracket::Curly {
                        out.push(' ');
                    }
                    flat_parts(&item.parts, Some(*bracket), out);
                    if let Some(s) = item.separator {
                        out.push_str(s.text);
                    }
                }
                out.push_str(last.text);
            }
        }
        before = seen(last, before);
    }
}

/// Is it a call with arguments, such as one graphical element?
fn has_arguments(parts: &[Part<'_>]) -> bool {
    let round = |p: &Part<'_>| {
        matches!(
            p,
            Part::Group {
                bracket: Bracket::Round,
                ..
            }
        )
    };
    parts.iter().any(round)
}

struct Folder<'o> {
    options: &'o Options,
    newline: &'o str,
    out: String,
    column: usize,
}

impl Folder<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        self.column = match text.rfind('\n') {
            Some(at) => text[at + 1..].chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    fn line(&mut self, indent: usize) {
        self.out.push_str(self.newline);
        self.out.push_str(&" ".repeat(indent));
        self.column = indent;
    }

    fn fits(&self, text: &str, behind: usize) -> bool {
        !text.contains('\n') && self.column + text.chars().count() + behind <= self.options.width
    }

    /// Writes an argument; `behind` columns follow it on its line.
    fn parts(
        &mut self,
        parts: &[Part<'_>],
        bracket: Option<Bracket>,
        indent: usize,
        behind: usize,
    ) {
        let mut flat = String::new();
        flat_parts(parts, bracket, &mut flat);
        if self.fits(&flat, behind) {
            self.text(&flat);
            return;
        }
        let of_redeclaration = redeclares(parts);
        let mut before = None;
        for part in parts {
            let (first, last) = match part {
                Part::Word(w) => (*w, *w),
                Part::Group { open, close, .. } => (*open, *close),
            };
            if space(before, first.kind, bracket, of_redeclaration) {
                self.text(" ");
            }
            match part {
                Part::Word(w) => self.text(w.text),
                Part::Group { .. } => self.group(part, indent, behind),
            }
            before = seen(last, before);
        }
    }

    fn group(&mut self, part: &Part<'_>, indent: usize, behind: usize) {
        let Part::Group {
            open,
            close,
            items,
            bracket,
        } = part
        else {
            return;
        };
        self.text(open.text);
        let inner = indent + self.options.indent;
        let one_a_line =
            *bracket == Bracket::Round || items.iter().any(|i| has_arguments(&i.parts));
        for (k, item) in items.iter().enumerate() {
            let last = k + 1 == items.len();
            let after = if last { 1 + behind } else { 1 };
            if one_a_line {
                self.line(inner);
            } else if k > 0 {
                let mut flat = String::new();
                flat_parts(&item.parts, Some(*bracket), &mut flat);
                let gap = usize::from(*bracket != Bracket::Curly);
                if !self.fits(&flat, after + gap) {
                    self.line(inner);
                } else if gap == 1 {
                    self.text(" ");
                }
            }
            self.parts(&item.parts, Some(*bracket), inner, after);
            if let Some(s) = item.separator {
                self.text(s.text);
            }
        }
        self.text(close.text);
    }
}
