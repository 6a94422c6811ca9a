//! Blocks of a set: assignments as rows, calls that several assignments share as rows of their own.

use ferrica_ir::Span;
use ferrica_ir::causal::{self, Assign};
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::{Expr, ExprId, VarId};
use rustc_hash::FxHashSet;

use super::Compiler;
use crate::kernel::{CallSite, Callee, NO_REG, Reg};
use crate::layout::Slot;
use crate::model::{Block, BlockKind, BlockSet};
use crate::program::Row;

impl<'a> Compiler<'a> {
    pub(super) fn block_set(
        &mut self,
        blocks: &[causal::Block],
        continuous: Option<&[bool]>,
        initial: bool,
    ) -> BlockSet {
        self.low.hoisted.clear();
        self.low.hoisted_discrete.clear();
        let shared = self.shared_calls(blocks);
        let mut set = BlockSet {
            initial,
            ..BlockSet::default()
        };
        for (k, block) in blocks.iter().enumerate() {
            let is_continuous = continuous.is_none_or(|c| c.get(k).copied().unwrap_or(true));
            self.low.in_discrete = !is_continuous;
            let (kind, equation) = match block {
                causal::Block::Assign(assign) => {
                    let span = self.span(assign.equation, initial);
                    if let Some(call) = self.root_call(assign.expr)
                        && shared.contains(&call)
                        && !self.low.is_hoisted(call)
                    {
                        let row = self.hoist(call, is_continuous, span);
                        if let Some(row) = self.take(row) {
                            let kind = BlockKind::Row(row);
                            let equation = assign.equation;
                            set.blocks.push(Block {
                                kind,
                                continuous: is_continuous,
                                equation,
                            });
                        }
                    }
                    let row = self.assign_row(assign, span);
                    (self.take(row).map(BlockKind::Row), assign.equation)
                }
                causal::Block::Linear(b) => {
                    let system = self.linear(b, initial);
                    (self.take(system).map(BlockKind::System), u32::MAX)
                }
                causal::Block::Nonlinear(b) => {
                    let system = self.nonlinear(b, initial);
                    (self.take(system).map(BlockKind::System), u32::MAX)
                }
            };
            if let Some(kind) = kind {
                set.blocks.push(Block {
                    kind,
                    continuous: is_continuous,
                    equation,
                });
            }
        }
        self.low.in_discrete = false;
        set
    }

    /// The call that an expression is (an output of).
    pub(super) fn root_call(&self, e: ExprId) -> Option<ExprId> {
        let arena = &self.model().exprs;
        let call = match arena.get(e) {
            Expr::Proj(call, _) => call,
            Expr::Call(..) => e,
            _ => return None,
        };
        matches!(arena.get(call), Expr::Call(..)).then_some(call)
    }

    /// Calls that stand alone on the right side of more than one assignment.
    pub(super) fn shared_calls(&self, blocks: &[causal::Block]) -> FxHashSet<ExprId> {
        let mut once = FxHashSet::default();
        let mut more = FxHashSet::default();
        for block in blocks {
            if let causal::Block::Assign(a) = block
                && let Some(call) = self.root_call(a.expr)
                && !once.insert(call)
            {
                more.insert(call);
            }
        }
        more
    }

    /// Computes all outputs of a call into slots of their own.
    pub(super) fn hoist(
        &mut self,
        call: ExprId,
        continuous: bool,
        span: Span,
    ) -> Result<Row, Diagnostic> {
        let model = self.model();
        let Expr::Call(f, list) = model.exprs.get(call) else {
            return Err(self.low.unsupported(call, span, "not a call"));
        };
        self.low.begin();
        let mut args: Vec<Reg> = Vec::new();
        for &a in model.exprs.args(list) {
            args.push(self.low.expr(a, span)?);
        }
        let outputs = model.functions[f].outputs.max(1);
        let callee = Callee::Function(f.as_u32());
        let r = self.low.builder.call(CallSite {
            callee,
            args,
            guard: NO_REG,
            outputs,
        });
        let results: Vec<Reg> = (r..r + outputs).collect();
        let first = self.low.layout.alloc_run(outputs as usize);
        let slots: Vec<Slot> = (first..first + outputs).collect();
        self.call_slots.extend(&slots);
        if continuous {
            self.low.hoisted.insert(call, first);
        } else {
            self.low.hoisted_discrete.insert(call, first);
        }
        let builder = &mut self.low.builder;
        Ok(self.kernels.add_built(builder, &results, &slots))
    }

    pub(super) fn target(&self, v: VarId, span: Span) -> Result<(Slot, bool), Diagnostic> {
        self.low.layout.place(v).ok_or_else(|| {
            let name = &self.model().vars[v].var.name;
            Diagnostic::error(
                "E0603",
                span,
                format!("variable `{name}` has no place to be stored"),
            )
        })
    }

    pub(super) fn assign_row(&mut self, a: &Assign, span: Span) -> Result<Row, Diagnostic> {
        let (slot, negated) = self.target(a.var, span)?;
        self.low.begin();
        let mut r = self.low.expr(a.expr, span)?;
        if negated {
            r = self.low.builder.neg(r);
        }
        let builder = &mut self.low.builder;
        Ok(self.kernels.add_built(builder, &[r], &[slot]))
    }

    /// One kernel that stores the values of expressions.
    pub(super) fn value_row(
        &mut self,
        exprs: &[ExprId],
        slots: &[Slot],
        span: Span,
    ) -> Result<Row, Diagnostic> {
        self.low.begin();
        let mut regs = Vec::with_capacity(exprs.len());
        for &e in exprs {
            regs.push(self.low.expr(e, span)?);
        }
        let builder = &mut self.low.builder;
        Ok(self.kernels.add_built(builder, &regs, slots))
    }
}
