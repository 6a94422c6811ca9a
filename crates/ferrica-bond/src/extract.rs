//! Power ports, connection nodes and elements of a flat model.
//!
//! A connector with one potential and one flow variable is a power port. Connected connectors form
//! a node. A component that owns power ports and is not just a box around other components is an
//! element; its equations are those of the component itself and of the signal blocks inside it.

use ferrica_ir::flat::{FlatModel, Origin};
use ferrica_ir::{Expr, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::Domain;

#[derive(Clone, Debug)]
pub struct Port {
    /// Index into `FlatModel::components` of the connector.
    pub connector: u32,
    pub potential: VarId,
    pub flow: VarId,
    pub domain: Domain,
    /// Index into [`Network::nodes`].
    pub node: usize,
}

/// A component with power ports.
#[derive(Clone, Debug)]
pub struct Element {
    pub component: u32,
    pub ports: Vec<Port>,
    /// Indices into `FlatModel::equations`.
    pub equations: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Network {
    pub elements: Vec<Element>,
    /// Name of each node: a connector in it.
    pub nodes: Vec<String>,
    /// Connectors that carry no power or several quantities at once (not part of the graph).
    pub skipped: Vec<String>,
}

pub fn extract(flat: &FlatModel) -> Network {
    let mut network = Network::default();
    let mut parent: Vec<usize> = (0..flat.components.len()).collect();
    fn find(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    // A connector that is connected inside its own component only passes through.
    let mut passes: FxHashSet<u32> = FxHashSet::default();
    for c in &flat.connections {
        let (a, b) = (
            find(&mut parent, c.a as usize),
            find(&mut parent, c.b as usize),
        );
        if a != b {
            parent[a.max(b)] = a.min(b);
        }
        for end in [c.a, c.b] {
            if owner_of(flat, end) == c.component {
                passes.insert(end);
            }
        }
    }
    let mut node_of: FxHashMap<usize, usize> = FxHashMap::default();
    let mut element_of: FxHashMap<u32, usize> = FxHashMap::default();
    for c in &flat.connectors {
        let (Some(&potential), Some(&flow)) = (c.potentials.first(), c.flows.first()) else {
            continue;
        };
        let path = &flat.components[c.component as usize].path;
        if c.potentials.len() != 1 || c.flows.len() != 1 {
            network.skipped.push(path.clone());
            continue;
        }
        if passes.contains(&c.component) {
            continue;
        }
        let owner = owner_of(flat, c.component);
        if owner == 0 {
            continue;
        }
        let root = find(&mut parent, c.component as usize);
        let node = *node_of.entry(root).or_insert_with(|| {
            network.nodes.push(path.clone());
            network.nodes.len() - 1
        });
        let element = *element_of.entry(owner).or_insert_with(|| {
            network.elements.push(Element {
                component: owner,
                ports: Vec::new(),
                equations: Vec::new(),
            });
            network.elements.len() - 1
        });
        let domain = domain_of(flat, potential, flow);
        network.elements[element].ports.push(Port {
            connector: c.component,
            potential,
            flow,
            domain,
            node,
        });
    }
    absorb_inner_elements(flat, &mut network, &mut element_of);
    for (k, e) in flat.equations.iter().enumerate() {
        if matches!(e.origin, Origin::Connection | Origin::Unconnected) && e.component == 0 {
            continue;
        }
        let mut at = e.component;
        loop {
            if let Some(&element) = element_of.get(&at) {
                // An unconnected flow is no law of the element that has it.
                if e.origin != Origin::Unconnected {
                    network.elements[element].equations.push(k);
                }
                break;
            }
            let up = flat.components[at as usize].parent;
            if up == at {
                break;
            }
            at = up;
        }
    }
    network
}

/// A component with power ports inside another element (the fixed support in a motor, say) is a part of
/// that element.
fn absorb_inner_elements(
    flat: &FlatModel,
    network: &mut Network,
    element_of: &mut FxHashMap<u32, usize>,
) {
    let owners: FxHashSet<u32> = element_of.keys().copied().collect();
    let is_inner = |component: u32| {
        let mut at = component;
        loop {
            let up = flat.components[at as usize].parent;
            if up == at {
                return false;
            }
            if owners.contains(&up) {
                return true;
            }
            at = up;
        }
    };
    network.elements.retain(|e| !is_inner(e.component));
    element_of.clear();
    for (k, e) in network.elements.iter().enumerate() {
        element_of.insert(e.component, k);
    }
}

/// The component that a connector belongs to, connectors inside connectors seen through.
fn owner_of(flat: &FlatModel, connector: u32) -> u32 {
    let mut at = flat.components[connector as usize].parent;
    while flat.components[at as usize].is_connector {
        at = flat.components[at as usize].parent;
    }
    at
}

fn domain_of(flat: &FlatModel, potential: VarId, flow: VarId) -> Domain {
    let (p, f) = (&flat.vars[potential], &flat.vars[flow]);
    match (p.unit.as_str(), f.unit.as_str()) {
        ("V", "A") => Domain::Electrical,
        ("A", "Wb") => Domain::Magnetic,
        ("m", "N") => Domain::Translational,
        ("rad", "N.m") => Domain::Rotational,
        ("K", "W") => Domain::Thermal,
        ("Pa", "m3/s") | ("Pa", "kg/s") => Domain::Hydraulic,
        ("", "") if p.name.ends_with(".e") && f.name.ends_with(".f") => Domain::Bond,
        ("", "") if p.name.ends_with(".v") && f.name.ends_with(".i") => Domain::Electrical,
        _ => Domain::Other,
    }
}

/// Variables of an element's equations, without repetition, in order of appearance.
pub fn variables(flat: &FlatModel, equations: &[usize]) -> Vec<VarId> {
    let mut seen = FxHashSet::default();
    let mut out = Vec::new();
    for &k in equations {
        let e = &flat.equations[k];
        flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
            if let Expr::Var(v) | Expr::Der(v) = flat.exprs.get(id)
                && flat.vars[v].variability > ferrica_ir::flat::Variability::Parameter
                && seen.insert(v)
            {
                out.push(v);
            }
        });
    }
    out
}

/// Does an equation decide something discrete? `0 = a + b` does not, though zero is an Integer.
pub fn is_discrete(flat: &FlatModel, equation: usize) -> bool {
    let e = &flat.equations[equation];
    flat.exprs.ty(e.lhs).is_discrete() && flat.exprs.ty(e.rhs).is_discrete()
}
