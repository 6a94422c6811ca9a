//! Which states may follow their quasi-steady solution while they rest on it.
//!
//! A stiff state i that rests is a function of what its derivative reads, x_i = y_i. Whoever lets it follow y_i instead of integrating f_i leaves out
//! what it takes up and gives away in doing so. Two things must not be harmed:
//!
//! - A conserved sum Σ c_k x_k, that is Σ c_k f_k ≡ 0. If a quantity (or a value that events change) is read by one derivative f_i only, then
//!   c_i = 0: its derivative with respect to that quantity must vanish. With f_i out of the way, the same is asked of the others. States that are
//!   found so are in no conserved sum, at the cost of one look at each incidence.
//! - States that exchange something with i. On a state that depends on nothing that depends on it, what is left out is no more than the distance of q_i from
//!   y_i. Those on cycles exchange it with others: a hundredth of a quantum that is lost a thousand times in the same direction is seen in the slow
//!   motion that is left of them. So they keep account of it, x goes on with it, and they step before it is a twentieth of the quantum.

use ferrica_solvers::sparse::{CscPattern, block_triangular};

use crate::model::Incidence;

/// What a state may do at rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Standing {
    /// It may be part of a conserved sum: integrate.
    #[default]
    Bound,
    /// In no conserved sum, but on a cycle: it keeps account.
    Cyclic,
    /// Neither.
    Free,
}

/// `reads`: row j lists what derivative j depends on, the states first, then anything else under numbers below `columns`.
pub fn standings(reads: &Incidence, columns: usize) -> Vec<Standing> {
    let states = reads.rows();
    let readers = reads.transposed(columns);
    let mut left: Vec<usize> = (0..columns).map(|c| readers.row(c).len()).collect();
    let mut in_sum = vec![true; states];
    let mut alone: Vec<usize> = (0..columns).filter(|&c| left[c] == 1).collect();
    while let Some(c) = alone.pop() {
        let last = readers.row(c).iter().find(|&&j| in_sum[j as usize]);
        let Some(&j) = last else { continue };
        in_sum[j as usize] = false;
        for &other in reads.row(j as usize) {
            left[other as usize] -= 1;
            if left[other as usize] == 1 {
                alone.push(other as usize);
            }
        }
    }
    let cyclic = on_cycles(reads);
    let standing = |(in_sum, cyclic)| match (in_sum, cyclic) {
        (true, _) => Standing::Bound,
        (false, true) => Standing::Cyclic,
        (false, false) => Standing::Free,
    };
    in_sum.into_iter().zip(cyclic).map(standing).collect()
}

/// Which states depend on a state that depends on them, themselves apart.
fn on_cycles(reads: &Incidence) -> Vec<bool> {
    let states = reads.rows();
    let others = |j: usize| reads.row(j).iter().map(|&k| k as usize);
    let entries = (0..states).flat_map(|j| others(j).map(move |k| (k, j)).chain([(j, j)]));
    let pattern = CscPattern::from_entries(states, entries);
    let mut cyclic = vec![true; states];
    let itself: Vec<u32> = (0..states as u32).collect();
    let blocks = block_triangular(&pattern, &itself);
    for b in blocks.starts.windows(2) {
        if b[1] - b[0] == 1 {
            cyclic[blocks.order[b[0] as usize] as usize] = false;
        }
    }
    cyclic
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[u32]], columns: usize) -> Vec<Standing> {
        standings(&Incidence::new(rows), columns)
    }

    /// A → B → C: f_A = −A, f_B = A − B, f_C = B. All of it is conserved.
    #[test]
    fn a_chain_of_reactions_is_conserved() {
        assert_eq!(of(&[&[0], &[0, 1], &[1]], 3), [Standing::Bound; 3]);
    }

    /// The same with a loss of C: nothing is.
    #[test]
    fn a_chain_with_a_loss_is_free() {
        assert_eq!(of(&[&[0], &[0, 1], &[1, 2]], 3), [Standing::Free; 3]);
    }

    /// Two that exchange, and one of them loses: in no sum, on a cycle.
    #[test]
    fn a_pair_keeps_account() {
        assert_eq!(of(&[&[0, 1], &[0, 1]], 2), [Standing::Bound; 2]);
        let values = [&[0, 1, 2][..], &[0, 1]];
        assert_eq!(of(&values, 3), [Standing::Cyclic; 2]);
    }
}
