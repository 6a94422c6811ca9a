//! Elementary functions of power series.

use ferrica_codegen::kernel::{Bin, Reg, Un};
use ferrica_codegen::lower::binary_op;
use ferrica_ir::calculus::{Algebra, Operation, tangent};
use ferrica_ir::elementary::is_stepped;
use ferrica_ir::{BinaryOp, Builtin};

use super::{Builder, Series};

impl Builder {
    /// Zero where x₀ is zero, to keep infinite slopes out.
    fn guarded(&mut self, at: Reg, s: Series) -> Series {
        let zero = self.constant(0.0);
        let bad = self.b.binary(Bin::Eq, at, zero);
        s.iter()
            .enumerate()
            .map(|(k, &r)| {
                if k == 0 {
                    r
                } else {
                    self.b.select(bad, zero, r)
                }
            })
            .collect()
    }

    fn sqrt(&mut self, x: &Series) -> Series {
        let root = self.b.math(Builtin::Sqrt, x[0]);
        if x.len() == 1 {
            return vec![root];
        }
        let two = self.constant(2.0);
        let twice = self.b.mul(two, root);
        let mut s: Vec<Option<Reg>> = vec![Some(root)];
        for k in 1..self.count {
            let mut sum = self.at(x, k);
            for j in 1..k {
                if let Some(term) = self.times(s[j], s[k - j]) {
                    sum = Some(match sum {
                        Some(v) => self.b.sub(v, term),
                        None => self.b.neg(term),
                    });
                }
            }
            s.push(sum.map(|v| self.b.div(v, twice)));
        }
        let s = self.finish(s);
        self.guarded(root, s)
    }

    fn log(&mut self, x: &Series) -> Series {
        let f0 = self.b.math(Builtin::Log, x[0]);
        if x.len() == 1 {
            return vec![f0];
        }
        let one = vec![self.constant(1.0)];
        let inverse = self.div(&one, x);
        let s = self.integrate(f0, x, |t, _, k| t.at(&inverse, k));
        self.guarded(x[0], s)
    }

    fn exp(&mut self, x: &Series) -> Series {
        let f0 = self.b.math(Builtin::Exp, x[0]);
        self.integrate(f0, x, |t, f, k| t.at(f, k))
    }

    /// Sine and cosine (`sign` −1) or their hyperbolic brothers (`sign` 1).
    fn sine_cosine(&mut self, x: &Series, s: Builtin, c: Builtin, sign: f64) -> (Series, Series) {
        let mut sine = vec![self.b.math(s, x[0])];
        let mut cosine = vec![self.b.math(c, x[0])];
        if x.len() == 1 {
            return (sine, cosine);
        }
        for k in 1..self.count {
            let (mut up, mut down) = (None, None);
            for j in 1..=k {
                let xj = self.at(x, j);
                let xj = self.scaled(xj, j as f64 / k as f64);
                let (ck, sk) = (self.at(&cosine, k - j), self.at(&sine, k - j));
                let a = self.times(xj, ck);
                up = self.plus(up, a);
                let b = self.times(xj, sk);
                down = self.plus(down, b);
            }
            let zero = self.constant(0.0);
            let down = self.scaled(down, sign);
            sine.push(up.unwrap_or(zero));
            cosine.push(down.unwrap_or(zero));
        }
        (sine, cosine)
    }

    pub(super) fn unary(&mut self, f: Un, x: &Series) -> Series {
        use Builtin as B;
        if x.len() == 1 {
            return vec![self.b.unary(f, x[0])];
        }
        let Un::Math(f) = f else {
            return match f {
                Un::Neg => self.map(x, |b, r| b.neg(r)),
                _ => vec![self.b.unary(f, x[0])],
            };
        };
        match f {
            B::Sin => self.sine_cosine(x, B::Sin, B::Cos, -1.0).0,
            B::Cos => self.sine_cosine(x, B::Sin, B::Cos, -1.0).1,
            B::Sinh => self.sine_cosine(x, B::Sinh, B::Cosh, 1.0).0,
            B::Cosh => self.sine_cosine(x, B::Sinh, B::Cosh, 1.0).1,
            B::Exp => self.exp(x),
            B::Log => self.log(x),
            B::Log10 => {
                let l = self.log(x);
                let scale = self.constant(std::f64::consts::LOG10_E);
                let mut s = self.map(&l, |b, r| b.mul(r, scale));
                s[0] = self.b.math(B::Log10, x[0]);
                s
            }
            B::Sqrt => self.sqrt(x),
            B::Abs => {
                let zero = self.constant(0.0);
                let negative = self.b.binary(Bin::Lt, x[0], zero);
                let minus = self.map(x, |b, r| b.neg(r));
                self.select(negative, &minus, x)
            }
            _ if is_stepped(f) => vec![self.b.math(f, x[0])],
            _ => self.by_derivative(f, &[x]),
        }
    }

    fn pow(&mut self, x: &Series, y: &Series) -> Series {
        let f0 = self.b.binary(Bin::Pow, x[0], y[0]);
        if y.len() > 1 {
            // x^y = exp(y·ln x), with the value by the power itself.
            let l = self.log(x);
            let e = self.mul(y, &l);
            let s = self.integrate(f0, &e, |t, f, k| t.at(f, k));
            return self.guarded(x[0], s);
        }
        // k·x₀·p_k = Σ (y·j − (k − j))·x_j·p_{k−j}
        let mut p: Vec<Option<Reg>> = vec![Some(f0)];
        for k in 1..self.count {
            let mut sum = None;
            for j in 1..=k {
                let xj = self.at(x, j);
                let Some(product) = self.times(xj, p[k - j]) else {
                    continue;
                };
                let (jr, rest) = (self.constant(j as f64), self.constant((k - j) as f64));
                let yj = self.b.mul(y[0], jr);
                let weight = self.b.sub(yj, rest);
                let term = self.b.mul(weight, product);
                sum = self.plus(sum, Some(term));
            }
            let kr = self.constant(k as f64);
            let below = self.b.mul(kr, x[0]);
            p.push(sum.map(|s| self.b.div(s, below)));
        }
        let p = self.finish(p);
        self.guarded(x[0], p)
    }

    pub(super) fn binary(&mut self, f: Bin, x: &Series, y: &Series) -> Series {
        use Builtin as B;
        if x.len() == 1 && y.len() == 1 {
            return vec![self.b.binary(f, x[0], y[0])];
        }
        match f {
            Bin::Add => self.add(x, y, false),
            Bin::Sub => self.add(x, y, true),
            Bin::Mul => self.mul(x, y),
            Bin::Div => self.div(x, y),
            Bin::Pow => self.pow(x, y),
            Bin::Math(B::Min | B::Max) => {
                let op = if f == Bin::Math(B::Min) {
                    Bin::Le
                } else {
                    Bin::Ge
                };
                let c = self.b.binary(op, x[0], y[0]);
                self.select(c, x, y)
            }
            Bin::Math(B::Mod | B::Rem) => {
                let f0 = self.b.binary(f, x[0], y[0]);
                let difference = self.b.sub(x[0], f0);
                let whole = vec![self.b.div(difference, y[0])];
                let product = self.mul(&whole, y);
                let mut s = self.add(x, &product, true);
                s[0] = f0;
                s
            }
            Bin::Math(f) if !is_stepped(f) => self.by_derivative(f, &[x, y]),
            _ => vec![self.b.binary(f, x[0], y[0])],
        }
    }

    /// A function of which only the derivative is known: y′ = ∂f·x′, one coefficient after the other, since coefficient k of y′
    /// depends on y up to k alone.
    fn by_derivative(&mut self, f: Builtin, args: &[&Series]) -> Series {
        let f0 = match args {
            [x] => self.b.math(f, x[0]),
            _ => self.b.binary(Bin::Math(f), args[0][0], args[1][0]),
        };
        let rates: Vec<Option<Series>> = (args.iter())
            .map(|x| (x.len() > 1).then(|| self.slope(x)))
            .collect();
        let mut y = vec![f0];
        for k in 1..self.count {
            let slope = tangent(self, Operation::Function(f), args, &y, &rates);
            let c = slope.and_then(|s| self.at(&s, k - 1));
            let c = self.scaled(c, 1.0 / k as f64);
            let zero = self.constant(0.0);
            y.push(c.unwrap_or(zero));
        }
        y
    }

    /// Time derivative of a series.
    fn slope(&mut self, x: &Series) -> Series {
        if x.len() == 1 {
            return vec![self.constant(0.0)];
        }
        (1..x.len())
            .map(|k| {
                let factor = self.constant(k as f64);
                self.b.mul(x[k], factor)
            })
            .collect()
    }
}

/// Power series; a tangent is a series too.
impl Algebra for Builder {
    type Value = Series;
    type Tangent = Series;

    fn constant(&mut self, x: f64) -> Series {
        vec![self.b.constant(x)]
    }

    fn apply(&mut self, op: Operation, args: &[&Series]) -> Series {
        match (op, args) {
            (Operation::Function(f), [x]) => self.unary(Un::Math(f), x),
            (Operation::Function(f), [x, y]) => self.binary(Bin::Math(f), x, y),
            (Operation::Add, [x, y]) => self.add(x, y, false),
            (Operation::Sub, [x, y]) => self.add(x, y, true),
            (Operation::Mul, [x, y]) => self.mul(x, y),
            (Operation::Div, [x, y]) => self.div(x, y),
            (Operation::Pow, [x, y]) => self.pow(x, y),
            _ => self.unary(Un::Neg, args[0]),
        }
    }

    fn compare(&mut self, op: BinaryOp, a: &Series, b: &Series) -> Series {
        vec![self.b.binary(binary_op(op), a[0], b[0])]
    }

    fn times(&mut self, d: &Series, by: &Series) -> Series {
        self.mul(by, d)
    }

    fn over(&mut self, d: &Series, by: &Series) -> Series {
        self.div(d, by)
    }

    fn negated(&mut self, d: &Series) -> Series {
        self.map(d, |b, r| b.neg(r))
    }

    fn plus(&mut self, a: &Series, b: &Series) -> Series {
        self.add(a, b, false)
    }

    fn minus(&mut self, a: &Series, b: &Series) -> Series {
        self.add(a, b, true)
    }

    fn either(&mut self, condition: &Series, a: Option<&Series>, b: Option<&Series>) -> Series {
        let zero = vec![self.b.constant(0.0)];
        self.select(condition[0], a.unwrap_or(&zero), b.unwrap_or(&zero))
    }

    fn where_not_zero(&mut self, y: &Series, slope: Series) -> Series {
        let zero = vec![self.b.constant(0.0)];
        self.select(y[0], &slope, &zero)
    }
}
