//! Completion: members behind a dot, names that the class sees, keywords.

use ferrica_flat::{DeclarationKind, Query};
use ferrica_syntax::ast::ClassKind;
use lsp_types::{CompletionItem, CompletionItemKind, Documentation};

use crate::analysis::Analysis;
use crate::cursor::completion_at;
use crate::documents::Document;
use crate::markdown;

/// Words that begin a declaration, an equation or a statement.
const KEYWORDS: [&str; 36] = [
    "algorithm",
    "annotation",
    "block",
    "connect",
    "connector",
    "constant",
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

pub fn complete(document: &Document, analysis: &Analysis, offset: usize) -> Vec<CompletionItem> {
    let text = &document.text.content;
    let word = completion_at(text, offset);
    let written = text[word.start..word.end].to_lowercase();
    let wanted = |name: &str| name.to_lowercase().starts_with(&written);
    let class = analysis.class_at(offset);
    let behind_a_dot = !word.path.is_empty();
    let mut query = Query::new(&analysis.library);
    let mut items: Vec<CompletionItem> = Vec::new();
    for found in query.members(class, word.global, &word.path) {
        let name = found.name.as_str();
        let hidden = behind_a_dot && found.protected;
        if !wanted(name) || hidden || items.iter().any(|i| i.label == name) {
            continue;
        }
        items.push(CompletionItem {
            label: name.to_string(),
            kind: Some(kind(&found.kind)),
            detail: Some(markdown::line(&found, &analysis.library)),
            documentation: (!found.description.is_empty())
                .then_some(Documentation::String(found.description)),
            ..CompletionItem::default()
        });
    }
    if !behind_a_dot && !word.global {
        let words = KEYWORDS.iter().filter(|k| wanted(k));
        items.extend(words.map(|k| CompletionItem {
            label: (*k).to_string(),
            kind: Some(CompletionItemKind::KEYWORD),
            ..CompletionItem::default()
        }));
    }
    items
}

fn kind(of: &DeclarationKind) -> CompletionItemKind {
    match of {
        DeclarationKind::Component { prefixes, .. } => match prefixes.variability {
            Some(_) => CompletionItemKind::CONSTANT,
            None => CompletionItemKind::FIELD,
        },
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
