//! Explicit steps that are too long: told by what they do.
//!
//! In: the states of a cluster at each row of its results. Out: a failure that names the state, the time and the step that would do.
//!
//! A state that has grown by [`GROWN`] beyond its size is looked at, and again each time it has grown by [`AGAIN`]. Where the growth that the formula
//! adds to its mode ([`growing_mode`]) explains what was seen, the growth is that of the formula and not of the model. What grows for another reason is
//! let alone until no quantity can be so large.
//!
//! Lines carry what grows from one part to another, so that no mode of a part explains it: Euler's formula makes the wave that a mass reflects larger than the
//! one that arrives. That is left to a run with half of the step ([`ferrica_sim::Doubt`]).

use ferrica_codegen::model::CompiledModel;
use ferrica_codegen::{Cause, Evaluator, Failure, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::print::brief;
use ferrica_sim::{AGAIN, EXPLAINED, GROWN, growing_mode};
use ferrica_solvers::stability::Mode;

use crate::plan::{ClusterPlan, Method};

/// Growth at which one look is enough; two are before.
const FAR: f64 = 1e10;
/// No quantity is so large.
const BOUNDLESS: f64 = 1e40;

/// What to do about it.
pub const SHORTER: &str =
    "try a smaller --step (or --rate of this partition), --solver bdf, or --inline implicit-euler";

fn is_continuous(model: &CompiledModel, slot: Slot) -> bool {
    let kind = model.variable(slot).map(|v| model.source.vars[v].kind);
    matches!(kind, Some(Kind::State | Kind::Algebraic))
}

fn order(method: Method) -> usize {
    match method {
        Method::Euler => 1,
        Method::Rk4 => 4,
    }
}

pub struct Divergence {
    method: Method,
    /// Of each state: its size, and the value at which it is looked at next.
    sizes: Vec<(f64, f64)>,
    /// Continuous variables that are not beyond all bounds from the start on: what an inlined formula computes is one of them.
    bounded: Vec<Slot>,
    /// Looks that found a step that is too long.
    found: u32,
    begin: f64,
}

impl Divergence {
    /// The slots hold the solution at the start. Nothing is watched where a solver controls its own error.
    pub fn new(plan: &ClusterPlan, method: Method, ev: &Evaluator) -> Divergence {
        let states = if plan.own.is_some() {
            &[]
        } else {
            &plan.states[..]
        };
        let sizes = states.iter().map(|&(x, _)| {
            let size = ev.model.nominal(x).max(ev.get(x).abs());
            (size, GROWN * size)
        });
        Divergence {
            method,
            sizes: sizes.collect(),
            bounded: (plan.visible.iter().copied())
                .filter(|&s| is_continuous(&ev.model, s) && ev.get(s).abs() < BOUNDLESS)
                .collect(),
            found: 0,
            begin: ev.time(),
        }
    }

    /// At a row of the results: states, derivatives and all else are in the slots.
    pub fn check(&mut self, plan: &ClusterPlan, ev: &Evaluator) -> Result<(), Failure> {
        for (j, &(x, _)) in plan.states.iter().enumerate().take(self.sizes.len()) {
            let value = ev.get(x).abs();
            let (size, limit) = self.sizes[j];
            if value < limit {
                continue;
            }
            while self.sizes[j].1 <= value {
                self.sizes[j].1 *= AGAIN;
            }
            let Some(mode) = self.mode(plan, ev) else {
                continue;
            };
            let elapsed = ev.time() - self.begin;
            let added = elapsed / plan.step * mode.excess(plan.step, order(self.method));
            if added > EXPLAINED * (value / size).ln() {
                self.found += 1;
                if self.found > 1 || value > FAR * size {
                    let step = mode.stable_step(plan.step, order(self.method), elapsed);
                    return Err(self.unstable(plan, ev, x, step));
                }
            }
        }
        let beyond = |&&s: &&Slot| ev.get(s).abs() > BOUNDLESS;
        match self.bounded.iter().find(beyond) {
            Some(&slot) => Err(boundless(ev, slot)),
            None => Ok(()),
        }
    }

    /// The mode that the states follow.
    fn mode(&self, plan: &ClusterPlan, ev: &Evaluator) -> Option<Mode> {
        let sizes = self.sizes.iter().map(|s| s.0);
        growing_mode(ev, &plan.states, sizes, plan.step, |ev| {
            ev.run(&plan.core).is_ok()
        })
    }

    fn unstable(&self, plan: &ClusterPlan, ev: &Evaluator, x: Slot, step: f64) -> Failure {
        let name = match self.method {
            Method::Euler => "euler",
            Method::Rk4 => "rk4",
        };
        let mut failure = Failure::new(format!(
            "`{}` grows without bound ({:.1e} at time {}): a step of {} is too long for `{name}`, which is stable here up to about {step:.1e}",
            ev.model.var_name(x),
            ev.get(x),
            brief(ev.time()),
            brief(plan.step)
        ));
        failure.cause = Cause::Divergence;
        failure.details.push(SHORTER.into());
        failure
    }
}

fn boundless(ev: &Evaluator, slot: Slot) -> Failure {
    let mut failure = Failure::new(format!(
        "`{}` grows without bound: {:.1e} at time {}",
        ev.model.var_name(slot),
        ev.get(slot),
        brief(ev.time())
    ));
    failure.cause = Cause::Divergence;
    failure.details.push(SHORTER.into());
    failure
}
