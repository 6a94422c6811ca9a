//! Contents that move along a line: `spatialDistribution(in0, in1, x, …)`.
//!
//! z(y, t) on 0 ≤ y ≤ 1 is only moved, ∂z/∂t + ẋ·∂z/∂y = 0, so in the coordinate of the contents, ξ = y − x, it stands still
//! and the line is a window [−x, 1 − x] that glides over it. A step puts a piece in at the one end, and drops what
//! has left at the other: memory is bounded by the contents of one length, and neighbours that are short are made one. A piece keeps
//! ξ and z as functions of the step's own time, so that it is as accurate as the integration also where the flow turns.
//!
//! A jump in what was put in is a jump of what comes out later: each end has a root function that is zero when the next one
//! arrives there.

use std::collections::VecDeque;

use ferrica_codegen::model::TransportSlots;
use ferrica_codegen::{Evaluator, Failure, Slot};

use crate::problem::Problem;
use crate::segment::{NODES, Segment};

/// Neighbours that are shorter than this together are made one piece.
const SHORT: f64 = 1.0 / 4000.0;
/// Beyond so many pieces (with jumps between them) neighbours are made one whatever they hold.
const MOST_PIECES: usize = 20_000;
/// A step moves the contents by at most about this part of the line: what goes in does not come out in the same step.
const STEP_PART: f64 = 0.5;
/// Halvings with which the time is found at which a coordinate was passed.
const HALVINGS: usize = 60;

/// Contents that went in on one step.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Coordinates of its ends, ascending; what has left again is cut off.
    low: f64,
    high: f64,
    /// ξ and z over the step's time from 0 to 4.
    coordinate: Segment,
    value: Segment,
}

/// The step's time, in quarters.
const SPAN: f64 = (NODES - 1) as f64;

impl Piece {
    fn new(coordinates: [f64; NODES], values: [f64; NODES]) -> Piece {
        let (first, last) = (coordinates[0], coordinates[NODES - 1]);
        Piece {
            low: first.min(last),
            high: first.max(last),
            coordinate: Segment::new(0.0, SPAN, coordinates),
            value: Segment::new(0.0, SPAN, values),
        }
    }

    /// A straight line between two points.
    fn line(begin: f64, end: f64, values: [f64; 2]) -> Piece {
        let between = |[a, b]: [f64; 2]| std::array::from_fn(|k| a + k as f64 / SPAN * (b - a));
        Piece::new(between([begin, end]), between(values))
    }

    fn at(&self, coordinate: f64) -> f64 {
        let (mut a, mut b) = (0.0, SPAN);
        let (mut fa, mut fb) = (
            self.coordinate.eval(a) - coordinate,
            self.coordinate.eval(b) - coordinate,
        );
        if fa * fb > 0.0 {
            return self.value.eval(if fa.abs() < fb.abs() { a } else { b });
        }
        // Regula falsi with halvings: exact at once where the flow is steady.
        for k in 0..HALVINGS {
            let middle = if k % 3 == 2 || fa == fb {
                0.5 * (a + b)
            } else {
                a - fa * (b - a) / (fb - fa)
            };
            let f = self.coordinate.eval(middle) - coordinate;
            if f.abs() <= f64::EPSILON * coordinate.abs().max(self.high - self.low) || a >= b {
                return self.value.eval(middle);
            }
            if f * fa > 0.0 {
                (a, fa) = (middle, f);
            } else {
                (b, fb) = (middle, f);
            }
        }
        self.value.eval(0.5 * (a + b))
    }

    /// One piece in place of two neighbours.
    fn join(left: &Piece, right: &Piece) -> Piece {
        let (low, high) = (left.low, right.high);
        let coordinates = std::array::from_fn(|k| low + k as f64 / SPAN * (high - low));
        let values = coordinates.map(|c| {
            let from = if c < left.high { left } else { right };
            from.at(c)
        });
        Piece::new(coordinates, values)
    }
}

/// One operator of the model.
#[derive(Clone, Debug)]
pub struct Line {
    results: [Slot; 2],
    sources: [Slot; 2],
    pub position: Slot,
    points: Vec<Slot>,
    values: Vec<Slot>,
    /// In the order of their coordinates, without gaps; never empty after the start.
    pieces: VecDeque<Piece>,
    /// Coordinates of jumps, ascending.
    jumps: VecDeque<f64>,
    /// Largest magnitude so far.
    size: f64,
    /// Lengths a second in the last step.
    speed: f64,
}

impl Line {
    /// Signals that are followed: what would go in at the two ends, and the position.
    pub const SIGNALS: usize = 3;

    pub fn new(slots: &TransportSlots) -> Line {
        Line {
            results: slots.results,
            sources: slots.sources,
            position: slots.position,
            points: slots.points.clone(),
            values: slots.values.clone(),
            pieces: VecDeque::new(),
            jumps: VecDeque::new(),
            size: 0.0,
            speed: 0.0,
        }
    }

    /// The contents at the start are known; the position is that of the present point.
    pub fn begin(&mut self, ev: &Evaluator) {
        let x = ev.get(self.position);
        let places: Vec<f64> = self.points.iter().map(|&s| ev.get(s) - x).collect();
        let values: Vec<f64> = self.values.iter().map(|&s| ev.get(s)).collect();
        self.pieces.clear();
        self.jumps.clear();
        self.size = values.iter().fold(0.0, |m, v| m.max(v.abs()));
        for (p, v) in places.windows(2).zip(values.windows(2)) {
            if p[1] > p[0] {
                self.pieces.push_back(Piece::line(p[0], p[1], [v[0], v[1]]));
            } else if v[0] != v[1] {
                self.jumps.push_back(p[0]);
            }
        }
        self.drop_jumps(-x, 1.0 - x);
    }

    /// Present values of the signals that are followed.
    pub fn signals(&self, ev: &Evaluator) -> [f64; Line::SIGNALS] {
        [self.sources[0], self.sources[1], self.position].map(|s| ev.get(s))
    }

    /// Writes what is at the ends, the position being known.
    pub fn apply(&self, ev: &mut Evaluator) {
        let x = ev.get(self.position);
        for (end, &slot) in self.results.iter().enumerate() {
            if let Some(value) = self.at(end, x) {
                ev.set(slot, value);
            }
        }
    }

    /// Contents at an end. A jump comes out when it has been told to [`Line::arrive`]: until then the side before it.
    fn at(&self, end: usize, x: f64) -> Option<f64> {
        let (first, last) = (self.pieces.front()?, self.pieces.back()?);
        let coordinate = match end {
            0 => (-x).min(*self.jumps.front().unwrap_or(&f64::INFINITY)),
            _ => (1.0 - x).max(*self.jumps.back().unwrap_or(&f64::NEG_INFINITY)),
        };
        let coordinate = coordinate.clamp(first.low, last.high.max(first.low));
        let k = match end {
            0 => self.pieces.partition_point(|p| p.high < coordinate),
            _ => self.pieces.partition_point(|p| p.high <= coordinate),
        };
        self.pieces
            .get(k.min(self.pieces.len() - 1))
            .map(|p| p.at(coordinate))
    }

    /// Longest step in which the line is not run through.
    pub fn step_limit(&self) -> f64 {
        STEP_PART / self.speed
    }

    /// The contents move so fast at the present point: for the step that begins there.
    pub fn set_speed(&mut self, speed: f64) {
        self.speed = speed.abs();
    }

    /// A step begins at the position x: what has left is read no more. (What leaves in a step is still read by the output
    /// points within it.)
    pub fn forget(&mut self, x: f64) {
        self.cut(-x, 1.0 - x);
    }

    /// An accepted step of length `h`, or a part of one, with the values of the signals.
    pub fn push(&mut self, h: f64, signals: &[[f64; NODES]], jump_tolerance: f64) {
        let &[in0, in1, x] = signals else { return };
        let last = NODES - 1;
        self.speed = (x[last] - x[last - 1]).abs() * SPAN / h;
        let forward = x.windows(2).all(|w| w[0] <= w[1]);
        let backward = x.windows(2).all(|w| w[0] >= w[1]);
        if forward || backward {
            self.put_in(in0, in1, x, jump_tolerance);
        } else {
            // The flow turns within the step: quarter by quarter.
            for k in 0..last {
                let part = |v: [f64; NODES]| {
                    std::array::from_fn(|j| v[k] + j as f64 / SPAN * (v[k + 1] - v[k]))
                };
                self.put_in(part(in0), part(in1), part(x), jump_tolerance);
            }
        }
        if self.pieces.len() > MOST_PIECES {
            self.join_pairs();
        }
    }

    /// Contents that go in while the position changes in one direction.
    fn put_in(&mut self, in0: [f64; NODES], in1: [f64; NODES], x: [f64; NODES], tolerance: f64) {
        let last = NODES - 1;
        let forward = x[last] > x[0];
        // What has left at the end at which contents go in now.
        if forward {
            self.cut(-x[0], f64::INFINITY);
        } else {
            self.cut(f64::NEG_INFINITY, 1.0 - x[0]);
        }
        let (Some(front), Some(back)) = (self.pieces.front(), self.pieces.back()) else {
            return;
        };
        let (mut coordinates, values, border) = if forward {
            (x.map(|x| -x), in0, front.low)
        } else {
            (x.map(|x| 1.0 - x), in1, back.high)
        };
        coordinates[0] = border;
        let piece = Piece::new(coordinates, values);
        if (forward && coordinates[last] < border) || (!forward && coordinates[last] > border) {
            let before = if forward {
                front.at(border)
            } else {
                back.at(border)
            };
            self.size = values.iter().fold(self.size, |m, v| m.max(v.abs()));
            let jumps = (values[0] - before).abs() > tolerance * self.size.max(1e-6);
            match (forward, jumps) {
                (true, true) => self.jumps.push_front(border),
                (false, true) => self.jumps.push_back(border),
                _ => {}
            }
            self.attach(piece, forward, jumps);
        }
    }

    fn attach(&mut self, piece: Piece, forward: bool, jumps: bool) {
        let neighbour = if forward {
            self.pieces.front_mut()
        } else {
            self.pieces.back_mut()
        };
        if let Some(n) = neighbour
            && !jumps
            && n.high - n.low + piece.high - piece.low < SHORT
        {
            *n = if forward {
                Piece::join(&piece, n)
            } else {
                Piece::join(n, &piece)
            };
        } else if forward {
            self.pieces.push_front(piece);
        } else {
            self.pieces.push_back(piece);
        }
    }

    /// What is outside of the window has left.
    fn cut(&mut self, low: f64, high: f64) {
        while self.pieces.len() > 1 && self.pieces[0].high <= low {
            self.pieces.pop_front();
        }
        while self.pieces.len() > 1 && self.pieces.back().is_some_and(|p| p.low >= high) {
            self.pieces.pop_back();
        }
        if let Some(p) = self.pieces.front_mut() {
            p.low = p.low.max(low).min(p.high);
        }
        if let Some(p) = self.pieces.back_mut() {
            p.high = p.high.min(high).max(p.low);
        }
        self.drop_jumps(low, high);
    }

    fn drop_jumps(&mut self, low: f64, high: f64) {
        while self.jumps.front().is_some_and(|&j| j <= low) {
            self.jumps.pop_front();
        }
        while self.jumps.back().is_some_and(|&j| j >= high) {
            self.jumps.pop_back();
        }
    }

    fn join_pairs(&mut self) {
        let pieces: Vec<Piece> = self.pieces.drain(..).collect();
        self.pieces = pieces
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => Piece::join(a, b),
                _ => pair[0],
            })
            .collect();
        let ends: Vec<f64> = self.pieces.iter().map(|p| p.low).collect();
        self.jumps
            .retain(|j| ends.binary_search_by(|e| e.total_cmp(j)).is_ok());
    }

    /// Root functions: how far the next jump is from each end, the position being known.
    pub fn roots(&self, ev: &Evaluator) -> [f64; 2] {
        let x = ev.get(self.position);
        [
            self.jumps.front().map_or(1.0, |j| j + x),
            self.jumps.back().map_or(1.0, |j| 1.0 - x - j),
        ]
    }

    /// The next jump has arrived at an end: from now on what is behind it comes out.
    pub fn arrive(&mut self, end: usize) {
        let jump = if end == 0 {
            self.jumps.pop_front()
        } else {
            self.jumps.pop_back()
        };
        let (Some(first), Some(last)) = (self.pieces.front(), self.pieces.back()) else {
            return;
        };
        let (low, high) = (first.low, last.high);
        match (jump, end) {
            (Some(jump), 0) => self.cut(jump, high),
            (Some(jump), _) => self.cut(low, jump),
            _ => {}
        }
    }

    pub fn save(&self, out: &mut Vec<f64>) {
        out.extend([self.size, self.speed, self.jumps.len() as f64]);
        out.extend(self.jumps.iter());
        out.push(self.pieces.len() as f64);
        for p in &self.pieces {
            out.extend([p.low, p.high]);
            p.coordinate.save(out);
            p.value.save(out);
        }
    }

    pub fn load(&mut self, next: &mut impl FnMut() -> f64) {
        (self.size, self.speed) = (next(), next());
        let jumps = next() as usize;
        self.jumps = (0..jumps).map(|_| next()).collect();
        let pieces = next() as usize;
        self.pieces = (0..pieces)
            .map(|_| {
                let (low, high) = (next(), next());
                let (coordinate, value) = (Segment::load(next), Segment::load(next));
                Piece {
                    low,
                    high,
                    coordinate,
                    value,
                }
            })
            .collect();
    }
}

/// Contents at the start from the parameters, before the initial system is solved: the ends have the values of the first and
/// the last point wherever the position is.
pub fn fill_lines(p: &mut Problem) -> Result<(), Failure> {
    let model = p.ev.model.clone();
    for t in &model.transports {
        p.ev.run(&t.contents)?;
        let points: Vec<f64> = t.points.iter().map(|&s| p.ev.get(s)).collect();
        if let Some(what) = bad_points(&points) {
            let mut failure = Failure::new(format!(
                "initialPoints of spatialDistribution {what}: {points:?}"
            ));
            failure.span = t.span;
            return Err(failure);
        }
        for (&slot, &value) in t
            .results
            .iter()
            .zip([t.values.first(), t.values.last()].iter())
        {
            let value = value.map_or(0.0, |&s| p.ev.get(s));
            p.ev.set(slot, value);
        }
    }
    Ok(())
}

/// What is wrong with places along the line.
fn bad_points(points: &[f64]) -> Option<&'static str> {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return Some("are empty");
    };
    if first != 0.0 {
        Some("must begin with 0")
    } else if last != 1.0 {
        Some("must end with 1")
    } else if points.windows(2).any(|w| w[0] > w[1]) {
        Some("must not descend")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> Line {
        let mut line = Line {
            results: [0; 2],
            sources: [0; 2],
            position: 0,
            points: Vec::new(),
            values: Vec::new(),
            pieces: VecDeque::new(),
            jumps: VecDeque::new(),
            size: 1.0,
            speed: 0.0,
        };
        for w in points.windows(2) {
            let piece = Piece::line(w[0].0, w[1].0, [w[0].1, w[1].1]);
            line.pieces.push_back(piece);
        }
        line
    }

    fn nodes(f: impl Fn(f64) -> f64, begin: f64, end: f64) -> [f64; NODES] {
        std::array::from_fn(|k| f(begin + k as f64 / SPAN * (end - begin)))
    }

    /// The flow x = sin(t) turns at π/2: what went in comes out in reverse order, exactly though z(ξ) has the slope of a square
    /// root at the turning point.
    #[test]
    fn what_went_in_comes_out_in_reverse_order() {
        let mut line = line(&[(0.0, 1.0), (1.0, 1.0)]);
        let quarter = std::f64::consts::FRAC_PI_2;
        let steps = 40;
        for k in 0..steps {
            let (a, b) = (
                quarter * f64::from(k) / f64::from(steps),
                quarter * f64::from(k + 1) / f64::from(steps),
            );
            let signals = [
                nodes(f64::cos, a, b),
                nodes(|_| 5.0, a, b),
                nodes(f64::sin, a, b),
            ];
            line.push(b - a, &signals, 1e-9);
        }
        for k in 1..20 {
            let t = quarter * (1.0 + f64::from(k) / 20.0);
            // Mirrored in time: the piece that went in at π − t.
            let expected = (2.0 * quarter - t).cos();
            let got = line.at(0, t.sin()).unwrap_or(f64::NAN);
            assert!((got - expected).abs() < 1e-8, "{t}: {got} {expected}");
        }
    }

    /// A million steps of a creeping flow need no more pieces than the line is long in short ones.
    #[test]
    fn memory_is_bounded() {
        let mut line = line(&[(0.0, 0.0), (1.0, 0.0)]);
        for k in 0..50_000 {
            let (a, b) = (f64::from(k) * 1e-6, f64::from(k + 1) * 1e-6);
            let signals = [nodes(|t| t, a, b), nodes(|_| 0.0, a, b), nodes(|t| t, a, b)];
            line.push(1.0, &signals, 1e-9);
        }
        assert!(line.pieces.len() < 500, "{}", line.pieces.len());
        let got = line.at(0, 0.01).unwrap_or(f64::NAN);
        assert!((got - 0.01).abs() < 1e-12, "{got}");
    }

    #[test]
    fn places_run_from_0_to_1() {
        assert_eq!(bad_points(&[0.0, 0.5, 0.5, 1.0]), None);
        assert_eq!(bad_points(&[0.1, 1.0]), Some("must begin with 0"));
        assert_eq!(bad_points(&[0.0, 0.9]), Some("must end with 1"));
        assert_eq!(bad_points(&[0.0, 0.7, 0.5, 1.0]), Some("must not descend"));
    }
}
