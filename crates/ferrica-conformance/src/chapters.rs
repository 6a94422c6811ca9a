//! The chapters in `tests/hybrid`: each case is a rule under its heading, a model, and fences below it:
//! `run` (arguments of the program), `resume` (the distance of checkpoints; the run ends and is resumed from the last one), and
//! `expect` (lines as [`crate::expected`] reads them) or `error` (a code and words of the message).

use std::fs;
use std::path::Path;

use crate::cases::cases;
use crate::cell::word;
use crate::expected::{self, Outcome};

#[derive(Clone, Debug)]
pub struct Rule {
    /// File name without its ending.
    pub chapter: String,
    pub line: usize,
    pub name: String,
    pub model: String,
    pub args: Vec<String>,
    pub resumed: Option<String>,
    pub outcome: Outcome,
}

impl Rule {
    /// Unique among all rules.
    pub fn key(&self) -> String {
        format!("{}: {}", self.chapter, self.name)
    }

    pub fn folder(&self) -> String {
        word(&self.key())
    }
}

#[derive(Clone, Debug)]
pub struct Chapter {
    pub stem: String,
    pub title: String,
    pub rules: Vec<Rule>,
}

/// All chapters in the order of their numbers.
pub fn read(folder: &Path) -> Result<Vec<Chapter>, String> {
    let list = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<_> = list.flatten().map(|e| e.path()).collect();
    files.retain(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(|c: char| c.is_ascii_digit()) && name.ends_with(".md")
    });
    files.sort();
    files.iter().map(|p| chapter(p)).collect()
}

fn chapter(path: &Path) -> Result<Chapter, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let title = text.lines().find_map(|l| l.strip_prefix("# "));
    let mut rules: Vec<Rule> = Vec::new();
    for case in cases(&text) {
        let place = format!("{}:{}", path.display(), case.line);
        let mut rule = Rule {
            chapter: stem.to_string(),
            line: case.line,
            name: case.heading.clone(),
            model: case.model.clone(),
            args: Vec::new(),
            resumed: None,
            outcome: Outcome::Values(Vec::new()),
        };
        for (kind, body) in &case.expected {
            let body = body.trim();
            match kind.as_str() {
                "run" => rule.args = body.split_whitespace().map(str::to_string).collect(),
                "resume" => rule.resumed = Some(body.to_string()),
                "expect" => {
                    let list = expected::parse(body).map_err(|e| format!("{place}: {e}"))?;
                    rule.outcome = Outcome::Values(list);
                }
                "error" => {
                    let (code, words) = body.split_once(' ').unwrap_or((body, ""));
                    rule.outcome = Outcome::Failure(code.to_string(), words.to_string());
                }
                other => return Err(format!("{place}: unknown block `{other}`")),
            }
        }
        if matches!(&rule.outcome, Outcome::Values(list) if list.is_empty()) {
            return Err(format!("{place}: nothing is expected of this case"));
        }
        if rules.iter().any(|r| r.name == rule.name) {
            return Err(format!("{place}: `{}` is there twice", rule.name));
        }
        rules.push(rule);
    }
    Ok(Chapter {
        stem: stem.to_string(),
        title: title.unwrap_or(&stem).to_string(),
        rules,
    })
}
