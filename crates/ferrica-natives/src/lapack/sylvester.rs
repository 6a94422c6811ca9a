//! Sylvester's equation for quasi-triangular matrices, and the exchange of blocks of a Schur form
//! (Bai and Demmel, Linear Algebra Appl. 186 (1993) 73), which rests on it.

use super::eigen::{self, Schur};
use super::lu;
use super::matrix::Mat;
use super::qr;

/// Solves A·X ± X·B = C for X, B upper quasi-triangular (or transposed of one, `lower`).
/// `None` if the two have a common eigenvalue (up to the sign).
pub fn solve(a: &Mat, b: &Mat, sign: f64, c: &Mat, lower: bool) -> Option<Mat> {
    let (m, n) = (c.rows, c.columns);
    let mut x = c.clone();
    let mut blocks = blocks(b);
    if lower {
        blocks.reverse();
    }
    let mut done: Vec<usize> = Vec::new();
    for (first, size) in blocks {
        let columns: Vec<usize> = (first..first + size).collect();
        let mut system = Mat::zeros(m * size, m * size);
        let mut rhs = Mat::zeros(m * size, 1);
        for (q, &j) in columns.iter().enumerate() {
            for i in 0..m {
                let row = q * m + i;
                let mut r = x[(i, j)];
                for &k in &done {
                    r -= sign * x[(i, k)] * b[(k, j)];
                }
                rhs[(row, 0)] = r;
                for k in 0..m {
                    system[(row, q * m + k)] += a[(i, k)];
                }
                for (p, &k) in columns.iter().enumerate() {
                    system[(row, p * m + i)] += sign * b[(k, j)];
                }
            }
        }
        let factors = lu::factor(system);
        if factors.singular.is_some() {
            return None;
        }
        factors.solve(&mut rhs);
        for (q, &j) in columns.iter().enumerate() {
            for i in 0..m {
                x[(i, j)] = rhs[(q * m + i, 0)];
            }
        }
        done.extend(columns);
    }
    debug_assert_eq!(x.columns, n);
    Some(x)
}

/// Diagonal blocks: first row and size. Of the transposed too.
fn blocks(t: &Mat) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let mut k = 0;
    while k < t.rows {
        let coupled = k + 1 < t.rows && t[(k + 1, k)] != 0.0 && t[(k, k + 1)] != 0.0;
        let size = if coupled { 2 } else { 1 };
        list.push((k, size));
        k += size;
    }
    list
}

/// Moves the selected eigenvalues to the top; how many they are. `None` if two blocks are too close
/// to be exchanged.
pub fn reorder(s: &mut Schur, select: &[bool]) -> Option<usize> {
    let mut list: Vec<(usize, bool)> = blocks(&s.t)
        .into_iter()
        .map(|(k, size)| (size, (k..k + size).any(|i| select.get(i) == Some(&true))))
        .collect();
    // Exchange neighbours until the selected are first.
    while let Some(k) = (1..list.len()).find(|&k| list[k].1 && !list[k - 1].1) {
        let at: usize = list[..k - 1].iter().map(|b| b.0).sum();
        exchange(s, at, list[k - 1].0, list[k].0)?;
        list.swap(k - 1, k);
    }
    Some(list.iter().filter(|b| b.1).map(|b| b.0).sum())
}

fn exchange(s: &mut Schur, at: usize, p: usize, q: usize) -> Option<()> {
    let (mid, end) = (at + p, at + p + q);
    let a = s.t.block(at..mid, at..mid);
    let b = s.t.block(mid..end, mid..end);
    let c = s.t.block(at..mid, mid..end);
    let x = solve(&a, &b, -1.0, &c, false)?;
    // The invariant subspace of b is spanned by the columns of (−X; I).
    let mut basis = Mat::zeros(p + q, q);
    for j in 0..q {
        for i in 0..p {
            basis[(i, j)] = -x[(i, j)];
        }
        basis[(p + j, j)] = 1.0;
    }
    let (taus, _) = qr::factor(&mut basis, false);
    let orthogonal = qr::orthogonal(&basis, &taus, 0);
    let n = s.t.rows;
    let rows = s.t.block(at..end, 0..n);
    let turned = orthogonal.transposed().times(&rows);
    for i in at..end {
        for j in 0..n {
            s.t[(i, j)] = turned[(i - at, j)];
        }
    }
    for m in [&mut s.t, &mut s.z] {
        let columns = m.block(0..m.rows, at..end).times(&orthogonal);
        for i in 0..m.rows {
            for j in at..end {
                m[(i, j)] = columns[(i, j - at)];
            }
        }
    }
    for i in at + q..end {
        for j in at..at + q {
            s.t[(i, j)] = 0.0;
        }
    }
    if q == 2 {
        eigen::split_real_pair(&mut s.t, &mut s.z, at);
    }
    if p == 2 {
        eigen::split_real_pair(&mut s.t, &mut s.z, at + q);
    }
    Some(())
}
