//! Strong components of the causalized system.
//!
//! In: a perfect matching of equations to unknowns. Out: components in an order in which each one
//! only needs unknowns of earlier ones (block lower triangular form).
//!
//! Tarjan's algorithm with an explicit stack: a chain of 10^6 equations is a legal model. Time and
//! memory are linear in equations plus incidences.

use crate::incidence::{Incidence, NONE};
use crate::matching::Matching;

/// Equations of all components one after another, and where each component ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Components {
    rows: Vec<u32>,
    end: Vec<u32>,
}

impl Components {
    pub fn len(&self) -> usize {
        self.end.len()
    }

    pub fn is_empty(&self) -> bool {
        self.end.is_empty()
    }

    pub fn get(&self, i: usize) -> &[u32] {
        let start = if i == 0 { 0 } else { self.end[i - 1] as usize };
        &self.rows[start..self.end[i] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|i| self.get(i))
    }
}

/// See the module comment. Rows without a match are left out.
pub fn strong_components(incidence: &Incidence, matching: &Matching) -> Components {
    let n = incidence.n_rows();
    let mut index = vec![0u32; n];
    let mut low = vec![0u32; n];
    let mut on_stack = vec![false; n];
    let mut open: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let mut counter = 0u32;
    let mut result = Components::default();
    for root in 0..n as u32 {
        if index[root as usize] != 0 || matching.column[root as usize] == NONE {
            continue;
        }
        calls.push((root, 0));
        while let Some(&mut (i, ref mut edge)) = calls.last_mut() {
            let u = i as usize;
            if *edge == 0 && index[u] == 0 {
                counter += 1;
                index[u] = counter;
                low[u] = counter;
                open.push(i);
                on_stack[u] = true;
            }
            let row = incidence.row(u);
            if (*edge as usize) < row.len() {
                let j = matching.row[row[*edge as usize] as usize];
                *edge += 1;
                if j == NONE || j == i {
                    continue;
                }
                let w = j as usize;
                if index[w] == 0 {
                    calls.push((j, 0));
                } else if on_stack[w] {
                    low[u] = low[u].min(index[w]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[u]);
            }
            if low[u] == index[u] {
                while let Some(w) = open.pop() {
                    on_stack[w as usize] = false;
                    result.rows.push(w);
                    if w == i {
                        break;
                    }
                }
                result.end.push(result.rows.len() as u32);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::maximum_matching;

    #[test]
    fn components_come_after_what_they_need() {
        // x0 = x1 + x2; x1 = x2 + x3; x2 = x1; x3 = 1
        let mut inc = Incidence::new(4);
        inc.push_row(&[0, 1, 2], &[]);
        inc.push_row(&[1, 2, 3], &[]);
        inc.push_row(&[2, 1], &[]);
        inc.push_row(&[3], &[]);
        let m = maximum_matching(&inc);
        let sizes: Vec<usize> = strong_components(&inc, &m)
            .iter()
            .map(|c| c.len())
            .collect();
        assert_eq!(sizes, [1, 2, 1]);
    }

    #[test]
    fn a_ring_of_200000_equations_is_one_component() {
        let n = 200_000u32;
        let mut inc = Incidence::new(n as usize);
        for i in 0..n {
            inc.push_row(&[i], &[(i + 1) % n]);
        }
        let m = maximum_matching(&inc);
        assert_eq!(strong_components(&inc, &m).len(), 1);
    }
}
