//! The past of a delayed signal, piece by piece.
//!
//! In: the polynomial of the signal, and of the delay time, each time it becomes another one. Out: the delayed signal's
//! polynomial, until when it lasts, and when a piece that goes in comes out.
//!
//! With τ the delay time, the delayed signal is P(s) with s(t) = t − τ(t) and P the piece that s is in. About the present it
//! is a composition of two polynomials. It lasts until s leaves the piece, forwards or, where the delay grows faster than
//! time, backwards; the terms that the composition leaves out are the reader's to control. A constant
//! delay only shifts the pieces: what comes out of it is exact, jumps and kinks included.
//!
//! A signal that runs in circles (waves between two ends of a line) would have more pieces at each turn. So a piece that is over
//! and from which the one before it, continued, does not differ by more than a small part of a quantum is left out.
//!
//! Invariant: pieces are in the order of their times; one that begins where the last one did replaces it. A piece that has
//! not ended is told to last for ever; the next one says when it comes out.

use std::collections::VecDeque;

use crate::roots::{first_above, first_below};
use crate::taylor::{shifted, value};

/// Most coefficients of a piece.
pub const COEFFICIENTS: usize = 4;
/// Coefficients of what comes out.
pub const COMPOSED: usize = 5;
/// Times that a signal may be renewed at one instant. Only one that depends on itself without delay needs more.
const RENEWALS: u32 = 200;
/// What pieces may differ by to count as one, in parts of the relative quantum of the largest value so far.
const MERGED: f64 = 0.1;
/// Two delay times, or two polynomials of a signal, are the same within this part of them.
const SAME: f64 = 1e-13;

type Polynomial = [f64; COEFFICIENTS];

#[derive(Clone, Copy, Debug)]
struct Piece {
    since: f64,
    c: Polynomial,
}

/// See the module comment.
#[derive(Clone, Debug)]
pub struct History {
    /// By how much the signal is late.
    delay: Piece,
    /// What is older than this is forgotten.
    longest: f64,
    start: f64,
    /// The signal before the start.
    first: f64,
    /// Relative quantum, and the largest value so far.
    relative: f64,
    largest: f64,
    pieces: VecDeque<Piece>,
    /// The last instant at which it was renewed, and how often.
    instant: f64,
    renewals: u32,
}

fn padded(c: &[f64]) -> Polynomial {
    let mut p = [0.0; COEFFICIENTS];
    for (to, &from) in p.iter_mut().zip(c) {
        *to = from;
    }
    p
}

/// Is a polynomial below zero right after now?
fn is_negative(p: &Polynomial) -> bool {
    p.iter().find(|&&c| c != 0.0).is_some_and(|&c| c < 0.0)
}

/// p about a point, in powers of δ where the point moves on by w(δ); w's constant term is that point and is not read.
fn composed(p: Polynomial, w: Polynomial) -> [f64; COMPOSED] {
    let mut sum = [0.0; COMPOSED];
    for &c in p.iter().rev() {
        // Horner: sum := sum·w + c
        let mut next = [0.0; COMPOSED];
        for (i, &a) in sum.iter().enumerate() {
            for (k, &b) in w.iter().enumerate().skip(1) {
                if i + k < COMPOSED {
                    next[i + k] += a * b;
                }
            }
        }
        next[0] = c;
        sum = next;
    }
    sum
}

impl History {
    /// A signal that is watched from `start` on, where it was `first` before; never later than `longest`.
    pub fn new(start: f64, first: f64, delay: f64, longest: f64) -> History {
        History {
            delay: Piece {
                since: start,
                c: padded(&[delay]),
            },
            longest: longest.max(delay),
            start,
            first,
            relative: 0.0,
            largest: first.abs(),
            pieces: VecDeque::new(),
            instant: f64::NEG_INFINITY,
            renewals: 0,
        }
    }

    /// Leaves out pieces that make no difference with this relative quantum.
    pub fn merge(&mut self, relative: f64) {
        self.relative = relative;
    }

    /// Does the last piece, which ends now, differ from the one before it by too little to keep it?
    fn last_is_superfluous(&self, time: f64) -> bool {
        let n = self.pieces.len();
        if n < 2 {
            return false;
        }
        let (before, last) = (&self.pieces[n - 2], &self.pieces[n - 1]);
        let (lasted, mut power) = (time - last.since, 1.0);
        let mut most = 0.0;
        for (a, b) in shifted(before.c, last.since - before.since)
            .iter()
            .zip(&last.c)
        {
            most += (a - b).abs() * power;
            power *= lasted;
        }
        most <= MERGED * self.relative * self.largest
    }

    /// Is a polynomial only the last piece continued, but for rounding?
    fn is_continued(&self, time: f64, c: &Polynomial) -> bool {
        let Some(last) = self.pieces.back().filter(|p| p.since < time) else {
            return false;
        };
        let mut power = 1.0;
        let mut most = 0.0;
        for (a, b) in shifted(last.c, time - last.since).iter().zip(c) {
            most += (a - b).abs() * power;
            power *= self.longest;
        }
        most <= SAME * self.largest
    }

    /// The signal has this polynomial from `time` on. Returns when it comes out.
    pub fn push(&mut self, time: f64, c: &[f64]) -> f64 {
        if self.is_continued(time, &padded(c)) {
            return f64::INFINITY;
        }
        let replaced = self.pieces.back().is_some_and(|p| p.since >= time);
        if replaced || self.last_is_superfluous(time) {
            self.pieces.pop_back();
        }
        let c = padded(c);
        self.largest = self.largest.max(c[0].abs());
        self.pieces.push_back(Piece { since: time, c });
        // The last piece that has begun before what can be asked for is still needed.
        let oldest = time - self.longest - self.rounding(time);
        while self.pieces.len() > 1 && self.pieces[1].since <= oldest {
            self.pieces.pop_front();
        }
        let (mut late, _) = self.position(time);
        late[0] -= time;
        if late[0].abs() <= self.rounding(time) {
            return time;
        }
        time + first_above(&late)
    }

    /// The delay time has this polynomial from `time` on. True: it is another one.
    pub fn set_delay(&mut self, time: f64, c: &[f64]) -> bool {
        let (old, new) = (shifted(self.delay.c, time - self.delay.since), padded(c));
        self.delay = Piece {
            since: time,
            c: new,
        };
        self.longest = self.longest.max(new[0]);
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME * a.abs().max(b.abs());
        !old.iter().zip(&new).all(same)
    }

    /// Is this signal renewed without end at one instant?
    pub fn circles(&mut self, time: f64) -> bool {
        if self.instant != time {
            (self.instant, self.renewals) = (time, 0);
        }
        self.renewals += 1;
        self.renewals > RENEWALS
    }

    /// Where in the past the signal is read, about a time, and how long that holds. A negative delay counts as none.
    fn position(&self, time: f64) -> (Polynomial, f64) {
        let mut tau = shifted(self.delay.c, time - self.delay.since);
        if tau[0].abs() <= self.rounding(time) {
            tau[0] = 0.0;
        }
        if is_negative(&tau) {
            return ([time, 1.0, 0.0, 0.0], first_above(&tau));
        }
        let s = [time - tau[0], 1.0 - tau[1], -tau[2], -tau[3]];
        (s, first_below(&tau))
    }

    /// A breakpoint that comes out now was put in this much too late at most.
    fn rounding(&self, time: f64) -> f64 {
        4.0 * f64::EPSILON * (time.abs() + self.longest)
    }

    /// The delayed signal about a time, and until when it is this polynomial.
    pub fn at(&self, time: f64) -> ([f64; COMPOSED], f64) {
        let (s, holds) = self.position(time);
        let rounding = self.rounding(time);
        let backwards = is_negative(&[0.0, s[1], s[2], s[3]]);
        let then = if backwards {
            s[0] - rounding
        } else {
            s[0] + rounding
        };
        // A border that was reached just now is not reached again.
        let from = |border: f64| {
            let far = s[0] - border;
            let far = if far.abs() > rounding { far } else { 0.0 };
            [far, s[1], s[2], s[3]]
        };
        let begun = self.pieces.partition_point(|p| p.since <= then);
        let piece = begun.checked_sub(1).filter(|_| then >= self.start);
        let Some(k) = piece else {
            let mut c = [0.0; COMPOSED];
            c[0] = self.first;
            return (c, time + first_above(&from(self.start)).min(holds));
        };
        let p = &self.pieces[k];
        let end = match self.pieces.get(k + 1) {
            Some(next) => first_above(&from(next.since)),
            None => f64::INFINITY,
        };
        let mut lasts = end.min(holds);
        if s[1] != 1.0 || s[2] != 0.0 || s[3] != 0.0 {
            lasts = lasts.min(first_below(&from(p.since)));
        }
        let c = composed(shifted(p.c, s[0] - p.since), s);
        (c, time + lasts)
    }

    /// All that a later stage of the run must know, as numbers for [`History::load`].
    pub fn save(&self, out: &mut Vec<f64>) {
        let numbers = [self.longest, self.start, self.first, self.largest];
        out.extend(numbers);
        out.push(self.pieces.len() as f64);
        for p in self.pieces.iter().chain([&self.delay]) {
            out.push(p.since);
            out.extend(p.c);
        }
    }

    /// Takes over what [`History::save`] wrote.
    pub fn load(&mut self, next: &mut impl FnMut() -> f64) {
        (self.longest, self.start) = (next(), next());
        (self.first, self.largest) = (next(), next());
        let pieces = next() as usize;
        let mut piece = || Piece {
            since: next(),
            c: std::array::from_fn(|_| next()),
        };
        self.pieces = (0..pieces).map(|_| piece()).collect();
        self.delay = piece();
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
        let mut h = History::new(0.0, 1.0, 0.7, 0.7);
        h.push(0.0, &[1.0, 2.0]);
        h.push(3.0, &[7.0]);
        assert_eq!(h.push(3.0, &[10.0, 0.0, -1.0]), 3.7);
        for k in 0..7 {
            let t = 3.0 + 0.1 * f64::from(k) - 1e-9;
            let (c, until) = h.at(t);
            assert!((c[0] - (1.0 + 2.0 * (t - 0.7))).abs() < 1e-12);
            assert!((c[1] - 2.0).abs() < 1e-15 && (until - 3.7).abs() < 1e-12);
        }
        let (c, until) = h.at(3.7);
        assert!((c[0] - 10.0).abs() < 1e-12 && c[2] == -1.0);
        assert_eq!(until, f64::INFINITY);
    }

    #[test]
    fn before_the_start_it_stands_still() {
        let mut h = History::new(2.0, 4.5, 0.5, 0.5);
        h.push(2.0, &[4.0, -3.0]);
        let (c, until) = h.at(2.2);
        assert_eq!((c, until), ([4.5, 0.0, 0.0, 0.0, 0.0], 2.5));
        assert_eq!(h.value(3.0), 4.0 - 3.0 * 0.5);
    }

    #[test]
    fn old_pieces_are_forgotten() {
        let mut h = History::new(0.0, 0.0, 1.0, 1.0);
        for k in 0..1000 {
            h.push(0.01 * f64::from(k), &[f64::from(k)]);
        }
        assert!(h.pieces.len() < 110);
        assert_eq!(h.value(9.995), 899.0);
    }

    /// u = t² (one piece) read at t − τ with τ = 1 + t/2 − t²/10: all coefficients, by multiplying out.
    #[test]
    fn a_varying_delay_is_a_composition() {
        let mut h = History::new(0.0, 0.0, 1.0, 10.0);
        h.push(0.0, &[0.0, 0.0, 1.0]);
        assert!(h.set_delay(0.0, &[1.0, 0.5, -0.1]));
        // s = −1 + t/2 + t²/10 is in the past of the start until t = (−5 + √65)/2.
        let (c, until) = h.at(0.5);
        assert_eq!(c, [0.0; COMPOSED]);
        assert!((until - 0.5 * (65f64.sqrt() - 5.0)).abs() < 1e-12);
        let (s, v, a) = (-1.0 + 1.0 + 0.4, 0.5 + 0.4, 0.1);
        let (c, _) = h.at(2.0);
        for (c, expected) in
            c.iter()
                .zip([s * s, 2.0 * s * v, v * v + 2.0 * s * a, 2.0 * v * a, a * a])
        {
            assert!((c - expected).abs() < 1e-14, "{c} {expected}");
        }
    }

    /// A delay that grows twice as fast as time plays the signal backwards, jumps included.
    #[test]
    fn a_growing_delay_plays_backwards() {
        let mut h = History::new(0.0, -1.0, 0.0, 10.0);
        h.push(0.0, &[0.0, 1.0]);
        h.push(1.0, &[5.0]);
        h.push(2.0, &[7.0]);
        h.set_delay(2.0, &[0.0, 2.0]);
        let (c, until) = h.at(2.0);
        assert_eq!((c[0], until), (5.0, 3.0), "left of the jump, until s = 1");
        let (c, until) = h.at(3.0);
        assert_eq!((c[0], c[1], until), (1.0, -1.0, 4.0));
        let (c, until) = h.at(4.5);
        assert_eq!((c[0], until), (-1.0, f64::INFINITY));
    }

    /// sin t, told anew a thousand times a second by its first three terms: between its pieces it differs by 1e-10 at most. Within
    /// a relative quantum of 1e-4 a piece lasts until its third derivative has made 1e-5: some 0.04 s.
    #[test]
    fn pieces_that_make_no_difference_are_left_out() {
        let mut h = History::new(0.0, 0.0, 1.0, 1.0);
        h.merge(1e-4);
        let mut worst: f64 = 0.0;
        for k in 0..5000 {
            let t = 1e-3 * f64::from(k);
            h.push(t, &[t.sin(), t.cos(), -0.5 * t.sin()]);
            if t > 1.0 {
                worst = worst.max((h.value(t) - (t - 1.0).sin()).abs());
            }
        }
        assert!(h.pieces.len() < 40, "{}", h.pieces.len());
        assert!(worst < 1.1e-5, "{worst}");
        // A jump stays.
        h.push(5.0, &[3.0]);
        h.push(5.1, &[3.0]);
        h.push(5.2, &[3.0]);
        assert_eq!(h.value(6.0), 3.0);
        assert!((h.value(6.0 - 1e-6) - 5f64.sin()).abs() < 1.1e-5);
    }
}
