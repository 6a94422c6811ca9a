//! The two forms of an equation: simulation and initialization.
//!
//! | | simulation | initialization |
//! |---|---|---|
//! | `initial()` | false | true |
//! | `WhenFires(b, i)` | `b and not pre(b)` | `b` if the condition names `initial()`, else false |
//! | `homotopy(a, s)` | a | `if λ >= 1 then a else λ·a + (1 − λ)·s` |
//!
//! In both, arguments that a function does not read are zero: its value does not determine them, and the equation is one between the others. Only
//! derivatives that are given for the function read them, which differentiation has taken from the equation as it was written.

use ferrica_ir::function::{Function, FunctionBody, Stmt};
use ferrica_ir::{BinaryOp, Builtin, Expr, ExprArena, ExprId, FunctionId, Ty, VarId};
use rustc_hash::FxHashMap;

use crate::events::is_fixed_value;
use crate::model::Dae;
use crate::scan::Flags;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Simulation,
    /// With the parameter λ of homotopy, when the model uses it.
    Initialization(Option<VarId>),
}

/// Rewrites expressions for one mode.
pub struct ModeRewriter {
    mode: Mode,
    memo: FxHashMap<ExprId, ExprId>,
    flags: Flags,
    /// Input slots that a function does not read.
    unread: FxHashMap<FunctionId, Vec<u32>>,
}

impl ModeRewriter {
    pub fn new(mode: Mode) -> ModeRewriter {
        ModeRewriter {
            mode,
            memo: FxHashMap::default(),
            flags: Flags::default(),
            unread: FxHashMap::default(),
        }
    }

    pub fn rewrite(&mut self, dae: &mut Dae, root: ExprId) -> ExprId {
        let unread = &mut self.unread;
        self.flags.update(&dae.exprs, |id| {
            let drops = match dae.exprs.get(id) {
                Expr::Call(f, _) => !(unread.entry(f))
                    .or_insert_with(|| unread_inputs(&dae.functions[f], &dae.exprs))
                    .is_empty(),
                _ => false,
            };
            u16::from(drops || depends_on_mode(&dae.exprs, id))
        });
        if self.flags.get(root) == 0 {
            return root;
        }
        let mut stack = vec![(root, false)];
        while let Some((id, expanded)) = stack.pop() {
            if self.memo.contains_key(&id) {
                continue;
            }
            if self.flags.get(id) == 0 {
                self.memo.insert(id, id);
            } else if expanded {
                let memo = &self.memo;
                let new = dae.exprs.map_children(id, |c| memo[&c]);
                let new = self.node(dae, new);
                self.memo.insert(id, new);
            } else {
                stack.push((id, true));
                dae.exprs.for_each_child(id, |c| stack.push((c, false)));
            }
        }
        self.memo[&root]
    }

    fn node(&self, dae: &mut Dae, id: ExprId) -> ExprId {
        if let Expr::Call(f, list) = dae.exprs.get(id) {
            let mut args = dae.exprs.args(list).to_vec();
            for &k in &self.unread[&f] {
                let a = &mut dae.exprs;
                args[k as usize] = match a.ty(args[k as usize]) {
                    Ty::Real => a.real(0.0),
                    Ty::Integer => a.int(0),
                    Ty::Boolean => a.bool(false),
                    _ => continue,
                };
            }
            let ty = dae.exprs.ty(id);
            return dae.exprs.call(f, &args, ty);
        }
        let Expr::Builtin(f, list) = dae.exprs.get(id) else {
            return id;
        };
        let args = dae.exprs.args(list).to_vec();
        match (f, self.mode) {
            (Builtin::Initial, mode) => dae.exprs.bool(mode != Mode::Simulation),
            (Builtin::WhenFires, Mode::Simulation) => match dae.exprs.get(args[0]) {
                Expr::Var(b) if !is_fixed_value(dae, b) => {
                    let pre = dae.exprs.pre(b, Ty::Boolean);
                    let not_pre = dae.exprs.not(pre);
                    dae.exprs.binary(BinaryOp::And, args[0], not_pre)
                }
                _ => dae.exprs.bool(false),
            },
            (Builtin::WhenFires, Mode::Initialization(_)) => {
                let active = args
                    .get(1)
                    .is_some_and(|&i| dae.exprs.as_bool(i) == Some(true));
                if active {
                    args[0]
                } else {
                    dae.exprs.bool(false)
                }
            }
            (Builtin::Homotopy, Mode::Initialization(Some(lambda))) => {
                let a = &mut dae.exprs;
                let (actual, simple) = (args[0], args[1]);
                let l = a.var(lambda, Ty::Real);
                let one = a.real(1.0);
                let done = a.binary(BinaryOp::Ge, l, one);
                let rest = a.sub(one, l);
                let (x, y) = (a.mul(l, actual), a.mul(rest, simple));
                let blend = a.add(x, y);
                a.if_then_else(done, actual, blend)
            }
            (Builtin::Homotopy, _) => args[0],
            _ => id,
        }
    }
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

/// Does the node itself differ between the modes?
pub fn depends_on_mode(arena: &ExprArena, id: ExprId) -> bool {
    matches!(
        arena.get(id),
        Expr::Builtin(Builtin::Initial | Builtin::WhenFires | Builtin::Homotopy, _)
    )
}

/// Does any expression of the model use `homotopy`?
pub fn uses_homotopy(dae: &Dae) -> bool {
    (0..dae.exprs.len()).any(|i| {
        matches!(
            dae.exprs.get(ExprId::from_u32(i as u32)),
            Expr::Builtin(Builtin::Homotopy, _)
        )
    })
}
