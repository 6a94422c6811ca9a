//! Signals between elements and blocks, as active bonds.
//!
//! Variables that a connection makes equal and that carry no power form a signal. The component that
//! defines one of them by an equation of its own drives the signal; the others listen to it. A component
//! without power ports becomes a node of its own, a block.

use ferrica_ir::flat::{ConnectorRole, FlatModel, Origin};
use ferrica_ir::{Expr, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::extract::Network;
use crate::graph::{ActiveBond, BondGraph, Domain, Kind};

/// A signal: who drives it, who listens.
struct Signal {
    driver: u32,
    listeners: Vec<u32>,
}

/// Adds blocks and active bonds that belong to the elements of the graph.
pub fn add_signals(flat: &FlatModel, network: &Network, graph: &mut BondGraph) {
    let mut node_of: FxHashMap<u32, usize> = FxHashMap::default();
    for (n, node) in graph.nodes.iter().enumerate() {
        if let Some(e) = node.element {
            node_of.entry(network.elements[e].component).or_insert(n);
        }
    }
    let elements: FxHashSet<u32> = node_of.keys().copied().collect();
    let mut signals = signals(flat, network, &elements);
    // Only what leads to or from an element, directly or through other blocks.
    let mut wanted = elements;
    let mut changed = true;
    while changed {
        changed = false;
        for s in &signals {
            let any = wanted.contains(&s.driver) || s.listeners.iter().any(|l| wanted.contains(l));
            if any {
                for c in s.listeners.iter().chain([&s.driver]) {
                    changed |= wanted.insert(*c);
                }
            }
        }
    }
    signals.retain(|s| wanted.contains(&s.driver));
    for s in signals {
        let mut node = |c: u32| {
            *node_of.entry(c).or_insert_with(|| {
                let component = &flat.components[c as usize];
                let n = graph.add_node(Kind::Block, &component.path, Domain::Other);
                graph.nodes[n].class = component.class.to_string();
                n
            })
        };
        let from = node(s.driver);
        let ends: Vec<usize> = s.listeners.iter().map(|&l| node(l)).collect();
        for to in ends {
            let bond = ActiveBond { from, to };
            if from != to && !graph.active.contains(&bond) {
                graph.active.push(bond);
            }
        }
    }
}

fn signals(flat: &FlatModel, network: &Network, elements: &FxHashSet<u32>) -> Vec<Signal> {
    let power: FxHashSet<VarId> = network
        .elements
        .iter()
        .flat_map(|e| e.ports.iter().flat_map(|p| [p.potential, p.flow]))
        .collect();
    let is_signal = |v: VarId| !power.contains(&v) && flat.vars[v].role == ConnectorRole::Potential;
    let mut parent: FxHashMap<VarId, VarId> = FxHashMap::default();
    fn find(parent: &FxHashMap<VarId, VarId>, mut v: VarId) -> VarId {
        while let Some(&up) = parent.get(&v) {
            if up == v {
                break;
            }
            v = up;
        }
        v
    }
    let mut members: Vec<VarId> = Vec::new();
    let mut defined: FxHashSet<VarId> = FxHashSet::default();
    for e in &flat.equations {
        let (Expr::Var(a), right) = (flat.exprs.get(e.lhs), flat.exprs.get(e.rhs)) else {
            continue;
        };
        match (e.origin, right) {
            (Origin::Connection, Expr::Var(b)) if is_signal(a) && is_signal(b) => {
                for v in [a, b] {
                    if let std::collections::hash_map::Entry::Vacant(entry) = parent.entry(v) {
                        entry.insert(v);
                        members.push(v);
                    }
                }
                let (x, y) = (find(&parent, a), find(&parent, b));
                parent.insert(x.max(y), x.min(y));
            }
            (Origin::Connection | Origin::Unconnected, _) => {}
            _ => {
                defined.insert(a);
            }
        }
    }
    let paths: FxHashMap<&str, u32> = (0u32..)
        .zip(&flat.components)
        .map(|(k, c)| (c.path.as_str(), k))
        .collect();
    let owner = |v: VarId| owner(flat, v, elements, &paths);
    let mut sets: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    for &v in &members {
        sets.entry(find(&parent, v)).or_default().push(v);
    }
    let mut out = Vec::new();
    for v in members {
        let Some(set) = sets.remove(&v) else { continue };
        let Some(driver) = set
            .iter()
            .find(|v| defined.contains(v))
            .and_then(|&v| owner(v))
        else {
            continue;
        };
        let mut listeners: Vec<u32> = Vec::new();
        for &w in &set {
            if let Some(c) = owner(w)
                && c != driver
                && !listeners.contains(&c)
            {
                listeners.push(c);
            }
        }
        if !listeners.is_empty() {
            out.push(Signal { driver, listeners });
        }
    }
    out
}

/// The component that a variable stands in; the element if that is inside one.
fn owner(
    flat: &FlatModel,
    v: VarId,
    elements: &FxHashSet<u32>,
    paths: &FxHashMap<&str, u32>,
) -> Option<u32> {
    let name = &flat.vars[v].name;
    let mut at = *paths.get(&name[..name.rfind('.')?])?;
    let direct = at;
    loop {
        if elements.contains(&at) {
            return Some(at);
        }
        let up = flat.components[at as usize].parent;
        if up == at {
            return (direct != 0).then_some(direct);
        }
        at = up;
    }
}
