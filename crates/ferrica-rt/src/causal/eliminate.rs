//! Elimination of unknowns by pivots that never change.
//!
//! In: a square matrix of which some rows and columns hold entries that vary. Out: positions, pivot by
//! pivot, of a triangular factorization of the part that is constant, and the constant share of what is left
//! (the Schur complement), to which the varying entries are added at each evaluation:
//!
//! | A B |   | L  0 | | U  W |
//! | C D | = | L' I | | 0  S |,   S = D − L' W
//!
//! Pivots are taken from columns with few entries, rows with few entries first, among those that are not small
//! against their column when rows are scaled. They come in rounds: a column that a pivot of a round has changed waits for the next one, and in a
//! round all columns have their turn that are not much longer than the shortest. So pivots of a round do not depend on each other, and a chain is
//! not eliminated from one end to the other but every second link at a time. Linear in pivots for the networks that occur in practice.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A pivot is at least this part of the largest entry of its column, rows being scaled to 1. The second is for where entries grow with the first.
const THRESHOLDS: [f64; 2] = [0.5, 1.0];
/// Entries may become so many times larger than those of their row were.
const GROWTH: f64 = 1e4;
/// What is left of a scaled row below this is rounding.
const NOTHING: f64 = 1e-13;

/// An entry: row, column, value (0 for one that varies).
pub type Entry = (u32, u32, f64);

/// See the module comment. Positions below `rank` are pivots, the others the rest.
#[derive(Clone, Debug, Default)]
pub struct Elimination {
    pub rank: usize,
    /// Row and column at each position.
    pub row_at: Vec<u32>,
    pub col_at: Vec<u32>,
    /// Reciprocals of the pivots.
    pub inverse: Vec<f64>,
    pub lower: Lists,
    pub upper: Lists,
    /// Constant share of the rest, with positions counted from its first.
    pub rest: Vec<Entry>,
}

/// One list of (position, value) a pivot, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    pub start: Vec<u32>,
    pub index: Vec<u32>,
    pub value: Vec<f64>,
    /// Pivots one after the other with lists of one length: first, one past the last, length.
    runs: Vec<(u32, u32, u32)>,
}

impl Lists {
    fn push_list(&mut self, list: impl Iterator<Item = (u32, f64)>) {
        for (index, value) in list {
            self.index.push(index);
            self.value.push(value);
        }
        self.start.push(self.index.len() as u32);
    }

    pub fn range(&self, k: usize) -> Range<usize> {
        self.start[k] as usize..self.start[k + 1] as usize
    }

    fn find_runs(&mut self) {
        for k in 1..self.start.len() {
            let (first, len) = (k as u32 - 1, self.start[k] - self.start[k - 1]);
            match self.runs.last_mut() {
                Some(run) if run.2 == len => run.1 = first + 1,
                _ => self.runs.push((first, first + 1, len)),
            }
        }
    }
}

struct Work {
    rows: Vec<Vec<(u32, f64)>>,
    /// Rows of each column; rows that were pivots are still listed.
    cols: Vec<Vec<u32>>,
    active: Vec<bool>,
    scale: Vec<f64>,
    /// Entries of a column, column; out of date if it has another number of entries by now.
    queue: BinaryHeap<Reverse<(usize, u32)>>,
    count: Vec<usize>,
    /// The last round in which a pivot has changed a column.
    changed: Vec<u32>,
    round: u32,
    threshold: f64,
    /// Largest entry that has come about, rows being scaled.
    growth: f64,
}

/// Eliminates all it can. Rows and columns marked as varying are left.
pub fn eliminate(
    n: usize,
    entries: &[Entry],
    row_varies: &[bool],
    col_varies: &[bool],
) -> Elimination {
    let with = |threshold| eliminate_with(n, entries, row_varies, col_varies, threshold);
    let (first, growth) = with(THRESHOLDS[0]);
    if growth <= GROWTH {
        return first;
    }
    let (second, less) = with(THRESHOLDS[1]);
    if less <= growth || growth.is_nan() {
        second
    } else {
        first
    }
}

/// The same with one threshold, and how entries have grown.
fn eliminate_with(
    n: usize,
    entries: &[Entry],
    row_varies: &[bool],
    col_varies: &[bool],
    threshold: f64,
) -> (Elimination, f64) {
    let mut w = Work {
        rows: vec![Vec::new(); n],
        cols: vec![Vec::new(); n],
        active: vec![true; n],
        scale: vec![0.0; n],
        queue: BinaryHeap::new(),
        count: vec![0; n],
        changed: vec![0; n],
        round: 1,
        threshold,
        growth: 0.0,
    };
    for &(r, c, v) in entries {
        w.add(r, c, v);
    }
    for (scale, row) in w.scale.iter_mut().zip(&w.rows) {
        let largest = row.iter().fold(0.0, |m: f64, e| m.max(e.1.abs()));
        *scale = if largest > 0.0 { 1.0 / largest } else { 1.0 };
    }
    let mut done = vec![false; n];
    for c in (0..n).filter(|&c| !col_varies[c]) {
        w.queue.push(Reverse((w.count[c], c as u32)));
    }
    let mut out = Elimination::default();
    out.lower.start.push(0);
    out.upper.start.push(0);
    while !w.queue.is_empty() {
        let mut waiting = Vec::new();
        let mut longest = None;
        while let Some(&Reverse((count, q))) = w.queue.peek() {
            let q = q as usize;
            let valid = !done[q] && count == w.count[q];
            if valid && count > *longest.get_or_insert(2 * count + 1) {
                break;
            }
            w.queue.pop();
            if !valid {
                continue;
            }
            if w.changed[q] == w.round {
                waiting.push(q);
                continue;
            }
            // A column without a pivot may get one by the elimination of others; then it is in the queue again.
            if let Some(p) = w.pivot_row(q, row_varies) {
                done[q] = true;
                w.eliminate(p, q, &mut out, col_varies, &done);
            }
        }
        for q in waiting {
            w.queue.push(Reverse((w.count[q], q as u32)));
        }
        w.round += 1;
    }
    let left = |k: &usize| w.active[*k];
    let rows: Vec<u32> = (0..n).filter(left).map(|r| r as u32).collect();
    let cols = (0..n).filter(|&c| !done[c]).map(|c| c as u32);
    out.rank = out.row_at.len();
    out.row_at.extend(&rows);
    out.col_at.extend(cols);
    out.renumber(&w);
    (out, w.growth)
}

impl Work {
    fn add(&mut self, r: u32, c: u32, v: f64) {
        let row = &mut self.rows[r as usize];
        let scale = self.scale[r as usize];
        let mut grown = v;
        match row.iter_mut().find(|e| e.0 == c) {
            Some(e) => {
                e.1 += v;
                grown = e.1;
            }
            None => {
                row.push((c, v));
                self.cols[c as usize].push(r);
                self.count[c as usize] += 1;
            }
        }
        let size = grown.abs() * scale;
        if size.is_nan() || size > self.growth {
            self.growth = size;
        }
    }

    fn value(&self, r: usize, c: usize) -> f64 {
        let found = self.rows[r].iter().find(|e| e.0 as usize == c);
        found.map_or(0.0, |e| e.1)
    }

    fn pivot_row(&mut self, q: usize, row_varies: &[bool]) -> Option<usize> {
        let mut largest = 0.0f64;
        let active = &self.active;
        self.cols[q].retain(|&r| active[r as usize]);
        for &r in &self.cols[q] {
            let r = r as usize;
            largest = largest.max(self.value(r, q).abs() * self.scale[r]);
        }
        if largest.is_nan() || largest <= NOTHING {
            return None;
        }
        let fit = |r: &usize| {
            !row_varies[*r] && self.value(*r, q).abs() * self.scale[*r] >= self.threshold * largest
        };
        let rows = self.cols[q].iter().map(|&r| r as usize);
        rows.filter(fit).min_by_key(|&r| (self.rows[r].len(), r))
    }

    fn eliminate(
        &mut self,
        p: usize,
        q: usize,
        out: &mut Elimination,
        col_varies: &[bool],
        done: &[bool],
    ) {
        self.active[p] = false;
        let mut row = std::mem::take(&mut self.rows[p]);
        row.sort_unstable_by_key(|e| e.0);
        let pivot = row.iter().find(|e| e.0 as usize == q).map_or(1.0, |e| e.1);
        row.retain(|e| e.0 as usize != q);
        let mut rows: Vec<u32> = std::mem::take(&mut self.cols[q]);
        rows.retain(|&r| r as usize != p);
        rows.sort_unstable();
        let mut lower = Vec::with_capacity(rows.len());
        for &(j, _) in &row {
            self.count[j as usize] -= 1;
        }
        for &i in &rows {
            let l = self.value(i as usize, q) / pivot;
            self.rows[i as usize].retain(|e| e.0 as usize != q);
            if l != 0.0 {
                lower.push((i, l));
                for &(j, u) in &row {
                    self.add(i, j, -l * u);
                }
            }
        }
        out.row_at.push(p as u32);
        for &(j, _) in &row {
            let j = j as usize;
            if !done[j] && !col_varies[j] {
                self.changed[j] = self.round;
                self.queue.push(Reverse((self.count[j], j as u32)));
            }
        }
        out.col_at.push(q as u32);
        out.inverse.push(1.0 / pivot);
        out.lower.push_list(lower.into_iter());
        out.upper.push_list(row.into_iter());
    }
}

impl Elimination {
    /// Rows and columns to positions.
    fn renumber(&mut self, w: &Work) {
        let n = self.row_at.len();
        let mut of_row = vec![0u32; n];
        let mut of_col = vec![0u32; n];
        for k in 0..n {
            of_row[self.row_at[k] as usize] = k as u32;
            of_col[self.col_at[k] as usize] = k as u32;
        }
        for i in &mut self.lower.index {
            *i = of_row[*i as usize];
        }
        for j in &mut self.upper.index {
            *j = of_col[*j as usize];
        }
        self.lower.find_runs();
        let rank = self.rank as u32;
        for &r in &self.row_at[self.rank..] {
            for &(c, v) in &w.rows[r as usize] {
                let at = (of_row[r as usize] - rank, of_col[c as usize] - rank);
                self.rest.push((at.0, at.1, v));
            }
        }
    }

    /// Right-hand side b, by positions, to that of the triangular system and of the rest.
    pub fn forward(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.row_at.len());
        for &(first, end, len) in &self.lower.runs {
            let range = first as usize..end as usize;
            match len {
                0 => {}
                1 => self.forward_run::<1>(range, b),
                2 => self.forward_run::<2>(range, b),
                3 => self.forward_run::<3>(range, b),
                _ => {
                    for k in range {
                        let pivot = b[k];
                        for at in self.lower.range(k) {
                            b[self.lower.index[at] as usize] -= self.lower.value[at] * pivot;
                        }
                    }
                }
            }
        }
    }

    fn forward_run<const LEN: usize>(&self, run: Range<usize>, b: &mut [f64]) {
        let at = self.lower.range(run.start).start..self.lower.range(run.end - 1).end;
        let index = self.lower.index[at.clone()].as_chunks::<LEN>().0;
        let value = self.lower.value[at].as_chunks::<LEN>().0;
        for ((k, index), value) in run.zip(index).zip(value) {
            // SAFETY: positions and indices are below the number of rows, which is the length of `b`.
            unsafe {
                let pivot = *b.get_unchecked(k);
                for (&i, l) in index.iter().zip(value) {
                    *b.get_unchecked_mut(i as usize) -= l * pivot;
                }
            }
        }
    }

    /// x at pivot `k` from those after it.
    #[inline]
    pub fn unknown(&self, k: usize, b: &[f64], x: &[f64]) -> f64 {
        let range = self.upper.range(k);
        let list = self.upper.index[range.clone()].iter();
        let mut sum = b[k];
        for (&j, u) in list.zip(&self.upper.value[range]) {
            sum -= u * x[j as usize];
        }
        sum * self.inverse[k]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with two varying entries, solved through the elimination and checked by multiplication.
    #[test]
    fn solves_what_it_eliminates() {
        let n = 6;
        let mut full = vec![vec![0.0; n]; n];
        let mut entries: Vec<Entry> = Vec::new();
        let list = [
            (0, 0, 1.0),
            (0, 3, -2.0),
            (1, 1, 0.5),
            (1, 2, 1.0),
            (2, 2, 4.0),
            (2, 0, 1.0),
            (3, 3, 5.0),
            (3, 5, 1.0),
            (4, 1, 1.0),
            (5, 2, 3.0),
            (5, 1, -1.0),
        ];
        for (r, c, v) in list {
            full[r][c] = v;
            entries.push((r as u32, c as u32, v));
        }
        let varying = [(4, 4, 7.0), (4, 5, 2.0), (5, 5, -3.0)];
        for (r, c, v) in varying {
            full[r][c] = v;
            entries.push((r as u32, c as u32, 0.0));
        }
        let rows: Vec<bool> = (0..n).map(|r| r >= 4).collect();
        let e = eliminate(n, &entries, &rows, &rows);
        assert_eq!(e.rank, 4);
        let exact: Vec<f64> = (0..n).map(|k| 1.0 + k as f64).collect();
        let right = |r: usize| (0..n).map(|c| full[r][c] * exact[c]).sum::<f64>();
        let mut b: Vec<f64> = e.row_at.iter().map(|&r| right(r as usize)).collect();
        e.forward(&mut b);
        let mut s = [[0.0; 2]; 2];
        for &(r, c, v) in &e.rest {
            s[r as usize][c as usize] += v;
        }
        for (r, c, v) in varying {
            let place =
                |at: &[u32], k: usize| at.iter().position(|&x| x as usize == k).unwrap() - 4;
            s[place(&e.row_at, r)][place(&e.col_at, c)] += v;
        }
        let det = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        let mut x = vec![0.0; n];
        x[4] = (b[4] * s[1][1] - s[0][1] * b[5]) / det;
        x[5] = (s[0][0] * b[5] - b[4] * s[1][0]) / det;
        for k in (0..4).rev() {
            x[k] = e.unknown(k, &b, &x);
        }
        for (k, &c) in e.col_at.iter().enumerate() {
            assert!((x[k] - exact[c as usize]).abs() < 1e-12, "{c}: {}", x[k]);
        }
    }

    /// A chain whose rows are written one off the diagonal, so that pivots along it would let entries grow without bound: −x(k−1) + 2.5 x(k) − x(k+1) = 1.
    /// The solution is 2 away from the ends.
    #[test]
    fn a_long_chain_keeps_its_digits() {
        let n = 3001;
        let mut entries: Vec<Entry> = Vec::new();
        for k in 0..n {
            let row = ((k + 1) % n) as u32;
            entries.push((row, k as u32, 2.5));
            if k > 0 {
                entries.push((row, k as u32 - 1, -1.0));
            }
            if k + 1 < n {
                entries.push((row, k as u32 + 1, -1.0));
            }
        }
        let none = vec![false; n];
        let e = eliminate(n, &entries, &none, &none);
        assert_eq!(e.rank, n);
        let mut b = vec![1.0; n];
        e.forward(&mut b);
        let mut x = vec![0.0; n];
        for k in (0..n).rev() {
            x[k] = e.unknown(k, &b, &x);
        }
        let middle = e.col_at.iter().position(|&c| c as usize == n / 2);
        assert!((x[middle.expect("a column")] - 2.0).abs() < 1e-12);
        // Every second link at a time: factors of a few entries a link.
        assert!(e.lower.index.len() < 3 * n, "{}", e.lower.index.len());
    }
}
