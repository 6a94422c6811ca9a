//! Hover: the declaration, its unit and final value with where the value comes from, and the documentation of its class.

use ferrica::sources::documentation;
use ferrica_flat::{DeclarationKind, Instances, Known};
use ferrica_ir::Symbol;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use crate::analysis::Analysis;
use crate::documents::Document;
use crate::markdown;
use crate::navigation::occurrence_at;
use crate::occurrences::{Occurrence, Role};
use crate::resolver::Resolver;

/// Bytes of documentation that are shown; the page of `ferrica doc` has the rest.
const MOST_DOCUMENTATION: usize = 4000;

pub fn hover(document: &Document, analysis: &Analysis, offset: usize) -> Option<Hover> {
    let (at, name) = occurrence_at(document, analysis, offset)?;
    let found = Resolver::new(&analysis.library).resolve(&at, name)?;
    let mut value = markdown::declaration(&found, &analysis.library);
    match &found.kind {
        DeclarationKind::Component { .. } => {
            for line in facts(&at, name, analysis) {
                value.push_str(&format!("\n\n{line}"));
            }
        }
        DeclarationKind::Class(_) => {
            let def = found.class.map(|c| analysis.library.def(c));
            if let Some(info) = def.and_then(documentation::info) {
                let text = documentation::markdown(&info);
                let cut = text
                    .char_indices()
                    .map(|(k, _)| k)
                    .find(|&k| k >= MOST_DOCUMENTATION);
                let (text, more) = cut.map_or((text.as_str(), ""), |k| (&text[..k], " …"));
                value.push_str(&format!("\n\n---\n\n{text}{more}"));
            }
        }
        DeclarationKind::Literal => {}
    }
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value,
        }),
        range: Some(document.text.range(at.start as usize, at.end as usize)),
    })
}

/// Unit, size and value of a component of the class under the cursor.
fn facts(at: &Occurrence, name: Symbol, analysis: &Analysis) -> Vec<String> {
    let path = match &at.role {
        Role::Path {
            global: false,
            path,
        } => path.clone(),
        Role::Declares(_) | Role::Redeclares(_) => vec![name],
        _ => return Vec::new(),
    };
    let mut instances = Instances::new(&analysis.library);
    let root = instances.of_class(at.class);
    let mut out = Vec::new();
    let unit = instances
        .text_attribute(root, &path, "unit")
        .filter(|u| !u.is_empty());
    if let Some(unit) = &unit {
        out.push(format!("Unit: `{unit}`"));
    }
    if let Some(sizes) = instances.sizes(root, &path).filter(|s| !s.is_empty()) {
        out.push(format!("Size: `{}`", listed(&sizes)));
    }
    if let Some(value) = instances.value(root, &path) {
        let unit = unit.map(|u| format!(" {u}")).unwrap_or_default();
        let mut line = format!("Value: `{}{unit}`", shown(&value));
        if let Some((span, declared)) = instances.origin(root, &path)
            && !declared
            && let Some((file, place)) = analysis.library.sources().line_col(span)
        {
            let file = std::path::Path::new(&file.name);
            let file = file
                .file_name()
                .map(|f| f.to_string_lossy().into_owned())
                .unwrap_or_default();
            line.push_str(&format!(", from a modifier at {file}:{}", place.line));
        }
        out.push(line);
    }
    out
}

pub fn listed(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    format!("[{}]", sizes.join(", "))
}

/// A value as it would be written; long arrays are cut.
pub fn shown(value: &Known) -> String {
    const MOST: usize = 6;
    match value {
        Known::Number(x) => format!("{x}"),
        Known::Bool(b) => b.to_string(),
        Known::Text(text) => format!("\"{text}\""),
        Known::Enum(literal) => literal.clone(),
        Known::Array(list) => {
            let more = if list.len() > MOST { ", …" } else { "" };
            let items: Vec<String> = list.iter().take(MOST).map(shown).collect();
            format!("{{{}{more}}}", items.join(", "))
        }
    }
}
