//! The structural analysis as text: the matching, and the order of the components with what became of the loops.

use std::fmt::Write;

use ferrica_ir::print::counted;

use super::{Analysis, Component, Role};

/// Equations with the unknowns they are matched to.
pub fn matching(a: &Analysis) -> String {
    let incidences: usize = (a.incidence.iter())
        .map(|r| r.solvable.len() + r.read.len())
        .sum();
    let mut out = format!(
        "matching of {}: {} and {}, {}\n\n",
        a.name,
        counted(a.equations.len(), "equation"),
        counted(a.unknowns.len(), "unknown"),
        counted(incidences, "incidence")
    );
    let widest = a.unknowns.iter().map(|n| n.chars().count()).max();
    let width = widest.unwrap_or(0).min(32);
    for (i, text) in a.equations.iter().enumerate() {
        let unknown = a.matched[i].map_or("—", |c| a.unknowns[c].as_str());
        let _ = writeln!(out, "  e{:<4} → {unknown:width$}    {text}", i + 1);
    }
    section(
        &mut out,
        "had no unknown of their own before the index was reduced",
        &a.constraints,
    );
    let texts: Vec<String> = (a.superfluous().iter())
        .map(|&i| format!("e{}  {}", i + 1, a.equations[i]))
        .collect();
    section(&mut out, "equations without an unknown", &texts);
    let names: Vec<String> = (a.undetermined().iter())
        .map(|&c| a.unknowns[c].clone())
        .collect();
    section(&mut out, "unknowns without an equation", &names);
    out
}

fn section(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title} ({})", lines.len());
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
}

/// Components in order, each with what it waits for; loops before and after.
pub fn graph(a: &Analysis) -> String {
    let loops = a.components.iter().filter(|c| c.is_loop()).count();
    let mut out = format!(
        "dependencies of {}: {}, {}\n\n",
        a.name,
        counted(a.components.len(), "component"),
        counted(loops, "loop")
    );
    let giver = a.giver();
    let mut number = 0;
    for (k, component) in a.components.iter().enumerate() {
        let after = waits_for(a, &giver, k);
        let after = match after.is_empty() {
            true => String::new(),
            false => format!("  after {}", listed(&after)),
        };
        if !component.is_loop() {
            let i = component.equations[0];
            let unknown = a.matched[i].map_or("", |c| a.unknowns[c].as_str());
            let _ = writeln!(out, "  {:<4} {unknown}  from e{}{after}", k + 1, i + 1);
            continue;
        }
        number += 1;
        let unknowns: Vec<usize> = (component.equations.iter())
            .filter_map(|&i| a.matched[i])
            .collect();
        let _ = writeln!(
            out,
            "  {:<4} loop {number} of {}{after}",
            k + 1,
            counted(unknowns.len(), "unknown")
        );
        for &i in &component.equations {
            let unknown = a.matched[i].map_or("", |c| a.unknowns[c].as_str());
            let _ = writeln!(out, "         e{} → {unknown}: {}", i + 1, a.equations[i]);
        }
        let _ = writeln!(out, "       {}", outcome(a, component));
        for step in &component.steps {
            let word = match step.role {
                Role::Assigned => "",
                Role::Linear => "linear: ",
                Role::Iterated => "guess ",
                Role::Residual => "residual: ",
                Role::Held => "held: ",
            };
            for line in step.text.lines() {
                let _ = writeln!(out, "         {word}{line}");
            }
        }
    }
    let missing = a.superfluous().len() + a.undetermined().len();
    if missing > 0 {
        out.push_str("\nthe rest has no perfect matching: see `--stage matching`\n");
    }
    out
}

/// What became of a loop, in words.
pub fn outcome(a: &Analysis, component: &Component) -> String {
    let names = |role| {
        let unknowns = component.unknowns(role);
        let names: Vec<&str> = unknowns.iter().map(|&c| a.unknowns[c].as_str()).collect();
        (names.len(), listed(&names))
    };
    let assigned = component.unknowns(Role::Assigned).len();
    if component.is_solved() {
        return "solved symbolically".to_owned();
    }
    let mut parts = Vec::new();
    let (n, list) = names(Role::Iterated);
    if n > 0 {
        parts.push(format!("torn: iterates over {list}"));
    }
    let (n, list) = names(Role::Linear);
    if n > 0 {
        let of = counted(n, "unknown");
        parts.push(format!("a linear system of {of} is left: {list}"));
    }
    let (n, list) = names(Role::Held);
    if n > 0 {
        parts.push(format!("cut at {list}, which events decide"));
    }
    if assigned > 0 {
        parts.push(format!("{} by substitution", counted(assigned, "unknown")));
    }
    parts.join("; ")
}

/// The unknowns of other components that a component reads.
fn waits_for<'a>(a: &'a Analysis, giver: &[Option<usize>], k: usize) -> Vec<&'a str> {
    let mut found: Vec<usize> = Vec::new();
    for &i in &a.components[k].equations {
        let row = &a.incidence[i];
        let others = row.solvable.iter().chain(&row.read);
        found.extend(others.filter(|&&c| giver[c].is_some_and(|g| g != k)));
    }
    found.sort_unstable();
    found.dedup();
    found.iter().map(|&c| a.unknowns[c].as_str()).collect()
}

/// Names with commas, at most a dozen.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    match names.len() > MOST {
        true => format!(
            "{} and {} more",
            names[..MOST].join(", "),
            names.len() - MOST
        ),
        false => names.join(", "),
    }
}
