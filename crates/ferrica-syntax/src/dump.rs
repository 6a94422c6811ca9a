//! The syntax tree as readable text, one node a line, children indented.

use std::fmt::Write;

use crate::ast::*;

/// The whole tree of a text.
pub fn dump(stored: &StoredDefinition) -> String {
    let mut out = Dump {
        text: String::new(),
        indent: 0,
    };
    if let Some(within) = &stored.within {
        out.line(&format!("within {within}"));
    }
    for class in &stored.classes {
        let prefix = if class.prefixes.is_final {
            "final "
        } else {
            ""
        };
        out.class(prefix, class);
    }
    out.text
}

struct Dump {
    text: String,
    indent: usize,
}

impl Dump {
    fn line(&mut self, line: &str) {
        let indent = 2 * self.indent;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:indent$}{}", "", line.trim_end());
    }

    fn inside(&mut self, write: impl FnOnce(&mut Dump)) {
        self.indent += 1;
        write(self);
        self.indent -= 1;
    }

    fn class(&mut self, prefix: &str, class: &ClassDef) {
        let constraint = class
            .constrained_by
            .as_ref()
            .map_or(String::new(), |c| format!(" {c}"));
        self.line(&format!("{prefix}{}{constraint}", class.header()));
        self.inside(|out| {
            if let ClassBody::Long(body) = &class.body {
                out.body(body);
            }
            out.annotation(class.annotation.as_deref());
        });
    }

    fn body(&mut self, body: &LongBody) {
        body.elements
            .iter()
            .for_each(|element| self.element(element));
        for (word, equations) in [
            ("initial equation", &body.initial_equations),
            ("equation", &body.equations),
        ] {
            if !equations.is_empty() {
                self.line(word);
                self.inside(|out| out.equations(equations));
            }
        }
        for (word, sections) in [
            ("initial algorithm", &body.initial_algorithms),
            ("algorithm", &body.algorithms),
        ] {
            for section in sections {
                self.line(word);
                self.inside(|out| out.statements(&section.statements));
            }
        }
        if let Some(external) = &body.external {
            self.external(external);
        }
    }

    fn element(&mut self, element: &Element) {
        let p = &element.prefixes;
        let words = [
            (p.visibility == Visibility::Protected, "protected "),
            (p.redeclare, "redeclare "),
            (p.is_final, "final "),
            (p.inner, "inner "),
            (p.outer, "outer "),
            (p.replaceable, "replaceable "),
        ];
        let prefix: String = words
            .into_iter()
            .filter(|(set, _)| *set)
            .map(|(_, w)| w)
            .collect();
        match &element.kind {
            ElementKind::Class(class) => return self.class(&prefix, class),
            ElementKind::Import(import) => self.line(&format!("{prefix}import {}", shown(import))),
            ElementKind::Extends(extends) => {
                let modification = shown_option(extends.modification.as_ref());
                self.line(&format!("{prefix}extends {}{modification}", extends.name));
                self.inside(|out| {
                    for deselection in &extends.breaks {
                        out.line(&match &deselection.kind {
                            DeselectionKind::Component(name) => format!("break {name}"),
                            DeselectionKind::Connection(a, b) => {
                                format!("break connect({a}, {b})")
                            }
                        });
                    }
                });
            }
            ElementKind::Component(component) => {
                let constraint = element
                    .constrained_by
                    .as_ref()
                    .map_or(String::new(), |c| format!(" {c}"));
                let comment = comment_text(&element.comment);
                self.line(&format!(
                    "{prefix}component {component}{constraint}{comment}"
                ));
            }
        }
        self.inside(|out| out.annotation(element.comment.annotation.as_deref()));
    }

    fn external(&mut self, external: &ExternalDecl) {
        let mut line = "external".to_owned();
        if let Some(language) = &external.language {
            let _ = write!(line, " \"{language}\"");
        }
        if let Some(output) = &external.output {
            let _ = write!(line, " {output} =");
        }
        if let Some(function) = external.function {
            let args: Vec<String> = external.args.iter().map(Expr::to_string).collect();
            let _ = write!(line, " {function}({})", args.join(", "));
        }
        self.line(&line);
        self.inside(|out| out.annotation(external.annotation.as_deref()));
    }

    fn annotation(&mut self, annotation: Option<&Annotation>) {
        for arg in annotation.into_iter().flat_map(|a| &a.args) {
            self.line(&format!("annotation {arg}"));
        }
    }

    fn equations(&mut self, equations: &[Equation]) {
        for equation in equations {
            let comment = comment_text(&equation.comment);
            match &equation.kind {
                EquationKind::Eq(left, right) => self.line(&format!("{left} = {right}{comment}")),
                EquationKind::Connect(a, b) => self.line(&format!("connect({a}, {b}){comment}")),
                EquationKind::Call(call) => self.line(&format!("{call}{comment}")),
                EquationKind::If(branches) => {
                    for (i, branch) in branches.branches.iter().enumerate() {
                        let word = if i == 0 { "if" } else { "elseif" };
                        self.line(&format!("{word} {}", branch.condition));
                        self.inside(|out| out.equations(&branch.equations));
                    }
                    if !branches.else_equations.is_empty() {
                        self.line("else");
                        self.inside(|out| out.equations(&branches.else_equations));
                    }
                }
                EquationKind::For(block) => {
                    self.line(&format!("for {}", shown_iterators(&block.iterators)));
                    self.inside(|out| out.equations(&block.equations));
                }
                EquationKind::When(branches) => {
                    for (i, branch) in branches.iter().enumerate() {
                        let word = if i == 0 { "when" } else { "elsewhen" };
                        self.line(&format!("{word} {}", branch.condition));
                        self.inside(|out| out.equations(&branch.equations));
                    }
                }
            }
            self.inside(|out| out.annotation(equation.comment.annotation.as_deref()));
        }
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            let comment = comment_text(&statement.comment);
            match &statement.kind {
                StatementKind::Assign(target, value) => {
                    self.line(&format!("{target} := {value}{comment}"));
                }
                StatementKind::TupleAssign(targets, value) => {
                    let targets: Vec<String> = targets
                        .iter()
                        .map(|t| t.as_ref().map_or(String::new(), ComponentRef::to_string))
                        .collect();
                    self.line(&format!("({}) := {value}{comment}", targets.join(", ")));
                }
                StatementKind::Call(call) => self.line(&format!("{call}{comment}")),
                StatementKind::If(branches) => {
                    self.branches(&branches.branches, "if", "elseif");
                    if !branches.else_statements.is_empty() {
                        self.line("else");
                        self.inside(|out| out.statements(&branches.else_statements));
                    }
                }
                StatementKind::For(block) => {
                    self.line(&format!("for {}", shown_iterators(&block.iterators)));
                    self.inside(|out| out.statements(&block.statements));
                }
                StatementKind::While(block) => {
                    self.branches(std::slice::from_ref(block), "while", "");
                }
                StatementKind::When(branches) => self.branches(branches, "when", "elsewhen"),
                StatementKind::Break => self.line(&format!("break{comment}")),
                StatementKind::Return => self.line(&format!("return{comment}")),
            }
            self.inside(|out| out.annotation(statement.comment.annotation.as_deref()));
        }
    }

    fn branches(&mut self, branches: &[StatementBranch], first: &str, further: &str) {
        for (i, branch) in branches.iter().enumerate() {
            let word = if i == 0 { first } else { further };
            self.line(&format!("{word} {}", branch.condition));
            self.inside(|out| out.statements(&branch.statements));
        }
    }
}

fn shown(import: &Import) -> String {
    match import {
        Import::Qualified(name) => name.to_string(),
        Import::Renamed { alias, name } => format!("{alias} = {name}"),
        Import::Unqualified(name) => format!("{name}.*"),
        Import::List { package, names } => {
            let names: Vec<&str> = names.iter().map(|n| n.as_str()).collect();
            format!("{package}.{{{}}}", names.join(", "))
        }
    }
}

fn shown_option(modification: Option<&Modification>) -> String {
    modification.map_or(String::new(), Modification::to_string)
}

fn shown_iterators(iterators: &[ForIterator]) -> String {
    let iterators: Vec<String> = iterators.iter().map(ForIterator::to_string).collect();
    iterators.join(", ")
}

fn comment_text(comment: &Comment) -> String {
    comment
        .text
        .as_ref()
        .map_or(String::new(), |text| format!(" {text:?}"))
}
