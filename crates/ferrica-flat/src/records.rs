//! Records: constructors and default values (section 12.6).

use std::rc::Rc;

use ferrica_ir::{Span, Symbol, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::exec::DYNAMIC;
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::signature::Param;
use crate::signature::ParamType;
use crate::signature::Signature;
use crate::value::{Record, Value};

impl<'a> Flattener<'a> {
    pub fn construct(
        &mut self,
        scope: ScopeId,
        positional: Vec<Value>,
        named: Vec<(Symbol, Value)>,
        span: Span,
    ) -> R<Value> {
        if let Some(c) = self.member(scope, "'constructor'".into())? {
            let s = self.class_scope(c)?;
            // `Complex result = Complex(re = re, im = im)` in a constructor means the one that every record has.
            let fields = self.signature(scope)?.inputs.len();
            let complete = positional.len() + named.len() == fields;
            if let Some(f) = self.matching_operator(s, &positional, &named, span)?
                && !(complete && self.active.iter().any(|&(running, _)| running == f))
            {
                return self.call_function(f, positional, named, span);
            }
        }
        let signature = self.signature(scope)?;
        let mut given: Vec<Option<Value>> = vec![None; signature.inputs.len()];
        let mut modifiable = signature
            .inputs
            .iter()
            .enumerate()
            .filter(|(_, p)| !(p.is_final || p.constant && p.binding.is_some()))
            .map(|(k, _)| k);
        for v in positional {
            match modifiable.next() {
                Some(k) => given[k] = Some(v),
                None => {
                    return error(
                        "E0330",
                        span,
                        format!("too many arguments for record `{}`", self.class_name(scope)),
                    );
                }
            }
        }
        for (n, v) in named {
            match signature.inputs.iter().position(|p| p.name == n) {
                Some(k) => given[k] = Some(v),
                None => {
                    return error(
                        "E0330",
                        span,
                        format!("record `{}` has no field `{n}`", self.class_name(scope)),
                    );
                }
            }
        }
        for (p, v) in signature.inputs.iter().zip(&given) {
            if v.is_none() && !self.has_default(p)? {
                let text = format!(
                    "the field `{}` of the record `{}` is not given and has no default value",
                    p.name,
                    self.class_name(scope)
                );
                return error("E0330", span, text);
            }
        }
        self.build_records(scope, &signature, given, span)
    }

    /// Can the field of a record be left out? Arrays without elements can.
    fn has_default(&mut self, p: &Param<'a>) -> R<bool> {
        if p.binding.is_some() || p.constant || !p.dims.is_empty() {
            return Ok(true);
        }
        let ParamType::Record(e) = p.ty else {
            return Ok(false);
        };
        let inner = self.class_scope(e)?;
        for q in &self.signature(inner)?.inputs {
            let modified = p.fields.iter().any(|(n, _)| *n == q.name);
            if !modified && !self.has_default(q)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Arrays where the fields are scalars make an array of records.
    fn build_records(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        given: Vec<Option<Value>>,
        span: Span,
    ) -> R<Value> {
        let extra = |p: &Param<'a>, v: &Option<Value>| {
            let dims = v.as_ref().map_or(&[][..], Value::dims);
            dims.len().saturating_sub(p.dims.len())
        };
        let inputs = signature.inputs.iter();
        let outer: Vec<&[usize]> = inputs
            .zip(&given)
            .filter(|(p, v)| extra(p, v) > 0)
            .filter_map(|(p, v)| Some(&v.as_ref()?.dims()[..extra(p, v)]))
            .collect();
        let Some(&first) = outer.first() else {
            return self.build_record(scope, signature, given, span);
        };
        if let Some(other) = outer.iter().find(|o| **o != first) {
            let name = self.class_name(scope);
            let text = format!("the arguments of `{name}` differ in size: {first:?} and {other:?}");
            return error("E0317", span, text);
        }
        let (dims, rank) = (first.to_vec(), first.len());
        let count = dims.iter().product();
        let mut items = Vec::with_capacity(count);
        for k in 0..count {
            let inputs = signature.inputs.iter();
            let element = inputs.zip(&given).map(|(p, v)| match extra(p, v) {
                0 => v.clone(),
                _ => v.as_ref().and_then(|v| v.element(k, rank)),
            });
            let element = element.collect();
            items.push(self.build_record(scope, signature, element, span)?);
        }
        Ok(Value::array(dims, items))
    }

    pub fn build_record(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        given: Vec<Option<Value>>,
        span: Span,
    ) -> R<Value> {
        let mut env = Env::new(scope);
        let mut fields: Vec<(Symbol, Option<Value>)> = Vec::new();
        for (p, v) in signature.inputs.iter().zip(given) {
            if let Some(v) = v {
                // A scalar stands for every element of an array field only if it is one.
                let local = self.bind(p, v, span)?;
                fields.push((p.name, Some(local.value.clone())));
                env.locals.push(local);
            } else {
                fields.push((p.name, None));
            }
        }
        let missing: Vec<usize> = (0..fields.len())
            .filter(|&k| fields[k].1.is_none())
            .collect();
        let params = missing.iter().map(|&k| &signature.inputs[k]);
        self.declare_locals(params.collect(), &mut env, span)?;
        for k in missing {
            let p = &signature.inputs[k];
            let Some(value) = env.local(p.name).map(|l| l.value.clone()) else {
                continue;
            };
            fields[k].1 = Some(match &p.binding {
                Some(_) => self.bind(p, value, span)?.value,
                None => value,
            });
        }
        self.check_sizes(&signature.inputs, &env, span)?;
        let fields = fields
            .into_iter()
            .filter_map(|(n, v)| v.map(|v| (n, v)))
            .collect();
        Ok(Value::Record(Rc::new(Record {
            class: Some(scope),
            fields,
        })))
    }

    /// Value of a local or field that has none yet.
    pub fn default_value(&mut self, p: &Param<'a>, env: &Env, span: Span) -> R<Value> {
        let mut dims = Vec::with_capacity(p.dims.len());
        for (s, scope) in &p.dims {
            match s {
                ast::Subscript::Colon(_) => dims.push(0),
                ast::Subscript::Expr(e) => {
                    let inner = Env {
                        scope: *scope,
                        ..env.clone()
                    };
                    let n = match self.eval_dimension(e, &inner) {
                        Ok(n) => n,
                        Err(mut d) if d.code == "E0308" || d.code == "E0310" => {
                            d.code = DYNAMIC;
                            return Err(d);
                        }
                        Err(d) => return Err(d),
                    };
                    dims.push(n);
                }
            }
        }
        let one = match p.ty {
            ParamType::Scalar(ty) => Value::Scalar(self.zero(ty)),
            ParamType::Record(e) => {
                let s = self.class_scope(e)?;
                let signature = self.signature(s)?;
                let mut given = vec![None; signature.inputs.len()];
                for (n, b) in &p.fields {
                    if let Some(k) = signature.inputs.iter().position(|q| q.name == *n) {
                        given[k] = Some(self.eval_local_binding(b, env)?);
                    }
                }
                self.build_record(s, &signature, given, span)?
            }
            ParamType::Function => {
                return error(
                    "E0330",
                    span,
                    format!("the function `{}` is not given", p.name),
                );
            }
        };
        let n = crate::limits::elements(&dims, p.span)?;
        Ok(Value::array(dims, vec![one; n]))
    }

    pub fn zero(&mut self, ty: Ty) -> ferrica_ir::ExprId {
        let x = &mut self.flat.exprs;
        match ty {
            Ty::Integer => x.int(0),
            Ty::Boolean => x.bool(false),
            Ty::String => x.str(""),
            Ty::Enum(id) => x.enum_literal(id, 1),
            _ => x.real(0.0),
        }
    }
}
