//! Piecewise cubic Hermite curves: the slopes at the knots decide the curve.
//!
//! With h the length and d the divided difference of a segment, and s₀, s₁ the slopes at its ends,
//! y(v) = y₀ + s₀ v + (3d − 2s₀ − s₁)/h v² + (s₀ + s₁ − 2d)/h² v³.
//!
//! Slopes:
//! - Akima, J. ACM 17 (1970) 589: weights |d₊₁ − d| and |d₋₁ − d₋₂| of the neighbouring
//!   differences; two differences are added at each end by quadratic extrapolation
//! - modified Akima (Ionita, 2019): weights enlarged by half of the sums, so that flat parts stay flat
//! - Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300: weighted harmonic mean
//! - Steffen, Astron. Astrophys. 239 (1990) 443: the parabola's slope, limited
//!
//! The two monotone ones have the first and the last difference as slopes at the ends.

use super::Smoothness;

/// Value, first and second derivative.
pub type Jet = [f64; 3];

/// Slopes at the knots, or none for the smoothness kinds without slopes. Needs three knots.
pub fn slopes(kind: Smoothness, x: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    if x.len() < 3 {
        return None;
    }
    let d: Vec<f64> = (0..x.len() - 1)
        .map(|i| (y[i + 1] - y[i]) / (x[i + 1] - x[i]))
        .collect();
    match kind {
        Smoothness::Linear | Smoothness::Constant => None,
        Smoothness::Akima => Some(akima(&d, |a, b| ((b - a).abs(), false))),
        Smoothness::Makima => Some(akima(&d, |a, b| {
            ((b - a).abs() + 0.5 * (a + b).abs(), true)
        })),
        Smoothness::FritschButland => Some(monotone(x, &d, |h0, h1, d0, d1| {
            3.0 * (h0 + h1) / ((h0 + 2.0 * h1) / d0 + (h1 + 2.0 * h0) / d1)
        })),
        Smoothness::Steffen => Some(monotone(x, &d, |h0, h1, d0, d1| {
            let p = (d0 * h1 + d1 * h0) / (h0 + h1);
            let limit = 2.0 * d0.abs().min(d1.abs());
            if p.abs() > limit {
                limit.copysign(d0)
            } else {
                p
            }
        })),
    }
}

/// `weight` of two neighbouring differences, and whether a slope without any weight is zero
/// (otherwise it is their mean).
fn akima(d: &[f64], weight: impl Fn(f64, f64) -> (f64, bool)) -> Vec<f64> {
    let n = d.len();
    let (first, last) = (2.0 * d[0] - d[1], 2.0 * d[n - 1] - d[n - 2]);
    let mut e = Vec::with_capacity(n + 4);
    e.extend([2.0 * first - d[0], first]);
    e.extend_from_slice(d);
    e.extend([last, 2.0 * last - d[n - 1]]);
    e.windows(4)
        .map(|w| {
            let ((left, _), (right, flat)) = (weight(w[0], w[1]), weight(w[2], w[3]));
            let sum = left + right;
            if sum > 0.0 {
                (right * w[1] + left * w[2]) / sum
            } else if flat {
                0.0
            } else {
                0.5 * (w[1] + w[2])
            }
        })
        .collect()
}

fn monotone(x: &[f64], d: &[f64], mean: impl Fn(f64, f64, f64, f64) -> f64) -> Vec<f64> {
    let n = d.len();
    let mut s = Vec::with_capacity(n + 1);
    s.push(d[0]);
    for i in 1..n {
        s.push(if d[i - 1] * d[i] > 0.0 {
            mean(x[i] - x[i - 1], x[i + 1] - x[i], d[i - 1], d[i])
        } else {
            0.0
        });
    }
    s.push(d[n - 1]);
    s
}

/// The cubic of a segment of length h, v from its left end.
pub fn hermite(h: f64, y: (f64, f64), s: (f64, f64), v: f64) -> Jet {
    let d = (y.1 - y.0) / h;
    let a = (s.0 + s.1 - 2.0 * d) / (h * h);
    let b = (3.0 * d - 2.0 * s.0 - s.1) / h;
    [
        y.0 + ((a * v + b) * v + s.0) * v,
        (3.0 * a * v + 2.0 * b) * v + s.0,
        6.0 * a * v + 2.0 * b,
    ]
}

/// One column of a table over its abscissae.
#[derive(Clone, Debug)]
pub struct Curve {
    pub y: Vec<f64>,
    slopes: Option<Vec<f64>>,
    constant: bool,
}

impl Curve {
    pub fn new(kind: Smoothness, x: &[f64], y: Vec<f64>) -> Curve {
        Curve {
            slopes: slopes(kind, x, &y),
            constant: kind == Smoothness::Constant,
            y,
        }
    }

    /// Slopes at the knots, of a smooth curve.
    pub fn slopes(&self) -> &[f64] {
        self.slopes.as_deref().unwrap_or_default()
    }

    /// Does it go in steps?
    pub fn is_constant(&self) -> bool {
        self.constant
    }

    /// On segment i.
    pub fn inside(&self, x: &[f64], i: usize, u: f64) -> Jet {
        if self.constant {
            [self.y[i], 0.0, 0.0]
        } else {
            self.segment(x, i, u)
        }
    }

    /// Along the line through the first or last two points, or along the slope of the curve there.
    pub fn beyond(&self, x: &[f64], u: f64) -> Jet {
        let last = x.len() - 1;
        let (i, knot) = if u < x[0] { (0, 0) } else { (last - 1, last) };
        let [_, slope, _] = self.segment(x, i, x[knot]);
        [self.y[knot] + slope * (u - x[knot]), slope, 0.0]
    }

    fn segment(&self, x: &[f64], i: usize, u: f64) -> Jet {
        let (h, v) = (x[i + 1] - x[i], u - x[i]);
        let (y0, y1) = (self.y[i], self.y[i + 1]);
        if super::nearly_equal(x[i], x[i + 1]) {
            // A jump: the value after it.
            return [y1, 0.0, 0.0];
        }
        match &self.slopes {
            Some(s) => hermite(h, (y0, y1), (s[i], s[i + 1]), v),
            None => {
                let slope = (y1 - y0) / h;
                [y0 + slope * v, slope, 0.0]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Smoothness, expected: &[f64]) {
        let x = [0.0, 1.0, 2.5, 3.0, 4.5, 6.0, 7.0];
        let y = [0.0, 2.0, 2.5, 2.5, 1.0, 3.0, 3.5];
        let curve = Curve::new(kind, &x, y.to_vec());
        let points = [0.25, 1.7, 2.7, 3.9, 5.0, 6.8];
        for (u, e) in points.iter().zip(expected) {
            let i = super::super::find(&x, *u);
            let [v, ..] = curve.inside(&x, i, *u);
            assert!((v - e).abs() < 1e-13, "{kind:?}({u}) = {v}, not {e}");
        }
    }

    /// scipy 1.17.1: Akima1DInterpolator(x, y, method="akima" | "makima").
    #[test]
    fn akima_and_its_modification() {
        check(
            Smoothness::Akima,
            &[
                0.6822916666666666,
                2.324938271604938,
                2.5149999999999997,
                1.4510909090909094,
                1.4992025518341308,
                3.4603508771929823,
            ],
        );
        check(
            Smoothness::Makima,
            &[
                0.6440972222222222,
                2.3044900284900285,
                2.5163076923076924,
                1.4873846153846157,
                1.4552150649711624,
                3.4631544715447156,
            ],
        );
    }

    /// scipy 1.17.1: CubicHermiteSpline with the slopes of PchipInterpolator at the inner knots
    /// (Fritsch-Butland), and of the published formula (Steffen).
    #[test]
    fn monotone_curves() {
        check(
            Smoothness::FritschButland,
            &[
                0.565625,
                2.3445037037037038,
                2.5,
                1.528,
                1.440087145969499,
                3.4065882352941177,
            ],
        );
        check(
            Smoothness::Steffen,
            &[
                0.5625,
                2.3577777777777778,
                2.5,
                1.528,
                1.4259259259259258,
                3.4106666666666667,
            ],
        );
    }
}
