//! What stands between two words of a line.
//!
//! In: a word, the one before it and the bracket they are in. Out: a space or nothing. Assignments, relations, sums and logical
//! operators have spaces, and so have all that work element by element; products, powers, ranges and what is in subscripts have none; `=` has them outside of brackets and in
//! redeclarations.

use crate::token::TokenKind::{self, *};

/// The bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `(`: arguments or modifiers.
    Round,
    /// `[` of a matrix.
    Matrix,
    /// `[` behind a name.
    Subscript,
    /// `{`
    Curly,
}

/// Where two words meet.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub bracket: Option<Bracket>,
    /// The argument began with `redeclare` or `replaceable`.
    pub redeclares: bool,
    /// In an annotation, where lists of points are long.
    pub in_annotation: bool,
    /// In an import clause.
    pub imports: bool,
    /// The word before is a sign, not an operator between two terms.
    pub after_sign: bool,
}

/// Ends a term: what follows is an operator, not a sign.
pub fn ends_term(kind: TokenKind) -> bool {
    matches!(
        kind,
        Ident | Int | Real | Str | True | False | End | RParen | RBracket | RBrace
    )
}

/// Is `kind` a sign behind `before`?
pub fn is_sign(kind: TokenKind, before: Option<TokenKind>) -> bool {
    matches!(kind, Plus | Minus | DotPlus | DotMinus) && !before.is_some_and(ends_term)
}

/// Words that are called like functions.
fn is_called(kind: TokenKind) -> bool {
    matches!(
        kind,
        Ident | Der | Initial | Connect | Annotation | Enumeration | Pure | RParen | RBracket | End
    )
}

/// Is there a space between `before` and `after`?
pub fn spaced(before: TokenKind, after: TokenKind, at: Place) -> bool {
    let in_subscript = at.bracket == Some(Bracket::Subscript);
    match (before, after) {
        (LParen | LBracket | LBrace, _) | (_, RParen | RBracket | RBrace) => false,
        (_, Comma | Semicolon) => false,
        (Comma, _) => !(at.in_annotation && at.bracket == Some(Bracket::Curly)),
        (Semicolon, _) => true,
        // A name that begins at the top level, `.A.B`, keeps its distance from the word in front.
        (_, Dot) if !matches!(before, Ident | RParen | RBracket) => {
            !matches!(before, Star | Slash | Caret | Colon)
                && !at.after_sign
                && spaced(before, Ident, at)
        }
        (Dot, _) | (_, Dot) | (Colon, _) | (_, Colon) => false,
        (Equals, _) | (_, Equals) => at.bracket.is_none() || at.redeclares,
        // `1 ./ x` would begin with the number `1.` without the space.
        (DotStar | DotSlash | DotCaret, _) => true,
        // `import A.B.*`
        (Ident, DotStar) if at.imports => false,
        (_, DotStar | DotSlash | DotCaret) => true,
        (Star | Slash | Caret, _) | (_, Star | Slash | Caret) => false,
        _ if at.after_sign => false,
        (Plus | Minus | DotPlus | DotMinus, _) => !in_subscript,
        (_, Plus | Minus | DotPlus | DotMinus) => !in_subscript || !ends_term(before),
        (_, LParen | LBracket) => !is_called(before),
        _ => true,
    }
}
