//! Samplers at a point of rest.
//!
//! In: a search whose states rest while nothing is sampled. Out: the message that they do not rest with what samplers would bring: an
//! integrator that is summed up at instants goes on although time stands still. Samplers that do not look at the model, such as those of a source of
//! pulses, drive it as time does: it rests until their next instant.

use ferrica_codegen::Slot;
use ferrica_ir::causal::Kind;
use ferrica_ir::print::brief;
use ferrica_sim::iterate_within;

use super::{PASSES, Rest};
use crate::error::{Error, ErrorKind};

/// Samples that must change nothing: what the first one leaves to left limits comes with the second.
const SAMPLES: usize = 2;
/// To see whether samplers look at the states these move by this part of their sizes.
const MOVED: f64 = 1e-2;
/// A state rests under samples when its rate stays below this part of its size: gains of controllers multiply what is left of the search.
const STILL: f64 = 1e-6;

impl Rest<'_> {
    /// Why the point is none, if samplers lead away from it. The point is as it was then.
    pub(super) fn moved_by_samplers(&mut self) -> Option<Error> {
        let model = std::sync::Arc::clone(&self.model);
        let all: Vec<usize> = (0..model.samplers.len()).collect();
        if all.is_empty() {
            return None;
        }
        let slots = self.p.ev.slots.clone();
        let mut rates = Vec::new();
        let (mut moving, mut taken) = (None, 0);
        while moving.is_none() && taken < SAMPLES {
            taken += 1;
            let sampled = iterate_within(&mut self.p, &Vec::new(), &all, 0.0, PASSES);
            let done = sampled.is_ok() && self.rates(&mut rates);
            let moved = |k: &usize| rates[*k].abs() > STILL * self.size(*k);
            moving = match done {
                true => (0..self.n()).find(moved),
                false => Some(0),
            };
        }
        let moving = moving.filter(|_| self.samplers_look(&all, taken, &slots));
        let error = moving.map(|state| {
            let changed = |now: &Slot| {
                let (a, b) = (slots[*now as usize], self.p.ev.get(*now));
                (a - b).abs() > STILL * a.abs().max(b.abs())
            };
            let first = self.discrete().into_iter().find(changed);
            let state = model.var_name(model.layout.states + state as u32);
            let what = match first {
                Some(now) => format!(
                    "`{}` goes from {} to {} with a sample, and `{state}` follows",
                    model.var_name(now),
                    brief(slots[now as usize]),
                    brief(self.p.ev.get(now)),
                ),
                None => format!("`{state}` moves with a sample"),
            };
            let text = format!(
                "no operating point is found: all states rest while nothing is sampled, but {what}"
            );
            let hint = "start values at which what is sampled stays the same, or a run that comes to rest (`linearize --at T`)";
            Error::of(ErrorKind::Run, "E0641", text, Some(hint.to_owned()))
        });
        self.p.ev.slots.copy_from_slice(&slots);
        error
    }

    /// Discrete variables with memory.
    fn discrete(&self) -> Vec<Slot> {
        let model = &self.model;
        let slots = model.layout.pre_pairs.iter().map(|pair| pair.0);
        let sampler = |slot: Slot| model.samplers.iter().any(|s| s.0 == slot);
        let discrete = |slot: &Slot| {
            let var = model.variable(*slot);
            var.is_some_and(|v| model.source.vars[v].kind == Kind::Discrete) && !sampler(*slot)
        };
        slots.filter(discrete).collect()
    }

    /// Do samples bring something else where the states are elsewhere? So many have just been taken from these slots, and are so again.
    fn samplers_look(&mut self, all: &[usize], taken: usize, slots: &[f64]) -> bool {
        let model = std::sync::Arc::clone(&self.model);
        let discrete = self.discrete();
        let here: Vec<f64> = discrete.iter().map(|&d| self.p.ev.get(d)).collect();
        let after = self.p.ev.slots.clone();
        self.p.ev.slots.copy_from_slice(slots);
        let first = model.layout.states as usize;
        let place = |k: usize| slots[first + k] + MOVED * self.size(k);
        let places: Vec<f64> = (0..self.n()).map(place).collect();
        self.p.ev.set_states(&places);
        let mut done = self.p.ev.run(&model.continuous_program).is_ok();
        for _ in 0..taken {
            done = done && iterate_within(&mut self.p, &Vec::new(), all, 0.0, PASSES).is_ok();
        }
        let there = discrete.iter().map(|&d| self.p.ev.get(d));
        let differ = |(a, b): (&f64, f64)| (a - b).abs() > STILL * a.abs().max(b.abs());
        let looks = !done || here.iter().zip(there).any(differ);
        self.p.ev.slots.copy_from_slice(&after);
        looks
    }
}
