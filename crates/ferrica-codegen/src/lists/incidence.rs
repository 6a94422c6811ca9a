//! Lists of numbers, and which of them hold a number.

use super::prefetch;

/// Lists of numbers, one list a row, in one array.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Incidence {
    pub fn new<L: AsRef<[u32]>>(rows: impl IntoIterator<Item = L>) -> Incidence {
        let mut incidence = Incidence {
            start: vec![0],
            items: Vec::new(),
        };
        for row in rows {
            incidence.items.extend_from_slice(row.as_ref());
            incidence.start.push(incidence.items.len() as u32);
        }
        incidence
    }

    pub fn rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Number of entries in all rows.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.items[self.range(row)]
    }

    /// Positions of a row's entries in the array of all entries.
    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    #[inline]
    pub fn item(&self, at: usize) -> usize {
        self.items[at] as usize
    }

    /// Asks the memory for an entry ahead of its use.
    #[inline]
    pub fn prefetch(&self, at: usize) {
        if let Some(item) = self.items.get(at) {
            prefetch(item);
        }
    }

    /// Row c of the result lists the rows that hold c, ascending.
    pub fn transposed(&self, columns: usize) -> Incidence {
        let mut start = vec![0u32; columns + 1];
        for &c in &self.items {
            start[c as usize + 1] += 1;
        }
        for c in 0..columns {
            start[c + 1] += start[c];
        }
        let mut fill = start.clone();
        let mut items = vec![0; self.items.len()];
        for row in 0..self.rows() {
            for &c in self.row(row) {
                items[fill[c as usize] as usize] = row as u32;
                fill[c as usize] += 1;
            }
        }
        Incidence { start, items }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposition_twice_is_the_same() {
        let rows: [&[u32]; 4] = [&[0, 2], &[], &[1, 2, 3], &[0]];
        let a = Incidence::new(rows);
        let t = a.transposed(4);
        assert_eq!(t.row(0), [0, 3]);
        assert_eq!(t.row(2), [0, 2]);
        let back = t.transposed(4);
        for (k, row) in rows.iter().enumerate() {
            assert_eq!(back.row(k), *row);
        }
    }
}
