//! Weighted root-mean-square norms: the unit in which all errors are measured.
//!
//! weight_i = 1 / (rtol |y_i| + atol_i); a vector of norm one is as large as the tolerance.

use crate::integrator::Options;

/// Fills the weights at the point `y`.
pub fn set_weights(options: &Options, y: &[f64], weight: &mut [f64]) {
    let rtol = options.rtol;
    if options.lasting_scale {
        for (i, (w, y)) in weight.iter_mut().zip(y).enumerate() {
            *w = lasting(*w, 1.0 / (rtol * y.abs() + options.atol(i)));
        }
        return;
    }
    if let [atol] = options.atol[..] {
        for (w, y) in weight.iter_mut().zip(y) {
            *w = 1.0 / (rtol * y.abs() + atol);
        }
    } else {
        for (i, (w, y)) in weight.iter_mut().zip(y).enumerate() {
            *w = 1.0 / (rtol * y.abs() + options.atol(i));
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
