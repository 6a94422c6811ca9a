//! `spatialDistribution(in0, in1, x, positiveVelocity, initialPoints, initialValues)` (section 3.7.4.2).

use ferrica_ir::{Builtin, ExprId, Span, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub(crate) fn spatial_distribution(
        &mut self,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let mut args = Vec::new();
        for (k, n) in ["in0", "in1", "x", "positiveVelocity"]
            .into_iter()
            .enumerate()
        {
            let v = self.argument(call, k, n, env, span)?;
            let Some(s) = v.scalar() else {
                return error("E0330", span, format!("`{n}` must be a scalar"));
            };
            args.push(s);
        }
        let points = self.contents(call, 4, ("initialPoints", [0.0, 1.0]), env, span)?;
        let values = self.contents(call, 5, ("initialValues", [0.0, 0.0]), env, span)?;
        if points.len() != values.len() {
            return error(
                "E0317",
                span,
                format!(
                    "initialPoints has {} elements, initialValues {}: they belong together",
                    points.len(),
                    values.len()
                ),
            );
        }
        if let Some(what) = self.bad_points(&points) {
            return error("E0330", span, format!("initialPoints {what}"));
        }
        args.push(self.flat.exprs.int(points.len() as i64));
        args.extend(points);
        args.extend(values);
        let call = self.flat.exprs.builtin(Builtin::SpatialDistribution, &args);
        let out0 = self.flat.exprs.proj(call, 0, Ty::Real);
        let out1 = self.flat.exprs.proj(call, 1, Ty::Real);
        Ok(Value::Tuple(vec![Value::Scalar(out0), Value::Scalar(out1)]))
    }

    /// A vector of parameters that describes the contents at the start, or its default.
    fn contents(
        &mut self,
        call: &'a ast::Call,
        k: usize,
        (name, default): (&str, [f64; 2]),
        env: &Env,
        span: Span,
    ) -> R<Vec<ExprId>> {
        let named = call.args.named.iter().any(|n| n.name.as_str() == name);
        if !named && call.args.positional.len() <= k {
            return Ok(default.map(|v| self.flat.exprs.real(v)).to_vec());
        }
        let value = self.argument(call, k, name, env, span)?;
        let mut list = Vec::new();
        value.scalars(&mut list);
        for &e in &list {
            self.check_fixed_argument(e, name, span);
        }
        Ok(list)
    }

    /// What is wrong with places whose values are known now. (Those of parameters are looked at when a run begins.)
    fn bad_points(&self, points: &[ExprId]) -> Option<&'static str> {
        let known: Vec<Option<f64>> = points.iter().map(|&e| self.flat.exprs.as_f64(e)).collect();
        let descends = |w: &[Option<f64>]| matches!(w, [Some(a), Some(b)] if a > b);
        match (known.first()?, known.last()?) {
            (Some(first), _) if *first != 0.0 => Some("must begin with 0"),
            (_, Some(last)) if *last != 1.0 => Some("must end with 1"),
            _ if known.windows(2).any(descends) => Some("must not descend"),
            _ => None,
        }
    }
}
