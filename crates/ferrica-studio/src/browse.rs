//! The classes of the libraries: packages opened one by one, search, documentation.

use ferrica_classes::{ClassId, Library};
use ferrica_draw::Theme;
use serde_json::{Value, json};

/// Answers of a search.
const MOST: usize = 60;
/// Classes that a search looks at.
const LOOKED_AT: usize = 40_000;

/// What is in a package; the libraries for an empty name.
pub fn children(library: &Library, package: &str) -> Value {
    let list: Vec<ClassId> = match package {
        "" => library
            .root_names()
            .into_iter()
            .filter_map(|n| library.root_class(n))
            .collect(),
        name => library
            .find(name)
            .map_or_else(Vec::new, |c| library.children(c)),
    };
    Value::Array(list.into_iter().map(|c| entry(library, c)).collect())
}

fn entry(library: &Library, class: ClassId) -> Value {
    let def = library.def(class);
    json!({
        "name": library.full_name(class),
        "kind": def.kind.keywords(),
        "description": def.comment,
        "open": def.kind == ferrica_syntax::ast::ClassKind::Package,
    })
}

/// Classes whose name and description have all the words, in any case.
pub fn search(library: &Library, words: &str) -> Value {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let roots = library.root_names().into_iter();
    let mut open: Vec<ClassId> = roots.filter_map(|n| library.root_class(n)).rev().collect();
    let (mut found, mut seen) = (Vec::new(), 0);
    while let Some(class) = open.pop() {
        seen += 1;
        if found.len() >= MOST || seen > LOOKED_AT {
            break;
        }
        let description = library.def(class).comment.as_deref().unwrap_or_default();
        let text = format!("{} {description}", library.full_name(class)).to_lowercase();
        if words.iter().all(|w| text.contains(w)) {
            found.push(entry(library, class));
        }
        open.extend(library.children(class).into_iter().rev());
    }
    Value::Array(found)
}

/// Its description, the text of its documentation and its icon.
pub fn about(library: &Library, name: &str) -> Value {
    let Some(class) = library.find(name) else {
        return json!({"failed": {"message": format!("there is no class `{name}`")}});
    };
    let def = library.def(class);
    let documentation = def
        .annotation
        .as_ref()
        .and_then(|a| a.find("Documentation"));
    let info = documentation.and_then(|d| d.find("info")?.string());
    let icon = ferrica_diagram::icon(library, class, Theme::Both);
    json!({
        "name": name,
        "kind": def.kind.keywords(),
        "description": def.comment,
        "documentation": info,
        "icon": icon.map(|d| ferrica_draw::print(&d.scene)),
    })
}
