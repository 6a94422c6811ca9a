//! What machine code of functions calls with its context: other functions by the interpreter, and failures.

use cranelift_codegen::ir::{self, types};

use crate::interpreter::{Functions, index_error, look_at_loop, run_callee};
use crate::kernel::{Callee, TextOp};
use crate::runtime::Runtime;

/// Rounds of loops in one call after which a function is taken to loop for ever.
const MAX_ROUNDS: i64 = 400_000_000;

/// What machine code hands back when it calls out.
pub struct Context<'a> {
    functions: &'a Functions,
    rt: &'a mut Runtime,
    error: String,
}

impl Context<'_> {
    /// Runs code that takes a context: its status 0, or the error that it left.
    #[inline]
    pub(super) fn run(
        functions: &Functions,
        rt: &mut Runtime,
        code: impl FnOnce(*mut Context<'_>) -> i32,
    ) -> Result<(), String> {
        let mut context = Context {
            functions,
            rt,
            error: String::new(),
        };
        match code(&mut context) {
            0 => Ok(()),
            _ => Err(context.error),
        }
    }
}

/// Functions that code of functions calls with its context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Outcall {
    /// Any callee, by the interpreter.
    Call,
    Fail,
    Index,
    /// A loop has gone round many times.
    Look,
    Trace,
    /// Results that are known from a call before: 1 if they are.
    Recall,
    Keep,
}

impl Outcall {
    pub(super) fn signature(self, pointer: ir::Type) -> (Vec<ir::Type>, ir::Type) {
        let (int, real) = (types::I64, types::F64);
        let params = match self {
            Outcall::Call => vec![pointer, int, int, pointer, int, pointer, int],
            Outcall::Fail => vec![pointer, int, real, int, pointer],
            Outcall::Index => vec![pointer, int, real, real],
            Outcall::Look => vec![pointer, int, int],
            Outcall::Trace => vec![pointer, int],
            Outcall::Recall | Outcall::Keep => vec![pointer, int, pointer, pointer],
        };
        (params, types::I32)
    }
}

pub(super) fn outcalls() -> [(Outcall, *const u8); 7] {
    [
        (Outcall::Call, out_call as *const u8),
        (Outcall::Fail, out_fail as *const u8),
        (Outcall::Index, out_index as *const u8),
        (Outcall::Look, out_look as *const u8),
        (Outcall::Trace, out_trace as *const u8),
        (Outcall::Recall, out_recall as *const u8),
        (Outcall::Keep, out_keep as *const u8),
    ]
}

/// Operations on strings without a number of their own, in the order of their codes.
const TEXT: [TextOp; 11] = [
    TextOp::Concat,
    TextOp::FromReal,
    TextOp::FromInteger,
    TextOp::FromBoolean,
    TextOp::FromDigits,
    TextOp::Pad,
    TextOp::FromFormat,
    TextOp::Lt,
    TextOp::Le,
    TextOp::Gt,
    TextOp::Ge,
];

pub(super) fn encode(callee: Callee) -> (i64, i64) {
    match callee {
        Callee::Function(g) => (0, i64::from(g)),
        Callee::Jacobian(g) => (1, i64::from(g)),
        Callee::Tangent(g) => (2, i64::from(g)),
        Callee::Text(TextOp::FromEnum(e)) => (3, i64::from(e)),
        Callee::Text(op) => (4, TEXT.iter().position(|&t| t == op).unwrap_or(0) as i64),
    }
}

fn decode(kind: i64, number: i64) -> Callee {
    let g = number as u32;
    match kind {
        0 => Callee::Function(g),
        1 => Callee::Jacobian(g),
        2 => Callee::Tangent(g),
        3 => Callee::Text(TextOp::FromEnum(g)),
        _ => Callee::Text(TEXT[(number as usize).min(TEXT.len() - 1)]),
    }
}

/// # Safety
/// `context` is the context of the running code; `x` and `y` point to `n` and `m` numbers.
unsafe extern "C" fn out_call(
    context: *mut Context<'_>,
    kind: i64,
    number: i64,
    x: *const f64,
    n: i64,
    y: *mut f64,
    m: i64,
) -> i32 {
    // SAFETY: by the contract above; the stack slots of arguments and outputs do not overlap.
    let (context, x, y) = unsafe {
        (
            &mut *context,
            std::slice::from_raw_parts(x, n as usize),
            std::slice::from_raw_parts_mut(y, m as usize),
        )
    };
    let mut outs = std::mem::take(&mut context.rt.outputs);
    let done = run_callee(
        context.functions,
        context.rt,
        decode(kind, number),
        x,
        &mut outs,
    );
    let status = match done {
        Ok(()) => {
            let k = y.len().min(outs.len());
            y[..k].copy_from_slice(&outs[..k]);
            y[k..].fill(0.0);
            0
        }
        Err(e) => {
            context.error = e;
            1
        }
    };
    context.rt.outputs = outs;
    status
}

/// # Safety
/// `context` is the context of the running code, `x` points to the inputs of function `f`.
unsafe extern "C" fn out_fail(
    context: *mut Context<'_>,
    f: i64,
    message: f64,
    is_error: i64,
    x: *const f64,
) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    let code = &context.functions.codes[f as usize];
    // SAFETY: by the contract above the function has so many inputs.
    let inputs = unsafe { std::slice::from_raw_parts(x, code.inputs as usize) };
    match crate::interpreter::fail(code, context.rt, message, is_error != 0, inputs) {
        Ok(()) => 0,
        Err(e) => {
            context.error = e;
            1
        }
    }
}

/// # Safety
/// `context` is the context of the running code.
unsafe extern "C" fn out_index(context: *mut Context<'_>, f: i64, i: f64, len: f64) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    context.error = index_error(&context.functions.codes[f as usize], i, len as u32);
    1
}

/// # Safety
/// `context` is the context of the running code.
unsafe extern "C" fn out_look(context: *mut Context<'_>, f: i64, rounds: i64) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    match look_at_loop(&context.functions.codes[f as usize], rounds > MAX_ROUNDS) {
        Ok(()) => 0,
        Err(e) => {
            context.error = e;
            1
        }
    }
}

/// Adds a function to the way to a failure.
///
/// # Safety
/// `context` is the context of the running code.
unsafe extern "C" fn out_trace(context: *mut Context<'_>, f: i64) -> i32 {
    // SAFETY: by the contract above.
    let context = unsafe { &mut *context };
    if context.error.len() <= 2000 {
        let name = &context.functions.codes[f as usize].name;
        context.error.push_str(&format!(", from `{name}`"));
    }
    1
}

/// # Safety
/// `context` is the context of the running code; `x` and `y` point to the inputs and outputs of function `f`.
unsafe extern "C" fn out_recall(
    context: *mut Context<'_>,
    f: i64,
    x: *const f64,
    y: *mut f64,
) -> i32 {
    // SAFETY: by the contract above; the stack slots of arguments and outputs do not overlap.
    let (context, x, y) = unsafe {
        let context = &mut *context;
        let code = &context.functions.codes[f as usize];
        let x = std::slice::from_raw_parts(x, code.inputs as usize);
        let y = std::slice::from_raw_parts_mut(y, code.outputs as usize);
        (context, x, y)
    };
    i32::from(context.rt.memo.recall(f as u32, x, y))
}

/// # Safety
/// As for [`out_recall`].
unsafe extern "C" fn out_keep(
    context: *mut Context<'_>,
    f: i64,
    x: *const f64,
    y: *const f64,
) -> i32 {
    // SAFETY: by the contract above.
    let (context, x, y) = unsafe {
        let context = &mut *context;
        let code = &context.functions.codes[f as usize];
        let x = std::slice::from_raw_parts(x, code.inputs as usize);
        let y = std::slice::from_raw_parts(y, code.outputs as usize);
        (context, x, y)
    };
    context.rt.memo.keep(f as u32, x, y);
    0
}
