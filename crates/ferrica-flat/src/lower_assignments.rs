//! Assignments to the memory of a function that is executed at run time.

use ferrica_ir::function::{Slot, Stmt, outside};
use ferrica_ir::{Builtin, Expr, ExprId, Span, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::subscripts::Pos;
use crate::value::Value;

/// Fewer elements are chosen by comparisons.
const SMALLEST_TABLE: usize = 4;

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
        let memory = self.eval_ref(target, env)?;
        self.emit_assign(&memory, &value, span)
    }

    /// Elements of an array at run-time indices, where the array lies in the memory of the function that is being
    /// written, or can be put there because no statement changes it.
    pub fn load(&mut self, array: &Value, positions: &[Pos]) -> Option<Value> {
        let (first, len) = self
            .contiguous(array)
            .or_else(|| self.table(array, positions))?;
        let ty = self.flat.exprs.ty(array.items().first()?.scalar()?);
        let (dims, indices) = self.linear_indices(array.dims(), positions);
        let loads = indices
            .into_iter()
            .map(|k| Value::Scalar(self.flat.exprs.intern(Expr::Load(first, len, k), ty)))
            .collect();
        Some(Value::array(dims, loads))
    }

    /// Memory that holds the elements of an unchanging array.
    fn table(&mut self, array: &Value, positions: &[Pos]) -> Option<(u32, u32)> {
        let items = array.items();
        if !self.emitter.outputs_placed || items.len() < SMALLEST_TABLE {
            return None;
        }
        let values: Vec<ExprId> = items.iter().map(Value::scalar).collect::<Option<_>>()?;
        let ty = self.flat.exprs.ty(values[0]);
        let changes = values
            .iter()
            .any(|&v| self.flat.exprs.ty(v) != ty || self.reads_memory(v));
        // An index that no statement changes is one of the model, and not of this function.
        let in_function = positions
            .iter()
            .any(|p| matches!(p, Pos::Dynamic(e) if self.reads_memory(*e)));
        (in_function && !changes).then(|| (self.emitter.table(values, ty), items.len() as u32))
    }

    /// Does an expression belong to the body of a run-time function?
    pub fn reads_memory(&self, e: ExprId) -> bool {
        let mut reads = false;
        self.flat.exprs.postorder(&[e], |id| {
            reads |= matches!(self.flat.exprs.get(id), Expr::Local(_) | Expr::Load(..));
        });
        reads
    }

    /// First slot and number of slots of an array of scalars in memory.
    fn contiguous(&self, array: &Value) -> Option<(u32, u32)> {
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

    /// Dimensions of a selection, and the index from 0 of each selected element as an expression; where a subscript behind the
    /// first one is outside of its dimension, what [`outside`] says.
    fn linear_indices(&mut self, dims: &[usize], positions: &[Pos]) -> (Vec<usize>, Vec<ExprId>) {
        let mut out_dims = Vec::new();
        let zero = self.flat.exprs.int(0);
        let mut list = vec![zero];
        let mut inside = Vec::new();
        for (d, &size) in dims.iter().enumerate() {
            let scale = self.flat.exprs.int(size as i64);
            let steps: Vec<ExprId> = match positions.get(d) {
                Some(Pos::One(i)) => vec![self.flat.exprs.int(*i as i64)],
                Some(Pos::Dynamic(e)) => {
                    let e = *e;
                    if d > 0 && self.flat.exprs.ty(e) == Ty::Integer {
                        let base = self.flat.exprs.int(outside::base(d));
                        let nowhere = self.flat.exprs.sub(base, e);
                        inside.push((self.is_inside(e, size), nowhere));
                    }
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
                // Each of several run-time indices is looked at alone.
                Some(Pos::Each(_)) | None => {
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
        for (is_inside, nowhere) in inside {
            for k in &mut list {
                *k = self.flat.exprs.if_then_else(is_inside, *k, nowhere);
            }
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
        self.emit_scalars(&to, &from, span)
    }

    /// Assigns many scalars as if at once.
    pub fn emit_scalars(&mut self, to: &[ExprId], from: &[ExprId], span: Span) -> R<()> {
        if to
            .iter()
            .any(|&t| !matches!(self.flat.exprs.get(t), Expr::Local(_)))
        {
            return self.emit_selected(to, from, span);
        }
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
                return Ok(());
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
        Ok(())
    }

    /// Assigns to elements that are selected at run time.
    fn emit_selected(&mut self, to: &[ExprId], from: &[ExprId], span: Span) -> R<()> {
        let mut held = from.to_vec();
        if held.len() > 1 {
            for v in &mut held {
                let memory = self.new_memory("$t", &Value::Scalar(*v));
                let Some(slot) = memory.scalar() else {
                    continue;
                };
                self.emit_scalars(&[slot], &[*v], span)?;
                *v = slot;
            }
        }
        for (&t, &v) in to.iter().zip(&held) {
            let s = self.assignment(t, v, span)?;
            self.emitter.push(s);
        }
        Ok(())
    }

    /// The statement that assigns to what an expression selects.
    fn assignment(&self, target: ExprId, value: ExprId, span: Span) -> R<Stmt> {
        match self.flat.exprs.get(target) {
            Expr::Local(slot) => Ok(Stmt::Assign(slot, value)),
            Expr::Load(first, len, index) => Ok(Stmt::Store(first, len, index, value)),
            Expr::If(c, a, b) => Ok(Stmt::If(
                c,
                vec![self.assignment(a, value, span)?],
                vec![self.assignment(b, value, span)?],
            )),
            _ => error("E0339", span, "this cannot be assigned at run time"),
        }
    }
}
