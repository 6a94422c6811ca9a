//! Pictures of results: [`Figure`] in, terminal text, SVG, PNG or one HTML page out.
//!
//! A figure is laid out once into a [`scene::Scene`] of strokes, fills and texts; SVG and PNG only
//! print it. The terminal and the interactive page lay out for themselves.

mod decimate;
mod figure;
mod font;
mod from_table;
mod html;
mod layout;
mod legend;
mod palette;
mod png;
mod scene;
mod svg;
mod terminal;
mod ticks;

pub use figure::{Axis, Figure, Mark, Panel, Scale, Series, histogram};
pub use from_table::{PlotError, figure_of, figure_of_panels, split_names};
pub use html::to_html;
pub use png::to_png;
pub use svg::to_svg;
pub use terminal::{TerminalOptions, to_terminal};
