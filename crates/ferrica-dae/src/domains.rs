//! Branches that have no value beyond their condition.
//!
//! In: expressions whose conditions are memories of relations. Out: the same, where in `if p > 0 then sqrt(p) else 0` the branch is left as soon as it has no
//! value and its condition, by the values of its sides, does not hold.
//!
//! A relation keeps its side until the event, and every engine tries points beyond its threshold to find where that is. What the branch that was
//! left is there does not matter, but it must be a number. So `if m then a else b`, with the memory m of a relation r, becomes
//! `if m and (r or d) then a else b`, d being the domain of a: where both r and d fail, the other branch holds. A branch without a value where its own condition
//! does hold stays what it is, a mistake of the model.
//!
//! Nothing is asked of r or d that the branch did not read before in a nonlinear way, so that equations keep their unknowns; a relation of other variables
//! guards nothing here.

use ferrica_ir::causal::Kind;
use ferrica_ir::flat::Origin;
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Dae;

/// See the module comment.
pub fn guard(dae: &mut Dae) {
    let partial = dae.exprs.ids().any(|id| match dae.exprs.get(id) {
        Expr::Binary(op, ..) => op == BinaryOp::Pow,
        Expr::Builtin(f, _) => matches!(
            f,
            Builtin::Sqrt | Builtin::Log | Builtin::Log10 | Builtin::Asin | Builtin::Acos
        ),
        _ => false,
    });
    if dae.relations.is_empty() || !partial {
        return;
    }
    let mut pass = Pass {
        sides: FxHashMap::default(),
        memo: FxHashMap::default(),
        domains: FxHashMap::default(),
        known: known(dae),
    };
    for r in &dae.relations {
        let now = dae.exprs.binary(r.op, r.lhs, r.rhs);
        pass.sides.insert(r.memory, now);
    }
    let mut exprs = std::mem::take(&mut dae.exprs);
    let defined = defined(dae, &exprs);
    pass.follow(&mut exprs, &defined);
    for e in &mut dae.equations {
        e.lhs = pass.rewrite(&mut exprs, e.lhs);
        e.rhs = pass.rewrite(&mut exprs, e.rhs);
    }
    for d in &mut dae.delays {
        d.source = pass.rewrite(&mut exprs, d.source);
    }
    for r in &mut dae.relations {
        r.lhs = pass.rewrite(&mut exprs, r.lhs);
        r.rhs = pass.rewrite(&mut exprs, r.rhs);
    }
    dae.exprs = exprs;
}

/// Variables that are no unknowns of a continuous equation.
fn known(dae: &Dae) -> FxHashSet<VarId> {
    let fixed = |kind| {
        matches!(
            kind,
            Kind::Parameter | Kind::External | Kind::Discrete | Kind::Relation
        )
    };
    (dae.vars.iter())
        .filter(|(_, v)| fixed(v.kind))
        .map(|(id, _)| id)
        .collect()
}

/// Booleans that are equal to an expression of what is now, as `low = h < 1`.
fn defined(dae: &Dae, a: &ExprArena) -> Vec<(VarId, ExprId)> {
    let of_now = |e: ExprId| {
        let mut now = true;
        a.postorder(&[e], |id| {
            now &= !matches!(a.get(id), Expr::Pre(_) | Expr::Builtin(..) | Expr::Call(..));
        });
        now
    };
    (dae.equations.iter())
        .filter(|e| e.origin != Origin::When)
        .filter_map(|e| match a.get(e.lhs) {
            Expr::Var(v) if dae.vars[v].var.ty == Ty::Boolean => Some((v, e.rhs)),
            _ => None,
        })
        .filter(|&(v, e)| dae.vars[v].kind == Kind::Discrete && of_now(e))
        .collect()
}

struct Pass {
    /// What Booleans are by the values now: relations by their memories, and what is defined by them.
    sides: FxHashMap<VarId, ExprId>,
    memo: FxHashMap<ExprId, ExprId>,
    /// Where rewritten expressions have a value, if that is not everywhere.
    domains: FxHashMap<ExprId, Option<ExprId>>,
    known: FxHashSet<VarId>,
}

impl Pass {
    /// Notes what these Booleans are by values: those first that look at relations, then those that look at them.
    fn follow(&mut self, a: &mut ExprArena, defined: &[(VarId, ExprId)]) {
        let mut open: Vec<(VarId, ExprId)> = defined.to_vec();
        let mut later: FxHashSet<VarId> = defined.iter().map(|d| d.0).collect();
        loop {
            let before = open.len();
            open.retain(|&(v, e)| {
                let mut waits = false;
                a.postorder(&[e], |id| {
                    if let Expr::Var(w) = a.get(id) {
                        waits |= later.contains(&w);
                    }
                });
                if !waits {
                    later.remove(&v);
                    if let Some(now) = self.by_values(a, e) {
                        self.sides.insert(v, now);
                    }
                }
                waits
            });
            if open.len() == before {
                break;
            }
        }
    }

    /// Iterative.
    fn rewrite(&mut self, a: &mut ExprArena, root: ExprId) -> ExprId {
        let mut stack = vec![(root, false)];
        while let Some((id, expanded)) = stack.pop() {
            if self.memo.contains_key(&id) {
                continue;
            }
            if !expanded {
                stack.push((id, true));
                a.for_each_child(id, |c| stack.push((c, false)));
                continue;
            }
            let new = a.map_children(id, |c| self.memo[&c]);
            let new = match a.get(new) {
                Expr::If(c, yes, no) => self.guarded(a, c, yes, no).unwrap_or(new),
                _ => new,
            };
            self.memo.insert(id, new);
        }
        self.memo[&root]
    }

    /// The choice with guards, if its condition looks at relations and a branch needs them.
    fn guarded(
        &mut self,
        a: &mut ExprArena,
        condition: ExprId,
        yes: ExprId,
        no: ExprId,
    ) -> Option<ExprId> {
        let now = self.by_values(a, condition)?;
        let has_yes = self
            .domain(a, yes)
            .filter(|&d| self.reads_no_more(a, now, d));
        let has_no = self
            .domain(a, no)
            .filter(|&d| self.reads_no_more(a, now, d));
        if has_yes.is_none() && has_no.is_none() {
            return None;
        }
        let mut first = condition;
        if let Some(domain) = has_yes {
            let either = a.binary(BinaryOp::Or, now, domain);
            first = a.binary(BinaryOp::And, first, either);
        }
        if let Some(domain) = has_no {
            let outside = a.not(domain);
            let left = a.binary(BinaryOp::And, now, outside);
            first = a.binary(BinaryOp::Or, first, left);
        }
        Some(a.if_then_else(first, yes, no))
    }

    /// A condition with its relations instead of their memories, if it has any.
    fn by_values(&self, a: &mut ExprArena, condition: ExprId) -> Option<ExprId> {
        let mut memo = FxHashMap::default();
        let now = a.rewrite(condition, &mut memo, &mut |a, id| match a.get(id) {
            Expr::Var(v) => self.sides.get(&v).copied(),
            // What is true in one pass of an event is no relation.
            Expr::Builtin(..) => Some(id),
            _ => None,
        });
        (now != condition).then_some(now)
    }

    /// Are the unknowns of the relations among those of the domain?
    fn reads_no_more(&self, a: &ExprArena, now: ExprId, domain: ExprId) -> bool {
        let unknowns = |e: ExprId| {
            let mut found = FxHashSet::default();
            a.postorder(&[e], |id| match a.get(id) {
                Expr::Var(v) if !self.known.contains(&v) => {
                    found.insert((v, false));
                }
                Expr::Der(v) => {
                    found.insert((v, true));
                }
                _ => {}
            });
            found
        };
        unknowns(now).is_subset(&unknowns(domain))
    }

    /// Where an expression has a value, if there are places where it has none. Iterative.
    fn domain(&mut self, a: &mut ExprArena, root: ExprId) -> Option<ExprId> {
        let mut stack = vec![(root, false)];
        while let Some((id, expanded)) = stack.pop() {
            if self.domains.contains_key(&id) {
                continue;
            }
            if !expanded {
                stack.push((id, true));
                a.for_each_child(id, |c| stack.push((c, false)));
                continue;
            }
            let domain = self.domain_of(a, id);
            self.domains.insert(id, domain);
        }
        self.domains[&root]
    }

    /// That of a node from those of its children.
    fn domain_of(&self, a: &mut ExprArena, id: ExprId) -> Option<ExprId> {
        if let Expr::If(c, yes, no) = a.get(id) {
            let not = a.not(c);
            let one = self.domains[&yes].map(|d| a.binary(BinaryOp::Or, not, d));
            let other = self.domains[&no].map(|d| a.binary(BinaryOp::Or, c, d));
            let both = [self.domains[&c], one, other];
            return all(a, both.into_iter().flatten());
        }
        let mut parts = Vec::new();
        a.for_each_child(id, |c| parts.extend(self.domains[&c]));
        parts.extend(own_domain(a, id).filter(|&d| !a.is_literal(d)));
        all(a, parts.into_iter())
    }
}

fn all(a: &mut ExprArena, parts: impl Iterator<Item = ExprId>) -> Option<ExprId> {
    let mut parts: Vec<ExprId> = parts.collect();
    parts.sort_unstable();
    parts.dedup();
    (!parts.is_empty()).then(|| a.and_all(&parts))
}

/// Where a node has a value, its arguments having one; nothing for those that always do.
fn own_domain(a: &mut ExprArena, id: ExprId) -> Option<ExprId> {
    let zero = a.real(0.0);
    let one = a.real(1.0);
    match a.get(id) {
        Expr::Builtin(f, list) => {
            let x = *a.args(list).first()?;
            match f {
                Builtin::Sqrt if !is_never_negative(a, x) => Some(a.binary(BinaryOp::Ge, x, zero)),
                Builtin::Log | Builtin::Log10 => Some(a.binary(BinaryOp::Gt, x, zero)),
                Builtin::Asin | Builtin::Acos => {
                    let minus = a.neg(one);
                    let above = a.binary(BinaryOp::Ge, x, minus);
                    let below = a.binary(BinaryOp::Le, x, one);
                    Some(a.binary(BinaryOp::And, above, below))
                }
                _ => None,
            }
        }
        Expr::Binary(BinaryOp::Pow, x, e) if a.ty(x) == Ty::Real => match a.as_f64(e) {
            Some(e) if e == e.floor() => None,
            Some(_) if is_never_negative(a, x) => None,
            Some(e) => {
                let op = if e > 0.0 { BinaryOp::Ge } else { BinaryOp::Gt };
                Some(a.binary(op, x, zero))
            }
            None if is_never_negative(a, x) => None,
            None => {
                let whole = a.builtin(Builtin::Floor, &[e]);
                let whole = a.binary(BinaryOp::Eq, e, whole);
                let positive = a.binary(BinaryOp::Ge, x, zero);
                Some(a.binary(BinaryOp::Or, positive, whole))
            }
        },
        _ => None,
    }
}

/// By its form alone.
fn is_never_negative(a: &ExprArena, id: ExprId) -> bool {
    match a.get(id) {
        Expr::Real(_) | Expr::Int(_) => a.as_f64(id).is_some_and(|x| x >= 0.0),
        Expr::Binary(BinaryOp::Mul, x, y) if x == y => true,
        Expr::Binary(BinaryOp::Pow, _, e) => a.as_f64(e).is_some_and(|e| e % 2.0 == 0.0),
        Expr::Binary(BinaryOp::Add | BinaryOp::Mul | BinaryOp::Div, x, y) => {
            is_never_negative(a, x) && is_never_negative(a, y)
        }
        Expr::Builtin(f, list) => {
            let args = a.args(list);
            match f {
                Builtin::Abs | Builtin::Exp | Builtin::Cosh | Builtin::Sqrt => true,
                Builtin::Max => args.iter().any(|&x| is_never_negative(a, x)),
                Builtin::Min => args.iter().all(|&x| is_never_negative(a, x)),
                _ => false,
            }
        }
        _ => false,
    }
}
