//! Unknowns that their equation does not always determine.
//!
//! `a*y = b` is solved as y = b/a: the division is not in the model's text, and where a vanishes no equation says what y is. Systems
//! of equations notice that themselves; this is for single equations. In: the causal model. Out: their slots, and whether a value
//! that is not finite is such an equation's own or comes from what it reads.

use ferrica_codegen::model::BlockId;
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_ir::causal::{Assign, Block, CausalModel};
use ferrica_ir::expr::{BinaryOp, Expr};

/// Slots of unknowns that are quotients only because the compiler has solved for them.
pub fn quotients(model: &CompiledModel) -> impl Iterator<Item = Slot> + '_ {
    let source = &*model.source;
    let solved = source.blocks.iter().filter_map(move |block| match block {
        Block::Assign(assign) if is_divided(source, assign) => Some(assign.var),
        _ => None,
    });
    solved.filter_map(|v| model.layout.slot(v))
}

fn is_divided(source: &CausalModel, assign: &Assign) -> bool {
    let Expr::Binary(BinaryOp::Div, _, by) = source.exprs.get(assign.expr) else {
        return false;
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
