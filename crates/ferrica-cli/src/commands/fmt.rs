//! `ferrica fmt`: source files in one style.

use std::io::Read;
use std::path::{Path, PathBuf};

use ferrica::failure::Failure;
use ferrica::sources::formatting::{FormatOptions, format_text, is_source};

use crate::Outcome;
use crate::cli::FmtArgs;
use crate::reporter::Reporter;
use crate::terminal::print_out;

/// What happened to the files.
#[derive(Default)]
struct Counts {
    seen: usize,
    changed: usize,
    broken: usize,
}

pub fn fmt(args: &FmtArgs, reporter: &mut Reporter) -> Outcome {
    let options = FormatOptions {
        width: args.width,
        indent: args.indent,
    };
    if args.stdin {
        return standard_input(args, &options, reporter);
    }
    if args.paths.is_empty() {
        return Err(Failure::usage_with_hint(
            "ferrica fmt: no file is named",
            "name files or folders, or give --stdin",
        ));
    }
    let mut files = Vec::new();
    for path in &args.paths {
        collect(path, &mut files)?;
    }
    let mut counts = Counts::default();
    for path in &files {
        one_file(path, args.check, &options, reporter, &mut counts)?;
    }
    let unread = match counts.broken {
        0 => String::new(),
        n => format!(", {n} with errors left as they are"),
    };
    let verb = if args.check {
        "would change"
    } else {
        "changed"
    };
    let (seen, changed) = (counts.seen, counts.changed);
    reporter.note(&format!("{seen} files, {changed} {verb}{unread}"));
    if counts.broken > 0 || (args.check && changed > 0) {
        return Err(Failure::Answered);
    }
    Ok(())
}

fn standard_input(args: &FmtArgs, options: &FormatOptions, reporter: &mut Reporter) -> Outcome {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|e| Failure::io("standard input", &e))?;
    let formatted = format_text("<stdin>", &text, options, &reporter.sources);
    let formatted = formatted.map_err(Failure::Model)?;
    if args.check {
        return if formatted == text {
            Ok(())
        } else {
            Err(Failure::Answered)
        };
    }
    print_out(&formatted)
}

/// Formats one file in place, or only says that it would change.
fn one_file(
    path: &Path,
    check: bool,
    options: &FormatOptions,
    reporter: &mut Reporter,
    counts: &mut Counts,
) -> Outcome {
    counts.seen += 1;
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| Failure::io(&name, &e))?;
    match format_text(&name, &text, options, &reporter.sources) {
        Ok(formatted) if formatted == text => {}
        Ok(_) if check => {
            counts.changed += 1;
            print_out(&format!("{name}\n"))?;
        }
        Ok(formatted) => {
            counts.changed += 1;
            replace(path, &formatted).map_err(|e| Failure::io(&name, &e))?;
        }
        Err(errors) => {
            counts.broken += 1;
            reporter.diagnostics(&errors);
        }
    }
    Ok(())
}

/// A file is either the old one or the new one, never a part.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let mut beside = path.clone().into_os_string();
    beside.push(".fmt-tmp");
    let beside = PathBuf::from(beside);
    let written = std::fs::write(&beside, text)
        .and_then(|()| std::fs::set_permissions(&beside, std::fs::metadata(&path)?.permissions()))
        .and_then(|()| std::fs::rename(&beside, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// The file, or all source files below the folder, in the order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    if !path.exists() {
        let message = format!("{}: no such file or folder", path.display());
        return Err(Failure::usage(message));
    }
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(|e| Failure::io(path.display(), &e))?;
    let mut inside: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() {
            collect(&path, files)?;
        } else if is_source(&path) {
            files.push(path);
        }
    }
    Ok(())
}
