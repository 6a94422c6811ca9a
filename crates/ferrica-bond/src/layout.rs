//! Positions of the nodes of a drawing.
//!
//! Distances in the picture follow distances in the graph: stress majorization (Gansner, Koren, North 2004) from a
//! deterministic start, so the same graph gives the same picture. Parts that are not connected stand side by side;
//! labels that still overlap are moved apart. Quadratic in the number of nodes.

use std::collections::VecDeque;

use crate::graph::BondGraph;

const SPACING: f64 = 105.0;
const ITERATIONS: usize = 150;
const SEPARATIONS: usize = 300;

/// Positions for nodes whose labels have the given half widths and half heights.
pub fn layout(g: &BondGraph, half: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = g.nodes.len();
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); n];
    let edges = g.bonds.iter().map(|b| (b.from, b.to));
    for (a, b) in edges.chain(g.active.iter().map(|s| (s.from, s.to))) {
        around[a].push(b);
        around[b].push(a);
    }
    let mut p = vec![(0.0, 0.0); n];
    let mut placed = vec![false; n];
    let mut right = 0.0;
    for root in 0..n {
        if placed[root] {
            continue;
        }
        let part = reach(root, &around);
        for &k in &part {
            placed[k] = true;
        }
        let mut q = majorized(&part, &around);
        separate(&mut q, &part.iter().map(|&k| half[k]).collect::<Vec<_>>());
        let left = part
            .iter()
            .zip(&q)
            .fold(f64::MAX, |m, (&k, x)| m.min(x.0 - half[k].0));
        let end = part
            .iter()
            .zip(&q)
            .fold(f64::MIN, |m, (&k, x)| m.max(x.0 + half[k].0));
        for (&k, x) in part.iter().zip(&q) {
            p[k] = (x.0 - left + right, x.1);
        }
        right += end - left + 0.6 * SPACING;
    }
    p
}

fn reach(root: usize, around: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; around.len()];
    seen[root] = true;
    let mut out = vec![root];
    let mut at = 0;
    while at < out.len() {
        for &m in &around[out[at]] {
            if !seen[m] {
                seen[m] = true;
                out.push(m);
            }
        }
        at += 1;
    }
    out
}

fn majorized(part: &[usize], around: &[Vec<usize>]) -> Vec<(f64, f64)> {
    let n = part.len();
    let mut index = vec![usize::MAX; around.len()];
    for (k, &node) in part.iter().enumerate() {
        index[node] = k;
    }
    let mut distance = vec![0.0; n * n];
    for k in 0..n {
        let mut steps = vec![usize::MAX; n];
        steps[k] = 0;
        let mut queue = VecDeque::from([k]);
        while let Some(at) = queue.pop_front() {
            for &m in &around[part[at]] {
                let m = index[m];
                if steps[m] == usize::MAX {
                    steps[m] = steps[at] + 1;
                    queue.push_back(m);
                }
            }
        }
        for (m, s) in steps.iter().enumerate() {
            distance[k * n + m] = *s as f64 * SPACING;
        }
    }
    // Start: by the distances from two nodes far apart, which lays a chain out straight.
    let far = |from: usize| {
        (0..n).fold(from, |best, k| {
            if distance[from * n + k] > distance[from * n + best] {
                k
            } else {
                best
            }
        })
    };
    let a = far(0);
    let b = far(a);
    let mut p: Vec<(f64, f64)> = (0..n)
        .map(|k| {
            let (x, y) = (distance[a * n + k], distance[b * n + k]);
            let spread = ((k * 7919) % 101) as f64 / 101.0 - 0.5;
            (x - y, 0.3 * (x + y) * spread + 40.0 * spread)
        })
        .map(|(x, y)| (0.5 * x, y))
        .collect();
    for _ in 0..ITERATIONS {
        for i in 0..n {
            let (mut x, mut y, mut weight) = (0.0, 0.0, 0.0);
            for j in 0..n {
                if i == j {
                    continue;
                }
                let wanted = distance[i * n + j];
                let (dx, dy) = (p[i].0 - p[j].0, p[i].1 - p[j].1);
                let d = (dx * dx + dy * dy).sqrt().max(1e-6);
                let w = 1.0 / (wanted * wanted);
                x += w * (p[j].0 + wanted * dx / d);
                y += w * (p[j].1 + wanted * dy / d);
                weight += w;
            }
            if weight > 0.0 {
                p[i] = (x / weight, y / weight);
            }
        }
    }
    p
}

/// Moves labels that overlap apart, along the shorter way.
fn separate(p: &mut [(f64, f64)], half: &[(f64, f64)]) {
    const AIR: f64 = 16.0;
    for _ in 0..SEPARATIONS {
        let mut moved = false;
        for i in 0..p.len() {
            for j in i + 1..p.len() {
                let (dx, dy) = (p[j].0 - p[i].0, p[j].1 - p[i].1);
                let x = half[i].0 + half[j].0 + AIR - dx.abs();
                let y = half[i].1 + half[j].1 + AIR - dy.abs();
                if x <= 0.0 || y <= 0.0 {
                    continue;
                }
                moved = true;
                if x < y {
                    let s = 0.5 * x * if dx < 0.0 { -1.0 } else { 1.0 };
                    p[i].0 -= s;
                    p[j].0 += s;
                } else {
                    let s = 0.5 * y * if dy < 0.0 { -1.0 } else { 1.0 };
                    p[i].1 -= s;
                    p[j].1 += s;
                }
            }
        }
        if !moved {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Domain, Kind};

    /// A ladder of 100 sections, with three elements each: no two labels overlap.
    #[test]
    fn labels_of_a_ladder_do_not_overlap() {
        let mut g = BondGraph::default();
        let mut last = None;
        for k in 0..100 {
            let one = g.add_node(Kind::One, format!("j{k}"), Domain::Electrical);
            let zero = g.add_node(Kind::Zero, format!("n{k}"), Domain::Electrical);
            g.add_bond(one, zero, 0);
            for kind in [Kind::R, Kind::I] {
                let e = g.add_node(kind, format!("element{k}"), Domain::Electrical);
                g.add_bond(one, e, 0);
            }
            let c = g.add_node(Kind::C, format!("C{k}"), Domain::Electrical);
            g.add_bond(zero, c, 0);
            if let Some(z) = last {
                g.add_bond(z, one, 0);
            }
            last = Some(zero);
        }
        let half = vec![(40.0, 18.0); g.nodes.len()];
        let p = layout(&g, &half);
        for i in 0..p.len() {
            for j in i + 1..p.len() {
                let apart = (p[i].0 - p[j].0).abs() >= 80.0 || (p[i].1 - p[j].1).abs() >= 36.0;
                assert!(apart, "{i} {:?} and {j} {:?}", p[i], p[j]);
            }
        }
    }
}
