//! One quantized integrator, one time input, one crossing detector: the arithmetic of a transition.
//!
//! The engine and the explicit DEVS blocks both use these functions, so that they agree to the last
//! bit.

use crate::plans::Shapeliness;
use crate::quantizer::{Family, Method, first_order, linearly_implicit, place_of_rest};
use crate::roots::{first_above, first_below, first_leaving};
use crate::taylor::shifted;

/// Most quanta that a state may move before it is renewed.
const MAX_EXCURSION: f64 = 1e6;
/// Fraction of the largest value of a crossing function that it must leave zero by after an event.
const HAIR: f64 = 1e-10;
/// A stiff state that was put on its quasi-steady solution has landed there if its derivative fell to
/// this fraction.
const LANDED: f64 = 0.25;
/// Quanta that a stiff state may lag behind its quasi-steady solution and still be taken to be on it.
const LAG: f64 = 0.1;
/// Transitions that a linearly implicit state may make at once when an event gives it another
/// derivative: the first one, a probe, and perhaps others find out its new linear part.
pub const RENEWALS: u32 = 4;
/// Quanta that a time input may move along a straight line before it is looked at again.
const STRAIGHT: f64 = 100.0;
/// Part of the quantum that a state of third order may be away from its quantized state. The planned distance is
/// less than half of it; a step that an event elsewhere bends would otherwise drift on for long.
const THIRD: f64 = 0.125;
/// Part of a quantum that q must move by so that the change of a derivative says something about it.
pub const TELLING: f64 = 1e-3;
/// Quanta by which the error of what a derivative reads may move its state in one step.
const BEARABLE: f64 = 10.0;
/// A quantum is refined in such parts of an octave, and by no more than so many of them.
const NOTCH: f64 = 4.0;
const MOST_NOTCHES: f64 = 120.0;
/// A refined quantum is at least this part of the value: below, rounding would be transitions.
const ROUNDING: f64 = 1e-13;
/// Slack on the quantum, so that rounding is not a transition.
const SLACK: f64 = 1.0 + 1e-9;

/// What the transitions of all integrators of a run have in common.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    pub family: Family,
    pub order: usize,
    pub relative: f64,
}

impl Control {
    pub fn new(method: Method, relative: f64) -> Control {
        Control {
            family: method.family,
            order: method.order,
            relative,
        }
    }

    /// Quanta that a state may move on its polynomial before it is renewed, by the worst of its readers.
    ///
    /// On a way of k quanta a function of order N leaves out some (k·r)^N of its size, r the relative
    /// quantum. That must not exceed r: k = r^((1 − N)/N). Where the first omitted coefficient is
    /// controlled, the next one decides; an affine function leaves out nothing.
    pub fn excursion(&self, readers: Shapeliness) -> f64 {
        let order = self.order as f64;
        let power = match readers {
            Shapeliness::Affine => return MAX_EXCURSION,
            Shapeliness::Bent => -order / (order + 1.0),
            Shapeliness::Unknown => (1.0 - order) / order,
        };
        if self.relative > 0.0 {
            self.relative.powf(power).min(MAX_EXCURSION)
        } else {
            MAX_EXCURSION
        }
    }
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
    /// Coefficient of the trajectory after those it has.
    pub bend: f64,
    /// Quanta that it may move before it is renewed.
    pub excursion: f32,
    /// A stiff state that has landed: x is the quasi-steady solution q − f/a itself, not an integral.
    pub resting: bool,
    /// Its derivative is affine between events: the linear part does not change there.
    pub affine: bool,
    /// q is a projection: x is meant to stay nearer than a quantum.
    pub planned: bool,
    /// How much finer the quantum is than the value asks for, because a reader needs it: in parts of an octave.
    pub finer: u8,
}

impl Control {
    /// Does a transition choose q by the state's linear part? All but the explicit method of first order do.
    pub fn looks_ahead(&self) -> bool {
        self.family != Family::Qss || self.order > 1
    }
}

/// Has the linear part changed so much that the state should choose again?
#[inline]
pub fn learned_anew(old: f64, new: f64) -> bool {
    (new - old).abs() > 0.1 * new.abs()
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
            excursion: f32::INFINITY,
            ..Node::default()
        }
    }

    #[inline]
    pub fn trajectory<const D: usize>(&self, t: f64) -> [f64; D] {
        let mut c = [0.0; D];
        c.copy_from_slice(&self.x[..D]);
        shifted(c, t - self.tx)
    }

    #[inline]
    pub fn quantized<const N: usize>(&self, t: f64) -> [f64; N] {
        let mut c = [0.0; N];
        c.copy_from_slice(&self.q[..N]);
        shifted(c, t - self.tq)
    }

    #[inline]
    pub fn advance<const D: usize>(&mut self, t: f64) {
        let c: [f64; D] = self.trajectory(t);
        self.x[..D].copy_from_slice(&c);
        self.tx = t;
    }

    #[inline]
    pub fn renew_quantum(&mut self, control: &Control) {
        let own = control.relative * self.x[0].abs();
        if own > f64::from(self.floor) {
            self.floor = self.most.min(own as f32);
        }
        let floor = f64::from(self.floor);
        self.quantum = if own > floor { own } else { floor };
        if self.finer > 0 {
            // Whoever still needs it will say so again.
            self.finer -= 1;
            let refined = self.quantum * (-f64::from(self.finer) / NOTCH).exp2();
            self.quantum = refined.max(ROUNDING * self.x[0].abs());
        }
    }

    /// A quantity that the derivative of this state reads has made a transition, `h` after its last one, and the
    /// derivative is `f` now. Where its error has moved this state by more than [`BEARABLE`] quanta: how many times
    /// finer the quantum of that quantity should be.
    ///
    /// The jump of the derivative has been wrong for h at most, and no longer than the state itself remembers. A quantum
    /// k times smaller makes the jump k times smaller and the steps of order N by the N-th root shorter. First-order
    /// methods are spared: they pay for a finer quantum with as many steps.
    #[inline]
    pub fn too_coarse<const N: usize>(&self, t: f64, f: f64, h: f64) -> Option<f64> {
        if N == 1 {
            return None;
        }
        let jump = (f - self.derivative::<N>(t)[0]).abs();
        let bearable = BEARABLE * self.quantum;
        if jump * h <= bearable {
            return None;
        }
        let lasts = if -self.slope * h > 1.0 {
            -1.0 / self.slope
        } else {
            h
        };
        let times = jump * lasts / bearable;
        (times > 1.0).then(|| times.powf(N as f64 / (N + 1) as f64))
    }

    /// A reader needs the quantum so many times finer from the next transition on.
    #[cold]
    pub fn refine(&mut self, times: f64, control: &Control) {
        let own = (control.relative * self.x[0].abs()).max(f64::from(self.floor));
        let notches = (NOTCH * (own * times / self.quantum).log2()).ceil();
        self.finer = self.finer.max(notches.clamp(0.0, MOST_NOTCHES) as u8);
    }

    /// The transition proper: x is brought to t and q chosen anew.
    #[inline]
    pub fn requantize<const N: usize, const D: usize>(
        &mut self,
        t: f64,
        control: &Control,
    ) -> Pending {
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
        if control.family == Family::Qss && N == 1 {
            self.q[0] = place_of_rest(x0, a, u[0], self.quantum).unwrap_or(x0);
            self.tq = t;
            return Pending {
                dq: self.q[0] - old[0],
                derivative,
                steady: false,
            };
        }
        let (horizon, stiff) = if N == 1 {
            let weight = if control.family == Family::Cqss {
                0.5
            } else {
                1.0
            };
            let c = first_order(x0, a, u[0], self.quantum, weight);
            self.q[0] = c.q[0];
            (c.horizon, c.stiff)
        } else {
            let mut c = linearly_implicit::<N>(x0, a, &u, self.quantum);
            if control.family == Family::Qss && c.stiff && c.horizon.is_finite() {
                // Explicit: left behind where it is.
                c.q.copy_from_slice(&self.x[..N]);
                c.horizon = f64::INFINITY;
                c.stiff = false;
            }
            self.q[..N].copy_from_slice(&c.q);
            self.planned = !c.stiff;
            (c.horizon, c.stiff)
        };
        self.tq = t;
        self.meet = t + horizon;
        Pending {
            dq: self.q[0] - old[0],
            derivative,
            steady: stiff && horizon.is_infinite() && N > 1,
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
        self.planned = false;
        Pending {
            dq,
            derivative: self.x[1],
            steady: false,
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
        if self.resting && self.rest_on(t, f) {
            return;
        }
        self.bend = omitted / D as f64;
        if t != self.tx {
            self.x[0] = self.trajectory::<D>(t)[0];
            self.tx = t;
        }
        for (k, &c) in f.iter().enumerate() {
            self.x[k + 1] = c / (k + 1) as f64;
        }
    }

    /// After a transition of this state and with the derivative that follows from it: learn the
    /// linear part, and land on the quasi-steady solution if the derivative confirms it.
    #[inline]
    pub fn learn<const N: usize>(&mut self, pending: &Pending) {
        if pending.dq.abs() > TELLING * self.quantum {
            self.slope = ((self.x[1] - pending.derivative) / pending.dq).min(0.0);
        }
        if pending.steady && self.x[1].abs() <= LANDED * pending.derivative.abs() {
            self.x[0] = self.q[0];
            let f = self.derivative::<N>(self.tx);
            self.resting = self.slope < 0.0 && self.rest_on(self.tx, &f);
        }
    }

    /// Coefficients of the derivative that the trajectory comes from.
    #[inline]
    pub fn derivative<const N: usize>(&self, t: f64) -> [f64; N] {
        if self.resting {
            let (q, x): ([f64; N], [f64; N]) = (self.quantized(t), self.trajectory(t));
            return std::array::from_fn(|k| self.slope * (q[k] - x[k]));
        }
        let mut c = [0.0; 4];
        c.copy_from_slice(&self.x);
        let c = shifted(c, t - self.tx);
        std::array::from_fn(|k| (k + 1) as f64 * c[k + 1])
    }

    /// Brings x to t, as an integral of its derivative.
    #[inline]
    pub fn wake<const N: usize, const D: usize>(&mut self, t: f64) {
        if !self.resting {
            return self.advance::<D>(t);
        }
        let f = self.derivative::<N>(t);
        self.advance::<D>(t);
        self.resting = false;
        for (k, c) in f.into_iter().enumerate() {
            self.x[k + 1] = c / (k + 1) as f64;
        }
    }

    /// Puts a stiff state with the derivative f on its quasi-steady solution q − f/a. Not if that is no longer
    /// within the quantum, or moves so fast that the state would lag behind: then it integrates again. The
    /// linear part of a derivative that is not affine may be out of date, so the state steps, and learns it
    /// anew, before f moves it by a quantum.
    #[inline]
    fn rest_on<const N: usize>(&mut self, t: f64, f: &[f64; N]) -> bool {
        let q: [f64; N] = self.quantized(t);
        let lag = -1.0 / self.slope;
        let speed = if N > 1 { q[1] + lag * f[1] } else { 0.0 };
        let within = (lag * f[0]).abs() <= self.quantum;
        self.resting = within && (lag * speed).abs() <= LAG * self.quantum;
        if self.resting {
            self.x = [0.0; 4];
            for k in 0..N {
                self.x[k] = q[k] + lag * f[k];
            }
            self.tx = t;
            self.bend = 0.0;
            if !self.affine {
                let mut s = self.quantum / f[0].abs();
                if N > 1 && 0.5 * f[1].abs() * s * s > self.quantum {
                    s = (2.0 * self.quantum / f[1].abs()).sqrt();
                }
                self.meet = self.meet.min(t + s);
            }
        }
        self.resting
    }

    /// A new value, by decree.
    pub fn reset<const N: usize, const D: usize>(&mut self, t: f64, value: f64, control: &Control) {
        self.wake::<N, D>(t);
        self.x[0] = value;
        self.planned = false;
        self.q[0] = value;
        self.q[1..N].copy_from_slice(&self.x[1..N]);
        self.tq = t;
        self.meet = f64::INFINITY;
        self.renew_quantum(control);
    }

    /// Time from t to the next transition; the trajectory is known about t.
    #[inline]
    pub fn time_to_transition<const N: usize, const D: usize>(&self, t: f64) -> f64 {
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
            let bound = if N > 2 && self.planned { THIRD } else { SLACK };
            first_leaving(&p, self.quantum * bound)
        };
        if self.bend != 0.0 {
            let mut left_out = self.bend.abs();
            for _ in 0..D {
                left_out *= s;
            }
            if left_out > self.quantum {
                let ratio = self.quantum / self.bend.abs();
                s = match D {
                    2 => ratio.sqrt(),
                    3 => ratio.cbrt(),
                    _ => ratio.sqrt().sqrt(),
                };
            }
        }
        if N > 1 {
            let far = f64::from(self.excursion) * self.quantum;
            if s * self.x[1].abs() > far {
                s = far / self.x[1].abs();
            }
            if N > 2 && s * s * self.x[2].abs() > far {
                s = (far / self.x[2].abs()).sqrt();
            }
        }
        s
    }

    /// A time input: the polynomial at t. Returns how long it may be trusted: until one of the
    /// first two omitted terms reaches the quantum.
    pub fn renew_input<const N: usize>(&mut self, t: f64, c: &[f64; 5], control: &Control) -> f64 {
        self.x = [c[0], c[1], c[2], c[3]];
        self.q = [c[0], c[1], c[2]];
        self.tx = t;
        self.tq = t;
        self.renew_quantum(control);
        let first = (self.quantum / c[N].abs()).powf(1.0 / N as f64);
        let second = (self.quantum / c[N + 1].abs()).powf(1.0 / (N + 1) as f64);
        let s = first.min(second);
        if s.is_finite() {
            project::<N>(&mut self.q, c, s);
        }
        if s.is_infinite() && c[1] != 0.0 {
            // A straight piece: only a function with kinks has one, and they are not announced.
            return STRAIGHT * self.quantum / c[1].abs();
        }
        s
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

/// A crossing: which side its function is on, and what is known of the function's size.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detector {
    pub side: bool,
    /// Has just fired, or the run begins: the function must leave zero by a hair before it counts again.
    pub fresh: bool,
    /// The scheduler has a time for it. Noted here because most predictions find none and had none before: these need not ask.
    pub expected: bool,
    /// Largest absolute value of the function so far, and no less than it is taken to be at the start.
    pub reach: f64,
    /// Events so far.
    pub events: u64,
}

impl Detector {
    /// The run begins, and this is the time until the first crossing. A function that begins at zero and does not cross there
    /// must not do so because the first quantized state is a little off.
    pub fn begin(&mut self, rest: f64) {
        self.fresh = rest > 0.0;
    }

    /// The function has crossed.
    pub fn fire(&mut self) {
        self.side = !self.side;
        self.fresh = true;
        self.events += 1;
    }

    /// Time until the function is strictly on the other side; infinite if that is later than
    /// `horizon`, when it is looked at again anyway. After an event, zero is as wide as the rounding of the time `t`
    /// makes it.
    #[inline]
    pub fn time_to_crossing<const D: usize>(
        &mut self,
        t: f64,
        mut g: [f64; D],
        horizon: f64,
    ) -> f64 {
        let size = g[0].abs();
        if size > self.reach {
            self.reach = size;
        }
        let mut change = 0.0;
        for k in (1..D).rev() {
            change = (change + g[k].abs()) * horizon;
        }
        if change < size && (g[0] > 0.0) == self.side && !self.fresh {
            return f64::INFINITY;
        }
        if self.fresh {
            let hair = HAIR * self.reach + 4.0 * f64::EPSILON * (t * g[1]).abs();
            if size > hair {
                self.fresh = false;
            } else if self.side {
                g[0] += hair;
            } else {
                g[0] -= hair;
            }
        }
        let s = if self.side {
            first_below(&g)
        } else {
            first_above(&g)
        };
        if s > horizon { f64::INFINITY } else { s }
    }
}
