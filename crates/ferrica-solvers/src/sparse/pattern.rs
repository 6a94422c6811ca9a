//! Sparsity pattern of a square matrix in compressed sparse column form.
//!
//! Invariant: in every column the row indices are strictly ascending and below `n`; values that go
//! with a pattern are stored in the order of `row_idx`.

/// Where a square sparse matrix has entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CscPattern {
    n: usize,
    col_ptr: Vec<u32>,
    row_idx: Vec<u32>,
}

/// Why raw arrays are not a valid pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// `col_ptr` must have `n + 1` ascending values from 0 to `row_idx.len()`.
    ColumnPointers,
    /// Rows of this column are out of range or not strictly ascending.
    Rows { col: usize },
}

impl CscPattern {
    /// Checks and takes the arrays of a pattern.
    pub fn new(n: usize, col_ptr: Vec<u32>, row_idx: Vec<u32>) -> Result<CscPattern, PatternError> {
        let ascending = col_ptr.windows(2).all(|w| w[0] <= w[1]);
        let ends = col_ptr.first() == Some(&0)
            && col_ptr.last().is_some_and(|&e| e as usize == row_idx.len());
        if col_ptr.len() != n + 1 || !ascending || !ends {
            return Err(PatternError::ColumnPointers);
        }
        let pattern = CscPattern {
            n,
            col_ptr,
            row_idx,
        };
        for col in 0..n {
            let rows = pattern.col(col);
            let sorted = rows.windows(2).all(|w| w[0] < w[1]);
            if !sorted || rows.last().is_some_and(|&r| r as usize >= n) {
                return Err(PatternError::Rows { col });
            }
        }
        Ok(pattern)
    }

    /// The pattern of the given `(row, column)` positions; repeated ones count once. Positions
    /// outside of the matrix are left out.
    pub fn from_entries(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> CscPattern {
        let mut list: Vec<(u32, u32)> = entries
            .into_iter()
            .filter(|&(r, c)| r < n && c < n)
            .map(|(r, c)| (c as u32, r as u32))
            .collect();
        if list.is_sorted_by_key(|e| e.0) {
            // Column by column: each is short.
            for column in list.chunk_by_mut(|a, b| a.0 == b.0) {
                column.sort_unstable();
            }
        } else {
            list.sort_unstable();
        }
        list.dedup();
        let mut col_ptr = vec![0u32; n + 1];
        for &(c, _) in &list {
            col_ptr[c as usize + 1] += 1;
        }
        for c in 0..n {
            col_ptr[c + 1] += col_ptr[c];
        }
        CscPattern {
            n,
            col_ptr,
            row_idx: list.into_iter().map(|(_, r)| r).collect(),
        }
    }

    /// All n² positions.
    pub fn dense(n: usize) -> CscPattern {
        CscPattern {
            n,
            col_ptr: (0..=n).map(|c| (c * n) as u32).collect(),
            row_idx: (0..n).flat_map(|_| 0..n as u32).collect(),
        }
    }

    pub fn n(&self) -> usize {
        self.n
    }

    pub fn nnz(&self) -> usize {
        self.row_idx.len()
    }

    pub fn col_ptr(&self) -> &[u32] {
        &self.col_ptr
    }

    pub fn row_idx(&self) -> &[u32] {
        &self.row_idx
    }

    /// Positions in the value array of column `c`.
    pub fn col_range(&self, c: usize) -> std::ops::Range<usize> {
        self.col_ptr[c] as usize..self.col_ptr[c + 1] as usize
    }

    /// Rows of column `c`.
    pub fn col(&self, c: usize) -> &[u32] {
        &self.row_idx[self.col_range(c)]
    }

    /// Position in the value array of entry `(r, c)`.
    pub fn find(&self, r: usize, c: usize) -> Option<usize> {
        let range = self.col_range(c);
        self.row_idx[range.clone()]
            .binary_search(&(r as u32))
            .ok()
            .map(|k| range.start + k)
    }

    /// All entries as `(row, column)`, column by column.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(move |c| self.col(c).iter().map(move |&r| (r as usize, c)))
    }

    /// The pattern with every diagonal position added.
    pub fn with_diagonal(&self) -> CscPattern {
        CscPattern::from_entries(self.n, self.entries().chain((0..self.n).map(|i| (i, i))))
    }

    /// Pattern of the transposed matrix.
    pub fn transposed(&self) -> CscPattern {
        let mut col_ptr = vec![0u32; self.n + 1];
        for &r in &self.row_idx {
            col_ptr[r as usize + 1] += 1;
        }
        for r in 0..self.n {
            col_ptr[r + 1] += col_ptr[r];
        }
        let mut next: Vec<u32> = col_ptr[..self.n].to_vec();
        let mut row_idx = vec![0u32; self.nnz()];
        for (r, c) in self.entries() {
            row_idx[next[r] as usize] = c as u32;
            next[r] += 1;
        }
        CscPattern {
            n: self.n,
            col_ptr,
            row_idx,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_unique() {
        let p = CscPattern::from_entries(3, [(2, 0), (0, 0), (2, 0), (1, 2), (7, 7)]);
        assert_eq!(p.col_ptr(), &[0, 2, 2, 3]);
        assert_eq!(p.row_idx(), &[0, 2, 1]);
        assert_eq!(p.find(2, 0), Some(1));
        assert_eq!(p.find(1, 0), None);
        assert_eq!(p.transposed().transposed(), p);
    }

    #[test]
    fn bad_arrays_are_refused() {
        assert_eq!(
            CscPattern::new(2, vec![0, 1], vec![0]),
            Err(PatternError::ColumnPointers)
        );
        assert_eq!(
            CscPattern::new(2, vec![0, 2, 2], vec![1, 0]),
            Err(PatternError::Rows { col: 0 })
        );
        assert_eq!(
            CscPattern::new(2, vec![0, 0, 1], vec![2]),
            Err(PatternError::Rows { col: 1 })
        );
    }
}
