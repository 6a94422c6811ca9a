//! A bond graph as a model of `Ferrica.Bonds`.
//!
//! In: a causal graph with the functions of its sources and the states at the start. Out: Modelica text of a model with
//! one component for each node and one connection for each bond. Its bond graph is the graph it came from.

use std::fmt::Write;

use crate::graph::{BondGraph, Kind};
use crate::qbg::{Described, Waveform};

/// Names of the components, by node.
pub fn names(g: &BondGraph) -> Vec<String> {
    let mut used: Vec<String> = Vec::new();
    let mut junctions = 0;
    for n in &g.nodes {
        let base: String = if n.kind.is_junction() {
            junctions += 1;
            format!("j{junctions}")
        } else {
            let plain: String = n
                .name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                .collect();
            let trimmed = plain.trim_matches('_').to_owned();
            if trimmed.starts_with(|c: char| c.is_ascii_alphabetic()) {
                trimmed
            } else {
                format!("n_{trimmed}")
            }
        };
        let mut name = base.clone();
        let mut k = 1;
        while used.contains(&name) {
            k += 1;
            name = format!("{base}_{k}");
        }
        used.push(name);
    }
    used
}

/// The text, or the node that has no counterpart in the library.
pub fn modelica(g: &BondGraph, described: &Described, model: &str) -> Result<String, usize> {
    let names = names(g);
    let mut declarations = String::new();
    let mut connections = String::new();
    for (k, n) in g.nodes.iter().enumerate() {
        let name = &names[k];
        let bonds = g.bonds_of(k);
        let value = n.value.filter(|_| !n.nonlinear && !n.modulated).ok_or(k);
        let start = described.states.get(&k);
        let initial = |variable: &str| match start {
            Some(x) => format!(", {variable}(start={x:?}, fixed=true)"),
            None => String::new(),
        };
        let line = match n.kind {
            Kind::R => format!("R {name}(R={:?})", value?),
            Kind::C => format!("C {name}(C={:?}{})", value?, initial("e")),
            Kind::I => format!("I {name}(I={:?}{})", value?, initial("f")),
            Kind::Tf => format!("TF {name}(m={:?})", value?),
            Kind::Gy => format!("GY {name}(r={:?})", value?),
            Kind::Se | Kind::Sf => {
                let waveform = described.sources.get(&k).ok_or(k)?;
                let (class, parameter) = if n.kind == Kind::Se {
                    ("Se", "e0")
                } else {
                    ("Sf", "f0")
                };
                if let Waveform::Constant(v) = waveform {
                    format!("{class} {name}({parameter}={v:?})")
                } else {
                    let block = block(waveform).ok_or(k)?;
                    let _ = writeln!(
                        declarations,
                        "  Modelica.Blocks.Sources.{block};",
                        block = block.replace("NAME", &format!("{name}_signal"))
                    );
                    let _ = writeln!(connections, "  connect({name}_signal.y, {name}.u);");
                    format!("M{class} {name}")
                }
            }
            Kind::Zero => format!("Junction0 {name}(n={})", bonds.len()),
            Kind::One => {
                let signs: Vec<&str> = bonds
                    .iter()
                    .map(|&b| if g.bonds[b].to == k { "1" } else { "-1" })
                    .collect();
                format!(
                    "Junction1 {name}(n={}, s={{{}}})",
                    bonds.len(),
                    signs.join(", ")
                )
            }
            Kind::Multiport => return Err(k),
            // What it does is a part of the source that follows it.
            Kind::Block => continue,
        };
        let _ = writeln!(declarations, "  Ferrica.Bonds.{line};");
    }
    for (b, bond) in g.bonds.iter().enumerate() {
        let end = |n: usize| {
            let name = &names[n];
            match g.nodes[n].kind {
                Kind::Zero | Kind::One => {
                    let at = g.bonds_of(n).iter().position(|&c| c == b).unwrap_or(0);
                    format!("{name}.p[{}]", at + 1)
                }
                Kind::Tf | Kind::Gy => format!("{name}.p{}", bond.port + 1),
                _ => format!("{name}.p"),
            }
        };
        let _ = writeln!(
            connections,
            "  connect({}, {});",
            end(bond.from),
            end(bond.to)
        );
    }
    Ok(format!(
        "model {model} \"Bond graph\"\n{declarations}equation\n{connections}end {model};\n"
    ))
}

/// Declaration of the signal block, with `NAME` for its name.
fn block(w: &Waveform) -> Option<String> {
    match *w {
        Waveform::Other => None,
        Waveform::Lines(ref lines) => Some(format!("TimeTable NAME(table=[{}])", table(lines))),
        Waveform::Exponential {
            offset,
            height,
            rise,
            start,
            fall,
        } => {
            let (at, constant) = fall.unwrap_or((start + 1e30, rise));
            Some(format!(
                "Exponentials NAME(offset={offset:?}, outMax={height:?}, riseTimeConst={rise:?}, riseTime={:?}, fallTimeConst={constant:?}, startTime={start:?})",
                at - start
            ))
        }
        _ => {
            let parameters = w.parameters().into_iter();
            let modifiers: Vec<String> = parameters.map(|(n, v)| format!("{n}={v:?}")).collect();
            Some(format!("{} NAME({})", w.name(), modifiers.join(", ")))
        }
    }
}

/// Ends of straight lines, as rows of a matrix; two at one time make a jump. The last line goes on.
fn table(lines: &[[f64; 3]]) -> String {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (k, &[from, value, slope]) in lines.iter().enumerate() {
        let last = points.last().copied();
        if last.is_none_or(|(_, v)| (v - value).abs() > 1e-12 * v.abs().max(value.abs())) {
            points.push((from, value));
        }
        let until = lines.get(k + 1).map_or(from + 1.0, |next| next[0]);
        points.push((until, value + slope * (until - from)));
    }
    let rows: Vec<String> = points
        .iter()
        .map(|(t, v)| format!("{t:?}, {v:?}"))
        .collect();
    rows.join("; ")
}
