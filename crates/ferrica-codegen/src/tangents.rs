//! Tangents of everything: how all variables move when a parameter, a state or time does.
//!
//! In: a compiled model. Out: one [`Tape`] for each list of blocks that a run evaluates. A direction has a number a
//! slot; what it is for parameters, states, left limits and time is set by the caller, one sweep gives all others. Numbers that
//! cannot move (truth values, integers, texts, objects) have none.

use ferrica_ir::causal::Kind;
use ferrica_ir::expr::Ty;

use crate::evaluator::{Evaluator, Failure};
use crate::layout::{Layout, Slot};
use crate::model::{BlockId, BlockKind, BlockSet, CompiledModel};
use crate::program::{Row, rows};
use crate::schedule::needed;
use crate::tape::{PartialCache, RowList, Tape, TapeStep};

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct Tangents {
    /// Dependent parameters.
    pub parameters: Tape,
    /// Start values that are expressions.
    pub starts: Tape,
    pub initial: Tape,
    /// First instants and intervals of samplers.
    pub samplers: Tape,
    /// Derivatives of states.
    pub rhs: Tape,
    /// All continuous variables and the zero functions of conditions.
    pub continuous: Tape,
    /// Everything, for a pass of an event.
    pub event: Tape,
}

/// Makes all tapes; start values and samplers have rows of their own.
pub(crate) fn attach(
    model: &mut CompiledModel,
    [start_rows, sampler_rows]: [&[Row]; 2],
    cache: &mut PartialCache,
) {
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
    let rows = |list: &[Row]| list.iter().map(|&row| BlockKind::Row(row)).collect();
    let lists = [
        kinds(&model.parameters, all(&model.parameters)),
        rows(start_rows),
        kinds(&model.initial, all(&model.initial)),
        rows(sampler_rows),
        kinds(&model.main, of_rhs),
        kinds(&model.main, of_continuous),
        kinds(&model.main, all(&model.main)),
    ];
    let [
        parameters,
        starts,
        initial,
        samplers,
        rhs,
        continuous,
        event,
    ] = lists.map(|list| tape(model, cache, &list));
    model.tangents = Some(Tangents {
        parameters,
        starts,
        initial,
        samplers,
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
    let mut program = RowList::default();
    let mut targets = Vec::new();
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
                targets.clear();
                tape.push_row(partials, |to| targets.push(to));
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
    tape.partials = program.independent();
    tape
}

/// Directions that go through a sweep together: what a sweep has to look up serves all of them, and their sums stay in registers.
const MOST_LANES: usize = 8;

/// Tangents of all slots in several directions.
#[derive(Clone, Debug, Default)]
pub struct Directions {
    count: usize,
    groups: Vec<Group>,
}

/// Up to [`MOST_LANES`] directions, the tangents of a slot side by side.
#[derive(Clone, Debug)]
struct Group {
    lanes: usize,
    values: Vec<f64>,
}

impl Directions {
    /// Nothing moves.
    pub fn new(slots: usize, count: usize) -> Directions {
        let group = |first: usize| {
            let lanes = (count - first).min(MOST_LANES);
            let values = vec![0.0; slots * lanes];
            Group { lanes, values }
        };
        let groups = (0..count).step_by(MOST_LANES).map(group).collect();
        Directions { count, groups }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn get(&self, slot: Slot, direction: usize) -> f64 {
        let group = &self.groups[direction / MOST_LANES];
        group.values[slot as usize * group.lanes + direction % MOST_LANES]
    }

    #[inline]
    pub fn set(&mut self, slot: Slot, direction: usize, value: f64) {
        let group = &mut self.groups[direction / MOST_LANES];
        group.values[slot as usize * group.lanes + direction % MOST_LANES] = value;
    }

    /// One slot moves as another does.
    pub fn copy(&mut self, from: Slot, to: Slot) {
        for group in &mut self.groups {
            let from = from as usize * group.lanes;
            let to = to as usize * group.lanes;
            group.values.copy_within(from..from + group.lanes, to);
        }
    }

    /// Tangents of consecutive slots into `out`, all directions of a slot side by side.
    pub fn gather(&self, first: Slot, n: usize, out: &mut [f64]) {
        let mut lane = 0;
        for group in &self.groups {
            let at = first as usize * group.lanes;
            let own = &group.values[at..at + n * group.lanes];
            if group.lanes == self.count {
                return out[..own.len()].copy_from_slice(own);
            }
            let rows = own.chunks_exact(group.lanes);
            for (out, own) in out.chunks_exact_mut(self.count).zip(rows) {
                out[lane..lane + group.lanes].copy_from_slice(own);
            }
            lane += group.lanes;
        }
    }

    /// The other way round.
    pub fn scatter(&mut self, first: Slot, n: usize, from: &[f64]) {
        let mut lane = 0;
        for group in &mut self.groups {
            let lanes = group.lanes;
            let at = first as usize * lanes;
            let own = &mut group.values[at..at + n * lanes];
            if lanes == self.count {
                return own.copy_from_slice(&from[..n * lanes]);
            }
            for (from, own) in (from.chunks_exact(self.count)).zip(own.chunks_exact_mut(lanes)) {
                own.copy_from_slice(&from[lane..lane + lanes]);
            }
            lane += lanes;
        }
    }

    /// Nothing moves any more.
    pub fn clear(&mut self) {
        for group in &mut self.groups {
            group.values.fill(0.0);
        }
    }

    /// Takes the only direction of `one` for a direction.
    pub fn replace(&mut self, direction: usize, one: &Directions) {
        let slots = one.groups.first().map_or(0, |g| g.values.len());
        for slot in 0..slots as Slot {
            self.set(slot, direction, one.get(slot, 0));
        }
    }

    /// All slots move by these numbers, one a direction, times the one direction of `along`.
    pub fn add(&mut self, factors: &[f64], along: &Directions) {
        let slots = along.groups.first().map_or(0, |g| g.values.len());
        for (d, &factor) in factors.iter().enumerate() {
            if factor != 0.0 {
                for slot in 0..slots as Slot {
                    let moved = self.get(slot, d) + factor * along.get(slot, 0);
                    self.set(slot, d, moved);
                }
            }
        }
    }
}

impl Tape {
    /// The part that is needed for these slots.
    pub fn restricted(&self, model: &CompiledModel, wanted: &[Slot]) -> Tape {
        let mut needed = vec![false; model.slot_count()];
        for &slot in wanted {
            needed[slot as usize] = true;
        }
        let mut tape = Tape::default();
        for step in self.steps.iter().rev() {
            match *step {
                TapeStep::Node { to, first, len } if needed[to as usize] => {
                    let edges = &self.edges[first as usize..(first + len) as usize];
                    let first = tape.edges.len() as u32;
                    tape.edges.extend_from_slice(edges);
                    tape.steps.push(TapeStep::Node { to, first, len });
                    for &(from, partial) in edges {
                        needed[from as usize] = true;
                        needed[partial as usize] = true;
                    }
                }
                TapeStep::System(s) => {
                    let system = &model.systems[s];
                    if system.writes.iter().any(|&w| needed[w as usize]) {
                        tape.steps.push(*step);
                        for &r in &system.reads {
                            needed[r as usize] = true;
                        }
                    }
                }
                TapeStep::Node { .. } => {}
            }
        }
        tape.steps.reverse();
        for (kernel, row) in rows(&model.kernels, &self.partials) {
            let results = &row[model.kernels.kernels[kernel].loads as usize..];
            if results.iter().any(|&r| needed[r as usize]) {
                tape.partials.push_row(kernel, row, true);
            }
        }
        tape
    }

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

    /// Propagates all directions over a tape that has been prepared.
    pub fn propagate(&mut self, tape: &Tape, directions: &mut Directions) {
        let model = self.model.clone();
        for group in &mut directions.groups {
            std::mem::swap(&mut self.tangents, &mut group.values);
            match group.lanes {
                1 => self.sweep::<1>(&model, tape),
                2 => self.sweep::<2>(&model, tape),
                3 => self.sweep::<3>(&model, tape),
                4 => self.sweep::<4>(&model, tape),
                5 => self.sweep::<5>(&model, tape),
                6 => self.sweep::<6>(&model, tape),
                7 => self.sweep::<7>(&model, tape),
                _ => self.sweep::<MOST_LANES>(&model, tape),
            }
            std::mem::swap(&mut self.tangents, &mut group.values);
        }
    }
}
