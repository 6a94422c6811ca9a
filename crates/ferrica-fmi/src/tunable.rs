//! Which parameters can be changed in a run.
//!
//! What is made once at the start stays: objects such as tables, instants of samplers, the longest delay, contents of lines. Parameters that these are made from are
//! fixed; so are all of a model with objects, which would have to be made anew. What is computed from a tunable parameter is tunable too.

use ferrica_codegen::model::BlockSet;
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::causal::Kind;

/// By slot: may it change after the start?
pub fn tunable(model: &CompiledModel) -> Vec<bool> {
    let count = model.slot_count();
    let has_objects = (model.source.vars.values()).any(|v| v.kind == Kind::External);
    if has_objects {
        return vec![false; count];
    }
    let mut roots: Vec<Slot> = Vec::new();
    roots.extend(model.samplers.iter().flat_map(|s| [s.1, s.2]));
    roots.extend(model.delays.iter().map(|d| d.max));
    for t in &model.transports {
        roots.extend(t.points.iter().chain(&t.values));
    }
    let mut may = vec![true; count];
    let sets: [&BlockSet; 2] = [&model.parameters, &model.main];
    while let Some(slot) = roots.pop() {
        if !std::mem::replace(&mut may[slot as usize], false) {
            continue;
        }
        for set in sets {
            if let Some(block) = set.writer_of(slot) {
                roots.extend_from_slice(model.block_reads(set, block));
            }
        }
    }
    may
}

/// By slot: is it computed from a parameter that may change?
pub fn follows(model: &CompiledModel, changes: impl Fn(Slot) -> bool) -> Vec<bool> {
    let mut out: Vec<bool> = (0..model.slot_count() as Slot).map(changes).collect();
    // Blocks are in the order of their computation.
    for (block, _) in &model.parameters.blocks {
        let reads = model.block_reads(&model.parameters, block);
        if reads.iter().any(|&s| out[s as usize]) {
            for &s in model.block_writes(&model.parameters, block) {
                out[s as usize] = true;
            }
        }
    }
    out
}
