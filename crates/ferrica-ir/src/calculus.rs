//! Derivatives of arithmetic and of the elementary functions, each rule once.
//!
//! In: an operation, its arguments, its value and the tangents of the arguments. Out: the tangent of the value. The rules are
//! written over an [`Algebra`], so that numbers, expressions, kernels, functions and power series all use these.
//!
//! At a kink the derivative is that to the right: |x| has slope 1 at 0, and of two equal numbers `min` and `max` take the first.

use crate::expr::{BinaryOp, Builtin, ExprArena, ExprId};

/// What is differentiated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Neg,
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Function(Builtin),
}

/// Values that rules compute with, and tangents: what depends linearly on a direction.
pub trait Algebra {
    type Value: Clone;
    type Tangent: Clone;

    fn constant(&mut self, x: f64) -> Self::Value;
    fn apply(&mut self, op: Operation, args: &[&Self::Value]) -> Self::Value;
    /// The truth of `a op b`.
    fn compare(&mut self, op: BinaryOp, a: &Self::Value, b: &Self::Value) -> Self::Value;

    fn times(&mut self, d: &Self::Tangent, by: &Self::Value) -> Self::Tangent;
    fn over(&mut self, d: &Self::Tangent, by: &Self::Value) -> Self::Tangent;
    fn negated(&mut self, d: &Self::Tangent) -> Self::Tangent;
    fn plus(&mut self, a: &Self::Tangent, b: &Self::Tangent) -> Self::Tangent;
    fn minus(&mut self, a: &Self::Tangent, b: &Self::Tangent) -> Self::Tangent;
    /// The one or the other by a condition; none is zero.
    fn either(
        &mut self,
        condition: &Self::Value,
        a: Option<&Self::Tangent>,
        b: Option<&Self::Tangent>,
    ) -> Self::Tangent;
    /// `slope` where `y` is not zero, zero where it is.
    fn where_not_zero(&mut self, y: &Self::Value, slope: Self::Value) -> Self::Value;
}

/// The comparison by which a function takes its first argument, where it takes one of two.
pub fn takes_first_when(f: Builtin) -> Option<BinaryOp> {
    match f {
        Builtin::Min => Some(BinaryOp::Le),
        Builtin::Max => Some(BinaryOp::Ge),
        _ => None,
    }
}

/// Tangent of `value = op(args)`. No tangent is zero, on both sides.
pub fn tangent<A: Algebra>(
    a: &mut A,
    op: Operation,
    args: &[&A::Value],
    value: &A::Value,
    d: &[Option<A::Tangent>],
) -> Option<A::Tangent> {
    if let Operation::Function(f) = op
        && let Some(first) = takes_first_when(f)
    {
        if d.iter().all(Option::is_none) {
            return None;
        }
        let condition = a.compare(first, args[0], args[1]);
        return Some(a.either(&condition, d[0].as_ref(), d[1].as_ref()));
    }
    let mut sum: Option<A::Tangent> = None;
    for (k, d) in d.iter().enumerate() {
        let Some(d) = d else { continue };
        let Some((sign, term)) = term(a, op, args, value, k, d) else {
            continue;
        };
        sum = Some(match (sum, sign) {
            (Some(before), Sign::Plus) => a.plus(&before, &term),
            (Some(before), Sign::Minus) => a.minus(&before, &term),
            (None, Sign::Plus) => term,
            (None, Sign::Minus) => a.negated(&term),
        });
    }
    sum
}

enum Sign {
    Plus,
    Minus,
}

/// What a change of argument k contributes.
fn term<A: Algebra>(
    a: &mut A,
    op: Operation,
    args: &[&A::Value],
    value: &A::Value,
    k: usize,
    d: &A::Tangent,
) -> Option<(Sign, A::Tangent)> {
    use Operation::*;
    let x = args[0];
    let sign = match (op, k) {
        (Neg, _) | (Sub | Div, 1) => Sign::Minus,
        (Function(Builtin::Acos), _) => Sign::Minus,
        (Function(Builtin::Atan2 | Builtin::Mod | Builtin::Rem), 1) => Sign::Minus,
        _ => Sign::Plus,
    };
    let term = match (op, k) {
        (Neg | Add | Sub, _) => d.clone(),
        (Mul, 0) => a.times(d, args[1]),
        (Mul, _) => a.times(d, x),
        (Div, 0) => a.over(d, args[1]),
        // −(x/y)/y
        (Div, _) => {
            let slope = a.apply(Div, &[value, args[1]]);
            a.times(d, &slope)
        }
        // y·x^(y−1)
        (Pow, 0) => {
            let y = args[1];
            let one = a.constant(1.0);
            let lower = a.apply(Sub, &[y, &one]);
            let power = a.apply(Pow, &[x, &lower]);
            let slope = a.apply(Mul, &[y, &power]);
            let slope = a.where_not_zero(y, slope);
            a.times(d, &slope)
        }
        // x^y·ln x, only where the base is positive: 0^y stays 0.
        (Pow, _) => {
            let zero = a.constant(0.0);
            let positive = a.compare(BinaryOp::Gt, x, &zero);
            let log = a.apply(Function(Builtin::Log), &[x]);
            let slope = a.apply(Mul, &[value, &log]);
            let product = a.times(d, &slope);
            a.either(&positive, Some(&product), None)
        }
        (Function(f), _) => of_function(a, f, args, value, k, d)?,
    };
    Some((sign, term))
}

/// The same for functions, but for its sign.
fn of_function<A: Algebra>(
    a: &mut A,
    f: Builtin,
    args: &[&A::Value],
    value: &A::Value,
    k: usize,
    d: &A::Tangent,
) -> Option<A::Tangent> {
    use Builtin as B;
    use Operation::{Add, Div, Function, Mul, Neg, Sub};
    let x = args[0];
    Some(match f {
        B::Sin => {
            let slope = a.apply(Function(B::Cos), &[x]);
            a.times(d, &slope)
        }
        B::Cos => {
            let sine = a.apply(Function(B::Sin), &[x]);
            let slope = a.apply(Neg, &[&sine]);
            a.times(d, &slope)
        }
        B::Tan | B::Tanh => {
            let one = a.constant(1.0);
            let square = a.apply(Mul, &[value, value]);
            let sum = if f == B::Tan { Add } else { Sub };
            let slope = a.apply(sum, &[&one, &square]);
            a.times(d, &slope)
        }
        B::Asin | B::Acos => {
            let one = a.constant(1.0);
            let square = a.apply(Mul, &[x, x]);
            let rest = a.apply(Sub, &[&one, &square]);
            let root = a.apply(Function(B::Sqrt), &[&rest]);
            a.over(d, &root)
        }
        B::Atan => {
            let one = a.constant(1.0);
            let square = a.apply(Mul, &[x, x]);
            let below = a.apply(Add, &[&one, &square]);
            a.over(d, &below)
        }
        B::Sinh => {
            let slope = a.apply(Function(B::Cosh), &[x]);
            a.times(d, &slope)
        }
        B::Cosh => {
            let slope = a.apply(Function(B::Sinh), &[x]);
            a.times(d, &slope)
        }
        B::Exp => a.times(d, value),
        B::Log => a.over(d, x),
        B::Log10 => {
            let ln10 = a.constant(std::f64::consts::LN_10);
            let below = a.apply(Mul, &[x, &ln10]);
            a.over(d, &below)
        }
        B::Sqrt => {
            let two = a.constant(2.0);
            let below = a.apply(Mul, &[&two, value]);
            a.over(d, &below)
        }
        B::Abs => {
            let zero = a.constant(0.0);
            let right = a.compare(BinaryOp::Ge, x, &zero);
            let minus = a.negated(d);
            a.either(&right, Some(d), Some(&minus))
        }
        // atan2(y, x): (x·dy − y·dx)/(x² + y²)
        B::Atan2 => {
            let (y, x) = (args[0], args[1]);
            let (yy, xx) = (a.apply(Mul, &[y, y]), a.apply(Mul, &[x, x]));
            let below = a.apply(Add, &[&yy, &xx]);
            let slope = a.apply(Div, &[if k == 0 { x } else { y }, &below]);
            a.times(d, &slope)
        }
        // x − q·y, where q is constant between the jumps.
        B::Mod | B::Rem if k == 0 => d.clone(),
        B::Mod | B::Rem => {
            let product = a.apply(Sub, &[x, value]);
            let q = a.apply(Div, &[&product, args[1]]);
            a.times(d, &q)
        }
        // Constant between their jumps; `min` and `max` are in `tangent`.
        _ => return None,
    })
}

/// Numbers with a derivative in one direction. 0·∞ is 0 here: a direction that does not move contributes nothing.
pub struct Numbers;

impl Algebra for Numbers {
    type Value = f64;
    type Tangent = f64;

    fn constant(&mut self, x: f64) -> f64 {
        x
    }

    fn apply(&mut self, op: Operation, args: &[&f64]) -> f64 {
        use crate::elementary::{binary_value, unary_value};
        match (op, args) {
            (Operation::Neg, [x]) => -*x,
            (Operation::Add, [x, y]) => *x + *y,
            (Operation::Sub, [x, y]) => *x - *y,
            (Operation::Mul, [x, y]) => *x * *y,
            (Operation::Div, [x, y]) => *x / *y,
            (Operation::Pow, [x, y]) => crate::simplify::power(**x, **y),
            (Operation::Function(f), [x]) => unary_value(f, **x).unwrap_or(f64::NAN),
            (Operation::Function(f), [x, y]) => binary_value(f, **x, **y).unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }

    fn compare(&mut self, op: BinaryOp, a: &f64, b: &f64) -> f64 {
        f64::from(u8::from(match op {
            BinaryOp::Lt => a < b,
            BinaryOp::Le => a <= b,
            BinaryOp::Gt => a > b,
            BinaryOp::Ge => a >= b,
            BinaryOp::Eq => a == b,
            _ => a != b,
        }))
    }

    fn times(&mut self, d: &f64, by: &f64) -> f64 {
        if *d == 0.0 { 0.0 } else { d * by }
    }

    fn over(&mut self, d: &f64, by: &f64) -> f64 {
        if *d == 0.0 { 0.0 } else { d / by }
    }

    fn negated(&mut self, d: &f64) -> f64 {
        -d
    }

    fn plus(&mut self, a: &f64, b: &f64) -> f64 {
        a + b
    }

    fn minus(&mut self, a: &f64, b: &f64) -> f64 {
        a - b
    }

    fn either(&mut self, condition: &f64, a: Option<&f64>, b: Option<&f64>) -> f64 {
        let chosen = if *condition != 0.0 { a } else { b };
        chosen.copied().unwrap_or(0.0)
    }

    fn where_not_zero(&mut self, y: &f64, slope: f64) -> f64 {
        if *y == 0.0 { 0.0 } else { slope }
    }
}

impl Operation {
    /// The operation of an operator; none for logical ones and relations.
    pub fn of(op: BinaryOp) -> Option<Operation> {
        Some(match op {
            BinaryOp::Add => Operation::Add,
            BinaryOp::Sub => Operation::Sub,
            BinaryOp::Mul => Operation::Mul,
            BinaryOp::Div => Operation::Div,
            BinaryOp::Pow => Operation::Pow,
            _ => return None,
        })
    }
}

impl Algebra for ExprArena {
    type Value = ExprId;
    type Tangent = ExprId;

    fn constant(&mut self, x: f64) -> Self::Value {
        self.real(x)
    }

    fn apply(&mut self, op: Operation, args: &[&Self::Value]) -> Self::Value {
        match (op, args) {
            (Operation::Add, [x, y]) => self.add(**x, **y),
            (Operation::Sub, [x, y]) => self.sub(**x, **y),
            (Operation::Mul, [x, y]) => self.mul(**x, **y),
            (Operation::Div, [x, y]) => self.div(**x, **y),
            (Operation::Pow, [x, y]) => self.binary(BinaryOp::Pow, **x, **y),
            (Operation::Function(f), _) => {
                let args: Vec<_> = args.iter().map(|a| **a).collect();
                self.builtin(f, &args)
            }
            _ => self.neg(*args[0]),
        }
    }

    fn compare(&mut self, op: BinaryOp, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.binary(op, *a, *b)
    }

    fn times(&mut self, d: &Self::Value, by: &Self::Value) -> Self::Value {
        self.mul(*by, *d)
    }

    fn over(&mut self, d: &Self::Value, by: &Self::Value) -> Self::Value {
        self.div(*d, *by)
    }

    fn negated(&mut self, d: &Self::Value) -> Self::Value {
        self.neg(*d)
    }

    fn plus(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.add(*a, *b)
    }

    fn minus(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value {
        self.sub(*a, *b)
    }

    fn either(
        &mut self,
        condition: &Self::Value,
        a: Option<&Self::Value>,
        b: Option<&Self::Value>,
    ) -> Self::Value {
        let zero = self.real(0.0);
        let of = |d: Option<&Self::Value>| d.copied().unwrap_or(zero);
        let (a, b) = (of(a), of(b));
        self.if_then_else(*condition, a, b)
    }

    /// No equation shall ask whether two Real numbers are equal: only a literal exponent is known to be zero.
    fn where_not_zero(&mut self, y: &Self::Value, slope: Self::Value) -> Self::Value {
        if self.as_f64(*y) == Some(0.0) {
            self.real(0.0)
        } else {
            slope
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementary::{Shape, TABLE, Value};

    /// Slopes of all functions against central differences, at points inside of every domain.
    #[test]
    fn rules_agree_with_differences() {
        for row in TABLE {
            let f = Operation::Function(row.builtin);
            for at in [[0.3, 0.7], [0.62, -0.45]] {
                for k in 0..row.value.arity() {
                    let h = 1e-6;
                    let value = |shift: f64| {
                        let mut p = at;
                        p[k] += shift;
                        match row.value {
                            Value::Of(f) => f(p[0]),
                            Value::OfTwo(f) => f(p[0], p[1]),
                        }
                    };
                    let expected = (value(h) - value(-h)) / (2.0 * h);
                    let args: Vec<&f64> = at[..row.value.arity()].iter().collect();
                    let mut d = vec![None; args.len()];
                    d[k] = Some(1.0);
                    let slope = tangent(&mut Numbers, f, &args, &value(0.0), &d).unwrap_or(0.0);
                    let close = (slope - expected).abs() <= 1e-8 * (1.0 + expected.abs());
                    assert!(close, "{} by {k} at {at:?}: {slope}, {expected}", row.name);
                }
            }
        }
    }

    /// Exactly the functions that are constant between jumps have no rule.
    #[test]
    fn no_rule_is_missing() {
        for row in TABLE {
            let (x, args) = (0.5, row.value.arity());
            let f = Operation::Function(row.builtin);
            let d = vec![Some(1.0); args];
            let slope = tangent(&mut Numbers, f, &vec![&x; args], &0.5, &d);
            let stepped = row.shape == Shape::Stepped;
            assert_eq!(slope.is_none(), stepped, "{}", row.name);
        }
    }

    #[test]
    fn kinks_and_empty_directions() {
        let slope = |f, x: f64, y: f64, d: [Option<f64>; 2]| {
            let n = crate::elementary::arity(f).unwrap_or(0);
            let args = [&x, &y];
            tangent(
                &mut Numbers,
                Operation::Function(f),
                &args[..n],
                &0.0,
                &d[..n],
            )
        };
        assert_eq!(slope(Builtin::Abs, 0.0, 0.0, [Some(1.0), None]), Some(1.0));
        assert_eq!(
            slope(Builtin::Min, 2.0, 2.0, [Some(1.0), Some(5.0)]),
            Some(1.0)
        );
        assert_eq!(slope(Builtin::Max, 2.0, 2.0, [None, Some(5.0)]), Some(0.0));
        // √ has no slope at 0, but what does not move there does not matter.
        assert_eq!(slope(Builtin::Sqrt, 0.0, 0.0, [Some(0.0), None]), Some(0.0));
    }

    #[test]
    fn powers() {
        let slope = |x: f64, y: f64, d: [Option<f64>; 2]| {
            let value = crate::simplify::power(x, y);
            tangent(&mut Numbers, Operation::Pow, &[&x, &y], &value, &d)
        };
        assert_eq!(slope(3.0, 2.0, [Some(1.0), None]), Some(6.0));
        assert_eq!(slope(0.0, 0.0, [Some(1.0), None]), Some(0.0));
        assert_eq!(slope(0.0, 2.0, [None, Some(1.0)]), Some(0.0));
        assert_eq!(slope(1.0, 2.0, [None, Some(1.0)]), Some(0.0));
    }
}
