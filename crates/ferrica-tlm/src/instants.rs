//! Conditions of time of a part: an instant that no step is left for is not lost in silence.
//!
//! In: the conditions a·t > b of a part, whose b changes at events. Out: a failure, with the step that would do, where one that has changed within a step
//! changes again before the end of that step, or where a counter of periods (`floor` of a function of time) counts by more than one.

use ferrica_codegen::layout::Layout;
use ferrica_codegen::program::{Program, rows};
use ferrica_codegen::{CompiledModel, Evaluator, Failure, Slot};
use ferrica_hybrid::{Forced, behind_threshold, lost_instant, relation_text, same_time};
use ferrica_ir::expr::Expr;
use ferrica_ir::print::brief;

use crate::settle::plain;

/// An instant this part of a step before the end is at the end.
const ROUNDING: f64 = 1e-6;

/// See the module comment.
#[derive(Default)]
pub struct Instants {
    relations: Vec<u32>,
    /// Both sides of the relations.
    program: Program,
    /// Counters of periods: the slot, and the relation that they change with.
    counters: Vec<(Slot, u32)>,
}

/// When each condition changes, and the counters.
pub struct Before {
    times: Vec<f64>,
    counts: Vec<f64>,
}

impl Instants {
    pub fn new(model: &CompiledModel, relations: Vec<u32>) -> Instants {
        let mut program = Program::default();
        let mut counters = Vec::new();
        if relations.is_empty() {
            return Instants::default();
        }
        let zeros: Vec<Slot> = (relations.iter())
            .map(|&k| model.relations[k as usize].zero)
            .collect();
        for (kernel, row) in rows(&model.kernels, &model.relation_program) {
            let results = &row[model.kernels.kernels[kernel].loads as usize..];
            if results.iter().any(|s| zeros.contains(s)) {
                program.push_row(kernel, row, false);
            }
        }
        for &k in &relations {
            let r = &model.source.relations[k as usize];
            let mut left = None;
            model.source.exprs.postorder(&[r.rhs], |id| {
                if let Expr::Pre(v) = model.source.exprs.get(id) {
                    left = Some(v);
                }
            });
            let counter = left.filter(|&v| model.source.vars[v].var.name.starts_with("$floor"));
            counters.extend(counter.and_then(|v| model.layout.slot(v)).map(|s| (s, k)));
        }
        Instants {
            relations,
            program,
            counters,
        }
    }

    /// Before an event at the present time.
    pub fn before(&self, ev: &mut Evaluator) -> Result<Before, Failure> {
        Ok(Before {
            times: self.times(ev)?,
            counts: self.counters.iter().map(|c| ev.get(c.0)).collect(),
        })
    }

    /// Conditions that are at their threshold just now, up to rounding, both sides being known.
    pub fn at_threshold<'a>(&'a self, ev: &'a Evaluator) -> impl Iterator<Item = u32> + 'a {
        let is_at = |k: &u32| {
            let r = &ev.model.relations[*k as usize];
            same_time(ev.get(r.lhs), ev.get(r.rhs))
        };
        self.relations.iter().copied().filter(is_at)
    }

    /// Those of them that turn behind it, with their new sides.
    pub fn behind(&self, ev: &mut Evaluator, distance: f64) -> Result<Forced, Failure> {
        if self.relations.is_empty() {
            return Ok(Forced::new());
        }
        ev.run(&self.program)?;
        let mut found = behind_threshold(ev, &self.relations, &self.program, 0.0, distance)?;
        found.retain(|&(k, now)| now != (ev.get(ev.model.relations[k].memory) != 0.0));
        Ok(found)
    }

    /// After the event that ends a step: has an instant been lost?
    pub fn check(&self, before: &Before, step: f64, ev: &mut Evaluator) -> Result<(), Failure> {
        let model = ev.model.clone();
        let t = ev.time();
        let after = self.times(ev)?;
        let all = self.relations.iter().zip(before.times.iter().zip(&after));
        for (&k, (&was, &is)) in all {
            let within = was > t - step && was < t - ROUNDING * step;
            if within && is > was + ROUNDING * step && is < t - ROUNDING * step {
                let what = format!(
                    "the condition `{}` changes at time {} and again at {}",
                    relation_text(&model, k as usize),
                    brief(was),
                    brief(is)
                );
                return Err(plain(lost_instant(t, &what, is - was, step)));
            }
        }
        for (&(slot, k), &was) in self.counters.iter().zip(&before.counts) {
            let periods = (ev.get(slot) - was).abs();
            if periods > 1.0 {
                let what = format!(
                    "the condition `{}` changes {periods} times in one step",
                    relation_text(&model, k as usize)
                );
                return Err(plain(lost_instant(t, &what, step / periods, step)));
            }
        }
        Ok(())
    }

    /// When each condition changes by its present threshold.
    fn times(&self, ev: &mut Evaluator) -> Result<Vec<f64>, Failure> {
        if self.relations.is_empty() {
            return Ok(Vec::new());
        }
        let model = ev.model.clone();
        let t = ev.time();
        let zero = |ev: &Evaluator, k: u32| ev.get(model.relations[k as usize].zero);
        ev.set(Layout::TIME, t + 1.0);
        ev.run(&self.program)?;
        let later: Vec<f64> = self.relations.iter().map(|&k| zero(ev, k)).collect();
        ev.set(Layout::TIME, t);
        ev.run(&self.program)?;
        let at = |(&k, later): (&u32, f64)| {
            let now = zero(ev, k);
            t - now / (later - now)
        };
        Ok(self.relations.iter().zip(later).map(at).collect())
    }
}
