//! How a quantized state is chosen: the formulas of the methods.
//!
//! A state x with the derivative ẋ = f follows, between transitions, a polynomial of degree N (the
//! order); its quantized state q a polynomial of degree N − 1 with |x − q| ≤ ΔQ.
//!
//! - QSS, and all others where the state is not stiff: q is the projection of x over the planned step, so that the mean of x − q vanishes (see `projected`). In the
//!   first order that is the implicit midpoint rule, CQSS (Cellier, Kofman, Migoni, Bortolotto), for QSS1 and LIQSS1 (Kofman; Migoni, Kofman) too: a q that is left behind x, or put a quantum
//!   ahead of it, damps or excites an oscillation by as much every time. Where the state is stiff, QSS2 and QSS3 take the first N coefficients of x, left behind.
//! - In all of them: where the quasi-steady solution of a stiff state is within the quantum, q is parallel to it until x has met it, and then that solution.
//! - LIQSS2, LIQSS3 (Migoni, Kofman), where the state is stiff: with the linear part a = ∂f/∂q ≤ 0 of the state's own
//!   derivative, f = a·q + u(t), q is chosen so that x meets it after a horizon h with all
//!   derivatives up to order N − 1: a Taylor expansion about the *end* of the step,
//!
//!   Q·Σ (−ha)^k/k! = x₀ + ∫u − (h²/2) a U₀ + (h³/6) a (a U₀ + U₁),  Q' = aQ + U₀,  Q'' = aQ' + U₁,
//!
//!   where U₀, U₁ are u and its derivative at h. For N = 1 this is backward Euler. The horizon is the
//!   largest for which |q − x| ≤ ΔQ.
//! - Modified LIQSS (Di Pietro, Migoni, Kofman): the same with a matrix in place of a, for states that drive each other (see
//!   `groups.rs` and `together.rs`).

/// Families of methods; the order is a parameter of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Qss,
    Liqss,
    /// LIQSS with steps of several states together.
    ModifiedLiqss,
    Cqss,
}

/// A method by the name it has on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Method {
    pub family: Family,
    pub order: usize,
}

impl Method {
    pub fn parse(name: &str) -> Option<Method> {
        let (family, order) = match name {
            "qss1" => (Family::Qss, 1),
            "qss2" => (Family::Qss, 2),
            "qss3" => (Family::Qss, 3),
            "liqss1" => (Family::Liqss, 1),
            "liqss2" => (Family::Liqss, 2),
            "liqss3" => (Family::Liqss, 3),
            "mliqss1" => (Family::ModifiedLiqss, 1),
            "mliqss2" => (Family::ModifiedLiqss, 2),
            "mliqss3" => (Family::ModifiedLiqss, 3),
            "cqss" => (Family::Cqss, 1),
            _ => return None,
        };
        Some(Method { family, order })
    }

    pub fn name(self) -> &'static str {
        match (self.family, self.order) {
            (Family::Qss, 1) => "qss1",
            (Family::Qss, 2) => "qss2",
            (Family::Qss, _) => "qss3",
            (Family::Liqss, 1) => "liqss1",
            (Family::Liqss, 2) => "liqss2",
            (Family::Liqss, _) => "liqss3",
            (Family::ModifiedLiqss, 1) => "mliqss1",
            (Family::ModifiedLiqss, 2) => "mliqss2",
            (Family::ModifiedLiqss, _) => "mliqss3",
            (Family::Cqss, _) => "cqss",
        }
    }
}

/// Below this |a|·h the linear part does not limit the step: the state is treated as not stiff.
pub const STIFF: f64 = 1.5;

/// The same where the step was chosen by several states after an event.
pub(crate) const TAIL: f64 = 0.5;

/// Length of a projected step, in units of the time in which the highest derivative moves the state by the
/// quantum: (6/4)^(1/2) and 1, so that x and q are apart by a quarter and a twentieth of the quantum. What is left
/// of it is for inputs that change within the step and for steps that an event cuts short, in which the mean of
/// the difference does not vanish.
const LENGTH: [f64; 4] = [1.0, 1.0, 1.224_744_871_391_589, 1.0];

/// Parts of the quantum that a state may be away from its quasi-steady solution to stay on it, and to settle there.
pub const SETTLED: f64 = 0.05;
const SETTLES: f64 = 0.5 * SETTLED;

/// Part of the quantum that a choice goes for, so that rounding does not exceed it.
const NEARLY: f64 = 0.95;

/// A quantized state and the time until the state meets it (infinite: a quasi-steady solution).
#[derive(Clone, Copy, Debug)]
pub struct Choice<const N: usize> {
    pub q: [f64; N],
    pub horizon: f64,
    /// The state must step when it meets its quantized state; otherwise it may pass through it.
    pub stiff: bool,
    /// q is ahead of x by some of the quantum: what an explicit method does not do.
    pub ahead: bool,
}

/// Solution of the meeting conditions for a given horizon.
#[inline]
fn meeting<const N: usize>(x0: f64, a: f64, u: &[f64; N], h: f64) -> [f64; N] {
    let ha = h * a;
    let mut q = [0.0; N];
    match N {
        1 => q[0] = (x0 + h * u[0]) / (1.0 - ha),
        2 => {
            let end = u[0] + h * u[1];
            let area = h * (u[0] + 0.5 * h * u[1]);
            let meet = (x0 + area - 0.5 * h * ha * end) / (1.0 - ha + 0.5 * ha * ha);
            let slope = a * meet + end;
            q[0] = meet - h * slope;
            q[1] = slope;
        }
        _ => {
            let end = u[0] + h * (u[1] + h * u[2]);
            let end_slope = u[1] + 2.0 * h * u[2];
            let area = h * (u[0] + h * (0.5 * u[1] + h * u[2] / 3.0));
            let meet = (x0 + area - 0.5 * h * ha * end + h * h * ha / 6.0 * (a * end + end_slope))
                / (1.0 - ha + ha * ha * (0.5 - ha / 6.0));
            let slope = a * meet + end;
            let bend = a * slope + end_slope;
            q[0] = meet - h * (slope - 0.5 * h * bend);
            q[1] = slope - h * bend;
            q[2] = 0.5 * bend;
        }
    }
    q
}

/// The quantized state of a state that is not stiff: the projection of x on the polynomials of degree N − 1 over the
/// step, in the mean square, where x' = a·q + u. `h` is the time in which the highest derivative moves the
/// state by the quantum; returned is the length of the step.
///
/// For N = 2, x − q = c·(s² − hs + h²/6) with c = c₀/(1 + z/2 + z²/12); for N = 3, x − q = c·(s³ − 3h/2 s² + 3h²/5 s − h³/20)
/// with c = c₀/(1 + z/2 + z²/10 + z³/120): c₀ the coefficient of the free solution, z = −ah.
#[inline]
fn projected<const N: usize>(x0: f64, a: f64, u: &[f64; N], h: f64) -> ([f64; N], f64) {
    let mut q = [0.0; N];
    let f = a * x0 + u[0];
    if N == 1 {
        q[0] = x0 + 0.5 * h * f;
        return (q, h);
    }
    let g = a * f + u[1];
    let slower = |z: f64| match N {
        2 => 1.0 + z * (0.5 + z / 12.0),
        _ => 1.0 + z * (0.5 + z * (0.1 + z / 120.0)),
    };
    let mut h = LENGTH[N] * h;
    if a < 0.0 {
        h *= root_of::<N>(slower(-a * h));
    }
    if N == 2 {
        let c = 0.5 * g / slower(-a * h);
        q[0] = x0 - c * h * h / 6.0;
        q[1] = a * q[0] + u[0] + c * h;
    } else {
        let c = (0.5 * a * g + u[2]) / (3.0 * slower(-a * h));
        q[0] = x0 + c * h * h * h / 20.0;
        q[1] = a * q[0] + u[0] - 0.6 * c * h * h;
        q[2] = 0.5 * (a * q[1] + u[1]) + 1.5 * c * h;
    }
    (q, h)
}

/// The polynomial that solves q' = a·q + u: where a stiff state ends up.
#[inline]
fn quasi_steady<const N: usize>(a: f64, u: &[f64; N]) -> [f64; N] {
    let mut q = [0.0; N];
    for k in (0..N).rev() {
        let next = if k + 1 < N {
            (k + 1) as f64 * q[k + 1]
        } else {
            0.0
        };
        q[k] = (next - u[k]) / a;
    }
    q
}

/// N-th time derivative of a state that follows x' = a·x + u.
#[inline]
fn top_derivative<const N: usize>(x0: f64, a: f64, u: &[f64; N]) -> f64 {
    let mut d = x0;
    let mut factorial = 1.0;
    for (k, &uk) in u.iter().enumerate() {
        if k > 1 {
            factorial *= k as f64;
        }
        d = a * d + factorial * uk;
    }
    d
}

#[inline]
fn root_of<const N: usize>(v: f64) -> f64 {
    match N {
        1 => v,
        2 => v.sqrt(),
        _ => v.cbrt(),
    }
}

/// Time in which the N-th derivative moves a state by one quantum.
#[inline]
pub fn free_horizon<const N: usize>(top: f64, quantum: f64) -> f64 {
    const FACTORIAL: [f64; 4] = [1.0, 1.0, 2.0, 6.0];
    root_of::<N>(FACTORIAL[N] * quantum / top.abs())
}

/// Linearly implicit choice for one state: x₀ now, ẋ = a·q + u with a ≤ 0.
///
/// Where u stands still, the quasi-steady solution of a stiff state is always within the quantum: with h² = 2·[`NEARLY`]·ΔQ/|a·f|, |a|h > [`STIFF`] says |f/a| < 0.85·ΔQ.
/// So q is ahead of x, and the linearly implicit methods differ from the explicit ones, only where u moves, or where two states drive each other.
#[inline]
pub fn linearly_implicit<const N: usize>(x0: f64, a: f64, u: &[f64; N], quantum: f64) -> Choice<N> {
    let h = free_horizon::<N>(top_derivative(x0, a, u), NEARLY * quantum);
    let stiff = -a * h > STIFF;
    if !stiff {
        if h.is_infinite() {
            // The polynomial is exact: nothing bends it.
            let mut q = [0.0; N];
            let mut d = x0;
            for k in 0..N {
                q[k] = d;
                d = (a * d + u[k]) / (k + 1) as f64;
            }
            return Choice {
                q,
                horizon: h,
                stiff: false,
                ahead: false,
            };
        }
        let (q, horizon) = projected(x0, a, u, h);
        return Choice {
            q,
            horizon,
            stiff: false,
            ahead: false,
        };
    }
    let mut q = quasi_steady(a, u);
    let distance = (q[0] - x0).abs();
    if distance <= SETTLES * quantum {
        return Choice {
            q,
            horizon: f64::INFINITY,
            stiff: true,
            ahead: false,
        };
    }
    if distance <= quantum {
        // Parallel to the quasi-steady solution from where x is: x meets that solution after 1/|a|.
        q[0] = x0;
        return Choice {
            q,
            horizon: -1.0 / a,
            stiff: true,
            ahead: false,
        };
    }
    let (q, horizon) = fit(x0, a, u, quantum, h);
    Choice {
        q,
        horizon,
        stiff: true,
        ahead: true,
    }
}

/// First order, with the quasi-steady solution within the quantum: if x is on it, so is q; else x meets it after 1/|a|.
#[inline]
fn approach(x0: f64, a: f64, u: f64, quantum: f64) -> Choice<1> {
    let rest = -u / a;
    if (rest - x0).abs() <= SETTLES * quantum {
        return Choice {
            q: [rest],
            horizon: f64::INFINITY,
            stiff: true,
            ahead: false,
        };
    }
    Choice {
        q: [x0],
        horizon: -1.0 / a,
        stiff: true,
        ahead: false,
    }
}

/// Adapts the horizon until the distance of q from x is nearly the quantum, and not above it.
#[inline]
fn fit<const N: usize>(x0: f64, a: f64, u: &[f64; N], quantum: f64, mut h: f64) -> ([f64; N], f64) {
    let mut q = meeting(x0, a, u, h);
    for pass in 0..12 {
        let distance = (q[0] - x0).abs();
        // Two passes may try to use the quantum fully; the later ones only get below it.
        if distance <= quantum && (distance >= 0.6 * quantum || pass >= 3) {
            break;
        }
        let ratio = 0.9 * quantum / distance;
        h *= root_of::<N>(ratio.clamp(1e-6, 1e6));
        q = meeting(x0, a, u, h);
    }
    let distance = (q[0] - x0).abs();
    if distance > quantum || !q[0].is_finite() {
        // Not reached: a forward choice at least keeps the bound.
        let mut forward = [0.0; N];
        let mut d = x0;
        for k in 0..N {
            forward[k] = d;
            d = (a * d + u[k]) / (k + 1) as f64;
        }
        return (forward, h);
    }
    (q, h)
}

/// First order: the projection in closed form. The derivative is constant over the step, x − q = f·(s − h/2), so q is half of a quantum ahead of x and x moves
/// by the quantum: the implicit midpoint rule (CQSS).
#[inline]
pub fn first_order(x0: f64, a: f64, u: f64, quantum: f64) -> Choice<1> {
    let f = a * x0 + u;
    if a < 0.0 && -a * quantum > STIFF * f.abs() {
        return approach(x0, a, u, quantum);
    }
    if f == 0.0 {
        return Choice {
            q: [x0],
            horizon: f64::INFINITY,
            stiff: true,
            ahead: false,
        };
    }
    let reach = 0.5 * quantum;
    Choice {
        q: [x0 + reach.copysign(f)],
        horizon: quantum / (f.abs() + a * reach),
        stiff: true,
        ahead: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x' = a q + u, integrated exactly, must be at q with equal derivatives after the horizon.
    fn check_meeting<const N: usize>(x0: f64, a: f64, u: [f64; N], h: f64) {
        let q = meeting(x0, a, &u, h);
        // Coefficients of x.
        let mut x = [0.0; 5];
        x[0] = x0;
        for k in 0..N {
            x[k + 1] = (a * q[k] + u[k]) / (k + 1) as f64;
        }
        let eval = |c: &[f64], order: usize| {
            let mut v = 0.0;
            for k in (order..c.len()).rev() {
                let falling: f64 = (0..order).map(|m| (k - m) as f64).product();
                v = v * h + falling * c[k];
            }
            v
        };
        for order in 0..N {
            let (left, right) = (eval(&x[..=N], order), eval(&q, order));
            assert!(
                (left - right).abs() < 1e-9 * (1.0 + right.abs()),
                "N {N} order {order}: {left} {right}"
            );
        }
    }

    #[test]
    fn state_meets_quantized_state_with_its_derivatives() {
        for a in [0.0, -1.0, -250.0] {
            for h in [0.01, 0.5, 3.0] {
                check_meeting(1.5, a, [0.7], h);
                check_meeting(1.5, a, [0.7, -2.0], h);
                check_meeting(1.5, a, [0.7, -2.0, 0.3], h);
            }
        }
    }

    #[test]
    fn distance_is_bounded_by_the_quantum() {
        for a in [0.0, -0.1, -10.0, -1e4, -1e8] {
            for u in [[0.0, 0.0], [1.0, 0.0], [1e3, -4.0], [-5.0, 1e5]] {
                for quantum in [1e-6, 1e-3, 1.0] {
                    let c = linearly_implicit::<2>(2.0, a, &u, quantum);
                    assert!((c.q[0] - 2.0).abs() <= quantum * (1.0 + 1e-12), "{a} {u:?}");
                    let c = linearly_implicit::<3>(2.0, a, &[u[0], u[1], 1.0], quantum);
                    assert!((c.q[0] - 2.0).abs() <= quantum * (1.0 + 1e-12), "{a} {u:?}");
                }
            }
        }
    }

    /// ẋ = 1000·(1.0002 − q): the state steps on its equilibrium, by an integral of its derivative, and stays there.
    #[test]
    fn equilibrium_within_reach_stops_the_state() {
        let (a, u) = (-1000.0, [1000.2, 0.0]);
        let c = linearly_implicit::<2>(1.0, a, &u, 1e-3);
        let x = [1.0, a * c.q[0] + u[0], 0.5 * (a * c.q[1] + u[1])];
        let met = x[0] + c.horizon * (x[1] + c.horizon * x[2]);
        assert!((met - 1.0002).abs() < 1e-12, "{c:?}");
        let c = linearly_implicit::<2>(met, a, &u, 1e-3);
        assert!(c.horizon.is_infinite());
        assert!((c.q[0] - 1.0002).abs() < 1e-12);
    }
}
