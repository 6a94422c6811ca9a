//! Functions that stayed calls, as Modelica functions of scalars.
//!
//! A run of slots that is indexed at run time, or handed to foreign code as an array, becomes a local
//! array; inputs are copied into it at the beginning, outputs out of it at the end. A function with
//! several outputs gets one more function for each of them, since only a function with one result can
//! stand in an expression.

use std::fmt::Write;

use crate::expr::{EnumId, Expr, ExprId, FunctionId, Ty, VarId};
use crate::flat_text::Declared;
use crate::function::{External, ExternalArg, Function, FunctionBody, Stmt};
use crate::print::{self, Names, quoted, string_literal};

/// A run of slots that is an array in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    first: u32,
    len: u32,
}

struct Body<'a> {
    names: &'a Declared<'a>,
    function: &'a Function,
    slots: Vec<String>,
    runs: Vec<Run>,
}

impl Names for Body<'_> {
    fn var(&self, var: VarId) -> String {
        self.names.var(var)
    }

    fn function(&self, function: FunctionId) -> String {
        self.names.function(function)
    }

    fn enum_literal(&self, of: EnumId, ordinal: u32) -> String {
        self.names.enum_literal(of, ordinal)
    }

    fn result(&self, function: FunctionId, k: u32) -> Option<String> {
        self.names.result(function, k)
    }

    fn is_source(&self) -> bool {
        true
    }

    fn local(&self, slot: u32) -> String {
        match self.run_of(slot) {
            Some(r) => format!("{}[{}]", array(*r), slot - r.first + 1),
            None => self.slots[slot as usize].clone(),
        }
    }

    fn element(&self, base: u32, index: &str) -> String {
        match self.run_of(base) {
            Some(r) => format!("{}[{index} + {}]", array(*r), base - r.first + 1),
            None => self.slots[base as usize].clone(),
        }
    }
}

fn array(r: Run) -> String {
    format!("a{}", r.first)
}

pub(crate) fn functions(out: &mut String, names: &Declared) {
    for (id, f) in &names.flat.functions {
        let name = names.function_name(id);
        let body = Body::new(names, f);
        match (&f.body, name.strip_suffix(".constructor")) {
            (FunctionBody::External(e), Some(class)) => {
                body.external_object(out, class, e);
                continue;
            }
            (FunctionBody::Code(code), _) => body.code(out, name, code),
            (FunctionBody::External(e), _) => body.external(out, name, e),
            (FunctionBody::Missing(_), _) => continue,
        }
        if f.outputs > 1 {
            for k in 0..f.outputs {
                body.one_result(out, name, k);
            }
        }
    }
}

impl<'a> Body<'a> {
    fn new(names: &'a Declared<'a>, function: &'a Function) -> Body<'a> {
        let mut seen = rustc_hash::FxHashSet::default();
        let slots = (function.slots.iter().enumerate())
            .map(|(k, s)| {
                let name = if s.name.is_empty() || !seen.insert(s.name.as_str()) {
                    format!("{}${k}", s.name)
                } else {
                    s.name.clone()
                };
                quoted_slot(&name)
            })
            .collect();
        let mut found = Vec::new();
        match &function.body {
            FunctionBody::Code(code) => indexed(names, code, &mut found),
            FunctionBody::External(e) => found.extend(e.args.iter().filter_map(|a| match a {
                ExternalArg::Array { first, dims, .. } => Some(Run {
                    first: *first,
                    len: dims.iter().product(),
                }),
                _ => None,
            })),
            FunctionBody::Missing(_) => {}
        }
        Body {
            names,
            function,
            slots,
            runs: joined(found),
        }
    }

    fn run_of(&self, slot: u32) -> Option<&Run> {
        self.runs
            .iter()
            .find(|r| (r.first..r.first + r.len).contains(&slot))
    }

    fn text(&self, e: ExprId) -> String {
        print::expr(&self.names.flat.exprs, self, e)
    }

    fn type_of(&self, slot: u32) -> String {
        match self.function.slots[slot as usize].ty {
            Ty::External => self.names.external_class(),
            ty => print::type_name(self.names.flat, ty),
        }
    }

    fn declare(&self, out: &mut String, prefix: &str, slots: std::ops::Range<u32>) {
        for k in slots {
            let _ = writeln!(
                out,
                "    {prefix}{} {};",
                self.type_of(k),
                self.slots[k as usize]
            );
        }
    }

    fn inputs(&self) -> std::ops::Range<u32> {
        0..self.function.inputs
    }

    fn outputs(&self) -> std::ops::Range<u32> {
        self.function.inputs..self.function.inputs + self.function.outputs
    }

    fn head(&self, out: &mut String, name: &str) {
        let purity = if self.function.pure { "" } else { "impure " };
        let _ = writeln!(out, "  {purity}function {}", quoted(name));
        self.declare(out, "input ", self.inputs());
    }

    fn code(&self, out: &mut String, name: &str, code: &[Stmt]) {
        self.head(out, name);
        self.declare(out, "output ", self.outputs());
        let locals = self.outputs().end..self.function.slots.len() as u32;
        if !locals.is_empty() || !self.runs.is_empty() {
            let _ = writeln!(out, "  protected");
            for k in locals.clone().filter(|&k| self.run_of(k).is_none()) {
                self.declare(out, "", k..k + 1);
            }
            for r in &self.runs {
                let _ = writeln!(
                    out,
                    "    {} {}[{}];",
                    self.type_of(r.first),
                    array(*r),
                    r.len
                );
            }
        }
        let _ = writeln!(out, "  algorithm");
        for k in self.inputs().filter(|&k| self.run_of(k).is_some()) {
            let _ = writeln!(out, "    {} := {};", self.local(k), self.slots[k as usize]);
        }
        self.statements(out, code, 2);
        self.copy_out(out, 2);
        let _ = writeln!(out, "  end {};", quoted(name));
    }

    fn copy_out(&self, out: &mut String, depth: usize) {
        let pad = "  ".repeat(depth);
        for k in self.outputs().filter(|&k| self.run_of(k).is_some()) {
            let _ = writeln!(out, "{pad}{} := {};", self.slots[k as usize], self.local(k));
        }
    }

    fn statements(&self, out: &mut String, code: &[Stmt], depth: usize) {
        let pad = "  ".repeat(depth);
        for s in code {
            let _ = match s {
                Stmt::Assign(slot, e) => {
                    writeln!(out, "{pad}{} := {};", self.local(*slot), self.text(*e))
                }
                Stmt::Store(base, _, k, v) => writeln!(
                    out,
                    "{pad}{} := {};",
                    self.element(*base, &self.text(*k)),
                    self.text(*v)
                ),
                Stmt::CallAssign(call, outs) => {
                    let last = outs.iter().map(|o| o.0 + 1).max().unwrap_or(0);
                    let mut left = vec![String::new(); last as usize];
                    for &(k, slot) in outs {
                        left[k as usize] = self.local(slot);
                    }
                    match left.as_slice() {
                        [] => writeln!(out, "{pad}{};", self.text(*call)),
                        [one] if self.results_of(*call) == 1 => {
                            writeln!(out, "{pad}{one} := {};", self.text(*call))
                        }
                        _ => writeln!(out, "{pad}({}) := {};", left.join(", "), self.text(*call)),
                    }
                }
                Stmt::If(c, a, b) => {
                    let _ = writeln!(out, "{pad}if {} then", self.text(*c));
                    self.statements(out, a, depth + 1);
                    if !b.is_empty() {
                        let _ = writeln!(out, "{pad}else");
                        self.statements(out, b, depth + 1);
                    }
                    writeln!(out, "{pad}end if;")
                }
                Stmt::While(c, b) => {
                    let _ = writeln!(out, "{pad}while {} loop", self.text(*c));
                    self.statements(out, b, depth + 1);
                    writeln!(out, "{pad}end while;")
                }
                Stmt::Break => writeln!(out, "{pad}break;"),
                Stmt::Return => {
                    self.copy_out(out, depth);
                    writeln!(out, "{pad}return;")
                }
                Stmt::Assert(c, m, is_error) => {
                    let level = if *is_error {
                        ""
                    } else {
                        ", AssertionLevel.warning"
                    };
                    writeln!(
                        out,
                        "{pad}assert({}, {}{level});",
                        self.text(*c),
                        self.text(*m)
                    )
                }
            };
        }
    }

    fn results_of(&self, call: ExprId) -> u32 {
        match self.names.flat.exprs.get(call) {
            Expr::Call(f, _) => self.names.flat.functions[f].outputs,
            _ => 1,
        }
    }

    /// `function 'f.2'`: the second result of f.
    fn one_result(&self, out: &mut String, name: &str, k: u32) {
        let result = format!("{name}.{}", k + 1);
        self.head(out, &result);
        let y = self.function.inputs + k;
        self.declare(out, "output ", y..y + 1);
        let args: Vec<&str> = self
            .inputs()
            .map(|k| self.slots[k as usize].as_str())
            .collect();
        let _ = writeln!(
            out,
            "  algorithm\n    ({}{}) := {}({});\n  end {};",
            ", ".repeat(k as usize),
            self.slots[y as usize],
            quoted(name),
            args.join(", "),
            quoted(&result)
        );
    }

    // Foreign functions.

    /// The foreign function itself: arrays are arrays, in the order of the slots.
    fn foreign(&self, out: &mut String, name: &str, e: &External, result: Option<&str>) {
        let purity = if self.function.pure { "" } else { "impure " };
        let _ = writeln!(out, "    {purity}function {}", quoted(name));
        let mut done = Vec::new();
        for k in 0..self.function.slots.len() as u32 {
            let prefix = if self.inputs().contains(&k) {
                "input "
            } else if self.outputs().contains(&k) {
                "output "
            } else {
                "protected "
            };
            let ty = match (result, prefix) {
                (Some(class), "output ") => quoted(class),
                _ => self.type_of(k),
            };
            let initial = e.initial.iter().find(|(s, _)| *s == k);
            match self.run_of(k) {
                Some(r) if done.contains(&r.first) => {}
                Some(r) => {
                    done.push(r.first);
                    let dims = dims_of(e, *r);
                    let _ = writeln!(out, "      {prefix}{ty} {}[{dims}];", array(*r));
                }
                None => {
                    let value = match initial {
                        Some((_, v)) if prefix != "input " => format!(" = {}", self.text(*v)),
                        _ => String::new(),
                    };
                    let _ = writeln!(out, "      {prefix}{ty} {}{value};", self.slots[k as usize]);
                }
            }
        }
        let args: Vec<String> = e
            .args
            .iter()
            .map(|a| match a {
                ExternalArg::Value(v) => self.text(*v),
                ExternalArg::Array { first, .. } => match self.run_of(*first) {
                    Some(r) => array(*r),
                    None => self.slots[*first as usize].clone(),
                },
                ExternalArg::Out(slot) => self.slots[*slot as usize].clone(),
            })
            .collect();
        let left = match e.result {
            Some(slot) => format!("{} = ", self.slots[slot as usize]),
            None => String::new(),
        };
        let _ = writeln!(
            out,
            "    external {} {left}{}({}){};",
            string_literal(&e.language),
            e.symbol,
            args.join(", "),
            annotation(e)
        );
        let _ = writeln!(out, "    end {};", quoted(name));
    }

    fn external(&self, out: &mut String, name: &str, e: &External) {
        if self.runs.is_empty() {
            self.foreign(out, name, e, None);
            return;
        }
        let inner = format!("{name}.foreign");
        self.foreign(out, &inner, e, None);
        self.head(out, name);
        self.declare(out, "output ", self.outputs());
        let results = self.arguments(e, self.outputs());
        let arrays: Vec<&Run> = (self.runs.iter())
            .filter(|r| self.outputs().contains(&r.first))
            .collect();
        if !arrays.is_empty() {
            let _ = writeln!(out, "  protected");
        }
        for r in &arrays {
            let _ = writeln!(
                out,
                "    {} {}[{}];",
                self.type_of(r.first),
                array(**r),
                dims_of(e, **r)
            );
        }
        let left: Vec<String> = (results.iter())
            .map(|&(k, is_array)| match self.run_of(k) {
                Some(r) if is_array => array(*r),
                _ => self.slots[k as usize].clone(),
            })
            .collect();
        let right: Vec<String> = (self.arguments(e, self.inputs()).iter())
            .map(|&(k, is_array)| match self.run_of(k) {
                Some(r) if is_array => nested(&dim_list(e, *r), &self.slots, &mut r.first.clone()),
                _ => self.slots[k as usize].clone(),
            })
            .collect();
        let call = format!("{}({})", quoted(&inner), right.join(", "));
        let _ = match left.as_slice() {
            [] => writeln!(out, "  algorithm\n    {call};"),
            [one] => writeln!(out, "  algorithm\n    {one} := {call};"),
            _ => writeln!(out, "  algorithm\n    ({}) := {call};", left.join(", ")),
        };
        for r in arrays {
            let dims = dim_list(e, *r);
            for i in 0..r.len {
                let mut rest = i;
                let mut at = Vec::new();
                for d in dims.iter().rev() {
                    at.push((rest % d + 1).to_string());
                    rest /= d;
                }
                at.reverse();
                let _ = writeln!(
                    out,
                    "    {} := {}[{}];",
                    self.slots[(r.first + i) as usize],
                    array(*r),
                    at.join(", ")
                );
            }
        }
        let _ = writeln!(out, "  end {};", quoted(name));
    }

    /// Slots in a range, each array once: first slot, is it an array?
    fn arguments(&self, _e: &External, slots: std::ops::Range<u32>) -> Vec<(u32, bool)> {
        slots
            .filter_map(|k| match self.run_of(k) {
                Some(r) if r.first == k => Some((k, true)),
                Some(_) => None,
                None => Some((k, false)),
            })
            .collect()
    }

    fn external_object(&self, out: &mut String, class: &str, e: &External) {
        let _ = writeln!(
            out,
            "  class {}\n    extends ExternalObject;",
            quoted(class)
        );
        self.foreign(out, "constructor", e, Some(class));
        let _ = writeln!(
            out,
            "    function destructor\n      input {} object;\n    external \"C\";\n    end destructor;\n  end {};",
            quoted(class),
            quoted(class)
        );
    }
}

fn quoted_slot(name: &str) -> String {
    quoted(name)
}

fn dim_list(e: &External, r: Run) -> Vec<u32> {
    (e.args.iter())
        .find_map(|a| match a {
            ExternalArg::Array { first, dims, .. } if *first == r.first => Some(dims.clone()),
            _ => None,
        })
        .unwrap_or_else(|| vec![r.len])
}

fn dims_of(e: &External, r: Run) -> String {
    let list: Vec<String> = dim_list(e, r).iter().map(u32::to_string).collect();
    list.join(", ")
}

/// `{{a, b}, {c, d}}`.
fn nested(dims: &[u32], slots: &[String], next: &mut u32) -> String {
    let Some((&n, rest)) = dims.split_first() else {
        let text = slots[*next as usize].clone();
        *next += 1;
        return text;
    };
    let list: Vec<String> = (0..n).map(|_| nested(rest, slots, next)).collect();
    format!("{{{}}}", list.join(", "))
}

fn annotation(e: &External) -> String {
    let mut list = Vec::new();
    for (name, values) in [("Library", &e.libraries), ("Include", &e.includes)] {
        let texts: Vec<String> = values.iter().map(|v| string_literal(v)).collect();
        match texts.as_slice() {
            [] => {}
            [one] => list.push(format!("{name} = {one}")),
            _ => list.push(format!("{name} = {{{}}}", texts.join(", "))),
        }
    }
    if list.is_empty() {
        String::new()
    } else {
        format!(" annotation({})", list.join(", "))
    }
}

/// Runs of slots with a run-time index.
fn indexed(names: &Declared, code: &[Stmt], out: &mut Vec<Run>) {
    let mut roots = Vec::new();
    for s in code {
        match s {
            Stmt::Assign(_, e) => roots.push(*e),
            Stmt::Store(first, len, k, v) => {
                out.push(Run {
                    first: *first,
                    len: *len,
                });
                roots.extend([*k, *v]);
            }
            Stmt::CallAssign(c, _) => roots.push(*c),
            Stmt::If(c, a, b) => {
                roots.push(*c);
                indexed(names, a, out);
                indexed(names, b, out);
            }
            Stmt::While(c, b) => {
                roots.push(*c);
                indexed(names, b, out);
            }
            Stmt::Assert(c, m, _) => roots.extend([*c, *m]),
            Stmt::Break | Stmt::Return => {}
        }
    }
    let x = &names.flat.exprs;
    x.postorder(&roots, |e| {
        if let Expr::Load(first, len, _) = x.get(e) {
            out.push(Run { first, len });
        }
    });
}

/// Overlapping runs become one.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.retain(|r| r.len > 0);
    runs.sort_by_key(|r| (r.first, r.len));
    let mut out: Vec<Run> = Vec::new();
    for r in runs {
        match out.last_mut() {
            Some(last) if r.first < last.first + last.len => {
                last.len = last.len.max(r.first + r.len - last.first);
            }
            _ => out.push(r),
        }
    }
    out
}
