//! Eigenvalues, eigenvectors, Schur forms, Sylvester equations.

use super::eigen::{self, Complex, Schur};
use super::factorizations::{read_taus, write_taus};
use super::lu;
use super::matrix::Mat;
use super::systems::is;
use super::{qr, sylvester};
use crate::call::Call;
use crate::registry::Registry;

/// The routines number the eigenvalues that did converge; ours either has all or none.
const NOT_CONVERGED: f64 = 1.0;

pub(crate) fn register(r: &mut Registry) {
    // jobvl, jobvr, n, A, lda, wr, wi, VL, ldvl, VR, ldvr, work, lwork, info
    r.pure("dgeev", |call| {
        let a = Mat::read_square(call, 3)?;
        let Some(s) = eigen::schur(&a) else {
            return call.set(13, NOT_CONVERGED);
        };
        let values = eigen::eigenvalues(&s.t);
        write_values(call, &values, 5, 6)?;
        if is(call, 1, 'V')? {
            packed(&values, &eigen::eigenvectors(&s)).write(call, 9)?;
        }
        if is(call, 0, 'V')? {
            left(&a, &values)?.write(call, 7)?;
        }
        call.set(13, 0.0)
    });
    // balanc, jobvl, jobvr, sense, n, A, lda, wr, wi, VL, ldvl, VR, ldvr, ilo, ihi, scale, abnrm,
    // rconde, rcondv, work, lwork, iwork, info
    r.pure("dgeevx", |call| {
        let a = Mat::read_square(call, 5)?;
        let Some(s) = eigen::schur(&a) else {
            return call.set(22, NOT_CONVERGED);
        };
        let values = eigen::eigenvalues(&s.t);
        write_values(call, &values, 7, 8)?;
        if is(call, 1, 'V')? {
            left(&a, &values)?.write(call, 9)?;
        }
        if is(call, 2, 'V')? {
            packed(&values, &eigen::eigenvectors(&s)).write(call, 11)?;
        }
        s.t.write(call, 5)?;
        call.set(22, 0.0)
    });
    // jobvs, sort, select, n, A, lda, sdim, wr, wi, VS, ldvs, work, lwork, bwork, info
    r.pure("dgees", |call| {
        let a = Mat::read_square(call, 4)?;
        let Some(s) = eigen::schur(&a) else {
            return call.set(14, NOT_CONVERGED);
        };
        write_values(call, &eigen::eigenvalues(&s.t), 7, 8)?;
        s.t.write(call, 4)?;
        if is(call, 0, 'V')? {
            s.z.write(call, 9)?;
        }
        call.set(6, 0.0)?;
        call.set(14, 0.0)
    });
    // n, ilo, ihi, A, lda, tau, work, lwork, info
    r.pure("dgehrd", |call| {
        let mut a = Mat::read_square(call, 3)?;
        let part = part(call, 1, 2, a.rows)?;
        let taus = qr::hessenberg(&mut a, part);
        a.write(call, 3)?;
        write_taus(call, 5, &taus)?;
        call.set(8, 0.0)
    });
    r.pure("dorghr", |call| {
        let a = Mat::read_square(call, 3)?;
        let taus = read_taus(call, 5, a.rows.saturating_sub(1), &a)?;
        qr::orthogonal(&a, &taus, 1).write(call, 3)?;
        call.set(8, 0.0)
    });
    // job, compz, n, ilo, ihi, H, ldh, wr, wi, Z, ldz, work, lwork, info
    r.pure("dhseqr", |call| {
        let mut h = Mat::read_square(call, 5)?;
        for i in 2..h.rows {
            for j in 0..i - 1 {
                h[(i, j)] = 0.0;
            }
        }
        let z = if is(call, 1, 'V')? {
            Mat::read_square(call, 9)?
        } else {
            Mat::identity(h.rows)
        };
        let Some(s) = eigen::schur_of_hessenberg(h, z) else {
            return call.set(13, NOT_CONVERGED);
        };
        write_values(call, &eigen::eigenvalues(&s.t), 7, 8)?;
        s.t.write(call, 5)?;
        if !is(call, 1, 'N')? {
            s.z.write(call, 9)?;
        }
        call.set(13, 0.0)
    });
    // side, howmny, select, n, T, ldt, VL, ldvl, VR, ldvr, mm, m, work, info
    r.pure("dtrevc", |call| {
        let t = Mat::read_square(call, 4)?;
        let values = eigen::eigenvalues(&t);
        let basis = |call: &dyn Call, k: usize| {
            if is(call, 1, 'B')? {
                Mat::read_square(call, k)
            } else {
                Ok(Mat::identity(t.rows))
            }
        };
        if !is(call, 0, 'L')? {
            let s = Schur {
                t: t.clone(),
                z: basis(call, 8)?,
            };
            packed(&values, &eigen::eigenvectors(&s)).write(call, 8)?;
        }
        if !is(call, 0, 'R')? {
            let z = basis(call, 6)?;
            z.times(&left(&t, &values)?).write(call, 6)?;
        }
        call.set(13, 0.0)
    });
    // job, compq, select, n, T, ldt, Q, ldq, wr, wi, m, s, sep, work, lwork, iwork, liwork, info
    r.pure("dtrsen", |call| {
        let select: Vec<bool> = call.array(2)?.iter().map(|&x| x != 0.0).collect();
        let t = Mat::read_square(call, 4)?;
        let update = is(call, 1, 'V')?;
        let z = if update {
            Mat::read_square(call, 6)?
        } else {
            Mat::identity(t.rows)
        };
        let mut s = Schur { t, z };
        let Some(m) = sylvester::reorder(&mut s, &select) else {
            return call.set(17, NOT_CONVERGED);
        };
        write_values(call, &eigen::eigenvalues(&s.t), 8, 9)?;
        s.t.write(call, 4)?;
        if update {
            s.z.write(call, 6)?;
        }
        call.set(10, m as f64)?;
        call.set(17, 0.0)
    });
    // trana, tranb, isgn, m, n, A, lda, B, ldb, C, ldc, scale, info
    r.pure("dtrsyl", |call| {
        let transposed = |call: &dyn Call, flag: usize, k: usize| {
            let m = Mat::read_square(call, k)?;
            Ok::<_, String>(if is(call, flag, 'N')? {
                m
            } else {
                m.transposed()
            })
        };
        let (a, b) = (transposed(call, 0, 5)?, transposed(call, 1, 7)?);
        let c = Mat::read(call, 9)?;
        if a.rows != c.rows || b.rows != c.columns {
            return Err("the sizes of the Sylvester equation do not fit together".to_string());
        }
        let sign = if call.real(2)? < 0.0 { -1.0 } else { 1.0 };
        let lower = !is(call, 1, 'N')?;
        call.set(11, 1.0)?;
        match sylvester::solve(&a, &b, sign, &c, lower) {
            Some(x) => {
                x.write(call, 9)?;
                call.set(12, 0.0)
            }
            None => call.set(12, 1.0),
        }
    });
    // jobvl, jobvr, n, A, lda, B, ldb, alphar, alphai, beta, VL, ldvl, VR, ldvr, work, lwork, info
    r.pure("dggev", |call| {
        let (a, b) = (Mat::read_square(call, 3)?, Mat::read_square(call, 5)?);
        let Some(pencil) = Pencil::new(&a, &b) else {
            return call.set(16, NOT_CONVERGED);
        };
        pencil.write_values(call, 7)?;
        if is(call, 1, 'V')? {
            packed(&pencil.inner, &eigen::eigenvectors(&pencil.schur)).write(call, 12)?;
        }
        if is(call, 0, 'V')? {
            let adjoint = Pencil::new(&a.transposed(), &b.transposed());
            if let Some(adjoint) = adjoint {
                let vectors = eigen::eigenvectors(&adjoint.schur);
                let matched = match_values(&pencil.inner, &adjoint.inner, &vectors);
                packed(&pencil.inner, &matched).write(call, 10)?;
            }
        }
        call.set(16, 0.0)
    });
    // jobvl, jobvr, n, A, lda, B, ldb, alphar, alphai, beta, VL, ldvl, VR, ldvr, work, lwork, info
    r.pure("dgegv", |call| {
        let (a, b) = (Mat::read_square(call, 3)?, Mat::read_square(call, 5)?);
        let Some(pencil) = Pencil::new(&a, &b) else {
            return call.set(16, NOT_CONVERGED);
        };
        pencil.write_values(call, 7)?;
        call.set(16, 0.0)
    });
    // job, compq, compz, n, ilo, ihi, H, ldh, T, ldt, alphar, alphai, beta, Q, ldq, Z, ldz, work,
    // lwork, info
    r.pure("dhgeqz", |call| {
        let (a, b) = (Mat::read_square(call, 6)?, Mat::read_square(call, 8)?);
        let Some(pencil) = Pencil::new(&a, &b) else {
            return call.set(19, NOT_CONVERGED);
        };
        pencil.write_values(call, 10)?;
        call.set(19, 0.0)
    });
}

/// The rows and columns `ilo` to `ihi`, which count from 1.
fn part(
    call: &dyn Call,
    ilo: usize,
    ihi: usize,
    n: usize,
) -> Result<std::ops::Range<usize>, String> {
    let (first, last) = (call.size(ilo)?, call.size(ihi)?);
    if n > 0 && (first < 1 || last > n || first > last + 1) {
        return Err(format!(
            "{first} to {last} is no part of a matrix of {n} rows"
        ));
    }
    Ok(first.saturating_sub(1)..last)
}

fn write_values(
    call: &mut dyn Call,
    values: &[Complex],
    re: usize,
    im: usize,
) -> Result<(), String> {
    let part = |f: fn(&Complex) -> f64| values.iter().map(f).collect::<Vec<f64>>();
    call.fill(re, &part(|v| v.0))?;
    call.fill(im, &part(|v| v.1))
}

/// Vectors as columns; of a complex pair the real and the imaginary part.
fn packed(values: &[Complex], vectors: &[Vec<Complex>]) -> Mat {
    let n = values.len();
    let mut m = Mat::zeros(n, n);
    let mut k = 0;
    while k < n {
        let pair = values[k].1 != 0.0 && k + 1 < n;
        for i in 0..n {
            m[(i, k)] = vectors[k][i].0;
            if pair {
                m[(i, k + 1)] = vectors[k][i].1;
            }
        }
        k += if pair { 2 } else { 1 };
    }
    m
}

/// Left eigenvectors u, uᴴ·A = λ·uᴴ: right ones of Aᵀ, of the conjugate eigenvalue.
fn left(a: &Mat, values: &[Complex]) -> Result<Mat, String> {
    let s = eigen::schur(&a.transposed()).ok_or("the eigenvalues do not converge")?;
    let vectors = eigen::eigenvectors(&s);
    let matched = match_values(values, &eigen::eigenvalues(&s.t), &vectors);
    let conjugate: Vec<Vec<Complex>> = matched
        .into_iter()
        .map(|v| v.into_iter().map(|(x, y)| (x, -y)).collect())
        .collect();
    Ok(packed(values, &conjugate))
}

/// For each value the vector of the nearest other value that is not taken yet.
fn match_values(
    values: &[Complex],
    others: &[Complex],
    vectors: &[Vec<Complex>],
) -> Vec<Vec<Complex>> {
    let mut free: Vec<usize> = (0..others.len()).collect();
    values
        .iter()
        .map(|v| {
            let distance = |k: usize| f64::hypot(others[k].0 - v.0, others[k].1 - v.1);
            let at = (0..free.len())
                .min_by(|&i, &j| distance(free[i]).total_cmp(&distance(free[j])))
                .unwrap_or(0);
            vectors[free.swap_remove(at)].clone()
        })
        .collect()
}

/// A·x = λ·B·x by (A − σB)⁻¹·B·x = µ·x with λ = σ + 1/µ; µ = 0 is an infinite eigenvalue.
struct Pencil {
    sigma: f64,
    inner: Vec<Complex>,
    schur: Schur,
}

impl Pencil {
    fn new(a: &Mat, b: &Mat) -> Option<Pencil> {
        let scale = a.norm_1() / b.norm_1().max(f64::MIN_POSITIVE);
        let mut best: Option<(f64, f64, lu::Lu)> = None;
        // A shift far from all eigenvalues.
        for factor in [0.0, 0.379, -0.617, 1.713, -2.291] {
            let sigma = factor * scale;
            let mut shifted = a.clone();
            for (x, y) in shifted.data.iter_mut().zip(&b.data) {
                *x -= sigma * y;
            }
            let norm = shifted.norm_1();
            let factors = lu::factor(shifted);
            if factors.singular.is_some() {
                continue;
            }
            let rcond = 1.0 / (norm * factors.inverse().norm_1());
            if best.as_ref().is_none_or(|(r, ..)| rcond > *r) {
                best = Some((rcond, sigma, factors));
            }
        }
        let (_, sigma, factors) = best?;
        let mut c = b.clone();
        factors.solve(&mut c);
        let schur = eigen::schur(&c)?;
        Some(Pencil {
            sigma,
            inner: eigen::eigenvalues(&schur.t),
            schur,
        })
    }

    /// α (real, imaginary) and β ≥ 0 with λ = α/β, in three arguments from k.
    fn write_values(&self, call: &mut dyn Call, k: usize) -> Result<(), String> {
        let largest = self
            .inner
            .iter()
            .fold(0.0, |m: f64, v| m.max(f64::hypot(v.0, v.1)));
        let (mut re, mut im, mut beta) = (Vec::new(), Vec::new(), Vec::new());
        for &(x, y) in &self.inner {
            let size = f64::hypot(x, y);
            if size <= largest * f64::EPSILON * 10.0 {
                re.push(1.0);
                im.push(0.0);
                beta.push(0.0);
            } else {
                // (1 + σµ)/µ = (µ̄ + σ|µ|²)/|µ|²
                re.push(x / size + self.sigma * size);
                im.push(-y / size);
                beta.push(size);
            }
        }
        call.fill(k, &re)?;
        call.fill(k + 1, &im)?;
        call.fill(k + 2, &beta)
    }
}
