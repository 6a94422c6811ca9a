//! Instants inside of a step.
//!
//! In: a step of the formula from one grid point to the next, and what has turned or was due within it. Out: the states at the grid point, each instant met where it is.
//!
//! A known instant is where it is; a condition that turns between two grid points is looked for on the curves on which the states go from one to the other. The event sees
//! the states there. Behind it the formula takes a whole step, for which its matrix is there already, and the curves of that step lead back to the grid
//! (interpolation of switching instants: Kuffel, Kent and Irwin, 1997). At the grid point an event would be late by up to a step, which is an error of first order whatever
//! the formula; on a curve it is of the order of the curve.
//!
//! Where an event leaves what dies away within a step ([`super::restart`]), a curve would lead back into the middle of that; there the formula takes two steps, and a
//! straight line through their ends leads back. What turns while it dies away is looked for on a curve that has it at the begin of the step ([`super::curve`]): first whether it
//! turns by then at all, then along the exponential or on the rest of the curve.
//!
//! A condition has turned where it is beyond its threshold by the hysteresis of all engines: at the threshold itself rounding would turn it back.
//!
//! The first [`AT_MOST`] instants of a step are met so, for the sake of its time. What is left over acts at the grid point.

use ferrica_codegen::CompiledModel;
use ferrica_sim::{HYSTERESIS, HYSTERESIS_OF_TOLERANCE, SimError, Sink, holds};

use super::March;
use super::curve::{Curve, End, Way};
use super::grid_point::differ;
use crate::method::Method;

/// Instants of a step that are met where they are.
pub(crate) const AT_MOST: usize = 4;
/// Looks for a crossing on a curve, and how near it must be met, in widths of its hysteresis.
pub(crate) const LOOKS: usize = 8;
pub(crate) const MET: f64 = 1e-2;

#[derive(Default)]
pub(super) struct Within {
    /// The present curve, and the crossing functions where it begins.
    curve: Curve,
    zeros: Vec<f64>,
    /// Behind an event: the bends of what it has left to die away within the next step.
    bends: Option<Vec<f64>>,
    /// The crossing functions in their slots are those of the present point.
    current: bool,
    /// Are instants met?
    possible: bool,
    /// All unknowns and derivatives at the grid point.
    unknowns: Vec<f64>,
    rates: Vec<f64>,
    /// The present grid point was reached on curves: the formula begins anew there.
    pub(super) resynchronized: bool,
    /// What is left acts at the grid point, late.
    pub(super) late: bool,
}

/// An instant on the present curve: the part of it that lies before, and the relation that turns there if its time was not known.
#[derive(Clone, Copy)]
struct Instant {
    time: f64,
    part: f64,
    relation: Option<usize>,
}

/// Where a straight line from `g0` to `g1` is half a width behind a hysteresis that ends at 0, as a part of it.
fn between(g0: f64, g1: f64, width: f64) -> f64 {
    match g0 {
        g0 if g0 > 0.0 => ((g0 + 0.5 * width) / (g0 - g1)).min(1.0),
        _ => 0.0,
    }
}

/// How a step has come to its end.
pub(super) struct Reached {
    /// Where the curve to the grid point begins, and the time up to which delayed signals are remembered.
    pub(super) begin: f64,
    pub(super) remembered: f64,
    /// `terminate` has ended the run.
    pub(super) ended: bool,
}

/// Are there instants whose time is known?
pub(super) fn knows_instants(model: &CompiledModel) -> bool {
    !model.samplers.is_empty() || model.relations.iter().any(|r| r.time_event)
}

impl March<'_> {
    /// At the start. What follows the steps with a history of its own cannot go back within one.
    pub(super) fn begin_within(&mut self) {
        let happens = self.crosses || knows_instants(&self.model);
        self.within.possible = happens && self.p.ev.rt.followers.is_empty();
    }

    fn end_here(&self, time: f64) -> End {
        End {
            time,
            states: self.p.ev.states().to_vec(),
            slopes: self.p.ev.derivatives().to_vec(),
        }
    }

    /// The crossing functions at the present point.
    fn zeros_now(&mut self) -> Result<(), SimError> {
        let model = self.model.clone();
        if self.crosses {
            self.run_relations()?;
        }
        let zeros = model.relations.iter().map(|r| self.p.ev.get(r.zero));
        self.within.zeros.clear();
        self.within.zeros.extend(zeros);
        Ok(())
    }

    /// What relations compare, at the present point.
    pub(super) fn run_relations(&mut self) -> Result<(), SimError> {
        if self.within.current {
            return Ok(());
        }
        let model = self.model.clone();
        let done = self.p.ev.run(&model.relation_program);
        done.map_err(|e| self.fail("E0605", e))?;
        self.within.current = true;
        Ok(())
    }

    /// An event or an input has changed values.
    pub(super) fn crossings_are_old(&mut self) {
        self.within.current = false;
    }

    /// Behind an event: the bends of what dies away within the next step.
    pub(crate) fn leave_bends(&mut self, bends: Option<Vec<f64>>) {
        self.within.bends = bends;
    }

    /// Before a step from the present point.
    pub(super) fn begin_step(&mut self) -> Result<(), SimError> {
        if !self.within.possible {
            return Ok(());
        }
        self.place();
        self.zeros_now()?;
        self.within.curve.bends = self.within.bends.take();
        let begin = &mut self.within.curve.begin;
        begin.time = self.now;
        begin.states.clear();
        begin.states.extend_from_slice(self.p.ev.states());
        begin.slopes.clear();
        begin.slopes.extend_from_slice(self.p.ev.derivatives());
        Ok(())
    }

    /// A point of the curve, the part `s` of it, into the slots, with all that follows from the states there.
    fn go_to(&mut self, s: f64) -> Result<(), SimError> {
        let curve = &self.within.curve;
        let states: Vec<f64> = (0..curve.begin.states.len())
            .map(|k| curve.state(k, s))
            .collect();
        let t = curve.time(s);
        self.evaluate_at(t, &states)
    }

    /// The end of the present curve is the present point.
    fn end_curve(&mut self, time: f64) {
        self.within.curve.end = self.end_here(time);
        let (sizes, states) = (&self.sizes, self.p.ev.states());
        self.within.curve.settle(|k| sizes[k].max(states[k].abs()));
    }

    /// States at a time into the slots, with all that follows from them.
    fn evaluate_at(&mut self, t: f64, states: &[f64]) -> Result<(), SimError> {
        self.p.ev.set_time(t);
        self.p.ev.set_states(states);
        self.p.ev.invalidate();
        self.within.current = false;
        let model = self.model.clone();
        let done = self.p.apply_delays();
        done.and_then(|()| self.p.ev.run(&model.continuous_program))
            .map_err(|e| self.fail("E0605", e))
    }

    /// All unknowns of the grid point back into their slots.
    fn back_to_grid(&mut self, t: f64) -> Result<(), SimError> {
        let (y, rates) = (
            std::mem::take(&mut self.within.unknowns),
            std::mem::take(&mut self.within.rates),
        );
        self.p.place(t, &y, &rates);
        self.p.ev.invalidate();
        self.now = t;
        self.y.clone_from(&y);
        self.rates.clone_from(&rates);
        (self.within.unknowns, self.within.rates) = (y, rates);
        self.within.current = false;
        self.p.apply_delays().map_err(|e| self.fail("E0605", e))
    }

    /// Relations that have turned at the present point.
    fn turned(&self) -> Vec<usize> {
        let relations = self.model.relations.iter().enumerate();
        let turned = relations.filter(|(_, r)| {
            let now = holds(r.op, self.p.ev.get(r.lhs), self.p.ev.get(r.rhs));
            !r.time_event && now != (self.p.ev.get(r.memory) != 0.0)
        });
        turned.map(|(k, _)| k).collect()
    }

    /// How far relation `k`, which has turned at the present point, is beyond its hysteresis there, seen from its side before: the side, and the width.
    fn threshold(&self, k: usize) -> (f64, f64) {
        let r = &self.model.relations[k];
        let size = self.p.ev.get(r.lhs).abs().max(self.p.ev.get(r.rhs).abs());
        let side = if self.p.ev.get(r.zero) > 0.0 {
            -1.0
        } else {
            1.0
        };
        let width = HYSTERESIS * size + HYSTERESIS_OF_TOLERANCE * self.experiment.tolerance;
        (side, width)
    }

    /// The first instant inside of the curve: its time, which part of the curve it is, and the relation that turns there if its time was not known. The slots are anywhere on the
    /// curve then.
    fn first_instant(&mut self) -> Result<Option<Instant>, SimError> {
        let b = self.within.curve.end.time;
        let known =
            (self.next_due < b && !self.grid.same(self.next_due, b)).then_some(self.next_due);
        let known = known.map(|time| Instant {
            time,
            part: self.within.curve.part(time),
            relation: None,
        });
        let mut first: Option<(f64, usize)> = None;
        if self.crosses {
            for k in self.turned() {
                let (side, width) = self.threshold(k);
                let g0 = side * self.within.zeros[k] + width;
                let g1 = side * self.p.ev.get(self.model.relations[k].zero) + width;
                // Within its hysteresis at the grid point: it turns there.
                if g1 - 0.5 * width >= -width {
                    continue;
                }
                let s = between(g0, g1, width);
                if first.is_none_or(|(least, _)| s < least) {
                    first = Some((s, k));
                }
            }
        }
        let Some((s, k)) = first else {
            return Ok(known);
        };
        let even = self.within.curve.layer().is_none();
        if let Some(known) = known.filter(|i| even && i.part <= s) {
            return Ok(Some(known));
        }
        let part = self.crossing(k)?;
        let time = self.within.curve.time(part);
        Ok(match known.filter(|i| i.part <= part) {
            Some(known) => Some(known),
            None if self.grid.same(time, b) => None,
            None => Some(Instant {
                time,
                part,
                relation: Some(k),
            }),
        })
    }

    /// What relation `k` compares at a part of the curve, seen from its side before.
    fn look(&mut self, k: usize, s: f64, (side, width): (f64, f64)) -> Result<f64, SimError> {
        self.go_to(s)?;
        self.run_relations()?;
        Ok(side * self.p.ev.get(self.model.relations[k].zero) + width)
    }

    /// Where relation `k` has just turned, as a part of the curve: regula falsi with the Illinois rule, from its side before to that behind.
    fn crossing(&mut self, k: usize) -> Result<f64, SimError> {
        let zero = self.model.relations[k].zero;
        let (side, width) = self.threshold(k);
        let (mut low, mut g_low) = (0.0, side * self.within.zeros[k] + width);
        let (mut high, mut g_high) = (1.0, side * self.p.ev.get(zero) + width);
        let mut way = Way::Even(0.0, 1.0);
        if let Some((rate, dead)) = self.within.curve.layer() {
            way = Way::Layer { rate, to: dead };
            if dead < 1.0 {
                let g = self.look(k, dead, (side, width))?;
                if g < 0.0 {
                    g_high = g;
                } else {
                    g_low = g;
                    way = Way::Even(dead, 1.0);
                }
            }
        }
        let mut s = between(g_low, g_high, width);
        let mut last = 0;
        for _ in 0..LOOKS {
            let g = self.look(k, way.part(s), (side, width))?;
            if g < 0.0 {
                (high, g_high) = (s, g);
                if (g + 0.5 * width).abs() <= MET * width {
                    break;
                }
                if last == 1 {
                    g_low *= 0.5;
                }
                last = 1;
            } else {
                (low, g_low) = (s, g);
                if last == -1 {
                    g_high *= 0.5;
                }
                last = -1;
            }
            // Half a width behind the hysteresis.
            let (from, to) = (g_low + 0.5 * width, g_high + 0.5 * width);
            s = if from > 0.0 && to < 0.0 {
                (low * to - high * from) / (to - from)
            } else {
                0.5 * (low + high)
            };
            if !(s > low && s < high) {
                break;
            }
        }
        Ok(way.part(high))
    }

    /// The step from `begin` to the grid point `t` has been taken; what happens inside of it.
    pub(super) fn meet_instants(
        &mut self,
        begin: f64,
        t: f64,
        sink: &mut dyn Sink,
    ) -> Result<Reached, SimError> {
        let mut reached = Reached {
            begin,
            remembered: begin,
            ended: false,
        };
        (self.within.resynchronized, self.within.late) = (false, true);
        (self.within.current, self.now) = (false, t);
        if !self.within.possible {
            return Ok(reached);
        }
        self.place();
        for _ in 0..AT_MOST {
            let known = self.next_due < t && !self.grid.same(self.next_due, t);
            let crossed = self.crosses && self.relation_changed()?;
            if !known && !crossed {
                self.within.late = false;
                return Ok(reached);
            }
            self.outputs()?;
            let (mut y, mut rates) = (
                std::mem::take(&mut self.within.unknowns),
                std::mem::take(&mut self.within.rates),
            );
            self.p.gather(&mut y, &mut rates);
            (self.within.unknowns, self.within.rates) = (y, rates);
            self.end_curve(t);
            let found = self.first_instant();
            self.back_to_grid(t)?;
            let instant = match found {
                Ok(Some(found)) => found,
                Ok(None) => {
                    self.within.late = false;
                    return Ok(reached);
                }
                // No solution on the curve: the grid point is what there is.
                Err(_) => return Ok(reached),
            };
            let at = instant.time;
            self.output_between(reached.begin, at, t, sink)?;
            if self.event_at(instant, &mut reached, sink)? {
                return Ok(reached);
            }
            // The explicit method does not find back from another end to the mode of a stiff circuit.
            let explicit = self.options.method == Method::Ode;
            let moved = self.moved() || (!explicit && self.leads_elsewhere(t));
            if moved {
                self.begin_history(false)?;
            }
            self.first_delay_sources()?;
            if moved {
                self.resynchronize(at, t)?;
                reached.begin = at;
            } else {
                self.back_to_grid(t)?;
            }
        }
        Ok(reached)
    }

    /// The event at a point of the curve; true if `terminate` ended the run.
    fn event_at(
        &mut self,
        instant: Instant,
        reached: &mut Reached,
        sink: &mut dyn Sink,
    ) -> Result<bool, SimError> {
        let at = instant.time;
        self.go_to(instant.part)?;
        self.p.ev.set_time(at);
        self.outputs()?;
        self.now = at;
        self.p.gather(&mut self.y, &mut self.rates);
        self.push_delays(reached.remembered, at)?;
        reached.remembered = at;
        self.event_row(sink)?;
        let at_output = self.grid.same(self.output_points.next(), at);
        if at_output {
            self.output_points.pass();
        }
        let ended = if instant.relation.is_none() {
            self.run.stats.time_events += 1;
            self.known_events()?
        } else {
            self.run.stats.state_events += 1;
            self.event(&Vec::new(), &[])?
        };
        if at_output || ended {
            self.row(sink)?;
        } else {
            self.event_row(sink)?;
        }
        reached.ended = ended;
        Ok(ended)
    }

    /// An event that moves nothing where it is may still leave another mode, as a diode does that turns on at its knee: then the end of the step as it was
    /// taken, at `t`, is no point of that mode.
    fn leads_elsewhere(&mut self, t: f64) -> bool {
        let kept = self.p.ev.slots.clone();
        let states = self.within.curve.end.states.clone();
        let done = self.evaluate_at(t, &states).and_then(|()| self.outputs());
        let elsewhere = done.is_err() || {
            self.p.gather(&mut self.work, &mut self.known);
            let n = self.model.layout.n_states;
            differ(&self.work, &self.within.unknowns)
                || differ(&self.known[..n], &self.within.rates[..n])
        };
        self.p.ev.slots.copy_from_slice(&kept);
        self.p.ev.invalidate();
        self.within.current = false;
        elsewhere
    }

    /// From behind an event at `at` to the grid point `t`.
    fn resynchronize(&mut self, at: f64, t: f64) -> Result<(), SimError> {
        let dies_away = self.restart > 0;
        self.begin_step()?;
        self.step_off_grid(at, 1)?;
        if dies_away {
            let first = std::mem::take(&mut self.within.curve.end);
            self.step_off_grid(at, 2)?;
            self.back_along(&first, t)?;
        } else {
            self.go_to(self.within.curve.part(t))?;
        }
        self.now = t;
        self.p.gather(&mut self.y, &mut self.rates);
        self.within.resynchronized = true;
        Ok(())
    }

    /// Step number `k` behind an event at `at`.
    fn step_off_grid(&mut self, at: f64, k: u32) -> Result<(), SimError> {
        let end = at + f64::from(k) * self.grid.step;
        self.step(end)?;
        self.now = end;
        self.place();
        self.outputs()?;
        self.end_curve(end);
        Ok(())
    }

    /// From the end of the second step past that of the first to the grid point `t`, which is before both.
    fn back_along(&mut self, first: &End, t: f64) -> Result<(), SimError> {
        let second = &self.within.curve.end;
        let s = (first.time - t) / self.grid.step;
        let states: Vec<f64> = (first.states.iter())
            .zip(&second.states)
            .map(|(a, b)| a - s * (b - a))
            .collect();
        self.evaluate_at(t, &states)
    }
}
