//! When-clauses whose condition reads what the clause itself assigns.
//!
//! `when x > 0.5 and s == 1 then s = 2; end when` has no solution in the instant in which it fires: with s = 2 its condition does not hold, and
//! without it s is 1. An algorithm takes the condition before it assigns, and that is what such a clause means: whether it fires is judged by
//! what there is without it, `pre(s)`. Where the equations have a solution this finds it: what a clause assigns is its left limit
//! until the clause fires.
//!
//! In: the rows of a loop between discrete variables. Out: the same rows, the condition of one clause with left limits in place of what clauses
//! of the loop assign, read directly or through other variables of the loop.

use ferrica_dae::Dae;
use ferrica_ir::expr::UnaryOp;
use ferrica_ir::{BinaryOp, Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::Row;

/// See the module comment; `None` where no clause takes part, or where a row gives its unknown only implicitly. `in_order` tells the strong
/// components of rows, in an order in which each reads only earlier ones.
pub fn judge_by_left_limits(
    dae: &mut Dae,
    rows: &[Row],
    in_order: impl FnOnce(&Dae, &[Row]) -> Vec<Vec<Row>>,
) -> Option<Vec<Row>> {
    let mut conditions: FxHashSet<VarId> = FxHashSet::default();
    let mut left: FxHashMap<VarId, ExprId> = FxHashMap::default();
    for row in rows {
        let fires = edges(dae, definition(dae, row)?);
        if !fires.is_empty() {
            let ty = dae.vars[row.unknown].var.ty;
            left.insert(row.unknown, dae.exprs.pre(row.unknown, ty));
            conditions.extend(fires);
        }
    }
    let at = (rows.iter()).position(|r| conditions.contains(&r.unknown))?;
    let between: Vec<Row> = (rows.iter().copied())
        .filter(|r| !conditions.contains(&r.unknown) && !left.contains_key(&r.unknown))
        .collect();
    for part in in_order(dae, &between) {
        let [row] = part[..] else { return None };
        let value = definition(dae, &row)?;
        let value = with(dae, value, &left);
        left.insert(row.unknown, value);
    }
    let value = definition(dae, &rows[at])?;
    let value = with(dae, value, &left);
    let mut out = rows.to_vec();
    out[at].lhs = dae.var_expr(rows[at].unknown);
    out[at].rhs = value;
    (!reads(dae, value, |v| rows.iter().any(|r| r.unknown == v))).then_some(out)
}

/// The other side of a row that has its unknown alone on one side.
fn definition(dae: &Dae, row: &Row) -> Option<ExprId> {
    let own = Expr::Var(row.unknown);
    match (dae.exprs.get(row.lhs) == own, dae.exprs.get(row.rhs) == own) {
        (true, false) => Some(row.rhs),
        (false, true) => Some(row.lhs),
        _ => None,
    }
}

/// The conditions whose becoming true a value asks for: `b and not pre(b)`.
fn edges(dae: &Dae, value: ExprId) -> Vec<VarId> {
    let mut found = Vec::new();
    dae.exprs.postorder(&[value], |e| {
        if let Expr::Binary(BinaryOp::And, now, before) = dae.exprs.get(e)
            && let (Expr::Var(b), Expr::Unary(UnaryOp::Not, before)) =
                (dae.exprs.get(now), dae.exprs.get(before))
            && dae.exprs.get(before) == Expr::Pre(b)
        {
            found.push(b);
        }
    });
    found
}

fn reads(dae: &Dae, value: ExprId, what: impl Fn(VarId) -> bool) -> bool {
    let mut found = false;
    dae.exprs.postorder(&[value], |e| {
        found |= matches!(dae.exprs.get(e), Expr::Var(v) if what(v));
    });
    found
}

/// An expression with these in place of variables.
fn with(dae: &mut Dae, value: ExprId, of: &FxHashMap<VarId, ExprId>) -> ExprId {
    let mut memo = FxHashMap::default();
    let known = |v| of.get(&v).copied();
    dae.exprs
        .rewrite(value, &mut memo, &mut |a, e| match a.get(e) {
            Expr::Var(v) => known(v),
            _ => None,
        })
}
