//! Numbers that code can run on: values, and values with a directional derivative (dual numbers).
//!
//! The derivative rules of all operations stand here once, as local partial derivatives; the dual
//! interpreter uses them as numbers and `partials.rs` states the same rules as kernel operations.

use ferrica_ir::expr::Builtin;

use crate::kernel::{Bin, Un};

pub trait Number: Copy + Default + std::fmt::Debug {
    fn constant(x: f64) -> Self;
    fn value(self) -> f64;
    fn unary(op: Un, a: Self) -> Self;
    fn binary(op: Bin, a: Self, b: Self) -> Self;
    fn powi(a: Self, n: i32) -> Self;
}

impl Number for f64 {
    #[inline]
    fn constant(x: f64) -> f64 {
        x
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn unary(op: Un, a: f64) -> f64 {
        op.eval(a)
    }
    #[inline]
    fn binary(op: Bin, a: f64, b: f64) -> f64 {
        op.eval(a, b)
    }
    #[inline]
    fn powi(a: f64, n: i32) -> f64 {
        a.powi(n)
    }
}

/// A value and its derivative in one direction.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Dual {
    pub v: f64,
    pub d: f64,
}

/// Derivative of a unary operation at x, where y is its value.
pub fn unary_slope(op: Un, x: f64, y: f64) -> f64 {
    use Builtin as B;
    match op {
        Un::Neg => -1.0,
        Un::Not => 0.0,
        Un::Math(f) => match f {
            B::Sin => x.cos(),
            B::Cos => -x.sin(),
            B::Tan => 1.0 + y * y,
            B::Asin => 1.0 / (1.0 - x * x).sqrt(),
            B::Acos => -1.0 / (1.0 - x * x).sqrt(),
            B::Atan => 1.0 / (1.0 + x * x),
            B::Sinh => x.cosh(),
            B::Cosh => x.sinh(),
            B::Tanh => 1.0 - y * y,
            B::Exp => y,
            B::Log => 1.0 / x,
            B::Log10 => std::f64::consts::LOG10_E / x,
            B::Sqrt => 0.5 / y,
            B::Abs => {
                if x < 0.0 {
                    -1.0
                } else {
                    1.0
                }
            }
            _ => 0.0,
        },
    }
}

/// Partial derivatives of a binary operation at (x, y).
pub fn binary_slopes(op: Bin, x: f64, y: f64) -> (f64, f64) {
    use Builtin as B;
    match op {
        Bin::Add => (1.0, 1.0),
        Bin::Sub => (1.0, -1.0),
        Bin::Mul => (y, x),
        Bin::Div => (1.0 / y, -x / (y * y)),
        Bin::Pow => {
            let value = op.eval(x, y);
            let dx = if y == 0.0 {
                0.0
            } else {
                y * op.eval(x, y - 1.0)
            };
            let dy = if x > 0.0 { value * x.ln() } else { 0.0 };
            (dx, dy)
        }
        Bin::Math(f) => match f {
            B::Atan2 => {
                let r = x * x + y * y;
                (y / r, -x / r)
            }
            B::Min => {
                if x <= y {
                    (1.0, 0.0)
                } else {
                    (0.0, 1.0)
                }
            }
            B::Max => {
                if x >= y {
                    (1.0, 0.0)
                } else {
                    (0.0, 1.0)
                }
            }
            B::Mod => (1.0, -(x / y).floor()),
            B::Rem => (1.0, -(x / y).trunc()),
            _ => (0.0, 0.0),
        },
        _ => (0.0, 0.0),
    }
}

/// 0·∞ is 0 here: a direction that does not move contributes nothing.
#[inline]
fn times(slope: f64, d: f64) -> f64 {
    if d == 0.0 { 0.0 } else { slope * d }
}

impl Number for Dual {
    fn constant(x: f64) -> Dual {
        Dual { v: x, d: 0.0 }
    }
    fn value(self) -> f64 {
        self.v
    }
    fn unary(op: Un, a: Dual) -> Dual {
        let v = op.eval(a.v);
        Dual {
            v,
            d: times(unary_slope(op, a.v, v), a.d),
        }
    }
    fn binary(op: Bin, a: Dual, b: Dual) -> Dual {
        let (da, db) = binary_slopes(op, a.v, b.v);
        Dual {
            v: op.eval(a.v, b.v),
            d: times(da, a.d) + times(db, b.d),
        }
    }
    fn powi(a: Dual, n: i32) -> Dual {
        Dual {
            v: a.v.powi(n),
            d: times(f64::from(n) * a.v.powi(n - 1), a.d),
        }
    }
}
