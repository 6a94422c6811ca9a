//! The causal bond graph as a coupled model file of CD++.
//!
//! Components, links and parameters, as M/CD++ writes them: a component for each element and junction with the atomic
//! model of its kind and causality, two links for each bond (effort one way, flow the other) except towards
//! sources, and a section with parameters for each component. The header lists the atomic models used. Beside it stand the atomic models
//! themselves in C++ (`qbg_atomics.h`), and a coordinator that runs the file (`cdpp.h`, `main.cpp`): a C++ compiler is all that it needs.
//! A graph with algebraic loops or dependent storages has no such form, for its junctions wait for each other: see [`signals`].

mod signals;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::graph::{BondGraph, Kind};
pub use signals::signals;

use crate::qbg::{Described, Waveform};

/// The atomic models and what runs them: name and text.
pub const CODE: [(&str, &str); 3] = [
    ("cdpp.h", include_str!("cdpp.h")),
    ("qbg_atomics.h", include_str!("qbg_atomics.h")),
    ("main.cpp", include_str!("main.cpp")),
];

/// The text of the model, or the node that no atomic model fits.
pub fn cdpp(g: &BondGraph, described: &Described, title: &str) -> Result<String, usize> {
    let names = component_names(g);
    let mut classes: Vec<String> = Vec::new();
    let mut used: BTreeMap<String, &'static str> = BTreeMap::new();
    // What a signal block does is a part of the source that follows it.
    let is_part = |k: &usize| g.nodes[*k].kind != Kind::Block;
    for k in 0..g.nodes.len() {
        if !is_part(&k) {
            classes.push(String::new());
            continue;
        }
        let (class, meaning) = atomic(g, described, k).ok_or(k)?;
        used.insert(class.clone(), meaning);
        classes.push(class);
    }
    let mut out = format!("% Quantized bond graph of {title}\n%\n% Atomic models:\n");
    for (class, meaning) in &used {
        let _ = writeln!(out, "%   {class}: {meaning}");
    }
    out.push_str("%\n% Ports: inEffortK, inFlowK, outEffortK, outFlowK of bond K of a component; a junction tells its common\n% variable by one port, outEffort or outFlow.\n\n[top]\ncomponents :");
    // Of components that are due at one instant the first goes first: what answers at once, then sources, then storages.
    let mut order: Vec<usize> = (0..g.nodes.len()).filter(is_part).collect();
    order.sort_by_key(|&k| {
        let kind = g.nodes[k].kind;
        (kind.is_storage(), kind.is_source())
    });
    for k in order {
        let _ = write!(out, " {}@{}", names[k], classes[k]);
    }
    out.push('\n');
    for (b, bond) in g.bonds.iter().enumerate() {
        // Effort from the end without the stroke, flow back from the stroke.
        let Some(effort_to) = [bond.from, bond.to]
            .into_iter()
            .find(|&n| bond.effort_into(n) == Some(true))
        else {
            continue;
        };
        let effort_from = bond.other(effort_to);
        let port = |n: usize, common: Kind, word: &str| {
            if g.nodes[n].kind == common {
                word.to_owned()
            } else {
                format!("{word}{}", number(g, n, b))
            }
        };
        if g.nodes[effort_to].kind != Kind::Sf {
            let _ = writeln!(
                out,
                "link : {}@{} inEffort{}@{}",
                port(effort_from, Kind::Zero, "outEffort"),
                names[effort_from],
                number(g, effort_to, b),
                names[effort_to]
            );
        }
        if g.nodes[effort_from].kind != Kind::Se {
            let _ = writeln!(
                out,
                "link : {}@{} inFlow{}@{}",
                port(effort_to, Kind::One, "outFlow"),
                names[effort_to],
                number(g, effort_from, b),
                names[effort_from]
            );
        }
    }
    for (k, component) in names.iter().enumerate().filter(|(k, _)| is_part(k)) {
        let _ = writeln!(out, "\n[{component}]");
        for (name, value) in parameters(g, described, k) {
            let _ = writeln!(out, "{name} : {value}");
        }
    }
    Ok(out)
}

/// Number of a bond at a node, from 1.
fn number(g: &BondGraph, n: usize, b: usize) -> usize {
    if matches!(g.nodes[n].kind, Kind::Tf | Kind::Gy) {
        return usize::from(g.bonds[b].port) + 1;
    }
    g.bonds_of(n).iter().position(|&c| c == b).unwrap_or(0) + 1
}

fn component_names(g: &BondGraph) -> Vec<String> {
    let (mut serial, mut parallel) = (0, 0);
    let plain = crate::modelica::names(g);
    g.nodes
        .iter()
        .zip(plain)
        .map(|(n, name)| match n.kind {
            Kind::One => {
                serial += 1;
                format!("$SJ{serial}")
            }
            Kind::Zero => {
                parallel += 1;
                format!("$PJ{parallel}")
            }
            _ => name,
        })
        .collect()
}

/// Atomic model of a node and what it does.
fn atomic(g: &BondGraph, described: &Described, k: usize) -> Option<(String, &'static str)> {
    let n = &g.nodes[k];
    let effort_in = g
        .bonds_of(k)
        .first()
        .and_then(|&b| g.bonds[b].effort_into(k));
    let constant = n.value.is_some() && !n.nonlinear && !n.modulated;
    Some(match (n.kind, effort_in) {
        (Kind::R, Some(true)) if constant => {
            ("QBGResistanceEffortIn".into(), "R told the effort, f = e/R")
        }
        (Kind::R, Some(false)) if constant => {
            ("QBGResistanceFlowIn".into(), "R told the flow, e = R f")
        }
        (Kind::C, Some(false)) if constant => (
            "QBGCapacitorFlowIn".into(),
            "C with integral causality, its effort quantized with hysteresis",
        ),
        (Kind::I, Some(true)) if constant => (
            "QBGInductorEffortIn".into(),
            "I with integral causality, its flow quantized with hysteresis",
        ),
        (Kind::Tf, _) if constant => (
            "QBGTransformer".into(),
            "TF, e1 = m e2 and f2 = m f1, power in by bond 1",
        ),
        (Kind::Gy, Some(true)) if constant => (
            "QBGGyratorEffortIn".into(),
            "GY told efforts, e1 = r f2 and e2 = r f1, power in by bond 1",
        ),
        (Kind::Gy, Some(false)) if constant => (
            "QBGGyratorFlowIn".into(),
            "GY told flows, e1 = r f2 and e2 = r f1, power in by bond 1",
        ),
        (Kind::Zero, _) => (
            "QBGParallelJunction".into(),
            "0-junction: hands on the effort, balances the flows",
        ),
        (Kind::One, _) => (
            "QBGSerialJunction".into(),
            "1-junction: hands on the flow, balances the efforts",
        ),
        (Kind::Se, _) => match described.sources.get(&k)? {
            Waveform::Other => return None,
            w => (
                format!("QBGSourceEffort_{}", w.name()),
                "source of effort, advancing by quantum crossings",
            ),
        },
        (Kind::Sf, _) => match described.sources.get(&k)? {
            Waveform::Other => return None,
            w => (
                format!("QBGSourceFlow_{}", w.name()),
                "source of flow, advancing by quantum crossings",
            ),
        },
        _ => return None,
    })
}

fn parameters(g: &BondGraph, described: &Described, k: usize) -> Vec<(&'static str, String)> {
    let n = &g.nodes[k];
    let mut out: Vec<(&'static str, String)> = Vec::new();
    let signs = || -> String {
        let sign = |&b: &usize| if g.bonds[b].to == k { "+" } else { "-" };
        g.bonds_of(k).iter().map(sign).collect::<Vec<_>>().join(" ")
    };
    let number = |x: f64| format!("{x:?}");
    // Power that is counted out of a passive element turns its sign.
    let turned = matches!(n.kind, Kind::R | Kind::C | Kind::I)
        && g.bonds_of(k).first().is_some_and(|&b| g.bonds[b].from == k);
    if turned {
        out.push(("direction", "-1".to_owned()));
    }
    match n.kind {
        Kind::Zero | Kind::One => {
            out.push(("bonds", g.bonds_of(k).len().to_string()));
            out.push(("directions", signs()));
            let imposed = |b: usize| g.bonds[b].effort_into(k) == Some(n.kind == Kind::Zero);
            let decides = g.bonds_of(k).iter().position(|&b| imposed(b));
            out.extend(decides.map(|d| ("decides", (d + 1).to_string())));
        }
        Kind::R => out.extend(n.value.map(|v| ("resistance", number(v)))),
        Kind::C => out.extend(n.value.map(|v| ("capacitance", number(v)))),
        Kind::I => out.extend(n.value.map(|v| ("inductance", number(v)))),
        Kind::Tf | Kind::Gy => out.extend(n.value.map(|v| ("modulus", number(v)))),
        _ => {}
    }
    if let Some(x) = described.states.get(&k) {
        out.push(("initial", number(*x)));
    }
    if let Some(Waveform::Lines(lines)) = described.sources.get(&k) {
        let column = |c: usize| {
            lines
                .iter()
                .map(|l| number(l[c]))
                .collect::<Vec<_>>()
                .join(" ")
        };
        out.extend([
            ("times", column(0)),
            ("values", column(1)),
            ("slopes", column(2)),
        ]);
    }
    if let Some(w) = described.sources.get(&k) {
        out.extend(
            source_parameters(w)
                .into_iter()
                .map(|(n, x)| (n, number(x))),
        );
    }
    if let Some(q) = described.quanta.get(&k) {
        out.push(("quantum", number(*q)));
        if n.kind.is_storage() {
            out.push(("hysteresis", number(described.hysteresis * q)));
        }
    }
    out
}

/// The parameters of a source, with the names that the blocks of the tool have.
fn source_parameters(w: &Waveform) -> Vec<(&'static str, f64)> {
    let parameters = w.parameters().into_iter();
    let renamed = parameters.map(|(name, v)| match name {
        "k" => ("value", v),
        "f" => ("period", 1.0 / v),
        _ => (name, v),
    });
    renamed.collect()
}
