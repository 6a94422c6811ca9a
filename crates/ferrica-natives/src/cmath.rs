//! The C mathematical library.

use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    let unary: [(&'static str, fn(f64) -> f64); 38] = [
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
        ("abs", f64::abs),
        ("labs", f64::abs),
        ("floor", f64::floor),
        ("ceil", f64::ceil),
        ("round", f64::round),
        ("trunc", f64::trunc),
        // The default rounding mode of C: half to even.
        ("rint", f64::round_ties_even),
        ("nearbyint", f64::round_ties_even),
        ("erf", libm::erf),
        ("erfc", libm::erfc),
        ("tgamma", libm::tgamma),
        ("lgamma", libm::lgamma),
        ("j0", libm::j0),
        ("j1", libm::j1),
        ("y0", libm::y0),
        ("y1", libm::y1),
    ];
    for (name, f) in unary {
        r.real1(name, f);
    }
    let binary: [(&'static str, fn(f64, f64) -> f64); 9] = [
        ("atan2", f64::atan2),
        ("pow", f64::powf),
        ("fmod", |x, y| x % y),
        ("remainder", libm::remainder),
        ("hypot", f64::hypot),
        ("fmin", f64::min),
        ("fmax", f64::max),
        ("fdim", libm::fdim),
        ("copysign", f64::copysign),
    ];
    for (name, f) in binary {
        r.real2(name, f);
    }
    r.pure("fma", |call| {
        let y = call.real(0)?.mul_add(call.real(1)?, call.real(2)?);
        call.return_real(y);
        Ok(())
    });
    r.pure("ldexp", |call| {
        let y = libm::ldexp(call.real(0)?, call.int(1)?.clamp(-5000, 5000) as i32);
        call.return_real(y);
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use crate::{Arguments, Value, lookup};

    /// erf(1) from the tables of Abramowitz and Stegun, 7.1.
    #[test]
    fn functions_are_found_by_name() {
        let mut call = Arguments::new(vec![Value::Real(1.0)]);
        lookup("erf").unwrap().call(&mut call).unwrap();
        let Some(Value::Real(y)) = call.result else {
            panic!("no result")
        };
        assert!((y - 0.842_700_792_949_714_9).abs() < 1e-15);
        assert!(lookup("no_such_function").is_none());
    }
}
