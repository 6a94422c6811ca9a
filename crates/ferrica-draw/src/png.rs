//! Paints a scene into pixels, two for each unit of the layout so that it stays sharp.

use tiny_skia::{FillRule, LineJoin, Mask, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};
use ttf_parser::OutlineBuilder;

use crate::color::{Color, PAPER, Theme};
use crate::font;
use crate::path;
use crate::scene::{Anchor, Brush, Hatch, Item, Pen, Rect, Scene, Shape, TextStyle};

/// Pixels for one unit of the layout.
const DENSITY: f32 = 2.0;

/// The most pixels of a side.
const LARGEST: f64 = 20_000.0;

/// The bytes of a PNG file, or why there are none.
pub fn paint(scene: &Scene) -> Result<Vec<u8>, String> {
    draw(scene, scene.theme == Theme::Dark)
}

/// The same for a dark page.
pub fn paint_dark(scene: &Scene) -> Result<Vec<u8>, String> {
    draw(scene, true)
}

fn draw(scene: &Scene, dark: bool) -> Result<Vec<u8>, String> {
    let density = f64::from(DENSITY) * scene.scale;
    let pixels = |length: f64| (length * density).round().clamp(1.0, LARGEST) as u32;
    let mut canvas =
        Pixmap::new(pixels(scene.width), pixels(scene.height)).ok_or("the picture is too large")?;
    let (x, y) = (scene.origin.0 as f32, scene.origin.1 as f32);
    let density = density as f32;
    let painter = Painter {
        dark,
        place: Transform::from_scale(density, density).pre_translate(-x, -y),
    };
    let Color(r, g, b) = painter.shown(PAPER);
    canvas.fill(tiny_skia::Color::from_rgba8(r, g, b, 255));
    for item in &scene.items {
        painter.item(&mut canvas, item, None);
    }
    canvas.encode_png().map_err(|e| e.to_string())
}

struct Painter {
    dark: bool,
    /// From units of the scene to pixels.
    place: Transform,
}

impl Painter {
    fn shown(&self, color: Color) -> Color {
        match self.dark {
            true => color.on_dark(),
            false => color,
        }
    }

    fn solid(&self, color: Color, opacity: f64) -> Paint<'static> {
        let color = self.shown(color);
        let mut paint = Paint::default();
        let alpha = (opacity * 255.0).round().clamp(0.0, 255.0) as u8;
        paint.set_color_rgba8(color.0, color.1, color.2, alpha);
        paint.anti_alias = true;
        paint
    }

    fn fill(&self, canvas: &mut Pixmap, path: &Path, paint: &Paint, mask: Option<&Mask>) {
        canvas.fill_path(path, paint, FillRule::Winding, self.place, mask);
    }

    fn item(&self, canvas: &mut Pixmap, item: &Item, mask: Option<&Mask>) {
        match item {
            Item::Stroke {
                points,
                width,
                color,
            } => {
                if let Some(path) = polyline(points, false) {
                    let stroke = stroke(*width as f32);
                    canvas.stroke_path(&path, &self.solid(*color, 1.0), &stroke, self.place, mask);
                }
            }
            Item::Marker {
                at,
                radius,
                shape,
                color,
            } => {
                if let Some(path) = marker(*at, *radius, *shape) {
                    self.fill(canvas, &path, &self.solid(*color, 1.0), mask);
                    let paper = self.solid(PAPER, 1.0);
                    canvas.stroke_path(&path, &paper, &stroke(0.8), self.place, mask);
                }
            }
            Item::Fill {
                rect,
                color,
                opacity,
            } => {
                if let Some(path) = rectangle(*rect) {
                    self.fill(canvas, &path, &self.solid(*color, *opacity), mask);
                }
            }
            Item::Text {
                at,
                text,
                size,
                anchor,
                style,
                color,
            } => self.text(canvas, *at, text, *size, *anchor, *style, *color, mask),
            Item::Clipped { rect, items } => {
                let mut inner = Mask::new(canvas.width(), canvas.height());
                if let (Some(inner), Some(path)) = (&mut inner, rectangle(*rect)) {
                    inner.fill_path(&path, FillRule::Winding, true, self.place);
                }
                for item in items {
                    self.item(canvas, item, inner.as_ref());
                }
            }
            Item::Path { path, pen, brush } => {
                if let Some(path) = outline(path) {
                    if let Some(brush) = brush {
                        self.brush(canvas, &path, brush, mask);
                    }
                    if let Some(pen) = pen {
                        self.pen(canvas, &path, pen, mask);
                    }
                }
            }
            // Only this kind can be read without further libraries; others are a frame.
            Item::Image { image, matrix } => {
                let [a, b, c, d, e, f] = matrix.map(|v| v as f32);
                let unit = Transform::from_row(a, b, c, d, e, f);
                match Pixmap::decode_png(&image.bytes) {
                    Ok(picture) => {
                        let (w, h) = (picture.width() as f32, picture.height() as f32);
                        let place = self.place.pre_concat(unit).pre_scale(1.0 / w, 1.0 / h);
                        let quality = tiny_skia::PixmapPaint {
                            quality: tiny_skia::FilterQuality::Bilinear,
                            ..Default::default()
                        };
                        canvas.draw_pixmap(0, 0, picture.as_ref(), &quality, place, mask);
                    }
                    Err(_) => {
                        let frame = tiny_skia::Rect::from_xywh(0.0, 0.0, 1.0, 1.0)
                            .and_then(|r| PathBuilder::from_rect(r).transform(unit));
                        if let Some(frame) = frame {
                            let grey = self.solid(Color(128, 128, 128), 1.0);
                            canvas.stroke_path(&frame, &grey, &stroke(0.3), self.place, mask);
                        }
                    }
                }
            }
            Item::Group { items, .. } => {
                for item in items {
                    self.item(canvas, item, mask);
                }
            }
        }
    }

    fn text(
        &self,
        canvas: &mut Pixmap,
        at: (f64, f64),
        text: &str,
        size: f64,
        anchor: Anchor,
        style: TextStyle,
        color: Color,
        mask: Option<&Mask>,
    ) {
        let width = font::width(text, size);
        let shift = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let place = match style.turn {
            0.0 => self.place,
            turn => {
                let (x, y) = (at.0 as f32, at.1 as f32);
                self.place
                    .pre_concat(Transform::from_rotate_at(turn as f32, x, y))
            }
        };
        let left = at.0 + shift;
        let paint = self.solid(color, 1.0);
        if let Some(path) = letters(text, size, (left, at.1)) {
            canvas.fill_path(&path, &paint, FillRule::Winding, place, mask);
            if style.bold {
                let thicker = stroke(0.03 * size as f32);
                canvas.stroke_path(&path, &paint, &thicker, place, mask);
            }
        }
        if style.underlined
            && let Some(line) = polyline(
                &[
                    (left, at.1 + 0.15 * size),
                    (left + width, at.1 + 0.15 * size),
                ],
                false,
            )
        {
            canvas.stroke_path(&line, &paint, &stroke(0.05 * size as f32), place, mask);
        }
    }

    fn pen(&self, canvas: &mut Pixmap, path: &Path, pen: &Pen, mask: Option<&Mask>) {
        let mut stroke = stroke(pen.width as f32);
        if !pen.dashes.is_empty() {
            let lengths = pen.dashes.iter().map(|d| *d as f32).collect();
            stroke.dash = tiny_skia::StrokeDash::new(lengths, 0.0);
        }
        canvas.stroke_path(path, &self.solid(pen.color, 1.0), &stroke, self.place, mask);
    }

    fn brush(&self, canvas: &mut Pixmap, path: &Path, brush: &Brush, mask: Option<&Mask>) {
        let stop = |at: f32, color: Color| {
            let Color(r, g, b) = self.shown(color);
            tiny_skia::GradientStop::new(at, tiny_skia::Color::from_rgba8(r, g, b, 255))
        };
        let point = |(x, y): (f64, f64)| tiny_skia::Point::from_xy(x as f32, y as f32);
        let shader = match brush {
            Brush::Solid(color) => {
                return self.fill(canvas, path, &self.solid(*color, 1.0), mask);
            }
            Brush::Hatch {
                lines,
                line,
                ground,
                spacing,
            } => {
                self.fill(canvas, path, &self.solid(*ground, 1.0), mask);
                return self.hatch(canvas, path, *lines, *line, *spacing);
            }
            Brush::Linear {
                from,
                to,
                edge,
                middle,
            } => tiny_skia::LinearGradient::new(
                point(*from),
                point(*to),
                vec![stop(0.0, *edge), stop(0.5, *middle), stop(1.0, *edge)],
                tiny_skia::SpreadMode::Pad,
                Transform::identity(),
            ),
            Brush::Radial {
                center,
                radius,
                edge,
                middle,
            } => tiny_skia::RadialGradient::new(
                point(*center),
                0.0,
                point(*center),
                *radius as f32,
                vec![stop(0.0, *middle), stop(1.0, *edge)],
                tiny_skia::SpreadMode::Pad,
                Transform::identity(),
            ),
        };
        if let Some(shader) = shader {
            let paint = Paint {
                shader,
                anti_alias: true,
                ..Paint::default()
            };
            self.fill(canvas, path, &paint, mask);
        }
    }

    /// Lines over the bounds of the outline, shown inside of it.
    fn hatch(&self, canvas: &mut Pixmap, path: &Path, lines: Hatch, color: Color, spacing: f64) {
        let Some(mut inside) = Mask::new(canvas.width(), canvas.height()) else {
            return;
        };
        inside.fill_path(path, FillRule::Winding, true, self.place);
        let bounds = path.bounds();
        let (left, top) = (f64::from(bounds.left()), f64::from(bounds.top()));
        let reach = f64::from(bounds.width().max(bounds.height()));
        let count = (2.0 * reach / spacing).ceil().min(2_000.0) as i32;
        for &(dx, dy) in lines.directions() {
            for k in -count / 2..=count {
                let offset = f64::from(k) * spacing;
                // A line through a point of the left or upper edge, along the direction.
                let start = match (dx, dy) {
                    (_, 0.0) => (left, top + offset),
                    (0.0, _) => (left + offset, top),
                    _ => (left, top + offset),
                };
                let end = (start.0 + dx * reach, start.1 + dy * reach);
                if let Some(line) = polyline(&[start, end], false) {
                    let paint = self.solid(color, 1.0);
                    let stroke = stroke(0.12 * spacing as f32);
                    canvas.stroke_path(&line, &paint, &stroke, self.place, Some(&inside));
                }
            }
        }
    }
}

fn stroke(width: f32) -> Stroke {
    Stroke {
        width,
        line_join: LineJoin::Round,
        ..Stroke::default()
    }
}

fn outline(path: &path::Path) -> Option<Path> {
    let mut out = PathBuilder::new();
    for segment in &path.0 {
        match *segment {
            path::Segment::Move((x, y)) => out.move_to(x as f32, y as f32),
            path::Segment::Line((x, y)) => out.line_to(x as f32, y as f32),
            path::Segment::Cubic(a, b, p) => out.cubic_to(
                a.0 as f32, a.1 as f32, b.0 as f32, b.1 as f32, p.0 as f32, p.1 as f32,
            ),
            path::Segment::Close => out.close(),
        }
    }
    out.finish()
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
