//! Texts and numbers in XML.

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
