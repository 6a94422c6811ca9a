//! `String(x, …)` of literals.

use ferrica_ir::{Expr, ExprArena, ExprId};

/// The text of a literal in the default format, padded to a minimum length.
pub fn format_value(
    x: &ExprArena,
    value: ExprId,
    digits: ExprId,
    width: ExprId,
    left: ExprId,
) -> Option<String> {
    let text = match x.get(value) {
        Expr::Real(bits) => significant(f64::from_bits(bits), x.as_int(digits)?),
        Expr::Int(v) => v.to_string(),
        Expr::Bool(b) => b.to_string(),
        Expr::Str(s) => x.string_text(s).to_string(),
        _ => return None,
    };
    let width = usize::try_from(x.as_int(width)?).unwrap_or(0);
    Some(if x.as_bool(left)? {
        format!("{text:<width$}")
    } else {
        format!("{text:>width$}")
    })
}

/// As C's `%.{digits}g`.
pub fn significant(v: f64, digits: i64) -> String {
    let digits = digits.clamp(1, 17) as usize;
    if v == 0.0 || !v.is_finite() {
        return if v == 0.0 { "0".into() } else { format!("{v}") };
    }
    let scientific = format!("{:.*e}", digits - 1, v);
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |s: &str| {
        if s.contains('.') {
            s.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            s.to_string()
        }
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(mantissa), exponent.abs())
    } else {
        trim(&format!(
            "{:.*}",
            (digits as i32 - 1 - exponent).max(0) as usize,
            v
        ))
    }
}
