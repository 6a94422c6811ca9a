//! Events and functions: relations in a body make none.

use ferrica_ir::{Builtin, Expr, ExprArena, ExprId, Ty};
use rustc_hash::FxHashSet;

use crate::flattener::Flattener;
use crate::value::Value;

impl Flattener<'_> {
    /// Relations in the body of a function make no events: Real results that hold any are marked so. Those of its arguments are
    /// marked with them.
    pub(crate) fn without_events(&mut self, v: &Value) -> Value {
        v.map_scalars(&mut |root| {
            let exprs = &self.flat.exprs;
            match exprs.ty(root) == Ty::Real && makes_events(exprs, root) {
                true => self.flat.exprs.builtin(Builtin::NoEvent, &[root]),
                false => root,
            }
        })
    }
}

/// Does an expression hold a relation or a step function outside of `noEvent`?
fn makes_events(exprs: &ExprArena, root: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        match exprs.get(id) {
            Expr::Binary(op, ..) if op.is_relation() => return true,
            Expr::Builtin(
                Builtin::Floor
                | Builtin::Ceil
                | Builtin::Integer
                | Builtin::Div
                | Builtin::Mod
                | Builtin::Rem,
                _,
            ) => return true,
            Expr::Builtin(Builtin::NoEvent, _) => {}
            _ => exprs.for_each_child(id, |c| {
                if seen.insert(c) {
                    stack.push(c);
                }
            }),
        }
    }
    false
}
