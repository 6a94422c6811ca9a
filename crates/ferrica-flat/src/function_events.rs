//! Events and functions: relations in a body make none, relations in the arguments of a call do.

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Builtin, Expr, ExprId, Ty};
use rustc_hash::FxHashSet;

use crate::eval::Env;
use crate::flattener::Flattener;
use crate::value::Value;

impl Flattener<'_> {
    /// The arguments of a call whose body takes its place: those that make events are marked. In a call from a body none do.
    pub(crate) fn with_events(&mut self, env: &Env) -> Env {
        let mut env = env.clone();
        if !self.active.is_empty() || !self.lowering.is_empty() || self.constant {
            return env;
        }
        for local in &mut env.locals {
            local.value = local
                .value
                .map_scalars(&mut |e| match makes_events(&self.flat, e) {
                    true => self.flat.exprs.builtin(Builtin::Argument, &[e]),
                    false => e,
                });
        }
        env
    }

    /// The results of a call whose body takes its place: Real ones whose body holds relations are marked.
    pub(crate) fn without_events(&mut self, v: &Value) -> Value {
        v.map_scalars(&mut |root| {
            let exprs = &self.flat.exprs;
            match exprs.ty(root) == Ty::Real && makes_events(&self.flat, root) {
                true => self.flat.exprs.builtin(Builtin::Body, &[root]),
                false => root,
            }
        })
    }

    /// The conditions around an assertion: in the body of a function they make no events either.
    pub(crate) fn guard_of_an_assertion(&mut self) -> Option<ExprId> {
        let guard = self.guard()?;
        let of_a_function = !self.active.is_empty()
            && !self.is_of_a_when_clause(guard)
            && makes_events(&self.flat, guard);
        Some(match of_a_function {
            true => self.flat.exprs.builtin(Builtin::NoEvent, &[guard]),
            false => guard,
        })
    }
}

/// Does an expression hold a relation or a step function of what varies continuously, outside of `noEvent`, bodies and arguments?
fn makes_events(flat: &FlatModel, root: ExprId) -> bool {
    use Builtin::*;
    let exprs = &flat.exprs;
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let turns = match exprs.get(id) {
            Expr::Binary(op, ..) => op.is_relation(),
            Expr::Builtin(NoEvent | Body | Argument, _) => continue,
            Expr::Builtin(f, _) => matches!(f, Floor | Ceil | Integer | Div | Mod | Rem),
            _ => false,
        };
        if turns && is_continuous(flat, id) {
            return true;
        }
        exprs.for_each_child(id, |c| {
            if seen.insert(c) {
                stack.push(c);
            }
        });
    }
    false
}

/// Does an expression read what varies between events?
fn is_continuous(flat: &FlatModel, root: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        match flat.exprs.get(id) {
            Expr::Time | Expr::Der(_) | Expr::Local(_) | Expr::Load(..) => return true,
            Expr::Var(v) if flat.vars[v].variability == Variability::Continuous => return true,
            _ => flat.exprs.for_each_child(id, |c| {
                if seen.insert(c) {
                    stack.push(c);
                }
            }),
        }
    }
    false
}
