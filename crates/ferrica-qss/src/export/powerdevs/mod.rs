//! PowerDEVS: the `.pds` structure and the atomic models that it needs.
//!
//! In: a compiled model, method, tolerance. Out: three texts. `NAME.pds` couples blocks: quantized integrators of the PowerDEVS library
//! and the blocks of `NAME_blocks.h` and `NAME_blocks.cpp`: static functions, sources, cross detections, samples, one block for the
//! discrete part (when-clauses, `pre`, `reinit`: the event iteration), and a recorder. They begin with the values of the solved initial system.
//!
//! - A static function has its exact Taylor form (three coefficients). Where it holds algebraic loops or calls functions it is a program that
//!   solves them by Newton's method, and its derivatives come from differences.
//! - A function that is not affine, and a source, looks ahead along its inputs and speaks again before its polynomial is off by the quantum: at kinks, in
//!   loops, in what a Taylor form leaves out.
//! - Values that events set lie in one array; the discrete part sets them and asks the functions that read them to speak again.
//! - Blocks of equal time take turns by their number: functions, samples, sources, integrators, detections, the discrete part. So an event sees all that happens at
//!   its instant, and what it sends is worked off before it sends the next; detections wait until it has sent all.
//! - Assertions are checked at events and by a block of their own between them.
//!
//! What these blocks cannot express is refused with the reason.

mod code;
mod domain;

use std::fmt::Write;
use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Layout, Slot};
use ferrica_ir::{Diagnostic, Span};
use ferrica_sim::{Experiment, Sampler};

use crate::compiled::diagnostic;
use crate::quantizer::Method;
use crate::splitting::{Split, split};

/// The files of an export: name and text.
pub type Files = Vec<(String, String)>;

/// What an export gives, and what may go wrong with them.
#[derive(Clone, Debug)]
pub struct Exported {
    pub files: Files,
    pub warnings: Vec<String>,
}

fn refused(what: &str, why: &str) -> Diagnostic {
    Diagnostic::error(
        "E0624",
        Span::NONE,
        format!("`{what}` cannot be written as a PowerDEVS block: {why}"),
    )
}

/// A file name made of a class name.
pub fn file_stem(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

/// What is exported: the model, its parts, and its values at the start.
struct Export<'a> {
    model: &'a CompiledModel,
    split: Split,
    slots: Vec<f64>,
    samplers: Vec<Sampler>,
    stem: String,
    tolerance: f64,
    order: usize,
    /// Time of the run.
    span: f64,
}

/// What the integrators are to be, and for how long they are to run.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub method: Method,
    pub tolerance: f64,
    /// Or the time of the model.
    pub stop: Option<f64>,
}

/// The model as PowerDEVS files.
pub fn powerdevs(model: &Arc<CompiledModel>, target: &Target) -> Result<Exported, Vec<Diagnostic>> {
    let name = model.source.name.clone();
    for (there, what) in [
        (!model.delays.is_empty(), "`delay` has no block there"),
        (
            !model.transports.is_empty(),
            "`spatialDistribution` has no block there",
        ),
        (
            !model.dynamic_states.is_empty(),
            "its states are chosen during the run",
        ),
        (
            !model.terminates.is_empty(),
            "a block cannot end the run (`terminate`)",
        ),
        (
            (model.main.blocks.keys()).any(|b| {
                model
                    .block_reads(&model.main, b)
                    .contains(&Layout::TERMINAL)
            }),
            "a block is not told when the run ends (`terminal`)",
        ),
    ] {
        if there {
            return Err(vec![refused(&name, what)]);
        }
    }
    let mut experiment = Experiment::of(model);
    experiment.stop = target.stop.unwrap_or(experiment.stop);
    let started = ferrica_sim::start(model, &experiment);
    let started = started.map_err(|e| vec![e.diagnostic()])?;
    let stem = file_stem(&name);
    let ev = started.problem.ev;
    let export = Export {
        model,
        split: split(model, target.method.order),
        slots: ev.slots.clone(),
        samplers: Sampler::after_start(&ev).map_err(|f| vec![diagnostic("E0505", f)])?,
        stem: stem.clone(),
        tolerance: target.tolerance,
        order: target.method.order,
        span: experiment.stop - experiment.start,
    };
    let source = export.source()?;
    Ok(Exported {
        files: vec![
            (format!("{stem}.pds"), export.pds(target.method)),
            (format!("{stem}_blocks.h"), export.header()),
            (format!("{stem}_blocks.cpp"), source),
        ],
        warnings: export.fragile(&ev),
    })
}

/// Numbers of the blocks of each kind, in their order.
struct Numbers {
    sample: usize,
    source: usize,
    integrator: usize,
    detection: usize,
    discrete: usize,
    guard: usize,
    recorder: usize,
}

impl Export<'_> {
    /// Derivatives and crossing functions.
    fn functions(&self) -> usize {
        self.split.states + self.split.crossings.len()
    }

    /// Is there anything that events do?
    fn is_discrete(&self) -> bool {
        !self.model.relations.is_empty() || !self.model.samplers.is_empty()
    }

    /// Can an assertion fail between events?
    fn is_guarded(&self) -> bool {
        self.model.assertions_vary
    }

    fn numbers(&self) -> Numbers {
        let sample = self.functions();
        let source = sample + self.model.samplers.len();
        let integrator = source + self.split.inputs.list.len();
        let detection = integrator + self.split.states;
        let discrete = detection + self.split.crossings.len();
        let guard = discrete + usize::from(self.is_discrete());
        Numbers {
            sample,
            source,
            integrator,
            detection,
            discrete,
            guard,
            recorder: guard + usize::from(self.is_guarded()),
        }
    }

    /// Quantities that a function reads, in the order of its ports.
    fn reads(&self, function: usize) -> &[u32] {
        match function.checked_sub(self.split.states) {
            None => &self.split.derivatives[function].reads,
            Some(z) => &self.split.crossings[z].reads,
        }
    }

    /// Values set by events that a function, or a source after them, reads.
    fn discrete_reads(&self, function: usize) -> Vec<Slot> {
        let constants = match function.checked_sub(self.functions()) {
            Some(source) => &self.split.input_constants[source],
            None => match function.checked_sub(self.split.states) {
                None => &self.split.derivatives[function].constants,
                Some(z) => &self.split.crossings[z].constants,
            },
        };
        let constants = constants.iter().copied();
        constants
            .filter(|&slot| crate::splitting::changes(self.model, slot))
            .collect()
    }

    fn state_name(&self, i: usize) -> String {
        let slot = self.split.first_state + i as Slot;
        self.model.var_name(slot).to_string()
    }

    fn pds(&self, method: Method) -> String {
        let tolerance = self.tolerance;
        let (states, sources) = (self.split.states, self.split.inputs.list.len());
        let (crossings, samplers) = (self.split.crossings.len(), self.model.samplers.len());
        let functions = self.functions();
        let word = method.name().to_uppercase();
        let word = word.trim_end_matches('1').trim_start_matches('M');
        let mut out = String::from("Root-Coordinator\n {\n");
        let path = format!("{0}/{0}_blocks.h", self.stem);
        let block = |path: &str, parameters: &str| {
            format!("  Simulator\n   {{\n    Path = {path}\n    Parameters = {parameters}\n   }}\n")
        };
        let own = |kind: usize, number: usize, inputs: usize| {
            let [kind, number, inputs] = [kind, number, inputs].map(|n| n as f64);
            let parameters = format!("{kind:.6e},{number:.6e},{inputs:.6e},\"{tolerance:e}\"");
            block(&path, &parameters)
        };
        for k in 0..functions {
            out.push_str(&own(0, k, self.reads(k).len()));
        }
        for k in 0..samplers {
            out.push_str(&own(3, k, 0));
        }
        for k in 0..sources {
            out.push_str(&own(1, k, 0));
        }
        for i in 0..states {
            let x0 = self.slots[(self.split.first_state + i as Slot) as usize];
            let parameters = format!("\"{word}\",\"{tolerance:e}\",\"{tolerance:e}\",\"{x0:?}\"");
            out.push_str(&block("qss/qss_integrator.h", &parameters));
        }
        for z in 0..crossings {
            out.push_str(&own(2, z, 1));
        }
        if self.is_discrete() {
            out.push_str(&own(4, 0, states));
        }
        if self.is_guarded() {
            out.push_str(&own(6, 0, states));
        }
        out.push_str(&own(5, 0, states));
        out.push_str("  EIC\n   {\n   }\n  EOC\n   {\n   }\n  IC\n   {\n");
        for ((a, p), (b, q)) in self.couplings() {
            let _ = writeln!(out, "    ({a},{p});({b},{q})");
        }
        out.push_str("   }\n }\n");
        out
    }

    /// (block, port) to (block, port).
    fn couplings(&self) -> Vec<((usize, usize), (usize, usize))> {
        let n = self.numbers();
        let (states, sources) = (self.split.states, self.split.inputs.list.len());
        let (functions, samplers) = (self.functions(), self.model.samplers.len());
        let crossings = self.split.crossings.len();
        let mut list = Vec::new();
        for k in 0..functions {
            for (port, &q) in self.reads(k).iter().enumerate() {
                let from = match (q as usize).checked_sub(states) {
                    None => n.integrator + q as usize,
                    Some(source) => n.source + source,
                };
                list.push(((from, 0), (k, port)));
            }
            let to = match k.checked_sub(states) {
                None => n.integrator + k,
                Some(z) => n.detection + z,
            };
            list.push(((k, 0), (to, 0)));
        }
        for i in 0..states {
            list.push(((n.integrator + i, 0), (n.recorder, i)));
            if self.is_guarded() {
                list.push(((n.integrator + i, 0), (n.guard, i)));
            }
        }
        if !self.is_discrete() {
            return list;
        }
        for i in 0..states {
            list.push(((n.integrator + i, 0), (n.discrete, i)));
        }
        for k in 0..samplers {
            list.push(((n.sample + k, 0), (n.discrete, states + k)));
        }
        for z in 0..crossings {
            list.push(((n.detection + z, 0), (n.discrete, states + samplers + z)));
        }
        for k in 0..functions + sources {
            let crosses = k >= states && k < functions;
            if self.discrete_reads(k).is_empty() && !crosses {
                continue;
            }
            let to = match k.checked_sub(functions) {
                None => (k, self.reads(k).len()),
                Some(source) => (n.source + source, 0),
            };
            list.push(((n.discrete, k), to));
        }
        for i in 0..states {
            let slot = self.split.first_state + i as Slot;
            if self.model.reinits.iter().any(|r| r.0 == slot) {
                list.push(((n.discrete, functions + sources + i), (n.integrator + i, 1)));
            }
        }
        for z in 0..crossings {
            let from = (n.discrete, functions + sources + states + z);
            list.push((from, (n.detection + z, 1)));
        }
        list
    }

    fn header(&self) -> String {
        include_str!("blocks.h")
            .replace("@N@", &self.stem)
            .replace("@MODEL@", &self.model.source.name)
    }
}
