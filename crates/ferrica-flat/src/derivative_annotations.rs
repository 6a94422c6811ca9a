//! `derivative` annotations of functions (section 12.7.1).

use ferrica_ir::function::FunctionBody;
use ferrica_ir::{Diagnostic, Expr, FunctionId, Symbol, Ty};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R, error};
use crate::instance::ScopeId;
use crate::signature::{ParamType, Signature};
use crate::value::Value;

impl<'a> Flattener<'a> {
    /// Does a function hand on an input whose derivative its annotation gives? Such a call
    /// is needed until the index is reduced: `position({s, v, a}, time)` has the derivative `v`, and a property that is taken from
    /// a record of properties the one that thermodynamics says, for which the record need not be differentiated.
    pub fn derivative_is_given(&self, def: &ast::ClassDef, env: &Env, result: &Value) -> bool {
        let Some(annotation) = def.annotation.as_deref() else {
            return false;
        };
        let flag = |name: &str| crate::variables::annotation_flag(&annotation.args, name);
        if !flag("InlineAfterIndexReduction") && !flag("LateInline") {
            return false;
        }
        let Some(result) = result.scalar() else {
            return false;
        };
        derivatives(&annotation.args)
            .flat_map(|m| &m.args)
            .filter_map(|a| match a {
                ast::Argument::Modifier(x) if x.path[0].as_str() == "noDerivative" => named(x),
                _ => None,
            })
            .filter_map(|input| env.local(input))
            .any(|l| {
                let mut scalars = Vec::new();
                l.value.scalars(&mut scalars);
                scalars.contains(&result)
            })
    }

    /// `annotation(derivative = …)` of a function that stays a call.
    pub fn derivative_annotations(
        &mut self,
        scope: ScopeId,
        id: FunctionId,
        signature: &Signature<'a>,
        env: &Env,
    ) {
        let def = self.tree.scopes[scope].class.def;
        let Some(annotation) = def.annotation.as_deref() else {
            return;
        };
        for m in derivatives(&annotation.args) {
            if let Err(d) = self.derivative_annotation(scope, id, signature, env, m) {
                self.diagnostics.push(Diagnostic::warning(
                    "W0303",
                    m.span,
                    format!(
                        "the derivative of `{}` cannot be used: {}",
                        def.name, d.message
                    ),
                ));
            }
        }
    }

    fn derivative_annotation(
        &mut self,
        scope: ScopeId,
        id: FunctionId,
        signature: &Signature<'a>,
        env: &Env,
        modification: &'a ast::Modification,
    ) -> R<()> {
        let Some(ast::Expr {
            kind: ast::ExprKind::Ref(r),
            ..
        }) = &modification.value
        else {
            return Ok(());
        };
        let mut without: Vec<Symbol> = Vec::new();
        let mut zero_names: Vec<Symbol> = Vec::new();
        let mut order = 1;
        for a in &modification.args {
            let ast::Argument::Modifier(x) = a else {
                continue;
            };
            if let Some(ast::ExprKind::Int(k)) = value_of(x) {
                order = *k;
            }
            match (x.path[0].as_str(), named(x)) {
                ("noDerivative", Some(n)) => without.push(n),
                ("zeroDerivative", Some(n)) => zero_names.push(n),
                _ => {}
            }
        }
        if order != 1 && order != 2 {
            return Ok(());
        }
        let name = ast::Name {
            global: r.global,
            parts: r.parts.iter().map(|p| p.name).collect(),
            span: r.span,
        };
        let crate::lookup::Found::Element(e) = self.lookup_class(scope, &name)? else {
            return Ok(());
        };
        let target = self.class_scope(e)?;
        let target_signature = self.signature(target)?;
        // Inputs of the derivative: those of the function, then derivatives of the real ones.
        let mut with_respect_to = Vec::new();
        let (mut zero, mut redundant) = (Vec::new(), Vec::new());
        let mut slot = 0u32;
        // What the function is specialised for has no slot, and its derivative is zero.
        let takes_tables = matches!(self.flat.functions[id].body, FunctionBody::External(_));
        if !takes_tables && self.external_of(target).is_some() {
            let all = signature.inputs.iter().filter_map(|p| env.local(p.name));
            if all.clone().any(|l| self.is_table(&l.value)) {
                return Ok(());
            }
        }
        let mut values: Vec<Option<Value>> = Vec::new();
        let mut extra: Vec<(std::ops::Range<u32>, Value)> = Vec::new();
        for p in &signature.inputs {
            let Some(l) = env.local(p.name) else { continue };
            let mut scalars = Vec::new();
            l.value.scalars(&mut scalars);
            let is_real = scalars
                .first()
                .is_some_and(|&s| self.flat.exprs.ty(s) == Ty::Real)
                || matches!(p.ty, ParamType::Scalar(Ty::Real));
            let is_table = self.is_table(&l.value);
            let value = match is_table && takes_tables {
                true => l.value.map_scalars(&mut |e| {
                    let ty = self.flat.exprs.ty(e);
                    self.flat.exprs.intern(Expr::Local(0), ty)
                }),
                false => l.value.clone(),
            };
            let slots = match is_table && !takes_tables {
                true => 0,
                false => scalars.len() as u32,
            };
            let range = slot..slot + slots;
            slot = range.end;
            values.push(Some(value.clone()));
            if without.contains(&p.name) {
                redundant.extend(range.clone());
            }
            if !is_real {
                continue;
            }
            if zero_names.contains(&p.name) {
                zero.extend(range);
            } else if !without.contains(&p.name) {
                let zero = self.flat.exprs.real(0.0);
                let rate = match is_table && !takes_tables {
                    true => value.map_scalars(&mut |_| zero),
                    false => value,
                };
                extra.push((range, rate));
            }
        }
        // Of second order: the first half are variables, the second half their derivatives.
        let mut of = Vec::new();
        if order == 2 {
            if !extra.len().is_multiple_of(2) {
                return error(
                    "E0356",
                    modification.span,
                    "a function with a second derivative needs a derivative for each input",
                );
            }
            let rest = extra.split_off(extra.len() / 2);
            of.extend(extra.into_iter().flat_map(|(range, _)| range));
            extra = rest;
        }
        with_respect_to.extend(extra.iter().flat_map(|(range, _)| range.clone()));
        values.extend(extra.into_iter().map(|(_, v)| Some(v)));
        if values.len() != target_signature.inputs.len() {
            return error(
                "E0356",
                modification.span,
                format!(
                    "it has {} inputs instead of {}",
                    target_signature.inputs.len(),
                    values.len()
                ),
            );
        }
        // The derivative function is made by calling it once with arguments of the right sizes.
        let mut inner = Env::new(target);
        self.bind_inputs(
            target,
            &target_signature,
            values,
            &mut inner,
            modification.span,
        )?;
        let (key, _) = self.function_key(target, &target_signature, &inner);
        let function = match self.functions.get(&key) {
            Some(&f) => f,
            None => match self.external_of(target) {
                Some((at, external)) => {
                    let outputs =
                        self.output_templates(&target_signature, &inner, modification.span)?;
                    let f = self.make_external(
                        target,
                        at,
                        external,
                        &target_signature,
                        &inner,
                        &outputs,
                        modification.span,
                    )?;
                    self.functions.insert(key, f);
                    f
                }
                None => {
                    self.lower_function(target, &target_signature, &inner, modification.span)?
                }
            },
        };
        self.flat.functions[id]
            .derivatives
            .push(ferrica_ir::function::Derivative {
                function,
                with_respect_to,
                zero,
                redundant,
                of,
            });
        Ok(())
    }
}

/// The `derivative` annotations.
fn derivatives(args: &[ast::Argument]) -> impl Iterator<Item = &ast::Modification> {
    args.iter().filter_map(|a| match a {
        ast::Argument::Modifier(m) if m.path[0].as_str() == "derivative" => m.modification.as_ref(),
        _ => None,
    })
}

fn value_of(m: &ast::Modifier) -> Option<&ast::ExprKind> {
    Some(&m.modification.as_ref()?.value.as_ref()?.kind)
}

/// `input` of `noDerivative = input`.
fn named(m: &ast::Modifier) -> Option<Symbol> {
    match value_of(m)? {
        ast::ExprKind::Ref(r) => r.as_ident(),
        _ => None,
    }
}
