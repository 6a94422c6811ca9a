//! Tearing of an algebraic loop.
//!
//! In: the equations of a loop, the unknowns of each, and for which of them it can safely be solved
//! explicitly. Out: iteration variables and residual equations, and the other equations in an order
//! in which each is solved for one unknown once the iteration variables are known.
//!
//! Cellier's heuristic: while an equation has one unknown left and can be solved for it, solve it;
//! else tear the unknown that occurs in most of the remaining equations (where an equation would
//! then become solvable, if there is one).
//!
//! A long chain of assignments is a recurrence: what it begins with may come out at its end as many times larger or smaller as numbers
//! can tell. So a chain can be given a greatest depth, at which another unknown is torn.

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Torn {
    /// Local numbers of the iteration variables.
    pub iteration: Vec<u32>,
    /// Local numbers of the residual equations.
    pub residuals: Vec<u32>,
    /// (equation, unknown) in order.
    pub inner: Vec<(u32, u32)>,
    /// Assignments in the longest chain of those that read each other.
    pub depth: usize,
}

/// `rows[i]`: unknowns of equation i with "can be solved for it". `guessed[c]`: unknown c has a good value to begin with and
/// is an iteration variable before those that have none. No chain of assignments is longer than `deepest`.
pub fn tear(rows: &[Vec<(u32, bool)>], guessed: &[bool], deepest: usize) -> Torn {
    let n = guessed.len();
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (i, row) in rows.iter().enumerate() {
        for &(c, _) in row {
            columns[c as usize].push(i as u32);
        }
    }
    let mut left: Vec<u32> = rows.iter().map(|r| r.len() as u32).collect();
    let mut known = vec![false; n];
    let mut used = vec![false; rows.len()];
    let mut depths = vec![0; n];
    let mut torn = Torn::default();
    let mut ready: Vec<u32> = (0..rows.len() as u32)
        .filter(|&i| left[i as usize] == 1)
        .collect();
    let mut unknown_left = n;
    while unknown_left > 0 {
        if let Some(i) = ready.pop() {
            let row = &rows[i as usize];
            if used[i as usize] || left[i as usize] != 1 {
                continue;
            }
            let Some(&(c, solvable)) = row.iter().find(|(c, _)| !known[*c as usize]) else {
                continue;
            };
            if !solvable {
                continue;
            }
            let depth = 1 + row
                .iter()
                .map(|&(d, _)| depths[d as usize])
                .max()
                .unwrap_or(0);
            if depth > deepest {
                torn.iteration.push(c);
            } else {
                used[i as usize] = true;
                torn.inner.push((i, c));
                depths[c as usize] = depth;
                torn.depth = torn.depth.max(depth);
            }
            settle(c, &columns, &mut known, &mut left, &used, &mut ready);
        } else {
            let Some(c) = choose(rows, &columns, guessed, &known, &left, &used) else {
                break;
            };
            torn.iteration.push(c);
            settle(c, &columns, &mut known, &mut left, &used, &mut ready);
        }
        unknown_left -= 1;
    }
    torn.residuals = (0..rows.len() as u32)
        .filter(|&i| !used[i as usize])
        .collect();
    torn
}

fn settle(
    c: u32,
    columns: &[Vec<u32>],
    known: &mut [bool],
    left: &mut [u32],
    used: &[bool],
    ready: &mut Vec<u32>,
) {
    known[c as usize] = true;
    for &r in &columns[c as usize] {
        left[r as usize] -= 1;
        if left[r as usize] == 1 && !used[r as usize] {
            ready.push(r);
        }
    }
}

/// The unknown to tear: a guessed one if there is any; of those first by how many equations become solvable at once, then by
/// degree.
fn choose(
    rows: &[Vec<(u32, bool)>],
    columns: &[Vec<u32>],
    guessed: &[bool],
    known: &[bool],
    left: &[u32],
    used: &[bool],
) -> Option<u32> {
    let mut best: Option<((bool, usize, usize, usize), u32)> = None;
    for c in 0..columns.len() as u32 {
        if known[c as usize] {
            continue;
        }
        let (mut gain, mut degree, mut unsolvable) = (0, 0, 0);
        for &r in &columns[c as usize] {
            let r = r as usize;
            if used[r] {
                continue;
            }
            degree += 1;
            let mut own_solvable = false;
            let mut other_solvable = false;
            if left[r] <= 2 {
                for &(d, s) in &rows[r] {
                    if d == c {
                        own_solvable = s;
                    } else if !known[d as usize] {
                        other_solvable = s;
                    }
                }
                gain += usize::from(left[r] == 2 && other_solvable);
            } else {
                own_solvable = rows[r].iter().any(|&(d, s)| d == c && s);
            }
            unsolvable += usize::from(!own_solvable);
        }
        // An unknown that no equation gives explicitly has to be torn anyway.
        let score = (guessed[c as usize], gain, unsolvable, degree);
        if best.is_none_or(|(s, _)| score > s) {
            best = Some((score, c));
        }
    }
    best.map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variable_tears_a_ring() {
        let n = 50u32;
        let rows: Vec<Vec<(u32, bool)>> = (0..n)
            .map(|i| vec![(i, true), ((i + 1) % n, true)])
            .collect();
        let torn = tear(&rows, &vec![false; n as usize], usize::MAX);
        assert_eq!((torn.iteration.len(), torn.residuals.len()), (1, 1));
        assert_eq!((torn.inner.len(), torn.depth), (49, 49));
        // Chains of ten: 49 assignments make way for four more unknowns.
        let torn = tear(&rows, &vec![false; n as usize], 10);
        assert_eq!((torn.iteration.len(), torn.residuals.len()), (5, 5));
        assert_eq!((torn.inner.len(), torn.depth), (45, 10));
    }

    #[test]
    fn what_cannot_be_solved_is_torn() {
        let rows = vec![vec![(0, false), (1, false)], vec![(0, false), (1, false)]];
        let torn = tear(&rows, &[false; 2], usize::MAX);
        assert_eq!((torn.iteration.len(), torn.inner.len()), (2, 0));
    }
}
