//! Assignments to the memory of a function that is executed at run time.

use ferrica_ir::function::{Slot, Stmt};
use ferrica_ir::{Builtin, Expr, ExprId, Span, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::subscripts::Pos;
use crate::value::Value;

impl<'a> Flattener<'a> {
    pub fn emit_to(
        &mut self,
        target: &'a ast::ComponentRef,
        value: &Value,
        env: &mut Env,
        span: Span,
    ) -> R<()> {
        let name = target.parts[0].name;
        let value = match env.local(name).and_then(|l| l.ty) {
            Some(ty) if target.parts.len() == 1 => self.convert(value.clone(), ty, span)?,
            _ => value.clone(),
        };
        // One element at a run-time index of a plain array.
        if let [part] = target.parts.as_slice()
            && !part.subscripts.is_empty()
            && let Some(l) = env.local(name)
        {
            let array = l.value.clone();
            let dims = array.dims().to_vec();
            let positions = self.positions(&part.subscripts, &dims, env, span)?;
            if positions.iter().any(|p| matches!(p, Pos::Dynamic(_))) {
                return self.emit_store(&array, &positions, &value, span);
            }
        }
        let memory = self.eval_ref(target, env)?;
        self.emit_assign(&memory, &value, span)
    }

    fn emit_store(&mut self, array: &Value, positions: &[Pos], value: &Value, span: Span) -> R<()> {
        let Some((base, len)) = self.contiguous(array) else {
            return error("E0339", span, "a run-time subscript of this array");
        };
        let (dims, indices) = self.linear_indices(array.dims(), positions);
        if dims != value.dims() {
            return error(
                "E0317",
                span,
                format!(
                    "an {} cannot be assigned to a part of size {dims:?}",
                    value.shape()
                ),
            );
        }
        let mut values = Vec::new();
        value.scalars(&mut values);
        if values.len() > 1 {
            let memory = self.new_memory("$t", value);
            let mut held = Vec::new();
            memory.scalars(&mut held);
            self.emit_scalars(&held, &values);
            values = held;
        }
        for (k, v) in indices.into_iter().zip(values) {
            self.emitter.push(Stmt::Store(base, len, k, v));
        }
        Ok(())
    }

    /// First slot and number of slots of an array of scalars in memory.
    pub fn contiguous(&self, array: &Value) -> Option<(u32, u32)> {
        let items = array.items();
        let slot = |v: &Value| match v.scalar().map(|s| self.flat.exprs.get(s)) {
            Some(Expr::Local(k)) => Some(k),
            _ => None,
        };
        let first = slot(items.first()?)?;
        let run = items
            .iter()
            .enumerate()
            .all(|(k, v)| slot(v) == Some(first + k as u32));
        run.then_some((first, items.len() as u32))
    }

    /// Dimensions of a selection, and the index from 0 of each selected element as an expression.
    pub fn linear_indices(
        &mut self,
        dims: &[usize],
        positions: &[Pos],
    ) -> (Vec<usize>, Vec<ExprId>) {
        let mut out_dims = Vec::new();
        let zero = self.flat.exprs.int(0);
        let mut list = vec![zero];
        for (d, &size) in dims.iter().enumerate() {
            let scale = self.flat.exprs.int(size as i64);
            let steps: Vec<ExprId> = match positions.get(d) {
                Some(Pos::One(i)) => vec![self.flat.exprs.int(*i as i64)],
                Some(Pos::Dynamic(e)) => {
                    let e = *e;
                    let number = match self.flat.exprs.ty(e) {
                        Ty::Enum(_) => self.flat.exprs.builtin(Builtin::EnumToInt, &[e]),
                        Ty::Boolean => {
                            let (one, two) = (self.flat.exprs.int(1), self.flat.exprs.int(2));
                            self.flat.exprs.if_then_else(e, two, one)
                        }
                        _ => e,
                    };
                    let one = self.flat.exprs.int(1);
                    vec![self.flat.exprs.sub(number, one)]
                }
                Some(Pos::Many(l)) => {
                    out_dims.push(l.len());
                    l.iter().map(|&i| self.flat.exprs.int(i as i64)).collect()
                }
                None => {
                    out_dims.push(size);
                    (0..size as i64).map(|i| self.flat.exprs.int(i)).collect()
                }
            };
            let mut next = Vec::with_capacity(list.len() * steps.len());
            for &base in &list {
                let shifted = self.flat.exprs.mul(base, scale);
                for &s in &steps {
                    next.push(self.flat.exprs.add(shifted, s));
                }
            }
            list = next;
        }
        (out_dims, list)
    }

    pub fn emit_assign(&mut self, memory: &Value, value: &Value, span: Span) -> R<()> {
        let (mut to, mut from) = (Vec::new(), Vec::new());
        match (memory, value) {
            (Value::Record(m), Value::Record(v)) => {
                for (n, x) in &m.fields {
                    if let Some((_, y)) = v.fields.iter().find(|(k, _)| k == n) {
                        if x.dims() != y.dims() {
                            return error(
                                "E0317",
                                span,
                                format!("the field `{n}` differs in size"),
                            );
                        }
                        x.scalars(&mut to);
                        y.scalars(&mut from);
                    }
                }
            }
            _ => {
                if memory.dims() != value.dims() {
                    return error(
                        "E0317",
                        span,
                        format!(
                            "{} cannot be assigned to {}",
                            value.a_shape(),
                            memory.a_shape()
                        ),
                    );
                }
                memory.scalars(&mut to);
                value.scalars(&mut from);
            }
        }
        if to.len() != from.len() {
            return error("E0317", span, "the two sides of the assignment differ");
        }
        self.emit_scalars(&to, &from);
        Ok(())
    }

    /// Assigns many scalars as if at once.
    pub fn emit_scalars(&mut self, to: &[ExprId], from: &[ExprId]) {
        let mut pairs: Vec<(u32, ExprId)> = Vec::with_capacity(to.len());
        for (&t, &f) in to.iter().zip(from) {
            if t == f {
                continue;
            }
            if let Expr::Local(slot) = self.flat.exprs.get(t) {
                pairs.push((slot, f));
            }
        }
        // Results of one call are taken together.
        let call = pairs
            .first()
            .and_then(|&(_, f)| match self.flat.exprs.get(f) {
                Expr::Proj(c, _) => Some(c),
                _ => None,
            });
        if let Some(c) = call {
            let outs: Option<Vec<(u32, u32)>> = pairs
                .iter()
                .map(|&(slot, f)| match self.flat.exprs.get(f) {
                    Expr::Proj(d, k) if d == c => Some((k, slot)),
                    _ => None,
                })
                .collect();
            if let Some(outs) = outs {
                self.emitter.push(Stmt::CallAssign(c, outs));
                return;
            }
        }
        if pairs.len() > 1 {
            let written: rustc_hash::FxHashSet<u32> = pairs.iter().map(|p| p.0).collect();
            let mut clash = false;
            let roots: Vec<ExprId> = pairs.iter().map(|p| p.1).collect();
            self.flat
                .exprs
                .postorder(&roots, |id| match self.flat.exprs.get(id) {
                    Expr::Local(k) => clash |= written.contains(&k),
                    Expr::Load(base, len, _) => {
                        clash |= (base..base + len).any(|k| written.contains(&k))
                    }
                    _ => {}
                });
            if clash {
                let mut held = Vec::new();
                for &(slot, f) in &pairs {
                    let ty = self.flat.exprs.ty(f);
                    let temporary = self.emitter.slots.len() as u32;
                    self.emitter.slots.push(Slot {
                        name: "$t".into(),
                        ty,
                    });
                    self.emitter.push(Stmt::Assign(temporary, f));
                    let read = self.flat.exprs.intern(Expr::Local(temporary), ty);
                    held.push((slot, read));
                }
                pairs = held;
            }
        }
        for (slot, f) in pairs {
            self.emitter.push(Stmt::Assign(slot, f));
        }
    }
}
