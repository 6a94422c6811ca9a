//! CD++: the coupled model as a `.ma` file. The names of its atomic models are those of the blocks
//! of quantized-state simulation, to be registered by the user.

use std::fmt::Write;

use ferrica_codegen::CompiledModel;

use super::powerdevs::{Files, file_stem};
use super::structure::{BlockKind, structure};

pub fn cdpp(model: &CompiledModel) -> Files {
    let s = structure(model);
    let label = |k: usize| match s.blocks[k].kind {
        BlockKind::Integrator(i) => format!("integrator{i}"),
        BlockKind::Derivative(i) => format!("derivative{i}"),
        BlockKind::Crossing(z) => format!("crossing{z}"),
        BlockKind::Detection(z) => format!("detection{z}"),
        BlockKind::Sample(k) => format!("sample{k}"),
        BlockKind::Source(k) => format!("source{k}"),
    };
    let class = |kind: BlockKind| match kind {
        BlockKind::Integrator(_) => "QuantizedIntegrator",
        BlockKind::Derivative(_) | BlockKind::Crossing(_) => "StaticFunction",
        BlockKind::Detection(_) => "CrossDetection",
        BlockKind::Sample(_) => "Sample",
        BlockKind::Source(_) => "Source",
    };
    let mut out = String::from("[top]\ncomponents :");
    for (k, block) in s.blocks.iter().enumerate() {
        let _ = write!(out, " {}@{}", label(k), class(block.kind));
    }
    out.push('\n');
    for &((a, p), (b, q)) in &s.couplings {
        let _ = writeln!(out, "link : out{p}@{} in{q}@{}", label(a), label(b));
    }
    for (k, block) in s.blocks.iter().enumerate() {
        let _ = writeln!(
            out,
            "\n[{}]\nname : \"{}\"",
            label(k),
            block.name.replace('"', "'")
        );
    }
    vec![(format!("{}.ma", file_stem(&s.name)), out)]
}
