//! Events that accumulate end the run: behind that time the model says nothing.

use ferrica_codegen::Failure;
use ferrica_hybrid::{SimError, relation_text};
use ferrica_ir::print::brief;

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
        let (_, width) = self.p.sides[crossing];
        let known = self.p.evaluate_zeros().is_ok();
        if !known || self.p.ev.get(self.p.zeros[crossing]).abs() <= MOVED * width {
            self.accumulation.is_at_rest(t);
            return Ok(());
        }
        let relation = self.p.crossings[crossing];
        let condition = relation_text(&self.model, relation);
        let mut failure = Failure::new(format!(
            "the events of the condition `{condition}` accumulate: infinitely many of them before time {}",
            brief(at)
        ));
        failure.span = self.model.source.relations[relation].span;
        let hint = "let the model come to rest before: hold the variable when it is slow enough, or stop the run earlier";
        Err(SimError {
            hint: Some(hint.to_string()),
            ..self.fail("E0614", failure)
        })
    }
}
