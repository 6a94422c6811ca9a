//! Explicit steps that are too long: told by what they do.
//!
//! In: the states of a cluster at each row of its results. Out: a failure that names the state, the time and the step that would do.
//!
//! A state that has grown by [`GROWN`] beyond its size is looked at, and again each time it has grown by [`AGAIN`]. With k₁ = f(x),
//! k₂ = f(x + h/2 k₁), k₃ = f(x + h/2 k₂) at one instant, 2 |k₃ − k₂| / |k₂ − k₁| is |hλ| of the mode that has taken over. Beyond what the
//! formula is stable for, the growth is that of the formula and not of the model. What grows for another reason is let alone until no
//! quantity can be so large. The looks work on a copy: whether there was one has no influence on the results.

use ferrica_codegen::model::CompiledModel;
use ferrica_codegen::{Evaluator, Failure, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::print::brief;

use crate::plan::{ClusterPlan, Method};

const GROWN: f64 = 1e4;
const AGAIN: f64 = 1e3;
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

/// |hλ| up to which a formula is stable for decaying modes.
fn stable(method: Method) -> f64 {
    match method {
        Method::Euler => 2.0,
        Method::Rk4 => 2.785,
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
            let Some(fastest) = self.fastest(plan, ev, j) else {
                continue;
            };
            if fastest * plan.step > stable(self.method) {
                self.found += 1;
                if self.found > 1 || value > FAR * size {
                    return Err(self.unstable(plan, ev, x, fastest));
                }
            }
        }
        let beyond = |&&s: &&Slot| ev.get(s).abs() > BOUNDLESS;
        match self.bounded.iter().find(beyond) {
            Some(&slot) => Err(boundless(ev, slot)),
            None => Ok(()),
        }
    }

    /// |λ| of the mode that state j follows.
    fn fastest(&self, plan: &ClusterPlan, ev: &Evaluator, j: usize) -> Option<f64> {
        let mut ev = ev.clone();
        let half = 0.5 * plan.step;
        let read = |ev: &Evaluator, derivative: bool| -> Vec<f64> {
            let slot = |&(x, dx): &(Slot, Slot)| ev.get(if derivative { dx } else { x });
            plan.states.iter().map(slot).collect()
        };
        let x = read(&ev, false);
        let mut k = vec![read(&ev, true)];
        for stage in 0..2 {
            for (i, &(slot, _)) in plan.states.iter().enumerate() {
                ev.set(slot, x[i] + half * k[stage][i]);
            }
            ev.run(&plan.core).ok()?;
            k.push(read(&ev, true));
        }
        let (first, second) = (k[1][j] - k[0][j], k[2][j] - k[1][j]);
        let fastest = (second / (half * first)).abs();
        fastest.is_finite().then_some(fastest)
    }

    fn unstable(&self, plan: &ClusterPlan, ev: &Evaluator, x: Slot, fastest: f64) -> Failure {
        let name = match self.method {
            Method::Euler => "euler",
            Method::Rk4 => "rk4",
        };
        let mut failure = Failure::new(format!(
            "`{}` grows without bound ({:.1e} at time {}): a step of {} is too long for `{name}`, which is stable here up to about {:.1e}",
            ev.model.var_name(x),
            ev.get(x),
            brief(ev.time()),
            brief(plan.step),
            stable(self.method) / fastest
        ));
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
    failure.details.push(SHORTER.into());
    failure
}
