//! Foreign functions at compile time.
//!
//! A call whose arguments are all literals, of a function that is provided natively and has no
//! effect, is replaced by its results: lengths of strings, sizes of matrices in files, paths of
//! resources, small linear systems. A call that fails is left for the run, which reports it.

use ferrica_ir::{Expr, ExprId, Span, Ty};
use ferrica_natives as natives;
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R};
use crate::instance::ScopeId;
use crate::signature::Signature;
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// The results of the call, if they can be had now.
    pub fn native_value(
        &mut self,
        at: ScopeId,
        external: &'a ast::ExternalDecl,
        signature: &Signature<'a>,
        env: &Env,
        span: Span,
    ) -> R<Option<Value>> {
        let Some(name) = external.function else {
            return Ok(None);
        };
        let Some(native) = natives::lookup(name.as_str()) else {
            return Ok(None);
        };
        if !native.known_at_compile_time() || !self.all_literal(signature, env) {
            return Ok(None);
        }
        // What a function has done before it reads may be what it reads.
        let done = !self.active.is_empty() && self.flat.effects.len() > self.effects_before;
        if (self.in_order || done) && !self.constant && !native.is_pure() {
            return Ok(None);
        }
        let mut inner = Env {
            locals: env.locals.clone(),
            ..Env::new(at)
        };
        let declared = signature.outputs.iter().chain(&signature.locals).collect();
        self.declare_locals(declared, &mut inner, span)?;
        let mut values = Vec::with_capacity(external.args.len());
        // Which output each argument is.
        let mut targets = Vec::with_capacity(external.args.len());
        for e in &external.args {
            let value = self.eval(e, &inner)?;
            let Some(native_value) = self.to_native(&value) else {
                return Ok(None);
            };
            values.push(native_value);
            targets.push(match &e.kind {
                ast::ExprKind::Ref(r) => r
                    .as_ident()
                    .and_then(|n| signature.outputs.iter().position(|p| p.name == n)),
                _ => None,
            });
        }
        if let [natives::Value::Text(uri)] = &mut values[..]
            && name.as_str() == "ModelicaInternal_fullPathName"
        {
            *uri = self.local_path(uri);
        }
        let mut call = natives::Arguments::new(values);
        call.folder = self.lib.folder();
        if native.call(&mut call).is_err() {
            return Ok(None);
        }
        let mut results = Vec::with_capacity(signature.outputs.len());
        for (k, p) in signature.outputs.iter().enumerate() {
            let Some(template) = inner.local(p.name).map(|l| l.value.clone()) else {
                return Ok(None);
            };
            let given = match targets.iter().position(|t| *t == Some(k)) {
                Some(argument) => call.values.get(argument).cloned(),
                None => call.result.clone(),
            };
            let Some(value) = given.and_then(|v| self.native_result(&v, &template)) else {
                return Ok(None);
            };
            results.push(value);
        }
        Ok(match results.len() {
            0 => None,
            1 => results.pop(),
            _ => Some(Value::Tuple(results)),
        })
    }

    fn all_literal(&self, signature: &Signature<'a>, env: &Env) -> bool {
        signature.inputs.iter().all(|p| {
            let Some(l) = env.local(p.name) else {
                return false;
            };
            let mut scalars = Vec::new();
            l.value.scalars(&mut scalars);
            scalars.into_iter().all(|e| self.is_literal(e))
        })
    }

    fn is_literal(&self, e: ExprId) -> bool {
        matches!(self.flat.exprs.get(e), Expr::Str(_)) || self.flat.exprs.as_f64(e).is_some()
    }

    fn to_native(&self, value: &Value) -> Option<natives::Value> {
        let exprs = &self.flat.exprs;
        match value {
            Value::Scalar(e) => match exprs.get(*e) {
                Expr::Str(s) => Some(natives::Value::Text(exprs.string_text(s).to_string())),
                _ => exprs.as_f64(*e).map(natives::Value::Real),
            },
            Value::Array(a) => {
                let mut scalars = Vec::new();
                value.scalars(&mut scalars);
                if scalars
                    .iter()
                    .any(|&e| matches!(exprs.get(e), Expr::Str(_)))
                {
                    return Some(natives::Value::Texts(vec![String::new(); scalars.len()]));
                }
                let data = scalars
                    .into_iter()
                    .map(|e| exprs.as_f64(e))
                    .collect::<Option<Vec<f64>>>()?;
                Some(natives::Value::Array {
                    data,
                    dims: a.dims.clone(),
                })
            }
            _ => None,
        }
    }

    /// In the shape and of the types of the template.
    fn native_result(&mut self, value: &natives::Value, template: &Value) -> Option<Value> {
        let mut slots = Vec::new();
        template.scalars(&mut slots);
        let exprs = &mut self.flat.exprs;
        let new: Vec<ExprId> = match value {
            natives::Value::Text(text) => vec![exprs.str(text)],
            natives::Value::Texts(list) => list.iter().map(|t| exprs.str(t)).collect(),
            natives::Value::Real(_) | natives::Value::Array { .. } => {
                let numbers = match value {
                    natives::Value::Array { data, .. } => data.clone(),
                    natives::Value::Real(x) => vec![*x],
                    _ => return None,
                };
                let mut list = Vec::with_capacity(numbers.len());
                for (x, &slot) in numbers.iter().zip(&slots) {
                    list.push(match exprs.ty(slot) {
                        Ty::Real => exprs.real(*x),
                        Ty::Integer => exprs.int(*x as i64),
                        Ty::Boolean => exprs.bool(*x != 0.0),
                        Ty::Enum(e) => exprs.enum_literal(e, *x as u32),
                        _ => return None,
                    });
                }
                list
            }
            natives::Value::Object(_) => return None,
        };
        if new.len() != slots.len() {
            return None;
        }
        let mut next = new.into_iter();
        Some(template.map_scalars(&mut |old| next.next().unwrap_or(old)))
    }
}
