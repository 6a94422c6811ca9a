//! What all methods share around a step: root search, the time limit, output at the end of a step.
//!
//! A `Method` only knows how to take one accepted step and to interpolate in it; `Stepper` makes an
//! `Integrator` of it. Invariant: `t_ret`, where the caller stands, is never behind the method's own time, and before
//! it only after a root was found or the limit was moved back into the last step; ahead of it by a few roundings at most.

use crate::integrator::{
    Integrator, NewtonForm, Options, RootHit, Solution, SolverError, Statistics, StepOutcome,
};
use crate::roots::RootFinder;
use crate::system::{EvalError, RootFunctions};
use crate::vectors::all_finite;

/// Times that differ relatively by less than this are one: a few roundings.
const SAME_TIME: f64 = 8.0 * f64::EPSILON;

/// What can be asked of a method between steps, whatever system it works on.
pub trait State {
    /// Beginning and end of the last step.
    fn interval(&self) -> (f64, f64);
    /// Unknowns and derivatives at the end of the last step.
    fn end_values(&self) -> (&[f64], &[f64]);
    /// Derivatives at the beginning of the last step, if they are kept.
    fn begin_derivatives(&self) -> Option<&[f64]> {
        None
    }
    fn interpolate(&self, t: f64, y: &mut [f64]);
    /// Some of the unknowns, in the order of `which`.
    fn interpolate_some(&self, t: f64, which: &[usize], y: &mut [f64]) {
        let mut all = vec![0.0; self.end_values().0.len()];
        self.interpolate(t, &mut all);
        for (y, &k) in y.iter_mut().zip(which) {
            *y = all[k];
        }
    }
    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]);
    /// See [`Solution::newton_form`].
    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm;
    fn order(&self) -> usize;
    fn options(&self) -> &Options;
    fn options_mut(&mut self) -> &mut Options;
    fn statistics(&self) -> &Statistics;
    fn statistics_mut(&mut self) -> &mut Statistics;
    fn controlling_variable(&self) -> Option<usize>;
    fn stiffness_detected(&self) -> bool {
        false
    }
}

/// One integration formula with its step-size control.
pub trait Method<S: ?Sized>: State {
    /// Starts at `t`; `again` after an event.
    fn start(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &[f64],
        again: bool,
    ) -> Result<(), SolverError>;
    /// Takes one accepted step that ends at `tstop` at the latest.
    fn advance(&mut self, system: &mut S, tstop: f64) -> Result<(), SolverError>;
    /// Of the last step the values at `t`, where these events were found, are used: goes back to its beginning and returns true where a shorter step is needed for that.
    fn take_shorter(
        &mut self,
        _system: &mut S,
        _t: f64,
        _hits: &[RootHit],
    ) -> Result<bool, EvalError> {
        Ok(false)
    }
}

/// An integrator made of a method.
#[derive(Clone, Debug)]
pub struct Stepper<M> {
    pub(crate) method: M,
    t_ret: f64,
    y: Vec<f64>,
    yp: Vec<f64>,
    roots: RootFinder,
    /// Whether `y`, `yp` hold the values at `t_ret`, rather than the method.
    inside: bool,
}

impl<M> Stepper<M> {
    pub fn of(method: M) -> Stepper<M> {
        Stepper {
            method,
            t_ret: 0.0,
            y: Vec::new(),
            yp: Vec::new(),
            roots: RootFinder::default(),
            inside: false,
        }
    }

    /// The method itself, for what only it knows.
    pub fn method(&self) -> &M {
        &self.method
    }

    fn begin<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
        y: &[f64],
        yp: &[f64],
        again: bool,
    ) -> Result<(), SolverError>
    where
        M: Method<S>,
    {
        if !t.is_finite() || !all_finite(y) || !all_finite(yp) {
            return Err(SolverError::Input {
                t,
                what: "a start value is not finite",
            });
        }
        self.method.start(system, t, y, yp, again)?;
        self.t_ret = t;
        self.inside = false;
        self.y.resize(y.len(), 0.0);
        self.yp.resize(y.len(), 0.0);
        self.roots.restart(system.n_roots());
        if again {
            self.method.statistics_mut().restarts += 1;
        }
        Ok(())
    }

    /// The first change of a root function in what is left of the last step.
    fn search<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        tstop: f64,
    ) -> Result<Option<f64>, SolverError>
    where
        M: Method<S>,
    {
        let t_end = self.method.interval().1;
        let end = t_end.min(tstop);
        let Stepper {
            method,
            roots,
            y,
            yp,
            inside,
            ..
        } = self;
        let interior = method.options().interior_roots;
        let begins = if *inside {
            Some(&yp[..])
        } else {
            method.begin_derivatives()
        };
        if let Some(begins) = begins.filter(|_| end == t_end) {
            let ends = method.end_values().1;
            roots.set_rates(|lo, hi| system.root_rates(begins, lo) && system.root_rates(ends, hi));
        }
        let derivatives = system.roots_read_derivatives();
        let mut eval = |t: f64, which: Option<&[usize]>, g: &mut [f64]| {
            let (y, yp) = if t == t_end {
                method.end_values()
            } else {
                method.interpolate(t, y);
                if derivatives {
                    method.interpolate_derivative(t, yp);
                }
                (&y[..], &yp[..])
            };
            match which {
                Some(which) => system.some_roots(t, y, yp, which, g),
                None if t == t_end => system.roots(t, y, yp, g),
                None => system.roots_inside(t, y, yp, g),
            }
        };
        let found = roots
            .search(self.t_ret, end, interior, &mut eval)
            .map_err(|e| e.at(self.t_ret, end - self.t_ret))?;
        let evaluations = roots.take_evaluations();
        self.method.statistics_mut().root_evaluations += evaluations;
        Ok(found)
    }
}

impl<S: RootFunctions + ?Sized, M: Method<S>> Integrator<S> for Stepper<M> {
    fn init(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError> {
        self.begin(system, t, y, yp, false)
    }

    fn reinit(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError> {
        self.begin(system, t, y, yp, true)
    }

    fn step(&mut self, system: &mut S, tstop: f64) -> Result<StepOutcome, SolverError> {
        self.roots.clear_hits();
        if tstop.is_nan() || tstop < self.t_ret {
            return Err(SolverError::Input {
                t: self.t_ret,
                what: "the time limit has passed",
            });
        }
        if tstop == self.t_ret {
            return Ok(StepOutcome::ReachedTstop);
        }
        if self.t_ret >= self.method.interval().1 {
            if tstop - self.t_ret <= SAME_TIME * tstop.abs() {
                // A step of a few roundings has no meaning and would spoil the history.
                self.t_ret = tstop;
                return Ok(StepOutcome::ReachedTstop);
            }
            self.method.advance(system, tstop)?;
        }
        let found = loop {
            let found = self.search(system, tstop)?;
            let Some(t) = found.filter(|&t| t < self.method.interval().1) else {
                break found;
            };
            let hits = self.roots.hits();
            let whole = self.t_ret == self.method.interval().0;
            let shorter = whole && {
                let shorter = self.method.take_shorter(system, t, hits);
                shorter.map_err(|e| e.at(self.t_ret, t - self.t_ret))?
            };
            if !shorter {
                break found;
            }
            self.roots.renew();
            self.method.advance(system, tstop)?;
        };
        let t_end = self.method.interval().1;
        self.t_ret = found.unwrap_or(t_end.min(tstop));
        self.inside = self.t_ret < t_end;
        if self.inside {
            self.method.interpolate(self.t_ret, &mut self.y);
            self.method.interpolate_derivative(self.t_ret, &mut self.yp);
        }
        Ok(match found {
            Some(t) => StepOutcome::RootFound { t },
            None if self.t_ret == tstop => StepOutcome::ReachedTstop,
            None => StepOutcome::Stepped,
        })
    }
}

impl<M: State> Solution for Stepper<M> {
    fn t(&self) -> f64 {
        self.t_ret
    }

    fn y(&self) -> &[f64] {
        if self.inside {
            &self.y
        } else {
            self.method.end_values().0
        }
    }

    fn yp(&self) -> &[f64] {
        if self.inside {
            &self.yp
        } else {
            self.method.end_values().1
        }
    }

    fn interval(&self) -> (f64, f64) {
        self.method.interval()
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        self.method.interpolate(t, y);
    }

    fn interpolate_some(&self, t: f64, which: &[usize], y: &mut [f64]) {
        self.method.interpolate_some(t, which, y);
    }

    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]) {
        self.method.interpolate_derivative(t, yp);
    }

    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm {
        self.method.newton_form(coefficients)
    }

    fn roots_found(&self) -> &[RootHit] {
        self.roots.hits()
    }

    fn last_step(&self) -> f64 {
        let (a, b) = self.method.interval();
        b - a
    }

    fn order(&self) -> usize {
        self.method.order()
    }

    fn options(&self) -> &Options {
        self.method.options()
    }

    fn set_h_max(&mut self, h_max: f64) {
        self.method.options_mut().h_max = h_max;
    }

    fn set_atol(&mut self, atol: &[f64]) {
        let known = &mut self.method.options_mut().atol;
        known.clear();
        known.extend_from_slice(atol);
    }

    fn statistics(&self) -> &Statistics {
        self.method.statistics()
    }

    fn controlling_variable(&self) -> Option<usize> {
        self.method.controlling_variable()
    }

    fn renew_roots(&mut self) {
        self.roots.renew();
    }

    fn stiffness_detected(&self) -> bool {
        self.method.stiffness_detected()
    }
}
