//! Loops of Boolean equations that have no solution.
//!
//! In: the equations of a loop between discrete variables. Out: is there, whatever everything else is, no way to satisfy
//! them (`b = not b`)? Small loops are tried with all values.

use ferrica_dae::Dae;
use ferrica_ir::expr::UnaryOp;
use ferrica_ir::{BinaryOp, Expr, ExprId, Ty};
use rustc_hash::FxHashMap;

use crate::blocks::Row;

/// Loops of more values that are not logic, or of more operators, are left to the event iteration.
const MOST_LEAVES: usize = 10;
const MOST_NODES: usize = 100;

/// See the module comment. A loop with anything but Booleans is left to the event iteration, too.
pub fn has_no_solution(dae: &Dae, rows: &[Row]) -> bool {
    let sides = rows.iter().flat_map(|r| [r.lhs, r.rhs]);
    let Some(nodes) = (rows.iter())
        .all(|r| dae.vars[r.unknown].var.ty == Ty::Boolean)
        .then(|| collect(dae, sides.collect()))
        .flatten()
    else {
        return false;
    };
    let leaves = nodes.iter().filter(|&&e| !is_logic(dae, e)).count();
    if leaves > MOST_LEAVES {
        return false;
    }
    let mut value: FxHashMap<ExprId, bool> = FxHashMap::default();
    (0..1u32 << leaves).all(|case| {
        let mut bits = (0..leaves).map(|k| case >> k & 1 == 1);
        for &e in &nodes {
            let now = match dae.exprs.get(e) {
                _ if !is_logic(dae, e) => bits.next().unwrap_or(false),
                Expr::Unary(_, a) => !value[&a],
                Expr::Binary(BinaryOp::And, a, b) => value[&a] && value[&b],
                Expr::Binary(_, a, b) => value[&a] || value[&b],
                Expr::If(c, a, b) => value[&if value[&c] { a } else { b }],
                _ => dae.exprs.as_bool(e) == Some(true),
            };
            value.insert(e, now);
        }
        rows.iter().any(|r| value[&r.lhs] != value[&r.rhs])
    })
}

/// All nodes down to what is not logic, children before parents; `None` where there are too many.
fn collect(dae: &Dae, mut stack: Vec<ExprId>) -> Option<Vec<ExprId>> {
    let mut nodes: Vec<ExprId> = Vec::new();
    while let Some(e) = stack.pop() {
        if nodes.contains(&e) {
            continue;
        }
        nodes.push(e);
        if nodes.len() > MOST_NODES {
            return None;
        }
        if is_logic(dae, e) {
            dae.exprs.for_each_child(e, |c| stack.push(c));
        }
    }
    // Children have smaller ids than parents.
    nodes.sort_unstable();
    Some(nodes)
}

fn is_logic(dae: &Dae, e: ExprId) -> bool {
    match dae.exprs.get(e) {
        Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => true,
        Expr::If(..) => dae.exprs.ty(e) == Ty::Boolean,
        _ => dae.exprs.as_bool(e).is_some(),
    }
}
