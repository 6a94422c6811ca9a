//! A crossing detector: when the function of a condition changes its side.
//!
//! Shared by the engine and the explicit DEVS blocks, like `integrator.rs`.

use ferrica_sim::SAME_TIME;

use crate::integrator::{Control, INSTANT};
use crate::roots::{first_above, first_below};

/// Fraction of the largest value of a crossing function that it must leave zero by after an event.
const HAIR: f64 = 1e-10;

/// Times that a condition must stay on its side, of the last stays, not to slide.
const LONGER: f64 = 4.0;

/// A crossing: which side its function is on, and what is known of the function's size.
///
/// After an event the function must leave zero by a hair before the crossing counts again. Where it comes back before it has been as far from zero
/// as the quanta of what it reads make it uncertain, each side drives the model back to the other one (a sliding motion, or a state at
/// rest at the edge of its condition): then the hair is half of that uncertainty. So a sliding motion goes
/// on between two lines that are a quantum apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct Detector {
    pub side: bool,
    /// Has just fired, or the run begins: the function must leave zero by a hair before it counts again.
    pub fresh: bool,
    /// The scheduler has a time for it. Noted here because most predictions find none and had none before: these need not ask.
    pub expected: bool,
    /// Since the last event it has been away from zero by more than the quanta of what it reads make it uncertain.
    pub calm: bool,
    /// Its polynomial is not all of the function; it may have kinks or jumps.
    pub bent: bool,
    pub kinked: bool,
    /// It has come back before it was calm: each side drives the model back to the other one.
    slides: bool,
    /// How long its last stays on a side have been, the longest of them and each older one taken for half as long as the next: a power of two.
    stays: i8,
    /// Largest absolute value of the function so far, and no less than it is taken to be at the start; after an event no more than it can be
    /// (see `reaches.rs`).
    reach: f32,
    /// Events so far.
    pub events: u32,
    /// When it can be calm again at the earliest.
    watched: f64,
}

impl Detector {
    pub fn new(side: bool, reach: f64) -> Detector {
        Detector {
            side,
            reach: reach as f32,
            stays: i8::MIN,
            ..Detector::default()
        }
    }

    /// An event has led to another mode, in which the function is no larger than this.
    pub fn limit(&mut self, reach: f64) {
        self.reach = self.reach.min(reach as f32);
    }

    /// Has it to leave zero by more than a hair?
    pub fn slides_from_zero(&self) -> bool {
        self.fresh && self.slides
    }

    /// How far it must leave zero after an event, in parts of the reach.
    #[inline]
    fn hysteresis(&self, control: &Control) -> f64 {
        let uncertain = if self.slides {
            0.5 * control.relative
        } else {
            0.0
        };
        uncertain.max(HAIR)
    }

    /// So near to zero its function is at zero, as far as the quanta of what it reads tell.
    pub fn noise(&self, control: &Control) -> f64 {
        control.relative * f64::from(self.reach)
    }

    /// Is a function of this value on the other side, so that its event is there?
    pub fn is_across(&self, value: f64, control: &Control) -> bool {
        let part = if self.fresh {
            self.hysteresis(control)
        } else {
            0.0
        };
        (value > 0.0) != self.side && value.abs() > part * f64::from(self.reach)
    }

    /// The run begins, and this is the time until the first crossing. A function that begins at zero and does not cross there
    /// must not do so because the first quantized state is a little off.
    pub fn begin(&mut self, rest: f64) {
        self.fresh = rest > 0.0;
    }

    /// The function has crossed, at a time of a run of this length.
    pub fn fire(&mut self, t: f64, length: f64) {
        self.side = !self.side;
        self.fresh = true;
        self.events += 1;
        self.slides = !self.calm;
        self.calm = false;
        let stay = t - (self.watched - INSTANT * length);
        let octave = stay.log2().ceil().clamp(-127.0, 127.0) as i8;
        self.stays = octave.max(self.stays.saturating_sub(1));
        self.watched = t + INSTANT * length;
    }

    /// Its event has given states new values: what comes back after a jump does not slide.
    pub fn has_jumped(&mut self) {
        self.slides = false;
    }

    /// Time until the function is strictly on the other side; infinite if that is later than
    /// `horizon`, when it is looked at again anyway. After an event, zero is as wide as the rounding of the time `t`
    /// makes it.
    #[inline]
    pub fn time_to_crossing<const D: usize>(
        &mut self,
        t: f64,
        mut g: [f64; D],
        horizon: f64,
        control: &Control,
    ) -> f64 {
        let size = g[0].abs();
        let mut reach = f64::from(self.reach);
        if size > reach {
            reach = size;
            self.reach = size as f32;
        }
        let mut change = 0.0;
        for k in (1..D).rev() {
            change = (change + g[k].abs()) * horizon;
        }
        self.calm |= size > self.noise(control) && t > self.watched;
        if change < size && (g[0] > 0.0) == self.side && !self.fresh {
            return f64::INFINITY;
        }
        if self.fresh {
            self.slides &= t - self.watched <= LONGER * f64::from(self.stays).exp2();
            let hair = self.hysteresis(control) * reach + SAME_TIME * (t * g[1]).abs();
            if size > hair {
                self.fresh = false;
            } else if self.side {
                g[0] += hair;
            } else {
                g[0] -= hair;
            }
        }
        let s = if self.side {
            first_below(&g)
        } else {
            first_above(&g)
        };
        if s > horizon { f64::INFINITY } else { s }
    }
}
