//! The two forms of an equation: simulation and initialization.
//!
//! | | simulation | initialization |
//! |---|---|---|
//! | `initial()` | false | true |
//! | `WhenFires(b, i)` | `b and not pre(b)` | `b` if the condition names `initial()`, else false |
//! | `homotopy(a, s)` | a | `if λ >= 1 then a else λ·a + (1 − λ)·s` |
//!
//! In both, arguments that decide nothing ([`Unread`]) are zero.

use ferrica_ir::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, VarId};
use rustc_hash::FxHashMap;

use crate::events::is_fixed_value;
use crate::model::Dae;
use crate::scan::Flags;
use crate::unread::Unread;

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
    unread: Unread,
}

impl ModeRewriter {
    pub fn new(mode: Mode) -> ModeRewriter {
        ModeRewriter {
            mode,
            memo: FxHashMap::default(),
            flags: Flags::default(),
            unread: Unread::default(),
        }
    }

    pub fn rewrite(&mut self, dae: &mut Dae, root: ExprId) -> ExprId {
        let unread = &mut self.unread;
        self.flags.update(&dae.exprs, |id| {
            u16::from(unread.has(dae, id) || depends_on_mode(&dae.exprs, id))
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
            return self.unread.without(dae, id, f, list);
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
