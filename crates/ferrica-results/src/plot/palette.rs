//! How curves are told apart: ten colours that stay apart in print and for most colour-blind readers; beyond ten a ramp, with dashes.

use ferrica_draw::Color;

use super::figure::Figure;

pub const INK: Color = Color(0x1b, 0x1f, 0x24);
pub const SOFT_INK: Color = Color(0x57, 0x60, 0x6a);
pub const AXIS: Color = Color(0x8c, 0x95, 0x9f);
pub const GRID: Color = Color(0xe4, 0xe7, 0xeb);
pub const FINE_GRID: Color = Color(0xf2, 0xf4, 0xf6);
/// What may not be passed.
pub const LIMIT: Color = Color(0xb3, 0x26, 0x1e);

const SERIES: [Color; 10] = [
    Color(0x1f, 0x6f, 0xb4),
    Color(0xdd, 0x6b, 0x20),
    Color(0x2b, 0x93, 0x5a),
    Color(0xc0, 0x39, 0x5b),
    Color(0x75, 0x58, 0xc4),
    Color(0x14, 0x9d, 0xa6),
    Color(0xc9, 0x94, 0x00),
    Color(0x8a, 0x5a, 0x44),
    Color(0xd1, 0x5f, 0xa6),
    Color(0x5b, 0x67, 0x75),
];

/// Of equal steps between these: from violet over blue and green to red, never paler than is seen on paper.
const RAMP: [Color; 6] = [
    Color(0x4a, 0x2f, 0x94),
    Color(0x1f, 0x6f, 0xb4),
    Color(0x14, 0x9d, 0xa6),
    Color(0x5a, 0x9a, 0x2f),
    Color(0xd0, 0x8a, 0x10),
    Color(0xb8, 0x2c, 0x4c),
];

/// Neighbours on the ramp differ by these.
const DASHES: [&[f64]; 3] = [&[], &[7.0, 3.0], &[2.0, 2.5]];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    pub color: Color,
    /// Lengths of dashes and gaps; empty: a solid line.
    pub dashes: &'static [f64],
}

pub fn series(index: usize) -> Color {
    SERIES[index % SERIES.len()]
}

/// What of a colour is left in an area: curves over it must show.
const TINT: f64 = 0.3;

/// The colour of an area.
pub fn tint(color: Color) -> Color {
    let mix = |c: u8| (255.0 + TINT * (f64::from(c) - 255.0)).round() as u8;
    Color(mix(color.0), mix(color.1), mix(color.2))
}

/// One a series, panel by panel. A variable looks the same in all panels.
pub fn styles(figure: &Figure) -> Vec<Vec<Style>> {
    let mut known: Vec<&str> = Vec::new();
    let mut count = 0;
    let mut numbers: Vec<Vec<usize>> = Vec::new();
    for panel in &figure.panels {
        let of = panel.series.iter().map(|s| {
            let same = known.iter().position(|k| *k == s.label && !k.is_empty());
            same.unwrap_or_else(|| {
                known.push(&s.label);
                count += 1;
                count - 1
            })
        });
        numbers.push(of.collect());
    }
    let style = |k: &usize| one(*k, count);
    let of = |list: &Vec<usize>| list.iter().map(style).collect();
    numbers.iter().map(of).collect()
}

/// The look of number `k` of `count`.
fn one(k: usize, count: usize) -> Style {
    if count <= SERIES.len() {
        return Style {
            color: series(k),
            dashes: &[],
        };
    }
    let at = k as f64 / (count - 1) as f64 * (RAMP.len() - 1) as f64;
    let lower = (at as usize).min(RAMP.len() - 2);
    let (a, b, part) = (RAMP[lower], RAMP[lower + 1], at - lower as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
    Style {
        color: Color(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2)),
        dashes: DASHES[k % DASHES.len()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Series};

    fn figure(names: &[&[&str]]) -> Figure {
        let mut figure = Figure::new("", Axis::default(), Axis::default());
        for (k, panel) in names.iter().enumerate() {
            if k > 0 {
                figure = figure.panel(Axis::default());
            }
            for name in *panel {
                figure = figure.with(Series::line(*name, vec![0.0], vec![0.0]));
            }
        }
        figure
    }

    #[test]
    fn a_variable_keeps_its_colour_across_panels() {
        let of = styles(&figure(&[&["a", "b"], &["b", "c"]]));
        assert_eq!(of[0][1], of[1][0]);
        assert_ne!(of[0][0], of[1][1]);
        assert_eq!(of[1][1].color, series(2));
    }

    #[test]
    fn many_curves_all_look_different() {
        let names: Vec<String> = (0..40).map(|k| format!("x[{k}]")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let of = &styles(&figure(&[&names]))[0];
        for (i, a) in of.iter().enumerate() {
            assert!(of[..i].iter().all(|b| a != b), "{i}");
            if i > 0 {
                assert_ne!(a.dashes, of[i - 1].dashes);
            }
        }
    }
}
