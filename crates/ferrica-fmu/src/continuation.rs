//! Points at which an iteration does not converge from afar: the way there is followed from a point that is known.
//!
//! An integrator of our own takes a shorter step where a system of equations has no solution near the present values. Integrators of
//! importers often cannot: to them a right-hand side that fails is the end of the run. So the path of times, states and inputs from the last accepted
//! point to the wanted one is followed in parts, each beginning at the solution of the one before (natural continuation).

use ferrica_codegen::{Failure, Slot};
use ferrica_sim::Problem;

/// The smallest part of the way, after which it counts as having no solution.
const SMALLEST_PART: f64 = 1.0 / 1024.0;

/// A point where everything was solved.
#[derive(Clone, Debug, Default)]
pub struct Anchor {
    time: f64,
    slots: Vec<f64>,
}

impl Anchor {
    /// The present point, which has been solved.
    pub fn take(&mut self, p: &Problem) {
        self.time = p.ev.time();
        self.slots.clone_from(&p.ev.slots);
    }

    /// Solves at the present point. Where that fails from the values that are there, from the anchor on.
    pub fn solve(
        &self,
        p: &mut Problem,
        f: &mut dyn FnMut(&mut Problem) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Err(failure) = f(p) else {
            return Ok(());
        };
        if self.slots.len() != p.ev.slots.len() {
            return Err(failure);
        }
        let way = Way::new(self, p);
        let solved = way.follow(p, f);
        // The iterations of the next points begin where the integrator was last.
        way.go(p, &self.slots, 0.0);
        p.accept();
        way.go(p, solved.as_deref().unwrap_or(&self.slots), 1.0);
        solved.map(|_| ()).ok_or(failure)
    }
}

/// From the anchor to the wanted point: what changes on it.
struct Way<'a> {
    anchor: &'a Anchor,
    time: f64,
    /// States and inputs, with both values.
    moving: Vec<(Slot, f64, f64)>,
}

impl Way<'_> {
    fn new<'a>(anchor: &'a Anchor, p: &Problem) -> Way<'a> {
        let model = &p.ev.model;
        let states = model.layout.states..model.layout.states + model.layout.n_states as Slot;
        let inputs = (model.source.inputs.iter()).filter_map(|&v| model.layout.slot(v));
        let both = |slot: Slot| (slot, anchor.slots[slot as usize], p.ev.get(slot));
        Way {
            anchor,
            time: p.ev.time(),
            moving: states.chain(inputs).map(both).collect(),
        }
    }

    /// Puts the problem at a part of the way, with guesses from a solution.
    fn go(&self, p: &mut Problem, guesses: &[f64], part: f64) {
        let between = |a: f64, b: f64| if part == 1.0 { b } else { a + part * (b - a) };
        p.ev.slots.copy_from_slice(guesses);
        p.ev.set_time(between(self.anchor.time, self.time));
        for &(slot, from, to) in &self.moving {
            p.ev.set(slot, between(from, to));
        }
    }

    /// The solution at the end of the way.
    fn follow(
        &self,
        p: &mut Problem,
        f: &mut dyn FnMut(&mut Problem) -> Result<(), Failure>,
    ) -> Option<Vec<f64>> {
        let (mut done, mut part) = (0.0, 1.0);
        let mut solved = self.anchor.slots.clone();
        while done < 1.0 {
            let next = f64::min(done + part, 1.0);
            self.go(p, &solved, next);
            p.accept();
            if f(p).is_ok() {
                done = next;
                solved.clone_from(&p.ev.slots);
                part *= 2.0;
            } else {
                part *= 0.5;
                if part < SMALLEST_PART {
                    return None;
                }
            }
        }
        Some(solved)
    }
}
