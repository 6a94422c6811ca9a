//! Eigenvalues: real Schur form by implicit double-shift QR steps (Francis, Comput. J. 4 (1961) 265;
//! Golub and Van Loan, Matrix Computations, section 7.5), eigenvectors from the complex Schur form.

use super::matrix::Mat;
use super::qr;

pub type Complex = (f64, f64);

/// A = Z·T·Zᵀ with T upper triangular but for blocks of complex pairs.
pub struct Schur {
    pub t: Mat,
    pub z: Mat,
}

const MAX_STEPS: usize = 60;

/// Of any square matrix; `None` if the iteration does not converge.
pub fn schur(a: &Mat) -> Option<Schur> {
    let mut h = a.clone();
    let n = h.rows;
    let taus = qr::hessenberg(&mut h, 0..n);
    let z = qr::orthogonal(&h, &taus, 1);
    clear_below(&mut h);
    schur_of_hessenberg(h, z)
}

fn clear_below(h: &mut Mat) {
    for i in 2..h.rows {
        for j in 0..i - 1 {
            h[(i, j)] = 0.0;
        }
    }
}

/// From Hessenberg form; z is multiplied by the transformations.
pub fn schur_of_hessenberg(mut h: Mat, mut z: Mat) -> Option<Schur> {
    let n = h.rows;
    if n == 0 {
        return Some(Schur { t: h, z });
    }
    let norm = h.norm_frobenius();
    let mut hi = n - 1;
    let mut steps = 0;
    while hi > 0 {
        let mut l = hi;
        while l > 0 {
            let mut scale = h[(l - 1, l - 1)].abs() + h[(l, l)].abs();
            if scale == 0.0 {
                scale = norm;
            }
            if h[(l, l - 1)].abs() <= f64::EPSILON * scale {
                h[(l, l - 1)] = 0.0;
                break;
            }
            l -= 1;
        }
        if l == hi {
            hi -= 1;
            steps = 0;
        } else if l + 1 == hi {
            split_real_pair(&mut h, &mut z, l);
            if hi < 2 {
                break;
            }
            hi -= 2;
            steps = 0;
        } else {
            steps += 1;
            if steps > MAX_STEPS {
                return None;
            }
            francis(&mut h, &mut z, l, hi, steps);
        }
    }
    clear_below(&mut h);
    Some(Schur { t: h, z })
}

/// Makes the 2 × 2 block at k triangular when its eigenvalues are real.
pub fn split_real_pair(h: &mut Mat, z: &mut Mat, k: usize) {
    let (a, b, c, d) = (h[(k, k)], h[(k, k + 1)], h[(k + 1, k)], h[(k + 1, k + 1)]);
    let p = 0.5 * (a - d);
    let disc = p * p + b * c;
    if disc < 0.0 || c == 0.0 {
        return;
    }
    // An eigenvector of the eigenvalue that is farther from d: (λ − d, c).
    let root = disc.sqrt();
    let x = p + root.copysign(p);
    let r = f64::hypot(x, c);
    let (cos, sin) = (x / r, c / r);
    rotate(h, z, k, cos, sin);
    h[(k + 1, k)] = 0.0;
}

/// Rows and columns k, k+1 of h and columns of z by a plane rotation.
fn rotate(h: &mut Mat, z: &mut Mat, k: usize, cos: f64, sin: f64) {
    for j in 0..h.columns {
        let (x, y) = (h[(k, j)], h[(k + 1, j)]);
        h[(k, j)] = cos * x + sin * y;
        h[(k + 1, j)] = cos * y - sin * x;
    }
    for m in [h, z] {
        for i in 0..m.rows {
            let (x, y) = (m[(i, k)], m[(i, k + 1)]);
            m[(i, k)] = cos * x + sin * y;
            m[(i, k + 1)] = cos * y - sin * x;
        }
    }
}

/// One double step on the active block l..=hi (at least three rows).
fn francis(h: &mut Mat, z: &mut Mat, l: usize, hi: usize, step: usize) {
    let m = hi - 1;
    let (mut sum, mut product) = (
        h[(m, m)] + h[(hi, hi)],
        h[(m, m)] * h[(hi, hi)] - h[(m, hi)] * h[(hi, m)],
    );
    if step.is_multiple_of(10) {
        // Exceptional shifts break cycles.
        let w = h[(hi, m)].abs() + h[(m, m - 1)].abs();
        (sum, product) = (1.5 * w, w * w);
    }
    let (h00, h10) = (h[(l, l)], h[(l + 1, l)]);
    let mut v = [
        h00 * h00 + h[(l, l + 1)] * h10 - sum * h00 + product,
        h10 * (h00 + h[(l + 1, l + 1)] - sum),
        h10 * h[(l + 2, l + 1)],
    ];
    for k in l..hi {
        let size = if k + 2 <= hi { 3 } else { 2 };
        if let Some((u, tau)) = small_reflector(&v[..size]) {
            let from = if k > l { k - 1 } else { l };
            for j in from..h.columns {
                let s: f64 = (0..size).map(|i| u[i] * h[(k + i, j)]).sum();
                for i in 0..size {
                    h[(k + i, j)] -= tau * s * u[i];
                }
            }
            let last = (k + 3).min(hi);
            for i in 0..=last {
                let s: f64 = (0..size).map(|j| u[j] * h[(i, k + j)]).sum();
                for j in 0..size {
                    h[(i, k + j)] -= tau * s * u[j];
                }
            }
            for i in 0..z.rows {
                let s: f64 = (0..size).map(|j| u[j] * z[(i, k + j)]).sum();
                for j in 0..size {
                    z[(i, k + j)] -= tau * s * u[j];
                }
            }
        }
        if k > l {
            for i in 1..size {
                h[(k + i, k - 1)] = 0.0;
            }
        }
        if k + 1 < hi {
            v[0] = h[(k + 1, k)];
            v[1] = h[(k + 2, k)];
            v[2] = if k + 3 <= hi { h[(k + 3, k)] } else { 0.0 };
        }
    }
}

/// u with u₁ = 1 and τ that make v a multiple of the first unit vector.
fn small_reflector(v: &[f64]) -> Option<([f64; 3], f64)> {
    let rest = v[1..].iter().fold(0.0, |s, x| f64::hypot(s, *x));
    if rest == 0.0 {
        return None;
    }
    let beta = -f64::hypot(v[0], rest).copysign(v[0]);
    let mut u = [1.0, 0.0, 0.0];
    for (k, x) in v.iter().enumerate().skip(1) {
        u[k] = x / (v[0] - beta);
    }
    Some((u, (beta - v[0]) / beta))
}

/// Eigenvalues on the diagonal blocks of T, a pair with its positive imaginary part first.
pub fn eigenvalues(t: &Mat) -> Vec<Complex> {
    let n = t.rows;
    let mut values = Vec::with_capacity(n);
    let mut k = 0;
    while k < n {
        if k + 1 < n && t[(k + 1, k)] != 0.0 {
            let p = 0.5 * (t[(k, k)] - t[(k + 1, k + 1)]);
            let centre = t[(k + 1, k + 1)] + p;
            let disc = p * p + t[(k, k + 1)] * t[(k + 1, k)];
            if disc >= 0.0 {
                let root = disc.sqrt();
                values.extend([(centre + root, 0.0), (centre - root, 0.0)]);
            } else {
                let root = (-disc).sqrt();
                values.extend([(centre, root), (centre, -root)]);
            }
            k += 2;
        } else {
            values.push((t[(k, k)], 0.0));
            k += 1;
        }
    }
    values
}

fn mul(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn div(a: Complex, b: Complex) -> Complex {
    let d = b.0 * b.0 + b.1 * b.1;
    ((a.0 * b.0 + a.1 * b.1) / d, (a.1 * b.0 - a.0 * b.1) / d)
}

fn abs(a: Complex) -> f64 {
    f64::hypot(a.0, a.1)
}

/// Right eigenvectors in the order of [`eigenvalues`], each of length 1 with a real largest element.
pub fn eigenvectors(s: &Schur) -> Vec<Vec<Complex>> {
    let n = s.t.rows;
    let (t, z) = complex_schur(s);
    let values = eigenvalues(&s.t);
    let small = f64::EPSILON * s.t.norm_frobenius().max(f64::MIN_POSITIVE);
    (0..n)
        .map(|k| {
            // (T − λI)·x = 0 with x_k = 1, from below.
            let lambda = t[k * n + k];
            let mut x = vec![(0.0, 0.0); n];
            x[k] = (1.0, 0.0);
            for i in (0..k).rev() {
                let mut sum = (0.0, 0.0);
                for j in i + 1..=k {
                    let p = mul(t[i * n + j], x[j]);
                    sum = (sum.0 + p.0, sum.1 + p.1);
                }
                let mut d = (t[i * n + i].0 - lambda.0, t[i * n + i].1 - lambda.1);
                if abs(d) < small {
                    d = (small, 0.0);
                }
                let q = div(sum, d);
                x[i] = (-q.0, -q.1);
            }
            let mut v: Vec<Complex> = (0..n)
                .map(|i| {
                    let mut sum = (0.0, 0.0);
                    for (j, xj) in x.iter().enumerate() {
                        let p = mul(z[i * n + j], *xj);
                        sum = (sum.0 + p.0, sum.1 + p.1);
                    }
                    sum
                })
                .collect();
            normalise(&mut v);
            if values[k].1 == 0.0 {
                v.iter_mut().for_each(|e| e.1 = 0.0);
            }
            v
        })
        .collect()
}

/// See [`crate::participations`].
pub fn participations(a: &Mat) -> Option<Vec<(Complex, Vec<f64>)>> {
    let n = a.rows;
    let mut transposed = a.clone();
    for i in 0..n {
        for j in 0..n {
            transposed[(i, j)] = a[(j, i)];
        }
    }
    let (right, left) = (schur(a)?, schur(&transposed)?);
    let (values, others) = (eigenvalues(&right.t), eigenvalues(&left.t));
    let (right, left) = (eigenvectors(&right), eigenvectors(&left));
    let mut free: Vec<usize> = (0..n).collect();
    let mut out = Vec::with_capacity(n);
    for (value, v) in values.into_iter().zip(&right) {
        // The left vector of the same eigenvalue: both lists have the same values up to rounding.
        let apart = |l: usize| abs((others[l].0 - value.0, others[l].1 - value.1));
        let at = (0..free.len()).min_by(|a, b| apart(free[*a]).total_cmp(&apart(free[*b])))?;
        let w = &left[free.swap_remove(at)];
        let parts: Vec<f64> = v.iter().zip(w).map(|(v, w)| abs(mul(*v, *w))).collect();
        let sum: f64 = parts.iter().sum();
        let parts = parts.iter().map(|p| if sum > 0.0 { p / sum } else { 0.0 });
        out.push((value, parts.collect()));
    }
    Some(out)
}

fn normalise(v: &mut [Complex]) {
    let length = v.iter().fold(0.0, |s, e| f64::hypot(s, abs(*e)));
    let largest = v
        .iter()
        .copied()
        .max_by(|a, b| abs(*a).total_cmp(&abs(*b)))
        .unwrap_or((1.0, 0.0));
    let size = abs(largest);
    if length == 0.0 || size == 0.0 {
        return;
    }
    let turn = (largest.0 / size / length, -largest.1 / size / length);
    for e in v {
        *e = mul(*e, turn);
    }
}

/// Upper triangular complex T and its unitary Z, from the real form by a rotation for each pair.
fn complex_schur(s: &Schur) -> (Vec<Complex>, Vec<Complex>) {
    let n = s.t.rows;
    let lift = |m: &Mat| m.data.iter().map(|&x| (x, 0.0)).collect::<Vec<Complex>>();
    let (mut t, mut z) = (lift(&s.t), lift(&s.z));
    let values = eigenvalues(&s.t);
    for k in 0..n.saturating_sub(1) {
        if s.t[(k + 1, k)] == 0.0 {
            continue;
        }
        // The eigenvector (λ − d, c) of the block becomes the first unit vector.
        let (c, d) = (t[(k + 1) * n + k], t[(k + 1) * n + k + 1]);
        let x = (values[k].0 - d.0, values[k].1 - d.1);
        let r = f64::hypot(abs(x), abs(c));
        let (p, q) = ((x.0 / r, x.1 / r), (c.0 / r, c.1 / r));
        let conj = |a: Complex| (a.0, -a.1);
        for j in 0..n {
            let (a, b) = (t[k * n + j], t[(k + 1) * n + j]);
            let (u, w) = (mul(conj(p), a), mul(conj(q), b));
            t[k * n + j] = (u.0 + w.0, u.1 + w.1);
            let (u, w) = (mul(p, b), mul(q, a));
            t[(k + 1) * n + j] = (u.0 - w.0, u.1 - w.1);
        }
        for m in [&mut t, &mut z] {
            for i in 0..n {
                let (a, b) = (m[i * n + k], m[i * n + k + 1]);
                let (u, w) = (mul(p, a), mul(q, b));
                m[i * n + k] = (u.0 + w.0, u.1 + w.1);
                let (u, w) = (mul(conj(p), b), mul(conj(q), a));
                m[i * n + k + 1] = (u.0 - w.0, u.1 - w.1);
            }
        }
        t[(k + 1) * n + k] = (0.0, 0.0);
    }
    (t, z)
}
