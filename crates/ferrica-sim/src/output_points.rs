//! The output points of a run, one after the other.
//!
//! In: where the first is and how far they are apart. Out: the next one that has no row yet. How near to it a step ends and
//! still is there, an engine knows: [`same_time`] where steps have any length, a part of the step on a fixed grid.

use ferrica_hybrid::{Equidistant, Experiment, same_time};

#[derive(Clone, Copy, Debug)]
pub struct OutputPoints {
    times: Equidistant,
    next: u64,
}

impl OutputPoints {
    /// Of an experiment whose first row, at the start, is written.
    pub fn of(experiment: &Experiment) -> OutputPoints {
        OutputPoints::new(experiment.start, experiment.interval)
    }

    /// Those behind `start`.
    pub fn new(start: f64, interval: f64) -> OutputPoints {
        OutputPoints {
            times: Equidistant::new(start, interval),
            next: 1,
        }
    }

    /// The next one; infinity if there are none.
    pub fn next(&self) -> f64 {
        if self.times.period > 0.0 {
            self.times.at(self.next as f64)
        } else {
            f64::INFINITY
        }
    }

    /// The next one of a run that ends at `stop`: the last is exactly there, and behind it there are none.
    pub fn next_until(&self, stop: f64) -> f64 {
        let t = self.next();
        if t > stop && !same_time(t, stop) {
            f64::INFINITY
        } else {
            t.min(stop)
        }
    }

    /// The next one is done.
    pub fn pass(&mut self) {
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut points: OutputPoints, stop: f64) -> Vec<f64> {
        let mut out = Vec::new();
        while points.next_until(stop) < f64::INFINITY {
            out.push(points.next_until(stop));
            points.pass();
        }
        out
    }

    #[test]
    fn points_are_the_decimals_that_are_written_and_end_at_the_stop_time() {
        assert_eq!(all(OutputPoints::new(0.0, 0.1), 0.3), [0.1, 0.2, 0.3]);
        assert_eq!(
            all(OutputPoints::new(0.0, 1.0 / 3.0), 1.0).last(),
            Some(&1.0)
        );
        assert_eq!(all(OutputPoints::new(-1.0, 0.5), -0.2), [-0.5]);
    }

    #[test]
    fn without_an_interval_there_are_none() {
        for interval in [0.0, -1.0, f64::NAN] {
            assert_eq!(OutputPoints::new(0.0, interval).next(), f64::INFINITY);
        }
    }
}
