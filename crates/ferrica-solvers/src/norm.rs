//! Weighted root-mean-square norms: the unit in which all errors are measured.
//!
//! weight_i = 1 / (rtol |y_i| + atol_i); a vector of norm one is as large as the tolerance.

use crate::integrator::Options;

/// Fills the weights at the point `y`.
pub fn set_weights(options: &Options, y: &[f64], weight: &mut [f64]) {
    let rtol = options.rtol;
    let now = |y: &f64, atol: f64| 1.0 / (rtol * y.abs() + atol);
    let of = weight.iter_mut().zip(y);
    match (&options.atol[..], options.lasting_scale) {
        (&[atol], false) => of.for_each(|(w, y)| *w = now(y, atol)),
        (&[atol], true) => of.for_each(|(w, y)| *w = lasting(*w, now(y, atol))),
        (each, true) if each.len() >= y.len() => {
            (of.zip(each)).for_each(|((w, y), &atol)| *w = lasting(*w, now(y, atol)));
        }
        (each, false) if each.len() >= y.len() => {
            (of.zip(each)).for_each(|((w, y), &atol)| *w = now(y, atol));
        }
        (_, lasts) => {
            for (i, (w, y)) in of.enumerate() {
                let now = now(y, options.atol(i));
                *w = if lasts { lasting(*w, now) } else { now };
            }
        }
    }
}

/// The weight of the largest value so far; it is zero before there is any.
pub fn lasting(before: f64, now: f64) -> f64 {
    if before > 0.0 { now.min(before) } else { now }
}

/// √(Σ (v_i w_i)² / n)
pub fn wrms(v: &[f64], weight: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, b) = (v.chunks_exact(4), weight.chunks_exact(4));
    let rest: f64 = a
        .remainder()
        .iter()
        .zip(b.remainder())
        .map(|(v, w)| (v * w) * (v * w))
        .sum();
    for (v, w) in a.zip(b) {
        for j in 0..4 {
            let x = v[j] * w[j];
            sums[j] += x * x;
        }
    }
    let sum = rest + sums.iter().sum::<f64>();
    (sum / v.len().max(1) as f64).sqrt()
}

/// Index of the largest |v_i w_i|.
pub fn largest(v: &[f64], weight: &[f64]) -> usize {
    let mut best = (0, -1.0);
    for (i, (v, w)) in v.iter().zip(weight).enumerate() {
        let x = (v * w).abs();
        // Not a number is the largest of all.
        if x > best.1 || x.is_nan() {
            best = (i, x);
            if x.is_nan() {
                break;
            }
        }
    }
    best.0
}
