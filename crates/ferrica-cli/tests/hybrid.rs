//! The meaning of hybrid models: the chapters of `tests/hybrid`, each rule in every engine.
//!
//! The verdicts are compared with `tests/hybrid/table.md`: a cell that has become wrong, or right, is a difference. `BLESS=1` writes the
//! table and the page of the book. `HYBRID_RULES` and `HYBRID_ENGINES` are parts of names and choose cells; `HYBRID_REPORT` names a file for
//! the reasons of all wrong cells.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ferrica_conformance::cell::{Bench, Cell};
use ferrica_conformance::chapters::{self, Rule};
use ferrica_conformance::engines::{ENGINES, Engine};
use ferrica_conformance::{page, table};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Parts of names, separated by `|`; all without the variable.
fn chosen(variable: &str, name: &str) -> bool {
    let Ok(parts) = std::env::var(variable) else {
        return true;
    };
    parts.split('|').any(|p| name.contains(p))
}

fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

#[test]
fn every_rule_holds_in_every_engine() {
    let folder = root().join("tests/hybrid");
    let chapters = chapters::read(&folder).unwrap();
    let rules: Vec<&Rule> = chapters.iter().flat_map(|c| &c.rules).collect();
    let rules: Vec<&Rule> = rules
        .into_iter()
        .filter(|r| chosen("HYBRID_RULES", &r.key()))
        .collect();
    let engines: Vec<&Engine> = ENGINES
        .iter()
        .filter(|e| chosen("HYBRID_ENGINES", e.name))
        .collect();
    let bench = Bench {
        program: env!("CARGO_BIN_EXE_ferrica").into(),
        folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("hybrid"),
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let entries = table::compute(&bench, &rules, &engines, threads);
    let found = table::labels(&entries, &rules, &engines);
    if let Ok(file) = std::env::var("HYBRID_REPORT") {
        let mut text = String::new();
        for e in &entries {
            if let Cell::Wrong(why) = &e.cell {
                let (rule, engine) = (rules[e.rule], engines[e.engine]);
                let _ = writeln!(text, "{} | {} | {why}", rule.key(), engine.name);
            }
        }
        std::fs::write(file, text).unwrap();
    }
    let path = folder.join("table.md");
    let mut stored = table::read(&path).unwrap();
    let differences = table::differences(&stored, &found);
    if is_blessing() {
        stored.extend(found);
        std::fs::write(
            &path,
            table::print(table::TABLE, &table::keys(&chapters), &stored),
        )
        .unwrap();
        bless_page();
        for (rule, engine, before, now) in &differences {
            eprintln!("{rule} | {engine}: {before} → {now}");
        }
        return;
    }
    let reason = |rule: &str, engine: &str| {
        let own = entries
            .iter()
            .find(|e| rules[e.rule].key() == rule && engines[e.engine].name == engine);
        match own.map(|e| &e.cell) {
            Some(Cell::Wrong(why)) => format!(" ({why})"),
            _ => String::new(),
        }
    };
    let mut text = String::new();
    for (rule, engine, before, now) in &differences {
        let _ = writeln!(
            text,
            "{rule} | {engine}: {before} → {now}{}",
            reason(rule, engine)
        );
    }
    assert!(
        differences.is_empty(),
        "{} cells are not as in tests/hybrid/table.md; BLESS=1 renews it:\n{text}",
        differences.len()
    );
}

/// The table lists rules and engines that exist, and the page of the book says what it lists.
#[test]
fn the_book_shows_the_table() {
    if is_blessing() {
        return;
    }
    let folder = root().join("tests/hybrid");
    let chapters = chapters::read(&folder).unwrap();
    let stored = table::read(&folder.join("table.md")).unwrap();
    assert_eq!(
        table::print(table::TABLE, &table::keys(&chapters), &stored),
        std::fs::read_to_string(folder.join("table.md")).unwrap(),
        "tests/hybrid/table.md has other rows than rules and engines; BLESS=1 renews it"
    );
    let page = std::fs::read_to_string(root().join("docs/src/hybrid.md")).unwrap();
    assert_eq!(
        page,
        page::page(&chapters, &stored),
        "docs/src/hybrid.md is not up to date; BLESS=1 renews it"
    );
}

fn bless_page() {
    let folder = root().join("tests/hybrid");
    let chapters = chapters::read(&folder).unwrap();
    let stored = table::read(&folder.join("table.md")).unwrap();
    let text = page::page(&chapters, &stored);
    std::fs::write(root().join("docs/src/hybrid.md"), text).unwrap();
}
