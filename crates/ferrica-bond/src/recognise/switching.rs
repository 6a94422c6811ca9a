//! Does an element switch, and by what?
//!
//! A diode or a friction element decides by its own variables which law holds; a switch is told by a signal, a pulse
//! source by time. The law found at one operating point says nothing about the others.

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{BinaryOp, Expr, ExprId, VarId};

use rustc_hash::FxHashSet;

use super::operating::{Operating, local};
use crate::dual::Moving;
use crate::extract::{Element, is_discrete as is_discrete_equation};
use crate::steps::{Plan, Values, plan};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switching {
    Never,
    /// By discrete variables that do not follow from its own continuous ones.
    Told,
    /// By its own continuous variables.
    Itself,
}

pub fn switching(flat: &FlatModel, element: &Element, at: &Operating) -> Switching {
    // Variables that follow from time and parameters alone do not count as its own.
    let values = Values {
        time: at.time,
        values: local(flat, element, at),
        ..Values::default()
    };
    let of_time = plan(flat, &element.equations, &[], FxHashSet::default(), &values);
    let own = |flat: &FlatModel, roots: &[ExprId]| mentions_own(flat, roots, &of_time);
    let mut found = Switching::Never;
    for &k in &element.equations {
        let e = &flat.equations[k];
        if is_discrete_equation(flat, k) {
            if own(flat, &[e.lhs, e.rhs]) {
                return Switching::Itself;
            }
            continue;
        }
        let mut itself = false;
        flat.exprs
            .postorder(&[e.lhs, e.rhs], |id| match flat.exprs.get(id) {
                Expr::Binary(op, a, b) if is_order(op) => {
                    itself |= own(flat, &[a, b]);
                }
                Expr::Var(v) if is_discrete(flat, v) => found = Switching::Told,
                _ => {}
            });
        if itself {
            return Switching::Itself;
        }
    }
    found
}

fn is_order(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
    )
}

fn is_discrete(flat: &FlatModel, v: VarId) -> bool {
    let var = &flat.vars[v];
    var.variability == Variability::Discrete
        || (var.variability > Variability::Parameter && var.ty.is_discrete())
}

fn mentions_own(flat: &FlatModel, roots: &[ExprId], of_time: &Plan) -> bool {
    let mut found = false;
    flat.exprs.postorder(roots, |id| {
        if let Expr::Var(v) | Expr::Der(v) = flat.exprs.get(id) {
            found |= flat.vars[v].variability == Variability::Continuous
                && !is_discrete(flat, v)
                && !of_time.determines(Moving::Value(v));
        }
    });
    found
}
