//! Engines against each other, derivatives against differences, shapes against their number.

use ferrica_codegen::interpreter::Functions;
use ferrica_codegen::jit;
use ferrica_codegen::kernel::{Bin, Kernel, KernelBuilder, Reg, Un};
use ferrica_codegen::partials::{Partial, partials};
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::runtime::Runtime;
use ferrica_codegen::vm::Vm;
use ferrica_ir::expr::Builtin as B;

/// Numerical Recipes' linear congruential generator: reproducible, no dependency.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 33
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn real(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64 * 4.0 - 2.0
    }
}

const OPERANDS: usize = 6;

/// A random kernel; `smooth` leaves out what has no derivative.
fn random_kernel(random: &mut Random, smooth: bool) -> Kernel {
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

fn interpret(kernels: &Kernels, program: &Program, slots: &mut [f64]) {
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

/// Machine code and both ways of the interpreter give the same bits, in unrolled rows and in loops.
#[test]
fn machine_code_equals_interpreter() {
    let mut random = Random(7);
    for round in 0..120 {
        let kernel = random_kernel(&mut random, false);
        let rows = [1, 2, 5, 70][round % 4];
        let per_row = OPERANDS + 2;
        let mut kernels = Kernels::default();
        let mut program = Program::default();
        let mut single = Program::default();
        let loads = kernel.loads;
        for r in 0..rows {
            let base = (r * per_row) as u32;
            let operands: Vec<u32> = (0..loads).map(|k| base + k).collect();
            let results = [base + OPERANDS as u32, base + OPERANDS as u32 + 1];
            let row = kernels.add_row(kernel.clone(), &operands, &results);
            program.push_row(row.kernel, kernels.row(row), true);
            single.push_row(row.kernel, kernels.row(row), false);
        }
        assert_eq!(kernels.kernels.len(), 1);
        let start: Vec<f64> = (0..rows * per_row).map(|_| random.real()).collect();
        let (mut a, mut b, mut c) = (start.clone(), start.clone(), start);
        interpret(&kernels, &program, &mut a);
        interpret(&kernels, &single, &mut b);
        jit::compile_into(&kernels, rows * per_row, &program);
        let code = program.native.code.get().expect("compiles");
        for step in &code.steps {
            if let jit::NativeStep::Code(k) = *step {
                code.run(k, &mut c, &program.rows);
            }
        }
        for k in 0..a.len() {
            let same = |x: f64, y: f64| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
            assert!(
                same(a[k], b[k]),
                "strip and row differ: {} {}\n{kernel}",
                a[k],
                b[k]
            );
            assert!(
                same(a[k], c[k]),
                "machine code differs: {} {}\n{kernel}",
                a[k],
                c[k]
            );
        }
    }
}

/// Partial derivatives agree with central differences where those are accurate.
#[test]
fn partials_agree_with_differences() {
    let mut random = Random(3);
    let mut compared = 0;
    for _ in 0..200 {
        let kernel = random_kernel(&mut random, true);
        let n = kernel.loads as usize;
        let rule = partials(&kernel, &vec![true; n]);
        let x: Vec<f64> = (0..n).map(|_| random.real()).collect();
        let eval = |kernel: &Kernel, x: &[f64]| -> Vec<f64> {
            let mut kernels = Kernels::default();
            let mut slots = x.to_vec();
            slots.resize(n + kernel.results.len(), 0.0);
            let operands: Vec<u32> = (0..kernel.loads).collect();
            let results: Vec<u32> = (0..kernel.results.len()).map(|k| (n + k) as u32).collect();
            let row = kernels.add_row(kernel.clone(), &operands, &results);
            let mut program = Program::default();
            program.push_row(row.kernel, kernels.row(row), false);
            interpret(&kernels, &program, &mut slots);
            slots[n..].to_vec()
        };
        let values = eval(&rule.kernel, &x);
        for j in 0..kernel.results.len() {
            for k in 0..n {
                let exact: f64 = rule
                    .entries
                    .iter()
                    .filter(|e| (e.0, e.1) == (j as u32, k as u32))
                    .map(|e| match e.2 {
                        Partial::Constant(c) => c,
                        Partial::Result(r) => values[r as usize],
                    })
                    .sum();
                let difference = |h: f64| {
                    let (mut up, mut down) = (x.clone(), x.clone());
                    up[k] += h;
                    down[k] -= h;
                    (eval(&kernel, &up)[j] - eval(&kernel, &down)[j]) / (2.0 * h)
                };
                let (coarse, fine) = (difference(1e-4), difference(1e-5));
                let trusted = coarse.is_finite()
                    && fine.is_finite()
                    && fine.abs() < 1e4
                    && (coarse - fine).abs() < 1e-5 * fine.abs().max(1e-2);
                if trusted {
                    compared += 1;
                    assert!(
                        (exact - fine).abs() < 1e-4 * fine.abs().max(1.0),
                        "∂{j}/∂{k} = {exact}, differences {fine}\n{kernel}"
                    );
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} compared");
}
