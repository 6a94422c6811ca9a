//! Numbers from scipy 1.17.1 (`scipy.linalg`), identities that define the results otherwise.

use super::eigen;
use super::matrix::Mat;
use super::{lu, qr, svd, sylvester};
use crate::{Arguments, Call, Value, lookup};

fn n() -> Mat {
    Mat::new(
        4,
        4,
        vec![
            0.0, 1.0, 0.0, 0.0, -2.0, -0.3, 1.0, 0.0, 0.0, 0.0, -1.0, 4.0, 1.0, 0.0, -3.0, -0.5,
        ],
    )
}

fn a() -> Mat {
    Mat::new(
        4,
        4,
        vec![
            4.0, 1.0, -2.0, 2.0, 1.0, 2.0, 0.0, 1.0, -2.0, 0.0, 3.0, -2.0, 2.0, 1.0, -2.0, -1.0,
        ],
    )
}

fn near(x: &[f64], y: &[f64], tolerance: f64) {
    assert_eq!(x.len(), y.len());
    for (a, b) in x.iter().zip(y) {
        assert!((a - b).abs() <= tolerance, "{x:?} is not {y:?}");
    }
}

/// Deterministic numbers in (-1, 1).
fn pseudo(rows: usize, columns: usize) -> Mat {
    let mut s: u64 = 12345;
    let data = (0..rows * columns)
        .map(|_| {
            s = s
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (s >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        })
        .collect();
    Mat::new(rows, columns, data)
}

fn call(name: &str, values: Vec<Value>) -> Arguments {
    let mut c = Arguments::new(values);
    lookup(name).unwrap().call(&mut c).unwrap();
    c
}

fn m(x: &Mat) -> Value {
    Value::matrix(x.rows, x.columns, x.data.clone())
}

fn r(x: f64) -> Value {
    Value::Real(x)
}

fn t(s: &str) -> Value {
    Value::Text(s.to_string())
}

#[test]
fn linear_system() {
    let c = call(
        "dgesv",
        vec![
            r(4.0),
            r(1.0),
            m(&a()),
            r(4.0),
            Value::vector(vec![0.0; 4]),
            Value::vector(vec![1.0, 2.0, 3.0, 4.0]),
            r(4.0),
            r(-1.0),
        ],
    );
    let expected = [
        1.054054054054054,
        1.3243243243243243,
        0.5675675675675678,
        -1.7027027027027024,
    ];
    near(c.array(5).unwrap(), &expected, 1e-14);
    assert_eq!(c.real(7), Ok(0.0));
    let f = lu::factor(a());
    near(
        &[1.0 / (a().norm_1() * f.inverse().norm_1())],
        &[0.10541310541310542],
        1e-15,
    );
}

#[test]
fn a_singular_system_is_told() {
    let zero = Mat::zeros(2, 2);
    let c = call(
        "dgesv",
        vec![
            r(2.0),
            r(1.0),
            m(&zero),
            r(2.0),
            Value::vector(vec![0.0; 2]),
            Value::vector(vec![1.0, 2.0]),
            r(2.0),
            r(0.0),
        ],
    );
    assert_eq!(c.real(7), Ok(1.0));
}

#[test]
fn least_squares_and_shortest_solutions() {
    let tall = Mat::new(3, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.5]);
    let (x, rank) = svd::least_squares(&tall, &Mat::new(3, 1, vec![1.0, 2.0, 4.0]), 1e-10);
    near(&x.data, &[0.40909090909090884, 0.27272727272727265], 1e-13);
    assert_eq!(rank, 2);
    let (x, _) = svd::least_squares(&tall.transposed(), &Mat::new(2, 1, vec![1.0, 2.0]), 1e-10);
    let shortest = [
        0.9848484848484844,
        0.10606060606060592,
        -0.06060606060606034,
    ];
    near(&x.data, &shortest, 1e-13);
    near(
        &svd::svd(&tall).sigma,
        &[9.852920234522093, 0.41226551170948383],
        1e-13,
    );
    let rank_one = Mat::new(2, 2, vec![1.0, 2.0, 2.0, 4.0]);
    let (x, rank) = svd::least_squares(&rank_one, &Mat::new(2, 1, vec![1.0, 2.0]), 1e-10);
    assert_eq!(rank, 1);
    near(&x.data, &[0.2, 0.4], 1e-14);
}

#[test]
fn singular_value_factors_multiply_back() {
    for (rows, columns) in [(5, 3), (3, 5), (4, 4), (1, 3)] {
        let x = pseudo(rows, columns);
        let s = svd::svd(&x);
        let mut d = Mat::zeros(rows, columns);
        for (k, v) in s.sigma.iter().enumerate() {
            d[(k, k)] = *v;
        }
        near(&s.u.times(&d).times(&s.vt).data, &x.data, 1e-13);
        near(
            &s.u.transposed().times(&s.u).data,
            &Mat::identity(rows).data,
            1e-13,
        );
    }
}

#[test]
fn cholesky_factor() {
    let mut x = Mat::new(3, 3, vec![4.0, 2.0, 1.0, 2.0, 5.0, 3.0, 1.0, 3.0, 6.0]);
    assert_eq!(lu::cholesky(&mut x, true), None);
    near(
        &[
            x[(0, 0)],
            x[(0, 1)],
            x[(0, 2)],
            x[(1, 1)],
            x[(1, 2)],
            x[(2, 2)],
        ],
        &[2.0, 1.0, 0.5, 2.0, 1.25, 2.0463381929681126],
        1e-14,
    );
    assert_eq!(
        lu::cholesky(&mut Mat::new(1, 1, vec![-1.0]), false),
        Some(0)
    );
}

#[test]
fn orthogonal_factors_multiply_back() {
    for pivot in [false, true] {
        let x = pseudo(6, 4);
        let mut f = x.clone();
        let (taus, order) = qr::factor(&mut f, pivot);
        let q = qr::orthogonal(&f, &taus, 0);
        let mut upper = Mat::zeros(6, 4);
        let mut permuted = Mat::zeros(6, 4);
        for j in 0..4 {
            for i in 0..=j {
                upper[(i, j)] = f[(i, j)];
            }
            for i in 0..6 {
                permuted[(i, j)] = x[(i, order[j])];
            }
        }
        near(&q.times(&upper).data, &permuted.data, 1e-14);
    }
}

#[test]
fn eigenvalues_and_vectors() {
    let s = eigen::schur(&n()).unwrap();
    let mut values = eigen::eigenvalues(&s.t);
    let vectors = eigen::eigenvectors(&s);
    for (v, (re, im)) in vectors.iter().zip(&values) {
        for i in 0..4 {
            let (mut x, mut y) = (0.0, 0.0);
            for (j, e) in v.iter().enumerate() {
                x += n()[(i, j)] * e.0;
                y += n()[(i, j)] * e.1;
            }
            near(
                &[x, y],
                &[re * v[i].0 - im * v[i].1, re * v[i].1 + im * v[i].0],
                1e-13,
            );
        }
    }
    values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let expected = [
        (-0.7299813459156737, -3.504562645748256),
        (-0.7299813459156737, 3.504562645748256),
        (-0.17001865408432532, -1.2687867315461168),
        (-0.17001865408432532, 1.2687867315461168),
    ];
    for (v, e) in values.iter().zip(&expected) {
        near(&[v.0, v.1], &[e.0, e.1], 1e-13);
    }
}

#[test]
fn schur_form_of_larger_matrices() {
    for size in [1, 2, 3, 7, 20] {
        let x = pseudo(size, size);
        let s = eigen::schur(&x).unwrap();
        let back = s.z.times(&s.t).times(&s.z.transposed());
        near(&back.data, &x.data, 1e-12);
        let trace: f64 = (0..size).map(|i| x[(i, i)]).sum();
        let sum: f64 = eigen::eigenvalues(&s.t).iter().map(|v| v.0).sum();
        near(&[sum], &[trace], 1e-12);
    }
}

#[test]
fn reordered_schur_form() {
    let x = pseudo(8, 8);
    let mut s = eigen::schur(&x).unwrap();
    let stable: Vec<bool> = eigen::eigenvalues(&s.t).iter().map(|v| v.0 < 0.0).collect();
    let count = sylvester::reorder(&mut s, &stable).unwrap();
    assert_eq!(count, stable.iter().filter(|b| **b).count());
    let values = eigen::eigenvalues(&s.t);
    assert!(values[..count].iter().all(|v| v.0 < 0.0));
    assert!(values[count..].iter().all(|v| v.0 >= 0.0));
    near(
        &s.z.times(&s.t).times(&s.z.transposed()).data,
        &x.data,
        1e-11,
    );
}

#[test]
fn sylvester_equation() {
    let (a, b) = (
        eigen::schur(&pseudo(4, 4)).unwrap().t,
        eigen::schur(&n()).unwrap().t,
    );
    let c = pseudo(4, 4);
    for (sign, lower) in [(1.0, false), (-1.0, true)] {
        let b = if lower { b.transposed() } else { b.clone() };
        let x = sylvester::solve(&a, &b, sign, &c, lower).unwrap();
        let (ax, xb) = (a.times(&x), x.times(&b));
        let back: Vec<f64> = ax
            .data
            .iter()
            .zip(&xb.data)
            .map(|(p, q)| p + sign * q)
            .collect();
        near(&back, &c.data, 1e-12);
    }
}

#[test]
fn generalized_eigenvalues() {
    let zeros = || Value::vector(vec![0.0; 4]);
    let square = || m(&Mat::zeros(4, 4));
    let run = |b: &Mat| {
        let mut values = vec![t("V"), t("V"), r(4.0), m(&n()), r(4.0), m(b), r(4.0)];
        values.extend([
            zeros(),
            zeros(),
            zeros(),
            square(),
            r(4.0),
            square(),
            r(4.0),
        ]);
        values.extend([zeros(), r(4.0), r(-1.0)]);
        let c = call("dggev", values);
        assert_eq!(c.real(16), Ok(0.0));
        let (re, im, beta) = (
            c.array(7).unwrap(),
            c.array(8).unwrap(),
            c.array(9).unwrap(),
        );
        let mut list: Vec<(f64, f64)> =
            (0..4).map(|k| (re[k] / beta[k], im[k] / beta[k])).collect();
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        list
    };
    let expected = [
        (-1.527291143609633, 0.0),
        (-0.07174864733418176, -0.5342551083099898),
        (-0.07174864733418176, 0.5342551083099898),
        (1.2788965463861046, 0.0),
    ];
    for (v, e) in run(&a()).iter().zip(&expected) {
        near(&[v.0, v.1], &[e.0, e.1], 1e-12);
    }
    let mut singular = Mat::identity(4);
    singular[(2, 2)] = 0.0;
    let values = run(&singular);
    near(
        &[values[0].0],
        &[-3.1716166393697254 / 0.2542581455603286],
        1e-10,
    );
    assert!(values[3].0.is_infinite());
}

#[test]
fn constrained_least_squares() {
    // Closest point to (1, 2, 4) on the plane x + y + z = 1: (1, 2, 4) − 2·(1, 1, 1).
    let c = call(
        "dgglse",
        vec![
            r(3.0),
            r(3.0),
            r(1.0),
            m(&Mat::identity(3)),
            r(3.0),
            m(&Mat::new(1, 3, vec![1.0; 3])),
            r(1.0),
            Value::vector(vec![1.0, 2.0, 4.0]),
            Value::vector(vec![1.0]),
            Value::vector(vec![0.0; 3]),
            Value::vector(vec![0.0; 10]),
            r(10.0),
            r(-1.0),
        ],
    );
    near(c.array(9).unwrap(), &[-1.0, 0.0, 2.0], 1e-14);
}

/// A part of a matrix that is triangular outside of it: the same reduction as of the whole, Q·H·Qᵀ is the matrix again.
#[test]
fn hessenberg_form_of_a_part() {
    let n = 6;
    let mut a = pseudo(n, n);
    for i in 0..n {
        for j in 0..i {
            if i == n - 1 || j == 0 {
                a[(i, j)] = 0.0;
            }
        }
    }
    let taus = Value::vector(vec![0.0; n - 1]);
    let work = Value::vector(vec![0.0; n]);
    let arguments = vec![
        r(n as f64),
        r(2.0),
        r((n - 1) as f64),
        m(&a),
        r(n as f64),
        taus,
        work,
        r(n as f64),
        r(-1.0),
    ];
    let c = call("dgehrd", arguments.clone());
    assert_eq!(c.real(8), Ok(0.0));
    let stored = Mat::new(n, n, c.array(3).unwrap().to_vec());
    let taus = c.array(5).unwrap().to_vec();
    let mut again = arguments;
    again[3] = m(&stored);
    again[5] = Value::vector(taus.clone());
    let q = Mat::new(n, n, call("dorghr", again).array(3).unwrap().to_vec());
    let mut h = stored;
    for i in 2..n {
        for j in 0..i - 1 {
            h[(i, j)] = 0.0;
        }
    }
    near(&q.times(&h).times(&q.transposed()).data, &a.data, 1e-13);
    near(
        &q.transposed().times(&q).data,
        &Mat::identity(n).data,
        1e-14,
    );
    // Rows and columns outside of the part stay as they are.
    assert_eq!((q[(0, 0)], q[(n - 1, n - 1)]), (1.0, 1.0));
}
