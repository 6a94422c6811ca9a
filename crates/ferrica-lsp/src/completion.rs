//! Completion: members behind a dot, modifiers, named arguments, connectors that fit, units, annotations, names that the class sees,
//! keywords.

mod annotations;
mod connectors;

use ferrica_flat::{Declaration, DeclarationKind, Query};
use ferrica_ir::Symbol;
use ferrica_syntax::ast::{ClassKind, Name};
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, TextEdit};

use crate::analysis::Analysis;
use crate::cursor::{Context, Open, context_at};
use crate::documents::Document;
use crate::{markdown, signature};

/// Words that begin a declaration, an equation or a statement.
const KEYWORDS: [&str; 37] = [
    "algorithm",
    "annotation",
    "block",
    "connect",
    "connector",
    "constant",
    "der",
    "discrete",
    "each",
    "else",
    "elseif",
    "elsewhen",
    "encapsulated",
    "end",
    "equation",
    "extends",
    "final",
    "flow",
    "for",
    "function",
    "if",
    "import",
    "initial",
    "inner",
    "input",
    "loop",
    "model",
    "outer",
    "output",
    "package",
    "parameter",
    "protected",
    "record",
    "redeclare",
    "replaceable",
    "when",
    "while",
];

struct List<'d> {
    document: &'d Document,
    analysis: &'d Analysis,
    context: Context,
    written: String,
    items: Vec<CompletionItem>,
}

pub fn complete(document: &Document, analysis: &Analysis, offset: usize) -> Vec<CompletionItem> {
    let text = &document.text.content;
    let context = context_at(text, offset);
    if context.in_comment {
        return Vec::new();
    }
    let written = text[context.word.start..context.word.end].to_lowercase();
    let mut list = List {
        document,
        analysis,
        context,
        written,
        items: Vec::new(),
    };
    if list.context.in_string {
        list.units();
        return list.items;
    }
    let class = analysis.class_at(offset);
    let mut query = Query::new(&analysis.library);
    let behind_a_dot = !list.context.word.path.is_empty();
    let innermost = list.context.open.last().cloned();
    match innermost {
        Some(Open::Annotation) if list.context.named.is_none() => {
            list.names("");
            return list.items;
        }
        Some(Open::AnnotationOf(of)) if list.context.named.is_none() => {
            list.names(of.as_str());
            return list.items;
        }
        Some(Open::Other) if list.in_annotation() => {
            for shape in annotations::SHAPES {
                list.plain(shape, CompletionItemKind::CLASS, "");
            }
        }
        Some(Open::Connect) if !behind_a_dot => {
            if let Some(class) = class {
                list.ports(class);
            }
            return list.items;
        }
        Some(Open::Modifier { global, of, inside }) if list.context.named.is_none() => {
            let name = Name {
                global,
                parts: of,
                ..Name::default()
            };
            let members = match class {
                Some(c) => query.members_of_type(c, &name, &inside),
                None => None,
            };
            list.modifiers(members);
            return list.items;
        }
        Some(Open::Call { global, function }) if !behind_a_dot => {
            if let Some(d) = query.resolve(class, global, &function) {
                for input in signature::inputs(&mut query, &d) {
                    list.argument(&input);
                }
            }
        }
        _ => {}
    }
    let (global, path) = (list.context.word.global, list.context.word.path.clone());
    for found in query.members(class, global, &path) {
        if !(behind_a_dot && found.protected) {
            list.declaration(&found, "");
        }
    }
    if !behind_a_dot && !global {
        for word in KEYWORDS {
            list.plain(word, CompletionItemKind::KEYWORD, "");
        }
    }
    list.items
}

impl List<'_> {
    fn wanted(&self, name: &str) -> bool {
        name.to_lowercase().starts_with(&self.written)
            && !self.items.iter().any(|i| i.label == name)
    }

    fn in_annotation(&self) -> bool {
        self.context.open.contains(&Open::Annotation)
    }

    fn plain(&mut self, label: &str, kind: CompletionItemKind, detail: &str) {
        if self.wanted(label) {
            self.items.push(CompletionItem {
                label: label.to_string(),
                kind: Some(kind),
                detail: (!detail.is_empty()).then(|| detail.to_string()),
                ..CompletionItem::default()
            });
        }
    }

    /// `behind`: what is written behind the name, as `=` in a modifier.
    fn declaration(&mut self, found: &Declaration, behind: &str) {
        let name = found.name.as_str();
        if !self.wanted(name) {
            return;
        }
        self.items.push(CompletionItem {
            label: name.to_string(),
            kind: Some(kind(&found.kind)),
            detail: Some(markdown::line(found, &self.analysis.library)),
            insert_text: (!behind.is_empty()).then(|| format!("{name}{behind}")),
            documentation: (!found.description.is_empty())
                .then(|| Documentation::String(found.description.clone())),
            ..CompletionItem::default()
        });
    }

    fn argument(&mut self, input: &Declaration) {
        self.declaration(input, " = ");
    }

    /// Members of the type that is modified, or the attributes of a predefined one.
    fn modifiers(&mut self, members: Option<Vec<Declaration>>) {
        match members {
            Some(members) => {
                let open = members.iter().filter(|m| !m.protected);
                let open: Vec<&Declaration> = open.collect();
                for found in &open {
                    self.declaration(found, "");
                }
                if open.is_empty() {
                    self.attributes();
                }
            }
            None => self.attributes(),
        }
        for word in ["each", "final", "redeclare", "replaceable"] {
            self.plain(word, CompletionItemKind::KEYWORD, "");
        }
    }

    fn attributes(&mut self) {
        for (name, about) in annotations::ATTRIBUTES {
            self.plain(name, CompletionItemKind::PROPERTY, about);
        }
    }

    fn names(&mut self, of: &str) {
        for name in annotations::names(of) {
            self.plain(name, CompletionItemKind::PROPERTY, "");
        }
    }

    /// Units in the string of `unit` or `displayUnit`.
    fn units(&mut self) {
        let asked = self.context.named.map(Symbol::as_str);
        if !matches!(asked, Some("unit" | "displayUnit")) {
            return;
        }
        let (start, end) = (self.context.word.start, self.context.word.end);
        let written = &self.document.text.content[start..end];
        let range = self.document.text.range(start, end);
        for (unit, about) in annotations::UNITS
            .iter()
            .filter(|(u, _)| u.starts_with(written))
        {
            self.items.push(CompletionItem {
                label: (*unit).to_string(),
                kind: Some(CompletionItemKind::UNIT),
                detail: Some((*about).to_string()),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(
                    range,
                    (*unit).to_string(),
                ))),
                ..CompletionItem::default()
            });
        }
    }

    fn ports(&mut self, class: ferrica_classes::ClassId) {
        let first = self.context.first.clone();
        for port in connectors::ports(&self.analysis.library, class, &first) {
            if self.wanted(&port.path) {
                self.items.push(CompletionItem {
                    label: port.path,
                    kind: Some(CompletionItemKind::INTERFACE),
                    detail: Some(port.class),
                    documentation: (!port.description.is_empty())
                        .then_some(Documentation::String(port.description)),
                    ..CompletionItem::default()
                });
            }
        }
    }
}

fn kind(of: &DeclarationKind) -> CompletionItemKind {
    match of {
        DeclarationKind::Component { prefixes, .. } => match prefixes.variability {
            Some(_) => CompletionItemKind::CONSTANT,
            None => CompletionItemKind::FIELD,
        },
        DeclarationKind::Literal => CompletionItemKind::ENUM_MEMBER,
        DeclarationKind::Class(ClassKind::Package) => CompletionItemKind::MODULE,
        DeclarationKind::Class(ClassKind::Function | ClassKind::OperatorFunction) => {
            CompletionItemKind::FUNCTION
        }
        DeclarationKind::Class(ClassKind::Connector | ClassKind::ExpandableConnector) => {
            CompletionItemKind::INTERFACE
        }
        DeclarationKind::Class(ClassKind::Record | ClassKind::OperatorRecord) => {
            CompletionItemKind::STRUCT
        }
        DeclarationKind::Class(ClassKind::Type) => CompletionItemKind::TYPE_PARAMETER,
        DeclarationKind::Class(_) => CompletionItemKind::CLASS,
    }
}
