//! Assignments during symbolic execution: local names and model variables, whole or in part.

use std::rc::Rc;

use ferrica_ir::{BinaryOp, Expr, ExprId, Span};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::subscripts::{Pos, fixed_at, select};
use crate::value::{Array, Record, Value};

impl<'a> Flattener<'a> {
    pub fn assign(
        &mut self,
        target: &'a ast::ComponentRef,
        value: Value,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let name = target.parts[0].name;
        if let Some(k) = env.locals.iter().rposition(|l| l.name == name) {
            let ty = env.locals[k].ty;
            let value = match ty {
                Some(ty) if target.parts.len() == 1 => self.convert(value, ty, span)?,
                _ => value,
            };
            let whole = target.parts.len() == 1 && target.parts[0].subscripts.is_empty();
            let local = &env.locals[k];
            if whole && local.sized && local.value.dims() != value.dims() {
                let text = format!(
                    "{} cannot be assigned to {}",
                    value.a_shape(),
                    local.value.a_shape()
                );
                return error("E0317", span, text);
            }
            let empty = Value::Tuple(Vec::new());
            let old = std::mem::replace(&mut env.locals[k].value, empty);
            // Subscripts may read the local itself (`x[size(x, 1)]`), which needs its value there.
            let reads_itself = target.parts.iter().any(|p| !p.subscripts.is_empty());
            if reads_itself {
                env.locals[k].value = old.clone();
            }
            let parts: &'a [ast::RefPart] = &target.parts;
            let mut picks = Vec::new();
            let mut shape = old.clone();
            for p in parts {
                if picks.is_empty() {
                    // The first part is the local itself.
                } else {
                    shape = match shape.field(p.name) {
                        Some(v) => v,
                        None => {
                            env.locals[k].value = old;
                            return error(
                                "E0312",
                                p.span,
                                format!("there is no field `{}`", p.name),
                            );
                        }
                    };
                }
                let dims = shape.dims().to_vec();
                let positions = match self.positions(&p.subscripts, &dims, env, p.span) {
                    Ok(x) => x,
                    Err(d) => {
                        env.locals[k].value = old;
                        return Err(d);
                    }
                };
                if !p.subscripts.is_empty() && shape.dims().len() == positions.len() {
                    shape = shape
                        .items()
                        .first()
                        .cloned()
                        .unwrap_or(Value::Tuple(Vec::new()));
                }
                picks.push((p.name, positions));
            }
            drop(shape);
            env.locals[k].value = Value::Tuple(Vec::new());
            let new = self.updated(old, &picks, true, value, span)?;
            env.locals[k].value = new;
            return Ok(());
        }
        if env.assigned.is_none() {
            return error(
                "E0342",
                target.span,
                format!("`{name}` cannot be assigned here"),
            );
        }
        let plain = Env {
            assigned: None,
            ..env.clone()
        };
        let dynamic = self.eval_ref(target, &plain)?;
        self.assign_variables(&dynamic, &value, env, span)
    }

    /// Model variables take the values, element by element.
    fn assign_variables(
        &mut self,
        target: &Value,
        value: &Value,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        match (target, value) {
            (Value::Scalar(t), Value::Scalar(v)) => self.assign_scalar(*t, *v, env, span),
            (Value::Array(t), Value::Array(v)) if t.dims == v.dims => {
                for (x, y) in t.items.iter().zip(&v.items) {
                    self.assign_variables(x, y, env, span)?;
                }
                Ok(())
            }
            (Value::Record(t), Value::Record(v)) => {
                for (n, x) in &t.fields {
                    let Some((_, y)) = v.fields.iter().find(|(m, _)| m == n) else {
                        continue;
                    };
                    if x.scalar().is_some_and(|s| self.flat.exprs.is_literal(s)) {
                        continue;
                    }
                    self.assign_variables(x, y, env, span)?;
                }
                Ok(())
            }
            _ => error(
                "E0317",
                span,
                format!(
                    "{} cannot be assigned to {}",
                    value.a_shape(),
                    target.a_shape()
                ),
            ),
        }
    }

    fn assign_scalar(&mut self, target: ExprId, value: ExprId, env: &mut Env, span: Span) -> R<()> {
        match self.flat.exprs.get(target) {
            Expr::Var(v) => {
                let ty = self.flat.vars[v].ty;
                let converted = self.convert(Value::Scalar(value), ty, span)?;
                if let (Some(map), Some(s)) = (&mut env.assigned, converted.scalar()) {
                    map.insert(v, s);
                }
                Ok(())
            }
            // A subscript that is known only at run time.
            Expr::If(..) => self.assign_selected(target, None, value, env, span),
            _ => error(
                "E0342",
                span,
                "the left side of an assignment must be a variable",
            ),
        }
    }

    /// Assigns to what a chain of comparisons of a subscript selects, where `path` holds: each element of the array gets
    /// the new value or keeps its own.
    fn assign_selected(
        &mut self,
        target: ExprId,
        path: Option<ExprId>,
        value: ExprId,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let Expr::If(c, a, b) = self.flat.exprs.get(target) else {
            let old = self.present(target, env);
            let new = match path {
                Some(path) => self.flat.exprs.if_then_else(path, value, old),
                None => value,
            };
            return self.assign_scalar(target, new, env, span);
        };
        let here = self.both(path, c);
        self.assign_selected(a, Some(here), value, env, span)?;
        // The comparisons of one subscript exclude each other.
        let chain_ends =
            !matches!(self.flat.exprs.get(b), Expr::If(d, ..) if self.same_subscript(c, d));
        let rest = match self.next_subscript(c) {
            Some(last) if chain_ends => Some(self.both(path, last)),
            Some(_) => path,
            None => {
                let not = self.flat.exprs.not(c);
                Some(self.both(path, not))
            }
        };
        self.assign_selected(b, rest, value, env, span)
    }

    fn both(&mut self, path: Option<ExprId>, c: ExprId) -> ExprId {
        match path {
            Some(path) => self.flat.exprs.binary(BinaryOp::And, path, c),
            None => c,
        }
    }

    fn same_subscript(&self, a: ExprId, b: ExprId) -> bool {
        let index = |e| match self.flat.exprs.get(e) {
            Expr::Binary(BinaryOp::Eq, i, _) => Some(i),
            _ => None,
        };
        index(a).is_some() && index(a) == index(b)
    }

    /// From `i == k` the comparison with the element after: `i == k + 1`.
    fn next_subscript(&mut self, c: ExprId) -> Option<ExprId> {
        let Expr::Binary(BinaryOp::Eq, i, k) = self.flat.exprs.get(c) else {
            return None;
        };
        let next = match self.flat.exprs.get(k) {
            Expr::Int(k) => self.flat.exprs.int(k + 1),
            Expr::Enum(id, k) => self.flat.exprs.enum_literal(id, k + 1),
            _ => return None,
        };
        Some(self.flat.exprs.binary(BinaryOp::Eq, i, next))
    }

    fn present(&mut self, target: ExprId, env: &Env) -> ExprId {
        match self.flat.exprs.get(target) {
            Expr::Var(v) => match env.assigned.as_ref().and_then(|m| m.get(&v).copied()) {
                Some(e) => e,
                None => self.default_of(v),
            },
            _ => target,
        }
    }

    /// `old` with the part that the path names replaced by `new`.
    fn updated(
        &mut self,
        old: Value,
        path: &[(ferrica_ir::Symbol, Vec<Pos>)],
        at_root: bool,
        new: Value,
        span: Span,
    ) -> R<Value> {
        let Some(((name, positions), rest)) = path.split_first() else {
            return Ok(new);
        };
        if !at_root {
            let Value::Record(mut r) = old else {
                return error("E0312", span, format!("there is no field `{name}`"));
            };
            let record: &mut Record = Rc::make_mut(&mut r);
            let Some((_, slot)) = record.fields.iter_mut().find(|(n, _)| n == name) else {
                return error("E0312", span, format!("there is no field `{name}`"));
            };
            let inner = std::mem::replace(slot, Value::Tuple(Vec::new()));
            let inner = self.updated_here(inner, positions, rest, new, span)?;
            if let Some((_, slot)) = Rc::make_mut(&mut r)
                .fields
                .iter_mut()
                .find(|(n, _)| n == name)
            {
                *slot = inner;
            }
            return Ok(Value::Record(r));
        }
        self.updated_here(old, positions, rest, new, span)
    }

    fn updated_here(
        &mut self,
        old: Value,
        positions: &[Pos],
        rest: &[(ferrica_ir::Symbol, Vec<Pos>)],
        new: Value,
        span: Span,
    ) -> R<Value> {
        if positions.is_empty() {
            if rest.is_empty() {
                return Ok(match (&old, new) {
                    // Keep the declared record class and field order.
                    (Value::Record(o), Value::Record(n))
                        if o.class.is_some() && o.fields.len() == n.fields.len() =>
                    {
                        Value::Record(Rc::new(Record {
                            class: o.class,
                            fields: n.fields.clone(),
                        }))
                    }
                    (_, new) => new,
                });
            }
            return self.updated(old, rest, false, new, span);
        }
        let Value::Array(mut array) = old else {
            return error("E0316", span, "this is not an array");
        };
        if positions.iter().any(|p| matches!(p, Pos::Dynamic(_))) {
            return self.updated_dynamic(array, positions, rest, new, span);
        }
        let (dims, list) = select(positions, &array.dims);
        let scalar_target = dims.is_empty();
        if rest.is_empty() && !scalar_target && dims != new.dims() {
            return error(
                "E0317",
                span,
                format!(
                    "an {} cannot be assigned to a slice of size {dims:?}",
                    new.shape()
                ),
            );
        }
        if rest.is_empty() && scalar_target && !new.dims().is_empty() {
            return error(
                "E0317",
                span,
                format!("an {} cannot be assigned to one element", new.shape()),
            );
        }
        let items: &mut Array = Rc::make_mut(&mut array);
        for (i, k) in list.into_iter().enumerate() {
            let value = if scalar_target || !rest.is_empty() {
                new.clone()
            } else {
                new.items()[i].clone()
            };
            if rest.is_empty() {
                items.items[k] = value;
            } else {
                let inner = std::mem::replace(&mut items.items[k], Value::Tuple(Vec::new()));
                items.items[k] = self.updated(inner, rest, false, value, span)?;
            }
        }
        Ok(Value::Array(array))
    }

    fn updated_dynamic(
        &mut self,
        array: Rc<Array>,
        positions: &[Pos],
        rest: &[(ferrica_ir::Symbol, Vec<Pos>)],
        new: Value,
        span: Span,
    ) -> R<Value> {
        let Some(d) = positions.iter().position(|p| matches!(p, Pos::Dynamic(_))) else {
            return Ok(Value::Array(array));
        };
        let Pos::Dynamic(index) = positions[d] else {
            return Ok(Value::Array(array));
        };
        let mut result = Value::Array(array.clone());
        for k in 0..array.dims[d] {
            let fixed = fixed_at(positions, d, k);
            let changed = self.updated_here(result.clone(), &fixed, rest, new.clone(), span)?;
            let here = self.selects(index, k);
            result = self.choose(here, changed, result, span)?;
        }
        Ok(result)
    }
}
