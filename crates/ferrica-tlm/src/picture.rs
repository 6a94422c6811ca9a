//! The graph of partitions as a picture: parts in layers by their distance from the first one, lines between them.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Failure};

use crate::parts::{NONE, Partitions};
use crate::report::parameters;

const WIDTH: f64 = 150.0;
const HEIGHT: f64 = 44.0;
const GAP_X: f64 = 110.0;
const GAP_Y: f64 = 26.0;
/// Layers in one row of the picture, after which the next row begins.
const PER_ROW: usize = 8;
/// Parts that are drawn.
const MAX_PARTS: usize = 400;

/// The picture as SVG.
pub fn svg(model: &Arc<CompiledModel>, cut: &Partitions) -> Result<String, Failure> {
    if cut.parts.len() > MAX_PARTS {
        let n = cut.parts.len();
        return Err(Failure::new(format!(
            "{n} partitions are too many for a picture: take a .dot file"
        )));
    }
    let ev = parameters(model)?;
    // Delays between each pair of parts.
    let mut edges: Vec<(usize, usize, f64)> = Vec::new();
    for line in cut.lines.iter().filter(|l| l.from != NONE) {
        let delay = ev.get(model.delays[line.delay].delay);
        for &to in &line.to {
            let (a, b) = (line.from.min(to) as usize, line.from.max(to) as usize);
            match edges.iter_mut().find(|e| (e.0, e.1) == (a, b)) {
                Some(e) => e.2 = e.2.min(delay),
                None => edges.push((a, b, delay)),
            }
        }
    }
    let place = places(cut.parts.len(), &edges);
    let right = place.iter().map(|p| p.0).fold(0.0, f64::max) + WIDTH + 20.0;
    let bottom = place.iter().map(|p| p.1).fold(0.0, f64::max) + HEIGHT + 20.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{right}\" height=\"{bottom}\" \
         viewBox=\"0 0 {right} {bottom}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for &(a, b, delay) in &edges {
        let center = |k: usize| (place[k].0 + 0.5 * WIDTH, place[k].1 + 0.5 * HEIGHT);
        let ((x1, y1), (x2, y2)) = (center(a), center(b));
        if a == b {
            continue;
        }
        let _ = writeln!(
            out,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#666\" stroke-width=\"1.5\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#444\">{delay} s</text>",
            0.5 * (x1 + x2),
            0.5 * (y1 + y2) - 4.0
        );
    }
    for (part, &(x, y)) in cut.parts.iter().zip(&place) {
        let name = part.name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"5\" fill=\"#e8f0fa\" stroke=\"#246\"/>\n\
             <text x=\"{cx}\" y=\"{y1}\" text-anchor=\"middle\">{name}</text>\n\
             <text x=\"{cx}\" y=\"{y2}\" text-anchor=\"middle\" fill=\"#555\">{} equations, {} states</text>",
            part.equations,
            part.states.len(),
            cx = x + 0.5 * WIDTH,
            y1 = y + 18.0,
            y2 = y + 35.0
        );
    }
    out.push_str("</svg>\n");
    Ok(out)
}

/// Upper left corners of the parts.
fn places(n: usize, edges: &[(usize, usize, f64)]) -> Vec<(f64, f64)> {
    let mut layer = vec![usize::MAX; n];
    let mut next_layer = 0;
    for first in 0..n {
        if layer[first] != usize::MAX {
            continue;
        }
        layer[first] = next_layer;
        let mut queue = VecDeque::from([first]);
        while let Some(k) = queue.pop_front() {
            next_layer = next_layer.max(layer[k] + 1);
            for &(a, b, _) in edges {
                let other = if a == k { b } else { a };
                if (a == k || b == k) && layer[other] == usize::MAX {
                    layer[other] = layer[k] + 1;
                    queue.push_back(other);
                }
            }
        }
    }
    let mut in_layer = vec![0usize; next_layer];
    let order: Vec<usize> = (layer.iter())
        .map(|&l| {
            in_layer[l] += 1;
            in_layer[l] - 1
        })
        .collect();
    // Rows of layers are as high as their fullest layer.
    let rows: Vec<usize> = (in_layer.chunks(PER_ROW))
        .map(|c| c.iter().copied().max().unwrap_or(1))
        .collect();
    (layer.iter().zip(order))
        .map(|(&l, k)| {
            let above: usize = rows[..l / PER_ROW].iter().sum();
            let x = 20.0 + (l % PER_ROW) as f64 * (WIDTH + GAP_X);
            (x, 20.0 + (above + k) as f64 * (HEIGHT + GAP_Y))
        })
        .collect()
}
