//! What the event of a relation is likely to touch, to be asked from memory in time.
//!
//! In: the tables of an event. Out: for each relation a short list of places, found by following the readers of
//! its memory, what these read and write, the readers of that, and so on, until the list is full. Hints
//! only.

use ferrica_codegen::lists::{Packed, prefetch};
use ferrica_codegen::model::{BlockKind, CompiledModel};
use ferrica_codegen::{Evaluator, Slot};

use super::tables::{NONE, Tables};

/// Places in a list.
const PLACES: usize = 32;
/// Where the kind of a place is in its number.
const KIND: u32 = 29;
const VALUE: u32 = 0;
const SLOT: u32 = 1;
const BLOCK: u32 = 2;
const ROW: u32 = 3;
const READER: u32 = 4;
const CONSUMER: u32 = 5;
const DERIVATIVE: u32 = 6;

/// See the module comment.
pub(super) struct Ahead {
    lists: Packed<u32>,
}

/// The list of one relation in the making.
#[derive(Default)]
struct Walk {
    places: Vec<u32>,
    /// Slots that may change.
    slots: Vec<Slot>,
    blocks: Vec<u32>,
    states: u32,
}

impl Walk {
    /// Notes a place unless one in the same cache line, which has so many, is noted.
    fn note(&mut self, kind: u32, at: u32, in_a_line: u32) {
        if at >> KIND != 0 || self.places.len() == PLACES {
            return;
        }
        let line = |p: u32| (p >> KIND, (p & !(7 << KIND)) / in_a_line);
        let place = kind << KIND | at;
        if !self.places.iter().any(|&p| line(p) == line(place)) {
            self.places.push(place);
        }
    }

    fn read(&mut self, slot: Slot) {
        self.note(VALUE, slot, 8);
        self.note(SLOT, slot, 2);
    }

    fn change(&mut self, slot: Slot, tables: &Tables) {
        if self.slots.contains(&slot) {
            return;
        }
        self.read(slot);
        let record = &tables.slots[slot as usize];
        if !record.readers().is_empty() {
            self.note(READER, record.readers[0], 16);
        }
        if !record.consumers().is_empty() {
            self.note(CONSUMER, record.consumers[0], 16);
            let first = tables.consumers.item(record.consumers().start) as u32;
            if first < self.states {
                self.note(DERIVATIVE, first, 1);
            }
        }
        self.slots.push(slot);
    }

    fn run(&mut self, memory: Slot, model: &CompiledModel, tables: &Tables) {
        self.places.clear();
        self.slots.clear();
        self.blocks.clear();
        self.change(memory, tables);
        let mut next = 0;
        while next < self.slots.len() && self.places.len() < PLACES {
            let record = tables.slots[self.slots[next] as usize];
            next += 1;
            for at in record.readers() {
                let b = tables.readers.item(at) as u32;
                if self.blocks.contains(&b) || self.places.len() == PLACES {
                    continue;
                }
                self.blocks.push(b);
                self.note(BLOCK, b, 1);
                let block = &tables.blocks[b as usize];
                let BlockKind::Row(row) = block.kind else {
                    continue;
                };
                self.note(ROW, row.start, 16);
                for &slot in block.reads(model) {
                    self.read(slot);
                }
                for &slot in block.writes(model) {
                    self.change(slot, tables);
                }
            }
            if record.pre != NONE {
                self.change(record.pre, tables);
            }
        }
    }
}

impl Ahead {
    pub fn new(model: &CompiledModel, tables: &Tables) -> Ahead {
        let mut start = vec![0];
        let mut items = Vec::new();
        let mut walk = Walk {
            states: model.layout.n_states as u32,
            ..Walk::default()
        };
        for relation in &model.relations {
            walk.run(relation.memory, model, tables);
            items.extend_from_slice(&walk.places);
            start.push(items.len() as u32);
        }
        Ahead {
            lists: Packed::new(&start, items, VALUE),
        }
    }

    #[inline]
    pub fn ahead(&self, relation: usize) {
        self.lists.prefetch(relation);
    }

    pub fn near(
        &self,
        relation: usize,
        (model, tables): (&CompiledModel, &Tables),
        ev: &Evaluator,
        consumer_ahead: impl Fn(usize),
    ) {
        let ask = |place: u32| {
            let at = (place & !(7 << KIND)) as usize;
            match place >> KIND {
                VALUE => ev.slots.get(at).map(prefetch),
                SLOT => tables.slots.get(at).map(prefetch),
                // It may lie in two lines.
                BLOCK => tables.blocks.get(at).map(|b| {
                    prefetch(b);
                    prefetch(&b.seen);
                }),
                ROW => model.kernels.table.get(at).map(prefetch),
                READER => {
                    tables.readers.prefetch(at);
                    None
                }
                CONSUMER => {
                    tables.consumers.prefetch(at);
                    None
                }
                _ => {
                    consumer_ahead(at);
                    None
                }
            }
        };
        prefetch(&model.relations[relation]);
        for &place in self.lists.record(relation) {
            ask(place);
        }
    }
}
