//! Equidistant times.
//!
//! In: an origin and a period as somebody has written them, 0 and 0.1. Out: the number nearest to each origin + k·period: the third is 0.3, where
//! sums and products of the machine's numbers give 0.30000000000000004. Where two rules name the same time (a sampler and the rows of the result),
//! both get the same number.

use std::fmt::{self, Write};

/// Whole numbers up to here are exact, and so are their sums and products.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Powers of ten up to here are exact.
const EXACT_POWER: i32 = 22;

/// origin + k·period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equidistant {
    pub origin: f64,
    pub period: f64,
    decimals: Option<Decimals>,
}

/// (origin + k·period) / scale with whole numbers: only the division rounds, as long as they are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decimals {
    origin: f64,
    period: f64,
    scale: f64,
}

impl Equidistant {
    pub fn new(origin: f64, period: f64) -> Equidistant {
        Equidistant {
            origin,
            period,
            decimals: Decimals::of(origin, period),
        }
    }

    pub fn at(&self, k: f64) -> f64 {
        match self.decimals {
            Some(d) => (d.origin + k * d.period) / d.scale,
            None => self.origin + k * self.period,
        }
    }

    /// The same as an expression in C of the whole number `k`; `literal` writes a number.
    pub fn in_c(&self, k: &str, literal: impl Fn(f64) -> String) -> String {
        match self.decimals {
            Some(d) => format!(
                "({} + (double){k} * {}) / {}",
                literal(d.origin),
                literal(d.period),
                literal(d.scale)
            ),
            None => format!(
                "{} + (double){k} * {}",
                literal(self.origin),
                literal(self.period)
            ),
        }
    }
}

impl Decimals {
    /// None if they have too many decimals: 1/3 is nobody's decimal number.
    fn of(origin: f64, period: f64) -> Option<Decimals> {
        let ((a, a_exponent), (b, b_exponent)) = (digits(origin)?, digits(period)?);
        let exponent = a_exponent.min(b_exponent).min(0);
        if exponent < -EXACT_POWER {
            return None;
        }
        let whole = |digits: f64, e: i32| {
            let power = e - exponent;
            let value = digits * 10f64.powi(power.min(EXACT_POWER));
            (power <= EXACT_POWER && value.abs() <= EXACT).then_some(value)
        };
        Some(Decimals {
            origin: whole(a, a_exponent)?,
            period: whole(b, b_exponent)?,
            scale: 10f64.powi(-exponent),
        })
    }
}

/// The shortest decimal number that is read as this one: a whole number and a power of ten. Allocates nothing.
fn digits(x: f64) -> Option<(f64, i32)> {
    let mut text = Text::default();
    write!(text, "{x:e}").ok()?;
    let text = std::str::from_utf8(&text.bytes[..text.len]).ok()?;
    let (mantissa, exponent) = text.split_once('e')?;
    let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len() as i32);
    // Up to 17 digits.
    let number = mantissa.bytes().filter(u8::is_ascii_digit);
    let number = number.fold(0u64, |n, d| 10 * n + u64::from(d - b'0')) as f64;
    let exponent: i32 = exponent.parse().ok()?;
    let sign = if x < 0.0 { -1.0 } else { 1.0 };
    (number <= EXACT).then_some((sign * number, exponent - decimals))
}

/// Room for a number.
#[derive(Default)]
struct Text {
    bytes: [u8; 32],
    len: usize,
}

impl fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..self.len + s.len());
        room.ok_or(fmt::Error)?.copy_from_slice(s.as_bytes());
        self.len += s.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the reader of numbers makes of the decimals is the truth.
    #[test]
    fn times_are_those_that_the_decimals_say() {
        let tenths = Equidistant::new(0.0, 0.1);
        let late = Equidistant::new(-1.5, 2e-6);
        for k in 0..100_000 {
            let said = format!("{}.{}", k / 10, k % 10);
            assert_eq!(tenths.at(k as f64), said.parse::<f64>().unwrap());
            let micros = 2 * k - 1_500_000i64;
            let said = format!("{micros}e-6");
            assert_eq!(late.at(k as f64), said.parse::<f64>().unwrap());
        }
        assert_eq!(Equidistant::new(0.3, 0.1).at(3.0), 0.6);
        assert_eq!(Equidistant::new(1e9, 0.25).at(1.0), 1e9 + 0.25);
        assert_eq!(Equidistant::new(5.0, 1e20).at(2.0), 2e20);
    }

    #[test]
    fn other_numbers_are_multiplied() {
        let third = Equidistant::new(0.0, 1.0 / 3.0);
        assert_eq!(third.at(2.0), 2.0 / 3.0);
        assert_eq!(third.at(1e6), 1e6 / 3.0);
        let tiny = Equidistant::new(0.1, 1e-300);
        assert_eq!(tiny.at(7.0), 0.1);
        let pi = std::f64::consts::PI;
        assert_eq!(Equidistant::new(pi, pi).at(0.0), pi);
    }
}
