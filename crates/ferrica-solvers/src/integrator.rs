//! The face that all integrators share: options, outcomes, statistics, errors and the `Integrator` trait.
//!
//! An integrator advances one accepted step a call and never beyond the time it is given, so the event loop that drives
//! it stays in control. Integration is forward in time only.

use crate::linear::Singular;
use crate::system::EvalError;

/// Accuracy and limits of an integration.
#[derive(Clone, Debug)]
pub struct Options {
    pub rtol: f64,
    /// Absolute tolerance of each unknown; one number holds for all.
    pub atol: Vec<f64>,
    /// The relative tolerance is in parts of the largest value of an unknown so far, not of its present one (implicit methods).
    pub lasting_scale: bool,
    /// No step is longer than this (delays, sampled inputs).
    pub h_max: f64,
    /// First step after `init`; chosen from the data if not given.
    pub h_init: Option<f64>,
    /// Step of the fixed-step methods.
    pub h_fixed: f64,
    /// Highest order of variable-order methods (1 to 5).
    pub max_order: usize,
    /// Leave algebraic unknowns of a DAE out of the error test.
    pub exclude_algebraic: bool,
    /// Look for root functions that cross zero twice inside of one step, at the cost of an evaluation where that is conceivable.
    pub interior_roots: bool,
}

impl Options {
    pub fn new(rtol: f64, atol: f64) -> Options {
        Options {
            rtol,
            atol: vec![atol],
            lasting_scale: false,
            h_max: f64::INFINITY,
            h_init: None,
            h_fixed: 1e-3,
            max_order: 5,
            exclude_algebraic: true,
            interior_roots: true,
        }
    }

    /// Absolute tolerances from the unknowns' nominal magnitudes: `rtol · |nominal|`.
    pub fn with_nominal(rtol: f64, nominal: &[f64]) -> Options {
        let atol = nominal
            .iter()
            .map(|v| rtol * if *v != 0.0 { v.abs() } else { 1.0 })
            .collect();
        Options {
            atol,
            ..Options::new(rtol, rtol)
        }
    }

    /// Absolute tolerance of an unknown.
    pub fn atol(&self, i: usize) -> f64 {
        self.atol
            .get(i)
            .or(self.atol.last())
            .copied()
            .unwrap_or(self.rtol)
    }
}

/// How a call of `step` ended. `Integrator::t` tells where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepOutcome {
    /// One step was accepted.
    Stepped,
    /// The time given as limit was reached exactly.
    ReachedTstop,
    /// Root functions changed sign; `t` is right behind the earliest change and
    /// `Integrator::roots_found` lists all functions that change there.
    RootFound { t: f64 },
}

/// A root function that changed sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootHit {
    pub index: usize,
    /// From negative to positive.
    pub rising: bool,
}

/// Work done since `init`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    pub steps: u64,
    /// Steps repeated because the error was too large.
    pub error_failures: u64,
    /// Steps repeated because Newton's iteration or an evaluation failed.
    pub convergence_failures: u64,
    /// Right-hand sides or residuals, those for difference Jacobians included.
    pub evaluations: u64,
    pub jacobians: u64,
    pub factorizations: u64,
    /// Factorizations in which pivots had to be searched.
    pub pivot_searches: u64,
    pub newton_iterations: u64,
    pub root_evaluations: u64,
    pub restarts: u64,
    /// Steps of an explicit method that sat at its boundary of stability.
    pub stiff_steps: u64,
    /// An unknown for which the fixed steps are too long to mean anything.
    pub meaningless: Option<crate::fixed_step::Meaningless>,
    /// Steps of a given size that lead away from the solution.
    pub drift: Option<crate::fixed_step::Drift>,
    /// How often each unknown had the largest error in a failed error test.
    pub failures_by_variable: Vec<u32>,
}

impl Statistics {
    /// The unknown that most often made the error test fail.
    pub fn worst_variable(&self) -> Option<usize> {
        let best = self
            .failures_by_variable
            .iter()
            .enumerate()
            .max_by_key(|&(_, c)| *c)?;
        (*best.1 > 0).then_some(best.0)
    }
}

/// Why an integration cannot go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverError {
    /// The system said that no step size will help.
    Evaluation { t: f64, code: u32 },
    /// The error test failed repeatedly or the step became smaller than time can resolve; `variable` has the largest error.
    ErrorTest { t: f64, h: f64, variable: usize },
    /// Newton's iteration did not converge at the smallest step; `variable` had the largest correction.
    Convergence { t: f64, h: f64, variable: usize },
    /// Evaluations failed (recoverably) at the smallest step.
    RepeatedEvaluation { t: f64, h: f64, code: u32 },
    /// The iteration matrix is singular at the smallest step.
    Singular { t: f64, h: f64, cause: Singular },
    /// A number at the start is not finite, or sizes or times do not fit.
    Input { t: f64, what: &'static str },
}

impl std::fmt::Display for SolverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            SolverError::Evaluation { t, code } => {
                write!(f, "evaluation failed at t = {t} (code {code})")
            }
            SolverError::ErrorTest { t, h, variable } => {
                write!(
                    f,
                    "error test fails at t = {t} with step {h:e}; variable {variable}"
                )
            }
            SolverError::Convergence { t, h, variable } => {
                write!(
                    f,
                    "no convergence at t = {t} with step {h:e}; variable {variable}"
                )
            }
            SolverError::RepeatedEvaluation { t, h, code } => {
                write!(
                    f,
                    "evaluation keeps failing at t = {t} with step {h:e} (code {code})"
                )
            }
            SolverError::Singular { t, h, cause } => {
                write!(f, "{cause} at t = {t} with step {h:e}")
            }
            SolverError::Input { t, what } => write!(f, "{what} at t = {t}"),
        }
    }
}

impl std::error::Error for SolverError {}

/// The solution as far as it is known, and how it came about.
pub trait Solution {
    /// Where the last call of `step` ended.
    fn t(&self) -> f64;
    /// The unknowns at `t`.
    fn y(&self) -> &[f64];
    /// Their derivatives at `t`.
    fn yp(&self) -> &[f64];

    /// The interval of the last step, in which `interpolate` is as accurate as the method. It may end
    /// behind `t` when roots were found.
    fn interval(&self) -> (f64, f64);
    fn interpolate(&self, t: f64, y: &mut [f64]);
    /// The same of some of the unknowns, in the order of `which`.
    fn interpolate_some(&self, t: f64, which: &[usize], y: &mut [f64]);
    fn interpolate_derivative(&self, t: f64, yp: &mut [f64]);
    /// What `interpolate` evaluates, for those that keep it: appends its coefficients.
    fn newton_form(&self, coefficients: &mut Vec<f64>) -> NewtonForm;

    /// Root functions that changed sign at `t`, in ascending order; empty unless the last outcome was `RootFound`.
    fn roots_found(&self) -> &[RootHit];

    /// Length of the last step.
    fn last_step(&self) -> f64;
    /// Order of the last step.
    fn order(&self) -> usize;
    fn options(&self) -> &Options;
    /// A new bound holds from the next step on.
    fn set_h_max(&mut self, h_max: f64);
    /// New absolute tolerances hold from the next step on.
    fn set_atol(&mut self, atol: &[f64]);
    fn statistics(&self) -> &Statistics;
    /// The unknown with the largest error in the last step that was tried.
    fn controlling_variable(&self) -> Option<usize>;
    /// The root functions have changed, not the solution: `step` goes on, and looks for the roots of the new ones.
    fn renew_roots(&mut self);
    /// True when an explicit method finds that stability, not accuracy, bounds its steps.
    fn stiffness_detected(&self) -> bool {
        false
    }
}

/// The highest degree of a dense output: that of BDF.
pub const MOST_DEGREE: usize = 5;

/// The dense output of a step in Newton's form: c_0 + x_0 (c_1 + x_1 (c_2 + …)) with x_j = (t - node_j) · rate_j.
///
/// The coefficients are kept beside it: c_0 of all unknowns, c_1 of all unknowns, …
#[derive(Clone, Copy, Debug, Default)]
pub struct NewtonForm {
    pub degree: usize,
    /// Nodes and rates of the first `degree` factors.
    pub factors: [(f64, f64); MOST_DEGREE],
}

impl NewtonForm {
    pub(crate) fn new<const DEGREE: usize>(factors: [(f64, f64); DEGREE]) -> NewtonForm {
        let mut form = NewtonForm {
            degree: DEGREE,
            ..NewtonForm::default()
        };
        form.factors[..DEGREE].copy_from_slice(&factors);
        form
    }

    /// The factors x_j at a time; those beyond the degree mean nothing.
    pub fn at(&self, t: f64) -> [f64; MOST_DEGREE] {
        self.factors.map(|(node, rate)| (t - node) * rate)
    }
}

/// A method that marches a system of type `S` through time.
pub trait Integrator<S: ?Sized>: Solution {
    /// Starts at `t`. `yp` is read by methods for DAEs only, and must then be consistent.
    fn init(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError>;

    /// Starts again after the system or the unknowns have changed. What is known of the step size is kept; statistics go on.
    fn reinit(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError>;

    /// Takes one step, not beyond `tstop`. After `RootFound` the integration may go on without `reinit`.
    fn step(&mut self, system: &mut S, tstop: f64) -> Result<StepOutcome, SolverError>;
}

impl EvalError {
    pub(crate) fn at(self, t: f64, h: f64) -> SolverError {
        match self {
            EvalError::Recoverable(code) => SolverError::RepeatedEvaluation { t, h, code },
            EvalError::Fatal(code) => SolverError::Evaluation { t, code },
        }
    }
}
