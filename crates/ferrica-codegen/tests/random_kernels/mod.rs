//! Random kernels and the interpreter as the oracle for them.

use ferrica_codegen::interpreter::Functions;
use ferrica_codegen::kernel::{Bin, Kernel, KernelBuilder, Reg, Un};
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::runtime::Runtime;
use ferrica_codegen::vm::Vm;
use ferrica_ir::expr::Builtin as B;

use crate::random::Random;

pub const OPERANDS: usize = 6;

/// A random kernel; `smooth` leaves out what has no derivative.
pub fn random_kernel(random: &mut Random, smooth: bool) -> Kernel {
    let mut b = KernelBuilder::default();
    let mut regs: Vec<Reg> = (0..OPERANDS).map(|k| b.slot(k as u32)).collect();
    let unary = [
        B::Sin,
        B::Cos,
        B::Tanh,
        B::Exp,
        B::Atan,
        B::Sqrt,
        B::Abs,
        B::Log,
        B::Cosh,
    ];
    let rough = [B::Sign, B::Floor, B::Ceil, B::Integer];
    let relations = [
        Bin::Lt,
        Bin::Le,
        Bin::Gt,
        Bin::Ge,
        Bin::Eq,
        Bin::Ne,
        Bin::And,
        Bin::Or,
    ];
    let maths = [B::Atan2, B::Min, B::Max, B::Mod, B::Rem, B::Div];
    for _ in 0..5 + random.below(40) {
        let x = regs[random.below(regs.len())];
        let y = regs[random.below(regs.len())];
        let z = regs[random.below(regs.len())];
        let r = match random.below(if smooth { 7 } else { 11 }) {
            0 => b.add(x, y),
            1 => b.sub(x, y),
            2 => b.mul(x, y),
            3 => b.math(unary[random.below(unary.len())], x),
            4 => b.powi(x, random.below(7) as i32 - 2),
            5 => b.div(x, y),
            6 => b.neg(x),
            7 => b.select(z, x, y),
            8 => b.binary(relations[random.below(relations.len())], x, y),
            9 => b.binary(Bin::Math(maths[random.below(maths.len())]), x, y),
            _ => {
                if random.below(2) == 0 {
                    b.math(rough[random.below(rough.len())], x)
                } else if random.below(2) == 0 {
                    b.unary(Un::Not, x)
                } else {
                    b.binary(Bin::Pow, x, y)
                }
            }
        };
        regs.push(r);
    }
    let results = [regs[regs.len() - 1], regs[regs.len() - 2]];
    b.finish(&results).0
}

pub fn interpret(kernels: &Kernels, program: &Program, slots: &mut [f64]) {
    let (mut vm, mut rt) = (Vm::default(), Runtime::default());
    let functions = Functions::default();
    for step in &program.steps {
        if let ferrica_codegen::program::Step::Batch {
            kernel,
            first,
            count,
        } = *step
        {
            let kernel = &kernels.kernels[kernel];
            let rows = &program.rows[first as usize..];
            vm.batch(&functions, &mut rt, kernel, rows, count as usize, slots)
                .unwrap();
        }
    }
}
