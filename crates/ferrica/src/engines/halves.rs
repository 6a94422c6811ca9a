//! Does a run of fixed steps hold by half of its step?
//!
//! In: the rows of a run whose engine doubts that its steps resolve what happens (events by the states, motions that die away within a step, signals that turn
//! around within a few steps); the states of the same run with half of the step. Out: a warning, or an error, where the two lead to different places.
//!
//! Nothing else is sure. An instability that comes from formula and delays together is in no Jacobian of a part; an event that is a little late each time shifts the
//! phase of a thermostat without any trace in a single step. With half the step all of that is half as large, or a quarter.

use std::io;

use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::print::brief;
use ferrica_ir::{Diagnostic, Severity, Span};
use ferrica_sim::Sink;
use ferrica_solvers::integrator::Solution;
use rustc_hash::FxHashMap;

use crate::engines::solving::Broken;
use crate::failure::Failure;

/// Error in parts of the range that is told.
pub const TOLD: f64 = 0.02;
/// Growth of the formula that ends in an error; and such that a step that would do is said to leave over the run.
const GROWN: f64 = 1e4;
const TOLERATED: f64 = 1.1;
/// Growth from which on it is told as such.
const GROWS: f64 = 10.0;
/// Part of a value, or of its nominal one, within which it stands still.
const STILL: f64 = 1e-9;
/// Steps times equations of a run, some seconds of work, up to which it is repeated without a sign that it must be.
pub const CHEAP: f64 = 1e8;
/// Largest values of the second half of a run in parts of those of the first that are a sign.
const LARGER: f64 = 1.1;
/// Rows and states that are kept.
const MOST_ROWS: usize = 4096;
const MOST_STATES: usize = 64;

/// States of a run at some of its output points.
pub struct Kept {
    slots: Vec<Slot>,
    times: Vec<f64>,
    rows: Vec<Vec<f64>>,
    /// Every so many-th row is kept, and those since the last one.
    stride: usize,
    since: usize,
}

impl Kept {
    pub fn new(model: &CompiledModel) -> Kept {
        let states = &model.source.states;
        let of = |k: &Slot| {
            (model.variable(*k)).is_some_and(|v| model.source.vars[v].kind == Kind::State)
        };
        let all: Vec<Slot> = (states
            .iter()
            .filter_map(|&v| model.layout.place(v))
            .map(|p| p.0))
        .filter(of)
        .collect();
        let apart = all.len().div_ceil(MOST_STATES).max(1);
        Kept {
            slots: all.into_iter().step_by(apart).collect(),
            times: Vec::new(),
            rows: Vec::new(),
            stride: 1,
            since: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Is a state larger in the second half of the run, or does it turn around from row to row? So does what a formula lets grow, and what its steps do not resolve.
    pub fn swings(&self) -> bool {
        let middle = self.rows.len() / 2;
        let largest =
            |rows: &[Vec<f64>], j: usize| rows.iter().fold(0.0f64, |m, r| m.max(r[j].abs()));
        let squares = |j: usize, of: fn(&[f64]) -> f64, n: usize| -> f64 {
            let windows = self.rows.windows(n);
            windows
                .map(|w| of(&w.iter().map(|r| r[j]).collect::<Vec<f64>>()).powi(2))
                .sum()
        };
        (0..self.slots.len()).any(|j| {
            let grows =
                largest(&self.rows[middle..], j) > LARGER * largest(&self.rows[..middle], j);
            let slopes = squares(j, |w| w[1] - w[0], 2);
            let bends = squares(j, |w| w[2] - 2.0 * w[1] + w[0], 3);
            grows || (slopes > 0.0 && bends >= slopes)
        })
    }

    fn row(&mut self, time: f64, slots: &[f64]) {
        self.since += 1;
        if self.since < self.stride && !self.rows.is_empty() {
            return;
        }
        self.since = 0;
        self.times.push(time);
        self.rows
            .push(self.slots.iter().map(|&s| slots[s as usize]).collect());
        if self.rows.len() >= MOST_ROWS {
            let even = |k: &mut usize| {
                *k += 1;
                *k % 2 == 1
            };
            let (mut a, mut b) = (0, 0);
            self.times.retain(|_| even(&mut a));
            self.rows.retain(|_| even(&mut b));
            self.stride *= 2;
        }
    }
}

/// Gives the rows on to the sink of the run and keeps states.
pub struct Keeping<'a> {
    pub kept: Kept,
    pub inner: &'a mut dyn Sink,
}

impl Sink for Keeping<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.kept.row(time, slots);
        self.inner.row(time, slots)
    }

    fn event_row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.inner.event_row(time, slots)
    }

    fn wants_rows(&self) -> bool {
        true
    }

    fn wants_event_rows(&self) -> bool {
        self.inner.wants_event_rows()
    }

    fn interrupted(&mut self) -> bool {
        self.inner.interrupted()
    }

    fn instant(&mut self, slots: &[f64], forced: &[(usize, bool)], samplers: &[usize]) {
        self.inner.instant(slots, forced, samplers);
    }

    fn stepped(&mut self, from: f64, to: f64, solution: &dyn Solution) {
        self.inner.stepped(from, to, solution);
    }

    fn progress(&mut self, time: f64) {
        self.inner.progress(time);
    }

    fn end(&mut self, ev: &Evaluator, memory: &[f64]) {
        self.inner.end(ev, memory);
    }
}

/// Keeps states alone, as long as the sink of the run does not want to end.
pub struct Beside<'a> {
    pub kept: Kept,
    pub asked: &'a mut dyn Sink,
}

impl Sink for Beside<'_> {
    fn row(&mut self, time: f64, slots: &[f64]) -> io::Result<()> {
        self.kept.row(time, slots);
        Ok(())
    }

    fn event_row(&mut self, _time: f64, _slots: &[f64]) -> io::Result<()> {
        Ok(())
    }

    fn wants_event_rows(&self) -> bool {
        false
    }

    fn interrupted(&mut self) -> bool {
        self.asked.interrupted()
    }
}

/// How far two runs are apart.
struct Apart {
    slot: Slot,
    /// Root mean square of the differences in parts of the range, and when they are beyond what is told for the first time.
    part: f64,
    since: f64,
    /// Largest values of both.
    largest: (f64, f64),
}

fn apart(model: &CompiledModel, run: &Kept, half: &Kept) -> Option<Apart> {
    let of: FxHashMap<u64, usize> = (half.times.iter().enumerate())
        .map(|(k, t)| (t.to_bits(), k))
        .collect();
    let pairs: Vec<(usize, usize)> = (run.times.iter().enumerate())
        .filter_map(|(k, t)| Some((k, *of.get(&t.to_bits())?)))
        .collect();
    let one = |j: usize| {
        let values = || {
            pairs
                .iter()
                .map(|&(a, b)| (run.rows[a][j], half.rows[b][j]))
        };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut squares, mut largest) = (0.0, (0.0f64, 0.0f64));
        for (a, b) in values() {
            (low, high) = (low.min(b), high.max(b));
            squares += (a - b) * (a - b);
            largest = (largest.0.max(a.abs()), largest.1.max(b.abs()));
        }
        // What stands still has the range of its rounding.
        let still = STILL * largest.1.max(model.nominal(run.slots[j]));
        let range = (high - low).max(still);
        let part = (squares / pairs.len() as f64).sqrt() / range;
        let beyond =
            |&(a, b): &(usize, usize)| (run.rows[a][j] - half.rows[b][j]).abs() > TOLD * range;
        let since = pairs
            .iter()
            .find(|p| beyond(p))
            .map_or(0.0, |p| run.times[p.0]);
        (!part.is_nan()).then_some(Apart {
            slot: run.slots[j],
            part,
            since,
            largest,
        })
    };
    let all = (0..run.slots.len()).filter_map(one);
    all.max_by(|a, b| a.part.total_cmp(&b.part))
}

/// What is said of a run with steps of `step` of a formula of some order.
pub enum Verdict {
    Holds,
    Told(Diagnostic),
    /// The results are those of the formula alone.
    Broken(Diagnostic),
}

/// The run with half of the step has failed: so must have the one with the whole, where it is the steps that let something grow.
pub fn of_broken(broken: &Broken, step: f64) -> Verdict {
    let Failure::Model(told) = &broken.reason else {
        return Verdict::Holds;
    };
    let Some(error) = told.iter().find(|d| d.severity == Severity::Error) else {
        return Verdict::Holds;
    };
    if error.code == "E0609" {
        return Verdict::Holds;
    }
    let grows = error.code == "E0616";
    let text = format!(
        "with steps of {} the run ends at time {}: {}; with steps of {} that goes unnoticed",
        brief(0.5 * step),
        brief(broken.time),
        error.message,
        brief(step)
    );
    match grows {
        true => Verdict::Broken(Diagnostic {
            hint: error.hint.clone(),
            ..Diagnostic::error("E0616", Span::NONE, text)
        }),
        false => Verdict::Told(Diagnostic::warning("W0601", Span::NONE, text)),
    }
}

/// Compares a run with that of half of its step. `doubt` says what was seen.
pub fn compare(
    model: &CompiledModel,
    doubt: Option<&str>,
    (solver, step, order): (&str, f64, i32),
    run: &Kept,
    half: &Kept,
) -> Verdict {
    let Some(worst) = apart(model, run, half) else {
        return Verdict::Holds;
    };
    let name = model.var_name(worst.slot);
    let doubt = doubt.map_or(String::new(), |d| format!("{d}: "));
    let growth = worst.largest.0 / worst.largest.1;
    if growth > GROWS {
        let formula = 2.0 * growth.ln();
        let text = format!(
            "{doubt}`{name}` grows to {:.1e}, with half of the step to {:.1e}. A step of {} is too long for {solver}; about {:.0e} would do",
            worst.largest.0,
            worst.largest.1,
            brief(step),
            step * TOLERATED.ln() / formula,
        );
        return match growth > GROWN {
            true => Verdict::Broken(Diagnostic::error("E0616", Span::NONE, text).with_hint(
                "a smaller --step, a formula of higher order, or a solver that chooses its own steps",
            )),
            false => Verdict::Told(Diagnostic::warning("W0601", Span::NONE, text)),
        };
    }
    let share = f64::from(1 << order) / f64::from((1 << order) - 1);
    let error = share * worst.part;
    if error.is_nan() || error <= TOLD {
        return Verdict::Holds;
    }
    let would = match error < 0.5 {
        true => format!(
            "about {:.0e} would do",
            step * (TOLD / error).powf(1.0 / f64::from(order))
        ),
        false => "shorter ones would do".to_owned(),
    };
    let text = format!(
        "{doubt}by a run with half of the step, `{name}` is wrong by about {:.0} % of its range, from time {} on. Steps of {} are too long for {solver}; {would}",
        100.0 * error.min(1.0),
        brief(worst.since),
        brief(step),
    );
    Verdict::Told(Diagnostic::warning("W0601", Span::NONE, text))
}
