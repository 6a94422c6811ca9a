//! Texts of icons: `%name`, `%class` and `%parameter` replaced, and as large as their box allows.

use ferrica_draw::{Anchor, Item, TextStyle, font};
use ferrica_flat::{Instance, Instances, Known};
use ferrica_ir::Symbol;

use crate::TextBox;
use crate::graphics::{Alignment, Text};
use crate::lines::down;
use crate::transform::Transform;

/// Height of a line in relation to the size of its letters.
const LINE: f64 = 1.17;
/// From the base line to the middle of capital letters.
const MIDDLE: f64 = 0.36;
/// Units of the diagram for a point of a fixed font size: a unit is a millimetre.
const POINT: f64 = 25.4 / 72.0;
/// Expressions longer than this are shown by their value.
const LONGEST: usize = 24;

/// Whom the texts of an icon speak of.
pub struct Subject<'s> {
    pub name: &'s str,
    pub instance: Instance,
}

/// The text with its macros replaced; what names nothing stays.
pub fn expand(instances: &mut Instances<'_>, subject: &Subject<'_>, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        let (name, after) = macro_name(rest);
        match replacement(instances, subject, name, after) {
            Some(value) => out.push_str(&value),
            None => {
                out.push('%');
                out.push_str(&rest[..rest.len() - after.len()]);
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `{name}` or as many letters as a name can have, and what follows.
fn macro_name(text: &str) -> (&str, &str) {
    if let Some(inner) = text.strip_prefix('{')
        && let Some(end) = inner.find('}')
    {
        return (&inner[..end], &inner[end + 1..]);
    }
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = text.find(|c| !letter(c)).unwrap_or(text.len());
    // A dot that another name follows belongs to it.
    while let Some(tail) = text[end..].strip_prefix('.')
        && tail.starts_with(|c: char| c.is_alphabetic() || c == '_')
    {
        end += 1 + tail.find(|c| !letter(c)).unwrap_or(tail.len());
    }
    (&text[..end], &text[end..])
}

/// What a macro stands for, before this text.
fn replacement(
    instances: &mut Instances<'_>,
    subject: &Subject<'_>,
    name: &str,
    after: &str,
) -> Option<String> {
    match name {
        "" => return None,
        "name" => return Some(subject.name.to_owned()),
        "class" => {
            let class = instances.class_name(subject.instance);
            return class.rsplit('.').next().map(str::to_owned);
        }
        _ => {}
    }
    let path: Vec<Symbol> = name.split('.').map(Symbol::intern).collect();
    let binding = instances.binding(subject.instance, &path);
    match instances.value(subject.instance, &path) {
        Some(Known::Number(v)) => Some(number(instances, subject, &path, v, after)),
        Some(Known::Array(list)) => Some(match binding.filter(|b| b.len() <= LONGEST) {
            Some(text) => text,
            None => plain(&Known::Array(list)),
        }),
        Some(value) => Some(plain(&value)),
        None => match binding {
            Some(b) if b.len() <= LONGEST => Some(b),
            Some(_) => Some("…".to_owned()),
            None => attribute(instances, subject, &path, after),
        },
    }
}

/// `level.start`: an attribute of a variable.
fn attribute(
    instances: &mut Instances<'_>,
    subject: &Subject<'_>,
    path: &[Symbol],
    after: &str,
) -> Option<String> {
    let (name, path) = path.split_last()?;
    match instances.attribute(subject.instance, path, name.as_str())? {
        Known::Number(v) => Some(number(instances, subject, path, v, after)),
        other => Some(plain(&other)),
    }
}

/// A number with the unit of its variable; alone, where the text goes on with that unit.
fn number(
    instances: &mut Instances<'_>,
    subject: &Subject<'_>,
    path: &[Symbol],
    value: f64,
    after: &str,
) -> String {
    let mut text = |name| {
        let found = instances.text_attribute(subject.instance, path, name);
        found.unwrap_or_default()
    };
    let (unit, shown) = (text("unit"), text("displayUnit"));
    match !unit.is_empty() && begins_with_word(after, &unit) {
        true => ferrica_draw::short(value),
        false => ferrica_draw::quantity(value, &unit, &shown),
    }
}

fn begins_with_word(text: &str, word: &str) -> bool {
    let rest = text.trim_start().strip_prefix(word);
    rest.is_some_and(|r| !r.starts_with(char::is_alphanumeric))
}

fn plain(value: &Known) -> String {
    match value {
        Known::Number(v) => ferrica_draw::short(*v),
        Known::Bool(v) => v.to_string(),
        Known::Text(v) | Known::Enum(v) => v.clone(),
        Known::Array(list) if list.len() > 4 => "[…]".to_owned(),
        Known::Array(list) => {
            let items: Vec<String> = list.iter().map(plain).collect();
            format!("{{{}}}", items.join(", "))
        }
    }
}

/// A text inside of its box, line by line. It is never mirrored and never upside down.
pub fn paint(text: &Text, place: &Transform, fine: f64, out: &mut Vec<Item>) -> Vec<TextBox> {
    let lines: Vec<&str> = text.string.lines().collect();
    if lines.iter().all(|l| l.trim().is_empty()) {
        return Vec::new();
    }
    let along = place.direction((1.0, 0.0));
    let across = place.direction((0.0, 1.0));
    let width = text.extent.width() * along.0.hypot(along.1);
    let height = text.extent.height() * across.0.hypot(across.1);
    let size = match text.size {
        points if points > 0.0 => points * POINT * fine,
        _ => fitting(&lines, width, height),
    };
    if !(size > 0.0 && size.is_finite()) {
        return Vec::new();
    }
    let mut turn = -along.1.atan2(along.0).to_degrees();
    let mirrored = !(-90.0 - 1e-6..90.0 - 1e-6).contains(&turn);
    if mirrored {
        turn += if turn > 0.0 { -180.0 } else { 180.0 };
    }
    let alignment = match (text.alignment, mirrored) {
        (Alignment::Left, true) => Alignment::Right,
        (Alignment::Right, true) => Alignment::Left,
        (other, _) => other,
    };
    let (anchor, side) = match alignment {
        Alignment::Left => (Anchor::Start, -0.5),
        Alignment::Center => (Anchor::Middle, 0.0),
        Alignment::Right => (Anchor::End, 0.5),
    };
    let center = down(place.apply(text.extent.center()));
    let (s, c) = turn.to_radians().sin_cos();
    let first = -0.5 * LINE * size * (lines.len() as f64 - 1.0);
    let room = (width > 0.0 && text.size <= 0.0).then_some(width);
    for (k, line) in lines.iter().enumerate() {
        // In the frame of the text: to the right, and down to the base line.
        let (x, y) = (side * width, first + k as f64 * LINE * size + MIDDLE * size);
        out.push(Item::Text {
            at: (center.0 + c * x - s * y, center.1 + s * x + c * y),
            text: (*line).to_owned(),
            size,
            anchor,
            style: TextStyle {
                bold: text.bold,
                italic: text.italic,
                underlined: text.underlined,
                turn: if turn.abs() < 1e-6 { 0.0 } else { turn },
                room,
            },
            color: text.color,
        });
    }
    let written = |line: &&str| TextBox {
        text: (*line).to_owned(),
        bold: text.bold,
        size,
        room,
    };
    lines.iter().map(written).collect()
}

/// The largest size with which all lines are inside; a box without width limits only the height.
fn fitting(lines: &[&str], width: f64, height: f64) -> f64 {
    let widest = lines
        .iter()
        .map(|l| font::width(l, 1.0))
        .fold(0.0, f64::max);
    let by_height = height / (LINE * lines.len() as f64);
    let by_width = width / widest.max(1e-9);
    match (width > 0.0, height > 0.0) {
        (true, true) => by_height.min(by_width),
        (true, false) => by_width,
        (false, true) => by_height,
        (false, false) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_macros() {
        assert_eq!(macro_name("name%"), ("name", "%"));
        assert_eq!(macro_name("{a b} rest"), ("a b", " rest"));
        assert_eq!(macro_name("data.m. Then"), ("data.m", ". Then"));
        assert_eq!(macro_name("k=1"), ("k", "=1"));
    }

    #[test]
    fn texts_fit_their_boxes() {
        let size = fitting(&["wide text of an icon"], 10.0, 4.0);
        assert!(font::width("wide text of an icon", size) <= 10.0 + 1e-9);
        assert!((fitting(&["a", "b"], 100.0, 4.0) - 2.0 / LINE).abs() < 1e-12);
    }
}
