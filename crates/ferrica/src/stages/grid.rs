//! When a run starts, ends and shows its values: flags first, then the model's annotation, then
//! defaults.

use ferrica_ir::flat::Experiment as Annotation;
use ferrica_ir::print::brief;
use ferrica_sim::Equidistant;

use crate::failure::Failure;
use crate::options::ExperimentOptions;

/// Intervals of the output grid if nobody says otherwise.
const DEFAULT_INTERVALS: usize = 500;
/// A grid with more points than this is a slip of the pen.
const MAX_POINTS: f64 = 1e9;

/// Times of a run and its accuracy.
///
/// ```
/// use ferrica::{options::ExperimentOptions, stages::grid::Grid};
/// let asked = ExperimentOptions { stop: Some(2.0), points: Some(4), ..ExperimentOptions::default() };
/// let grid = Grid::new(&asked, &Default::default())?;
/// assert_eq!((grid.start, grid.interval, grid.tolerance), (0.0, 0.5, 1e-6));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    pub start: f64,
    pub stop: f64,
    pub tolerance: f64,
    pub interval: f64,
}

impl Grid {
    /// From what the user asks for and what the model says.
    ///
    /// ```
    /// use ferrica::{options::ExperimentOptions, stages::grid::Grid};
    /// let backwards = ExperimentOptions { start: Some(1.0), stop: Some(0.0), ..ExperimentOptions::default() };
    /// assert!(Grid::new(&backwards, &Default::default()).is_err());
    /// ```
    pub fn new(args: &ExperimentOptions, annotation: &Annotation) -> Result<Grid, Failure> {
        let start = args.start.or(annotation.start_time).unwrap_or(0.0);
        let stop = args.stop.or(annotation.stop_time).unwrap_or(start + 1.0);
        let tolerance = args.tol.or(annotation.tolerance).unwrap_or(1e-6);
        if !(start.is_finite() && stop.is_finite() && stop >= start) {
            return Err(Failure::usage(format!(
                "the run cannot go from {start} to {stop}: check --start and --stop"
            )));
        }
        if !(tolerance > 0.0 && tolerance < 1.0) {
            return Err(Failure::usage(format!(
                "--tol {tolerance} is not between 0 and 1"
            )));
        }
        // Rounding alone is more than that.
        if tolerance < f64::EPSILON {
            return Err(Failure::usage(format!(
                "--tol {tolerance} is smaller than the rounding of numbers, {:e}",
                f64::EPSILON
            )));
        }
        if args.points == Some(0) {
            return Err(Failure::usage(
                "--points 0: a run has at least one output interval",
            ));
        }
        let even = |n: usize| (stop - start) / n.max(1) as f64;
        let interval = match (args.interval, args.points) {
            (Some(interval), _) => interval,
            (None, Some(points)) => even(points),
            (None, None) => match annotation.interval {
                Some(interval) if interval > 0.0 => interval,
                _ => even(DEFAULT_INTERVALS),
            },
        };
        let valid = interval > 0.0 && (stop - start) / interval <= MAX_POINTS;
        if !valid && stop > start {
            return Err(Failure::usage(format!(
                "an output interval of {} does not fit a run from {start} to {stop}",
                brief(interval)
            )));
        }
        Ok(Grid {
            start,
            stop,
            tolerance,
            interval,
        })
    }
}

impl Grid {
    /// The times of the output points.
    ///
    /// ```
    /// use ferrica::stages::grid::Grid;
    /// let grid = Grid { start: 0.0, stop: 1.0, tolerance: 1e-6, interval: 0.5 };
    /// assert_eq!(grid.times(), [0.0, 0.5, 1.0]);
    /// ```
    pub fn times(&self) -> Vec<f64> {
        let count = ((self.stop - self.start) / self.interval).round().max(0.0) as usize;
        let times = Equidistant::new(self.start, self.interval);
        (0..count)
            .map(|k| times.at(k as f64))
            .chain([self.stop])
            .collect()
    }

    /// Output points of the run.
    ///
    /// ```
    /// use ferrica::stages::grid::Grid;
    /// let grid = Grid { start: 0.0, stop: 1.0, tolerance: 1e-6, interval: 0.5 };
    /// assert_eq!(grid.points(), 3);
    /// ```
    pub fn points(&self) -> u64 {
        let intervals = (self.stop - self.start) / self.interval;
        1 + if intervals.is_finite() {
            intervals as u64
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_then_annotation_then_defaults() {
        let none = ExperimentOptions::default();
        let plain = Grid::new(&none, &Annotation::default()).unwrap();
        assert_eq!(
            plain,
            Grid {
                start: 0.0,
                stop: 1.0,
                tolerance: 1e-6,
                interval: 0.002
            }
        );
        let annotation = Annotation {
            start_time: Some(1.0),
            stop_time: Some(5.0),
            tolerance: Some(1e-4),
            interval: Some(0.1),
        };
        let annotated = Grid::new(&none, &annotation).unwrap();
        assert_eq!((annotated.stop, annotated.interval), (5.0, 0.1));
        let flags = ExperimentOptions {
            stop: Some(3.0),
            points: Some(4),
            ..ExperimentOptions::default()
        };
        let flagged = Grid::new(&flags, &annotation).unwrap();
        assert_eq!(
            (flagged.start, flagged.stop, flagged.interval),
            (1.0, 3.0, 0.5)
        );
        let backwards = ExperimentOptions {
            stop: Some(-3.0),
            ..ExperimentOptions::default()
        };
        assert!(Grid::new(&backwards, &annotation).is_err());
        let dense = ExperimentOptions {
            interval: Some(1e-12),
            ..ExperimentOptions::default()
        };
        assert!(Grid::new(&dense, &annotation).is_err());
    }
}
