//! Bytecode interpreter for function bodies, on plain or dual numbers.
//!
//! In: function number, arguments. Out: outputs, or the message of a failed assertion. Dual numbers
//! go through `Code` bodies exactly; an external function is differentiated by its `derivative`
//! annotation where it has one, else by central differences.

use crate::function::{Code, FunctionCode, Inst};
use crate::kernel::Callee;
use crate::natives::{NativeCall, Natives};
use crate::number::{Dual, Number};
use crate::runtime::Runtime;

/// Depth at which recursion is taken to be endless.
const MAX_CALL_DEPTH: u32 = 2000;

/// Instructions after which a function is taken to loop for ever.
const MAX_INSTRUCTIONS: u64 = 4_000_000_000;

/// All functions of a model and the natives they may call.
#[derive(Clone, Default)]
pub struct Functions {
    pub codes: Vec<FunctionCode>,
    pub natives: Natives,
}

/// Numbers for which external code can be called.
pub trait Callable: Number {
    fn call_external(
        functions: &Functions,
        rt: &mut Runtime,
        f: u32,
        args: &[Self],
        out: &mut Vec<Self>,
    ) -> Result<(), String>;
}

impl Callable for f64 {
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
        let mut frame = vec![0.0; code.frame as usize];
        frame[..args.len()].copy_from_slice(args);
        run_insts(functions, rt, code, insts, &mut frame)?;
        let Some(native) = functions.natives.get(&call.name) else {
            return Err(format!(
                "function `{}` needs the external function `{}`, which is not available",
                code.name, call.name
            ));
        };
        let mut it = NativeCall {
            frame: &mut frame,
            args: &call.args,
            rt,
            result: 0.0,
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
    }
}

impl Callable for Dual {
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
    if rt.depth >= MAX_CALL_DEPTH {
        return Err(format!("function `{}` calls itself without end", code.name));
    }
    rt.depth += 1;
    let done = match &code.code {
        Code::Insts(insts) => {
            let mut frame = vec![N::default(); code.frame as usize];
            let (i, o) = (code.inputs as usize, code.outputs as usize);
            frame[..i].copy_from_slice(&args[..i]);
            run_insts(functions, rt, code, insts, &mut frame).map(|()| {
                out.clear();
                out.extend_from_slice(&frame[i..i + o]);
            })
        }
        Code::External(..) => {
            N::call_external(functions, rt, f, &args[..code.inputs as usize], out)
        }
        Code::Missing(why) => Err(format!("function `{}` cannot be called: {why}", code.name)),
    };
    rt.depth -= 1;
    // The way to the failure, innermost function first.
    done.map_err(|e| {
        if rt.depth == 0 || e.len() > 2000 {
            e
        } else {
            format!("{e}, from `{}`", code.name)
        }
    })
}

/// All partial derivatives of a function, output by output (see [`Callee::Jacobian`]).
pub fn jacobian(
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

fn run_insts<N: Callable>(
    functions: &Functions,
    rt: &mut Runtime,
    code: &FunctionCode,
    insts: &[Inst],
    frame: &mut [N],
) -> Result<(), String> {
    let mut pc = 0usize;
    let mut count = 0u64;
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
            Inst::Store(first, len, i, v) => {
                let i = index(code, frame[*i as usize].value(), *len)?;
                frame[*first as usize + i] = frame[*v as usize];
            }
            Inst::Call(callee, regs, first) => {
                args.clear();
                args.extend(regs.iter().map(|&r| frame[r as usize]));
                match callee {
                    Callee::Function(f) => call(functions, rt, *f, &args, &mut outs)?,
                    Callee::Text(op) => {
                        let values: Vec<f64> = args.iter().map(|a| a.value()).collect();
                        outs.clear();
                        outs.push(N::constant(rt.text_op(*op, &values)));
                    }
                    Callee::Jacobian(f) => {
                        let values: Vec<f64> = args.iter().map(|a| a.value()).collect();
                        let mut slopes = Vec::new();
                        jacobian(functions, rt, *f, &values, &mut slopes)?;
                        outs.clear();
                        outs.extend(slopes.into_iter().map(N::constant));
                    }
                }
                frame[*first as usize..][..outs.len()].copy_from_slice(&outs);
            }
            Inst::Jump(to) => {
                if (*to as usize) < pc {
                    count += (pc - *to as usize) as u64;
                    if count > MAX_INSTRUCTIONS {
                        return Err(format!("function `{}` loops without end", code.name));
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
                let text = rt.text(frame[*message as usize].value()).to_string();
                let text = format!("assertion in function `{}` failed: {text}", code.name);
                if *is_error {
                    return Err(text + &arguments_text(code, frame));
                }
                if !rt.warnings.contains(&text) {
                    rt.warnings.push(text);
                }
            }
            Inst::Return => return Ok(()),
        }
    }
    Ok(())
}

/// The first arguments of a call, for messages. Inputs keep their slots: a function does not assign them.
fn arguments_text<N: Number>(code: &FunctionCode, frame: &[N]) -> String {
    let shown: Vec<String> = code
        .input_names
        .iter()
        .zip(frame)
        .take(6)
        .map(|(name, v)| format!("{name} = {}", v.value()))
        .collect();
    format!(" (called with {})", shown.join(", "))
}

fn index(code: &FunctionCode, i: f64, len: u32) -> Result<usize, String> {
    if i >= 0.0 && i < f64::from(len) {
        Ok(i as usize)
    } else {
        Err(format!(
            "function `{}`: array index {} is outside of 1..{len}",
            code.name,
            i + 1.0
        ))
    }
}
