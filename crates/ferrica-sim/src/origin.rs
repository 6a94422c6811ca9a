//! Where a value that is not a number comes from.
//!
//! In: the slots after a failure. Out: the first block, in the order of evaluation, whose inputs are all finite
//! and whose result is not.

use ferrica_codegen::Evaluator;
use ferrica_codegen::model::{BlockKind, BlockSet, EquationRef};

/// A line for the user, or nothing if all values are finite.
pub fn first_non_finite(ev: &Evaluator) -> Option<String> {
    let model = &*ev.model;
    [&model.parameters, &model.initial, &model.main]
        .into_iter()
        .find_map(|set| in_set(ev, set))
}

fn in_set(ev: &Evaluator, set: &BlockSet) -> Option<String> {
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
        return Some(format!(
            "first value without meaning: {name} = {value}, from {from}"
        ));
    }
    None
}
