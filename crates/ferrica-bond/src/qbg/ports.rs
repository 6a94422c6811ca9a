//! Efforts and flows of bonds as quantities of the model.
//!
//! An element between two ports: effort is V₀ - V₁ and flow F₀, for potentials V and flows F into the component;
//! where the potential is a position, flow is the rate of V₀ - V₁ and effort F₀. Sources give power, so what flows into them
//! counts negative.

use ferrica_ir::flat::FlatModel;
use rustc_hash::FxHashSet;

use crate::build::Built;
use crate::dual::Moving;
use crate::extract::{Element, Port};
use crate::graph::BondGraph;
use crate::independence::Quantity;
use crate::recognise::Recognised;
use crate::steps::{Plan, Values, plan};

/// One side of an element: a port, and the port it is counted against.
#[derive(Clone, Copy, Debug)]
pub struct Side<'e> {
    pub port: &'e Port,
    pub against: Option<&'e Port>,
    /// -1 where power is counted out of the component.
    pub sign: f64,
}

impl<'e> Side<'e> {
    /// The side of an element with one bond.
    pub fn of_one_port(element: &'e Element, source: bool) -> Side<'e> {
        Side {
            port: &element.ports[0],
            against: element.ports.get(1),
            sign: if source { -1.0 } else { 1.0 },
        }
    }

    fn across(&self, port: &Port) -> Moving {
        if self.port.domain.common_is_flow() {
            Moving::Rate(port.potential)
        } else {
            Moving::Value(port.potential)
        }
    }

    /// Is this quantity the difference of potentials (or of their rates)?
    pub fn is_across(&self, q: Quantity) -> bool {
        (q == Quantity::Effort) != self.port.domain.common_is_flow()
    }

    /// The quantity and its sign, with the other port at rest.
    pub fn quantity(&self, q: Quantity) -> (Moving, f64) {
        if self.is_across(q) {
            (self.across(self.port), 1.0)
        } else {
            (Moving::Value(self.port.flow), self.sign)
        }
    }

    /// The quantity that the first one is counted against.
    pub fn reference(&self, q: Quantity) -> Option<Moving> {
        let against = self.against?;
        self.is_across(q).then(|| self.across(against))
    }

    /// Value of the quantity where everything is known.
    pub fn value(&self, q: Quantity, at: &Values) -> f64 {
        let (own, sign) = self.quantity(q);
        sign * at.get(own) - self.reference(q).map_or(0.0, |r| at.get(r))
    }
}

/// The bond of a node with one.
pub fn bond_of(g: &BondGraph, n: usize) -> Option<usize> {
    match g.bonds_of(n).as_slice() {
        [b] => Some(*b),
        _ => None,
    }
}

/// Nodes of the graph that stand for parts of each element.
pub fn nodes_by_element(built: &Built) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); built.network.elements.len()];
    for (n, node) in built.graph.nodes.iter().enumerate() {
        if let Some(e) = node.element {
            out[e].push(n);
        }
    }
    out
}

/// Do the laws of an element share the flow?
pub fn shares_flow(what: &Recognised) -> bool {
    match what {
        Recognised::OnePort { series, .. } | Recognised::Rigid { series, .. } => *series,
        _ => true,
    }
}

pub fn is_rigid(what: &Recognised) -> bool {
    matches!(what, Recognised::Rigid { .. })
}

/// Fills in the rates of port variables from values that are all known.
pub fn complete_rates(flat: &FlatModel, element: &Element, at: &mut Values) {
    rates_plan(flat, element, at).run(flat, &[], at);
}

/// How the rates of port variables follow from values that are all known. Where only their difference does, as in a spring
/// with a damper, the second port is at rest.
pub fn rates_plan(flat: &FlatModel, element: &Element, at: &mut Values) -> Plan {
    let mut known: FxHashSet<Moving> = FxHashSet::default();
    for &k in &element.equations {
        let e = &flat.equations[k];
        flat.exprs.postorder(&[e.lhs, e.rhs], |id| {
            if let ferrica_ir::Expr::Var(v) = flat.exprs.get(id) {
                known.insert(Moving::Value(v));
            }
        });
    }
    let found = plan(flat, &element.equations, &[], known.clone(), at);
    let [a, b] = &element.ports[..] else {
        return found;
    };
    let rate = |p: &Port| Moving::Rate(p.potential);
    if !a.domain.common_is_flow() || found.determines(rate(a)) || found.determines(rate(b)) {
        return found;
    }
    known.insert(rate(b));
    at.set(rate(b), 0.0);
    plan(flat, &element.equations, &[], known, at)
}
