//! Values of a result that are not finite.
//!
//! In: the rows that are written. Out: a warning for each of the first few variables that had no finite value, with the time it
//! began and the equation it comes from. A solver stops at such a value only where a state depends on it; `y = sqrt(x)` beside
//! the states would pass unnoticed.

use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::Diagnostic;
use ferrica_ir::print::brief;

/// Variables that are named.
const MAX_NAMED: usize = 5;

/// The first times at which slots had no finite value.
#[derive(Default)]
pub struct Undefined {
    found: Vec<Found>,
}

struct Found {
    slot: Slot,
    /// `None`: a value that does not change.
    time: Option<f64>,
    value: f64,
}

impl Undefined {
    pub fn constant(&mut self, slot: Slot, value: f64) {
        self.take(slot, None, value);
    }

    /// A row of values; `slot` tells where one stands.
    pub fn row(&mut self, time: f64, row: &[f64], slot: impl Fn(usize) -> Slot) {
        // 0·v is zero for finite values only; branch-free, so that a row costs one pass over it.
        if row.iter().map(|v| 0.0 * v).sum::<f64>() == 0.0 || self.found.len() >= MAX_NAMED {
            return;
        }
        for (k, &v) in row.iter().enumerate() {
            self.take(slot(k), Some(time), v);
        }
    }

    fn take(&mut self, slot: Slot, time: Option<f64>, value: f64) {
        if !value.is_finite()
            && self.found.len() < MAX_NAMED
            && self.found.iter().all(|f| f.slot != slot)
        {
            self.found.push(Found { slot, time, value });
        }
    }

    pub fn warnings(&self, model: &CompiledModel) -> Vec<Diagnostic> {
        let of = |f: &Found| {
            let (formula, span) = model.formula(f.slot);
            let since = match f.time {
                Some(time) => format!(" at time {}", brief(time)),
                None => String::new(),
            };
            let message = format!(
                "`{}` is {}{since}\n  from {formula}",
                model.var_name(f.slot),
                f.value
            );
            Diagnostic::warning("W0602", span, message)
        };
        self.found.iter().map(of).collect()
    }
}
