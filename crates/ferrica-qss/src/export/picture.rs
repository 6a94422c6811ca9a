//! Pictures of the coupled model: DOT text and a layered SVG.
//!
//! Columns from left to right: sources and sample blocks, static functions of derivatives,
//! integrators, crossing functions, cross detections.

use std::fmt::Write;

use super::structure::{BlockKind, CoupledStructure};

/// Blocks beyond which a picture of single blocks is of no use.
const MAX_BLOCKS: usize = 400;

const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 30.0;
const GAP_X: f64 = 90.0;
const GAP_Y: f64 = 18.0;

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

fn escaped(text: &str, max: usize) -> String {
    let mut short: String = text.chars().take(max).collect();
    if text.chars().count() > max {
        short.push('…');
    }
    short
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A picture by itself; of a large model a table of counts.
pub fn svg(s: &CoupledStructure) -> String {
    if s.blocks.len() > MAX_BLOCKS {
        return counts(s);
    }
    let mut rows = [0usize; 5];
    let places: Vec<(f64, f64)> = s
        .blocks
        .iter()
        .map(|b| {
            let c = column(b.kind);
            rows[c] += 1;
            (
                20.0 + c as f64 * (WIDTH + GAP_X),
                50.0 + (rows[c] - 1) as f64 * (HEIGHT + GAP_Y),
            )
        })
        .collect();
    let tallest = rows.iter().copied().max().unwrap_or(0) as f64;
    let (width, height) = (
        40.0 + 5.0 * WIDTH + 4.0 * GAP_X,
        70.0 + tallest * (HEIGHT + GAP_Y),
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"20\" y=\"25\" font-size=\"15\">{}</text>\n",
        escaped(&s.name, 100)
    );
    for &((a, _), (b, _)) in &s.couplings {
        let (x1, y1) = (places[a].0 + WIDTH, places[a].1 + HEIGHT / 2.0);
        let (x2, y2) = (places[b].0, places[b].1 + HEIGHT / 2.0);
        let bend = (GAP_X * 0.6).max((x1 - x2).abs() * 0.2);
        let _ = writeln!(
            out,
            "<path d=\"M{x1} {y1} C{} {y1} {} {y2} {x2} {y2}\" fill=\"none\" stroke=\"#888\"/>",
            x1 + bend,
            x2 - bend
        );
    }
    for (block, &(x, y)) in s.blocks.iter().zip(&places) {
        let (_, color, what) = look(block.kind);
        let _ = writeln!(
            out,
            "<g><title>{what}: {}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"5\" \
             fill=\"{color}\" stroke=\"#555\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
            escaped(&block.name, 300),
            x + 8.0,
            y + 19.0,
            escaped(&block.name, 28)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn counts(s: &CoupledStructure) -> String {
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"420\" height=\"220\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
    );
    let _ = writeln!(
        out,
        "<text x=\"20\" y=\"28\" font-size=\"15\">{}</text>",
        escaped(&s.name, 60)
    );
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
    for (row, (name, of)) in kinds.iter().enumerate() {
        let y = 55 + 22 * row;
        let _ = writeln!(
            out,
            "<text x=\"30\" y=\"{y}\">{} {name}</text>",
            s.count(*of)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"30\" y=\"{}\">{} couplings</text>\n</svg>",
        55 + 22 * 6,
        s.couplings.len()
    );
    out
}
