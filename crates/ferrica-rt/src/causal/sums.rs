//! Linear straight-line programs: a list of sums over slots.
//!
//! In: sums s[d] = Σ f s[i], in an order in which each needs only those before it, and the slots that somebody wants. Out: a table of the
//! sums that are needed. A sum that costs no more where it is used than on its own is put there; sums of one depth and
//! length stand together, so that they run in one loop without waiting for each other.

use std::ops::Range;

use ferrica_codegen::Slot;

const NONE: u32 = u32::MAX;

/// One sum: where it goes, and its terms (slot, factor).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    pub to: Slot,
    pub terms: Vec<(Slot, f64)>,
}

/// Sums in an order in which they can be computed. Each slot is set once, and not read before.
#[derive(Clone, Debug, Default)]
pub struct Network {
    sums: Vec<Sum>,
    /// Number of the sum that sets a slot.
    of_slot: Vec<u32>,
}

impl Network {
    pub fn new(slots: usize) -> Network {
        Network {
            sums: Vec::new(),
            of_slot: vec![NONE; slots],
        }
    }

    pub fn push(&mut self, sum: Sum) {
        self.of_slot[sum.to as usize] = self.sums.len() as u32;
        self.sums.push(sum);
    }

    fn sum_of(&self, slot: Slot) -> Option<usize> {
        let k = self.of_slot[slot as usize];
        (k != NONE).then_some(k as usize)
    }

    /// The sums that the wanted slots depend on, those of `stop` and what only they depend on left out.
    fn needed(&self, wanted: &[Slot], stop: &[bool]) -> Vec<bool> {
        let mut needed = vec![false; self.sums.len()];
        for &slot in wanted {
            if let Some(k) = self.sum_of(slot) {
                needed[k] = !stop[k];
            }
        }
        for k in (0..self.sums.len()).rev() {
            if needed[k] {
                for &(slot, _) in &self.sums[k].terms {
                    if let Some(j) = self.sum_of(slot) {
                        needed[j] |= !stop[j];
                    }
                }
            }
        }
        needed
    }

    /// A table for the wanted slots, and which sums it stores.
    pub fn table(&self, wanted: &[Slot]) -> (Table, Vec<bool>) {
        let none = vec![false; self.sums.len()];
        let mut stored = self.needed(wanted, &none);
        let mut uses = vec![0u32; self.sums.len()];
        for (k, sum) in self.sums.iter().enumerate() {
            if stored[k] {
                for &(slot, _) in &sum.terms {
                    if let Some(j) = self.sum_of(slot) {
                        uses[j] += 1;
                    }
                }
            }
        }
        for &slot in wanted {
            if let Some(k) = self.sum_of(slot) {
                uses[k] = NONE;
            }
        }
        let mut inlined: Vec<Option<Vec<(Slot, f64)>>> = vec![None; self.sums.len()];
        let mut kept = Vec::new();
        for (k, sum) in self.sums.iter().enumerate() {
            if !stored[k] {
                continue;
            }
            let mut terms: Vec<(Slot, f64)> = Vec::with_capacity(sum.terms.len());
            for &(slot, f) in &sum.terms {
                match self.sum_of(slot).and_then(|j| inlined[j].as_ref()) {
                    Some(inner) => terms.extend(inner.iter().map(|&(s, g)| (s, f * g))),
                    None => terms.push((slot, f)),
                }
            }
            merge(&mut terms);
            let (t, u) = (terms.len() as u64, u64::from(uses[k]));
            if uses[k] != NONE && t * u <= t + u {
                stored[k] = false;
                inlined[k] = Some(terms);
            } else {
                kept.push(Sum { to: sum.to, terms });
            }
        }
        (Table::new(kept, self.of_slot.len()), stored)
    }

    /// A table for further slots, from those that are `stored` already.
    pub fn rest_table(&self, wanted: &[Slot], stored: &[bool]) -> Table {
        let needed = self.needed(wanted, stored);
        let sums = self.sums.iter().zip(&needed).filter(|s| *s.1);
        Table::new(sums.map(|s| s.0.clone()).collect(), self.of_slot.len())
    }
}

/// Terms of one slot together, in the order of slots.
fn merge(terms: &mut Vec<(Slot, f64)>) {
    terms.sort_by_key(|t| t.0);
    terms.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
}

/// Sums as they run.
#[derive(Clone, Debug, Default)]
pub struct Table {
    to: Vec<Slot>,
    source: Vec<Slot>,
    factor: Vec<f64>,
    /// Sums of one length, one after the other: numbers of the sums, first term, terms of each.
    runs: Vec<(Range<usize>, usize, usize)>,
    /// Slots that the table may touch.
    slots: usize,
}

impl Table {
    /// Of sums in an order in which they can be computed.
    fn new(mut sums: Vec<Sum>, slots: usize) -> Table {
        let mut depth_of = vec![0u32; slots];
        for sum in &sums {
            let deepest = sum.terms.iter().map(|t| depth_of[t.0 as usize]).max();
            depth_of[sum.to as usize] = 1 + deepest.unwrap_or(0);
        }
        sums.sort_by_key(|s| (depth_of[s.to as usize], s.terms.len()));
        let mut out = Table {
            slots,
            ..Table::default()
        };
        for (k, sum) in sums.iter().enumerate() {
            let len = sum.terms.len();
            match out.runs.last_mut() {
                Some((numbers, _, l)) if *l == len => numbers.end = k + 1,
                _ => out.runs.push((k..k + 1, out.source.len(), len)),
            }
            out.to.push(sum.to);
            for &(slot, f) in &sum.terms {
                out.source.push(slot);
                out.factor.push(f);
            }
        }
        debug_assert!(
            out.to
                .iter()
                .chain(&out.source)
                .all(|&s| (s as usize) < slots)
        );
        out
    }

    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// Terms of all sums.
    pub fn terms(&self) -> usize {
        self.source.len()
    }

    /// Slots that it sets.
    pub fn results(&self) -> &[Slot] {
        &self.to
    }

    /// Computes all sums.
    pub fn run(&self, slots: &mut [f64]) {
        assert!(slots.len() >= self.slots);
        for (numbers, first, len) in &self.runs {
            let to = &self.to[numbers.clone()];
            let terms = *first..first + to.len() * len;
            let (source, factor) = (&self.source[terms.clone()], &self.factor[terms]);
            match len {
                1 => run_of::<1>(to, source, factor, slots),
                2 => run_of::<2>(to, source, factor, slots),
                3 => run_of::<3>(to, source, factor, slots),
                4 => run_of::<4>(to, source, factor, slots),
                5 => run_of::<5>(to, source, factor, slots),
                6 => run_of::<6>(to, source, factor, slots),
                _ => {
                    for (k, &to) in to.iter().enumerate() {
                        let terms = k * len..(k + 1) * len;
                        let mut sum = 0.0;
                        for (&s, f) in source[terms.clone()].iter().zip(&factor[terms]) {
                            sum += f * slots[s as usize];
                        }
                        slots[to as usize] = sum;
                    }
                }
            }
        }
    }
}

fn run_of<const LEN: usize>(to: &[Slot], source: &[Slot], factor: &[f64], slots: &mut [f64]) {
    let source = source.as_chunks::<LEN>().0;
    let factor = factor.as_chunks::<LEN>().0;
    for ((&to, source), factor) in to.iter().zip(source).zip(factor) {
        // SAFETY: all slots of a table are below `Table::slots`, which is not more than the length of `slots`.
        unsafe {
            let mut sum = factor[0] * *slots.get_unchecked(source[0] as usize);
            for k in 1..LEN {
                sum += factor[k] * *slots.get_unchecked(source[k] as usize);
            }
            *slots.get_unchecked_mut(to as usize) = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x₃ = 2 x₀ (one term), x₄ = x₃ + x₁, x₅ = x₄ − x₃ + x₂ (its first terms cancel), x₆ = nothing, x₇ = 3 x₅ + x₆ + 5 x₄.
    fn network() -> Network {
        let mut n = Network::new(8);
        let sums: [(Slot, &[(Slot, f64)]); 5] = [
            (3, &[(0, 2.0)]),
            (4, &[(3, 1.0), (1, 1.0)]),
            (5, &[(4, 1.0), (3, -1.0), (2, 1.0)]),
            (6, &[]),
            (7, &[(5, 3.0), (6, 1.0), (4, 5.0)]),
        ];
        for (to, terms) in sums {
            let terms = terms.to_vec();
            n.push(Sum { to, terms });
        }
        n
    }

    #[test]
    fn inlined_sums_give_the_same_values() {
        let n = network();
        let start = [1.5, -2.0, 0.25, 9.0, 9.0, 9.0, 9.0, 9.0];
        let exact = [1.5, -2.0, 0.25, 3.0, 1.0, -1.75, 0.0, -0.25];
        let (table, stored) = n.table(&[7]);
        let mut s = start;
        table.run(&mut s);
        assert_eq!(s[7], exact[7]);
        // Only what was asked for and cannot be put elsewhere is stored.
        assert_eq!(table.results(), [7]);
        n.rest_table(&[3, 4, 5, 6], &stored).run(&mut s);
        assert_eq!(s, exact);
    }

    #[test]
    fn what_is_not_wanted_is_not_computed() {
        let n = network();
        let (table, _) = n.table(&[4]);
        assert_eq!(table.results(), [4]);
        assert_eq!(table.terms(), 2);
    }
}
