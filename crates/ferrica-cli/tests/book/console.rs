//! Runs the commands of a page in a folder of its own and compares what they print with what the page shows.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::markdown::{Block, Page};

/// `cargo run --release -- ARGUMENTS` is what a reader types before the program is installed.
const CARGO: &str =
    r#"cargo() { while [ "$1" != "--" ]; do shift || return 2; done; shift; ferrica "$@"; }"#;

/// What the page says and is not so.
pub fn run(page: &Page, root: &Path) -> Vec<String> {
    let mut lies: Vec<String> = page
        .unfenced_commands()
        .map(|line| format!("{}: a command outside of a fenced block", page.place(line)))
        .collect();
    let folder = prepare(page, root);
    for block in &page.blocks {
        let words: Vec<&str> = block.info.iter().map(String::as_str).collect();
        match words[..] {
            ["modelica", "fragment"] | ["text" | "json" | "lua" | "toml"] => {}
            ["modelica", name] => {
                let file = folder.join(name);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, block.lines.join("\n") + "\n").unwrap();
                // A file in a folder is part of a library.
                let mark = if name.contains('/') { "--lib" } else { name };
                let used = page.blocks.iter().any(|other| {
                    other.info.first().is_some_and(|w| w == "console")
                        && other
                            .lines
                            .iter()
                            .any(|l| l.starts_with("$ ") && l.contains(mark))
                });
                if !used {
                    lies.push(format!(
                        "{}: no command uses {name}",
                        page.place(block.line)
                    ));
                }
            }
            ["console"] => lies.extend(session(page, block, &folder, 0)),
            ["console", "msl"] => {
                if std::env::var_os("FERRICA_MSL").is_some() {
                    lies.extend(session(page, block, &folder, 0));
                }
            }
            ["console", code] if code.strip_prefix("exit=").is_some() => {
                let code = code.trim_start_matches("exit=").parse().unwrap();
                lies.extend(session(page, block, &folder, code));
            }
            ["sh"] => {
                if block.lines.iter().any(|l| l.starts_with("ferrica ")) {
                    lies.push(format!(
                        "{}: commands of ferrica belong into a console block",
                        page.place(block.line)
                    ));
                }
            }
            _ => lies.push(format!(
                "{}: a block of kind {words:?} is not known",
                page.place(block.line)
            )),
        }
    }
    lies
}

/// An empty folder for the page, with the examples in it.
fn prepare(page: &Page, root: &Path) -> PathBuf {
    let name = page
        .file
        .strip_prefix(root)
        .unwrap()
        .with_extension("")
        .display()
        .to_string()
        .replace('/', "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("book")
        .join(name);
    std::fs::remove_dir_all(&folder).ok();
    let examples = folder.join("examples");
    std::fs::create_dir_all(&examples).unwrap();
    for entry in std::fs::read_dir(root.join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, examples.join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

/// Runs the commands of a block one after the other.
fn session(page: &Page, block: &Block, folder: &Path, code: i32) -> Vec<String> {
    let mut lies = Vec::new();
    let mut lines = block.lines.iter().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let place = page.place(block.line + 1 + index);
        let Some(command) = line.strip_prefix("$ ") else {
            lies.push(format!("{place}: a console block begins with `$ `"));
            break;
        };
        let mut expected = Vec::new();
        while let Some((_, text)) = lines.next_if(|(_, l)| !l.starts_with("$ ")) {
            expected.push(text.as_str());
        }
        let (status, printed) = shell(command, folder);
        if status != Some(code) {
            lies.push(format!(
                "{place}: `{command}` ends with {status:?}, not {code}:\n{printed}"
            ));
        } else if !expected.is_empty()
            && !matches(
                &expected,
                &printed.lines().map(str::trim_end).collect::<Vec<_>>(),
            )
        {
            lies.push(format!(
                "{place}: `{command}` prints something else:\n{printed}"
            ));
        }
    }
    lies
}

/// Exit code and everything printed, in the order of printing.
fn shell(command: &str, folder: &Path) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_ferrica"));
    let mut path = std::ffi::OsString::from(program.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("{CARGO}\n{{ {command}\n}} 2>&1"))
        .current_dir(folder)
        .env("PATH", path)
        .env("MSL", std::env::var_os("FERRICA_MSL").unwrap_or_default())
        .env_remove("MODELICAPATH")
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// Whether the printed lines are the expected ones; a line `…` stands for any number of lines.
fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        Some((line, rest)) => {
            !printed.is_empty() && line_matches(line, printed[0]) && matches(rest, &printed[1..])
        }
    }
}

/// Whether a line is the expected one; `…` in it stands for any text.
fn line_matches(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = parts.next().and_then(|head| printed.strip_prefix(head)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((tail, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(tail)
}

#[test]
fn wildcards_stand_for_text_and_for_lines() {
    assert!(line_matches("a … c", "a b b c"));
    assert!(line_matches("…c", "c"));
    assert!(!line_matches("a … c", "a b"));
    assert!(!line_matches("ab", "abc"));
    assert!(matches(&["a", "…", "z"], &["a", "z"]));
    assert!(matches(&["a", "…"], &["a", "b", "c"]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(!matches(&["…", "y"], &["a", "z"]));
}
