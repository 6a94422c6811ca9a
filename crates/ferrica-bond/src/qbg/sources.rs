//! Sources as functions of time.

use std::sync::Arc;

use ferrica_ir::VarId;
use ferrica_ir::flat::FlatModel;
use rustc_hash::{FxHashMap, FxHashSet};

use super::drive::Drive;
use super::memory::Memory;
use super::ports::{Side, is_rigid};
use crate::build::Built;
use crate::dual::Moving;
use crate::extract::variables;
use crate::independence::Quantity;
use crate::steps::{Values, plan};

/// Equations of signal blocks, by the variables in them: those of no element, without power variables.
#[derive(Clone, Debug, Default)]
pub struct SignalEquations(FxHashMap<VarId, Vec<usize>>);

impl SignalEquations {
    pub fn new(flat: &FlatModel, built: &Built) -> SignalEquations {
        let mut taken: FxHashSet<usize> = FxHashSet::default();
        let mut power: FxHashSet<VarId> = FxHashSet::default();
        for e in &built.network.elements {
            taken.extend(&e.equations);
            power.extend(e.ports.iter().flat_map(|p| [p.potential, p.flow]));
        }
        let mut map: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
        for k in (0..flat.equations.len()).filter(|k| !taken.contains(k)) {
            let vars = variables(flat, &[k]);
            if vars.iter().any(|v| power.contains(v)) {
                continue;
            }
            for v in vars {
                map.entry(v).or_default().push(k);
            }
        }
        SignalEquations(map)
    }

    /// The given equations and all that lead to their variables.
    pub fn closure(&self, flat: &FlatModel, first: &[usize]) -> Vec<usize> {
        let mut out = first.to_vec();
        let mut seen: FxHashSet<usize> = out.iter().copied().collect();
        let mut at = 0;
        while at < out.len() {
            for v in variables(flat, &[out[at]]) {
                for &k in self.0.get(&v).into_iter().flatten() {
                    if seen.insert(k) {
                        out.push(k);
                    }
                }
            }
            at += 1;
        }
        out
    }

    /// The equations that lead to a variable.
    pub fn leading_to(&self, flat: &FlatModel, v: VarId) -> Vec<usize> {
        self.closure(flat, self.0.get(&v).map_or(&[], Vec::as_slice))
    }
}

/// What a source node gives, as a function of time; `None` if it follows from more than time.
pub fn source_drive(
    flat: &Arc<FlatModel>,
    built: &Built,
    signals: &SignalEquations,
    node: usize,
    initial: &Values,
    stop: f64,
    memory: &Memory,
) -> Option<Drive> {
    let n = &built.graph.nodes[node];
    let q = Quantity::preferred(n.kind)?;
    let e = n
        .element
        .filter(|&e| !is_rigid(&built.recognised[e].what))?;
    let element = &built.network.elements[e];
    let side = Side::of_one_port(element, true);
    let (target, sign) = side.quantity(q);
    let mut at = initial.clone();
    let mut known = FxHashSet::default();
    // The source gives its value whatever the rest does: the other port and all else at rest.
    if let Some(reference) = side.reference(q) {
        known.insert(reference);
        at.set(reference, 0.0);
    }
    // What it gives through itself comes out of its other port: flows are at rest only where potentials are given.
    let flows_rest = side.is_across(q);
    for p in &element.ports {
        let flow = flows_rest.then_some(Moving::Value(p.flow));
        let potentials = [Moving::Value(p.potential), Moving::Rate(p.potential)];
        for rest in flow.into_iter().chain(potentials) {
            if Some(rest) != side.reference(q) && !related(rest, target) {
                known.insert(rest);
                at.set(rest, 0.0);
            }
        }
    }
    let equations = signals.closure(flat, &element.equations);
    known.extend(memory.known_in(flat, &equations));
    let p = plan(flat, &equations, &[], known, &at);
    p.determines(target)
        .then(|| Drive::new(flat.clone(), p, target, sign, &at, stop, memory))
}

/// Value and rate of one variable belong together.
fn related(a: Moving, b: Moving) -> bool {
    match (a, b) {
        (Moving::Value(v) | Moving::Rate(v), Moving::Value(w) | Moving::Rate(w)) => v == w,
        _ => false,
    }
}
