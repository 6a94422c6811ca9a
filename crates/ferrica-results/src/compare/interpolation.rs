//! Values of a sampled signal between its samples, with both sides of an event.

/// The value just before and just after a time; the same where the signal does not jump.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    pub left: f64,
    pub right: f64,
}

impl Sides {
    /// The side nearer to `value`.
    pub fn nearer(self, value: f64) -> f64 {
        if (self.left - value).abs() <= (self.right - value).abs() {
            self.left
        } else {
            self.right
        }
    }
}

/// Walks through a signal with ascending query times in constant amortized time.
pub struct Cursor<'a> {
    time: &'a [f64],
    values: &'a [f64],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// `values` shorter than `time` cuts the signal there.
    pub fn new(time: &'a [f64], values: &'a [f64]) -> Self {
        let n = time.len().min(values.len());
        Cursor {
            time: &time[..n],
            values: &values[..n],
            at: 0,
        }
    }

    /// Linear between samples, both sides where several samples share the time, held constant
    /// outside. `None` if there are no samples.
    pub fn sides(&mut self, t: f64) -> Option<Sides> {
        let (time, values) = (self.time, self.values);
        let last = time.len().checked_sub(1)?;
        while self.at > 0 && time[self.at] >= t {
            self.at -= 1;
        }
        // Afterwards `at` is the first sample not before `t`.
        while self.at <= last && time[self.at] < t {
            self.at += 1;
        }
        let i = self.at;
        if i > last {
            self.at = last;
            return Some(Sides {
                left: values[last],
                right: values[last],
            });
        }
        if time[i] == t {
            let mut j = i;
            while j < last && time[j + 1] == t {
                j += 1;
            }
            return Some(Sides {
                left: values[i],
                right: values[j],
            });
        }
        if i == 0 {
            return Some(Sides {
                left: values[0],
                right: values[0],
            });
        }
        let fraction = (t - time[i - 1]) / (time[i] - time[i - 1]);
        let value = values[i - 1] + fraction * (values[i] - values[i - 1]);
        Some(Sides {
            left: value,
            right: value,
        })
    }
}

/// The signal at the given times; at an event the value after it.
pub fn interpolate(time: &[f64], values: &[f64], at: &[f64]) -> Vec<f64> {
    let mut cursor = Cursor::new(time, values);
    at.iter()
        .map(|&t| cursor.sides(t).map_or(f64::NAN, |s| s.right))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_an_event() {
        let time = [0.0, 1.0, 1.0, 1.0, 3.0];
        let values = [0.0, 2.0, 9.0, 4.0, 8.0];
        let mut cursor = Cursor::new(&time, &values);
        let mut at = |t| cursor.sides(t).map(|s| (s.left, s.right));
        assert_eq!(at(-1.0), Some((0.0, 0.0)));
        assert_eq!(at(0.5), Some((1.0, 1.0)));
        assert_eq!(at(1.0), Some((2.0, 4.0)));
        assert_eq!(at(2.0), Some((6.0, 6.0)));
        assert_eq!(at(3.0), Some((8.0, 8.0)));
        assert_eq!(at(4.0), Some((8.0, 8.0)));
        // Back again.
        assert_eq!(at(1.0), Some((2.0, 4.0)));
        assert_eq!(at(0.5), Some((1.0, 1.0)));
        assert_eq!(interpolate(&time, &values, &[1.0, 2.0]), [4.0, 6.0]);
        assert!(Cursor::new(&[], &[]).sides(0.0).is_none());
    }
}
