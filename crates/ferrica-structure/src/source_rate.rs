//! The fastest oscillation that the model writes down: `sin(2*pi*f*time + phase)` and the like.
//!
//! In: the equations. Out: the largest angular frequency of a sine or cosine whose argument has a known rate in time. A solution
//! that follows its source at a distance allows long steps, in which a condition on the source would change
//! unseen; with the rate, the steps can be kept short enough to see it. The parameters that the rates come from go along.

use ferrica_dae::Dae;
use ferrica_dae::differentiate::Differentiator;
use ferrica_dae::scan::{Flags, Reach};
use ferrica_ir::causal::Kind;
use ferrica_ir::{Builtin, Expr, ExprId, VarId};

use rustc_hash::FxHashSet;

use crate::blocks::Builder;
use crate::system::System;

/// In radians a second; zero when nothing oscillates, or there is no condition that could miss it, nor an exponential that switches as one.
pub fn fastest(dae: &mut Dae, builder: &mut Builder, system: &System) -> (f64, Vec<VarId>) {
    let mut steep = Flags::default();
    steep.update(&dae.exprs, |id| {
        let is_exp = matches!(dae.exprs.get(id), Expr::Builtin(Builtin::Exp, _));
        u16::from(is_exp)
    });
    let mut sides = system.equations.iter().flat_map(|e| [e.lhs, e.rhs]);
    let switches = sides.any(|e| steep.get(e) != 0);
    if !switches && dae.relations.iter().all(|r| r.time_event) {
        return (0.0, Vec::new());
    }
    let mut timed = Flags::default();
    timed.update(&dae.exprs, |id| u16::from(dae.exprs.get(id) == Expr::Time));
    let roots: Vec<ExprId> = system
        .equations
        .iter()
        .flat_map(|e| [e.lhs, e.rhs])
        .chain(dae.relations.iter().flat_map(|r| [r.lhs, r.rhs]))
        .filter(|&e| timed.get(e) != 0)
        .collect();
    let mut reach = Reach::default();
    reach.collect(&dae.exprs, &roots, |e| timed.get(e) != 0);
    let arguments: Vec<ExprId> = reach
        .nodes
        .iter()
        .filter_map(|&id| match dae.exprs.get(id) {
            Expr::Builtin(Builtin::Sin | Builtin::Cos, list) => {
                dae.exprs.args(list).first().copied()
            }
            _ => None,
        })
        .collect();
    let (mut fastest, mut rates) = (0.0f64, Vec::new());
    for e in arguments {
        let mut d = Differentiator::new(&mut dae.functions, &mut builder.derivatives);
        let rate = d.derivative_expr(&mut dae.exprs, e, &mut |a, leaf| {
            Ok((leaf == Expr::Time).then(|| a.real(1.0)))
        });
        let Ok(rate) = rate else { continue };
        rates.push(rate);
        if let Some(value) = builder.values(dae).value(dae, rate)
            && value.is_finite()
        {
            fastest = fastest.max(value.abs());
        }
    }
    (fastest, parameters_below(dae, rates))
}

/// The parameters in some expressions, and in the bindings of those.
fn parameters_below(dae: &Dae, mut roots: Vec<ExprId>) -> Vec<VarId> {
    let (mut reach, mut found) = (Reach::default(), FxHashSet::default());
    while !roots.is_empty() {
        reach.collect(&dae.exprs, &roots, |_| true);
        roots.clear();
        for &id in &reach.nodes {
            if let Expr::Var(v) = dae.exprs.get(id)
                && dae.vars[v].kind == Kind::Parameter
                && found.insert(v)
            {
                roots.extend(dae.vars[v].var.binding);
            }
        }
    }
    let mut list: Vec<VarId> = found.into_iter().collect();
    list.sort();
    list
}
