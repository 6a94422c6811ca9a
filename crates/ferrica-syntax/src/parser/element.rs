//! Elements of a class: imports, extends clauses, nested classes and components.

use std::sync::Arc;

use super::{Parse, Parser};
use crate::ast::*;
use crate::token::TokenKind;

/// Prefixes of an element and of its type. The grammar orders them; `rank` is that order.
#[derive(Default)]
pub(super) struct Prefixes {
    pub element: ElementPrefixes,
    pub of_type: TypePrefixes,
}

impl Parser<'_> {
    /// One element with its `;`. A component clause adds one element per component.
    pub(super) fn element(
        &mut self,
        visibility: Visibility,
        elements: &mut Vec<Element>,
    ) -> Parse<()> {
        let start = self.start();
        match self.kind() {
            TokenKind::Import => {
                let element = self.import(start, visibility)?;
                elements.push(element);
                return self.semicolon("import");
            }
            TokenKind::Extends => {
                let element = self.extends(start, visibility)?;
                elements.push(element);
                return self.semicolon("extends clause");
            }
            _ => {}
        }
        let mut prefixes = self.prefixes();
        prefixes.element.visibility = visibility;
        if self.at_class() {
            let element = self.class_element(start, &prefixes)?;
            elements.push(element);
            self.semicolon("class definition")
        } else {
            self.component_clause(start, &prefixes, elements)?;
            self.semicolon("declaration")
        }
    }

    /// Reads all prefixes, in any order, and reports those that are not in the order of the
    /// grammar or contradict each other.
    pub(super) fn prefixes(&mut self) -> Prefixes {
        let mut prefixes = Prefixes::default();
        let mut previous: Option<(u8, &str)> = None;
        loop {
            let element = &mut prefixes.element;
            let of_type = &mut prefixes.of_type;
            let rank = match self.kind() {
                TokenKind::Redeclare => {
                    element.redeclare = true;
                    0
                }
                TokenKind::Final => {
                    element.is_final = true;
                    1
                }
                TokenKind::Inner => {
                    element.inner = true;
                    2
                }
                TokenKind::Outer => {
                    element.outer = true;
                    3
                }
                TokenKind::Replaceable => {
                    element.replaceable = true;
                    4
                }
                TokenKind::Flow => {
                    of_type.flow = Some(FlowPrefix::Flow);
                    5
                }
                TokenKind::Stream => {
                    of_type.flow = Some(FlowPrefix::Stream);
                    5
                }
                TokenKind::Discrete => {
                    of_type.variability = Some(Variability::Discrete);
                    6
                }
                TokenKind::Parameter => {
                    of_type.variability = Some(Variability::Parameter);
                    6
                }
                TokenKind::Constant => {
                    of_type.variability = Some(Variability::Constant);
                    6
                }
                TokenKind::Input => {
                    of_type.causality = Some(Causality::Input);
                    7
                }
                TokenKind::Output => {
                    of_type.causality = Some(Causality::Output);
                    7
                }
                _ => return prefixes,
            };
            let word = self.word_text(self.at);
            if let Some((before, earlier)) = previous
                && rank <= before
            {
                let error = if rank == before {
                    self.error_here("E0111", format!("`{earlier} {word}`: only one of the two"))
                } else {
                    self.error_here("E0111", format!("`{word}` must stand before `{earlier}`"))
                        .with_hint(
                            "the order is: redeclare final inner outer replaceable, \
                             flow/stream, constant/parameter/discrete, input/output",
                        )
                };
                self.report(error);
            }
            previous = Some((rank, word));
            self.advance();
        }
    }

    /// The prefixes of a short class; element prefixes are out of place there.
    pub(super) fn type_prefixes(&mut self) -> TypePrefixes {
        let before = self.at;
        let prefixes = self.prefixes();
        if prefixes.element != ElementPrefixes::default() {
            self.at = before;
            self.unexpected("the name of a class after `=`");
            self.prefixes();
        }
        prefixes.of_type
    }

    fn import(&mut self, start: u32, visibility: Visibility) -> Parse<Element> {
        self.advance();
        let import = if self.at(TokenKind::Ident) && self.nth(1) == TokenKind::Equals {
            let (alias, _) = self.ident("a name")?;
            self.advance();
            let name = self.name("the name of a class after `=`")?;
            Import::Renamed { alias, name }
        } else {
            let name = self.name("the name of a class or package after `import`")?;
            self.import_tail(name)?
        };
        let comment = self.comment()?;
        let prefixes = ElementPrefixes {
            visibility,
            ..ElementPrefixes::default()
        };
        let kind = ElementKind::Import(import);
        Ok(Element {
            kind,
            prefixes,
            constrained_by: None,
            comment,
            span: self.span_from(start),
        })
    }

    fn import_tail(&mut self, name: Name) -> Parse<Import> {
        if self.eat(TokenKind::DotStar) {
            return Ok(Import::Unqualified(name));
        }
        if !self.eat(TokenKind::Dot) {
            return Ok(Import::Qualified(name));
        }
        if self.eat(TokenKind::Star) {
            return Ok(Import::Unqualified(name));
        }
        self.expect(TokenKind::LBrace, "or a name after the dot")?;
        let mut names = Vec::new();
        loop {
            names.push(self.ident("the name of a class to import")?.0);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RBrace, "at the end of the list of imports")?;
        Ok(Import::List {
            package: name,
            names,
        })
    }

    fn extends(&mut self, start: u32, visibility: Visibility) -> Parse<Element> {
        self.advance();
        let name = self.name("the name of a class after `extends`")?;
        let mut breaks = Vec::new();
        let modification = match self.kind() {
            TokenKind::LParen => Some(self.inheritance_modification(&mut breaks)?),
            _ => None,
        };
        let comment = self.comment()?;
        let prefixes = ElementPrefixes {
            visibility,
            ..ElementPrefixes::default()
        };
        let kind = ElementKind::Extends(Box::new(Extends {
            name,
            modification,
            breaks,
        }));
        Ok(Element {
            kind,
            prefixes,
            constrained_by: None,
            comment,
            span: self.span_from(start),
        })
    }

    /// A nested class, without its `;`.
    pub(super) fn class_element(&mut self, start: u32, prefixes: &Prefixes) -> Parse<Element> {
        if prefixes.of_type != TypePrefixes::default() {
            let error = self.error_here(
                "E0111",
                "flow, stream, constant, parameter, discrete, input and output are for components",
            );
            self.report(error);
        }
        let mut class = self.class_definition(start, prefixes.element)?;
        class.constrained_by = self.constraining_clause()?;
        Ok(Element {
            kind: ElementKind::Class(Arc::new(class)),
            prefixes: prefixes.element,
            constrained_by: None,
            comment: Comment::default(),
            span: self.span_from(start),
        })
    }

    fn constraining_clause(&mut self) -> Parse<Option<Box<ConstrainedBy>>> {
        let start = self.start();
        if !self.eat(TokenKind::Constrainedby) {
            return Ok(None);
        }
        let name = self.name("the name of a class after `constrainedby`")?;
        let modification = match self.kind() {
            TokenKind::LParen => Some(self.class_modification()?),
            _ => None,
        };
        let span = self.span_from(start);
        let comment = self.comment()?;
        Ok(Some(Box::new(ConstrainedBy {
            name,
            modification,
            comment,
            span,
        })))
    }

    /// `Type[n] x, y[2] = 3 if c "comment"`, without the `;`.
    pub(super) fn component_clause(
        &mut self,
        start: u32,
        prefixes: &Prefixes,
        elements: &mut Vec<Element>,
    ) -> Parse<()> {
        let type_name = self.name("a declaration")?;
        let type_subscripts = self.subscripts_if_any()?;
        if !self.at(TokenKind::Ident) && !self.kind().is_keyword() {
            let what = format!("the name of a component after the type `{type_name}`");
            let hint = "equations stand after the word `equation`, \
                        statements after the word `algorithm`";
            return Err(match self.kind() {
                TokenKind::Equals | TokenKind::Assign | TokenKind::LParen => {
                    self.unexpected_with_hint(&what, hint)
                }
                _ => self.unexpected(&what),
            });
        }
        let first = elements.len();
        loop {
            let declaration_start = self.start();
            let element_start = if elements.len() == first {
                start
            } else {
                declaration_start
            };
            let mut component = self.declaration(prefixes, &type_name, &type_subscripts)?;
            if self.eat(TokenKind::If) {
                component.condition = Some(self.expression()?);
            }
            let comment = self.comment()?;
            elements.push(Element {
                kind: ElementKind::Component(Box::new(component)),
                prefixes: prefixes.element,
                constrained_by: None,
                comment,
                span: self.span_from(element_start),
            });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if let Some(constraint) = self.constraining_clause()? {
            for element in &mut elements[first..] {
                if element.comment.text.is_none() && element.comment.annotation.is_none() {
                    element.comment = constraint.comment.clone();
                }
                element.constrained_by = Some(constraint.clone());
            }
        }
        Ok(())
    }

    /// `x[2](start = 1) = 3`
    pub(super) fn declaration(
        &mut self,
        prefixes: &Prefixes,
        type_name: &Name,
        type_subscripts: &[Subscript],
    ) -> Parse<Component> {
        let (name, name_span) = self.ident("the name of a component")?;
        let subscripts = self.subscripts_if_any()?;
        let modification = self.modification()?;
        Ok(Component {
            prefixes: prefixes.of_type,
            type_name: type_name.clone(),
            type_subscripts: type_subscripts.to_vec(),
            name,
            name_span,
            subscripts,
            modification,
            condition: None,
        })
    }

    /// A component or class that is redeclared inside a modifier: exactly one.
    pub(super) fn redeclared_element(&mut self, start: u32, prefixes: &Prefixes) -> Parse<Element> {
        if self.at_class() {
            let element = self.class_element(start, prefixes)?;
            if let ElementKind::Class(class) = &element.kind
                && matches!(class.body, ClassBody::Long(_))
            {
                let error = self
                    .error_here(
                        "E0101",
                        "a modifier can only redeclare a class in its short form",
                    )
                    .with_hint(format!(
                        "define the class elsewhere and write `{} = …`",
                        class.name
                    ));
                self.report(error);
            }
            return Ok(element);
        }
        let type_name = self.name("the type of the component")?;
        let type_subscripts = self.subscripts_if_any()?;
        let component = self.declaration(prefixes, &type_name, &type_subscripts)?;
        let mut comment = self.comment()?;
        let constrained_by = self.constraining_clause()?;
        if let Some(constraint) = &constrained_by
            && comment.text.is_none()
            && comment.annotation.is_none()
        {
            comment = constraint.comment.clone();
        }
        Ok(Element {
            kind: ElementKind::Component(Box::new(component)),
            prefixes: prefixes.element,
            constrained_by,
            comment,
            span: self.span_from(start),
        })
    }
}
