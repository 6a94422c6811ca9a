//! Steps that are too long, told by what they do.
//!
//! In: the states at a few steps in a row, now and then. Out: an error where a state has left its scale and the formula or an iteration that does not converge
//! is the reason; a warning where a state goes up and down with every step, or where the trapezoidal rule carries the slope of the start through a first step at
//! whose end it is gone: a capacitor that a junction discharges within nanoseconds then loses as much as if that went on for half the step.
//!
//! Where a state swings across a condition there are events at every few steps instead, and each of them begins a new past: the current of an inductance whose last
//! way is closed goes back and forth through its diodes, with voltages of any size, as an event that is late lets it go too far. That is a warning too.
//!
//! The trapezoidal rule multiplies a mode λ by (1 + hλ/2)/(1 − hλ/2) a step: a fast one rings with the ratio −ρ, ρ near one, and does
//! not for h|λ| ≤ 2, that is with steps of h (1 − ρ)/(1 + ρ). For explicit steps see [`ferrica_solvers::stability`].

use ferrica_codegen::{Evaluator, Failure, Slot};
use ferrica_ir::Span;
use ferrica_ir::print::brief;
use ferrica_sim::{AGAIN, EXPLAINED, GROWN, SimError, Warning, growing_mode};
use ferrica_solvers::stability::Mode;

use super::March;
use super::truncation::Truncation;
use crate::method::{BdfStart, Method, RtOptions};

/// Steps between two looks, and steps in a row of each.
pub(crate) const EVERY: u64 = 64;
pub(crate) const LOOKED_AT: usize = 4;
/// Differences of alternating sign, in parts of the state, that are ringing; each is at least this part of the one before.
const RINGS: f64 = 1e-3;
const LASTS: f64 = 0.5;
/// Looks that have seen it.
const SEEN: u32 = 3;
/// Events of conditions between two looks that are many: what happens between them has no steps. So many of those that have acted at a grid point behind them are. And h|λ| from which on the formula swings.
const MANY_EVENTS: u64 = EVERY / 2;
const MANY_LATE: u64 = EVERY / 8;
const SWINGS: f64 = 2.0;
/// Steps in a row whose mode is looked for then: it is another one on each side of a condition.
const MODES: u32 = 6;
/// Order of the explicit formula.
const ORDER: usize = 2;
/// Part of a state that it may move in the first step by what its slope loses there.
pub(crate) const CARRIED: f64 = 0.1;

#[derive(Default)]
pub(super) struct Divergence {
    /// Of each state: its size, and the value at which it is looked at next.
    sizes: Vec<(f64, f64)>,
    /// States at the steps of this look.
    rows: Vec<Vec<f64>>,
    /// Events and unconverged steps when the look began.
    events: u64,
    unconverged: u64,
    /// Events of conditions until the last look; since when there were many, and how often that was seen.
    crossings: u64,
    late: u64,
    swinging: Option<(f64, u32)>,
    /// Steps whose mode is still to be looked for, and the fastest that was seen there.
    modes_left: u32,
    fastest: f64,
    /// State that rings, the ratio of its differences, since when, and how often that was seen.
    ringing: Option<(usize, f64, f64, u32)>,
    pub(super) truncation: Truncation,
}

impl Divergence {
    /// The slots hold the solution at the start.
    pub(super) fn begin(&mut self, march_sizes: impl Iterator<Item = f64>) {
        self.sizes = march_sizes.map(|s| (s, GROWN * s)).collect();
        self.rows = vec![vec![0.0; self.sizes.len()]; LOOKED_AT];
        self.truncation.begin(self.sizes.len());
    }
}

/// Is the first step one of the trapezoidal rule?
pub(crate) fn carries_slopes(options: &RtOptions) -> bool {
    match options.method {
        Method::Ode => false,
        Method::Trapezoid | Method::TrapezoidUnprojected => true,
        Method::Bdf1 | Method::Bdf2 | Method::Bdf3 => options.start == BdfStart::Trapezoid,
    }
}

/// Of each state: its value at the start or its nominal value, whichever is larger.
pub(crate) fn state_sizes(ev: &Evaluator) -> Vec<f64> {
    let first = ev.model.layout.states;
    let states = ev.states().iter().zip(first..);
    states
        .map(|(x, slot)| x.abs().max(ev.model.nominal(slot)))
        .collect()
}

impl March<'_> {
    /// Derivatives of the states at the start, where the first step is one of the trapezoidal rule.
    pub(super) fn first_slopes(&self) -> Option<Vec<f64>> {
        carries_slopes(self.options).then(|| self.p.ev.derivatives().to_vec())
    }

    /// After the first step.
    pub(super) fn watch_start(&mut self, slopes: &[f64]) {
        let first = self.model.layout.states;
        let half = 0.5 * self.grid.step;
        let carried = |j: usize| {
            let moved = half * (slopes[j] - self.p.ev.derivatives()[j]).abs();
            let (size, _) = self.divergence.sizes[j];
            moved / size.max(self.p.ev.states()[j].abs())
        };
        let all = (0..slopes.len()).map(|j| (j, carried(j)));
        let Some((j, part)) = all.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        if part > CARRIED && part.is_finite() {
            let message = format!(
                "`{}` moves by {:.0} % of its size in the first step with a slope that is gone at its end: a step of {} is too long for what happens at the start",
                self.model.var_name(first + j as u32),
                100.0 * part,
                brief(self.grid.step)
            );
            self.warn(vec![Warning {
                time: self.now,
                message,
                span: Span::NONE,
            }]);
        }
    }

    pub(super) fn begin_watch(&mut self) {
        self.divergence.begin(self.sizes.iter().copied());
    }

    /// After step number `k`, its events included.
    pub(super) fn watch_states(&mut self, k: u64) -> Result<(), SimError> {
        if self.divergence.modes_left > 0 {
            self.divergence.modes_left -= 1;
            self.look_for_swinging();
        }
        let at = (k % EVERY) as usize;
        if at >= LOOKED_AT || self.divergence.sizes.is_empty() {
            return Ok(());
        }
        let stats = &self.run.stats;
        let events = stats.state_events + stats.time_events;
        let watch = &mut self.divergence;
        if at == 0 {
            watch.events = events;
        }
        watch.rows[at].copy_from_slice(self.p.ev.states());
        if at + 1 < LOOKED_AT {
            return Ok(());
        }
        let crossings = self.run.stats.state_events;
        let before = std::mem::replace(&mut watch.crossings, crossings);
        let late = std::mem::replace(&mut watch.late, self.run.late_events);
        if crossings - before >= MANY_EVENTS || self.run.late_events - late >= MANY_LATE {
            watch.modes_left = MODES;
            let (since, seen) = watch.swinging.unwrap_or((self.now, 0));
            watch.swinging = Some((since, seen + 1));
        }
        if events == watch.events {
            watch.truncation.look(self.options.method, &watch.rows);
            self.look_for_ringing();
        }
        let unconverged = self.run.unconverged_steps > self.divergence.unconverged;
        self.divergence.unconverged = self.run.unconverged_steps;
        self.look_for_growth(unconverged)
    }

    fn look_for_ringing(&mut self) {
        let watch = &mut self.divergence;
        let rows = &watch.rows;
        let rings = |j: usize| {
            let d: [f64; LOOKED_AT - 1] = std::array::from_fn(|i| rows[i + 1][j] - rows[i][j]);
            let size = rows.iter().fold(0.0, |m: f64, r| m.max(r[j].abs()));
            let alternates = d.windows(2).all(|w| w[0] * w[1] < 0.0);
            let lasts = d.windows(2).all(|w| w[1].abs() >= LASTS * w[0].abs());
            let shows = d[LOOKED_AT - 2].abs() > RINGS * size;
            (alternates && lasts && shows).then(|| (d[2] / d[1]).abs())
        };
        match &mut watch.ringing {
            Some((j, ratio, _, seen)) if *seen < SEEN => match rings(*j) {
                Some(now) => (*ratio, *seen) = (now, *seen + 1),
                None => watch.ringing = None,
            },
            Some(_) => {}
            None => {
                let found = (0..watch.sizes.len()).find_map(|j| Some((j, rings(j)?)));
                watch.ringing = found.map(|(j, ratio)| (j, ratio, self.now, 1));
            }
        }
    }

    /// Is there a mode that the formula lets swing?
    fn look_for_swinging(&mut self) {
        let Some(mode) = self.mode() else {
            return;
        };
        let speed = mode.size();
        if mode.re < 0.0 && self.grid.step * speed > SWINGS {
            let watch = &mut self.divergence;
            watch.fastest = watch.fastest.max(speed);
        }
    }

    /// What was seen of it.
    pub(super) fn tell_swinging(&mut self) {
        let seen_enough = |(_, seen): &(f64, u32)| *seen >= SEEN;
        let Some((since, _)) = self.divergence.swinging.filter(seen_enough) else {
            return;
        };
        let speed = self.divergence.fastest;
        let why = if speed > 0.0 {
            format!(
                "beside a motion of {:.1e} s, which steps of {} carry back and forth across their conditions; steps of {:.1e} would follow it",
                1.0 / speed,
                brief(self.grid.step),
                SWINGS / speed,
            )
        } else {
            format!(
                "which steps of {} find late and go on from; shorter ones are late by less",
                brief(self.grid.step)
            )
        };
        let message = format!(
            "from time {} on there are events at every few steps, {why}: values beside them are noise of the formula. A solver that chooses its steps finds events where they are",
            brief(since),
        );
        self.warn(vec![Warning {
            time: since,
            message,
            span: Span::NONE,
        }]);
    }

    fn look_for_growth(&mut self, unconverged: bool) -> Result<(), SimError> {
        let first = self.model.layout.states;
        for j in 0..self.divergence.sizes.len() {
            let value = self.p.ev.get(first + j as u32).abs();
            let (size, limit) = self.divergence.sizes[j];
            if value < limit {
                continue;
            }
            while self.divergence.sizes[j].1 <= value {
                self.divergence.sizes[j].1 *= AGAIN;
            }
            let why = if self.options.method == Method::Ode {
                let elapsed = self.now - self.grid.start;
                let h = self.grid.step;
                let mode = self.mode();
                let mode = mode
                    .filter(|m| elapsed / h * m.excess(h, ORDER) > EXPLAINED * (value / size).ln());
                mode.map(|m| {
                    let step = m.stable_step(h, ORDER, elapsed);
                    format!("a step of {} is too long for rt-ode, which is stable here up to about {step:.1e}", brief(h))
                })
            } else {
                unconverged.then(|| {
                    format!(
                        "steps of {} do not converge in {} Newton iterations",
                        brief(self.grid.step),
                        self.options.iterations
                    )
                })
            };
            if let Some(why) = why {
                let name = self.model.var_name(first + j as u32);
                let text = format!(
                    "`{name}` leaves its scale ({value:.1e} at time {}): {why}",
                    brief(self.now)
                );
                return Err(SimError {
                    hint: Some("a smaller --step, more --iterations, or rt-bdf1".to_string()),
                    ..SimError::new("E0616", self.now, Failure::new(text))
                });
            }
        }
        Ok(())
    }

    /// The mode that the states follow.
    fn mode(&self) -> Option<Mode> {
        let layout = &self.model.layout;
        let states: Vec<(Slot, Slot)> = (0..layout.n_states as Slot)
            .map(|k| (layout.states + k, layout.derivatives + k))
            .collect();
        let sizes = self.divergence.sizes.iter().map(|s| s.0);
        growing_mode(&self.p.ev, &states, sizes, self.grid.step, |ev| {
            ev.run(&self.model.continuous_program).is_ok()
        })
    }

    /// What was seen of ringing.
    pub(super) fn tell_ringing(&mut self) {
        let Some((j, ratio, since, seen)) = self.divergence.ringing else {
            return;
        };
        if seen < SEEN {
            return;
        }
        let ratio = ratio.min(1.0);
        let step = self.grid.step * (1.0 - ratio) / (1.0 + ratio);
        let would = if step > 1e-3 * self.grid.step {
            format!("steps of {step:.1e} would not, nor would rt-bdf2")
        } else {
            "rt-bdf1 and rt-bdf2 damp it".to_string()
        };
        let name = self.model.var_name(self.model.layout.states + j as u32);
        let message = format!(
            "`{name}` rings with every step from time {} on: {would}",
            brief(since)
        );
        self.warn(vec![Warning {
            time: since,
            message,
            span: Span::NONE,
        }]);
    }
}
