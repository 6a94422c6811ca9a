//! Newton's iteration through exponentials, limited by their arguments.
//!
//! In: kernels of residuals. Out: the same kernels with exp(u) as its tangent at û, eᵘ̂ (1 + u − û), where û is a number that each iteration
//! carries to the next. û follows u, but rises above what matters only as far as the exponential can go: with base b = max(û, crit)
//! and u > b + 2 it is b + 2 + ln(u − b − 1). That is how circuit simulators limit junctions (Nagel, SPICE2, 1975): the linear prediction from
//! below gives a current, and its logarithm the argument that carries it. From above, Newton's method comes down by one in u an iteration; from
//! below it is there at once.
//!
//! An iteration that may be as long as it needs to be ([`Limit::Follows`]) goes downwards in the same way: û goes along the curve as far as a correction says, by its value
//! above `crit` and by its argument below, where neither moves faster than the other. That is Newton's method in a parameter of the curve (Brenner and Cancès, Improving
//! Newton's method performance by parametrization, SIAM J. Numer. Anal. 55 (2017)); a junction whose predicted current is negative is off at once. Few iterations
//! a step, as in real time, do better with û = u near the solution.
//!
//! Far below, where exp(û) is lost beside one, the tangent says nothing of what lies above, and where a node has nothing but such exponentials the Jacobian would be
//! singular. There the Jacobian has the chord to (0, 1) in its place, (1 − eᵘ̂)/−û, as long as that is small beside other terms: a
//! conductance that reaches zero from below, as the smallest conductance of circuit simulators, but in the Jacobian alone.
//!
//! At a solution û = u, and the tangent is the exponential itself: the limit changes the way, never the solution.

use std::collections::HashMap;

use ferrica_ir::expr::Builtin;

use crate::kernel::{Bin, CallSite, Kernel, KernelBuilder, NO_REG, Op, Reg, Un};
use crate::layout::Slot;

/// A rise of the argument that is never limited.
const FREE: f64 = 2.0;
/// How far below `crit` a fall leads at most: nothing is left of the exponential there, but it is not zero.
const DEPTH: f64 = 700.0;
/// Between û and u, in parts of u: they are the same.
const HOME: f64 = 1e-9;
/// A term of this size begins to matter beside others of one.
const MATTERS: f64 = 1e-3;

/// Is this operation limited?
fn is_limited(op: Op) -> bool {
    matches!(op, Op::Unary(Un::Math(Builtin::Exp), _))
}

/// How many there are.
pub fn exponentials(kernel: &Kernel) -> usize {
    kernel.ops.iter().filter(|&&op| is_limited(op)).count()
}

/// Appends the operations of a kernel whose operands are these registers; the registers of its operations. `exp` may give another value to
/// an exponential: of the register of its argument, with the number of the operation.
pub fn replay(
    b: &mut KernelBuilder,
    kernel: &Kernel,
    operands: &[Reg],
    mut exp: impl FnMut(&mut KernelBuilder, Reg, usize) -> Option<Reg>,
) -> Vec<Reg> {
    let mut regs: Vec<Reg> = Vec::with_capacity(kernel.ops.len());
    for (number, op) in kernel.ops.iter().enumerate() {
        let at = |r: Reg| regs[r as usize];
        let reg = match *op {
            Op::Load(k) => operands[k as usize],
            Op::Const(bits) => b.constant(f64::from_bits(bits)),
            Op::Unary(f, x) => {
                let other = is_limited(*op).then(|| exp(b, at(x), number)).flatten();
                other.unwrap_or_else(|| b.unary(f, at(x)))
            }
            Op::Binary(f, x, y) => b.binary(f, at(x), at(y)),
            Op::Select(c, x, y) => b.select(at(c), at(x), at(y)),
            Op::PowI(x, n) => b.powi(at(x), n),
            Op::Call(site) => {
                let site = &kernel.calls[site as usize];
                b.call(CallSite {
                    callee: site.callee,
                    args: site.args.iter().map(|&r| at(r)).collect(),
                    guard: if site.guard == NO_REG {
                        NO_REG
                    } else {
                        at(site.guard)
                    },
                    outputs: site.outputs,
                })
            }
            // Outputs of a call stand one after the other.
            Op::Result => regs[regs.len() - 1] + 1,
        };
        regs.push(reg);
    }
    regs
}

/// The limited exponentials of a kernel in the making, by the registers of their arguments.
#[derive(Default)]
pub struct Limited {
    known: HashMap<Reg, Exponential>,
    /// In the order in which they were met: slot of û, register of its new value, register of the argument.
    pub all: Vec<(Slot, Reg, Reg)>,
}

#[derive(Clone, Copy)]
struct Exponential {
    value: Reg,
    slope: Reg,
}

/// How û comes to its value.
#[derive(Clone, Copy)]
pub enum Limit {
    /// Moved towards the argument, no further than a limit allows beyond `crit`.
    Moves { crit: f64 },
    /// Moved along the curve, in both directions.
    Follows { crit: f64 },
    /// It stays, for the Jacobian.
    Stays { crit: f64 },
}

impl Limited {
    /// The tangent of exp(u), with û in the next of the slots from `first` on.
    pub fn value(&mut self, b: &mut KernelBuilder, u: Reg, first: Slot, limit: Limit) -> Reg {
        self.at(b, u, first, limit).value
    }

    /// The slope of an exponential that was met before.
    pub fn slope(&self, u: Reg) -> Option<Reg> {
        self.known.get(&u).map(|e| e.slope)
    }

    fn at(&mut self, b: &mut KernelBuilder, u: Reg, first: Slot, limit: Limit) -> Exponential {
        if let Some(&known) = self.known.get(&u) {
            return known;
        }
        let slot = first + self.all.len() as Slot;
        let old = b.slot(slot);
        let now = match limit {
            Limit::Stays { .. } => old,
            Limit::Moves { crit } => limited(b, u, old, crit),
            Limit::Follows { crit } => followed(b, u, old, crit),
        };
        let there = b.math(Builtin::Exp, now);
        let one = b.constant(1.0);
        let ahead = b.sub(u, now);
        let slope = match limit {
            Limit::Moves { crit } | Limit::Follows { crit } | Limit::Stays { crit }
                if crit < 0.0 =>
            {
                there
            }
            _ => chord_below(b, now, there),
        };
        let value = match limit {
            Limit::Moves { .. } | Limit::Follows { .. } => {
                let factor = b.add(one, ahead);
                b.mul(there, factor)
            }
            // What is differentiated has the slope.
            Limit::Stays { .. } => {
                let change = b.mul(slope, ahead);
                b.add(there, change)
            }
        };
        self.all.push((slot, now, u));
        let met = Exponential { value, slope };
        self.known.insert(u, met);
        met
    }
}

/// The slope at û, whose exponential is known: that of the tangent, or of the chord to (0, 1).
fn chord_below(b: &mut KernelBuilder, now: Reg, there: Reg) -> Reg {
    let (one, bound) = (b.constant(1.0), b.constant(MATTERS.ln()));
    let below = b.binary(Bin::Lt, now, bound);
    // Not zero where it is not taken.
    let depth = b.binary(Bin::Math(Builtin::Min), now, bound);
    let depth = b.neg(depth);
    let rise = b.sub(one, there);
    let chord = b.div(rise, depth);
    b.select(below, chord, there)
}

/// See the module comment.
fn limited(b: &mut KernelBuilder, u: Reg, old: Reg, crit: f64) -> Reg {
    let (crit, free, one) = (b.constant(crit), b.constant(FREE), b.constant(1.0));
    let base = b.binary(Bin::Math(Builtin::Max), old, crit);
    let rise = b.sub(u, base);
    let far = b.binary(Bin::Gt, rise, free);
    let beyond = b.binary(Bin::Math(Builtin::Max), rise, free);
    let beyond = b.sub(beyond, one);
    let log = b.math(Builtin::Log, beyond);
    let reached = b.add(base, free);
    let reached = b.add(reached, log);
    b.select(far, reached, u)
}

/// See the module comment.
fn followed(b: &mut KernelBuilder, u: Reg, old: Reg, crit: f64) -> Reg {
    let max = Bin::Math(Builtin::Max);
    let (crit, one) = (b.constant(crit), b.constant(1.0));
    // Along the tangent at û, or from below at `crit`: the new value in parts of that there.
    let from = b.binary(max, old, crit);
    let ahead = b.sub(u, from);
    let value = b.add(one, ahead);
    // That at `crit` in the same parts.
    let height = b.sub(from, crit);
    let below = b.neg(height);
    let bottom = b.constant(-DEPTH);
    let bounded = b.binary(max, below, bottom);
    let least = b.math(Builtin::Exp, bounded);
    let on = b.binary(max, value, least);
    let log = b.math(Builtin::Log, on);
    let on = b.add(from, log);
    let part = b.div(value, least);
    let fall = b.sub(part, one);
    let fall = b.binary(max, fall, bottom);
    let off = b.add(crit, fall);
    let stays = b.binary(Bin::Ge, value, least);
    let moved = b.select(stays, on, off);
    // Below `crit` and with no rise above it the argument itself.
    let was_on = b.binary(Bin::Gt, old, crit);
    let is_on = b.binary(Bin::Gt, u, crit);
    let along = b.binary(Bin::Or, was_on, is_on);
    let place = b.select(along, moved, u);
    let apart = b.sub(place, u);
    let apart = b.math(Builtin::Abs, apart);
    let size = b.math(Builtin::Abs, u);
    let size = b.binary(max, size, one);
    let home = b.constant(HOME);
    let near = b.mul(home, size);
    let there = b.binary(Bin::Le, apart, near);
    b.select(there, u, place)
}

/// The argument from which on an exponential of a residual matters: its factor times the exponential is [`MATTERS`]. `value`: of an
/// operand, if it is constant. Factors that are not constant are taken for one.
pub fn critical(kernel: &Kernel, number: usize, value: impl Fn(u32) -> Option<f64>) -> f64 {
    let mut known: Vec<Option<f64>> = Vec::with_capacity(kernel.ops.len());
    for op in &kernel.ops {
        let at = |r: Reg| known[r as usize];
        known.push(match *op {
            Op::Load(k) => value(k),
            Op::Const(bits) => Some(f64::from_bits(bits)),
            Op::Unary(f, x) => at(x).map(|x| f.eval(x)),
            Op::Binary(f, x, y) => at(x).zip(at(y)).map(|(x, y)| f.eval(x, y)),
            _ => None,
        });
    }
    let mut factor = 1.0;
    let mut now = number as Reg;
    for (k, op) in kernel.ops.iter().enumerate().skip(number + 1) {
        let times = match *op {
            Op::Unary(Un::Neg, x) if x == now => Some(1.0),
            Op::Binary(Bin::Add | Bin::Sub, x, y) if x == now || y == now => Some(1.0),
            Op::Binary(Bin::Mul, x, y) if x == now => known[y as usize],
            Op::Binary(Bin::Mul, x, y) if y == now => known[x as usize],
            Op::Binary(Bin::Div, x, y) if x == now => known[y as usize].map(|v| 1.0 / v),
            _ => continue,
        };
        let Some(times) = times else { break };
        factor *= times.abs();
        now = k as Reg;
    }
    let crit = (MATTERS / factor).ln();
    if crit.is_finite() { crit } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// i − Is (exp(v/Vt) − 1) with Is = 1e-15: a milliampere at ln(1e12).
    #[test]
    fn a_junction_matters_from_a_milliampere_on() {
        let mut b = KernelBuilder::default();
        let (i, v, is, vt) = (b.slot(0), b.slot(1), b.slot(2), b.slot(3));
        let u = b.div(v, vt);
        let e = b.math(Builtin::Exp, u);
        let one = b.constant(1.0);
        let e = b.sub(e, one);
        let current = b.mul(is, e);
        let r = b.sub(i, current);
        let (kernel, _) = b.finish(&[r]);
        let number = (kernel.ops.iter())
            .position(|&op| is_limited(op))
            .expect("an exponential");
        let crit = critical(&kernel, number, |k| {
            [None, None, Some(1e-15), Some(0.025)][k as usize]
        });
        assert!((crit - 1e12f64.ln()).abs() < 1e-9, "{crit}");
    }

    /// Once û has reached u the tangent is the exponential, to the last bit; from far away it is finite.
    #[test]
    fn the_limit_is_gone_at_the_solution() {
        let mut b = KernelBuilder::default();
        let u = b.slot(0);
        let mut all = Limited::default();
        let value = all.value(&mut b, u, 1, Limit::Moves { crit: 0.0 });
        let (_, now, _) = all.all[0];
        let (kernel, _) = b.finish(&[value, now]);
        let eval = |u: f64, old: f64| {
            let mut regs: Vec<f64> = Vec::new();
            for op in &kernel.ops {
                let at = |r: Reg| regs[r as usize];
                regs.push(match *op {
                    Op::Load(0) => u,
                    Op::Load(_) => old,
                    Op::Const(bits) => f64::from_bits(bits),
                    Op::Unary(f, x) => f.eval(at(x)),
                    Op::Binary(f, x, y) => f.eval(at(x), at(y)),
                    Op::Select(c, x, y) => {
                        if at(c) != 0.0 {
                            at(x)
                        } else {
                            at(y)
                        }
                    }
                    _ => f64::NAN,
                });
            }
            (
                regs[kernel.results[0] as usize],
                regs[kernel.results[1] as usize],
            )
        };
        for u in [-700.0, -1.0, 0.0, 1.5, 30.0, 300.0] {
            assert_eq!(eval(u, u), (u.exp(), u));
        }
        let (mut old, mut rounds) = (0.0, 0);
        while old != 4000.0 && rounds < 2000 {
            let (value, now) = eval(4000.0, old);
            assert!(
                now > old && (now > 700.0 || value.is_finite()),
                "{now} {value}"
            );
            (old, rounds) = (now, rounds + 1);
        }
        assert_eq!(old, 4000.0);
    }
}
