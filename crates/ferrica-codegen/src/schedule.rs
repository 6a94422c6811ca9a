//! Schedules: the minimal list of blocks for any set of wanted slots, and its program.
//!
//! Blocks of a schedule are arranged by their depth in the dependency graph, and within one depth by
//! kernel, so that equations of one shape that do not depend on each other form one batch. Linear in
//! blocks and incidences (plus sorting); iterative.

use cranelift_entity::{EntityRef, PrimaryMap};
use rustc_hash::FxHashMap;

use crate::layout::Slot;
use crate::model::{Block, BlockId, BlockKind, BlockSet, CompiledModel, System};
use crate::program::{Kernels, Program, Step, SystemId};

const NONE: u32 = u32::MAX;

/// A list of more than one block in so many is long.
const MANY: usize = 16;

/// Slots that a block reads.
#[inline]
pub fn reads<'a>(
    kernels: &'a Kernels,
    systems: &'a PrimaryMap<SystemId, System>,
    block: &Block,
) -> &'a [Slot] {
    match block.kind {
        BlockKind::Row(row) => kernels.operands(row),
        BlockKind::System(s) => &systems[s].reads,
    }
}

/// Slots that a block writes.
#[inline]
pub fn writes<'a>(
    kernels: &'a Kernels,
    systems: &'a PrimaryMap<SystemId, System>,
    block: &Block,
) -> &'a [Slot] {
    match block.kind {
        BlockKind::Row(row) => kernels.results(row),
        BlockKind::System(s) => &systems[s].writes,
    }
}

impl BlockSet {
    /// Fills `writer` for `slots` slots.
    pub fn index(
        &mut self,
        kernels: &Kernels,
        systems: &PrimaryMap<SystemId, System>,
        slots: usize,
    ) {
        self.writer.clear();
        self.writer.resize(slots, NONE);
        for (id, block) in &self.blocks {
            for &slot in writes(kernels, systems, block) {
                self.writer[slot as usize] = id.as_u32();
            }
        }
    }

    /// Block that writes a slot.
    pub fn writer_of(&self, slot: Slot) -> Option<BlockId> {
        match self.writer.get(slot as usize) {
            Some(&b) if b != NONE => Some(BlockId::from_u32(b)),
            _ => None,
        }
    }
}

/// Blocks needed for the wanted slots, in sorted order. Between events discrete blocks keep their
/// values: with `continuous` they are not entered.
pub fn needed(
    kernels: &Kernels,
    systems: &PrimaryMap<SystemId, System>,
    set: &BlockSet,
    wanted: &[Slot],
    continuous: bool,
) -> Vec<BlockId> {
    let mut taken = vec![false; set.blocks.len()];
    let mut stack: Vec<BlockId> = Vec::new();
    let mut enter = |slot: Slot, stack: &mut Vec<BlockId>| {
        if let Some(b) = set.writer_of(slot)
            && !taken[b.index()]
            && (!continuous || set.blocks[b].continuous)
        {
            taken[b.index()] = true;
            stack.push(b);
        }
    };
    for &slot in wanted {
        enter(slot, &mut stack);
    }
    let mut list = Vec::new();
    while let Some(b) = stack.pop() {
        list.push(b);
        for &slot in reads(kernels, systems, &set.blocks[b]) {
            enter(slot, &mut stack);
        }
    }
    // Many of them are faster told from the others than sorted.
    if list.len() > set.blocks.len() / MANY {
        list.clear();
        list.extend(set.blocks.keys().filter(|b| taken[b.index()]));
    } else {
        list.sort_unstable();
    }
    list
}

/// Program that runs the given blocks (sorted by id, which is an order of evaluation).
pub fn arrange(
    kernels: &Kernels,
    systems: &PrimaryMap<SystemId, System>,
    set: &BlockSet,
    blocks: &[BlockId],
) -> Program {
    let mut depth = vec![0u32; set.blocks.len()];
    // Blocks of one depth and kernel, in their order.
    let mut batches: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut batch_of: Vec<u32> = Vec::with_capacity(blocks.len());
    let mut numbers = 0;
    for &b in blocks {
        let block = &set.blocks[b];
        let mut d = 0;
        for &slot in reads(kernels, systems, block) {
            if let Some(w) = set.writer_of(slot)
                && w != b
            {
                d = d.max(depth[w.index()]);
            }
        }
        depth[b.index()] = d + 1;
        let kernel = match block.kind {
            BlockKind::Row(row) => row.kernel.as_u32(),
            BlockKind::System(_) => u32::MAX,
        };
        let next = batches.len() as u32;
        batch_of.push(*batches.entry((d, kernel)).or_insert(next));
        if let BlockKind::Row(row) = block.kind {
            numbers += kernels.row(row).len();
        }
    }
    let mut program = Program::default();
    program.rows.reserve_exact(numbers);
    let mut last_depth = u32::MAX;
    for (d, b) in in_batches(&batches, &batch_of, blocks) {
        match set.blocks[b].kind {
            BlockKind::Row(row) => {
                program.push_row(row.kernel, kernels.row(row), d == last_depth);
            }
            BlockKind::System(s) => program.steps.push(Step::Solve(s)),
        }
        last_depth = d;
    }
    program
}

/// Blocks by depth, kernel and their own order, with their depth: the batches are sorted, the blocks are counted.
fn in_batches(
    batches: &FxHashMap<(u32, u32), u32>,
    batch_of: &[u32],
    blocks: &[BlockId],
) -> Vec<(u32, BlockId)> {
    let mut sorted: Vec<((u32, u32), u32)> = batches.iter().map(|(&k, &n)| (k, n)).collect();
    sorted.sort_unstable();
    let mut next = vec![0u32; batches.len()];
    for &n in batch_of {
        next[n as usize] += 1;
    }
    let mut depth_of = vec![0u32; batches.len()];
    let mut first = 0;
    for &((depth, _), n) in &sorted {
        depth_of[n as usize] = depth;
        let count = std::mem::replace(&mut next[n as usize], first);
        first += count;
    }
    let mut order: Vec<(u32, BlockId)> = vec![(0, BlockId::from_u32(0)); blocks.len()];
    for (&b, &n) in blocks.iter().zip(batch_of) {
        let at = &mut next[n as usize];
        order[*at as usize] = (depth_of[n as usize], b);
        *at += 1;
    }
    order
}

impl CompiledModel {
    /// Program for the wanted slots between events: derivatives, outputs, crossings.
    pub fn schedule(&self, wanted: &[Slot]) -> Program {
        let blocks = needed(&self.kernels, &self.systems, &self.main, wanted, true);
        arrange(&self.kernels, &self.systems, &self.main, &blocks)
    }

    /// Blocks of the program for the wanted slots, in sorted order.
    pub fn blocks_for(&self, wanted: &[Slot]) -> Vec<BlockId> {
        needed(&self.kernels, &self.systems, &self.main, wanted, true)
    }

    pub fn block_reads(&self, set: &BlockSet, block: BlockId) -> &[Slot] {
        reads(&self.kernels, &self.systems, &set.blocks[block])
    }

    pub fn block_writes(&self, set: &BlockSet, block: BlockId) -> &[Slot] {
        writes(&self.kernels, &self.systems, &set.blocks[block])
    }
}
