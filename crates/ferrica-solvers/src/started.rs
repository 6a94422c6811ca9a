//! BDF whose intervals begin with Dormand–Prince where events follow each other closely.
//!
//! A multistep method begins at order one with a short step. Where events come so often that it hardly leaves that phase (delayed
//! jumps, samplers), a one-step method of high order crosses the whole interval in a step or two, if the problem is not stiff on that
//! scale. So: after an interval that took BDF up to `SHORT_INTERVAL` steps, the next one is given to Dormand–Prince, at the same tolerances.
//! When that needs more than `MOST_STEPS` steps, fails, or sits at its boundary of stability, BDF goes on from the last accepted
//! point, and the next attempts wait for more and more events.
//!
//! Gear: Runge–Kutta starters for multistep methods, ACM TOMS 6 (1980).

use crate::bdf::BdfOde;
use crate::dopri5::Dopri5;
use crate::integrator::{Integrator, Options, Solution, SolverError, StepOutcome};
use crate::pair::Pair;
use crate::stepper::State;
use crate::system::OdeSystem;

/// An interval of at most so many steps is mostly start.
const SHORT_INTERVAL: u64 = 40;
/// Steps of the one-step method before BDF takes over.
const MOST_STEPS: u64 = 3;
/// Steps at its boundary of stability that end an attempt: here a wrong suspicion costs little.
const SIGNS_OF_STIFFNESS: u32 = 2;
/// Events without an attempt after the last of many failures.
const LONGEST_PAUSE: u32 = 256;

#[derive(Clone, Debug)]
pub struct BdfStarted {
    starter: Dopri5,
    bdf: BdfOde,
    /// Dormand–Prince has the present interval.
    starting: bool,
    /// A mass matrix: BDF only.
    never: bool,
    /// Steps in the present interval.
    steps: u64,
    /// Events before the next attempt, and before the one after a failure.
    pause: u32,
    next_pause: u32,
}

impl BdfStarted {
    pub fn new(options: Options) -> BdfStarted {
        BdfStarted {
            starter: Dopri5::new(options.clone()),
            bdf: BdfOde::new(options),
            starting: false,
            never: false,
            steps: 0,
            pause: 0,
            next_pause: 1,
        }
    }

    fn give_to_starter(&mut self, starting: bool) {
        if self.starting != starting {
            self.starting = starting;
            let one = self.starter.method.statistics_mut();
            std::mem::swap(one, self.bdf.method.statistics_mut());
        }
    }

    fn seems_stiff(&self) -> bool {
        self.starter.method.signs_of_stiffness() >= SIGNS_OF_STIFFNESS
    }

    /// An attempt was in vain: the next one waits longer.
    fn wait(&mut self) {
        self.pause = self.next_pause;
        self.next_pause = (2 * self.next_pause).min(LONGEST_PAUSE);
        self.starter.method.forget_stiffness();
    }

    fn hand_over<S: OdeSystem + ?Sized>(&mut self, system: &mut S) -> Result<(), SolverError> {
        self.wait();
        self.give_to_starter(false);
        let (t, y) = (self.starter.t(), self.starter.y());
        self.bdf.reinit(system, t, y, self.starter.yp())
    }
}

impl Pair for BdfStarted {
    fn current(&self) -> &dyn Solution {
        if self.starting {
            &self.starter
        } else {
            &self.bdf
        }
    }

    fn both(&mut self) -> [&mut dyn Solution; 2] {
        [&mut self.starter, &mut self.bdf]
    }
}

impl<S: OdeSystem + ?Sized> Integrator<S> for BdfStarted {
    fn init(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError> {
        self.never = (0..system.n()).any(|i| system.mass(i) != 1.0);
        self.starting = false;
        self.steps = 0;
        self.bdf.init(system, t, y, yp)
    }

    fn reinit(&mut self, system: &mut S, t: f64, y: &[f64], yp: &[f64]) -> Result<(), SolverError> {
        let attempt = if self.starting && self.seems_stiff() {
            self.wait();
            false
        } else if self.starting {
            self.next_pause = 1;
            true
        } else if self.pause > 0 {
            self.pause -= 1;
            false
        } else {
            !self.never && self.steps <= SHORT_INTERVAL
        };
        self.steps = 0;
        self.give_to_starter(attempt);
        if attempt {
            self.starter.reinit(system, t, y, yp)
        } else {
            self.bdf.reinit(system, t, y, yp)
        }
    }

    fn step(&mut self, system: &mut S, tstop: f64) -> Result<StepOutcome, SolverError> {
        let between = if self.starting {
            self.starter.t() >= self.starter.interval().1
        } else {
            self.bdf.t() >= self.bdf.interval().1
        };
        self.steps += u64::from(between);
        if self.starting {
            let enough = self.steps > MOST_STEPS || self.seems_stiff();
            if !(between && enough) {
                match self.starter.step(system, tstop) {
                    Err(SolverError::ErrorTest { .. } | SolverError::RepeatedEvaluation { .. }) => {
                    }
                    outcome => return outcome,
                }
            }
            self.hand_over(system)?;
        }
        self.bdf.step(system, tstop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{EvalError, RootFunctions};

    /// y' = −r (y − sin t) + cos t: y = sin t from y(0) = 0 on, whatever r.
    struct Follow(f64);

    impl RootFunctions for Follow {}

    impl OdeSystem for Follow {
        fn n(&self) -> usize {
            1
        }
        fn rhs(&mut self, t: f64, y: &[f64], ydot: &mut [f64]) -> Result<(), EvalError> {
            ydot[0] = -self.0 * (y[0] - t.sin()) + t.cos();
            Ok(())
        }
    }

    /// A restart every 0.01 s; the steps it took to t = 1.
    fn steps(rate: f64) -> u64 {
        let mut system = Follow(rate);
        let mut solver = BdfStarted::new(Options::new(1e-6, 1e-6));
        solver.init(&mut system, 0.0, &[0.0], &[]).unwrap();
        for k in 1..=100 {
            let tstop = f64::from(k) / 100.0;
            while solver.step(&mut system, tstop).unwrap() != StepOutcome::ReachedTstop {}
            let y = solver.y()[0];
            assert!((y - tstop.sin()).abs() < 1e-5, "{y} at {tstop}");
            solver.reinit(&mut system, tstop, &[y], &[]).unwrap();
        }
        solver.statistics().steps
    }

    #[test]
    fn one_step_an_interval_where_the_problem_is_not_stiff() {
        assert!(steps(10.0) < 130);
    }

    #[test]
    fn a_stiff_problem_is_left_to_bdf() {
        // At |hλ| < 3.3 an explicit method needs 300 steps an interval.
        assert!(steps(1e5) < 3000);
    }
}
