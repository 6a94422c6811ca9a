//! Statements of algorithms.

use super::{Parse, Parser};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    /// A whole section, at the word `algorithm`.
    pub(super) fn algorithm_section(&mut self, sections: &mut Vec<AlgorithmSection>) {
        let start = self.start();
        self.advance();
        let mut statements = Vec::new();
        self.statements(&mut statements);
        sections.push(AlgorithmSection {
            statements,
            span: self.span_from(start),
        });
    }

    fn statements(&mut self, statements: &mut Vec<Statement>) {
        while !self.at_list_end() {
            let before = self.at;
            let read = self.statement().map(|s| statements.push(s));
            if read.and_then(|()| self.semicolon("statement")).is_err() {
                self.synchronize();
                if self.at == before {
                    self.advance();
                }
            }
        }
    }

    fn statement(&mut self) -> Parse<Statement> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::If => self.nested(Self::if_statement)?,
            TokenKind::For => self.nested(Self::for_statement)?,
            TokenKind::While => self.nested(Self::while_statement)?,
            TokenKind::When => self.nested(Self::when_statement)?,
            TokenKind::Break => {
                self.advance();
                StatementKind::Break
            }
            TokenKind::Return => {
                self.advance();
                StatementKind::Return
            }
            TokenKind::Connect => {
                return Err(self.unexpected_with_hint(
                    "a statement",
                    "`connect` stands after the word `equation`",
                ));
            }
            TokenKind::LParen => self.tuple_assignment()?,
            TokenKind::Ident | TokenKind::Dot => self.assignment_or_call()?,
            TokenKind::Pure | TokenKind::Der | TokenKind::Initial => {
                StatementKind::Call(self.simple_expression()?)
            }
            _ => return Err(self.unexpected("a statement")),
        };
        let comment = self.comment()?;
        Ok(Statement {
            kind,
            comment,
            span: self.span_from(start),
        })
    }

    /// `(a, , b) := f(x)`
    fn tuple_assignment(&mut self) -> Parse<StatementKind> {
        self.advance();
        let mut targets = Vec::new();
        loop {
            targets.push(match self.kind() {
                TokenKind::Comma | TokenKind::RParen => None,
                _ => Some(self.component_reference()?),
            });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen, "after the variables to assign")?;
        self.assign_symbol()?;
        let value = self.expression()?;
        if !matches!(value.kind, ExprKind::Call(_)) {
            let error = ferrica_ir::Diagnostic::error(
                "E0101",
                value.span,
                "several variables can only be assigned from a call of a function",
            );
            self.report(error);
        }
        Ok(StatementKind::TupleAssign(targets, value))
    }

    fn assignment_or_call(&mut self) -> Parse<StatementKind> {
        let start = self.start();
        let target = self.component_reference()?;
        if self.at(TokenKind::LParen) {
            let args = self.call_args()?;
            let call = ExprKind::Call(Box::new(Call {
                function: target,
                args,
            }));
            return Ok(StatementKind::Call(Expr {
                kind: call,
                span: self.span_from(start),
            }));
        }
        if self.at(TokenKind::Ident) {
            return Err(self.unexpected_with_hint(
                "`:=` in this statement",
                "declarations stand before the word `algorithm`, \
                 or after `public` or `protected`",
            ));
        }
        self.assign_symbol()?;
        Ok(StatementKind::Assign(target, self.expression()?))
    }

    fn assign_symbol(&mut self) -> Parse<()> {
        if self.at(TokenKind::Equals) {
            let error = self
                .error_here(
                    "E0112",
                    "`=` states an equation; a statement assigns with `:=`",
                )
                .with_hint("write `:=`, or put the equation into an `equation` section");
            self.report(error);
            self.advance();
            return Ok(());
        }
        self.expect(TokenKind::Assign, "in this statement")
    }

    fn if_statement(&mut self) -> Parse<StatementKind> {
        let start = self.span();
        let mut branches = Vec::new();
        let mut else_statements = Vec::new();
        loop {
            branches.push(self.branch()?);
            if !self.at(TokenKind::Elseif) {
                break;
            }
        }
        if self.eat(TokenKind::Else) {
            self.statements(&mut else_statements);
        }
        self.block_end(TokenKind::If, start);
        Ok(StatementKind::If(Box::new(IfStatement {
            branches,
            else_statements,
        })))
    }

    fn when_statement(&mut self) -> Parse<StatementKind> {
        let start = self.span();
        let mut branches = Vec::new();
        loop {
            branches.push(self.branch()?);
            if !self.at(TokenKind::Elsewhen) {
                break;
            }
        }
        self.block_end(TokenKind::When, start);
        Ok(StatementKind::When(branches))
    }

    /// The condition and statements behind `if`, `elseif`, `when` or `elsewhen`.
    fn branch(&mut self) -> Parse<StatementBranch> {
        self.advance();
        let condition = self.expression()?;
        self.expect_or_assume(TokenKind::Then, "after the condition");
        let mut statements = Vec::new();
        self.statements(&mut statements);
        Ok(StatementBranch {
            condition,
            statements,
        })
    }

    fn for_statement(&mut self) -> Parse<StatementKind> {
        let start = self.span();
        self.advance();
        let iterators = self.for_iterators()?;
        self.expect_or_assume(TokenKind::Loop, "after the range of `for`");
        let mut statements = Vec::new();
        self.statements(&mut statements);
        self.block_end(TokenKind::For, start);
        Ok(StatementKind::For(Box::new(ForStatement {
            iterators,
            statements,
        })))
    }

    fn while_statement(&mut self) -> Parse<StatementKind> {
        let start = self.span();
        self.advance();
        let condition = self.expression()?;
        self.expect_or_assume(TokenKind::Loop, "after the condition of `while`");
        let mut statements = Vec::new();
        self.statements(&mut statements);
        self.block_end(TokenKind::While, start);
        Ok(StatementKind::While(Box::new(StatementBranch {
            condition,
            statements,
        })))
    }
}
