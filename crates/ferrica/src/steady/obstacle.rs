//! What stands in the way of an operating point.
//!
//! In: a search that has found none. Out: the message that names the state which does not rest, its equation, and what to do.

use ferrica_codegen::Slot;
use ferrica_ir::causal::Kind;
use ferrica_ir::print::brief;
use ferrica_solvers::sparse::CscPattern;

use super::{AT_REST, Rest};
use crate::error::{Error, ErrorKind};

/// A state that does not come to rest, with its equation.
struct Obstacle {
    /// No state changes its rate.
    alone: bool,
    name: String,
    value: String,
    rate: String,
    formula: String,
}

impl Rest<'_> {
    /// Why there is no point.
    pub(super) fn failure(&mut self) -> Error {
        if self.interrupted() {
            let text = "the search for an operating point was interrupted".to_owned();
            return Error::of(ErrorKind::Interrupted, "E0609", text, None);
        }
        let Some(Obstacle {
            alone,
            name,
            value,
            rate,
            formula,
        }) = self.obstacle()
        else {
            let text = "no operating point is found".to_owned();
            return Error::of(ErrorKind::Run, "E0641", text, None);
        };
        if alone {
            let time = brief(self.p.ev.time());
            let text = format!(
                "there is no operating point at time {time}: `{name}` changes by {rate} a second, whatever the states are: {formula}"
            );
            let hint = format!(
                "another time (--start) or other inputs; if `{name}` need not rest, say so: --free {name}"
            );
            return Error::of(ErrorKind::Run, "E0641", text, Some(hint));
        }
        let text = format!(
            "no operating point is found: `{name}` is {value} and still changes by {rate} a second: {formula}"
        );
        let hint = format!(
            "if `{name}` need not rest, say so (--free {name}); else other start values or inputs may lead to a point of rest"
        );
        Error::of(ErrorKind::Run, "E0641", text, Some(hint))
    }

    /// The state that is farthest from rest, one whose rate no state changes before all others.
    fn obstacle(&mut self) -> Option<Obstacle> {
        let mut rates = Vec::new();
        self.rates(&mut rates);
        let mut depends = vec![false; self.n()];
        if let Some(jacobian) = &self.model.ode_jacobian {
            jacobian
                .pattern
                .entries()
                .for_each(|(r, _)| depends[r] = true);
        }
        let moves = |k: usize| rates[k].abs() > AT_REST * self.began[k];
        let alone: Vec<usize> = (0..self.n()).filter(|&k| !depends[k] && moves(k)).collect();
        let among = match alone.is_empty() {
            true => (0..self.n()).collect(),
            false => alone.clone(),
        };
        let worst = among.into_iter().max_by(|&a, &b| {
            let part = |k: usize| (rates[k] / self.began[k]).abs();
            part(a).total_cmp(&part(b))
        });
        let k = worst?;
        let layout = &self.model.layout;
        let slot = layout.states + k as Slot;
        let (formula, _) = self.model.formula(layout.derivatives + k as Slot);
        let formula = self.spelled(formula);
        Some(Obstacle {
            alone: !alone.is_empty(),
            name: self.model.var_name(slot).to_owned(),
            value: brief(self.p.ev.get(slot)),
            rate: brief(rates[k]),
            formula,
        })
    }

    /// The text of an equation with conditions in place of the variables that remember them.
    fn spelled(&self, mut text: String) -> String {
        let source = &self.model.source;
        // The longer names first: `$relation12` begins with `$relation1`.
        for (k, r) in source.relations.iter().enumerate().rev() {
            let memory = &source.vars[r.memory];
            if memory.kind == Kind::Relation && text.contains(&memory.var.name) {
                let condition = ferrica_sim::relation_text(&self.model, k);
                text = text.replace(&memory.var.name, &condition);
            }
        }
        text
    }

    /// The search once more from the start without the states that no derivative depends on, as angles of shafts that turn. If
    /// that rests, the message says what goes on then.
    pub(super) fn without_idle(&mut self, pattern: &CscPattern, fresh: &[f64]) -> Option<Error> {
        let given = self.free.clone();
        let idle = |k: usize| !given[k] && pattern.col(k).is_empty();
        let idle: Vec<usize> = (0..self.n()).filter(|&k| idle(k)).collect();
        if idle.is_empty() || self.interrupted() {
            return None;
        }
        for &k in &idle {
            self.free[k] = true;
        }
        self.p.ev.slots.copy_from_slice(fresh);
        let mut found = self.newton().is_some();
        if !found {
            self.p.ev.slots.copy_from_slice(fresh);
            found = self.transient().is_some();
        }
        self.free = given;
        let obstacle = self.obstacle().filter(|o| found && !o.alone)?;
        let mut rates = Vec::new();
        self.rates(&mut rates);
        let first = self.model.layout.states;
        let moving = |k: &&usize| rates[**k].abs() > AT_REST * self.began[**k];
        let names: Vec<&str> = (idle.iter().filter(moving))
            .map(|&k| self.model.var_name(first + k as Slot))
            .collect();
        let Obstacle {
            name,
            rate,
            formula,
            ..
        } = obstacle;
        let text = format!(
            "no operating point is found: where all else rests, `{name}` goes on by {rate} a second, and nothing pulls it back: {formula}"
        );
        let flags: Vec<String> = names.iter().map(|n| format!("--free {n}")).collect();
        let hint = format!("if it need not rest, say so: {}", flags.join(" "));
        Some(Error::of(ErrorKind::Run, "E0641", text, Some(hint)))
    }
}
