//! Functions on strings: lengths, parts, comparison, scanners, hash.
//!
//! Positions count bytes from 1, as the C functions do. A position inside a character of several
//! bytes is moved to its start, so that every result is text.

use std::cmp::Ordering;

use crate::call::Call;
use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    r.pure("ModelicaStrings_length", |call| {
        let n = call.text(0)?.len();
        call.return_real(n as f64);
        Ok(())
    });
    r.pure("ModelicaStrings_substring", |call| {
        let (first, last) = (call.int(1)?.max(1), call.int(2)?);
        let last = if last < 0 { first } else { last };
        let part = part(call.text(0)?, first - 1, last).to_string();
        call.return_text(&part);
        Ok(())
    });
    r.pure("ModelicaStrings_compare", |call| {
        let case = call.bool(2)?;
        let (a, b) = (call.text(0)?, call.text(1)?);
        let order = if case {
            a.as_bytes().cmp(b.as_bytes())
        } else {
            let lower = |s: &str| {
                s.bytes()
                    .map(|c| c.to_ascii_lowercase())
                    .collect::<Vec<_>>()
            };
            lower(a).cmp(&lower(b))
        };
        // The literals of the enumeration Compare.
        call.return_real(match order {
            Ordering::Less => 1.0,
            Ordering::Equal => 2.0,
            Ordering::Greater => 3.0,
        });
        Ok(())
    });
    r.pure("ModelicaStrings_skipWhiteSpace", |call| {
        let next = skip(call.text(0)?, call.int(1)?) + 1;
        call.return_real(next as f64);
        Ok(())
    });
    r.pure("ModelicaStrings_hashString", |call| {
        let hash = hash(call.text(0)?.as_bytes());
        call.return_real(f64::from(hash as i32));
        Ok(())
    });
    r.pure("ModelicaStrings_scanReal", |call| {
        // string, startIndex, unsigned, nextIndex, number
        let found = scan_real(call.text(0)?, call.int(1)?, call.bool(2)?);
        scanned_number(call, found)
    });
    r.pure("ModelicaStrings_scanInteger", |call| {
        let found = scan_integer(call.text(0)?, call.int(1)?, call.bool(2)?);
        scanned_number(call, found)
    });
    r.pure("ModelicaStrings_scanIdentifier", |call| {
        // string, startIndex, nextIndex, identifier
        let found = scan_identifier(call.text(0)?, call.int(1)?).map(|(n, s)| (n, s.to_string()));
        scanned_text(call, found)
    });
    r.pure("ModelicaStrings_scanString", |call| {
        let found = scan_string(call.text(0)?, call.int(1)?).map(|(n, s)| (n, s.to_string()));
        scanned_text(call, found)
    });
}

/// Bytes from..to (from 0), within the text and at characters.
fn part(text: &str, from: i64, to: i64) -> &str {
    let place = |at: i64| {
        let mut at = at.clamp(0, text.len() as i64) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (from, to) = (place(from), place(to));
    if from < to { &text[from..to] } else { "" }
}

/// The place (from 0) of the first byte at or behind `start` (from 1) that is no white space.
fn skip(text: &str, start: i64) -> usize {
    let bytes = text.as_bytes();
    let mut at = (start.max(1) - 1).min(bytes.len() as i64) as usize;
    while bytes
        .get(at)
        .is_some_and(|c| c.is_ascii_whitespace() || *c == 0x0b)
    {
        at += 1;
    }
    at
}

fn digits(bytes: &[u8], at: usize) -> usize {
    bytes[at.min(bytes.len())..]
        .iter()
        .take_while(|c| c.is_ascii_digit())
        .count()
}

fn sign(bytes: &[u8], at: usize) -> usize {
    usize::from(matches!(bytes.get(at), Some(b'+' | b'-')))
}

/// `[sign] digits [. [digits]] [e [sign] digits]`; the place behind it and its value.
fn scan_real(text: &str, start: i64, unsigned: bool) -> Option<(usize, f64)> {
    let bytes = text.as_bytes();
    let begin = skip(text, start);
    let mut at = begin + sign(bytes, begin);
    if unsigned && at > begin {
        return None;
    }
    at += digits(bytes, at);
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        at += digits(bytes, at);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += sign(bytes, at);
        let n = digits(bytes, at);
        if n == 0 {
            return None;
        }
        at += n;
    }
    let value = text.get(begin..at)?.parse().ok()?;
    Some((at, value))
}

/// `[sign] digits`, not followed by what would make it a real number.
fn scan_integer(text: &str, start: i64, unsigned: bool) -> Option<(usize, f64)> {
    let bytes = text.as_bytes();
    let begin = skip(text, start);
    let first = begin + sign(bytes, begin);
    let n = digits(bytes, first);
    let end = first + n;
    if (unsigned && first > begin) || n == 0 || matches!(bytes.get(end), Some(b'.' | b'e' | b'E')) {
        return None;
    }
    let value: i32 = text.get(begin..end)?.parse().ok()?;
    Some((end, f64::from(value)))
}

fn scan_identifier(text: &str, start: i64) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let begin = skip(text, start);
    if !bytes.get(begin)?.is_ascii_alphabetic() {
        return None;
    }
    let n = bytes[begin..]
        .iter()
        .take_while(|c| c.is_ascii_alphanumeric() || **c == b'_')
        .count();
    Some((begin + n, text.get(begin..begin + n)?))
}

/// A string in quotes, without them; not empty.
fn scan_string(text: &str, start: i64) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let begin = skip(text, start);
    if bytes.get(begin) != Some(&b'"') {
        return None;
    }
    let end = (begin + 1..bytes.len()).find(|&i| bytes[i] == b'"' && bytes[i - 1] != b'\\')?;
    if end == begin + 1 {
        return None;
    }
    Some((end + 1, text.get(begin + 1..end)?))
}

/// Outputs 3 and 4: where to go on and the number, or the start and zero.
fn scanned_number(call: &mut dyn Call, found: Option<(usize, f64)>) -> Result<(), String> {
    let (next, value) = match found {
        Some((at, value)) => (at as f64 + 1.0, value),
        None => (call.real(1)?, 0.0),
    };
    call.set(3, next)?;
    call.set(4, value)
}

/// Outputs 2 and 3, likewise.
fn scanned_text(call: &mut dyn Call, found: Option<(usize, String)>) -> Result<(), String> {
    let (next, text) = match found {
        Some((at, text)) => (at as f64 + 1.0, text),
        None => (call.real(1)?, String::new()),
    };
    call.set(2, next)?;
    call.set_text(3, &text)
}

/// Arash Partow's hash of 32 bits.
fn hash(bytes: &[u8]) -> u32 {
    let mut h: u32 = 0xaaaa_aaaa;
    for (i, &c) in bytes.iter().enumerate() {
        let c = u32::from(c);
        h ^= if i % 2 == 0 {
            (h << 7) ^ c.wrapping_mul(h >> 3)
        } else {
            !((h << 11).wrapping_add(c ^ (h >> 5)))
        };
    }
    h
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, Value, lookup};

    #[test]
    fn scanners() {
        assert_eq!(scan_real(" -1.5e3x", 1, false), Some((7, -1500.0)));
        assert_eq!(scan_real("-1", 1, true), None);
        assert_eq!(scan_real("2.", 1, false), Some((2, 2.0)));
        assert_eq!(scan_real("x", 1, false), None);
        assert_eq!(scan_real("1e", 1, false), None);
        assert_eq!(scan_integer("  12 ", 2, false), Some((4, 12.0)));
        assert_eq!(scan_integer("12.5", 1, false), None);
        assert_eq!(scan_identifier("  a_1+", 1), Some((5, "a_1")));
        assert_eq!(scan_string(r#" "a\"b" "#, 1), Some((7, r#"a\"b"#)));
        assert_eq!(scan_string("\"", 1), None);
        assert_eq!(scan_real("1", 99, false), None);
    }

    #[test]
    fn parts_and_lengths() {
        assert_eq!(part("abcdef", 1, 3), "bc");
        assert_eq!(part("abc", 2, 99), "c");
        assert_eq!(part("aä", 0, 2), "a");
        assert_eq!(part("abc", 5, 7), "");
    }

    #[test]
    fn outputs_by_position() {
        let mut call = Arguments::new(vec![
            Value::Text("x 42".to_string()),
            Value::Real(2.0),
            Value::Real(0.0),
            Value::Real(0.0),
            Value::Real(0.0),
        ]);
        lookup("ModelicaStrings_scanInteger")
            .unwrap()
            .call(&mut call)
            .unwrap();
        assert_eq!(call.real(3), Ok(5.0));
        assert_eq!(call.real(4), Ok(42.0));
    }
}
