//! The little JSON that is written and read here.

use std::fmt::Write;

/// A string literal.
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// `"name": "value"` of a line, as written here one pair a line.
pub fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_end_matches(',');
    let (name, value) = line.strip_prefix('"')?.split_once("\": ")?;
    Some((name, value.strip_prefix('"')?.strip_suffix('"')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let line = format!("  {}: {},", string("A.b"), string("matching"));
        assert_eq!(pair(&line), Some(("A.b", "matching")));
        assert_eq!(string("a\"\\\n"), "\"a\\\"\\\\\\n\"");
    }
}
