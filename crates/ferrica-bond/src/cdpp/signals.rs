//! The causal graph as a coupled model of its signals: storages, sources, and weighted sums.
//!
//! In: the linear functions of a graph, its loops and dependent storages solved. Out: text for CD++, a component for each storage and source with the atomic
//! model of its kind, and one for each effort or flow that follows from others, or for all of a loop.

use std::collections::HashMap;
use std::fmt::Write;

use super::{atomic, component_names, parameters};
use crate::graph::{BondGraph, Kind};
use crate::qbg::{Described, Linear};
use crate::signals::SignalId;

/// The text of the model, or the node that no atomic model fits.
pub fn signals(
    g: &BondGraph,
    described: &Described,
    linear: &Linear,
    title: &str,
) -> Result<String, usize> {
    let names = component_names(g);
    let mut components: Vec<String> = Vec::new();
    // Component and port that tell a signal; who is told it, and by which port.
    let mut teller: HashMap<SignalId, String> = HashMap::new();
    let mut told: Vec<(SignalId, String)> = Vec::new();
    let mut sections = String::new();
    let list = |numbers: &[f64]| {
        numbers
            .iter()
            .map(|x| format!("{x:?}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (k, sums) in linear.sums.iter().enumerate() {
        let name = format!("$Sum{}", k + 1);
        components.push(format!("{name}@QBGWeightedSums"));
        for (row, s) in sums.outputs.iter().enumerate() {
            teller.insert(*s, format!("out{}@{name}", row + 1));
        }
        for (column, s) in sums.inputs.iter().enumerate() {
            told.push((*s, format!("in{}@{name}", column + 1)));
        }
        let (inputs, outputs) = (sums.inputs.len(), sums.outputs.len());
        let _ = writeln!(
            sections,
            "\n[{name}]\ninputs : {inputs}\noutputs : {outputs}\nweights : {}",
            list(&sums.gain)
        );
    }
    let states = linear
        .states
        .iter()
        .map(|&(n, told, tells)| (n, Some(told), tells));
    let sources = linear.sources.iter().map(|&(n, tells)| (n, None, tells));
    for (n, input, output) in sources.chain(states) {
        let (class, _) = atomic(g, described, n).ok_or(n)?;
        let name = &names[n];
        components.push(format!("{name}@{class}"));
        let (tells, hears) = match g.nodes[n].kind {
            Kind::C | Kind::Se => ("outEffort1", "inFlow1"),
            _ => ("outFlow1", "inEffort1"),
        };
        teller.insert(output, format!("{tells}@{name}"));
        told.extend(input.map(|s| (s, format!("{hears}@{name}"))));
        let _ = writeln!(sections, "\n[{name}]");
        for (key, value) in parameters(g, described, n) {
            let _ = writeln!(sections, "{key} : {value}");
        }
    }
    let mut out = format!(
        "% Quantized bond graph of {title}, as signals: its loops and dependent storages are solved\n%\n% Atomic models: those of storages and sources, and\n%   QBGWeightedSums: outK = sum of weights[K, J] inJ\n\n[top]\ncomponents : {}\n",
        components.join(" ")
    );
    for (s, to) in told {
        if let Some(from) = teller.get(&s) {
            let _ = writeln!(out, "link : {from} {to}");
        }
    }
    Ok(out + &sections)
}
