//! Outlines of lines, polygons, ellipses and arrows, in the coordinates of their shape.

use ferrica_draw::{Path, Segment};

use crate::graphics::{Arrow, Closure};
use crate::transform::{Extent, Point, Transform};

/// A path in the coordinates of the picture, where downwards is positive.
pub fn placed(path: &Path, place: &Transform) -> Path {
    let at = |p: Point| down(place.apply(p));
    Path(
        path.0
            .iter()
            .map(|s| match *s {
                Segment::Move(p) => Segment::Move(at(p)),
                Segment::Line(p) => Segment::Line(at(p)),
                Segment::Cubic(a, b, p) => Segment::Cubic(at(a), at(b), at(p)),
                Segment::Close => Segment::Close,
            })
            .collect(),
    )
}

/// From annotations to the picture.
pub fn down((x, y): Point) -> Point {
    (x, -y)
}

fn middle(a: Point, b: Point) -> Point {
    (0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1))
}

/// A quadratic curve as a cubic one.
fn quadratic(from: Point, control: Point, to: Point) -> Segment {
    let third = |p: Point| {
        (
            p.0 + 2.0 / 3.0 * (control.0 - p.0),
            p.1 + 2.0 / 3.0 * (control.1 - p.1),
        )
    };
    Segment::Cubic(third(from), third(to), to)
}

/// `Smooth.Bezier`: quadratic curves between the middles of the stretches, with the points as control points; the first and the last
/// half of a stretch stay straight.
pub fn smooth(points: &[Point]) -> Path {
    if points.len() < 3 {
        return Path::polyline(points, false);
    }
    let last = points[points.len() - 1];
    let mut at = middle(points[0], points[1]);
    let mut path = vec![Segment::Move(points[0]), Segment::Line(at)];
    for pair in points[1..].windows(2) {
        let to = middle(pair[0], pair[1]);
        path.push(quadratic(at, pair[0], to));
        at = to;
    }
    path.push(Segment::Line(last));
    Path(path)
}

/// The same all around.
pub fn smooth_closed(points: &[Point]) -> Path {
    // The first point may be repeated at the end.
    let points = match points {
        [first, .., last] if first == last => &points[..points.len() - 1],
        _ => points,
    };
    if points.len() < 3 {
        return Path::polyline(points, true);
    }
    let n = points.len();
    let mut at = middle(points[n - 1], points[0]);
    let mut path = vec![Segment::Move(at)];
    for k in 0..n {
        let to = middle(points[k], points[(k + 1) % n]);
        path.push(quadratic(at, points[k], to));
        at = to;
    }
    path.push(Segment::Close);
    Path(path)
}

/// A rectangle, with round corners for a positive radius.
pub fn rectangle(extent: Extent, radius: f64) -> Path {
    let radius = radius.min(0.5 * extent.width()).min(0.5 * extent.height());
    if radius <= 0.0 {
        return Path::polyline(&extent.corners(), true);
    }
    let corners = extent.corners();
    let towards = |p: Point, q: Point, length: f64| {
        let distance = (q.0 - p.0).hypot(q.1 - p.1);
        let t = length / distance;
        (p.0 + t * (q.0 - p.0), p.1 + t * (q.1 - p.1))
    };
    let mut path = Vec::new();
    for k in 0..4 {
        let (before, at, after) = (corners[(k + 3) % 4], corners[k], corners[(k + 1) % 4]);
        let (enter, leave) = (towards(at, before, radius), towards(at, after, radius));
        path.push(match k {
            0 => Segment::Move(enter),
            _ => Segment::Line(enter),
        });
        let near = radius * (1.0 - QUARTER);
        path.push(Segment::Cubic(
            towards(at, before, near),
            towards(at, after, near),
            leave,
        ));
    }
    path.push(Segment::Close);
    Path(path)
}

/// Distance of the control points of a quarter of the unit circle: its middle is on the circle.
const QUARTER: f64 = 0.552_284_749_830_793_4;

/// Part of an ellipse between two angles in degrees.
pub fn ellipse(extent: Extent, from: f64, to: f64, closure: Closure) -> Path {
    let center = extent.center();
    let (rx, ry) = (0.5 * extent.width(), 0.5 * extent.height());
    let (from, to) = (from.to_radians(), to.to_radians());
    let at = |x: f64, y: f64| (center.0 + rx * x, center.1 + ry * y);
    let pieces = ((to - from).abs() / std::f64::consts::FRAC_PI_2)
        .ceil()
        .clamp(1.0, 8.0);
    let step = (to - from) / pieces;
    let handle = 4.0 / 3.0 * (step / 4.0).tan();
    let mut path = vec![Segment::Move(at(from.cos(), from.sin()))];
    for k in 0..pieces as usize {
        let (s0, c0) = (from + step * k as f64).sin_cos();
        let (s1, c1) = (from + step * (k + 1) as f64).sin_cos();
        path.push(Segment::Cubic(
            at(c0 - handle * s0, s0 + handle * c0),
            at(c1 + handle * s1, s1 - handle * c1),
            at(c1, s1),
        ));
    }
    let whole = (to - from).abs() >= std::f64::consts::TAU - 1e-9;
    match closure {
        _ if whole => path.push(Segment::Close),
        Closure::None => {}
        Closure::Chord => path.push(Segment::Close),
        Closure::Radial => {
            path.push(Segment::Line(center));
            path.push(Segment::Close);
        }
    }
    Path(path)
}

/// The head of an arrow at `tip`, that comes from `tail`; whether it is filled.
pub fn arrow(tip: Point, tail: Point, kind: Arrow, size: f64) -> Option<(Path, bool)> {
    let (dx, dy) = (tip.0 - tail.0, tip.1 - tail.1);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return None;
    }
    let (ux, uy) = (dx / length, dy / length);
    let side = |s: f64| {
        (
            tip.0 - size * (ux - s * uy / 3.0),
            tip.1 - size * (uy + s * ux / 3.0),
        )
    };
    Some(match kind {
        Arrow::None => return None,
        Arrow::Open => (Path::polyline(&[side(1.0), tip, side(-1.0)], false), false),
        Arrow::Half => (Path::polyline(&[side(1.0), tip], false), false),
        Arrow::Filled => (Path::polyline(&[side(1.0), tip, side(-1.0)], true), true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(path: &Path) -> Vec<Point> {
        let end = |s: &Segment| match *s {
            Segment::Move(p) | Segment::Line(p) | Segment::Cubic(_, _, p) => Some(p),
            Segment::Close => None,
        };
        path.0.iter().filter_map(end).collect()
    }

    #[test]
    fn an_arc_stays_on_its_ellipse() {
        let extent = Extent((-4.0, -2.0), (4.0, 2.0));
        let path = ellipse(extent, 30.0, 200.0, Closure::None);
        for (x, y) in ends(&path) {
            assert!(((x / 4.0).powi(2) + (y / 2.0).powi(2) - 1.0).abs() < 1e-12);
        }
        let last = ends(&path)[ends(&path).len() - 1];
        let angle = 200f64.to_radians();
        assert!((last.0 - 4.0 * angle.cos()).abs() < 1e-12);
        assert!((last.1 - 2.0 * angle.sin()).abs() < 1e-12);
    }

    #[test]
    fn smooth_lines_keep_their_ends_and_meet_the_middles() {
        let path = smooth(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (20.0, 10.0)]);
        assert_eq!(
            ends(&path),
            vec![
                (0.0, 0.0),
                (5.0, 0.0),
                (10.0, 5.0),
                (15.0, 10.0),
                (20.0, 10.0)
            ]
        );
    }
}
