//! Discrete values that are computed from what moves by functions or by algorithms with loops at run time, which make no events of their own.
//!
//! In: the flat equations. Out: such values as `integer` of themselves, whose jumps are events, where a when-clause, `edge`, `change` or `pre` depends on
//! them: a condition is looked at when something happens, and would never see such a value move. What only equations read is followed all the time.

use ferrica_ir::flat::{Origin, Variability};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flattener::Flattener;

impl Flattener<'_> {
    /// A value that jumps while what it is computed from moves, with events where it does.
    pub(crate) fn jumping(&mut self, value: ExprId) -> ExprId {
        let x = &mut self.flat.exprs;
        let half = x.real(0.5);
        match x.ty(value) {
            Ty::Integer => {
                let middle = x.add(value, half);
                x.builtin(Builtin::Integer, &[middle])
            }
            Ty::Boolean => {
                let (zero, one) = (x.real(0.0), x.real(1.0));
                let number = x.if_then_else(value, one, zero);
                x.binary(BinaryOp::Gt, number, half)
            }
            Ty::Enum(of) => {
                let number = x.builtin(Builtin::EnumToInt, &[value]);
                let middle = x.add(number, half);
                let number = x.builtin(Builtin::Integer, &[middle]);
                let marker = x.enum_literal(of, 1);
                x.builtin(Builtin::IntToEnum, &[marker, number])
            }
            _ => value,
        }
    }

    /// See the module comment.
    pub(crate) fn events_of_functions(&mut self) {
        if self.flat.functions.is_empty() {
            return;
        }
        // Equations of discrete variables whose functions move.
        let mut equations: FxHashMap<VarId, usize> = FxHashMap::default();
        let mut moving = Vec::new();
        for (k, e) in self.flat.equations.iter().enumerate() {
            let Expr::Var(v) = self.flat.exprs.get(e.lhs) else {
                continue;
            };
            let written = matches!(e.origin, Origin::Equation | Origin::Binding);
            if !written || !self.flat.vars[v].ty.is_discrete() {
                continue;
            }
            equations.insert(v, k);
            if self.has_moving_call(e.rhs) {
                moving.push((v, k));
            }
        }
        if moving.is_empty() {
            return;
        }
        let looked_at = self.looked_at_in_events(&equations);
        for (v, k) in moving {
            if looked_at.contains(&v) {
                let value = self.flat.equations[k].rhs;
                self.flat.equations[k].rhs = self.jumping(value);
            }
        }
    }

    /// A function with a discrete result of what moves.
    fn has_moving_call(&self, e: ExprId) -> bool {
        let x = &self.flat.exprs;
        let mut calls = Vec::new();
        x.postorder(&[e], |id| {
            let is_call = matches!(x.get(id), Expr::Call(..) | Expr::Proj(..));
            if is_call && x.ty(id).is_discrete() {
                calls.push(id);
            }
        });
        calls.into_iter().any(|call| self.reads_what_moves(call))
    }

    pub(crate) fn reads_what_moves(&self, e: ExprId) -> bool {
        let x = &self.flat.exprs;
        let mut found = false;
        x.postorder(&[e], |id| match x.get(id) {
            Expr::Time | Expr::Der(_) => found = true,
            Expr::Var(v) => {
                let var = &self.flat.vars[v];
                found |= var.ty == Ty::Real && var.variability == Variability::Continuous;
            }
            _ => {}
        });
        found
    }

    /// Discrete variables that conditions of when-clauses and left limits read, also through other discrete ones.
    fn looked_at_in_events(&self, equations: &FxHashMap<VarId, usize>) -> FxHashSet<VarId> {
        let x = &self.flat.exprs;
        let mut roots = Vec::new();
        let mut out = FxHashSet::default();
        let mut open = Vec::new();
        for id in x.ids() {
            match x.get(id) {
                Expr::Builtin(Builtin::WhenFires | Builtin::Edge | Builtin::Change, args) => {
                    roots.extend_from_slice(x.args(args));
                }
                Expr::Pre(v) => open.push(v),
                _ => {}
            }
        }
        let read = |roots: &[ExprId], open: &mut Vec<VarId>| {
            x.postorder(roots, |id| {
                if let Expr::Var(v) = x.get(id) {
                    open.push(v);
                }
            });
        };
        read(&roots, &mut open);
        while let Some(v) = open.pop() {
            if let (Some(&k), true) = (equations.get(&v), out.insert(v)) {
                read(&[self.flat.equations[k].rhs], &mut open);
            }
        }
        out
    }
}
