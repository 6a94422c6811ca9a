//! Prints a scene as SVG: text stays text, coordinates have one or two decimals.

use std::fmt::Write;

use super::figure::Figure;
use super::layout::lay_out;
use super::palette::PAPER;
use super::scene::{Anchor, Item, Scene, Shape};

const FONTS: &str = "'Inter','Helvetica Neue',Helvetica,Arial,'DejaVu Sans Condensed',sans-serif";

pub fn to_svg(figure: &Figure) -> String {
    print(&lay_out(figure))
}

fn print(scene: &Scene) -> String {
    let mut out = String::new();
    let (w, h) = (number(scene.width), number(scene.height));
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\" role=\"img\" font-family=\"{FONTS}\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(&scene.title));
    let _ = writeln!(
        out,
        "<rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>",
        PAPER.hex()
    );
    let mut clips = 0;
    for item in &scene.items {
        print_item(&mut out, item, &mut clips);
    }
    out.push_str("</svg>\n");
    out
}

fn print_item(out: &mut String, item: &Item, clips: &mut usize) {
    let _ = match item {
        Item::Stroke {
            points,
            width,
            color,
        } => {
            let _ = write!(out, "<path d=\"");
            for (i, (x, y)) in points.iter().enumerate() {
                let letter = if i == 0 { 'M' } else { 'L' };
                let _ = write!(out, "{letter}{} {}", number(*x), number(*y));
            }
            writeln!(
                out,
                "\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"/>",
                color.hex(),
                number(*width)
            )
        }
        Item::Marker {
            at: (x, y),
            radius,
            shape,
            color,
        } => {
            let paint = format!(
                "fill=\"{}\" stroke=\"{}\" stroke-width=\"0.8\"/>",
                color.hex(),
                PAPER.hex()
            );
            if *shape == Shape::Circle {
                let (x, y, r) = (number(*x), number(*y), number(*radius));
                writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {paint}")
            } else {
                let corners: Vec<String> = shape
                    .corners()
                    .iter()
                    .map(|(a, b)| format!("{},{}", number(x + a * radius), number(y + b * radius)))
                    .collect();
                writeln!(out, "<polygon points=\"{}\" {paint}", corners.join(" "))
            }
        }
        Item::Fill {
            rect,
            color,
            opacity,
        } => writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>",
            number(rect.x),
            number(rect.y),
            number(rect.width),
            number(rect.height),
            color.hex(),
            number(*opacity)
        ),
        Item::Text {
            at: (x, y),
            text,
            size,
            anchor,
            bold,
            color,
        } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let weight = if *bold { " font-weight=\"600\"" } else { "" };
            writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\"{weight} fill=\"{}\">{}</text>",
                number(*x),
                number(*y),
                number(*size),
                color.hex(),
                escape(text)
            )
        }
        Item::Clipped { rect, items } => {
            *clips += 1;
            let _ = writeln!(
                out,
                "<clipPath id=\"c{clips}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
                 </clipPath>\n<g clip-path=\"url(#c{clips})\">",
                number(rect.x),
                number(rect.y),
                number(rect.width),
                number(rect.height)
            );
            for item in items {
                print_item(out, item, clips);
            }
            writeln!(out, "</g>")
        }
    };
}

/// At most two decimals, none that are zero.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Series};

    #[test]
    fn the_parts_of_a_picture() {
        let figure = Figure::new("a < b", Axis::new("time [s]"), Axis::new("u [V]"))
            .with(Series::line("R.v", vec![0.0, 1.0], vec![0.0, 2.0]));
        let svg = to_svg(&figure);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("<title>a &lt; b</title>"));
        for text in [
            ">R.v</text>",
            ">time [s]</text>",
            ">1.0</text>",
            ">u [V]</text>",
        ] {
            assert!(svg.contains(text), "{text} is missing");
        }
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(number(1.5), "1.5");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(100.0), "100");
    }
}
