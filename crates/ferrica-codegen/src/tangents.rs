//! Tangents of everything: how all variables move when a parameter, a state or time does.
//!
//! In: a compiled model. Out: one [`Tape`] for each list of blocks that a run evaluates. A direction is a vector with a number a
//! slot; what it is for parameters, states, left limits and time is set by the caller, one sweep gives all others. Numbers that
//! cannot move (truth values, integers, texts, objects) have none.

use ferrica_ir::causal::Kind;
use ferrica_ir::expr::Ty;

use crate::evaluator::{Evaluator, Failure};
use crate::kernel::KernelId;
use crate::layout::{Layout, Slot};
use crate::model::{BlockId, BlockKind, BlockSet, CompiledModel};
use crate::program::Row;
use crate::schedule::needed;
use crate::tape::{PartialCache, Tape, TapeStep, independent_rows};

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct Tangents {
    /// Dependent parameters.
    pub parameters: Tape,
    /// Start values that are expressions.
    pub starts: Tape,
    pub initial: Tape,
    /// Derivatives of states.
    pub rhs: Tape,
    /// All continuous variables and the zero functions of conditions.
    pub continuous: Tape,
    /// Everything, for a pass of an event.
    pub event: Tape,
}

/// Makes all tapes.
pub(crate) fn attach(model: &mut CompiledModel, start_rows: &[Row], cache: &mut PartialCache) {
    let first = model.layout.derivatives;
    let derivatives: Vec<Slot> = (first..first + model.layout.n_states as Slot).collect();
    let all = |set: &BlockSet| -> Vec<BlockId> { set.blocks.keys().collect() };
    let of_rhs = needed(
        &model.kernels,
        &model.systems,
        &model.main,
        &derivatives,
        true,
    );
    let continuous = |b: &BlockId| model.main.blocks[*b].continuous;
    let of_continuous: Vec<BlockId> = model.main.blocks.keys().filter(continuous).collect();
    let kinds = |set: &BlockSet, list: Vec<BlockId>| -> Vec<BlockKind> {
        list.into_iter().map(|b| set.blocks[b].kind).collect()
    };
    let lists = [
        kinds(&model.parameters, all(&model.parameters)),
        start_rows.iter().map(|&row| BlockKind::Row(row)).collect(),
        kinds(&model.initial, all(&model.initial)),
        kinds(&model.main, of_rhs),
        kinds(&model.main, of_continuous),
        kinds(&model.main, all(&model.main)),
    ];
    let [parameters, starts, initial, rhs, continuous, event] =
        lists.map(|list| tape(model, cache, &list));
    model.tangents = Some(Tangents {
        parameters,
        starts,
        initial,
        rhs,
        continuous,
        event,
    });
}

/// Slots that can move without any block: real variables, their left limits, time.
fn can_move(model: &CompiledModel) -> Vec<bool> {
    let mut moving = vec![false; model.layout.len()];
    moving[Layout::TIME as usize] = true;
    for (slot, v) in model.layout.vars.iter().enumerate() {
        moving[slot] |= v.is_some_and(|v| {
            let var = &model.source.vars[v];
            var.var.ty == Ty::Real && !matches!(var.kind, Kind::Relation | Kind::External)
        });
    }
    for &(now, pre) in &model.layout.pre_pairs {
        moving[pre as usize] = moving[now as usize];
    }
    moving
}

fn tape(model: &mut CompiledModel, cache: &mut PartialCache, blocks: &[BlockKind]) -> Tape {
    let mut moving = can_move(model);
    let mut tape = Tape::default();
    let mut program: Vec<(KernelId, Vec<u32>)> = Vec::new();
    for block in blocks {
        match *block {
            BlockKind::Row(row) => {
                let partials = cache.row(
                    &mut model.kernels,
                    &mut model.layout,
                    row,
                    &|s| moving.get(s as usize).copied().unwrap_or(false),
                    &mut program,
                );
                let targets = tape.push_row(&partials);
                for &to in &targets {
                    moving[to as usize] = true;
                }
                // What reads nothing that moves stands still.
                for &to in model.kernels.results(row) {
                    if !targets.contains(&to) {
                        let (first, len) = (0, 0);
                        tape.steps.push(TapeStep::Node { to, first, len });
                    }
                }
            }
            BlockKind::System(s) => {
                tape.steps.push(TapeStep::System(s));
                for &w in &model.systems[s].writes {
                    moving[w as usize] = true;
                }
            }
        }
    }
    tape.partials = independent_rows(program);
    tape
}

impl Tape {
    /// The same without the nodes of these slots: their tangents are given.
    pub fn without(&self, given: impl Fn(Slot) -> bool) -> Tape {
        let mut tape = self.clone();
        let is_given = |step: &TapeStep| matches!(*step, TapeStep::Node { to, .. } if given(to));
        tape.steps.retain(|step| !is_given(step));
        tape
    }
}

impl Evaluator {
    /// Evaluates the partial derivatives of a tape at the present point, for any number of sweeps.
    pub fn prepare(&mut self, tape: &Tape) -> Result<(), Failure> {
        let model = self.model.clone();
        self.prepare_tape(&model, tape)
    }

    /// Propagates a direction over a tape that has been prepared.
    pub fn propagate(&mut self, tape: &Tape, direction: &mut Vec<f64>) {
        let model = self.model.clone();
        std::mem::swap(&mut self.tangents, direction);
        self.sweep(&model, tape);
        std::mem::swap(&mut self.tangents, direction);
    }
}
