//! Invariants of the causal model, checked in debug builds.
//!
//! 1. Every unknown (derivative, algebraic, discrete) is computed by exactly one block.
//! 2. A block reads only parameters, states, inputs, relation memories, left limits, delayed values
//!    and unknowns of earlier blocks (or of itself, in a loop).
//! 3. No expression contains `Der`, `noEvent`, `sample`, `delay`, `WhenFires` or `initial()`.
//! 4. A linear or nonlinear block has as many equations as unknowns.

use cranelift_entity::EntitySet;
use ferrica_ir::causal::{Block, CausalModel, Kind};
use ferrica_ir::{Builtin, Expr, ExprId, VarId};

/// Problems found, none when the model is as it should be.
pub fn verify(model: &CausalModel) -> Vec<String> {
    let mut check = Check {
        model,
        known: EntitySet::new(),
        problems: Vec::new(),
    };
    for (v, var) in &model.vars {
        if matches!(
            var.kind,
            Kind::Parameter | Kind::External | Kind::State | Kind::Input | Kind::Relation
        ) {
            check.known.insert(v);
        }
    }
    for d in &model.delays {
        check.known.insert(d.result);
    }
    for t in &model.transports {
        check.known.extend(t.results);
    }
    for b in &model.blocks {
        check.block(b);
    }
    if model.blocks.len() != model.continuous.len() {
        check.problems.push("continuous flags do not fit".into());
    }
    for &dx in &model.derivatives {
        if !check.known.contains(dx) {
            check
                .problems
                .push(format!("{} is not computed", model.vars[dx].var.name));
        }
    }
    check.problems
}

struct Check<'a> {
    model: &'a CausalModel,
    known: EntitySet<VarId>,
    problems: Vec<String>,
}

impl Check<'_> {
    fn name(&self, v: VarId) -> &str {
        &self.model.vars[v].var.name
    }

    fn define(&mut self, v: VarId) {
        // The memory of a relation has a value before its block, too.
        if !self.known.insert(v) && self.model.vars[v].kind != Kind::Relation {
            let text = format!("{} is computed twice", self.name(v));
            self.problems.push(text);
        }
    }

    fn reads(&mut self, e: ExprId) {
        let mut found = Vec::new();
        self.model
            .exprs
            .postorder(&[e], |id| match self.model.exprs.get(id) {
                Expr::Var(v) if !self.known.contains(v) => {
                    found.push(format!("{} is read before it is known", self.name(v)));
                }
                Expr::Der(v) => found.push(format!("der({}) is left", self.name(v))),
                Expr::Builtin(
                    f @ (Builtin::NoEvent
                    | Builtin::Body
                    | Builtin::Argument
                    | Builtin::Sample
                    | Builtin::Delay
                    | Builtin::WhenFires
                    | Builtin::Initial),
                    _,
                ) => found.push(format!("{} is left", ferrica_ir::print::builtin_name(f))),
                _ => {}
            });
        self.problems.append(&mut found);
    }

    fn block(&mut self, b: &Block) {
        match b {
            Block::Assign(a) => {
                self.reads(a.expr);
                self.define(a.var);
            }
            Block::Linear(l) => {
                if l.rhs.len() != l.unknowns.len() || l.equations.len() != l.unknowns.len() {
                    self.problems.push("a linear block is not square".into());
                }
                for &(_, _, e) in &l.matrix {
                    self.reads(e);
                }
                l.rhs.iter().for_each(|&e| self.reads(e));
                l.unknowns.iter().for_each(|&v| self.define(v));
                for a in &l.then {
                    self.reads(a.expr);
                    self.define(a.var);
                }
            }
            Block::Nonlinear(n) => {
                if n.residuals.len() != n.unknowns.len() {
                    self.problems.push("a nonlinear block is not square".into());
                }
                n.unknowns.iter().for_each(|&v| self.define(v));
                for a in &n.inner {
                    self.reads(a.expr);
                    self.define(a.var);
                }
                n.residuals.iter().for_each(|&e| self.reads(e));
                for a in &n.jacobian_inner {
                    self.reads(a.expr);
                    self.define(a.var);
                }
                for &(_, _, e) in n.jacobian.iter().flatten() {
                    self.reads(e);
                }
            }
        }
    }
}
