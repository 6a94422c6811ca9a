//! The passes over all unknowns that a BDF step makes, each fused into one loop over contiguous memory.
//!
//! Four partial sums a loop let the compiler use vector instructions for reductions.

/// Adds `scale · delta` to `y`, `e` and, times `cj`, to `yp`; `delta` becomes the change. Returns its weighted norm. On the
/// `first` correction of a step `e` is overwritten.
pub fn correct(
    scale: f64,
    cj: f64,
    first: bool,
    delta: &mut [f64],
    y: &mut [f64],
    yp: &mut [f64],
    e: &mut [f64],
    weight: &[f64],
) -> f64 {
    let n = delta.len();
    if first {
        e.fill(0.0);
    }
    let mut sums = [0.0f64; 4];
    let (d4, d1) = delta.as_chunks_mut::<4>();
    let (y4, y1) = y[..n].as_chunks_mut::<4>();
    let (p4, p1) = yp[..n].as_chunks_mut::<4>();
    let (e4, e1) = e[..n].as_chunks_mut::<4>();
    let (w4, w1) = weight[..n].as_chunks::<4>();
    for ((((d, y), p), e), w) in d4.iter_mut().zip(y4).zip(p4).zip(e4).zip(w4) {
        for j in 0..4 {
            let change = scale * d[j];
            d[j] = change;
            y[j] += change;
            p[j] += cj * change;
            e[j] += change;
            let x = change * w[j];
            sums[j] += x * x;
        }
    }
    for ((((d, y), p), e), w) in d1.iter_mut().zip(y1).zip(p1).zip(e1).zip(w1) {
        let change = scale * *d;
        *d = change;
        *y += change;
        *p += cj * change;
        *e += change;
        let x = change * w;
        sums[0] += x * x;
    }
    (sums.iter().sum::<f64>() / n.max(1) as f64).sqrt()
}

/// Weighted norms of e, e + φ_k, e + φ_k + φ_{k-1} and e - φ_{k+1}.
pub fn error_norms(
    e: &[f64],
    weight: &[f64],
    phi_k: &[f64],
    phi_km1: &[f64],
    phi_kp1: &[f64],
) -> [f64; 4] {
    let n = e.len();
    let mut sums = [[0.0f64; 4]; 4];
    let add = |sums: &mut [[f64; 4]; 4], j: usize, e: f64, w: f64, a: f64, b: f64, c: f64| {
        let x = [e * w, (e + a) * w, (e + a + b) * w, (e - c) * w];
        for (s, x) in sums.iter_mut().zip(x) {
            s[j] += x * x;
        }
    };
    let (e4, e1) = e.as_chunks::<4>();
    let (w4, w1) = weight[..n].as_chunks::<4>();
    let (a4, a1) = phi_k[..n].as_chunks::<4>();
    let (b4, b1) = phi_km1[..n].as_chunks::<4>();
    let (c4, c1) = phi_kp1[..n].as_chunks::<4>();
    for ((((e, w), a), b), c) in e4.iter().zip(w4).zip(a4).zip(b4).zip(c4) {
        for j in 0..4 {
            add(&mut sums, j, e[j], w[j], a[j], b[j], c[j]);
        }
    }
    for ((((e, w), a), b), c) in e1.iter().zip(w1).zip(a1).zip(b1).zip(c1) {
        add(&mut sums, 0, *e, *w, *a, *b, *c);
    }
    sums.map(|s| (s.iter().sum::<f64>() / n.max(1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_agree_with_their_definition() {
        for n in [1usize, 3, 4, 7, 16] {
            let v = |seed: f64| {
                (0..n)
                    .map(|i| (seed + i as f64).sin())
                    .collect::<Vec<f64>>()
            };
            let (e, w, a, b, c) = (v(0.1), v(0.2), v(0.3), v(0.4), v(0.5));
            let norms = error_norms(&e, &w, &a, &b, &c);
            let exact = |f: &dyn Fn(usize) -> f64| {
                ((0..n).map(|i| (f(i) * w[i]).powi(2)).sum::<f64>() / n as f64).sqrt()
            };
            let wanted = [
                exact(&|i| e[i]),
                exact(&|i| e[i] + a[i]),
                exact(&|i| e[i] + a[i] + b[i]),
                exact(&|i| e[i] - c[i]),
            ];
            for (x, y) in norms.iter().zip(wanted) {
                assert!((x - y).abs() < 1e-14);
            }
            let (mut d, mut y, mut yp, mut ee) = (v(1.0), v(2.0), v(3.0), v(4.0));
            let before = y.clone();
            let norm = correct(-0.5, 2.0, true, &mut d, &mut y, &mut yp, &mut ee, &w);
            assert!((norm - exact(&|i| d[i])).abs() < 1e-14);
            for i in 0..n {
                assert_eq!(ee[i], d[i]);
                assert!((y[i] - before[i] - d[i]).abs() < 1e-15);
            }
        }
    }
}
