//! Where a line would split a model best.
//!
//! A capacitive component (a volume, a capacitor, a shaft between two inertias) has a state that both of its sides read. In place
//! of it a transmission line with a travelling time of its own separates them. For each component with states: the
//! parts that the equations fall into when these states are known.

use ferrica_codegen::Slot;
use ferrica_codegen::model::CompiledModel;
use ferrica_codegen::schedule::needed;

use crate::naming::top_level;
use crate::parts::{Union, components_of};

/// Components that are looked at.
const MAX_CANDIDATES: usize = 400;

/// A component and what a line in its place would bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    pub component: String,
    pub states: Vec<String>,
    /// Equations in each of the parts, the largest first.
    pub parts: Vec<usize>,
}

/// The best first; components that split nothing are left out.
pub fn suggest_lines(model: &CompiledModel) -> Vec<Suggestion> {
    let layout = &model.layout;
    let mut candidates: Vec<(String, Vec<u32>)> = Vec::new();
    for k in 0..layout.n_states as u32 {
        let name = model.var_name(layout.states + k);
        let top = top_level(name);
        // A state of the model itself belongs to no component.
        if top == name {
            continue;
        }
        match candidates.iter_mut().find(|c| c.0 == top) {
            Some(c) => c.1.push(k),
            None => candidates.push((top.to_string(), vec![k])),
        }
    }
    candidates.truncate(MAX_CANDIDATES);
    let before = split(model, &[]).len();
    let mut list: Vec<Suggestion> = (candidates.into_iter())
        .map(|(component, states)| Suggestion {
            parts: split(model, &states),
            states: (states.iter())
                .map(|&k| model.var_name(layout.states + k).to_string())
                .collect(),
            component,
        })
        .filter(|s| s.parts.len() > before)
        .collect();
    // The smaller the largest part, the better.
    list.sort_by(|a, b| {
        a.parts[0]
            .cmp(&b.parts[0])
            .then(a.component.cmp(&b.component))
    });
    list
}

/// Sizes of the parts when these states are known.
fn split(model: &CompiledModel, known: &[u32]) -> Vec<usize> {
    let layout = &model.layout;
    // What only a known state needs, the two ends of the line would do themselves.
    let mut wanted: Vec<Slot> = (0..layout.n_states as u32)
        .filter(|k| !known.contains(k))
        .map(|k| layout.derivatives + k)
        .collect();
    wanted.extend(model.delays.iter().map(|d| d.source));
    let core = needed(&model.kernels, &model.systems, &model.main, &wanted, true);
    let mut moving = vec![false; model.slot_count()];
    for (b, _) in &model.main.blocks {
        for &w in model.block_writes(&model.main, b) {
            moving[w as usize] = true;
        }
    }
    let mut sets = Union::new(model.slot_count());
    for k in 0..layout.n_states as u32 {
        let (x, dx) = (layout.states + k, layout.derivatives + k);
        moving[x as usize] = !known.contains(&k);
        if !known.contains(&k) {
            sets.join(x, dx);
        }
    }
    for d in model.delays.iter().filter(|d| d.constant) {
        moving[d.result as usize] = false;
    }
    let mut members: Vec<(u32, usize)> = Vec::new();
    for &b in &core {
        let (writes, reads) = (
            model.block_writes(&model.main, b),
            model.block_reads(&model.main, b),
        );
        let (Some(&first), true) = (writes.first(), reads.iter().any(|&r| moving[r as usize]))
        else {
            continue;
        };
        for &w in writes {
            sets.join(first, w);
        }
        for &r in reads.iter().filter(|&&r| moving[r as usize]) {
            sets.join(first, r);
        }
        members.push((first, components_of(model, b).len().max(1)));
    }
    let mut count = std::collections::HashMap::new();
    for (first, size) in members {
        *count.entry(sets.find(first)).or_insert(0) += size;
    }
    let mut sizes: Vec<usize> = count.into_values().collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}
