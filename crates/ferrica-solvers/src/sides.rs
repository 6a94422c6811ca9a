//! Several right-hand sides of one matrix, solved together.
//!
//! They stand side by side: number `i` of side `d` of `m` is at `i·m + d`. What a factorization looks up for a row then serves all sides, whose
//! numbers are next to each other in memory and go through vector instructions.

use crate::scalar::Scalar;

/// Sides that are solved at once.
const MOST: usize = 8;

/// Factors that can be solved for `L` sides.
pub(crate) trait Factors<T: Scalar> {
    fn solve_sides<const L: usize>(&mut self, b: &mut [[T; L]]);
}

/// Overwrites as many sides as there are in `b` by their solutions. `strip` is scratch, used where there are many.
pub(crate) fn solve<T: Scalar>(
    factors: &mut impl Factors<T>,
    n: usize,
    b: &mut [T],
    strip: &mut Vec<T>,
) {
    let sides = b.len() / n.max(1);
    if sides <= MOST {
        return solve_few(factors, sides, b);
    }
    for first in (0..sides).step_by(MOST) {
        let few = (sides - first).min(MOST);
        strip.clear();
        for row in b.chunks_exact(sides) {
            strip.extend_from_slice(&row[first..first + few]);
        }
        solve_few(factors, few, strip);
        for (row, solved) in b.chunks_exact_mut(sides).zip(strip.chunks_exact(few)) {
            row[first..first + few].copy_from_slice(solved);
        }
    }
}

fn solve_few<T: Scalar>(factors: &mut impl Factors<T>, sides: usize, b: &mut [T]) {
    match sides {
        0 => {}
        1 => factors.solve_sides::<1>(b.as_chunks_mut().0),
        2 => factors.solve_sides::<2>(b.as_chunks_mut().0),
        3 => factors.solve_sides::<3>(b.as_chunks_mut().0),
        4 => factors.solve_sides::<4>(b.as_chunks_mut().0),
        5 => factors.solve_sides::<5>(b.as_chunks_mut().0),
        6 => factors.solve_sides::<6>(b.as_chunks_mut().0),
        7 => factors.solve_sides::<7>(b.as_chunks_mut().0),
        _ => factors.solve_sides::<MOST>(b.as_chunks_mut().0),
    }
}

/// `a · by`
#[inline(always)]
pub(crate) fn times<T: Scalar, const L: usize>(a: [T; L], by: T) -> [T; L] {
    a.map(|a| a * by)
}

/// Takes `b · by` off `a`.
#[inline(always)]
pub(crate) fn take_off<T: Scalar, const L: usize>(a: &mut [T; L], b: &[T; L], by: T) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= *b * by;
    }
}

#[cfg(test)]
mod tests {
    use crate::linear::LinearSolver;
    use crate::sparse::CscPattern;

    /// Any number of sides has the solutions that each has alone, in the dense and in the sparse method.
    #[test]
    fn sides_are_solved_as_each_alone() {
        let n = 20;
        let entries: Vec<(usize, usize)> = (0..n)
            .flat_map(|i| [(i, i), (i, (i + 1) % n), ((i + 3) % n, i)])
            .collect();
        let pattern = CscPattern::from_entries(n, entries);
        let values: Vec<f64> = (0..pattern.nnz())
            .map(|k| (k as f64).sin() + if k % 3 == 0 { 4.0 } else { 0.5 })
            .collect();
        for mut solver in [
            LinearSolver::dense(pattern.clone()),
            LinearSolver::sparse(pattern),
        ] {
            solver.factor(&values).unwrap();
            for sides in [1, 2, 3, 4, 5, 6, 7, 8, 9, 21] {
                let of = |i: usize, d: usize| (1.0 + i as f64 + 0.1 * d as f64).cos();
                let mut all: Vec<f64> = (0..n * sides).map(|k| of(k / sides, k % sides)).collect();
                solver.solve(&mut all);
                for d in 0..sides {
                    let mut alone: Vec<f64> = (0..n).map(|i| of(i, d)).collect();
                    solver.solve(&mut alone);
                    for (i, x) in alone.iter().enumerate() {
                        assert_eq!(*x, all[i * sides + d]);
                    }
                }
            }
        }
    }
}
