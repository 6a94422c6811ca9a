//! A march against the clock, of this crate or of another engine: when a step may begin, how long it took, rows kept until the end.

use std::time::{Duration, Instant};

use ferrica_codegen::{CompiledModel, Failure, Slot};
use ferrica_sim::{Experiment, SimError, Sink};

use crate::clock::Privileges;
use crate::exchange::{Exchange, Peers, Traffic};
use crate::grid::Grid;
use crate::latency::Histogram;

/// What is left to the next step below this is waited for by looking at the clock, not by sleeping.
const SPIN: Duration = Duration::from_micros(200);
/// Numbers that may be kept for rows.
const MAX_KEPT: usize = 1 << 28;
/// Rows for events that there is room for beside those of output points.
const EVENT_ROWS: usize = 10_000;

/// Paced by the clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RealTime {
    pub peers: Option<Peers>,
}

/// What the clock said.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// Work of a step, and from when it could begin to when it was done.
    pub work: Histogram,
    pub response: Histogram,
    pub deadline_misses: u64,
    /// Seconds of the longest step, and its time in the model.
    pub longest: (f64, f64),
    pub memory_locked: bool,
    pub real_time_priority: bool,
    pub traffic: Option<Traffic>,
    /// Inputs were to come by datagrams.
    pub listens: bool,
    /// Rows for which there was no room.
    pub dropped_rows: u64,
}

/// See the module comment.
pub struct Pace {
    origin: Instant,
    step: f64,
    began: Instant,
    release: Instant,
    pub timing: Timing,
    pub exchange: Option<Exchange>,
    privileges: Privileges,
    rows: Rows,
}

/// Rows in memory that was there before the loop.
struct Rows {
    slots: Vec<Slot>,
    times: Vec<f64>,
    values: Vec<f64>,
    room: usize,
}

impl Pace {
    /// For a run of another engine that goes by the grid of this experiment; and how many steps that has.
    pub fn beside(
        model: &CompiledModel,
        experiment: &Experiment,
        options: &RealTime,
    ) -> Result<(Pace, u64), SimError> {
        let wrong = |code, failure| SimError::new(code, experiment.start, failure);
        let step = experiment.step.unwrap_or(experiment.interval);
        let grid =
            Grid::new(experiment.start, experiment.stop, step).map_err(|f| wrong("E0704", f))?;
        let pace = Pace::new(model, experiment, &grid, options);
        let pace = pace.map_err(|text| wrong("E0704", Failure::new(text)))?;
        Ok((pace, grid.steps))
    }

    /// Instant number `k` of the grid: the step before it is done, its outputs go out, and the next one begins when the clock says so, with the inputs that have come.
    /// There is none behind the last instant. The first one begins the loop.
    pub fn turn(
        &mut self,
        (k, last): (u64, u64),
        time: f64,
        slots: &mut [f64],
    ) -> Result<(), Failure> {
        if k == 0 {
            self.begin();
        } else {
            self.done(time);
            if let Some(exchange) = &mut self.exchange {
                exchange.send(k, time, slots);
            }
        }
        if k >= last {
            return Ok(());
        }
        self.wait(k + 1);
        match &mut self.exchange {
            Some(exchange) => {
                exchange.receive(slots);
                exchange.is_heard()
            }
            None => Ok(()),
        }
    }

    pub fn new(
        model: &CompiledModel,
        experiment: &Experiment,
        grid: &Grid,
        options: &RealTime,
    ) -> Result<Pace, String> {
        let slots = match &experiment.wanted {
            Some(wanted) => wanted.clone(),
            None => (0..model.slot_count() as Slot)
                .filter(|&s| model.variable(s).is_some())
                .collect(),
        };
        let points = if experiment.interval > 0.0 {
            ((grid.stop - grid.start) / experiment.interval).ceil() as usize
        } else {
            0
        };
        let room = points.saturating_add(3 + EVENT_ROWS.min(MAX_KEPT / 8 / slots.len().max(1)));
        if room.saturating_mul(slots.len() + 1) > MAX_KEPT {
            return Err(format!(
                "{points} rows of {} variables are too many to keep in memory until the end: ask for fewer variables or a longer interval",
                slots.len()
            ));
        }
        let exchange = match &options.peers {
            Some(peers) => Some(
                Exchange::new(model, peers)
                    .map_err(|e| format!("the exchange of inputs and outputs cannot begin: {e}"))?,
            ),
            None => None,
        };
        // Filled, so that the memory is there.
        let mut times = vec![1.0; room];
        let mut values = vec![1.0; room * slots.len()];
        times.clear();
        values.clear();
        let now = Instant::now();
        Ok(Pace {
            origin: now,
            step: grid.step,
            began: now,
            release: now,
            timing: Timing::default(),
            exchange,
            privileges: Privileges::default(),
            rows: Rows {
                slots,
                times,
                values,
                room,
            },
        })
    }

    /// The loop begins.
    pub fn begin(&mut self) {
        self.privileges = Privileges::ask();
        self.timing.memory_locked = self.privileges.locked;
        self.timing.real_time_priority = self.privileges.first;
        self.origin = Instant::now();
        if let Some(exchange) = &mut self.exchange {
            exchange.begin();
        }
    }

    /// Waits until step number `k` may begin.
    pub fn wait(&mut self, k: u64) {
        let release = self.origin + Duration::from_secs_f64((k - 1) as f64 * self.step);
        loop {
            let now = Instant::now();
            if now >= release {
                self.began = now;
                break;
            }
            let left = release - now;
            if left > 2 * SPIN {
                std::thread::sleep(left - SPIN);
            } else {
                std::hint::spin_loop();
            }
        }
        self.release = release;
    }

    /// The step to time `t` is done.
    pub fn done(&mut self, t: f64) {
        let now = Instant::now();
        let work = now - self.began;
        self.timing.work.add(work.as_nanos() as u64);
        let response = now - self.release;
        self.timing.response.add(response.as_nanos() as u64);
        self.timing.deadline_misses += u64::from(response.as_secs_f64() > self.step);
        if work.as_secs_f64() > self.timing.longest.0 {
            self.timing.longest = (work.as_secs_f64(), t);
        }
    }

    /// The loop has ended.
    pub fn end(&mut self) {
        self.privileges = Privileges::default();
        self.timing.traffic = self.exchange.as_ref().map(|e| e.traffic);
        self.timing.listens = self.exchange.as_ref().is_some_and(|e| e.listens);
    }

    pub fn keep_row(&mut self, time: f64, slots: &[f64]) {
        let rows = &mut self.rows;
        if rows.times.len() == rows.room {
            self.timing.dropped_rows += 1;
            return;
        }
        rows.times.push(time);
        rows.values
            .extend(rows.slots.iter().map(|&s| slots[s as usize]));
    }

    /// Hands out the rows that were kept. `slots` give the values that do not change.
    pub fn write_rows(&mut self, slots: &[f64], sink: &mut dyn Sink) -> std::io::Result<()> {
        let mut all = slots.to_vec();
        let width = self.rows.slots.len().max(1);
        for (k, &t) in self.rows.times.iter().enumerate() {
            all[0] = t;
            let values = self.rows.values[k * width..].iter();
            for (&s, v) in self.rows.slots.iter().zip(values) {
                all[s as usize] = *v;
            }
            sink.row(t, &all)?;
        }
        Ok(())
    }
}
