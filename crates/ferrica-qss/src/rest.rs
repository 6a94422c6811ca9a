//! A stiff state at rest: on its quasi-steady solution y, the solution of y' = ay + u, where f = aq + u is its derivative.
//!
//! It has met y and stays there, by integration; or, where nobody can miss what is left out (see `standing.rs`), it follows y.

use crate::integrator::{ACCOUNTS, AFFINE, Node, Rest};
use crate::quantizer::SETTLED;
use crate::roots::{first_above, first_below, first_leaving};

/// Quanta that a stiff state may lag behind its quasi-steady solution and still be taken to be on it.
const LAG: f64 = 0.1;

/// Coefficient k of the derivative of a polynomial.
#[inline]
fn moves<const N: usize>(q: &[f64; N], k: usize) -> f64 {
    if k + 1 < N {
        (k + 1) as f64 * q[k + 1]
    } else {
        0.0
    }
}

impl Node {
    /// What conditions see of the state: its trajectory, or, where it rests, the quasi-steady solution y of y' = ay + u.
    ///
    /// The exact solution is there after a time 1/|a| that nobody resolves, while x keeps the distance from it, within the quantum, that it had
    /// when it came to rest. A condition that asks for the sign of a current that no longer flows must not be answered by that distance.
    #[inline]
    pub fn seen<const N: usize, const D: usize, const C: usize>(&self, t: f64) -> [f64; C] {
        if self.rest == Rest::Near {
            let mut c = [0.0; C];
            c[..N].copy_from_slice(&self.quasi_steady::<N>(t));
            return c;
        }
        self.whole::<D, C>(t)
    }

    /// With f = aq + u: y = −u/a, less the lag y'/a.
    #[inline]
    fn solution<const N: usize>(&self, q: &[f64; N], f: &[f64; N]) -> [f64; N] {
        let lag = -1.0 / self.slope;
        std::array::from_fn(|k| q[k] + lag * (f[k] - moves(q, k)))
    }

    #[inline]
    fn quasi_steady<const N: usize>(&self, t: f64) -> [f64; N] {
        self.solution(&self.quantized(t), &self.derivative(t))
    }

    /// f where x is y: from y = q − (f − q')/a.
    pub(crate) fn derivative_at_rest<const N: usize>(&self, t: f64) -> [f64; N] {
        let (q, y): ([f64; N], [f64; N]) = (self.quantized(t), self.trajectory(t));
        std::array::from_fn(|k| moves(&q, k) - self.slope * (y[k] - q[k]))
    }

    /// On its quasi-steady solution, on a cycle: how far the derivative would have moved the state from there until t. What it exchanges with others is
    /// theirs as well, so it is not forgotten: x goes on with it (see `standing.rs`).
    #[inline]
    pub(crate) fn kept_back<const N: usize>(&self, t: f64) -> f64 {
        if self.marks & ACCOUNTS == 0 {
            return 0.0;
        }
        let (f, s): ([f64; N], f64) = (self.derivative_at_rest(self.tx), t - self.tx);
        let mut moved = 0.0;
        for k in (0..N).rev() {
            let follows = if k + 1 < N { self.x[k + 1] } else { 0.0 };
            moved = (moved + f[k] / (k + 1) as f64 - follows) * s;
        }
        f64::from(self.bend) + moved
    }

    /// x goes on from where it is by its derivative.
    #[inline]
    pub fn wake<const N: usize, const D: usize>(&mut self, t: f64) {
        if self.rest == Rest::On {
            let (f, kept): ([f64; N], f64) = (self.derivative_at_rest(t), self.kept_back::<N>(t));
            self.advance::<D>(t);
            self.x[0] += kept;
            for (k, c) in f.into_iter().enumerate() {
                self.x[k + 1] = c / (k + 1) as f64;
            }
            self.bend = 0.0;
        } else {
            self.advance::<D>(t);
        }
        self.rest = Rest::None;
    }

    /// With the derivative f, may x (x0 now) be taken for the quasi-steady solution? Not if that has jumped away from it, is further from q than the quantum, or
    /// moves so fast that the state would lag behind. If so, x becomes that solution. Where the derivative is not affine its linear part may
    /// be out of date: the state steps, and learns it anew, before f would have moved it by a quantum.
    pub(crate) fn follows<const N: usize>(&mut self, t: f64, x0: f64, f: &[f64; N]) -> bool {
        let q: [f64; N] = self.quantized(t);
        let y = self.solution(&q, f);
        let lags = if N > 1 {
            (y[1] / self.slope).abs()
        } else {
            0.0
        };
        let follows = (y[0] - x0).abs() <= SETTLED * self.quantum
            && (y[0] - q[0]).abs() <= self.quantum
            && lags <= LAG * self.quantum;
        if !follows {
            return false;
        }
        self.x = [0.0; 4];
        self.x[..N].copy_from_slice(&y);
        self.tx = t;
        if self.marks & AFFINE == 0 {
            let mut s = self.quantum / f[0].abs();
            if N > 1 && 0.5 * f[1].abs() * s * s > self.quantum {
                s = (2.0 * self.quantum / f[1].abs()).sqrt();
            }
            self.meet = self.meet.min(t + s);
        }
        if self.marks & ACCOUNTS != 0 {
            self.bend = (x0 - y[0]) as f32;
            self.limit_mismatch(t, f, &y);
        }
        true
    }

    /// The state steps before what it keeps back, as what it moves by because of the mismatch f − y', is more than it may be away from its
    /// quasi-steady solution.
    fn limit_mismatch<const N: usize>(&mut self, t: f64, f: &[f64; N], y: &[f64; N]) {
        let rate = if N > 1 { f[0] - y[1] } else { f[0] };
        let most = (SETTLED * self.quantum - f64::from(self.bend) * rate.signum()).max(0.0);
        let mut s = most / rate.abs();
        if N > 1 {
            let next = if N > 2 { f[1] - 2.0 * y[2] } else { f[1] }.abs();
            if 0.5 * next * s * s > most {
                s = (2.0 * most / next).sqrt();
            }
        }
        if s < self.meet - t {
            self.meet = t + s;
        }
    }

    /// Is a settled state still near its quasi-steady solution, and that slow enough for the state to be on it? One that was so stays so for twice as far: what it has kept back puts
    /// it aside when it steps, and it comes back at once.
    #[inline]
    pub(crate) fn nearness<const N: usize>(&self, t: f64) -> Rest {
        let y: [f64; N] = self.quasi_steady(t);
        let lag = if N > 1 { y[1] / self.slope } else { 0.0 };
        let was = if self.rest == Rest::Near { 2.0 } else { 1.0 };
        let near = was * SETTLED * self.quantum;
        if (y[0] - self.x[0]).abs() <= near && lag.abs() <= LAG * self.quantum {
            Rest::Near
        } else {
            Rest::Settled
        }
    }

    /// Time until a settled state has met its quasi-steady solution again, or has left it, x' being known about t.
    #[inline]
    pub(crate) fn time_at_rest<const N: usize, const D: usize>(&self, t: f64) -> f64 {
        let y: [f64; N] = self.quasi_steady(t);
        let mut p = [0.0; D];
        p.copy_from_slice(&self.x[..D]);
        for k in 0..N {
            p[k] -= y[k];
        }
        let near = SETTLED * self.quantum;
        if p[0] > near {
            first_below(&p)
        } else if p[0] < -near {
            first_above(&p)
        } else {
            first_leaving(&p, near)
        }
    }
}
