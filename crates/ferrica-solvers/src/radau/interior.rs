//! Events inside of a step whose ends alone are accurate.
//!
//! The formula is good at the end of a step, whatever dies away within it, and so is its error estimate; the collocation polynomial is not: it carries such a motion, which is over
//! at once, through a good part of the step. An event that it makes would be late by as much. In: a step with an event inside. Out: whether the step
//! has to be taken in shorter ones.
//!
//! The polynomial does not have the slope y'₀ of the solution at its begin. Another one that has it, and the same stages, differs by
//! h (y'₀ − p'₀) s (1 − s/c₁) (1 − s/c₂) (1 − s): so far may the states inside of the step be off. What that moves the event by in time, the states move with their slopes.

use super::Radau;
use crate::implicit::Form;
use crate::integrator::RootHit;
use crate::norm::wrms;
use crate::stepper::State;
use crate::system::{EvalError, RootFunctions};

/// The largest value of s (1 − s/c₁) (1 − s/c₂) (1 − s).
const BULGE: f64 = 0.0319;
/// Part of a step that is tried after it.
const SHORTER: f64 = 0.1;

/// Room for the look.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    which: Vec<usize>,
    /// How far states may be off.
    off: Vec<f64>,
    /// Root functions at the event, there with states that are off, and at both ends of the step.
    values: [Vec<f64>; 4],
}

impl<F> Radau<F> {
    /// Is the time `t` of these events, inside of the last step, off by more than the states may be?
    pub(super) fn misplaces<S: RootFunctions + ?Sized>(
        &mut self,
        system: &mut S,
        t: f64,
        hits: &[RootHit],
    ) -> Result<bool, EvalError>
    where
        F: Form<S>,
    {
        let mut look = std::mem::take(&mut self.look);
        let mut y = std::mem::take(&mut self.stage);
        let mut yp = std::mem::take(&mut self.slope);
        look.which.clear();
        look.which.extend(hits.iter().map(|hit| hit.index));
        self.interpolate_derivative(self.t_before, &mut yp);
        look.off.clear();
        let h = self.h_used;
        look.off.extend(
            (0..y.len()).map(|i| match self.form.differential(system, i) {
                true => BULGE * h * (self.begin.1[i] - yp[i]),
                false => 0.0,
            }),
        );
        self.interpolate(t, &mut y);
        self.interpolate_derivative(t, &mut yp);
        let done = self.look(system, t, &mut look, &mut y, &yp);
        let late = done.map(|()| h * look.part_late());
        (self.look, self.stage, self.slope) = (look, y, yp);
        Ok(late? * wrms(&self.yp, &self.error_weight) > 1.0)
    }

    fn look<S: RootFunctions + ?Sized>(
        &self,
        system: &mut S,
        t: f64,
        look: &mut Look,
        y: &mut [f64],
        yp: &[f64],
    ) -> Result<(), EvalError> {
        let which = &look.which;
        let [here, moved, first, last] = &mut look.values;
        let mut at = |t: f64, y: &[f64], yp: &[f64], g: &mut Vec<f64>| {
            g.resize(system.n_roots(), 0.0);
            system.some_roots(t, y, yp, which, g)
        };
        at(t, y, yp, here)?;
        y.iter_mut().zip(&look.off).for_each(|(y, d)| *y += d);
        at(t, y, yp, moved)?;
        at(self.t_before, &self.begin.0, &self.begin.1, first)?;
        at(self.t, &self.y, &self.yp, last)
    }

    /// Back to the beginning of the last step, for a shorter one.
    pub(super) fn go_back(&mut self) {
        self.y.copy_from_slice(&self.begin.0);
        self.yp.copy_from_slice(&self.begin.1);
        self.t = self.t_before;
        self.h = SHORTER * self.h_used;
        self.begin_here();
        self.statistics.steps -= 1;
        self.statistics.error_failures += 1;
    }
}

impl Look {
    /// By which part of the step the event may be off.
    fn part_late(&self) -> f64 {
        let [here, moved, first, last] = &self.values;
        let parts = self.which.iter().map(|&k| {
            let change = (last[k] - first[k]).abs();
            ((moved[k] - here[k]).abs() / change.max(f64::MIN_POSITIVE)).min(1.0)
        });
        parts.fold(0.0, f64::max)
    }
}
