//! Coefficients that are zero.
//!
//! In: products of an expression of parameters and something that varies. Out: where the value of the first is
//! zero, the parameters it comes from are structural, so that their values fold and the product is gone. A variable that
//! an equation sets to an expression of parameters counts as that expression.
//!
//! `R*i = p.v - n.v` with R = 0 does not determine `i`, and `C*der(v) = i` with C = 0 has no state: no pivot at run
//! time can mend what the matching would believe. Time is linear in the number of expressions.

use cranelift_entity::EntityRef;
use ferrica_ir::causal::Kind;
use ferrica_ir::{BinaryOp, Expr, ExprId};
use rustc_hash::FxHashMap;

use crate::model::Dae;
use crate::parameters::make_structural;
use crate::scan::{Flags, Reach};

/// Marks the parameters; false when there is none to mark. Parameters are in order of evaluation.
pub fn mark(dae: &mut Dae) -> bool {
    let mut varies = Flags::default();
    let initial: Vec<bool> = {
        let mut list = vec![false; dae.vars.len()];
        for &p in &dae.initial_parameters {
            list[p.index()] = true;
        }
        list
    };
    varies.update(&dae.exprs, |id| {
        u16::from(match dae.exprs.get(id) {
            Expr::Var(v) => dae.vars[v].kind != Kind::Parameter || initial[v.index()],
            Expr::Time | Expr::Pre(_) | Expr::Der(_) | Expr::Builtin(..) | Expr::Call(..) => {
                !is_plain(dae, id)
            }
            _ => false,
        })
    });
    let given = given(dae, &varies);
    let factors = factors(dae, &varies, &given);
    if factors.is_empty() {
        return false;
    }
    let mut memo = values(dae, &initial);
    let mut zero = Vec::new();
    for e in factors {
        let value = rewrite(dae, &mut memo, e);
        if dae.exprs.is_zero(value) {
            zero.push(e);
        }
    }
    !zero.is_empty() && make_structural(dae, zero)
}

/// Is the value of this operator known when its arguments are?
fn is_plain(dae: &Dae, id: ExprId) -> bool {
    match dae.exprs.get(id) {
        Expr::Builtin(f, _) => f.is_pure(),
        Expr::Call(f, _) => dae.functions[f].pure,
        _ => false,
    }
}

/// Variables that an equation sets to an expression of parameters, by their own expressions.
fn given(dae: &Dae, varies: &Flags) -> FxHashMap<ExprId, ExprId> {
    let mut given = FxHashMap::default();
    for eq in &dae.equations {
        for (side, other) in [(eq.lhs, eq.rhs), (eq.rhs, eq.lhs)] {
            if let Expr::Var(x) = dae.exprs.get(side)
                && dae.vars[x].kind == Kind::Algebraic
                && varies.get(other) == 0
            {
                given.insert(side, other);
            }
        }
    }
    given
}

/// Expressions of parameters that multiply something that varies in an equation.
fn factors(dae: &Dae, varies: &Flags, given: &FxHashMap<ExprId, ExprId>) -> Vec<ExprId> {
    let roots: Vec<ExprId> = dae
        .equations
        .iter()
        .flat_map(|e| [e.lhs, e.rhs])
        .filter(|&e| varies.get(e) != 0)
        .collect();
    let mut reach = Reach::default();
    reach.collect(&dae.exprs, &roots, |e| varies.get(e) != 0);
    let of_parameters = |e: ExprId| match varies.get(e) {
        0 => Some(e),
        _ => given.get(&e).copied(),
    };
    let mut factors: Vec<ExprId> = reach
        .nodes
        .iter()
        .filter_map(|&id| match dae.exprs.get(id) {
            Expr::Binary(BinaryOp::Mul, a, b) => of_parameters(a).or_else(|| of_parameters(b)),
            _ => None,
        })
        .filter(|&e| !dae.exprs.is_literal(e))
        .collect();
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// Values of all parameters that have one.
fn values(dae: &mut Dae, initial: &[bool]) -> FxHashMap<ExprId, ExprId> {
    let mut memo = FxHashMap::default();
    for i in 0..dae.parameter_order.len() {
        let p = dae.parameter_order[i];
        if let Some(b) = dae.vars[p].var.binding.filter(|_| !initial[p.index()]) {
            let value = rewrite(dae, &mut memo, b);
            let var = dae.var_expr(p);
            memo.insert(var, value);
        }
    }
    memo
}

fn rewrite(dae: &mut Dae, memo: &mut FxHashMap<ExprId, ExprId>, e: ExprId) -> ExprId {
    let vars = &dae.vars;
    dae.exprs.rewrite(e, memo, &mut |a, id| match a.get(id) {
        Expr::Var(v) if vars[v].kind == Kind::Parameter => {
            vars[v].var.binding.filter(|&b| a.is_literal(b))
        }
        _ => None,
    })
}
