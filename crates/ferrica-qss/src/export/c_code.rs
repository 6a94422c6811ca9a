//! A kernel as C.

use std::fmt::Write;

use ferrica_codegen::kernel::{Bin, Kernel, Op, Un};
use ferrica_ir::Builtin;

/// Statements `const double rK = …;` for all operations; `load(k)` is the C text of operand k. `None`
/// if the kernel calls a function.
pub fn statements(kernel: &Kernel, load: &dyn Fn(u32) -> String) -> Option<String> {
    let mut out = String::new();
    for (r, op) in kernel.ops.iter().enumerate() {
        let text = match *op {
            Op::Load(k) => load(k),
            Op::Const(bits) => number(f64::from_bits(bits)),
            Op::Unary(Un::Neg, a) => format!("-r{a}"),
            Op::Unary(Un::Not, a) => format!("(r{a} == 0.0)"),
            Op::Unary(Un::Math(f), a) => match unary(f) {
                Some(name) => format!("{name}(r{a})"),
                None => return None,
            },
            Op::Binary(f, a, b) => binary(f, a, b)?,
            Op::Select(c, a, b) => format!("(r{c} != 0.0 ? r{a} : r{b})"),
            Op::PowI(a, n) => format!("pow(r{a}, {n})"),
            Op::Call(_) | Op::Result => return None,
        };
        let _ = writeln!(out, "      const double r{r} = {text};");
    }
    Some(out)
}

/// A number that C reads back exactly.
pub fn number(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "HUGE_VAL" } else { "-HUGE_VAL" }.to_string();
    }
    if value.is_nan() {
        return "NAN".to_string();
    }
    format!("{value:e}")
}

fn unary(f: Builtin) -> Option<&'static str> {
    use Builtin as B;
    Some(match f {
        B::Sin => "sin",
        B::Cos => "cos",
        B::Tan => "tan",
        B::Asin => "asin",
        B::Acos => "acos",
        B::Atan => "atan",
        B::Sinh => "sinh",
        B::Cosh => "cosh",
        B::Tanh => "tanh",
        B::Exp => "exp",
        B::Log => "log",
        B::Log10 => "log10",
        B::Sqrt => "sqrt",
        B::Abs => "fabs",
        B::Floor | B::Integer => "floor",
        B::Ceil => "ceil",
        B::Sign => "sign_of",
        _ => return None,
    })
}

fn binary(f: Bin, a: u32, b: u32) -> Option<String> {
    use Builtin as B;
    let infix = |op: &str| format!("r{a} {op} r{b}");
    Some(match f {
        Bin::Add => infix("+"),
        Bin::Sub => infix("-"),
        Bin::Mul => infix("*"),
        Bin::Div => infix("/"),
        Bin::Pow => format!("pow(r{a}, r{b})"),
        Bin::And => format!("(r{a} != 0.0 && r{b} != 0.0)"),
        Bin::Or => format!("(r{a} != 0.0 || r{b} != 0.0)"),
        Bin::Lt => infix("<"),
        Bin::Le => infix("<="),
        Bin::Gt => infix(">"),
        Bin::Ge => infix(">="),
        Bin::Eq => infix("=="),
        Bin::Ne => infix("!="),
        Bin::Math(B::Min) => format!("fmin(r{a}, r{b})"),
        Bin::Math(B::Max) => format!("fmax(r{a}, r{b})"),
        Bin::Math(B::Atan2) => format!("atan2(r{a}, r{b})"),
        Bin::Math(B::Div) => format!("trunc(r{a} / r{b})"),
        Bin::Math(B::Rem) => format!("fmod(r{a}, r{b})"),
        Bin::Math(B::Mod) => format!("(r{a} - floor(r{a} / r{b}) * r{b})"),
        Bin::Math(_) => return None,
    })
}
