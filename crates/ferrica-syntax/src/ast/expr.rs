//! Expressions of the syntax tree, with references and calls.

use ferrica_ir::{Span, Symbol};

use super::ForIterator;

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// Children are boxed so that a number in an array literal does not pay for them.
#[derive(Clone, Debug)]
#[allow(
    clippy::box_collection,
    reason = "thin pointers keep an expression at 32 bytes"
)]
pub enum ExprKind {
    Int(i64),
    Real(f64),
    Str(Box<String>),
    Bool(bool),
    Ref(Box<ComponentRef>),
    /// Also `der(x)`, `initial()`, `pure(f(x))`, `{…}`-less reductions `sum(x for i in 1:n)`.
    Call(Box<Call>),
    /// `function f(a = 1)`, only as an argument of a call.
    FunctionPartial(Box<Call>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<(Expr, Expr)>),
    If(Box<IfExpr>),
    Range(Box<RangeExpr>),
    /// `{a, b, c}`
    Array(Box<Vec<Expr>>),
    /// `{e for i in r}`
    ArrayComprehension(Box<Comprehension>),
    /// `[a, b; c, d]`, row by row.
    Matrix(Box<Vec<Vec<Expr>>>),
    /// `(a, , b)`. An expression in mere parentheses is not a tuple.
    Tuple(Box<Vec<Option<Expr>>>),
    /// `(e)[i]`, a subscripted expression in parentheses.
    Index(Box<(Expr, Vec<Subscript>)>),
    /// `(e).name`, a field of a record value.
    Field(Box<Expr>, Symbol),
    /// `end` in a subscript.
    End,
}

/// `.a.b[i].c`
#[derive(Clone, Debug, Default)]
pub struct ComponentRef {
    pub global: bool,
    /// At least one.
    pub parts: Vec<RefPart>,
    pub span: Span,
}

impl ComponentRef {
    /// The identifier, when the reference is a single one without subscripts.
    pub fn as_ident(&self) -> Option<Symbol> {
        match self.parts.as_slice() {
            [part] if !self.global && part.subscripts.is_empty() => Some(part.name),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct RefPart {
    pub name: Symbol,
    pub subscripts: Vec<Subscript>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Subscript {
    Expr(Expr),
    Colon(Span),
}

impl Subscript {
    pub fn span(&self) -> Span {
        match self {
            Subscript::Expr(e) => e.span,
            Subscript::Colon(span) => *span,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Call {
    pub function: ComponentRef,
    pub args: CallArgs,
}

/// With iterators, there is exactly one positional argument (a reduction) and no named one.
#[derive(Clone, Debug, Default)]
pub struct CallArgs {
    pub positional: Vec<Expr>,
    pub named: Vec<NamedArg>,
    pub iterators: Vec<ForIterator>,
}

#[derive(Clone, Debug)]
pub struct NamedArg {
    pub name: Symbol,
    pub value: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct IfExpr {
    /// `if c then e`, then each `elseif c then e`.
    pub branches: Vec<(Expr, Expr)>,
    pub otherwise: Expr,
}

#[derive(Clone, Debug)]
pub struct RangeExpr {
    pub start: Expr,
    pub step: Option<Expr>,
    pub stop: Expr,
}

#[derive(Clone, Debug)]
pub struct Comprehension {
    pub element: Expr,
    pub iterators: Vec<ForIterator>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    Plus,
    /// `.-`
    ElementwiseNeg,
    /// `.+`
    ElementwisePlus,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    ElementwiseAdd,
    ElementwiseSub,
    ElementwiseMul,
    ElementwiseDiv,
    ElementwisePow,
    And,
    Or,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl UnaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Plus => "+",
            UnaryOp::ElementwiseNeg => ".-",
            UnaryOp::ElementwisePlus => ".+",
            UnaryOp::Not => "not",
        }
    }
}

impl BinaryOp {
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Pow => "^",
            BinaryOp::ElementwiseAdd => ".+",
            BinaryOp::ElementwiseSub => ".-",
            BinaryOp::ElementwiseMul => ".*",
            BinaryOp::ElementwiseDiv => "./",
            BinaryOp::ElementwisePow => ".^",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "<>",
        }
    }

    pub fn is_relational(self) -> bool {
        matches!(
            self,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
        )
    }
}

const _: () = assert!(size_of::<Expr>() <= 32);
