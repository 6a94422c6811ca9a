//! Overloaded operators of operator records (chapter 14).

use ferrica_ir::{Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::{Element, ScopeId};
use crate::signature::Param;
use crate::signature::ParamType;
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// The function of an operator class whose inputs fit the arguments.
    pub fn matching_operator(
        &mut self,
        operator: ScopeId,
        positional: &[Value],
        named: &[(Symbol, Value)],
        span: Span,
    ) -> R<Option<ScopeId>> {
        self.expand(operator)?;
        let kind = self.tree.scopes[operator].class.def.kind;
        let mut candidates = Vec::new();
        if kind.is_function() {
            candidates.push(operator);
        } else {
            for e in self.tree.scopes[operator].order.clone() {
                if matches!(self.tree.elements[e], Element::Class(_)) {
                    candidates.push(self.class_scope(e)?);
                }
            }
        }
        let mut found: Option<(ScopeId, bool)> = None;
        for f in candidates {
            let signature = self.signature(f)?;
            if signature.outputs.len() != 1 {
                let text = format!(
                    "the operator function `{}` has {} results instead of one",
                    self.class_name(f),
                    signature.outputs.len()
                );
                return error("E0373", span, text);
            }
            if positional.len() > signature.inputs.len() {
                continue;
            }
            let fits = signature.inputs.iter().enumerate().all(|(k, p)| {
                let given = positional
                    .get(k)
                    .or_else(|| named.iter().find(|(n, _)| *n == p.name).map(|(_, v)| v));
                match given {
                    None => p.binding.is_some(),
                    Some(v) => v.dims().len() == p.dims.len() && self.fits(p, v),
                }
            });
            let known = |n: &Symbol| signature.inputs.iter().any(|p| p.name == *n);
            if !fits || !named.iter().all(|(n, _)| known(n)) {
                continue;
            }
            // A function whose types fit as they are goes before one that needs conversions.
            let exact = (signature.inputs.iter().zip(positional)).all(|(p, v)| self.is_exact(p, v));
            match found {
                Some((other, as_exact)) if as_exact == exact => {
                    let text = format!(
                        "`{}` and `{}` both fit these arguments",
                        self.class_name(other),
                        self.class_name(f)
                    );
                    return error("E0373", span, text);
                }
                Some((_, true)) => {}
                _ => found = Some((f, exact)),
            }
        }
        Ok(found.map(|(f, _)| f))
    }

    fn is_exact(&self, p: &Param<'a>, v: &Value) -> bool {
        match (p.ty, v.items().first()) {
            (ParamType::Scalar(ty), Some(Value::Scalar(s))) => self.flat.exprs.ty(*s) == ty,
            _ => true,
        }
    }

    fn fits(&self, p: &Param<'a>, v: &Value) -> bool {
        match (p.ty, v.items().first()) {
            (_, None) => true,
            (ParamType::Scalar(ty), Some(Value::Scalar(s))) => {
                let t = self.flat.exprs.ty(*s);
                t == ty || (t == Ty::Integer && ty == Ty::Real)
            }
            (ParamType::Record(_), Some(Value::Record(_))) => true,
            (ParamType::Function, Some(Value::Function(_))) => true,
            _ => false,
        }
    }

    fn record_class(v: &Value) -> Option<ScopeId> {
        match v {
            Value::Record(r) => r.class,
            _ => None,
        }
    }

    pub fn overloaded_unary(
        &mut self,
        op: ast::UnaryOp,
        a: &Value,
        span: Span,
    ) -> R<Option<Value>> {
        let Some(class) = Self::record_class(a) else {
            if let Value::Array(array) = a
                && array.items.iter().any(|v| matches!(v, Value::Record(_)))
            {
                let mut items = Vec::new();
                for v in &array.items {
                    items.push(self.unary_value(op, v.clone(), span)?);
                }
                return Ok(Some(Value::array(array.dims.clone(), items)));
            }
            return Ok(None);
        };
        let symbol = match op {
            ast::UnaryOp::Neg | ast::UnaryOp::ElementwiseNeg => "'-'",
            ast::UnaryOp::Not => "'not'",
            _ => return Ok(Some(a.clone())),
        };
        let args = [a.clone()];
        if let Some(o) = self.member(class, symbol.into())? {
            let s = self.class_scope(o)?;
            if let Some(f) = self.matching_operator(s, &args, &[], span)? {
                return self
                    .call_function(f, args.to_vec(), Vec::new(), span)
                    .map(Some);
            }
        }
        error(
            "E0321",
            span,
            format!(
                "`{}` is not defined for `{}`",
                op.symbol(),
                self.class_name(class)
            ),
        )
    }

    pub fn overloaded_binary(
        &mut self,
        op: ast::BinaryOp,
        a: &Value,
        b: &Value,
        span: Span,
    ) -> R<Option<Value>> {
        let classes = [Self::record_class(a), Self::record_class(b)];
        if classes.iter().all(Option::is_none) {
            return Ok(None);
        }
        let plain = op.symbol().trim_start_matches('.');
        let symbol: Symbol = format!("'{plain}'").as_str().into();
        let args = [a.clone(), b.clone()];
        for class in classes.iter().flatten() {
            if let Some(o) = self.member(*class, symbol)? {
                let s = self.class_scope(o)?;
                if let Some(f) = self.matching_operator(s, &args, &[], span)? {
                    return self
                        .call_function(f, args.to_vec(), Vec::new(), span)
                        .map(Some);
                }
                // One side converted by a constructor of the record.
                if let Value::Scalar(_) = a {
                    let lifted = self.construct(*class, vec![a.clone()], Vec::new(), span)?;
                    return self.overloaded_binary(op, &lifted, b, span);
                }
                if let Value::Scalar(_) = b {
                    let lifted = self.construct(*class, vec![b.clone()], Vec::new(), span)?;
                    return self.overloaded_binary(op, a, &lifted, span);
                }
            }
        }
        if !a.dims().is_empty() || !b.dims().is_empty() {
            return Ok(None);
        }
        let class = classes
            .into_iter()
            .flatten()
            .next()
            .map(|c| self.class_name(c))
            .unwrap_or_default();
        error(
            "E0321",
            span,
            format!("`{plain}` is not defined for `{class}`"),
        )
    }

    pub fn overloaded_string(
        &mut self,
        class: Option<ScopeId>,
        v: &Value,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let Some(class) = class else {
            return error("E0321", span, "`String` is not defined for this record");
        };
        let Some(o) = self.member(class, "'String'".into())? else {
            return error(
                "E0321",
                span,
                format!("`String` is not defined for `{}`", self.class_name(class)),
            );
        };
        let s = self.class_scope(o)?;
        let (mut positional, named) = self.arguments(call, env)?;
        positional[0] = v.clone();
        match self.matching_operator(s, &positional, &named, span)? {
            Some(f) => self.call_function(f, positional, named, span),
            None => error("E0321", span, "no `String` operator fits these arguments"),
        }
    }
}
