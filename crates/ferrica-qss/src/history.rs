//! The past of a delayed signal, piece by piece.
//!
//! In: the polynomial of the signal each time it becomes another one. Out: its polynomial at an earlier time, and
//! until when that piece lasts. A constant delay only shifts the pieces: what comes out of it is exact, jumps
//! and kinks included.
//!
//! Invariant: pieces are in the order of their times; one that begins where the last one did replaces it.

use std::collections::VecDeque;

use crate::taylor::{shifted, value};

/// Most coefficients of a piece.
pub const COEFFICIENTS: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Piece {
    since: f64,
    c: [f64; COEFFICIENTS],
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct History {
    /// By how much the signal is late.
    pub delay: f64,
    start: f64,
    pieces: VecDeque<Piece>,
}

impl History {
    /// A signal that is watched from `start` on.
    pub fn new(start: f64, delay: f64) -> History {
        History {
            delay,
            start,
            pieces: VecDeque::new(),
        }
    }

    /// The signal has this polynomial from `time` on.
    pub fn push(&mut self, time: f64, c: &[f64]) {
        let mut piece = Piece {
            since: time,
            c: [0.0; COEFFICIENTS],
        };
        for (to, &from) in piece.c.iter_mut().zip(c) {
            *to = from;
        }
        if self.pieces.back().is_some_and(|p| p.since >= time) {
            self.pieces.pop_back();
        }
        self.pieces.push_back(piece);
        // The last piece that has begun before what can be asked for is still needed.
        let oldest = time - self.delay - self.rounding(time);
        while self.pieces.len() > 1 && self.pieces[1].since <= oldest {
            self.pieces.pop_front();
        }
    }

    /// A breakpoint that comes out now was put in this much too late at most.
    fn rounding(&self, time: f64) -> f64 {
        4.0 * f64::EPSILON * (time.abs() + self.delay)
    }

    /// Number of the piece that comes out at a time; `None` before the first one.
    fn piece(&self, time: f64) -> Option<usize> {
        let then = time - self.delay + self.rounding(time);
        let later = self.pieces.partition_point(|p| p.since <= then);
        (then >= self.start).then(|| later.checked_sub(1)).flatten()
    }

    /// The delayed signal about a time, and until when it is this polynomial. A piece that has not ended yet
    /// lasts for the delay at least: what happens from now on comes out that much later.
    pub fn at(&self, time: f64) -> ([f64; COEFFICIENTS], f64) {
        let Some(k) = self.piece(time) else {
            let mut c = [0.0; COEFFICIENTS];
            c[0] = self.pieces.front().map_or(0.0, |p| p.c[0]);
            return (c, self.start + self.delay);
        };
        let p = &self.pieces[k];
        let until = match self.pieces.get(k + 1) {
            Some(next) => next.since + self.delay,
            None => time + self.delay,
        };
        (shifted(p.c, time - self.delay - p.since), until)
    }

    /// Value of the delayed signal.
    pub fn value(&self, time: f64) -> f64 {
        value(&self.at(time).0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 + 2t until 3, then 10 − (t − 3)²: shifted by 0.7.
    #[test]
    fn pieces_come_out_as_they_went_in() {
        let mut h = History::new(0.0, 0.7);
        h.push(0.0, &[1.0, 2.0]);
        h.push(3.0, &[7.0]);
        h.push(3.0, &[10.0, 0.0, -1.0]);
        for k in 0..8 {
            let t = 3.0 + 0.1 * f64::from(k) - 1e-9;
            let (c, until) = h.at(t);
            assert!((c[0] - (1.0 + 2.0 * (t - 0.7))).abs() < 1e-12);
            assert!((c[1] - 2.0).abs() < 1e-15 && (until - 3.7).abs() < 1e-12);
        }
        let (c, until) = h.at(3.7);
        assert!((c[0] - 10.0).abs() < 1e-12 && c[2] == -1.0);
        assert_eq!(until, 3.7 + 0.7);
    }

    #[test]
    fn before_the_start_it_stands_still() {
        let mut h = History::new(2.0, 0.5);
        h.push(2.0, &[4.0, -3.0]);
        let (c, until) = h.at(2.2);
        assert_eq!((c, until), ([4.0, 0.0, 0.0, 0.0], 2.5));
        assert_eq!(h.value(3.0), 4.0 - 3.0 * 0.5);
    }

    #[test]
    fn old_pieces_are_forgotten() {
        let mut h = History::new(0.0, 1.0);
        for k in 0..1000 {
            h.push(0.01 * f64::from(k), &[f64::from(k)]);
        }
        assert!(h.pieces.len() < 110);
        assert_eq!(h.value(9.995), 899.0);
    }
}
