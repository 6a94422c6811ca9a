//! Kinds of tokens and the words of the language.

/// A token reaches from `start` to the start of the next one; the last token is `Eof`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub start: u32,
    pub kind: TokenKind,
}

macro_rules! tokens {
    (
        plain { $($plain:ident => $describe:literal,)* }
        keywords { $($keyword:ident => $word:literal,)* }
        symbols { $($symbol:ident => $text:literal,)* }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum TokenKind { $($plain,)* $($keyword,)* $($symbol,)* }

        impl TokenKind {
            /// The token as a message names it.
            pub fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$plain => $describe,)*
                    $(TokenKind::$keyword => concat!("`", $word, "`"),)*
                    $(TokenKind::$symbol => concat!("`", $text, "`"),)*
                }
            }

            pub fn is_keyword(self) -> bool {
                matches!(self, $(TokenKind::$keyword)|*)
            }
        }

        /// The keyword that `word` is, if it is one.
        pub fn keyword(word: &str) -> Option<TokenKind> {
            match word {
                $($word => Some(TokenKind::$keyword),)*
                _ => None,
            }
        }
    };
}

tokens! {
    plain {
        Eof => "the end of the text",
        Whitespace => "white space",
        LineComment => "a comment",
        BlockComment => "a comment",
        Unknown => "an unknown character",
        Ident => "a name",
        Int => "a number",
        Real => "a number",
        Str => "a string",
    }
    keywords {
        Algorithm => "algorithm", And => "and", Annotation => "annotation", Block => "block",
        Break => "break", Class => "class", Connect => "connect", Connector => "connector",
        Constant => "constant", Constrainedby => "constrainedby", Der => "der",
        Discrete => "discrete", Each => "each", Else => "else", Elseif => "elseif",
        Elsewhen => "elsewhen", Encapsulated => "encapsulated", End => "end",
        Enumeration => "enumeration", Equation => "equation", Expandable => "expandable",
        Extends => "extends", External => "external", False => "false", Final => "final",
        Flow => "flow", For => "for", Function => "function", If => "if", Import => "import",
        Impure => "impure", In => "in", Initial => "initial", Inner => "inner", Input => "input",
        Loop => "loop", Model => "model", Not => "not", Operator => "operator", Or => "or",
        Outer => "outer", Output => "output", Package => "package", Parameter => "parameter",
        Partial => "partial", Protected => "protected", Public => "public", Pure => "pure",
        Record => "record", Redeclare => "redeclare", Replaceable => "replaceable",
        Return => "return", Stream => "stream", Then => "then", True => "true", Type => "type",
        When => "when", While => "while", Within => "within",
    }
    symbols {
        LParen => "(", RParen => ")", LBracket => "[", RBracket => "]", LBrace => "{",
        RBrace => "}", Comma => ",", Semicolon => ";", Colon => ":", Dot => ".", Assign => ":=",
        Equals => "=", EqEq => "==", NotEq => "<>", Less => "<", LessEq => "<=", Greater => ">",
        GreaterEq => ">=", Plus => "+", Minus => "-", Star => "*", Slash => "/", Caret => "^",
        DotPlus => ".+", DotMinus => ".-", DotStar => ".*", DotSlash => "./", DotCaret => ".^",
    }
}

impl TokenKind {
    /// White space and comments: kept in the token list, skipped by the parser.
    pub fn is_trivia(self) -> bool {
        matches!(
            self,
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment
        )
    }
}
