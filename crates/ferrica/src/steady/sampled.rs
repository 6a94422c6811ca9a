//! Samplers at a point of rest.
//!
//! In: a search whose states rest while nothing is sampled. Out: the message that they do not rest with what samplers would bring: an
//! integrator that is summed up at instants goes on although time stands still.

use ferrica_ir::print::brief;
use ferrica_sim::iterate_within;

use super::{PASSES, Rest};
use crate::error::{Error, ErrorKind};

/// Samples that must change nothing: what the first one leaves to left limits comes with the second.
const SAMPLES: usize = 2;
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
        let mut moving = None;
        for _ in 0..SAMPLES {
            let sampled = iterate_within(&mut self.p, &Vec::new(), &all, 0.0, PASSES);
            let done = sampled.is_ok() && self.rates(&mut rates);
            let moved = |k: &usize| rates[*k].abs() > STILL * self.size(*k);
            moving = match done {
                true => (0..self.n()).find(moved),
                false => Some(0),
            };
            if moving.is_some() {
                break;
            }
        }
        let error = moving.map(|state| {
            let changed = |&&(now, _): &&(u32, u32)| {
                let (a, b) = (slots[now as usize], self.p.ev.get(now));
                (a - b).abs() > STILL * a.abs().max(b.abs())
            };
            let memory = |now: u32| model.samplers.iter().any(|s| s.0 == now);
            let mut pairs = model.layout.pre_pairs.iter();
            let first = pairs.find(|pair| changed(pair) && !memory(pair.0));
            let state = model.var_name(model.layout.states + state as u32);
            let what = match first {
                Some(&(now, _)) => format!(
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
}
