//! Is a signal within a tube around its reference?
//!
//! At each time of the reference the signal is interpolated and must lie within `width` of it, where
//! `width` is a fraction of the reference's range. Around the reference's jumps the tube opens in time
//! as well: within `time_width` of a jump the signal may have any value that the reference takes
//! there, so that an event found a little earlier or later is no difference. A jump is a pair of
//! samples with the same time or, for references without such pairs, a step between two samples
//! that stands out from its neighbours; the event may then be anywhere between the two.

use super::interpolation::Cursor;

#[derive(Clone, Debug)]
pub struct TubeOptions {
    /// Half width of the tube as a fraction of the reference's range.
    pub relative_width: f64,
    /// The half width is at least this fraction of the reference's largest magnitude: results that
    /// were stored in single precision or that barely move.
    pub magnitude_width: f64,
    /// The half width is at least this: signals that are zero up to rounding.
    pub absolute_width: f64,
    /// Tolerance in time around jumps, as a fraction of the reference's interval.
    pub time_width: f64,
    /// Apply the tolerance in time at all samples, not only around jumps.
    pub time_everywhere: bool,
}

impl Default for TubeOptions {
    fn default() -> Self {
        TubeOptions {
            relative_width: 2e-3,
            magnitude_width: 1e-6,
            absolute_width: 1e-10,
            time_width: 1e-3,
            time_everywhere: false,
        }
    }
}

/// How one signal compares to its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalVerdict {
    pub passed: bool,
    /// Half width of the tube.
    pub width: f64,
    /// Largest deviation from the reference (around jumps: from the values allowed there).
    pub max_deviation: f64,
    /// Where that is.
    pub max_at: f64,
    /// Root mean square and mean of the deviations over the reference's samples.
    pub rms: f64,
    pub mean_absolute: f64,
    /// Samples of the reference that were compared, and those outside the tube.
    pub samples: usize,
    pub outside: usize,
    /// The time of the first sample outside.
    pub first_outside: Option<f64>,
    /// The reference's largest minus smallest value.
    pub range: f64,
    /// The signal ends before its reference does, at this time.
    pub ends_early: Option<f64>,
}

impl SignalVerdict {
    /// The largest deviation as a fraction of the reference's range; the deviation itself if the
    /// reference is constant.
    pub fn relative_deviation(&self) -> f64 {
        if self.range > 0.0 {
            self.max_deviation / self.range
        } else {
            self.max_deviation
        }
    }
}

/// The tube around a reference: where it is judged, and what is allowed there.
#[derive(Clone, Debug, Default)]
pub struct Tube {
    pub time: Vec<f64>,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

/// The tube that [`tube`] judges by.
pub fn tube_around(time: &[f64], values: &[f64], options: &TubeOptions) -> Tube {
    let n = time.len().min(values.len());
    let (rt, rv) = (&time[..n], &values[..n]);
    let (width, dt) = widths(rt, rv, options);
    let near_jump = NearJumps::new(rt, rv, width, dt);
    let mut window = Window { from: 0, to: 0 };
    let mut out = Tube::default();
    for i in 0..n {
        let (low, high) = match near_jump.contains(i) || (options.time_everywhere && dt > 0.0) {
            true => window.envelope(rt, rv, i, dt, &near_jump),
            false => (rv[i], rv[i]),
        };
        if rv[i].is_finite() {
            out.time.push(rt[i]);
            out.low.push(low - width);
            out.high.push(high + width);
        }
    }
    out
}

/// Half width of the tube, and its tolerance in time.
fn widths(rt: &[f64], rv: &[f64], options: &TubeOptions) -> (f64, f64) {
    let (low, high) = bounds(rv.iter().copied());
    let range = if high >= low { high - low } else { 0.0 };
    let width = (options.relative_width * range)
        .max(options.magnitude_width * low.abs().max(high.abs()).min(f64::MAX))
        .max(options.absolute_width);
    let interval = match (rt.first(), rt.last()) {
        (Some(first), Some(last)) => last - first,
        _ => 0.0,
    };
    (width, options.time_width * interval)
}

/// Compares a signal with its reference. Times ascend; the same time twice is an event.
pub fn tube(
    reference_time: &[f64],
    reference_values: &[f64],
    time: &[f64],
    values: &[f64],
    options: &TubeOptions,
) -> SignalVerdict {
    let n = reference_time.len().min(reference_values.len());
    let (rt, rv) = (&reference_time[..n], &reference_values[..n]);
    let (low, high) = bounds(rv.iter().copied());
    let range = if high >= low { high - low } else { 0.0 };
    let interval = if n > 1 { rt[n - 1] - rt[0] } else { 0.0 };
    let (width, dt) = widths(rt, rv, options);
    let mut verdict = SignalVerdict {
        passed: true,
        width,
        max_deviation: 0.0,
        max_at: rt.first().copied().unwrap_or(0.0),
        rms: 0.0,
        mean_absolute: 0.0,
        samples: 0,
        outside: 0,
        first_outside: None,
        range,
        ends_early: None,
    };
    if n > 0 && (time.is_empty() || values.is_empty()) {
        verdict.passed = false;
        verdict.max_deviation = f64::INFINITY;
        verdict.ends_early = Some(rt[0]);
        return verdict;
    }

    let near_jump = NearJumps::new(rt, rv, width, dt);
    let mut signal = Cursor::new(time, values);
    let mut window = Window { from: 0, to: 0 };
    let (mut sum, mut squares) = (0.0, 0.0);
    for i in 0..n {
        let (t, reference) = (rt[i], rv[i]);
        let Some(sides) = signal.sides(t) else { break };
        let deviation = if !reference.is_finite() {
            let same = [sides.left, sides.right]
                .iter()
                .any(|v| v.to_bits() == reference.to_bits() || (v.is_nan() && reference.is_nan()));
            if same { 0.0 } else { f64::INFINITY }
        } else if near_jump.contains(i) || (options.time_everywhere && dt > 0.0) {
            let (low, high) = window.envelope(rt, rv, i, dt, &near_jump);
            let distance = |v: f64| {
                if v.is_nan() {
                    v
                } else {
                    (low - v).max(v - high).max(0.0)
                }
            };
            smaller(distance(sides.left), distance(sides.right))
        } else {
            smaller(
                (sides.left - reference).abs(),
                (sides.right - reference).abs(),
            )
        };
        let deviation = if deviation.is_nan() {
            f64::INFINITY
        } else {
            deviation
        };
        verdict.samples += 1;
        sum += deviation;
        squares += deviation * deviation;
        if deviation > verdict.max_deviation {
            verdict.max_deviation = deviation;
            verdict.max_at = t;
        }
        if deviation > width {
            verdict.outside += 1;
            verdict.first_outside.get_or_insert(t);
        }
    }
    if verdict.samples > 0 {
        verdict.rms = (squares / verdict.samples as f64).sqrt();
        verdict.mean_absolute = sum / verdict.samples as f64;
    }
    let slack = dt.max(1e-9 * interval);
    if let (Some(&end), Some(&reference_end)) = (time.last(), rt.last())
        && end < reference_end - slack
    {
        verdict.ends_early = Some(end);
    }
    verdict.passed = verdict.outside == 0 && verdict.ends_early.is_none();
    verdict
}

/// The smaller of two deviations; one that is not a number never wins.
fn smaller(a: f64, b: f64) -> f64 {
    a.min(b)
}

/// Smallest and largest finite value.
fn bounds(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        })
}

/// The reference's jumps, and which samples are near one.
struct NearJumps {
    near: Vec<bool>,
    /// `jump[i]`: the segment from sample `i` to `i + 1` is a jump.
    jump: Vec<bool>,
}

/// A step between samples is a jump if it is this many times larger than the steps beside it …
const STANDS_OUT: f64 = 8.0;
/// … and at least this many tube widths high.
const JUMP_WIDTHS: f64 = 2.0;

impl NearJumps {
    fn new(time: &[f64], values: &[f64], width: f64, dt: f64) -> Self {
        let n = time.len();
        let mut near = vec![false; n];
        let mut jump = vec![false; n];
        let step = |i: usize| (values[i + 1] - values[i]).abs();
        let slope_before = |i: usize| {
            // Pairs of equal times are jumps themselves and say nothing about slopes.
            (0..i)
                .rev()
                .find(|&k| time[k + 1] > time[k])
                .map_or(0.0, step)
        };
        let slope_after = |i: usize| {
            (i + 1..n - 1)
                .find(|&k| time[k + 1] > time[k])
                .map_or(0.0, step)
        };
        for i in 0..n.saturating_sub(1) {
            let height = step(i);
            jump[i] = if time[i + 1] <= time[i] {
                true
            } else {
                height > JUMP_WIDTHS * width
                    && height > STANDS_OUT * slope_before(i)
                    && height > STANDS_OUT * slope_after(i)
            };
            if jump[i] {
                near[i] = true;
                near[i + 1] = true;
                for k in (0..i).rev().take_while(|&k| time[k] >= time[i] - dt) {
                    near[k] = true;
                }
                for k in (i + 2..n).take_while(|&k| time[k] <= time[i + 1] + dt) {
                    near[k] = true;
                }
            }
        }
        NearJumps { near, jump }
    }

    fn contains(&self, i: usize) -> bool {
        self.near[i]
    }
}

/// The samples within the time tolerance of the current one; moves forward only.
struct Window {
    from: usize,
    to: usize,
}

impl Window {
    /// Smallest and largest value of the reference within `dt` of sample `i`, jumps that reach into
    /// this window included whole.
    fn envelope(
        &mut self,
        time: &[f64],
        values: &[f64],
        i: usize,
        dt: f64,
        jumps: &NearJumps,
    ) -> (f64, f64) {
        let (start, end) = (time[i] - dt, time[i] + dt);
        let n = time.len();
        while self.from < i && time[self.from] < start {
            self.from += 1;
        }
        self.to = self.to.max(i);
        while self.to + 1 < n && time[self.to + 1] <= end {
            self.to += 1;
        }
        let (mut low, mut high) = bounds(values[self.from..=self.to].iter().copied());
        let mut include = |v: f64| {
            if v.is_finite() {
                low = low.min(v);
                high = high.max(v);
            }
        };
        // The window's edges lie within segments: take a whole jump, else the interpolated value.
        if self.from > 0 {
            let k = self.from - 1;
            include(if jumps.jump[k] {
                values[k]
            } else {
                between(time, values, k, start)
            });
        }
        if self.to + 1 < n {
            let k = self.to;
            include(if jumps.jump[k] {
                values[k + 1]
            } else {
                between(time, values, k, end)
            });
        }
        (low, high)
    }
}

fn between(time: &[f64], values: &[f64], k: usize, t: f64) -> f64 {
    let length = time[k + 1] - time[k];
    if length <= 0.0 {
        return values[k];
    }
    let fraction = ((t - time[k]) / length).clamp(0.0, 1.0);
    values[k] + fraction * (values[k + 1] - values[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize) -> Vec<f64> {
        (0..=n).map(|i| i as f64 / n as f64).collect()
    }

    fn compare(rt: &[f64], rv: &[f64], t: &[f64], v: &[f64]) -> SignalVerdict {
        tube(rt, rv, t, v, &TubeOptions::default())
    }

    #[test]
    fn smooth_signals_on_different_grids() {
        let rt = grid(500);
        let t = grid(313);
        let sine = |t: &Vec<f64>| t.iter().map(|t| (6.0 * t).sin()).collect::<Vec<_>>();
        // Linear interpolation of sin(6t) is off by at most (6h)^2/8.
        let same = compare(&rt, &sine(&rt), &t, &sine(&t));
        assert!(same.passed && same.max_deviation < 36.0 / 313.0 / 313.0 / 8.0);
        let off: Vec<f64> = sine(&t).iter().map(|v| v + 0.01).collect();
        let off = compare(&rt, &sine(&rt), &t, &off);
        assert!(!off.passed);
        assert_eq!(off.samples, 501);
        assert!((off.mean_absolute - 0.01).abs() < 1e-4);
        assert!((off.rms - 0.01).abs() < 1e-4);
        assert!((off.relative_deviation() - 0.005).abs() < 1e-4);
    }

    /// A step at `at`, with two rows there or with one.
    fn step(at: f64, pair: bool) -> (Vec<f64>, Vec<f64>) {
        let mut time: Vec<f64> = grid(100);
        time.retain(|t| (t - at).abs() > 1e-12);
        let k = time.partition_point(|t| *t < at);
        time.insert(k, at);
        if pair {
            time.insert(k, at);
        }
        let mut values: Vec<f64> = time.iter().map(|t| f64::from(u8::from(*t >= at))).collect();
        if pair {
            values[k] = 0.0;
        }
        (time, values)
    }

    #[test]
    fn events_may_move_a_little_but_not_much() {
        let (rt, rv) = step(0.5, true);
        for shift in [0.0, 5e-4, -5e-4] {
            let (t, v) = step(0.5 + shift, true);
            let verdict = compare(&rt, &rv, &t, &v);
            assert!(verdict.passed, "shift {shift}: {verdict:?}");
            assert_eq!(verdict.max_deviation, 0.0);
        }
        let (t, v) = step(0.53, true);
        let late = compare(&rt, &rv, &t, &v);
        assert!(!late.passed);
        assert_eq!(late.first_outside, Some(0.51));
        // A signal that never jumps fails right after the event.
        let flat = compare(&rt, &rv, &rt, &vec![0.0; rt.len()]);
        assert!(!flat.passed && flat.outside > 40);
    }

    #[test]
    fn a_reference_without_event_rows() {
        // The reference shows the new value at its sample, the signal has both values.
        let (rt, rv) = step(0.5, false);
        let (t, v) = step(0.5, true);
        assert!(compare(&rt, &rv, &t, &v).passed);
        assert!(compare(&t, &v, &rt, &rv).passed);
        // Or the signal shows the old one there.
        let old: Vec<f64> = rt.iter().map(|t| f64::from(u8::from(*t > 0.5))).collect();
        assert!(compare(&rt, &rv, &rt, &old).passed);
    }

    #[test]
    fn constants_and_noise_near_zero() {
        let t = grid(10);
        let zero = vec![0.0; 11];
        assert!(compare(&t, &zero, &t, &[1e-14; 11]).passed);
        assert!(!compare(&t, &zero, &t, &[1e-3; 11]).passed);
        let g = vec![9.81; 11];
        assert!(compare(&t, &g, &t, &[f64::from(9.81f32); 11]).passed);
        assert!(!compare(&t, &g, &t, &[9.82; 11]).passed);
    }

    #[test]
    fn missing_ends_and_nonsense() {
        let t = grid(10);
        let v = vec![1.0; 11];
        let short = compare(&t, &v, &t[..6], &v[..6]);
        assert_eq!(short.ends_early, Some(0.5));
        assert!(!short.passed);
        let mut nan = v.clone();
        nan[3] = f64::NAN;
        assert!(!compare(&t, &v, &t, &nan).passed);
        assert!(compare(&t, &nan, &t, &nan).passed);
        assert!(!compare(&t, &v, &[], &[]).passed);
        assert!(compare(&[], &[], &t, &v).passed);
    }

    /// A fast oscillation half a period off must not slip through the tolerance in time.
    #[test]
    fn phase_errors_are_seen_away_from_events() {
        let t = grid(5000);
        let wave = |shift: f64| -> Vec<f64> {
            t.iter()
                .map(|t| (2.0 * std::f64::consts::PI * (200.0 * t + shift)).sin())
                .collect()
        };
        assert!(!compare(&t, &wave(0.0), &t, &wave(0.05)).passed);
        assert!(compare(&t, &wave(0.0), &t, &wave(1e-4)).passed);
    }
}
