//! Steps whose halves give another answer.
//!
//! In: a step of a fixed size, now and then, and the two halves of it. Out: the unknown for which they have nothing to do with each other.
//!
//! For x' = λx the difference of step and halves is |R(z) − R(z/2)²| of a movement |R(z) − 1|, z = hλ: a half or more from z = −2 on for Euler's formula
//! and from z = −2.5 on for the classical one, where their stability ends. A mode beyond it grows; where something saturates it stays finite and
//! nobody sees that the result is noise. A coarse step that still follows the solution is let alone: it differs by a part of z.

/// Steps between two looks: the halves cost a few percent then. A short run is looked at from its first steps on. What was seen is looked at again after these numbers of steps, so that no period of the model is met.
const EVERY: u32 = 128;
const FIRST: u32 = 3;
const AGAIN: [u32; 2] = [7, 11];
/// Part of the movement by which step and halves differ.
const ANOTHER: f64 = 0.5;
/// Differences below this part of the largest value so far do not show.
const SHOWS: f64 = 1e-6;

/// An unknown whose steps mean nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaningless {
    pub variable: usize,
    /// When it was seen first.
    pub since: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Halves {
    left: u32,
    /// Steps between the next two looks.
    every: u32,
    seen: usize,
    suspect: Option<Meaningless>,
    /// Largest values so far.
    sizes: Vec<f64>,
}

impl Halves {
    pub(super) fn new(y: &[f64]) -> Halves {
        Halves {
            left: FIRST,
            every: FIRST,
            seen: 0,
            suspect: None,
            sizes: y.iter().map(|y| y.abs()).collect(),
        }
    }

    /// Whether this step is looked at.
    pub(super) fn is_due(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    /// From `before` a step has led to `y` and its halves to `halves`. Answers when it was seen often enough.
    pub(super) fn look(
        &mut self,
        t: f64,
        before: &[f64],
        y: &[f64],
        halves: &[f64],
    ) -> Option<Meaningless> {
        let sizes = &mut self.sizes;
        let rings = |i: usize| {
            let error = (y[i] - halves[i]).abs();
            let movement = (y[i] - before[i]).abs().max((halves[i] - before[i]).abs());
            error >= ANOTHER * movement && error > SHOWS * sizes[i]
        };
        let found = match self.suspect {
            Some(s) => rings(s.variable).then_some(s),
            None => (0..y.len())
                .find(|&i| rings(i))
                .map(|variable| Meaningless { variable, since: t }),
        };
        for (size, y) in sizes.iter_mut().zip(y) {
            *size = size.max(y.abs());
        }
        self.suspect = found;
        self.seen = if found.is_some() { self.seen + 1 } else { 0 };
        match AGAIN.get(self.seen.wrapping_sub(1)) {
            Some(&soon) => self.left = soon,
            None => {
                self.every = (2 * self.every).min(EVERY);
                self.left = self.every;
            }
        }
        found.filter(|_| self.seen > AGAIN.len())
    }
}
