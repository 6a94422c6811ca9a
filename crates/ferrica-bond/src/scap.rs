//! Sequential causality assignment (SCAP, Karnopp and Rosenberg).
//!
//! Fixed causality of sources first, then preferred (integral) causality of storages, then arbitrary
//! causality of resistors; after each choice the constraints of junctions, transformers and gyrators
//! are propagated. A storage that is forced into derivative causality depends on others; a resistor
//! whose causality had to be chosen closes an algebraic loop.

use crate::graph::{BondGraph, Kind, Stroke};

/// Why and with what result causality was assigned.
#[derive(Clone, Debug, Default)]
pub struct Causality {
    /// Storages with integral causality: the states.
    pub states: Vec<usize>,
    /// Storages with derivative causality, with the elements that force them.
    pub dependent: Vec<(usize, Vec<usize>)>,
    /// Algebraic loops: the elements whose causality follows from one arbitrary choice.
    pub loops: Vec<Vec<usize>>,
    /// Nodes where causality contradicts itself, with the sources involved.
    pub conflicts: Vec<(usize, Vec<usize>)>,
}

/// Assigns a stroke to every bond.
pub fn assign(g: &mut BondGraph) -> Causality {
    let mut out = Causality::default();
    let mut forced_by: Vec<Option<usize>> = vec![None; g.bonds.len()];
    for kind in [Kind::Se, Kind::Sf] {
        for n in 0..g.nodes.len() {
            if g.nodes[n].removed || g.nodes[n].kind != kind {
                continue;
            }
            for b in g.bonds_of(n) {
                // Se gives effort: the stroke is at the far end.
                let far = kind == Kind::Se;
                let wanted = end_at(g, b, if far { g.bonds[b].other(n) } else { n });
                if g.bonds[b].stroke.is_none() {
                    set(g, b, wanted, n, &mut forced_by, &mut out);
                } else if g.bonds[b].stroke != Some(wanted) {
                    let other = forced_by[b].into_iter().chain([n]).collect();
                    out.conflicts.push((g.bonds[b].other(n), other));
                }
            }
        }
    }
    for kind in [Kind::C, Kind::I] {
        for n in 0..g.nodes.len() {
            if g.nodes[n].removed || g.nodes[n].kind != kind {
                continue;
            }
            let Some(&b) = g.bonds_of(n).first() else {
                continue;
            };
            let wanted = end_at(
                g,
                b,
                if kind == Kind::C {
                    g.bonds[b].other(n)
                } else {
                    n
                },
            );
            match g.bonds[b].stroke {
                None => {
                    set(g, b, wanted, n, &mut forced_by, &mut out);
                    out.states.push(n);
                }
                Some(s) if s == wanted => out.states.push(n),
                Some(_) => {
                    let causes = causes(g, b, n, &forced_by);
                    out.dependent.push((n, causes));
                }
            }
        }
    }
    for n in 0..g.nodes.len() {
        if g.nodes[n].removed || g.nodes[n].kind != Kind::R {
            continue;
        }
        let Some(&b) = g.bonds_of(n).first() else {
            continue;
        };
        if g.bonds[b].stroke.is_none() {
            let wanted = end_at(g, b, n);
            let before: Vec<bool> = g.bonds.iter().map(|b| b.stroke.is_some()).collect();
            set(g, b, wanted, n, &mut forced_by, &mut out);
            out.loops.push(reached(g, &before));
        }
    }
    for b in 0..g.bonds.len() {
        if !g.bonds[b].removed && g.bonds[b].stroke.is_none() {
            let before: Vec<bool> = g.bonds.iter().map(|b| b.stroke.is_some()).collect();
            let from = g.bonds[b].from;
            set(g, b, Stroke::To, from, &mut forced_by, &mut out);
            out.loops.push(reached(g, &before));
        }
    }
    // A storage may have lost its choice to a later propagation.
    let lost: Vec<usize> = out
        .states
        .iter()
        .copied()
        .filter(|&n| {
            let Some(&b) = g.bonds_of(n).first() else {
                return false;
            };
            let wanted = end_at(
                g,
                b,
                if g.nodes[n].kind == Kind::C {
                    g.bonds[b].other(n)
                } else {
                    n
                },
            );
            g.bonds[b].stroke != Some(wanted)
        })
        .collect();
    out.states.retain(|n| !lost.contains(n));
    out
}

fn end_at(g: &BondGraph, b: usize, node: usize) -> Stroke {
    if g.bonds[b].from == node {
        Stroke::From
    } else {
        Stroke::To
    }
}

fn reached(g: &BondGraph, before: &[bool]) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    for (k, b) in g.bonds.iter().enumerate() {
        if b.removed || before[k] || b.stroke.is_none() {
            continue;
        }
        for n in [b.from, b.to] {
            if !g.nodes[n].kind.is_junction() && !out.contains(&n) {
                out.push(n);
            }
        }
    }
    out
}

/// The elements whose choices led to the causality of a bond.
fn causes(g: &BondGraph, b: usize, me: usize, forced_by: &[Option<usize>]) -> Vec<usize> {
    let mut out = Vec::new();
    if let Some(n) = forced_by[b]
        && n != me
        && !g.nodes[n].kind.is_junction()
    {
        out.push(n);
    }
    out
}

/// Sets a stroke and everything that follows from it.
fn set(
    g: &mut BondGraph,
    b: usize,
    s: Stroke,
    why: usize,
    forced_by: &mut [Option<usize>],
    out: &mut Causality,
) {
    g.bonds[b].stroke = Some(s);
    forced_by[b] = Some(why);
    let mut queue = vec![g.bonds[b].from, g.bonds[b].to];
    while let Some(n) = queue.pop() {
        for (b, s) in consequences(g, n, why, out) {
            if g.bonds[b].stroke.is_none() {
                g.bonds[b].stroke = Some(s);
                forced_by[b] = Some(why);
                queue.push(g.bonds[b].other(n));
            }
        }
    }
}

/// Strokes that the causality of the other bonds of a node leaves no choice for.
fn consequences(g: &BondGraph, n: usize, why: usize, out: &mut Causality) -> Vec<(usize, Stroke)> {
    let bonds = g.bonds_of(n);
    let at_me = |b: usize| g.bonds[b].effort_into(n);
    let near = |b: usize| end_at(g, b, n);
    let far = |b: usize| end_at(g, b, g.bonds[b].other(n));
    let known: Vec<bool> = bonds.iter().filter_map(|&b| at_me(b)).collect();
    let open: Vec<usize> = bonds
        .iter()
        .copied()
        .filter(|&b| at_me(b).is_none())
        .collect();
    let conflict = |out: &mut Causality| {
        if !out.conflicts.iter().any(|c| c.0 == n) {
            out.conflicts.push((n, vec![why]));
        }
    };
    match g.nodes[n].kind {
        Kind::Zero | Kind::One => {
            // The one bond that decides: into a 0-junction by effort, into a 1-junction by flow.
            let deciding = g.nodes[n].kind == Kind::Zero;
            let decided = known.iter().filter(|&&k| k == deciding).count();
            if decided > 1 || (decided == 0 && open.is_empty() && !bonds.is_empty()) {
                conflict(out);
                return Vec::new();
            }
            if decided == 1 {
                open.iter()
                    .map(|&b| (b, if deciding { far(b) } else { near(b) }))
                    .collect()
            } else if let [last] = open.as_slice() {
                vec![(*last, if deciding { near(*last) } else { far(*last) })]
            } else {
                Vec::new()
            }
        }
        Kind::Tf | Kind::Gy => {
            let same = g.nodes[n].kind == Kind::Gy;
            match (known.as_slice(), open.as_slice()) {
                ([k], [b]) => vec![(*b, if *k == same { near(*b) } else { far(*b) })],
                ([a, b], []) if (a == b) != same => {
                    conflict(out);
                    Vec::new()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}
