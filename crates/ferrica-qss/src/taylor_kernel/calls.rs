//! Calls of functions on power series: exact first derivatives, a difference for the second.
//!
//! The difference looks a little before and a little behind the present. Where the function has no value on one side (a
//! table that begins now, an assertion on its argument), the other side and the present give it.

use ferrica_codegen::kernel::{Bin, CallSite, Callee, NO_REG, Reg};
use ferrica_ir::Builtin;

use super::{Builder, Series};

impl Builder {
    pub(super) fn call(&mut self, site: &CallSite, of: &[Series]) -> Vec<Series> {
        let args: Vec<Series> = site.args.iter().map(|&a| of[a as usize].clone()).collect();
        let guard = if site.guard == NO_REG {
            NO_REG
        } else {
            of[site.guard as usize][0]
        };
        let n = args.len() as u32;
        let values: Vec<Reg> = args.iter().map(|a| a[0]).collect();
        let first = self.b.call(CallSite {
            callee: site.callee,
            args: values.clone(),
            guard,
            outputs: site.outputs,
        });
        let mut outputs: Vec<Series> = (0..site.outputs).map(|o| vec![first + o]).collect();
        let moving = args.iter().any(|a| a.len() > 1);
        let Callee::Function(f) = site.callee else {
            return outputs;
        };
        if !moving || self.count < 2 {
            return outputs;
        }
        let jacobian = |t: &mut Self, at: Vec<Reg>| {
            t.b.call(CallSite {
                callee: Callee::Jacobian(f),
                args: at,
                guard,
                outputs: site.outputs * n,
            })
        };
        // Directional derivative of output o at a point with the given slopes.
        let directional = |t: &mut Self, partials: Reg, o: u32, slopes: &[Option<Reg>]| {
            let mut sum = None;
            for (k, &d) in slopes.iter().enumerate() {
                let term = t.times(d, Some(partials + o * n + k as u32));
                sum = t.plus(sum, term);
            }
            sum
        };
        let here = jacobian(self, values.clone());
        let slopes: Vec<Option<Reg>> = args.iter().map(|a| self.at(a, 1)).collect();
        let zero = self.constant(0.0);
        for (o, s) in outputs.iter_mut().enumerate() {
            let d = directional(self, here, o as u32, &slopes);
            s.push(d.unwrap_or(zero));
        }
        if self.count < 3 {
            return outputs;
        }
        let delta = self.difference_step(&args);
        let mut sides = Vec::new();
        for sign in [1.0, -1.0] {
            let sign = self.constant(sign);
            let s = self.b.mul(delta, sign);
            let mut at = Vec::new();
            let mut slopes = Vec::new();
            for a in &args {
                let mut v = a[0];
                let mut d = self.at(a, 1);
                if let Some(a1) = self.at(a, 1) {
                    let move1 = self.b.mul(a1, s);
                    v = self.b.add(v, move1);
                }
                if let Some(a2) = self.at(a, 2) {
                    let bend = self.b.mul(a2, s);
                    let twice = self.scaled(Some(bend), 2.0);
                    d = self.plus(d, twice);
                    let move2 = self.b.mul(bend, s);
                    v = self.b.add(v, move2);
                }
                at.push(v);
                slopes.push(d);
            }
            sides.push((jacobian(self, at), slopes));
        }
        let past_and_present = self.scaled(Some(delta), 2.0);
        for (o, s) in outputs.iter_mut().enumerate() {
            let right = directional(self, sides[0].0, o as u32, &sides[0].1);
            let left = directional(self, sides[1].0, o as u32, &sides[1].1);
            let bend = match (right, left, past_and_present) {
                (Some(r), Some(l), Some(span)) => self.bend(s[1], r, l, span),
                _ => zero,
            };
            s.push(bend);
        }
        outputs
    }

    /// Half of the second derivative, from the first ones now and half of `span` away on either side. A side that is not
    /// a number is left out.
    fn bend(&mut self, now: Reg, right: Reg, left: Reg, span: Reg) -> Reg {
        let has_right = self.b.binary(Bin::Eq, right, right);
        let has_left = self.b.binary(Bin::Eq, left, left);
        let end = self.b.select(has_right, right, now);
        let begin = self.b.select(has_left, left, now);
        let change = self.b.sub(end, begin);
        let both = self.b.binary(Bin::And, has_right, has_left);
        let twice = self.b.add(span, span);
        let over = self.b.select(both, twice, span);
        self.b.div(change, over)
    }

    /// A time in which the arguments change by about 1e-5 of their size.
    fn difference_step(&mut self, args: &[Series]) -> Reg {
        let mut size = self.constant(1e-3);
        let mut speed = self.constant(1e-30);
        for a in args {
            if let Some(a1) = self.at(a, 1) {
                let (v, d) = (
                    self.b.math(Builtin::Abs, a[0]),
                    self.b.math(Builtin::Abs, a1),
                );
                size = self.b.add(size, v);
                speed = self.b.add(speed, d);
            }
        }
        let small = self.constant(1e-5);
        let time = self.b.div(size, speed);
        self.b.mul(time, small)
    }
}
