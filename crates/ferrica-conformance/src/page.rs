//! The page of the book: which rule holds in which family of engines, from the chapters and the stored table alone.

use std::fmt::Write;

use crate::chapters::{Chapter, Rule};
use crate::engines::{ENGINES, Engine};
use crate::table::{Labels, counts};

const TOP: &str = "\
# What every engine means

<!-- Written by the test `hybrid` (BLESS=1) from tests/hybrid: do not edit. -->

A hybrid model has one meaning, whatever computes it. The folder `tests/hybrid` states that meaning as rules of the Modelica language
specification, each with a small model and its closed form, and a test runs every model in every engine: with all solvers, in
partitions, with inlined formulas, as exported C and as PowerDEVS blocks. Solvers that act at points of a grid may see an
event up to one step late.

✓: the closed form comes out with all solvers of the column. A code: the engine [refuses](errors/initialization-and-simulation.md), and says why; `usage`: the
arguments exclude each other. –: the engine cannot show what the rule is about. **wrong**: a known fault.

";

/// The text of the page.
pub fn page(chapters: &[Chapter], stored: &Labels) -> String {
    let mut out = TOP.to_string();
    let mut families: Vec<&str> = Vec::new();
    for engine in ENGINES {
        if !families.contains(&engine.family) {
            families.push(engine.family);
        }
    }
    let rules: usize = chapters.iter().map(|c| c.rules.len()).sum();
    let [_, refused, wrong, absent] = counts(stored.values());
    let cells = rules * ENGINES.len();
    let _ = writeln!(
        out,
        "{rules} rules in {} engines: {} cells are right, {refused} refused, {wrong} wrong, {absent} do not apply.\n",
        ENGINES.len(),
        cells - refused - wrong - absent
    );
    let _ = writeln!(out, "| column | engines |\n|---|---|");
    for family in &families {
        let names: Vec<&str> = of(family).map(|e| e.name).collect();
        let _ = writeln!(out, "| {family} | {} |", names.join("; "));
    }
    for chapter in chapters {
        let _ = writeln!(out, "\n## {}\n", chapter.title);
        let _ = writeln!(out, "| rule | {} |", families.join(" | "));
        let _ = writeln!(out, "|---|{}", "---|".repeat(families.len()));
        for rule in &chapter.rules {
            let cells: Vec<String> = families.iter().map(|f| cell(rule, f, stored)).collect();
            let _ = writeln!(out, "| {} | {} |", rule.name, cells.join(" | "));
        }
    }
    out
}

fn of(family: &str) -> impl Iterator<Item = &'static Engine> {
    ENGINES.iter().filter(move |e| e.family == family)
}

/// One sign where the family agrees, else what each of its engines does.
fn cell(rule: &Rule, family: &str, stored: &Labels) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for engine in of(family) {
        let key = (rule.key(), engine.name.to_string());
        let sign = match stored.get(&key).map(String::as_str) {
            None | Some("ok") => "✓",
            Some("WRONG") => "**wrong**",
            Some("-") => "–",
            Some(code) => code,
        };
        match groups.iter_mut().find(|g| g.0 == sign) {
            Some(group) => group.1.push(engine.name),
            None => groups.push((sign, vec![engine.name])),
        }
    }
    match &groups[..] {
        [(sign, _)] => (*sign).to_string(),
        _ => {
            // The many are meant by the sign alone.
            let most = groups.iter().map(|g| g.1.len()).max().unwrap_or(0);
            let text = |g: &(&str, Vec<&str>)| match g.1.len() == most && g.0 == "✓" {
                true => g.0.to_string(),
                false => format!("{}: {}", g.0, g.1.join(", ")),
            };
            groups.iter().map(text).collect::<Vec<_>>().join("; ")
        }
    }
}
