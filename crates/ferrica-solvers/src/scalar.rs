//! Numbers that a linear system can be made of: reals, and complex numbers for Radau IIA.
//!
//! Invariant: `magnitude` is zero exactly for zero and is a norm; it only guides pivoting.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// The field operations that the factorizations need.
pub trait Scalar:
    Copy
    + Default
    + PartialEq
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Send
    + Sync
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    /// |re| + |im|.
    fn magnitude(self) -> f64;
}

impl Scalar for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    #[inline(always)]
    fn magnitude(self) -> f64 {
        self.abs()
    }
}

/// A complex number in Cartesian form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    #[inline(always)]
    pub const fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }
}

impl Scalar for Complex {
    const ZERO: Complex = Complex::new(0.0, 0.0);
    const ONE: Complex = Complex::new(1.0, 0.0);
    #[inline(always)]
    fn magnitude(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

impl Add for Complex {
    type Output = Complex;
    #[inline(always)]
    fn add(self, o: Complex) -> Complex {
        Complex::new(self.re + o.re, self.im + o.im)
    }
}

impl Sub for Complex {
    type Output = Complex;
    #[inline(always)]
    fn sub(self, o: Complex) -> Complex {
        Complex::new(self.re - o.re, self.im - o.im)
    }
}

impl Mul for Complex {
    type Output = Complex;
    #[inline(always)]
    fn mul(self, o: Complex) -> Complex {
        Complex::new(
            self.re * o.re - self.im * o.im,
            self.re * o.im + self.im * o.re,
        )
    }
}

impl Div for Complex {
    type Output = Complex;
    /// Smith's division: no overflow in the squared modulus.
    #[inline]
    fn div(self, o: Complex) -> Complex {
        if o.re.abs() >= o.im.abs() {
            let r = o.im / o.re;
            let d = o.re + o.im * r;
            Complex::new((self.re + self.im * r) / d, (self.im - self.re * r) / d)
        } else {
            let r = o.re / o.im;
            let d = o.re * r + o.im;
            Complex::new((self.re * r + self.im) / d, (self.im * r - self.re) / d)
        }
    }
}

impl Neg for Complex {
    type Output = Complex;
    #[inline(always)]
    fn neg(self) -> Complex {
        Complex::new(-self.re, -self.im)
    }
}

impl AddAssign for Complex {
    #[inline(always)]
    fn add_assign(&mut self, o: Complex) {
        *self = *self + o;
    }
}

impl SubAssign for Complex {
    #[inline(always)]
    fn sub_assign(&mut self, o: Complex) {
        *self = *self - o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_inverts_multiplication() {
        let a = Complex::new(3.0, -4.0);
        for b in [
            Complex::new(1e-3, 2.0),
            Complex::new(5.0, 1e-9),
            Complex::new(0.0, -1.0),
        ] {
            let q = a / b * b - a;
            assert!(q.magnitude() < 1e-14, "{q:?}");
        }
    }
}
