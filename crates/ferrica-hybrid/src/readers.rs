//! Who reads what an event changes.
//!
//! In: the compiled model. Out: what an event can change in the derivatives ([`Shape`]), so that an event that leaves it alone
//! needs no new beginning; which located crossings it leaves alone ([`Located`]); and what the end of a sampler's instant can change ([`SamplerReaders`]).

use std::collections::HashMap;

use ferrica_codegen::model::BlockKind;
use ferrica_codegen::program::{Program, Step};
use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::Expr;
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::ExprId;

/// Slots that a program reads, among those that it writes.
pub fn read_slots<'a>(model: &'a CompiledModel, program: &'a Program) -> Vec<&'a [Slot]> {
    let solved = program.steps.iter().filter_map(|s| match s {
        Step::Solve(s) => Some(&model.systems[*s].reads[..]),
        Step::Batch { .. } => None,
    });
    solved.chain([&program.rows[..]]).collect()
}

/// For each slot: does it change at events only?
fn changes_at_events(model: &CompiledModel) -> Vec<bool> {
    let mut changes = vec![false; model.slot_count()];
    for (b, block) in &model.main.blocks {
        for &s in model.block_writes(&model.main, b) {
            changes[s as usize] |= !block.continuous;
        }
    }
    let memories = model.relations.iter().map(|r| r.memory);
    let samplers = model.samplers.iter().map(|s| s.0);
    let left_limits = model.layout.pre_pairs.iter().map(|p| p.1);
    for s in memories.chain(samplers).chain(left_limits) {
        changes[s as usize] = true;
    }
    changes
}

/// Crossings that were located, as long as they are the same functions. One whose limit an event has moved is another function: what
/// was located says nothing of it. A limit that the event leaves at the same number, as the last instant of a list that is asked for again, is the same.
#[derive(Clone, Default)]
pub struct Located {
    /// Of each relation: a side that changes at events only, and of one that moves what it reads and an event can change.
    reads: Vec<Box<[Slot]>>,
    /// Relation, slot and value at the beginning of the event.
    noted: Vec<(usize, Slot, f64)>,
}

impl Located {
    pub fn new(model: &CompiledModel) -> Located {
        let changes = changes_at_events(model);
        let relations = model.relations.iter().zip(&model.source.relations);
        let reads = relations.map(|(slots, of)| {
            let lhs = side_reads(model, &changes, of.lhs, slots.lhs);
            let rhs = side_reads(model, &changes, of.rhs, slots.rhs);
            lhs.into_iter().chain(rhs).collect()
        });
        Located {
            reads: reads.collect(),
            noted: Vec::new(),
        }
    }

    /// Of each relation: what says whether it is still the same function.
    pub fn reads(&self) -> &[Box<[Slot]>] {
        &self.reads
    }

    /// An event begins at which these relations were found to change.
    pub fn note(&mut self, ev: &Evaluator, relations: impl Iterator<Item = usize>) {
        self.noted.clear();
        for k in relations {
            let reads = self.reads[k].iter();
            self.noted.extend(reads.map(|&s| (k, s, ev.get(s))));
        }
    }

    /// Is relation k still what was located?
    pub fn is_same(&self, ev: &Evaluator, k: usize) -> bool {
        let mut of_k = self.noted.iter().filter(|n| n.0 == k);
        of_k.all(|&(_, s, value)| ev.get(s) == value)
    }
}

/// What says whether a side of a relation is still the same function: its value where it changes at events only, and else what it reads that does.
fn side_reads(model: &CompiledModel, changes: &[bool], side: ExprId, slot: Slot) -> Vec<Slot> {
    let exprs = &model.source.exprs;
    let (mut moves, mut reads) = (false, Vec::new());
    exprs.postorder(&[side], |e| {
        let place = match exprs.get(e) {
            Expr::Var(v) if model.source.vars[v].kind == Kind::Parameter => None,
            Expr::Var(v) => model.layout.place(v),
            Expr::Pre(v) => model.layout.pre(v),
            Expr::Time | Expr::Der(_) => {
                moves = true;
                None
            }
            _ => None,
        };
        match place {
            Some((s, _)) if changes[s as usize] => reads.push(s),
            Some(_) => moves = true,
            None => {}
        }
    });
    if moves { reads } else { vec![slot] }
}

/// What derivatives and delayed signals are computed from and an event can change; and functions of time that conditions read, for a step that goes on behind an event has
/// been looked ahead at with these functions as they were before it.
pub struct Shape {
    /// Discrete variables, conditions, left limits and delayed values.
    slots: Vec<Slot>,
    /// Their values before the event.
    before: Vec<f64>,
}

impl Shape {
    pub fn new(model: &CompiledModel) -> Shape {
        let mut changes = changes_at_events(model);
        for s in model.remembered() {
            changes[s as usize] = true;
        }
        let mut read = read_slots(model, &model.rhs_program);
        read.extend(read_slots(model, &model.delay_program));
        for f in model.time_functions.iter().filter(|f| f.decides) {
            read.push(model.kernels.operands(f.row));
            read.extend(f.call.iter().flat_map(|call| read_slots(model, call)));
        }
        let mut slots: Vec<Slot> = (read.into_iter().flatten().copied())
            .filter(|&s| changes[s as usize])
            .collect();
        slots.sort_unstable();
        slots.dedup();
        Shape {
            slots,
            before: Vec::new(),
        }
    }

    pub fn note(&mut self, ev: &Evaluator) {
        self.before.clear();
        self.before.extend(self.slots.iter().map(|&s| ev.get(s)));
    }

    pub fn is_as_noted(&self, ev: &Evaluator) -> bool {
        let mut all = self.slots.iter().zip(&self.before);
        all.all(|(&s, v)| ev.get(s) == *v)
    }
}

/// Who reads a sampler.
pub struct SamplerReaders {
    /// Its left limit.
    pre: Option<Slot>,
    /// Conditions of when-clauses that are the sampler and nothing else, with their left limits; `None` if it has other readers.
    conditions: Option<Vec<(Slot, Option<Slot>)>>,
}

impl SamplerReaders {
    /// Of all samplers of a model.
    pub fn new(model: &CompiledModel) -> Vec<SamplerReaders> {
        if model.samplers.is_empty() {
            return Vec::new();
        }
        let left_limits: HashMap<Slot, Slot> = model.layout.pre_pairs.iter().copied().collect();
        let mut numbers: HashMap<Slot, usize> = HashMap::new();
        let mut all: Vec<SamplerReaders> = Vec::new();
        for (k, (memory, ..)) in model.samplers.iter().enumerate() {
            numbers.insert(*memory, k);
            all.push(SamplerReaders {
                pre: left_limits.get(memory).copied(),
                conditions: Some(Vec::new()),
            });
        }
        for (b, block) in &model.main.blocks {
            let copies = match block.kind {
                BlockKind::Row(row) => model.kernels.kernels[row.kernel].is_copy(),
                BlockKind::System(_) => false,
            };
            let condition = match *model.block_writes(&model.main, b) {
                [w] if copies && model.layout.is_when_condition(w) => Some(w),
                _ => None,
            };
            for read in model.block_reads(&model.main, b) {
                let Some(&k) = numbers.get(read) else {
                    continue;
                };
                match (condition, &mut all[k].conditions) {
                    (Some(w), Some(list)) => list.push((w, left_limits.get(&w).copied())),
                    (_, conditions) => *conditions = None,
                }
            }
        }
        all
    }

    /// The sampler has fallen, and with it the conditions that it is; true if something else reads it.
    pub fn falls(&self, ev: &mut Evaluator) -> bool {
        if let Some(pre) = self.pre {
            ev.set(pre, 0.0);
        }
        for &(condition, pre) in self.conditions.iter().flatten() {
            ev.set(condition, 0.0);
            if let Some(pre) = pre {
                ev.set(pre, 0.0);
            }
        }
        self.conditions.is_none()
    }
}
