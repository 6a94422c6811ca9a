//! Expressions, component references and calls.
//!
//! Operators are read by precedence climbing. The levels, from loose to tight: `or`, `and`, `not`,
//! relations (at most one), `+ -` (with one sign in front of the first term), `* /`, `^` (at most
//! one). A chain of operators is a loop, not a recursion.

use ferrica_ir::{Diagnostic, Span};

use super::{Parse, Parser};
use crate::ast::*;
use crate::token::TokenKind;

const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const RELATION: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const POWER: u8 = 7;

fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::Or => (BinaryOp::Or, OR),
        TokenKind::And => (BinaryOp::And, AND),
        TokenKind::Less => (BinaryOp::Lt, RELATION),
        TokenKind::LessEq => (BinaryOp::Le, RELATION),
        TokenKind::Greater => (BinaryOp::Gt, RELATION),
        TokenKind::GreaterEq => (BinaryOp::Ge, RELATION),
        TokenKind::EqEq => (BinaryOp::Eq, RELATION),
        TokenKind::NotEq => (BinaryOp::Ne, RELATION),
        TokenKind::Plus => (BinaryOp::Add, SUM),
        TokenKind::Minus => (BinaryOp::Sub, SUM),
        TokenKind::DotPlus => (BinaryOp::ElementwiseAdd, SUM),
        TokenKind::DotMinus => (BinaryOp::ElementwiseSub, SUM),
        TokenKind::Star => (BinaryOp::Mul, PRODUCT),
        TokenKind::Slash => (BinaryOp::Div, PRODUCT),
        TokenKind::DotStar => (BinaryOp::ElementwiseMul, PRODUCT),
        TokenKind::DotSlash => (BinaryOp::ElementwiseDiv, PRODUCT),
        TokenKind::Caret => (BinaryOp::Pow, POWER),
        TokenKind::DotCaret => (BinaryOp::ElementwisePow, POWER),
        _ => return None,
    })
}

fn sign(kind: TokenKind) -> Option<UnaryOp> {
    Some(match kind {
        TokenKind::Plus => UnaryOp::Plus,
        TokenKind::Minus => UnaryOp::Neg,
        TokenKind::DotPlus => UnaryOp::ElementwisePlus,
        TokenKind::DotMinus => UnaryOp::ElementwiseNeg,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Any expression, `if` expressions included.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        match self.kind() {
            TokenKind::If => self.nested(Self::if_expression),
            _ => self.simple_expression(),
        }
    }

    /// `if a then b elseif c then d else e`; `else if` continues the same list of branches.
    fn if_expression(&mut self) -> Parse<Expr> {
        let start = self.start();
        let mut branches = Vec::new();
        loop {
            self.advance();
            let condition = self.expression()?;
            self.expect(TokenKind::Then, "after the condition")?;
            branches.push((condition, self.expression()?));
            if self.at(TokenKind::Elseif) {
                continue;
            }
            if !self.eat(TokenKind::Else) {
                return Err(self.unexpected_with_hint(
                    "`else` in this if expression",
                    "an if expression always has a value, so it needs an `else` branch",
                ));
            }
            if !self.at(TokenKind::If) {
                break;
            }
        }
        let otherwise = self.expression()?;
        let kind = ExprKind::If(Box::new(IfExpr {
            branches,
            otherwise,
        }));
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    /// A range or an expression of operators.
    pub(super) fn simple_expression(&mut self) -> Parse<Expr> {
        let first = self.operators(OR)?;
        if !self.at(TokenKind::Colon) {
            return Ok(first);
        }
        self.advance();
        let second = self.operators(OR)?;
        let span = first.span;
        let range = if self.eat(TokenKind::Colon) {
            let stop = self.operators(OR)?;
            RangeExpr {
                start: first,
                step: Some(second),
                stop,
            }
        } else {
            RangeExpr {
                start: first,
                step: None,
                stop: second,
            }
        };
        Ok(Expr {
            kind: ExprKind::Range(Box::new(range)),
            span: self.span_from(span.start),
        })
    }

    /// Operators of level `lowest` and tighter. Keeps account of the height of the tree.
    fn operators(&mut self, lowest: u8) -> Parse<Expr> {
        let outer = std::mem::take(&mut self.height);
        let start = self.start();
        let mut left = self.operand(lowest)?;
        while let Some((op, level)) = binary_operator(self.kind()) {
            if level < lowest {
                break;
            }
            let left_height = std::mem::take(&mut self.height);
            self.advance();
            let right = self.operators(level + 1)?;
            self.height = self.height.max(left_height) + 1;
            if self.height > super::MAX_HEIGHT {
                return Err(self.too_deep());
            }
            let kind = ExprKind::Binary(op, Box::new((left, right)));
            left = Expr {
                kind,
                span: self.span_from(start),
            };
            self.check_not_chained(level);
        }
        self.height = outer.max(self.height + 1);
        Ok(left)
    }

    /// `a < b < c` and `a ^ b ^ c` are not in the grammar.
    fn check_not_chained(&mut self, level: u8) {
        if (level == RELATION || level == POWER)
            && binary_operator(self.kind()).is_some_and(|(_, next)| next == level)
        {
            let error = self.error_here(
                "E0106",
                format!("a second `{}` needs parentheses", self.word_text(self.at)),
            );
            let hint = if level == RELATION {
                "to test whether b lies between: `a < b and b < c`"
            } else {
                "write `(a ^ b) ^ c` or `a ^ (b ^ c)`"
            };
            self.report(error.with_hint(hint));
        }
    }

    fn operand(&mut self, lowest: u8) -> Parse<Expr> {
        let start = self.start();
        let (op, level) = match (self.kind(), sign(self.kind())) {
            (_, Some(op)) => (op, SUM),
            (TokenKind::Not, _) => (UnaryOp::Not, NOT),
            _ => return self.primary(),
        };
        if level < lowest {
            let word = self.word_text(self.at);
            let error = self
                .error_here(
                    "E0106",
                    format!("`{word}` here needs parentheses around its operand"),
                )
                .with_hint(format!("write `({word}…)`"));
            self.report(error);
        }
        self.advance();
        let operand = self.nested(|p| p.operators((level + 1).max(lowest)))?;
        let kind = ExprKind::Unary(op, Box::new(operand));
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    fn primary(&mut self) -> Parse<Expr> {
        let span = self.span();
        let kind = match self.kind() {
            TokenKind::Int => self.integer(),
            TokenKind::Real => self.real(span),
            TokenKind::Str => ExprKind::Str(Box::new(self.string_value())),
            TokenKind::True | TokenKind::False => {
                let value = self.at(TokenKind::True);
                self.advance();
                ExprKind::Bool(value)
            }
            TokenKind::Ident | TokenKind::Dot => self.reference_or_call()?,
            TokenKind::Der | TokenKind::Initial | TokenKind::Pure => self.keyword_call()?,
            TokenKind::LParen => return self.nested(Self::parenthesized),
            TokenKind::LBrace => self.nested(Self::array)?,
            TokenKind::LBracket => self.nested(Self::matrix)?,
            TokenKind::End if self.in_subscript > 0 => {
                self.advance();
                ExprKind::End
            }
            TokenKind::If => {
                let error = self
                    .error_here("E0106", "`if` inside an expression needs parentheses")
                    .with_hint("write `(if … then … else …)`");
                self.report(error);
                return self.nested(Self::if_expression);
            }
            TokenKind::Equals => {
                return Err(
                    self.unexpected_with_hint("an expression", "two values are compared with `==`")
                );
            }
            kind if self.misused.contains(&kind) => self.reference_or_call()?,
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr {
            kind,
            span: self.span_from(span.start),
        })
    }

    fn integer(&mut self) -> ExprKind {
        let text = self.word_text(self.at);
        let kind = match text.parse::<i64>() {
            Ok(value) => ExprKind::Int(value),
            // Digits only, so the one way to fail is to be too large for an integer.
            Err(_) => ExprKind::Real(text.parse().unwrap_or(f64::INFINITY)),
        };
        if matches!(kind, ExprKind::Real(value) if value.is_infinite()) {
            self.number_too_large(self.span());
        }
        self.advance();
        kind
    }

    fn real(&mut self, span: Span) -> ExprKind {
        let value = self.word_text(self.at).parse().unwrap_or(f64::INFINITY);
        if f64::is_infinite(value) {
            self.number_too_large(span);
        }
        self.advance();
        ExprKind::Real(value)
    }

    fn number_too_large(&mut self, span: Span) {
        let error = Diagnostic::error("E0110", span, "this number is too large")
            .with_hint("the largest number is Modelica.Constants.inf, about 1.8e308");
        self.report(error);
    }

    fn reference_or_call(&mut self) -> Parse<ExprKind> {
        let reference = self.component_reference()?;
        if !self.at(TokenKind::LParen) {
            return Ok(ExprKind::Ref(Box::new(reference)));
        }
        let args = self.call_args()?;
        let span = self.span_from(reference.span.start);
        let call = ExprKind::Call(Box::new(Call {
            function: reference,
            args,
        }));
        if !self.at(TokenKind::LBracket) && !self.at(TokenKind::Dot) {
            return Ok(call);
        }
        let error = self
            .error_here("E0106", "a part of the result of a call needs parentheses")
            .with_hint("write `(f(x))[i]` or `(f(x)).name`");
        self.report(error);
        Ok(self.part_of(Expr { kind: call, span })?.kind)
    }

    /// Subscripts or a field behind a value.
    fn part_of(&mut self, value: Expr) -> Parse<Expr> {
        let start = value.span.start;
        let kind = match self.kind() {
            TokenKind::LBracket => {
                let subscripts = self.subscripts_if_any()?;
                ExprKind::Index(Box::new((value, subscripts)))
            }
            TokenKind::Dot => {
                self.advance();
                let (field, _) = self.ident("the name of a field after `.`")?;
                ExprKind::Field(Box::new(value), field)
            }
            _ => return Ok(value),
        };
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    /// `der(x)`, `initial()`, `pure(f(x))`
    fn keyword_call(&mut self) -> Parse<ExprKind> {
        let span = self.span();
        let text = self.word_text(self.at);
        let name = self.intern(text);
        self.advance();
        if !self.at(TokenKind::LParen) {
            return Err(self.unexpected(&format!("`(` after `{text}`")));
        }
        let part = RefPart {
            name,
            subscripts: Vec::new(),
            span,
        };
        let function = ComponentRef {
            global: false,
            parts: vec![part],
            span,
        };
        let args = self.call_args()?;
        Ok(ExprKind::Call(Box::new(Call { function, args })))
    }

    /// `.a.b[i].c`
    pub(super) fn component_reference(&mut self) -> Parse<ComponentRef> {
        let start = self.start();
        let global = self.eat(TokenKind::Dot);
        let mut parts = Vec::with_capacity(1);
        loop {
            let part_start = self.start();
            let (name, _) = self.ident("the name of a component")?;
            let subscripts = self.subscripts_if_any()?;
            parts.push(RefPart {
                name,
                subscripts,
                span: self.span_from(part_start),
            });
            if !self.eat(TokenKind::Dot) {
                return Ok(ComponentRef {
                    global,
                    parts,
                    span: self.span_from(start),
                });
            }
        }
    }

    pub(super) fn subscripts_if_any(&mut self) -> Parse<Vec<Subscript>> {
        if !self.at(TokenKind::LBracket) {
            return Ok(Vec::new());
        }
        self.in_subscript += 1;
        let subscripts = self.nested(Self::subscripts);
        self.in_subscript -= 1;
        subscripts
    }

    fn subscripts(&mut self) -> Parse<Vec<Subscript>> {
        self.advance();
        let mut subscripts = Vec::with_capacity(1);
        loop {
            let colon = self.at(TokenKind::Colon)
                && matches!(self.nth(1), TokenKind::Comma | TokenKind::RBracket);
            subscripts.push(if colon {
                let span = self.span();
                self.advance();
                Subscript::Colon(span)
            } else {
                Subscript::Expr(self.expression()?)
            });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBracket, "at the end of the subscripts")?;
        Ok(subscripts)
    }

    /// `(a, b, c = 1)` or `(e for i in r)`, at the parenthesis.
    pub(super) fn call_args(&mut self) -> Parse<CallArgs> {
        self.nested(Self::call_args_inside)
    }

    fn call_args_inside(&mut self) -> Parse<CallArgs> {
        self.advance();
        let mut args = CallArgs::default();
        // `end` belongs to the subscript of a variable, not to the arguments of a call in it,
        // but `x[f(end)]` is legal, so the account of subscripts stays as it is.
        while !self.at(TokenKind::RParen) {
            if self.at(TokenKind::Ident) && self.nth(1) == TokenKind::Equals {
                let start = self.start();
                let (name, _) = self.ident("the name of an argument")?;
                self.advance();
                let value = self.argument_value()?;
                args.named.push(NamedArg {
                    name,
                    value,
                    span: self.span_from(start),
                });
            } else {
                let value = self.argument_value()?;
                if let Some(named) = args.named.last() {
                    let error = Diagnostic::error(
                        "E0113",
                        value.span,
                        "arguments without a name must stand before the named ones",
                    )
                    .with_related(named.span, "this argument is named");
                    self.report(error);
                }
                args.positional.push(value);
                if self.at(TokenKind::For) && args.positional.len() == 1 && args.named.is_empty() {
                    self.advance();
                    args.iterators = self.for_iterators()?;
                    break;
                }
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
            if self.at(TokenKind::RParen) {
                return Err(self.unexpected("an argument after `,`"));
            }
        }
        if !self.eat(TokenKind::RParen) {
            return Err(self.unexpected("`,` or `)` after an argument"));
        }
        Ok(args)
    }

    fn argument_value(&mut self) -> Parse<Expr> {
        if !self.at(TokenKind::Function) {
            return self.expression();
        }
        let start = self.start();
        self.advance();
        let function = self.component_reference()?;
        if !self.at(TokenKind::LParen) {
            return Err(self.unexpected("`(` after the name of the function"));
        }
        let args = self.call_args()?;
        let kind = ExprKind::FunctionPartial(Box::new(Call { function, args }));
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }

    /// `(a)`, `(a, , b)`, `(a)[i]`, `(a).b`
    fn parenthesized(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.advance();
        let mut items = Vec::new();
        let mut is_tuple = false;
        loop {
            items.push(match self.kind() {
                TokenKind::Comma | TokenKind::RParen => None,
                _ => Some(self.expression()?),
            });
            if !self.eat(TokenKind::Comma) {
                break;
            }
            is_tuple = true;
        }
        if !self.eat(TokenKind::RParen) {
            return Err(self.unexpected("`)` or an operator"));
        }
        let span = self.span_from(start);
        if is_tuple || matches!(items.as_slice(), [None] | []) {
            if !is_tuple {
                items.clear();
            }
            return Ok(Expr {
                kind: ExprKind::Tuple(Box::new(items)),
                span,
            });
        }
        let Some(Some(inner)) = items.pop() else {
            return Err(self.unexpected("an expression"));
        };
        self.part_of(Expr { span, ..inner })
    }

    /// `{a, b}` or `{e for i in r}`
    fn array(&mut self) -> Parse<ExprKind> {
        self.advance();
        let mut elements = Vec::new();
        while !self.at(TokenKind::RBrace) {
            let element = self.argument_value()?;
            if elements.is_empty() && self.eat(TokenKind::For) {
                let iterators = self.for_iterators()?;
                self.expect(TokenKind::RBrace, "at the end of the array")?;
                let comprehension = Comprehension { element, iterators };
                return Ok(ExprKind::ArrayComprehension(Box::new(comprehension)));
            }
            elements.push(element);
            if !self.eat(TokenKind::Comma) {
                break;
            }
            if self.at(TokenKind::RBrace) {
                return Err(self.unexpected("an expression after `,`"));
            }
        }
        if !self.eat(TokenKind::RBrace) {
            return Err(self.unexpected("`,` or `}` after an element of the array"));
        }
        elements.shrink_to_fit();
        Ok(ExprKind::Array(Box::new(elements)))
    }

    /// `[a, b; c, d]`
    fn matrix(&mut self) -> Parse<ExprKind> {
        self.advance();
        let mut rows = Vec::new();
        loop {
            let mut row = Vec::new();
            loop {
                row.push(self.expression()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            row.shrink_to_fit();
            rows.push(row);
            if !self.eat(TokenKind::Semicolon) {
                break;
            }
        }
        if !self.eat(TokenKind::RBracket) {
            let expected = "`,`, `;` or `]` in the matrix";
            return Err(match self.kind() {
                TokenKind::For => self.unexpected_with_hint(
                    expected,
                    "an array by iteration has braces: {expression for i in 1:n}",
                ),
                _ => self.unexpected(expected),
            });
        }
        Ok(ExprKind::Matrix(Box::new(rows)))
    }
}
