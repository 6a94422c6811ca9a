//! A number with its unit, as a reader wants it.

/// Units in which values are shown, by the unit they are stored in: name, factor and offset of the shown value.
const DISPLAY: [(&str, &str, f64, f64); 19] = [
    ("rad", "deg", 180.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "deg/s", 180.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "rpm", 30.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "1/min", 30.0 / std::f64::consts::PI, 0.0),
    ("rad/s", "rev/min", 30.0 / std::f64::consts::PI, 0.0),
    ("K", "degC", 1.0, -273.15),
    ("Pa", "bar", 1e-5, 0.0),
    ("Pa", "kPa", 1e-3, 0.0),
    ("Pa", "MPa", 1e-6, 0.0),
    ("s", "ms", 1e3, 0.0),
    ("s", "min", 1.0 / 60.0, 0.0),
    ("s", "h", 1.0 / 3600.0, 0.0),
    ("m", "mm", 1e3, 0.0),
    ("m", "cm", 1e2, 0.0),
    ("m/s", "km/h", 3.6, 0.0),
    ("kg/m3", "g/cm3", 1e-3, 0.0),
    ("W", "kW", 1e-3, 0.0),
    ("J", "kWh", 1.0 / 3.6e6, 0.0),
    ("A", "mA", 1e3, 0.0),
];

/// Significant digits of a shown number.
const DIGITS: usize = 5;

/// The factor, offset and text of the unit that values in `unit` are shown in; an unknown wish keeps the unit.
pub fn display(unit: &str, wanted: &str) -> (f64, f64, String) {
    let found = DISPLAY.iter().find(|d| (d.0, d.1) == (unit, wanted));
    match found {
        Some(&(_, name, factor, offset)) => (factor, offset, pretty(name)),
        None => (1.0, 0.0, pretty(unit)),
    }
}

/// `30 °` for a value of π/6 in `rad` that is to be shown in `deg`.
pub fn quantity(value: f64, unit: &str, wanted: &str) -> String {
    let (factor, offset, unit) = display(unit, wanted);
    let number = short(value * factor + offset);
    match unit.as_str() {
        "" | "1" => number,
        _ => format!("{number} {unit}"),
    }
}

/// Units in the letters of print: `N.m` is `N·m`, `m2` is `m²`.
pub fn pretty(unit: &str) -> String {
    let mut out = String::new();
    let mut power = false;
    for c in unit.chars() {
        let small = match c {
            '0'..='9' => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']
                .get(c as usize - '0' as usize)
                .copied(),
            '-' => Some('⁻'),
            _ => None,
        };
        match (c, small) {
            ('.', _) => out.push('·'),
            ('^', _) => {}
            (_, Some(small)) if power || out.ends_with(char::is_alphabetic) => out.push(small),
            _ => out.push(c),
        }
        power = small.is_some()
            && out.ends_with(['⁻', '⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']);
    }
    match out.as_str() {
        "Ohm" => "Ω".to_owned(),
        "Ohm·m" => "Ω·m".to_owned(),
        "degC" => "°C".to_owned(),
        "deg" => "°".to_owned(),
        "deg/s" => "°/s".to_owned(),
        _ => out,
    }
}

/// Prefixes of the SI by their power of ten.
const PREFIXES: [(i32, &str); 10] = [
    (-15, "f"),
    (-12, "p"),
    (-9, "n"),
    (-6, "µ"),
    (-3, "m"),
    (3, "k"),
    (6, "M"),
    (9, "G"),
    (12, "T"),
    (15, "P"),
];

/// Units that take any prefix, and those of which only parts are usual.
const PREFIXED: [&str; 16] = [
    "V", "A", "W", "Ω", "Ohm", "F", "H", "Pa", "N", "J", "m", "Hz", "C", "Wb", "T", "S",
];
const ONLY_PARTS: [&str; 3] = ["s", "K", "bar"];

/// The unit with the prefix for a power of ten: `kV`, `mN·m`; none where nobody writes that.
pub fn prefixed(unit: &str, exponent: i32) -> Option<String> {
    let end = unit.find(['/', '·', '.']).unwrap_or(unit.len());
    let first = &unit[..end];
    let usual = PREFIXED.contains(&first) || (ONLY_PARTS.contains(&first) && exponent < 0);
    let (_, prefix) = PREFIXES.iter().find(|p| p.0 == exponent)?;
    usual.then(|| format!("{prefix}{unit}"))
}

/// A value with its unit and the prefix that leaves one to three digits before the point: `4.7 µF`.
pub fn engineering(value: f64, unit: &str) -> String {
    let size = value.abs();
    let exponent = match size > 0.0 && size.is_finite() && !(0.1..1e4).contains(&size) {
        true => ((size.log10() + 1e-9).floor() as i32).div_euclid(3) * 3,
        false => 0,
    };
    match prefixed(unit, exponent) {
        Some(unit) => format!("{} {unit}", short(value / 10f64.powi(exponent))),
        None => quantity(value, unit, ""),
    }
}

/// A few significant digits, no zeros at the end.
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let Some((digits, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..7).contains(&exponent) || value == 0.0 {
        let decimals = (DIGITS as i32 - 1 - exponent).max(0) as usize;
        trimmed(&format!("{value:.decimals$}"))
    } else {
        format!("{}e{exponent}", trimmed(digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (100.0, "100"),
            (0.1, "0.1"),
            (1e-6, "1e-6"),
            (1.0 / 3.0, "0.33333"),
            (2.5e9, "2.5e9"),
            (-0.25, "-0.25"),
            (314159.0, "314159"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn prefixes_of_units() {
        for (unit, exponent, text) in [
            ("V", 3, Some("kV")),
            ("N·m", -3, Some("mN·m")),
            ("m/s", -6, Some("µm/s")),
            ("s", -3, Some("ms")),
            ("s", 3, None),
            ("m²", 3, None),
            ("kg", 3, None),
            ("°C", -3, None),
            ("rpm", 3, None),
            ("V", 30, None),
        ] {
            assert_eq!(
                prefixed(unit, exponent).as_deref(),
                text,
                "{unit} {exponent}"
            );
        }
    }

    #[test]
    fn values_with_prefixes() {
        assert_eq!(engineering(4.7e-6, "F"), "4.7 µF");
        assert_eq!(engineering(100.0, "Ω"), "100 Ω");
        assert_eq!(engineering(2e-3, "kg"), "0.002 kg");
        assert_eq!(engineering(0.0, "V"), "0 V");
    }

    #[test]
    fn quantities_in_their_display_units() {
        assert_eq!(quantity(std::f64::consts::PI / 6.0, "rad", "deg"), "30 °");
        assert_eq!(quantity(293.15, "K", "degC"), "20 °C");
        assert_eq!(quantity(1.5e5, "Pa", "bar"), "1.5 bar");
        assert_eq!(quantity(100.0, "Ohm", ""), "100 Ω");
        assert_eq!(quantity(2.0, "kg.m2", ""), "2 kg·m²");
        assert_eq!(quantity(2.0, "1", ""), "2");
        assert_eq!(pretty("W/(m2.K)"), "W/(m²·K)");
        assert_eq!(pretty("s-1"), "s⁻¹");
    }
}
