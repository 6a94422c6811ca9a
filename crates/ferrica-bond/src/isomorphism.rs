//! Do two bond graphs have the same structure?
//!
//! Kinds of nodes, bonds, their strokes and active bonds count; names, values, domains and the direction in which
//! power counts positive do not. Colour refinement first, then search among nodes of one colour.

use std::hash::{Hash, Hasher};

use crate::graph::BondGraph;

/// For each node of `a` the node of `b` that takes its place, if there is such a mapping.
pub fn isomorphism(a: &BondGraph, b: &BondGraph) -> Option<Vec<usize>> {
    if a.nodes.len() != b.nodes.len()
        || a.bonds.len() != b.bonds.len()
        || a.active.len() != b.active.len()
    {
        return None;
    }
    let (x, y) = (colours(a), colours(b));
    let (mut p, mut q) = (x.clone(), y.clone());
    p.sort_unstable();
    q.sort_unstable();
    if p != q {
        return None;
    }
    // Rare colours first, then neighbours of what is placed.
    let mut order: Vec<usize> = (0..a.nodes.len()).collect();
    order.sort_by_key(|&n| (p.iter().filter(|&&c| c == x[n]).count(), n));
    let mut map = vec![usize::MAX; a.nodes.len()];
    let mut used = vec![false; b.nodes.len()];
    place(a, b, &x, &y, &order, 0, &mut map, &mut used).then_some(map)
}

fn place(
    a: &BondGraph,
    b: &BondGraph,
    x: &[u64],
    y: &[u64],
    order: &[usize],
    at: usize,
    map: &mut [usize],
    used: &mut [bool],
) -> bool {
    let Some(&n) = order.get(at) else { return true };
    for m in 0..b.nodes.len() {
        if used[m] || x[n] != y[m] {
            continue;
        }
        map[n] = m;
        if fits(a, b, n, map) {
            used[m] = true;
            if place(a, b, x, y, order, at + 1, map, used) {
                return true;
            }
            used[m] = false;
        }
        map[n] = usize::MAX;
    }
    false
}

/// Do the bonds of a node with nodes that are placed have their like?
fn fits(a: &BondGraph, b: &BondGraph, n: usize, map: &[usize]) -> bool {
    let m = map[n];
    let mut theirs: Vec<(usize, Option<bool>)> = b
        .bonds_of(m)
        .iter()
        .map(|&k| (b.bonds[k].other(m), b.bonds[k].effort_into(m)))
        .collect();
    for k in a.bonds_of(n) {
        let other = map[a.bonds[k].other(n)];
        if other == usize::MAX {
            continue;
        }
        let like = (other, a.bonds[k].effort_into(n));
        let Some(found) = theirs.iter().position(|t| *t == like) else {
            return false;
        };
        theirs.swap_remove(found);
    }
    a.active.iter().all(|s| {
        let (from, to) = (map[s.from], map[s.to]);
        from == usize::MAX
            || to == usize::MAX
            || b.active.iter().any(|t| t.from == from && t.to == to)
    })
}

/// Colours that no isomorphism changes.
fn colours(g: &BondGraph) -> Vec<u64> {
    let hash = |x: &dyn Fn(&mut rustc_hash::FxHasher)| {
        let mut h = rustc_hash::FxHasher::default();
        x(&mut h);
        h.finish()
    };
    let mut colour: Vec<u64> = g.nodes.iter().map(|n| hash(&|h| n.kind.hash(h))).collect();
    for _ in 0..g.nodes.len().min(32) {
        colour = (0..g.nodes.len())
            .map(|n| {
                let mut around: Vec<(u64, Option<bool>)> = g
                    .bonds_of(n)
                    .iter()
                    .map(|&b| (colour[g.bonds[b].other(n)], g.bonds[b].effort_into(n)))
                    .collect();
                around.sort_unstable();
                hash(&|h| (colour[n], &around).hash(h))
            })
            .collect();
    }
    colour
}
