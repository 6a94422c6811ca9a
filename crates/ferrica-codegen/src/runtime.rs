//! What running code needs beside numbers: strings, external objects, native functions, warnings.
//!
//! A string is a handle: its index in a pool in which equal strings have equal handles, so that
//! equality of strings is equality of numbers. The pool begins with the empty string and the
//! literals of the model, in the order of the expression arena. An external object is an index into
//! a table.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use ferrica_ir::expr::{ExprArena, StrId};
use rustc_hash::FxHashMap;

use crate::evaluator::Failure;
use crate::kernel::TextOp;
use crate::memo::Memo;

/// An external object: made by its constructor, read by the functions that take it.
pub type Object = Arc<dyn Any + Send + Sync>;

/// Hears of the end of each step between events, at which everything has been evaluated. An error ends the run.
pub type Follower = Arc<dyn Fn(f64) -> Result<(), String> + Send + Sync>;

#[derive(Clone, Default)]
pub struct Runtime {
    strings: Vec<Arc<str>>,
    handles: FxHashMap<Arc<str>, u32>,
    objects: Vec<Object>,
    /// Warnings of functions (assertions of level warning), not yet reported.
    pub warnings: Vec<String>,
    /// Literal names of the enumerations.
    pub enums: Arc<[Vec<String>]>,
    /// May functions change files, folders and the environment?
    pub may_change_system: bool,
    /// Are lines that the model prints shown?
    pub prints: bool,
    /// The user's C function `usertab`, where there is one.
    pub user_tables: Option<crate::natives::UserTables>,
    /// Folder of the model's file.
    pub folder: Option<Arc<Path>>,
    /// External objects that have a history of their own.
    pub followers: Vec<Follower>,
    /// Nested calls at this moment.
    pub depth: u32,
    pub memo: Memo,
    /// Room for the outputs of a call out of machine code.
    pub outputs: Vec<f64>,
}

impl Runtime {
    /// A step ends here, everything being evaluated.
    pub fn tell_followers(&self, time: f64) -> Result<(), Failure> {
        let mut all = self.followers.iter();
        all.try_for_each(|follower| follower(time).map_err(Failure::new))
    }

    pub fn new(literals: impl Iterator<Item = Arc<str>>, enums: Arc<[Vec<String>]>) -> Runtime {
        let mut rt = Runtime {
            enums,
            ..Runtime::default()
        };
        for text in std::iter::once(Arc::from("")).chain(literals) {
            rt.handles
                .entry(text.clone())
                .or_insert(rt.strings.len() as u32);
            rt.strings.push(text);
        }
        rt
    }

    pub fn text(&self, handle: f64) -> &str {
        self.strings.get(handle as usize).map_or("", |s| s)
    }

    pub fn handle(&mut self, text: &str) -> f64 {
        if let Some(&h) = self.handles.get(text) {
            return f64::from(h);
        }
        let text: Arc<str> = text.into();
        let h = self.strings.len() as u32;
        self.strings.push(text.clone());
        self.handles.insert(text, h);
        f64::from(h)
    }

    pub fn add_object(&mut self, object: Object) -> f64 {
        self.objects.push(object);
        // 0 stays "no object", so that a slot never set is noticed.
        self.objects.len() as f64
    }

    pub fn object(&self, handle: f64) -> Option<&Object> {
        (handle >= 1.0)
            .then(|| self.objects.get(handle as usize - 1))
            .flatten()
    }

    /// All of them: the object of handle h is number h − 1.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    pub fn text_op(&mut self, op: TextOp, args: &[f64]) -> f64 {
        let text = match op {
            TextOp::Concat => format!("{}{}", self.text(args[0]), self.text(args[1])),
            TextOp::FromReal => significant(args[0], 6),
            TextOp::FromInteger => format!("{}", args[0]),
            TextOp::FromBoolean => (if args[0] != 0.0 { "true" } else { "false" }).to_string(),
            TextOp::FromEnum(e) => {
                let literals = self.enums.get(e as usize);
                let k = (args[0] - 1.0) as usize;
                literals
                    .and_then(|l| l.get(k))
                    .cloned()
                    .unwrap_or_else(|| args[0].to_string())
            }
            TextOp::FromDigits => {
                let digits = args.get(1).map_or(6, |d| d.clamp(1.0, 40.0) as usize);
                pad(&significant(args[0], digits), &args[2..])
            }
            TextOp::Pad => pad(self.text(args[0]), &args[1..]),
            TextOp::FromFormat => {
                let format = self.text(args[1]).to_string();
                c_format(&format, args[0])
            }
            TextOp::Lt | TextOp::Le | TextOp::Gt | TextOp::Ge => {
                let order = self.text(args[0]).cmp(self.text(args[1]));
                let holds = match op {
                    TextOp::Lt => order.is_lt(),
                    TextOp::Le => order.is_le(),
                    TextOp::Gt => order.is_gt(),
                    _ => order.is_ge(),
                };
                return f64::from(u8::from(holds));
            }
        };
        self.handle(&text)
    }
}

/// A text with spaces up to a minimum length: `[minimumLength, leftJustified]`.
fn pad(text: &str, form: &[f64]) -> String {
    let width = form.first().map_or(0, |w| w.clamp(0.0, 1000.0) as usize);
    if form.get(1).is_none_or(|&left| left != 0.0) {
        format!("{text:<width$}")
    } else {
        format!("{text:>width$}")
    }
}

/// Handle of a string literal of the model.
pub fn literal_handle(arena: &ExprArena, id: StrId) -> f64 {
    if arena.string_text(id).is_empty() {
        0.0
    } else {
        f64::from(id.as_u32() + 1)
    }
}

/// The number with so many significant digits, as `%.{digits}g` of C prints it.
pub fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    if !x.is_finite() {
        return format!("{x}");
    }
    let digits = digits.max(1);
    let scientific = format!("{:.*e}", digits - 1, x);
    let exponent: i32 = scientific
        .split_once('e')
        .and_then(|(_, e)| e.parse().ok())
        .unwrap_or(0);
    let trim = |s: &str| -> String {
        if s.contains('.') {
            s.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            s.to_string()
        }
    };
    if exponent < -4 || exponent >= digits as i32 {
        let (mantissa, _) = scientific.split_once('e').unwrap_or((&scientific, ""));
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
    } else {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{x:.decimals$}"))
    }
}

/// `format` as in C without the leading percent sign: `[flags][width][.precision]conversion`.
pub fn c_format(format: &str, x: f64) -> String {
    let format = format.trim_start_matches('%');
    let conversion = format.chars().last().unwrap_or('g');
    let spec = &format[..format.len() - conversion.len_utf8().min(format.len())];
    let flags: String = spec.chars().take_while(|c| "-+ #0".contains(*c)).collect();
    let rest = &spec[flags.len()..];
    let (width, precision) = match rest.split_once('.') {
        Some((w, p)) => (w.parse().unwrap_or(0usize), p.parse::<usize>().ok()),
        None => (rest.parse().unwrap_or(0), None),
    };
    let (width, precision) = (width.min(1000), precision.map(|p| p.min(100)));
    let mut text = match conversion {
        'd' | 'i' | 'u' => format!("{}", x.trunc()),
        'x' => format!("{:x}", x as i64),
        'X' => format!("{:X}", x as i64),
        'o' => format!("{:o}", x as i64),
        'f' | 'F' => format!("{:.*}", precision.unwrap_or(6), x),
        'e' | 'E' => {
            let s = format!("{:.*e}", precision.unwrap_or(6), x);
            let (m, e) = s.split_once('e').unwrap_or((&s, "0"));
            let e: i32 = e.parse().unwrap_or(0);
            let sign = if e < 0 { '-' } else { '+' };
            let t = format!("{m}e{sign}{:02}", e.abs());
            if conversion == 'E' {
                t.to_uppercase()
            } else {
                t
            }
        }
        'G' => significant(x, precision.unwrap_or(6)).to_uppercase(),
        _ => significant(x, precision.unwrap_or(6)),
    };
    if x >= 0.0 {
        if flags.contains('+') {
            text.insert(0, '+');
        } else if flags.contains(' ') {
            text.insert(0, ' ');
        }
    }
    let missing = width.saturating_sub(text.chars().count());
    if flags.contains('-') {
        text + &" ".repeat(missing)
    } else if flags.contains('0') {
        let at = usize::from(text.starts_with(['-', '+', ' ']));
        text.insert_str(at, &"0".repeat(missing));
        text
    } else {
        " ".repeat(missing) + &text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected texts are those of printf of the C library.
    #[test]
    fn numbers_print_as_in_c() {
        assert_eq!(significant(0.1, 6), "0.1");
        assert_eq!(significant(1234567.0, 6), "1.23457e+06");
        assert_eq!(significant(1e-5, 6), "1e-05");
        assert_eq!(significant(100000.0, 6), "100000");
        assert_eq!(significant(999999.5, 6), "1e+06");
        assert_eq!(c_format("8.3f", std::f64::consts::PI), "   3.142");
        assert_eq!(c_format("-6d", 42.0), "42    ");
        assert_eq!(c_format("+.2e", 12345.0), "+1.23e+04");
        assert_eq!(c_format("05d", -42.0), "-0042");
    }

    #[test]
    fn equal_strings_have_equal_handles() {
        let mut rt = Runtime::new(["a".into(), "b".into()].into_iter(), Arc::new([]));
        let ab = rt.text_op(TextOp::Concat, &[1.0, 2.0]);
        assert_eq!(rt.text(ab), "ab");
        assert_eq!(rt.handle("ab"), ab);
        assert_eq!(rt.handle("b"), 2.0);
        assert_eq!(rt.handle(""), 0.0);
    }
}
