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

/// The keys of all rules.
pub fn keys(chapters: &[Chapter]) -> Vec<String> {
    let rules = chapters.iter().flat_map(|c| &c.rules);
    rules.map(Rule::key).collect()
}

/// Cells of these rules and engines, in order.
pub fn compute(bench: &Bench, rules: &[&Rule], engines: &[&Engine], threads: usize) -> Vec<Entry> {
    fill(rules.len(), engines.len(), threads, |rule, engine| {
        bench.cell(rules[rule], engines[engine])
    })
}

/// A table of cells, computed on several threads, in order.
pub fn fill(
    rules: usize,
    engines: usize,
    threads: usize,
    cell: impl Fn(usize, usize) -> Cell + Sync,
) -> Vec<Entry> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    let (rule, engine) = (k / engines, k % engines);
                    if rule >= rules {
                        break;
                    }
                    let cell = cell(rule, engine);
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

/// What a stored table says above its rows.
pub const TABLE: &str = "\
# Cells that are not right

Written by the test `hybrid` with `BLESS=1`. Rules and engines that are not listed are right. `WRONG` is a debt: the engine gives
another value than the closed form without a word, fails where it must not, or does not fail where it must. A code is a refusal; `-` says
that the engine has no way to show what the rule is about.

| rule | family | verdict | engines |
|---|---|---|---|
";

/// The text of a stored table.
pub fn print(header: &str, rules: &[String], labels: &Labels) -> String {
    let mut out = header.to_string();
    for rule in rules {
        let mut lines: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for engine in ENGINES {
            let key = (rule.clone(), engine.name.to_string());
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
            let _ = writeln!(
                out,
                "| {rule} | {family} | {label} | {} |",
                names.join("; ")
            );
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
