//! Numbers that code can run on: values, and values with a directional derivative (dual numbers).
//!
//! The derivative rules are those of [`ferrica_ir::calculus`].

use ferrica_ir::calculus::{Algebra, Numbers, Operation, tangent};

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

impl Un {
    /// What is differentiated; none for what has no slope.
    pub fn operation(self) -> Option<Operation> {
        match self {
            Un::Neg => Some(Operation::Neg),
            Un::Not => None,
            Un::Math(f) => Some(Operation::Function(f)),
        }
    }
}

impl Bin {
    /// What is differentiated; none for what has no slope.
    pub fn operation(self) -> Option<Operation> {
        Some(match self {
            Bin::Add => Operation::Add,
            Bin::Sub => Operation::Sub,
            Bin::Mul => Operation::Mul,
            Bin::Div => Operation::Div,
            Bin::Pow => Operation::Pow,
            Bin::Math(f) => Operation::Function(f),
            Bin::And | Bin::Or => return None,
            Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge | Bin::Eq | Bin::Ne => return None,
        })
    }
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
        let d =
            (op.operation()).and_then(|op| tangent(&mut Numbers, op, &[&a.v], &v, &[Some(a.d)]));
        Dual {
            v,
            d: d.unwrap_or(0.0),
        }
    }
    fn binary(op: Bin, a: Dual, b: Dual) -> Dual {
        let v = op.eval(a.v, b.v);
        let rates = [Some(a.d), Some(b.d)];
        let d =
            (op.operation()).and_then(|op| tangent(&mut Numbers, op, &[&a.v, &b.v], &v, &rates));
        Dual {
            v,
            d: d.unwrap_or(0.0),
        }
    }
    fn powi(a: Dual, n: i32) -> Dual {
        Dual {
            v: a.v.powi(n),
            d: Numbers.times(&a.d, &(f64::from(n) * a.v.powi(n - 1))),
        }
    }
}
