//! What an event needs to know of slots and blocks, one record each.
//!
//! In: a compiled model, which slots change between events, and which slots derivatives, crossing functions and time
//! inputs read. Out: tables whose memory is linear in the model's incidences. A block that only the output
//! reads has no entry among the readers, so no event evaluates it, unless all is to be evaluated.

use std::collections::HashSet;

use ferrica_codegen::jit::KernelCode;
use ferrica_codegen::kernel::KernelId;
use ferrica_codegen::lists::Incidence;
use ferrica_codegen::model::{Block, BlockId, BlockKind, CompiledModel};
use ferrica_codegen::{Layout, Slot};

pub(super) const NONE: u32 = u32::MAX;

/// Operations up to which the rows of a model are compiled for its events.
const FEW_OPERATIONS: usize = 2000;

/// What a block means for events beyond its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Plain,
    Relation(u32),
    Reinit(u32),
    Assertion(u32),
    Terminate(u32),
    Effect(u32),
}

/// Half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct SlotRecord {
    /// Does it change between events?
    pub moving: bool,
    /// Does the output read it?
    pub shown: bool,
    /// Is it the condition of a when-clause, whose left limit is asked for only where it holds?
    pub condition: bool,
    /// Left-limit slot of a slot that is constant between events.
    pub pre: u32,
    /// State that it is the left limit of.
    pub before: u32,
    /// Positions among all readers and among all consumers: the first, and the one after the last.
    pub readers: [u32; 2],
    pub consumers: [u32; 2],
}

impl SlotRecord {
    #[inline]
    pub fn readers(&self) -> std::ops::Range<usize> {
        self.readers[0] as usize..self.readers[1] as usize
    }

    #[inline]
    pub fn consumers(&self) -> std::ops::Range<usize> {
        self.consumers[0] as usize..self.consumers[1] as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRecord {
    pub kind: BlockKind,
    /// Operands and results of a row.
    loads: u32,
    results: u32,
    pub role: Role,
    pub continuous: bool,
    /// Reads what moves between events, other than the time.
    pub moves: bool,
    /// Event that brought it to the present, walk that has seen it.
    pub stamp: u32,
    pub seen: u32,
}

impl BlockRecord {
    #[inline]
    pub fn reads<'m>(&self, model: &'m CompiledModel) -> &'m [Slot] {
        match self.kind {
            BlockKind::Row(row) => {
                &model.kernels.table[row.start as usize..][..self.loads as usize]
            }
            BlockKind::System(s) => &model.systems[s].reads,
        }
    }

    #[inline]
    pub fn writes<'m>(&self, model: &'m CompiledModel) -> &'m [Slot] {
        match self.kind {
            BlockKind::Row(row) => {
                &model.kernels.table[(row.start + self.loads) as usize..][..self.results as usize]
            }
            BlockKind::System(s) => &model.systems[s].writes,
        }
    }
}

/// See the module comment.
pub(super) struct Tables {
    pub slots: Vec<SlotRecord>,
    pub blocks: Vec<BlockRecord>,
    /// Blocks that read each slot and that an event has a use for.
    pub readers: Incidence,
    /// Derivatives, crossings and inputs (numbered on) that read each slot.
    pub consumers: Incidence,
    /// Continuous variables with a left limit, but states: (present, left limit).
    pub moving_pre: Vec<(Slot, Slot)>,
    /// Blocks that events change and that read what moves: where that has been evaluated, any event is an occasion for them.
    pub always: Vec<u32>,
    /// Machine code of the rows, where there is little of it.
    pub code: Option<KernelCode>,
}

impl Tables {
    /// `evaluated`: all that moves is evaluated where an event begins, and is to be when it has ended.
    pub fn new(
        model: &CompiledModel,
        moving: &[bool],
        consumers: Incidence,
        evaluated: bool,
    ) -> Tables {
        let consumed = |slot: Slot| {
            (slot as usize) < consumers.rows() && !consumers.row(slot as usize).is_empty()
        };
        let mut slots: Vec<SlotRecord> = moving
            .iter()
            .map(|&moving| SlotRecord {
                moving,
                shown: false,
                condition: false,
                pre: NONE,
                before: NONE,
                readers: [0; 2],
                consumers: [0; 2],
            })
            .collect();
        let mut moving_pre = Vec::new();
        let mut compared = vec![false; slots.len()];
        let layout = &model.layout;
        let states = layout.states..layout.states + layout.n_states as Slot;
        for &(now, pre) in &layout.pre_pairs {
            if !slots[now as usize].moving {
                slots[now as usize].pre = pre;
                slots[now as usize].condition = layout.is_when_condition(now);
                compared[now as usize] = true;
            } else if states.contains(&now) && !consumed(pre) && !evaluated {
                slots[pre as usize].before = now;
            } else {
                moving_pre.push((now, pre));
                compared[now as usize] = true;
            }
        }
        let roles = roles(model);
        let useful = useful(model, &roles, |s| {
            evaluated || compared[s as usize] || consumed(s)
        });
        let main = &model.main;
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(main.blocks.len());
        let mut blocks = Vec::with_capacity(main.blocks.len());
        let mut used = vec![false; model.kernels.kernels.len()];
        for (id, block) in &main.blocks {
            let reads = model.block_reads(main, id);
            let moving = |&s: &Slot| {
                let slot = &slots[s as usize];
                (slot.moving && s != Layout::TIME) || slot.before != NONE
            };
            let b = blocks.len();
            blocks.push(BlockRecord {
                kind: block.kind,
                loads: reads.len() as u32,
                results: model.block_writes(main, id).len() as u32,
                role: roles[b],
                continuous: block.continuous,
                moves: reads.iter().any(moving),
                stamp: 0,
                seen: 0,
            });
            let mut row = Vec::new();
            if useful[b] {
                row.extend_from_slice(reads);
                row.sort_unstable();
                row.dedup();
                if let BlockKind::Row(r) = block.kind {
                    used[r.kernel.as_u32() as usize] = true;
                }
            }
            rows.push(row);
        }
        let readers = Incidence::new(&rows).transposed(slots.len());
        let is_memory: HashSet<Slot> = model.relations.iter().map(|r| r.memory).collect();
        let varies = |&s: &Slot| slots[s as usize].moving;
        // Between events the integrator watches the relations.
        let is_occasion = |&(id, block): &(BlockId, &Block)| {
            let writes = model.block_writes(main, id);
            !block.continuous
                && !writes.iter().all(|s| is_memory.contains(s))
                && model.block_reads(main, id).iter().any(varies)
        };
        let occasions = main.blocks.iter().filter(|b| evaluated && is_occasion(b));
        let always = occasions.map(|(id, _)| id.as_u32()).collect();
        let ends = |lists: &Incidence, k: usize| {
            let range = lists.range(k);
            [range.start as u32, range.end as u32]
        };
        for (k, record) in slots.iter_mut().enumerate() {
            record.readers = ends(&readers, k);
            if k < consumers.rows() {
                record.consumers = ends(&consumers, k);
            }
        }
        Tables {
            readers,
            consumers,
            // Where all is evaluated at every event, an event is rare.
            code: match evaluated {
                true => None,
                false => code(model, |k| used[k.as_u32() as usize]),
            },
            always,
            slots,
            blocks,
            moving_pre,
        }
    }
}

/// Machine code for the rows that events use.
fn code(model: &CompiledModel, used: impl Fn(KernelId) -> bool) -> Option<KernelCode> {
    let kernels = model.kernels.kernels.iter().filter(|k| used(k.0));
    let operations: usize = kernels.map(|k| k.1.ops.len()).sum();
    let events = !model.relations.is_empty() || !model.samplers.is_empty();
    (events && operations <= FEW_OPERATIONS).then(|| KernelCode::new(&model.kernels, used))?
}

fn roles(model: &CompiledModel) -> Vec<Role> {
    let mut roles = vec![Role::Plain; model.main.blocks.len()];
    let mut give = |slot: Slot, role: Role| {
        let writer = model.main.writer.get(slot as usize);
        if let Some(&w) = writer.filter(|&&w| w != NONE) {
            roles[w as usize] = role;
        }
    };
    for (k, r) in model.relations.iter().enumerate() {
        give(r.zero, Role::Relation(k as u32));
    }
    for (k, r) in model.reinits.iter().enumerate() {
        give(r.1, Role::Reinit(k as u32));
    }
    for (k, a) in model.assertions.iter().enumerate() {
        give(a.value, Role::Assertion(k as u32));
    }
    for (k, a) in model.terminates.iter().enumerate() {
        if let Some(guard) = a.guard {
            give(guard, Role::Terminate(k as u32));
        }
    }
    for (k, a) in model.effects.iter().enumerate() {
        if let Some(guard) = a.guard {
            give(guard, Role::Effect(k as u32));
        }
    }
    roles
}

/// Blocks that an event has a use for: discrete ones, those with a role, those whose results are wanted, and
/// all that they read.
fn useful(model: &CompiledModel, roles: &[Role], wanted: impl Fn(Slot) -> bool) -> Vec<bool> {
    let main = &model.main;
    let mut useful = vec![false; main.blocks.len()];
    let mut stack: Vec<u32> = Vec::new();
    for (id, block) in &main.blocks {
        let b = id.as_u32();
        let results = model.block_writes(main, id);
        if !block.continuous
            || roles[b as usize] != Role::Plain
            || results.iter().any(|&s| wanted(s))
        {
            useful[b as usize] = true;
            stack.push(b);
        }
    }
    while let Some(b) = stack.pop() {
        for &slot in model.block_reads(main, BlockId::from_u32(b)) {
            let w = main.writer[slot as usize];
            if w != NONE && !useful[w as usize] {
                useful[w as usize] = true;
                stack.push(w);
            }
        }
    }
    useful
}
