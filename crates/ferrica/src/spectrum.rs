//! Frequencies in a trajectory.
//!
//! In: values over time, at any times. Out: amplitudes over frequency, the fundamental and its harmonics. The trajectory is
//! sampled evenly by straight lines between rows; the transform is that of Bluestein, so that any number of samples serves.

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
        let transformed = transform(&samples);
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
