//! Linear and nonlinear systems: programs over slots and their linearizations.

use ferrica_ir::Span;
use ferrica_ir::causal::{Assign, LinearBlock, NonlinearBlock};
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::{BinaryOp, Expr, ExprId, Ty, VarId};
use ferrica_solvers::sparse::CscPattern;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Compiler, Kind};
use crate::kernel::{KernelBuilder, Reg};
use crate::layout::{Layout, Slot};
use crate::limiting::{Limit, Limited, exponentials, replay};
use crate::model::{Block, BlockKind, BlockSet, EquationRef, LimitedSystem, System, SystemKind};
use crate::program::{Program, Row, SystemId};
use crate::schedule::arrange;
use crate::tape::{RowList, Tape};

/// Up to this many assignments and residuals a system is one kernel, whose common subexpressions are
/// shared; beyond, each is a row of its own, so that equal shapes share a kernel.
const FUSE_LIMIT: usize = 60;

/// Operations of a system up to which it has a form with limited exponentials.
const LIMITED_OPS: usize = 10_000;

/// A list of rows with what it reads and writes.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    reads: Vec<Slot>,
    writes: Vec<Slot>,
}

impl<'a> Compiler<'a> {
    /// Assignments in order, then values into slots: one kernel if small.
    fn sequence(
        &mut self,
        assigns: &[Assign],
        values: &[(ExprId, Slot, u32)],
        initial: bool,
    ) -> Result<Rows, Diagnostic> {
        let mut out = Rows::default();
        if assigns.len() + values.len() <= FUSE_LIMIT {
            self.low.begin();
            let (mut regs, mut slots) = (Vec::new(), Vec::new());
            for a in assigns {
                let span = self.span(a.equation, initial);
                let (slot, negated) = self.target(a.var, span)?;
                let r = self.low.expr(a.expr, span)?;
                self.low.assign(a.var, r);
                regs.push(if negated { self.low.builder.neg(r) } else { r });
                slots.push(slot);
            }
            for &(e, slot, equation) in values {
                let span = self.span(equation, initial);
                regs.push(self.low.expr(e, span)?);
                slots.push(slot);
            }
            let (kernel, operands) = self.low.builder.finish(&regs);
            out.rows
                .push(self.kernels.add_row(kernel, &operands, &slots));
        } else {
            let mut shared = self.calls_taken_apart(
                (assigns.iter().map(|a| a.expr)).chain(values.iter().map(|v| v.0)),
            );
            let mut made = Vec::new();
            for a in assigns {
                let span = self.span(a.equation, initial);
                self.hoist_calls(a.expr, span, &mut shared, &mut made, &mut out.rows)?;
                out.rows.push(self.assign_row(a, span)?);
            }
            for &(e, slot, equation) in values {
                let span = self.span(equation, initial);
                self.hoist_calls(e, span, &mut shared, &mut made, &mut out.rows)?;
                out.rows.push(self.value_row(&[e], &[slot], span)?);
            }
            // Their values belong to this system.
            for call in made {
                self.low.hoisted.remove(&call);
            }
        }
        let mut written: FxHashSet<Slot> = FxHashSet::default();
        let mut read: FxHashSet<Slot> = FxHashSet::default();
        for &row in &out.rows {
            for &s in self.kernels.operands(row) {
                if !written.contains(&s) && read.insert(s) {
                    out.reads.push(s);
                }
            }
            for &s in self.kernels.results(row) {
                if written.insert(s) {
                    out.writes.push(s);
                }
            }
        }
        Ok(out)
    }

    /// Calls of which several expressions take a result each, whatever the conditions.
    fn calls_taken_apart(&self, exprs: impl Iterator<Item = ExprId>) -> FxHashSet<ExprId> {
        let mut once = FxHashSet::default();
        let mut more = FxHashSet::default();
        let mut calls = Vec::new();
        for e in exprs {
            self.unconditional_calls(e, &mut calls);
            calls.sort_unstable();
            calls.dedup();
            more.extend(calls.drain(..).filter(|&c| !once.insert(c)));
        }
        more
    }

    /// Calls in sums and products of which a result is taken.
    fn unconditional_calls(&self, e: ExprId, out: &mut Vec<ExprId>) {
        let arena = &self.model().exprs;
        match arena.get(e) {
            Expr::Proj(call, _) if matches!(arena.get(call), Expr::Call(..)) => out.push(call),
            Expr::Unary(_, a) => self.unconditional_calls(a, out),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div, a, b) => {
                self.unconditional_calls(a, out);
                self.unconditional_calls(b, out);
            }
            _ => {}
        }
    }

    /// Rows for the shared calls of an expression that have none yet.
    fn hoist_calls(
        &mut self,
        e: ExprId,
        span: Span,
        shared: &mut FxHashSet<ExprId>,
        made: &mut Vec<ExprId>,
        rows: &mut Vec<Row>,
    ) -> Result<(), Diagnostic> {
        if shared.is_empty() {
            return Ok(());
        }
        let mut calls = Vec::new();
        self.unconditional_calls(e, &mut calls);
        for call in calls {
            if shared.remove(&call) && !self.low.is_hoisted(call) {
                rows.push(self.hoist(call, true, span)?);
                made.push(call);
            }
        }
        Ok(())
    }

    /// Rows arranged by depth and kernel.
    pub(super) fn program(&self, rows: &[Row]) -> Program {
        let mut set = BlockSet::default();
        for &row in rows {
            let kind = BlockKind::Row(row);
            set.blocks.push(Block {
                kind,
                continuous: true,
                equation: u32::MAX,
            });
        }
        let max = rows
            .iter()
            .flat_map(|&r| self.kernels.row(r))
            .max()
            .map_or(0, |&m| m as usize + 1);
        if rows.len() > 1 {
            set.index(&self.kernels, &self.systems, max);
        }
        let ids: Vec<_> = set.blocks.keys().collect();
        arrange(&self.kernels, &self.systems, &set, &ids)
    }

    /// Tape of rows in order; every operand that `active` names, and what follows from it, moves.
    pub(super) fn tape(&mut self, rows: &[Row], active: &FxHashSet<Slot>) -> Tape {
        let mut tape = Tape::default();
        let mut moving = active.clone();
        let mut program = RowList::default();
        for &row in rows {
            let partials = self.cache.row(
                &mut self.kernels,
                self.low.layout,
                row,
                &|s| moving.contains(&s),
                &mut program,
            );
            tape.push_row(partials, |to| {
                moving.insert(to);
            });
        }
        tape.partials = program.independent();
        tape
    }

    /// What a derivative can be asked for with respect to, or depends on that: inputs too, for FMUs.
    pub(super) fn is_moving(&self, slot: Slot) -> bool {
        if self.tangents {
            return self.moves_with_anything(slot);
        }
        match self.low.layout.var(slot) {
            Some(v) => matches!(
                self.model().vars[v].kind,
                Kind::State | Kind::Derivative | Kind::Algebraic | Kind::Input
            ),
            None => self.call_slots.contains(&slot),
        }
    }

    /// Real variables, their left limits, time and what is computed apart.
    fn moves_with_anything(&self, slot: Slot) -> bool {
        let real = |v: VarId| self.model().vars[v].var.ty == Ty::Real;
        let layout = &self.low.layout;
        match layout.var(slot) {
            Some(v) => real(v),
            None if slot == Layout::TIME || self.call_slots.contains(&slot) => true,
            None => {
                let now = layout.pre_pairs.iter().find(|(_, pre)| *pre == slot);
                now.and_then(|(now, _)| layout.var(*now)).is_some_and(real)
            }
        }
    }

    pub(super) fn unknown_slots(
        &self,
        vars: &[VarId],
        equations: &[u32],
        initial: bool,
    ) -> Result<Vec<Slot>, Diagnostic> {
        let span = equations
            .first()
            .map_or(Span::NONE, |&e| self.span(e, initial));
        vars.iter()
            .map(|&v| match self.low.layout.slot(v) {
                Some(slot) => Ok(slot),
                None => Err(Diagnostic::error(
                    "E0603",
                    span,
                    format!(
                        "unknown `{}` has no place to be stored",
                        self.model().vars[v].var.name
                    ),
                )),
            })
            .collect()
    }

    pub(super) fn linear(
        &mut self,
        b: &LinearBlock,
        initial: bool,
    ) -> Result<SystemId, Diagnostic> {
        let n = b.unknowns.len();
        let unknowns = self.unknown_slots(&b.unknowns, &b.equations, initial)?;
        let positions = b.matrix.iter().map(|&(r, c, _)| (r as usize, c as usize));
        let pattern = CscPattern::from_entries(n, positions);
        let matrix = self.low.layout.alloc_run(pattern.nnz());
        let rhs = self.low.layout.alloc_run(n);
        let equation = |row: u32| b.equations.get(row as usize).copied().unwrap_or(u32::MAX);
        let mut entries: Vec<(ExprId, Slot, u32)> = Vec::new();
        for &(r, c, e) in &b.matrix {
            if let Some(k) = pattern.find(r as usize, c as usize) {
                entries.push((e, matrix + k as Slot, equation(r)));
            }
        }
        let values: Vec<(ExprId, Slot, u32)> = b
            .rhs
            .iter()
            .enumerate()
            .map(|(r, &e)| (e, rhs + r as Slot, equation(r as u32)))
            .collect();
        let a_rows = self.sequence(&[], &entries, initial)?;
        let b_rows = self.sequence(&[], &values, initial)?;
        let then = self.sequence(&b.then, &[], initial)?;
        let mut reads = a_rows.reads.clone();
        reads.extend(&b_rows.reads);
        let mut writes = unknowns.clone();
        let own: FxHashSet<Slot> = unknowns.iter().copied().collect();
        reads.extend(then.reads.iter().filter(|s| !own.contains(s)));
        writes.extend(&then.writes);
        reads.sort_unstable();
        reads.dedup();
        let mut active: FxHashSet<Slot> = reads
            .iter()
            .copied()
            .filter(|&s| self.is_moving(s))
            .collect();
        let mut rows = if b.constant && !self.tangents {
            Vec::new()
        } else {
            a_rows.rows.clone()
        };
        rows.extend(&b_rows.rows);
        let tape = self.tape(&rows, &active);
        active.extend(&unknowns);
        let then_tape = self.tape(&then.rows, &active);
        let system = System {
            unknowns,
            equations: equation_refs(&b.equations, initial),
            pattern,
            matrix,
            rhs,
            kind: SystemKind::Linear {
                constant: b.constant,
                matrix: self.program(&a_rows.rows),
                rhs: self.program(&b_rows.rows),
                then: self.program(&then.rows),
                tape,
                then_tape,
            },
            reads,
            writes,
            other: None,
        };
        Ok(self.systems.push(system))
    }

    pub(super) fn nonlinear(
        &mut self,
        b: &NonlinearBlock,
        initial: bool,
    ) -> Result<SystemId, Diagnostic> {
        let n = b.unknowns.len();
        let unknowns = self.unknown_slots(&b.unknowns, &b.equations, initial)?;
        let rhs = self.low.layout.alloc_run(n);
        let values: Vec<(ExprId, Slot, u32)> = b
            .residuals
            .iter()
            .enumerate()
            .map(|(r, &e)| {
                (
                    e,
                    rhs + r as Slot,
                    b.equations.get(r).copied().unwrap_or(u32::MAX),
                )
            })
            .collect();
        let rows = self.sequence(&b.inner, &values, initial)?;
        let mut reads = rows.reads.clone();
        let own: FxHashSet<Slot> = unknowns.iter().copied().collect();
        reads.retain(|s| !own.contains(s));
        let mut writes = unknowns.clone();
        writes.extend(
            rows.writes
                .iter()
                .filter(|&&s| s < rhs || s >= rhs + n as Slot),
        );
        let mut active: FxHashSet<Slot> = reads
            .iter()
            .copied()
            .filter(|&s| self.is_moving(s))
            .collect();
        active.extend(&unknowns);
        let tape = self.tape(&rows.rows, &active);
        let (pattern, jacobian, matrix) = match &b.jacobian {
            Some(entries) => {
                let positions = entries.iter().map(|&(r, c, _)| (r as usize, c as usize));
                let pattern = CscPattern::from_entries(n, positions);
                let matrix = self.low.layout.alloc_run(pattern.nnz());
                let mut values = Vec::new();
                for &(r, c, e) in entries {
                    if let Some(k) = pattern.find(r as usize, c as usize) {
                        let equation = b.equations.get(r as usize).copied().unwrap_or(u32::MAX);
                        values.push((e, matrix + k as Slot, equation));
                    }
                }
                let j = self.sequence(&b.jacobian_inner, &values, initial)?;
                (pattern, Some(self.program(&j.rows)), matrix)
            }
            None => {
                let residuals: Vec<Slot> = (rhs..rhs + n as Slot).collect();
                let pattern = tape.pattern(&self.systems, &unknowns, &residuals);
                let matrix = self.low.layout.alloc_run(pattern.nnz());
                (pattern, None, matrix)
            }
        };
        let colors = crate::coloring::color_columns(&pattern);
        let limited = self.limited(&rows.rows, &active);
        let system = System {
            unknowns,
            equations: equation_refs(&b.equations, initial),
            pattern,
            matrix,
            rhs,
            kind: SystemKind::Nonlinear {
                residuals: self.program(&rows.rows),
                jacobian,
                tape,
                colors,
                limited,
            },
            reads,
            writes,
            other: match &b.other {
                Some(other) => Some(self.nonlinear(other, initial)?),
                None => None,
            },
        };
        Ok(self.systems.push(system))
    }
}

impl Compiler<'_> {
    /// All rows of a nonlinear system as one kernel with limited exponentials.
    fn limited(&mut self, rows: &[Row], active: &FxHashSet<Slot>) -> Option<Box<LimitedSystem>> {
        let code = |row: &Row| &self.kernels.kernels[row.kernel];
        let count = rows.iter().map(|r| exponentials(code(r))).sum();
        let operations: usize = rows.iter().map(|r| code(r).ops.len()).sum();
        if count == 0 || operations > LIMITED_OPS {
            return None;
        }
        let places = self.low.layout.alloc_run(count);
        let arguments = self.low.layout.alloc_run(count);
        let mut kernel = |limit: Limit| {
            let mut b = KernelBuilder::default();
            let mut limited = Limited::default();
            let mut is: FxHashMap<Slot, Reg> = FxHashMap::default();
            let mut results: Vec<(Slot, Reg)> = Vec::new();
            for &row in rows {
                let code = self.kernels.kernels[row.kernel].clone();
                let operands = self.kernels.operands(row).iter();
                let operands: Vec<Reg> = operands
                    .map(|s| is.get(s).copied().unwrap_or_else(|| b.slot(*s)))
                    .collect();
                let regs = replay(&mut b, &code, &operands, |b, u, _| {
                    Some(limited.value(b, u, places, limit))
                });
                for (&slot, &r) in self.kernels.results(row).iter().zip(&code.results) {
                    is.insert(slot, regs[r as usize]);
                    results.push((slot, regs[r as usize]));
                }
            }
            if matches!(limit, Limit::Moves { .. }) {
                for (k, &(place, now, argument)) in limited.all.iter().enumerate() {
                    results.push((place, now));
                    results.push((arguments + k as Slot, argument));
                }
            }
            let (slots, regs): (Vec<Slot>, Vec<Reg>) = results.into_iter().unzip();
            let (kernel, operands) = b.finish(&regs);
            (
                self.kernels.add_row(kernel, &operands, &slots),
                limited.all.len(),
            )
        };
        let (moving, count) = kernel(Limit::Moves { crit: 0.0 });
        let (fixed, _) = kernel(Limit::Stays { crit: 0.0 });
        Some(Box::new(LimitedSystem {
            moving: self.program(&[moving]),
            tape: self.tape(&[fixed], active),
            places,
            arguments,
            count,
        }))
    }
}

fn equation_refs(equations: &[u32], initial: bool) -> Vec<EquationRef> {
    equations
        .iter()
        .map(|&index| EquationRef { initial, index })
        .collect()
}
