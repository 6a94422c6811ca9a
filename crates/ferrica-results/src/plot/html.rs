//! One HTML file that needs nothing else: data, drawing code and style inside.
//!
//! Mouse wheel zooms, dragging selects a range, shift-dragging moves, a double click shows all
//! again, the legend switches curves off and on.

use std::fmt::Write;

use super::decimate::decimate;
use super::figure::{Axis, Figure, Limit, Mark, Panel, Scale};
use super::palette;
use super::ticks::{label_with_factor, takes_prefixes};
use ferrica_draw::escape;

/// Points of a series that stay for zooming in.
const MAX_POINTS: usize = 60_000;

const PAGE: &str = include_str!("page.html");

pub fn to_html(figure: &Figure) -> String {
    PAGE.replace("{{TITLE}}", &escape(&figure.title))
        .replace("{{DATA}}", &data(figure))
}

fn data(figure: &Figure) -> String {
    let mut out = String::from("{");
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "\"title\":{},\"x\":{}",
        string(&figure.title),
        axis(&figure.x, figure.x_range())
    );
    out.push_str(",\"panels\":[");
    let styles = palette::styles(figure);
    for (i, panel) in figure.panels.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        let fixed = panel.y.range.is_some()
            || panel
                .series
                .iter()
                .any(|s| matches!(s.mark, Mark::Bars { .. }));
        let _ = write!(
            out,
            "{{\"y\":{},\"fixed\":{fixed},\"low\":{},\"limits\":[{}],\"series\":[",
            axis(&panel.y, panel.y_range()),
            panel.is_low,
            limits(panel)
        );
        for (k, series) in panel.series.iter().enumerate() {
            if k > 0 {
                out.push(',');
            }
            let (mark, width) = match series.mark {
                Mark::Line => ("line", 0.0),
                Mark::Markers => ("markers", 0.0),
                Mark::LineMarkers => ("both", 0.0),
                Mark::Bars { width } => ("bars", width),
                Mark::Area => ("area", 0.0),
            };
            // The outline of an area goes there and back: all of its points count.
            let (x, y) = match series.mark {
                Mark::Area => series.points().unzip(),
                _ => thin(series.points(), series.x.len().min(series.y.len())),
            };
            let _ = write!(
                out,
                "{{\"name\":{},\"mark\":\"{mark}\",\"width\":{width},\"color\":\"{}\",\"dashes\":{:?},\"x\":\"{}\",\"y\":\"{}\"}}",
                string(&series.label),
                styles[i][k].color.hex(),
                styles[i][k].dashes,
                base64(&x),
                base64(&y)
            );
        }
        out.push_str("]}");
    }
    out.push_str("]}");
    out
}

fn limits(panel: &Panel) -> String {
    let one = |l: &Limit| format!("{{\"label\":{},\"x\":{:e}}}", string(&l.label), l.x);
    let all: Vec<String> = panel.limits.iter().map(one).collect();
    all.join(",")
}

/// All points if they are not too many, else those that a very wide picture would show.
fn thin(points: impl Iterator<Item = (f64, f64)>, count: usize) -> (Vec<f64>, Vec<f64>) {
    if count <= MAX_POINTS {
        return points.unzip();
    }
    let points: Vec<(f64, f64)> = points.collect();
    let ends = points
        .iter()
        .map(|p| p.0)
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
            (l.min(x), h.max(x))
        });
    let mut kept = Vec::new();
    for piece in decimate(points.into_iter(), ends, MAX_POINTS / 4) {
        if !kept.is_empty() {
            kept.push((f64::NAN, f64::NAN));
        }
        kept.extend(piece);
    }
    kept.into_iter().unzip()
}

fn axis(axis: &Axis, (low, high): (f64, f64)) -> String {
    let log = axis.scale == Scale::Log;
    let categories: Vec<String> = axis.categories.iter().map(|c| string(c)).collect();
    // What the label is with each factor that the page may choose.
    let factors = (-15..=15).step_by(3).filter(|e| *e != 0);
    let labels: Vec<String> = factors
        .map(|e| format!("\"{e}\":{}", string(&label_with_factor(&axis.label, e))))
        .collect();
    format!(
        "{{\"label\":{},\"log\":{log},\"low\":{low:e},\"high\":{high:e},\"categories\":[{}],\"prefixes\":{},\"labels\":{{{}}}}}",
        string(&axis.label),
        categories.join(","),
        takes_prefixes(&axis.label),
        labels.join(",")
    )
}

/// A JSON string that is also safe inside a script element.
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Little-endian doubles in base64.
fn base64(values: &[f64]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut word = 0u32;
        for k in 0..3 {
            word = word << 8 | u32::from(group.get(k).copied().unwrap_or(0));
        }
        for k in 0..4 {
            if k <= group.len() {
                out.push(char::from(DIGITS[(word >> (18 - 6 * k) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Series;

    #[test]
    fn base64_of_doubles() {
        // 1.0 is 00 00 00 00 00 00 F0 3F.
        assert_eq!(base64(&[1.0]), "AAAAAAAA8D8=");
        assert_eq!(
            base64(&[0.0, 1.0, 0.0]),
            format!("{}{}", "AAAAAAAAAAAAAAAAAADwPwAA", "AAAAAAAA")
        );
    }

    #[test]
    fn the_page_is_self_contained() {
        let figure = Figure::new("a </script> b", Axis::new("t"), Axis::new("y"))
            .with(Series::line("x", vec![0.0, 1.0], vec![0.0, 1.0]));
        let page = to_html(&figure);
        assert_eq!(
            page.matches("</script>").count(),
            page.matches("<script").count()
        );
        assert!(!page.contains("http://") && !page.contains("https://"));
        assert!(!page.contains("{{"));
    }

    #[test]
    fn long_series_are_thinned() {
        let n = 500_000;
        let points = (0..n).map(|i| (f64::from(i), f64::from(i % 7)));
        let (x, y) = thin(points, n as usize);
        assert!(x.len() <= MAX_POINTS && x.len() == y.len() && x.len() > MAX_POINTS / 4);
    }
}
