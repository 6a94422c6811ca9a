//! Pictures of results: [`Figure`] in, terminal text, SVG, PNG or one HTML page out.
//!
//! A figure is laid out once into a [`ferrica_draw::Scene`]; SVG and PNG only print it. The terminal and the interactive page lay
//! out for themselves.

mod decimate;
mod figure;
mod from_table;
mod html;
mod layout;
mod legend;
mod palette;
mod terminal;
mod ticks;

pub use figure::{Axis, Figure, Limit, Mark, Panel, Scale, Series, histogram};
pub use from_table::{PlotError, figure_of, figure_of_panels, split_names};
pub use html::to_html;
pub use terminal::{TerminalOptions, to_terminal};

/// The figure as the text of an SVG file.
pub fn to_svg(figure: &Figure) -> String {
    ferrica_draw::print(&layout::lay_out(figure))
}

/// The bytes of a PNG file, or why there are none.
pub fn to_png(figure: &Figure) -> Result<Vec<u8>, String> {
    ferrica_draw::paint(&layout::lay_out(figure))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_curve_is_painted() {
        let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 100.0).collect();
        let figure = Figure::new("t", Axis::new("x"), Axis::new("y"))
            .with(Series::line("a", x.clone(), x.clone()))
            .with(Series::new("b", x.clone(), vec![0.5; 100], Mark::Markers));
        let bytes = to_png(&figure).unwrap();
        let picture = tiny_skia::Pixmap::decode_png(&bytes).unwrap();
        assert_eq!(picture.width(), 1720);
        let blue = palette::series(0);
        let of_blue = picture
            .pixels()
            .iter()
            .filter(|p| (p.red(), p.green(), p.blue()) == (blue.0, blue.1, blue.2));
        assert!(of_blue.count() > 500);
    }
}
