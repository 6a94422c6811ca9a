//! Truncated Taylor arithmetic: polynomials in the time since now, cut off after `N` coefficients.
//!
//! For models written by hand in Rust: an expression over [`Taylor`] values computes the value and
//! the first `N − 1` Taylor coefficients at once. Compiled models do the same by kernels made from
//! symbolic derivatives.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `c[k]` is the coefficient of `s^k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taylor<const N: usize>(pub [f64; N]);

impl<const N: usize> Taylor<N> {
    #[inline]
    pub fn constant(value: f64) -> Self {
        let mut c = [0.0; N];
        c[0] = value;
        Taylor(c)
    }

    #[inline]
    pub fn square(self) -> Self {
        self * self
    }
}

impl<const N: usize> From<f64> for Taylor<N> {
    fn from(value: f64) -> Self {
        Taylor::constant(value)
    }
}

impl<const N: usize> Add for Taylor<N> {
    type Output = Self;
    #[inline]
    fn add(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] += other.0[k];
        }
        self
    }
}

impl<const N: usize> Sub for Taylor<N> {
    type Output = Self;
    #[inline]
    fn sub(mut self, other: Self) -> Self {
        for k in 0..N {
            self.0[k] -= other.0[k];
        }
        self
    }
}

impl<const N: usize> Neg for Taylor<N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Taylor(self.0.map(|c| -c))
    }
}

impl<const N: usize> Mul for Taylor<N> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let mut c = [0.0; N];
        for i in 0..N {
            for j in 0..N - i {
                c[i + j] += self.0[i] * other.0[j];
            }
        }
        Taylor(c)
    }
}

impl<const N: usize> Div for Taylor<N> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let mut c = [0.0; N];
        for k in 0..N {
            let mut v = self.0[k];
            for (j, &cj) in c[..k].iter().enumerate() {
                v -= cj * other.0[k - j];
            }
            c[k] = v / other.0[0];
        }
        Taylor(c)
    }
}

impl<const N: usize> Add<f64> for Taylor<N> {
    type Output = Self;
    #[inline]
    fn add(mut self, value: f64) -> Self {
        self.0[0] += value;
        self
    }
}

impl<const N: usize> Sub<f64> for Taylor<N> {
    type Output = Self;
    #[inline]
    fn sub(mut self, value: f64) -> Self {
        self.0[0] -= value;
        self
    }
}

impl<const N: usize> Mul<f64> for Taylor<N> {
    type Output = Self;
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Taylor(self.0.map(|c| c * factor))
    }
}

impl<const N: usize> Div<f64> for Taylor<N> {
    type Output = Self;
    #[inline]
    fn div(self, divisor: f64) -> Self {
        Taylor(self.0.map(|c| c / divisor))
    }
}

/// Value of a polynomial at `s`.
#[inline]
pub fn value<const N: usize>(c: &[f64; N], s: f64) -> f64 {
    let mut v = c[N - 1];
    for k in (0..N - 1).rev() {
        v = v * s + c[k];
    }
    v
}

/// The same polynomial about a point `s` later.
#[inline]
pub fn shifted<const N: usize>(mut c: [f64; N], s: f64) -> [f64; N] {
    for i in 0..N.saturating_sub(1) {
        for k in (i..N - 1).rev() {
            c[k] += c[k + 1] * s;
        }
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_undoes_multiplication() {
        let a = Taylor([1.5, -2.0, 0.25, 4.0]);
        let b = Taylor([3.0, 1.0, -1.0, 0.5]);
        let c = (a * b) / b;
        for k in 0..4 {
            assert!((c.0[k] - a.0[k]).abs() < 1e-14);
        }
    }

    #[test]
    fn shift_keeps_the_polynomial() {
        let p = [1.0, -2.0, 3.0, 0.5];
        let q = shifted(p, 0.75);
        for k in 0..10 {
            let s = f64::from(k) * 0.3;
            assert!((value(&q, s) - value(&p, s + 0.75)).abs() < 1e-13);
        }
    }
}
