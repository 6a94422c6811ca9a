//! Maximum transversal: a matching of rows to columns on the entries of a pattern.
//!
//! In: a pattern. Out: for each column its row, or `NONE`. The matching has maximum size, so a
//! column without a row proves that the matrix is structurally singular.
//!
//! Diagonal entries first, then any free row ("cheap assignment"), then augmenting paths by depth-first
//! search with look-ahead (Duff, MC21). Explicit stack; O(n·nnz) at worst, near linear in practice.

use super::CscPattern;

pub(crate) const NONE: u32 = u32::MAX;

/// `row_of[c]` is the row matched to column `c`.
pub fn maximum_transversal(pattern: &CscPattern) -> Vec<u32> {
    let n = pattern.n();
    let mut row_of = vec![NONE; n];
    let mut col_of = vec![NONE; n];
    for c in 0..n {
        if pattern.find(c, c).is_some() {
            row_of[c] = c as u32;
            col_of[c] = c as u32;
        }
    }
    // Look-ahead pointers only move forward: a row once matched stays matched.
    let mut ahead: Vec<u32> = pattern.col_ptr()[..n].to_vec();
    let mut cursor = vec![0u32; n];
    let mut visited = vec![NONE; n];
    let mut stack: Vec<u32> = Vec::new();
    for root in 0..n {
        if row_of[root] != NONE {
            continue;
        }
        stack.clear();
        stack.push(root as u32);
        visited[root] = root as u32;
        cursor[root] = pattern.col_ptr()[root];
        'search: while let Some(&c) = stack.last() {
            let c = c as usize;
            let end = pattern.col_ptr()[c + 1];
            while ahead[c] < end {
                let r = pattern.row_idx()[ahead[c] as usize];
                ahead[c] += 1;
                if col_of[r as usize] == NONE {
                    augment(&stack, r, &mut row_of, &mut col_of);
                    break 'search;
                }
            }
            let mut child = NONE;
            while cursor[c] < end {
                let r = pattern.row_idx()[cursor[c] as usize] as usize;
                cursor[c] += 1;
                let owner = col_of[r];
                if owner != NONE && visited[owner as usize] != root as u32 {
                    child = owner;
                    break;
                }
            }
            if child == NONE {
                stack.pop();
            } else {
                visited[child as usize] = root as u32;
                cursor[child as usize] = pattern.col_ptr()[child as usize];
                stack.push(child);
            }
        }
    }
    row_of
}

/// Flips the alternating path whose columns are on the stack and that ends in the free row.
fn augment(stack: &[u32], free_row: u32, row_of: &mut [u32], col_of: &mut [u32]) {
    let mut r = free_row;
    for &c in stack.iter().rev() {
        let previous = row_of[c as usize];
        row_of[c as usize] = r;
        col_of[r as usize] = c;
        r = previous;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_matching(p: &CscPattern, row_of: &[u32]) -> usize {
        let mut seen = vec![false; p.n()];
        let mut size = 0;
        for (c, &r) in row_of.iter().enumerate() {
            if r != NONE {
                assert!(p.find(r as usize, c).is_some());
                assert!(!std::mem::replace(&mut seen[r as usize], true));
                size += 1;
            }
        }
        size
    }

    #[test]
    fn long_alternating_path() {
        // Column c has rows c-1 and c for c > 0; column 0 has row n-1 only: no diagonal at 0, so the
        // greedy choice of the diagonal must be undone along the whole chain.
        let n = 2000;
        let entries = (1..n)
            .flat_map(|c| [(c - 1, c), (c, c)])
            .chain([(n - 1, 0)]);
        let p = CscPattern::from_entries(n, entries);
        assert_eq!(is_matching(&p, &maximum_transversal(&p)), n);
    }

    #[test]
    fn deficiency_is_found() {
        let p = CscPattern::from_entries(3, [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]);
        assert_eq!(is_matching(&p, &maximum_transversal(&p)), 2);
    }
}
