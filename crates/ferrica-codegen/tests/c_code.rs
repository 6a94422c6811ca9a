//! Emitted C, compiled by the system's compiler without a warning, gives the numbers of the interpreter.

mod random;
mod random_kernels;

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use ferrica_codegen::c::expression::literal;
use ferrica_codegen::c::{CUnit, Values};
use ferrica_codegen::interpreter::Functions;
use ferrica_codegen::program::{Kernels, Program};
use ferrica_codegen::{CompileOptions, CompiledModel, Evaluator, Form, compile};
use ferrica_ir::Span;
use ferrica_ir::causal::*;
use ferrica_ir::expr::*;
use ferrica_ir::flat::{Variability, Variable};
use ferrica_ir::function::{Function, FunctionBody, Slot, Stmt};
use ferrica_test_tools::needs;
use random::Random;
use random_kernels::{OPERANDS, interpret, random_kernel};

/// A folder of its own for each test, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ferrica-c-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Compiles and runs a C program; its output as lines of numbers.
fn run_c(name: &str, text: &str) -> Vec<f64> {
    let folder = Folder::new(name);
    let (source, binary) = (folder.0.join("unit.c"), folder.0.join("unit"));
    std::fs::write(&source, text).expect("written");
    let done = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(["-O1", "-ffp-contract=off", "-o"])
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .expect("cc runs");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}\n{text}");
    let run = Command::new(&binary).output().expect("the program runs");
    assert!(run.status.success(), "{run:?}");
    let output = String::from_utf8(run.stdout).expect("text");
    let bits = |l: &str| u64::from_str_radix(l, 16).expect("bits");
    output.lines().map(|l| f64::from_bits(bits(l))).collect()
}

/// `main` that runs the calls on slots that begin as given, and prints the bits of all slots after each.
fn main_of(slots: &[f64], calls: &[String]) -> String {
    let values: Vec<String> = slots.iter().map(|&x| literal(x)).collect();
    let n = slots.len();
    let mut out = format!(
        "#include <stdio.h>\n#include <string.h>\n\nstatic const double start[{n}] = {{{}}};\n\n\
         int main(void)\n{{\n    double s[{n}];\n    int i, e;\n",
        values.join(", ")
    );
    for call in calls {
        let _ = write!(
            out,
            "    memcpy(s, start, sizeof s);\n    e = {call}(s);\n    if (e) return e;\n    \
             for (i = 0; i < {n}; i++) {{ unsigned long long b; memcpy(&b, &s[i], 8); printf(\"%llx\\n\", b); }}\n"
        );
    }
    out + "    return 0;\n}\n"
}

fn same(x: f64, y: f64) -> bool {
    // Which zero `fmin(0.0, -0.0)` gives is open in C.
    x == y || (x.is_nan() && y.is_nan())
}

/// Random kernels, written out and as loops over a table.
#[needs("cc")]
#[test]
fn kernels_equal_interpreter() {
    const PER_ROW: usize = OPERANDS + 2;
    const ROWS: usize = 6;
    let mut random = Random(11);
    let mut kernels = Kernels::default();
    let mut programs = Vec::new();
    for round in 0..80 {
        let kernel = random_kernel(&mut random, false);
        let mut program = Program::default();
        for r in 0..[1, 2, ROWS][round % 3] {
            let base = (r * PER_ROW) as u32;
            let operands: Vec<u32> = (0..kernel.loads).map(|k| base + k).collect();
            let results = [base + OPERANDS as u32, base + OPERANDS as u32 + 1];
            let row = kernels.add_row(kernel.clone(), &operands, &results);
            program.push_row(row.kernel, kernels.row(row), true);
        }
        programs.push(program);
    }
    let start: Vec<f64> = (0..ROWS * PER_ROW).map(|_| random.real()).collect();
    let (functions, systems) = (Functions::default(), PrimaryMap::new());
    let mut unit = CUnit::new(&kernels, &functions, &systems, Values::default(), "t");
    let mut calls = Vec::new();
    for (k, program) in programs.iter().enumerate() {
        unit.program(&format!("p{k}"), program).expect("emits");
        calls.push(format!("t_p{k}"));
    }
    unit.raw(&main_of(&start, &calls));
    let values = run_c("kernels", &unit.finish());
    assert_eq!(values.len(), start.len() * programs.len());
    for (program, from_c) in programs.iter().zip(values.chunks(start.len())) {
        let mut slots = start.clone();
        interpret(&kernels, program, &mut slots);
        for (x, y) in slots.iter().zip(from_c) {
            assert!(same(*x, *y), "interpreter {x}, C {y}");
        }
    }
}

fn variable(m: &mut CausalModel, name: &str, kind: Kind, start: f64) -> (VarId, ExprId) {
    let mut var = Variable::new(name, Ty::Real, Variability::Continuous);
    var.start = Some(m.exprs.real(start));
    let partner = None;
    let v = m.vars.push(CausalVar { var, kind, partner });
    (v, m.exprs.var(v, Ty::Real))
}

/// der(x) = poly(y) + a + b where y³ + y = x, 2a + b = x and a − b = y; `poly` is Horner's rule in a loop over an
/// array that returns early for x < −5.
fn model() -> Arc<CompiledModel> {
    let mut m = CausalModel::default();
    let a = &mut m.exprs;
    // Slots of the function: x, y, i, c[4] from slot 3.
    let local = |a: &mut ExprArena, k, ty| a.intern(Expr::Local(k), ty);
    let (x, y, i) = (
        local(a, 0, Ty::Real),
        local(a, 1, Ty::Real),
        local(a, 2, Ty::Integer),
    );
    let mut body = Vec::new();
    let low = a.real(-5.0);
    let early = a.binary(BinaryOp::Lt, x, low);
    body.push(Stmt::If(early, vec![Stmt::Return], vec![]));
    for k in 0..4 {
        let (index, value) = (a.int(k), a.real(k as f64 + 1.5));
        body.push(Stmt::Store(3, 4, index, value));
    }
    let (three, zero, minus_one) = (a.int(3), a.int(0), a.int(-1));
    body.push(Stmt::Assign(2, three));
    let more = a.binary(BinaryOp::Ge, i, zero);
    let element = a.intern(Expr::Load(3, 4, i), Ty::Real);
    let xy = a.mul(x, y);
    let (next, down) = (a.add(xy, element), a.add(i, minus_one));
    body.push(Stmt::While(
        more,
        vec![Stmt::Assign(1, next), Stmt::Assign(2, down)],
    ));
    let slot = |name: &str| Slot {
        name: name.to_string(),
        ty: Ty::Real,
    };
    let f = m.functions.push(Function {
        name: "poly".to_string(),
        slots: ["x", "y", "i", "c1", "c2", "c3", "c4"].map(slot).to_vec(),
        inputs: 1,
        outputs: 1,
        body: FunctionBody::Code(body),
        pure: true,
        derivatives: vec![],
        span: Span::NONE,
    });
    let (x, ex) = variable(&mut m, "x", Kind::State, 2.0);
    let (dx, edx) = variable(&mut m, "der(x)", Kind::Derivative, 0.0);
    let (y, ey) = variable(&mut m, "y", Kind::Algebraic, 0.5);
    let (va, ea) = variable(&mut m, "a", Kind::Algebraic, 0.0);
    let (vb, eb) = variable(&mut m, "b", Kind::Algebraic, 0.0);
    m.states.push(x);
    m.derivatives.push(dx);
    let e = &mut m.exprs;
    let (one, two, minus_one, three) = (e.real(1.0), e.real(2.0), e.real(-1.0), e.real(3.0));
    let cube = e.binary(BinaryOp::Pow, ey, three);
    let left = e.add(cube, ey);
    let residual = e.sub(left, ex);
    let square = e.mul(ey, ey);
    let slope = e.mul(three, square);
    let slope = e.add(slope, one);
    let call = e.call(f, &[ey], Ty::Real);
    let ab = e.add(ea, eb);
    let rate = e.add(call, ab);
    let mut equation = |lhs, rhs, unknown| {
        m.equations.push(DaeEquation {
            lhs,
            rhs,
            span: Span::NONE,
            component: 0,
            unknown,
            continuous: true,
        });
    };
    equation(left, ex, y);
    equation(ea, ey, va);
    equation(eb, ey, vb);
    equation(edx, rate, dx);
    m.blocks.push(Block::Nonlinear(Box::new(NonlinearBlock {
        unknowns: vec![y],
        inner: vec![],
        residuals: vec![residual],
        jacobian: Some(vec![(0, 0, slope)]),
        jacobian_inner: vec![],
        equations: vec![0],
        other: None,
    })));
    m.blocks.push(Block::Linear(Box::new(LinearBlock {
        unknowns: vec![va, vb],
        matrix: vec![(0, 0, two), (1, 0, one), (0, 1, one), (1, 1, minus_one)],
        rhs: vec![ex, ey],
        constant: true,
        then: vec![],
        equations: vec![1, 2],
    })));
    m.blocks.push(Block::Assign(Assign {
        var: dx,
        expr: rate,
        equation: 3,
    }));
    m.continuous = vec![true; 3];
    let options = CompileOptions {
        form: Form::Ode,
        ..CompileOptions::default()
    };
    Arc::new(compile(m, &options).expect("compiles"))
}

/// A function with a loop, a nonlinear and a linear system.
#[needs("cc")]
#[test]
fn functions_and_systems_equal_interpreter() {
    let model = model();
    let mut evaluator = Evaluator::new(model.clone());
    evaluator.run(&model.rhs_program).expect("runs");
    let mut unit = CUnit::new(
        &model.kernels,
        &model.functions,
        &model.systems,
        Values::of(&model),
        "t",
    );
    unit.program("rhs", &model.rhs_program).expect("emits");
    // The partial derivatives call the derivative of the function.
    let tape = &model.ode_jacobian.as_ref().expect("ODE form").tape;
    evaluator.run(&tape.partials).expect("runs");
    unit.program("partials", &tape.partials).expect("emits");
    unit.raw(
        "static int t_both(double *s) { const int e = t_rhs(s); return e ? e : t_partials(s); }\n",
    );
    unit.raw(&main_of(&model.layout.initial, &["t_both".to_string()]));
    let values = run_c("systems", &unit.finish());
    // y³ + y = 2 at y = 1; poly(1) = 1.5 + 2.5 + 3.5 + 4.5; a = 1, b = 0.
    let expected = [("y", 1.0), ("a", 1.0), ("b", 0.0), ("der(x)", 13.0)];
    for (name, value) in expected {
        let (slot, _) = model.find(name).expect("a variable");
        let (c, r) = (values[slot as usize], evaluator.get(slot));
        assert!((c - value).abs() < 1e-14, "{name} = {c}, not {value}");
        assert!((c - r).abs() < 1e-14, "{name} = {c}, interpreter {r}");
    }
    for (k, (c, r)) in values.iter().zip(&evaluator.slots).enumerate() {
        assert!(
            (c - r).abs() <= 1e-14 * r.abs().max(1.0),
            "slot {k}: {c}, interpreter {r}"
        );
    }
}

/// y³ − 3y + 3 = 0 from y = 1.1, where the branch has ended: the residual is 1 at least as far as y = −1, and no descent leaves the
/// minimum at 1. The root is −(c + 1/c) with c³ = (3 + √5)/2.
#[needs("cc")]
#[test]
fn an_equation_whose_branch_has_ended_is_bracketed() {
    let mut m = CausalModel::default();
    let (x, ex) = variable(&mut m, "x", Kind::State, -3.0);
    let (dx, edx) = variable(&mut m, "der(x)", Kind::Derivative, 0.0);
    let (y, ey) = variable(&mut m, "y", Kind::Algebraic, 1.1);
    m.states.push(x);
    m.derivatives.push(dx);
    let e = &mut m.exprs;
    let three = e.real(3.0);
    let square = e.mul(ey, ey);
    let cube = e.mul(square, ey);
    let straight = e.mul(three, ey);
    let left = e.sub(cube, straight);
    let residual = e.sub(left, ex);
    let slope = e.mul(three, square);
    let slope = e.sub(slope, three);
    for (lhs, rhs, unknown) in [(left, ex, y), (edx, ey, dx)] {
        m.equations.push(DaeEquation {
            lhs,
            rhs,
            span: Span::NONE,
            component: 0,
            unknown,
            continuous: true,
        });
    }
    m.blocks.push(Block::Nonlinear(Box::new(NonlinearBlock {
        unknowns: vec![y],
        inner: vec![],
        residuals: vec![residual],
        jacobian: Some(vec![(0, 0, slope)]),
        jacobian_inner: vec![],
        equations: vec![0],
        other: None,
    })));
    m.blocks.push(Block::Assign(Assign {
        var: dx,
        expr: ey,
        equation: 1,
    }));
    m.continuous = vec![true; 2];
    let options = CompileOptions {
        form: Form::Ode,
        ..CompileOptions::default()
    };
    let model = compile(m, &options).expect("compiles");
    let mut unit = CUnit::new(
        &model.kernels,
        &model.functions,
        &model.systems,
        Values::of(&model),
        "t",
    );
    unit.program("rhs", &model.rhs_program).expect("emits");
    let mut slots = model.layout.initial.clone();
    let (slot, _) = model.find("y").expect("a variable");
    slots[slot as usize] = 1.1;
    unit.raw(&main_of(&slots, &["t_rhs".to_string()]));
    let values = run_c("bracket", &unit.finish());
    let c = ((3.0 + 5f64.sqrt()) / 2.0).cbrt();
    let root = -(c + 1.0 / c);
    let found = values[slot as usize];
    assert!((found - root).abs() < 1e-14 * root.abs(), "{found} {root}");
}
