//! Trajectories of what follows from time alone but has a memory: the line of a table that holds, the number of a pulse, a filtered signal.
//!
//! In: a causal model of such variables. Out: their values at any time and the times at which they jump, by a run of the ordinary engine.
//! Discrete variables are kept by their changes; others by rows as dense as interpolation between them needs.

use std::sync::Arc;

use ferrica_codegen::{CompileOptions, CompiledModel, Form, Slot, compile};
use ferrica_ir::Diagnostic;
use ferrica_ir::causal::CausalModel;
use ferrica_sim::{Experiment, SimError};

/// Rows of the first run; each further one has [`DENSER`] times as many.
const ROWS: f64 = 500.0;
const DENSER: f64 = 4.0;
const RUNS: usize = 6;
/// Error of interpolation, and tolerance of the run, over the tolerance that is asked for.
const FINER: f64 = 0.02;
/// Rows that a value between them is found by.
const NEIGHBOURS: usize = 4;

/// Where a variable is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(usize);

#[derive(Clone, Debug, Default)]
struct Held {
    slot: Slot,
    negated: bool,
    is_discrete: bool,
    /// Of a discrete variable its changes, of another one all rows.
    times: Vec<f64>,
    values: Vec<f64>,
    /// First rows after jumps.
    begins: Vec<usize>,
}

pub struct Timeline {
    model: Arc<CompiledModel>,
    experiment: Experiment,
    held: Vec<Held>,
    /// Instants of events.
    events: Vec<f64>,
}

impl Timeline {
    /// For variables by slot and sign, and whether each is discrete.
    pub fn new(
        model: CausalModel,
        wanted: impl Fn(&CompiledModel) -> Vec<(Slot, bool, bool)>,
        experiment: &Experiment,
    ) -> Result<Timeline, SimError> {
        let options = CompileOptions {
            form: Form::Ode,
            ..CompileOptions::default()
        };
        let failed = |list: Vec<Diagnostic>| match list.into_iter().next() {
            Some(first) => SimError::of(experiment.start, first),
            None => SimError::interrupted(experiment.start),
        };
        let model = Arc::new(compile(model, &options).map_err(failed)?);
        let held = wanted(&model).into_iter();
        let held: Vec<Held> = held
            .map(|(slot, negated, is_discrete)| Held {
                slot,
                negated,
                is_discrete,
                ..Held::default()
            })
            .collect();
        let mut timeline = Timeline {
            experiment: Experiment {
                tolerance: FINER * experiment.tolerance,
                wanted: Some(held.iter().map(|h| h.slot).collect()),
                step: None,
                from: None,
                initialized: None,
                ..experiment.clone()
            },
            model,
            held,
            events: Vec::new(),
        };
        timeline.run(experiment.tolerance)?;
        Ok(timeline)
    }

    pub fn column(&self, k: usize) -> Option<Column> {
        (k < self.held.len()).then_some(Column(k))
    }

    pub fn end(&self) -> f64 {
        self.experiment.stop
    }

    /// Goes on until a later time.
    pub fn cover(&mut self, stop: f64) -> Result<(), SimError> {
        if stop <= self.experiment.stop {
            return Ok(());
        }
        self.experiment.stop = stop;
        self.run(self.experiment.tolerance / FINER)
    }

    fn run(&mut self, tolerance: f64) -> Result<(), SimError> {
        let span = self.experiment.stop - self.experiment.start;
        let mut rows = ROWS;
        for run in 1..=RUNS {
            self.experiment.interval = span / rows;
            self.record()?;
            let rough = |h: &Held| !h.is_discrete && h.roughness() > FINER * tolerance;
            if run == RUNS || !self.held.iter().any(rough) {
                break;
            }
            rows *= DENSER;
        }
        Ok(())
    }

    fn record(&mut self) -> Result<(), SimError> {
        for h in &mut self.held {
            h.times.clear();
            h.values.clear();
            h.begins.clear();
        }
        self.events.clear();
        let (held, events) = (&mut self.held, &mut self.events);
        let mut last = f64::NEG_INFINITY;
        let mut sink = |time: f64, slots: &[f64]| {
            if time <= last {
                if events.last() != Some(&time) {
                    events.push(time);
                }
                held.iter_mut().for_each(|h| h.begin(time));
            }
            last = time;
            held.iter_mut().for_each(|h| h.add(time, slots));
        };
        ferrica_sim::simulate(&self.model, &self.experiment, &mut sink).map(|_| ())
    }

    /// Just after a time.
    pub fn value(&self, column: Column, time: f64) -> f64 {
        self.held[column.0].value(time)
    }

    pub fn rate(&self, column: Column, time: f64) -> f64 {
        self.held[column.0].rate(time)
    }

    /// Is a variable the same over the whole run?
    pub fn is_constant(&self, column: Column) -> bool {
        let values = &self.held[column.0].values;
        values.iter().all(|v| Some(v) == values.first())
    }

    /// The first time after this one at which one of the variables jumps or bends.
    pub fn next_event(&self, columns: &[Column], time: f64) -> f64 {
        let after = |list: &[f64]| list.get(list.partition_point(|t| *t <= time)).copied();
        let of = columns.iter().filter_map(|c| match &self.held[c.0] {
            h if h.is_discrete => after(&h.times),
            _ => after(&self.events),
        });
        of.fold(f64::INFINITY, f64::min)
    }
}

impl Held {
    /// A jump: what follows is a curve of its own.
    fn begin(&mut self, time: f64) {
        if self.is_discrete {
            return;
        }
        match self.begins.last() {
            // Several rows of one event: the last one counts.
            Some(&k) if self.times[k..].iter().all(|t| *t == time) => {
                self.times.truncate(k);
                self.values.truncate(k);
            }
            _ => self.begins.push(self.times.len()),
        }
    }

    fn add(&mut self, time: f64, slots: &[f64]) {
        let value = slots[self.slot as usize];
        let value = if self.negated { -value } else { value };
        if self.is_discrete {
            if self.times.last() == Some(&time) {
                self.times.pop();
                self.values.pop();
            }
            if self.values.last() == Some(&value) {
                return;
            }
        }
        self.times.push(time);
        self.values.push(value);
    }

    fn value(&self, time: f64) -> f64 {
        if self.is_discrete {
            let k = self.times.partition_point(|t| *t <= time);
            return self
                .values
                .get(k.saturating_sub(1))
                .copied()
                .unwrap_or(f64::NAN);
        }
        let (from, until) = self.near(time);
        lagrange(&self.times[from..until], &self.values[from..until], time)
    }

    fn rate(&self, time: f64) -> f64 {
        if self.is_discrete {
            return 0.0;
        }
        let (from, until) = self.near(time);
        slope(&self.times[from..until], &self.values[from..until], time)
    }

    /// Rows around a time on the same side of all jumps.
    fn near(&self, time: f64) -> (usize, usize) {
        let segment = self
            .begins
            .partition_point(|&k| self.times.get(k).is_some_and(|t| *t <= time));
        let first = if segment == 0 {
            0
        } else {
            self.begins[segment - 1]
        };
        let last = self
            .begins
            .get(segment)
            .copied()
            .unwrap_or(self.times.len());
        let at = first + self.times[first..last].partition_point(|t| *t <= time);
        let from = at.saturating_sub(NEIGHBOURS / 2).max(first);
        let until = (from + NEIGHBOURS).min(last);
        (until.saturating_sub(NEIGHBOURS).max(first), until)
    }

    /// How far every second row is from where the others lead, over the range.
    fn roughness(&self) -> f64 {
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self
            .values
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let mut ends = self.begins.clone();
        ends.push(self.times.len());
        let (mut worst, mut from) = (0.0f64, 0);
        for end in ends {
            let (times, values) = (&self.times[from..end], &self.values[from..end]);
            from = end;
            for k in (3..times.len().saturating_sub(3)).step_by(2) {
                let others = [k - 3, k - 1, k + 1, k + 3];
                let found = lagrange(
                    &others.map(|j| times[j]),
                    &others.map(|j| values[j]),
                    times[k],
                );
                worst = worst.max((found - values[k]).abs());
            }
        }
        // Interpolation of third degree over twice the distance is sixteen times as far off.
        worst / 16.0 / (high - low).max(f64::MIN_POSITIVE)
    }
}

fn lagrange(times: &[f64], values: &[f64], t: f64) -> f64 {
    let term = |k: usize| {
        let factors = (0..times.len()).filter(|j| *j != k);
        factors
            .map(|j| (t - times[j]) / (times[k] - times[j]))
            .product::<f64>()
    };
    (0..times.len()).map(|k| values[k] * term(k)).sum()
}

/// Of the same polynomial.
fn slope(times: &[f64], values: &[f64], t: f64) -> f64 {
    let n = times.len();
    let mut sum = 0.0;
    for k in 0..n {
        for skipped in (0..n).filter(|s| *s != k) {
            let factors = (0..n).filter(|j| *j != k && *j != skipped);
            let rest: f64 = factors
                .map(|j| (t - times[j]) / (times[k] - times[j]))
                .product();
            sum += values[k] * rest / (times[k] - times[skipped]);
        }
    }
    sum
}
