//! Predefined functions that make, join or fold arrays (section 10.3).

use ferrica_ir::{Builtin, Span, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::Content;
use crate::limits;
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn reduction(
        &mut self,
        name: &str,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Option<Value>> {
        let Some(body) = call.args.positional.first() else {
            return error("E0330", span, "a reduction needs an expression");
        };
        let reduces = matches!(name, "sum" | "product" | "min" | "max");
        let list = match self.comprehension(body, &call.args.iterators, env, span) {
            Err(d) if d.code == "E0310" && reduces && self.can_emit() => {
                let reduced = self.emit_reduction(name, body, &call.args.iterators, env, span);
                return reduced.map(Some);
            }
            list => list?,
        };
        match name {
            "array" => Ok(Some(list)),
            // Arrays are added element by element.
            "sum" if list.dims().len() > call.args.iterators.len() => {
                let rank = call.args.iterators.len();
                let count = list.dims()[..rank].iter().product();
                let terms: Vec<Value> = (0..count).filter_map(|k| list.element(k, rank)).collect();
                let Some((first, rest)) = terms.split_first() else {
                    return self.fold(name, &list, span).map(Some);
                };
                let mut sum = first.clone();
                for v in rest {
                    sum = self.binary_value(ast::BinaryOp::Add, sum, v.clone(), span)?;
                }
                Ok(Some(sum))
            }
            "product" | "min" | "max" if list.dims().len() > call.args.iterators.len() => error(
                "E0330",
                span,
                format!(
                    "`{name}` with an iterator needs a scalar, this is {}",
                    list.a_shape()
                ),
            ),
            "sum" | "product" | "min" | "max" => self.fold(name, &list, span).map(Some),
            _ => Ok(None),
        }
    }

    fn fold(&mut self, name: &str, list: &Value, span: Span) -> R<Value> {
        let items = list.items();
        let records = items.iter().any(|v| matches!(v, Value::Record(_)));
        if records && (name == "sum" || name == "product") {
            let op = if name == "sum" {
                ast::BinaryOp::Add
            } else {
                ast::BinaryOp::Mul
            };
            let mut result: Option<Value> = None;
            for v in items {
                result = Some(match result {
                    None => v.clone(),
                    Some(s) => self.binary_value(op, s, v.clone(), span)?,
                });
            }
            return result.map_or_else(
                || error("E0333", span, "the sum of no records is not defined"),
                Ok,
            );
        }
        let mut scalars = Vec::new();
        list.scalars(&mut scalars);
        let x = &mut self.flat.exprs;
        Ok(Value::Scalar(match name {
            "sum" if scalars.is_empty() => x.int(0),
            "product" if scalars.is_empty() => x.int(1),
            "sum" => x.sum(&scalars),
            "product" => x.product(&scalars),
            _ => {
                let f = if name == "min" {
                    Builtin::Min
                } else {
                    Builtin::Max
                };
                let Some((&first, rest)) = scalars.split_first() else {
                    let limit = if name == "min" { f64::MAX } else { f64::MIN };
                    return Ok(Value::Scalar(x.real(limit)));
                };
                rest.iter().fold(first, |a, &b| x.builtin(f, &[a, b]))
            }
        }))
    }

    /// Is this the name of an array that is declared as Integer?
    fn holds_integers(&mut self, e: &ast::Expr, env: &Env) -> bool {
        let ast::ExprKind::Ref(r) = &e.kind else {
            return false;
        };
        if let Some(l) = env.local(r.parts[0].name) {
            return l.ty == Some(Ty::Integer);
        }
        let component = self.component_of(r, env.scope);
        component
            .and_then(|c| self.tree.component(c))
            .is_some_and(|c| matches!(c.content, Content::Scalar(Ty::Integer)))
    }

    pub fn array_function(
        &mut self,
        name: &str,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Option<Value>> {
        let known = matches!(
            name,
            "sum"
                | "product"
                | "min"
                | "max"
                | "fill"
                | "zeros"
                | "ones"
                | "linspace"
                | "identity"
                | "diagonal"
                | "transpose"
                | "cat"
                | "vector"
                | "matrix"
                | "scalar"
                | "cross"
                | "skew"
                | "symmetric"
                | "outerProduct"
                | "promote"
                | "array"
        );
        if !known {
            return Ok(None);
        }
        if matches!(name, "fill" | "zeros" | "ones" | "identity" | "linspace") {
            return self.sized_constructor(name, call, env, span).map(Some);
        }
        let mut args = Vec::new();
        for a in &call.args.positional {
            match self.eval_one(a, env) {
                Err(d)
                    if d.code == "E0310"
                        && self.can_emit()
                        && call.args.positional.len() == 1
                        && matches!(name, "sum" | "product" | "min" | "max")
                        && self.has_slice(a) =>
                {
                    return self.emit_slice_reduction(name, &[a], env, span).map(Some);
                }
                v => args.push(v?),
            }
        }
        let wrong = || {
            error(
                "E0330",
                span,
                format!("`{name}` cannot be applied to these arguments"),
            )
        };
        Ok(Some(match (name, args.as_slice()) {
            ("sum" | "product", [a]) => self.fold(name, a, span)?,
            ("min" | "max", [a])
                if a.items().is_empty() && self.holds_integers(&call.args.positional[0], env) =>
            {
                let limit = i64::from(if name == "min" { i32::MAX } else { -i32::MAX });
                Value::Scalar(self.flat.exprs.int(limit))
            }
            ("min" | "max", [a]) => self.fold(name, a, span)?,
            ("min" | "max", [a, b]) => {
                let f = if name == "min" {
                    Builtin::Min
                } else {
                    Builtin::Max
                };
                self.map2(f, a, b, span)?
            }
            ("array", list) => self.stack(list.to_vec(), span)?,
            ("transpose", [a]) => match a.dims() {
                // The first two dimensions change places, blocks of the others stay together.
                [r, c, rest @ ..] => {
                    let (r, c, block): (usize, usize, usize) = (*r, *c, rest.iter().product());
                    let items = (0..r * c)
                        .flat_map(|k| {
                            let at = ((k % r) * c + k / r) * block;
                            a.items()[at..at + block].to_vec()
                        })
                        .collect();
                    Value::array([&[c, r], rest].concat(), items)
                }
                _ => return wrong(),
            },
            ("cat", [dim, rest @ ..]) => {
                let Some(k) = dim.scalar().and_then(|s| self.flat.exprs.as_int(s)) else {
                    return wrong();
                };
                self.cat(limits::rank(k.max(1), span)?, rest, span)?
            }
            ("vector", [a]) => {
                let items = a.items().to_vec();
                Value::array(vec![items.len()], items)
            }
            ("scalar", [a]) => match a.items() {
                [one] => one.clone(),
                _ => return wrong(),
            },
            ("matrix", [a]) => match a.dims() {
                [] => Value::array(vec![1, 1], a.items().to_vec()),
                [n] => Value::array(vec![*n, 1], a.items().to_vec()),
                [r, rest @ ..] => {
                    let c: usize = rest.iter().product();
                    Value::array(vec![*r, c], a.items().to_vec())
                }
            },
            ("promote", [a, n]) => {
                let Some(n) = n.scalar().and_then(|s| self.flat.exprs.as_int(s)) else {
                    return wrong();
                };
                self.promote(a, limits::rank(n.max(0), span)?)
            }
            ("diagonal", [a]) => {
                let n = a.items().len();
                limits::elements(&[n, n], span)?;
                let integer = a.items().iter().all(|v| {
                    v.scalar()
                        .is_some_and(|s| self.flat.exprs.ty(s) == Ty::Integer)
                });
                let zero = Value::Scalar(if integer {
                    self.flat.exprs.int(0)
                } else {
                    self.flat.exprs.real(0.0)
                });
                let items = (0..n * n)
                    .map(|k| {
                        if k / n == k % n {
                            a.items()[k / n].clone()
                        } else {
                            zero.clone()
                        }
                    })
                    .collect();
                Value::array(vec![n, n], items)
            }
            ("cross", [a, b]) if a.items().len() == 3 && b.items().len() == 3 => {
                let mut out = Vec::new();
                for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                    let p = self.binary_value(
                        ast::BinaryOp::Mul,
                        a.items()[i].clone(),
                        b.items()[j].clone(),
                        span,
                    )?;
                    let q = self.binary_value(
                        ast::BinaryOp::Mul,
                        a.items()[j].clone(),
                        b.items()[i].clone(),
                        span,
                    )?;
                    out.push(self.binary_value(ast::BinaryOp::Sub, p, q, span)?);
                }
                Value::array(vec![3], out)
            }
            ("skew", [a]) if a.items().len() == 3 => {
                let zero = Value::Scalar(self.flat.exprs.real(0.0));
                let v = a.items();
                let mut neg = Vec::new();
                for i in v {
                    neg.push(self.unary_value(ast::UnaryOp::Neg, i.clone(), span)?);
                }
                let items = vec![
                    zero.clone(),
                    neg[2].clone(),
                    v[1].clone(),
                    v[2].clone(),
                    zero.clone(),
                    neg[0].clone(),
                    neg[1].clone(),
                    v[0].clone(),
                    zero,
                ];
                Value::array(vec![3, 3], items)
            }
            ("symmetric", [a]) => match a.dims() {
                [n, m] if n == m => {
                    let n = *n;
                    let items = (0..n * n)
                        .map(|k| {
                            let (i, j) = (k / n, k % n);
                            a.items()[if i > j { j * n + i } else { k }].clone()
                        })
                        .collect();
                    Value::array(vec![n, n], items)
                }
                _ => return wrong(),
            },
            ("outerProduct", [a, b]) => {
                let (r, c) = (a.items().len(), b.items().len());
                limits::elements(&[r, c], span)?;
                let mut items = Vec::with_capacity(r * c);
                for x in a.items() {
                    for y in b.items() {
                        items.push(self.binary_value(
                            ast::BinaryOp::Mul,
                            x.clone(),
                            y.clone(),
                            span,
                        )?);
                    }
                }
                Value::array(vec![r, c], items)
            }
            _ => return wrong(),
        }))
    }

    fn sized_constructor(
        &mut self,
        name: &str,
        call: &'a ast::Call,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        let args = &call.args.positional;
        let first_size = usize::from(name == "fill");
        if name == "linspace" {
            let (a, b, n) = match args.as_slice() {
                [a, b, n] => (
                    self.eval_scalar(a, env)?,
                    self.eval_scalar(b, env)?,
                    self.eval_dimension(n, env)?,
                ),
                _ => return error("E0330", span, "`linspace` takes three arguments"),
            };
            if n < 2 {
                return error("E0330", span, "`linspace` needs at least two points");
            }
            limits::elements(&[n], span)?;
            let x = &mut self.flat.exprs;
            let mut items = Vec::with_capacity(n);
            let range = x.sub(b, a);
            for k in 0..n {
                let fraction = x.real(k as f64 / (n - 1) as f64);
                let part = x.mul(range, fraction);
                items.push(Value::Scalar(x.add(a, part)));
            }
            return Ok(Value::array(vec![n], items));
        }
        let mut dims = Vec::new();
        for e in args.iter().skip(first_size) {
            dims.push(self.eval_dimension(e, env)?);
        }
        match name {
            "identity" => match dims.as_slice() {
                [n] => {
                    limits::elements(&[*n, *n], span)?;
                    Ok(self.identity(*n))
                }
                _ => error("E0330", span, "`identity` takes one argument"),
            },
            "fill" => {
                let Some(value) = args.first() else {
                    return error("E0330", span, "`fill` needs a value");
                };
                let value = self.eval_one(value, env)?;
                let n: usize = limits::elements(&dims, span)?;
                let mut all = dims;
                all.extend(value.dims());
                limits::elements(&all, span)?;
                let items: Vec<Value> = std::iter::repeat_n(value.items(), n)
                    .flatten()
                    .cloned()
                    .collect();
                Ok(Value::array(all, items))
            }
            _ => {
                let v = Value::Scalar(self.flat.exprs.int(i64::from(name == "ones")));
                let n = limits::elements(&dims, span)?;
                Ok(Value::array(dims, vec![v; n]))
            }
        }
    }

    /// Adds dimensions of size one at the end.
    pub fn promote(&self, v: &Value, rank: usize) -> Value {
        let mut dims = v.dims().to_vec();
        while dims.len() < rank {
            dims.push(1);
        }
        Value::array(dims, v.items().to_vec())
    }

    /// `cat(k, a, b, …)`.
    pub fn cat(&mut self, k: usize, values: &[Value], span: Span) -> R<Value> {
        let Some(first) = values.first() else {
            return error("E0330", span, "`cat` needs arrays");
        };
        let rank = values
            .iter()
            .map(|v| v.dims().len())
            .max()
            .unwrap_or(0)
            .max(k);
        let values: Vec<Value> = values.iter().map(|v| self.promote(v, rank)).collect();
        let mut dims = self.promote(first, rank).dims().to_vec();
        dims[k - 1] = 0;
        for v in &values {
            for (d, (&a, &b)) in dims.iter().zip(v.dims()).enumerate() {
                if d != k - 1 && a != b {
                    return error(
                        "E0317",
                        span,
                        format!("sizes {dims:?} and {:?} do not fit together", v.dims()),
                    );
                }
            }
            dims[k - 1] += v.dims()[k - 1];
        }
        let outer: usize = dims[..k - 1].iter().product();
        let mut items = Vec::with_capacity(limits::elements(&dims, span)?);
        for o in 0..outer {
            for v in &values {
                let chunk: usize = v.dims()[k - 1..].iter().product();
                items.extend_from_slice(&v.items()[o * chunk..(o + 1) * chunk]);
            }
        }
        Ok(Value::array(dims, items))
    }
}
