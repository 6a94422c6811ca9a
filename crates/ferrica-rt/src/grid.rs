//! The fixed grid of a run, checked.

use ferrica_codegen::Failure;
use ferrica_ir::print::brief;
use ferrica_sim::Equidistant;

/// Steps that a grid may have: beyond, counting in `f64` is no longer exact.
const MAX_STEPS: f64 = 9e15;
/// A horizon of k steps plus this part of one is one of k steps.
const ROUNDING: f64 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    pub start: f64,
    pub stop: f64,
    pub step: f64,
    instants: Equidistant,
    /// Steps until the stop time is reached or passed.
    pub steps: u64,
}

impl Grid {
    pub fn new(start: f64, stop: f64, step: f64) -> Result<Grid, Failure> {
        if step.is_nan() || step <= 0.0 || step.is_infinite() {
            return Err(Failure::new(format!(
                "a step of {step} is not possible: it must be positive and finite"
            )));
        }
        let horizon = stop - start;
        let instants = Equidistant::new(start, step);
        if horizon == 0.0 {
            let steps = 0;
            return Ok(Grid {
                start,
                stop,
                step,
                instants,
                steps,
            });
        }
        if step > horizon * (1.0 + ROUNDING) {
            return Err(Failure::new(format!(
                "the step {step} is longer than the run from {start} to {stop}"
            )));
        }
        let count = horizon / step;
        let largest = start.abs().max(stop.abs());
        if count > MAX_STEPS || largest + step == largest {
            return Err(Failure::new(format!(
                "a step of {} is too small for a run from {start} to {stop}: time would not advance",
                brief(step)
            )));
        }
        let mut steps = count.floor();
        if count - steps > ROUNDING {
            steps += 1.0;
        }
        Ok(Grid {
            start,
            stop,
            step,
            instants,
            steps: steps as u64,
        })
    }

    pub fn time(&self, k: u64) -> f64 {
        self.instants.at(k as f64)
    }

    /// The time of the grid point `k` as an expression in C.
    pub fn time_in_c(&self, k: &str, literal: impl Fn(f64) -> String) -> String {
        self.instants.in_c(k, literal)
    }

    /// Are output points with this distance grid points, and the stop time too?
    pub fn is_multiple(&self, interval: f64) -> bool {
        let whole = |x: f64| (x - x.round()).abs() <= ROUNDING * x.abs().max(1.0);
        let rounded = (interval / self.step).round();
        (interval <= 0.0 || (rounded >= 1.0 && whole(interval / self.step)))
            && whole((self.stop - self.start) / self.step)
            // Rounding of the ratio must not add up over the run.
            && (interval <= 0.0
                || ((interval - rounded * self.step) * (self.stop - self.start) / interval).abs()
                    <= ROUNDING * self.step)
    }

    /// Is this time shorter than a step, beyond rounding?
    pub fn is_shorter(&self, time: f64) -> bool {
        time < self.step * (1.0 - ROUNDING)
    }

    /// One instant for the purposes of this grid.
    pub fn same(&self, a: f64, b: f64) -> bool {
        (a - b).abs() <= ROUNDING * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_despite_rounding() {
        let steps = |start, stop, step| Grid::new(start, stop, step).map(|g| g.steps).ok();
        assert_eq!(steps(0.0, 1.0, 0.1), Some(10));
        assert_eq!(steps(0.0, 0.3, 0.1), Some(3));
        assert_eq!(steps(-1.0, 1.0, 0.3), Some(7));
        assert_eq!(steps(2.0, 2.0, 0.3), Some(0));
        assert_eq!(steps(0.0, 1.0, 1.0), Some(1));
    }

    #[test]
    fn impossible_steps_are_refused() {
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.1, 1e-300, 1e-17] {
            assert!(Grid::new(0.0, 1.0, step).is_err(), "{step}");
        }
    }
}
