//! Expressions as Modelica text.

use std::fmt::Write;

use crate::expr::{BinaryOp, Builtin, Expr, ExprArena, ExprId, Ty, UnaryOp, VarId};
use crate::flat::{FlatModel, StateSelect};

pub use crate::flat_text::flat_model;

/// Looks up what printing needs to know beside the arena.
pub trait Names {
    fn var(&self, var: VarId) -> String;
    fn function(&self, function: crate::expr::FunctionId) -> String;
    fn enum_literal(&self, of: crate::expr::EnumId, ordinal: u32) -> String;

    /// The function that gives one result of a function with several, if there is one.
    fn result(&self, _function: crate::expr::FunctionId, _k: u32) -> Option<String> {
        None
    }

    /// A slot of a function body.
    fn local(&self, slot: u32) -> String {
        format!("%{slot}")
    }

    /// An element of the slots from `base`, at an index from 0.
    fn element(&self, base: u32, index: &str) -> String {
        format!("%{base}[{index}]")
    }

    /// The text is to be read as Modelica again.
    fn is_source(&self) -> bool {
        false
    }
}

impl Names for FlatModel {
    fn var(&self, var: VarId) -> String {
        quoted(&self.vars[var].name)
    }

    fn function(&self, function: crate::expr::FunctionId) -> String {
        quoted(&self.functions[function].name)
    }

    fn enum_literal(&self, of: crate::expr::EnumId, ordinal: u32) -> String {
        let ty = &self.enums[of];
        let literal = ty
            .literals
            .get(ordinal as usize - 1)
            .map_or("?", |s| s.as_str());
        format!("{}.{}", quoted(&ty.name), literal)
    }
}

/// Names as messages show them: no quotes.
pub struct Plain<'a>(pub &'a FlatModel);

impl Names for Plain<'_> {
    fn var(&self, var: VarId) -> String {
        self.0.vars[var].name.clone()
    }

    fn function(&self, function: crate::expr::FunctionId) -> String {
        self.0.functions[function].name.clone()
    }

    fn enum_literal(&self, of: crate::expr::EnumId, ordinal: u32) -> String {
        let ty = &self.0.enums[of];
        let literal = ty
            .literals
            .get(ordinal as usize - 1)
            .map_or("?", |s| s.as_str());
        format!("{}.{}", ty.name, literal)
    }
}

impl Names for crate::causal::CausalModel {
    fn var(&self, var: VarId) -> String {
        self.vars[var].var.name.clone()
    }

    fn function(&self, function: crate::expr::FunctionId) -> String {
        self.functions[function].name.clone()
    }

    fn enum_literal(&self, of: crate::expr::EnumId, ordinal: u32) -> String {
        let ty = &self.enums[of];
        let literal = ty
            .literals
            .get(ordinal as usize - 1)
            .map_or("?", |s| s.as_str());
        format!("{}.{}", ty.name, literal)
    }
}

/// A quoted identifier where the name is not a plain one.
pub fn quoted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain {
        name.to_string()
    } else {
        format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

/// A string literal.
pub fn string_literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A Real literal that reads back as the same value and as a Real.
pub fn real_literal(value: f64) -> String {
    if value.is_infinite() || value.is_nan() {
        return if value > 0.0 {
            "1e999".into()
        } else if value < 0.0 {
            "-1e999".into()
        } else {
            "(0.0/0.0)".into()
        };
    }
    format!("{value:?}")
}

/// `1 step`, `2 steps`.
pub fn counted(n: usize, one: &str) -> String {
    let many = if n == 1 { "" } else { "s" };
    format!("{n} {one}{many}")
}

/// A number in a message: six digits, with an exponent where it is very small or large.
pub fn brief(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !value.is_finite() || (1e-4..1e6).contains(&size) {
        let digits = if size > 0.0 && value.is_finite() {
            (5 - size.log10().floor() as i32).clamp(0, 10) as usize
        } else {
            0
        };
        let text = format!("{value:.digits$}");
        if text.contains('.') {
            return text.trim_end_matches('0').trim_end_matches('.').to_string();
        }
        return text;
    }
    let text = format!("{value:.5e}");
    match text.split_once('e') {
        Some((number, exponent)) if number.contains('.') => {
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number}e{exponent}")
        }
        _ => text,
    }
}

/// Text after which the rest of an expression is left out: shared parts are printed each time, so an
/// expression of a thousand nodes can be longer than any file.
const LONGEST: usize = 1 << 20;

/// The expression as text. Shared subexpressions are printed each time; beyond a depth of 200 or a
/// megabyte an ellipsis stands for the rest.
pub fn expr(arena: &ExprArena, names: &dyn Names, id: ExprId) -> String {
    let mut out = String::new();
    write_expr(&mut out, arena, names, id, 0, 0);
    out
}

fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
            4
        }
        BinaryOp::Add | BinaryOp::Sub => 5,
        BinaryOp::Mul | BinaryOp::Div => 6,
        BinaryOp::Pow => 7,
    }
}

/// Spelling of a binary operator.
pub fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Pow => "^",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "<>",
    }
}

/// Spelling of a builtin function.
pub fn builtin_name(f: Builtin) -> &'static str {
    use Builtin::*;
    if let Some(row) = crate::elementary::row(f) {
        return row.name;
    }
    match f {
        NoEvent | Body => "noEvent",
        Argument => "withEvents",
        Smooth => "smooth",
        Homotopy => "homotopy",
        SemiLinear => "semiLinear",
        Delay => "delay",
        SpatialDistribution => "spatialDistribution",
        Sample | ClockedSample => "sample",
        Initial => "initial",
        Terminal => "terminal",
        Edge => "edge",
        Change => "change",
        WhenFires => "$fires",
        StringOf | StringOfDigits | StringOfFormat => "String",
        EnumToInt => "Integer",
        IntToEnum => "$enum",
        ClockInferred | ClockRational | ClockReal | ClockEvent | ClockSolver => "Clock",
        Hold => "hold",
        Previous => "previous",
        SubSample => "subSample",
        SuperSample => "superSample",
        ShiftSample => "shiftSample",
        BackSample => "backSample",
        NoClock => "noClock",
        Interval => "interval",
        FirstTick => "firstTick",
        OnClock => "$onClock",
        InState => "$inState",
        // The elementary functions are in their table.
        _ => "$function",
    }
}

fn write_expr(
    out: &mut String,
    arena: &ExprArena,
    names: &dyn Names,
    id: ExprId,
    outer: u8,
    depth: u32,
) {
    let deepest = if names.is_source() { 1500 } else { 200 };
    if depth > deepest || out.len() > LONGEST {
        out.push('…');
        return;
    }
    let list = |out: &mut String, args: &[ExprId]| {
        for (k, &a) in args.iter().enumerate() {
            if k > 0 {
                out.push_str(", ");
            }
            write_expr(out, arena, names, a, 0, depth + 1);
        }
    };
    match arena.get(id) {
        Expr::Real(bits) => {
            let v = f64::from_bits(bits);
            if v < 0.0 && outer > 0 {
                let _ = write!(out, "({})", real_literal(v));
            } else {
                out.push_str(&real_literal(v));
            }
        }
        Expr::Int(v) if v < 0 && outer > 0 => {
            let _ = write!(out, "({v})");
        }
        Expr::Int(v) => {
            let _ = write!(out, "{v}");
        }
        Expr::Bool(b) => out.push_str(if b { "true" } else { "false" }),
        Expr::Str(s) => out.push_str(&string_literal(arena.string_text(s))),
        Expr::Enum(of, k) => out.push_str(&names.enum_literal(of, k)),
        Expr::Time => out.push_str("time"),
        Expr::Var(v) => out.push_str(&names.var(v)),
        Expr::Der(v) => {
            let _ = write!(out, "der({})", names.var(v));
        }
        Expr::Pre(v) => {
            let _ = write!(out, "pre({})", names.var(v));
        }
        Expr::Local(k) => out.push_str(&names.local(k)),
        Expr::Load(base, _, index) => {
            let mut text = String::new();
            write_expr(&mut text, arena, names, index, 5, depth + 1);
            out.push_str(&names.element(base, &text));
        }
        Expr::Unary(op, a) => {
            let (text, level) = match op {
                UnaryOp::Neg => ("-", 5),
                UnaryOp::Not => ("not ", 3),
            };
            if outer >= level {
                out.push('(');
            }
            out.push_str(text);
            write_expr(out, arena, names, a, level + 1, depth + 1);
            if outer >= level {
                out.push(')');
            }
        }
        Expr::Binary(op, a, b) => {
            let level = precedence(op);
            if outer > level {
                out.push('(');
            }
            let left = if op == BinaryOp::Pow || op.is_relation() {
                level + 1
            } else {
                level
            };
            write_expr(out, arena, names, a, left, depth + 1);
            let _ = write!(out, " {} ", operator(op));
            write_expr(out, arena, names, b, level + 1, depth + 1);
            if outer > level {
                out.push(')');
            }
        }
        Expr::If(c, a, b) => {
            if outer > 0 {
                out.push('(');
            }
            out.push_str("if ");
            write_expr(out, arena, names, c, 0, depth + 1);
            out.push_str(" then ");
            write_expr(out, arena, names, a, 0, depth + 1);
            out.push_str(" else ");
            write_expr(out, arena, names, b, 0, depth + 1);
            if outer > 0 {
                out.push(')');
            }
        }
        Expr::Builtin(f, args) if names.is_source() && rewritten(f) => {
            let args = arena.args(args);
            match (f, args) {
                (Builtin::WhenFires, [b, initial]) => {
                    let edge = match arena.get(*b) {
                        Expr::Var(v) => format!("edge({})", names.var(v)),
                        _ => "false".into(),
                    };
                    if arena.as_bool(*initial) == Some(true) {
                        let _ = write!(out, "(initial() or {edge})");
                    } else {
                        out.push_str(&edge);
                    }
                }
                (Builtin::IntToEnum, [marker, i]) => {
                    if let Expr::Enum(of, _) = arena.get(*marker) {
                        let literal = names.enum_literal(of, 1);
                        let ty = literal.rsplit_once('.').map_or("", |(t, _)| t);
                        let _ = write!(out, "{ty}(");
                        write_expr(out, arena, names, *i, 0, depth + 1);
                        out.push(')');
                    }
                }
                (_, [value, ..]) => write_expr(out, arena, names, *value, outer, depth + 1),
                _ => {}
            }
        }
        Expr::Builtin(f, args) => {
            out.push_str(builtin_name(f));
            out.push('(');
            list(out, arena.args(args));
            out.push(')');
        }
        Expr::Call(f, args) => {
            out.push_str(&names.function(f));
            out.push('(');
            list(out, arena.args(args));
            out.push(')');
        }
        Expr::Proj(call, k) => match arena.get(call) {
            Expr::Call(f, args) if names.result(f, k).is_some() => {
                out.push_str(&names.result(f, k).unwrap_or_default());
                out.push('(');
                list(out, arena.args(args));
                out.push(')');
            }
            _ => {
                write_expr(out, arena, names, call, 9, depth + 1);
                let _ = write!(out, ".{}", k + 1);
            }
        },
    }
}

/// Builtins that Modelica writes in another way.
fn rewritten(f: Builtin) -> bool {
    matches!(
        f,
        Builtin::WhenFires | Builtin::IntToEnum | Builtin::OnClock | Builtin::InState
    )
}

/// Name of a scalar type.
pub fn type_name(flat: &FlatModel, ty: Ty) -> String {
    match ty {
        Ty::Real => "Real".into(),
        Ty::Integer => "Integer".into(),
        Ty::Boolean => "Boolean".into(),
        Ty::String => "String".into(),
        Ty::Enum(e) => quoted(&flat.enums[e].name),
        Ty::External => "ExternalObject".into(),
        Ty::Clock => "Clock".into(),
        Ty::Tuple => "tuple".into(),
    }
}

pub fn state_select_name(s: StateSelect) -> &'static str {
    match s {
        StateSelect::Never => "never",
        StateSelect::Avoid => "avoid",
        StateSelect::Default => "default",
        StateSelect::Prefer => "prefer",
        StateSelect::Always => "always",
    }
}
