//! An outline of straight lines and cubic curves.

/// One stretch of an outline, from where the last one ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    Move((f64, f64)),
    Line((f64, f64)),
    /// Two control points, then the end.
    Cubic((f64, f64), (f64, f64), (f64, f64)),
    Close,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path(pub Vec<Segment>);

impl Path {
    pub fn polyline(points: &[(f64, f64)], close: bool) -> Path {
        let mut path = Path::default();
        for (k, &p) in points.iter().enumerate() {
            path.0.push(match k {
                0 => Segment::Move(p),
                _ => Segment::Line(p),
            });
        }
        if close {
            path.0.push(Segment::Close);
        }
        path
    }

    /// All points, control points included: the outline is inside of their hull.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.0.iter().flat_map(|s| match *s {
            Segment::Move(p) | Segment::Line(p) => vec![p],
            Segment::Cubic(a, b, p) => vec![a, b, p],
            Segment::Close => Vec::new(),
        })
    }
}
