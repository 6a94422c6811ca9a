//! Nonlinear loops.
//!
//! In: the equations of a component. Out: iteration variables, inner assignments and residuals by
//! tearing, and the Jacobian of the residuals by the chain rule through the inner assignments.
//!
//! In the initial system, unknowns whose start values the model gives are iteration variables first: Newton's method begins where
//! the modeller meant it to. The loop torn for the fewest unknowns is kept beside it, for where that does not converge. So is, beside one whose
//! assignments are a long chain, the loop torn into short ones: a ladder of nonlinear elements has one iteration variable at its end, which
//! comes out at the other end 10^50 times larger.
//!
//! An equation is solved inside the loop only where the division is safe: by a literal or by a
//! parameter expression that is not zero.

use ferrica_dae::Dae;
use ferrica_dae::differentiate::Differentiator;
use ferrica_ir::causal::{Assign, Kind, NonlinearBlock};
use ferrica_ir::{Expr, ExprId, Span, Ty, VarId};
use rustc_hash::FxHashMap;

use crate::blocks::{Builder, Row};
use crate::solve::{Division, explicit};
use crate::tearing::{Torn, tear};

/// Beyond this many derivative assignments the chain rule is left to the solver's differences.
const MAX_JACOBIAN_ASSIGNMENTS: usize = 20_000;
/// Up to so many unknowns a derivative of each is worth its own expression, whatever it is.
const FEW_UNKNOWNS: usize = 4;

/// A chain of assignments up to this depth is no recurrence that could run away: at a gain of three a step it loses half of the digits.
const DEEP: usize = 16;

/// See the module comment.
pub fn build(builder: &mut Builder, dae: &mut Dae, rows: &[Row]) -> NonlinearBlock {
    let unknowns: Vec<VarId> = rows.iter().map(|r| r.unknown).collect();
    builder.local.set(&unknowns);
    let mut solutions: FxHashMap<(u32, u32), ExprId> = FxHashMap::default();
    let mut local: Vec<Vec<(u32, bool)>> = Vec::with_capacity(rows.len());
    for (i, r) in rows.iter().enumerate() {
        builder
            .scanner
            .scan(dae, builder.local.get(), unknowns.len(), r.lhs, r.rhs);
        let solvable = builder.scanner.solvable.clone();
        let read = builder.scanner.read.clone();
        let mut row = Vec::with_capacity(solvable.len() + read.len());
        for c in solvable {
            let found = explicit(
                dae,
                &mut builder.decomposer,
                &mut builder.dependence,
                r.lhs,
                r.rhs,
                unknowns[c as usize],
            )
            .filter(|(_, division)| match *division {
                Division::Literal => true,
                // A parameter that is zero now gives no pivot.
                Division::Parameter(a) => builder
                    .values(dae)
                    .value(dae, a)
                    .is_some_and(|v| v.is_finite() && v.abs() > 1e-12),
                Division::Varying(_) => false,
            });
            if let Some((e, _)) = found {
                solutions.insert((i as u32, c), e);
            }
            row.push((c, found.is_some()));
        }
        row.extend(read.into_iter().map(|c| (c, false)));
        local.push(row);
    }
    builder.local.clear(&unknowns);
    let guessed: Vec<bool> = unknowns
        .iter()
        .map(|&v| builder.initial && has_own_start(dae, v))
        .collect();
    let torn = tear(&local, &guessed, usize::MAX);
    let mut block = assemble(dae, rows, &unknowns, &torn, &solutions);
    block.jacobian = jacobian(builder, dae, &mut block);
    let deep = torn.depth > DEEP;
    if deep || guessed.contains(&true) {
        let depth = if deep { DEEP } else { usize::MAX };
        let other = tear(&local, &vec![false; unknowns.len()], depth);
        if other.iteration != torn.iteration {
            let other = assemble(dae, rows, &unknowns, &other, &solutions);
            block.other = Some(Box::new(other));
        }
    }
    block
}

/// Does the start value follow from parameters of the model? One that is written into the type of a variable (a density of
/// one) is a guess for all models and none for this one.
fn has_own_start(dae: &Dae, v: VarId) -> bool {
    let start = dae.vars[v].var.start;
    start.is_some_and(|e| !dae.exprs.is_literal(e))
}

fn assemble(
    dae: &mut Dae,
    rows: &[Row],
    unknowns: &[VarId],
    torn: &Torn,
    solutions: &FxHashMap<(u32, u32), ExprId>,
) -> NonlinearBlock {
    let inner: Vec<Assign> = torn
        .inner
        .iter()
        .map(|&(i, c)| Assign {
            var: unknowns[c as usize],
            expr: solutions[&(i, c)],
            equation: rows[i as usize].equation,
        })
        .collect();
    let iteration: Vec<VarId> = torn
        .iteration
        .iter()
        .map(|&c| unknowns[c as usize])
        .collect();
    let residuals: Vec<ExprId> = torn
        .residuals
        .iter()
        .map(|&i| dae.exprs.sub(rows[i as usize].lhs, rows[i as usize].rhs))
        .collect();
    NonlinearBlock {
        unknowns: iteration,
        inner,
        residuals,
        jacobian: None,
        jacobian_inner: Vec::new(),
        equations: torn
            .residuals
            .iter()
            .map(|&i| rows[i as usize].equation)
            .collect(),
        other: None,
    }
}

fn jacobian(
    builder: &mut Builder,
    dae: &mut Dae,
    block: &mut NonlinearBlock,
) -> Option<Vec<(u32, u32, ExprId)>> {
    let mut extra = Vec::new();
    let entries = by_columns(
        builder,
        dae,
        &block.unknowns,
        &block.inner,
        &block.residuals,
        &mut extra,
    )?;
    block.jacobian_inner = extra;
    Some(entries)
}

/// Column by column: derivatives of the inner variables, then of the residuals.
fn by_columns(
    builder: &mut Builder,
    dae: &mut Dae,
    iteration: &[VarId],
    inner: &[Assign],
    residuals: &[ExprId],
    extra: &mut Vec<Assign>,
) -> Option<Vec<(u32, u32, ExprId)>> {
    if iteration.len() > FEW_UNKNOWNS && takes_one_of_many(dae, inner, residuals) {
        return None;
    }
    let mut entries = Vec::new();
    for (j, &x) in iteration.iter().enumerate() {
        // Derivative of each variable of the loop with respect to x.
        let mut seeds: FxHashMap<VarId, ExprId> = FxHashMap::default();
        let one = dae.exprs.real(1.0);
        seeds.insert(x, one);
        for a in inner {
            let d = derivative(builder, dae, &seeds, a.expr)?;
            let Some(d) = d else { continue };
            let seed = if is_simple(dae, d) {
                d
            } else {
                if extra.len() >= MAX_JACOBIAN_ASSIGNMENTS {
                    return None;
                }
                let name = format!(
                    "$d({})/d({})",
                    dae.vars[a.var].var.name, dae.vars[x].var.name
                );
                let v = dae.new_var(name, Ty::Real, Kind::Algebraic, Span::NONE);
                extra.push(Assign {
                    var: v,
                    expr: d,
                    equation: a.equation,
                });
                dae.var_expr(v)
            };
            seeds.insert(a.var, seed);
        }
        for (i, &r) in residuals.iter().enumerate() {
            if let Some(d) = derivative(builder, dae, &seeds, r)? {
                entries.push((i as u32, j as u32, d));
            }
        }
    }
    Some(entries)
}

/// Does an expression take one of several results of a call? Its derivative would be a call for each pair of a result and
/// an unknown, where one sweep a direction serves all results.
fn takes_one_of_many(dae: &Dae, inner: &[Assign], residuals: &[ExprId]) -> bool {
    let roots: Vec<ExprId> = (inner.iter().map(|a| a.expr))
        .chain(residuals.iter().copied())
        .collect();
    let mut found = false;
    dae.exprs.postorder(&roots, |e| {
        found |= matches!(dae.exprs.get(e), Expr::Proj(..));
    });
    found
}

fn is_simple(dae: &Dae, e: ExprId) -> bool {
    dae.exprs.is_literal(e) || matches!(dae.exprs.get(e), Expr::Var(_))
}

/// `Some(None)`: zero. `None`: no symbolic derivative.
fn derivative(
    builder: &mut Builder,
    dae: &mut Dae,
    seeds: &FxHashMap<VarId, ExprId>,
    e: ExprId,
) -> Option<Option<ExprId>> {
    let mut d = Differentiator::new(&mut dae.functions, &mut builder.derivatives);
    d.derivative(&mut dae.exprs, e, &mut |_, leaf| {
        Ok(match leaf {
            Expr::Var(v) => seeds.get(&v).copied(),
            _ => None,
        })
    })
    .ok()
}
