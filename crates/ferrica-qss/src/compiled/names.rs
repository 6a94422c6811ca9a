//! Names and messages of a compiled model.

use ferrica_codegen::{CompiledModel, Failure, Slot};
use ferrica_ir::{Diagnostic, print};

/// Name of a state.
pub fn state_name(model: &CompiledModel, j: usize) -> String {
    model.var_name(model.layout.states + j as Slot).to_string()
}

/// Text of a relation; sources of delays are numbered after the relations.
pub fn crossing_name(model: &CompiledModel, z: usize) -> String {
    let Some(r) = model.source.relations.get(z) else {
        let k = z - model.relations.len();
        return match k.checked_sub(model.delays.len()) {
            None => format!("source of delay {}", k + 1),
            Some(k) => format!("time of delay {}", k + 1),
        };
    };
    let side = |e| print::expr(&model.source.exprs, &*model.source, e);
    format!("{} {} {}", side(r.lhs), print::operator(r.op), side(r.rhs))
}

/// A failed evaluation as a message.
pub fn diagnostic(code: &'static str, failure: Failure) -> Diagnostic {
    Diagnostic::error(code, failure.span, failure.to_string())
}
