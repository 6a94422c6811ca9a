//! The blocks that are due, and what they read, at the present.
//!
//! In: a block that is due. Out: its results, and the readers of those that have changed as due; what moves and is read has been brought to the present before, once an event.

use ferrica_codegen::model::{BlockId, BlockKind};
use ferrica_codegen::{Failure, Layout, Slot};

use super::tables::{NONE, Role};
use super::{Present, ReachedEvent};

impl<P: Present> ReachedEvent<'_, P> {
    pub(super) fn evaluate_due(&mut self, b: usize) -> Result<(), Failure> {
        let record = self.reached.tables.blocks[b];
        if record.moves {
            self.refresh(record.reads(self.model))?;
        }
        let writes = record.writes(self.model);
        // A moving value of an earlier time says nothing.
        let stale = !P::EVALUATED && record.continuous && record.stamp != self.reached.stamp;
        if let &[slot] = writes {
            let old = self.ev.slots[slot as usize];
            self.evaluate_block(b, record.kind)?;
            self.written(slot, old, stale);
        } else {
            let mut before = std::mem::take(&mut self.reached.old);
            before.clear();
            before.extend(writes.iter().map(|&s| self.ev.slots[s as usize]));
            self.evaluate_block(b, record.kind)?;
            for (&slot, &old) in writes.iter().zip(&before) {
                self.written(slot, old, stale);
            }
            self.reached.old = before;
        }
        self.reached.tables.blocks[b].stamp = self.reached.stamp;
        if record.role != Role::Plain {
            self.reached.touched.push(record.role);
        }
        Ok(())
    }

    /// A block has written a slot, whose value was `old`, and `stale` if it moves.
    #[inline]
    fn written(&mut self, slot: Slot, old: f64, stale: bool) {
        let stale = stale && self.reached.tables.slots[slot as usize].moving;
        if stale || self.ev.slots[slot as usize].to_bits() != old.to_bits() {
            self.reached.changed(slot);
        }
    }

    /// Brings moving slots to the present.
    pub(super) fn refresh(&mut self, slots: &[Slot]) -> Result<(), Failure> {
        if P::EVALUATED {
            return Ok(());
        }
        self.reached.seen_stamp += 1;
        let mut stack = std::mem::take(&mut self.reached.stack);
        let mut list = std::mem::take(&mut self.reached.list);
        list.clear();
        for &slot in slots {
            self.enter(slot, &mut stack);
        }
        while let Some(w) = stack.pop() {
            list.push(w);
            for &slot in self.reached.tables.blocks[w as usize].reads(self.model) {
                self.enter(slot, &mut stack);
            }
        }
        list.sort_unstable();
        for &w in &list {
            let record = &mut self.reached.tables.blocks[w as usize];
            record.stamp = self.reached.stamp;
            let kind = record.kind;
            self.evaluate_block(w as usize, kind)?;
        }
        self.reached.stack = stack;
        self.reached.list = list;
        Ok(())
    }

    /// A slot that is to be at the present: a state is, or the block that writes it is put on the stack.
    #[inline]
    fn enter(&mut self, slot: Slot, stack: &mut Vec<u32>) {
        let first = self.model.layout.states;
        let states = self.model.layout.n_states as Slot;
        let record = self.reached.tables.slots[slot as usize];
        if record.before != NONE {
            if !self.reached.taken.contains(&(record.before, slot)) {
                self.reached.taken.push((record.before, slot));
                self.present((record.before - first) as usize);
                self.ev.slots[slot as usize] = self.ev.slots[record.before as usize];
            }
            return;
        }
        if !record.moving || slot == Layout::TIME {
            return;
        }
        if slot >= first && slot < first + states {
            return self.present((slot - first) as usize);
        }
        let w = self.model.main.writer[slot as usize];
        if w == NONE {
            return;
        }
        let (stamp, seen) = (self.reached.stamp, self.reached.seen_stamp);
        let block = &mut self.reached.tables.blocks[w as usize];
        if block.continuous && block.stamp != stamp && block.seen != seen {
            block.seen = seen;
            stack.push(w);
        }
    }

    /// Brings a state to the present.
    #[inline]
    pub(super) fn present(&mut self, state: usize) {
        if self.reached.state_stamp[state] != self.reached.stamp {
            self.reached.state_stamp[state] = self.reached.stamp;
            let slot = self.reached.first_state as usize + state;
            self.ev.slots[slot] = self.at.state(state, self.ev.slots[slot]);
        }
    }

    #[inline(always)]
    fn evaluate_block(&mut self, b: usize, kind: BlockKind) -> Result<(), Failure> {
        if let BlockKind::Row(row) = kind
            && let Some(code) = &self.reached.tables.code
        {
            assert!(self.ev.slots.len() >= self.reached.touched_slots);
            let numbers = self.model.kernels.row(row);
            // SAFETY: `touched_slots` is above every number of the table, and the slots reach it.
            if unsafe { code.run(row.kernel, &mut self.ev.slots, numbers) } {
                return Ok(());
            }
        }
        self.ev.run_block(self.model, BlockId::from_u32(b as u32))
    }
}
