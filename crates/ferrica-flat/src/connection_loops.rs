//! Loops of connections between neighbours: `for i in 1:n - 1 loop connect(R[i].n, R[i + 1].p); end for`.
//!
//! In: a loop whose iterator is only a subscript `i`, `i + c` or `i - c`. The connectors of the first, the second and the last value of the
//! iterator are looked up; where each is one connector of a family, and the last lies as far on as the second one says, those between are put
//! down by their numbers. Out: the pairs that looking them up for each value would give. Any other loop is left to `connect`.

use ferrica_ir::Span;
use ferrica_syntax::ast;

use crate::connect::{End, Port, has_connections};
use crate::eval::{Env, Local};
use crate::family::Shift;
use crate::flattener::{Flattener, R};
use crate::loops::{is_shifted, mentions};
use crate::value::Value;

type Connect<'a> = (&'a ast::ComponentRef, &'a ast::ComponentRef, Span);

impl<'a> Flattener<'a> {
    /// The connections of a loop over one iterator, or false if it is not regular.
    pub(crate) fn regular_connections(
        &mut self,
        it: &'a ast::ForIterator,
        list: &'a [ast::Equation],
        env: &Env,
    ) -> R<bool> {
        let mut connects: Vec<Connect<'a>> = Vec::new();
        for e in list.iter().filter(|e| has_connections(e)) {
            let ast::EquationKind::Connect(a, b) = &e.kind else {
                return Ok(false);
            };
            let moves = |r: &ast::ComponentRef| moves_regularly(r, it);
            if !moves(a) || !moves(b) {
                return Ok(false);
            }
            if !self.is_deselected(env.scope, a, b) {
                connects.push((a, b, e.span));
            }
        }
        let Some((from, to)) = self.plain_range(it, env) else {
            return Ok(false);
        };
        let (irregular, pending) = (self.irregular, self.expandable_pending.len());
        let mut inner = env.clone();
        let mut at = |me: &mut Self, value| me.single_ends(it, value, &connects, &mut inner);
        let ends = (at(self, from), at(self, from + 1), at(self, to));
        let plain = self.irregular == irregular && self.expandable_pending.len() == pending;
        self.expandable_pending.truncate(pending);
        let (Some(first), Some(second), Some(last)) = ends else {
            return Ok(false);
        };
        let on_the_way = |k: usize, steps: i64| {
            let (x, y) = (
                between(first[k].0, second[k].0, steps)?,
                between(first[k].1, second[k].1, steps)?,
            );
            Some((x, y))
        };
        let same = |(p, q): (End, End), (x, y): (End, End)| p.port == x.port && q.port == y.port;
        let reached = |k: usize| on_the_way(k, to - from).is_some_and(|e| same(e, last[k]));
        if !plain || !(0..connects.len()).all(reached) {
            return Ok(false);
        }
        if let Some(range) = &it.range {
            self.check_range(range, env);
        }
        for (k, &(a, b, span)) in connects.iter().enumerate() {
            self.check_is_connector(&first[k].0, a, span);
            self.check_is_connector(&first[k].1, b, span);
        }
        for steps in 0..=to - from {
            for (k, &(_, _, span)) in connects.iter().enumerate() {
                if let Some((x, y)) = on_the_way(k, steps) {
                    self.add_pair(x, y, span);
                }
            }
        }
        Ok(true)
    }

    /// The two connectors of each connection for one value of the iterator; none where one of them is not there, or not one.
    fn single_ends(
        &mut self,
        it: &ast::ForIterator,
        value: i64,
        connects: &[Connect<'a>],
        env: &mut Env,
    ) -> Option<Vec<(End, End)>> {
        let value = Value::Scalar(self.flat.exprs.int(value));
        env.locals.push(Local {
            name: it.name,
            value,
            ty: None,
            sized: false,
        });
        let mut single = |&(a, b, span): &Connect<'a>| {
            let (x, y) = self.connect_ends(a, b, env, span).ok()??;
            match (&x[..], &y[..]) {
                (&[x], &[y]) => Some((x, y)),
                _ => None,
            }
        };
        let ends = connects.iter().map(&mut single).collect();
        env.locals.pop();
        ends
    }
}

/// Is the iterator in a reference only a subscript that moves it along arrays?
fn moves_regularly(r: &ast::ComponentRef, it: &ast::ForIterator) -> bool {
    let shifted = |s: &ast::Subscript| match s {
        ast::Subscript::Expr(e) => !mentions(e, it.name) || is_shifted(e, it.name),
        ast::Subscript::Colon(_) => false,
    };
    !r.global
        && r.parts[0].name != it.name
        && r.parts.iter().all(|p| p.subscripts.iter().all(shifted))
}

/// The connector so many steps behind the first one, if the second one is another number of the same.
fn between(first: End, second: End, steps: i64) -> Option<End> {
    let on = |a: u32, b: u32| u32::try_from(i64::from(a) + steps * (i64::from(b) - i64::from(a)));
    let shift = |a: Shift, b: Shift| {
        Some(Shift {
            vars: on(a.vars, b.vars).ok()?,
            components: on(a.components, b.components).ok()?,
        })
    };
    let port = match (first.port, second.port) {
        (Port::Class(a, p), Port::Class(b, q)) if a == b => Port::Class(a, shift(p, q)?),
        (Port::Scalar(a, k, p), Port::Scalar(b, l, q)) if a == b => {
            Port::Scalar(a, on(k, l).ok()?, shift(p, q)?)
        }
        _ => return None,
    };
    (first.outside == second.outside).then_some(End { port, ..first })
}
