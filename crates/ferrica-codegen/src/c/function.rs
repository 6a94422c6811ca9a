//! Function bodies as C: `static int PREFIX_f5(const double *x, double *y)`, inputs to outputs.
//!
//! Registers are elements of two local arrays: `v` for those that only constants index, which a C compiler keeps in
//! machine registers, and `d` for arrays that are indexed at run time.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::expression::literal;
use super::{CUnit, Progress};
use crate::function::{Code, ExternalCall, Inst, NativeArg};
use crate::kernel::{Callee, Reg};

/// Names of registers.
struct Frame {
    /// Runs of registers that are indexed at run time: first, end, place in `d`.
    runs: Vec<(Reg, Reg, u32)>,
    scalars: u32,
    indexed: u32,
}

impl Frame {
    fn new(insts: &[Inst], size: u32) -> Frame {
        let mut runs: Vec<(Reg, Reg)> = insts
            .iter()
            .filter_map(|i| match *i {
                Inst::Load(_, first, len, _) | Inst::Store(first, len, ..) => {
                    Some((first, first + len))
                }
                _ => None,
            })
            .collect();
        runs.sort_unstable();
        let mut merged: Vec<(Reg, Reg, u32)> = Vec::new();
        for (first, end) in runs {
            match merged.last_mut() {
                Some(last) if first < last.1 => last.1 = last.1.max(end),
                _ => merged.push((first, end, 0)),
            }
        }
        let mut indexed = 0;
        for run in &mut merged {
            run.2 = indexed;
            indexed += run.1 - run.0;
        }
        Frame {
            runs: merged,
            scalars: size,
            indexed,
        }
    }

    fn reg(&self, r: Reg) -> String {
        match self.runs.iter().find(|(a, b, _)| (*a..*b).contains(&r)) {
            Some((first, _, at)) => format!("d[{}]", at + r - first),
            None => format!("v[{r}]"),
        }
    }

    /// Address of the first element of an indexed array.
    fn array(&self, first: Reg) -> u32 {
        self.runs
            .iter()
            .find(|(a, b, _)| (*a..*b).contains(&first))
            .map_or(0, |(a, _, at)| at + first - a)
    }
}

impl CUnit<'_> {
    /// Name of the C function of function `f` of the model, emitted if it was not yet.
    pub(super) fn function(&mut self, f: u32) -> Result<String, String> {
        let name = format!("{}_f{f}", self.prefix);
        let functions = self.functions;
        let Some(code) = functions.codes.get(f as usize) else {
            return Err(format!("function number {f} does not exist"));
        };
        match self.function_done.insert(f, Progress::Open) {
            Some(Progress::Done) => {
                self.function_done.insert(f, Progress::Done);
                return Ok(name);
            }
            Some(Progress::Open) => {
                return Err(format!(
                    "function `{}` calls itself, which the C code must not",
                    code.name
                ));
            }
            None => {}
        }
        let (insts, external) = match &code.code {
            Code::Insts(insts) => (insts, None),
            Code::External(insts, call) => (insts, Some(call)),
            Code::Missing(why) => {
                return Err(format!("function `{}` cannot be called: {why}", code.name));
            }
        };
        messages_only(insts)
            .map_err(|what| format!("function `{}`: {what} has no form in C", code.name))?;
        let frame = Frame::new(insts, code.frame);
        let mut body = String::new();
        for k in 0..code.inputs {
            let _ = writeln!(body, "    {} = x[{k}];", frame.reg(k));
        }
        self.instructions(&code.name, insts, &frame, &mut body)?;
        if let Some(call) = external {
            let text = library_call(call, &frame).ok_or_else(|| {
                format!(
                    "function `{}` calls the external function `{}`, which has no form in C",
                    code.name, call.name
                )
            })?;
            body.push_str(&text);
        }
        for k in 0..code.outputs {
            let _ = writeln!(body, "    y[{k}] = {};", frame.reg(code.inputs + k));
        }
        let arrays = match frame.indexed {
            0 => String::new(),
            n => format!("    double d[{n}] = {{0.0}};\n"),
        };
        let unused = match (code.inputs, code.outputs) {
            (0, 0) => "    (void)x;\n    (void)y;\n",
            (0, _) => "    (void)x;\n",
            (_, 0) => "    (void)y;\n",
            _ => "",
        };
        let _ = write!(
            self.text,
            "/* {} */\nstatic int {name}(const double *x, double *y)\n{{\n    double v[{}] = {{0.0}};\n{arrays}{unused}{body}    return 0;\n}}\n\n",
            code.name.replace("*/", ""),
            frame.scalars.max(1)
        );
        self.function_done.insert(f, Progress::Done);
        Ok(name)
    }

    fn instructions(
        &mut self,
        function: &str,
        insts: &[Inst],
        frame: &Frame,
        out: &mut String,
    ) -> Result<(), String> {
        let targets: BTreeSet<u32> = insts
            .iter()
            .filter_map(|i| match *i {
                Inst::Jump(to) | Inst::JumpUnless(_, to) => Some(to),
                Inst::Return => Some(insts.len() as u32),
                _ => None,
            })
            .collect();
        let end = insts.len();
        for (at, inst) in insts.iter().enumerate() {
            if targets.contains(&(at as u32)) {
                let _ = writeln!(out, "L{at}:");
            }
            let reg = |r: &Reg| frame.reg(*r);
            let line = match inst {
                Inst::Const(d, x) => format!("{} = {};", reg(d), literal(*x)),
                Inst::Copy(d, a) => format!("{} = {};", reg(d), reg(a)),
                Inst::Unary(op, d, a) => format!("{} = {};", reg(d), self.unary(*op, &reg(a))?),
                Inst::Binary(op, d, a, b) => {
                    format!("{} = {};", reg(d), self.binary(*op, &reg(a), &reg(b))?)
                }
                Inst::Select(d, c, a, b) => {
                    format!(
                        "{} = ({} != 0.0) ? {} : {};",
                        reg(d),
                        reg(c),
                        reg(a),
                        reg(b)
                    )
                }
                Inst::PowI(d, a, n) => format!("{} = {};", reg(d), self.powi(&reg(a), *n)),
                Inst::Load(d, first, len, i) => {
                    let check = self.index_check(function, &reg(i), *len);
                    let base = frame.array(*first);
                    format!("{check}\n    {} = d[{base} + (int)({})];", reg(d), reg(i))
                }
                Inst::Store(first, len, i, value) => {
                    let check = self.index_check(function, &reg(i), *len);
                    let base = frame.array(*first);
                    format!(
                        "{check}\n    d[{base} + (int)({})] = {};",
                        reg(i),
                        reg(value)
                    )
                }
                Inst::Call(Callee::Text(_), ..) => ";".to_string(),
                Inst::Call(callee, args, first) => self.body_call(*callee, args, *first, frame)?,
                Inst::Jump(to) => format!("goto L{to};"),
                Inst::JumpUnless(c, to) => format!("if ({} == 0.0) goto L{to};", reg(c)),
                Inst::Fail(_, true) => {
                    let code = self.failure(format!("assertion in function `{function}` failed"));
                    format!("return {code};")
                }
                Inst::Fail(_, false) => ";".to_string(),
                Inst::Return if at + 1 == end => ";".to_string(),
                Inst::Return => format!("goto L{end};"),
            };
            let _ = writeln!(out, "    {line}");
        }
        let last = matches!(insts.last(), Some(Inst::Return));
        let returns = insts.iter().filter(|i| matches!(i, Inst::Return)).count();
        let jumps = insts
            .iter()
            .any(|i| matches!(i, Inst::Jump(to) | Inst::JumpUnless(_, to) if *to as usize == end));
        if jumps || returns > usize::from(last) {
            let _ = writeln!(out, "L{end}:");
            out.push_str("    ;\n");
        }
        Ok(())
    }

    fn index_check(&mut self, function: &str, i: &str, len: u32) -> String {
        let code = self.failure(format!("function `{function}`: array index out of range"));
        format!("if (!({i} >= 0.0 && {i} < {len}.0)) return {code};")
    }

    fn body_call(
        &mut self,
        callee: Callee,
        args: &[Reg],
        first: Reg,
        frame: &Frame,
    ) -> Result<String, String> {
        let (name, outputs) = match callee {
            Callee::Function(f) => (self.function(f)?, self.functions.codes[f as usize].outputs),
            Callee::Jacobian(f) => {
                let outputs = self.functions.codes[f as usize].outputs * args.len() as u32;
                (self.jacobian(f)?, outputs)
            }
            Callee::Text(_) => return Err("strings have no form in C".to_string()),
        };
        let list: Vec<String> = args.iter().map(|&r| frame.reg(r)).collect();
        let list = if list.is_empty() {
            "0.0".to_string()
        } else {
            list.join(", ")
        };
        let mut text = format!(
            "{{ const double a[{}] = {{{list}}}; double c[{}] = {{0.0}}; const int e = {name}(a, c); if (e) return e;",
            args.len().max(1),
            outputs.max(1)
        );
        for k in 0..outputs {
            let _ = write!(text, " {} = c[{k}];", frame.reg(first + k));
        }
        text.push_str(" }");
        Ok(text)
    }

    /// Name of the C function that computes all partial derivatives of a function.
    pub(super) fn jacobian(&mut self, f: u32) -> Result<String, String> {
        let name = self
            .functions
            .codes
            .get(f as usize)
            .map_or("", |c| c.name.as_str());
        Err(format!(
            "derivatives of the function `{name}` have no form in C"
        ))
    }
}

/// Strings may only flow into messages.
fn messages_only(insts: &[Inst]) -> Result<(), &'static str> {
    let texts: BTreeSet<Reg> = insts
        .iter()
        .filter_map(|i| match i {
            Inst::Call(Callee::Text(_), _, d) => Some(*d),
            _ => None,
        })
        .collect();
    if texts.is_empty() {
        return Ok(());
    }
    let bad = |regs: &[Reg]| regs.iter().any(|r| texts.contains(r));
    for inst in insts {
        let used = match inst {
            Inst::Copy(_, a) | Inst::Unary(_, _, a) | Inst::PowI(_, a, _) => bad(&[*a]),
            Inst::Binary(_, _, a, b) => bad(&[*a, *b]),
            Inst::Select(_, c, a, b) => bad(&[*c, *a, *b]),
            Inst::Load(_, _, _, i) => bad(&[*i]),
            Inst::Store(_, _, i, v) => bad(&[*i, *v]),
            Inst::JumpUnless(c, _) => bad(&[*c]),
            Inst::Call(Callee::Text(_), ..) => false,
            Inst::Call(_, args, _) => bad(args),
            _ => false,
        };
        if used {
            return Err("a string that is more than a message");
        }
    }
    Ok(())
}

/// A call of a function of `math.h`.
fn library_call(call: &ExternalCall, frame: &Frame) -> Option<String> {
    const ONE: [&str; 25] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "exp2", "expm1", "log", "log10", "log2", "log1p", "sqrt", "cbrt", "fabs",
        "floor", "ceil", "erf",
    ];
    const TWO: [&str; 7] = ["atan2", "pow", "fmod", "hypot", "fmin", "fmax", "copysign"];
    let name = call.name.as_str();
    let fits = (ONE.contains(&name) && call.args.len() == 1)
        || (TWO.contains(&name) && call.args.len() == 2);
    if !fits {
        return None;
    }
    let args: Option<Vec<String>> = call
        .args
        .iter()
        .map(|a| match a {
            NativeArg::Value(r, _) => Some(frame.reg(*r)),
            _ => None,
        })
        .collect();
    let (to, _) = call.result?;
    Some(format!(
        "    {} = {name}({});\n",
        frame.reg(to),
        args?.join(", ")
    ))
}
