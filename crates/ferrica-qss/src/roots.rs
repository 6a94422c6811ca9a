//! First times at which a polynomial of degree up to three leaves a region.
//!
//! In: Taylor coefficients `p[k]` of `p(s) = Σ p[k] s^k` for `s ≥ 0`. Out: the infimum of the
//! times at which a strict inequality holds, or infinity.
//!
//! The answer is found by monotone pieces rather than by a closed cubic formula: between the
//! critical points of `p` (roots of a quadratic, computed without cancellation) there is at most
//! one root, and whether there is one is decided by the signs at the ends of the piece. A root is
//! neither lost nor invented by a badly conditioned formula; rounding moves it by a few units in the
//! last place. A leading coefficient that is too small to matter puts its critical point far away
//! (or at infinity) and the polynomial is treated as one of lower degree without a threshold.
//!
//! A touch without a change of sign is not a crossing: `first_above` asks for `p > 0`.

/// Infimum of `{ s ≥ 0 : p(s) > 0 }`; infinite when the set is empty.
///
/// `D` is the number of coefficients, 1 to 4.
#[inline]
pub fn first_above<const D: usize>(p: &[f64; D]) -> f64 {
    const { assert!(D >= 1 && D <= 4) };
    if p[0] > 0.0 {
        return 0.0;
    }
    if p[0] == 0.0 {
        match p[1..].iter().find(|&&c| c != 0.0) {
            None => return f64::INFINITY,
            Some(&c) if c > 0.0 => return 0.0,
            Some(_) => {}
        }
    }
    match D {
        1 => f64::INFINITY,
        2 => linear_above(p[0], p[1]),
        3 => quadratic_above(p[0], p[1], p[2]),
        _ => cubic_above(p[0], p[1], p[2], p[3]),
    }
}

/// Infimum of `{ s ≥ 0 : p(s) < 0 }`.
#[inline]
pub fn first_below<const D: usize>(p: &[f64; D]) -> f64 {
    first_above(&p.map(|c| -c))
}

/// First time at which `|p| > limit`; zero when `|p(0)| ≥ limit` and it is not on its way back.
#[inline]
pub fn first_leaving<const D: usize>(p: &[f64; D], limit: f64) -> f64 {
    let mut up = *p;
    up[0] -= limit;
    let mut down = p.map(|c| -c);
    down[0] -= limit;
    if D == 3 {
        // The parabola ends on the side of its leading coefficient; the other side matters only
        // while it first moves towards it.
        let (ahead, behind) = if p[2] >= 0.0 { (up, down) } else { (down, up) };
        if behind[0] <= 0.0 && behind[1] <= 0.0 {
            return first_above(&ahead);
        }
        return first_above(&ahead).min(first_above(&behind));
    }
    first_above(&up).min(first_above(&down))
}

/// Smallest `s > 0` with `p(s) = 0`, crossings and touches alike; infinite when there is none.
pub fn smallest_positive_root<const D: usize>(p: &[f64; D]) -> f64 {
    if p[0] == 0.0 {
        // Divide by s: the root at zero is not asked for.
        let mut rest = [0.0; D];
        rest[..D - 1].copy_from_slice(&p[1..]);
        if rest.iter().all(|&c| c == 0.0) {
            return f64::INFINITY;
        }
        return smallest_positive_root(&rest);
    }
    let q = if p[0] > 0.0 { p.map(|c| -c) } else { *p };
    let crossing = first_above(&q);
    let touch = first_touch(&q);
    crossing.min(touch)
}

/// A local maximum at which the polynomial is exactly zero.
fn first_touch<const D: usize>(q: &[f64; D]) -> f64 {
    let mut c = [0.0; 4];
    c[..D].copy_from_slice(q);
    let mut best = f64::INFINITY;
    for r in critical_points(c[1], c[2], c[3]) {
        if r > 0.0 && r < best && eval4(&c, r) == 0.0 {
            best = r;
        }
    }
    best
}

#[inline]
fn eval4(p: &[f64; 4], s: f64) -> f64 {
    ((p[3] * s + p[2]) * s + p[1]) * s + p[0]
}

/// `c ≤ 0`.
#[inline]
fn linear_above(c: f64, b: f64) -> f64 {
    if b > 0.0 { -c / b } else { f64::INFINITY }
}

/// `b² − 4ac` with the rounding error of the products added back when it matters.
#[inline]
fn discriminant(a: f64, b: f64, c: f64) -> f64 {
    let (p, q) = (b * b, 4.0 * a * c);
    let d = p - q;
    if d.abs() > 1e-6 * p {
        return d;
    }
    let dp = b.mul_add(b, -p);
    let dq = (4.0 * a).mul_add(c, -q);
    (p - q) + (dp - dq)
}

/// `a s² + b s + c > 0` with `c ≤ 0`.
#[inline]
fn quadratic_above(c: f64, b: f64, a: f64) -> f64 {
    if a > 0.0 {
        let root = discriminant(a, b, c).max(0.0).sqrt();
        if b <= 0.0 {
            (root - b) / (2.0 * a)
        } else {
            -2.0 * c / (b + root)
        }
    } else if a < 0.0 {
        if b <= 0.0 {
            return f64::INFINITY;
        }
        let d = discriminant(a, b, c);
        if d <= 0.0 {
            return f64::INFINITY;
        }
        -2.0 * c / (b + d.sqrt())
    } else {
        linear_above(c, b)
    }
}

/// Real roots of `3d s² + 2c s + b`, ascending; NaN where there is none.
#[inline]
fn critical_points(b: f64, c: f64, d: f64) -> [f64; 2] {
    let disc = discriminant(3.0 * d, 2.0 * c, b) * 0.25;
    if disc.is_nan() || disc <= 0.0 {
        return [f64::NAN; 2];
    }
    let w = if c >= 0.0 {
        -(c + disc.sqrt())
    } else {
        disc.sqrt() - c
    };
    let (r, s) = (w / (3.0 * d), if w == 0.0 { 0.0 } else { b / w });
    if r <= s { [r, s] } else { [s, r] }
}

/// `d s³ + c s² + b s + a > 0` with `a ≤ 0`.
fn cubic_above(a: f64, b: f64, c: f64, d: f64) -> f64 {
    if d == 0.0 {
        return quadratic_above(a, b, c);
    }
    if d < 0.0 && b <= 0.0 && c <= 0.0 {
        return f64::INFINITY;
    }
    let p = [a, b, c, d];
    let [r1, r2] = critical_points(b, c, d);
    if r1.is_nan() {
        return if d > 0.0 {
            increasing_root(&p, 0.0, f64::INFINITY)
        } else {
            f64::INFINITY
        };
    }
    if d > 0.0 {
        if r1 > 0.0 && eval4(&p, r1) > 0.0 {
            return increasing_root(&p, 0.0, r1);
        }
        increasing_root(&p, r2.max(0.0), f64::INFINITY)
    } else if r2 > 0.0 && (r2.is_infinite() || eval4(&p, r2) > 0.0) {
        increasing_root(&p, r1.max(0.0), r2)
    } else {
        f64::INFINITY
    }
}

/// The root of a polynomial that increases on `[lo, hi]`, is not positive at `lo` and positive at
/// `hi` (or grows without bound when `hi` is infinite). Newton's method kept inside the bracket.
fn increasing_root(p: &[f64; 4], mut lo: f64, mut hi: f64) -> f64 {
    if lo.is_infinite() {
        return f64::INFINITY;
    }
    if hi.is_infinite() {
        hi = upper_bound(p, lo);
        if hi.is_infinite() {
            return f64::INFINITY;
        }
    }
    // Start where the polynomial without its highest terms would have its root.
    let mut s = if p[1] > 0.0 && lo == 0.0 {
        -p[0] / p[1]
    } else {
        hi
    };
    if !(s > lo && s < hi) {
        s = hi;
    }
    for _ in 0..100 {
        let value = eval4(p, s);
        if value > 0.0 {
            hi = s;
        } else {
            lo = s;
        }
        let slope = (3.0 * p[3] * s + 2.0 * p[2]) * s + p[1];
        let mut next = s - value / slope;
        if !(next >= lo && next <= hi) {
            next = 0.5 * (lo + hi);
        }
        if (next - s).abs() <= 2.0 * f64::EPSILON * next.abs() || next == s {
            return next;
        }
        s = next;
    }
    // Slow convergence happens at a nearly multiple root only: the bracket is the answer.
    let mut mid = 0.5 * (lo + hi);
    while mid > lo && mid < hi {
        if eval4(p, mid) > 0.0 {
            hi = mid;
        } else {
            lo = mid;
        }
        mid = 0.5 * (lo + hi);
    }
    hi
}

/// A point right of `lo` at which the polynomial (with positive leading coefficient among its
/// non-zero ones) is positive.
fn upper_bound(p: &[f64; 4], lo: f64) -> f64 {
    let mut bound: f64 = lo;
    let d = p[3];
    for (k, &c) in p[..3].iter().enumerate() {
        if c < 0.0 {
            let ratio = -c / d;
            let size = match k {
                0 => ratio.cbrt(),
                1 => ratio.sqrt(),
                _ => ratio,
            };
            bound = bound.max(2.0 * size);
        }
    }
    // Rounding may leave the bound on the root itself.
    for _ in 0..64 {
        if bound.is_infinite() || eval4(p, bound) > 0.0 {
            return bound;
        }
        bound = 2.0 * bound + f64::MIN_POSITIVE;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small multiplicative generator, so that the cases are the same everywhere.
    struct Random(u64);
    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
        fn signed(&mut self) -> f64 {
            2.0 * self.unit() - 1.0
        }
        /// Magnitudes over many decades.
        fn wide(&mut self) -> f64 {
            let e = 12.0 * self.signed();
            self.signed().signum() * 10f64.powf(e)
        }
    }

    fn from_roots(lead: f64, r: [f64; 3]) -> [f64; 4] {
        [
            -lead * r[0] * r[1] * r[2],
            lead * (r[0] * r[1] + r[0] * r[2] + r[1] * r[2]),
            -lead * (r[0] + r[1] + r[2]),
            lead,
        ]
    }

    #[test]
    fn cubic_with_known_roots() {
        let mut random = Random(7);
        for _ in 0..20_000 {
            let mut r = [random.signed(), random.signed(), random.signed()];
            r.sort_by(f64::total_cmp);
            if r[1] - r[0] < 1e-3 || r[2] - r[1] < 1e-3 || r.iter().any(|v| v.abs() < 1e-3) {
                continue;
            }
            let lead = random.wide();
            let p = from_roots(lead, r);
            let expected = r.iter().copied().find(|&v| v > 0.0);
            // Below zero before the first positive root: it is the first time above; else the first
            // time below.
            let found = if p[0] < 0.0 {
                first_above(&p)
            } else {
                first_below(&p)
            };
            match expected {
                Some(v) => assert!((found - v).abs() < 1e-9 * v, "{r:?} {found}"),
                None => assert_eq!(found, f64::INFINITY, "{r:?}"),
            }
            let any = smallest_positive_root(&p);
            assert!((any - found).abs() <= 1e-9 * found || any == found);
        }
    }

    /// The definition itself, checked by signs around the answer.
    #[test]
    fn answer_separates_signs_for_wild_coefficients() {
        let mut random = Random(99);
        for _ in 0..50_000 {
            let mut p = [random.wide(), random.wide(), random.wide(), random.wide()];
            for c in &mut p {
                if random.unit() < 0.15 {
                    *c = 0.0;
                }
            }
            if p[0] > 0.0 {
                p[0] = -p[0];
            }
            let s = first_above(&p);
            let scale = |at: f64| {
                p.iter()
                    .enumerate()
                    .map(|(k, c)| (c * at.powi(k as i32)).abs())
                    .sum::<f64>()
            };
            if s.is_finite() && s > 0.0 {
                assert!(eval4(&p, s).abs() <= 1e-12 * scale(s), "{p:?} at {s}");
                for k in 1..64 {
                    let at = s * f64::from(k) / 64.0;
                    assert!(eval4(&p, at) <= 1e-12 * scale(at), "{p:?}: {s} but {at}");
                }
            } else if s.is_infinite() {
                for k in -60..60 {
                    let at = 10f64.powf(f64::from(k) / 4.0);
                    assert!(eval4(&p, at) <= 1e-12 * scale(at), "{p:?} lost {at}");
                }
            }
        }
    }

    #[test]
    fn quadratic_that_almost_touches() {
        // (s − 1)² shifted by one part in 10^12: above, touching, below.
        let eps = 1e-12;
        assert!(first_above(&[-1.0 + eps, 2.0, -1.0]).is_finite());
        assert!(first_above(&[-1.0, 2.0, -1.0]).is_infinite());
        assert!(first_above(&[-1.0 - eps, 2.0, -1.0]).is_infinite());
        assert!((smallest_positive_root(&[-1.0, 2.0, -1.0, 0.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn negligible_cubic_term_changes_nothing() {
        let s = first_above(&[-1.0, 1.0, 0.5, 1e-40]);
        let t = first_above(&[-1.0, 1.0, 0.5]);
        assert!((s - t).abs() < 1e-15, "{s} {t}");
        let s = first_above(&[-1.0, 1.0, 0.0, -1e-300]);
        assert_eq!(s, 1.0);
    }

    #[test]
    fn at_zero_the_direction_decides() {
        assert_eq!(first_above(&[0.0, 1.0]), 0.0);
        assert_eq!(first_above(&[0.0, -1.0]), f64::INFINITY);
        assert_eq!(first_above(&[0.0, -1.0, 1.0]), 1.0);
        assert_eq!(first_above(&[0.0, 0.0, 0.0, 0.0]), f64::INFINITY);
        assert_eq!(first_above(&[0.0, 0.0, 0.0, 1.0]), 0.0);
    }

    #[test]
    fn leaving_a_band() {
        // s² leaves ±4 at 2; s³ − 3s first falls to −2 at 1 (a touch) and leaves 2 at 2.
        assert!((first_leaving(&[0.0, 0.0, 1.0], 4.0) - 2.0).abs() < 1e-15);
        assert!((first_leaving(&[0.0, -3.0, 0.0, 1.0], 2.0 + 1e-9) - 2.0).abs() < 1e-8);
        assert!((first_leaving(&[0.0, -3.0, 0.0, 1.0], 2.0 - 1e-6) - 1.0).abs() < 1e-2);
        assert!((first_leaving(&[0.0, -3.0, 1.0], 2.0) - 1.0).abs() < 1e-15);
    }
}
