//! Values of constants and parameters outside of the `min` and `max` of their declaration (section 4.8).
//!
//! In: the flat model. Out: a warning for each value that is known now, directly or through other parameters.

use ferrica_ir::flat::{Variability, Variable};
use ferrica_ir::print::brief;
use ferrica_ir::{Diagnostic, Expr, ExprId};

use crate::flattener::Flattener;

/// Parameters whose values stand for each other, one behind the other: more is a circle.
const LONGEST_CHAIN: usize = 100;

impl Flattener<'_> {
    pub(crate) fn check_bounds(&mut self) {
        let found: Vec<Diagnostic> = (self.flat.vars.values())
            .filter(|v| v.variability <= Variability::Parameter && !v.hidden)
            .filter_map(|v| self.outside(v))
            .collect();
        for d in found {
            self.report(Box::new(d));
        }
    }

    fn outside(&self, v: &Variable) -> Option<Diagnostic> {
        if v.min.is_none() && v.max.is_none() {
            return None;
        }
        let value = self.known_value(v.binding?)?;
        let bound = |e: Option<ExprId>| e.and_then(|e| self.known_value(e));
        let (name, limit, bound) = match (bound(v.min), bound(v.max)) {
            (Some(min), _) if value < min => ("min", "below", min),
            (_, Some(max)) if value > max => ("max", "above", max),
            _ => return None,
        };
        let (value, bound) = (brief(value), brief(bound));
        let text = format!("`{}` = {value} is {limit} its `{name}` = {bound}", v.name);
        let hint = format!("change the value, or `{name}` if the model holds there too");
        Some(Diagnostic::warning("W0306", v.span, text).with_hint(hint))
    }

    /// A number, or the value of a parameter that is one.
    fn known_value(&self, mut e: ExprId) -> Option<f64> {
        for _ in 0..LONGEST_CHAIN {
            match self.flat.exprs.get(e) {
                Expr::Var(v) => {
                    let v = &self.flat.vars[v];
                    e = v
                        .binding
                        .filter(|_| v.variability <= Variability::Parameter)?;
                }
                _ => return self.flat.exprs.as_f64(e),
            }
        }
        None
    }
}
