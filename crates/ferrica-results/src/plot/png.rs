//! Paints a scene into pixels, two for each unit of the layout so that it stays sharp.

use tiny_skia::{FillRule, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};
use ttf_parser::OutlineBuilder;

use super::figure::Figure;
use super::font;
use super::layout::lay_out;
use super::palette::{Color, PAPER};
use super::scene::{Anchor, Item, Rect, Scene, Shape};

/// Pixels for one unit of the layout.
const DENSITY: f32 = 2.0;

/// The bytes of a PNG file, or why there are none.
pub fn to_png(figure: &Figure) -> Result<Vec<u8>, String> {
    paint(&lay_out(figure))
}

fn paint(scene: &Scene) -> Result<Vec<u8>, String> {
    let pixels = |length: f64| (length * f64::from(DENSITY)).round().clamp(1.0, 20_000.0) as u32;
    let mut canvas =
        Pixmap::new(pixels(scene.width), pixels(scene.height)).ok_or("the picture is too large")?;
    canvas.fill(tiny_skia::Color::from_rgba8(PAPER.0, PAPER.1, PAPER.2, 255));
    for item in &scene.items {
        paint_item(&mut canvas, item, None);
    }
    canvas.encode_png().map_err(|e| e.to_string())
}

fn scaled() -> Transform {
    Transform::from_scale(DENSITY, DENSITY)
}

fn solid(color: Color, opacity: f64) -> Paint<'static> {
    let mut paint = Paint::default();
    let alpha = (opacity * 255.0).round().clamp(0.0, 255.0) as u8;
    paint.set_color_rgba8(color.0, color.1, color.2, alpha);
    paint.anti_alias = true;
    paint
}

fn paint_item(canvas: &mut Pixmap, item: &Item, mask: Option<&Mask>) {
    match item {
        Item::Stroke {
            points,
            width,
            color,
        } => {
            if let Some(path) = polyline(points, false) {
                let stroke = stroke(*width as f32);
                canvas.stroke_path(&path, &solid(*color, 1.0), &stroke, scaled(), mask);
            }
        }
        Item::Marker {
            at,
            radius,
            shape,
            color,
        } => {
            if let Some(path) = marker(*at, *radius, *shape) {
                fill(canvas, &path, &solid(*color, 1.0), mask);
                canvas.stroke_path(&path, &solid(PAPER, 1.0), &stroke(0.8), scaled(), mask);
            }
        }
        Item::Fill {
            rect,
            color,
            opacity,
        } => {
            if let Some(path) = rectangle(*rect) {
                fill(canvas, &path, &solid(*color, *opacity), mask);
            }
        }
        Item::Text {
            at,
            text,
            size,
            anchor,
            bold,
            color,
        } => {
            let shift = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => -font::width(text, *size) / 2.0,
                Anchor::End => -font::width(text, *size),
            };
            if let Some(path) = letters(text, *size, (at.0 + shift, at.1)) {
                fill(canvas, &path, &solid(*color, 1.0), mask);
                if *bold {
                    let thicker = stroke(0.03 * *size as f32);
                    canvas.stroke_path(&path, &solid(*color, 1.0), &thicker, scaled(), mask);
                }
            }
        }
        Item::Clipped { rect, items } => {
            let mut inner = Mask::new(canvas.width(), canvas.height());
            if let (Some(inner), Some(path)) = (&mut inner, rectangle(*rect)) {
                inner.fill_path(&path, FillRule::Winding, true, scaled());
            }
            for item in items {
                paint_item(canvas, item, inner.as_ref());
            }
        }
    }
}

fn fill(canvas: &mut Pixmap, path: &Path, paint: &Paint, mask: Option<&Mask>) {
    canvas.fill_path(path, paint, FillRule::Winding, scaled(), mask);
}

fn stroke(width: f32) -> Stroke {
    Stroke {
        width,
        line_join: LineJoin::Round,
        ..Stroke::default()
    }
}

fn polyline(points: &[(f64, f64)], close: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    path.move_to(first.0 as f32, first.1 as f32);
    for (x, y) in rest {
        path.line_to(*x as f32, *y as f32);
    }
    if close {
        path.close();
    }
    path.finish()
}

fn rectangle(rect: Rect) -> Option<Path> {
    let (w, h) = (rect.width.max(0.0) as f32, rect.height.max(0.0) as f32);
    let rect = tiny_skia::Rect::from_xywh(rect.x as f32, rect.y as f32, w, h)?;
    Some(PathBuilder::from_rect(rect))
}

fn marker((x, y): (f64, f64), radius: f64, shape: Shape) -> Option<Path> {
    if shape == Shape::Circle {
        return PathBuilder::from_circle(x as f32, y as f32, radius as f32);
    }
    let corners: Vec<_> = shape
        .corners()
        .iter()
        .map(|(a, b)| (x + a * radius, y + b * radius))
        .collect();
    polyline(&corners, true)
}

/// Letters as one path, from font units (upwards) to the layout (downwards).
struct Letters {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Letters {
    fn map(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.map(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.map(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.map(x1, y1), self.map(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.map(x1, y1), self.map(x2, y2), self.map(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

fn letters(text: &str, size: f64, at: (f64, f64)) -> Option<Path> {
    let mut letters = Letters {
        path: PathBuilder::new(),
        x: 0.0,
        y: at.1 as f32,
        scale: 1.0,
    };
    font::outline(text, size, |glyph, x, scale| {
        letters.x = (at.0 + x) as f32;
        letters.scale = scale as f32;
        glyph(&mut letters);
    });
    letters.path.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Mark, Series};

    #[test]
    fn the_curve_is_painted() {
        let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 100.0).collect();
        let figure = Figure::new("t", Axis::new("x"), Axis::new("y"))
            .with(Series::line("a", x.clone(), x.clone()))
            .with(Series::new("b", x.clone(), vec![0.5; 100], Mark::Markers));
        let bytes = to_png(&figure).unwrap();
        let picture = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!(picture.width(), 1720);
        let blue = crate::plot::palette::series(0);
        let of_blue = picture
            .pixels()
            .iter()
            .filter(|p| (p.red(), p.green(), p.blue()) == (blue.0, blue.1, blue.2));
        assert!(of_blue.count() > 500);
    }
}
