//! Events whose time is known.
//!
//! In: the instants up to the present point, which is one of the curves of a step ([`super::within`]) or a grid point. Out: one event for each, in their order. At a grid
//! point there are those that are on it, and those that the step has had no room for: the latter have their own time and the states of the grid point, so that none
//! is lost and each condition sees the time at which it changes. What lasts for less than a step leaves no trace in the states then: a condition that changes again, or a sampler whose next instant
//! comes, is an error that names the step that would do. Two conditions that change, as those of a short
//! pulse, may also be two that have nothing to do with each other: that is a warning.

use ferrica_codegen::{CompiledModel, Evaluator, Failure};
use ferrica_ir::print::brief;
use ferrica_sim::{Due, Forced, MAX_PASSES, SimError, lost_instant, relation_text, same_time};

use super::March;
use crate::grid::Grid;

/// What conditions of time have done since the last grid point.
#[derive(Default)]
pub(super) struct Instants {
    /// Of each relation of time: its instants in this step, its memory, how often that has changed, and when last.
    relations: Vec<(usize, Changes)>,
    /// The last relation of time that has fired, and when, if it acted at the grid point behind that.
    last: Option<(usize, f64)>,
    /// Relations that fired less than a step after another: how many, and the first two times.
    close: u64,
    first_close: Option<(f64, f64)>,
}

#[derive(Clone, Copy, Default)]
struct Changes {
    memory: f64,
    fired: Option<f64>,
    changed: Option<f64>,
}

/// Every instant of every sampler must have a grid point of its own.
pub(crate) fn check_samplers(shortest: Option<f64>, grid: &Grid, at: f64) -> Result<(), SimError> {
    match shortest {
        Some(interval) if grid.is_shorter(interval) => {
            let what = format!("the model samples every {} s", brief(interval));
            Err(lost_instant(at, &what, interval, grid.step))
        }
        _ => Ok(()),
    }
}

impl Instants {
    fn begin(&mut self, model: &CompiledModel, ev: &Evaluator) {
        let timed = model.relations.iter().enumerate();
        let timed = timed.filter(|(_, r)| r.time_event);
        self.relations.clear();
        self.relations.extend(timed.map(|(k, r)| {
            let memory = ev.get(r.memory);
            let changes = Changes {
                memory,
                ..Changes::default()
            };
            (k, changes)
        }));
    }
}

impl Instants {
    /// Relations of time that fire at `at`, or only at the grid point behind it: is that less than a step after others that were late?
    fn note(&mut self, at: f64, late: bool, forced: &Forced, grid: &Grid) {
        let Some(&(fired, _)) = forced.first() else {
            return;
        };
        let before = std::mem::replace(&mut self.last, late.then_some((fired, at)));
        let close = |&(k, t): &(usize, f64)| k != fired && t < at && grid.is_shorter(at - t);
        if let Some((_, t)) = before.filter(close) {
            self.close += 1;
            self.first_close.get_or_insert((t, at));
        }
    }

    /// What to say of them at the end of a run.
    pub(super) fn tell(&self, step: f64) -> Option<String> {
        let (before, at) = self.first_close?;
        let times = match self.close {
            1 => String::new(),
            n => format!(", and {} more times so", n - 1),
        };
        Some(format!(
            "two conditions of time change within one step, at {} and {}{times}: what lasts for less than a step of {} acts for a whole one",
            brief(before),
            brief(at),
            brief(step)
        ))
    }
}

impl March<'_> {
    /// Is an event of known time due up to the present grid point?
    pub(super) fn is_due(&self) -> bool {
        self.next_due <= self.now || self.grid.same(self.next_due, self.now)
    }

    /// All events of known time up to the present grid point; true if `terminate` ended the run.
    pub(super) fn known_events(&mut self) -> Result<bool, SimError> {
        let t = self.now;
        self.instants.begin(&self.model, &self.p.ev);
        let (mut at, mut before, mut repeated) = (t, f64::NEG_INFINITY, 0);
        while self.is_due() {
            // Up to rounding it is the grid point: near zero that is more than a part of the time itself.
            let rounded = self.next_due <= t && self.grid.same(self.next_due, t);
            at = if rounded || same_time(self.next_due, t) {
                t
            } else {
                self.next_due
            };
            let mut due = Due::default();
            self.times.take_due(&self.p.ev, at, false, &mut due);
            let forced = &due.relations;
            self.move_to(at)?;
            self.p.delays.let_go(&self.p.ev, at);
            if self.event(forced, &due.samplers)? {
                return Ok(true);
            }
            self.lost_instants(at, forced)?;
            let late = at < t && !self.grid.same(at, t);
            self.instants.note(at, late, forced, &self.grid);
            repeated = if at > before { 0 } else { repeated + 1 };
            before = at;
            if repeated >= MAX_PASSES {
                let text = format!(
                    "the events at time {} do not end: {MAX_PASSES} of them at this one instant",
                    brief(at)
                );
                return Err(SimError::new("E0606", at, Failure::new(text)));
            }
        }
        // The grid point itself, if the last instant was before it.
        if at < t && !self.grid.same(at, t) {
            self.move_to(t)?;
            return self.event(&Vec::new(), &[]);
        }
        self.p.ev.set_time(t);
        Ok(false)
    }

    /// Another time with the present states: what depends on it follows, so that left limits are those of that time.
    fn move_to(&mut self, t: f64) -> Result<(), SimError> {
        if self.p.ev.time() == t {
            return Ok(());
        }
        self.p.ev.set_time(t);
        let model = self.model.clone();
        let done = self.p.apply_delays();
        done.and_then(|()| self.p.ev.run(&model.continuous_program))
            .map_err(|e| self.fail("E0605", e))
    }

    /// A condition of time that has changed for the second time in this step.
    fn lost_instants(&mut self, at: f64, forced: &Forced) -> Result<(), SimError> {
        let model = self.model.clone();
        for (k, seen) in &mut self.instants.relations {
            let memory = self.p.ev.get(model.relations[*k].memory);
            let fired = forced.iter().any(|f| f.0 == *k);
            let changed = memory != seen.memory;
            let before = match (fired.then_some(seen.fired), changed.then_some(seen.changed)) {
                (Some(Some(before)), _) | (_, Some(Some(before))) => Some(before),
                _ => None,
            };
            if let Some(before) = before.filter(|&b| b < at) {
                let what = format!(
                    "the condition `{}` changes at time {} and again at {}",
                    relation_text(&model, *k),
                    brief(before),
                    brief(at)
                );
                return Err(lost_instant(at, &what, at - before, self.grid.step));
            }
            if fired {
                seen.fired = Some(at);
            }
            if changed {
                (seen.memory, seen.changed) = (memory, Some(at));
            }
        }
        Ok(())
    }
}
