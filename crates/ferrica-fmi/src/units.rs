//! Unit definitions of the description.

use std::fmt::Write;

use ferrica_flat::{BaseUnit, base_unit};

use crate::table::Entry;
use crate::xml::{attribute, number};

/// Of FMI, in the order of our exponents.
const BASE: [&str; 7] = ["m", "kg", "s", "A", "K", "mol", "cd"];

fn base(u: &BaseUnit) -> String {
    let mut out = String::from("      <BaseUnit");
    for (name, &e) in BASE.iter().zip(&u.exponents) {
        if e != 0 {
            let _ = write!(out, " {name}=\"{e}\"");
        }
    }
    if u.factor != 1.0 {
        let _ = write!(out, " factor=\"{}\"", number(u.factor));
    }
    if u.offset != 0.0 {
        let _ = write!(out, " offset=\"{}\"", number(u.offset));
    }
    out.push_str("/>\n");
    out
}

/// Can values in one unit be shown in the other one?
pub fn shows(unit: &str, display: &str) -> bool {
    match (base_unit(unit), base_unit(display)) {
        (Some(a), Some(b)) => a.exponents == b.exponents,
        _ => false,
    }
}

/// The element with all units of the variables; empty if there are none.
pub fn definitions(entries: &[Entry]) -> String {
    let mut units: Vec<(&str, Vec<&str>)> = Vec::new();
    for e in entries.iter().filter(|e| !e.unit.is_empty()) {
        let at = match units.iter().position(|u| u.0 == e.unit) {
            Some(at) => at,
            None => {
                units.push((&e.unit, Vec::new()));
                units.len() - 1
            }
        };
        let display = e.display_unit.as_str();
        if !display.is_empty() && !units[at].1.contains(&display) {
            units[at].1.push(display);
        }
    }
    if units.is_empty() {
        return String::new();
    }
    units.sort();
    let mut out = String::from("  <UnitDefinitions>\n");
    for (unit, displays) in units {
        let _ = writeln!(out, "    <Unit{}>", attribute("name", unit));
        if let Some(own) = base_unit(unit) {
            out.push_str(&base(&own));
            for display in displays {
                if let Some(d) = base_unit(display) {
                    let factor = own.factor / d.factor;
                    let offset = (own.offset - d.offset) / d.factor;
                    let _ = write!(out, "      <DisplayUnit{}", attribute("name", display));
                    let _ = write!(out, " factor=\"{}\"", number(factor));
                    if offset != 0.0 {
                        let _ = write!(out, " offset=\"{}\"", number(offset));
                    }
                    out.push_str("/>\n");
                }
            }
        }
        out.push_str("    </Unit>\n");
    }
    out.push_str("  </UnitDefinitions>\n");
    out
}
