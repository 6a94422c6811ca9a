//! Unknowns that their equation does not always determine.
//!
//! `a*y = b` is solved as y = b/a: the division is not in the model's text, and where a vanishes no equation says what y is. Systems
//! of equations notice that themselves; this is for single equations. In: the causal model. Out: their slots, and whether a value
//! that is not finite is such an equation's own or comes from what it reads. Where b vanishes with a, which moves, the unknown has its start value:
//! that is told.

use ferrica_codegen::model::BlockId;
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::causal::{Assign, Block, CausalModel};
use ferrica_ir::expr::{BinaryOp, Expr, ExprArena, ExprId, UnaryOp};

/// Slots of unknowns that are quotients only because the compiler has solved for them.
pub fn quotients(model: &CompiledModel) -> impl Iterator<Item = Slot> + '_ {
    let source = &*model.source;
    let solved = source.blocks.iter().filter_map(move |block| match block {
        Block::Assign(assign) if is_divided(source, assign) => Some(assign.var),
        _ => None,
    });
    solved.filter_map(|v| model.layout.slot(v))
}

/// An unknown that has its start value where an equation leaves it open.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub slot: Slot,
    /// Coefficient and right-hand side are zero.
    pub condition: ExprId,
    pub start: ExprId,
}

/// Unknowns whose equation may say 0·x = 0 at times.
pub fn open(model: &CompiledModel) -> impl Iterator<Item = Open> + '_ {
    let source = &*model.source;
    source.blocks.iter().filter_map(move |block| {
        let Block::Assign(assign) = block else {
            return None;
        };
        let (condition, start) = guarded(source, assign)?.0;
        Some(Open {
            slot: model.layout.slot(assign.var)?,
            condition,
            start,
        })
    })
}

/// `if a == 0 and b == 0 then start else b/a`: the condition and the start value, and a.
fn guarded(source: &CausalModel, assign: &Assign) -> Option<((ExprId, ExprId), ExprId)> {
    let x = &source.exprs;
    let zero =
        |e, of| matches!(x.get(e), Expr::Binary(BinaryOp::Eq, a, b) if a == of && x.is_zero(b));
    let Expr::If(condition, start, quotient) = x.get(assign.expr) else {
        return None;
    };
    let (n, by) = quotient_of(x, quotient)?;
    let Expr::Binary(BinaryOp::And, first, second) = x.get(condition) else {
        return None;
    };
    (zero(first, by) && zero(second, n)).then_some(((condition, start), by))
}

/// Numerator and denominator, whatever the sign before them.
fn quotient_of(x: &ExprArena, e: ExprId) -> Option<(ExprId, ExprId)> {
    match x.get(e) {
        Expr::Binary(BinaryOp::Div, n, by) => Some((n, by)),
        Expr::Unary(UnaryOp::Neg, e) => match x.get(e) {
            Expr::Binary(BinaryOp::Div, n, by) => Some((n, by)),
            _ => None,
        },
        _ => None,
    }
}

fn is_divided(source: &CausalModel, assign: &Assign) -> bool {
    let by = match quotient_of(&source.exprs, assign.expr) {
        Some((_, by)) => by,
        None => match guarded(source, assign) {
            Some((_, by)) => by,
            None => return false,
        },
    };
    let Some(equation) = source.equations.get(assign.equation as usize) else {
        return false;
    };
    let stands_alone = |side| source.exprs.get(side) == Expr::Var(assign.var);
    !source.exprs.is_literal(by) && !stands_alone(equation.lhs) && !stands_alone(equation.rhs)
}

/// Is the value at `slot` not finite although all that its equation reads is?
pub fn is_undetermined(model: &CompiledModel, slot: Slot, values: &[f64]) -> bool {
    let finite = |s: Slot| values.get(s as usize).is_none_or(|v| v.is_finite());
    let block = model.main.writer.get(slot as usize);
    let block = block.filter(|&&b| b != u32::MAX);
    !finite(slot)
        && block.is_some_and(|&b| {
            let reads = model.block_reads(&model.main, BlockId::from_u32(b));
            reads.iter().all(|&s| finite(s))
        })
}
