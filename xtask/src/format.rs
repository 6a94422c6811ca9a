//! `cargo xtask format --lib DIR`: the formatter on every file of a library.
//!
//! Checked: formatting twice changes nothing more, the words are the same, and every comment is kept.

use std::path::{Path, PathBuf};
use std::time::Instant;

use ferrica_ir::FileId;
use ferrica_syntax::token::TokenKind;
use ferrica_syntax::{format, parse};

use crate::options::Options;

pub fn run(options: &Options) -> Result<bool, String> {
    let mut files = Vec::new();
    for lib in &options.libs {
        collect(lib, &mut files)?;
    }
    if files.is_empty() {
        return Err("no .mo files: give their folder with --lib DIR".into());
    }
    let (mut bad, mut broken, mut seconds) = (0, 0, 0.0);
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else {
            broken += 1;
            continue;
        };
        if !parse(FileId(0), &text).errors.is_empty() {
            broken += 1;
            continue;
        }
        let clock = Instant::now();
        let once = format(&text);
        seconds += clock.elapsed().as_secs_f64();
        let wrong = if format(&once) != once {
            "formatting again changes it"
        } else if pieces(&once) != pieces(&text) {
            "words or comments differ"
        } else {
            continue;
        };
        bad += 1;
        println!("{}: {wrong}", path.display());
    }
    println!(
        "{} files, {broken} not read (errors or no UTF-8), {bad} wrong, {seconds:.2} s",
        files.len()
    );
    Ok(bad == 0)
}

/// All words and comments in order; a comment without the white space at its ends.
fn pieces(text: &str) -> Vec<(TokenKind, String)> {
    let parsed = parse(FileId(0), text);
    let tokens = parsed.tokens.iter().enumerate();
    tokens
        .filter(|(_, t)| !matches!(t.kind, TokenKind::Whitespace | TokenKind::Eof))
        .map(|(i, t)| (t.kind, parsed.token_text(i).trim().to_string()))
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "mo") {
            files.push(path);
        }
    }
    Ok(())
}
