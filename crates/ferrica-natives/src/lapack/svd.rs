//! Singular values by one-sided Jacobi rotations (Hestenes, 1958): columns of A·V are made
//! orthogonal, their lengths are the singular values. Accurate also for small ones.

use super::matrix::Mat;
use super::qr;

pub struct Svd {
    /// m × m
    pub u: Mat,
    /// Falling.
    pub sigma: Vec<f64>,
    /// n × n
    pub vt: Mat,
}

const MAX_SWEEPS: usize = 60;

pub fn svd(a: &Mat) -> Svd {
    if a.rows < a.columns {
        let t = svd(&a.transposed());
        return Svd {
            u: t.vt.transposed(),
            sigma: t.sigma,
            vt: t.u.transposed(),
        };
    }
    let (m, n) = (a.rows, a.columns);
    let mut w = a.clone();
    let mut v = Mat::identity(n);
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                rotated |= orthogonalize(&mut w, &mut v, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    let norms: Vec<f64> = (0..n)
        .map(|j| (0..m).fold(0.0, |s, i| f64::hypot(s, w[(i, j)])))
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| norms[j].total_cmp(&norms[i]));
    let sigma: Vec<f64> = order.iter().map(|&j| norms[j]).collect();
    let mut vt = Mat::zeros(n, n);
    for (r, &j) in order.iter().enumerate() {
        for i in 0..n {
            vt[(r, i)] = v[(i, j)];
        }
    }
    // Left vectors: the columns that have a length, completed to a basis.
    let cutoff = sigma.first().copied().unwrap_or(0.0) * f64::EPSILON * m as f64;
    let rank = sigma.iter().filter(|s| **s > cutoff).count();
    let mut columns = Mat::zeros(m, rank);
    for (c, &j) in order.iter().take(rank).enumerate() {
        for i in 0..m {
            columns[(i, c)] = w[(i, j)] / norms[j];
        }
    }
    let mut factors = columns.clone();
    let (taus, _) = qr::factor(&mut factors, false);
    let mut u = qr::orthogonal(&factors, &taus, 0);
    for i in 0..m {
        for c in 0..rank {
            u[(i, c)] = columns[(i, c)];
        }
    }
    Svd { u, sigma, vt }
}

/// Rotates columns p and q to be orthogonal; false if they were.
fn orthogonalize(w: &mut Mat, v: &mut Mat, p: usize, q: usize) -> bool {
    let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
    for i in 0..w.rows {
        let (x, y) = (w[(i, p)], w[(i, q)]);
        a += x * x;
        b += y * y;
        c += x * y;
    }
    if c == 0.0 || c.abs() <= 1e-15 * (a * b).sqrt() {
        return false;
    }
    let zeta = (b - a) / (2.0 * c);
    let t = zeta.signum() / (zeta.abs() + f64::hypot(1.0, zeta));
    let cos = 1.0 / f64::hypot(1.0, t);
    let sin = cos * t;
    for m in [w, v] {
        for i in 0..m.rows {
            let (x, y) = (m[(i, p)], m[(i, q)]);
            m[(i, p)] = cos * x - sin * y;
            m[(i, q)] = sin * x + cos * y;
        }
    }
    true
}

/// The shortest x that minimizes |A·x − b| for each column of b, with singular values below
/// `rcond` of the largest taken as zero; and the rank.
pub fn least_squares(a: &Mat, b: &Mat, rcond: f64) -> (Mat, usize) {
    let s = svd(a);
    let floor = s.sigma.first().copied().unwrap_or(0.0) * rcond.max(f64::EPSILON);
    let rank = s.sigma.iter().filter(|x| **x > floor && **x > 0.0).count();
    let mut x = Mat::zeros(a.columns, b.columns);
    for k in 0..rank {
        for c in 0..b.columns {
            let dot: f64 = (0..a.rows).map(|i| s.u[(i, k)] * b[(i, c)]).sum();
            for j in 0..a.columns {
                x[(j, c)] += s.vt[(k, j)] * dot / s.sigma[k];
            }
        }
    }
    (x, rank)
}
