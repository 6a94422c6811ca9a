//! Frequencies in a trajectory.
//!
//! In: values over time, at any times. Out: amplitudes over frequency, the fundamental and its harmonics. The trajectory is
//! sampled evenly by straight lines between rows; the transform is that of Bluestein, so that any number of samples serves.
//!
//! Samples say of a jump only between which two of them it is, which is half a sample of a pulse's width. So jumps, two rows at one time, are
//! taken out before: each is that of a sawtooth with the span's length, whose spectrum is known; what is left is continuous.

use std::f64::consts::{PI, TAU};

use crate::error::Error;

/// Harmonics that the distortion counts.
const HARMONICS: usize = 40;
/// Samples at most.
const MAX_SAMPLES: usize = 1 << 20;
/// Part of the span within which output intervals fill it.
const EVEN: f64 = 1e-6;

/// How samples are weighted.
///
/// ```
/// assert_eq!(ferrica::Window::from_word("hann"), Some(ferrica::Window::Hann));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// All alike: for whole periods.
    #[default]
    Rectangular,
    /// Falls to zero at both ends: what does not repeat leaks less into other frequencies.
    Hann,
    /// The same with less leakage and a wider peak.
    Blackman,
}

impl Window {
    /// The names of all windows.
    ///
    /// ```
    /// assert!(ferrica::Window::WORDS.iter().any(|w| w.0 == "hann"));
    /// ```
    pub const WORDS: [(&'static str, Window); 3] = [
        ("rectangular", Window::Rectangular),
        ("hann", Window::Hann),
        ("blackman", Window::Blackman),
    ];

    /// The window of a name.
    ///
    /// ```
    /// assert_eq!(ferrica::Window::from_word("none"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Window> {
        let found = Window::WORDS.iter().find(|(w, _)| *w == word);
        found.map(|(_, window)| *window)
    }

    fn weight(self, part: f64) -> f64 {
        match self {
            Window::Rectangular => 1.0,
            Window::Hann => 0.5 - 0.5 * (TAU * part).cos(),
            Window::Blackman => 0.42 - 0.5 * (TAU * part).cos() + 0.08 * (2.0 * TAU * part).cos(),
        }
    }
}

/// Amplitudes over frequency.
///
/// ```
/// use ferrica::{Spectrum, Window};
/// let t: Vec<f64> = (0..=1000).map(|k| f64::from(k) * 1e-3).collect();
/// let i: Vec<f64> = t.iter().map(|t| 2.0 + 3.0*(50.0*std::f64::consts::TAU*t).sin()).collect();
/// let s = Spectrum::new(&t, &i, Window::Rectangular, None)?;
/// assert!((s.frequency[50] - 50.0).abs() < 1e-9 && (s.amplitude[50] - 3.0).abs() < 1e-9);
/// assert!((s.amplitude[0] - 2.0).abs() < 1e-9);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spectrum {
    /// Frequencies in hertz, from zero.
    pub frequency: Vec<f64>,
    /// The amplitude of the oscillation at each; the mean at zero.
    pub amplitude: Vec<f64>,
    /// The fundamental: the one asked for, or the largest peak above zero.
    pub fundamental: f64,
    /// Amplitudes of its multiples, itself first.
    pub harmonics: Vec<f64>,
    /// Total harmonic distortion: root of the sum of squares of the harmonics above the fundamental, in parts of it.
    pub distortion: f64,
}

impl Spectrum {
    /// Of values over time. A fundamental that is given cuts the trajectory to its last whole number of periods; rows must be dense enough to show it.
    ///
    /// ```
    /// use ferrica::{Spectrum, Window};
    /// // A square wave: harmonics 1, 1/3, 1/5, …
    /// let t: Vec<f64> = (0..20000).map(|k| f64::from(k) * 1e-5).collect();
    /// let u: Vec<f64> = t.iter().map(|t| if (50.0*t).fract() < 0.5 { 1.0 } else { -1.0 }).collect();
    /// let s = Spectrum::new(&t, &u, Window::Rectangular, Some(50.0))?;
    /// assert!((s.harmonics[0] - 4.0/std::f64::consts::PI).abs() < 1e-3);
    /// assert!((s.harmonics[2]/s.harmonics[0] - 1.0/3.0).abs() < 1e-3);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn new(
        time: &[f64],
        values: &[f64],
        window: Window,
        fundamental: Option<f64>,
    ) -> Result<Spectrum, Error> {
        let wrong = |text: String| Err(Error::usage("E0739", text));
        let (Some(&first), Some(&last)) = (time.first(), time.last()) else {
            return wrong("a spectrum needs values".to_owned());
        };
        if time.len() != values.len() || time.len() < 4 || last <= first {
            return wrong("a spectrum needs at least four rows over some time".to_owned());
        }
        if let Some(v) = values.iter().find(|v| !v.is_finite()) {
            return wrong(format!("a spectrum cannot be made of {v}"));
        }
        let mut span = last - first;
        let begin = match fundamental {
            Some(f) if !(f > 0.0 && f.is_finite()) => {
                return wrong(format!("{f} Hz is no frequency"));
            }
            Some(f) => {
                let periods = (span * f * (1.0 + 1e-9)).floor();
                if periods < 1.0 {
                    return wrong(format!(
                        "{span} s of the run are less than a period of {f} Hz"
                    ));
                }
                span = (periods / f).min(span);
                last - span
            }
            None => first,
        };
        let n = sample_count(&time[time.partition_point(|t| *t < begin)..], span);
        if let Some(f) = fundamental.filter(|f| f * span > (n / 2) as f64) {
            return wrong(format!(
                "{n} rows in {span} s show frequencies up to {} Hz, not {f} Hz",
                (n / 2) as f64 / span
            ));
        }
        let step = span / n as f64;
        let mut samples = sampled(time, values, begin, step, n);
        let mut weight = 0.0;
        for (k, v) in samples.iter_mut().enumerate() {
            let w = window.weight(k as f64 / n as f64);
            weight += w;
            *v *= w;
        }
        let jumps = Jumps::new((time, values), (begin, span), samples[0], window);
        jumps.take_from(&mut samples, (begin, step));
        let mut transformed = transform(&samples);
        jumps.give_back(&mut transformed);
        let half = n / 2 + 1;
        let amplitude: Vec<f64> = (transformed[..half].iter().enumerate())
            .map(|(k, &(re, im))| {
                let alone = k == 0 || (n.is_multiple_of(2) && k == half - 1);
                re.hypot(im) * if alone { 1.0 } else { 2.0 } / weight
            })
            .collect();
        let frequency: Vec<f64> = (0..half).map(|k| k as f64 / span).collect();
        let largest = (1..half).max_by(|&a, &b| amplitude[a].total_cmp(&amplitude[b]));
        let base = match fundamental {
            Some(f) => (f * span).round() as usize,
            None => largest.unwrap_or(1),
        };
        let harmonics: Vec<f64> = (1..=HARMONICS)
            .map_while(|h| amplitude.get(h * base).copied())
            .collect();
        let others: f64 = harmonics.iter().skip(1).map(|a| a * a).sum();
        Ok(Spectrum {
            fundamental: frequency.get(base).copied().unwrap_or(0.0),
            distortion: match harmonics.first() {
                Some(&a) if a > 0.0 => others.sqrt() / a,
                _ => f64::NAN,
            },
            harmonics,
            frequency,
            amplitude,
        })
    }
}

/// Samples of a span: as many as it has output intervals, so that each sample is a row and rows at events add none; where rows
/// have no common distance, as many as there are rows.
fn sample_count(time: &[f64], span: f64) -> usize {
    let mut distances: Vec<f64> = (time.windows(2).map(|w| w[1] - w[0]))
        .filter(|d| *d > 0.0)
        .collect();
    distances.sort_by(f64::total_cmp);
    let usual = distances.get(distances.len() / 2).copied();
    let even = usual.map(|d| (span / d).round());
    let fits = |n: &f64| (n * usual.unwrap_or(span) - span).abs() <= EVEN * span;
    let n = even
        .filter(fits)
        .map_or(time.len().max(1) - 1, |n| n as usize);
    n.clamp(4, MAX_SAMPLES)
}

/// The jumps of a windowed trajectory that is continued periodically.
struct Jumps {
    /// Times and heights, ascending.
    list: Vec<(f64, f64)>,
    begin: f64,
    span: f64,
}

/// A phase that is turned on and on is computed anew after so many times.
const TURNS: usize = 64;

impl Jumps {
    /// `first` is the first sample.
    fn new(
        (time, values): (&[f64], &[f64]),
        (begin, span): (f64, f64),
        first: f64,
        window: Window,
    ) -> Jumps {
        let end = begin + span;
        let weight = |t: f64| window.weight((t - begin) / span);
        // From the end of the span to its beginning.
        let behind = time.partition_point(|t| *t < end).clamp(1, time.len() - 1);
        let (a, b) = (time[behind - 1], time[behind]);
        let part = if b > a {
            ((end - a) / (b - a)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let last = values[behind - 1] + part * (values[behind] - values[behind - 1]);
        let mut list = vec![(begin, first - weight(end) * last)];
        for (t, v) in time.windows(2).zip(values.windows(2)) {
            if t[0] == t[1] && begin < t[0] && t[0] < end && v[0] != v[1] {
                list.push((t[0], weight(t[0]) * (v[1] - v[0])));
            }
        }
        list.retain(|jump| jump.1 != 0.0);
        Jumps { list, begin, span }
    }

    /// Takes their sawteeth, which have no mean, out of samples.
    fn take_from(&self, samples: &mut [f64], (begin, step): (f64, f64)) {
        // Before its jump a sawtooth is at -1/2 - (t - jump)/span, behind it one higher.
        let slope: f64 = self.list.iter().map(|j| j.1).sum::<f64>() / self.span;
        let early = |&(t, height): &(f64, f64)| height * ((t - self.begin) / self.span - 0.5);
        let at_begin: f64 = self.list.iter().map(early).sum();
        let (mut passed, mut k) = (0.0, 0);
        for (i, sample) in samples.iter_mut().enumerate() {
            let t = begin + i as f64 * step;
            while let Some(&(_, height)) = self.list.get(k).filter(|jump| jump.0 <= t) {
                passed += height;
                k += 1;
            }
            *sample -= at_begin - slope * (t - self.begin) + passed;
        }
    }

    /// Adds their spectrum to a transform: that of a sawtooth with a jump of one at τ is exp(-2πinτ)/(2πin).
    fn give_back(&self, transform: &mut [Complex]) {
        let n = transform.len();
        for &(t, height) in &self.list {
            let part = (t - self.begin) / self.span;
            let turn = turned(-TAU * part);
            let mut phase = turn;
            for (k, value) in transform.iter_mut().enumerate().take(n / 2 + 1).skip(1) {
                if k % TURNS == 0 {
                    phase = turned(-TAU * (k as f64 * part).fract());
                }
                let size = height * n as f64 / (TAU * k as f64);
                // Divided by i; at half of the sampling frequency a wave and its mirror are one.
                let own = match 2 * k == n {
                    true => (2.0 * size * phase.1, 0.0),
                    false => (size * phase.1, -size * phase.0),
                };
                *value = (value.0 + own.0, value.1 + own.1);
                phase = times(phase, turn);
            }
        }
    }
}

/// Evenly spaced values by straight lines; at a jump the value behind it.
fn sampled(time: &[f64], values: &[f64], begin: f64, step: f64, n: usize) -> Vec<f64> {
    let mut k = 0;
    (0..n)
        .map(|i| {
            let t = begin + i as f64 * step;
            while k + 2 < time.len() && time[k + 1] <= t {
                k += 1;
            }
            let (a, b) = (time[k], time[k + 1]);
            let part = if b > a {
                ((t - a) / (b - a)).clamp(0.0, 1.0)
            } else {
                1.0
            };
            values[k] + part * (values[k + 1] - values[k])
        })
        .collect()
}

type Complex = (f64, f64);

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// exp(i·angle)
fn turned(angle: f64) -> Complex {
    (angle.cos(), angle.sin())
}

/// The discrete transform of any number of real samples: a convolution with exp(iπk²/n).
fn transform(samples: &[f64]) -> Vec<Complex> {
    let n = samples.len();
    // k² modulo 2n, so that large angles lose no digits.
    let chirp: Vec<Complex> = (0..n as u128)
        .map(|k| turned(PI * (k * k % (2 * n as u128)) as f64 / n as f64))
        .collect();
    let conjugate = |c: Complex| (c.0, -c.1);
    let m = (2 * n - 1).next_power_of_two();
    let (mut a, mut b) = (vec![(0.0, 0.0); m], vec![(0.0, 0.0); m]);
    for k in 0..n {
        a[k] = times((samples[k], 0.0), conjugate(chirp[k]));
        b[k] = chirp[k];
        if k > 0 {
            b[m - k] = chirp[k];
        }
    }
    radix2(&mut a, false);
    radix2(&mut b, false);
    for (x, y) in a.iter_mut().zip(&b) {
        *x = times(*x, *y);
    }
    radix2(&mut a, true);
    let scale = 1.0 / m as f64;
    (0..n)
        .map(|k| times((a[k].0 * scale, a[k].1 * scale), conjugate(chirp[k])))
        .collect()
}

/// In place, for powers of two.
fn radix2(data: &mut [Complex], inverse: bool) {
    let n = data.len();
    let bits = n.trailing_zeros();
    for k in 0..n {
        let other = k.reverse_bits() >> (usize::BITS - bits).min(usize::BITS - 1);
        if other > k && bits > 0 {
            data.swap(k, other);
        }
    }
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut length = 2;
    while length <= n {
        let angle = sign * TAU / length as f64;
        let factors: Vec<Complex> = (0..length / 2).map(|k| turned(angle * k as f64)).collect();
        for part in data.chunks_mut(length) {
            let (low, high) = part.split_at_mut(length / 2);
            for ((x, y), &factor) in low.iter_mut().zip(high.iter_mut()).zip(&factors) {
                let (a, b) = (*x, times(*y, factor));
                *x = (a.0 + b.0, a.1 + b.1);
                *y = (a.0 - b.0, a.1 - b.1);
            }
        }
        length *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eleven rows in a second show 5 Hz, not 7.
    #[test]
    fn rows_too_far_apart() {
        let t: Vec<f64> = (0..=10).map(|k| f64::from(k) / 10.0).collect();
        let of = |f| Spectrum::new(&t, &t, Window::Rectangular, Some(f));
        assert!(of(5.0).is_ok());
        assert_eq!(of(7.0).unwrap_err().code(), "E0739");
    }

    /// Pulses of width d in a period have harmonics 2/(πn)·sin(πnd), wherever their edges are between the samples.
    #[test]
    fn pulses_between_samples() {
        for (width, points) in [(0.3, 100), (0.2345, 100), (0.01234, 37), (0.5, 64)] {
            let (mut t, mut y) = (Vec::new(), Vec::new());
            for period in 0..4 {
                let at = f64::from(period);
                let inner = (1..points).map(|k| f64::from(k) / f64::from(points));
                let grid: Vec<f64> = inner.filter(|x| (x - width).abs() > 1e-12).collect();
                let rows = [(0.0, 0.0), (0.0, 1.0), (width, 1.0), (width, 0.0)].into_iter();
                let value = |x: f64| f64::from(u8::from(x < width));
                let mut rows: Vec<(f64, f64)> =
                    rows.chain(grid.iter().map(|&x| (x, value(x)))).collect();
                rows.sort_by(|a, b| a.0.total_cmp(&b.0));
                t.extend(rows.iter().map(|r| at + r.0));
                y.extend(rows.iter().map(|r| r.1));
            }
            t.push(4.0);
            y.push(0.0);
            let s = Spectrum::new(&t, &y, Window::Rectangular, Some(1.0)).unwrap();
            assert!((s.amplitude[0] - width).abs() < 1e-12, "{}", s.amplitude[0]);
            for (k, harmonic) in s.harmonics.iter().enumerate().take(15) {
                let n = (k + 1) as f64;
                let wanted = 2.0 / (PI * n) * (PI * n * width).sin().abs();
                assert!(
                    (harmonic - wanted).abs() < 1e-10,
                    "{width} {n}: {harmonic} {wanted}"
                );
            }
        }
    }

    /// A sawtooth is its own jump: its mean is in the middle, its harmonics are 1/(πn).
    #[test]
    fn what_jumps_at_the_end_of_the_span() {
        let t: Vec<f64> = (0..=20).map(|k| f64::from(k) / 20.0).collect();
        let s = Spectrum::new(&t, &t, Window::Rectangular, None).unwrap();
        assert!((s.amplitude[0] - 0.5).abs() < 1e-12);
        for n in 1..10 {
            assert!((s.amplitude[n] - 1.0 / (PI * n as f64)).abs() < 1e-12);
        }
    }

    /// The definition of the transform is the oracle.
    #[test]
    fn any_number_of_samples() {
        for n in [4usize, 5, 12, 31] {
            let samples: Vec<f64> = (0..n).map(|k| (k as f64 * 1.7).sin() + 0.2).collect();
            for (k, got) in transform(&samples).into_iter().enumerate() {
                let mut sum = (0.0, 0.0);
                for (j, &v) in samples.iter().enumerate() {
                    let c = turned(-TAU * (j * k) as f64 / n as f64);
                    sum = (sum.0 + v * c.0, sum.1 + v * c.1);
                }
                let off = (sum.0 - got.0).hypot(sum.1 - got.1);
                assert!(off < 1e-12 * n as f64, "{n} {k}: {off}");
            }
        }
    }
}
