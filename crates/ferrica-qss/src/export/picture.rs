//! Pictures of the coupled model: DOT text and a layered SVG.
//!
//! Columns from left to right: sources and sample blocks, static functions of derivatives,
//! integrators, crossing functions, cross detections.

use std::fmt::Write;

use ferrica_draw::graph::{Link, Node, graph};
use ferrica_draw::{Anchor, Color, Item, Scene, TextStyle, Theme, print};

use super::structure::{BlockKind, CoupledStructure, ExportBlock};

/// Blocks beyond which a picture of single blocks is of no use.
const MAX_BLOCKS: usize = 400;

fn column(kind: BlockKind) -> usize {
    match kind {
        BlockKind::Source(_) | BlockKind::Sample(_) => 0,
        BlockKind::Derivative(_) => 1,
        BlockKind::Integrator(_) => 2,
        BlockKind::Crossing(_) => 3,
        BlockKind::Detection(_) => 4,
    }
}

fn look(kind: BlockKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        BlockKind::Integrator(_) => ("box", "#dbe9f6", "quantized integrator"),
        BlockKind::Derivative(_) => ("ellipse", "#e8f3e0", "static function"),
        BlockKind::Crossing(_) => ("ellipse", "#fdf1d5", "crossing function"),
        BlockKind::Detection(_) => ("diamond", "#f9dcdc", "cross detection"),
        BlockKind::Sample(_) => ("box", "#eee0f5", "sample"),
        BlockKind::Source(_) => ("box", "#eeeeee", "source"),
    }
}

/// Graphviz text.
pub fn dot(s: &CoupledStructure) -> String {
    let mut out = format!(
        "digraph \"{}\" {{\n  rankdir=LR;\n",
        s.name.replace('"', "'")
    );
    for (k, block) in s.blocks.iter().enumerate() {
        let (shape, color, _) = look(block.kind);
        let _ = writeln!(
            out,
            "  b{k} [label=\"{}\", shape={shape}, style=filled, fillcolor=\"{color}\"];",
            block.name.replace('\\', "/").replace('"', "'")
        );
    }
    for &((a, _), (b, _)) in &s.couplings {
        let _ = writeln!(out, "  b{a} -> b{b};");
    }
    out.push_str("}\n");
    out
}

/// A picture by itself; of a large model a table of counts.
pub fn svg(s: &CoupledStructure) -> String {
    if s.blocks.len() > MAX_BLOCKS {
        return print(&counts(s));
    }
    let color = |hex: &str| {
        let part = |k: usize| u8::from_str_radix(&hex[k..k + 2], 16).unwrap_or(0xee);
        Color(part(1), part(3), part(5))
    };
    let node = |block: &ExportBlock| {
        let (_, shade, what) = look(block.kind);
        Node {
            label: block.name.clone(),
            note: what.to_owned(),
            title: format!("{what}: {}", block.name),
            color: color(shade),
        }
    };
    let nodes: Vec<Node> = s.blocks.iter().map(node).collect();
    let mut links: Vec<Link> = Vec::new();
    for &((from, _), (to, _)) in &s.couplings {
        // Several ports of two blocks make one line.
        if !links.iter().any(|l| (l.from, l.to) == (from, to)) {
            links.push(Link {
                from,
                to,
                label: String::new(),
                both_ways: false,
            });
        }
    }
    let columns = s.blocks.iter().map(|b| column(b.kind)).collect();
    print(&graph(&s.name, &nodes, &links, Some(columns)))
}

fn counts(s: &CoupledStructure) -> Scene {
    let kinds: [(&str, fn(BlockKind) -> bool); 6] = [
        ("quantized integrators", |k| {
            matches!(k, BlockKind::Integrator(_))
        }),
        ("static functions", |k| {
            matches!(k, BlockKind::Derivative(_))
        }),
        ("crossing functions", |k| {
            matches!(k, BlockKind::Crossing(_))
        }),
        ("cross detections", |k| matches!(k, BlockKind::Detection(_))),
        ("sample blocks", |k| matches!(k, BlockKind::Sample(_))),
        ("sources", |k| matches!(k, BlockKind::Source(_))),
    ];
    let mut lines = vec![s.name.clone()];
    lines.extend(kinds.map(|(name, of)| format!("{} {name}", s.count(of))));
    lines.push(format!("{} couplings", s.couplings.len()));
    let line = |(k, text): (usize, String)| Item::Text {
        at: (20.0, 28.0 + 22.0 * k as f64),
        text,
        size: 13.0,
        anchor: Anchor::Start,
        style: TextStyle::default(),
        color: Color(0x22, 0x22, 0x22),
    };
    Scene {
        width: 420.0,
        height: 220.0,
        title: s.name.clone(),
        theme: Theme::Both,
        items: lines.into_iter().enumerate().map(line).collect(),
        ..Scene::default()
    }
}
