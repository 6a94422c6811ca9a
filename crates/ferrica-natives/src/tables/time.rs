//! Tables over time, with time events at their knots and jumps.
//!
//! A jump is two rows of the same time. Which side holds at the event is told by the caller: it
//! passes its discrete `nextTimeEvent` and the value that had before (`pre`). The interval that
//! counts always ends at `nextTimeEvent`:
//! - next = pre, t < next: between two events
//! - next = pre, t ≥ next: the event has come but is not handled yet: the interval's right end
//! - next > pre: the event iteration: t is the left end of the new interval
//!
//! so a value is that of the interval which ends at `next`, at t moved into it.

use super::spline::{Curve, Jet};
use super::{Extrapolation, Smoothness, find, nearly_equal, source};
use crate::data::Matrix;

/// The value of "no event any more".
pub const NEVER: f64 = f64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeEvents {
    Always,
    AtDiscontinuities,
    None,
}

impl TimeEvents {
    /// By its number in the Modelica enumeration.
    pub fn from_number(n: i64) -> Result<TimeEvents, String> {
        Ok(match n {
            0 | 1 => TimeEvents::Always,
            2 => TimeEvents::AtDiscontinuities,
            3 => TimeEvents::None,
            _ => return Err(format!("unknown kind of time events {n}")),
        })
    }
}

/// What a time table is made of, besides its matrix and columns.
#[derive(Clone, Copy, Debug)]
pub struct TimeTableOptions {
    pub smoothness: Smoothness,
    pub extrapolation: Extrapolation,
    pub events: TimeEvents,
    pub start_time: f64,
    pub shift_time: f64,
}

#[derive(Debug)]
pub struct TimeTable {
    x: Vec<f64>,
    curves: Vec<Curve>,
    options: TimeTableOptions,
    /// Events of the table itself, its first and last time among them.
    events: Vec<Event>,
}

/// Rows that hold before and after the event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub time: f64,
    pub before: usize,
    pub after: usize,
}

/// Where in the table a value is taken.
enum Place {
    Row { first: usize, last: usize, t: f64 },
    Outside(f64),
}

impl TimeTable {
    pub fn new(
        matrix: &Matrix,
        columns: &[f64],
        options: TimeTableOptions,
    ) -> Result<TimeTable, String> {
        if matrix.rows < 1 || matrix.columns < 2 {
            return Err(format!(
                "a table of {} rows and {} columns cannot be interpolated over time: \
                 two columns are needed",
                matrix.rows, matrix.columns
            ));
        }
        let x = matrix.column(0);
        for i in 1..x.len() {
            let strict = options.smoothness.is_cubic();
            if x[i] < x[i - 1] || (strict && x[i] == x[i - 1]) {
                return Err(format!(
                    "the times of the table are not {}increasing: {} in row {} follows {}",
                    if strict { "strictly " } else { "" },
                    x[i],
                    i + 1,
                    x[i - 1]
                ));
            }
        }
        if x.len() > 1 && x[x.len() - 1] <= x[0] && options.extrapolation == Extrapolation::Periodic
        {
            return Err("a periodic table needs two different times".to_string());
        }
        let curves = source::columns(matrix, columns)?
            .into_iter()
            .map(|y| Curve::new(options.smoothness, &x, y))
            .collect();
        let events = events_of(&x, &options);
        Ok(TimeTable {
            x,
            curves,
            options,
            events,
        })
    }

    pub fn abscissae(&self) -> &[f64] {
        &self.x
    }

    /// One for each output.
    pub fn curves(&self) -> &[Curve] {
        &self.curves
    }

    pub fn options(&self) -> &TimeTableOptions {
        &self.options
    }

    /// In the table's own time, its first and last time among them.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    pub fn minimum(&self) -> f64 {
        self.x[0]
    }

    pub fn maximum(&self) -> f64 {
        self.x[self.x.len() - 1]
    }

    fn period(&self) -> f64 {
        self.maximum() - self.minimum()
    }

    /// The first event after t, or [`NEVER`].
    pub fn next_event(&self, t: f64) -> f64 {
        let o = &self.options;
        if t < o.start_time {
            return o.start_time;
        }
        if self.x.len() == 1 {
            return NEVER;
        }
        let s = t - o.shift_time;
        // An event within rounding of t is the one that is being handled.
        let rounding = 1e-13 * t.abs().max(o.shift_time.abs());
        let after = |s: f64, list: &[Event]| {
            let mut previous = f64::NEG_INFINITY;
            for e in list {
                let gap = if previous.is_finite() {
                    e.time - previous
                } else {
                    0.0
                };
                if e.time > s + rounding + super::EPSILON * gap {
                    return Some(e.time);
                }
                previous = e.time;
            }
            None
        };
        if o.extrapolation == Extrapolation::Periodic {
            let mut k = ((s - self.minimum()) / self.period()).floor();
            loop {
                let shift = k * self.period();
                if let Some(e) = after(s - shift, &self.events[1..]) {
                    return e + shift + o.shift_time;
                }
                k += 1.0;
            }
        }
        let from = self
            .events
            .partition_point(|e| e.time <= s)
            .saturating_sub(1);
        after(s, &self.events[from..]).map_or(NEVER, |e| e + o.shift_time)
    }

    /// Column k (from 1 in the order of `columns`) and its time derivatives.
    pub fn at(&self, k: i64, t: f64, next: f64, pre: f64) -> Result<Jet, String> {
        let curve = usize::try_from(k - 1)
            .ok()
            .and_then(|k| self.curves.get(k))
            .ok_or_else(|| format!("the table has no output {k}"))?;
        let start = self.options.start_time;
        if t < start || (next < NEVER && next == pre && start >= next) {
            return Ok([0.0; 3]);
        }
        if self.x.len() == 1 {
            return Ok([curve.y[0], 0.0, 0.0]);
        }
        match self.place(t - self.options.shift_time, next, pre) {
            Place::Row { first, last, t } => {
                let i = if last > first {
                    first + find(&self.x[first..=last], t)
                } else {
                    first.min(self.x.len() - 2)
                };
                Ok(curve.inside(&self.x, i, t))
            }
            Place::Outside(t) => {
                let (a, b) = (self.minimum(), self.maximum());
                match self.options.extrapolation {
                    Extrapolation::LastTwoPoints => Ok(curve.beyond(&self.x, t)),
                    Extrapolation::Forbidden if t < a || t > b => {
                        Err(super::outside("the time", t, a, b))
                    }
                    _ => {
                        let row = if t < a { 0 } else { self.x.len() - 1 };
                        Ok([curve.y[row], 0.0, 0.0])
                    }
                }
            }
        }
    }

    fn place(&self, t: f64, next: f64, pre: f64) -> Place {
        let (a, b) = (self.minimum(), self.maximum());
        let last_row = self.x.len() - 1;
        let periodic = self.options.extrapolation == Extrapolation::Periodic;
        let whole = |t: f64| {
            if periodic {
                Place::Row {
                    first: 0,
                    last: last_row,
                    t: super::wrap(&self.x, t),
                }
            } else if t < a || t >= b {
                Place::Outside(t)
            } else {
                Place::Row {
                    first: 0,
                    last: last_row,
                    t,
                }
            }
        };
        if next >= NEVER || next < pre {
            return whole(t);
        }
        let end = next - self.options.shift_time;
        let mut shift = 0.0;
        if periodic {
            // end in (a, b], up to rounding
            shift = (((end - a) / self.period() - 1e-9).ceil() - 1.0) * self.period();
        } else if end <= a || nearly_equal(end, a) {
            // Before the table.
            return Place::Outside(t.min(a.next_down()));
        }
        let end = end - shift;
        let after = self.events.partition_point(|e| e.time < end);
        let nearest = [after.saturating_sub(1), after.min(self.events.len() - 1)]
            .into_iter()
            .min_by(|&i, &j| {
                let d = |k: usize| (self.events[k].time - end).abs();
                d(i).total_cmp(&d(j))
            })
            .unwrap_or(0);
        let tolerance = 1e-6 * self.period() / last_row as f64;
        if nearest == 0 || (self.events[nearest].time - end).abs() > tolerance {
            // `next` is not an event of the table: the caller's business is another one.
            return whole(t);
        }
        let (first, last) = (self.events[nearest - 1].after, self.events[nearest].before);
        Place::Row {
            first,
            last,
            t: (t - shift).clamp(self.x[first], self.x[last].max(self.x[first])),
        }
    }
}

/// Events of the table in its own time.
fn events_of(x: &[f64], o: &TimeTableOptions) -> Vec<Event> {
    let mut groups: Vec<Event> = Vec::new();
    for (i, &time) in x.iter().enumerate() {
        match groups.last_mut() {
            Some(g) if nearly_equal(g.time, time) => g.after = i,
            _ => groups.push(Event {
                time,
                before: i,
                after: i,
            }),
        }
    }
    let smooth = o.smoothness.is_cubic() && o.extrapolation != Extrapolation::Periodic;
    let last = groups.len() - 1;
    let keep = |k: usize, g: &Event| {
        k == 0
            || k == last
            || match o.events {
                _ if smooth => false,
                TimeEvents::Always => true,
                TimeEvents::AtDiscontinuities => g.after > g.before,
                TimeEvents::None => false,
            }
    };
    let mut k = 0;
    groups.retain(|g| {
        k += 1;
        keep(k - 1, g)
    });
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(s: Smoothness, e: Extrapolation, events: TimeEvents, shift: f64) -> TimeTable {
        let matrix = Matrix {
            rows: 5,
            columns: 2,
            data: vec![0.0, 0.0, 1.0, 1.0, 1.0, 3.0, 2.0, 3.0, 4.0, 0.0],
        };
        let options = TimeTableOptions {
            smoothness: s,
            extrapolation: e,
            events,
            start_time: shift,
            shift_time: shift,
        };
        TimeTable::new(&matrix, &[2.0], options).unwrap()
    }

    fn all_events(t: &TimeTable, from: f64, n: usize) -> Vec<f64> {
        let mut now = from;
        (0..n)
            .map(|_| {
                now = t.next_event(now);
                now
            })
            .collect()
    }

    /// By hand: knots at 0, 1 (jump), 2, 4.
    #[test]
    fn events_of_the_three_kinds() {
        use Extrapolation::{Hold, Periodic};
        let t = table(Smoothness::Linear, Hold, TimeEvents::Always, 0.0);
        assert_eq!(all_events(&t, 0.0, 4), [1.0, 2.0, 4.0, NEVER]);
        assert_eq!(t.next_event(-1.0), 0.0);
        let t = table(
            Smoothness::Linear,
            Hold,
            TimeEvents::AtDiscontinuities,
            10.0,
        );
        assert_eq!(all_events(&t, 0.0, 4), [10.0, 11.0, 14.0, NEVER]);
        let t = table(Smoothness::Linear, Hold, TimeEvents::None, 0.0);
        assert_eq!(all_events(&t, 0.0, 2), [4.0, NEVER]);
        let t = table(Smoothness::Constant, Periodic, TimeEvents::Always, 0.0);
        assert_eq!(all_events(&t, 0.0, 5), [1.0, 2.0, 4.0, 5.0, 6.0]);
    }

    /// Left limit before the event is handled, right limit while it is.
    #[test]
    fn sides_of_a_jump() {
        let t = table(
            Smoothness::Linear,
            Extrapolation::Hold,
            TimeEvents::Always,
            0.0,
        );
        let at = |time, next, pre| t.at(1, time, next, pre).unwrap()[0];
        assert_eq!(at(0.5, 1.0, 1.0), 0.5);
        assert_eq!(at(1.0, 1.0, 1.0), 1.0);
        assert_eq!(at(1.0, 2.0, 1.0), 3.0);
        assert_eq!(at(3.0, 4.0, 4.0), 1.5);
        assert_eq!(at(4.0, 4.0, 4.0), 0.0);
        assert_eq!(at(7.0, NEVER, NEVER), 0.0);
        let slope = t.at(1, 3.0, 4.0, 4.0).unwrap()[1];
        assert_eq!(slope, -1.5);
    }

    #[test]
    fn periods_and_steps() {
        let t = table(
            Smoothness::Constant,
            Extrapolation::Periodic,
            TimeEvents::Always,
            0.0,
        );
        let at = |time, next, pre| t.at(1, time, next, pre).unwrap()[0];
        assert_eq!(at(4.5, 5.0, 5.0), 0.0);
        assert_eq!(at(5.0, 5.0, 5.0), 0.0);
        assert_eq!(at(5.0, 6.0, 5.0), 3.0);
        assert_eq!(at(7.9, 8.0, 8.0), 3.0);
        assert_eq!(at(8.0, 9.0, 8.0), 0.0);
    }

    /// Zero before the start, shifted after it.
    #[test]
    fn start_and_shift() {
        let t = table(
            Smoothness::Linear,
            Extrapolation::LastTwoPoints,
            TimeEvents::Always,
            10.0,
        );
        let at = |time, next, pre| t.at(1, time, next, pre).unwrap()[0];
        assert_eq!(at(9.0, 10.0, 10.0), 0.0);
        assert_eq!(at(10.5, 11.0, 11.0), 0.5);
        assert_eq!(at(15.0, NEVER, NEVER), -1.5);
    }
}
