//! Factors of matrices, norms and condition numbers.

use super::lu::{self, Triangle};
use super::matrix::Mat;
use super::systems::{info, is, read_factors, write_factors};
use super::{qr, svd};
use crate::call::Call;
use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    // m, n, A, lda, pivots, info
    r.pure("dgetrf", |call| {
        let factors = lu::factor(Mat::read(call, 2)?);
        write_factors(call, &factors, 2, 4)?;
        call.set(5, info(factors.singular))
    });
    // n, A, lda, pivots, work, lwork, info
    r.pure("dgetri", |call| {
        let factors = read_factors(call, 1, 3)?;
        if factors.singular.is_none() {
            factors.inverse().write(call, 1)?;
        }
        call.set(6, info(factors.singular))
    });
    // uplo, n, A, lda, info
    r.pure("dpotrf", |call| {
        let mut a = Mat::read_square(call, 2)?;
        let upper = is(call, 0, 'U')?;
        let failed = lu::cholesky(&mut a, upper);
        a.write(call, 2)?;
        call.set(4, info(failed))
    });
    // m, n, A, lda, tau, work, lwork, info
    r.pure("dgeqrf", |call| {
        let mut a = Mat::read(call, 2)?;
        let (taus, _) = qr::factor(&mut a, false);
        a.write(call, 2)?;
        write_taus(call, 4, &taus)?;
        call.set(7, 0.0)
    });
    // m, n, A, lda, jpvt, tau, work, lwork, info
    r.pure("dgeqp3", |call| {
        let mut a = Mat::read(call, 2)?;
        let (taus, order) = qr::factor(&mut a, true);
        a.write(call, 2)?;
        let order: Vec<f64> = order.iter().map(|&j| j as f64 + 1.0).collect();
        call.fill(4, &order)?;
        write_taus(call, 5, &taus)?;
        call.set(8, 0.0)
    });
    // m, n, A, lda, jpvt, tau, work, info
    r.pure("dgeqpf", |call| {
        let mut a = Mat::read(call, 2)?;
        let (taus, order) = qr::factor(&mut a, true);
        a.write(call, 2)?;
        let order: Vec<f64> = order.iter().map(|&j| j as f64 + 1.0).collect();
        call.fill(4, &order)?;
        write_taus(call, 5, &taus)?;
        call.set(7, 0.0)
    });
    // m, n, k, Q, lda, tau, work, lwork, info
    r.pure("dorgqr", |call| {
        let a = Mat::read(call, 3)?;
        let k = call.size(2)?;
        let taus = read_taus(call, 5, k, &a)?;
        let q = qr::orthogonal(&a, &taus, 0).block(0..a.rows, 0..a.columns);
        q.write(call, 3)?;
        call.set(8, 0.0)
    });
    // side, trans, m, n, k, A, lda, tau, C, ldc, work, lwork, info
    r.pure("dormqr", |call| {
        let a = Mat::read(call, 5)?;
        let k = call.size(4)?;
        let taus = read_taus(call, 7, k, &a)?;
        multiply(call, &a, &taus, 0, 8)?;
        call.set(12, 0.0)
    });
    // side, trans, m, n, ilo, ihi, A, lda, tau, C, ldc, work, lwork, info
    r.pure("dormhr", |call| {
        let a = Mat::read_square(call, 6)?;
        let taus = read_taus(call, 8, a.rows.saturating_sub(1), &a)?;
        multiply(call, &a, &taus, 1, 9)?;
        call.set(13, 0.0)
    });
    // jobu, jobvt, m, n, A, lda, sigma, U, ldu, VT, ldvt, work, lwork, info
    r.pure("dgesvd", |call| {
        let s = svd::svd(&Mat::read(call, 4)?);
        call.fill(6, &s.sigma)?;
        if is(call, 0, 'A')? {
            s.u.write(call, 7)?;
        }
        if is(call, 1, 'A')? {
            s.vt.write(call, 9)?;
        }
        call.set(13, 0.0)
    });
    // jobz, m, n, A, lda, sigma, U, ldu, VT, ldvt, work, lwork, iwork, info
    r.pure("dgesdd", |call| {
        let s = svd::svd(&Mat::read(call, 3)?);
        call.fill(5, &s.sigma)?;
        if is(call, 0, 'A')? {
            s.u.write(call, 6)?;
            s.vt.write(call, 8)?;
        }
        call.set(13, 0.0)
    });
    // norm, m, n, A, lda, work
    r.pure("dlange", |call| {
        let a = Mat::read(call, 3)?;
        let norm = match call.text(0)?.to_ascii_uppercase().as_str() {
            "1" | "O" => a.norm_1(),
            "I" => a.transposed().norm_1(),
            "M" => a.data.iter().fold(0.0, |m: f64, x| m.max(x.abs())),
            _ => a.norm_frobenius(),
        };
        call.return_real(norm);
        Ok(())
    });
    // norm, n, LU, lda, anorm, rcond, work, iwork, info
    r.pure("dgecon", |call| {
        let lu = Mat::read_square(call, 2)?;
        let mut inverse = Mat::identity(lu.rows);
        // Row exchanges permute the columns of the inverse, which leaves its norms alone.
        for (upper, unit) in [(false, true), (true, false)] {
            let triangle = Triangle {
                upper,
                transposed: false,
                unit,
            };
            triangle.solve(&lu, &mut inverse);
        }
        let norm = if is(call, 0, 'I')? {
            inverse.transposed().norm_1()
        } else {
            inverse.norm_1()
        };
        let rcond = 1.0 / (norm * call.real(4)?);
        call.set(5, if rcond.is_finite() { rcond } else { 0.0 })?;
        call.set(8, 0.0)
    });
}

/// Some declarations have longer vectors than there are reflectors.
pub fn write_taus(call: &mut dyn Call, k: usize, taus: &[f64]) -> Result<(), String> {
    let out = call.array_mut(k)?;
    for (i, t) in out.iter_mut().enumerate() {
        *t = taus.get(i).copied().unwrap_or(0.0);
    }
    Ok(())
}

pub fn read_taus(call: &dyn Call, k: usize, n: usize, a: &Mat) -> Result<Vec<f64>, String> {
    let taus = call.array(k)?;
    if taus.len() < n || n > a.rows.min(a.columns) {
        return Err("the reflectors do not belong to the matrix".to_string());
    }
    Ok(taus[..n].to_vec())
}

fn multiply(
    call: &mut dyn Call,
    a: &Mat,
    taus: &[f64],
    below: usize,
    c: usize,
) -> Result<(), String> {
    let mut m = Mat::read(call, c)?;
    let (left, transposed) = (is(call, 0, 'L')?, !is(call, 1, 'N')?);
    if a.rows != if left { m.rows } else { m.columns } {
        return Err("the sizes of the product do not fit together".to_string());
    }
    if left {
        qr::multiply_left(a, taus, below, transposed, &mut m);
    } else {
        qr::multiply_right(a, taus, below, transposed, &mut m);
    }
    m.write(call, c)
}
