//! Conditions that compare a state with a number: while their crossings are located the model need not be evaluated.

use ferrica_codegen::{CompiledModel, Evaluator, Slot};
use ferrica_ir::causal::Kind;
use ferrica_ir::expr::{Expr, ExprId};

/// Zero function of such a condition: the state minus its limit, or the other way round. The limit is constant between events.
#[derive(Clone, Copy, Debug)]
pub struct StateZero {
    state: usize,
    limit: Slot,
    limit_first: bool,
}

impl StateZero {
    /// The same as the model would give, bit by bit.
    #[inline]
    pub fn at(&self, ev: &Evaluator, y: &[f64]) -> f64 {
        let (state, limit) = (y[self.state], ev.get(self.limit));
        if self.limit_first {
            limit - state
        } else {
            state - limit
        }
    }

    /// Its rate of change.
    pub fn rate(&self, yp: &[f64]) -> f64 {
        if self.limit_first {
            -yp[self.state]
        } else {
            yp[self.state]
        }
    }
}

/// Those of all crossings, if they are of this kind without exception.
pub fn state_zeros(model: &CompiledModel, crossings: &[usize]) -> Option<Box<[StateZero]>> {
    let source = &model.source;
    let first = model.layout.states;
    let state = |e: ExprId| match source.exprs.get(e) {
        Expr::Var(v) => (model.layout.slot(v))
            .and_then(|s| s.checked_sub(first))
            .map(|k| k as usize)
            .filter(|&k| k < model.layout.n_states),
        _ => None,
    };
    let constant = |e: ExprId| match source.exprs.get(e) {
        Expr::Var(v) => matches!(source.vars[v].kind, Kind::Parameter | Kind::Discrete),
        _ => source.exprs.as_f64(e).is_some(),
    };
    let of = |k: usize| {
        let (r, slots) = (&source.relations[k], &model.relations[k]);
        if let Some(state) = state(r.lhs).filter(|_| constant(r.rhs)) {
            return Some(StateZero {
                state,
                limit: slots.rhs,
                limit_first: false,
            });
        }
        state(r.rhs)
            .filter(|_| constant(r.lhs))
            .map(|state| StateZero {
                state,
                limit: slots.lhs,
                limit_first: true,
            })
    };
    crossings.iter().map(|&k| of(k)).collect()
}
