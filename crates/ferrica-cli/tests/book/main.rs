//! The book in `docs/` and the README say what is true: every command in them is run, every page is listed, every
//! link leads somewhere, every message code and every flag is explained.
//!
//! Fenced blocks and what is done with them (`CONTRIBUTING.md` tells authors the same):
//!
//! - `modelica NAME.mo`: written to that file in the folder of the page; `modelica fragment`: only looked at
//! - `console`: lines `$ COMMAND` are run in that folder, in order; lines below are what must be printed, `…` stands
//!   for any text in a line and for any lines when alone. Exit code 0, or `console exit=N`
//! - `console msl`: the same with the Modelica Standard Library in `$MSL`, only if `FERRICA_MSL` names its folder
//! - `sh`: not run, so it must not call ferrica; `text`: anything else

mod console;
mod markdown;
mod reference;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use markdown::Page;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// All pages of the book, and the README.
fn pages() -> Vec<Page> {
    let source = root().join("docs/src");
    let mut files = vec![root().join("README.md")];
    let mut folders = vec![source];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().map(|file| Page::read(file)).collect()
}

#[test]
fn commands_print_what_the_pages_say() {
    let pages = pages();
    let next = AtomicUsize::new(0);
    let lies = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = console::run(page, &root());
                    lies.lock().unwrap().extend(found);
                }
            });
        }
    });
    let lies = lies.into_inner().unwrap();
    assert!(lies.is_empty(), "{}", lies.join("\n\n"));
}

#[test]
fn every_page_is_listed_and_every_link_leads_somewhere() {
    let source = root().join("docs/src");
    let summary = Page::read(&source.join("SUMMARY.md"));
    let listed: Vec<PathBuf> = summary
        .links()
        .map(|link| source.join(link.target))
        .collect();
    let mut faults = Vec::new();
    for page in pages() {
        let outside = !page.file.starts_with(&source);
        if !outside && page.file != summary.file && !listed.contains(&page.file) {
            faults.push(format!("{} is not in SUMMARY.md", page.file.display()));
        }
        faults.extend(page.broken_links());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_message_code_has_a_row_and_every_row_a_code() {
    let faults = reference::codes(&root());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_readme_does_not_claim_more_matches_than_the_baseline_has() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let baseline = std::fs::read_to_string(root().join("bench/msl-baseline.json")).unwrap();
    let number_after = |text: &str, words: &str| -> usize {
        let rest = &text[text.find(words).unwrap() + words.len()..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    };
    let claimed = number_after(&readme, "more than ");
    assert!(claimed < number_after(&baseline, "\"matching\": "));
}

/// README and book quote what `cargo xtask builtin` has written last.
#[test]
fn figures_of_the_built_in_library_are_those_of_the_file() {
    let figures = std::fs::read_to_string(root().join("bench/builtin.json")).unwrap();
    let figure = |key: &str| -> String {
        let (_, rest) = figures.split_once(&format!("\"{key}\": ")).unwrap();
        let word = rest.split([',', '\n']).next().unwrap().trim_matches('"');
        match word.len() {
            n if n > 3 && word.bytes().all(|b| b.is_ascii_digit()) => {
                format!("{},{}", &word[..n - 3], &word[n - 3..])
            }
            _ => word.to_owned(),
        }
    };
    let compared = format!(
        "{} models with components of {} classes",
        figure("models"),
        figure("classes")
    );
    let (variables, worst) = (figure("variables"), figure("worst"));
    let deviation = format!("the worst variable of {variables} differs by {worst} of its range");
    for file in ["README.md", "docs/src/msl.md"] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let text: Vec<&str> = text.split_whitespace().collect();
        let text = text.join(" ");
        assert!(text.contains(&compared), "{file}: {compared}");
        assert!(text.contains(&deviation), "{file}: {deviation}");
    }
    let page = std::fs::read_to_string(root().join("docs/src/msl.md")).unwrap();
    assert!(page.contains(&format!("{} classes have the same", figure("interfaces"))));
}

/// README's table of ratios, and those of them that the book repeats, are what the scripts of `bench` have written last.
#[test]
fn ratios_of_times_are_those_of_the_file() {
    let file = std::fs::read_to_string(root().join("bench/figures.json")).unwrap();
    let figures: serde_json::Value = serde_json::from_str(&file).unwrap();
    let figures = figures.as_object().unwrap();
    let list = |name: &str| -> Vec<&str> {
        let ratios = figures[name]["ratios"].as_array().unwrap();
        ratios.iter().map(|r| r.as_str().unwrap()).collect()
    };
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let compared = readme.split("## How it compares").nth(1).unwrap();
    let compared = compared.split("\n## ").next().unwrap();
    let rows: Vec<Vec<&str>> = (compared.lines())
        .filter(|l| l.starts_with("| ") && !l.starts_with("| problem"))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(
        rows.len(),
        figures.len(),
        "a row for each entry of the file"
    );
    for (name, entry) in figures {
        let problem = entry["problem"].as_str().unwrap();
        let row = rows.iter().find(|r| r[0].starts_with(problem));
        let row = row.unwrap_or_else(|| panic!("{name}: no row of README begins with `{problem}`"));
        let ratios = list(name).join(", ");
        let quoted: String = (row[2].chars())
            .take_while(|c| c.is_ascii_digit() || ".,".contains(*c) || *c == ' ')
            .collect();
        assert_eq!(quoted.trim_matches([' ', ',']), ratios, "{name}");
        let script = entry["script"].as_str().unwrap();
        assert!(row[3].contains(script), "{name}: {}", row[3]);
    }
    let page = root().join("docs/src/solvers/quantized-states.md");
    let page = std::fs::read_to_string(page).unwrap();
    let ours = page.lines().filter(|l| l.starts_with("| | ours |"));
    let ratios: Vec<&str> = ours
        .map(|l| {
            l.trim_end_matches([' ', '|'])
                .rsplit('|')
                .next()
                .unwrap()
                .trim()
        })
        .collect();
    assert_eq!(ratios, list("qss/peer"), "quantized-states.md");
}

#[test]
fn the_reference_lists_the_commands_and_flags_there_are() {
    let faults = reference::flags(&root());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
