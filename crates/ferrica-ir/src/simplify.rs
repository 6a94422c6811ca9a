//! Simplifying constructors of the expression arena: literal folding and the algebraic identities
//! that hold for every value (`x + 0`, `1 * x`, `--x`, `if true …`). Nothing here may change the
//! value of an expression, and nothing searches: each constructor looks at its operands only.

use crate::elementary::{binary_value, unary_value};
use crate::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, UnaryOp};

impl ExprArena {
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Neg, a)
    }

    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.unary(UnaryOp::Not, a)
    }

    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Add, a, b)
    }

    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Sub, a, b)
    }

    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Mul, a, b)
    }

    pub fn div(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Div, a, b)
    }

    /// Sum as a balanced tree, so that a node with 10^5 connections is no deep expression.
    pub fn sum(&mut self, terms: &[ExprId]) -> ExprId {
        self.balanced(BinaryOp::Add, terms)
            .unwrap_or_else(|| self.real(0.0))
    }

    pub fn product(&mut self, factors: &[ExprId]) -> ExprId {
        self.balanced(BinaryOp::Mul, factors)
            .unwrap_or_else(|| self.real(1.0))
    }

    pub fn and_all(&mut self, terms: &[ExprId]) -> ExprId {
        self.balanced(BinaryOp::And, terms)
            .unwrap_or_else(|| self.bool(true))
    }

    pub fn or_all(&mut self, terms: &[ExprId]) -> ExprId {
        self.balanced(BinaryOp::Or, terms)
            .unwrap_or_else(|| self.bool(false))
    }

    fn balanced(&mut self, op: BinaryOp, terms: &[ExprId]) -> Option<ExprId> {
        match terms {
            [] => None,
            [one] => Some(*one),
            _ => {
                let (left, right) = terms.split_at(terms.len() / 2);
                let (a, b) = (self.balanced(op, left)?, self.balanced(op, right)?);
                Some(self.binary(op, a, b))
            }
        }
    }

    pub fn is_zero(&self, id: ExprId) -> bool {
        matches!(self.get(id), Expr::Real(_) | Expr::Int(_)) && self.as_f64(id) == Some(0.0)
    }

    pub fn is_one(&self, id: ExprId) -> bool {
        matches!(self.get(id), Expr::Real(_) | Expr::Int(_)) && self.as_f64(id) == Some(1.0)
    }

    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        match (op, self.get(a)) {
            (UnaryOp::Neg, Expr::Real(bits)) => self.real(-f64::from_bits(bits)),
            (UnaryOp::Neg, Expr::Int(v)) => match v.checked_neg() {
                Some(v) => self.int(v),
                None => self.real(-(v as f64)),
            },
            (UnaryOp::Neg, Expr::Unary(UnaryOp::Neg, x)) => x,
            (UnaryOp::Neg, Expr::Binary(BinaryOp::Sub, x, y)) => self.sub(y, x),
            (UnaryOp::Not, Expr::Bool(b)) => self.bool(!b),
            (UnaryOp::Not, Expr::Unary(UnaryOp::Not, x)) => x,
            _ => {
                let ty = self.ty(a);
                self.intern(Expr::Unary(op, a), ty)
            }
        }
    }

    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold_literals(op, a, b) {
            return folded;
        }
        if let Some(same) = self.identity(op, a, b) {
            return same;
        }
        let ty = self.binary_type(op, a, b);
        self.intern(Expr::Binary(op, a, b), ty)
    }

    fn binary_type(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Ty {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => match (self.ty(a), self.ty(b)) {
                (Ty::Integer, Ty::Integer) => Ty::Integer,
                (Ty::String, _) => Ty::String,
                _ => Ty::Real,
            },
            BinaryOp::Div | BinaryOp::Pow => Ty::Real,
            _ => Ty::Boolean,
        }
    }

    fn fold_literals(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.get(a), self.get(b)) {
            (Expr::Int(x), Expr::Int(y)) => {
                let whole = match op {
                    BinaryOp::Add => x.checked_add(y),
                    BinaryOp::Sub => x.checked_sub(y),
                    BinaryOp::Mul => x.checked_mul(y),
                    _ => None,
                };
                if let Some(v) = whole {
                    return Some(self.int(v));
                }
            }
            (Expr::Str(x), Expr::Str(y)) => {
                let ord = self.string_text(x).cmp(self.string_text(y));
                return match op {
                    BinaryOp::Add => {
                        let text = format!("{}{}", self.string_text(x), self.string_text(y));
                        Some(self.str(&text))
                    }
                    _ => relation(op, ord).map(|r| self.bool(r)),
                };
            }
            (Expr::Bool(x), Expr::Bool(y)) => {
                let value = match op {
                    BinaryOp::And => Some(x && y),
                    BinaryOp::Or => Some(x || y),
                    _ => relation(op, x.cmp(&y)),
                };
                return value.map(|v| self.bool(v));
            }
            _ => {}
        }
        let (x, y) = (self.as_f64(a)?, self.as_f64(b)?);
        match op {
            BinaryOp::Add => Some(self.real(x + y)),
            BinaryOp::Sub => Some(self.real(x - y)),
            BinaryOp::Mul => Some(self.real(x * y)),
            // A division by a literal zero stays visible, to be reported with its place.
            BinaryOp::Div if y != 0.0 => Some(self.real(x / y)),
            BinaryOp::Pow => {
                let v = power(x, y);
                v.is_finite().then(|| self.real(v))
            }
            _ => x
                .partial_cmp(&y)
                .and_then(|o| relation(op, o))
                .map(|r| self.bool(r)),
        }
    }

    fn identity(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let real_pair = self.ty(a) == self.ty(b) || self.ty(b) == Ty::Integer;
        let real_pair_b = self.ty(a) == self.ty(b) || self.ty(a) == Ty::Integer;
        match op {
            BinaryOp::Add if self.ty(a) == Ty::String => None,
            BinaryOp::Add => {
                if self.is_zero(b) && real_pair {
                    Some(a)
                } else if self.is_zero(a) && real_pair_b {
                    Some(b)
                } else if let Expr::Unary(UnaryOp::Neg, y) = self.get(b) {
                    Some(self.sub(a, y))
                } else if let Expr::Unary(UnaryOp::Neg, x) = self.get(a) {
                    Some(self.sub(b, x))
                } else {
                    None
                }
            }
            BinaryOp::Sub => {
                if self.is_zero(b) && real_pair {
                    Some(a)
                } else if self.is_zero(a) && real_pair_b {
                    Some(self.neg(b))
                } else if a == b {
                    Some(self.zero_like(a))
                } else if let Expr::Unary(UnaryOp::Neg, y) = self.get(b) {
                    Some(self.add(a, y))
                } else {
                    None
                }
            }
            BinaryOp::Mul => {
                if self.is_one(b) && real_pair {
                    Some(a)
                } else if self.is_one(a) && real_pair_b {
                    Some(b)
                } else if self.is_zero(a) || self.is_zero(b) {
                    let ty = self.binary_type(op, a, b);
                    Some(if ty == Ty::Integer {
                        self.int(0)
                    } else {
                        self.real(0.0)
                    })
                } else if self.as_f64(a) == Some(-1.0) && real_pair_b {
                    Some(self.neg(b))
                } else if self.as_f64(b) == Some(-1.0) && real_pair {
                    Some(self.neg(a))
                } else if let Expr::Unary(UnaryOp::Neg, x) = self.get(a) {
                    let product = self.mul(x, b);
                    Some(self.neg(product))
                } else if let Expr::Unary(UnaryOp::Neg, y) = self.get(b) {
                    let product = self.mul(a, y);
                    Some(self.neg(product))
                } else {
                    None
                }
            }
            BinaryOp::Div => {
                if self.is_one(b) && self.ty(a) == Ty::Real {
                    Some(a)
                } else if self.is_zero(a) && !self.is_zero(b) {
                    Some(self.real(0.0))
                } else if let Expr::Unary(UnaryOp::Neg, x) = self.get(a) {
                    let quotient = self.div(x, b);
                    Some(self.neg(quotient))
                } else {
                    None
                }
            }
            BinaryOp::Pow => {
                if self.is_one(b) && self.ty(a) == Ty::Real {
                    Some(a)
                } else if self.is_zero(b) {
                    Some(self.real(1.0))
                } else {
                    None
                }
            }
            BinaryOp::And => match (self.as_bool(a), self.as_bool(b)) {
                (Some(false), _) | (_, Some(false)) => Some(self.bool(false)),
                (Some(true), _) => Some(b),
                (_, Some(true)) => Some(a),
                _ if a == b => Some(a),
                _ => None,
            },
            BinaryOp::Or => match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), _) | (_, Some(true)) => Some(self.bool(true)),
                (Some(false), _) => Some(b),
                (_, Some(false)) => Some(a),
                _ if a == b => Some(a),
                _ => None,
            },
            BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge if a == b && self.ty(a) != Ty::Real => {
                Some(self.bool(true))
            }
            _ => None,
        }
    }

    fn zero_like(&mut self, a: ExprId) -> ExprId {
        if self.ty(a) == Ty::Integer {
            self.int(0)
        } else {
            self.real(0.0)
        }
    }

    pub fn if_then_else(&mut self, c: ExprId, a: ExprId, b: ExprId) -> ExprId {
        match self.as_bool(c) {
            Some(true) => return a,
            Some(false) => return b,
            None => {}
        }
        if a == b {
            return a;
        }
        if self.ty(a) == Ty::Boolean && self.ty(b) == Ty::Boolean {
            match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), Some(false)) => return c,
                (Some(false), Some(true)) => return self.not(c),
                _ => {}
            }
        }
        let ty = match (self.ty(a), self.ty(b)) {
            (Ty::Integer, Ty::Real) => Ty::Real,
            (t, _) => t,
        };
        self.intern(Expr::If(c, a, b), ty)
    }

    /// A builtin with literal arguments is folded when the result does not depend on time or mode.
    pub fn builtin(&mut self, f: Builtin, args: &[ExprId]) -> ExprId {
        if let Some(folded) = self.fold_builtin(f, args) {
            return folded;
        }
        let ty = self.builtin_type(f, args);
        let list = self.list(args);
        self.intern(Expr::Builtin(f, list), ty)
    }

    fn builtin_type(&self, f: Builtin, args: &[ExprId]) -> Ty {
        use Builtin::*;
        let first = args.first().map_or(Ty::Real, |&a| self.ty(a));
        match f {
            Abs | Mod | Rem | Div | Min | Max => {
                if args.iter().all(|&a| self.ty(a) == Ty::Integer) {
                    Ty::Integer
                } else if matches!(first, Ty::Enum(_) | Ty::Boolean) {
                    first
                } else {
                    Ty::Real
                }
            }
            Sign | Integer | EnumToInt => Ty::Integer,
            NoEvent | Body | Argument | Homotopy | ClockedSample | Hold | Previous | SubSample
            | SuperSample | ShiftSample | BackSample | NoClock | OnClock | InState => first,
            Smooth => args.get(1).map_or(Ty::Real, |&a| self.ty(a)),
            Sample | Initial | Terminal | Edge | Change | WhenFires | FirstTick => Ty::Boolean,
            StringOf | StringOfDigits | StringOfFormat => Ty::String,
            ClockInferred | ClockRational | ClockReal | ClockEvent | ClockSolver => Ty::Clock,
            SpatialDistribution => Ty::Tuple,
            // The enumeration is that of the first argument, a literal of the wanted type.
            IntToEnum => first,
            _ => Ty::Real,
        }
    }

    fn fold_builtin(&mut self, f: Builtin, args: &[ExprId]) -> Option<ExprId> {
        use Builtin::*;
        match f {
            NoEvent | Body | Argument if self.is_literal(args[0]) => return Some(args[0]),
            Smooth if self.is_literal(args[1]) => return Some(args[1]),
            Homotopy if args[0] == args[1] => return Some(args[0]),
            SemiLinear if args[1] == args[2] => return Some(self.mul(args[0], args[1])),
            Min | Max if args[0] == args[1] => return Some(args[0]),
            Edge | Change if self.is_literal(args[0]) => return Some(self.bool(false)),
            _ => {}
        }
        let x = self.as_f64(*args.first()?)?;
        if !matches!(self.ty(args[0]), Ty::Real | Ty::Integer) {
            return match (f, self.get(args[0])) {
                (EnumToInt, Expr::Enum(_, k)) => Some(self.int(i64::from(k))),
                (Min | Max, _) => {
                    let y = self.as_f64(args[1])?;
                    Some(if (x < y) == (f == Min) {
                        args[0]
                    } else {
                        args[1]
                    })
                }
                (StringOf, Expr::Bool(b)) => Some(self.str(if b { "true" } else { "false" })),
                _ => None,
            };
        }
        if let Some(value) = unary_value(f, x) {
            if f == Abs && self.ty(args[0]) == Ty::Integer {
                return Some(self.int(value as i64));
            }
            return value.is_finite().then(|| match f {
                Sign | Integer => self.int(value as i64),
                _ => self.real(value),
            });
        }
        if f == StringOf {
            return match self.get(args[0]) {
                Expr::Int(v) => Some(self.str(&v.to_string())),
                _ => None,
            };
        }
        let y = self.as_f64(*args.get(1)?)?;
        let value = binary_value(f, x, y)?;
        let integers = self.ty(args[0]) == Ty::Integer && self.ty(args[1]) == Ty::Integer;
        value.is_finite().then(|| match f {
            Mod | Rem | Div | Min | Max if integers => self.int(value as i64),
            _ => self.real(value),
        })
    }
}

fn relation(op: BinaryOp, ord: std::cmp::Ordering) -> Option<bool> {
    match op {
        BinaryOp::Lt => Some(ord.is_lt()),
        BinaryOp::Le => Some(ord.is_le()),
        BinaryOp::Gt => Some(ord.is_gt()),
        BinaryOp::Ge => Some(ord.is_ge()),
        BinaryOp::Eq => Some(ord.is_eq()),
        BinaryOp::Ne => Some(ord.is_ne()),
        _ => None,
    }
}

/// `x ^ y`, exact for small whole exponents.
pub fn power(x: f64, y: f64) -> f64 {
    if y == y.trunc() && y.abs() <= 64.0 {
        x.powi(y as i32)
    } else {
        x.powf(y)
    }
}
