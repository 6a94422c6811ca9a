//! `ferrica list`: the classes of the libraries, with kind and description.

use std::fmt::Write;
use std::sync::Arc;

use ferrica_classes::{ClassId, Library, SearchPath};
use ferrica_results::glob_matches;
use ferrica_syntax::ast::ClassKind;

use crate::Outcome;
use crate::cli::ListArgs;
use crate::reporter::Reporter;
use crate::terminal::print_out;
use ferrica::failure::Failure;
use ferrica::library::BUILT_IN;

pub fn list(args: &ListArgs, reporter: &mut Reporter) -> Outcome {
    if let Some(folder) = args.libs.iter().find(|f| !f.exists()) {
        let text = format!("--lib {}: no such folder", folder.display());
        return Err(Failure::usage(text));
    }
    let path = SearchPath::from_environment(args.libs.clone(), Some(BUILT_IN));
    let library = Library::new(Arc::clone(&reporter.sources), path);
    let roots = library.root_names().into_iter();
    let roots: Vec<ClassId> = roots.filter_map(|name| library.root_class(name)).collect();
    let chosen = match args.pattern.as_deref() {
        None => roots,
        Some(name) => match library.find(name) {
            // A package is opened, another class shown.
            Some(class) => {
                let inside = library.children(class);
                if inside.is_empty() {
                    vec![class]
                } else {
                    inside
                }
            }
            None => search(&library, roots, name),
        },
    };
    reporter.diagnostics(&library.take_diagnostics());
    if chosen.is_empty() {
        let pattern = args.pattern.as_deref().unwrap_or_default();
        return Err(Failure::usage_with_hint(
            format!("no class matches `{pattern}`"),
            "a part of a name or of a description, or a pattern with `*`: `ferrica list 'Modelica.*Resistor'`",
        ));
    }
    print_out(&lines(&library, &chosen))
}

/// All classes whose full name matches the pattern; one without `*` and `?` is looked for in names and descriptions.
fn search(library: &Library, roots: Vec<ClassId>, pattern: &str) -> Vec<ClassId> {
    let is_glob = pattern.contains(['*', '?']);
    let wanted = pattern.to_lowercase();
    let mut found = Vec::new();
    let mut stack: Vec<ClassId> = roots.into_iter().rev().collect();
    while let Some(class) = stack.pop() {
        let name = library.full_name(class);
        let about = library.def(class).comment.as_deref().unwrap_or_default();
        let fits = match is_glob {
            true => glob_matches(pattern, &name),
            false => {
                name.to_lowercase().contains(&wanted) || about.to_lowercase().contains(&wanted)
            }
        };
        if fits {
            found.push(class);
        }
        stack.extend(library.children(class).into_iter().rev());
    }
    found
}

fn lines(library: &Library, classes: &[ClassId]) -> String {
    let names: Vec<String> = classes.iter().map(|&c| library.full_name(c)).collect();
    let kinds: Vec<String> = classes
        .iter()
        .map(|&c| {
            let def = library.def(c);
            let partial = if def.partial { "partial " } else { "" };
            format!("{partial}{}", kind(def.kind))
        })
        .collect();
    let width = |list: &[String]| list.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let (name_width, kind_width) = (width(&names), width(&kinds));
    let mut out = String::new();
    for ((&class, name), kind) in classes.iter().zip(&names).zip(&kinds) {
        let about = library.def(class).comment.as_deref().unwrap_or_default();
        let line = format!("{name:name_width$}  {kind:kind_width$}  {about}");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn kind(kind: ClassKind) -> &'static str {
    kind.keywords()
}
