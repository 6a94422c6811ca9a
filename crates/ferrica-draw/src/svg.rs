//! Prints a scene as SVG: text stays text, coordinates have at most two decimals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::color::{Color, PAPER, Theme};
use crate::font;
use crate::path::{Path, Segment};
use crate::scene::{Anchor, Brush, Hatch, Item, Pen, Scene, Shape, TextStyle};

const FONTS: &str = "'Inter','Helvetica Neue',Helvetica,Arial,'DejaVu Sans Condensed',sans-serif";

/// A viewer takes the first of these fonts that it has; the widest of them, set bold, is so much wider than the one that texts are measured with.
const WIDER: f64 = 1.4;

/// The scene as the text of an SVG file.
pub fn print(scene: &Scene) -> String {
    let mut body = Printer {
        out: String::new(),
        clips: 0,
        brushes: BTreeMap::new(),
        colors: BTreeSet::from([PAPER]),
        dark: scene.theme == Theme::Dark,
    };
    for item in &scene.items {
        body.item(item);
    }
    let mut out = String::new();
    let (x, y) = (number(scene.origin.0), number(scene.origin.1));
    let (w, h) = (number(scene.width), number(scene.height));
    let (wide, high) = (
        number(scene.width * scene.scale),
        number(scene.height * scene.scale),
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
         viewBox=\"{x} {y} {w} {h}\" role=\"img\" font-family=\"{FONTS}\">"
    );
    let _ = writeln!(out, "<title>{}</title>", escape(&scene.title));
    if scene.theme == Theme::Both {
        body.dark_style(&mut out);
    }
    if !body.brushes.is_empty() {
        out.push_str("<defs>\n");
        body.definitions(&mut out);
        out.push_str("</defs>\n");
    }
    let corner = match scene.origin {
        (0.0, 0.0) => String::new(),
        _ => format!("x=\"{x}\" y=\"{y}\" "),
    };
    let paper = body.hex(PAPER);
    let _ = writeln!(
        out,
        "<rect {corner}width=\"{w}\" height=\"{h}\" fill=\"{paper}\"/>"
    );
    out.push_str(&body.out);
    out.push_str("</svg>\n");
    out
}

struct Printer {
    out: String,
    clips: usize,
    /// Definitions of fillings that are not plain, each with its number.
    brushes: BTreeMap<String, usize>,
    colors: BTreeSet<Color>,
    dark: bool,
}

impl Printer {
    fn hex(&mut self, color: Color) -> String {
        self.colors.insert(color);
        match self.dark {
            true => color.on_dark().hex(),
            false => color.hex(),
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Stroke {
                points,
                width,
                color,
            } => {
                let (d, color) = (data(&Path::polyline(points, false)), self.hex(*color));
                let _ = writeln!(
                    self.out,
                    "<path d=\"{d}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{}\" stroke-linejoin=\"round\"/>",
                    number(*width)
                );
            }
            Item::Marker {
                at,
                radius,
                shape,
                color,
            } => self.marker(*at, *radius, *shape, *color),
            Item::Fill {
                rect,
                color,
                opacity,
            } => {
                let color = self.hex(*color);
                let _ = writeln!(
                    self.out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{color}\" fill-opacity=\"{}\"/>",
                    number(rect.x),
                    number(rect.y),
                    number(rect.width),
                    number(rect.height),
                    number(*opacity)
                );
            }
            Item::Text {
                at,
                text,
                size,
                anchor,
                style,
                color,
            } => self.text(*at, text, *size, *anchor, *style, *color),
            Item::Clipped { rect, items } => {
                self.clips += 1;
                let clips = self.clips;
                let _ = writeln!(
                    self.out,
                    "<clipPath id=\"c{clips}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\
                     </clipPath>\n<g clip-path=\"url(#c{clips})\">",
                    number(rect.x),
                    number(rect.y),
                    number(rect.width),
                    number(rect.height)
                );
                for item in items {
                    self.item(item);
                }
                self.out.push_str("</g>\n");
            }
            Item::Path { path, pen, brush } => {
                let fill = match brush {
                    Some(brush) => self.brush(brush),
                    None => "none".to_owned(),
                };
                let pen = pen.as_ref().map(|p| self.pen(p)).unwrap_or_default();
                let d = data(path);
                let _ = writeln!(self.out, "<path d=\"{d}\" fill=\"{fill}\"{pen}/>");
            }
            Item::Image { image, matrix } => {
                let m: Vec<String> = matrix.iter().map(|v| number(*v)).collect();
                let _ = writeln!(
                    self.out,
                    "<image width=\"1\" height=\"1\" preserveAspectRatio=\"none\" transform=\"matrix({})\" href=\"{}\"/>",
                    m.join(" "),
                    image.data_uri()
                );
            }
            Item::Group {
                id,
                class,
                title,
                items,
            } => {
                self.out.push_str("<g");
                for (name, value) in [("id", id.as_str()), ("class", class)] {
                    if !value.is_empty() {
                        let _ = write!(self.out, " {name}=\"{}\"", escape(value));
                    }
                }
                self.out.push('>');
                if !title.is_empty() {
                    let _ = write!(self.out, "<title>{}</title>", escape(title));
                }
                self.out.push('\n');
                for item in items {
                    self.item(item);
                }
                self.out.push_str("</g>\n");
            }
        }
    }

    fn marker(&mut self, (x, y): (f64, f64), radius: f64, shape: Shape, color: Color) {
        let paint = format!(
            "fill=\"{}\" stroke=\"{}\" stroke-width=\"0.8\"/>",
            self.hex(color),
            self.hex(PAPER)
        );
        let _ = if shape == Shape::Circle {
            let (x, y, r) = (number(x), number(y), number(radius));
            writeln!(self.out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {paint}")
        } else {
            let corners: Vec<String> = shape
                .corners()
                .iter()
                .map(|(a, b)| format!("{},{}", number(x + a * radius), number(y + b * radius)))
                .collect();
            writeln!(
                self.out,
                "<polygon points=\"{}\" {paint}",
                corners.join(" ")
            )
        };
    }

    fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        size: f64,
        anchor: Anchor,
        style: TextStyle,
        color: Color,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (number(x), number(y));
        let mut extra = String::new();
        if style.bold {
            extra.push_str(" font-weight=\"600\"");
        }
        if style.italic {
            extra.push_str(" font-style=\"italic\"");
        }
        if style.underlined {
            extra.push_str(" text-decoration=\"underline\"");
        }
        if style.turn != 0.0 {
            let _ = write!(
                extra,
                " transform=\"rotate({} {x} {y})\"",
                number(style.turn)
            );
        }
        // Where another font could be too wide, the viewer is told how wide the text is.
        let width = font::width(text, size);
        if let Some(room) = style.room.filter(|room| WIDER * width > *room) {
            let width = number(width.min(room));
            let _ = write!(
                extra,
                " textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\""
            );
        }
        let color = self.hex(color);
        let _ = writeln!(
            self.out,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\"{extra} fill=\"{color}\">{}</text>",
            number(size),
            escape(text)
        );
    }

    fn pen(&mut self, pen: &Pen) -> String {
        let mut out = format!(
            " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
            self.hex(pen.color),
            number(pen.width)
        );
        if !pen.dashes.is_empty() {
            let list: Vec<String> = pen.dashes.iter().map(|d| number(*d)).collect();
            let _ = write!(out, " stroke-dasharray=\"{}\"", list.join(" "));
        }
        out
    }

    fn brush(&mut self, brush: &Brush) -> String {
        let definition = match brush {
            Brush::Solid(color) => return self.hex(*color),
            Brush::Hatch {
                lines,
                line,
                ground,
                spacing,
            } => self.hatch(*lines, *line, *ground, *spacing),
            Brush::Linear {
                from,
                to,
                edge,
                middle,
            } => {
                let (edge, middle) = (self.hex(*edge), self.hex(*middle));
                format!(
                    "<linearGradient id=\"ID\" gradientUnits=\"userSpaceOnUse\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\">\
                     <stop offset=\"0\" stop-color=\"{edge}\"/><stop offset=\"0.5\" stop-color=\"{middle}\"/>\
                     <stop offset=\"1\" stop-color=\"{edge}\"/></linearGradient>",
                    number(from.0),
                    number(from.1),
                    number(to.0),
                    number(to.1)
                )
            }
            Brush::Radial {
                center,
                radius,
                edge,
                middle,
            } => {
                let (edge, middle) = (self.hex(*edge), self.hex(*middle));
                format!(
                    "<radialGradient id=\"ID\" gradientUnits=\"userSpaceOnUse\" cx=\"{}\" cy=\"{}\" r=\"{}\">\
                     <stop offset=\"0\" stop-color=\"{middle}\"/><stop offset=\"1\" stop-color=\"{edge}\"/></radialGradient>",
                    number(center.0),
                    number(center.1),
                    number(*radius)
                )
            }
        };
        let next = self.brushes.len() + 1;
        let k = *self.brushes.entry(definition).or_insert(next);
        format!("url(#fill{k})")
    }

    fn hatch(&mut self, lines: Hatch, line: Color, ground: Color, spacing: f64) -> String {
        let (line, ground, s) = (self.hex(line), self.hex(ground), number(spacing));
        let mut d = String::new();
        let half = number(0.5 * spacing);
        for direction in lines.directions() {
            let _ = match direction {
                (1.0, 0.0) => write!(d, "M0 {half}H{s}"),
                (0.0, _) => write!(d, "M{half} 0V{s}"),
                (_, 1.0) => write!(d, "M0 0L{s} {s}"),
                _ => write!(d, "M0 {s}L{s} 0"),
            };
        }
        format!(
            "<pattern id=\"ID\" patternUnits=\"userSpaceOnUse\" width=\"{s}\" height=\"{s}\">\
             <rect width=\"{s}\" height=\"{s}\" fill=\"{ground}\"/>\
             <path d=\"{d}\" fill=\"none\" stroke=\"{line}\" stroke-width=\"{}\"/></pattern>",
            number(0.12 * spacing)
        )
    }

    fn definitions(&self, out: &mut String) {
        let mut list: Vec<(&String, &usize)> = self.brushes.iter().collect();
        list.sort_by_key(|(_, k)| **k);
        for (text, k) in list {
            out.push_str(&text.replacen("\"ID\"", &format!("\"fill{k}\""), 1));
            out.push('\n');
        }
    }

    /// On a dark page each colour is replaced by another one of the same hue.
    fn dark_style(&self, out: &mut String) {
        out.push_str("<style>@media (prefers-color-scheme: dark) {\n");
        for color in &self.colors {
            let (light, dark) = (color.hex(), color.on_dark().hex());
            let _ = writeln!(
                out,
                "[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}[stop-color=\"{light}\"]{{stop-color:{dark}}}"
            );
        }
        out.push_str("}</style>\n");
    }
}

fn data(path: &Path) -> String {
    let mut d = String::new();
    for segment in &path.0 {
        let _ = match segment {
            Segment::Move((x, y)) => write!(d, "M{} {}", number(*x), number(*y)),
            Segment::Line((x, y)) => write!(d, "L{} {}", number(*x), number(*y)),
            Segment::Cubic(a, b, p) => write!(
                d,
                "C{} {} {} {} {} {}",
                number(a.0),
                number(a.1),
                number(b.0),
                number(b.1),
                number(p.0),
                number(p.1)
            ),
            Segment::Close => write!(d, "Z"),
        };
    }
    d
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

/// As text or the value of an attribute; characters that XML does not allow are left out.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        assert_eq!(number(1.5), "1.5");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(100.0), "100");
    }

    #[test]
    fn texts_are_well_formed() {
        assert_eq!(escape("a < \"b\" & \u{1}c"), "a &lt; &quot;b&quot; &amp; c");
    }

    #[test]
    fn a_dark_page_has_its_own_colours() {
        let mut scene = Scene {
            width: 10.0,
            height: 10.0,
            theme: Theme::Both,
            ..Scene::default()
        };
        scene.items.push(Item::Path {
            path: Path::polyline(&[(0.0, 0.0), (1.0, 1.0)], false),
            pen: Some(Pen {
                width: 1.0,
                color: Color(0, 0, 255),
                dashes: vec![2.0, 1.0],
            }),
            brush: Some(Brush::Hatch {
                lines: Hatch::Cross,
                line: Color(1, 2, 3),
                ground: PAPER,
                spacing: 4.0,
            }),
        });
        let svg = print(&scene);
        assert!(svg.contains("[stroke=\"#0000ff\"]{stroke:#"), "{svg}");
        assert!(svg.contains("fill=\"url(#fill1)\"") && svg.contains("<pattern id=\"fill1\""));
        assert!(svg.contains("stroke-dasharray=\"2 1\""));
        scene.theme = Theme::Dark;
        assert!(!print(&scene).contains("#0000ff"));
    }
}
