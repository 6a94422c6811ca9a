//! One quantized integrator, one time input: the arithmetic of a transition.
//!
//! The engine and the explicit DEVS blocks both use these functions, so that they agree to the last
//! bit.

use crate::plans::Shapeliness;
use crate::quantizer::{Family, Method, first_order, linearly_implicit};
use crate::roots::first_leaving;
use crate::settings::UNSCALED;
use crate::standing::Standing;
use crate::taylor::shifted;

/// Most quanta that a state may move before it is renewed.
const MAX_EXCURSION: f64 = 1e6;
/// What counts as one instant, in parts of the time of the run.
pub const INSTANT: f64 = 1e-6;
/// A state whose values are many times larger than their changes has quanta by this multiple of the changes.
const WIDE: f32 = 4.0;
/// Largest coefficient that a state notes of what its derivative leaves out.
const MOST_BEND: f64 = 1e38;
/// Transitions that a linearly implicit state may make at once when an event gives it another
/// derivative: the first one, a probe, and perhaps others find out its new linear part.
pub const RENEWALS: u32 = 4;
/// Part of the quantum that a state of third order may be away from its quantized state. The planned distance is
/// less than half of it; a step that an event elsewhere bends would otherwise drift on for long.
const THIRD: f64 = 0.125;
/// Part of a quantum that q must move by so that the change of a derivative says something about it.
pub const TELLING: f64 = 1e-3;
/// Quanta by which the error of what a derivative reads may move its state in one step.
const BEARABLE: f64 = 1.0;
/// A quantum is refined in such parts of an octave, and by no more than so many of them.
const NOTCH: f64 = 4.0;
const MOST_NOTCHES: f64 = 120.0;
/// A refined quantum is at least this part of the value: below, rounding would be transitions.
const ROUNDING: f64 = 1e-13;
/// Quanta that a state's place of rest may be away from where its linear part has it, after one step of q; and the part of the derivative
/// that then must be unforeseen, for the quantum to be in doubt.
const BENT: f64 = 1.0;
const ALTOGETHER: f64 = 0.5;
/// How many times finer such a quantum becomes, at least and at most.
const SHARPER: f64 = 4.0;
const MOST_SHARPER: f64 = 16.0;
/// Slack on the quantum, so that rounding is not a transition.
const SLACK: f64 = 1.0 + 1e-9;

/// What the transitions of all integrators of a run have in common.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    pub family: Family,
    pub order: usize,
    pub relative: f64,
    /// Quanta that a state may move on its polynomial before it is renewed, by the worst of its readers.
    excursions: [f64; 4],
}

impl Control {
    pub fn new(method: Method, relative: f64) -> Control {
        Control {
            family: method.family,
            order: method.order,
            relative,
            excursions: [
                Shapeliness::Affine,
                Shapeliness::Bent,
                Shapeliness::Unknown,
                Shapeliness::Kinked,
            ]
            .map(|readers| excursion(method.order as f64, relative, readers)),
        }
    }
}

/// Quanta that a state may move on its polynomial before it is renewed, by the worst of its readers.
///
/// On a way of k quanta a function of order N leaves out some (k·r)^N of its size, r the relative
/// quantum. That must not exceed r: k = r^((1 − N)/N). Where the first omitted coefficient is
/// controlled, the next one decides; an affine function leaves out nothing.
pub(crate) fn excursion(order: f64, relative: f64, readers: Shapeliness) -> f64 {
    let power = match readers {
        Shapeliness::Affine => return MAX_EXCURSION,
        Shapeliness::Bent => -order / (order + 1.0),
        Shapeliness::Unknown | Shapeliness::Kinked => (1.0 - order) / order,
    };
    if relative > 0.0 {
        relative.powf(power).min(MAX_EXCURSION)
    } else {
        MAX_EXCURSION
    }
}

/// How a stiff state is to its quasi-steady solution y, the solution of y' = ay + u.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Rest {
    #[default]
    None,
    /// It has met it, and q is on it.
    Settled,
    /// The same, and x is still near it.
    Near,
    /// x is that solution: it follows it, and f says how far it has moved from q (see `standing.rs`).
    On,
}

/// Bits of [`Node::marks`]: q is a projection, x is meant to stay nearer than a quantum; the derivative is affine; the state may follow
/// its quasi-steady solution, and if so, it keeps account of what it leaves out.
const PLANNED: u8 = 1;
pub(crate) const AFFINE: u8 = 2;
const FOLLOWS: u8 = 4;
pub(crate) const ACCOUNTS: u8 = 8;
/// The derivative may have kinks or jumps without events; it bends within what was a quantum (see [`Node::doubt`]).
const KINKED: u8 = 16;
const SHARP: u8 = 32;
/// Coefficients of a trajectory with the one that its polynomial leaves out.
pub const COEFFICIENTS: usize = 5;
/// Of these conditions see so many, by the order: crossings are found on polynomials of degree three at most.
pub const fn seen_coefficients(order: usize) -> usize {
    if order + 2 < 4 { order + 2 } else { 4 }
}

/// One quantity: a state, or a time input (for which x and q are the same curve).
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct Node {
    pub q: [f64; 3],
    pub tq: f64,
    pub x: [f64; 4],
    pub tx: f64,
    pub quantum: f64,
    /// Estimate of the derivative's dependence on its own quantized state.
    pub slope: f64,
    /// When the state meets its quantized state and must step.
    pub meet: f64,
    /// Time of the next transition.
    pub next: f64,
    /// Smallest quantum; it grows with the largest value of the state, up to `most`.
    pub floor: f32,
    pub most: f32,
    /// Between these the values of its transitions have been.
    low: f32,
    high: f32,
    /// Coefficient of the trajectory after those it has. On its quasi-steady solution a state has none: there it is how far its derivative
    /// would have moved it from there (see `rest.rs`).
    pub(crate) bend: f32,
    pub rest: Rest,
    /// Yes or no: [`PLANNED`] and others.
    pub(crate) marks: u8,
    /// How much finer the quantum is than the value asks for, because a reader needs it: in parts of an octave.
    pub finer: u8,
    /// The worst of its readers.
    pub readers: Shapeliness,
}

/// Has the linear part changed so much that the state should choose again?
#[inline]
pub fn learned_anew(old: f64, new: f64) -> bool {
    (new - old).abs() > 0.1 * new.abs()
}

/// How long the q of a quantity has been what it was, and what becomes of it now.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Since {
    pub time: f64,
}

impl Since {
    /// Is there anything to judge?
    #[inline]
    pub fn counts(&self) -> bool {
        self.time > 0.0
    }

    /// Of a quantity that is no state.
    pub fn of(time: f64) -> Since {
        Since { time }
    }
}

/// What a transition must remember until the new derivative is known.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    /// Change of the quantized value.
    pub dq: f64,
    /// Derivative before.
    pub derivative: f64,
    /// The state was put on its quasi-steady solution.
    pub steady: bool,
    /// It was on it, and goes back to it.
    pub returns: bool,
}

impl Node {
    pub fn at(t: f64, value: f64, (floor, most): (f64, f64)) -> Node {
        Node {
            q: [value, 0.0, 0.0],
            tq: t,
            x: [value, 0.0, 0.0, 0.0],
            tx: t,
            meet: f64::INFINITY,
            next: f64::INFINITY,
            floor: floor as f32,
            most: most as f32,
            low: value as f32,
            high: value as f32,
            ..Node::default()
        }
    }

    #[inline]
    pub fn trajectory<const D: usize>(&self, t: f64) -> [f64; D] {
        let mut c = [0.0; D];
        c.copy_from_slice(&self.x[..D]);
        shifted(c, t - self.tx)
    }

    /// The integral of its derivative, on the quasi-steady solution as well.
    #[inline]
    pub(crate) fn integrated<const N: usize, const D: usize>(&self, t: f64) -> f64 {
        let x = self.trajectory::<D>(t)[0];
        if self.rest == Rest::On {
            x + self.kept_back::<N>(t)
        } else {
            x + self.left_out(t, D)
        }
    }

    /// What the polynomial has left out of the integral until t: the next coefficient's share. It is less than a quantum, but in one direction in each step, and what states
    /// exchange is theirs in equal shares only with it: they are evaluated at different times. x takes it along where it begins anew, and conditions see it
    /// before, or x would jump over their crossings.
    #[inline]
    pub(crate) fn left_out(&self, t: f64, coefficients: usize) -> f64 {
        if self.bend == 0.0 || self.rest == Rest::On {
            return 0.0;
        }
        f64::from(self.bend) * (t - self.tx).powi(coefficients as i32)
    }

    /// The trajectory from t on with what its polynomial leaves out: the first C coefficients of it.
    #[inline]
    pub(crate) fn whole<const D: usize, const C: usize>(&self, t: f64) -> [f64; C] {
        let mut x = [0.0; COEFFICIENTS];
        x[..D].copy_from_slice(&self.x[..D]);
        if self.rest != Rest::On {
            x[D] = f64::from(self.bend);
        }
        let h = t - self.tx;
        if h != 0.0 {
            for first in 0..D {
                for k in (first..D).rev() {
                    x[k] += x[k + 1] * h;
                }
            }
        }
        let mut c = [0.0; C];
        c.copy_from_slice(&x[..C]);
        c
    }

    /// What is known of the state before the run.
    pub fn know(&mut self, standing: Standing, shape: Shapeliness) {
        self.marks |= match shape {
            Shapeliness::Affine => AFFINE,
            Shapeliness::Kinked => KINKED,
            Shapeliness::Bent | Shapeliness::Unknown => 0,
        };
        self.marks |= match standing {
            Standing::Bound => 0,
            Standing::Cyclic => FOLLOWS | ACCOUNTS,
            Standing::Free => FOLLOWS,
        };
    }

    /// Is the derivative affine, so that its linear part stays what it is between events?
    pub(crate) fn is_affine(&self) -> bool {
        self.marks & AFFINE != 0
    }

    /// Is the derivative to be looked up ahead, because its polynomial does not tell of kinks and jumps?
    #[inline]
    pub fn is_kinked(&self) -> bool {
        self.marks & KINKED != 0 && self.rest != Rest::On
    }

    /// Right after a choice: was the state stiff?
    pub(crate) fn chose_stiffly<const N: usize>(&self) -> bool {
        if N == 1 {
            -self.slope * self.quantum >= self.x[1].abs()
        } else {
            self.marks & PLANNED == 0
        }
    }

    pub(crate) fn plan(&mut self, planned: bool) {
        self.marks = (self.marks & !PLANNED) | u8::from(planned);
    }

    /// What readers are told of a transition: `before` is the state before it.
    #[inline]
    pub fn since(before: &Node, t: f64) -> Since {
        Since::of(t - before.tq)
    }

    #[inline]
    pub fn quantized<const N: usize>(&self, t: f64) -> [f64; N] {
        let mut c = [0.0; N];
        c.copy_from_slice(&self.q[..N]);
        shifted(c, t - self.tq)
    }

    #[inline]
    pub fn advance<const D: usize>(&mut self, t: f64) {
        let x: [f64; D] = self.whole::<D, D>(t);
        self.x[..D].copy_from_slice(&x);
        self.tx = t;
    }

    /// The quantum is a part of the value, but not of one that is far larger than all changes so far: a small motion about a large value is
    /// followed too.
    #[inline]
    pub fn renew_quantum(&mut self, control: &Control) {
        let (value, size) = (self.x[0] as f32, self.x[0].abs());
        if value < self.low {
            self.low = value;
        } else if value > self.high {
            self.high = value;
        }
        let moved = f64::from(WIDE * (self.high - self.low)).max(UNSCALED * size);
        let own = control.relative * if moved < size { moved } else { size };
        if own > f64::from(self.floor) {
            self.floor = self.most.min(own as f32);
        }
        let floor = f64::from(self.floor);
        self.quantum = if own > floor { own } else { floor };
        if self.finer > 0 {
            // Whoever still needs it will say so again.
            self.finer -= u8::from(self.marks & SHARP == 0);
            let refined = self.quantum * (-f64::from(self.finer) / NOTCH).exp2();
            self.quantum = refined.max(ROUNDING * self.x[0].abs());
        }
    }

    /// A quantity that the derivative of this state reads has made a transition, h after its last one, and the
    /// derivative is `f` now. Where its error has moved this state by more than [`BEARABLE`] quanta: how many times
    /// finer the quantum of that quantity should be.
    ///
    /// The jump of the derivative has been wrong for h at most, and no longer than the state itself remembers. A quantum
    /// k times smaller makes the jump k times smaller and the steps of order N by the N-th root shorter.
    #[inline]
    pub fn judge<const N: usize>(&self, t: f64, f: f64, since: Since) -> Option<f64> {
        let jump = (f - self.derivative::<N>(t)[0]).abs();
        self.bears::<N>(jump, (since.time, self.slope))
    }

    /// The same for a jump of the derivative that is wrong for h, with this linear part.
    #[inline]
    pub(crate) fn bears<const N: usize>(&self, jump: f64, (h, slope): (f64, f64)) -> Option<f64> {
        let bearable = BEARABLE * self.quantum;
        if jump * h <= bearable {
            return None;
        }
        let lasts = if -slope * h > 1.0 { -1.0 / slope } else { h };
        let times = jump * lasts / bearable;
        (times > 1.0).then(|| times.powf(N as f64 / (N + 1) as f64))
    }

    /// How much finer the quantum is than the value asks for.
    pub(crate) fn octaves_finer(&self) -> f64 {
        f64::from(self.finer) / NOTCH
    }

    /// A reader needs the quantum so many times finer from the next transition on.
    #[cold]
    pub fn refine(&mut self, times: f64) {
        let plain = self.quantum * (f64::from(self.finer) / NOTCH).exp2();
        let notches = (NOTCH * (plain * times / self.quantum).log2()).ceil();
        self.finer = self.finer.max(notches.clamp(0.0, MOST_NOTCHES) as u8);
    }

    /// The transition proper: x is brought to t and q chosen anew.
    #[inline]
    pub fn requantize<const N: usize, const D: usize>(
        &mut self,
        t: f64,
        control: &Control,
    ) -> Pending {
        let rested = matches!(self.rest, Rest::Near | Rest::On);
        self.wake::<N, D>(t);
        self.renew_quantum(control);
        let derivative = self.x[1];
        let x0 = self.x[0];
        let old = self.quantized::<N>(t);
        let a = self.slope;
        let mut u = [0.0; N];
        for k in 0..N {
            u[k] = (k + 1) as f64 * self.x[k + 1] - a * old[k];
        }
        let (horizon, stiff, ahead) = if N == 1 {
            let c = first_order(x0, a, u[0], self.quantum);
            self.q[0] = c.q[0];
            (c.horizon, c.stiff, true)
        } else {
            let mut c = linearly_implicit::<N>(x0, a, &u, self.quantum);
            if control.family == Family::Qss && c.ahead {
                // Explicit: left behind where it is.
                c.q.copy_from_slice(&self.x[..N]);
                c.horizon = f64::INFINITY;
                c.stiff = false;
            }
            self.q[..N].copy_from_slice(&c.q);
            self.plan(!c.stiff);
            (c.horizon, c.stiff, c.ahead)
        };
        self.tq = t;
        self.meet = t + horizon;
        Pending {
            dq: self.q[0] - old[0],
            derivative,
            steady: stiff && horizon.is_infinite(),
            returns: rested && stiff && !ahead,
        }
    }

    /// Moves q by a quantum to find out the linear part of a derivative that has become another function; the
    /// transition proper follows.
    pub fn probe<const N: usize, const D: usize>(&mut self, t: f64) -> Pending {
        self.wake::<N, D>(t);
        let q: [f64; N] = self.quantized(t);
        self.q[..N].copy_from_slice(&q);
        self.tq = t;
        self.meet = f64::INFINITY;
        let dq = self.quantum.copysign(self.x[1]);
        self.q[0] += dq;
        self.plan(false);
        Pending {
            dq,
            derivative: self.x[1],
            steady: false,
            returns: false,
        }
    }

    /// Continues the trajectory from t with a new derivative, and the coefficient that follows it.
    #[inline]
    pub fn take_derivative<const N: usize, const D: usize>(
        &mut self,
        t: f64,
        f: &[f64; N],
        omitted: f64,
    ) {
        let mut x0 = if t == self.tx {
            self.x[0]
        } else if self.rest == Rest::On {
            self.trajectory::<D>(t)[0]
        } else {
            self.integrated::<N, D>(t)
        };
        if self.rest == Rest::On {
            x0 += self.kept_back::<N>(t);
            if self.follows::<N>(t, x0, f) {
                return;
            }
            self.rest = Rest::Settled;
        }
        self.x[0] = x0;
        self.tx = t;
        self.bend = (omitted / D as f64).clamp(-MOST_BEND, MOST_BEND) as f32;
        for (k, &c) in f.iter().enumerate() {
            self.x[k + 1] = c / (k + 1) as f64;
        }
        if self.rest != Rest::None {
            self.rest = self.nearness::<N>(t);
        }
    }

    /// After a transition of this state and with the derivative that follows from it: learn the
    /// linear part, and whether the state has settled.
    #[inline]
    pub fn learn<const N: usize>(&mut self, pending: &Pending) {
        if pending.dq.abs() > TELLING * self.quantum {
            let expected = pending.derivative + self.slope * pending.dq;
            let place_of_rest = (self.x[1] - expected) / self.slope;
            self.slope = ((self.x[1] - pending.derivative) / pending.dq).min(0.0);
            let bends = self.marks & (AFFINE | KINKED) == 0;
            if N == 1 && bends && place_of_rest.abs() > BENT * self.quantum {
                self.doubt(pending.derivative, expected, place_of_rest.abs());
            }
        }
        if pending.steady && self.slope < 0.0 {
            self.rest = self.nearness::<N>(self.tx);
            if N > 1 && self.rest == Rest::Near && self.marks & FOLLOWS != 0 {
                let f: [f64; N] = self.derivative(self.tx);
                if self.follows::<N>(self.tx, self.x[0], &f) {
                    self.rest = Rest::On;
                }
            }
        } else if pending.returns && self.slope < 0.0 {
            self.rest = Rest::Near;
            if self.nearness::<N>(self.tx) != Rest::Near {
                self.rest = Rest::None;
            }
        }
    }

    /// By the linear part as it was known, this step of q should have led to another derivative, and the place where the state comes to rest is
    /// quanta away from where it was expected. If the derivative is another one altogether, the quantum is coarser than what bends the function (a saturation, a
    /// pole beside it): it becomes finer, and the state chooses again before time goes on.
    #[cold]
    fn doubt(&mut self, before: f64, expected: f64, away: f64) {
        let size = self.x[1].abs().max(before.abs());
        if away.is_finite() && (self.x[1] - expected).abs() > ALTOGETHER * size {
            // What bends the function will do so again: this quantum does not grow back.
            self.marks |= SHARP;
            self.refine((away / self.quantum).clamp(SHARPER, MOST_SHARPER));
            self.meet = self.tx;
        }
    }

    /// Coefficients of the derivative that the trajectory comes from, or, on the quasi-steady solution, that it follows from.
    #[inline]
    pub fn derivative<const N: usize>(&self, t: f64) -> [f64; N] {
        if self.rest == Rest::On {
            return self.derivative_at_rest(t);
        }
        let mut c = [0.0; 4];
        c.copy_from_slice(&self.x);
        let c = shifted(c, t - self.tx);
        std::array::from_fn(|k| (k + 1) as f64 * c[k + 1])
    }

    /// A new value, by decree.
    pub fn reset<const N: usize, const D: usize>(&mut self, t: f64, value: f64, control: &Control) {
        self.wake::<N, D>(t);
        self.x[0] = value;
        self.plan(false);
        self.q[0] = value;
        self.q[1..N].copy_from_slice(&self.x[1..N]);
        self.tq = t;
        self.meet = f64::INFINITY;
        self.renew_quantum(control);
    }

    /// Time from t to the next transition; the trajectory is known about t.
    #[inline]
    pub fn time_to_transition<const N: usize, const D: usize>(
        &self,
        t: f64,
        control: &Control,
    ) -> f64 {
        let q: [f64; N] = self.quantized(t);
        let mut p = [0.0; D];
        p.copy_from_slice(&self.x[..D]);
        let mut exact = true;
        for k in 0..N {
            p[k] -= q[k];
            exact &= p[k] == 0.0;
        }
        let mut s = if exact {
            // Right after a forward transition only the highest term separates them.
            match N {
                1 => self.quantum / p[N].abs(),
                2 => (self.quantum / p[N].abs()).sqrt(),
                _ => (self.quantum / p[N].abs()).cbrt(),
            }
        } else {
            let planned = self.marks & PLANNED != 0;
            let bound = if N > 2 && planned { THIRD } else { SLACK };
            first_leaving(&p, self.quantum * bound)
        };
        if matches!(self.rest, Rest::Settled | Rest::Near) {
            s = s.min(self.time_at_rest::<N, D>(t));
        }
        if self.bend != 0.0 && self.rest != Rest::On {
            let bend = f64::from(self.bend.abs());
            let mut left_out = bend;
            for _ in 0..D {
                left_out *= s;
            }
            if left_out > self.quantum {
                let ratio = self.quantum / bend;
                s = match D {
                    2 => ratio.sqrt(),
                    3 => ratio.cbrt(),
                    _ => ratio.sqrt().sqrt(),
                };
            }
        }
        if N > 1 {
            let far = control.excursions[self.readers as usize] * self.quantum;
            if s * self.x[1].abs() > far {
                s = far / self.x[1].abs();
            }
            if N > 2 && s * s * self.x[2].abs() > far {
                s = (far / self.x[2].abs()).sqrt();
            }
        }
        s
    }

    /// A time input: the polynomial at t. Returns when the first of the terms that are left out reaches the quantum.
    pub fn take_input<const N: usize>(&mut self, t: f64, c: &[f64; 5], control: &Control) -> f64 {
        self.x = [c[0], c[1], c[2], c[3]];
        self.q = [c[0], c[1], c[2]];
        self.tx = t;
        self.tq = t;
        self.renew_quantum(control);
        let mut s = f64::INFINITY;
        for (k, &c) in c.iter().enumerate().skip(N) {
            let until = (self.quantum / c.abs()).powf(1.0 / k as f64);
            if until < s {
                s = until;
            }
        }
        s
    }

    /// The quantized polynomial of a time input that lasts for h: the projection of its Taylor polynomial.
    pub fn project_input<const N: usize>(&mut self, c: &[f64; 5], h: f64) {
        if h.is_finite() {
            project::<N>(&mut self.q, c, h);
        }
    }
}

/// Adds to the first N coefficients what is left of the others on an interval of length h when they are projected
/// on the polynomials of degree N − 1 in the mean square: their parts along the Legendre polynomials.
fn project<const N: usize>(q: &mut [f64; 3], c: &[f64; 5], h: f64) {
    let mut power = h.powi(N as i32);
    for (k, c) in c.iter().enumerate().skip(N) {
        let n = k as f64;
        let mean = c * power / (n + 1.0);
        power *= h;
        q[0] += mean;
        if N > 1 {
            let linear = 3.0 * n * mean / (n + 2.0);
            q[0] -= linear;
            q[1] += 2.0 * linear / h;
            if N > 2 {
                let square = 5.0 * (n - 1.0) * n * mean / ((n + 2.0) * (n + 3.0));
                q[0] += square;
                q[1] -= 6.0 * square / h;
                q[2] += 6.0 * square / (h * h);
            }
        }
    }
}
