//! Pictures of a bond graph: SVG with half arrows and causal strokes, and DOT.

use std::fmt::Write;

use ferrica_draw::{Anchor, Color, Item, PAPER, Path, Pen, Rect, Scene, Shape, TextStyle, Theme};

use crate::graph::{BondGraph, Kind, Node, Stroke};
use crate::layout::layout;
use crate::scap::Causality;

const STATE: Color = Color(0x18, 0x64, 0xab);
const DEPENDENT: Color = Color(0xd9, 0x48, 0x0f);
const LOOP: Color = Color(0x70, 0x48, 0xe8);
const CONFLICT: Color = Color(0xb0, 0x00, 0x20);
const INK: Color = Color(0x22, 0x22, 0x22);
const SOFT_INK: Color = Color(0x44, 0x44, 0x44);

/// The graph in the language of Graphviz.
pub fn dot(g: &BondGraph, causality: &Causality) -> String {
    let mut out = String::from(
        "digraph bond {\n  layout=neato; overlap=false; splines=line;\n  node [shape=plaintext, fontname=\"Helvetica\"];\n",
    );
    for (k, n) in g.nodes.iter().enumerate() {
        let value = value_text(n);
        let text = if value.is_empty() {
            label(n)
        } else {
            format!("{}\\n{value}", label(n))
        };
        let shape = if n.kind == Kind::Block {
            ", shape=box"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "  n{k} [label=\"{}\", fontcolor=\"{}\"{shape}];",
            text.replace('"', "'"),
            colour(causality, k).hex()
        );
    }
    for b in &g.bonds {
        let (tail, head) = match b.stroke {
            Some(Stroke::From) => ("tee", "lnormal"),
            Some(Stroke::To) => ("none", "lnormaltee"),
            None => ("none", "lnormal"),
        };
        let _ = writeln!(
            out,
            "  n{} -> n{} [arrowhead={head}, arrowtail={tail}, dir=both];",
            b.from, b.to
        );
    }
    for a in &g.active {
        let _ = writeln!(
            out,
            "  n{} -> n{} [arrowhead=vee, style=dashed];",
            a.from, a.to
        );
    }
    out.push_str("}\n");
    out
}

/// What a node's causality says about it.
fn colour(causality: &Causality, n: usize) -> Color {
    if causality.conflicts.iter().any(|c| c.node == n) || causality.unsatisfied.contains(&n) {
        CONFLICT
    } else if causality.is_dependent(n) {
        DEPENDENT
    } else if causality.loops.iter().any(|l| l.contains(&n)) {
        LOOP
    } else if causality.states.contains(&n) {
        STATE
    } else {
        INK
    }
}

fn label(n: &Node) -> String {
    if n.kind.is_junction() {
        return n.kind.symbol().to_string();
    }
    if n.kind == Kind::Block {
        return n.name.clone();
    }
    if n.kind == Kind::Multiport {
        return format!("{} {}", n.class.rsplit('.').next().unwrap_or("MP"), n.name);
    }
    let m = if n.modulated { "M" } else { "" };
    format!("{m}{}:{}", n.kind.symbol(), n.name)
}

fn value_text(n: &Node) -> String {
    match n.value {
        Some(v) if !n.kind.is_junction() && !matches!(n.kind, Kind::Se | Kind::Sf) => {
            let text = if v != 0.0 && (v.abs() < 1e-3 || v.abs() >= 1e4) {
                format!("{v:.3e}")
            } else {
                format!("{v:.4}")
            };
            if text.contains('e') {
                text
            } else {
                text.trim_end_matches('0').trim_end_matches('.').to_string()
            }
        }
        _ if n.nonlinear => "nonlinear".into(),
        _ => String::new(),
    }
}

/// Half width and half height of a node's text.
fn half_size(n: &Node) -> (f64, f64) {
    let label = label(n).chars().count() as f64;
    let value = value_text(n);
    let wide = (8.2 * label).max(6.2 * value.chars().count() as f64);
    (0.5 * wide + 3.0, if value.is_empty() { 10.0 } else { 17.0 })
}

/// Where a line from a node in a direction leaves its label.
fn leaves(half: (f64, f64), ux: f64, uy: f64) -> f64 {
    let x = if ux == 0.0 {
        f64::MAX
    } else {
        half.0 / ux.abs()
    };
    let y = if uy == 0.0 {
        f64::MAX
    } else {
        half.1 / uy.abs()
    };
    x.min(y) + 3.0
}

/// The graph as an SVG picture; loops and dependent storages are coloured.
pub fn svg(g: &BondGraph, causality: &Causality, title: &str) -> String {
    let half: Vec<(f64, f64)> = g.nodes.iter().map(half_size).collect();
    let positions = layout(g, &half);
    let (mut min, mut max) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    for (&(x, y), h) in positions.iter().zip(&half) {
        min = (min.0.min(x - h.0), min.1.min(y - h.1));
        max = (max.0.max(x + h.0), max.1.max(y + h.1));
    }
    if positions.is_empty() {
        (min, max) = ((0.0, 0.0), (0.0, 0.0));
    }
    let (margin, header, legend) = (30.0, 50.0, 70.0);
    let w = (max.0 - min.0 + 2.0 * margin).max(560.0);
    let h = max.1 - min.1 + header + margin + legend;
    let left = 0.5 * (w - (max.0 - min.0));
    let at = |n: usize| {
        (
            positions[n].0 - min.0 + left,
            positions[n].1 - min.1 + header,
        )
    };
    let mut items = vec![text((20.0, 28.0), title, 16.0, Anchor::Start, true, INK)];
    let in_loop = |n: usize| causality.loops.iter().any(|l| l.contains(&n));
    // Ends of a line between two labels, and its direction.
    let line = |from: usize, to: usize| {
        let (p, q) = (at(from), at(to));
        let (dx, dy) = (q.0 - p.0, q.1 - p.1);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let (a, b) = (leaves(half[from], ux, uy), leaves(half[to], ux, uy));
        let start = (p.0 + ux * a, p.1 + uy * a);
        let end = (q.0 - ux * b, q.1 - uy * b);
        (start, end, ux, uy)
    };
    for a in &g.active {
        let (start, end, ux, uy) = line(a.from, a.to);
        let shade = Color(0x88, 0x88, 0x88);
        items.push(stroke(&[start, end], shade, 1.2, &[5.0, 3.0]));
        let side = |s: f64| {
            (
                end.0 - ux * 9.0 - s * uy * 5.0,
                end.1 - uy * 9.0 + s * ux * 5.0,
            )
        };
        items.push(stroke(&[side(1.0), end, side(-1.0)], shade, 1.2, &[]));
    }
    // Causal strokes are never behind a label.
    let mut over = Vec::new();
    for b in &g.bonds {
        let (start, end, ux, uy) = line(b.from, b.to);
        let shade = match in_loop(b.from) || in_loop(b.to) {
            true => LOOP,
            false => Color(0x55, 0x55, 0x55),
        };
        let mut points = vec![start, end];
        if b.directed {
            points.push((end.0 - ux * 11.0 - uy * 6.0, end.1 - uy * 11.0 + ux * 6.0));
        }
        items.push(stroke(&points, shade, 1.6, &[]));
        if let Some(s) = b.stroke {
            let c = if s == Stroke::To { end } else { start };
            let side = |s: f64| (c.0 - s * uy * 8.0, c.1 + s * ux * 8.0);
            over.push(stroke(&[side(1.0), side(-1.0)], shade, 2.4, &[]));
        }
    }
    for (k, n) in g.nodes.iter().enumerate() {
        let (x, mut y) = at(k);
        let frame = Rect {
            x: x - half[k].0,
            y: y - half[k].1,
            width: 2.0 * half[k].0,
            height: 2.0 * half[k].1,
        };
        items.extend(node_ground(frame, n.kind == Kind::Block));
        let value = value_text(n);
        if !value.is_empty() {
            y -= 7.0;
        }
        let (bold, shade) = (n.kind.is_junction(), colour(causality, k));
        let middle = Anchor::Middle;
        over.push(text((x, y + 5.0), &label(n), 15.0, middle, bold, shade));
        if !value.is_empty() {
            let grey = Color(0x77, 0x77, 0x77);
            over.push(text((x, y + 19.0), &value, 11.0, middle, false, grey));
        }
    }
    items.extend(over);
    let mut x = 20.0;
    let y = h - 22.0;
    let start = Anchor::Start;
    for (color, name) in [
        (STATE, "state"),
        (DEPENDENT, "dependent storage"),
        (LOOP, "algebraic loop"),
        (CONFLICT, "conflict"),
    ] {
        items.push(Item::Marker {
            at: (x, y - 4.0),
            radius: 5.0,
            shape: Shape::Circle,
            color,
        });
        items.push(text((x + 10.0, y), name, 12.0, start, false, SOFT_INK));
        x += 30.0 + 7.0 * name.len() as f64;
    }
    let key = "half arrow: positive power; stroke: where effort is imposed; dashed: signal";
    items.push(text((20.0, y - 22.0), key, 12.0, start, false, SOFT_INK));
    ferrica_draw::print(&Scene {
        width: w.round(),
        height: h.round(),
        title: title.to_owned(),
        theme: Theme::Both,
        items,
        ..Scene::default()
    })
}

/// Lines that pass behind a label do not disturb it.
fn node_ground(frame: Rect, is_block: bool) -> Vec<Item> {
    let ground = Item::Fill {
        rect: frame,
        color: PAPER,
        opacity: 1.0,
    };
    let (right, bottom) = (frame.x + frame.width, frame.y + frame.height);
    let corners = [
        (frame.x, frame.y),
        (right, frame.y),
        (right, bottom),
        (frame.x, bottom),
        (frame.x, frame.y),
    ];
    let border = stroke(&corners, Color(0x88, 0x88, 0x88), 1.0, &[]);
    match is_block {
        true => vec![ground, border],
        false => vec![ground],
    }
}

fn stroke(points: &[(f64, f64)], color: Color, width: f64, dashes: &[f64]) -> Item {
    Item::Path {
        path: Path::polyline(points, false),
        pen: Some(Pen {
            width,
            color,
            dashes: dashes.to_vec(),
        }),
        brush: None,
    }
}

fn text(at: (f64, f64), text: &str, size: f64, anchor: Anchor, bold: bool, color: Color) -> Item {
    Item::Text {
        at,
        text: text.to_owned(),
        size,
        anchor,
        style: TextStyle {
            bold,
            ..TextStyle::default()
        },
        color,
    }
}
