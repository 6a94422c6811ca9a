//! Equations.

use ferrica_ir::Span;

use super::{Parse, Parser};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    /// Equations up to the end of the section or block. Each that fails is left out.
    pub(super) fn equations(&mut self, equations: &mut Vec<Equation>) {
        while !self.at_list_end() {
            let before = self.at;
            let read = self.equation().map(|e| equations.push(e));
            if read.and_then(|()| self.semicolon("equation")).is_err() {
                self.synchronize();
                if self.at == before {
                    self.advance();
                }
            }
        }
    }

    /// At a word that ends a list of equations or statements.
    pub(super) fn at_list_end(&self) -> bool {
        use TokenKind::*;
        match self.kind() {
            Eof | End | Else | Elseif | Elsewhen | Equation | Algorithm | Public | Protected
            | Annotation | External => true,
            Initial => matches!(self.nth(1), Equation | Algorithm),
            _ => false,
        }
    }

    fn equation(&mut self) -> Parse<Equation> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::If => self.nested(Self::if_equation)?,
            TokenKind::For => self.nested(Self::for_equation)?,
            TokenKind::When => self.nested(Self::when_equation)?,
            TokenKind::Connect => {
                let (a, b) = self.connect_clause()?;
                EquationKind::Connect(a, b)
            }
            _ => self.simple_equation()?,
        };
        let comment = self.comment()?;
        Ok(Equation {
            kind,
            comment,
            span: self.span_from(start),
        })
    }

    fn simple_equation(&mut self) -> Parse<EquationKind> {
        let left = self.simple_expression()?;
        match self.kind() {
            TokenKind::Equals => {
                self.advance();
                Ok(EquationKind::Eq(left, self.expression()?))
            }
            TokenKind::Assign => {
                let error = self
                    .error_here(
                        "E0112",
                        "`:=` assigns a value; an equation is written with `=`",
                    )
                    .with_hint("write `=`, or put the statement into an `algorithm` section");
                self.report(error);
                self.advance();
                Ok(EquationKind::Eq(left, self.expression()?))
            }
            _ if matches!(left.kind, ExprKind::Call(_)) => Ok(EquationKind::Call(left)),
            TokenKind::Ident if matches!(left.kind, ExprKind::Ref(_)) => Err(self
                .unexpected_with_hint(
                    "`=` in this equation",
                    "declarations stand before the word `equation`, \
                     or after `public` or `protected`",
                )),
            _ => Err(match &left.kind {
                ExprKind::Binary(BinaryOp::Eq, _) => self.unexpected_with_hint(
                    "`=` in this equation",
                    "`==` compares two values; an equation is written with a single `=`",
                ),
                _ => self.unexpected("`=` in this equation"),
            }),
        }
    }

    /// `connect(a, b)`, at the keyword.
    pub(super) fn connect_clause(&mut self) -> Parse<(ComponentRef, ComponentRef)> {
        self.advance();
        self.expect(TokenKind::LParen, "after `connect`")?;
        let a = self.component_reference()?;
        self.expect(TokenKind::Comma, "between the two connectors")?;
        let b = self.component_reference()?;
        self.expect(TokenKind::RParen, "after the second connector")?;
        Ok((a, b))
    }

    fn if_equation(&mut self) -> Parse<EquationKind> {
        let start = self.span();
        let mut branches = Vec::new();
        let mut else_equations = Vec::new();
        loop {
            self.advance();
            let condition = self.expression()?;
            self.expect_or_assume(TokenKind::Then, "after the condition");
            let mut equations = Vec::new();
            self.equations(&mut equations);
            branches.push(EquationBranch {
                condition,
                equations,
            });
            if !self.at(TokenKind::Elseif) {
                break;
            }
        }
        if self.eat(TokenKind::Else) {
            self.equations(&mut else_equations);
        }
        self.block_end(TokenKind::If, start);
        Ok(EquationKind::If(Box::new(IfEquation {
            branches,
            else_equations,
        })))
    }

    fn for_equation(&mut self) -> Parse<EquationKind> {
        let start = self.span();
        self.advance();
        let iterators = self.for_iterators()?;
        self.expect_or_assume(TokenKind::Loop, "after the range of `for`");
        let mut equations = Vec::new();
        self.equations(&mut equations);
        self.block_end(TokenKind::For, start);
        Ok(EquationKind::For(Box::new(ForEquation {
            iterators,
            equations,
        })))
    }

    fn when_equation(&mut self) -> Parse<EquationKind> {
        let start = self.span();
        let mut branches = Vec::new();
        loop {
            self.advance();
            let condition = self.expression()?;
            self.expect_or_assume(TokenKind::Then, "after the condition");
            let mut equations = Vec::new();
            self.equations(&mut equations);
            branches.push(EquationBranch {
                condition,
                equations,
            });
            if !self.at(TokenKind::Elsewhen) {
                break;
            }
        }
        self.block_end(TokenKind::When, start);
        Ok(EquationKind::When(branches))
    }

    /// `end if` and its like; reports a block that ends otherwise and goes on behind it.
    pub(super) fn block_end(&mut self, block: TokenKind, start: Span) {
        if self.at(TokenKind::End) && self.nth(1) == block {
            self.advance();
            self.advance();
            return;
        }
        let word = block.describe().trim_matches('`');
        let error = self
            .error_here(
                "E0104",
                format!("expected `end {word}` here, found {}", self.found_end()),
            )
            .with_related(start, format!("this `{word}` is still open"))
            .with_hint(format!("insert `end {word};`"));
        self.report(error);
        let other_block = matches!(
            self.nth(1),
            TokenKind::If | TokenKind::For | TokenKind::When | TokenKind::While
        );
        if self.at(TokenKind::End) && (other_block || self.nth(1) == TokenKind::Semicolon) {
            // `end for` where `end if` belongs: most likely a slip, not a missing line.
            self.advance();
            if other_block {
                self.advance();
            }
        } else if !self.at_section() && !self.at(TokenKind::Eof) {
            // `else` after `else`, `elsewhen` in an `if`, a second `annotation`, …
            self.synchronize();
        }
    }

    fn found_end(&self) -> String {
        if self.at(TokenKind::End) && self.nth(1) != TokenKind::Semicolon {
            return format!("`end {}`", self.word_text(self.at + 1));
        }
        self.found()
    }

    /// `i in 1:n, j in 1:m`
    pub(super) fn for_iterators(&mut self) -> Parse<Vec<ForIterator>> {
        let mut iterators = Vec::new();
        loop {
            let start = self.start();
            let (name, _) = self.ident("the name of a loop variable after `for`")?;
            let range = match self.eat(TokenKind::In) {
                true => Some(self.expression()?),
                false => None,
            };
            iterators.push(ForIterator {
                name,
                range,
                span: self.span_from(start),
            });
            if !self.eat(TokenKind::Comma) {
                return Ok(iterators);
            }
        }
    }
}
