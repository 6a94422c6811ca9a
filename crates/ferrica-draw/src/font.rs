//! The embedded font: widths of texts for the layout, outlines of letters for PNG.

use std::sync::LazyLock;

use ttf_parser::{Face, OutlineBuilder};

static FACE: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| Face::parse(dejavu::sans_condensed::regular(), 0).ok());

/// The width of a text of the given size.
pub fn width(text: &str, size: f64) -> f64 {
    let Some(face) = FACE.as_ref() else {
        return 0.55 * size * text.chars().count() as f64;
    };
    let scale = size / f64::from(face.units_per_em());
    text.chars().map(|c| advance(face, c) * scale).sum()
}

fn advance(face: &Face, c: char) -> f64 {
    let glyph = face.glyph_index(c).unwrap_or_default();
    f64::from(
        face.glyph_hor_advance(glyph)
            .unwrap_or(face.units_per_em() / 2),
    )
}

/// Sends the outlines of a text to `sink`, one call a letter: the builder, the position of the
/// letter on the base line and the scale from font units to pixels.
pub fn outline(
    text: &str,
    size: f64,
    mut sink: impl FnMut(&mut dyn FnMut(&mut dyn OutlineBuilder), f64, f64),
) {
    let Some(face) = FACE.as_ref() else { return };
    let scale = size / f64::from(face.units_per_em());
    let mut x = 0.0;
    for c in text.chars() {
        let glyph = face.glyph_index(c).unwrap_or_default();
        sink(
            &mut |builder| {
                face.outline_glyph(glyph, builder);
            },
            x,
            scale,
        );
        x += advance(face, c) * scale;
    }
}

/// The text, or its two ends with `…` between where it is too long.
pub fn ellipsize(text: &str, size: f64, available: f64) -> String {
    if width(text, size) <= available {
        return text.to_owned();
    }
    let chars: Vec<char> = text.chars().collect();
    for kept in (2..chars.len()).rev() {
        let head = kept.div_ceil(2);
        let short: String = chars[..head]
            .iter()
            .chain(&['…'])
            .chain(&chars[chars.len() - (kept - head)..])
            .collect();
        if width(&short, size) <= available {
            return short;
        }
    }
    "…".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_widths() {
        assert!(width("W", 12.0) > width("i", 12.0));
        assert!((width("ab", 12.0) - width("a", 12.0) - width("b", 12.0)).abs() < 1e-9);
        // Digits are all as wide as each other.
        assert_eq!(width("0", 12.0), width("7", 12.0));
        assert!(width("−10⁻³ µΩ", 12.0) > 0.0);
    }

    #[test]
    fn long_names_lose_their_middle() {
        let short = ellipsize("machine.rotor.inertia.flange_a.tau", 12.0, 100.0);
        assert!(width(&short, 12.0) <= 100.0);
        assert!(short.starts_with("mach") && short.ends_with(".tau") && short.contains('…'));
    }
}
