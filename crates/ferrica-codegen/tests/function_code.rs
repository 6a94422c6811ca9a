//! Machine code and derivative code of random function bodies against the interpreter on plain and dual numbers.

mod random;

use std::sync::Arc;

use ferrica_codegen::forward::forward;
use ferrica_codegen::function::{Code, FunctionCode, Inst};
use ferrica_codegen::interpreter::{Functions, call, run_callee};
use ferrica_codegen::jit::function::{Kind, compile};
use ferrica_codegen::kernel::{Bin, Callee, Reg, Un};
use ferrica_codegen::natives::Natives;
use ferrica_codegen::number::Dual;
use ferrica_codegen::runtime::Runtime;
use ferrica_ir::expr::Builtin as B;
use random::Random;

const INPUTS: u32 = 3;
const OUTPUTS: u32 = 2;
/// An array of four after inputs and outputs.
const ARRAY: Reg = INPUTS + OUTPUTS;
const SLOTS: u32 = ARRAY + 4;

struct Builder<'a> {
    random: &'a mut Random,
    insts: Vec<Inst>,
    /// Registers that have a value here.
    known: Vec<Reg>,
    next: Reg,
    callees: u32,
}

impl Builder<'_> {
    fn any(&mut self) -> Reg {
        self.known[self.random.below(self.known.len())]
    }

    fn temp(&mut self) -> Reg {
        self.next += 1;
        self.next - 1
    }

    fn value(&mut self) {
        let (a, b, c) = (self.any(), self.any(), self.any());
        let d = self.temp();
        let unary = [
            Un::Neg,
            Un::Not,
            Un::Math(B::Sin),
            Un::Math(B::Cos),
            Un::Math(B::Atan),
            Un::Math(B::Tanh),
            Un::Math(B::Sqrt),
            Un::Math(B::Abs),
            Un::Math(B::Exp),
            Un::Math(B::Floor),
        ];
        let binary = [
            Bin::Add,
            Bin::Sub,
            Bin::Mul,
            Bin::Div,
            Bin::Pow,
            Bin::Lt,
            Bin::Math(B::Min),
            Bin::Math(B::Max),
            Bin::Math(B::Atan2),
            Bin::Math(B::Mod),
        ];
        let inst = match self.random.below(8) {
            0 | 1 => Inst::Unary(unary[self.random.below(unary.len())], d, a),
            2..=4 => Inst::Binary(binary[self.random.below(binary.len())], d, a, b),
            5 => Inst::Select(d, c, a, b),
            6 => Inst::PowI(d, a, self.random.below(9) as i32 - 3),
            _ => Inst::Const(d, self.random.real()),
        };
        self.insts.push(inst);
        self.known.push(d);
    }

    /// An index from 0 to 3.
    fn index(&mut self) -> Reg {
        let r = self.temp();
        self.insts.push(Inst::Const(r, self.random.below(4) as f64));
        r
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..3 + self.random.below(4) {
            for _ in 0..self.random.below(4) {
                self.value();
            }
            match self.random.below(6) {
                0 => {
                    let (i, v) = (self.index(), self.any());
                    self.insts.push(Inst::Store(ARRAY, 4, i, v));
                }
                1 => {
                    let (i, d) = (self.index(), self.temp());
                    self.insts.push(Inst::Load(d, ARRAY, 4, i));
                    self.known.push(d);
                }
                2 if depth < 2 => self.branch(depth),
                3 if depth < 2 => self.repeat(depth),
                4 if self.callees > 0 => {
                    let f = self.random.below(self.callees as usize) as u32;
                    // The last input is an integer.
                    let args = [self.any(), self.any(), self.index()];
                    let first = self.next;
                    self.next += OUTPUTS;
                    self.insts
                        .push(Inst::Call(Callee::Function(f), args.into(), first));
                    self.known.extend(first..self.next);
                }
                _ => {
                    let v = self.any();
                    let k = self.random.below(OUTPUTS as usize) as u32;
                    self.insts.push(Inst::Copy(INPUTS + k, v));
                }
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        let (a, b, c) = (self.any(), self.any(), self.temp());
        self.insts.push(Inst::Binary(Bin::Lt, c, a, b));
        let mark = self.known.len();
        let at = self.insts.len();
        self.insts.push(Inst::JumpUnless(c, 0));
        self.statements(depth + 1);
        let end = self.insts.len();
        self.insts.push(Inst::Jump(0));
        self.known.truncate(mark);
        self.insts[at] = Inst::JumpUnless(c, self.insts.len() as u32);
        self.statements(depth + 1);
        self.known.truncate(mark);
        self.insts[end] = Inst::Jump(self.insts.len() as u32);
    }

    /// Three times around.
    fn repeat(&mut self, depth: usize) {
        let (i, one, three, c) = (self.temp(), self.temp(), self.temp(), self.temp());
        self.insts.push(Inst::Const(i, 0.0));
        self.insts.push(Inst::Const(one, 1.0));
        self.insts.push(Inst::Const(three, 3.0));
        let top = self.insts.len() as u32;
        self.insts.push(Inst::Binary(Bin::Lt, c, i, three));
        let at = self.insts.len();
        self.insts.push(Inst::JumpUnless(c, 0));
        let mark = self.known.len();
        self.statements(depth + 1);
        self.known.truncate(mark);
        self.insts.push(Inst::Binary(Bin::Add, i, i, one));
        self.insts.push(Inst::Jump(top));
        self.insts[at] = Inst::JumpUnless(c, self.insts.len() as u32);
    }
}

fn random_function(random: &mut Random, callees: u32) -> FunctionCode {
    let mut b = Builder {
        random,
        insts: Vec::new(),
        known: (0..SLOTS).collect(),
        next: SLOTS,
        callees,
    };
    b.statements(0);
    for k in 0..OUTPUTS {
        let v = b.any();
        b.insts.push(Inst::Copy(INPUTS + k, v));
    }
    b.insts.push(Inst::Return);
    FunctionCode {
        name: format!("f{callees}"),
        inputs: INPUTS,
        outputs: OUTPUTS,
        frame: b.next,
        code: Code::Insts(b.insts),
        table: Default::default(),
        derivatives: Vec::new(),
        input_names: Vec::new(),
        // The last input is an integer: no derivative.
        real_inputs: vec![true, true, false],
        is_remembered: false,
    }
}

fn same(x: f64, y: f64) -> bool {
    x == y || (x.is_nan() && y.is_nan())
}

#[test]
fn machine_and_derivative_code_equal_interpreter() {
    let mut random = Random(5);
    let mut finite = 0;
    for _ in 0..40 {
        let codes: Vec<FunctionCode> = (0..3).map(|k| random_function(&mut random, k)).collect();
        let outputs = |_: u32| OUTPUTS;
        let forwards: Vec<FunctionCode> = codes
            .iter()
            .map(|c| forward(c, &outputs).expect("bytecode"))
            .collect();
        let plain = Functions::new(codes.clone(), Natives::default());
        // The code remembers its calls, the interpreter does not.
        let mut remembering = codes;
        remembering.iter_mut().for_each(|c| c.is_remembered = true);
        let machine = Functions::new(remembering, Natives::default());
        let derived = Functions::new(forwards, Natives::default());
        for f in 0..3 {
            compile(&machine.codes, &machine.machine, f, Kind::Value).expect("compiles");
            compile(&machine.codes, &machine.machine, f, Kind::Tangent).expect("compiles");
            assert!(machine.machine.is_ready(f, Kind::Tangent));
        }
        let mut rt = Runtime::default();
        let mut point = || (0..INPUTS).map(|_| random.real()).collect();
        let points: Vec<Vec<f64>> = (0..4).map(|_| point()).collect();
        for x in points.iter().chain(&points) {
            let dx = [random.real(), random.real(), 0.0];
            let (mut a, mut b) = (Vec::new(), Vec::new());
            call(&plain, &mut rt, 2, x, &mut a).expect("runs");
            call(&machine, &mut rt, 2, x, &mut b).expect("runs");
            for (p, q) in a.iter().zip(&b) {
                assert!(same(*p, *q), "interpreter {p}, machine {q}");
            }
            let duals: Vec<Dual> = (0..3).map(|k| Dual { v: x[k], d: dx[k] }).collect();
            let mut expected = Vec::new();
            call(&plain, &mut rt, 2, &duals, &mut expected).expect("runs");
            let both: Vec<f64> = x.iter().chain(&dx).copied().collect();
            run_callee(&machine, &mut rt, Callee::Tangent(2), &both, &mut b).expect("runs");
            for (k, e) in expected.iter().enumerate() {
                let slope = b[OUTPUTS as usize + k];
                assert!(
                    same(e.v, b[k]),
                    "value: interpreter {}, machine {}",
                    e.v,
                    b[k]
                );
                assert!(
                    same(e.d, slope),
                    "slope: interpreter {}, machine {slope}",
                    e.d
                );
                finite += usize::from(e.d.is_finite() && e.d != 0.0);
            }
            // The derivative code by the interpreter; only of functions without calls, which would need each other.
            call(&derived, &mut rt, 0, &both, &mut b).expect("runs");
            call(&plain, &mut rt, 0, &duals, &mut expected).expect("runs");
            for (k, e) in expected.iter().enumerate() {
                assert!(same(e.v, b[k]) && same(e.d, b[OUTPUTS as usize + k]));
            }
        }
    }
    assert!(finite > 40, "only {finite} slopes to compare");
}

/// A failed assertion in a called function: the same text from machine code as from the interpreter.
#[test]
fn failures_tell_the_same() {
    let function = |name: &str, insts: Vec<Inst>| FunctionCode {
        name: name.to_string(),
        inputs: 1,
        outputs: 1,
        frame: 4,
        code: Code::Insts(insts),
        table: Default::default(),
        derivatives: Vec::new(),
        input_names: vec!["x".to_string()],
        real_inputs: vec![true],
        is_remembered: false,
    };
    let inner = vec![
        Inst::Const(2, 0.0),
        Inst::Binary(Bin::Lt, 3, 0, 2),
        Inst::JumpUnless(3, 4),
        Inst::Fail(2, true),
        Inst::Copy(1, 0),
    ];
    let outer = vec![
        Inst::Call(Callee::Function(0), [0].into(), 2),
        Inst::Load(1, 2, 1, 2),
    ];
    let codes = vec![function("inner", inner), function("outer", outer)];
    let plain = Functions::new(codes.clone(), Natives::default());
    let machine = Functions::new(codes, Natives::default());
    compile(&machine.codes, &machine.machine, 1, Kind::Value).expect("compiles");
    let mut rt = Runtime::new([Arc::from("x is negative")].into_iter(), Vec::new().into());
    for x in [-1.0, 3.0, 0.0] {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let first = call(&plain, &mut rt, 1, &[x], &mut a);
        let second = call(&machine, &mut rt, 1, &[x], &mut b);
        assert_eq!(first, second);
        assert_eq!(first.is_err(), x != 0.0);
    }
}
