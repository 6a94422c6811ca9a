//! Stored definitions and class definitions.

use std::sync::Arc;

use ferrica_ir::{Diagnostic, Span, Symbol};

use super::{Failed, Parse, Parser};
use crate::ast::*;
use crate::token::TokenKind;

/// What stands in front of the name of a class.
struct ClassHead {
    start: u32,
    encapsulated: bool,
    partial: bool,
    purity: Option<Purity>,
    kind: ClassKind,
}

impl Parser<'_> {
    pub(super) fn stored_definition(&mut self) -> StoredDefinition {
        let mut stored = StoredDefinition::default();
        if self.at(TokenKind::Within) {
            let span = self.span();
            self.advance();
            let within = if self.at(TokenKind::Semicolon) {
                Ok(Name {
                    span,
                    ..Name::default()
                })
            } else {
                self.name("the name of the enclosing package after `within`")
            };
            match within {
                Ok(name) => stored.within = Some(name),
                Err(Failed) => self.synchronize(),
            }
            if stored.within.is_some() && self.semicolon("`within` clause").is_err() {
                self.synchronize();
            }
        }
        while !self.at(TokenKind::Eof) {
            let before = self.at;
            if self.top_level_class(&mut stored).is_err() {
                self.synchronize_top_level(before);
            }
        }
        stored
    }

    fn top_level_class(&mut self, stored: &mut StoredDefinition) -> Parse<()> {
        let start = self.start();
        let is_final = self.eat(TokenKind::Final);
        if !self.at_class() {
            return Err(self.unexpected_with_hint(
                "a class definition such as `model M … end M;`",
                "equations and declarations stand inside a class",
            ));
        }
        let prefixes = ElementPrefixes {
            is_final,
            ..ElementPrefixes::default()
        };
        let class = self.class_definition(start, prefixes)?;
        let what = class.kind.keywords();
        stored.classes.push(Arc::new(class));
        self.semicolon(what)
    }

    fn synchronize_top_level(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        while !self.at(TokenKind::Eof)
            && !(self.on_new_line() && (self.at_class() || self.at(TokenKind::Final)))
        {
            self.advance();
        }
    }

    /// A class with its prefixes from `encapsulated` on; the element's prefixes are already read.
    pub(super) fn class_definition(
        &mut self,
        start: u32,
        prefixes: ElementPrefixes,
    ) -> Parse<ClassDef> {
        let head = self.class_head(start)?;
        self.nested(|p| p.class_specifier(head, prefixes))
    }

    fn class_head(&mut self, start: u32) -> Parse<ClassHead> {
        let encapsulated = self.eat(TokenKind::Encapsulated);
        let partial = self.eat(TokenKind::Partial);
        let mut purity = None;
        if self.at(TokenKind::Pure) || self.at(TokenKind::Impure) {
            purity = Some(if self.at(TokenKind::Pure) {
                Purity::Pure
            } else {
                Purity::Impure
            });
            self.advance();
            if !matches!(self.kind(), TokenKind::Function | TokenKind::Operator) {
                return Err(self.unexpected("`function` after `pure` or `impure`"));
            }
        }
        let kind = match self.kind() {
            TokenKind::Class => ClassKind::Class,
            TokenKind::Model => ClassKind::Model,
            TokenKind::Record => ClassKind::Record,
            TokenKind::Block => ClassKind::Block,
            TokenKind::Connector => ClassKind::Connector,
            TokenKind::Type => ClassKind::Type,
            TokenKind::Package => ClassKind::Package,
            TokenKind::Function => ClassKind::Function,
            TokenKind::Expandable if self.nth(1) == TokenKind::Connector => {
                self.advance();
                ClassKind::ExpandableConnector
            }
            TokenKind::Operator => match self.nth(1) {
                TokenKind::Record => {
                    self.advance();
                    ClassKind::OperatorRecord
                }
                TokenKind::Function => {
                    self.advance();
                    ClassKind::OperatorFunction
                }
                _ => ClassKind::Operator,
            },
            _ => return Err(self.unexpected("a kind of class (`model`, `block`, `package`, …)")),
        };
        self.advance();
        Ok(ClassHead {
            start,
            encapsulated,
            partial,
            purity,
            kind,
        })
    }

    fn class_specifier(&mut self, head: ClassHead, prefixes: ElementPrefixes) -> Parse<ClassDef> {
        let extends = self.eat(TokenKind::Extends);
        let what = format!("the name of the {}", head.kind.keywords());
        let (name, name_span) = self.ident(&what)?;
        let mut class = ClassDef {
            name,
            name_span,
            kind: head.kind,
            partial: head.partial,
            encapsulated: head.encapsulated,
            prefixes,
            purity: head.purity,
            body: ClassBody::UnspecifiedEnumeration,
            comment: None,
            annotation: None,
            constrained_by: None,
            span: name_span,
        };
        if !extends && self.eat(TokenKind::Equals) {
            class.body = self.short_body()?;
            let comment = self.comment()?;
            class.comment = comment.text;
            class.annotation = comment.annotation;
        } else {
            let mut body = LongBody::default();
            if extends {
                body.class_extends = Some(match self.kind() {
                    TokenKind::LParen => self.class_modification()?,
                    _ => Modification {
                        span: name_span,
                        ..Modification::default()
                    },
                });
            }
            class.comment = self.string_comment();
            self.open_classes.push(name);
            class.annotation = self.composition(&mut body);
            self.open_classes.pop();
            class.body = ClassBody::Long(Box::new(body));
            self.class_end(head.kind, name, name_span);
        }
        class.span = self.span_from(head.start);
        Ok(class)
    }

    fn short_body(&mut self) -> Parse<ClassBody> {
        if self.at(TokenKind::Enumeration) {
            return self.enumeration();
        }
        if self.at(TokenKind::Der) && self.nth(1) == TokenKind::LParen {
            return self.partial_derivative();
        }
        let prefixes = self.type_prefixes();
        let base = self.name("the name of a class after `=`")?;
        let subscripts = self.subscripts_if_any()?;
        let modification = match self.kind() {
            TokenKind::LParen => Some(self.class_modification()?),
            _ => None,
        };
        Ok(ClassBody::Short(Box::new(ShortBody {
            prefixes,
            base,
            subscripts,
            modification,
        })))
    }

    fn enumeration(&mut self) -> Parse<ClassBody> {
        self.advance();
        self.expect(TokenKind::LParen, "after `enumeration`")?;
        if self.eat(TokenKind::Colon) {
            self.expect(TokenKind::RParen, "after `enumeration(:`")?;
            return Ok(ClassBody::UnspecifiedEnumeration);
        }
        let mut literals = Vec::new();
        while !self.at(TokenKind::RParen) {
            let start = self.start();
            let (name, _) = self.ident("the name of an enumeration literal")?;
            let comment = self.comment()?;
            literals.push(EnumLiteral {
                name,
                comment,
                span: self.span_from(start),
            });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RParen, "at the end of the enumeration literals")?;
        Ok(ClassBody::Enumeration(literals))
    }

    fn partial_derivative(&mut self) -> Parse<ClassBody> {
        self.advance();
        self.advance();
        let function = self.name("the name of a function")?;
        let mut variables = Vec::new();
        while self.eat(TokenKind::Comma) {
            variables.push(self.ident("the name of an input of the function")?.0);
        }
        if variables.is_empty() {
            return Err(self.unexpected("`,` and the input to differentiate by"));
        }
        self.expect(TokenKind::RParen, "at the end of `der(…)`")?;
        Ok(ClassBody::Der(Box::new(DerBody {
            function,
            variables,
        })))
    }

    /// Everything between the name of the class and its `end`. Returns the class annotation.
    fn composition(&mut self, body: &mut LongBody) -> Option<Box<Annotation>> {
        let mut annotation: Option<Box<Annotation>> = None;
        let mut visibility = Visibility::Public;
        loop {
            let before = self.at;
            let read = match self.kind() {
                TokenKind::Eof => return annotation,
                TokenKind::End => match self.nth(1) {
                    TokenKind::If | TokenKind::For | TokenKind::When | TokenKind::While => {
                        Err(self.stray_end())
                    }
                    _ => return annotation,
                },
                TokenKind::Public => {
                    self.advance();
                    visibility = Visibility::Public;
                    Ok(())
                }
                TokenKind::Protected => {
                    self.advance();
                    visibility = Visibility::Protected;
                    Ok(())
                }
                TokenKind::Equation => {
                    self.advance();
                    self.equations(&mut body.equations);
                    Ok(())
                }
                TokenKind::Algorithm => {
                    self.algorithm_section(&mut body.algorithms);
                    Ok(())
                }
                TokenKind::Initial if self.nth(1) == TokenKind::Equation => {
                    self.advance();
                    self.advance();
                    self.equations(&mut body.initial_equations);
                    Ok(())
                }
                TokenKind::Initial if self.nth(1) == TokenKind::Algorithm => {
                    self.advance();
                    self.algorithm_section(&mut body.initial_algorithms);
                    Ok(())
                }
                TokenKind::External => self.external(body),
                TokenKind::Annotation => self.class_annotation(&mut annotation),
                TokenKind::Semicolon => {
                    let error = self
                        .error_here("E0101", "a `;` without anything in front of it")
                        .with_hint("remove it");
                    self.report(error);
                    self.advance();
                    Ok(())
                }
                _ => self.element(visibility, &mut body.elements),
            };
            if read.is_err() {
                self.synchronize();
                if self.at == before {
                    self.advance();
                }
            }
        }
    }

    fn stray_end(&mut self) -> Failed {
        let block = self.word_text(self.at + 1);
        let error = self
            .error_here("E0104", format!("`end {block}` without an open `{block}`"))
            .with_hint("remove it, or look for a missing beginning above");
        self.report(error);
        self.advance();
        self.advance();
        Failed
    }

    fn class_annotation(&mut self, annotation: &mut Option<Box<Annotation>>) -> Parse<()> {
        let read = self.annotation()?;
        match annotation {
            Some(earlier) => {
                earlier.span = earlier.span.to(read.span);
                earlier.args.extend(read.args);
            }
            None => *annotation = Some(read),
        }
        self.semicolon("annotation")
    }

    /// `external ["C"] [[y =] f(args)] [annotation];`
    fn external(&mut self, body: &mut LongBody) -> Parse<()> {
        let start = self.start();
        self.advance();
        let mut external = ExternalDecl {
            language: None,
            output: None,
            function: None,
            args: Vec::new(),
            annotation: None,
            span: Span::NONE,
        };
        if self.at(TokenKind::Str) {
            external.language = Some(self.string_value().into());
        }
        if matches!(self.kind(), TokenKind::Ident | TokenKind::Dot) {
            if self.nth(1) == TokenKind::LParen {
                external.function = Some(self.ident("the name of the external function")?.0);
            } else {
                external.output = Some(self.component_reference()?);
                self.expect(
                    TokenKind::Equals,
                    "between the result and the external function",
                )?;
                external.function = Some(self.ident("the name of the external function")?.0);
            }
            self.expect(TokenKind::LParen, "after the name of the external function")?;
            while !self.at(TokenKind::RParen) {
                external.args.push(self.expression()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::RParen, "at the end of the arguments")?;
        }
        if self.at(TokenKind::Annotation) {
            external.annotation = Some(self.annotation()?);
        }
        external.span = self.span_from(start);
        body.external = Some(Box::new(external));
        self.semicolon("external clause")
    }

    /// `end Name`, reporting a missing or different name.
    fn class_end(&mut self, kind: ClassKind, name: Symbol, name_span: Span) {
        let what = kind.keywords();
        if !self.at(TokenKind::End) {
            let error = self
                .error_here("E0104", format!("the {what} `{name}` has no `end {name};`"))
                .with_related(name_span, format!("the {what} starts here"));
            self.report(error);
            return;
        }
        if self.nth(1) != TokenKind::Ident {
            self.advance();
            self.unexpected(&format!("the name `{name}` after `end`"));
            return;
        }
        let written = self.word_text(self.at + 1);
        if written == name.as_str() {
            self.advance();
            self.advance();
            return;
        }
        let belongs_outside = self
            .open_classes
            .iter()
            .any(|open| open.as_str() == written);
        let span = self.span();
        let end = self.words[self.at + 1].end;
        let error = Diagnostic::error(
            "E0104",
            Span { end, ..span },
            format!("the {what} `{name}` ends with `end {written}`"),
        )
        .with_related(name_span, format!("the {what} starts here"));
        if belongs_outside {
            self.report(error.with_hint(format!("insert `end {name};` before this line")));
        } else {
            self.report(error.with_hint(format!("write `end {name};`")));
            self.advance();
            self.advance();
        }
    }
}
