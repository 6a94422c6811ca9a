//! What the code can be asked for and told: inputs, variables and parameters, as enumerations of the header and as a manifest.
//!
//! In: the model, its slots at the start, and what is exported. Out: [`Channels`], whose numbers are those of the functions
//! `get`, `set_input` and `set_parameter`.
//!
//! Parameters can be set where the code reads them: not those that are part of coefficients which were eliminated before the code
//! was written, of samplers, of tables, or of start values alone.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use ferrica_codegen::c::expression::comment;
use ferrica_codegen::program::Program;
use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{EnumId, ExprId, Ty, VarId};

use super::Monitored;
use super::work::Work;
use ferrica_codegen::kernel::loads_of;

/// One number that goes in or out.
pub struct Channel {
    pub name: String,
    pub slot: Slot,
    /// Its name as a C identifier, unique among those of its kind.
    constant: String,
    pub unit: String,
    pub description: String,
    /// Real, Integer, Boolean or enumeration.
    pub kind: &'static str,
    pub declared: Option<EnumId>,
    /// Changes at events only, or never.
    pub discrete: bool,
    pub parameter: bool,
    /// Is it an output of the model?
    pub output: bool,
    /// Do values at the start depend on it? They are part of the code.
    pub decides_start: bool,
    pub range: (Option<f64>, Option<f64>),
    pub start: f64,
}

pub struct Channels {
    pub inputs: Vec<Channel>,
    pub variables: Vec<Channel>,
    pub parameters: Vec<Channel>,
}

impl Channels {
    /// `read`: programs of the code; `baked`: programs whose results are part of it as numbers.
    pub fn new(
        model: &CompiledModel,
        ev: &Evaluator,
        variables: &[Monitored],
        read: &[&Program],
        baked: &[&Program],
    ) -> Channels {
        let inputs = model.source.inputs.iter().filter_map(|&v| {
            let slot = model.layout.slot(v)?;
            Some((model.source.vars[v].var.name.clone(), slot, false, Some(v)))
        });
        let by_name = |name: &str| {
            let mut all = model.source.vars.iter();
            all.find(|(_, v)| v.var.name == name).map(|(v, _)| v)
        };
        let variables = variables
            .iter()
            .map(|(name, slot, negated)| (name.clone(), *slot, *negated, by_name(name)));
        let parameters = tunable(model, read, baked).into_iter().map(|v| {
            let slot = model.layout.slot(v).unwrap_or_default();
            (model.source.vars[v].var.name.clone(), slot, false, Some(v))
        });
        Channels {
            inputs: list(model, ev, inputs),
            variables: list(model, ev, variables),
            parameters: list(model, ev, parameters),
        }
    }

    /// The enumerations of the header.
    pub fn enumerations(&self, prefix: &str) -> String {
        let upper = prefix.to_uppercase();
        let mut out = String::new();
        for (what, channels, word, how) in [
            ("Inputs", &self.inputs, "IN", "set_input"),
            ("Variables", &self.variables, "VAR", "get"),
            ("Parameters", &self.parameters, "PARAM", "set_parameter"),
        ] {
            if channels.is_empty() {
                continue;
            }
            let _ = writeln!(out, "/* {what}, for {prefix}_{how}. */\nenum {{");
            for (k, c) in channels.iter().enumerate() {
                let comma = if k + 1 < channels.len() { "," } else { "" };
                let name = &c.constant;
                let _ = writeln!(
                    out,
                    "    {upper}_{word}_{name} = {k}{comma} /* {} */",
                    c.text()
                );
            }
            out.push_str("};\n\n");
        }
        out
    }

    /// The manifest.
    pub fn json(&self, model: &str, solver: &str, start: f64, step: f64, work: &Work) -> String {
        let mut out = format!(
            "{{\n  \"model\": {},\n  \"solver\": {},\n  \"start\": {start:?},\n  \"step\": {step:?},\n  \"operations\": {}",
            json_text(model),
            json_text(solver),
            work.json()
        );
        for (what, channels) in [
            ("inputs", &self.inputs),
            ("variables", &self.variables),
            ("parameters", &self.parameters),
        ] {
            let _ = write!(out, ",\n  \"{what}\": [");
            for (k, c) in channels.iter().enumerate() {
                let gap = if k == 0 { "\n    " } else { ",\n    " };
                out.push_str(gap);
                out.push_str(&c.json(k));
            }
            out.push_str(if channels.is_empty() { "]" } else { "\n  ]" });
        }
        out.push_str("\n}\n");
        out
    }
}

fn list(
    model: &CompiledModel,
    ev: &Evaluator,
    names: impl Iterator<Item = (String, Slot, bool, Option<VarId>)>,
) -> Vec<Channel> {
    let mut taken: HashSet<String> = HashSet::new();
    let number = |e: Option<ExprId>| e.and_then(|e| model.source.exprs.as_f64(e));
    let decides = before_the_start(model);
    names
        .map(|(name, slot, negated, var)| {
            let mut constant = identifier(&name);
            while !taken.insert(constant.clone()) {
                constant.push('_');
            }
            let output = var.is_some_and(|v| model.source.outputs.contains(&v));
            let kind = var.map(|v| model.source.vars[v].kind);
            let var = var.map(|v| &model.source.vars[v].var);
            let value = ev.get(slot);
            Channel {
                constant,
                slot,
                declared: match var.map(|v| v.ty) {
                    Some(Ty::Enum(e)) => Some(e),
                    _ => None,
                },
                discrete: kind == Some(Kind::Discrete),
                parameter: kind == Some(Kind::Parameter),
                output,
                decides_start: decides.contains(&slot),
                unit: var.map_or(String::new(), |v| v.unit.to_string()),
                description: var.map_or(String::new(), |v| v.description.to_string()),
                kind: match var.map(|v| v.ty) {
                    Some(Ty::Boolean) => "Boolean",
                    Some(Ty::Integer) => "Integer",
                    Some(Ty::Enum(_)) => "enumeration",
                    _ => "Real",
                },
                range: (
                    number(var.and_then(|v| v.min)),
                    number(var.and_then(|v| v.max)),
                ),
                start: if negated { -value } else { value },
                name,
            }
        })
        .collect()
}

impl Channel {
    /// Name, unit, range and description.
    fn text(&self) -> String {
        let mut text = self.name.clone();
        if !self.unit.is_empty() {
            let _ = write!(text, " [{}]", self.unit);
        }
        match self.range {
            (Some(low), Some(high)) => {
                let _ = write!(text, " {low} to {high}");
            }
            (Some(low), None) => {
                let _ = write!(text, " from {low}");
            }
            (None, Some(high)) => {
                let _ = write!(text, " up to {high}");
            }
            (None, None) => {}
        }
        if !self.description.is_empty() {
            let _ = write!(text, ": {}", self.description);
        }
        comment(&text)
    }

    fn json(&self, index: usize) -> String {
        let mut out = format!(
            "{{ \"index\": {index}, \"name\": {}, \"type\": \"{}\"",
            json_text(&self.name),
            self.kind
        );
        if self.start.is_finite() {
            let _ = write!(out, ", \"start\": {:?}", self.start);
        }
        for (word, value) in [("min", self.range.0), ("max", self.range.1)] {
            if let Some(value) = value.filter(|v| v.is_finite()) {
                let _ = write!(out, ", \"{word}\": {value:?}");
            }
        }
        for (word, text) in [("unit", &self.unit), ("description", &self.description)] {
            if !text.is_empty() {
                let _ = write!(out, ", \"{word}\": {}", json_text(text));
            }
        }
        out.push_str(" }");
        out
    }
}

/// Slots that states, discrete variables and delayed signals at the start are computed from.
fn before_the_start(model: &CompiledModel) -> HashSet<Slot> {
    let mut sources: HashMap<Slot, Vec<&[Slot]>> = HashMap::new();
    for (kernel, row) in ferrica_codegen::program::rows(&model.kernels, &model.start_program) {
        let (reads, writes) = row.split_at(model.kernels.kernels[kernel].loads as usize);
        for &w in writes {
            sources.entry(w).or_default().push(reads);
        }
    }
    for set in [&model.parameters, &model.initial] {
        for b in set.blocks.keys() {
            for &w in model.block_writes(set, b) {
                sources
                    .entry(w)
                    .or_default()
                    .push(model.block_reads(set, b));
            }
        }
    }
    let layout = &model.layout;
    let mut next: Vec<Slot> = (layout.states..layout.states + layout.n_states as Slot).collect();
    next.extend(layout.pre_pairs.iter().flat_map(|p| [p.0, p.1]));
    next.extend(model.delays.iter().flat_map(|d| [d.source, d.delay]));
    let discrete = model.source.vars.iter();
    let discrete = discrete.filter(|(_, var)| var.kind == Kind::Discrete);
    next.extend(discrete.filter_map(|(v, _)| layout.slot(v)));
    let mut found = HashSet::new();
    while let Some(slot) = next.pop() {
        if found.insert(slot) {
            next.extend(sources.get(&slot).into_iter().flatten().copied().flatten());
        }
    }
    found
}

/// Parameters that the code reads and that nothing which is a number in it depends on.
fn tunable(model: &CompiledModel, read: &[&Program], baked: &[&Program]) -> Vec<VarId> {
    let reads = |programs: &[&Program]| -> HashSet<Slot> {
        let mut slots = HashSet::new();
        for program in programs {
            for (kernel, row) in ferrica_codegen::program::rows(&model.kernels, program) {
                // Kernels of partial derivatives have all operands of their equation.
                let code = &model.kernels.kernels[kernel];
                let read = code.results.iter().flat_map(|&r| loads_of(code, r));
                slots.extend(read.map(|k| row[k as usize]));
            }
            for step in &program.steps {
                if let ferrica_codegen::program::Step::Solve(s) = *step {
                    slots.extend(&model.systems[s].reads);
                }
            }
        }
        slots
    };
    let (mut used, mut fixed) = (reads(read), reads(baked));
    // External objects are part of the code.
    for (v, var) in &model.source.vars {
        if var.kind == Kind::External {
            fixed.extend(model.layout.slot(v));
        }
    }
    // What dependent parameters are computed from, last ones first.
    for b in model.parameters.blocks.keys().rev() {
        for set in [&mut used, &mut fixed] {
            let writes = model.block_writes(&model.parameters, b);
            if writes.iter().any(|w| set.contains(w)) {
                set.extend(model.block_reads(&model.parameters, b));
            }
        }
    }
    let written: HashSet<Slot> = (model.parameters.blocks.keys())
        .flat_map(|b| model.block_writes(&model.parameters, b).iter().copied())
        .collect();
    let mut found = Vec::new();
    for (v, var) in &model.source.vars {
        let Some(slot) = model.layout.slot(v) else {
            continue;
        };
        let free = var.kind == Kind::Parameter
            && !var.var.structural
            && !var.var.hidden
            && var.var.ty != Ty::String
            && !written.contains(&slot);
        if free && used.contains(&slot) && !fixed.contains(&slot) {
            found.push(v);
        }
    }
    found
}

fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().map(plain).collect();
    text.trim_end_matches('_').to_ascii_uppercase()
}

fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
