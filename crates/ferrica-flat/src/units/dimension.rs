//! Physical dimensions and the unit expressions of chapter 19.
//!
//! In: a unit string such as `"kg.m2/s2"` or `"J/(kg.K)"`. Out: its dimension, the exponents of the
//! seven SI base units; plane and solid angles count as numbers. Prefixes and other factors do not
//! change a dimension; [`base_unit`] tells them too.

/// Exponents are counted in these parts, so that roots have a place.
const PARTS: i16 = 60;

/// Exponents of m, kg, s, A, K, mol, cd.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dimension([i16; 7]);

const BASE: [&str; 7] = ["m", "kg", "s", "A", "K", "mol", "cd"];

/// Symbols with their dimensions, those that a reader would expect first in front.
const SYMBOLS: &[(&str, [i8; 7])] = &[
    ("N", [1, 1, -2, 0, 0, 0, 0]),
    ("Pa", [-1, 1, -2, 0, 0, 0, 0]),
    ("J", [2, 1, -2, 0, 0, 0, 0]),
    ("W", [2, 1, -3, 0, 0, 0, 0]),
    ("C", [0, 0, 1, 1, 0, 0, 0]),
    ("V", [2, 1, -3, -1, 0, 0, 0]),
    ("Ohm", [2, 1, -3, -2, 0, 0, 0]),
    ("S", [-2, -1, 3, 2, 0, 0, 0]),
    ("F", [-2, -1, 4, 2, 0, 0, 0]),
    ("H", [2, 1, -2, -2, 0, 0, 0]),
    ("Wb", [2, 1, -2, -1, 0, 0, 0]),
    ("T", [0, 1, -2, -1, 0, 0, 0]),
    ("m", [1, 0, 0, 0, 0, 0, 0]),
    ("kg", [0, 1, 0, 0, 0, 0, 0]),
    ("s", [0, 0, 1, 0, 0, 0, 0]),
    ("A", [0, 0, 0, 1, 0, 0, 0]),
    ("K", [0, 0, 0, 0, 1, 0, 0]),
    ("mol", [0, 0, 0, 0, 0, 1, 0]),
    ("cd", [0, 0, 0, 0, 0, 0, 1]),
    ("Hz", [0, 0, -1, 0, 0, 0, 0]),
    ("Bq", [0, 0, -1, 0, 0, 0, 0]),
    ("Gy", [2, 0, -2, 0, 0, 0, 0]),
    ("Sv", [2, 0, -2, 0, 0, 0, 0]),
    ("kat", [0, 0, -1, 0, 0, 1, 0]),
    ("lm", [0, 0, 0, 0, 0, 0, 1]),
    ("lx", [-2, 0, 0, 0, 0, 0, 1]),
    ("g", [0, 1, 0, 0, 0, 0, 0]),
    ("t", [0, 1, 0, 0, 0, 0, 0]),
    ("u", [0, 1, 0, 0, 0, 0, 0]),
    ("l", [3, 0, 0, 0, 0, 0, 0]),
    ("L", [3, 0, 0, 0, 0, 0, 0]),
    ("bar", [-1, 1, -2, 0, 0, 0, 0]),
    ("eV", [2, 1, -2, 0, 0, 0, 0]),
    ("var", [2, 1, -3, 0, 0, 0, 0]),
    ("VA", [2, 1, -3, 0, 0, 0, 0]),
    ("Wh", [2, 1, -2, 0, 0, 0, 0]),
    ("Ah", [0, 0, 1, 1, 0, 0, 0]),
    ("min", [0, 0, 1, 0, 0, 0, 0]),
    ("h", [0, 0, 1, 0, 0, 0, 0]),
    ("d", [0, 0, 1, 0, 0, 0, 0]),
    ("degC", [0, 0, 0, 0, 1, 0, 0]),
    ("degF", [0, 0, 0, 0, 1, 0, 0]),
    ("degRk", [0, 0, 0, 0, 1, 0, 0]),
    ("rad", [0; 7]),
    ("sr", [0; 7]),
    ("deg", [0; 7]),
    ("rev", [0; 7]),
    ("%", [0; 7]),
];

/// Symbols of one field, which no reader expects for what happens to have their dimension: m2/s2 is no dose.
const SPECIAL: &[&str] = &["Bq", "Gy", "Sv", "kat", "lm", "lx"];

/// Symbols that are not one of their base units, with how many they are.
const FACTORS: &[(&str, f64)] = &[
    ("g", 1e-3),
    ("t", 1e3),
    ("u", 1.660_539_066_6e-27),
    ("l", 1e-3),
    ("L", 1e-3),
    ("bar", 1e5),
    ("eV", 1.602_176_634e-19),
    ("Wh", 3600.0),
    ("Ah", 3600.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("degF", 5.0 / 9.0),
    ("degRk", 5.0 / 9.0),
    ("deg", std::f64::consts::PI / 180.0),
    ("rev", 2.0 * std::f64::consts::PI),
    ("%", 0.01),
];

/// Prefixes; the two-letter one first, as `da` is not `d` with `a…`.
const PREFIXES: &[(&str, f64)] = &[
    ("da", 1e1),
    ("Y", 1e24),
    ("Z", 1e21),
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
    ("f", 1e-15),
    ("a", 1e-18),
    ("z", 1e-21),
    ("y", 1e-24),
];

/// What a value in a unit is in SI base units: `factor` · value + `offset`, with these exponents of m, kg, s, A, K, mol and cd.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BaseUnit {
    pub exponents: [i32; 7],
    pub factor: f64,
    pub offset: f64,
}

/// The base units behind a unit; `None` if it is not one that we know, or has roots in it.
pub fn base_unit(text: &str) -> Option<BaseUnit> {
    let (dimension, factor) = parse(text)?;
    let mut exponents = [0; 7];
    for (to, e) in exponents.iter_mut().zip(dimension.0) {
        if e % PARTS != 0 {
            return None;
        }
        *to = i32::from(e / PARTS);
    }
    // Temperatures on their own are counted from another zero.
    let offset = match text.trim() {
        "degC" => 273.15,
        "degF" => 273.15 - 32.0 * 5.0 / 9.0,
        _ => 0.0,
    };
    Some(BaseUnit {
        exponents,
        factor,
        offset,
    })
}

/// Dimension and factor of a unit expression.
fn parse(text: &str) -> Option<(Dimension, f64)> {
    let mut p = Parser {
        rest: text.trim().as_bytes(),
    };
    let found = p.quotient(0)?;
    p.rest.is_empty().then_some(found)
}

const WITHOUT_PREFIX: &[&str] = &[
    "kg", "min", "h", "d", "degC", "degF", "degRk", "deg", "rev", "%",
];

impl Dimension {
    pub const NUMBER: Dimension = Dimension([0; 7]);
    pub const TIME: Dimension = Dimension([0, 0, PARTS, 0, 0, 0, 0]);

    fn of(exponents: [i8; 7]) -> Dimension {
        Dimension(exponents.map(|e| i16::from(e) * PARTS))
    }

    pub fn is_number(self) -> bool {
        self == Dimension::NUMBER
    }

    pub fn times(self, other: Dimension) -> Dimension {
        self.zip(other, i16::saturating_add)
    }

    pub fn over(self, other: Dimension) -> Dimension {
        self.zip(other, i16::saturating_sub)
    }

    fn zip(self, other: Dimension, f: impl Fn(i16, i16) -> i16) -> Dimension {
        let mut out = self.0;
        for (a, b) in out.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        Dimension(out)
    }

    /// `None` if an exponent would have no place.
    pub fn power(self, exponent: f64) -> Option<Dimension> {
        let mut out = [0; 7];
        for (o, e) in out.iter_mut().zip(self.0) {
            let x = f64::from(e) * exponent;
            if (x - x.round()).abs() > 1e-6 || x.abs() > f64::from(i16::MAX) {
                return None;
            }
            *o = x.round() as i16;
        }
        Some(Dimension(out))
    }

    /// The dimension of a unit expression; `None` if it is not one that we know.
    pub fn parse(text: &str) -> Option<Dimension> {
        parse(text).map(|(dimension, _)| dimension)
    }
}

impl std::fmt::Display for Dimension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_number() {
            return f.write_str("1");
        }
        let mut expected = SYMBOLS.iter().filter(|(s, _)| !SPECIAL.contains(s));
        if let Some((name, _)) = expected.find(|(_, e)| Dimension::of(*e) == *self) {
            return f.write_str(name);
        }
        let part = |sign: i16| {
            let list: Vec<String> = (BASE.iter().zip(self.0))
                .filter(|(_, e)| e.signum() == sign)
                .map(|(n, e)| match e.abs() {
                    PARTS => (*n).to_string(),
                    e if e % PARTS == 0 => format!("{n}{}", e / PARTS),
                    e => format!("{n}^({:.3})", f64::from(e) / f64::from(PARTS)),
                })
                .collect();
            (list.len(), list.join("."))
        };
        let ((_, above), (count, below)) = (part(1), part(-1));
        let above = if above.is_empty() { "1" } else { &above };
        match count {
            0 => f.write_str(above),
            1 => write!(f, "{above}/{below}"),
            _ => write!(f, "{above}/({below})"),
        }
    }
}

struct Parser<'t> {
    rest: &'t [u8],
}

impl Parser<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn quotient(&mut self, depth: u32) -> Option<(Dimension, f64)> {
        let (mut d, mut x) = self.product(depth)?;
        while self.take(b'/') {
            let (below, y) = self.factor(depth)?;
            (d, x) = (d.over(below), x / y);
        }
        Some((d, x))
    }

    fn product(&mut self, depth: u32) -> Option<(Dimension, f64)> {
        let (mut d, mut x) = self.factor(depth)?;
        while self.take(b'.') {
            let (other, y) = self.factor(depth)?;
            (d, x) = (d.times(other), x * y);
        }
        Some((d, x))
    }

    fn factor(&mut self, depth: u32) -> Option<(Dimension, f64)> {
        if self.take(b'(') {
            let d = (depth < 8).then(|| self.quotient(depth + 1)).flatten()?;
            return self.take(b')').then_some(d);
        }
        if self.take(b'1') {
            return Some((Dimension::NUMBER, 1.0));
        }
        let length = self
            .rest
            .iter()
            .take_while(|b| b.is_ascii_alphabetic() || **b == b'%')
            .count();
        let (name, rest) = self.rest.split_at(length);
        self.rest = rest;
        let (base, x) = symbol(std::str::from_utf8(name).ok()?)?;
        let negative = self.take(b'-');
        if !negative {
            self.take(b'+');
        }
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        if digits == 0 {
            return (!negative).then_some((base, x));
        }
        let n: f64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        let n = if negative { -n } else { n };
        Some((base.power(n)?, x.powf(n)))
    }
}

/// A symbol as it is, or with a prefix.
fn symbol(name: &str) -> Option<(Dimension, f64)> {
    let known = |n: &str| {
        let found = SYMBOLS.iter().find(|(s, _)| *s == n)?;
        let factor = FACTORS.iter().find(|(s, _)| *s == n);
        Some((Dimension::of(found.1), factor.map_or(1.0, |f| f.1)))
    };
    known(name).or_else(|| {
        PREFIXES
            .iter()
            .filter_map(|(p, x)| Some((name.strip_prefix(p)?, x)))
            .filter(|(n, _)| !WITHOUT_PREFIX.contains(n))
            .find_map(|(n, x)| known(n).map(|(d, f)| (d, x * f)))
    })
}

#[cfg(test)]
mod tests {
    use super::{Dimension, base_unit};

    fn of(text: &str) -> Dimension {
        Dimension::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    /// Definitions of the SI brochure, table 4.
    #[test]
    fn derived_units() {
        assert_eq!(of("N"), of("kg.m/s2"));
        assert_eq!(of("J"), of("N.m"));
        assert_eq!(of("W"), of("V.A"));
        assert_eq!(of("Ohm"), of("V/A"));
        assert_eq!(of("F"), of("C/V"));
        assert_eq!(of("H"), of("Wb/A"));
        assert_eq!(of("T"), of("Wb/m2"));
        assert_eq!(of("Pa"), of("N.m-2"));
        assert_eq!(of("J/(kg.K)"), of("(J/kg)/K"));
        assert_eq!(of("m2/s2"), of("J/kg"));
    }

    #[test]
    fn prefixes_and_factors_do_not_matter() {
        assert_eq!(of("mm"), of("km"));
        assert_eq!(of("dam"), of("m"));
        assert_eq!(of("kW.h"), of("J"));
        assert_eq!(of("rev/min"), of("Hz"));
        assert_eq!(of("rad"), of("1"));
        assert_eq!(of("degC"), of("K"));
    }

    #[test]
    fn what_is_not_a_unit() {
        for text in ["", "foo", "m/", "(m", "m2s", "m..s", "kkg", "m-"] {
            assert_eq!(Dimension::parse(text), None, "{text}");
        }
    }

    #[test]
    fn printed_as_a_reader_expects() {
        assert_eq!(of("kg.m2/s3").to_string(), "W");
        assert_eq!(of("W/(m2.K)").to_string(), "kg/(s3.K)");
        assert_eq!(of("m/s").to_string(), "m/s");
        assert_eq!(of("1/m").to_string(), "1/m");
        let root = of("Pa").power(0.5).unwrap_or_default();
        assert_eq!(root.to_string(), "kg^(0.500)/(m^(0.500).s)");
    }

    /// Factors by definition, from the SI brochure, tables 7 and 8.
    #[test]
    fn factors_and_offsets() {
        let of = |text: &str| {
            let u = base_unit(text).unwrap_or_else(|| panic!("{text}"));
            (u.factor, u.offset)
        };
        assert_eq!(of("kW.h"), (3.6e6, 0.0));
        assert_eq!(of("bar"), (1e5, 0.0));
        assert_eq!(of("km/h"), (1000.0 / 3600.0, 0.0));
        assert_eq!(of("degC"), (1.0, 273.15));
        assert_eq!(of("mm2").0, 1e-3f64.powf(2.0));
        assert_eq!(
            base_unit("Ohm").map(|u| u.exponents),
            Some([2, 1, -3, -2, 0, 0, 0])
        );
    }
}
