//! Ranges of the results of a kernel while the time runs through an interval.
//!
//! In: a kernel, the range of each operand. Out: a range for each result that holds all its values, by the rules of interval
//! arithmetic (Moore); nothing where a call of a function is in the way. Run on the Taylor form of a function of time it bounds
//! the function's derivatives over the whole interval, so that no burst between two looks is overlooked.
//!
//! Roundings are not directed: the readers of these ranges compare them with quanta, which are far larger.

use std::f64::consts::{FRAC_PI_2, PI};

use ferrica_ir::Builtin;

use crate::kernel::{Bin, Kernel, Op, Reg, Un};

/// All numbers from `lo` to `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub lo: f64,
    pub hi: f64,
}

const WHOLE: Interval = Interval {
    lo: f64::NEG_INFINITY,
    hi: f64::INFINITY,
};
const TRUE: Interval = Interval { lo: 1.0, hi: 1.0 };
const FALSE: Interval = Interval { lo: 0.0, hi: 0.0 };
const EITHER: Interval = Interval { lo: 0.0, hi: 1.0 };

/// 0·∞ counts as 0: the factor is zero, whatever the other one grows to.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

impl Interval {
    pub fn point(v: f64) -> Interval {
        Interval { lo: v, hi: v }
    }

    /// From the smaller to the larger of some numbers; everything if one is none.
    fn of(values: &[f64]) -> Interval {
        let mut all = Interval::point(values[0]);
        for &v in values {
            if v.is_nan() {
                return WHOLE;
            }
            all.lo = all.lo.min(v);
            all.hi = all.hi.max(v);
        }
        all
    }

    pub fn has(self, v: f64) -> bool {
        self.lo <= v && v <= self.hi
    }

    /// Largest absolute value.
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    fn hull(self, other: Interval) -> Interval {
        Interval {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    fn neg(self) -> Interval {
        Interval {
            lo: -self.hi,
            hi: -self.lo,
        }
    }

    fn add(self, o: Interval) -> Interval {
        Interval::of(&[self.lo + o.lo, self.hi + o.hi])
    }

    fn mul(self, o: Interval) -> Interval {
        Interval::of(&[
            product(self.lo, o.lo),
            product(self.lo, o.hi),
            product(self.hi, o.lo),
            product(self.hi, o.hi),
        ])
    }

    fn div(self, o: Interval) -> Interval {
        if o.has(0.0) || !o.lo.is_finite() && !o.hi.is_finite() {
            return WHOLE;
        }
        let inverse = Interval::of(&[1.0 / o.lo, 1.0 / o.hi]);
        self.mul(inverse)
    }

    fn powi(self, n: i32) -> Interval {
        if n < 0 {
            return Interval::point(1.0).div(self.powi(-n));
        }
        let ends = Interval::of(&[self.lo.powi(n), self.hi.powi(n)]);
        if n > 0 && n % 2 == 0 && self.has(0.0) {
            return ends.hull(FALSE);
        }
        ends
    }

    fn pow(self, y: Interval) -> Interval {
        if y.lo == y.hi && y.lo.fract() == 0.0 && y.lo.abs() < 1e6 {
            return self.powi(y.lo as i32);
        }
        if self.lo > 0.0 {
            let log = self.monotone(f64::ln);
            return y.mul(log).monotone(f64::exp);
        }
        if self.lo == 0.0 && y.lo == y.hi && y.lo > 0.0 {
            return self.monotone(|x| x.powf(y.lo));
        }
        WHOLE
    }

    fn monotone(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval::of(&[f(self.lo), f(self.hi)])
    }

    /// The cosine, by the multiples of π inside.
    fn cos(self) -> Interval {
        let width = self.hi - self.lo;
        if width.is_nan() || width >= 2.0 * PI {
            return Interval { lo: -1.0, hi: 1.0 };
        }
        let mut ends = self.monotone(f64::cos);
        let mut k = (self.lo / PI).ceil();
        if k + 1.0 == k {
            // So far out that neighbouring multiples of π are one number.
            return Interval { lo: -1.0, hi: 1.0 };
        }
        while k * PI <= self.hi {
            let turn = if k % 2.0 == 0.0 { 1.0 } else { -1.0 };
            ends = ends.hull(Interval::point(turn));
            k += 1.0;
        }
        ends
    }

    fn abs(self) -> Interval {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            self.neg()
        } else {
            Interval {
                lo: 0.0,
                hi: self.magnitude(),
            }
        }
    }

    /// As a truth value, where it is one.
    fn holds(self) -> Option<bool> {
        if !self.has(0.0) {
            Some(true)
        } else if self.lo == 0.0 && self.hi == 0.0 {
            Some(false)
        } else {
            None
        }
    }
}

fn truth(holds: Option<bool>) -> Interval {
    match holds {
        Some(true) => TRUE,
        Some(false) => FALSE,
        None => EITHER,
    }
}

fn less(a: Interval, b: Interval) -> Option<bool> {
    if a.hi < b.lo {
        Some(true)
    } else if a.lo >= b.hi {
        Some(false)
    } else {
        None
    }
}

/// Is the value of an operation true or false?
fn is_truth(op: &Op) -> bool {
    match op {
        Op::Unary(f, _) => *f == Un::Not,
        Op::Binary(f, ..) => matches!(
            f,
            Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge | Bin::Eq | Bin::Ne | Bin::And | Bin::Or
        ),
        _ => false,
    }
}

/// What an operation divides by.
pub fn divisor(op: &Op) -> Option<Reg> {
    match *op {
        Op::Binary(Bin::Div, _, d) => Some(d),
        Op::PowI(d, n) if n < 0 => Some(d),
        _ => None,
    }
}

/// An evaluator with room for registers.
#[derive(Default)]
pub struct Ranges {
    registers: Vec<Interval>,
    /// A condition or a step function that is not the same over the whole interval was met.
    torn: bool,
}

impl Ranges {
    /// Ranges of the results; `None` where a call is made, a condition is undecided or a step happens: then derivatives say nothing
    /// of what lies between.
    pub fn of(
        &mut self,
        kernel: &Kernel,
        operand: impl Fn(u32) -> Interval,
        results: &mut Vec<Interval>,
    ) -> Option<()> {
        self.run(kernel, operand)?;
        // A truth that is not the same throughout steps, though all its coefficients vanish.
        let undecided = |&r: &Reg| {
            is_truth(&kernel.ops[r as usize]) && self.registers[r as usize].holds().is_none()
        };
        if self.torn || kernel.results.iter().any(undecided) {
            return None;
        }
        results.clear();
        let registers = &self.registers;
        results.extend(kernel.results.iter().map(|&r| registers[r as usize]));
        Some(())
    }

    /// Range of the values of the only result, whatever bends or jumps there; `None` where a call is made.
    pub fn values(
        &mut self,
        kernel: &Kernel,
        operand: impl Fn(u32) -> Interval,
    ) -> Option<Interval> {
        self.run(kernel, operand)?;
        Some(self.registers[*kernel.results.first()? as usize])
    }

    /// May a divisor vanish? One of which nothing is known is not meant.
    pub fn has_pole(&mut self, kernel: &Kernel, operand: impl Fn(u32) -> Interval) -> bool {
        if self.run(kernel, operand).is_none() {
            return false;
        }
        kernel.ops.iter().any(|op| {
            divisor(op).is_some_and(|r| {
                let range = self.registers[r as usize];
                range.has(0.0) && range.magnitude().is_finite()
            })
        })
    }

    fn run(&mut self, kernel: &Kernel, operand: impl Fn(u32) -> Interval) -> Option<()> {
        self.registers.clear();
        self.torn = false;
        for op in &kernel.ops {
            let r = |r: Reg| self.registers[r as usize];
            let value = match *op {
                Op::Load(k) => operand(k),
                Op::Const(bits) => Interval::point(f64::from_bits(bits)),
                Op::Unary(Un::Neg, a) => r(a).neg(),
                Op::Unary(Un::Not, a) => truth(r(a).holds().map(|b| !b)),
                Op::Unary(Un::Math(f), a) => {
                    let a = r(a);
                    self.unary(f, a)
                }
                // A square, whose factors are not independent.
                Op::Binary(Bin::Mul, a, b) if a == b => r(a).powi(2),
                Op::Binary(f, a, b) => {
                    let (a, b) = (r(a), r(b));
                    self.binary(f, a, b)
                }
                Op::Select(c, a, b) => match r(c).holds() {
                    Some(true) => r(a),
                    Some(false) => r(b),
                    None => {
                        let both = r(a).hull(r(b));
                        self.torn |= r(a) != r(b);
                        both
                    }
                },
                Op::PowI(a, n) => r(a).powi(n),
                Op::Call(_) | Op::Result => return None,
            };
            self.registers.push(value);
        }
        Some(())
    }

    /// A function that is constant but for jumps.
    fn steps(&mut self, a: Interval, f: impl Fn(f64) -> f64) -> Interval {
        let range = a.monotone(f);
        self.torn |= range.lo != range.hi;
        range
    }

    fn unary(&mut self, f: Builtin, a: Interval) -> Interval {
        use Builtin as B;
        match f {
            B::Exp => a.monotone(f64::exp),
            B::Log => a.monotone(f64::ln),
            B::Log10 => a.monotone(f64::log10),
            B::Sqrt => a.monotone(f64::sqrt),
            B::Atan => a.monotone(f64::atan),
            B::Asin => a.monotone(f64::asin),
            B::Acos => a.monotone(f64::acos),
            B::Sinh => a.monotone(f64::sinh),
            B::Tanh => a.monotone(f64::tanh),
            B::Cosh => a.abs().monotone(f64::cosh),
            B::Cos => a.cos(),
            B::Sin => a.add(Interval::point(-FRAC_PI_2)).cos(),
            B::Tan => {
                let pole = ((a.lo / PI + 0.5).ceil() - 0.5) * PI;
                if pole > a.hi {
                    a.monotone(f64::tan)
                } else {
                    WHOLE
                }
            }
            B::Abs => {
                self.torn |= a.lo < 0.0 && a.hi > 0.0;
                a.abs()
            }
            B::Floor | B::Integer => self.steps(a, f64::floor),
            B::Ceil => self.steps(a, f64::ceil),
            B::Sign => self.steps(a, |v| Un::Math(B::Sign).eval(v)),
            _ if a.lo == a.hi => Interval::point(Un::Math(f).eval(a.lo)),
            _ => {
                self.torn = true;
                WHOLE
            }
        }
    }

    fn binary(&mut self, f: Bin, a: Interval, b: Interval) -> Interval {
        use Builtin as B;
        match f {
            Bin::Add => a.add(b),
            Bin::Sub => a.add(b.neg()),
            Bin::Mul => a.mul(b),
            Bin::Div => a.div(b),
            Bin::Pow => a.pow(b),
            Bin::Lt => truth(less(a, b)),
            Bin::Ge => truth(less(a, b).map(|l| !l)),
            Bin::Gt => truth(less(b, a)),
            Bin::Le => truth(less(b, a).map(|l| !l)),
            Bin::Eq | Bin::Ne => {
                let equal = if a.lo == a.hi && b.lo == b.hi {
                    Some(a.lo == b.lo)
                } else if a.hi < b.lo || b.hi < a.lo {
                    Some(false)
                } else {
                    None
                };
                truth(equal.map(|e| e == (f == Bin::Eq)))
            }
            Bin::And => match (a.holds(), b.holds()) {
                (Some(false), _) | (_, Some(false)) => FALSE,
                (Some(true), Some(true)) => TRUE,
                _ => EITHER,
            },
            Bin::Or => match (a.holds(), b.holds()) {
                (Some(true), _) | (_, Some(true)) => TRUE,
                (Some(false), Some(false)) => FALSE,
                _ => EITHER,
            },
            Bin::Math(B::Min | B::Max) => {
                self.torn |= less(a, b).is_none() && less(b, a).is_none();
                let pick = |x: f64, y: f64| f.eval(x, y);
                Interval {
                    lo: pick(a.lo, b.lo),
                    hi: pick(a.hi, b.hi),
                }
            }
            _ if a.lo == a.hi && b.lo == b.hi => Interval::point(f.eval(a.lo, b.lo)),
            Bin::Math(B::Mod | B::Rem | B::Div) if b.lo == b.hi && b.lo != 0.0 => {
                let quotient = a.div(b);
                let whole = if f == Bin::Math(B::Mod) {
                    self.steps(quotient, f64::floor)
                } else {
                    self.steps(quotient, f64::trunc)
                };
                if f == Bin::Math(B::Div) {
                    return whole;
                }
                a.add(whole.mul(b).neg())
            }
            Bin::Math(B::Atan2) if b.lo > 0.0 => a.div(b).monotone(f64::atan),
            _ => {
                self.torn = true;
                WHOLE
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelBuilder;

    fn range(lo: f64, hi: f64, build: impl Fn(&mut KernelBuilder, Reg) -> Reg) -> Option<Interval> {
        let mut b = KernelBuilder::default();
        let x = b.slot(0);
        let r = build(&mut b, x);
        let (kernel, _) = b.finish(&[r]);
        let mut results = Vec::new();
        Ranges::default().of(&kernel, |_| Interval { lo, hi }, &mut results)?;
        Some(results[0])
    }

    #[test]
    fn far_out_a_cosine_may_be_anything() {
        for (lo, hi) in [(1e300, 1e300), (-1e17, -1e17), (1e300, 2e300)] {
            let all = range(lo, hi, |b, x| b.unary(Un::Math(Builtin::Cos), x));
            let all = all.unwrap();
            assert_eq!((all.lo, all.hi), (-1.0, 1.0));
        }
    }

    /// Every value of a function is in its range, and the range of a monotone or periodic one is not larger than it must be.
    #[test]
    fn ranges_hold_all_values() {
        use Builtin as B;
        for f in [
            B::Sin,
            B::Cos,
            B::Tan,
            B::Exp,
            B::Atan,
            B::Tanh,
            B::Cosh,
            B::Sinh,
        ] {
            for (lo, hi) in [(-0.3, 0.2), (1.0, 1.5), (2.0, 4.4), (-7.0, 9.0), (3.0, 3.3)] {
                let r = range(lo, hi, |b, x| b.math(f, x)).unwrap();
                let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
                for k in 0..=1000 {
                    let x = lo + (hi - lo) * f64::from(k) / 1000.0;
                    let v = Un::Math(f).eval(x);
                    assert!(r.lo <= v + 1e-12 && v <= r.hi + 1e-12, "{f:?} {x}");
                    (least, most) = (least.min(v), most.max(v));
                }
                if f != B::Tan {
                    let slack = 1e-2 * (1.0 + most.abs());
                    assert!(
                        r.lo > least - slack && r.hi < most + slack,
                        "{f:?} {lo} {hi}"
                    );
                }
            }
        }
    }

    /// A relation that turns within the interval has no bound: all its derivatives vanish, and it steps.
    #[test]
    fn a_truth_that_turns_is_torn() {
        let late = |b: &mut KernelBuilder, x: Reg| {
            let c = b.constant(0.5);
            b.binary(Bin::Ge, x, c)
        };
        assert_eq!(range(0.0, 0.4, late), Some(FALSE));
        assert_eq!(range(0.6, 1.0, late), Some(TRUE));
        assert_eq!(range(0.0, 1.0, late), None);
    }

    #[test]
    fn a_pulse_far_away_is_seen() {
        let pulse = |b: &mut KernelBuilder, x: Reg| {
            let c = b.constant(20.0);
            let d = b.sub(x, c);
            let e = b.powi(d, 2);
            let n = b.neg(e);
            b.math(Builtin::Exp, n)
        };
        assert!(range(0.0, 15.0, pulse).unwrap().hi < 1e-10);
        assert_eq!(range(0.0, 30.0, pulse).unwrap().hi, 1.0);
    }

    #[test]
    fn what_jumps_or_bends_is_told() {
        assert!(range(-1.0, 1.0, |b, x| b.math(Builtin::Abs, x)).is_none());
        assert_eq!(
            range(0.0, 1.0, |b, x| b.math(Builtin::Abs, x)).unwrap().hi,
            1.0
        );
        assert!(range(0.5, 1.5, |b, x| b.math(Builtin::Floor, x)).is_none());
        let inverse = |b: &mut KernelBuilder, x: Reg| b.powi(x, -1);
        assert_eq!(range(-1.0, 1.0, inverse).unwrap(), WHOLE);
    }
}
