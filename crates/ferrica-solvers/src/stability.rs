//! What a fixed-step formula makes of a mode of the model, to tell the formula's growth from the model's.
//!
//! In: differences of derivatives along a few evaluations, M = c·J applied again and again. Out: the mode λ that has taken over, the growth that
//! an explicit formula gives it in a step, and the step with which it would not.
//!
//! For x' = λx a step of an explicit formula of order p multiplies by R(z) = Σ zᵏ/k!, k ≤ p, z = hλ (as long as stages and order are equal,
//! p ≤ 4). The model's own growth is |eᶻ|; a mode that decays must not grow at all. An undamped oscillation grows with Euler's formula whatever the step:
//! |1 + ihω| > 1, although |hλ| is small.

/// An eigenvalue of the Jacobian, 1/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    pub re: f64,
    pub im: f64,
}

/// Growth beyond the model's own that a step may leave over a whole run.
const TOLERATED: f64 = 1.1;
/// Halvings of a step that are tried.
const HALVINGS: i32 = 60;
/// Halvings of the interval in which the bound lies.
const BISECTIONS: usize = 10;
/// Two vectors whose directions differ by less (squared sine) are one.
const PARALLEL: f64 = 1e-12;

/// The dominant eigenvalue of M from v, Mv and M²v: the roots of μ² = αμ + β with M²v ≈ α Mv + βv in the least squares sense.
pub fn dominant(v: &[f64], mv: &[f64], mmv: &[f64]) -> Option<Mode> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let (vv, vm, mm) = (dot(v, v), dot(v, mv), dot(mv, mv));
    let det = vv * mm - vm * vm;
    let mode = if det > PARALLEL * vv * mm {
        let (vq, mq) = (dot(v, mmv), dot(mv, mmv));
        let alpha = (mq * vv - vq * vm) / det;
        let beta = (vq * mm - mq * vm) / det;
        let square = 0.25 * alpha * alpha + beta;
        if square < 0.0 {
            Mode {
                re: 0.5 * alpha,
                im: (-square).sqrt(),
            }
        } else {
            let root = square.sqrt();
            let re = 0.5 * alpha + if alpha < 0.0 { -root } else { root };
            Mode { re, im: 0.0 }
        }
    } else {
        Mode {
            re: vm / vv,
            im: 0.0,
        }
    };
    (mode.re.is_finite() && mode.im.is_finite()).then_some(mode)
}

impl Mode {
    pub fn times(self, factor: f64) -> Mode {
        Mode {
            re: factor * self.re,
            im: factor * self.im,
        }
    }

    pub fn size(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// ln|R(z)| of this z for a formula of order `order`.
    fn ln_amplification(self, order: usize) -> f64 {
        // Horner's scheme: 1 + z (1 + z/2 (1 + z/3 …)).
        let (mut re, mut im) = (1.0, 0.0);
        for k in (1..=order).rev() {
            let (a, b) = (self.re / k as f64, self.im / k as f64);
            (re, im) = (1.0 + a * re - b * im, a * im + b * re);
        }
        f64::hypot(re, im).ln()
    }

    /// Growth (logarithm) in one step `h` that is the formula's and not the model's.
    pub fn excess(self, h: f64, order: usize) -> f64 {
        let z = self.times(h);
        z.ln_amplification(order) - z.re.max(0.0)
    }

    /// The longest step below `h` with which the formula adds no more than [`TOLERATED`] in `time`: halved until it does, then between the last two.
    pub fn stable_step(self, h: f64, order: usize, time: f64) -> f64 {
        let good = |h: f64| time / h * self.excess(h, order) <= TOLERATED.ln();
        let halved = |k: i32| h * 0.5f64.powi(k);
        let last = (1..HALVINGS).find(|&k| good(halved(k)));
        let Some(last) = last else {
            return halved(HALVINGS);
        };
        let (mut short, mut long) = (halved(last), halved(last - 1));
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (short + long);
            if good(middle) {
                short = middle;
            } else {
                long = middle;
            }
        }
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// J of x'' = −ω²x − 2dx' has −d ± i√(ω² − d²).
    #[test]
    fn finds_an_oscillation() {
        let (w, d) = (3.0f64, 0.5f64);
        let apply = |v: [f64; 2]| [v[1], -w * w * v[0] - 2.0 * d * v[1]];
        let v = [1.0, 0.3];
        let (mv, mmv) = (apply(v), apply(apply(v)));
        let mode = dominant(&v, &mv, &mmv).expect("a mode");
        assert!((mode.re + d).abs() < 1e-12, "{mode:?}");
        assert!((mode.im - (w * w - d * d).sqrt()).abs() < 1e-12, "{mode:?}");
    }

    #[test]
    fn finds_a_single_mode() {
        let mode = dominant(&[2.0], &[-14.0], &[98.0]).expect("a mode");
        assert_eq!(mode, Mode { re: -7.0, im: 0.0 });
    }

    /// Bounds of stability on the real and imaginary axes: 2 and 0 for Euler, 2.785 and 2.828 for the classical method.
    #[test]
    fn bounds_are_those_of_the_literature() {
        let (real, imaginary) = (Mode { re: -1.0, im: 0.0 }, Mode { re: 0.0, im: 1.0 });
        assert!(real.excess(1.99, 1) < 0.0 && real.excess(2.01, 1) > 0.0);
        assert!(real.excess(2.78, 4) < 0.0 && real.excess(2.79, 4) > 0.0);
        assert!(imaginary.excess(0.01, 1) > 0.0);
        assert!(imaginary.excess(2.82, 4) < 0.0 && imaginary.excess(2.83, 4) > 0.0);
        // Growth of the model is its own.
        assert!(Mode { re: 1.0, im: 0.0 }.excess(0.1, 1) < 0.0);
        // 10 % in 1 s at ω = 100: ln|1 + ihω| ≈ h²ω²/2 a step.
        let h = Mode { re: 0.0, im: 100.0 }.stable_step(1e-3, 1, 1.0);
        assert!(h <= 2.0 * 1.1f64.ln() / 1e4 && h > 0.5e-5, "{h}");
    }
}
