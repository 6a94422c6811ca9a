//! Partial derivatives of functions: `function f_x = der(f, x)` (section 12.7.2).
//!
//! The function is executed symbolically with a placeholder for each input to differentiate by; its
//! results are differentiated and the arguments put in place of the placeholders. What stays a call
//! and depends on a placeholder cannot be differentiated here and is refused.

use ferrica_ir::{BinaryOp, Builtin, Expr, ExprId, Span, Symbol, Ty};
use ferrica_syntax::ast;
use rustc_hash::FxHashMap;

use crate::call::first_of;
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::lookup::Found;
use crate::value::Value;

/// Slots of placeholders: no function has so many.
const PLACEHOLDERS: u32 = 1 << 30;

impl<'a> Flattener<'a> {
    /// The function that `der(f, …)` differentiates.
    pub fn differentiated_function(&mut self, scope: ScopeId, d: &'a ast::DerBody) -> R<ScopeId> {
        let class = &self.tree.scopes[scope].class;
        let at = class.parent.unwrap_or(scope);
        match self.lookup_class(at, &d.function)? {
            Found::Element(e) if self.tree.component(e).is_none() => self.class_scope(e),
            _ => error(
                "E0335",
                d.function.span,
                format!("`{}` is not a function", d.function),
            ),
        }
    }

    /// Calls `der(f, x, …)` with the arguments of f.
    pub fn call_partial_derivative(
        &mut self,
        scope: ScopeId,
        d: &'a ast::DerBody,
        arguments: Vec<(Symbol, Value)>,
        span: Span,
    ) -> R<Value> {
        let function = self.differentiated_function(scope, d)?;
        let mut actual: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut by = Vec::new();
        let mut given = arguments;
        for &x in &d.variables {
            let Some((_, v)) = given.iter_mut().find(|(n, _)| *n == x) else {
                return error(
                    "E0337",
                    d.function.span,
                    format!("`{}` has no input `{x}` to differentiate by", d.function),
                );
            };
            let placeholder = match v.scalar() {
                Some(s) if matches!(self.flat.exprs.get(s), Expr::Local(k) if k >= PLACEHOLDERS) => {
                    s
                }
                Some(s) if matches!(self.flat.exprs.ty(s), Ty::Real | Ty::Integer) => {
                    let slot = PLACEHOLDERS + self.depth * 64 + by.len() as u32;
                    let p = self.flat.exprs.intern(Expr::Local(slot), Ty::Real);
                    actual.insert(p, s);
                    *v = Value::Scalar(p);
                    p
                }
                _ => {
                    return error(
                        "E0337",
                        span,
                        format!("only by a scalar Real input can be differentiated, not by `{x}`"),
                    );
                }
            };
            by.push(placeholder);
        }
        let mut value = first_of(self.call_function(function, Vec::new(), given, span)?);
        for p in by {
            let mut failed = None;
            value = value.map_scalars(&mut |e| match self.partial_derivative(e, p, span) {
                Ok(d) => d,
                Err(d) => {
                    failed = Some(d);
                    e
                }
            });
            if let Some(d) = failed {
                return Err(d);
            }
        }
        let mut memo = FxHashMap::default();
        Ok(value.map_scalars(&mut |e| {
            self.flat
                .exprs
                .rewrite(e, &mut memo, &mut |_, id| actual.get(&id).copied())
        }))
    }

    /// ∂e/∂p for a leaf p.
    fn partial_derivative(&mut self, e: ExprId, p: ExprId, span: Span) -> R<ExprId> {
        let mut order = Vec::new();
        self.flat.exprs.postorder(&[e], |id| order.push(id));
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for id in order {
            let d = self.derivative_step(id, p, &known, span)?;
            known.insert(id, d);
        }
        Ok(known[&e])
    }

    fn derivative_step(
        &mut self,
        id: ExprId,
        p: ExprId,
        known: &FxHashMap<ExprId, ExprId>,
        span: Span,
    ) -> R<ExprId> {
        let x = &mut self.flat.exprs;
        let zero = x.real(0.0);
        if id == p {
            return Ok(x.real(1.0));
        }
        let mut constant = true;
        x.for_each_child(id, |c| constant &= x.is_zero(known[&c]));
        if constant {
            return Ok(zero);
        }
        Ok(match x.get(id) {
            Expr::Unary(_, a) => x.neg(known[&a]),
            Expr::Binary(op, a, b) => {
                let (da, db) = (known[&a], known[&b]);
                match op {
                    BinaryOp::Add => x.add(da, db),
                    BinaryOp::Sub => x.sub(da, db),
                    BinaryOp::Mul => {
                        let (l, r) = (x.mul(da, b), x.mul(a, db));
                        x.add(l, r)
                    }
                    BinaryOp::Div => {
                        // a'/b - (a/b) b'/b
                        let inner = x.mul(id, db);
                        let above = x.sub(da, inner);
                        x.div(above, b)
                    }
                    BinaryOp::Pow if x.is_zero(db) => {
                        let one = x.real(1.0);
                        let less = x.sub(b, one);
                        let lower = x.binary(BinaryOp::Pow, a, less);
                        let outer = x.mul(b, lower);
                        x.mul(outer, da)
                    }
                    BinaryOp::Pow => {
                        // a^b (b' log a + b a'/a)
                        let log = x.builtin(Builtin::Log, &[a]);
                        let left = x.mul(db, log);
                        let ratio = x.div(da, a);
                        let right = x.mul(b, ratio);
                        let sum = x.add(left, right);
                        x.mul(id, sum)
                    }
                    _ => zero,
                }
            }
            Expr::If(c, a, b) => x.if_then_else(c, known[&a], known[&b]),
            Expr::Builtin(f, list) => {
                let args = x.args(list).to_vec();
                return self.builtin_derivative(f, id, &args, known, span);
            }
            _ => {
                return error(
                    "E0337",
                    span,
                    "the partial derivative of a function that is executed at run time is not known",
                );
            }
        })
    }

    fn builtin_derivative(
        &mut self,
        f: Builtin,
        id: ExprId,
        args: &[ExprId],
        known: &FxHashMap<ExprId, ExprId>,
        span: Span,
    ) -> R<ExprId> {
        let x = &mut self.flat.exprs;
        let (one, two) = (x.real(1.0), x.real(2.0));
        let (a, inner) = match (f, args) {
            (Builtin::Smooth, [_, a]) => (*a, known[a]),
            (_, [a, ..]) => (*a, known[a]),
            _ => return Ok(x.real(0.0)),
        };
        let outer = match (f, args) {
            (Builtin::Sin, _) => x.builtin(Builtin::Cos, &[a]),
            (Builtin::Cos, _) => {
                let s = x.builtin(Builtin::Sin, &[a]);
                x.neg(s)
            }
            (Builtin::Tan | Builtin::Tanh, _) => {
                let square = x.mul(id, id);
                if f == Builtin::Tan {
                    x.add(one, square)
                } else {
                    x.sub(one, square)
                }
            }
            (Builtin::Asin | Builtin::Acos, _) => {
                let square = x.mul(a, a);
                let rest = x.sub(one, square);
                let root = x.builtin(Builtin::Sqrt, &[rest]);
                let d = x.div(one, root);
                if f == Builtin::Asin { d } else { x.neg(d) }
            }
            (Builtin::Atan, _) => {
                let square = x.mul(a, a);
                let below = x.add(one, square);
                x.div(one, below)
            }
            (Builtin::Sinh, _) => x.builtin(Builtin::Cosh, &[a]),
            (Builtin::Cosh, _) => x.builtin(Builtin::Sinh, &[a]),
            (Builtin::Exp, _) => id,
            (Builtin::Log, _) => x.div(one, a),
            (Builtin::Log10, _) => {
                let ten = x.real(std::f64::consts::LN_10);
                let below = x.mul(a, ten);
                x.div(one, below)
            }
            (Builtin::Sqrt, _) => {
                let below = x.mul(two, id);
                x.div(one, below)
            }
            (Builtin::Abs, _) => x.builtin(Builtin::Sign, &[a]),
            (Builtin::NoEvent, _) => return Ok(x.builtin(Builtin::NoEvent, &[inner])),
            (Builtin::Smooth | Builtin::Homotopy, _) => return Ok(inner),
            (Builtin::Min | Builtin::Max, [a, b]) => {
                let op = if f == Builtin::Min {
                    BinaryOp::Lt
                } else {
                    BinaryOp::Gt
                };
                let first = x.binary(op, *a, *b);
                return Ok(x.if_then_else(first, known[a], known[b]));
            }
            _ => {
                return error(
                    "E0337",
                    span,
                    format!(
                        "the partial derivative of `{}` is not known",
                        ferrica_ir::print::builtin_name(f)
                    ),
                );
            }
        };
        Ok(x.mul(outer, inner))
    }
}
