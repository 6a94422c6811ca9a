//! Lists and strings of C.

use std::fmt::{Display, Write};

/// Items in rows; an array of no elements is none in C, so that one is `{ 0 }`.
pub fn list<T: Display>(items: impl Iterator<Item = T>) -> String {
    let mut out = String::new();
    let mut any = false;
    for (k, item) in items.enumerate() {
        let gap = if k % 8 == 7 { ",\n    " } else { ", " };
        let _ = write!(out, "{}{item}", if k > 0 { gap } else { "" });
        any = true;
    }
    if any { out } else { "0".to_string() }
}

/// The same of items that are lists.
pub fn nested(items: impl Iterator<Item = String>) -> String {
    match list(items) {
        text if text == "0" => "{ 0 }".to_string(),
        text => text,
    }
}

pub fn row<T: Display>(items: &[T]) -> String {
    format!("{{ {} }}", list(items.iter()))
}

/// A C string literal.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '?' => out.push_str("\\?"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            _ => out.push('_'),
        }
    }
    out.push('"');
    out
}
