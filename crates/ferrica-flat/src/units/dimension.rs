//! Physical dimensions and the unit expressions of chapter 19.
//!
//! In: a unit string such as `"kg.m2/s2"` or `"J/(kg.K)"`. Out: its dimension, the exponents of the
//! seven SI base units; plane and solid angles count as numbers. Prefixes and other factors do not
//! change a dimension.

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

/// Prefixes; the two-letter one first, as `da` is not `d` with `a…`.
const PREFIXES: &[&str] = &[
    "da", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "d", "c", "m", "u", "n", "p", "f", "a", "z",
    "y",
];

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
        let mut p = Parser {
            rest: text.trim().as_bytes(),
        };
        let d = p.quotient(0)?;
        p.rest.is_empty().then_some(d)
    }
}

impl std::fmt::Display for Dimension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_number() {
            return f.write_str("1");
        }
        if let Some((name, _)) = SYMBOLS.iter().find(|(_, e)| Dimension::of(*e) == *self) {
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

    fn quotient(&mut self, depth: u32) -> Option<Dimension> {
        let mut d = self.product(depth)?;
        while self.take(b'/') {
            d = d.over(self.factor(depth)?);
        }
        Some(d)
    }

    fn product(&mut self, depth: u32) -> Option<Dimension> {
        let mut d = self.factor(depth)?;
        while self.take(b'.') {
            d = d.times(self.factor(depth)?);
        }
        Some(d)
    }

    fn factor(&mut self, depth: u32) -> Option<Dimension> {
        if self.take(b'(') {
            let d = (depth < 8).then(|| self.quotient(depth + 1)).flatten()?;
            return self.take(b')').then_some(d);
        }
        if self.take(b'1') {
            return Some(Dimension::NUMBER);
        }
        let length = self
            .rest
            .iter()
            .take_while(|b| b.is_ascii_alphabetic() || **b == b'%')
            .count();
        let (name, rest) = self.rest.split_at(length);
        self.rest = rest;
        let base = symbol(std::str::from_utf8(name).ok()?)?;
        let negative = self.take(b'-');
        if !negative {
            self.take(b'+');
        }
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        if digits == 0 {
            return (!negative).then_some(base);
        }
        let n: f64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        base.power(if negative { -n } else { n })
    }
}

/// A symbol as it is, or with a prefix.
fn symbol(name: &str) -> Option<Dimension> {
    let known = |n: &str| SYMBOLS.iter().find(|(s, _)| *s == n);
    let found = known(name).or_else(|| {
        PREFIXES
            .iter()
            .filter_map(|p| name.strip_prefix(p))
            .filter(|n| !WITHOUT_PREFIX.contains(n))
            .find_map(known)
    });
    found.map(|(_, e)| Dimension::of(*e))
}

#[cfg(test)]
mod tests {
    use super::Dimension;

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
}
