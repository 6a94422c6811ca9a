//! Construction of the bond graph, in five steps that can be looked at one by one.
//!
//! First a junction for each connection node; second a junction for each element between two nodes,
//! with the element on it; third power directions; fourth the reference (ground) is taken away; fifth
//! simplification. In mechanics the variable common to a node is a flow, so the junctions there are the dual ones.

use ferrica_ir::flat::FlatModel;

use crate::extract::{Element, Network, extract};
use crate::graph::{BondGraph, Domain, Kind};
use crate::recognise::{Law, Recognised, recognise};
use crate::simplify::simplify;

/// A step of the construction, 1 to 5.
pub const LAST_STEP: u8 = 5;

/// The graph with what was learnt on the way.
pub struct Built {
    pub graph: BondGraph,
    pub network: Network,
    /// Nodes taken as reference because the model has no ground there.
    pub chosen_references: Vec<String>,
    pub grounds: Vec<String>,
    /// Components with power ports that are recognised as no element.
    pub multiports: Vec<String>,
}

pub fn build(flat: &FlatModel, step: u8) -> Built {
    let network = extract(flat);
    let mut b = Builder {
        flat,
        graph: BondGraph::default(),
        junctions: Vec::new(),
        floating: Vec::new(),
    };
    let mut grounded: Vec<bool> = vec![false; network.nodes.len()];
    let mut domains: Vec<Domain> = vec![Domain::Other; network.nodes.len()];
    for e in &network.elements {
        for p in &e.ports {
            domains[p.node] = p.domain;
        }
    }
    for (k, name) in network.nodes.iter().enumerate() {
        let kind = if domains[k].common_is_flow() {
            Kind::One
        } else {
            Kind::Zero
        };
        let j = b.graph.add_node(kind, name, domains[k]);
        b.junctions.push(j);
    }
    let mut grounds = Vec::new();
    let mut multiports = Vec::new();
    if step >= 2 {
        for e in &network.elements {
            let found = recognise(flat, e);
            let name = flat.components[e.component as usize].path.clone();
            match &found.what {
                Recognised::Ground => {
                    grounded[e.ports[0].node] = true;
                    grounds.push(name);
                    if step < 4 {
                        let n = b.graph.add_node(
                            Kind::Se,
                            flat.components[e.component as usize].path.clone(),
                            e.ports[0].domain,
                        );
                        b.graph.nodes[n].value = Some(0.0);
                        b.graph.add_bond(n, b.junctions[e.ports[0].node], 0);
                    }
                }
                Recognised::Multiport => {
                    multiports.push(name);
                    b.multiport(e);
                }
                what => b.element(e, what, found.modulated, found.nonlinear),
            }
        }
    }
    let mut chosen_references = Vec::new();
    if step >= 4 {
        chosen_references = b.choose_references(&network, &mut grounded);
        for (k, is_reference) in grounded.iter().enumerate() {
            if *is_reference {
                b.remove_node(b.junctions[k]);
            }
        }
    }
    if step >= 5 {
        simplify(&mut b.graph);
    }
    b.graph.compact();
    Built {
        graph: b.graph,
        network,
        chosen_references,
        grounds,
        multiports,
    }
}

struct Builder<'a> {
    flat: &'a FlatModel,
    graph: BondGraph,
    junctions: Vec<usize>,
    /// Node pairs of elements between two nodes, for the choice of a reference.
    floating: Vec<(usize, usize)>,
}

impl Builder<'_> {
    fn element(&mut self, e: &Element, what: &Recognised, modulated: bool, nonlinear: bool) {
        let first = self.graph.nodes.len();
        match what {
            Recognised::OnePort { laws, series } => {
                let domain = e.ports[0].domain;
                let a = self.junctions[e.ports[0].node];
                let at = if let Some(p) = e.ports.get(1) {
                    let b = self.junctions[p.node];
                    self.floating.push((e.ports[0].node, p.node));
                    let kind = if domain.common_is_flow() {
                        Kind::Zero
                    } else {
                        Kind::One
                    };
                    let name = self.flat.components[e.component as usize].path.clone();
                    let j = self.graph.add_node(kind, name, domain);
                    // Power comes out of a source at its first port and goes into the others there.
                    let source = laws.iter().all(|l| matches!(l.kind, Kind::Se | Kind::Sf));
                    let (first, second) = if source { (b, a) } else { (a, b) };
                    self.graph.add_bond(first, j, 0);
                    self.graph.add_bond(j, second, 0);
                    j
                } else {
                    a
                };
                self.attach(e, at, laws, *series);
            }
            Recognised::Rigid { laws, series } => {
                let a = self.junctions[e.ports[0].node];
                for p in &e.ports[1..] {
                    let b = self.junctions[p.node];
                    self.graph.add_bond(a, b, 0);
                }
                self.attach(e, a, laws, *series);
            }
            Recognised::TwoPort { kind, ratio, sides } => {
                let name = self.flat.components[e.component as usize].path.clone();
                let t = self.graph.add_node(*kind, name.clone(), e.ports[0].domain);
                self.graph.nodes[t].value = Some(*ratio);
                self.graph.nodes[t].component = Some(e.component);
                let sides = sides.map(|(x, y)| {
                    let p = &e.ports[x];
                    let a = self.junctions[p.node];
                    let Some(q) = y.map(|y| &e.ports[y]) else {
                        return a;
                    };
                    self.floating.push((p.node, q.node));
                    let kind = if p.domain.common_is_flow() {
                        Kind::Zero
                    } else {
                        Kind::One
                    };
                    let j = self.graph.add_node(kind, format!("{name} side"), p.domain);
                    let b = self.junctions[q.node];
                    self.graph.add_bond(a, j, 0);
                    self.graph.add_bond(j, b, 0);
                    j
                });
                self.graph.add_bond(sides[0], t, 0);
                self.graph.add_bond(t, sides[1], 1);
            }
            Recognised::OneJunction { signs } => {
                let name = self.flat.components[e.component as usize].path.clone();
                let j = self.graph.add_node(Kind::One, name, e.ports[0].domain);
                for (p, s) in e.ports.iter().zip(signs) {
                    let n = self.junctions[p.node];
                    if *s > 0.0 {
                        self.graph.add_bond(n, j, 0);
                    } else {
                        self.graph.add_bond(j, n, 0);
                    }
                }
            }
            Recognised::Ground | Recognised::Multiport => {}
        }
        for n in &mut self.graph.nodes[first..] {
            if !n.kind.is_junction() {
                n.modulated = modulated;
                n.nonlinear = nonlinear;
            }
        }
    }

    fn attach(&mut self, e: &Element, at: usize, laws: &[Law], series: bool) {
        let name = self.flat.components[e.component as usize].path.clone();
        let domain = e.ports[0].domain;
        let shared = if series { Kind::One } else { Kind::Zero };
        let at = if laws.len() > 1 && self.graph.nodes[at].kind != shared {
            let j = self.graph.add_node(shared, name.clone(), domain);
            self.graph.add_bond(at, j, 0);
            j
        } else {
            at
        };
        for law in laws {
            let label = if laws.len() > 1 {
                format!("{name} ({})", law.kind.symbol())
            } else {
                name.clone()
            };
            let n = self.graph.add_node(law.kind, label, domain);
            self.graph.nodes[n].value = law.value;
            self.graph.nodes[n].component = Some(e.component);
            // Sources give power, the others take it.
            if matches!(law.kind, Kind::Se | Kind::Sf) {
                self.graph.add_bond(n, at, 0);
            } else {
                self.graph.add_bond(at, n, 0);
            }
        }
    }

    fn multiport(&mut self, e: &Element) {
        let c = &self.flat.components[e.component as usize];
        let n = self
            .graph
            .add_node(Kind::Multiport, c.path.clone(), e.ports[0].domain);
        self.graph.nodes[n].class.clone_from(&c.class);
        self.graph.nodes[n].component = Some(e.component);
        for (k, p) in e.ports.iter().enumerate() {
            let j = self.junctions[p.node];
            self.graph.add_bond(j, n, k.min(255) as u8);
        }
    }

    /// A part of the network that has elements between nodes but no ground takes the node with the
    /// most bonds as reference.
    fn choose_references(&mut self, network: &Network, grounded: &mut [bool]) -> Vec<String> {
        let n = network.nodes.len();
        let mut part: Vec<usize> = (0..n).collect();
        fn find(part: &mut [usize], mut k: usize) -> usize {
            while part[k] != k {
                part[k] = part[part[k]];
                k = part[k];
            }
            k
        }
        for &(a, b) in &self.floating {
            let (x, y) = (find(&mut part, a), find(&mut part, b));
            part[x.max(y)] = x.min(y);
        }
        // Rigid connections join parts as well.
        for b in self.graph.bonds.clone() {
            let side = |k: usize| self.junctions.iter().position(|&j| j == k);
            if let (Some(x), Some(y)) = (side(b.from), side(b.to)) {
                let (x, y) = (find(&mut part, x), find(&mut part, y));
                part[x.max(y)] = x.min(y);
            }
        }
        let mut has_ground = vec![false; n];
        let mut is_floating = vec![false; n];
        for (k, is_ground) in grounded.iter().enumerate() {
            let root = find(&mut part, k);
            has_ground[root] |= is_ground;
        }
        for &(a, _) in &self.floating {
            let root = find(&mut part, a);
            is_floating[root] = true;
        }
        let mut names = Vec::new();
        for root in 0..n {
            if find(&mut part, root) != root || has_ground[root] || !is_floating[root] {
                continue;
            }
            let best = (0..n)
                .filter(|&k| find(&mut part.clone(), k) == root)
                .max_by_key(|&k| {
                    (
                        self.graph.bonds_of(self.junctions[k]).len(),
                        std::cmp::Reverse(k),
                    )
                });
            if let Some(k) = best {
                grounded[k] = true;
                names.push(network.nodes[k].clone());
            }
        }
        names
    }

    fn remove_node(&mut self, n: usize) {
        for b in self.graph.bonds_of(n) {
            self.graph.bonds[b].removed = true;
        }
        self.graph.nodes[n].removed = true;
    }
}
