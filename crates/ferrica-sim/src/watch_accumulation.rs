//! Events that accumulate end the run: behind that time the model says nothing.

use ferrica_hybrid::{SimError, accumulate};

use crate::simulate::Run;

/// A zero function that is so many times its hysteresis away from zero has moved.
const MOVED: f64 = 10.0;

impl Run<'_> {
    /// Has a series of events come to its end before `t`?
    pub(crate) fn watch_accumulation(&mut self, t: f64) -> Result<(), SimError> {
        let Some((crossing, at)) = self.accumulation.at(t) else {
            return Ok(());
        };
        self.at_end = false;
        self.p.place(t, self.integrator.y(), self.integrator.yp());
        let width = self.p.sides[crossing].width;
        let known = self.p.evaluate_zeros().is_ok();
        if !known || self.p.ev.get(self.p.zeros[crossing]).abs() <= MOVED * width {
            self.accumulation.is_at_rest(t);
            return Ok(());
        }
        let (failure, hint) = accumulate(&self.model, self.p.crossings[crossing], at);
        Err(SimError {
            hint: Some(hint),
            ..self.fail("E0614", failure)
        })
    }
}
