//! Where an axis has its ticks and what they say.
//!
//! Linear: steps of 1, 2, 2.5 or 5 times a power of ten. Large and small numbers share a factor
//! 10^(3k) that belongs into the axis label, as a prefix of its unit where that is usual. Logarithmic: whole decades, or 1-2-5 within few.

use super::figure::{Axis, Scale};
use ferrica_draw::prefixed;

#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Position in units of the axis, and text.
    pub major: Vec<(f64, String)>,
    pub minor: Vec<f64>,
    /// The exponent of ten to multiply the texts with.
    pub exponent: i32,
}

/// Chooses about `count` ticks between the ends of an axis.
pub fn ticks(axis: &Axis, (low, high): (f64, f64), count: usize) -> Ticks {
    if !axis.categories.is_empty() {
        let named = axis.categories.iter().enumerate();
        let major = named
            .map(|(i, name)| (i as f64, name.clone()))
            .filter(|(x, _)| (low..=high).contains(x))
            .collect();
        return Ticks {
            major,
            minor: Vec::new(),
            exponent: 0,
        };
    }
    match axis.scale {
        Scale::Linear => linear(low, high, count, |largest| exponent_of(axis, largest)),
        Scale::Log => logarithmic(low, high, count),
    }
}

/// The step between ticks that comes nearest to `count` of them.
pub fn nice_step(size: f64, count: usize) -> f64 {
    let raw = size / count.max(1) as f64;
    let power = 10f64.powf(raw.log10().floor());
    let factor = raw / power;
    let nice = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .find(|n| factor <= n * 1.0001);
    nice.unwrap_or(10.0) * power
}

fn linear(low: f64, high: f64, count: usize, exponent_of: impl Fn(f64) -> i32) -> Ticks {
    let steps = (count..count + 4).map(|n| nice_step(high - low, n));
    // One tick says nothing of the scale.
    let two = |step: &f64| (high / step).floor() > (low / step).ceil();
    let step = steps.clone().find(two).or(steps.clone().next());
    let step = step.unwrap_or(f64::NAN);
    if !(step.is_finite() && step > 0.0) {
        return Ticks {
            major: Vec::new(),
            minor: Vec::new(),
            exponent: 0,
        };
    }
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    // A handful: `count` and the step see to it.
    let values: Vec<f64> = (0..=((last - first).max(0.0) as usize).min(1000))
        .map(|k| (first + k as f64) * step)
        .collect();
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let exponent = exponent_of(largest);
    let scale = 10f64.powi(exponent);
    let decimals = decimals(step / scale);
    let major = values
        .iter()
        .map(|v| (*v, fixed(v / scale, decimals)))
        .collect();
    Ticks {
        major,
        minor: Vec::new(),
        exponent,
    }
}

/// A unit with a prefix reads easily, a factor only where numbers would be clumsy.
fn exponent_of(axis: &Axis, largest: f64) -> i32 {
    let exponent = engineering_exponent(largest);
    let is_usual = unit_of(&axis.label).is_some_and(|u| prefixed(u, exponent).is_some());
    let reads_well = (0.1..1e4).contains(&largest);
    match is_usual && !reads_well {
        true => exponent,
        false => factor_exponent(largest),
    }
}

/// Does the unit of this label read better with a prefix?
pub fn takes_prefixes(label: &str) -> bool {
    unit_of(label).is_some_and(|u| prefixed(u, -3).is_some())
}

/// What stands in brackets at the end of a label.
fn unit_of(label: &str) -> Option<&str> {
    let (_, unit) = label.strip_suffix(']')?.rsplit_once('[')?;
    Some(unit)
}

/// No factor for what people read easily; else a multiple of three.
fn factor_exponent(largest: f64) -> i32 {
    if largest == 0.0 || (1e-2..1e5).contains(&largest) {
        return 0;
    }
    engineering_exponent(largest)
}

/// The multiple of three that leaves one to three digits before the point.
fn engineering_exponent(largest: f64) -> i32 {
    if largest == 0.0 {
        return 0;
    }
    let exponent = (largest.log10() + 1e-9).floor() as i32;
    exponent.div_euclid(3) * 3
}

/// Digits after the point that a step needs.
fn decimals(step: f64) -> usize {
    (0..15)
        .find(|&d| {
            let scaled = step * 10f64.powi(d);
            (scaled - scaled.round()).abs() < 1e-6 * scaled.max(1e-3)
        })
        .map_or(15, |d| d as usize)
}

fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b == b'0' || b == b'.') => rest.to_owned(),
        Some(rest) => format!("\u{2212}{rest}"),
        None => text,
    }
}

/// 10^e, where 10^-e is too large to be a number too.
fn decade(e: i32) -> f64 {
    10f64.powf(f64::from(e))
}

fn logarithmic(low: f64, high: f64, count: usize) -> Ticks {
    let (l, h) = (low.log10(), high.log10());
    if !(l.is_finite() && h.is_finite()) {
        return Ticks {
            major: Vec::new(),
            minor: Vec::new(),
            exponent: 0,
        };
    }
    let (first, last) = ((l - 1e-9).ceil() as i32, (h + 1e-9).floor() as i32);
    let decades = (last - first + 1).max(0);
    if decades < 2 {
        return few_decades(low, high);
    }
    let every = (decades as usize).div_ceil(count.max(1)) as i32;
    let major = (first..=last)
        .filter(|e| e % every == 0)
        .map(|e| (decade(e), format!("10{}", superscript(e))))
        .collect();
    let mut minor = Vec::new();
    if every > 1 {
        minor.extend((first..=last).filter(|e| e % every != 0).map(decade));
    } else if decades <= 6 {
        let all = (first - 1..=last).flat_map(|e| (2..10).map(move |k| f64::from(k) * decade(e)));
        minor.extend(all.filter(|v| (low..=high).contains(v)));
    }
    Ticks {
        major,
        minor,
        exponent: 0,
    }
}

/// Less than two decades: 1, 2, 5 and their decades, in plain numbers.
fn few_decades(low: f64, high: f64) -> Ticks {
    let bottom = low.log10().floor() as i32;
    let top = high.log10().ceil() as i32;
    let all = (bottom..=top).flat_map(|e| [1.0, 2.0, 5.0].map(|k| k * decade(e)));
    let values: Vec<f64> = all.filter(|v| (low..=high).contains(v)).collect();
    if values.len() < 2 {
        return linear(low, high, 4, factor_exponent);
    }
    // A common factor, if the numbers would be clumsy without.
    let largest = values.iter().fold(0.0f64, |m, v| m.max(*v));
    let clumsy = low < 1e-3 || high >= 1e5;
    let exponent = if clumsy {
        engineering_exponent(largest)
    } else {
        0
    };
    let scale = 10f64.powi(exponent);
    let major = values.iter().map(|v| (*v, short(v / scale))).collect();
    Ticks {
        major,
        minor: Vec::new(),
        exponent,
    }
}

/// A number in few characters.
pub fn short(value: f64) -> String {
    let text = if value == 0.0 || (1e-3..1e5).contains(&value.abs()) {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        let text = format!("{value:.3e}");
        match text.split_once('e') {
            Some((mantissa, exponent)) => {
                let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
                let exponent = superscript(exponent.parse().unwrap_or(0));
                if mantissa == "1" {
                    format!("10{exponent}")
                } else {
                    format!("{mantissa}·10{exponent}")
                }
            }
            None => text,
        }
    };
    text.replace('-', "\u{2212}")
}

pub fn superscript(exponent: i32) -> String {
    exponent
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
        })
        .collect()
}

/// The label of an axis with the factor of its ticks: `p [Pa]` becomes `p [MPa]`, `m [kg]` becomes `m [10⁶ kg]`.
pub fn label_with_factor(label: &str, exponent: i32) -> String {
    if exponent == 0 {
        return label.to_owned();
    }
    let factor = format!("10{}", superscript(exponent));
    match label.strip_suffix(']').and_then(|l| l.rsplit_once('[')) {
        Some((quantity, unit)) => match prefixed(unit, exponent) {
            Some(unit) => format!("{quantity}[{unit}]"),
            None => format!("{quantity}[{factor} {unit}]"),
        },
        None if label.is_empty() => format!("[{factor}]"),
        None => format!("{label} [{factor}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64) -> (Vec<String>, i32) {
        let ticks = ticks(&Axis::default(), (low, high), 5);
        (
            ticks.major.into_iter().map(|(_, t)| t).collect(),
            ticks.exponent,
        )
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        assert_eq!(
            texts(0.0, 1.0).0,
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(texts(-10.5, 10.5).0, ["−10", "−5", "0", "5", "10"]);
        assert_eq!(
            texts(0.0, 0.5).0,
            ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]
        );
        let (t, e) = texts(0.0, 1.2e7);
        assert_eq!((t[1].as_str(), e), ("2.5", 6));
        let (t, e) = texts(0.0, 2e-4);
        assert_eq!((t.last().unwrap().as_str(), e), ("200", -6));
        assert_eq!(texts(293.15, 293.1502).0[0], "293.15000");
    }

    #[test]
    fn a_prefix_is_taken_early_a_factor_late() {
        let of = |unit: &str, high: f64| {
            let t = ticks(&Axis::new(format!("x [{unit}]")), (0.0, high), 5);
            (t.major.last().unwrap().1.clone(), t.exponent)
        };
        assert_eq!(of("s", 0.05), ("50".to_owned(), -3));
        assert_eq!(of("V", 4e4), ("40".to_owned(), 3));
        assert_eq!(of("kg", 0.05), ("0.05".to_owned(), 0));
        assert_eq!(of("kg", 4e4), ("40000".to_owned(), 0));
        assert_eq!(of("s", 4e6), ("4".to_owned(), 6));
    }

    #[test]
    fn log_ticks() {
        let axis = Axis::default().log();
        let t = ticks(&axis, (1e-8, 1.0), 9);
        assert_eq!(t.major[0], (1e-8, "10⁻⁸".to_owned()));
        assert_eq!(t.major.len(), 9);
        let t = ticks(&axis, (1e-12, 1e3), 6);
        assert!(t.major.len() <= 6 && !t.minor.is_empty());
        let t = ticks(&axis, (1.5, 60.0), 6);
        let names: Vec<_> = t.major.iter().map(|(_, t)| t.as_str()).collect();
        assert_eq!(names, ["2", "5", "10", "20", "50"]);
        let t = ticks(&axis, (1.5e-4, 4e-3), 6);
        let names: Vec<_> = t.major.iter().map(|(_, t)| t.as_str()).collect();
        assert_eq!((names, t.exponent), (vec!["0.2", "0.5", "1", "2"], -3));
    }

    #[test]
    fn labels() {
        assert_eq!(label_with_factor("p [Pa]", 6), "p [MPa]");
        assert_eq!(label_with_factor("m [kg]", 6), "m [10⁶ kg]");
        assert_eq!(label_with_factor("x [m2]", 18), "x [10¹⁸ m2]");
        assert_eq!(label_with_factor("", -3), "[10⁻³]");
        assert_eq!(short(-1.5e-7), "−1.5·10⁻⁷");
        assert_eq!(short(0.25), "0.25");
    }

    /// 10^-320 and the margin below it are hardly numbers.
    #[test]
    fn the_smallest_and_the_largest_decades() {
        for (low, high) in [(5e-324, 1e-310), (5e-324, 1e308), (1e-320, 2e-320)] {
            let t = logarithmic(low, high, 5);
            assert!(t.major.len() < 20, "{low} {high}");
            let inside = |v: &f64| *v > 0.0 && v.is_finite();
            assert!(t.major.iter().all(|(v, _)| inside(v)), "{low} {high}");
            assert!(t.minor.iter().all(inside), "{low} {high}");
        }
        assert!(logarithmic(0.0, 1.0, 5).major.is_empty());
    }
}
