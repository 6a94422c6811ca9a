//! What the run does at an event: the row before, the event iteration, the row after, and a new beginning.

use ferrica_codegen::layout::Layout;

use ferrica_hybrid::{
    CHATTER_SPAN, Forced, SimError, Warning, conditions_change, iterate, same_time,
};

use crate::results::Sink;
use crate::simulate::Run;

impl Run<'_> {
    pub(crate) fn state_event(&mut self, sink: &mut dyn Sink) -> Result<bool, SimError> {
        self.stats.state_events += 1;
        self.place_event()?;
        if same_time(self.p.ev.time(), self.experiment.stop) {
            self.p.ev.set_time(self.experiment.stop);
        }
        self.event_row(sink)?;
        let conditions = self.p.crossings.len();
        let mut hits = std::mem::take(&mut self.hits);
        let mut forced = std::mem::take(&mut self.forced);
        hits.clear();
        forced.clear();
        for hit in self.integrator.roots_found() {
            if let Some(end) = hit.index.checked_sub(conditions) {
                self.p.delays.lines[end / 2].arrive(end % 2);
                continue;
            }
            let relation = self.p.crossings[hit.index];
            let memory = self.p.ev.get(self.model.relations[relation].memory) != 0.0;
            hits.push(hit.index);
            self.accumulation.note(hit.index, !memory, self.p.ev.time());
            forced.push((relation, !memory));
        }
        let (t, span) = (
            self.p.ev.time(),
            self.experiment.stop - self.experiment.start,
        );
        let window = CHATTER_SPAN * span;
        let slides = (self.crossings).note(&self.model, &hits, t, window, &mut self.p.watch)?;
        self.p.prefer_rest = self.crossings.prefers_rest();
        self.warn(slides.into_iter().collect());
        let ended = self.after_due(self.p.ev.time(), &mut forced, sink)?;
        (self.hits, self.forced) = (hits, forced);
        Ok(ended)
    }

    /// The event with what is due besides.
    fn after_due(
        &mut self,
        at: f64,
        forced: &mut Forced,
        sink: &mut dyn Sink,
    ) -> Result<bool, SimError> {
        let mut due = std::mem::take(&mut self.due);
        self.time_events
            .take_due(&self.p.ev, at, !forced.is_empty(), &mut due);
        forced.extend_from_slice(&due.relations);
        let ended = self.after_event(forced, &due.samplers, sink)?;
        self.due = due;
        Ok(ended)
    }

    pub(crate) fn time_event(&mut self, at: f64, sink: &mut dyn Sink) -> Result<bool, SimError> {
        self.stats.time_events += 1;
        self.place_event()?;
        self.p.ev.set_time(at);
        self.event_row(sink)?;
        let mut forced = std::mem::take(&mut self.forced);
        forced.clear();
        let ended = self.after_due(at, &mut forced, sink)?;
        self.forced = forced;
        Ok(ended)
    }

    /// A jump comes out of a delay: as long as no condition changes with it there is nothing to iterate, only another
    /// right-hand limit to go on from.
    pub(crate) fn arriving_jump(&mut self, at: f64, sink: &mut dyn Sink) -> Result<bool, SimError> {
        if self.p.dae || !self.jumps_are_plain {
            return self.time_event(at, sink);
        }
        self.stats.time_events += 1;
        if self.wants_left {
            self.place_end()?;
            self.p.ev.set_time(at);
            self.event_row(sink)?;
        } else {
            self.p.place(at, self.integrator.y(), self.integrator.yp());
        }
        self.p.delays.at_event(at);
        let done = self.p.evaluate_continuous();
        if done.is_err() || conditions_change(&self.p.ev, &self.model) {
            // The left limits again: the event begins with them.
            self.p.delays.at_event(f64::NAN);
            self.p
                .evaluate_continuous()
                .map_err(|e| self.fail("E0605", e))?;
            return self.after_event(&Vec::new(), &[], sink);
        }
        self.p.delays.after_event(&self.p.ev);
        self.row_after(sink)?;
        if self.p.keeps_sides() {
            self.begin_again()?;
        } else {
            self.p.relations_are_current = true;
            self.restart()?;
        }
        Ok(false)
    }

    pub(crate) fn after_event(
        &mut self,
        forced: &Forced,
        samplers: &[usize],
        sink: &mut dyn Sink,
    ) -> Result<bool, SimError> {
        sink.instant(&self.p.ev.slots, forced, samplers);
        self.p.before_event();
        let ended = self.event(forced, samplers)?;
        if ended {
            self.row(sink)?;
            self.terminal_event(sink)?;
            return Ok(true);
        }
        let goes_on = self.p.goes_on(self.integrator.y());
        if !goes_on {
            self.remember_waiting()?;
        }
        self.row_after(sink)?;
        if goes_on {
            self.resume();
        } else {
            self.restart()?;
        }
        Ok(false)
    }

    /// The row after an event or a jump.
    fn row_after(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let now = self.p.ev.time();
        let mut next = self.output_points.next();
        let grid = self.experiment.interval > 0.0;
        if (grid && same_time(next, now)) || same_time(now, self.experiment.stop) {
            self.row(sink)?;
        } else {
            self.event_row(sink)?;
        }
        while grid && (next <= now || same_time(next, now)) {
            self.output_points.pass();
            next = self.output_points.next();
        }
        Ok(())
    }

    /// The event iteration at the present time; true if `terminate` ended the run.
    pub(crate) fn event(&mut self, forced: &Forced, samplers: &[usize]) -> Result<bool, SimError> {
        let band = 10.0 * self.experiment.tolerance;
        let now = self.p.ev.time();
        self.p.delays.at_event(now);
        let result = iterate(&mut self.p, forced, samplers, band)?;
        self.warn(result.warnings);
        if !self.p.ev.rt.warnings.is_empty() {
            let (time, span) = (self.p.ev.time(), ferrica_ir::Span::NONE);
            let texts = std::mem::take(&mut self.p.ev.rt.warnings).into_iter();
            let told = texts.map(|message| Warning {
                time,
                message,
                span,
            });
            self.warn(told.collect());
        }
        if let Some(message) = result.terminate {
            self.stats.terminated = Some(message);
            return Ok(true);
        }
        self.time_events
            .predict(&mut self.p.ev)
            .map_err(|e| self.fail("E0605", e))?;
        Ok(false)
    }

    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        if self.experiment.more {
            self.remember_waiting()?;
            sink.end(&self.p.ev, &self.p.delays.save());
            return Ok(());
        }
        if self.model.has_terminal_event() {
            self.place_end()?;
        }
        self.terminal_event(sink)
    }

    /// The event of `terminal()` at the present point, where the run ends.
    pub(crate) fn terminal_event(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        if self.model.has_terminal_event() {
            self.p.ev.set(Layout::TERMINAL, 1.0);
            self.event(&Vec::new(), &[])?;
            self.row(sink)?;
        }
        Ok(())
    }
}
