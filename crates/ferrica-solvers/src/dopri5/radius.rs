//! The spectral radius of the Jacobian by the power method, now and then.
//!
//! The stages of a step tell |hλ| for nothing, but as the slope of a chord: where steps at the boundary of stability swing a state through the bend of a
//! saturation (a brake's tanh, a regularised sign), the chord is flatter than the tangent and thousands of such steps look harmless. Every
//! [`EVERY`] steps a few evaluations close to one state find the tangent's radius ρ (Sommeijer, Shampine and Verwer, RKC, 1998), and
//! the mean of h since the last look says how near to the boundary the steps were.

use crate::norm::wrms;
use crate::stability::dominant;
use crate::system::OdeSystem;

/// Steps between two looks, and evaluations of a look: half a percent of the evaluations in between.
const EVERY: u32 = 200;
const ITERATIONS: usize = 6;
/// Size of a disturbance in units of the tolerance.
const DISTURBANCE: f64 = 0.1;
/// h ρ from which on steps are held by stability, whose real boundary is 3.3. In a bend they settle at two thirds of that, because their swing reaches where it is
/// steeper. Accuracy alone, an undamped oscillation at a tolerance of 1e-2, leads to 1.7: the error of a step is some 3e-4 (hω)⁶.
const HELD: f64 = 0.6 * 3.3;
/// The same where the fastest mode decays without oscillating: since the last look it has died away many times over and asks for no accuracy, so that less is
/// evidence enough. Behind a root, whose slope falls to both sides, a swing settles at half of the boundary.
const HELD_OF_A_DECAY: f64 = 0.4 * 3.3;
/// A mode whose imaginary part is a smaller part of it does not oscillate.
const STRAIGHT: f64 = 0.1;
/// Looks in a row that have seen it.
const SEEN: u32 = 2;

/// Steps since the last look go on over restarts: events may come closer together than looks.
#[derive(Clone, Debug, Default)]
pub(super) struct Radius {
    steps: u32,
    /// Sum of their lengths.
    time: f64,
    seen: u32,
    /// Where it is looked, and the right-hand side there.
    y: Vec<f64>,
    f: Vec<f64>,
    /// A direction, and what the Jacobian makes of it.
    v: Vec<f64>,
    jv: Vec<f64>,
    /// The last three directions in units of the tolerance, each what the Jacobian makes of the one before.
    last: [Vec<f64>; 3],
}

impl Radius {
    pub(super) fn new(n: usize) -> Radius {
        Radius {
            y: Vec::with_capacity(n),
            f: vec![0.0; n],
            v: Vec::with_capacity(n),
            jv: vec![0.0; n],
            last: [vec![0.0; n], vec![0.0; n], vec![0.0; n]],
            ..Radius::default()
        }
    }

    pub(super) fn forget(&mut self) {
        (self.steps, self.time, self.seen) = (0, 0.0, 0);
    }

    /// After a step `h` to `t`: the evaluations that a look took, and the number of steps that stability has held according to it.
    /// The look is in the middle of the step's `ends`, where the swing of a held step is smallest; `toward` is the change between two stages, which has
    /// the fast modes in it.
    pub(super) fn after_step<S: OdeSystem + ?Sized>(
        &mut self,
        system: &mut S,
        (t, h): (f64, f64),
        ends: (&[f64], &[f64]),
        toward: impl Iterator<Item = f64>,
        weight: &[f64],
    ) -> (u64, u64) {
        self.steps += 1;
        self.time += h;
        if self.steps < EVERY {
            return (0, 0);
        }
        let mean = self.time / f64::from(self.steps);
        (self.steps, self.time) = (0, 0.0);
        self.v.clear();
        self.v.extend(toward);
        let middle = ends.0.iter().zip(ends.1).map(|(a, b)| 0.5 * (a + b));
        self.y.clear();
        self.y.extend(middle);
        let t = t - 0.5 * h;
        let mut radius = 0.0;
        let mut evaluations = 1;
        if system.rhs(t, &self.y, &mut self.f).is_err() {
            return (evaluations, 0);
        }
        for _ in 0..ITERATIONS {
            let size = wrms(&self.v, weight);
            if !(size > 0.0 && size.is_finite()) {
                return (evaluations, 0);
            }
            let scale = DISTURBANCE / size;
            self.remember(weight, scale);
            for (v, y) in self.v.iter_mut().zip(&self.y) {
                *v = y + scale * *v;
            }
            evaluations += 1;
            if system.rhs(t, &self.v, &mut self.jv).is_err() {
                return (evaluations, 0);
            }
            for ((v, jv), f) in self.v.iter_mut().zip(&self.jv).zip(&self.f) {
                *v = jv - f;
            }
            radius = wrms(&self.v, weight) / DISTURBANCE;
        }
        self.remember(weight, 1.0);
        let [v, jv, jjv] = &self.last;
        let decays = dominant(v, jv, jjv).is_some_and(|m| m.re < 0.0 && m.im < -STRAIGHT * m.re);
        let limit = if decays { HELD_OF_A_DECAY } else { HELD };
        self.seen = if mean * radius > limit {
            self.seen + 1
        } else {
            0
        };
        let held = if self.seen >= SEEN { EVERY } else { 0 };
        (evaluations, u64::from(held))
    }

    /// The direction becomes the last one; it is scaled by `scale` from now on, and those before it with it.
    fn remember(&mut self, weight: &[f64], scale: f64) {
        self.last.rotate_left(1);
        let [first, second, third] = &mut self.last;
        for ((x, v), w) in third.iter_mut().zip(&self.v).zip(weight) {
            *x = v * w * scale;
        }
        for x in first.iter_mut().chain(second) {
            *x *= scale;
        }
    }
}
