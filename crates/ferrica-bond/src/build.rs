//! Construction of the bond graph, in five steps that can be looked at one by one.
//!
//! First a junction for each connection node; second a junction for each element between two nodes,
//! with the element on it; third power directions; fourth the reference (ground) is taken away; fifth
//! simplification. In mechanics the variable common to a node is a flow, so the junctions there are the dual ones.

use ferrica_ir::flat::FlatModel;

use crate::active::add_signals;
use crate::extract::{Element, Network, extract};
use crate::graph::{ActiveBond, BondGraph, Domain, Kind};
use crate::recognise::{Law, Recognised, Recogniser, Recognition};
use crate::simplify::simplify;

/// A step of the construction, 1 to 5.
pub const LAST_STEP: u8 = 5;

/// The graph with what was learnt on the way.
pub struct Built {
    pub graph: BondGraph,
    pub network: Network,
    /// What each element of the network is, from step 2 on.
    pub recognised: Vec<Recognition>,
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
        joined: Vec::new(),
        anchored: Vec::new(),
        negative: Vec::new(),
    };
    let mut domains: Vec<Domain> = vec![Domain::Other; network.nodes.len()];
    for e in &network.elements {
        for p in &e.ports {
            domains[p.node] = p.domain;
        }
    }
    for (name, &domain) in network.nodes.iter().zip(&domains) {
        let j = b.graph.add_node(node_junction(domain), name, domain);
        b.junctions.push(j);
    }
    let mut built = Built {
        graph: BondGraph::default(),
        recognised: Vec::new(),
        chosen_references: Vec::new(),
        grounds: Vec::new(),
        multiports: Vec::new(),
        network,
    };
    let network = &built.network;
    let mut grounded: Vec<bool> = vec![false; network.nodes.len()];
    if step >= 2 {
        let mut recogniser = Recogniser::new(flat);
        let mut all: Vec<Recognition> = network
            .elements
            .iter()
            .map(|e| recogniser.recognise(e))
            .collect();
        orient(network, &mut all);
        for (k, (e, found)) in network.elements.iter().zip(all).enumerate() {
            let name = &flat.components[e.component as usize].path;
            match &found.what {
                Recognised::Ground => {
                    grounded[e.ports[0].node] = true;
                    built.grounds.push(name.clone());
                    if step < 4 {
                        let domain = e.ports[0].domain;
                        let kind = if domain.common_is_flow() {
                            Kind::Sf
                        } else {
                            Kind::Se
                        };
                        let n = b.graph.add_node(kind, name, domain);
                        b.graph.nodes[n].value = Some(0.0);
                        b.graph.nodes[n].element = Some(k);
                        b.graph.add_bond(n, b.junctions[e.ports[0].node], 0);
                    }
                }
                Recognised::Multiport => {
                    built.multiports.push(name.clone());
                    b.multiport(k, e);
                }
                _ => b.element(k, e, &found),
            }
            built.recognised.push(found);
        }
        add_signals(flat, network, &mut b.graph);
    }
    if step == 2 {
        b.forget_directions();
    }
    if step >= 4 {
        built.chosen_references = b.choose_references(network, &mut grounded);
        b.spread(&mut grounded);
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
    built.graph = b.graph;
    built
}

/// All signs of a junction may be turned at once: they are where that lets power flow out of sources and
/// into the other elements.
fn orient(network: &Network, all: &mut [Recognition]) {
    let mut at_node: Vec<Vec<(usize, usize)>> = vec![Vec::new(); network.nodes.len()];
    for (k, e) in network.elements.iter().enumerate() {
        for (p, port) in e.ports.iter().enumerate() {
            at_node[port.node].push((k, p));
        }
    }
    for k in 0..all.len() {
        let Recognised::Junction { signs } = &all[k].what else {
            continue;
        };
        let mut score = 0.0;
        for (port, sign) in network.elements[k].ports.iter().zip(signs) {
            let [a, b] = at_node[port.node].as_slice() else {
                continue;
            };
            let (other, p) = if a.0 == k { *b } else { *a };
            score += sign * wish(&all[other].what, p);
        }
        if score < 0.0
            && let Recognised::Junction { signs } = &mut all[k].what
        {
            signs.iter_mut().for_each(|s| *s = -*s);
        }
    }
}

/// 1 if power should flow out of a port of an element, -1 if into it.
fn wish(what: &Recognised, port: usize) -> f64 {
    match what {
        Recognised::OnePort { laws, .. } => {
            if laws.iter().all(|l| l.kind.is_source()) {
                1.0
            } else {
                -1.0
            }
        }
        Recognised::TwoPort { sides, .. } => {
            if sides[0].0 == port {
                -1.0
            } else {
                1.0
            }
        }
        _ => 0.0,
    }
}

/// Junction of the ports that are connected with each other.
fn node_junction(domain: Domain) -> Kind {
    if domain.common_is_flow() {
        Kind::One
    } else {
        Kind::Zero
    }
}

/// Junction of an element between two nodes.
fn element_junction(domain: Domain) -> Kind {
    if domain.common_is_flow() {
        Kind::Zero
    } else {
        Kind::One
    }
}

struct Builder<'a> {
    flat: &'a FlatModel,
    graph: BondGraph,
    junctions: Vec<usize>,
    /// Node pairs of elements between two nodes, for the choice of a reference.
    floating: Vec<(usize, usize)>,
    /// Node pairs that an element makes one.
    joined: Vec<(usize, usize)>,
    /// Nodes with an element that has its reference in itself (a mass, a tank, a fluid volume).
    anchored: Vec<usize>,
    /// Nodes at the negative port of a source.
    negative: Vec<usize>,
}

impl Builder<'_> {
    fn element(&mut self, index: usize, e: &Element, found: &Recognition) {
        let first = self.graph.nodes.len();
        match &found.what {
            Recognised::OnePort { laws, series } => {
                let domain = e.ports[0].domain;
                let a = self.junctions[e.ports[0].node];
                let at = if let Some(p) = e.ports.get(1) {
                    let b = self.junctions[p.node];
                    self.floating.push((e.ports[0].node, p.node));
                    let name = self.flat.components[e.component as usize].path.clone();
                    let j = self.graph.add_node(element_junction(domain), name, domain);
                    // Power comes out of a source at its first port and goes into the others there.
                    let source = laws.iter().all(|l| matches!(l.kind, Kind::Se | Kind::Sf));
                    let (first, second) = if source { (b, a) } else { (a, b) };
                    if source {
                        self.negative.push(p.node);
                    }
                    self.graph.add_bond(first, j, 0);
                    self.graph.add_bond(j, second, 0);
                    j
                } else {
                    self.anchored.push(e.ports[0].node);
                    a
                };
                self.attach(e, at, laws, *series);
            }
            Recognised::Rigid { laws, series } => {
                let a = self.junctions[e.ports[0].node];
                for p in &e.ports[1..] {
                    let b = self.junctions[p.node];
                    self.graph.add_bond(a, b, 0);
                    self.joined.push((e.ports[0].node, p.node));
                }
                if !laws.is_empty() {
                    self.anchored.push(e.ports[0].node);
                }
                self.attach(e, a, laws, *series);
            }
            Recognised::TwoPort {
                kind,
                modulus,
                sides,
            } => {
                let name = self.flat.components[e.component as usize].path.clone();
                let t = self.graph.add_node(*kind, name.clone(), e.ports[0].domain);
                self.graph.nodes[t].value = Some(*modulus);
                let mut second = false;
                let sides = sides.map(|(x, y)| {
                    // Power comes out of the second side as out of a source.
                    let out = std::mem::replace(&mut second, true);
                    let p = &e.ports[x];
                    let a = self.junctions[p.node];
                    let Some(q) = y.map(|y| &e.ports[y]) else {
                        self.anchored.push(p.node);
                        return a;
                    };
                    self.floating.push((p.node, q.node));
                    let kind = element_junction(p.domain);
                    let j = self.graph.add_node(kind, format!("{name} side"), p.domain);
                    let b = self.junctions[q.node];
                    let (from, to) = if out { (b, a) } else { (a, b) };
                    self.graph.add_bond(from, j, 0);
                    self.graph.add_bond(j, to, 0);
                    j
                });
                self.graph.add_bond(sides[0], t, 0);
                self.graph.add_bond(t, sides[1], 1);
            }
            Recognised::Controlled { sides } => {
                let name = self.flat.components[e.component as usize].path.clone();
                let mut nodes = Vec::new();
                for (k, c) in sides.iter().enumerate() {
                    let p = &e.ports[c.side.0];
                    let label = format!("{name} ({})", k + 1);
                    let a = self.junctions[p.node];
                    let at = match c.side.1.map(|q| &e.ports[q]) {
                        None => {
                            self.anchored.push(p.node);
                            a
                        }
                        Some(q) => {
                            self.floating.push((p.node, q.node));
                            let kind = element_junction(p.domain);
                            let j = self.graph.add_node(kind, label.clone(), p.domain);
                            self.graph.add_bond(self.junctions[q.node], j, 0);
                            self.graph.add_bond(j, a, 0);
                            j
                        }
                    };
                    let n = self.graph.add_node(c.kind, label, p.domain);
                    self.graph.add_bond(n, at, 0);
                    self.graph.nodes[n].detects = c.weights.is_empty();
                    self.graph.nodes[n].value = c.weights.is_empty().then_some(0.0);
                    nodes.push(n);
                }
                for (c, &n) in sides.iter().zip(&nodes) {
                    let control = c.weights.iter().map(|&(s, w)| (nodes[s], w));
                    self.graph.nodes[n].control = control.collect();
                    for &(s, _) in &c.weights {
                        let bond = ActiveBond {
                            from: nodes[s],
                            to: n,
                        };
                        self.graph.active.push(bond);
                    }
                }
            }
            Recognised::Junction { signs } => {
                let name = self.flat.components[e.component as usize].path.clone();
                let domain = e.ports[0].domain;
                let j = self.graph.add_node(element_junction(domain), name, domain);
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
                n.modulated = found.modulated;
                n.nonlinear = found.nonlinear;
                n.element = Some(index);
                n.detects |= found.detects;
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
            // Sources give power, the others take it.
            if matches!(law.kind, Kind::Se | Kind::Sf) {
                self.graph.add_bond(n, at, 0);
            } else {
                self.graph.add_bond(at, n, 0);
            }
        }
    }

    fn multiport(&mut self, index: usize, e: &Element) {
        let c = &self.flat.components[e.component as usize];
        let n = self
            .graph
            .add_node(Kind::Multiport, c.path.clone(), e.ports[0].domain);
        self.graph.nodes[n].class = c.class.to_string();
        self.graph.nodes[n].element = Some(index);
        for (k, p) in e.ports.iter().enumerate() {
            let j = self.junctions[p.node];
            self.graph.add_bond(j, n, k.min(255) as u8);
        }
    }

    /// A part of the network that has elements between nodes but no ground takes one of them as reference.
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
        for &(a, b) in &self.joined {
            let (x, y) = (find(&mut part, a), find(&mut part, b));
            part[x.max(y)] = x.min(y);
        }
        let mut has_ground = vec![false; n];
        let mut is_floating = vec![false; n];
        for (k, is_ground) in grounded.iter().enumerate() {
            let root = find(&mut part, k);
            has_ground[root] |= is_ground;
        }
        for &k in &self.anchored {
            let root = find(&mut part, k);
            has_ground[root] = true;
        }
        for &(a, _) in &self.floating {
            let root = find(&mut part, a);
            is_floating[root] = true;
        }
        // The negative side of a source, else the node with the most bonds, the first of several.
        let mut best: Vec<Option<(usize, usize)>> = vec![None; n];
        for k in 0..n {
            let root = find(&mut part, k);
            let mut bonds = self.graph.bonds_of(self.junctions[k]).len();
            if self.negative.contains(&k) {
                bonds += self.graph.bonds.len();
            }
            if best[root].is_none_or(|(most, _)| bonds > most) {
                best[root] = Some((bonds, k));
            }
        }
        let mut names = Vec::new();
        for root in 0..n {
            let Some((_, k)) = best[root] else { continue };
            if !has_ground[root] && is_floating[root] {
                grounded[k] = true;
                names.push(network.nodes[k].clone());
            }
        }
        names
    }

    /// What is rigidly joined to a reference is at reference.
    fn spread(&self, grounded: &mut [bool]) {
        let mut changed = true;
        while changed {
            changed = false;
            for &(a, b) in &self.joined {
                if grounded[a] != grounded[b] {
                    grounded[a] = true;
                    grounded[b] = true;
                    changed = true;
                }
            }
        }
    }

    /// Before directions are assigned every bond stands as its junction was made.
    fn forget_directions(&mut self) {
        for b in &mut self.graph.bonds {
            b.directed = false;
        }
    }

    fn remove_node(&mut self, n: usize) {
        for b in self.graph.bonds_of(n) {
            self.graph.bonds[b].removed = true;
        }
        self.graph.nodes[n].removed = true;
    }
}
