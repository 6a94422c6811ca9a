//! Chattering: one condition that changes again and again at nearly one time.
//!
//! First events are settled the other way round, then the condition gets a wider hysteresis, so that the solution slides
//! along it; if it chatters still, the run stops and names it.

use ferrica_codegen::Failure;
use ferrica_hybrid::{SimError, Warning, Width, relation_text};
use ferrica_ir::print::brief;

use crate::simulate::Run;

/// So many state events within [`CHATTER_SPAN`] of the experiment are chattering.
const CHATTER_EVENTS: usize = 60;
/// … if one condition has at least this part of them: many conditions may change at one time.
const CHATTER_PART: usize = 4;
const CHATTER_SPAN: f64 = 1e-6;
/// Hysteresis with which a chattering condition slides; if it chatters still, the run stops.
const SLIDING_WIDTH: f64 = 1e-4;
/// A zero function that is so many times its hysteresis away from zero has moved.
const MOVED: f64 = 10.0;

impl Run<'_> {
    /// Many state events at nearly one time: the condition gets a wider hysteresis, so that the solution slides
    /// along it; if that is not enough, the run stops.
    pub(crate) fn watch_chatter(&mut self, hits: &[usize]) -> Result<(), SimError> {
        let t = self.p.ev.time();
        for &k in hits {
            self.recent.push_back((t, k));
        }
        while self.recent.len() > CHATTER_EVENTS {
            self.recent.pop_front();
        }
        let window = CHATTER_SPAN * (self.experiment.stop - self.experiment.start);
        if self.recent.len() < CHATTER_EVENTS
            || self.recent.front().is_some_and(|f| t - f.0 > window)
        {
            return Ok(());
        }
        let mut counts = vec![0usize; self.p.crossings.len()];
        for &(_, k) in &self.recent {
            counts[k] += 1;
        }
        self.recent.clear();
        let Some(most) = (0..counts.len()).max_by_key(|&k| counts[k]) else {
            return Ok(());
        };
        if counts[most] * CHATTER_PART < CHATTER_EVENTS {
            return Ok(());
        }
        if !self.p.prefer_rest {
            // Perhaps the other way to settle the event does not chatter.
            self.p.prefer_rest = true;
            self.recent.clear();
            return Ok(());
        }
        let relation = self.p.crossings[most];
        let condition = relation_text(&self.model, relation);
        let span = self.model.source.relations[relation].span;
        if self.widths[most].relative >= SLIDING_WIDTH {
            let mut failure = Failure::new(format!(
                "chattering: the condition `{condition}` changes at every step near time {}",
                brief(t)
            ));
            failure.span = span;
            failure
                .details
                .push(format!("{CHATTER_EVENTS} events at nearly one time"));
            let hint = "give the condition a hysteresis, or use noEvent() where the expression is continuous";
            return Err(SimError {
                hint: Some(hint.to_string()),
                ..self.fail("E0610", failure)
            });
        }
        for (k, &count) in counts.iter().enumerate() {
            if count > 0 {
                self.widths[k] = Width {
                    relative: SLIDING_WIDTH,
                    absolute: 10.0 * self.experiment.tolerance,
                };
            }
        }
        let message = format!(
            "chattering: the solution slides along the condition `{condition}` from time {} on",
            brief(t)
        );
        self.warn(vec![Warning {
            time: t,
            message,
            span,
        }]);
        Ok(())
    }

    /// Events that have accumulated end the run: behind that time the model says nothing.
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
