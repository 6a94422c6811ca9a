//! Events and functions: relations in a body make none, relations in the arguments of a call do.

use ferrica_ir::flat::{FlatModel, Variability};
use ferrica_ir::{Builtin, Expr, ExprId, Ty};
use rustc_hash::FxHashMap;

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
        let mut turning = Turning::default();
        for local in &mut env.locals {
            local.value =
                local
                    .value
                    .map_scalars(&mut |e| match turning.makes_events(&self.flat, e) {
                        true => self.flat.exprs.builtin(Builtin::Argument, &[e]),
                        false => e,
                    });
        }
        env
    }

    /// The results of a call whose body takes its place: Real ones whose body holds relations are marked.
    pub(crate) fn without_events(&mut self, v: &Value) -> Value {
        let mut turning = Turning::default();
        v.map_scalars(&mut |root| {
            let exprs = &self.flat.exprs;
            match exprs.ty(root) == Ty::Real && turning.makes_events(&self.flat, root) {
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
            && Turning::default().makes_events(&self.flat, guard);
        Some(match of_a_function {
            true => self.flat.exprs.builtin(Builtin::NoEvent, &[guard]),
            false => guard,
        })
    }
}

/// What is known of expressions, so that parts that many results share are looked at once.
#[derive(Default)]
struct Turning {
    known: FxHashMap<ExprId, Known>,
    stack: Vec<ExprId>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    /// It reads what varies between events.
    continuous: bool,
    /// It holds a relation or a step function of what does, outside of `noEvent`, bodies and arguments.
    turns: bool,
}

impl Turning {
    fn makes_events(&mut self, flat: &FlatModel, root: ExprId) -> bool {
        self.stack.push(root);
        while let Some(&id) = self.stack.last() {
            if self.known.contains_key(&id) {
                self.stack.pop();
                continue;
            }
            let open = self.stack.len();
            flat.exprs.for_each_child(id, |c| {
                if !self.known.contains_key(&c) {
                    self.stack.push(c);
                }
            });
            if self.stack.len() == open {
                let known = self.of_node(flat, id);
                self.known.insert(id, known);
                self.stack.pop();
            }
        }
        self.known[&root].turns
    }

    /// Of an expression whose parts are known.
    fn of_node(&self, flat: &FlatModel, id: ExprId) -> Known {
        use Builtin::*;
        let mut known = Known::default();
        flat.exprs.for_each_child(id, |c| {
            known.continuous |= self.known[&c].continuous;
            known.turns |= self.known[&c].turns;
        });
        match flat.exprs.get(id) {
            Expr::Time | Expr::Der(_) | Expr::Local(_) | Expr::Load(..) => known.continuous = true,
            Expr::Var(v) => {
                known.continuous = flat.vars[v].variability == Variability::Continuous;
            }
            Expr::Binary(op, ..) => known.turns |= op.is_relation() && known.continuous,
            Expr::Builtin(NoEvent | Body | Argument, _) => known.turns = false,
            Expr::Builtin(f, _) => {
                let steps = matches!(f, Floor | Ceil | Integer | Div | Mod | Rem);
                known.turns |= steps && known.continuous;
            }
            _ => {}
        }
        known
    }
}
