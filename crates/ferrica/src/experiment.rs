//! What to run: times, accuracy, solver, variables to keep.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::error::Error;
use crate::options::{EventRows, ExperimentOptions, Solver, SolverOptions};

/// How a model is run. What is not said comes from the model's `experiment` annotation, else: from 0 to 1, tolerance
/// 1e-6, 500 output intervals, the solver `auto`.
///
/// ```
/// use ferrica::Experiment;
/// let plan = Experiment::default().stop(10.0).tolerance(1e-8).solver("radau")?.interval(0.1).keep(["C.*"]);
/// # Ok::<(), ferrica::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Experiment {
    pub(crate) span: ExperimentOptions,
    pub(crate) solver: SolverOptions,
    pub(crate) keep: Vec<String>,
    pub(crate) event_rows: EventRows,
    pub(crate) interrupt: Option<Arc<AtomicBool>>,
}

impl Experiment {
    /// The time at which the run begins.
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().start(-1.0);
    /// ```
    pub fn start(mut self, time: f64) -> Experiment {
        self.span.start = Some(time);
        self
    }

    /// The time at which it ends.
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().stop(2.5);
    /// ```
    pub fn stop(mut self, time: f64) -> Experiment {
        self.span.stop = Some(time);
        self
    }

    /// Relative tolerance of the variable-step solvers.
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().tolerance(1e-9);
    /// ```
    pub fn tolerance(mut self, tolerance: f64) -> Experiment {
        self.span.tol = Some(tolerance);
        self
    }

    /// Time between output points.
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().interval(0.01);
    /// ```
    pub fn interval(mut self, interval: f64) -> Experiment {
        (self.span.interval, self.span.points) = (Some(interval), None);
        self
    }

    /// Number of output intervals.
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().points(100);
    /// ```
    pub fn points(mut self, points: usize) -> Experiment {
        (self.span.interval, self.span.points) = (None, Some(points));
        self
    }

    /// The method, by the name it has on the command line; [`solvers`] lists them.
    ///
    /// ```
    /// use ferrica::Experiment;
    /// assert!(Experiment::default().solver("qss2").is_ok());
    /// assert_eq!(Experiment::default().solver("qss9").unwrap_err().code(), "E0731");
    /// ```
    pub fn solver(mut self, name: &str) -> Result<Experiment, Error> {
        self.solver.solver =
            Solver::from_word(name).ok_or_else(|| Error::unknown("solver", name, solvers()))?;
        Ok(self)
    }

    /// Step of the fixed-step and real-time solvers.
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().solver("rk4")?.step(1e-3);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn step(mut self, step: f64) -> Experiment {
        self.solver.step = Some(step);
        self
    }

    /// Keeps only variables whose name matches one of the patterns (`*` and `?`).
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().keep(["C.v", "R*.i"]);
    /// ```
    pub fn keep<S: Into<String>>(mut self, patterns: impl IntoIterator<Item = S>) -> Experiment {
        self.keep.extend(patterns.into_iter().map(Into::into));
        self
    }

    /// Are there rows right before and right after each event? There are, unless this says otherwise.
    ///
    /// ```
    /// let plan = ferrica::Experiment::default().event_rows(false);
    /// ```
    pub fn event_rows(mut self, wanted: bool) -> Experiment {
        self.event_rows = if wanted {
            EventRows::On
        } else {
            EventRows::Off
        };
        self
    }

    /// The run ends with an error once this flag is set; it is looked at after every step.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// let stop = Arc::new(AtomicBool::new(false));
    /// let plan = ferrica::Experiment::default().stop_when(stop.clone());
    /// ```
    pub fn stop_when(mut self, flag: Arc<AtomicBool>) -> Experiment {
        self.interrupt = Some(flag);
        self
    }

    /// All settings of the solver, for what the other methods do not name.
    ///
    /// ```
    /// let mut plan = ferrica::Experiment::default().solver("rt-bdf2")?.step(1e-3);
    /// plan.solver_options().iterations = Some(2);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn solver_options(&mut self) -> &mut SolverOptions {
        &mut self.solver
    }
}

/// The names of all solvers.
///
/// ```
/// assert!(ferrica::solvers().any(|s| s == "bdf"));
/// ```
pub fn solvers() -> impl Iterator<Item = &'static str> {
    Solver::WORDS.iter().map(|(word, _)| *word)
}
