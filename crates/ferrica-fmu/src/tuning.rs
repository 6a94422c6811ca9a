//! Parameters that change in a run: what is computed from them changes with them, and nothing else.

use ferrica_codegen::{Evaluator, Failure, Slot};

/// Gives a parameter another value. Start values, which parameters decide too, belong to the past.
pub fn tune(ev: &mut Evaluator, slot: Slot, value: f64) -> Result<(), Failure> {
    let model = ev.model.clone();
    let mut other = ev.clone();
    other.set_value(slot, value);
    other.run_parameters()?;
    ev.set_value(slot, value);
    for (block, _) in &model.parameters.blocks {
        for &s in model.block_writes(&model.parameters, block) {
            ev.slots[s as usize] = other.get(s);
        }
    }
    ev.slots[slot as usize] = value;
    ev.invalidate();
    Ok(())
}
