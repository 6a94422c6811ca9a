//! The graph of partitions as a picture: parts in layers, lines with their delays between them.

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Failure};
use ferrica_draw::graph::{Link, Node, graph};
use ferrica_draw::{Color, print};

use crate::parts::{NONE, Partitions};
use crate::report::parameters;

/// Parts that are drawn.
const MAX_PARTS: usize = 400;
const PART: Color = Color(0xe8, 0xf0, 0xfa);

/// The picture as SVG.
pub fn svg(model: &Arc<CompiledModel>, cut: &Partitions) -> Result<String, Failure> {
    if cut.parts.len() > MAX_PARTS {
        let n = cut.parts.len();
        return Err(Failure::new(format!(
            "{n} partitions are too many for a picture: take a .dot file"
        )));
    }
    let ev = parameters(model)?;
    // One line from part to part, with the shortest of its delays.
    let mut ways: Vec<(usize, usize, f64)> = Vec::new();
    for line in cut.lines.iter().filter(|l| l.from != NONE) {
        let delay = ev.get(model.delays[line.delay].delay);
        for &to in line.to.iter().filter(|to| **to != line.from) {
            let (a, b) = (line.from as usize, to as usize);
            match ways.iter_mut().find(|w| (w.0, w.1) == (a, b)) {
                Some(w) => w.2 = w.2.min(delay),
                None => ways.push((a, b, delay)),
            }
        }
    }
    let mut links: Vec<Link> = Vec::new();
    for &(from, to, delay) in &ways {
        let back = ways.iter().find(|w| (w.0, w.1) == (to, from));
        let delay = back.map_or(delay, |w| w.2.min(delay));
        if links.iter().any(|l| (l.from, l.to) == (to, from)) {
            continue;
        }
        links.push(Link {
            from,
            to,
            label: ferrica_draw::quantity(delay, "s", if delay < 0.1 { "ms" } else { "" }),
            both_ways: back.is_some(),
        });
    }
    let nodes: Vec<Node> = (cut.parts.iter())
        .map(|part| {
            let note = format!("{} equations, {} states", part.equations, part.states.len());
            Node {
                label: part.name.clone(),
                title: format!("{}: {note}", part.name),
                note,
                color: PART,
            }
        })
        .collect();
    Ok(print(&graph("Partitions", &nodes, &links, None)))
}
