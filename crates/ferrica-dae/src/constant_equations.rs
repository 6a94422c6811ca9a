//! Equations that say `x = literal` once constants are put in.
//!
//! In: the values of constants and structural parameters. Out: the same values and those of the variables that
//! follow from them, folded into every expression, without the equations that give them. Sweeps until nothing
//! more follows: a capacity that comes out as zero takes its `der` along, and what that leaves alone is no state.

use ferrica_ir::causal::Kind;
use ferrica_ir::flat::Equation;
use ferrica_ir::{Expr, ExprArena, ExprId, Ty, VarId};

use crate::model::Dae;
use crate::parameters::Constants;
use crate::scan::Sweep;

/// Bound on the number of sweeps; each finds the next link of a chain.
const MAX_SWEEPS: usize = 20;

/// See the module comment.
pub fn fold(dae: &mut Dae, constants: &mut Constants) {
    let mut news = constants.values().any(Option::is_some);
    for _ in 0..MAX_SWEEPS {
        if news {
            substitute(dae, constants);
        }
        news = false;
        let equations = std::mem::take(&mut dae.equations);
        for eq in equations {
            let Some((x, value)) = constant(dae, constants, &eq) else {
                dae.equations.push(eq);
                continue;
            };
            constants[x] = Some(value);
            dae.vars[x].kind = Kind::Parameter;
            dae.vars[x].var.binding = Some(value);
            dae.vars[x].var.structural = true;
            news = true;
        }
        if !news {
            return;
        }
    }
    substitute(dae, constants);
}

/// The variable and its value when the equation is `x = literal`.
fn constant(dae: &mut Dae, constants: &Constants, eq: &Equation) -> Option<(VarId, ExprId)> {
    for (side, other) in [(eq.lhs, eq.rhs), (eq.rhs, eq.lhs)] {
        let Expr::Var(x) = dae.exprs.get(side) else {
            continue;
        };
        if !dae.exprs.is_literal(other)
            || constants[x].is_some()
            || !matches!(dae.vars[x].kind, Kind::Algebraic | Kind::Discrete)
        {
            continue;
        }
        let value = match (dae.vars[x].var.ty, dae.exprs.get(other)) {
            (Ty::Real, Expr::Int(k)) => dae.exprs.real(k as f64),
            _ => other,
        };
        if dae.exprs.ty(value) == dae.vars[x].var.ty {
            return Some((x, value));
        }
    }
    None
}

fn substitute(dae: &mut Dae, constants: &Constants) {
    let mut roots = Vec::new();
    dae.for_each_root(|e| roots.push(*e));
    let sweep = Sweep::new(
        &mut dae.exprs,
        &roots,
        &mut |a: &mut ExprArena, id| match a.get(id) {
            Expr::Var(v) | Expr::Pre(v) => constants[v],
            Expr::Der(v) if constants[v].is_some() => Some(a.real(0.0)),
            _ => None,
        },
    );
    dae.for_each_root(|e| *e = sweep.get(*e));
}
