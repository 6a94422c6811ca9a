//! The cut: which equations belong together when delayed values are known.
//!
//! In: a compiled model. Out: parts, and the lines (delays) between them. Equations that nothing
//! which moves depends on (observers) join no parts: they are evaluated for the results only.
//! Equations of time and parameters alone are shared: every part evaluates those it needs. So are equations of delayed
//! values alone (echoes), but these need their delays in each of the parts.
//!
//! Invariant: a block of one part reads only slots of its own part, shared slots, delayed values and
//! constants.

use cranelift_entity::EntityRef;
use ferrica_codegen::Slot;
use ferrica_codegen::kernel::{Bin, Op, Un};
use ferrica_codegen::model::{BlockId, BlockKind, CompiledModel};
use ferrica_codegen::program::Row;
use ferrica_codegen::schedule::needed;

use crate::naming::give_names;

pub(crate) const NONE: u32 = u32::MAX;

/// Operations in an equation that may be evaluated in several parts.
const CHEAP_OPS: usize = 24;

/// One independent sub-model.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Component with most of its equations.
    pub name: String,
    /// All components with equations in it.
    pub components: Vec<String>,
    /// Blocks that are evaluated at each step, in an order of evaluation. Echoes may be in several parts.
    pub blocks: Vec<BlockId>,
    /// Numbers of its states.
    pub states: Vec<u32>,
    /// Equations, observers included.
    pub equations: usize,
    /// Relations and reinits, by number.
    pub relations: Vec<u32>,
    pub reinits: Vec<u32>,
    /// Assertions with a condition of their own.
    pub assertions: Vec<u32>,
}

/// A delay from one part to others (or to itself).
#[derive(Clone, Debug)]
pub struct Line {
    /// Number of the delay in the compiled model.
    pub delay: usize,
    pub from: u32,
    pub to: Vec<u32>,
}

/// See the module comment.
#[derive(Clone, Debug, Default)]
pub struct Partitions {
    pub parts: Vec<Part>,
    pub lines: Vec<Line>,
    /// Blocks of time and parameters alone that parts read, and their relations.
    pub shared: Vec<BlockId>,
    pub shared_relations: Vec<u32>,
    /// Continuous blocks for the results only.
    pub observers: Vec<BlockId>,
    /// Part of each slot, `u32::MAX` if of none.
    pub(crate) part_of: Vec<u32>,
}

impl Partitions {
    /// Part of that name, or the one with that component.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|p| p.name == name).or_else(|| {
            self.parts
                .iter()
                .position(|p| p.components.iter().any(|c| c == name))
        })
    }
}

/// Sets of slots.
pub(crate) struct Union(Vec<u32>);

impl Union {
    pub(crate) fn new(slots: usize) -> Union {
        Union((0..slots as u32).collect())
    }

    pub(crate) fn find(&mut self, mut a: u32) -> u32 {
        while self.0[a as usize] != a {
            let up = self.0[self.0[a as usize] as usize];
            self.0[a as usize] = up;
            a = up;
        }
        a
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize] = low;
    }
}

/// What a slot is for the cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Constant, time, or a delayed value.
    Known,
    /// Depends on the state of the model.
    Moving,
    /// Written by a shared block, or the memory of a shared relation.
    Shared,
    /// Written by a block of delayed values alone.
    Echo,
}

struct Cut<'a> {
    model: &'a CompiledModel,
    role: Vec<Role>,
    /// Present value of a left limit.
    present: Vec<u32>,
    /// Left limits that some block reads.
    pre_read: Vec<bool>,
    core: Vec<BlockId>,
    shared: Vec<bool>,
    echo: Vec<bool>,
    shared_relation: Vec<bool>,
    /// Delayed values.
    delayed: Vec<bool>,
}

/// Cuts a model.
pub fn partitions(model: &CompiledModel) -> Partitions {
    let mut cut = Cut::new(model);
    cut.share();
    cut.echo();
    cut.collect()
}

impl<'a> Cut<'a> {
    fn new(model: &'a CompiledModel) -> Cut<'a> {
        let slots = model.slot_count();
        let mut role = vec![Role::Known; slots];
        let mut present = vec![NONE; slots];
        for (b, _) in &model.main.blocks {
            for &w in model.block_writes(&model.main, b) {
                role[w as usize] = Role::Moving;
            }
        }
        let layout = &model.layout;
        for k in 0..layout.n_states as Slot {
            role[(layout.states + k) as usize] = Role::Moving;
            role[(layout.derivatives + k) as usize] = Role::Moving;
        }
        for r in &model.relations {
            role[r.memory as usize] = Role::Moving;
        }
        for &(now, pre) in &layout.pre_pairs {
            present[pre as usize] = now;
            role[pre as usize] = role[now as usize];
        }
        for d in model.delays.iter().filter(|d| d.constant) {
            role[d.result as usize] = Role::Known;
        }
        // Everything that something which moves depends on.
        let mut wanted: Vec<Slot> = (0..layout.n_states as Slot)
            .map(|k| layout.derivatives + k)
            .collect();
        wanted.extend(model.delays.iter().map(|d| d.source));
        wanted.extend(model.relations.iter().map(|r| r.zero));
        wanted.extend(model.reinits.iter().flat_map(|r| [r.1, r.2]));
        wanted.extend(layout.pre_pairs.iter().map(|p| p.0));
        let guarded = (model.assertions.iter()).filter_map(|a| Some([a.guard?, a.value]));
        wanted.extend(guarded.flatten());
        for (b, block) in &model.main.blocks {
            if !block.continuous {
                wanted.extend_from_slice(model.block_writes(&model.main, b));
            }
        }
        let core = needed(&model.kernels, &model.systems, &model.main, &wanted, false);
        let mut pre_read = vec![false; slots];
        for &b in &core {
            for &r in model.block_reads(&model.main, b) {
                if present[r as usize] != NONE {
                    pre_read[r as usize] = true;
                }
            }
        }
        let mut delayed = vec![false; slots];
        for d in &model.delays {
            delayed[d.result as usize] = true;
        }
        Cut {
            model,
            role,
            present,
            pre_read,
            core,
            shared: vec![false; model.main.blocks.len()],
            echo: vec![false; model.main.blocks.len()],
            shared_relation: vec![false; model.relations.len()],
            delayed,
        }
    }

    /// Finds what depends on time and parameters alone.
    fn share(&mut self) {
        let model = self.model;
        let mut uses_memory_later = vec![false; model.slot_count()];
        for &(now, pre) in &model.layout.pre_pairs {
            uses_memory_later[now as usize] = self.pre_read[pre as usize];
        }
        let relation_of: Vec<u32> = {
            let mut of = vec![NONE; model.slot_count()];
            for (k, r) in model.relations.iter().enumerate() {
                of[r.zero as usize] = k as u32;
            }
            of
        };
        let mut sources = vec![false; model.slot_count()];
        for d in &model.delays {
            sources[d.source as usize] = true;
        }
        loop {
            let mut changed = false;
            for &b in &self.core {
                let writes = model.block_writes(&model.main, b);
                if self.shared[b.index()] || !model.main.blocks[b].continuous {
                    continue;
                }
                // A state's derivative or a line's input belongs to somebody.
                let layout = &model.layout;
                let owned = writes.iter().any(|&w| {
                    sources[w as usize]
                        || (layout.derivatives..layout.derivatives + layout.n_states as Slot)
                            .contains(&w)
                });
                let pure = model.block_reads(&model.main, b).iter().all(|&r| {
                    self.role[r as usize] != Role::Moving
                        && !self.delayed[r as usize]
                        && self.present[r as usize] == NONE
                });
                if owned || !pure {
                    continue;
                }
                let relation = writes
                    .iter()
                    .map(|&w| relation_of[w as usize])
                    .find(|&k| k != NONE);
                if let Some(k) = relation {
                    let memory = model.relations[k as usize].memory;
                    if uses_memory_later[memory as usize] {
                        continue;
                    }
                    self.shared_relation[k as usize] = true;
                    self.role[memory as usize] = Role::Shared;
                }
                self.shared[b.index()] = true;
                for &w in writes {
                    self.role[w as usize] = Role::Shared;
                }
                changed = true;
            }
            if !changed {
                return;
            }
        }
    }

    /// Finds what depends on delayed values alone. (Blocks are in an order of evaluation.)
    fn echo(&mut self) {
        let model = self.model;
        let layout = &model.layout;
        let mut owned = vec![false; model.slot_count()];
        for d in &model.delays {
            owned[d.source as usize] = true;
            if !d.constant {
                owned[d.result as usize] = true;
            }
        }
        for r in &model.relations {
            for slot in [r.zero, r.lhs, r.rhs, r.memory] {
                owned[slot as usize] = true;
            }
        }
        for r in &model.reinits {
            owned[r.1 as usize] = true;
            owned[r.2 as usize] = true;
        }
        for k in 0..layout.n_states {
            owned[layout.derivatives as usize + k] = true;
        }
        for &(now, _) in &layout.pre_pairs {
            owned[now as usize] = true;
        }
        for k in 0..self.core.len() {
            let b = self.core[k];
            let block = &model.main.blocks[b];
            let BlockKind::Row(row) = block.kind else {
                continue;
            };
            if self.shared[b.index()] || !block.continuous || !self.is_cheap(row) {
                continue;
            }
            let writes = model.block_writes(&model.main, b);
            let reads = model.block_reads(&model.main, b);
            let pure = reads.iter().all(|&r| {
                self.role[r as usize] != Role::Moving
                    && self.present[r as usize] == NONE
                    && !(self.delayed[r as usize] && owned[r as usize])
            });
            if pure && !writes.iter().any(|&w| owned[w as usize]) {
                self.echo[b.index()] = true;
                for &w in writes {
                    self.role[w as usize] = Role::Echo;
                }
            }
        }
    }

    /// Is it cheaper to evaluate this twice than to keep together who reads it? Sums, multiples and choices.
    fn is_cheap(&self, row: Row) -> bool {
        let kernel = &self.model.kernels.kernels[row.kernel];
        let operands = self.model.kernels.operands(row);
        // A divisor must be constant: then it is a multiple too.
        let constant = |r: u32| match kernel.ops[r as usize] {
            Op::Const(_) => true,
            Op::Load(k) => {
                let slot = operands[k as usize];
                self.role[slot as usize] == Role::Known && !self.delayed[slot as usize]
            }
            _ => false,
        };
        kernel.ops.len() <= CHEAP_OPS
            && kernel.ops.iter().all(|op| match *op {
                Op::Load(_) | Op::Const(_) | Op::Select(..) | Op::Unary(Un::Neg | Un::Not, _) => {
                    true
                }
                Op::Binary(Bin::Div, _, b) => constant(b),
                Op::Binary(f, ..) => !matches!(f, Bin::Pow | Bin::Math(_)),
                _ => false,
            })
    }

    /// Gives each part the echoes that it reads.
    fn place_echoes(&self, out: &mut Partitions) {
        let model = self.model;
        let mut writer = vec![NONE; model.slot_count()];
        for &b in self.core.iter().filter(|b| self.echo[b.index()]) {
            for &w in model.block_writes(&model.main, b) {
                writer[w as usize] = b.as_u32();
            }
        }
        let mut taken = vec![NONE; model.main.blocks.len()];
        for (p, part) in out.parts.iter_mut().enumerate() {
            let mut stack = part.blocks.clone();
            let before = stack.len();
            while let Some(b) = stack.pop() {
                for &r in model.block_reads(&model.main, b) {
                    let w = writer[r as usize];
                    if w != NONE && taken[w as usize] != p as u32 {
                        taken[w as usize] = p as u32;
                        let w = BlockId::from_u32(w);
                        part.blocks.push(w);
                        stack.push(w);
                        for &slot in model.block_writes(&model.main, w) {
                            if out.part_of[slot as usize] == NONE {
                                out.part_of[slot as usize] = p as u32;
                            }
                        }
                    }
                }
            }
            if part.blocks.len() > before {
                part.blocks.sort_unstable();
            }
        }
    }

    fn collect(mut self) -> Partitions {
        let model = self.model;
        // The memory of a shared relation is not kept by a block of its own.
        let role = &self.role;
        self.core.retain(|&b| {
            let writes = model.block_writes(&model.main, b);
            model.main.blocks[b].continuous
                || writes.iter().any(|&w| role[w as usize] != Role::Shared)
        });
        let mut sets = Union::new(model.slot_count());
        let layout = &model.layout;
        for k in 0..layout.n_states as Slot {
            sets.join(layout.states + k, layout.derivatives + k);
        }
        for &(now, pre) in &layout.pre_pairs {
            if self.role[now as usize] == Role::Moving {
                self.role[pre as usize] = Role::Moving;
                sets.join(now, pre);
            }
        }
        for r in &model.relations {
            if self.role[r.memory as usize] == Role::Moving {
                sets.join(r.memory, r.zero);
            }
        }
        for r in &model.reinits {
            sets.join(r.0, r.1);
            sets.join(r.0, r.2);
        }
        for d in model.delays.iter().filter(|d| !d.constant) {
            self.role[d.result as usize] = Role::Moving;
            sets.join(d.result, d.source);
        }
        let mut is_core = vec![false; model.main.blocks.len()];
        for &b in &self.core {
            is_core[b.index()] = true;
            if self.shared[b.index()] || self.echo[b.index()] {
                continue;
            }
            let writes = model.block_writes(&model.main, b);
            let Some(&first) = writes.first() else {
                continue;
            };
            for &w in writes {
                sets.join(first, w);
            }
            for &r in model.block_reads(&model.main, b) {
                if self.role[r as usize] == Role::Moving {
                    sets.join(first, r);
                }
            }
        }
        let mut out = Partitions {
            part_of: vec![NONE; model.slot_count()],
            ..Partitions::default()
        };
        let mut part_of_set = vec![NONE; model.slot_count()];
        let mut part = |set: u32, parts: &mut Vec<Part>| -> usize {
            if part_of_set[set as usize] == NONE {
                part_of_set[set as usize] = parts.len() as u32;
                parts.push(Part::default());
            }
            part_of_set[set as usize] as usize
        };
        let mut components: Vec<Vec<u32>> = Vec::new();
        for &b in &self.core {
            if self.shared[b.index()] {
                out.shared.push(b);
                continue;
            }
            if self.echo[b.index()] {
                continue;
            }
            let writes = model.block_writes(&model.main, b);
            let Some(&first) = writes.first() else {
                continue;
            };
            let k = part(sets.find(first), &mut out.parts);
            out.parts[k].blocks.push(b);
            components.resize(out.parts.len(), Vec::new());
            components[k].extend(components_of(model, b));
            for &w in writes {
                out.part_of[w as usize] = k as u32;
            }
        }
        for k in 0..layout.n_states as Slot {
            let p = part(sets.find(layout.states + k), &mut out.parts);
            out.parts[p].states.push(k);
            out.part_of[(layout.states + k) as usize] = p as u32;
        }
        components.resize(out.parts.len(), Vec::new());
        for (k, r) in model.relations.iter().enumerate() {
            if self.shared_relation[k] {
                out.shared_relations.push(k as u32);
            } else {
                let p = out.part_of[r.zero as usize];
                if p != NONE {
                    out.parts[p as usize].relations.push(k as u32);
                    out.part_of[r.memory as usize] = p;
                }
            }
        }
        for (k, r) in model.reinits.iter().enumerate() {
            let p = out.part_of[r.1 as usize];
            if p != NONE {
                out.parts[p as usize].reinits.push(k as u32);
            }
        }
        for &(now, pre) in &layout.pre_pairs {
            // The left limit of what parts share belongs to who reads it.
            out.part_of[pre as usize] = match out.part_of[now as usize] {
                NONE => part_of_set[sets.find(pre) as usize],
                own => own,
            };
        }
        for (k, a) in model.assertions.iter().enumerate() {
            let own = a.guard.map_or(NONE, |g| out.part_of[g as usize]);
            if own != NONE {
                out.parts[own as usize].assertions.push(k as u32);
            }
        }
        self.place_echoes(&mut out);
        let mut echoed: Vec<Vec<u32>> = vec![Vec::new(); out.parts.len()];
        for &b in self.core.iter().filter(|b| self.echo[b.index()]) {
            let owner = model.block_writes(&model.main, b).first();
            if let Some(p) = owner
                .map(|&w| out.part_of[w as usize])
                .filter(|&p| p != NONE)
            {
                echoed[p as usize].extend(components_of(model, b));
            }
        }
        // Observers count to the part that they look at.
        for (b, block) in &model.main.blocks {
            if is_core[b.index()] || !block.continuous {
                continue;
            }
            out.observers.push(b);
            let reads = model.block_reads(&model.main, b);
            let owner = reads
                .iter()
                .map(|&r| out.part_of[r as usize])
                .find(|&p| p != NONE);
            if let Some(p) = owner {
                components[p as usize].extend(components_of(model, b));
                for &w in model.block_writes(&model.main, b) {
                    if out.part_of[w as usize] == NONE {
                        out.part_of[w as usize] = p;
                    }
                }
            }
        }
        self.lines(&mut out);
        give_names(model, &mut out, &components, &echoed);
        out
    }

    fn lines(&self, out: &mut Partitions) {
        let model = self.model;
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); model.delays.len()];
        let mut delay_of = vec![NONE; model.slot_count()];
        for (k, d) in model.delays.iter().enumerate() {
            delay_of[d.result as usize] = k as u32;
        }
        for (p, part) in out.parts.iter().enumerate() {
            for &b in &part.blocks {
                for &r in model.block_reads(&model.main, b) {
                    let k = delay_of[r as usize];
                    if k != NONE && readers[k as usize].last() != Some(&(p as u32)) {
                        readers[k as usize].push(p as u32);
                    }
                }
            }
        }
        for (delay, d) in model.delays.iter().enumerate() {
            let mut to = std::mem::take(&mut readers[delay]);
            to.sort_unstable();
            to.dedup();
            out.lines.push(Line {
                delay,
                from: out.part_of[d.source as usize],
                to,
            });
        }
    }
}

/// Components of a block's equations.
pub(crate) fn components_of(model: &CompiledModel, b: BlockId) -> Vec<u32> {
    let of = |equation: u32| {
        let equation = model.source.equations.get(equation as usize);
        equation.map(|e| e.component)
    };
    match model.main.blocks[b].kind {
        BlockKind::Row(_) => of(model.main.blocks[b].equation).into_iter().collect(),
        BlockKind::System(s) => {
            let equations = &model.systems[s].equations;
            equations.iter().filter_map(|e| of(e.index)).collect()
        }
    }
}
