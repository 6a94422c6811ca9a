//! The language by example: the chapters in `tests/language`. Each case is a Modelica text and what must come
//! out: lines of the flat model (`flat`), names or lines that must not occur (`absent`, `absent-line`), the number of
//! equations and unknowns (`balance`), the code and part of the message of an error (`error`), all messages as
//! the user sees them (`messages`; with the environment variable `BLESS` set, the files are brought up to date), or what
//! a run gives (`expect`, `run` and `refused`, which the tests of the program look at).
//! The rules are those of the Modelica language specification, chapter by chapter.

use std::path::Path;
use std::sync::Arc;

use ferrica_classes::{Library, SearchPath};
use ferrica_conformance::cases::{Case, cases};
use ferrica_ir::SourceMap;
use ferrica_ir::flat::{FlatModel, Variability};

/// What is wrong with a case, if anything.
fn verdict(case: &Case) -> Result<(), String> {
    let sources = Arc::new(SourceMap::new());
    let library = Library::new(sources.clone(), SearchPath::default());
    let classes = library
        .add_source("case.mo", case.model.as_str())
        .map_err(|d| d.iter().map(|d| sources.render(d)).collect::<String>())?;
    let top = *classes.last().ok_or("no class")?;
    // The model is the last class of a package.
    let class = match library.children(top).last() {
        Some(&c) if library.def(top).kind == ferrica_syntax::ast::ClassKind::Package => c,
        _ => top,
    };
    let result = ferrica_flat::flatten_class(&library, class);
    let dump = result
        .as_ref()
        .ok()
        .map(|f| ferrica_ir::print::flat_model(&f.model));
    let dump = dump.as_deref().unwrap_or("");
    // Whatever stands for the elements of arrays: the model is the same.
    let single = ferrica_flat::flatten_one_by_one(&library, class)
        .map(|f| ferrica_ir::print::flat_model(&f.model));
    if single.as_deref().unwrap_or("") != dump {
        return Err(format!("not the same as element by element:\n{dump}"));
    }
    for (kind, body) in &case.expected {
        match (kind.as_str(), &result) {
            ("messages", _) => {
                let text = messages(&sources, &result);
                if text.trim() != body.trim() {
                    return Err(text);
                }
            }
            ("error", Ok(_)) => return Err("accepted, but must be rejected".into()),
            ("error", Err(list)) => {
                let (code, text) = body.trim().split_once(' ').unwrap_or((body.trim(), ""));
                let fits = |d: &ferrica_ir::Diagnostic| {
                    let hint = d.hint.as_deref().unwrap_or("");
                    d.code == code && (d.message.contains(text) || hint.contains(text))
                };
                if !list.iter().any(fits) {
                    return Err(list.iter().map(|d| sources.render(d)).collect());
                }
            }
            // Runs are tested with the program.
            ("expect" | "run" | "refused", Ok(_)) => {}
            (_, Err(list)) => return Err(list.iter().map(|d| sources.render(d)).collect()),
            ("flat", Ok(_)) => {
                for line in body.lines() {
                    if !dump.lines().any(|l| l.trim() == line.trim()) {
                        return Err(format!("missing `{line}` in\n{dump}"));
                    }
                }
            }
            ("absent", Ok(_)) => {
                for line in body.lines() {
                    if dump.contains(line.trim()) {
                        return Err(format!("`{line}` must not occur in\n{dump}"));
                    }
                }
            }
            ("balance", Ok(f)) => {
                let ferrica_flat::Balance {
                    equations,
                    unknowns,
                } = ferrica_flat::count(&f.model);
                if equations.to_string() != body.trim() || unknowns != equations {
                    return Err(format!(
                        "{equations} equations, {unknowns} unknowns\n{dump}"
                    ));
                }
            }
            (other, _) => return Err(format!("unknown block `{other}`")),
        }
    }
    if let Ok(f) = &result {
        read_back(&f.model, dump)?;
    }
    if case.expected.is_empty() {
        Err("nothing is expected of this case".into())
    } else {
        Ok(())
    }
}

/// The dump of a flat model is Modelica again, and means as many variables and equations.
fn read_back(model: &FlatModel, dump: &str) -> Result<(), String> {
    let sources = Arc::new(SourceMap::new());
    let library = Library::new(sources.clone(), SearchPath::default());
    let all = |list: &[ferrica_ir::Diagnostic]| {
        let text: String = list.iter().map(|d| sources.render(d)).collect();
        format!("the dump cannot be read:\n{dump}\n{text}")
    };
    let classes = library
        .add_source("dump.mo", dump)
        .map_err(|list| all(&list))?;
    let class = *classes.last().ok_or("no class in the dump")?;
    let again = ferrica_flat::flatten_class(&library, class).map_err(|list| all(&list))?;
    let counts = |m: &FlatModel| {
        let fixed = m.vars.values();
        let fixed = fixed.filter(|v| v.variability == Variability::Parameter);
        (
            ferrica_flat::count(m),
            m.initial_equations.len(),
            fixed.count(),
        )
    };
    if counts(model) != counts(&again.model) {
        let text = ferrica_ir::print::flat_model(&again.model);
        return Err(format!(
            "read back as {:?} instead of {:?}:\n{dump}\nhas become\n{text}",
            counts(&again.model),
            counts(model)
        ));
    }
    Ok(())
}

/// Everything that the user is told.
fn messages(
    sources: &SourceMap,
    result: &Result<ferrica_flat::Flattened, Vec<ferrica_ir::Diagnostic>>,
) -> String {
    let mut list: Vec<&ferrica_ir::Diagnostic> = Vec::new();
    match result {
        Err(errors) => list.extend(errors),
        Ok(f) => {
            list.extend(&f.warnings);
            list.extend(&f.unit_warnings);
            list.extend(&f.imbalance);
        }
    }
    list.into_iter().map(|d| sources.render(d)).collect()
}

/// A file whose `messages` are those of today.
fn blessed(text: &str) -> String {
    let mut out = text.to_string();
    for case in cases(text) {
        for (kind, body) in &case.expected {
            if kind == "messages"
                && let Err(actual) = verdict(&case)
            {
                out = out.replace(
                    &format!("```messages\n{body}```"),
                    &format!("```messages\n{actual}```"),
                );
            }
        }
    }
    out
}

#[test]
fn chapters_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/language");
    let mut failures = Vec::new();
    let mut count = 0;
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let mut text = std::fs::read_to_string(&file).unwrap();
        if std::env::var_os("BLESS").is_some() {
            text = blessed(&text);
            std::fs::write(&file, &text).unwrap();
        }
        for case in cases(&text) {
            count += 1;
            if let Err(why) = verdict(&case) {
                failures.push(format!("{}:{}: {why}", file.display(), case.line));
            }
        }
    }
    assert!(count > 35, "only {count} cases were found");
    assert!(
        failures.is_empty(),
        "{} of {count} cases fail\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}
