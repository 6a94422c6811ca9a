//! Equations of parameters only.
//!
//! In: equations `x = e` where `e` needs only parameters, or other variables found here. Out: `x`
//! is a dependent parameter with `e` as its binding, computed once, and its equation is gone.
//!
//! Kahn's algorithm over the candidate equations: linear time.

use cranelift_entity::EntityRef;
use ferrica_ir::causal::Kind;
use ferrica_ir::flat::Equation;
use ferrica_ir::{Expr, ExprId, VarId};

use crate::alias::Classes;
use crate::model::Dae;
use crate::scan::Reach;

struct Candidate {
    equation: u32,
    target: VarId,
    value: ExprId,
    /// Unknown classes the value still needs.
    missing: u32,
}

/// See the module comment; `removed` marks equations that are used up.
pub fn detect(dae: &mut Dae, classes: &mut Classes, removed: &mut [bool]) {
    let mut initial = vec![false; dae.vars.len()];
    for p in &dae.initial_parameters {
        initial[p.index()] = true;
    }
    let mut reach = Reach::default();
    let mut candidates: Vec<Candidate> = Vec::new();
    // Class root to the candidates that wait for it.
    let mut waiting: Vec<(u32, u32)> = Vec::new();
    for (i, equation) in dae.equations.iter().enumerate() {
        if removed[i] {
            continue;
        }
        let Some((target, value)) = explicit(dae, classes, equation) else {
            continue;
        };
        let Some(needs) = needs(dae, classes, &mut reach, value, &initial) else {
            continue;
        };
        let at = candidates.len() as u32;
        waiting.extend(needs.iter().map(|r| (r.as_u32(), at)));
        candidates.push(Candidate {
            equation: i as u32,
            target,
            value,
            missing: needs.len() as u32,
        });
    }
    waiting.sort_unstable();
    let mut ready: Vec<u32> = (0..candidates.len() as u32)
        .filter(|&c| candidates[c as usize].missing == 0)
        .collect();
    let mut next = 0;
    while next < ready.len() {
        let c = &candidates[ready[next] as usize];
        let (equation, target, value) = (c.equation, c.target, c.value);
        next += 1;
        if classes.is_known(target) {
            continue;
        }
        removed[equation as usize] = true;
        let (root, _) = classes.find(target);
        let var = &mut dae.vars[target];
        var.kind = Kind::Parameter;
        var.var.binding = Some(value);
        var.var.structural = true;
        dae.parameter_order.push(target);
        classes.set_known(target);
        let first = waiting.partition_point(|w| w.0 < root.as_u32());
        for &(r, w) in &waiting[first..] {
            if r != root.as_u32() {
                break;
            }
            let c = &mut candidates[w as usize];
            c.missing -= 1;
            if c.missing == 0 {
                ready.push(w);
            }
        }
    }
}

/// The unknown and value of an equation `x = e`.
fn explicit(dae: &Dae, classes: &mut Classes, eq: &Equation) -> Option<(VarId, ExprId)> {
    for (side, other) in [(eq.lhs, eq.rhs), (eq.rhs, eq.lhs)] {
        if let Expr::Var(x) = dae.exprs.get(side)
            && !classes.is_known(x)
            && matches!(dae.vars[x].kind, Kind::Algebraic | Kind::Discrete)
            && dae.exprs.ty(other) == dae.vars[x].var.ty
        {
            return Some((x, other));
        }
    }
    None
}

/// Roots of the unknown classes in `value`; `None` when it can never be a parameter expression.
fn needs(
    dae: &Dae,
    classes: &mut Classes,
    reach: &mut Reach,
    value: ExprId,
    initial: &[bool],
) -> Option<Vec<VarId>> {
    let mut possible = true;
    let mut roots: Vec<VarId> = Vec::new();
    reach.collect(&dae.exprs, &[value], |id| {
        match dae.exprs.get(id) {
            Expr::Var(v) => match classes.known_by(v) {
                None => roots.push(classes.find(v).0),
                Some(None) => {}
                Some(Some(k)) => possible &= dae.vars[k].kind != Kind::Input && !initial[k.index()],
            },
            Expr::Time | Expr::Der(_) | Expr::Pre(_) => possible = false,
            Expr::Call(f, _) if !dae.functions[f].pure => possible = false,
            Expr::Builtin(f, _) if !f.is_pure() => possible = false,
            _ => {}
        }
        possible
    });
    if !possible {
        return None;
    }
    roots.sort_unstable();
    roots.dedup();
    Some(roots)
}
