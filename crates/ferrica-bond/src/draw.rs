//! Pictures of a bond graph: SVG with half arrows and causal strokes, and DOT.

use std::fmt::Write;

use crate::graph::{BondGraph, Kind, Node, Stroke};
use crate::layout::layout;
use crate::scap::Causality;

const STATE: &str = "#1864ab";
const DEPENDENT: &str = "#d9480f";
const LOOP: &str = "#7048e8";
const CONFLICT: &str = "#b00020";

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
            colour(causality, k)
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
fn colour(causality: &Causality, n: usize) -> &'static str {
    if causality.conflicts.iter().any(|c| c.node == n) || causality.unsatisfied.contains(&n) {
        CONFLICT
    } else if causality.is_dependent(n) {
        DEPENDENT
    } else if causality.loops.iter().any(|l| l.contains(&n)) {
        LOOP
    } else if causality.states.contains(&n) {
        STATE
    } else {
        "#222222"
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
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"20\" y=\"28\" font-size=\"16\" font-weight=\"bold\" fill=\"#222\">{}</text>\n",
        escape(title)
    );
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
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1} L{:.1} {:.1}\" stroke=\"#888\" stroke-width=\"1.2\" stroke-dasharray=\"5 3\"/><path d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1}\" fill=\"none\" stroke=\"#888\" stroke-width=\"1.2\"/>",
            start.0,
            start.1,
            end.0,
            end.1,
            end.0 - ux * 9.0 - uy * 5.0,
            end.1 - uy * 9.0 + ux * 5.0,
            end.0,
            end.1,
            end.0 - ux * 9.0 + uy * 5.0,
            end.1 - uy * 9.0 - ux * 5.0,
        );
    }
    for b in &g.bonds {
        let (start, end, ux, uy) = line(b.from, b.to);
        let shade = if in_loop(b.from) || in_loop(b.to) {
            LOOP
        } else {
            "#555"
        };
        let head = if b.directed {
            format!(
                " L{:.1} {:.1}",
                end.0 - ux * 11.0 - uy * 6.0,
                end.1 - uy * 11.0 + ux * 6.0
            )
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1} L{:.1} {:.1}{head}\" fill=\"none\" stroke=\"{shade}\" stroke-width=\"1.6\"/>",
            start.0, start.1, end.0, end.1,
        );
        if let Some(s) = b.stroke {
            let c = if s == Stroke::To { end } else { start };
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {:.1} L{:.1} {:.1}\" stroke=\"{shade}\" stroke-width=\"2.4\"/>",
                c.0 - uy * 8.0,
                c.1 + ux * 8.0,
                c.0 + uy * 8.0,
                c.1 - ux * 8.0
            );
        }
    }
    for (k, n) in g.nodes.iter().enumerate() {
        let (x, mut y) = at(k);
        if n.kind == Kind::Block {
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#888\"/>",
                x - half[k].0,
                y - half[k].1,
                2.0 * half[k].0,
                2.0 * half[k].1
            );
        }
        let value = value_text(n);
        if !value.is_empty() {
            y -= 7.0;
        }
        let weight = if n.kind.is_junction() {
            "bold"
        } else {
            "normal"
        };
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"15\" font-weight=\"{weight}\" text-anchor=\"middle\" fill=\"{}\" stroke=\"white\" stroke-width=\"5\" paint-order=\"stroke\">{}</text>",
            y + 5.0,
            colour(causality, k),
            escape(&label(n))
        );
        if !value.is_empty() {
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\" fill=\"#777\" stroke=\"white\" stroke-width=\"4\" paint-order=\"stroke\">{}</text>",
                y + 19.0,
                escape(&value)
            );
        }
    }
    let mut x = 20.0;
    let y = h - 22.0;
    for (shade, text) in [
        (STATE, "state"),
        (DEPENDENT, "dependent storage"),
        (LOOP, "algebraic loop"),
        (CONFLICT, "conflict"),
    ] {
        let _ = writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{:.1}\" r=\"5\" fill=\"{shade}\"/><text x=\"{}\" y=\"{y:.1}\" font-size=\"12\" fill=\"#444\">{text}</text>",
            y - 4.0,
            x + 10.0
        );
        x += 30.0 + 7.0 * text.len() as f64;
    }
    let _ = writeln!(
        out,
        "<text x=\"20\" y=\"{:.1}\" font-size=\"12\" fill=\"#444\">half arrow: positive power; stroke: where effort is imposed; dashed: signal</text>",
        y - 22.0
    );
    out.push_str("</svg>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
