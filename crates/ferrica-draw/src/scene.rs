//! A picture as a list of simple things to paint, downwards from the upper left corner.

use crate::color::{Color, Theme};
use crate::image::Image;
use crate::path::Path;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Shapes that tell series apart without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Circle,
    Square,
    Diamond,
    Triangle,
}

impl Shape {
    pub fn of_series(index: usize) -> Shape {
        [
            Shape::Circle,
            Shape::Square,
            Shape::Diamond,
            Shape::Triangle,
        ][index % 4]
    }

    /// Corners around the origin for radius one; a circle has none.
    pub fn corners(self) -> &'static [(f64, f64)] {
        match self {
            Shape::Circle => &[],
            Shape::Square => &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
            Shape::Diamond => &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
            Shape::Triangle => &[(0.0, -1.15), (1.05, 0.8), (-1.05, 0.8)],
        }
    }
}

/// How a line is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Pen {
    pub width: f64,
    pub color: Color,
    /// Lengths of dashes and gaps; empty: a solid line.
    pub dashes: Vec<f64>,
}

/// How an area is filled.
#[derive(Clone, Debug, PartialEq)]
pub enum Brush {
    Solid(Color),
    /// Parallel lines on a ground.
    Hatch {
        lines: Hatch,
        line: Color,
        ground: Color,
        spacing: f64,
    },
    /// From the edge colour over the middle one back to it, along a line.
    Linear {
        from: (f64, f64),
        to: (f64, f64),
        edge: Color,
        middle: Color,
    },
    Radial {
        center: (f64, f64),
        radius: f64,
        edge: Color,
        middle: Color,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hatch {
    Horizontal,
    Vertical,
    Cross,
    Forward,
    Backward,
    CrossDiagonal,
}

impl Hatch {
    /// Directions of the lines.
    pub fn directions(self) -> &'static [(f64, f64)] {
        match self {
            Hatch::Horizontal => &[(1.0, 0.0)],
            Hatch::Vertical => &[(0.0, 1.0)],
            Hatch::Cross => &[(1.0, 0.0), (0.0, 1.0)],
            Hatch::Forward => &[(1.0, -1.0)],
            Hatch::Backward => &[(1.0, 1.0)],
            Hatch::CrossDiagonal => &[(1.0, -1.0), (1.0, 1.0)],
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextStyle {
    pub bold: bool,
    pub italic: bool,
    pub underlined: bool,
    /// Degrees, clockwise around the anchor.
    pub turn: f64,
    /// The text may be this wide, whatever font a viewer has.
    pub room: Option<f64>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Stroke {
        points: Vec<(f64, f64)>,
        width: f64,
        color: Color,
    },
    /// Painted with a fine outline in the colour of the paper.
    Marker {
        at: (f64, f64),
        radius: f64,
        shape: Shape,
        color: Color,
    },
    Fill {
        rect: Rect,
        color: Color,
        opacity: f64,
    },
    Text {
        at: (f64, f64),
        text: String,
        size: f64,
        anchor: Anchor,
        style: TextStyle,
        color: Color,
    },
    /// Only what is inside the rectangle shows.
    Clipped { rect: Rect, items: Vec<Item> },
    Path {
        path: Path,
        pen: Option<Pen>,
        brush: Option<Brush>,
    },
    /// An image with its corner at the origin and sides of length one, moved there by `x' = a x + c y + e`, `y' = b x + d y + f`.
    Image { image: Image, matrix: [f64; 6] },
    /// Things that belong together, with a name that the reader's program can ask for.
    Group {
        id: String,
        class: &'static str,
        /// Shown where the reader points at it.
        title: String,
        items: Vec<Item>,
    },
}

#[derive(Clone, Debug)]
pub struct Scene {
    /// The upper left corner.
    pub origin: (f64, f64),
    pub width: f64,
    pub height: f64,
    /// Pixels of a screen for one unit.
    pub scale: f64,
    pub title: String,
    pub theme: Theme,
    pub items: Vec<Item>,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            origin: (0.0, 0.0),
            width: 0.0,
            height: 0.0,
            scale: 1.0,
            title: String::new(),
            theme: Theme::Light,
            items: Vec::new(),
        }
    }
}
