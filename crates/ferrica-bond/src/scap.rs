//! Sequential causality assignment (SCAP, Karnopp and Rosenberg).
//!
//! Fixed causality of sources first, then preferred (integral) causality of storages, then arbitrary
//! causality of resistors; after each choice the constraints of junctions, transformers and gyrators
//! are propagated. Which storages can have integral causality at all is decided beforehand by
//! [`crate::independence`]; the others get derivative causality. What propagation leaves open inside meshes of
//! junctions is searched. Algebraic loops are the strong components of the resulting signals.

use crate::graph::{BondGraph, Kind, Stroke};
use crate::independence::{Dependence, Quantity, independence};
use crate::signals::{Function, functions, is_loop, strong_components};

/// Choices tried before the search for strokes inside a mesh is given up.
const BUDGET: usize = 100_000;

/// Why and with what result causality was assigned.
#[derive(Clone, Debug, Default)]
pub struct Causality {
    /// Storages with integral causality: the states.
    pub states: Vec<usize>,
    /// Storages with derivative causality, with what determines them.
    pub dependent: Vec<Dependence>,
    /// Algebraic loops: the elements in each.
    pub loops: Vec<Vec<usize>>,
    /// Sources whose value other sources determine already.
    pub conflicts: Vec<Dependence>,
    /// Resistors whose causality was free to choose.
    pub arbitrary: Vec<usize>,
    /// Nodes that no assignment of strokes satisfies.
    pub unsatisfied: Vec<usize>,
    pub functions: Vec<Function>,
}

impl Causality {
    pub fn is_dependent(&self, node: usize) -> bool {
        self.dependent.iter().any(|d| d.node == node)
    }
}

/// Assigns a stroke to every bond.
pub fn assign(g: &mut BondGraph) -> Causality {
    let mut out = Causality::default();
    let found = independence(g);
    for d in found.dependent {
        if g.nodes[d.node].kind.is_storage() {
            out.dependent.push(d);
        } else {
            out.conflicts.push(d);
        }
    }
    for kind in [Kind::Se, Kind::Sf, Kind::C, Kind::I] {
        for n in 0..g.nodes.len() {
            if g.nodes[n].removed || g.nodes[n].kind != kind {
                continue;
            }
            let dependent = kind.is_storage() && out.is_dependent(n);
            if kind.is_storage() && !dependent {
                out.states.push(n);
            }
            let effort = (Quantity::preferred(kind) == Some(Quantity::Effort)) != dependent;
            for b in g.bonds_of(n) {
                choose(g, b, imposing(g, b, n, effort));
            }
        }
    }
    for (n, imposed) in found.resistors {
        for b in g.bonds_of(n) {
            if g.bonds[b].stroke.is_none() {
                out.arbitrary.push(n);
                choose(g, b, imposing(g, b, n, imposed == Quantity::Effort));
            }
        }
    }
    let mut budget = BUDGET;
    search(g, 0, &mut budget);
    for n in 0..g.nodes.len() {
        if !g.nodes[n].removed && consequences(g, n).is_none() {
            out.unsatisfied.push(n);
        }
    }
    out.functions = functions(g);
    for group in strong_components(&out.functions, Function::is_direct) {
        if !is_loop(&out.functions, &group) {
            continue;
        }
        let mut elements: Vec<usize> = Vec::new();
        for f in group {
            let n = out.functions[f].node;
            if !g.nodes[n].kind.is_junction() && !elements.contains(&n) {
                elements.push(n);
            }
        }
        elements.sort_unstable();
        out.loops.push(elements);
    }
    out.loops.sort();
    out
}

/// The stroke with which a node imposes the effort (or the flow) on a bond.
fn imposing(g: &BondGraph, b: usize, node: usize, effort: bool) -> Stroke {
    end_at(g, b, if effort { g.bonds[b].other(node) } else { node })
}

fn end_at(g: &BondGraph, b: usize, node: usize) -> Stroke {
    if g.bonds[b].from == node {
        Stroke::From
    } else {
        Stroke::To
    }
}

/// Sets a stroke that is not set yet, and what follows from it; a contradiction stays where it shows.
fn choose(g: &mut BondGraph, b: usize, s: Stroke) {
    if g.bonds[b].stroke.is_none() {
        set(g, b, s, &mut Vec::new());
    }
}

/// Sets a stroke and everything that follows from it; the bonds set are added to the trail. False if a node is
/// contradicted.
fn set(g: &mut BondGraph, b: usize, s: Stroke, trail: &mut Vec<usize>) -> bool {
    g.bonds[b].stroke = Some(s);
    trail.push(b);
    let mut sound = true;
    let mut queue = vec![g.bonds[b].from, g.bonds[b].to];
    while let Some(n) = queue.pop() {
        let Some(list) = consequences(g, n) else {
            sound = false;
            continue;
        };
        for (b, s) in list {
            if g.bonds[b].stroke.is_none() {
                g.bonds[b].stroke = Some(s);
                trail.push(b);
                queue.push(g.bonds[b].other(n));
                queue.push(n);
            }
        }
    }
    sound
}

/// Completes the strokes from bond `first` on, by trial where propagation leaves a choice.
fn search(g: &mut BondGraph, first: usize, budget: &mut usize) -> bool {
    let open = |g: &BondGraph, from: usize| {
        (from..g.bonds.len()).find(|&b| !g.bonds[b].removed && g.bonds[b].stroke.is_none())
    };
    // Each choice: the bond, its trail, whether the second stroke was tried.
    let mut choices: Vec<(usize, Vec<usize>, bool)> = Vec::new();
    let mut at = first;
    while let Some(b) = open(g, at) {
        *budget = budget.saturating_sub(1);
        let mut trail = Vec::new();
        let mut sound = set(g, b, Stroke::To, &mut trail);
        choices.push((b, trail, false));
        while !sound && *budget > 0 {
            let Some((b, trail, second)) = choices.pop() else {
                return false;
            };
            for t in trail {
                g.bonds[t].stroke = None;
            }
            if second {
                continue;
            }
            let mut trail = Vec::new();
            sound = set(g, b, Stroke::From, &mut trail);
            choices.push((b, trail, true));
            *budget = budget.saturating_sub(1);
        }
        at = 0;
    }
    true
}

/// Strokes that the causality of the other bonds of a node leaves no choice for; `None` if they contradict
/// each other.
fn consequences(g: &BondGraph, n: usize) -> Option<Vec<(usize, Stroke)>> {
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
    match g.nodes[n].kind {
        Kind::Zero | Kind::One => {
            // The one bond that decides: into a 0-junction by effort, into a 1-junction by flow.
            let deciding = g.nodes[n].kind == Kind::Zero;
            let decided = known.iter().filter(|&&k| k == deciding).count();
            if decided > 1 || (decided == 0 && open.is_empty() && !bonds.is_empty()) {
                return None;
            }
            Some(if decided == 1 {
                open.iter()
                    .map(|&b| (b, if deciding { far(b) } else { near(b) }))
                    .collect()
            } else if let [last] = open.as_slice() {
                vec![(*last, if deciding { near(*last) } else { far(*last) })]
            } else {
                Vec::new()
            })
        }
        Kind::Tf | Kind::Gy => {
            let same = g.nodes[n].kind == Kind::Gy;
            match (known.as_slice(), open.as_slice()) {
                ([k], [b]) => Some(vec![(*b, if *k == same { near(*b) } else { far(*b) })]),
                ([a, b], []) if (a == b) != same => None,
                _ => Some(Vec::new()),
            }
        }
        _ => Some(Vec::new()),
    }
}
