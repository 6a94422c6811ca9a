//! Does a quantized-state method pay for a model? A rule, with its reasons.
//!
//! In: a model at its start. Out: a method or none, and why. The rule looks at what the method's cost
//! depends on:
//!
//! 1. Few states (below [`FEW_STATES`]): no. A classic step costs microseconds.
//! 2. Dense coupling (more than [`DENSE`] states in a derivative on average): no. Every transition
//!    would recompute much of the model.
//! 3. Many local events (a state relation for every [`EVENT_SHARE`] states): liqss2. A classic solver
//!    restarts the whole model at each of them.
//! 4. Diagonal stiffness (in most stiff rows of the Jacobian the diagonal dominates, and the
//!    diagonal spreads over more than [`SPREAD`]): liqss2.
//! 5. A front (at the start most states rest; in a part of the rows, at least [`HELD`], the diagonal outweighs the rest
//!    [`STRONGLY`] times, and it spreads over more than [`FRONT`]): liqss2. States are held at their places and only those in
//!    between move.
//! 6. Otherwise no: smooth waves and oscillations make every state move all the time, which is what
//!    classic solvers are best at.
//!
//! Of these only the third is a reason to take the method unasked ([`choose`]), because there the run itself can tell whether it pays: at each event a classic
//! solver evaluates the whole model at least once. A quantized run that has cost less than that is the cheaper one, whatever else the model does. One that
//! costs more is ended, and the classic solver tries to come as far with a few times that work: if it does, it is the one that goes on; if not, the quantized run may cost that much.

use std::sync::Arc;

use ferrica_codegen::kernel::Op;
use ferrica_codegen::{CompiledModel, Evaluator};
use ferrica_sim::{Experiment, start};

use crate::quantizer::{Family, Method};
use crate::settings::Worth;

pub const FEW_STATES: usize = 200;
pub const DENSE: f64 = 10.0;
pub const EVENT_SHARE: usize = 10;
pub const SPREAD: f64 = 100.0;
pub const HELD: f64 = 0.05;
pub const STRONGLY: f64 = 3.0;
pub const FRONT: f64 = 5.0;
/// Cost of one evaluation in a quantized run, with the transition around it, in evaluations of a derivative or a condition among all others of the model.
const DEARER: f64 = 16.0;
/// Evaluations of the whole model that a run may cost before its first event: about a hundred steps.
const FIRST: f64 = 500.0;
/// Unknowns of a loop that is solved as fast as other rows are evaluated.
const SMALL_LOOP: usize = 2;
/// Tolerances below this one ask for third order: the second makes transitions in inverse proportion to the root of the tolerance, the third to its cubic root.
const TIGHT: f64 = 1e-4;
/// A state rests if it would move by less than this part of the largest one in the time of the run.
const REST: f64 = 1e-3;

/// See the module comment.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    pub method: Option<Method>,
    pub reason: String,
}

/// What the rule is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    pub states: usize,
    /// States in a derivative, on average.
    pub coupling: f64,
    /// Relations that are crossed by states.
    pub relations: usize,
    /// Largest over median diagonal entry of the Jacobian.
    pub spread: f64,
    /// Share of rows with a diagonal that outweighs the rest of the row.
    pub dominant: f64,
    /// Share of rows where it does so [`STRONGLY`] times.
    pub held: f64,
    /// Share of states that rest at the start.
    pub resting: f64,
}

/// Applies the rule.
pub fn rule(m: &Measures) -> Recommendation {
    let liqss2 = Method {
        family: Family::Liqss,
        order: 2,
    };
    let (method, reason) = if m.states < FEW_STATES {
        (None, few(m.states))
    } else if m.coupling > DENSE {
        let text = format!("a derivative reads {:.1} states on average", m.coupling);
        (None, text)
    } else if m.relations * EVENT_SHARE >= m.states {
        (Some(liqss2), local_reason(m.states, m.relations))
    } else if m.spread >= SPREAD && m.dominant >= 0.8 {
        let text = format!(
            "{} states, sparse, stiff on the diagonal (spread {:.0})",
            m.states, m.spread
        );
        (Some(liqss2), text)
    } else if m.resting >= 0.5 && m.held >= HELD && m.dominant >= 0.8 && m.spread >= FRONT {
        let text = format!(
            "{} states, sparse, {:.0} % of them at rest and {:.0} % held by their own equations",
            m.states,
            100.0 * m.resting,
            100.0 * m.held
        );
        (Some(liqss2), text)
    } else {
        (None, "all states move smoothly together".to_string())
    };
    Recommendation { method, reason }
}

fn few(states: usize) -> String {
    match states {
        0 => "there is no state".to_string(),
        1 => "one state is few".to_string(),
        n => format!("{n} states are few"),
    }
}

/// What the rule says of a model and an experiment; `None` where it cannot be applied.
pub fn recommend(model: &Arc<CompiledModel>, experiment: &Experiment) -> Option<Recommendation> {
    if model.layout.n_states < FEW_STATES {
        return Some(Recommendation {
            method: None,
            reason: few(model.layout.n_states),
        });
    }
    // What needs no values first: the start of a large model takes its time.
    let coupling = coupling(model)?;
    let shape = Measures {
        states: model.layout.n_states,
        coupling,
        relations: local_conditions(model),
        spread: 1.0,
        dominant: 0.0,
        held: 0.0,
        resting: 0.0,
    };
    let by_shape = rule(&shape);
    if by_shape.method.is_some() || coupling > DENSE {
        return Some(by_shape);
    }
    let mut started = start(model, experiment).ok()?;
    let length = experiment.stop - experiment.start;
    measure(&mut started.problem.ev, length).map(|m| rule(&m))
}

/// A method for the default solver to take, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub method: Method,
    pub reason: String,
    /// Work of one evaluation of the whole model.
    whole: f64,
}

impl Choice {
    /// What a run may cost, a classic solver being taken to need so many evaluations of the model for each event.
    pub fn worth(&self, each_event: f64) -> Worth {
        Worth {
            first: FIRST * each_event * self.whole,
            each_event: each_event * self.whole,
        }
    }

    /// Evaluations of the model that a run has been worth which has ended after so many events.
    pub fn evaluations(each_event: f64, events: u64) -> f64 {
        each_event * (FIRST + events as f64)
    }
}

/// The method that a run of a model with this tolerance is to begin with unasked; `None` for a classic solver. Looks at nothing but the shape of the model.
pub fn choose(model: &CompiledModel, tolerance: f64) -> Option<Choice> {
    let states = model.layout.n_states;
    let relations = local_conditions(model);
    let is_local = states >= FEW_STATES
        && relations * EVENT_SHARE >= states
        && coupling(model).is_some_and(|c| c <= DENSE);
    // What has a memory of its own, or acts outside, cannot begin anew.
    let begins_anew = model.effects.is_empty()
        && model.delays.is_empty()
        && model.transports.is_empty()
        && model.dynamic_states.is_empty();
    if !is_local || !begins_anew || !has_cheap_lists(model) {
        return None;
    }
    let whole = (states + relations) as f64 / DEARER;
    Some(Choice {
        method: Method {
            family: Family::Liqss,
            order: if tolerance < TIGHT { 3 } else { 2 },
        },
        reason: local_reason(states, relations),
        whole,
    })
}

/// Is the evaluation of a derivative what it is counted for? One that solves a loop or calls a function may cost any number of others.
fn has_cheap_lists(model: &CompiledModel) -> bool {
    let calls = |op: &Op| matches!(op, Op::Call(_));
    let mut kernels = model.kernels.kernels.values();
    model
        .systems
        .values()
        .all(|s| s.unknowns.len() <= SMALL_LOOP)
        && !kernels.any(|k| k.ops.iter().any(calls))
}

fn local_reason(states: usize, relations: usize) -> String {
    format!("{states} states, sparse, with {relations} local conditions")
}

/// States in a derivative, on average; `None` without an ODE form.
fn coupling(model: &CompiledModel) -> Option<f64> {
    let pattern = &model.ode_jacobian.as_ref()?.pattern;
    Some(pattern.nnz() as f64 / model.layout.n_states.max(1) as f64)
}

fn local_conditions(model: &CompiledModel) -> usize {
    model.relations.iter().filter(|r| !r.time_event).count()
}

/// Measures of a model whose evaluator stands at its start, for a run of this length; `None` without an ODE form.
pub fn measure(ev: &mut Evaluator, length: f64) -> Option<Measures> {
    let model = ev.model.clone();
    let states = model.layout.n_states;
    let pattern = &model.ode_jacobian.as_ref()?.pattern;
    let mut values = vec![0.0; pattern.nnz()];
    ev.ode_jacobian(&mut values).ok()?;
    let mut diagonal = vec![0.0f64; states];
    let mut rest = vec![0.0f64; states];
    for ((r, c), v) in pattern.entries().zip(&values) {
        if r == c {
            diagonal[r] = v.abs();
        } else {
            rest[r] += v.abs();
        }
    }
    let outweighs = |times: f64| {
        let rows = (0..states).filter(|&i| diagonal[i] > 0.0 && diagonal[i] >= times * rest[i]);
        rows.count() as f64 / states.max(1) as f64
    };
    let (dominant, held) = (outweighs(0.5), outweighs(STRONGLY));
    let size = ev.states().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let first = model.layout.derivatives as usize;
    let slopes = &ev.slots[first..first + states];
    let rests = slopes.iter().filter(|f| f.abs() * length <= REST * size);
    let resting = rests.count() as f64 / states.max(1) as f64;
    diagonal.sort_by(f64::total_cmp);
    let median = diagonal.get(states / 2).copied().unwrap_or(0.0);
    let largest = diagonal.last().copied().unwrap_or(0.0);
    Some(Measures {
        states,
        coupling: coupling(&model)?,
        relations: local_conditions(&model),
        spread: if median > 0.0 {
            largest / median
        } else {
            f64::INFINITY
        },
        dominant,
        held,
        resting,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Measures {
        Measures {
            states: 1000,
            coupling: 3.0,
            relations: 0,
            spread: 1.0,
            dominant: 0.0,
            held: 0.0,
            resting: 0.0,
        }
    }

    #[test]
    fn pays_where_activity_is_local() {
        let events = Measures {
            relations: 2000,
            ..base()
        };
        let stiff = Measures {
            spread: 1e3,
            dominant: 1.0,
            ..base()
        };
        let front = Measures {
            spread: 9.0,
            dominant: 1.0,
            held: 0.2,
            resting: 0.99,
            ..base()
        };
        for m in [events, stiff, front] {
            assert_eq!(rule(&m).method.map(Method::name), Some("liqss2"));
        }
    }

    #[test]
    fn does_not_pay_elsewhere() {
        let wave = base();
        let small = Measures {
            states: 5,
            relations: 8,
            ..base()
        };
        let dense = Measures {
            coupling: 500.0,
            relations: 1000,
            ..base()
        };
        // Heat that begins to spread: at rest, but nothing holds it there.
        let heat = Measures {
            spread: 1.5,
            dominant: 1.0,
            resting: 0.99,
            ..base()
        };
        for m in [wave, small, dense, heat] {
            assert_eq!(rule(&m).method, None, "{}", rule(&m).reason);
        }
    }
}
