//! A kernel again, as part of another one.

use ferrica_codegen::kernel::{CallSite, Kernel, KernelBuilder, NO_REG, Op, Reg};

/// Appends the operations of a kernel whose operands are these registers; the registers of its operations.
pub fn replay(b: &mut KernelBuilder, kernel: &Kernel, operands: &[Reg]) -> Vec<Reg> {
    let mut regs: Vec<Reg> = Vec::with_capacity(kernel.ops.len());
    for op in &kernel.ops {
        let at = |r: Reg| regs[r as usize];
        let reg = match *op {
            Op::Load(k) => operands[k as usize],
            Op::Const(bits) => b.constant(f64::from_bits(bits)),
            Op::Unary(f, x) => b.unary(f, at(x)),
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
