//! Linear systems and least squares.

use super::lu::{self, Lu, Triangle};
use super::matrix::Mat;
use super::{qr, svd};
use crate::call::Call;
use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    // n, nrhs, A, lda, ipiv, B, ldb, info
    r.pure("dgesv", |call| {
        let factors = lu::factor(Mat::read_square(call, 2)?);
        let mut x = Mat::read(call, 5)?;
        write_factors(call, &factors, 2, 4)?;
        if factors.singular.is_none() {
            check_rows(&factors.lu, &x)?;
            factors.solve(&mut x);
            x.write(call, 5)?;
        }
        call.set(7, info(factors.singular))
    });
    // trans, n, nrhs, LU, lda, pivots, B, ldb, info
    r.pure("dgetrs", |call| {
        let factors = read_factors(call, 3, 5)?;
        let mut x = Mat::read(call, 6)?;
        check_rows(&factors.lu, &x)?;
        if is(call, 0, 'N')? {
            factors.solve(&mut x);
        } else {
            factors.solve_transposed(&mut x);
        }
        x.write(call, 6)?;
        call.set(8, 0.0)
    });
    // fact, trans, n, nrhs, A, lda, AF, ldaf, ipiv, equed, R, C, B, ldb, X, ldx, rcond, ferr, berr,
    // work, iwork, info
    r.pure("dgesvx", |call| {
        let a = Mat::read_square(call, 4)?;
        let n = a.rows;
        let norm = a.norm_1();
        let factors = lu::factor(a.clone());
        let b = Mat::read(call, 12)?;
        check_rows(&a, &b)?;
        let mut x = b.clone();
        let mut rcond = 0.0;
        if factors.singular.is_none() {
            let plain = is(call, 1, 'N')?;
            let solve = |m: &mut Mat| {
                if plain {
                    factors.solve(m);
                } else {
                    factors.solve_transposed(m);
                }
            };
            solve(&mut x);
            // One step of refinement.
            let product = if plain {
                a.times(&x)
            } else {
                a.transposed().times(&x)
            };
            let mut rest = b.clone();
            for (r, p) in rest.data.iter_mut().zip(&product.data) {
                *r -= p;
            }
            solve(&mut rest);
            for (x, d) in x.data.iter_mut().zip(&rest.data) {
                *x += d;
            }
            rcond = 1.0 / (norm * factors.inverse().norm_1());
            x.write(call, 14)?;
        }
        write_factors(call, &factors, 6, 8)?;
        call.set(16, rcond)?;
        let badly = if rcond < f64::EPSILON {
            n as f64 + 1.0
        } else {
            0.0
        };
        call.set(21, factors.singular.map_or(badly, |k| k as f64 + 1.0))
    });
    // n, nrhs, lower, diagonal, upper, B, ldb, info
    r.pure("dgtsv", |call| {
        let (low, diag, up) = (
            call.array(2)?.to_vec(),
            call.array(3)?.to_vec(),
            call.array(4)?.to_vec(),
        );
        let n = diag.len();
        if low.len() + 1 != n || up.len() + 1 != n {
            return Err("the three diagonals do not fit together".to_string());
        }
        let mut a = Mat::zeros(n, n);
        for i in 0..n {
            a[(i, i)] = diag[i];
            if i + 1 < n {
                a[(i + 1, i)] = low[i];
                a[(i, i + 1)] = up[i];
            }
        }
        solve_dense(call, a, 5, 7)
    });
    // n, kl, ku, nrhs, AB, ldab, ipiv, B, ldb, info
    r.pure("dgbsv", |call| {
        let (n, kl, ku) = (call.size(0)?, call.size(1)?, call.size(2)?);
        let band = Mat::read(call, 4)?;
        if band.rows < 2 * kl + ku + 1 || band.columns < n {
            return Err("the band matrix is smaller than its widths say".to_string());
        }
        let mut a = Mat::zeros(n, n);
        for j in 0..n {
            for i in j.saturating_sub(ku)..(j + kl + 1).min(n) {
                a[(i, j)] = band[(kl + ku + i - j, j)];
            }
        }
        solve_dense(call, a, 7, 9)
    });
    // trans, m, n, nrhs, A, lda, B, ldb, work, lwork, info
    r.pure("dgels", |call| {
        let mut a = Mat::read(call, 4)?;
        if !is(call, 0, 'N')? {
            a = a.transposed();
        }
        let (x, _) = least_squares(call, &a, 6, 0.0)?;
        write_top(call, 6, &x)?;
        call.set(10, 0.0)
    });
    // m, n, nrhs, A, lda, B, ldb, jpvt, rcond, rank, work, lwork, info
    r.pure("dgelsy", |call| {
        let a = Mat::read(call, 3)?;
        let rcond = call.real(8)?;
        let (x, rank) = least_squares(call, &a, 5, rcond)?;
        write_top(call, 5, &x)?;
        call.set(9, rank as f64)?;
        call.set(12, 0.0)
    });
    // m, n, nrhs, A, lda, B, ldb, jpvt, rcond, rank, work, info
    r.pure("dgelsx", |call| {
        let a = Mat::read(call, 3)?;
        let rcond = call.real(8)?;
        let (x, rank) = least_squares(call, &a, 5, rcond)?;
        write_top(call, 5, &x)?;
        call.set(9, rank as f64)?;
        call.set(11, 0.0)
    });
    // m, n, p, A, lda, B, ldb, c, d, x, work, lwork, info
    r.pure("dgglse", |call| {
        let (a, b) = (Mat::read(call, 3)?, Mat::read(call, 5)?);
        let (c, d) = (Mat::read(call, 7)?, Mat::read(call, 8)?);
        let x = constrained(&a, &b, &c, &d)?;
        x.write(call, 9)?;
        call.set(12, 0.0)
    });
    // side, uplo, transA, diag, m, n, alpha, A, lda, B, ldb
    r.pure("dtrsm", |call| {
        let a = Mat::read_square(call, 7)?;
        let mut x = Mat::read(call, 9)?;
        let alpha = call.real(6)?;
        x.data.iter_mut().for_each(|v| *v *= alpha);
        let mut triangle = Triangle {
            upper: is(call, 1, 'U')?,
            transposed: !is(call, 2, 'N')?,
            unit: is(call, 3, 'U')?,
        };
        if is(call, 0, 'L')? {
            check_rows(&a, &x)?;
            triangle.solve(&a, &mut x);
        } else {
            // X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ.
            triangle.transposed = !triangle.transposed;
            let mut t = x.transposed();
            check_rows(&a, &t)?;
            triangle.solve(&a, &mut t);
            x = t.transposed();
        }
        x.write(call, 9)
    });
}

/// Does text argument k begin with this letter, in either case?
pub fn is(call: &dyn Call, k: usize, letter: char) -> Result<bool, String> {
    Ok(call
        .text(k)?
        .chars()
        .next()
        .is_some_and(|c| c.eq_ignore_ascii_case(&letter)))
}

pub fn info(singular: Option<usize>) -> f64 {
    singular.map_or(0.0, |k| k as f64 + 1.0)
}

fn check_rows(a: &Mat, b: &Mat) -> Result<(), String> {
    if a.rows == b.rows {
        Ok(())
    } else {
        Err(format!(
            "a matrix of {} rows cannot be solved for a right side of {}",
            a.rows, b.rows
        ))
    }
}

pub fn write_factors(call: &mut dyn Call, f: &Lu, lu: usize, pivots: usize) -> Result<(), String> {
    f.lu.write(call, lu)?;
    let numbers: Vec<f64> = f.pivots.iter().map(|&p| p as f64 + 1.0).collect();
    call.fill(pivots, &numbers)
}

pub fn read_factors(call: &dyn Call, lu: usize, pivots: usize) -> Result<Lu, String> {
    let lu = Mat::read_square(call, lu)?;
    let pivots: Vec<usize> = call
        .array(pivots)?
        .iter()
        .map(|&p| p as usize - 1)
        .collect();
    if pivots.len() > lu.rows || pivots.iter().any(|&p| p >= lu.rows) {
        return Err("the pivots do not belong to the matrix".to_string());
    }
    let singular = (0..lu.rows).find(|&k| lu[(k, k)] == 0.0);
    Ok(Lu {
        lu,
        pivots,
        singular,
    })
}

fn solve_dense(call: &mut dyn Call, a: Mat, b: usize, out: usize) -> Result<(), String> {
    let factors = lu::factor(a);
    let mut x = Mat::read(call, b)?;
    check_rows(&factors.lu, &x)?;
    if factors.singular.is_none() {
        factors.solve(&mut x);
        x.write(call, b)?;
    }
    call.set(out, info(factors.singular))
}

/// The right side is the upper part of argument b, which is as long as rows or columns are.
fn least_squares(call: &dyn Call, a: &Mat, b: usize, rcond: f64) -> Result<(Mat, usize), String> {
    let b = Mat::read(call, b)?;
    if b.rows < a.rows.max(a.columns) {
        return Err("the right side is too short for its solution".to_string());
    }
    let rhs = b.block(0..a.rows, 0..b.columns);
    Ok(svd::least_squares(a, &rhs, rcond))
}

fn write_top(call: &mut dyn Call, k: usize, x: &Mat) -> Result<(), String> {
    let mut all = Mat::read(call, k)?;
    for i in 0..x.rows {
        for j in 0..x.columns {
            all[(i, j)] = x[(i, j)];
        }
    }
    all.write(call, k)
}

/// Minimizes |A·x − c| under B·x = d: the part of x that B sees, then the best of the rest.
fn constrained(a: &Mat, b: &Mat, c: &Mat, d: &Mat) -> Result<Mat, String> {
    let (n, p) = (a.columns, b.rows);
    if b.columns != n || c.rows != a.rows || d.rows != p || p > n {
        return Err("the sizes of the least squares problem do not fit together".to_string());
    }
    let mut factors = b.transposed();
    let (taus, _) = qr::factor(&mut factors, false);
    let q = qr::orthogonal(&factors, &taus, 0);
    let mut y1 = d.clone();
    let lower = Triangle {
        upper: true,
        transposed: true,
        unit: false,
    };
    lower.solve(&factors, &mut y1);
    let (q1, q2) = (q.block(0..n, 0..p), q.block(0..n, p..n));
    let mut rest = c.clone();
    let seen = a.times(&q1.times(&y1));
    for (r, s) in rest.data.iter_mut().zip(&seen.data) {
        *r -= s;
    }
    let (y2, _) = svd::least_squares(&a.times(&q2), &rest, 0.0);
    let mut x = q1.times(&y1);
    for (x, s) in x.data.iter_mut().zip(&q2.times(&y2).data) {
        *x += s;
    }
    Ok(x)
}
