//! Random hybrid models in every engine, against an interpreter that shares nothing with the compiler.
//!
//! Models in which an arbitrarily small error decides what happens are no fair test; the interpreter finds them, and they are counted.

pub mod generate;
mod loops;
pub mod model;
pub mod reference;
pub mod shrink;

use std::fs;

use crate::cell::{Bench, Cell, Ended, word};
use crate::engines::{Engine, Way};
use crate::exported;
use crate::trajectory::Trajectory;
use model::Model;
use reference::{INTERVAL, Run, STOP, Unfair};

/// How far thresholds are moved to see what a late event costs: one step of an engine that acts on a grid, at twice the speed.
const MOVED: f64 = 2e-3;
/// The most that such a move may change.
const MOST_SPREAD: f64 = 0.1;
/// Rows this near to an instant are not compared.
const GUARD: f64 = 0.012;
/// What error control and the interpreter may be off together, as a part of max(1, |value|).
const FINE: f64 = 1e-4;

/// A fair model with what must come out.
#[derive(Clone, Debug)]
pub struct Trial {
    pub model: Model,
    truth: Run,
    /// Times between which nothing is compared.
    closed: Vec<(f64, f64)>,
    spread: f64,
}

impl Trial {
    pub fn new(model: Model) -> Result<Trial, Unfair> {
        let truth = reference::run(&model, 0.0)?;
        let sides = [
            reference::run(&model, MOVED)?,
            reference::run(&model, -MOVED)?,
        ];
        let mut closed: Vec<(f64, f64)> = truth.instants.iter().map(|t| (*t, *t)).collect();
        for side in &sides {
            if side.instants.len() != closed.len() {
                return Err("a small error changes the number of instants");
            }
            for (gap, t) in closed.iter_mut().zip(&side.instants) {
                *gap = (gap.0.min(*t), gap.1.max(*t));
            }
        }
        for delay in model.delays.iter().filter(|d| d.swing == 0.0) {
            let delay = delay.time;
            let late: Vec<(f64, f64)> = closed.iter().map(|g| (g.0 + delay, g.1 + delay)).collect();
            closed.extend(late);
        }
        let mut trial = Trial {
            model,
            truth,
            closed,
            spread: 0.0,
        };
        let continuous = trial.model.reals();
        for side in &sides {
            for ((t, a), (_, b)) in trial.truth.rows.iter().zip(&side.rows) {
                if trial.is_closed(*t) {
                    continue;
                }
                for k in 0..a.len() {
                    let off = (a[k] - b[k]).abs() / a[k].abs().max(1.0);
                    if off > if k < continuous { MOST_SPREAD } else { 0.0 } {
                        return Err("a small error changes the result");
                    }
                    trial.spread = trial.spread.max(off);
                }
            }
        }
        Ok(trial)
    }

    fn is_closed(&self, t: f64) -> bool {
        let near = |g: &(f64, f64)| t > g.0 - GUARD && t < g.1 + GUARD;
        self.closed.iter().any(near)
    }

    /// The verdict on an engine.
    pub fn cell(&self, bench: &Bench, name: &str, engine: &Engine) -> Cell {
        let folder = bench.folder.join(word(name)).join(word(engine.name));
        let text = self.model.text();
        let written =
            fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("Model.mo"), text));
        if let Err(e) = written {
            return Cell::Wrong(format!("{}: {e}", folder.display()));
        }
        let (stop, interval) = (STOP.to_string(), INTERVAL.to_string());
        let span = ["--stop", &stop, "--interval", &interval];
        let args = [engine.args, &span].concat();
        let ended = match engine.way {
            Way::Run => bench.run(&folder, &args),
            Way::C => exported::c(bench, &folder, &args),
            Way::PowerDevs => return Cell::Absent,
        };
        match ended {
            Ended::Well(found) => match self.compare(&found, engine) {
                Ok(()) => Cell::Right,
                Err(why) => Cell::Wrong(why),
            },
            Ended::Told(code, messages) if code.is_empty() => Cell::Wrong(messages),
            Ended::Told(code, _) => Cell::Refused(code),
            Ended::Badly(why) => Cell::Wrong(why),
            Ended::Absent => Cell::Absent,
        }
    }

    fn compare(&self, found: &Trajectory, engine: &Engine) -> Result<(), String> {
        let names = self.model.names();
        let continuous = self.model.reals();
        let coarse = (2.0 * engine.promise.tolerance).max(FINE) + 3.0 * self.spread;
        let allowed = if engine.promise.coarse { coarse } else { FINE };
        for (k, name) in names.iter().enumerate() {
            let column = match found.column(name) {
                Ok(column) => column,
                // A variable that never changes need not be in the result.
                Err(_)
                    if self
                        .truth
                        .rows
                        .iter()
                        .all(|r| r.1[k] == self.truth.rows[0].1[k]) =>
                {
                    continue;
                }
                Err(why) => return Err(why),
            };
            for (t, values) in &self.truth.rows {
                if self.is_closed(*t) {
                    continue;
                }
                let (v, expected) = (found.at(column, *t)?, values[k]);
                let most = if k < continuous {
                    allowed * expected.abs().max(1.0)
                } else {
                    1e-9
                };
                let off = (v - expected).abs();
                if off.is_nan() || off > most {
                    return Err(format!("{name}({t}) = {v}, not {expected}"));
                }
            }
        }
        Ok(())
    }
}

/// The next fair model from a seed on: its seed, and how many were not fair.
pub fn next_fair(mut seed: u64) -> (u64, Trial, usize) {
    let mut skipped = 0;
    loop {
        match Trial::new(generate::generate(seed)) {
            Ok(trial) => return (seed, trial, skipped),
            Err(_) => skipped += 1,
        }
        seed += 1;
    }
}
