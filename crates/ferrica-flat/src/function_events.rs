//! Events and functions: relations in a body make none, relations in the arguments of a call do.

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Builtin, Expr, ExprId, Ty};

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
            local.value = local.value.map_scalars(&mut |e| match makes_events(
                &self.flat,
                &mut self.event_memo,
                e,
            ) {
                true => self.flat.exprs.builtin(Builtin::Argument, &[e]),
                false => e,
            });
        }
        env
    }

    /// The results of a call whose body takes its place: Real ones whose body holds relations are marked.
    pub(crate) fn without_events(&mut self, v: &Value) -> Value {
        v.map_scalars(&mut |root| match self.flat.exprs.ty(root) == Ty::Real
            && makes_events(&self.flat, &mut self.event_memo, root)
        {
            true => self.flat.exprs.builtin(Builtin::Body, &[root]),
            false => root,
        })
    }

    /// The conditions around an assertion: in the body of a function they make no events either.
    pub(crate) fn guard_of_an_assertion(&mut self) -> Option<ExprId> {
        let guard = self.guard()?;
        let of_a_function = !self.active.is_empty()
            && !self.is_of_a_when_clause(guard)
            && makes_events(&self.flat, &mut self.event_memo, guard);
        Some(match of_a_function {
            true => self.flat.exprs.builtin(Builtin::NoEvent, &[guard]),
            false => guard,
        })
    }
}

/// What is known of expressions: answers are kept, for results of one call share most of their parts, and what a loop adds up is read by each of its rounds.
#[derive(Default)]
pub(crate) struct EventMemo {
    makes_events: Vec<Option<bool>>,
    continuous: Vec<Option<bool>>,
}

/// Does an expression hold a relation or a step function of what varies continuously, outside of `noEvent`, bodies and arguments?
fn makes_events(flat: &FlatModel, memo: &mut EventMemo, root: ExprId) -> bool {
    use Builtin::*;
    let continuous = &mut memo.continuous;
    holds_below(flat, &mut memo.makes_events, root, |id, expr| {
        let turns = match expr {
            Expr::Binary(op, ..) => op.is_relation(),
            Expr::Builtin(NoEvent | Body | Argument, _) => return Some(false),
            Expr::Builtin(f, _) => matches!(f, Floor | Ceil | Integer | Div | Mod | Rem),
            _ => false,
        };
        (turns && is_continuous(flat, continuous, id)).then_some(true)
    })
}

/// Does an expression read what varies between events? A variable that a when-clause turns out to determine later counts as what it was taken for.
fn is_continuous(flat: &FlatModel, memo: &mut Vec<Option<bool>>, root: ExprId) -> bool {
    holds_below(flat, memo, root, |_, expr| match expr {
        Expr::Time | Expr::Der(_) | Expr::Local(_) | Expr::Load(..) => Some(true),
        Expr::Var(v) => Some(flat.vars[v].variability == Variability::Continuous),
        _ => None,
    })
}

/// Is something true of an expression or of one of its parts? `here` says what a node decides by itself. Each node is looked at once.
fn holds_below(
    flat: &FlatModel,
    memo: &mut Vec<Option<bool>>,
    root: ExprId,
    mut here: impl FnMut(ExprId, Expr) -> Option<bool>,
) -> bool {
    let exprs = &flat.exprs;
    let at = |id: ExprId| id.as_u32() as usize;
    if memo.len() < exprs.len() {
        memo.resize(exprs.len(), None);
    }
    let mut stack = vec![(root, false)];
    while let Some((id, expanded)) = stack.pop() {
        if memo[at(id)].is_some() {
            continue;
        }
        if expanded {
            let mut any = false;
            exprs.for_each_child(id, |c| any |= memo[at(c)] == Some(true));
            memo[at(id)] = Some(any);
            continue;
        }
        match here(id, exprs.get(id)) {
            Some(known) => memo[at(id)] = Some(known),
            None => {
                stack.push((id, true));
                exprs.for_each_child(id, |c| stack.push((c, false)));
            }
        }
    }
    memo[at(root)] == Some(true)
}
