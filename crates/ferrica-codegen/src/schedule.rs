//! Schedules: the minimal list of blocks for any set of wanted slots, and its program.
//!
//! Blocks of a schedule are arranged by their depth in the dependency graph, and within one depth by
//! kernel, so that equations of one shape that do not depend on each other form one batch. Linear in
//! blocks and incidences (plus sorting); iterative.

use cranelift_entity::{EntityRef, PrimaryMap};

use crate::layout::Slot;
use crate::model::{Block, BlockId, BlockKind, BlockSet, CompiledModel, System};
use crate::program::{Kernels, Program, Step, SystemId};

const NONE: u32 = u32::MAX;

/// Slots that a block reads.
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
    list.sort_unstable();
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
    let mut order: Vec<(u32, u32, BlockId)> = Vec::with_capacity(blocks.len());
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
        order.push((d, kernel, b));
    }
    order.sort_unstable();
    let mut program = Program::default();
    let mut last_depth = u32::MAX;
    for (d, _, b) in order {
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
