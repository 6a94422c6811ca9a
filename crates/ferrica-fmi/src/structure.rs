//! What depends on what: the structure of the model as the description tells it.

use ferrica_codegen::{CompiledModel, Slot};
use rustc_hash::FxHashMap;

use crate::table::{Causality, Initial, Table};

/// Unknowns with the value references of what they depend on; without a list they may depend on everything.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    pub outputs: Vec<(u32, Option<Vec<u32>>)>,
    pub derivatives: Vec<(u32, Option<Vec<u32>>)>,
    pub indicators: Vec<(u32, Option<Vec<u32>>)>,
    pub initial: Vec<u32>,
}

/// Visits of blocks that are worth the exact answer.
const MOST_VISITS: usize = 200_000_000;

impl Structure {
    pub fn new(model: &CompiledModel, table: &Table) -> Structure {
        // States and inputs are known.
        let mut known: FxHashMap<Slot, u32> = FxHashMap::default();
        for (k, e) in table.entries.iter().enumerate() {
            if let (Causality::Input, Some(slot)) = (e.causality, e.slot) {
                known.insert(slot, k as u32);
            }
        }
        for (k, &(state, _)) in (0..).zip(&table.states) {
            known.insert(model.layout.states + k, state);
        }
        let unknowns = table.outputs.len() + table.states.len() + table.indicators.len();
        let exact = unknowns.saturating_mul(model.main.blocks.len()) < MOST_VISITS;
        let mut search = Search {
            model,
            known: &known,
            seen: vec![usize::MAX; model.main.blocks.len()],
            round: 0,
        };
        let mut of = |slot: Option<Slot>| slot.filter(|_| exact).map(|s| search.from(s));
        let outputs = table.outputs.iter();
        let outputs = outputs.map(|&r| (r, of(table.entries[r as usize].slot)));
        let outputs: Vec<_> = outputs.collect();
        let states = (0..).zip(&table.states);
        let derivatives = states
            .map(|(k, s)| (s.1, of(Some(model.layout.derivatives + k))))
            .collect();
        let crossings = model.relations.iter().filter(|r| !r.time_event);
        let indicators = (crossings.zip(&table.indicators))
            .map(|(r, &reference)| {
                let sides = of(Some(r.lhs)).zip(of(Some(r.rhs)));
                let both = sides.map(|(mut a, b)| {
                    a.extend(b);
                    a.sort_unstable();
                    a.dedup();
                    a
                });
                (reference, both)
            })
            .collect();
        let calculated = |e: &&crate::table::Entry| e.initial != Some(Initial::Exact);
        let mut initial: Vec<u32> = table.outputs.clone();
        initial.extend(table.states.iter().flat_map(|s| [s.0, s.1]));
        let parameters = (0..).zip(&table.entries);
        let parameters = parameters.filter(|(_, e)| e.causality == Causality::CalculatedParameter);
        initial.extend(parameters.map(|(k, _)| k));
        initial.retain(|&r| calculated(&&table.entries[r as usize]));
        initial.sort_unstable();
        initial.dedup();
        Structure {
            outputs,
            derivatives,
            indicators,
            initial,
        }
    }
}

struct Search<'a> {
    model: &'a CompiledModel,
    known: &'a FxHashMap<Slot, u32>,
    seen: Vec<usize>,
    round: usize,
}

impl Search<'_> {
    /// What a slot is computed from, as value references in ascending order.
    fn from(&mut self, slot: Slot) -> Vec<u32> {
        self.round += 1;
        let (mut found, mut stack) = (Vec::new(), vec![slot]);
        while let Some(slot) = stack.pop() {
            if let Some(&reference) = self.known.get(&slot) {
                found.push(reference);
                continue;
            }
            let Some(block) = self.model.main.writer_of(slot) else {
                continue;
            };
            let at = block.as_u32() as usize;
            if std::mem::replace(&mut self.seen[at], self.round) == self.round {
                continue;
            }
            stack.extend_from_slice(self.model.block_reads(&self.model.main, block));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
