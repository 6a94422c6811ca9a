//! The curves on which states go through a step.
//!
//! In: states and their slopes at both ends of a step and, behind an event that leaves what dies away within a step ([`super::restart`]), the bends there. Out: states at any part
//! of the step, and the way along which a crossing is looked for.
//!
//! A curve is the parabola through both ends whose bend is the smaller of those that the slopes at both ends ask for, and a straight line where they ask for
//! different signs. It is off by O(h³).
//!
//! What dies away does so at the begin of its step, and a parabola or a straight line would have it in the middle: a diode that takes a current over within
//! picoseconds would do so after half a step. There the curve is x₀ + b s + c (e^(−κs) − 1), exact for a motion that dies away beside a steady one. It has the value, the slope
//! f₀ and the bend J f₀ of the state at its begin and its value at the end: with φ(κ) = (κ − 1 + e^(−κ))/κ² that is φ(κ) = (Δx − h f₀)/(h² J f₀).

/// States on the way of a step.
#[derive(Default)]
pub(super) struct End {
    pub(super) time: f64,
    pub(super) states: Vec<f64>,
    pub(super) slopes: Vec<f64>,
}

/// After so many of its time constants a motion has died away.
pub(crate) const DEAD: f64 = 10.0;
/// Iterations for κ.
pub(crate) const RATE_ITERATIONS: usize = 4;

/// A motion that dies away: κ, b and c of the module comment.
#[derive(Clone, Copy)]
struct Dying {
    rate: f64,
    drift: f64,
    part: f64,
}

#[derive(Default)]
pub(super) struct Curve {
    pub(super) begin: End,
    pub(super) end: End,
    /// The bends J f at the begin, where something dies away.
    pub(super) bends: Option<Vec<f64>>,
    dying: Vec<Option<Dying>>,
    /// κ of the motion that bends its state most.
    layer: Option<f64>,
}

/// The parts of a curve among which a crossing is.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// From a part to a part, evenly.
    Even(f64, f64),
    /// From the begin to a part, as e^(−κs) falls.
    Layer { rate: f64, to: f64 },
}

impl Way {
    pub(super) fn part(self, s: f64) -> f64 {
        match self {
            Way::Even(from, to) => from + s * (to - from),
            Way::Layer { rate, to } => -(s * (-rate * to).exp_m1()).ln_1p() / rate,
        }
    }
}

/// The parabola of the module comment at the part `s` of a step `h`.
fn parabola(s: f64, h: f64, (x0, f0): (f64, f64), (x1, f1): (f64, f64)) -> f64 {
    let d = (x1 - x0) / h;
    let (a, b) = (d - f0, f1 - d);
    let bend = if a * b > 0.0 {
        if a.abs() < b.abs() { a } else { b }
    } else {
        0.0
    };
    x0 + s * (x1 - x0) - s * (1.0 - s) * h * bend
}

/// κ with φ(κ) = `ratio`, if there is one: φ falls from 1/2 to 0 and is convex, so that Newton's iteration comes up to it from a lower bound.
fn rate(ratio: f64) -> Option<f64> {
    if !(ratio > 0.0 && ratio < 0.5) {
        return None;
    }
    let mut k = 6.0 * (0.5 - ratio);
    if ratio < 0.25 {
        // φ without its exponential.
        k = k.max((1.0 + (1.0 - 4.0 * ratio).sqrt()) / (2.0 * ratio));
    }
    for _ in 0..RATE_ITERATIONS {
        let e = (-k).exp();
        let value = (k - 1.0 + e) / (k * k);
        let slope = (1.0 - e) / (k * k) - 2.0 * value / k;
        k -= (value - ratio) / slope;
    }
    (k > 0.0 && k.is_finite()).then_some(k)
}

impl Curve {
    /// Both ends are there. `size`: of each state.
    pub(super) fn settle(&mut self, size: impl Fn(usize) -> f64) {
        let (begin, end) = (&self.begin, &self.end);
        let h = end.time - begin.time;
        self.dying.clear();
        self.layer = None;
        let Some(bends) = &self.bends else {
            return;
        };
        let mut largest = 0.0;
        for (k, bend) in bends.iter().enumerate() {
            let (first, bend) = (h * begin.slopes[k], h * h * bend);
            let left = end.states[k] - begin.states[k] - first;
            let found = rate(left / bend).map(|rate| {
                let part = left / (rate - 1.0 + (-rate).exp());
                Dying {
                    rate,
                    drift: first + rate * part,
                    part,
                }
            });
            let bends_by = bend.abs() / size(k);
            if let Some(d) = found.filter(|_| bends_by > largest) {
                largest = bends_by;
                self.layer = Some(d.rate);
            }
            self.dying.push(found);
        }
    }

    /// State `k` at a part of the curve.
    pub(super) fn state(&self, k: usize, s: f64) -> f64 {
        let (begin, end) = (&self.begin, &self.end);
        match self.dying.get(k) {
            Some(Some(d)) => begin.states[k] + s * d.drift + d.part * (-d.rate * s).exp_m1(),
            _ => parabola(
                s,
                end.time - begin.time,
                (begin.states[k], begin.slopes[k]),
                (end.states[k], end.slopes[k]),
            ),
        }
    }

    pub(super) fn time(&self, s: f64) -> f64 {
        self.begin.time + s * (self.end.time - self.begin.time)
    }

    pub(super) fn part(&self, time: f64) -> f64 {
        (time - self.begin.time) / (self.end.time - self.begin.time)
    }

    /// κ of what dies away at the begin, and the part of the curve at which that has happened.
    pub(super) fn layer(&self) -> Option<(f64, f64)> {
        self.layer.map(|rate| (rate, (DEAD / rate).min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x = 2 + 0.3 t + 5 e^(−λt): the curve is the motion itself, whatever λ.
    #[test]
    fn a_motion_that_dies_away_is_followed_to_its_end() {
        for speed in [0.5, 3.0, 40.0, 1e6] {
            let h = 0.1;
            let x = |t: f64| 2.0 + 0.3 * t + 5.0 * (-speed * t).exp();
            let end = |t: f64| End {
                time: t,
                states: vec![x(t)],
                slopes: vec![0.3 - 5.0 * speed * (-speed * t).exp()],
            };
            let mut curve = Curve {
                begin: end(0.0),
                end: end(h),
                bends: Some(vec![5.0 * speed * speed]),
                ..Curve::default()
            };
            curve.settle(|_| 1.0);
            let (found, _) = curve.layer().unwrap();
            assert!((found / (speed * h) - 1.0).abs() < 1e-3, "{speed}: {found}");
            for s in [1e-7, 1e-3, 0.1, 0.5, 0.9] {
                let (a, b) = (curve.state(0, s), x(s * h));
                assert!((a - b).abs() < 1e-5, "{speed} {s}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_layer_is_gone_through_as_its_exponential_falls() {
        let way = Way::Layer {
            rate: 1e5,
            to: 1e-4,
        };
        assert!((way.part(1.0) - 1e-4).abs() < 1e-12);
        assert!((way.part(0.5) - 2f64.ln() * 1e-5).abs() < 1e-9);
    }
}
