//! Explicit Euler and the classical Runge–Kutta method of order four with a fixed step.
//!
//! The grid is counted from the last start, so rounding does not accumulate; a step that would pass the time
//! limit is cut there and a new grid begins. Dense output: linear for Euler, cubic Hermite for Runge–Kutta.
//! Steps that are too long for the model are noticed ([`halves`], [`drift`]) and told by the statistics.

mod drift;
mod halves;

use crate::equidistant::Equidistant;
use crate::integrator::{NewtonForm, Options, SolverError, Statistics};
use crate::stepper::{Method, State, Stepper};
use crate::system::{EvalError, OdeSystem};
pub use drift::Drift;
use drift::Estimate;
use halves::Halves;
pub use halves::Meaningless;

/// Shorter steps than this part of the given one were cut by the time limit.
const CUT_SHORT: f64 = 0.99;

/// A fixed-step method as an integrator; the step is `Options::h_fixed`.
pub type FixedStep = Stepper<FixedStepMethod>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    Euler,
    RungeKutta4,
}

#[derive(Clone, Debug)]
pub struct FixedStepMethod {
    formula: Formula,
    options: Options,
    statistics: Statistics,
    t: f64,
    t_before: f64,
    /// The grid, and steps taken on it.
    grid: Equidistant,
    count: u64,
    y: Vec<f64>,
    y_before: Vec<f64>,
    /// Derivatives at the end and at the beginning of the last step.
    f: Vec<f64>,
    f_before: Vec<f64>,
    work: Work,
    halves: Option<Halves>,
    estimate: Option<Estimate>,
    /// The middle and the end of a step that is taken in halves, and the derivatives in the middle.
    middle: Vec<f64>,
    f_middle: Vec<f64>,
    end: Vec<f64>,
    beside: Vec<f64>,
}

/// Argument, value and weighted sum of the stages of a step.
#[derive(Clone, Debug, Default)]
struct Work {
    stage: Vec<f64>,
    slope: Vec<f64>,
    sum: Vec<f64>,
}

impl Formula {
    /// From (t, y) with the derivatives `f`, a step `h` to `t_new`.
    fn step<S: OdeSystem + ?Sized>(
        self,
        system: &mut S,
        (t, h, t_new): (f64, f64, f64),
        (y, f): (&[f64], &[f64]),
        work: &mut Work,
        out: &mut [f64],
    ) -> Result<(), EvalError> {
        if self == Formula::Euler {
            for ((out, y), f) in out.iter_mut().zip(y).zip(f) {
                *out = y + h * f;
            }
            return Ok(());
        }
        work.sum.copy_from_slice(f);
        work.slope.copy_from_slice(f);
        // Classical weights 1/6 1/3 1/3 1/6 at 0, ½, ½, 1.
        for (c, weight, t) in [
            (0.5, 2.0, t + 0.5 * h),
            (0.5, 2.0, t + 0.5 * h),
            (1.0, 1.0, t_new),
        ] {
            for (i, y) in y.iter().enumerate() {
                work.stage[i] = y + c * h * work.slope[i];
            }
            system.rhs(t, &work.stage, &mut work.slope)?;
            for (s, k) in work.sum.iter_mut().zip(&work.slope) {
                *s += weight * k;
            }
        }
        for ((out, y), sum) in out.iter_mut().zip(y).zip(&work.sum) {
            *out = y + h / 6.0 * sum;
        }
        Ok(())
    }

    fn order(self) -> u32 {
        match self {
            Formula::Euler => 1,
            Formula::RungeKutta4 => 4,
        }
    }

    /// Evaluations of a step beside those of its ends.
    fn inner_evaluations(self) -> u64 {
        match self {
            Formula::Euler => 0,
            Formula::RungeKutta4 => 3,
        }
    }
}

impl FixedStep {
    pub fn euler(options: Options) -> FixedStep {
        FixedStep::with_formula(Formula::Euler, options)
    }

    pub fn runge_kutta4(options: Options) -> FixedStep {
        FixedStep::with_formula(Formula::RungeKutta4, options)
    }

    pub fn with_formula(formula: Formula, options: Options) -> FixedStep {
        Stepper::of(FixedStepMethod {
            formula,
            options,
            statistics: Statistics::default(),
            t: 0.0,
            t_before: 0.0,
            grid: Equidistant::new(0.0, 0.0),
            count: 0,
            y: Vec::new(),
            y_before: Vec::new(),
            f: Vec::new(),
            f_before: Vec::new(),
            work: Work::default(),
            halves: None,
            estimate: None,
            middle: Vec::new(),
            f_middle: Vec::new(),
            end: Vec::new(),
            beside: Vec::new(),
        })
    }
}

impl FixedStepMethod {
    fn begin_grid(&mut self, origin: f64, h: f64) {
        (self.grid, self.count) = (Equidistant::new(origin, h), 0);
    }

    fn take_step<S: OdeSystem + ?Sized>(
        &mut self,
        system: &mut S,
        h: f64,
        t_new: f64,
    ) -> Result<(), EvalError> {
        let from = (&self.y_before[..], &self.f_before[..]);
        self.statistics.evaluations += self.formula.inner_evaluations();
        (self.formula).step(
            system,
            (self.t, h, t_new),
            from,
            &mut self.work,
            &mut self.y,
        )?;
        if let Some(estimate) = &mut self.estimate {
            estimate.step(&self.y);
        }
        // A step that was cut short says nothing about the others.
        if h > CUT_SHORT * self.grid.period && self.halves.as_mut().is_some_and(Halves::is_due) {
            self.look_at_halves(system, h, t_new);
        }
        self.statistics.evaluations += 1;
        system.rhs(t_new, &self.y, &mut self.f)
    }

    /// The last step again in halves; where they cannot be evaluated nothing is said.
    fn look_at_halves<S: OdeSystem + ?Sized>(&mut self, system: &mut S, h: f64, t_new: f64) {
        let (t, half, formula) = (self.t, 0.5 * h, self.formula);
        let (work, from) = (&mut self.work, (&self.y_before[..], &self.f_before[..]));
        self.statistics.evaluations += 1 + 2 * formula.inner_evaluations();
        let first = (t, half, t + half);
        let done = formula
            .step(system, first, from, work, &mut self.middle)
            .and_then(|()| system.rhs(t + half, &self.middle, &mut self.f_middle))
            .and_then(|()| {
                let from = (&self.middle[..], &self.f_middle[..]);
                formula.step(system, (t + half, half, t_new), from, work, &mut self.end)
            });
        if let (Ok(()), Some(halves)) = (done, &mut self.halves) {
            let found = halves.look(t_new, &self.y_before, &self.y, &self.end);
            self.statistics.meaningless = self.statistics.meaningless.or(found);
            self.look_at_drift(system, h, t_new);
        }
    }

    /// The same step from beside its begin, after its halves have led to `end`.
    fn look_at_drift<S: OdeSystem + ?Sized>(&mut self, system: &mut S, h: f64, t_new: f64) {
        let formula = self.formula;
        let power = f64::from(1 << formula.order());
        for (i, end) in self.end.iter_mut().enumerate() {
            *end = (self.y[i] - *end) * power / (power - 1.0);
            self.middle[i] = self.y_before[i] + *end;
        }
        self.statistics.evaluations += 1 + formula.inner_evaluations();
        let mut beside = std::mem::take(&mut self.beside);
        let done = system
            .rhs(self.t, &self.middle, &mut self.f_middle)
            .and_then(|()| {
                let from = (&self.middle[..], &self.f_middle[..]);
                formula.step(
                    system,
                    (self.t, h, t_new),
                    from,
                    &mut self.work,
                    &mut beside,
                )
            });
        if let (Ok(()), Some(estimate)) = (done, &mut self.estimate) {
            estimate.look(&self.end, &self.y, &beside);
            self.statistics.drift = estimate.told();
        }
        self.beside = beside;
    }
}

impl<S: OdeSystem + ?Sized> Method<S> for FixedStepMethod {
    fn start(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        _yp: &[f64],
        again: bool,
    ) -> Result<(), SolverError> {
        let n = system.n();
        if y.len() != n {
            return Err(SolverError::Input {
                t,
                what: "wrong number of unknowns",
            });
        }
        if (0..n).any(|i| system.mass(i) != 1.0) {
            return Err(SolverError::Input {
                t,
                what: "an explicit method cannot have a mass matrix",
            });
        }
        if !(self.options.h_fixed > 0.0 && self.options.h_fixed.is_finite()) {
            return Err(SolverError::Input {
                t,
                what: "the fixed step must be positive",
            });
        }
        for v in [
            &mut self.y,
            &mut self.y_before,
            &mut self.f,
            &mut self.f_before,
            &mut self.work.stage,
            &mut self.work.slope,
            &mut self.work.sum,
            &mut self.middle,
            &mut self.f_middle,
            &mut self.end,
            &mut self.beside,
        ] {
            v.resize(n, 0.0);
        }
        if !again {
            self.statistics = Statistics {
                failures_by_variable: vec![0; n],
                ..Statistics::default()
            };
            self.halves = Some(Halves::new(y));
            self.estimate = Some(Estimate::new(y));
        }
        self.y.copy_from_slice(y);
        self.y_before.copy_from_slice(y);
        self.t = t;
        self.t_before = t;
        self.begin_grid(t, self.grid.period);
        self.statistics.evaluations += 1;
        system.rhs(t, y, &mut self.f).map_err(|e| e.at(t, 0.0))?;
        self.f_before.copy_from_slice(&self.f);
        Ok(())
    }

    fn advance(&mut self, system: &mut S, tstop: f64) -> Result<(), SolverError> {
        let h = self.options.h_fixed.min(self.options.h_max);
        if h != self.grid.period {
            self.begin_grid(self.t, h);
        }
        let mut t_new = self.grid.at((self.count + 1) as f64);
        self.count += 1;
        // A remainder that is only rounding belongs to this step.
        if t_new >= tstop - 1e-6 * h {
            if t_new > tstop + 1e-6 * h {
                self.begin_grid(tstop, h);
            }
            t_new = tstop;
        }
        let seen = system.look_ahead(self.t, t_new, &self.y, &self.options);
        if seen < t_new {
            t_new = seen;
            self.begin_grid(seen, h);
        }
        if t_new <= self.t {
            return Err(SolverError::Input {
                t: self.t,
                what: "the fixed step is below rounding",
            });
        }
        std::mem::swap(&mut self.y, &mut self.y_before);
        std::mem::swap(&mut self.f, &mut self.f_before);
        let h = t_new - self.t;
        self.take_step(system, h, t_new)
            .map_err(|e| e.at(self.t, h))?;
        if let Some(variable) = self.y.iter().position(|v| !v.is_finite()) {
            return Err(SolverError::ErrorTest {
                t: self.t,
                h,
                variable,
            });
        }
        self.statistics.steps += 1;
        self.t_before = self.t;
        self.t = t_new;
        Ok(())
    }
}

impl State for FixedStepMethod {
    fn interval(&self) -> (f64, f64) {
        (self.t_before, self.t)
    }

    fn end_values(&self) -> (&[f64], &[f64]) {
        (&self.y, &self.f)
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        let h = self.t - self.t_before;
        let s = if h > 0.0 {
            (t - self.t_before) / h
        } else {
            0.0
        };
        for (i, out) in y.iter_mut().enumerate() {
            let (a, b) = (self.y_before[i], self.y[i]);
            *out = a + s * (b - a);
            if self.formula == Formula::RungeKutta4 {
                let (fa, fb) = (h * self.f_before[i], h * self.f[i]);
                *out += s * (s - 1.0) * ((1.0 - 2.0 * s) * (b - a) + (s - 1.0) * fa + s * fb);
            }
        }
    }

    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm {
        let (begin, end, h) = (self.t_before, self.t, self.t - self.t_before);
        coefficients.extend_from_slice(&self.y_before);
        if h == 0.0 {
            return NewtonForm::default();
        }
        let ends = || self.y_before.iter().zip(&self.y);
        coefficients.extend(ends().map(|(a, b)| b - a));
        if self.formula == Formula::Euler {
            return NewtonForm::new([(begin, 1.0 / h)]);
        }
        let slopes = || ends().zip(self.f_before.iter().zip(&self.f));
        coefficients.extend(slopes().map(|((a, b), (fa, _))| b - a - h * fa));
        coefficients.extend(slopes().map(|((a, b), (fa, fb))| h * (fa + fb) - 2.0 * (b - a)));
        NewtonForm::new([begin, end, begin].map(|node| (node, 1.0 / h)))
    }

    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]) {
        let h = self.t - self.t_before;
        if h == 0.0 {
            yp.copy_from_slice(&self.f);
            return;
        }
        let s = (t - self.t_before) / h;
        for (i, out) in yp.iter_mut().enumerate() {
            let slope = (self.y[i] - self.y_before[i]) / h;
            let (fa, fb) = (self.f_before[i], self.f[i]);
            *out = match self.formula {
                Formula::Euler => fa + s * (fb - fa),
                Formula::RungeKutta4 => {
                    6.0 * s * (1.0 - s) * slope
                        + (1.0 - s) * (1.0 - 3.0 * s) * fa
                        + s * (3.0 * s - 2.0) * fb
                }
            };
        }
    }

    fn order(&self) -> usize {
        match self.formula {
            Formula::Euler => 1,
            Formula::RungeKutta4 => 4,
        }
    }

    fn options(&self) -> &Options {
        &self.options
    }

    fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    fn statistics_mut(&mut self) -> &mut Statistics {
        &mut self.statistics
    }

    fn controlling_variable(&self) -> Option<usize> {
        None
    }
}
