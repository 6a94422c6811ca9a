//! Column coloring: columns without a common row can be differentiated in one sweep.
//!
//! In: a pattern. Out: groups of columns (Curtis, Powell and Reid, greedy in natural order).

use ferrica_solvers::sparse::CscPattern;

pub fn color_columns(pattern: &CscPattern) -> Vec<Vec<u32>> {
    let n = pattern.n();
    let by_row = pattern.transposed();
    let mut color = vec![u32::MAX; n];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut used: Vec<u32> = Vec::new();
    for c in 0..n {
        for &r in pattern.col(c) {
            for &other in by_row.col(r as usize) {
                let k = color[other as usize];
                if k != u32::MAX {
                    used[k as usize] = c as u32;
                }
            }
        }
        let k = used
            .iter()
            .position(|&u| u != c as u32)
            .unwrap_or(groups.len());
        if k == groups.len() {
            groups.push(Vec::new());
            used.push(u32::MAX);
        }
        color[c] = k as u32;
        groups[k].push(c as u32);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tridiagonal matrix needs three groups whatever its size.
    #[test]
    fn tridiagonal_needs_three_colors() {
        let n = 50usize;
        let entries = (0..n).flat_map(|i| {
            [(i, i), (i, (i + 1) % n), (i, i.saturating_sub(1))]
                .into_iter()
                .filter(move |e| e.1.abs_diff(i) <= 1)
        });
        let groups = color_columns(&CscPattern::from_entries(n, entries));
        assert_eq!(groups.len(), 3);
        assert_eq!(groups.iter().map(Vec::len).sum::<usize>(), n);
    }
}
