//! A signal on one step: the quartic polynomial through five equidistant values, linear pieces where it is not smooth.

/// A signal whose fourth differences on a step exceed this part of its range there is interpolated linearly.
const ROUGH: f64 = 1e-2;

/// Values on a step: at its beginning, quarters and end.
pub const NODES: usize = 5;

/// Does the quartic through the values follow the signal within the tolerance? For sin θ on a grid of spacing θ the fourth
/// differences are θ⁴ and the error is 0.03·θ⁵ at most.
pub fn is_resolved(values: &[f64; NODES], resolution: f64) -> bool {
    let [a, b, c, d, e] = *values;
    let size = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let fourth = a - 4.0 * b + 6.0 * c - 4.0 * d + e;
    fourth.abs() <= resolution * size
}

/// Does the cubic through all values but that at three quarters follow the signal within the tolerance? Its first quarter must be
/// near the parabola through the other three: what a kink in the last half does there is a quarter of what it does anywhere.
pub fn is_cubic(values: &[f64; NODES], resolution: f64) -> bool {
    let [a, b, c, _, e] = *values;
    let size = a.abs().max(c.abs()).max(e.abs());
    let away = b - (0.375 * a + 0.75 * c - 0.125 * e);
    4.0 * away.abs() <= resolution * size
}

/// The value at three quarters from the cubic through the others.
pub fn fill_cubic(values: &mut [f64; NODES]) {
    let [a, b, c, _, e] = *values;
    values[3] = 0.25 * a - b + 1.5 * c + 0.25 * e;
}

/// Puts the values between the first and the last one on a straight line.
pub fn straighten(values: &mut [f64; NODES]) {
    let [a, .., e] = *values;
    for (k, v) in values.iter_mut().enumerate().take(NODES - 1).skip(1) {
        *v = a + (e - a) * k as f64 / (NODES - 1) as f64;
    }
}

/// Fourth differences, in parts of the signal, that the tolerance permits.
pub fn resolution(tolerance: f64) -> f64 {
    (30.0 * 0.1 * tolerance).powf(0.8)
}

#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub begin: f64,
    pub end: f64,
    /// Grid steps a second: 4 / (end - begin), zero for an empty segment.
    rate: f64,
    /// Coefficients of the powers of the grid's coordinate, 0 to 4; the values themselves where the signal is not smooth.
    numbers: [f64; NODES],
    /// Value at the end.
    pub last: f64,
    smooth: bool,
}

impl Segment {
    pub fn new(begin: f64, end: f64, values: [f64; NODES]) -> Segment {
        let mut d = values;
        let range = || {
            let ends = (values[0], values[0]);
            let (low, high) = (values.iter()).fold(ends, |(l, h), &v| (v.min(l), v.max(h)));
            high - low
        };
        for level in 1..NODES {
            for k in (level..NODES).rev() {
                d[k] -= d[k - 1];
            }
        }
        // Not smooth: nothing that is passed on and on, as waves are, may grow.
        let rough = d[4].abs();
        let smooth = rough <= ROUGH * (values[4] - values[0]).abs() || rough <= ROUGH * range();
        let numbers = if smooth {
            // Newton's coefficients, then the powers multiplied out.
            let (b, c, e) = (d[2] / 2.0, d[3] / 6.0, d[4] / 24.0);
            let first = d[1] - b + 2.0 * c - 6.0 * e;
            [d[0], first, b - 3.0 * c + 11.0 * e, c - 6.0 * e, e]
        } else {
            values
        };
        Segment::of(begin, end, numbers, values[NODES - 1], smooth)
    }

    /// An empty segment.
    pub fn point(t: f64, value: f64) -> Segment {
        Segment::of(t, t, [value, 0.0, 0.0, 0.0, 0.0], value, true)
    }

    fn of(begin: f64, end: f64, numbers: [f64; NODES], last: f64, smooth: bool) -> Segment {
        let width = end - begin;
        Segment {
            begin,
            end,
            rate: if width > 0.0 { 4.0 / width } else { 0.0 },
            numbers,
            last,
            smooth,
        }
    }

    /// Value at the beginning.
    pub fn first(&self) -> f64 {
        self.numbers[0]
    }

    /// Are both one constant piece? Empty segments, the values after a jump, stay as they are.
    pub fn goes_on_as(&self, next: &Segment) -> bool {
        let rests = |s: &Segment| s.end > s.begin && s.smooth && s.numbers[1..] == [0.0; NODES - 1];
        rests(self)
            && rests(next)
            && self.numbers[0].to_bits() == next.numbers[0].to_bits()
            && self.end == next.begin
    }

    /// The same polynomial's grid on a longer step: for a constant.
    pub fn until(&self, end: f64) -> Segment {
        Segment::of(self.begin, end, self.numbers, self.last, self.smooth)
    }

    #[inline]
    pub fn eval(&self, t: f64) -> f64 {
        let d = &self.numbers;
        let s = (t - self.begin) * self.rate;
        if !self.smooth {
            let k = (s.max(0.0) as usize).min(NODES - 2);
            let part = s - k as f64;
            return d[k] + part * (d[k + 1] - d[k]);
        }
        let square = s * s;
        (d[0] + d[1] * s) + square * ((d[2] + d[3] * s) + square * d[4])
    }

    pub fn save(&self, out: &mut Vec<f64>) {
        let smooth = f64::from(u8::from(self.smooth));
        out.extend([self.begin, self.end, self.last, smooth]);
        out.extend_from_slice(&self.numbers);
    }

    pub fn load(next: &mut impl FnMut() -> f64) -> Segment {
        let (begin, end, last, smooth) = (next(), next(), next(), next() != 0.0);
        let numbers = std::array::from_fn(|_| next());
        Segment::of(begin, end, numbers, last, smooth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cubic needs no value at three quarters.
    #[test]
    fn cubics_are_filled_in() {
        let f = |s: f64| 2.0 - s + 0.5 * s * s - 0.01 * s * s * s;
        let mut values = std::array::from_fn(|k| f(k as f64));
        values[3] = f64::NAN;
        assert!(is_cubic(&values, 0.5) && !is_cubic(&values, 1e-3));
        fill_cubic(&mut values);
        assert!((values[3] - f(3.0)).abs() < 1e-14, "{values:?}");
    }

    /// A signal that rests is one segment; one that moves, jumps or rests at another value is not.
    #[test]
    fn constants_go_on() {
        let rest = |a: f64, b: f64, v: f64| Segment::new(a, b, [v; NODES]);
        let s = rest(0.0, 1.0, 0.3);
        assert!(s.goes_on_as(&rest(1.0, 1.5, 0.3)));
        assert!(!s.goes_on_as(&rest(1.0, 1.5, 0.4)));
        assert!(!s.goes_on_as(&rest(1.1, 1.5, 0.3)));
        assert!(!s.goes_on_as(&Segment::point(1.0, 0.3)));
        assert!(!s.goes_on_as(&Segment::new(1.0, 1.5, [0.3, 0.3, 0.3, 0.3, 0.4])));
        assert_eq!(s.until(1.5).eval(1.25), 0.3);
    }

    /// A quartic that is smooth on the step is reproduced exactly.
    #[test]
    fn segments_interpolate_quartics() {
        let f = |t: f64| 1.0 + 20.0 * t + 3.0 * t.powi(2) - t.powi(3) + 0.5 * t.powi(4);
        let (a, b) = (0.3, 1.1);
        let values = std::array::from_fn(|k| f(a + (b - a) * k as f64 / 4.0));
        let s = Segment::new(a, b, values);
        for k in 0..=20 {
            let t = a + (b - a) * f64::from(k) / 20.0;
            assert!((s.eval(t) - f(t)).abs() < 1e-12, "{t}");
        }
    }
}
