//! Inlay hints: final values of parameters, units and sizes of declarations, names of positional arguments.

use ferrica_flat::{Instances, Query};
use ferrica_syntax::ast::{
    ClassDef, Component, ElementKind, Expr, ExprKind, Subscript, UnaryOp, Variability,
};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, Range};

use crate::analysis::Analysis;
use crate::documents::Document;
use crate::hover::{listed, shown};
use crate::occurrences::calls;
use crate::signature;

pub fn hints(document: &Document, analysis: &Analysis, range: Range) -> Vec<InlayHint> {
    let text = &document.text;
    let (from, until) = (text.offset(range.start), text.offset(range.end));
    let inside = |at: u32| (from..=until).contains(&(at as usize));
    let mut out = Vec::new();
    for class in analysis.all_classes() {
        let def = analysis.library.def(class);
        let components = components(def).filter(|(c, _)| inside(c.name_span.start));
        let wanted: Vec<_> = components.collect();
        if wanted.is_empty() {
            continue;
        }
        let mut instances = Instances::new(&analysis.library);
        let root = instances.of_class(class);
        for (c, _) in wanted {
            let mut behind_name = String::new();
            let unknown = |s: &Subscript| {
                !matches!(
                    s,
                    Subscript::Expr(Expr {
                        kind: ExprKind::Int(_),
                        ..
                    })
                )
            };
            if c.subscripts.iter().chain(&c.type_subscripts).any(unknown)
                && let Some(sizes) = instances.sizes(root, &[c.name]).filter(|s| !s.is_empty())
            {
                behind_name.push_str(&listed(&sizes));
            }
            let says_unit = c
                .modification
                .as_ref()
                .is_some_and(|m| m.find("unit").is_some());
            let unit = instances.text_attribute(root, &[c.name], "unit");
            if let Some(unit) = unit.filter(|u| !u.is_empty() && !says_unit) {
                behind_name.push_str(&format!(" in {unit}"));
            }
            if !behind_name.is_empty() {
                let end = c
                    .subscripts
                    .last()
                    .map_or(c.name_span.end, |s| s.span().end + 1);
                out.push(hint(document, end, behind_name.trim(), true));
            }
            let is_parameter = matches!(
                c.prefixes.variability,
                Some(Variability::Parameter | Variability::Constant)
            );
            let value = c.modification.as_ref().and_then(|m| m.value.as_ref());
            if let Some(e) = value.filter(|e| is_parameter && !is_literal(e))
                && let Some(known) = instances.value(root, &[c.name])
            {
                out.push(hint(
                    document,
                    e.span.end,
                    &format!("= {}", shown(&known)),
                    true,
                ));
            }
        }
    }
    arguments(document, analysis, &inside, &mut out);
    out
}

fn components(def: &ClassDef) -> impl Iterator<Item = (&Component, ())> {
    def.elements().iter().filter_map(|e| match &e.kind {
        ElementKind::Component(c) => Some((c.as_ref(), ())),
        _ => None,
    })
}

fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Str(_) | ExprKind::Bool(_) => true,
        ExprKind::Unary(UnaryOp::Neg, inner) => is_literal(inner),
        ExprKind::Array(list) => list.iter().all(is_literal),
        ExprKind::Matrix(rows) => rows.iter().flatten().all(is_literal),
        _ => false,
    }
}

/// Names of the arguments of functions that have more than one.
fn arguments(
    document: &Document,
    analysis: &Analysis,
    inside: &dyn Fn(u32) -> bool,
    out: &mut Vec<InlayHint>,
) {
    let mut query = Query::new(&analysis.library);
    for call in calls(&analysis.library, &analysis.classes, &document.text.content) {
        let shown: Vec<_> = call.positional.iter().filter(|a| inside(a.start)).collect();
        if call.positional.len() < 2 || shown.is_empty() {
            continue;
        }
        let Some(function) = query.resolve(Some(call.class), call.global, &call.function) else {
            continue;
        };
        let inputs = signature::inputs(&mut query, &function);
        for (argument, input) in call.positional.iter().zip(&inputs) {
            let written = document
                .text
                .content
                .get(argument.start as usize..argument.end as usize);
            // A variable of the same name says it already.
            if inside(argument.start) && written != Some(input.name.as_str()) {
                out.push(hint(
                    document,
                    argument.start,
                    &format!("{} =", input.name),
                    false,
                ));
            }
        }
    }
}

/// `behind`: it says something of what is in front of it.
fn hint(document: &Document, at: u32, label: &str, behind: bool) -> InlayHint {
    InlayHint {
        position: document.text.position(at as usize),
        label: InlayHintLabel::String(label.to_string()),
        kind: Some(match behind {
            true => InlayHintKind::TYPE,
            false => InlayHintKind::PARAMETER,
        }),
        text_edits: None,
        tooltip: None,
        padding_left: Some(behind),
        padding_right: Some(!behind),
        data: None,
    }
}
