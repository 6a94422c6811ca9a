//! How far efforts and flows move: from a rough run of the model.
//!
//! In: the graph, the compiled model and the experiment. Out: the range of what each source and storage gives, and the largest ranges of efforts and flows
//! in each domain. A quantum is the tolerance times such a range, so that the error is a part of what is seen, whatever the units are.

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::VarId;
use ferrica_ir::flat::FlatModel;
use ferrica_sim::Experiment;
use rustc_hash::FxHashMap;

use super::ports::{Side, is_rigid, nodes_by_element, rates_plan};
use crate::Analysis;
use crate::dual::Moving;
use crate::graph::{Domain, Kind};
use crate::independence::Quantity;
use crate::recognise::Recognised;
use crate::steps::{Plan, Values};

/// Tolerance and output points of the rough run.
const ROUGH: f64 = 1e-4;
const ROWS: f64 = 400.0;
/// Below this part of the largest range in its domain what moves is noise.
const NOISE: f64 = 1e-6;

#[derive(Clone, Debug, Default)]
pub struct Scales {
    nodes: FxHashMap<usize, f64>,
    domains: FxHashMap<(Domain, Quantity), f64>,
}

impl Scales {
    /// Of a source or storage.
    pub fn node(&self, n: usize) -> Option<f64> {
        self.nodes.get(&n).copied()
    }

    /// Of the largest effort or flow in a domain.
    pub fn domain(&self, domain: Domain, q: Quantity) -> Option<f64> {
        self.domains.get(&(domain, q)).copied()
    }
}

/// An element whose effort and flow are watched.
struct Watched<'a> {
    side: Side<'a>,
    /// Flows into all of its ports belong together.
    rigid: bool,
    element: usize,
    rates: Plan,
    /// Smallest and largest effort and flow.
    seen: [(f64, f64); 2],
}

/// See the module comment; empty where the rough run does not begin.
pub fn scales(
    flat: &FlatModel,
    analysis: &Analysis,
    model: &Arc<CompiledModel>,
    initial: &Values,
    places: &[(VarId, Slot, bool)],
    experiment: &Experiment,
) -> Scales {
    let built = &analysis.built;
    let parts = nodes_by_element(built);
    let mut watched: Vec<Watched> = Vec::new();
    let mut at = initial.clone();
    for (e, nodes) in parts.iter().enumerate() {
        let what = &built.recognised[e].what;
        let Some(&first) = nodes.first() else {
            continue;
        };
        let kind = built.graph.nodes[first].kind;
        let two_sides = matches!(
            what,
            Recognised::TwoPort { .. } | Recognised::Controlled { .. }
        );
        if two_sides || kind == Kind::Multiport {
            continue;
        }
        let element = &built.network.elements[e];
        let mut side = Side::of_one_port(element, kind.is_source());
        let rigid = is_rigid(what);
        if rigid {
            side.against = None;
        }
        watched.push(Watched {
            side,
            rigid,
            element: e,
            rates: rates_plan(flat, element, &mut at),
            seen: [(f64::INFINITY, f64::NEG_INFINITY); 2],
        });
    }
    let span = experiment.stop - experiment.start;
    let rough = Experiment {
        tolerance: ROUGH,
        interval: span / ROWS,
        solver: Experiment::of(model).solver,
        step: None,
        wanted: None,
        ..experiment.clone()
    };
    let mut sink = |time: f64, slots: &[f64]| {
        at.time = time;
        for &(v, slot, negated) in places {
            let x = slots[slot as usize];
            at.values.insert(v, if negated { -x } else { x });
        }
        for w in &mut watched {
            w.rates.run(flat, &[], &mut at);
            for (k, q) in [Quantity::Effort, Quantity::Flow].into_iter().enumerate() {
                let value = match w.rigid && !w.side.is_across(q) {
                    true => {
                        let ports = &built.network.elements[w.element].ports;
                        ports.iter().map(|p| at.get(Moving::Value(p.flow))).sum()
                    }
                    false => w.side.value(q, &at),
                };
                if value.is_finite() {
                    w.seen[k] = (w.seen[k].0.min(value), w.seen[k].1.max(value));
                }
            }
        }
    };
    // What a run that fails has shown counts too.
    let _ = ferrica_sim::simulate(model, &rough, &mut sink);
    let mut out = Scales::default();
    let range = |w: &Watched, k: usize| (w.seen[k].1 - w.seen[k].0).max(0.0);
    for w in &watched {
        for (k, q) in [Quantity::Effort, Quantity::Flow].into_iter().enumerate() {
            let largest = out.domains.entry((w.side.port.domain, q)).or_default();
            *largest = largest.max(range(w, k));
        }
    }
    for w in &watched {
        for &n in &parts[w.element] {
            let Some(q) = Quantity::preferred(built.graph.nodes[n].kind) else {
                continue;
            };
            let k = usize::from(q == Quantity::Flow);
            let least = NOISE * out.domain(w.side.port.domain, q).unwrap_or(0.0);
            out.nodes.insert(n, range(w, k).max(least));
        }
    }
    out.nodes.retain(|_, range| *range > 0.0);
    out.domains.retain(|_, range| *range > 0.0);
    out
}
