//! The C mathematical library.

use std::sync::Arc;

use super::Native;

fn one(f: fn(f64) -> f64) -> Native {
    Arc::new(move |call| {
        call.result = f(call.real(0)?);
        Ok(())
    })
}

fn two(f: fn(f64, f64) -> f64) -> Native {
    Arc::new(move |call| {
        call.result = f(call.real(0)?, call.real(1)?);
        Ok(())
    })
}

/// Half to even, as the default rounding mode of C.
fn rint(x: f64) -> f64 {
    x.round_ties_even()
}

pub fn register(add: &mut dyn FnMut(&str, Native)) {
    let unary: [(&str, fn(f64) -> f64); 27] = [
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("tan", f64::tan),
        ("asin", f64::asin),
        ("acos", f64::acos),
        ("atan", f64::atan),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("tanh", f64::tanh),
        ("asinh", f64::asinh),
        ("acosh", f64::acosh),
        ("atanh", f64::atanh),
        ("exp", f64::exp),
        ("exp2", f64::exp2),
        ("expm1", f64::exp_m1),
        ("log", f64::ln),
        ("log10", f64::log10),
        ("log2", f64::log2),
        ("log1p", f64::ln_1p),
        ("sqrt", f64::sqrt),
        ("cbrt", f64::cbrt),
        ("fabs", f64::abs),
        ("floor", f64::floor),
        ("ceil", f64::ceil),
        ("round", f64::round),
        ("trunc", f64::trunc),
        ("rint", rint),
    ];
    for (name, f) in unary {
        add(name, one(f));
    }
    let binary: [(&str, fn(f64, f64) -> f64); 7] = [
        ("atan2", f64::atan2),
        ("pow", f64::powf),
        ("fmod", |x, y| x % y),
        ("hypot", f64::hypot),
        ("fmin", f64::min),
        ("fmax", f64::max),
        ("copysign", f64::copysign),
    ];
    for (name, f) in binary {
        add(name, two(f));
    }
    add(
        "abs",
        Arc::new(|call| {
            call.result = call.real(0)?.abs();
            Ok(())
        }),
    );
}
