//! A loop without end notices that the user wants to stop, in machine code too: not only when it is taken to be endless.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ferrica_codegen::function::{Code, FunctionCode, Inst};
use ferrica_codegen::interpreter::{Functions, run_callee, stop_when};
use ferrica_codegen::jit::function::{Kind, compile};
use ferrica_codegen::kernel::{Bin, Callee};
use ferrica_codegen::natives::Natives;
use ferrica_codegen::runtime::Runtime;

fn endless() -> FunctionCode {
    FunctionCode {
        name: "f".to_string(),
        inputs: 1,
        outputs: 1,
        frame: 2,
        code: Code::Insts(vec![Inst::Binary(Bin::Add, 1, 1, 0), Inst::Jump(0)]),
        table: Default::default(),
        derivatives: Vec::new(),
        input_names: vec!["x".to_string()],
        real_inputs: vec![true],
        is_remembered: false,
    }
}

#[test]
fn a_loop_ends_when_the_user_wants_to_stop() {
    stop_when(Arc::new(AtomicBool::new(true)));
    for machine in [false, true] {
        let functions = Functions::new(vec![endless()], Natives::default());
        if machine {
            compile(&functions.codes, &functions.machine, 0, Kind::Value).unwrap();
            assert!(functions.machine.is_ready(0, Kind::Value));
        }
        let mut rt = Runtime::default();
        let error = run_callee(
            &functions,
            &mut rt,
            Callee::Function(0),
            &[1.0],
            &mut Vec::new(),
        );
        let error = error.unwrap_err();
        assert!(error.contains("interrupted in function `f`"), "{error}");
    }
}
