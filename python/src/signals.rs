//! Ctrl-C during a run: the run asks from time to time whether Python has received a signal.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ferrica::Experiment;
use pyo3::prelude::*;

/// Time between two looks; a person does not notice it.
pub const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What a handler of signals raised during a run.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// The exception, if there was one.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The experiment, such that its runs end when a handler raises.
    pub fn watch(&self, experiment: Experiment) -> Experiment {
        let (raised, last) = (self.0.clone(), Mutex::new(Instant::now()));
        experiment.stop_if(move || {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.elapsed() < LOOK_EVERY {
                return false;
            }
            *last = Instant::now();
            match Python::attach(|py| py.check_signals()) {
                Ok(()) => false,
                Err(e) => {
                    *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
                    true
                }
            }
        })
    }
}
