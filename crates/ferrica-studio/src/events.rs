//! The events of a run: when, and what changed.
//!
//! At an event a run has two rows of one time; what differs between them has changed there.

use std::collections::HashSet;

use ferrica::Run;
use ferrica_results::ValueType;
use serde_json::{Value, json};

/// Events that are told, and names of each.
const MOST_EVENTS: usize = 1000;
const MOST_NAMES: usize = 12;

pub fn log(run: &Run) -> Value {
    let time = run.time();
    let mut seen = HashSet::new();
    // Each column under its first name; what has literals first.
    let mut columns: Vec<(&str, &[f64], Option<ValueType>)> = run
        .names()
        .filter_map(|n| {
            Some((
                n,
                run.get(n).ok()?,
                run.declared(n).ok().map(|d| d.ty.clone()),
            ))
        })
        .filter(|(n, v, _)| !run.is_constant(n).unwrap_or(true) && seen.insert(v.as_ptr()))
        .collect();
    let is_continuous = |ty: &Option<ValueType>| matches!(ty, None | Some(ValueType::Real));
    columns.sort_by_key(|c| is_continuous(&c.2));
    let mut events: Vec<Value> = Vec::new();
    let mut count = 0;
    let mut k = 0;
    while k + 1 < time.len() {
        let first = k;
        while k + 1 < time.len() && time[k + 1] == time[first] {
            k += 1;
        }
        if k > first {
            count += 1;
            if events.len() < MOST_EVENTS {
                events.push(json!({"time": time[first], "changes": changes(&columns, first, k)}));
            }
        }
        k += 1;
    }
    json!({"count": count, "events": events})
}

fn changes(
    columns: &[(&str, &[f64], Option<ValueType>)],
    before: usize,
    after: usize,
) -> Vec<Value> {
    let changed = columns.iter().filter(|(_, v, _)| v[before] != v[after]);
    let shown = |ty: &Option<ValueType>, v: f64| match ty {
        Some(ValueType::Boolean) => (v != 0.0).to_string(),
        Some(ValueType::Enumeration(names)) => {
            let name = names.get((v as usize).wrapping_sub(1));
            name.cloned().unwrap_or_else(|| v.to_string())
        }
        _ => ferrica_draw::short(v),
    };
    changed
        .take(MOST_NAMES)
        .map(|(n, v, ty)| json!({"name": n, "from": shown(ty, v[before]), "to": shown(ty, v[after])}))
        .collect()
}
