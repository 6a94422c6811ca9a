//! Discrete Fourier transform of real samples of any even number.
//!
//! Lengths of small prime factors are split by the mixed-radix algorithm of Cooley and Tukey; a prime
//! factor p costs p² operations a transform of that length.

use std::f64::consts::TAU;

use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    r.pure("ModelicaFFT_kiss_fftr", |call| {
        // u, size, work, size of work, amplitudes, phases
        let u = call.array(0)?;
        let n = u.len();
        if !n.is_multiple_of(2) || n == 0 {
            call.return_real(1.0);
            return Ok(());
        }
        let half = n / 2 + 1;
        let spectrum = transform(u);
        let scale = half as f64;
        let amplitudes: Vec<f64> = spectrum[..half]
            .iter()
            .map(|(re, im)| re.hypot(*im) / scale)
            .collect();
        let phases: Vec<f64> = spectrum[..half]
            .iter()
            .map(|(re, im)| im.atan2(*re))
            .collect();
        call.fill(4, &amplitudes)?;
        call.fill(5, &phases)?;
        call.return_real(0.0);
        Ok(())
    });
}

type Complex = (f64, f64);

/// X_k = Σ x_j exp(−2πi jk/n).
fn transform(x: &[f64]) -> Vec<Complex> {
    let n = x.len();
    let roots: Vec<Complex> = (0..n)
        .map(|k| {
            let (s, c) = (-TAU * k as f64 / n as f64).sin_cos();
            (c, s)
        })
        .collect();
    let mut out = vec![(0.0, 0.0); n];
    split(x, 1, &roots, &mut out);
    out
}

/// The transform of x[0], x[stride], … into `out`.
fn split(x: &[f64], stride: usize, roots: &[Complex], out: &mut [Complex]) {
    let n = out.len();
    if n == 1 {
        out[0] = (x[0], 0.0);
        return;
    }
    let p = (2..)
        .take_while(|p| p * p <= n)
        .find(|p| n.is_multiple_of(*p))
        .unwrap_or(n);
    let m = n / p;
    for (q, part) in out.chunks_exact_mut(m).enumerate() {
        split(&x[q * stride..], stride * p, roots, part);
    }
    let step = roots.len() / n;
    let mut column = vec![(0.0, 0.0); p];
    for k in 0..m {
        for (q, c) in column.iter_mut().enumerate() {
            *c = out[q * m + k];
        }
        for r in 0..p {
            let at = r * m + k;
            let mut sum = (0.0, 0.0);
            for (q, c) in column.iter().enumerate() {
                let w = roots[(q * at % n) * step];
                sum.0 += c.0 * w.0 - c.1 * w.1;
                sum.1 += c.0 * w.1 + c.1 * w.0;
            }
            out[at] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the defining sum, for lengths with factors 2, 3, 5, 7 and a prime.
    #[test]
    fn the_sum_by_definition() {
        for n in [1, 2, 4, 6, 12, 30, 42, 13, 64] {
            let x: Vec<f64> = (0..n).map(|i| ((i * i) as f64 * 0.37).sin()).collect();
            let fast = transform(&x);
            for (k, (re, im)) in fast.iter().enumerate() {
                let (mut a, mut b) = (0.0, 0.0);
                for (j, v) in x.iter().enumerate() {
                    let (s, c) = (-TAU * ((j * k) % n) as f64 / n as f64).sin_cos();
                    a += v * c;
                    b += v * s;
                }
                assert!((re - a).abs() < 1e-12 && (im - b).abs() < 1e-12);
            }
        }
    }
}
