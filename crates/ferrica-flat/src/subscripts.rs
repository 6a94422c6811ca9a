//! Subscripts: elements and slices of arrays, with indices known now or only at run time (section 10.5).

use ferrica_ir::{BinaryOp, Expr, ExprId, Span, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::ElementId;
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn index(
        &mut self,
        base: Value,
        subscripts: &'a [ast::Subscript],
        env: &Env,
        span: Span,
    ) -> R<Value> {
        if subscripts.is_empty() {
            return Ok(base);
        }
        let dims = base.dims().to_vec();
        let positions = self.positions_to_read(subscripts, &dims, env, span)?;
        self.pick(&base, &positions)
    }

    /// Subscripts of what is assigned or connected: whole sets of them are known now.
    pub fn positions(
        &mut self,
        subscripts: &'a [ast::Subscript],
        dims: &[usize],
        env: &Env,
        span: Span,
    ) -> R<Vec<Pos>> {
        let out = self.positions_to_read(subscripts, dims, env, span)?;
        match out.iter().position(|p| matches!(p, Pos::Each(_))) {
            Some(_) => error(
                "E0323",
                span,
                "a subscript range must be known at compile time",
            ),
            None => Ok(out),
        }
    }

    pub fn positions_to_read(
        &mut self,
        subscripts: &'a [ast::Subscript],
        dims: &[usize],
        env: &Env,
        span: Span,
    ) -> R<Vec<Pos>> {
        if subscripts.len() > dims.len() {
            return error(
                "E0316",
                span,
                format!(
                    "{} subscripts for {} dimensions",
                    subscripts.len(),
                    dims.len()
                ),
            );
        }
        let mut out = Vec::with_capacity(subscripts.len());
        for (k, s) in subscripts.iter().enumerate() {
            let size = dims[k];
            match s {
                ast::Subscript::Colon(_) => out.push(Pos::Many((0..size).collect())),
                ast::Subscript::Expr(e) => {
                    let end = self.flat.exprs.int(size as i64);
                    self.ends.push(end);
                    let result = match (self.subscript_value(e, env), &e.kind) {
                        (Err(d), ast::ExprKind::Range(r))
                            if d.code == "E0310" && self.slices.is_some() =>
                        {
                            Err(self.slice_position(r, env, e.span))
                        }
                        (Err(d), _) => Err(Err(d)),
                        (Ok(v), _) => Ok(v),
                    };
                    self.ends.pop();
                    let value = match result {
                        Ok(v) => v,
                        Err(position) => {
                            out.push(position?);
                            continue;
                        }
                    };
                    match &value {
                        Value::Array(a) => {
                            let scalars: Option<Vec<ExprId>> =
                                a.items.iter().map(Value::scalar).collect();
                            let Some(scalars) = scalars else {
                                return error("E0323", e.span, "a subscript must be an Integer");
                            };
                            out.push(self.set_of_positions(&scalars, size, e.span)?);
                        }
                        Value::Scalar(s) => match self.subscript_int(*s) {
                            Some(i) => out.push(Pos::One(self.checked_index(i, size, e.span)?)),
                            None if matches!(self.flat.exprs.ty(*s), Ty::Real | Ty::String) => {
                                return error("E0323", e.span, "a subscript must be an Integer");
                            }
                            None => {
                                self.check_subscript(*s, size, e.span);
                                out.push(Pos::Dynamic(*s));
                            }
                        },
                        _ => return error("E0323", e.span, "a subscript must be an Integer"),
                    }
                }
            }
        }
        Ok(out)
    }

    /// Where a dimension counts the values of Boolean or of an enumeration, its subscripts are such values, and only there.
    pub fn check_index_types(
        &mut self,
        e: ElementId,
        subscripts: &'a [ast::Subscript],
        env: &Env,
    ) -> R<()> {
        let Some(c) = self.tree.component(e) else {
            return Ok(());
        };
        if c.index_types.is_empty() && !subscripts.iter().any(|s| self.may_be_no_number(s, env)) {
            return Ok(());
        }
        let (types, dims) = (c.index_types.clone(), c.dims.clone());
        for (k, s) in subscripts.iter().enumerate().take(dims.len()) {
            let ast::Subscript::Expr(s) = s else {
                continue;
            };
            let ty = types.iter().find(|t| t.0 == k).map_or(Ty::Integer, |t| t.1);
            let end = self.flat.exprs.int(dims[k] as i64);
            self.ends.push(end);
            let value = self.eval(s, env);
            self.ends.pop();
            let mut scalars = Vec::new();
            value?.scalars(&mut scalars);
            let counts = |t: Ty| t == ty || (ty == Ty::Integer && t == Ty::Real);
            if scalars.iter().any(|&x| !counts(self.flat.exprs.ty(x))) {
                let text = format!("a subscript must be of type {} here", self.type_text(ty));
                return error("E0323", s.span, text);
            }
        }
        Ok(())
    }

    /// May a subscript be a Boolean or a literal of an enumeration, as it is written?
    fn may_be_no_number(&self, s: &ast::Subscript, env: &Env) -> bool {
        let ast::Subscript::Expr(e) = s else {
            return false;
        };
        match &e.kind {
            ast::ExprKind::Int(_) | ast::ExprKind::Range(_) | ast::ExprKind::End => false,
            ast::ExprKind::Ref(r) => {
                match env.local(r.parts[0].name).and_then(|l| l.value.scalar()) {
                    Some(x) => self.flat.exprs.ty(x) != Ty::Integer,
                    None => true,
                }
            }
            ast::ExprKind::Binary(op, _) => {
                use ast::BinaryOp::*;
                matches!(op, And | Or | Lt | Le | Gt | Ge | Eq | Ne)
            }
            ast::ExprKind::Unary(..) | ast::ExprKind::Bool(_) => true,
            _ => false,
        }
    }

    fn subscript_int(&self, s: ExprId) -> Option<i64> {
        match self.flat.exprs.get(s) {
            Expr::Bool(b) => Some(i64::from(b) + 1),
            _ => self.flat.exprs.as_int(s),
        }
    }

    /// A vector as a subscript.
    fn set_of_positions(&mut self, list: &[ExprId], size: usize, span: Span) -> R<Pos> {
        let known: Option<Vec<i64>> = list.iter().map(|&s| self.subscript_int(s)).collect();
        if let Some(known) = known {
            let list = known.into_iter().map(|i| self.checked_index(i, size, span));
            return list.collect::<R<Vec<usize>>>().map(Pos::Many);
        }
        for &s in list {
            match self.flat.exprs.ty(s) {
                Ty::Real | Ty::String => {
                    return error("E0323", span, "a subscript must be an Integer");
                }
                _ => self.check_subscript(s, size, span),
            }
        }
        Ok(Pos::Each(list.to_vec()))
    }

    fn subscript_value(&mut self, e: &'a ast::Expr, env: &Env) -> R<Value> {
        let value = self.eval(e, env)?;
        let mut scalars = Vec::new();
        value.scalars(&mut scalars);
        if scalars.iter().all(|&s| self.flat.exprs.is_literal(s)) {
            return Ok(value);
        }
        // Known at compile time when it depends on parameters only.
        match self.eval_in_constant_mode(e, env) {
            Ok(v) => Ok(v),
            Err(_) => Ok(value),
        }
    }

    fn checked_index(&self, i: i64, size: usize, span: Span) -> R<usize> {
        if i >= 1 && i as usize <= size {
            Ok(i as usize - 1)
        } else {
            error("E0318", span, format!("subscript {i} is outside 1:{size}"))
        }
    }

    pub fn pick(&mut self, base: &Value, positions: &[Pos]) -> R<Value> {
        let Value::Array(a) = base else {
            return Ok(base.clone());
        };
        if let Some(d) = positions.iter().position(|p| matches!(p, Pos::Each(_))) {
            return self.pick_each(base, positions, d);
        }
        if let Some(d) = positions.iter().position(|p| matches!(p, Pos::Dynamic(_))) {
            if let Some(elements) = self.load(base, positions) {
                return Ok(elements);
            }
            // Select at run time along dimension d: a chain of ifs over its indices.
            let Pos::Dynamic(index) = positions[d] else {
                return Ok(base.clone());
            };
            let mut result: Option<Value> = None;
            for k in (0..a.dims[d]).rev() {
                let fixed = fixed_at(positions, d, k);
                let value = self.pick(base, &fixed)?;
                result = Some(match result {
                    None => value,
                    Some(rest) => {
                        let here = self.selects(index, k);
                        self.choose(here, value, rest, Span::NONE)?
                    }
                });
            }
            return match result {
                Some(v) => Ok(v),
                None => error("E0318", Span::NONE, "subscript of an empty array"),
            };
        }
        let (dims, list) = select(positions, &a.dims);
        Ok(Value::array(
            dims,
            list.into_iter().map(|k| a.items[k].clone()).collect(),
        ))
    }

    /// A vector of run-time indices along dimension `d`: what each of them selects, beside each other.
    fn pick_each(&mut self, base: &Value, positions: &[Pos], d: usize) -> R<Value> {
        let Pos::Each(list) = &positions[d] else {
            return Ok(base.clone());
        };
        let mut parts = Vec::with_capacity(list.len());
        for &index in list {
            let mut fixed = positions.to_vec();
            fixed[d] = Pos::Dynamic(index);
            parts.push(self.pick(base, &fixed)?);
        }
        let kept = |p: &&Pos| matches!(p, Pos::Many(_) | Pos::Each(_));
        let axis = positions[..d].iter().filter(kept).count();
        let mut dims = parts.first().map(|p| p.dims().to_vec()).unwrap_or_default();
        let behind: usize = dims[axis..].iter().product();
        dims.insert(axis, parts.len());
        let before: usize = dims[..axis].iter().product();
        let mut items = Vec::new();
        for k in 0..before {
            for part in &parts {
                match part {
                    Value::Array(a) => {
                        items.extend_from_slice(&a.items[k * behind..(k + 1) * behind]);
                    }
                    scalar => items.push(scalar.clone()),
                }
            }
        }
        Ok(Value::array(dims, items))
    }

    /// Does a run-time subscript select the element k, counted from 0?
    pub fn selects(&mut self, index: ExprId, k: usize) -> ExprId {
        let number = match self.flat.exprs.ty(index) {
            Ty::Enum(id) => self.flat.exprs.enum_literal(id, k as u32 + 1),
            Ty::Boolean => self.flat.exprs.bool(k == 1),
            _ => self.flat.exprs.int(k as i64 + 1),
        };
        self.flat.exprs.binary(BinaryOp::Eq, index, number)
    }

    /// Is an Integer subscript in 1:size?
    pub fn is_inside(&mut self, index: ExprId, size: usize) -> ExprId {
        let x = &mut self.flat.exprs;
        let (first, last) = (x.int(1), x.int(size as i64));
        let above = x.binary(BinaryOp::Ge, index, first);
        let below = x.binary(BinaryOp::Le, index, last);
        x.and_all(&[above, below])
    }
}

/// The same subscripts with that of dimension `d` known to be k, counted from 0.
pub fn fixed_at(positions: &[Pos], d: usize, k: usize) -> Vec<Pos> {
    let mut fixed = positions.to_vec();
    fixed[d] = Pos::One(k);
    fixed
}

/// A subscript after evaluation.
#[derive(Clone)]
pub enum Pos {
    /// Index from 0.
    One(usize),
    Many(Vec<usize>),
    /// An index known only at run time (counted from 1).
    Dynamic(ExprId),
    /// Several of them.
    Each(Vec<ExprId>),
}

impl Pos {
    /// Is it known only at run time?
    pub fn is_late(&self) -> bool {
        matches!(self, Pos::Dynamic(_) | Pos::Each(_))
    }
}

/// Row-major position of a single element.
pub fn flat_index(positions: &[Pos], dims: &[usize]) -> Option<usize> {
    let mut k = 0;
    for (p, d) in positions.iter().zip(dims) {
        match p {
            Pos::One(i) => k = k * d + i,
            _ => return None,
        }
    }
    Some(k)
}

/// Dimensions of a selection and the row-major positions selected; missing subscripts select all.
pub fn select(positions: &[Pos], dims: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut out_dims = Vec::new();
    let mut list = vec![0usize];
    for (d, &size) in dims.iter().enumerate() {
        let all: Vec<usize>;
        let picks: &[usize] = match positions.get(d) {
            Some(Pos::One(i)) => std::slice::from_ref(i),
            Some(Pos::Many(l)) => {
                out_dims.push(l.len());
                l
            }
            _ => {
                out_dims.push(size);
                all = (0..size).collect();
                &all
            }
        };
        list = list
            .iter()
            .flat_map(|&base| picks.iter().map(move |&i| base * size + i))
            .collect();
    }
    (out_dims, list)
}
