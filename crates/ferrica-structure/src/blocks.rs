//! Blocks: how each strong component is solved.
//!
//! In: a matched system and its components. Out: assignments where one equation gives one unknown
//! explicitly; linear blocks where all equations of a loop are affine in its unknowns; torn nonlinear
//! blocks otherwise. A loop through Boolean variables is cut at one of them, which then iterates
//! like a relation; an Integer that a function gives (`phase = f(p, h)`) is that function in the
//! other equations of its loop.

use cranelift_entity::EntitySet;
use ferrica_dae::Dae;
use ferrica_dae::affine::Decomposer;
use ferrica_dae::differentiate::{DerivativeMemory, Differentiator};
use ferrica_ir::causal::{Assign, Block, Kind, LinearBlock, Relation};
use ferrica_ir::{BinaryOp, Diagnostic, Expr, ExprId, Ty, UnaryOp, VarId};
use rustc_hash::FxHashMap;

use crate::boolean_loop::has_no_solution;
use crate::incidence::{LocalColumns, NONE, Scanner};
use crate::linear_block;
use crate::matching::Matching;
use crate::nonlinear_block;
use crate::parameter_values::ParameterValues;
use crate::relations::event_value;
use crate::solve::{
    DISCRETE, Dependence, Division, explicit, is_zero_in_a_mode, vanishes_in_a_mode,
};
use crate::strong_components::{Components, strong_components};
use crate::system::{System, SystemEquation};
use crate::when_loop::judge_by_left_limits;

/// Memory shared by all blocks of a model.
#[derive(Default)]
pub struct Builder {
    pub decomposer: Decomposer,
    pub dependence: Dependence,
    pub derivatives: DerivativeMemory,
    /// Numbering of the unknowns of one component; all NONE between uses.
    pub local: LocalColumns,
    pub scanner: Scanner,
    pub errors: Vec<Diagnostic>,
    /// Memories of relations whose event times are computed.
    pub time_events: EntitySet<VarId>,
    /// Blocks of the initial system are being made.
    pub initial: bool,
    /// Equations of loops that were cut, as the blocks of the simulation form have them.
    pub cut: Vec<Row>,
    values: Option<ParameterValues>,
}

/// An equation of a component with the unknown it is matched to.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub equation: u32,
    pub lhs: ExprId,
    pub rhs: ExprId,
    pub unknown: VarId,
}

impl Builder {
    /// Values of parameters as the model gives them.
    pub fn values(&mut self, dae: &mut Dae) -> &mut ParameterValues {
        self.values.get_or_insert_with(|| ParameterValues::new(dae))
    }

    /// Blocks in order.
    pub fn blocks(
        &mut self,
        dae: &mut Dae,
        system: &System,
        matching: &Matching,
        components: &Components,
    ) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(components.len());
        for component in components.iter() {
            self.add_blocks(dae, system, matching, component, &mut blocks);
        }
        blocks
    }

    /// Blocks of one component, in order.
    pub fn blocks_of(
        &mut self,
        dae: &mut Dae,
        system: &System,
        matching: &Matching,
        component: &[u32],
    ) -> Vec<Block> {
        let mut blocks = Vec::new();
        self.add_blocks(dae, system, matching, component, &mut blocks);
        blocks
    }

    fn add_blocks(
        &mut self,
        dae: &mut Dae,
        system: &System,
        matching: &Matching,
        component: &[u32],
        blocks: &mut Vec<Block>,
    ) {
        let row = |&i: &u32| {
            let SystemEquation { lhs, rhs, .. } = system.equations[i as usize];
            Row {
                equation: i,
                lhs,
                rhs,
                unknown: system.unknowns[matching.column[i as usize] as usize],
            }
        };
        match component {
            [one] => self.component(dae, system, &[row(one)], blocks),
            _ => {
                let rows: Vec<Row> = component.iter().map(row).collect();
                self.component(dae, system, &rows, blocks);
            }
        }
    }

    fn component(&mut self, dae: &mut Dae, system: &System, rows: &[Row], out: &mut Vec<Block>) {
        if let [row] = rows {
            if dae.vars[row.unknown].kind == Kind::Relation {
                self.relation(dae, *row, out);
            } else {
                self.single(dae, system, *row, out);
            }
            return;
        }
        if rows
            .iter()
            .any(|r| dae.vars[r.unknown].kind == Kind::Relation)
        {
            // The loop is cut at its relations: they keep their memory during a pass.
            let rest: Vec<Row> = rows
                .iter()
                .copied()
                .filter(|r| dae.vars[r.unknown].kind != Kind::Relation)
                .collect();
            for part in self.split(dae, &rest) {
                self.component(dae, system, &part, out);
            }
            return;
        }
        if rows
            .iter()
            .any(|r| dae.vars[r.unknown].var.ty.is_discrete())
        {
            self.cut_discrete(dae, system, rows, out);
            return;
        }
        if let Some(mut blocks) = linear_block::build(self, dae, rows) {
            out.append(&mut blocks);
        } else {
            out.push(Block::Nonlinear(Box::new(nonlinear_block::build(
                self, dae, rows,
            ))));
        }
    }

    fn relation(&mut self, dae: &mut Dae, row: Row, out: &mut Vec<Block>) {
        let expr = if self.initial {
            row.rhs
        } else {
            let time_event = self.time_events.contains(row.unknown);
            event_value(dae, row.lhs, row.rhs, time_event)
        };
        out.push(Block::Assign(Assign {
            var: row.unknown,
            expr,
            equation: NONE,
        }));
    }

    fn single(&mut self, dae: &mut Dae, system: &System, row: Row, out: &mut Vec<Block>) {
        let found = explicit(
            dae,
            &mut self.decomposer,
            &mut self.dependence,
            row.lhs,
            row.rhs,
            row.unknown,
        );
        if let Some((mut expr, division)) = found {
            if let Division::Varying(a) = division
                && !self.initial
                && is_zero_in_a_mode(&dae.exprs, a)
                && let Expr::Binary(BinaryOp::Div, rhs, _) = dae.exprs.get(expr)
            {
                // In that mode the equation does not say what the unknown is: a system of one, which notices.
                out.push(Block::Linear(Box::new(LinearBlock {
                    unknowns: vec![row.unknown],
                    matrix: vec![(0, 0, a)],
                    rhs: vec![rhs],
                    constant: false,
                    then: Vec::new(),
                    equations: vec![row.equation],
                })));
                return;
            }
            if let Division::Varying(a) = division
                && self.initial
                && vanishes_in_a_mode(&dae.exprs, a)
            {
                // Not determined in this mode at the start: its start value; the simulation form
                // determines it with the other equations of its loop.
                let start = dae.start_value(row.unknown);
                let zero = dae.exprs.real(0.0);
                let vanishes = dae.exprs.binary(BinaryOp::Eq, a, zero);
                expr = dae.exprs.if_then_else(vanishes, start, expr);
            } else if let Division::Varying(a) = division
                && self.dependence.of(dae, a) != DISCRETE
            {
                expr = determined(dae, row.unknown, expr);
            }
            out.push(Block::Assign(Assign {
                var: row.unknown,
                expr,
                equation: row.equation,
            }));
        } else if dae.vars[row.unknown].var.ty.is_discrete() {
            self.cut_discrete(dae, system, &[row], out);
        } else {
            out.push(Block::Nonlinear(Box::new(nonlinear_block::build(
                self,
                dae,
                &[row],
            ))));
        }
    }

    /// Cuts a loop at a Boolean variable: it is read through a memory that is updated with the
    /// relations, so the event iteration finds the fixed point.
    fn cut_discrete(&mut self, dae: &mut Dae, system: &System, rows: &[Row], out: &mut Vec<Block>) {
        let judged = judge_by_left_limits(dae, rows, |dae, rows| self.split(dae, rows));
        if let Some(rows) = judged {
            for part in self.split(dae, &rows) {
                self.component(dae, system, &part, out);
            }
            return;
        }
        let boolean = rows
            .iter()
            .position(|r| dae.vars[r.unknown].var.ty == Ty::Boolean);
        let Some(at) = boolean.filter(|_| !has_no_solution(dae, rows)) else {
            match self.without_a_number(dae, rows) {
                Some(rows) if boolean.is_none() => {
                    for part in self.split(dae, &rows) {
                        self.component(dae, system, &part, out);
                    }
                }
                _ => self.discrete_loop_error(dae, system, rows),
            }
            return;
        };
        let v = rows[at].unknown;
        let span = system.equations[rows[at].equation as usize].span;
        let name = format!("$loop({})", dae.vars[v].var.name);
        let memory = dae.new_var(name, Ty::Boolean, Kind::Relation, span);
        let value = dae.var_expr(v);
        let (one, zero, half) = (
            dae.exprs.real(1.0),
            dae.exprs.real(0.0),
            dae.exprs.real(0.5),
        );
        let lhs = dae.exprs.if_then_else(value, one, zero);
        dae.relations.push(Relation {
            memory,
            op: BinaryOp::Gt,
            lhs,
            rhs: half,
            time_event: false,
            span,
        });
        let replacement = dae.var_expr(memory);
        let mut memo = FxHashMap::default();
        let mut new_rows = rows.to_vec();
        for r in &mut new_rows {
            // The side that is the unknown itself stays (one of them, in `v = v`).
            let target = if dae.exprs.get(r.lhs) == Expr::Var(r.unknown) {
                r.lhs
            } else {
                r.rhs
            };
            let both = r.lhs == r.rhs;
            for (k, side) in [&mut r.lhs, &mut r.rhs].into_iter().enumerate() {
                if *side == target && !(both && k == 1) {
                    continue;
                }
                *side = dae.exprs.rewrite(*side, &mut memo, &mut |a, e| {
                    (a.get(e) == Expr::Var(v)).then_some(replacement)
                });
            }
        }
        if !self.initial {
            self.cut.extend(&new_rows);
        }
        for part in self.split(dae, &new_rows) {
            self.component(dae, system, &part, out);
        }
    }

    /// The rows of a loop in which the definition of an Integer or enumeration, `v = f(…)`, stands for `v` in the others;
    /// none where each of them depends on itself.
    fn without_a_number(&mut self, dae: &mut Dae, rows: &[Row]) -> Option<Vec<Row>> {
        let (at, value) = rows.iter().enumerate().find_map(|(k, r)| {
            let ty = dae.vars[r.unknown].var.ty;
            if !ty.is_discrete() || ty == Ty::Boolean {
                return None;
            }
            let own = Expr::Var(r.unknown);
            let value = match (dae.exprs.get(r.lhs) == own, dae.exprs.get(r.rhs) == own) {
                (true, false) => r.rhs,
                (false, true) => r.lhs,
                _ => return None,
            };
            let mut on_itself = false;
            dae.exprs
                .postorder(&[value], |id| on_itself |= dae.exprs.get(id) == own);
            (!on_itself).then_some((k, value))
        })?;
        let v = rows[at].unknown;
        let mut memo = FxHashMap::default();
        let mut out = rows.to_vec();
        for (_, r) in out.iter_mut().enumerate().filter(|(k, _)| *k != at) {
            for side in [&mut r.lhs, &mut r.rhs] {
                *side = dae.exprs.rewrite(*side, &mut memo, &mut |a, e| {
                    (a.get(e) == Expr::Var(v)).then_some(value)
                });
            }
        }
        Some(out)
    }

    /// Strong components of some matched rows.
    fn split(&mut self, dae: &Dae, rows: &[Row]) -> Vec<Vec<Row>> {
        let unknowns: Vec<VarId> = rows.iter().map(|r| r.unknown).collect();
        let columns = self.local.set(&unknowns);
        let incidence = crate::incidence::incidence(
            dae,
            columns,
            unknowns.len(),
            rows.iter().map(|r| (r.lhs, r.rhs)),
        );
        self.local.clear(&unknowns);
        let identity: Vec<u32> = (0..rows.len() as u32).collect();
        let matching = Matching {
            column: identity.clone(),
            row: identity,
        };
        strong_components(&incidence, &matching)
            .iter()
            .map(|c| c.iter().map(|&i| rows[i as usize]).collect())
            .collect()
    }

    fn discrete_loop_error(&mut self, dae: &Dae, system: &System, rows: &[Row]) {
        let names: Vec<String> = rows
            .iter()
            .take(8)
            .map(|r| format!("`{}`", dae.vars[r.unknown].var.name))
            .collect();
        let mut error = Diagnostic::error(
            "E0404",
            system.equations[rows[0].equation as usize].span,
            format!(
                "discrete variables depend on each other at the same instant: {}",
                names.join(", ")
            ),
        )
        .with_hint("break the loop with pre() of one of them");
        for r in rows.iter().take(8) {
            let eq = &system.equations[r.equation as usize];
            error = error.with_related(eq.span, dae.equation_text(eq.lhs, eq.rhs));
        }
        // The loop is in the initial system as well.
        if self.errors.iter().all(|e| e.message != error.message) {
            self.errors.push(error);
        }
    }

    /// Partial derivative of `lhs - rhs` with respect to a variable; `None` where there is no
    /// symbolic one.
    pub fn partial(&mut self, dae: &mut Dae, residual: ExprId, v: VarId) -> Option<ExprId> {
        let mut d = Differentiator::new(&mut dae.functions, &mut self.derivatives);
        d.derivative_expr(&mut dae.exprs, residual, &mut |a, leaf| {
            Ok((leaf == Expr::Var(v)).then(|| a.real(1.0)))
        })
        .ok()
    }
}

/// An unknown as a quotient b/a, or −b/a, with an a that moves. Where its equation says 0·x = 0 any value satisfies it, and the unknown has its start value.
fn determined(dae: &mut Dae, unknown: VarId, expr: ExprId) -> ExprId {
    let quotient = match dae.exprs.get(expr) {
        Expr::Unary(UnaryOp::Neg, quotient) => quotient,
        _ => expr,
    };
    let Expr::Binary(BinaryOp::Div, b, a) = dae.exprs.get(quotient) else {
        return expr;
    };
    let start = dae.start_value(unknown);
    let x = &mut dae.exprs;
    let zero = x.real(0.0);
    let (vanishes, also) = (
        x.binary(BinaryOp::Eq, a, zero),
        x.binary(BinaryOp::Eq, b, zero),
    );
    let open = x.binary(BinaryOp::And, vanishes, also);
    x.if_then_else(open, start, expr)
}
