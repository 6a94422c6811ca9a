//! Integration formulas y'ₖ₊₁ = c yₖ₊₁ + ŷ, and the options of a run.

use crate::pace::RealTime;

/// Newton iterations a step if the user does not say.
pub const DEFAULT_ITERATIONS: usize = 3;
/// The most Newton iterations of a step that is iterated until it has converged.
pub const MAX_ITERATIONS: usize = 60;
/// Passes of an event if the user does not say.
pub const DEFAULT_EVENT_PASSES: usize = 20;

/// Methods by the names of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Bdf1,
    Bdf2,
    Bdf3,
    /// Trapezoidal rule; derivatives are projected on the tangent plane of the constraints.
    Trapezoid,
    /// Trapezoidal rule without projection.
    TrapezoidUnprojected,
    /// Constraints differentiated; explicit.
    Ode,
}

impl Method {
    pub const ALL: [Method; 6] = [
        Method::Bdf1,
        Method::Bdf2,
        Method::Bdf3,
        Method::Trapezoid,
        Method::TrapezoidUnprojected,
        Method::Ode,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Method::Bdf1 => "rt-bdf1",
            Method::Bdf2 => "rt-bdf2",
            Method::Bdf3 => "rt-bdf3",
            Method::Trapezoid => "rt-tr",
            Method::TrapezoidUnprojected => "rt-trnp",
            Method::Ode => "rt-ode",
        }
    }

    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Past values that the formula reads.
    pub fn depth(self) -> usize {
        match self {
            Method::Bdf2 => 2,
            Method::Bdf3 => 3,
            _ => 1,
        }
    }

    /// Formulas of a run: its own, that of the start, and that of steps behind an event.
    pub fn formulas(self, events: bool) -> Vec<Method> {
        let mut all = vec![self, Method::TrapezoidUnprojected];
        if events {
            all.push(Method::Bdf1);
        }
        all
    }

    /// Steps of the backward Euler formula behind an event that leaves states where stiff equations do not hold them ([`crate::march::restart`]). They damp
    /// what is left by (1 + h|λ|)² and more, and it is no part of the past any longer when a multistep formula begins.
    pub fn restart_steps(self) -> usize {
        match self {
            Method::Bdf1 | Method::Ode => 0,
            Method::Bdf2 | Method::Trapezoid | Method::TrapezoidUnprojected => 2,
            Method::Bdf3 => 3,
        }
    }

    fn is_trapezoid(self) -> bool {
        matches!(self, Method::Trapezoid | Method::TrapezoidUnprojected)
    }

    /// Weight c of the new value for step `h`.
    pub fn leading(self, h: f64) -> f64 {
        match self {
            Method::Bdf2 => 1.5 / h,
            Method::Bdf3 => 11.0 / (6.0 * h),
            Method::Trapezoid | Method::TrapezoidUnprojected => 2.0 / h,
            Method::Bdf1 | Method::Ode => 1.0 / h,
        }
    }

    /// Weights of past values, newest first, times 1/h; none for the trapezoidal rule.
    pub fn past_weights(self) -> Option<&'static [f64]> {
        match self {
            Method::Bdf2 => Some(&[-2.0, 0.5]),
            Method::Bdf3 => Some(&[-3.0, 1.5, -1.0 / 3.0]),
            Method::Bdf1 | Method::Ode => Some(&[-1.0]),
            Method::Trapezoid | Method::TrapezoidUnprojected => None,
        }
    }

    /// The known part ŷ from past values, newest first, and the last derivatives.
    pub fn known_part(self, h: f64, past: &[Vec<f64>], rates: &[f64], out: &mut [f64]) {
        if self.is_trapezoid() {
            for ((o, y), r) in out.iter_mut().zip(&past[0]).zip(rates) {
                *o = -(2.0 / h * y + r);
            }
            return;
        }
        let weights = self.past_weights().unwrap_or_default();
        out.fill(0.0);
        for (w, y) in weights.iter().zip(past) {
            for (o, y) in out.iter_mut().zip(y) {
                *o += w * y;
            }
        }
        for o in out.iter_mut() {
            *o /= h;
        }
    }
}

/// How BDF2 and BDF3 get the past that they need at the start. After an event it is the trapezoidal
/// rule, or where that would ring the backward Euler formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BdfStart {
    /// The first steps are those of the trapezoidal rule.
    #[default]
    Trapezoid,
    /// The values before the start are those at the start.
    Constant,
}

/// Which equations a step solves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// What advances the model, with constant parts eliminated beforehand; outputs when they are wanted.
    #[default]
    Causal,
    /// All unknowns at once, as they are.
    Full,
}

/// What the common experiment does not say.
#[derive(Clone, Debug)]
pub struct RtOptions {
    pub method: Method,
    /// The differentiated form, forced factorization and the watch on constraints take the full one.
    pub formulation: Formulation,
    /// Newton iterations in each step, or the most of them.
    pub iterations: usize,
    /// Iterate until the correction is negligible; a step in which it never is, is an error.
    pub until_converged: bool,
    pub start: BdfStart,
    /// Iterations of a step are left out once the largest residual is no greater than this; 0 makes
    /// all of them.
    pub residual_tolerance: f64,
    /// Passes that an event may take; what is not settled by then goes on at the next step.
    pub event_passes: usize,
    /// Form and factor the tangent in every iteration although it is constant (for comparison).
    pub always_factor: bool,
    /// Operations up to which a step of the causal formulation becomes straight-line machine code.
    pub fuse_limit: usize,
    /// Wait for the clock before each step; rows come at the end.
    pub real_time: Option<RealTime>,
    /// Time the stages of each step (full formulation).
    pub stage_times: bool,
    /// Report the violation of the differentiated constraints also without projection.
    pub watch_constraints: bool,
}

/// When the iterations of a step end.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    pub iterations: usize,
    /// All residuals are at most this; 0 is never.
    pub residual: f64,
    pub until_converged: bool,
}

impl Ending {
    /// A last correction in parts of max(1, |unknown|) that is negligible: it is applied, so the error is about its square.
    pub const NEGLIGIBLE: f64 = 1e-8;

    /// Is a step with this last correction done?
    pub fn is_done(&self, correction: f64) -> bool {
        self.until_converged && correction <= Ending::NEGLIGIBLE
    }
}

impl RtOptions {
    pub fn ending(&self) -> Ending {
        Ending {
            iterations: self.iterations,
            residual: self.residual_tolerance,
            until_converged: self.until_converged,
        }
    }

    pub fn new(method: Method) -> RtOptions {
        RtOptions {
            method,
            formulation: Formulation::default(),
            iterations: DEFAULT_ITERATIONS,
            until_converged: false,
            start: BdfStart::default(),
            residual_tolerance: 0.0,
            event_passes: DEFAULT_EVENT_PASSES,
            always_factor: false,
            fuse_limit: crate::causal::reduction::FUSE_LIMIT,
            real_time: None,
            stage_times: false,
            watch_constraints: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A formula of order p differentiates polynomials of degree p exactly.
    #[test]
    fn formulas_are_exact_for_polynomials() {
        let h = 0.3;
        for (method, degree) in [
            (Method::Bdf1, 1),
            (Method::Bdf2, 2),
            (Method::Bdf3, 3),
            (Method::Trapezoid, 2),
        ] {
            for d in 0..=degree {
                let f = |t: f64| t.powi(d);
                let rate = |t: f64| f64::from(d) * t.powi((d - 1).max(0));
                let t = 1.1;
                let past: Vec<Vec<f64>> = (1..=3).map(|k| vec![f(t - f64::from(k) * h)]).collect();
                let mut known = [0.0];
                method.known_part(h, &past, &[rate(t - h)], &mut known);
                let found = method.leading(h) * f(t) + known[0];
                assert!((found - rate(t)).abs() < 1e-12, "{method:?} {d}: {found}");
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for m in Method::ALL {
            assert_eq!(Method::from_name(m.name()), Some(m));
        }
        assert_eq!(Method::from_name("rt-bdf4"), None);
    }
}
