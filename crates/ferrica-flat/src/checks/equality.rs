//! `==` and `<>` between Reals that change all the time (section 3.5): no event can find the instant at which they are equal.
//!
//! In: the comparisons outside of functions, kept while equations are made, and the flat model. Out: an error for each whose sides follow
//! time or a state. Parameters and discrete values may be compared, and anything within `noEvent`: their meaning is clear.

use ferrica_ir::flat::Origin;
use ferrica_ir::{BinaryOp, Builtin, Diagnostic, Expr, ExprId, Ty, VarId};
use rustc_hash::FxHashSet;

use crate::flattener::Flattener;

impl Flattener<'_> {
    /// Keeps a comparison for the check.
    pub(crate) fn note_equality(
        &mut self,
        op: BinaryOp,
        e: ExprId,
        types: [Ty; 2],
        span: ferrica_ir::Span,
    ) {
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let in_model = self.active.is_empty() && self.lowering.is_empty() && !self.constant;
        if equality && in_model && types.contains(&Ty::Real) {
            self.equalities.insert(e, span);
        }
    }

    pub(crate) fn check_equalities(&mut self, differentiated: &FxHashSet<VarId>) {
        if self.equalities.is_empty() {
            return;
        }
        let moving = self.moving(differentiated);
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<ExprId> = (self.flat.equations.iter())
            .flat_map(|e| [e.lhs, e.rhs])
            .collect();
        while let Some(id) = stack.pop() {
            match self.flat.exprs.get(id) {
                Expr::Builtin(Builtin::NoEvent, _) => continue,
                Expr::Binary(op, a, b)
                    if self.equalities.contains_key(&id)
                        && (self.moves(a, &moving) || self.moves(b, &moving)) =>
                {
                    found.push((self.equalities[&id], op));
                }
                _ => {}
            }
            self.flat.exprs.for_each_child(id, |c| {
                if seen.insert(c) {
                    stack.push(c);
                }
            });
        }
        for (span, op) in found {
            let symbol = if op == BinaryOp::Eq { "==" } else { "<>" };
            let text = format!(
                "`{symbol}` compares Reals that change all the time: they are equal at no instant that can be found"
            );
            let hint = "write a relation such as `a >= b`, or `abs(a - b) < eps`; `==` is for Integers and functions";
            self.report(Box::new(
                Diagnostic::error("E0379", span, text).with_hint(hint),
            ));
        }
    }

    /// Variables that follow time or a state: `x = …` with such a value, again and again.
    fn moving(&self, differentiated: &FxHashSet<VarId>) -> FxHashSet<VarId> {
        let mut moving = differentiated.clone();
        loop {
            let before = moving.len();
            for e in &self.flat.equations {
                let sides = [(e.lhs, e.rhs), (e.rhs, e.lhs)];
                for (x, value) in sides {
                    if let Expr::Var(v) = self.flat.exprs.get(x)
                        && matches!(e.origin, Origin::Equation | Origin::Binding)
                        && self.flat.vars[v].ty == Ty::Real
                        && self.moves(value, &moving)
                    {
                        moving.insert(v);
                    }
                }
            }
            if moving.len() == before {
                return moving;
            }
        }
    }

    /// Does a value change between events, as far as sums and products tell?
    fn moves(&self, root: ExprId, moving: &FxHashSet<VarId>) -> bool {
        let x = &self.flat.exprs;
        let mut stack = vec![root];
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match x.get(id) {
                Expr::Time | Expr::Der(_) => return true,
                Expr::Var(v) if moving.contains(&v) => return true,
                Expr::Binary(op, a, b) if !op.is_relation() => stack.extend([a, b]),
                Expr::Unary(_, a) => stack.push(a),
                _ => {}
            }
        }
        false
    }
}
