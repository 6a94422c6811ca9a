//! Factorizations, checked by residuals: a solution is right when A x = b holds backward stably,
//! whatever the method.

use ferrica_solvers::linear::{LinearSolver, Singular};
use ferrica_solvers::scalar::{Complex, Scalar};
use ferrica_solvers::sparse::{CscPattern, SparseLu};

/// xorshift64*: the tests must be the same on every run.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 33) as usize % n
    }
    /// In (-1, 1).
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Residual of A x = b and, per row, the size of the terms it is made of.
fn residual<T: Scalar>(
    p: &CscPattern,
    a: &[T],
    x: &[T],
    b: &[T],
    transposed: bool,
) -> Vec<(f64, f64)> {
    let mut r: Vec<T> = b.to_vec();
    let mut size: Vec<f64> = b.iter().map(|v| v.magnitude()).collect();
    for (k, (i, j)) in p.entries().enumerate() {
        let (i, j) = if transposed { (j, i) } else { (i, j) };
        r[i] -= a[k] * x[j];
        size[i] += (a[k] * x[j]).magnitude();
    }
    r.iter().map(|r| r.magnitude()).zip(size).collect()
}

/// Normwise backward error.
fn backward_error<T: Scalar>(p: &CscPattern, a: &[T], x: &[T], b: &[T], transposed: bool) -> f64 {
    let rows = residual(p, a, x, b, transposed);
    let worst = rows.iter().fold(0.0, |m: f64, r| m.max(r.0));
    worst / rows.iter().fold(f64::MIN_POSITIVE, |m, r| m.max(r.1))
}

fn check<T: Scalar>(p: &CscPattern, a: &[T], b: &[T], solver: &mut LinearSolver<T>, tol: f64) {
    solver.factor(a).unwrap();
    let mut x = b.to_vec();
    solver.solve(&mut x);
    let e = backward_error(p, a, &x, b, false);
    assert!(e < tol, "backward error {e}");
    let mut x = b.to_vec();
    solver.solve_transposed(&mut x);
    let e = backward_error(p, a, &x, b, true);
    assert!(e < tol, "transposed: backward error {e}");
}

fn random_values(rng: &mut Random, p: &CscPattern) -> Vec<f64> {
    p.entries()
        .map(|(i, j)| rng.unit() + if i == j { 1e-3 } else { 0.0 })
        .collect()
}

/// Irregular matrices: a random permutation makes them regular, the rest is scattered unevenly.
#[test]
fn random_unsymmetric() {
    let mut rng = Random(42);
    for &n in &[1usize, 2, 3, 7, 20, 60, 200, 700] {
        for density in [1usize, 3, 6] {
            let mut perm: Vec<usize> = (0..n).collect();
            for i in (1..n).rev() {
                perm.swap(i, rng.below(i + 1));
            }
            let mut entries: Vec<(usize, usize)> = perm.iter().copied().zip(0..n).collect();
            for _ in 0..density * n {
                // Squaring the position crowds entries into the first rows.
                let r = rng.below(n) * rng.below(n) / n;
                entries.push((r, rng.below(n)));
            }
            let p = CscPattern::from_entries(n, entries);
            let mut sparse = LinearSolver::sparse(p.clone());
            let mut dense = LinearSolver::dense(p.clone());
            for _ in 0..3 {
                let a = random_values(&mut rng, &p);
                let b: Vec<f64> = (0..n).map(|_| rng.unit()).collect();
                check(&p, &a, &b, &mut sparse, 1e-11);
                check(&p, &a, &b, &mut dense, 1e-13);
            }
        }
    }
}

/// A ladder of branches (R, then L–C to ground) as a nodal DAE; unsymmetric and indefinite.
fn ladder(n: usize) -> (CscPattern, Vec<f64>) {
    let mut triplets = Vec::new();
    // Per cell: top voltage v, middle voltage w, current i through L and C, current j through R.
    for k in 0..n {
        let (v, w, i, j) = (4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
        triplets.extend([(v, j, 1.0), (v, i, -1.0)]);
        if k + 1 < n {
            triplets.push((v, j + 4, -1.0));
        }
        triplets.extend([(w, i, 1.0), (w, w, -37.0)]);
        triplets.extend([(i, v, 1.0), (i, w, -1.0), (i, i, -41.0)]);
        triplets.extend([(j, j, -10.0), (j, v, -1.0)]);
        if k > 0 {
            triplets.push((j, v - 4, 1.0));
        }
    }
    let p = CscPattern::from_entries(4 * n, triplets.iter().map(|&(r, c, _)| (r, c)));
    let mut a = vec![0.0; p.nnz()];
    for (r, c, v) in triplets {
        a[p.find(r, c).unwrap()] = v;
    }
    (p, a)
}

#[test]
fn ladders_refactor_without_search() {
    for n in [1, 5, 50, 1000] {
        let (p, mut a) = ladder(n);
        let b: Vec<f64> = (0..p.n()).map(|k| (k as f64).sin()).collect();
        let mut solver = LinearSolver::sparse(p.clone());
        for round in 0..4 {
            check(&p, &a, &b, &mut solver, 1e-12);
            a.iter_mut().for_each(|v| *v *= 1.0 + 0.1 * round as f64);
        }
        assert_eq!(solver.pivot_searches(), 1);
        if n == 1000 {
            let mut lu = SparseLu::new(p.clone());
            lu.factor_full(&a).unwrap();
            assert!(
                lu.factor_nnz() < 2 * p.nnz(),
                "fill {} of {}",
                lu.factor_nnz(),
                p.nnz()
            );
        }
    }
}

#[test]
fn arrow_matrices_do_not_fill() {
    let n = 3000;
    // First row and column full: natural order would fill everything.
    let p = CscPattern::from_entries(n, (0..n).flat_map(|i| [(i, i), (0, i), (i, 0)]));
    let mut rng = Random(7);
    let a: Vec<f64> = p
        .entries()
        .map(|(i, j)| if i == j { 4.0 } else { 0.01 * rng.unit() })
        .collect();
    let b: Vec<f64> = (0..n).map(|_| rng.unit()).collect();
    let mut solver = LinearSolver::new(p.clone());
    assert!(!solver.is_dense());
    check(&p, &a, &b, &mut solver, 1e-12);
    let mut lu = SparseLu::new(p.clone());
    lu.factor_full(&a).unwrap();
    assert_eq!(lu.factor_nnz(), p.nnz());
}

/// Five-point stencil on a square: fills, and the factor must stay far below a band's 2·m³.
#[test]
fn grid_fill() {
    let m = 40usize;
    let n = m * m;
    let near = |k: usize| {
        let (i, j) = (k / m, k % m);
        let mut list = vec![k];
        list.extend((i > 0).then(|| k - m));
        list.extend((i + 1 < m).then(|| k + m));
        list.extend((j > 0).then(|| k - 1));
        list.extend((j + 1 < m).then(|| k + 1));
        list
    };
    let p = CscPattern::from_entries(
        n,
        (0..n).flat_map(|c| near(c).into_iter().map(move |r| (r, c))),
    );
    let mut rng = Random(3);
    let a: Vec<f64> = p
        .entries()
        .map(|(i, j)| if i == j { 4.1 } else { -1.0 + 0.3 * rng.unit() })
        .collect();
    let b: Vec<f64> = (0..n).map(|_| rng.unit()).collect();
    check(&p, &a, &b, &mut LinearSolver::new(p.clone()), 1e-12);
    let mut lu = SparseLu::new(p);
    lu.factor_full(&a).unwrap();
    assert!(lu.factor_nnz() < 2 * m * m * m / 2, "{}", lu.factor_nnz());
}

/// Rows over 24 orders of magnitude: without scaling the choice of pivots would be ruled by the large rows.
#[test]
fn badly_scaled_rows() {
    let mut rng = Random(11);
    let n = 150;
    let mut entries: Vec<(usize, usize)> = (0..n).map(|i| (i, (i * 7 + 3) % n)).collect();
    entries.extend((0..4 * n).map(|_| (rng.below(n), rng.below(n))));
    let p = CscPattern::from_entries(n, entries);
    let factor: Vec<f64> = (0..n)
        .map(|_| 10f64.powi(rng.below(25) as i32 - 12))
        .collect();
    let a: Vec<f64> = p.entries().map(|(i, _)| rng.unit() * factor[i]).collect();
    let b: Vec<f64> = factor.iter().map(|f| f * rng.unit()).collect();
    for mut solver in [
        LinearSolver::sparse(p.clone()),
        LinearSolver::dense(p.clone()),
    ] {
        solver.factor(&a).unwrap();
        let mut x = b.clone();
        solver.solve(&mut x);
        let e = residual(&p, &a, &x, &b, false)
            .iter()
            .fold(0.0f64, |m, r| m.max(r.0 / r.1));
        assert!(e < 1e-10, "{e}");
    }
}

/// New values that make a frozen pivot vanish or tiny: a new search, not a wrong answer.
#[test]
fn pivot_growth_falls_back() {
    let n = 30;
    let p = CscPattern::from_entries(
        n,
        (0..n).flat_map(|i| [(i, i), (i, (i + 1) % n), ((i + 1) % n, i)]),
    );
    let mut rng = Random(5);
    let b: Vec<f64> = (0..n).map(|_| rng.unit()).collect();
    let dominant: Vec<f64> = p
        .entries()
        .map(|(i, j)| if i == j { 10.0 } else { rng.unit() })
        .collect();
    for tiny in [0.0, 1e-12] {
        let weak: Vec<f64> = p
            .entries()
            .map(|(i, j)| if i == j { tiny } else { 1.0 + 0.3 * rng.unit() })
            .collect();
        let mut solver = LinearSolver::sparse(p.clone());
        check(&p, &dominant, &b, &mut solver, 1e-13);
        check(&p, &weak, &b, &mut solver, 1e-9);
        assert_eq!(solver.pivot_searches(), 2);
    }
}

#[test]
fn singular_matrices_name_row_and_column() {
    // Structural: columns 1 and 2 share their only row.
    let p = CscPattern::from_entries(3, [(0, 0), (1, 0), (2, 0), (1, 1), (1, 2)]);
    let mut lu = SparseLu::<f64>::new(p);
    let e = lu.factor(&[1.0; 5]).unwrap_err();
    assert!(
        e.structural && (e.col == 1 || e.col == 2) && (e.row == 0 || e.row == 2),
        "{e:?}"
    );
    // Numerical: a zero row.
    let n = 20;
    let p = CscPattern::from_entries(n, (0..n).flat_map(|i| [(i, i), (i, (i + 1) % n)]));
    let a: Vec<f64> = p
        .entries()
        .map(|(i, j)| if i == 4 { 0.0 } else { 2.0 + j as f64 })
        .collect();
    for mut solver in [
        LinearSolver::sparse(p.clone()),
        LinearSolver::dense(p.clone()),
    ] {
        let e = solver.factor(&a).unwrap_err();
        assert!(
            matches!(
                e,
                Singular {
                    row: 4,
                    structural: false,
                    ..
                }
            ),
            "{e:?}"
        );
    }
    // Not a number is an error, too, and the solver can be used again.
    let mut solver = LinearSolver::sparse(p.clone());
    assert!(solver.factor(&vec![f64::NAN; p.nnz()]).is_err());
    let good: Vec<f64> = p
        .entries()
        .map(|(i, j)| if i == j { 2.0 } else { 1.0 })
        .collect();
    check(&p, &good, &vec![1.0; n], &mut solver, 1e-14);
    assert!(solver.factor(&vec![f64::NAN; p.nnz()]).is_err());
    check(&p, &good, &vec![1.0; n], &mut solver, 1e-14);
}

#[test]
fn complex_systems() {
    let mut rng = Random(99);
    let n = 80;
    let p = CscPattern::from_entries(
        n,
        (0..n)
            .map(|i| (i, i))
            .chain((0..3 * n).map(|k| ((k * 31) % n, (k * k + 7) % n))),
    );
    let b: Vec<Complex> = (0..n)
        .map(|_| Complex::new(rng.unit(), rng.unit()))
        .collect();
    let mut sparse = LinearSolver::sparse(p.clone());
    let mut dense = LinearSolver::dense(p.clone());
    for _ in 0..3 {
        let a: Vec<Complex> = p
            .entries()
            .map(|(i, j)| Complex::new(rng.unit() + if i == j { 3.0 } else { 0.0 }, rng.unit()))
            .collect();
        check(&p, &a, &b, &mut sparse, 1e-12);
        check(&p, &a, &b, &mut dense, 1e-12);
    }
}

#[test]
fn block_triangular_form_is_used() {
    // Lower bidiagonal: all blocks are single entries, nothing is eliminated.
    let n = 500;
    let p = CscPattern::from_entries(
        n,
        (0..n)
            .flat_map(|i| [(i, i), ((i + 1) % n.max(1), i)])
            .filter(|&(r, c)| r >= c),
    );
    let a: Vec<f64> = p
        .entries()
        .map(|(i, j)| if i == j { 2.0 } else { 1.0 })
        .collect();
    let mut lu = SparseLu::new(p.clone());
    lu.factor_full(&a).unwrap();
    assert_eq!(lu.block_count(), n);
    assert_eq!(lu.factor_nnz(), p.nnz());
    check(
        &p,
        &a,
        &vec![1.0; n],
        &mut LinearSolver::sparse(p.clone()),
        1e-15,
    );
}
