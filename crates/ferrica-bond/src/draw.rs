//! Pictures of a bond graph: SVG with half arrows and causal strokes, and DOT.
//!
//! The layout is force-directed from a deterministic start, so the same graph gives the same picture.

use std::fmt::Write;

use crate::graph::{BondGraph, Kind, Node, Stroke};
use crate::scap::Causality;

const ITERATIONS: usize = 400;
const SPACING: f64 = 110.0;

/// The graph in the language of Graphviz.
pub fn dot(g: &BondGraph) -> String {
    let mut out = String::from(
        "digraph bond {\n  layout=neato; overlap=false; splines=line;\n  node [shape=plaintext, fontname=\"Helvetica\"];\n",
    );
    for (k, n) in g.nodes.iter().enumerate() {
        let _ = writeln!(out, "  n{k} [label=\"{}\"];", label(n).replace('"', "'"));
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
    out.push_str("}\n");
    out
}

fn label(n: &Node) -> String {
    if n.kind.is_junction() {
        return n.kind.symbol().to_string();
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

/// The graph as an SVG picture; loops and dependent storages are coloured.
pub fn svg(g: &BondGraph, causality: &Causality, title: &str) -> String {
    let positions = layout(g);
    let (mut min, mut max) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
    for &(x, y) in &positions {
        min = (min.0.min(x), min.1.min(y));
        max = (max.0.max(x), max.1.max(y));
    }
    if positions.is_empty() {
        (min, max) = ((0.0, 0.0), (0.0, 0.0));
    }
    let margin = 90.0;
    let legend = 60.0;
    let (w, h) = (
        max.0 - min.0 + 2.0 * margin,
        max.1 - min.1 + 2.0 * margin + legend,
    );
    let w = w.max(560.0);
    let at = |n: usize| {
        (
            positions[n].0 - min.0 + margin,
            positions[n].1 - min.1 + margin + 10.0,
        )
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"20\" y=\"28\" font-size=\"16\" font-weight=\"bold\" fill=\"#222\">{}</text>\n",
        escape(title)
    );
    let in_loop = |n: usize| causality.loops.iter().any(|l| l.contains(&n));
    let dependent = |n: usize| causality.is_dependent(n);
    let conflict = |n: usize| causality.conflicts.iter().any(|c| c.node == n);
    let colour = |n: usize| {
        if conflict(n) {
            "#b00020"
        } else if dependent(n) {
            "#d9480f"
        } else if in_loop(n) {
            "#7048e8"
        } else if causality.states.contains(&n) {
            "#1864ab"
        } else {
            "#222222"
        }
    };
    for b in &g.bonds {
        let (p, q) = (at(b.from), at(b.to));
        let (dx, dy) = (q.0 - p.0, q.1 - p.1);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let gap = |n: usize| {
            if g.nodes[n].kind.is_junction() {
                16.0
            } else {
                24.0
            }
        };
        let start = (p.0 + ux * gap(b.from), p.1 + uy * gap(b.from));
        let end = (q.0 - ux * gap(b.to), q.1 - uy * gap(b.to));
        let shade = if in_loop(b.from) || in_loop(b.to) {
            "#7048e8"
        } else {
            "#555"
        };
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1}\" fill=\"none\" stroke=\"{shade}\" stroke-width=\"1.6\"/>",
            start.0,
            start.1,
            end.0,
            end.1,
            end.0 - ux * 11.0 - uy * 6.0,
            end.1 - uy * 11.0 + ux * 6.0
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
        let (x, y) = at(k);
        let weight = if n.kind.is_junction() {
            "bold"
        } else {
            "normal"
        };
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"15\" font-weight=\"{weight}\" text-anchor=\"middle\" fill=\"{}\" stroke=\"white\" stroke-width=\"5\" paint-order=\"stroke\">{}</text>",
            y + 5.0,
            colour(k),
            escape(&label(n))
        );
        let value = value_text(n);
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
        ("#1864ab", "state"),
        ("#d9480f", "dependent storage"),
        ("#7048e8", "algebraic loop"),
        ("#b00020", "conflict"),
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
        "<text x=\"20\" y=\"{:.1}\" font-size=\"12\" fill=\"#444\">half arrow: positive power; stroke: where effort is imposed</text>",
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

/// Fruchterman–Reingold from a spiral.
fn layout(g: &BondGraph) -> Vec<(f64, f64)> {
    let n = g.nodes.len();
    let mut p: Vec<(f64, f64)> = (0..n)
        .map(|k| {
            let angle = k as f64 * 2.399963;
            let r = SPACING * 0.6 * (k as f64 + 0.5).sqrt();
            (r * angle.cos(), r * angle.sin())
        })
        .collect();
    let mut heat = SPACING * (n as f64).sqrt() * 0.5;
    for _ in 0..ITERATIONS {
        let mut force = vec![(0.0, 0.0); n];
        for i in 0..n {
            for j in i + 1..n {
                let (dx, dy) = (p[i].0 - p[j].0, p[i].1 - p[j].1);
                let d2 = (dx * dx + dy * dy).max(1.0);
                let f = SPACING * SPACING / d2;
                force[i].0 += dx * f;
                force[i].1 += dy * f;
                force[j].0 -= dx * f;
                force[j].1 -= dy * f;
            }
        }
        for b in &g.bonds {
            let (dx, dy) = (p[b.from].0 - p[b.to].0, p[b.from].1 - p[b.to].1);
            let d = (dx * dx + dy * dy).sqrt().max(1.0);
            let f = d / SPACING;
            force[b.from].0 -= dx * f;
            force[b.from].1 -= dy * f;
            force[b.to].0 += dx * f;
            force[b.to].1 += dy * f;
        }
        for (at, f) in p.iter_mut().zip(&force) {
            // A weak pull to the centre keeps separate parts together.
            let (fx, fy) = (f.0 - 0.02 * at.0, f.1 - 0.02 * at.1);
            let length = (fx * fx + fy * fy).sqrt().max(1e-9);
            let step = length.min(heat);
            at.0 += fx / length * step;
            at.1 += fy / length * step;
        }
        heat = (heat * 0.985).max(0.5);
    }
    p
}
