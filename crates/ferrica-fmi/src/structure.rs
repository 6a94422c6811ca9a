//! What depends on what: the structure of the model as the description tells it.

use ferrica_codegen::model::BlockSet;
use ferrica_codegen::{CompiledModel, Slot};
use ferrica_fmu::payload::Access;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::table::{Causality, Initial, Table};

/// Unknowns with the value references of what they depend on; without a list they may depend on everything.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    pub outputs: Vec<(u32, Option<Vec<u32>>)>,
    pub derivatives: Vec<(u32, Option<Vec<u32>>)>,
    pub indicators: Vec<(u32, Option<Vec<u32>>)>,
    /// What is computed in initialization, from inputs and from what has an exact start value.
    pub initial: Vec<(u32, Option<Vec<u32>>)>,
}

/// Visits of blocks that are worth the exact answer.
const MOST_VISITS: usize = 200_000_000;
/// References in the lists of initialization: beyond, a description would be larger than all else in the archive.
const MOST_REFERENCES: usize = 500_000;

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
        let mut search = Search::new(model, &[&model.main], known);
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
        Structure {
            outputs,
            derivatives,
            indicators,
            initial: initial(model, table),
        }
    }
}

impl Structure {
    /// The same with arrays as whole variables; of each scalar the variable that it belongs to is given.
    pub fn of_arrays(self, heads: &[u32]) -> Structure {
        let merged = |list: Vec<(u32, Option<Vec<u32>>)>| {
            let mut out: Vec<(u32, Option<Vec<u32>>)> = Vec::new();
            let mut places: FxHashMap<u32, usize> = FxHashMap::default();
            for (unknown, dependencies) in list {
                let head = heads[unknown as usize];
                let of = dependencies.map(|d| d.iter().map(|&r| heads[r as usize]).collect());
                match places.get(&head) {
                    None => {
                        places.insert(head, out.len());
                        out.push((head, of));
                    }
                    Some(&at) => {
                        let both = out[at].1.take().zip(of);
                        out[at].1 = both.map(|(a, b): (Vec<u32>, Vec<u32>)| [a, b].concat());
                    }
                }
            }
            for list in out.iter_mut().filter_map(|u| u.1.as_mut()) {
                list.sort_unstable();
                list.dedup();
            }
            out
        };
        Structure {
            outputs: merged(self.outputs),
            derivatives: merged(self.derivatives),
            indicators: merged(self.indicators),
            initial: merged(self.initial),
        }
    }
}

/// Unknowns of initialization.
fn initial(model: &CompiledModel, table: &Table) -> Vec<(u32, Option<Vec<u32>>)> {
    let mut unknowns: Vec<u32> = table.outputs.clone();
    unknowns.extend(table.states.iter().flat_map(|s| [s.0, s.1]));
    let parameters = (0..).zip(&table.entries);
    let parameters = parameters.filter(|(_, e)| e.causality == Causality::CalculatedParameter);
    unknowns.extend(parameters.map(|(k, _)| k));
    unknowns.retain(|&r| table.entries[r as usize].initial != Some(Initial::Exact));
    unknowns.sort_unstable();
    unknowns.dedup();
    let mut known: FxHashMap<Slot, u32> = FxHashMap::default();
    for (k, e) in (0..).zip(&table.entries) {
        let given = match e.exported.access {
            Access::Input => true,
            Access::Before(_) | Access::State(_) | Access::Tunable(_) => {
                e.initial == Some(Initial::Exact)
            }
            Access::Read => false,
        };
        if let Some(slot) = e.slot.filter(|_| given) {
            known.insert(slot, k);
        }
    }
    let sets = [&model.initial, &model.parameters, &model.main];
    let blocks: usize = sets.iter().map(|s| s.blocks.len()).sum();
    let exact = unknowns.len().saturating_mul(blocks) < MOST_VISITS;
    let mut search = Search::new(model, &sets, known);
    search.remember();
    let mut room = MOST_REFERENCES;
    let mut of = |r: u32| {
        let slot = table.entries[r as usize].slot.filter(|_| exact)?;
        let found = search.from(slot);
        room = room.checked_sub(found.len())?;
        Some(found)
    };
    unknowns.into_iter().map(|r| (r, of(r))).collect()
}

struct Search<'a> {
    model: &'a CompiledModel,
    /// Where it ends.
    known: FxHashMap<Slot, u32>,
    /// Who writes a slot is looked for in them, in this order.
    sets: Vec<&'a BlockSet>,
    /// What slots are made from that no block writes.
    others: FxHashMap<Slot, Vec<Slot>>,
    seen: Vec<Vec<usize>>,
    round: usize,
}

impl<'a> Search<'a> {
    fn new(
        model: &'a CompiledModel,
        sets: &[&'a BlockSet],
        known: FxHashMap<Slot, u32>,
    ) -> Search<'a> {
        let seen = sets.iter().map(|s| vec![0; s.blocks.len()]);
        Search {
            model,
            known,
            sets: sets.to_vec(),
            others: FxHashMap::default(),
            seen: seen.collect(),
            round: 0,
        }
    }

    /// Between events these keep their values or come from the past; in initialization they are as present as all others: conditions, left limits, samplers, delayed signals, contents of lines.
    fn remember(&mut self) {
        let model = self.model;
        let mut add = |slot: Slot, from: &[Slot]| {
            self.others.entry(slot).or_default().extend(from);
        };
        for r in &model.relations {
            add(r.memory, &[r.lhs, r.rhs]);
        }
        for &(now, left) in &model.layout.pre_pairs {
            add(left, &[now]);
        }
        for &(memory, start, interval) in &model.samplers {
            add(memory, &[start, interval]);
        }
        for d in &model.delays {
            add(d.result, &[d.source, d.delay]);
        }
        for t in &model.transports {
            for result in t.results {
                add(result, &t.sources);
                add(result, &[t.position]);
                add(result, &t.points);
                add(result, &t.values);
            }
        }
    }

    /// What a slot is computed from, as value references in ascending order.
    fn from(&mut self, slot: Slot) -> Vec<u32> {
        self.round += 1;
        let mut looked_at: FxHashSet<Slot> = FxHashSet::default();
        let (mut found, mut stack) = (Vec::new(), vec![slot]);
        while let Some(slot) = stack.pop() {
            if let Some(&reference) = self.known.get(&slot) {
                found.push(reference);
                continue;
            }
            let writer = (self.sets.iter().zip(&mut self.seen))
                .find_map(|(set, seen)| Some((set, seen, set.writer_of(slot)?)));
            if let Some((set, seen, block)) = writer {
                let at = &mut seen[block.as_u32() as usize];
                if std::mem::replace(at, self.round) != self.round {
                    stack.extend_from_slice(self.model.block_reads(set, block));
                }
            } else if let Some(from) = self.others.get(&slot)
                && looked_at.insert(slot)
            {
                stack.extend_from_slice(from);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
