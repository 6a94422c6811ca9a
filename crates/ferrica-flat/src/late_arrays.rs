//! Local arrays of a function whose sizes are known only at run time: `Real p[n]` where n is an input of the call.
//!
//! Such an array lies in memory with room for [`ROOM`] elements, and a slot holds its size, which the run checks against the room.
//! Elements are taken by subscripts, which are checked against the size. The whole array, or a row of it, stands for its slice
//! `1:n`: it can be reduced, multiplied and assigned as `lower_ranges` does with slices.

use ferrica_ir::function::Stmt;
use ferrica_ir::{BinaryOp, Builtin, ExprId, Span, Symbol};
use ferrica_syntax::ast;

use crate::eval::{Env, Local};
use crate::flattener::{Flattener, R, error};
use crate::signature::{Param, ParamType};
use crate::subscripts::Pos;
use crate::value::Value;

/// Elements that an array of unknown size has room for. They lie on the stack: 32 kB.
const ROOM: usize = 4096;

/// The sizes of an array.
pub struct LateArray {
    /// Its first element, to know it from an iterator of the same name.
    first: ExprId,
    /// Of each dimension, where it is not known now.
    sizes: Vec<Option<ExprId>>,
}

impl<'a> Flattener<'a> {
    /// Memory for a local variable whose declaration has sizes that are not known now; nothing if all of them are.
    pub fn late_array(&mut self, p: &Param<'a>, env: &mut Env, span: Span) -> R<bool> {
        let ParamType::Scalar(ty) = p.ty else {
            return Ok(false);
        };
        let mut known = Vec::new();
        for (s, scope) in &p.dims {
            let ast::Subscript::Expr(e) = s else {
                return Ok(false);
            };
            let inner = Env {
                scope: *scope,
                ..env.clone()
            };
            known.push(match self.eval_dimension(e, &inner) {
                Ok(n) => Ok(n),
                Err(d) if d.code == "E0308" || d.code == "E0310" => {
                    Err(self.eval_scalar(e, &inner)?)
                }
                Err(d) => return Err(d),
            });
        }
        let late = known.iter().filter(|k| k.is_err()).count() as u32;
        if late == 0 {
            return Ok(false);
        }
        // The room is shared: 64 × 64 where two sizes are unknown.
        let fixed: usize = known.iter().filter_map(|k| k.as_ref().ok()).product();
        let room = (ROOM / fixed.max(1)).max(1);
        let each = (room as f64).powf(1.0 / f64::from(late)).floor() as usize;
        let dims: Vec<usize> = known.iter().map(|k| *k.as_ref().unwrap_or(&each)).collect();
        let zero = self.zero(ty);
        let count = dims.iter().product();
        let template = Value::array(dims, vec![Value::Scalar(zero); count]);
        let memory = self.new_memory(p.name.as_str(), &template);
        let Some(first) = memory.items().first().and_then(Value::scalar) else {
            return Ok(false);
        };
        let mut sizes = Vec::new();
        for k in known {
            sizes.push(match k {
                Ok(_) => None,
                Err(size) => Some(self.late_size(p.name, size, each, span)?),
            });
        }
        // No element keeps what another call has left.
        self.emit_zeros(&memory, sizes[0], zero, span)?;
        self.emitter.late.insert(p.name, LateArray { first, sizes });
        env.locals.push(Local {
            name: p.name,
            value: memory,
            ty: Some(ty),
            sized: false,
        });
        Ok(true)
    }

    /// A slot with a size, checked.
    fn late_size(&mut self, name: Symbol, size: ExprId, room: usize, span: Span) -> R<ExprId> {
        let zero = self.flat.exprs.int(0);
        let memory = self.new_memory("$size", &Value::Scalar(zero));
        let Some(slot) = memory.scalar() else {
            return Ok(size);
        };
        self.emit_scalars(&[slot], &[size], span)?;
        let x = &mut self.flat.exprs;
        let most = x.int(room as i64);
        let bounds = [
            x.binary(BinaryOp::Ge, slot, zero),
            x.binary(BinaryOp::Le, slot, most),
        ];
        let fits = x.and_all(&bounds);
        let parts = [
            x.str(&format!("the size of `{name}` is ")),
            x.builtin(Builtin::StringOf, &[slot]),
            x.str(&format!(
                ", outside of 0:{room}, which an array has room for whose size is known only at run time"
            )),
        ];
        let text = x.add(parts[0], parts[1]);
        let text = x.add(text, parts[2]);
        self.emitter.push(Stmt::Assert(fits, text, true));
        Ok(slot)
    }

    /// Sets the rows of an array to zero, all that there is room for if their number is known.
    fn emit_zeros(
        &mut self,
        memory: &Value,
        rows: Option<ExprId>,
        zero: ExprId,
        span: Span,
    ) -> R<()> {
        let one = self.flat.exprs.int(1);
        let row: usize = memory.dims()[1..].iter().product();
        let last = match rows {
            Some(rows) => {
                let row = self.flat.exprs.int(row as i64);
                self.flat.exprs.mul(rows, row)
            }
            None => self.flat.exprs.int(memory.items().len() as i64),
        };
        let flat = Value::array(vec![memory.items().len()], memory.items().to_vec());
        let mut env = Env::new(self.lowering[self.lowering.len() - 1]);
        let counter = "$zeroed".into();
        self.counting_loop(counter, (one, one, last), &mut env, span, &mut |me, env| {
            let at = env.local(counter).and_then(|l| l.value.scalar());
            let element = at.and_then(|at| me.load(&flat, &[Pos::Dynamic(at)]));
            match element {
                Some(element) => me.emit_assign(&element, &Value::Scalar(zero), span),
                None => Ok(()),
            }
        })
    }

    /// The sizes of a local variable, if it has some that are not known now.
    pub fn late_sizes(&self, name: Symbol, env: &Env) -> Option<&[Option<ExprId>]> {
        let late = self.emitter.late.get(&name)?;
        let local = env.local(name)?;
        let same = local.value.items().first()?.scalar() == Some(late.first);
        same.then_some(&late.sizes)
    }

    /// Does a reference name the whole of a dimension whose size is not known now?
    pub fn names_late_slice(&self, r: &ast::ComponentRef) -> bool {
        let Some(late) = self.emitter.late.get(&r.parts[0].name) else {
            return false;
        };
        let subscripts = &r.parts[0].subscripts;
        (late.sizes.iter().enumerate()).any(|(k, size)| {
            size.is_some() && matches!(subscripts.get(k), None | Some(ast::Subscript::Colon(_)))
        })
    }

    /// Elements of an array with sizes that are not known now.
    pub fn late_elements(
        &mut self,
        array: &Value,
        sizes: &[Option<ExprId>],
        part: &'a ast::RefPart,
        env: &Env,
        span: Span,
    ) -> R<Value> {
        if part.subscripts.len() > sizes.len() {
            let text = format!(
                "{} subscripts for {} dimensions",
                part.subscripts.len(),
                sizes.len()
            );
            return error("E0316", span, text);
        }
        let dims = array.dims().to_vec();
        let mut positions = Vec::new();
        let mut whole = 0;
        for (k, size) in sizes.iter().enumerate() {
            let subscript = part.subscripts.get(k);
            let position = match (size, subscript) {
                (None, None | Some(ast::Subscript::Colon(_))) => Pos::Many((0..dims[k]).collect()),
                (Some(size), None | Some(ast::Subscript::Colon(_))) => {
                    whole += 1;
                    let one = self.flat.exprs.int(1);
                    self.slice_element(one, *size, span)?
                }
                (None, Some(s)) => {
                    let one = self.positions(std::slice::from_ref(s), &dims[k..=k], env, span)?;
                    one.into_iter().next().unwrap_or(Pos::Many(Vec::new()))
                }
                (Some(size), Some(ast::Subscript::Expr(e))) => {
                    self.ends.push(*size);
                    let position = self.late_position(e, *size, part.name, env);
                    self.ends.pop();
                    position?
                }
            };
            positions.push(position);
        }
        if whole > 1 {
            return error(
                "E0339",
                span,
                "this needs the whole of an array with two sizes that are known only at run time",
            );
        }
        self.pick(array, &positions)
    }

    fn late_position(&mut self, e: &'a ast::Expr, size: ExprId, name: Symbol, env: &Env) -> R<Pos> {
        if let ast::ExprKind::Range(r) = &e.kind {
            return match self.slices.is_some() {
                true => self.slice_position(r, env, e.span),
                false => error(
                    "E0310",
                    e.span,
                    "a subscript range is known only at run time",
                ),
            };
        }
        let index = self.eval_scalar(e, env)?;
        let x = &mut self.flat.exprs;
        let one = x.int(1);
        let bounds = [
            x.binary(BinaryOp::Ge, index, one),
            x.binary(BinaryOp::Le, index, size),
        ];
        let inside = x.and_all(&bounds);
        let parts = [
            x.str(&format!("a subscript of `{name}` is ")),
            x.builtin(Builtin::StringOf, &[index]),
            x.str(", outside of 1:"),
            x.builtin(Builtin::StringOf, &[size]),
        ];
        let text = parts[1..].iter().fold(parts[0], |a, &b| x.add(a, b));
        let holds = self.where_taken(inside);
        self.emitter.push(Stmt::Assert(holds, text, true));
        Ok(Pos::Dynamic(index))
    }

    /// `y := {a, b, c}` for an array whose size is not known now.
    pub fn emit_late_assign(
        &mut self,
        target: &'a ast::ComponentRef,
        values: &Value,
        env: &Env,
        span: Span,
    ) -> R<bool> {
        let name = target.parts[0].name;
        let (Some(local), Some([Some(size)])) = (env.local(name), self.late_sizes(name, env))
        else {
            return Ok(false);
        };
        let (memory, ty, size) = (local.value.clone(), local.ty, *size);
        let whole = target.parts.len() == 1 && self.names_late_slice(target);
        if !whole || values.dims().len() != 1 || values.items().len() > memory.items().len() {
            return Ok(false);
        }
        let x = &mut self.flat.exprs;
        let length = x.int(values.items().len() as i64);
        let same = x.binary(BinaryOp::Eq, size, length);
        let text = x.str(&format!(
            "`{name}` and what is assigned to it differ in size"
        ));
        self.emitter.push(Stmt::Assert(same, text, true));
        let values = match ty {
            Some(ty) => self.convert(values.clone(), ty, span)?,
            None => values.clone(),
        };
        let n = values.items().len();
        let part = Value::array(vec![n], memory.items()[..n].to_vec());
        self.emit_assign(&part, &values, span)?;
        Ok(true)
    }
}
