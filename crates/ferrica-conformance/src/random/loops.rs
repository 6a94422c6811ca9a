//! Loops of discrete variables in random models.
//!
//! In: a model. Out: whether a discrete variable follows from itself within one pass, which need not have a solution: no fair test.

use super::model::{Action, Condition, Expr, Model, Node};

/// Does a discrete variable follow from itself within one pass? Such equations need not have a solution.
pub fn has_discrete_loop(model: &Model) -> bool {
    let n = model.discretes.len() + model.kept.len();
    let mut reads = Reads {
        model,
        seen: vec![false; n],
    };
    // What each discrete variable reads: directly, then through the others.
    let mut all = vec![vec![false; n]; n];
    for w in &model.whens {
        let conditions: Vec<&Condition> = w.branches.iter().flat_map(|b| &b.0).collect();
        for action in w.branches.iter().flat_map(|b| &b.1) {
            reads.seen.fill(false);
            // All branches decide about all variables of the clause.
            conditions.iter().for_each(|c| reads.condition(c));
            // A choice decides about all that it assigns.
            action.visit(&mut |a| match a {
                Action::Set(_, e) | Action::Keep(_, e) => reads.expression(e),
                Action::Choose(c, ..) => reads.condition(c),
                Action::Reinit(..) => {}
            });
            action.visit(&mut |a| {
                let target = match a {
                    Action::Set(d, _) => *d,
                    Action::Keep(k, _) => model.discretes.len() + k,
                    Action::Reinit(..) | Action::Choose(..) => return,
                };
                for (all, seen) in all[target].iter_mut().zip(&reads.seen) {
                    *all |= *seen;
                }
            });
        }
    }
    for middle in 0..n {
        for from in 0..n {
            for to in 0..n {
                all[from][to] |= all[from][middle] && all[middle][to];
            }
        }
    }
    (0..n).any(|k| all[k][k])
}

/// The discrete variables, then the sampled ones, that something reads in one pass.
struct Reads<'a> {
    model: &'a Model,
    seen: Vec<bool>,
}

impl<'a> Reads<'a> {
    fn expression(&mut self, e: &'a Expr) {
        e.visit(&mut |n| self.node(n));
    }

    fn condition(&mut self, c: &'a Condition) {
        c.visit(&mut |n| self.node(n));
    }

    fn node(&mut self, n: Node<'a>) {
        let model = self.model;
        match n {
            Node::Expr(Expr::Discrete(k) | Expr::Mod(k, _))
            | Node::Condition(Condition::AtLeast(k, _) | Condition::Change(k)) => {
                self.seen[*k] = true;
            }
            Node::Expr(Expr::Kept(k)) => self.seen[model.discretes.len() + k] = true,
            Node::Expr(Expr::Algebraic(k)) => self.expression(model.algebraics[*k].right()),
            Node::Condition(Condition::Flag(k) | Condition::Edge(k)) => {
                self.condition(&model.flags[*k]);
            }
            _ => {}
        }
    }
}
