//! Variables of functions and fields of records: their first values, in whatever order they are declared.

use ferrica_ir::{Span, Ty};
use ferrica_syntax::ast;

use crate::eval::{Env, Local};
use crate::exec::DYNAMIC;
use crate::flattener::{Flattener, R, error};
use crate::signature::{Param, ParamType};
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// Adds variables with their declared values, or none, in an order in which what one needs is
    /// there before it.
    pub fn declare_locals(&mut self, list: Vec<&Param<'a>>, env: &mut Env, span: Span) -> R<()> {
        // Names that have no value yet must not be looked up elsewhere: nothing can be done with an
        // empty tuple, so what needs one waits.
        env.locals.extend(list.iter().map(|p| Local {
            name: p.name,
            value: Value::Tuple(Vec::new()),
            ty: None,
            sized: false,
        }));
        let mut pending = list;
        while !pending.is_empty() {
            let mut failed = Vec::new();
            let mut reason = None;
            let before = pending.len();
            for p in pending {
                match self.first_value(p, env, span) {
                    Ok(value) => env.locals.push(Local {
                        name: p.name,
                        value,
                        ty: match p.ty {
                            ParamType::Scalar(ty) => Some(ty),
                            _ => None,
                        },
                        sized: p.is_sized(),
                    }),
                    Err(d) => {
                        failed.push(p);
                        // That something is known only at run time is more than that it waits for that.
                        if reason.is_none() || d.code == DYNAMIC {
                            reason = Some(d);
                        }
                    }
                }
            }
            match reason {
                Some(d) if failed.len() == before => return Err(d),
                _ => pending = failed,
            }
        }
        Ok(())
    }

    fn first_value(&mut self, p: &Param<'a>, env: &Env, span: Span) -> R<Value> {
        let open = |s: &ast::Subscript| matches!(s, ast::Subscript::Colon(_));
        match &p.binding {
            Some(b) => {
                let v = self.eval_local_binding(b, env)?;
                if matches!(&v, Value::Tuple(items) if items.is_empty()) {
                    let text = format!("the value of `{}` depends on itself", p.name);
                    return error("E0303", p.span, text);
                }
                self.check_size(p, &v, env, p.span)?;
                match p.ty {
                    ParamType::Scalar(ty) => self.convert(v, ty, p.span),
                    _ => Ok(v),
                }
            }
            None if p.dims.iter().any(|(s, _)| open(s)) => Ok(Value::array(vec![0], Vec::new())),
            None => self.undefined_value(p, env, span),
        }
    }

    /// What a variable has before it is assigned (section 12.4.4): a Real is not a number, so that what uses it can be seen.
    pub fn undefined_value(&mut self, p: &Param<'a>, env: &Env, span: Span) -> R<Value> {
        let value = self.default_value(p, env, span)?;
        match p.ty {
            ParamType::Scalar(Ty::Real) => {
                let nothing = self.flat.exprs.real(f64::NAN);
                Ok(value.map_scalars(&mut |_| nothing))
            }
            _ => Ok(value),
        }
    }

    /// A value has the sizes that its declaration gives, as far as they are known now.
    pub fn check_size(&mut self, p: &Param<'a>, v: &Value, env: &Env, span: Span) -> R<()> {
        for (k, (subscript, scope)) in p.dims.iter().enumerate() {
            let (ast::Subscript::Expr(e), Some(&given)) = (subscript, v.dims().get(k)) else {
                continue;
            };
            let declared = match e.kind {
                ast::ExprKind::Int(n) => Some(n),
                _ => {
                    let inner = Env {
                        scope: *scope,
                        ..env.clone()
                    };
                    let n = self.eval(e, &inner).ok().and_then(|n| n.scalar());
                    n.and_then(|n| self.flat.exprs.as_int(n))
                }
            };
            if let Some(n) = declared.filter(|&n| n != given as i64) {
                let name = p.name;
                let text = if p.dims.len() == 1 {
                    format!("`{name}` has {n} elements, its value has {given}")
                } else {
                    let k = k + 1;
                    format!(
                        "dimension {k} of `{name}` has {n} elements, that of its value has {given}"
                    )
                };
                return error("E0317", span, text);
            }
        }
        Ok(())
    }
}
