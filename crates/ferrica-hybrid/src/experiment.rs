//! What to run: times, accuracy, solver, values set from outside.

use std::sync::Arc;

use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};

use crate::error::SimError;
use crate::snapshot::Snapshot;

/// Integration methods by the names of the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverKind {
    #[default]
    Auto,
    Bdf,
    Radau,
    Dopri5,
    Rk4,
    Euler,
}

impl SolverKind {
    pub const NAMES: [&'static str; 6] = ["auto", "bdf", "radau", "dopri5", "rk4", "euler"];

    pub fn from_name(name: &str) -> Option<SolverKind> {
        Some(match name {
            "auto" => SolverKind::Auto,
            "bdf" => SolverKind::Bdf,
            "radau" => SolverKind::Radau,
            "dopri5" => SolverKind::Dopri5,
            "rk4" => SolverKind::Rk4,
            "euler" => SolverKind::Euler,
            _ => return None,
        })
    }

    pub fn name(self) -> &'static str {
        SolverKind::NAMES[self as usize]
    }

    /// The steps are given, not found from a tolerance.
    pub fn has_fixed_steps(self) -> bool {
        matches!(self, SolverKind::Rk4 | SolverKind::Euler)
    }
}

#[derive(Clone, Debug)]
pub struct Experiment {
    pub start: f64,
    pub stop: f64,
    pub tolerance: f64,
    /// Distance of output points.
    pub interval: f64,
    pub solver: SolverKind,
    /// Step of the fixed-step methods; the output interval if not given.
    pub step: Option<f64>,
    /// Parameters and start values by name.
    pub values: Vec<(String, f64)>,
    /// Slots that the results need; all variables if not given.
    pub wanted: Option<Vec<Slot>>,
    /// Go on from here instead of the initial state.
    pub from: Option<Arc<Snapshot>>,
    /// Top-level inputs that jump to these values where the run goes on.
    pub arriving: Vec<(Slot, f64)>,
    /// Another stage follows: the end is not that of the run.
    pub more: bool,
    /// With `from`: what has been initialized at its origin with the same values, and need not be again.
    pub initialized: Option<Initialized>,
}

/// An evaluator after initialization: parameters, objects, factors.
#[derive(Clone)]
pub struct Initialized(pub Arc<Evaluator>);

impl std::fmt::Debug for Initialized {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Initialized")
    }
}

/// Output points of an experiment that does not say.
const DEFAULT_INTERVALS: f64 = 500.0;

impl Experiment {
    /// Is there a span of time to go through?
    pub fn check_times(&self) -> Result<(), SimError> {
        let (start, stop) = (self.start, self.stop);
        if start <= stop && start.is_finite() && stop.is_finite() {
            return Ok(());
        }
        let text = format!("the stop time {stop} is before the start time {start}");
        Err(SimError::new("E0702", start, Failure::new(text)))
    }

    /// The experiment of the model's annotation: else 0…1, 1e-6, 500 intervals.
    pub fn of(model: &CompiledModel) -> Experiment {
        let e = &model.source.experiment;
        let start = e.start_time.unwrap_or(0.0);
        let stop = e.stop_time.unwrap_or(start + 1.0);
        Experiment {
            start,
            stop,
            tolerance: e.tolerance.unwrap_or(1e-6),
            interval: e.interval.unwrap_or((stop - start) / DEFAULT_INTERVALS),
            solver: SolverKind::Auto,
            step: None,
            values: Vec::new(),
            wanted: None,
            from: None,
            arriving: Vec::new(),
            more: false,
            initialized: None,
        }
    }
}
