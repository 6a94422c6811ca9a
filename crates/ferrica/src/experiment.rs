//! What to run: times, accuracy, solver, variables to keep.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
use crate::options::{EventRows, ExperimentOptions, Solver, SolverOptions};
use crate::signal::Signal;

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
    pub(crate) interrupt: Option<Interrupt>,
    pub(crate) watch: Option<Watch>,
    pub(crate) inputs: Vec<(String, Signal)>,
    pub(crate) steady: bool,
}

/// Asked after every step: should the run end?
#[derive(Clone)]
pub(crate) struct Interrupt(Arc<dyn Fn() -> bool + Send + Sync>);

impl Interrupt {
    pub fn asked(&self) -> bool {
        (self.0)()
    }
}

/// Told the time of every row.
#[derive(Clone)]
pub(crate) struct Watch(Arc<dyn Fn(f64) + Send + Sync>);

impl Watch {
    pub fn tell(&self, time: f64) {
        (self.0)(time);
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
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
    pub fn stop_when(self, flag: Arc<AtomicBool>) -> Experiment {
        self.stop_if(move || flag.load(Ordering::Relaxed))
    }

    /// The run ends with an error once this says so; it is asked after every step.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// let began = Instant::now();
    /// let plan = ferrica::Experiment::default().stop_if(move || began.elapsed() > Duration::from_secs(10));
    /// ```
    pub fn stop_if(mut self, asked: impl Fn() -> bool + Send + Sync + 'static) -> Experiment {
        self.interrupt = Some(Interrupt(Arc::new(asked)));
        self
    }

    /// Is told the time of each row as soon as the run has it.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// let times = Arc::new(Mutex::new(Vec::new()));
    /// let told = Arc::clone(&times);
    /// let plan = ferrica::Experiment::default().points(4).watch(move |t| told.lock().unwrap().push(t));
    /// ferrica::Model::from_text("model M Real x = time; end M;")?.simulate(&plan)?;
    /// assert_eq!(*times.lock().unwrap(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn watch(mut self, told: impl Fn(f64) + Send + Sync + 'static) -> Experiment {
        self.watch = Some(Watch(Arc::new(told)));
        self
    }

    /// What a top-level input does during the run: a number, or values over time.
    ///
    /// ```
    /// use ferrica::{Experiment, Model, Signal};
    /// let model = Model::from_text("model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; end M;")?;
    /// let ramp = Signal::linear(vec![0.0, 1.0], vec![0.0, 2.0])?;
    /// let run = model.simulate(&Experiment::default().input("u", ramp))?;
    /// assert!((run.at("x", 1.0)? - 1.0).abs() < 1e-6);
    /// let run = model.simulate(&Experiment::default().input("u", 3.0))?;
    /// assert!((run.at("x", 1.0)? - 3.0).abs() < 1e-6);
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn input(mut self, name: impl Into<String>, signal: impl Into<Signal>) -> Experiment {
        let name = name.into();
        self.inputs.retain(|(n, _)| *n != name);
        self.inputs.push((name, signal.into()));
        self
    }

    /// Does the run begin at rest, at the operating point that [`crate::Model::steady_state`] finds, not at the model's own start?
    ///
    /// ```
    /// use ferrica::{Experiment, Model};
    /// let model = Model::from_text("model M Real x(start = 0, fixed = true); equation der(x) = 2 - x; end M;")?;
    /// let run = model.simulate(&Experiment::default().steady(true))?;
    /// assert!(run["x"].iter().all(|x| (x - 2.0).abs() < 1e-9));
    /// # Ok::<(), ferrica::Error>(())
    /// ```
    pub fn steady(mut self, wanted: bool) -> Experiment {
        self.steady = wanted;
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
