//! Blocks and couplings of the coupled model.

use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::print;
use rustc_hash::FxHashMap;

use crate::splitting::{Split, split};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// State number.
    Integrator(usize),
    /// Derivative of a state.
    Derivative(usize),
    /// Zero function of a relation.
    Crossing(usize),
    /// Cross detection of a relation.
    Detection(usize),
    Sample(usize),
    /// Time input.
    Source(usize),
}

#[derive(Clone, Debug)]
pub struct ExportBlock {
    pub kind: BlockKind,
    pub name: String,
}

/// (block, port) to (block, port).
pub type Coupling = ((usize, usize), (usize, usize));

/// See the module comment.
pub struct CoupledStructure {
    pub name: String,
    pub blocks: Vec<ExportBlock>,
    pub couplings: Vec<Coupling>,
    pub split: Split,
    /// Slots that relations set, to the relation.
    pub memories: FxHashMap<Slot, usize>,
    /// For each derivative, then each crossing, then each source: the relations (or samplers, after them) whose value
    /// enters, in the order of its input ports after the quantities.
    pub discrete_inputs: Vec<Vec<usize>>,
}

impl CoupledStructure {
    pub fn count(&self, of: fn(BlockKind) -> bool) -> usize {
        self.blocks.iter().filter(|b| of(b.kind)).count()
    }
}

/// Relations and samplers that a set of constants depends on, through the blocks of events.
fn discrete_sources(
    model: &CompiledModel,
    memories: &FxHashMap<Slot, usize>,
    constants: &[Slot],
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack: Vec<Slot> = constants.to_vec();
    while let Some(slot) = stack.pop() {
        if !seen.insert(slot) {
            continue;
        }
        if let Some(&r) = memories.get(&slot) {
            found.push(r);
            continue;
        }
        if let Some(&w) = model.main.writer.get(slot as usize)
            && w != u32::MAX
        {
            let id = ferrica_codegen::model::BlockId::from_u32(w);
            stack.extend_from_slice(model.block_reads(&model.main, id));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The coupled model of a compiled model.
pub fn structure(model: &CompiledModel) -> CoupledStructure {
    let parts = split(model, 3);
    let mut memories = FxHashMap::default();
    for (k, r) in model.relations.iter().enumerate() {
        memories.insert(r.memory, k);
    }
    for (k, s) in model.samplers.iter().enumerate() {
        memories.insert(s.0, model.relations.len() + k);
    }
    let (states, relations) = (parts.states, model.relations.len());
    let mut blocks = Vec::new();
    let state_name = |i: usize| model.var_name(parts.first_state + i as Slot).to_string();
    let mut add = |kind: BlockKind, name: String| blocks.push(ExportBlock { kind, name });
    for i in 0..states {
        add(BlockKind::Integrator(i), state_name(i));
    }
    for i in 0..states {
        add(BlockKind::Derivative(i), format!("der({})", state_name(i)));
    }
    for z in 0..relations {
        let r = &model.source.relations[z];
        let side = |e| print::expr(&model.source.exprs, &*model.source, e);
        add(
            BlockKind::Crossing(z),
            format!("{} - ({})", side(r.lhs), side(r.rhs)),
        );
    }
    for z in 0..relations {
        add(BlockKind::Detection(z), format!("crossing {}", z + 1));
    }
    for k in 0..model.samplers.len() {
        add(BlockKind::Sample(k), format!("sample {}", k + 1));
    }
    for k in 0..parts.inputs.list.len() {
        add(BlockKind::Source(k), format!("source {}", k + 1));
    }
    let first_source = 2 * states + 2 * relations + model.samplers.len();
    let quantity_block = |q: usize| {
        if q < states {
            q
        } else {
            first_source + q - states
        }
    };
    let mut couplings: Vec<Coupling> = Vec::new();
    let mut discrete_inputs = Vec::new();
    let evaluations = parts.derivatives.iter().chain(&parts.crossings);
    for (k, e) in evaluations.enumerate() {
        let block = states + k;
        for (port, &q) in e.reads.iter().enumerate() {
            couplings.push(((quantity_block(q as usize), 0), (block, port)));
        }
        let sources = discrete_sources(model, &memories, &e.constants);
        for (n, &r) in sources.iter().enumerate() {
            let from = 2 * states + relations + r;
            couplings.push(((from, 0), (block, e.reads.len() + n)));
        }
        discrete_inputs.push(sources);
    }
    for (k, constants) in parts.input_constants.iter().enumerate() {
        let sources = discrete_sources(model, &memories, constants);
        for (n, &r) in sources.iter().enumerate() {
            couplings.push(((2 * states + relations + r, 0), (first_source + k, n)));
        }
        discrete_inputs.push(sources);
    }
    for i in 0..states {
        couplings.push(((states + i, 0), (i, 0)));
    }
    for z in 0..relations {
        couplings.push(((2 * states + z, 0), (2 * states + relations + z, 0)));
    }
    CoupledStructure {
        name: model.source.name.clone(),
        blocks,
        couplings,
        split: parts,
        memories,
        discrete_inputs,
    }
}
