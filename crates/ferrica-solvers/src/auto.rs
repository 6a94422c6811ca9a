//! Starts with Dormand–Prince and changes to BDF for good once the problem proves stiff.
//!
//! The change happens between steps, at the end of an accepted one; the caller does not notice but for `order` and `is_implicit`.

use crate::bdf::BdfOde;
use crate::dopri5::Dopri5;
use crate::integrator::{Integrator, Options, Solution, SolverError, StepOutcome};
use crate::pair::Pair;
use crate::stepper::State;
use crate::system::OdeSystem;

/// Explicit while that is cheap, implicit from then on.
#[derive(Clone, Debug)]
pub struct Auto {
    explicit: Dopri5,
    implicit: BdfOde,
    stiff: bool,
}

impl Auto {
    pub fn new(options: Options) -> Auto {
        Auto {
            explicit: Dopri5::new(options.clone()),
            implicit: BdfOde::new(options),
            stiff: false,
        }
    }

    /// Whether BDF has taken over.
    pub fn is_implicit(&self) -> bool {
        self.stiff
    }

    fn take_over<S: OdeSystem + ?Sized>(&mut self, system: &mut S) -> Result<(), SolverError> {
        let (t, y) = (self.explicit.t(), self.explicit.y());
        self.implicit.init(system, t, y, &[])?;
        let done = self.explicit.statistics().clone();
        *self.implicit.method.statistics_mut() = done;
        self.stiff = true;
        Ok(())
    }
}

impl Pair for Auto {
    fn current(&self) -> &dyn Solution {
        if self.stiff {
            &self.implicit
        } else {
            &self.explicit
        }
    }

    fn both(&mut self) -> [&mut dyn Solution; 2] {
        [&mut self.explicit, &mut self.implicit]
    }

    fn is_stiff(&self) -> bool {
        self.stiff
    }
}

impl<S: OdeSystem + ?Sized> Integrator<S> for Auto {
    fn init(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError> {
        // A mass matrix leaves no choice.
        self.stiff = (0..system.n()).any(|i| system.mass(i) != 1.0);
        if self.stiff {
            self.implicit.init(system, t, y, yp)
        } else {
            self.explicit.init(system, t, y, yp)
        }
    }

    fn reinit(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError> {
        if self.stiff {
            self.implicit.reinit(system, t, y, yp)
        } else {
            self.explicit.reinit(system, t, y, yp)
        }
    }

    fn step(&mut self, system: &mut S, tstop: f64) -> Result<StepOutcome, SolverError> {
        if !self.stiff {
            let between = self.explicit.t() >= self.explicit.interval().1;
            if !between || !self.explicit.stiffness_detected() {
                match self.explicit.step(system, tstop) {
                    // What no explicit step can do an implicit one may.
                    Err(SolverError::ErrorTest { .. }) => {}
                    outcome => return outcome,
                }
            }
            self.take_over(system)?;
        }
        self.implicit.step(system, tstop)
    }
}
