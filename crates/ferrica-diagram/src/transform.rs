//! Affine maps of the plane: where coordinates of an icon go in the picture around it. Upwards is positive, as in annotations.

pub type Point = (f64, f64);

/// Two opposite corners, in the order that they are written in: a first corner right of the second one means a mirrored picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent(pub Point, pub Point);

impl Extent {
    pub const DEFAULT: Extent = Extent((-100.0, -100.0), (100.0, 100.0));

    pub fn width(self) -> f64 {
        (self.1.0 - self.0.0).abs()
    }

    pub fn height(self) -> f64 {
        (self.1.1 - self.0.1).abs()
    }

    pub fn center(self) -> Point {
        (0.5 * (self.0.0 + self.1.0), 0.5 * (self.0.1 + self.1.1))
    }

    pub fn corners(self) -> [Point; 4] {
        let Extent((x1, y1), (x2, y2)) = self;
        [(x1, y1), (x2, y1), (x2, y2), (x1, y2)]
    }

    /// The smallest one around points.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Extent> {
        let mut points = points.into_iter();
        let first = points.next()?;
        let grown = points.fold(Extent(first, first), |e, p| {
            Extent(
                (e.0.0.min(p.0), e.0.1.min(p.1)),
                (e.1.0.max(p.0), e.1.1.max(p.1)),
            )
        });
        Some(grown)
    }

    /// Distance of a point from the box, zero inside.
    pub fn distance(self, p: Point) -> f64 {
        let beyond = |v: f64, a: f64, b: f64| (a.min(b) - v).max(v - a.max(b)).max(0.0);
        beyond(p.0, self.0.0, self.1.0).hypot(beyond(p.1, self.0.1, self.1.1))
    }
}

/// `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    pub a: f64,
    pub b: f64,
    pub c: f64,
    pub d: f64,
    pub e: f64,
    pub f: f64,
}

impl Transform {
    pub const IDENTITY: Transform = Transform {
        a: 1.0,
        b: 0.0,
        c: 0.0,
        d: 1.0,
        e: 0.0,
        f: 0.0,
    };

    pub fn apply(&self, (x, y): Point) -> Point {
        (
            self.a * x + self.c * y + self.e,
            self.b * x + self.d * y + self.f,
        )
    }

    /// Without the shift.
    pub fn direction(&self, (x, y): Point) -> Point {
        (self.a * x + self.c * y, self.b * x + self.d * y)
    }

    /// First `inner`, then this one.
    pub fn after(&self, inner: &Transform) -> Transform {
        let (a, b) = self.direction((inner.a, inner.b));
        let (c, d) = self.direction((inner.c, inner.d));
        let (e, f) = self.apply((inner.e, inner.f));
        Transform { a, b, c, d, e, f }
    }

    /// Turns counterclockwise by degrees around zero, then moves zero to `origin`.
    pub fn turn_and_move(degrees: f64, origin: Point) -> Transform {
        let (s, c) = degrees.to_radians().sin_cos();
        // Right angles are exact.
        let exact = |v: f64| {
            if (v - v.round()).abs() < 1e-12 {
                v.round()
            } else {
                v
            }
        };
        let (s, c) = (exact(s), exact(c));
        Transform {
            a: c,
            b: s,
            c: -s,
            d: c,
            e: origin.0,
            f: origin.1,
        }
    }

    /// Stretches one extent over another; mirrored where their directions differ.
    pub fn between(from: Extent, to: Extent) -> Transform {
        let ratio = |f: (f64, f64), t: (f64, f64)| match f.1 - f.0 {
            0.0 => 1.0,
            width => (t.1 - t.0) / width,
        };
        let sx = ratio((from.0.0, from.1.0), (to.0.0, to.1.0));
        let sy = ratio((from.0.1, from.1.1), (to.0.1, to.1.1));
        Transform {
            a: sx,
            b: 0.0,
            c: 0.0,
            d: sy,
            e: to.0.0 - sx * from.0.0,
            f: to.0.1 - sy * from.0.1,
        }
    }

    /// The box around a transformed extent.
    pub fn extent(&self, extent: Extent) -> Extent {
        Extent::around(extent.corners().map(|p| self.apply(p))).unwrap_or(extent)
    }

    /// A length of the inside, outside; the mean over directions.
    pub fn scale(&self) -> f64 {
        (self.a * self.d - self.b * self.c).abs().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirrored_and_turned_component() {
        let place = Extent((10.0, -10.0), (-10.0, 10.0));
        let t = Transform::turn_and_move(90.0, (50.0, 0.0))
            .after(&Transform::between(Extent::DEFAULT, place));
        // The right end of the icon is mirrored to the left, then turned down.
        assert_eq!(t.apply((100.0, 0.0)), (50.0, -10.0));
        assert_eq!(t.apply((0.0, 100.0)), (40.0, 0.0));
        assert!((t.scale() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn distances_from_a_box() {
        let e = Extent((2.0, 0.0), (0.0, 2.0));
        assert_eq!(e.distance((1.0, 1.5)), 0.0);
        assert_eq!(e.distance((5.0, 6.0)), 5.0);
    }
}
