//! Partial derivatives of functions: `function f_x = der(f, x)` (section 12.7.2).
//!
//! The function is executed symbolically with a placeholder for each input to differentiate by; its
//! results are differentiated and the arguments put in place of the placeholders. What stays a call
//! and depends on a placeholder cannot be differentiated here and is refused.

use ferrica_ir::calculus::{Operation, tangent};
use ferrica_ir::elementary::arity;
use ferrica_ir::{Builtin, Expr, ExprId, Span, Symbol, Ty};
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
                let rates = [a, b].map(|e| Some(known[&e]).filter(|&d| !x.is_zero(d)));
                let d = Operation::of(op).and_then(|op| tangent(x, op, &[&a, &b], &id, &rates));
                d.unwrap_or(zero)
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
        match (f, args) {
            (Builtin::NoEvent | Builtin::Body | Builtin::Argument, [a, ..]) => {
                Ok(x.builtin(f, &[known[a]]))
            }
            (Builtin::Smooth, [_, a]) | (Builtin::Homotopy, [a, ..]) => Ok(known[a]),
            _ if arity(f).is_some() => {
                let rates: Vec<Option<ExprId>> = (args.iter())
                    .map(|a| Some(known[a]).filter(|&d| !x.is_zero(d)))
                    .collect();
                let args: Vec<&ExprId> = args.iter().collect();
                let d = tangent(x, Operation::Function(f), &args, &id, &rates);
                Ok(d.unwrap_or_else(|| x.real(0.0)))
            }
            _ => error(
                "E0337",
                span,
                format!(
                    "the partial derivative of `{}` is not known",
                    ferrica_ir::print::builtin_name(f)
                ),
            ),
        }
    }
}
