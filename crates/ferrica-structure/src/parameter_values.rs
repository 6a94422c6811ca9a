//! Numeric values of parameter expressions as the model gives them: a measure for pivots, never a
//! value that goes into a result.

use ferrica_dae::Dae;
use ferrica_ir::causal::Kind;
use ferrica_ir::{Expr, ExprId};
use rustc_hash::FxHashMap;

/// Evaluates with a memory.
pub struct ParameterValues {
    memo: FxHashMap<ExprId, ExprId>,
}

impl ParameterValues {
    /// Dependent parameters are evaluated in their order.
    pub fn new(dae: &mut Dae) -> ParameterValues {
        let mut values = ParameterValues {
            memo: FxHashMap::default(),
        };
        for i in 0..dae.parameter_order.len() {
            let p = dae.parameter_order[i];
            if let Some(b) = dae.vars[p].var.binding {
                let value = values.rewrite(dae, b);
                let var = dae.var_expr(p);
                values.memo.insert(var, value);
            }
        }
        values
    }

    /// The value of an expression of literals and parameters; `None` when it varies at run time.
    pub fn value(&mut self, dae: &mut Dae, e: ExprId) -> Option<f64> {
        if let Some(v) = dae.exprs.as_f64(e) {
            return Some(v);
        }
        let new = self.rewrite(dae, e);
        dae.exprs.as_f64(new)
    }

    /// The value where all variables have their start values.
    pub fn value_at_start(&mut self, dae: &mut Dae, e: ExprId) -> Option<f64> {
        let mut vars = Vec::new();
        dae.exprs.postorder(&[e], |id| match dae.exprs.get(id) {
            Expr::Var(v) if dae.vars[v].kind != Kind::Parameter => vars.push(v),
            _ => {}
        });
        let mut starts = FxHashMap::default();
        for v in vars {
            let start = dae.start_value(v);
            let start = self.value(dae, start)?;
            let literal = dae.exprs.real(start);
            let var = dae.var_expr(v);
            starts.insert(var, literal);
        }
        let e = dae.exprs.rewrite(e, &mut starts, &mut |_, _| None);
        self.value(dae, e)
    }

    fn rewrite(&mut self, dae: &mut Dae, e: ExprId) -> ExprId {
        let vars = &dae.vars;
        dae.exprs.rewrite(e, &mut self.memo, &mut |a, id| {
            let Expr::Var(v) = a.get(id) else {
                return None;
            };
            match vars[v].kind {
                Kind::Parameter => vars[v].var.binding.filter(|&b| a.is_literal(b)),
                _ => None,
            }
        })
    }
}
