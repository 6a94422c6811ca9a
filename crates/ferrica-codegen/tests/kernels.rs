//! Engines against each other, derivatives against differences, shapes against their number.

use ferrica_codegen::interpreter::Functions;
use ferrica_codegen::jit;
use ferrica_codegen::kernel::{Bin, Kernel, KernelBuilder, Reg};
use ferrica_codegen::partials::{Partial, partials};
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::runtime::Runtime;
use ferrica_ir::expr::Builtin as B;

mod random;
mod random_kernels;
use random::Random;
use random_kernels::{OPERANDS, interpret, random_kernel};

/// Selections of selections whose sides call the mathematical library, and share some of their parts.
fn branching_kernel(random: &mut Random) -> Kernel {
    fn value(b: &mut KernelBuilder, random: &mut Random, regs: &mut Vec<Reg>, depth: usize) -> Reg {
        let any = |random: &mut Random, regs: &[Reg]| regs[random.below(regs.len())];
        let (x, y) = (any(random, regs), any(random, regs));
        if depth == 0 {
            return x;
        }
        let r = match random.below(5) {
            0 | 1 => {
                let c = b.binary(Bin::Lt, x, y);
                let yes = value(b, random, regs, depth - 1);
                let no = value(b, random, regs, depth - 1);
                b.select(c, yes, no)
            }
            2 => {
                let x = value(b, random, regs, depth - 1);
                b.math([B::Exp, B::Tanh, B::Sin][random.below(3)], x)
            }
            3 => {
                let x = value(b, random, regs, depth - 1);
                b.binary(Bin::Pow, x, y)
            }
            _ => {
                let (x, y) = (value(b, random, regs, depth - 1), any(random, regs));
                b.add(x, y)
            }
        };
        if random.below(4) == 0 {
            regs.push(r);
        }
        r
    }
    let mut b = KernelBuilder::default();
    let mut regs: Vec<Reg> = (0..OPERANDS).map(|k| b.slot(k as u32)).collect();
    let results = [0, 1].map(|_| value(&mut b, random, &mut regs, 7));
    b.finish(&results).0
}

/// Machine code and both ways of the interpreter give the same bits, in unrolled rows and in loops.
#[test]
fn machine_code_equals_interpreter() {
    let mut random = Random(7);
    for round in 0..240 {
        let kernel = match round % 2 {
            0 => random_kernel(&mut random, false),
            _ => branching_kernel(&mut random),
        };
        let rows = [1, 2, 5, 70][round / 2 % 4];
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
        let (functions, mut rt) = (Functions::default(), Runtime::default());
        for step in &code.steps {
            if let jit::NativeStep::Code(k) = *step {
                code.run(k, &mut c, &program.rows, &functions, &mut rt)
                    .expect("runs");
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
