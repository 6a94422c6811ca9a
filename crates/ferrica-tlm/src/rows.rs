//! When the rows of the results are.
//!
//! All clusters are at one time at the multiples of the longest step only: rows are the nearest of these to the output points. A run
//! that ends between two of them takes both: its last row is on the line between them, with discrete values as they were
//! before. No step is shorter than the others, as delays and inlined formulas count in whole steps.

use ferrica_codegen::{CompiledModel, Failure, Slot};
use ferrica_ir::causal::Kind;
use ferrica_sim::{Experiment, SimError};

/// A stop time so near to a multiple, in steps, is that multiple.
const ROUNDING: f64 = 1e-6;

pub struct Rows {
    /// Steps of the rows, in longest steps from the origin.
    pub steps: Vec<u64>,
    pub last: Option<Between>,
}

/// The stop time is inside of the step to the last row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    pub stop: f64,
    /// Part of the step that is before it.
    pub fraction: f64,
    /// The row before is there for this purpose only.
    pub hides: bool,
}

impl Rows {
    pub fn new(experiment: &Experiment, origin: f64, base: f64) -> Result<Rows, SimError> {
        let span = experiment.stop - origin;
        let all = span / base;
        if !(0.0..1e15).contains(&all) {
            let text = format!("{span} s cannot be divided into steps of {base} s");
            return Err(SimError::new("E0702", experiment.start, Failure::new(text)));
        }
        // What goes on has a row there like at any other output point.
        let last = if experiment.more {
            all.round()
        } else {
            (all - ROUNDING).ceil().max(0.0)
        };
        let cut = last - all > ROUNDING && !experiment.more;
        let last = last as u64;
        let interval = experiment.interval.max(base);
        let first = match &experiment.from {
            Some(snapshot) => ((snapshot.time - origin) / base).round() as u64,
            None => 0,
        };
        let mut steps = vec![first];
        let mut k = 1.0;
        loop {
            let at = (k * interval / base).round() as u64;
            if at >= last || (cut && k * interval > span - ROUNDING * base) {
                break;
            }
            if at > steps[steps.len() - 1] {
                steps.push(at);
            }
            k += 1.0;
        }
        let mut between = None;
        if last > first {
            if cut {
                let hides = steps[steps.len() - 1] < last - 1;
                if hides {
                    steps.push(last - 1);
                }
                between = Some(Between {
                    stop: experiment.stop,
                    fraction: all - (last - 1) as f64,
                    hides,
                });
            }
            steps.push(last);
        }
        Ok(Rows {
            steps,
            last: between,
        })
    }
}

impl Between {
    /// Value of a slot at the stop time from those at both ends of the step.
    pub fn value(&self, model: &CompiledModel, slot: Slot, before: f64, after: f64) -> f64 {
        let kind = model.variable(slot).map(|v| model.source.vars[v].kind);
        match kind {
            Some(Kind::Discrete | Kind::Relation) => before,
            _ => before + self.fraction * (after - before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrica_sim::SolverKind;

    fn rows(stop: f64, interval: f64, base: f64) -> (Vec<u64>, Option<Between>) {
        let experiment = Experiment {
            start: 0.0,
            stop,
            tolerance: 1e-6,
            interval,
            solver: SolverKind::Auto,
            step: None,
            values: Vec::new(),
            wanted: None,
            from: None,
            arriving: Vec::new(),
            more: false,
            initialized: None,
        };
        match Rows::new(&experiment, 0.0, base) {
            Ok(rows) => (rows.steps, rows.last),
            Err(e) => panic!("{e}"),
        }
    }

    #[test]
    fn steps_that_divide_the_span_end_there() {
        assert_eq!(rows(1.0, 0.5, 0.1), (vec![0, 5, 10], None));
        assert_eq!(rows(0.3, 0.1, 0.1), (vec![0, 1, 2, 3], None));
        assert_eq!(rows(0.0, 0.1, 0.1), (vec![0], None));
    }

    #[test]
    fn a_stop_time_inside_of_a_step_has_rows_on_both_sides() {
        // 3.33 steps: both ends of the fourth; the output point at 0.5 is next to step 2.
        let (steps, last) = rows(1.0, 0.5, 0.3);
        assert_eq!(steps, [0, 2, 3, 4]);
        let last = last.expect("inside of a step");
        assert!(last.hides && last.stop == 1.0);
        assert!((last.fraction - 1.0 / 3.0).abs() < 1e-12);
        // The row before is one of the others.
        let (steps, last) = rows(1.0, 0.3, 0.3);
        assert_eq!(steps, [0, 1, 2, 3, 4]);
        assert!(!last.expect("inside of a step").hides);
    }
}
