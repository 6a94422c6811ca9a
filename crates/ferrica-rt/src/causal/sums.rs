//! Linear straight-line programs: a list of sums over slots.
//!
//! In: sums s[d] = Σ f s[i], in an order in which each needs only those before it, and the slots that somebody wants. Out: a table of the
//! sums that are needed. A sum that costs no more where it is used than on its own is put there; sums of one depth and
//! length stand together, so that they run in one loop without waiting for each other.

use std::cmp::Ordering;
use std::ops::Range;

use ferrica_codegen::Slot;

const NONE: u32 = u32::MAX;

/// One sum: where it goes, and its terms (slot, factor).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum {
    pub to: Slot,
    pub terms: Vec<(Slot, f64)>,
}

impl Sum {
    fn factors(&self) -> impl Iterator<Item = f64> {
        self.terms.iter().map(|t| t.1)
    }
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
    /// Slots of the terms and their factors; what the sums of a run share stands there once.
    source: Vec<Slot>,
    factor: Vec<f64>,
    /// Of regular runs: first slot, and the way to that of the next sum; the target, then each term.
    lines: Vec<Line>,
    runs: Vec<Run>,
    terms: usize,
    /// Slots that the table may touch.
    slots: usize,
}

type Line = (u32, i32);

/// Sums of one length one after the other.
#[derive(Clone, Debug)]
struct Run {
    sums: Range<usize>,
    len: usize,
    shape: Shape,
    /// Where its slots (or lines) and its factors begin.
    places: usize,
    factors: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Each sum has slots and factors of its own.
    Tabled,
    /// The factors are those of all.
    Shared,
    /// The slots move evenly besides.
    Regular,
}

/// Sums from which on it pays to begin another run.
const WORTHWHILE: usize = 8;

impl Table {
    /// Of sums in an order in which they can be computed.
    fn new(mut sums: Vec<Sum>, slots: usize) -> Table {
        let mut depth_of = vec![0u32; slots];
        for sum in &sums {
            let deepest = sum.terms.iter().map(|t| depth_of[t.0 as usize]).max();
            depth_of[sum.to as usize] = 1 + deepest.unwrap_or(0);
        }
        let depth = |s: &Sum| depth_of[s.to as usize];
        sums.sort_by(|a, b| {
            let first = (depth(a), a.terms.len()).cmp(&(depth(b), b.terms.len()));
            let bits = |s: &Sum, k: usize| s.terms[k].1.to_bits();
            let factors = (0..a.terms.len()).map(|k| bits(a, k).cmp(&bits(b, k)));
            first.then_with(|| factors.fold(Ordering::Equal, Ordering::then))
        });
        let mut out = Table {
            slots,
            ..Table::default()
        };
        let same = |a: &Sum, b: &Sum| depth(a) == depth(b) && a.terms.len() == b.terms.len();
        for level in sums.chunk_by(same) {
            // Few of a kind go together at the end.
            let mut others: Vec<&Sum> = Vec::new();
            for kind in level.chunk_by(|a, b| a.factors().eq(b.factors())) {
                if kind.len() < WORTHWHILE {
                    others.extend(kind);
                } else {
                    out.push_kind(kind);
                }
            }
            out.push(&others, Shape::Tabled);
        }
        debug_assert!(
            out.to
                .iter()
                .chain(&out.source)
                .all(|&s| (s as usize) < slots)
        );
        out
    }

    /// Sums with the same factors, in pieces with slots that move evenly where there are any.
    fn push_kind(&mut self, kind: &[Sum]) {
        let mut others: Vec<&Sum> = Vec::new();
        let mut rest = kind;
        while !rest.is_empty() {
            let even = even(rest);
            let (piece, after) = rest.split_at(even.min(rest.len()));
            if even >= WORTHWHILE {
                let piece: Vec<&Sum> = piece.iter().collect();
                self.push(&piece, Shape::Regular);
            } else {
                others.extend(piece);
            }
            rest = after;
        }
        self.push(&others, Shape::Shared);
    }

    fn push(&mut self, sums: &[&Sum], shape: Shape) {
        let (Some(first), Some(last)) = (sums.first(), sums.last()) else {
            return;
        };
        let number = self.to.len();
        let run = Run {
            sums: number..number + sums.len(),
            len: first.terms.len(),
            shape,
            places: match shape {
                Shape::Regular => self.lines.len(),
                _ => self.source.len(),
            },
            factors: self.factor.len(),
        };
        self.terms += sums.len() * run.len;
        self.to.extend(sums.iter().map(|s| s.to));
        if shape == Shape::Regular {
            let apart = (sums.len() - 1).max(1) as i64;
            let line = |a: Slot, b: Slot| (a, ((i64::from(b) - i64::from(a)) / apart) as i32);
            self.lines.push(line(first.to, last.to));
            let terms = first.terms.iter().zip(&last.terms);
            self.lines.extend(terms.map(|(a, b)| line(a.0, b.0)));
        } else {
            let all = sums.iter().flat_map(|s| &s.terms);
            self.source.extend(all.map(|t| t.0));
        }
        let factors = match shape {
            Shape::Tabled => sums,
            _ => &sums[..1],
        };
        self.factor.extend(factors.iter().flat_map(|s| s.factors()));
        self.runs.push(run);
    }

    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// Terms of all sums.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Slots that it sets.
    pub fn results(&self) -> &[Slot] {
        &self.to
    }

    /// Computes all sums.
    pub fn run(&self, slots: &mut [f64]) {
        assert!(slots.len() >= self.slots);
        for run in &self.runs {
            match run.len {
                1 => self.run_of::<1>(run, slots),
                2 => self.run_of::<2>(run, slots),
                3 => self.run_of::<3>(run, slots),
                4 => self.run_of::<4>(run, slots),
                5 => self.run_of::<5>(run, slots),
                6 => self.run_of::<6>(run, slots),
                _ => self.run_long(run, slots),
            }
        }
    }

    fn run_of<const LEN: usize>(&self, run: &Run, slots: &mut [f64]) {
        let to = &self.to[run.sums.clone()];
        let own = &self.factor[run.factors..].as_chunks::<LEN>().0;
        if run.shape == Shape::Regular {
            let lines = &self.lines[run.places..][..=LEN];
            let terms: [Line; LEN] = std::array::from_fn(|k| lines[k + 1]);
            regular(to.len(), lines[0], terms, &own[0], slots);
            return;
        }
        let source = self.source[run.places..].as_chunks::<LEN>().0;
        if run.shape == Shape::Shared {
            for (&to, source) in to.iter().zip(source) {
                sum(to, source, &own[0], slots);
            }
        } else {
            for ((&to, source), factor) in to.iter().zip(source).zip(*own) {
                sum(to, source, factor, slots);
            }
        }
    }

    fn run_long(&self, run: &Run, slots: &mut [f64]) {
        let len = run.len;
        for (j, &to) in self.to[run.sums.clone()].iter().enumerate() {
            let factors = match run.shape {
                Shape::Tabled => run.factors + j * len,
                _ => run.factors,
            };
            let mut sum = 0.0;
            for (k, f) in self.factor[factors..][..len].iter().enumerate() {
                let slot = match run.shape {
                    Shape::Regular => {
                        let (first, way) = self.lines[run.places + 1 + k];
                        first.wrapping_add_signed(way * j as i32)
                    }
                    _ => self.source[run.places + j * len + k],
                };
                sum += f * slots[slot as usize];
            }
            slots[to as usize] = sum;
        }
    }
}

/// How many sums from the first on have slots that move evenly.
fn even(sums: &[Sum]) -> usize {
    let places = |s: &Sum, k: usize| i64::from(if k == 0 { s.to } else { s.terms[k - 1].0 });
    let goes_on = |w: &[Sum]| {
        let mut all = 0..=w[0].terms.len();
        all.all(|k| places(&w[2], k) - places(&w[1], k) == places(&w[1], k) - places(&w[0], k))
    };
    2 + sums.windows(3).take_while(|w| goes_on(w)).count()
}

/// One sum.
#[inline(always)]
fn sum<const LEN: usize>(to: Slot, source: &[Slot; LEN], factor: &[f64; LEN], slots: &mut [f64]) {
    // SAFETY: all slots of a table are below `Table::slots`, which is not more than the length of `slots`.
    unsafe {
        let mut sum = factor[0] * *slots.get_unchecked(source[0] as usize);
        for k in 1..LEN {
            sum += factor[k] * *slots.get_unchecked(source[k] as usize);
        }
        *slots.get_unchecked_mut(to as usize) = sum;
    }
}

/// Sums whose slots move evenly.
fn regular<const LEN: usize>(
    count: usize,
    to: Line,
    terms: [Line; LEN],
    factor: &[f64; LEN],
    slots: &mut [f64],
) {
    let place = |line: Line, j: usize| (line.0 as isize + line.1 as isize * j as isize) as usize;
    let each = |j: usize, slots: &mut [f64]| {
        // SAFETY: as in `sum`; these are the slots of the sums that the run was made of.
        unsafe {
            let mut sum = factor[0] * *slots.get_unchecked(place(terms[0], j));
            for k in 1..LEN {
                sum += factor[k] * *slots.get_unchecked(place(terms[k], j));
            }
            *slots.get_unchecked_mut(place(to, j)) = sum;
        }
    };
    for j in 0..count {
        each(j, slots);
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

    /// Forty sums of three terms, some with factors of their own, some with slots that jump: all shapes of runs.
    #[test]
    fn runs_of_all_shapes() {
        for len in [1, 3, 8] {
            let n = 40;
            let mut network = Network::new(400);
            let mut expected: Vec<f64> = (0..400).map(|k| (k as f64 * 0.7).sin()).collect();
            let start = expected.clone();
            for k in 0..n {
                let place = |t: usize| ((k * (t + 1) + 7 * t + usize::from(k == 17)) % 300) as Slot;
                let factor = |t: usize| {
                    if k % 20 < 15 {
                        1.0 + t as f64
                    } else {
                        k as f64
                    }
                };
                let terms: Vec<(Slot, f64)> = (0..len).map(|t| (place(t), factor(t))).collect();
                let to = 399 - k as Slot;
                let value = |t: &(Slot, f64)| t.1 * start[t.0 as usize];
                expected[to as usize] = terms.iter().map(value).sum();
                network.push(Sum { to, terms });
            }
            let wanted: Vec<Slot> = (360..400).collect();
            let (table, _) = network.table(&wanted);
            let shapes: Vec<Shape> = table.runs.iter().map(|r| r.shape).collect();
            assert!(shapes.contains(&Shape::Regular), "{shapes:?}");
            let mut slots = start;
            table.run(&mut slots);
            for (k, (a, b)) in slots.iter().zip(&expected).enumerate() {
                assert!(
                    (a - b).abs() < 1e-12 * b.abs().max(1.0),
                    "{len} {k}: {a} {b}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_wanted_is_not_computed() {
        let n = network();
        let (table, _) = n.table(&[4]);
        assert_eq!(table.results(), [4]);
        assert_eq!(table.terms(), 2);
    }
}
