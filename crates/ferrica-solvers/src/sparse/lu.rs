//! Sparse LU factorization for sequences of matrices with one pattern.
//!
//! In: a pattern once, then values, many times. Out: solutions of A x = b and Aᵀ x = b.
//!
//! The structure is that of KLU (Davis and Palamadai Natarajan, ACM TOMS 37 (2010), algorithm 907):
//! block upper triangular form, minimum degree inside each block, left-looking factorization of
//! Gilbert and Peierls with partial pivoting that prefers the diagonal, and then *refactorization*: new values on
//! the frozen pattern and pivots, without any search. A refactorization watches the pivots and gives up when one has become too small
//! against its column; the caller's `factor` then starts afresh.
//!
//! Rows are scaled by their largest entry, but only to compare pivot candidates: with fixed
//! pivots scaling cancels out, so neither refactorization nor solution pays for it.
//!
//! Invariants after a factorization: position k holds column `col[k]` and row `row[k]`; `L` is unit
//! lower and `U` upper triangular inside each block, rows in positions, ascending; entries above the blocks
//! are in `F`. No row index in `L`, `U`, `F`, `a_dst` is ≥ n.

use super::CscPattern;
use super::block_triangular::block_triangular;
use super::minimum_degree::minimum_degree;
use super::transversal::{NONE, maximum_transversal};
use crate::linear::Singular;
use crate::scalar::Scalar;
use crate::sides::{Factors, take_off, times};

/// A diagonal candidate is taken when it has at least this part of the largest scaled candidate. Small values keep the
/// fill of the ordering, large ones keep the rounding errors small; 0.001 is KLU's choice.
const DIAGONAL_PREFERENCE: f64 = 1e-3;

/// A frozen pivot is accepted down to this part of the largest scaled entry of its column. Each
/// such step may cost the reciprocal in accuracy; Newton corrections still converge with 1e-10.
const FROZEN_PIVOT_LIMIT: f64 = 1e-4;

/// Columns of row indices (positions) and values.
#[derive(Clone, Debug, Default)]
struct Columns<T> {
    ptr: Vec<u32>,
    idx: Vec<u32>,
    val: Vec<T>,
}

impl<T> Columns<T> {
    fn clear(&mut self) {
        self.ptr.clear();
        self.ptr.push(0);
        self.idx.clear();
        self.val.clear();
    }

    fn close_column(&mut self) {
        self.ptr.push(self.idx.len() as u32);
    }

    #[inline(always)]
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.ptr[k] as usize..self.ptr[k + 1] as usize
    }
}

/// Factors of a sparse matrix and the analysis that they share.
#[derive(Clone, Debug)]
pub struct SparseLu<T: Scalar> {
    pattern: CscPattern,
    /// Structurally singular: no factorization will succeed.
    defect: Option<Singular>,
    /// Column and preferred row of each position, from the analysis.
    col: Vec<u32>,
    preferred_row: Vec<u32>,
    block_start: Vec<u32>,
    /// Row of each position after pivoting.
    row: Vec<u32>,
    /// One over the largest entry of each position's row, at the last full factorization.
    scale: Vec<f64>,
    l: Columns<T>,
    u: Columns<T>,
    f: Columns<T>,
    pivot_inv: Vec<T>,
    /// Entries of A inside the blocks, in the order of the positions: where from, where to.
    a_ptr: Vec<u32>,
    a_src: Vec<u32>,
    a_dst: Vec<u32>,
    /// Entries of A above the blocks: where from, in the order of `f`.
    f_src: Vec<u32>,
    work: Vec<T>,
    rhs: Vec<T>,
    factored: bool,
}

impl<T: Scalar> Factors<T> for SparseLu<T> {
    /// Allocates where there were never so many sides.
    fn solve_sides<const L: usize>(&mut self, b: &mut [[T; L]]) {
        let n = self.pattern.n();
        assert!(
            b.len() == n && self.factored,
            "solve needs factors and n numbers"
        );
        if self.rhs.len() < n * L {
            self.rhs.resize(n * L, T::ZERO);
        }
        let x = &mut self.rhs.as_chunks_mut::<L>().0[..n];
        for (x, &r) in x.iter_mut().zip(&self.row) {
            *x = b[r as usize];
        }
        for block in self.block_start.windows(2).rev() {
            let (first, end) = (block[0] as usize, block[1] as usize);
            if end - first == 1 {
                x[first] = times(x[first], self.pivot_inv[first]);
            } else {
                // SAFETY: the positions in L and U are below n (invariants above) and `x` has n numbers.
                unsafe {
                    for k in first..end {
                        let v = *x.get_unchecked(k);
                        for q in self.l.range(k) {
                            let at = *self.l.idx.get_unchecked(q) as usize;
                            take_off(x.get_unchecked_mut(at), &v, *self.l.val.get_unchecked(q));
                        }
                    }
                    for k in (first..end).rev() {
                        let v = times(*x.get_unchecked(k), *self.pivot_inv.get_unchecked(k));
                        *x.get_unchecked_mut(k) = v;
                        for q in self.u.range(k) {
                            let at = *self.u.idx.get_unchecked(q) as usize;
                            take_off(x.get_unchecked_mut(at), &v, *self.u.val.get_unchecked(q));
                        }
                    }
                }
            }
            if first > 0 {
                for k in first..end {
                    let v = x[k];
                    for q in self.f.range(k) {
                        take_off(&mut x[self.f.idx[q] as usize], &v, self.f.val[q]);
                    }
                }
            }
        }
        for (x, &c) in x.iter().zip(&self.col) {
            b[c as usize] = *x;
        }
    }
}

impl<T: Scalar> SparseLu<T> {
    /// Analyses the pattern: permutations to block triangular form and the order inside the blocks.
    pub fn new(pattern: CscPattern) -> SparseLu<T> {
        let n = pattern.n();
        let row_of = maximum_transversal(&pattern);
        let mut lu = SparseLu {
            defect: None,
            col: Vec::new(),
            preferred_row: Vec::new(),
            block_start: vec![0],
            row: vec![0; n],
            scale: vec![1.0; n],
            l: Columns::default(),
            u: Columns::default(),
            f: Columns::default(),
            pivot_inv: vec![T::ONE; n],
            a_ptr: Vec::new(),
            a_src: Vec::new(),
            a_dst: Vec::new(),
            f_src: Vec::new(),
            work: vec![T::ZERO; n],
            rhs: vec![T::ZERO; n],
            factored: false,
            pattern,
        };
        if let Some(col) = row_of.iter().position(|&r| r == NONE) {
            let mut used = vec![false; n];
            row_of
                .iter()
                .filter(|&&r| r != NONE)
                .for_each(|&r| used[r as usize] = true);
            let row = used.iter().position(|&u| !u).unwrap_or(col);
            lu.defect = Some(Singular {
                row,
                col,
                structural: true,
            });
            return lu;
        }
        let blocks = block_triangular(&lu.pattern, &row_of);
        lu.block_start = blocks.starts;
        lu.col = blocks.order;
        let mut place = vec![NONE; n];
        for b in 0..lu.block_start.len() - 1 {
            let (first, end) = (lu.block_start[b] as usize, lu.block_start[b + 1] as usize);
            if end - first > 2 {
                order_block(&lu.pattern, &row_of, &mut lu.col[first..end], &mut place);
            }
        }
        lu.preferred_row = lu.col.iter().map(|&c| row_of[c as usize]).collect();
        lu
    }

    pub fn pattern(&self) -> &CscPattern {
        &self.pattern
    }

    /// Number of irreducible diagonal blocks.
    pub fn block_count(&self) -> usize {
        self.block_start.len() - 1
    }

    /// Entries of L, U, the pivots and the part above the blocks.
    pub fn factor_nnz(&self) -> usize {
        self.l.idx.len() + self.u.idx.len() + self.f.idx.len() + self.pattern.n()
    }

    /// Smallest over largest scaled pivot: a cheap sign of bad condition.
    pub fn pivot_ratio(&self) -> f64 {
        let (mut small, mut large) = (f64::INFINITY, 0.0f64);
        for (p, s) in self.pivot_inv.iter().zip(&self.scale) {
            let size = s / p.magnitude();
            small = small.min(size);
            large = large.max(size);
        }
        if large > 0.0 { small / large } else { 0.0 }
    }

    /// Factors the matrix with these values: on the pivots of the previous call where they still serve, from scratch
    /// otherwise. Returns whether pivots had to be searched.
    pub fn factor(&mut self, values: &[T]) -> Result<bool, Singular> {
        if self.factored && self.refactor(values) {
            return Ok(false);
        }
        self.factor_full(values)?;
        Ok(true)
    }

    /// Gilbert–Peierls factorization with a search for pivots.
    pub fn factor_full(&mut self, values: &[T]) -> Result<(), Singular> {
        self.factored = false;
        if let Some(defect) = self.defect {
            return Err(defect);
        }
        let mut search = PivotSearch::new(self, values);
        for b in 0..self.block_count() {
            let (first, end) = (
                self.block_start[b] as usize,
                self.block_start[b + 1] as usize,
            );
            for k in first..end {
                search.column(self, values, k, first)?;
            }
        }
        search.finish(self);
        self.factored = true;
        Ok(())
    }

    /// New values on the frozen pattern and pivots. False when a pivot became too small or not finite; the factors are then
    /// invalid. Does not allocate.
    pub fn refactor(&mut self, values: &[T]) -> bool {
        let n = self.pattern.n();
        if !self.factored || values.len() != self.pattern.nnz() {
            return false;
        }
        for (x, &s) in self.f.val.iter_mut().zip(&self.f_src) {
            *x = values[s as usize];
        }
        let x = self.work.as_mut_slice();
        let (lp, li, lx) = (&self.l.ptr[..n + 1], &self.l.idx[..], &mut self.l.val[..]);
        let (up, ui, ux) = (&self.u.ptr[..n + 1], &self.u.idx[..], &mut self.u.val[..]);
        let ap = &self.a_ptr[..n + 1];
        let mut good = true;
        for k in 0..n {
            // SAFETY: pointers are ascending and end at the lengths of their arrays, `a_src` is below
            // the number of values and all positions are below n = len of `x`, `scale` and
            // `pivot_inv` (see the invariants above); all were built by `PivotSearch::finish`.
            unsafe {
                for e in *ap.get_unchecked(k) as usize..*ap.get_unchecked(k + 1) as usize {
                    *x.get_unchecked_mut(*self.a_dst.get_unchecked(e) as usize) =
                        *values.get_unchecked(*self.a_src.get_unchecked(e) as usize);
                }
                for e in *up.get_unchecked(k) as usize..*up.get_unchecked(k + 1) as usize {
                    let j = *ui.get_unchecked(e) as usize;
                    let u = *x.get_unchecked(j);
                    *x.get_unchecked_mut(j) = T::ZERO;
                    *ux.get_unchecked_mut(e) = u;
                    for q in *lp.get_unchecked(j) as usize..*lp.get_unchecked(j + 1) as usize {
                        *x.get_unchecked_mut(*li.get_unchecked(q) as usize) -=
                            *lx.get_unchecked(q) * u;
                    }
                }
                let pivot = *x.get_unchecked(k);
                *x.get_unchecked_mut(k) = T::ZERO;
                let inv = T::ONE / pivot;
                *self.pivot_inv.get_unchecked_mut(k) = inv;
                let mut largest = 0.0f64;
                for q in *lp.get_unchecked(k) as usize..*lp.get_unchecked(k + 1) as usize {
                    let i = *li.get_unchecked(q) as usize;
                    let v = *x.get_unchecked(i);
                    *x.get_unchecked_mut(i) = T::ZERO;
                    *lx.get_unchecked_mut(q) = v * inv;
                    largest = largest.max(v.magnitude() * *self.scale.get_unchecked(i));
                }
                let size = pivot.magnitude() * *self.scale.get_unchecked(k);
                good &= size > 0.0 && size.is_finite() && size >= FROZEN_PIVOT_LIMIT * largest;
            }
        }
        if !good {
            // Not-a-number entries may have been left behind.
            x.fill(T::ZERO);
            self.factored = false;
        }
        good
    }

    /// Overwrites `b` by the solution of A x = b. Needs a successful factorization. Does not allocate.
    pub fn solve(&mut self, b: &mut [T]) {
        self.solve_sides::<1>(b.as_chunks_mut().0);
    }

    /// Overwrites `b` by the solution of Aᵀ x = b. Needs a successful factorization. Does not allocate.
    pub fn solve_transposed(&mut self, b: &mut [T]) {
        let n = self.pattern.n();
        assert!(
            b.len() == n && self.factored,
            "solve needs factors and n numbers"
        );
        let x = &mut self.rhs[..n];
        for (x, &c) in x.iter_mut().zip(&self.col) {
            *x = b[c as usize];
        }
        let dot = |columns: &Columns<T>, x: &[T], k: usize| {
            columns.range(k).fold(T::ZERO, |sum, q| {
                sum + columns.val[q] * x[columns.idx[q] as usize]
            })
        };
        for block in self.block_start.windows(2) {
            let (first, end) = (block[0] as usize, block[1] as usize);
            for k in first..end {
                x[k] = (x[k] - dot(&self.f, x, k) - dot(&self.u, x, k)) * self.pivot_inv[k];
            }
            for k in (first..end).rev() {
                x[k] -= dot(&self.l, x, k);
            }
        }
        for (x, &r) in x.iter().zip(&self.row) {
            b[r as usize] = *x;
        }
    }
}

/// Orders the columns of one diagonal block; `place` is scratch of n times `NONE`.
fn order_block(pattern: &CscPattern, row_of: &[u32], cols: &mut [u32], place: &mut [u32]) {
    // Rows are identified with the columns they are matched to.
    for (k, &c) in cols.iter().enumerate() {
        place[row_of[c as usize] as usize] = k as u32;
    }
    let mut adjacency: Vec<Vec<u32>> = vec![Vec::new(); cols.len()];
    for (k, &c) in cols.iter().enumerate() {
        for &r in pattern.col(c as usize) {
            let i = place[r as usize];
            if i != NONE && i != k as u32 {
                adjacency[k].push(i);
                adjacency[i as usize].push(k as u32);
            }
        }
    }
    for list in &mut adjacency {
        list.sort_unstable();
        list.dedup();
    }
    for &c in cols.iter() {
        place[row_of[c as usize] as usize] = NONE;
    }
    let order = minimum_degree(adjacency);
    let old = cols.to_vec();
    for (c, &k) in cols.iter_mut().zip(&order) {
        *c = old[k as usize];
    }
}

/// State of a factorization with pivot search. Rows are original rows until `finish`.
struct PivotSearch<T> {
    /// Position of each row once it is a pivot.
    position: Vec<u32>,
    /// Position at which a row was expected by the analysis; above the current block it only selects F.
    expected: Vec<u32>,
    /// Row that the diagonal of each position prefers, kept up to date when pivots leave the diagonal.
    diagonal: Vec<u32>,
    row_scale: Vec<f64>,
    /// End of the part of each L column that a search must follow (symmetric pruning).
    pruned_end: Vec<u32>,
    x: Vec<T>,
    visited: Vec<u32>,
    stack: Vec<(u32, u32)>,
    /// Pivot positions of the reach, in reverse topological order.
    reach: Vec<u32>,
    /// Rows of the reach that are not pivots yet.
    open_rows: Vec<u32>,
}

impl<T: Scalar> PivotSearch<T> {
    fn new(lu: &mut SparseLu<T>, values: &[T]) -> PivotSearch<T> {
        let n = lu.pattern.n();
        assert_eq!(
            values.len(),
            lu.pattern.nnz(),
            "one value per entry of the pattern"
        );
        let mut row_scale = vec![0.0f64; n];
        for (v, &r) in values.iter().zip(lu.pattern.row_idx()) {
            let s = &mut row_scale[r as usize];
            *s = s.max(v.magnitude());
        }
        for s in &mut row_scale {
            *s = if *s > 0.0 && s.is_finite() {
                1.0 / *s
            } else {
                1.0
            };
        }
        let mut expected = vec![0; n];
        for (k, &r) in lu.preferred_row.iter().enumerate() {
            expected[r as usize] = k as u32;
        }
        lu.l.clear();
        lu.u.clear();
        lu.f.clear();
        lu.f_src.clear();
        PivotSearch {
            position: vec![NONE; n],
            expected,
            diagonal: lu.preferred_row.clone(),
            row_scale,
            pruned_end: vec![NONE; n],
            x: vec![T::ZERO; n],
            visited: vec![NONE; n],
            stack: Vec::new(),
            reach: Vec::new(),
            open_rows: Vec::new(),
        }
    }

    /// Factors the column at position `k` of the block that starts at `first`.
    fn column(
        &mut self,
        lu: &mut SparseLu<T>,
        values: &[T],
        k: usize,
        first: usize,
    ) -> Result<(), Singular> {
        let c = lu.col[k] as usize;
        self.reach.clear();
        self.open_rows.clear();
        for e in lu.pattern.col_range(c) {
            let r = lu.pattern.row_idx()[e] as usize;
            if (self.expected[r] as usize) < first {
                lu.f.idx.push(r as u32);
                lu.f.val.push(values[e]);
                lu.f_src.push(e as u32);
            } else {
                self.follow(lu, r, k as u32);
                self.x[r] = values[e];
            }
        }
        lu.f.close_column();
        for &j in self.reach.iter().rev() {
            let r = lu.row[j as usize];
            let u = std::mem::take(&mut self.x[r as usize]);
            lu.u.idx.push(j);
            lu.u.val.push(u);
            for q in lu.l.range(j as usize) {
                self.x[lu.l.idx[q] as usize] -= lu.l.val[q] * u;
            }
        }
        lu.u.close_column();

        let scaled = |r: u32, s: &Self| s.x[r as usize].magnitude() * s.row_scale[r as usize];
        let diagonal = self.diagonal[k];
        let (mut pivot_row, mut largest) = (NONE, 0.0f64);
        let mut finite = true;
        for &r in &self.open_rows {
            let size = scaled(r, self);
            finite &= size.is_finite();
            if size > largest {
                (pivot_row, largest) = (r, size);
            }
        }
        if pivot_row == NONE || !finite {
            return Err(Singular {
                row: diagonal as usize,
                col: c,
                structural: false,
            });
        }
        // The diagonal is in reach only if it was visited now; otherwise its x is zero.
        if scaled(diagonal, self) >= DIAGONAL_PREFERENCE * largest {
            pivot_row = diagonal;
        }
        if pivot_row != diagonal {
            // The position that wanted this row gets the row that is left over here. Rows of one
            // block only ever swap among positions of that block.
            let other = self.expected[pivot_row as usize] as usize;
            self.diagonal[other] = diagonal;
            self.expected[diagonal as usize] = other as u32;
        }
        self.position[pivot_row as usize] = k as u32;
        lu.row[k] = pivot_row;
        let pivot = std::mem::take(&mut self.x[pivot_row as usize]);
        let inv = T::ONE / pivot;
        lu.pivot_inv[k] = inv;
        for &r in &self.open_rows {
            if r != pivot_row {
                let v = std::mem::take(&mut self.x[r as usize]);
                lu.l.idx.push(r);
                lu.l.val.push(v * inv);
            }
        }
        lu.l.close_column();
        self.prune(lu, k, pivot_row);
        Ok(())
    }

    /// Depth-first search from row `r` through the columns of L; extends `reach` and `open_rows`.
    fn follow(&mut self, lu: &SparseLu<T>, r: usize, mark: u32) {
        if self.visited[r] == mark {
            return;
        }
        self.visited[r] = mark;
        if self.position[r] == NONE {
            self.open_rows.push(r as u32);
            return;
        }
        let start = self.position[r];
        self.stack.push((start, lu.l.ptr[start as usize]));
        while let Some(top) = self.stack.last_mut() {
            let j = top.0 as usize;
            let end = self.pruned_end[j].min(lu.l.ptr[j + 1]);
            let mut descend = None;
            while top.1 < end {
                let row = lu.l.idx[top.1 as usize] as usize;
                top.1 += 1;
                if self.visited[row] == mark {
                    continue;
                }
                self.visited[row] = mark;
                if self.position[row] == NONE {
                    self.open_rows.push(row as u32);
                } else {
                    descend = Some(self.position[row]);
                    break;
                }
            }
            match descend {
                Some(p) => self.stack.push((p, lu.l.ptr[p as usize])),
                None => {
                    self.reach.push(j as u32);
                    self.stack.pop();
                }
            }
        }
    }

    /// Eisenstat and Liu: once L has an entry in the pivot row of a column that U couples to, later searches need only
    /// the rows of that column that are already pivots.
    fn prune(&mut self, lu: &mut SparseLu<T>, k: usize, pivot_row: u32) {
        for e in lu.u.range(k) {
            let j = lu.u.idx[e] as usize;
            if self.pruned_end[j] != NONE {
                continue;
            }
            let range = lu.l.range(j);
            if !lu.l.idx[range.clone()].contains(&pivot_row) {
                continue;
            }
            let (mut head, mut tail) = (range.start, range.end);
            while head < tail {
                if self.position[lu.l.idx[head] as usize] != NONE {
                    head += 1;
                } else {
                    tail -= 1;
                    lu.l.idx.swap(head, tail);
                    lu.l.val.swap(head, tail);
                }
            }
            self.pruned_end[j] = tail as u32;
        }
    }

    /// Renames rows to positions, sorts the columns and lists where each value of A goes.
    fn finish(self, lu: &mut SparseLu<T>) {
        let n = lu.pattern.n();
        for i in lu.l.idx.iter_mut().chain(lu.f.idx.iter_mut()) {
            *i = self.position[*i as usize];
        }
        let mut scratch: Vec<(u32, T)> = Vec::new();
        for part in [&mut lu.l, &mut lu.u] {
            for k in 0..n {
                let range = part.range(k);
                scratch.clear();
                scratch.extend(range.clone().map(|q| (part.idx[q], part.val[q])));
                scratch.sort_unstable_by_key(|&(i, _)| i);
                for (q, &(i, v)) in range.zip(&scratch) {
                    part.idx[q] = i;
                    part.val[q] = v;
                }
            }
        }
        for (k, &r) in lu.row.iter().enumerate() {
            lu.scale[k] = self.row_scale[r as usize];
        }
        lu.a_ptr.clear();
        lu.a_src.clear();
        lu.a_dst.clear();
        lu.a_ptr.push(0);
        for block in lu.block_start.windows(2) {
            for k in block[0]..block[1] {
                for e in lu.pattern.col_range(lu.col[k as usize] as usize) {
                    let p = self.position[lu.pattern.row_idx()[e] as usize];
                    if p >= block[0] {
                        lu.a_src.push(e as u32);
                        lu.a_dst.push(p);
                    }
                }
                lu.a_ptr.push(lu.a_src.len() as u32);
            }
        }
    }
}
