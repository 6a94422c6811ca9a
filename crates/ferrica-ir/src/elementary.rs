//! The elementary functions of the language: one row a function.
//!
//! Everything that depends on which functions there are reads the rows: names, what editors tell of them, values in the evaluator and
//! in machine code, C code, units, and whether a function is smooth. Their derivatives stand in [`crate::calculus`]. A new function is a
//! variant of [`Builtin`], a row here and a rule there.

use crate::expr::Builtin;

/// A function of one or two numbers.
pub struct Elementary {
    pub builtin: Builtin,
    /// As it is written in Modelica.
    pub name: &'static str,
    pub inputs: &'static [&'static str],
    /// What it is, for those who write a call.
    pub about: &'static str,
    pub value: Value,
    pub c: CForm,
    pub unit: UnitRule,
    pub shape: Shape,
}

/// How its value is computed; not a number outside of its domain.
#[derive(Clone, Copy)]
pub enum Value {
    Of(fn(f64) -> f64),
    OfTwo(fn(f64, f64) -> f64),
}

/// What it is in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CForm {
    /// A function of `math.h`.
    Library(&'static str),
    /// A function of our own with this body; its parameters are `x` and `y`.
    Own(&'static str),
}

/// The unit of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitRule {
    /// A plain number.
    Number,
    /// That of the argument.
    Argument,
    /// The root of the argument's.
    Root,
    /// That of both arguments, which must be one.
    Common,
    /// Not followed.
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Has all derivatives inside of its domain.
    Smooth,
    /// Continuous, with kinks.
    Kinked,
    /// Smooth between jumps.
    Jumping,
    /// Constant between jumps.
    Stepped,
}

macro_rules! rows {
    (
        one { $($one:ident $name1:literal |$x:ident| $value1:expr, $c1:expr, $unit1:ident, $shape1:ident, $about1:literal;)* }
        two { $($two:ident $name2:literal |$a:ident, $b:ident| $value2:expr, $c2:expr, $unit2:ident, $shape2:ident, $about2:literal;)* }
    ) => {
        /// Functions of one number, then those of two.
        pub const TABLE: &[Elementary] = &[
            $(Elementary {
                builtin: Builtin::$one,
                name: $name1,
                inputs: &[stringify!($x)],
                about: $about1,
                value: {
                    fn value($x: f64) -> f64 { $value1 }
                    Value::Of(value)
                },
                c: $c1,
                unit: UnitRule::$unit1,
                shape: Shape::$shape1,
            },)*
            $(Elementary {
                builtin: Builtin::$two,
                name: $name2,
                inputs: &[stringify!($a), stringify!($b)],
                about: $about2,
                value: {
                    fn value($a: f64, $b: f64) -> f64 { $value2 }
                    Value::OfTwo(value)
                },
                c: $c2,
                unit: UnitRule::$unit2,
                shape: Shape::$shape2,
            },)*
        ];

        /// Value of a function of one number.
        #[inline]
        pub fn unary_value(f: Builtin, x: f64) -> Option<f64> {
            Some(match f {
                $(Builtin::$one => { let $x = x; $value1 })*
                _ => return None,
            })
        }

        /// Value of a function of two numbers.
        #[inline]
        pub fn binary_value(f: Builtin, x: f64, y: f64) -> Option<f64> {
            Some(match f {
                $(Builtin::$two => { let ($a, $b) = (x, y); $value2 })*
                _ => return None,
            })
        }
    };
}

use CForm::{Library, Own};

rows! {
    one {
        Sin "sin" |x| x.sin(), Library("sin"), Number, Smooth, "Sine";
        Cos "cos" |x| x.cos(), Library("cos"), Number, Smooth, "Cosine";
        Tan "tan" |x| x.tan(), Library("tan"), Number, Smooth, "Tangent";
        Asin "asin" |x| x.asin(), Library("asin"), Number, Smooth, "Inverse sine";
        Acos "acos" |x| x.acos(), Library("acos"), Number, Smooth, "Inverse cosine";
        Atan "atan" |x| x.atan(), Library("atan"), Number, Smooth, "Inverse tangent";
        Sinh "sinh" |x| x.sinh(), Library("sinh"), Number, Smooth, "Hyperbolic sine";
        Cosh "cosh" |x| x.cosh(), Library("cosh"), Number, Smooth, "Hyperbolic cosine";
        Tanh "tanh" |x| x.tanh(), Library("tanh"), Number, Smooth, "Hyperbolic tangent";
        Exp "exp" |x| x.exp(), Library("exp"), Open, Smooth, "Exponential function";
        Log "log" |x| x.ln(), Library("log"), Open, Smooth, "Natural logarithm";
        Log10 "log10" |x| x.log10(), Library("log10"), Open, Smooth, "Logarithm to the base of 10";
        Sqrt "sqrt" |x| x.sqrt(), Library("sqrt"), Root, Smooth, "Square root";
        Abs "abs" |x| x.abs(), Library("fabs"), Argument, Kinked, "Absolute value";
        Sign "sign" |x| sign(x), Own("x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0"), Number, Stepped, "-1, 0 or 1";
        Floor "floor" |x| x.floor(), Library("floor"), Open, Stepped, "Largest whole number that is not greater";
        Ceil "ceil" |x| x.ceil(), Library("ceil"), Open, Stepped, "Smallest whole number that is not less";
        Integer "integer" |x| x.floor(), Library("floor"), Open, Stepped, "Largest Integer that is not greater";
    }
    two {
        Atan2 "atan2" |y, x| y.atan2(x), Library("atan2"), Number, Smooth, "Angle of a point";
        Div "div" |x, y| if y == 0.0 { f64::NAN } else { (x / y).trunc() },
            Own("y != 0.0 ? trunc(x / y) : NAN"), Open, Stepped, "Quotient without its fraction";
        Mod "mod" |x, y| if y == 0.0 { f64::NAN } else { x - (x / y).floor() * y },
            Own("y != 0.0 ? x - floor(x / y) * y : NAN"), Open, Jumping, "x - floor(x/y)*y";
        Rem "rem" |x, y| if y == 0.0 { f64::NAN } else { x - (x / y).trunc() * y },
            Own("y != 0.0 ? x - trunc(x / y) * y : NAN"), Open, Jumping, "x - div(x, y)*y";
        Min "min" |x, y| x.min(y), Library("fmin"), Common, Kinked, "The smaller one";
        Max "max" |x, y| x.max(y), Library("fmax"), Common, Kinked, "The greater one";
    }
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

impl Value {
    pub const fn arity(self) -> usize {
        match self {
            Value::Of(_) => 1,
            Value::OfTwo(_) => 2,
        }
    }
}

/// The row of a function; none for operators that are no functions of numbers.
pub fn row(f: Builtin) -> Option<&'static Elementary> {
    TABLE.iter().find(|row| row.builtin == f)
}

/// The row of the function with this name.
pub fn named(name: &str) -> Option<&'static Elementary> {
    TABLE.iter().find(|row| row.name == name)
}

/// Number of arguments; none for operators that are no functions of numbers.
pub fn arity(f: Builtin) -> Option<usize> {
    row(f).map(|row| row.value.arity())
}

/// Is it constant between its jumps?
pub fn is_stepped(f: Builtin) -> bool {
    row(f).is_some_and(|row| row.shape == Shape::Stepped)
}

/// Is it an elementary function without kinks and jumps?
pub fn is_smooth(f: Builtin) -> bool {
    row(f).is_some_and(|row| row.shape == Shape::Smooth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_functions_are_unique() {
        for (k, a) in TABLE.iter().enumerate() {
            for b in &TABLE[k + 1..] {
                assert!(a.name != b.name && a.builtin != b.builtin, "{}", a.name);
            }
        }
    }

    #[test]
    fn both_ways_to_a_value_agree() {
        for row in TABLE {
            for (x, y) in [(0.3, 0.7), (-0.3, 0.7), (2.5, -0.4), (0.0, 0.0)] {
                let (by_row, by_match) = match row.value {
                    Value::Of(f) => (f(x), unary_value(row.builtin, x)),
                    Value::OfTwo(f) => (f(x, y), binary_value(row.builtin, x, y)),
                };
                let same = by_match.is_some_and(|v| v.to_bits() == by_row.to_bits());
                assert!(same, "{}({x}, {y})", row.name);
            }
        }
    }
}
