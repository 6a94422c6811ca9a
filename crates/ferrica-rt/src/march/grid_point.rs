//! What happens at a grid point behind its step: row, assertions, events, and what delays remember.

use ferrica_sim::{
    Checked, DELAY_NODES, Forced, MAX_PASSES, SimError, Sink, check_assertions, holds, iterate,
    iterate_within, reselect,
};

use super::{March, UNMOVED};
use crate::step::causal_error;
use crate::tangent::Dependence;

/// Are values others than they were, by more than rounding and iterations leave?
pub(super) fn differ(a: &[f64], b: &[f64]) -> bool {
    a.iter()
        .zip(b)
        .any(|(a, b)| (a - b).abs() > UNMOVED * a.abs().max(b.abs()).max(1.0))
}

impl March<'_> {
    /// Row, assertions and events at the present grid point, to which a step from `begin` has led; true if `terminate` ended the run.
    ///
    /// Where a condition has turned within the step and was not met there, the end lies behind the turn with the equations of before: diodes that have just ceased to conduct would
    /// short the source. Such a point is no row; the one before the event is then the begin of the step.
    pub(super) fn at_grid_point(
        &mut self,
        begin: f64,
        last: bool,
        sink: &mut dyn Sink,
    ) -> Result<bool, SimError> {
        let model = self.model.clone();
        self.place();
        self.follow_unknowns()?;
        let t = self.now;
        self.tell_followers()?;
        let at_output = self.grid.same(self.output_points.next(), t);
        if at_output {
            self.output_points.pass();
        }
        let known = self.is_due();
        let crossed = self.crosses && self.relation_changed()?;
        let at_event = known || crossed || self.unsettled_passes > 0;
        let late = crossed && self.within.late;
        if late && sink.wants_event_rows() {
            self.row_at_begin(begin, sink)?;
        }
        if at_output || last {
            self.wanted_outputs()?;
            if !at_event {
                self.row(sink)?;
            }
            self.tell_constraints();
        }
        let reselected = !model.dynamic_states.is_empty()
            && reselect(&mut self.p.ev).map_err(|e| self.fail("E0504", e))?;
        if !at_event && !reselected {
            if self.asserts {
                let mut warnings = Vec::new();
                check_assertions(&mut self.p, &model, Checked::Unguarded, &mut warnings)?;
                self.warn(warnings);
            }
            return Ok(false);
        }
        if crossed {
            self.run.stats.state_events += 1;
            self.run.late_events += u64::from(late);
        } else if known {
            self.run.stats.time_events += 1;
        }
        self.outputs()?;
        if !late && (at_event || !(at_output || last)) {
            self.event_row(sink)?;
        }
        if self.causal.is_some() {
            self.p.gather(&mut self.y, &mut self.rates);
        }
        let ended = if known {
            self.known_events()?
        } else {
            self.event(&Vec::new(), &[])?
        };
        if at_output || last || ended {
            self.row(sink)?;
        } else {
            self.event_row(sink)?;
        }
        if ended {
            return Ok(true);
        }
        if reselected && let Some(causal) = &mut self.causal {
            causal
                .renew(&mut self.p)
                .map_err(|e| causal_error(&mut self.p, t, e))?;
        }
        if reselected || self.moved() {
            self.begin_history(false)?;
        }
        self.first_delay_sources()?;
        Ok(false)
    }

    /// A row at the begin of the last step, unless there is one.
    fn row_at_begin(&mut self, begin: f64, sink: &mut dyn Sink) -> Result<(), SimError> {
        if self.row_time >= begin || self.grid.same(self.row_time, begin) {
            return Ok(());
        }
        let end = self.now;
        self.both_ends(begin, end)?;
        self.interpolate(begin, end, begin);
        self.event_row(sink)?;
        self.p.place(end, &self.y, &self.rates);
        self.p.apply_delays().map_err(|e| self.fail("E0605", e))
    }

    /// What follows the unknowns without an event. They are all there: relations could read it.
    fn follow_unknowns(&mut self) -> Result<(), SimError> {
        let model = self.model.clone();
        match &model.dae {
            Some(dae) if !dae.beside.is_empty() => {
                let done = self.p.ev.run(&dae.beside);
                done.map_err(|e| self.fail("E0605", e))
            }
            _ => Ok(()),
        }
    }

    /// Objects with a history of their own hear of the end of the step; the values stay those that the method has found.
    fn tell_followers(&mut self) -> Result<(), SimError> {
        if self.p.ev.rt.followers.is_empty() {
            return Ok(());
        }
        let kept = self.p.ev.slots.clone();
        let told =
            (self.p.evaluate_continuous()).and_then(|()| self.p.ev.rt.tell_followers(self.now));
        self.p.ev.slots.copy_from_slice(&kept);
        self.p.ev.invalidate();
        told.map_err(|e| self.fail("E0605", e))
    }

    pub(super) fn relation_changed(&mut self) -> Result<bool, SimError> {
        if self.model.relations.is_empty() {
            return Ok(false);
        }
        self.run_relations()?;
        Ok(self.model.relations.iter().any(|r| {
            let now = holds(r.op, self.p.ev.get(r.lhs), self.p.ev.get(r.rhs));
            now != (self.p.ev.get(r.memory) != 0.0)
        }))
    }

    /// The event iteration within its bound; true if `terminate` ended the run.
    pub(super) fn event(&mut self, forced: &Forced, samplers: &[usize]) -> Result<bool, SimError> {
        let band = 10.0 * self.experiment.tolerance;
        let bound = self.options.event_passes;
        let result = iterate_within(&mut self.p, forced, samplers, band, bound)?;
        self.crossings_are_old();
        self.warn(result.warnings);
        self.note_unsettled(result.unsettled)?;
        self.tangent.after_event();
        if let Some(causal) = &mut self.causal {
            causal.after_event();
        }
        if self.tangent.whole > Dependence::Parameters
            && let Some(projection) = &mut self.projection
        {
            projection.invalidate();
        }
        if let Some(message) = result.terminate {
            self.run.stats.terminated = Some(message);
            return Ok(true);
        }
        self.times
            .predict(&mut self.p.ev)
            .map_err(|e| self.fail("E0605", e))?;
        self.next_due = self.times.next().min(self.p.delays.next_held(&self.p.ev));
        Ok(false)
    }

    /// An event that has not settled within its bound goes on at the next grid point. One that has had as many passes as any event may
    /// have is given all of them at once, which ends it one way or the other.
    fn note_unsettled(&mut self, unsettled: bool) -> Result<(), SimError> {
        if !unsettled {
            self.unsettled_passes = 0;
            return Ok(());
        }
        self.run.unsettled_events += 1;
        self.unsettled_passes += self.options.event_passes;
        if self.unsettled_passes >= MAX_PASSES {
            let band = 10.0 * self.experiment.tolerance;
            let result = iterate(&mut self.p, &Vec::new(), &[], band)?;
            self.warn(result.warnings);
            self.unsettled_passes = 0;
        }
        Ok(())
    }

    /// Did the event move states or derivatives, so that the past is no longer of one piece?
    pub(super) fn moved(&mut self) -> bool {
        self.p.gather(&mut self.work, &mut self.known);
        let n = self.model.layout.n_states;
        differ(&self.work, &self.y) || differ(&self.known[..n], &self.rates[..n])
    }

    /// Sources of delayed signals at the present point.
    pub(super) fn first_delay_sources(&mut self) -> Result<(), SimError> {
        if self.p.delays.is_empty() {
            return Ok(());
        }
        let done = self.p.apply_delays();
        done.and_then(|()| self.p.run_delay_sources())
            .map_err(|e| self.fail("E0605", e))?;
        self.sources
            .resize(self.p.delays.signals(), [0.0; DELAY_NODES]);
        let end = DELAY_NODES - 1;
        self.p.delays.sources(&self.p.ev, end, &mut self.sources);
        Ok(())
    }

    pub(super) fn push_delays(&mut self, begin: f64, end: f64) -> Result<(), SimError> {
        if self.p.delays.is_empty() {
            return Ok(());
        }
        self.place();
        let end_node = DELAY_NODES - 1;
        for v in &mut self.sources {
            v[0] = v[end_node];
        }
        self.first_delay_sources()?;
        for v in &mut self.sources {
            let (a, b) = (v[0], v[end_node]);
            let part = |k: usize| k as f64 / end_node as f64;
            *v = std::array::from_fn(|k| a + part(k) * (b - a));
        }
        let delays = &mut self.p.delays;
        delays.push_step(&self.p.ev, (begin, end), &self.sources, begin)
    }
}
