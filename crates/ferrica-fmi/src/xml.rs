//! Texts and numbers in XML, and what both versions say in the same words.

use crate::table::{Causality, Entry, Initial};

/// ` name="value"`, with everything in its place that XML reads otherwise.
pub fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escaped(value))
}

/// The same if there is a value.
pub fn optional(name: &str, value: &str) -> String {
    match value.is_empty() {
        true => String::new(),
        false => attribute(name, value),
    }
}

pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            // Other control characters have no place in XML.
            c if c < ' ' => {}
            c => out.push(c),
        }
    }
    out
}

/// A number that is read back as the same one.
pub fn number(x: f64) -> String {
    format!("{x:?}")
}

/// ` name="number"` if there is a finite one.
pub fn numeric(name: &str, value: Option<f64>) -> String {
    match value.filter(|x| x.is_finite()) {
        Some(x) => format!(" {name}=\"{}\"", number(x)),
        None => String::new(),
    }
}

/// ` name="number"` of a whole number, if there is one.
pub fn whole(name: &str, value: Option<f64>) -> String {
    match value {
        Some(x) => format!(" {name}=\"{}\"", x as i32),
        None => String::new(),
    }
}

/// What a variable is for, when it changes, and where its first value comes from.
pub fn role(e: &Entry) -> String {
    let causality = match e.causality {
        Causality::Independent => "independent",
        Causality::Parameter => "parameter",
        Causality::CalculatedParameter => "calculatedParameter",
        Causality::Input => "input",
        Causality::Output => "output",
        Causality::Local => "local",
    };
    let initial = match e.initial {
        Some(Initial::Exact) => " initial=\"exact\"",
        Some(Initial::Approx) => " initial=\"approx\"",
        Some(Initial::Calculated) => " initial=\"calculated\"",
        None => "",
    };
    let variability = e.variability;
    format!(" causality=\"{causality}\" variability=\"{variability}\"{initial}")
}
