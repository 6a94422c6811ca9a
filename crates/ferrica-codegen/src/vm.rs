//! Register interpreter for kernels: ready at once, and the oracle for machine code.
//!
//! A batch with many rows runs in strips: each operation is decoded once for up to [`STRIP`] rows,
//! and its loop over the rows is plain arithmetic on contiguous registers.

use ferrica_ir::expr::Builtin;
use ferrica_ir::simplify::power;

use crate::interpreter::{Functions, run_callee};
use crate::kernel::{Bin, Kernel, NO_REG, Op, Un, truth};
use crate::runtime::Runtime;

/// Rows computed together.
pub const STRIP: usize = 32;

/// Registers and call buffers of one thread.
#[derive(Clone, Default)]
pub struct Vm {
    regs: Vec<f64>,
    args: Vec<f64>,
    outs: Vec<f64>,
}

impl Vm {
    /// Runs a kernel over `count` rows.
    pub fn batch(
        &mut self,
        functions: &Functions,
        rt: &mut Runtime,
        kernel: &Kernel,
        rows: &[u32],
        count: usize,
        slots: &mut [f64],
    ) -> Result<(), String> {
        let stride = kernel.stride();
        if count < 4 || !kernel.calls.is_empty() {
            for row in rows.chunks_exact(stride.max(1)).take(count) {
                self.row(functions, rt, kernel, row, slots)?;
            }
        } else {
            for strip in rows[..count * stride].chunks(STRIP * stride) {
                self.strip(kernel, strip, stride, slots);
            }
        }
        Ok(())
    }

    fn row(
        &mut self,
        functions: &Functions,
        rt: &mut Runtime,
        kernel: &Kernel,
        row: &[u32],
        slots: &mut [f64],
    ) -> Result<(), String> {
        if self.regs.len() < kernel.ops.len() {
            self.regs.resize(kernel.ops.len(), 0.0);
        }
        for (i, op) in kernel.ops.iter().enumerate() {
            let regs = &mut self.regs;
            regs[i] = match *op {
                Op::Load(k) => slots[row[k as usize] as usize],
                Op::Const(bits) => f64::from_bits(bits),
                Op::Unary(op, a) => op.eval(regs[a as usize]),
                Op::Binary(Bin::Add, a, b) => regs[a as usize] + regs[b as usize],
                Op::Binary(Bin::Sub, a, b) => regs[a as usize] - regs[b as usize],
                Op::Binary(Bin::Mul, a, b) => regs[a as usize] * regs[b as usize],
                Op::Binary(Bin::Div, a, b) => regs[a as usize] / regs[b as usize],
                Op::Binary(op, a, b) => op.eval(regs[a as usize], regs[b as usize]),
                Op::Select(c, a, b) => regs[if regs[c as usize] != 0.0 { a } else { b } as usize],
                Op::PowI(a, n) => regs[a as usize].powi(n),
                Op::Call(site) => {
                    self.call(functions, rt, kernel, site, i)?;
                    continue;
                }
                Op::Result => continue,
            };
        }
        let stores = &row[kernel.loads as usize..];
        for (&slot, &r) in stores.iter().zip(&kernel.results) {
            slots[slot as usize] = self.regs[r as usize];
        }
        Ok(())
    }

    fn call(
        &mut self,
        functions: &Functions,
        rt: &mut Runtime,
        kernel: &Kernel,
        site: u32,
        at: usize,
    ) -> Result<(), String> {
        let site = &kernel.calls[site as usize];
        let n = site.outputs as usize;
        if site.guard != NO_REG && self.regs[site.guard as usize] == 0.0 {
            self.regs[at..at + n].fill(0.0);
            return Ok(());
        }
        self.args.clear();
        self.args
            .extend(site.args.iter().map(|&r| self.regs[r as usize]));
        run_callee(functions, rt, site.callee, &self.args, &mut self.outs)?;
        let m = n.min(self.outs.len());
        self.regs[at..at + m].copy_from_slice(&self.outs[..m]);
        Ok(())
    }

    fn strip(&mut self, kernel: &Kernel, rows: &[u32], stride: usize, slots: &mut [f64]) {
        let n = rows.len() / stride;
        let size = kernel.ops.len() * STRIP;
        if self.regs.len() < size {
            self.regs.resize(size, 0.0);
        }
        for (i, op) in kernel.ops.iter().enumerate() {
            let (below, rest) = self.regs.split_at_mut(i * STRIP);
            let out = &mut rest[..n];
            let reg = |r: u32| &below[r as usize * STRIP..][..n];
            match *op {
                Op::Load(k) => {
                    let column = rows[k as usize..].iter().step_by(stride);
                    for (o, &slot) in out.iter_mut().zip(column) {
                        *o = slots[slot as usize];
                    }
                }
                Op::Const(bits) => out.fill(f64::from_bits(bits)),
                Op::Unary(op, a) => unary_strip(op, out, reg(a)),
                Op::Binary(op, a, b) => binary_strip(op, out, reg(a), reg(b)),
                Op::Select(c, a, b) => {
                    let (c, a, b) = (reg(c), reg(a), reg(b));
                    for (i, o) in out.iter_mut().enumerate() {
                        *o = if c[i] != 0.0 { a[i] } else { b[i] };
                    }
                }
                Op::PowI(a, n) => {
                    for (o, x) in out.iter_mut().zip(reg(a)) {
                        *o = x.powi(n);
                    }
                }
                Op::Call(_) | Op::Result => {}
            }
        }
        for (j, &r) in kernel.results.iter().enumerate() {
            let values = &self.regs[r as usize * STRIP..][..n];
            let column = rows[kernel.loads as usize + j..].iter().step_by(stride);
            for (&x, &slot) in values.iter().zip(column) {
                slots[slot as usize] = x;
            }
        }
    }
}

fn unary_strip(op: Un, out: &mut [f64], a: &[f64]) {
    fn map(out: &mut [f64], a: &[f64], f: impl Fn(f64) -> f64) {
        for (o, x) in out.iter_mut().zip(a) {
            *o = f(*x);
        }
    }
    match op {
        Un::Neg => map(out, a, |x| -x),
        Un::Math(Builtin::Sqrt) => map(out, a, f64::sqrt),
        Un::Math(Builtin::Abs) => map(out, a, f64::abs),
        Un::Math(Builtin::Sin) => map(out, a, f64::sin),
        Un::Math(Builtin::Cos) => map(out, a, f64::cos),
        Un::Math(Builtin::Exp) => map(out, a, f64::exp),
        op => map(out, a, |x| op.eval(x)),
    }
}

fn binary_strip(op: Bin, out: &mut [f64], a: &[f64], b: &[f64]) {
    fn map(out: &mut [f64], a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) {
        for ((o, x), y) in out.iter_mut().zip(a).zip(b) {
            *o = f(*x, *y);
        }
    }
    match op {
        Bin::Add => map(out, a, b, |x, y| x + y),
        Bin::Sub => map(out, a, b, |x, y| x - y),
        Bin::Mul => map(out, a, b, |x, y| x * y),
        Bin::Div => map(out, a, b, |x, y| x / y),
        Bin::Pow => map(out, a, b, power),
        Bin::Lt => map(out, a, b, |x, y| truth(x < y)),
        Bin::Le => map(out, a, b, |x, y| truth(x <= y)),
        Bin::Gt => map(out, a, b, |x, y| truth(x > y)),
        Bin::Ge => map(out, a, b, |x, y| truth(x >= y)),
        op => map(out, a, b, |x, y| op.eval(x, y)),
    }
}
