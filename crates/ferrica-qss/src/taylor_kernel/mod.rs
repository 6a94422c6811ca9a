//! The Taylor form of a kernel, as another kernel.
//!
//! In: a kernel, how each of its operands moves in time, and how many coefficients are wanted. Out: a
//! kernel whose operands are Taylor coefficients of the moving operands and whose results are the
//! Taylor coefficients of the results: for result j the results `j·count` to `j·count + count − 1`.
//!
//! Truncated power series are propagated through the operations by the classic recurrences (for
//! example `k·e_k = Σ j·x_j·e_{k−j}` for the exponential), so the coefficients are exact; what does
//! not move has one coefficient and costs nothing. A call of a function contributes its first
//! derivative by the function's exact partial derivatives, the second by one central difference of
//! these along the trajectory, and nothing beyond.
//!
//! At points where a derivative is infinite (√x at 0) the higher coefficients are zero: the value is
//! right, and the next transition looks again.

mod calls;
mod elementary;

use ferrica_codegen::kernel::{Kernel, KernelBuilder, Op, Reg};
use ferrica_codegen::partials::prune;

/// How an operand moves between events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Motion {
    Constant,
    /// The time itself: value and slope 1.
    Time,
    /// A polynomial.
    Moving,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct TaylorKernel {
    pub kernel: Kernel,
    /// Operands of the Taylor kernel: (operand of the kernel, coefficient).
    pub operands: Vec<(u32, u32)>,
}

/// Coefficients of a register; missing ones are zero.
type Series = Vec<Reg>;

struct Builder {
    b: KernelBuilder,
    count: usize,
    given: usize,
}

/// The Taylor form with `count` coefficients of the results, from `given` ones of the operands.
pub fn taylor_kernel(
    kernel: &Kernel,
    motion: &[Motion],
    count: usize,
    given: usize,
) -> TaylorKernel {
    let mut t = Builder {
        b: KernelBuilder::default(),
        count,
        given,
    };
    let mut series: Vec<Series> = Vec::with_capacity(kernel.ops.len());
    let mut call: Vec<Series> = Vec::new();
    let mut output = 0;
    for op in &kernel.ops {
        let s = match *op {
            Op::Load(k) => t.load(k, motion[k as usize]),
            Op::Const(bits) => vec![t.b.constant(f64::from_bits(bits))],
            Op::Unary(f, a) => t.unary(f, &series[a as usize]),
            Op::Binary(f, x, y) => t.binary(f, &series[x as usize], &series[y as usize]),
            Op::Select(c, x, y) => {
                let c = series[c as usize][0];
                t.select(c, &series[x as usize], &series[y as usize])
            }
            Op::PowI(a, n) => t.powi(&series[a as usize], n),
            Op::Call(site) => {
                call = t.call(&kernel.calls[site as usize], &series);
                output = 0;
                call[0].clone()
            }
            Op::Result => {
                output += 1;
                call.get(output).cloned().unwrap_or_default()
            }
        };
        series.push(s);
    }
    let zero = t.b.constant(0.0);
    let results: Vec<Reg> = kernel
        .results
        .iter()
        .flat_map(|&r| {
            let s = &series[r as usize];
            (0..count).map(move |k| s.get(k).copied().unwrap_or(zero))
        })
        .collect();
    let (mut kernel, slots) = t.b.finish(&results);
    prune(&mut kernel);
    let operands = slots
        .iter()
        .map(|&s| (s / count as u32, s % count as u32))
        .collect();
    TaylorKernel { kernel, operands }
}

impl Builder {
    fn load(&mut self, operand: u32, motion: Motion) -> Series {
        // Operand and coefficient travel as one number until the kernel is finished.
        let slot = operand * self.count as u32;
        match motion {
            Motion::Constant => vec![self.b.slot(slot)],
            Motion::Time => {
                let mut s = vec![self.b.slot(slot)];
                if self.count > 1 {
                    s.push(self.b.constant(1.0));
                }
                s
            }
            Motion::Moving => (0..self.count.min(self.given) as u32)
                .map(|c| self.b.slot(slot + c))
                .collect(),
        }
    }

    fn constant(&mut self, value: f64) -> Reg {
        self.b.constant(value)
    }

    /// Coefficient k, if it is not known to be zero.
    fn at(&self, s: &Series, k: usize) -> Option<Reg> {
        s.get(k)
            .copied()
            .filter(|&r| k == 0 || self.b.as_const(r) != Some(0.0))
    }

    fn plus(&mut self, sum: Option<Reg>, term: Option<Reg>) -> Option<Reg> {
        match (sum, term) {
            (Some(a), Some(b)) => Some(self.b.add(a, b)),
            (a, b) => a.or(b),
        }
    }

    fn times(&mut self, x: Option<Reg>, y: Option<Reg>) -> Option<Reg> {
        match (x, y) {
            (Some(x), Some(y)) => Some(self.b.mul(x, y)),
            _ => None,
        }
    }

    fn scaled(&mut self, x: Option<Reg>, factor: f64) -> Option<Reg> {
        let x = x?;
        if factor == 1.0 {
            return Some(x);
        }
        let f = self.constant(factor);
        Some(self.b.mul(x, f))
    }

    fn finish(&mut self, list: Vec<Option<Reg>>) -> Series {
        let used = list.iter().rposition(Option::is_some).map_or(1, |k| k + 1);
        let zero = self.constant(0.0);
        list[..used].iter().map(|r| r.unwrap_or(zero)).collect()
    }

    fn map(&mut self, s: &Series, mut f: impl FnMut(&mut KernelBuilder, Reg) -> Reg) -> Series {
        s.iter().map(|&r| f(&mut self.b, r)).collect()
    }

    fn add(&mut self, x: &Series, y: &Series, minus: bool) -> Series {
        let n = x.len().max(y.len());
        let list = (0..n)
            .map(|k| match (self.at(x, k), self.at(y, k)) {
                (Some(a), Some(b)) if minus => Some(self.b.sub(a, b)),
                (Some(a), Some(b)) => Some(self.b.add(a, b)),
                (None, Some(b)) if minus => Some(self.b.neg(b)),
                (a, b) => a.or(b),
            })
            .collect();
        self.finish(list)
    }

    fn mul(&mut self, x: &Series, y: &Series) -> Series {
        let n = (x.len() + y.len() - 1).min(self.count);
        let mut list = Vec::with_capacity(n);
        for k in 0..n {
            let mut sum = None;
            for j in 0..=k {
                let term = if x == y && j != k - j {
                    // A square: each mixed product stands twice.
                    if j > k - j {
                        continue;
                    }
                    let (a, b) = (self.at(x, j), self.at(y, k - j));
                    let product = self.times(a, b);
                    self.scaled(product, 2.0)
                } else {
                    let (a, b) = (self.at(x, j), self.at(y, k - j));
                    self.times(a, b)
                };
                sum = self.plus(sum, term);
            }
            list.push(sum);
        }
        self.finish(list)
    }

    fn div(&mut self, x: &Series, y: &Series) -> Series {
        if y.len() == 1 {
            return self.map(x, |b, r| b.div(r, y[0]));
        }
        let mut c: Vec<Option<Reg>> = Vec::with_capacity(self.count);
        for k in 0..self.count {
            let mut sum = self.at(x, k);
            for (j, &cj) in c.clone().iter().enumerate() {
                let yk = self.at(y, k - j);
                if let Some(term) = self.times(cj, yk) {
                    sum = Some(match sum {
                        Some(s) => self.b.sub(s, term),
                        None => self.b.neg(term),
                    });
                }
            }
            c.push(sum.map(|s| self.b.div(s, y[0])));
        }
        self.finish(c)
    }

    /// The series f with f' = d·x' and f₀ known; coefficient k of d may depend on f below k + 1.
    fn integrate(
        &mut self,
        f0: Reg,
        x: &Series,
        mut d: impl FnMut(&mut Self, &Series, usize) -> Option<Reg>,
    ) -> Series {
        let mut f = vec![f0];
        if x.len() == 1 {
            return f;
        }
        let mut slopes: Vec<Option<Reg>> = Vec::new();
        for k in 1..self.count {
            let next = d(self, &f, k - 1);
            slopes.push(next);
            let mut sum = None;
            for j in 1..=k {
                let xj = self.at(x, j);
                let xj = self.scaled(xj, j as f64 / k as f64);
                let term = self.times(xj, slopes[k - j]);
                sum = self.plus(sum, term);
            }
            let zero = self.constant(0.0);
            f.push(sum.unwrap_or(zero));
        }
        f
    }

    fn select(&mut self, c: Reg, x: &Series, y: &Series) -> Series {
        let zero = self.constant(0.0);
        (0..x.len().max(y.len()))
            .map(|k| {
                let (a, b) = (x.get(k).copied(), y.get(k).copied());
                self.b.select(c, a.unwrap_or(zero), b.unwrap_or(zero))
            })
            .collect()
    }

    fn powi(&mut self, x: &Series, n: i32) -> Series {
        if x.len() == 1 {
            return vec![self.b.powi(x[0], n)];
        }
        if n < 0 {
            let one = vec![self.constant(1.0)];
            let p = self.powi(x, -n);
            return self.div(&one, &p);
        }
        match n {
            0 => vec![self.constant(1.0)],
            1 => x.clone(),
            _ => {
                let half = self.powi(x, n / 2);
                let square = self.mul(&half, &half);
                if n % 2 == 0 {
                    square
                } else {
                    self.mul(&square, x)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_codegen::interpreter::Functions;
    use ferrica_codegen::kernel::Bin;
    use ferrica_codegen::runtime::Runtime;
    use ferrica_codegen::vm::Vm;
    use ferrica_ir::Builtin;

    /// Evaluates a kernel of one moving operand at the polynomial's value at s.
    fn value(kernel: &Kernel, p: &[f64], s: f64) -> f64 {
        let x = p.iter().rev().fold(0.0, |v, c| v * s + c);
        run(kernel, &[x])[0]
    }

    fn run(kernel: &Kernel, operands: &[f64]) -> Vec<f64> {
        let mut slots = operands.to_vec();
        let first = slots.len();
        slots.resize(first + kernel.results.len(), 0.0);
        let row: Vec<u32> = (0..slots.len() as u32).collect();
        let mut vm = Vm::default();
        vm.batch(
            &Functions::default(),
            &mut Runtime::default(),
            kernel,
            &row,
            1,
            &mut slots,
        )
        .unwrap();
        slots[first..].to_vec()
    }

    /// Coefficients against a fit through values of the kernel itself.
    fn check(name: &str, build: impl Fn(&mut KernelBuilder, Reg) -> Reg) {
        let mut b = KernelBuilder::default();
        let x = b.slot(0);
        let r = build(&mut b, x);
        let (kernel, _) = b.finish(&[r]);
        let p = [0.6, -0.3, 0.2, 0.1];
        let t = taylor_kernel(&kernel, &[Motion::Moving], 4, 4);
        let operands: Vec<f64> = t.operands.iter().map(|&(_, c)| p[c as usize]).collect();
        let c = run(&t.kernel, &operands);
        // Central differences on a stencil of five points.
        let h = 1e-2;
        let f: Vec<f64> = (-2..=2)
            .map(|k| value(&kernel, &p, f64::from(k) * h))
            .collect();
        let d1 = (f[0] - 8.0 * f[1] + 8.0 * f[3] - f[4]) / (12.0 * h);
        let d2 = (-f[0] + 16.0 * f[1] - 30.0 * f[2] + 16.0 * f[3] - f[4]) / (12.0 * h * h);
        let d3 = (-f[0] + 2.0 * f[1] - 2.0 * f[3] + f[4]) / (2.0 * h * h * h);
        let close = |a: f64, b: f64, tol: f64| (a - b).abs() <= tol * (1.0 + b.abs());
        assert!(close(c[0], f[2], 1e-14), "{name}: value {c:?} {f:?}");
        assert!(close(c[1], d1, 1e-7), "{name}: first {} {d1}", c[1]);
        assert!(
            close(2.0 * c[2], d2, 1e-6),
            "{name}: second {} {d2}",
            2.0 * c[2]
        );
        assert!(
            close(6.0 * c[3], d3, 3e-3),
            "{name}: third {} {d3}",
            6.0 * c[3]
        );
    }

    #[test]
    fn elementary_functions() {
        use ferrica_ir::elementary::{Shape, TABLE};
        let continuous = |shape| matches!(shape, Shape::Smooth | Shape::Kinked);
        for row in TABLE.iter().filter(|row| continuous(row.shape)) {
            let f = row.builtin;
            if row.value.arity() == 2 {
                check(row.name, |b, x| {
                    let square = b.mul(x, x);
                    b.binary(Bin::Math(f), x, square)
                });
                continue;
            }
            check(row.name, |b, x| b.math(f, x));
        }
    }

    #[test]
    fn arithmetic() {
        check("square", |b, x| b.mul(x, x));
        check("cube", |b, x| b.powi(x, 3));
        check("seventh", |b, x| b.powi(x, 7));
        check("inverse square", |b, x| b.powi(x, -2));
        check("quotient", |b, x| {
            let one = b.constant(1.0);
            let s = b.math(Builtin::Sin, x);
            let d = b.add(one, s);
            b.div(x, d)
        });
        check("real power", |b, x| {
            let e = b.constant(2.5);
            b.binary(Bin::Pow, x, e)
        });
        check("power of powers", |b, x| b.binary(Bin::Pow, x, x));
        check("angle", |b, x| {
            let two = b.constant(2.0);
            let y = b.mul(x, two);
            let z = b.mul(x, x);
            b.binary(Bin::Math(Builtin::Atan2), y, z)
        });
    }

    #[test]
    fn constants_cost_nothing() {
        let mut b = KernelBuilder::default();
        let (x, p) = (b.slot(0), b.slot(1));
        let e = b.math(Builtin::Exp, p);
        let r = b.mul(x, e);
        let (kernel, _) = b.finish(&[r]);
        let t = taylor_kernel(&kernel, &[Motion::Moving, Motion::Constant], 3, 3);
        // Four operands, one exponential, three products.
        assert_eq!(t.kernel.ops.len(), 8);
    }
}
