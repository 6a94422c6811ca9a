//! Function bodies as C: `static int PREFIX_f5(const double *x, double *y)`, inputs to outputs; `PREFIX_t5` is its derivative
//! in one direction and `PREFIX_j5` all its partial derivatives.
//!
//! Registers are elements of two local arrays: `v` for those that only constants index, which a C compiler keeps in
//! machine registers, and `d` for arrays that are indexed at run time.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::expression::{literal, literals};
use super::{CUnit, Progress};
use crate::arrays::Arrays;
use crate::forward::forward;
use crate::function::{Code, FunctionCode, Inst};
use crate::kernel::{Callee, Reg};

/// Names of registers.
pub(super) struct Frame {
    arrays: Arrays,
    scalars: u32,
}

impl Frame {
    pub(super) fn reg(&self, r: Reg) -> String {
        match self.arrays.place(r) {
            Some(k) => format!("d[{k}]"),
            None => format!("v[{r}]"),
        }
    }

    /// Place of the first element of an indexed array.
    fn array(&self, first: Reg) -> u32 {
        self.arrays.place(first).unwrap_or(0)
    }
}

impl CUnit<'_> {
    /// Name of the C function of function `f` of the model, emitted if it was not yet.
    pub(super) fn function(&mut self, f: u32) -> Result<String, String> {
        let functions = self.functions;
        let Some(code) = functions.codes.get(f as usize) else {
            return Err(format!("function number {f} does not exist"));
        };
        self.body(format!("{}_f{f}", self.prefix), code)
    }

    /// The same for its derivative in one direction: (x, ẋ) to (y, ẏ).
    pub(super) fn tangent(&mut self, f: u32) -> Result<String, String> {
        let functions = self.functions;
        let outputs = |g: u32| functions.codes.get(g as usize).map_or(0, |c| c.outputs);
        let Some(code) = functions.codes.get(f as usize) else {
            return Err(format!("function number {f} does not exist"));
        };
        match forward(code, &outputs) {
            Some(code) => self.body(format!("{}_t{f}", self.prefix), &code),
            None => self.external_tangent(f),
        }
    }

    /// The derivative of an external function in one direction: by the first of its rules that allows the direction, else by differences.
    fn external_tangent(&mut self, f: u32) -> Result<String, String> {
        let name = format!("{}_t{f}", self.prefix);
        if self.function_done.contains_key(&name) {
            return Ok(name);
        }
        let value = self.function(f)?;
        let functions = self.functions;
        let code = &functions.codes[f as usize];
        let (n, m) = (code.inputs as usize, code.outputs as usize);
        let mut rules = String::new();
        for rule in &code.derivatives {
            let slope = self.function(rule.function)?;
            let moves = |k: &usize| {
                rule.zero.contains(&(*k as u32)) || !rule.with_respect_to.contains(&(*k as u32))
            };
            let still = (0..n)
                .filter(moves)
                .map(|k| format!(" && !(fabs(x[{}]) > 0.0)", n + k));
            let still: String = still.collect();
            let along = rule.with_respect_to.iter().enumerate();
            let along = along.map(|(j, k)| format!(" a[{}] = x[{}];", n + j, n + *k as usize));
            let along: String = along.collect();
            let _ = write!(
                rules,
                "    if (moves{still}) {{\n        double a[{size}], c[{m}] = {{0.0}};\n        \
                 for (i = 0; i < {n}; i++) a[i] = x[i];\n       {along}\n        \
                 if ({slope}(a, c) == 0) {{\n            for (i = 0; i < {m}; i++) y[{m} + i] = c[i];\n            \
                 moves = 0;\n        }}\n    }}\n",
                size = n + rule.with_respect_to.len(),
            );
        }
        let _ = write!(
            self.text,
            "static int {name}(const double *x, double *y)\n{{\n    double a[{n}], up[{m}], down[{m}];\n    int i, k, moves = 0;\n    \
             const int e = {value}(x, y);\n    if (e) return e;\n    for (i = 0; i < {m}; i++) y[{m} + i] = 0.0;\n    \
             for (k = 0; k < {n}; k++) moves = moves || fabs(x[{n} + k]) > 0.0;\n{rules}    \
             for (i = 0; i < {n}; i++) a[i] = x[i];\n    \
             for (k = 0; moves && k < {n}; k++) {{\n        const double h = {step} * fmax(fabs(x[k]), 1e-3);\n        int left, right;\n        \
             if (!(fabs(x[{n} + k]) > 0.0)) continue;\n        \
             a[k] = x[k] + h;\n        right = {value}(a, up) == 0;\n        a[k] = x[k] - h;\n        left = {value}(a, down) == 0;\n        \
             a[k] = x[k];\n        for (i = 0; i < {m}; i++) {{\n            \
             const double slope = left && right ? (up[i] - down[i]) / (2.0 * h) : right ? (up[i] - y[i]) / h\n                \
             : left ? (y[i] - down[i]) / h : 0.0;\n            y[{m} + i] += slope * x[{n} + k];\n        }}\n    }}\n    \
             return 0;\n}}\n\n",
            step = literal(f64::EPSILON.cbrt()),
        );
        self.function_done.insert(name.clone(), Progress::Done);
        Ok(name)
    }

    fn body(&mut self, name: String, code: &FunctionCode) -> Result<String, String> {
        match self.function_done.insert(name.clone(), Progress::Open) {
            Some(Progress::Done) => {
                self.function_done.insert(name.clone(), Progress::Done);
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
        let done = self.open_body(name.clone(), code);
        if done.is_err() {
            self.function_done.remove(&name);
        }
        done
    }

    /// The text of a function that is not there yet.
    fn open_body(&mut self, name: String, code: &FunctionCode) -> Result<String, String> {
        let (insts, external) = match &code.code {
            Code::Insts(insts) => (insts, None),
            Code::External(insts, call) => (insts, Some(call)),
            Code::Missing(why) => {
                return Err(format!("function `{}` cannot be called: {why}", code.name));
            }
        };
        messages_only(insts)
            .map_err(|what| format!("function `{}`: {what} has no form in C", code.name))?;
        let frame = Frame {
            arrays: Arrays::new(insts),
            scalars: code.frame,
        };
        let mut body = String::new();
        for k in 0..code.inputs {
            let _ = writeln!(body, "    {} = x[{k}];", frame.reg(k));
        }
        self.instructions(&code.name, insts, &frame, &mut body)?;
        if let Some(call) = external {
            let text = self.native_call(&code.name, call, &frame);
            let text = text.ok_or_else(|| {
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
        let arrays = match frame.arrays.len {
            0 => String::new(),
            n => format!("    double d[{n}] = {{0.0}};\n"),
        };
        let table = match code.table.len() {
            0 => String::new(),
            n => {
                let numbers = literals(&code.table);
                format!("    static const double c[{n}] = {{\n    {numbers}\n    }};\n")
            }
        };
        let unused = match (code.inputs, code.outputs) {
            (0, 0) => "    (void)x;\n    (void)y;\n",
            (0, _) => "    (void)x;\n",
            (_, 0) => "    (void)y;\n",
            _ => "",
        };
        let _ = write!(
            self.text,
            "/* {} */\nstatic int {name}(const double *x, double *y)\n{{\n    double v[{}] = {{0.0}};\n{arrays}{table}{unused}{body}    return 0;\n}}\n\n",
            super::expression::comment(&code.name),
            frame.scalars.max(1)
        );
        self.function_done.insert(name.clone(), Progress::Done);
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
                Inst::Unary(op, d, a) => {
                    format!("{} = {};", reg(d), self.operations.unary(*op, &reg(a))?)
                }
                Inst::Binary(op, d, a, b) => {
                    format!(
                        "{} = {};",
                        reg(d),
                        self.operations.binary(*op, &reg(a), &reg(b))?
                    )
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
                Inst::PowI(d, a, n) => {
                    format!("{} = {};", reg(d), self.operations.powi(&reg(a), *n))
                }
                Inst::Load(d, first, len, i) => {
                    let check = self.index_check(function, &reg(i), *len);
                    let base = frame.array(*first);
                    format!("{check}\n    {} = d[{base} + (int)({})];", reg(d), reg(i))
                }
                Inst::Table(d, first, len, i) => {
                    let check = self.index_check(function, &reg(i), *len);
                    format!("{check}\n    {} = c[{first} + (int)({})];", reg(d), reg(i))
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
            Callee::Tangent(f) => (
                self.tangent(f)?,
                2 * self.functions.codes[f as usize].outputs,
            ),
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

    /// Name of the C function that computes all partial derivatives of a function
    /// (see [`Callee::Jacobian`]), emitted if it was not yet.
    pub(super) fn jacobian(&mut self, f: u32) -> Result<String, String> {
        let name = format!("{}_j{f}", self.prefix);
        if self.function_done.contains_key(&name) {
            return Ok(name);
        }
        let tangent = self.tangent(f)?;
        let code = &self.functions.codes[f as usize];
        let (n, m) = (code.inputs as usize, code.outputs as usize);
        let mut body = String::new();
        for (k, _) in code.real_inputs.iter().enumerate().filter(|(_, r)| **r) {
            let _ = writeln!(
                body,
                "    a[{at}] = 1.0;\n    e = {tangent}(a, c);\n    a[{at}] = 0.0;\n    \
                 if (e) {{\n        for (i = 0; i < {all}; i++) y[i] = NAN;\n        return 0;\n    }}\n    \
                 for (i = 0; i < {m}; i++) y[i * {n} + {k}] = c[{m} + i];",
                at = n + k,
                all = n * m
            );
        }
        if body.is_empty() {
            body.push_str("    (void)e;\n    (void)c;\n");
        }
        let _ = write!(
            self.text,
            "static int {name}(const double *x, double *y)\n{{\n    double a[{}] = {{0.0}}, c[{}] = {{0.0}};\n    \
             int i, e = 0;\n    for (i = 0; i < {n}; i++) a[i] = x[i];\n    \
             for (i = 0; i < {}; i++) y[i] = 0.0;\n{body}    return 0;\n}}\n\n",
            (2 * n).max(1),
            (2 * m).max(1),
            n * m
        );
        self.function_done.insert(name.clone(), Progress::Done);
        Ok(name)
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
            Inst::Load(_, _, _, i) | Inst::Table(_, _, _, i) => bad(&[*i]),
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
