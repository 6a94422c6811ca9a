//! The structure of a model in the user's words: states, dependent storages, algebraic loops,
//! references, and what to change.

use std::fmt::Write;

use ferrica_ir::flat::FlatModel;
use ferrica_ir::{Diagnostic, Span};

use crate::build::Built;
use crate::graph::{BondGraph, Kind, Node};
use crate::recognise::Recognised;
use crate::scap::Causality;

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
    let source = g
        .nodes
        .iter()
        .any(|n| matches!(n.kind, Kind::Se | Kind::Sf | Kind::Multiport));
    if !source {
        out.push(Diagnostic::warning(
            "W0410",
            Span::NONE,
            "the network has no source: only initial values move it",
        ));
    }
    for name in &built.chosen_references {
        out.push(
            Diagnostic::warning(
                "W0411",
                Span::NONE,
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

/// The diagnosis as text.
pub fn report(g: &BondGraph, causality: &Causality) -> String {
    let mut out = String::new();
    let name = |n: usize| g.nodes[n].name.clone();
    let count = |k: Kind| g.nodes.iter().filter(|n| n.kind == k).count();
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
    let order = causality.states.len();
    let _ = writeln!(out, "Order of the system: {order}");
    for &n in &causality.states {
        let _ = writeln!(out, "  state: {} of {}", state_name(&g.nodes[n]), name(n));
    }
    for d in &causality.dependent {
        let n = &d.node;
        let list: Vec<String> = d.of.iter().map(|&(c, _)| name(c)).collect();
        let _ = writeln!(
            out,
            "Dependent storage: {} cannot have a state of its own, {} it.",
            name(*n),
            if list.is_empty() {
                "other elements determine".into()
            } else {
                format!("{} determines", list.join(", "))
            }
        );
        let cure = match g.nodes[*n].kind {
            Kind::C => "a small resistance in series with it",
            _ => "a small conductance (a large resistance) in parallel to it",
        };
        let _ = writeln!(
            out,
            "  To separate them physically: {cure}. Ferrica simulates the model as it is: index reduction replaces one state by a derivative."
        );
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
            "  A storage at their junction (a small capacitance or inductance) would break it. Ferrica solves it as it is: a system of equations at each step, smaller after tearing."
        );
    }
    for d in &causality.conflicts {
        let n = &d.node;
        let list: Vec<String> = d.of.iter().map(|&(c, _)| name(c)).collect();
        let what = match g.nodes[*n].kind {
            Kind::Zero => "two elements fix the effort",
            Kind::One => "two elements fix the flow",
            _ => "causality contradicts itself",
        };
        let _ = writeln!(
            out,
            "Conflict at {}: {what} ({}). The model has no solution unless they agree.",
            name(*n),
            list.join(", ")
        );
    }
    if causality.dependent.is_empty()
        && causality.loops.is_empty()
        && causality.conflicts.is_empty()
    {
        let _ = writeln!(
            out,
            "All storages are independent and there is no algebraic loop: an explicit ordinary differential equation."
        );
    }
    out
}
