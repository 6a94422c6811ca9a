//! Pictures: a [`Scene`] of shapes and texts in, SVG text or the bytes of a PNG file out.
//!
//! Whoever draws (results, diagrams) lays out a scene; nothing outside of this crate prints SVG elements or paints pixels for it.
//! Colours are those of a light page; [`Theme`] says whether a dark page gets its own.

pub mod font;
pub mod graph;
pub mod layered;

mod color;
mod image;
mod path;
mod png;
mod quantity;
mod scene;
mod svg;

pub use color::{Color, PAPER, Theme};
pub use image::{Image, base64};
pub use path::{Path, Segment};
pub use png::{paint, paint_dark};
pub use quantity::{display, engineering, prefixed, pretty, quantity, short};
pub use scene::{Anchor, Brush, Hatch, Item, Pen, Rect, Scene, Shape, TextStyle};
pub use svg::{escape, print};
