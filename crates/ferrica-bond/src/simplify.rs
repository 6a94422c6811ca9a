//! Simplification to a fixed point: junctions that only pass a bond through disappear, neighbouring
//! junctions of one kind become one, junctions without bonds are dropped. A junction with a single bond stays: it says that no
//! flow (or no effort) passes there.

use crate::graph::BondGraph;

pub fn simplify(g: &mut BondGraph) {
    let mut changed = true;
    while changed {
        changed = false;
        for n in 0..g.nodes.len() {
            while !g.nodes[n].removed && g.nodes[n].kind.is_junction() && step(g, n) {
                changed = true;
            }
        }
    }
}

/// One simplification at a junction.
fn step(g: &mut BondGraph, n: usize) -> bool {
    let bonds = g.bonds_of(n);
    if let Some(&b) = bonds.iter().find(|&&b| is_loop(g, b)) {
        g.bonds[b].removed = true;
        return true;
    }
    match bonds.as_slice() {
        [] => {
            g.nodes[n].removed = true;
            return true;
        }
        [a, b] if pass_through(g, n, *a, *b) => return true,
        _ => {}
    }
    for &b in &bonds {
        let other = g.bonds[b].other(n);
        if other != n && g.nodes[other].kind == g.nodes[n].kind {
            merge(g, n, other, b);
            return true;
        }
    }
    false
}

/// A bond from a junction to itself carries nothing: an element whose ports are connected to each other leaves one.
fn is_loop(g: &BondGraph, b: usize) -> bool {
    g.bonds[b].from == g.bonds[b].to
}

/// One bond in, one bond out: both are the same bond.
fn pass_through(g: &mut BondGraph, n: usize, a: usize, b: usize) -> bool {
    let (x, y) = (g.bonds[a].clone(), g.bonds[b].clone());
    let through = (x.to == n && y.from == n) || (y.to == n && x.from == n);
    if !through || x.other(n) == y.other(n) {
        return false;
    }
    let (first, second) = if x.to == n { (x, y) } else { (y, x) };
    let (from, to) = (first.from, second.to);
    // Two elements keep a junction between them.
    if !g.nodes[from].kind.is_junction() && !g.nodes[to].kind.is_junction() {
        return false;
    }
    // Two-ports keep their port numbers.
    let port = first.port.max(second.port);
    g.bonds[a].removed = true;
    g.bonds[b].removed = true;
    g.nodes[n].removed = true;
    g.add_bond(from, to, port);
    true
}

fn merge(g: &mut BondGraph, keep: usize, gone: usize, bond: usize) {
    g.bonds[bond].removed = true;
    for b in g.bonds_of(gone) {
        g.move_end(b, gone, keep);
        g.bonds[b].removed |= is_loop(g, b);
    }
    g.nodes[gone].removed = true;
}
