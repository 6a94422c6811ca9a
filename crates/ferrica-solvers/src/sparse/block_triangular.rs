//! Block triangular form: row and column permutations that make a matrix block upper triangular.
//!
//! In: a pattern and a maximum transversal. Out: an order of the columns, with the matched rows on the diagonal, cut
//! into irreducible diagonal blocks. Entries outside of the blocks are above them.
//!
//! Strong components of the graph with an edge from column c to the column that owns row r, for each entry (r, c);
//! Tarjan's algorithm with an explicit stack emits them in the wanted order. Linear time.

use super::CscPattern;

/// Columns in block order; block `b` is `order[starts[b]..starts[b + 1]]`.
pub struct BlockOrder {
    pub order: Vec<u32>,
    pub starts: Vec<u32>,
}

/// `row_of` must be a perfect matching.
pub fn block_triangular(pattern: &CscPattern, row_of: &[u32]) -> BlockOrder {
    const UNSEEN: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let n = pattern.n();
    let mut col_of = vec![0u32; n];
    for (c, &r) in row_of.iter().enumerate() {
        col_of[r as usize] = c as u32;
    }
    // `low[c]` is the discovery number while `c` is on the component stack.
    let mut low = vec![UNSEEN; n];
    let mut number = vec![0u32; n];
    let mut cursor = vec![0u32; n];
    let mut path: Vec<u32> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut order = Vec::with_capacity(n);
    let mut starts = vec![0u32];
    let mut count = 0u32;
    for root in 0..n {
        if low[root] != UNSEEN {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(c) = enter.take() {
                low[c] = count;
                number[c] = count;
                count += 1;
                cursor[c] = pattern.col_ptr()[c];
                path.push(c as u32);
                open.push(c as u32);
            }
            let Some(&c) = path.last() else { break };
            let c = c as usize;
            while cursor[c] < pattern.col_ptr()[c + 1] {
                let r = pattern.row_idx()[cursor[c] as usize];
                cursor[c] += 1;
                let next = col_of[r as usize] as usize;
                if low[next] == UNSEEN {
                    enter = Some(next);
                    break;
                }
                if low[next] != DONE {
                    low[c] = low[c].min(low[next]);
                }
            }
            if enter.is_some() {
                continue;
            }
            path.pop();
            if low[c] == number[c] {
                while let Some(member) = open.pop() {
                    low[member as usize] = DONE;
                    order.push(member);
                    if member as usize == c {
                        break;
                    }
                }
                starts.push(order.len() as u32);
            } else if let Some(&parent) = path.last() {
                let parent = parent as usize;
                low[parent] = low[parent].min(low[c]);
            }
        }
    }
    BlockOrder { order, starts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::transversal::maximum_transversal;

    #[test]
    fn entries_lie_in_or_above_blocks() {
        // Two 2-cycles coupled one way, and a chain of singletons.
        let entries = [
            (0, 0),
            (1, 1),
            (2, 2),
            (3, 3),
            (4, 4),
            (5, 5),
            (0, 1),
            (1, 0),
            (2, 3),
            (3, 2),
            (2, 0),
            (4, 2),
            (5, 4),
        ];
        let p = CscPattern::from_entries(6, entries);
        let b = block_triangular(&p, &maximum_transversal(&p));
        assert_eq!(b.starts.len(), 5);
        let mut block_of = [0; 6];
        for k in 0..b.starts.len() - 1 {
            for &c in &b.order[b.starts[k] as usize..b.starts[k + 1] as usize] {
                block_of[c as usize] = k;
            }
        }
        for (r, c) in p.entries() {
            assert!(block_of[r] <= block_of[c]);
        }
        assert_eq!(block_of[0], block_of[1]);
        assert_eq!(block_of[2], block_of[3]);
    }
}
