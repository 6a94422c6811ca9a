//! The bond graph.
//!
//! Nodes are elements and junctions, bonds carry an effort and a flow. The half arrow of a bond
//! points at `to`: power counts positive from `from` to `to`. The causal stroke stands at the end
//! that effort is imposed on; the element at the other end computes that effort.

use std::fmt;

/// A node: element or junction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Kind {
    R,
    C,
    I,
    Se,
    Sf,
    Tf,
    Gy,
    /// Common effort.
    Zero,
    /// Common flow.
    One,
    /// Fits no element: shown by the name of its class.
    Multiport,
    /// A block that only carries signals; active bonds lead to and from it.
    Block,
}

impl Kind {
    pub fn symbol(self) -> &'static str {
        match self {
            Kind::R => "R",
            Kind::C => "C",
            Kind::I => "I",
            Kind::Se => "Se",
            Kind::Sf => "Sf",
            Kind::Tf => "TF",
            Kind::Gy => "GY",
            Kind::Zero => "0",
            Kind::One => "1",
            Kind::Multiport => "MP",
            Kind::Block => "block",
        }
    }

    pub fn is_junction(self) -> bool {
        matches!(self, Kind::Zero | Kind::One)
    }

    pub fn is_source(self) -> bool {
        matches!(self, Kind::Se | Kind::Sf)
    }

    pub fn is_storage(self) -> bool {
        matches!(self, Kind::C | Kind::I)
    }
}

/// Physical domain of a port.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Domain {
    Electrical,
    Magnetic,
    Translational,
    Rotational,
    Hydraulic,
    /// Pseudo bonds: temperature and heat flow, whose product is not a power.
    Thermal,
    /// Bonds written as such.
    Bond,
    Other,
}

impl Domain {
    /// In mechanics the variable that is equal in a connection is the flow (velocity), in the other
    /// domains it is the effort.
    pub fn common_is_flow(self) -> bool {
        matches!(self, Domain::Translational | Domain::Rotational)
    }

    pub fn name(self) -> &'static str {
        match self {
            Domain::Electrical => "electrical",
            Domain::Magnetic => "magnetic",
            Domain::Translational => "translational",
            Domain::Rotational => "rotational",
            Domain::Hydraulic => "hydraulic",
            Domain::Thermal => "thermal (pseudo bonds)",
            Domain::Bond => "bond",
            Domain::Other => "other",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    /// Component path of an element; node name of a junction.
    pub name: String,
    /// R, L, C, ratio or source value, where it is a number.
    pub value: Option<f64>,
    /// A controlled (active) element: an input signal changes it.
    pub modulated: bool,
    /// A source of nothing: it measures the effort (an Sf) or the flow (an Se).
    pub detects: bool,
    /// Of a source that others control: detectors, and the weights of what they are given.
    pub control: Vec<(usize, f64)>,
    pub nonlinear: bool,
    pub domain: Domain,
    /// Class of the component, for multiports and signal blocks.
    pub class: String,
    /// Index into `Network::elements`; none for junctions and signal blocks.
    pub element: Option<usize>,
    /// Removed by a construction step.
    pub removed: bool,
}

impl Node {
    pub fn symbol(&self) -> &'static str {
        match (self.kind, self.detects) {
            (Kind::Sf, true) => "De",
            (Kind::Se, true) => "Df",
            (kind, _) => kind.symbol(),
        }
    }

    /// A source whose value follows from other bonds, or is nothing: no function of time.
    pub fn is_controlled(&self) -> bool {
        self.detects && self.value == Some(0.0) || !self.control.is_empty()
    }
}

/// Which end of a bond has the causal stroke.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    From,
    To,
}

#[derive(Clone, Debug)]
pub struct Bond {
    pub from: usize,
    pub to: usize,
    pub stroke: Option<Stroke>,
    pub removed: bool,
    /// The half arrow is assigned.
    pub directed: bool,
    /// Port number at a two-port element (0 or 1), 0 otherwise.
    pub port: u8,
}

impl Bond {
    pub fn other(&self, node: usize) -> usize {
        if self.from == node {
            self.to
        } else {
            self.from
        }
    }

    /// Is effort imposed on `node` by this bond?
    pub fn effort_into(&self, node: usize) -> Option<bool> {
        self.stroke.map(|s| match s {
            Stroke::From => self.from == node,
            Stroke::To => self.to == node,
        })
    }
}

/// A signal: it tells a value and takes no power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveBond {
    pub from: usize,
    pub to: usize,
}

#[derive(Clone, Debug, Default)]
pub struct BondGraph {
    pub nodes: Vec<Node>,
    pub bonds: Vec<Bond>,
    pub active: Vec<ActiveBond>,
    /// Bonds that touch or have touched each node.
    incident: Vec<Vec<usize>>,
}

impl BondGraph {
    pub fn add_node(&mut self, kind: Kind, name: impl Into<String>, domain: Domain) -> usize {
        self.nodes.push(Node {
            kind,
            name: name.into(),
            value: None,
            modulated: false,
            detects: false,
            control: Vec::new(),
            nonlinear: false,
            domain,
            class: String::new(),
            element: None,
            removed: false,
        });
        self.incident.push(Vec::new());
        self.nodes.len() - 1
    }

    pub fn add_bond(&mut self, from: usize, to: usize, port: u8) -> usize {
        self.bonds.push(Bond {
            from,
            to,
            stroke: None,
            removed: false,
            directed: true,
            port,
        });
        let b = self.bonds.len() - 1;
        self.incident[from].push(b);
        if to != from {
            self.incident[to].push(b);
        }
        b
    }

    /// Moves the end of a bond from one node to another.
    pub fn move_end(&mut self, b: usize, old: usize, new: usize) {
        let bond = &mut self.bonds[b];
        if bond.from == old {
            bond.from = new;
        }
        if bond.to == old {
            bond.to = new;
        }
        self.incident[new].push(b);
    }

    pub fn bonds_of(&self, node: usize) -> Vec<usize> {
        let mut list: Vec<usize> = self.incident[node]
            .iter()
            .copied()
            .filter(|&b| {
                !self.bonds[b].removed && (self.bonds[b].from == node || self.bonds[b].to == node)
            })
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    pub fn live_nodes(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.nodes.len()).filter(|&n| !self.nodes[n].removed)
    }

    /// Drops removed nodes and bonds and renumbers.
    pub fn compact(&mut self) {
        let mut map = vec![usize::MAX; self.nodes.len()];
        let mut nodes = Vec::new();
        for (k, n) in self.nodes.iter().enumerate() {
            if !n.removed {
                map[k] = nodes.len();
                nodes.push(n.clone());
            }
        }
        self.bonds.retain(|b| !b.removed);
        self.incident = vec![Vec::new(); nodes.len()];
        for (k, b) in self.bonds.iter_mut().enumerate() {
            b.from = map[b.from];
            b.to = map[b.to];
            self.incident[b.from].push(k);
            if b.to != b.from {
                self.incident[b.to].push(k);
            }
        }
        self.active.retain_mut(|a| {
            (a.from, a.to) = (map[a.from], map[a.to]);
            a.from != usize::MAX && a.to != usize::MAX
        });
        self.nodes = nodes;
        for n in &mut self.nodes {
            n.control.iter_mut().for_each(|(m, _)| *m = map[*m]);
        }
    }
}

/// One line a node and a bond: what snapshot tests compare.
impl fmt::Display for BondGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = |n: usize| {
            let node = &self.nodes[n];
            if node.kind.is_junction() {
                format!("{}({})", node.symbol(), node.name)
            } else {
                format!("{}:{}", node.symbol(), node.name)
            }
        };
        for b in self.bonds.iter().filter(|b| !b.removed) {
            let arrow = match b.stroke {
                _ if !b.directed => "---",
                None => "-->",
                Some(Stroke::To) => "-->|",
                Some(Stroke::From) => "|-->",
            };
            writeln!(f, "{} {arrow} {}", title(b.from), title(b.to))?;
        }
        for a in &self.active {
            writeln!(f, "{} ~~> {}", title(a.from), title(a.to))?;
        }
        for n in self.live_nodes() {
            let signal = |a: &ActiveBond| a.from == n || a.to == n;
            if self.bonds_of(n).is_empty() && !self.active.iter().any(signal) {
                writeln!(f, "{} (alone)", title(n))?;
            }
        }
        Ok(())
    }
}
