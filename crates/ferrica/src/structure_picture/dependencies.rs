//! The graph of dependencies: a box for each component, an arrow from what is computed to what needs it; then each loop as it is written
//! and as it is solved.

use ferrica_draw::graph::{Link, Node, Panel, below, graphs};
use ferrica_draw::{Color, Scene};
use ferrica_structure::analysis::text::outcome;
use ferrica_structure::analysis::{Analysis, Component, Role};

use super::{ALONE, DERIVATIVE, ITERATED, LOOP, MOST_EQUATIONS, PLAIN};
use super::{is_derivative, matrix};

/// Loops that are drawn one by one, and equations of one that is.
const MOST_LOOPS: usize = 12;
const LARGEST_LOOP: usize = 40;

/// The picture, and what it leaves out.
pub fn graph(a: &Analysis) -> (Scene, Vec<String>) {
    let title = format!("Dependencies of {}", a.name);
    let mut left_out = Vec::new();
    let mut panels = Vec::new();
    let is_large = a.components.len() > MOST_EQUATIONS;
    if !is_large {
        panels.push(overview(a));
    }
    let loops: Vec<&Component> = a.components.iter().filter(|c| c.is_loop()).collect();
    for (k, component) in loops.iter().enumerate().take(MOST_LOOPS) {
        let size = component.equations.len();
        if size > LARGEST_LOOP {
            left_out.push(format!("loop {} of {size} unknowns", k + 1));
            continue;
        }
        panels.push(before(a, component, k + 1));
        panels.push(after(a, component, k + 1));
    }
    if loops.len() > MOST_LOOPS {
        left_out.push(format!("loops {} to {}", MOST_LOOPS + 1, loops.len()));
    }
    if !left_out.is_empty() {
        panels.push(Panel {
            heading: format!("Not drawn: {} (see the text form)", left_out.join(", ")),
            ..Panel::default()
        });
    }
    if is_large {
        left_out.insert(
            0,
            format!("single boxes of {} components", a.components.len()),
        );
        return (below(matrix::scene(a, &title), &panels), left_out);
    }
    (graphs(&title, &panels), left_out)
}

fn node(label: &str, note: &str, color: Color) -> Node {
    Node {
        label: label.to_owned(),
        note: note.to_owned(),
        title: format!("{label}\n{note}"),
        color,
    }
}

fn color_of(name: &str) -> Color {
    match is_derivative(name) {
        true => DERIVATIVE,
        false => PLAIN,
    }
}

fn link(from: usize, to: usize) -> Link {
    Link {
        from,
        to,
        label: String::new(),
        both_ways: false,
    }
}

/// A box for each component.
fn overview(a: &Analysis) -> Panel {
    let giver = a.giver();
    let mut panel = Panel {
        heading: String::new(),
        ..Panel::default()
    };
    let mut loops = 0;
    for (k, component) in a.components.iter().enumerate() {
        let names: Vec<&str> = (component.equations.iter())
            .filter_map(|&i| a.matched[i].map(|c| a.unknowns[c].as_str()))
            .collect();
        panel.nodes.push(match component.is_loop() {
            true => {
                loops += 1;
                let label = format!("loop {loops} of {}", names.len());
                node(&label, &names.join(", "), LOOP)
            }
            false => {
                let i = component.equations[0];
                let note = format!("e{}: {}", i + 1, a.equations[i]);
                node(names.first().unwrap_or(&""), &note, color_of(names[0]))
            }
        });
        let mut from: Vec<usize> = Vec::new();
        for &i in &component.equations {
            let row = &a.incidence[i];
            let others = row.solvable.iter().chain(&row.read);
            from.extend(others.filter_map(|&c| giver[c]).filter(|&g| g != k));
        }
        from.sort_unstable();
        from.dedup();
        panel.links.extend(from.into_iter().map(|g| link(g, k)));
    }
    let alone = a.superfluous();
    for i in alone {
        let note = format!("e{}: {}", i + 1, a.equations[i]);
        panel.nodes.push(node("no unknown", &note, ALONE));
    }
    panel
}

/// The equations of a loop with the unknowns they are matched to.
fn before(a: &Analysis, component: &Component, number: usize) -> Panel {
    let mut panel = Panel {
        heading: format!("Loop {number} as it is written: each needs the others"),
        ..Panel::default()
    };
    let mut place = rustc_hash::FxHashMap::default();
    for (k, &i) in component.equations.iter().enumerate() {
        let Some(c) = a.matched[i] else { continue };
        place.insert(c, k);
        let note = format!("e{}: {}", i + 1, a.equations[i]);
        panel.nodes.push(node(&a.unknowns[c], &note, LOOP));
    }
    for (k, &i) in component.equations.iter().enumerate() {
        let row = &a.incidence[i];
        let others = row.solvable.iter().chain(&row.read);
        let from = others.filter_map(|c| place.get(c)).filter(|&&f| f != k);
        panel.links.extend(from.map(|&f| link(f, k)));
    }
    panel
}

/// The same loop after elimination and tearing.
fn after(a: &Analysis, component: &Component, number: usize) -> Panel {
    let mut panel = Panel {
        heading: format!("Loop {number}: {}", outcome(a, component)),
        ..Panel::default()
    };
    let mut place = rustc_hash::FxHashMap::default();
    for (k, step) in component.steps.iter().enumerate() {
        step.unknowns.iter().for_each(|&c| {
            place.insert(c, k);
        });
        let names: Vec<&str> = step
            .unknowns
            .iter()
            .map(|&c| a.unknowns[c].as_str())
            .collect();
        let label = names.join(", ");
        panel.nodes.push(match step.role {
            Role::Assigned => node(&label, &step.text, color_of(&label)),
            Role::Linear => node(
                &label,
                &format!("linear system of {}", names.len()),
                ITERATED,
            ),
            Role::Iterated => node(&label, "iteration variable", ITERATED),
            Role::Residual => node("residual", &step.text, ALONE),
            Role::Held => node(&label, "held; decided by events", ITERATED),
        });
    }
    for (k, step) in component.steps.iter().enumerate() {
        let from = step.reads.iter().filter_map(|c| place.get(c));
        panel
            .links
            .extend(from.filter(|&&f| f != k).map(|&f| link(f, k)));
    }
    panel
}
