//! Limits that keep a wrong number in a model from taking all memory or time.

use ferrica_ir::{Diagnostic, Span};

use crate::flattener::{Flattener, R, error};

/// Elements of one array.
const MAX_ELEMENTS: usize = 10_000_000;

/// Variables and components of one model.
const MAX_TOTAL: usize = 20_000_000;

/// Dimensions of one array.
const MAX_RANK: usize = 32;

/// Bytes of one string.
const MAX_STRING: usize = 1 << 24;

/// Steps of algorithms that are executed at compile time.
pub const STEPS: u64 = 10_000_000;

/// Steps of one call whose result no decision at compile time needs: beyond them it is left to the run.
pub const CALL_STEPS: u64 = STEPS / 10;

/// Components inside each other.
pub const MAX_NESTING: u32 = 500;

/// The number of elements of an array, if it is not too large.
pub fn elements(dims: &[usize], span: Span) -> R<usize> {
    let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    match count {
        Some(n) if n <= MAX_ELEMENTS && dims.len() <= MAX_RANK => Ok(n),
        _ => Err(Box::new(
            Diagnostic::error(
                "E0308",
                span,
                format!("an array of size {dims:?} is too large"),
            )
            .with_hint("arrays may have ten million elements"),
        )),
    }
}

/// A rank or dimension number that is not too large.
pub fn rank(n: i64, span: Span) -> R<usize> {
    match usize::try_from(n) {
        Ok(n) if n <= MAX_RANK => Ok(n),
        _ => error(
            "E0308",
            span,
            format!("an array cannot have {n} dimensions"),
        ),
    }
}

/// A string of that many bytes may be made.
pub fn string(length: usize, span: Span) -> R<()> {
    if length > MAX_STRING {
        return error("E0338", span, "a string gets too long");
    }
    Ok(())
}

impl Flattener<'_> {
    /// There is room for that many more variables or components.
    pub fn room_for(&self, more: usize, span: Span) -> R<()> {
        let total = self.flat.vars.len() + self.tree.scopes.len();
        if total + more > MAX_TOTAL {
            return error(
                "E0308",
                span,
                "the model has more than twenty million variables and components",
            );
        }
        Ok(())
    }

    /// Counts work at compile time.
    pub fn spend(&mut self, steps: u64, span: Span) -> R<()> {
        self.budget = self.budget.saturating_sub(steps);
        if self.budget == 0 {
            return error("E0338", span, "the algorithm runs too long at compile time");
        }
        Ok(())
    }
}
