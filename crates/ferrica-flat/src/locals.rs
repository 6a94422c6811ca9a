//! Variables of functions and fields of records: their first values, in whatever order they are declared.

use ferrica_ir::Span;
use ferrica_syntax::ast;

use crate::eval::{Env, Local};
use crate::exec::DYNAMIC;
use crate::flattener::{Flattener, R, error};
use crate::signature::{Param, ParamType};
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// Adds variables with their declared values, or zeros, in an order in which what one needs is
    /// there before it.
    pub fn declare_locals(&mut self, list: Vec<&Param<'a>>, env: &mut Env, span: Span) -> R<()> {
        // Names that have no value yet must not be looked up elsewhere: nothing can be done with an
        // empty tuple, so what needs one waits.
        env.locals.extend(list.iter().map(|p| Local {
            name: p.name,
            value: Value::Tuple(Vec::new()),
            ty: None,
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
                match p.ty {
                    ParamType::Scalar(ty) => self.convert(v, ty, p.span),
                    _ => Ok(v),
                }
            }
            None if p.dims.iter().any(|(s, _)| open(s)) => Ok(Value::array(vec![0], Vec::new())),
            None => self.default_value(p, env, span),
        }
    }
}
