//! Modifiers, annotations and comments.

use super::element::Prefixes;
use super::{Parse, Parser};
use crate::ast::*;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `(args) = value`, `= value`, `:= value`, or nothing.
    pub(super) fn modification(&mut self) -> Parse<Option<Modification>> {
        let start = self.start();
        let mut modification = match self.kind() {
            TokenKind::LParen => self.class_modification()?,
            TokenKind::Equals | TokenKind::Assign => Modification::default(),
            _ => return Ok(None),
        };
        if self.at(TokenKind::Equals) || self.at(TokenKind::Assign) {
            modification.assigned = self.at(TokenKind::Assign);
            self.advance();
            if self.eat(TokenKind::Break) {
                modification.is_break = true;
            } else {
                modification.value = Some(self.expression()?);
            }
        }
        modification.span = self.span_from(start);
        Ok(Some(modification))
    }

    /// `(a = 1, redeclare T x)`
    pub(super) fn class_modification(&mut self) -> Parse<Modification> {
        let mut breaks = Vec::new();
        let modification = self.inheritance_modification(&mut breaks)?;
        if let Some(deselection) = breaks.first() {
            let error = ferrica_ir::Diagnostic::error(
                "E0101",
                deselection.span,
                "`break` can only stand in the modifiers of an extends clause",
            );
            self.report(error);
        }
        Ok(modification)
    }

    /// As a class modification, with `break x` and `break connect(a, b)` besides.
    pub(super) fn inheritance_modification(
        &mut self,
        breaks: &mut Vec<Deselection>,
    ) -> Parse<Modification> {
        let start = self.start();
        self.expect(TokenKind::LParen, "before the modifiers")?;
        let args = self.nested(|p| p.arguments(breaks))?;
        if !self.eat(TokenKind::RParen) {
            return Err(self.unexpected("`,` or `)` after a modifier"));
        }
        Ok(Modification {
            args,
            span: self.span_from(start),
            ..Modification::default()
        })
    }

    fn arguments(&mut self, breaks: &mut Vec<Deselection>) -> Parse<Vec<Argument>> {
        let mut args = Vec::new();
        if self.at(TokenKind::RParen) {
            return Ok(args);
        }
        loop {
            if self.at(TokenKind::Break) {
                breaks.push(self.deselection()?);
            } else {
                args.push(self.argument()?);
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(args);
            }
        }
    }

    fn deselection(&mut self) -> Parse<Deselection> {
        let start = self.start();
        self.advance();
        let kind = if self.at(TokenKind::Connect) {
            let (a, b) = self.connect_clause()?;
            DeselectionKind::Connection(a, b)
        } else {
            DeselectionKind::Component(self.ident("the name of a component after `break`")?.0)
        };
        Ok(Deselection {
            kind,
            span: self.span_from(start),
        })
    }

    /// `[redeclare] [each] [final] [replaceable] …` or a plain modifier.
    fn argument(&mut self) -> Parse<Argument> {
        let start = self.start();
        let redeclare = self.eat(TokenKind::Redeclare);
        let each = self.eat(TokenKind::Each);
        let is_final = self.eat(TokenKind::Final);
        if redeclare || self.at(TokenKind::Replaceable) {
            let mut prefixes: Prefixes = self.prefixes();
            prefixes.element.redeclare |= redeclare;
            prefixes.element.is_final |= is_final;
            let element = self.redeclared_element(start, &prefixes)?;
            let is_class = matches!(element.kind, ElementKind::Class(_));
            let redeclaration = Box::new(Redeclaration { each, element });
            return Ok(if is_class {
                Argument::RedeclareClass(redeclaration)
            } else {
                Argument::RedeclareComponent(redeclaration)
            });
        }
        let mut path = vec![self.modified_name()?];
        while self.eat(TokenKind::Dot) {
            path.push(self.modified_name()?);
        }
        if self.at(TokenKind::LBracket) {
            return Err(self.unexpected_with_hint(
                "`=` or `(` after the name in a modifier",
                "elements of an array are not modified one by one: give the whole array, \
                 as in `x(start = {1, 2})`",
            ));
        }
        let modification = self.modification()?;
        let comment = self.string_comment();
        let span = self.span_from(start);
        Ok(Argument::Modifier(Modifier {
            path,
            each,
            is_final,
            modification,
            comment,
            span,
        }))
    }

    fn modified_name(&mut self) -> Parse<ferrica_ir::Symbol> {
        Ok(self.ident("the name of what is modified")?.0)
    }

    /// `annotation(args)`, at the keyword.
    pub(super) fn annotation(&mut self) -> Parse<Box<Annotation>> {
        let start = self.start();
        self.advance();
        let modification = self.class_modification()?;
        Ok(Box::new(Annotation {
            args: modification.args,
            span: self.span_from(start),
        }))
    }

    /// `"text" annotation(…)`, either or none.
    pub(super) fn comment(&mut self) -> Parse<Comment> {
        let text = self.string_comment();
        let annotation = match self.kind() {
            TokenKind::Annotation => Some(self.annotation()?),
            _ => None,
        };
        Ok(Comment { text, annotation })
    }

    /// `"text" + "more"`
    pub(super) fn string_comment(&mut self) -> Option<Box<str>> {
        if !self.at(TokenKind::Str) {
            return None;
        }
        let mut text = self.string_value();
        while self.at(TokenKind::Plus) && self.nth(1) == TokenKind::Str {
            self.advance();
            text.push_str(&self.string_value());
        }
        Some(text.into())
    }
}
