//! Jumps that travel through delays.
//!
//! A jump that is passed on and on, as waves are, arrives at its origin plus multiples of delay times. They are counted, not added up one
//! after the other: the rounding of many passages would put it beside events that are at the same time.

use crate::time_events::same_time;

/// Different delay times that are counted for one jump; beyond them it begins anew.
const MOST_DELAYS: usize = 4;

/// A jump on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// When it arrives.
    pub time: f64,
    /// When the signal jumped first.
    origin: f64,
    /// Delay times it has passed since then, ascending, and how often; unused ones are zero.
    passed: [(f64, f64); MOST_DELAYS],
}

impl Jump {
    /// A jump that happens at an event.
    pub fn at(t: f64) -> Jump {
        Jump {
            time: t,
            origin: t,
            passed: [(0.0, 0.0); MOST_DELAYS],
        }
    }

    pub fn has_arrived(&self, t: f64) -> bool {
        self.time <= t || same_time(self.time, t)
    }

    /// The jump that this one, arriving at `t`, is behind another delay.
    pub fn after(mut self, delay: f64, t: f64) -> Jump {
        let known = self.passed.iter().position(|p| p.0 == delay && p.1 > 0.0);
        let free = self.passed.iter().position(|p| p.1 == 0.0);
        match known.or(free) {
            Some(k) => {
                self.passed[k] = (delay, self.passed[k].1 + 1.0);
                if known.is_none() {
                    self.passed[..=k].sort_by(|a, b| a.0.total_cmp(&b.0));
                }
            }
            None => {
                self = Jump::at(t);
                self.passed[0] = (delay, 1.0);
            }
        }
        let on_its_way: f64 = self.passed.iter().map(|(delay, n)| delay * n).sum();
        self.time = self.origin + on_its_way;
        self
    }

    pub fn save(&self, out: &mut Vec<f64>) {
        out.extend([self.time, self.origin]);
        out.extend(self.passed.iter().flat_map(|p| [p.0, p.1]));
    }

    pub fn load(next: &mut impl FnMut() -> f64) -> Jump {
        let (time, origin) = (next(), next());
        Jump {
            time,
            origin,
            passed: std::array::from_fn(|_| (next(), next())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After many passages the time is that of a product, not of a sum; the order of delays does not matter.
    #[test]
    fn passages_are_counted() {
        let mut jump = Jump::at(0.3);
        for _ in 0..1000 {
            jump = jump.after(0.1, jump.time);
        }
        assert_eq!(jump.time, 0.3 + 1000.0 * 0.1);
        let one = Jump::at(1.0).after(0.7, 1.7).after(0.2, 1.9);
        let other = Jump::at(1.0).after(0.2, 1.2).after(0.7, 1.9);
        assert_eq!(one, other);
    }
}
