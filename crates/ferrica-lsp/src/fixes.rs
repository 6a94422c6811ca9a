//! Quick fixes: what the hint of a message says, as an edit.

use ferrica_flat::Instances;
use ferrica_ir::similar::closest;
use ferrica_syntax::ast::ClassDef;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic, NumberOrString, Range, TextEdit,
    WorkspaceEdit,
};

use crate::analysis::Analysis;
use crate::documents::Document;

/// An edit of the text with its title.
type Fix = (String, Vec<TextEdit>);

#[allow(
    clippy::mutable_key_type,
    reason = "the type of the protocol has addresses as keys"
)]
pub fn actions(
    document: &Document,
    analysis: &Analysis,
    diagnostics: &[Diagnostic],
) -> Vec<CodeActionOrCommand> {
    let mut out = Vec::new();
    for d in diagnostics {
        for (title, edits) in fixes(document, analysis, d) {
            let changes = [(document.uri.clone(), edits)].into_iter().collect();
            out.push(CodeActionOrCommand::CodeAction(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![d.clone()]),
                edit: Some(WorkspaceEdit {
                    changes: Some(changes),
                    ..WorkspaceEdit::default()
                }),
                is_preferred: Some(true),
                ..CodeAction::default()
            }));
        }
    }
    out
}

fn fixes(document: &Document, analysis: &Analysis, d: &Diagnostic) -> Vec<Fix> {
    let text = &document.text;
    let (start, end) = (text.offset(d.range.start), text.offset(d.range.end));
    let code = match &d.code {
        Some(NumberOrString::String(code)) => code.as_str(),
        _ => "",
    };
    let (message, hint) = d.message.split_once("\nhelp: ").unwrap_or((&d.message, ""));
    let quoted = |text: &str| text.split('`').nth(1).unwrap_or_default().to_owned();
    let mut out: Vec<Fix> = Vec::new();
    let insert = |at: usize, new: String| TextEdit::new(text.range(at, at), new);
    if let Some(name) = hint
        .strip_prefix("did you mean `")
        .and_then(|h| h.split('`').next())
    {
        if let Some(range) = wrong_word(document, message, name, start, end) {
            out.push((
                format!("Change to `{name}`"),
                vec![TextEdit::new(range, name.to_owned())],
            ));
        }
    } else if code == "E0109" {
        out.push((
            "Add the missing `;`".into(),
            vec![insert(start, ";".into())],
        ));
    } else if code == "E0104" {
        let ending = quoted(hint);
        match hint.starts_with("insert") {
            true => {
                let line = text.content[..start].rfind('\n').map_or(0, |n| n + 1);
                out.push((
                    format!("Insert `{ending}`"),
                    vec![insert(line, format!("{ending}\n"))],
                ));
            }
            false => {
                let new = ending.trim_end_matches(';').to_owned();
                out.push((
                    format!("Write `{ending}`"),
                    vec![TextEdit::new(d.range, new)],
                ));
            }
        }
    } else if code == "W0203" {
        let clause = quoted(hint);
        let name = clause
            .trim_start_matches("within")
            .trim()
            .trim_end_matches(';');
        out.push((
            format!("Write `{clause}`"),
            vec![TextEdit::new(d.range, name.to_owned())],
        ));
    }
    let class = analysis.class_at(start);
    let Some(def) = class.map(|c| analysis.library.def(c)) else {
        return out;
    };
    if matches!(code, "W0301" | "E0309") && hint.starts_with("add `inner ") {
        let declaration = quoted(hint);
        out.push((
            format!("Add `{declaration}`"),
            vec![declared(document, def, &declaration)],
        ));
    }
    if code == "E0201" && message.contains("is not declared in") {
        let name = quoted(message);
        let declaration = format!("Real {name};");
        out.push((
            format!("Declare `{declaration}`"),
            vec![declared(document, def, &declaration)],
        ));
    }
    if matches!(code, "W0411" | "E0401")
        && let Some(class) = class
        && let Some(pin) = pin(analysis, class, &text.content[start..end], message)
    {
        let ground = "Modelica.Electrical.Analog.Basic.Ground ground;";
        let mut edits = vec![declared(document, def, ground)];
        edits.extend(equation(
            document,
            def,
            &format!("connect(ground.p, {pin});"),
        ));
        out.push(("Add a ground".into(), edits));
    }
    out
}

/// The word that was meant to be `name`: one that the message quotes and the place has.
fn wrong_word(
    document: &Document,
    message: &str,
    name: &str,
    start: usize,
    end: usize,
) -> Option<Range> {
    let here = &document.text.content[start..end];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let parts = quoted.iter().flat_map(|q| q.split('.'));
    let candidates: Vec<&str> = parts
        .filter(|q| here.split(|c| !is_part(c)).any(|w| w == *q))
        .collect();
    let wrong = match candidates.as_slice() {
        [only] => *only,
        several => closest(name, several.iter().copied()).or(several.last().copied())?,
    };
    let at = here.rfind(wrong)?;
    Some(document.text.range(start + at, start + at + wrong.len()))
}

/// A declaration in front of the first one of a class.
fn declared(document: &Document, def: &ClassDef, declaration: &str) -> TextEdit {
    let text = &document.text;
    let first = def.elements().first().map(|e| e.span.start as usize);
    let body = def.long();
    let equation = body.and_then(|b| b.equations.first().or(b.initial_equations.first()));
    let at = match (first, equation) {
        (Some(at), _) => at,
        // In front of the word `equation`.
        (None, Some(e)) => {
            let before = &text.content[..e.span.start as usize];
            let word = before.rfind("equation").unwrap_or(before.len());
            let line = before[..word].rfind('\n').map_or(0, |n| n + 1);
            return TextEdit::new(text.range(line, line), format!("  {declaration}\n"));
        }
        (None, None) => {
            let end = text.content[..def.span.end as usize]
                .rfind("end")
                .unwrap_or(def.span.end as usize);
            return TextEdit::new(text.range(end, end), format!("  {declaration}\n"));
        }
    };
    let line = text.content[..at].rfind('\n').map_or(0, |n| n + 1);
    let indent = &text.content[line..at];
    let indent: String = indent.chars().take_while(|c| c.is_whitespace()).collect();
    // A prefix such as `parameter` may stand in front of the element's own place.
    let begin = line + indent.len();
    TextEdit::new(text.range(begin, begin), format!("{declaration}\n{indent}"))
}

/// An equation behind the last one of a class.
fn equation(document: &Document, def: &ClassDef, equation: &str) -> Option<TextEdit> {
    let text = &document.text;
    let last = def.long()?.equations.last()?;
    let semicolon = text.content[last.span.end as usize..].find(';')? + last.span.end as usize + 1;
    Some(TextEdit::new(
        text.range(semicolon, semicolon),
        format!("\n  {equation}"),
    ))
}

/// A pin of a component that the message is about; nothing where there is a ground already.
fn pin(
    analysis: &Analysis,
    class: ferrica_classes::ClassId,
    here: &str,
    message: &str,
) -> Option<String> {
    let mut instances = Instances::new(&analysis.library);
    let root = instances.of_class(class);
    let parts = instances.parts(root);
    let is_ground = |class| instances.class_name(class).ends_with(".Ground");
    if parts.iter().filter_map(|p| p.class).any(is_ground) {
        return None;
    }
    for part in parts {
        let name = part.name.as_str();
        let mut words = here.split(|c: char| !c.is_alphanumeric() && c != '_');
        let meant = words.any(|w| w == name) || message.contains(&format!("`{name}."));
        let Some(of) = part.class.filter(|_| meant) else {
            continue;
        };
        for port in instances.connectors(of) {
            let Some(pin) = port.class else { continue };
            let members = instances.parts(pin);
            let has = |name: &str| members.iter().any(|p| p.name.as_str() == name);
            if has("v") && has("i") {
                return Some(format!("{name}.{}", port.name));
            }
        }
    }
    None
}
