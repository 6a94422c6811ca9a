//! The shapes of section 18.6, read from their annotations.

use ferrica_draw::{Color, Hatch};
use ferrica_syntax::ast::{Expr, ExprKind};

use crate::annotation::{Arguments, Reader};
use crate::transform::{Extent, Point, Transform};

/// A shape with what all shapes have.
#[derive(Clone, Debug)]
pub struct Graphic {
    /// Its own rotation and origin.
    pub place: Transform,
    pub shape: Shape,
}

#[derive(Clone, Debug)]
pub enum Shape {
    Line(Line),
    Polygon {
        points: Vec<Point>,
        smooth: bool,
        filled: Filled,
    },
    Rectangle {
        extent: Extent,
        radius: f64,
        border: Border,
        filled: Filled,
    },
    Ellipse {
        extent: Extent,
        /// Degrees, counterclockwise from the right.
        from: f64,
        to: f64,
        closure: Closure,
        filled: Filled,
    },
    Text(Text),
    Bitmap {
        extent: Extent,
        file: Option<String>,
        source: Option<String>,
    },
}

#[derive(Clone, Debug)]
pub struct Line {
    pub points: Vec<Point>,
    pub color: Color,
    pub pattern: Pattern,
    pub thickness: f64,
    pub arrows: (Arrow, Arrow),
    pub arrow_size: f64,
    pub smooth: bool,
}

/// The common fields of shapes with an inside.
#[derive(Clone, Debug)]
pub struct Filled {
    pub line: Color,
    pub fill: Color,
    pub pattern: Pattern,
    pub filling: Filling,
    pub thickness: f64,
}

#[derive(Clone, Debug)]
pub struct Text {
    pub extent: Extent,
    pub string: String,
    pub color: Color,
    /// Points; zero: as large as fits.
    pub size: f64,
    pub bold: bool,
    pub italic: bool,
    pub underlined: bool,
    pub alignment: Alignment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    Left,
    Center,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    None,
    Solid,
    Dash,
    Dot,
    DashDot,
    DashDotDot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    None,
    Solid,
    Hatch(Hatch),
    HorizontalCylinder,
    VerticalCylinder,
    Sphere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    None,
    Raised,
    Sunken,
    Engraved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    None,
    Chord,
    Radial,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    None,
    Open,
    Filled,
    Half,
}

const BLACK: Color = Color(0, 0, 0);
/// The default thickness of lines, in millimetres.
pub const THIN: f64 = 0.25;
/// The default size of arrows, in millimetres.
const ARROW: f64 = 3.0;

impl<'a> Reader<'_, 'a> {
    /// The shapes of `graphics = {…}`; what is not visible or cannot be read is left out.
    pub fn graphics(&mut self, list: &'a Expr) -> Vec<Graphic> {
        match &list.kind {
            ExprKind::Array(items) => items.iter().filter_map(|e| self.graphic(e)).collect(),
            ExprKind::Call(call) if !call.args.positional.is_empty() => {
                self.graphics(&call.args.positional[0])
            }
            ExprKind::If(i) => {
                for (condition, then) in &i.branches {
                    if self.value(condition) == Some(ferrica_flat::Known::Bool(true)) {
                        return self.graphics(then);
                    }
                }
                self.graphics(&i.otherwise)
            }
            _ => Vec::new(),
        }
    }

    fn graphic(&mut self, e: &'a Expr) -> Option<Graphic> {
        let ExprKind::Call(call) = &e.kind else {
            return None;
        };
        let name = call.function.as_ident()?;
        let from = Arguments::Call(call);
        if !self.flag(from, "visible", true) {
            return None;
        }
        let shape = match name.as_str() {
            "Line" => Shape::Line(self.line(from)?),
            "Polygon" => Shape::Polygon {
                points: self.points(from, "points")?,
                smooth: self.word(from, "smooth").as_deref() == Some("Bezier"),
                filled: self.filled(from),
            },
            "Rectangle" => Shape::Rectangle {
                extent: self.extent(from, "extent")?,
                radius: self.number(from, "radius").unwrap_or(0.0),
                border: match self.word(from, "borderPattern").as_deref() {
                    Some("Raised") => Border::Raised,
                    Some("Sunken") => Border::Sunken,
                    Some("Engraved") => Border::Engraved,
                    _ => Border::None,
                },
                filled: self.filled(from),
            },
            "Ellipse" => self.ellipse(from)?,
            "Text" => Shape::Text(self.string(from)?),
            "Bitmap" => Shape::Bitmap {
                extent: self.extent(from, "extent")?,
                file: self.text(from, "fileName"),
                source: self.text(from, "imageSource"),
            },
            _ => return None,
        };
        let turn = self.number(from, "rotation").unwrap_or(0.0);
        let origin = self.point(from, "origin").unwrap_or((0.0, 0.0));
        Some(Graphic {
            place: Transform::turn_and_move(turn, origin),
            shape,
        })
    }

    pub fn line(&mut self, from: Arguments<'a>) -> Option<Line> {
        let arrows = self.words(from, "arrow");
        let arrow = |k: usize| match arrows.get(k).map(String::as_str) {
            Some("Open") => Arrow::Open,
            Some("Filled") => Arrow::Filled,
            Some("Half") => Arrow::Half,
            _ => Arrow::None,
        };
        Some(Line {
            points: self.points(from, "points")?,
            color: self.color(from, "color").unwrap_or(BLACK),
            pattern: self.pattern(from),
            thickness: self.number(from, "thickness").unwrap_or(THIN),
            arrows: (arrow(0), arrow(1)),
            arrow_size: self.number(from, "arrowSize").unwrap_or(ARROW),
            smooth: self.word(from, "smooth").as_deref() == Some("Bezier"),
        })
    }

    fn ellipse(&mut self, from: Arguments<'a>) -> Option<Shape> {
        let start = self.number(from, "startAngle").unwrap_or(0.0);
        let end = self.number(from, "endAngle").unwrap_or(360.0);
        let closure = match self.word(from, "closure").as_deref() {
            Some("None") => Closure::None,
            Some("Chord") => Closure::Chord,
            Some("Radial") => Closure::Radial,
            _ if start == 0.0 && end == 360.0 => Closure::Chord,
            _ => Closure::Radial,
        };
        Some(Shape::Ellipse {
            extent: self.extent(from, "extent")?,
            from: start,
            to: end,
            closure,
            filled: self.filled(from),
        })
    }

    pub fn string(&mut self, from: Arguments<'a>) -> Option<Text> {
        let string = self
            .text(from, "textString")
            .or_else(|| self.text(from, "string"))?;
        let styles = self.words(from, "textStyle");
        let has = |style: &str| styles.iter().any(|s| s == style);
        let color = self
            .color(from, "textColor")
            .or_else(|| self.color(from, "lineColor"));
        Some(Text {
            extent: self.extent(from, "extent")?,
            string,
            color: color.unwrap_or(BLACK),
            size: self.number(from, "fontSize").unwrap_or(0.0),
            bold: has("Bold"),
            italic: has("Italic"),
            underlined: has("UnderLine"),
            alignment: match self.word(from, "horizontalAlignment").as_deref() {
                Some("Left") => Alignment::Left,
                Some("Right") => Alignment::Right,
                _ => Alignment::Center,
            },
        })
    }

    fn filled(&mut self, from: Arguments<'a>) -> Filled {
        let filling = match self.word(from, "fillPattern").as_deref() {
            Some("Solid") => Filling::Solid,
            Some("Horizontal") => Filling::Hatch(Hatch::Horizontal),
            Some("Vertical") => Filling::Hatch(Hatch::Vertical),
            Some("Cross") => Filling::Hatch(Hatch::Cross),
            Some("Forward") => Filling::Hatch(Hatch::Forward),
            Some("Backward") => Filling::Hatch(Hatch::Backward),
            Some("CrossDiag") => Filling::Hatch(Hatch::CrossDiagonal),
            Some("HorizontalCylinder") => Filling::HorizontalCylinder,
            Some("VerticalCylinder") => Filling::VerticalCylinder,
            Some("Sphere") => Filling::Sphere,
            _ => Filling::None,
        };
        Filled {
            line: self.color(from, "lineColor").unwrap_or(BLACK),
            fill: self.color(from, "fillColor").unwrap_or(BLACK),
            pattern: self.pattern(from),
            filling,
            thickness: self.number(from, "lineThickness").unwrap_or(THIN),
        }
    }

    fn pattern(&mut self, from: Arguments<'a>) -> Pattern {
        match self.word(from, "pattern").as_deref() {
            Some("None") => Pattern::None,
            Some("Dash") => Pattern::Dash,
            Some("Dot") => Pattern::Dot,
            Some("DashDot") => Pattern::DashDot,
            Some("DashDotDot") => Pattern::DashDotDot,
            _ => Pattern::Solid,
        }
    }
}
