//! Partial derivatives of a kernel, as another kernel.
//!
//! In: a kernel and which of its operands are active. Out: a kernel over the same operands whose
//! results are ∂(result j)/∂(operand k), for the pairs that are not identically zero.
//!
//! Forward accumulation of sparse gradients: each register carries the registers of its non-zero
//! partials. A branch that is not taken contributes nothing, even where its derivative is infinite.
//! Derivative kernels belong to shapes, so a model of 10^5 equal equations is differentiated once.

use ferrica_ir::calculus::{Algebra, Operation, tangent};
use ferrica_ir::expr::{BinaryOp, Builtin};

use crate::kernel::{Bin, CallSite, Callee, Kernel, KernelBuilder, NO_REG, Op, Reg};

/// Where a partial derivative is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Partial {
    Constant(f64),
    /// Result number of the derivative kernel.
    Result(u32),
}

#[derive(Clone, Debug, Default)]
pub struct PartialKernel {
    pub kernel: Kernel,
    /// (result of the kernel, operand, where)
    pub entries: Vec<(u32, u32, Partial)>,
}

type Gradient = Vec<(u32, Reg)>;

pub fn partials(kernel: &Kernel, active: &[bool]) -> PartialKernel {
    let mut b = KernelBuilder::extend(kernel);
    let mut gradients: Vec<Gradient> = Vec::with_capacity(kernel.ops.len());
    let mut open_call = (0, 0);
    let mut jacobian = None;
    for (r, op) in kernel.ops.iter().enumerate() {
        let g = match *op {
            Op::Call(site) => {
                open_call = (site, 0);
                jacobian = None;
                call_gradient(&mut b, kernel, &gradients, site, 0, &mut jacobian)
            }
            Op::Result => {
                open_call.1 += 1;
                let (site, output) = open_call;
                call_gradient(&mut b, kernel, &gradients, site, output, &mut jacobian)
            }
            op => gradient(&mut b, &gradients, r as Reg, op, active),
        };
        gradients.push(g);
    }
    let mut entries = Vec::new();
    let mut results = Vec::new();
    for (j, &r) in kernel.results.iter().enumerate() {
        for &(k, d) in &gradients[r as usize] {
            match b.as_const(d) {
                Some(0.0) => {}
                Some(value) => entries.push((j as u32, k, Partial::Constant(value))),
                None => {
                    entries.push((j as u32, k, Partial::Result(results.len() as u32)));
                    results.push(d);
                }
            }
        }
    }
    let (mut kernel, _) = b.finish(&results);
    prune(&mut kernel);
    PartialKernel { kernel, entries }
}

fn gradient(b: &mut KernelBuilder, of: &[Gradient], r: Reg, op: Op, active: &[bool]) -> Gradient {
    match op {
        Op::Load(k) if active[k as usize] => vec![(k, b.constant(1.0))],
        Op::Load(_) | Op::Const(_) | Op::Call(_) | Op::Result => Vec::new(),
        Op::Unary(f, a) => arithmetic(b, f.operation(), &[&a], r, &[&of[a as usize]]),
        Op::PowI(a, n) => {
            let ga = &of[a as usize];
            if ga.is_empty() {
                return Vec::new();
            }
            let n_reg = b.constant(f64::from(n));
            let p = b.powi(a, n - 1);
            let slope = b.mul(n_reg, p);
            scale(b, ga, slope)
        }
        Op::Binary(f, x, y) => {
            let of = [&of[x as usize], &of[y as usize]];
            arithmetic(b, f.operation(), &[&x, &y], r, &of)
        }
        Op::Select(c, x, y) => {
            let zero = b.constant(0.0);
            merge(&of[x as usize], &of[y as usize], |p, q| {
                b.select(c, p.unwrap_or(zero), q.unwrap_or(zero))
            })
        }
    }
}

/// Gradient of one output of a call. All outputs share the call that computes the Jacobian.
fn call_gradient(
    b: &mut KernelBuilder,
    kernel: &Kernel,
    of: &[Gradient],
    site: u32,
    output: u32,
    jacobian: &mut Option<Reg>,
) -> Gradient {
    let site = &kernel.calls[site as usize];
    let Callee::Function(f) = site.callee else {
        return Vec::new();
    };
    if site.args.iter().all(|&a| of[a as usize].is_empty()) {
        return Vec::new();
    }
    let n = site.args.len() as u32;
    let first = *jacobian.get_or_insert_with(|| {
        b.call(CallSite {
            callee: Callee::Jacobian(f),
            args: site.args.clone(),
            guard: site.guard,
            outputs: site.outputs * n,
        })
    });
    let mut terms = Gradient::new();
    for (k, &a) in site.args.iter().enumerate() {
        terms.extend(scale(b, &of[a as usize], first + output * n + k as u32));
    }
    terms.sort_by_key(|t| t.0);
    let mut sum = Gradient::with_capacity(terms.len());
    for (k, d) in terms {
        match sum.last_mut() {
            Some(last) if last.0 == k => last.1 = b.add(last.1, d),
            _ => sum.push((k, d)),
        }
    }
    sum
}

fn plus(b: &mut KernelBuilder, p: Option<Reg>, q: Option<Reg>) -> Reg {
    match (p, q) {
        (Some(p), Some(q)) => b.add(p, q),
        (Some(p), None) | (None, Some(p)) => p,
        (None, None) => b.constant(0.0),
    }
}

fn scale(b: &mut KernelBuilder, g: &Gradient, slope: Reg) -> Gradient {
    g.iter().map(|&(k, d)| (k, b.mul(d, slope))).collect()
}

/// Union of two gradients sorted by operand.
fn merge(
    x: &Gradient,
    y: &Gradient,
    mut join: impl FnMut(Option<Reg>, Option<Reg>) -> Reg,
) -> Gradient {
    let mut out = Vec::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let kx = x.get(i).map_or(u32::MAX, |e| e.0);
        let ky = y.get(j).map_or(u32::MAX, |e| e.0);
        let k = kx.min(ky);
        let p = (kx == k).then(|| x[i].1);
        let q = (ky == k).then(|| y[j].1);
        i += usize::from(kx == k);
        j += usize::from(ky == k);
        out.push((k, join(p, q)));
    }
    out
}

/// Registers of the kernel; a tangent is a gradient, none of them empty.
impl Algebra for KernelBuilder {
    type Value = Reg;
    type Tangent = Gradient;

    fn constant(&mut self, x: f64) -> Reg {
        KernelBuilder::constant(self, x)
    }

    fn apply(&mut self, op: Operation, args: &[&Reg]) -> Reg {
        match (op, args) {
            (Operation::Function(f), [x]) => self.math(f, **x),
            (Operation::Function(f), [x, y]) => self.binary(Bin::Math(f), **x, **y),
            (Operation::Add, [x, y]) => self.add(**x, **y),
            (Operation::Sub, [x, y]) => self.sub(**x, **y),
            (Operation::Mul, [x, y]) => self.mul(**x, **y),
            (Operation::Div, [x, y]) => self.div(**x, **y),
            (Operation::Pow, [x, y]) => self.binary(Bin::Pow, **x, **y),
            _ => self.neg(*args[0]),
        }
    }

    fn compare(&mut self, op: BinaryOp, a: &Reg, b: &Reg) -> Reg {
        self.binary(crate::lower::binary_op(op), *a, *b)
    }

    fn times(&mut self, d: &Gradient, by: &Reg) -> Gradient {
        scale(self, d, *by)
    }

    /// One division where there are several products.
    fn over(&mut self, d: &Gradient, by: &Reg) -> Gradient {
        if let [(k, d)] = d[..] {
            return vec![(k, self.div(d, *by))];
        }
        let one = KernelBuilder::constant(self, 1.0);
        let inverse = self.div(one, *by);
        scale(self, d, inverse)
    }

    fn negated(&mut self, d: &Gradient) -> Gradient {
        d.iter().map(|&(k, d)| (k, self.neg(d))).collect()
    }

    fn plus(&mut self, a: &Gradient, b: &Gradient) -> Gradient {
        merge(a, b, |p, q| plus(self, p, q))
    }

    fn minus(&mut self, a: &Gradient, b: &Gradient) -> Gradient {
        merge(a, b, |p, q| match (p, q) {
            (Some(p), Some(q)) => self.sub(p, q),
            (None, Some(q)) => self.neg(q),
            (p, None) => plus(self, p, None),
        })
    }

    fn either(&mut self, condition: &Reg, a: Option<&Gradient>, b: Option<&Gradient>) -> Gradient {
        let zero = KernelBuilder::constant(self, 0.0);
        let none = Gradient::new();
        merge(a.unwrap_or(&none), b.unwrap_or(&none), |p, q| {
            self.select(*condition, p.unwrap_or(zero), q.unwrap_or(zero))
        })
    }

    fn where_not_zero(&mut self, y: &Reg, slope: Reg) -> Reg {
        let zero = KernelBuilder::constant(self, 0.0);
        self.select(*y, slope, zero)
    }
}

/// Gradient of an operation of arithmetic or of an elementary function.
fn arithmetic(
    b: &mut KernelBuilder,
    op: Option<Operation>,
    args: &[&Reg],
    r: Reg,
    of: &[&Gradient],
) -> Gradient {
    let rates: Vec<Option<Gradient>> = (of.iter())
        .map(|g| Some((*g).clone()).filter(|g| !g.is_empty()))
        .collect();
    let mut d = op
        .and_then(|op| tangent(b, op, args, &r, &rates))
        .unwrap_or_default();
    // Only the first argument varies: the gradients have the same operands.
    if op.is_some_and(is_finite_where_steep) && rates[1..].iter().all(Option::is_none) {
        let zero = b.constant(0.0);
        for (term, &(_, argument)) in d.iter_mut().zip(of[0]) {
            if b.as_const(argument).is_none() {
                term.1 = b.select(argument, term.1, zero);
            }
        }
    }
    d
}

/// Functions with points of infinite slope and finite value, such as √x at 0. What does not vary there (√max(x, 0) for
/// negative x) contributes nothing: without this rule it would be 0·∞.
pub(crate) fn is_finite_where_steep(op: Operation) -> bool {
    let functions = [Builtin::Sqrt, Builtin::Asin, Builtin::Acos];
    op == Operation::Pow || functions.into_iter().any(|f| op == Operation::Function(f))
}

/// Removes operations that no result needs; operands keep their numbers.
pub fn prune(kernel: &mut Kernel) {
    let n = kernel.ops.len();
    let mut used = vec![false; n];
    for &r in &kernel.results {
        used[r as usize] = true;
    }
    for r in (0..n).rev() {
        if !used[r] {
            continue;
        }
        let mut mark = |r: Reg| used[r as usize] = true;
        match kernel.ops[r] {
            Op::Unary(_, a) | Op::PowI(a, _) => mark(a),
            Op::Binary(_, a, b) => {
                mark(a);
                mark(b);
            }
            Op::Select(c, a, b) => {
                mark(c);
                mark(a);
                mark(b);
            }
            Op::Call(site) => {
                let site = &kernel.calls[site as usize];
                site.args.iter().for_each(|&a| mark(a));
                if site.guard != NO_REG {
                    mark(site.guard);
                }
            }
            // The call itself stands before its further outputs.
            Op::Result => mark(r as Reg - 1),
            Op::Load(_) | Op::Const(_) => {}
        }
    }
    // A used call keeps all of its outputs.
    for (r, op) in kernel.ops.iter().enumerate() {
        if matches!(op, Op::Result) {
            used[r] = used[r - 1];
        }
    }
    let mut new = vec![0u32; n];
    let mut count = 0;
    for (new, used) in new.iter_mut().zip(&used) {
        *new = count;
        count += u32::from(*used);
    }
    let mut calls = Vec::new();
    let mut ops = Vec::with_capacity(count as usize);
    for (r, op) in kernel.ops.iter().enumerate() {
        if !used[r] {
            continue;
        }
        let m = |r: Reg| new[r as usize];
        ops.push(match *op {
            Op::Unary(f, a) => Op::Unary(f, m(a)),
            Op::PowI(a, k) => Op::PowI(m(a), k),
            Op::Binary(f, a, b) => Op::Binary(f, m(a), m(b)),
            Op::Select(c, a, b) => Op::Select(m(c), m(a), m(b)),
            Op::Call(site) => {
                let mut site = kernel.calls[site as usize].clone();
                site.args.iter_mut().for_each(|a| *a = m(*a));
                if site.guard != NO_REG {
                    site.guard = m(site.guard);
                }
                calls.push(site);
                Op::Call(calls.len() as u32 - 1)
            }
            op => op,
        });
    }
    kernel.ops = ops;
    kernel.calls = calls;
    kernel
        .results
        .iter_mut()
        .for_each(|r| *r = new[*r as usize]);
}
