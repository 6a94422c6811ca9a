//! The structure of a model in the user's words: states, dependent storages, algebraic loops,
//! references, and what to change.

use std::collections::VecDeque;
use std::fmt::Write;

use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::build::Built;
use crate::graph::{BondGraph, Kind, Node};
use crate::recognise::Recognised;
use crate::scap::Causality;
use crate::signals::{Function, Role};

/// The code of a network that nothing drives.
pub const NO_SOURCE: &str = "W0410";

/// Findings of the network itself: each a diagnostic with its place.
pub fn check(flat: &FlatModel, built: &Built) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if built.network.elements.is_empty() {
        out.push(
            Diagnostic::error(
                "E0408",
                Span::NONE,
                format!(
                    "`{}` has no power ports, so it has no bond graph",
                    flat.name
                ),
            )
            .with_hint("a power port is a connector with one potential and one flow variable"),
        );
        return out;
    }
    for c in &flat.connections {
        let owner = |k: u32| flat.components[k as usize].parent;
        if c.a == c.b {
            out.push(Diagnostic::warning(
                "W0408",
                c.span,
                "a connector is connected to itself",
            ));
        } else if owner(c.a) == owner(c.b) && owner(c.a) != c.component {
            let name = &flat.components[owner(c.a) as usize].path;
            out.push(
                Diagnostic::warning(
                    "W0409",
                    c.span,
                    format!("`{name}` is connected to itself: it is short-circuited"),
                )
                .with_hint("check which connectors are meant"),
            );
        }
    }
    let g = &built.graph;
    let source = g.nodes.iter().any(|n| {
        n.kind == Kind::Multiport || n.kind.is_source() && !n.is_controlled() && !n.detects
    });
    if !source {
        let first = &built.network.elements[0];
        out.push(
            Diagnostic::warning(
                NO_SOURCE,
                flat.components[first.component as usize].span,
                "the network has no source: only initial values move it",
            )
            .with_hint("add a source, or give the storages start values"),
        );
    }
    for name in &built.chosen_references {
        let node = built.network.nodes.iter().position(|n| n == name);
        let near = built
            .network
            .elements
            .iter()
            .find(|e| e.ports.iter().any(|p| Some(p.node) == node));
        out.push(
            Diagnostic::warning(
                "W0411",
                near.map_or(Span::NONE, |e| flat.components[e.component as usize].span),
                format!("the part of the network around `{name}` has no ground"),
            )
            .with_hint(format!(
                "`{name}` was taken as reference for the graph; connect a ground for the simulation"
            )),
        );
    }
    let mut ports = vec![0usize; built.network.nodes.len()];
    for e in &built.network.elements {
        for p in &e.ports {
            ports[p.node] += 1;
        }
    }
    for (k, e) in built.network.elements.iter().enumerate() {
        // The free end of a mass is nothing unusual.
        let rigid = matches!(
            built.recognised.get(k).map(|r| &r.what),
            Some(Recognised::Rigid { .. }) | None
        );
        for p in &e.ports {
            if ports[p.node] == 1 && e.ports.len() > 1 && !rigid {
                let c = &flat.components[p.connector as usize];
                out.push(
                    Diagnostic::warning(
                        "W0412",
                        flat.components[e.component as usize].span,
                        format!("`{}` is connected to nothing: no flow passes there", c.path),
                    )
                    .with_hint("connect it, or remove the component"),
                );
            }
        }
    }
    out
}

/// What the state of a storage is called in its domain.
fn state_name(n: &Node) -> &'static str {
    use crate::graph::Domain::*;
    match (n.kind, n.domain) {
        (Kind::C, Electrical) => "voltage (charge)",
        (Kind::I, Electrical) => "current (flux)",
        (Kind::C, Translational) => "spring force (elongation)",
        (Kind::I, Translational) => "velocity (momentum)",
        (Kind::C, Rotational) => "torque (twist)",
        (Kind::I, Rotational) => "angular velocity (angular momentum)",
        (Kind::C, Hydraulic) => "pressure (volume)",
        (Kind::I, Hydraulic) => "flow rate (pressure momentum)",
        (Kind::C, Thermal) => "temperature (heat)",
        (Kind::C, _) => "effort (displacement)",
        _ => "flow (momentum)",
    }
}

/// How many elements of each kind there are.
pub fn counts(g: &BondGraph) -> String {
    let mut out = String::new();
    let count = |k: Kind| (g.nodes.iter().filter(|n| n.kind == k && !n.detects)).count();
    let detectors = g.nodes.iter().filter(|n| n.detects).count();
    let _ = writeln!(
        out,
        "Elements: {} R, {} C, {} I, {} Se, {} Sf, {} TF, {} GY; {} 0-junctions, {} 1-junctions, {} bonds",
        count(Kind::R),
        count(Kind::C),
        count(Kind::I),
        count(Kind::Se),
        count(Kind::Sf),
        count(Kind::Tf),
        count(Kind::Gy),
        count(Kind::Zero),
        count(Kind::One),
        g.bonds.len()
    );
    if detectors > 0 {
        let list = g.nodes.iter().filter(|n| n.detects);
        let list: Vec<String> = list.map(|n| format!("{}:{}", n.symbol(), n.name)).collect();
        let _ = writeln!(out, "Detectors: {}", list.join(", "));
    }
    out
}

/// What causality says of it, in words.
pub fn report(g: &BondGraph, causality: &Causality) -> String {
    let name = |n: usize| g.nodes[n].name.clone();
    let mut out = String::new();
    let order = causality.states.len();
    let _ = writeln!(out, "Order of the system: {order}");
    for &n in &causality.states {
        let _ = writeln!(out, "  state: {} of {}", state_name(&g.nodes[n]), name(n));
    }
    for (n, node) in g.nodes.iter().enumerate() {
        if node.kind == Kind::R && node.value.is_some_and(|r| r < 0.0) {
            let _ = writeln!(
                out,
                "Negative resistance: {} gives power at any flow, as no passive element does.",
                name(n)
            );
        }
    }
    for d in &causality.dependent {
        let parts: Vec<String> =
            d.of.iter()
                .map(|&(c, a)| {
                    if (a - 1.0).abs() < 1e-9 {
                        name(c)
                    } else {
                        format!("{a:.4} times {}", name(c))
                    }
                })
                .collect();
        let what = match g.nodes[d.node].kind {
            Kind::C => "effort",
            _ => "flow",
        };
        let _ = writeln!(
            out,
            "Dependent storage: {} cannot have a state of its own, {}.",
            name(d.node),
            if parts.is_empty() {
                format!("its {what} is always zero")
            } else {
                format!("its {what} is that of {}", parts.join(" plus "))
            }
        );
        let cure = match g.nodes[d.node].kind {
            Kind::C => "a small resistance in series with it",
            _ => "a large resistance in parallel to it",
        };
        let _ = writeln!(out, "  To separate them physically: {cure}.");
        let from_source = d.of.iter().any(|(m, _)| g.nodes[*m].kind.is_source());
        if from_source {
            let _ = writeln!(
                out,
                "  A source determines it: where the source jumps, the answer is an impulse."
            );
        }
    }
    for l in &causality.loops {
        let list: Vec<String> = l.iter().map(|&c| name(c)).collect();
        let _ = writeln!(
            out,
            "Algebraic loop: {} depend on each other without delay.",
            list.join(", ")
        );
        let _ = writeln!(
            out,
            "  A storage between them (a small capacitance at the node, a small inductance in the mesh) would break it."
        );
    }
    for d in &causality.conflicts {
        let n = &d.node;
        let list: Vec<String> = d.of.iter().map(|&(c, _)| name(c)).collect();
        let what = match g.nodes[*n].kind {
            Kind::Se => "an effort",
            _ => "a flow",
        };
        let _ = writeln!(
            out,
            "Conflict: {} gives {what} that {} already.",
            name(*n),
            if list.is_empty() {
                "the junctions hold at zero".to_owned()
            } else {
                format!("{} determine", list.join(", "))
            }
        );
        let _ = writeln!(
            out,
            "  The model has no solution unless they agree: remove one of them, or put a resistance between them."
        );
    }
    for &n in &causality.unsatisfied {
        let _ = writeln!(out, "No causality fits the junction at {}.", name(n));
    }
    if causality.dependent.is_empty()
        && causality.loops.is_empty()
        && causality.conflicts.is_empty()
        && causality.unsatisfied.is_empty()
        && g.bonds.iter().all(|b| b.stroke.is_some())
    {
        let _ = writeln!(
            out,
            "All storages are independent and there is no algebraic loop: an explicit ordinary differential equation."
        );
    }
    let paths = causal_paths(g, &causality.functions);
    if !paths.is_empty() {
        let _ = writeln!(out, "Causal paths:");
        for path in paths.iter().take(MAX_PATHS) {
            let list: Vec<String> = path.iter().map(|&n| name(n)).collect();
            let _ = writeln!(out, "  {}", list.join(" → "));
        }
        if paths.len() > MAX_PATHS {
            let _ = writeln!(out, "  … and {} more", paths.len() - MAX_PATHS);
        }
    }
    out
}

/// Paths shown in a report.
const MAX_PATHS: usize = 30;

/// How sources and states act on states: the elements on a shortest way for each pair, without other states between.
pub fn causal_paths(g: &BondGraph, functions: &[Function]) -> Vec<Vec<usize>> {
    let mut readers: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (k, f) in functions.iter().enumerate() {
        for &s in &f.inputs {
            readers.entry(s).or_default().push(k);
        }
    }
    let mut out = Vec::new();
    for (k, f) in functions.iter().enumerate() {
        if !matches!(f.role, Role::State | Role::Source) {
            continue;
        }
        let mut came_from: FxHashMap<usize, usize> = FxHashMap::default();
        let mut queue = VecDeque::from([k]);
        let mut ends = Vec::new();
        while let Some(at) = queue.pop_front() {
            for &next in readers.get(&functions[at].output).into_iter().flatten() {
                if came_from.contains_key(&next) {
                    continue;
                }
                came_from.insert(next, at);
                match functions[next].role {
                    Role::State => ends.push(next),
                    Role::Derivative | Role::Source => {}
                    _ => queue.push_back(next),
                }
            }
        }
        for end in ends {
            let mut path = vec![functions[end].node];
            let mut at = came_from[&end];
            while at != k {
                let n = functions[at].node;
                if !g.nodes[n].kind.is_junction() && path.last() != Some(&n) {
                    path.push(n);
                }
                at = came_from[&at];
            }
            path.push(f.node);
            path.reverse();
            out.push(path);
        }
    }
    out
}
