//! Householder transformations: QR with and without column pivoting, Hessenberg form, least squares.
//!
//! A reflector is H = I − τ·v·vᵀ with v₁ = 1; the rest of v is stored where it made zeros, as in
//! the published storage scheme of LAPACK.

use super::matrix::Mat;

/// Makes x = (α, rest) into (β, 0): returns τ, and v and β in place of x.
fn reflector(m: &mut Mat, at: impl Fn(usize) -> (usize, usize), n: usize) -> f64 {
    let rest = (1..n).fold(0.0, |s, k| f64::hypot(s, m[at(k)]));
    let alpha = m[at(0)];
    if rest == 0.0 {
        return 0.0;
    }
    let beta = -f64::hypot(alpha, rest).copysign(alpha);
    for k in 1..n {
        m[at(k)] /= alpha - beta;
    }
    m[at(0)] = beta;
    (beta - alpha) / beta
}

/// C := H·C for rows `first..` and the columns given.
fn apply_left(c: &mut Mat, v: &[f64], tau: f64, first: usize, columns: std::ops::Range<usize>) {
    if tau == 0.0 {
        return;
    }
    for j in columns {
        let s: f64 = v
            .iter()
            .enumerate()
            .map(|(k, x)| x * c[(first + k, j)])
            .sum();
        for (k, x) in v.iter().enumerate() {
            c[(first + k, j)] -= tau * s * x;
        }
    }
}

/// C := C·H for columns `first..`.
fn apply_right(c: &mut Mat, v: &[f64], tau: f64, first: usize) {
    if tau == 0.0 {
        return;
    }
    for i in 0..c.rows {
        let s: f64 = v
            .iter()
            .enumerate()
            .map(|(k, x)| x * c[(i, first + k)])
            .sum();
        for (k, x) in v.iter().enumerate() {
            c[(i, first + k)] -= tau * s * x;
        }
    }
}

/// The vector of reflector k, stored in column k from row `k + below`.
fn vector(a: &Mat, k: usize, below: usize, end: usize) -> Vec<f64> {
    let mut v = vec![1.0];
    v.extend((k + below + 1..end).map(|i| a[(i, k)]));
    v
}

/// R in the upper triangle, reflectors below it. With `pivot`, columns in the order of falling
/// norms: their old numbers.
pub fn factor(a: &mut Mat, pivot: bool) -> (Vec<f64>, Vec<usize>) {
    let (m, n) = (a.rows, a.columns);
    let mut order: Vec<usize> = (0..n).collect();
    let mut taus = Vec::with_capacity(m.min(n));
    for k in 0..m.min(n) {
        if pivot {
            let norm = |a: &Mat, j: usize| (k..m).fold(0.0, |s, i| f64::hypot(s, a[(i, j)]));
            let mut best = k;
            for j in k + 1..n {
                if norm(a, j) > norm(a, best) * (1.0 + 1e-14) {
                    best = j;
                }
            }
            if best != k {
                for i in 0..m {
                    a.data.swap(i * n + k, i * n + best);
                }
                order.swap(k, best);
            }
        }
        let tau = reflector(a, |i| (k + i, k), m - k);
        let v = vector(a, k, 0, m);
        apply_left(a, &v, tau, k, k + 1..n);
        taus.push(tau);
    }
    (taus, order)
}

/// C := Q·C or Qᵀ·C, Q of the first `taus.len()` columns of a, each `below` rows under the diagonal.
pub fn multiply_left(a: &Mat, taus: &[f64], below: usize, transposed: bool, c: &mut Mat) {
    let columns = c.columns;
    let mut one = |k: usize| {
        let v = vector(a, k, below, a.rows);
        apply_left(c, &v, taus[k], k + below, 0..columns);
    };
    if transposed {
        (0..taus.len()).for_each(&mut one);
    } else {
        (0..taus.len()).rev().for_each(&mut one);
    }
}

/// C := C·Q or C·Qᵀ.
pub fn multiply_right(a: &Mat, taus: &[f64], below: usize, transposed: bool, c: &mut Mat) {
    let mut one = |k: usize| {
        let v = vector(a, k, below, a.rows);
        apply_right(c, &v, taus[k], k + below);
    };
    if transposed {
        (0..taus.len()).rev().for_each(&mut one);
    } else {
        (0..taus.len()).for_each(&mut one);
    }
}

/// A := Qᵀ·A·Q with zeros below the first subdiagonal, reflectors stored there. Only the rows and columns of the part are
/// reduced: outside of it the matrix is upper triangular already, as balancing leaves it.
pub fn hessenberg(a: &mut Mat, part: std::ops::Range<usize>) -> Vec<f64> {
    let n = a.rows;
    let mut taus = vec![0.0; part.start.min(n.saturating_sub(1))];
    for k in part.start..part.end.saturating_sub(1) {
        let tau = reflector(a, |i| (k + 1 + i, k), part.end - k - 1);
        let v = vector(a, k, 1, part.end);
        apply_left(a, &v, tau, k + 1, k + 1..n);
        apply_right(a, &v, tau, k + 1);
        taus.push(tau);
    }
    taus.resize(n.saturating_sub(1), 0.0);
    taus
}

/// An orthogonal matrix of the reflectors.
pub fn orthogonal(a: &Mat, taus: &[f64], below: usize) -> Mat {
    let mut q = Mat::identity(a.rows);
    multiply_left(a, taus, below, false, &mut q);
    q
}
