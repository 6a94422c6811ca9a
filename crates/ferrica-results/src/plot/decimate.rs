//! Fewer points for the same picture.
//!
//! Of all points that fall into one column of pixels only the first, the lowest, the highest and the
//! last can be seen, so only those stay, in their order. Peaks and steps survive.

/// Splits a series at points that are not finite, and thins each piece for `columns` columns over
/// the given range of x positions. In and out are positions already mapped to the picture.
pub fn decimate(
    points: impl Iterator<Item = (f64, f64)>,
    (left, right): (f64, f64),
    columns: usize,
) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let mut piece = Thinned::default();
    let scale = columns.max(1) as f64 / (right - left);
    for (x, y) in points {
        if x.is_finite() && y.is_finite() {
            piece.push((x, y), ((x - left) * scale).floor());
        } else {
            piece.end(&mut pieces);
        }
    }
    piece.end(&mut pieces);
    pieces
}

#[derive(Default)]
struct Thinned {
    out: Vec<(f64, f64)>,
    column: f64,
    /// Of the current column, with their order: first, lowest, highest, last.
    bucket: Option<[(usize, (f64, f64)); 4]>,
    count: usize,
}

impl Thinned {
    fn push(&mut self, point: (f64, f64), column: f64) {
        self.count += 1;
        let entry = (self.count, point);
        match &mut self.bucket {
            Some([_, lowest, highest, last]) if self.column == column => {
                if point.1 < lowest.1.1 {
                    *lowest = entry;
                }
                if point.1 > highest.1.1 {
                    *highest = entry;
                }
                *last = entry;
            }
            _ => {
                self.empty_bucket();
                self.column = column;
                self.bucket = Some([entry; 4]);
            }
        }
    }

    fn empty_bucket(&mut self) {
        if let Some(mut bucket) = self.bucket.take() {
            bucket.sort_by_key(|(order, _)| *order);
            let mut previous = 0;
            for (order, point) in bucket {
                if order != previous {
                    self.out.push(point);
                }
                previous = order;
            }
        }
    }

    fn end(&mut self, pieces: &mut Vec<Vec<(f64, f64)>>) {
        self.empty_bucket();
        if !self.out.is_empty() {
            pieces.push(std::mem::take(&mut self.out));
        }
    }
}

/// Points that lie this close to the line through their neighbours cannot be seen.
const INVISIBLE: f64 = 0.04;

/// Leaves out points on straight stretches of a path in pixels.
///
/// Greedy: a stretch grows while a line from its start passes within [`INVISIBLE`] of all its
/// points, for which the directions that do so are kept as an interval (Reumann–Witkam with a
/// shrinking cone). Linear time.
pub fn straighten(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if points.len() < 3 {
        return points;
    }
    let mut out = vec![points[0]];
    let mut anchor = points[0];
    let mut last = points[0];
    let mut cone: Option<(f64, f64)> = None;
    for &point in &points[1..] {
        let (dx, dy) = (point.0 - anchor.0, point.1 - anchor.1);
        let distance = dx.hypot(dy);
        // Only forward runs qualify; steps and turns start anew.
        let here =
            (dx > INVISIBLE).then(|| ((dy - INVISIBLE) / dx, (dy + INVISIBLE) / dx, dy / dx));
        let fits = match (cone, here) {
            (_, _) if distance == 0.0 => true,
            (Some((low, high)), Some((_, _, slope))) => (low..=high).contains(&slope),
            (None, Some(_)) => anchor == last,
            (_, None) => false,
        };
        if fits {
            if let Some((low, high, _)) = here {
                let (l, h) = cone.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                cone = Some((l.max(low), h.min(high)));
            }
        } else {
            if out.last() != Some(&last) {
                out.push(last);
            }
            anchor = last;
            let (dx, dy) = (point.0 - anchor.0, point.1 - anchor.1);
            cone = (dx > INVISIBLE).then(|| ((dy - INVISIBLE) / dx, (dy + INVISIBLE) / dx));
            if cone.is_none() {
                out.push(point);
                anchor = point;
            }
        }
        last = point;
    }
    if out.last() != Some(&last) {
        out.push(last);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_survives() {
        let n = 100_000;
        let points = (0..n).map(|i| {
            let y = if i == 54_321 { 9.0 } else { f64::from(i % 2) };
            (f64::from(i), y)
        });
        let pieces = decimate(points, (0.0, f64::from(n)), 200);
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].len() <= 800);
        assert!(pieces[0].contains(&(54_321.0, 9.0)));
        assert_eq!(pieces[0][0], (0.0, 0.0));
        assert_eq!(pieces[0].last(), Some(&(99_999.0, 1.0)));
        assert!(pieces[0].is_sorted_by_key(|p| p.0));
    }

    #[test]
    fn straight_stretches_need_two_points() {
        let line: Vec<_> = (0..500)
            .map(|i| (f64::from(i), f64::from(i) * 0.3))
            .collect();
        assert_eq!(straighten(line.clone()), [line[0], line[499]]);
        // A step, a way back and a plateau keep their corners.
        let corners = vec![
            (0.0, 0.0),
            (1.0, 0.0),
            (2.0, 0.0),
            (2.0, 9.0),
            (3.0, 9.0),
            (1.0, 9.0),
            (1.0, 8.0),
        ];
        let kept = straighten(corners.clone());
        assert_eq!(kept.len(), corners.len() - 1);
        assert!(!kept.contains(&(1.0, 0.0)));
        // Whatever goes is close to what stays.
        let wave: Vec<_> = (0..2000)
            .map(|i| f64::from(i) * 0.5)
            .map(|x| (x, 100.0 * (x / 50.0).sin()))
            .collect();
        let kept = straighten(wave.clone());
        assert!(kept.len() < wave.len() / 3);
        let (x, y): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
        let (at, exact): (Vec<_>, Vec<_>) = wave.into_iter().unzip();
        let drawn = crate::compare::interpolate(&x, &y, &at);
        assert!(
            drawn
                .iter()
                .zip(&exact)
                .all(|(a, b)| (a - b).abs() < 3.0 * INVISIBLE)
        );
    }

    #[test]
    fn few_points_stay_and_gaps_split() {
        let points = [(0.0, 1.0), (0.5, f64::NAN), (1.0, 2.0), (1.0, 3.0)];
        let pieces = decimate(points.into_iter(), (0.0, 1.0), 100);
        assert_eq!(pieces, [vec![(0.0, 1.0)], vec![(1.0, 2.0), (1.0, 3.0)]]);
    }
}
