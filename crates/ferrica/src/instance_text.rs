//! The instance tree as text: every component with its class, its variables below it.
//!
//! One line a component, `NAME: CLASS "description"`, and one a variable,
//! `NAME: parameter Real [unit] = value "description"`; `protected` in front where it applies.

use std::fmt::Write;

use ferrica_ir::flat::{Causality, FlatModel, Variability, Variable};
use ferrica_ir::print::{expr, string_literal, type_name};
use rustc_hash::FxHashMap;

/// What stands below a component, in order of declaration.
enum Item<'a> {
    Component(usize),
    Variable(&'a Variable),
}

pub fn instances(flat: &FlatModel) -> String {
    let by_path: FxHashMap<&str, usize> = flat
        .components
        .iter()
        .enumerate()
        .map(|(k, c)| (c.path.as_str(), k))
        .collect();
    let mut below: Vec<Vec<Item>> = flat.components.iter().map(|_| Vec::new()).collect();
    for (k, component) in flat.components.iter().enumerate().skip(1) {
        below[component.parent as usize].push(Item::Component(k));
    }
    for v in flat.vars.values().filter(|v| !v.hidden) {
        let owner = by_path.get(split(&v.name).0).copied().unwrap_or(0);
        if let Some(items) = below.get_mut(owner) {
            items.push(Item::Variable(v));
        }
    }
    let mut out = String::new();
    let mut stack = vec![(Item::Component(0), 0usize)];
    while let Some((item, depth)) = stack.pop() {
        match item {
            Item::Component(k) => {
                if let Some(line) = component(flat, k) {
                    let _ = writeln!(out, "{:width$}{line}", "", width = 2 * depth);
                    let items = std::mem::take(&mut below[k]);
                    // Variables stand in front of components.
                    let (variables, components): (Vec<Item>, Vec<Item>) = items
                        .into_iter()
                        .partition(|item| matches!(item, Item::Variable(_)));
                    let items = components
                        .into_iter()
                        .rev()
                        .chain(variables.into_iter().rev());
                    stack.extend(items.map(|item| (item, depth + 1)));
                }
            }
            Item::Variable(v) => {
                let line = variable(flat, v);
                let _ = writeln!(out, "{:width$}{line}", "", width = 2 * depth);
            }
        }
    }
    out
}

/// The path of the owner and the own name: the last dot outside of quotes.
fn split(name: &str) -> (&str, &str) {
    let mut quoted = false;
    let mut dot = None;
    for (at, c) in name.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '.' if !quoted => dot = Some(at),
            _ => {}
        }
    }
    match dot {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => ("", name),
    }
}

fn component(flat: &FlatModel, k: usize) -> Option<String> {
    let c = flat.components.get(k)?;
    let prefix = if c.protected { "protected " } else { "" };
    Some(if k == 0 {
        format!("{}{}", c.class, comment(&c.description))
    } else {
        format!(
            "{prefix}{}: {}{}",
            split(&c.path).1,
            c.class,
            comment(&c.description)
        )
    })
}

fn variable(flat: &FlatModel, v: &Variable) -> String {
    let mut line = String::new();
    if v.protected {
        line.push_str("protected ");
    }
    let _ = write!(line, "{}: ", split(&v.name).1);
    match v.variability {
        Variability::Constant => line.push_str("constant "),
        Variability::Parameter => line.push_str("parameter "),
        Variability::Discrete if v.ty == ferrica_ir::Ty::Real => line.push_str("discrete "),
        _ => {}
    }
    match v.causality {
        Causality::Input => line.push_str("input "),
        Causality::Output => line.push_str("output "),
        Causality::Local => {}
    }
    line.push_str(&type_name(flat, v.ty));
    if !v.unit.is_empty() {
        let _ = write!(line, " [{}]", v.unit);
    }
    if let Some(value) = v.binding {
        let _ = write!(line, " = {}", expr(&flat.exprs, flat, value));
    } else if let Some(value) = v.start {
        let _ = write!(line, " (start = {})", expr(&flat.exprs, flat, value));
    }
    line + &comment(&v.description)
}

fn comment(text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!(" {}", string_literal(text))
    }
}
