//! What happens at events: rows of conditions, delays and actions, and what is computed only when it is due.

use cranelift_entity::EntityRef;
use ferrica_ir::Span;
use ferrica_ir::causal::{self, Kind};
use ferrica_ir::diag::Diagnostic;
use ferrica_ir::expr::{Expr, ExprId, VarId};
use rustc_hash::FxHashSet;

use super::{Compiler, for_each_unknown, rows_program};
use crate::layout::Slot;
use crate::model::{
    ActionSlots, Block, BlockKind, BlockSet, DelaySlots, DynamicSlots, RelationSlots,
    TransportSlots,
};
use crate::program::{Program, Row};

/// Slots and rows of everything that happens at events.
#[derive(Default)]
pub(super) struct Events {
    pub relations: Vec<RelationSlots>,
    pub relation_rows: Vec<Row>,
    pub samplers: Vec<(Slot, Slot, Slot)>,
    pub sampler_rows: Vec<Row>,
    pub delays: Vec<DelaySlots>,
    pub transports: Vec<TransportSlots>,
    pub delay_rows: Vec<Row>,
    pub reinits: Vec<(Slot, Slot, Slot)>,
    pub assertions: Vec<ActionSlots>,
    pub terminates: Vec<ActionSlots>,
    pub effects: Vec<ActionSlots>,
    pub action_rows: Vec<Row>,
    pub assertion_messages: Vec<Program>,
    pub terminate_messages: Vec<Program>,
    pub effect_calls: Vec<Program>,
    pub dynamic_states: Vec<DynamicSlots>,
}

impl Compiler<'_> {
    /// Adds a row to the main set, so that schedules find it; returns its slots.
    pub(super) fn event_row(
        &mut self,
        main: &mut BlockSet,
        exprs: &[ExprId],
        span: Span,
    ) -> Option<(Row, Slot)> {
        let (row, first) = self.row_of_its_own(exprs, span)?;
        let kind = BlockKind::Row(row);
        main.blocks.push(Block {
            kind,
            continuous: true,
            equation: u32::MAX,
        });
        Some((row, first))
    }

    /// The same for values that are computed once, not with the blocks.
    fn row_of_its_own(&mut self, exprs: &[ExprId], span: Span) -> Option<(Row, Slot)> {
        let first = self.low.layout.alloc_run(exprs.len());
        let slots: Vec<Slot> = (first..first + exprs.len() as Slot).collect();
        let row = self.value_row(exprs, &slots, span);
        Some((self.take(row)?, first))
    }

    /// A row of a condition and a value whose calls are made only where the condition holds.
    pub(super) fn conditional_row(
        &mut self,
        main: &mut BlockSet,
        condition: ExprId,
        value: ExprId,
        span: Span,
    ) -> Option<(Row, Slot)> {
        self.low.begin();
        let lowered = self.low.expr(condition, span).and_then(|c| {
            let v = self.low.guarded(value, c, span)?;
            Ok([c, v])
        });
        let regs = self.take(lowered)?;
        let first = self.low.layout.alloc_run(2);
        let (kernel, operands) = self.low.builder.finish(&regs);
        let row = self.kernels.add_row(kernel, &operands, &[first, first + 1]);
        main.blocks.push(Block {
            kind: BlockKind::Row(row),
            continuous: true,
            equation: u32::MAX,
        });
        Some((row, first))
    }

    /// A program of its own for something that is rarely computed.
    pub(super) fn lone(&mut self, e: ExprId, span: Span) -> Option<(Program, Slot)> {
        self.lone_row(&[e], span)
    }

    /// The same for several values.
    fn lone_row(&mut self, exprs: &[ExprId], span: Span) -> Option<(Program, Slot)> {
        let first = self.low.layout.alloc_run(exprs.len());
        let slots: Vec<Slot> = (first..first + exprs.len() as Slot).collect();
        let row = self.value_row(exprs, &slots, span);
        let row = self.take(row)?;
        Some((rows_program(&self.kernels, &[row]), first))
    }

    pub(super) fn events(&mut self, main: &mut BlockSet, parameters: &mut BlockSet) -> Events {
        let model = self.model();
        let mut out = Events::default();
        for r in &model.relations {
            let first = self.low.layout.alloc_run(3);
            let row = self.relation_row(r, first);
            let Some(row) = self.take(row) else { continue };
            let Some(memory) = self.low.layout.slot(r.memory) else {
                continue;
            };
            let kind = BlockKind::Row(row);
            main.blocks.push(Block {
                kind,
                continuous: true,
                equation: u32::MAX,
            });
            out.relation_rows.push(row);
            out.relations.push(RelationSlots {
                memory,
                lhs: first,
                rhs: first + 1,
                zero: first + 2,
                op: r.op,
                time_event: r.time_event,
            });
        }
        for s in &model.samplers {
            if let Some((row, first)) = self.row_of_its_own(&[s.start, s.interval], Span::NONE)
                && let Some(memory) = self.low.layout.slot(s.memory)
            {
                out.sampler_rows.push(row);
                out.samplers.push((memory, first, first + 1));
            }
        }
        for d in &model.delays {
            if let Some((row, first)) =
                self.event_row(main, &[d.source, d.delay, d.max], Span::NONE)
                && let Some(result) = self.low.layout.slot(d.result)
            {
                out.delay_rows.push(row);
                out.delays.push(DelaySlots {
                    result,
                    source: first,
                    delay: first + 1,
                    max: first + 2,
                    constant: d.constant,
                });
            }
        }
        for t in &model.transports {
            let [a, b] = t.sources;
            let contents: Vec<ExprId> = t.points.iter().chain(&t.values).copied().collect();
            if let Some((row, first)) = self.event_row(main, &[a, b, t.position], t.span)
                && let Some((contents, at)) = self.lone_row(&contents, t.span)
                && let Some(out0) = self.low.layout.slot(t.results[0])
                && let Some(out1) = self.low.layout.slot(t.results[1])
            {
                let n = t.points.len() as Slot;
                out.delay_rows.push(row);
                out.transports.push(TransportSlots {
                    results: [out0, out1],
                    sources: [first, first + 1],
                    position: first + 2,
                    points: (at..at + n).collect(),
                    values: (at + n..at + 2 * n).collect(),
                    contents,
                    span: t.span,
                });
            }
        }
        for r in &model.reinits {
            if let Some((row, first)) = self.conditional_row(main, r.condition, r.value, r.span)
                && let Some(state) = self.low.layout.slot(r.state)
            {
                out.action_rows.push(row);
                out.reinits.push((state, first, first + 1));
            }
        }
        let varies = self.varying();
        for a in &model.assertions {
            // What is said about parameters is known with them.
            let varies = [a.guard, Some(a.condition)]
                .into_iter()
                .flatten()
                .any(|e| varies[e.index()]);
            let set = if varies { &mut *main } else { &mut *parameters };
            let row = match a.guard {
                Some(guard) => self.conditional_row(set, guard, a.condition, a.span),
                None => self.event_row(set, &[a.condition], a.span),
            };
            if let Some((row, first)) = row
                && let Some((program, _)) = self.lone(a.message, a.span)
            {
                if varies {
                    out.action_rows.push(row);
                }
                let guard = a.guard.map(|_| first);
                let value = first + u32::from(guard.is_some());
                out.assertions.push(ActionSlots { guard, value });
                out.assertion_messages.push(program);
            }
        }
        for t in &model.terminates {
            if let Some((row, first)) = self.event_row(main, &[t.guard], t.span)
                && let Some((program, value)) = self.lone(t.message, t.span)
            {
                out.action_rows.push(row);
                out.terminates.push(ActionSlots {
                    guard: Some(first),
                    value,
                });
                out.terminate_messages.push(program);
            }
        }
        for e in &model.effects {
            let guard = match e.guard {
                Some(g) => match self.event_row(main, &[g], e.span) {
                    Some((row, first)) => {
                        out.action_rows.push(row);
                        Some(first)
                    }
                    None => continue,
                },
                None => None,
            };
            if let Some((program, value)) = self.lone(e.call, e.span) {
                out.effects.push(ActionSlots { guard, value });
                out.effect_calls.push(program);
            }
        }
        for d in &model.dynamic_states {
            let slots = |vars: &[VarId]| -> Vec<Slot> {
                vars.iter()
                    .filter_map(|&v| self.low.layout.slot(v))
                    .collect()
            };
            let (candidates, states) = (slots(&d.candidates), slots(&d.states));
            let selection = d.selection.iter().map(|row| slots(row)).collect();
            let mut rows = Vec::new();
            let mut jacobian = Vec::new();
            for &(r, c, e) in &d.jacobian {
                let slot = self.low.layout.alloc(0.0);
                let row = self.value_row(&[e], &[slot], Span::NONE);
                rows.extend(self.take(row));
                jacobian.push((r, c, slot));
            }
            let program = rows_program(&self.kernels, &rows);
            out.dynamic_states.push(DynamicSlots {
                candidates,
                states,
                selection,
                jacobian,
                program,
            });
        }
        out
    }

    /// Which expressions depend on more than parameters that are known before the initial system is solved.
    fn varying(&self) -> Vec<bool> {
        let model = self.model();
        let mut list = vec![false; model.exprs.len()];
        if model.assertions.is_empty() {
            return list;
        }
        let mut computed: FxHashSet<VarId> = FxHashSet::default();
        for block in &model.initial.blocks {
            for_each_unknown(block, |v| {
                computed.insert(v);
            });
        }
        for id in (0..list.len()).map(ExprId::new) {
            let own = match model.exprs.get(id) {
                Expr::Var(v) => model.vars[v].kind != Kind::Parameter || computed.contains(&v),
                Expr::Time | Expr::Der(_) | Expr::Pre(_) => true,
                Expr::Builtin(f, _) => !f.is_pure(),
                Expr::Call(f, _) => !model.functions[f].pure,
                _ => false,
            };
            let mut any = own;
            // Children have smaller numbers.
            model.exprs.for_each_child(id, |c| any |= list[c.index()]);
            list[id.index()] = any;
        }
        list
    }

    pub(super) fn relation_row(
        &mut self,
        r: &causal::Relation,
        first: Slot,
    ) -> Result<Row, Diagnostic> {
        self.low.begin();
        let (x, y) = (self.low.expr(r.lhs, r.span)?, self.low.expr(r.rhs, r.span)?);
        let z = self.low.builder.sub(x, y);
        let (kernel, operands) = self.low.builder.finish(&[x, y, z]);
        Ok(self
            .kernels
            .add_row(kernel, &operands, &[first, first + 1, first + 2]))
    }
}
