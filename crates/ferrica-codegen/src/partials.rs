//! Partial derivatives of a kernel, as another kernel.
//!
//! In: a kernel and which of its operands are active. Out: a kernel over the same operands whose
//! results are ∂(result j)/∂(operand k), for the pairs that are not identically zero.
//!
//! Forward accumulation of sparse gradients: each register carries the registers of its non-zero
//! partials. A branch that is not taken contributes nothing, even where its derivative is infinite.
//! Derivative kernels belong to shapes, so a model of 10^5 equal equations is differentiated once.

use ferrica_ir::expr::Builtin;

use crate::kernel::{Bin, CallSite, Callee, Kernel, KernelBuilder, NO_REG, Op, Reg, Un};

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
        Op::Unary(f, a) => {
            let ga = &of[a as usize];
            if ga.is_empty() {
                return Vec::new();
            }
            match unary_slope(b, f, a, r) {
                Some(slope) => scale(b, ga, slope),
                None => Vec::new(),
            }
        }
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
            let (gx, gy) = (&of[x as usize], &of[y as usize]);
            if gx.is_empty() && gy.is_empty() {
                return Vec::new();
            }
            binary_gradient(b, f, x, y, r, gx, gy)
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

/// Slope of a unary operation as a register; `None` where it is zero everywhere.
fn unary_slope(b: &mut KernelBuilder, f: Un, a: Reg, r: Reg) -> Option<Reg> {
    use Builtin as B;
    let one = b.constant(1.0);
    Some(match f {
        Un::Neg => b.constant(-1.0),
        Un::Not => return None,
        Un::Math(f) => match f {
            B::Sin => b.math(B::Cos, a),
            B::Cos => {
                let s = b.math(B::Sin, a);
                b.neg(s)
            }
            B::Tan => {
                let t = b.mul(r, r);
                b.add(one, t)
            }
            B::Asin | B::Acos => {
                let t = b.mul(a, a);
                let u = b.sub(one, t);
                let s = b.math(B::Sqrt, u);
                let d = b.div(one, s);
                if f == B::Acos { b.neg(d) } else { d }
            }
            B::Atan => {
                let t = b.mul(a, a);
                let u = b.add(one, t);
                b.div(one, u)
            }
            B::Sinh => b.math(B::Cosh, a),
            B::Cosh => b.math(B::Sinh, a),
            B::Tanh => {
                let t = b.mul(r, r);
                b.sub(one, t)
            }
            B::Exp => r,
            B::Log => b.div(one, a),
            B::Log10 => {
                let c = b.constant(std::f64::consts::LOG10_E);
                b.div(c, a)
            }
            B::Sqrt => {
                let half = b.constant(0.5);
                b.div(half, r)
            }
            B::Abs => {
                let zero = b.constant(0.0);
                let c = b.binary(Bin::Lt, a, zero);
                let minus = b.constant(-1.0);
                b.select(c, minus, one)
            }
            _ => return None,
        },
    })
}

fn binary_gradient(
    b: &mut KernelBuilder,
    f: Bin,
    x: Reg,
    y: Reg,
    r: Reg,
    gx: &Gradient,
    gy: &Gradient,
) -> Gradient {
    use Builtin as B;
    match f {
        Bin::Add => merge(gx, gy, |p, q| plus(b, p, q)),
        Bin::Sub => merge(gx, gy, |p, q| match (p, q) {
            (p, Some(q)) => {
                let q = b.neg(q);
                plus(b, p, Some(q))
            }
            (p, None) => plus(b, p, None),
        }),
        Bin::Mul => {
            let (tx, ty) = (scale(b, gx, y), scale(b, gy, x));
            merge(&tx, &ty, |p, q| plus(b, p, q))
        }
        Bin::Div => {
            let tx: Gradient = gx.iter().map(|&(k, d)| (k, b.div(d, y))).collect();
            if gy.is_empty() {
                return tx;
            }
            let q = b.div(r, y);
            let slope = b.neg(q);
            let ty = scale(b, gy, slope);
            merge(&tx, &ty, |p, q| plus(b, p, q))
        }
        Bin::Pow => {
            let mut tx = Gradient::new();
            if !gx.is_empty() {
                let one = b.constant(1.0);
                let e = b.sub(y, one);
                let p = b.binary(Bin::Pow, x, e);
                let slope = b.mul(y, p);
                tx = scale(b, gx, slope);
            }
            let mut ty = Gradient::new();
            if !gy.is_empty() {
                let zero = b.constant(0.0);
                let positive = b.binary(Bin::Gt, x, zero);
                let ln = b.math(B::Log, x);
                let p = b.mul(r, ln);
                let slope = b.select(positive, p, zero);
                ty = scale(b, gy, slope);
            }
            merge(&tx, &ty, |p, q| plus(b, p, q))
        }
        Bin::Math(f) => match f {
            B::Atan2 => {
                let (xx, yy) = (b.mul(x, x), b.mul(y, y));
                let s = b.add(xx, yy);
                let (dx, q) = (b.div(y, s), b.div(x, s));
                let dy = b.neg(q);
                let (tx, ty) = (scale(b, gx, dx), scale(b, gy, dy));
                merge(&tx, &ty, |p, q| plus(b, p, q))
            }
            B::Min | B::Max => {
                let op = if f == B::Min { Bin::Le } else { Bin::Ge };
                let c = b.binary(op, x, y);
                let zero = b.constant(0.0);
                merge(gx, gy, |p, q| {
                    b.select(c, p.unwrap_or(zero), q.unwrap_or(zero))
                })
            }
            B::Mod | B::Rem => {
                if gy.is_empty() {
                    return gx.clone();
                }
                let whole = if f == B::Mod {
                    let q = b.div(x, y);
                    b.math(B::Floor, q)
                } else {
                    b.binary(Bin::Math(B::Div), x, y)
                };
                let slope = b.neg(whole);
                let ty = scale(b, gy, slope);
                merge(gx, &ty, |p, q| plus(b, p, q))
            }
            _ => Vec::new(),
        },
        Bin::And | Bin::Or | Bin::Lt | Bin::Le | Bin::Gt | Bin::Ge | Bin::Eq | Bin::Ne => {
            Vec::new()
        }
    }
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
