//! Events whose time is known: samplers and relations that are linear in time.
//!
//! A relation turns at its threshold (`time >= t`, `time < t`) or right after it (`time > t`, `time <= t`). Both are of one time, but not
//! of one instant: what turns right after the threshold has its old value in the event there, and an event of its own behind that.

use ferrica_codegen::layout::Layout;
use ferrica_codegen::program::Program;
use ferrica_codegen::{Cause, Evaluator, Failure};
use ferrica_ir::print::brief;
use ferrica_solvers::equidistant::Equidistant;

use crate::error::SimError;
use crate::problem::{holds, side};
use crate::relations::Forced;

/// Times closer than this part of their magnitude are one.
pub const SAME_TIME: f64 = 8.0 * f64::EPSILON;

/// Instants beside a time that rounding may take for it.
const ROUNDED: usize = 2;

/// How far rounding moves an instant that a difference has predicted, at most, as a part of its magnitude.
pub const ROUGHLY: f64 = 1e-9;

/// The instant at which a line vanishes, from its value and slope near it.
pub fn sharper(near: f64, value: f64, slope: f64) -> f64 {
    let at = near - value / slope;
    if at.is_finite() { at } else { near }
}

pub fn same_time(a: f64, b: f64) -> bool {
    a == b || (a.is_finite() && b.is_finite() && (a - b).abs() <= SAME_TIME * a.abs().max(b.abs()))
}

/// Conditions of time that are at their threshold now, up to rounding or a `width`, and how each holds a `distance` behind it. `program` computes their sides.
pub fn behind_threshold(
    ev: &mut Evaluator,
    relations: &[u32],
    program: &Program,
    width: f64,
    distance: f64,
) -> Result<Forced, Failure> {
    let model = ev.model.clone();
    let sides = |ev: &Evaluator, k: u32| {
        let r = &model.relations[k as usize];
        (ev.get(r.lhs), ev.get(r.rhs))
    };
    let is_at = |k: &u32| {
        let (lhs, rhs) = sides(ev, *k);
        same_time(lhs, rhs) || (lhs - rhs).abs() <= width
    };
    let at: Vec<u32> = relations.iter().copied().filter(is_at).collect();
    if at.is_empty() {
        return Ok(Forced::new());
    }
    let t = ev.time();
    ev.set_time(t + distance);
    ev.run(program)?;
    let behind = |k: u32| {
        let (lhs, rhs) = sides(ev, k);
        (k as usize, holds(model.relations[k as usize].op, lhs, rhs))
    };
    let found = at.into_iter().map(behind).collect();
    ev.set_time(t);
    ev.run(program)?;
    Ok(found)
}

/// An event that no step of an engine is left for: `what` happens, and again after the time `between`.
pub fn lost_instant(t: f64, what: &str, between: f64, step: f64) -> SimError {
    let mut failure = Failure::new(format!(
        "{what}: the step {} is too long, events in between would be lost",
        brief(step)
    ));
    failure.cause = Cause::LostInstant;
    SimError {
        hint: Some(format!("steps of {} or less would do", brief(between))),
        ..SimError::new("E0615", t, failure)
    }
}

/// A `sample`: its number in the model, its instants and the number of the next one.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    number: usize,
    instants: Equidistant,
    next: f64,
}

impl Sampler {
    /// From the first instant and the interval that the initialization has computed; its next instant is the first one from `start` on.
    pub fn new(ev: &Evaluator, number: usize, start: f64) -> Result<Sampler, Failure> {
        let (memory, first, interval) = ev.model.samplers[number];
        let (first, interval) = (ev.get(first), ev.get(interval));
        if interval <= 0.0 || interval.is_nan() {
            return Err(Failure::new(format!(
                "the interval of a sample operator is {interval} (variable `{}`): it must be positive",
                ev.model.var_name(memory)
            )));
        }
        let mut next = ((start - first) / interval).ceil().max(0.0);
        let instants = Equidistant::new(first, interval);
        // An instant that rounding puts just before the start is at the start.
        if next > 0.0 && same_time(instants.at(next - 1.0), start) {
            next -= 1.0;
        }
        let at = instants.at(next);
        if same_time(at, instants.at(next + 1.0)) {
            return Err(Failure::new(format!(
                "the interval of a sample operator is {interval:e} (variable `{}`): its instants at {at} cannot be told apart",
                ev.model.var_name(memory)
            )));
        }
        Ok(Sampler {
            number,
            instants,
            next,
        })
    }

    /// All samplers of a model that has been initialized: an instant at the start itself is behind them.
    pub fn after_start(ev: &Evaluator) -> Result<Vec<Sampler>, Failure> {
        let now = ev.time();
        let each = (0..ev.model.samplers.len()).map(|number| {
            let mut sampler = Sampler::new(ev, number, now)?;
            sampler.take(now);
            Ok(sampler)
        });
        each.collect()
    }

    /// Number of its next instant, the first one, and the interval, for code that goes on with it.
    pub fn in_code(&self) -> (f64, f64, f64) {
        (self.next, self.instants.origin, self.instants.period)
    }

    /// Its next instant. Not a sum of intervals: rounding does not add up.
    pub fn at(&self) -> f64 {
        self.instants.at(self.next)
    }

    fn is_due(&self, t: f64) -> bool {
        let at = self.at();
        at <= t || same_time(at, t)
    }

    /// Moves on behind `t`. False: it is not due yet. One whose instants cannot be told apart any more stays due: the run ends there, as
    /// its events do not.
    pub fn take(&mut self, t: f64) -> bool {
        let due = self.is_due(t);
        if due {
            let instants = &self.instants;
            let passed = ((t - instants.origin) / instants.period).floor();
            self.next = passed.max(self.next + 1.0);
        }
        for _ in 0..ROUNDED {
            if self.is_due(t) {
                self.next += 1.0;
            }
        }
        due
    }
}

/// The instants of some samplers, or of all.
#[derive(Clone, Debug, Default)]
pub struct Samplers {
    all: Vec<Sampler>,
}

impl Samplers {
    /// Of these numbers.
    pub fn new(
        ev: &Evaluator,
        numbers: impl IntoIterator<Item = usize>,
        start: f64,
    ) -> Result<Samplers, Failure> {
        let each = numbers.into_iter().map(|n| Sampler::new(ev, n, start));
        let all = each.collect::<Result<_, _>>()?;
        Ok(Samplers { all })
    }

    pub fn next(&self) -> f64 {
        let instants = self.all.iter().map(Sampler::at);
        instants.fold(f64::INFINITY, f64::min)
    }

    pub fn shortest_interval(&self) -> Option<f64> {
        self.all.iter().map(|s| s.instants.period).reduce(f64::min)
    }

    /// Numbers of those that are due at `t`, which move on.
    pub fn take_due(&mut self, t: f64, due: &mut Vec<usize>) {
        due.clear();
        for s in &mut self.all {
            if s.take(t) {
                due.push(s.number);
            }
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct TimeEvents {
    samplers: Samplers,
    /// For each relation: the time at which it changes, infinite if never or not a time event. Empty if none is one.
    relations: Vec<f64>,
}

/// Samplers whose time has come, and relations with the memories that they have from now on: those that turn right after an instant
/// are among them with their old one.
#[derive(Clone, Debug, Default)]
pub struct Due {
    pub samplers: Vec<usize>,
    pub relations: Forced,
}

impl TimeEvents {
    /// Of a whole model.
    pub fn new(ev: &Evaluator, start: f64) -> Result<TimeEvents, Failure> {
        let model = &ev.model;
        Ok(TimeEvents {
            samplers: Samplers::new(ev, 0..model.samplers.len(), start)?,
            relations: if model.relations.iter().any(|r| r.time_event) {
                vec![f64::INFINITY; model.relations.len()]
            } else {
                Vec::new()
            },
        })
    }

    /// Predicts when each time relation changes, from the present discrete values.
    pub fn predict(&mut self, ev: &mut Evaluator) -> Result<(), Failure> {
        if self.relations.is_empty() {
            return Ok(());
        }
        let model = ev.model.clone();
        let t = ev.time();
        ev.run(&model.relation_program)?;
        let now: Vec<f64> = model.relations.iter().map(|r| ev.get(r.zero)).collect();
        ev.set(Layout::TIME, t + 1.0);
        let later = ev.run(&model.relation_program);
        ev.set(Layout::TIME, t);
        later?;
        let mut slopes = now.clone();
        for (k, r) in model.relations.iter().enumerate() {
            self.relations[k] = f64::INFINITY;
            if !r.time_event {
                continue;
            }
            let slope = ev.get(r.zero) - now[k];
            slopes[k] = slope;
            // The change to come leads off the side the memory is on.
            if side(r.op, ev.get(r.memory) != 0.0) * slope < 0.0 {
                let at = t - now[k] / slope;
                // `time > 0` does not hold at 0 but right after it: there is an event at this very instant.
                if at > t || same_time(at, t) {
                    self.relations[k] = at.max(t);
                }
            }
        }
        self.sharpen(ev, t, &slopes)?;
        ev.run(&model.relation_program)
    }

    /// The slope over a second has lost digits where the threshold is far away. The next instant, and what comes with it, is corrected by
    /// what is left of its condition there.
    fn sharpen(&mut self, ev: &mut Evaluator, t: f64, slopes: &[f64]) -> Result<(), Failure> {
        let next = self.relations.iter().copied().fold(f64::INFINITY, f64::min);
        if next == f64::INFINITY || next <= t {
            return Ok(());
        }
        let model = ev.model.clone();
        ev.set(Layout::TIME, next);
        let there = ev.run(&model.relation_program);
        for (k, r) in model.relations.iter().enumerate() {
            if self.relations[k] <= next + ROUGHLY * next.abs() {
                self.relations[k] = sharper(next, ev.get(r.zero), slopes[k]).max(t);
            }
        }
        ev.set(Layout::TIME, t);
        there
    }

    /// What is still to come, as numbers: for [`TimeEvents::restore`] of the same model.
    pub fn memory(&self) -> Vec<f64> {
        let samplers = self.samplers.all.iter().map(|s| s.next);
        samplers.chain(self.relations.iter().copied()).collect()
    }

    /// Back to where [`TimeEvents::memory`] was asked; false if that was of another model.
    pub fn restore(&mut self, memory: &[f64]) -> bool {
        let samplers = &mut self.samplers.all;
        if memory.len() != samplers.len() + self.relations.len() {
            return false;
        }
        let (next, relations) = memory.split_at(samplers.len());
        for (sampler, &next) in samplers.iter_mut().zip(next) {
            sampler.next = next;
        }
        self.relations.copy_from_slice(relations);
        true
    }

    pub fn next(&self) -> f64 {
        let relations = self.relations.iter().copied();
        relations.fold(self.samplers.next(), f64::min)
    }

    /// The shortest interval of a sampler.
    pub fn shortest_interval(&self) -> Option<f64> {
        self.samplers.shortest_interval()
    }

    /// Finds samplers and relations that are due at `t`; samplers move on to their next instant. `with_others`: something else happens in
    /// this instant too.
    pub fn take_due(&mut self, ev: &Evaluator, t: f64, with_others: bool, due: &mut Due) {
        self.samplers.take_due(t, &mut due.samplers);
        due.relations.clear();
        let mut any = with_others || !due.samplers.is_empty();
        for (i, at) in self.relations.iter_mut().enumerate() {
            if *at <= t || same_time(*at, t) {
                let r = &ev.model.relations[i];
                let new = ev.get(r.memory) == 0.0;
                // What its threshold itself gives.
                any |= holds(r.op, 0.0, 0.0) == new;
                due.relations.push((i, new));
                *at = f64::INFINITY;
            }
        }
        if any {
            for (k, new) in &mut due.relations {
                *new = holds(ev.model.relations[*k].op, 0.0, 0.0);
            }
        }
    }
}
