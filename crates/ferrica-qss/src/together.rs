//! States that choose their quantized states together: the formulas of a step.
//!
//! For states that drive each other, ẋ = A·q + u with a matrix A, the meeting conditions of a single state (see `quantizer.rs`) hold with matrices:
//!
//!   Q = M⁻¹·(x₀ + ∫u − (h²/2) A U₀ + (h³/6) A (A U₀ + U₁)),  M = Σ (−hA)^k/k!,  Q' = AQ + U₀,  Q'' = AQ' + U₁.
//!
//! The powers of A must not be formed: beside a motion that is ten orders of magnitude faster they would lose a slow one. With z = hA and
//! R_k = z^k/M(z), all of this is
//!
//!   Q = R₀(x₀ + ∫u) + h(R₂/6 − R₁/2) U₀ + (h²/6) R₁ U₁
//!   hQ' = R₁(x₀ + ∫u) + h(R₀ − R₁) U₀ + (h²/6) R₂ U₁
//!   h²Q'' = R₂(x₀ + ∫u) + h(R₁ − R₂) U₀ + h²(R₀ − R₁ + R₂/2) U₁
//!
//! (of order 2 without the terms of U₁ and R₂, of order 1 without those of U₀ and R₁), and each R_k is a sum of resolvents (1 − αz)⁻¹ over the
//! reciprocal zeros α of M, as Radau IIA has it: systems whose condition is that of z, not of its powers.

use crate::quantizer::TAIL;
use ferrica_solvers::dense::DenseLu;
use ferrica_solvers::scalar::{Complex, Scalar};

/// Horizons that are tried for a choice.
const TRIALS: u32 = 40;
/// Part of the quantum that a shorter horizon goes for.
const NEARLY: f64 = 0.9;

/// Part of a step within which a motion must come to its end to be seen there. One that takes the whole step is followed, not foreseen.
const WITHIN: f64 = 0.125;
/// Times that the fastest motion must end within that part, for anything to be seen so.
const FAST: f64 = 10.0;

/// A zero of M with what it contributes to R₀, R₁ and R₂. Of two conjugate zeros one stands for both.
#[derive(Clone, Copy, Debug)]
pub struct Pole {
    alpha: Complex,
    weights: [Complex; 3],
}

/// Zeros of 1 − z, 1 − z + z²/2 and 1 − z + z²/2 − z³/6 with an imaginary part that is not negative.
fn zeros(order: usize) -> Vec<Complex> {
    match order {
        1 => vec![Complex::new(1.0, 0.0)],
        2 => vec![Complex::new(1.0, 1.0)],
        _ => vec![
            Complex::new(1.596_071_637_983_321_5, 0.0),
            Complex::new(0.701_964_181_008_339_2, 1.807_339_494_452_021_9),
        ],
    }
}

/// The resolvents of a method of this order.
pub fn poles(order: usize) -> Vec<Pole> {
    let half = zeros(order);
    let conjugates = half.iter().filter(|z| z.im != 0.0);
    let conjugates = conjugates.map(|z| Complex::new(z.re, -z.im));
    let all: Vec<Complex> = half.iter().copied().chain(conjugates).collect();
    let pole = |&zero: &Complex| {
        let mut product = Complex::ONE;
        for &other in all.iter().filter(|&&other| other != zero) {
            product = product * (Complex::ONE - zero / other);
        }
        let times = if zero.im != 0.0 { 2.0 } else { 1.0 };
        let first = Complex::new(times, 0.0) / product;
        Pole {
            alpha: Complex::ONE / zero,
            weights: [first, first * zero, first * zero * zero],
        }
    };
    half.iter().map(pole).collect()
}

/// States that choose together: ẋ = A·q + u.
#[derive(Clone, Debug)]
pub struct Together<const N: usize> {
    pub x: Vec<f64>,
    /// By columns.
    pub a: Vec<f64>,
    pub u: Vec<[f64; N]>,
    pub quantum: Vec<f64>,
}

/// Where fast motions end, for what conditions see: with the matrices F ("share") and F·A⁻¹ ("lag"), by rows.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    pub share: Vec<f64>,
    pub lag: Vec<f64>,
}

impl<const N: usize> Together<N> {
    /// The meeting conditions for a given horizon; `None` where they have no solution.
    fn meeting(&self, h: f64, poles: &[Pole]) -> Option<Vec<[f64; N]>> {
        let n = self.x.len();
        let mut q = vec![[0.0; N]; n];
        let mut system = DenseLu::<Complex>::new(n);
        let real = |v: f64| Complex::new(v, 0.0);
        let (mut begin, mut end, mut slope) = (vec![], vec![], vec![]);
        for pole in poles {
            for (k, (m, a)) in system.matrix_mut().iter_mut().zip(&self.a).enumerate() {
                let diagonal = if k.is_multiple_of(n + 1) { 1.0 } else { 0.0 };
                *m = real(diagonal) - pole.alpha * real(h * a);
            }
            system.factor().ok()?;
            begin.clear();
            end.clear();
            slope.clear();
            for (x, u) in self.x.iter().zip(&self.u) {
                let (mut area, mut at_end, mut slope_at_end) = (0.0, 0.0, 0.0);
                for k in (0..N).rev() {
                    area = (area + u[k] / (k + 1) as f64) * h;
                    slope_at_end = slope_at_end * h + at_end;
                    at_end = at_end * h + u[k];
                }
                begin.push(real(x + area));
                end.push(real(h * at_end));
                slope.push(real(h * h * slope_at_end));
            }
            system.solve(&mut begin);
            if N > 1 {
                system.solve(&mut end);
            }
            if N > 2 {
                system.solve(&mut slope);
            }
            let [r0, r1, r2] = pole.weights;
            let part = |weight: Complex, value: Complex| (weight * value).re;
            let times = |weight: Complex, factor: f64| weight * real(factor);
            for (r, q) in q.iter_mut().enumerate() {
                let mut c = [part(r0, begin[r]), 0.0, 0.0];
                if N > 1 {
                    c[0] -= part(times(r1, 0.5), end[r]);
                    c[1] = part(r1, begin[r]) + part(r0 - r1, end[r]);
                }
                if N > 2 {
                    c[0] += part(times(r2, 1.0 / 6.0), end[r]);
                    c[0] += part(times(r1, 1.0 / 6.0), slope[r]);
                    c[1] += part(times(r2, 1.0 / 6.0), slope[r]);
                    c[2] = part(r2, begin[r]) + part(r1 - r2, end[r]);
                    c[2] += part(r0 - r1 + times(r2, 0.5), slope[r]);
                }
                // From the end of the step, in units of h, to its beginning.
                q[0] += c[0] - c[1] + 0.5 * c[2];
                if N > 1 {
                    q[1] += (c[1] - c[2]) / h;
                }
                if N > 2 {
                    q[2] += 0.5 * c[2] / (h * h);
                }
            }
        }
        q.iter().flatten().all(|c| c.is_finite()).then_some(q)
    }

    /// Quantized states of all, with the largest horizon up to `h` that keeps them within their quanta.
    pub fn choose(&self, mut h: f64, poles: &[Pole]) -> Option<(Vec<[f64; N]>, f64)> {
        for _ in 0..TRIALS {
            let q = self.meeting(h, poles);
            let away = |q: &Vec<[f64; N]>| {
                let each = q.iter().zip(&self.x).zip(&self.quantum);
                each.map(|((q, x), quantum)| (q[0] - x).abs() / quantum)
                    .fold(0.0, f64::max)
            };
            let ratio = q.as_ref().map_or(f64::INFINITY, away);
            if let (Some(q), true) = (q, ratio <= 1.0) {
                return Some((q, h));
            }
            let shrink = match N {
                _ if ratio.is_infinite() => 0.1,
                1 => NEARLY / ratio,
                2 => (NEARLY / ratio).sqrt(),
                _ => (NEARLY / ratio).cbrt(),
            };
            h *= shrink.clamp(0.01, 0.9);
        }
        None
    }

    /// Does the fastest member come to rest in a step of this length? Otherwise they need not choose together.
    pub fn is_stiff(&self, h: f64) -> bool {
        self.fastest() * h > TAIL
    }

    fn fastest(&self) -> f64 {
        let own = self.a.iter().step_by(self.x.len() + 1);
        own.fold(0.0, |a, &b| f64::max(a, -b))
    }

    /// Motions that end within a part of the step, h: with W = 1 − (1 − hA)⁻¹, which is one on them and −λh on slow ones, F = 1 − (1 − W⁴)⁴ and F·A⁻¹, with W·A⁻¹ =
    /// −h(1 − hA)⁻¹. Both have A as a factor: a linear sum that the equations conserve is conserved by what they make of it.
    pub fn ends(&self, step: f64) -> Option<Ends> {
        let h = WITHIN * step;
        if self.fastest() * h < FAST {
            return None;
        }
        let n = self.x.len();
        let mut system = DenseLu::<f64>::new(n);
        for (k, (m, a)) in system.matrix_mut().iter_mut().zip(&self.a).enumerate() {
            *m = if k.is_multiple_of(n + 1) { 1.0 } else { 0.0 } - h * a;
        }
        system.factor().ok()?;
        // By columns.
        let mut resolvent = vec![0.0; n * n];
        for (k, column) in resolvent.chunks_exact_mut(n).enumerate() {
            column[k] = 1.0;
            system.solve(column);
        }
        let at = |m: &[f64], r: usize, c: usize| m[c * n + r];
        let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
            let entry = |k: usize| (0..n).map(|l| at(a, k % n, l) * at(b, l, k / n)).sum();
            (0..n * n).map(entry).collect()
        };
        let one = |k: usize| if k.is_multiple_of(n + 1) { 1.0 } else { 0.0 };
        let w: Vec<f64> = (0..n * n).map(|k| one(k) - resolvent[k]).collect();
        let square = product(&w, &w);
        let fourth = product(&square, &square);
        let rest: Vec<f64> = (0..n * n).map(|k| 2.0 * one(k) - fourth[k]).collect();
        let share = product(&rest, &fourth);
        let lag = product(&product(&rest, &product(&square, &w)), &resolvent);
        // Once more, for what is left of motions that are only some thousand times faster than the step.
        let rest: Vec<f64> = (0..n * n).map(|k| 2.0 * one(k) - share[k]).collect();
        let (share, lag) = (product(&rest, &share), product(&rest, &lag));
        let rows = |m: &[f64], times: f64| -> Vec<f64> {
            (0..n * n).map(|k| times * at(m, k / n, k % n)).collect()
        };
        Some(Ends {
            share: rows(&share, 1.0),
            lag: rows(&lag, -h),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x' = Aq + u, integrated exactly, is at q with equal derivatives after the horizon.
    fn check<const N: usize>(together: &Together<N>, h: f64, within: f64) {
        let n = together.x.len();
        let q = together.meeting(h, &poles(N)).expect("a solution");
        for r in 0..n {
            let mut x = vec![together.x[r]];
            for (k, u) in together.u[r].iter().enumerate() {
                let columns = q.iter().enumerate();
                let f: f64 = columns.map(|(c, q)| together.a[c * n + r] * q[k]).sum();
                x.push((f + u) / (k + 1) as f64);
            }
            let value = |c: &[f64], order: usize| {
                let mut v = 0.0;
                for k in (order..c.len()).rev() {
                    let falling: f64 = (0..order).map(|m| (k - m) as f64).product();
                    v = v * h + falling * c[k];
                }
                v
            };
            for order in 0..N {
                let (left, right) = (value(&x, order), value(&q[r], order));
                let size = 1.0 + right.abs();
                assert!(
                    (left - right).abs() < within * size,
                    "N {N}, {order}: {left} {right}"
                );
            }
        }
    }

    /// Three states in a ring, with a loss.
    fn ring<const N: usize>(tie: f64) -> Together<N> {
        let loss = tie + 1.0;
        Together {
            x: vec![1.5, -0.3, 0.2],
            a: vec![-loss, tie, 0.0, 0.0, -tie, tie, tie, 0.0, -loss],
            u: (0..3)
                .map(|r| std::array::from_fn(|k| 0.7 * r as f64 - 2.0 * k as f64))
                .collect(),
            quantum: vec![1.0; 3],
        }
    }

    #[test]
    fn states_meet_their_quantized_states() {
        for tie in [0.0, 1.0, 200.0] {
            for h in [0.01, 0.5] {
                check(&ring::<1>(tie), h, 1e-9);
                check(&ring::<2>(tie), h, 1e-9);
                check(&ring::<3>(tie), h, 1e-9);
            }
        }
    }

    /// States that are tied together ten orders of magnitude faster than they lose what they have: the slow motion is that of one state.
    #[test]
    fn a_slow_motion_is_not_lost_beside_a_fast_one() {
        let mut ring = ring::<3>(1e10);
        (ring.x, ring.u) = (vec![1.0; 3], vec![[0.0; 3]; 3]);
        let alone = Together::<3> {
            x: vec![1.0],
            a: vec![-2.0 / 3.0],
            u: vec![[0.0; 3]],
            quantum: vec![1.0],
        };
        let (q, alone) = (
            ring.meeting(0.01, &poles(3)),
            alone.meeting(0.01, &poles(3)),
        );
        let (q, alone) = (q.expect("a solution"), alone.expect("a solution"));
        for q in q {
            for (q, alone) in q.iter().zip(alone[0]) {
                assert!((q - alone).abs() < 1e-4, "{q} {alone}");
            }
        }
    }

    /// What is seen of the fast motion is its end, of the slow one all; and a sum is conserved.
    #[test]
    fn fast_motions_are_seen_where_they_end() {
        let pair = Together::<1> {
            x: vec![0.0; 2],
            a: vec![-1e8, 1e8, 1e8, -1e8],
            u: vec![[0.0]; 2],
            quantum: vec![1.0; 2],
        };
        let ends = pair.ends(1e-3).expect("matrices");
        for (share, exact) in ends.share.iter().zip([0.5, -0.5, -0.5, 0.5]) {
            assert!((share - exact).abs() < 1e-9, "{ends:?}");
        }
        assert!((ends.lag[0] + ends.lag[2]).abs() < 1e-17, "{ends:?}");
    }
}
