//! The table engine × rule: computed on all cores, stored as a list of the cells that are not right, compared with it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cell::{Bench, Cell};
use crate::chapters::{Chapter, Rule};
use crate::engines::{ENGINES, Engine};

/// Verdicts as they are stored: `ok`, `WRONG`, `-`, or a code; by key of the rule and name of the engine.
pub type Labels = BTreeMap<(String, String), String>;

impl Cell {
    pub fn label(&self) -> &str {
        match self {
            Cell::Right => "ok",
            Cell::Refused(code) => code,
            Cell::Wrong(_) => "WRONG",
            Cell::Absent => "-",
        }
    }
}

/// A computed cell.
#[derive(Clone, Debug)]
pub struct Entry {
    pub rule: usize,
    pub engine: usize,
    pub cell: Cell,
}

/// Cells of these rules and engines, in order.
pub fn compute(bench: &Bench, rules: &[&Rule], engines: &[&Engine], threads: usize) -> Vec<Entry> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let (rule, engine) = (k / engines.len(), k % engines.len());
                    if rule >= rules.len() {
                        break;
                    }
                    let cell = bench.cell(rules[rule], engines[engine]);
                    let entry = Entry { rule, engine, cell };
                    done.lock().expect("no thread panics").push(entry);
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_by_key(|e| (e.rule, e.engine));
    done
}

pub fn labels(entries: &[Entry], rules: &[&Rule], engines: &[&Engine]) -> Labels {
    let label = |e: &Entry| {
        let key = (rules[e.rule].key(), engines[e.engine].name.to_string());
        (key, e.cell.label().to_string())
    };
    entries.iter().map(label).collect()
}

const HEADER: &str = "\
# Cells that are not right

Written by the test `hybrid` with `BLESS=1`. Rules and engines that are not listed are right. `WRONG` is a debt: the engine gives
another value than the closed form without a word, fails where it must not, or does not fail where it must. A code is a refusal; `-` says
that the engine has no way to show what the rule is about.

| rule | family | verdict | engines |
|---|---|---|---|
";

/// The text of the stored table.
pub fn print(chapters: &[Chapter], labels: &Labels) -> String {
    let mut out = HEADER.to_string();
    for rule in chapters.iter().flat_map(|c| &c.rules) {
        let mut lines: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for engine in ENGINES {
            let key = (rule.key(), engine.name.to_string());
            let Some(label) = labels.get(&key).filter(|l| *l != "ok") else {
                continue;
            };
            match lines
                .iter_mut()
                .find(|l| l.0 == engine.family && l.1 == label)
            {
                Some(line) => line.2.push(engine.name),
                None => lines.push((engine.family, label, vec![engine.name])),
            }
        }
        for (family, label, names) in lines {
            let key = rule.key();
            let _ = writeln!(out, "| {key} | {family} | {label} | {} |", names.join("; "));
        }
    }
    out
}

/// Reads a stored table; cells that it does not list are right.
pub fn read(path: &Path) -> Result<Labels, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut out = Labels::new();
    for line in text
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| rule |"))
    {
        let fields: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [rule, _, label, names] = fields[..] else {
            return Err(format!("not a row of the table: {line}"));
        };
        for name in names.split("; ") {
            out.insert((rule.to_string(), name.to_string()), label.to_string());
        }
    }
    Ok(out)
}

/// Differences between what is stored and what was found: rule, engine, stored label, found label.
pub fn differences(stored: &Labels, found: &Labels) -> Vec<(String, String, String, String)> {
    let mut out = Vec::new();
    for ((rule, engine), now) in found {
        let key = (rule.clone(), engine.clone());
        let before = stored.get(&key).map_or("ok", String::as_str);
        if before != now {
            out.push((
                rule.clone(),
                engine.clone(),
                before.to_string(),
                now.clone(),
            ));
        }
    }
    out
}

/// Counts of right, refused, wrong and absent cells.
pub fn counts<'a>(labels: impl Iterator<Item = &'a String>) -> [usize; 4] {
    let mut out = [0; 4];
    for label in labels {
        let k = match label.as_str() {
            "ok" => 0,
            "WRONG" => 2,
            "-" => 3,
            _ => 1,
        };
        out[k] += 1;
    }
    out
}
