//! A picture as a list of simple things to paint, in pixels from the upper left corner.

use super::palette::Color;

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
        bold: bool,
        color: Color,
    },
    /// Only what is inside the rectangle shows.
    Clipped { rect: Rect, items: Vec<Item> },
}

#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    pub title: String,
    pub items: Vec<Item>,
}
