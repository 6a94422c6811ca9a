//! A shape of an annotation as things of the drawing module.

use ferrica_classes::{Library, Resource};
use ferrica_draw::{Brush, Color, Image, Item, PAPER, Path, Pen};

use crate::TextBox;
use crate::graphics::{Arrow, Border, Filled, Filling, Graphic, Line, Pattern, Shape};
use crate::lines::{arrow, down, ellipse, placed, rectangle, smooth, smooth_closed};
use crate::text;
use crate::transform::{Extent, Point, Transform};

/// Units of the diagram for a millimetre of thickness: lines do not grow with their icon, but a thick one in a small icon is thinner.
const MILLIMETRE: f64 = 1.2;
/// Units up to which a line keeps its thickness in a small icon, and how far beyond its share of the icon it may go.
const ALWAYS: f64 = 0.6;
const SHARE: f64 = 4.0;
/// Between the lines of a hatched area, in units of the diagram.
const HATCH: f64 = 1.6;
/// Files beyond this many bytes are no images for a diagram.
const LARGEST_IMAGE: u64 = 8 << 20;

/// What shapes need beside themselves.
pub struct Canvas<'a> {
    pub library: &'a Library,
    /// Factor of all lengths that do not grow with the icon.
    pub fine: f64,
    pub missing_images: Vec<String>,
    pub texts: Vec<TextBox>,
}

impl Canvas<'_> {
    /// `scale` is that of the icon.
    fn pen(&self, color: Color, thickness: f64, pattern: Pattern, scale: f64) -> Option<Pen> {
        let share = (SHARE * scale * thickness).max(ALWAYS * self.fine);
        let width = (thickness * MILLIMETRE * self.fine).min(share).max(0.05);
        let unit = width.max(0.2 * self.fine);
        let dashes: &[f64] = match pattern {
            Pattern::None => return None,
            Pattern::Solid => &[],
            Pattern::Dash => &[5.0, 3.0],
            Pattern::Dot => &[1.2, 2.0],
            Pattern::DashDot => &[5.0, 2.5, 1.2, 2.5],
            Pattern::DashDotDot => &[5.0, 2.5, 1.2, 2.5, 1.2, 2.5],
        };
        Some(Pen {
            width,
            color,
            dashes: dashes.iter().map(|d| d * unit).collect(),
        })
    }

    pub fn paint(&mut self, graphic: &Graphic, place: &Transform, out: &mut Vec<Item>) {
        let place = place.after(&graphic.place);
        match &graphic.shape {
            Shape::Line(line) => self.line(line, &place, out),
            Shape::Polygon {
                points,
                smooth,
                filled,
            } => {
                let path = match smooth {
                    true => smooth_closed(points),
                    false => Path::polyline(points, true),
                };
                if let Some(around) = Extent::around(points.iter().copied()) {
                    self.filled(&path, around, filled, &place, out);
                }
            }
            Shape::Rectangle {
                extent,
                radius,
                border,
                filled,
            } => {
                self.filled(&rectangle(*extent, *radius), *extent, filled, &place, out);
                self.border(*extent, *border, &place, out);
            }
            Shape::Ellipse {
                extent,
                from,
                to,
                closure,
                filled,
            } => {
                let path = ellipse(*extent, *from, *to, *closure);
                self.filled(&path, *extent, filled, &place, out);
            }
            Shape::Text(t) => {
                let written = text::paint(t, &place, self.fine, out);
                self.texts.extend(written);
            }
            Shape::Bitmap {
                extent,
                file,
                source,
            } => self.bitmap(*extent, file.as_deref(), source.as_deref(), &place, out),
        }
    }

    pub fn line(&mut self, line: &Line, place: &Transform, out: &mut Vec<Item>) {
        let path = match line.smooth {
            true => smooth(&line.points),
            false => Path::polyline(&line.points, false),
        };
        if line.points.len() < 2 {
            return;
        }
        if let Some(pen) = self.pen(line.color, line.thickness, line.pattern, place.scale()) {
            out.push(Item::Path {
                path: placed(&path, place),
                pen: Some(pen),
                brush: None,
            });
        }
        let points = &line.points;
        let last = points.len() - 1;
        for (kind, tip, tail) in [(line.arrows.0, 0, 1), (line.arrows.1, last, last - 1)] {
            self.head(line, kind, points[tip], points[tail], place, out);
        }
    }

    fn head(
        &self,
        line: &Line,
        kind: Arrow,
        tip: Point,
        tail: Point,
        place: &Transform,
        out: &mut Vec<Item>,
    ) {
        // In a small icon an arrow has to be larger in the icon's units to be seen.
        let size = line
            .arrow_size
            .max(0.6 * self.fine / place.scale().max(1e-6));
        let Some((head, solid)) = arrow(tip, tail, kind, size) else {
            return;
        };
        out.push(Item::Path {
            path: placed(&head, place),
            pen: self.pen(line.color, line.thickness, Pattern::Solid, place.scale()),
            brush: solid.then_some(Brush::Solid(line.color)),
        });
    }

    fn filled(
        &self,
        path: &Path,
        around: Extent,
        filled: &Filled,
        place: &Transform,
        out: &mut Vec<Item>,
    ) {
        let at = |p: Point| down(place.apply(p));
        let (center, Filled { line, fill, .. }) = (around.center(), filled);
        let (edge, middle) = (*line, *fill);
        let brush = match filled.filling {
            Filling::None => None,
            Filling::Solid => Some(Brush::Solid(*fill)),
            Filling::Hatch(lines) => Some(Brush::Hatch {
                lines,
                line: *line,
                ground: *fill,
                spacing: HATCH * self.fine,
            }),
            Filling::HorizontalCylinder => Some(Brush::Linear {
                from: at((center.0, around.0.1)),
                to: at((center.0, around.1.1)),
                edge,
                middle,
            }),
            Filling::VerticalCylinder => Some(Brush::Linear {
                from: at((around.0.0, center.1)),
                to: at((around.1.0, center.1)),
                edge,
                middle,
            }),
            Filling::Sphere => Some(Brush::Radial {
                center: at(center),
                radius: 0.5 * around.width().max(around.height()) * place.scale(),
                edge,
                middle,
            }),
        };
        let pen = self.pen(*line, filled.thickness, filled.pattern, place.scale());
        if pen.is_some() || brush.is_some() {
            out.push(Item::Path {
                path: placed(path, place),
                pen,
                brush,
            });
        }
    }

    /// Light and shadow along the edges.
    fn border(&self, extent: Extent, border: Border, place: &Transform, out: &mut Vec<Item>) {
        const SHADOW: Color = Color(128, 128, 128);
        let (above, below) = match border {
            Border::None => return,
            Border::Raised => (PAPER, SHADOW),
            Border::Sunken => (SHADOW, PAPER),
            Border::Engraved => (SHADOW, SHADOW),
        };
        let Some(Extent(low, high)) = Extent::around(extent.corners()) else {
            return;
        };
        let corner = (low.0, high.1);
        for (points, color) in [
            ([low, corner, high], above),
            ([low, (high.0, low.1), high], below),
        ] {
            out.push(Item::Path {
                path: placed(&Path::polyline(&points, false), place),
                pen: self.pen(color, 0.5, Pattern::Solid, place.scale()),
                brush: None,
            });
        }
    }

    fn bitmap(
        &mut self,
        extent: Extent,
        file: Option<&str>,
        source: Option<&str>,
        place: &Transform,
        out: &mut Vec<Item>,
    ) {
        let image = match (source, file) {
            (Some(text), _) if !text.is_empty() => Image::from_base64(text),
            (_, Some(uri)) => self.read(uri),
            _ => None,
        };
        let Some(image) = image else {
            self.missing_images
                .push(file.unwrap_or("imageSource").to_owned());
            return;
        };
        // An image has its first row at the top.
        let Some(Extent(low, high)) = Extent::around(extent.corners()) else {
            return;
        };
        let origin = down(place.apply((low.0, high.1)));
        let right = down(place.apply(high));
        let bottom = down(place.apply(low));
        out.push(Item::Image {
            image,
            matrix: [
                right.0 - origin.0,
                right.1 - origin.1,
                bottom.0 - origin.0,
                bottom.1 - origin.1,
                origin.0,
                origin.1,
            ],
        });
    }

    fn read(&self, uri: &str) -> Option<Image> {
        match self.library.resolve_uri(uri)? {
            Resource::File(path) => {
                let size = std::fs::metadata(&path).ok()?.len();
                (size <= LARGEST_IMAGE).then_some(())?;
                Image::new(std::fs::read(path).ok()?)
            }
            Resource::Embedded(text) => Image::new(text.as_bytes().to_vec()),
        }
    }
}
