//! Values that are known at compile time: constants, and parameters that shape the model.
//!
//! In constant mode parameters stand for their values; each one that is used so is marked structural.

use ferrica_ir::flat::Variability;
use ferrica_ir::{Diagnostic, ExprId, Span, Ty, VarId};
use ferrica_syntax::ast;

use crate::eval::{Env, hint_of_division};
use crate::flattener::{Flattener, R, error};
use crate::instance::{Content, ElementId};
use crate::value::{Value, wrong_size};

impl<'a> Flattener<'a> {
    /// Evaluates to a literal; parameters stand for their values.
    pub fn eval_constant(&mut self, e: &'a ast::Expr, env: &Env) -> R<ExprId> {
        let value = self.eval_in_constant_mode(e, env)?;
        match value.scalar() {
            Some(s) if self.flat.exprs.is_literal(s) => Ok(s),
            _ => {
                let d = Diagnostic::error("E0310", e.span, "this must be known at compile time")
                    .with_hint("it may depend on constants and on parameters that have a value");
                Err(Box::new(d))
            }
        }
    }

    pub fn eval_in_constant_mode(&mut self, e: &'a ast::Expr, env: &Env) -> R<Value> {
        let before = std::mem::replace(&mut self.constant, true);
        let value = self.eval(e, env);
        self.constant = before;
        value
    }

    /// The value of a constant; in constant mode also of a parameter.
    pub fn constant_component(&mut self, e: ElementId) -> R<Option<Value>> {
        let Some(c) = self.tree.component(e) else {
            return Ok(None);
        };
        if self.constant && c.variability > Variability::Parameter {
            return Ok(self.observed_component(e));
        }
        let only_hint =
            c.variability == Variability::Parameter && !self.constant && self.in_model(c.owner);
        let wanted = match c.variability {
            Variability::Constant => true,
            Variability::Parameter => !only_hint || (c.evaluate && !c.value_running),
            _ => false,
        };
        if !wanted {
            return Ok(None);
        }
        if c.variability == Variability::Constant
            && c.modifier.binding.is_none()
            && self.in_model(c.owner)
        {
            return Ok(None);
        }
        if only_hint {
            // A parameter that cannot be evaluated stays one.
            return Ok(self.parameter_value(e).ok().filter(|v| {
                let mut scalars = Vec::new();
                v.scalars(&mut scalars);
                scalars.iter().all(|&s| self.flat.exprs.is_literal(s))
            }));
        }
        self.parameter_value(e).map(Some)
    }

    /// A variable as a run has left it, where one is looked at and knows all of it.
    fn observed_component(&mut self, e: ElementId) -> Option<Value> {
        let (root, observed) = self.observed?;
        self.ready(e).ok()?;
        let c = self.tree.component(e)?;
        if !self.is_within(c.owner, root) {
            return None;
        }
        let Content::Scalar(ty) = c.content else {
            return None;
        };
        let dims = c.dims.clone();
        let count = dims.iter().product::<usize>() as u32;
        let first = self.var_of(e).as_u32();
        let items = (first..first + count).map(|k| {
            let value = observed(&self.flat.vars[VarId::from_u32(k)].name)?;
            let exprs = &mut self.flat.exprs;
            Some(Value::Scalar(match ty {
                Ty::Real => exprs.real(value),
                Ty::Integer => exprs.int(value as i64),
                Ty::Boolean => exprs.bool(value != 0.0),
                Ty::Enum(of) => exprs.enum_literal(of, value as u32),
                _ => return None,
            }))
        });
        let items = items.collect::<Option<Vec<Value>>>()?;
        Some(Value::array(dims, items))
    }

    /// The value of a constant or parameter, computed at compile time.
    pub fn parameter_value(&mut self, e: ElementId) -> R<Value> {
        self.ready(e)?;
        let Some(c) = self.tree.component_mut(e) else {
            return error("E0203", Span::NONE, "not a component");
        };
        if c.variability == Variability::Parameter && !c.structural {
            c.structural = true;
            // A variable that is finished already is told too: equations come after declarations.
            if let Some(first) = c.first_var {
                let count: usize = c.dims.iter().product();
                let owner = c.owner;
                for shift in self.var_shifts(owner) {
                    let first = first.as_u32() + shift;
                    for k in first..first + count as u32 {
                        self.flat.vars[VarId::from_u32(k)].structural = true;
                    }
                }
            }
        }
        let Some(c) = self.tree.component_mut(e) else {
            return error("E0203", Span::NONE, "not a component");
        };
        if let Some(v) = &c.value {
            return Ok(v.clone());
        }
        let (name, span) = (c.name, c.span());
        if c.value_running {
            return Err(Box::new(
                Diagnostic::error(
                    "E0319",
                    span,
                    format!("the value of `{name}` depends on itself"),
                )
                .with_hint("break the cycle of parameters or constants"),
            ));
        }
        c.value_running = true;
        let result = self.compute_parameter(e);
        if let Some(c) = self.tree.component_mut(e) {
            c.value_running = false;
            if let Ok(v) = &result {
                c.value = Some(v.clone());
            }
        }
        result
    }

    fn compute_parameter(&mut self, e: ElementId) -> R<Value> {
        let Some(c) = self.tree.component(e) else {
            return error("E0203", Span::NONE, "not a component");
        };
        let Content::Scalar(ty) = c.content else {
            return error(
                "E0311",
                c.span(),
                format!("`{}` is not of a predefined type", c.name),
            );
        };
        let (name, span, dims, owner) = (c.name, c.span(), c.dims.clone(), c.owner);
        let binding = c.modifier.binding.clone();
        let attributes = c.attributes.clone();
        let value = match &binding {
            Some(b) => self.eval_binding(b, true)?,
            None => match attributes
                .get("start".into())
                .and_then(|m| m.binding.clone())
            {
                Some(start) => {
                    let v = self.eval_binding(&start, true)?;
                    self.spread(v, &dims)
                }
                None => {
                    let path = self.tree.scopes[self.most_derived(owner)].path.clone();
                    let full = if path.is_empty() {
                        name.to_string()
                    } else {
                        format!("{path}.{name}")
                    };
                    return Err(Box::new(
                        Diagnostic::error(
                            "E0320",
                            span,
                            format!(
                                "`{full}` has no value, but the model's structure depends on it"
                            ),
                        )
                        .with_hint("give it a value in its declaration or by a modifier"),
                    ));
                }
            },
        };
        let value = if value.dims() != dims.as_slice() && binding.as_ref().is_some_and(|b| b.each) {
            self.spread(value, &dims)
        } else {
            value
        };
        if value.dims() != dims.as_slice() {
            return error(
                "E0317",
                binding.map_or(span, |b| b.expr.span),
                wrong_size(name, &dims, &value),
            );
        }
        match binding {
            Some(b) => {
                let converted = self.convert(value, ty, b.expr.span);
                converted.map_err(|d| hint_of_division(d, b.expr))
            }
            None => self.convert(value, ty, span),
        }
    }
}
