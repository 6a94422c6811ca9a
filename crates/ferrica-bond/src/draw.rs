//! Pictures of a bond graph: SVG with half arrows and causal strokes, and DOT.

use std::fmt::Write;

use ferrica_draw::{Anchor, Color, Item, PAPER, Path, Pen, Rect, Scene, Shape, TextStyle, Theme};

use crate::graph::{BondGraph, Domain, Kind, Node, Stroke};
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
        return n.symbol().to_string();
    }
    if n.kind == Kind::Block {
        return n.name.clone();
    }
    if n.kind == Kind::Multiport {
        return format!("{} {}", n.class.rsplit('.').next().unwrap_or("MP"), n.name);
    }
    let m = if n.modulated || !n.control.is_empty() {
        "M"
    } else {
        ""
    };
    format!("{m}{}:{}", n.symbol(), n.name)
}

fn value_text(n: &Node) -> String {
    match n.value {
        Some(v) if !n.kind.is_junction() && !matches!(n.kind, Kind::Se | Kind::Sf) => {
            ferrica_draw::engineering(v, unit(n))
        }
        _ if n.nonlinear => "nonlinear".into(),
        _ => String::new(),
    }
}

/// The unit of an element's value, which follows from effort and flow of its domain; hydraulic flows may be of volume or of mass.
fn unit(n: &Node) -> &'static str {
    use Domain::*;
    match (n.domain, n.kind) {
        (Electrical, Kind::R) => "Ω",
        (Electrical, Kind::C) => "F",
        (Electrical, Kind::I) => "H",
        (Translational, Kind::R) => "N·s/m",
        (Translational, Kind::C) => "m/N",
        (Translational, Kind::I) => "kg",
        (Rotational, Kind::R) => "N·m·s/rad",
        (Rotational, Kind::C) => "rad/(N·m)",
        (Rotational, Kind::I) => "kg·m²",
        (Thermal, Kind::R) => "K/W",
        (Thermal, Kind::C) => "J/K",
        _ => "",
    }
}

/// Half width and half height of a node's text.
fn half_size(n: &Node) -> (f64, f64) {
    let label = label(n).chars().count() as f64;
    let value = value_text(n);
    let wide = (8.2 * label).max(6.2 * value.chars().count() as f64);
    (0.5 * wide + 3.0, if value.is_empty() { 10.0 } else { 17.0 })
}

/// A way from middle to middle, cut where it leaves the labels.
fn between(way: &[(f64, f64)], from: (f64, f64), to: (f64, f64)) -> Vec<(f64, f64)> {
    let mut out = way.to_vec();
    out.dedup();
    let count = out.len();
    if count < 2 {
        return out;
    }
    let start = leaves(out[0], out[1], from);
    let end = leaves(out[count - 1], out[count - 2], to);
    (out[0], out[count - 1]) = (start, end);
    out
}

/// Where a line from the middle of a label to a point in its row or column comes out.
fn leaves(middle: (f64, f64), next: (f64, f64), half: (f64, f64)) -> (f64, f64) {
    const AIR: f64 = 3.0;
    let (dx, dy) = (next.0 - middle.0, next.1 - middle.1);
    match dx.abs() > dy.abs() {
        true => (middle.0 + (half.0 + AIR) * dx.signum(), middle.1),
        false => (middle.0, middle.1 + (half.1 + AIR) * dy.signum()),
    }
}

/// The direction of the last stretch.
fn direction(points: &[(f64, f64)]) -> (f64, f64) {
    let [.., a, b] = points else {
        return (1.0, 0.0);
    };
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = (dx * dx + dy * dy).sqrt().max(1e-9);
    (dx / length, dy / length)
}

/// Beside the middle of the longest stretch: right of it, or above.
fn number_place(points: &[(f64, f64)]) -> (f64, f64) {
    let length = |s: &[(f64, f64)]| (s[1].0 - s[0].0).abs() + (s[1].1 - s[0].1).abs();
    let longest = (points.windows(2)).max_by(|a, b| length(a).total_cmp(&length(b)));
    let Some([a, b]) = longest else {
        return points.first().copied().unwrap_or_default();
    };
    let middle = (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
    match a.1 == b.1 {
        true => (middle.0, middle.1 - 9.0),
        false => (middle.0 + 8.0, middle.1 + 3.5),
    }
}

/// The graph as an SVG picture; loops and dependent storages are coloured.
pub fn svg(g: &BondGraph, causality: &Causality, title: &str) -> String {
    let half: Vec<(f64, f64)> = g.nodes.iter().map(half_size).collect();
    let drawn = layout(g, &half);
    let positions = &drawn.places;
    let (mut min, mut max) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    let corners = drawn.ways.iter().flatten().map(|p| (p, &(6.0, 6.0)));
    for (&(x, y), h) in positions.iter().zip(&half).chain(corners) {
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
    let moved = |p: &(f64, f64)| (p.0 - min.0 + left, p.1 - min.1 + header);
    let line = |k: usize, from: usize, to: usize| {
        let way: Vec<(f64, f64)> = drawn.ways[k].iter().map(moved).collect();
        between(&way, half[from], half[to])
    };
    for (k, a) in g.active.iter().enumerate() {
        let points = line(g.bonds.len() + k, a.from, a.to);
        let Some(&end) = points.last() else { continue };
        let (ux, uy) = direction(&points);
        let shade = Color(0x88, 0x88, 0x88);
        items.push(stroke(&points, shade, 1.2, &[5.0, 3.0]));
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
    for (k, b) in g.bonds.iter().enumerate() {
        let mut points = line(k, b.from, b.to);
        let (Some(&start), Some(&end)) = (points.first(), points.last()) else {
            continue;
        };
        let (ux, uy) = direction(&points);
        let shade = match in_loop(b.from) || in_loop(b.to) {
            true => LOOP,
            false => Color(0x55, 0x55, 0x55),
        };
        if let Some(s) = b.stroke {
            let back: Vec<(f64, f64)> = points.iter().rev().copied().collect();
            let (c, (ux, uy)) = match s {
                Stroke::To => (end, (ux, uy)),
                Stroke::From => (start, direction(&back)),
            };
            let side = |s: f64| (c.0 - s * uy * 8.0, c.1 + s * ux * 8.0);
            over.push(stroke(&[side(1.0), side(-1.0)], shade, 2.4, &[]));
        }
        let number = (k + 1).to_string();
        let grey = Color(0x77, 0x77, 0x77);
        over.push(text(
            number_place(&points),
            &number,
            9.5,
            Anchor::Middle,
            false,
            grey,
        ));
        if b.directed {
            points.push((end.0 - ux * 11.0 - uy * 6.0, end.1 - uy * 11.0 + ux * 6.0));
        }
        items.push(stroke(&points, shade, 1.6, &[]));
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
