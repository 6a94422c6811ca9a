//! Explicit solution of one equation for one unknown.
//!
//! In: an equation and an unknown it contains. Out: the unknown as an expression, where the
//! equation is affine in it. How safe the division is, is part of the answer.

use ferrica_dae::affine::Decomposer;
use ferrica_dae::scan::Flags;
use ferrica_ir::causal::Kind;
use ferrica_ir::{BinaryOp, Expr, ExprArena, ExprId, UnaryOp, VarId};

use ferrica_dae::Dae;

/// Bits: what an expression depends on.
pub const CONTINUOUS: u16 = 1;
pub const DISCRETE: u16 = 2;
pub const RUN_TIME_CHOICE: u16 = 4;

/// What nodes depend on, kept up to date as the arena grows.
#[derive(Default)]
pub struct Dependence {
    flags: Flags,
}

impl Dependence {
    pub fn of(&mut self, dae: &Dae, e: ExprId) -> u16 {
        self.flags.update(&dae.exprs, |id| match dae.exprs.get(id) {
            Expr::Time => CONTINUOUS,
            Expr::Pre(_) => DISCRETE,
            Expr::Var(v) => match dae.vars[v].kind {
                _ if dae.run_time_choice[v] => RUN_TIME_CHOICE,
                Kind::Parameter | Kind::External => 0,
                Kind::Discrete | Kind::Relation => DISCRETE,
                _ => CONTINUOUS,
            },
            Expr::Call(f, _) if !dae.functions[f].pure => CONTINUOUS,
            _ => 0,
        });
        self.flags.get(e)
    }
}

/// How the unknown was isolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// None, or by a literal.
    Literal,
    /// By this expression of parameters.
    Parameter(ExprId),
    /// By this expression, which varies: it may vanish at run time.
    Varying(ExprId),
}

/// `unknown` from `lhs = rhs`; `None` when the equation is not affine in it or does not determine
/// it.
pub fn explicit(
    dae: &mut Dae,
    decomposer: &mut Decomposer,
    dependence: &mut Dependence,
    lhs: ExprId,
    rhs: ExprId,
    unknown: VarId,
) -> Option<(ExprId, Division)> {
    let is_unknown = |e: Expr| (e == Expr::Var(unknown)).then_some(0);
    for (side, other) in [(lhs, rhs), (rhs, lhs)] {
        if dae.exprs.get(side) == Expr::Var(unknown) && !contains(&dae.exprs, other, unknown) {
            return Some((other, Division::Literal));
        }
    }
    let affine = match decomposer.residual(&mut dae.exprs, lhs, rhs, &is_unknown) {
        Some(affine) => affine,
        // b = n/d(x) with an affine d: b·d(x) = n.
        None => {
            let (other, n, d) =
                [(lhs, rhs), (rhs, lhs)]
                    .into_iter()
                    .find_map(|(other, side)| match dae.exprs.get(side) {
                        Expr::Binary(BinaryOp::Div, n, d)
                            if !contains(&dae.exprs, other, unknown)
                                && !contains(&dae.exprs, n, unknown) =>
                        {
                            Some((other, n, d))
                        }
                        _ => None,
                    })?;
            let product = dae.exprs.mul(other, d);
            decomposer.residual(&mut dae.exprs, product, n, &is_unknown)?
        }
    };
    let &[(_, a)] = &affine.terms[..] else {
        return None;
    };
    let zero = dae.exprs.real(0.0);
    let b = affine.rest.unwrap_or(zero);
    // a·x + b = 0
    if dae.exprs.is_one(a) {
        return Some((dae.exprs.neg(b), Division::Literal));
    }
    if dae.exprs.as_f64(a) == Some(-1.0) {
        return Some((b, Division::Literal));
    }
    let division = if dae.exprs.is_literal(a) {
        Division::Literal
    } else if dependence.of(dae, a) == 0 {
        Division::Parameter(a)
    } else {
        Division::Varying(a)
    };
    let minus = dae.exprs.neg(b);
    Some((dae.exprs.div(minus, a), division))
}

/// Does the expression contain the variable?
pub fn contains(arena: &ExprArena, e: ExprId, v: VarId) -> bool {
    arena.any(e, |node| node == Expr::Var(v))
}

/// Is `e` zero in a mode: an if-expression with a branch that is zero, or a product with such a factor?
pub fn is_zero_in_a_mode(arena: &ExprArena, e: ExprId) -> bool {
    match arena.get(e) {
        Expr::If(_, a, b) => [a, b]
            .into_iter()
            .any(|x| arena.is_zero(x) || is_zero_in_a_mode(arena, x)),
        Expr::Unary(UnaryOp::Neg, x) | Expr::Binary(BinaryOp::Div, x, _) => {
            is_zero_in_a_mode(arena, x)
        }
        Expr::Binary(BinaryOp::Mul, a, b) => {
            is_zero_in_a_mode(arena, a) || is_zero_in_a_mode(arena, b)
        }
        _ => false,
    }
}

/// Is zero one of the values that an if-expression in `e` chooses between? Such a coefficient
/// vanishes in a mode of the model (a clutch that is locked), not by chance.
pub fn vanishes_in_a_mode(arena: &ExprArena, e: ExprId) -> bool {
    let mut found = false;
    arena.postorder(&[e], |id| {
        if let Expr::If(_, a, b) = arena.get(id) {
            found |= arena.is_zero(a) || arena.is_zero(b);
        }
    });
    found
}
