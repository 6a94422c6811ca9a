//! Equation splitting: for each derivative and each crossing function the minimal schedule.
//!
//! In: a compiled model. Out: for every state derivative and every relation's zero function a list of
//! steps (fused kernels, algebraic systems) that computes it from quantities (states and time
//! inputs) and from values that are constant between events; and, from that, the incidence of
//! quantities and of constants. Nothing is shared between schedules but the systems, whose last
//! solution is remembered (see `systems.rs`).
//!
//! Between events, what depends on discrete values and parameters only is constant: it is computed
//! at events, never in a schedule. Time and memory are linear in the sum of the schedules' lengths.

use cranelift_entity::EntityRef;
use ferrica_codegen::model::{BlockId, BlockKind, CompiledModel, SystemKind};
use ferrica_codegen::program::{Program, Step, SystemId};
use ferrica_codegen::{Layout, Slot};
use ferrica_ir::causal::Kind;

use crate::fuse::{Class, Fused, RowParts, TimeInputs, extract_time, join};

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub enum SplitStep {
    Fused(Fused),
    System(SystemId),
}

/// One derivative or crossing function.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    pub steps: Vec<SplitStep>,
    /// The slot that is wanted.
    pub result: Slot,
    /// Quantities it reads, in order of first use.
    pub reads: Vec<u32>,
    /// Slots it reads that only events change.
    pub constants: Vec<Slot>,
}

/// A system as its Taylor form needs it: assignments and residuals (or matrix and right side) as
/// fused kernels.
#[derive(Clone, Debug)]
pub struct SplitSystem {
    pub id: SystemId,
    /// Linear: matrix entries, then right sides. Nonlinear: inner variables, then residuals.
    pub inside: Fused,
    /// Linear: variables that follow from the unknowns.
    pub then: Option<Fused>,
}

/// See the module comment.
pub struct Split {
    pub states: usize,
    pub first_state: Slot,
    /// Time inputs; input k has the slot `inputs.first + k`.
    pub inputs: TimeInputs,
    /// Constants that each input reads.
    pub input_constants: Vec<Vec<Slot>>,
    pub derivatives: Vec<Evaluation>,
    pub crossings: Vec<Evaluation>,
    /// Slots of delayed signals, and what is delayed. Delayed signals are the quantities between the states and
    /// the time inputs.
    pub delayed: Vec<Slot>,
    pub delay_sources: Vec<Evaluation>,
    /// Times by which they are delayed, where they can change: number of the delayed signal.
    pub delay_times: Vec<(usize, Evaluation)>,
    pub systems: Vec<SplitSystem>,
    /// Class of each slot of the layout.
    pub class: Vec<Class>,
}

impl Split {
    /// Number of slots with coefficients.
    pub fn slots(&self) -> usize {
        self.inputs.first as usize + self.inputs.list.len()
    }

    /// Quantity that a slot is, if it is one.
    pub fn quantity(&self, slot: Slot) -> Option<u32> {
        quantity(
            slot,
            (self.first_state, self.states),
            &self.delayed,
            &self.inputs,
        )
    }

    /// Slot of a quantity.
    pub fn quantity_slot(&self, quantity: u32) -> Slot {
        let (states, delayed) = (self.states as u32, self.delayed.len() as u32);
        if quantity < states {
            self.first_state + quantity
        } else if quantity < states + delayed {
            self.delayed[(quantity - states) as usize]
        } else {
            self.inputs.first + quantity - states - delayed
        }
    }
}

fn quantity(
    slot: Slot,
    (first, states): (Slot, usize),
    delayed: &[Slot],
    inputs: &TimeInputs,
) -> Option<u32> {
    if slot >= first && slot < first + states as Slot {
        Some(slot - first)
    } else if slot >= inputs.first {
        Some((states + delayed.len()) as u32 + slot - inputs.first)
    } else {
        let k = delayed.iter().position(|&d| d == slot)?;
        Some((states + k) as u32)
    }
}

/// Can an event change a slot that is constant otherwise?
pub(crate) fn changes(model: &CompiledModel, slot: Slot) -> bool {
    match model.variable(slot) {
        Some(v) => !matches!(model.source.vars[v].kind, Kind::Parameter | Kind::External),
        None => {
            let written = model.main.writer.get(slot as usize);
            written.is_some_and(|&w| w != NONE)
                || model.layout.pre_pairs.iter().any(|&(_, pre)| pre == slot)
        }
    }
}

/// Class of each slot, from the blocks in their order.
fn classes(model: &CompiledModel) -> Vec<Class> {
    let layout = &model.layout;
    let mut class = vec![Class::Constant; layout.len()];
    class[Layout::TIME as usize] = Class::Linear;
    let first = layout.states as usize;
    class[first..first + layout.n_states].fill(Class::Moving);
    for slot in model.remembered() {
        class[slot as usize] = Class::Moving;
    }
    for (id, block) in &model.main.blocks {
        if !block.continuous {
            continue;
        }
        let mut most = Class::Constant;
        for &slot in model.block_reads(&model.main, id) {
            most = most.max(class[slot as usize]);
        }
        let result = match (block.kind, most) {
            (_, Class::Constant) => Class::Constant,
            // Whether a row is linear in time is decided where it is used.
            (BlockKind::Row(_), Class::Linear | Class::Time) => Class::Time,
            _ => Class::Moving,
        };
        for &slot in model.block_writes(&model.main, id) {
            class[slot as usize] = class[slot as usize].max(result);
        }
    }
    class
}

struct Splitter<'m> {
    model: &'m CompiledModel,
    class: Vec<Class>,
    inputs: TimeInputs,
    /// Does what is linear in time stay where it is? In a derivative of first order it would be frozen: there it is a time input.
    straight: bool,
    delayed: Vec<Slot>,
    /// Marks of the current walk.
    stamp: u32,
    seen: Vec<u32>,
    system_index: Vec<u32>,
    systems: Vec<SplitSystem>,
}

/// Splits a model for a method of this order. Relations come in the order of `model.relations`.
pub fn split(model: &CompiledModel, order: usize) -> Split {
    let class = classes(model);
    let mut s = Splitter {
        model,
        inputs: TimeInputs::new(model.layout.len() as Slot),
        straight: order > 1,
        delayed: model.delays.iter().map(|d| d.result).collect(),
        class,
        stamp: 0,
        seen: vec![0; model.main.blocks.len()],
        system_index: vec![NONE; model.systems.len()],
        systems: Vec::new(),
    };
    let states = model.layout.n_states;
    let derivatives = (0..states as Slot)
        .map(|k| s.evaluation(model.layout.derivatives + k))
        .collect();
    // The trajectories that crossing functions and delays read have a slope in every order.
    s.straight = true;
    let crossings = model
        .relations
        .iter()
        .map(|r| s.evaluation(r.zero))
        .collect();
    let delay_sources = model
        .delays
        .iter()
        .map(|d| s.evaluation(d.source))
        .collect();
    // What is linear in time reads no quantity, and moves all the same.
    let mut delay_times = Vec::new();
    for (k, d) in model.delays.iter().enumerate() {
        let e = s.evaluation(d.delay);
        let moves = s.class[d.delay as usize] != Class::Constant;
        if moves || e.constants.iter().any(|&c| changes(model, c)) {
            delay_times.push((k, e));
        }
    }
    let mut split = Split {
        states,
        first_state: model.layout.states,
        input_constants: Vec::new(),
        derivatives,
        crossings,
        delayed: s.delayed,
        delay_sources,
        delay_times,
        systems: s.systems,
        class: s.class,
        inputs: s.inputs,
    };
    split.input_constants = split
        .inputs
        .list
        .iter()
        .map(|f| {
            let fixed = |s: &Slot| split.class[*s as usize] == Class::Constant;
            f.operands.iter().copied().filter(fixed).collect()
        })
        .collect();
    split
}

impl Splitter<'_> {
    /// Blocks needed for slots, sorted; `through_systems` also enters algebraic systems.
    fn needed(&mut self, wanted: &[Slot], through_systems: bool) -> Vec<BlockId> {
        self.stamp += 1;
        let mut stack: Vec<BlockId> = Vec::new();
        let mut list = Vec::new();
        let main = &self.model.main;
        let mut enter = |slot: Slot, stack: &mut Vec<BlockId>| {
            if self
                .class
                .get(slot as usize)
                .is_none_or(|&c| c == Class::Constant)
            {
                return;
            }
            let Some(&w) = main.writer.get(slot as usize) else {
                return;
            };
            if w == NONE || self.seen[w as usize] == self.stamp {
                return;
            }
            let id = BlockId::from_u32(w);
            let block = &main.blocks[id];
            if !block.continuous || (!through_systems && matches!(block.kind, BlockKind::System(_)))
            {
                return;
            }
            self.seen[w as usize] = self.stamp;
            stack.push(id);
        };
        for &slot in wanted {
            enter(slot, &mut stack);
        }
        while let Some(b) = stack.pop() {
            list.push(b);
            for &slot in self.model.block_reads(main, b) {
                enter(slot, &mut stack);
            }
        }
        list.sort_unstable();
        list
    }

    /// Fused kernel for slots from states, system results and constants.
    fn fuse(&mut self, wanted: &[Slot]) -> Fused {
        let blocks = self.needed(wanted, false);
        let model = self.model;
        let rows = blocks
            .iter()
            .filter_map(|&b| match model.main.blocks[b].kind {
                BlockKind::Row(row) => Some((
                    &model.kernels.kernels[row.kernel],
                    model.kernels.operands(row),
                    model.kernels.results(row),
                )),
                BlockKind::System(_) => None,
            });
        let fused = join(rows, wanted);
        self.extract(fused)
    }

    /// Rows of class time were joined down to the time itself.
    fn extract(&mut self, fused: Fused) -> Fused {
        let class = &self.class;
        let straight = self.straight;
        let class_of = |slot: Slot| match class.get(slot as usize) {
            Some(Class::Linear) if !straight => Class::Time,
            Some(&c) => c,
            None => Class::Moving,
        };
        extract_time(fused, &class_of, &mut self.inputs)
    }

    /// Inside a system, rows of class time are computed before and come as moving operands.
    fn extract_inside(&mut self, fused: Fused) -> Fused {
        let class = &self.class;
        let straight = self.straight;
        let class_of = |slot: Slot| match class.get(slot as usize) {
            Some(Class::Time) | None => Class::Moving,
            Some(Class::Linear) if !straight => Class::Time,
            Some(&c) => c,
        };
        extract_time(fused, &class_of, &mut self.inputs)
    }

    fn evaluation(&mut self, result: Slot) -> Evaluation {
        let mut e = Evaluation {
            result,
            ..Evaluation::default()
        };
        let systems: Vec<SystemId> = self
            .needed(&[result], true)
            .into_iter()
            .filter_map(|b| match self.model.main.blocks[b].kind {
                BlockKind::System(s) => Some(s),
                BlockKind::Row(_) => None,
            })
            .collect();
        for &id in &systems {
            let at = self.system(id);
            let (inside, then) = {
                let s = &self.systems[at];
                (s.inside.operands.clone(), s.then.clone())
            };
            let mut reads = inside;
            reads.extend(then.iter().flat_map(|f| f.operands.iter().copied()));
            let own = &self.model.systems[id];
            reads.extend(&own.reads);
            reads.sort_unstable();
            reads.dedup();
            reads.retain(|s| !own.writes.contains(s));
            self.note(&mut e, &reads);
            // Rows that feed the system, computed afresh.
            let rows: Vec<Slot> = reads
                .into_iter()
                .filter(|&s| self.written_by_row(s))
                .collect();
            if !rows.is_empty() {
                let f = self.fuse(&rows);
                self.note(&mut e, &f.operands);
                e.steps.push(SplitStep::Fused(f));
            }
            e.steps.push(SplitStep::System(id));
        }
        let written = |s: SystemId| self.model.systems[s].writes.contains(&result);
        if !systems.iter().any(|&s| written(s)) {
            let f = self.fuse(&[result]);
            self.note(&mut e, &f.operands);
            e.steps.push(SplitStep::Fused(f));
        }
        e
    }

    fn written_by_row(&self, slot: Slot) -> bool {
        if self
            .class
            .get(slot as usize)
            .is_none_or(|&c| c == Class::Constant)
        {
            return false;
        }
        match self.model.main.writer.get(slot as usize) {
            Some(&w) if w != NONE => {
                let block = &self.model.main.blocks[BlockId::from_u32(w)];
                block.continuous && matches!(block.kind, BlockKind::Row(_))
            }
            _ => false,
        }
    }

    /// Adds slots to what an evaluation reads.
    fn note(&self, e: &mut Evaluation, slots: &[Slot]) {
        let layout = &self.model.layout;
        for &slot in slots {
            let states = (layout.states, layout.n_states);
            if let Some(q) = quantity(slot, states, &self.delayed, &self.inputs) {
                if !e.reads.contains(&q) {
                    e.reads.push(q);
                }
            } else if self.class[slot as usize] == Class::Constant && !e.constants.contains(&slot) {
                e.constants.push(slot);
            }
        }
    }

    fn system(&mut self, id: SystemId) -> usize {
        if self.system_index[id.index()] != NONE {
            return self.system_index[id.index()] as usize;
        }
        let model = self.model;
        let system = &model.systems[id];
        let n = system.unknowns.len() as Slot;
        let rhs: Vec<Slot> = (system.rhs..system.rhs + n).collect();
        let (inside, then) = match &system.kind {
            SystemKind::Linear {
                matrix,
                rhs: right,
                then,
                ..
            } => {
                let mut wanted: Vec<Slot> =
                    (system.matrix..system.matrix + system.pattern.nnz() as Slot).collect();
                wanted.extend(rhs);
                let rows = program_rows(model, matrix).chain(program_rows(model, right));
                let after: Vec<Slot> = system
                    .writes
                    .iter()
                    .copied()
                    .filter(|s| !system.unknowns.contains(s))
                    .collect();
                let then = (!after.is_empty()).then(|| join(program_rows(model, then), &after));
                (join(rows, &wanted), then)
            }
            SystemKind::Nonlinear { residuals, .. } => {
                let mut wanted: Vec<Slot> = system
                    .writes
                    .iter()
                    .copied()
                    .filter(|s| !system.unknowns.contains(s))
                    .collect();
                wanted.extend(rhs);
                (join(program_rows(model, residuals), &wanted), None)
            }
        };
        let inside = self.extract_inside(inside);
        let then = then.map(|f| self.extract_inside(f));
        let at = self.systems.len();
        self.system_index[id.index()] = at as u32;
        self.systems.push(SplitSystem { id, inside, then });
        at
    }
}

/// Rows of a program in its order.
fn program_rows<'m>(
    model: &'m CompiledModel,
    program: &'m Program,
) -> impl Iterator<Item = RowParts<'m>> {
    program.steps.iter().flat_map(move |step| {
        let (kernel, first, count) = match *step {
            Step::Batch {
                kernel,
                first,
                count,
            } => (Some(&model.kernels.kernels[kernel]), first, count),
            Step::Solve(_) => (None, 0, 0),
        };
        kernel.into_iter().flat_map(move |kernel| {
            let stride = kernel.stride();
            (0..count as usize).map(move |k| {
                let row = &program.rows[first as usize + k * stride..][..stride];
                let (operands, results) = row.split_at(kernel.loads as usize);
                (kernel, operands, results)
            })
        })
    })
}
