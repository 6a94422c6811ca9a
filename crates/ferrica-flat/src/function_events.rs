//! Events and functions: relations in a body make none, relations in the arguments of a call do.

use std::rc::Rc;

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Builtin, Diagnostic, Expr, ExprId, Span, Ty};
use rustc_hash::FxHashSet;

use crate::eval::Env;
use crate::exec::DYNAMIC;
use crate::flattener::Flattener;
use crate::instance::ScopeId;
use crate::signature::Signature;
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// Relations in the body of a function make no events: Real results that hold any are marked so. Those of its arguments stand in
    /// an equation and do: where both are there, the function is called, and its arguments stay outside. The outermost call decides.
    pub(crate) fn inlined(
        &mut self,
        v: &Value,
        scope: ScopeId,
        signature: &Rc<Signature<'a>>,
        env: &Env,
        span: Span,
    ) -> Value {
        if !self.active.is_empty() {
            return v.clone();
        }
        let mut arguments = Vec::new();
        for local in &env.locals {
            local.value.scalars(&mut arguments);
        }
        let outside: FxHashSet<ExprId> = arguments.iter().copied().collect();
        let mut results = Vec::new();
        v.scalars(&mut results);
        if !results.iter().any(|&id| self.is_marked(id, &outside)) {
            return v.clone();
        }
        let none = FxHashSet::default();
        let has_events = |&id: &ExprId| makes_events(&self.flat, id, &none);
        if !self.constant && arguments.iter().any(has_events) {
            let marks = self.diagnostics.len();
            let why = Diagnostic::error(DYNAMIC, span, "events of arguments");
            match self.runtime_call(scope, signature, env, span, &why) {
                Ok(call) => return call,
                Err(_) => self.forget_messages(marks),
            }
        }
        self.without_events(v, &outside)
    }

    pub(crate) fn without_events(&mut self, v: &Value, outside: &FxHashSet<ExprId>) -> Value {
        v.map_scalars(&mut |root| match self.is_marked(root, outside) {
            true => self.flat.exprs.builtin(Builtin::NoEvent, &[root]),
            false => root,
        })
    }

    /// Must a result be marked?
    fn is_marked(&self, root: ExprId, outside: &FxHashSet<ExprId>) -> bool {
        self.flat.exprs.ty(root) == Ty::Real && makes_events(&self.flat, root, outside)
    }
}

/// Does an expression hold a relation or a step function of what varies continuously, outside of `noEvent` and not in the given parts?
fn makes_events(flat: &FlatModel, root: ExprId, outside: &FxHashSet<ExprId>) -> bool {
    let exprs = &flat.exprs;
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if outside.contains(&id) {
            continue;
        }
        let turns = match exprs.get(id) {
            Expr::Binary(op, ..) => op.is_relation(),
            Expr::Builtin(Builtin::NoEvent, _) => continue,
            Expr::Builtin(f, _) => matches!(
                f,
                Builtin::Floor
                    | Builtin::Ceil
                    | Builtin::Integer
                    | Builtin::Div
                    | Builtin::Mod
                    | Builtin::Rem
            ),
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
