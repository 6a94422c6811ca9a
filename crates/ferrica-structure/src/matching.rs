//! Maximum matching of equations to unknowns.
//!
//! In: incidence rows. Out: for each equation the unknown it determines. Karp–Sipser first (an
//! unknown in one equation only, an equation with one unknown only: these choices are forced), then
//! a greedy pass, then Hopcroft–Karp phases for what is left. Iterative; in practice linear.

use crate::incidence::{Incidence, NONE};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matching {
    /// Equation to unknown.
    pub column: Vec<u32>,
    /// Unknown to equation.
    pub row: Vec<u32>,
}

impl Matching {
    pub fn size(&self) -> usize {
        self.column.iter().filter(|&&c| c != NONE).count()
    }

    pub fn set(&mut self, row: u32, column: u32) {
        self.column[row as usize] = column;
        self.row[column as usize] = row;
    }
}

/// A matching of maximum size.
pub fn maximum_matching(incidence: &Incidence) -> Matching {
    let mut matching = Matching {
        column: vec![NONE; incidence.n_rows()],
        row: vec![NONE; incidence.n_columns],
    };
    karp_sipser(incidence, &mut matching);
    augment_all(incidence, &mut matching);
    matching
}

/// Makes a given matching maximum.
pub fn augment_all(incidence: &Incidence, matching: &mut Matching) {
    let mut search = HopcroftKarp::new(incidence);
    while search.phase(incidence, matching) {}
}

fn karp_sipser(incidence: &Incidence, matching: &mut Matching) {
    let (n_rows, n_cols) = (incidence.n_rows(), incidence.n_columns);
    // Transposed rows.
    let mut start = vec![0u32; n_cols + 1];
    for i in 0..n_rows {
        for &c in incidence.solvable(i) {
            start[c as usize + 1] += 1;
        }
    }
    for c in 0..n_cols {
        start[c + 1] += start[c];
    }
    let mut fill = start.clone();
    let mut rows = vec![0u32; start[n_cols] as usize];
    for i in 0..n_rows {
        for &c in incidence.solvable(i) {
            rows[fill[c as usize] as usize] = i as u32;
            fill[c as usize] += 1;
        }
    }
    let mut row_degree: Vec<u32> = (0..n_rows)
        .map(|i| incidence.solvable(i).len() as u32)
        .collect();
    let mut column_degree: Vec<u32> = (0..n_cols).map(|c| start[c + 1] - start[c]).collect();
    // Rows as i, columns as n_rows + c.
    let mut forced: Vec<u32> = Vec::new();
    forced.extend((0..n_rows as u32).filter(|&i| row_degree[i as usize] == 1));
    forced.extend(
        (0..n_cols as u32)
            .filter(|&c| column_degree[c as usize] == 1)
            .map(|c| c + n_rows as u32),
    );
    let mut next_free = 0;
    loop {
        let (row, column) = if let Some(x) = forced.pop() {
            if (x as usize) < n_rows {
                if matching.column[x as usize] != NONE {
                    continue;
                }
                let free = incidence
                    .solvable(x as usize)
                    .iter()
                    .find(|&&c| matching.row[c as usize] == NONE);
                match free {
                    Some(&c) => (x, c),
                    None => continue,
                }
            } else {
                let c = x - n_rows as u32;
                if matching.row[c as usize] != NONE {
                    continue;
                }
                let range = start[c as usize] as usize..start[c as usize + 1] as usize;
                let free = rows[range]
                    .iter()
                    .find(|&&r| matching.column[r as usize] == NONE);
                match free {
                    Some(&r) => (r, c),
                    None => continue,
                }
            }
        } else {
            // Nothing is forced: the next free row takes its rarest free unknown.
            while next_free < n_rows && matching.column[next_free] != NONE {
                next_free += 1;
            }
            if next_free == n_rows {
                break;
            }
            let best = incidence
                .solvable(next_free)
                .iter()
                .filter(|&&c| matching.row[c as usize] == NONE)
                .min_by_key(|&&c| column_degree[c as usize]);
            match best {
                Some(&c) => (next_free as u32, c),
                None => {
                    next_free += 1;
                    continue;
                }
            }
        };
        matching.set(row, column);
        for &c in incidence.solvable(row as usize) {
            let d = &mut column_degree[c as usize];
            *d = d.saturating_sub(1);
            if *d == 1 && matching.row[c as usize] == NONE {
                forced.push(c + n_rows as u32);
            }
        }
        let range = start[column as usize] as usize..start[column as usize + 1] as usize;
        for &r in &rows[range] {
            let d = &mut row_degree[r as usize];
            *d = d.saturating_sub(1);
            if *d == 1 && matching.column[r as usize] == NONE {
                forced.push(r);
            }
        }
    }
}

/// Memory of the phases.
struct HopcroftKarp {
    level: Vec<u32>,
    next: Vec<u32>,
    queue: Vec<u32>,
}

impl HopcroftKarp {
    fn new(incidence: &Incidence) -> HopcroftKarp {
        HopcroftKarp {
            level: vec![NONE; incidence.n_rows()],
            next: vec![0; incidence.n_rows()],
            queue: Vec::new(),
        }
    }

    /// One phase: a maximal set of shortest augmenting paths. False when there is none.
    fn phase(&mut self, incidence: &Incidence, matching: &mut Matching) -> bool {
        self.level.fill(NONE);
        self.queue.clear();
        for (i, &c) in matching.column.iter().enumerate() {
            if c == NONE && !incidence.solvable(i).is_empty() {
                self.level[i] = 0;
                self.queue.push(i as u32);
            }
        }
        let mut head = 0;
        let mut last = NONE;
        while head < self.queue.len() {
            let i = self.queue[head] as usize;
            head += 1;
            if self.level[i] >= last {
                break;
            }
            for &c in incidence.solvable(i) {
                let r = matching.row[c as usize];
                if r == NONE {
                    last = self.level[i] + 1;
                } else if self.level[r as usize] == NONE {
                    self.level[r as usize] = self.level[i] + 1;
                    self.queue.push(r);
                }
            }
        }
        if last == NONE {
            return false;
        }
        self.next.fill(0);
        let free: Vec<u32> = self
            .queue
            .iter()
            .copied()
            .filter(|&i| self.level[i as usize] == 0)
            .collect();
        let mut found = false;
        for i in free {
            found |= self.path(incidence, matching, i, last);
        }
        found
    }

    /// Depth-first along the levels with an explicit stack.
    fn path(
        &mut self,
        incidence: &Incidence,
        matching: &mut Matching,
        root: u32,
        last: u32,
    ) -> bool {
        let mut stack = vec![root];
        while let Some(&i) = stack.last() {
            let cols = incidence.solvable(i as usize);
            let at = self.next[i as usize] as usize;
            if at == cols.len() {
                self.level[i as usize] = NONE;
                stack.pop();
                continue;
            }
            self.next[i as usize] += 1;
            let r = matching.row[cols[at] as usize];
            if r == NONE {
                if self.level[i as usize] + 1 == last {
                    // Each row on the stack takes the column it went through.
                    for &row in &stack {
                        let c =
                            incidence.solvable(row as usize)[self.next[row as usize] as usize - 1];
                        matching.set(row, c);
                        self.level[row as usize] = NONE;
                    }
                    return true;
                }
            } else if self.level[r as usize] != NONE
                && self.level[r as usize] == self.level[i as usize] + 1
            {
                stack.push(r);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, list: &[&[u32]]) -> Incidence {
        let mut inc = Incidence::new(n);
        for r in list {
            inc.push_row(r, &[]);
        }
        inc
    }

    #[test]
    fn a_perfect_matching_is_found_where_greedy_choices_block_each_other() {
        let inc = rows(4, &[&[0, 1], &[0, 2], &[1, 2, 3], &[0, 3]]);
        let m = maximum_matching(&inc);
        assert_eq!(m.size(), 4);
        for (i, &c) in m.column.iter().enumerate() {
            assert!(inc.solvable(i).contains(&c));
            assert_eq!(m.row[c as usize], i as u32);
        }
    }

    #[test]
    fn the_deficiency_of_a_singular_system_is_exact() {
        // Rows 0, 1, 2 share two unknowns.
        let inc = rows(4, &[&[0, 1], &[0, 1], &[0, 1], &[2, 3]]);
        assert_eq!(maximum_matching(&inc).size(), 3);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        // Augmenting the last row shifts every other row: x_i in rows i and i+1.
        let n = 200_000u32;
        let mut inc = Incidence::new(n as usize);
        for i in 0..n {
            if i + 1 < n {
                inc.push_row(&[i, i + 1], &[]);
            } else {
                inc.push_row(&[0, i], &[]);
            }
        }
        let mut m = Matching {
            column: (0..n)
                .map(|i| if i + 1 < n { i + 1 } else { NONE })
                .collect(),
            row: (0..n).map(|c| if c == 0 { NONE } else { c - 1 }).collect(),
        };
        augment_all(&inc, &mut m);
        assert_eq!(m.size(), n as usize);
    }
}
