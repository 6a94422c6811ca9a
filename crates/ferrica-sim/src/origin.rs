//! Where a failure comes from: the equation whose value is not a number, or whose function cannot be computed.
//!
//! In: the slots after a failure. Out: the first block, in the order of evaluation, whose inputs are all finite
//! and whose result is not, or that fails again.

use ferrica_codegen::Evaluator;
use ferrica_codegen::model::{BlockKind, BlockSet, EquationRef};
use ferrica_ir::Span;

/// A line for the user and the place of the equation, or nothing if all values are finite.
pub fn first_non_finite(ev: &Evaluator) -> Option<(String, Span)> {
    let model = &*ev.model;
    [&model.parameters, &model.initial, &model.main]
        .into_iter()
        .find_map(|set| in_set(ev, set))
}

fn in_set(ev: &Evaluator, set: &BlockSet) -> Option<(String, Span)> {
    let model = &*ev.model;
    for (id, block) in &set.blocks {
        let BlockKind::Row(_) = block.kind else {
            continue;
        };
        let Some(&slot) = model
            .block_writes(set, id)
            .iter()
            .find(|&&s| !ev.get(s).is_finite() && model.variable(s).is_some())
        else {
            continue;
        };
        if model
            .block_reads(set, id)
            .iter()
            .any(|&s| !ev.get(s).is_finite())
        {
            continue;
        }
        let value = ev.get(slot);
        let name = model.var_name(slot);
        let at = EquationRef {
            initial: set.initial,
            index: block.equation,
        };
        let parameter = std::ptr::eq(set, &model.parameters);
        let from = match parameter {
            true => model.formula(slot).0,
            false => model.equation_text(at),
        };
        let text = format!("first value without meaning: {name} = {value}, from {from}");
        let place = match parameter {
            true => Span::NONE,
            false => model.equation_place(at),
        };
        return Some((text, place));
    }
    None
}

/// The place of the equation whose call ends with this message.
pub fn failing_call(ev: &mut Evaluator, message: &str) -> Option<Span> {
    let model = ev.model.clone();
    model.main.blocks.iter().find_map(|(id, block)| {
        let BlockKind::Row(_) = block.kind else {
            return None;
        };
        let failed = ev.run_block(&model, id).err()?;
        let at = EquationRef {
            initial: false,
            index: block.equation,
        };
        (failed.message == message).then(|| model.equation_place(at))
    })
}
