//! Explanation of a structurally singular system.
//!
//! In: a maximum matching that is not perfect. Out: a diagnostic with the over-determined part (the
//! equations that share too few unknowns) and the under-determined part (the unknowns that too few
//! equations determine), in the names of the user's components. These two are the Dulmage–Mendelsohn
//! parts that alternating paths from unmatched equations and unmatched unknowns reach.

use ferrica_dae::Dae;
use ferrica_ir::print::counted;
use ferrica_ir::{Diagnostic, Expr, Ty};

use crate::incidence::NONE;
use crate::matching::Matching;
use crate::system::System;

/// Most names or equations in one message.
const SHOWN: usize = 8;

/// Row numbers and column numbers of one part.
#[derive(Debug, Default, PartialEq)]
pub struct Part {
    pub rows: Vec<u32>,
    pub columns: Vec<u32>,
}

/// Equations reached from unmatched equations, and their unknowns.
pub fn over_determined(system: &System, matching: &Matching) -> Part {
    let mut row_seen = vec![false; system.equations.len()];
    let mut column_seen = vec![false; system.unknowns.len()];
    let mut queue: Vec<u32> = (0..system.equations.len() as u32)
        .filter(|&i| matching.column[i as usize] == NONE)
        .collect();
    queue.iter().for_each(|&i| row_seen[i as usize] = true);
    let mut head = 0;
    let mut part = Part::default();
    while head < queue.len() {
        let i = queue[head];
        head += 1;
        for &c in system.incidence.solvable(i as usize) {
            if !column_seen[c as usize] {
                column_seen[c as usize] = true;
                part.columns.push(c);
                let r = matching.row[c as usize];
                if r != NONE && !row_seen[r as usize] {
                    row_seen[r as usize] = true;
                    queue.push(r);
                }
            }
        }
    }
    part.rows = queue;
    part
}

/// Unknowns reached from unmatched unknowns, and the equations they occur in.
pub fn under_determined(system: &System, matching: &Matching) -> Part {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); system.unknowns.len()];
    for i in 0..system.equations.len() {
        for &c in system.incidence.solvable(i) {
            users[c as usize].push(i as u32);
        }
    }
    let mut column_seen = vec![false; system.unknowns.len()];
    let mut row_seen = vec![false; system.equations.len()];
    let mut queue: Vec<u32> = (0..system.unknowns.len() as u32)
        .filter(|&c| matching.row[c as usize] == NONE)
        .collect();
    queue.iter().for_each(|&c| column_seen[c as usize] = true);
    let mut head = 0;
    let mut part = Part::default();
    while head < queue.len() {
        let c = queue[head];
        head += 1;
        for &i in &users[c as usize] {
            if !row_seen[i as usize] {
                row_seen[i as usize] = true;
                part.rows.push(i);
                let d = matching.column[i as usize];
                if d != NONE && !column_seen[d as usize] {
                    column_seen[d as usize] = true;
                    queue.push(d);
                }
            }
        }
    }
    part.columns = queue;
    part
}

/// See the module comment.
pub fn explain(dae: &Dae, system: &System, matching: &Matching) -> Diagnostic {
    let over = over_determined(system, matching);
    let under = under_determined(system, matching);
    let (n, m) = (system.equations.len(), system.unknowns.len());
    let sizes = format!("{} for {}", counted(n, "equation"), counted(m, "unknown"));
    let mut message = match n.cmp(&m) {
        std::cmp::Ordering::Less => format!("the model has too few equations: {sizes}"),
        std::cmp::Ordering::Greater => format!("the model has too many equations: {sizes}"),
        std::cmp::Ordering::Equal => format!("the model is structurally singular: {sizes}"),
    };
    if !over.rows.is_empty() {
        message.push_str(&format!(
            "\n  over-determined: {} for {}:",
            counted(over.rows.len(), "equation"),
            match over.columns.len() {
                0 => "no unknown".to_string(),
                1 => format!("the one unknown {}", names(dae, system, &over.columns)),
                k => format!("the {k} unknowns {}", names(dae, system, &over.columns)),
            }
        ));
        for &i in over.rows.iter().take(SHOWN) {
            message.push_str(&format!("\n    {}", equation(dae, system, i)));
        }
        more(&mut message, over.rows.len());
    }
    if !under.columns.is_empty() {
        message.push_str(&format!(
            "\n  under-determined: {} for {}",
            match under.rows.len() {
                0 => "no equation".to_string(),
                1 => "only one equation".to_string(),
                k => format!("only {k} equations"),
            },
            names(dae, system, &under.columns)
        ));
        for &i in under.rows.iter().take(SHOWN) {
            message.push_str(&format!("\n    {}", equation(dae, system, i)));
        }
        more(&mut message, under.rows.len());
    }
    let row = |&i: &u32| {
        let e = &system.equations[i as usize];
        dae.place_of_equation(e.component, e.span)
    };
    let column = |&c: &u32| dae.place_of(system.unknowns[c as usize]);
    let span = (over.rows.first().map(row))
        .or_else(|| under.columns.first().map(column))
        .unwrap_or_default();
    let mut d = Diagnostic::error("E0401", span, message);
    for i in over.rows.iter().take(SHOWN) {
        d = d.with_related(row(i), "over-determined");
    }
    for c in under.columns.iter().take(SHOWN) {
        let name = &dae.vars[system.unknowns[*c as usize]].var.name;
        d = d.with_related(column(c), format!("`{name}` is not determined"));
    }
    if let Some(name) = whole_number(dae, system, &over, &under) {
        return d.with_hint(format!(
            "an equation between Reals does not determine the Integer `{name}`: write {name} = integer(…), or declare it as Real"
        ));
    }
    d.with_hint(if over.rows.is_empty() {
        "add an equation, or connect what is left open"
    } else {
        "two parts of the model prescribe the same quantity; remove one of them"
    })
}

/// An Integer that is not determined although it is one side of an equation that is too many.
fn whole_number(dae: &Dae, system: &System, over: &Part, under: &Part) -> Option<String> {
    under.columns.iter().find_map(|&c| {
        let v = system.unknowns[c as usize];
        let var = &dae.vars[v].var;
        let stands_alone = |e| dae.exprs.get(e) == Expr::Var(v);
        let in_excess = over.rows.iter().any(|&i| {
            let e = &system.equations[i as usize];
            stands_alone(e.lhs) || stands_alone(e.rhs)
        });
        (var.ty == Ty::Integer && in_excess).then(|| var.name.clone())
    })
}

fn equation(dae: &Dae, system: &System, i: u32) -> String {
    let e = &system.equations[i as usize];
    let text = dae.equation_text(e.lhs, e.rhs);
    let text: String = if text.chars().count() > 160 {
        text.chars().take(157).chain("...".chars()).collect()
    } else {
        text
    };
    match dae.components.get(e.component as usize) {
        Some(c) if !c.path.is_empty() => format!("{text}    (in {})", c.path),
        _ => text,
    }
}

fn more(message: &mut String, n: usize) {
    if n > SHOWN {
        message.push_str(&format!("\n    and {} more", n - SHOWN));
    }
}

fn names(dae: &Dae, system: &System, columns: &[u32]) -> String {
    let mut list: Vec<String> = columns
        .iter()
        .take(SHOWN)
        .map(|&c| format!("`{}`", dae.vars[system.unknowns[c as usize]].var.name))
        .collect();
    if columns.len() > SHOWN {
        list.push(format!("and {} more", columns.len() - SHOWN));
    }
    list.join(", ")
}
