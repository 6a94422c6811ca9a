//! Signature help: the inputs of the function whose call is being written.

use ferrica_flat::{Declaration, DeclarationKind, Query};
use ferrica_ir::{Symbol, elementary};
use ferrica_syntax::ast::Causality;
use lsp_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation,
};

use crate::analysis::Analysis;
use crate::cursor::{Open, context_at};
use crate::documents::Document;
use crate::markdown;

/// Operators of the language that are written like functions, with their arguments; the elementary functions have a table of their own.
const OPERATORS: [(&str, &[&str], &str); 20] = [
    ("der", &["x"], "Time derivative"),
    ("initial", &[], "True during initialization"),
    ("terminal", &[], "True at the end of a successful run"),
    ("pre", &["y"], "Value right before the event"),
    ("edge", &["b"], "b and not pre(b)"),
    ("change", &["v"], "v <> pre(v)"),
    (
        "reinit",
        &["x", "value"],
        "New value of a state at an event",
    ),
    (
        "sample",
        &["start", "interval"],
        "True at start + k*interval",
    ),
    (
        "delay",
        &["expr", "delayTime", "delayMax"],
        "Value of an expression some time ago",
    ),
    (
        "smooth",
        &["order", "expr"],
        "The expression is so many times continuously differentiable",
    ),
    (
        "noEvent",
        &["expr"],
        "Relations in the expression cause no events",
    ),
    (
        "homotopy",
        &["actual", "simplified"],
        "A simpler expression to begin initialization with",
    ),
    (
        "assert",
        &["condition", "message", "level"],
        "Stops, or warns, where the condition is false",
    ),
    ("terminate", &["message"], "Ends the run successfully"),
    (
        "semiLinear",
        &["x", "k_plus", "k_minus"],
        "Slopes for positive and negative x",
    ),
    (
        "inStream",
        &["v"],
        "Value of a stream variable that flows in",
    ),
    (
        "actualStream",
        &["v"],
        "Value of a stream variable in the direction of the flow",
    ),
    (
        "cardinality",
        &["c"],
        "Number of connections of a connector",
    ),
    ("fill", &["value", "n1", "n2"], "An array of one value"),
    ("linspace", &["x1", "x2", "n"], "Numbers at equal distances"),
];

/// Inputs of a function in their order; of a record, its fields.
pub fn inputs(query: &mut Query<'_>, function: &Declaration) -> Vec<Declaration> {
    let Some(class) = function.class else {
        return Vec::new();
    };
    let is_record = matches!(function.kind, DeclarationKind::Class(kind) if kind.is_record());
    let members = query.members_of_class(class).into_iter();
    members
        .filter(|m| match &m.kind {
            DeclarationKind::Component { prefixes, .. } => {
                prefixes.causality == Some(Causality::Input) || is_record && !m.protected
            }
            _ => false,
        })
        .collect()
}

pub fn help(document: &Document, analysis: &Analysis, offset: usize) -> Option<SignatureHelp> {
    let context = context_at(&document.text.content, offset);
    // Parentheses inside of an argument belong to it.
    let open = context.open.iter().rev().find(|o| **o != Open::Other)?;
    let Open::Call { global, function } = open else {
        return None;
    };
    if context.in_string || context.in_comment {
        return None;
    }
    let name: Vec<&str> = function.iter().map(|s| s.as_str()).collect();
    let mut query = Query::new(&analysis.library);
    let found = query.resolve(analysis.class_at(offset), *global, function);
    let (labels, about, names): (Vec<(String, String)>, String, Vec<Symbol>) = match &found {
        Some(d) => {
            let list = inputs(&mut query, d);
            let names = list.iter().map(|i| i.name).collect();
            let labels = list
                .iter()
                .map(|i| (markdown::line(i, &analysis.library), i.description.clone()));
            (labels.collect(), d.description.clone(), names)
        }
        None => {
            let [name] = name[..] else {
                return None;
            };
            let operator = OPERATORS.iter().find(|o| o.0 == name);
            let function = elementary::named(name);
            let (inputs, about) =
                (operator.map(|o| (o.1, o.2))).or(function.map(|f| (f.inputs, f.about)))?;
            let labels = inputs.iter().map(|a| ((*a).to_string(), String::new()));
            (labels.collect(), about.to_string(), Vec::new())
        }
    };
    let plain = |text: &str| text.trim_start_matches("input ").to_string();
    let list: Vec<String> = labels.iter().map(|(l, _)| plain(l)).collect();
    let by_name = context
        .named
        .and_then(|n| names.iter().position(|k| *k == n));
    let active = by_name.unwrap_or(context.commas) as u32;
    Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            label: format!("{}({})", name.join("."), list.join(", ")),
            documentation: (!about.is_empty()).then_some(Documentation::String(about)),
            parameters: Some(
                (list.iter().zip(&labels))
                    .map(|(label, (_, about))| ParameterInformation {
                        label: ParameterLabel::Simple(label.clone()),
                        documentation: (!about.is_empty())
                            .then(|| Documentation::String(about.clone())),
                    })
                    .collect(),
            ),
            active_parameter: Some(active),
        }],
        active_signature: Some(0),
        active_parameter: Some(active),
    })
}
