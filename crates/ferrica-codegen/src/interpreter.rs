//! Bytecode interpreter for function bodies, on plain or dual numbers.
//!
//! In: function number, arguments. Out: outputs, or the message of a failed assertion. Dual numbers
//! go through `Code` bodies exactly; an external function is differentiated by its `derivative`
//! annotation where it has one, else by central differences.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ferrica_ir::function::outside;

use crate::function::{Code, FunctionCode, Inst};
use crate::jit;
use crate::jit::function::{FunctionTable, Kind};
use crate::kernel::Callee;
use crate::natives::{NativeCall, Natives};
use crate::number::{Dual, Number};
use crate::runtime::Runtime;

/// Depth at which recursion is taken to be endless.
const MAX_CALL_DEPTH: u32 = 2000;

/// Instructions after which a function is taken to loop for ever.
const MAX_INSTRUCTIONS: u64 = 4_000_000_000;

/// Instructions between two looks at whether the user wants to stop.
const INSTRUCTIONS_PER_LOOK: u64 = 1 << 22;

/// What an interrupt of the process sets.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Loops of functions end, with an error, once the flag is set. The first flag counts.
pub fn stop_when(flag: Arc<AtomicBool>) {
    let _ = STOP.set(flag);
}

/// Is the flag set?
pub fn is_interrupted() -> bool {
    STOP.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// All functions of a model and the natives they may call.
#[derive(Clone, Default)]
pub struct Functions {
    pub codes: Arc<[FunctionCode]>,
    pub natives: Natives,
    /// Machine code of those that worked much.
    pub machine: Arc<FunctionTable>,
}

impl Functions {
    pub fn new(mut codes: Vec<FunctionCode>, natives: Natives) -> Functions {
        for code in &mut codes {
            if let Code::External(_, call) = &mut code.code {
                call.native = natives.get(&call.name).cloned();
            }
        }
        Functions {
            machine: Arc::new(FunctionTable::new(codes.len())),
            codes: codes.into(),
            natives,
        }
    }
}

/// Numbers for which external code can be called.
pub trait Callable: Number {
    /// Which machine code computes on these numbers.
    const KIND: Kind;

    /// Runs a function as machine code, if there is some.
    fn call_machine(
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        args: &[Self],
        out: &mut Vec<Self>,
    ) -> Option<Result<(), String>>;

    fn call_external(
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        args: &[Self],
        out: &mut Vec<Self>,
    ) -> Result<(), String>;

    /// Are the results known from a call before? See [`crate::memo`].
    fn recall(_rt: &mut Runtime, _f: u32, _args: &[Self], _out: &mut Vec<Self>, _n: u32) -> bool {
        false
    }

    fn keep(_rt: &mut Runtime, _f: u32, _args: &[Self], _out: &[Self]) {}
}

impl Callable for f64 {
    const KIND: Kind = Kind::Value;

    fn recall(rt: &mut Runtime, f: u32, args: &[f64], out: &mut Vec<f64>, n: u32) -> bool {
        out.clear();
        out.resize(n as usize, 0.0);
        rt.memo.recall(f, args, out)
    }

    fn keep(rt: &mut Runtime, f: u32, args: &[f64], out: &[f64]) {
        rt.memo.keep(f, args, out);
    }

    fn call_machine(
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        args: &[f64],
        out: &mut Vec<f64>,
    ) -> Option<Result<(), String>> {
        out.clear();
        out.resize(functions.codes[f as usize].outputs as usize, 0.0);
        functions
            .machine
            .run(functions, rt, f, Kind::Value, args, out)
    }

    fn call_external(
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        args: &[f64],
        out: &mut Vec<f64>,
    ) -> Result<(), String> {
        let code = &functions.codes[f as usize];
        let Code::External(insts, call) = &code.code else {
            return Err(format!("function `{}` is not external", code.name));
        };
        let Some(native) = &call.native else {
            return Err(format!(
                "function `{}` calls `{}`, external C code of the user's libraries, which is run only with --allow-external",
                code.name, call.name
            ));
        };
        with_frame(code.frame, |frame| {
            frame[..args.len()].copy_from_slice(args);
            run_insts(functions, rt, code, insts, frame)?;
            let mut it = NativeCall {
                frame,
                args: &call.args,
                rt,
                result: 0.0,
                result_slot: call.result.map_or(0, |r| r.0),
            };
            native(&mut it).map_err(|e| format!("function `{}`: {e}", code.name))?;
            let result = it.result;
            if let Some((slot, _)) = call.result {
                frame[slot as usize] = result;
            }
            let (i, o) = (code.inputs as usize, code.outputs as usize);
            out.clear();
            out.extend_from_slice(&frame[i..i + o]);
            Ok(())
        })
    }
}

impl Callable for Dual {
    const KIND: Kind = Kind::Tangent;

    fn call_machine(
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        args: &[Dual],
        out: &mut Vec<Dual>,
    ) -> Option<Result<(), String>> {
        if !functions.machine.is_ready(f, Kind::Tangent) {
            return None;
        }
        let (n, m) = (args.len(), functions.codes[f as usize].outputs as usize);
        let mut numbers = vec![0.0; 2 * (n + m)];
        let (x, y) = numbers.split_at_mut(2 * n);
        for (k, a) in args.iter().enumerate() {
            (x[k], x[n + k]) = (a.v, a.d);
        }
        let done = functions
            .machine
            .run(functions, rt, f, Kind::Tangent, x, y)?;
        out.clear();
        out.extend((0..m).map(|k| Dual {
            v: y[k],
            d: y[m + k],
        }));
        Some(done)
    }

    fn call_external(
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        args: &[Dual],
        out: &mut Vec<Dual>,
    ) -> Result<(), String> {
        let code = &functions.codes[f as usize];
        let mut values: Vec<f64> = args.iter().map(|a| a.v).collect();
        let mut at = Vec::new();
        call(functions, rt, f, &values, &mut at)?;
        out.clear();
        out.extend(at.iter().map(|&v| Dual { v, d: 0.0 }));
        if args.iter().all(|a| a.d == 0.0) {
            return Ok(());
        }
        let rule = code.derivatives.iter().find(|rule| {
            rule.zero.iter().all(|&k| args[k as usize].d == 0.0)
                && args
                    .iter()
                    .enumerate()
                    .all(|(k, a)| a.d == 0.0 || rule.with_respect_to.contains(&(k as u32)))
        });
        if let Some(rule) = rule {
            let mut extended = values.clone();
            extended.extend(rule.with_respect_to.iter().map(|&k| args[k as usize].d));
            let mut slopes = Vec::new();
            if call(functions, rt, rule.function, &extended, &mut slopes).is_ok() {
                for (o, s) in out.iter_mut().zip(&slopes) {
                    o.d = *s;
                }
                return Ok(());
            }
        }
        for (k, a) in args.iter().enumerate() {
            if a.d == 0.0 {
                continue;
            }
            let h = f64::EPSILON.cbrt() * a.v.abs().max(1e-3);
            let (mut up, mut down) = (Vec::new(), Vec::new());
            values[k] = a.v + h;
            let right = call(functions, rt, f, &values, &mut up).is_ok();
            values[k] = a.v - h;
            let left = call(functions, rt, f, &values, &mut down).is_ok();
            values[k] = a.v;
            for (j, o) in out.iter_mut().enumerate() {
                let slope = match (left, right) {
                    (true, true) => (up[j] - down[j]) / (2.0 * h),
                    (false, true) => (up[j] - o.v) / h,
                    (true, false) => (o.v - down[j]) / h,
                    (false, false) => 0.0,
                };
                o.d += slope * a.d;
            }
        }
        Ok(())
    }
}

/// Registers of frames that are on the stack: a call of a small function asks for no memory.
const SMALL_FRAME: usize = 32;

/// Lends a frame of so many registers, which are zero.
fn with_frame<N: Number, R>(registers: u32, run: impl FnOnce(&mut [N]) -> R) -> R {
    let n = registers as usize;
    match n <= SMALL_FRAME {
        true => run(&mut [N::default(); SMALL_FRAME][..n]),
        false => run(&mut vec![N::default(); n]),
    }
}

/// Calls a function of the model.
pub fn call<N: Callable>(
    functions: &Functions,
    rt: &mut Runtime,
    f: u32,
    args: &[N],
    out: &mut Vec<N>,
) -> Result<(), String> {
    let Some(code) = functions.codes.get(f as usize) else {
        return Err(format!("function number {f} does not exist"));
    };
    if args.len() < code.inputs as usize {
        return Err(format!(
            "function `{}` is called with too few arguments",
            code.name
        ));
    }
    let inputs = code.inputs as usize;
    if code.is_remembered && N::recall(rt, f, &args[..inputs], out, code.outputs) {
        return Ok(());
    }
    if rt.depth >= MAX_CALL_DEPTH {
        return Err(format!("function `{}` calls itself without end", code.name));
    }
    rt.depth += 1;
    let done = match &code.code {
        Code::Insts(insts) => {
            let (i, o) = (code.inputs as usize, code.outputs as usize);
            match N::call_machine(functions, rt, f, &args[..i], out) {
                Some(done) => done,
                None => with_frame(code.frame, |frame| {
                    frame[..i].copy_from_slice(&args[..i]);
                    let work = run_insts(functions, rt, code, insts, frame)?;
                    out.clear();
                    out.extend_from_slice(&frame[i..i + o]);
                    if functions.machine.count(f, N::KIND, work, insts.len()) {
                        jit::function::request(functions, f, N::KIND);
                    }
                    Ok(())
                }),
            }
        }
        Code::External(..) => {
            N::call_external(functions, rt, f, &args[..code.inputs as usize], out)
        }
        Code::Missing(why) => Err(format!("function `{}` cannot be called: {why}", code.name)),
    };
    rt.depth -= 1;
    if code.is_remembered && done.is_ok() {
        N::keep(rt, f, &args[..inputs], out);
    }
    // The way to the failure, innermost function first.
    done.map_err(|e| {
        if rt.depth == 0 || e.len() > 2000 {
            e
        } else {
            format!("{e}, from `{}`", code.name)
        }
    })
}

/// All partial derivatives of a function, output by output (see [`Callee::Jacobian`]). Where the function fails they are
/// not numbers: what there is to say about it is said by the call for its value.
fn jacobian_or_nan(
    functions: &Functions,
    rt: &mut Runtime,
    f: u32,
    args: &[f64],
    out: &mut Vec<f64>,
) {
    if jacobian(functions, rt, f, args, out).is_err() {
        out.fill(f64::NAN);
    }
}

fn jacobian(
    functions: &Functions,
    rt: &mut Runtime,
    f: u32,
    args: &[f64],
    out: &mut Vec<f64>,
) -> Result<(), String> {
    let code = &functions.codes[f as usize];
    let (n, m) = (args.len(), code.outputs as usize);
    let mut duals: Vec<Dual> = args.iter().map(|&v| Dual { v, d: 0.0 }).collect();
    let mut slopes = Vec::new();
    out.clear();
    out.resize(n * m, 0.0);
    for k in 0..n {
        if !code.real_inputs.get(k).copied().unwrap_or(false) {
            continue;
        }
        duals[k].d = 1.0;
        call(functions, rt, f, &duals, &mut slopes)?;
        duals[k].d = 0.0;
        for (j, s) in slopes.iter().enumerate() {
            out[j * n + k] = s.d;
        }
    }
    Ok(())
}

/// Runs a call of any kind.
pub fn run_callee(
    functions: &Functions,
    rt: &mut Runtime,
    callee: Callee,
    args: &[f64],
    outs: &mut Vec<f64>,
) -> Result<(), String> {
    match callee {
        Callee::Function(f) => call(functions, rt, f, args, outs),
        Callee::Jacobian(f) => {
            jacobian_or_nan(functions, rt, f, args, outs);
            Ok(())
        }
        Callee::Tangent(f) => tangent(functions, rt, f, args, outs),
        Callee::Text(op) => {
            outs.clear();
            outs.push(rt.text_op(op, args));
            Ok(())
        }
    }
}

/// Value and derivative in one direction (see [`Callee::Tangent`]).
fn tangent(
    functions: &Functions,
    rt: &mut Runtime,
    f: u32,
    args: &[f64],
    out: &mut Vec<f64>,
) -> Result<(), String> {
    let (values, slopes) = args.split_at(args.len() / 2);
    let duals: Vec<Dual> = values
        .iter()
        .zip(slopes)
        .map(|(&v, &d)| Dual { v, d })
        .collect();
    let mut results = Vec::new();
    call(functions, rt, f, &duals, &mut results)?;
    out.clear();
    out.extend(results.iter().map(|r| r.v));
    out.extend(results.iter().map(|r| r.d));
    Ok(())
}

fn run_insts<N: Callable>(
    functions: &Functions,
    rt: &mut Runtime,
    code: &FunctionCode,
    insts: &[Inst],
    frame: &mut [N],
) -> Result<u64, String> {
    let mut pc = 0usize;
    let mut count = 0u64;
    let mut next_look = INSTRUCTIONS_PER_LOOK;
    let mut args: Vec<N> = Vec::new();
    let mut outs: Vec<N> = Vec::new();
    while let Some(inst) = insts.get(pc) {
        pc += 1;
        match inst {
            Inst::Const(d, x) => frame[*d as usize] = N::constant(*x),
            Inst::Copy(d, a) => frame[*d as usize] = frame[*a as usize],
            Inst::Unary(op, d, a) => frame[*d as usize] = N::unary(*op, frame[*a as usize]),
            Inst::Binary(op, d, a, b) => {
                frame[*d as usize] = N::binary(*op, frame[*a as usize], frame[*b as usize]);
            }
            Inst::Select(d, c, a, b) => {
                let from = if frame[*c as usize].value() != 0.0 {
                    a
                } else {
                    b
                };
                frame[*d as usize] = frame[*from as usize];
            }
            Inst::PowI(d, a, n) => frame[*d as usize] = N::powi(frame[*a as usize], *n),
            Inst::Load(d, first, len, i) => {
                let i = index(code, frame[*i as usize].value(), *len)?;
                frame[*d as usize] = frame[*first as usize + i];
            }
            Inst::Table(d, first, len, i) => {
                let i = index(code, frame[*i as usize].value(), *len)?;
                frame[*d as usize] = N::constant(code.table[*first as usize + i]);
            }
            Inst::Store(first, len, i, v) => {
                let i = index(code, frame[*i as usize].value(), *len)?;
                frame[*first as usize + i] = frame[*v as usize];
            }
            Inst::Call(callee, regs, first) => {
                args.clear();
                args.extend(regs.iter().map(|&r| frame[r as usize]));
                if let Callee::Function(f) = callee {
                    call(functions, rt, *f, &args, &mut outs)?;
                } else {
                    let values: Vec<f64> = args.iter().map(|a| a.value()).collect();
                    let mut results = Vec::new();
                    run_callee(functions, rt, *callee, &values, &mut results)?;
                    outs.clear();
                    outs.extend(results.into_iter().map(N::constant));
                }
                frame[*first as usize..][..outs.len()].copy_from_slice(&outs);
            }
            Inst::Jump(to) => {
                if (*to as usize) < pc {
                    count += (pc - *to as usize) as u64;
                    if count > next_look {
                        next_look = count + INSTRUCTIONS_PER_LOOK;
                        look_at_loop(code, count > MAX_INSTRUCTIONS)?;
                    }
                }
                pc = *to as usize;
            }
            Inst::JumpUnless(c, to) => {
                if frame[*c as usize].value() == 0.0 {
                    pc = *to as usize;
                }
            }
            Inst::Fail(message, is_error) => {
                let message = frame[*message as usize].value();
                let inputs: Vec<f64> = frame[..code.inputs as usize]
                    .iter()
                    .map(|x| x.value())
                    .collect();
                fail(code, rt, message, *is_error, &inputs)?;
            }
            Inst::Return => break,
        }
    }
    Ok(count + insts.len() as u64)
}

/// An assertion failed: the error, or a warning that is kept. Inputs keep their slots: a function does not assign them.
pub fn fail(
    code: &FunctionCode,
    rt: &mut Runtime,
    message: f64,
    is_error: bool,
    inputs: &[f64],
) -> Result<(), String> {
    let text = rt.text(message);
    let text = format!("assertion in function `{}` failed: {text}", code.name);
    if is_error {
        let shown: Vec<String> = code
            .input_names
            .iter()
            .zip(inputs)
            .take(6)
            .map(|(name, v)| format!("{name} = {v}"))
            .collect();
        return Err(format!("{text} (called with {})", shown.join(", ")));
    }
    if !rt.warnings.contains(&text) {
        rt.warnings.push(text);
    }
    Ok(())
}

/// May a loop go on? Not if the user wants to stop, nor if it has done too much.
pub fn look_at_loop(code: &FunctionCode, is_too_much: bool) -> Result<(), String> {
    if is_too_much {
        return Err(format!("function `{}` loops without end", code.name));
    }
    if is_interrupted() {
        return Err(format!("interrupted in function `{}`", code.name));
    }
    Ok(())
}

pub fn index_error(code: &FunctionCode, i: f64, len: u32) -> String {
    let name = &code.name;
    match outside::decode(i) {
        Some((dimension, subscript)) => format!(
            "function `{name}`: the subscript {subscript} of dimension {} is outside of the array, which has {len} elements",
            dimension + 1
        ),
        None => format!(
            "function `{name}`: array index {} is outside of 1..{len}",
            i + 1.0
        ),
    }
}

fn index(code: &FunctionCode, i: f64, len: u32) -> Result<usize, String> {
    if i >= 0.0 && i < f64::from(len) {
        Ok(i as usize)
    } else {
        Err(index_error(code, i, len))
    }
}
