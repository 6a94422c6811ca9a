//! Connected `semiLinear` equations.
//!
//! In: pairs `y = semiLinear(x, a, s)` and `y = semiLinear(x, s, b)` with an unknown s, as two connected
//! fluid ports give them. Out: `s = if x >= 0 then a else b` and `y = semiLinear(x, a, b)`, which
//! determine s also where x is zero; the language asks for this rewriting.

use ferrica_ir::causal::Kind;
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, UnaryOp, VarId};
use rustc_hash::FxHashMap;

use crate::model::Dae;

/// y = semiLinear(x, a, b), with y negated when `negated`.
struct Form {
    equation: usize,
    a: ExprId,
    b: ExprId,
}

/// See the module comment.
pub fn resolve(dae: &mut Dae) {
    let mut groups: FxHashMap<(ExprId, ExprId, bool), Vec<Form>> = FxHashMap::default();
    for i in 0..dae.equations.len() {
        if let Some((x, y, negated, a, b)) = normal_form(dae, i) {
            groups
                .entry((x, y, negated))
                .or_default()
                .push(Form { equation: i, a, b });
        }
    }
    let mut keys: Vec<_> = groups.keys().copied().collect();
    keys.sort_unstable();
    for key in keys {
        let Some(mut forms) = groups.remove(&key) else {
            continue;
        };
        while let Some((i, j)) = chain(dae, &forms) {
            let second = forms.swap_remove(j);
            let i = if i == forms.len() { j } else { i };
            join(dae, key, &mut forms[i], &second);
        }
    }
}

/// Two forms with b of the first = a of the second, an unknown.
fn chain(dae: &Dae, forms: &[Form]) -> Option<(usize, usize)> {
    for (i, f) in forms.iter().enumerate() {
        let Expr::Var(s) = dae.exprs.get(f.b) else {
            continue;
        };
        if !is_unknown(dae, s) {
            continue;
        }
        for (j, g) in forms.iter().enumerate() {
            if i != j && g.a == f.b {
                return Some((i, j));
            }
        }
    }
    None
}

fn is_unknown(dae: &Dae, v: VarId) -> bool {
    dae.vars[v].kind == Kind::Algebraic
}

fn join(dae: &mut Dae, (x, y, negated): (ExprId, ExprId, bool), first: &mut Form, second: &Form) {
    let a = &mut dae.exprs;
    let zero = a.real(0.0);
    let forward = a.binary(BinaryOp::Ge, x, zero);
    let value = a.if_then_else(forward, first.a, second.b);
    let s = first.b;
    first.b = second.b;
    let flow = a.builtin(Builtin::SemiLinear, &[x, first.a, first.b]);
    let left = if negated { a.neg(y) } else { y };
    (
        dae.equations[first.equation].lhs,
        dae.equations[first.equation].rhs,
    ) = (left, flow);
    (
        dae.equations[second.equation].lhs,
        dae.equations[second.equation].rhs,
    ) = (s, value);
}

/// (x, y, negated, a, b) of an equation ±y = ±semiLinear(±x, a, b), with y and x variables.
fn normal_form(dae: &Dae, i: usize) -> Option<(ExprId, ExprId, bool, ExprId, ExprId)> {
    let e = &dae.equations[i];
    let (call, call_negated, y, y_negated) = [(e.lhs, e.rhs), (e.rhs, e.lhs)]
        .into_iter()
        .find_map(|(side, other)| {
            let (call, cn) = signed(dae, side);
            let (y, yn) = signed(dae, other);
            let is_call = matches!(dae.exprs.get(call), Expr::Builtin(Builtin::SemiLinear, _));
            let is_var = matches!(dae.exprs.get(y), Expr::Var(_));
            (is_call && is_var).then_some((call, cn, y, yn))
        })?;
    let Expr::Builtin(_, list) = dae.exprs.get(call) else {
        return None;
    };
    let &[x, a, b] = dae.exprs.args(list) else {
        return None;
    };
    let (x, x_negated) = signed(dae, x);
    if !matches!(dae.exprs.get(x), Expr::Var(_)) {
        return None;
    }
    let negated = call_negated ^ y_negated;
    // semiLinear(-x, a, b) = -semiLinear(x, b, a)
    Some(if x_negated {
        (x, y, !negated, b, a)
    } else {
        (x, y, negated, a, b)
    })
}

fn signed(dae: &Dae, e: ExprId) -> (ExprId, bool) {
    match dae.exprs.get(e) {
        Expr::Unary(UnaryOp::Neg, a) => (a, true),
        _ => (e, false),
    }
}
