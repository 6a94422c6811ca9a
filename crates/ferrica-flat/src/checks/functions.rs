//! What a function may do, and what it is given (chapter 12).

use ferrica_ir::{Diagnostic, Span};
use ferrica_syntax::ast;

use crate::eval::Env;
use crate::flattener::{Flattener, R};
use crate::instance::{ElementId, ScopeId};
use crate::signature::{ParamType, Signature};
use crate::value::Value;

/// Operators that speak of time or events, or of the connections of a component: a function has none of them (section 12.2).
fn needs_a_model(operator: &str) -> bool {
    matches!(
        operator,
        "der"
            | "initial"
            | "terminal"
            | "sample"
            | "pre"
            | "edge"
            | "change"
            | "reinit"
            | "delay"
            | "cardinality"
            | "inStream"
            | "actualStream"
            | "spatialDistribution"
            | "previous"
            | "hold"
            | "interval"
    )
}

impl<'a> Flattener<'a> {
    /// The values of a function follow from its inputs.
    pub(crate) fn check_operator_place(&self, operator: &str, env: &Env, span: Span) -> R<()> {
        let class = self.tree.scopes[env.scope].class.def;
        if !needs_a_model(operator) || !class.kind.is_function() {
            return Ok(());
        }
        Err(Box::new(
            Diagnostic::error(
                "E0375",
                span,
                format!(
                    "`{operator}` cannot be used in the function `{}`",
                    class.name
                ),
            )
            .with_hint("use it in a model or block, and give the function its value as an input"),
        ))
    }

    /// A function has one body, its own or an inherited one. One that takes the place of the function that it extends may have another one.
    pub(crate) fn check_one_body(&mut self, scope: ScopeId) {
        if !self.body_checked.insert(scope) {
            return;
        }
        let own = self.tree.scopes[scope].class.def.long();
        if own.is_none_or(|body| body.class_extends.is_some()) {
            return;
        }
        let bodies = self.algorithms_of(scope);
        let Some(&(_, last)) = bodies.last() else {
            return;
        };
        let external = self.external_of(scope);
        // Those of the class itself are told where it is looked at.
        let inherited =
            bodies.iter().any(|b| b.0 != scope) || external.is_some_and(|x| x.0 != scope);
        if inherited && (bodies.len() > 1 || external.is_some()) {
            let name = self.class_name(scope);
            self.violation(
                "E0211",
                last.span,
                format!("the function `{name}` has more than one body, one of them inherited"),
                "inherit from a partial function without a body, or call the other function",
            );
        }
    }

    /// A function says how its outputs are computed: by statements, in a foreign language, or by their declarations.
    pub(crate) fn check_has_body(
        &mut self,
        scope: ScopeId,
        signature: &Signature<'a>,
        env: &Env,
        span: Span,
    ) -> R<()> {
        if !self.algorithms_of(scope).is_empty() {
            return Ok(());
        }
        for p in &signature.outputs {
            if p.binding.is_some() || !matches!(p.ty, ParamType::Scalar(_)) {
                continue;
            }
            let value = self.default_value(p, env, span)?;
            if value.items().is_empty() {
                continue;
            }
            let name = self.class_name(scope);
            return Err(Box::new(
                Diagnostic::error(
                    "E0376",
                    span,
                    format!(
                        "the function `{name}` has no body: its output `{}` has no value",
                        p.name
                    ),
                )
                .with_related(p.span, "declared here")
                .with_hint("add an algorithm section, or call a function that has one"),
            ));
        }
        Ok(())
    }

    /// A record that is given to a function has the fields that the function's record has.
    pub(crate) fn check_record_argument(
        &mut self,
        name: ferrica_ir::Symbol,
        declared: ElementId,
        v: &Value,
        span: Span,
    ) -> R<()> {
        let Some(Value::Record(r)) = v.items().first() else {
            return Ok(());
        };
        let wanted = self.class_scope(declared)?;
        let def = |s: ScopeId| std::ptr::from_ref(self.tree.scopes[s].class.def);
        let Some(given) = r.class.filter(|&c| def(c) != def(wanted)) else {
            return Ok(());
        };
        let signature = self.signature(wanted)?;
        let missing = (signature.inputs.iter())
            .map(|p| p.name)
            .find(|n| !r.fields.iter().any(|(m, _)| m == n));
        let Some(missing) = missing else {
            return Ok(());
        };
        let (wanted, given) = (self.class_name(wanted), self.class_name(given));
        Err(Box::new(
            Diagnostic::error(
                "E0321",
                span,
                format!("the argument `{name}` must be a `{wanted}`, this is a `{given}`, which has no `{missing}`"),
            )
            .with_hint(format!("give a record with the fields of `{wanted}`")),
        ))
    }

    /// Imports of the model that name nothing, whether they are used or not.
    pub(crate) fn check_imports_exist(&mut self, scope: ScopeId) {
        let def = self.tree.scopes[scope].class.def;
        for element in def.elements() {
            let ast::ElementKind::Import(import) = &element.kind else {
                continue;
            };
            let target = match import {
                ast::Import::Qualified(n) | ast::Import::Renamed { name: n, .. } => {
                    self.import_target(n).map(|_| ())
                }
                ast::Import::Unqualified(n) | ast::Import::List { package: n, .. } => {
                    self.qualified(n).map(|_| ())
                }
            };
            // That something else than a package holds it is told where the name is used.
            if let Err(d) = target
                && d.code != "E0222"
            {
                self.report(d);
            }
        }
    }
}
