//! Relations among the sorted equations.
//!
//! In: the matched system. Out: the same with a row `memory = (lhs op rhs)` for each relation. At an
//! event a relation holds for the values of that very pass, so its memory is computed where its sides
//! are known and before it is read: a condition such as `time >= tStart + 1` must not see the `tStart`
//! of the last pass. Where a memory is part of a loop (an ideal diode), the loop is cut there and
//! the event iteration finds the fixed point.
//!
//! Near its zero a relation keeps its memory: on which side of it an event lies is decided by whoever
//! located the event, not by rounding.

use ferrica_dae::Dae;
use ferrica_ir::causal::Relation;
use ferrica_ir::{BinaryOp, Builtin, ExprId, Ty};

use crate::incidence::columns;
use crate::matching::Matching;
use crate::system::{System, SystemEquation};

/// Relative distance from its zero within which a relation that is located by root finding keeps its
/// memory: well above what root finding leaves.
const STATE_BAND: f64 = 1e-3;
/// The same for relations whose event time is computed: rounding only, whatever the scale of time.
const TIME_BAND: f64 = 1e-9;

/// Adds the rows; each is matched to its memory.
pub fn add_rows(dae: &mut Dae, system: &mut System, matching: &mut Matching) {
    if dae.relations.is_empty() {
        return;
    }
    let mut equations = std::mem::take(&mut system.equations);
    let mut unknowns = std::mem::take(&mut system.unknowns);
    for k in 0..dae.relations.len() {
        let Relation {
            memory,
            op,
            lhs,
            rhs,
            span,
            ..
        } = dae.relations[k];
        matching.column.push(unknowns.len() as u32);
        matching.row.push(equations.len() as u32);
        unknowns.push(memory);
        let value = dae.exprs.binary(op, lhs, rhs);
        let memory = dae.var_expr(memory);
        equations.push(SystemEquation {
            lhs: memory,
            rhs: value,
            span,
            component: 0,
        });
    }
    let columns = columns(&unknowns);
    let incidence = crate::incidence::incidence(
        dae,
        &columns,
        unknowns.len(),
        equations.iter().map(|e| (e.lhs, e.rhs)),
    );
    *system = System {
        equations,
        unknowns,
        columns,
        incidence,
    };
}

/// The value of a memory at an event: `if near zero then memory else lhs op rhs`.
pub fn event_value(dae: &mut Dae, memory: ExprId, value: ExprId, time_event: bool) -> ExprId {
    let ferrica_ir::Expr::Binary(_, lhs, rhs) = dae.exprs.get(value) else {
        return value;
    };
    if dae.exprs.ty(lhs) != Ty::Real && dae.exprs.ty(rhs) != Ty::Real {
        return value;
    }
    let a = &mut dae.exprs;
    let difference = a.sub(lhs, rhs);
    let distance = a.builtin(Builtin::Abs, &[difference]);
    let (l, r) = (
        a.builtin(Builtin::Abs, &[lhs]),
        a.builtin(Builtin::Abs, &[rhs]),
    );
    let mut scale = a.builtin(Builtin::Max, &[l, r]);
    if !time_event {
        let one = a.real(1.0);
        scale = a.builtin(Builtin::Max, &[scale, one]);
    }
    let band = a.real(if time_event { TIME_BAND } else { STATE_BAND });
    let band = a.mul(band, scale);
    let near = a.binary(BinaryOp::Le, distance, band);
    a.if_then_else(near, memory, value)
}
