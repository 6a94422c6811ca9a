//! The pages that list everything of a kind: message codes and flags.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Message codes in the sources without a row in `docs/src/errors`, and the other way round.
pub fn codes(root: &Path) -> Vec<String> {
    let mut raised = BTreeSet::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "tests" {
                folders.push(path);
            } else if name.ends_with(".rs") {
                collect(&std::fs::read_to_string(&path).unwrap(), '"', &mut raised);
            }
        }
    }
    let mut explained = BTreeSet::new();
    for entry in std::fs::read_dir(root.join("docs/src/errors")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| line.starts_with("| ")) {
            collect(&line[..line.len().min(8)], ' ', &mut explained);
        }
    }
    let missing = raised
        .difference(&explained)
        .map(|code| format!("{code} is raised and has no row in docs/src/errors"));
    let stale = explained
        .difference(&raised)
        .map(|code| format!("{code} has a row and is never raised"));
    missing.chain(stale).collect()
}

/// Codes like E0101 and W0202 between two delimiters.
fn collect(text: &str, delimiter: char, into: &mut BTreeSet<String>) {
    for word in text.split(delimiter) {
        let number = word.strip_prefix(['E', 'W']).unwrap_or("");
        if number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit()) {
            into.insert(word.to_string());
        }
    }
}

fn help(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrica"))
        .args(args)
        .arg("--help")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Long flags in a text.
fn flags_in(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.starts_with("--") && word.len() > 3 && !word.ends_with('-'))
        .map(str::to_string)
        .collect()
}

/// The flags that the section of a command names, with those that it has in common with others.
fn described(page: &str, command: &str) -> BTreeSet<String> {
    let section = |title: &str| {
        let begin = page.split_once(&format!("\n## ferrica {title}\n"));
        let text = begin.map_or("", |(_, rest)| rest);
        text.split("\n## ").next().unwrap_or("").to_owned()
    };
    let own = section(command);
    let mut told = flags_in(&own);
    // The table before the first section: a model, where it is from, its values.
    told.extend(flags_in(page.split("\n## ").next().unwrap_or("")));
    if own.contains("those of `run`") {
        told.extend(flags_in(&section("run")));
    }
    if own.contains("other flags of `diagram`") {
        told.extend(flags_in(&section("diagram")));
    }
    told
}

/// Commands and flags that `--help` has and `docs/src/cli.md` does not name, and the other way round.
pub fn flags(root: &Path) -> Vec<String> {
    let page = std::fs::read_to_string(root.join("docs/src/cli.md")).unwrap();
    let overview = help(&[]);
    let commands: Vec<&str> = overview
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut faults = Vec::new();
    let mut known = flags_in(&overview);
    for command in &commands {
        let heading = format!("## ferrica {command}");
        if !page.lines().any(|line| line == heading) {
            faults.push(format!("`{command}` has no section in cli.md"));
        }
        let own = flags_in(&help(&[command]));
        let told = described(&page, command);
        let silent = own.difference(&told).filter(|flag| {
            !["--help", "--version", "--quiet", "--verbose"].contains(&flag.as_str())
        });
        faults.extend(
            silent.map(|flag| format!("the section of `{command}` does not say what {flag} does")),
        );
        known.extend(own);
    }
    let named = flags_in(&page);
    // Every command has these two.
    known.remove("--help");
    known.remove("--version");
    faults.extend(
        known
            .difference(&named)
            .map(|flag| format!("{flag} is not in cli.md")),
    );
    faults.extend(
        named
            .difference(&known)
            .filter(|flag| *flag != "--help" && *flag != "--version")
            .map(|flag| format!("cli.md names {flag}, which no command has")),
    );
    faults
}
