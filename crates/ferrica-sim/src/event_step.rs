//! What the run does at an event: the row before, the event iteration, the row after, and a new beginning.

use ferrica_codegen::layout::Layout;

use crate::error::{SimError, Warning};
use crate::events::{Forced, conditions_change, iterate};
use crate::results::Sink;
use crate::simulate::Run;
use crate::time_events::same_time;

impl Run<'_> {
    pub(crate) fn state_event(&mut self, sink: &mut dyn Sink) -> Result<bool, SimError> {
        self.stats.state_events += 1;
        let hits: Vec<usize> = self
            .integrator
            .roots_found()
            .iter()
            .map(|h| h.index)
            .collect();
        self.place_end()?;
        if same_time(self.p.ev.time(), self.experiment.stop) {
            self.p.ev.set_time(self.experiment.stop);
        }
        self.event_row(sink)?;
        let conditions = self.p.crossings.len();
        let (hits, arrivals): (Vec<usize>, Vec<usize>) =
            hits.into_iter().partition(|&k| k < conditions);
        for k in arrivals.iter().map(|k| k - conditions) {
            self.p.delays.lines[k / 2].arrive(k % 2);
        }
        let forced: Forced = hits
            .iter()
            .map(|&k| {
                let relation = self.p.crossings[k];
                let memory = self.p.ev.get(self.model.relations[relation].memory) != 0.0;
                (relation, !memory)
            })
            .collect();
        self.watch_chatter(&hits)?;
        let (samplers, due) = self.time_events.take_due(self.p.ev.time());
        let mut forced = forced;
        forced.extend(self.due_relations(&due));
        self.after_event(&forced, &samplers, sink)
    }

    pub(crate) fn due_relations(&self, due: &[usize]) -> Forced {
        due.iter()
            .map(|&k| (k, self.p.ev.get(self.model.relations[k].memory) == 0.0))
            .collect()
    }

    pub(crate) fn time_event(&mut self, at: f64, sink: &mut dyn Sink) -> Result<bool, SimError> {
        self.stats.time_events += 1;
        self.place_end()?;
        self.p.ev.set_time(at);
        self.event_row(sink)?;
        let (samplers, due) = self.time_events.take_due(at);
        let forced = self.due_relations(&due);
        self.after_event(&forced, &samplers, sink)
    }

    /// A jump comes out of a delay: as long as no condition changes with it there is nothing to iterate, only another
    /// right-hand limit to go on from.
    pub(crate) fn arriving_jump(&mut self, at: f64, sink: &mut dyn Sink) -> Result<bool, SimError> {
        if self.p.dae || !self.jumps_are_plain {
            return self.time_event(at, sink);
        }
        self.stats.time_events += 1;
        self.place_end()?;
        self.p.ev.set_time(at);
        self.row(sink)?;
        self.p.delays.at_event(at);
        let model = &self.model;
        let done = self
            .p
            .evaluate_continuous()
            .and_then(|()| self.p.ev.exec(model, &model.relation_program));
        if done.is_err() || conditions_change(&self.p, model) {
            // The left limits again: the event begins with them.
            self.p.delays.at_event(f64::NAN);
            self.p
                .evaluate_continuous()
                .map_err(|e| self.fail("E0605", e))?;
            return self.after_event(&Vec::new(), &[], sink);
        }
        self.p.delays.after_event(&self.p.ev);
        self.go_on_after_row(sink)?;
        Ok(false)
    }

    pub(crate) fn after_event(
        &mut self,
        forced: &Forced,
        samplers: &[usize],
        sink: &mut dyn Sink,
    ) -> Result<bool, SimError> {
        let ended = self.event(forced, samplers)?;
        if ended {
            self.row(sink)?;
            return Ok(true);
        }
        self.go_on_after_row(sink)?;
        Ok(false)
    }

    /// The row after an event or a jump, and a new beginning.
    fn go_on_after_row(&mut self, sink: &mut dyn Sink) -> Result<(), SimError> {
        let now = self.p.ev.time();
        let grid = self.experiment.interval > 0.0 && same_time(self.output_time(), now);
        if grid || same_time(now, self.experiment.stop) {
            self.row(sink)?;
        } else {
            self.event_row(sink)?;
        }
        while self.experiment.interval > 0.0
            && (self.output_time() <= self.p.ev.time()
                || same_time(self.output_time(), self.p.ev.time()))
        {
            self.next_output += 1;
        }
        self.restart()
    }

    /// The event iteration at the present time; true if `terminate` ended the run.
    pub(crate) fn event(&mut self, forced: &Forced, samplers: &[usize]) -> Result<bool, SimError> {
        let band = 10.0 * self.experiment.tolerance;
        let now = self.p.ev.time();
        self.p.delays.at_event(now);
        let result = iterate(&mut self.p, forced, samplers, band)?;
        self.warn(result.warnings);
        let texts: Vec<String> = self.p.ev.rt.warnings.drain(..).collect();
        let time = self.p.ev.time();
        let span = ferrica_ir::Span::NONE;
        self.warn(
            texts
                .into_iter()
                .map(|message| Warning {
                    time,
                    message,
                    span,
                })
                .collect(),
        );
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
            sink.end(&self.p.ev, &self.p.delays.save());
            return Ok(());
        }
        if self.uses_terminal {
            self.place_end()?;
            self.p.ev.set(Layout::TERMINAL, 1.0);
            self.event(&Vec::new(), &[])?;
            self.row(sink)?;
        }
        Ok(())
    }
}
