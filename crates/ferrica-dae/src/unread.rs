//! Arguments of calls that decide nothing.
//!
//! In: a call. Out: the same call with zeros in place of the arguments that its function does not read: its value does not determine them, and an equation
//! with the call is one between the others. `position({s, v, a}, time)` of a prescribed motion reads s alone; v and a are there for its derivatives, which are taken from
//! the equation as it was written.
//!
//! Partial derivatives are taken later, from what is left, and a derivative that is given for the function may read what the function does not: those are
//! called where an argument with a rate of its own is an unknown. So arguments stay unless all of these are functions of time and fixed values.

use ferrica_ir::expr::ExprList;
use ferrica_ir::function::{Function, FunctionBody, Stmt};
use ferrica_ir::{Expr, ExprArena, ExprId, FunctionId, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::events::is_fixed_value;
use crate::model::Dae;

/// Input slots that functions do not read.
#[derive(Default)]
pub struct Unread {
    of: FxHashMap<FunctionId, Vec<u32>>,
}

impl Unread {
    /// Has this call arguments that decide nothing?
    pub fn has(&mut self, dae: &Dae, id: ExprId) -> bool {
        let Expr::Call(f, list) = dae.exprs.get(id) else {
            return false;
        };
        let none = (self.of.entry(f))
            .or_insert_with(|| unread_inputs(&dae.functions[f], &dae.exprs))
            .is_empty();
        !none && rates_are_known(dae, f, dae.exprs.args(list))
    }

    /// The call without them.
    pub fn without(&self, dae: &mut Dae, id: ExprId, f: FunctionId, list: ExprList) -> ExprId {
        let mut args = dae.exprs.args(list).to_vec();
        let unread = self.of.get(&f).map_or(&[][..], |list| list);
        if unread.is_empty() || !rates_are_known(dae, f, &args) {
            return id;
        }
        for &k in unread {
            let a = &mut dae.exprs;
            args[k as usize] = match a.ty(args[k as usize]) {
                Ty::Real => a.real(0.0),
                Ty::Integer => a.int(0),
                Ty::Boolean => a.bool(false),
                _ => continue,
            };
        }
        let ty = dae.exprs.ty(id);
        dae.exprs.call(f, &args, ty)
    }
}

/// Are the arguments whose rates the given derivatives take functions of time and fixed values?
fn rates_are_known(dae: &Dae, f: FunctionId, args: &[ExprId]) -> bool {
    let rules = dae.functions[f].derivatives.iter();
    let mut with_rates = rules.flat_map(|d| d.with_respect_to.iter().chain(&d.of));
    with_rates.all(|&k| args.get(k as usize).is_none_or(|&a| is_known(dae, a)))
}

fn is_known(dae: &Dae, root: ExprId) -> bool {
    let mut stack = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(id) = stack.pop() {
        match dae.exprs.get(id) {
            Expr::Var(v) | Expr::Der(v) | Expr::Pre(v) if !is_fixed_value(dae, v) => return false,
            _ => {}
        }
        if seen.insert(id) {
            dae.exprs.for_each_child(id, |c| stack.push(c));
        }
    }
    true
}

/// Inputs that no statement of a function reads. What foreign code reads is not known.
pub(crate) fn unread_inputs(f: &Function, arena: &ExprArena) -> Vec<u32> {
    let FunctionBody::Code(body) = &f.body else {
        return Vec::new();
    };
    if !f.pure {
        return Vec::new();
    }
    let mut roots = Vec::new();
    expressions(body, &mut roots);
    let mut read = vec![false; f.slots.len()];
    arena.postorder(&roots, |id| match arena.get(id) {
        Expr::Local(k) => read[k as usize] = true,
        Expr::Load(first, n, _) => read[first as usize..(first + n) as usize].fill(true),
        _ => {}
    });
    (0..f.inputs).filter(|&k| !read[k as usize]).collect()
}

fn expressions(body: &[Stmt], out: &mut Vec<ExprId>) {
    for s in body {
        match s {
            Stmt::Assign(_, e) | Stmt::CallAssign(e, _) => out.push(*e),
            Stmt::Store(_, _, index, e) => out.extend([*index, *e]),
            Stmt::If(c, a, b) => {
                out.push(*c);
                expressions(a, out);
                expressions(b, out);
            }
            Stmt::While(c, a) => {
                out.push(*c);
                expressions(a, out);
            }
            Stmt::Assert(c, message, _) => out.extend([*c, *message]),
            Stmt::Break | Stmt::Return => {}
        }
    }
}
